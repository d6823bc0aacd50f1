#include "trace/name_cache.h"

#include "base/alloc.h"

#include <stdlib.h>

#define LOW(n) ((n) >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * ((unsigned)(n) % 8)) - 1)
#define BOTH(n)                                                                                    \
    { LOW(n), (n) > 8 ? LOW((n)-8) : 0 }
const uint64_t au_name_mask[AU_NAME_SHORT + 1][2] = {
    BOTH(0), BOTH(1),  BOTH(2),  BOTH(3),  BOTH(4),  BOTH(5),  BOTH(6),  BOTH(7), BOTH(8),
    BOTH(9), BOTH(10), BOTH(11), BOTH(12), BOTH(13), BOTH(14), BOTH(15), BOTH(16)};

static void set_cap(au_name_cache *k, unsigned bits) {
    k->cap = (size_t)1 << bits;
    k->shift = 64 - bits;
    k->slot = au_alloc_array(k->cap, sizeof *k->slot);
}

void au_name_cache_init(au_name_cache *k) {
    *k = (au_name_cache){0};
    set_cap(k, 6);
}

void au_name_cache_release(au_name_cache *k) {
    free(k->slot);
    *k = (au_name_cache){0};
}

static void place(au_name_cache *k, struct au_name_slot e) {
    size_t i = au_name_place_(k, e.lo, e.hi);
    while (k->slot[i].len)
        i = (i + 1) & (k->cap - 1);
    k->slot[i] = e;
    k->n++;
}

static void grow(au_name_cache *k) {
    au_name_cache old = *k;
    k->n = 0;
    set_cap(k, 64 - old.shift + 1);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slot[i].len)
            place(k, old.slot[i]);
    free(old.slot);
}

uint32_t au_name_cache_add(au_name_cache *k, au_intern *t, const char *s, size_t len) {
    uint32_t id = au_intern_add(t, s, len);
    if (len > AU_NAME_SHORT)
        return id;
    /* A second probe is a branch guessed wrong: keep tables that fit a near cache
     * a quarter full, larger ones (where memory costs more) half. */
    if (k->n * (k->cap < 1 << 16 ? 4 : 2) >= k->cap)
        grow(k);
    char bytes[AU_NAME_SHORT] = {0};
    memcpy(bytes, s, len);
    place(k, (struct au_name_slot){au_load8(bytes), au_load8(bytes + 8), (uint32_t)len, id});
    return id;
}
