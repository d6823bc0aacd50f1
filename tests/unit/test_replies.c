/* Replies of clocks, descriptors and semaphores: which schedules keep their order. */
#include "trace/replies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Two threads: 0 has its replies after 1 and 3 events, 1 after 2. */
static void three(au_replies *r, au_libc_reply kind) {
    *r = (au_replies){0};
    au_replies_note(r, kind, 0, 1, 1);
    au_replies_note(r, kind, 1, 2, 4);
    au_replies_note(r, kind, 0, 3, 6);
}

static bool hold(const au_replies *r, const au_turn *turn, uint32_t n, const au_columns *c) {
    au_schedule s = {.turn = (au_turn *)turn, .n = n};
    au_replies_view *v = au_replies_view_new(r, c, 2);
    bool holds = !au_replies_broken(v, &s, NULL, 0);
    assert_int_equal(
        holds, !au_replies_broken(v, &s, NULL, 0)); /* a view serves any number of schedules */
    au_replies_view_free(v);
    return holds;
}
#define HOLD(r, c, ...)                                                                            \
    hold(r, (au_turn[]){__VA_ARGS__}, sizeof(au_turn[]){__VA_ARGS__} / sizeof(au_turn), c)
#define TURN(t, to)                                                                                \
    { .thread = (t), .upto = (to) }

static void test_time(void **state) {
    (void)state;
    au_replies r;
    three(&r, AU_REPLY_TIME);
    assert_true(HOLD(&r, NULL, TURN(0, 2), TURN(1, 3), TURN(0, 4)));
    assert_true(HOLD(&r, NULL, TURN(1, 2), TURN(0, 2), TURN(1, 3))); /* not asked yet */
    assert_false(HOLD(&r, NULL, TURN(1, 3), TURN(0, 2)));
    assert_false(HOLD(&r, NULL, TURN(0, 4), TURN(1, 3)));
    assert_true(HOLD(&r, NULL, TURN(0, 1), TURN(1, 3))); /* time passes, asked for or not */
    au_replies_release(&r);
}

static void test_number(void **state) {
    (void)state;
    au_replies r;
    three(&r, AU_REPLY_NUMBER);
    assert_true(HOLD(&r, NULL, TURN(0, 2), TURN(1, 3), TURN(0, 4)));
    assert_false(HOLD(&r, NULL, TURN(1, 3), TURN(0, 2)));
    assert_false(HOLD(&r, NULL, TURN(0, 1), TURN(1, 3))); /* the number is still free */
    au_replies_release(&r);
}

/* Replies to one thread in a row are one entry, and a part of it is not the whole. */
static void test_rows(void **state) {
    (void)state;
    au_replies r = {0};
    au_replies_note(&r, AU_REPLY_NUMBER, 0, 1, 1);
    au_replies_note(&r, AU_REPLY_NUMBER, 0, 5, 5);
    au_replies_note(&r, AU_REPLY_NUMBER, 1, 1, 6);
    assert_int_equal(r.at.n, 2);
    assert_false(HOLD(&r, NULL, TURN(0, 3), TURN(1, 2)));
    assert_true(HOLD(&r, NULL, TURN(0, 3), TURN(1, 1), TURN(0, 6), TURN(1, 2)));
    au_replies_release(&r);
}

/* Thread 0: up(s), write; then thread 1 looks and writes; then thread 0: up(s). */
static void test_looks(void **state) {
    (void)state;
    uint16_t thread[] = {0, 0, 1, 0};
    uint8_t op[] = {AU_OP_UP, AU_OP_WRITE, AU_OP_WRITE, AU_OP_UP};
    au_columns c = {.n = 4, .thread = thread, .op = op};
    au_replies r = {0};
    au_replies_note(&r, AU_REPLY_LOOKS, 1, 0, 2);
    assert_true(HOLD(&r, &c, TURN(0, 2), TURN(1, 1)));
    assert_true(HOLD(&r, &c, TURN(0, 1), TURN(1, 1))); /* the write is none of it */
    assert_false(HOLD(&r, &c, TURN(1, 1)));
    assert_false(HOLD(&r, &c, TURN(0, 3), TURN(1, 1)));
    assert_false(HOLD(&r, NULL, TURN(0, 2), TURN(1, 1))); /* nobody knows */
    au_replies_release(&r);
}

