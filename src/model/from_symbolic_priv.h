/* model/from_symbolic_priv.h: the builder of models of traces with knowledge; for
 * from_symbolic*.c only. */
#ifndef AU_MODEL_FROM_SYMBOLIC_PRIV_H
#define AU_MODEL_FROM_SYMBOLIC_PRIV_H

#include "model/symbolic_priv.h"

#include <stdio.h>

typedef struct {
    uint32_t until; /* 2 * event, + 1: after it */
    uint32_t var;
} au_fs_used;

typedef struct {
    AU_VEC(au_fs_used) used;   /* locals that hold what is still needed: a heap */
    AU_VEC(uint32_t) spare[8]; /* others, by bytes - 1 */
    uint32_t locals;
    au_round_walk round;
    size_t next_fact; /* in plan.of_fact */
} au_fs_thread;

typedef struct {
    au_from b; /* first: au_from_event hands it back */
    const au_symbolic_plan *p;
    const au_slice *slice; /* NULL: everything */
    au_map var;            /* variable id: in the model */
    au_fs_thread *thread;  /* by thread id */
    uint32_t *fact_step;   /* by fact - first_fact */
    size_t first_fact, facts;
    const au_run_state *before; /* NULL: from the start */
    au_map fresh;               /* thread, number, width: the local variable of that name */
    au_map local;               /* read: the local variable that stands for it */
    au_map memo;                /* terms built already */
    au_term *now; /* by variable of the model: what a local holds inside of the step at hand */
    size_t n_now;
    bool cut; /* some thread ends early */
} au_fs;

static inline uint32_t *au_fs_fact(const au_fs *b, uint32_t fact) {
    return &b->fact_step[fact - b->first_fact];
}
uint32_t au_fs_var(au_fs *b, uint32_t var);
/* Locals that nothing at this place (2 * event) or later needs are free again. */
void au_fs_expire(au_fs *b, uint32_t thread, uint32_t place);
uint32_t au_fs_local(au_fs *b, uint32_t thread, unsigned width, uint32_t until);
/* Before an event of the thread: a round that could as well not be there gives back the names of its locals. */
void au_fs_round(au_fs *b, uint32_t thread, uint32_t event);
/* A term of the knowledge over the model's locals. */
au_term au_fs_term(au_fs *b, au_term x);

/* Between from_symbolic.c and from_symbolic_range.c: all steps of [first, last); then ends,
 * the observed run, and that it can be taken; then the model (NULL if not st) is out of b. */
void au_fs_init(au_fs *b, const au_symbolic_plan *p, size_t first, size_t last,
                const au_bitset *threads, const au_slice *slice, au_error *err);
void au_fs_make_facts(au_fs *b, size_t first, size_t n);
au_status au_fs_build(au_fs *b);
au_status au_fs_finish(au_fs *b);
au_model *au_fs_result(au_fs *b, au_status st, au_symbolic_map *map);

/* The access and all others of its step (from_symbolic_access.c). */
au_status au_fs_access(au_from *b, size_t event);

#endif
