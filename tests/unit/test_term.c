/* Terms: simplification never changes a value, at any width. The reference
 * values are computed here from the definitions in term.h, with 128-bit numbers,
 * and share nothing with src/model. */
#include "base/rng.h"
#include "base/vec.h"
#include "model/term.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

static uint64_t cut(unsigned w, u128 v) {
    return (uint64_t)(v & ((((u128)1) << w) - 1));
}
static i128 sg(unsigned w, uint64_t v) {
    return v >> (w - 1) & 1 ? (i128)v - ((i128)1 << w) : (i128)v;
}

static uint64_t ref(au_term_op op, unsigned w, uint64_t a, uint64_t b) {
    i128 x = sg(w, a), y = sg(w, b);
    switch (op) {
    case AU_T_NOT:
        return cut(w, ~(u128)a);
    case AU_T_NEG:
        return cut(w, (u128)(-x));
    case AU_T_ADD:
        return cut(w, (u128)a + b);
    case AU_T_SUB:
        return cut(w, (u128)a - b);
    case AU_T_MUL:
        return cut(w, (u128)a * b);
    case AU_T_SDIV:
        return y == 0 ? 0 : cut(w, (u128)(x / y));
    case AU_T_SREM:
        return y == 0 ? a : cut(w, (u128)(x % y));
    case AU_T_UDIV:
        return b == 0 ? 0 : a / b;
    case AU_T_UREM:
        return b == 0 ? a : a % b;
    case AU_T_AND:
        return a & b;
    case AU_T_OR:
        return a | b;
    case AU_T_XOR:
        return a ^ b;
    case AU_T_SHL:
        return b >= w ? 0 : cut(w, (u128)a << b);
    case AU_T_LSHR:
        return b >= w ? 0 : cut(w, (u128)a >> b);
    case AU_T_ASHR:
        return cut(w, (u128)(x >> (b >= w ? w : b)));
    case AU_T_EQ:
        return a == b;
    case AU_T_ULT:
        return a < b;
    case AU_T_ULE:
        return a <= b;
    case AU_T_SLT:
        return x < y;
    case AU_T_SLE:
        return x <= y;
    default:
        fail_msg("no such operator");
        return 0;
    }
}

/* An expression with its values under several assignments, beside its term. */
#define SAMPLES 6
#define VARS 4
typedef struct {
    au_term t;
    unsigned w;
    uint64_t v[SAMPLES];
} expr;

typedef struct {
    au_terms *t;
    au_rng r;
    uint64_t value[SAMPLES][VARS * 65]; /* variable VARS * width + i */
} world;

static uint64_t edge(au_rng *r, unsigned w) {
    switch (au_rng_below(r, 8)) {
    case 0:
        return 0;
    case 1:
        return 1;
    case 2:
        return cut(w, ~(u128)0);
    case 3:
        return UINT64_C(1) << (w - 1);
    case 4:
        return (UINT64_C(1) << (w - 1)) - 1;
    case 5:
        return cut(w, au_rng_below(r, 70));
    case 6:
        return cut(w, (u128)1 << au_rng_below(r, w));
    default:
        return cut(w, au_rng_next(r));
    }
}

static void world_init(world *o, uint64_t seed) {
    o->t = au_terms_new();
    au_rng_init(&o->r, seed);
    for (unsigned s = 0; s < SAMPLES; s++)
        for (unsigned w = 1; w <= 64; w++)
            for (unsigned i = 0; i < VARS; i++)
                o->value[s][VARS * w + i] = edge(&o->r, w);
}

static expr gen(world *o, unsigned w, unsigned depth);

