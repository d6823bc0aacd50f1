/* SPDX-License-Identifier: MIT
 *
 * rt/sync.h: what the wrappers share among themselves (mutex.c rwlock.c spin.c cond.c
 * sem.c barrier.c once.c c11.c futex.c sleep.c io*.c input.c mem.c str.c atomic.c).
 *
 * A rule for all of them: what other threads can notice happens in one piece with an event,
 * with no point between the two ("point, effect, event" or "event, effect"). A turn ends
 * with an event, so an effect after a point and without an event would come a turn
 * later in a replay. Wrappers without an event pass no point before their effect. */
#ifndef AUGUR_RT_SYNC_H
#define AUGUR_RT_SYNC_H

#include "rt/rt.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

/* Program and libraries must bind to it. */
#define RT_EXPORT __attribute__((visibility("default")))
#define RT_ALL (~0u)

/* The kernel's number of this thread, as glibc's locks store it. */
pid_t rt_tid(void);

/* An absolute time of some clock as one of CLOCK_MONOTONIC. 0, or EINVAL (a clock or a
 * nanosecond that libc refuses too). A NULL time gives a NULL deadline. */
int rt_deadline_of(clockid_t clock, const struct timespec *when, struct timespec *store,
                   const struct timespec **deadline);
/* Now plus so much. */
void rt_deadline_in(const struct timespec *span, struct timespec *store);

/* Objects that other processes may use too cannot be left to our own wake-ups: waiters
 * look again every millisecond. */
void rt_poll_wait(const void *key, const struct timespec *deadline, enum rt_wait_kind kind,
                  enum rt_wait_result *result);

/* A table from addresses to small numbers; 0 is "not there". Only under the token. */
void rt_table_start(void); /* so that its memory is the same in every run */
uint64_t rt_table_get(const void *key);
void rt_table_set(const void *key, uint64_t value);

/* mutex.c, for cond.c: logs ACQ; returns what pthread_mutex_lock returned. */
int rt_mutex_retake(pthread_mutex_t *m);
uint8_t rt_mutex_kind(const pthread_mutex_t *m);
int32_t rt_mutex_robust(const pthread_mutex_t *m); /* 1: it is */
bool rt_mutex_mine(const pthread_mutex_t *m);
int rt_mutex_give(pthread_mutex_t *m); /* real unlock and REL, no point, no wake */
/* Called by thread.c when a thread has ended: what it held and is robust is now orphaned. */
void rt_mutex_thread_end(void);

/* notice.c: what the caller did comes before notifications by thread. One event, if the program asked for any. */
void rt_notice_comes(void);

/* io.c: a child was made; it has the ends of all pipes. */
void rt_pipes_shared(void);

/* input.c: the number of a new child as the program is told it (a replay tells the recorded
 * one), and back. Numbers of other processes are themselves. */
pid_t rt_child_told(pid_t real);
pid_t rt_child_real(pid_t told);
pid_t rt_child_of(pid_t real); /* as it was told */

#endif
