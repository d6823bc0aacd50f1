/* .ctp beyond 32 bits and plain statements: widths, quoted names, places, steps of several
 * parts; what they mean, what is refused and that they round-trip. */
#include "base/alloc.h"
#include "base/rng.h"
#include "ctp_text.h"
#include "model/ctp.h"
#include "model/run.h"
#include "model/sync.h"
#include "same_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static au_model *read_ok(const char *text) {
    au_error err = AU_ERROR_NONE;
    au_model *m = au_ctp_read(text, strlen(text), "m.ctp", NULL, &err);
    if (!m)
        fail_msg("%s", err.text);
    const char *wrong = au_model_check(m);
    if (wrong)
        fail_msg("%s\n%s", wrong, text);
    if (au_model_check_observed(m, NULL, &err))
        fail_msg("%s\n%s", err.text, text);
    return m;
}

static void round_trip(const au_model *m) {
    char *wrong = au_round_trip(m, 0, NULL);
    if (wrong)
        fail_msg("%s", wrong);
}

static void expect_print(const char *text, const char *want) {
    au_model *m = read_ok(text);
    au_error err = AU_ERROR_NONE;
    au_out *o = au_out_memory();
    size_t n;
    if (au_ctp_print(m, o, &err))
        fail_msg("%s", err.text);
    assert_string_equal(au_out_memory_data(o, &n), want);
    au_out_abandon(o);
    round_trip(m);
    au_model_free(m);
}

/* ---- widths ---- */

static void declarations(void **state) {
    (void)state;
    au_model *m = read_ok("shared p : 64 = 0xfedcba9876543210, b : 8 = -1, n, t : 1 = 1\n"
                          "thread T { local a : 16 = 0xffff, c : 3 a := 1 d := 5 }");
    assert_int_equal(m->var.at[find_var(m, "p")].width, 64);
    assert_true(m->var.at[find_var(m, "p")].init == UINT64_C(0xfedcba9876543210));
    assert_int_equal(m->var.at[find_var(m, "b")].width, 8);
    assert_int_equal(m->var.at[find_var(m, "b")].init, 255);
    assert_int_equal(m->var.at[find_var(m, "n")].width, 32);
    assert_int_equal(m->var.at[find_var(m, "t")].init, 1);
    assert_int_equal(m->var.at[find_var(m, "a")].width, 16);
    assert_int_equal(m->var.at[find_var(m, "a")].init, 0xffff);
    assert_int_equal(m->var.at[find_var(m, "a")].kind, AU_VAR_LOCAL);
    assert_int_equal(m->var.at[find_var(m, "c")].width, 3);
    assert_int_equal(m->var.at[find_var(m, "d")].width, 32);
    assert_int_equal(m->step.n, 2); /* a declaration is no step */
    au_model_free(m);
}

static void values(void **state) {
    (void)state;
    static const struct {
        unsigned width;
        const char *text;
        uint64_t value;
    } of[] = {{8, "200 + 100", 44},
              {8, "-128 / -1", 128},
              {8, "-7 % 3", 255},
              {8, "udiv(200, 3)", 66},
              {8, "urem(200, 3)", 2},
              {8, "udiv(200, 0)", 0},
              {8, "urem(200, 0)", 200},
              {8, "1 << 9", 2},
              {8, "shl(1, 9)", 0},
              {8, "-128 >> 9", 192},
              {8, "ashr(-128, 9)", 255},
              {8, "lshr(-128, 7)", 1},
              {8, "lshr(-128, 8)", 0},
              {64, "1 << 63", UINT64_C(1) << 63},
              {64, "1 << 64", 1},
              {64, "zext(-1, 64)", UINT32_MAX},
              {64, "sext(-1, 64)", UINT64_MAX},
              {64, "zext(-1u8, 64)", 255},
              {64, "sext(-1u8, 64)", UINT64_MAX},
              {64, "0xffffffffffffffff / 2", 0},
              {64, "concat(0x12345678, 0x9abcdef0)", UINT64_C(0x123456789abcdef0)},
              {24, "concat(1u8, concat(2u8, 3u8))", 0x10203},
              {8, "extract(0x1234, 8, 8)", 0x12},
              {1, "extract(8, 3, 1)", 1},
              {8, "5 < 6", 1},
              {8, "(5 < 6) + 7", 8},
              {8, "sext(5 < 6, 8)", 255},
              {8, "ult(-1u8, 1)", 0},
              {8, "ule(1, -1u8)", 1},
              {8, "-1u8 < 1", 1},
              {8, "200u8 < 100", 1}, /* signed */
              {32, "4000000000 < 5", 1},
              {5, "1 << 6", 2}, /* modulo 5 */
              {1, "1 + 1", 0},
              {64, "5 ? 6 : 7", 6},
              {16, "~0", 0xffff},
              {64, "!5", 0},
              {64, "5 && 6u8", 1}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char *text = au_sprintf("shared v : %u = %s thread T { }", of[i].width, of[i].text);
        au_model *m = read_ok(text);
        if (m->var.at[0].init != of[i].value)
            fail_msg("%s is 0x%llx", text, (unsigned long long)m->var.at[0].init);
        au_model_free(m);
        free(text);
    }
}

