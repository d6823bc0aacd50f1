#include "base/intern.h"

#include "base/error.h"
#include "base/vec.h"

void au_intern_init(au_intern *t) {
    *t = (au_intern){0};
    au_arena_init(&t->bytes);
    au_idtable_init(&t->index);
}

void au_intern_release(au_intern *t) {
    au_arena_release(&t->bytes);
    au_idtable_release(&t->index);
    free(t->at);
    *t = (au_intern){0};
}

struct key {
    const char *s;
    size_t len;
};

static bool same(const void *ctx, uint32_t id, const void *key) {
    const struct au_interned *e = &((const au_intern *)ctx)->at[id];
    const struct key *k = key;
    return e->len == k->len && !memcmp(e->s, k->s, k->len);
}

uint32_t au_intern_find(const au_intern *t, const char *s, size_t len) {
    return au_idtable_find(&t->index, au_hash_bytes(s, len), same, t, &(struct key){s, len});
}

uint32_t au_intern_add(au_intern *t, const char *s, size_t len) {
    uint64_t h = au_hash_bytes(s, len);
    uint32_t id = au_idtable_find(&t->index, h, same, t, &(struct key){s, len});
    if (id != AU_NONE)
        return id;
    AU_BUG_IF(t->n >= UINT32_MAX - 1 || len > UINT32_MAX);
    id = (uint32_t)t->n;
    au_vec_push(t, ((struct au_interned){au_arena_strndup(&t->bytes, s, len), (uint32_t)len}));
    au_idtable_add(&t->index, h, id);
    return id;
}
