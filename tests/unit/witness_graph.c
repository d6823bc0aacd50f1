#include "witness_graph.h"

#include "base/alloc.h"

#include <stdlib.h>

static void order_threads(struct wgraph *g, const au_block *b, uint32_t *first, uint32_t *last) {
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t t = b->thread[i];
        g->thread[i] = t;
        g->next[i] = g->prev[i] = NO_NODE;
        g->pos[i] = 0;
        if (last[t] == NO_NODE) {
            first[t] = i;
        } else {
            g->prev[i] = last[t];
            g->pos[i] = g->pos[last[t]] + 1;
            g->next[last[t]] = i;
        }
        last[t] = i;
    }
    for (uint32_t i = g->n; i < g->n + 2; i++)
        g->next[i] = g->prev[i] = NO_NODE;
}

static void add_sync(struct wgraph *g, uint32_t from, uint32_t to) {
    au_vec_push(&g->sync, ((struct edge){from, to}));
}

static int by_lock(const void *a, const void *b) {
    uint32_t x = ((const struct scope *)a)->lock, y = ((const struct scope *)b)->lock;
    return x < y ? -1 : x > y;
}

void wgraph_init(struct wgraph *g, const au_block *b, const au_names *names) {
    *g = (struct wgraph){.n = (uint32_t)b->n, .threads = (uint32_t)names->thread.n};
    g->init = g->n;
    g->final = g->n + 1;
    g->vars = names->var.n;
    g->thread = au_alloc_array(g->n + 2, sizeof(uint32_t));
    g->pos = au_alloc_array(g->n + 2, sizeof(uint32_t));
    g->next = au_alloc_array(g->n + 2, sizeof(uint32_t));
    g->prev = au_alloc_array(g->n + 2, sizeof(uint32_t));
    g->writes = au_alloc_array(g->vars, sizeof *g->writes);
    uint32_t *first = au_alloc_array(g->threads, sizeof *first);
    uint32_t *last = au_alloc_array(g->threads, sizeof *last);
    uint32_t *writer = au_alloc_array(g->vars, sizeof *writer);
    uint32_t *holder = au_alloc_array(names->lock.n + 1, sizeof *holder);
    uint32_t *signal = au_alloc_array(names->lock.n + 1, sizeof *signal);
    memset(first, 0xff, g->threads * sizeof *first);
    memset(last, 0xff, g->threads * sizeof *last);
    for (size_t v = 0; v < g->vars; v++) {
        writer[v] = g->init;
        au_vec_push(&g->writes[v], g->init);
    }
    order_threads(g, b, first, last);
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t o = b->obj[i];
        switch (b->op[i]) {
        case AU_OP_READ:
            au_vec_push(&g->couple, ((struct couple){writer[o], i, o}));
            break;
        case AU_OP_WRITE:
            writer[o] = i;
            au_vec_push(&g->writes[o], i);
            break;
        case AU_OP_ACQ:
            holder[o] = i;
            break;
        case AU_OP_REL:
            au_vec_push(&g->scope, ((struct scope){o, holder[o], i}));
            break;
        case AU_OP_SIGNAL:
        case AU_OP_BROADCAST:
            signal[o] = i;
            break;
        case AU_OP_WAKE:
            add_sync(g, signal[o], i);
            break;
        case AU_OP_FORK:
            if (first[o] != NO_NODE)
                add_sync(g, i, first[o]);
            break;
        case AU_OP_JOIN:
            if (last[o] != NO_NODE)
                add_sync(g, last[o], i);
            break;
        default:
            break;
        }
    }
    if (g->scope.n)
        qsort(g->scope.at, g->scope.n, sizeof *g->scope.at, by_lock);
    for (uint32_t t = 0; t < g->threads; t++)
        if (first[t] != NO_NODE) {
            add_sync(g, g->init, first[t]);
            add_sync(g, last[t], g->final);
        }
    for (uint32_t v = 0; v < g->vars; v++)
        au_vec_push(&g->couple, ((struct couple){writer[v], g->final, v}));
    free(first);
    free(last);
    free(writer);
    free(holder);
    free(signal);
}

