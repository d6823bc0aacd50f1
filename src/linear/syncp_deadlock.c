/* linear/syncp_deadlock.c: sync-preserving deadlocks. */
#include "linear/syncp_deadlock.h"

typedef struct {
    const au_lockgraph *g;
    const au_syncp *syncp;
    au_ideal *ideal;
    au_event_list *event; /* by dependency: its events, if it is on a cycle */
    uint64_t steps_left, turns, turns_left;
    bool stopped;
    au_syncp_deadlock_counts *counts;
    /* the pattern at hand */
    const au_lock_cycle *cycle;
    uint32_t *dep;
    size_t *at; /* in event[dep] */
} finder;

static bool step(finder *d) {
    if (d->steps_left)
        d->steps_left--;
    else
        d->stopped = true;
    return !d->stopped;
}

/* Walks the instances of the pattern; true: d->at is a deadlock and d->ideal leads to it. */
static bool walk(finder *d) {
    uint32_t n = d->cycle->n;
    d->counts->patterns++;
    au_ideal_start(d->ideal);
    for (uint32_t i = 0; i < n; i++) {
        d->at[i] = 0;
        au_ideal_include_before(d->ideal, d->event[d->dep[i]].at[0]);
    }
    for (;;) {
        if (!step(d) || !au_ideal_close(d->ideal))
            return false;
        bool next = true; /* all of them are still to come */
        for (uint32_t i = 0; i < n; i++) {
            const au_event_list *e = &d->event[d->dep[i]];
            size_t before = d->at[i];
            while (d->at[i] < e->n && au_ideal_contains(d->ideal, e->at[d->at[i]]) && step(d))
                d->at[i]++;
            if (d->stopped || d->at[i] == e->n)
                return false;
            if (d->at[i] == before)
                continue;
            next = false;
            au_ideal_include_before(d->ideal, e->at[d->at[i]]);
        }
        if (next)
            return true;
    }
}

/* Tries every choice of dependencies for the edges from pos on whose sets can be held
 * together. */
static bool try_patterns(finder *d, uint32_t pos) {
    if (pos == d->cycle->n)
        return walk(d);
    const au_lock_edge *e = au_lockgraph_edge(d->g, d->cycle->edge[pos]);
    for (size_t i = 0; i < e->dep.n && !d->stopped; i++) {
        bool fits = true;
        uint32_t held = au_lockgraph_dep(d->g, e->dep.at[i])->held;
        for (uint32_t k = 0; k < pos && fits && step(d); k++)
            fits = !au_lockgraph_sets_conflict(d->g, held, au_lockgraph_dep(d->g, d->dep[k])->held);
        d->dep[pos] = e->dep.at[i];
        if (fits && try_patterns(d, pos + 1))
            return true;
    }
    return false;
}

static void tell_found(finder *d, au_finding *x, au_findings *f) {
    for (uint32_t i = 0; i < d->cycle->n; i++)
        x->event[i] = au_syncp_ref(d->syncp, d->event[d->dep[i]].at[d->at[i]]);
    uint64_t most = d->turns < d->turns_left ? d->turns : d->turns_left;
    if (most)
        x->schedule = au_ideal_schedule(d->ideal, &f->arena, most);
    d->turns_left -= x->schedule.n;
    if (x->schedule.n || !au_ideal_size(d->ideal))
        x->why = "its schedule has not been executed yet";
    else
        x->why = "a reordering that keeps every read's write reaches it, but its schedule is too "
                 "long to keep";
}

static void look_at(finder *d, size_t i, au_findings *f) {
    au_finding *x = au_lockgraph_tell(d->g, i, f);
    d->cycle = au_lockgraph_cycle(d->g, i);
    d->dep = au_alloc_array(d->cycle->n, sizeof *d->dep);
    d->at = au_alloc_array(d->cycle->n, sizeof *d->at);
    d->counts->cycles++;
    if (!d->stopped && try_patterns(d, 0)) {
        d->counts->found++;
        tell_found(d, x, f);
    } else if (d->stopped) {
        d->counts->undecided++;
        x->why = "a cycle of lock requests; the search for a schedule ended at its limit";
    } else {
        x->why = "a cycle of lock requests; no reordering that keeps every read's write and the "
                 "order of critical sections reaches it";
    }
    free(d->dep);
    free(d->at);
}

void au_syncp_deadlocks(const au_trace *t, const au_syncp *s, const au_lockgraph *g,
                        const au_syncp_deadlock_limits *limits, au_findings *f, au_found_fn *found,
                        void *ctx, au_syncp_deadlock_counts *counts) {
    *counts = (au_syncp_deadlock_counts){0};
    size_t deps = au_lockgraph_deps(g), cycles = au_lockgraph_cycles(g);
    if (!cycles)
        return;
    finder d = {.g = g, .syncp = s, .counts = counts};
    d.steps_left = limits && limits->steps ? limits->steps : 50000000;
    d.turns = limits && limits->turns ? limits->turns : 1000000;
    d.turns_left = limits && limits->all_turns ? limits->all_turns : 16000000;
    au_bitset wanted;
    au_bitset_init(&wanted, deps);
    for (size_t i = 0; i < cycles; i++) {
        const au_lock_cycle *c = au_lockgraph_cycle(g, i);
        for (uint32_t k = 0; k < c->n; k++) {
            const au_lock_edge *e = au_lockgraph_edge(g, c->edge[k]);
            for (size_t j = 0; j < e->dep.n; j++)
                au_bitset_add(&wanted, e->dep.at[j]);
        }
    }
    d.event = au_alloc_array(deps, sizeof *d.event);
    au_lockgraph_events(g, t, &wanted, d.event);
    d.ideal = au_ideal_new(s);
    for (size_t i = 0; i < cycles; i++) {
        look_at(&d, i, f);
        if (found)
            found(ctx, &au_vec_last(&f->finding));
    }
    au_ideal_free(d.ideal);
    for (size_t i = 0; i < deps; i++)
        au_vec_release(&d.event[i]);
    free(d.event);
    au_bitset_release(&wanted);
}
