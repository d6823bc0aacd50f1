/* The sync-preserving closure and its races: situations of the paper and of each kind of
 * synchronisation, and long random traces against the definition.
 *
 * A trace is written as "T1 w x, T2 acq m, …": thread, operation, operand; the location
 * of an event is its number. Objects whose name starts with 's' are semaphores of
 * count 0. A pair of events is given by their numbers, from 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/limits.h"
#include "linear/eraser.h"
#include "linear/race.h"
#include "linear/syncp_priv.h"
#include "race_text.h"
#include "sync_trace.h"
#include "witness/check.h"

/* --- situations ------------------------------------------------------------------------ */

/* The same findings where no schedule is written out: their cuts have the same turns, and are executed. */
static void expect_cuts(const au_syncp *s, au_checker *c, const au_findings *written) {
    au_findings f;
    au_findings_init(&f);
    au_race_options o = {.all = true, .max_turns = 1};
    au_syncp_races(s, &o, &f, NULL);
    assert_int_equal(f.finding.n, written->finding.n);
    for (size_t i = 0; i < f.finding.n; i++) {
        const au_finding *x = &f.finding.at[i];
        const au_schedule *want = &written->finding.at[i].schedule;
        assert_int_equal(x->why, AU_WHY_UNCHECKED);
        assert_true(x->cut ? !x->schedule.n : x->schedule.n == want->n);
        au_check_result r;
        au_checker_run(c, x, &r);
        assert_int_equal(r.verdict, AU_CHECK_SHOWN);
        if (!x->cut)
            continue;
        au_cut_walk walk;
        au_turn t;
        uint32_t n = 0;
        au_cut_begin(&walk, x->cut, &s->trace->events);
        for (; au_cut_turn(&walk, &t); n++) {
            assert_true(n < want->n);
            assert_int_equal(t.thread, want->turn[n].thread);
            assert_int_equal(t.upto, want->turn[n].upto);
        }
        assert_int_equal(n, want->n);
        au_cut_end(&walk);
    }
    au_findings_release(&f);
}

/* Exactly these pairs, "2-5 3-7" in order, each with a schedule that the checker executes. */
static void expect(const char *text, const char *pairs) {
    au_trace *t = trace_of(text);
    au_error err = AU_ERROR_NONE;
    au_syncp *s = au_syncp_new(t, &err);
    assert_non_null(s);
    au_checker *c = au_checker_new(t);
    au_findings f;
    au_findings_init(&f);
    au_race_options o = {.all = true};
    au_syncp_races(s, &o, &f, NULL);
    char got[512] = "";
    for (size_t i = 0; i < t->events.n; i++)
        for (size_t k = i + 1; k < t->events.n; k++)
            for (size_t m = 0; m < f.finding.n; m++) {
                const au_finding *x = &f.finding.at[m];
                if (x->event[0].number != i || x->event[1].number != k)
                    continue;
                size_t n = strlen(got);
                snprintf(got + n, sizeof got - n, "%s%zu-%zu", n ? " " : "", i, k);
                au_check_result r;
                au_checker_run(c, x, &r);
                assert_int_equal(r.verdict, AU_CHECK_SHOWN);
                assert_int_equal(x->why, AU_WHY_UNCHECKED);
            }
    assert_string_equal(got, pairs);
    expect_cuts(s, c, &f);
    au_findings_release(&f);
    au_checker_free(c);
    au_syncp_free(s);
    au_trace_free(t);
}

static void plain_pairs(void **state) {
    (void)state;
    expect("T1 w x, T2 w x", "0-1");
    expect("T1 r x, T2 w x", "0-1");
    expect("T1 r x, T2 r x", "");
    expect("T1 w x, T1 w x", "");
    expect("T1 w x, T2 w y", "");
    /* the second write waits for the read, which waits for the first write */
    expect("T1 w x, T2 r x, T2 w x", "0-1");
    /* a read in between decides: y tells T2 that x is written */
    expect("T1 w x, T1 w y, T2 r y, T2 w x", "1-2");
}