static void errors_of_widths(void **state) {
    (void)state;
    expect_error("shared p : 65 thread T { }", 12, "expected a width, 1 to 64 bits, found '65'");
    expect_error("shared p : 0 thread T { }", 12, "expected a width, 1 to 64 bits, found '0'");
    expect_error("shared p : x thread T { }", 12, "expected a width, 1 to 64 bits, found 'x'");
    expect_error("lock m : 8 thread T { }", 8, "only shared variables and locals have a width");
    expect_error("shared b : 8 = 256 thread T { }", 16, "'256' does not fit in 8 bits");
    expect_error("shared b = 5u8 thread T { }", 12,
                 "'b' has 32 bits, this has 8: cast it with zext or sext");
    expect_error("shared b : 8 = 5u65 thread T { }", 16, "'5u65' is not a number of 1 to 64 bits");
    expect_error("shared b : 8 = 5u thread T { }", 16, "'5u' is not a number of 1 to 64 bits");
    expect_error("shared b : 8 = 256u8 thread T { }", 16, "'256u8' does not fit in 8 bits");
    expect_error("shared p : 64 thread T { a := p }", 31,
                 "'a' has 32 bits, this has 64: cast it with extract");
    expect_error("shared p : 64 thread T { p := p + n n := 1 }", 33,
                 "'+' between 64 bits and 32 bits: cast one with zext, sext or extract");
    expect_error("shared p : 64, q : 8 thread T { assume p == q }", 42,
                 "'==' between 64 bits and 8 bits: cast one with zext, sext or extract");
    expect_error("shared p : 64, q : 8 thread T { assume ult(p, q) }", 40,
                 "'ult' between 64 bits and 8 bits: cast one with zext, sext or extract");
    expect_error("shared p : 64, q : 8 thread T { assume 1 ? p : q }", 42,
                 "'?' between 64 bits and 8 bits: cast one with zext, sext or extract");
    expect_error("shared p : 64, q : 8 thread T { q := p << q }", 40,
                 "'<<' between 64 bits and 8 bits: cast one with zext, sext or extract");
    expect_error("shared p : 64 thread T { p := 5 + (p == 300) + 0x10000000000000000 }", 48,
                 "'0x10000000000000000' does not fit in 64 bits");
    expect_error("shared q : 8 thread T { q := q + 300 }", 34, "'300' does not fit in 8 bits");
    expect_error("shared q : 8 thread T { assume q < 300 }", 36, "'300' does not fit in 8 bits");
    expect_error("shared q : 8 thread T { q := zext(q, 4) }", 30,
                 "'zext' of 8 bits to 4: take some with extract");
    expect_error("shared q : 8 thread T { q := sext(5, 8) }", 30,
                 "'sext' of 32 bits to 8: take some with extract");
    expect_error("shared q : 8 thread T { q := extract(q, 4, 5) }", 30,
                 "extract of bits 4 to 8 from 8 bits");
    expect_error("shared p : 64 thread T { p := concat(p, p) }", 31,
                 "concat makes 128 bits, more than 64");
    expect_error("shared q : 8 thread T { q := zext(q) }", 36, "expected ',', found ')'");
    expect_error("shared q : 8 thread T { q := zext(q, q) }", 38,
                 "expected a width, 1 to 64 bits, found 'q'");
    expect_error("shared q : 8 thread T { q := extract(q, 64, 1) }", 41,
                 "expected the number of the lowest bit, 0 to 63, found '64'");
    expect_error("shared q : 8 thread T { q := foo(q) }", 30, "unknown function 'foo'");
    expect_error("shared q : 8 thread T { q := \"zext\"(q, 8) }", 30, "unknown function 'zext'");
    expect_error("lock m thread T { assume owner(5) }", 32,
                 "expected the name of an object, found '5'");
    expect_error("lock m thread T { assume count(m) }", 32, "'count' needs a sem, 'm' is a lock");
    expect_error("sem s thread T { assume owner(s) }", 31, "'owner' needs a lock, 's' is a sem");
    expect_error("thread T { assume readers(s) }", 27, "unknown rwlock 's'");
    expect_error("lock m shared x = owner(m) thread T { }", 25,
                 "'m': an initial value is a constant");
    expect_error("thread T { local a : 8, a }", 25, "there is a local 'a' already");
    expect_error("thread T { a := 1 local a : 8 }", 25, "there is a local 'a' already");
    expect_error("shared a thread T { local a : 8 }", 27, "'a' is declared already, at 1:8");
    expect_error("thread T { l: local a : 8 }", 15, "a declaration of locals stands alone");
    expect_error("thread T { local a := 8 }", 20, "a declaration has '=', not ':='");
    expect_error("thread T { local a : 8 = b b := 1 }", 26, "'b': an initial value is a constant");
    expect_error("thread T { [ local a : 8 ] }", 14, "a declaration of locals stands alone");
}

