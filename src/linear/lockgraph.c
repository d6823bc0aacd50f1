/* linear/lockgraph.c: lock dependencies from a stream of events. */
#include "linear/lockgraph.h"

#include "base/deadline.h"
#include "linear/lockgraph_priv.h"

enum { SLICE = 1 << 12 }; /* events between two looks at the clock */

typedef struct {
    uint64_t events;
    au_lock_site *site; /* of all locks that it holds, and perhaps others */
    uint32_t sites;     /* how many that are */
    au_event_ref req;   /* its last request; counts if it is the thread's last event */
} walker;

/* One pass over the events. Who holds what; the tables that it fills are the graph's. */
struct au_lock_walk {
    au_held *held;
    AU_VEC(walker) thread;
    au_bitset rw; /* by lock: it was acquired by mode */
    /* second pass: */
    const uint32_t *first, *edge; /* by dependency: its wanted edges, in 'edge' */
    au_event_list *event;         /* by edge */
};

const au_lock_mode *au_lockgraph_set(const au_lockgraph *g, uint32_t set, uint32_t *n) {
    return au_held_members(g->walk->held, set, n);
}

bool au_lockgraph_sets_conflict(const au_lockgraph *g, uint32_t a, uint32_t b) {
    return au_held_exclude(g->walk->held, a, b);
}

const au_sets *au_lockgraph_sets(const au_lockgraph *g) {
    return au_held_sets(g->walk->held);
}

uint32_t au_lockgraph_root(const au_lockgraph *g, const au_lock_dep *d) {
    return au_held_root(g->walk->held, d->held);
}

/* --- where held locks were acquired --------------------------------------------------- */

static au_lock_site *add_site(const au_lock_site *before, uint32_t lock, uint32_t loc) {
    au_lock_site *x = AU_NEW(au_lock_site);
    *x = (au_lock_site){before, lock, loc, 1}; /* takes over its owner's hold of 'before' */
    return x;
}

static const au_lock_site *share_site(const au_lock_site *site) {
    if (site)
        ((au_lock_site *)(uintptr_t)site)->refs++;
    return site;
}

static void drop_site(const au_lock_site *site) {
    while (site) {
        au_lock_site *x = (au_lock_site *)(uintptr_t)site;
        if (--x->refs)
            return;
        site = x->before;
        free(x);
    }
}

static bool holds(const au_lock_walk *k, uint16_t thread, uint32_t lock, au_lock_mode *mode) {
    const au_sets *sets = au_held_sets(k->held);
    uint32_t set = au_held_root(k->held, au_held_set(k->held, thread));
    for (unsigned shared = 0; shared < 2; shared++) {
        *mode = au_lock_in_mode(lock, shared);
        if (au_sets_has(sets, set, *mode))
            return true;
    }
    return false;
}

/* The list anew, with the newest site of each held lock only. */
static void compact(const au_lock_walk *k, walker *w, uint16_t t) {
    AU_VEC(const au_lock_site *) keep = {0};
    au_map seen = {0};
    for (const au_lock_site *x = w->site; x; x = x->before) {
        bool fresh;
        au_lock_mode mode;
        au_map_put(&seen, x->lock, &fresh);
        if (fresh && holds(k, t, x->lock, &mode))
            au_vec_push(&keep, x);
    }
    au_lock_site *list = NULL;
    for (size_t i = keep.n; i-- > 0;)
        list = add_site(list, keep.at[i]->lock, keep.at[i]->loc);
    drop_site(w->site);
    w->site = list;
    w->sites = (uint32_t)keep.n;
    au_map_release(&seen);
    au_vec_release(&keep);
}

static void forget_sites(walker *w) {
    drop_site(w->site);
    w->site = NULL;
    w->sites = 0;
}

static void note_site(walker *w, const au_event_ref *e) {
    w->site = add_site(w->site, e->obj, e->loc);
    w->sites++;
}

/* The lock is held no more. Most are the newest; of others the site stays for a while. */
static void forget_site(const au_lock_walk *k, walker *w, uint16_t t, uint32_t lock) {
    enum { SLACK = 16 };
    uint32_t set = au_held_set(k->held, t);
    if (set == AU_HELD_NONE) {
        forget_sites(w);
        return;
    }
    if (w->site && w->site->lock == lock) {
        au_lock_site *top = w->site;
        w->site = (au_lock_site *)(uintptr_t)share_site(top->before);
        drop_site(top);
        w->sites--;
    }
    if (w->sites > 2 * au_sets_count(au_held_sets(k->held), au_held_root(k->held, set)) + SLACK)
        compact(k, w, t);
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
    return au_hash_join(au_key2(k->thread, k->wants), k->held);
}

