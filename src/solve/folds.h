/* solve/folds.h: variables whose stores commute.
 *
 * If every store of x makes it what it was plus a constant, or sets, clears or turns bits of it
 * (every bit by stores of one of these kinds only; the same constant every time is a case of that), and read and write are one step or lie in
 * one section of a well used lock that all of them share, then no store is ever lost, and it does
 * not matter in which order they came: what x holds follows from its initial value and from which
 * stores have happened. A read of it needs no π-function.
 *
 * A few stores of another form (bases: the program sets x up, or one statement is wrong) do not spoil a sum, if none of
 * them ever comes between the read and the write of an adding one: then x holds what the last base wrote (or
 * the initial value) and what was added since. */
#ifndef AU_SOLVE_FOLDS_H
#define AU_SOLVE_FOLDS_H

#include "solve/mutex.h"

typedef enum { AU_FOLD_NONE, AU_FOLD_SUM, AU_FOLD_BITS } au_fold_kind;

/* What one store does. */
typedef struct {
    uint64_t add;              /* SUM */
    bool base;                 /* SUM: it stores something else */
    uint64_t set, clear, turn; /* BITS: no bit in two of them */
} au_fold;

typedef struct {
    uint8_t *kind; /* by variable: au_fold_kind */
    au_fold *by;   /* by write (index in c->write) */
} au_folds;

/* look false: none is found. */
void au_folds_make(au_folds *s, const au_cssa *c, const au_mutexes *x, bool look);
void au_folds_release(au_folds *s);

#endif
