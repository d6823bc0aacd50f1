/* The exact stage: circuits against evaluation, the figures of Wang et al., bounds, schedules. */
#include "model/ctp.h"
#include "model/run.h"
#include "solve/blast.h"
#include "solve/changes.h"
#include "solve/folds.h"
#include "solve/mutex.h"
#include "solve/range.h"
#include "solve/solve.h"
#include "solve/window.h"
#include "witness/check_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* --- circuits ---------------------------------------------------------------------- */

typedef struct {
    au_sat sat;
    au_blast blast;
    int bit[2][64];
} circuit;

static void variable(void *ctx, uint32_t var, unsigned width, int *into) {
    circuit *k = ctx;
    for (unsigned i = 0; i < width; i++)
        into[i] = k->bit[var][i] = au_sat_new(&k->sat);
}

/* The circuit of x gives what evaluation gives, for these values of its variables. */
static void check_value(circuit *k, const au_terms *t, au_term x, const int *out,
                        const uint64_t *value, const unsigned *width) {
    int assume[128];
    size_t n = 0;
    for (int v = 0; v < 2; v++)
        for (unsigned i = 0; i < width[v]; i++)
            if (k->bit[v][i])
                assume[n++] = value[v] >> i & 1 ? k->bit[v][i] : -k->bit[v][i];
    assert_int_equal(au_sat_solve(&k->sat, assume, n), 10);
    uint64_t got = 0;
    for (unsigned i = 0; i < au_term_width(t, x); i++)
        got |= (uint64_t)au_sat_value(&k->sat, out[i]) << i;
    assert_int_equal(got, au_term_eval(t, x, value));
}

static void check_term(au_terms *t, au_term x, unsigned wa, unsigned wb) {
    static circuit k;
    memset(&k, 0, sizeof k);
    unsigned width[2] = {wa, wb};
    int out[64];
    au_sat_init(&k.sat, false, false);
    au_blast_init(&k.blast, t, &k.sat, variable, &k);
    au_blast_term(&k.blast, x, out);
    for (uint64_t a = 0; a < 1u << wa; a++)
        for (uint64_t b = 0; b < 1u << wb; b++)
            check_value(&k, t, x, out, (uint64_t[]){a, b}, width);
    au_blast_release(&k.blast);
    au_sat_release(&k.sat);
}

static void test_circuits(void **state) {
    (void)state;
    for (unsigned w = 1; w <= 4; w++) {
        au_terms *t = au_terms_new();
        au_term a = au_term_of_var(t, 0, w), b = au_term_of_var(t, 1, w);
        for (int op = AU_T_NOT; op <= AU_T_SLE; op++)
            check_term(t, au_term_make(t, (au_term_op)op, a, b), w, w);
        check_term(t, au_term_make(t, AU_T_CONCAT, a, b), w, w);
        check_term(t, au_term_sext(t, a, w + 3), w, w);
        check_term(t, au_term_zext(t, a, w + 3), w, w);
        check_term(t, au_term_ite(t, au_term_eq(t, a, b), a, au_term_make(t, AU_T_NOT, b, b)), w,
                   w);
        check_term(t, au_term_extract(t, a, w / 2, w - w / 2), w, w);
        check_term(t, au_term_make(t, AU_T_MUL, au_term_make(t, AU_T_ADD, a, b), a), w, w);
        au_terms_free(t);
    }
}

/* Operands whose upper bits are zero, copies of the sign, or known: circuits that have no more bits than they need. */
static void test_narrow_circuits(void **state) {
    (void)state;
    static const unsigned wide[] = {4, 5, 6, 9};
    for (unsigned w = 1; w <= 3; w++)
        for (int i = 0; i < 4; i++)
            for (int how = 0; how < 5; how++)
                for (int op = AU_T_NOT; op <= AU_T_SLE; op++) {
                    au_terms *t = au_terms_new();
                    au_term a = au_term_of_var(t, 0, w), b = au_term_of_var(t, 1, w);
                    a = how & 1 ? au_term_sext(t, a, wide[i]) : au_term_zext(t, a, wide[i]);
                    b = how == 4  ? au_term_const(t, wide[i], 5)
                        : how & 2 ? au_term_sext(t, b, wide[i])
                                  : au_term_zext(t, b, wide[i]);
                    check_term(t, au_term_make(t, (au_term_op)op, a, b), w, w);
                    au_terms_free(t);
                }
}

