/* tsg/tsg.h: transaction sequence graphs (seed 000, section 4.1), as views of a model.
 *
 *     au_tsg_options o = {AU_TSG_MAT_PRIME};
 *     au_tsg *g = au_tsg_new(m, &o);
 *     au_rpt *r = au_rpt_new(g, &(au_rpt_options){0}); (tsg/rpt.h)
 *
 * Nodes are control states: where a context switch leads from or to, where threads begin,
 * end, branch, come together. Edges are transactions (a chain of steps) and switches.
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
    bool lean;       /* where switches had to be added, only those: what MATs give as well is left
                        out. Adequate, and smaller */
} au_tsg_options;

typedef struct {
    uint32_t from, to; /* numbers of nodes of the graph */
    uint32_t first, n; /* its steps: 'step' */
} au_tsg_transaction;

typedef struct {
    uint32_t from, to;
    bool added;
} au_tsg_switch;

typedef struct {
    const au_model *m;
    au_facts facts;
    au_tsg_options o;
    au_mat_vec mats;               /* empty for a CCFG */
    size_t mat_switches;           /* |TP(MAT)|, those left out as unreachable included */
    size_t unreachable;            /* of them: their control states cannot be taken at a time */
    AU_VEC(uint32_t) node;         /* control states (numbers of tsg/facts.h), rising */
    uint32_t *number;              /* by control state: its node, AU_NONE */
    bool *boundary;                /* by control state: a switch may lead from or to it */
    AU_VEC(uint32_t) step;         /* of the transactions */
    AU_VEC(au_tsg_transaction) te; /* by from */
    AU_VEC(au_tsg_switch) ce;      /* by from, to */
    size_t added;                  /* switches */
} au_tsg;

/* Borrows m. */
au_tsg *au_tsg_new(const au_model *m, const au_tsg_options *o);
void au_tsg_free(au_tsg *g);

/* A switch leads from one control state to the other. */
bool au_tsg_may_switch(const au_tsg *g, uint32_t from, uint32_t to);

#endif
