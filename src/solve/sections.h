/* solve/sections.h: which accesses lie in one atomic block (docs/oracle.md: marked ones, or
 * outermost critical sections without a condition wait). */
#ifndef AU_SOLVE_SECTIONS_H
#define AU_SOLVE_SECTIONS_H

#include "solve/cssa.h"

/* AUTO becomes what it means for this model. */
au_atomic_blocks au_sections_kind(const au_model *m, au_atomic_blocks atomic);
/* Could a and b (events of one thread) lie in one block, on some path? */
bool au_sections_may(au_cssa *c, au_atomic_blocks atomic, uint32_t a, uint32_t b);
/* They do, on the path that is taken. */
au_term au_sections_same(au_cssa *c, au_atomic_blocks atomic, uint32_t a, uint32_t b);

#endif
