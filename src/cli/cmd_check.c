/* cli/cmd_check.c: augur check. */
#include "base/clock.h"
#include "cli/check_job.h"
#include "cli/check_options.h"
#include "cli/dossier_out.h"
#include "explore/family.h"
#include "funnel/dossier.h"
#include "funnel/graphs.h"
#include "model/ctp.h"
#include "model/from_trace.h"
#include "model/merge.h"
#include "model/run.h"
#include "trace/recording.h"

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

/* Of one of these. */
typedef struct {
    const au_checked *trace;
    const au_check_outcome *outcome;
    const au_model_view *view; /* of a model; else NULL */
    const au_check_job *job;
} result;

/* Of a check that was done in shards: what all of them took. */
static double seconds_of(const result *from) {
    const au_dossier *merged = from->job->merged;
    double sum = 0;
    if (!merged)
        return au_now() - from->job->begun;
    for (size_t i = 0; i < merged->shard.part.n; i++)
        sum += merged->shard.part.at[i].seconds;
    return sum;
}

static bool is_timeless(const au_opts *o, const result *from) {
    return !au_opt_flag(o, "stats") || (from->job->merged && from->job->merged->timeless);
}

static void report_text(const au_opts *o, const result *from, au_out *out) {
    const au_check_outcome *c = from->outcome;
    const au_names *names = from->view ? &from->view->names : from->trace->names;
    const au_recording_facts *facts = from->view ? NULL : from->trace->facts;
    const char **input = au_cli_inputs(o);
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
                   .seconds = seconds_of(from),
                   .timeless = is_timeless(o, from),
                   .most = (size_t)au_opt_int(o, "most"),
                   .color =
                       !strcmp(au_opt_str(o, "output"), "-") && au_cli_color(o, STDOUT_FILENO)};
    for (int k = 0; k < AU_KINDS; k++)
        r.funnel[k] = c->looked_for[k] ? &c->funnel[k] : NULL;
    au_report_text(&r, out);
    free(input);
}

