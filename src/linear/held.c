/* linear/held.c: interned sets of held locks and the steps between them. */
#include "linear/held.h"

#include "base/arena.h"
#include "base/error.h"

typedef struct {
    uint32_t lock, depth;
    bool shared;
} holding;

typedef struct {
    uint32_t set;
    AU_VEC(holding) lock;
} holder;

typedef struct {
    const uint32_t *at;
    uint32_t n;
    uint32_t guards[4]; /* by write | atomic << 1; AU_NONE: not known yet */
} held_set;

struct au_held {
    const au_names *names;
    au_arena arena;
    au_idtable index;
    AU_VEC(held_set) set;
    au_map step; /* set << 32 | member -> set with it, or without it if it was there */
    au_map meet; /* set << 32 | set -> set */
    AU_VEC(holder) thread;
    AU_VEC(uint32_t) scratch;
};

struct members {
    const uint32_t *at;
    uint32_t n;
};

static bool same_members(const void *ctx, uint32_t id, const void *key) {
    const held_set *s = &((const au_held *)ctx)->set.at[id];
    const struct members *m = key;
    return s->n == m->n && (!m->n || memcmp(s->at, m->at, m->n * sizeof *m->at) == 0);
}

static uint32_t intern(au_held *h, const uint32_t *at, size_t n) {
    struct members m = {at, (uint32_t)n};
    uint64_t hash = au_hash_bytes(at, n * sizeof *at);
    uint32_t id = au_idtable_find(&h->index, hash, same_members, h, &m);
    if (id != AU_NONE)
        return id;
    id = (uint32_t)h->set.n;
    uint32_t *copy = AU_ARENA_ARRAY(&h->arena, uint32_t, n + 1);
    if (n)
        memcpy(copy, at, n * sizeof *at);
    au_vec_push(
        &h->set,
        ((held_set){.at = copy, .n = (uint32_t)n, .guards = {AU_NONE, AU_NONE, AU_NONE, AU_NONE}}));
    au_idtable_add(&h->index, hash, id);
    return id;
}

au_held *au_held_new(const au_names *names) {
    au_held *h = AU_NEW(au_held);
    h->names = names;
    au_arena_init(&h->arena);
    au_idtable_init(&h->index);
    au_map_init(&h->step);
    au_map_init(&h->meet);
    uint32_t none = 0;
    AU_BUG_IF(intern(h, &none, 0) != AU_HELD_NONE);
    return h;
}

void au_held_free(au_held *h) {
    if (!h)
        return;
    for (size_t t = 0; t < h->thread.n; t++)
        au_vec_release(&h->thread.at[t].lock);
    au_vec_release(&h->thread);
    au_vec_release(&h->scratch);
    au_vec_release(&h->set);
    au_map_release(&h->step);
    au_map_release(&h->meet);
    au_idtable_release(&h->index);
    au_arena_release(&h->arena);
    free(h);
}

/* The set with the member, or without it if it is there. */
static uint32_t toggle(au_held *h, uint32_t set, uint32_t member) {
    bool fresh;
    uint64_t *next = au_map_put(&h->step, au_key2(set, member), &fresh);
    if (!fresh)
        return (uint32_t)*next;
    held_set s = h->set.at[set];
    au_vec_clear(&h->scratch);
    uint32_t i = 0;
    for (; i < s.n && s.at[i] < member; i++)
        au_vec_push(&h->scratch, s.at[i]);
    if (i < s.n && s.at[i] == member)
        i++;
    else
        au_vec_push(&h->scratch, member);
    for (; i < s.n; i++)
        au_vec_push(&h->scratch, s.at[i]);
    uint32_t id = intern(h, h->scratch.at, h->scratch.n);
    *au_map_find(&h->step, au_key2(set, member)) = id;
    return id;
}

static holding *find(holder *t, uint32_t lock) {
    for (size_t k = t->lock.n; k-- > 0;)
        if (t->lock.at[k].lock == lock)
            return &t->lock.at[k];
    return NULL;
}

static void give(au_held *h, holder *t, holding *l) {
    t->set = toggle(h, t->set, l->lock << 1 | !l->shared);
    *l = au_vec_pop(&t->lock);
}

