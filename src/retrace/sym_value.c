/* retrace/sym_value.c: what instructions make of terms. */
#include "retrace/sym_priv.h"

/* One of two is unknown: what the other was is kept, the result is unknown too. */
static au_tint give_up(au_sym *s, unsigned width, au_val a, au_val b, const char *why) {
    au_sym_pin(s, a, width, why);
    au_sym_pin(s, b, width, why);
    return AU_UNKNOWN;
}
static const char unknown[] = "computed from an unknown value";

static bool any_unknown(au_val a, au_val b) {
    return a.m == AU_UNKNOWN || b.m == AU_UNKNOWN;
}

/* The divisor is not 0, and it is not the one quotient that does not fit. False: it was. */
static bool divides(au_sym *s, bool is_signed, unsigned width, au_val a, au_val b) {
    uint64_t mask = au_mask(width), low = UINT64_C(1) << (width - 1);
    if ((b.v & mask) == 0 || (is_signed && (b.v & mask) == mask && (a.v & mask) == low))
        return false;
    au_term y = au_sym_term_of(s, b, width), zero = au_term_const(s->t, width, 0);
    au_term cond = au_term_not(s->t, au_term_eq(s->t, y, zero));
    if (s->checks & AU_CHECK_DIV)
        au_sym_fact(s, AU_FACT_ASSERT, cond, "division by zero");
    else
        au_sym_fact(s, AU_FACT_PIN, cond, "division by zero is not modelled");
    if (!is_signed)
        return true;
    au_term x = au_sym_term_of(s, a, width);
    cond = au_term_and(s->t, au_term_eq(s->t, x, au_term_const(s->t, width, low)),
                       au_term_eq(s->t, y, au_term_const(s->t, width, mask)));
    au_sym_fact(s, AU_FACT_PIN, au_term_not(s->t, cond), "overflow of a division is not modelled");
    return true;
}

static bool shifts(au_sym *s, unsigned width, au_val b) {
    if ((b.v & au_mask(width)) >= width)
        return false;
    au_sym_fact(s, AU_FACT_PIN,
                au_term_make(s->t, AU_T_ULT, au_sym_term_of(s, b, width),
                             au_term_const(s->t, width, width)),
                "a shift by more than the width is not modelled");
    return true;
}

au_tint au_sym_binary(au_sym *s, au_code_op op, unsigned width, au_val a, au_val b,
                      uint64_t result) {
    static const struct {
        uint8_t op;
        const char *name;
    } ops[] = {[AU_C_ADD] = {AU_T_ADD, "add"},    [AU_C_SUB] = {AU_T_SUB, "sub"},
               [AU_C_MUL] = {AU_T_MUL, "mul"},    [AU_C_UDIV] = {AU_T_UDIV, "udiv"},
               [AU_C_SDIV] = {AU_T_SDIV, "sdiv"}, [AU_C_UREM] = {AU_T_UREM, "urem"},
               [AU_C_SREM] = {AU_T_SREM, "srem"}, [AU_C_SHL] = {AU_T_SHL, "shl"},
               [AU_C_LSHR] = {AU_T_LSHR, "lshr"}, [AU_C_ASHR] = {AU_T_ASHR, "ashr"},
               [AU_C_AND] = {AU_T_AND, "and"},    [AU_C_OR] = {AU_T_OR, "or"},
               [AU_C_XOR] = {AU_T_XOR, "xor"}};
    if (any_unknown(a, b))
        return give_up(s, width, a, b, unknown);
    if (!au_sym_is(s, a) && !au_sym_is(s, b))
        return AU_KNOWN;
    if (op >= AU_C_UDIV && op <= AU_C_SREM &&
        !divides(s, op == AU_C_SDIV || op == AU_C_SREM, width, a, b))
        return give_up(s, width, a, b, "a division that has no result");
    if (op >= AU_C_SHL && op <= AU_C_ASHR && !shifts(s, width, b))
        return give_up(s, width, a, b, "a shift that has no result");
    au_term x = au_sym_term_of(s, a, width), y = au_sym_term_of(s, b, width);
    return au_sym_result(s, au_term_make(s->t, (au_term_op)ops[op].op, x, y), result, ops[op].name);
}

au_tint au_sym_compare(au_sym *s, au_code_op op, unsigned width, au_val a, au_val b, bool result) {
    static const uint8_t ops[] = {AU_T_EQ, AU_T_EQ, AU_T_ULT, AU_T_ULE, AU_T_SLT, AU_T_SLE};
    if (any_unknown(a, b))
        return give_up(s, width, a, b, unknown);
    if (!au_sym_is(s, a) && !au_sym_is(s, b))
        return AU_KNOWN;
    au_term x = au_sym_term_of(s, a, width), y = au_sym_term_of(s, b, width);
    au_term r = au_term_make(s->t, (au_term_op)ops[op - AU_C_EQ], x, y);
    if (op == AU_C_NE)
        r = au_term_not(s->t, r);
    return au_sym_result(s, r, result, "icmp");
}

