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
/* The budget is used up: what the turn goes on with, 0 if it ends. */
int64_t rt_policy_more(void);
/* A waiter was woken, and waits again for the same thing. */
void rt_policy_in_vain(void);
/* What the wait of t returns, when it gets the token without having been woken. */
uint8_t rt_policy_wait_result(struct rt_thread *t);
void rt_policy_yield(struct rt_thread *t);
/* Holder, without the lock: does the policy want a switch at this synchronisation call? The
 * first tosses the coin, the second tells how it fell. */
int rt_policy_coin(void);
int rt_policy_point(void);
/* Still inside the given schedule. */
int rt_replaying_turns(void);

/* The holder is about to end the program (end.c): others that can run have their turns before it. */
extern uint32_t rt_main_runs; /* main is called and has not returned */
void rt_last_turns(void);
int rt_ends_program(const void *function);
/* Shorter turns from here on, or as before. */
void rt_policy_last(int on);

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
/* The site that is expected after s, if it is of the same module; NULL otherwise (module.c). */
const struct au_site *rt_site_after(const struct au_site *s);
/* The site of the next event inside the call that t executes (module.c). */
struct au_site *rt_call_site(struct rt_thread *t);

#pragma GCC visibility pop
#endif
