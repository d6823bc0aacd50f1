/* solve/schedule.c: linear orders with few changes of thread. */
#include "solve/schedule.h"

#include "base/error.h"

/* Those of thread t that are executed, not ordered, and at most at this place. */
static void follow(const au_cssa *c, const au_prefix *p, uint32_t t, uint32_t *next,
                   au_u32s *events) {
    for (; next[t] < c->first_event[t + 1]; next[t]++) {
        uint32_t e = next[t];
        if (c->event.at[e].ordered && au_bitset_has(&p->exec, e))
            return;
        if (au_bitset_has(&p->exec, e))
            au_vec_push(events, e);
    }
}

void au_schedule_of(const au_cssa *c, const au_prefix *p, au_u32s *events) {
    uint32_t *next = au_alloc_array(c->m->thread.n + 1, sizeof *next);
    memcpy(next, c->first_event, c->m->thread.n * sizeof *next);
    for (uint32_t t = 0; t < c->m->thread.n; t++)
        follow(c, p, t, next, events); /* what has no anchor comes first */
    for (size_t i = 0; i < p->order.n; i++) {
        uint32_t e = p->order.at[i], t = c->event.at[e].thread;
        AU_BUG_IF(next[t] != e);
        next[t]++;
        au_vec_push(events, e);
        follow(c, p, t, next, events);
    }
    free(next);
}

/* --- trimming ------------------------------------------------------------------------ */

void au_schedule_trim(const au_cssa *c, const au_prefix *p, au_u32s *events, bool *keep) {
    /* The write each read saw, by index in the schedule: source[i] lists them. */
    size_t n = events->n;
    au_u32s *source = au_alloc_array(n + 1, sizeof *source);
    uint32_t *last = au_alloc_array(c->m->var.n + 1, sizeof *last);
    uint32_t *own = au_alloc_array(c->m->thread.n + 1, sizeof *own);
    for (size_t i = 0; i < n; i++) {
        const au_cssa_event *e = &c->event.at[events->at[i]];
        if (own[e->thread])
            au_vec_push(&source[i], own[e->thread] - 1);
        own[e->thread] = (uint32_t)i + 1;
        for (uint32_t k = 0; k < e->n_reads; k++) {
            uint32_t w = last[c->read.at[e->first_read + k].var];
            if (w)
                au_vec_push(&source[i], w - 1);
        }
        for (uint32_t k = 0; k < e->n_writes && !au_bitset_has(&p->failed, events->at[i]); k++)
            last[c->write.at[e->first_write + k].var] = (uint32_t)i + 1;
    }
    size_t kept = 0;
    for (size_t i = n; i-- > 0;)
        for (size_t k = 0; k < source[i].n && keep[i]; k++)
            keep[source[i].at[k]] = true;
    for (size_t i = 0; i < n; i++) {
        if (keep[i])
            events->at[kept++] = events->at[i];
        au_vec_release(&source[i]);
    }
    events->n = kept;
    free(source);
    free(last);
    free(own);
}

/* --- fewer changes ---------------------------------------------------------------------- */

typedef struct {
    const au_cssa *c;
    const au_prefix *p;
    size_t n;
    uint32_t *event;
    au_u32s *after;  /* by index: what has to wait for it */
    uint32_t *waits; /* by index: how many it waits for */
    au_u32s *line;   /* by thread: its indices */
} graph;

static void add_edge(graph *g, uint32_t a, uint32_t b) {
    au_vec_push(&g->after[a], b);
    g->waits[b]++;
}

static void make_graph(graph *g, const uint32_t (*pair)[2], size_t n_pairs) {
    const au_cssa *c = g->c;
    uint32_t *writer = au_alloc_array(c->m->var.n + 1, sizeof *writer);
    au_u32s *readers = au_alloc_array(c->m->var.n + 1, sizeof *readers);
    for (uint32_t i = 0; i < g->n; i++) {
        const au_cssa_event *e = &c->event.at[g->event[i]];
        if (g->line[e->thread].n)
            add_edge(g, au_vec_last(&g->line[e->thread]), i);
        au_vec_push(&g->line[e->thread], i);
        for (uint32_t k = 0; k < e->n_reads; k++) {
            uint32_t v = c->read.at[e->first_read + k].var;
            if (writer[v])
                add_edge(g, writer[v] - 1, i);
        }
        for (uint32_t k = 0; k < e->n_writes && !au_bitset_has(&g->p->failed, g->event[i]); k++) {
            uint32_t v = c->write.at[e->first_write + k].var;
            if (writer[v])
                add_edge(g, writer[v] - 1, i);
            for (size_t r = 0; r < readers[v].n; r++)
                if (readers[v].at[r] != i)
                    add_edge(g, readers[v].at[r], i);
            au_vec_clear(&readers[v]);
            writer[v] = i + 1;
        }
        for (uint32_t k = 0; k < e->n_reads; k++)
            au_vec_push(&readers[c->read.at[e->first_read + k].var], i);
    }
    for (size_t k = 0; k < n_pairs; k++) {
        uint32_t a = AU_NONE, b = AU_NONE;
        for (uint32_t i = 0; i < g->n; i++) {
            a = g->event[i] == pair[k][0] ? i : a;
            b = g->event[i] == pair[k][1] ? i : b;
        }
        if (a != AU_NONE && b != AU_NONE && a < b)
            add_edge(g, a, b);
    }
    for (size_t v = 0; v < c->m->var.n; v++)
        au_vec_release(&readers[v]);
    free(readers);
    free(writer);
}

