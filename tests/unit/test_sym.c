/* retrace/sym.h: every operation on terms against the same operation on numbers, under the
 * run's values of the reads and under others; and the facts that go with them. */
#include "sym_world.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

typedef struct {
    both at[40];
    unsigned n;
} row;

/* ---- numbers ------------------------------------------------------------------------------ */

/* False: LLVM gives no result. */
static bool number(au_code_op op, unsigned w, uint64_t a, uint64_t b, uint64_t *r) {
    int64_t x = sgn(w, a), y = sgn(w, b);
    bool lowest = x == sgn(w, UINT64_C(1) << (w - 1));
    switch (op) {
    case AU_C_ADD:
        *r = a + b;
        break;
    case AU_C_SUB:
        *r = a - b;
        break;
    case AU_C_MUL:
        *r = a * b;
        break;
    case AU_C_UDIV:
        if (!b)
            return false;
        *r = a / b;
        break;
    case AU_C_UREM:
        if (!b)
            return false;
        *r = a % b;
        break;
    case AU_C_SDIV:
        if (!b || (y == -1 && lowest))
            return false;
        *r = (uint64_t)(x / y);
        break;
    case AU_C_SREM:
        if (!b || (y == -1 && lowest))
            return false;
        *r = (uint64_t)(x % y);
        break;
    case AU_C_SHL:
        if (b >= w)
            return false;
        *r = a << b;
        break;
    case AU_C_LSHR:
        if (b >= w)
            return false;
        *r = a >> b;
        break;
    case AU_C_ASHR:
        if (b >= w)
            return false;
        *r = (uint64_t)(x >> b);
        break;
    case AU_C_AND:
        *r = a & b;
        break;
    case AU_C_OR:
        *r = a | b;
        break;
    case AU_C_XOR:
        *r = a ^ b;
        break;
    case AU_C_EQ:
        *r = a == b;
        break;
    case AU_C_NE:
        *r = a != b;
        break;
    case AU_C_ULT:
        *r = a < b;
        break;
    case AU_C_ULE:
        *r = a <= b;
        break;
    case AU_C_SLT:
        *r = x < y;
        break;
    case AU_C_SLE:
        *r = x <= y;
        break;
    default:
        fail_msg("no such operation");
    }
    *r = cut(op >= AU_C_EQ && op <= AU_C_SLE ? 1 : w, *r);
    return true;
}

static uint64_t clamp(unsigned w, bool is_signed, i128 v) {
    i128 low = is_signed ? -((i128)1 << (w - 1)) : 0;
    i128 high = is_signed ? ((i128)1 << (w - 1)) - 1 : ((i128)1 << w) - 1;
    return cut(w, (uint64_t)(v < low ? low : v > high ? high : v));
}

static bool intrinsic_number(au_code_op op, unsigned w, uint64_t a, uint64_t b, uint64_t c,
                             bool poison, uint64_t *r) {
    int64_t x = sgn(w, a), y = sgn(w, b);
    *r = 0;
    switch (op) {
    case AU_C_SMIN:
        *r = x < y ? a : b;
        break;
    case AU_C_SMAX:
        *r = x > y ? a : b;
        break;
    case AU_C_UMIN:
        *r = a < b ? a : b;
        break;
    case AU_C_UMAX:
        *r = a > b ? a : b;
        break;
    case AU_C_ABS:
        *r = x < 0 ? 0 - a : a;
        break;
    case AU_C_CTPOP:
        *r = (uint64_t)__builtin_popcountll(a);
        break;
    case AU_C_CTLZ:
        if (poison && !a)
            return false;
        *r = w;
        for (unsigned i = 0; i < w; i++)
            if (a >> i & 1)
                *r = w - 1 - i;
        break;
    case AU_C_CTTZ:
        if (poison && !a)
            return false;
        *r = a ? (uint64_t)__builtin_ctzll(a) : w;
        break;
    case AU_C_BSWAP:
        for (unsigned i = 0; i < w; i += 8)
            *r |= (a >> i & 255) << (w - 8 - i);
        break;
    case AU_C_BITREVERSE:
        for (unsigned i = 0; i < w; i++)
            *r |= (a >> i & 1) << (w - 1 - i);
        break;
    case AU_C_FSHL:
    case AU_C_FSHR: {
        u128 all = (u128)a << w | b;
        unsigned k = (unsigned)(c % w);
        *r = op == AU_C_FSHL ? (uint64_t)(all << k >> w) : (uint64_t)(all >> k);
        break;
    }
    case AU_C_USUB_SAT:
        *r = clamp(w, false, (i128)a - b);
        break;
    case AU_C_UADD_SAT:
        *r = clamp(w, false, (i128)a + b);
        break;
    case AU_C_SSUB_SAT:
        *r = clamp(w, true, (i128)x - y);
        break;
    case AU_C_SADD_SAT:
        *r = clamp(w, true, (i128)x + y);
        break;
    default:
        fail_msg("no such operation");
    }
    *r = cut(w, *r);
    return true;
}