static expr gen_binary(world *o, unsigned w, unsigned depth) {
    expr e = {.w = w};
    au_term_op op = (au_term_op)(AU_T_ADD + au_rng_below(&o->r, AU_T_ASHR - AU_T_ADD + 1));
    unsigned from = w;
    if (w == 1 && au_rng_below(&o->r, 3)) {
        op = (au_term_op)(AU_T_EQ + au_rng_below(&o->r, AU_T_SLE - AU_T_EQ + 1));
        from = 1 + au_rng_below(&o->r, 64);
    }
    expr a = gen(o, from, depth - 1), b = gen(o, from, depth - 1);
    if (au_rng_below(&o->r, 6) == 0)
        b = a;
    e.t = au_term_make(o->t, op, a.t, b.t);
    for (unsigned s = 0; s < SAMPLES; s++)
        e.v[s] = ref(op, from, a.v[s], b.v[s]);
    return e;
}

static expr gen(world *o, unsigned w, unsigned depth) {
    expr e = {.w = w};
    unsigned pick = depth ? au_rng_below(&o->r, 12) : au_rng_below(&o->r, 3);
    if (pick == 0) {
        uint64_t c = edge(&o->r, w);
        e.t = au_term_const(o->t, w, c);
        for (unsigned s = 0; s < SAMPLES; s++)
            e.v[s] = c;
    } else if (pick < 3) {
        uint32_t var = VARS * w + au_rng_below(&o->r, VARS);
        e.t = au_term_of_var(o->t, var, w);
        for (unsigned s = 0; s < SAMPLES; s++)
            e.v[s] = o->value[s][var];
    } else if (pick == 3) {
        au_term_op op = au_rng_below(&o->r, 2) ? AU_T_NOT : AU_T_NEG;
        expr a = gen(o, w, depth - 1);
        e.t = au_term_make(o->t, op, a.t, a.t);
        for (unsigned s = 0; s < SAMPLES; s++)
            e.v[s] = ref(op, w, a.v[s], 0);
    } else if (pick == 4) {
        expr c = gen(o, 1, depth - 1), a = gen(o, w, depth - 1), b = gen(o, w, depth - 1);
        if (au_rng_below(&o->r, 4) == 0) /* so that nested ones meet */
            c.t = a.t, c = au_term_width(o->t, a.t) == 1 ? a : gen(o, 1, 0);
        e.t = au_term_ite(o->t, c.t, a.t, b.t);
        for (unsigned s = 0; s < SAMPLES; s++)
            e.v[s] = c.v[s] ? a.v[s] : b.v[s];
    } else if (pick == 5) {
        unsigned from = 1 + au_rng_below(&o->r, w);
        bool sign = au_rng_below(&o->r, 2);
        expr a = gen(o, from, depth - 1);
        e.t = sign ? au_term_sext(o->t, a.t, w) : au_term_zext(o->t, a.t, w);
        for (unsigned s = 0; s < SAMPLES; s++)
            e.v[s] = sign ? cut(w, (u128)sg(from, a.v[s])) : a.v[s];
    } else if (pick == 6) {
        unsigned from = w + au_rng_below(&o->r, 65 - w), low = au_rng_below(&o->r, from - w + 1);
        expr a = gen(o, from, depth - 1);
        e.t = au_term_extract(o->t, a.t, low, w);
        for (unsigned s = 0; s < SAMPLES; s++)
            e.v[s] = cut(w, (u128)a.v[s] >> low);
    } else if (pick == 7 && w > 1) {
        unsigned upper = 1 + au_rng_below(&o->r, w - 1);
        expr a = gen(o, upper, depth - 1), b = gen(o, w - upper, depth - 1);
        e.t = au_term_make(o->t, AU_T_CONCAT, a.t, b.t);
        for (unsigned s = 0; s < SAMPLES; s++)
            e.v[s] = cut(w, (u128)a.v[s] << (w - upper) | b.v[s]);
    } else {
        return gen_binary(o, w, depth);
    }
    return e;
}

static void check_value(const world *o, const expr *e) {
    assert_int_equal(au_term_width(o->t, e->t), e->w);
    for (unsigned s = 0; s < SAMPLES; s++) {
        uint64_t got = au_term_eval(o->t, e->t, o->value[s]);
        if (got != e->v[s])
            fail_msg("width %u: value %llx, expected %llx", e->w, (unsigned long long)got,
                     (unsigned long long)e->v[s]);
    }
}

