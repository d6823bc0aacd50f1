/* MATs and graphs on the running example of Ganai and Wang: exact sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/out.h"
#include "model/ctp.h"
#include "model/run.h"
#include "solve/window.h"
#include "states.h"
#include "tsg/rpt.h"

#include <string.h>

static const char *const example =
    "shared X = 0, Y = 0, Z = 0\nlock L\n"
    "thread A { a1: acq L  a2: p := Z  a3: X := p + 1  a4: rel L  a5: Y := p + 2 }\n"
    "thread B { b1: q := Y  b2: acq L  b3: r := X  b4: Z := r + 1  b5: rel L  b6: Y := q + r }\n";

static au_model *read_text(const char *text) {
    au_error err = AU_ERROR_NONE;
    au_model *m = au_ctp_read(text, strlen(text), "test.ctp", NULL, &err);
    if (!m)
        fail_msg("%s", err.text);
    au_model_observe(m);
    return m;
}

static au_tsg *graph(const au_model *m, au_tsg_kind kind) {
    return au_tsg_new(m, &(au_tsg_options){.kind = kind});
}

/* Control states as the paper writes them: the place along the thread. */
static void put_state(au_out *o, const au_facts *f, uint32_t node) {
    uint32_t t = f->owner[node], n = 0, at = au_facts_entry(f, t);
    while (at != node) {
        at = au_facts_dst(f, au_facts_node(f, at)->out.at[0]);
        n++;
    }
    if (node == au_facts_exit(f, t))
        au_out_printf(o, "J%c", 'a' + (int)t);
    else
        au_out_printf(o, "%u%c", n + 1, 'a' + (int)t);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted and joined by blanks. */
static void is_set(char **part, size_t n, const char *want) {
    qsort(part, n, sizeof *part, by_text);
    au_out *o = au_out_memory();
    for (size_t i = 0; i < n; i++) {
        au_out_printf(o, "%s%s", i ? " " : "", part[i]);
        free(part[i]);
    }
    assert_string_equal(au_out_memory_data(o, NULL), want);
    au_out_abandon(o);
}

static char *taken(au_out *o) {
    char *s = au_strdup(au_out_memory_data(o, NULL));
    au_out_abandon(o);
    return s;
}

static void mats_are(const au_tsg *g, const char *want) {
    char *part[64];
    assert_true(g->mats.n < 64);
    for (size_t i = 0; i < g->mats.n; i++) {
        au_out *o = au_out_memory();
        for (int k = 0; k < 2; k++) {
            put_state(o, &g->facts, g->mats.at[i].t[k].begin);
            au_out_char(o, '-');
            put_state(o, &g->facts, g->mats.at[i].t[k].end);
            if (!k)
                au_out_char(o, ',');
        }
        part[i] = taken(o);
    }
    is_set(part, g->mats.n, want);
}

static void switches_are(const au_tsg *g, const char *want) {
    char *part[64];
    assert_true(g->ce.n < 64);
    for (size_t i = 0; i < g->ce.n; i++) {
        au_out *o = au_out_memory();
        put_state(o, &g->facts, g->node.at[g->ce.at[i].from]);
        au_out_char(o, '>');
        put_state(o, &g->facts, g->node.at[g->ce.at[i].to]);
        part[i] = taken(o);
    }
    is_set(part, g->ce.n, want);
}

static void transactions_are(const au_tsg *g, const char *want) {
    char *part[64];
    assert_true(g->te.n < 64);
    for (size_t i = 0; i < g->te.n; i++) {
        au_out *o = au_out_memory();
        put_state(o, &g->facts, g->node.at[g->te.at[i].from]);
        au_out_char(o, '-');
        put_state(o, &g->facts, g->node.at[g->te.at[i].to]);
        part[i] = taken(o);
    }
    is_set(part, g->te.n, want);
}

static void test_genmat(void **state) {
    (void)state;
    au_model *m = read_text(example);
    au_tsg *g = graph(m, AU_TSG_MAT);
    mats_are(g, "1a-2a,3b-6b 1a-5a,2b-3b 1a-Ja,1b-2b 1a-Ja,6b-Jb 2a-Ja,6b-Jb 5a-Ja,2b-Jb "
                "5a-Ja,3b-Jb");
    assert_int_equal(g->mat_switches, 12);
    assert_int_equal(g->unreachable, 2);
    assert_int_equal(g->added, 0);
    assert_int_equal(g->nodes, 9);
    transactions_are(g, "1a-2a 1b-2b 2a-5a 2b-3b 3b-6b 5a-Ja 6b-Jb");
    assert_int_equal(g->ce.n, 10);
    au_tsg_free(g);
    au_model_free(m);
}

static void test_genmat_prime(void **state) {
    (void)state;
    au_model *m = read_text(example);
    au_tsg *g = graph(m, AU_TSG_MAT_PRIME);
    mats_are(g, "1a-5a,2b-6b 1a-Ja,1b-2b 1a-Ja,6b-Jb 5a-Ja,2b-Jb 5a-Ja,6b-Jb");
    assert_int_equal(g->mat_switches, 8);
    assert_int_equal(g->unreachable, 0);
    assert_int_equal(g->added, 0);
    assert_int_equal(g->nodes, 7);
    transactions_are(g, "1a-5a 1b-2b 2b-6b 5a-Ja 6b-Jb");
    switches_are(g, "2b>1a 5a>2b 6b>1a Ja>1b Ja>2b Ja>6b Jb>1a Jb>5a");
    au_tsg_free(g);
    au_model_free(m);
}

static void test_ccfg(void **state) {
    (void)state;
    au_model *m = read_text(example);
    au_tsg *g = graph(m, AU_TSG_CCFG);
    assert_int_equal(g->nodes, 13);
    assert_int_equal(g->te.n, 11);
    assert_int_equal(g->mats.n, 0);
    au_tsg_free(g);
    au_model_free(m);
}

/* --- models that the paper's sets lose something of ------------------------------------------- */

static bool may(void *ctx, uint32_t thread, uint32_t node, uint32_t to, uint32_t at) {
    const au_tsg *g = ctx;
    return au_tsg_may_switch(g, g->facts.base[thread] + node, g->facts.base[to] + at);
}

/* What exploring along the graph's switches loses, NULL: nothing. */
static const char *lost(const au_model *m, au_tsg_options o, size_t *added) {
    au_states full, some;
    au_tsg *g = au_tsg_new(m, &o);
    au_states_walk(m, &(au_states_how){.most = 100000}, &full);
    au_states_walk(m, &(au_states_how){.may = may, .ctx = g, .most = 300000}, &some);
    assert_true(full.all && some.all);
    const char *what = au_states_less(&full, &some);
    *added = g->added;
    au_states_release(&full);
    au_states_release(&some);
    au_tsg_free(g);
    return what;
}

static void test_adequate(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool enough; /* the MATs are, by themselves */
    } kept[] = {
        /* GenMAT' finds no feasible MAT from (entry, after the read): an infeasible one then */
        {"shared x = 0\nlock l\nthread A { acq l  p := x  rel l }\n"
         "thread B { x := 1  acq l  rel l }",
         true},
        {"shared z = 1\nlock l\nthread A { z := 0  acq l  rel l }\n"
         "thread B { acq l  p := z  rel l }",
         true},
        {"shared x = 1\nthread A { x := 0 }\nthread B { p := x  x := 1 }\nthread C { q := x }",
         false},
        {"shared y = 0, z = 1\nlock k\nthread A { p := z  y := 1 }\n"
         "thread B { acq k  q := y  rel k }\nthread C { acq k  z := 0  rel k }",
         false},
        {"thread A { fork B }\nthread B { nop }", false},
        {"shared x = 0\nthread A { if (x) { nop } else { u := x } }\nthread B { x := 1 }", false},
    };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        au_model *m = read_text(kept[i].text);
        size_t added;
        for (int k = AU_TSG_CCFG; k <= AU_TSG_MAT_PRIME; k++)
            for (int lean = 1; lean >= 0; lean--)
                assert_null(
                    lost(m, (au_tsg_options){.kind = (au_tsg_kind)k, .lean = lean}, &added));
        assert_int_equal(added == 0, kept[i].enough);
        if (!kept[i].enough && i != 3)
            assert_non_null(
                lost(m, (au_tsg_options){.kind = AU_TSG_MAT_PRIME, .bare = true}, &added));
        au_model_free(m);
    }
}

