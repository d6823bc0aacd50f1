/* oracle/store.c: fixed-size records, each stored once. */
#include "oracle/oracle_priv.h"

#include <string.h>

void au_records_init(au_records *s, size_t size) {
    *s = (au_records){.size = size};
    au_idtable_init(&s->index);
}

void au_records_release(au_records *s) {
    au_vec_release(&s->data);
    au_idtable_release(&s->index);
}

const void *au_records_at(const au_records *s, uint32_t id) {
    return s->data.at + (size_t)id * s->size;
}

static bool same(const void *ctx, uint32_t id, const void *key) {
    const au_records *s = ctx;
    return !memcmp(au_records_at(s, id), key, s->size);
}

uint32_t au_records_put(au_records *s, const void *record, bool *fresh) {
    uint64_t h = au_hash_bytes(record, s->size);
    uint32_t id = au_idtable_find(&s->index, h, same, s, record);
    if (fresh)
        *fresh = id == AU_NONE;
    if (id == AU_NONE) {
        id = s->n++;
        au_vec_append(&s->data, (const char *)record, s->size);
        au_idtable_add(&s->index, h, id);
    }
    return id;
}
