/* Small models on which the oracle once answered otherwise than every path does
 * (tests/random/random_oracle.c found them), and what it has to say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/ctp.h"
#include "model/run.h"
#include "oracle_answer.h"

#include <stdio.h>
#include <string.h>

static answer ask(const char *text, au_semantics semantics, bool whole, bool keep_reads) {
    au_error err = AU_ERROR_NONE;
    answer a = {au_ctp_read(text, strlen(text), "test.ctp", NULL, &err), NULL};
    if (!a.m)
        fail_msg("%s", err.text);
    au_model_observe(a.m);
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    o.semantics = semantics;
    o.whole = whole;
    o.keep_reads = keep_reads;
    a.r = au_oracle_run(a.m, &o, &err);
    if (!a.r)
        fail_msg("%s", err.text);
    assert_true(a.r->exhaustive);
    return a;
}

/* The read at the end from this write ("" is the initial one), or NULL. */
static const au_read_from *at_the_end(const answer *a, const char *writer) {
    for (size_t i = 0; i < a->r->read_from.n; i++) {
        const au_read_from *f = &a->r->read_from.at[i];
        if (f->read == AU_NONE && !strcmp(au_answer_label(a, f->writer), writer))
            return f;
    }
    return NULL;
}

/* --- asserts ---------------------------------------------------------------------------- */

static void a_failed_assert_is_no_end_of_the_run(void **state) {
    (void)state;
    /* A's assert fails in the observed run, which then has no last writer to change. */
    const char *text = "shared x = 0\nthread A { assert x == 1 }\nthread B { w: x := 1 }\n";
    answer a = ask(text, AU_SEM_CTP, false, false);
    assert_non_null(at_the_end(&a, "w"));
    assert_false(at_the_end(&a, "w")->observed);
    assert_false(at_the_end(&a, "w")->changed);
    au_answer_free(a);
    /* Where asserts do not stop their threads, it has. */
    a = ask(text, AU_SEM_CTP, true, false);
    assert_non_null(at_the_end(&a, "w"));
    assert_true(at_the_end(&a, "w")->observed);
    au_answer_free(a);
    a = ask(text, AU_SEM_CAM, false, false);
    assert_non_null(at_the_end(&a, "w"));
    assert_false(at_the_end(&a, "w")->observed);
    au_answer_free(a);
}

static void a_failed_assert_has_run(void **state) {
    (void)state;
    answer a = ask("shared x = 0\nthread A { atomic { a: x := 0  b: x := 0 } }\n"
                   "thread B { f: assert x != 0 }\n",
                   AU_SEM_CTP, false, false);
    assert_int_equal(au_answer_count(&a, AU_FOUND_ATOMICITY), 1);
    assert_non_null(au_answer_find(&a, AU_FOUND_ATOMICITY, "a", "f", "b"));
    au_answer_free(a);
}

static void a_failed_assert_may_end_a_thread_that_holds_a_lock(void **state) {
    (void)state;
    const char *text = "lock m\nthread A { acq m  e: assert 0 }\n";
    answer a = ask(text, AU_SEM_CTP, true, false);
    assert_non_null(au_answer_find(&a, AU_FOUND_MISUSE, "e", NULL, NULL));
    au_answer_free(a);
    a = ask(text, AU_SEM_CTP, false, false); /* here it stops and does not end */
    assert_int_equal(au_answer_count(&a, AU_FOUND_MISUSE), 0);
    au_answer_free(a);
}

