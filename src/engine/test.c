/* engine/test.c: see test.h. au_engine_test_do, at the end, is the list of the steps. */
#include "base/alloc.h"
#include "base/deadline.h"
#include "engine/forms.h"
#include "engine/keep.h"
#include "engine/test_cases.h"
#include "engine/test_priv.h"
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
static int run_command(const au_engine_test *t, char *const *argv, bool recorded) {
    bool aside =
        strcmp(au_opt_str(t->o, "format"), "text") && !strcmp(au_opt_str(t->o, "output"), "-");
    posix_spawn_file_actions_t files;
    pid_t pid;
    int status = 127 << 8;
    if (recorded)
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

/* What fails is run once more as it is: it may fail only since it is recorded. */
static void run_one(au_engine_test *t, char *const *argv) {
    int status = run_command(t, argv, true);
    if (!status)
        return;
    bool again = au_opt_flag(t->o, "retry") && !au_deadline_signal();
    if (again)
        t->watch->failed(t->watch->ctx, argv[0], status);
    if (again && !run_command(t, argv, false)) {
        t->only_recorded++;
        t->watch->only_recorded(t->watch->ctx, argv[0], status);
        return;
    }
    t->failed++;
    t->watch->ended(t->watch->ctx, argv[0], status);
}

static void set(char *const env[2], bool on) {
    for (size_t i = 0; i < 2 && env[i]; i++) {
        char *name = au_strndup(env[i], strcspn(env[i], "="));
        if (on)
            setenv(name, env[i] + strlen(name) + 1, 1);
        else
            unsetenv(name);
        free(name);
    }
}

/* Each of its cases by itself, or all of it if it has none. */
static void run_program(au_engine_test *t, const char *path) {
    au_test_cases c = {0};
    if (au_opt_flag(t->o, "cases"))
        au_test_cases_of(path, &c);
    for (size_t i = 0; i < c.n && !au_deadline_signal(); i++) {
        set(c.at[i].env, true);
        run_one(t, (char *const[]){(char *)(uintptr_t)path, c.at[i].arg, NULL});
        set(c.at[i].env, false);
    }
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
    au_test_begin_time(t);
    au_suite_list(&t->suite, &t->cases, &t->known, &t->killed, &t->refused);
    for (size_t i = 0; i < t->killed.n; i++)
        t->watch->killed(t->watch->ctx, t->killed.at[i]);
    for (size_t i = 0; i < t->refused.n; i++)
        t->watch->refused(t->watch->ctx, t->refused.at[i]);
    t->undecided += t->killed.n + t->refused.n + t->only_recorded;
    if (!t->cases.n && !t->known.n && !t->killed.n && !t->refused.n)
        return au_error_set(err, AU_EUNSUPPORTED,
                            "nothing that '%s' ran was built with 'augur cc' or 'augur c++'",
                            au_operand(t->o, 0));
    t->watch->recorded(t->watch->ctx, &t->cases, t->known.n);
    return AU_OK;
}

/* ---- before and afterwards ---- */

/* What would only be found out after the suite has run. */
static au_status read_files(au_engine_test *t, au_error *err) {
    const char *baseline = au_opt_str(t->o, "baseline"), *html = au_opt_str(t->o, "html");
    size_t n, known;
    char *const *file = au_opt_list(t->o, "suppressions", &n);
    au_status st = au_suppressions_read_shipped(&t->suppressions, err);
    for (size_t i = 0; i < n && st == AU_OK; i++)
        st = au_suppressions_read(&t->suppressions, file[i], err);
    if (st == AU_OK && baseline && strcmp(baseline, "stored"))
        st = au_baseline_mark(baseline, &t->dossier, &known, err);
    if (st == AU_OK)
        st = au_form_can_write(au_opt_str(t->o, "output"), err);
    if (st == AU_OK && html)
        st = au_form_can_write(html, err);
    return st;
}

/* Marks what is known, and puts together what has one cause: also across tests.
 * requires: dossier */
static au_status judge(au_engine_test *t, au_error *err) {
    const char *baseline = au_opt_str(t->o, "baseline");
    bool stored = baseline && !strcmp(baseline, "stored");
    size_t known;
    au_suppressions_mark(&t->suppressions, &t->dossier);
    au_status st = AU_OK;
    if (baseline && !stored)
        st = au_baseline_mark(baseline, &t->dossier, &known, err);
    if (st == AU_OK)
        st = au_keep_mark(t->o, &t->dossier, stored, err);
    au_dossier_fold(&t->dossier);
    au_dossier_number(&t->dossier);
    if (st == AU_OK)
        st = au_keep_compare(t->o, &t->dossier, err);
    return st;
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
    au_keep_put_when(d, t->when);
    au_status st = au_keep_claim(&keep, t->o, err);
    if (st == AU_OK)
        st = au_keep_store(&keep, t->o, d, err);
    au_keep_release(&keep);
    return st;
}

au_status au_engine_test_do(au_engine_test *t, const au_opts *o, const au_engine_test_watch *watch,
                            au_error *err) {
    *t = (au_engine_test){.o = o, .watch = watch, .suite = {.lock = -1}, .when = time(NULL)};
    au_dossier_init(&t->dossier);
    au_status st = read_files(t, err);
    if (st == AU_OK && au_opt_given(o, "since") &&
        !(t->since = au_since_open(au_opt_str(o, "since"), err)))
        st = err->status;
    if (st != AU_OK)
        return st;
    au_store *s = au_store_open(au_opt_str(o, "store"), true, err);
    st = s ? au_suite_open(&t->suite, au_opt_str(o, "store"), err) : err->status;
    au_store_close(s);
    if (st == AU_OK)
        st = au_test_put_known(t, err);
    if (st == AU_OK)
        st = run_suite(t, err);
    if (st != AU_OK)
        return st;
    au_test_analyse(t);
    st = judge(t, err);
    return st == AU_OK ? store(t, err) : st;
}

void au_engine_test_release(au_engine_test *t) {
    au_suite_close(&t->suite);
    au_suite_cases_release(&t->cases);
    au_suite_cases_release(&t->known);
    au_suite_names_release(&t->killed);
    au_suite_names_release(&t->refused);
    for (size_t i = 0; i < t->n_families; i++)
        au_test_children_release(&t->children[i]);
    free(t->children);
    au_suppressions_release(&t->suppressions);
    au_since_free(t->since);
    au_dossier_release(&t->dossier);
}
