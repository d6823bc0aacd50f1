/* The oracle on the answers that the papers state (docs/papers.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/ctp.h"
#include "oracle_answer.h"

#include <stdio.h>
#include <string.h>

#define MODELS AU_SOURCE_ROOT "/tests/models/"

static au_model *read_text(const char *text) {
    au_error err = AU_ERROR_NONE;
    au_ctp_options how = {.unroll = 3};
    au_model *m = au_ctp_read(text, strlen(text), "test.ctp", &how, &err);
    if (!m)
        fail_msg("%s", err.text);
    return m;
}

static au_model *load(const char *name) {
    char path[4096];
    au_error err = AU_ERROR_NONE;
    snprintf(path, sizeof path, MODELS "%s.ctp", name);
    au_model *m = au_ctp_load(path, NULL, &err);
    if (!m)
        fail_msg("%s", err.text);
    return m;
}

static answer ask_model(au_model *m, au_oracle_options o) {
    au_error err = AU_ERROR_NONE;
    answer a = {m, au_oracle_run(m, &o, &err)};
    if (!a.r)
        fail_msg("%s", err.text);
    assert_true(a.r->exhaustive);
    return a;
}

static answer ask(const char *name, au_oracle_options o) {
    return ask_model(load(name), o);
}

/* Is there a finding of this kind with exactly these labels? */
static bool has(const answer *a, au_found kind, const char *l0, const char *l1, const char *l2) {
    return au_answer_find(a, kind, l0, l1, l2) != NULL;
}

static bool sees(const answer *a, const char *read, const char *writer) {
    for (size_t i = 0; i < a->r->read_from.n; i++) {
        const au_read_from *f = &a->r->read_from.at[i];
        if (!strcmp(au_answer_label(a, f->read), read) &&
            !strcmp(au_answer_label(a, f->writer), writer))
            return true;
    }
    return false;
}

static unsigned fails(const char *name, au_semantics s, bool whole, uint32_t bound) {
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    o.semantics = s;
    o.whole = whole;
    o.context_bound = bound;
    answer a = ask(name, o);
    unsigned n = au_answer_count(&a, AU_FOUND_ASSERT);
    au_answer_free(a);
    return n;
}

static unsigned broken_blocks(const char *name, au_semantics s) {
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    o.semantics = s;
    answer a = ask(name, o);
    unsigned n = au_answer_count(&a, AU_FOUND_ATOMICITY);
    au_answer_free(a);
    return n;
}

static void figure_1_of_symbolic_prediction(void **state) {
    (void)state;
    assert_int_equal(fails("fig1", AU_SEM_CTP, false, AU_NONE), 1);
    assert_int_equal(fails("fig1", AU_SEM_MCM, false, AU_NONE), 0);
    assert_int_equal(fails("fig1", AU_SEM_CTP, true, 1), 0);
    assert_int_equal(fails("fig1", AU_SEM_CTP, true, 2), 1);
    assert_int_equal(fails("fig1", AU_SEM_CTP, false, 0), 0);
    assert_int_equal(fails("fig1", AU_SEM_CTP, false, 1), 1);
    assert_int_equal(fails("fig7", AU_SEM_CTP, false, AU_NONE), 1);
    assert_int_equal(fails("fig7", AU_SEM_MCM, false, AU_NONE), 1);
    assert_int_equal(fails("fig1_holds", AU_SEM_CTP, false, AU_NONE), 0);

    au_oracle_options o = AU_ORACLE_DEFAULTS;
    answer a = ask("fig1", o);
    assert_true(has(&a, AU_FOUND_ASSERT, "t12", NULL, NULL));
    const au_oracle_finding *f = &a.r->finding.at[0];
    for (size_t i = 0; i < a.r->finding.n; i++)
        if (a.r->finding.at[i].kind == AU_FOUND_ASSERT)
            f = &a.r->finding.at[i];
    /* t1-t4, then t9-t12 */
    assert_int_equal(f->n_turns, 2);
    assert_int_equal(f->turn[0].upto, 4);
    assert_int_equal(f->turn[1].upto, 4);
    assert_int_equal(f->event[0].index, 4);
    au_answer_free(a);
}

