/* scan/domain_linear.c: terms as linear expressions over unbounded integers, where nothing wraps. */
#include "scan/domain_priv.h"

__extension__ typedef __int128 wide;

static bool add_var(au_lin *l, uint32_t var, int64_t coef) {
    if (!coef)
        return true;
    for (uint32_t i = 0; i < l->n; i++)
        if (l->var[i] == var) {
            if (__builtin_add_overflow(l->coef[i], coef, &l->coef[i]))
                return false;
            if (!l->coef[i]) {
                l->n--;
                l->var[i] = l->var[l->n];
                l->coef[i] = l->coef[l->n];
            }
            return true;
        }
    if (l->n == AU_LIN_VARS)
        return false;
    l->var[l->n] = var;
    l->coef[l->n++] = coef;
    return true;
}

/* into += by * from */
static bool add(au_lin *into, const au_lin *from, int64_t by) {
    int64_t k;
    if (__builtin_mul_overflow(from->k, by, &k) || __builtin_add_overflow(into->k, k, &into->k))
        return false;
    for (uint32_t i = 0; i < from->n; i++) {
        int64_t c;
        if (__builtin_mul_overflow(from->coef[i], by, &c) || !add_var(into, from->var[i], c))
            return false;
    }
    return true;
}

bool au_lin_sub_(au_lin *into, const au_lin *from) {
    return add(into, from, -1);
}

static bool fits(wide low, wide high, unsigned width) {
    au_interval all = au_interval_full(width);
    return low >= all.low && high <= all.high;
}

/* The value of kid 0 is its own as a signed number of x's width, too. */
static bool of_kid(au_intervals *e, const au_terms *t, au_term x, au_lin *into) {
    au_term kid = au_term_kid(t, x, 0);
    au_interval v = au_intervals_of(e, kid);
    if (!fits(v.low, v.high, au_term_width(t, x)))
        return false;
    return au_lin_of_(e, t, kid, into);
}

static bool of_sum(au_intervals *e, const au_terms *t, au_term x, int64_t by, au_lin *into) {
    au_term a = au_term_kid(t, x, 0), b = au_term_kid(t, x, 1);
    au_interval p = au_intervals_of(e, a), q = au_intervals_of(e, b);
    wide low = (wide)p.low + (by > 0 ? q.low : -(wide)q.high);
    wide high = (wide)p.high + (by > 0 ? q.high : -(wide)q.low);
    au_lin l = {0}, r = {0};
    if (!fits(low, high, au_term_width(t, x)) || !au_lin_of_(e, t, a, &l) ||
        !au_lin_of_(e, t, b, &r) || !add(&l, &r, by))
        return false;
    *into = l;
    return true;
}

static bool of_product(au_intervals *e, const au_terms *t, au_term x, au_lin *into) {
    au_term a = au_term_kid(t, x, 0), b = au_term_kid(t, x, 1);
    if (au_term_is_const(t, a)) {
        au_term c = a;
        a = b;
        b = c;
    }
    if (!au_term_is_const(t, b))
        return false;
    int64_t by = au_term_signed(t, b);
    au_interval p = au_intervals_of(e, a);
    wide one = (wide)p.low * by, two = (wide)p.high * by;
    au_lin l = {0}, r = {0};
    if (!fits(one < two ? one : two, one < two ? two : one, au_term_width(t, x)) ||
        !au_lin_of_(e, t, a, &l) || !add(&r, &l, by))
        return false;
    *into = r;
    return true;
}

bool au_lin_of_(au_intervals *e, const au_terms *t, au_term x, au_lin *into) {
    unsigned w = au_term_width(t, x);
    *into = (au_lin){0};
    switch (au_term_kind(t, x)) {
    case AU_T_CONST:
        into->k = w == 1 ? (int64_t)au_term_value(t, x) : au_term_signed(t, x);
        return true;
    case AU_T_VAR:
        return add_var(into, au_term_var(t, x), 1);
    case AU_T_ADD:
        return w > 1 && of_sum(e, t, x, 1, into);
    case AU_T_SUB:
        return w > 1 && of_sum(e, t, x, -1, into);
    case AU_T_NEG: {
        au_interval p = au_intervals_of(e, au_term_kid(t, x, 0));
        au_lin l;
        return w > 1 && fits(-(wide)p.high, -(wide)p.low, w) &&
               au_lin_of_(e, t, au_term_kid(t, x, 0), &l) && add(into, &l, -1);
    }
    case AU_T_MUL:
        return w > 1 && of_product(e, t, x, into);
    case AU_T_SEXT:
        return au_term_width(t, au_term_kid(t, x, 0)) > 1 && of_kid(e, t, x, into);
    case AU_T_ZEXT:
        return au_intervals_of(e, au_term_kid(t, x, 0)).low >= 0 && of_kid(e, t, x, into);
    case AU_T_EXTRACT:
        return au_term_low(t, x) == 0 && of_kid(e, t, x, into);
    default:
        return false;
    }
}