/* None of the new words is taken from those who use it as a name. */
static void words_are_names(void **state) {
    (void)state;
    au_model *m = read_ok("shared zext, step, require lock owner\n"
                          "thread local { local: local := zext  step: step := step + 1\n"
                          "  require: require := 2 [ require := 3 ] [ local := 4 ] acq owner\n"
                          "  if (zext) { nop } }\n"
                          "trace local step require");
    assert_int_equal(m->thread.n, 1);
    assert_int_equal(m->observed.n, 4);
    round_trip(m);
    au_model_free(m);
}

static void splits(void **state) {
    (void)state;
    expect_print("shared p : 64 = 5, q : 8, n thread T { t1: p := p + sext(q, 64) + zext(n, 64)\n"
                 "t2: n := zext(q, 32) + n t3: assert extract(p, 0, 8) == q }",
                 "shared p : 64 = 5, q : 8 = 0, n = 0\n"
                 "thread T {\n"
                 "  local _1 : 64, _2 : 8, _4 : 64, _5 : 8\n"
                 "  t1.1: _1 := p\n"
                 "  t1.2: _2 := q\n"
                 "  t1.3: _3 := n\n"
                 "  t1.4: p := _1 + sext(_2, 64) + zext(_3, 64)\n"
                 "  t2.1: _2 := q\n"
                 "  t2.2: _3 := n\n"
                 "  t2.3: n := zext(_2, 32) + _3\n"
                 "  t3.1: _4 := p\n"
                 "  t3.2: _5 := q\n"
                 "  t3.3: assert extract(_4, 0, 8) == _5\n"
                 "}\n"
                 "trace t1.1-t3.3\n");
}

static void looks(void **state) {
    (void)state;
    expect_print(
        "shared p : 64 = 0x7f0012345678, s : 1 thread T { local a : 64, b : 8 = 3, c : 8, t : 1\n"
        "l1: a := p  l2: b := b * 2 - 5  l3: assume p > -70000 && a != 0x123456789\n"
        "l4: c := b << (c & 7) l5: c := shl(b, c) l6: a := concat(b, extract(a, 3, 56))\n"
        "l7: t := s l8: t := t ^ (b == c) l9: b := t ? 1 : 2 l10: assume ule(b, 200)\n"
        "l11: c := 0 * c + (0 && s) l12: b := zext(b == 1, 8) l13: b := -1 l14: d := t == s "
        "l15: assume t l16: c := lshr(udiv(b, c), 1) }",
        "shared p : 64 = 0x7f0012345678, s : 1 = 0\n"
        "thread T {\n"
        "  local a : 64, b : 8 = 3, c : 8, t : 1\n"
        "  l1:  a := p\n"
        "  l2:  b := b * 2 - 5\n"
        "  l3:  assume a != 0x123456789 && p > 0xfffffffffffeee90\n"
        "  l4:  c := b << c\n"
        "  l5:  c := shl(b, c)\n"
        "  l6:  a := concat(b, extract(a, 3, 56))\n"
        "  l7:  t := s\n"
        "  l8:  t := b == c ^ t\n"
        "  l9:  b := t ? 1u8 : 2\n"
        "  l10: assume ule(b, -56)\n"
        "  l11: c := 0 + (0 && s)\n"
        "  l12: b := zext(b == 1, 8)\n"
        "  l13: b := -1\n"
        "  l14: d := s == t\n"
        "  l15: assume t\n"
        "  l16: c := lshr(udiv(b, c), 1)\n"
        "}\n"
        "trace l1-l14\n");
}

/* ---- random terms of all widths ---- */

typedef struct {
    au_model *m;
    au_rng r;
    uint32_t at;
    AU_VEC(uint32_t) local;
} gen;

static unsigned below(gen *g, unsigned n) {
    return au_rng_below(&g->r, n);
}

static unsigned some_width(gen *g) {
    static const uint8_t often[] = {1, 1, 2, 7, 8, 8, 16, 31, 32, 32, 33, 63, 64, 64};
    return below(g, 5) ? often[below(g, sizeof often)] : 1 + below(g, 64);
}

