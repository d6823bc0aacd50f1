/* solve/order_priv.h: between order.c and segments.c. */
#ifndef AU_SOLVE_ORDER_PRIV_H
#define AU_SOLVE_ORDER_PRIV_H

#include "solve/order.h"

void au_segments_init(au_order *o, const int *exec, const au_mutexes *x);
void au_segments_release(au_order *o);
int au_segments_before(const au_order *o, uint32_t a, uint32_t b);
void au_segments_look(const au_order *o, const au_bitset *executed, au_u32s *into);

#endif
