/* tsg/rpt_paths.c: range propagation as the paper has it: path by path, so many transactions in a
 * round, with a look-ahead of one or more. */
#include "tsg/rpt_priv.h"

static void walk(au_spreader *s, uint32_t v, const au_interval *at, unsigned left);

/* One transaction after the other from a state at v; each result is a path of its own. */
static void step_on(au_spreader *s, uint32_t v, const au_interval *cells, const au_interval *locals,
                    unsigned left) {
    const au_tsg *g = s->g;
    uint32_t n = au_spread_size_(s, v), first = g->first_te[v], last = g->first_te[v + 1];
    if (first == last)
        return;
    au_spread_from_(s, v, cells, locals);
    au_interval *out = au_alloc_array((size_t)n * (last - first) + 1, sizeof *out);
    bool *there = au_alloc_array(last - first, sizeof *there);
    for (uint32_t i = first; i < last; i++) {
        there[i - first] = s->out[i].there;
        memcpy(out + (size_t)n * (i - first), s->out[i].at, n * sizeof *out);
    }
    for (uint32_t i = first; i < last; i++) {
        const au_interval *at = out + (size_t)n * (i - first);
        uint32_t to = g->te.at[i].to;
        if (!there[i - first])
            continue;
        au_spread_record_(s, to, at, at);
        if (left > 1)
            walk(s, to, at, left - 1);
        else
            au_frame_join_(&s->next[to], at, n);
    }
    free(there);
    free(out);
}

static void walk(au_spreader *s, uint32_t v, const au_interval *at, unsigned left) {
    const au_tsg *g = s->g;
    step_on(s, v, at, at, left);
    au_interval *cells = au_alloc_array(s->r->cells + 1, sizeof *cells);
    for (uint32_t i = s->first_ce[v]; i < s->first_ce[v + 1]; i++) {
        uint32_t to = g->ce.at[i].to;
        const au_interval *locals = s->r->at[to] ? s->r->at[to] : s->entry[to];
        if (!locals || !au_spread_may_be_(s, at, to) || !au_spread_mix_(s, to, at, locals, cells))
            continue;
        if (!s->r->o.no_control)
            cells[au_spread_control_(s, au_spread_thread_(s, to))] = (au_interval){to, to};
        au_spread_record_(s, to, cells, locals);
        step_on(s, to, cells, s->r->at[to], left);
    }
    free(cells);
}

void au_spread_paths_(au_spreader *s) {
    const au_tsg *g = s->g;
    uint32_t most = ((uint32_t)g->te.n + s->r->o.look_ahead - 1) / s->r->o.look_ahead;
    au_rpt_frame *start = au_alloc_array(g->node.n + 1, sizeof *start);
    for (uint32_t v = 0; v < g->node.n; v++) {
        start[v].at = au_alloc_array(au_spread_size_(s, v) + 1, sizeof *start[v].at);
        if (!g->inner[v] && s->now[v].there)
            au_frame_join_(&start[v], s->now[v].at, au_spread_size_(s, v));
    }
    for (bool any = true; any && s->r->rounds < most; s->r->rounds++) {
        for (uint32_t v = 0; v < g->node.n; v++)
            s->next[v].there = false;
        for (uint32_t v = 0; v < g->node.n; v++)
            if (start[v].there)
                walk(s, v, start[v].at, s->r->o.look_ahead);
        any = false;
        for (uint32_t v = 0; v < g->node.n; v++) {
            start[v].there = false;
            if (!g->inner[v] && s->next[v].there)
                au_frame_join_(&start[v], s->next[v].at, au_spread_size_(s, v));
            any |= start[v].there;
        }
    }
    for (uint32_t v = 0; v < g->node.n; v++)
        free(start[v].at);
    free(start);
}