static void figure_5_leads_down_another_branch(void **state) {
    (void)state;
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    answer a = ask("fig5", o);
    assert_true(has(&a, AU_FOUND_ATOMICITY, "t1", "t5", "t2"));
    au_answer_free(a);
    o.whole = true;
    a = ask("fig5", o);
    assert_false(has(&a, AU_FOUND_ATOMICITY, "t1", "t5", "t2"));
    au_answer_free(a);
}

static void figure_9_weaker_models_object(void **state) {
    (void)state;
    assert_int_equal(broken_blocks("fig9a", AU_SEM_CTP), 0);
    assert_int_equal(broken_blocks("fig9b", AU_SEM_CTP), 0);
    assert_true(broken_blocks("fig9a", AU_SEM_CAM) > 0);
    assert_int_equal(broken_blocks("fig9b", AU_SEM_CAM), 0);
    assert_true(broken_blocks("fig9a", AU_SEM_LOCKS) > 0);
    assert_true(broken_blocks("fig9b", AU_SEM_LOCKS) > 0);
}

static void figure_11_branches(void **state) {
    (void)state;
    assert_int_equal(fails("fig11", AU_SEM_CTP, false, AU_NONE), 1);
    assert_int_equal(fails("fig11", AU_SEM_MCM, false, AU_NONE), 0); /* T1 then T2 is fine */
}

static void mcm_leaves_the_reads_of_an_assert_free(void **state) {
    (void)state;
    /* The assert has two accesses and is split; other split statements of its
     * thread must not pin it. */
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    o.semantics = AU_SEM_MCM;
    answer a = ask_model(read_text("shared x = 0, y = 0, z = 0\n"
                                   "thread T1 { x := x + 1  y := y + 1 }\n"
                                   "thread T2 { z := z + z  t: assert x == y }\n"
                                   "thread T3 { b := y  assume b == x }\n"),
                         o);
    assert_int_equal(au_answer_count(&a, AU_FOUND_ASSERT), 1);
    au_answer_free(a);
}

static void acquisition_histories(void **state) {
    (void)state;
    assert_int_equal(broken_blocks("ah_incompatible", AU_SEM_LOCKS), 0);
    assert_true(broken_blocks("ah_drop_first", AU_SEM_LOCKS) > 0);
    assert_true(broken_blocks("ah_drop_second", AU_SEM_LOCKS) > 0);
    /* N (N - 1) for N threads with a lock each, none with a common lock */
    assert_int_equal(broken_blocks("raytracer3", AU_SEM_LOCKS), 6);
    assert_int_equal(broken_blocks("raytracer3_common", AU_SEM_LOCKS), 0);
}

static void nondeterminism_without_a_race(void **state) {
    (void)state;
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    answer a = ask("nondet1", o);
    assert_int_equal(au_answer_count(&a, AU_FOUND_RACE), 0);
    assert_int_equal(au_oracle_found(&(*a.r)), 1); /* the initial value can be read */
    au_answer_free(a);
}

static void a_third_write_breaks_the_kept_couple(void **state) {
    (void)state;
    /* Run T3, T2, T1: r may see w only where b changes its writer as well. */
    const char *text = "shared x = 0, y = 0\nlock l\n"
                       "thread T3 { acq l  d: y := 9  w: x := 1  rel l }\n"
                       "thread T2 { acq l  a: y := 1  c: x := 2  rel l }\n"
                       "thread T1 { acq l  b: p := y  r: q := x  rel l }\n";
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    answer a = ask_model(read_text(text), o);
    assert_true(sees(&a, "r", "w"));
    assert_true(sees(&a, "b", "d"));
    au_answer_free(a);
    o.keep_reads = true;
    a = ask_model(read_text(text), o);
    assert_false(sees(&a, "r", "w"));
    assert_true(sees(&a, "b", "d"));
    au_answer_free(a);
}

