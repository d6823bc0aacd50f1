/* The store of findings: what comes back, who may look, what happens to old and broken files, and
 * several processes at once. */
#include "store/store.h"

#include "base/temporary.h"
#include "store/store_priv.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char *dir; /* of the test */

static int begin(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    char *top = au_temporary_directory("augur-", &err);
    if (!top)
        return -1;
    dir = au_sprintf("%s/.augur", top);
    free(top);
    return 0;
}

static int end(void **state) {
    (void)state;
    dir[strlen(dir) - strlen("/.augur")] = 0;
    au_remove_all(dir);
    free(dir);
    return 0;
}

static au_store *open_store(void) {
    au_error err = AU_ERROR_NONE;
    au_store *s = au_store_open(dir, true, &err);
    if (!s)
        fail_msg("%s", err.text);
    return s;
}

/* Cases R1, R2, ... with these fingerprints. */
static void make(au_dossier *d, const char *program, const char *const *mark, size_t n) {
    au_dossier_init(d);
    d->program = program;
    d->when = "2026-01-02T03:04:05Z";
    d->seconds = 1.5;
    for (size_t i = 0; i < n; i++) {
        char id[16], message[64];
        au_case *c = au_dossier_add(d, AU_KIND_RACE);
        snprintf(id, sizeof id, "R%zu", i + 1);
        snprintf(message, sizeof message, "race on 'x%zu'", i);
        c->id = au_dossier_text_copy(d, id);
        c->message = au_dossier_text_copy(d, message);
        c->fingerprint = mark[i];
        c->standing = i ? AU_IS_POSSIBLE : AU_IS_PROVED;
        c->var = "x";
        au_case_event e = au_case_event_none();
        e.thread = "T1";
        e.index = 7;
        e.op = "write";
        e.file = "a.c";
        e.line = 3;
        e.location = "a.c:3";
        au_vec_push(&c->event, e);
    }
}

static uint64_t keep(au_store *s, const char *program, const char *const *mark, size_t n) {
    au_error err = AU_ERROR_NONE;
    au_store_run r;
    au_dossier d;
    assert_int_equal(au_store_claim(s, &r, &err), AU_OK);
    uint64_t number = r.number;
    make(&d, program, mark, n);
    if (au_store_keep(s, &r, &d, &err) != AU_OK)
        fail_msg("%s", err.text);
    au_store_leave(&r, true);
    au_dossier_release(&d);
    return number;
}

static const char *const two[] = {"0123456789abcdef", "0123ffffffffffff"};

static void round_trip(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    au_store *s = open_store();
    uint64_t last = 9;
    assert_int_equal(au_store_last_run(s, &last, &err), AU_OK);
    assert_int_equal(last, 0);
    assert_int_equal(keep(s, "/bin/a", two, 2), 1);
    au_store_close(s);
    s = open_store();
    assert_int_equal(au_store_last_run(s, &last, &err), AU_OK);
    assert_int_equal(last, 1);
    au_dossier d;
    au_dossier_init(&d);
    assert_int_equal(au_store_load(s, 1, &d, &err), AU_OK);
    assert_string_equal(d.program, "/bin/a");
    assert_string_equal(d.when, "2026-01-02T03:04:05Z");
    assert_int_equal(d.at.n, 2);
    assert_string_equal(d.at.at[0].fingerprint, two[0]);
    assert_string_equal(d.at.at[1].message, "race on 'x1'");
    assert_int_equal(d.at.at[1].standing, AU_IS_POSSIBLE);
    assert_int_equal(d.at.at[0].event.n, 1);
    assert_string_equal(d.at.at[0].event.at[0].file, "a.c");
    assert_int_equal(d.at.at[0].event.at[0].line, 3);
    au_dossier_release(&d);
    au_dossier_init(&d);
    assert_int_equal(au_store_load(s, 2, &d, &err), AU_EUSAGE);
    assert_non_null(strstr(err.text, "no run 2"));
    au_dossier_release(&d);
    au_store_close(s);
}

