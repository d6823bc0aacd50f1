/* tests/lib/weak_model.h: random small models with memory orders. */
#ifndef AU_TESTS_WEAK_MODEL_H
#define AU_TESTS_WEAK_MODEL_H

#include "model/model.h"

/* The text of a litmus test: two or three threads of a few accesses with orders and fences, now and then a
 * lock, a condition on what was read, an assertion. Free it. */
char *au_weak_ctp(uint64_t seed);

/* Orders for the atomic accesses of a model, and fences for half of what does nothing. */
void au_choose_orders(au_model *m, uint64_t seed);

#endif
