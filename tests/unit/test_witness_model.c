/* The checker of schedules on models, with values. */
#include "model/ctp.h"
#include "oracle/oracle.h"
#include "witness/check_model.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define MODELS AU_SOURCE_ROOT "/tests/models/"

static au_model *read_text(const char *text) {
    au_error err = AU_ERROR_NONE;
    au_model *m = au_ctp_read(text, strlen(text), "test.ctp", NULL, &err);
    if (!m)
        fail_msg("%s", err.text);
    return m;
}

static au_model *load(const char *name) {
    char path[4096];
    au_error err = AU_ERROR_NONE;
    snprintf(path, sizeof path, MODELS "%s", name);
    au_ctp_options how = {.unroll = 3};
    au_model *m = au_ctp_load(path, &how, &err);
    if (!m)
        fail_msg("%s", err.text);
    return m;
}

static uint32_t thread_id(const au_model *m, const char *name) {
    if (*name == '#')
        return (uint32_t)atoi(name + 1);
    for (uint32_t t = 0; t < m->thread.n; t++)
        if (!strcmp(m->thread.at[t].name, name))
            return t;
    fail_msg("no thread '%s'", name);
    return 0;
}

/* "t3": the first step with this label; "wake.t3", "leave.t3": its second half; "-": none. */
static uint32_t step_id(const au_model *m, const char *label) {
    const char *dot = strchr(label, '.');
    for (uint32_t i = 0; i < m->step.n; i++)
        if (!strcmp(au_step_label(m, &m->step.at[i]), dot ? dot + 1 : label) &&
            (!dot || m->step.at[i].kind == (label[0] == 'w' ? AU_STEP_WAKE : AU_STEP_LEAVE)))
            return i;
    return strcmp(label, "-") ? (uint32_t)m->step.n : AU_NONE;
}

static const uint64_t *havoc_values;
static uint32_t n_havoc;
static bool whole;