static void hidden_from_happens_before(void **state) {
    (void)state;
    /* the classic: the critical sections need not be in this order, nor there at all */
    expect("T1 acq m, T1 w x, T1 rel m, T2 acq m, T2 rel m, T2 w x", "1-5");
    expect("T1 w x, T1 acq m, T1 rel m, T2 acq m, T2 rel m, T2 w x", "0-5");
    /* both under the lock */
    expect("T1 acq m, T1 w x, T1 rel m, T2 acq m, T2 w x, T2 rel m", "");
    /* the section of T2 reads what that of T1 wrote: it comes after it */
    expect("T1 w x, T1 acq m, T1 w y, T1 rel m, T2 acq m, T2 r y, T2 rel m, T2 w x", "");
    /* x is written in T1's section, before T2's could begin */
    expect("T1 acq m, T1 w y, T1 w x, T1 rel m, T2 acq m, T2 r y, T2 rel m, T2 w x", "");
}

static void order_of_sections_is_kept(void **state) {
    (void)state;
    /* a race only if T2's section came before T1's: not sync-preserving. Both sections are
     * entered (T1 is inside, T2 was inside and is out), so the earlier one has to be over */
    expect("T1 acq m, T1 w x, T1 rel m, T1 r x, T2 acq m, T2 rel m, T2 w x", "1-6 3-6");
    expect("T1 acq m, T1 rel m, T1 w x, T2 acq m, T2 w x, T2 rel m", "2-4");
    expect("T1 w x, T1 acq m, T1 w z, T1 rel m, T2 acq m, T2 w z, T2 w x, T2 rel m", "0-6");
    /* T3 reads in a section after T2's; T1's section may be the last, but not if somebody
     * has seen what is in it */
    expect("T1 acq m, T1 w x, T1 rel m, T2 acq m, T2 w y, T2 rel m, T3 acq m, T3 r y, T3 rel m, "
           "T3 w x",
           "1-9");
    expect("T1 acq m, T1 w z, T1 w x, T1 rel m, T2 acq m, T2 r z, T2 w y, T2 rel m, T3 acq m, "
           "T3 r y, T3 rel m, T3 w x",
           "");
    /* nor if it reads what the others change */
    expect("T1 acq m, T1 r z, T1 w x, T1 rel m, T2 acq m, T2 w z, T2 rel m, T2 w x", "");
    expect("T1 acq m, T1 w z, T1 r z, T1 w x, T1 rel m, T2 acq m, T2 w z, T2 rel m, T2 w x", "3-8");
    /* or posts to a semaphore in it, or forks */
    expect("T1 acq m, T1 up s, T1 w x, T1 rel m, T2 acq m, T2 rel m, T2 w x", "");
    /* an inner section has to be possible at the end as well: n is held by T2 then */
    expect("T1 acq m, T1 acq n, T1 rel n, T1 w x, T1 rel m, T2 acq m, T2 rel m, T2 acq n, T2 w x",
           "");
    expect("T1 acq m, T1 acq n, T1 rel n, T1 w x, T1 rel m, T2 acq m, T2 rel m, T2 acq n, T2 rel n,"
           "T2 w x",
           "3-9");
    expect("T1 w x, T2 acq m, T2 w y, T2 rel m, T3 acq m, T3 r y, T3 rel m, T3 w x", "0-7");
}

static void not_nested_and_recursive(void **state) {
    (void)state;
    expect("T1 acq a, T1 acq b, T1 rel a, T1 w x, T1 rel b, T2 acq a, T2 rel a, T2 w x", "3-7");
    expect("T1 acq a, T1 acq b, T1 rel a, T1 w x, T1 rel b, T2 acq b, T2 w x, T2 rel b", "");
    /* inner releases release nothing */
    expect("T1 acq a, T1 acq a, T1 rel a, T1 w x, T1 rel a, T2 acq a, T2 w x, T2 rel a", "");
    expect("T1 acq a, T1 acq a, T1 rel a, T1 w x, T1 rel a, T2 acq a, T2 rel a, T2 w x", "3-7");
}

