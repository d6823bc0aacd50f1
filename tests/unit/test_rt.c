/* The runtime alone: recorded, decoded by tests/rt/run.c, replayed and compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rt/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static void run(struct rt_run *r, const char *name, const char *a, const char *b) {
    char path[4096];
    snprintf(path, sizeof path, AU_RT_PROGRAMS "/rtp_%s", name);
    char *argv[] = {path, (char *)(uintptr_t)a, (char *)(uintptr_t)b, NULL};
    int e = rt_run(r, argv);
    if (e != 0)
        print_error("%s %s: %s\n", name, a ? a : "", r->error);
    assert_int_equal(e, 0);
}

/* Runs it again on the turns and inputs of r: everything must be the same. */
static void replay_as(const struct rt_run *r, uint32_t other, const char *name, const char *a,
                      const char *b) {
    struct rt_run again = {.options = {.mode = AU_MODE_REPLAY,
                                       .n_turns = r->n_made,
                                       .inputs_size = r->n_fed,
                                       .other = other},
                           .turns = r->made,
                           .inputs = r->fed};
    run(&again, name, a, b);
    assert_string_equal(again.message, r->message);
    assert_int_equal(again.n_ev, r->n_ev);
    for (size_t i = 0; i < r->n_ev; i++)
        assert_true(rt_ev_equal(&r->ev[i], &again.ev[i]));
    assert_string_equal(again.out, r->out);
    assert_int_equal(again.end_why, r->end_why);
    assert_int_equal(again.end_status, r->end_status);
    rt_run_release(&again);
}

static void replay(const struct rt_run *r, const char *name, const char *a, const char *b) {
    replay_as(r, 0, name, a, b);
}

static uint64_t last_read(const struct rt_run *r) {
    for (size_t i = r->n_ev; i--;)
        if (r->ev[i].op == AU_OP_READ)
            return r->ev[i].value;
    return 0;
}

static void policies(void **state) {
    (void)state;
    unsigned lost = 0, differ = 0;
    size_t turns = 0;
    for (unsigned policy = AU_POLICY_OS; policy <= AU_POLICY_PCT; policy++)
        for (unsigned seed = 0; seed < 20; seed++) {
            struct rt_run r = {.options = {.policy = policy, .seed = seed, .pct_depth = 3}};
            run(&r, "counter", "60", "3");
            assert_true(r.has_end);
            assert_int_equal(r.end_why, AU_END_EXIT);
            assert_int_equal(r.control.events, r.n_ev);
            assert_int_equal(r.control.threads, 4);
            assert_int_equal(atoi(r.out), last_read(&r));
            lost += atoi(r.out) < 180;
            differ += turns && turns != r.n_made;
            turns = r.n_made;
            replay(&r, "counter", "60", "3");
            rt_run_release(&r);
        }
    assert_true(lost > 10);
    assert_true(differ > 10);
}

