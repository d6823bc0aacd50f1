/* SARIF, JUnit, text and Perfetto of dossiers, ordinary and hostile. The published schema of SARIF is
 * asked in tests/e2e/formats.sh; here are the rules that a schema cannot say. */
#include "base/utf8.h"
#include "report/case.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "case_build.h"

static const cJSON *get(const cJSON *o, const char *path) {
    char key[200];
    snprintf(key, sizeof key, "%s", path);
    for (char *k = strtok(key, "."); k && o; k = strtok(NULL, "."))
        o = isdigit((unsigned char)*k) ? cJSON_GetArrayItem(o, atoi(k))
                                       : cJSON_GetObjectItemCaseSensitive(o, k);
    if (!o)
        fail_msg("there is no '%s'", path);
    return o;
}

static const char *text_at(const cJSON *o, const char *path) {
    const cJSON *x = get(o, path);
    assert_true(cJSON_IsString(x));
    return x->valuestring;
}

static void expect_utf8(const char *s) {
    const unsigned char *p = (const unsigned char *)s;
    for (size_t n = strlen(s), i = 0, k; i < n; i += k) {
        k = au_utf8_length(p + i, n - i);
        if (!k)
            fail_msg("no UTF-8 at byte %zu", i);
    }
}

/* ---- SARIF ---- */

static cJSON *sarif_of(const au_dossier *d) {
    char *text = written(au_dossier_sarif, d);
    expect_utf8(text);
    cJSON *root = cJSON_Parse(text);
    assert_non_null(root);
    free(text);
    return root;
}

static void sarif(void **state) {
    (void)state;
    au_dossier d;
    make_bank(&d);
    cJSON *root = sarif_of(&d);
    assert_string_equal(text_at(root, "version"), "2.1.0");
    const cJSON *run = get(root, "runs.0"), *r = get(run, "results.0");
    assert_int_equal(cJSON_GetArraySize(get(run, "results")), 1);
    assert_string_equal(text_at(run, "originalUriBaseIds.SRCROOT.uri"), "file:///home/me/");
    assert_string_equal(text_at(r, "ruleId"), "race");
    /* the index leads to the rule */
    char path[60];
    snprintf(path, sizeof path, "tool.driver.rules.%d.id", get(r, "ruleIndex")->valueint);
    assert_string_equal(text_at(run, path), "race");
    assert_string_equal(text_at(r, "level"), "error");
    assert_string_equal(text_at(r, "locations.0.physicalLocation.artifactLocation.uri"), "bank.c");
    assert_int_equal(get(r, "locations.0.physicalLocation.region.startLine")->valueint, 21);
    assert_string_equal(text_at(r, "relatedLocations.1.message.text"),
                        "T2 reads 'account.visits' in deposit, holding 'lock'");
    /* a thread flow a thread, the execution order across them */
    const cJSON *flow = get(r, "codeFlows.0.threadFlows");
    assert_int_equal(cJSON_GetArraySize(flow), 2);
    assert_string_equal(text_at(flow, "0.id"), "T1");
    assert_int_equal(cJSON_GetArraySize(get(flow, "0.locations")), 2);
    assert_int_equal(get(flow, "0.locations.1.executionOrder")->valueint, 2);
    assert_int_equal(get(flow, "1.locations.0.executionOrder")->valueint, 3);
    assert_string_equal(text_at(flow, "1.locations.0.importance"), "essential");
    const cJSON *print = get(r, "partialFingerprints");
    assert_string_equal(text_at(print, "primaryLocationLineHash") + 16, ":1");
    assert_memory_equal(text_at(print, "primaryLocationLineHash"), d.at.at[0].fingerprint, 16);
    assert_null(cJSON_GetObjectItem(r, "baselineState"));
    assert_null(cJSON_GetObjectItem(r, "suppressions"));
    cJSON_Delete(root);
    au_dossier_release(&d);
}

static void sarif_states(void **state) {
    (void)state;
    au_dossier d;
    make_bank(&d);
    au_case *again = au_dossier_copy(&d, &d.at.at[0]);
    again->known = true;
    again->triage = "false-positive";
    again->note = "only in tests";
    again->event.at[0].file = "/home/me/src/a b.c";
    again->event.at[1].file = "/usr/include/x.h";
    cJSON *root = sarif_of(&d);
    const cJSON *r = get(root, "runs.0.results");
    assert_string_equal(text_at(r, "0.baselineState"), "new");
    assert_string_equal(text_at(r, "1.baselineState"), "unchanged");
    assert_string_equal(text_at(r, "1.suppressions.0.justification"), "only in tests");
    /* the same fingerprint twice: told apart */
    assert_string_equal(text_at(r, "1.partialFingerprints.primaryLocationLineHash") + 16, ":2");
    /* below the root relative, elsewhere not; what a URI cannot hold is escaped */
    const cJSON *a = get(r, "1.relatedLocations");
    assert_string_equal(text_at(a, "0.physicalLocation.artifactLocation.uri"), "src/a%20b.c");
    assert_string_equal(text_at(a, "0.physicalLocation.artifactLocation.uriBaseId"), "SRCROOT");
    assert_string_equal(text_at(a, "1.physicalLocation.artifactLocation.uri"),
                        "file:///usr/include/x.h");
    assert_null(cJSON_GetObjectItem(get(a, "1.physicalLocation.artifactLocation"), "uriBaseId"));
    cJSON_Delete(root);
    au_dossier_release(&d);
}

