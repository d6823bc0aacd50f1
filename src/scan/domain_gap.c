/* scan/domain_gap.c: differences of two variables as the machine has them: x - y, cut to their width, as a
 * signed number in an interval.
 *
 * The relations of domain_ppl.c are over unbounded integers, so a counter that may wrap is forgotten by
 * them. Here wrapping is no harm: x := x + 1 moves all differences of x by one, whatever x is. Head and tail
 * of a ring, which only ever grow, are kept together by this. A sum of two differences that could itself
 * wrap says nothing. */
#include "base/bits.h"
#include "scan/domain_priv.h"

#include <stdlib.h>

__extension__ typedef __int128 wide;

typedef struct {
    uint32_t a, b; /* entries of one difference in two packs */
} link;

struct au_gaps {
    const au_model *m;
    au_packs pack;
    uint32_t *first;           /* by pack: of its matrix */
    au_pack_numbers *packs_of; /* by variable */
    size_t total;
    AU_VEC(link) link;
};

/* Of i - j, in the matrix of the pack. */
static au_interval *entry(const au_gaps *g, au_interval *x, uint32_t p, uint32_t i, uint32_t j) {
    return &x[g->first[p] + i * g->pack.at[p].n + j];
}

static unsigned width_of(const au_gaps *g, uint32_t p, uint32_t i) {
    return g->m->var.at[g->pack.at[p].var[i]].width;
}

static bool comparable(const au_gaps *g, uint32_t p, uint32_t i, uint32_t j) {
    return i != j && width_of(g, p, i) > 1 && width_of(g, p, i) == width_of(g, p, j);
}

static uint32_t dim_of(const au_gaps *g, uint32_t p, uint32_t var) {
    return au_pack_dim_(&g->pack.at[p], var);
}

/* --- intervals of differences ------------------------------------------------------------------------- */

static au_interval sized(wide low, wide high, unsigned width) {
    au_interval all = au_interval_full(width);
    if (low < all.low || high > all.high)
        return all;
    return (au_interval){(int64_t)low, (int64_t)high};
}

static au_interval plus(au_interval a, au_interval b, unsigned width) {
    return sized((wide)a.low + b.low, (wide)a.high + b.high, width);
}

static au_interval minus(au_interval a, au_interval b, unsigned width) {
    return sized((wide)a.low - b.high, (wide)a.high - b.low, width);
}

static bool cut(au_interval *into, au_interval by) {
    into->low = into->low > by.low ? into->low : by.low;
    into->high = into->high < by.high ? into->high : by.high;
    return into->low <= into->high;
}

static bool cut_both(const au_gaps *g, au_interval *x, uint32_t p, uint32_t i, uint32_t j,
                     au_interval by) {
    unsigned w = width_of(g, p, i);
    return cut(entry(g, x, p, i, j), by) &&
           cut(entry(g, x, p, j, i), minus((au_interval){0, 0}, by, w));
}

/* --- the space ------------------------------------------------------------------------------------------- */

static void link_packs(au_gaps *g, uint32_t p, uint32_t q) {
    const au_var_pack *k = &g->pack.at[p];
    uint32_t n = g->pack.at[q].n;
    for (uint32_t i = 0; i < k->n; i++)
        for (uint32_t j = 0; j < k->n; j++) {
            uint32_t a = dim_of(g, q, k->var[i]), b = dim_of(g, q, k->var[j]);
            if (a == AU_NONE || b == AU_NONE || !comparable(g, p, i, j))
                continue;
            au_vec_push(&g->link, ((link){g->first[p] + i * k->n + j, g->first[q] + a * n + b}));
        }
}

au_gaps *au_gaps_new_(const au_model *m, const bool *tracked, uint32_t most) {
    au_gaps *g = AU_NEW(au_gaps);
    g->m = m;
    au_packs_make_(m, tracked, most, &g->pack);
    g->first = au_alloc_array(g->pack.n + 1, sizeof *g->first);
    g->packs_of = au_packs_of_(&g->pack, m->var.n);
    for (uint32_t p = 0; p < g->pack.n; p++) {
        g->first[p] = (uint32_t)g->total;
        g->total += (size_t)g->pack.at[p].n * g->pack.at[p].n;
    }
    for (uint32_t p = 0; p < g->pack.n; p++)
        for (uint32_t q = p + 1; q < g->pack.n; q++)
            link_packs(g, p, q);
    return g;
}

void au_gaps_free_(au_gaps *g) {
    if (!g)
        return;
    au_packs_of_free_(g->packs_of, g->m->var.n);
    au_packs_release_(&g->pack);
    au_vec_release(&g->link);
    free(g->first);
    free(g);
}

size_t au_gaps_size_(const au_gaps *g) {
    return g->total;
}

