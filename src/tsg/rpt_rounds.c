/* tsg/rpt_rounds.c: range propagation in rounds, ranges that switches bring to a node joined.
 *
 * A round's result at a node depends on the ranges of the round before where its transactions
 * and switches come from, and on the locals known there. Where none of that changed, last
 * round's result is taken again; where nothing changed anywhere, all further rounds would be the
 * same: so this is what the plain rounds give. */
#include "tsg/rpt_priv.h"

typedef struct {
    au_spreader *s;
    au_rpt_frame *kept; /* by transaction: what it gave last */
    bool *changed;      /* by point: 'now', since the round before */
    au_interval *mixed;
} rounds;

/* What switches bring to a node; true if it may have changed. */
static bool bring(rounds *k, uint32_t v) {
    au_spreader *s = k->s;
    au_rpt_frame *b = &s->brought[v];
    bool changed = false;
    for (uint32_t i = s->first_from[v]; i < s->first_from[v + 1] && !changed; i++)
        changed = k->changed[s->g->ce.at[s->from[i]].from];
    if (!changed)
        return false;
    b->there = false;
    for (uint32_t i = s->first_from[v]; i < s->first_from[v + 1]; i++) {
        const au_rpt_frame *f = &s->now[s->g->ce.at[s->from[i]].from];
        if (f->there && au_spread_may_be_(s, f->at, v))
            au_frame_join_(b, f->at, s->r->cells);
    }
    if (b->there && !s->r->o.no_control) /* it stands here and nowhere else */
        b->at[au_spread_control_(s, au_spread_thread_(s, v))] = (au_interval){v, v};
    return true;
}

static void run(rounds *k, uint32_t v, const au_interval *cells, const au_interval *locals) {
    au_spreader *s = k->s;
    au_spread_from_(s, v, cells, locals);
    for (uint32_t i = s->g->first_te[v]; i < s->g->first_te[v + 1]; i++)
        if (s->out[i].there)
            au_frame_join_(&k->kept[i], s->out[i].at, au_spread_size_(s, v));
}

static void one_node(rounds *k, uint32_t v) {
    au_spreader *s = k->s;
    bool switched = s->brought[v].at && bring(k, v);
    if (!switched && !k->changed[v])
        return;
    for (uint32_t i = s->g->first_te[v]; i < s->g->first_te[v + 1]; i++)
        k->kept[i].there = false;
    if (s->now[v].there)
        run(k, v, s->now[v].at, s->now[v].at);
    const au_interval *locals = s->r->at[v] ? s->r->at[v] : s->entry[v];
    if (s->brought[v].at && s->brought[v].there && locals &&
        au_spread_mix_(s, v, s->brought[v].at, locals, k->mixed)) {
        au_spread_record_(s, v, k->mixed, locals);
        run(k, v, k->mixed, s->r->at[v]);
    }
}

static bool same(const au_rpt_frame *a, const au_rpt_frame *b, uint32_t n) {
    return a->there == b->there && (!a->there || !memcmp(a->at, b->at, n * sizeof *a->at));
}

/* next becomes now; false if nothing changed. */
static bool turn_over(rounds *k) {
    au_spreader *s = k->s;
    const au_tsg *g = s->g;
    bool any = false;
    for (uint32_t v = 0; v < g->node.n; v++)
        s->next[v].there = false;
    for (uint32_t i = 0; i < g->te.n; i++)
        if (k->kept[i].there)
            au_frame_join_(&s->next[g->te.at[i].to], k->kept[i].at,
                           au_spread_size_(s, g->te.at[i].to));
    for (uint32_t v = 0; v < g->node.n; v++) {
        if (g->inner[v])
            continue;
        k->changed[v] = !same(&s->now[v], &s->next[v], au_spread_size_(s, v));
        au_rpt_frame old = s->now[v];
        s->now[v] = s->next[v];
        s->next[v] = old;
        if (s->now[v].there && k->changed[v])
            au_spread_record_(s, v, s->now[v].at, s->now[v].at);
        any |= k->changed[v];
    }
    return any;
}

void au_spread_rounds_(au_spreader *s) {
    const au_tsg *g = s->g;
    rounds k = {.s = s};
    k.kept = au_alloc_array(g->te.n + 1, sizeof *k.kept);
    k.changed = au_alloc_array(g->node.n + 1, sizeof *k.changed);
    k.mixed = au_alloc_array(s->r->cells + 1, sizeof *k.mixed);
    for (uint32_t i = 0; i < g->te.n; i++)
        k.kept[i].at =
            au_alloc_array(au_spread_size_(s, g->te.at[i].from) + 1, sizeof *k.kept[i].at);
    for (uint32_t v = 0; v < g->node.n; v++)
        k.changed[v] = true;
    for (bool more = true; more && s->r->rounds < g->te.n; s->r->rounds++) {
        for (uint32_t v = 0; v < g->node.n; v++)
            if (!g->inner[v])
                one_node(&k, v);
        more = turn_over(&k);
    }
    for (uint32_t i = 0; i < g->te.n; i++)
        free(k.kept[i].at);
    free(k.kept);
    free(k.changed);
    free(k.mixed);
}
