/* cli/cmd_check.c: augur check. What it does: engine/check.c. */
#include "base/clock.h"
#include "base/deadline.h"
#include "cli/check.h"
#include "cli/dossier_out.h"
#include "engine/check_on.h"
#include "engine/check_options.h"
#include "engine/inputs.h"
#include "report/common.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Online: what is found is told at once, on a terminal or into a pipe. */
typedef struct {
    const au_names *names;
    au_out *out;
} teller;

static void tell(void *ctx, const au_finding *f) {
    teller *t = ctx;
    au_out_printf(t->out, "%s  ", au_standing_name(f->standing));
    au_finding_message(t->names, f, t->out);
    au_out_char(t->out, '\n');
    au_out_flush(t->out, NULL);
}

static void report_text(const au_opts *o, const au_engine_check *u, const au_check_job *job,
                        au_out *out) {
    au_case_look look = {.color = !strcmp(au_opt_str(o, "output"), "-") &&
                                  au_cli_color(o, STDOUT_FILENO),
                         .most = (size_t)au_opt_int(o, "most"),
                         .brief = true,
                         .verbose = au_opt_flag(o, "verbose")};
    au_dossier d;
    au_dossier_init(&d);
    au_engine_check_brief(u, look.most, &d);
    d.seconds = au_check_job_seconds(job);
    d.timeless = au_check_job_timeless(o, job);
    au_dossier_text(&d, &look, out);
    au_dossier_release(&d);
}

/* For programs: everything that is known of each finding. */
static void report_dossier(const au_opts *o, const au_engine_check *u, const au_check_job *job,
                           au_out *out) {
    const char *format = au_opt_str(o, "format");
    au_dossier d;
    au_dossier_init(&d);
    au_check_job_dossier(o, u, job, format, &d);
    AU_BUG_IF(!au_form_put(&d, format, out));
    au_dossier_release(&d);
}

static int report(const au_opts *o, const au_engine_check *u, const au_check_job *job, au_out *out,
                  au_error *err) {
    const au_check_outcome *c = au_engine_check_outcome(u);
    if (!strcmp(au_opt_str(o, "format"), "text"))
        report_text(o, u, job, out);
    else
        report_dossier(o, u, job, out);
    if (au_out_commit(out, err) != AU_OK)
        return au_cli_fail(err);
    if (c->disagreed)
        return AU_EXIT_INTERNAL;
    if (c->findings.finding.n)
        return AU_EXIT_FOUND;
    return c->inconclusive.n || au_deadline_signal() ? AU_EXIT_INTERNAL : AU_EXIT_NOTHING;
}

static int check(const au_opts *o, au_engine_check *u, const au_check_job *job) {
    au_error err = AU_ERROR_NONE;
    au_out *out = au_out_open(au_opt_str(o, "output"), &err);
    if (!out)
        return au_cli_fail(&err);
    teller online = {au_engine_check_names(u), out};
    if (u->plan.stream && !u->of_model && !strcmp(au_opt_str(o, "format"), "text")) {
        u->run.found = tell;
        u->run.ctx = &online;
    }
    u->run.answers = job->answers;
    if (au_engine_check_run(u, &err) == AU_OK)
        return report(o, u, job, out, &err);
    au_out_abandon(out);
    return au_cli_fail(&err);
}

int au_cli_check(const au_opts *o, const au_check_job *job) {
    au_error err = AU_ERROR_NONE;
    au_engine_check u;
    if (au_engine_check_open(&u, o, &err) != AU_OK)
        return au_cli_fail(&err);
    int status = check(o, &u, job);
    au_engine_check_release(&u);
    return status;
}

static int check_shard(const au_opts *o, double begun) {
    au_error err = AU_ERROR_NONE;
    au_answers answers;
    uint32_t shard, shards;
    if (au_shard_option(au_opt_str(o, "shard"), &shard, &shards, &err) != AU_OK ||
        au_check_can_shard(o, "--shard", &err) != AU_OK)
        return au_cli_fail(&err);
    au_answers_init(&answers, shards);
    au_answers_cover(&answers, shard - 1);
    int status = au_cli_check(o, &(au_check_job){.begun = begun, .answers = &answers});
    au_answers_release(&answers);
    return status;
}

static void remark(void *ctx, const char *text) {
    au_cli_note(ctx, "%s", text);
}

/* --on: the shards of a check on other machines. */
static int check_on(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    au_dossier merged;
    au_answers answers;
    int stopped;
    au_status st =
        au_engine_check_on(o, remark, (void *)(uintptr_t)o, &merged, &answers, &stopped, &err);
    if (stopped) {
        /* Nothing is left; it dies of the signal, as other commands do. */
        signal(stopped, SIG_DFL);
        raise(stopped);
    }
    int status = st != AU_OK ? au_cli_fail(&err) : au_cli_check_merged(o, &merged, &answers);
    au_answers_release(&answers);
    au_dossier_release(&merged);
    return status;
}

int au_cmd_check(const au_opts *o) {
    double begun = au_now();
    if (au_opt_given(o, "on"))
        return check_on(o);
    if (au_opt_given(o, "shard"))
        return check_shard(o, begun);
    return au_cli_check(o, &(au_check_job){.begun = begun});
}