static void an_assert_that_assigns_still_fails(void **state) {
    (void)state;
    const char *text = "shared x = 0, y = 0\nthread A { a: [assert x != 0; x := 1] }\n"
                       "thread B { r: p := x  y := p }\n";
    answer a = ask(text, AU_SEM_MCM, false, false);
    assert_non_null(au_answer_find(&a, AU_FOUND_ASSERT, "a", NULL, NULL));
    au_answer_free(a);
    /* Nothing was assigned in the run: r saw the initial value. */
    a = ask(text, AU_SEM_CAM, false, true);
    bool kept = false;
    for (size_t i = 0; i < a.r->read_from.n; i++) {
        const au_read_from *f = &a.r->read_from.at[i];
        if (!strcmp(au_answer_label(&a, f->read), "r") && f->writer == AU_NONE)
            kept = f->observed;
    }
    assert_true(kept);
    au_answer_free(a);
    /* Nobody sees what it would have assigned, though it has read. */
    a = ask("shared x = 0\nthread A { a: [x := 1; assert 0] }\nthread B { r: p := x }\n",
            AU_SEM_CTP, false, false);
    for (size_t i = 0; i < a.r->read_from.n; i++)
        assert_int_equal(a.r->read_from.at[i].writer, AU_NONE);
    au_answer_free(a);
    a = ask("shared x = 0\nthread A { atomic { x := 1  x := 2 } }\n"
            "thread B { [assert x == 9; x := 3] }\n",
            AU_SEM_CTP, false, false);
    assert_int_equal(au_answer_count(&a, AU_FOUND_ATOMICITY), 1);
    for (size_t i = 0; i < a.r->finding.n; i++)
        if (a.r->finding.at[i].kind == AU_FOUND_ATOMICITY)
            assert_string_equal(a.r->finding.at[i].detail, "WRW");
    au_answer_free(a);
    /* mcm: with another value it does not happen, and so reads nothing. */
    a = ask("shared x = 0\nthread A { x := 1  r: [assert x; x := 0] }\nthread B { w: x := 0 }\n",
            AU_SEM_MCM, false, false);
    for (size_t i = 0; i < a.r->read_from.n; i++)
        assert_false(!strcmp(au_answer_label(&a, a.r->read_from.at[i].read), "r") &&
                     !strcmp(au_answer_label(&a, a.r->read_from.at[i].writer), "w"));
    au_answer_free(a);
}

/* --- kept reads ------------------------------------------------------------------------------ */

static void without_values_a_kept_read_leaves_the_branch_open(void **state) {
    (void)state;
    const char *text = "shared x = 2\nthread A { if (x) { w: x := 0 } }\n";
    answer a = ask(text, AU_SEM_CAM, false, true);
    assert_non_null(at_the_end(&a, "w"));
    assert_non_null(at_the_end(&a, ""));
    au_answer_free(a);
    a = ask(text, AU_SEM_CTP, false, true);
    assert_non_null(at_the_end(&a, "w"));
    assert_null(at_the_end(&a, ""));
    au_answer_free(a);
}

static void a_read_that_decides_nothing_keeps_its_writer(void **state) {
    (void)state;
    /* r was not in the observed run, where B's assert failed: no schedule needs it. */
    answer a = ask("shared x = 0\nsem m = 1\ncond c\nthread A { wait c m  a: assert 0 }\n"
                   "thread B { assert x  signal c  r: p := x }\n",
                   AU_SEM_CAM, false, true);
    const au_oracle_finding *f = au_answer_find(&a, AU_FOUND_ASSERT, "a", NULL, NULL);
    assert_non_null(f);
    for (uint32_t i = 0; i < f->n_turns; i++)
        assert_true(f->turn[i].thread == 0 || f->turn[i].upto <= 2);
    au_answer_free(a);
}

/* --- deadlocks -------------------------------------------------------------------------------- */

static void a_deadlock_is_a_prefix_even_of_whole_runs(void **state) {
    (void)state;
    /* A spurious wake-up would lead on to an end: the schedule must not go there. */
    answer a =
        ask("lock m\ncond c\nthread A { acq m  w: wait c m  rel m }\n", AU_SEM_CTP, true, false);
    const au_oracle_finding *f = au_answer_find(&a, AU_FOUND_DEADLOCK, "w", NULL, NULL);
    assert_non_null(f);
    assert_false(f->spurious);
    assert_int_equal(f->n_turns, 1);
    assert_int_equal(f->turn[0].upto, 2);
    assert_int_equal(f->event[0].index, 3);
    au_answer_free(a);
}

static void an_assume_that_holds_does_not_wait(void **state) {
    (void)state;
    /* C saw 1 in the run. With 2 the prediction goes no further, but C does. */
    answer a = ask("shared x = 0\nthread A { [x := 2] }\nthread B { x := 1 }\n"
                   "thread C { [assume x > 0] }\n",
                   AU_SEM_MCM, false, false);
    assert_int_equal(au_answer_count(&a, AU_FOUND_DEADLOCK), 0);
    au_answer_free(a);
    /* With 0 it really waits, and nobody is left to write. */
    a = ask("shared x = 0\nthread A { [x := 0] }\nthread B { x := 1 }\n"
            "thread C { c: [assume x > 0] }\n",
            AU_SEM_MCM, false, false);
    assert_non_null(au_answer_find(&a, AU_FOUND_DEADLOCK, "c", NULL, NULL));
    au_answer_free(a);
}

