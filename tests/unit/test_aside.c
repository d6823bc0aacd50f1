/* base/aside.h: what a child writes is there, whole or up to where it came; children that fail, and none in a worker. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/aside.h"
#include "base/deadline.h"
#include "base/worker.h"

/* More than any pipe holds: the parent reads only after its own work. */
enum { MUCH = 1 << 22 };

static void write_much(void *ctx, au_out *out) {
    for (int i = 0; i < MUCH; i++)
        au_out_char(out, (char)('a' + (i + *(int *)ctx) % 26));
}

static void whole(void **state) {
    (void)state;
    int first = 3, second = 5;
    const char *data;
    size_t size;
    au_aside *a = au_aside_start(write_much, &first), *b = au_aside_start(write_much, &second);
    assert_non_null(a);
    assert_non_null(b);
    assert_true(au_aside_wait(b, &data, &size));
    assert_int_equal(size, MUCH);
    assert_int_equal(data[0], 'f');
    assert_true(au_aside_wait(a, &data, &size));
    assert_int_equal(size, MUCH);
    assert_int_equal(data[0], 'd');
    assert_int_equal(data[MUCH - 1], 'a' + (MUCH - 1 + 3) % 26);
    au_aside_free(a);
    au_aside_free(b);
}

static void write_and_die(void *ctx, au_out *out) {
    (void)ctx;
    au_out_str(out, "flushed");
    au_out_flush(out, NULL);
    au_out_str(out, "lost");
    kill(getpid(), SIGKILL);
}

static void nothing(void *ctx, au_out *out) {
    (void)ctx;
    (void)out;
}

static void incomplete(void **state) {
    (void)state;
    const char *data;
    size_t size;
    au_aside *a = au_aside_start(write_and_die, NULL);
    assert_false(au_aside_wait(a, &data, &size));
    assert_int_equal(size, strlen("flushed"));
    assert_memory_equal(data, "flushed", size);
    au_aside_free(a);
    a = au_aside_start(nothing, NULL);
    assert_true(au_aside_wait(a, &data, &size));
    assert_int_equal(size, 0);
    au_aside_free(a);
}

static void for_ever(void *ctx, au_out *out) {
    (void)ctx;
    au_out_str(out, "so far");
    au_out_flush(out, NULL);
    for (;;)
        pause();
}

/* It is ended with its owner's interest in it, or with the command's time. */
static void ended(void **state) {
    (void)state;
    const char *data;
    size_t size;
    au_aside_free(au_aside_start(for_ever, NULL));
    au_deadline_set(0.2);
    au_aside *a = au_aside_start(for_ever, NULL);
    char some[8] = "";
    assert_true(au_aside_read(a, 3, some, 3));
    assert_string_equal(some, "far");
    assert_false(au_aside_read(a, 3, some, 4)); /* never comes */
    assert_false(au_aside_wait(a, &data, &size));
    assert_int_equal(size, strlen("so far"));
    au_aside_free(a);
    au_deadline_set(0);
}

static void ask_jobs(void *ctx, uint32_t index, au_out *out) {
    (void)ctx;
    (void)index;
    au_out_u64(out, au_aside_jobs(7));
}

static bool hear_jobs(void *ctx, const au_job_result *r) {
    *(char *)ctx = r->size == 1 ? *r->data : '?';
    return true;
}

static void one_in_a_worker(void **state) {
    (void)state;
    char answer = 0;
    assert_int_equal(au_aside_jobs(7), 7);
    assert_int_equal(au_aside_jobs(0), au_cores());
    au_pool_limits limits = {.jobs = 1};
    assert_int_equal(au_pool_run(1, &limits, ask_jobs, hear_jobs, &answer, NULL), AU_OK);
    assert_int_equal(answer, '1');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole),
        cmocka_unit_test(incomplete),
        cmocka_unit_test(ended),
        cmocka_unit_test(one_in_a_worker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
