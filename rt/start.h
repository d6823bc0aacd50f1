/* SPDX-License-Identifier: MIT
 *
 * rt/start.h: what start.c calls in the other files, once. */
#ifndef AUGUR_RT_START_H
#define AUGUR_RT_START_H

#pragma GCC visibility push(hidden)

void rt_module_start(void);
void rt_thread_start(void);
void rt_signal_start(void);
void rt_watch_start(void);

#pragma GCC visibility pop
#endif