static void an_indivisible_step_may_write_several_variables(void **state) {
    (void)state;
    const char *text = "shared x = 0, y = 0\n"
                       "thread A { w: [ x := 1; y := 1 ] }\n"
                       "thread B { r1: a := x  r2: b := y  t: assert a <= b }\n";
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    for (int keep = 0; keep < 2; keep++) {
        o.keep_reads = keep;
        answer a = ask_model(read_text(text), o);
        assert_int_equal(au_answer_count(&a, AU_FOUND_ASSERT), 0);
        assert_true(sees(&a, "r1", "w"));
        assert_true(sees(&a, "r2", "w"));
        au_answer_free(a);
    }
}

static void figure_4_of_nondeterminism(void **state) {
    (void)state;
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    o.keep_reads = true;
    answer a = ask("nondet4", o);
    assert_false(sees(&a, "r", "c")); /* c r w is infeasible through the couple on y */
    assert_true(sees(&a, "r", "w"));
    au_answer_free(a);
}

static void deadlocks_and_gates(void **state) {
    (void)state;
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    const struct {
        const char *name;
        unsigned n;
    } want[] = {{"deadlock_classic", 1},     {"deadlock_gate", 0}, {"deadlock_join", 1},
                {"deadlock_lost_wakeup", 1}, {"deadlock_self", 1}, {"prim_cond", 0}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        answer a = ask(want[i].name, o);
        if (au_answer_count(&a, AU_FOUND_DEADLOCK) != want[i].n)
            fail_msg("%s: %u deadlocks, not %u", want[i].name,
                     au_answer_count(&a, AU_FOUND_DEADLOCK), want[i].n);
        au_answer_free(a);
    }
}

static void a_bystander_is_not_in_the_core(void **state) {
    (void)state;
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    answer a = ask_model(read_text("lock a, b\nthread T1 { t1: acq a  t2: acq b  rel b  rel a }\n"
                                   "thread T2 { u1: acq b  u2: acq a  rel a  rel b }\n"
                                   "thread T3 { v1: acq a  v2: rel a }\n"),
                         o);
    assert_int_equal(au_answer_count(&a, AU_FOUND_DEADLOCK), 1);
    assert_true(has(&a, AU_FOUND_DEADLOCK, "t2", "u2", NULL));
    au_answer_free(a);
}

static void misuse_of_locks(void **state) {
    (void)state;
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    o.props = AU_PROP_LOCKS;
    answer a = ask_model(read_text("lock m, n, k\ncond c\nrwlock w\n"
                                   "thread A { acq m  a2: acq m }\n"
                                   "thread B { b1: rel n }\n"
                                   "thread C { rdacq w  c2: wracq w }\n"
                                   "thread D { d1: wait c n }\n"
                                   "thread E { e1: acq k }\n"),
                         o);
    assert_int_equal(a.r->finding.n, 5);
    assert_true(has(&a, AU_FOUND_MISUSE, "a2", NULL, NULL));
    assert_true(has(&a, AU_FOUND_MISUSE, "b1", NULL, NULL));
    assert_true(has(&a, AU_FOUND_MISUSE, "c2", NULL, NULL));
    assert_true(has(&a, AU_FOUND_MISUSE, "d1", NULL, NULL));
    assert_true(has(&a, AU_FOUND_MISUSE, "e1", NULL, NULL));
    au_answer_free(a);
}

static void a_schedule_without_spurious_wakeups_is_preferred(void **state) {
    (void)state;
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    /* The assert fails after a signal as well as after a spurious wake-up. */
    answer a = ask_model(read_text("shared x = 0\nlock m\ncond c\n"
                                   "thread A { acq m  wait c m  t: assert x == 1  rel m }\n"
                                   "thread B { acq m  signal c  rel m }\n"),
                         o);
    assert_int_equal(au_answer_count(&a, AU_FOUND_ASSERT), 1);
    for (size_t i = 0; i < a.r->finding.n; i++)
        if (a.r->finding.at[i].kind == AU_FOUND_ASSERT)
            assert_false(a.r->finding.at[i].spurious);
    au_answer_free(a);
    /* Here only a spurious one gets there. */
    a = ask_model(read_text("shared x = 0\nlock m\ncond c\n"
                            "thread A { acq m  wait c m  t: assert x == 1  rel m }\n"
                            "thread B { acq m  x := 1  signal c  rel m }\n"),
                  o);
    assert_int_equal(au_answer_count(&a, AU_FOUND_ASSERT), 1);
    for (size_t i = 0; i < a.r->finding.n; i++)
        if (a.r->finding.at[i].kind == AU_FOUND_ASSERT)
            assert_true(a.r->finding.at[i].spurious);
    au_answer_free(a);
}

