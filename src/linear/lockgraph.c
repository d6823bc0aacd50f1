/* linear/lockgraph.c: lock dependencies from a stream of events. */
#include "linear/lockgraph.h"

#include "linear/lockgraph_priv.h"

typedef struct {
    au_lock_mode mode;
    uint32_t depth;  /* how often it is held */
    uint32_t before; /* the set without it and all that came after it */
    au_lock_site site;
} held_lock;

typedef struct {
    uint64_t events;
    uint32_t set; /* of all in 'held' */
    AU_VEC(held_lock) held;
    au_event_ref req; /* its last request; counts if it is the thread's last event */
} walker;

/* One pass over the events. Who holds what; the tables that it fills are the graph's. */
struct au_lock_walk {
    AU_VEC(walker) thread;
    au_bitset rw; /* by lock: it was acquired by mode */
    /* second pass: */
    const au_bitset *wanted;
    au_event_list *event;
};

/* --- sets ------------------------------------------------------------------------- */

static bool same_set(const void *ctx, uint32_t id, const void *key) {
    const au_lockgraph *g = ctx;
    const au_lock_set *a = &g->set.at[id], *b = key;
    return a->n == b->n && !memcmp(a->member, b->member, a->n * sizeof *a->member);
}

static uint32_t intern_set(au_lockgraph *g, const au_lock_mode *member, uint32_t n) {
    au_lock_set key = {member, n};
    uint64_t hash = au_hash_bytes(member, n * sizeof *member);
    uint32_t id = au_idtable_find(&g->set_index, hash, same_set, g, &key);
    if (id != AU_NO_ID)
        return id;
    au_lock_mode *own = AU_ARENA_ARRAY(&g->arena, au_lock_mode, n);
    memcpy(own, member, n * sizeof *member);
    id = (uint32_t)g->set.n;
    au_vec_push(&g->set, ((au_lock_set){own, n}));
    au_idtable_add(&g->set_index, hash, id);
    return id;
}

static uint32_t set_with(au_lockgraph *g, uint32_t set, au_lock_mode mode) {
    bool fresh;
    uint64_t *to = au_map_put(&g->set_with, (uint64_t)set << 32 | mode, &fresh);
    if (!fresh)
        return (uint32_t)*to;
    const au_lock_set *s = &g->set.at[set];
    au_lock_mode *m = au_alloc_array(s->n + 1, sizeof *m);
    uint32_t n = 0;
    while (n < s->n && s->member[n] < mode) {
        m[n] = s->member[n];
        n++;
    }
    m[n] = mode;
    memcpy(m + n + 1, s->member + n, (s->n - n) * sizeof *m);
    *to = intern_set(g, m, s->n + 1);
    free(m);
    return (uint32_t)*to;
}

const au_lock_mode *au_lockgraph_set(const au_lockgraph *g, uint32_t set, uint32_t *n) {
    *n = g->set.at[set].n;
    return g->set.at[set].member;
}

bool au_lockgraph_sets_conflict(const au_lockgraph *g, uint32_t a, uint32_t b) {
    const au_lock_set *x = &g->set.at[a], *y = &g->set.at[b];
    for (uint32_t i = 0, k = 0; i < x->n && k < y->n;) {
        uint32_t p = au_lock_of(x->member[i]), q = au_lock_of(y->member[k]);
        if (p == q && !(au_lock_shared(x->member[i]) && au_lock_shared(y->member[k])))
            return true;
        i += p <= q;
        k += q <= p;
    }
    return false;
}

/* --- dependencies ------------------------------------------------------------------ */

typedef struct {
    uint16_t thread;
    au_lock_mode wants;
    uint32_t held;
} dep_key;

static bool same_dep(const void *ctx, uint32_t id, const void *key) {
    const au_lockgraph *g = ctx;
    const au_lock_dep *a = &g->dep.at[id];
    const dep_key *b = key;
    return a->thread == b->thread && a->wants == b->wants && a->held == b->held;
}

static uint64_t hash_dep(const dep_key *k) {
    return au_hash_join((uint64_t)k->thread << 32 | k->wants, k->held);
}

