/* The model: its invariants are noticed when broken, and the observed run. */
#include "model/run.h"
#include "model/sync.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static au_term num(au_model *m, uint64_t v) {
    return au_term_const(m->terms, 32, v);
}

/* T1 { acq l; x := x0 (local a + 1); rel l }   T2 { acq l; assume x > 0; rel l } */
typedef struct {
    au_model *m;
    uint32_t x, a, l;
    uint32_t acq1, write, rel1, acq2, look, rel2;
} fix;

static fix build(void) {
    fix f = {.m = au_model_new("test")};
    au_model *m = f.m;
    uint32_t t1 = au_model_add_thread(m, "T1"), t2 = au_model_add_thread(m, "T2");
    f.x = au_model_add_var(m, "x", AU_VAR_SHARED, 32, 0, AU_NONE);
    f.a = au_model_add_var(m, "a", AU_VAR_LOCAL, 32, 4, t1);
    f.l = au_model_add_sync(m, "l", AU_OBJ_LOCK, 0);
    uint32_t n[2][3];
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < 3; i++)
            n[t][i] = au_model_add_node(m, t ? t2 : t1);
    m->thread.at[t1].exit = n[0][2];
    m->thread.at[t2].exit = n[1][2];
    f.acq1 = au_sync_acq(m, t1, 0, n[0][0], f.l);
    au_step *s = au_model_add_step(m, t1, n[0][0], n[0][1], AU_STEP_ASSIGN);
    au_step_add_update(m, s, f.x,
                       au_term_make(m->terms, AU_T_ADD, au_model_var_term(m, f.a), num(m, 1)));
    au_step_add_access(m, s, f.x, true);
    f.write = s->id;
    f.rel1 = au_sync_rel(m, t1, n[0][1], n[0][2], f.l);
    f.acq2 = au_sync_acq(m, t2, 0, n[1][0], f.l);
    s = au_model_add_step(m, t2, n[1][0], n[1][1], AU_STEP_ASSUME);
    s->guard = au_term_make(m->terms, AU_T_SLT, num(m, 0), au_model_var_term(m, f.x));
    au_step_add_access(m, s, f.x, false);
    f.look = s->id;
    f.rel2 = au_sync_rel(m, t2, n[1][1], n[1][2], f.l);
    au_sync_finish(m);
    return f;
}

