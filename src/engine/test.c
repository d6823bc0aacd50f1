/* engine/test.c: see test.h. au_engine_test_do, at the end, is the list of the steps. */
#include "engine/test.h"

#include "base/alloc.h"
#include "base/aside.h"
#include "base/deadline.h"
#include "base/progress.h"
#include "engine/keep.h"
#include "engine/run.h"
#include "engine/test_cases.h"
#include "engine/test_seen.h"
#include "program/elf.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the suite ---- */

static bool is_ours(const char *path) {
    au_elf e;
    au_error err = AU_ERROR_NONE;
    if (!strchr(path, '/') || access(path, X_OK) || au_elf_open(&e, path, &err) != AU_OK)
        return false;
    bool ours = au_elf_recordable(&e, path, &err) == AU_OK;
    au_elf_close(&e);
    return ours;
}

/* Its output goes where ours goes; if the report takes standard output, to standard error. */
static int run_command(const au_engine_test *t, char *const *argv) {
    bool aside =
        strcmp(au_opt_str(t->o, "format"), "text") && !strcmp(au_opt_str(t->o, "output"), "-");
    posix_spawn_file_actions_t files;
    pid_t pid;
    int status = 127 << 8;
    setenv(AU_SUITE_VARIABLE, t->suite.dir, 1);
    posix_spawn_file_actions_init(&files);
    if (aside)
        posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    fflush(NULL);
    au_deadline_recording(true); /* Ctrl-C is the suite's */
    if (posix_spawnp(&pid, argv[0], &files, NULL, argv, environ) == 0)
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
    au_deadline_recording(false);
    posix_spawn_file_actions_destroy(&files);
    unsetenv(AU_SUITE_VARIABLE);
    return status;
}

static void run_one(au_engine_test *t, char *const *argv) {
    int status = run_command(t, argv);
    if (!status)
        return;
    t->failed++;
    t->watch->ended(t->watch->ctx, argv[0], status);
}

/* Each of its cases by itself, or all of it if it has none. */
static void run_program(au_engine_test *t, const char *path) {
    au_test_cases c = {0};
    if (au_opt_flag(t->o, "cases"))
        au_test_cases_of(path, &c);
    for (size_t i = 0; i < c.n && !au_deadline_signal(); i++)
        run_one(t, (char *const[]){(char *)(uintptr_t)path, c.at[i], NULL});
    if (!c.n)
        run_one(t, (char *const[]){(char *)(uintptr_t)path, NULL});
    au_test_cases_release(&c);
}

/* requires: suite; fills: cases, failed */
static au_status run_suite(au_engine_test *t, au_error *err) {
    bool programs = true;
    for (size_t i = 0; i < au_operands(t->o); i++)
        programs &= is_ours(au_operand(t->o, i));
    if (!programs)
        run_one(t, au_operand_rest(t->o, 0));
    for (size_t i = 0; i < au_operands(t->o) && programs && !au_deadline_signal(); i++)
        run_program(t, au_operand(t->o, i));
    au_suite_end(&t->suite);
    au_suite_list(&t->suite, &t->cases);
    if (!t->cases.n)
        return au_error_set(err, AU_EUNSUPPORTED,
                            "nothing that '%s' ran was built with 'augur cc' or 'augur c++'",
                            au_operand(t->o, 0));
    t->watch->recorded(t->watch->ctx, &t->cases);
    return AU_OK;
}

enum { TROUBLE = sizeof((au_error *)0)->text };

/* ---- one recording ---- */

static void no_remark(void *ctx, const char *text) {
    (void)ctx;
    (void)text;
}
static void no_end(void *ctx, const au_program *p, const au_run_result *r, const char *recording) {
    (void)ctx;
    (void)p;
    (void)r;
    (void)recording;
}
static void no_recording(void *ctx) {
    (void)ctx;
}
static void no_exploration(void *ctx, const au_error *why) {
    (void)ctx;
    (void)why;
}

typedef AU_VEC(char *) words;

/* As 'augur run' would be called for it. Caller frees both. */
static au_opts *run_options(const au_engine_test *t, const au_suite_case *c, double seconds,
                            words *argv, au_error *err) {
    const au_command *run = au_command_by_name("run");
    size_t n;
    char **given =
        au_opts_words(t->o, "again|cases|keep|format|output|html|budget|most|verbose", &n);
    for (size_t i = 0; i < n; i++)
        au_vec_push(argv, given[i]);
    free(given);
    au_vec_push(argv, au_sprintf("--budget=%.3f", seconds));
    au_vec_push(argv, au_strdup("--keep=1000000"));
    au_vec_push(argv, au_sprintf("--recorded=%s", c->trace));
    au_vec_push(argv, au_strdup("--"));
    au_vec_push(argv, au_strdup(c->exe));
    return au_opts_parse(run, (int)argv->n, argv->at, err);
}

