/* base/hash.h: open-addressing hash tables.
 *
 * au_map     64-bit key -> 64-bit value.
 * au_keyset  64-bit keys; 64 neighbours lie in one place: a sixteenth of a map's memory if they are all there, as
 *            much as a map's if none are.
 * au_idtable dense 32-bit ids found by a hash and an equality of the caller's:
 *            the index of every hash-consing and interning table here. */
#ifndef AU_BASE_HASH_H
#define AU_BASE_HASH_H

#include "base/none.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t au_hash_bytes(const void *p, size_t n);

/* One round of a strong mixer: enough for keys that are small integers. */
static inline uint64_t au_hash_u64(uint64_t x) {
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return x;
}
static inline uint64_t au_hash_join(uint64_t a, uint64_t b) {
    return au_hash_u64(a * UINT64_C(0x9e3779b97f4a7c15) + b);
}

/* Two numbers as one key of a map. */
static inline uint64_t au_key2(uint32_t a, uint32_t b) {
    return (uint64_t)a << 32 | b;
}

typedef struct {
    uint64_t *slot; /* key, value pairs */
    uint8_t *used;
    size_t n, cap; /* cap is a power of two or 0 */
} au_map;

void au_map_init(au_map *m);
void au_map_release(au_map *m);
void au_map_clear(au_map *m);
/* NULL if absent. Valid until the next put. */
uint64_t *au_map_find(const au_map *m, uint64_t key);
/* The value's place; *fresh (may be NULL) says whether it was added (and is 0). */
uint64_t *au_map_put(au_map *m, uint64_t key, bool *fresh);

typedef struct {
    struct au_key_group {
        uint64_t number; /* key / 64, + 1; 0 is empty */
        uint64_t has;    /* by key % 64 */
    } * group;
    size_t n, cap; /* groups */
} au_keyset;       /* an empty one is all zeroes */

void au_keyset_release(au_keyset *s);
bool au_keyset_has(const au_keyset *s, uint64_t key);
/* False: it was there. */
bool au_keyset_add(au_keyset *s, uint64_t key);
void au_keyset_remove(au_keyset *s, uint64_t key);

typedef struct {
    uint64_t *slot; /* upper 32 bits of the hash | id + 1; 0 is empty */
    size_t n, cap;
} au_idtable;

typedef bool au_id_eq(const void *ctx, uint32_t id, const void *key);

void au_idtable_init(au_idtable *t);
void au_idtable_release(au_idtable *t);
/* AU_NONE if no id with this hash satisfies eq(ctx, id, key). */
uint32_t au_idtable_find(const au_idtable *t, uint64_t hash, au_id_eq *eq, const void *ctx,
                         const void *key);
/* The caller knows that it is not there yet. */
void au_idtable_add(au_idtable *t, uint64_t hash, uint32_t id);

#endif
