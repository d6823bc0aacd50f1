/* scan/domain.c: assertions: intervals of all variables, relations within packs, each helping the
 * other. domain.h says what is promised. */
#include "scan/domain_priv.h"

#include <stdlib.h>

enum {
    OCTAGON_PACK = 8,    /* variables; closing an octagon is cubic */
    POLYHEDRON_PACK = 5, /* polyhedra blow up between 15 and 20 */
    SPLITS = 4,          /* nested alternatives that are followed one by one */
    PATIENCE = 24,       /* widenings at one place until relations that still grow are given up */
    THRESHOLDS = 256
};

struct au_domain {
    const au_model *m;
    au_domain_kind kind;
    au_packs pack;
    AU_VEC(uint32_t) var;      /* tracked, ascending */
    uint32_t *slot;            /* by variable: place in 'var', AU_NONE */
    au_pack_numbers *packs_of; /* by variable */
    uint8_t *width;            /* by variable */
    int64_t *limit;            /* constants of the model, ascending */
    size_t limits;
    au_intervals *eval;
    au_interval *table; /* by variable: what eval looks at */
    au_gaps *gaps;      /* NULL: box */
    size_t n_gaps;
};

struct au_abs {
    bool none;
    au_interval *at;  /* by slot */
    au_rel **rel;     /* by pack */
    bool *news;       /* by pack: bounds were added that the intervals have not heard of */
    au_interval *gap; /* differences */
};

const char *au_domain_name(au_domain_kind k) {
    static const char *const name[] = {"box", "octagon", "polyhedron"};
    return name[k];
}

/* --- the space --------------------------------------------------------------------------------- */

static int by_value(const void *x, const void *y) {
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return a < b ? -1 : a > b;
}

static void find_limits(au_domain *d) {
    AU_VEC(int64_t) all = {0};
    const au_terms *t = d->m->terms;
    for (uint32_t i = 0; i < au_terms_count(t); i++) {
        au_term x = {i};
        if (au_term_kind(t, x) != AU_T_CONST || au_term_width(t, x) == 1)
            continue;
        int64_t v = au_term_signed(t, x);
        au_vec_push(&all, v);
        if (v > INT64_MIN)
            au_vec_push(&all, v - 1);
        if (v < INT64_MAX)
            au_vec_push(&all, v + 1);
    }
    for (size_t i = 0; i < d->m->var.n; i++)
        au_vec_push(&all, au_interval_value(d->m->var.at[i].init, d->m->var.at[i].width).low);
    au_vec_push(&all, 0);
    qsort(all.at, all.n, sizeof *all.at, by_value);
    size_t n = 0;
    for (size_t i = 0; i < all.n; i++)
        if (!n || all.at[n - 1] != all.at[i])
            all.at[n++] = all.at[i];
    if (n > THRESHOLDS) { /* as many as there is patience for */
        for (size_t i = 0; i < THRESHOLDS; i++)
            all.at[i] = all.at[i * n / THRESHOLDS];
        n = THRESHOLDS;
    }
    d->limit = all.at;
    d->limits = n;
}

au_domain *au_domain_new(const au_model *m, au_domain_kind kind, const bool *tracked) {
    au_domain *d = AU_NEW(au_domain);
    d->m = m;
    d->kind = kind;
    d->slot = au_alloc_array(m->var.n + 1, sizeof *d->slot);
    d->width = au_alloc_array(m->var.n + 1, 1);
    d->table = au_alloc_array(m->var.n + 1, sizeof *d->table);
    for (uint32_t v = 0; v < m->var.n; v++) {
        d->width[v] = m->var.at[v].width;
        d->table[v] = au_interval_full(d->width[v]);
        d->slot[v] = tracked[v] ? (uint32_t)d->var.n : AU_NONE;
        if (tracked[v])
            au_vec_push(&d->var, v);
    }
    if (kind != AU_DOMAIN_BOX)
        au_packs_make_(m, tracked, kind == AU_DOMAIN_OCTAGON ? OCTAGON_PACK : POLYHEDRON_PACK,
                       &d->pack);
    if (kind != AU_DOMAIN_BOX) {
        d->gaps = au_gaps_new_(m, tracked, OCTAGON_PACK);
        d->n_gaps = au_gaps_size_(d->gaps);
    }
    d->packs_of = au_packs_of_(&d->pack, m->var.n);
    find_limits(d);
    d->eval = au_intervals_new(m->terms);
    return d;
}

