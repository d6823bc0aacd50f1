/* SPDX-License-Identifier: MIT
 *
 * rt/input.c: clocks, numbers of processes and random bytes: logged as INPUT, fed in a
 * replay. One event each (what was filled, or a range of length 0), so that an INPUT never
 * stands alone in a turn. */
#include "rt/io.h"
#include "rt/signal.h"
#include "rt/times.h"

#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* ---- clocks ---- */

/* The reading that another schedule gives; logged as it is given. */
static int64_t give(struct rt_call *c, clockid_t clock, int64_t fed) {
    c->fed = 0;
    c->result = 0;
    return rt_times_give(clock, fed >= 0, fed);
}

/* The recorded reading in nanoseconds, of a call that fills 'size' bytes (0: that returns it) in units
 * of 1/'unit' seconds; -1: there is none. */
static int64_t recorded(struct rt_call *c, size_t size, int64_t unit) {
    union {
        struct timespec spec;
        struct timeval val;
    } t;
    uint8_t kind = AU_INPUT_CLOCK;
    size_t n = 0;
    rt_call_ask_cancel(c);
    rt_point();
    if (!rt_input_take(&kind, &c->result, &t, sizeof t, &n) || n != size || c->result < 0)
        return -1;
    if (!size)
        return c->result > INT64_MAX / RT_SECOND * unit ? -1 : c->result * (RT_SECOND / unit);
    return (int64_t)t.spec.tv_sec * RT_SECOND + t.spec.tv_nsec * (RT_SECOND / unit);
}

RT_EXPORT int clock_gettime(clockid_t clock, struct timespec *t) {
    if (!rt_enter())
        return rt_real.clock_gettime(clock, t);
    RT_CALL(c);
    size_t n = 0;
    rt_point();
    if (rt_living() && rt_real.clock_gettime(clock, t) == 0) {
        int64_t ns = give(&c, clock, recorded(&c, sizeof *t, RT_SECOND));
        *t = (struct timespec){ns / RT_SECOND, ns % RT_SECOND};
    } else if (!rt_call_feed(&c, AU_INPUT_CLOCK, t, sizeof *t, &n)) {
        rt_call_back(&c, rt_real.clock_gettime(clock, t));
    }
    n = c.result == 0 ? sizeof *t : 0;
    rt_call_log(&c, AU_INPUT_CLOCK, t, n);
    return (int)rt_call_end(&c, AU_SOP_RWRITE, t, n);
}

RT_EXPORT int timespec_get(struct timespec *t, int base) {
    if (base != TIME_UTC)
        return rt_real.timespec_get(t, base);
    return clock_gettime(CLOCK_REALTIME, t) == 0 ? base : 0;
}

RT_EXPORT int gettimeofday(struct timeval *restrict t, void *restrict zone) {
    if (!rt_enter())
        return rt_real.gettimeofday(t, zone);
    RT_CALL(c);
    size_t n = 0;
    rt_point();
    if (rt_living()) {
        int64_t ns = give(&c, CLOCK_REALTIME, recorded(&c, sizeof *t, 1000000));
        *t = (struct timeval){ns / RT_SECOND, ns % RT_SECOND / 1000};
    } else if (!rt_call_feed(&c, AU_INPUT_CLOCK, t, sizeof *t, &n)) {
        rt_call_back(&c, rt_real.gettimeofday(t, zone));
    }
    rt_call_log(&c, AU_INPUT_CLOCK, t, sizeof *t);
    return (int)rt_call_end(&c, AU_SOP_RWRITE, t, sizeof *t);
}

static int64_t number(uint8_t kind, int64_t (*ask)(uint32_t), uint32_t argument) {
    RT_CALL(c);
    size_t n;
    rt_point();
    if (!rt_call_feed(&c, kind, NULL, 0, &n))
        rt_call_back(&c, ask(argument));
    rt_call_log(&c, kind, NULL, 0);
    return rt_call_end(&c, AU_SOP_RWRITE, NULL, 0);
}

static int64_t ask_time(uint32_t none) {
    (void)none;
    return rt_real.time(NULL);
}
static int64_t ask_clock(uint32_t none) {
    (void)none;
    return rt_real.clock();
}

/* A clock whose reading is the result, in units of 1/'unit' seconds. */
static int64_t counted(clockid_t clock, int64_t unit, int64_t (*ask)(uint32_t)) {
    if (!rt_living())
        return number(AU_INPUT_CLOCK, ask, 0);
    RT_CALL(c);
    rt_point();
    c.result = give(&c, clock, recorded(&c, 0, unit)) / (RT_SECOND / unit);
    rt_call_log(&c, AU_INPUT_CLOCK, NULL, 0);
    return rt_call_end(&c, AU_SOP_RWRITE, NULL, 0);
}

RT_EXPORT time_t time(time_t *t) {
    if (!rt_enter())
        return rt_real.time(t);
    time_t now = (time_t)counted(CLOCK_REALTIME, 1, ask_time);
    if (t)
        *t = now;
    return now;
}
RT_EXPORT clock_t clock(void) {
    return rt_enter() ? (clock_t)counted(CLOCK_PROCESS_CPUTIME_ID, CLOCKS_PER_SEC, ask_clock)
                      : rt_real.clock();
}

/* ---- processes ---- */

