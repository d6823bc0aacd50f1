/* solve/unreached.h: what ranges of values rule out before any solver is asked: the stage
 * 'interval' of the funnel.
 *
 * A question about a step that no interleaving gets to, about an assertion that no value in its
 * range violates, about two accesses whose control states cannot be taken at a time. Only for
 * the model as it stands (AU_SEM_CTP): the other semantics have other runs. */
#ifndef AU_SOLVE_UNREACHED_H
#define AU_SOLVE_UNREACHED_H

#include "solve/query.h"
#include "tsg/rpt.h"

typedef struct au_unreached au_unreached;

/* Borrows m, which may have loops. whole: a failed assert does not stop its thread. brief: only what takes
 * milliseconds. NULL: the model is too large for it to be worth the time. */
au_unreached *au_unreached_new(const au_model *m, bool whole, bool brief);
/* The same over one of the other graphs (tsg/tsg.h), to compare them. */
au_unreached *au_unreached_of(const au_model *m, au_tsg_kind kind, bool whole, bool brief);
/* Has it products, quotients, remainders or shifts of what is read? Their bits are what makes narrow values
 * pay; elsewhere the order is the cost. Linear in the terms. */
bool au_unreached_pays(const au_model *m);
void au_unreached_free(au_unreached *u);

bool au_unreached_rules_out(const au_unreached *u, const au_query *q);
/* Borrowed. */
const au_rpt *au_unreached_ranges(const au_unreached *u);

#endif