static void a_holder_might_give_its_lock_until_it_ends(void **state) {
    (void)state;
    /* A waits for ever with m in its hands: B hopes for A, so A alone is the core. */
    answer a = ask("shared x = 0\nlock m\nthread A { acq m  a: [assume x > 0] }\n"
                   "thread B { b: acq m  rel m }\n",
                   AU_SEM_CTP, false, false);
    assert_non_null(au_answer_find(&a, AU_FOUND_DEADLOCK, "a", NULL, NULL));
    assert_int_equal(au_answer_count(&a, AU_FOUND_DEADLOCK), 1);
    au_answer_free(a);
    /* A ends with m in its hands: B waits for nobody. */
    a = ask("shared x = 0\nlock m\nthread A { acq m  a: x := 1 }\n"
            "thread B { b: acq m  rel m }\n",
            AU_SEM_CTP, false, false);
    assert_non_null(au_answer_find(&a, AU_FOUND_DEADLOCK, "b", NULL, NULL));
    assert_int_equal(au_answer_count(&a, AU_FOUND_DEADLOCK), 1);
    au_answer_free(a);
}

static void who_could_fork_the_helper_belongs_to_the_core(void **state) {
    (void)state;
    answer a = ask("lock k\nthread A { acq k  a: join U  rel k }\n"
                   "thread B { b: acq k  fork U  rel k }\nthread U { nop }\n",
                   AU_SEM_CTP, false, false);
    assert_int_equal(au_answer_count(&a, AU_FOUND_DEADLOCK), 1);
    assert_non_null(au_answer_find(&a, AU_FOUND_DEADLOCK, "a", "b", NULL));
    au_answer_free(a);
}

/* --- waiting through a semaphore ------------------------------------------------------------------ */

static void a_wait_goes_through_a_semaphore_as_well(void **state) {
    (void)state;
    answer a = ask("shared f = 0\nsem s = 1\ncond c\nthread Z { nop }\n"
                   "thread A { acq s  p := f  if (p == 0) { wait c s }  rel s }\n"
                   "thread B { acq s  f := 1  signal c  rel s }\n",
                   AU_SEM_CTP, false, false);
    assert_int_equal(au_answer_count(&a, AU_FOUND_MISUSE), 0);
    assert_int_equal(au_answer_count(&a, AU_FOUND_DEADLOCK), 0);
    au_answer_free(a);
    /* A's wait gives the semaphore to B; only if A wakes without a signal, B gets none. */
    a = ask("sem s = 1\ncond c\nthread A { acq s  wait c s }\nthread B { b: acq s  signal c }\n",
            AU_SEM_CTP, false, false);
    const au_oracle_finding *f = au_answer_find(&a, AU_FOUND_DEADLOCK, "b", NULL, NULL);
    assert_non_null(f);
    assert_true(f->spurious);
    au_answer_free(a);
}

/* --- critical sections -------------------------------------------------------------------- */

static void a_section_is_one_on_the_path_that_opens_it(void **state) {
    (void)state;
    /* The reads see another value without the lock than with it. */
    const char *text = "shared x = 0, c = 0\nlock m\n"
                       "thread A { if (c) { acq m }  r: p := x  s: q := x  if (c) { rel m } }\n"
                       "thread B { w: x := 1 }\n";
    answer a = ask(text, AU_SEM_CTP, false, false);
    assert_int_equal(au_answer_count(&a, AU_FOUND_ATOMICITY), 0); /* c is 0 */
    au_answer_free(a);
    a = ask(text, AU_SEM_CAM, false, false);
    const au_oracle_finding *f = au_answer_find(&a, AU_FOUND_ATOMICITY, "r", "w", "s");
    assert_non_null(f);
    assert_int_equal(f->event[0].index, 3); /* after the branch and the acquire */
    au_answer_free(a);
}

/* --- schedules -------------------------------------------------------------------------------------- */

static void whole_schedules_do_without_spurious_wakeups_where_they_can(void **state) {
    (void)state;
    answer a = ask("lock m\ncond c\nthread A { broadcast c }\nthread B { acq m  w: wait c m }\n",
                   AU_SEM_CTP, true, false);
    const au_oracle_finding *f = au_answer_find(&a, AU_FOUND_MISUSE, "w", NULL, NULL);
    assert_non_null(f);
    assert_false(f->spurious);
    au_answer_free(a);
    a = ask("shared x = 0\nlock m\ncond c\nthread A { w: x := 1 }\n"
            "thread B { acq m  r: u := x  if (u == 0) { wait c m }  rel m }\n",
            AU_SEM_CTP, true, false);
    f = au_answer_find(&a, AU_FOUND_RACE, "w", "r", NULL);
    assert_non_null(f);
    assert_false(f->spurious);
    au_answer_free(a);
}

