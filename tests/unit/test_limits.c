/* The table of limits: rows are whole, names unique, words get their numbers, what bites is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <string.h>

#include "base/limits.h"
#include "report/outcome.h"
#include "trace/event.h"

static void rows_are_whole(void **state) {
    (void)state;
    for (au_limit l = 0; l < AU_LIMITS; l++) {
        const au_limit_row *r = au_limit_of(l);
        assert_true(r->value > 0);
        assert_true(strlen(r->unit) > 0);
        assert_true(strlen(r->lost) > 5);
        assert_true(strlen(r->words) > 0);
        assert_true(strlen(r->words) + 100 < AU_LIMIT_TEXT);
        for (const char *p = r->name; *p; p++)
            assert_true(isupper((unsigned char)*p) || isdigit((unsigned char)*p) || *p == '_');
        for (au_limit k = 0; k < l; k++)
            assert_string_not_equal(au_limit_of(k)->name, r->name);
    }
}

static void values_are_constants(void **state) {
    (void)state;
    assert_int_equal(au_limit_value(AU_AT_OPEN_QUESTIONS), AU_LIMIT_OPEN_QUESTIONS);
    assert_int_equal(au_limit_value(AU_AT_THREADS), AU_MAX_THREADS);
    assert_int_equal(AU_WIRE_MAX_THREADS, AU_LIMIT_THREADS);
    au_limit_set_for_test(AU_AT_OPEN_QUESTIONS, 3);
    assert_int_equal(au_limit_value(AU_AT_OPEN_QUESTIONS), 3);
    au_limit_set_for_test(AU_AT_OPEN_QUESTIONS, 0);
    assert_int_equal(au_limit_value(AU_AT_OPEN_QUESTIONS), AU_LIMIT_OPEN_QUESTIONS);
}

/* Braces are only around what is filled in. */
static void words_get_their_numbers(void **state) {
    (void)state;
    char text[AU_LIMIT_TEXT];
    for (au_limit l = 0; l < AU_LIMITS; l++)
        assert_null(strpbrk(au_limit_say_at(l, "file", 7, 11, text), "{}"));
    assert_string_equal(au_limit_say(AU_AT_OPEN_QUESTIONS, 1000, 0, text),
                        "the exact stage was asked 1000 questions only");
    assert_string_equal(au_limit_say(AU_AT_LONG_ASSERTED, 40, 90, text),
                        "assertions in loops were asked about 40 of 90 times that they were "
                        "executed");
    assert_string_equal(au_limit_say_at(AU_AT_EXPLORE_EVENTS, "a.trace", 60000, 0, text),
                        "'a.trace' has 60000 events, more than 50000");
    char longer[2 * AU_LIMIT_TEXT];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_int_equal(strlen(au_limit_say_at(AU_AT_EXPLORE_EVENTS, longer, 1, 1, text)),
                     AU_LIMIT_TEXT - 1);
}

/* What was counted is told once, where its row says. */
static void what_bites_is_told(void **state) {
    (void)state;
    au_check_outcome c;
    au_check_outcome_init(&c);
    au_limits_forget();
    au_limit_reached(AU_AT_RACE_GROUPS, 2);
    au_limit_reached(AU_AT_RACE_GROUPS, 1);
    au_limit_reached(AU_AT_BLOCK_LOCATIONS, 5);
    au_check_limits(&c);
    assert_int_equal(c.note.n, 1);
    assert_non_null(strstr(c.note.at[0], "3 variables are accessed at too many locations"));
    assert_int_equal(c.inconclusive.n, 1);
    assert_non_null(strstr(c.inconclusive.at[0], "5 accesses were not tried"));
    au_check_limits(&c);
    assert_int_equal(c.note.n + c.inconclusive.n, 2);
    au_limit_reached(AU_AT_RACE_GROUPS, 1);
    au_limits_forget();
    assert_int_equal(au_limit_taken(AU_AT_RACE_GROUPS), 0);
    au_check_outcome_release(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(values_are_constants),
        cmocka_unit_test(words_get_their_numbers),
        cmocka_unit_test(what_bites_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
