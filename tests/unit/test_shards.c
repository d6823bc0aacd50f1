/* Answers that are kept, results that are put together, and the text form of both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "base/rng.h"
#include "funnel/answers.h"
#include "scale/shards.h"
#include "scale/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- base64 ---- */

static char *encoded(const void *p, size_t n) {
    au_out *out = au_out_memory();
    size_t size;
    au_base64_put(out, p, n);
    const char *text = au_out_memory_data(out, &size);
    char *copy = au_strndup(text, size);
    au_out_abandon(out);
    return copy;
}

static void base64_is_that_of_the_rfc(void **state) {
    (void)state;
    static const char *const pair[][2] = {{"", ""},
                                          {"f", "Zg=="},
                                          {"fo", "Zm8="},
                                          {"foo", "Zm9v"},
                                          {"foob", "Zm9vYg=="},
                                          {"fooba", "Zm9vYmE="},
                                          {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        char *text = encoded(pair[i][0], strlen(pair[i][0]));
        assert_string_equal(text, pair[i][1]);
        free(text);
    }
}

static void base64_comes_back(void **state) {
    (void)state;
    au_rng rng;
    au_rng_init(&rng, 5);
    for (size_t n = 0; n < 200; n++) {
        char bytes[200];
        for (size_t i = 0; i < n; i++)
            bytes[i] = (char)au_rng_below(&rng, 256);
        char *text = encoded(bytes, n);
        size_t size;
        char *back = au_base64_get(text, strlen(text), &size);
        assert_non_null(back);
        assert_int_equal(size, n);
        assert_memory_equal(back, bytes, n);
        free(back);
        free(text);
    }
}

static void what_is_no_base64_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "Z",    "Zg",   "Zg=",      "Zg=a",  "Z===", "====",     "Zh==",
        "Zm9=", "Zm 9", "Zg==Zg==", "Zm9\n", "Zm9-", "Zm9vYmF=", "=Zm9"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t n;
        assert_null(au_base64_get(bad[i], strlen(bad[i]), &n));
    }
}

/* ---- answers ---- */

enum { FOUND = 0, REFUTED = 1, OPEN = 2 };

/* As exact.c has them: the end, then whatever. */
static void keep(au_answers *a, uint32_t call, uint32_t question, uint32_t end, char more) {
    char data[5];
    memcpy(data, &end, 4);
    data[4] = more;
    au_answers_keep(a, &(au_answer_kept){call, question, 7, data, sizeof data, end >= OPEN});
}

static char more_of(const au_answers *a, uint32_t call, uint32_t question) {
    const au_answer_kept *k = au_answers_find(a, call, question, 7);
    assert_non_null(k);
    return k->data[4];
}

static void every_batch_is_of_one_shard(void **state) {
    (void)state;
    for (uint32_t shards = 1; shards <= 7; shards++)
        for (uint32_t batch = 0; batch < 50; batch++) {
            unsigned owners = 0;
            for (uint32_t i = 0; i < shards; i++) {
                au_answers a;
                au_answers_init(&a, shards);
                au_answers_cover(&a, i);
                assert_int_equal(au_answers_cover_all(&a), shards == 1);
                owners += au_answers_mine(&a, batch);
                au_answers_release(&a);
            }
            assert_int_equal(owners, 1);
        }
}

static void batches_are_counted_over_calls(void **state) {
    (void)state;
    au_answers a;
    uint32_t first;
    au_answers_init(&a, 3);
    assert_int_equal(au_answers_call(&a, 4, &first), 0);
    assert_int_equal(first, 0);
    assert_int_equal(au_answers_call(&a, 1, &first), 1);
    assert_int_equal(first, 4);
    assert_int_equal(au_answers_call(&a, 2, &first), 2);
    assert_int_equal(first, 5);
    au_answers_release(&a);
}

static void an_answer_to_something_else_is_none(void **state) {
    (void)state;
    au_answers a;
    au_answers_init(&a, 1);
    keep(&a, 0, 3, FOUND, 'x');
    assert_int_equal(more_of(&a, 0, 3), 'x');
    assert_null(au_answers_find(&a, 0, 3, 8));
    assert_null(au_answers_find(&a, 0, 2, 7));
    assert_null(au_answers_find(&a, 1, 3, 7));
    au_answers_release(&a);
}

static void who_knows_is_believed_in_any_order(void **state) {
    (void)state;
    for (int order = 0; order < 2; order++) {
        au_answers a;
        au_answers_init(&a, 1);
        keep(&a, 0, 0, order ? OPEN : REFUTED, order ? 'a' : 'z');
        keep(&a, 0, 0, order ? REFUTED : OPEN, order ? 'z' : 'a');
        assert_int_equal(more_of(&a, 0, 0), 'z');
        keep(&a, 0, 1, FOUND, order ? 'p' : 'q');
        keep(&a, 0, 1, FOUND, order ? 'q' : 'p');
        assert_int_equal(more_of(&a, 0, 1), 'p');
        assert_int_equal(a.kept.n, 2);
        au_answers_release(&a);
    }
}

