/* linear/lockcycle.c: cycles of lock dependencies.
 *
 * Locks are nodes, edges (t, h, l) lead from h to l. Only edges within one strongly
 * connected component can be on a cycle; in most traces none are left. Then, for
 * k = 2, 3, … all simple cycles of exactly k edges with k different threads: from
 * every edge a depth-first search over edges of larger threads, which turns back
 * where the start is farther away (by a breadth-first search backwards from it) than
 * the edges that are left to use. */
#include "base/deadline.h"
#include "base/limits.h"
#include "linear/lockgraph_priv.h"

#include <stdio.h>

#define NEVER UINT32_MAX

typedef AU_VEC(uint32_t) id_list;

typedef struct {
    au_lockgraph *g;
    uint32_t locks;         /* lock ids are below */
    uint32_t *component;    /* by lock, then by node of the held sets */
    uint32_t components;    /* how many */
    uint32_t *from, *out;   /* edges by the lock held, then by thread; from: by lock, in 'out' */
    uint32_t *in_from, *in; /* edges by the lock wanted */
    uint32_t *girth;        /* by lock: the length of the shortest cycle through it, threads
                             ignored */
    uint32_t *distance;     /* by lock, to the start of the search */
    uint32_t *queue;        /* locks with a distance */
    uint32_t reached;       /* how many */
    id_list active;         /* locks that are held on an edge */
    uint8_t *thread_used, *lock_used;
    uint32_t *path;     /* edges */
    uint32_t *dep, *at; /* the choice for each edge of a path */
    uint32_t most;      /* no cycle is longer */
    uint32_t length, start_lock;
    uint64_t steps_left, candidates_left;
    uint64_t candidates, unordered, unguarded;
    uint32_t list_limit;
    bool must, stopped, unlisted;
    bool late;  /* the command's time is over; whoever asked says so */
    bool prune; /* follow only paths whose dependencies go together */
} search;

static bool step(search *s) {
    if (s->steps_left)
        s->steps_left--;
    else
        s->stopped = true;
    s->stopped |= s->late |= au_deadline_step(1);
    return !s->stopped;
}

static bool blocks(au_lock_mode wants, au_lock_mode holds) {
    return au_lock_of(wants) == au_lock_of(holds) &&
           !(au_lock_shared(wants) && au_lock_shared(holds));
}

/* --- components of the lock graph ------------------------------------------------------ */

/* Edges from every held lock to the one asked for are many where many locks are held. So the graph has
 * the nodes of the held sets (base/sets.h) as well: a lock leads to the sets of itself alone, those to the
 * sets that are made of them, and a whole held set to the lock that is asked for with it in hand. Which locks
 * reach which is the same, and sets that are alike share their nodes. */

struct frame {
    uint32_t at, next;
};

typedef struct {
    const uint32_t *first, *to; /* where a node leads, in 'to' */
    uint32_t *seen, *low;       /* by node; seen 0: not yet */
    uint32_t *component;
    id_list stack;
    AU_VEC(struct frame) call;
    uint32_t clock, components;
} tarjan;

static void enter(tarjan *j, uint32_t at) {
    j->seen[at] = j->low[at] = ++j->clock;
    au_vec_push(&j->stack, at);
    au_vec_push(&j->call, ((struct frame){at, j->first[at]}));
}

static void leave(tarjan *j, uint32_t at) {
    j->call.n--;
    if (j->call.n) {
        uint32_t up = au_vec_last(&j->call).at;
        if (j->low[at] < j->low[up])
            j->low[up] = j->low[at];
    }
    if (j->low[at] != j->seen[at])
        return;
    uint32_t member;
    do {
        member = au_vec_pop(&j->stack);
        j->component[member] = j->components;
    } while (member != at);
    j->components++;
}

static void find_components(tarjan *j, uint32_t nodes) {
    for (uint32_t root = 0; root < nodes; root++) {
        if (j->seen[root])
            continue;
        enter(j, root);
        while (j->call.n) {
            struct frame *f = &au_vec_last(&j->call);
            uint32_t at = f->at;
            if (f->next == j->first[at + 1]) {
                leave(j, at);
                continue;
            }
            uint32_t to = j->to[f->next++];
            if (!j->seen[to])
                enter(j, to);
            else if (j->component[to] == NEVER && j->seen[to] < j->low[at])
                j->low[at] = j->seen[to];
        }
    }
}

