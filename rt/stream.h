/* SPDX-License-Identifier: MIT
 *
 * rt/stream.h: writing records (stream.c). Only the holder of the token writes. */
#ifndef AUGUR_RT_STREAM_H
#define AUGUR_RT_STREAM_H

#include "rt/bytes.h"
#include "rt/sched.h"

#pragma GCC visibility push(hidden)

/* Sites that belong to no module: numbers below RT_FIRST_SITE. */
#define RT_FIRST_SITE 16u
/* A call's own events (malloc, lock …) have predictors of their own: the n sites of a
 * module take RT_SITE_KINDS * n numbers, first + k * n + i stands for the same place as
 * first + i; k is 0 for the site itself, else the number of the event inside the call. */
#define RT_SITE_KINDS 4u

static inline uint64_t rt_shadow(const void *p) {
    return (uint64_t)(uintptr_t)p ^ RT_SHADOW_XOR;
}

void rt_stream_start(void);
/* One event of the holder; flushes nothing that is expected. data: 'len' bytes, told with
 * it (at most RT_DATA_MAX). Counts it against the budget. */
#define RT_DATA_MAX 32768u
void rt_log(struct au_site *s, uint8_t op, uint8_t size, uint64_t address, uint64_t value,
            uint32_t len, const void *data);
/* Tells memory that changed behind the hooks: brings the shadow of [p, p+n) up to date. */
void rt_patch(const void *p, size_t n);
/* A digest of the order of turns up to here, but for the turn that is going on. */
uint64_t rt_way(void);
void rt_log_thread(const struct rt_thread *t);
void rt_log_bits(void);
void rt_log_object(const void *object, uint8_t kind, int32_t init);
void rt_log_block(const char *name);
/* Tells what lies at an address that is about to be called (code.c), the first time; a library is gone. */
void rt_code(const void *function);
void rt_code_gone(void);
int rt_code_has_hooks(const void *function);
int rt_code_calls_back(
    const void *function); /* of the C or C++ library: it only calls the program */
void rt_log_text(uint8_t kind, const char *text, size_t n);
void rt_log_input(uint8_t kind, int64_t result, int error, const void *bytes, size_t n);
void rt_log_module(const struct __augur_module *m, uint32_t first, const char *path);
void rt_log_end(uint8_t why, int64_t status);
/* The token moves: another budget, with the expected events so far still to be written. */
static inline void rt_stream_budget(int64_t budget) {
    rt_hot.mark += budget - rt_hot.budget;
    rt_hot.budget = budget;
}
extern uint8_t rt_turn_why;       /* why the last turn ended */
extern uint64_t rt_logged;        /* records */
extern struct au_site rt_no_site; /* before the first site of a thread */
#define RT_SMALL 256u             /* every record without bytes, with a RUN before it, is shorter */
/* Room for n bytes more than RT_SMALL. */
void rt_big_room(size_t n);
/* Writes down the expected events so far: the program may be ended where it stands. */
void rt_stream_flush(void);
/* … and lets who reads while the program runs have what there is. */
void rt_stream_tell(void);
/* Publishes the begun chunk and gives the next one. */
void rt_chunk_next(void);

#pragma GCC visibility pop
#endif
