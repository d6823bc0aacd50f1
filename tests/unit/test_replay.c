/* Recordings written and loaded again: what is said of the program, standard input, turns, inputs,
 * comparing, judging. */
#include "base/deadline.h"
#include "confirm/judge.h"
#include "record/replay.h"
#include "report/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

static char path_a[512], path_b[512];

static au_program a_program(void) {
    static char *argv[] = {"./p", "", "two\nlines \\n", NULL};
    static char *envp[] = {"A=1", "B=back\\slash\n", NULL};
    static char *libraries[] = {"00000000000000ff /lib/x y.so", NULL};
    static int fds[] = {0, 1, 2, 9};
    return (au_program){.path = "./p",
                        .exe = "/somewhere/p",
                        .cwd = "/somewhere",
                        .exe_hash = UINT64_C(0xfedcba9876543210),
                        .argv = argv,
                        .envp = envp,
                        .libraries = libraries,
                        .plan = {.policy = AU_POLICY_PCT,
                                 .seed = UINT64_MAX,
                                 .switch_every = 5,
                                 .pct_depth = 3,
                                 .max_events = 7,
                                 .no_randomize = 1},
                        .stdin_kind = AU_STDIN_PIPE,
                        .terminal = {false, true, true},
                        .fds = fds,
                        .n_fds = 4,
                        .stack_limit = RLIM_INFINITY,
                        .kernel = "6.1",
                        .cpus = 2};
}

/* ---- streams: T0 forks T1; both write one variable ---- */

enum { X = 0x1000, FN = 0x2000 };

typedef struct {
    au_stream_writer *w;
    uint32_t turn;
} script;

static script begin(void) {
    script s = {.w = au_stream_writer_new(1 << 16)};
    au_stream_put_thread(s.w, 0, 0x7000, 0x1000, 0);
    au_stream_put_turn(s.w, 0, AU_TURN_START);
    au_stream_put_module(s.w, 77, 16, 32, NULL, 0, "/somewhere/p");
    return s;
}
static void turn(script *s, uint32_t thread) {
    if (s->turn != thread)
        au_stream_put_turn(s->w, thread, AU_TURN_BUDGET);
    s->turn = thread;
}
static void ev(script *s, uint32_t thread, uint32_t site, uint8_t op, uint64_t address,
               uint64_t value) {
    turn(s, thread);
    bool access = op == AU_OP_READ || op == AU_OP_WRITE;
    au_stream_put_event(s->w, site, op, access ? 4 : 0, address, value, 0, NULL);
}
static void fork_one(script *s) {
    turn(s, 0);
    au_stream_put_thread(s->w, 1, 0x9000, 0x1000, FN);
    ev(s, 0, 16, AU_OP_FORK, 1, 0);
}

static void save(script *s, const char *path, const char *input, uint32_t cut) {
    au_error err = AU_ERROR_NONE;
    au_recording_out *o = au_recording_create(path, &err);
    assert_non_null(o);
    au_program p = a_program();
    au_program_put(&p, o);
    au_stream_writer_flush(s->w);
    for (size_t i = 0; i < au_stream_writer_chunks(s->w); i++) {
        size_t n;
        const uint8_t *c = au_stream_writer_chunk(s->w, i, &n);
        assert_int_equal(au_recording_put(o, AU_WIRE_STREAM, 0, c, n, &err), AU_OK);
    }
    if (input)
        au_recording_put(o, AU_WIRE_STDIN, cut, input, strlen(input), &err);
    struct au_wire_end end = {.events = 1};
    assert_int_equal(au_recording_close(o, &end, &err), AU_OK);
    au_stream_writer_free(s->w);
}