/* One edge of the graph: counted when it is first met, stored the second time. */
static void lead(uint32_t *first, uint32_t *to, uint32_t from, uint32_t at) {
    if (to)
        to[first[from + 1]++] = at;
    else
        first[from + 2]++;
}

static void lead_all(const search *s, uint32_t *first, uint32_t *to) {
    const au_lockgraph *g = s->g;
    const au_sets *sets = au_lockgraph_sets(g);
    for (uint32_t k = 1; k < sets->node.n; k++) {
        const au_set_node *n = &sets->node.at[k];
        if (!n->bit) {
            lead(first, to, au_lock_of(n->key), s->locks + k);
            continue;
        }
        lead(first, to, s->locks + n->left, s->locks + k);
        lead(first, to, s->locks + n->right, s->locks + k);
    }
    for (size_t d = 0; d < g->dep.n; d++)
        lead(first, to, s->locks + au_lockgraph_root(g, &g->dep.at[d]),
             au_lock_of(g->dep.at[d].wants));
}

/* Fills s->component from all (held, wanted) pairs of the dependencies. */
static void components(search *s) {
    size_t nodes = s->locks + au_lockgraph_sets(s->g)->node.n;
    AU_BUG_IF(nodes >= NEVER);
    uint32_t *first = au_alloc_array(nodes + 2, sizeof *first);
    lead_all(s, first, NULL);
    for (size_t k = 0; k < nodes; k++)
        first[k + 2] += first[k + 1];
    uint32_t *to = au_alloc_array(first[nodes + 1] + 1, sizeof *to);
    lead_all(s, first, to);
    s->component = au_realloc_array(NULL, nodes, sizeof *s->component);
    if (nodes)
        memset(s->component, 0xff, nodes * sizeof *s->component);
    tarjan j = {.first = first, .to = to, .component = s->component};
    j.seen = au_alloc_array(nodes, sizeof *j.seen);
    j.low = au_alloc_array(nodes, sizeof *j.low);
    find_components(&j, (uint32_t)nodes);
    s->components = j.components;
    free(j.seen);
    free(j.low);
    au_vec_release(&j.stack);
    au_vec_release(&j.call);
    free(to);
    free(first);
}

/* --- edges ------------------------------------------------------------------------------ */

static bool same_edge(const void *ctx, uint32_t id, const void *key) {
    const au_lockgraph *g = ctx;
    const au_lock_edge *a = &g->edge.at[id], *b = key;
    return a->thread == b->thread && a->holds == b->holds && a->wants == b->wants;
}

static void add_edge(search *s, au_idtable *index, uint32_t dep, au_lock_mode holds) {
    au_lockgraph *g = s->g;
    au_lock_edge key = {
        .thread = g->dep.at[dep].thread, .holds = holds, .wants = g->dep.at[dep].wants};
    uint64_t hash = au_hash_join(au_key2(key.thread, key.holds), (uint64_t)key.wants);
    uint32_t id = au_idtable_find(index, hash, same_edge, g, &key);
    if (id == AU_NONE) {
        id = (uint32_t)g->edge.n;
        au_vec_push(&g->edge, key);
        au_idtable_add(index, hash, id);
    }
    au_vec_push(&g->edge.at[id].dep, dep);
}

/* The edges from those members of a set from which the wanted lock can be reached and that it reaches. All
 * sets on the way from the member to the whole one are in their component, too: nothing is looked at in vain. */
static void edges_of(search *s, au_idtable *index, uint32_t dep, uint32_t set) {
    if (s->component[s->locks + set] != s->component[au_lock_of(s->g->dep.at[dep].wants)])
        return;
    const au_set_node *n = &au_lockgraph_sets(s->g)->node.at[set];
    if (!n->bit) {
        add_edge(s, index, dep, n->key);
        return;
    }
    edges_of(s, index, dep, n->left);
    edges_of(s, index, dep, n->right);
}

static void make_edges(search *s) {
    au_lockgraph *g = s->g;
    au_idtable index;
    au_idtable_init(&index);
    for (size_t d = 0; d < g->dep.n; d++)
        edges_of(s, &index, (uint32_t)d, au_lockgraph_root(g, &g->dep.at[d]));
    au_idtable_release(&index);
}