static void answers_go_through_their_text(void **state) {
    (void)state;
    au_answers a, b;
    au_dossier d;
    au_error err = AU_ERROR_NONE;
    au_answers_init(&a, 2);
    au_answers_init(&b, 2);
    au_dossier_init(&d);
    keep(&a, 1, 0, REFUTED, 'c');
    keep(&a, 0, 9, OPEN, 'b');
    keep(&a, 0, 2, FOUND, 0);
    /* A long one: more than is looked at in one piece. */
    size_t n = 300000;
    char *data = au_alloc_array(n, 1);
    for (size_t i = 4; i < n; i++)
        data[i] = (char)(i * i >> 3);
    au_answers_keep(&a, &(au_answer_kept){2, 0, 7, data, n, false});
    au_answers_write(&a, &d);
    assert_int_equal(d.shard.answer.n, 4);
    assert_int_equal(d.shard.answer.at[0].question, 2); /* in order */
    assert_int_equal(d.shard.answer.at[1].question, 9);
    assert_int_equal(d.shard.answer.at[2].call, 1);
    assert_int_equal(au_answers_read(&b, &d, "d", &err), AU_OK);
    assert_int_equal(au_answers_read(&b, &d, "d", &err), AU_OK); /* twice is once */
    assert_int_equal(b.kept.n, 4);
    assert_int_equal(more_of(&b, 0, 2), 0);
    assert_int_equal(more_of(&b, 1, 0), 'c');
    assert_true(au_answers_find(&b, 0, 9, 7)->open);
    const au_answer_kept *k = au_answers_find(&b, 2, 0, 7);
    assert_int_equal(k->size, n);
    assert_memory_equal(k->data, data, n);
    d.shard.answer.at[1].answer = "bm90aGluZw=="; /* not packed */
    assert_int_equal(au_answers_read(&b, &d, "d", &err), AU_EFORMAT);
    d.shard.answer.at[1] = d.shard.answer.at[0];
    d.shard.answer.at[1].digest = "none";
    assert_int_equal(au_answers_read(&b, &d, "d", &err), AU_EFORMAT);
    free(data);
    au_dossier_release(&d);
    au_answers_release(&a);
    au_answers_release(&b);
}

/* ---- results ---- */

static void make(au_dossier *d, const char *check, uint32_t of, uint32_t number, double seconds) {
    au_dossier_init(d);
    d->shard.check = check;
    d->shard.of = of;
    au_case_part p = {number, "/here", seconds, 0};
    au_case_input in = {"run.std", "ab", 12};
    au_vec_push(&d->shard.part, p);
    au_vec_push(&d->shard.input, in);
    au_vec_push(&d->shard.option, "--prop=race");
}

