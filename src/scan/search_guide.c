/* scan/search_guide.c: how far it is, and which values to try. */
#include "scan/search_priv.h"

enum { MOST_GUESSES = 14, ALL_BITS = 3 };

uint32_t *au_search_distance_(const au_search *s, const uint32_t *to, size_t n) {
    const au_facts *f = s->o.cuts->f;
    uint32_t *d = au_alloc_array(f->nodes + 1, sizeof *d);
    AU_VEC(uint32_t) queue = {0};
    memset(d, 0xff, (f->nodes + 1) * sizeof *d);
    for (size_t i = 0; i < n; i++) {
        d[to[i]] = 0;
        au_vec_push(&queue, to[i]);
    }
    for (size_t at = 0; at < queue.n; at++) {
        uint32_t node = queue.at[at];
        for (uint32_t i = f->first_into[node]; i < f->first_into[node + 1]; i++) {
            uint32_t from = au_facts_src(f, f->into[i]);
            if (!s->taken[f->into[i]] || d[from] != AU_FAR)
                continue;
            d[from] = d[node] + 1;
            au_vec_push(&queue, from);
        }
    }
    au_vec_release(&queue);
    return d;
}

/* --- values -------------------------------------------------------------------------------------------- */

typedef struct {
    const bool *among;
    bool there;
} looker;

static void look(void *ctx, uint32_t var) {
    looker *l = ctx;
    l->there |= l->among[var];
}

static bool mentions(const au_model *m, au_term x, const bool *among) {
    looker l = {among, false};
    au_term_each_var(m->terms, x, look, &l);
    return l.there;
}

static void try_value(au_values *into, uint64_t value, unsigned width) {
    if (width < 64)
        value &= (UINT64_C(1) << width) - 1;
    for (size_t i = 0; i < into->n; i++)
        if (into->at[i] == value)
            return;
    if (into->n < MOST_GUESSES)
        au_vec_push(into, value);
}

static bool compares(au_term_op op) {
    return op == AU_T_EQ || op == AU_T_ULT || op == AU_T_ULE || op == AU_T_SLT || op == AU_T_SLE;
}

/* Constants that something is compared with. */
static void constants(const au_terms *t, au_term x, unsigned width, unsigned depth,
                      au_values *into) {
    if (depth > 12 || into->n >= MOST_GUESSES)
        return;
    for (unsigned i = 0; i < au_term_kids(t, x); i++) {
        au_term kid = au_term_kid(t, x, i);
        if (compares(au_term_kind(t, x)) && au_term_is_const(t, kid)) {
            uint64_t v = (uint64_t)au_term_signed(t, kid);
            try_value(into, v, width);
            try_value(into, v + 1, width);
            try_value(into, v - 1, width);
        }
        constants(t, kid, width, depth + 1, into);
    }
}

bool au_search_guess_(const au_search *s, uint32_t var, au_values *into) {
    const au_model *m = s->m;
    unsigned width = m->var.at[var].width;
    au_vec_clear(into);
    if (!s->o.relevant[var]) {
        au_vec_push(into, 0);
        return true;
    }
    if (width <= ALL_BITS) {
        for (uint64_t v = 0; v < UINT64_C(1) << width; v++)
            au_vec_push(into, v);
        return true;
    }
    /* What depends on it. */
    bool *among = au_alloc_array(m->var.n + 1, sizeof *among), grew = true;
    among[var] = true;
    while (grew) {
        grew = false;
        for (size_t i = 0; i < m->step.n; i++)
            for (uint32_t u = 0; u < m->step.at[i].n_updates; u++) {
                const au_update *p = &m->step.at[i].update[u];
                if (among[p->var] || !s->o.relevant[p->var] || !mentions(m, p->value, among))
                    continue;
                among[p->var] = true;
                grew = true;
            }
    }
    try_value(into, 1000, width);
    try_value(into, 0, width);
    try_value(into, 1, width);
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *p = &m->step.at[i];
        if (mentions(m, p->guard, among))
            constants(m->terms, p->guard, width, 0, into);
        if (mentions(m, p->cond, among))
            constants(m->terms, p->cond, width, 0, into);
        for (uint32_t u = 0; u < p->n_updates; u++)
            if (among[p->update[u].var])
                constants(m->terms, p->update[u].value, width, 0, into);
    }
    try_value(into, 2, width);
    try_value(into, UINT64_MAX, width);
    free(among);
    return false;
}
