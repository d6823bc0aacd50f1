/* Several runs of one program as one branching model. */
#include "model/ctp.h"
#include "model/merge.h"
#include "model/run.h"
#include "same_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static au_model *read_model(const char *text, const char *file) {
    au_error err = AU_ERROR_NONE;
    au_model *m = au_ctp_read(text, strlen(text), file, NULL, &err);
    if (!m)
        fail_msg("%s", err.text);
    return m;
}

/* Merges n texts (as run1, run2, …); the result is sound. */
static au_model *merge(size_t n, const char *const *text, au_error *err) {
    au_model *m[8];
    for (size_t i = 0; i < n; i++) {
        char name[] = {'r', 'u', 'n', (char)('1' + i), 0};
        m[i] = read_model(text[i], name);
        au_model_observe(m[i]);
    }
    au_model *r = au_model_merge((const au_model *const *)m, n, err);
    size_t observed = m[0]->observed.n;
    for (size_t i = 0; i < n; i++)
        au_model_free(m[i]);
    if (!r)
        return NULL;
    const char *wrong = au_model_check(r);
    if (wrong)
        fail_msg("%s", wrong);
    au_error e = AU_ERROR_NONE;
    if (au_model_check_observed(r, NULL, &e))
        fail_msg("%s", e.text);
    assert_int_equal(r->observed.n, observed);
    char *failed = au_round_trip(r, 0, NULL);
    if (failed)
        fail_msg("%s", failed);
    return r;
}

static char *print(const au_model *m) {
    au_out *o = au_out_memory();
    au_error err = AU_ERROR_NONE;
    if (au_ctp_print(m, o, &err))
        fail_msg("%s", err.text);
    size_t n;
    char *s = au_strdup(au_out_memory_data(o, &n));
    au_out_abandon(o);
    return s;
}

/* The merged model is the one that 'want' reads as (up to names of labels). */
static void expect(size_t n, const char *const *text, const char *want) {
    au_error err = AU_ERROR_NONE;
    au_model *r = merge(n, text, &err);
    if (!r)
        fail_msg("%s", err.text);
    au_model *w = read_model(want, "want");
    au_model_observe(w);
    au_vec_clear(&w->observed);
    au_vec_clear(&r->observed);
    char *a = print(r), *b = print(w);
    assert_string_equal(a, b);
    free(a);
    free(b);
    au_model_free(r);
    au_model_free(w);
}

static void refused(const char *a, const char *b, const char *part) {
    au_error err = AU_ERROR_NONE;
    assert_null(merge(2, (const char *const[]){a, b}, &err));
    assert_int_equal(err.status, AU_EUNSUPPORTED);
    if (!strstr(err.text, part))
        fail_msg("expected '%s' in '%s'", part, err.text);
}

static void one_run_is_itself(void **state) {
    (void)state;
    const char *text = "shared x = 1\nlock l\ncond c\nsem s = 2\nbarrier b = 1\nrwlock w\nrlock q\n"
                       "thread T1 {\n t1: acq l\n t2: wait c l\n t3: rel l\n t4: acq s\n"
                       " atomic { t5: a := x\n t6: x := a + 1 }\n t7: arrive b\n t8: join T2 }\n"
                       "thread T2 {\n u1: acq l\n u2: signal c\n u3: rel l\n u4: rdacq w\n"
                       " u5: rel w\n u6: acq q\n u7: rel q\n u8: broadcast c\n u9: fork T3 }\n"
                       "thread T3 { v1: [x := x + 1]\n v2: assert x > 0 }\n";
    expect(1, &text, text);
    expect(2, (const char *const[]){text, text}, text);
}

static void opposite_assumes_part(void **state) {
    (void)state;
    const char *const runs[] = {
        "shared x = 0, y = 0\nthread T1 { a := x\n assume a == 0\n y := 1 }\nthread T2 { x := 1 }",
        "shared x = 0, y = 0\nthread T1 { a := x\n assume a != 0\n y := 2\n y := 3 }\n"
        "thread T2 { x := 1\n x := 2 }"};
    expect(
        2, runs,
        "shared x = 0, y = 0\nthread T1 { a := x\n if (a == 0) { y := 1 } else { y := 2\n y := 3 "
        "} }\nthread T2 { x := 1\n x := 2 }");
    /* the longer run of T2 is kept whichever comes first */
    const char *const turned[] = {runs[1], runs[0]};
    expect(
        2, turned,
        "shared x = 0, y = 0\nthread T1 { a := x\n if (a != 0) { y := 2\n y := 3 } else { y := 1 "
        "} }\nthread T2 { x := 1\n x := 2 }");
}