static au_term leaf(gen *g, unsigned w) {
    au_terms *t = g->m->terms;
    if (below(g, 4) == 0) {
        uint64_t v = below(g, 3) == 0 ? UINT64_MAX >> below(g, 64) : below(g, 300);
        return au_term_const(t, w, below(g, 2) ? v : 0 - v);
    }
    for (unsigned tries = 0; tries < 6; tries++) {
        uint32_t v = g->local.at[below(g, (unsigned)g->local.n)];
        unsigned have = g->m->var.at[v].width;
        if (have == w)
            return au_model_var_term(g->m, v);
        if (tries > 3 && have > w)
            return au_term_extract(t, au_model_var_term(g->m, v), below(g, have - w + 1), w);
        if (tries > 3 && have < w)
            return below(g, 2) ? au_term_zext(t, au_model_var_term(g->m, v), w)
                               : au_term_sext(t, au_model_var_term(g->m, v), w);
    }
    return au_term_const(t, w, below(g, 9));
}

static au_term term(gen *g, unsigned w, unsigned depth) {
    static const au_term_op two[] = {AU_T_ADD,  AU_T_SUB,  AU_T_MUL, AU_T_SDIV, AU_T_SREM,
                                     AU_T_UDIV, AU_T_UREM, AU_T_AND, AU_T_OR,   AU_T_XOR,
                                     AU_T_SHL,  AU_T_LSHR, AU_T_ASHR};
    static const au_term_op less[] = {AU_T_EQ, AU_T_EQ, AU_T_ULT, AU_T_ULE, AU_T_SLT, AU_T_SLE};
    au_terms *t = g->m->terms;
    if (!depth || below(g, 8) == 0)
        return leaf(g, w);
    unsigned k = below(g, 20);
    if (w == 1 && k < 9) {
        unsigned of = some_width(g);
        return au_term_make(t, less[below(g, 6)], term(g, of, depth - 1), term(g, of, depth - 1));
    }
    if (k < 11)
        return au_term_make(t, two[below(g, 13)], term(g, w, depth - 1), term(g, w, depth - 1));
    if (k < 13) {
        au_term a = term(g, w, depth - 1);
        return au_term_make(t, below(g, 2) ? AU_T_NOT : AU_T_NEG, a, a);
    }
    if (k < 15)
        return au_term_ite(t, term(g, 1, depth - 1), term(g, w, depth - 1), term(g, w, depth - 1));
    if (k == 15) { /* a shift with its count cut, as '<<' does it */
        au_term by = au_term_make(t, AU_T_AND, term(g, w, depth - 1),
                                  au_term_const(t, w, below(g, 3) ? w - 1 : below(g, w)));
        return au_term_make(t, below(g, 2) ? AU_T_SHL : AU_T_ASHR, term(g, w, depth - 1), by);
    }
    if (w > 1 && k == 16) {
        unsigned low = 1 + below(g, w - 1);
        return au_term_make(t, AU_T_CONCAT, term(g, w - low, depth - 1), term(g, low, depth - 1));
    }
    if (w > 1 && k < 19) {
        au_term a = term(g, below(g, 2) ? 1 : 1 + below(g, w - 1), depth - 1);
        return below(g, 2) ? au_term_zext(t, a, w) : au_term_sext(t, a, w);
    }
    unsigned of = w + below(g, 65 - w);
    return au_term_extract(t, term(g, of, depth - 1), below(g, of - w + 1), w);
}

static au_step *next(gen *g, au_step_kind kind) {
    uint32_t to = au_model_add_node(g->m, 0);
    au_step *s = au_model_add_step(g->m, 0, g->at, to, kind);
    g->at = to;
    return s;
}

static void random_terms(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        gen g = {.m = au_model_new("random")};
        au_rng_init(&g.r, seed * 7919);
        au_model_add_thread(g.m, "T");
        unsigned vars = 2 + below(&g, 4);
        for (unsigned i = 0; i < vars; i++) {
            char name[8];
            snprintf(name, sizeof name, "%c%u", "abc"[i % 3], i);
            uint32_t v = au_model_add_var(g.m, name, AU_VAR_LOCAL, some_width(&g),
                                          below(&g, 3) ? 0 : below(&g, 200), 0);
            au_vec_push(&g.local, v);
        }
        unsigned depth = 1 + below(&g, 4);
        for (unsigned i = 0; i < 3; i++) {
            unsigned form = below(&g, 8);
            uint32_t v = g.local.at[below(&g, vars)], u = g.local.at[below(&g, vars)];
            au_term x = term(&g, g.m->var.at[v].width, depth);
            au_term y = term(&g, g.m->var.at[u].width, depth), c = term(&g, 1, depth);
            au_step *s;
            switch (form) {
            case 0:
                next(&g, AU_STEP_ASSUME)->guard = c;
                break;
            case 1:
                next(&g, AU_STEP_ASSERT)->cond = c;
                break;
            case 2: /* guarded */
                s = next(&g, AU_STEP_ASSIGN);
                s->indivisible = below(&g, 2);
                s->guard = c;
                au_step_add_update(g.m, s, v, x);
                break;
            case 3: /* two at once */
                s = next(&g, AU_STEP_ASSIGN);
                s->indivisible = below(&g, 2);
                au_step_add_update(g.m, s, v, x);
                if (u != v)
                    au_step_add_update(g.m, s, u, y);
                break;
            case 4:
                s = next(&g, AU_STEP_ASSUME);
                s->indivisible = true;
                s->blocking = below(&g, 2);
                s->guard = c;
                break;
            default:
                au_step_add_update(g.m, next(&g, AU_STEP_ASSIGN), v, x);
            }
        }
        g.m->thread.at[0].exit = g.at;
        au_sync_finish(g.m);
        au_model_observe(g.m);
        const char *wrong = au_model_check(g.m);
        if (wrong)
            fail_msg("seed %u: %s", (unsigned)seed, wrong);
        char *failed = au_round_trip(g.m, 0, NULL);
        if (failed)
            fail_msg("seed %u: %s", (unsigned)seed, failed);
        au_vec_release(&g.local);
        au_model_free(g.m);
    }
}

