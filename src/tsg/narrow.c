/* tsg/narrow.c: intervals of terms, backwards: what a condition says about variables.
 *
 * Each rule keeps every value for which the condition can hold; where none fits, nothing is
 * narrowed. */
#include "tsg/interval_priv.h"

enum { DEPTH = 64 }; /* deeper terms are left as they are */

typedef struct {
    au_intervals *e;
    au_interval *by_var;
    const uint8_t *width;
} narrower;

static bool narrow(narrower *n, au_term x, au_bits want, unsigned depth);

static bool of_var(narrower *n, au_term x, au_bits want) {
    uint32_t v = au_term_var(n->e->t, x);
    unsigned w = n->width[v];
    au_bits now = au_bits_of_(n->by_var[v], w);
    if (!au_bits_meet_(&now, want, w))
        return false;
    n->by_var[v] = au_bits_interval_(now, w);
    return true;
}

static bool inside(au_wide low, au_wide high, unsigned w) {
    return low >= au_bits_min_(w) && high <= au_bits_max_(w);
}

/* a + b or a - b is in 'want', and neither wraps (as signed numbers, as unsigned ones). */
static bool of_sum(narrower *n, au_term x, au_bits want, bool minus, unsigned depth) {
    const au_terms *t = n->e->t;
    unsigned w = au_term_width(t, x);
    au_term ka = au_term_kid(t, x, 0), kb = au_term_kid(t, x, 1);
    au_bits a = au_intervals_bits_(n->e, ka), b = au_intervals_bits_(n->e, kb);
    au_wide blo = minus ? -(au_wide)b.shi : b.slo, bhi = minus ? -(au_wide)b.slo : b.shi;
    if (!inside(a.slo + blo, a.shi + bhi, w))
        return true;
    au_wide alo = want.slo - bhi, ahi = want.shi - blo; /* of a */
    au_bits na = a, nb = b;
    na.slo = alo > na.slo ? (int64_t)(alo > INT64_MAX ? INT64_MAX : alo) : na.slo;
    na.shi = ahi < na.shi ? (int64_t)(ahi < INT64_MIN ? INT64_MIN : ahi) : na.shi;
    au_wide lo = minus ? (au_wide)a.slo - want.shi : (au_wide)want.slo - a.shi;
    au_wide hi = minus ? (au_wide)a.shi - want.slo : (au_wide)want.shi - a.slo;
    nb.slo = lo > nb.slo ? (int64_t)(lo > INT64_MAX ? INT64_MAX : lo) : nb.slo;
    nb.shi = hi < nb.shi ? (int64_t)(hi < INT64_MIN ? INT64_MIN : hi) : nb.shi;
    return narrow(n, ka, na, depth) && narrow(n, kb, nb, depth);
}

static au_bits yes(bool v) {
    return au_bits_of_((au_interval){v, v}, 1);
}

static bool known(narrower *n, au_term x, bool v) {
    return au_intervals_truth(n->e, x) == (v ? AU_TRUTH_TRUE : AU_TRUTH_FALSE);
}

/* and (all) or or (!all) of truth values is v. */
static bool of_both(narrower *n, au_term x, bool all, bool v, unsigned depth) {
    au_term a = au_term_kid(n->e->t, x, 0), b = au_term_kid(n->e->t, x, 1);
    if (v == all)
        return narrow(n, a, yes(v), depth) && narrow(n, b, yes(v), depth);
    if (known(n, a, all))
        return narrow(n, b, yes(v), depth);
    return !known(n, b, all) || narrow(n, a, yes(v), depth);
}

/* Two values that differ: one of which is known takes it away from the ends of the other. */
static au_bits without(au_bits a, au_bits b) {
    if (b.ulo != b.uhi)
        return a;
    if (a.ulo == b.ulo && a.ulo < a.uhi)
        a.ulo++;
    else if (a.uhi == b.ulo && a.ulo < a.uhi)
        a.uhi--;
    if (a.slo == b.slo && a.slo < a.shi)
        a.slo++;
    else if (a.shi == b.slo && a.slo < a.shi)
        a.shi--;
    return a;
}

static bool of_equal(narrower *n, au_term a, au_term b, bool v, unsigned depth) {
    au_bits x = au_intervals_bits_(n->e, a), y = au_intervals_bits_(n->e, b);
    if (v)
        return narrow(n, a, y, depth) && narrow(n, b, x, depth);
    return narrow(n, a, without(x, y), depth) && narrow(n, b, without(y, x), depth);
}

/* a < b (strict) or a <= b. */
static bool of_less(narrower *n, au_term a, au_term b, bool is_signed, bool strict,
                    unsigned depth) {
    unsigned w = au_term_width(n->e->t, a);
    au_bits x = au_intervals_bits_(n->e, a), y = au_intervals_bits_(n->e, b);
    if (is_signed) {
        if (strict && (y.shi == au_bits_min_(w) || x.slo == au_bits_max_(w)))
            return false;
        int64_t most = y.shi - strict, least = x.slo + strict;
        x.shi = most < x.shi ? most : x.shi;
        y.slo = least > y.slo ? least : y.slo;
    } else {
        if (strict && (!y.uhi || x.ulo == au_mask(w)))
            return false;
        uint64_t most = y.uhi - strict, least = x.ulo + strict;
        x.uhi = most < x.uhi ? most : x.uhi;
        y.ulo = least > y.ulo ? least : y.ulo;
    }
    return narrow(n, a, x, depth) && narrow(n, b, y, depth);
}