void au_domain_free(au_domain *d) {
    if (!d)
        return;
    au_packs_of_free_(d->packs_of, d->m->var.n);
    au_packs_release_(&d->pack);
    au_gaps_free_(d->gaps);
    au_vec_release(&d->var);
    au_intervals_free(d->eval);
    free(d->slot);
    free(d->width);
    free(d->limit);
    free(d->table);
    free(d);
}

size_t au_domain_packs(const au_domain *d) {
    return d->pack.n;
}
const uint32_t *au_domain_pack(const au_domain *d, size_t pack, size_t *n) {
    *n = d->pack.at[pack].n;
    return d->pack.at[pack].var;
}

/* --- assertions as such ------------------------------------------------------------------------ */

static au_abs *new_abs(const au_domain *d) {
    au_abs *a = AU_NEW(au_abs);
    a->at = au_alloc_array(d->var.n + 1, sizeof *a->at);
    a->rel = au_alloc_array(d->pack.n + 1, sizeof *a->rel);
    a->news = au_alloc_array(d->pack.n + 1, sizeof *a->news);
    a->gap = au_alloc_array(d->n_gaps + 1, sizeof *a->gap);
    return a;
}

static void bound(au_rel *r, uint32_t dim, au_interval v) {
    au_lin up = {.var = {dim}, .coef = {1}, .n = 1}, down = {.var = {dim}, .coef = {-1}, .n = 1};
    if (v.low == v.high) {
        if (v.low != INT64_MIN) {
            up.k = -v.low;
            au_rel_add_(r, &up, true);
        }
        return;
    }
    if (v.high != INT64_MIN) {
        up.k = -v.high;
        au_rel_add_(r, &up, false);
    }
    down.k = v.low;
    au_rel_add_(r, &down, false);
}

au_abs *au_abs_initial(const au_domain *d) {
    au_abs *a = new_abs(d);
    for (size_t i = 0; i < d->var.n; i++) {
        const au_var_info *v = &d->m->var.at[d->var.at[i]];
        a->at[i] = au_interval_value(v->init, v->width);
    }
    for (size_t p = 0; p < d->pack.n; p++) {
        a->rel[p] = au_rel_new_(d->kind, d->pack.at[p].n);
        for (uint32_t i = 0; i < d->pack.at[p].n; i++)
            bound(a->rel[p], i, a->at[d->slot[d->pack.at[p].var[i]]]);
    }
    if (d->gaps) {
        au_gaps_full_(d->gaps, a->gap);
        au_gaps_close_(d->gaps, a->gap, a->at, d->slot);
    }
    return a;
}

au_abs *au_abs_copy(const au_domain *d, const au_abs *a) {
    au_abs *c = new_abs(d);
    c->none = a->none;
    if (d->var.n)
        memcpy(c->at, a->at, d->var.n * sizeof *c->at);
    for (size_t p = 0; p < d->pack.n && !a->none; p++)
        c->rel[p] = au_rel_copy_(a->rel[p]);
    memcpy(c->gap, a->gap, d->n_gaps * sizeof *c->gap);
    return c;
}

void au_abs_free(const au_domain *d, au_abs *a) {
    if (!a)
        return;
    for (size_t p = 0; p < d->pack.n; p++)
        au_rel_free_(a->rel[p]);
    free(a->rel);
    free(a->news);
    free(a->gap);
    free(a->at);
    free(a);
}

bool au_abs_none(const au_abs *a) {
    return a->none;
}

static void set_none(const au_domain *d, au_abs *a) {
    a->none = true;
    for (size_t p = 0; p < d->pack.n; p++) {
        au_rel_free_(a->rel[p]);
        a->rel[p] = NULL;
    }
}

typedef struct {
    au_domain *d;
    const au_abs *a;
} shower;

