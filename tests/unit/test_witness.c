/* The checker of schedules on traces: each primitive, each kind of finding, each reason. */
#include "small_trace.h"
#include "witness/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static uint16_t thread_id(const au_trace *t, const char *name) {
    if (*name == '#')
        return (uint16_t)atoi(name + 1);
    uint32_t id = au_intern_find(&t->names.thread, name, strlen(name));
    assert_int_not_equal(id, AU_NONE);
    return (uint16_t)id;
}

static au_event_ref event(const au_trace *t, uint16_t thread, uint64_t index) {
    au_event_ref v = {.number = UINT64_MAX, .thread = thread, .index = index};
    uint64_t n = 0;
    for (size_t i = 0; i < t->events.n; i++)
        if (t->events.thread[i] == thread && ++n == index) {
            v.number = i;
            v.op = t->events.op[i];
            v.obj = t->events.obj[i];
        }
    return v;
}

/* "T1:3 T2:1": thread and number; how many. "-": the initial value. */
static uint32_t pairs(const au_trace *t, const char *text, au_event_ref *out) {
    char *copy = au_strdup(text), *save = NULL;
    uint32_t n = 0;
    for (char *p = strtok_r(copy, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
        char *colon = strchr(p, ':');
        if (!colon) {
            out[n++] = (au_event_ref){.number = UINT64_MAX};
            continue;
        }
        *colon = 0;
        out[n++] = event(t, thread_id(t, p), strtoull(colon + 1, NULL, 10));
    }
    free(copy);
    return n;
}

static au_check_result check_with(const au_trace *t, au_checker *c, au_kind kind,
                                  const char *events, const char *schedule) {
    au_event_ref e[16], s[32];
    au_turn turn[32];
    au_finding f = {.kind = kind, .obj = AU_NONE, .detail = "", .event = e};
    f.n_events = pairs(t, events, e);
    f.schedule = (au_schedule){turn, pairs(t, schedule, s)};
    for (uint32_t i = 0; i < f.schedule.n; i++)
        turn[i] = (au_turn){.upto = s[i].index, .thread = s[i].thread};
    au_check_result r;
    au_checker_run(c, &f, &r);
    return r;
}

/* Checks one schedule; twice, as a checker must not remember anything. */
static au_check_result check(const au_trace *t, au_kind kind, const char *events,
                             const char *schedule) {
    au_checker *c = au_checker_new(t);
    check_with(t, c, AU_KIND_ASSERTION, "", schedule);
    check_with(t, c, kind, events, schedule);
    au_check_result r = check_with(t, c, kind, events, schedule);
    au_checker_free(c);
    return r;
}

static void expect(const au_trace *t, au_kind kind, const char *events, const char *schedule,
                   au_check_verdict verdict, const char *why) {
    au_check_result r = check(t, kind, events, schedule);
    if (r.verdict != verdict || strcmp(r.why, why))
        fail_msg("'%s' '%s': verdict %d '%s', expected %d '%s'", events, schedule, r.verdict, r.why,
                 verdict, why);
}

/* Can it be executed? why "": yes. An assertion is something that no trace has. */
static void runs(const au_trace *t, const char *schedule, const char *why) {
    if (*why)
        expect(t, AU_KIND_ASSERTION, "", schedule, AU_CHECK_STUCK, why);
    else
        expect(t, AU_KIND_ASSERTION, "", schedule, AU_CHECK_NOT_SHOWN, "a trace has no assertions");
}

static void race(const au_trace *t, const char *events, const char *schedule,
                 au_check_verdict verdict, const char *why) {
    expect(t, AU_KIND_RACE, events, schedule, verdict, why);
}

/* --- primitives --------------------------------------------------------------------- */

static void locks(void **state) {
    (void)state;
    au_trace *t =
        au_small_trace("T1 acq m;T1 acq m;T1 w x;T1 rel m;T1 rel m;T2 acq m;T2 w x;T2 rel m");
    runs(t, "T1:5 T2:3", "");
    runs(t, "T2:3 T1:5", "");
    runs(t, "T1:3 T2:1", "T2 cannot execute event 1 acq(m): T1 holds it since its event 1");
    runs(t, "T1:4 T2:1", "T2 cannot execute event 1 acq(m): T1 holds it since its event 1");
    runs(t, "T2:2 T1:1", "T1 cannot execute event 1 acq(m): T2 holds it since its event 1");
    au_small_trace_kind(t, "m", AU_WIRE_OBJ_RLOCK, 0);
    runs(t, "T1:5 T2:3", "");
    au_small_trace_kind(t, "m", AU_WIRE_OBJ_LOCK, 0);
    runs(t, "T1:2",
         "T1 cannot execute event 2 acq(m): it holds it since its event 1, and it is "
         "not recursive");
    au_trace_free(t);
    t = au_small_trace("T1 acq m;T2 rel m;T3 rel n");
    runs(t, "T2:1", "T2 cannot execute event 1 rel(m): nobody holds it");
    runs(t, "T1:1 T2:1", "T2 cannot execute event 1 rel(m): T1 holds it");
    au_trace_free(t);
}

static void read_write_locks(void **state) {
    (void)state;
    au_trace *t =
        au_small_trace("T1 rdacq m;T2 rdacq m;T1 rdacq m;T1 rel m;T1 rel m;T2 rel m;T3 wracq m;"
                       "T3 rel m;T4 acq m");
    runs(t, "T1:1 T2:1 T1:4 T2:2 T3:2 T4:1", "");
    runs(t, "T3:2 T1:4 T4:1", "");
    runs(t, "T1:3 T3:1",
         "T3 cannot execute event 1 wracq(m): T1 holds it for reading since its "
         "event 1");
    runs(t, "T1:4 T2:1 T3:1",
         "T3 cannot execute event 1 wracq(m): T2 holds it for reading since "
         "its event 1");
    runs(t, "T1:1 T4:1",
         "T4 cannot execute event 1 acq(m): T1 holds it for reading since its "
         "event 1");
    runs(t, "T3:1 T1:1", "T1 cannot execute event 1 rdacq(m): T3 holds it since its event 1");
    au_trace_free(t);
    t = au_small_trace("T1 rdacq m;T2 rel m;T1 wracq m");
    runs(t, "T1:1 T2:1", "T2 cannot execute event 1 rel(m): it has no read hold of it");
    runs(t, "T1:2",
         "T1 cannot execute event 2 wracq(m): it holds it for reading since its event 1");
    au_trace_free(t);
}

static void semaphores(void **state) {
    (void)state;
    au_trace *t = au_small_trace("T1 down s;T1 up s;T2 down s;T2 up s;T2 up s;T1 down s;T1 down s");
    runs(t, "T1:2 T2:3 T1:4", "");
    runs(t, "T1:1 T2:1", "T2 cannot execute event 1 down(s): its count is 0");
    au_small_trace_kind(t, "s", AU_WIRE_OBJ_SEM, 2);
    runs(t, "T1:1 T2:1 T1:2 T2:2", "");
    au_trace_free(t);
    t = au_small_trace("T1 up s;T2 down s"); /* starts at 0 */
    runs(t, "T2:1", "T2 cannot execute event 1 down(s): its count is 0");
    au_trace_free(t);
    t = au_small_trace("T1 acq s;T2 rel s;T1 acq s"); /* acq and rel of what is known to be one */
    au_small_trace_kind(t, "s", AU_WIRE_OBJ_SEM, 1);
    runs(t, "T1:1 T2:1 T1:2", "");
    runs(t, "T1:2", "T1 cannot execute event 2 acq(s): its count is 0");
    au_trace_free(t);
}

static bool spurious(const au_trace *t, const char *schedule) {
    au_check_result r = check(t, AU_KIND_ASSERTION, "", schedule);
    assert_string_equal(r.why, "a trace has no assertions");
    return r.spurious;
}

static void conditions(void **state) {
    (void)state;
    au_trace *t =
        au_small_trace("T1 acq m;T1 rel m;T1 wait c;T2 acq m;T2 signal c;T2 rel m;T1 wake c;"
                       "T1 acq m;T1 w x;T1 rel m;T3 w x");
    assert_false(spurious(t, "T1:3 T2:3 T1:7"));
    assert_false(spurious(t, "T1:2 T2:3 T1:7")); /* with the release it waits */
    assert_true(spurious(t, "T1:7"));
    assert_true(spurious(t, "T2:3 T1:7")); /* a signal before the wait is lost */
    runs(t, "T1:3 T2:2 T1:5", "T1 cannot execute event 5 acq(m): T2 holds it since its event 1");
    runs(t, "T1:1 T2:1", "T2 cannot execute event 1 acq(m): T1 holds it since its event 1");
    race(t, "T1:6 T3:1", "T1:5", AU_CHECK_SHOWN,
         "T1's event 4 wake(c) needs a wake-up without a signal");
    race(t, "T1:6 T3:1", "T1:3 T2:3 T1:5", AU_CHECK_SHOWN, "");
    au_trace_free(t);
    /* two waiters: one signal is for whoever needs it */
    t = au_small_trace(
        "T1 acq m;T1 rel m;T1 wait c;T2 acq m;T2 rel m;T2 wait c;T3 signal c;T2 wake c;"
        "T2 acq m;T2 rel m;T3 signal c;T1 wake c;T1 acq m;T1 rel m;T3 broadcast c");
    assert_false(spurious(t, "T1:3 T2:3 T3:1 T2:6 T3:2 T1:6"));
    assert_false(spurious(t, "T1:3 T2:3 T3:1 T1:6"));
    assert_false(spurious(t, "T1:3 T2:3 T3:1 T2:6"));
    assert_true(spurious(t, "T1:3 T2:3 T3:1 T2:6 T1:6"));
    assert_false(spurious(t, "T1:3 T3:1 T2:3 T3:2 T2:6 T1:6"));
    assert_true(spurious(t, "T1:3 T3:2 T2:6"));            /* both signals were before T2's wait */
    assert_false(spurious(t, "T1:3 T2:3 T3:3 T2:6 T1:6")); /* broadcast */
    assert_true(spurious(t, "T1:3 T3:3 T2:6"));
    au_trace_free(t);
}

static void barriers(void **state) {
    (void)state;
    au_trace *t =
        au_small_trace("T1 arrive b;T2 arrive b;T1 leave b;T2 leave b;T1 arrive b;T2 arrive b;"
                       "T2 leave b;T1 leave b");
    runs(t, "T1:1 T2:4 T1:4", "T2 cannot execute event 4 leave(b): 1 of 2 threads have arrived");
    runs(t, "T1:1 T2:3 T1:4 T2:4", "");
    runs(t, "T1:2", "T1 cannot execute event 2 leave(b): 1 of 2 threads have arrived");
    au_small_trace_kind(t, "b", AU_WIRE_OBJ_BARRIER, 3);
    runs(t, "T1:1 T2:1 T1:2", "T1 cannot execute event 2 leave(b): 2 of 3 threads have arrived");
    au_trace_free(t);
    t = au_small_trace("T1 arrive b;T2 w x"); /* nobody left: not full */
    runs(t, "T1:1", "");
    au_trace_free(t);
}

static void forks(void **state) {
    (void)state;
    au_trace *t =
        au_small_trace("T1 w x;T1 fork T2;T2 w x;T2 exit;T1 join T2;T3 w x;T1 fork T4;T1 join T4");
    runs(t, "T1:2 T2:2 T1:5", "");
    runs(t, "T3:1 T1:2 T2:2 T1:5", "");
    runs(t, "T2:1", "T2 cannot execute event 1 w(x): T2 has not been forked");
    runs(t, "T1:2 T2:1 T1:3",
         "T1 cannot execute event 3 join(T2): T2 has executed 1 of its 2 events");
    race(t, "T1:1 T2:1", "T3:1", AU_CHECK_NOT_SHOWN,
         "T2's event 1 w(x) is not next: T2 has not been forked");
    au_trace_free(t);
    t = au_small_trace(
        "M join T1;M fork T1"); /* not a trace of a run: it just cannot be executed */
    runs(t, "M:1", "M cannot execute event 1 join(T1): T1 has not been forked");
    au_trace_free(t);
}

static void once_init_try(void **state) {
    (void)state;
    au_trace *t = au_small_trace("T1 once o;T1 w x;T2 once o;T2 r x");
    runs(t, "T1:2 T2:2", "");
    runs(t, "T2:1",
         "T2 cannot execute event 1 once(o): T1's event 1 once(o), which ran it in the trace, has "
         "not come");
    au_trace_free(t);
    t = au_small_trace(
        "T1 init m;T1 acq m;T1 rel m;T2 acq m;T2 rel m;T1 destroy m;T1 init m;T2 acq m");
    runs(t, "T1:3 T2:2 T1:5 T2:3", "");
    runs(t, "T2:1 T1:1", "T1 cannot execute event 1 init(m): it is in use");
    au_trace_free(t);
    t = au_small_trace("T1 acq m;T2 init m;T2 acq m;T2 rel m"); /* as in the trace */
    runs(t, "T1:1 T2:3", "");
    au_trace_free(t);
    t = au_small_trace("T1 acq m;T2 tryfail m;T1 rel m;T2 w x;T3 w x");
    race(t, "T2:2 T3:1", "T1:1 T2:1", AU_CHECK_SHOWN, "");
    race(t, "T2:2 T3:1", "T2:1", AU_CHECK_LOCKS_ONLY, "T2's event 1 tryfail(m) would get it");
    au_trace_free(t);
    /* A reader makes fail who tries to write, not who tries to read. */
    for (int reads = 0; reads < 2; reads++) {
        t = au_small_trace(reads ? "T1 wracq m;T2 tryfail m 1;T1 rel m;T4 rdacq m;T2 w x;T3 w x"
                                 : "T1 wracq m;T2 tryfail m 0;T1 rel m;T4 rdacq m;T2 w x;T3 w x");
        au_small_trace_kind(t, "m", AU_WIRE_OBJ_RWLOCK, 0);
        race(t, "T2:2 T3:1", "T4:1 T2:1", reads ? AU_CHECK_LOCKS_ONLY : AU_CHECK_SHOWN,
             reads ? "T2's event 1 tryfail(m) would get it" : "");
        au_trace_free(t);
    }
    t = au_small_trace("T2 tryfail m;T2 w x;T3 w x"); /* it failed although m was free */
    race(t, "T2:2 T3:1", "T2:1", AU_CHECK_SHOWN, "");
    au_trace_free(t);
    t = au_small_trace("T1 begin b;T1 req m;T1 fence;T1 alloc x;T1 free x;T1 detach T2;T1 exit");
    runs(t, "T1:7", "");
    au_trace_free(t);
}

/* --- findings ----------------------------------------------------------------------- */

static void races(void **state) {
    (void)state;
    au_trace *t =
        au_small_trace("T1 w y;T1 acq m;T1 w x;T1 rel m;T2 acq m;T2 rel m;T2 w x;T2 r x;T3 r x");
    /* the classic that happens-before misses */
    race(t, "T1:3 T2:3", "T2:2 T1:2", AU_CHECK_SHOWN, "");
    race(t, "T1:3 T2:3", "T1:2 T2:2", AU_CHECK_STUCK,
         "T2 cannot execute event 1 acq(m): T1 holds it since its event 2");
    race(t, "T1:3 T2:3", "T1:4 T2:2", AU_CHECK_NOT_SHOWN,
         "T1's event 3 w(x) is not next: T1 has executed 4 events");
    race(t, "T1:3 T2:3", "T2:2 T1:1", AU_CHECK_NOT_SHOWN,
         "T1's event 3 w(x) is not next: T1 has executed 1 events");
    race(t, "T1:3 T1:3", "T1:2", AU_CHECK_NOT_SHOWN, "its events are of the wrong threads");
    race(t, "T2:4 T3:1", "T2:3", AU_CHECK_NOT_SHOWN, "neither access is a write");
    race(t, "T1:1 T2:3", "T2:2", AU_CHECK_NOT_SHOWN, "its events are not accesses of one variable");
    race(t, "T1:2 T2:1", "T1:1", AU_CHECK_NOT_SHOWN, "its events are not accesses of one variable");
    race(t, "T1:3", "T1:2", AU_CHECK_NOT_SHOWN, "a race has not 1 events");
    au_trace_free(t);
    /* a lock held when the schedule ends counts: T2 cannot be at its access */
    t = au_small_trace("T1 acq m;T1 w x;T1 rel m;T2 acq m;T2 w x;T2 rel m");
    race(t, "T1:2 T2:2", "T1:1", AU_CHECK_NOT_SHOWN,
         "T2's event 2 w(x) is not next: T2 has executed 0 events");
    race(t, "T1:2 T2:2", "T1:1 T2:1", AU_CHECK_STUCK,
         "T2 cannot execute event 1 acq(m): T1 holds it since its event 1");
    au_trace_free(t);
    t = au_small_trace("T1 aw x;T2 w x;T3 rmw x");
    race(t, "T1:1 T2:1", "", AU_CHECK_SHOWN, "");
    race(t, "T1:1 T3:1", "", AU_CHECK_NOT_SHOWN, "both are atomic");
    au_trace_free(t);
}

static void reads(void **state) {
    (void)state;
    au_trace *t = au_small_trace("T1 w x;T2 r x;T2 w y;T3 w y;T3 w x");
    race(t, "T2:2 T3:1", "T1:1 T2:1", AU_CHECK_SHOWN, "");
    race(t, "T2:2 T3:1", "T2:1", AU_CHECK_LOCKS_ONLY,
         "T2's event 1 r(x) sees the initial value, in the trace T1's event 1 w(x)");
    race(t, "T2:1 T3:2", "T3:1", AU_CHECK_SHOWN, "");      /* the decisive read is free */
    race(t, "T1:1 T3:2", "T2:1 T3:1", AU_CHECK_SHOWN, ""); /* nothing comes after T2's read */
    race(t, "T1:1 T3:2", "T2:2 T3:1", AU_CHECK_LOCKS_ONLY,
         "T2's event 1 r(x) sees the initial value, in the trace T1's event 1 w(x)");
    au_trace_free(t);
    t = au_small_trace("T1 r x;T1 w y;T2 aw x;T2 w y");
    race(t, "T1:2 T2:2", "T2:1 T1:1", AU_CHECK_LOCKS_ONLY,
         "T1's event 1 r(x) sees T2's event 1 aw(x), in the trace the initial value");
    race(t, "T1:2 T2:2", "T1:1 T2:1", AU_CHECK_SHOWN, "");
    au_trace_free(t);
    /* a join comes after the end of its thread, which comes after its last read */
    t = au_small_trace("T1 w x;T2 r x;T3 join T2;T3 w y;T1 w y");
    race(t, "T3:2 T1:2", "T1:1 T2:1 T3:1", AU_CHECK_SHOWN, "");
    race(t, "T3:2 T1:2", "T2:1 T3:1 T1:1", AU_CHECK_LOCKS_ONLY,
         "T2's event 1 r(x) sees the initial value, in the trace T1's event 1 w(x)");
    au_trace_free(t);
    /* an rmw that saw another value wrote another one */
    t = au_small_trace("T1 w x;T2 rmw x;T3 ar x;T3 w y;T4 w y");
    race(t, "T3:2 T4:1", "T1:1 T2:1 T3:1", AU_CHECK_SHOWN, "");
    race(t, "T3:2 T4:1", "T2:1 T3:1", AU_CHECK_LOCKS_ONLY,
         "T3's event 1 ar(x) sees T2's event 1 rmw(x), which itself read another write");
    au_trace_free(t);
}

static void atomicity(void **state) {
    (void)state;
    const au_kind a = AU_KIND_ATOMICITY;
    au_trace *t =
        au_small_trace("T1 begin;T1 r x;T1 w x;T1 end;T2 w x;T2 r x;T2 w y;T3 w x;T3 r y");
    expect(t, a, "T1:2 T2:1 T1:3", "T1:2 T2:1 T1:3", AU_CHECK_SHOWN, "");
    expect(t, a, "T1:2 T2:1 T1:3", "T1:2 T2:3 T1:4", AU_CHECK_SHOWN, "");
    expect(t, a, "T1:2 T2:1 T1:3", "T1:3 T2:1", AU_CHECK_NOT_SHOWN,
           "T1's event 3 w(x) is executed, but not after T2's event 1 w(x)");
    expect(t, a, "T1:2 T2:1 T1:3", "T1:2 T2:1", AU_CHECK_NOT_SHOWN,
           "T1's event 3 w(x) is not executed");
    expect(t, a, "T1:2 T2:1 T1:3", "T2:1 T1:3", AU_CHECK_NOT_SHOWN,
           "T2's event 1 w(x) is executed, but not after T1's event 2 r(x)");
    expect(t, a, "T1:2 T2:1 T1:3", "T3:1 T1:2 T2:1 T1:3", AU_CHECK_LOCKS_ONLY,
           "T1's event 2 r(x) sees T3's event 1 w(x), in the trace the initial value");
    /* what comes after the decisive events needs no reads kept */
    expect(t, a, "T1:2 T2:1 T1:3", "T1:2 T2:1 T1:3 T2:3", AU_CHECK_SHOWN, "");
    expect(t, a, "T1:2 T2:1 T1:3", "T1:2 T2:1 T3:1 T2:3 T1:3", AU_CHECK_LOCKS_ONLY,
           "T2's event 2 r(x) sees T3's event 1 w(x), in the trace T2's event 1 w(x)");
    expect(t, a, "T1:2 T2:2 T1:3", "T1:2 T2:2 T1:3", AU_CHECK_NOT_SHOWN,
           "its accesses are serialisable");
    expect(t, a, "T1:2 T2:1 T2:2", "T1:2 T2:1 T1:3", AU_CHECK_NOT_SHOWN,
           "its events are of the wrong threads");
    expect(t, a, "T1:2 T2:1 T1:3", "T2:2 T1:2 T3:1", AU_CHECK_NOT_SHOWN,
           "T2's event 1 w(x) is executed, but not after T1's event 2 r(x)");
    au_trace_free(t);
    /* f and e2 are free reads, an rmw between is not */
    t = au_small_trace("T1 w x;T1 w x;T2 r x;T3 r x;T3 r x;T4 rmw x");
    expect(t, a, "T1:1 T2:1 T1:2", "T1:1 T2:1 T1:2", AU_CHECK_SHOWN, "");
    expect(t, a, "T1:1 T4:1 T1:2", "T1:1 T4:1 T1:2", AU_CHECK_LOCKS_ONLY,
           "T4's event 1 rmw(x) sees T1's event 1 w(x), in the trace T1's event 2 w(x)");
    au_trace_free(t);
    t = au_small_trace("T1 w x;T2 r x;T2 r x;T1 w x");
    expect(t, a, "T2:1 T1:2 T2:2", "T1:1 T2:1 T1:2 T2:2", AU_CHECK_SHOWN, "");
    au_trace_free(t);
}

static void detail_is_the_pattern(void **state) {
    (void)state;
    au_trace *t = au_small_trace("T1 rmw x;T1 rmw x;T2 r x");
    au_event_ref e[3] = {event(t, 0, 1), event(t, 1, 1), event(t, 0, 2)};
    au_turn turn[3] = {{1, 0, 0, 0}, {1, 1, 0, 0}, {2, 0, 0, 0}};
    static const struct {
        const char *detail;
        au_check_verdict verdict;
    } cases[] = {{"", AU_CHECK_SHOWN},        {"WRW", AU_CHECK_SHOWN},
                 {"RRW", AU_CHECK_NOT_SHOWN}, {"RWR", AU_CHECK_NOT_SHOWN},
                 {"WRR", AU_CHECK_NOT_SHOWN}, {"other", AU_CHECK_SHOWN}};
    au_checker *c = au_checker_new(t);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        au_finding f = {.kind = AU_KIND_ATOMICITY,
                        .obj = 0,
                        .detail = cases[i].detail,
                        .event = e,
                        .n_events = 3,
                        .schedule = {turn, 3}};
        au_check_result r;
        au_checker_run(c, &f, &r);
        assert_int_equal(r.verdict, cases[i].verdict);
    }
    au_checker_free(c);
    au_trace_free(t);
}

