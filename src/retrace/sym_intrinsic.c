/* retrace/sym_intrinsic.c: integer intrinsics as terms. */
#include "retrace/sym_priv.h"

static au_term number(au_sym *s, unsigned w, uint64_t v) {
    return au_term_const(s->t, w, v);
}
static au_term make(au_sym *s, au_term_op op, au_term a, au_term b) {
    return au_term_make(s->t, op, a, b);
}
static au_term is_negative(au_sym *s, unsigned w, au_term a) {
    return make(s, AU_T_SLT, a, number(s, w, 0));
}

/* The larger or smaller one, by 'less'. */
static au_term choose(au_sym *s, au_term_op less, bool larger, au_term a, au_term b) {
    au_term c = make(s, less, a, b);
    return larger ? au_term_ite(s->t, c, b, a) : au_term_ite(s->t, c, a, b);
}

/* Bit by bit: terms that are printed as trees, and that a solver unfolds, must not share much. */
static au_term bit(au_sym *s, au_term a, unsigned i) {
    return au_term_extract(s->t, a, i, 1);
}

static au_term count(au_sym *s, unsigned w, au_term a) {
    unsigned narrow = w < 8 ? w : 8; /* holds numbers up to 64 */
    au_term r = au_term_zext(s->t, bit(s, a, 0), narrow);
    for (unsigned i = 1; i < w; i++)
        r = make(s, AU_T_ADD, r, au_term_zext(s->t, bit(s, a, i), narrow));
    return au_term_zext(s->t, r, w);
}

/* How many zeros there are before the first 1 from above or below. */
static au_term zeros(au_sym *s, bool above, unsigned w, au_term a) {
    au_term r = number(s, w, w);
    for (unsigned i = 0; i < w; i++) /* the last one asked comes first */
        r = au_term_ite(s->t, bit(s, a, above ? i : w - 1 - i), number(s, w, w - 1 - i), r);
    return r;
}

static au_term swap_bytes(au_sym *s, unsigned w, au_term a) {
    au_term r = au_term_extract(s->t, a, 0, 8);
    for (unsigned i = 8; i < w; i += 8)
        r = make(s, AU_T_CONCAT, r, au_term_extract(s->t, a, i, 8));
    return r;
}

static au_term reverse_bits(au_sym *s, unsigned w, au_term a) {
    au_term r = bit(s, a, 0);
    for (unsigned i = 1; i < w; i++)
        r = make(s, AU_T_CONCAT, r, bit(s, a, i));
    return r;
}

/* The upper (FSHL) or lower w bits of a:b moved by c modulo w. Shifts by w give 0. */
static au_term funnel(au_sym *s, bool left, unsigned w, au_term a, au_term b, au_term c) {
    au_term all = number(s, w, w), k = make(s, AU_T_UREM, c, all), rest = make(s, AU_T_SUB, all, k);
    return left ? make(s, AU_T_OR, make(s, AU_T_SHL, a, k), make(s, AU_T_LSHR, b, rest))
                : make(s, AU_T_OR, make(s, AU_T_SHL, a, rest), make(s, AU_T_LSHR, b, k));
}

/* Did a + b (a - b) = r leave the signed numbers? */
static au_term overflows(au_sym *s, bool minus, unsigned w, au_term a, au_term b, au_term r) {
    au_term x = make(s, AU_T_XOR, a, r), y = make(s, AU_T_XOR, minus ? a : b, minus ? b : r);
    return is_negative(s, w, make(s, AU_T_AND, x, y));
}

static au_term saturate(au_sym *s, au_code_op op, unsigned w, au_term a, au_term b) {
    uint64_t top = UINT64_C(1) << (w - 1);
    bool minus = op == AU_C_USUB_SAT || op == AU_C_SSUB_SAT;
    au_term r = make(s, minus ? AU_T_SUB : AU_T_ADD, a, b);
    if (op == AU_C_USUB_SAT)
        return au_term_ite(s->t, make(s, AU_T_ULT, a, b), number(s, w, 0), r);
    if (op == AU_C_UADD_SAT)
        return au_term_ite(s->t, make(s, AU_T_ULT, r, a), number(s, w, UINT64_MAX), r);
    au_term end = au_term_ite(s->t, is_negative(s, w, a), number(s, w, top), number(s, w, top - 1));
    return au_term_ite(s->t, overflows(s, minus, w, a, b, r), end, r);
}

/* Can it be said? w <= 64. Numbers like w itself must fit into w bits. */
static bool is_modelled(au_code_op op, unsigned w) {
    switch (op) {
    case AU_C_SMIN:
    case AU_C_SMAX:
    case AU_C_UMIN:
    case AU_C_UMAX:
    case AU_C_ABS:
    case AU_C_USUB_SAT:
    case AU_C_UADD_SAT:
    case AU_C_SSUB_SAT:
    case AU_C_SADD_SAT:
        return true;
    case AU_C_CTPOP:
    case AU_C_CTLZ:
    case AU_C_CTTZ:
    case AU_C_FSHL:
    case AU_C_FSHR:
        return w >= 8;
    case AU_C_BITREVERSE:
        return true;
    case AU_C_BSWAP:
        return w % 8 == 0;
    default:
        return false;
    }
}

