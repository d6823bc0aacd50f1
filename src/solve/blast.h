/* solve/blast.h: terms as literal vectors, bit 0 first; one vector a term for the life of
 * the encoding. */
#ifndef AU_SOLVE_BLAST_H
#define AU_SOLVE_BLAST_H

#include "model/term.h"
#include "solve/sat.h"

typedef struct {
    const au_terms *terms;
    au_sat *sat;
    /* The literals of a variable, 'width' of them, written to 'into'. Asked once. */
    void (*variable)(void *ctx, uint32_t var, unsigned width, int *into);
    void *ctx;
    AU_VEC(uint32_t) first; /* by term: where its literals are, UINT32_MAX: not yet */
    AU_VEC(int) pool;
} au_blast;

void au_blast_init(au_blast *b, const au_terms *t, au_sat *s,
                   void (*variable)(void *, uint32_t, unsigned, int *), void *ctx);
void au_blast_release(au_blast *b);
/* Copies the literals of x to 'into' (au_term_width of them). */
void au_blast_term(au_blast *b, au_term x, int *into);
/* Only if that was done before: it adds no clause. */
bool au_blast_known(const au_blast *b, au_term x, int *into);
int au_blast_bool(au_blast *b, au_term x); /* x has width 1 */

#endif
