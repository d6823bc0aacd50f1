/* Suppressions and baselines. */
#include "store/suppress.h"

#include "base/temporary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void patterns(void **state) {
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool yes;
    } c[] = {
        {"foo", "foo", true},
        {"foo", "a foo b", true},
        {"foo", "fo", false},
        {"^foo", "foobar", true},
        {"^foo", "a foo", false},
        {"foo$", "a foo", true},
        {"foo$", "foobar", false},
        {"^foo$", "foo", true},
        {"^foo$", "foofoo", false},
        {"foo$", "foofoo", true},
        {"a*b", "xaxxbx", true},
        {"a*b", "b a", false},
        {"^a*b$", "ab", true},
        {"^a*b$", "aab c b", true},
        {"^a*b$", "aabc", false},
        {"*", "anything", true},
        {"*", "", true},
        {"a**b", "acb", true},
        {"std::vector<*>::push_back", "std::vector<int>::push_back(int)", true},
        {"^ab*ba$", "aba", false},
        {"^ab*ba$", "abba", true},
        {"foo$bar", "foo$bar", false},
        {"lib/*.c", "src/lib/a.c", true},
        {"foo*", "a foo", true},
        {"x", "", false},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        if (au_suppression_matches(c[i].pattern, c[i].text) != c[i].yes)
            fail_msg("'%s' and '%s'", c[i].pattern, c[i].text);
}

static au_status parse(au_suppressions *s, const char *text, au_error *err) {
    return au_suppressions_parse(s, "f.supp", text, strlen(text), err);
}

static void reading(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    au_suppressions s = {0};
    assert_int_equal(parse(&s,
                           "# a remark\n\n  race:foo \r\nmutex:bar\nthread:main\nsignal:x\n"
                           "called_from_lib:libz.so\nfingerprint:0123\nany:third_party/",
                           &err),
                     AU_OK);
    assert_int_equal(s.at.n, 4);
    assert_string_equal(s.at.at[0].pattern, "foo");
    assert_int_equal(s.at.at[0].line, 3);
    assert_int_equal(s.at.at[1].kinds, 1u << AU_KIND_MISUSE);
    assert_int_equal(s.remark.n, 3);
    assert_non_null(strstr(s.remark.at[0], "f.supp:5: 'thread:main' is ignored"));
    au_suppressions_release(&s);
    s = (au_suppressions){0};
    /* The remark above a line is its reason, up to a blank line or the next remark. */
    assert_int_equal(
        parse(&s, "# old\n\n# why\n# it is\nrace:a\nrace:b\n# other\nrace:c\n\nrace:d", &err),
        AU_OK);
    static const char *const reason[] = {"why it is", "why it is", "other", ""};
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(s.at.at[i].reason, reason[i]);
    au_suppressions_release(&s);
    s = (au_suppressions){0};
    /* Both names of a kind. */
    static const struct {
        const char *text;
        au_kind kind;
    } both[] = {{"assert:f", AU_KIND_ASSERTION},    {"assertion:f", AU_KIND_ASSERTION},
                {"nondet:f", AU_KIND_NONDET},       {"nondeterminism:f", AU_KIND_NONDET},
                {"locks:f", AU_KIND_MISUSE},        {"lock-misuse:f", AU_KIND_MISUSE},
                {"atomicity:f", AU_KIND_ATOMICITY}, {"deadlock:f", AU_KIND_DEADLOCK}};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
        au_suppressions b = {0};
        assert_int_equal(parse(&b, both[i].text, &err), AU_OK);
        assert_int_equal(b.at.n, 1);
        assert_int_equal(b.at.at[0].kinds, 1u << both[i].kind);
        assert_string_equal(b.at.at[0].pattern, "f");
        au_suppressions_release(&b);
    }
    static const char *const bad[] = {"race", "race:", "rase:foo", ":foo", "Race:foo"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        au_suppressions b = {0};
        assert_int_equal(parse(&b, bad[i], &err), AU_EFORMAT);
        assert_non_null(strstr(err.text, "f.supp:1: "));
        au_suppressions_release(&b);
    }
    au_suppressions z = {0};
    assert_int_equal(au_suppressions_parse(&z, "f", "race:a\0b", 8, &err), AU_EFORMAT);
    au_suppressions_release(&z);
    au_suppressions nothing = {0};
    assert_int_equal(au_suppressions_read(&nothing, "/nonexistent/file", &err), AU_EIO);
    au_suppressions_release(&nothing);
}