static void read_write_locks(void **state) {
    (void)state;
    expect("T1 rdacq l, T1 w x, T1 rel l, T2 rdacq l, T2 w x, T2 rel l", "1-4");
    expect("T1 rdacq l, T1 r x, T1 rel l, T2 wracq l, T2 w x, T2 rel l", "");
    expect("T1 wracq l, T1 w x, T1 rel l, T2 rdacq l, T2 r x, T2 rel l", "");
    expect("T1 wracq l, T1 w x, T1 rel l, T2 wracq l, T2 rel l, T2 w x", "1-5");
    /* T3's exclusive section is in (T2 saw what it wrote), so T1's shared one is over, or
     * comes late: T2's is shared as well */
    expect(
        "T1 rdacq l, T1 w x, T1 rel l, T3 wracq l, T3 w y, T3 rel l, T2 rdacq l, T2 r y, T2 w x, "
        "T2 rel l",
        "1-8");
    expect(
        "T1 rdacq l, T1 w x, T1 rel l, T3 rdacq l, T3 w y, T3 rel l, T2 rdacq l, T2 r y, T2 w x, "
        "T2 rel l",
        "1-8 4-7");
    /* exclusive, then shared in one thread: both count, T1's section can only come late */
    expect("T1 rdacq l, T1 w x, T1 rel l, T3 wracq l, T3 rel l, T3 rdacq l, T3 w y, T3 rel l, "
           "T2 r y, T2 w x",
           "1-9 6-8");
}

static void fork_and_join(void **state) {
    (void)state;
    expect("T1 w x, T1 fork T2, T2 w x", "");
    expect("T1 fork T2, T1 w x, T2 w x", "1-2");
    expect("T1 fork T2, T2 w x, T1 join T2, T1 w x", "");
    expect("T1 fork T2, T1 fork T3, T2 w x, T1 join T2, T3 w x", "2-4");
    expect("T1 fork T2, T2 w x, T1 join T2, T1 fork T3, T3 w x", "");
    /* a child without events is joined after its fork */
    expect("T1 w x, T1 fork T2, T3 join T2, T3 w x", "");
}

static void other_synchronisation(void **state) {
    (void)state;
    expect("T1 w x, T1 up s, T2 down s, T2 w x", "");
    expect("T1 up s, T1 w x, T2 down s, T2 w x", "1-3");
    expect("T1 w x, T1 arrive b, T2 arrive b, T1 leave b, T2 leave b, T2 w x", "");
    expect("T1 arrive b, T2 arrive b, T1 leave b, T1 w x, T2 leave b, T2 w x", "3-5");
    expect("T2 acq m, T2 rel m, T2 wait c, T1 w x, T1 signal c, T2 wake c, T2 acq m, T2 w x", "");
    expect("T1 w x, T1 once o, T2 once o, T2 w x", "");
    expect("T2 once o, T1 w x, T1 once o, T2 w x", "1-3");
    expect("T1 w x, T1 acq m, T2 tryfail m, T2 w x", "");
    expect("T1 w x, T2 tryfail m, T2 w x", "0-2");
}

static void atomics(void **state) {
    (void)state;
    expect("T1 aw x, T2 aw x", "");
    expect("T1 aw x, T2 rmw x", "");
    expect("T1 aw x, T2 r x", "0-1");
    expect("T1 w x, T2 ar x", "0-1");
    expect("T1 r x, T2 ar x", "");
    /* published through an atomic flag */
    expect("T1 w x, T1 aw f, T2 ar f, T2 w x", "");
    expect("T1 w x, T1 aw f, T2 aw f, T2 w x", "0-3");
}

static void renewed(void **state) {
    (void)state;
    expect("T1 w x, T1 free x, T2 alloc x, T2 w x", "");
    expect("T1 alloc x, T1 w y, T2 w x, T1 w x", "2-3");
    expect("T1 acq m, T1 w x, T1 rel m, T1 destroy m, T2 init m, T2 acq m, T2 rel m, T2 w x", "");
}

/* --- interface --------------------------------------------------------------------------- */

