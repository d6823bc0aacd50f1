/* tsg/rpt_loops.c: range propagation where threads loop.
 *
 * No number of rounds is enough there. So ranges only ever grow, until a round adds nothing; what
 * still grows after some rounds is widened to the next constant of the model, later to anything.
 * The result contains all that can happen; so does what one more round without joining makes of
 * it, which takes back some of what widening gave away. Only then is anything recorded. */
#include "tsg/rpt_priv.h"

enum { WIDEN_AFTER = 8, GIVE_UP_AFTER = 64, NARROW = 3 };

typedef AU_VEC(int64_t) numbers;

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void constants_of(const au_terms *t, au_term x, numbers *into, uint8_t *seen) {
    AU_VEC(au_term) stack = {0};
    au_vec_push(&stack, x);
    while (stack.n) {
        au_term at = au_vec_pop(&stack);
        if (seen[at.n])
            continue;
        seen[at.n] = 1;
        if (au_term_is_const(t, at)) {
            int64_t v = au_term_signed(t, at);
            au_vec_push(into, v);
            if (v > INT64_MIN)
                au_vec_push(into, v - 1);
            if (v < INT64_MAX)
                au_vec_push(into, v + 1);
        }
        for (unsigned i = 0; i < au_term_kids(t, at); i++)
            au_vec_push(&stack, au_term_kid(t, at, i));
    }
    au_vec_release(&stack);
}

/* The numbers that the model's conditions and assignments know, and their neighbours. */
static void find_constants(const au_model *m, numbers *into) {
    uint8_t *seen = au_alloc_array(au_terms_count(m->terms) + 1, 1);
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        constants_of(m->terms, s->guard, into, seen);
        constants_of(m->terms, s->cond, into, seen);
        for (uint32_t k = 0; k < s->n_updates; k++)
            constants_of(m->terms, s->update[k].value, into, seen);
    }
    free(seen);
    if (into->n)
        qsort(into->at, into->n, sizeof *into->at, by_value);
}

static int64_t at_most(const numbers *n, int64_t v, int64_t least) {
    int64_t best = least;
    for (size_t i = 0; i < n->n && n->at[i] <= v; i++)
        best = n->at[i] > least ? n->at[i] : best;
    return best;
}
static int64_t at_least(const numbers *n, int64_t v, int64_t most) {
    for (size_t i = 0; i < n->n; i++)
        if (n->at[i] >= v)
            return n->at[i] < most ? n->at[i] : most;
    return most;
}

typedef struct {
    au_spreader *s;
    numbers known;
    au_interval *mixed;
} looper;

static void widen(const looper *l, au_interval *old, au_interval *now, uint32_t var) {
    const au_spreader *s = l->s;
    if (var >= s->vars)
        return; /* a control state: there are not so many */
    au_interval full = au_interval_full(s->width[var]);
    bool give_up = s->r->rounds > GIVE_UP_AFTER;
    if (now->low < old->low)
        now->low = give_up ? full.low : at_most(&l->known, now->low, full.low);
    if (now->high > old->high)
        now->high = give_up ? full.high : at_least(&l->known, now->high, full.high);
}

/* What switches bring to a node. */
static void bring(au_spreader *s, uint32_t v) {
    au_rpt_frame *b = &s->brought[v];
    b->there = false;
    for (uint32_t i = s->first_from[v]; i < s->first_from[v + 1]; i++) {
        const au_rpt_frame *f = &s->now[s->g->ce.at[s->from[i]].from];
        if (f->there && au_spread_may_be_(s, f->at, v))
            au_frame_join_(b, f->at, s->r->cells);
    }
    if (b->there && !s->r->o.no_control)
        b->at[au_spread_control_(s, au_spread_thread_(s, v))] = (au_interval){v, v};
}

/* What the transactions of a node give is gathered in 'next'. */
static void run_from(looper *l, uint32_t v, const au_interval *cells, const au_interval *locals) {
    au_spreader *s = l->s;
    if (!s->quiet)
        au_spread_record_(s, v, cells, locals);
    au_spread_from_(s, v, cells, locals);
    for (uint32_t i = s->g->first_te[v]; i < s->g->first_te[v + 1]; i++)
        if (s->out[i].there)
            au_frame_join_(&s->next[s->g->te.at[i].to], s->out[i].at, au_spread_size_(s, v));
}

/* One round from 'now' to 'next'; the beginning is always there. */
static void spread(looper *l) {
    au_spreader *s = l->s;
    for (uint32_t v = 0; v < s->g->node.n; v++) {
        s->next[v].there = false;
        if (s->entry[v] && s->m->thread.at[au_spread_thread_(s, v)].started == AU_NONE)
            au_frame_join_(&s->next[v], s->entry[v], au_spread_size_(s, v));
    }
    for (uint32_t v = 0; v < s->g->node.n; v++) {
        const au_interval *locals = s->now[v].there ? s->now[v].at : s->entry[v];
        if (s->g->inner[v])
            continue;
        if (s->now[v].there)
            run_from(l, v, s->now[v].at, s->now[v].at);
        if (!s->brought[v].at || !locals)
            continue;
        bring(s, v);
        if (s->brought[v].there && au_spread_mix_(s, v, s->brought[v].at, locals, l->mixed))
            run_from(l, v, l->mixed, locals);
    }
}

static void swap(au_spreader *s, uint32_t v) {
    au_rpt_frame old = s->now[v];
    s->now[v] = s->next[v];
    s->next[v] = old;
}

/* now grows by next; false if it did not. */
static bool grow(looper *l) {
    au_spreader *s = l->s;
    bool any = false;
    for (uint32_t v = 0; v < s->g->node.n; v++) {
        uint32_t t = au_spread_thread_(s, v), n = s->r->size[t];
        if (s->g->inner[v] || !s->next[v].there)
            continue;
        if (!s->now[v].there) {
            swap(s, v);
            any = true;
            continue;
        }
        au_interval *old = s->now[v].at, *now = s->next[v].at;
        au_spread_join_(now, old, n);
        if (!memcmp(now, old, n * sizeof *now))
            continue;
        for (uint32_t i = 0; i < n && s->r->rounds > WIDEN_AFTER; i++)
            widen(l, &old[i], &now[i],
                  i < s->r->cells ? s->cell.at[i] : s->local[t].at[i - s->r->cells]);
        swap(s, v);
        any = true;
    }
    return any;
}

void au_spread_loops_(au_spreader *s) {
    looper l = {.s = s, .mixed = au_alloc_array(s->r->cells + 1, sizeof(au_interval))};
    find_constants(s->m, &l.known);
    s->quiet = true;
    for (bool more = true; more; s->r->rounds++) {
        spread(&l);
        more = grow(&l);
    }
    for (int i = 0; i < NARROW; i++) {
        spread(&l);
        for (uint32_t v = 0; v < s->g->node.n; v++)
            if (!s->g->inner[v])
                swap(s, v);
    }
    s->quiet = false;
    spread(&l);
    free(l.mixed);
    au_vec_release(&l.known);
}
