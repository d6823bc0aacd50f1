/* Trying and timed uses of a read-write lock; a writer that locks again.
 *
 * EXIT 0
 * T0 init a, wracq a, lockerr a=1, fork 1, join 1, rel a, rdacq a=1, rdacq a=1, tryfail a, rel a, rel a, wracq a=1, rel a, rdacq a, fork 2, join 2, rel a, destroy a
 * T1 tryfail a, tryfail a, tryfail a, tryfail a, tryfail a, exit
 * T2 rdacq a=1, rel a, tryfail a, exit */
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
