/* trace/count.h: how much of what there is in a trace, in one pass; memory by
 * threads, objects and variables.
 *
 * The columns of the papers' tables. Two of them need a definition:
 *
 * A variable is shared if at least two threads access it and at least one of the
 * accesses writes.
 *
 * Witnesses of nondeterminism: for every shared variable an implicit write stands
 * before the trace and an implicit read after it. For every read r (with the
 * implicit one), the write w that it sees in the trace, and every other write c of
 * the variable (the implicit one is w or such a c), there are three witnesses,
 * possible or not: c r w; w c r; c r without w. A variable with R reads and W
 * writes in the trace has R + 1 reads and W + 1 writes, of which each read sees
 * one, so 3 * (R + 1) * W witnesses, however the trace interleaves. */
#ifndef AU_TRACE_COUNT_H
#define AU_TRACE_COUNT_H

#include "trace/event.h"

typedef struct {
    uint64_t events;
    uint64_t by_op[AU_OPS];
    uint32_t threads; /* with an event, or forked */
    uint32_t locks;   /* acquired by some event */
    uint32_t vars;    /* accessed by some event */
    uint32_t shared_vars;
    uint64_t lock_events; /* acquires and releases of every kind */
    uint64_t accesses;
    uint64_t shared_accesses;
    uint64_t atomic_blocks; /* begins */
    uint64_t wait_notify;   /* wait, signal, broadcast; the wake belongs to its wait */
    uint64_t witnesses;     /* saturates at UINT64_MAX */
} au_counts;

typedef struct au_counter au_counter;

au_counter *au_counter_new(void);
void au_counter_add(au_counter *c, const au_block *b);
/* May be asked at any time. */
void au_counter_get(const au_counter *c, au_counts *out);
void au_counter_free(au_counter *c);

#endif
