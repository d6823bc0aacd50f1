/* linear/eraser.h: the lockset algorithm (Savage et al., Eraser) as a filter.
 *
 * A variable is suspect if two threads access it, one writes, and no lock protects all
 * of these accesses (a write needs it exclusively; two atomic accesses count as
 * protected from each other). Unlike Eraser this never forgets an access: what one
 * thread did before it handed the variable on by fork or join is left out because
 * it cannot overlap with anything later, and only then. So a variable that is not
 * suspect has no race in any interleaving of the trace.
 *
 * A pass: feed every block. Memory by threads, variables and different locksets. */
#ifndef AU_LINEAR_ERASER_H
#define AU_LINEAR_ERASER_H

#include "linear/held.h"

typedef enum {
    AU_ERASER_VIRGIN,
    AU_ERASER_EXCLUSIVE,      /* one thread, or one after the other by fork and join */
    AU_ERASER_SHARED,         /* several, none wrote */
    AU_ERASER_SHARED_MODIFIED /* several, one wrote */
} au_eraser_state;

typedef struct au_eraser au_eraser;

typedef struct {
    uint64_t candidates; /* variables that several threads access and one writes */
    uint64_t must_hb;    /* … not only one after the other by fork and join */
    uint64_t lockset;    /* … without a common lock: suspect */
} au_eraser_counts;

/* names: see au_held_new. */
au_eraser *au_eraser_new(const au_names *names);
void au_eraser_free(au_eraser *e);
void au_eraser_block(au_eraser *e, const au_block *b);

au_eraser_state au_eraser_of(const au_eraser *e, uint32_t var);
bool au_eraser_suspect(const au_eraser *e, uint32_t var);
uint32_t au_eraser_accesses(const au_eraser *e, uint32_t var); /* how many there were */
/* The locks that protect it so far, as lock << 1 | 1. */
const uint32_t *au_eraser_locks(const au_eraser *e, uint32_t var, uint32_t *n);
au_eraser_counts au_eraser_count(const au_eraser *e);

#endif
