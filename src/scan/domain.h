/* scan/domain.h: what is known of values at a place, as an assertion over variables of a model.
 *
 * Three domains, each holding all that the one before it can say:
 *   box          an interval a variable (tsg/interval.h: C's machine arithmetic, wrapping included)
 *   octagon      … and ±x ±y <= c within packs of variables (PPL)
 *   polyhedron   … and any linear inequality within smaller packs (PPL)
 *
 * A node of the transaction graph has a tuple of assertions, one a thread, which relate the shared
 * variables with this thread's locals (Kahlon et al. 2009, section 4). Here a tuple is one au_abs: a pack
 * belongs to one thread (its locals and shared variables) or to none (shared ones only), and a step of
 * one thread that writes a shared variable brings the packs of all others in line: the meld
 * operator. It forgets in them what the step writes, not all shared variables as the paper's
 * simple one does, and then adds what the moving thread's packs know of the shared variables.
 *
 * PPL's numbers are unbounded. A term is only read as a linear expression where no operation in it can wrap,
 * as far as the intervals of its variables say; else the variable is forgotten by the relations and the
 * interval says what wrapping leaves. Values are signed numbers of their width, width 1 is 0 or 1.
 *
 * Everything here may be too large (too many states), never too small. Octagons and polyhedra
 * only in worker processes: PPL is a library that aborts when memory ends. */
#ifndef AU_SCAN_DOMAIN_H
#define AU_SCAN_DOMAIN_H

#include "base/out.h"
#include "model/model.h"
#include "tsg/interval.h"

typedef enum { AU_DOMAIN_BOX, AU_DOMAIN_OCTAGON, AU_DOMAIN_POLYHEDRON, AU_DOMAINS } au_domain_kind;
const char *au_domain_name(au_domain_kind k);

typedef struct au_domain au_domain; /* the space: which variables, which packs, thresholds */
typedef struct au_abs au_abs;       /* an assertion */

/* tracked: by variable; of the others nothing is known. Borrows m, copies tracked. */
au_domain *au_domain_new(const au_model *m, au_domain_kind kind, const bool *tracked);
void au_domain_free(au_domain *d);
size_t au_domain_packs(const au_domain *d);
/* The variables of a pack, *n of them. Borrowed. */
const uint32_t *au_domain_pack(const au_domain *d, size_t pack, size_t *n);

au_abs *au_abs_initial(const au_domain *d); /* every variable has its initial value */
au_abs *au_abs_copy(const au_domain *d, const au_abs *a);
void au_abs_free(const au_domain *d, au_abs *a);

bool au_abs_none(const au_abs *a); /* no state satisfies it */
/* Where the condition has this value. */
void au_abs_assume(au_domain *d, au_abs *a, au_term cond, bool value);
/* All at once: the values are of the state before. */
void au_abs_assign(au_domain *d, au_abs *a, const au_update *u, uint32_t n);
void au_abs_havoc(au_domain *d, au_abs *a, uint32_t var);
/* It keeps its value or gets one of these: what others may do. True: more states than before. */
bool au_abs_may_become(au_domain *d, au_abs *a, uint32_t var, au_interval range);
/* Could the condition have this value here? Looks at intervals only. */
bool au_abs_may(au_domain *d, const au_abs *a, au_term cond, bool value);
au_interval au_abs_range(const au_domain *d, const au_abs *a, uint32_t var);

/* True: into has more states than before. */
bool au_abs_join(au_domain *d, au_abs *into, const au_abs *from);
/* The same, jumping ahead, so that a chain of these ends: bounds go to the next constant of the
 * model. 'times' it was done before at this place; after many, whatever still grows is given up. */
bool au_abs_widen(au_domain *d, au_abs *into, const au_abs *from, unsigned times);
/* What both say. */
void au_abs_meet(au_domain *d, au_abs *into, const au_abs *from);

/* Is this state (by variable, zero-extended) among those of a? For tests. */
bool au_abs_has(au_domain *d, const au_abs *a, const uint64_t *value);
/* "x in [0, 4], x - y <= 1": what is known of tracked variables beyond their types. */
void au_abs_print(au_domain *d, const au_abs *a, au_out *out);

#endif