static int64_t ask_pid(uint32_t none) {
    (void)none;
    return rt_real.getpid();
}
static int64_t ask_ppid(uint32_t none) {
    (void)none;
    return rt_real.getppid();
}
static int64_t ask_tid(uint32_t none) {
    (void)none;
    return rt_tid();
}

/* A replay tells the recorded numbers; the kernel must still hear the real ones (ids.c). Processes and
 * threads by the number that was told; far below any object of the program. */
static const void *child(pid_t told) {
    return (const void *)(uintptr_t)(uint32_t)told;
}

static const void *by_real(pid_t real) {
    return (const void *)(uintptr_t)((uint64_t)1 << 33 | (uint32_t)real);
}

pid_t rt_child_told(pid_t real) {
    int64_t told = real;
    size_t n;
    if (!rt_input_replay(AU_INPUT_ID, &told, NULL, 0, &n))
        rt_input(AU_INPUT_ID, real, NULL, 0);
    if (told != real) {
        rt_table_set(child((pid_t)told), (uint64_t)real);
        rt_table_set(by_real(real), (uint64_t)told);
    }
    rt_tell(AU_SOP_RWRITE, NULL, 0);
    return (pid_t)told;
}

pid_t rt_child_real(pid_t told) {
    if (told <= 0)
        return told;
    uint64_t real = rt_replaying() ? rt_table_get(child(told)) : 0;
    return real ? (pid_t)real : told;
}

pid_t rt_child_of(pid_t real) {
    uint64_t told = rt_table_get(by_real(real));
    return told ? (pid_t)told : real;
}

/* This process, or this thread. */
static pid_t named(int64_t (*ask)(uint32_t)) {
    pid_t told = (pid_t)number(AU_INPUT_ID, ask, 0), real = (pid_t)ask(0);
    if (told > 0 && told != real && rt_replaying())
        rt_table_set(child(told), (uint64_t)real);
    return told;
}

RT_EXPORT pid_t getpid(void) {
    if (!rt_enter())
        return rt_real.getpid();
    return named(ask_pid);
}
RT_EXPORT pid_t getppid(void) {
    return rt_enter() ? (pid_t)number(AU_INPUT_ID, ask_ppid, 0) : rt_real.getppid();
}
RT_EXPORT pid_t gettid(void) {
    return rt_enter() ? named(ask_tid) : rt_real.gettid();
}
/* Another schedule: without the kernel, which would choose by its own. */
static int sent(struct rt_thread *to, int sig) {
    if (!rt_living() || !rt_enter())
        return 0;
    return rt_leave(rt_signal_send(to, sig));
}
RT_EXPORT int kill(pid_t pid, int sig) {
    pid_t real = rt_child_real(pid);
    return real == rt_process() && sent(NULL, sig) ? 0 : rt_real.kill(real, sig);
}
RT_EXPORT int pthread_kill(pthread_t thread, int sig) {
    struct rt_thread *t = rt_living() ? rt_thread_find(thread) : NULL;
    return t && sent(t, sig) ? 0 : rt_real.pthread_kill(thread, sig);
}

/* ---- random bytes ---- */

RT_EXPORT ssize_t getrandom(void *p, size_t n, unsigned flags) {
    if (!rt_enter())
        return rt_real.getrandom(p, n, flags);
    RT_CALL(c);
    size_t got = 0;
    rt_point();
    if (!rt_call_feed(&c, AU_INPUT_BYTES, p, n, &got)) {
        rt_call_back(&c, rt_real.getrandom(p, n, flags));
        got = c.result > 0 ? (size_t)c.result : 0;
    }
    rt_call_log(&c, AU_INPUT_BYTES, p, got);
    return (ssize_t)rt_call_end(&c, AU_SOP_RWRITE, p, got);
}

RT_EXPORT int getentropy(void *p, size_t n) {
    if (!rt_enter())
        return rt_real.getentropy(p, n);
    RT_CALL(c);
    size_t got = 0;
    rt_point();
    if (!rt_call_feed(&c, AU_INPUT_BYTES, p, n, &got))
        rt_call_back(&c, rt_real.getentropy(p, n));
    got = c.result == 0 ? n : 0;
    rt_call_log(&c, AU_INPUT_BYTES, p, got);
    return (int)rt_call_end(&c, AU_SOP_RWRITE, p, got);
}

static int64_t ask_random(uint32_t none) {
    (void)none;
    return rt_real.arc4random();
}
static int64_t ask_uniform(uint32_t most) {
    return rt_real.arc4random_uniform(most);
}

RT_EXPORT uint32_t arc4random(void) {
    return rt_enter() ? (uint32_t)number(AU_INPUT_VALUE, ask_random, 0) : rt_real.arc4random();
}
RT_EXPORT uint32_t arc4random_uniform(uint32_t most) {
    return rt_enter() ? (uint32_t)number(AU_INPUT_VALUE, ask_uniform, most)
                      : rt_real.arc4random_uniform(most);
}
RT_EXPORT void arc4random_buf(void *p, size_t n) {
    if (!rt_enter()) {
        rt_real.arc4random_buf(p, n);
        return;
    }
    RT_CALL(c);
    size_t got = 0;
    rt_point();
    if (!rt_call_feed(&c, AU_INPUT_BYTES, p, n, &got))
        rt_real.arc4random_buf(p, n);
    rt_call_log(&c, AU_INPUT_BYTES, p, n);
    rt_call_end(&c, AU_SOP_RWRITE, p, n);
}
