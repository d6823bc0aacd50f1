/* Rows for the user's own libraries (trace/library.h): what is read, and what is said of a bad row. */
#include "trace/library.h"

#include "wire/libc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static au_status read_rows(const char *text, au_error *err) {
    *err = (au_error)AU_ERROR_NONE;
    return au_library_parse("my.def", text, strlen(text), err);
}

static void rows_are_found(void **state) {
    (void)state;
    au_error err;
    assert_true(au_libc_orders("pool_get", false));
    assert_int_equal(read_rows("/* my\n rows */\n"
                               "F(pool_get, _, PURE, \"\", 'i', _, _, HARMLESS) // a comment\n"
                               "\n"
                               "  F( pool_copy , _,MEMORY,\"wr-\",'0',_,_,PLAIN)\n"
                               "F(pool_put, _, _, 0, 0, _, SENDS, _, .gap = AU_GAP_TIME)\n"
                               "S(pool_lock, _, LOCK, \"l\", _, _, _)\n"
                               "B(\"ring_\", _, _, _, _, PLAIN)\n"
                               "F(ring_take, _, QUIET, 0, 0, _, _, OPAQUE)",
                               &err),
                     AU_OK);
    assert_int_equal(au_libc_find("pool_get")->does, AU_DOES_PURE);
    assert_int_equal(au_libc_find("pool_get")->result, 'i');
    assert_int_equal(au_libc_of("pool_get").class, AU_CLASS_HARMLESS);
    assert_string_equal(au_libc_find("pool_copy")->args, "wr-");
    assert_int_equal(au_libc_find("pool_put")->channel, AU_CHANNEL_SENDS);
    assert_int_equal(au_libc_find("pool_put")->gap, AU_GAP_TIME);
    assert_int_equal(au_libc_find("pool_lock")->sync, AU_SYNC_LOCK);
    assert_false(au_libc_orders("pool_get", false));
    assert_false(au_libc_orders("pool_copy", false));
    assert_true(au_libc_orders("pool_lock", false));
    assert_false(au_libc_orders("ring_size", false));
    assert_true(au_libc_orders("ring_take", false));
    assert_true(au_libc_orders("pool_other", false));
    /* Our own stay. */
    assert_int_equal(au_libc_find("strlen")->runtime, AU_RUNTIME_WRAPS);
    /* Others take their place, and none at all. */
    assert_int_equal(read_rows("F(a, _, _, 0, 0, _, _, PLAIN)", &err), AU_OK);
    assert_null(au_libc_find("pool_get"));
    assert_non_null(au_libc_find("a"));
    assert_int_equal(au_library_read(NULL, 0, &err), AU_OK);
    assert_null(au_libc_find("a"));
}

static void bad_rows_are_told(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"F(a, _, _, 0, 0, _, _)", "my.def:1: F(…) has 7 columns instead of 8"},
        {"\n\nG(a)", "my.def:3: expected a row: F(…), S(…) or B(…)"},
        {"/* a\n*/ hello", "my.def:2: expected a row"},
        {"F(a, WRAPS, _, 0, 0, _, _, _)", "the runtime wraps no library of yours"},
        {"F(a, _, EATS, 0, 0, _, _, _)", "'EATS' is not a word of the column 'does'"},
        {"F(a, _, _, 0, 0, EATS, _, _)", "'EATS' is not a word of the column 'reads'"},
        {"F(a, _, _, 0, 0, _, EATS, _)", "'EATS' is not a word of the column 'channel'"},
        {"F(a, _, _, 0, 0, _, _, EATS)", "'EATS' is not a word of the column 'class'"},
        {"S(a, _, EATS, \"l\", _, _, _)", "'EATS' is not a word of the column 'does'"},
        {"F(a, _, MEMORY, 0, 0, _, _, _)", "args and result are stated, or 0"},
        {"F(a, _, _, \"r\", 'i', _, _, _)", "args and result are stated, or 0"},
        {"F(a, _, MEMORY, \"q\", 'i', _, _, _)", "\"q\" has a letter"},
        {"F(a, _, MEMORY, \"*r\", 'i', _, _, _)", "'*' repeats the last letter"},
        {"F(a, _, MEMORY, \"r\", '3', _, _, _)", "gives an argument that it does not have"},
        {"F(a, _, MEMORY, \"r\", 'q', _, _, _)", "no such result 'q'"},
        {"F(a, _, MEMORY, r, 'i', _, _, _)", "expected \"…\" instead of 'r'"},
        {"F(a, _, MEMORY, \"r\", i, _, _, _)", "expected a letter in '…' instead of 'i'"},
        {"F(strlen, _, _, 0, 0, _, _, _)", "'strlen' is in augur's own table"},
        {"F(a, _, _, 0, 0, _, _, _)\nF(a, _, _, 0, 0, _, _, _)", "my.def:2: 'a' has a row already"},
        {"B(\"\", _, _, _, _, _)", "a family needs the beginning of its names"},
        {"B(a, _, _, _, _, _)", "expected \"…\" instead of 'a'"},
        {"F(a b, _, _, 0, 0, _, _, _)", "'a b' is not a name"},
        {"F(a, _, _, 0, 0, _, _, _", "a row is one line"},
        {"F(a, _, _, 0,, _, _, _)", "column 5 is empty"},
        {"F(a, _, _, 0, 0, _, _, _) x", "something follows the row"},
        {"F(a, _, _, 0, 0, _, _, _, .fails = true)", "there is no field 'fails'"},
        {"F(a, _, _, 0, 0, _, _, _, .gap = 3)", "'3' is not a word of the column '.gap'"},
        {"F(a, _, _, 0, 0, _, _, _, gap)", "expected '.field = value'"},
        {"F(a, _, _, 0, 0, _, SENDS, HARMLESS)", "harmless, and sends"},
        {"F(a,b,c,d,e,f,g,h,i,j,k,l,m,n)", "one too many"},
    };
    au_error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (read_rows(bad[i].text, &err) != AU_EFORMAT || !strstr(err.text, bad[i].says))
            fail_msg("'%s' gives '%s', not '%s'", bad[i].text, err.text, bad[i].says);
        assert_null(au_libc_find("a"));
    }
    const char *none = "/nonexistent/my.def";
    assert_int_equal(au_library_read(&none, 1, &err), AU_EIO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found),
        cmocka_unit_test(bad_rows_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
