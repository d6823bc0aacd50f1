/* The HTML report: whatever is in a dossier, it comes out of the page as the same JSON, and nothing of it
 * is markup. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/case.h"
#include "report/page.h"

#include <cjson/cJSON.h>
#include <string.h>

typedef struct {
    au_dossier d;
    au_out *html, *json;
    const char *data; /* in the page */
    size_t n;
} page;

static void begin(page *p) {
    *p = (page){0};
    au_dossier_init(&p->d);
}

static void make(page *p) {
    p->html = au_out_memory();
    p->json = au_out_memory();
    au_dossier_html(&p->d, p->html);
    au_dossier_json(&p->d, p->json);
    size_t n;
    const char *text = au_out_memory_data(p->html, &n);
    size_t before = strlen(au_page_before), after = strlen(au_page_after);
    assert_true(n > before + after);
    assert_memory_equal(text, au_page_before, before);
    assert_memory_equal(text + n - after, au_page_after, after);
    p->data = text + before;
    p->n = n - before - after;
}

static void end(page *p) {
    au_out_abandon(p->html);
    au_out_abandon(p->json);
    au_dossier_release(&p->d);
}

static void same_json(const page *p) {
    cJSON *in_page = cJSON_ParseWithLength(p->data, p->n);
    cJSON *alone = cJSON_Parse(au_out_memory_data(p->json, NULL));
    assert_non_null(in_page);
    assert_non_null(alone);
    assert_true(cJSON_Compare(in_page, alone, true));
    cJSON_Delete(in_page);
    cJSON_Delete(alone);
}

static void test_empty(void **state) {
    (void)state;
    page p;
    begin(&p);
    make(&p);
    same_json(&p);
    end(&p);
}

static void test_hostile_names(void **state) {
    (void)state;
    static const char *const name[] = {"</script><script>alert(1)</script>",
                                       "<!--<script>",
                                       "quote \" backslash \\ both \\\"",
                                       "ends in a backslash \\",
                                       "\xe2\x80\xa8 and \xe2\x80\xa9",
                                       "bad \xff\xfe utf8 \xe2\x80",
                                       "a  b\n\t c"};
    page p;
    begin(&p);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        au_case *c = au_dossier_add(&p.d, AU_KIND_RACE);
        c->var = name[i];
        c->message = name[i];
        au_vec_push(&p.d.note, name[i]);
    }
    p.d.program = name[0];
    au_dossier_number(&p.d);
    make(&p);
    same_json(&p);
    assert_null(memchr(p.data, '<', p.n));
    assert_null(memmem(p.data, p.n, "\xe2\x80\xa8", 3));
    assert_null(memmem(p.data, p.n, "\xe2\x80\xa9", 3));
    end(&p);
}

/* Layout is dropped, but not within strings. */
static void test_small(void **state) {
    (void)state;
    page p;
    begin(&p);
    p.d.program = "two  spaces";
    make(&p);
    assert_null(memchr(p.data, '\n', p.n));
    assert_non_null(memmem(p.data, p.n, "\"program\":\"two  spaces\"", 23));
    end(&p);
}

/* The page lets run its own script and nothing else, and asks nobody for anything. */
static void test_page_stands_alone(void **state) {
    (void)state;
    const char *policy = strstr(au_page_before, "Content-Security-Policy");
    assert_non_null(policy);
    assert_non_null(strstr(policy, "default-src 'none'"));
    assert_non_null(strstr(policy, "script-src 'sha256-"));
    assert_null(strstr(au_page_before, "@SCRIPT"));
    assert_null(strstr(au_page_before, "@STYLE"));
    const char *const part[] = {au_page_before, au_page_after};
    for (int i = 0; i < 2; i++) {
        assert_null(strstr(part[i], "src=\""));
        assert_null(strstr(part[i], "innerHTML"));
        assert_null(strstr(part[i], "https:"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_page_stands_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
