/* A recursive mutex is taken three times by one thread.
 *
 * EXIT 0
 * T0 init a, fork 1, fork 2, join 1, join 2, destroy a
 * T1 (acq a, acq a, acq a=1, rel a, rel a, rel a){3}, exit
 * T2 (acq a, acq a, acq a=1, rel a, rel a, rel a){3}, exit */
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