static void nondet(void **state) {
    (void)state;
    const au_kind n = AU_KIND_NONDET;
    au_trace *t = au_small_trace("T1 w x;T2 r x;T2 w y;T3 w x;T3 r y;T3 w x");
    expect(t, n, "- T2:1", "T2:1", AU_CHECK_SHOWN, "");
    expect(t, n, "T3:1 T2:1", "T3:1 T2:1", AU_CHECK_SHOWN, "");
    expect(t, n, "T3:1 T2:1", "T3:1 T2:2 T1:1", AU_CHECK_SHOWN, "");
    expect(t, n, "T3:1 T2:1", "T3:1 T1:1 T2:1", AU_CHECK_NOT_SHOWN,
           "T2's event 1 r(x) sees T1's event 1 w(x)");
    expect(t, n, "T1:1 T2:1", "T1:1 T2:1", AU_CHECK_NOT_SHOWN,
           "T2's event 1 r(x) saw the same write in the trace");
    expect(t, n, "T3:1 T2:1", "T3:1", AU_CHECK_NOT_SHOWN, "T2's event 1 r(x) is not executed");
    expect(t, n, "T3:3 T2:1", "T3:3 T2:1", AU_CHECK_LOCKS_ONLY,
           "T3's event 2 r(y) sees the initial value, in the trace T2's event 2 w(y)");
    expect(t, n, "T2:1 T3:1", "T2:1 T3:1", AU_CHECK_NOT_SHOWN,
           "its events are not a write and a read");
    au_trace_free(t);
    t = au_small_trace("T1 w x;T2 rmw x;T3 w y;T4 r x");
    expect(t, n, "T1:1 T4:1", "T1:1 T4:1", AU_CHECK_SHOWN, "");
    au_trace_free(t);
    t = au_small_trace("T1 w x;T2 rmw x;T1 w x;T4 r x");
    expect(t, n, "T2:1 T4:1", "T2:1 T4:1", AU_CHECK_LOCKS_ONLY,
           "T2's event 1 rmw(x) itself read another write");
    expect(t, n, "T2:1 T4:1", "T1:1 T2:1 T4:1", AU_CHECK_SHOWN, "");
    au_trace_free(t);
}

