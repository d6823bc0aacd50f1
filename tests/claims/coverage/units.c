//! fails: whoever comes first gets the units.
#include <assert.h>
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>
static int id, got[2];
static void *work(void *a) {
    struct sembuf d = {0, -2, IPC_NOWAIT};
    got[(long)a] = semop(id, &d, 1);
    return 0;
}
int main(void) {
    pthread_t a, b;
    id = semget(IPC_PRIVATE, 1, 0600);
    struct sembuf u = {0, 3, 0};
    semop(id, &u, 1);
    pthread_create(&a, 0, work, (void *)0);
    pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    semctl(id, 0, IPC_RMID);
    assert(got[0] == 0);
    return 0;
}
