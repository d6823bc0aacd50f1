/* The C interface (include/augur/augur.h), from outside: this program links libaugur.so and nothing
 * else of augur. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants these first */
#include <augur/augur.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RACE AU_SOURCE_ROOT "/examples/traces/hidden_race.std"
#define FIG1 AU_SOURCE_ROOT "/tests/models/fig1.ctp"

static au_api_check *check_of(const char *path) {
    au_api_check *c = au_api_check_new();
    assert_int_equal(au_api_check_add(c, path), AU_API_OK);
    return c;
}

static void test_trace(void **state) {
    (void)state;
    au_api_check *c = check_of(RACE);
    au_api_result *r = au_api_check_run(c);
    assert_non_null(r);
    assert_int_equal(au_api_check_status(c), AU_API_OK);
    au_api_check_free(c); /* the result does without */
    const au_api_summary *s = au_api_result_summary(r);
    assert_int_equal(s->answer, AU_API_FOUND);
    assert_int_equal(s->findings, 1);
    assert_int_equal(s->events, 7);
    assert_int_equal(s->threads, 2);
    assert_int_equal(s->locks, 1);
    const au_api_finding *f = au_api_result_finding(r, 0);
    assert_string_equal(f->id, "R1");
    assert_int_equal(f->kind, AU_API_RACE);
    assert_int_equal(f->standing, AU_API_PROVED);
    assert_string_equal(f->object, "balance");
    assert_int_equal(strlen(f->fingerprint), 16);
    assert_int_equal(f->events, 2);
    const au_api_event *e = au_api_finding_event(f, 1);
    assert_string_equal(e->thread, "T2");
    assert_string_equal(e->op, "write");
    assert_string_equal(e->file, "audit.c");
    assert_int_equal(e->line, 20);
    assert_int_equal(e->index, 4);
    assert_null(au_api_finding_event(f, 2));
    assert_int_equal(f->turns, 2);
    assert_string_equal(au_api_finding_turn(f, 0)->thread, "T2");
    assert_int_equal(au_api_finding_turn(f, 0)->upto, 3);
    assert_null(au_api_finding_turn(f, 2));
    assert_true(f->steps >= 4);
    assert_null(au_api_finding_step(f, f->steps));
    assert_null(au_api_result_finding(r, 1));
    bool races = false;
    const au_api_funnel *n;
    for (size_t i = 0; (n = au_api_result_funnel(r, i)); i++)
        if (!strcmp(n->kind, "race")) {
            races = true;
            assert_true(n->left[0] >= 1 && n->left[0] != AU_API_NOT_RUN);
        }
    assert_true(races);
    assert_string_equal(au_api_stage_name(0), "candidates");
    assert_null(au_api_stage_name(1000));
    au_api_result_free(r);
}

static void test_model_and_options(void **state) {
    (void)state;
    au_api_check *c = check_of(FIG1);
    assert_int_equal(au_api_check_set(c, "prop", "assert"), AU_API_OK);
    assert_int_equal(au_api_check_set(c, "backend", "both"), AU_API_OK);
    au_api_result *r = au_api_check_run(c);
    assert_non_null(r);
    const au_api_finding *f = au_api_result_finding(r, 0);
    assert_int_equal(f->kind, AU_API_ASSERTION);
    assert_int_equal(f->standing, AU_API_PROVED);
    assert_string_equal(au_api_finding_event(f, 0)->label, "t12");
    au_api_result_free(r);
    /* Three changes of thread are more than it takes, none too few. */
    assert_int_equal(au_api_check_set(c, "context-bound", "0"), AU_API_OK);
    r = au_api_check_run(c);
    assert_int_equal(au_api_result_summary(r)->answer, AU_API_NOTHING);
    au_api_result_free(r);
    assert_int_equal(au_api_check_set(c, "context-bound", NULL), AU_API_OK);
    assert_int_equal(au_api_check_set(c, "prefix", "no"), AU_API_OK);
    assert_int_equal(au_api_check_set(c, "first", "yes"), AU_API_OK);
    r = au_api_check_run(c);
    assert_non_null(r);
    au_api_result_free(r);
    au_api_check_free(c);
}

static void refused(au_api_check *c, au_api_status status, au_api_status want, const char *text) {
    assert_int_equal(status, want);
    assert_int_equal(au_api_check_status(c), want);
    if (!strstr(au_api_check_error(c), text))
        fail_msg("'%s' in '%s'", text, au_api_check_error(c));
}

