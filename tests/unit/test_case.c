/* Findings as they are kept: JSON both ways, joining, numbers, fingerprints. */
#include "report/case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "case_build.h"

/* ---- JSON ---- */

/* Stories are made anew from what was read, where bytes that are not UTF-8 have become U+FFFD: only there may they differ. */
static void cut_stories(char *json) {
    for (char *at = json, *end; (at = strstr(at, "\"story\": ["));) {
        end = strstr(at, "\n      ],");
        assert_non_null(end);
        memmove(at, end, strlen(end) + 1);
    }
}

static void reads_what_it_writes(void **state) {
    (void)state;
    for (int hostile = 0; hostile < 2; hostile++) {
        au_dossier d, again;
        au_error err = AU_ERROR_NONE;
        (hostile ? make_hostile : make_bank)(&d);
        char *text = written(au_dossier_json, &d);
        au_dossier_init(&again);
        if (au_dossier_read(&again, text, strlen(text), "t", &err) != AU_OK)
            fail_msg("%s", err.text);
        char *second = written(au_dossier_json, &again);
        if (hostile) {
            cut_stories(text);
            cut_stories(second);
        }
        assert_string_equal(text, second);
        assert_int_equal(again.at.n, d.at.n);
        if (!hostile) {
            const au_case *c = &again.at.at[0];
            assert_string_equal(c->id, "R1");
            assert_int_equal(c->standing, AU_IS_PROVED);
            assert_true(c->value.at[0].value == INT64_MIN);
            assert_true(c->witness.at[1].value == INT64_C(0x7ffffffffffffff1));
            assert_int_equal(c->witness.at[1].skipped, 40);
            assert_int_equal(c->witness_left_out, 40);
            assert_string_equal(c->event.at[1].held[0], "lock");
            assert_int_equal(c->event.at[1].n_callers, 2);
            assert_string_equal(c->event.at[1].caller[0].function, "transfer");
            assert_int_equal(c->event.at[1].caller[0].line, 30);
            assert_string_equal(c->event.at[1].caller[1].file, "");
            assert_int_equal(c->schedule.at[1].mark, AU_MARK_SPURIOUS);
            assert_string_equal(again.source.at[0].line[1], "    account.visits++;");
            assert_true(again.funnel.at[0].left[AU_STAGE_INTERVAL] == AU_STAGE_UNKNOWN);
            assert_true(again.seconds == 0.25);
        }
        free(text);
        free(second);
        au_dossier_release(&d);
        au_dossier_release(&again);
    }
}

static void one_case(void **state) {
    (void)state;
    au_dossier d, into;
    au_error err = AU_ERROR_NONE;
    size_t n;
    make_bank(&d);
    d.at.at[0].triage = "wontfix";
    d.at.at[0].note = "später";
    d.at.at[0].known = true;
    d.at.at[0].replay = AU_REPLAY_DIVERGED;
    d.at.at[0].replay_text = "T1 went elsewhere";
    au_out *out = au_out_memory();
    au_case_json(&d.at.at[0], out);
    const char *text = au_out_memory_data(out, &n);
    assert_null(strchr(text, '\n')); /* a line in a table of the store */
    au_dossier_init(&into);
    assert_int_equal(au_case_read(&into, text, n, &err), AU_OK);
    assert_int_equal(into.at.n, 1);
    const au_case *c = &into.at.at[0];
    assert_string_equal(c->triage, "wontfix");
    assert_string_equal(c->note, "später");
    assert_true(c->known);
    assert_int_equal(c->replay, AU_REPLAY_DIVERGED);
    assert_string_equal(c->fingerprint, d.at.at[0].fingerprint);
    assert_int_equal(au_case_read(&into, "{}", 2, &err), AU_EFORMAT);
    assert_int_equal(into.at.n, 1);
    au_out_abandon(out);
    au_dossier_release(&d);
    au_dossier_release(&into);
}

