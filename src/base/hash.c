#include "base/hash.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t au_hash_bytes(const void *p, size_t n) {
    return XXH3_64bits(p, n);
}

void au_map_init(au_map *m) {
    *m = (au_map){0};
}

void au_map_release(au_map *m) {
    free(m->slot);
    free(m->used);
    *m = (au_map){0};
}

void au_map_clear(au_map *m) {
    if (m->cap)
        memset(m->used, 0, m->cap);
    m->n = 0;
}

static size_t map_probe(const au_map *m, uint64_t key) {
    size_t mask = m->cap - 1;
    size_t i = au_hash_u64(key) & mask;
    while (m->used[i] && m->slot[2 * i] != key)
        i = (i + 1) & mask;
    return i;
}

uint64_t *au_map_find(const au_map *m, uint64_t key) {
    if (!m->n)
        return NULL;
    size_t i = map_probe(m, key);
    return m->used[i] ? &m->slot[2 * i + 1] : NULL;
}

static void map_grow(au_map *m) {
    au_map old = *m;
    m->cap = old.cap ? old.cap * 2 : 16;
    m->slot = au_alloc_array(2 * m->cap, sizeof *m->slot);
    m->used = au_alloc_array(m->cap, 1);
    for (size_t i = 0; i < old.cap; i++) {
        if (!old.used[i])
            continue;
        size_t j = map_probe(m, old.slot[2 * i]);
        m->used[j] = 1;
        memcpy(&m->slot[2 * j], &old.slot[2 * i], 2 * sizeof *m->slot);
    }
    au_map_release(&old);
}

uint64_t *au_map_put(au_map *m, uint64_t key, bool *fresh) {
    if (m->n * 4 >= m->cap * 3)
        map_grow(m);
    size_t i = map_probe(m, key);
    if (fresh)
        *fresh = !m->used[i];
    if (!m->used[i]) {
        m->used[i] = 1;
        m->slot[2 * i] = key;
        m->slot[2 * i + 1] = 0;
        m->n++;
    }
    return &m->slot[2 * i + 1];
}

void au_keyset_release(au_keyset *s) {
    free(s->group);
    *s = (au_keyset){0};
}

/* The group of this number + 1, or where it would be. */
static struct au_key_group *keyset_probe(const au_keyset *s, uint64_t number) {
    size_t mask = s->cap - 1, i = au_hash_u64(number) & mask;
    while (s->group[i].number && s->group[i].number != number)
        i = (i + 1) & mask;
    return &s->group[i];
}

bool au_keyset_has(const au_keyset *s, uint64_t key) {
    return s->n && keyset_probe(s, (key >> 6) + 1)->has >> (key & 63) & 1;
}

static void keyset_grow(au_keyset *s) {
    au_keyset old = *s;
    s->cap = old.cap ? old.cap * 2 : 16;
    s->group = au_alloc_array(s->cap, sizeof *s->group);
    for (size_t i = 0; i < old.cap; i++)
        if (old.group[i].number)
            *keyset_probe(s, old.group[i].number) = old.group[i];
    free(old.group);
}

bool au_keyset_add(au_keyset *s, uint64_t key) {
    if (s->n * 4 >= s->cap * 3)
        keyset_grow(s);
    struct au_key_group *g = keyset_probe(s, (key >> 6) + 1);
    uint64_t bit = UINT64_C(1) << (key & 63);
    s->n += !g->number;
    g->number = (key >> 6) + 1;
    if (g->has & bit)
        return false;
    g->has |= bit;
    return true;
}

/* Its group stays: who takes a key away mostly adds it again. */
void au_keyset_remove(au_keyset *s, uint64_t key) {
    if (s->n)
        keyset_probe(s, (key >> 6) + 1)->has &= ~(UINT64_C(1) << (key & 63));
}

void au_idtable_init(au_idtable *t) {
    *t = (au_idtable){0};
}

void au_idtable_release(au_idtable *t) {
    free(t->slot);
    *t = (au_idtable){0};
}

/* The upper half of the hash is kept in the slot, and positions come from it
 * too, so that growing never needs the keys again. */
static size_t start_of(uint32_t tag, size_t cap) {
    return (size_t)(au_hash_u64(tag) & (cap - 1));
}

uint32_t au_idtable_find(const au_idtable *t, uint64_t hash, au_id_eq *eq, const void *ctx,
                         const void *key) {
    if (!t->n)
        return AU_NONE;
    uint32_t tag = (uint32_t)(hash >> 32);
    for (size_t i = start_of(tag, t->cap);; i = (i + 1) & (t->cap - 1)) {
        uint64_t s = t->slot[i];
        if (!s)
            return AU_NONE;
        if ((uint32_t)(s >> 32) == tag && eq(ctx, (uint32_t)s - 1, key))
            return (uint32_t)s - 1;
    }
}

static void idtable_place(au_idtable *t, uint64_t s) {
    size_t i = start_of((uint32_t)(s >> 32), t->cap);
    while (t->slot[i])
        i = (i + 1) & (t->cap - 1);
    t->slot[i] = s;
}

void au_idtable_add(au_idtable *t, uint64_t hash, uint32_t id) {
    if (t->n * 3 >= t->cap * 2) {
        au_idtable old = *t;
        t->cap = old.cap ? old.cap * 2 : 32;
        t->slot = au_alloc_array(t->cap, sizeof *t->slot);
        for (size_t i = 0; i < old.cap; i++)
            if (old.slot[i])
                idtable_place(t, old.slot[i]);
        free(old.slot);
    }
    idtable_place(t, (hash >> 32) << 32 | (id + 1));
    t->n++;
}
