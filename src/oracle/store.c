/* oracle/store.c: fixed-size records, each stored once. */
#include "oracle/oracle_priv.h"

#include <string.h>

void au_store_init(au_store *s, size_t size) {
    *s = (au_store){.size = size};
    au_idtable_init(&s->index);
}

void au_store_release(au_store *s) {
    au_vec_release(&s->data);
    au_idtable_release(&s->index);
}

const void *au_store_at(const au_store *s, uint32_t id) {
    return s->data.at + (size_t)id * s->size;
}

static bool same(const void *ctx, uint32_t id, const void *key) {
    const au_store *s = ctx;
    return !memcmp(au_store_at(s, id), key, s->size);
}

uint32_t au_store_put(au_store *s, const void *record, bool *fresh) {
    uint64_t h = au_hash_bytes(record, s->size);
    uint32_t id = au_idtable_find(&s->index, h, same, s, record);
    if (fresh)
        *fresh = id == AU_NO_ID;
    if (id == AU_NO_ID) {
        id = s->n++;
        au_vec_append(&s->data, (const char *)record, s->size);
        au_idtable_add(&s->index, h, id);
    }
    return id;
}
