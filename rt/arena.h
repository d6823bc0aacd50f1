/* SPDX-License-Identifier: MIT
 *
 * rt/arena.h: what the rest of the runtime asks of the allocator. */
#ifndef AUGUR_RT_ARENA_H
#define AUGUR_RT_ARENA_H

#include "rt/sched.h"

#pragma GCC visibility push(hidden)

/* Frees what t freed while it did not hold the token. The caller holds it. */
void rt_arena_settle(struct rt_thread *t);
/* Around fork: the child must not inherit a locked arena. */
void rt_arena_lock(void);
void rt_arena_unlock(void);

#pragma GCC visibility pop
#endif