/* A simplified term built again from its kids is itself. */
static void check_stable(au_terms *t) {
    size_t n = au_terms_count(t);
    for (uint32_t i = 0; i < n; i++) {
        au_term x = {i}, y;
        au_term k[3] = {{0}, {0}, {0}};
        for (unsigned j = 0; j < au_term_kids(t, x); j++)
            k[j] = au_term_kid(t, x, j);
        switch (au_term_kind(t, x)) {
        case AU_T_CONST:
            y = au_term_const(t, au_term_width(t, x), au_term_value(t, x));
            break;
        case AU_T_VAR:
            y = au_term_of_var(t, au_term_var(t, x), au_term_width(t, x));
            break;
        case AU_T_ITE:
            y = au_term_ite(t, k[0], k[1], k[2]);
            break;
        case AU_T_ZEXT:
            y = au_term_zext(t, k[0], au_term_width(t, x));
            break;
        case AU_T_SEXT:
            y = au_term_sext(t, k[0], au_term_width(t, x));
            break;
        case AU_T_EXTRACT:
            y = au_term_extract(t, k[0], au_term_low(t, x), au_term_width(t, x));
            break;
        default:
            y = au_term_make(t, au_term_kind(t, x), k[0], k[1]);
        }
        if (!au_term_same(x, y))
            fail_msg("operator %d of width %u is not stable", au_term_kind(t, x),
                     au_term_width(t, x));
    }
}

static void random_expressions(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        world o;
        world_init(&o, seed);
        for (unsigned w = 1; w <= 64; w++)
            for (unsigned i = 0; i < 4; i++) {
                expr e = gen(&o, w, 1 + au_rng_below(&o.r, 5));
                check_value(&o, &e);
            }
        check_stable(o.t);
        au_terms_free(o.t);
    }
}

/* Few variables and few bits, so that rules with equal operands meet often. */
static void random_narrow_expressions(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        world o;
        world_init(&o, seed * 7919);
        for (unsigned i = 0; i < 150; i++) {
            expr e = gen(&o, 1 + au_rng_below(&o.r, 4), 1 + au_rng_below(&o.r, 4));
            check_value(&o, &e);
        }
        check_stable(o.t);
        au_terms_free(o.t);
    }
}

/* Every pair of operators with every constants in every place, all values. */
static void exhaustive_pairs(void **state) {
    (void)state;
    for (unsigned w = 1; w <= 2; w++) {
        unsigned size = 1u << w;
        au_terms *t = au_terms_new();
        au_term x = au_term_of_var(t, 0, w), y = au_term_of_var(t, 1, w);
        for (int p = AU_T_NOT; p <= AU_T_ASHR; p++)
            for (int q = AU_T_NOT; q <= AU_T_SLE; q++)
                for (unsigned c = 0; c <= size; c++)
                    for (unsigned d = 0; d <= size + 1; d++)
                        for (unsigned form = 0; form < 4; form++) {
                            /* c, d past the constants are variables */
                            au_term tc = c < size ? au_term_const(t, w, c) : y;
                            au_term td = d < size ? au_term_const(t, w, d) : d == size ? y : x;
                            au_term in = form & 1 ? au_term_make(t, (au_term_op)p, tc, x)
                                                  : au_term_make(t, (au_term_op)p, x, tc);
                            au_term z = form & 2 ? au_term_make(t, (au_term_op)q, td, in)
                                                 : au_term_make(t, (au_term_op)q, in, td);
                            for (unsigned vx = 0; vx < size; vx++)
                                for (unsigned vy = 0; vy < size; vy++) {
                                    uint64_t value[2] = {vx, vy};
                                    uint64_t vc = c < size ? c : vy;
                                    uint64_t vd = d < size ? d : d == size ? vy : vx;
                                    uint64_t vi = form & 1 ? ref((au_term_op)p, w, vc, vx)
                                                           : ref((au_term_op)p, w, vx, vc);
                                    uint64_t vz = form & 2 ? ref((au_term_op)q, w, vd, vi)
                                                           : ref((au_term_op)q, w, vi, vd);
                                    if (au_term_eval(t, z, value) != vz)
                                        fail_msg("width %u, operators %d %d, %u %u, form %u", w, p,
                                                 q, c, d, form);
                                }
                        }
        check_stable(t);
        au_terms_free(t);
    }
}