static void test_errors(void **state) {
    (void)state;
    char bad[] = "/tmp/augur-api-XXXXXX";
    int fd = mkstemp(bad);
    assert_true(fd >= 0 && write(fd, "T1|acq(m)|1\nT2|acq(m)|2\n", 24) == 24);
    close(fd);
    au_api_check *c = au_api_check_new();
    assert_null(au_api_check_run(c));
    refused(c, au_api_check_status(c), AU_API_EUSAGE, "needs an input");
    refused(c, au_api_check_add(c, "/nowhere/at.all"), AU_API_EIO, "/nowhere/at.all");
    refused(c, au_api_check_add(c, "/tmp"), AU_API_EIO, "/tmp");
    refused(c, au_api_check_add(c, "-"), AU_API_EUSAGE, "standard input");
    refused(c, au_api_check_set(c, "no-such", "1"), AU_API_EUSAGE, "'no-such'");
    refused(c, au_api_check_set(c, "output", "x"), AU_API_EUSAGE, "'output'");
    refused(c, au_api_check_set(c, "backend", "abacus"), AU_API_EUSAGE, "abacus");
    refused(c, au_api_check_set(c, "jobs", "-1"), AU_API_EUSAGE, "-1");
    refused(c, au_api_check_set(c, "first", "maybe"), AU_API_EUSAGE, "maybe");
    refused(c, au_api_check_limit(c, -1), AU_API_EUSAGE, "seconds");
    assert_int_equal(au_api_check_add(c, bad), AU_API_OK);
    assert_null(au_api_check_run(c));
    refused(c, au_api_check_status(c), AU_API_EFORMAT, ":2: thread 'T2' acquires 'm'");
    assert_int_equal(au_api_check_set(c, "context-bound", "x"), AU_API_OK); /* the run will say */
    assert_null(au_api_check_run(c));
    assert_int_equal(au_api_check_status(c), AU_API_EUSAGE);
    au_api_check_free(c);
    unlink(bad);
    au_api_check_free(NULL);
    au_api_result_free(NULL);
}

static void test_limit(void **state) {
    (void)state;
    /* A pipe that nobody writes to: reading it takes for ever. */
    char path[] = "/tmp/augur-api-XXXXXX", pipe_name[64];
    assert_non_null(mkdtemp(path));
    snprintf(pipe_name, sizeof pipe_name, "%s/pipe", path);
    assert_int_equal(mkfifo(pipe_name, 0600), 0);
    au_api_check *c = check_of(pipe_name);
    assert_int_equal(au_api_check_limit(c, 0.2), AU_API_OK);
    assert_null(au_api_check_run(c));
    assert_int_equal(au_api_check_status(c), AU_API_ETIMEOUT);
    au_api_check_free(c);
    unlink(pipe_name);
    rmdir(path);
}

static void test_reports(void **state) {
    (void)state;
    static const char *const form[][2] = {{"json", "\"findings\""},
                                          {"sarif", "\"2.1.0\""},
                                          {"junit", "<testsuite"},
                                          {"html", "<!doctype html>"},
                                          {"text", "balance"}};
    char path[] = "/tmp/augur-api-XXXXXX", error[100] = "";
    close(mkstemp(path));
    au_api_check *c = check_of(RACE);
    au_api_result *r = au_api_check_run(c);
    for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
        size_t n;
        char *text = au_api_result_report(r, form[i][0], &n);
        assert_non_null(text);
        assert_int_equal(strlen(text), n);
        if (!strcasestr(text, form[i][1]))
            fail_msg("no '%s' in %s", form[i][1], form[i][0]);
        assert_int_equal(au_api_result_write(r, form[i][0], path, error, sizeof error), AU_API_OK);
        assert_string_equal(error, "");
        FILE *f = fopen(path, "r");
        char *back = calloc(1, n + 2);
        assert_int_equal(fread(back, 1, n + 1, f), n);
        assert_memory_equal(back, text, n);
        fclose(f);
        free(back);
        au_api_free(text);
    }
    assert_null(au_api_result_report(r, "poem", NULL));
    assert_int_equal(au_api_result_write(r, "poem", path, error, sizeof error), AU_API_EUSAGE);
    assert_non_null(strstr(error, "poem"));
    assert_int_equal(au_api_result_write(r, "json", "/nowhere/x", error, 10), AU_API_EIO);
    assert_int_equal(strlen(error), 9);
    assert_int_equal(au_api_result_write(r, "json", "-", NULL, 0), AU_API_EUSAGE);
    au_api_result_free(r);
    au_api_check_free(c);
    unlink(path);
}