/* ---- large terms ---- */

static void lets(void **state) {
    (void)state;
    au_model *m =
        read_ok("shared x = 3, y : 8 = 200 thread T { local b : 8, c : 1\n"
                "l1: a := let $1 = x + 1, $2 = $1 * $1, $3 = $2 > 10 in $3 + $2\n"
                "l2: b := let $1 = 5, $2 = $1 < 7 in $2 + y\n"
                "l3: assume let $1 = b == 201 in $1 && zext($1, 8) == 1\n"
                "l4: if (let $1 = a in $1 == 17) { l5: [ c := let $1 = a == 17 in $1 ] }\n"
                "l6: let := c ? 1 : 0 l7: in := let + 1 l8: assume in == 2 }");
    assert_int_equal(m->step.n, 9);
    assert_int_equal(m->observed.n, 8);
    round_trip(m);
    au_model_free(m);
    expect_error("thread T { a := let $2 = 1 in 2 }", 21, "expected '$1', found '$2'");
    expect_error("thread T { a := let $1 = 1, $1 = 2 in 2 }", 29, "expected '$2', found '$1'");
    expect_error("thread T { a := let $1 = $1 in 2 }", 26, "'$1' is not defined before this");
    expect_error("thread T { a := $1 }", 17, "'$1' is not defined before this");
    expect_error("thread T { a := let $1 = 1 in $0 }", 31, "'$0' is not defined before this");
    expect_error("thread T { a := let $1 = 1 }", 28, "expected ',' or 'in', found '}'");
    expect_error("thread T { a := let $1 + 1 }", 24, "expected '=', found '+'");
    expect_error("thread T { a := 1 + (let $1 = 1 in 2) }", 26, "expected ')', found '$1'");
    expect_error("thread T { local b : 8 a := let $1 = b in $1 }", 43,
                 "'a' has 32 bits, this has 8: cast it with zext or sext");
    expect_error("thread T { a := let $1 = b in 1 }", 26,
                 "unknown name 'b': neither shared nor assigned in this thread");
    expect_error("thread T { $1 := 1 }", 12, "expected a statement or '}', found '$1'");
}