static int by_thread(const void *a, const void *b, void *edges) {
    const au_lock_edge *x = (const au_lock_edge *)edges + *(const uint32_t *)a;
    const au_lock_edge *y = (const au_lock_edge *)edges + *(const uint32_t *)b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->wants != y->wants)
        return x->wants < y->wants ? -1 : 1;
    return (x->holds > y->holds) - (x->holds < y->holds);
}

/* Edges by the lock held (s->from, s->out) or by the lock wanted (s->in_from, s->in). */
static void list_edges(search *s, bool by_held, uint32_t **first, uint32_t **list) {
    const au_lockgraph *g = s->g;
    uint32_t *f = au_alloc_array((size_t)s->locks + 2, sizeof *f);
    uint32_t *e = au_alloc_array(g->edge.n, sizeof *e);
    for (size_t i = 0; i < g->edge.n; i++)
        f[au_lock_of(by_held ? g->edge.at[i].holds : g->edge.at[i].wants) + 2]++;
    for (uint32_t l = 0; l < s->locks; l++)
        f[l + 2] += f[l + 1];
    for (size_t i = 0; i < g->edge.n; i++)
        e[f[au_lock_of(by_held ? g->edge.at[i].holds : g->edge.at[i].wants) + 1]++] = (uint32_t)i;
    *first = f;
    *list = e;
}

/* --- which of a path's dependencies go together -------------------------------------------- */

static bool ordered(const au_lockgraph *g, const au_lock_dep *a, uint32_t at_a,
                    const au_lock_dep *b, uint32_t at_b) {
    uint32_t x = a->at.at[at_a].segment, y = b->at.at[at_b].segment;
    return au_must_before(g->must, a->thread, x, b->thread, y) ||
           au_must_before(g->must, b->thread, y, a->thread, x);
}

static bool fits(search *s, uint32_t pos, bool guards, const au_lock_dep *d, uint32_t at) {
    au_lockgraph *g = s->g;
    for (uint32_t i = 0; i < pos; i++) {
        const au_lock_dep *e = &g->dep.at[s->dep[i]];
        if (guards && au_lockgraph_sets_conflict(g, d->held, e->held))
            return false;
        if (s->must && ordered(g, e, s->at[i], d, at))
            return false;
    }
    return true;
}

/* Chooses for the edges pos … end-1. Segments matter only to 'must'. */
static bool choose(search *s, uint32_t pos, uint32_t end, bool guards) {
    if (pos == end)
        return true;
    const au_lock_edge *e = &s->g->edge.at[s->path[pos]];
    for (size_t i = 0; i < e->dep.n; i++) {
        const au_lock_dep *d = &s->g->dep.at[e->dep.at[i]];
        uint32_t n = s->must ? (uint32_t)d->at.n : 1;
        for (uint32_t at = 0; at < n; at++) {
            if (!step(s))
                return false;
            if (!fits(s, pos, guards, d, at))
                continue;
            s->dep[pos] = e->dep.at[i];
            s->at[pos] = at;
            if (choose(s, pos + 1, end, guards))
                return true;
        }
    }
    return false;
}

static void keep(search *s) {
    au_lockgraph *g = s->g;
    if (g->cycle.n == s->list_limit) {
        s->unlisted = true;
        return;
    }
    size_t n = s->length;
    au_lock_cycle c = {.n = s->length};
    c.edge = AU_ARENA_ARRAY(&g->arena, uint32_t, n);
    c.dep = AU_ARENA_ARRAY(&g->arena, uint32_t, n);
    c.at = AU_ARENA_ARRAY(&g->arena, uint32_t, n);
    memcpy(c.edge, s->path, n * sizeof *c.edge);
    memcpy(c.dep, s->dep, n * sizeof *c.dep);
    memcpy(c.at, s->at, n * sizeof *c.at);
    c.observed = au_lock_walk_ends_in(g, &c);
    au_vec_push(&g->cycle, c);
}

static void candidate(search *s) {
    if (!s->candidates_left) {
        s->stopped = true;
        return;
    }
    s->candidates_left--;
    s->candidates++;
    if (s->must && !s->prune && !choose(s, 0, s->length, false))
        return;
    s->unordered++;
    if (!choose(s, 0, s->length, true))
        return;
    s->unguarded++;
    keep(s);
}