static void test_wide_circuits(void **state) {
    (void)state;
    static const uint64_t some[] = {0,
                                    1,
                                    7,
                                    UINT64_C(0x80000000),
                                    UINT64_C(0xffffffff),
                                    UINT64_C(0x7fffffff),
                                    UINT64_C(0x123456789abcdef0),
                                    UINT64_MAX,
                                    UINT64_C(1) << 63,
                                    33};
    enum { SOME = sizeof some / sizeof *some };
    static const unsigned widths[] = {32, 64, 7};
    for (int i = 0; i < 3; i++)
        for (int op = AU_T_NOT; op <= AU_T_SLE; op++) {
            unsigned w = widths[i];
            uint64_t mask = w == 64 ? UINT64_MAX : (UINT64_C(1) << w) - 1;
            au_terms *t = au_terms_new();
            au_term a = au_term_of_var(t, 0, w), b = au_term_of_var(t, 1, w);
            au_term x = au_term_make(t, (au_term_op)op, a, b);
            static circuit k;
            memset(&k, 0, sizeof k);
            int out[64];
            au_sat_init(&k.sat, false, false);
            au_blast_init(&k.blast, t, &k.sat, variable, &k);
            au_blast_term(&k.blast, x, out);
            for (int p = 0; p < SOME; p++)
                for (int q = 0; q < SOME; q++)
                    check_value(&k, t, x, out, (uint64_t[]){some[p] & mask, some[q] & mask},
                                (unsigned[]){w, w});
            au_blast_release(&k.blast);
            au_sat_release(&k.sat);
            au_terms_free(t);
        }
}

static void test_gates_are_shared(void **state) {
    (void)state;
    au_sat s;
    au_sat_init(&s, true, false);
    int a = au_sat_new(&s), b = au_sat_new(&s);
    assert_int_equal(au_sat_and(&s, a, b), au_sat_and(&s, b, a));
    assert_int_equal(au_sat_xor(&s, a, b), -au_sat_xor(&s, -b, a));
    assert_int_not_equal(au_sat_and(&s, a, b), au_sat_xor(&s, a, b));
    assert_int_equal(au_sat_and(&s, a, -a), AU_LIT_FALSE);
    assert_int_equal(au_sat_ite(&s, AU_LIT_TRUE, a, b), a);
    au_sat_release(&s);
}

/* --- models -------------------------------------------------------------------------- */

static au_model *load(const char *name) {
    char path[512];
    au_error err = AU_ERROR_NONE;
    snprintf(path, sizeof path, "%s/tests/models/%s", AU_SOURCE_ROOT, name);
    au_model *m = au_ctp_load(path, NULL, &err);
    if (!m)
        fail_msg("%s", err.text);
    au_model_observe(m);
    return m;
}

static au_model *read_text(const char *text) {
    au_error err = AU_ERROR_NONE;
    au_model *m = au_ctp_read(text, strlen(text), "text", NULL, &err);
    if (!m)
        fail_msg("%s", err.text);
    au_model_observe(m);
    return m;
}

typedef struct {
    size_t sat, unsat, unknown, any_bound, most_changes;
} tally;

