/* Trying and timed uses of a read-write lock; a writer that locks again.
 *
 * EXIT 0
 * T0 init l, wracq l, lockerr l=1, fork T1, join T1, rel l, rdacq l=1, rdacq l=1, tryfail l, rel l, rel l, wracq l=1, rel l, rdacq l, fork T2, join T2, rel l, destroy l
 * T1 tryfail l=1, tryfail l, tryfail l=1, tryfail l, tryfail l, exit
 * T2 rdacq l=1, rel l, tryfail l, exit */
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t l;
static int bad;

static struct timespec soon(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += 5000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void *work(void *unused) {
    struct timespec t = soon(CLOCK_REALTIME), u = soon(CLOCK_MONOTONIC);
    bad |= pthread_rwlock_tryrdlock(&l) != EBUSY;
    bad |= pthread_rwlock_trywrlock(&l) != EBUSY;
    bad |= pthread_rwlock_timedrdlock(&l, &t) != ETIMEDOUT;
    bad |= pthread_rwlock_timedwrlock(&l, &t) != ETIMEDOUT;
    bad |= pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &u) != ETIMEDOUT;
    return unused;
}

static void *reads(void *unused) {
    struct timespec t = soon(CLOCK_REALTIME);
    bad |= pthread_rwlock_tryrdlock(&l);
    pthread_rwlock_unlock(&l);
    bad |= pthread_rwlock_timedwrlock(&l, &t) != ETIMEDOUT;
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_rwlock_init(&l, NULL);
    pthread_rwlock_wrlock(&l);
    bad |= pthread_rwlock_rdlock(&l) != EDEADLK;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_rwlock_unlock(&l);
    struct timespec r = soon(CLOCK_REALTIME), m = soon(CLOCK_MONOTONIC);
    bad |= pthread_rwlock_timedrdlock(&l, &r);
    bad |= pthread_rwlock_clockrdlock(&l, CLOCK_MONOTONIC, &m);
    bad |= pthread_rwlock_trywrlock(&l) != EBUSY;
    pthread_rwlock_unlock(&l);
    pthread_rwlock_unlock(&l);
    bad |= pthread_rwlock_trywrlock(&l);
    pthread_rwlock_unlock(&l);
    pthread_rwlock_rdlock(&l);
    pthread_create(&t, NULL, reads, NULL);
    pthread_join(t, NULL);
    pthread_rwlock_unlock(&l);
    return bad || pthread_rwlock_destroy(&l);
}
