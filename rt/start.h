/* SPDX-License-Identifier: MIT
 *
 * rt/start.h: what start.c calls in the other files, once. */
#ifndef AUGUR_RT_START_H
#define AUGUR_RT_START_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The process of a test suite that is to be recorded: does not return then (suite.c). */
void rt_suite_start(int argc, char **argv, char **envp);
/* Which child is recorded, and which test of cmocka is executed, if the environment says so (process.c, suite.c). */
void rt_process_start(char **envp);
void rt_cmocka_start(char **envp);
/* The value of a variable; NULL: there is none. */
const char *rt_value_of(char **envp, const char *name);
void rt_module_start(void);
int rt_module_loaded_more(void); /* since the start: plugins, with hooks or without */
void rt_thread_start(void);
void rt_signal_start(void);
void rt_watch_start(void);
/* After a fork: nothing of the child is recorded. */
void rt_in_child(void);
/* Is this address part of the shadow as it was reserved at start? */
int rt_is_shadow(uint64_t address);

#pragma GCC visibility pop
#endif
