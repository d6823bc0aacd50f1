/* Unlocking a read-write lock that another thread holds, or nobody; destroying it while
 * it is held. Only under the runtime: libc breaks the lock.
 *
 * ONLY recorded
 * EXIT 0
 * T0 wracq l, fork T1, join T1, rel l, lockerr l=2, rdacq l, lockerr l=4
 * T1 lockerr l=2, exit */
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int other;

static void *work(void *unused) {
    other = pthread_rwlock_unlock(&l);
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_rwlock_wrlock(&l);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_rwlock_unlock(&l);
    if (other != EPERM || pthread_rwlock_unlock(&l) != EPERM)
        return 1;
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_destroy(&l);
    return 0;
}