static tally ask_all(const au_model *m, const au_solve_options *o, unsigned props) {
    au_error err = AU_ERROR_NONE;
    au_solver *s = au_solver_new(m, o, &err);
    if (!s)
        fail_msg("%s", err.text);
    au_queries q = {0};
    au_solver_queries(s, props, AU_ATOMIC_AUTO, &q);
    tally n = {0};
    for (size_t i = 0; i < q.n; i++) {
        au_solution r;
        au_solver_ask(s, &q.at[i], NULL, &r);
        n.sat += r.answer == AU_SAT;
        n.unsat += r.answer == AU_UNSAT;
        n.unknown += r.answer == AU_UNKNOWN;
        n.any_bound += r.any_bound;
        size_t changes = 0;
        for (size_t k = 1; k < r.schedule.n; k++)
            changes +=
                m->step.at[r.schedule.at[k]].thread != m->step.at[r.schedule.at[k - 1]].thread;
        n.most_changes = changes > n.most_changes ? changes : n.most_changes;
        au_solution_release(&r);
    }
    au_vec_release(&q);
    au_solver_free(s);
    return n;
}

static size_t found(const char *name, au_semantics sem, bool whole, uint32_t bound,
                    unsigned props) {
    au_model *m = load(name);
    size_t n[2];
    for (int b = 0; b < 2; b++) {
        au_solve_options o = {.semantics = sem,
                              .whole = whole,
                              .context_bound = bound,
                              .backend = b ? AU_BACKEND_Z3 : AU_BACKEND_CADICAL};
        tally t = ask_all(m, &o, props);
        assert_int_equal(t.unknown, 0);
        n[b] = t.sat;
    }
    assert_int_equal(n[0], n[1]);
    au_model_free(m);
    return n[0];
}

static void test_figure_1(void **state) {
    (void)state;
    unsigned p = AU_PROP_ASSERT;
    assert_int_equal(found("fig1.ctp", AU_SEM_CTP, false, AU_NONE, p), 1);
    assert_int_equal(found("fig1.ctp", AU_SEM_MCM, false, AU_NONE, p), 0);
    assert_int_equal(found("fig1.ctp", AU_SEM_CTP, true, 1, p), 0);
    assert_int_equal(found("fig1.ctp", AU_SEM_CTP, true, 2, p), 1);
    assert_int_equal(found("fig1.ctp", AU_SEM_CTP, false, 0, p), 0);
    assert_int_equal(found("fig1.ctp", AU_SEM_CTP, false, 1, p), 1);
    assert_int_equal(found("fig7.ctp", AU_SEM_CTP, false, AU_NONE, p), 1);
    assert_int_equal(found("fig7.ctp", AU_SEM_MCM, false, AU_NONE, p), 1);
}

static void test_lifted_bound(void **state) {
    (void)state;
    au_model *m = load("fig1_holds.ctp");
    for (uint32_t bound = 0; bound < 3; bound++) {
        au_solve_options o = AU_SOLVE_DEFAULTS;
        o.context_bound = bound;
        tally t = ask_all(m, &o, AU_PROP_ASSERT);
        assert_int_equal(t.unsat, 1);
        assert_int_equal(t.any_bound, 1);
    }
    au_model_free(m);
    /* A bound that is what refutes it is not lifted. */
    m = load("fig1.ctp");
    au_solve_options o = AU_SOLVE_DEFAULTS;
    o.context_bound = 0;
    tally t = ask_all(m, &o, AU_PROP_ASSERT);
    assert_int_equal(t.unsat, 1);
    assert_int_equal(t.any_bound, 0);
    au_model_free(m);
}

