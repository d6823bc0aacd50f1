/* Schedules and findings that somebody wants to see executed: files of them, and the turns. */
#include "confirm/judge.h"
#include "report/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* What is to be executed; release() afterwards. */
typedef struct {
    au_dossier d;
    const au_case *c; /* its case */
    au_turns turns;
} wanted;

static void release(wanted *w) {
    au_dossier_release(&w->d);
    au_vec_release(&w->turns);
}

/* Nothing to release unless AU_OK. */
static au_status parse(wanted *w, const char *text, const char *id, au_error *err) {
    *w = (wanted){0};
    au_dossier_init(&w->d);
    au_status st = au_schedule_parse(&w->d, text, strlen(text), "s", id, err);
    if (st == AU_OK) {
        assert_int_equal(w->d.at.n, 1);
        w->c = &w->d.at.at[0];
        assert_int_equal(au_case_turns(w->c, &w->turns, err), AU_OK);
    } else {
        release(w);
    }
    return st;
}

static void plain_text(void **state) {
    (void)state;
    wanted w;
    au_error err = AU_ERROR_NONE;
    assert_int_equal(
        parse(&w, "# order\nT1 14\n\n  2 3 spurious # why not\r\nT1\t15 timeout", NULL, &err),
        AU_OK);
    assert_int_equal(w.turns.n, 3);
    assert_false(au_case_is_finding(w.c));
    assert_int_equal(w.turns.at[0].thread, 1);
    assert_int_equal(w.turns.at[0].upto, 14);
    assert_int_equal(w.turns.at[1].thread, 2);
    assert_int_equal(w.turns.at[1].mark, AU_MARK_SPURIOUS);
    assert_int_equal(w.turns.at[2].mark, AU_MARK_TIMEOUT);
    release(&w);
}

static void arrays(void **state) {
    (void)state;
    static const char *const text[] = {"[[\"T1\",14],[2,3,\"spurious\"]]",
                                       " {\"schedule\": [[\"T1\",14],[\"T2\",3,\"spurious\"]]}"};
    for (int i = 0; i < 2; i++) {
        wanted w;
        au_error err = AU_ERROR_NONE;
        assert_int_equal(parse(&w, text[i], NULL, &err), AU_OK);
        assert_int_equal(w.turns.n, 2);
        assert_int_equal(w.turns.at[1].thread, 2);
        assert_int_equal(w.turns.at[1].upto, 3);
        assert_int_equal(w.turns.at[1].mark, AU_MARK_SPURIOUS);
        release(&w);
    }
}

#define EVENTS                                                                                     \
    "\"events\":[{\"thread\":\"T1\",\"index\":15,\"op\":\"write\",\"file\":\"a.c\",\"line\":7},"   \
    "{\"thread\":\"T2\",\"index\":4,\"op\":\"read\",\"object\":\"x\"}]"
#define RACE                                                                                       \
    "{\"id\":\"R1\",\"kind\":\"race\",\"message\":\"m\"," EVENTS                                   \
    ",\"schedule\":[[\"T1\",14],[\"T2\",3]]}"

static void a_finding(void **state) {
    (void)state;
    static const char all[] = "{\"tool\":\"augur\",\"findings\":[" RACE
                              ",{\"id\":\"D1\",\"kind\":\"deadlock\",\"status\":\"possible\","
                              "\"reason\":\"no time\",\"events\":[],\"schedule\":[]}]}";
    wanted w;
    au_error err = AU_ERROR_NONE;
    assert_int_equal(parse(&w, all, "R1", &err), AU_OK);
    assert_true(au_case_is_finding(w.c));
    assert_string_equal(w.c->id, "R1");
    assert_int_equal(w.c->kind, AU_KIND_RACE);
    assert_int_equal(w.c->event.n, 2);
    assert_string_equal(w.c->event.at[0].file, "a.c");
    assert_int_equal(w.c->event.at[0].line, 7);
    assert_string_equal(w.c->event.at[1].object, "x");
    /* It goes on until both accesses are executed. */
    au_turns_complete(&w.turns, w.c);
    assert_int_equal(w.turns.n, 4);
    assert_int_equal(w.turns.at[2].thread, 1);
    assert_int_equal(w.turns.at[2].upto, 15);
    assert_int_equal(w.turns.at[3].upto, 4);
    assert_int_equal(w.c->schedule.n, 2);
    release(&w);

    assert_int_equal(parse(&w, all, "R9", &err), AU_EUSAGE);
    assert_non_null(strstr(err.text, "no finding 'R9'"));
    assert_int_equal(parse(&w, all, NULL, &err), AU_EUSAGE);
    assert_non_null(strstr(err.text, "2 findings"));
    assert_int_equal(parse(&w, all, "D1", &err), AU_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "'possible': no time"));
    assert_int_equal(parse(&w, RACE, NULL, &err), AU_OK);
    release(&w);
}

static void stopping_before(void **state) {
    (void)state;
    static const char text[] =
        "{\"id\":\"A1\",\"kind\":\"atomicity\",\"events\":[{\"thread\":\"T1\",\"index\":2},"
        "{\"thread\":\"T2\",\"index\":1},{\"thread\":\"T1\",\"index\":3}],"
        "\"schedule\":[[\"T1\",2],[\"T2\",1],[\"T1\",5]]}";
    wanted w;
    au_error err = AU_ERROR_NONE;
    assert_int_equal(parse(&w, text, NULL, &err), AU_OK);
    au_turns_stop_before(&w.turns, w.c);
    /* Event 3 is next in T1, which needs no turn any more. */
    assert_int_equal(w.turns.n, 2);
    assert_int_equal(w.turns.at[1].thread, 2);
    release(&w);
    assert_int_equal(parse(&w, RACE, NULL, &err), AU_OK);
    au_turns_stop_before(&w.turns, w.c);
    assert_int_equal(w.turns.n, 2);
    release(&w);
}

static void what_is_no_schedule(void **state) {
    (void)state;
    static const char *const bad[] = {"",
                                      "# nothing",
                                      "T1",
                                      "T1 0",
                                      "T1 1 2",
                                      "T1 99999999999999999999999999999999999",
                                      "T99999999 1",
                                      "x 1",
                                      "T1 -1",
                                      "[",
                                      "[1]",
                                      "[[]]",
                                      "[[\"T1\"]]",
                                      "[[\"T1\",0]]",
                                      "[[\"T1\",-1]]",
                                      "[[\"T1\",1e300]]",
                                      "[[\"T1\",\"1\"]]",
                                      "[[\"T1\",1,2]]",
                                      "[[-1,1]]",
                                      "[[null,1]]",
                                      "[]",
                                      "{}",
                                      "{\"schedule\":1}",
                                      "{\"findings\":1}",
                                      "{\"findings\":[]}",
                                      "{\"findings\":[1]}",
                                      "{\"findings\":[{\"kind\":\"strange\"}]}",
                                      "{\"kind\":\"race\",\"events\":[{}],\"schedule\":[[1,1]]}",
                                      "{\"kind\":\"race\",\"events\":[],\"schedule\":[[1,1]]}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        wanted w;
        au_error err = AU_ERROR_NONE;
        if (parse(&w, bad[i], NULL, &err) == AU_OK)
            fail_msg("'%s' was taken", bad[i]);
        assert_true(*err.text);
        assert_int_equal(w.turns.n, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text),          cmocka_unit_test(arrays),
        cmocka_unit_test(a_finding),           cmocka_unit_test(stopping_before),
        cmocka_unit_test(what_is_no_schedule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
