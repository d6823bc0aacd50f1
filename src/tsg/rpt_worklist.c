/* tsg/rpt_worklist.c: range propagation where only what changed is looked at again, for large graphs.
 *
 * Ranges at a node are kept over all rounds (which is less precise than to begin each anew), and a round hands on what the one before added: after
 * i rounds they contain all paths of up to i transactions, and as a path uses no transaction
 * twice, there are never more rounds than transactions. A switch that leads nowhere yet is
 * tried again when its source has grown; from then on only the variables that grew go along. What
 * still grows after many rounds (a counter of many threads) is taken to be anything. */
#include "tsg/rpt_priv.h"

enum { WIDEN_AFTER = 96 };

typedef AU_VEC(uint32_t) numbers;

typedef struct {
    au_spreader *s;
    bool *alive;       /* by switch: it has led somewhere */
    uint8_t *dirty;    /* by point: to be run again: 1 where it got to, 2 what switches brought */
    numbers *grown;    /* by point: slots */
    numbers run, next; /* points: of this round, of the next one */
    au_interval *mixed;
    uint64_t work; /* intervals joined */
} worker;

static void touch(worker *w, uint32_t v, uint8_t what) {
    if (!w->dirty[v])
        au_vec_push(&w->next, v);
    w->dirty[v] |= what;
}

/* What grew in 'now' when this was joined to it. */
static void grow(worker *w, uint32_t v, const au_interval *from) {
    au_spreader *s = w->s;
    uint32_t n = au_spread_size_(s, v);
    au_interval *at = s->now[v].at;
    bool fresh = !s->now[v].there;
    s->now[v].there = true;
    for (uint32_t i = 0; i < n; i++) {
        if (!fresh && from[i].low >= at[i].low && from[i].high <= at[i].high)
            continue;
        au_interval now = fresh ? from[i] : au_interval_join(at[i], from[i]);
        uint32_t t = au_spread_thread_(s, v);
        uint32_t var = i < s->r->cells ? s->cell.at[i] : s->local[t].at[i - s->r->cells];
        if (!fresh && s->r->rounds >= WIDEN_AFTER && var < s->vars) {
            au_interval full = au_interval_full(s->width[var]);
            now.low = now.low < at[i].low ? full.low : now.low;
            now.high = now.high > at[i].high ? full.high : now.high;
        }
        at[i] = now;
        au_vec_push(&w->grown[v], i);
    }
}

static void run_node(worker *w, uint32_t v, uint8_t dirty) {
    au_spreader *s = w->s;
    const au_interval *locals = s->now[v].there ? s->now[v].at : s->entry[v];
    for (int pass = 0; pass < 2; pass++) {
        bool there = pass ? s->brought[v].at && s->brought[v].there && locals &&
                                au_spread_mix_(s, v, s->brought[v].at, locals, w->mixed)
                          : s->now[v].there && (dirty & 1);
        if (!there)
            continue;
        const au_interval *cells = pass ? w->mixed : s->now[v].at;
        au_spread_from_(s, v, cells, locals);
        for (uint32_t i = s->g->first_te[v]; i < s->g->first_te[v + 1]; i++)
            if (s->out[i].there)
                au_frame_join_(&s->next[s->g->te.at[i].to], s->out[i].at, au_spread_size_(s, v));
    }
}

static bool widen_to(au_interval *into, au_interval from) {
    bool grew = (from.low < into->low) | (from.high > into->high);
    if (grew)
        *into = au_interval_join(*into, from);
    return grew;
}

/* Along one switch: all cells when it begins to lead somewhere, then those that grew. */
static void hand_on(worker *w, uint32_t ce) {
    au_spreader *s = w->s;
    const au_tsg_switch *e = &s->g->ce.at[ce];
    const au_interval *from = s->now[e->from].at;
    au_rpt_frame *to = &s->brought[e->to];
    uint32_t n = s->r->cells, own = au_spread_control_(s, au_spread_thread_(s, e->to));
    bool grew = false;
    w->work += w->alive[ce] ? w->grown[e->from].n : n;
    if (!w->alive[ce]) {
        if (!au_spread_may_be_(s, from, e->to))
            return;
        w->alive[ce] = true;
        if (!to->there) {
            memcpy(to->at, from, n * sizeof *from);
            grew = to->there = true;
        } else {
            for (uint32_t i = 0; i < n; i++)
                if (i != own)
                    grew |= widen_to(&to->at[i], from[i]);
        }
        to->at[own] = (au_interval){e->to, e->to}; /* it stands here and nowhere else */
    } else {
        for (size_t i = 0; i < w->grown[e->from].n; i++) {
            uint32_t k = w->grown[e->from].at[i];
            if (k < n && k != own)
                grew |= widen_to(&to->at[k], from[k]);
        }
    }
    if (grew)
        touch(w, e->to, 2);
}

static void one_round(worker *w) {
    au_spreader *s = w->s;
    numbers old = w->run;
    w->run = w->next;
    w->next = old;
    au_vec_clear(&w->next);
    for (size_t i = 0; i < w->run.n; i++) {
        uint8_t dirty = w->dirty[w->run.at[i]];
        w->dirty[w->run.at[i]] = 0;
        run_node(w, w->run.at[i], dirty);
    }
    /* All of them have run: now what they gave. */
    for (size_t i = 0; i < w->run.n; i++)
        for (uint32_t k = s->g->first_te[w->run.at[i]]; k < s->g->first_te[w->run.at[i] + 1]; k++) {
            uint32_t to = s->g->te.at[k].to;
            if (!s->next[to].there)
                continue;
            s->next[to].there = false;
            grow(w, to, s->next[to].at);
            if (!w->grown[to].n)
                continue;
            touch(w, to, 3);
            for (uint32_t c = s->first_ce[to]; c < s->first_ce[to + 1]; c++)
                hand_on(w, c);
            au_vec_clear(&w->grown[to]);
        }
}

bool au_spread_worklist_(au_spreader *s) {
    const au_tsg *g = s->g;
    worker w = {.s = s};
    w.alive = au_alloc_array(g->ce.n + 1, sizeof *w.alive);
    w.dirty = au_alloc_array(g->node.n + 1, sizeof *w.dirty);
    w.grown = au_alloc_array(g->node.n + 1, sizeof *w.grown);
    w.mixed = au_alloc_array(s->r->cells + 1, sizeof *w.mixed);
    for (uint32_t v = 0; v < g->node.n; v++)
        if (!g->inner[v] && s->now[v].there)
            touch(&w, v, 3);
    uint64_t most = s->r->o.most_work ? s->r->o.most_work : UINT64_MAX;
    for (; w.next.n && s->r->rounds < g->te.n && w.work <= most; s->r->rounds++)
        one_round(&w);
    for (uint32_t v = 0; v < g->node.n; v++) {
        const au_interval *locals = s->now[v].there ? s->now[v].at : s->entry[v];
        if (g->inner[v])
            continue;
        if (s->now[v].there)
            au_spread_record_(s, v, s->now[v].at, s->now[v].at);
        if (s->brought[v].at && s->brought[v].there && locals &&
            au_spread_mix_(s, v, s->brought[v].at, locals, w.mixed))
            au_spread_record_(s, v, w.mixed, locals);
        au_vec_release(&w.grown[v]);
    }
    au_vec_release(&w.run);
    au_vec_release(&w.next);
    free(w.alive);
    free(w.dirty);
    free(w.grown);
    free(w.mixed);
    return w.work <= most;
}
