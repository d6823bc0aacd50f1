/* Happens-before races and locksets: every kind of edge, what is reported once, the
 * first race, and that memory does not grow with the trace. */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "linear/eraser.h"
#include "linear/hb.h"
#include "race_text.h"

/* Exactly these pairs, "2-5 3-7", in the order in which they are found. */
static void expect(const char *text, const char *pairs) {
    au_trace *t = trace_of(text);
    au_error err = AU_ERROR_NONE;
    au_findings f;
    au_findings_init(&f);
    au_race_options o = {0};
    au_hb *h = au_hb_new(&t->names, &o, &f);
    /* blocks of one event: nothing may depend on where a block ends */
    for (size_t i = 0; i < t->events.n; i++) {
        au_block b = au_columns_block(&t->events, i, i + 1);
        assert_int_equal(au_hb_block(h, &b, &err), AU_OK);
    }
    char got[512] = "";
    for (size_t k = 0; k < f.finding.n; k++) {
        const au_event_ref *e = f.finding.at[k].event;
        size_t n = strlen(got);
        snprintf(got + n, sizeof got - n, "%s%d-%d", n ? " " : "", (int)e[0].number,
                 (int)e[1].number);
        for (int m = 0; m < 2; m++) {
            assert_int_equal(e[m].op, t->events.op[e[m].number]);
            assert_int_equal(e[m].thread, t->events.thread[e[m].number]);
            assert_int_equal(e[m].loc, e[m].number);
            assert_int_equal(e[m].obj, f.finding.at[k].obj);
            uint64_t index = 0;
            for (size_t i = 0; i <= e[m].number; i++)
                index += t->events.thread[i] == e[m].thread;
            assert_int_equal(e[m].index, index);
        }
    }
    assert_string_equal(got, pairs);
    au_hb_free(h);
    au_findings_release(&f);
    au_trace_free(t);
}

static void plain_pairs(void **state) {
    (void)state;
    expect("T1 w x, T2 w x", "0-1");
    expect("T1 r x, T2 w x", "0-1");
    expect("T1 w x, T2 r x", "0-1");
    expect("T1 r x, T2 r x", "");
    expect("T1 r x, T2 r x, T3 w x", "0-2 1-2");
    expect("T1 w x, T1 r x, T2 w y", "");
    /* the same epoch again */
    expect("T1 w x, T1 w x, T2 w x", "0-2");
    expect("T1 r x, T1 r x, T2 r x, T2 r x, T1 w x", "2-4");
}

static void locks(void **state) {
    (void)state;
    expect("T1 acq m, T1 w x, T1 rel m, T2 acq m, T2 w x, T2 rel m", "");
    expect("T1 acq m, T1 w x, T1 rel m, T2 acq m, T2 rel m, T2 w x", "");
    expect("T1 acq m, T1 w x, T1 rel m, T2 acq n, T2 w x, T2 rel n", "1-4");
    expect("T1 acq m, T1 rel m, T1 w x, T2 acq m, T2 w x, T2 rel m", "2-4");
    expect("T1 w x, T1 acq m, T1 rel m, T2 acq m, T2 rel m, T3 acq m, T3 w x", "");
}

static void read_write_locks(void **state) {
    (void)state;
    expect("T1 rdacq l, T1 w x, T1 rel l, T2 rdacq l, T2 w x, T2 rel l", "1-4");
    expect("T1 rdacq l, T1 r x, T1 rel l, T2 wracq l, T2 w x, T2 rel l", "");
    expect("T1 wracq l, T1 w x, T1 rel l, T2 rdacq l, T2 r x, T2 rel l", "");
    expect("T1 rdacq l, T1 w x, T1 rel l, T3 wracq l, T3 rel l, T2 rdacq l, T2 w x", "");
    expect("T1 rdacq l, T2 rdacq l, T1 w x, T1 rel l, T2 rel l, T3 wracq l, T3 w x", "");
}

static void fork_and_join(void **state) {
    (void)state;
    expect("T1 w x, T1 fork T2, T2 w x", "");
    expect("T1 fork T2, T1 w x, T2 w x", "1-2");
    expect("T1 fork T2, T2 w x, T1 join T2, T1 w x", "");
    expect("T1 w x, T1 fork T2, T3 join T2, T3 w x", "");
}

