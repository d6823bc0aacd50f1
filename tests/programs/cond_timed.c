/* Waits that time out, by both clocks, and one that is signalled in time.
 *
 * EXIT 0
 * T0 init mono, acq m, rel m, wait mono=1, wake mono=1, acq m, rel m, wait c=1, wake c=1, acq m, rel m, wait c=1, wake c=1, acq m, fork T1, (rel m, wait mono=1, wake mono, acq m, )?rel m, join T1, destroy mono
 * T1 acq m, signal mono, rel m, exit */
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, mono;
static int go;

static struct timespec in_ms(clockid_t clock, long ms) {
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += ms % 1000 * 1000000;
    t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void *work(void *unused) {
    pthread_mutex_lock(&m);
    go = 1;
    pthread_cond_signal(&mono);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void) {
    pthread_condattr_t a;
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(&mono, &a);
    struct timespec t = in_ms(CLOCK_MONOTONIC, 5);
    pthread_mutex_lock(&m);
    if (pthread_cond_timedwait(&mono, &m, &t) != ETIMEDOUT)
        return 1;
    t = in_ms(CLOCK_REALTIME, 5);
    if (pthread_cond_timedwait(&c, &m, &t) != ETIMEDOUT)
        return 2;
    t = in_ms(CLOCK_MONOTONIC, 5);
    if (pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &t) != ETIMEDOUT)
        return 3;
    t.tv_nsec = 1000000000;
    if (pthread_cond_timedwait(&c, &m, &t) != EINVAL)
        return 4;
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    t = in_ms(CLOCK_MONOTONIC, 3600000);
    int e = 0;
    while (!go && !e)
        e = pthread_cond_timedwait(&mono, &m, &t);
    pthread_mutex_unlock(&m);
    pthread_join(other, NULL);
    return e ? 5 : pthread_cond_destroy(&mono);
}