void au_gaps_full_(const au_gaps *g, au_interval *x) {
    for (uint32_t p = 0; p < g->pack.n; p++)
        for (uint32_t i = 0; i < g->pack.at[p].n; i++)
            for (uint32_t j = 0; j < g->pack.at[p].n; j++)
                *entry(g, x, p, i, j) =
                    i == j ? (au_interval){0, 0} : au_interval_full(width_of(g, p, i));
}

/* --- what follows from what --------------------------------------------------------------------------------- */

static bool close_pack(const au_gaps *g, au_interval *x, uint32_t p, au_interval *at,
                       const uint32_t *slot) {
    uint32_t n = g->pack.at[p].n;
    const uint32_t *var = g->pack.at[p].var;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (comparable(g, p, i, j) &&
                !cut(entry(g, x, p, i, j),
                     minus(at[slot[var[i]]], at[slot[var[j]]], width_of(g, p, i))))
                return false;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n && comparable(g, p, i, k); j++)
                if (comparable(g, p, k, j) && i != j &&
                    !cut(entry(g, x, p, i, j),
                         plus(*entry(g, x, p, i, k), *entry(g, x, p, k, j), width_of(g, p, i))))
                    return false;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (comparable(g, p, i, j) &&
                !cut(&at[slot[var[i]]],
                     plus(at[slot[var[j]]], *entry(g, x, p, i, j), width_of(g, p, i))))
                return false;
    return true;
}

static bool close_packs_of(const au_gaps *g, au_interval *x, uint32_t var, au_interval *at,
                           const uint32_t *slot) {
    for (size_t i = 0; i < g->packs_of[var].n; i++)
        if (!close_pack(g, x, g->packs_of[var].at[i], at, slot))
            return false;
    return true;
}

static bool close_all(const au_gaps *g, au_interval *x, au_interval *at, const uint32_t *slot) {
    for (uint32_t p = 0; p < g->pack.n; p++)
        if (!close_pack(g, x, p, at, slot))
            return false;
    return true;
}

/* What packs know of differences that they share. */
static bool meld(const au_gaps *g, au_interval *x, au_interval *at, const uint32_t *slot) {
    bool news = false;
    for (size_t i = 0; i < g->link.n; i++) {
        au_interval *a = &x[g->link.at[i].a], *b = &x[g->link.at[i].b];
        news |= !au_interval_same(*a, *b);
        if (!cut(a, *b))
            return false;
        *b = *a;
    }
    return !news || close_all(g, x, at, slot);
}

bool au_gaps_close_(const au_gaps *g, au_interval *x, au_interval *at, const uint32_t *slot) {
    return close_all(g, x, at, slot) && meld(g, x, at, slot);
}

/* --- terms: plus - minus + k, cut to the width -------------------------------------------------------------- */

typedef struct {
    uint32_t plus, minus; /* variables, AU_NONE */
    uint64_t k;
} sum;

static void swap(sum *s) {
    uint32_t v = s->plus;
    s->plus = s->minus;
    s->minus = v;
    s->k = -s->k;
}

static bool put_together(sum *a, const sum *b) {
    sum r = *a;
    uint32_t up = b->plus, down = b->minus;
    if (up != AU_NONE && up == r.minus)
        r.minus = up = AU_NONE;
    if (down != AU_NONE && down == r.plus)
        r.plus = down = AU_NONE;
    if ((up != AU_NONE && r.plus != AU_NONE) || (down != AU_NONE && r.minus != AU_NONE))
        return false;
    r.plus = up != AU_NONE ? up : r.plus;
    r.minus = down != AU_NONE ? down : r.minus;
    r.k += b->k;
    *a = r;
    return true;
}

static bool sum_of(const au_terms *t, au_term x, int depth, sum *into) {
    sum other;
    *into = (sum){AU_NONE, AU_NONE, 0};
    if (depth > 6)
        return false;
    switch (au_term_kind(t, x)) {
    case AU_T_CONST:
        into->k = au_term_value(t, x);
        return true;
    case AU_T_VAR:
        into->plus = au_term_var(t, x);
        return true;
    case AU_T_NEG:
        if (!sum_of(t, au_term_kid(t, x, 0), depth + 1, into))
            return false;
        swap(into);
        return true;
    case AU_T_ADD:
    case AU_T_SUB:
        if (!sum_of(t, au_term_kid(t, x, 0), depth + 1, into) ||
            !sum_of(t, au_term_kid(t, x, 1), depth + 1, &other))
            return false;
        if (au_term_kind(t, x) == AU_T_SUB)
            swap(&other);
        return put_together(into, &other);
    default:
        return false;
    }
}

static int64_t cut_to(uint64_t k, unsigned width) {
    return au_interval_value(au_low_bits(k, width), width).low;
}