static void note_dep(au_lockgraph *g, const walker *w, const dep_key *key, const au_event_ref *e) {
    uint64_t hash = hash_dep(key);
    uint32_t id = au_idtable_find(&g->dep_index, hash, same_dep, g, key);
    if (id == AU_NONE) {
        id = (uint32_t)g->dep.n;
        au_vec_push(&g->dep,
                    ((au_lock_dep){.thread = key->thread, .wants = key->wants, .held = key->held}));
        au_idtable_add(&g->dep_index, hash, id);
    }
    au_lock_dep *d = &g->dep.at[id];
    uint32_t segment = g->must ? au_must_segment(g->must, e->thread) : 0;
    d->count++;
    if (!d->at.n || au_vec_last(&d->at).segment != segment)
        au_vec_push(&d->at, ((au_lock_dep_at){segment, *e, share_site(w->site)}));
}

/* A thread asks for a lock that it does not hold, and holds others. */
static void depend(au_lockgraph *g, au_lock_walk *k, const walker *w, const dep_key *key,
                   const au_event_ref *e) {
    if (!k->event) {
        note_dep(g, w, key, e);
        return;
    }
    uint32_t id = au_idtable_find(&g->dep_index, hash_dep(key), same_dep, g, key);
    AU_BUG_IF(id == AU_NONE);
    for (uint32_t i = k->first[id]; i < k->first[id + 1]; i++)
        au_vec_push(&k->event[k->edge[i]], e->number);
}

/* --- the pass ----------------------------------------------------------------------- */

static void follow_names(const au_lockgraph *g, au_lock_walk *k) {
    while (k->thread.n < g->names->thread.n)
        *au_vec_add(&k->thread) = (walker){0};
    if (k->rw.bits < g->names->lock.n) {
        au_bitset bigger;
        au_bitset_init(&bigger, 2 * g->names->lock.n);
        if (k->rw.bits)
            memcpy(bigger.word, k->rw.word, au_bitset_words(&k->rw) * sizeof *bigger.word);
        au_bitset_release(&k->rw);
        k->rw = bigger;
    }
}

/* What matters to a pass: nothing, a lock's event, or an event that may start a new
 * must-segment (acq and rel of a semaphore may, too). */
enum { PLAIN, LOCKING, ORDERING };
static const uint8_t class_of[AU_OPS] = {
    [AU_OP_ACQ] = LOCKING,   [AU_OP_REL] = LOCKING,     [AU_OP_RDACQ] = LOCKING,
    [AU_OP_WRACQ] = LOCKING, [AU_OP_REQ] = LOCKING,     [AU_OP_INIT] = LOCKING,
    [AU_OP_FORK] = ORDERING, [AU_OP_JOIN] = ORDERING,   [AU_OP_DOWN] = ORDERING,
    [AU_OP_UP] = ORDERING,   [AU_OP_ARRIVE] = ORDERING, [AU_OP_LEAVE] = ORDERING,
};

static void locking(au_lockgraph *g, au_lock_walk *k, const au_block *b, size_t i) {
    uint32_t lock = b->obj[i];
    uint16_t t = b->thread[i];
    walker *w = &k->thread.at[t];
    au_event_ref e = {b->first + i, w->events, lock, b->loc[i], t, b->op[i]};
    uint32_t before = au_held_set(k->held, t);
    switch (au_held_step(k->held, t, b->op[i], lock)) {
    case AU_HELD_TAKEN:
    case AU_HELD_TAKEN_SHARED: {
        bool shared = b->op[i] == AU_OP_RDACQ;
        if (b->op[i] != AU_OP_ACQ)
            au_bitset_add(&k->rw, lock);
        if (before != AU_HELD_NONE && !au_block_tried(b, i))
            depend(g, k, w, &(dep_key){t, au_lock_in_mode(lock, shared), before}, &e);
        if (!k->event && before == AU_HELD_NONE)
            forget_sites(w); /* of locks that were made anew */
        if (!k->event)
            note_site(w, &e);
        break;
    }
    case AU_HELD_GIVEN:
    case AU_HELD_GIVEN_SHARED:
        if (!k->event)
            forget_site(k, w, t, lock);
        break;
    case AU_HELD_SAME:
        if (b->op[i] == AU_OP_REQ)
            w->req = e;
        break;
    }
}

static void walk_block(au_lockgraph *g, au_lock_walk *k, const au_block *b) {
    au_must *must = k->event ? NULL : g->must;
    follow_names(g, k);
    for (size_t i = 0; i < b->n; i++) {
        k->thread.at[b->thread[i]].events++;
        uint8_t class = class_of[b->op[i]];
        if (class == PLAIN)
            continue;
        if (class == LOCKING)
            locking(g, k, b, i);
        if (must)
            au_must_event(must, b->op[i], b->thread[i], b->obj[i]);
    }
}

