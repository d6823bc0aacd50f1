/* Wrong uses of synchronisation objects in valid traces. */
#include "linear/misuse.h"
#include "small_trace.h"
#include "trace/validate.h"
#include "witness/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static au_trace *trace(const char *text) {
    return au_small_trace_at(text, 1);
}

typedef struct {
    const char *detail;
    uint64_t event;  /* number */
    const char *obj; /* NULL: none */
    bool schedule;
} misuse;

static void count(void *ctx, const au_finding *f) {
    assert_true(f->kind == AU_KIND_MISUSE || f->kind == AU_KIND_DEADLOCK);
    ++*(size_t *)ctx;
}

/* Finds these, in this order, and no others; whole or event by event. Where
 * there is a schedule, the checker executes it. Frees the trace. */
static void found_in(au_trace *t, const misuse *want, size_t n) {
    au_validator *v = au_validator_new(&t->names);
    au_block all = au_columns_block(&t->events, 0, t->events.n);
    char why[256];
    if (au_validator_block(v, &all, 0, why, sizeof why) != all.n)
        fail_msg("%s", why);
    au_validator_free(v);
    for (int cut = 0; cut < 2; cut++) {
        au_findings f;
        au_findings_init(&f);
        size_t told = 0;
        au_misuse *m = au_misuse_new(&t->names, &f, count, &told);
        for (size_t i = 0; cut && i < t->events.n; i++) {
            au_block b = au_columns_block(&t->events, i, i + 1);
            au_misuse_block(m, &b);
        }
        if (!cut)
            au_misuse_block(m, &all);
        au_misuse_finish(m);
        au_misuse_free(m);
        au_checker *c = au_checker_new(t);
        assert_int_equal(told, f.finding.n);
        for (size_t i = 0; i < f.finding.n; i++) {
            au_finding *x = &f.finding.at[i];
            if (i >= n)
                fail_msg("found: %s", x->detail);
            assert_string_equal(x->detail, want[i].detail);
            assert_int_equal(x->event[0].number, want[i].event);
            assert_int_equal(x->n_events, 1);
            if (want[i].obj)
                assert_string_equal(au_intern_str(&t->names.lock, x->obj), want[i].obj);
            else
                assert_int_equal(x->obj, AU_NONE);
            assert_true(*au_finding_why(x));
            au_misuse_schedule(t, x, &f.arena, 1000);
            /* what the checker does not know is executed */
            bool executed = x->event[0].op == AU_OP_LOCKERR && x->event[0].number;
            assert_int_equal(x->schedule.n > 0, want[i].schedule || executed);
            au_check_result r;
            if (!want[i].schedule)
                continue;
            au_checker_run(c, x, &r);
            if (r.verdict != AU_CHECK_SHOWN)
                fail_msg("%s: %s", x->detail, r.why);
        }
        assert_int_equal(f.finding.n, n);
        au_checker_free(c);
        au_findings_release(&f);
    }
    au_trace_free(t);
}

static void found(const char *text, const char *detail, uint64_t event, const char *obj,
                  bool schedule) {
    found_in(trace(text), &(misuse){detail, event, obj, schedule}, 1);
}

static void clean(const char *text) {
    found_in(trace(text), NULL, 0);
}

static void refused_operations(void **state) {
    (void)state;
    found("T1 acq a;T1 lockerr a 1", "lock acquired again by its holder: 'T1' acquired it (1)", 1,
          "a", false);
    found("T1 acq a;T2 lockerr a 2;T1 rel a", "unlock of a lock not held: 'T1' acquired it (1)", 1,
          "a", false);
    found("T1 lockerr a 2", "unlock of a lock not held", 0, "a", false);
    found("T1 lockerr c 3;T1 call f;T1 ret", "wait on a condition without its lock", 0, "c", false);
    found("T1 acq a;T2 lockerr a 4", "object destroyed while in use: 'T1' acquired it (1)", 1, "a",
          false);
    found("T1 lockerr a", "lock operation that is an error", 0, "a", false);
    found("T1 init a;T1 destroy a;T1 lockerr a 5;T1 acq a;T1 rel a", "use of a destroyed object", 2,
          "a", false);
    found("T1 lockerr t 6", "join of a thread that was joined", 0, "t", false);
    found("T1 lockerr t 7", "join of a detached thread", 0, "t", false);
    found("T1 lockerr t 8", "join of a thread by itself", 0, "t", false);
    found("T1 lockerr t 9", "detach of a thread that was detached or joined", 0, "t", false);
    found("T1 lockerr t 10", "cancellation of a thread that is gone", 0, "t", false);
}