/* --- conditions ------------------------------------------------------------------------------------------------ */

typedef struct {
    const au_gaps *g;
    au_interval *x, *at;
    const uint32_t *slot;
} state;

/* plus - minus is in the interval; or, apart, it is not that number. */
static bool restrict_to(const state *s, const sum *d, au_interval by, bool apart) {
    const au_gaps *g = s->g;
    for (size_t k = 0; k < g->packs_of[d->plus].n; k++) {
        uint32_t p = g->packs_of[d->plus].at[k];
        uint32_t i = dim_of(g, p, d->plus), j = dim_of(g, p, d->minus);
        if (j == AU_NONE || !comparable(g, p, i, j))
            continue;
        au_interval to = by;
        if (apart) {
            to = *entry(g, s->x, p, i, j);
            if (to.low == to.high && to.low == by.low)
                return false;
            if (to.low == by.low)
                to.low++;
            else if (to.high == by.low)
                to.high--;
        }
        if (!cut_both(g, s->x, p, i, j, to) || !close_pack(g, s->x, p, s->at, s->slot))
            return false;
    }
    return true;
}

/* Where a difference is that is less than c (first) or greater; of unsigned numbers those that look negative are the
 * large ones. Empty: nowhere. */
static au_interval where_less(int64_t c, bool first, bool strict, bool is_signed, unsigned width,
                              au_interval now) {
    au_interval r = au_interval_full(width);
    if (first ? c == r.low && strict : c == r.high && strict)
        return is_signed ? (au_interval){1, 0} : r;
    int64_t low = strict ? c + 1 : c, high = strict ? c - 1 : c;
    if (is_signed) {
        if (first)
            r.high = high;
        else
            r.low = low;
    } else if (first && c >= 0) {
        r = (au_interval){0, high};
    } else if (!first && c >= 0 && now.low >= 0) {
        r.low = low;
    } else if (!first && c < 0) {
        r = (au_interval){low, -1};
    }
    return r;
}

static bool assume(const au_gaps *g, au_interval *x, const au_terms *t, au_term cond, bool value,
                   au_interval *at, const uint32_t *slot) {
    au_term_op op = au_term_kind(t, cond);
    state s = {g, x, at, slot};
    sum a, b;
    if (op < AU_T_EQ || op > AU_T_SLE)
        return true;
    au_term l = au_term_kid(t, cond, 0), r = au_term_kid(t, cond, 1);
    unsigned w = au_term_width(t, l);
    if (w < 2 || !sum_of(t, l, 0, &a) || !sum_of(t, r, 0, &b))
        return true;
    bool equal = op == AU_T_EQ, strict = op == AU_T_ULT || op == AU_T_SLT;
    if (!equal && !value) { /* not a < b is b <= a */
        sum c = a;
        a = b;
        b = c;
        strict = !strict;
    }
    bool constant =
        (a.plus == AU_NONE && a.minus == AU_NONE) || (b.plus == AU_NONE && b.minus == AU_NONE);
    bool first = b.plus == AU_NONE && b.minus == AU_NONE;
    int64_t limit = cut_to(first ? b.k : a.k, w);
    sum d = a, other = b;
    swap(&other);
    if (!put_together(&d, &other))
        return true;
    if (d.plus == AU_NONE || d.minus == AU_NONE || slot[d.plus] == AU_NONE ||
        slot[d.minus] == AU_NONE)
        return true;
    int64_t zero = cut_to(-d.k, w); /* plus - minus where a and b are equal */
    if (equal)
        return restrict_to(&s, &d, (au_interval){zero, zero}, !value);
    if (constant) { /* (plus - minus + k) against a limit */
        sum e = first ? a : b;
        if (cut_to(e.k, w) != 0 || e.plus == AU_NONE || e.minus == AU_NONE)
            return true;
        for (size_t k = 0; k < g->packs_of[e.plus].n; k++) {
            uint32_t p = g->packs_of[e.plus].at[k], i = dim_of(g, p, e.plus),
                     j = dim_of(g, p, e.minus);
            if (j == AU_NONE || !comparable(g, p, i, j))
                continue;
            au_interval by = where_less(limit, first, strict, op == AU_T_SLT || op == AU_T_SLE, w,
                                        *entry(g, x, p, i, j));
            if (by.low > by.high || !cut_both(g, x, p, i, j, by) || !close_pack(g, x, p, at, slot))
                return false;
        }
        return true;
    }
    return !strict || restrict_to(&s, &d, (au_interval){zero, zero}, true);
}

bool au_gaps_assume_(const au_gaps *g, au_interval *x, const au_terms *t, au_term cond, bool value,
                     au_interval *at, const uint32_t *slot) {
    return assume(g, x, t, cond, value, at, slot) && meld(g, x, at, slot);
}

