/* tsg/rpt_rounds.c: rounds of range propagation.
 *
 * A round's result at a node depends on the ranges of the round before where its transactions
 * and switches come from, and on the locals known there. Where none of that changed, last
 * round's result is taken again; where nothing changed anywhere, all further rounds would be the
 * same: so this is what the plain rounds give. */
#include "tsg/rpt_priv.h"

bool au_spread_bring_(au_spreader *s, uint32_t v) {
    au_frame *b = &s->brought[v];
    bool changed = false;
    for (uint32_t i = s->first_from[v]; i < s->first_from[v + 1] && !changed; i++)
        changed = s->now[s->from[i]].changed;
    if (!changed)
        return false;
    b->there = false;
    uint32_t n = s->r->cells;
    for (uint32_t i = s->first_from[v]; i < s->first_from[v + 1]; i++) {
        const au_frame *f = &s->now[s->from[i]];
        if (!f->there || !au_spread_may_be_(s, f->at, v))
            continue;
        if (!b->there)
            memcpy(b->at, f->at, n * sizeof *b->at);
        else
            au_spread_join_(b->at, f->at, n);
        b->there = true;
    }
    if (b->there && !s->r->o.no_control) /* it stands here and nowhere else */
        b->at[n - s->m->thread.n + au_spread_thread_(s, v)] = (au_interval){v, v};
    return true;
}

void au_spread_from_(au_spreader *s, uint32_t v, const au_interval *cells,
                     const au_interval *locals) {
    uint32_t thread = au_spread_thread_(s, v), n = s->r->size[thread];
    au_interval *out = au_alloc_array(n + 1, sizeof *out);
    for (uint32_t i = s->first_out[v]; i < s->first_out[v + 1]; i++) {
        au_spread_load_(s, thread, cells, locals);
        if (!au_spread_run_(s, &s->g->te.at[i]))
            continue;
        au_spread_store_(s, thread, out);
        if (!s->out[i].there)
            memcpy(s->out[i].at, out, n * sizeof *out);
        else
            au_spread_join_(s->out[i].at, out, n);
        s->out[i].there = true;
    }
    free(out);
}

/* The locals that are known at a node: at an entry the initial ones, else those of all rounds. */
static const au_interval *known_locals(const au_spreader *s, uint32_t v, const au_interval *entry) {
    return s->r->at[v] ? s->r->at[v] : entry;
}

static void one_node(au_spreader *s, uint32_t v, const au_interval *entry) {
    bool switched = s->brought[v].at && au_spread_bring_(s, v);
    if (!switched && !s->now[v].changed && !s->grew[v])
        return;
    for (uint32_t i = s->first_out[v]; i < s->first_out[v + 1]; i++)
        s->out[i].there = false;
    if (s->now[v].there)
        au_spread_from_(s, v, s->now[v].at, s->now[v].at);
    const au_interval *locals = known_locals(s, v, entry);
    if (s->brought[v].at && s->brought[v].there && locals) {
        au_spread_record_(s, v, s->brought[v].at, locals);
        au_spread_from_(s, v, s->brought[v].at, s->r->at[v]);
    }
}

static bool same(const au_frame *a, const au_frame *b, uint32_t n) {
    return a->there == b->there && (!a->there || !memcmp(a->at, b->at, n * sizeof *a->at));
}

/* next becomes now; false if nothing changed. */
static bool turn_over(au_spreader *s) {
    const au_tsg *g = s->g;
    bool any = false;
    for (uint32_t v = 0; v < g->node.n; v++)
        s->next[v].there = false;
    for (uint32_t i = 0; i < g->te.n; i++) {
        au_frame *to = &s->next[g->te.at[i].to];
        uint32_t n = s->r->size[au_spread_thread_(s, g->te.at[i].to)];
        if (!s->out[i].there)
            continue;
        if (!to->there)
            memcpy(to->at, s->out[i].at, n * sizeof *to->at);
        else
            au_spread_join_(to->at, s->out[i].at, n);
        to->there = true;
    }
    for (uint32_t v = 0; v < g->node.n; v++) {
        uint32_t n = s->r->size[au_spread_thread_(s, v)];
        bool changed = !same(&s->now[v], &s->next[v], n);
        au_frame old = s->now[v];
        s->now[v] = s->next[v];
        s->next[v] = old;
        s->now[v].changed = changed;
        s->grew[v] =
            s->now[v].there && changed && au_spread_record_(s, v, s->now[v].at, s->now[v].at);
        any |= changed || s->grew[v];
    }
    return any;
}

