/* Traces with values as concurrent trace programs. */
#include "model/ctp.h"
#include "model/from_trace.h"
#include "model/run.h"
#include "same_model.h"
#include "small_trace.h"
#include "sync_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* What is printed of a model reads as the same one. */
static void round_trip(const au_model *m, const au_trace *t) {
    char *wrong = m->thread.n ? au_round_trip(m, 0, NULL) : NULL; /* .ctp has a thread */
    if (wrong) {
        au_sync_trace_print(t);
        fail_msg("%s", wrong);
    }
}

/* Reads the trace; the model is sound and can run as observed. Frees the trace. */
static au_model *read_trace(au_trace *t, uint32_t **step_of) {
    au_error err = AU_ERROR_NONE;
    au_model *m = au_model_from_trace(t, step_of, &err);
    if (!m)
        fail_msg("%s", err.text);
    const char *wrong = au_model_check(m);
    if (wrong)
        fail_msg("%s", wrong);
    assert_int_equal(au_model_check_observed(m, NULL, &err), AU_OK);
    round_trip(m, t);
    au_model *open = au_model_from_trace_open(t, NULL, &err);
    assert_non_null(open);
    round_trip(open, t);
    au_model_free(open);
    au_trace_free(t);
    return m;
}

static void refused(au_trace *t, au_status status, const char *part) {
    au_error err = AU_ERROR_NONE;
    au_model *m = au_model_from_trace(t, NULL, &err);
    assert_null(m);
    assert_int_equal(err.status, status);
    if (!strstr(err.text, part))
        fail_msg("expected '%s' in '%s'", part, err.text);
    au_trace_free(t);
}

static const au_sync_obj *object(const au_model *m, const char *name) {
    for (size_t i = 0; i < m->obj.n; i++)
        if (strcmp(m->obj.at[i].name, name) == 0)
            return &m->obj.at[i];
    fail_msg("no object '%s'", name);
    return NULL;
}

static uint64_t initial(const au_model *m, const char *name) {
    for (size_t i = 0; i < m->var.n; i++)
        if (strcmp(m->var.at[i].name, name) == 0)
            return m->var.at[i].init;
    fail_msg("no variable '%s'", name);
    return 0;
}

