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
    return au_replies_hold(r, &s, c, 2);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_number),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_looks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