/* --- the search --------------------------------------------------------------------------- */

/* Distances to the lock along edges, up to 'within'; returns the length of the shortest cycle through it that
 * they show. */
static uint32_t distances(search *s, uint32_t lock, uint32_t within) {
    const au_lockgraph *g = s->g;
    uint32_t shortest = NEVER;
    while (s->reached) /* forget the last time */
        s->distance[s->queue[--s->reached]] = NEVER;
    s->distance[lock] = 0;
    s->queue[s->reached++] = lock;
    for (uint32_t head = 0; head < s->reached; head++) {
        uint32_t l = s->queue[head];
        if (s->distance[l] >= within)
            break;
        for (uint32_t i = s->in_from[l]; i < s->in_from[l + 1] && step(s); i++) {
            uint32_t from = au_lock_of(g->edge.at[s->in[i]].holds);
            if (from == lock && shortest == NEVER)
                shortest = s->distance[l] + 1;
            if (s->distance[from] != NEVER)
                continue;
            s->distance[from] = s->distance[l] + 1;
            s->queue[s->reached++] = from;
        }
    }
    return shortest;
}

static void extend(search *s, uint32_t pos) {
    const au_lockgraph *g = s->g;
    const au_lock_edge *e = &g->edge.at[s->path[pos - 1]];
    uint32_t lock = au_lock_of(e->wants);
    if (pos == s->length) {
        if (blocks(e->wants, g->edge.at[s->path[0]].holds))
            candidate(s);
        return;
    }
    if (lock == s->start_lock || s->lock_used[lock] || s->distance[lock] > s->length - pos)
        return;
    s->lock_used[lock] = 1;
    for (uint32_t i = s->from[lock]; i < s->from[lock + 1] && step(s); i++) {
        const au_lock_edge *next = &g->edge.at[s->out[i]];
        if (next->thread < g->edge.at[s->path[0]].thread || s->thread_used[next->thread] ||
            !blocks(e->wants, next->holds))
            continue;
        s->thread_used[next->thread] = 1;
        s->path[pos] = s->out[i];
        if (!s->prune || choose(s, 0, pos + 1, true))
            extend(s, pos + 1);
        s->thread_used[next->thread] = 0;
    }
    s->lock_used[lock] = 0;
}

/* All cycles of s->length edges that start with an edge from this lock. */
static void cycles_from(search *s, uint32_t lock) {
    distances(s, lock, s->length - 1);
    s->start_lock = lock;
    for (uint32_t i = s->from[lock]; i < s->from[lock + 1] && step(s); i++) {
        const au_lock_edge *e = &s->g->edge.at[s->out[i]];
        s->path[0] = s->out[i];
        s->thread_used[e->thread] = 1;
        extend(s, 1);
        s->thread_used[e->thread] = 0;
    }
}

/* No cycle is longer than this. */
static uint32_t longest(const search *s) {
    const au_lockgraph *g = s->g;
    uint32_t threads = 0, locks = 0, most = 0;
    uint8_t *seen = au_alloc_array(AU_MAX_THREADS + 1, 1);
    uint32_t *size = au_alloc_array(s->components, sizeof *size);
    for (size_t i = 0; i < g->edge.n; i++) {
        threads += !seen[g->edge.at[i].thread];
        seen[g->edge.at[i].thread] = 1;
    }
    for (uint32_t l = 0; l < s->locks; l++)
        if (s->from[l] < s->from[l + 1]) {
            locks = ++size[s->component[l]];
            most = locks > most ? locks : most;
        }
    free(seen);
    free(size);
    return threads < most ? threads : most;
}

