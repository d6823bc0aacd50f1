/* tsg/facts.h: what is known of a model without looking at values: who touches what, which
 * control states can be taken at the same time, which steps can be moved past those of others.
 *
 * Nodes of all threads are numbered through: base[t] + node. A cell is a variable that is not a
 * local one: shared or of a synchronisation object. Everything here may be too large
 * (too many conflicts, too many pairs that can meet), never too small.
 *
 * Borrows the model. Read only once made. */
#ifndef AU_TSG_FACTS_H
#define AU_TSG_FACTS_H

#include "base/bitset.h"
#include "model/model.h"

typedef struct {
    uint32_t cell;
    bool write;
} au_touch;

/* A step next to one of another thread, in some interleaving: may they change places? */
typedef enum {
    AU_MOVES_NEITHER = 0,
    AU_MOVES_RIGHT = 1, /* it followed by the other: yes (acquire, join) */
    AU_MOVES_LEFT = 2,  /* the other followed by it: yes (release, fork) */
    AU_MOVES_BOTH = 3
} au_moves;

typedef struct {
    const au_model *m;
    uint32_t nodes;                   /* of all threads */
    uint32_t *base;                   /* by thread, and the end */
    uint32_t *owner;                  /* by node: its thread */
    au_touch *touch;                  /* by step: first_touch[s] … first_touch[s + 1] - 1, */
    uint32_t *first_touch;            /* each cell once */
    uint32_t *into;                   /* by node: steps that lead to it, */
    uint32_t *first_into;             /* first_into[n] … */
    uint8_t *moves;                   /* by step: au_moves */
    bool *stops, *waits;              /* by step: its thread may end there; it may wait */
    AU_VEC(uint32_t) * forks, *joins; /* by thread: the steps that fork it, join it */
    AU_VEC(uint32_t) * cell_steps;    /* by cell: the steps that touch it */
    bool *looked; /* by cell of a lock: somebody looks at it who does not use it */
    struct au_coreach *co;
} au_facts;

void au_facts_make(au_facts *f, const au_model *m);
void au_facts_release(au_facts *f);

static inline uint32_t au_facts_src(const au_facts *f, uint32_t step) {
    const au_step *s = &f->m->step.at[step];
    return f->base[s->thread] + s->src;
}
static inline uint32_t au_facts_dst(const au_facts *f, uint32_t step) {
    const au_step *s = &f->m->step.at[step];
    return f->base[s->thread] + s->dst;
}
static inline uint32_t au_facts_entry(const au_facts *f, uint32_t thread) {
    return f->base[thread] + f->m->thread.at[thread].entry;
}
static inline uint32_t au_facts_exit(const au_facts *f, uint32_t thread) {
    return f->base[thread] + f->m->thread.at[thread].exit;
}
static inline const au_node *au_facts_node(const au_facts *f, uint32_t node) {
    uint32_t t = f->owner[node];
    return &f->m->thread.at[t].node.at[node - f->base[t]];
}

/* Nothing leads away from there, and it is not its thread's exit. */
static inline bool au_facts_dead_end(const au_facts *f, uint32_t node) {
    return !au_facts_node(f, node)->out.n && node != au_facts_exit(f, f->owner[node]);
}

/* Both touch a cell, and one writes it. */
bool au_facts_conflict(const au_facts *f, uint32_t step, uint32_t other);

/* Two threads can stand at these nodes at a time, both started (a thread that is through
 * stands at its exit). Locks that both hold, acquisition histories, fork and join rule it out. */
bool au_facts_meet(const au_facts *f, uint32_t a, uint32_t b);
/* Nodes of one class hold, had and know the same and are of the same thread: they meet the same nodes.
 * Exits have classes of their own. Numbers 0 … au_facts_classes - 1. */
uint32_t au_facts_class(const au_facts *f, uint32_t node);
uint32_t au_facts_classes(const au_facts *f);
uint32_t au_facts_of_class(const au_facts *f, uint32_t c); /* one of its nodes */

/* A thread that stands at 'to' can take a step while another stands at 'from': they meet, and it
 * does not begin with waiting for a lock that the other holds or for the other's end. */
bool au_facts_switch(const au_facts *f, uint32_t from, uint32_t to);
/* The step does not wait for a lock that a thread at this node holds, or for its end. */
bool au_facts_passes(const au_facts *f, uint32_t step, uint32_t node);
/* The locks (numbers of objects) that a thread at this node holds on every path, alone or with
 * other readers. */
bool au_facts_holds(const au_facts *f, uint32_t node, uint32_t obj, bool alone);
/* At this node its thread can be sure that the other one is through, has not been started. */
bool au_facts_done(const au_facts *f, uint32_t node, uint32_t thread);
bool au_facts_unstarted(const au_facts *f, uint32_t node, uint32_t thread);
/* Threads can stand at both, as far as forks and joins of one thread tell (lives.h). */
bool au_facts_alive(const au_facts *f, uint32_t a, uint32_t b);
/* This object is a lock that one thread holds at a time (or several readers). */
bool au_facts_is_lock(const au_facts *f, uint32_t obj);

#endif
