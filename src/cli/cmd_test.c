/* cli/cmd_test.c: augur test: what came of it, and its exit status. What it does: engine/test.c. */
#include "base/deadline.h"
#include "cli/dossier_out.h"
#include "engine/test.h"

#include <string.h>
#include <sys/wait.h>

static void ended(void *ctx, const char *command, int status) {
    if (WIFSIGNALED(status))
        au_cli_note(ctx, "'%s' was killed by signal %d", command, WTERMSIG(status));
    else
        au_cli_note(ctx, "'%s' ended with status %d", command, WEXITSTATUS(status));
}

static void failed(void *ctx, const char *command, int status) {
    ended(ctx, command, status);
    au_cli_note(ctx, "running '%s' once more, without recording it (--no-retry leaves that)",
                command);
}

static void only_recorded(void *ctx, const char *command, int status) {
    (void)status;
    au_cli_note(
        ctx,
        "'%s' fails only when it is recorded: without that it passes. A time-out of a test, "
        "perhaps; give it more time",
        command);
}

static void killed(void *ctx, const char *name) {
    au_cli_note(ctx, "'%s' was killed before it ended, so it has no recording", name);
}

static void refused(void *ctx, const char *trouble) {
    au_cli_note(ctx, "%s", trouble);
}

static void no_child(void *ctx, const char *trouble) {
    au_cli_note(ctx, "a child of fork is not recorded: %s", trouble);
}

static void recorded(void *ctx, const au_suite_cases *c, size_t known) {
    size_t failed = 0;
    for (size_t i = 0; i < c->n; i++)
        failed += c->at[i].status != 0;
    au_cli_note(ctx, "%zu process%s recorded, %zu of them failed", c->n, c->n == 1 ? "" : "es",
                failed);
    if (known)
        au_cli_note(ctx, "%zu process%s as before, not recorded again (--again does)", known,
                    known == 1 ? " is" : "es are");
}

static void analysed(void *ctx, const au_suite_case *c, const char *trouble) {
    if (trouble)
        au_cli_note(ctx, "'%s' is not analysed: %s", c->name, trouble);
}

static int exit_status(const au_engine_test *t) {
    if (t->failed || au_cli_counts(t->o, &t->dossier))
        return AU_EXIT_FOUND;
    if (au_deadline_signal() || t->undecided)
        return AU_EXIT_INTERNAL;
    if (au_opt_flag(t->o, "exhaustive") && !au_dossier_is_exhaustive(&t->dossier))
        return AU_EXIT_INTERNAL;
    bool undecided = t->dossier.inconclusive.n || au_dossier_is_contradicted(&t->dossier);
    return undecided && au_cli_least(t->o) == AU_IS_POSSIBLE ? AU_EXIT_INTERNAL : AU_EXIT_NOTHING;
}

static au_status tell(const au_engine_test *t, au_error *err) {
    const char *html = au_opt_str(t->o, "html");
    au_status st = au_cli_dossier(t->o, &t->dossier, au_opt_str(t->o, "format"),
                                  au_opt_str(t->o, "output"), err);
    if (st == AU_OK && html)
        st = au_cli_dossier(t->o, &t->dossier, "html", html, err);
    return st;
}

int au_cmd_test(const au_opts *o) {
    au_error err = AU_ERROR_NONE, second = AU_ERROR_NONE;
    au_engine_test t;
    au_engine_test_watch watch = {failed,   only_recorded, ended,
                                  killed,   refused,       no_child,
                                  recorded, analysed,      (void *)(uintptr_t)o};
    au_status st = au_engine_test_do(&t, o, &watch, &err);
    int status = AU_EXIT_USAGE;
    if (st != AU_OK)
        au_cli_fail(&err);
    if (t.n_children)
        au_cli_note(o, "%zu child%s of fork", t.n_children, t.n_children == 1 ? "" : "ren");
    if (t.since && t.cases.n)
        au_cli_note(o, "%zu of %zu recordings execute nothing that was changed since '%s'",
                    t.elsewhere, t.cases.n + t.n_children, au_opt_str(o, "since"));
    if (t.cases.n && t.same)
        au_cli_note(o, "%zu recording%s as before, not analysed again (--again does)", t.same,
                    t.same == 1 ? " is" : "s are");
    if (t.cases.n + t.known.n && tell(&t, &second) != AU_OK)
        status = au_cli_fail(&second);
    else if (st == AU_OK)
        status = exit_status(&t);
    au_engine_test_release(&t);
    return status;
}
