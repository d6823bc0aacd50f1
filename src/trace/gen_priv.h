/* trace/gen_priv.h: what the ways of generating share. Only for gen*.c. */
#ifndef AU_TRACE_GEN_PRIV_H
#define AU_TRACE_GEN_PRIV_H

#include "base/rng.h"
#include "trace/gen.h"

enum { AU_GEN_BLOCK = 1 << 14, AU_GEN_BLOCK_NAMES = 16 };

/* A source puts events into g->col until it is full or the trace has ended. */
typedef struct au_gen_source au_gen_source;
struct au_gen_source {
    void (*fill)(au_gen *g, au_gen_source *s);
    void (*free)(au_gen_source *s);
};

struct au_gen {
    au_names names;
    au_columns col; /* always has room for AU_GEN_BLOCK events */
    uint64_t events, first;
    int64_t *last; /* by variable: the value written last; NULL without values */
    au_gen_source *source;
};

/* Where an event happens in the imagined source: a number by operation and
 * operand that fits the 15 bits of RapidBin. */
static inline uint32_t au_gen_loc(au_op op, uint32_t obj) {
    return (obj * 8 + op) & 0x7fff;
}

/* The caller has checked that there is room. */
static inline void au_gen_put(au_gen *g, au_op op, uint16_t thread, uint32_t obj) {
    au_columns *c = &g->col;
    size_t i = c->n++;
    c->op[i] = op;
    c->thread[i] = thread;
    c->obj[i] = obj;
    c->loc[i] = au_gen_loc(op, obj);
}

static inline bool au_gen_full(const au_gen *g) {
    return g->col.n >= AU_GEN_BLOCK;
}

/* Adds 'n' names prefix0, prefix1, …; locks become mutexes, with 'cond' conditions. */
void au_gen_add_names(au_gen *g, uint8_t space, const char *prefix, uint32_t n);
void au_gen_add_conds(au_gen *g, uint32_t n);

/* ---- gen_stream.c: any number of events, one decision at a time ---- */

typedef struct {
    uint64_t events;
    uint32_t threads, locks, vars, depth;
    uint32_t constants;     /* variables 0 … constants-1 are written by T0 before the
                             * forks and only read from then on */
    uint32_t private_vars;  /* variables at the end, dealt out to the threads */
    uint32_t shared_part;   /* of the accesses, in 1/2^16 */
    uint32_t constant_part; /* of the shared accesses, in 1/2^16: to the constants */
    uint32_t acquire_part;  /* of the events, in 1/2^16, where a lock can be acquired */
    uint32_t release_part;  /* of the events, in 1/2^16, where one can be released */
    uint32_t blocks;        /* exactly so many atomic blocks, as long as possible … */
    bool atomic;            /* … or short ones at random */
    bool guarded;           /* under lock l mostly variables v with v mod locks = l */
    uint64_t seed;
} au_gen_mix;

/* NULL with *err set if the numbers do not go together. */
au_gen_source *au_gen_stream(au_gen *g, const au_gen_mix *m, au_error *err);

/* ---- gen_plan.c: traces whose accesses are laid down before ---- */

/* 'count' variables with so many reads and writes each. */
typedef struct {
    uint16_t count, reads, writes;
    /* hot: threads 'lo' … 'hi'-1 write and read their own writes all the time;
     * cold: each write is by another thread, then 'readers' threads read the last */
    bool hot;
    uint8_t lo, hi, readers;
} au_gen_vars;

typedef struct {
    const char *name;
    uint32_t threads, events, lock_events, locks;
    uint32_t waits, notifies;  /* their sum is the column wait/notify */
    uint32_t wait_lo, wait_hi; /* the threads that wait for each other */
    const au_gen_vars *vars;
    size_t n_vars;
} au_gen_plan;

au_gen_source *au_gen_planned(au_gen *g, const au_gen_plan *p, uint64_t seed);
au_gen_source *au_gen_raytracer(au_gen *g, uint32_t threads, uint64_t seed);

/* ---- gen_shape.c ---- */

/* Fills *g for o->shape. NULL with *err set. */
au_gen_source *au_gen_shape(au_gen *g, const au_gen_options *o, au_error *err);

#endif
