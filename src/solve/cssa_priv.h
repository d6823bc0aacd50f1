/* solve/cssa_priv.h: between the files that build an au_cssa. */
#ifndef AU_SOLVE_CSSA_PRIV_H
#define AU_SOLVE_CSSA_PRIV_H

#include "base/deadline.h"
#include "solve/cssa.h"

/* What a step does under the chosen semantics. Terms are of the au_cssa, over variables
 * of the model. */
typedef struct {
    bool present;
    bool free_assert; /* values do not count: it may hold or fail */
    au_term guard, cond;
    au_term own; /* the guard before mcm pinned it */
    au_cssa_write *update;
    uint32_t n_updates;
    bool zero_havoc; /* mcm: a havoc gives what it gave then */
} au_effect;

/* One step or node in the control graph of what is present. */
typedef struct {
    uint32_t *topo;    /* by node of the thread: topological number, AU_NONE if not reachable */
    uint32_t *by_topo; /* and back */
    uint32_t n;        /* reachable nodes */
    au_u32s *in;       /* by node: present steps that lead there */
    bool straight;     /* no node has two present steps out of it */
} au_flow;

struct au_cssa_more {
    au_effect *effect; /* by step */
    au_flow *flow;     /* by thread */
    au_term *started;  /* by thread; .n == UINT32_MAX: not made */
    au_term *section;  /* sections.c: by event, the opener's step + 1 of the section before it */
};

static inline bool au_step_is_data(const au_step *s) {
    return s->kind <= AU_STEP_HAVOC;
}
static inline bool au_ignores_values(const au_cssa *c) {
    return c->o.semantics == AU_SEM_CAM || c->o.semantics == AU_SEM_LOCKS;
}
static inline bool au_ignores_sync(const au_cssa *c) {
    return c->o.semantics == AU_SEM_LOCKS;
}

/* So many steps were done: is it too late for more? Then what there is is not all, and nobody gets it. */
static inline bool au_cssa_late(const au_cssa *c, uint64_t steps) {
    return c->o.in_time && au_deadline_step(steps);
}

/* effect.c: fills more->effect. */
void au_effects_make(au_cssa *c);

/* flow.c: drops steps that cannot be reached; topological orders. False: a loop. */
bool au_flows_make(au_cssa *c);
void au_flows_release(au_cssa *c);

/* cssa_reads.c: reads, their writers, must-before. */
void au_cssa_find_writers(au_cssa *c);
/* The writers of a final read. */
void au_cssa_find_final_writers(au_cssa *c, au_cssa_read *r);

uint32_t au_cssa_add_name(au_cssa *c, au_name_kind kind, unsigned width, uint32_t a, uint32_t b);
static inline au_term au_cssa_name_term(au_cssa *c, uint32_t name) {
    return au_term_of_var(c->terms, name, c->name.at[name].width);
}
static inline void au_cssa_require(au_cssa *c, au_term t) {
    if (!au_term_is_true(c->terms, t))
        au_vec_push(&c->axiom, t);
}
static inline au_term au_cssa_implies(au_cssa *c, au_term a, au_term b) {
    return au_term_or(c->terms, au_term_not(c->terms, a), b);
}

#endif