static bool overflow_number(au_code_op op, bool is_signed, unsigned w, uint64_t a, uint64_t b) {
    i128 x = is_signed ? sgn(w, a) : (i128)a, y = is_signed ? sgn(w, b) : (i128)b;
    if (op == AU_C_MUL && !is_signed)
        return (u128)a * b >> w != 0;
    i128 r = op == AU_C_ADD ? x + y : op == AU_C_SUB ? x - y : x * y;
    i128 low = is_signed ? -((i128)1 << (w - 1)) : 0;
    i128 high = is_signed ? ((i128)1 << (w - 1)) - 1 : ((i128)1 << w) - 1;
    return r < low || r > high;
}

/* ---- one random operation --------------------------------------------------------------------- */

static both *pick(world *w, row *r, unsigned width) {
    for (unsigned tries = 0; tries < 60; tries++) {
        both *b = &r->at[au_rng_below(&w->rng, r->n)];
        if (b->width == width)
            return b;
    }
    return NULL;
}

/* Makes one of this width out of whatever there is. */
static both get(world *w, row *r, unsigned width) {
    both *b = au_rng_below(&w->rng, 5) ? pick(w, r, width) : NULL;
    if (b)
        return *b;
    if (au_rng_below(&w->rng, 2))
        return constant(width, some_bits(w));
    both a = r->at[au_rng_below(&w->rng, r->n)], c = {.width = width};
    bool sign = au_rng_below(&w->rng, 2);
    au_code_op op = width < a.width ? AU_C_TRUNC : sign ? AU_C_SEXT : AU_C_ZEXT;
    if (width == a.width)
        return a;
    for (int k = 0; k < ALTS; k++)
        c.alt[k] = cut(width, op == AU_C_SEXT ? (uint64_t)sgn(a.width, a.alt[k]) : a.alt[k]);
    c.v.v = c.alt[0];
    c.v.m = au_sym_cast(w->s, op, a.width, width, a.v, c.v.v);
    check_both(w, &c);
    return c;
}

static void add(world *w, row *r, const both *b) {
    check_right(w);
    check_both(w, b);
    unsigned at = r->n < 40 ? r->n++ : au_rng_below(&w->rng, 40);
    r->at[at] = *b;
}