void wgraph_release(struct wgraph *g) {
    for (size_t v = 0; v < g->vars; v++)
        au_vec_release(&g->writes[v]);
    free(g->writes);
    free(g->thread);
    free(g->pos);
    free(g->next);
    free(g->prev);
    au_vec_release(&g->sync);
    au_vec_release(&g->couple);
    au_vec_release(&g->scope);
}

/* Cross-thread edges in compressed rows, forwards or backwards. */
struct rows {
    uint32_t *start, *to;
};

static struct rows make_rows(const struct wgraph *g, const struct edge *e, size_t n, bool back) {
    struct rows r = {au_alloc_array(g->n + 3, sizeof(uint32_t)),
                     au_alloc_array(n + 1, sizeof(uint32_t))};
    for (size_t i = 0; i < n; i++)
        r.start[(back ? e[i].to : e[i].from) + 1]++;
    for (uint32_t i = 0; i < g->n + 2; i++)
        r.start[i + 1] += r.start[i];
    uint32_t *fill = au_alloc_array(g->n + 2, sizeof *fill);
    for (size_t i = 0; i < n; i++) {
        uint32_t from = back ? e[i].to : e[i].from;
        r.to[r.start[from] + fill[from]++] = back ? e[i].from : e[i].to;
    }
    free(fill);
    return r;
}

static void free_rows(struct rows *r) {
    free(r->start);
    free(r->to);
}

/* Marks what can be reached from 'from' (itself too) without one edge. */
static void reach(const struct wgraph *g, const struct rows *rows, const uint32_t *along,
                  uint32_t from, struct edge without, uint8_t *seen, node_vec *todo) {
    memset(seen, 0, g->n + 2);
    au_vec_clear(todo);
    au_vec_push(todo, from);
    seen[from] = 1;
    while (todo->n) {
        uint32_t x = au_vec_pop(todo);
        if (along[x] != NO_NODE && !seen[along[x]]) {
            seen[along[x]] = 1;
            au_vec_push(todo, along[x]);
        }
        for (uint32_t i = rows->start[x]; i < rows->start[x + 1]; i++) {
            uint32_t y = rows->to[i];
            if (seen[y] || (x == without.from && y == without.to))
                continue;
            seen[y] = 1;
            au_vec_push(todo, y);
        }
    }
}

typedef AU_VEC(struct edge) edge_vec;

static edge_vec cross_edges(const struct wgraph *g, const struct couple *without) {
    edge_vec e = {0};
    au_vec_append(&e, g->sync.at, g->sync.n);
    for (size_t i = 0; i < g->couple.n; i++)
        if (&g->couple.at[i] != without)
            au_vec_push(&e, ((struct edge){g->couple.at[i].w, g->couple.at[i].r}));
    return e;
}

void wgraph_cycles(const struct wgraph *g, size_t stride, uint64_t *all, uint64_t *cyclic) {
    edge_vec e = cross_edges(g, NULL);
    struct rows ahead = make_rows(g, e.at, e.n, false), back = make_rows(g, e.at, e.n, true);
    uint8_t *from_w = au_alloc_array(g->n + 2, 1), *from_r = au_alloc_array(g->n + 2, 1),
            *to_w = au_alloc_array(g->n + 2, 1);
    node_vec todo = {0};
    *all = *cyclic = 0;
    for (size_t i = 0; i < g->couple.n; i += stride) {
        const struct couple *k = &g->couple.at[i];
        struct edge gone = {k->w, k->r}, gone_back = {k->r, k->w};
        /* a final read reads many variables: only this couple's edge goes, but all
         * writes reach 'final' anyway */
        reach(g, &ahead, g->next, k->w, gone, from_w, &todo);
        reach(g, &ahead, g->next, k->r, gone, from_r, &todo);
        reach(g, &back, g->prev, k->w, gone_back, to_w, &todo);
        const node_vec *writes = &g->writes[k->var];
        for (size_t j = 0; j < writes->n; j++) {
            uint32_t c = writes->at[j];
            if (c == k->w)
                continue;
            *all += 3;
            if (from_r[c] || from_w[k->r] || from_w[c])
                *cyclic += 2;
            if (to_w[c] || from_r[c])
                *cyclic += 1;
        }
    }
    free(from_w);
    free(from_r);
    free(to_w);
    au_vec_release(&todo);
    au_vec_release(&e);
    free_rows(&ahead);
    free_rows(&back);
}

