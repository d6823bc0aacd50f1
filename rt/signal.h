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
/* Replay: the signal that t got after 'events' events, taken; 0: none (feed.c). */
int rt_signal_due(struct rt_thread *t, uint64_t events);
/* Events after which t gets its next signal; UINT64_MAX: none. */
uint64_t rt_signal_next(struct rt_thread *t);

#pragma GCC visibility pop
#endif