/* events "t12:2 t3:1" (label, index), schedule "T1:3 T2:1". */
static au_check_result check(const au_model *m, au_kind kind, const char *var, const char *events,
                             const char *schedule, au_model_seen_vec *seen) {
    au_model_event event[8];
    au_turn turn[32];
    au_model_finding f = {.kind = kind,
                          .var = AU_NONE,
                          .obj = AU_NONE,
                          .event = event,
                          .schedule = {turn, 0},
                          .havoc = havoc_values,
                          .n_havoc = n_havoc,
                          .whole = whole};
    char *copy = au_strdup(events), *save = NULL;
    for (char *p = strtok_r(copy, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
        char *colon = strchr(p, ':');
        if (colon)
            *colon = 0;
        event[f.n_events++] =
            (au_model_event){step_id(m, p), colon ? strtoull(colon + 1, NULL, 10) : 0};
    }
    free(copy);
    copy = au_strdup(schedule);
    for (char *p = strtok_r(copy, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
        char *colon = strchr(p, ':');
        *colon = 0;
        turn[f.schedule.n++] =
            (au_turn){.upto = strtoull(colon + 1, NULL, 10), .thread = (uint16_t)thread_id(m, p)};
    }
    free(copy);
    for (uint32_t v = 0; v < m->var.n; v++)
        if (!strcmp(m->var.at[v].name, var))
            f.var = v;
    for (uint32_t o = 0; o < m->obj.n; o++)
        if (!strcmp(m->obj.at[o].name, var))
            f.obj = o;
    au_check_result r;
    au_model_check_schedule(m, &f, &r, seen);
    return r;
}

static void expect(const au_model *m, au_kind kind, const char *var, const char *events,
                   const char *schedule, au_check_verdict verdict, const char *why) {
    au_check_result r = check(m, kind, var, events, schedule, NULL);
    if (r.verdict != verdict || strcmp(r.why, why))
        fail_msg("'%s' '%s': verdict %d '%s', expected %d '%s'", events, schedule, r.verdict, r.why,
                 verdict, why);
}

static void figure_1(void **state) {
    (void)state;
    au_model *m = load("fig1.ctp");
    const au_kind a = AU_KIND_ASSERTION;
    expect(m, a, "", "t12:4", "T1:4 T2:4", AU_CHECK_SHOWN, "");
    expect(m, a, "", "t12:4", "T1:5 T2:4", AU_CHECK_NOT_SHOWN, "the assert holds");
    expect(m, a, "", "t12:4", "T1:4 T2:3", AU_CHECK_NOT_SHOWN, "the assert is not executed");
    expect(m, a, "", "t12:4", "T2:3 T1:4", AU_CHECK_STUCK,
           "T2 cannot execute step 3 t11: its condition does not hold there");
    expect(m, a, "", "t12:4", "T1:3 T2:2", AU_CHECK_STUCK,
           "T2 cannot execute step 2 t10: it has to wait there");
    expect(m, a, "", "t12:4", "T1:4 T2:5", AU_CHECK_STUCK,
           "T2 cannot execute step 5 t13: its thread has stopped at a failed assert");
    whole = true;
    expect(m, a, "", "t12:4", "T1:4 T2:5 T1:8", AU_CHECK_SHOWN, "");
    whole = false;
    expect(m, AU_KIND_RACE, "y", "t5:5 t12:4", "T1:4 T2:3", AU_CHECK_SHOWN, "");
    expect(m, AU_KIND_RACE, "x", "t5:5 t12:4", "T1:4 T2:3", AU_CHECK_NOT_SHOWN,
           "its events do not conflict");
    expect(m, AU_KIND_RACE, "y", "t5:5 t12:4", "T1:4 T2:2", AU_CHECK_NOT_SHOWN,
           "event 2 is not next");
    expect(m, AU_KIND_RACE, "y", "t5:5", "T1:4 T2:3", AU_CHECK_NOT_SHOWN,
           "a race has not 1 events");
    expect(m, AU_KIND_RACE, "y", "t5:5 t99:1", "T1:4", AU_CHECK_NOT_SHOWN,
           "event 2 is no step of the model");
    au_model_free(m);
}

static void values_are_told(void **state) {
    (void)state;
    au_model *m = load("fig1.ctp");
    au_model_seen_vec seen = {0};
    check(m, AU_KIND_ASSERTION, "", "t12:4", "T1:4 T2:4", &seen);
    static const struct {
        const char *step, *var, *writer;
        bool write;
        uint64_t value, index;
    } want[] = {{"t1", "x", "-", false, 0, 1},
                {"t3", "x", "-", true, 2, 3},
                {"t11", "x", "t3", false, 2, 3},
                {"t12", "y", "-", false, 0, 4}};
    assert_int_equal(seen.n, 4);
    for (int i = 0; i < 4; i++) {
        const au_model_seen *s = &seen.at[i];
        assert_string_equal(au_step_label(m, &m->step.at[s->step]), want[i].step);
        assert_string_equal(m->var.at[s->var].name, want[i].var);
        assert_int_equal(s->writer, step_id(m, want[i].writer));
        assert_int_equal(s->write, want[i].write);
        assert_int_equal(s->value, want[i].value);
        assert_int_equal(s->index, want[i].index);
    }
    au_vec_release(&seen);
    au_model_free(m);
}

/* Whom a signal wakes is found out. */
static void choices(void **state) {
    (void)state;
    au_model *m = load("prim_signal_choice.ctp");
    const au_kind n = AU_KIND_ASSERTION; /* anything: what matters is how far it gets */
    au_check_result r = check(m, n, "", "", "A:2 B:2 C:3 A:4", NULL);
    assert_int_equal(r.verdict, AU_CHECK_NOT_SHOWN);
    assert_int_equal(r.step, 9);
    r = check(m, n, "", "", "A:2 B:2 C:3 B:4", NULL);
    assert_int_equal(r.step, 9);
    r = check(m, n, "", "", "A:2 B:2 C:3 B:4 A:4", NULL);
    assert_int_equal(r.step, 11);
    assert_true(r.spurious);
    /* A or B alone may be left without a signal, not both */
    expect(m, AU_KIND_DEADLOCK, "", "wake.a2:3", "A:2 B:2 C:3 B:4", AU_CHECK_SHOWN, "");
    expect(m, AU_KIND_DEADLOCK, "", "wake.b2:3", "A:2 B:2 C:3", AU_CHECK_SHOWN, "");
    expect(m, AU_KIND_DEADLOCK, "", "wake.a2:3 wake.b2:3", "A:2 B:2 C:3", AU_CHECK_NOT_SHOWN,
           "not all of them wait for each other");
    expect(m, AU_KIND_DEADLOCK, "", "wake.a2:3 wake.b2:3", "C:3 A:2 B:2", AU_CHECK_SHOWN, "");
    au_model_free(m);
    m = read_text("lock m  cond c  shared x = 0\n"
                  "thread A { a1: acq m  a2: wait c m  a3: x := 1  a4: rel m }\n"
                  "thread B { b1: x := 2 }\n");
    expect(m, AU_KIND_RACE, "x", "a3:4 b1:1", "A:3", AU_CHECK_SHOWN,
           "needs a wake-up without a signal");
    au_model_free(m);
}

/* A way without a spurious wake-up is found if there is one; [ … ] do not race. */
static void preferences(void **state) {
    (void)state;
    au_model *m = read_text("lock m  cond c  shared x = 0\n"
                            "thread A { a1: acq m  a2: wait c m  a3: rel m }\n"
                            "thread B { b1: acq m  b2: wait c m  b3: x := 1 }\n"
                            "thread C { c1: signal c  c2: x := 2 }\n"
                            "thread D { d1: [x := 3] }  thread E { e1: [x := 4] }\n");
    expect(m, AU_KIND_RACE, "x", "b3:4 c2:2", "A:2 B:2 C:1 B:3", AU_CHECK_SHOWN, "");
    expect(m, AU_KIND_RACE, "x", "b3:4 c2:2", "A:2 C:1 B:3", AU_CHECK_SHOWN,
           "needs a wake-up without a signal");
    expect(m, AU_KIND_RACE, "x", "d1:1 e1:1", "", AU_CHECK_NOT_SHOWN, "its events cannot race");
    expect(m, AU_KIND_RACE, "x", "d1:1 c2:2", "C:1", AU_CHECK_SHOWN, "");
    au_model_free(m);
    m = read_text("barrier b = 2  lock m\n"
                  "thread A { a1: arrive b }\n"
                  "thread B { b1: acq m  b2: arrive b  b3: rel m }\n"
                  "thread C { c1: acq m  c2: arrive b  c3: rel m }\n");
    expect(m, AU_KIND_DEADLOCK, "", "leave.a1:2", "A:1", AU_CHECK_NOT_SHOWN,
           "not all of them wait for each other");
    expect(m, AU_KIND_DEADLOCK, "", "leave.c2:3", "A:1 B:4 C:2", AU_CHECK_SHOWN, "");
    expect(m, AU_KIND_DEADLOCK, "", "leave.a1:2", "B:2 A:1", AU_CHECK_NOT_SHOWN,
           "not all of them wait for each other");
    au_model_free(m);
    m = read_text("shared x = 0\n"
                  "thread A { a1: fork B  a2: join B }\n"
                  "thread B { b1: [assume x == 1] }\n"
                  "thread C { c1: nop }\n");
    expect(m, AU_KIND_DEADLOCK, "", "a2:2", "A:1", AU_CHECK_NOT_SHOWN,
           "not all of them wait for each other");
    expect(m, AU_KIND_DEADLOCK, "", "a2:2 b1:1", "A:1", AU_CHECK_SHOWN, "");
    expect(m, AU_KIND_DEADLOCK, "", "b1:1", "", AU_CHECK_NOT_SHOWN, "event 1 is not next");
    au_model_free(m);
}

static void havoc(void **state) {
    (void)state;
    au_model *m = load("prim_havoc.ctp");
    const uint64_t bad[] = {UINT64_C(0xffffffff80000000)}; /* cut to the width */
    expect(m, AU_KIND_ASSERTION, "", "t4:2", "T1:2 T2:2", AU_CHECK_NOT_SHOWN, "the assert holds");
    havoc_values = bad;
    n_havoc = 1;
    expect(m, AU_KIND_ASSERTION, "", "t4:2", "T1:2 T2:2", AU_CHECK_SHOWN, "");
    n_havoc = 0;
    au_model_free(m);
}

static void other_kinds(void **state) {
    (void)state;
    au_model *m = read_text("lock m  shared x = 0\n"
                            "thread A { a1: x := 1  a2: b := x  a3: acq m  a4: acq m }\n"
                            "thread B { b1: x := 2  b2: rel m  b3: nop }\n"
                            "thread C { c1: acq m  c2: nop }\n");
    const au_check_verdict yes = AU_CHECK_SHOWN, no = AU_CHECK_NOT_SHOWN;
    expect(m, AU_KIND_ATOMICITY, "x", "a1:1 b1:1 a2:2", "A:1 B:1 A:2", yes, "");
    expect(m, AU_KIND_ATOMICITY, "x", "a1:1 b1:1 a2:2", "B:1 A:2", no,
           "event 2 comes before event 1");
    expect(m, AU_KIND_ATOMICITY, "x", "a1:1 b1:1 a2:2", "A:2", no, "event 2 is not executed");
    expect(m, AU_KIND_ATOMICITY, "x", "b1:1 a2:2 a2:2", "B:1 A:2", no,
           "its events are of the wrong threads");
    expect(m, AU_KIND_NONDET, "x", "b1:1 a2:2", "A:1 B:1 A:2", yes, "");
    expect(m, AU_KIND_NONDET, "x", "b1:1 a2:2", "A:1 B:1", yes, ""); /* it is next */
    expect(m, AU_KIND_NONDET, "x", "b1:1 a2:2", "B:1 A:2", no, "the read sees another write");
    expect(m, AU_KIND_NONDET, "x", "- a2:2", "B:1 A:2", no, "the read sees another write");
    expect(m, AU_KIND_NONDET, "x", "b1:1 a2:2", "B:1", no, "the read is neither executed nor next");
    expect(m, AU_KIND_MISUSE, "m", "b2:2", "B:1", yes, "");
    expect(m, AU_KIND_MISUSE, "m", "a4:4", "A:3", yes, "");
    expect(m, AU_KIND_MISUSE, "m", "a3:3", "A:2", no, "the event misuses nothing there");
    expect(m, AU_KIND_MISUSE, "m", "a3:3", "C:1 A:2", no, "the event misuses nothing there");
    expect(m, AU_KIND_MISUSE, "m", "c2:2", "C:2", yes, ""); /* held at the end */
    expect(m, AU_KIND_MISUSE, "m", "c2:2", "C:1", no, "the event misuses nothing there");
    expect(m, AU_KIND_DEADLOCK, "", "a4:4", "A:3", yes, "");
    expect(m, AU_KIND_DEADLOCK, "", "a3:3", "C:2 A:2", yes, ""); /* C has ended with it */
    expect(m, AU_KIND_DEADLOCK, "", "a3:3", "C:1 A:2", no, "not all of them wait for each other");
    /* malformed */
    expect(m, AU_KIND_RACE, "x", "a1:1 b1:1", "", yes, "");
    expect(m, AU_KIND_RACE, "x", "a1:1 b1:1", "#9:1", no, "turn 1: the model has no thread 9");
    expect(m, AU_KIND_RACE, "x", "a1:1 b1:1", "C:1 C:1", no,
           "turn 2: C has executed 1 steps already");
    expect(m, AU_KIND_RACE, "x", "a1:1 b1:1", "C:3", no, "turn 1: C has 2 steps, not 3");
    au_model_free(m);
}

/* Everything that the oracle finds in the models of the papers and of the primitives. */
static void what_the_oracle_finds(void **state) {
    (void)state;
    static const au_kind kinds[] = {AU_KIND_ASSERTION, AU_KIND_RACE, AU_KIND_ATOMICITY,
                                    AU_KIND_DEADLOCK, AU_KIND_MISUSE};
    unsigned n = 0;
    DIR *d = opendir(MODELS);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        const char *dot = strrchr(e->d_name, '.');
        if (!dot || strcmp(dot, ".ctp"))
            continue;
        au_model *m = load(e->d_name);
        au_oracle_options o = AU_ORACLE_DEFAULTS;
        au_error err = AU_ERROR_NONE;
        au_oracle_result *r = au_oracle_run(m, &o, &err);
        assert_non_null(r);
        for (size_t i = 0; i < r->finding.n && !strstr(e->d_name, "havoc"); i++) {
            const au_oracle_finding *g = &r->finding.at[i];
            au_model_event event[8];
            au_turn *turn = au_alloc_array(g->n_turns, sizeof *turn);
            for (uint32_t k = 0; k < g->n_events; k++)
                event[k] = (au_model_event){g->event[k].step, g->event[k].index};
            for (uint32_t k = 0; k < g->n_turns; k++)
                turn[k] = (au_turn){.upto = g->turn[k].upto, .thread = (uint16_t)g->turn[k].thread};
            au_model_finding f = {.kind = kinds[g->kind],
                                  .var = g->var,
                                  .obj = g->obj,
                                  .event = event,
                                  .n_events = g->n_events,
                                  .schedule = {turn, g->n_turns}};
            au_check_result c;
            au_model_check_schedule(m, &f, &c, NULL);
            if (c.verdict != AU_CHECK_SHOWN || c.spurious != g->spurious)
                fail_msg("%s: finding %zu: %s", e->d_name, i, c.why);
            free(turn);
            n++;
        }
        au_oracle_free(r);
        au_model_free(m);
    }
    closedir(d);
    assert_true(n >= 80);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_1),
        cmocka_unit_test(values_are_told),
        cmocka_unit_test(choices),
        cmocka_unit_test(preferences),
        cmocka_unit_test(havoc),
        cmocka_unit_test(other_kinds),
        cmocka_unit_test(what_the_oracle_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