/* clock[x * threads + t]: how many events of thread t reach x, x among them.
 * False if there is a cycle. */
static bool clocks(const struct wgraph *g, const edge_vec *e, uint32_t *clock) {
    uint32_t n = g->n + 2, done = 0;
    struct rows rows = make_rows(g, e->at, e->n, false);
    uint32_t *waits = au_alloc_array(n, sizeof *waits);
    node_vec todo = {0};
    for (size_t i = 0; i < e->n; i++)
        waits[e->at[i].to]++;
    for (uint32_t x = 0; x < n; x++) {
        waits[x] += g->prev[x] != NO_NODE;
        if (!waits[x])
            au_vec_push(&todo, x);
    }
    memset(clock, 0, (size_t)n * g->threads * sizeof *clock);
    while (todo.n) {
        uint32_t x = au_vec_pop(&todo);
        uint32_t *mine = clock + (size_t)x * g->threads;
        done++;
        if (x < g->n)
            mine[g->thread[x]] = g->pos[x] + 1;
        for (uint32_t i = rows.start[x]; i <= rows.start[x + 1]; i++) {
            uint32_t y = i < rows.start[x + 1] ? rows.to[i] : g->next[x];
            if (y == NO_NODE)
                continue;
            uint32_t *its = clock + (size_t)y * g->threads;
            for (uint32_t t = 0; t < g->threads; t++)
                if (its[t] < mine[t])
                    its[t] = mine[t];
            if (!--waits[y])
                au_vec_push(&todo, y);
        }
    }
    free(waits);
    au_vec_release(&todo);
    free_rows(&rows);
    return done == n;
}

/* Adds what is induced by the clocks and not yet in them; how many edges. */
static size_t induce(const struct wgraph *g, const uint32_t *clock, edge_vec *e) {
    size_t added = 0;
    size_t first = 0; /* of the scopes of this lock */
    for (size_t i = 0; i < g->scope.n; i++) {
        const struct scope *a = &g->scope.at[i];
        uint32_t t = g->thread[a->acq];
        if (a->lock != g->scope.at[first].lock)
            first = i;
        for (size_t j = first; j < g->scope.n && g->scope.at[j].lock == a->lock; j++) {
            const struct scope *b = &g->scope.at[j];
            if (t == g->thread[b->acq])
                continue;
            if (clock[(size_t)b->rel * g->threads + t] <= g->pos[a->acq])
                continue; /* a's acquire does not reach b's release */
            if (clock[(size_t)b->acq * g->threads + t] > g->pos[a->rel])
                continue; /* ordered already */
            au_vec_push(e, ((struct edge){a->rel, b->acq}));
            added++;
        }
    }
    return added;
}

bool wgraph_cyclic_with_locks(const struct wgraph *g, const struct couple *k, uint32_t c,
                              int kind) {
    edge_vec e = cross_edges(g, k);
    struct edge first = {c, k->r}, second = {k->r, k->w};
    if (kind == 1) {
        first = (struct edge){k->w, c};
        second = (struct edge){c, k->r};
    }
    au_vec_push(&e, first);
    au_vec_push(&e, second);
    uint32_t *clock = au_alloc_array((size_t)(g->n + 2) * g->threads, sizeof *clock);
    bool acyclic;
    do
        acyclic = clocks(g, &e, clock);
    while (acyclic && induce(g, clock, &e));
    free(clock);
    au_vec_release(&e);
    return !acyclic;
}
