/* SPDX-License-Identifier: MIT
 *
 * rt/sleep.c: sleeping is waiting for a deadline in the scheduler: others run meanwhile,
 * and in a replay the sleeper goes on as soon as the schedule says so. No events of
 * their own. A sleep that a signal ended (RT_SPURIOUS) returns early with EINTR. */
#include "rt/mem.h"
#include "rt/omp.h"
#include "rt/sched.h"
#include "rt/sync.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

static void left_of(const struct timespec *deadline, struct timespec *left) {
    struct timespec now;
    rt_real.clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t s = deadline->tv_sec - now.tv_sec, ns = deadline->tv_nsec - now.tv_nsec;
    if (ns < 0) {
        ns += 1000000000;
        s--;
    }
    left->tv_sec = s < 0 ? 0 : (time_t)s;
    left->tv_nsec = s < 0 ? 0 : (long)ns;
}

/* 0 or EINTR with what was left. */
static int sleep_until(const struct timespec *deadline, struct timespec *left) {
    /* a key of its own: nobody can wake it */
    if (!rt_self->interrupted)
        rt_wait(rt_self, deadline, RT_WAIT_SLEEP);
    if (!rt_self->interrupted)
        return 0; /* or cancelled: the caller asks, from the same frame as before the wait */
    /* what was left comes from a clock: input */
    struct timespec rest;
    int64_t none;
    size_t n;
    if (!rt_input_replay(AU_INPUT_CLOCK, &none, &rest, sizeof rest, &n)) {
        left_of(deadline, &rest);
        rt_input(AU_INPUT_CLOCK, 0, &rest, sizeof rest);
    }
    if (left)
        *left = rest;
    rt_tell(AU_SOP_RWRITE, left, left ? sizeof *left : 0);
    return EINTR;
}

static int sleep_for(const struct timespec *span, struct timespec *left) {
    if (span->tv_sec < 0 || span->tv_nsec < 0 || span->tv_nsec >= 1000000000)
        return EINVAL;
    struct timespec deadline;
    rt_deadline_in(span, &deadline);
    return sleep_until(&deadline, left);
}

RT_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *when,
                              struct timespec *left) {
    if ((clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME) ||
        !rt_enter())
        return rt_real.clock_nanosleep(clock, flags, when, left);
    int e;
    rt_self->interrupted = 0;
    rt_point();
    rt_cancel_point();
    if (flags & TIMER_ABSTIME) {
        struct timespec store;
        const struct timespec *deadline;
        e = rt_deadline_of(clock == CLOCK_BOOTTIME ? CLOCK_MONOTONIC : clock, when, &store,
                           &deadline);
        if (!e)
            e = sleep_until(deadline, NULL);
    } else {
        e = sleep_for(when, left);
    }
    rt_cancel_point();
    return rt_leave(e);
}

/* The rest of a wrapper that sleeps and answers in errno. */
static int slept(const struct timespec *span, struct timespec *left) {
    rt_self->interrupted = 0;
    rt_point();
    rt_cancel_point();
    int e = sleep_for(span, left);
    rt_cancel_point();
    rt_leave(0);
    if (!e)
        return 0;
    errno = e;
    return -1;
}

RT_EXPORT int nanosleep(const struct timespec *span, struct timespec *left) {
    if (!rt_enter())
        return rt_real.nanosleep(span, left);
    return slept(span, left);
}

RT_EXPORT int usleep(useconds_t us) {
    if (!rt_enter())
        return rt_real.usleep(us);
    struct timespec span = {us / 1000000, (long)(us % 1000000) * 1000};
    return slept(&span, NULL);
}

RT_EXPORT unsigned sleep(unsigned seconds) {
    if (!rt_enter())
        return rt_real.sleep(seconds);
    struct timespec span = {seconds, 0}, left = {0, 0};
    rt_self->interrupted = 0;
    rt_point();
    rt_cancel_point();
    int e = sleep_for(&span, &left);
    rt_cancel_point();
    rt_leave(0);
    return e ? (unsigned)left.tv_sec + (left.tv_nsec >= 500000000) : 0;
}

RT_EXPORT int sched_yield(void) {
    if (!rt_enter())
        return rt_omp_size ? rt_omp_yield() : rt_real.sched_yield();
    rt_yield();
    return rt_leave(0);
}
