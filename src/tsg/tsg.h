/* tsg/tsg.h: transaction sequence graphs (Ganai and Wang, section 4.1), as views of a model.
 *
 *     au_tsg_options o = {AU_TSG_MAT_PRIME};
 *     au_tsg *g = au_tsg_new(m, &o);
 *     au_rpt *r = au_rpt_new(g, &(au_rpt_options){0}); (tsg/rpt.h)
 *
 * Nodes are control states: where a context switch leads from or to, where threads begin
 * and end. Edges are transactions (the steps between two nodes) and switches.
 *
 * Adequate. Every behaviour of the model has an equivalent one (the same steps with the same
 * values, the same failing assertions) that changes threads along switches only; switches
 * the paper's sets lack for that are added and marked (docs/intervals.md says which and why).
 * Not kept is what a state shows in the middle of transactions: races and deadlocks. */
#ifndef AU_TSG_TSG_H
#define AU_TSG_TSG_H

#include "tsg/mat.h"

typedef enum {
    AU_TSG_CCFG,     /* every two shared accesses can be parted */
    AU_TSG_MAT,      /* GenMAT */
    AU_TSG_MAT_PRIME /* GenMAT' */
} au_tsg_kind;

typedef struct {
    au_tsg_kind kind;
    bool first_wins; /* priority, as in mat.h */
    bool bare;       /* nothing added: the paper's set, adequate or not */
    bool lean;       /* where the MATs are not enough, do without them: the boundaries and switches
                        that are needed, and no others. Adequate, and smaller */
    uint32_t most_nodes; /* more boundaries than these: no graph. 0: no limit */
} au_tsg_options;

/* Steps that follow each other, between two points. */
typedef struct {
    uint32_t from, to; /* points */
    uint32_t first, n; /* its steps: 'step' */
} au_tsg_link;

/* From one node to the next one, through inner points where the thread branches and comes together
 * again: all the ways are one transaction. */
typedef struct {
    uint32_t from, to; /* points that are nodes */
} au_tsg_transaction;

typedef struct {
    uint32_t from, to;
    bool added;
} au_tsg_switch;

typedef struct {
    const au_model *m;
    au_facts facts;
    au_tsg_options o;
    au_mat_vec mats;          /* empty for a CCFG */
    size_t mat_switches;      /* |TP(MAT)|, those left out as unreachable included */
    size_t unreachable;       /* of them: their control states cannot be taken at a time */
    AU_VEC(uint32_t) node;    /* points: control states (numbers of tsg/facts.h), rising: nodes, */
    bool *inner;              /* and, marked here, those between them where a thread branches or
                              comes together */
    size_t nodes;             /* points that are not inner */
    uint32_t *number;         /* by control state: its point, AU_NONE */
    bool *boundary;           /* by control state: a node */
    AU_VEC(uint32_t) step;    /* of the links */
    AU_VEC(au_tsg_link) link; /* by from */
    uint32_t *first_link;     /* by point: first_link[p] … first_link[p + 1] - 1 */
    AU_VEC(uint32_t) region;  /* by point: links up to the next nodes, each after those that */
    uint32_t *first_region;   /* lead to it; of inner points none */
    AU_VEC(au_tsg_transaction) te; /* by from, to */
    uint32_t *first_te;            /* by point */
    AU_VEC(au_tsg_switch) ce;      /* by from, to */
    size_t added;                  /* switches */
} au_tsg;

/* Borrows m. NULL only if most_nodes says so. */
au_tsg *au_tsg_new(const au_model *m, const au_tsg_options *o);
void au_tsg_free(au_tsg *g);

/* A switch leads from one control state to the other. */
bool au_tsg_may_switch(const au_tsg *g, uint32_t from, uint32_t to);

#endif