static void every_hook(void **state) {
    (void)state;
    static const struct {
        uint8_t op, size;
        uint64_t value, len;
    } want[] = {
        {AU_OP_CALL, 0, 0, 0},
        {AU_OP_WRITE, 1, 0x12, 0},
        {AU_OP_WRITE, 2, 0x3456, 0},
        {AU_OP_WRITE, 4, 0xfffffffe, 0},
        {AU_OP_WRITE, 8, 0x1122334455667788, 0},
        {AU_OP_READ, 1, 0x12, 0},
        {AU_OP_READ, 2, 0x3456, 0},
        {AU_OP_READ, 4, 0xfffffffe, 0},
        {AU_OP_READ, 8, 0x1122334455667788, 0},
        {AU_OP_READ, 8, 77, 0},
        {AU_SOP_RSET, 0, 0xab, 64},
        {AU_SOP_RREAD, 0, 0, 10},
        {AU_SOP_RCOPY, 0, 1 /* an address */, 10},
        {AU_SOP_RREAD, 0, 0, 24},
        {AU_SOP_RWRITE, 0, 0, 24},
        {AU_OP_READ, 8, 0x0707070707070707, 0},
        {AU_OP_AWRITE, 4, 5, 0},
        {AU_OP_AREAD, 4, 5, 0},
        {AU_OP_RMW, 4, 8, 0},
        {AU_OP_AREAD, 4, 8, 0},
        {AU_OP_FENCE, 0, 0, 0},
        {AU_SOP_FRAME, 0, 0, 24},
        {AU_OP_BEGIN, 0, 0, 0},
        {AU_OP_READ, 4, 8, 0},
        {AU_OP_END, 0, 0, 0},
        {AU_OP_READ, 4, 9, 0},
        {AU_SOP_LAND, 0, 1, 0},
        {AU_OP_XCALL, 0, 0, 0},
        {AU_OP_ALLOC, 0, 0, 100},
        {AU_OP_XRET, 0, 1, 0},
        {AU_OP_XCALL, 0, 0, 0},
        {AU_OP_ALLOC, 0, 0, 100000},
        {AU_SOP_RCOPY, 0, 1, 100},
        {AU_OP_FREE, 0, 0, 100},
        {AU_OP_XRET, 0, 1, 0},
        {AU_OP_XCALL, 0, 0, 0},
        {AU_OP_FREE, 0, 0, 100000},
        {AU_OP_XRET, 0, 0, 0},
        {AU_OP_XCALL, 0, 0, 0},
        {AU_OP_ALLOC, 0, 0, 100},
        {AU_SOP_RSET, 0, 0, 100},
        {AU_OP_XRET, 0, 1, 0},
        {AU_OP_READ, 1, 0, 0},
        {AU_OP_RET, 0, 0, 0},
    };
    struct rt_run r = {.n_ev = 0};
    run(&r, "every", NULL, NULL);
    assert_int_equal(r.n_ev, sizeof want / sizeof *want);
    for (size_t i = 0; i < r.n_ev; i++) {
        const struct rt_ev *e = &r.ev[i];
        assert_int_equal(e->n, i + 1);
        assert_int_equal(e->op, want[i].op);
        assert_int_equal(e->size, want[i].size);
        assert_int_equal(e->len, want[i].len);
        int address = want[i].value == 1 && (e->op == AU_SOP_RCOPY || e->op == AU_OP_XRET);
        if (address)
            assert_true(e->value > 4096);
        else if (e->op != AU_SOP_RREAD)
            assert_int_equal(e->value, want[i].value);
    }
    assert_int_equal(r.bits, 203);
    for (int i = 0; i < 200; i++)
        assert_int_equal(r.bit[i], i % 3 == 0);
    assert_int_equal(r.bit[200], 1);
    assert_int_equal(r.bit[201], 0);
    assert_int_equal(r.bit[202], 1);
    replay(&r, "every", NULL, NULL);
    rt_run_release(&r);
}

static void regular_loops_cost_nothing(void **state) {
    (void)state;
    struct rt_run r = {.n_ev = 0};
    run(&r, "counter", "100000", "2");
    assert_true(r.n_ev > 400000);
    assert_true(r.bytes < 1000);
    rt_run_release(&r);
}

static void ring_goes_round(void **state) {
    (void)state;
    struct rt_run r = {.n_ev = 0};
    run(&r, "noise", "4000000", NULL);
    assert_true(r.bytes > (size_t)AU_CHUNKS * AU_CHUNK_BYTES);
    uint64_t sum = 0;
    for (size_t i = 0; i < r.n_ev; i++)
        if (r.ev[i].op == AU_OP_READ)
            sum += r.ev[i].value;
    assert_int_equal(sum, strtoull(r.out, NULL, 10));
    assert_int_equal(r.n_ev, 8000003); /* and the buffer of standard output */
    rt_run_release(&r);
}