static void branches_within_branches(void **state) {
    (void)state;
#define RUN(p, q, z)                                                                               \
    "shared x = 0, y = 0\nthread T { a := x\n assume a " p " 1\n b := y\n assume b " q             \
    " 2\n x := " z " }"
    const char *const runs[] = {RUN("<", "==", "1"), RUN(">=", "==", "2"), RUN("<", "!=", "3"),
                                RUN(">=", "==", "2")};
    expect(4, runs,
           "shared x = 0, y = 0\nthread T { a := x\n if (a < 1) { b := y\n if (b == 2) { x := 1 } "
           "else { x := 3 } } else { b := y\n assume b == 2\n x := 2 } }");
    /* a merged model can be merged again */
    au_error err = AU_ERROR_NONE;
    au_model *first = merge(2, runs, &err);
    au_model *more = read_model(runs[2], "more");
    au_model *again = au_model_merge((const au_model *const[]){first, more}, 2, &err);
    if (!again)
        fail_msg("%s", err.text);
    assert_null(au_model_check(again));
    au_model *at_once = merge(3, runs, &err);
    char *p = print(again), *q = print(at_once);
    assert_string_equal(p, q);
    free(p);
    free(q);
    au_model_free(first);
    au_model_free(more);
    au_model_free(again);
    au_model_free(at_once);
#undef RUN
}

/* Waiters that only one of the runs has get their edges from the other's signal,
 * and threads in another order keep their locks apart. */
static void synchronisation_is_built_anew(void **state) {
    (void)state;
    const char *const runs[] = {
        "shared x = 0\nlock l\ncond c\nthread T1 { acq l\n signal c\n rel l }\n"
        "thread T2 { acq l\n a := x\n assume a == 0\n wait c l\n rel l }",
        "shared x = 0\nlock l\ncond c\nthread T3 { acq l\n wait c l\n rel l }\n"
        "thread T2 { acq l\n a := x\n assume a != 0\n rel l }\n"
        "thread T1 { acq l\n signal c\n rel l\n broadcast c }"};
    expect(2, runs,
           "shared x = 0\nlock l\ncond c\nthread T1 { acq l\n signal c\n rel l\n broadcast c }\n"
           "thread T2 { acq l\n a := x\n if (a == 0) { wait c l\n rel l } else { rel l } }\n"
           "thread T3 { acq l\n wait c l\n rel l }");
    au_error err = AU_ERROR_NONE;
    au_model *m = merge(2, runs, &err);
    size_t edges = 0;
    for (size_t i = 0; i < m->step.n; i++)
        edges += m->step.at[i].kind == AU_STEP_SIGNAL;
    assert_int_equal(edges, 3); /* to T2, to T3, to nobody */
    au_model_free(m);
}

/* What only a merged model has: a block that ends inside a branch, an indivisible one. */
static void shapes_of_merging(void **state) {
    (void)state;
    static const char *const runs[] = {"shared x : 8, y : 64 thread \"main (T0)\" { atomic { a: "
                                       "nop b: assume x == 200 c: y := 1 }\n"
                                       "d: [ require y == 0x123456789a ] e: [ y := 1 ] }",
                                       "shared x : 8, y : 64 thread \"main (T0)\" { atomic { a: "
                                       "nop b: assume x != 200 c: y := 2 }\n"
                                       "d: nop }",
                                       "shared x : 8, y : 64 thread \"main (T0)\" { atomic { a: "
                                       "nop b: assume x == 200 c: y := 1 }\n"
                                       "d: [ require y != 0x123456789a ] e: [ y := 2 ] }"};
    expect(3, runs,
           "shared x : 8 = 0, y : 64 = 0\n"
           "thread \"main (T0)\" {\n"
           "  a: atomic 1 nop\n"
           "  b: atomic 1 if (x == -56) {\n"
           "    c.1: atomic 1 y := 1\n"
           "    d.1: if [y == 0x123456789a] { e.1: [ y := 1 ] } else { e.2: [ y := 2 ] }\n"
           "  } else {\n"
           "    c.2: atomic 1 y := 2\n"
           "    d.2: nop\n"
           "  } }");
    refused("shared x : 8 thread T { nop }", "shared x : 16 thread T { nop }",
            "'x' has 16 bits in 'run2' and 8 in an earlier run");
}

static void differences_are_refused(void **state) {
    (void)state;
#define T(body) "shared x = 0, y = 0\nlock l\nthread T { " body " }"
    refused(T("x := 1"), T("x := 2"), "run2");
    refused(T("a: x := 1\n b: y := 1"), T("a: x := 1\n c: acq l"), "run1:4, b");
    refused(T("a := x\n assume a == 0"), T("a := x\n assume a == 1"), "no branch");
    refused(T("x := 1"), "shared x = 1\nthread T { x := 1 }", "begins with");
    refused(T("acq l"), "shared x = 0\nsem l = 1\nthread T { acq l }", "'l'");
    refused(T("if (x == 0) { x := 1 } else { y := 1 }\n x := 2"), T("x := 1"), "not a tree");
    refused(T("atomic { x := 1 }"), T("x := 1"), "run2");
#undef T
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_run_is_itself),        cmocka_unit_test(opposite_assumes_part),
        cmocka_unit_test(branches_within_branches), cmocka_unit_test(synchronisation_is_built_anew),
        cmocka_unit_test(shapes_of_merging),        cmocka_unit_test(differences_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
