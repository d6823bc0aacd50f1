/* linear/lockctx.c: interned lock contexts.
 *
 * A lock set is an array of words, interned too (equal sets are equal ids; trailing
 * zero words are cut off, so that sets made before a lock was seen stay what they
 * are). A context is the list of held locks in the order of acquisition, each with
 * its mode and two sets: the locks acquired since for writing, and those acquired
 * since for reading only. (What was acquired in both ways conflicts like a write.)
 *
 * Where all locks have numbers below 64, the first words of the sets are all there
 * is and compatibility is a few instructions. */
#include "linear/lockctx.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"

#include <string.h>

typedef struct {
    const uint64_t *word;
    uint32_t n;
} set;

typedef struct {
    uint32_t lock;
    uint32_t shared;
    uint32_t since;        /* set: acquired since for writing */
    uint32_t since_shared; /* set: acquired since, only for reading */
} held;

typedef struct {
    const held *at;
    uint32_t n;
    uint32_t excl, shared; /* sets: held for writing, for reading */
    uint32_t since;        /* set: all that any history has */
    uint64_t held_low;     /* first words, for a quick answer: held at all, */
    uint64_t excl_low;     /* held for writing, */
    uint64_t since_low;    /* since */
} context;

struct au_lockctx {
    au_arena arena;
    AU_VEC(set) set;
    AU_VEC(context) ctx;
    au_idtable set_index, ctx_index;
    au_map next; /* transitions: (id, lock, op) -> id, and whether it was in order */
    bool wide;   /* some lock's number is 64 or more */
    AU_VEC(uint64_t) scratch;
    AU_VEC(held) list;
};

/* --- sets ------------------------------------------------------------------------ */

static bool same_set(const void *ctx, uint32_t id, const void *key) {
    const au_lockctx *c = ctx;
    const set *k = key;
    return c->set.at[id].n == k->n &&
           (!k->n || memcmp(c->set.at[id].word, k->word, k->n * sizeof *k->word) == 0);
}

static uint32_t intern_set(au_lockctx *c, const uint64_t *word, uint32_t n) {
    while (n && !word[n - 1])
        n--;
    set s = {word, n};
    uint64_t h = au_hash_bytes(word, n * sizeof *word);
    uint32_t id = au_idtable_find(&c->set_index, h, same_set, c, &s);
    if (id != AU_NONE)
        return id;
    uint64_t *copy = AU_ARENA_ARRAY(&c->arena, uint64_t, n ? n : 1);
    if (n)
        memcpy(copy, word, n * sizeof *word);
    id = (uint32_t)c->set.n;
    au_vec_push(&c->set, ((set){copy, n}));
    au_idtable_add(&c->set_index, h, id);
    return id;
}

static bool has(const au_lockctx *c, uint32_t id, uint32_t lock) {
    const set *s = &c->set.at[id];
    return lock / 64 < s->n && (s->word[lock / 64] >> (lock % 64) & 1);
}

static uint32_t with_lock(au_lockctx *c, uint32_t id, uint32_t lock, bool in) {
    if (has(c, id, lock) == in)
        return id;
    set s = c->set.at[id];
    uint32_t n = s.n > lock / 64 ? s.n : lock / 64 + 1;
    au_vec_clear(&c->scratch);
    au_vec_reserve(&c->scratch, n);
    memset(c->scratch.at, 0, n * sizeof *c->scratch.at);
    if (s.n)
        memcpy(c->scratch.at, s.word, s.n * sizeof *s.word);
    c->scratch.at[lock / 64] ^= UINT64_C(1) << (lock % 64);
    return intern_set(c, c->scratch.at, n);
}

static uint32_t join(au_lockctx *c, uint32_t a, uint32_t b) {
    if (a == b || !c->set.at[b].n)
        return a;
    set x = c->set.at[a], y = c->set.at[b];
    uint32_t n = x.n > y.n ? x.n : y.n;
    au_vec_clear(&c->scratch);
    au_vec_reserve(&c->scratch, n);
    for (uint32_t i = 0; i < n; i++)
        c->scratch.at[i] = (i < x.n ? x.word[i] : 0) | (i < y.n ? y.word[i] : 0);
    return intern_set(c, c->scratch.at, n);
}

static bool meet(const au_lockctx *c, uint32_t a, uint32_t b) {
    const set *x = &c->set.at[a], *y = &c->set.at[b];
    for (uint32_t i = 0; i < x->n && i < y->n; i++)
        if (x->word[i] & y->word[i])
            return true;
    return false;
}