/* --- ranges ---------------------------------------------------------------------------------- */

static au_metric metric(const au_model *m, au_tsg_kind kind, au_rpt_options o) {
    au_tsg *g = graph(m, kind);
    au_rpt *r = au_rpt_new(g, &o);
    au_metric x;
    au_rpt_metric(r, &x);
    au_rpt_free(r);
    au_tsg_free(g);
    return x;
}

/* The example has Y <= 5 at B's end on the TSG; bits fall from CCFG to TSG to TSG'. */
static void test_example_ranges(void **state) {
    (void)state;
    au_model *m = read_text(example);
    for (unsigned look = 0; look < 3; look++) {
        au_metric x[3];
        for (int k = 0; k < 3; k++)
            x[k] = metric(m, (au_tsg_kind)k, (au_rpt_options){.look_ahead = look});
        assert_true(x[0].local >= x[1].local && x[1].local >= x[2].local);
        assert_true(x[0].global >= x[1].global && x[1].global >= x[2].global);
        assert_true(x[2].local <= 6 && x[2].global <= 43); /* the paper's */
    }
    au_tsg *g = graph(m, AU_TSG_MAT_PRIME);
    au_rpt *r = au_rpt_new(g, &(au_rpt_options){0});
    const au_interval *end = r->at[g->number[au_facts_exit(&g->facts, 1)]];
    assert_true(end[r->slot[1]].high <= 5); /* Y */
    au_rpt_free(r);
    au_tsg_free(g);
    au_model_free(m);
}