static void other_synchronisation(void **state) {
    (void)state;
    expect("T1 w x, T1 up s, T2 down s, T2 w x", "");
    expect("T1 up s, T1 w x, T2 down s, T2 w x", "1-3");
    expect("T1 w x, T1 rel s, T2 acq s, T2 w x", ""); /* a semaphore by its kind */
    expect("T2 acq m, T2 rel m, T2 wait c, T1 w x, T1 signal c, T2 wake c, T2 acq m, T2 w x", "");
    expect("T1 signal c, T1 w x, T2 wake c, T2 w x", "1-3");
    expect("T1 w x, T1 broadcast c, T2 wake c, T3 wake c, T2 r x, T3 r x", "");
    expect("T1 w x, T1 arrive b, T2 arrive b, T1 leave b, T2 leave b, T2 w x", "");
    /* T1 is in the next round already when T2 leaves the first one */
    expect("T1 arrive b, T2 arrive b, T1 leave b, T1 w x, T1 arrive b, T2 leave b, T2 w x", "3-6");
    expect("T1 w x, T1 once o, T2 once o, T2 w x", "");
    expect("T2 once o, T1 w x, T1 once o, T2 w x", "1-3");
    expect("T1 w x, T1 init m, T2 acq m, T2 w x", "");
    expect("T1 w x, T1 fence, T2 fence, T2 w x", "0-3");
    expect("T1 w x, T2 alloc x, T2 w x", "");
}

static void atomics(void **state) {
    (void)state;
    expect("T1 aw x, T2 aw x", "");
    expect("T1 aw x, T2 ar x, T3 rmw x", "");
    expect("T1 aw x, T2 r x", "0-1");
    expect("T1 rmw x, T2 w x", "0-1");
    expect("T1 w x, T2 ar x", "0-1");
    expect("T1 r x, T2 ar x", "");
    expect("T1 r x, T2 r x, T3 aw x", "0-2 1-2");
    expect("T1 ar x, T2 w x", "0-1");
    expect("T1 w x, T1 aw f, T2 ar f, T2 w x", "");
    expect("T1 w x, T1 ar f, T2 aw f, T2 w x", ""); /* sequentially consistent: both ways */
    expect("T1 w x, T1 ar f, T2 ar f, T2 w x", "0-3");
}

static void once_a_pair_of_locations(void **state) {
    (void)state;
    au_trace *t = trace_of("T1 w x, T2 w x, T1 w x, T2 w x, T1 w y, T2 w y");
    for (size_t i = 0; i < t->events.n; i++)
        t->events.loc[i] = t->events.thread[i];
    au_error err = AU_ERROR_NONE;
    au_block b = au_columns_block(&t->events, 0, t->events.n);
    for (int all = 0; all < 2; all++) {
        au_findings f;
        au_findings_init(&f);
        au_race_options o = {.all = all};
        au_hb *h = au_hb_new(&t->names, &o, &f);
        assert_int_equal(au_hb_block(h, &b, &err), AU_OK);
        assert_int_equal(f.finding.n, all ? 4 : 2);
        assert_int_equal(au_hb_pairs(h), 4);
        assert_int_equal(au_hb_racy(h), 2);
        /* the first of the run, and the first of each variable */
        assert_int_equal(f.finding.at[0].why, AU_WHY_HB_FIRST);
        assert_int_equal(f.finding.at[1].why, AU_WHY_HB);
        assert_true(au_hb_first_of_variable(h, 0));
        assert_int_equal(au_hb_first_of_variable(h, 1), !all);
        assert_true(au_hb_first_of_variable(h, f.finding.n - 1));
        au_hb_free(h);
        au_findings_release(&f);
    }
    au_trace_free(t);
}

static void count_found(void *ctx, const au_finding *f) {
    assert_int_equal(f->kind, AU_KIND_RACE);
    ++*(int *)ctx;
}

/* Found as it goes, and no more memory after more events. */
static void streams(void **state) {
    (void)state;
    au_trace *t = trace_of("T1 acq m, T1 w x, T1 r y, T1 rel m, T2 rdacq n, T2 r x, T2 w y, "
                           "T2 rel n, T3 aw z, T1 ar z, T3 r x, T2 w x");
    au_block b = au_columns_block(&t->events, 0, t->events.n);
    au_error err = AU_ERROR_NONE;
    au_findings f;
    au_findings_init(&f);
    int found = 0;
    au_race_options o = {.found = count_found, .ctx = &found};
    au_hb *h = au_hb_new(&t->names, &o, &f);
    au_eraser *e = au_eraser_new(&t->names);
    int first = 0;
    size_t bytes = 0;
    for (int k = 0; k < 200000; k++) {
        b.first = (uint64_t)k * t->events.n;
        assert_int_equal(au_hb_block(h, &b, &err), AU_OK);
        au_eraser_block(e, &b);
        if (k == 1000) {
            first = found;
            bytes = mallinfo2().uordblks;
        }
    }
    assert_true(first > 0);
    assert_int_equal(found, first);
    assert_int_equal(f.finding.n, first);
    assert_int_equal(mallinfo2().uordblks, bytes); /* 0 both times where sanitized */
    au_eraser_free(e);
    au_hb_free(h);
    au_findings_release(&f);
    au_trace_free(t);
}