static bool of_comparison(narrower *n, au_term x, bool v, unsigned depth) {
    const au_terms *t = n->e->t;
    au_term a = au_term_kid(t, x, 0), b = au_term_kid(t, x, 1);
    switch (au_term_kind(t, x)) {
    case AU_T_EQ:
        return of_equal(n, a, b, v, depth);
    case AU_T_ULT:
        return v ? of_less(n, a, b, false, true, depth) : of_less(n, b, a, false, false, depth);
    case AU_T_ULE:
        return v ? of_less(n, a, b, false, false, depth) : of_less(n, b, a, false, true, depth);
    case AU_T_SLT:
        return v ? of_less(n, a, b, true, true, depth) : of_less(n, b, a, true, false, depth);
    default:
        return v ? of_less(n, a, b, true, false, depth) : of_less(n, b, a, true, true, depth);
    }
}

static bool of_choice(narrower *n, au_term x, au_bits want, unsigned depth) {
    const au_terms *t = n->e->t;
    unsigned w = au_term_width(t, x);
    au_term c = au_term_kid(t, x, 0);
    bool can[2];
    for (unsigned i = 0; i < 2; i++) {
        au_bits k = au_intervals_bits_(n->e, au_term_kid(t, x, 2 - i)); /* 0: else */
        can[i] = au_bits_meet_(&k, want, w) && !known(n, c, !i);
    }
    if (!can[0] && !can[1])
        return false;
    if (can[0] && can[1])
        return true;
    return narrow(n, c, yes(can[1]), depth) &&
           narrow(n, au_term_kid(t, x, can[1] ? 1 : 2), want, depth);
}

static bool of_kid(narrower *n, au_term x, au_bits want, unsigned depth) {
    const au_terms *t = n->e->t;
    au_term k = au_term_kid(t, x, 0);
    unsigned from = au_term_width(t, k);
    au_bits f = au_bits_full_(from);
    switch (au_term_kind(t, x)) {
    case AU_T_NOT: {
        unsigned w = au_term_width(t, x);
        f = au_bits_signed_(-(au_wide)want.shi - 1, -(au_wide)want.slo - 1, w);
        if (!au_bits_meet_(&f, au_bits_unsigned_(au_mask(w) - want.uhi, au_mask(w) - want.ulo, w),
                           w))
            return false;
        break;
    }
    case AU_T_ZEXT:
        if (want.ulo > f.uhi)
            return false;
        f.ulo = want.ulo;
        f.uhi = want.uhi < f.uhi ? want.uhi : f.uhi;
        break;
    default: /* SEXT */
        if (want.slo > f.shi || want.shi < f.slo)
            return false;
        f.slo = want.slo > f.slo ? want.slo : f.slo;
        f.shi = want.shi < f.shi ? want.shi : f.shi;
        break;
    }
    return narrow(n, k, f, depth);
}

static bool narrow(narrower *n, au_term x, au_bits want, unsigned depth) {
    const au_terms *t = n->e->t;
    unsigned w = au_term_width(t, x);
    au_bits now = au_intervals_bits_(n->e, x);
    if (!au_bits_meet_(&now, want, w))
        return false;
    if (depth++ > DEPTH)
        return true;
    bool decided = w == 1 && now.ulo == now.uhi;
    switch (au_term_kind(t, x)) {
    case AU_T_VAR:
        return of_var(n, x, now);
    case AU_T_ADD:
    case AU_T_SUB:
        return w == 1 || of_sum(n, x, now, au_term_kind(t, x) == AU_T_SUB, depth);
    case AU_T_AND:
    case AU_T_OR:
        return !decided || of_both(n, x, au_term_kind(t, x) == AU_T_AND, now.ulo, depth);
    case AU_T_EQ:
    case AU_T_ULT:
    case AU_T_ULE:
    case AU_T_SLT:
    case AU_T_SLE:
        return !decided || of_comparison(n, x, now.ulo, depth);
    case AU_T_ITE:
        return of_choice(n, x, now, depth);
    case AU_T_NOT:
    case AU_T_ZEXT:
    case AU_T_SEXT:
        return of_kid(n, x, now, depth);
    default:
        return true;
    }
}

bool au_intervals_assume(au_intervals *e, au_term cond, bool value, au_interval *by_var,
                         const uint8_t *width) {
    narrower n = {e, by_var, width};
    for (int round = 0; round < 2; round++) { /* the second sees what the first narrowed */
        au_intervals_over(e, by_var);
        au_truth now = au_intervals_truth(e, cond);
        if (now == (value ? AU_TRUTH_FALSE : AU_TRUTH_TRUE))
            return false;
        if (now != AU_TRUTH_EITHER)
            return true;
        if (!narrow(&n, cond, yes(value), 0))
            return false;
    }
    au_intervals_over(e, by_var);
    return true;
}
