/* SPDX-License-Identifier: MIT
 *
 * rt/times.c: see times.h. */
#include "rt/times.h"
#include "rt/live.h"

/* Clocks that say the same at different resolutions are one. */
enum { REAL, MONO, RAW, BOOT, TAI, CPU, CLOCKS };
static int64_t last[CLOCKS];  /* the latest reading that was given */
static int64_t shift[CLOCKS]; /* the real clock minus the program's */
static uint8_t known[CLOCKS]; /* last and shift mean something */
static int64_t began;         /* by the real clock; files' times are cut to ticks */

static int line_of(clockid_t clock) {
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
        return REAL;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
        return MONO;
    case CLOCK_MONOTONIC_RAW:
        return RAW;
    case CLOCK_BOOTTIME:
        return BOOT;
    case CLOCK_TAI:
        return TAI;
    case CLOCK_PROCESS_CPUTIME_ID:
        return CPU;
    default:
        return -1; /* of one thread, which gets its own readings in its own order */
    }
}

static int64_t real_now(clockid_t clock) {
    struct timespec t = {0, 0};
    rt_real.clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * RT_SECOND + t.tv_nsec;
}

void rt_times_start(void) {
    began = real_now(CLOCK_REALTIME_COARSE) - 10000000;
}

int64_t rt_times_now(clockid_t clock) {
    int k = line_of(clock);
    int64_t now = real_now(clock);
    if (k < 0 || !known[k])
        return now;
    now -= shift[k];
    return now > last[k] ? now : last[k];
}

int64_t rt_times_give(clockid_t clock, int fed, int64_t told) {
    int k = line_of(clock);
    if (k < 0)
        return fed ? told : real_now(clock);
    if (!fed)
        told = rt_times_now(clock);
    else if (known[k] && told <= last[k])
        told = last[k] + 1; /* time has passed since */
    last[k] = told;
    if (fed)
        shift[k] = real_now(clock) - told;
    else if (!known[k])
        shift[k] = 0;
    known[k] = 1;
    return told;
}

void rt_times_reach(clockid_t clock, int64_t at) {
    int k = line_of(clock);
    int64_t by = k < 0 || !known[k] ? 0 : at - last[k];
    for (k = REAL; k <= MONO && by > 0; k++)
        if (known[k])
            last[k] += by;
}

void rt_times_shift(struct timespec *t) {
    if (!known[REAL])
        return;
    int64_t at = (int64_t)t->tv_sec * RT_SECOND + t->tv_nsec;
    if (at < began)
        return; /* nothing was written since the program began */
    at -= shift[REAL];
    if (at > last[REAL])
        at = last[REAL];
    t->tv_sec = at / RT_SECOND;
    t->tv_nsec = at % RT_SECOND;
}

void rt_times_until(clockid_t clock, const struct timespec *when) {
    struct rt_thread *t = rt_self;
    if (!rt_living() || !t)
        return;
    int64_t ns = when->tv_sec > INT64_MAX / RT_SECOND / 2
                     ? INT64_MAX / 2
                     : (int64_t)when->tv_sec * RT_SECOND + when->tv_nsec;
    t->due[0] = t->due[1] = 0;
    if (clock == CLOCK_REALTIME)
        t->due[0] = ns;
    else if (clock == CLOCK_MONOTONIC)
        t->due[1] = ns;
    else
        for (int k = REAL; k <= MONO; k++)
            t->due[k] = known[k] ? last[k] + ns : 0;
}

void rt_times_over(struct rt_thread *t) {
    for (int k = REAL; k <= MONO; k++) {
        if (known[k] && t->due[k] > last[k])
            last[k] = t->due[k];
        t->due[k] = 0;
    }
}
