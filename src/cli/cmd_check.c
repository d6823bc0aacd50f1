/* cli/cmd_check.c: augur check. */
#include "base/clock.h"
#include "cli/check_job.h"
#include "cli/dossier_out.h"
#include "engine/check.h"
#include "engine/check_options.h"
#include "engine/inputs.h"

#include <limits.h>
#include <stdio.h>
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

/* Of a check that was done in shards: what all of them took. */
static double seconds_of(const au_check_job *job) {
    const au_dossier *merged = job->merged;
    double sum = 0;
    if (!merged)
        return au_now() - job->begun;
    for (size_t i = 0; i < merged->shard.part.n; i++)
        sum += merged->shard.part.at[i].seconds;
    return sum;
}

static bool is_timeless(const au_opts *o, const au_check_job *job) {
    return !au_opt_flag(o, "stats") || (job->merged && job->merged->timeless);
}

static void report_text(const au_opts *o, const au_engine_check *u, const au_check_job *job,
                        au_out *out) {
    const au_check_outcome *c = au_engine_check_outcome(u);
    const au_names *names = au_engine_check_names(u);
    const au_recording_facts *facts = u->of_model ? NULL : u->trace.facts;
    const char **input = au_input_names(o);
    au_report r = {.input = input,
                   .n_inputs = au_operands(o),
                   .names = names,
                   .threads = names->thread.n,
                   .events = facts ? facts->hooks : c->events,
                   .locks = c->locks,
                   .vars = names->var.n,
                   .findings = &c->findings,
                   .inconclusive = c->inconclusive.at,
                   .n_inconclusive = c->inconclusive.n,
                   .note = c->note.at,
                   .n_notes = c->note.n,
                   .nondet = c->has_nondet ? &c->nondet : NULL,
                   .seconds = seconds_of(job),
                   .timeless = is_timeless(o, job),
                   .most = (size_t)au_opt_int(o, "most"),
                   .color =
                       !strcmp(au_opt_str(o, "output"), "-") && au_cli_color(o, STDOUT_FILENO)};
    for (int k = 0; k < AU_KINDS; k++)
        r.funnel[k] = c->looked_for[k] ? &c->funnel[k] : NULL;
    au_report_text(&r, out);
    free(input);
}

/* What the JSON says of shards: whose result it is, and what is needed to go on. */
static void put_shard(const au_opts *o, const au_check_job *job, au_dossier *d) {
    const au_dossier *merged = job->merged;
    au_error err = AU_ERROR_NONE;
    char here[PATH_MAX];
    if (!job->answers || (merged && au_answers_cover_all(job->answers)) ||
        au_cli_identify(o, d, &err) != AU_OK)
        return;
    d->shard.of = job->answers->shards;
    au_answers_write(job->answers, d);
    for (size_t i = 0; merged && i < merged->shard.part.n; i++) {
        au_case_part p = merged->shard.part.at[i];
        p.directory = au_dossier_text_copy(d, p.directory);
        au_vec_push(&d->shard.part, p);
    }
    for (uint32_t i = 0; !merged && i < job->answers->shards; i++) {
        au_case_part p = {i + 1, "", d->seconds, d->peak_kib};
        if (getcwd(here, sizeof here))
            p.directory = au_dossier_text_copy(d, here);
        if (job->answers->cover[i])
            au_vec_push(&d->shard.part, p);
    }
}

/* For programs: everything that is known of each finding. */
static void report_dossier(const au_opts *o, const au_engine_check *u, const au_check_job *job,
                           au_out *out) {
    const char *format = au_opt_str(o, "format");
    au_dossier d;
    au_dossier_init(&d);
    au_engine_check_dossier(u, !strcmp(format, "html"), &d);
    d.seconds = seconds_of(job);
    for (size_t i = 0; job->merged && i < job->merged->shard.part.n; i++) {
        const au_case_part *part = &job->merged->shard.part.at[i];
        d.peak_kib = !i || part->peak_kib > d.peak_kib ? part->peak_kib : d.peak_kib;
    }
    d.timeless = is_timeless(o, job);
    if (!strcmp(format, "json"))
        put_shard(o, job, &d);
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
    return c->inconclusive.n ? AU_EXIT_INTERNAL : AU_EXIT_NOTHING;
}

static int check(const au_opts *o, au_engine_check *u, const au_check_job *job) {
    au_error err = AU_ERROR_NONE;
    au_out *out = au_out_open(au_opt_str(o, "output"), &err);
    if (!out)
        return au_cli_fail(&err);
    teller online = {au_engine_check_names(u), out};
    if (u->plan.stream && !u->of_model && !strcmp(au_opt_str(o, "format"), "text")) {
        u->plan.found = tell;
        u->plan.ctx = &online;
    }
    u->plan.exact.answers = job->answers;
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
        au_cli_can_shard(o, "--shard", &err) != AU_OK)
        return au_cli_fail(&err);
    au_answers_init(&answers, shards);
    au_answers_cover(&answers, shard - 1);
    int status = au_cli_check(o, &(au_check_job){.begun = begun, .answers = &answers});
    au_answers_release(&answers);
    return status;
}

int au_cmd_check(const au_opts *o) {
    double begun = au_now();
    if (au_opt_given(o, "on"))
        return au_cli_check_on(o);
    if (au_opt_given(o, "shard"))
        return check_shard(o, begun);
    return au_cli_check(o, &(au_check_job){.begun = begun});
}
