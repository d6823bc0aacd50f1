/* Wrong uses of a normal mutex that libc lets pass: unlocked by another thread, destroyed
 * while held.
 *
 * EXIT 0
 * T0 acq m, fork T1, join T1, init n, acq n, lockerr n=4
 * T1 lockerr m=2, exit */
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n;

static void *work(void *unused) {
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_mutex_init(&n, NULL);
    pthread_mutex_lock(&n);
    return pthread_mutex_destroy(&n) != EBUSY;
}
