/* solve/bound.c: context bounds.
 *
 * Executed events lie in segments 0 … n; a segment belongs to one thread. So what is
 * before an event of another thread lies in an earlier segment. Only the clauses that say
 * that segment n is the last hang on the literal: whether it was needed for a refutation
 * is then what the solver says about it. */
#include "base/error.h"
#include "solve/cadical_priv.h"

/* In segment i or later; 0 is always true. */
static int from(const au_cad *k, uint32_t e, uint32_t i) {
    return i ? k->segment[(size_t)e * k->bound + i - 1] : AU_LIT_TRUE;
}

static void apart(au_cad *k, uint32_t a, uint32_t b) {
    int both[] = {-k->exec[a], -k->exec[b], -au_order_before(&k->order, a, b), 0, 0};
    for (uint32_t i = 0; i <= k->bound; i++) {
        both[3] = -from(k, a, i);
        both[4] = i < k->bound ? from(k, b, i + 1) : -k->bound_lit;
        au_sat_add(&k->sat, both, 5);
    }
}

int au_cad_bound(au_cad *k, uint32_t n) {
    const au_cssa *c = k->c;
    if (k->bound != AU_NONE) {
        AU_BUG_IF(k->bound != n);
        return k->bound_lit;
    }
    AU_BUG_IF(!c->o.order_all);
    k->bound = n;
    k->bound_lit = au_sat_new(&k->sat);
    k->segment = au_alloc_array(c->event.n * n + 1, sizeof *k->segment);
    for (size_t i = 0; i < c->event.n * n; i++)
        k->segment[i] = au_sat_new(&k->sat);
    for (uint32_t e = 0; e < c->event.n; e++)
        for (uint32_t i = 1; i <= n; i++) {
            if (i < n)
                au_sat_2(&k->sat, -from(k, e, i + 1), from(k, e, i));
            if (c->event.at[e].place)
                au_sat_2(&k->sat, -from(k, e - 1, i), from(k, e, i));
        }
    for (uint32_t a = 0; a < c->event.n; a++)
        for (uint32_t b = 0; b < c->event.n; b++)
            if (c->event.at[a].thread != c->event.at[b].thread)
                apart(k, a, b);
    return k->bound_lit;
}
