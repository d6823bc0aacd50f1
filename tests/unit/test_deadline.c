/* The deadline of a command: its time, shares of it, signals, and what workers do when it is over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/deadline.h"
#include "base/worker.h"

#include <signal.h>
#include <unistd.h>

static void no_end(void **state) {
    (void)state;
    au_deadline_set(0);
    assert_false(au_deadline_over());
    assert_true(au_deadline_left() >= AU_FOREVER);
    assert_true(au_deadline_cap(0) == 0);
    assert_true(au_deadline_cap(7) == 7);
    au_deadline_last(0.000001); /* what has no end keeps none */
    assert_false(au_deadline_over());
}

static void shares(void **state) {
    (void)state;
    au_deadline_set(1000);
    assert_false(au_deadline_over());
    assert_true(au_deadline_left() <= 1000 && au_deadline_left() > 500);
    assert_true(au_deadline_cap(7) == 7);
    assert_true(au_deadline_cap(0) > 500 && au_deadline_cap(5000) <= 1000);
    double before = au_deadline_narrow(0);
    assert_true(au_deadline_over());
    assert_true(au_deadline_left() == 0);
    assert_true(au_deadline_cap(7) > 0);     /* 0 would be no limit */
    double inner = au_deadline_narrow(2000); /* never wider */
    assert_true(au_deadline_over());
    au_deadline_widen(inner);
    au_deadline_widen(before);
    assert_false(au_deadline_over());
    before = au_deadline_narrow(AU_FOREVER);
    assert_true(au_deadline_left() <= 1000);
    au_deadline_widen(before);
    assert_string_equal(au_deadline_why(), "time limit reached (--budget)");
    assert_string_equal(au_deadline_remedy(), "a larger --budget");
    au_deadline_set(0);
}

/* A loop hears of the end at most so many steps late, and goes on if there is time again. */
static void steps(void **state) {
    (void)state;
    au_deadline_set(0);
    for (int i = 0; i < 100; i++)
        assert_false(au_deadline_step(1000000));
    au_deadline_end_after(70000);
    uint64_t done = 0;
    while (!au_deadline_step(3))
        done += 3;
    assert_in_range(done, 70000 - 3, 70000 + AU_DEADLINE_STEPS);
    assert_true(au_deadline_over() && au_deadline_left() == 0);
    assert_in_range(au_deadline_late_steps(), 0, AU_DEADLINE_STEPS + 3);
    assert_true(au_deadline_step(1) && au_deadline_step(1));
    au_deadline_end_after(UINT64_MAX);
    assert_false(au_deadline_over());
    assert_false(au_deadline_step(1));
    assert_int_equal(au_deadline_late_steps(), 0);
    double before = au_deadline_narrow(0);
    done = 0;
    while (!au_deadline_step(1))
        done++;
    assert_in_range(done, 0, AU_DEADLINE_STEPS);
    au_deadline_widen(before);
    assert_false(au_deadline_step(1));
}

/* ---- workers ---- */

static void wait_for_ever(void *ctx, uint32_t index, au_out *out) {
    (void)ctx;
    if (index)
        for (;;)
            pause();
    au_out_str(out, "done");
}

static bool count(void *ctx, const au_job_result *r) {
    unsigned *n = ctx;
    n[r->end]++;
    return true;
}

static void workers_end(void **state) {
    (void)state;
    unsigned n[AU_JOB_CANCELLED + 1] = {0};
    au_pool_limits limits = {.jobs = 2};
    au_deadline_set(0.5);
    assert_int_equal(au_pool_run(9, &limits, wait_for_ever, count, n, NULL), AU_OK);
    assert_true(au_deadline_over());
    au_deadline_set(0);
    /* The first may not have come to its end on a busy machine. */
    assert_int_equal(n[AU_JOB_DONE] + n[AU_JOB_CANCELLED], 9);
    assert_true(n[AU_JOB_CANCELLED] >= 8);
}

/* ---- signals: the last ones, they are not taken back ---- */

static int ended_by;

static void at_once(int sig) {
    ended_by = sig;
}

static void told_to_stop(void **state) {
    (void)state;
    double since = 0;
    assert_false(au_deadline_listens());
    au_deadline_listen(at_once);
    assert_true(au_deadline_listens());
    au_deadline_recording(true);
    assert_int_equal(au_deadline_ends_recording(&since), 0);
    raise(SIGINT); /* ends the recording, and nothing else */
    assert_int_equal(au_deadline_ends_recording(&since), SIGINT);
    assert_true(since <= au_now());
    assert_int_equal(au_deadline_signal(), 0);
    raise(SIGINT); /* now everything, but what was recorded is looked at for a moment */
    assert_int_equal(au_deadline_signal(), SIGINT);
    au_deadline_recording(false);
    au_deadline_set(0);
    assert_true(au_deadline_left() < 2);
    assert_string_equal(au_deadline_why(), "interrupted");
    assert_int_equal(ended_by, 0);
    raise(SIGTERM);
    assert_int_equal(ended_by, SIGTERM);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_end),      cmocka_unit_test(shares),       cmocka_unit_test(steps),
        cmocka_unit_test(workers_end), cmocka_unit_test(told_to_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
