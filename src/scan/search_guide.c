/* scan/search_guide.c: how far it is, and which values to try. */
#include "base/bits.h"
#include "scan/search_priv.h"

/* What is not tried makes the search's "no" an open question (left_out), never an answer. */
enum {
    MOST_GUESSES = 14,
    ALL_BITS = 3, /* so many are tried in all ways */
    NEAR = 8,
    NARROW = 4,
    MOST_TERMS = 2000, /* looked at for constants of one step */
    MOST_ROUNDS = 6    /* of what depends on what depends … */
};
#define LARGE 1000000

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
    value = au_low_bits(value, width);
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
static void constants(const au_terms *t, au_term x, unsigned width, unsigned *left,
                      au_values *into) {
    if (!*left || into->n >= MOST_GUESSES)
        return;
    --*left;
    for (unsigned i = 0; i < au_term_kids(t, x); i++) {
        au_term kid = au_term_kid(t, x, i);
        if (compares(au_term_kind(t, x)) && au_term_is_const(t, kid)) {
            uint64_t v = (uint64_t)au_term_signed(t, kid);
            try_value(into, v, width);
            try_value(into, v + 1, width);
            try_value(into, v - 1, width);
        }
        constants(t, kid, width, left, into);
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
    for (int round = 0; grew && round < MOST_ROUNDS; round++) {
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
    try_value(into, LARGE, width);
    try_value(into, 0, width);
    try_value(into, 1, width);
    for (size_t i = 0; i < m->step.n && into->n < MOST_GUESSES; i++) {
        const au_step *p = &m->step.at[i];
        unsigned left = MOST_TERMS;
        if (mentions(m, p->guard, among))
            constants(m->terms, p->guard, width, &left, into);
        if (mentions(m, p->cond, among))
            constants(m->terms, p->cond, width, &left, into);
        for (uint32_t u = 0; u < p->n_updates; u++)
            if (among[p->update[u].var])
                constants(m->terms, p->update[u].value, width, &left, into);
    }
    try_value(into, 2, width);
    try_value(into, UINT64_MAX, width);
    free(among);
    return false;
}

/* --- landmarks ---------------------------------------------------------------------------------------------- */

static uint32_t root(uint32_t *of, uint32_t v) {
    while (of[v] != v)
        v = of[v] = of[of[v]];
    return v;
}

typedef struct {
    au_search *s;
    uint32_t with; /* variable, AU_NONE: the first one that comes */
} joiner;

static void join(void *ctx, uint32_t var) {
    joiner *j = ctx;
    uint32_t *of = j->s->class_of;
    if (j->with == AU_NONE)
        j->with = var;
    of[root(of, var)] = root(of, j->with);
}

static void mark(au_search *s, uint32_t class, int64_t value) {
    struct au_landmarks *l = &s->class_marks[class];
    size_t most = sizeof l->at / sizeof *l->at;
    for (uint32_t i = 0; i < l->n && i < most; i++)
        if (l->at[i] == value)
            return;
    if (l->n < most)
        l->at[l->n] = value;
    l->n += l->n <= most;
}

static void find_marks(au_search *s, au_term x, bool *seen, unsigned depth) {
    const au_terms *t = s->m->terms;
    if (seen[x.n] || depth > 200)
        return;
    seen[x.n] = true;
    for (unsigned i = 0; i < au_term_kids(t, x); i++) {
        au_term kid = au_term_kid(t, x, i);
        find_marks(s, kid, seen, depth + 1);
        if (!compares(au_term_kind(t, x)) || !au_term_is_const(t, kid))
            continue;
        joiner j = {s, AU_NONE};
        au_term_each_var(t, au_term_kid(t, x, 1 - i), join, &j);
        if (j.with != AU_NONE)
            mark(s, root(s->class_of, j.with), au_term_signed(t, kid));
    }
}

void au_search_landmarks_(au_search *s) {
    const au_model *m = s->m;
    s->class_of = au_alloc_array(m->var.n + 1, sizeof *s->class_of);
    s->class_marks = au_alloc_array(m->var.n + 1, sizeof *s->class_marks);
    for (uint32_t v = 0; v < m->var.n; v++)
        s->class_of[v] = v;
    for (size_t i = 0; i < m->step.n; i++)
        for (uint32_t u = 0; u < m->step.at[i].n_updates; u++) {
            const au_update *p = &m->step.at[i].update[u];
            joiner j = {s, p->var};
            if (s->o.relevant[p->var] && m->var.at[p->var].width > NARROW)
                au_term_each_var(m->terms, p->value, join, &j);
        }
    bool *seen = au_alloc_array(au_terms_count(m->terms) + 1, sizeof *seen);
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *p = &m->step.at[i];
        find_marks(s, p->guard, seen, 0);
        find_marks(s, p->cond, seen, 0);
        for (uint32_t u = 0; u < p->n_updates; u++)
            find_marks(s, p->update[u].value, seen, 0);
    }
    free(seen);
    for (uint32_t v = 0; v < m->var.n; v++) {
        s->class_of[v] = root(s->class_of, v);
        const struct au_landmarks *l =
            &s->class_marks[v]; /* of a class that became part of another */
        size_t most = sizeof l->at / sizeof *l->at;
        for (uint32_t i = 0; i < l->n && i < most && s->class_of[v] != v; i++)
            mark(s, s->class_of[v], l->at[i]);
    }
    for (uint32_t v = 0; v < m->var.n; v++)
        if (s->class_of[v] == v)
            mark(s, v, 0);
}

uint64_t au_search_coarse_(const au_search *s, uint32_t var, uint64_t value) {
    unsigned width = s->m->var.at[var].width;
    const struct au_landmarks *l = &s->class_marks[s->class_of[var]];
    size_t most = sizeof l->at / sizeof *l->at;
    if (width <= NARROW || l->n > most)
        return value;
    int64_t v = au_signed(value, width);
    for (uint32_t i = 0; i < l->n; i++) {
        uint64_t off =
            v > l->at[i] ? (uint64_t)v - (uint64_t)l->at[i] : (uint64_t)l->at[i] - (uint64_t)v;
        if (off <= NEAR)
            return value;
    }
    unsigned bits = 0;
    for (uint64_t u = v < 0 ? ~(uint64_t)v : (uint64_t)v; u; u >>= 1)
        bits++;
    return UINT64_C(0x5a5a000000000000) | (uint64_t)(v < 0) << 8 | bits;
}