/* A term over the last few made: shared, deep, of several widths. */
static void large_terms(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        gen g = {.m = au_model_new("large")};
        au_rng_init(&g.r, seed * 15485863);
        au_model_add_thread(g.m, "T");
        for (unsigned i = 0; i < 3; i++) {
            char name[8];
            snprintf(name, sizeof name, "%c", "abc"[i]);
            uint32_t v = au_model_add_var(g.m, name, AU_VAR_LOCAL, i == 2 ? 8 : 32, 0, 0);
            au_vec_push(&g.local, v);
            next(&g, AU_STEP_HAVOC)->havoc = v;
        }
        AU_VEC(au_term) made = {0};
        unsigned widths[] = {32, 8, 1, 64};
        unsigned size = 5 + below(&g, seed % 10 == 0 ? 3000 : 60);
        bool chain = below(&g, 3) == 0;
        for (unsigned i = 0; i < size; i++) {
            unsigned w = widths[i < 8 ? i % 4 : below(&g, 4)];
            au_term kid[3];
            unsigned want[3] = {w, w, w};
            unsigned what = below(&g, 6);
            if (what == 0)
                want[0] = 1;
            else if (what == 1 && w == 1)
                want[0] = want[1] = widths[below(&g, 4)];
            for (unsigned k = 0; k < 3; k++) {
                kid[k] = leaf(&g, want[k]);
                for (unsigned back = 1; back <= made.n && back <= (chain ? 6 : 12); back++) {
                    au_term x = made.at[made.n - back];
                    if (au_term_width(g.m->terms, x) == want[k] && (k == 0 || below(&g, 2))) {
                        kid[k] = x;
                        break;
                    }
                }
            }
            static const au_term_op op[] = {AU_T_ADD, AU_T_XOR, AU_T_MUL, AU_T_SUB, AU_T_SDIV};
            au_term x =
                what == 0 ? au_term_ite(g.m->terms, kid[0], kid[1], kid[2])
                : what == 1 && w == 1
                    ? au_term_make(g.m->terms, below(&g, 2) ? AU_T_SLT : AU_T_ULE, kid[0], kid[1])
                    : au_term_make(g.m->terms, op[below(&g, 5)], kid[0], kid[1]);
            au_vec_push(&made, x);
        }
        au_term last = au_vec_last(&made);
        unsigned w = au_term_width(g.m->terms, last);
        if (w == 1)
            next(&g, AU_STEP_ASSUME)->guard = last;
        else
            au_step_add_update(g.m, next(&g, AU_STEP_ASSIGN), g.local.at[0],
                               w < 32   ? au_term_sext(g.m->terms, last, 32)
                               : w > 32 ? au_term_extract(g.m->terms, last, 5, 32)
                                        : last);
        g.m->thread.at[0].exit = g.at;
        au_sync_finish(g.m);
        au_model_observe(g.m);
        char *failed = au_round_trip(g.m, 0, NULL);
        if (failed)
            fail_msg("seed %u: %.3000s", (unsigned)seed, failed);
        au_vec_release(&made);
        au_vec_release(&g.local);
        au_model_free(g.m);
    }
    /* a tree of 2^40 nodes */
    char text[4000], *p = text;
    p += sprintf(p, "shared x = 3 thread T { a := x b := let $1 = a * a + 1");
    for (int i = 2; i <= 40; i++)
        p += sprintf(p, ", $%d = $%d * ($%d + %d)", i, i - 1, i - 1, i);
    sprintf(p, " in $40 [ assume b == $40 ] }");
    p = strstr(text, "[ assume");
    strcpy(p, "assert b != 5 }");
    au_model *m = read_ok(text);
    round_trip(m);
    au_model_free(m);
}

/* ---- names ---- */

static void names(void **state) {
    (void)state;
    expect_print(
        "shared \"acct[3].balance\" = 1, \"x\", \"\" lock \"x\", m, \"a \\\"b\\\" \\\\ c\"\n"
        "thread \"t[0] in main (T0)\" { \"l 1\": \"acct[3].balance\" := \"x\" + \"\"\n"
        "acq x acq \"m\" \"if\" := 1 \"a\\x07b\" := \"if\" fork \"2\" }\n"
        "thread \"2\" { acq \"a \\\"b\\\" \\\\ c\" } trace \"l 1\"",
        "shared \"acct[3].balance\" = 1, x = 0, \"\" = 0\n"
        "lock \"x\", m, \"a \\\"b\\\" \\\\ c\"\n"
        "thread \"t[0] in main (T0)\" {\n"
        "  \"l 1.1\": _1 := x\n"
        "  \"l 1.2\": _2 := \"\"\n"
        "  \"l 1.3\": \"acct[3].balance\" := _1 + _2\n"
        "  T1.1:    acq \"x\"\n"
        "  T1.2:    acq m\n"
        "  T1.3:    \"if\" := 1\n"
        "  T1.4:    \"a\\x07b\" := \"if\"\n"
        "  T1.5:    fork \"2\"\n"
        "}\n"
        "thread \"2\" {\n"
        "  T2.1: acq \"a \\\"b\\\" \\\\ c\"\n"
        "}\n"
        "trace \"l 1.1\"-\"l 1.3\"\n");
    au_model *m = read_ok("shared \"\xc3\xa4 \\x41\" thread T { }");
    assert_string_equal(m->var.at[0].name, "\xc3\xa4 A");
    round_trip(m);
    au_model_free(m);
}

static void errors_of_names(void **state) {
    (void)state;
    expect_error("shared \"x", 8, "a quoted name has no end on its line");
    expect_error("shared \"x\\\"", 8, "a quoted name has no end on its line");
    expect_error("shared \"x\\q\"", 10, "after '\\' comes '\\', '\"' or xNN, not 00");
    expect_error("shared \"x\\x00\"", 10, "after '\\' comes '\\', '\"' or xNN, not 00");
    expect_error("shared \"x\\x4\"", 10, "after '\\' comes '\\', '\"' or xNN, not 00");
    expect_error("shared x, \"x\" thread T { }", 11, "'x' is declared already, at 1:8");
    expect_error("shared \"x\" lock x thread T { }", 17, "'x' is declared already, at 1:8");
    expect_error("lock m thread T { \"m\" := 1 }", 19, "'m' is a lock and cannot be assigned");
    expect_error("thread T { a := \"b c\" }", 17,
                 "unknown name 'b c': neither shared nor assigned in this thread");
    expect_error("thread T { a: nop } trace \"b c\"", 27, "unknown label 'b c'");
    au_error err = AU_ERROR_NONE;
    assert_null(au_ctp_read("shared \"x\ny\"", 12, "m", NULL, &err));
    assert_null(au_ctp_read("shared \"x\ty\"", 12, "m", NULL, &err));
    assert_string_equal(err.text, "m:1:10: byte 0x09 is not text: write \\x09\nshared \"x\ty\"\n"
                                  "         ^");
}