static void missing_shards_are_told_in_ranges(void **state) {
    (void)state;
    static const struct {
        uint32_t of, there[5];
        const char *missing;
    } row[] = {
        {1, {1}, NULL},     {3, {0}, "1-3"},      {3, {2}, "1, 3"},      {7, {2, 5}, "1, 3-4, 6-7"},
        {4, {4, 1}, "2-3"}, {3, {3, 1, 2}, NULL}, {5, {1, 2, 3, 4}, "5"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        au_dossier all;
        au_error err = AU_ERROR_NONE;
        au_dossier_init(&all);
        all.shard.of = row[i].of;
        for (size_t k = 0; k < 5 && row[i].there[k]; k++) {
            au_dossier d;
            make(&d, "c", row[i].of, row[i].there[k], 1);
            assert_int_equal(au_shards_join(&all, "a", &d, "b", &err), AU_OK);
            au_dossier_release(&d);
        }
        char *missing = au_shards_missing(&all.shard);
        if (row[i].missing)
            assert_string_equal(missing, row[i].missing);
        else
            assert_null(missing);
        free(missing);
        au_dossier_release(&all);
    }
}

static void joining_keeps_each_part_once_in_any_order(void **state) {
    (void)state;
    static const double seconds[] = {3, 1, 2}; /* shard 1 was run twice */
    static const uint32_t number[] = {1, 1, 2};
    static const int order[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {2, 0, 1}};
    for (size_t i = 0; i < 4; i++) {
        au_dossier all;
        au_error err = AU_ERROR_NONE;
        au_dossier_init(&all);
        for (int k = 0; k < 3; k++) {
            au_dossier d;
            make(&d, "c", 2, number[order[i][k]], seconds[order[i][k]]);
            assert_int_equal(au_shards_join(&all, "a", &d, "b", &err), AU_OK);
            au_dossier_release(&d);
        }
        assert_int_equal(all.shard.part.n, 2);
        assert_true(all.shard.part.at[0].seconds < 1.5); /* always the same one of the two */
        assert_int_equal(all.shard.part.at[1].number, 2);
        assert_string_equal(all.shard.check, "c");
        assert_string_equal(all.shard.option.at[0], "--prop=race");
        assert_string_equal(all.shard.input.at[0].path, "run.std");
        au_dossier_release(&all);
    }
}

static void what_is_of_another_check_is_refused(void **state) {
    (void)state;
    for (int what = 0; what < 4; what++) {
        static const char *const why[] = {"another input", "other options", "version",
                                          "of 3 shards"};
        au_dossier all, d;
        au_error err = AU_ERROR_NONE;
        make(&all, "c", 2, 1, 1);
        make(&d, what == 3 ? "c" : "d", what == 3 ? 3 : 2, 2, 1);
        if (what == 0)
            d.shard.input.at[0].hash = "cd";
        if (what == 1)
            d.shard.option.at[0] = "--prop=deadlock";
        assert_int_equal(au_shards_join(&all, "a", &d, "b", &err), AU_EUSAGE);
        assert_non_null(strstr(err.text, why[what]));
        au_dossier_release(&all);
        au_dossier_release(&d);
    }
}

static void a_check_is_known_by_inputs_and_options(void **state) {
    (void)state;
    char path[] = "/tmp/augur-shards-XXXXXX";
    char *option[] = {"--prop=race", "--all"};
    const char *input[] = {path, path};
    char *seen[5];
    int fd = mkstemp(path);
    for (int i = 0; i < 5; i++) {
        au_dossier d;
        au_error err = AU_ERROR_NONE;
        au_dossier_init(&d);
        if (i == 4)
            assert_int_equal(write(fd, "x", 1), 1);
        /* as it was; one option less; two inputs; the options in another order; more in it */
        char *other[] = {option[1], option[0]};
        assert_int_equal(au_shards_identify(&d, i == 3 ? other : option, i == 1 ? 1 : 2, input,
                                            i == 2 ? 2 : 1, &err),
                         AU_OK);
        assert_int_equal(d.shard.input.at[0].bytes, i == 4);
        seen[i] = au_strdup(d.shard.check);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(seen[k], seen[i]);
        au_dossier_release(&d);
    }
    for (int i = 0; i < 5; i++)
        free(seen[i]);
    close(fd);
    unlink(path);
    au_dossier d;
    au_error err = AU_ERROR_NONE;
    au_dossier_init(&d);
    assert_int_not_equal(au_shards_identify(&d, option, 1, input, 1, &err), AU_OK);
    assert_string_equal(d.shard.check, "");
    au_dossier_release(&d);
}

/* ---- other programs ---- */

static void a_tool_is_heard(void **state) {
    (void)state;
    char *argv[] = {"sh", "-c", "echo one; echo two; echo trouble >&2; exit 3", NULL};
    au_tool_said said;
    au_error err = AU_ERROR_NONE;
    assert_true(au_tool_exists("sh"));
    assert_false(au_tool_exists("no-such-tool-of-ours"));
    assert_int_equal(au_tool_run(argv, &said, &err), AU_OK);
    assert_int_equal(said.status, 3);
    assert_string_equal(said.out, "one\ntwo");
    assert_string_equal(said.err, "trouble");
    au_tool_said_release(&said);
    argv[2] = "kill -9 $$";
    assert_int_equal(au_tool_run(argv, &said, &err), AU_OK);
    assert_int_equal(said.status, 137);
    au_tool_said_release(&said);
    char *none[] = {"no-such-tool-of-ours", NULL};
    assert_int_not_equal(au_tool_run(none, &said, &err), AU_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_is_that_of_the_rfc),
        cmocka_unit_test(base64_comes_back),
        cmocka_unit_test(what_is_no_base64_is_refused),
        cmocka_unit_test(every_batch_is_of_one_shard),
        cmocka_unit_test(batches_are_counted_over_calls),
        cmocka_unit_test(an_answer_to_something_else_is_none),
        cmocka_unit_test(who_knows_is_believed_in_any_order),
        cmocka_unit_test(answers_go_through_their_text),
        cmocka_unit_test(missing_shards_are_told_in_ranges),
        cmocka_unit_test(joining_keeps_each_part_once_in_any_order),
        cmocka_unit_test(what_is_of_another_check_is_refused),
        cmocka_unit_test(a_check_is_known_by_inputs_and_options),
        cmocka_unit_test(a_tool_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