static uint64_t low(const au_lockctx *c, uint32_t id) {
    return c->set.at[id].n ? c->set.at[id].word[0] : 0;
}

/* --- contexts -------------------------------------------------------------------- */

static bool same_context(const void *ctx, uint32_t id, const void *key) {
    const au_lockctx *c = ctx;
    const context *k = key;
    return c->ctx.at[id].n == k->n &&
           (!k->n || memcmp(c->ctx.at[id].at, k->at, k->n * sizeof *k->at) == 0);
}

static uint32_t intern_context(au_lockctx *c, const held *at, uint32_t n) {
    context x = {.at = at, .n = n};
    uint64_t h = au_hash_bytes(at, n * sizeof *at);
    uint32_t id = au_idtable_find(&c->ctx_index, h, same_context, c, &x);
    if (id != AU_NONE)
        return id;
    held *copy = AU_ARENA_ARRAY(&c->arena, held, n ? n : 1);
    if (n)
        memcpy(copy, at, n * sizeof *at);
    x.at = copy;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *in = copy[i].shared ? &x.shared : &x.excl;
        *in = with_lock(c, *in, copy[i].lock, true);
        x.since = join(c, join(c, x.since, copy[i].since), copy[i].since_shared);
    }
    x.held_low = low(c, x.excl) | low(c, x.shared);
    x.excl_low = low(c, x.excl);
    x.since_low = low(c, x.since);
    id = (uint32_t)c->ctx.n;
    au_vec_push(&c->ctx, x);
    au_idtable_add(&c->ctx_index, h, id);
    return id;
}

au_lockctx *au_lockctx_new(void) {
    au_lockctx *c = AU_NEW(au_lockctx);
    au_arena_init(&c->arena);
    au_idtable_init(&c->set_index);
    au_idtable_init(&c->ctx_index);
    au_map_init(&c->next);
    intern_set(c, NULL, 0);     /* 0 is the empty set */
    intern_context(c, NULL, 0); /* 0 holds nothing */
    return c;
}

void au_lockctx_free(au_lockctx *c) {
    if (!c)
        return;
    au_vec_release(&c->set);
    au_vec_release(&c->ctx);
    au_vec_release(&c->scratch);
    au_vec_release(&c->list);
    au_idtable_release(&c->set_index);
    au_idtable_release(&c->ctx_index);
    au_map_release(&c->next);
    au_arena_release(&c->arena);
    free(c);
}

/* --- transitions ------------------------------------------------------------------ */

enum { ACQUIRE, ACQUIRE_SHARED, RELEASE };

/* A lock has 32 bits, an operation 2: 30 are left for the context, of which there are
 * fewer than that (each takes 50 bytes and more). */
static uint64_t *transition(au_lockctx *c, uint32_t id, uint32_t lock, unsigned op, bool *fresh) {
    AU_BUG_IF(id >> 30);
    return au_map_put(&c->next, (uint64_t)id << 34 | (uint64_t)lock << 2 | op, fresh);
}

static void copy_held(au_lockctx *c, uint32_t id) {
    const context *x = &c->ctx.at[id];
    au_vec_clear(&c->list);
    au_vec_append(&c->list, x->at, x->n);
}

uint32_t au_lockctx_acquire(au_lockctx *c, uint32_t id, uint32_t lock, bool shared) {
    bool fresh;
    uint64_t *to = transition(c, id, lock, shared ? ACQUIRE_SHARED : ACQUIRE, &fresh);
    if (!fresh)
        return (uint32_t)*to;
    c->wide |= lock >= 64;
    copy_held(c, id);
    for (size_t i = 0; i < c->list.n; i++) {
        held h = c->list.at[i];
        if (!shared) {
            h.since = with_lock(c, h.since, lock, true);
            h.since_shared = with_lock(c, h.since_shared, lock, false);
        } else if (!has(c, h.since, lock)) {
            h.since_shared = with_lock(c, h.since_shared, lock, true);
        }
        c->list.at[i] = h;
    }
    au_vec_push(&c->list, ((held){.lock = lock, .shared = shared}));
    *to = intern_context(c, c->list.at, (uint32_t)c->list.n);
    return (uint32_t)*to;
}

