/* Waiting on a condition without its lock; destroying one that is waited for.
 *
 * ONLY recorded
 * EXIT 0
 * T0 fork T1, acq m, lockerr c=4, signal c, rel m, join T1, lockerr m=3, acq m, rel m
 * T1 acq m, rel m, wait c, wake c, acq m, rel m, exit */
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static volatile int waits;

static void *work(void *unused) {
    pthread_mutex_lock(&m);
    waits = 1;
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    while (!waits)
        usleep(100);
    pthread_mutex_lock(&m);
    pthread_cond_destroy(&c);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    struct timespec past = {1, 0};
    pthread_cond_timedwait(&c, &m, &past);
    pthread_mutex_unlock(&m);
    return 0;
}
