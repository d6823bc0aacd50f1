/* solve/cadical_priv.h: between the files of the CaDiCaL backend. */
#ifndef AU_SOLVE_CADICAL_PRIV_H
#define AU_SOLVE_CADICAL_PRIV_H

#include "solve/backend.h"
#include "solve/blast.h"
#include "solve/order.h"
#include "solve/range.h"
#include "solve/sat.h"

typedef struct {
    au_backend base;
    au_cssa *c;
    au_sat sat;
    au_blast blast;
    au_ranges ranges;
    au_order order;
    int *exec;          /* by event */
    AU_VEC(int *) sees; /* by read: a literal for each writer, or NULL: not asked for yet */
    au_u32s valued;     /* reads whose bits exist and are not linked to writers yet */
    size_t axioms;      /* of the au_cssa, taken in */
    au_map position;    /* (event, thread, variable) to place in 'code' */
    AU_VEC(int) code;   /* literals of ladders and positions */
    uint32_t bound;     /* context bound the segments were made for, AU_NONE: none yet */
    int *segment;       /* [event * bound + k]: in segment k + 1 or later */
    int bound_lit;
} au_cad;

/* reads.c: the literals of "sees", with all their clauses, made on first use. */
const int *au_cad_sees(au_cad *k, uint32_t read);
void au_cad_free_positions(au_cad *k);

/* bound.c: the literal "the running thread changes at most n times". */
int au_cad_bound(au_cad *k, uint32_t n);

#endif
