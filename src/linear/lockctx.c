/* linear/lockctx.c: interned lock contexts.
 *
 * A context is the list of held locks in the order of acquisition, each with its mode and what was
 * acquired since it was taken and before the next one was (its own): what was acquired since is that
 * and all that those after it have. A lock that was acquired more than once is kept where
 * it was acquired last, and for reading only where it was not acquired for writing there or later, so that equal
 * contexts are equal lists. Lists share their beginnings and sets their members (base/sets.h): to acquire a lock
 * costs the same, however many are held; only one that was acquired before, and is kept further down,
 * costs the way to there.
 *
 * Most contexts are small, and where all locks have numbers below 64 words are all there is: compatibility is a few
 * instructions then. */
#include "linear/lockctx.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/sets.h"

#include <string.h>

enum { FLAT = 16 }; /* held locks of a context that has its histories written out */

/* One held lock of a list; hash-consed. */
typedef struct {
    uint32_t before; /* the list below it; 0: none */
    uint32_t lock, shared;
    uint32_t own;        /* set: acquired since for writing */
    uint32_t own_shared; /* set: acquired since for reading */
} entry;

/* The same with all that was acquired since. */
typedef struct {
    uint32_t lock, shared;
    uint32_t since;        /* set: acquired since for writing */
    uint32_t since_shared; /* set: acquired since, only for reading */
    uint64_t low, low_shared;
} held;

typedef struct {
    uint32_t top, n;    /* the list, and how long it is */
    uint32_t excl, all; /* sets: held for writing; held */
    uint32_t since;     /* set: all that any history has */
    uint64_t held_low;  /* locks below 64, for a quick answer: held at all, */
    uint64_t excl_low;  /* held for writing, */
    uint64_t since_low; /* since */
    const held *flat;   /* NULL: more than FLAT */
} context;

struct au_lockctx {
    au_arena arena;
    au_sets sets;
    AU_VEC(entry) entry; /* [0] is unused */
    au_idtable entry_index;
    AU_VEC(context) ctx;
    au_map ctx_of; /* top of a list -> its context + 1 */
    au_map next;   /* transitions: (id, lock, op) -> id, and whether it was in order */
    bool wide;     /* some lock's number is 64 or more */
    AU_VEC(entry) list;
};

static uint64_t low_bit(uint32_t lock) {
    return lock < 64 ? UINT64_C(1) << lock : 0;
}

static uint64_t low_bits(const au_sets *s, uint32_t set) {
    uint64_t bits = 0;
    uint32_t member[64], n = au_sets_count(s, set);
    if (n <= 64) {
        au_sets_list(s, set, member);
        for (uint32_t i = 0; i < n; i++)
            bits |= low_bit(member[i]);
        return bits;
    }
    for (uint32_t l = 0; l < 64; l++)
        bits |= au_sets_has(s, set, l) ? UINT64_C(1) << l : 0;
    return bits;
}

/* --- lists and contexts -------------------------------------------------------------- */

static bool same_entry(const void *ctx, uint32_t id, const void *key) {
    return memcmp(&((const au_lockctx *)ctx)->entry.at[id], key, sizeof(entry)) == 0;
}

static uint32_t intern_entry(au_lockctx *c, entry e) {
    uint64_t hash = au_hash_bytes(&e, sizeof e);
    uint32_t id = au_idtable_find(&c->entry_index, hash, same_entry, c, &e);
    if (id != AU_NONE)
        return id;
    id = (uint32_t)c->entry.n;
    au_vec_push(&c->entry, e);
    au_idtable_add(&c->entry_index, hash, id);
    return id;
}

/* Writes out the histories of a context. */
static const held *flatten(au_lockctx *c, const context *x) {
    held *flat = AU_ARENA_ARRAY(&c->arena, held, x->n + 1);
    uint32_t since = AU_SET_NONE, shared = AU_SET_NONE;
    uint32_t at = x->top;
    for (uint32_t i = x->n; i-- > 0;) {
        entry e = c->entry.at[at];
        since = au_sets_join(&c->sets, since, e.own);
        shared = au_sets_join(&c->sets, shared, e.own_shared);
        held h = {.lock = e.lock, .shared = e.shared, .since = since, .since_shared = shared};
        h.low = low_bits(&c->sets, since);
        h.low_shared = low_bits(&c->sets, shared);
        flat[i] = h;
        at = e.before;
    }
    return flat;
}