static void listed(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    au_store *s = open_store();
    keep(s, "/bin/a", two, 2);
    keep(s, "/bin/a", two, 1);
    au_store_rows rows;
    assert_int_equal(au_store_list(s, &rows, &err), AU_OK);
    assert_int_equal(rows.at.n, 2);
    assert_string_equal(rows.at.at[0].fingerprint, two[0]);
    assert_int_equal(rows.at.at[0].times, 2);
    assert_int_equal(rows.at.at[0].first_run, 1);
    assert_int_equal(rows.at.at[0].last_run, 2);
    assert_string_equal(rows.at.at[0].standing, "proved");
    assert_int_equal(rows.at.at[1].last_run, 1);
    assert_string_equal(rows.at.at[1].triage, "");
    au_store_rows_release(&rows);

    char mark[AU_FINGERPRINT + 1];
    assert_int_equal(au_store_find(s, "R1", mark, &err), AU_OK);
    assert_string_equal(mark, two[0]);
    assert_int_equal(au_store_find(s, "R2", mark, &err), AU_EUSAGE); /* not in the last run */
    assert_int_equal(au_store_find(s, "0123f", mark, &err), AU_OK);
    assert_string_equal(mark, two[1]);
    assert_int_equal(au_store_find(s, "0123", mark, &err), AU_EUSAGE);
    assert_non_null(strstr(err.text, "2 findings"));
    assert_int_equal(au_store_find(s, "9999", mark, &err), AU_EUSAGE);
    assert_int_equal(au_store_find(s, "012", mark, &err), AU_EUSAGE);
    assert_int_equal(au_store_find(s, "R1' OR 1", mark, &err), AU_EUSAGE);
    assert_int_equal(au_store_find(s, "", mark, &err), AU_EUSAGE);
    au_dossier d;
    au_dossier_init(&d);
    assert_int_equal(au_store_case(s, two[1], &d, &err), AU_OK);
    assert_string_equal(d.at.at[0].id, "R2");
    au_dossier_release(&d);
    au_store_close(s);
}

/* What the store makes of case i of 'two'. */
static au_case marked(au_store *s, size_t i, bool baseline, au_dossier *d) {
    au_error err = AU_ERROR_NONE;
    make(d, "/bin/a", two, 2);
    assert_int_equal(au_store_mark(s, d, baseline, &err), AU_OK);
    return d->at.at[i];
}

static void triaged(void **state) {
    (void)state;
    static const struct {
        const char *verdict;
        bool known;
    } c[] = {{"wontfix", true}, {"false-positive", true}, {"fixed", false}, {"", false}};
    au_error err = AU_ERROR_NONE;
    au_store *s = open_store();
    keep(s, "/bin/a", two, 2);
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        au_dossier d;
        assert_int_equal(au_store_triage(s, two[0], c[i].verdict, "it's so", &err), AU_OK);
        au_case k = marked(s, 0, false, &d);
        assert_string_equal(k.triage, c[i].verdict);
        assert_string_equal(k.note, *c[i].verdict ? "it's so" : "");
        assert_int_equal(k.known, c[i].known);
        assert_false(d.at.at[1].known);
        au_dossier_release(&d);
    }
    assert_int_not_equal(au_store_triage(s, two[0], "nonsense", "", &err), AU_OK);
    assert_int_not_equal(au_store_triage(s, "ffffffffffffffff", "fixed", "", &err), AU_OK);
    au_store_close(s);
}

static void baselines(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    au_store *s = open_store();
    size_t n = 9;
    au_dossier d;
    assert_int_equal(au_store_set_baseline(s, &n, &err), AU_OK);
    assert_int_equal(n, 0);
    keep(s, "/bin/a", two, 2);
    keep(s, "/bin/a", two, 1); /* the last run of this program counts */
    assert_int_equal(au_store_set_baseline(s, &n, &err), AU_OK);
    assert_int_equal(n, 1);
    assert_false(marked(s, 0, false, &d).known);
    au_dossier_release(&d);
    assert_true(marked(s, 0, true, &d).known);
    assert_false(d.at.at[1].known);
    assert_string_equal(d.at.at[0].note, "in the stored baseline");
    au_dossier_release(&d);
    au_store_close(s);
}

/* ---- old, new, broken ---- */

static void exec(const char *sql) {
    sqlite3 *db;
    char *path = au_sprintf("%s/augur.db", dir);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    free(path);
}

static void refused(au_status status, const char *text) {
    au_error err = AU_ERROR_NONE;
    assert_null(au_store_open(dir, true, &err));
    assert_int_equal(err.status, status);
    if (!strstr(err.text, text))
        fail_msg("'%s' is not in '%s'", text, err.text);
}

static void newer(void **state) {
    (void)state;
    au_store_close(open_store());
    exec("PRAGMA user_version = 99");
    refused(AU_EUNSUPPORTED, "written by a newer augur");
    char *back = au_sprintf("PRAGMA user_version = %d", AU_STORE_VERSION);
    exec(back);
    free(back);
    au_store_close(open_store());
}