static au_term intrinsic(au_sym *s, au_code_op op, unsigned w, au_term a, au_term b, au_term c) {
    switch (op) {
    case AU_C_SMIN:
    case AU_C_SMAX:
        return choose(s, AU_T_SLT, op == AU_C_SMAX, a, b);
    case AU_C_UMIN:
    case AU_C_UMAX:
        return choose(s, AU_T_ULT, op == AU_C_UMAX, a, b);
    case AU_C_ABS:
        return au_term_ite(s->t, is_negative(s, w, a), make(s, AU_T_NEG, a, a), a);
    case AU_C_CTPOP:
        return count(s, w, a);
    case AU_C_CTLZ:
        return zeros(s, true, w, a);
    case AU_C_CTTZ:
        return zeros(s, false, w, a);
    case AU_C_BSWAP:
        return swap_bytes(s, w, a);
    case AU_C_BITREVERSE:
        return reverse_bits(s, w, a);
    case AU_C_FSHL:
    case AU_C_FSHR:
        return funnel(s, op == AU_C_FSHL, w, a, b, c);
    default:
        return saturate(s, op, w, a, b);
    }
}

static bool has_two(au_code_op op) {
    return op != AU_C_ABS && op != AU_C_CTPOP && op != AU_C_CTLZ && op != AU_C_CTTZ &&
           op != AU_C_BSWAP && op != AU_C_BITREVERSE;
}

au_tint au_sym_intrinsic(au_sym *s, au_code_op op, unsigned width, au_val a, au_val b, au_val c,
                         uint64_t result) {
    bool two = has_two(op), three = op == AU_C_FSHL || op == AU_C_FSHR;
    if (!two)
        b = au_sym_known(0);
    if (!three)
        c = au_sym_known(0);
    bool unknown = a.m == AU_UNKNOWN || b.m == AU_UNKNOWN || c.m == AU_UNKNOWN;
    if (!unknown && !au_sym_is(s, a) && !au_sym_is(s, b) && !au_sym_is(s, c))
        return AU_KNOWN;
    if (unknown || !is_modelled(op, width)) {
        const char *why = unknown ? "computed from an unknown value" : "an intrinsic";
        au_sym_pin(s, a, width, why);
        au_sym_pin(s, b, width, why);
        au_sym_pin(s, c, width, why);
        return unknown ? AU_UNKNOWN : AU_KNOWN;
    }
    au_term x = au_sym_term_of(s, a, width);
    if ((op == AU_C_CTLZ || op == AU_C_CTTZ) && (a.v & au_mask(width)) != 0)
        au_sym_fact(s, AU_FACT_PIN, au_term_not(s->t, au_term_eq(s->t, x, number(s, width, 0))),
                    "counting the zeros of 0 is not modelled");
    au_term r =
        intrinsic(s, op, width, x, au_sym_term_of(s, b, width), au_sym_term_of(s, c, width));
    return au_sym_result(s, r, result, "an intrinsic");
}

/* x * c leaves the range: x is outside of [least / c, most / c]. */
static au_term product_leaves(au_sym *s, bool is_signed, unsigned w, au_term x, uint64_t c) {
    uint64_t mask = au_mask(w);
    c &= mask;
    if (c == 0)
        return au_term_bool(s->t, false);
    if (!is_signed)
        return make(s, AU_T_ULT, number(s, w, mask / c), x);
    int64_t k = au_signed(c, w), most = (int64_t)(mask >> 1), least = -most - 1;
    if (k == -1)
        return au_term_eq(s->t, x, number(s, w, (uint64_t)least));
    int64_t low = k > 0 ? least / k : most / k, high = k > 0 ? most / k : least / k;
    return au_term_or(s->t, make(s, AU_T_SLT, x, number(s, w, (uint64_t)low)),
                      make(s, AU_T_SLT, number(s, w, (uint64_t)high), x));
}

au_tint au_sym_overflow(au_sym *s, au_code_op op, bool is_signed, unsigned width, au_val a,
                        au_val b, bool result) {
    bool unknown = a.m == AU_UNKNOWN || b.m == AU_UNKNOWN, is_a = au_sym_is(s, a),
         is_b = au_sym_is(s, b);
    if (!unknown && !is_a && !is_b)
        return AU_KNOWN;
    if (unknown || (op == AU_C_MUL && is_a && is_b && width > 32)) {
        const char *why =
            unknown ? "computed from an unknown value" : "the overflow of a wide product";
        au_sym_pin(s, a, width, why);
        au_sym_pin(s, b, width, why);
        return unknown ? AU_UNKNOWN : AU_KNOWN;
    }
    au_term x = au_sym_term_of(s, a, width), y = au_sym_term_of(s, b, width), r;
    if (op == AU_C_MUL && is_a && is_b) {
        unsigned w = 2 * width;
        au_term p = is_signed
                        ? make(s, AU_T_MUL, au_term_sext(s->t, x, w), au_term_sext(s->t, y, w))
                        : make(s, AU_T_MUL, au_term_zext(s->t, x, w), au_term_zext(s->t, y, w));
        au_term low = au_term_extract(s->t, p, 0, width);
        low = is_signed ? au_term_sext(s->t, low, w) : au_term_zext(s->t, low, w);
        r = au_term_not(s->t, au_term_eq(s->t, p, low));
    } else if (op == AU_C_MUL) {
        r = product_leaves(s, is_signed, width, is_a ? x : y, is_a ? b.v : a.v);
    } else if (is_signed) {
        au_term sum = make(s, op == AU_C_SUB ? AU_T_SUB : AU_T_ADD, x, y);
        r = overflows(s, op == AU_C_SUB, width, x, y, sum);
    } else {
        r = op == AU_C_SUB ? make(s, AU_T_ULT, x, y)
                           : make(s, AU_T_ULT, make(s, AU_T_ADD, x, y), x);
    }
    return au_sym_result(s, r, result, "an overflow");
}