static void an_ideal_grows(void **state) {
    (void)state;
    au_trace *t =
        trace_of("T1 w x, T1 acq m, T1 w y, T1 rel m, T2 acq m, T2 rel m, T2 r y, T2 w z");
    au_error err = AU_ERROR_NONE;
    au_syncp *s = au_syncp_new(t, &err);
    au_ideal *i = au_ideal_new(s);
    assert_int_equal(au_ideal_size(i), 0);
    au_ideal_include_before(i, 6); /* acq and rel of T2: not the read's writer */
    assert_true(au_ideal_close(i));
    assert_int_equal(au_ideal_size(i), 2);
    assert_false(au_ideal_contains(i, 0));
    au_ideal_include_before(i, 7); /* now the read, and so T1's section, the earlier one */
    assert_true(au_ideal_close(i));
    assert_int_equal(au_ideal_clock(i)[0], 4);
    assert_int_equal(au_ideal_clock(i)[1], 3);
    assert_false(au_ideal_contains(i, 7));
    au_ideal_include(i, 7);
    assert_true(au_ideal_contains(i, 7));
    au_arena arena;
    au_arena_init(&arena);
    assert_true(au_ideal_close(i));
    au_schedule x = au_ideal_schedule(i, &arena, 0);
    assert_int_equal(x.n, 2);
    assert_int_equal(x.turn[0].thread, 0);
    assert_int_equal(x.turn[0].upto, 4);
    assert_int_equal(x.turn[1].thread, 1);
    assert_int_equal(x.turn[1].upto, 4);
    assert_int_equal(au_ideal_schedule(i, &arena, 1).n, 0);
    au_arena_release(&arena);
    au_ideal_start(i);
    assert_int_equal(au_ideal_size(i), 0);
    assert_true(au_syncp_before(s, 2, 6));
    assert_false(au_syncp_before(s, 3, 6));
    assert_false(au_syncp_before(s, 6, 2));
    assert_false(au_syncp_before_next(s, 2, 6)); /* the write that the read sees */
    assert_true(au_syncp_before_next(s, 2, 7));
    assert_true(au_syncp_before_next(s, 5, 6));
    assert_false(au_syncp_before_next(s, 6, 6));
    au_ideal_free(i);
    au_syncp_free(s);
    au_trace_free(t);
}

static void a_lock_that_stays_taken(void **state) {
    (void)state;
    /* m is made anew while T1 holds it: T2's section is later and T1's never ends */
    au_trace *t = trace_of("T1 acq m, T1 w x, T2 init m, T2 acq m, T2 w x");
    au_error err = AU_ERROR_NONE;
    au_syncp *s = au_syncp_new(t, &err);
    au_ideal *i = au_ideal_new(s);
    au_ideal_include(i, 1);
    au_ideal_include(i, 3);
    assert_false(au_ideal_close(i));
    assert_true(au_ideal_contains(i, 4));
    au_ideal_start(i);
    au_ideal_include(i, 1);
    assert_true(au_ideal_close(i));
    au_ideal_free(i);
    au_syncp_free(s);
    au_trace_free(t);
}

static void once_a_pair_of_locations(void **state) {
    (void)state;
    au_trace *t = trace_of("T1 w x, T1 w x, T2 w x, T2 r x");
    for (size_t k = 0; k < 3; k++)
        t->events.loc[k] = 7;
    au_error err = AU_ERROR_NONE;
    au_findings f;
    au_findings_init(&f);
    au_race_options o = {0};
    au_funnel funnel;
    au_funnel_init(&funnel);
    au_race_stats st;
    assert_int_equal(au_races(t, &o, &f, &funnel, &st, &err), AU_OK);
    /* 7 with 7; 7 with 3 (the read, before its own thread's write would be it: T1 only) */
    assert_int_equal(f.finding.n, 2);
    assert_int_equal(f.finding.at[0].event[0].loc, 7);
    assert_int_equal(f.finding.at[0].event[1].loc, 7);
    assert_string_equal(f.finding.at[0].detail, "WW");
    assert_int_equal(st.racy, 1);
    assert_int_equal(funnel.left[AU_STAGE_CANDIDATES], 1);
    assert_int_equal(funnel.left[AU_STAGE_LOCKSET], 1);
    au_findings_release(&f);
    au_trace_free(t);
}

