/* linear/held.h: which locks each thread holds, as small numbers.
 *
 * A held set is an interned set (base/sets.h) of lock << 1 | exclusive. Taking and
 * giving a lock is a memoised step from set to set, so that a thread's set costs one
 * look-up an outermost lock event and comparing sets is comparing numbers. A lock
 * that its holder takes again stays what it is (recursion); a read-write lock held
 * for reading is there without the exclusive bit; semaphores are not locks.
 *
 * Memory grows with threads, locks and the number of different sets, not with how many locks
 * are in them: sets share what they have in common. */
#ifndef AU_LINEAR_HELD_H
#define AU_LINEAR_HELD_H

#include "base/sets.h"
#include "trace/event.h"

#define AU_HELD_NONE 0u /* the id of the empty set */
/* Stands in a set like an exclusive lock: two atomic accesses never race. */
#define AU_HELD_ATOMIC UINT32_MAX

typedef enum {
    AU_HELD_SAME, /* not a lock event, or an inner one */
    AU_HELD_TAKEN,
    AU_HELD_TAKEN_SHARED,
    AU_HELD_GIVEN,
    AU_HELD_GIVEN_SHARED
} au_held_change;

typedef struct au_held au_held;

/* names (may be NULL) tell semaphores that are used through acq and rel; borrowed. */
au_held *au_held_new(const au_names *names);
void au_held_free(au_held *h);

/* One event of a thread; only lock events have an effect. */
au_held_change au_held_step(au_held *h, uint16_t thread, au_op op, uint32_t obj);
/* The set of a thread now. */
uint32_t au_held_set(const au_held *h, uint16_t thread);

/* Sorted members of a set, listed when they are first asked for: for few sets. */
const uint32_t *au_held_members(au_held *h, uint32_t set, uint32_t *n);
/* The sets as base/sets.h has them, and the number that a set has there. */
const au_sets *au_held_sets(const au_held *h);
uint32_t au_held_root(const au_held *h, uint32_t set);
/* Do the two sets keep their holders apart: a common lock, not both times shared? */
bool au_held_exclude(const au_held *h, uint32_t a, uint32_t b);

/* What an access with this set in hand is protected by (for locksets): for a write
 * its exclusive locks, for a read all of them as if exclusive; for an atomic access
 * AU_HELD_ATOMIC as well. Memoised. */
uint32_t au_held_guards(au_held *h, uint32_t set, bool write, bool atomic);
/* The members common to both (of sets from au_held_guards). Memoised. */
uint32_t au_held_meet(au_held *h, uint32_t a, uint32_t b);

#endif