static void a_good_model_passes(void **state) {
    (void)state;
    fix f = build();
    assert_null(au_model_check(f.m));
    au_model_observe(f.m);
    assert_null(au_model_check(f.m));
    uint32_t want[] = {f.acq1, f.write, f.rel1, f.acq2, f.look, f.rel2};
    assert_int_equal(f.m->observed.n, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(f.m->observed.at[i], want[i]);
    au_error err = AU_ERROR_NONE;
    assert_int_equal(au_model_check_observed(f.m, NULL, &err), AU_OK);
    au_model_free(f.m);
}

static void broken(fix *f, const char *part) {
    const char *wrong = au_model_check(f->m);
    if (!wrong)
        fail_msg("not noticed: %s", part);
    if (!strstr(wrong, part))
        fail_msg("expected '%s', got '%s'", part, wrong);
    au_model_free(f->m);
}

static void invariants_are_noticed(void **state) {
    (void)state;
    fix f = build();
    f.m->step.at[f.write].n_accesses = 0;
    broken(&f, "without one write access");

    f = build();
    f.m->step.at[f.look].n_accesses = 0;
    broken(&f, "used without an access");

    f = build();
    au_step_add_access(f.m, &f.m->step.at[f.look], f.x, false);
    broken(&f, "more than one access");

    f = build();
    f.m->step.at[f.look].guard = num(f.m, 1);
    broken(&f, "wrong width");

    f = build();
    f.m->step.at[f.look].guard = au_term_eq(f.m->terms, au_model_var_term(f.m, f.a), num(f.m, 0));
    broken(&f, "another thread's local");

    f = build();
    au_step_add_update(f.m, &f.m->step.at[f.write], f.x, num(f.m, 1));
    broken(&f, "assigned twice");

    f = build();
    f.m->step.at[f.look].blocking = true;
    broken(&f, "blocks although");

    f = build(); /* a lock that is only tried: right */
    f.m->step.at[f.acq1].blocking = false;
    assert_null(au_model_check(f.m));
    au_model_free(f.m);

    f = build();
    f.m->step.at[f.rel1].blocking = true;
    broken(&f, "blocks although");

    f = build();
    f.m->step.at[f.acq1].obj = 7;
    broken(&f, "its object");

    f = build();
    f.m->step.at[f.write].cond = au_term_bool(f.m->terms, false);
    broken(&f, "not an assert's");

    f = build();
    f.m->step.at[f.write].block = 0;
    broken(&f, "atomic block");

    f = build();
    f.m->step.at[f.write].dst = 99;
    broken(&f, "nodes are not there");

    f = build();
    f.m->thread.at[0].exit = f.m->thread.at[0].entry;
    broken(&f, "entry or exit");

    f = build();
    f.m->thread.at[0].exit = 1;
    broken(&f, "leaves a thread's exit");

    f = build();
    f.m->has_loops = true;
    broken(&f, "has_loops");

    f = build();
    f.m->step.at[f.rel1].dst = f.m->step.at[f.acq1].src;
    broken(&f, "has_loops");

    f = build();
    f.m->thread.at[0].forked = true;
    broken(&f, "'started'");

    f = build();
    au_model_add_var(f.m, "x", AU_VAR_SHARED, 32, 0, AU_NONE);
    broken(&f, "one name");

    f = build();
    au_model_add_step(f.m, 0, f.m->step.at[f.write].src, f.m->step.at[f.write].dst, AU_STEP_NOP);
    broken(&f, "does not branch");

    f = build();
    f.m->step.at[f.look].kind = AU_STEP_BRANCH;
    broken(&f, "other side");

    f = build();
    au_vec_push(&f.m->observed, f.write);
    broken(&f, "jumps");

    f = build();
    f.m->step.at[f.write].havoc = f.x;
    broken(&f, "assigned twice");
}

static void a_bad_run_is_refused(void **state) {
    (void)state;
    fix f = build();
    uint32_t run[] = {f.acq1, f.acq2};
    au_vec_append(&f.m->observed, run, 2);
    au_error err = AU_ERROR_NONE;
    size_t at = 9;
    assert_int_equal(au_model_check_observed(f.m, &at, &err), AU_EFORMAT);
    assert_int_equal(at, 1);
    assert_non_null(strstr(err.text, "have to wait"));
    au_vec_clear(&f.m->observed);
    uint32_t early[] = {f.acq2, f.look};
    au_vec_append(&f.m->observed, early, 2);
    assert_int_equal(au_model_check_observed(f.m, &at, &err), AU_EFORMAT);
    assert_non_null(strstr(err.text, "condition"));
    au_model_free(f.m);
}

/* T1 fails its assert; T2's assume is false; T3, forked by T4, waits for T1's end;
 * T4 runs on. */
static void stopped_threads(void **state) {
    (void)state;
    au_model *m = au_model_new("test");
    uint32_t t[4], exit[4];
    for (int i = 0; i < 4; i++) {
        t[i] = au_model_add_thread(m, (const char *[]){"T1", "T2", "T3", "T4"}[i]);
        exit[i] = m->thread.at[t[i]].exit = au_model_add_node(m, t[i]);
    }
    au_step *s = au_model_add_step(m, t[0], 0, exit[0], AU_STEP_ASSERT);
    s->cond = au_term_bool(m->terms, false);
    uint32_t bad = s->id;
    s = au_model_add_step(m, t[1], 0, exit[1], AU_STEP_ASSUME);
    s->guard = au_term_bool(m->terms, false);
    uint32_t n = au_model_add_node(m, t[2]);
    uint32_t nop = au_model_add_step(m, t[2], 0, n, AU_STEP_NOP)->id;
    au_sync_join(m, t[2], n, exit[2], t[0]);
    uint32_t fork = au_sync_fork(m, t[3], 0, exit[3], t[2]);
    au_sync_finish(m);
    assert_null(au_model_check(m));
    au_model_observe(m);
    /* T3 is not first although it stands before T4: it is not forked yet */
    assert_int_equal(m->observed.n, 3);
    assert_int_equal(m->observed.at[0], bad);
    assert_int_equal(m->observed.at[1], fork);
    assert_int_equal(m->observed.at[2], nop);
    assert_int_equal(au_model_check_observed(m, NULL, NULL), AU_OK);
    au_model_free(m);
}

/* A signal wakes the waiter and never spuriously; T1 waits first. */
static void waiting_in_the_observed_run(void **state) {
    (void)state;
    au_model *m = au_model_new("test");
    uint32_t t1 = au_model_add_thread(m, "T1"), t2 = au_model_add_thread(m, "T2");
    uint32_t l = au_model_add_sync(m, "l", AU_OBJ_LOCK, 0);
    uint32_t c = au_model_add_sync(m, "c", AU_OBJ_COND, 0);
    uint32_t a = au_model_add_node(m, t1), b = au_model_add_node(m, t1);
    uint32_t e1 = m->thread.at[t1].exit = au_model_add_node(m, t1);
    uint32_t e2 = m->thread.at[t2].exit = au_model_add_node(m, t2);
    uint32_t acq = au_sync_acq(m, t1, 0, a, l), wait = au_sync_wait(m, t1, a, b, c, l);
    uint32_t rel = au_sync_rel(m, t1, b, e1, l);
    uint32_t sig = au_sync_signal(m, t2, 0, e2, c, false);
    au_sync_finish(m);
    assert_null(au_model_check(m));
    au_model_observe(m);
    uint32_t to_t1 = m->thread.at[t2].node.at[0].out.at[1];
    assert_int_not_equal(to_t1, sig);
    uint32_t want[] = {acq, wait, to_t1, wait + 1, rel};
    assert_int_equal(m->observed.n, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(m->observed.at[i], want[i]);
    au_model_free(m);
}

static void endless_loops_are_left(void **state) {
    (void)state;
    au_model *m = au_model_new("test");
    uint32_t t = au_model_add_thread(m, "T");
    m->thread.at[t].exit = au_model_add_node(m, t);
    au_model_add_step(m, t, 0, 0, AU_STEP_NOP);
    m->has_loops = true;
    au_sync_finish(m);
    assert_null(au_model_check(m));
    au_model_observe(m);
    assert_int_equal(m->observed.n, AU_OBSERVE_STEPS);
    au_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_model_passes),         cmocka_unit_test(invariants_are_noticed),
        cmocka_unit_test(a_bad_run_is_refused),        cmocka_unit_test(stopped_threads),
        cmocka_unit_test(waiting_in_the_observed_run), cmocka_unit_test(endless_loops_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
