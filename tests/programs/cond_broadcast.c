/* A gate that opens for all, and a wait without the lock.
 *
 * EXIT 0
 * T0 fork T1, fork T2, fork T3, acq m, broadcast c, rel m, join T1, join T2, join T3
 * T1 acq m, (rel m, wait c, wake c, acq m, )*rel m, exit
 * T2 acq m, (rel m, wait c, wake c, acq m, )*rel m, exit
 * T3 acq m, (rel m, wait c, wake c, acq m, )*rel m, exit */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int open, through;

static void *work(void *unused) {
    pthread_mutex_lock(&m);
    while (!open)
        pthread_cond_wait(&c, &m);
    through++;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    pthread_mutex_lock(&m);
    open = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return through != 3;
}
