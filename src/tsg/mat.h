/* tsg/mat.h: mutually atomic transactions (Ganai and Wang, definition 2 and appendix A).
 *
 * GenMAT and GenMAT' for each pair of threads. A transaction is a chain of steps, an if of
 * plain steps counting as one step. Where a thread branches, comes together or loops otherwise, a
 * transaction ends.
 *
 * The reading of the paper (it decides the known sets):
 *   D          conflicting pairs of steps whose control states after both can be taken at a time
 *   a MAT      last steps in D, and no pair of steps of which neither is the last
 *   GenMAT'    both orders of the two transactions are possible as far as locks, fork and join say
 *   choice     the shortest transaction of the thread with priority, then the shortest of the other
 *   the end    with 'dummies' every thread ends with an access of its own that conflicts with the
 *              other's accesses of all cells that have no conflict between the two otherwise */
#ifndef AU_TSG_MAT_H
#define AU_TSG_MAT_H

#include "tsg/facts.h"

typedef struct {
    uint32_t begin, end; /* nodes */
} au_transaction;

/* Two switches: from the end of each to the begin of the other. */
typedef struct {
    au_transaction t[2]; /* of the thread with the smaller number, of the other */
} au_mat;

typedef struct {
    uint32_t from, to; /* nodes of different threads */
} au_switch;

typedef AU_VEC(au_mat) au_mat_vec;
typedef AU_VEC(au_switch) au_switch_vec;

typedef struct {
    bool feasible_only; /* GenMAT' */
    bool first_wins;    /* priority to the thread that stands first, not to the last */
    bool dummies;
} au_mat_options;

void au_mat_generate(const au_facts *f, const au_mat_options *o, au_mat_vec *into);
/* TP(MAT): each once, by from and to. */
void au_mat_switches(const au_mat_vec *mats, au_switch_vec *into);
void au_switches_sort(au_switch_vec *v);                                   /* and once each */
bool au_switches_have(const au_switch_vec *v, uint32_t from, uint32_t to); /* sorted */

#endif
