/* lower/guard.c: see lower/guard.h.
 *
 * Let x and y be the addresses of two accesses that overlap, and d = y - x. One thread holds the lock at x + p, the
 * other the lock at y + q. If d = p - q, that is one lock, and the two exclude each other (unless both
 * only read-locked it). So they do if p - q is the only d there can be:
 *   - the bytes overlap: -bytes(y) < d < bytes(x);
 *   - both addresses are in one object: overlapping memory belongs to one. Where x lies at a + k s of it
 *     and y at b + l t, d = b - a up to a multiple of gcd(s, t); exactly, if both are 0.
 * An access that takes in several elements of an array (d is not one number then) is not protected by the lock of one.
 *
 * Or the locks are known to lie at one offset of the object that x and y are in, wherever in it those are: a queue with its
 * lock and its ring of entries. Pointers that an index was added to stay in their object (source.h).
 *
 * Or both are of elements that each have an owner, and not the same (lower/own.c): of threads that one call creates, each with
 * another element; of the creator, before the element is anybody's. The question is about two threads.
 *
 * Or each is of an object that its own thread made, or one of them and the other of a global, or of two globals
 * (lower/roots.c). Or one is of an object that only its thread has pointers to (lower/private.c), whatever the other is.
 *
 * Or both reach memory that is not told from other memory by types that C does not let one piece of memory have
 * (lower/typed.c).
 *
 * This holds for objects that stand for many, too: memory that overlaps is of one of them. Which of the places the addresses
 * are at is not known, so one of these must hold for each two of them. */
#include "lower/guard.h"

#include "base/alloc.h"
#include "base/gcd.h"
#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

void au_guards_init(au_guards *g) {
    *g = (au_guards){0};
    au_idtable_init(&g->index);
    au_idtable_init(&g->way_index);
}

void au_guards_release(au_guards *g) {
    for (size_t i = 0; i < g->at.n; i++) {
        au_vec_release(&g->at.at[i].lock);
        au_vec_release(&g->at.at[i].inside);
        au_vec_release(&g->at.at[i].place);
    }
    au_vec_release(&g->at);
    au_vec_release(&g->way);
    au_vec_release(&g->link);
    au_idtable_release(&g->index);
    au_idtable_release(&g->way_index);
}

static bool same(const void *ctx, uint32_t id, const void *key) {
    const au_src_guard *a = &((const au_guards *)ctx)->at.at[id], *b = key;
    bool is = a->bytes == b->bytes && a->lock.n == b->lock.n && a->inside.n == b->inside.n &&
              a->place.n == b->place.n && a->site == b->site && a->creator == b->creator &&
              a->element == b->element && a->root == b->root && a->number == b->number &&
              a->way == b->way;
    for (size_t i = 0; is && i < a->lock.n; i++)
        is = a->lock.at[i].offset == b->lock.at[i].offset &&
             a->lock.at[i].alone == b->lock.at[i].alone;
    for (size_t i = 0; is && i < a->inside.n; i++)
        is = a->inside.at[i].obj == b->inside.at[i].obj &&
             a->inside.at[i].off == b->inside.at[i].off &&
             a->inside.at[i].alone == b->inside.at[i].alone;
    for (size_t i = 0; is && i < a->place.n; i++)
        is = a->place.at[i].obj == b->place.at[i].obj && a->place.at[i].off == b->place.at[i].off &&
             a->place.at[i].stride == b->place.at[i].stride;
    return is;
}

static uint32_t add(au_guards *g, const au_src_guard *guard) {
    uint64_t h = au_hash_join(guard->bytes, au_key2(guard->site, guard->creator));
    h = au_hash_join(h, au_hash_join(guard->element, au_hash_join(guard->root, guard->number)));
    h = au_hash_join(h, guard->way);
    for (size_t i = 0; i < guard->lock.n; i++)
        h = au_hash_join(h, (uint64_t)guard->lock.at[i].offset * 2 + guard->lock.at[i].alone);
    for (size_t i = 0; i < guard->inside.n; i++)
        h = au_hash_join(au_hash_join(h, guard->inside.at[i].obj),
                         (uint64_t)guard->inside.at[i].off * 2 + guard->inside.at[i].alone);
    for (size_t i = 0; i < guard->place.n; i++)
        h = au_hash_join(au_hash_join(h, guard->place.at[i].obj),
                         (uint64_t)guard->place.at[i].off ^ guard->place.at[i].stride << 32);
    uint32_t id = au_idtable_find(&g->index, h, same, g, guard);
    if (id != AU_NONE)
        return id + 1;
    au_src_guard own = {.bytes = guard->bytes,
                        .site = guard->site,
                        .creator = guard->creator,
                        .element = guard->element,
                        .number = guard->number,
                        .root = guard->root,
                        .way = guard->way};
    au_vec_append(&own.lock, guard->lock.at, guard->lock.n);
    au_vec_append(&own.inside, guard->inside.at, guard->inside.n);
    au_vec_append(&own.place, guard->place.at, guard->place.n);
    id = (uint32_t)g->at.n;
    au_vec_push(&g->at, own);
    au_idtable_add(&g->index, h, id);
    return id + 1;
}

uint32_t au_guard_add(au_guards *g, const au_src_guard *guard) {
    if (guard->lock.n + guard->inside.n && guard->place.n > AU_LIMIT_SRC_GUARD_PLACES)
        au_limit_reached(AU_AT_SRC_GUARD_PLACES, 1);
    bool locks = guard->lock.n + guard->inside.n && guard->place.n &&
                 guard->place.n <= AU_LIMIT_SRC_GUARD_PLACES;
    if ((!locks && !guard->site && !guard->root && !guard->way) || !guard->bytes ||
        guard->bytes > INT32_MAX)
        return 0;
    if (!locks) {
        au_src_guard only = {.bytes = 1,
                             .site = guard->site,
                             .creator = guard->creator,
                             .element = guard->element,
                             .number = guard->number,
                             .root = guard->root,
                             .way = guard->way};
        return add(g, &only);
    }
    return add(g, guard);
}