static void an_execution(void **state) {
    (void)state;
    au_dossier d, again, copy;
    au_error err = AU_ERROR_NONE;
    make_bank(&d);
    d.memory = "rc11";
    d.at.at[0].memory = "rc11";
    d.at.at[0].remedy = "s of T1 (mp.c:6) is rel, not rlx";
    d.at.at[0].x86 = AU_ON_X86_NO;
    au_vec_push(&d.at.at[0].sees, ((au_case_sees){"T2", "x", "T1", 3, 2}));
    au_vec_push(&d.at.at[0].sees, ((au_case_sees){"T2", "y", "", 4, 0}));
    au_vec_push(&d.at.at[0].wrote, ((au_case_wrote){"T1", "x", 2}));
    char *text = written(au_dossier_json, &d);
    au_dossier_init(&again);
    assert_int_equal(au_dossier_read(&again, text, strlen(text), "t", &err), AU_OK);
    char *second = written(au_dossier_json, &again);
    assert_string_equal(text, second);
    au_dossier_init(&copy);
    const au_case *c = au_dossier_copy(&copy, &again.at.at[0]);
    au_dossier_release(&again);
    assert_string_equal(c->memory, "rc11");
    assert_string_equal(c->remedy, "s of T1 (mp.c:6) is rel, not rlx");
    assert_int_equal(c->x86, AU_ON_X86_NO);
    assert_int_equal(c->sees.n, 2);
    assert_string_equal(c->sees.at[0].by, "T1");
    assert_int_equal(c->sees.at[0].by_index, 2);
    assert_string_equal(c->sees.at[1].by, "");
    assert_int_equal(c->sees.at[1].index, 4);
    assert_int_equal(c->wrote.n, 1);
    assert_string_equal(c->wrote.at[0].var, "x");
    char *pair = strstr(text, "\"sees\": [\"T1\", 2]");
    assert_non_null(pair);
    memcpy(pair, "\"sees\": [\"T1\", 0]", strlen("\"sees\": [\"T1\", 0]"));
    au_dossier_init(&again);
    assert_int_equal(au_dossier_read(&again, text, strlen(text), "t", &err), AU_EFORMAT);
    assert_non_null(strstr(err.text, "sees"));
    free(text);
    free(second);
    au_dossier_release(&d);
    au_dossier_release(&again);
    au_dossier_release(&copy);
}

static void counts_of_nondeterminism(void **state) {
    (void)state;
    au_dossier d, again;
    au_error err = AU_ERROR_NONE;
    make_bank(&d);
    d.has_nondet = true;
    d.nondet = (au_nondet_counts){.all = 100,
                                  .same_value = 1,
                                  .left = 2,
                                  .cycle = 3,
                                  .shared = 40,
                                  .direct = 5,
                                  .chosen = 6,
                                  .refuted = 7,
                                  .solved = 8,
                                  .unsolved = 9,
                                  .open = 10,
                                  .graphs = 11,
                                  .learned = 12,
                                  .walked = 13,
                                  .pairs = 14,
                                  .couples = 15};
    char *text = written(au_dossier_json, &d);
    au_dossier_init(&again);
    assert_int_equal(au_dossier_read(&again, text, strlen(text), "t", &err), AU_OK);
    assert_memory_equal(&again.nondet, &d.nondet, sizeof d.nondet);
    free(text);
    au_dossier_release(&d);
    au_dossier_release(&again);
}

#define F(rest) "{\"tool\":\"augur\",\"findings\":[{\"id\":\"R1\",\"kind\":\"race\"," rest "}]}"
#define OK_CASE "\"status\":\"proved\",\"events\":[],\"schedule\":[]"