static void random_operation(world *w, row *r) {
    static const unsigned widths[] = {1, 3, 8, 13, 16, 24, 31, 32, 33, 48, 63, 64};
    unsigned width = widths[au_rng_below(&w->rng, 12)];
    both a = get(w, r, width), b = get(w, r, width), c = get(w, r, width), x = {.width = width};
    bool fine[ALTS];
    bool known = a.v.m == AU_KNOWN && b.v.m == AU_KNOWN;
    switch (au_rng_below(&w->rng, 8)) {
    case 0:
    case 1:
    case 2: {
        au_code_op op = (au_code_op)au_rng_below(&w->rng, AU_C_XOR + 1);
        for (int k = 0; k < ALTS; k++)
            fine[k] = number(op, width, a.alt[k], b.alt[k], &x.alt[k]);
        if (!fine[0] || known)
            return;
        x.v.v = x.alt[0];
        x.v.m = au_sym_binary(w->s, op, width, a.v, b.v, x.v.v);
        for (int k = 0; k < ALTS; k++)
            w->bad[k] |= !fine[k];
        break;
    }
    case 3: {
        au_code_op op = (au_code_op)(AU_C_EQ + au_rng_below(&w->rng, 6));
        x.width = 1;
        for (int k = 0; k < ALTS; k++)
            number(op, width, a.alt[k], b.alt[k], &x.alt[k]);
        x.v.v = x.alt[0];
        x.v.m = au_sym_compare(w->s, op, width, a.v, b.v, x.v.v);
        break;
    }
    case 4: {
        both q = get(w, r, 1);
        for (int k = 0; k < ALTS; k++)
            x.alt[k] = q.alt[k] ? a.alt[k] : b.alt[k];
        x.v.v = x.alt[0];
        x.v.m = au_sym_select(w->s, q.v, width, a.v, b.v, x.v.v);
        if (x.v.m == a.v.m && !q.v.m)
            return;
        break;
    }
    case 5: {
        au_code_op op =
            (au_code_op)(AU_C_SMIN + au_rng_below(&w->rng, AU_C_SADD_SAT - AU_C_SMIN + 1));
        bool poison = a.alt[0] != 0; /* 0 is left out if it was none */
        bool one = op == AU_C_ABS || op == AU_C_CTLZ || op == AU_C_CTTZ || op == AU_C_CTPOP ||
                   op == AU_C_BSWAP || op == AU_C_BITREVERSE;
        if (width < 8 || (op == AU_C_BSWAP && width % 8))
            return;
        if (one)
            b = constant(width, 0);
        for (int k = 0; k < ALTS; k++)
            fine[k] = intrinsic_number(op, width, a.alt[k], b.alt[k], c.alt[k], poison, &x.alt[k]);
        if (!fine[0])
            return;
        x.v.v = x.alt[0];
        x.v.m = au_sym_intrinsic(w->s, op, width, a.v, b.v, c.v, x.v.v);
        for (int k = 0; k < ALTS; k++)
            w->bad[k] |= !fine[k];
        break;
    }
    case 6: {
        au_code_op op = (au_code_op)au_rng_below(&w->rng, 3);
        bool is_signed = au_rng_below(&w->rng, 2);
        x.width = 1;
        for (int k = 0; k < ALTS; k++)
            x.alt[k] = overflow_number(op, is_signed, width, a.alt[k], b.alt[k]);
        x.v.v = x.alt[0];
        x.v.m = au_sym_overflow(w->s, op, is_signed, width, a.v, b.v, x.v.v);
        break;
    }
    default: {
        both base = get(w, r, 64);
        uint64_t scale = some_bits(w);
        x.width = 64;
        for (int k = 0; k < ALTS; k++)
            x.alt[k] = base.alt[k] + (uint64_t)sgn(width, a.alt[k]) * scale;
        x.v.v = x.alt[0];
        x.v.m = au_sym_scale(w->s, width, scale, base.v, a.v, x.v.v);
        break;
    }
    }
    add(w, r, &x);
}

static void test_operations(void **state) {
    (void)state;
    uint64_t terms = 0, alive = 0, stopped = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        world *w = world_new(seed, seed % 3 ? 0 : AU_CHECK_DIV, 0);
        row r = {.n = 0};
        for (unsigned i = 0; i < 5; i++)
            r.at[r.n++] = new_read(w, 1u << au_rng_below(&w->rng, 4));
        for (unsigned i = 0; i < 60; i++)
            random_operation(w, &r);
        check_right(w);
        /* Facts are false exactly where a value was needed that does not exist. */
        for (int k = 0; k < ALTS; k++) {
            if (w->sy.pinned.n == 0)
                assert_int_equal(facts_hold(w, k), !w->bad[k]);
            if (facts_hold(w, k))
                alive++;
            else
                stopped++;
        }
        terms += au_terms_count(w->sy.terms);
        world_free(w);
    }
    assert_true(terms > 600 * 20 && alive > 600 && stopped > 100);
}