/* --- deadlocks ------------------------------------------------------------------------ */

static void lock_deadlocks(void **state) {
    (void)state;
    const au_kind d = AU_KIND_DEADLOCK;
    const au_check_verdict no = AU_CHECK_NOT_SHOWN;
    au_trace *t =
        au_small_trace("T1 acq a;T1 req b;T1 acq b;T1 rel b;T1 rel a;T2 acq b;T2 req a;T2 acq a;"
                       "T2 rel a;T2 rel b;T3 acq a;T3 rel a;T4 acq c;T4 acq b;T4 rel b;T4 rel c");
    expect(t, d, "T1:2 T2:2", "T1:1 T2:1", AU_CHECK_SHOWN, ""); /* at the requests */
    expect(t, d, "T1:3 T2:3", "T1:2 T2:2", AU_CHECK_SHOWN, ""); /* at the acquisitions */
    expect(t, d, "T1:2 T2:3", "T1:1 T2:2", AU_CHECK_SHOWN, "");
    expect(t, d, "T1:2 T2:2 T3:1", "T1:1 T2:1", AU_CHECK_SHOWN, ""); /* T3 waits for them too */
    expect(t, d, "T1:2 T2:1", "T1:1", no,
           "T1's event 2 req(b) does not wait for the others: it can be executed");
    expect(t, d, "T1:2 T3:1", "T1:1 T2:1", no,
           "T1's event 2 req(b) does not wait for the others: T2 holds it since its event 1 and is "
           "not in the set");
    expect(t, d, "T1:2 T1:2", "T1:1 T2:1", no, "T1 is in the set twice");
    expect(t, d, "T1:2 T2:2", "T1:1 T2:2", no,
           "T2's event 2 req(a) is not next: T2 has executed 2 events");
    expect(t, d, "T1:4 T2:2", "T1:3 T2:1", AU_CHECK_STUCK,
           "T2 cannot execute event 1 acq(b): T1 holds it since its event 3");
    expect(t, d, "", "T1:1 T2:1", no, "a deadlock has not 0 events");
    /* the lock is held at the end of the schedule, but by somebody else */
    expect(t, d, "T1:2 T2:1", "T1:1 T4:2", no,
           "T1's event 2 req(b) does not wait for the others: T4 holds it since its event 2 and is "
           "not in the set");
    au_trace_free(t);
    t = au_small_trace(
        "T1 rdacq a;T2 rdacq b;T1 rel a;T2 rel b;T1 rdacq a;T1 wracq b;T1 rel b;T1 rel a;"
        "T2 rdacq b;T2 wracq a;T3 rdacq a;T3 rdacq b");
    expect(t, d, "T1:4 T2:4", "T1:3 T2:3", AU_CHECK_SHOWN, "");
    expect(t, d, "T1:4 T3:2", "T1:3 T2:3 T3:1", no,
           "T1's event 4 wracq(b) does not wait for the others: T2 holds it for reading since its "
           "event 3 and is not in the set");
    au_trace_free(t);
    t = au_small_trace("T1 acq m;T1 acq m");
    au_small_trace_kind(t, "m", AU_WIRE_OBJ_LOCK, 0);
    expect(t, d, "T1:2", "T1:1", AU_CHECK_SHOWN, "");
    au_small_trace_kind(t, "m", AU_WIRE_OBJ_RLOCK, 0);
    expect(t, d, "T1:2", "T1:1", no,
           "T1's event 2 acq(m) does not wait for the others: it can be executed");
    au_trace_free(t);
    /* a lock whose holder has ended will not be given, unless the trace was cut */
    t = au_small_trace("T2 req m;T1 acq m");
    expect(t, d, "T2:1", "T1:1", AU_CHECK_SHOWN, "");
    t->incomplete = true;
    expect(t, d, "T2:1", "T1:1", no,
           "T2's event 1 req(m) does not wait for the others: T1 holds it since its event 1 and is "
           "not in the set");
    au_trace_free(t);
    /* who read something else might release it after all */
    t = au_small_trace("T2 req m;T1 acq m;T3 w x;T1 r x");
    expect(t, d, "T2:1", "T3:1 T1:2", AU_CHECK_SHOWN, "");
    expect(t, d, "T2:1", "T1:2", AU_CHECK_LOCKS_ONLY,
           "T1's event 2 r(x) sees the initial value, in the trace T3's event 1 w(x)");
    au_trace_free(t);
    /* a thread that was cut at its request has not ended */
    t = au_small_trace("T2 req m;T1 acq m;T1 req n");
    expect(t, d, "T2:1", "T1:2", no,
           "T2's event 1 req(m) does not wait for the others: T1 holds it since its event 1 and is "
           "not in the set");
    au_trace_free(t);
    /* a read that would see another write before a member's request */
    t = au_small_trace("T1 acq a;T1 r x;T1 acq b;T1 rel b;T1 rel a;T2 acq b;T2 w x;T2 acq a");
    expect(t, d, "T1:3 T2:3", "T1:2 T2:2", AU_CHECK_SHOWN, "");
    expect(t, d, "T1:3 T2:3", "T1:1 T2:2 T1:2", AU_CHECK_LOCKS_ONLY,
           "T1's event 2 r(x) sees T2's event 2 w(x), in the trace the initial value");
    au_trace_free(t);
}

