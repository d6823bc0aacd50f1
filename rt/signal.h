/* SPDX-License-Identifier: MIT
 *
 * rt/signal.h: signals, for the scheduler and the hooks. */
#ifndef AUGUR_RT_SIGNAL_H
#define AUGUR_RT_SIGNAL_H

#include "rt/sched.h"

#pragma GCC visibility push(hidden)

extern uint32_t rt_kick;
/* The holder keeps that much of its budget, so that the hook after that asks; t->cut is the
 * rest. */
void rt_cut_budget(int64_t keep);
#define RT_REMINDER 61
/* The holder, outside of wrappers: runs the handlers that are due. */
void rt_deliver(void);
/* Has the program a handler that a signal from outside could run? */
int rt_signal_possible(void);
/* Replay: the signal that t got after 'events' events, taken; 0: none (feed.c). *flags: AU_INPUT_INSIDE
 * if the process had sent it to itself. */
int rt_signal_due(struct rt_thread *t, uint64_t events, uint8_t *flags);
/* Another schedule: the events before the next of its own signals that t got in the recording, if that
 * was sig; UINT64_MAX: none. */
uint64_t rt_signal_then(const struct rt_thread *t, int sig);
/* Another schedule: signals that are pending and to be delivered here. One that another thread sent may
 * take its time: it waits for the place where the recorded one struck. */
uint64_t rt_signal_ready(const struct rt_thread *t);
/* Another schedule: this process sends itself a signal; to this thread, or (NULL) to one that does not
 * block it. 0: the kernel has to do it. */
int rt_signal_send(struct rt_thread *to, int sig);
/* What the kernel keeps of a signal that a replay delivers by itself. */
void rt_signal_drop(int sig);
/* Did this process send the signals that are pending? */
int rt_signal_own(const struct rt_thread *t);
/* Events after which t gets its next signal; UINT64_MAX: none. */
uint64_t rt_signal_next(struct rt_thread *t);

#pragma GCC visibility pop
#endif