static void accesses_are_pinned(void **state) {
    (void)state;
    uint32_t *step;
    au_model *m =
        read_trace(au_small_trace("T1 r x 7;T1 begin;T1 w x -1;T2 r x -1;T1 w y 3;T1 end;T2 r y 3;"
                                  "T2 fence"),
                   &step);
    assert_int_equal(m->thread.n, 2);
    assert_int_equal(m->step.n, 5);
    assert_int_equal(initial(m, "x"), 7);
    assert_int_equal(initial(m, "y"), 0);
    const au_step *r = &m->step.at[step[0]], *w = &m->step.at[step[2]];
    assert_int_equal(r->kind, AU_STEP_ASSUME);
    assert_false(r->blocking);
    assert_int_equal(r->n_accesses, 1);
    assert_false(r->access[0].write);
    uint64_t value[8] = {0};
    value[r->access[0].var] = 7;
    assert_true(au_term_eval(m->terms, r->guard, value));
    value[r->access[0].var] = 8;
    assert_false(au_term_eval(m->terms, r->guard, value));
    assert_int_equal(w->kind, AU_STEP_ASSIGN);
    assert_int_equal(au_term_value(m->terms, w->update[0].value), UINT32_MAX);
    assert_int_equal(m->n_blocks, 1);
    assert_int_equal(r->block, AU_NONE);
    assert_int_equal(w->block, 0);
    assert_int_equal(m->step.at[step[4]].block, 0);
    assert_int_equal(step[1], AU_NONE); /* begin */
    assert_int_equal(step[7], AU_NONE); /* fence */
    uint32_t order[] = {step[0], step[2], step[3], step[4], step[6]};
    assert_int_equal(m->observed.n, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(m->observed.at[i], order[i]);
    free(step);
    au_model_free(m);
}

static void kinds_are_judged_by_use(void **state) {
    (void)state;
    au_model *m = read_trace(
        au_small_trace(
            "T1 acq m;T1 acq r;T1 acq r;T1 rel r;T1 rel r;T1 rel m;T1 rdacq w;T2 rdacq w;"
            "T1 rel w;T2 rel w;T1 wracq w;T1 rel w;T2 down s;T2 down s;T1 up s;T1 down s;"
            "T1 arrive b;T2 arrive b;T1 leave b;T2 leave b"),
        NULL);
    assert_int_equal(object(m, "m")->kind, AU_OBJ_LOCK);
    assert_int_equal(object(m, "r")->kind, AU_OBJ_RLOCK);
    assert_int_equal(object(m, "w")->kind, AU_OBJ_RWLOCK);
    assert_int_equal(object(m, "s")->kind, AU_OBJ_SEM);
    assert_int_equal(object(m, "s")->init, 2); /* the least with which the run is possible */
    assert_int_equal(object(m, "b")->kind, AU_OBJ_BARRIER);
    assert_int_equal(object(m, "b")->init, 2);
    assert_int_equal(m->observed.n, 20);
    au_model_free(m);

    au_trace *t = au_small_trace("T1 acq m;T1 rel m;T1 acq s;T2 acq s");
    au_small_trace_kind(t, "m", AU_WIRE_OBJ_SPIN, 0);
    au_small_trace_kind(t, "s", AU_WIRE_OBJ_SEM, 3);
    m = read_trace(t, NULL);
    assert_int_equal(object(m, "m")->kind, AU_OBJ_LOCK);
    assert_int_equal(object(m, "s")->init, 3);
    au_model_free(m);
}

static void condition_waits(void **state) {
    (void)state;
    uint32_t *step;
    /* T2 goes on first, so the signal was its; T1 wakes without one */
    au_model *m = read_trace(
        au_small_trace(
            "T1 acq m;T1 rel m;T1 wait c;T2 acq m;T2 rel m;T2 wait c;T3 signal c;T2 wake c;"
            "T2 acq m;T2 rel m;T1 wake c;T1 acq m;T3 signal c"),
        &step);
    assert_int_equal(step[1], step[2]);
    assert_int_equal(m->step.at[step[1]].kind, AU_STEP_WAIT);
    assert_int_equal(step[7], step[8]);
    const au_step *s = &m->step.at[step[6]], *w2 = &m->step.at[step[8]],
                  *w1 = &m->step.at[step[11]];
    assert_int_equal(s->kind, AU_STEP_SIGNAL);
    assert_int_equal(s->choice, 1);
    assert_int_equal(w2->kind, AU_STEP_WAKE);
    assert_false(w2->spurious);
    assert_int_equal(w1->kind, AU_STEP_WAKE);
    assert_true(w1->spurious);
    assert_int_equal(step[10], step[11]);
    assert_int_equal(m->step.at[step[12]].choice, AU_NONE);
    assert_int_equal(m->observed.n, 9);
    free(step);
    au_model_free(m);

    m = read_trace(au_small_trace("T1 acq m;T1 rel m;T1 wait c;T2 broadcast c;T1 wake c;T1 acq m"),
                   NULL);
    assert_int_equal(m->observed.n, 4);
    assert_false(m->step.at[m->observed.at[3]].spurious);
    au_model_free(m);

    /* cut while it waits: the wake-up is in the model, not in the run */
    m = read_trace(au_small_trace("T1 acq m;T1 rel m;T1 wait c"), NULL);
    assert_int_equal(m->observed.n, 2);
    assert_int_equal(m->step.n, 4);
    au_model_free(m);
    m = read_trace(au_small_trace("T1 acq m;T1 rel m;T1 wait c;T2 signal c;T1 wake c;T1 req m"),
                   NULL);
    assert_int_equal(m->observed.n, 3);
    au_model_free(m);
}

static void threads_fork_and_join(void **state) {
    (void)state;
    au_model *m = read_trace(
        au_small_trace("M w x 1;M fork T1;M fork T2;T1 r x 1;T1 exit;M join T1;M join T2"), NULL);
    assert_int_equal(m->thread.n, 3);
    assert_true(m->thread.at[1].forked);
    /* T2 did nothing: one nop, as soon as it is forked */
    assert_int_equal(m->observed.n, 7);
    assert_int_equal(m->step.at[m->observed.at[3]].kind, AU_STEP_NOP);
    au_model_free(m);
}

static void atomics(void **state) {
    (void)state;
    uint32_t *step;
    au_model *m = read_trace(au_small_trace("T1 aw x 4;T2 ar x 4;T2 rmw x 5;T1 rmw x 6"), &step);
    const au_step *s = &m->step.at[step[2]];
    assert_true(s->indivisible);
    assert_int_equal(s->n_accesses, 2);
    assert_false(s->access[0].write);
    assert_true(s->access[1].write);
    uint64_t value[4] = {0};
    value[s->access[0].var] = 4; /* it replaced what was there in the run, nothing else */
    assert_true(au_term_eval(m->terms, s->guard, value));
    value[s->access[0].var] = 3;
    assert_false(au_term_eval(m->terms, s->guard, value));
    assert_int_equal(au_term_value(m->terms, s->update[0].value), 5);
    assert_true(m->step.at[step[0]].indivisible && m->step.at[step[1]].indivisible);
    free(step);
    au_model_free(m);
    refused(au_small_trace("T1 rmw x 5"), AU_EUNSUPPORTED, "event 1 (thread 'T1', rmw(x))");
}

/* What .ctp has no form for is refused, not printed as something else. */
static void printing(void **state) {
    (void)state;
    static const struct {
        const char *trace, *text; /* the threads */
    } cases[] = {
        {"T1 acq m;T1 w x 1;T1 rel m;T2 r x 1",
         "shared x = 0\nlock m\nthread T1 {\n  T1.1: acq m\n  T1.2: x := 1\n  T1.3: rel m\n}\n"
         "thread T2 {\n  T2.1: assume x == 1\n}\ntrace T1.1-T1.3 T2.1\n"},
        {"T1 aw x 3;T2 ar x 3", "shared x = 0\nthread T1 {\n  T1.1: [ x := 3 ]\n}\n"
                                "thread T2 {\n  T2.1: [ require x == 3 ]\n}\ntrace T1.1 T2.1\n"},
        {"T1 aw x 3;T2 rmw x 4",
         "shared x = 0\nthread T1 {\n  T1.1: [ x := 3 ]\n}\n"
         "thread T2 {\n  T2.1: [ require x == 3; x := 4 ]\n}\ntrace T1.1 T2.1\n"},
        {"T1 acq m;T2 tryfail m;T2 req m",
         "lock m\nthread T1 {\n  T1.1: acq m\n}\nthread T2 {\n  T2.1: assume owner(m) != 0\n"
         "  T2.2: acq m\n}\ntrace T1.1 T2.1\n"},
        {"T1 acq m;T1 req l", "lock m, l\nthread T1 {\n  T1.1: acq m\n  T1.2: acq l\n}\n"
                              "trace T1.1\n"},
        {"T1 req l", "lock l\nthread T1 {\n  T1.1: acq l\n}\ntrace ;\n"},
        {"T1 begin;T1 end;T1 begin;T1 w m 4294967296;T1 end;T1 acq m",
         "shared m : 64 = 0\nlock \"m\"\nthread T1 {\n  atomic {\n    T1.1: m := 0x100000000\n"
         "  }\n  T1.2: acq \"m\"\n}\ntrace T1.1-T1.2\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        au_model *m = read_trace(au_small_trace(cases[i].trace), NULL);
        au_out *o = au_out_memory();
        au_error err = AU_ERROR_NONE;
        size_t n;
        assert_int_equal(au_ctp_print(m, o, &err), AU_OK);
        assert_string_equal(au_out_memory_data(o, &n), cases[i].text);
        au_out_abandon(o);
        au_model_free(m);
    }
}

static void once_try_and_request(void **state) {
    (void)state;
    uint32_t *step;
    au_model *m =
        read_trace(au_small_trace("T1 once o;T2 once o;T1 acq m;T2 tryfail m;T2 req m"), &step);
    const au_step *first = &m->step.at[step[0]], *later = &m->step.at[step[1]],
                  *failed = &m->step.at[step[3]], *pending = &m->step.at[step[4]];
    assert_true(first->indivisible && !first->blocking && first->access[0].write);
    assert_true(later->blocking && later->indivisible);
    uint64_t value[8] = {0};
    assert_false(au_term_eval(m->terms, later->guard, value));
    assert_false(au_term_eval(m->terms, failed->guard, value)); /* free: it would not fail */
    value[object(m, "m")->var[0]] = 1;
    assert_true(au_term_eval(m->terms, failed->guard, value));
    assert_int_equal(pending->kind, AU_STEP_ACQ);
    assert_int_equal(m->observed.n, 4); /* the last request waits still */
    free(step);
    au_model_free(m);
}

static void bad_traces(void **state) {
    (void)state;
    refused(au_small_trace("T1 w x 1;T1 r x"), AU_EUNSUPPORTED, "event 2 (thread 'T1', r(x))");
    refused(au_small_trace("T1 w x 1;T2 r x 2"), AU_EUNSUPPORTED, "not in the trace");
    refused(au_small_trace("T1 acq m;T1 signal m"), AU_EFORMAT, "another kind");
    refused(au_small_trace("T1 acq m;T2 acq m"), AU_EFORMAT, "event 2 (thread 'T2', acq(m))");
    refused(au_small_trace("T1 rel m"), AU_EFORMAT, "event 1");
    refused(au_small_trace("T1 wait c"), AU_EFORMAT, "event 1");
    refused(au_small_trace("T1 end"), AU_EFORMAT, "no atomic block");
    refused(au_small_trace("M join T1;T1 w x 1"), AU_EFORMAT, "event 1");
    refused(au_small_trace("T1 w x 1;M fork T1"), AU_EFORMAT, "forked");
    au_trace *t = au_small_trace("T1 acq m;T1 acq m");
    au_small_trace_kind(t, "m", AU_WIRE_OBJ_LOCK, 0);
    refused(t, AU_EFORMAT, "not recursive");
    t = au_small_trace("T1 down s");
    au_small_trace_kind(t, "s", AU_WIRE_OBJ_SEM, 0);
    refused(t, AU_EFORMAT, "event 1");
}

static void wide_values(void **state) {
    (void)state;
    uint32_t *step;
    au_model *m =
        read_trace(au_small_trace("T1 r p 0;T1 w p 140737488347136;T2 r p 140737488347136;"
                                  "T2 w q -1;T1 r q 4294967295;T2 rmw p -1;T1 ar p -1;"
                                  "T2 w seen 4294967296;T1 r seen 4294967296"),
                   &step);
    assert_int_equal(m->var.at[0].width, 64);
    assert_int_equal(m->var.at[1].width, 32); /* the same number twice */
    assert_int_equal(m->var.at[2].width, 64);
    const au_step *s = &m->step.at[step[5]];
    assert_true(au_term_value(m->terms, s->update[0].value) == UINT64_MAX);
    uint64_t value[] = {UINT64_C(140737488347136), 0, 0};
    assert_true(au_term_eval(m->terms, s->guard, value));
    value[0] = 0;
    assert_false(au_term_eval(m->terms, s->guard, value));
    free(step);
    au_model_free(m);
}

/* Random traces with all of it, names that are any text and places. */
static void random_traces(void **state) {
    (void)state;
    unsigned read = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        au_rng r;
        au_rng_init(&r, seed * 104729);
        au_trace *t = au_sync_trace(&r, 2 + au_rng_below(&r, 3), 10 + au_rng_below(&r, 60),
                                    1 + au_rng_below(&r, 4),
                                    au_rng_below(&r, 3) ? ST_ALL : au_rng_below(&r, ST_ALL + 1));
        if (seed % 3 == 0)
            au_sync_trace_widen(t, &r);
        static const char *const place[] = {"bank.c:12", "src/a b.c:7", "anywhere", ":3", "x:0"};
        for (size_t i = 0; i < t->events.n; i++) {
            uint32_t k = au_rng_below(&r, 8);
            if (k < 5)
                t->events.loc[i] =
                    AU_LOC_NAMED + au_intern_add(&t->names.loc, place[k], strlen(place[k]));
            else
                t->events.loc[i] = k == 5 ? AU_NONE : au_rng_below(&r, 100);
        }
        au_error err = AU_ERROR_NONE;
        for (int open = 0; open < 2; open++) {
            au_model *m =
                open ? au_model_from_trace_open(t, NULL, &err) : au_model_from_trace(t, NULL, &err);
            if (!m) /* an rmw of what nobody knows, and so on */
                continue;
            read++;
            assert_null(au_model_check(m));
            round_trip(m, t);
            au_model_free(m);
        }
        au_trace_free(t);
    }
    assert_true(read > 2000);
}

static void an_empty_trace(void **state) {
    (void)state;
    au_model *m = read_trace(au_small_trace(""), NULL);
    assert_int_equal(m->thread.n, 0);
    assert_int_equal(m->observed.n, 0);
    au_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_are_pinned),
        cmocka_unit_test(kinds_are_judged_by_use),
        cmocka_unit_test(condition_waits),
        cmocka_unit_test(threads_fork_and_join),
        cmocka_unit_test(atomics),
        cmocka_unit_test(once_try_and_request),
        cmocka_unit_test(printing),
        cmocka_unit_test(bad_traces),
        cmocka_unit_test(an_empty_trace),
        cmocka_unit_test(wide_values),
        cmocka_unit_test(random_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
