/* solve/order.h: a total order of events as literals (design section 4).
 *
 * Every pair of ordered events of different threads has a literal, "a before b", constant
 * where must-before decides it. Clauses keep the literals monotone along both threads
 * (ladders); transitivity is added where a solution breaks it, looking only at the last
 * predecessor of each event in each other thread. */
#ifndef AU_SOLVE_ORDER_H
#define AU_SOLVE_ORDER_H

#include "solve/cssa.h"
#include "solve/sat.h"

typedef struct {
    const au_cssa *c;
    au_sat *sat;
    uint32_t threads;
    uint32_t *rank; /* by event: its number among the ordered ones of its thread; AU_NONE */
    au_u32s *line;  /* by thread: its ordered events */
    int **pair;     /* [t * threads + u], t < u: [rank in t * n of u + rank in u] */
    uint64_t n_pairs, rounds, cuts;
} au_order;

/* exec[event] is the literal that it is executed. Adds the ladders and "executed before
 * not executed". */
void au_order_init(au_order *o, const au_cssa *c, au_sat *s, const int *exec);
void au_order_release(au_order *o);

/* Requires: ordered events (or of one thread). */
int au_order_before(const au_order *o, uint32_t a, uint32_t b);

/* After a solution: adds clauses that cut off what is no order of the executed events;
 * how many. 0: 'into' has them in order. */
uint64_t au_order_cut(au_order *o, const au_bitset *executed, au_u32s *into);

#endif