uint32_t au_lockctx_release(au_lockctx *c, uint32_t id, uint32_t lock, bool *nested) {
    bool fresh;
    uint64_t *to = transition(c, id, lock, RELEASE, &fresh);
    if (fresh) {
        copy_held(c, id);
        size_t i = 0;
        while (i < c->list.n && c->list.at[i].lock != lock)
            i++;
        AU_BUG_IF(i == c->list.n);
        bool last = i + 1 == c->list.n;
        memmove(c->list.at + i, c->list.at + i + 1, (c->list.n - i - 1) * sizeof *c->list.at);
        c->list.n--;
        *to = (uint64_t)last << 32 | intern_context(c, c->list.at, (uint32_t)c->list.n);
    }
    *nested = *to >> 32;
    return (uint32_t)*to;
}

uint32_t au_lockctx_count(const au_lockctx *c) {
    return (uint32_t)c->ctx.n;
}

uint32_t au_lockctx_held(const au_lockctx *c, uint32_t id) {
    return c->ctx.at[id].n;
}

uint32_t au_lockctx_lock(const au_lockctx *c, uint32_t id, uint32_t i, bool *shared) {
    *shared = c->ctx.at[id].at[i].shared;
    return c->ctx.at[id].at[i].lock;
}

/* --- compatibility ------------------------------------------------------------------- */

static inline bool disjoint(const au_lockctx *c, const context *x, const context *y) {
    if (!c->wide)
        return !((x->excl_low & y->held_low) | (x->held_low & y->excl_low));
    return !meet(c, x->excl, y->excl) && !meet(c, x->excl, y->shared) &&
           !meet(c, x->shared, y->excl);
}

bool au_lockctx_disjoint(const au_lockctx *c, uint32_t a, uint32_t b) {
    return disjoint(c, &c->ctx.at[a], &c->ctx.at[b]);
}

/* Did the thread that holds 'mine' take 'theirs' since, so that the two exclude each
 * other? */
static bool took(const au_lockctx *c, const held *mine, const held *theirs) {
    return has(c, mine->since, theirs->lock) ||
           (!theirs->shared && has(c, mine->since_shared, theirs->lock));
}

static bool cross(const au_lockctx *c, const context *x, const context *y) {
    for (uint32_t i = 0; i < x->n; i++)
        for (uint32_t j = 0; j < y->n; j++)
            if (took(c, &x->at[i], &y->at[j]) && took(c, &y->at[j], &x->at[i]))
                return true;
    return false;
}

static inline bool compatible(const au_lockctx *c, const context *x, const context *y) {
    if (!disjoint(c, x, y))
        return false;
    if (!c->wide && (!(x->since_low & y->held_low) || !(y->since_low & x->held_low)))
        return true;
    return !cross(c, x, y);
}

bool au_lockctx_compatible(const au_lockctx *c, uint32_t a, uint32_t b) {
    return compatible(c, &c->ctx.at[a], &c->ctx.at[b]);
}

size_t au_lockctx_match(const au_lockctx *c, uint32_t a, const uint32_t *b, size_t n, bool *yes) {
    const context x = c->ctx.at[a];
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += yes[i] = compatible(c, &x, &c->ctx.at[b[i]]);
    return count;
}

/* --- one thread -------------------------------------------------------------------- */

void au_lockwalk_release(au_lockwalk *w) {
    au_vec_release(&w->held);
    w->id = AU_LOCKCTX_NOTHING;
}

au_lock_effect au_lockwalk_acq(au_lockwalk *w, au_lockctx *c, uint32_t lock, bool shared) {
    for (size_t i = w->held.n; i-- > 0;)
        if (w->held.at[i].lock == lock) {
            w->held.at[i].depth++;
            return AU_LOCK_SAME;
        }
    au_vec_push(&w->held, ((au_lock_depth){lock, 1}));
    w->id = au_lockctx_acquire(c, w->id, lock, shared);
    return AU_LOCK_CHANGED;
}

au_lock_effect au_lockwalk_rel(au_lockwalk *w, au_lockctx *c, uint32_t lock, bool fully) {
    size_t i = w->held.n;
    while (i > 0 && w->held.at[i - 1].lock != lock)
        i--;
    if (!i)
        return AU_LOCK_SAME;
    i--;
    if (w->held.at[i].depth > 1 && !fully) {
        w->held.at[i].depth--;
        return AU_LOCK_SAME;
    }
    memmove(w->held.at + i, w->held.at + i + 1, (w->held.n - i - 1) * sizeof *w->held.at);
    w->held.n--;
    bool nested;
    w->id = au_lockctx_release(c, w->id, lock, &nested);
    return nested ? AU_LOCK_CHANGED : AU_LOCK_OUT_OF_ORDER;
}