static void lives_of_threads(void **state) {
    (void)state;
    for (unsigned seed = 0; seed < 6; seed++) {
        struct rt_run r = {.options = {.policy = seed % 3, .seed = seed}};
        run(&r, "life", NULL, NULL);
        assert_string_equal(r.out, "main joined: 0, 1\n");
        assert_int_equal(r.end_why, AU_END_EXIT);
        assert_int_equal(r.wait_status, 0);
        replay(&r, "life", NULL, NULL);
        rt_run_release(&r);
    }
}

static void ends(void **state) {
    (void)state;
    static const struct {
        const char *how;
        int end; /* -1: no end record */
        int64_t status;
        int exit, signal;
    } want[] = {
        {"return", AU_END_EXIT, 7, 7, 0},         {"atexit", AU_END_EXIT, 8, 8, 0},
        {"_exit", AU_END_EXIT, 9, 9, 0},          {"abort", AU_END_SIGNAL, 6, 0, 6},
        {"assert", AU_END_ASSERT, 6, 0, 6},       {"augur", AU_END_ASSERT, 6, 0, 6},
        {"segv", AU_END_SIGNAL, 11, 0, 11},       {"thread-segv", AU_END_SIGNAL, 11, 0, 11},
        {"overflow", AU_END_SIGNAL, 11, 0, 11},   {"kill", -1, 0, 0, 9},
        {"deadlock", AU_END_DEADLOCK, 0, 125, 0}, {"fork", AU_END_EXIT, 5, 5, 0},
        {"exec", AU_END_EXEC, 0, 0, 0},           {"free", AU_END_SIGNAL, 6, 0, 6},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct rt_run r = {.n_ev = 0};
        run(&r, "end", want[i].how, NULL);
        print_message("end: %s\n", want[i].how);
        assert_int_equal(r.has_end, want[i].end >= 0);
        if (want[i].end >= 0) {
            assert_int_equal(r.end_why, want[i].end);
            assert_int_equal(r.end_status, want[i].status);
            assert_int_equal(r.control.ended, 1 + want[i].end);
            assert_int_equal(r.control.events, r.n_ev);
        }
        if (want[i].signal)
            assert_int_equal(WTERMSIG(r.wait_status), want[i].signal);
        else
            assert_int_equal(WEXITSTATUS(r.wait_status), want[i].exit);
        unsigned stores = 0;
        for (size_t k = 0; k < r.n_ev; k++)
            stores += r.ev[k].op == AU_OP_WRITE && r.ev[k].thread == 0;
        assert_true(stores >= 10); /* nothing of the loop is lost, not even by kill -9 */
        if (!strcmp(want[i].how, "deadlock"))
            assert_string_equal(r.message, "deadlock\nT0 waits for the end of T1\n"
                                           "T1 waits for the end of T2\n"
                                           "T2 waits for the end of T0");
        if (want[i].end >= 0)
            replay(&r, "end", want[i].how, NULL);
        rt_run_release(&r);
    }
}

static void watchdog(void **state) {
    (void)state;
    struct rt_run r = {.n_ev = 0};
    run(&r, "asleep", NULL, NULL);
    assert_string_equal(r.out, "109\n");
    assert_true(r.stolen >= 1);
    replay(&r, "asleep", NULL, NULL);
    rt_run_release(&r);
}

/* The recorded order with answers that are fed, and with a living kernel: it answers the same. */
static void living_kernel(void **state) {
    (void)state;
    for (unsigned seed = 0; seed < 8; seed++) {
        struct rt_run r = {.options = {.policy = seed % 3, .seed = seed, .pct_depth = 3}};
        run(&r, "kernel", NULL, NULL);
        assert_string_equal(r.out, "112\n");
        replay_as(&r, 0, "kernel", NULL, NULL);
        replay_as(&r, 1, "kernel", NULL, NULL);
        rt_run_release(&r);
    }
}

static void handlers(void **state) {
    (void)state;
    for (unsigned seed = 0; seed < 3; seed++) {
        struct rt_run r = {.options = {.policy = seed, .seed = seed}};
        run(&r, "signals", NULL, NULL);
        assert_string_equal(r.out, "done\n");
        replay(&r, "signals", NULL, NULL);
        rt_run_release(&r);
    }
}