/* Bytes of wide values: an array of 24 bytes beside its slots. */
static void test_bytes(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        world *w = world_new(seed, 0, 0);
        uint8_t mem[ALTS][24];
        au_val slot[3];
        memset(slot, 0, sizeof slot);
        memset(mem, 0, sizeof mem);
        both read[3];
        for (unsigned i = 0; i < 3; i++)
            read[i] = new_read(w, 1u << au_rng_below(&w->rng, 4));
        for (unsigned step = 0; step < 30; step++) {
            unsigned width = 1 + au_rng_below(&w->rng, 64), n = (width + 7) / 8;
            unsigned off = au_rng_below(&w->rng, 25 - n);
            if (au_rng_below(&w->rng, 2)) {
                both b = read[au_rng_below(&w->rng, 3)], c;
                c = au_rng_below(&w->rng, 4) ? b : constant(64, some_bits(w));
                if (c.width > width) {
                    for (int k = 0; k < ALTS; k++)
                        c.alt[k] = cut(width, c.alt[k]);
                    c.v.m = au_sym_cast(w->s, AU_C_TRUNC, c.width, width, c.v, c.alt[0]);
                    c.v.v = c.alt[0];
                } else {
                    width = c.width;
                    n = (width + 7) / 8;
                }
                for (int k = 0; k < ALTS; k++)
                    memcpy(mem[k] + off, &c.alt[k], n);
                for (unsigned i = 0; i < 3; i++)
                    memcpy(&slot[i].v, mem[0] + 8 * i, 8);
                au_sym_bytes_put(w->s, slot, off, width, c.v);
            } else {
                both b = {.width = width};
                for (int k = 0; k < ALTS; k++) {
                    memcpy(&b.alt[k], mem[k] + off, n);
                    b.alt[k] = cut(width, b.alt[k]);
                }
                b.v.v = b.alt[0];
                b.v.m = au_sym_bytes_get(w->s, slot, off, width, b.v.v);
                check_both(w, &b);
            }
            check_right(w);
        }
        assert_int_equal(w->sy.fact.n, 0);
        world_free(w);
    }
}

/* ---- facts -------------------------------------------------------------------------------------- */

static const au_fact *last_fact(world *w) {
    assert_true(w->sy.fact.n > 0);
    return &w->sy.fact.at[w->sy.fact.n - 1];
}
static const char *text(world *w, uint32_t id) {
    return au_intern_str(&w->sy.strings, id);
}

static void test_branches(void **state) {
    (void)state;
    world *w = world_new(7, 0, 0);
    both a = new_read(w, 4);
    au_val c = {a.v.v == 5, AU_KNOWN};
    c.m = au_sym_compare(w->s, AU_C_EQ, 32, a.v, au_sym_known(5), c.v);
    au_sym_branch(w->s, c, AU_FAILS_NOT, NULL);
    assert_int_equal(w->sy.fact.n, 1);
    assert_int_equal(last_fact(w)->kind, AU_FACT_ASSUME);
    assert_int_equal(last_fact(w)->after, 0);
    for (int k = 0; k < ALTS; k++)
        assert_int_equal(au_term_eval(w->sy.terms, last_fact(w)->cond, w->alt[k]),
                         (cut(32, w->alt[k][0]) == 5) == c.v);
    /* again, or as another question with the same answer: nothing new */
    au_sym_branch(w->s, c, AU_FAILS_NOT, NULL);
    au_val d = {!c.v, AU_KNOWN};
    d.m = au_sym_compare(w->s, AU_C_NE, 32, a.v, au_sym_known(5), d.v);
    au_sym_branch(w->s, d, AU_FAILS_OTHER, NULL);
    assert_int_equal(w->sy.fact.n, 1);
    /* known and unknown conditions are no facts */
    au_sym_branch(w->s, au_sym_known(1), AU_FAILS_OTHER, NULL);
    au_sym_branch(w->s, (au_val){0, AU_UNKNOWN}, AU_FAILS_OTHER, NULL);
    assert_int_equal(w->sy.fact.n, 1);
    /* a check that held, and one that failed in the run */
    both b = new_read(w, 4);
    au_val e = {sgn(32, b.v.v) < 100, AU_KNOWN};
    e.m = au_sym_compare(w->s, AU_C_SLT, 32, b.v, au_sym_known(100), e.v);
    au_sym_branch(w->s, e, AU_FAILS_OTHER, "b < 100");
    assert_int_equal(last_fact(w)->kind, AU_FACT_ASSERT);
    assert_string_equal(text(w, last_fact(w)->text), "b < 100");
    assert_int_equal(last_fact(w)->after, 1);
    both f = new_read(w, 1);
    au_val g = {f.v.v == 77, AU_KNOWN};
    g.m = au_sym_compare(w->s, AU_C_EQ, 8, f.v, au_sym_known(77), g.v);
    au_sym_branch(w->s, g, AU_FAILS_HERE, NULL);
    assert_int_equal(last_fact(w)->kind, AU_FACT_ASSERT);
    assert_int_equal(au_term_eval(w->sy.terms, last_fact(w)->cond, w->alt[0]), 0);
    size_t n = w->sy.fact.n;
    au_sym_assert(w->s, au_sym_known(0), 32, "no way out");
    assert_int_equal(w->sy.fact.n, n + 1);
    assert_true(au_term_is_false(w->sy.terms, last_fact(w)->cond));
    check_right(w);
    world_free(w);
}

