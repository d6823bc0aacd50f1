/* base/sets.h: sets of numbers that share what they have in common.
 *
 * A set is a small number; equal sets of one store are equal numbers, 0 is the empty one. Sets
 * are binary trees by the members' bits (Patricia trees, Okasaki and Gill 1998) whose
 * nodes are made once: a set that differs in one member from another costs some 30 nodes at most,
 * however large both are, and comparing two is fast where they share. So n sets, each with one member more
 * than the one before, cost n log n and not n^2. */
#ifndef AU_BASE_SETS_H
#define AU_BASE_SETS_H

#include "base/hash.h"
#include "base/vec.h"

#define AU_SET_NONE 0u

typedef struct {
    uint32_t key;         /* the member; of a branch the bits that all its members share */
    uint32_t bit;         /* in which they differ next; 0: one member */
    uint32_t left, right; /* those without that bit, with it */
    uint32_t n;           /* members */
} au_set_node;

/* All zeroes is an empty store. */
typedef struct {
    AU_VEC(au_set_node) node;
    au_idtable index;
} au_sets;

void au_sets_release(au_sets *s);

uint32_t au_sets_with(au_sets *s, uint32_t set, uint32_t member);
uint32_t au_sets_without(au_sets *s, uint32_t set, uint32_t member);
uint32_t au_sets_join(au_sets *s, uint32_t a, uint32_t b);
uint32_t au_sets_meet(au_sets *s, uint32_t a, uint32_t b);

bool au_sets_has(const au_sets *s, uint32_t set, uint32_t member);
/* Is there a common member? */
bool au_sets_touch(const au_sets *s, uint32_t a, uint32_t b);
static inline uint32_t au_sets_count(const au_sets *s, uint32_t set) {
    return set ? s->node.at[set].n : 0;
}
/* Writes the members, rising, to 'to', which has room for au_sets_count. */
void au_sets_list(const au_sets *s, uint32_t set, uint32_t *to);

#endif