static void prepare(search *s) {
    const au_lockgraph *g = s->g;
    list_edges(s, true, &s->from, &s->out);
    list_edges(s, false, &s->in_from, &s->in);
    for (uint32_t l = 0; l < s->locks; l++)
        if (s->from[l] < s->from[l + 1]) {
            au_vec_push(&s->active, l);
            qsort_r(s->out + s->from[l], s->from[l + 1] - s->from[l], sizeof *s->out, by_thread,
                    g->edge.at);
        }
    s->girth = au_alloc_array(s->locks, sizeof *s->girth);
    s->distance = au_realloc_array(NULL, s->locks, sizeof *s->distance);
    memset(s->distance, 0xff, s->locks * sizeof *s->distance);
    s->queue = au_alloc_array(s->locks, sizeof *s->queue);
    s->lock_used = au_alloc_array(s->locks, 1);
    s->thread_used = au_alloc_array(AU_MAX_THREADS + 1, 1);
    s->most = longest(s);
    s->path = au_alloc_array((size_t)s->most + 1, sizeof *s->path);
    s->dep = au_alloc_array((size_t)s->most + 1, sizeof *s->dep);
    s->at = au_alloc_array((size_t)s->most + 1, sizeof *s->at);
}

static void run(search *s, const au_lockgraph_limits *limits) {
    s->candidates_left =
        limits && limits->candidates ? limits->candidates : AU_LIMIT_CYCLE_CANDIDATES;
    s->steps_left = limits && limits->steps ? limits->steps : AU_LIMIT_CYCLE_STEPS;
    s->stopped = s->unlisted = false;
    s->g->cycle.n = 0;
    s->unguarded = 0;
    s->length = 2;
    for (size_t i = 0; i < s->active.n && s->most >= 2 && !s->stopped; i++)
        cycles_from(s, s->active.at[i]);
    /* Only now: of many locks that all wait for each other the lengths alone would use up the steps. */
    for (size_t i = 0; i < s->active.n && s->most > 2; i++)
        s->girth[s->active.at[i]] = s->stopped ? NEVER : distances(s, s->active.at[i], s->most);
    for (s->length = 3; s->length <= s->most && !s->stopped; s->length++)
        for (size_t i = 0; i < s->active.n && !s->stopped; i++)
            if (s->girth[s->active.at[i]] <= s->length)
                cycles_from(s, s->active.at[i]);
}

static void write_note(search *s, bool counted) {
    au_lockgraph *g = s->g;
    if (s->unlisted)
        snprintf(g->note, sizeof g->note, "%.200s%s",
                 au_limit_say(AU_AT_CYCLES_LISTED, s->list_limit, 0, (char[AU_LIMIT_TEXT]){0}),
                 counted ? "" : " and not all were counted");
    else if (s->stopped && !s->late)
        snprintf(
            g->note, sizeof g->note, "%.250s",
            au_limit_say(AU_AT_CYCLE_STEPS, s->length - 1, g->cycle.n, (char[AU_LIMIT_TEXT]){0}));
    else if (!counted && !s->late)
        snprintf(g->note, sizeof g->note, "%s", au_limit_of(AU_AT_CYCLE_CANDIDATES)->words);
}

/* Candidates that guards forbid can be so many that the limit hides those that
 * they do not: then once more, following only what the guards allow. */
static void search_cycles(search *s, const au_lockgraph_limits *limits) {
    prepare(s);
    run(s, limits);
    bool counted = !s->stopped;
    if (!counted && !s->late) {
        uint64_t candidates = s->candidates, unordered = s->unordered;
        s->prune = true;
        run(s, limits);
        s->unordered = unordered > s->unguarded ? unordered : s->unguarded;
        s->candidates = candidates > s->unordered ? candidates : s->unordered;
    }
    write_note(s, counted);
}

void au_lockcycle_search(au_lockgraph *g, const au_lockgraph_limits *limits) {
    search s = {.g = g, .locks = (uint32_t)g->names->lock.n, .must = g->must != NULL};
    s.list_limit = limits && limits->cycles ? limits->cycles : AU_LIMIT_CYCLES_LISTED;
    components(&s);
    make_edges(&s);
    if (g->edge.n)
        search_cycles(&s, limits);
    g->funnel.left[AU_STAGE_CANDIDATES] = s.candidates;
    if (g->must)
        g->funnel.left[AU_STAGE_MUST_HB] = s.unordered;
    g->funnel.left[AU_STAGE_LOCKSET] = s.unguarded;
    free(s.component);
    free(s.from);
    free(s.out);
    free(s.in_from);
    free(s.in);
    free(s.girth);
    free(s.distance);
    free(s.queue);
    au_vec_release(&s.active);
    free(s.lock_used);
    free(s.thread_used);
    free(s.path);
    free(s.dep);
    free(s.at);
}