/* A recording that is analysed, in a process of its own: what goes wrong with one is no matter of the others. */
typedef struct {
    const au_engine_test *t;
    const au_suite_case *c;
    double seconds; /* that it has; 0: no limit */
    au_aside *child;
} analysis;

/* Writes the number of its run, or why there is none. */
static void analyse(void *ctx, au_out *out) {
    static const au_engine_run_watch quiet = {no_remark, no_end, no_recording, no_exploration,
                                              NULL};
    const analysis *a = ctx;
    au_error err = AU_ERROR_NONE;
    words argv = {0};
    au_engine_run s;
    au_opts *o = run_options(a->t, a->c, a->seconds, &argv, &err);
    au_status st = o ? au_engine_run_do(&s, o, &quiet, &err) : err.status;
    if (st == AU_OK)
        au_out_u64(out, s.keep.run.number);
    else
        au_out_str(out, err.text);
    if (o)
        au_engine_run_release(&s);
}

/* Which is its run, 0: there is none, said in trouble. */
static uint64_t end_of(analysis *a, char trouble[TROUBLE]) {
    const char *text = "";
    size_t n = 0;
    uint64_t run = 0;
    bool begun = a->child != NULL, whole = begun && au_aside_wait(a->child, &text, &n);
    for (size_t i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
        run = 10 * run + (uint64_t)(text[i] - '0');
    if (whole && !run)
        snprintf(trouble, TROUBLE, "%.*s", (int)(n < 900 ? n : 900), text);
    else if (!whole)
        snprintf(trouble, TROUBLE, "%s",
                 au_deadline_signal() || !begun ? "no time was left (--budget)"
                                                : "its analysis ended without an answer");
    au_aside_free(a->child);
    a->child = NULL;
    return whole ? run : 0;
}

/* ---- all of them ---- */

static void add_test(au_dossier *d, au_case *c, const char *name) {
    for (size_t i = 0; i < c->test.n; i++)
        if (!strcmp(c->test.at[i], name))
            return;
    au_vec_push(&c->test, au_dossier_text_copy(d, name));
}

/* What the run found, said of this case. */
static au_status take(au_engine_test *t, const au_suite_case *c, uint64_t run, bool *covered,
                      au_error *err) {
    au_dossier one;
    au_dossier_init(&one);
    au_store *s = au_store_open(au_opt_str(t->o, "store"), false, err);
    au_status st = s ? au_store_load(s, run, &one, err) : err->status;
    au_store_close(s);
    if (st == AU_OK) {
        for (size_t i = 0; i < one.at.n; i++) {
            au_vec_clear(&one.at.at[i].test);
            add_test(&one, &one.at.at[i], c->name);
        }
        *covered = au_dossier_is_exhaustive(&one);
        au_dossier_join(&t->dossier, &one);
    }
    au_dossier_release(&one);
    return st;
}

/* One that an earlier suite had is not analysed again. */
static bool is_seen(au_engine_test *t, const au_test_seen *seen, const au_suite_case *c,
                    bool *all) {
    au_error err = AU_ERROR_NONE;
    uint64_t run = au_opt_flag(t->o, "again") ? 0 : au_test_seen_run(seen, c->hash);
    return run && take(t, c, run, all, &err) == AU_OK;
}

/* What it has found; false, and why, if nobody knows. */
static bool finish(au_engine_test *t, analysis *a, au_test_seen *seen, bool *all,
                   char trouble[TROUBLE]) {
    au_error err = AU_ERROR_NONE;
    uint64_t run = end_of(a, trouble);
    if (!run)
        return false;
    if (take(t, a->c, run, all, &err) != AU_OK) {
        snprintf(trouble, TROUBLE, "%s", err.text);
        return false;
    }
    au_test_seen_add(seen, a->c->hash, run);
    return true;
}

/* An analysis ends by itself at its time, and reports what it has: the command waits so much longer for the last. */
static double grace(double budget) {
    return budget > 0 ? 2 + budget / 10 : 0;
}

/* Starts analyses until 'jobs' go on. 'left' recordings share what is left of the time. */
static void start_some(const au_engine_test *t, analysis *a, size_t n, size_t *next, size_t going,
                       size_t left, unsigned jobs) {
    double budget = au_opt_number(t->o, "budget");
    for (; *next < n && going < jobs; ++*next) {
        analysis *x = &a[*next];
        double time = au_deadline_left() - grace(budget);
        if (time <= 0 || au_deadline_over())
            break;
        x->seconds = budget > 0 ? time * jobs / (double)(left > jobs ? left : jobs) : 0;
        x->child = au_aside_start(analyse, x);
        going++;
    }
}

/* requires: cases; fills: dossier, same, undecided */
static void analyse_all(au_engine_test *t) {
    AU_VEC(analysis) todo = {0};
    au_test_seen seen;
    size_t covered = 0, next = 0;
    unsigned jobs = (unsigned)au_opt_int(t->o, "jobs");
    jobs = au_aside_jobs(jobs);
    au_test_seen_read(&seen, au_opt_str(t->o, "store"));
    double budget = au_opt_number(t->o, "budget");
    au_deadline_set(budget > 0 ? budget + grace(budget) : 0);
    for (size_t i = 0; i < t->cases.n; i++) {
        bool all = false;
        if (is_seen(t, &seen, &t->cases.at[i], &all))
            t->same++;
        else
            au_vec_push(&todo, ((analysis){.t = t, .c = &t->cases.at[i]}));
        covered += all;
    }
    for (size_t i = 0; i < todo.n; i++) {
        bool all = false;
        char trouble[TROUBLE] = "";
        start_some(t, todo.at, todo.n, &next, next - i, todo.n - i, jobs);
        au_progress("analysing, recording", i + 1, todo.n);
        bool good = finish(t, &todo.at[i], &seen, &all, trouble);
        next = next > i ? next : i + 1;
        covered += all;
        t->undecided += !good;
        au_progress_found(t->dossier.at.n);
        t->watch->analysed(t->watch->ctx, todo.at[i].c, good ? NULL : trouble);
    }
    au_vec_release(&todo);
    au_progress_end();
    au_test_seen_release(&seen);
    t->dossier.explored = "";
    if (covered < t->cases.n) { /* the sentence about coverage is of one run */
        char why[80];
        t->dossier.claim = "";
        t->dossier.covered = false;
        t->dossier.open.n = 0;
        snprintf(why, sizeof why, "%zu of %zu recordings are not covered", t->cases.n - covered,
                 t->cases.n);
        au_dossier_not_covered(&t->dossier, why, "a larger --budget");
    }
}

/* The suite is a run of the store, too: 'augur report' and 'augur list --last' are about it.
 * requires: dossier */
static au_status store(au_engine_test *t, au_error *err) {
    au_keep keep = AU_KEEP_NONE;
    au_dossier *d = &t->dossier;
    d->program = au_dossier_text_copy(d, au_operand(t->o, 0));
    au_vec_clear(&d->arg);
    for (size_t i = 1; i < au_operands(t->o); i++)
        au_vec_push(&d->arg, au_dossier_text_copy(d, au_operand(t->o, i)));
    au_dossier_number(d);
    au_status st = au_keep_claim(&keep, t->o, err);
    au_store *s = st == AU_OK ? au_store_open(au_opt_str(t->o, "store"), true, err) : NULL;
    if (st == AU_OK)
        st = s ? au_store_keep(s, &keep.run, d, err) : err->status;
    keep.stored = st == AU_OK;
    if (st == AU_OK)
        st = au_store_prune(s, (uint64_t)au_opt_int(t->o, "keep") + 1 + 2 * t->cases.n, err);
    au_store_close(s);
    au_keep_release(&keep);
    return st;
}

au_status au_engine_test_do(au_engine_test *t, const au_opts *o, const au_engine_test_watch *watch,
                            au_error *err) {
    *t = (au_engine_test){.o = o, .watch = watch, .suite = {.lock = -1}};
    au_dossier_init(&t->dossier);
    au_store *s = au_store_open(au_opt_str(o, "store"), true, err);
    au_status st = s ? au_suite_open(&t->suite, au_opt_str(o, "store"), err) : err->status;
    au_store_close(s);
    if (st == AU_OK)
        st = run_suite(t, err);
    if (st != AU_OK)
        return st;
    analyse_all(t);
    return store(t, err);
}

void au_engine_test_release(au_engine_test *t) {
    au_suite_close(&t->suite);
    au_suite_cases_release(&t->cases);
    au_dossier_release(&t->dossier);
}
