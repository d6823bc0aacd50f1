/* Trying and timed locking, in vain and with success.
 *
 * EXIT 0
 * T0 acq m, fork T1, join T1, rel m, acq m=1, rel m, acq m=1, rel m, acq m=1, rel m
 * T1 tryfail m, tryfail m, tryfail m, tryfail m, exit */
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int bad;

static struct timespec in_ms(clockid_t clock, long ms) {
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += ms * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void *work(void *unused) {
    struct timespec real = in_ms(CLOCK_REALTIME, 5), mono = in_ms(CLOCK_MONOTONIC, 5);
    struct timespec wrong = {0, 1000000000}, past = {1, 0};
    bad |= pthread_mutex_trylock(&m) != EBUSY;
    bad |= pthread_mutex_timedlock(&m, &real) != ETIMEDOUT;
    bad |= (pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &mono) != ETIMEDOUT) << 1;
    bad |= (pthread_mutex_timedlock(&m, &past) != ETIMEDOUT) << 2;
    (void)wrong;
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_mutex_unlock(&m);
    struct timespec real = in_ms(CLOCK_REALTIME, 1000), mono = in_ms(CLOCK_MONOTONIC, 1000);
    bad |= pthread_mutex_trylock(&m);
    pthread_mutex_unlock(&m);
    bad |= pthread_mutex_timedlock(&m, &real);
    pthread_mutex_unlock(&m);
    bad |= pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &mono);
    pthread_mutex_unlock(&m);
    return bad;
}