static void what_is_said_of_the_program(void **state) {
    (void)state;
    script s = begin();
    fork_one(&s);
    au_stream_put_input(s.w, AU_INPUT_ID, -3, 11, "abc", 3);
    ev(&s, 0, 17, AU_OP_WRITE, X, 1);
    ev(&s, 1, 18, AU_OP_READ, X, 1);
    ev(&s, 1, 19, AU_OP_WRITE, X, 2);
    ev(&s, 0, 17, AU_OP_WRITE, X, 3);
    au_stream_put_end(s.w, AU_END_EXIT, 4);
    save(&s, path_a, "input", 1);

    au_replay r;
    au_error err = AU_ERROR_NONE;
    assert_int_equal(au_replay_load(&r, path_a, &err), AU_OK);
    au_program p = a_program();
    assert_string_equal(r.program.path, p.path);
    assert_string_equal(r.program.exe, p.exe);
    assert_string_equal(r.program.cwd, p.cwd);
    assert_true(r.program.exe_hash == p.exe_hash);
    for (int i = 0; i < 3; i++)
        assert_string_equal(r.program.argv[i], p.argv[i]);
    assert_null(r.program.argv[3]);
    for (int i = 0; i < 2; i++)
        assert_string_equal(r.program.envp[i], p.envp[i]);
    assert_string_equal(au_library_path(r.program.libraries[0]), "/lib/x y.so");
    assert_int_equal(r.program.plan.policy, AU_POLICY_PCT);
    assert_true(r.program.plan.seed == UINT64_MAX);
    assert_int_equal(r.program.plan.max_events, 7);
    assert_true(r.program.plan.no_randomize);
    assert_int_equal(r.program.stdin_kind, AU_STDIN_PIPE);
    assert_true(!r.program.terminal[0] && r.program.terminal[1] && r.program.terminal[2]);
    assert_int_equal(r.program.n_fds, 4);
    assert_int_equal(r.program.fds[3], 9);
    assert_true(r.program.stack_limit == RLIM_INFINITY);
    assert_int_equal(r.program.cpus, 2);

    assert_int_equal(r.input.n, 5);
    assert_memory_equal(r.input.at, "input", 5);
    assert_false(r.input_whole);
    assert_int_equal(r.events, 5);
    assert_int_equal(r.turns.n, 3);
    assert_int_equal(r.turns.at[0].upto, 2);
    assert_int_equal(r.turns.at[1].thread, 1);
    assert_int_equal(r.turns.at[1].upto, 2);
    assert_int_equal(r.turns.at[2].upto, 3);
    static const uint8_t input[] = {0, AU_TAG_INPUT, AU_INPUT_ID, 5, 11, 3, 'a', 'b', 'c'};
    assert_int_equal(r.inputs.n, sizeof input);
    assert_memory_equal(r.inputs.at, input, sizeof input);
    assert_int_equal(r.end_why, AU_END_EXIT);
    assert_int_equal(r.end_status, 4);
    assert_false(r.cut);
    au_replay_release(&r);
}

static void no_end(void **state) {
    (void)state;
    script s = begin();
    fork_one(&s);
    save(&s, path_a, NULL, 0);
    /* Without the END frame (56 bytes), and with a torn frame. */
    for (int k = 56; k < 60; k++) {
        script again = begin();
        fork_one(&again);
        save(&again, path_a, NULL, 0);
        FILE *f = fopen(path_a, "r+");
        assert_non_null(f);
        fseek(f, 0, SEEK_END);
        assert_int_equal(truncate(path_a, ftell(f) - k), 0);
        fclose(f);
        au_replay r;
        au_error err = AU_ERROR_NONE;
        assert_int_equal(au_replay_load(&r, path_a, &err), AU_OK);
        assert_true(r.cut);
        assert_int_equal(r.end_why, UINT8_MAX);
        au_replay_release(&r);
    }
}

/* ---- comparing ---- */

static au_comparison compared(script *a, script *b, bool addresses) {
    au_comparison c;
    au_error err = AU_ERROR_NONE;
    save(a, path_a, NULL, 0);
    save(b, path_b, NULL, 0);
    assert_int_equal(au_replay_compare(path_a, path_b, addresses, &c, &err), AU_OK);
    return c;
}

