/* trace/name_cache.h: short names to dense ids, faster than the interning table
 * behind it. Only for src/trace.
 *
 * Nearly all names in nearly all traces have at most 16 bytes. Such a name is two
 * words, taken with two loads and a mask, without a loop over its length whose
 * end the processor would guess wrong; comparing is comparing words. Longer names
 * go to the table. */
#ifndef AU_TRACE_NAME_CACHE_H
#define AU_TRACE_NAME_CACHE_H

#include "base/intern.h"

#include <string.h>

enum { AU_NAME_SHORT = 16 };

typedef struct {
    struct au_name_slot {
        uint64_t lo, hi;
        uint32_t len; /* 0: empty (there is no empty name) */
        uint32_t id;
    } * slot;
    size_t n, cap; /* cap is a power of two or 0 */
    unsigned shift;
} au_name_cache;

void au_name_cache_init(au_name_cache *k);
void au_name_cache_release(au_name_cache *k);
/* Adds the name to the table (if it is not there) and to the cache. */
uint32_t au_name_cache_add(au_name_cache *k, au_intern *t, const char *s, size_t len);

extern const uint64_t au_name_mask[AU_NAME_SHORT + 1][2];

static inline uint64_t au_load8(const char *p) {
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

__extension__ typedef unsigned __int128 au_u128_;

static inline size_t au_name_place_(const au_name_cache *k, uint64_t lo, uint64_t hi) {
    au_u128_ m =
        (au_u128_)(lo ^ UINT64_C(0x2d358dccaa6c78a5)) * (hi ^ UINT64_C(0x8bb84b93962eacc9));
    return (size_t)(((uint64_t)m ^ (uint64_t)(m >> 64)) * UINT64_C(0x9e3779b97f4a7c15) >> k->shift);
}

/* AU_NONE if it is not in the cache. 0 < len; AU_NAME_SHORT bytes must be
 * readable at s whatever len is. */
static inline uint32_t au_name_cache_find(const au_name_cache *k, const char *s, size_t len) {
    if (len > AU_NAME_SHORT)
        return AU_NONE;
    uint64_t lo = au_load8(s) & au_name_mask[len][0];
    uint64_t hi = au_load8(s + 8) & au_name_mask[len][1];
    for (size_t i = au_name_place_(k, lo, hi);; i = (i + 1) & (k->cap - 1)) {
        const struct au_name_slot *e = &k->slot[i];
        if (e->lo == lo && e->hi == hi && e->len == len)
            return e->id;
        if (!e->len)
            return AU_NONE;
    }
}

#endif
