/* SPDX-License-Identifier: MIT
 *
 * rt/policy.h: who runs next and how long (policy.c): the recording policies and the
 * schedule of a replay. All called under the scheduler's lock unless said. */
#ifndef AUGUR_RT_POLICY_H
#define AUGUR_RT_POLICY_H

#include "rt/sched.h"

#pragma GCC visibility push(hidden)

void rt_policy_start(void);
/* After 'from' gave the token up (it may be in the ready list itself). May return a thread
 * that is away (RT_DETACHED): the token waits for it. NULL: nobody can run. */
struct rt_thread *rt_policy_pick(struct rt_thread *from);
/* Events t may execute in the turn that begins. */
int64_t rt_policy_budget(struct rt_thread *t);
/* What the wait of t returns, when it gets the token without having been woken. */
uint8_t rt_policy_wait_result(struct rt_thread *t);
void rt_policy_yield(struct rt_thread *t);
/* Holder, without the lock: does the policy want a switch at this synchronisation call? The
 * first tosses the coin, the second tells how it fell. */
int rt_policy_coin(void);
int rt_policy_point(void);
/* Still inside the given schedule. */
int rt_replaying_turns(void);

/* The ready list, in the order in which threads became ready (sched.c). */
struct rt_thread *rt_ready_first(void);
unsigned rt_ready_count(void);
unsigned rt_detached_count(void);

/* The turn of 'from' ended because its budget was used up. */
int rt_turn_spent(const struct rt_thread *from);
/* AU_AFTER_STOP: waits until the tool lets the program go on. */
void rt_stop(void);
/* Nobody can ever run again. */
_Noreturn void rt_deadlock(void);
_Noreturn void rt_diverged(const char *text);
_Noreturn void rt_diverged_wait(struct rt_thread *t);
_Noreturn void rt_diverged_away(struct rt_thread *t);
void rt_diverged_spin(struct rt_thread *t);
/* The site of the next event inside the call that t executes (start.c). */
struct au_site *rt_call_site(struct rt_thread *t);

#pragma GCC visibility pop
#endif