static void check_uri(const char *uri) {
    for (const char *s = uri; *s; s++)
        if (!isalnum((unsigned char)*s) && !strchr("/-._~%:", *s))
            fail_msg("'%c' in the URI '%s'", *s, uri);
}

/* Every message and URI of the tree. */
static void walk(const cJSON *x, const char *key) {
    const cJSON *child;
    if (cJSON_IsString(x) && key && !strcmp(key, "uri"))
        check_uri(x->valuestring);
    cJSON_ArrayForEach(child, x) {
        if (cJSON_IsObject(x) && !strcmp(child->string, "message")) {
            const char *text = text_at(child, "text");
            for (const char *s = text; (s = strchr(s, '{')); s += 2)
                if (s[1] != '{')
                    fail_msg("a placeholder in '%.60s'", text);
            for (const char *s = text; (s = strstr(s, "](")); s++)
                if (s == text || s[-1] != '\\')
                    fail_msg("a link in '%.60s'", text);
        }
        walk(child, child->string);
    }
}

static void sarif_hostile(void **state) {
    (void)state;
    au_dossier d;
    make_hostile(&d);
    cJSON *root = sarif_of(&d);
    const cJSON *r, *results = get(root, "runs.0.results");
    assert_int_equal(cJSON_GetArraySize(results), (int)d.at.n);
    walk(root, NULL);
    cJSON_ArrayForEach(r, results) {
        /* "the level of what is no failure is none" */
        bool pass = !strcmp(text_at(r, "kind"), "pass");
        assert_int_equal(pass, !strcmp(text_at(r, "level"), "none"));
    }
    assert_string_equal(text_at(root, "runs.0.invocations.0.toolExecutionNotifications.0.level"),
                        "warning");
    cJSON_Delete(root);
    au_dossier_release(&d);
}

/* ---- JUnit ---- */