/* --- assignments ------------------------------------------------------------------------------------------------- */

void au_gaps_forget_(const au_gaps *g, au_interval *x, uint32_t var) {
    for (size_t k = 0; k < g->packs_of[var].n; k++) {
        uint32_t p = g->packs_of[var].at[k], i = dim_of(g, p, var);
        for (uint32_t j = 0; j < g->pack.at[p].n; j++)
            if (j != i)
                *entry(g, x, p, i, j) = *entry(g, x, p, j, i) = au_interval_full(width_of(g, p, i));
    }
}

/* var := from + k in one pack. */
static void set_in_pack(const au_gaps *g, au_interval *x, uint32_t p, uint32_t i, uint32_t from,
                        int64_t k) {
    unsigned w = width_of(g, p, i);
    au_interval by = {k, k};
    for (uint32_t j = 0; j < g->pack.at[p].n; j++) {
        if (j == i || !comparable(g, p, i, j))
            continue;
        au_interval d = j == from ? by : plus(*entry(g, x, p, from, j), by, w);
        *entry(g, x, p, i, j) = d;
        *entry(g, x, p, j, i) = minus((au_interval){0, 0}, d, w);
    }
}

void au_gaps_assign_(const au_gaps *g, au_interval *x, const au_terms *t, const au_update *u,
                     uint32_t n) {
    for (uint32_t c = 0; c < n; c++) {
        sum s;
        unsigned w = g->m->var.at[u[c].var].width;
        bool known = !au_reads_updated_(t, u[c].value, u, c) && w > 1 &&
                     sum_of(t, u[c].value, 0, &s) && s.plus != AU_NONE && s.minus == AU_NONE &&
                     g->m->var.at[s.plus].width == w;
        bool moves = known && s.plus == u[c].var;
        if (!known) {
            au_gaps_forget_(g, x, u[c].var);
            continue;
        }
        for (size_t k = 0; k < g->packs_of[u[c].var].n; k++) {
            uint32_t p = g->packs_of[u[c].var].at[k], i = dim_of(g, p, u[c].var);
            uint32_t from = moves ? i : dim_of(g, p, s.plus);
            if (from != AU_NONE) {
                set_in_pack(g, x, p, i, from, cut_to(s.k, w));
                continue;
            }
            for (uint32_t j = 0; j < g->pack.at[p].n; j++)
                if (j != i)
                    *entry(g, x, p, i, j) = *entry(g, x, p, j, i) = au_interval_full(w);
        }
    }
}

bool au_gaps_settle_(const au_gaps *g, au_interval *x, uint32_t var, au_interval *at,
                     const uint32_t *slot) {
    return close_packs_of(g, x, var, at, slot) &&
           (g->m->var.at[var].kind != AU_VAR_SHARED || meld(g, x, at, slot));
}

/* --- looking ------------------------------------------------------------------------------------------------------- */

bool au_gaps_has_(const au_gaps *g, const au_interval *x, const uint64_t *value) {
    for (uint32_t p = 0; p < g->pack.n; p++)
        for (uint32_t i = 0; i < g->pack.at[p].n; i++)
            for (uint32_t j = 0; j < g->pack.at[p].n; j++) {
                if (!comparable(g, p, i, j))
                    continue;
                const uint32_t *var = g->pack.at[p].var;
                int64_t d = cut_to(value[var[i]] - value[var[j]], width_of(g, p, i));
                const au_interval *e = entry(g, (au_interval *)x, p, i, j);
                if (d < e->low || d > e->high)
                    return false;
            }
    return true;
}

void au_gaps_print_(const au_gaps *g, const au_interval *x, au_out *out) {
    for (uint32_t p = 0; p < g->pack.n; p++)
        for (uint32_t i = 0; i < g->pack.at[p].n; i++)
            for (uint32_t j = i + 1; j < g->pack.at[p].n; j++) {
                const au_interval *e = entry(g, (au_interval *)x, p, i, j);
                const uint32_t *var = g->pack.at[p].var;
                if (comparable(g, p, i, j) &&
                    !au_interval_same(*e, au_interval_full(width_of(g, p, i))))
                    au_out_printf(out, ", %s - %s wraps to [%lld, %lld]", g->m->var.at[var[i]].name,
                                  g->m->var.at[var[j]].name, (long long)e->low, (long long)e->high);
            }
}

unsigned au_gaps_width_(const au_gaps *g, size_t at) {
    uint32_t p = (uint32_t)g->pack.n;
    while (p-- > 0)
        if (g->first[p] <= at)
            return width_of(g, p, (uint32_t)(at - g->first[p]) / g->pack.at[p].n);
    return 64;
}
