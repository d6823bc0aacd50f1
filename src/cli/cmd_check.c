/* cli/cmd_check.c: augur check. */
#include "base/clock.h"
#include "cli/check.h"
#include "cli/knowledge.h"
#include "model/ctp.h"
#include "model/from_trace.h"
#include "model/merge.h"
#include "model/run.h"
#include "trace/recording.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Is this kind looked for? By default all that the input supports. */
static bool wants(const au_opts *o, const char *prop, bool by_default) {
    return au_opt_given(o, "prop") ? au_opt_has(o, "prop", prop) : by_default;
}

static au_check_plan plan(const au_opts *o) {
    static const struct {
        const char *name;
        au_block_kind kind;
    } blocks[] = {{"auto", AU_BLOCKS_AUTO},
                  {"marked", AU_BLOCKS_MARKED},
                  {"critical", AU_BLOCKS_CRITICAL},
                  {"function", AU_BLOCKS_FUNCTION},
                  {"none", AU_BLOCKS_NONE}};
    au_check_plan p = {.race = wants(o, "race", true),
                       .atomicity = wants(o, "atomicity", true),
                       .deadlock = wants(o, "deadlock", true),
                       .locks = wants(o, "locks", true),
                       .nondet = wants(o, "nondet", false),
                       .values = au_opt_flag(o, "values"),
                       .pairs = !strcmp(au_opt_str(o, "pairs"), "observed"),
                       .effort = (uint64_t)au_opt_int(o, "effort"),
                       .all = au_opt_flag(o, "all"),
                       .budget = (uint64_t)au_opt_int(o, "schedules")};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (!strcmp(au_opt_str(o, "atomic"), blocks[i].name))
            p.blocks = blocks[i].kind;
    p.stream = au_opt_flag(o, "stream") || !strcmp(au_operand(o, 0), "-");
    return p;
}

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

/* By kind; of a kind the most certain ones first, then in the order of the trace. */
static int by_standing(const void *a, const void *b) {
    const au_finding *x = a, *y = b;
    if (x->kind != y->kind)
        return (int)x->kind - (int)y->kind;
    if (x->standing != y->standing)
        return (int)x->standing - (int)y->standing;
    for (uint32_t i = 0; i < x->n_events && i < y->n_events; i++)
        if (x->event[i].number != y->event[i].number)
            return x->event[i].number < y->event[i].number ? -1 : 1;
    return 0;
}

/* --first: one finding, of whatever kind. */
static void keep_most_certain(au_findings *f) {
    if (!f->finding.n)
        return;
    size_t best = 0;
    for (size_t i = 1; i < f->finding.n; i++)
        if (f->finding.at[i].standing < f->finding.at[best].standing)
            best = i;
    f->finding.at[0] = f->finding.at[best];
    f->finding.n = 1;
}

static int report(const au_opts *o, const au_check_outcome *c, const au_names *names,
                  const au_recording_facts *facts, double seconds, au_out *out, au_error *err) {
    const char **input = au_alloc_array(au_operands(o), sizeof *input);
    for (size_t i = 0; i < au_operands(o); i++)
        input[i] = au_operand(o, i);
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
                   .seconds = seconds,
                   .most = (size_t)au_opt_int(o, "most"),
                   .color =
                       !strcmp(au_opt_str(o, "output"), "-") && au_cli_color(o, STDOUT_FILENO)};
    for (int k = 0; k < AU_KINDS; k++)
        r.funnel[k] = c->looked_for[k] ? &c->funnel[k] : NULL;
    if (!strcmp(au_opt_str(o, "format"), "json"))
        au_report_json(&r, out);
    else
        au_report_text(&r, out);
    free(input);
    if (au_out_commit(out, err) != AU_OK)
        return au_cli_fail(err);
    if (c->disagreed)
        return AU_EXIT_INTERNAL;
    if (c->findings.finding.n)
        return AU_EXIT_FOUND;
    return c->inconclusive.n ? AU_EXIT_INTERNAL : AU_EXIT_NOTHING;
}

static int conclude(const au_opts *o, au_check_outcome *c, const au_names *names,
                    const au_recording_facts *facts, double begun, au_out *out, au_error *err) {
    if (c->findings.finding.n)
        qsort(c->findings.finding.at, c->findings.finding.n, sizeof *c->findings.finding.at,
              by_standing);
    if (au_opt_flag(o, "first"))
        keep_most_certain(&c->findings);
    return report(o, c, names, facts, au_now() - begun, out, err);
}

/* --- traces --------------------------------------------------------------------------- */

static int check_trace(const au_opts *o, au_check_plan *p, double begun) {
    au_error err = AU_ERROR_NONE;
    au_read_options how;
    if (au_cli_read_options(o, &how, &err))
        return au_cli_fail(&err);
    how.fold = true; /* what one thread alone touches cannot go wrong */
    how.calls = p->blocks == AU_BLOCKS_FUNCTION;
    au_reader *r = au_reader_open(au_operand(o, 0), &how, &err);
    if (!r)
        return au_cli_fail(&err);
    au_out *out = au_out_open(au_opt_str(o, "output"), &err);
    au_check_outcome c;
    au_check_outcome_init(&c);
    au_trace *t = NULL;
    teller online = {au_reader_names(r), out};
    int status = AU_EXIT_INTERNAL;
    if (!out) {
        status = au_cli_fail(&err);
        goto done;
    }
    if (p->stream && strcmp(au_opt_str(o, "format"), "json")) {
        p->found = tell;
        p->ctx = &online;
    }
    au_status st;
    au_knowledge_source source;
    au_knowledge_options(&source, o, r, &how);
    if (au_reader_format(r) == AU_FORMAT_BINARY && p->exact.semantics == AU_SEM_CTP)
        p->source = &source;
    if (p->stream && p->nondet) {
        st = au_error_set(&err, AU_EUSAGE,
                          "nondeterminism needs the whole trace: not with --stream or '-'");
    } else if (p->stream) {
        st = au_check_stream(p, r, &c, &err);
    } else {
        t = au_trace_load_from(r, &err);
        if (!au_reader_facts(r))
            p->source = NULL; /* a trace without a program */
        st = t ? au_check_trace(p, t, &c, &err) : err.status;
    }
    if (st == AU_OK) {
        au_check_failed_run(t, au_reader_facts(r), &c);
        status = conclude(o, &c, t ? &t->names : au_reader_names(r), au_reader_facts(r), begun, out,
                          &err);
    } else {
        status = au_cli_fail(&err);
        au_out_abandon(out);
    }
done:
    au_trace_free(t);
    au_check_outcome_release(&c);
    au_reader_free(r);
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

static int check_models(const au_opts *o, au_check_plan *p, double begun) {
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
                      "the steps of the merged model, so that they cannot be replayed");
    au_out *out = au_out_open(au_opt_str(o, "output"), &err);
    if (!out) {
        status = au_cli_fail(&err);
    } else if (au_check_model(&p->exact, m, &view, &c, &err) != AU_OK) {
        status = au_cli_fail(&err);
        au_out_abandon(out);
    } else {
        status = conclude(o, &c, &view.names, NULL, begun, out, &err);
    }
    au_check_outcome_release(&c);
    au_model_view_release(&view);
    au_model_free(m);
    return status;
}

int au_cmd_check(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    au_check_plan p = plan(o);
    double begun = au_now();
    bool model = au_operands(o) > 1 || au_cli_is_model(o, au_operand(o, 0));
    if (au_exact_options(o, model, &p.exact, &err) != AU_OK)
        return au_cli_fail(&err);
    return model ? check_models(o, &p, begun) : check_trace(o, &p, begun);
}
