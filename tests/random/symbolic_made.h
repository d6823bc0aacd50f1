/* tests/random/symbolic_made.h: random models, random runs of them, and what is known of a run: for
 * random_symbolic.c and random_tsg.c. */
#ifndef AU_TESTS_SYMBOLIC_MADE_H
#define AU_TESTS_SYMBOLIC_MADE_H

#include "base/rng.h"
#include "model/symbolic.h"

/* A model as .ctp text; free it. Its only branches choose between two variables. */
char *au_made_text(uint64_t seed);

/* A run of a model. */
typedef struct {
    au_model *m;
    au_rng *rng;
    uint64_t *value;
    uint32_t *node;  /* by thread, AU_NONE: stopped … */
    uint32_t *stand; /* … there */
    au_trace *t;
    AU_VEC(uint32_t) run;
    AU_VEC(uint32_t) first; /* by event: the first of its step */
} au_made_run;

/* Runs m in a random order, as a recording would be made; m->observed is that, and what was not
 * come to is cut off m. Then the trace of it. */
void au_made_run_init(au_made_run *r, au_model *m, au_rng *rng);
void au_made_run_release(au_made_run *r);

/* Trace and knowledge of it. */
typedef struct {
    au_model *m;
    au_rng *rng;
    bool pins; /* some reads are not symbolic */
    au_trace *t;
    au_symbolic s;
    au_term *env;       /* by variable of m: what a local holds, what the step at hand reads */
    uint32_t *event_of; /* by step of m: the event of its first access, AU_NONE */
    uint32_t *fact_of;  /* by step of m */
    uint32_t *last;     /* by thread: its last event, AU_NONE */
    struct {
        au_term when;   /* its next step is one side of an if: the other side's condition … */
        uint32_t other; /* … and step, AU_NONE */
    } * side;           /* by thread */
    uint64_t pinned;
    const uint32_t *first; /* by event: the first of its step */
} au_made;

/* Fills s and the rest from m, rng, pins, t and first. */
void au_made_know(au_made *k, const au_made_run *r);
void au_made_forget(au_made *k);

/* A random trace with every kind of synchronisation; some reads are symbolic, some of them are checked or decide
 * something. */
typedef struct {
    au_made k;
    AU_VEC(uint32_t) first;
} au_made_sync;
void au_made_sync_init(au_made_sync *y, uint64_t seed, au_rng *rng);
void au_made_sync_release(au_made_sync *y);

/* The model of a random recording of one of these two kinds: whole, a slice or a part of the run. What it is made
 * of is said in 'what' (200 bytes). NULL: this trace has none. */
au_model *au_made_recorded(uint64_t seed, char *what);

#endif