static void make(au_dossier *d) {
    static const au_case_frame caller[] = {{"helper", "lib/c.c", 3}, {"worker", "", 0}};
    au_dossier_init(d);
    for (int i = 0; i < 3; i++) {
        au_case *c = au_dossier_add(d, i == 2 ? AU_KIND_DEADLOCK : AU_KIND_RACE);
        c->fingerprint = i == 0   ? "00000000000000aa"
                         : i == 1 ? "00000000000000bb"
                                  : "00000000000000cc";
        c->message = "m";
        c->var = i == 2 ? "lock" : "balance";
        au_case_event e = au_case_event_none();
        e.function = i ? "withdraw" : "deposit";
        e.file = i ? "src/b.c" : "src/a.c";
        e.object = c->var;
        e.caller = caller;
        e.n_callers = i == 1 ? 0 : 2;
        au_vec_push(&c->event, e);
    }
}

static void expect(const char *text, bool a, bool b, bool c) {
    au_error err = AU_ERROR_NONE;
    au_suppressions s = {0};
    au_dossier d;
    make(&d);
    assert_int_equal(parse(&s, text, &err), AU_OK);
    au_suppressions_mark(&s, &d);
    if (d.at.at[0].known != a || d.at.at[1].known != b || d.at.at[2].known != c)
        fail_msg("%s: %d %d %d", text, d.at.at[0].known, d.at.at[1].known, d.at.at[2].known);
    for (int i = 0; i < 3; i++)
        assert_string_equal(d.at.at[i].note, d.at.at[i].known ? "suppressed by 'f.supp:1'" : "");
    au_suppressions_release(&s);
    au_dossier_release(&d);
}

static void marking(void **state) {
    (void)state;
    expect("race:deposit", true, false, false);
    expect("race_top:deposit", true, false, false);
    expect("race:^src/*.c$", true, true, false);
    expect("race:balance", true, true, false);
    expect("deadlock:withdraw", false, false, true);
    expect("deadlock:deposit", false, false, false);
    expect("any:withdraw", false, true, true);
    expect("fingerprint:00000000000000b", false, true, false);
    expect("fingerprint:0000000000000b", false, false, false);
    expect("mutex:lock", false, false, false);
    expect("race:worker", true, false, false); /* who called */
    expect("race:^lib/", true, false, false);
    expect("race_top:worker", false, false, false);
    expect("deadlock:helper", false, false, true);
}

static void put(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
}

static void baseline(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    char *dir = au_temporary_directory("augur-", &err);
    assert_non_null(dir);
    char *path = au_sprintf("%s/known.json", dir);
    au_dossier d;
    size_t n;
    make(&d);
    d.at.n = 2;
    au_out *out = au_out_open(path, &err);
    au_baseline_write(&d, out);
    assert_int_equal(au_out_commit(out, &err), AU_OK);
    d.at.n = 3;
    assert_int_equal(au_baseline_mark(path, &d, &n, &err), AU_OK);
    assert_int_equal(n, 2);
    assert_true(d.at.at[0].known && d.at.at[1].known && !d.at.at[2].known);
    assert_string_equal(d.at.at[0].note, "in the baseline");
    static const char *const bad[] = {"",
                                      "{",
                                      "[]",
                                      "{}",
                                      "{\"findings\": [{\"id\": \"R1\"}]}",
                                      "{\"findings\": [{\"fingerprint\": 5}]}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put(path, bad[i]);
        assert_int_equal(au_baseline_mark(path, &d, &n, &err), AU_EFORMAT);
        assert_non_null(strstr(err.text, "known.json"));
    }
    au_dossier_release(&d);
    au_remove_all(dir);
    assert_int_equal(au_baseline_mark(path, &d, &n, &err), AU_EIO);
    free(path);
    free(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(patterns), cmocka_unit_test(reading),
                                       cmocka_unit_test(marking), cmocka_unit_test(baseline)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