/* If x is at a and y at b, and they overlap, y - x is 'want'. */
static bool only(const au_guard_place *a, int64_t a_bytes, const au_guard_place *b, int64_t b_bytes,
                 int64_t want) {
    uint64_t step = au_gcd(a->stride, b->stride);
    int64_t d;
    if (step > INT32_MAX || __builtin_sub_overflow(b->off, a->off, &d))
        return false;
    if (!step)
        return d <= -b_bytes || d >= a_bytes || d == want;
    /* The first one from the lowest on, and then the next. */
    int64_t low = 1 - b_bytes, by = (int64_t)step;
    int64_t first = low + ((d % by - low % by) % by + by) % by;
    return first >= a_bytes || (first == want && first + by >= a_bytes);
}

/* Both hold the lock at one offset of this object. */
static bool inside(const au_src_guard *a, const au_src_guard *b, uint32_t obj) {
    for (size_t i = 0; i < a->inside.n; i++)
        for (size_t j = 0; j < b->inside.n; j++) {
            const au_guard_inside *x = &a->inside.at[i], *y = &b->inside.at[j];
            if (x->obj == obj && y->obj == obj && x->off == y->off && (x->alone || y->alone))
                return true;
        }
    return false;
}

/* If x is at p and y at q, they do not overlap or one lock is held by both. */
static bool apart(const au_src_guard *a, const au_guard_place *p, const au_src_guard *b,
                  const au_guard_place *q) {
    if (p->obj != q->obj || inside(a, b, p->obj))
        return true;
    for (size_t i = 0; i < a->lock.n; i++)
        for (size_t j = 0; j < b->lock.n; j++) {
            const au_guard_lock *x = &a->lock.at[i], *y = &b->lock.at[j];
            int64_t want;
            if ((x->alone || y->alone) && !__builtin_sub_overflow(x->offset, y->offset, &want) &&
                only(p, (int64_t)a->bytes, q, (int64_t)b->bytes, want))
                return true;
        }
    return false;
}

/* --- types -------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t root;
    const au_guard_link *link;
    uint32_t n;
} way_key;

static bool same_way(const void *ctx, uint32_t id, const void *key) {
    const au_guards *g = ctx;
    const au_guard_way *a = &g->way.at[id];
    const way_key *b = key;
    return a->root == b->root && a->n == b->n &&
           !memcmp(&g->link.at[a->first], b->link, b->n * sizeof *b->link);
}

uint32_t au_guard_add_way(au_guards *g, uint64_t root, const au_guard_link *link, uint32_t n) {
    way_key key = {root, link, n};
    uint64_t h = au_hash_join(au_hash_bytes((const char *)link, n * sizeof *link), root);
    uint32_t id = au_idtable_find(&g->way_index, h, same_way, g, &key);
    if (id == AU_NONE) {
        id = (uint32_t)g->way.n;
        au_vec_push(&g->way, ((au_guard_way){root, (uint32_t)g->link.n, n}));
        au_vec_append(&g->link, link, n);
        au_idtable_add(&g->way_index, h, id);
    }
    return id + 1;
}

/* What a's way begins with lies on b's. */
static bool passes(const au_guards *g, const au_guard_way *a, const au_guard_way *b) {
    const au_guard_link *first = &g->link.at[a->first];
    for (uint32_t k = 0; k < b->n; k++) {
        const au_guard_link *l = &g->link.at[b->first + k];
        if (l->type == first->type && l->offset == first->offset)
            return true;
    }
    return false;
}

/* Both go to a scalar of one type at one offset: of structures with the same head, which many programs take for each other. */
static bool alike(const au_guards *g, const au_guard_way *a, const au_guard_way *b) {
    return g->link.at[a->first].offset == g->link.at[b->first].offset &&
           g->link.at[a->first + a->n - 1].type == g->link.at[b->first + b->n - 1].type;
}

static bool ways_apart(const au_guards *g, uint32_t x, uint32_t y) {
    if (!x || !y)
        return false;
    const au_guard_way *a = &g->way.at[x - 1], *b = &g->way.at[y - 1];
    return a->root == b->root && !passes(g, a, b) && !passes(g, b, a) && !alike(g, a, b);
}

static bool is_private(const au_guards *g, uint32_t guard) {
    return guard && g->at.at[guard - 1].root == AU_GUARD_PRIVATE;
}

bool au_guards_exclude(const au_guards *g, uint32_t a, uint32_t b) {
    if (is_private(g, a) || is_private(g, b))
        return true;
    if (!a || !b)
        return false;
    const au_src_guard *x = &g->at.at[a - 1], *y = &g->at.at[b - 1];
    bool others =
        x->site == AU_GUARD_NUMBERED ? x->number != y->number : !(x->creator && y->creator);
    if (x->site && x->site == y->site && x->element == y->element && others)
        return true;
    if (ways_apart(g, x->way, y->way))
        return true;
    if (x->root && y->root && (x->root != y->root || x->root == AU_GUARD_OWN))
        return true;
    if (!x->place.n || !y->place.n)
        return false;
    for (size_t i = 0; i < x->place.n; i++)
        for (size_t j = 0; j < y->place.n; j++)
            if (!apart(x, &x->place.at[i], y, &y->place.at[j]))
                return false;
    return true;
}
