/* tsg/rpt_priv.h: what range propagation works with; for rpt*.c only. */
#ifndef AU_TSG_RPT_PRIV_H
#define AU_TSG_RPT_PRIV_H

#include "tsg/rpt.h"

/* An interval of no value: joined to another it changes nothing. */
#define AU_NO_RANGE ((au_interval){INT64_MAX, INT64_MIN})

typedef struct {
    au_interval *at; /* cells and control states, then locals */
    bool there;
    bool changed; /* since the round before */
} au_frame;

typedef struct {
    au_rpt *r;
    const au_tsg *g;
    const au_model *m;
    au_intervals *e;
    au_interval *var;         /* by variable: the state that steps work on */
    uint8_t *width;           /* by variable */
    uint32_t vars;            /* of the model; behind them the control states of the threads */
    AU_VEC(uint32_t) cell;    /* variables that are no locals, and control states */
    AU_VEC(uint32_t) * local; /* by thread */
    au_frame *now, *next;     /* by node */
    au_frame *brought;        /* by node: what switches bring (cells only) */
    au_frame *out;            /* by transaction: its last result */
    bool *grew;               /* by node: its locals in r->at, in the last round */
    uint32_t *first_out, *first_from; /* by node: its transactions; switches that lead to it, */
    uint32_t *from;                   /* their sources */
    bool quiet;                       /* do not record */
} au_spreader;

/* The steps of a transaction on s->var; false: it does not get through. */
bool au_spread_run_(au_spreader *s, const au_tsg_transaction *t);
/* A frame into s->var: cells of one, locals of another. */
void au_spread_load_(au_spreader *s, uint32_t thread, const au_interval *cells,
                     const au_interval *locals);
void au_spread_store_(const au_spreader *s, uint32_t thread, au_interval *into);
/* True if 'into' grew. */
bool au_spread_join_(au_interval *into, const au_interval *from, uint32_t n);
/* Joins to r->at of the node and marks it; true if its locals grew. */
bool au_spread_record_(au_spreader *s, uint32_t node, const au_interval *cells,
                       const au_interval *locals);
uint32_t au_spread_thread_(const au_spreader *s, uint32_t node);
/* The control state of the thread is there in these cells, and it has been started. */
bool au_spread_may_be_(const au_spreader *s, const au_interval *cells, uint32_t node);

/* What switches bring to a node (requires: brought[v].at); true if it may have changed. */
bool au_spread_bring_(au_spreader *s, uint32_t v);
/* Runs the transactions from v and joins what they give to s->out. */
void au_spread_from_(au_spreader *s, uint32_t v, const au_interval *cells,
                     const au_interval *locals);
/* By node: the initial ranges where it is the entry of a thread, else NULL. */
au_interval **au_spread_entries_(au_spreader *s);
void au_spread_entries_free_(au_spreader *s, au_interval **entry);

void au_spread_rounds_(au_spreader *s);
void au_spread_paths_(au_spreader *s);
void au_spread_loops_(au_spreader *s);

#endif
