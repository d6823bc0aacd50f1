/* linear/lockctx.h: what a thread holds, and what it took since, as small numbers.
 *
 * A lock context is a lockset with modes and, for each held lock, its acquisition
 * history: the locks that the thread acquired (and perhaps released) since it took
 * that one. Contexts are interned: equal contexts are equal ids, 0 is "holds
 * nothing". Acquire and release are transitions between ids and remembered, so that
 * a lock event of a long trace costs one table look-up.
 *
 * Two positions of different threads are compatible if the threads can be at them
 * at the same time, as far as these locks go (Kahlon et al. 2005, docs/papers.md):
 *   - no lock is held by both, except for reading by both;
 *   - there are no locks l held by the one and m held by the other such that the one
 *     took m since it took l and the other took l since it took m, each in a mode
 *     that conflicts with the one in which it is held now.
 * Both are necessary however the locks are nested: a thread that holds m at the end
 * has it from its last acquisition on, so every conflicting acquisition of m by the
 * other came before that one; with the same for l the four acquisitions are in a
 * circle. For threads that release in the reverse order of acquisition they are also
 * sufficient (schedule.c constructs the schedule). */
#ifndef AU_LINEAR_LOCKCTX_H
#define AU_LINEAR_LOCKCTX_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define AU_LOCKCTX_NOTHING 0u

/* All contexts of all threads of a trace. */
typedef struct au_lockctx au_lockctx;

au_lockctx *au_lockctx_new(void);
void au_lockctx_free(au_lockctx *c);

/* The context after this one acquires 'lock', which it does not hold. */
uint32_t au_lockctx_acquire(au_lockctx *c, uint32_t id, uint32_t lock, bool shared);
/* … and after it releases 'lock', which it holds. *nested says whether the lock was
 * the last one taken of those held. */
uint32_t au_lockctx_release(au_lockctx *c, uint32_t id, uint32_t lock, bool *nested);

/* How many ids there are: 0 … count-1. */
uint32_t au_lockctx_count(const au_lockctx *c);
uint32_t au_lockctx_held(const au_lockctx *c, uint32_t id);
bool au_lockctx_holds(const au_lockctx *c, uint32_t id, uint32_t lock);
/* The i-th held lock in the order of acquisition, and whether it is held for reading. */
uint32_t au_lockctx_lock(const au_lockctx *c, uint32_t id, uint32_t i, bool *shared);
/* The first of the two conditions of compatibility, and both. */
bool au_lockctx_disjoint(const au_lockctx *c, uint32_t a, uint32_t b);
bool au_lockctx_compatible(const au_lockctx *c, uint32_t a, uint32_t b);
/* The same for one against many: yes[i] = compatible(a, b[i]). How many are. */
size_t au_lockctx_match(const au_lockctx *c, uint32_t a, const uint32_t *b, size_t n, bool *yes);

/* --- one thread's way through the contexts ------------------------------------ */

typedef struct {
    uint32_t lock, depth;
} au_lock_depth;

/* Counts re-acquisitions by the holder, which change nothing. An empty one is all
 * zeroes. */
typedef struct {
    uint32_t id;
    AU_VEC(au_lock_depth) held;
} au_lockwalk;

void au_lockwalk_release(au_lockwalk *w);

typedef enum {
    AU_LOCK_SAME, /* recursion: the context is what it was */
    AU_LOCK_CHANGED,
    AU_LOCK_OUT_OF_ORDER /* changed by a release that was not of the last lock taken */
} au_lock_effect;

au_lock_effect au_lockwalk_acq(au_lockwalk *w, au_lockctx *c, uint32_t lock, bool shared);
/* A release of what is not held changes nothing (valid traces have none). 'fully': whatever the
 * depth, as when an object is made new. */
au_lock_effect au_lockwalk_rel(au_lockwalk *w, au_lockctx *c, uint32_t lock, bool fully);
static inline bool au_lockwalk_empty(const au_lockwalk *w) {
    return w->held.n == 0;
}

#endif