au_tint au_sym_cast(au_sym *s, au_code_op op, unsigned from, unsigned to, au_val a,
                    uint64_t result) {
    if (!au_sym_is(s, a))
        return a.m == AU_UNKNOWN ? AU_UNKNOWN : AU_KNOWN;
    au_term x = au_sym_term_of(s, a, from);
    if (op == AU_C_TRUNC)
        return au_sym_result(s, au_term_extract(s->t, x, 0, to), result, "trunc");
    if (op == AU_C_ZEXT)
        return au_sym_result(s, au_term_zext(s->t, x, to), result, "zext");
    return au_sym_result(s, au_term_sext(s->t, x, to), result, "sext");
}

au_tint au_sym_select(au_sym *s, au_val cond, unsigned width, au_val a, au_val b, uint64_t result) {
    if (cond.m == AU_UNKNOWN) {
        if (a.m == b.m && a.m != AU_UNKNOWN && (a.m != AU_KNOWN || a.v == b.v))
            return a.m;
        return give_up(s, width, a, b, "chosen by an unknown value");
    }
    if (any_unknown(a, b)) /* it stays the one that it was */
        au_sym_pin(s, cond, 1, "a choice of an unknown value");
    if (!au_sym_is(s, cond))
        return (cond.v & 1) ? a.m : b.m;
    au_term r = au_term_ite(s->t, au_sym_term_of(s, cond, 1), au_sym_term_of(s, a, width),
                            au_sym_term_of(s, b, width));
    return au_sym_result(s, r, result, "select");
}

/* Which object an address that is a term belongs to is told by the known pointer that it was
 * reckoned from. */
static void keep_base(au_sym *s, au_tint r, au_val a) {
    if (r <= AU_UNKNOWN || !(s->checks & (AU_CHECK_BOUNDS | AU_CHECK_NULL)))
        return;
    uint64_t base = a.v;
    if (au_sym_is(s, a)) {
        const uint64_t *k = au_map_find(&s->base, a.m);
        if (!k)
            return;
        base = *k;
    }
    *au_map_put(&s->base, r, NULL) = base;
}

au_tint au_sym_scale(au_sym *s, unsigned from, uint64_t scale, au_val a, au_val b,
                     uint64_t result) {
    if (any_unknown(a, b))
        return give_up(s, 64, a, b, "a partly unknown address");
    if (!au_sym_is(s, a) && !au_sym_is(s, b))
        return AU_KNOWN;
    au_term x = au_sym_term_of(s, a, 64), y = au_sym_term_of(s, b, from);
    y = au_term_make(s->t, AU_T_MUL, au_term_sext(s->t, y, 64), au_term_const(s->t, 64, scale));
    au_tint r = au_sym_result(s, au_term_make(s->t, AU_T_ADD, x, y), result, "getelementptr");
    keep_base(s, r, a);
    return r;
}

au_tint au_sym_bytes_get(au_sym *s, const au_val *slots, unsigned offset, unsigned width,
                         uint64_t result) {
    unsigned n = (width + 7) / 8;
    au_sym_byte b[8];
    bool any = false;
    for (unsigned i = 0; i < n; i++) {
        au_val v = slots[(offset + i) / 8];
        unsigned k = (offset + i) % 8;
        if (v.m > AU_UNKNOWN) { /* narrow terms: what is above them is 0 */
            au_term x = au_sym_is(s, v) ? au_sym_term_of(s, v, 64) : au_term_const(s->t, 64, v.v);
            v.m = au_sym_tint(s, x);
        }
        b[i] = (au_sym_byte){v.m, (uint8_t)k};
        any |= v.m != AU_KNOWN;
    }
    if (!any)
        return AU_KNOWN;
    au_sym_settle(s);
    return au_sym_join(s, b, n, width, result);
}

void au_sym_bytes_put(au_sym *s, au_val *slots, unsigned offset, unsigned width, au_val v) {
    unsigned n = (width + 7) / 8, first = offset / 8, last = (offset + n - 1) / 8;
    au_tint whole = v.m;
    if (au_sym_is(s, v)) {
        whole = au_sym_tint(s, au_term_zext(s->t, au_sym_term_of(s, v, width), 8 * n));
        au_sym_settle(s);
    } else if (v.m > AU_UNKNOWN) {
        whole = AU_KNOWN;
    }
    for (unsigned slot = first; slot <= last; slot++) {
        au_val *x = &slots[slot];
        au_tint old = x->m;
        if (old > AU_UNKNOWN) {
            old = au_sym_is(s, *x) ? au_sym_tint(s, au_term_zext(s->t, (au_term){x->m - 2}, 64))
                                   : (au_tint)AU_KNOWN;
            au_sym_settle(s);
        }
        if (old == AU_KNOWN && whole == AU_KNOWN) {
            x->m = AU_KNOWN;
            continue;
        }
        au_sym_byte b[8];
        for (unsigned i = 0; i < 8; i++) {
            unsigned at = 8 * slot + i;
            if (at >= offset && at < offset + n)
                b[i] = (au_sym_byte){whole, (uint8_t)(at - offset)};
            else
                b[i] = (au_sym_byte){old, (uint8_t)i};
        }
        x->m = au_sym_join(s, b, 8, 64, x->v);
    }
}
