/* cli/cmd_run.c: augur run: what came of it, and its exit status. What it does: engine/run.c. */
#include "base/deadline.h"
#include "base/progress.h"
#include "cli/dossier_out.h"
#include "cli/run.h"
#include "engine/run.h"

#include <string.h>

/* ---- on the way ---- */

static void remark(void *ctx, const char *text) {
    au_cli_note(ctx, "%s", text);
}

static void ended(void *ctx, const au_program *p, const au_run_result *r, const char *recording) {
    au_run_tell(ctx, p, r, recording);
}

static void recording(void *ctx) {
    if (au_progress_is_seen())
        au_cli_note(ctx, "recording; Ctrl-C stops it and checks");
}

static void not_explored(void *ctx, const au_error *why) {
    au_cli_note(ctx, "not explored: %s", why->text);
}

/* ---- at the end ---- */

static au_status tell(const au_engine_run *s, au_error *err) {
    const char *html = au_opt_str(s->o, "html");
    au_status st = au_cli_dossier(s->o, &s->dossier, au_opt_str(s->o, "format"),
                                  au_opt_str(s->o, "output"), err);
    if (st == AU_OK && html)
        st = au_cli_dossier(s->o, &s->dossier, "html", html, err);
    return st;
}

static int exit_status(const au_engine_run *s) {
    if (s->disagreed)
        return AU_EXIT_INTERNAL;
    if (s->program_failed)
        return AU_EXIT_FOUND;
    if (au_cli_counts(s->o, &s->dossier))
        return AU_EXIT_FOUND;
    if (au_deadline_signal())
        return AU_EXIT_INTERNAL;
    if (au_opt_flag(s->o, "exhaustive") && !au_dossier_is_exhaustive(&s->dossier))
        return AU_EXIT_INTERNAL;
    bool undecided = s->dossier.inconclusive.n || au_dossier_is_contradicted(&s->dossier);
    return undecided && au_cli_least(s->o) == AU_IS_POSSIBLE ? AU_EXIT_INTERNAL : AU_EXIT_NOTHING;
}

/* What was found is told even if it cannot be kept. st: what the run came to, said in err. */
static int finish(const au_engine_run *s, au_status st, const au_error *err) {
    if (st != AU_OK)
        au_cli_fail(err);
    au_error second = AU_ERROR_NONE;
    if ((s->dossier.at.n || st == AU_OK) && tell(s, &second) != AU_OK)
        return au_cli_fail(&second);
    return st != AU_OK ? AU_EXIT_USAGE : exit_status(s);
}

int au_cmd_run(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    au_engine_run s;
    au_engine_run_watch watch = {remark, ended, recording, not_explored, (void *)(uintptr_t)o};
    au_status st = au_engine_run_do(&s, o, &watch, &err);
    int status = st == AU_OK || s.runs ? finish(&s, st, &err) : au_cli_fail(&err);
    au_engine_run_release(&s);
    return status;
}