static void tried_locks(void **state) {
    (void)state;
    const au_kind d = AU_KIND_DEADLOCK;
    const au_check_verdict no = AU_CHECK_NOT_SHOWN;
    au_trace *t = au_small_trace(
        "T1 acq a;T1 acq b;T1 rel b;T1 rel a;T2 acq b;T2 req a;T2 acq a;T2 rel a;T2 rel b");
    expect(t, d, "T1:2 T2:3", "T1:1 T2:2", AU_CHECK_SHOWN, "");
    for (size_t i = 0; i < t->events.n; i++) {
        int64_t one = 1;
        au_columns_push(&t->events, t->events.op[i], t->events.thread[i], t->events.obj[i], AU_NONE,
                        i == 6 ? &one : NULL);
        if (i == 8)
            break;
    }
    au_columns all = t->events;
    au_columns_init(&t->events);
    au_block b = au_columns_block(&all, 9, 18);
    au_columns_append(&t->events, &b);
    au_columns_release(&all);
    expect(t, d, "T1:2 T2:3", "T1:1 T2:2", no,
           "T2's event 3 acq(a) does not wait for the others: it is only tried");
    expect(t, d, "T1:2 T2:2", "T1:1 T2:1", no,
           "T2's event 2 req(a) does not wait for the others: it is only tried");
    au_trace_free(t);
}