static void test_other_figures(void **state) {
    (void)state;
    unsigned v = AU_PROP_ATOMICITY;
    assert_true(found("fig5.ctp", AU_SEM_CTP, false, AU_NONE, v) >
                found("fig5.ctp", AU_SEM_CTP, true, AU_NONE, v));
    assert_int_equal(found("fig9a.ctp", AU_SEM_CTP, false, AU_NONE, v), 0);
    assert_int_equal(found("fig9b.ctp", AU_SEM_CTP, false, AU_NONE, v), 0);
    assert_true(found("fig9a.ctp", AU_SEM_CAM, false, AU_NONE, v) > 0);
    assert_int_equal(found("fig9b.ctp", AU_SEM_CAM, false, AU_NONE, v), 0);
    assert_true(found("fig9a.ctp", AU_SEM_LOCKS, false, AU_NONE, v) > 0);
    assert_true(found("fig9b.ctp", AU_SEM_LOCKS, false, AU_NONE, v) > 0);
    assert_int_equal(found("fig11.ctp", AU_SEM_CTP, false, AU_NONE, AU_PROP_ASSERT), 1);
    assert_int_equal(found("deadlock_classic.ctp", AU_SEM_CTP, false, AU_NONE, AU_PROP_DEADLOCK),
                     1);
    assert_int_equal(found("deadlock_gate.ctp", AU_SEM_CTP, false, AU_NONE, AU_PROP_DEADLOCK), 0);
}

static void test_few_changes(void **state) {
    (void)state;
    au_model *m = load("fig1.ctp");
    au_solve_options o = AU_SOLVE_DEFAULTS;
    assert_int_equal(ask_all(m, &o, AU_PROP_ASSERT).most_changes, 1);
    au_model_free(m);
}

/* Threads that must run before the assertion of this text, and its own once more: so many changes at least. */
static uint32_t least_changes(const char *text, au_semantics semantics) {
    au_model *m = read_text(text);
    uint32_t step = 0, n = 0;
    while (m->step.at[step].kind != AU_STEP_ASSERT)
        step++;
    au_query q = au_query_about(AU_ASK_ASSERT, step);
    while (au_changes_exceed(m, semantics, &q, n))
        n++;
    au_model_free(m);
    return n;
}