/* Thread 0 writes, and asks a library; then thread 1 asks it for what it has, and writes; then thread 0 writes. */
static void test_memory(void **state) {
    (void)state;
    uint16_t thread[] = {0, 0, 1, 0};
    uint8_t op[] = {AU_OP_WRITE, AU_OP_READ, AU_OP_WRITE, AU_OP_WRITE};
    au_columns c = {.n = 4, .thread = thread, .op = op};
    au_replies r = {0};
    au_replies_note(&r, AU_REPLY_MEMORY, 1, 0, 2);
    assert_true(HOLD(&r, &c, TURN(0, 2), TURN(1, 1)));
    assert_true(HOLD(&r, &c, TURN(0, 1), TURN(1, 1))); /* the read is none of it */
    assert_false(HOLD(&r, &c, TURN(1, 1)));
    assert_false(HOLD(&r, &c, TURN(0, 3), TURN(1, 1)));
    assert_false(HOLD(&r, NULL, TURN(0, 2), TURN(1, 1))); /* nobody knows */
    au_replies_release(&r);
}

/* What the kernel keeps and what libraries keep is one line. */
static void test_state(void **state) {
    (void)state;
    uint16_t thread[] = {0, 1, 1, 0};
    uint8_t op[] = {AU_OP_READ, AU_OP_READ, AU_OP_READ, AU_OP_READ};
    au_columns c = {.n = 4, .thread = thread, .op = op};
    au_replies r = {0};
    au_replies_note(&r, AU_REPLY_STATE, 0, 0, 0);
    au_replies_note(&r, AU_REPLY_MEMORY, 1, 1, 2);
    assert_true(HOLD(&r, &c, TURN(0, 1), TURN(1, 2)));
    assert_true(HOLD(&r, &c, TURN(1, 1), TURN(0, 1), TURN(1, 2))); /* not asked yet */
    assert_false(HOLD(&r, &c, TURN(1, 2), TURN(0, 1)));
    assert_false(HOLD(&r, &c, TURN(1, 2)));
    au_replies_release(&r);
}

/* What a schedule leads to rests on the answers before it, too. */
static void test_leads_to(void **state) {
    (void)state;
    au_replies r;
    three(&r, AU_REPLY_STATE);
    au_turn turn = {.thread = 1, .upto = 2};
    au_schedule s = {.turn = &turn, .n = 1};
    au_event_ref ahead = {.thread = 1, .index = 3}, of_both[] = {ahead, {.thread = 0, .index = 2}};
    au_replies_view *v = au_replies_view_new(&r, NULL, 2);
    assert_int_equal(au_replies_broken(v, &s, NULL, 0), AU_REPLY_UNSTATED);
    assert_int_equal(au_replies_broken(v, &s, &ahead, 1), AU_REPLY_STATE);
    assert_int_equal(au_replies_broken(v, &s, of_both, 2),
                     AU_REPLY_UNSTATED); /* 0 is asked first */
    au_replies_view_free(v);
    au_replies_release(&r);
}

/* Looks at memory are one entry only while no other thread does anything. */
static void test_looks_apart(void **state) {
    (void)state;
    au_replies r = {0};
    au_replies_note(&r, AU_REPLY_MEMORY, 0, 1, 1);
    au_replies_note(&r, AU_REPLY_MEMORY, 0, 3, 3);
    assert_int_equal(r.at.n, 1);
    au_replies_note(&r, AU_REPLY_MEMORY, 0, 4, 5);
    assert_int_equal(r.at.n, 2);
    au_replies_release(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),      cmocka_unit_test(test_state),
        cmocka_unit_test(test_looks_apart), cmocka_unit_test(test_leads_to),
        cmocka_unit_test(test_time),        cmocka_unit_test(test_number),
        cmocka_unit_test(test_rows),        cmocka_unit_test(test_looks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