static void other_deadlocks(void **state) {
    (void)state;
    const au_kind d = AU_KIND_DEADLOCK;
    const au_check_verdict no = AU_CHECK_NOT_SHOWN;
    au_trace *t =
        au_small_trace("T1 fork T2;T2 w x;T2 acq m;T2 rel m;T1 acq m;T1 rel m;T1 acq m;T1 join T2");
    expect(t, d, "T1:5 T2:2", "T1:1 T2:1 T1:4", AU_CHECK_SHOWN, "");
    expect(t, d, "T1:5", "T1:1 T2:1 T1:4", no,
           "T1's event 5 join(T2) does not wait for the others: T2 is not in the set");
    expect(t, d, "T1:5 T2:1", "T1:4", no,
           "T2's event 1 w(x) does not wait for the others: it can be executed");
    au_trace_free(t);
    t = au_small_trace("T1 up s;T2 down s;T2 up q;T1 down q;T3 up s;T3 w x");
    expect(t, d, "T2:1", "", no,
           "T2's event 1 down(s) does not wait for the others: others could "
           "still give it");
    au_trace_free(t);
    t = au_small_trace("T1 up s;T1 up p;T2 down s;T2 up q;T1 down q;T3 down p");
    expect(t, d, "T3:1", "", no,
           "T3's event 1 down(p) does not wait for the others: others could "
           "still give it");
    au_trace_free(t);
    /* each takes one of two, then wants another */
    t = au_small_trace("T1 down s;T1 down s;T1 up s;T1 up s;T2 down s;T2 down s;T2 up s;T2 up s");
    expect(t, d, "T1:2 T2:2", "T1:1 T2:1", AU_CHECK_SHOWN, "");
    expect(t, d, "T1:2", "T1:1 T2:1", no,
           "T1's event 2 down(s) does not wait for the others: "
           "others could still give it");
    au_trace_free(t);
    /* a lost wake-up */
    t = au_small_trace(
        "T1 acq m;T1 rel m;T1 wait c;T2 acq m;T2 signal c;T2 rel m;T1 wake c;T1 acq m");
    expect(t, d, "T1:4", "T2:3 T1:3", AU_CHECK_SHOWN, "");
    expect(t, d, "T1:4", "T1:3 T2:1", no,
           "T1's event 4 wake(c) does not wait for the others: it has or could get a signal");
    expect(t, d, "T1:4", "T1:3 T2:3", no,
           "T1's event 4 wake(c) does not wait for the others: it has or could get a signal");
    au_trace_free(t);
    /* the only signal may have been for the other waiter */
    t = au_small_trace(
        "T1 acq m;T1 rel m;T1 wait c;T2 acq m;T2 rel m;T2 wait c;T3 signal c;T2 wake c;"
        "T2 acq m;T2 rel m;T1 wake c");
    expect(t, d, "T1:4", "T1:3 T2:3 T3:1", AU_CHECK_SHOWN, "");
    expect(t, d, "T2:4", "T1:3 T2:3 T3:1", AU_CHECK_SHOWN, "");
    expect(t, d, "T1:4 T2:4", "T1:3 T2:3 T3:1", no,
           "T1's event 4 wake(c) does not wait for the others: it has or could get a signal");
    expect(t, d, "T1:4", "T1:3 T3:1 T2:3", no,
           "T1's event 4 wake(c) does not wait for the others: it has or could get a signal");
    expect(t, d, "T2:4", "T1:3 T3:1 T2:3", AU_CHECK_SHOWN, "");
    au_trace_free(t);
    /* two signals are for two waiters, a broadcast is for all of them */
    t = au_small_trace(
        "T1 acq m;T1 rel m;T1 wait c;T2 acq m;T2 rel m;T2 wait c;T3 signal c;T3 signal c;"
        "T2 wake c;T2 acq m;T2 rel m;T1 wake c;T4 broadcast c");
    expect(t, d, "T1:4", "T4:1 T1:3 T2:3 T3:2", no,
           "T1's event 4 wake(c) does not wait for the others: it has or could get a signal");
    expect(t, d, "T1:4", "T3:2 T1:3 T2:3 T4:1", no,
           "T1's event 4 wake(c) does not wait for the others: it has or could get a signal");
    expect(t, d, "T1:4 T2:4", "T3:2 T4:1 T1:3 T2:3", AU_CHECK_SHOWN, "");
    expect(t, d, "T1:4", "T3:2 T2:3 T4:1 T1:3", AU_CHECK_SHOWN, "");
    au_trace_free(t);
    t = au_small_trace(
        "T1 arrive b;T2 arrive b;T1 leave b;T2 leave b;T1 arrive b;T3 arrive b;T1 leave b;"
        "T3 leave b");
    expect(t, d, "T1:2", "T1:1", no,
           "T1's event 2 leave(b) does not wait for the others: others could still arrive");
    expect(t, d, "T3:2", "T1:1 T2:2 T1:2 T3:1", no,
           "T3's event 2 leave(b) does not wait for the others: others could still arrive");
    expect(t, d, "T1:2", "T2:1 T3:2 T2:2 T1:1", AU_CHECK_SHOWN, ""); /* too few are left */
    au_trace_free(t);
    t = au_small_trace("T1 once o;T2 once o;T2 acq m;T1 acq m");
    expect(t, d, "T2:1", "", no,
           "T2's event 1 once(o) does not wait for the others: its first could still come");
    au_trace_free(t);
    t = au_small_trace("T1 acq m;T1 once o;T1 rel m;T2 acq m;T2 once o");
    expect(t, d, "T1:1 T2:2", "T2:1", AU_CHECK_SHOWN, "");
    au_trace_free(t);
}