/* What the threads of "counter 1 2" do: T0 creates both (8 events, then waits), T1 and T2 each
 * call, read, write, return, exit. */
static void schedules(void **state) {
    (void)state;
    static const struct {
        unsigned n;
        struct au_wire_turn turn[8];
        uint32_t after;
        int end;
        const char *out, *message;
    } want[] = {
        /* T2 reads before T1 writes: one update is lost */
        {4, {{0, 0, 8}, {1, 0, 2}, {2, 0, 3}, {1, 0, 5}}, AU_AFTER_GO_ON, AU_END_EXIT, "1\n", ""},
        {4, {{0, 0, 8}, {1, 0, 3}, {2, 0, 3}, {1, 0, 5}}, AU_AFTER_GO_ON, AU_END_EXIT, "2\n", ""},
        {4, {{0, 0, 8}, {1, 0, 2}, {2, 0, 3}, {1, 0, 5}}, AU_AFTER_RANDOM, AU_END_EXIT, "1\n", ""},
        {3, {{0, 0, 8}, {1, 0, 2}, {2, 0, 2}}, AU_AFTER_STOP, AU_END_EXIT, "1\n", ""},
        {3, {{0, 0, 8}, {1, 0, 2}, {2, 0, 2}}, AU_AFTER_END, AU_END_LIMIT, "", ""},
        {2,
         {{0, 0, 4}, {2, 0, 2}},
         AU_AFTER_GO_ON,
         AU_END_DIVERGED,
         "",
         "turn 2: T2 is not started yet"},
        {2,
         {{0, 0, 8}, {0, 0, 9}},
         AU_AFTER_GO_ON,
         AU_END_DIVERGED,
         "",
         "turn 2: T0 cannot reach event 9: waits for the end of T1"},
        {3,
         {{0, 0, 8}, {1, 0, 5}, {1, 0, 9}},
         AU_AFTER_GO_ON,
         AU_END_DIVERGED,
         "",
         "turn 3: T1 cannot reach event 9: it ended after event 5"},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct au_wire_turn turn[8];
        memcpy(turn, want[i].turn, sizeof turn);
        struct rt_run r = {.options = {.mode = AU_MODE_REPLAY,
                                       .n_turns = want[i].n,
                                       .after = want[i].after,
                                       .seed = 3},
                           .turns = turn};
        run(&r, "counter", "1", "2");
        assert_string_equal(r.message, want[i].message);
        assert_string_equal(r.out, want[i].out);
        assert_int_equal(r.end_why, want[i].end);
        assert_int_equal(r.stops, want[i].after == AU_AFTER_STOP);
        rt_run_release(&r);
    }
}

static void limit(void **state) {
    (void)state;
    struct rt_run r = {.options = {.max_events = 1000}};
    run(&r, "counter", "100000", "2");
    assert_int_equal(r.end_why, AU_END_LIMIT);
    assert_int_equal(r.n_ev, 1000);
    rt_run_release(&r);
}

static void without_a_recorder(void **state) {
    (void)state;
    FILE *f = popen(AU_RT_PROGRAMS "/rtp_counter 1000 1 && " AU_RT_PROGRAMS "/rtp_life", "r");
    char text[100] = "";
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = 0;
    assert_int_equal(pclose(f), 0);
    assert_string_equal(text, "1000\nmain joined: 0, 1\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies),
        cmocka_unit_test(every_hook),
        cmocka_unit_test(ring_goes_round),
        cmocka_unit_test(regular_loops_cost_nothing),
        cmocka_unit_test(ends),
        cmocka_unit_test(lives_of_threads),
        cmocka_unit_test(watchdog),
        cmocka_unit_test(living_kernel),
        cmocka_unit_test(handlers),
        cmocka_unit_test(schedules),
        cmocka_unit_test(limit),
        cmocka_unit_test(without_a_recorder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
