/* SPDX-License-Identifier: MIT
 *
 * rt/times.h: clocks while another schedule than the recorded one is executed. A reading is the
 * thread's next recorded one, or later: no reading of a clock is earlier than one that was given
 * before, whoever asked, and after a sleep or a timeout at least that time has passed. Readings
 * beyond the recording go on from the last ones at the speed of the real clock. */
#ifndef AUGUR_RT_TIMES_H
#define AUGUR_RT_TIMES_H

#include "rt/sched.h"

#pragma GCC visibility push(hidden)

#define RT_SECOND INT64_C(1000000000)

void rt_times_start(void);
/* What is given, in nanoseconds. 'told': the recorded reading; 0 if fed is 0, then it follows from the
 * real clock. */
int64_t rt_times_give(clockid_t clock, int fed, int64_t told);
/* What the clock would say now; nothing is given. */
int64_t rt_times_now(clockid_t clock);
/* So late is it by now. */
void rt_times_reach(clockid_t clock, int64_t at);
/* A time that the kernel wrote down (of a file), as the program's clock would have had it. */
void rt_times_shift(struct timespec *t);

/* The thread begins to wait until 'when' of this clock; or for so long, clock -1. If the wait ends
 * because its time is over (rt_times_over), no reading is earlier than that. */
void rt_times_until(clockid_t clock, const struct timespec *when);
void rt_times_over(struct rt_thread *t);

#pragma GCC visibility pop
#endif