/* What happens-before leaves open and reads decide is said to be so. */
static void decided_by_reads(void **state) {
    (void)state;
    au_trace *t = trace_of("T1 w x, T1 w y, T2 r y, T2 r x");
    au_error err = AU_ERROR_NONE;
    au_findings f;
    au_findings_init(&f);
    au_race_options o = {0};
    assert_int_equal(au_races(t, &o, &f, NULL, NULL, &err), AU_OK);
    assert_int_equal(f.finding.n, 2);
    assert_int_equal(f.finding.at[0].event[0].number, 1);
    assert_int_equal(f.finding.at[0].why, AU_WHY_UNCHECKED);
    assert_int_equal(f.finding.at[0].schedule.n, 1);
    assert_int_equal(f.finding.at[1].event[0].number, 0);
    assert_int_equal(f.finding.at[1].event[1].number, 3);
    assert_int_equal(f.finding.at[1].why, AU_WHY_READS);
    assert_int_equal(f.finding.at[1].schedule.n, 0);
    au_findings_release(&f);
    au_trace_free(t);
}

/* --- long random traces -------------------------------------------------------------- */

enum { LONG = 400 };

typedef struct {
    const au_columns *e;
    int writer[LONG], rel[LONG], last_once;
} long_facts;

static bool is_acquire(au_op op) {
    return op == AU_OP_ACQ || op == AU_OP_RDACQ || op == AU_OP_WRACQ;
}

static void long_read(long_facts *f, const au_trace *t) {
    const au_columns *e = f->e = &t->events;
    for (size_t i = 0; i < e->n; i++) {
        f->writer[i] = f->rel[i] = -1;
        bool reads = e->op[i] == AU_OP_READ || e->op[i] == AU_OP_AREAD || e->op[i] == AU_OP_RMW;
        for (size_t k = i; reads && f->writer[i] < 0 && k-- > 0;)
            if (au_op_is_access(e->op[k]) && e->op[k] != AU_OP_READ && e->op[k] != AU_OP_AREAD &&
                e->obj[k] == e->obj[i])
                f->writer[i] = (int)k;
        if (!is_acquire(e->op[i]))
            continue;
        int depth = 0;
        for (size_t k = 0; k < e->n; k++) {
            if (e->thread[k] != e->thread[i] || e->obj[k] != e->obj[i])
                continue;
            depth += is_acquire(e->op[k]) - (e->op[k] == AU_OP_REL);
            if (k == i && depth > 1)
                break;
            if (k > i && depth == 0 && e->op[k] == AU_OP_REL) {
                f->rel[i] = (int)k;
                break;
            }
        }
    }
}

static void mark(const long_facts *f, bool *in, size_t i);

static void mark_before(const long_facts *f, bool *in, size_t i) {
    for (size_t k = i; k-- > 0;) {
        bool fork = f->e->op[k] == AU_OP_FORK && f->e->obj[k] == f->e->thread[i];
        if (f->e->thread[k] == f->e->thread[i] || fork) {
            mark(f, in, k);
            if (!fork)
                return;
        }
    }
}

static void mark(const long_facts *f, bool *in, size_t i) {
    if (in[i])
        return;
    in[i] = true;
    mark_before(f, in, i);
    if (f->writer[i] >= 0)
        mark(f, in, (size_t)f->writer[i]);
    for (size_t k = 0; f->e->op[i] == AU_OP_JOIN && k < i; k++)
        if (f->e->thread[k] == f->e->obj[i] ||
            (f->e->op[k] == AU_OP_FORK && f->e->obj[k] == f->e->obj[i]))
            mark(f, in, k);
}

/* Every pair of sections of a lock, until nothing changes. */
static void naive_close(const long_facts *f, bool *in) {
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t a = 0; a < f->e->n; a++)
            for (size_t b = a + 1; b < f->e->n && in[a]; b++)
                if (in[b] && is_acquire(f->e->op[a]) && is_acquire(f->e->op[b]) &&
                    f->e->obj[a] == f->e->obj[b] && f->e->thread[a] != f->e->thread[b] &&
                    f->rel[a] >= 0 && !in[f->rel[a]] &&
                    (f->e->op[a] != AU_OP_RDACQ || f->e->op[b] != AU_OP_RDACQ)) {
                    mark(f, in, (size_t)f->rel[a]);
                    grown = true;
                }
    }
}