/* What the JSON says of shards: whose result it is, and what is needed to go on. */
static void put_shard(const au_opts *o, const result *from, au_dossier *d) {
    const au_check_job *job = from->job;
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
static void report_dossier(const au_opts *o, const result *from, au_out *out) {
    const char **input = au_cli_inputs(o), *format = au_opt_str(o, "format");
    au_dossier_options how = {.input = input,
                              .n_inputs = au_operands(o),
                              .seconds = seconds_of(from),
                              .steps = AU_ORDER_STEPS,
                              .sources = true};
    au_dossier d;
    au_dossier_init(&d);
    if (from->view)
        au_dossier_of_model(&d, from->outcome, from->view, &how);
    else
        au_dossier_of_check(&d, from->trace, &how);
    for (size_t i = 0; from->job->merged && i < from->job->merged->shard.part.n; i++) {
        const au_case_part *part = &from->job->merged->shard.part.at[i];
        d.peak_kib = !i || part->peak_kib > d.peak_kib ? part->peak_kib : d.peak_kib;
    }
    d.timeless = is_timeless(o, from);
    if (!strcmp(format, "json"))
        put_shard(o, from, &d);
    if (!strcmp(format, "html") && from->view)
        au_dossier_graph_of_model(&d, from->view->m);
    else if (!strcmp(format, "html"))
        au_dossier_graphs(&d, from->trace, AU_MOST_GRAPHS);
    AU_BUG_IF(!au_cli_put_dossier(&d, format, out));
    au_dossier_release(&d);
    free(input);
}

static int report(const au_opts *o, const result *from, au_out *out, au_error *err) {
    const au_check_outcome *c = from->outcome;
    if (!strcmp(au_opt_str(o, "format"), "text"))
        report_text(o, from, out);
    else
        report_dossier(o, from, out);
    if (au_out_commit(out, err) != AU_OK)
        return au_cli_fail(err);
    if (c->disagreed)
        return AU_EXIT_INTERNAL;
    if (c->findings.finding.n)
        return AU_EXIT_FOUND;
    return c->inconclusive.n ? AU_EXIT_INTERNAL : AU_EXIT_NOTHING;
}

/* --- traces --------------------------------------------------------------------------- */

static int check_trace(const au_opts *o, au_check_plan *p, const au_check_job *job) {
    au_error err = AU_ERROR_NONE;
    au_read_options how;
    au_checked c;
    if (au_cli_read_options(o, &how, &err) ||
        au_checked_open(&c, au_operand(o, 0), p, &how, &err) != AU_OK)
        return au_cli_fail(&err);
    au_out *out = au_out_open(au_opt_str(o, "output"), &err);
    teller online = {c.names, out};
    if (!out) {
        au_checked_release(&c);
        return au_cli_fail(&err);
    }
    if (p->stream && !strcmp(au_opt_str(o, "format"), "text")) {
        p->found = tell;
        p->ctx = &online;
    }
    int status;
    if (au_checked_run(&c, p, &err) == AU_OK) {
        status = report(o, &(result){.trace = &c, .outcome = &c.outcome, .job = job}, out, &err);
    } else {
        status = au_cli_fail(&err);
        au_out_abandon(out);
    }
    au_checked_release(&c);
    return status;
}

/* --- models ----------------------------------------------------------------------------- */

static au_model *load_model(const au_opts *o, const char *path, au_error *err) {
    if (au_cli_is_model(o, path)) {
        au_ctp_options how = {0};
        if (au_opt_given(o, "unroll"))
            how.unroll = (uint32_t)au_opt_int(o, "unroll");
        return au_ctp_load(path, &how, err);
    }
    au_read_options how;
    if (au_cli_read_options(o, &how, err))
        return NULL;
    au_trace *t = au_trace_load(path, &how, err);
    au_model *m = t ? au_model_from_trace(t, NULL, err) : NULL;
    au_trace_free(t);
    if (!m)
        au_error_note(err, "'%s'", path);
    return m;
}

/* One input is a model by itself, several are merged. */
static au_model *load_models(const au_opts *o, au_error *err) {
    size_t n = au_operands(o), loaded = 0;
    au_model **one = au_alloc_array(n, sizeof *one), *m = NULL;
    while (loaded < n && (one[loaded] = load_model(o, au_operand(o, loaded), err)))
        loaded++;
    if (loaded == n && n == 1)
        m = one[--loaded];
    else if (loaded == n)
        m = au_model_merge((const au_model *const *)one, n, err);
    while (loaded > 0)
        au_model_free(one[--loaded]);
    free(one);
    if (m && m->thread.n > AU_MAX_THREADS) {
        au_error_set(err, AU_EUNSUPPORTED, "a model with more than %u threads", AU_MAX_THREADS);
        au_model_free(m);
        m = NULL;
    }
    if (m)
        au_model_observe(m);
    return m;
}

/* --- recordings of one program ------------------------------------------------------------- */

static bool is_recording(const au_opts *o, const char *path) {
    if (au_cli_is_model(o, path))
        return false;
    au_reader *r = au_reader_open(path, NULL, NULL);
    au_block b;
    bool yes = r && au_reader_next(r, &b, NULL) == AU_OK && au_reader_facts(r);
    if (r)
        au_reader_free(r);
    return yes;
}

static bool are_recordings(const au_opts *o) {
    for (size_t i = 0; i < au_operands(o); i++)
        if (!is_recording(o, au_operand(o, i)))
            return false;
    return true;
}

/* All runs as one model (explore/family.h). NULL: they do not go together. */
static au_family *load_runs(const au_opts *o, const au_check_plan *p, au_error *err) {
    au_family_options how = {.checks = p->checks};
    au_family *f = au_family_new(&how);
    for (size_t i = 0; i < au_operands(o); i++)
        if (au_family_add(f, au_operand(o, i), NULL, err) != AU_OK) {
            au_family_free(f);
            return NULL;
        }
    au_family_plain(f);
    return f;
}

static int check_runs(const au_opts *o, au_check_plan *p, au_family *f, const au_check_job *job) {
    au_error err = AU_ERROR_NONE;
    int status = AU_EXIT_INTERNAL;
    const au_model *m = au_family_model(f);
    au_check_outcome c;
    au_model_view view;
    au_check_outcome_init(&c);
    au_model_view_init(&view, m);
    if (au_operands(o) > 1)
        au_check_note(&c,
                      "%zu runs of one program, merged: threads go any way that they went in one "
                      "of them",
                      au_operands(o));
    au_out *out = au_out_open(au_opt_str(o, "output"), &err);
    if (!out) {
        status = au_cli_fail(&err);
    } else if (au_check_model(&p->exact, m, &view, &c, &err) != AU_OK) {
        if (err.status == AU_EUSAGE)
            au_error_note(&err, "in these runs ('augur explore' finds others)");
        status = au_cli_fail(&err);
        au_out_abandon(out);
    } else {
        au_family_tell(f, &c.findings, &view.names);
        au_checked_order(&c.findings, p->exact.first);
        status = report(o, &(result){.outcome = &c, .view = &view, .job = job}, out, &err);
    }
    au_check_outcome_release(&c);
    au_model_view_release(&view);
    au_family_free(f);
    return status;
}

static int check_models(const au_opts *o, au_check_plan *p, const char *why,
                        const au_check_job *job) {
    au_error err = AU_ERROR_NONE;
    au_model *m = load_models(o, &err);
    if (!m)
        return au_cli_fail(&err);
    int status = AU_EXIT_INTERNAL;
    au_check_outcome c;
    au_model_view view;
    au_check_outcome_init(&c);
    au_model_view_init(&view, m);
    bool traces = false;
    for (size_t i = 0; i < au_operands(o); i++)
        traces |= !au_cli_is_model(o, au_operand(o, i));
    if (traces)
        au_check_note(&c,
                      "runs that are merged: reads keep the values they saw, and schedules count "
                      "the steps of the merged model, so that they cannot be replayed%s%s%s",
                      *why ? " (" : "", why, *why ? ")" : "");
    au_out *out = au_out_open(au_opt_str(o, "output"), &err);
    if (!out) {
        status = au_cli_fail(&err);
    } else if (au_check_model(&p->exact, m, &view, &c, &err) != AU_OK) {
        status = au_cli_fail(&err);
        au_out_abandon(out);
    } else {
        au_checked_order(&c.findings, p->exact.first);
        status = report(o, &(result){.outcome = &c, .view = &view, .job = job}, out, &err);
    }
    au_check_outcome_release(&c);
    au_model_view_release(&view);
    au_model_free(m);
    return status;
}

int au_cli_check(const au_opts *o, const au_check_job *job) {
    au_error err = AU_ERROR_NONE, why = AU_ERROR_NONE;
    au_check_plan p;
    bool merged = au_operands(o) > 1, reach = au_opt_given(o, "reach");
    bool runs = (merged || reach) && are_recordings(o);
    bool model = merged || runs || au_cli_is_model(o, au_operand(o, 0));
    if (au_check_options(o, model && !runs, &p, &err) != AU_OK)
        return au_cli_fail(&err);
    p.exact.answers = job->answers;
    if (!model)
        return check_trace(o, &p, job);
    au_family *f = runs ? load_runs(o, &p, &why) : NULL;
    if (f)
        return check_runs(o, &p, f, job);
    if (runs && reach)
        return au_cli_fail(&why);
    return check_models(o, &p, why.text, job);
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
