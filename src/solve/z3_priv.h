/* solve/z3_priv.h: between the files of the Z3 backend only. No Z3 type leaves them. */
#ifndef AU_SOLVE_Z3_PRIV_H
#define AU_SOLVE_Z3_PRIV_H

#include "solve/backend.h"

#include <z3.h>

/* --- z3_term.c: our terms as Z3's ------------------------------------------------ */

/* Terms of width 1 are Booleans there, all others bit-vectors. */
typedef struct {
    Z3_context z;
    const au_terms *terms;
    AU_VEC(Z3_ast) made; /* by term; NULL: not yet */
    AU_VEC(Z3_ast) name; /* by name of the au_cssa: what stands for it; the caller's to fill */
    AU_VEC(uint32_t) stack;
} au_z3_terms;

/* Requires: every name in x has its 'name'. */
Z3_ast au_z3_term(au_z3_terms *t, au_term x);

#endif