static void add_at(au_lockgraph *g, au_lock_dep *d, uint32_t segment, const au_event_ref *e,
                   const walker *w) {
    const au_lock_set *s = &g->set.at[d->held];
    au_lock_site *site = AU_ARENA_ARRAY(&g->arena, au_lock_site, s->n);
    for (uint32_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < w->held.n; k++)
            if (w->held.at[k].mode == s->member[i])
                site[i] = w->held.at[k].site;
    au_vec_push(&d->at, ((au_lock_dep_at){segment, *e, site}));
}

static void note_dep(au_lockgraph *g, const walker *w, au_lock_mode wants, const au_event_ref *e) {
    dep_key key = {e->thread, wants, w->set};
    uint64_t hash = hash_dep(&key);
    uint32_t id = au_idtable_find(&g->dep_index, hash, same_dep, g, &key);
    if (id == AU_NO_ID) {
        id = (uint32_t)g->dep.n;
        au_vec_push(&g->dep,
                    ((au_lock_dep){.thread = e->thread, .wants = wants, .held = w->set}));
        au_idtable_add(&g->dep_index, hash, id);
    }
    au_lock_dep *d = &g->dep.at[id];
    uint32_t segment = g->must ? au_must_segment(g->must, e->thread) : 0;
    d->count++;
    if (!d->at.n || au_vec_last(&d->at).segment != segment)
        add_at(g, d, segment, e, w);
}

/* A thread asks for a lock that it does not hold, and holds others. */
static void depend(au_lockgraph *g, au_lock_walk *k, const walker *w, au_lock_mode wants,
                   const au_event_ref *e) {
    if (!k->event) {
        note_dep(g, w, wants, e);
        return;
    }
    dep_key key = {e->thread, wants, w->set};
    uint32_t id = au_idtable_find(&g->dep_index, hash_dep(&key), same_dep, g, &key);
    AU_BUG_IF(id == AU_NO_ID);
    if (au_bitset_has(k->wanted, id))
        au_vec_push(&k->event[id], e->number);
}

/* --- the pass ----------------------------------------------------------------------- */

static bool is_lock(const au_lockgraph *g, uint32_t obj) {
    switch (au_names_sync(g->names, obj).kind) {
    case AU_WIRE_OBJ_SEM:
    case AU_WIRE_OBJ_COND:
    case AU_WIRE_OBJ_BARRIER:
    case AU_WIRE_OBJ_ONCE:
        return false;
    default:
        return true;
    }
}

/* Where the thread holds this lock, in any mode; held.n if not. */
static size_t find_held(const walker *w, uint32_t lock) {
    for (size_t i = w->held.n; i-- > 0;)
        if (au_lock_of(w->held.at[i].mode) == lock)
            return i;
    return w->held.n;
}

static void acquire(au_lockgraph *g, au_lock_walk *k, walker *w, au_lock_mode mode,
                    const au_event_ref *e) {
    size_t i = find_held(w, au_lock_of(mode));
    if (i < w->held.n) {
        w->held.at[i].depth++;
        return;
    }
    if (w->held.n)
        depend(g, k, w, mode, e);
    au_vec_push(&w->held,
                ((held_lock){mode, 1, w->set, {e->number, e->index, e->loc}}));
    w->set = set_with(g, w->set, mode);
}

static void let_go(au_lockgraph *g, walker *w, size_t i) {
    w->set = w->held.at[i].before;
    for (size_t k = i + 1; k < w->held.n; k++) {
        w->held.at[k].before = w->set;
        w->set = set_with(g, w->set, w->held.at[k].mode);
        w->held.at[k - 1] = w->held.at[k];
    }
    w->held.n--;
}

static void release(au_lockgraph *g, walker *w, uint32_t lock) {
    size_t i = find_held(w, lock);
    if (i < w->held.n && --w->held.at[i].depth == 0)
        let_go(g, w, i);
}

/* A new object at an old place: nobody holds it. */
static void renew(au_lockgraph *g, au_lock_walk *k, uint32_t lock) {
    for (size_t t = 0; t < k->thread.n; t++) {
        walker *w = &k->thread.at[t];
        size_t i = find_held(w, lock);
        if (i < w->held.n)
            let_go(g, w, i);
    }
}

