/* An error-checking mutex refuses: a second lock, an unlock by another thread.
 *
 * EXIT 0
 * T0 init m, acq m, lockerr m=1, tryfail m, fork T1, join T1, rel m, lockerr m=2, destroy m
 * T1 lockerr m=2, exit */
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m;
static int other;

static void *work(void *unused) {
    other = pthread_mutex_unlock(&m);
    return unused;
}

int main(void) {
    pthread_mutexattr_t a;
    pthread_t t;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &a);
    if (pthread_mutex_lock(&m) || pthread_mutex_lock(&m) != EDEADLK)
        return 1;
    if (pthread_mutex_trylock(&m) != EBUSY)
        return 2;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    if (other != EPERM)
        return 3;
    if (pthread_mutex_unlock(&m) || pthread_mutex_unlock(&m) != EPERM)
        return 4;
    return pthread_mutex_destroy(&m);
}
