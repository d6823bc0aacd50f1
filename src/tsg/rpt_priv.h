/* tsg/rpt_priv.h: what range propagation works with; for rpt*.c only. */
#ifndef AU_TSG_RPT_PRIV_H
#define AU_TSG_RPT_PRIV_H

#include "tsg/rpt.h"

/* An interval of no value: joined to another it changes nothing. */
#define AU_NO_RANGE ((au_interval){INT64_MAX, INT64_MIN})

typedef struct {
    au_interval *at; /* cells and control states, then locals */
    bool there;
} au_rpt_frame;

typedef struct {
    au_rpt *r;
    const au_tsg *g;
    const au_model *m;
    au_intervals *e;
    au_interval *var;            /* by variable: the state that steps work on */
    uint8_t *width;              /* by variable */
    uint32_t vars;               /* of the model; behind them the control states of the threads */
    AU_VEC(uint32_t) cell;       /* variables that are no locals, and control states */
    AU_VEC(uint32_t) * local;    /* by thread */
    au_rpt_frame *now, *next;    /* by point: where transactions lead; inner ones: on the way */
    au_rpt_frame *brought;       /* by point: what switches bring (cells only) */
    au_rpt_frame *out;           /* by transaction */
    au_interval **entry;         /* by point: the initial ranges where it is a thread's entry */
    au_interval *scratch;        /* as large as a frame can be */
    uint32_t *first_ce;          /* by point: the switches from there */
    uint32_t *first_from, *from; /* by point: the switches that lead there (numbers) */
    uint32_t *kept, *first_kept; /* by point: cells that nobody else writes while its thread is
                                    there (slots) */
    bool quiet;                  /* do not record */
} au_spreader;

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
uint32_t au_spread_size_(const au_spreader *s, uint32_t node);
/* Where these cells hold the control state of the thread. */
uint32_t au_spread_control_(const au_spreader *s, uint32_t thread);
/* The thread's control state can be this one in these cells, and it has been started. */
bool au_spread_may_be_(const au_spreader *s, const au_interval *cells, uint32_t node);
/* Cells that a switch brings to the node, into 'into': those that only its own thread can have changed
 * are as they are known there. False: that cannot be. */
bool au_spread_mix_(const au_spreader *s, uint32_t v, const au_interval *cells,
                    const au_interval *known, au_interval *into);
void au_frame_join_(au_rpt_frame *into, const au_interval *from, uint32_t n);

/* Runs the transactions from a node; what they give is in s->out, of those that give something. */
void au_spread_from_(au_spreader *s, uint32_t v, const au_interval *cells,
                     const au_interval *locals);

void au_spread_rounds_(au_spreader *s);
bool au_spread_worklist_(au_spreader *s); /* false: it is too much */
void au_spread_paths_(au_spreader *s);
void au_spread_loops_(au_spreader *s);

#endif