static void follow_names(const au_lockgraph *g, au_lock_walk *k) {
    while (k->thread.n < g->names->thread.n)
        *au_vec_add(&k->thread) = (walker){0};
    if (k->rw.bits < g->names->lock.n) {
        au_bitset bigger;
        au_bitset_init(&bigger, 2 * g->names->lock.n);
        memcpy(bigger.word, k->rw.word, au_bitset_words(&k->rw) * sizeof *bigger.word);
        au_bitset_release(&k->rw);
        k->rw = bigger;
    }
}

/* What matters to a pass: nothing, a lock's event, or an event that may start a new
 * must-segment. */
enum { PLAIN, LOCKING, ORDERING };
static const uint8_t class_of[AU_OPS] = {
    [AU_OP_ACQ] = LOCKING,     [AU_OP_REL] = LOCKING,    [AU_OP_RDACQ] = LOCKING,
    [AU_OP_WRACQ] = LOCKING,   [AU_OP_REQ] = LOCKING,    [AU_OP_INIT] = LOCKING,
    [AU_OP_FORK] = ORDERING,   [AU_OP_JOIN] = ORDERING,  [AU_OP_WAIT] = ORDERING,
    [AU_OP_WAKE] = ORDERING,   [AU_OP_SIGNAL] = ORDERING, [AU_OP_BROADCAST] = ORDERING,
    [AU_OP_DOWN] = ORDERING,   [AU_OP_UP] = ORDERING,    [AU_OP_ARRIVE] = ORDERING,
    [AU_OP_LEAVE] = ORDERING,  [AU_OP_ONCE] = ORDERING,  [AU_OP_DETACH] = ORDERING,
    [AU_OP_EXIT] = ORDERING,
};

static void locking(au_lockgraph *g, au_lock_walk *k, const au_block *b, size_t i) {
    uint32_t lock = b->obj[i];
    if (!is_lock(g, lock))
        return;
    walker *w = &k->thread.at[b->thread[i]];
    au_event_ref e = {b->first + i, w->events, lock, b->loc[i], b->thread[i], b->op[i]};
    switch (b->op[i]) {
    case AU_OP_RDACQ:
    case AU_OP_WRACQ:
        au_bitset_add(&k->rw, lock);
        acquire(g, k, w, lock * 2 + (b->op[i] == AU_OP_RDACQ), &e);
        break;
    case AU_OP_ACQ:
        acquire(g, k, w, lock * 2, &e);
        break;
    case AU_OP_REL:
        release(g, w, lock);
        break;
    case AU_OP_REQ:
        w->req = e;
        break;
    default:
        renew(g, k, lock);
        break;
    }
}

static au_block part(const au_block *b, size_t from, size_t to) {
    return (au_block){to - from,
                      b->first + from,
                      b->op + from,
                      b->thread + from,
                      b->obj + from,
                      b->loc + from,
                      b->value ? b->value + from : NULL,
                      b->has_value ? b->has_value + from : NULL};
}

static void walk_block(au_lockgraph *g, au_lock_walk *k, const au_block *b) {
    size_t fed = 0; /* events that 'must' has seen */
    au_must *must = k->event ? NULL : g->must;
    follow_names(g, k);
    for (size_t i = 0; i < b->n; i++) {
        k->thread.at[b->thread[i]].events++;
        uint8_t class = class_of[b->op[i]];
        if (class == PLAIN)
            continue;
        if (class == LOCKING)
            locking(g, k, b, i);
        if (must && (class == ORDERING || !is_lock(g, b->obj[i]))) {
            au_block seen = part(b, fed, i + 1);
            au_must_block(must, &seen);
            fed = i + 1;
        }
    }
    if (must && fed < b->n) {
        au_block seen = part(b, fed, b->n);
        au_must_block(must, &seen);
    }
}

/* A request of unknown mode: exclusive if the lock has no modes; else it waits for
 * sure only for a writer, as a reader does. */
static void last_requests(au_lockgraph *g, au_lock_walk *k) {
    for (size_t t = 0; t < k->thread.n; t++) {
        walker *w = &k->thread.at[t];
        if (!w->req.index || w->req.index != w->events || !w->held.n ||
            find_held(w, w->req.obj) < w->held.n)
            continue;
        bool rw = au_bitset_has(&k->rw, w->req.obj) ||
                  au_names_sync(g->names, w->req.obj).kind == AU_WIRE_OBJ_RWLOCK;
        depend(g, k, w, w->req.obj * 2 + rw, &w->req);
    }
}

