/* graph/cause_priv.h: between the files of this layer only.
 *
 * Threads' events have indices from 1. A *clock* is a vector by thread: how many events of each
 * are in a set closed under the graph. */
#ifndef AU_GRAPH_CAUSE_PRIV_H
#define AU_GRAPH_CAUSE_PRIV_H

#include "base/vec.h"
#include "graph/cause.h"

typedef AU_VEC(uint32_t) au_cause_ids;

/* A critical section; rel is 0 if it never ends. */
typedef struct {
    uint32_t lock, acq, rel;
    uint16_t thread;
    bool shared;
} au_cause_section;

/* What a thread does to a lock (sections) or a variable (writes, by index), in its order. */
typedef struct {
    uint16_t thread;
    au_cause_ids at;
} au_cause_user;
typedef AU_VEC(au_cause_user) au_cause_users;

/* From this index on. */
typedef struct {
    uint32_t index, clock;
} au_cause_change;
typedef struct {
    uint32_t index, first, n;
} au_cause_open;

/* One reading of the synchronisation: relaxed has nothing but what must be; strict has the order
 * of the run for what the graph does not know exactly, and who woke whom, so that schedules do
 * without spurious wake-ups where that is possible. */
typedef struct {
    uint32_t *clock_of;             /* by event: number of a clock */
    AU_VEC(uint32_t) clock;         /* threads entries each; the own thread's is not kept */
    AU_VEC(au_cause_change) * line; /* by thread */
} au_cause_past;

struct au_cause {
    const au_trace *t;
    uint32_t threads, n;
    uint32_t *first; /* by thread: its events are order[first[t]] … */
    uint32_t *order;
    uint32_t *index;   /* by event */
    uint32_t *writer;  /* by read: event + 1, 0 initial; AU_NONE: no read */
    uint32_t *reader;  /* by write: its first reader, event + 1 */
    uint32_t *next;    /* by read: the next reader of its write, event + 1 */
    uint32_t *virgin;  /* by variable: the first reader of the initial value, event + 1 */
    uint32_t *fork_of; /* by thread: event + 1 */
    AU_VEC(au_cause_section) section;
    AU_VEC(au_cause_open) * open; /* by thread: sections open after an event */
    au_cause_ids open_pool;
    au_cause_users *lock, *write; /* by object, by variable */
    uint32_t *section_of;         /* by event: an acquire's or a release's section, or NONE */
    bool *odd;                    /* by object */
    bool any_odd;
    bool two; /* there is a strict reading */
    au_cause_past relaxed, strict;
};

static inline uint32_t au_cause_length(const au_cause *g, uint32_t thread) {
    return g->first[thread + 1] - g->first[thread];
}
static inline uint32_t au_cause_event(const au_cause *g, uint32_t thread, uint32_t index) {
    return g->order[g->first[thread] + index - 1];
}
static inline bool au_cause_reads(au_op op) {
    return op == AU_OP_READ || op == AU_OP_AREAD || op == AU_OP_RMW;
}
static inline bool au_cause_writes(au_op op) {
    return op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW;
}

static inline const uint32_t *au_cause_clock(const au_cause *g, const au_cause_past *p,
                                             uint32_t event) {
    return p->clock.at + (size_t)p->clock_of[event] * g->threads;
}
/* Into 'to': all that must be executed when this event is (itself among it). */
void au_cause_past_of(const au_cause *g, const au_cause_past *p, uint32_t event, uint32_t *to);
/* The same before its thread can have it next. */
void au_cause_past_before(const au_cause *g, const au_cause_past *p, uint32_t event, uint32_t *to);
/* By thread: the index of its first event after this one (itself: its own index); UINT32_MAX. */
void au_cause_after(const au_cause *g, const au_cause_past *p, uint32_t thread, uint32_t index,
                    uint32_t *to);
/* How many events of the thread come before this one of the trace. */
uint32_t au_cause_done_before(const au_cause *g, uint32_t thread, uint32_t event);
/* Sections that are open after the event with this index. */
const uint32_t *au_cause_open_after(const au_cause *g, uint32_t thread, uint32_t index,
                                    uint32_t *n);
const au_cause_ids *au_cause_user_of(const au_cause_users *u, uint32_t thread);
/* How many of these (sorted) are <= index; sections by their acquire. */
uint32_t au_cause_writes_upto(const au_cause_ids *at, uint32_t index);
uint32_t au_cause_sections_upto(const au_cause *g, const au_cause_ids *at, uint32_t index);

#endif
