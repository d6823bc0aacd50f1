/* The static half: domains on known cases, unrolled models, the stages on small programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/ctp.h"
#include "scan/bmc.h"

#include <string.h>

static au_model *model(const char *text) {
    au_error err = AU_ERROR_NONE;
    au_ctp_options o = {.unroll = AU_NONE};
    au_model *m = au_ctp_read(text, strlen(text), "test", &o, &err);
    if (!m)
        fail_msg("%s", err.text);
    return m;
}

static au_domain *domain(const au_model *m, au_domain_kind kind) {
    bool *all = au_alloc_array(m->var.n, sizeof *all);
    memset(all, 1, m->var.n * sizeof *all);
    au_domain *d = au_domain_new(m, kind, all);
    free(all);
    return d;
}

static uint32_t labelled(const au_model *m, const char *label) {
    for (uint32_t i = 0; i < m->step.n; i++)
        if (!strcmp(au_step_label(m, &m->step.at[i]), label))
            return i;
    fail_msg("no step '%s'", label);
    return 0;
}

static uint32_t var(const au_model *m, const char *name) {
    for (uint32_t i = 0; i < m->var.n; i++)
        if (!strcmp(m->var.at[i].name, name))
            return i;
    fail_msg("no variable '%s'", name);
    return 0;
}

static void run(au_domain *d, const au_model *m, au_abs *a, const char *label) {
    const au_step *s = &m->step.at[labelled(m, label)];
    au_abs_assume(d, a, s->guard, true);
    au_abs_assign(d, a, s->update, s->n_updates);
    if (s->havoc != AU_NONE)
        au_abs_havoc(d, a, s->havoc);
}

static void expect_range(au_domain *d, const au_model *m, const au_abs *a, const char *name,
                         int64_t low, int64_t high) {
    au_interval v = au_abs_range(d, a, var(m, name));
    assert_int_equal(v.low, low);
    assert_int_equal(v.high, high);
}

/* Example 2 of Kahlon et al. 2009: <x = 5, (x = l and l = 5)>, x := 10 of thread 1. */
static void test_meld(void **state) {
    (void)state;
    au_model *m = model("shared x = 5\nthread T1 { a: x := 10 }\n"
                        "thread T2 { b: l := x  c: assert l == x }\n");
    for (int k = 0; k < AU_DOMAINS; k++) {
        au_domain *d = domain(m, (au_domain_kind)k);
        au_abs *s = au_abs_initial(d);
        run(d, m, s, "b");
        run(d, m, s, "a");
        expect_range(d, m, s, "x", 10, 10);
        expect_range(d, m, s, "l", 5, 5);
        au_abs_free(d, s);
        au_domain_free(d);
    }
    au_model_free(m);
}

/* What the other thread's step does not touch stays related. */
static void test_relations(void **state) {
    (void)state;
    au_model *m = model("shared x = 0, y = 0\nthread T1 { h: havoc x  a: y := 7 }\n"
                        "thread T2 { b: l := x  c: assert l == x  d: assert l <= y }\n");
    for (int k = AU_DOMAIN_OCTAGON; k < AU_DOMAINS; k++) {
        au_domain *d = domain(m, (au_domain_kind)k);
        au_abs *s = au_abs_initial(d);
        run(d, m, s, "h");
        run(d, m, s, "b");
        run(d, m, s, "a");
        au_abs_assume(d, s, m->step.at[labelled(m, "c")].cond, false);
        assert_true(au_abs_none(s)); /* l == x, whatever x is */
        au_abs_free(d, s);
        au_domain_free(d);
    }
    au_model_free(m);
}

/* PPL's integers do not wrap; C's do. */
static void test_wrap(void **state) {
    (void)state;
    au_model *m = model("shared x = 2147483647, y = 0\n"
                        "thread T1 { a: [x := x + 1]  b: havoc y  c: assume y > 5  d: l := y  "
                        "e: y := l + 10  f: assert y > l }\n");
    for (int k = 0; k < AU_DOMAINS; k++) {
        au_domain *d = domain(m, (au_domain_kind)k);
        au_abs *s = au_abs_initial(d);
        run(d, m, s, "a");
        expect_range(d, m, s, "x", INT32_MIN, INT32_MIN);
        run(d, m, s, "b");
        run(d, m, s, "c");
        run(d, m, s, "d");
        run(d, m, s, "e");
        au_abs *bad = au_abs_copy(d, s);
        au_abs_assume(d, bad, m->step.at[labelled(m, "f")].cond, false);
        assert_false(au_abs_none(bad)); /* y may have wrapped */
        au_abs_free(d, bad);
        au_abs_free(d, s);
        au_domain_free(d);
    }
    au_model_free(m);
}

static void scan(au_model *m, au_scan_stage last, bool no_spurious, au_scan_result *r) {
    au_error err = AU_ERROR_NONE;
    au_scan_options o = AU_SCAN_DEFAULTS;
    o.last = last;
    o.in_process = true;
    o.no_spurious = no_spurious;
    assert_int_equal(au_scan_run(m, &o, r, &err), AU_OK);
}

