/* Dossiers made of checks: orders, locks held, what is cut, fingerprints of real findings. */
#include "funnel/check_run.h"
#include "model/ctp.h"
#include "model/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/augur-dossier-XXXXXX";

static void write_file(const char *name, const char *text) {
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

/* Checks a trace of this text for races and deadlocks, without the solver. */
static void check(au_dossier *d, const char *text, size_t steps) {
    const char *input[] = {"run.std"};
    const au_plan p = {.props = AU_PROP_RACE | AU_PROP_DEADLOCK,
                       .blocks = AU_BLOCKS_NONE,
                       .budget = 20000000,
                       .last = AU_STAGE_GRAPH,
                       .bound = AU_NONE,
                       .bound_from = AU_NONE};
    au_dossier_options o = {
        .input = input, .n_inputs = 1, .seconds = 1, .steps = steps, .sources = true};
    au_check_run c;
    au_error err = AU_ERROR_NONE;
    write_file("run.std", text);
    if (au_check_run_open(&c, &p, "run.std", &(au_read_options){0}, &err) != AU_OK ||
        au_check_run_go(&c, &err) != AU_OK)
        fail_msg("%s", err.text);
    au_dossier_init(d);
    au_check_run_dossier(&c, d, &o);
    au_check_run_release(&c);
    unlink("run.std");
}

static const au_case_event *decisive(const au_case_events *v, uint32_t which) {
    for (size_t i = 0; i < v->n; i++)
        if (v->at[i].decisive == which)
            return &v->at[i];
    fail_msg("decisive event %u is not there", which);
    return NULL;
}

/* What every order must be like. */
static void sane(const au_case_events *v, uint64_t left_out, uint32_t cut) {
    uint64_t skipped = 0;
    for (size_t i = 0; i < v->n; i++) {
        skipped += v->at[i].skipped;
        for (size_t k = 0; k < i; k++) /* a thread's events stay in their order */
            if (!strcmp(v->at[k].thread, v->at[i].thread))
                assert_true(v->at[k].index < v->at[i].index);
    }
    assert_int_equal(skipped, left_out);
    if (left_out)
        assert_true(v->at[cut].skipped > 0);
}

static void a_race(void **state) {
    (void)state;
    au_dossier d;
    check(&d,
          "T1|acq(l)|1\nT1|w(x)|a.c:2|1\nT1|rel(l)|3\n"
          "T2|acq(m)|4\nT2|r(x)|b.c:5|1\nT2|rel(m)|6\n",
          100);
    assert_int_equal(d.at.n, 1);
    const au_case *c = &d.at.at[0];
    assert_string_equal(c->id, "R1");
    assert_string_equal(c->var, "x");
    assert_int_equal(c->standing, AU_IS_PROVED);
    assert_string_equal(c->event.at[0].held[0], "l");
    assert_string_equal(c->event.at[1].held[0], "m");
    assert_string_equal(c->event.at[0].file, "a.c");
    assert_int_equal(c->event.at[0].line, 2);
    assert_int_equal(c->observed.n, 6);
    assert_int_equal(c->witness.n, 4);
    sane(&c->witness, 0, 0);
    /* up to the race, then its two sides; the read sees what was written just before */
    assert_int_equal(c->witness.at[2].decisive, 1);
    assert_int_equal(c->witness.at[3].decisive, 2);
    assert_true(c->witness.at[2].has_value && c->witness.at[2].value == 1);
    assert_true(c->witness.at[3].has_value && c->witness.at[3].value == 1);
    assert_int_equal(d.threads, 2);
    assert_int_equal(d.events, 6);
    assert_int_equal(d.funnel.n, 2);
    assert_string_equal(d.input.at[0], "run.std");
    assert_string_equal(c->recording, "");
    au_dossier_release(&d);
}

static void long_orders_are_cut(void **state) {
    (void)state;
    au_out *text = au_out_memory();
    au_dossier d;
    size_t n;
    /* the locks that are held at the race were taken long before it */
    au_out_str(text, "T1|acq(l)|1\n");
    for (int i = 0; i < 3000; i++)
        au_out_printf(text, "T1|w(a%d)|2\n", i % 7);
    au_out_str(text, "T1|w(x)|3\nT1|rel(l)|4\nT2|acq(m)|5\n");
    for (int i = 0; i < 3000; i++)
        au_out_printf(text, "T2|w(b%d)|6\n", i % 7);
    au_out_str(text, "T2|w(x)|7\nT2|rel(m)|8\n");
    for (int i = 0; i < 500; i++)
        au_out_str(text, "T2|w(c)|9\n");
    check(&d, au_out_memory_data(text, &n), 60);
    assert_int_equal(d.at.n, 1);
    const au_case *c = &d.at.at[0];
    for (int k = 0; k < 2; k++) {
        const au_case_events *v = k ? &c->observed : &c->witness;
        assert_true(v->n > 20 && v->n <= 60);
        sane(v, k ? c->observed_left_out : c->witness_left_out,
             k ? c->observed_cut : c->witness_cut);
        assert_string_equal(decisive(v, 1)->object, "x");
        assert_string_equal(decisive(v, 2)->object, "x");
        unsigned taken = 0;
        for (size_t i = 0; i < v->n; i++)
            taken += !strcmp(v->at[i].op, "acquire");
        assert_int_equal(taken, 2);
    }
    assert_true(c->witness_left_out > 5900);
    /* what the run did afterwards is of no interest */
    assert_true(au_vec_last(&c->observed).number < 6020);
    au_out_abandon(text);
    au_dossier_release(&d);
}

static void many_cases_share_the_room(void **state) {
    (void)state;
    au_out *text = au_out_memory();
    au_dossier d;
    size_t n, steps = 0;
    for (int t = 1; t <= 2; t++)
        for (int i = 0; i < 2000; i++)
            au_out_printf(text, "T%d|w(x%d)|%d\n", t, i, i);
    check(&d, au_out_memory_data(text, &n), 240);
    assert_int_equal(d.at.n, 2000);
    for (size_t i = 0; i < d.at.n; i++)
        steps += d.at.at[i].witness.n + d.at.at[i].observed.n;
    assert_true(steps > 10000 && steps <= 60000);
    assert_true(d.at.at[0].witness.n > 0);
    au_out_abandon(text);
    au_dossier_release(&d);
}

static void a_deadlock(void **state) {
    (void)state;
    au_dossier d;
    check(&d,
          "T1|acq(a)|1\nT1|acq(b)|2\nT1|rel(b)|3\nT1|rel(a)|4\n"
          "T2|acq(b)|5\nT2|acq(a)|6\nT2|rel(a)|7\nT2|rel(b)|8\n",
          100);
    assert_int_equal(d.at.n, 1);
    const au_case *c = &d.at.at[0];
    assert_int_equal(c->kind, AU_KIND_DEADLOCK);
    assert_int_equal(c->witness.n, 4);
    /* what is waited for stands behind what is executed */
    assert_int_equal(c->witness.at[2].decisive, 1);
    assert_int_equal(c->witness.at[3].decisive, 2);
    assert_string_equal(c->witness.at[0].op, "acquire");
    assert_int_equal(c->witness.at[3].n_held, 1);
    assert_string_not_equal(c->witness.at[2].held[0], c->witness.at[2].object);
    au_dossier_release(&d);
}

/* ---- sources and fingerprints ---- */

static char *print_of(const char *trace, const char *source) {
    au_dossier d;
    write_file("list.c", source);
    check(&d, trace, 100);
    assert_int_equal(d.at.n, 1);
    assert_string_equal(d.at.at[0].event.at[0].text, "n++;");
    assert_int_equal(d.source.n, 1);
    assert_string_equal(d.source.at[0].file, "list.c");
    char *print = au_strdup(d.at.at[0].fingerprint);
    au_dossier_release(&d);
    unlink("list.c");
    return print;
}

static void moved_lines(void **state) {
    (void)state;
    char *a = print_of("T1|w(n)|list.c:2\nT2|r(n)|list.c:3\n", "int n;\n    n++;\n  use(n);\n");
    char *b = print_of("T4|w(y)|list.c:4\nT3|w(n)|list.c:3\nT5|r(n)|list.c:4\n",
                       "// a new comment\nint n;\n\tn++;\n  use(n);\n\n");
    assert_string_equal(a, b);
    free(a);
    free(b);
}

static void files_that_lead_away(void **state) {
    (void)state;
    static const char *const name[] = {"../dossier-secret.c", "/etc/hostname", "a/../../x.c",
                                       "directory.c"};
    assert_int_equal(system("mkdir -p directory.c && mkfifo pipe.c"), 0);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char text[200];
        au_dossier d;
        snprintf(text, sizeof text, "T1|w(x)|%s:1\nT2|w(x)|pipe.c:1\n", name[i]);
        check(&d, text, 100); /* a pipe that nobody writes does not stop it, either */
        assert_int_equal(d.source.n, 0);
        assert_string_equal(d.at.at[0].event.at[0].text, "");
        au_dossier_release(&d);
    }
}