static void edge_values_of_every_operator(void **state) {
    (void)state;
    for (unsigned w = 1; w <= 64; w++) {
        uint64_t top = UINT64_C(1) << (w - 1);
        uint64_t v[] = {0, 1, cut(w, 2), cut(w, ~(u128)0), top, top - 1, cut(w, w), cut(w, w - 1)};
        au_terms *t = au_terms_new();
        au_term x = au_term_of_var(t, 0, w), y = au_term_of_var(t, 1, w);
        for (int op = AU_T_NOT; op <= AU_T_SLE; op++) {
            au_term z = au_term_make(t, (au_term_op)op, x, y);
            for (size_t i = 0; i < 8; i++)
                for (size_t j = 0; j < 8; j++) {
                    uint64_t value[2] = {v[i], v[j]}, want = ref((au_term_op)op, w, v[i], v[j]);
                    au_term a = au_term_const(t, w, v[i]), b = au_term_const(t, w, v[j]);
                    assert_int_equal(au_term_eval(t, z, value), want);
                    au_term folded = au_term_make(t, (au_term_op)op, a, b);
                    assert_true(au_term_is_const(t, folded));
                    assert_int_equal(au_term_value(t, folded), want);
                    au_term right = au_term_make(t, (au_term_op)op, x, b);
                    au_term left = au_term_make(t, (au_term_op)op, a, y);
                    assert_int_equal(au_term_eval(t, right, value), want);
                    assert_int_equal(au_term_eval(t, left, value), want);
                }
        }
        check_stable(t);
        au_terms_free(t);
    }
}

static void simplifies(void **state) {
    (void)state;
    au_terms *t = au_terms_new();
    au_term x = au_term_of_var(t, 0, 32), y = au_term_of_var(t, 1, 32);
    au_term b = au_term_of_var(t, 2, 1), z = au_term_of_var(t, 3, 8);
    au_term zero = au_term_const(t, 32, 0), one = au_term_const(t, 32, 1);
#define MAKE(op, p, q) au_term_make(t, AU_T_##op, (p), (q))
#define SAME(p, q) assert_true(au_term_same((p), (q)))
    SAME(MAKE(ADD, x, y), MAKE(ADD, y, x));
    SAME(MAKE(SUB, x, x), zero);
    SAME(MAKE(ADD, MAKE(ADD, x, one), MAKE(NEG, one, one)), x);
    SAME(MAKE(SUB, MAKE(ADD, x, y), y), x);
    SAME(au_term_not(t, au_term_not(t, MAKE(SLT, x, y))), MAKE(SLT, x, y));
    SAME(au_term_not(t, MAKE(SLT, x, y)), MAKE(SLE, y, x));
    assert_true(au_term_is_true(t, au_term_eq(t, x, x)));
    assert_true(au_term_is_false(t, MAKE(ULT, x, zero)));
    SAME(MAKE(ULT, x, one), au_term_eq(t, x, zero));
    assert_true(au_term_is_true(t, MAKE(ULT, au_term_zext(t, z, 32), au_term_const(t, 32, 256))));
    assert_true(au_term_is_true(t, MAKE(SLT, au_term_sext(t, z, 32), au_term_const(t, 32, 128))));
    SAME(MAKE(ULT, au_term_zext(t, z, 32), au_term_const(t, 32, 9)),
         MAKE(ULT, z, au_term_const(t, 8, 9)));
    SAME(au_term_truth(t, au_term_zext(t, b, 32)), b);
    SAME(au_term_ite(t, b, au_term_ite(t, b, x, y), y), au_term_ite(t, b, x, y));
    SAME(au_term_ite(t, au_term_not(t, b), x, y), au_term_ite(t, b, y, x));
    SAME(au_term_truth(t, au_term_ite(t, b, one, zero)), b);
    SAME(au_term_extract(t, au_term_zext(t, z, 32), 0, 8), z);
    SAME(au_term_and(t, b, au_term_bool(t, true)), b);
    assert_true(au_term_is_false(t, au_term_and(t, b, au_term_not(t, b))));
    assert_true(au_term_is_false(t, au_term_and(t, au_term_eq(t, x, zero), au_term_eq(t, x, one))));
    SAME(au_term_eq(t, MAKE(ADD, x, one), one), au_term_eq(t, x, zero));
    /* the order of operands does not depend on what was built before */
    au_terms *u = au_terms_new();
    uint32_t number[] = {0, 1, 2, 3};
    au_term p = MAKE(MUL, x, y), q = MAKE(SDIV, x, y), r = MAKE(ADD, p, q);
    (void)au_term_import(u, t, q, number);
    au_term r2 = au_term_import(u, t, r, number);
    assert_int_equal(au_term_kind(u, au_term_kid(u, r2, 0)), au_term_kind(t, au_term_kid(t, r, 0)));
    au_terms_free(u);
    au_terms_free(t);
}