static script variant(uint32_t thread, uint32_t site, uint64_t address, uint64_t value,
                      int64_t status) {
    script s = begin();
    fork_one(&s);
    ev(&s, 0, 17, AU_OP_WRITE, X, 1);
    ev(&s, thread, site, AU_OP_WRITE, address, value);
    ev(&s, 0, 20, AU_OP_WRITE, X, 5);
    au_stream_put_end(s.w, AU_END_EXIT, status);
    return s;
}

static void same_and_not(void **state) {
    (void)state;
    static const struct {
        uint32_t thread, site;
        uint64_t address, value;
        int64_t status;
        au_difference what, without;
    } is[] = {{1, 18, X, 2, 0, AU_SAME, AU_SAME},
              {0, 18, X, 2, 0, AU_OTHER_THREAD, AU_OTHER_THREAD},
              {1, 19, X, 2, 0, AU_OTHER_PLACE, AU_OTHER_PLACE},
              {1, 18, X + 4, 2, 0, AU_OTHER_ADDRESS, AU_SAME},
              {1, 18, X, 3, 0, AU_OTHER_VALUE, AU_SAME},
              {1, 18, X, 2, 1, AU_OTHER_END, AU_OTHER_END}};
    for (size_t i = 0; i < sizeof is / sizeof *is; i++)
        for (int addresses = 0; addresses < 2; addresses++) {
            script a = variant(1, 18, X, 2, 0);
            script b = variant(is[i].thread, is[i].site, is[i].address, is[i].value, is[i].status);
            au_comparison c = compared(&a, &b, addresses);
            assert_int_equal(c.what, addresses ? is[i].what : is[i].without);
            if (c.what != AU_SAME && c.what != AU_OTHER_END) {
                assert_int_equal(c.events, 2);
                assert_int_equal(c.was.thread, 1);
                assert_int_equal(c.was.index, 1);
            }
        }
}

static void shorter_and_longer(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        script a = begin(), b = begin();
        fork_one(&a);
        fork_one(&b);
        ev(k ? &a : &b, 0, 17, AU_OP_WRITE, X, 1);
        au_stream_put_end(a.w, AU_END_EXIT, 0);
        au_stream_put_end(b.w, AU_END_EXIT, 0);
        assert_int_equal(compared(&a, &b, true).what, k ? AU_SHORTER : AU_LONGER);
    }
}

/* A hand-over that is told otherwise is the same run. */
static void the_reason_of_a_turn_does_not_count(void **state) {
    (void)state;
    script s[2];
    for (int i = 0; i < 2; i++) {
        s[i] = begin();
        fork_one(&s[i]);
        au_stream_put_turn(s[i].w, 1, i ? AU_TURN_BLOCKED : AU_TURN_BUDGET);
        s[i].turn = 1;
        ev(&s[i], 1, 18, AU_OP_WRITE, X, 1);
    }
    assert_int_equal(compared(&s[0], &s[1], true).what, AU_SAME);
}

/* ---- judging ---- */

static au_judgement judged(const char *finding, script *recorded, script *replayed) {
    au_dossier d;
    au_turns turns;
    au_judgement j;
    au_error err = AU_ERROR_NONE;
    save(recorded, path_a, NULL, 0);
    save(replayed, path_b, NULL, 0);
    au_dossier_init(&d);
    assert_int_equal(au_schedule_parse(&d, finding, strlen(finding), "f", NULL, &err), AU_OK);
    assert_int_equal(au_case_whole_turns(&d.at.at[0], &turns, &err), AU_OK);
    assert_int_equal(au_judge(&d.at.at[0], &turns, path_a, path_b, &j, &err), AU_OK);
    au_vec_release(&turns);
    au_dossier_release(&d);
    return j;
}

/* T0: fork, write X; T1: read X, write X. */
static script recorded(void) {
    script s = begin();
    fork_one(&s);
    ev(&s, 0, 17, AU_OP_WRITE, X, 1);
    ev(&s, 1, 18, AU_OP_READ, X, 1);
    ev(&s, 1, 19, AU_OP_WRITE, X, 2);
    au_stream_put_end(s.w, AU_END_EXIT, 0);
    return s;
}

