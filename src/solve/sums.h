/* solve/sums.h: variables that only ever grow by constants.
 *
 * If every store of x is x := x + c, and read and write are one step or lie in one section of
 * a well used lock that all of them share, then no store is ever lost: what x holds is its
 * initial value and the c's of all stores so far. A read of it needs no π-function: its
 * value is a sum over the order. */
#ifndef AU_SOLVE_SUMS_H
#define AU_SOLVE_SUMS_H

#include "solve/mutex.h"

typedef struct {
    bool *is_sum;  /* by variable */
    uint64_t *add; /* by write (index in c->write): c */
} au_sums;

/* look false: none is found. */
void au_sums_make(au_sums *s, const au_cssa *c, const au_mutexes *x, bool look);
void au_sums_release(au_sums *s);

#endif