static void substitution(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        world o;
        world_init(&o, seed);
        au_term map[VARS * 65];
        uint64_t value[SAMPLES][VARS * 65];
        memcpy(value, o.value, sizeof value);
        for (unsigned v = 0; v < VARS * 65; v++) {
            map[v].n = UINT32_MAX;
            if (v < VARS || au_rng_below(&o.r, 2))
                continue;
            expr e = gen(&o, v / VARS, 2);
            map[v] = e.t;
            for (unsigned s = 0; s < SAMPLES; s++)
                value[s][v] = e.v[s];
        }
        for (unsigned i = 0; i < 50; i++) {
            expr e = gen(&o, 1 + au_rng_below(&o.r, 64), 4);
            /* only the first variables are mapped: the rest is kept */
            size_t n = VARS * (1 + au_rng_below(&o.r, 65));
            au_term r = au_term_substitute(o.t, e.t, map, n);
            for (unsigned s = 0; s < SAMPLES; s++) {
                uint64_t mixed[VARS * 65];
                memcpy(mixed, o.value[s], sizeof mixed);
                memcpy(mixed, value[s], n * sizeof *mixed);
                assert_int_equal(au_term_eval(o.t, r, o.value[s]), au_term_eval(o.t, e.t, mixed));
            }
        }
        au_terms_free(o.t);
    }
}

static void count_var(void *ctx, uint32_t var) {
    ((unsigned *)ctx)[var]++;
}

static void deep_terms(void **state) {
    (void)state;
    enum { DEPTH = 100000 };
    au_terms *t = au_terms_new();
    au_term x = au_term_of_var(t, 0, 32), y = au_term_of_var(t, 1, 32), z = x, flip = x;
    uint64_t value[2] = {3, 0x12345}, want = 3;
    for (unsigned i = 0; i < DEPTH; i++) {
        z = au_term_make(t, i % 2 ? AU_T_MUL : AU_T_XOR, z, y);
        z = au_term_make(t, AU_T_ADD, z, au_term_const(t, 32, i));
        want = (uint32_t)((i % 2 ? want * value[1] : want ^ value[1]) + i);
        flip = au_term_make(t, AU_T_ADD, au_term_not(t, flip), au_term_const(t, 32, 2));
    }
    assert_int_equal(au_term_eval(t, z, value), want);
    au_term map[1] = {au_term_const(t, 32, 3)};
    au_term w = au_term_substitute(t, z, map, 1);
    assert_int_equal(au_term_eval(t, w, value), want);
    unsigned seen[2] = {0, 0};
    au_term_each_var(t, w, count_var, seen);
    assert_int_equal(seen[0], 0);
    assert_int_equal(seen[1], 1);
    /* an equation with a constant takes such a chain apart without recursion */
    uint64_t at = au_term_eval(t, flip, value);
    assert_int_equal(au_term_eval(t, au_term_eq(t, flip, au_term_const(t, 32, at)), value), 1);
    au_terms_free(t);
}