static void a_lock_held_at_an_end_is_shown_at_that_end(void **state) {
    (void)state;
    /* Both ends are one state; each has a schedule of its own. */
    answer a = ask("shared x = 0\nlock m\n"
                   "thread A { acq m  if (x) { a: nop } else { nop  b: nop } }\n",
                   AU_SEM_CAM, false, false);
    const au_oracle_finding *f = au_answer_find(&a, AU_FOUND_MISUSE, "a", NULL, NULL);
    assert_non_null(f);
    assert_int_equal(f->turn[0].upto, 3);
    assert_int_equal(f->event[0].index, 3);
    f = au_answer_find(&a, AU_FOUND_MISUSE, "b", NULL, NULL);
    assert_non_null(f);
    assert_int_equal(f->turn[0].upto, 4);
    assert_int_equal(f->event[0].index, 4);
    au_answer_free(a);
}

/* A term that shares its parts: 2^40 operations as a tree. */
static void a_term_is_computed_once_where_it_is_shared(void **state) {
    (void)state;
    char text[3000], *p = text;
    uint32_t value = 4 * 4 + 1;
    p += sprintf(p, "shared x = 3 thread T { a := x b := let $1 = a * a + 1");
    for (uint32_t i = 2; i <= 40; i++) {
        p += sprintf(p, ", $%u = $%u * 6 + ($%u ^ %u)", i, i - 1, i - 1, i);
        value = value * 6 + (value ^ i);
    }
    sprintf(p, " in $40 c: assert b != %u } thread U { x := 4 }", value);
    answer a = ask(text, AU_SEM_CTP, false, false);
    assert_int_equal(au_answer_count(&a, AU_FOUND_ASSERT), 1);
    au_answer_free(a);
    a = ask(text, AU_SEM_MCM, false, false);
    assert_int_equal(au_answer_count(&a, AU_FOUND_ASSERT), 0);
    au_answer_free(a);
}

static void havoc_of_few_bits_is_every_value(void **state) {
    (void)state;
    answer a = ask("shared x : 3 thread T { havoc x c: assert x * x != 1 || x == 1 || x == -1\n"
                   "d: assert x * x + 7 != 3u3 }", /* of 3 and 5, and of 2 and 6 */
                   AU_SEM_CTP, false, false);
    assert_int_equal(au_answer_count(&a, AU_FOUND_ASSERT), 2);
    au_answer_free(a);
    au_error err = AU_ERROR_NONE;
    static const char wide[] = "shared x : 64 thread T { havoc x assert x != 0x123456789abc }";
    au_model *m = au_ctp_read(wide, strlen(wide), "test.ctp", NULL, &err);
    assert_non_null(m);
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    au_oracle_result *r = au_oracle_run(m, &o, &err);
    assert_non_null(r);
    assert_false(r->exhaustive);
    assert_int_equal(r->finding.n, 1);
    au_oracle_free(r);
    au_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_term_is_computed_once_where_it_is_shared),
        cmocka_unit_test(havoc_of_few_bits_is_every_value),
        cmocka_unit_test(a_failed_assert_is_no_end_of_the_run),
        cmocka_unit_test(a_failed_assert_has_run),
        cmocka_unit_test(an_assert_that_assigns_still_fails),
        cmocka_unit_test(a_failed_assert_may_end_a_thread_that_holds_a_lock),
        cmocka_unit_test(without_values_a_kept_read_leaves_the_branch_open),
        cmocka_unit_test(a_read_that_decides_nothing_keeps_its_writer),
        cmocka_unit_test(a_deadlock_is_a_prefix_even_of_whole_runs),
        cmocka_unit_test(an_assume_that_holds_does_not_wait),
        cmocka_unit_test(a_holder_might_give_its_lock_until_it_ends),
        cmocka_unit_test(who_could_fork_the_helper_belongs_to_the_core),
        cmocka_unit_test(a_wait_goes_through_a_semaphore_as_well),
        cmocka_unit_test(a_section_is_one_on_the_path_that_opens_it),
        cmocka_unit_test(whole_schedules_do_without_spurious_wakeups_where_they_can),
        cmocka_unit_test(a_lock_held_at_an_end_is_shown_at_that_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