/* ---- models ---- */

static void a_model(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    const char *input[] = {"lost.ctp"};
    write_file("lost.ctp", "shared x = 0\n"
                           "thread A { a: x := x + 1 }\n"
                           "thread B { b: x := x + 1\n c: assert x == 2 }\n"
                           "trace a b c\n");
    au_model *m = au_ctp_load("lost.ctp", &(au_ctp_options){0}, &err);
    if (!m)
        fail_msg("%s", err.text);
    au_model_observe(m);
    au_check_run c;
    au_model_view view;
    const au_plan p = {.last = AU_STAGE_SOLVER,
                       .props = AU_PROP_ALL,
                       .bound = AU_NONE,
                       .bound_from = AU_NONE,
                       .cadical = true,
                       .jobs = 1,
                       .seconds = 60};
    au_model_view_init(&view, m);
    au_check_run_of_model(&c, &p, m, &view);
    assert_int_equal(au_check_run_go(&c, &err), AU_OK);
    au_check_order(&c.outcome.findings, false);
    au_dossier d;
    au_dossier_init(&d);
    au_dossier_of_model(
        &d, &c.outcome, &view,
        &(au_dossier_options){.input = input, .n_inputs = 1, .steps = 50, .sources = true});
    const au_case *k = NULL;
    for (size_t i = 0; i < d.at.n; i++)
        if (d.at.at[i].kind == AU_KIND_ASSERTION)
            k = &d.at.at[i];
    assert_non_null(k);
    assert_int_equal(k->standing, AU_IS_PROVED);
    sane(&k->witness, 0, 0);
    const au_case_event *last = &au_vec_last(&k->witness);
    assert_int_equal(last->decisive, 1);
    assert_string_equal(last->op, "assert");
    assert_string_equal(last->label, "c");
    assert_string_equal(k->event.at[0].text, "c: assert x == 2 }");
    int64_t wrote = 0;
    for (size_t i = 0; i < k->witness.n; i++)
        if (!strcmp(k->witness.at[i].op, "write")) {
            assert_true(k->witness.at[i].has_value);
            wrote = k->witness.at[i].value;
        }
    assert_int_equal(wrote, 1); /* an update was lost */
    assert_true(k->observed.n >= 5);
    au_dossier_release(&d);
    au_check_run_release(&c);
    au_model_view_release(&view);
    au_model_free(m);
}

static int enter(void **state) {
    (void)state;
    return !mkdtemp(directory) || chdir(directory);
}

static int leave(void **state) {
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return chdir("/") || system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_race),
        cmocka_unit_test(long_orders_are_cut),
        cmocka_unit_test(many_cases_share_the_room),
        cmocka_unit_test(a_deadlock),
        cmocka_unit_test(moved_lines),
        cmocka_unit_test(files_that_lead_away),
        cmocka_unit_test(a_model),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
