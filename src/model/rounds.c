/* model/rounds.c: which round a place of a thread is in (symbolic.h). */
#include "model/symbolic.h"

static int by_begin(const void *a, const void *b) {
    const struct au_round *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    uint32_t p = x->after + 1, q = y->after + 1; /* AU_NONE comes first */
    if (p != q)
        return p < q ? -1 : 1;
    return x->upto > y->upto ? -1 : x->upto < y->upto;
}

void au_symbolic_sort_rounds(au_symbolic *s) {
    if (s->round.n)
        qsort(s->round.at, s->round.n, sizeof *s->round.at, by_begin);
}

void au_round_walk_init(au_round_walk *w, const au_symbolic *s, uint32_t thread, bool facts) {
    *w = (au_round_walk){.s = s, .thread = thread, .facts = facts};
    while (w->next < s->round.n && s->round.at[w->next].thread < thread)
        w->next++;
}

void au_round_walk_release(au_round_walk *w) {
    au_vec_release(&w->in);
}

static bool is_before_end(const au_round_walk *w, uint32_t round, size_t n) {
    const struct au_round *r = &w->s->round.at[round];
    return w->facts ? n < r->fact_end : n <= r->upto;
}

uint32_t au_round_walk_to(au_round_walk *w, size_t n) {
    const au_symbolic *s = w->s;
    for (;;) {
        while (w->in.n && !is_before_end(w, au_vec_last(&w->in).round, n)) {
            struct au_round_in left = au_vec_pop(&w->in);
            w->hooks = left.hooks + s->round.at[left.round].hooks;
            w->kept = left.kept;
        }
        if (w->next == s->round.n || s->round.at[w->next].thread != w->thread)
            break;
        const struct au_round *r = &s->round.at[w->next];
        if (w->facts ? n < r->fact : r->after != AU_NONE && n <= r->after)
            break;
        au_vec_push(&w->in, ((struct au_round_in){(uint32_t)w->next++, w->hooks, w->kept}));
    }
    return w->in.n ? au_vec_last(&w->in).round + 1 : 0;
}