static void refuses_what_is_wrong(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "not valid JSON"},
        {"{", "not valid JSON"},
        {"{\"tool\":\"augur\",\"findings\":[]} x", "not valid JSON"},
        {"[]", "not what augur writes"},
        {"{\"tool\":\"other\",\"findings\":[]}", "not what augur writes"},
        {"{\"tool\":\"augur\"}", "'findings' is missing"},
        {"{\"tool\":\"augur\",\"findings\":{}}", "'findings' is not a list"},
        {"{\"tool\":\"augur\",\"findings\":[7]}", "finding '?'"},
        {"{\"tool\":\"augur\",\"findings\":[],\"input\":[1]}", "'input' has something else"},
        {"{\"tool\":\"augur\",\"findings\":[],\"trace\":[]}", "'trace' is not an object"},
        {"{\"tool\":\"augur\",\"findings\":[],\"trace\":{\"events\":-1}}",
         "'events' is not a count"},
        {"{\"tool\":\"augur\",\"findings\":[],\"trace\":{\"events\":1.5}}",
         "'events' is not a count"},
        {"{\"tool\":\"augur\",\"findings\":[],\"funnel\":{\"race\":3}}", "'funnel'"},
        {"{\"tool\":\"augur\",\"findings\":[],\"sources\":[{\"file\":\"a\",\"first\":0,"
         "\"lines\":[]}]}",
         "'first'"},
        {F("\"status\":\"sure\""), "finding 'R1': 'status' is unknown"},
        {F("\"status\":3"), "'status' is not a string"},
        {F("\"status\":\"proved\",\"var\":1"), "'var' is not a string"},
        {F("\"status\":\"proved\",\"events\":[1]"), "'events' has something else"},
        {F("\"status\":\"proved\",\"events\":[{}]"), "'thread' is missing"},
        {F("\"status\":\"proved\",\"events\":[{\"thread\":\"T1\",\"index\":1,\"op\":\"read\","
           "\"line\":1e12}]"),
         "'line' is too large"},
        {F("\"status\":\"proved\",\"events\":[{\"thread\":\"T1\",\"index\":1,\"op\":\"read\","
           "\"callers\":[3]}]"),
         "'callers' has something else"},
        {F("\"status\":\"proved\",\"events\":[{\"thread\":\"T1\",\"index\":1,\"op\":\"read\","
           "\"callers\":[{}]}]"),
         "'function' is missing"},
        {F("\"status\":\"proved\",\"schedule\":[[\"T1\"]]"), "'schedule' has a turn"},
        {F("\"status\":\"proved\",\"schedule\":[5]"), "'schedule' has a turn"},
        {F(OK_CASE ",\"known\":1"), "'known' is neither"},
        {F(OK_CASE ",\"replay\":{\"outcome\":\"perhaps\"}"), "'outcome' is unknown"},
        {F(OK_CASE ",\"witness\":[{\"thread\":\"T\",\"index\":1,\"op\":\"r\",\"decisive\":1}]"),
         "'decisive' names an event"},
        {F(OK_CASE ",\"witness_cut\":9"), "'witness_cut' is behind"},
        {F(OK_CASE ",\"values\":[{\"thread\":\"T\",\"index\":1,\"op\":\"read\",\"var\":\"x\","
                   "\"value\":\"1\"}]"),
         "'value' is not a whole number"},
        {F(OK_CASE ",\"values\":[{\"thread\":\"T\",\"index\":1,\"op\":\"read\",\"var\":\"x\","
                   "\"value\":1,\"exact\":\"12x\"}]"),
         "'exact'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        au_dossier d;
        au_error err = AU_ERROR_NONE;
        au_dossier_init(&d);
        assert_int_equal(au_dossier_read(&d, bad[i].text, strlen(bad[i].text), "t", &err),
                         AU_EFORMAT);
        if (!strstr(err.text, bad[i].says))
            fail_msg("%s: '%s' instead of '%s'", bad[i].text, err.text, bad[i].says);
        au_dossier_release(&d);
    }
    au_dossier d;
    au_error err = AU_ERROR_NONE;
    au_dossier_init(&d);
    const char *more = F(OK_CASE ",\"later\":{\"x\":[1]}"); /* written by a newer augur */
    assert_int_equal(au_dossier_read(&d, more, strlen(more), "t", &err), AU_OK);
    au_dossier_release(&d);
}

/* ---- joining ---- */

static void joining(void **state) {
    (void)state;
    au_dossier a, b;
    make_bank(&a);
    make_bank(&b);
    b.input.at[0] = "second.trace";
    b.at.at[0].standing = AU_IS_CONFIRMED;
    a.at.at[0].triage = "wontfix";
    a.at.at[0].note = "known";
    au_case *other = au_dossier_add(&b, AU_KIND_DEADLOCK);
    au_vec_push(&other->event, made_event("T1", 1, "acquire", "m", "a.c", 1));
    au_case_mark(&b, other);
    au_dossier_join(&a, &b);
    au_dossier_release(&b); /* nothing of it is needed any more */
    assert_int_equal(a.at.n, 2);
    assert_int_equal(a.at.at[0].standing, AU_IS_CONFIRMED);
    assert_string_equal(a.at.at[0].triage, "wontfix");
    assert_string_equal(a.at.at[0].id, "R1");
    assert_string_equal(a.at.at[1].id, "D1");
    assert_string_equal(a.at.at[1].event.at[0].object, "m");
    assert_int_equal(a.input.n, 2);
    assert_int_equal(a.events, 128);
    assert_int_equal(a.funnel.n, 2);
    assert_int_equal(a.funnel.at[0].left[0], 6);
    assert_int_equal(a.source.n, 1); /* the same lines once */
    char *text = written(au_dossier_json, &a);
    assert_non_null(strstr(text, "second.trace"));
    free(text);
    /* the less certain one changes nothing */
    make_bank(&b);
    b.at.at[0].standing = AU_IS_POSSIBLE;
    au_dossier_join(&a, &b);
    assert_int_equal(a.at.at[0].standing, AU_IS_CONFIRMED);
    assert_int_equal(a.at.n, 2);
    au_dossier_release(&b);
    au_dossier_release(&a);
}