static void older(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    mkdir(dir, 0777);
    char *path = au_sprintf("%s/augur.db", dir);
    au_store raw = {.dir = dir, .path = path};
    assert_int_equal(sqlite3_open(path, &raw.db), SQLITE_OK);
    assert_int_equal(au_store_migrate(&raw, 1, &err), AU_OK);
    int64_t n = 0;
    assert_int_equal(
        au_store_number(&raw, "SELECT count(*) FROM sqlite_master WHERE name = 'triage'", &n, &err),
        AU_OK);
    assert_int_equal(n, 0);
    assert_int_equal(
        au_store_exec(&raw,
                      "INSERT INTO run VALUES(4, '/bin/a', 'then', 1, '{}');"
                      "INSERT INTO finding VALUES('0123456789abcdef', 'race', 'm', 'p', 4,"
                      " 'then', 4, 'then');"
                      "INSERT INTO sighting VALUES(4, 0, '0123456789abcdef', 'R1',"
                      " 'proved', 'not tried', '{}')",
                      &err),
        AU_OK);
    sqlite3_close(raw.db);
    free(path);
    au_store *s = open_store();
    assert_int_equal(au_store_number(s, "PRAGMA user_version", &n, &err), AU_OK);
    assert_int_equal(n, AU_STORE_VERSION);
    au_store_rows rows;
    assert_int_equal(au_store_list(s, &rows, &err), AU_OK);
    assert_int_equal(rows.at.n, 1);
    au_store_rows_release(&rows);
    assert_int_equal(au_store_triage(s, two[0], "fixed", "", &err), AU_OK);
    au_store_close(s);
}

static void not_ours(void **state) {
    (void)state;
    mkdir(dir, 0777);
    exec("CREATE TABLE recipe(cake TEXT)");
    refused(AU_EFORMAT, "not one of augur");
}

static void damaged(void **state) {
    (void)state;
    char *path = au_sprintf("%s/augur.db", dir);
    mkdir(dir, 0777);
    FILE *f = fopen(path, "w");
    for (int i = 0; i < 1000; i++)
        fputs("this is no database\n", f);
    fclose(f);
    refused(AU_EFORMAT, "is damaged");
    free(path);
}

static void not_there(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    assert_null(au_store_open(dir, false, &err));
    assert_int_equal(err.status, AU_EUSAGE);
    assert_non_null(strstr(err.text, "'augur run PROGRAM' makes one"));
    FILE *f = fopen(dir, "w");
    fclose(f);
    assert_null(au_store_open(dir, true, &err));
    assert_int_equal(err.status, AU_EIO);
}

/* ---- directories ---- */

static bool is_there(uint64_t number) {
    char *path = au_sprintf("%s/runs/%llu", dir, (unsigned long long)number);
    bool yes = !access(path, F_OK);
    free(path);
    return yes;
}

static void pruned(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    au_store *s = open_store();
    static const char *const other[] = {"aaaaaaaaaaaaaaaa"};
    keep(s, "/bin/a", other, 1); /* the only one that shows it */
    for (int i = 2; i <= 5; i++)
        assert_int_equal(keep(s, "/bin/a", two, 2), i);
    au_store_run going, dead;
    assert_int_equal(au_store_claim(s, &going, &err), AU_OK);
    assert_int_equal(au_store_claim(s, &dead, &err), AU_OK);
    assert_int_equal(going.number, 6);
    assert_int_equal(dead.number, 7);
    close(dead.lock); /* as if its process had been killed */
    assert_int_equal(au_store_prune(s, 2, &err), AU_OK);
    assert_false(is_there(1));
    assert_false(is_there(3));
    assert_true(is_there(4));
    assert_true(is_there(5));
    assert_true(is_there(6));
    assert_false(is_there(7));
    int64_t n;
    assert_int_equal(au_store_number(s, "SELECT count(*) FROM run", &n, &err), AU_OK);
    assert_int_equal(n, 3);
    au_dossier d;
    au_dossier_init(&d);
    assert_int_equal(au_store_load(s, 1, &d, &err), AU_OK);
    assert_int_equal(au_store_load(s, 2, &d, &err), AU_EUSAGE);
    au_dossier_release(&d);
    au_store_leave(&going, false);
    assert_false(is_there(6));
    free(dead.dir);
    assert_int_equal(keep(s, "/bin/a", two, 2), 6);
    assert_int_equal(au_store_prune(s, 1, &err), AU_OK);
    assert_int_equal(keep(s, "/bin/a", two, 2), 7); /* a stored number is not used again */
    au_store_close(s);
}

/* ---- several processes ---- */

enum { PROCESSES = 4, TIMES = 12 };

static _Noreturn void child(int which) {
    static const char *const mark[] = {"0123456789abcdef", "0123ffffffffffff", "00000000000000aa"};
    au_error err = AU_ERROR_NONE;
    for (int i = 0; i < TIMES; i++) {
        au_store *s = au_store_open(dir, true, &err);
        au_store_run r;
        au_dossier d;
        if (!s || au_store_claim(s, &r, &err) != AU_OK)
            break;
        make(&d, which & 1 ? "/bin/a" : "/bin/b", mark, 3);
        if (au_store_keep(s, &r, &d, &err) != AU_OK || au_store_prune(s, 1000, &err) != AU_OK)
            break;
        au_store_leave(&r, true);
        au_store_close(s);
        au_dossier_release(&d);
        if (i == TIMES - 1)
            _exit(0);
    }
    fprintf(stderr, "%s\n", err.text);
    _exit(1);
}