/* One ideal that grows by random events is the closure of the definition after each. */
static void long_traces(void **state) {
    (void)state;
    static long_facts f;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        au_rng rng;
        au_rng_init(&rng, seed);
        au_trace *t = au_sync_trace(&rng, 4, LONG, 3,
                                    ST_RECURSION | ST_ATOMIC | (seed % 2 ? ST_RWLOCK : 0) |
                                        (seed % 3 ? 0 : ST_FORK));
        long_read(&f, t);
        au_error err = AU_ERROR_NONE;
        au_syncp *s = au_syncp_new(t, &err);
        au_ideal *i = au_ideal_new(s);
        for (int round = 0; round < 4; round++) {
            bool in[LONG] = {0};
            au_ideal_start(i);
            for (int k = 0; k < 1 + round; k++) {
                size_t e = au_rng_below(&rng, (uint32_t)t->events.n);
                if (k % 2) {
                    mark(&f, in, e);
                    au_ideal_include(i, e);
                } else {
                    mark_before(&f, in, e);
                    au_ideal_include_before(i, e);
                }
                naive_close(&f, in);
                assert_true(au_ideal_close(i));
                for (size_t m = 0; m < t->events.n; m++)
                    assert_int_equal(in[m], au_ideal_contains(i, m));
            }
        }
        au_ideal_free(i);
        au_syncp_free(s);
        au_trace_free(t);
    }
}

/* Many threads and one variable: work by threads, though there are as many pairs as their square. */
static void many_threads(void **state) {
    (void)state;
    enum { N = 300 };
    for (int ordered = 0; ordered < 2; ordered++) {
        au_trace *t = trace_of("T0 w x, T1 w x");
        au_columns_clear(&t->events);
        uint32_t flag = au_intern_add(&t->names.var, "flag", 4);
        for (int i = 0; i < N; i++) {
            char s[16];
            uint32_t me =
                au_intern_add(&t->names.thread, s, (size_t)snprintf(s, sizeof s, "T%d", i));
            if (ordered)
                au_columns_push(&t->events, AU_OP_READ, (uint16_t)me, flag, 1, NULL);
            au_columns_push(&t->events, AU_OP_READ, (uint16_t)me, 0, 2, NULL);
            au_columns_push(&t->events, AU_OP_WRITE, (uint16_t)me, 0, 3, NULL);
            if (ordered)
                au_columns_push(&t->events, AU_OP_WRITE, (uint16_t)me, flag, 4, NULL);
        }
        au_findings f;
        au_findings_init(&f);
        au_race_stats n;
        au_race_options o = {0};
        au_error err = AU_ERROR_NONE;
        assert_int_equal(au_races(t, &o, &f, NULL, &n, &err), AU_OK);
        assert_int_equal(f.finding.at[0].why, AU_WHY_UNCHECKED);
        assert_true(n.closures > 0 && n.closures < 4 * N);
        au_findings_release(&f);
        au_trace_free(t);
    }
}

/* --- several processes ---------------------------------------------------------------- */

static void same_schedule(const au_finding *a, const au_finding *b) {
    assert_int_equal(a->schedule.n, b->schedule.n);
    for (uint32_t i = 0; i < a->schedule.n; i++) {
        assert_int_equal(a->schedule.turn[i].thread, b->schedule.turn[i].thread);
        assert_int_equal(a->schedule.turn[i].upto, b->schedule.turn[i].upto);
    }
    assert_int_equal(!a->cut, !b->cut);
    if (!a->cut)
        return;
    assert_int_equal(a->cut->late, b->cut->late);
    assert_int_equal(a->cut->kept, b->cut->kept);
    assert_memory_equal(a->cut->upto, b->cut->upto, a->cut->threads * sizeof *a->cut->upto);
}