au_held_change au_held_step(au_held *h, uint16_t thread, au_op op, uint32_t obj) {
    if (op != AU_OP_ACQ && op != AU_OP_REL && op != AU_OP_RDACQ && op != AU_OP_WRACQ &&
        op != AU_OP_INIT)
        return AU_HELD_SAME;
    if (h->names && au_names_sync(h->names, obj).kind == AU_WIRE_OBJ_SEM)
        return AU_HELD_SAME;
    if (op == AU_OP_INIT) { /* new and free, whoever held it */
        for (size_t t = 0; t < h->thread.n; t++) {
            holding *l = find(&h->thread.at[t], obj);
            if (l)
                give(h, &h->thread.at[t], l);
        }
        return AU_HELD_SAME;
    }
    while (h->thread.n <= thread)
        memset(au_vec_add(&h->thread), 0, sizeof(holder));
    holder *t = &h->thread.at[thread];
    holding *l = find(t, obj);
    if (op != AU_OP_REL) {
        if (l) {
            l->depth++;
            return AU_HELD_SAME;
        }
        bool shared = op == AU_OP_RDACQ;
        au_vec_push(&t->lock, ((holding){obj, 1, shared}));
        t->set = toggle(h, t->set, obj << 1 | !shared);
        return shared ? AU_HELD_TAKEN_SHARED : AU_HELD_TAKEN;
    }
    if (!l || --l->depth)
        return AU_HELD_SAME;
    bool shared = l->shared;
    give(h, t, l);
    return shared ? AU_HELD_GIVEN_SHARED : AU_HELD_GIVEN;
}

uint32_t au_held_set(const au_held *h, uint16_t thread) {
    return thread < h->thread.n ? h->thread.at[thread].set : AU_HELD_NONE;
}

const uint32_t *au_held_members(const au_held *h, uint32_t set, uint32_t *n) {
    *n = h->set.at[set].n;
    return h->set.at[set].at;
}

bool au_held_exclude(const au_held *h, uint32_t a, uint32_t b) {
    if (a == AU_HELD_NONE || b == AU_HELD_NONE)
        return false;
    const held_set *x = &h->set.at[a], *y = &h->set.at[b];
    for (uint32_t i = 0, k = 0; i < x->n && k < y->n;) {
        uint32_t l = x->at[i] >> 1, m = y->at[k] >> 1;
        if (l == m && ((x->at[i] | y->at[k]) & 1))
            return true;
        i += l <= m;
        k += m <= l;
    }
    return false;
}

uint32_t au_held_guards(au_held *h, uint32_t set, bool write, bool atomic) {
    unsigned kind = (unsigned)write | (unsigned)atomic << 1;
    uint32_t id = h->set.at[set].guards[kind];
    if (id != AU_NONE)
        return id;
    held_set s = h->set.at[set];
    au_vec_clear(&h->scratch);
    for (uint32_t i = 0; i < s.n; i++)
        if (!write || (s.at[i] & 1))
            au_vec_push(&h->scratch, s.at[i] | 1);
    if (atomic)
        au_vec_push(&h->scratch, AU_HELD_ATOMIC);
    id = intern(h, h->scratch.at, h->scratch.n);
    return h->set.at[set].guards[kind] = id;
}

uint32_t au_held_meet(au_held *h, uint32_t a, uint32_t b) {
    if (a == b || a == AU_HELD_NONE)
        return a;
    if (b == AU_HELD_NONE)
        return b;
    bool fresh;
    uint64_t *known = au_map_put(&h->meet, au_key2(a, b), &fresh);
    if (!fresh)
        return (uint32_t)*known;
    held_set x = h->set.at[a], y = h->set.at[b];
    au_vec_clear(&h->scratch);
    for (uint32_t i = 0, k = 0; i < x.n && k < y.n;) {
        if (x.at[i] == y.at[k])
            au_vec_push(&h->scratch, x.at[i]);
        uint32_t l = x.at[i], m = y.at[k];
        i += l <= m;
        k += m <= l;
    }
    uint32_t id = intern(h, h->scratch.at, h->scratch.n);
    *au_map_find(&h->meet, au_key2(a, b)) = id;
    return id;
}
