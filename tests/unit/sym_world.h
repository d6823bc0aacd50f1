/* A made-up run for tests of retrace/sym.h: events that are filled in as they are needed, and
 * beside every value of the run what it would be under ALTS other values of the reads, computed
 * here without terms. */
#ifndef AU_TESTS_SYM_WORLD_H
#define AU_TESTS_SYM_WORLD_H

#include "base/rng.h"
#include "retrace/sym_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ALTS = 6, EVENTS = 6000, VARS = 512 };

typedef struct {
    au_trace trace;
    au_symbolic sy;
    au_bitset open;
    au_spot at;
    au_sym *s;
    au_rng rng;
    uint32_t n;                 /* events used */
    uint64_t alt[ALTS][EVENTS]; /* what each read would see */
    bool bad[ALTS];             /* the thread would not come this far */
} world;

/* A value of the run and what it would be otherwise. */
typedef struct {
    au_val v;
    unsigned width;
    uint64_t alt[ALTS];
} both;

static inline uint64_t cut(unsigned w, uint64_t v) {
    return w >= 64 ? v : v & ((UINT64_C(1) << w) - 1);
}
static inline int64_t sgn(unsigned w, uint64_t v) {
    return w >= 64 ? (int64_t)v : (int64_t)(v << (64 - w)) >> (64 - w);
}

static inline world *world_new(uint64_t seed, unsigned checks, unsigned split) {
    world *w = calloc(1, sizeof *w);
    au_rng_init(&w->rng, seed);
    au_columns_init(&w->trace.events);
    au_names_init(&w->trace.names);
    int64_t zero = 0;
    for (unsigned i = 0; i < EVENTS; i++)
        au_columns_push(&w->trace.events, AU_OP_FENCE, 0, AU_NONE, AU_NONE, &zero);
    for (unsigned i = 0; i < VARS; i++) {
        char name[16];
        int len = snprintf(name, sizeof name, "v%u", i);
        au_intern_add(&w->trace.names.var, name, (size_t)len);
    }
    au_symbolic_init(&w->sy, &w->trace);
    au_bitset_init(&w->open, VARS);
    for (unsigned i = 0; i < VARS; i++)
        if (i % 2)
            au_bitset_add(&w->open, i); /* odd variables are open */
    w->at = (au_spot){.thread = 0, .after = AU_NONE};
    w->s = au_sym_new(&w->sy, &w->open, checks, split, NULL);
    au_sym_stand(w->s, &w->at);
    return w;
}

static inline void world_free(world *w) {
    au_sym_free(w->s);
    au_symbolic_release(&w->sy);
    au_bitset_release(&w->open);
    au_columns_release(&w->trace.events);
    au_names_release(&w->trace.names);
    free(w);
}

static inline uint64_t some_bits(world *w) {
    uint64_t r = au_rng_next(&w->rng);
    switch (au_rng_below(&w->rng, 6)) {
    case 0:
        return r & 7;
    case 1:
        return UINT64_C(1) << (r & 63);
    case 2:
        return (UINT64_C(1) << (r & 63)) - 1;
    case 3:
        return ~(r & 7);
    default:
        return r;
    }
}

/* A new event of the thread that stands now; other values of what it may read. */
static inline uint32_t new_event(world *w, uint8_t op, uint32_t var, uint64_t bits) {
    assert_true(w->n < EVENTS);
    uint32_t e = w->n++;
    w->trace.events.op[e] = op;
    w->trace.events.thread[e] = w->at.thread;
    w->trace.events.obj[e] = var;
    w->trace.events.value[e] = (int64_t)bits;
    for (int k = 0; k < ALTS; k++)
        w->alt[k][e] = k == 0 ? bits : some_bits(w);
    return e;
}

/* A read of n bytes that is symbolic. The first alternative is the run itself. */
static inline both new_read(world *w, unsigned n) {
    uint64_t bits = cut(8 * n, some_bits(w));
    au_part p = {0x1000, n, new_event(w, AU_OP_READ, 1, bits), 1};
    both b = {{bits, AU_KNOWN}, 8 * n, {0}};
    b.v.m = au_sym_read(w->s, au_sym_known(0x1000), n, 8 * n, bits, &p, 1);
    w->at.after = p.event;
    assert_true(b.v.m > AU_UNKNOWN);
    for (int k = 0; k < ALTS; k++)
        b.alt[k] = cut(8 * n, w->alt[k][p.event]);
    return b;
}

static inline both constant(unsigned width, uint64_t v) {
    both b = {{cut(width, v), AU_KNOWN}, width, {0}};
    for (int k = 0; k < ALTS; k++)
        b.alt[k] = b.v.v;
    return b;
}

static inline bool facts_hold(world *w, int k) {
    for (size_t i = 0; i < w->sy.fact.n; i++)
        if (!au_term_eval(w->sy.terms, w->sy.fact.at[i].cond, w->alt[k]))
            return false;
    return true;
}

/* Wherever the facts hold, the term has the value that the program would have computed. */
static inline void check_both(world *w, const both *b) {
    if (b->v.m == AU_UNKNOWN)
        return;
    for (int k = 0; k < ALTS; k++) {
        uint64_t is = b->v.v;
        if (!facts_hold(w, k))
            continue;
        if (b->v.m != AU_KNOWN) {
            au_term x = {b->v.m - 2};
            assert_int_equal(au_term_width(w->sy.terms, x), b->width);
            is = au_term_eval(w->sy.terms, x, w->alt[k]);
        }
        assert_false(w->bad[k]);
        assert_int_equal(is, b->alt[k]);
    }
}

static inline void check_right(const world *w) {
    if (au_sym_wrong(w->s))
        fail_msg("%s", au_sym_wrong(w->s));
}

#endif