#define EVENT(t, i) "{\"thread\":\"T" #t "\",\"index\":" #i "}"
static const char race[] = "{\"id\":\"R1\",\"kind\":\"race\",\"events\":[" EVENT(0, 2) "," EVENT(
    1, 2) "],\"schedule\":[[\"T0\",1],[\"T1\",1]]}";

static script race_run(uint64_t address, uint8_t op, uint32_t second_site) {
    script s = begin();
    fork_one(&s);
    ev(&s, 1, 18, AU_OP_READ, X, 0);
    ev(&s, 0, 17, AU_OP_WRITE, X, 1);
    ev(&s, 1, second_site, op, address, 2);
    au_stream_put_end(s.w, AU_END_EXIT, 0);
    return s;
}

static void races(void **state) {
    (void)state;
    script a = recorded(), b = race_run(X, AU_OP_WRITE, 19);
    assert_int_equal(judged(race, &a, &b).judged, AU_JUDGED_CONFIRMED);
    /* overlapping, not the same */
    a = recorded();
    b = race_run(X + 2, AU_OP_WRITE, 19);
    assert_int_equal(judged(race, &a, &b).judged, AU_JUDGED_CONFIRMED);
    /* other memory */
    a = recorded();
    b = race_run(X + 4, AU_OP_WRITE, 19);
    au_judgement j = judged(race, &a, &b);
    assert_int_equal(j.judged, AU_JUDGED_NOT_SHOWN);
    assert_non_null(strstr(j.why, "other memory"));
    /* no access at all, at another place */
    a = recorded();
    b = race_run(X, AU_OP_ACQ, 25);
    j = judged(race, &a, &b);
    assert_int_equal(j.judged, AU_JUDGED_DIVERGED);
    assert_true(j.has_place);
    assert_int_equal(j.is.thread, 1);
    assert_int_equal(j.is.index, 2);
    assert_int_equal(j.was.site, 19);
    /* the recorded order is not the one that was asked for */
    a = recorded();
    b = recorded();
    j = judged(race, &a, &b);
    assert_int_equal(j.judged, AU_JUDGED_DIVERGED);
    assert_non_null(strstr(j.why, "out of turn"));
}

static void a_schedule_alone(void **state) {
    (void)state;
    script a = recorded(), b = race_run(X, AU_OP_WRITE, 19);
    assert_int_equal(judged("T0 1\nT1 1\nT0 2", &a, &b).judged, AU_JUDGED_CONFIRMED);
    a = recorded();
    b = race_run(X, AU_OP_WRITE, 19);
    au_judgement j = judged("T0 1\nT1 1\nT0 9", &a, &b);
    assert_int_equal(j.judged, AU_JUDGED_DIVERGED);
}

static void atomicity(void **state) {
    (void)state;
    static const char finding[] =
        "{\"id\":\"A1\",\"kind\":\"atomicity\",\"events\":[" EVENT(1, 1) "," EVENT(0, 2) "," EVENT(
            1, 2) "],\"schedule\":[[\"T0\",1],[\"T1\",1],[\"T0\",2],[\"T1\",2]]}";
    script a = recorded(), b = race_run(X, AU_OP_WRITE, 19);
    assert_int_equal(judged(finding, &a, &b).judged, AU_JUDGED_CONFIRMED);
}

static void deadlocks(void **state) {
    (void)state;
    static const char finding[] = "{\"id\":\"D1\",\"kind\":\"deadlock\",\"events\":[" EVENT(
        0, 2) "," EVENT(1, 2) "],\"schedule\":[[\"T0\",1],[\"T1\",1]]}";
    for (int k = 0; k < 3; k++) {
        script a = recorded(), b = begin();
        fork_one(&b);
        ev(&b, 1, 18, AU_OP_READ, X, 0);
        if (k == 2)
            ev(&b, 1, 19, AU_OP_WRITE, X, 2);
        au_stream_put_end(b.w, k == 1 ? AU_END_EXIT : AU_END_DEADLOCK, 0);
        assert_int_equal(judged(finding, &a, &b).judged,
                         k ? AU_JUDGED_NOT_SHOWN : AU_JUDGED_CONFIRMED);
    }
}

