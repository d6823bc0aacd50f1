//! finds race
// with RIGHT: silent
// A semaphore of System V as a lock; one more unit in it lets two threads in.
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>
union semun {
    int val;
};
#ifdef RIGHT
#define UNITS 1
#else
#define UNITS 2
#endif
static int id, n;
static void *work(void *a) {
    struct sembuf down = {0, -1, SEM_UNDO}, up = {0, 1, SEM_UNDO};
    for (int i = 0; i < 2; i++) {
        semop(id, &down, 1);
        n++;
        semop(id, &up, 1);
    }
    return a;
}
int main(void) {
    pthread_t a, b;
    id = semget(IPC_PRIVATE, 1, 0600);
    semctl(id, 0, SETVAL, (union semun){.val = UNITS});
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    semctl(id, 0, IPC_RMID);
    return 0;
}
