/* The table of limits: rows are whole, names unique, words get their numbers, what bites is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/worker.h"
#include "funnel/check_run.h"
#include "linear/linear.h"
#include "small_trace.h"

static void rows_are_whole(void **state) {
    (void)state;
    for (au_limit l = 0; l < AU_LIMITS; l++) {
        const au_limit_row *r = au_limit_of(l);
        assert_true(r->value > 0);
        assert_true(strlen(r->unit) > 0);
        assert_true(strlen(r->lost) > 5);
        assert_true(strlen(r->words) > 0);
        assert_true(strlen(r->words) + 100 < AU_LIMIT_TEXT);
        for (const char *p = r->name; *p; p++)
            assert_true(isupper((unsigned char)*p) || isdigit((unsigned char)*p) || *p == '_');
        for (au_limit k = 0; k < l; k++)
            assert_string_not_equal(au_limit_of(k)->name, r->name);
    }
}

static void values_are_constants(void **state) {
    (void)state;
    assert_int_equal(au_limit_value(AU_AT_OPEN_QUESTIONS), AU_LIMIT_OPEN_QUESTIONS);
    assert_int_equal(au_limit_value(AU_AT_THREADS), AU_MAX_THREADS);
    assert_int_equal(AU_WIRE_MAX_THREADS, AU_LIMIT_THREADS);
    au_limit_set_for_test(AU_AT_OPEN_QUESTIONS, 3);
    assert_int_equal(au_limit_value(AU_AT_OPEN_QUESTIONS), 3);
    au_limit_set_for_test(AU_AT_OPEN_QUESTIONS, 0);
    assert_int_equal(au_limit_value(AU_AT_OPEN_QUESTIONS), AU_LIMIT_OPEN_QUESTIONS);
}

/* Braces are only around what is filled in. */
static void words_get_their_numbers(void **state) {
    (void)state;
    char text[AU_LIMIT_TEXT];
    for (au_limit l = 0; l < AU_LIMITS; l++)
        assert_null(strpbrk(au_limit_say_at(l, "file", 7, 11, text), "{}"));
    assert_string_equal(au_limit_say(AU_AT_OPEN_QUESTIONS, 1000, 0, text),
                        "query limit reached (1000); the rest is undecided");
    assert_string_equal(au_limit_say(AU_AT_LONG_ASSERTED, 40, 90, text),
                        "assertions in loops: checked 40 of 90 executions");
    assert_string_equal(au_limit_say_at(AU_AT_EXPLORE_EVENTS, "a.trace", 60000, 0, text),
                        "'a.trace' has 60000 events, more than 50000");
    char longer[2 * AU_LIMIT_TEXT];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_int_equal(strlen(au_limit_say_at(AU_AT_EXPLORE_EVENTS, longer, 1, 1, text)),
                     AU_LIMIT_TEXT - 1);
}

/* What was counted is told once, where its row says. */
static void what_bites_is_told(void **state) {
    (void)state;
    au_check_outcome c;
    au_check_outcome_init(&c);
    au_limits_forget();
    au_limit_reached(AU_AT_RACE_GROUPS, 2);
    au_limit_reached(AU_AT_RACE_GROUPS, 1);
    au_limit_reached(AU_AT_BLOCK_LOCATIONS, 5);
    au_check_limits(&c);
    assert_int_equal(c.note.n, 1);
    assert_non_null(strstr(c.note.at[0], "3 variables have too many locations"));
    assert_int_equal(c.inconclusive.n, 1);
    assert_non_null(strstr(c.inconclusive.at[0], "5 accesses not tried"));
    au_check_limits(&c);
    assert_int_equal(c.note.n + c.inconclusive.n, 2);
    au_limit_reached(AU_AT_RACE_GROUPS, 1);
    au_limits_forget();
    assert_int_equal(au_limit_taken(AU_AT_RACE_GROUPS), 0);
    au_check_outcome_release(&c);
}

/* --- limits that are reached with little, or lowered until they are ------------------------------ */

static au_check_run run;

static void check(const char *text, bool locations, bool nondet) {
    au_trace *t = au_small_trace(text);
    au_error err = AU_ERROR_NONE;
    const au_plan p = {.props = AU_PROP_RACE | (nondet ? AU_PROP_NONDET : 0),
                       .budget = 1000000,
                       .last = AU_STAGE_SOLVER,
                       .bound_from = AU_NONE,
                       .bound = AU_NONE,
                       .cadical = true,
                       .jobs = 1};
    for (size_t i = 0; locations && i < t->events.n; i++)
        t->events.loc[i] = (uint32_t)i + 1;
    au_check_run_of_trace(&run, &p, t);
    assert_int_equal(au_check_run_go(&run, &err), AU_OK);
    au_trace_free(t);
}

static bool noted(const char *text) {
    for (size_t i = 0; i < run.outcome.note.n; i++)
        if (strstr(run.outcome.note.at[i], text))
            return true;
    return false;
}