static void test_unreachable(void **state) {
    (void)state;
    au_model *m = read_text("shared x = 0, y = 0\nthread A { x := 3 }\n"
                            "thread B { b := x  if (b > 5) { y := 1 } else { y := 2 } "
                            "assert y == 2  assert b < 3 }");
    au_metric x = metric(m, AU_TSG_MAT_PRIME, (au_rpt_options){0});
    assert_int_equal(x.unreached, 1);
    assert_int_equal(x.asserts, 2);
    assert_int_equal(x.proved, 1);
    au_model_free(m);
}

/* A part of a run has one side of a branch only: a thread may stay before it. */
static void test_branch_of_a_window(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    const char *text = "shared x = 0\n"
                       "thread A { a: x := 2 }\n"
                       "thread B { b: u := x if (u > 1) { c: x := 3 } }\n"
                       "trace a b-c\n";
    au_model *m = au_ctp_read(text, strlen(text), "window", NULL, &err);
    assert_non_null(m);
    for (size_t last = 2; last <= 3; last++) {
        au_window w;
        au_window_init(&w, m, 0, m->observed.n - (3 - last));
        au_facts f;
        au_facts_make(&f, w.m);
        unsigned branches = 0;
        for (uint32_t i = 0; i < w.m->step.n; i++)
            if (w.m->step.at[i].kind == AU_STEP_BRANCH) {
                assert_true(f.stops[i]);
                branches++;
            }
        assert_int_equal(branches, 1);
        au_facts_release(&f);
        au_window_release(&w);
    }
    au_facts f;
    au_facts_make(&f, m);
    for (uint32_t i = 0; i < m->step.n; i++)
        assert_false(f.stops[i]);
    au_facts_release(&f);
    au_model_free(m);
}

static void test_loops(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    static const char text[] =
        "shared x = 0\nthread A { i := 0  while (i < 10) { x := i  i := i + 1 }  assert i == 10 }\n"
        "thread B { b := x  assert b <= 9  assert b <= 8  while (1) { c := c + 1 } }";
    au_model *m =
        au_ctp_read(text, strlen(text), "loop.ctp", &(au_ctp_options){.unroll = AU_NONE}, &err);
    assert_non_null(m);
    assert_true(m->has_loops);
    au_metric x = metric(m, AU_TSG_MAT_PRIME, (au_rpt_options){0});
    assert_int_equal(x.asserts, 3);
    assert_int_equal(x.proved, 2);
    au_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_genmat),
        cmocka_unit_test(test_genmat_prime),
        cmocka_unit_test(test_ccfg),
        cmocka_unit_test(test_adequate),
        cmocka_unit_test(test_example_ranges),
        cmocka_unit_test(test_unreachable),
        cmocka_unit_test(test_branch_of_a_window),
        cmocka_unit_test(test_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