static const au_warning *race(const au_model *m, const au_scan_result *r, const char *a,
                              const char *b) {
    uint32_t s = labelled(m, a), t = labelled(m, b);
    for (size_t i = 0; i < r->warning.n; i++)
        for (size_t p = 0; p < r->warning.at[i].place.n; p++) {
            const au_scan_place *w = &r->warning.at[i].place.at[p];
            if (r->warning.at[i].kind == AU_KIND_RACE &&
                ((w->step[0] == s && w->step[1] == t) || (w->step[0] == t && w->step[1] == s)))
                return &r->warning.at[i];
        }
    fail_msg("no warning about %s and %s", a, b);
    return NULL;
}

#define ALLOC(n)                                                                                   \
    "thread Alloc" n " { while (1) { acq plk  if (pg >= 3) { wait c plk  [pg := pg + 1]  rel plk " \
    "} else { acq cl  rel plk  havoc page  a12" n ": sh := 5  if (page != 0) { [pg := pg + 1] }  " \
    "rel cl } } }\n"
#define DEALLOC                                                                                    \
    "thread Dealloc { while (1) { acq plk  if (pg == 3) { b3: sh := 2  [pg := pg - 1]  signal c  " \
    "rel plk } else { acq cl  rel plk  if (pg > 0) { [pg := pg - 1] }  b12: sh := 4  rel cl } } "  \
    "}\n"
#define NAMES "shared pg = 0, sh = 0\nlock plk\nlock cl\ncond c\n"

/* Figure 1: one allocator, and two. */
static void test_fig1(void **state) {
    (void)state;
    au_scan_result r;
    au_model *m = model(NAMES ALLOC("1") DEALLOC);
    scan(m, AU_SCAN_BOX, true, &r);
    assert_int_equal(race(m, &r, "a121", "b3")->end, AU_SCAN_GONE);
    assert_int_equal(race(m, &r, "a121", "b3")->gone, AU_SCAN_BOX);
    assert_int_equal(race(m, &r, "a121", "b12")->gone, AU_SCAN_LOCKSET);
    au_scan_result_release(&r);
    au_model_free(m);
    m = model(NAMES ALLOC("1") ALLOC("2") DEALLOC);
    scan(m, AU_SCAN_BOX, true, &r);
    assert_int_equal(race(m, &r, "a121", "b3")->end, AU_SCAN_UNDECIDED);
    au_scan_result_release(&r);
    au_model_free(m);
}

/* Loops unrolled: the model is one, and holds what it should. */
static void test_unroll(void **state) {
    (void)state;
    au_model *m =
        model("shared x = 0\nlock l\nthread T1 { i := 0  while (i < 3) { acq l  a: x := i  "
              "rel l  i := i + 1 }  j: x := 9 }\n"
              "thread T2 { while (1) { b: y := x } }\n");
    for (uint32_t layers = 1; layers < 6; layers++) {
        au_unroll_options o = {.layers = layers, .target = {labelled(m, "a"), labelled(m, "b")}};
        au_unrolled u;
        au_unroll(m, &o, &u);
        u.m->has_loops = false;
        const char *wrong = au_model_check(u.m);
        if (wrong)
            fail_msg("%s", wrong);
        assert_true(u.target[0] != AU_NONE && u.target[1] != AU_NONE);
        assert_int_equal(u.origin.n, u.m->step.n);
        au_unrolled_release(&u);
    }
    au_model_free(m);
}

/* Impossible for good, undecided, and a schedule that needs three rounds. */
static void test_solver(void **state) {
    (void)state;
    au_scan_result r;
    au_model *m =
        model("shared x = 0, go = 0\nthread T1 { i := 0  while (i < 3) { i := i + 1 }  go := "
              "i * i  a: x := 1 }\n"
              "thread T2 { g := go  if (g * g == 81) { b: x := 2 }  "
              "if (g * g == 80) { c: x := 3 } }\n");
    scan(m, AU_SCAN_SOLVER, false, &r);
    assert_int_equal(race(m, &r, "a", "b")->end, AU_SCAN_WITNESSED);
    assert_int_equal(race(m, &r, "a", "b")->bound, 0); /* by going there */
    assert_int_equal(race(m, &r, "a", "c")->end, AU_SCAN_GONE);
    au_scan_result_release(&r);
    au_model_free(m);
    m = model("shared x = 0, go = 0\nthread T1 { i := 0  while (i < 3) { i := i + 1 }  go := "
              "i * i  a: x := 1 }\n"
              "thread T2 { g := go  havoc h  if (h * h == 1369 && g == 9) { b: x := 2 } }\n");
    scan(m, AU_SCAN_SOLVER, false, &r);
    assert_int_equal(race(m, &r, "a", "b")->end, AU_SCAN_WITNESSED);
    assert_int_equal(race(m, &r, "a", "b")->bound, 4); /* 37 nobody would try */
    au_scan_result_release(&r);
    au_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meld),   cmocka_unit_test(test_relations),
        cmocka_unit_test(test_wrap),   cmocka_unit_test(test_fig1),
        cmocka_unit_test(test_unroll), cmocka_unit_test(test_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