static void show_var(void *ctx, uint32_t var) {
    const shower *k = ctx;
    uint32_t s = k->d->slot[var];
    if (s != AU_NONE)
        k->d->table[var] = k->a->at[s];
}

/* The intervals of a term's variables where eval looks for them; of what is not tracked it knows
 * the type. */
static void look_at(au_domain *d, const au_abs *a, au_term x) {
    shower k = {d, a};
    au_term_each_var(d->m->terms, x, show_var, &k);
    au_intervals_over(d->eval, d->table);
}

/* They were narrowed: a and its packs learn it, unless a is empty. */
static void take_var(void *ctx, uint32_t var) {
    const shower *k = ctx;
    au_domain *d = k->d;
    au_abs *a = (au_abs *)k->a;
    uint32_t s = d->slot[var];
    if (s == AU_NONE) {
        d->table[var] = au_interval_full(d->width[var]);
        return;
    }
    if (a->none || au_interval_same(a->at[s], d->table[var]))
        return;
    a->at[s] = d->table[var];
    for (size_t i = 0; i < d->packs_of[var].n; i++) {
        uint32_t p = d->packs_of[var].at[i];
        bound(a->rel[p], au_pack_dim_(&d->pack.at[p], var), a->at[s]);
        a->news[p] = true;
    }
}

/* A pack has learnt something: so do the intervals. False: nothing is left. */
static bool learn(au_domain *d, au_abs *a, uint32_t p) {
    const au_var_pack *k = &d->pack.at[p];
    a->news[p] = false;
    if (au_rel_none_(a->rel[p])) {
        set_none(d, a);
        return false;
    }
    for (uint32_t i = 0; i < k->n; i++) {
        au_interval *v = &a->at[d->slot[k->var[i]]];
        au_rel_bounds_(a->rel[p], i, v);
        if (v->low > v->high) { /* no integer in between */
            set_none(d, a);
            return false;
        }
    }
    return true;
}

/* --- conditions ---------------------------------------------------------------------------------- */

/* l <= 0 (or == 0) for all packs that have its variables. */
static bool add_constraint(au_domain *d, au_abs *a, const au_lin *l, bool equal) {
    if (l->n == 0)
        return true; /* the intervals have judged it */
    for (size_t i = 0; i < d->packs_of[l->var[0]].n; i++) {
        uint32_t p = d->packs_of[l->var[0]].at[i];
        au_lin in = *l;
        bool all = true;
        for (uint32_t k = 0; k < l->n && all; k++) {
            in.var[k] = au_pack_dim_(&d->pack.at[p], l->var[k]);
            all = in.var[k] != AU_NONE;
        }
        if (!all)
            continue;
        au_rel_add_(a->rel[p], &in, equal);
        if (!learn(d, a, p))
            return false;
    }
    return true;
}

/* One comparison, for the relations. */
static bool add_atom(au_domain *d, au_abs *a, au_term cond, bool value) {
    const au_terms *t = d->m->terms;
    au_term_op op = au_term_kind(t, cond);
    au_lin l, r;
    look_at(d, a, cond);
    if (op == AU_T_VAR) {
        l = (au_lin){.var = {au_term_var(t, cond)}, .coef = {1}, .n = 1, .k = value ? -1 : 0};
        return add_constraint(d, a, &l, true);
    }
    if (op < AU_T_EQ || op > AU_T_SLE)
        return true;
    au_term x = au_term_kid(t, cond, 0), y = au_term_kid(t, cond, 1);
    if (op == AU_T_ULT || op == AU_T_ULE) {
        if (au_term_width(t, x) == 1 || au_intervals_of(d->eval, x).low < 0 ||
            au_intervals_of(d->eval, y).low < 0)
            return true;
    } else if (op != AU_T_EQ && au_term_width(t, x) == 1) {
        return true; /* signed bits: not what the intervals call them */
    }
    if (!au_lin_of_(d->eval, t, x, &l) || !au_lin_of_(d->eval, t, y, &r))
        return true;
    if (op == AU_T_EQ)
        return !value || !au_lin_sub_(&l, &r) || add_constraint(d, a, &l, true);
    bool strict = op == AU_T_ULT || op == AU_T_SLT;
    if (!value) { /* not x < y is y <= x */
        au_lin other = l;
        l = r;
        r = other;
        strict = !strict;
    }
    if (!au_lin_sub_(&l, &r) || (strict && __builtin_add_overflow(l.k, 1, &l.k)))
        return true;
    return add_constraint(d, a, &l, false);
}

