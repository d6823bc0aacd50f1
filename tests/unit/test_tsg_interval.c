/* Intervals of terms: known cases, and random terms of all operations and widths, forwards and
 * backwards, against values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "tsg/interval.h"

#include <string.h>

enum { VARS = 4 };

typedef struct {
    au_terms *t;
    au_intervals *e;
    au_interval by_var[VARS];
    uint8_t width[VARS];
} box;

static void box_init(box *b, unsigned width) {
    b->t = au_terms_new();
    b->e = au_intervals_new(b->t);
    for (int i = 0; i < VARS; i++) {
        b->width[i] = (uint8_t)width;
        b->by_var[i] = au_interval_full(width);
    }
}

static void box_release(box *b) {
    au_intervals_free(b->e);
    au_terms_free(b->t);
}

static au_term var(box *b, uint32_t i) {
    return au_term_of_var(b->t, i, b->width[i]);
}
static au_term num(box *b, uint64_t v) {
    return au_term_const(b->t, b->width[0], v);
}

static void is(box *b, au_term x, int64_t low, int64_t high) {
    au_intervals_over(b->e, b->by_var);
    au_interval v = au_intervals_of(b->e, x);
    assert_int_equal(v.low, low);
    assert_int_equal(v.high, high);
}

static void test_known(void **state) {
    (void)state;
    box b;
    box_init(&b, 32);
    b.by_var[0] = (au_interval){1, 10};
    b.by_var[1] = (au_interval){-3, 2};
    is(&b, au_term_make(b.t, AU_T_ADD, var(&b, 0), var(&b, 1)), -2, 12);
    is(&b, au_term_make(b.t, AU_T_SUB, var(&b, 0), var(&b, 1)), -1, 13);
    is(&b, au_term_make(b.t, AU_T_MUL, var(&b, 0), var(&b, 1)), -30, 20);
    is(&b, au_term_make(b.t, AU_T_SDIV, var(&b, 0), num(&b, 3)), 0, 3);
    is(&b, au_term_make(b.t, AU_T_SREM, var(&b, 1), num(&b, 3)), -2, 2);
    is(&b, au_term_make(b.t, AU_T_AND, var(&b, 0), num(&b, 6)), 0, 6);
    is(&b, au_term_make(b.t, AU_T_SHL, var(&b, 0), num(&b, 2)), 4, 40);
    is(&b, au_term_make(b.t, AU_T_NEG, var(&b, 1), var(&b, 1)), -2, 3);
    is(&b, au_term_extract(b.t, var(&b, 0), 0, 8), 1, 10);
    /* wraps as a whole: still an interval; in part: anything */
    b.by_var[2] = (au_interval){INT32_MAX - 1, INT32_MAX};
    is(&b, au_term_make(b.t, AU_T_ADD, var(&b, 2), num(&b, 2)), INT32_MIN, INT32_MIN + 1);
    is(&b, au_term_make(b.t, AU_T_ADD, var(&b, 2), num(&b, 1)), INT32_MIN, INT32_MAX);
    box_release(&b);
}

static void test_assume(void **state) {
    (void)state;
    box b;
    box_init(&b, 32);
    b.by_var[0] = (au_interval){-5, 20};
    au_term less = au_term_make(b.t, AU_T_SLT, au_term_make(b.t, AU_T_ADD, var(&b, 0), num(&b, 1)),
                                num(&b, 4));
    assert_true(au_intervals_assume(b.e, less, true, b.by_var, b.width));
    assert_int_equal(b.by_var[0].high, 2);
    assert_true(au_intervals_assume(b.e, au_term_eq(b.t, var(&b, 0), num(&b, 2)), false, b.by_var,
                                    b.width));
    assert_int_equal(b.by_var[0].high, 1);
    b.by_var[1] = (au_interval){0, 100};
    assert_true(
        au_intervals_assume(b.e, au_term_eq(b.t, var(&b, 0), var(&b, 1)), true, b.by_var, b.width));
    assert_int_equal(b.by_var[0].low, 0);
    assert_int_equal(b.by_var[1].high, 1);
    assert_false(
        au_intervals_assume(b.e, au_term_eq(b.t, var(&b, 0), num(&b, 7)), true, b.by_var, b.width));
    box_release(&b);
}

static void test_bits(void **state) {
    (void)state;
    assert_int_equal(au_interval_bits((au_interval){3, 3}), 0);
    assert_int_equal(au_interval_bits((au_interval){0, 1}), 1);
    assert_int_equal(au_interval_bits((au_interval){0, 2}), 2);
    assert_int_equal(au_interval_bits((au_interval){-4, 3}), 3);
    assert_int_equal(au_interval_bits((au_interval){INT64_MIN, INT64_MAX}), 64);
}

/* --- random --------------------------------------------------------------------------------- */

