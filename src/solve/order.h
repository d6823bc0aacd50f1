/* solve/order.h: a total order of events as literals (docs/exact.md).
 *
 * Every pair of ordered events of different threads has a literal, "a before b", constant
 * where must-before decides it. Clauses keep the literals monotone along both threads
 * (ladders); transitivity is added where a solution breaks it, looking only at the last
 * predecessor of each event in each other thread. Under a context bound events lie in segments instead. */
#ifndef AU_SOLVE_ORDER_H
#define AU_SOLVE_ORDER_H

#include "solve/mutex.h"
#include "solve/sat.h"
#include "tsg/tsg.h"

typedef struct {
    const au_cssa *c;
    au_sat *sat;
    uint32_t threads;
    uint32_t *rank; /* by event: its number among the ordered ones of its thread; AU_NONE */
    au_u32s *line;  /* by thread: its ordered events */
    int **pair;     /* [t * threads + u], t < u: [rank in t * n of u + rank in u] */
    uint64_t n_pairs, rounds, cuts;
    /* segments.c: with a context bound there are no pairs. */
    uint32_t bound; /* AU_NONE: none */
    int *from;      /* [event * (bound + 1) + i - 1]: in segment i or later */
    au_map *made;   /* (a, b): literal */
} au_order;

/* bound: changes of thread, AU_NONE: any number. whole (may be NULL): of two of its transactions one comes before the other as a whole.
 * exec[event] is the literal that it is executed, wish[event] its place in an order to try
 * first. Adds the ladders, "executed before not executed" and that sections do not overlap;
 * leaf sections of one lock share literals. */
void au_order_init(au_order *o, const au_cssa *c, au_sat *s, const int *exec, const uint32_t *wish,
                   const au_mutexes *x, const au_tsg *whole, uint32_t bound);
void au_order_release(au_order *o);

/* Requires: ordered events (or of one thread). */
int au_order_before(const au_order *o, uint32_t a, uint32_t b);

typedef struct {
    uint32_t q, p, e; /* q before p before e, and yet not q before e */
} au_break;
typedef AU_VEC(au_break) au_breaks;

/* After a solution: what is no order of the executed events. If nothing is, 'into' has
 * them in order. */
void au_order_look(au_order *o, const au_bitset *executed, au_u32s *into, au_breaks *b);
/* Clauses against it. */
void au_order_cut(au_order *o, const au_breaks *b);

#endif
