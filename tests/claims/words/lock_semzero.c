//! silent
// Two units at once, and a wait for zero: handed over, and everybody there.
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>
union semun {
    int val;
};
static int id, n, m;
static void *gives(void *a) {
    n = 1;
    struct sembuf up = {0, 2, 0};
    semop(id, &up, 1);
    struct sembuf zero = {1, 0, 0};
    semop(id, &zero, 1);
    n = m;
    return a;
}
static void *takes(void *a) {
    struct sembuf down = {0, -2, 0}, less = {1, -1, 0};
    semop(id, &down, 1);
    m = n + 1;
    semop(id, &less, 1);
    return a;
}
int main(void) {
    pthread_t a, b;
    id = semget(IPC_PRIVATE, 2, 0600);
    semctl(id, 0, SETVAL, (union semun){.val = 0});
    semctl(id, 1, SETVAL, (union semun){.val = 1});
    pthread_create(&a, 0, gives, 0);
    pthread_create(&b, 0, takes, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    semctl(id, 0, IPC_RMID);
    return n != 2;
}