static size_t open_descriptors(void) {
    size_t n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

/* Signals, descriptors, buffers and rounding of the caller stay as they were; its children, too. */
static void test_good_guest(void **state) {
    (void)state;
    char log[] = "/tmp/augur-api-XXXXXX";
    FILE *f = fdopen(mkstemp(log), "w+");
    fputs("once", f); /* in the buffer when the library forks */
    struct sigaction before[NSIG], after;
    sigset_t mask_before, mask_after;
    for (int s = 1; s < NSIG; s++)
        sigaction(s, NULL, &before[s]);
    sigprocmask(SIG_SETMASK, NULL, &mask_before);
    size_t descriptors = open_descriptors();
    au_api_check *c = check_of(FIG1);
    au_api_result *r = au_api_check_run(c);
    assert_non_null(r);
    assert_int_equal(open_descriptors(), descriptors);
    for (int s = 1; s < NSIG; s++)
        if (!sigaction(s, NULL, &after))
            assert_ptr_equal(after.sa_handler, before[s].sa_handler);
    sigprocmask(SIG_SETMASK, NULL, &mask_after);
    assert_memory_equal(&mask_before, &mask_after, sizeof mask_before);
    assert_int_equal(fegetround(), FE_TONEAREST);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left */
    fflush(f);
    assert_int_equal(ftell(f), 4);
    fseek(f, 0, SEEK_END);
    assert_int_equal(ftell(f), 4);
    fclose(f);
    unlink(log);
    au_api_result_free(r);
    /* A caller that does not want to hear of children. */
    signal(SIGCHLD, SIG_IGN);
    r = au_api_check_run(c);
    assert_non_null(r);
    assert_int_equal(au_api_result_summary(r)->answer, AU_API_FOUND);
    signal(SIGCHLD, SIG_DFL);
    au_api_result_free(r);
    au_api_check_free(c);
}

static void *in_thread(void *path) {
    au_api_check *c = au_api_check_new();
    size_t found = 0;
    for (int i = 0; i < 3; i++) {
        au_api_result *r = NULL;
        if ((i || au_api_check_add(c, path) == AU_API_OK) && (r = au_api_check_run(c)))
            found += au_api_result_summary(r)->findings;
        au_api_free(r ? au_api_result_report(r, "json", NULL) : NULL);
        au_api_result_free(r);
    }
    au_api_check_free(c);
    return (void *)found; /* NOLINT */
}

static void test_threads(void **state) {
    (void)state;
    pthread_t t[4];
    char race[] = RACE;
    void *found;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, in_thread, race), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], &found);
        assert_int_equal((uintptr_t)found, 3);
    }
}

static void *reads(void *stream) {
    return (void *)(intptr_t)fgetc(stream); /* NOLINT */
}

/* Another thread holds the lock of a stream, for as long as it likes. */
static void test_blocked_reader(void **state) {
    (void)state;
    int ends[2];
    pthread_t t;
    void *got;
    assert_int_equal(pipe(ends), 0);
    FILE *f = fdopen(ends[0], "r");
    assert_int_equal(pthread_create(&t, NULL, reads, f), 0);
    usleep(20000); /* it reads, most likely; the test is right in any case */
    au_api_check *c = check_of(FIG1);
    assert_int_equal(au_api_check_limit(c, 60), AU_API_OK);
    au_api_result *r = au_api_check_run(c);
    assert_non_null(r);
    au_api_result_free(r);
    au_api_check_free(c);
    assert_int_equal(write(ends[1], "x", 1), 1);
    pthread_join(t, &got);
    assert_int_equal((intptr_t)got, 'x');
    fclose(f);
    close(ends[1]);
}

static void test_names(void **state) {
    (void)state;
    assert_string_equal(au_api_kind_name(AU_API_LOCK_MISUSE), "lock-misuse");
    assert_string_equal(au_api_kind_name((au_api_kind)77), "");
    assert_string_equal(au_api_standing_name(AU_API_REFUTED), "refuted");
    assert_string_equal(au_api_standing_name((au_api_standing)77), "");
    char start[16];
    snprintf(start, sizeof start, "%d.%d.", AU_API_MAJOR, AU_API_MINOR);
    assert_int_equal(strncmp(au_api_version(), start, strlen(start)), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace),   cmocka_unit_test(test_model_and_options),
        cmocka_unit_test(test_errors),  cmocka_unit_test(test_limit),
        cmocka_unit_test(test_reports), cmocka_unit_test(test_good_guest),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_blocked_reader),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