static bool requests(const walker *w) {
    return w->req.index && w->req.index == w->events;
}

/* A request of unknown mode: exclusive if the lock has no modes; else it waits for
 * sure only for a writer, as a reader does. */
static void last_requests(au_lockgraph *g, au_lock_walk *k) {
    for (size_t t = 0; t < k->thread.n; t++) {
        walker *w = &k->thread.at[t];
        uint32_t lock = w->req.obj, held = au_held_set(k->held, (uint16_t)t);
        au_lock_mode mode;
        if (!requests(w) || held == AU_HELD_NONE || holds(k, (uint16_t)t, lock, &mode) ||
            au_names_sync(g->names, lock).kind == AU_WIRE_OBJ_SEM)
            continue;
        bool rw =
            au_bitset_has(&k->rw, lock) || au_names_sync(g->names, lock).kind == AU_WIRE_OBJ_RWLOCK;
        depend(g, k, w, &(dep_key){(uint16_t)t, au_lock_in_mode(lock, rw), held}, &w->req);
    }
}

static void walk_release(au_lock_walk *k) {
    for (size_t i = 0; i < k->thread.n; i++)
        drop_site(k->thread.at[i].site);
    au_vec_release(&k->thread);
    au_bitset_release(&k->rw);
    au_held_free(k->held);
}

/* --- the outside ---------------------------------------------------------------------- */

au_lockgraph *au_lockgraph_new(const au_names *names, bool must) {
    au_lockgraph *g = AU_NEW(au_lockgraph);
    g->names = names;
    if (must) {
        g->must = au_must_new();
        au_must_use_names(g->must, names);
    }
    g->walk = AU_NEW(au_lock_walk);
    g->walk->held = au_held_new(names);
    au_arena_init(&g->arena);
    au_idtable_init(&g->dep_index);
    au_funnel_init(&g->funnel);
    g->funnel.unit = "cycles";
    return g;
}

void au_lockgraph_free(au_lockgraph *g) {
    if (!g)
        return;
    walk_release(g->walk);
    free(g->walk);
    if (g->must)
        au_must_free(g->must);
    for (size_t i = 0; i < g->dep.n; i++) {
        for (size_t k = 0; k < g->dep.at[i].at.n; k++)
            drop_site(g->dep.at[i].at.at[k].site);
        au_vec_release(&g->dep.at[i].at);
    }
    for (size_t i = 0; i < g->edge.n; i++)
        au_vec_release(&g->edge.at[i].dep);
    au_vec_release(&g->dep);
    au_vec_release(&g->edge);
    au_vec_release(&g->cycle);
    au_idtable_release(&g->dep_index);
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
        au_lock_mode mode;
        if (!requests(w) || w->req.obj != au_lock_of(e->wants) ||
            !holds(g->walk, e->thread, au_lock_of(e->holds), &mode) || mode != e->holds)
            return false;
    }
    return true;
}

void au_lockgraph_events(const au_lockgraph *graph, const au_trace *t, const au_bitset *wanted,
                         au_event_list *event) {
    /* The same events give the same sets the same numbers: every dependency is known. */
    au_lockgraph *g = (au_lockgraph *)(uintptr_t)graph;
    uint32_t *first = au_alloc_array(g->dep.n + 2, sizeof *first);
    for (size_t e = 0; e < g->edge.n; e++)
        for (size_t i = 0; i < g->edge.at[e].dep.n && au_bitset_has(wanted, e); i++)
            first[g->edge.at[e].dep.at[i] + 2]++;
    for (size_t d = 0; d < g->dep.n; d++)
        first[d + 2] += first[d + 1];
    uint32_t *edge = au_alloc_array(first[g->dep.n + 1], sizeof *edge);
    for (size_t e = 0; e < g->edge.n; e++)
        for (size_t i = 0; i < g->edge.at[e].dep.n && au_bitset_has(wanted, e); i++)
            edge[first[g->edge.at[e].dep.at[i] + 1]++] = (uint32_t)e;
    au_lock_walk k = {.held = au_held_new(&t->names), .first = first, .edge = edge, .event = event};
    for (size_t i = 0; i < t->events.n && !au_deadline_step(SLICE); i += SLICE) {
        size_t to = t->events.n - i < SLICE ? t->events.n : i + SLICE;
        au_block b = au_columns_block(&t->events, i, to);
        walk_block(g, &k, &b);
    }
    last_requests(g, &k);
    walk_release(&k);
    free(first);
    free(edge);
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

size_t au_lockgraph_edges(const au_lockgraph *g) {
    return g->edge.n;
}