/* ---- places ---- */

static void places(void **state) {
    (void)state;
    static const char text[] = "shared x = 0\n"
                               "lock m\n"
                               "cond c\n"
                               "thread T {\n"
                               "  t1: x := 1 @ bank.c:12\n"
                               "  t2: [ x := x + 1 ] @ \"src/my bank.c\":13\n"
                               "  t3: acq m @ 7\n"
                               "  t4: wait c m @ \"somewhere else\"\n"
                               "  t5: if (x > 0) @ bank.c:14 {\n"
                               "    t6: nop @ bank.c:15\n"
                               "  }\n"
                               "  t7: if [x > 0] @ bank.c:16 {\n"
                               "    t8: assert 1\n"
                               "  }\n"
                               "  t9: step { require a == 0; b := a } @ bank.c:17\n"
                               "}\n"
                               "trace t1-t4\n";
    au_model *m = read_ok("shared x lock m cond c thread T { t1: x := 1 @ bank.c : 12 t2: [ x := "
                          "x+1 ] @ \"src/my bank.c\":13\n t3: acq m @ 7 t4: wait c m @ \"somewhere "
                          "else\" t5: if (x > 0) @ \"bank.c\":14 { t6: nop @ bank.c:15 }\n"
                          "t7: if [x > 0] @ bank.c:16 { t8: assert 1 }\n"
                          "t9: step { require a == 0; b := a } @ bank.c:17 local a }");
    const au_step *s = m->step.at;
    assert_int_equal(s[0].line, 12);
    assert_int_equal(s[0].col, 0);
    assert_string_equal(au_intern_str(&m->strings, s[0].loc), "bank.c");
    assert_int_equal(s[2].loc, AU_NONE);
    assert_int_equal(s[2].line, 7);
    assert_int_equal(s[3].line, 0);
    assert_string_equal(au_intern_str(&m->strings, s[5].loc), "somewhere else");
    assert_int_equal(s[7].line, 14); /* both sides */
    assert_int_equal(s[11].loc, AU_NONE);
    assert_int_equal(s[11].line, 3);
    round_trip(m);
    au_model_free(m);
    char *with_local = au_sprintf("%.*s  local a\n%s", (int)(strstr(text, "  t1") - text), text,
                                  strstr(text, "  t1"));
    expect_print(with_local, with_local);
    free(with_local);
    expect_error("thread T { nop @ }", 18, "expected a file or a line, found '}'");
    expect_error("thread T { nop @ a.c: }", 23, "expected a line, found '}'");
    expect_error("thread T { [ nop @ 5 ] }", 18, "expected a statement or ']', found '@'");
    expect_error("thread T { atomic { } @ 5 }", 23, "expected a statement or '}', found '@'");
}

/* ---- steps of several parts ---- */