static void ranges_and_final_states(void **state) {
    (void)state;
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    answer a =
        ask_model(read_text("shared x = 0\nthread A { x := x + 1 }\nthread B { x := x - 2 }\n"), o);
    int64_t low = 0, high = 0;
    for (size_t i = 0; i < a.r->range.n; i++) {
        const au_range *g = &a.r->range.at[i];
        if (strcmp(a.m->var.at[g->var].name, "x"))
            continue;
        low = g->low < low ? g->low : low;
        high = g->high > high ? g->high : high;
    }
    assert_int_equal(low, -2);
    assert_int_equal(high, 1);
    assert_int_equal(a.r->final.n, 3); /* -2, -1, 1 */
    for (size_t i = 0; i < a.r->final.n; i++)
        assert_true(a.r->final.at[i].complete);
    au_answer_free(a);
}

static void a_limit_is_not_an_answer(void **state) {
    (void)state;
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    au_error err = AU_ERROR_NONE;
    o.max_states = 5;
    au_model *m = load("fig1");
    au_oracle_result *r = au_oracle_run(m, &o, &err);
    assert_non_null(r);
    assert_false(r->exhaustive);
    assert_non_null(strstr(r->reason, "limit"));
    au_oracle_free(r);
    au_model_free(m);

    m = read_text("shared x = 0\nthread A { havoc x  assert x != 12345 }\nthread B { nop }\n");
    o = (au_oracle_options)AU_ORACLE_DEFAULTS;
    r = au_oracle_run(m, &o, &err);
    assert_false(r->exhaustive);         /* not all 2^32 values were tried … */
    assert_true(au_oracle_found(r) > 0); /* … but the one that matters was */
    au_oracle_free(r);
    au_model_free(m);
}

static void arithmetic_wraps_as_the_language_says(void **state) {
    (void)state;
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    answer a = ask_model(
        read_text("shared x = 2147483647\n"
                  "thread A { a := x + 1  assert a == -2147483647 - 1\n"
                  "  assert a / 0 == 0  assert a % 0 == a  assert a / -1 == a  assert a % -1 == 0\n"
                  "  assert 1 << 33 == 2  assert -8 >> 1 == -4  assert -7 / 2 == -3\n"
                  "  assert -7 % 2 == -1  assert (3 > 2) + (2 > 3) == 1  assert ~0 == -1\n"
                  "  assert !5 == 0  assert (1 ? 7 : 8) == 7  assert (6 & 3 | 8 ^ 1) == 11\n"
                  "  assert x * 2 == -2 }\n"),
        o);
    assert_int_equal(au_answer_count(&a, AU_FOUND_ASSERT), 0);
    au_answer_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_1_of_symbolic_prediction),
        cmocka_unit_test(figure_5_leads_down_another_branch),
        cmocka_unit_test(figure_9_weaker_models_object),
        cmocka_unit_test(figure_11_branches),
        cmocka_unit_test(mcm_leaves_the_reads_of_an_assert_free),
        cmocka_unit_test(acquisition_histories),
        cmocka_unit_test(nondeterminism_without_a_race),
        cmocka_unit_test(a_third_write_breaks_the_kept_couple),
        cmocka_unit_test(an_indivisible_step_may_write_several_variables),
        cmocka_unit_test(figure_4_of_nondeterminism),
        cmocka_unit_test(deadlocks_and_gates),
        cmocka_unit_test(a_bystander_is_not_in_the_core),
        cmocka_unit_test(misuse_of_locks),
        cmocka_unit_test(a_schedule_without_spurious_wakeups_is_preferred),
        cmocka_unit_test(ranges_and_final_states),
        cmocka_unit_test(a_limit_is_not_an_answer),
        cmocka_unit_test(arithmetic_wraps_as_the_language_says),
    };
    return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
