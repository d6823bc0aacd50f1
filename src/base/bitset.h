/* base/bitset.h: sets of small integers. The size is fixed at init. */
#ifndef AU_BASE_BITSET_H
#define AU_BASE_BITSET_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t *word;
    size_t bits;
} au_bitset;

static inline size_t au_bitset_words(const au_bitset *s) {
    return (s->bits + 63) / 64;
}
static inline void au_bitset_init(au_bitset *s, size_t bits) {
    s->bits = bits;
    s->word = au_alloc_array((bits + 63) / 64, sizeof *s->word);
}
static inline void au_bitset_release(au_bitset *s) {
    free(s->word);
    *s = (au_bitset){0};
}
static inline void au_bitset_clear(au_bitset *s) {
    memset(s->word, 0, au_bitset_words(s) * sizeof *s->word);
}
static inline bool au_bitset_has(const au_bitset *s, size_t i) {
    return s->word[i / 64] >> (i % 64) & 1;
}
static inline void au_bitset_add(au_bitset *s, size_t i) {
    s->word[i / 64] |= UINT64_C(1) << (i % 64);
}
static inline void au_bitset_remove(au_bitset *s, size_t i) {
    s->word[i / 64] &= ~(UINT64_C(1) << (i % 64));
}
/* Both of one size. True if 'into' grew. */
static inline bool au_bitset_join(au_bitset *into, const au_bitset *from) {
    uint64_t grew = 0;
    for (size_t i = 0; i < au_bitset_words(into); i++) {
        grew |= from->word[i] & ~into->word[i];
        into->word[i] |= from->word[i];
    }
    return grew != 0;
}
static inline bool au_bitset_meets(const au_bitset *a, const au_bitset *b) {
    for (size_t i = 0; i < au_bitset_words(a); i++)
        if (a->word[i] & b->word[i])
            return true;
    return false;
}
static inline size_t au_bitset_count(const au_bitset *s) {
    size_t n = 0;
    for (size_t i = 0; i < au_bitset_words(s); i++)
        n += (size_t)__builtin_popcountll(s->word[i]);
    return n;
}
/* The smallest member >= from, or s->bits. */
static inline size_t au_bitset_next(const au_bitset *s, size_t from) {
    if (from >= s->bits)
        return s->bits;
    size_t w = from / 64;
    uint64_t x = s->word[w] >> (from % 64);
    if (x)
        return from + (size_t)__builtin_ctzll(x);
    while (++w < au_bitset_words(s))
        if (s->word[w])
            return w * 64 + (size_t)__builtin_ctzll(s->word[w]);
    return s->bits;
}

#endif
