/* linear/syncp_deadlock.c: sync-preserving deadlocks. */
#include "linear/syncp_deadlock.h"

#include "base/deadline.h"
#include "base/limits.h"
#include "linear/race.h"
#include "linear/syncp_priv.h"

typedef struct {
    const au_trace *t;
    const au_lockgraph *g;
    const au_syncp *syncp;
    au_ideal *ideal;
    au_event_list *event; /* by edge, if it is on a cycle */
    uint64_t steps_left, turns, turns_left;
    bool stopped;
    au_syncp_deadlock_counts *counts;
    /* the cycle at hand */
    const au_lock_cycle *cycle;
    size_t *at; /* for each of its edges, in 'event' */
} finder;

static bool step(finder *d) {
    if (d->steps_left)
        d->steps_left--;
    else
        d->stopped = true;
    return !d->stopped;
}

/* Walks the instances of the cycle; true: d->at is a deadlock and d->ideal leads to it. */
static bool walk(finder *d) {
    uint32_t n = d->cycle->n;
    au_ideal_start(d->ideal);
    for (uint32_t i = 0; i < n; i++) {
        d->at[i] = 0;
        au_ideal_include_before(d->ideal, d->event[d->cycle->edge[i]].at[0]);
    }
    for (;;) {
        if (!step(d) || !au_ideal_close(d->ideal))
            return false;
        bool next = true; /* all of them are still to come */
        for (uint32_t i = 0; i < n; i++) {
            const au_event_list *e = &d->event[d->cycle->edge[i]];
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

/* Where the thread of the event acquired the lock that it holds then. */
static uint32_t acquired_at(const finder *d, uint64_t event, uint32_t lock) {
    const au_columns *e = &d->t->events;
    uint32_t released = 0;
    for (uint64_t i = event; i-- > 0;) {
        if (e->thread[i] != e->thread[event] || e->obj[i] != lock)
            continue;
        if (e->op[i] == AU_OP_REL)
            released++;
        else if (e->op[i] != AU_OP_ACQ && e->op[i] != AU_OP_RDACQ && e->op[i] != AU_OP_WRACQ)
            continue;
        else if (released)
            released--;
        else
            return e->loc[i];
    }
    return AU_NONE;
}

static void tell_found(finder *d, size_t cycle, au_finding *x, au_findings *f) {
    uint32_t *loc = au_alloc_array(d->cycle->n, sizeof *loc);
    for (uint32_t i = 0; i < d->cycle->n; i++) {
        uint64_t event = d->event[d->cycle->edge[i]].at[d->at[i]];
        x->event[i] = au_syncp_ref(d->syncp, event);
        loc[i] =
            acquired_at(d, event, au_lock_of(au_lockgraph_edge(d->g, d->cycle->edge[i])->holds));
    }
    au_lockgraph_describe(d->g, cycle, f, x, loc);
    free(loc);
    uint64_t most = d->turns < d->turns_left ? d->turns : d->turns_left;
    if (most)
        x->schedule = au_ideal_schedule(d->ideal, &f->arena, most);
    d->turns_left -= x->schedule.n;
    au_finding_because(x, au_ideal_kept(d->ideal, x, most > 0, &f->arena));
}

static void look_at(finder *d, size_t i, au_findings *f) {
    au_finding *x = au_lockgraph_tell(d->g, i, f);
    d->cycle = au_lockgraph_cycle(d->g, i);
    d->at = au_alloc_array(d->cycle->n, sizeof *d->at);
    d->counts->cycles++;
    if (!d->stopped && walk(d)) {
        d->counts->found++;
        tell_found(d, i, x, f);
    } else if (d->stopped) {
        d->counts->undecided++;
        au_finding_because(x, AU_WHY_CYCLE_LIMIT);
    } else {
        au_finding_because(x, AU_WHY_CYCLE_ORDERED);
    }
    free(d->at);
}

void au_syncp_deadlocks(const au_trace *t, const au_syncp *s, const au_lockgraph *g,
                        const au_syncp_deadlock_limits *limits, au_findings *f, au_found_fn *found,
                        void *ctx, au_syncp_deadlock_counts *counts) {
    *counts = (au_syncp_deadlock_counts){0};
    size_t edges = au_lockgraph_edges(g), cycles = au_lockgraph_cycles(g);
    if (!cycles)
        return;
    finder d = {.t = t, .g = g, .syncp = s, .counts = counts};
    d.steps_left = limits && limits->steps ? limits->steps : AU_LIMIT_DEADLOCK_STEPS;
    d.turns = limits && limits->turns ? limits->turns : AU_LIMIT_DEADLOCK_TURNS;
    d.turns_left = limits && limits->all_turns ? limits->all_turns : AU_LIMIT_DEADLOCK_ALL_TURNS;
    au_bitset wanted;
    au_bitset_init(&wanted, edges);
    for (size_t i = 0; i < cycles; i++) {
        const au_lock_cycle *c = au_lockgraph_cycle(g, i);
        for (uint32_t k = 0; k < c->n; k++)
            au_bitset_add(&wanted, c->edge[k]);
    }
    d.event = au_alloc_array(edges, sizeof *d.event);
    au_lockgraph_events(g, t, &wanted, d.event);
    d.ideal = au_ideal_new(s);
    for (size_t i = 0; i < cycles; i++) {
        d.stopped |= au_deadline_over();
        look_at(&d, i, f);
        if (found)
            found(ctx, &au_vec_last(&f->finding));
    }
    au_ideal_free(d.ideal);
    for (size_t i = 0; i < edges; i++)
        au_vec_release(&d.event[i]);
    free(d.event);
    au_bitset_release(&wanted);
}