static bool left_open(const char *text) {
    for (size_t i = 0; i < run.outcome.inconclusive.n; i++)
        if (strstr(run.outcome.inconclusive.at[i], text))
            return true;
    return false;
}

/* x is written ten times before the flag that its reader waits for: pairs at one location each. */
static const char ten_pairs[] =
    "T1 w x 1;T1 w x 2;T1 w x 3;T1 w x 4;T1 w x 5;T1 w x 6;T1 w x 7;T1 w x 8;T1 w x 9;T1 w x 10;"
    "T1 aw f 1;T2 ar f 1;T2 r x 10";

static void pairs_alike(void **state) {
    (void)state;
    au_limit_set_for_test(AU_AT_OPEN_ALIKE, 8);
    check(ten_pairs, false, false);
    assert_true(left_open("2 more pairs of accesses at the same locations not checked"));
    au_check_run_release(&run);
    check(ten_pairs, true, false); /* a location each */
    assert_false(left_open("more pairs of accesses"));
    au_check_run_release(&run);
    au_limit_set_for_test(AU_AT_OPEN_ALIKE, 0);
}

static void questions(void **state) {
    (void)state;
    au_limit_set_for_test(AU_AT_OPEN_QUESTIONS, 3);
    check(ten_pairs, true, false);
    assert_true(left_open("query limit reached (3); the rest is undecided"));
    au_check_run_release(&run);
    au_limit_set_for_test(AU_AT_OPEN_QUESTIONS, 0);
}

static void groups_of_accesses(void **state) {
    (void)state;
    char text[300 * 12], *p = text;
    for (int i = 0; i < 270; i++)
        p += sprintf(p, "T%d w x %d;", i % 2 + 1, i);
    p[-1] = 0;
    check(text, true, false);
    assert_true(noted("1 variables have too many locations to try every pair"));
    au_check_run_release(&run);
    check(text, false, false);
    assert_false(noted("too many locations"));
    au_check_run_release(&run);
}

/* The section of T1 can only come late, after T2's. */
static void late_orders(void **state) {
    (void)state;
    static const char text[] = "T1 acq m;T1 w q 1;T1 w x 1;T1 rel m;T2 acq m;T2 rel m;T2 w x 2";
    check(text, false, false);
    assert_false(noted("late orders not tried"));
    au_check_run_release(&run);
    au_limit_set_for_test(AU_AT_LATE_TAIL, 1);
    check(text, false, false);
    assert_true(noted("late orders not tried: their last part has more than 1 events"));
    au_check_run_release(&run);
    au_limit_set_for_test(AU_AT_LATE_TAIL, 0);
}

static void operations_that_order(void **state) {
    (void)state;
    au_names names;
    au_names_init(&names);
    uint32_t sem = au_intern_add(&names.lock, "s", 1);
    au_names_set_sync(&names, sem, AU_WIRE_OBJ_SEM, 0);
    au_must *m = au_must_new();
    au_must_use_names(m, &names);
    au_limits_forget();
    au_limit_set_for_test(AU_AT_MUST_SEGMENTS, 2);
    for (int i = 0; i < 5; i++)
        au_must_event(m, AU_OP_UP, 0, sem);
    assert_int_equal(au_limit_taken(AU_AT_MUST_SEGMENTS), 3);
    au_limit_set_for_test(AU_AT_MUST_SEGMENTS, 0);
    au_must_free(m);
    au_names_release(&names);
}

static void job(void *ctx, uint32_t index, au_out *out) {
    (void)ctx;
    (void)out;
    if (index != 1)
        au_limit_reached(AU_AT_SOLVE_SECTIONS, 40);
}

static bool job_done(void *ctx, const au_job_result *r) {
    *(unsigned *)ctx += r->end == AU_JOB_DONE;
    return true;
}

/* A limit that bites in a worker is known to the parent, once a job. */
static void workers(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    unsigned n = 0;
    au_limits_forget();
    au_limit_reached(AU_AT_RACE_GROUPS, 1); /* the parent's own is not counted again */
    au_pool_limits limits = {.jobs = 1, .batch = 2};
    assert_int_equal(au_pool_run(3, &limits, job, job_done, &n, &err), AU_OK);
    assert_int_equal(n, 3);
    assert_int_equal(au_limit_taken(AU_AT_SOLVE_SECTIONS), 2);
    assert_int_equal(au_limit_taken(AU_AT_RACE_GROUPS), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(values_are_constants),
        cmocka_unit_test(words_get_their_numbers),
        cmocka_unit_test(what_bites_is_told),
        cmocka_unit_test(pairs_alike),
        cmocka_unit_test(questions),
        cmocka_unit_test(groups_of_accesses),
        cmocka_unit_test(late_orders),
        cmocka_unit_test(operations_that_order),
        cmocka_unit_test(workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