static void destroy_in_use(void **state) {
    (void)state;
    found("T1 acq a;T2 destroy a", "lock destroyed while held: 'T1' acquired it (1)", 1, "a", true);
    found("T1 acq a;T1 destroy a", "lock destroyed while held: 'T1' acquired it (1)", 1, "a", true);
    found("T1 rdacq a;T2 rdacq a;T1 rel a;T1 destroy a",
          "lock destroyed while held: 'T2' acquired it (2)", 3, "a", true);
    clean("T1 acq a;T1 rel a;T2 destroy a");
    clean("T1 acq a;T1 acq a;T1 rel a;T1 rel a;T2 destroy a");
    found("T1 req a;T2 destroy a",
          "lock destroyed while a thread waits for it: 'T1' asked for it (1)", 1, "a", false);
    clean("T1 req a;T1 acq a;T1 rel a;T2 destroy a");
    clean("T1 req a;T1 tryfail a;T2 destroy a");
    found("T1 acq m;T1 rel m;T1 wait c;T2 destroy c",
          "condition destroyed while a thread waits: 'T1' waits (3)", 3, "c", false);
    clean("T1 acq m;T1 rel m;T1 wait c;T2 signal c;T1 wake c;T1 acq m;T1 rel m;T2 destroy c");
    found("T1 arrive b;T2 destroy b", "barrier destroyed while a thread waits: 'T1' waits (1)", 1,
          "b", false);
    clean("T1 arrive b;T2 arrive b;T1 leave b;T2 leave b;T2 destroy b");
}

static void destroyed(void **state) {
    (void)state;
    found("T1 init a;T1 destroy a;T1 destroy a", "object destroyed twice", 2, "a", false);
    found("T1 init a;T1 destroy a;T2 acq a;T2 rel a", "use of a destroyed object", 2, "a", false);
    clean("T1 init a;T1 destroy a;T1 init a;T2 acq a;T2 rel a;T2 destroy a");
    /* made without a call that is seen: what follows may be another object */
    clean("T1 acq a;T1 rel a;T1 destroy a;T1 acq a;T1 rel a;T1 destroy a");
    found("T1 acq a;T2 init a", "lock made anew while held: 'T1' acquired it (1)", 1, "a", false);
    clean("T1 init a;T1 acq a;T1 rel a;T1 init a");
}

static void thread_ends(void **state) {
    (void)state;
    static const char a1[] = "lock held at thread exit: 'T1' acquired it (1)";
    static const char a2[] = "lock held at thread exit: 'T1' acquired it (2)";
    found("T1 acq a;T1 exit", a1, 1, "a", true);
    clean("T1 acq a;T1 rel a;T1 exit");
    clean("T1 acq a"); /* cut, perhaps */
    found("M fork T1;T1 acq a;M join T1", a2, 2, "a", false);
    found("M fork T1;T1 acq a;T1 exit;M join T1", a2, 2, "a", true);
    found_in(trace("T1 acq a;T1 exit;T2 req a"),
             (misuse[]){
                 {a1, 1, "a", true},
                 {"lock requested that an ended thread holds: 'T1' acquired it (1)", 2, "a", true}},
             2);
    found_in(trace("T1 acq a;T1 acq b;T1 exit"), (misuse[]){{a1, 2, "a", true}, {a2, 2, "b", true}},
             2);
    found("M fork T1;M detach T1;T1 r x;M join T1", "join of a detached thread", 3, NULL, false);
}

static void waits(void **state) {
    (void)state;
    found("T1 acq m;T1 acq m;T1 rel m;T1 wait c", "recursive lock held through a condition wait", 3,
          "m", false);
    found("T1 acq m;T1 rel m;T1 wait c;T2 acq k;T2 rel k;T2 wait c",
          "condition used with two locks at once: 'T1' waits (3)", 5, "c", false);
    clean("T1 acq m;T1 rel m;T1 wait c;T2 acq m;T2 rel m;T2 wait c");
}

static void holder_requests(void **state) {
    (void)state;
    static const char own[] = "lock requested by its holder: 'T1' acquired it (1)";
    au_trace *t = trace("T1 acq a;T1 req a");
    au_names_set_sync(&t->names, 0, AU_WIRE_OBJ_LOCK, 0);
    found_in(t, &(misuse){own, 1, "a", true}, 1);
    t = trace("T1 acq a;T1 req a");
    au_names_set_sync(&t->names, 0, AU_WIRE_OBJ_RLOCK, 0);
    found_in(t, NULL, 0);
    found("T1 acq a;T1 req a", own, 1, "a", true);
    /* it is recursive */
    clean("T1 acq a;T1 acq a;T1 rel a;T1 req a");
    clean("T1 acq a;T1 req b");
}

/* The same thing at the same place is told once. */
static void once(void **state) {
    (void)state;
    static const char first[] = "lock destroyed while held: 'T1' acquired it (1)";
    au_trace *t = trace("T1 acq a;T1 destroy a;T1 init a;T1 acq a;T1 destroy a");
    t->events.loc[4] = t->events.loc[1];
    found_in(t, &(misuse){first, 1, "a", true}, 1);
    found_in(trace("T1 acq a;T1 destroy a;T1 init a;T1 acq a;T1 destroy a"),
             (misuse[]){{first, 1, "a", true},
                        {"lock destroyed while held: 'T1' acquired it (4)", 4, "a", true}},
             2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_operations),
        cmocka_unit_test(destroy_in_use),
        cmocka_unit_test(destroyed),
        cmocka_unit_test(thread_ends),
        cmocka_unit_test(waits),
        cmocka_unit_test(holder_requests),
        cmocka_unit_test(once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