static void compounds(void **state) {
    (void)state;
    static const char text[] = "shared x = 3\n"
                               "lock m\n"
                               "rlock r\n"
                               "rwlock w\n"
                               "sem s = 0\n"
                               "thread T {\n"
                               "  t1:  [ require x == 3; x := 4 ]\n"
                               "  t2:  [ require x == 4 ]\n"
                               "  t3:  [ assume x == 4 ]\n"
                               "  t4:  step { assume x == 4; a := x }\n"
                               "  t5:  step { require x == 4; b := 1 }\n"
                               "  t6:  step { require a == 4; assert x == 4; b := a }\n"
                               "  t7:  [ a := b + 1, b := a ]\n"
                               "  t8:  step { a := b, b := a }\n"
                               "  t9:  assume count(s) <= 0 && owner(m) == 0\n"
                               "  t10: assume depth(r) == 0 && owner(r) != 1 && readers(w) == 0\n"
                               "  t11: step { a := x + x * 2 }\n"
                               "}\n"
                               "trace t1-t11\n";
    expect_print(text, text);
    au_model *m = read_ok(text);
    const au_step *s = m->step.at;
    assert_int_equal(s[0].kind, AU_STEP_ASSIGN);
    assert_true(s[0].indivisible && !s[0].blocking && s[0].n_accesses == 2);
    assert_int_equal(s[1].kind, AU_STEP_ASSUME);
    assert_true(s[1].indivisible && !s[1].blocking);
    assert_true(s[2].indivisible && s[2].blocking);
    assert_int_equal(s[3].kind, AU_STEP_ASSUME);
    assert_true(!s[3].indivisible && !s[3].blocking && s[3].n_updates == 1);
    assert_int_equal(s[5].kind, AU_STEP_ASSERT);
    assert_int_equal(s[10].n_accesses, 1);
    au_model_free(m);
    expect_error("thread T { require 1 }", 12, "'require' stands in '[ ... ]' or 'step { ... }'");
    expect_error("thread T { [ require 1; assume 1 ] }", 25,
                 "'assume' and 'require' cannot stand in one '[ ... ]'");
    expect_error("thread T { step { assume 1; require 1 } }", 29,
                 "'assume' and 'require' cannot stand in one 'step { ... }'");
    expect_error("shared x, y thread T { step { x := 1; y := 2 } }", 24,
                 "'step { ... }' has one shared access: with more it is '[ ... ]'");
    expect_error("shared x thread T { step { x := x + 1 } }", 21,
                 "'step { ... }' has one shared access: with more it is '[ ... ]'");
    expect_error("thread T { step { } }", 12, "'step { }' without a statement");
    expect_error("thread T { step { acq m } }", 19, "'acq' cannot stand between '{' and '}'");
    expect_error("thread T { step { [ nop ] } }", 19, "'[' inside 'step'");
    expect_error("thread T { [ step { nop } ] }", 14, "'step' inside '['");
    expect_error("thread T { step { l: nop } }", 19, "a label stands before 'step', not inside");
    expect_error("thread T { [ a := 1, ] }", 22, "expected an assignment, found ']'");
    expect_error("thread T { [ a := 1, require 2 ] }", 22, "after ',' comes an assignment");
    expect_error("thread T { a := 1, b := 2 }", 18, "expected a statement or '}', found ','");
}

static void divided_blocks(void **state) {
    (void)state;
    static const char text[] = "shared x = 0\n"
                               "thread T {\n"
                               "  t1: atomic 1 a := x\n"
                               "  t2: atomic 1 if (a == 0) {\n"
                               "    t3: atomic 1 x := 1\n"
                               "    t4: nop\n"
                               "  } else {\n"
                               "    t5: atomic 2 x := 2\n"
                               "    t6: atomic 2 [ x := x + 1 ] @ bank.c:5\n"
                               "  }\n"
                               "  t7: atomic 1 x := 3\n"
                               "}\n"
                               "trace t1-t7\n";
    expect_print(text, text);
    au_model *m = read_ok(text);
    static const uint32_t block[] = {0, 0, 0, 0, AU_NONE, 1, 1, 0};
    assert_int_equal(m->n_blocks, 2);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(m->step.at[i].block, block[i]);
    au_model_free(m);
    /* inside another block it is that block's; one that is a run is printed with braces */
    expect_print("thread T { atomic { a: nop b: atomic 7 nop } } thread U { c: atomic 3 nop\n"
                 "d: atomic 3 nop e: nop }",
                 "thread T {\n"
                 "  atomic {\n"
                 "    a: nop\n"
                 "    b: nop\n"
                 "  }\n"
                 "}\n"
                 "thread U {\n"
                 "  atomic {\n"
                 "    c: nop\n"
                 "    d: nop\n"
                 "  }\n"
                 "  e: nop\n"
                 "}\n"
                 "trace a-b c-e\n");
    expect_error("thread T { atomic 1 atomic { } }", 21, "expected a statement, found 'atomic'");
    expect_error("thread T { atomic 1 { nop } }", 21, "expected a statement or '}', found '{'");
}

static void nothing_happened(void **state) {
    (void)state;
    expect_print("thread T { a: nop } trace ;", "thread T {\n  a: nop\n}\ntrace ;\n");
    au_model *m = read_ok("thread T { a: nop } trace ; shared x");
    assert_int_equal(m->observed.n, 0);
    au_model_free(m);
    expect_print("thread T { a: assume 0 }", "thread T {\n  a: assume 0\n}\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declarations),     cmocka_unit_test(values),
        cmocka_unit_test(errors_of_widths), cmocka_unit_test(words_are_names),
        cmocka_unit_test(splits),           cmocka_unit_test(looks),
        cmocka_unit_test(random_terms),     cmocka_unit_test(lets),
        cmocka_unit_test(large_terms),      cmocka_unit_test(names),
        cmocka_unit_test(errors_of_names),  cmocka_unit_test(places),
        cmocka_unit_test(compounds),        cmocka_unit_test(divided_blocks),
        cmocka_unit_test(nothing_happened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
