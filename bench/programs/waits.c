/* Three threads with much to do of no interest, and a deadlock between places far apart. KIND 0: each takes two locks, all in a
 * circle; 1: two threads take two units of a semaphore, one after the other; 2: a signal may come before its wait.
 * RIGHT: repaired. */
#include <pthread.h>
#include <semaphore.h>
#ifndef KIND
#define KIND 0
#endif
#ifndef RIGHT
#define RIGHT 0
#endif
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER,
                       left[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                  PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t units;
static long total, ready;
static void busy(long n) {
    for (long i = 0; i < n; i++) {
        pthread_mutex_lock(&m);
        total++;
        pthread_mutex_unlock(&m);
    }
}
static void meal(long k) { /* each takes its own, then the next one's */
    pthread_mutex_t *a = &left[k], *b = &left[(k + 1) % 3], *first = RIGHT && k == 2 ? b : a,
                    *second = RIGHT && k == 2 ? a : b;
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}
static void two_units(void) {
    if (RIGHT)
        pthread_mutex_lock(&left[0]);
    sem_wait(&units);
    sem_wait(&units);
    if (RIGHT)
        pthread_mutex_unlock(&left[0]);
    sem_post(&units);
    sem_post(&units);
}
static void
signals(long k) { /* the one signals; the other looks, and waits in a section of its own */
    pthread_mutex_lock(&m);
    long seen = ready;
    if (k == 0)
        ready = 1, pthread_cond_signal(&c);
    if (!RIGHT) {
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m);
    }
    while (k == 1 && (RIGHT ? !ready : !seen)) {
        pthread_cond_wait(&c, &m);
        seen = 1;
    }
    pthread_mutex_unlock(&m);
}
static void *worker(void *n) {
    long k = (long)n, early = 60 + 250 * (KIND == 2 ? 2 - k : k);
    busy(early);
    if (KIND == 0)
        meal(k);
    if (KIND == 1 && k < 2)
        two_units();
    if (KIND == 2)
        signals(k);
    busy(620 - early);
    return 0;
}
int main(void) {
    pthread_t t[3];
    sem_init(&units, 0, 2);
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
