/* The holder of a robust mutex ends; the next one is told and repairs it. The waiter waits
 * already when the holder ends.
 *
 * EXIT 0
 * T1 acq m, .*exit
 * T2 .*acq m, rel m, exit */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t m;
static sem_t held, waits;
static int seen;

static void *dies(void *unused) {
    pthread_mutex_lock(&m);
    sem_post(&held);
    sem_wait(&waits);
    return unused;
}

static void *repairs(void *unused) {
    sem_wait(&held);
    sem_post(&waits);
    seen = pthread_mutex_lock(&m);
    if (seen == EOWNERDEAD)
        pthread_mutex_consistent(&m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void) {
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &a);
    sem_init(&held, 0, 0);
    sem_init(&waits, 0, 0);
    pthread_t t[2];
    pthread_create(&t[0], NULL, dies, NULL);
    pthread_create(&t[1], NULL, repairs, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return seen != EOWNERDEAD;
}