static void numbers(void **state) {
    (void)state;
    static const struct {
        au_kind kind;
        au_standing standing;
        const char *id, *message;
    } c[] = {{AU_KIND_DEADLOCK, AU_IS_POSSIBLE, "D2", "a"},
             {AU_KIND_RACE, AU_IS_POSSIBLE, "R2", "b"},
             {AU_KIND_DEADLOCK, AU_IS_PROVED, "D1", "c"},
             {AU_KIND_RACE, AU_IS_CONFIRMED, "R1", "d"},
             {AU_KIND_RACE, AU_IS_POSSIBLE, "R3", "e"}};
    au_dossier d;
    au_dossier_init(&d);
    for (size_t i = 0; i < 5; i++) {
        au_case *k = au_dossier_add(&d, c[i].kind);
        k->standing = c[i].standing;
        k->message = c[i].message;
    }
    au_dossier_number(&d);
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 5; k++)
            if (!strcmp(d.at.at[i].message, c[k].message))
                assert_string_equal(d.at.at[i].id, c[k].id);
    assert_string_equal(d.at.at[0].id, "R1");
    assert_string_equal(d.at.at[4].id, "D2");
    au_dossier_release(&d);
}

/* ---- fingerprints ---- */

typedef struct {
    const char *var, *thread, *function, *text, *op;
    uint32_t line;
    bool swapped;
} variant;

static char *print_of(const variant *v) {
    au_dossier d;
    au_dossier_init(&d);
    au_case *c = au_dossier_add(&d, AU_KIND_RACE);
    c->var = v->var;
    c->message = "message";
    c->what = v->swapped ? "RW" : "WR";
    for (int i = 0; i < 2; i++) {
        bool first = (i == 0) != v->swapped;
        au_case_event e = made_event(first ? v->thread : "T9", v->line + (unsigned)i,
                                     first ? v->op : "read", v->var, "src/list.c", v->line);
        e.function = first ? v->function : "reader";
        e.text = first ? v->text : "use(list);";
        au_vec_push(&c->event, e);
    }
    au_case_mark(&d, c);
    assert_int_equal(strlen(c->fingerprint), 16);
    char *copy = au_strdup(c->fingerprint);
    au_dossier_release(&d);
    return copy;
}

static void fingerprints(void **state) {
    (void)state;
    const variant base = {
        "node(list.c:12)#2.next", "T1", "push", "l->next = n;", "write", 12, false};
    variant v = base;
    char *want = print_of(&base);
    /* what an edit elsewhere, another run or another machine changes */
    const char *const same_var[] = {"node(list.c:19)#2.next", "node(list.c:12)#71.next",
                                    "node(list.c:12)#2.next#3"};
    for (int i = 0; i < 3; i++) {
        v = base;
        v.var = same_var[i];
        char *got = print_of(&v);
        assert_string_equal(got, want);
        free(got);
    }
    v = base;
    v.line = 900;
    v.thread = "T31";
    v.text = "l->next  =\tn;";
    v.swapped = true;
    v.op = "read";
    char *got = print_of(&v);
    assert_string_equal(got, want);
    free(got);
    /* what makes it another finding */
    const variant other[] = {
        {"node(list.c:12)#2.prev", "T1", "push", "l->next = n;", "write", 12, false},
        {"node(list.c:12)#2.next", "T1", "pop", "l->next = n;", "write", 12, false},
        {"node(list.c:12)#2.next", "T1", "push", "l->next = m;", "write", 12, false}};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        got = print_of(&other[i]);
        assert_string_not_equal(got, want);
        free(got);
    }
    free(want);
    /* names that augur makes up */
    const char *const pair[][2] = {{"acct[3].sum", "acct[14].sum"},
                                   {"buf[3] in worker (T2)", "buf[3] in worker (T5)#2"},
                                   {"0x7ffff7dd1234", "0x555555"},
                                   {"own memory of T3", "own memory of T12"}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        v = base;
        v.var = pair[i][0];
        want = print_of(&v);
        v.var = pair[i][1];
        got = print_of(&v);
        assert_string_equal(got, want);
        free(got);
        free(want);
    }
    /* this one is for all time: stores and baselines are full of them */
    got = print_of(&base);
    assert_string_equal(got, "de1927a171f9a3bd");
    free(got);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_it_writes),
        cmocka_unit_test(one_case),
        cmocka_unit_test(an_execution),
        cmocka_unit_test(counts_of_nondeterminism),
        cmocka_unit_test(refuses_what_is_wrong),
        cmocka_unit_test(joining),
        cmocka_unit_test(numbers),
        cmocka_unit_test(fingerprints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