/* --- locksets ---------------------------------------------------------------------------- */

/* State and number of protecting locks of x. */
static void expect_x(const char *text, au_eraser_state want, bool suspect, uint32_t locks) {
    au_trace *t = trace_of(text);
    au_eraser *e = au_eraser_new(&t->names);
    au_block b = au_columns_block(&t->events, 0, t->events.n);
    au_eraser_block(e, &b);
    uint32_t x = au_intern_find(&t->names.var, "x", 1), n;
    assert_int_equal(au_eraser_of(e, x), want);
    assert_int_equal(au_eraser_suspect(e, x), suspect);
    au_eraser_locks(e, x, &n);
    assert_int_equal(n, locks);
    assert_int_equal(au_eraser_count(e).lockset, suspect);
    au_eraser_free(e);
    au_trace_free(t);
}

static void locksets(void **state) {
    (void)state;
    expect_x("T1 w x, T1 w x", AU_ERASER_EXCLUSIVE, false, 0);
    expect_x("T1 r x, T2 r x", AU_ERASER_SHARED, false, 0);
    expect_x("T1 w x, T2 w x", AU_ERASER_SHARED_MODIFIED, true, 0);
    expect_x("T1 acq m, T1 w x, T1 rel m, T2 acq m, T2 w x", AU_ERASER_SHARED_MODIFIED, false, 1);
    expect_x(
        "T1 acq m, T1 acq n, T1 w x, T1 rel n, T1 rel m, T2 acq n, T2 w x, T2 rel n, T3 acq m, "
        "T3 w x",
        AU_ERASER_SHARED_MODIFIED, true, 0);
    /* by mode */
    expect_x("T1 rdacq l, T1 r x, T1 rel l, T2 wracq l, T2 w x", AU_ERASER_SHARED_MODIFIED, false,
             1);
    expect_x("T1 rdacq l, T1 w x, T1 rel l, T2 wracq l, T2 w x", AU_ERASER_SHARED_MODIFIED, true,
             0);
    /* atomics protect from each other only */
    expect_x("T1 aw x, T2 rmw x", AU_ERASER_SHARED_MODIFIED, false, 1);
    expect_x("T1 aw x, T2 rmw x, T2 r x", AU_ERASER_SHARED_MODIFIED, true, 0);
    /* a semaphore is no lock */
    expect_x("T1 acq s, T1 w x, T1 rel s, T2 acq s, T2 w x", AU_ERASER_SHARED_MODIFIED, true, 0);
    /* recursion */
    expect_x("T1 acq m, T1 acq m, T1 rel m, T1 w x, T1 rel m, T2 acq m, T2 w x",
             AU_ERASER_SHARED_MODIFIED, false, 1);
}

static void handed_on(void **state) {
    (void)state;
    expect_x("T1 w x, T1 fork T2, T2 w x, T2 w x", AU_ERASER_EXCLUSIVE, false, 0);
    expect_x("T1 w x, T1 fork T2, T2 w x, T1 join T2, T1 w x", AU_ERASER_EXCLUSIVE, false, 0);
    expect_x("T1 fork T2, T1 w x, T2 w x", AU_ERASER_SHARED_MODIFIED, true, 0);
    /* initialised without the lock, then used with it */
    expect_x("T1 w x, T1 fork T2, T1 fork T3, T2 acq m, T2 w x, T2 rel m, T3 acq m, T3 w x",
             AU_ERASER_SHARED_MODIFIED, false, 1);
    /* T3 was there before the initialisation */
    expect_x("T1 fork T3, T1 w x, T1 fork T2, T2 acq m, T2 w x, T2 rel m, T3 acq m, T3 w x",
             AU_ERASER_SHARED_MODIFIED, true, 0);
    expect_x("T1 fork T3, T1 w x, T1 fork T2, T2 acq m, T2 r x, T2 rel m, T3 acq m, T3 r x",
             AU_ERASER_SHARED_MODIFIED, true, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_pairs),
        cmocka_unit_test(locks),
        cmocka_unit_test(read_write_locks),
        cmocka_unit_test(fork_and_join),
        cmocka_unit_test(other_synchronisation),
        cmocka_unit_test(atomics),
        cmocka_unit_test(once_a_pair_of_locations),
        cmocka_unit_test(streams),
        cmocka_unit_test(locksets),
        cmocka_unit_test(handed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
