//! finds race
// with RIGHT: silent
// One segment attached twice: two addresses, one memory.
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/shm.h>
static int *one, *two;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *a) {
    int *p = a ? one : two;
#ifdef RIGHT
    pthread_mutex_lock(&m);
#endif
    p[3]++;
#ifdef RIGHT
    pthread_mutex_unlock(&m);
#endif
    return 0;
}
int main(void) {
    pthread_t a, b;
    int id = shmget(IPC_PRIVATE, 4096, 0600);
    one = shmat(id, 0, 0);
    two = shmat(id, 0, 0);
    shmctl(id, IPC_RMID, 0);
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, &a);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