static void assume(au_domain *d, au_abs *a, au_term cond, bool value, int depth);

/* Either of the two. */
static void assume_either(au_domain *d, au_abs *a, au_term x, bool vx, au_term y, bool vy,
                          int depth) {
    au_abs *other = au_abs_copy(d, a);
    assume(d, a, x, vx, depth + 1);
    assume(d, other, y, vy, depth + 1);
    au_abs_join(d, a, other);
    au_abs_free(d, other);
}

static void assume(au_domain *d, au_abs *a, au_term cond, bool value, int depth) {
    const au_terms *t = d->m->terms;
    if (a->none)
        return;
    switch (au_term_kind(t, cond)) {
    case AU_T_CONST:
        if (au_term_is_true(t, cond) != value)
            set_none(d, a);
        return;
    case AU_T_NOT:
        assume(d, a, au_term_kid(t, cond, 0), !value, depth);
        return;
    case AU_T_AND:
    case AU_T_OR: {
        au_term x = au_term_kid(t, cond, 0), y = au_term_kid(t, cond, 1);
        if ((au_term_kind(t, cond) == AU_T_AND) == value) {
            assume(d, a, x, value, depth);
            assume(d, a, y, value, depth);
            return;
        }
        if (depth < SPLITS) {
            assume_either(d, a, x, value, y, value, depth);
            return;
        }
        break;
    }
    case AU_T_EQ: /* x != c of an interval in the middle: both sides */
        if (!value && depth < SPLITS && d->pack.n) {
            au_lin l, r;
            au_term x = au_term_kid(t, cond, 0), y = au_term_kid(t, cond, 1);
            look_at(d, a, cond);
            if (au_term_width(t, x) == 1 || !au_lin_of_(d->eval, t, x, &l) ||
                !au_lin_of_(d->eval, t, y, &r) || !au_lin_sub_(&l, &r) || l.n < 2)
                break;
            au_abs *other = au_abs_copy(d, a);
            au_lin n = {0};
            bool good = au_lin_sub_(&n, &l) && !__builtin_add_overflow(l.k, 1, &l.k) &&
                        !__builtin_add_overflow(n.k, 1, &n.k);
            if (good) {
                add_constraint(d, a, &l, false);
                add_constraint(d, other, &n, false);
                au_abs_join(d, a, other);
            }
            au_abs_free(d, other);
            if (a->none)
                return;
        }
        break;
    default:
        break;
    }
    shower k = {d, a};
    look_at(d, a, cond);
    if (!au_intervals_assume(d->eval, cond, value, d->table, d->width))
        set_none(d, a);
    au_term_each_var(t, cond, take_var, &k);
    for (uint32_t p = 0; p < d->pack.n && !a->none; p++)
        if (a->news[p])
            learn(d, a, p);
    if (!a->none && d->pack.n)
        add_atom(d, a, cond, value);
    if (!a->none && d->gaps &&
        !(au_gaps_close_(d->gaps, a->gap, a->at, d->slot) &&
          au_gaps_assume_(d->gaps, a->gap, t, cond, value, a->at, d->slot)))
        set_none(d, a);
}

void au_abs_assume(au_domain *d, au_abs *a, au_term cond, bool value) {
    assume(d, a, cond, value, 0);
}

bool au_abs_may(au_domain *d, const au_abs *a, au_term cond, bool value) {
    if (a->none)
        return false;
    look_at(d, a, cond);
    return au_intervals_truth(d->eval, cond) != (value ? AU_TRUTH_FALSE : AU_TRUTH_TRUE);
}

au_interval au_abs_range(const au_domain *d, const au_abs *a, uint32_t var) {
    uint32_t s = d->slot[var];
    return s == AU_NONE ? au_interval_full(d->width[var]) : a->at[s];
}