static void misuse(void **state) {
    (void)state;
    const au_kind k = AU_KIND_MISUSE;
    const au_check_verdict no = AU_CHECK_NOT_SHOWN;
    au_trace *t =
        au_small_trace("T1 acq m;T1 rel m;T1 rel m;T2 acq m;T2 destroy m;T2 wait c;T2 rel m");
    expect(t, k, "T1:3", "T1:2", AU_CHECK_SHOWN, "");
    expect(t, k, "T1:2", "T1:1", no, "T1's event 2 rel(m) misuses nothing there");
    expect(t, k, "T1:3", "T1:1", no, "T1's event 3 rel(m) is not next: T1 has executed 1 events");
    expect(t, k, "T2:2", "T2:1", AU_CHECK_SHOWN, "");
    expect(t, k, "T2:3", "T2:2", AU_CHECK_SHOWN, "");
    expect(t, k, "T2:4", "T2:3", no, "T2's event 4 rel(m) misuses nothing there");
    au_trace_free(t);
    t = au_small_trace("T1 acq m;T1 acq m;T2 r x;T2 acq m;T2 w x;T3 w x");
    expect(t, k, "T2:3", "T2:2", AU_CHECK_SHOWN, ""); /* held at the end */
    expect(t, k, "T2:3", "T3:1 T2:2", AU_CHECK_LOCKS_ONLY,
           "T2's event 1 r(x) sees T3's event 1 w(x), in the trace the initial value");
    expect(t, k, "T3:1", "", no, "T3's event 1 w(x) misuses nothing there");
    au_small_trace_kind(t, "m", AU_WIRE_OBJ_LOCK, 0);
    expect(t, k, "T1:2", "T1:1", AU_CHECK_SHOWN, ""); /* taken twice */
    expect(t, k, "T2:2", "T1:1 T2:1", no, "T2's event 2 acq(m) misuses nothing there");
    au_trace_free(t);
}