/* A run that began earlier may be stored later. */
static void out_of_order(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    au_store *s = open_store();
    au_store_run r[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(au_store_claim(s, &r[i], &err), AU_OK);
    for (int i = 1; i >= 0; i--) {
        au_dossier d;
        make(&d, i ? "/bin/b" : "/bin/a", two, 1);
        d.when = i ? "2026-01-02T00:00:02Z" : "2026-01-02T00:00:01Z";
        assert_int_equal(au_store_keep(s, &r[i], &d, &err), AU_OK);
        au_store_leave(&r[i], true);
        au_dossier_release(&d);
    }
    au_store_rows rows;
    assert_int_equal(au_store_list(s, &rows, &err), AU_OK);
    assert_int_equal(rows.at.at[0].first_run, 1);
    assert_string_equal(rows.at.at[0].first_seen, "2026-01-02T00:00:01Z");
    assert_int_equal(rows.at.at[0].last_run, 2);
    assert_string_equal(rows.at.at[0].last_seen, "2026-01-02T00:00:02Z");
    assert_string_equal(rows.at.at[0].program, "/bin/b");
    au_store_rows_release(&rows);
    au_store_close(s);
}

/* Processes that all find no database: each sees it either empty or whole, never half made. */
static void made_at_once(void **state) {
    (void)state;
    enum { STORES = 60 };
    for (int n = 0; n < STORES; n++) {
        char *fresh = au_sprintf("%s-%d", dir, n);
        pid_t pid[PROCESSES];
        for (int i = 0; i < PROCESSES; i++)
            if (!(pid[i] = fork())) {
                au_error err = AU_ERROR_NONE;
                au_store *s = au_store_open(fresh, true, &err);
                if (!s)
                    fprintf(stderr, "%s\n", err.text);
                au_store_close(s);
                _exit(!s);
            }
        int wrong = 0;
        for (int i = 0; i < PROCESSES; i++) {
            int status;
            waitpid(pid[i], &status, 0);
            wrong |= status;
        }
        assert_int_equal(wrong, 0);
        free(fresh);
    }
}

static void at_once(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    pid_t pid[PROCESSES];
    for (int i = 0; i < PROCESSES; i++)
        if (!(pid[i] = fork()))
            child(i);
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        waitpid(pid[i], &status, 0);
        assert_int_equal(status, 0);
    }
    au_store *s = open_store();
    int64_t n;
    assert_int_equal(au_store_number(s, "SELECT count(*) FROM run", &n, &err), AU_OK);
    assert_int_equal(n, PROCESSES * TIMES);
    assert_int_equal(au_store_number(s, "SELECT count(*) FROM sighting", &n, &err), AU_OK);
    assert_int_equal(n, 3 * PROCESSES * TIMES);
    assert_int_equal(au_store_number(s, "SELECT count(*) FROM finding", &n, &err), AU_OK);
    assert_int_equal(n, 3);
    au_store_close(s);
}

/* A process that is killed while it stores: what is there is whole. */
static void killed(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    au_store_close(open_store());
    for (int k = 0; k < 12; k++) {
        pid_t pid = fork();
        if (!pid) {
            au_store *s = au_store_open(dir, true, &err);
            char *many[64];
            for (size_t i = 0; i < 64; i++)
                many[i] = au_sprintf("%016zx", i);
            for (;;)
                keep(s, "/bin/a", (const char *const *)many, 64);
        }
        usleep(3000 + 2700 * (useconds_t)k);
        kill(pid, SIGKILL);
        int status;
        waitpid(pid, &status, 0);
        assert_true(WIFSIGNALED(status));
        au_store *s = open_store();
        int64_t n;
        assert_int_equal(
            au_store_number(s,
                            "SELECT count(*) FROM run WHERE 64 != (SELECT count(*) FROM "
                            "sighting x WHERE x.run = run.id)",
                            &n, &err),
            AU_OK);
        assert_int_equal(n, 0);
        sqlite3_stmt *q = au_store_ask(s, &err, "PRAGMA integrity_check", "");
        au_status st;
        assert_true(au_store_row_next(s, q, &st, &err));
        assert_string_equal(au_store_text(q, 0), "ok");
        sqlite3_finalize(q);
        assert_int_equal(au_store_prune(s, 2, &err), AU_OK);
        au_store_close(s);
    }
}

int main(void) {
#define T(f) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = {T(round_trip), T(listed), T(triaged),      T(baselines),
                                       T(newer),      T(older),  T(not_ours),     T(damaged),
                                       T(not_there),  T(pruned), T(out_of_order), T(made_at_once),
                                       T(at_once),    T(killed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
