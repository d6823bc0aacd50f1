/* linear/locktell.c: a cycle of lock requests as a finding. */
#include "linear/lockgraph_priv.h"

#include <stdio.h>

/* Text that grows in an arena's memory: measured, then written. */
typedef struct {
    char *at;
    size_t n, cap;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->at ? t->at + t->n : NULL, t->at ? t->cap - t->n : 0, fmt, ap);
    va_end(ap);
    AU_BUG_IF(n < 0);
    t->n += (size_t)n;
}

static void put_loc(text *t, const au_names *names, uint32_t loc) {
    if (loc == AU_NONE)
        return;
    if (loc < AU_LOC_NAMED)
        put(t, " (%u)", loc);
    else
        put(t, " (%s)", au_intern_str(&names->loc, loc - AU_LOC_NAMED));
}

static uint32_t acquired_at(const au_lock_dep *d, uint32_t at, au_lock_mode holds) {
    const au_lock_site *site = d->at.at[at].site;
    while (site && site->lock != au_lock_of(holds))
        site = site->before;
    AU_BUG_IF(!site);
    return site->loc;
}

static void put_member(text *t, const au_lockgraph *g, const au_lock_edge *e, uint32_t held_at,
                       uint32_t asked_at) {
    const au_names *names = g->names;
    put(t, "%s'%s' holds '%s'%s", t->n ? "; " : "", au_intern_str(&names->thread, e->thread),
        au_intern_str(&names->lock, au_lock_of(e->holds)),
        au_lock_shared(e->holds) ? " for reading" : "");
    put_loc(t, names, held_at);
    put(t, " and wants '%s'%s", au_intern_str(&names->lock, au_lock_of(e->wants)),
        au_lock_shared(e->wants) ? " for reading" : "");
    put_loc(t, names, asked_at);
}

void au_lockgraph_describe(const au_lockgraph *g, size_t i, au_findings *f, au_finding *x,
                           const uint32_t *loc) {
    const au_lock_cycle *c = &g->cycle.at[i];
    text t = {0};
    for (int round = 0; round < 2; round++) {
        t.n = 0;
        if (round)
            t.at = au_arena_alloc(&f->arena, t.cap);
        for (uint32_t k = 0; k < c->n; k++)
            put_member(&t, g, &g->edge.at[c->edge[k]], loc[k], x->event[k].loc);
        t.cap = t.n + 1;
    }
    x->detail = t.at;
}

au_finding *au_lockgraph_tell(const au_lockgraph *g, size_t i, au_findings *f) {
    const au_lock_cycle *c = &g->cycle.at[i];
    au_finding *x = au_findings_add(f, AU_KIND_DEADLOCK, c->n);
    uint32_t *loc = au_alloc_array(c->n, sizeof *loc);
    for (uint32_t k = 0; k < c->n; k++) {
        const au_lock_edge *e = &g->edge.at[c->edge[k]];
        const au_lock_dep *d = &g->dep.at[c->dep[k]];
        x->event[k] = d->at.at[c->at[k]].first;
        loc[k] = acquired_at(d, c->at[k], e->holds);
    }
    au_lockgraph_describe(g, i, f, x, loc);
    free(loc);
    x->obj = au_lock_of(g->edge.at[c->edge[0]].wants);
    au_finding_because(x, c->observed ? AU_WHY_CYCLE_SEEN : AU_WHY_CYCLE);
    return x;
}
