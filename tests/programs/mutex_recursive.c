/* A recursive mutex is taken three times by one thread.
 *
 * EXIT 0
 * T0 init m, fork T1, fork T2, join T1, join T2, destroy m
 * T1 (acq m, acq m, acq m=1, rel m, rel m, rel m, ){3}exit
 * T2 (acq m, acq m, acq m=1, rel m, rel m, rel m, ){3}exit */
#include <pthread.h>

static pthread_mutex_t m;
static int depth, worst;

static void *work(void *unused) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        depth++;
        pthread_mutex_lock(&m);
        depth++;
        if (pthread_mutex_trylock(&m))
            worst = 100;
        if (depth > 2)
            worst = depth;
        pthread_mutex_unlock(&m);
        depth--;
        pthread_mutex_unlock(&m);
        depth--;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

int main(void) {
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &a);
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return worst || pthread_mutex_destroy(&m);
}