/* --- assignments ---------------------------------------------------------------------------------- */

/* What the packs of others know together with this one, after it changed: the meld. */
static bool meld(au_domain *d, au_abs *a, uint32_t from, uint32_t var) {
    const au_var_pack *k = &d->pack.at[from];
    uint32_t *to = au_alloc_array(k->n, sizeof *to);
    for (size_t i = 0; i < d->packs_of[var].n && !a->none; i++) {
        uint32_t p = d->packs_of[var].at[i];
        uint32_t common = 0;
        if (p == from)
            continue;
        for (uint32_t j = 0; j < k->n; j++) {
            to[j] = au_pack_dim_(&d->pack.at[p], k->var[j]);
            common += to[j] != AU_NONE;
        }
        if (common < 2)
            continue; /* the interval has been told */
        au_rel_tell_(a->rel[p], a->rel[from], to);
        learn(d, a, p);
    }
    free(to);
    return !a->none;
}

/* In the packs that have it: var := l, or anything (NULL). */
static void set_in_packs(au_domain *d, au_abs *a, uint32_t var, const au_lin *l) {
    for (size_t i = 0; i < d->packs_of[var].n; i++) {
        uint32_t p = d->packs_of[var].at[i], dim = au_pack_dim_(&d->pack.at[p], var);
        au_lin in;
        bool all = l != NULL;
        if (l) {
            in = *l;
            for (uint32_t k = 0; k < l->n && all; k++) {
                in.var[k] = au_pack_dim_(&d->pack.at[p], l->var[k]);
                all = in.var[k] != AU_NONE;
            }
        }
        if (all)
            au_rel_set_(a->rel[p], dim, &in);
        else
            au_rel_forget_(a->rel[p], dim);
    }
}

/* … and what the intervals know of its new value. */
static void bound_in_packs(au_domain *d, au_abs *a, uint32_t var) {
    for (size_t i = 0; i < d->packs_of[var].n && !a->none; i++) {
        uint32_t p = d->packs_of[var].at[i];
        bound(a->rel[p], au_pack_dim_(&d->pack.at[p], var), a->at[d->slot[var]]);
        learn(d, a, p);
    }
}