/* --- bad schedules ---------------------------------------------------------------------- */

static void malformed(void **state) {
    (void)state;
    const au_check_verdict no = AU_CHECK_NOT_SHOWN;
    au_trace *t = au_small_trace("T1 w x;T1 w x;T2 w x");
    race(t, "T1:1 T2:1", "", AU_CHECK_SHOWN, "");
    race(t, "T1:2 T2:1", "T1:1", AU_CHECK_SHOWN, "");
    race(t, "T1:2 T2:1", "#7:1", no, "turn 1: the trace has no thread 7");
    race(t, "T1:2 T2:1", "T1:1 T2:2", no, "turn 2: T2 has 1 events, not 2");
    race(t, "T1:2 T2:1", "T1:1 T1:1", no, "turn 2: T1 has executed 1 events already");
    race(t, "T1:2 T2:1", "T1:2 T2:1 T1:1", no, "turn 3: T1 has executed 2 events already");
    race(t, "T1:2 T2:1", "T1:0", no, "turn 1: T1 has executed 0 events already");
    race(t, "T1:3 T2:1", "T1:1", no, "event 1 of the finding is none of the trace");
    race(t, "T1:2 #9:1", "T1:1", no, "event 2 of the finding is none of the trace");
    race(t, "T1:0 T2:1", "", no, "event 1 of the finding is none of the trace");
    au_trace_free(t);
    t = au_small_trace("");
    runs(t, "", "");
    au_trace_free(t);
    /* long names and odd bytes stay readable */
    t = au_small_trace(
        "a-thread-with-a-very-long-name-indeed acq a-lock-with-a-very-long-name-indeed;"
        "T\x01 acq a-lock-with-a-very-long-name-indeed");
    au_check_result r = check(t, AU_KIND_ASSERTION, "", "#0:1 #1:1");
    assert_string_equal(r.why, "T? cannot execute event 1 acq(a-lock-with-a-very-lo...): "
                               "a-thread-with-a-very-... holds it since its event 1");
    assert_int_equal(r.step, 1);
    au_trace_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks),
        cmocka_unit_test(read_write_locks),
        cmocka_unit_test(semaphores),
        cmocka_unit_test(conditions),
        cmocka_unit_test(barriers),
        cmocka_unit_test(forks),
        cmocka_unit_test(once_init_try),
        cmocka_unit_test(races),
        cmocka_unit_test(reads),
        cmocka_unit_test(atomicity),
        cmocka_unit_test(detail_is_the_pattern),
        cmocka_unit_test(nondet),
        cmocka_unit_test(lock_deadlocks),
        cmocka_unit_test(tried_locks),
        cmocka_unit_test(other_deadlocks),
        cmocka_unit_test(misuse),
        cmocka_unit_test(malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