au_interval **au_spread_entries_(au_spreader *s) {
    au_interval **entry = au_alloc_array(s->g->node.n + 1, sizeof *entry);
    for (uint32_t t = 0; t < s->m->thread.n; t++) {
        uint32_t v = s->g->number[au_facts_entry(&s->g->facts, t)];
        entry[v] = au_alloc_array(s->r->size[t] + 1, sizeof **entry);
        memcpy(entry[v], s->now[v].at, s->r->size[t] * sizeof **entry);
    }
    return entry;
}

void au_spread_entries_free_(au_spreader *s, au_interval **entry) {
    for (uint32_t v = 0; v < s->g->node.n; v++)
        free(entry[v]);
    free(entry);
}

void au_spread_rounds_(au_spreader *s) {
    au_interval **entry = au_spread_entries_(s);
    for (bool more = true; more && s->r->rounds < s->g->te.n; s->r->rounds++) {
        for (uint32_t v = 0; v < s->g->node.n; v++)
            one_node(s, v, entry[v]);
        more = turn_over(s);
    }
    au_spread_entries_free_(s, entry);
}

/* --- path by path ------------------------------------------------------------------------------- */

typedef struct {
    au_spreader *s;
    au_interval **entry;
    uint32_t *to, *first_to; /* by node: where switches lead */
} walker;

static void walk(walker *w, uint32_t v, const au_interval *at, unsigned left);

/* One transaction after the other from a state at v; each result is a path of its own. */
static void step_on(walker *w, uint32_t v, const au_interval *cells, const au_interval *locals,
                    unsigned left) {
    au_spreader *s = w->s;
    uint32_t thread = au_spread_thread_(s, v), n = s->r->size[thread];
    au_interval *out = au_alloc_array(n + 1, sizeof *out);
    for (uint32_t i = s->first_out[v]; i < s->first_out[v + 1]; i++) {
        au_spread_load_(s, thread, cells, locals);
        if (!au_spread_run_(s, &s->g->te.at[i]))
            continue;
        au_spread_store_(s, thread, out);
        uint32_t to = s->g->te.at[i].to;
        au_spread_record_(s, to, out, out);
        if (left > 1) {
            walk(w, to, out, left - 1);
            continue;
        }
        if (!s->next[to].there)
            memcpy(s->next[to].at, out, n * sizeof *out);
        else
            au_spread_join_(s->next[to].at, out, n);
        s->next[to].there = true;
    }
    free(out);
}

static void walk(walker *w, uint32_t v, const au_interval *at, unsigned left) {
    au_spreader *s = w->s;
    step_on(w, v, at, at, left);
    au_interval *cells = au_alloc_array(s->r->cells + 1, sizeof *cells);
    for (uint32_t i = w->first_to[v]; i < w->first_to[v + 1]; i++) {
        uint32_t to = w->to[i];
        const au_interval *locals = known_locals(s, to, w->entry[to]);
        if (!locals || !au_spread_may_be_(s, at, to))
            continue;
        memcpy(cells, at, s->r->cells * sizeof *cells);
        if (!s->r->o.no_control)
            cells[s->r->cells - s->m->thread.n + au_spread_thread_(s, to)] = (au_interval){to, to};
        au_spread_record_(s, to, cells, locals);
        step_on(w, to, cells, s->r->at[to], left);
    }
    free(cells);
}

/* The first round goes from the entries, where no switch leads away before a transaction. */
void au_spread_paths_(au_spreader *s) {
    const au_tsg *g = s->g;
    walker w = {s, au_spread_entries_(s), NULL, NULL};
    w.first_to = au_alloc_array(g->node.n + 2, sizeof *w.first_to);
    w.to = au_alloc_array(g->ce.n + 1, sizeof *w.to);
    for (size_t i = 0; i < g->ce.n; i++) { /* by from */
        w.to[i] = g->ce.at[i].to;
        w.first_to[g->ce.at[i].from + 1] = (uint32_t)i + 1;
    }
    for (size_t v = 1; v <= g->node.n; v++)
        if (w.first_to[v] < w.first_to[v - 1])
            w.first_to[v] = w.first_to[v - 1];
    uint32_t most = ((uint32_t)g->te.n + s->r->o.look_ahead - 1) / s->r->o.look_ahead;
    for (bool any = true; any && s->r->rounds < most; s->r->rounds++) {
        for (uint32_t v = 0; v < g->node.n; v++)
            s->next[v].there = false;
        for (uint32_t v = 0; v < g->node.n; v++)
            if (s->now[v].there)
                walk(&w, v, s->now[v].at, s->r->o.look_ahead);
        any = false;
        for (uint32_t v = 0; v < g->node.n; v++) {
            au_frame old = s->now[v];
            s->now[v] = s->next[v];
            s->next[v] = old;
            any |= s->now[v].there;
        }
    }
    au_spread_entries_free_(s, w.entry);
    free(w.first_to);
    free(w.to);
}
