/* solve/cadical_priv.h: between the files of the CaDiCaL backend. */
#ifndef AU_SOLVE_CADICAL_PRIV_H
#define AU_SOLVE_CADICAL_PRIV_H

#include "solve/backend.h"
#include "solve/blast.h"
#include "solve/folds.h"
#include "solve/order.h"
#include "solve/range.h"
#include "solve/sat.h"

/* The observed run as a first guess: most of a solution is like it. */
typedef struct {
    uint32_t *place;  /* by event: its number in the run; those that are not in it come last */
    uint32_t *writer; /* by read of an event: the event that it saw, AU_INITIAL */
    size_t reads;
} au_wish;

/* wish.c */
void au_wish_make(au_wish *w, au_cssa *c);
void au_wish_release(au_wish *w);

/* A read of a sum with bases: its bits without what was added begin here in 'base_bit'. */
typedef struct {
    uint32_t read, first;
} au_based;

typedef struct {
    au_backend base;
    au_cssa *c;
    au_sat sat;
    au_blast blast;
    au_ranges ranges;
    au_mutexes mutexes;
    au_folds folds;
    au_order order;
    int *exec; /* by event */
    au_wish wish;
    au_map parted;          /* (read, writer) for which that is done */
    AU_VEC(int *) sees;     /* by read: a literal for each writer, or NULL: not asked for yet */
    au_u32s valued;         /* reads whose bits exist and are not linked to writers yet */
    AU_VEC(au_based) based; /* … that do not follow from bases yet */
    AU_VEC(int) base_bit;
    size_t axioms;              /* of the au_cssa, taken in */
    au_map position;            /* (event, thread, variable) to place in 'code' */
    AU_VEC(int) code;           /* literals of ladders and positions */
    struct au_weak_state *weak; /* executions (weak_priv.h); NULL: interleavings */
} au_cad;

/* How many bits a range needs; *sign: and a sign bit above them. */
unsigned au_cad_bits(au_span s, bool *sign);

/* reads.c: the literals of "sees", with all their clauses, made on first use. */
const int *au_cad_sees(au_cad *k, uint32_t read);
/* A thread's store that comes between a read and the write that it sees. */
typedef struct {
    uint32_t read, writer, thread;
} au_between;
typedef AU_VEC(au_between) au_betweens;
/* After a solution: those that it has. Then clauses that keep them out. */
void au_cad_look(au_cad *k, au_betweens *late);
void au_cad_part(au_cad *k, const au_betweens *late);
void au_cad_free_positions(au_cad *k);

/* The value of a read of a variable whose stores commute: 'width' literals. */
void au_cad_fold(au_cad *k, uint32_t read, unsigned width, int *into);

/* … and, when what its bases store can be said, how it follows from them. */
void au_cad_base(au_cad *k, const au_based *b);
/* cadical.c: what the event writes there; .n UINT32_MAX: anything. */
au_term au_cad_written(const au_cssa *c, uint32_t event, uint32_t var);

#endif