/* Any term of this width over the variables. */
static au_term any(box *b, au_rng *r, unsigned w, unsigned depth) {
    if (!depth || au_rng_below(r, 5) == 0) {
        for (uint32_t i = 0, k = au_rng_below(r, VARS); i < VARS; i++, k = (k + 1) % VARS)
            if (b->width[k] == w && au_rng_below(r, 4))
                return var(b, k);
        uint64_t v = au_rng_next(r);
        return au_term_const(b->t, w,
                             au_rng_below(r, 2)   ? v & 7
                             : au_rng_below(r, 2) ? -(v & 7)
                                                  : v);
    }
    depth--;
    if (w == 1 && au_rng_below(r, 3)) {
        static const unsigned widths[] = {1, 3, 8, 32, 64};
        unsigned k = widths[au_rng_below(r, 5)];
        au_term_op op = (au_term_op)(AU_T_EQ + au_rng_below(r, 5));
        return au_term_make(b->t, op, any(b, r, k, depth), any(b, r, k, depth));
    }
    switch (au_rng_below(r, 24)) {
    case 0:
        return au_term_ite(b->t, any(b, r, 1, depth), any(b, r, w, depth), any(b, r, w, depth));
    case 1:
        if (w > 3)
            return au_term_zext(b->t, any(b, r, w > 8 ? 8 : 3, depth), w);
        break;
    case 2:
        if (w > 3)
            return au_term_sext(b->t, any(b, r, w > 8 ? 8 : 3, depth), w);
        break;
    case 3:
        if (w <= 32)
            return au_term_extract(b->t, any(b, r, 64, depth), au_rng_below(r, 32), w);
        break;
    case 4:
        if (w == 8)
            return au_term_make(b->t, AU_T_CONCAT, any(b, r, 3, depth),
                                au_term_extract(b->t, any(b, r, 8, depth), 1, 5));
        break;
    case 5:
        return au_term_make(b->t, AU_T_NOT, any(b, r, w, depth), num(b, 0));
    case 6:
        return au_term_make(b->t, AU_T_NEG, any(b, r, w, depth), num(b, 0));
    default:
        break;
    }
    au_term_op op = (au_term_op)(AU_T_ADD + au_rng_below(r, AU_T_ASHR - AU_T_ADD + 1));
    return au_term_make(b->t, op, any(b, r, w, depth), any(b, r, w, depth));
}

static uint64_t pick(au_rng *r, au_interval v, unsigned w) {
    uint64_t span = (uint64_t)v.high - (uint64_t)v.low;
    uint64_t at = au_rng_below(r, 3) == 0   ? 0
                  : au_rng_below(r, 3) == 0 ? span
                  : span == UINT64_MAX      ? au_rng_next(r)
                                            : au_rng_next(r) % (span + 1);
    uint64_t x = (uint64_t)v.low + at;
    return w >= 64 ? x : x & ((UINT64_C(1) << w) - 1);
}

static void random_box(box *b, au_rng *r) {
    static const uint8_t widths[VARS] = {1, 8, 32, 64};
    for (int i = 0; i < VARS; i++) {
        uint8_t w = b->width[i] = widths[i];
        uint64_t x = pick(r, au_interval_full(w), w), y = pick(r, au_interval_full(w), w);
        if (au_rng_below(r, 2)) {
            x &= 15;
            y = x + au_rng_below(r, 4);
        }
        au_interval p = au_interval_value(x, w), q = au_interval_value(y, w);
        b->by_var[i] = au_interval_join(p, q);
    }
}

static bool contains(au_interval v, uint64_t bits, unsigned w) {
    int64_t x = au_interval_value(bits, w).low;
    return v.low <= x && x <= v.high;
}

static void test_random(void **state) {
    (void)state;
    uint64_t narrowed = 0;
    for (uint64_t seed = 0; seed < 30000; seed++) {
        static const unsigned widths[] = {1, 3, 8, 32, 64};
        au_rng r;
        au_rng_init(&r, seed);
        box b;
        box_init(&b, 32);
        random_box(&b, &r);
        unsigned w = widths[au_rng_below(&r, 5)];
        au_term x = any(&b, &r, w, 1 + au_rng_below(&r, 4)), c = any(&b, &r, 1, 3);
        au_interval after[VARS];
        bool want = au_rng_below(&r, 2);
        memcpy(after, b.by_var, sizeof after);
        bool can = au_intervals_assume(b.e, c, want, after, b.width);
        for (int i = 0; can && i < VARS; i++)
            narrowed += !au_interval_same(after[i], b.by_var[i]);
        au_intervals_over(b.e, b.by_var);
        au_interval of_x = au_intervals_of(b.e, x);
        for (int k = 0; k < 20; k++) {
            uint64_t value[VARS];
            for (int i = 0; i < VARS; i++)
                value[i] = pick(&r, b.by_var[i], b.width[i]);
            if (!contains(of_x, au_term_eval(b.t, x, value), w))
                fail_msg("seed %llu: a value outside its interval", (unsigned long long)seed);
            if (au_term_eval(b.t, c, value) != want)
                continue;
            bool in = can;
            for (int i = 0; i < VARS && in; i++)
                in = contains(after[i], value[i], b.width[i]);
            if (!in)
                fail_msg("seed %llu: narrowed too much", (unsigned long long)seed);
        }
        box_release(&b);
    }
    if (narrowed < 500)
        fail_msg("narrowed only %llu times", (unsigned long long)narrowed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_assume),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
