/* linear/held.c: interned sets of held locks and the steps between them. */
#include "linear/held.h"

#include "base/arena.h"
#include "base/error.h"

enum { RECENT = 256 }; /* steps that are found without the map */
enum { FEW = 16 };     /* held locks that are looked through; more are found by their number */

typedef struct {
    uint32_t lock, depth;
    bool shared;
} holding;

typedef struct {
    uint32_t set;
    bool many;
    AU_VEC(holding) lock;
    au_map at; /* if many: lock -> its place in 'lock' + 1, 0 if it is not held */
} holder;

/* In 'sets': the members, the exclusive ones, all of them as if exclusive. */
typedef struct {
    uint32_t root, excl, all;
    uint32_t guards[4];   /* by write | atomic << 1; AU_NONE: not known yet */
    const uint32_t *list; /* the members; NULL: nobody has asked yet */
} held_set;

struct au_held {
    const au_names *names;
    au_arena arena;
    au_sets sets;
    AU_VEC(held_set) set;
    AU_VEC(uint32_t) of_root; /* by number in 'sets': the set + 1 */
    au_map step;              /* set << 32 | member -> set with it, or without it if it was there */
    struct {
        uint64_t key; /* of 'step' + 1; 0: free */
        uint32_t set;
    } recent[RECENT];
    au_map meet; /* set << 32 | set -> set */
    AU_VEC(holder) thread;
};

static uint32_t intern(au_held *h, uint32_t root, uint32_t excl, uint32_t all) {
    while (h->of_root.n <= root)
        au_vec_push(&h->of_root, 0);
    if (!h->of_root.at[root]) {
        au_vec_push(&h->set, ((held_set){.root = root,
                                         .excl = excl,
                                         .all = all,
                                         .guards = {AU_NONE, AU_NONE, AU_NONE, AU_NONE}}));
        h->of_root.at[root] = (uint32_t)h->set.n;
    }
    return h->of_root.at[root] - 1;
}

/* Of guards, which are all exclusive. */
static uint32_t intern_guards(au_held *h, uint32_t root) {
    return intern(h, root, root, root);
}

au_held *au_held_new(const au_names *names) {
    au_held *h = AU_NEW(au_held);
    h->names = names;
    au_arena_init(&h->arena);
    au_map_init(&h->step);
    au_map_init(&h->meet);
    AU_BUG_IF(intern_guards(h, AU_SET_NONE) != AU_HELD_NONE);
    return h;
}

void au_held_free(au_held *h) {
    if (!h)
        return;
    for (size_t t = 0; t < h->thread.n; t++) {
        au_vec_release(&h->thread.at[t].lock);
        au_map_release(&h->thread.at[t].at);
    }
    au_vec_release(&h->thread);
    au_vec_release(&h->set);
    au_vec_release(&h->of_root);
    au_sets_release(&h->sets);
    au_map_release(&h->step);
    au_map_release(&h->meet);
    au_arena_release(&h->arena);
    free(h);
}

/* The set with the member, or without it if it is there. */
static uint32_t toggle_new(au_held *h, uint32_t set, uint32_t member) {
    bool fresh;
    uint64_t *next = au_map_put(&h->step, au_key2(set, member), &fresh);
    if (!fresh)
        return (uint32_t)*next;
    held_set s = h->set.at[set];
    bool there = au_sets_has(&h->sets, s.root, member);
    uint32_t (*change)(au_sets *, uint32_t, uint32_t) = there ? au_sets_without : au_sets_with;
    s.root = change(&h->sets, s.root, member);
    if (member & 1)
        s.excl = change(&h->sets, s.excl, member);
    s.all = change(&h->sets, s.all, member | 1);
    uint32_t id = intern(h, s.root, s.excl, s.all);
    *next = id;
    return id;
}

static uint32_t toggle(au_held *h, uint32_t set, uint32_t member) {
    uint64_t key = au_key2(set, member) + 1;
    size_t at = (set * 0x9e3779b1u + member * 0x85ebca6bu) >> 24;
    _Static_assert(RECENT == 1 << 8, "the hash has 8 bits");
    if (h->recent[at].key != key) {
        h->recent[at].set = toggle_new(h, set, member);
        h->recent[at].key = key;
    }
    return h->recent[at].set;
}

/* --- who holds what ------------------------------------------------------------------ */

static holding *find(const holder *t, uint32_t lock) {
    if (t->many) {
        const uint64_t *at = au_map_find(&t->at, lock);
        return at && *at ? &t->lock.at[*at - 1] : NULL;
    }
    for (size_t k = t->lock.n; k-- > 0;)
        if (t->lock.at[k].lock == lock)
            return &t->lock.at[k];
    return NULL;
}

static void note_place(holder *t, size_t k) {
    *au_map_put(&t->at, t->lock.at[k].lock, NULL) = k + 1;
}

static void take(holder *t, uint32_t lock, bool shared) {
    au_vec_push(&t->lock, ((holding){lock, 1, shared}));
    if (!t->many && t->lock.n <= FEW)
        return;
    for (size_t k = t->many ? t->lock.n - 1 : 0; k < t->lock.n; k++)
        note_place(t, k);
    t->many = true;
}

static void give(au_held *h, holder *t, holding *l) {
    t->set = toggle(h, t->set, l->lock << 1 | !l->shared);
    size_t k = (size_t)(l - t->lock.at);
    if (t->many)
        *au_map_put(&t->at, l->lock, NULL) = 0;
    t->lock.at[k] = au_vec_pop(&t->lock);
    if (t->many && k < t->lock.n)
        note_place(t, k);
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
        take(t, obj, shared);
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

const au_sets *au_held_sets(const au_held *h) {
    return &h->sets;
}

uint32_t au_held_root(const au_held *h, uint32_t set) {
    return h->set.at[set].root;
}

const uint32_t *au_held_members(au_held *h, uint32_t set, uint32_t *n) {
    held_set *s = &h->set.at[set];
    *n = au_sets_count(&h->sets, s->root);
    if (!s->list) {
        uint32_t *list = AU_ARENA_ARRAY(&h->arena, uint32_t, *n + 1);
        au_sets_list(&h->sets, s->root, list);
        s->list = list;
    }
    return s->list;
}

bool au_held_exclude(const au_held *h, uint32_t a, uint32_t b) {
    if (a == AU_HELD_NONE || b == AU_HELD_NONE)
        return false;
    const held_set *x = &h->set.at[a], *y = &h->set.at[b];
    return au_sets_touch(&h->sets, x->excl, y->all) ||
           (x->excl != x->all && au_sets_touch(&h->sets, x->all, y->excl));
}

uint32_t au_held_guards(au_held *h, uint32_t set, bool write, bool atomic) {
    unsigned kind = (unsigned)write | (unsigned)atomic << 1;
    uint32_t id = h->set.at[set].guards[kind];
    if (id != AU_NONE)
        return id;
    uint32_t root = write ? h->set.at[set].excl : h->set.at[set].all;
    if (atomic)
        root = au_sets_with(&h->sets, root, AU_HELD_ATOMIC);
    id = intern_guards(h, root);
    return h->set.at[set].guards[kind] = id;
}

uint32_t au_held_meet(au_held *h, uint32_t a, uint32_t b) {
    if (a == b || a == AU_HELD_NONE)
        return a;
    if (b == AU_HELD_NONE)
        return b;
    bool fresh;
    uint64_t *known = au_map_put(&h->meet, au_key2(a, b), &fresh);
    if (fresh)
        *known = intern_guards(h, au_sets_meet(&h->sets, h->set.at[a].root, h->set.at[b].root));
    return (uint32_t)*known;
}