/* How far thread t could run now without the others. */
static uint32_t burst(const graph *g, uint32_t t, const uint32_t *next, const uint32_t *waits) {
    uint32_t n = 0;
    for (uint32_t i = next[t]; i < g->line[t].n; i++) {
        uint32_t at = g->line[t].at[i], own = 0;
        /* What it waits for may be earlier steps of this burst. */
        for (uint32_t k = next[t]; k < i; k++) {
            const au_u32s *after = &g->after[g->line[t].at[k]];
            for (size_t l = 0; l < after->n; l++)
                own += after->at[l] == at;
        }
        if (waits[at] > own)
            break;
        n++;
        if (n > 256)
            break; /* far enough to be chosen */
    }
    return n;
}

/* Runs each thread as far as it goes, the one that goes furthest next. Returns the changes. */
static uint32_t list(const graph *g, uint32_t first, uint32_t *order) {
    uint32_t threads = (uint32_t)g->c->m->thread.n, changes = 0, done = 0, t = first;
    uint32_t *waits = au_alloc_array(g->n + 1, sizeof *waits);
    uint32_t *next = au_alloc_array(threads + 1, sizeof *next);
    memcpy(waits, g->waits, g->n * sizeof *waits);
    while (done < g->n) {
        while (next[t] < g->line[t].n && !waits[g->line[t].at[next[t]]]) {
            uint32_t at = g->line[t].at[next[t]++];
            order[done++] = g->event[at];
            for (size_t k = 0; k < g->after[at].n; k++)
                waits[g->after[at].at[k]]--;
        }
        uint32_t best = AU_NONE, most = 0;
        for (uint32_t u = 0; u < threads; u++) {
            uint32_t n = u == t ? 0 : burst(g, u, next, waits);
            /* One that comes to its end costs no way back. */
            if (n && n == g->line[u].n - next[u])
                n += 1u << 20;
            if (n > most) {
                most = n;
                best = u;
            }
        }
        if (best == AU_NONE)
            break;
        t = best;
        changes++;
    }
    AU_BUG_IF(done != g->n);
    free(waits);
    free(next);
    return changes;
}

void au_schedule_smooth(const au_cssa *c, const au_prefix *p, au_u32s *events,
                        const uint32_t (*pair)[2], size_t n_pairs) {
    graph g = {.c = c, .p = p, .n = events->n, .event = events->at};
    uint32_t threads = (uint32_t)c->m->thread.n;
    g.after = au_alloc_array(g.n + 1, sizeof *g.after);
    g.waits = au_alloc_array(g.n + 1, sizeof *g.waits);
    g.line = au_alloc_array(threads + 1, sizeof *g.line);
    make_graph(&g, pair, n_pairs);
    uint32_t best = 0;
    for (size_t i = 1; i < g.n; i++)
        best += c->event.at[events->at[i]].thread != c->event.at[events->at[i - 1]].thread;
    uint32_t *order = au_alloc_array(g.n + 1, sizeof *order);
    uint32_t *chosen = au_alloc_array(g.n + 1, sizeof *chosen);
    bool any = false;
    for (uint32_t t = 0; t < threads && g.n; t++) {
        if (!g.line[t].n || g.waits[g.line[t].at[0]])
            continue;
        uint32_t changes = list(&g, t, order);
        if (changes < best) {
            best = changes;
            any = true;
            memcpy(chosen, order, g.n * sizeof *chosen);
        }
    }
    for (size_t i = 0; i < g.n; i++)
        au_vec_release(&g.after[i]);
    for (uint32_t t = 0; t < threads; t++)
        au_vec_release(&g.line[t]);
    if (any)
        memcpy(events->at, chosen, g.n * sizeof *chosen);
    free(order);
    free(chosen);
    free(g.after);
    free(g.waits);
    free(g.line);
}
