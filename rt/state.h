/* SPDX-License-Identifier: MIT
 *
 * rt/state.h: what the C library keeps for itself and lets a program notice: the environment, the seed of
 * rand, where a stream stands (wire/libc.h: au_libc_state). Each is told as one word that is read, or changed,
 * by an atomic access: the library has locks of its own there, or the call is a race in its other memory. Who
 * follows a run sees that a result depends on it. Between enter and leave; no point is passed. */
#ifndef AUGUR_RT_STATE_H
#define AUGUR_RT_STATE_H

#include "rt/mem.h"
#include "wire/libc.h"

void rt_state(au_libc_state which, bool changes);
/* The state that belongs to an object of the library: a FILE, a DIR. */
void rt_state_of(const void *object, bool changes);
/* Changed by functions that take no lock: plain accesses, of an object's first word besides. */
void rt_state_bare(au_libc_state which);
void rt_state_bare_of(const void *object);

#endif
