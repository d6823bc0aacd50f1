/* SPDX-License-Identifier: MIT
 *
 * rt/made.h: names of files that the program makes. The tool removes what another execution than the first has made, and
 * puts aside what the recorded run made while one goes on (record/world.h): each finds the files that the recorded
 * run found. */
#ifndef AUGUR_RT_MADE_H
#define AUGUR_RT_MADE_H

#include "rt/rt.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Is there nothing of this name? Ask before the call that may make it; errno stays. */
bool rt_made_none(int dir, const char *path);
/* After that call, if there was nothing before: tells the name if there is something now. may_log: the caller has
 * entered. */
void rt_made(int dir, const char *path, bool may_log);

/* Where glibc keeps memory and semaphores of this name: below /dev/shm, behind 'before'. False: it does not fit. */
#define RT_MADE_SHARED 300
bool rt_made_shared(char to[RT_MADE_SHARED], const char *before, const char *name);

#pragma GCC visibility pop
#endif