static void assertions(void **state) {
    (void)state;
    static const char finding[] = "{\"id\":\"F1\",\"kind\":\"assertion\",\"events\":[" EVENT(
        1, 2) "],\"schedule\":[[\"T0\",1],[\"T1\",1]]}";
    for (int k = 0; k < 3; k++) {
        script a = recorded(), b = begin();
        fork_one(&b);
        ev(&b, 1, 18, AU_OP_READ, X, 0);
        if (k < 2)
            ev(&b, k ? 0 : 1, 22, AU_SOP_FAIL, 0, AU_FAIL_ASSERT);
        au_stream_put_end(b.w, k < 2 ? AU_END_ASSERT : AU_END_EXIT, 6);
        assert_int_equal(judged(finding, &a, &b).judged == AU_JUDGED_CONFIRMED, k == 0);
    }
}

static void other_writers(void **state) {
    (void)state;
    static const char finding[] = "{\"id\":\"N1\",\"kind\":\"nondeterminism\",\"events\":[" EVENT(
        0, 2) "," EVENT(1, 1) "],\"schedule\":[[\"T0\",2],[\"T1\",1]]}";
    script a = recorded(), b = recorded();
    assert_int_equal(judged(finding, &a, &b).judged, AU_JUDGED_CONFIRMED);
}

/* A run of millions of events takes seconds to load and to judge: that ends with the command's time. */
static void ends_in_time(void **state) {
    (void)state;
    enum { EVENTS = 4 * AU_DEADLINE_STEPS };
    script s = begin();
    fork_one(&s);
    for (int i = 0; i < EVENTS; i++)
        ev(&s, 0, 17, AU_OP_WRITE, X, 1);
    save(&s, path_a, "", 0);
    au_replay r;
    au_error err = AU_ERROR_NONE;
    au_deadline_end_after(EVENTS / 4);
    assert_int_equal(au_replay_load(&r, path_a, &err), AU_EUNSUPPORTED);
    assert_true(au_deadline_late_steps() <= AU_DEADLINE_STEPS);
    au_case c = {.kind = AU_KIND_ASSERTION};
    au_judgement j;
    au_turns turns = {0};
    au_deadline_end_after(EVENTS / 4);
    assert_int_equal(au_judge(&c, &turns, path_a, path_a, &j, &err), AU_EUNSUPPORTED);
    assert_true(au_deadline_late_steps() <= AU_DEADLINE_STEPS);
    au_deadline_end_after(UINT64_MAX);
    assert_int_equal(au_replay_load(&r, path_a, &err), AU_OK);
    assert_int_equal(r.events, EVENTS + 1);
    au_replay_release(&r);
}

static int in_temporary_files(void **state) {
    (void)state;
    const char *tmp = getenv("TMP");
    snprintf(path_a, sizeof path_a, "%s/replay-a-%ld", tmp ? tmp : "/tmp", (long)getpid());
    snprintf(path_b, sizeof path_b, "%s/replay-b-%ld", tmp ? tmp : "/tmp", (long)getpid());
    return 0;
}
static int removed(void **state) {
    (void)state;
    unlink(path_a);
    unlink(path_b);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_said_of_the_program),
        cmocka_unit_test(no_end),
        cmocka_unit_test(same_and_not),
        cmocka_unit_test(shorter_and_longer),
        cmocka_unit_test(the_reason_of_a_turn_does_not_count),
        cmocka_unit_test(races),
        cmocka_unit_test(a_schedule_alone),
        cmocka_unit_test(atomicity),
        cmocka_unit_test(deadlocks),
        cmocka_unit_test(assertions),
        cmocka_unit_test(other_writers),
        cmocka_unit_test(ends_in_time),
    };
    return cmocka_run_group_tests(tests, in_temporary_files, removed);
}
