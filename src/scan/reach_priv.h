/* scan/reach_priv.h: between reach.c, alone.c and environment.c. */
#ifndef AU_SCAN_REACH_PRIV_H
#define AU_SCAN_REACH_PRIV_H

#include "scan/reach.h"

typedef struct {
    au_abs *state, *next; /* next: what a round of narrowing brought */
    uint32_t key;         /* lower ones first */
    uint32_t alone;       /* place in the focus of the only thread that moves, AU_NONE: all */
    uint32_t sister;      /* another node with the same tuple and other modes, AU_NONE */
    unsigned grown;
    bool wide, queued;
} gnode;

/* A step of a thread that is not in the focus, as far as it can be seen from there. */
typedef struct {
    uint32_t at; /* node */
    au_term guard;
    AU_VEC(struct {
        uint32_t var;
        au_interval range;
    })
    write;
} env_step;

/* A variable whose values tell nodes apart: these. */
enum { AU_MODE_VALUES = 4 };
typedef struct {
    uint32_t var;
    int64_t value[AU_MODE_VALUES];
    uint32_t n;
} mode;

typedef struct {
    const au_cuts *c;
    const au_scan_known *known;
    const au_reach_options *o;
    au_reach *result; /* while the graph is told about, else NULL */
    uint32_t width;   /* of tuples */
    uint32_t keys;    /* numbers that name a node: its tuple, then its modes */
    AU_VEC(mode) mode;
    au_idtable by_tuple;
    uint32_t *thread; /* the focus */
    au_domain *d;
    au_term *is_started; /* by thread */
    au_term never;
    au_idtable index;
    AU_VEC(uint32_t) place; /* tuples, by node */
    AU_VEC(gnode) node;
    AU_VEC(uint32_t) heap, ends;
    AU_VEC(au_abs *) *
        mid; /* by node of the model: in the middle and at the ends of a transaction, by modes */
    uint32_t *modes[2]; /* scratch */
    au_map memo;        /* alone.c */
    AU_VEC(env_step) env;
    bool fits;
    uint32_t told; /* node whose transactions are told */
} au_reach_maker;

/* Place in the focus of a thread that may move alone at this tuple, AU_NONE. */
uint32_t au_reach_alone_(au_reach_maker *k, const uint32_t *tuple);

/* modes.c */
void au_reach_modes_init_(au_reach_maker *k, const bool *tracked);
/* The modes of an assertion: value + 1 of each, 0 where it leaves several open. */
void au_reach_modes_(const au_reach_maker *k, const au_abs *a, uint32_t *into);
/* The value is 1 where a condition holds and 0 elsewhere: the condition. */
bool au_reach_truth_(au_terms *t, au_term value, au_term *cond);

void au_reach_environment_init_(au_reach_maker *k, const bool *tracked);
void au_reach_environment_release_(au_reach_maker *k);
/* a, and all that threads outside the focus may make of it while the others stand there. */
void au_reach_environment_(au_reach_maker *k, const uint32_t *tuple, au_abs *a);

#endif