/* The context of the list whose top is x->top, whose other fields are set as well. */
static uint32_t intern_context(au_lockctx *c, context x) {
    uint64_t *known = au_map_put(&c->ctx_of, x.top, NULL);
    if (*known)
        return (uint32_t)*known - 1;
    *known = c->ctx.n + 1;
    if (x.n <= FLAT)
        x.flat = flatten(c, &x);
    x.since_low = low_bits(&c->sets, x.since);
    au_vec_push(&c->ctx, x);
    return (uint32_t)c->ctx.n - 1;
}

au_lockctx *au_lockctx_new(void) {
    au_lockctx *c = AU_NEW(au_lockctx);
    au_arena_init(&c->arena);
    au_idtable_init(&c->entry_index);
    au_map_init(&c->ctx_of);
    au_map_init(&c->next);
    au_vec_push(&c->entry, ((entry){0}));
    intern_context(c, (context){0}); /* 0 holds nothing */
    return c;
}

void au_lockctx_free(au_lockctx *c) {
    if (!c)
        return;
    au_sets_release(&c->sets);
    au_vec_release(&c->entry);
    au_vec_release(&c->ctx);
    au_vec_release(&c->list);
    au_idtable_release(&c->entry_index);
    au_map_release(&c->ctx_of);
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

/* The list without entries from 'at' up to its top is left as it is; c->list has those, the top first. */
static uint32_t put_back(au_lockctx *c, uint32_t below) {
    while (c->list.n) {
        entry e = au_vec_pop(&c->list);
        e.before = below;
        below = intern_entry(c, e);
    }
    return below;
}

/* The list in which the lock is not kept below its top for this mode (for writing: for both) any more. */
static uint32_t forget_below(au_lockctx *c, uint32_t top, uint32_t lock, bool shared) {
    au_vec_clear(&c->list);
    size_t changed = 0; /* entries of c->list up to the lowest that is another now */
    uint32_t at = c->entry.at[top].before;
    for (; at; at = c->entry.at[at].before) {
        entry e = c->entry.at[at];
        if (!shared)
            e.own = au_sets_without(&c->sets, e.own, lock);
        e.own_shared = au_sets_without(&c->sets, e.own_shared, lock);
        bool other = e.own != c->entry.at[at].own || e.own_shared != c->entry.at[at].own_shared;
        au_vec_push(&c->list, e);
        if (other)
            changed = c->list.n;
    }
    if (!changed)
        return top;
    c->list.n = changed;
    entry e = c->entry.at[top];
    e.before = put_back(c, au_vec_last(&c->list).before);
    return intern_entry(c, e);
}

/* The lock is acquired while the list is held: since its top, and so since all of it. */
static uint32_t note(au_lockctx *c, const context *x, uint32_t top, uint32_t lock, bool shared) {
    if (shared && au_sets_has(&c->sets, c->entry.at[top].own, lock))
        return top;
    if (au_sets_has(&c->sets, x->since, lock))
        top = forget_below(c, top, lock, shared);
    entry e = c->entry.at[top];
    if (shared) {
        e.own_shared = au_sets_with(&c->sets, e.own_shared, lock);
    } else {
        e.own = au_sets_with(&c->sets, e.own, lock);
        e.own_shared = au_sets_without(&c->sets, e.own_shared, lock);
    }
    return intern_entry(c, e);
}

uint32_t au_lockctx_acquire(au_lockctx *c, uint32_t id, uint32_t lock, bool shared) {
    bool fresh;
    uint64_t *to = transition(c, id, lock, shared ? ACQUIRE_SHARED : ACQUIRE, &fresh);
    if (!fresh)
        return (uint32_t)*to;
    c->wide |= lock >= 64;
    context x = c->ctx.at[id];
    uint32_t top = x.n ? note(c, &x, x.top, lock, shared) : 0;
    if (x.n)
        x.since = au_sets_with(&c->sets, x.since, lock);
    x.top = intern_entry(c, (entry){.before = top, .lock = lock, .shared = shared});
    x.n++;
    x.all = au_sets_with(&c->sets, x.all, lock);
    x.held_low |= low_bit(lock);
    if (!shared) {
        x.excl = au_sets_with(&c->sets, x.excl, lock);
        x.excl_low |= low_bit(lock);
    }
    x.flat = NULL;
    *to = intern_context(c, x);
    return (uint32_t)*to;
}

/* Gives an entry what the next one, which goes, has of its own. */
static void inherit(au_lockctx *c, entry *e, const entry *gone) {
    e->own = au_sets_join(&c->sets, e->own, gone->own);
    uint32_t shared = au_sets_join(&c->sets, e->own_shared, gone->own_shared);
    /* for reading only what is not there for writing */
    uint32_t both = au_sets_meet(&c->sets, shared, e->own);
    while (both) {
        const au_set_node *n = &c->sets.node.at[both];
        while (n->bit)
            n = &c->sets.node.at[n->left];
        uint32_t lock = n->key;
        shared = au_sets_without(&c->sets, shared, lock);
        both = au_sets_without(&c->sets, both, lock);
    }
    e->own_shared = shared;
}

/* All that the histories of a list have. */
static uint32_t all_since(au_lockctx *c, uint32_t top) {
    uint32_t since = AU_SET_NONE;
    for (uint32_t at = top; at; at = c->entry.at[at].before) {
        since = au_sets_join(&c->sets, since, c->entry.at[at].own);
        since = au_sets_join(&c->sets, since, c->entry.at[at].own_shared);
    }
    return since;
}

uint32_t au_lockctx_release(au_lockctx *c, uint32_t id, uint32_t lock, bool *nested) {
    bool fresh;
    uint64_t *to = transition(c, id, lock, RELEASE, &fresh);
    if (fresh) {
        context x = c->ctx.at[id];
        au_vec_clear(&c->list);
        uint32_t at = x.top;
        for (; at && c->entry.at[at].lock != lock; at = c->entry.at[at].before)
            au_vec_push(&c->list, c->entry.at[at]);
        AU_BUG_IF(!at);
        bool last = c->list.n == 0;
        entry gone = c->entry.at[at];
        uint32_t below = gone.before;
        if (below) {
            entry e = c->entry.at[below];
            inherit(c, &e, &gone);
            below = intern_entry(c, e);
        }
        x.top = put_back(c, below);
        x.n--;
        if (!gone.before) /* its history goes; that of others stays in it or in those after it */
            x.since = all_since(c, x.top);
        x.all = au_sets_without(&c->sets, x.all, lock);
        x.held_low &= ~low_bit(lock);
        if (!gone.shared) {
            x.excl = au_sets_without(&c->sets, x.excl, lock);
            x.excl_low &= ~low_bit(lock);
        }
        x.flat = NULL;
        *to = (uint64_t)last << 32 | intern_context(c, x);
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

bool au_lockctx_holds(const au_lockctx *c, uint32_t id, uint32_t lock) {
    return au_sets_has(&c->sets, c->ctx.at[id].all, lock);
}

uint32_t au_lockctx_lock(const au_lockctx *c, uint32_t id, uint32_t i, bool *shared) {
    uint32_t at = c->ctx.at[id].top;
    for (uint32_t k = c->ctx.at[id].n - 1; k > i; k--)
        at = c->entry.at[at].before;
    *shared = c->entry.at[at].shared;
    return c->entry.at[at].lock;
}

/* --- compatibility ------------------------------------------------------------------- */

static inline bool disjoint(const au_lockctx *c, const context *x, const context *y) {
    if ((x->excl_low & y->held_low) | (x->held_low & y->excl_low))
        return false;
    return !c->wide ||
           (!au_sets_touch(&c->sets, x->excl, y->all) && !au_sets_touch(&c->sets, x->all, y->excl));
}

bool au_lockctx_disjoint(const au_lockctx *c, uint32_t a, uint32_t b) {
    return disjoint(c, &c->ctx.at[a], &c->ctx.at[b]);
}

/* Did the thread that holds 'mine' take 'theirs' since, so that the two exclude each
 * other? */
static inline bool took(const au_lockctx *c, const held *mine, const held *theirs) {
    if (theirs->lock < 64)
        return (mine->low | (theirs->shared ? 0 : mine->low_shared)) >> theirs->lock & 1;
    return au_sets_has(&c->sets, mine->since, theirs->lock) ||
           (!theirs->shared && au_sets_has(&c->sets, mine->since_shared, theirs->lock));
}

static bool cross_flat(const au_lockctx *c, const context *x, const context *y) {
    for (uint32_t i = 0; i < x->n; i++)
        for (uint32_t j = 0; j < y->n; j++)
            if (took(c, &x->flat[i], &y->flat[j]) && took(c, &y->flat[j], &x->flat[i]))
                return true;
    return false;
}

/* Of all held locks (from 0) since which x took this one, the last + 1. */
static uint32_t taken_since(const au_lockctx *c, const context *x, uint32_t lock, bool shared) {
    uint32_t i = x->n;
    for (uint32_t at = x->top; at; at = c->entry.at[at].before, i--)
        if (au_sets_has(&c->sets, c->entry.at[at].own, lock) ||
            (!shared && au_sets_has(&c->sets, c->entry.at[at].own_shared, lock)))
            return i;
    return 0;
}

struct place {
    uint32_t at,
        since; /* held by the one as its at-th; taken by the other since its locks below 'since' */
};

/* The same as cross_flat without the histories written out: only the locks matter that one holds and the other took. */
static bool cross_long(const au_lockctx *c, const context *x, const context *y) {
    AU_VEC(struct place) mine = {0};
    uint32_t i = x->n;
    for (uint32_t at = x->top; at; at = c->entry.at[at].before, i--)
        if (au_sets_has(&c->sets, y->since, c->entry.at[at].lock)) {
            uint32_t since = taken_since(c, y, c->entry.at[at].lock, c->entry.at[at].shared);
            if (since)
                au_vec_push(&mine, ((struct place){i - 1, since}));
        }
    bool found = false;
    uint32_t j = y->n;
    for (uint32_t at = y->top; at && mine.n && !found; at = c->entry.at[at].before, j--) {
        if (!au_sets_has(&c->sets, x->since, c->entry.at[at].lock))
            continue;
        uint32_t since = taken_since(c, x, c->entry.at[at].lock, c->entry.at[at].shared);
        for (size_t k = 0; k < mine.n && !found; k++)
            found = mine.at[k].at < since && j - 1 < mine.at[k].since;
    }
    au_vec_release(&mine);
    return found;
}

static inline bool compatible(const au_lockctx *c, const context *x, const context *y) {
    if (!disjoint(c, x, y))
        return false;
    if (!c->wide && (!(x->since_low & y->held_low) || !(y->since_low & x->held_low)))
        return true;
    return !(x->flat && y->flat ? cross_flat(c, x, y) : cross_long(c, x, y));
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
    bool may = w->held.n <= FLAT || au_lockctx_holds(c, w->id, lock);
    for (size_t i = w->held.n; may && i-- > 0;)
        if (w->held.at[i].lock == lock) {
            w->held.at[i].depth++;
            return AU_LOCK_SAME;
        }
    au_vec_push(&w->held, ((au_lock_depth){lock, 1}));
    w->id = au_lockctx_acquire(c, w->id, lock, shared);
    return AU_LOCK_CHANGED;
}

au_lock_effect au_lockwalk_rel(au_lockwalk *w, au_lockctx *c, uint32_t lock, bool fully) {
    size_t i = w->held.n <= FLAT || au_lockctx_holds(c, w->id, lock) ? w->held.n : 0;
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