static void test_least_changes(void **state) {
    (void)state;
    static const char *const two = "thread A { x := 1 }\nthread B { x := 2 }\n";
    static const struct {
        const char *main;
        uint32_t least;
    } all[] = {
        {"fork A fork B join A join B assert x == 1", 3}, /* M A B M */
        {"fork A fork B join B assert x == 1", 2},
        {"fork A fork B assert x == 1", 0},
        {"fork A fork B if (x == 1) { join A } else { x := 3 } join B assert x == 1", 2},
        {"assert x == 1 fork A fork B join A join B", 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[400];
        snprintf(text, sizeof text, "shared x = 0\nthread M { %s }\n%s", all[i].main, two);
        assert_int_equal(least_changes(text, AU_SEM_CTP), all[i].least);
        assert_int_equal(least_changes(text, AU_SEM_LOCKS), 0); /* forks and joins do not count */
    }
    /* asserted by the one that was forked; and by the last of a chain */
    assert_int_equal(
        least_changes("shared x = 0\nthread M { fork A }\nthread A { assert x == 1 }\n",
                      AU_SEM_CTP),
        1);
    assert_int_equal(least_changes("shared x = 0\nthread M { fork A }\nthread A { fork B }\n"
                                   "thread B { assert x == 1 }\n",
                                   AU_SEM_CTP),
                     2);
}

/* Of the accesses at these lines: a race of two, a triple of three. */
static uint32_t least_of(au_ask_kind kind, const uint32_t *line, const char *text) {
    au_model *m = read_text(text);
    au_query q = au_query_about(kind, AU_NONE);
    uint32_t n = 0;
    for (int i = 0; i < (kind == AU_ASK_RACE ? 2 : 3); i++)
        for (uint32_t s = 0; s < m->step.n; s++)
            if (m->step.at[s].line == line[i] && m->step.at[s].n_accesses)
                q.step[i] = s;
    while (au_changes_exceed(m, AU_SEM_CTP, &q, n))
        n++;
    au_model_free(m);
    return n;
}

static void test_least_changes_of_pairs(void **state) {
    (void)state;
    static const char *const text = "shared x = 0, y = 0\n"
                                    "thread M { fork A fork B\n"
                                    "x := 1\n"
                                    "join A\n"
                                    "x := 2 }\n"
                                    "thread A { atomic {\n"
                                    "x := 3\n"
                                    "x := 4 } }\n"
                                    "thread B {\n"
                                    "x := 5 }\n";
    static const uint32_t a_m[] = {7, 3}, b_a[] = {10, 7}, b_a2[] = {10, 8}, b_m2[] = {10, 5},
                          a_m_a[] = {7, 3, 8};
    assert_int_equal(least_of(AU_ASK_RACE, a_m, text), 0);  /* M */
    assert_int_equal(least_of(AU_ASK_RACE, b_a, text), 0);  /* M */
    assert_int_equal(least_of(AU_ASK_RACE, b_a2, text), 1); /* M A */
    assert_int_equal(least_of(AU_ASK_RACE, b_m2, text),
                     1); /* M and A; that it takes M twice is not seen */
    assert_int_equal(least_of(AU_ASK_ATOMICITY, a_m_a, text), 3); /* M A M A */
}

/* The answer, and whether it took a search. */
static au_answer ask_deadlock(const char *text, bool *searched) {
    au_model *m = read_text(text);
    au_error err = AU_ERROR_NONE;
    au_solve_options o = AU_SOLVE_DEFAULTS;
    au_solver *s = au_solver_new(m, &o, &err);
    assert_non_null(s);
    au_solution r;
    au_solve_stats st;
    au_query q = au_query_about(AU_ASK_DEADLOCK, AU_NONE);
    au_solver_ask(s, &q, NULL, &r);
    au_solver_stats(s, &st);
    *searched = st.rounds > 0;
    au_answer a = r.answer;
    au_solution_release(&r);
    au_solver_free(s);
    au_model_free(m);
    return a;
}

static void test_stuck(void **state) {
    (void)state;
    static const struct {
        const char *text;
        au_answer answer;
        bool searched;
    } all[] = {
        /* sections that wait for nothing; joins of threads that go on */
        {"shared x = 0\nlock a, b\nthread M { fork A fork B join A join B }\n"
         "thread A { acq a x := 1 rel a acq b x := 2 rel b }\n"
         "thread B { acq b x := 3 rel b acq a x := 4 rel a }\n",
         AU_UNSAT, false},
        /* nested, in one order */
        {"lock a, b\nthread A { acq a acq b rel b rel a }\nthread B { acq a acq b rel b rel a }\n",
         AU_UNSAT, false},
        /* … in both */
        {"lock a, b\nthread A { acq a acq b rel b rel a }\nthread B { acq b acq a rel a rel b }\n",
         AU_SAT, true},
        /* a thread that ends with the lock; one that joins another with the lock that it needs */
        {"lock a\nthread A { acq a }\nthread B { acq a rel a }\n", AU_SAT, true},
        {"lock a\nthread M { fork B acq a join B rel a }\nthread B { acq a rel a }\n", AU_SAT,
         true},
        {"lock a\nthread M { fork B acq a rel a join B }\nthread B { acq a rel a }\n", AU_UNSAT,
         false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool searched;
        assert_int_equal(ask_deadlock(all[i].text, &searched), all[i].answer);
        assert_int_equal(searched, all[i].searched);
    }
}

/* --- locks and folds -------------------------------------------------------------------- */

static const char *const counter = "shared x = 3, y = 0, z = 0, f = 0, g = 0\nlock l\n"
                                   "thread A { acq l  x := x + 2  y := y + 1  rel l  [z := z + 1]  "
                                   "[f := (f & ~12) | 4] [g := g | 1] }\n"
                                   "thread B { acq l  a := x  x := a - 1  rel l  y := y + 1  [z := "
                                   "z - 4]  [f := f ^ 3] [g := g & 2] }\n";

static void test_folds(void **state) {
    (void)state;
    au_model *m = read_text(counter);
    au_cssa_options o = {AU_SEM_CTP, false, false, false};
    au_error err = AU_ERROR_NONE;
    au_cssa *c = au_cssa_new(m, &o, &err);
    assert_non_null(c);
    au_mutexes x;
    au_folds s;
    au_ranges g;
    au_mutexes_make(&x, c, true);
    au_folds_make(&s, c, &x, true);
    au_ranges_make(&g, c, false, NULL);
    assert_true(x.well_used[0]);
    assert_int_equal(x.section.n, 2);
    assert_true(x.section.at[0].leaf && x.section.at[1].leaf);
    /* y: not always under the lock; g: bit 0 is set and cleared */
    static const uint8_t fold[] = {AU_FOLD_SUM, AU_FOLD_NONE, AU_FOLD_SUM, AU_FOLD_BITS,
                                   AU_FOLD_NONE};
    for (uint32_t v = 0; v < 5; v++) {
        const char *names[] = {"x", "y", "z", "f", "g"};
        for (uint32_t i = 0; i < m->var.n; i++)
            if (m->var.at[i].kind == AU_VAR_SHARED && !strcmp(m->var.at[i].name, names[v]))
                assert_int_equal(s.kind[i], fold[v]);
    }
    for (size_t i = 0; i < g.read.n; i++) /* 6 stores of sums, at most 4 each */
        assert_true(g.read.at[i].low <= g.read.at[i].high && g.read.at[i].high < 3 + 4 * 8 &&
                    g.read.at[i].low > -4 * 8);
    au_ranges_release(&g);
    au_folds_release(&s);
    au_mutexes_release(&x);
    au_cssa_free(c);
    au_model_free(m);
}

/* n threads of n increments; with a lock the sum is always right. */
static char *increments(int n, bool locked) {
    au_out *o = au_out_memory();
    au_out_str(o, "shared x = 0\nlock l\nthread M {\n");
    for (int i = 0; i < n; i++)
        au_out_printf(o, "fork T%d\n", i);
    for (int i = 0; i < n; i++)
        au_out_printf(o, "join T%d\n", i);
    au_out_printf(o, "assert x == %d\n}\n", n * n);
    for (int i = 0; i < n; i++) {
        au_out_printf(o, "thread T%d {\n", i);
        for (int k = 0; k < n; k++)
            au_out_str(o, locked ? "acq l x := x + 1 rel l\n" : "x := x + 1\n");
        au_out_str(o, "}\n");
    }
    size_t size;
    const char *data = au_out_memory_data(o, &size);
    char *text = au_strndup(data, size);
    au_out_abandon(o);
    return text;
}

static void test_increments(void **state) {
    (void)state;
    for (int locked = 0; locked < 2; locked++) {
        char *text = increments(5, locked);
        au_model *m = read_text(text);
        au_solve_options o = AU_SOLVE_DEFAULTS;
        tally t = ask_all(m, &o, AU_PROP_ASSERT);
        assert_int_equal(t.sat, !locked);
        assert_int_equal(t.unsat, locked);
        au_model_free(m);
        free(text);
    }
}

/* Far into a long run: the window is small, the schedule is one of the whole model. */
static void test_windows(void **state) {
    (void)state;
    au_out *o = au_out_memory();
    au_out_str(o, "shared x = 0, y = 0, z = 0\nlock l\nthread A {\n");
    for (int i = 0; i < 100; i++)
        au_out_str(o, "acq l x := x + 1 rel l\n");
    au_out_str(o, "a: y := 1\nb: y := x\n}\nthread B {\n");
    for (int i = 0; i < 100; i++)
        au_out_str(o, "acq l x := x + 1 rel l\n");
    au_out_str(o, "acq l\nc: assert y == 200 - z\nrel l\n}\n");
    size_t size;
    const char *data = au_out_memory_data(o, &size);
    char *text = au_strndup(data, size);
    au_out_abandon(o);
    au_model *m = read_text(text);
    au_solve_options so = AU_SOLVE_DEFAULTS;
    uint32_t a = AU_NONE, c = AU_NONE;
    for (uint32_t i = 0; i < m->step.n; i++) {
        if (!strcmp(au_step_label(m, &m->step.at[i]), "a"))
            a = i;
        /* the assert reads y, then z */
        if (!strcmp(au_step_label(m, &m->step.at[i]), "c") && c == AU_NONE)
            c = i;
    }
    au_query q = {.kind = AU_ASK_RACE,
                  .step = {a, c, AU_NONE},
                  .var = m->step.at[a].access[0].var,
                  .obj = AU_NONE,
                  .writer = AU_NONE};
    au_solution r;
    au_solve_in_window(m, &so, &q, NULL, 50, &r); /* 300 steps apart */
    assert_int_equal(r.answer, AU_UNKNOWN);
    assert_true(*r.why);
    au_solution_release(&r);
    au_solve_in_window(m, &so, &q, NULL, 700, &r);
    assert_int_equal(r.answer, AU_SAT);
    au_model_event event[2] = {{r.event.at[0].step, r.event.at[0].index},
                               {r.event.at[1].step, r.event.at[1].index}};
    au_model_finding f = {
        .kind = AU_KIND_RACE, .var = q.var, .obj = AU_NONE, .event = event, .n_events = 2};
    uint64_t done[2] = {0};
    f.schedule.turn = au_alloc_array(r.shown, sizeof *f.schedule.turn);
    for (size_t i = 0; i < r.shown; i++) {
        uint32_t t = m->step.at[r.schedule.at[i]].thread;
        f.schedule.turn[f.schedule.n++] = (au_turn){.upto = ++done[t], .thread = (uint16_t)t};
    }
    au_check_result seen;
    au_model_check_schedule(m, &f, &seen, NULL);
    assert_int_equal(seen.verdict, AU_CHECK_SHOWN);
    free(f.schedule.turn);
    au_solution_release(&r);
    au_model_free(m);
    free(text);
}

/* A question that takes too long is not answered. */
static void test_time_limit(void **state) {
    (void)state;
    char *text = increments(8, false);
    au_model *m = read_text(text);
    au_solve_options o = AU_SOLVE_DEFAULTS;
    au_error err = AU_ERROR_NONE;
    au_solver *s = au_solver_new(m, &o, &err);
    assert_non_null(s);
    au_queries q = {0};
    au_solver_queries(s, AU_PROP_ASSERT, AU_ATOMIC_AUTO, &q);
    assert_int_equal(q.n, 1);
    au_solution r;
    au_solver_ask(s, &q.at[0], &(au_solve_limits){.seconds = 1e-9}, &r);
    assert_int_equal(r.answer, AU_UNKNOWN);
    assert_true(*r.why);
    au_solution_release(&r);
    au_solver_ask(s, &q.at[0], NULL, &r); /* and can be asked again */
    assert_int_equal(r.answer, AU_SAT);
    au_solution_release(&r);
    au_vec_release(&q);
    au_solver_free(s);
    au_model_free(m);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_circuits),
        cmocka_unit_test(test_narrow_circuits),
        cmocka_unit_test(test_wide_circuits),
        cmocka_unit_test(test_gates_are_shared),
        cmocka_unit_test(test_stuck),
        cmocka_unit_test(test_figure_1),
        cmocka_unit_test(test_lifted_bound),
        cmocka_unit_test(test_other_figures),
        cmocka_unit_test(test_few_changes),
        cmocka_unit_test(test_least_changes),
        cmocka_unit_test(test_least_changes_of_pairs),
        cmocka_unit_test(test_folds),
        cmocka_unit_test(test_increments),
        cmocka_unit_test(test_time_limit),
        cmocka_unit_test(test_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