static void walk_release(au_lock_walk *k) {
    for (size_t i = 0; i < k->thread.n; i++)
        au_vec_release(&k->thread.at[i].held);
    au_vec_release(&k->thread);
    au_bitset_release(&k->rw);
}

/* --- the outside ---------------------------------------------------------------------- */

au_lockgraph *au_lockgraph_new(const au_names *names, bool must) {
    au_lockgraph *g = AU_NEW(au_lockgraph);
    g->names = names;
    g->must = must ? au_must_new() : NULL;
    g->walk = AU_NEW(au_lock_walk);
    au_arena_init(&g->arena);
    au_idtable_init(&g->set_index);
    au_idtable_init(&g->dep_index);
    au_map_init(&g->set_with);
    au_funnel_init(&g->funnel);
    g->funnel.unit = "cycles";
    intern_set(g, (const au_lock_mode[]){0}, 0);
    return g;
}

void au_lockgraph_free(au_lockgraph *g) {
    if (!g)
        return;
    walk_release(g->walk);
    free(g->walk);
    if (g->must)
        au_must_free(g->must);
    for (size_t i = 0; i < g->dep.n; i++)
        au_vec_release(&g->dep.at[i].at);
    for (size_t i = 0; i < g->edge.n; i++)
        au_vec_release(&g->edge.at[i].dep);
    au_vec_release(&g->dep);
    au_vec_release(&g->edge);
    au_vec_release(&g->cycle);
    au_vec_release(&g->set);
    au_idtable_release(&g->set_index);
    au_idtable_release(&g->dep_index);
    au_map_release(&g->set_with);
    au_arena_release(&g->arena);
    free(g);
}

void au_lockgraph_block(au_lockgraph *g, const au_block *b) {
    walk_block(g, g->walk, b);
}

void au_lockgraph_finish(au_lockgraph *g, const au_lockgraph_limits *limits) {
    AU_BUG_IF(g->finished);
    g->finished = true;
    last_requests(g, g->walk);
    if (g->must)
        au_must_finish(g->must);
    au_lockcycle_search(g, limits);
}

bool au_lock_walk_ends_in(const au_lockgraph *g, const au_lock_cycle *c) {
    for (uint32_t i = 0; i < c->n; i++) {
        const au_lock_edge *e = &g->edge.at[c->edge[i]];
        const walker *w = &g->walk->thread.at[e->thread];
        size_t h = find_held(w, au_lock_of(e->holds));
        if (!w->req.index || w->req.index != w->events || w->req.obj != au_lock_of(e->wants) ||
            h == w->held.n || w->held.at[h].mode != e->holds)
            return false;
    }
    return true;
}

void au_lockgraph_events(const au_lockgraph *graph, const au_trace *t, const au_bitset *wanted,
                         au_event_list *event) {
    /* The tables know every set and dependency of these events: nothing is added. */
    au_lockgraph *g = (au_lockgraph *)graph;
    size_t sets = g->set.n, deps = g->dep.n;
    au_lock_walk k = {.wanted = wanted, .event = event};
    au_block b = au_columns_block(&t->events, 0, t->events.n);
    walk_block(g, &k, &b);
    last_requests(g, &k);
    walk_release(&k);
    AU_BUG_IF(sets != g->set.n || deps != g->dep.n);
}

const au_funnel *au_lockgraph_funnel(const au_lockgraph *g) {
    return &g->funnel;
}

const char *au_lockgraph_note(const au_lockgraph *g) {
    return g->note;
}

size_t au_lockgraph_cycles(const au_lockgraph *g) {
    return g->cycle.n;
}

const au_lock_cycle *au_lockgraph_cycle(const au_lockgraph *g, size_t i) {
    return &g->cycle.at[i];
}

const au_lock_dep *au_lockgraph_dep(const au_lockgraph *g, uint32_t dep) {
    return &g->dep.at[dep];
}

size_t au_lockgraph_deps(const au_lockgraph *g) {
    return g->dep.n;
}

const au_lock_edge *au_lockgraph_edge(const au_lockgraph *g, uint32_t edge) {
    return &g->edge.at[edge];
}