static void test_switch(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        world *w = world_new(seed, 0, 0);
        both a = new_read(w, 4);
        uint64_t all[4] = {a.v.v, cut(32, w->alt[1][0]), cut(32, a.v.v + 3), cut(32, a.v.v + 9)};
        if (all[1] == a.v.v)
            all[1]++;
        bool otherwise = seed % 2;
        if (otherwise)
            all[0] = cut(32, a.v.v + 100);
        au_sym_switch(w->s, a.v, 32, all, otherwise ? 0 : 2, all, 4);
        assert_int_equal(w->sy.fact.n, 1);
        for (int k = 0; k < ALTS; k++) {
            uint64_t v = cut(32, w->alt[k][0]);
            bool in_two = v == all[0] || v == all[1], in_all = in_two || v == all[2] || v == all[3];
            assert_int_equal(au_term_eval(w->sy.terms, w->sy.fact.at[0].cond, w->alt[k]),
                             otherwise ? !in_all : in_two);
        }
        check_right(w);
        world_free(w);
    }
}

static void test_pins(void **state) {
    (void)state;
    world *w = world_new(3, 0, 0);
    both a = new_read(w, 8);
    au_val sum = {a.v.v + 8, AU_KNOWN};
    sum.m = au_sym_binary(w->s, AU_C_ADD, 64, a.v, au_sym_known(8), sum.v);
    assert_true(sum.m > AU_UNKNOWN);
    au_sym_pin(w->s, a.v, 64, "a test");
    assert_int_equal(w->sy.fact.n, 1);
    assert_int_equal(last_fact(w)->kind, AU_FACT_PIN);
    assert_int_equal(w->sy.pinned.n, 1);
    assert_string_equal(text(w, w->sy.pinned.at[0].why), "a test");
    /* from now on it is known, and so is what it decides */
    assert_int_equal(au_sym_binary(w->s, AU_C_ADD, 64, a.v, au_sym_known(1), a.v.v + 1), AU_KNOWN);
    au_sym_pin(w->s, sum, 64, "a test");
    assert_int_equal(w->sy.fact.n, 1);
    assert_int_equal(w->sy.pinned.at[0].times, 1);
    both b = new_read(w, 4);
    au_sym_pin(w->s, b.v, 32, "a test");
    assert_int_equal(w->sy.pinned.n, 1);
    assert_int_equal(w->sy.pinned.at[0].times, 2);
    /* with an unknown value: pinned, and the result is unknown */
    both c = new_read(w, 4);
    assert_int_equal(au_sym_binary(w->s, AU_C_ADD, 32, c.v, (au_val){0, AU_UNKNOWN}, 0),
                     AU_UNKNOWN);
    assert_int_equal(w->sy.fact.n, 3);
    assert_int_equal(last_fact(w)->after, 2);
    check_right(w);
    world_free(w);
}

static void test_wrong_value_is_told(void **state) {
    (void)state;
    world *w = world_new(3, 0, 0);
    both a = new_read(w, 4);
    au_sym_binary(w->s, AU_C_ADD, 32, a.v, au_sym_known(1), a.v.v + 2);
    assert_non_null(au_sym_wrong(w->s));
    assert_non_null(strstr(au_sym_wrong(w->s), "add"));
    world_free(w);
    w = world_new(3, 0, 0);
    a = new_read(w, 4);
    w->at.thread = 1;
    au_sym_binary(w->s, AU_C_ADD, 32, a.v, au_sym_known(1), a.v.v + 1);
    assert_non_null(strstr(au_sym_wrong(w->s), "thread 1 met a term of thread 0"));
    world_free(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations), cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_branches),   cmocka_unit_test(test_switch),
        cmocka_unit_test(test_pins),       cmocka_unit_test(test_wrong_value_is_told),
    };
    return cmocka_run_group_tests_name("sym", tests, NULL, NULL);
}