/* Elements nest, attributes are quoted, entities are known, characters are allowed. */
static unsigned check_xml(const char *s, const char *counted) {
    const char *stack[16];
    size_t length[16], depth = 0;
    unsigned count = 0;
    expect_utf8(s);
    assert_memory_equal(s, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", 39);
    for (s += 39; *s;) {
        if ((unsigned char)*s < 0x20)
            assert_true(*s == '\n' || *s == '\t');
        assert_true(strncmp(s, "\xef\xbf\xbf", 3) != 0);
        if (*s == '&') {
            size_t n = strcspn(s, ";");
            assert_true((n == 3 && (!memcmp(s, "&lt", 3) || !memcmp(s, "&gt", 3))) ||
                        (n == 4 && !memcmp(s, "&amp", 4)) || (n == 5 && !memcmp(s, "&quot", 5)) ||
                        (n <= 4 && !memcmp(s, "&#", 2)));
            s += n + 1;
        } else if (*s != '<') {
            assert_int_not_equal(*s, '>');
            s++;
        } else if (s[1] == '/') {
            size_t n = strcspn(s + 2, ">");
            assert_true(depth > 0);
            depth--;
            assert_int_equal(n, length[depth]);
            assert_memory_equal(s + 2, stack[depth], n);
            s += n + 3;
        } else {
            size_t n = strcspn(s + 1, " />\n");
            bool quoted = false;
            count += n == strlen(counted) && !memcmp(s + 1, counted, n);
            assert_true(n > 0 && depth < 16);
            stack[depth] = s + 1;
            length[depth++] = n;
            for (s += n + 1; *s && (quoted || *s != '>'); s++) {
                quoted ^= *s == '"';
                assert_int_not_equal(*s, '<');
                assert_true((unsigned char)*s >= 0x20);
            }
            assert_int_equal(*s, '>');
            depth -= s[-1] == '/';
            s++;
        }
    }
    assert_int_equal(depth, 0);
    return count;
}

static void junit(void **state) {
    (void)state;
    au_dossier d;
    make_bank(&d);
    char *text = written(au_dossier_junit, &d);
    assert_int_equal(check_xml(text, "testcase"), 2);
    assert_non_null(strstr(text, "tests=\"2\" failures=\"1\" errors=\"0\""));
    assert_non_null(strstr(text, "classname=\"augur.deadlock\" name=\"nothing found\""));
    assert_non_null(strstr(text, "<failure type=\"race\""));
    assert_non_null(strstr(text, "name=\"data race on 'account.visits' in deposit ["));
    free(text);
    d.at.at[0].known = true;
    text = written(au_dossier_junit, &d);
    assert_int_equal(check_xml(text, "skipped"), 1);
    assert_non_null(strstr(text, "tests=\"2\" failures=\"0\""));
    free(text);
    au_dossier_release(&d);
}

static void junit_hostile(void **state) {
    (void)state;
    au_dossier d;
    make_hostile(&d);
    char *text = written(au_dossier_junit, &d);
    assert_int_equal(check_xml(text, "testcase"), (unsigned)d.at.n + 1);
    assert_null(strstr(text, "<script>"));
    free(text);
    text = written(au_dossier_junit, &d);
    assert_int_equal(check_xml(text, "failure"), 2 * AU_KINDS); /* known and refuted do not fail */
    free(text);
    au_dossier_release(&d);
}

/* ---- text ---- */

static au_case_look look;
static void as_text(const au_dossier *d, au_out *out) {
    au_dossier_text(d, &look, out);
}

static void text(void **state) {
    (void)state;
    au_dossier d;
    make_bank(&d);
    look = (au_case_look){0};
    char *s = written(as_text, &d);
    assert_non_null(strstr(s, "bank --fast: 64 events, 3 threads, 1 lock, 3 variables\n"));
    assert_non_null(strstr(s, "R1 proved  race on 'account.visits'\n"));
    assert_non_null(strstr(s, "    T2 reads 'account.visits' in deposit (bank.c:21), "
                              "holding 'lock'\n"));
    assert_non_null(strstr(s, "    > T1  bank.c:21  account.visits++;  writes "));
    assert_non_null(strstr(s, "    $ augur replay bank.trace --finding R1\n"));
    assert_non_null(strstr(s, "1 finding: 1 proved (0.25 s)\n"));
    assert_null(strchr(s, '\033'));
    free(s);
    look = (au_case_look){.color = true, .most = 1, .brief = true};
    au_dossier_copy(&d, &d.at.at[0]);
    s = written(as_text, &d);
    assert_non_null(strstr(s, "\033[31mproved\033[0m"));
    assert_null(strstr(s, "in this order"));
    assert_non_null(strstr(s, "race on 'account.visits': T1 writes at bank.c:21, T2 reads at "
                              "bank.c:21\n    T1 event 18 writes 'account.visits'"));
    assert_non_null(strstr(s, "    schedule: T1:1-17 T2:1-16 (spurious wake-up)\n"));
    assert_non_null(strstr(s, "    values: T1: account.visits=-9223372036854775808\n"));
    assert_non_null(strstr(s, "… and 1 more of kind race"));
    free(s);
    au_dossier_release(&d);
}

static void text_hostile(void **state) {
    (void)state;
    au_dossier d;
    make_hostile(&d);
    for (int brief = 0; brief < 2; brief++) {
        look = (au_case_look){.brief = brief};
        char *s = written(as_text, &d);
        expect_utf8(s);
        size_t width = 0;
        for (const char *c = s; *c; c++) {
            assert_true((unsigned char)*c >= 0x20 || *c == '\n');
            assert_int_not_equal(*c, 0x7f);
            width = *c == '\n' ? 0 : width + 1;
            assert_true(width < 1500); /* a name of 12 kB is cut */
        }
        free(s);
    }
    au_dossier_release(&d);
}

/* ---- Perfetto ---- */

static void first_perfetto(const au_dossier *d, au_out *out) {
    au_case_perfetto(&d->at.at[0], out);
}

static void perfetto(void **state) {
    (void)state;
    for (int hostile = 0; hostile < 2; hostile++) {
        au_dossier d;
        (hostile ? make_hostile : make_bank)(&d);
        if (hostile)
            for (size_t i = 1; i < d.at.n; i++) { /* every kind once */
                au_out *out = au_out_memory();
                au_case_perfetto(&d.at.at[i], out);
                au_out_abandon(out);
            }
        char *s = written(first_perfetto, &d);
        cJSON *root = cJSON_Parse(s);
        assert_non_null(root);
        const cJSON *e;
        unsigned slices = 0, opened = 0, closed = 0;
        cJSON_ArrayForEach(e, get(root, "traceEvents")) {
            slices += !strcmp(text_at(e, "ph"), "X");
            opened += !strcmp(text_at(e, "ph"), "B");
            closed += !strcmp(text_at(e, "ph"), "E");
        }
        assert_int_equal(slices, 3);
        assert_int_equal(opened, closed);
        assert_int_equal(opened, hostile ? 0 : 1); /* the lock that is held */
        cJSON_Delete(root);
        free(s);
        au_dossier_release(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sarif),         cmocka_unit_test(sarif_states),
        cmocka_unit_test(sarif_hostile), cmocka_unit_test(junit),
        cmocka_unit_test(junit_hostile), cmocka_unit_test(text),
        cmocka_unit_test(text_hostile),  cmocka_unit_test(perfetto),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