void au_abs_assign(au_domain *d, au_abs *a, const au_update *u, uint32_t n) {
    if (a->none || !n)
        return;
    const au_terms *t = d->m->terms;
    au_interval *range = au_alloc_array(n, sizeof *range);
    au_lin *lin = au_alloc_array(n, sizeof *lin);
    bool *linear = au_alloc_array(n, sizeof *linear);
    for (uint32_t i = 0; i < n; i++) {
        look_at(d, a, u[i].value);
        range[i] = au_intervals_of(d->eval, u[i].value);
        if (d->width[u[i].var] == 1)
            range[i] = (au_interval){range[i].low < 0 ? 0 : range[i].low,
                                     range[i].high < 0 ? 1 : range[i].high};
        linear[i] = d->pack.n && !au_reads_updated_(t, u[i].value, u, i) &&
                    au_lin_of_(d->eval, t, u[i].value, &lin[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        set_in_packs(d, a, u[i].var, linear[i] ? &lin[i] : NULL);
    if (d->gaps)
        au_gaps_assign_(d->gaps, a->gap, t, u, n);
    for (uint32_t i = 0; i < n; i++)
        if (d->slot[u[i].var] != AU_NONE)
            a->at[d->slot[u[i].var]] = range[i];
    for (uint32_t i = 0; i < n && d->gaps && !a->none; i++)
        if (!au_gaps_settle_(d->gaps, a->gap, u[i].var, a->at, d->slot))
            set_none(d, a);
    for (uint32_t i = 0; i < n && !a->none; i++)
        bound_in_packs(d, a, u[i].var);
    for (uint32_t i = 0; i < n && !a->none; i++) {
        uint32_t v = u[i].var;
        if (d->m->var.at[v].kind != AU_VAR_SHARED || d->packs_of[v].n < 2)
            continue;
        for (size_t k = 0; k < d->packs_of[v].n && !a->none; k++)
            meld(d, a, d->packs_of[v].at[k], v);
    }
    free(range);
    free(lin);
    free(linear);
}

void au_abs_havoc(au_domain *d, au_abs *a, uint32_t var) {
    if (a->none || d->slot[var] == AU_NONE)
        return;
    a->at[d->slot[var]] = au_interval_full(d->width[var]);
    if (d->gaps)
        au_gaps_forget_(d->gaps, a->gap, var);
    set_in_packs(d, a, var, NULL);
    bound_in_packs(d, a, var);
}

bool au_abs_may_become(au_domain *d, au_abs *a, uint32_t var, au_interval range) {
    if (a->none || d->slot[var] == AU_NONE)
        return false;
    au_interval *v = &a->at[d->slot[var]], wide = au_interval_join(*v, range);
    bool more = !au_interval_same(wide, *v);
    *v = wide;
    if (d->gaps)
        au_gaps_forget_(d->gaps, a->gap, var);
    set_in_packs(d, a, var, NULL);
    bound_in_packs(d, a, var);
    return more;
}

/* --- lattice --------------------------------------------------------------------------------------- */

static void take(const au_domain *d, au_abs *into, const au_abs *from) {
    into->none = from->none;
    memcpy(into->at, from->at, d->var.n * sizeof *into->at);
    memcpy(into->gap, from->gap, d->n_gaps * sizeof *into->gap);
    for (size_t p = 0; p < d->pack.n; p++) {
        au_rel_free_(into->rel[p]);
        into->rel[p] = from->rel[p] ? au_rel_copy_(from->rel[p]) : NULL;
    }
}

bool au_abs_join(au_domain *d, au_abs *into, const au_abs *from) {
    bool more = false;
    if (from->none)
        return false;
    if (into->none) {
        take(d, into, from);
        return true;
    }
    for (size_t i = 0; i < d->var.n; i++) {
        au_interval both = au_interval_join(into->at[i], from->at[i]);
        more |= !au_interval_same(both, into->at[i]);
        into->at[i] = both;
    }
    for (size_t i = 0; i < d->n_gaps; i++) {
        au_interval both = au_interval_join(into->gap[i], from->gap[i]);
        more |= !au_interval_same(both, into->gap[i]);
        into->gap[i] = both;
    }
    for (size_t p = 0; p < d->pack.n; p++)
        if (!au_rel_contains_(into->rel[p], from->rel[p])) {
            au_rel_join_(into->rel[p], from->rel[p]);
            more = true;
        }
    return more;
}

static int64_t below(const au_domain *d, int64_t v, int64_t least) {
    for (size_t i = d->limits; i-- > 0;)
        if (d->limit[i] <= v)
            return d->limit[i] > least ? d->limit[i] : least;
    return least;
}
static int64_t above(const au_domain *d, int64_t v, int64_t most) {
    for (size_t i = 0; i < d->limits; i++)
        if (d->limit[i] >= v)
            return d->limit[i] < most ? d->limit[i] : most;
    return most;
}

static bool widen_interval(const au_domain *d, au_interval *v, au_interval from, unsigned width,
                           unsigned times) {
    au_interval all = au_interval_full(width);
    bool more = false;
    if (from.low < v->low) {
        v->low = times > PATIENCE ? all.low : below(d, from.low, all.low);
        more = true;
    }
    if (from.high > v->high) {
        v->high = times > PATIENCE ? all.high : above(d, from.high, all.high);
        more = true;
    }
    return more;
}

bool au_abs_widen(au_domain *d, au_abs *into, const au_abs *from, unsigned times) {
    bool more = false;
    if (from->none || into->none)
        return au_abs_join(d, into, from);
    for (size_t i = 0; i < d->var.n; i++)
        more |= widen_interval(d, &into->at[i], from->at[i], d->width[d->var.at[i]], times);
    for (size_t i = 0; i < d->n_gaps; i++)
        if (!au_interval_same(into->gap[i], from->gap[i]))
            more |= widen_interval(d, &into->gap[i], from->gap[i], au_gaps_width_(d->gaps, i),
                                   times / 4); /* they settle late */
    for (uint32_t p = 0; p < d->pack.n; p++) {
        if (au_rel_contains_(into->rel[p], from->rel[p]))
            continue;
        const au_var_pack *k = &d->pack.at[p];
        more = true;
        if (times > PATIENCE) {
            au_rel_free_(into->rel[p]);
            into->rel[p] = au_rel_new_(d->kind, k->n);
            continue;
        }
        au_rel *old = au_rel_copy_(into->rel[p]);
        au_rel_join_(into->rel[p], from->rel[p]);
        au_rel_widen_(into->rel[p], old);
        au_rel_free_(old);
        if (times < PATIENCE / 2) /* what the intervals still know; later it must come to an end */
            for (uint32_t i = 0; i < k->n; i++)
                bound(into->rel[p], i, into->at[d->slot[k->var[i]]]);
    }
    return more;
}

void au_abs_meet(au_domain *d, au_abs *into, const au_abs *from) {
    if (into->none)
        return;
    if (from->none) {
        set_none(d, into);
        return;
    }
    for (size_t i = 0; i < d->var.n; i++) {
        au_interval *v = &into->at[i];
        v->low = v->low > from->at[i].low ? v->low : from->at[i].low;
        v->high = v->high < from->at[i].high ? v->high : from->at[i].high;
        if (v->low > v->high) {
            set_none(d, into);
            return;
        }
    }
    for (uint32_t p = 0; p < d->pack.n && !into->none; p++) {
        const au_var_pack *k = &d->pack.at[p];
        au_rel_meet_(into->rel[p], from->rel[p]);
        for (uint32_t i = 0; i < k->n; i++)
            bound(into->rel[p], i, into->at[d->slot[k->var[i]]]);
        learn(d, into, p);
    }
    for (size_t i = 0; i < d->n_gaps && !into->none; i++) {
        au_interval *v = &into->gap[i];
        v->low = v->low > from->gap[i].low ? v->low : from->gap[i].low;
        v->high = v->high < from->gap[i].high ? v->high : from->gap[i].high;
        if (v->low > v->high)
            set_none(d, into);
    }
}

/* --- looking ----------------------------------------------------------------------------------------- */

bool au_abs_has(au_domain *d, const au_abs *a, const uint64_t *value) {
    if (a->none)
        return false;
    for (size_t i = 0; i < d->var.n; i++) {
        uint32_t v = d->var.at[i];
        int64_t x = au_interval_value(value[v], d->width[v]).low;
        if (x < a->at[i].low || x > a->at[i].high)
            return false;
    }
    for (size_t p = 0; p < d->pack.n; p++) {
        const au_var_pack *k = &d->pack.at[p];
        au_rel *r = au_rel_copy_(a->rel[p]);
        for (uint32_t i = 0; i < k->n; i++) {
            int64_t x = au_interval_value(value[k->var[i]], d->width[k->var[i]]).low;
            bound(r, i, (au_interval){x, x});
        }
        bool there = !au_rel_none_(r);
        au_rel_free_(r);
        if (!there)
            return false;
    }
    return !d->gaps || au_gaps_has_(d->gaps, a->gap, value);
}

typedef struct {
    const au_domain *d;
    const au_var_pack *k;
} namer;
static const char *name_of(const void *ctx, uint32_t dim) {
    const namer *n = ctx;
    return n->d->m->var.at[n->k->var[dim]].name;
}

void au_abs_print(au_domain *d, const au_abs *a, au_out *out) {
    if (a->none) {
        au_out_str(out, "false");
        return;
    }
    bool first = true;
    for (size_t i = 0; i < d->var.n; i++) {
        const au_var_info *v = &d->m->var.at[d->var.at[i]];
        if (au_interval_same(a->at[i], au_interval_full(v->width)))
            continue;
        au_out_printf(out, "%s%s in [%lld, %lld]", first ? "" : ", ", v->name,
                      (long long)a->at[i].low, (long long)a->at[i].high);
        first = false;
    }
    for (size_t p = 0; p < d->pack.n; p++) {
        namer n = {d, &d->pack.at[p]};
        au_rel_print_(a->rel[p], name_of, &n, out);
    }
    if (d->gaps)
        au_gaps_print_(d->gaps, a->gap, out);
}