/* As a tree this has 2^200 nodes. */
static void shared_terms(void **state) {
    (void)state;
    au_terms *t = au_terms_new();
    au_term z = au_term_of_var(t, 0, 64), one = au_term_const(t, 64, 1);
    uint64_t value[1] = {5}, want = 5;
    for (unsigned i = 0; i < 200; i++) {
        z = au_term_make(t, AU_T_MUL, z, au_term_make(t, AU_T_ADD, z, one));
        want = want * (want + 1);
    }
    assert_int_equal(au_term_eval(t, z, value), want);
    unsigned seen[1] = {0};
    au_term_each_var(t, z, count_var, seen);
    assert_int_equal(seen[0], 1);
    au_term map[1] = {au_term_const(t, 64, 5)};
    au_term c = au_term_substitute(t, z, map, 1);
    assert_true(au_term_is_const(t, c));
    assert_int_equal(au_term_value(t, c), want);
    au_terms_free(t);
}

/* x * d == c and x << d == c, x a cast of a narrow number: every value of a small width. */
static void products(void **state) {
    (void)state;
    au_terms *t = au_terms_new();
    au_term z = au_term_of_var(t, 0, 3);
    size_t simple = 0;
    for (unsigned w = 3; w <= 7; w++)
        for (unsigned kind = 0; kind < 2; kind++) {
            au_term x = kind ? au_term_sext(t, z, w) : au_term_zext(t, z, w);
            for (uint64_t d = 0; d < 1u << w; d++)
                for (uint64_t c = 0; c < 1u << w; c++)
                    for (unsigned shift = 0; shift < 2; shift++) {
                        au_term p =
                            au_term_make(t, shift ? AU_T_SHL : AU_T_MUL, x, au_term_const(t, w, d));
                        au_term e = au_term_eq(t, p, au_term_const(t, w, c));
                        for (uint64_t v = 0; v < 8; v++) {
                            uint64_t y = kind ? cut(w, (u128)sg(3, v)) : v;
                            uint64_t is = ref(shift ? AU_T_SHL : AU_T_MUL, w, y, d);
                            assert_int_equal(au_term_eval(t, e, &v), is == c);
                        }
                        simple += au_term_is_const(t, e) || (au_term_kind(t, e) == AU_T_EQ &&
                                                             au_term_same(au_term_kid(t, e, 0), z));
                    }
        }
    assert_true(simple > 20000);
    /* an index of an array of structures of 12 bytes */
    au_term i = au_term_of_var(t, 1, 32);
    au_term at = au_term_make(t, AU_T_MUL, au_term_sext(t, i, 64), au_term_const(t, 64, 12));
    assert_true(au_term_same(au_term_eq(t, at, au_term_const(t, 64, 36)),
                             au_term_eq(t, i, au_term_const(t, 32, 3))));
    assert_true(au_term_is_false(t, au_term_eq(t, at, au_term_const(t, 64, 37))));
    au_terms_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_expressions), cmocka_unit_test(random_narrow_expressions),
        cmocka_unit_test(exhaustive_pairs),   cmocka_unit_test(edge_values_of_every_operator),
        cmocka_unit_test(simplifies),         cmocka_unit_test(substitution),
        cmocka_unit_test(deep_terms),         cmocka_unit_test(shared_terms),
        cmocka_unit_test(products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