static void same_findings(const au_findings *a, const au_findings *b) {
    assert_int_equal(a->finding.n, b->finding.n);
    for (size_t i = 0; i < a->finding.n; i++) {
        const au_finding *x = &a->finding.at[i], *y = &b->finding.at[i];
        assert_int_equal(x->obj, y->obj);
        assert_int_equal(x->why, y->why);
        assert_string_equal(x->detail, y->detail);
        for (int e = 0; e < 2; e++) {
            assert_int_equal(x->event[e].number, y->event[e].number);
            assert_int_equal(x->event[e].index, y->event[e].index);
            assert_int_equal(x->event[e].loc, y->event[e].loc);
            assert_int_equal(x->event[e].thread, y->event[e].thread);
            assert_int_equal(x->event[e].op, y->event[e].op);
        }
        same_schedule(x, y);
    }
}

/* Whatever the number of processes; with a limit that bites, so that its count is compared as well. */
static void same_by_several_processes(void **state) {
    (void)state;
    uint64_t found = 0, bitten = 0;
    au_limit_set_for_test(AU_AT_RACE_LATE, 1);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        au_rng rng;
        au_rng_init(&rng, seed);
        au_trace *t = au_sync_trace(&rng, 4, (uint32_t)(100 + 20 * seed), (uint32_t)(1 + seed % 32),
                                    seed % 4 ? ST_ALL : ST_RECURSION);
        au_findings one;
        au_race_stats of_one;
        uint64_t late = 0;
        for (unsigned jobs = 1; jobs <= 4; jobs++) {
            au_race_options o = {
                .jobs = jobs, .apart_from = 1, .budget = 5000, .all = seed % 5 == 0};
            au_findings f;
            au_race_stats st;
            au_error err = AU_ERROR_NONE;
            au_findings_init(&f);
            au_limits_forget();
            assert_int_equal(au_races(t, &o, &f, NULL, &st, &err), AU_OK);
            uint64_t bit = au_limit_taken(AU_AT_RACE_LATE);
            if (jobs == 1) {
                one = f;
                of_one = st;
                late = bit;
                found += f.finding.n;
                bitten += bit;
                continue;
            }
            same_findings(&one, &f);
            assert_memory_equal(&of_one, &st, sizeof st);
            assert_int_equal(late, bit);
            au_findings_release(&f);
        }
        au_findings_release(&one);
        au_trace_free(t);
    }
    au_limit_set_for_test(AU_AT_RACE_LATE, AU_LIMIT_RACE_LATE);
    assert_true(found > 1000);
    assert_true(bitten > 0);
}

/* Numbers of events within their threads, where turns are long and where they are short. */
static void numbers_in_threads(void **state) {
    (void)state;
    enum { EVENTS = 900 };
    for (unsigned turn = 1; turn <= 60; turn += 59) {
        char text[EVENTS * 8];
        size_t n = 0;
        for (unsigned i = 0; i < EVENTS; i++)
            n += (size_t)sprintf(text + n, "%sT%u w x", i ? ", " : "", 1 + i / turn * 7 % 3);
        au_trace *t = trace_of(text);
        au_error err = AU_ERROR_NONE;
        au_syncp *s = au_syncp_new(t, &err);
        assert_non_null(s);
        assert_true(turn == 1 ? s->pos && !s->stretch.n : !s->pos && s->stretch.n == EVENTS / turn);
        uint32_t number[4] = {0};
        size_t at = 0;
        for (size_t i = 0; i < EVENTS; i++) {
            uint32_t is = ++number[t->events.thread[i]];
            assert_int_equal(au_syncp_index(s, i), is);
            assert_int_equal(au_syncp_next_pos(s, i, &at), is);
        }
        au_syncp_free(s);
        au_trace_free(t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_by_several_processes),
        cmocka_unit_test(plain_pairs),
        cmocka_unit_test(hidden_from_happens_before),
        cmocka_unit_test(order_of_sections_is_kept),
        cmocka_unit_test(not_nested_and_recursive),
        cmocka_unit_test(read_write_locks),
        cmocka_unit_test(fork_and_join),
        cmocka_unit_test(other_synchronisation),
        cmocka_unit_test(atomics),
        cmocka_unit_test(renewed),
        cmocka_unit_test(an_ideal_grows),
        cmocka_unit_test(a_lock_that_stays_taken),
        cmocka_unit_test(once_a_pair_of_locations),
        cmocka_unit_test(decided_by_reads),
        cmocka_unit_test(long_traces),
        cmocka_unit_test(many_threads),
        cmocka_unit_test(numbers_in_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
