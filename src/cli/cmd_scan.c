/* cli/cmd_scan.c: augur scan. */
#include "base/clock.h"
#include "cli/dossier_out.h"
#include "cli/scan.h"
#include "engine/inputs.h"
#include "report/dossier.h"

#include <string.h>
#include <unistd.h>

static void options(const au_opts *o, au_scan_options *s) {
    *s = (au_scan_options)AU_SCAN_DEFAULTS;
    s->props = (au_opt_has(o, "prop", "race") ? AU_PROP_RACE : 0) |
               (au_opt_has(o, "prop", "assert") ? AU_PROP_ASSERT : 0) |
               (au_opt_has(o, "prop", "deadlock") ? AU_PROP_DEADLOCK : 0);
    for (au_scan_stage i = AU_SCAN_MUST_HB; i < AU_SCAN_STAGES; i++)
        if (!strcmp(au_opt_str(o, "stages"), au_scan_stage_name(i)))
            s->last = i;
    for (int i = 0; i < AU_DOMAINS; i++)
        if (!strcmp(au_opt_str(o, "domain"), au_domain_name((au_domain_kind)i)))
            s->domain = (au_domain_kind)i;
    s->no_reduce = !au_opt_flag(o, "reduce");
    s->no_spurious = !au_opt_flag(o, "spurious");
    s->pairs = au_opt_flag(o, "pairs");
    s->rounds = (unsigned)au_opt_int(o, "rounds");
    s->most_nodes = (size_t)au_opt_int(o, "max-nodes");
    s->invariant_seconds = au_opt_number(o, "graph-timeout");
    s->unroll = (uint32_t)au_opt_int(o, "unroll");
    s->solver_seconds = au_opt_number(o, "timeout");
    s->seconds = au_opt_number(o, "budget");
    s->jobs = (unsigned)au_opt_int(o, "jobs");
    s->memory_bytes = (uint64_t)au_opt_int(o, "memory") << 20;
}

/* More undecided races than anybody would read four lines of each. */
static bool too_many(const au_opts *o, const au_scan_result *r) {
    size_t n = 0, most = (size_t)au_opt_int(o, "brief");
    for (size_t i = 0; i < r->warning.n; i++)
        n += r->warning.at[i].kind == AU_KIND_RACE && r->warning.at[i].end == AU_SCAN_UNDECIDED;
    return most && n > most;
}

static void report_text(const au_opts *o, const au_scan_result *r, const au_check_outcome *c,
                        const au_model_view *view, size_t n_inputs, const au_scan_told *told,
                        bool brief, double begun, au_out *out) {
    au_findings shown = {.arena = c->findings.arena}; /* borrows all of them */
    for (size_t i = 0; i < c->findings.finding.n; i++) {
        const au_warning *w = i < told->n ? &r->warning.at[told->at[i]] : NULL;
        if (!brief || !w || w->kind != AU_KIND_RACE || w->end != AU_SCAN_UNDECIDED)
            au_vec_push(&shown.finding, c->findings.finding.at[i]);
    }
    const char **input = au_input_names(o);
    au_report t = {.input = input,
                   .n_inputs = n_inputs,
                   .names = &view->names,
                   .threads = view->m->thread.n,
                   .events = view->m->step.n,
                   .locks = view->locks,
                   .vars = view->vars,
                   .findings = &shown,
                   .inconclusive = c->inconclusive.at,
                   .n_inconclusive = c->inconclusive.n,
                   .note = c->note.at,
                   .n_notes = c->note.n,
                   .seconds = au_now() - begun,
                   .most = (size_t)au_opt_int(o, "most"),
                   .color =
                       !strcmp(au_opt_str(o, "output"), "-") && au_cli_color(o, STDOUT_FILENO)};
    for (int k = 0; k < AU_KINDS; k++)
        t.funnel[k] = c->looked_for[k] ? &c->funnel[k] : NULL;
    au_scan_table(r, out);
    if (brief)
        au_scan_list(r, view->m, (size_t)au_opt_int(o, "top"), out);
    au_report_text(&t, out);
    au_vec_release(&shown.finding);
    free(input);
}

static void make_dossier(const au_opts *o, const au_check_outcome *c, const au_model_view *view,
                         size_t n_inputs, double begun, au_dossier *d) {
    const char **input = au_input_names(o);
    au_dossier_options how = {.input = input,
                              .n_inputs = n_inputs,
                              .seconds = au_now() - begun,
                              .steps = AU_ORDER_STEPS,
                              .sources = true};
    au_dossier_of_model(d, c, view, &how);
    free(input);
}

static int svcomp(const au_opts *o, const au_scan_result *r, const au_scan_input *in, au_out *out,
                  au_error *err) {
    static const char *const word[] = {"TRUE", "FALSE", "UNKNOWN"};
    const char *why, *file = au_opt_str(o, "witness");
    au_svcomp v = au_scan_svcomp(r, in, &why);
    au_out_printf(out, "%s\n", word[v]);
    if (*why)
        au_cli_note(o, "%s", why);
    if (au_out_commit(out, err) != AU_OK)
        return au_cli_fail(err);
    if (v == AU_SVCOMP_FALSE && file) {
        au_out *w = au_out_open(file, err);
        if (!w)
            return au_cli_fail(err);
        au_scan_svcomp_witness(r, in, au_operand(o, 0), w);
        if (au_out_commit(w, err) != AU_OK)
            return au_cli_fail(err);
    }
    return v == AU_SVCOMP_TRUE    ? AU_EXIT_NOTHING
           : v == AU_SVCOMP_FALSE ? AU_EXIT_FOUND
                                  : AU_EXIT_INTERNAL;
}

/* What somebody has settled ('augur triage') does not count. */
static int status(const au_scan_result *r, const au_dossier *d, const au_check_outcome *c) {
    size_t left = 0;
    for (size_t i = 0; i < r->warning.n; i++)
        left += r->warning.at[i].end != AU_SCAN_GONE;
    for (size_t i = 0; i < d->at.n; i++)
        left -= d->at.at[i].standing != AU_IS_REFUTED && d->at.at[i].known;
    return left ? AU_EXIT_FOUND : c->inconclusive.n ? AU_EXIT_INTERNAL : AU_EXIT_NOTHING;
}

static bool excludes(const void *ctx, uint32_t guard, uint32_t other) {
    return au_guards_exclude(ctx, guard, other);
}

int au_cmd_scan(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    double begun = au_now();
    au_scan_options how;
    au_scan_input in;
    options(o, &how);
    if (au_scan_input_open(o, &in, &err) != AU_OK) {
        au_scan_input_release(&in);
        return au_cli_fail(&err);
    }
    how.exact = in.exact;
    how.vague = in.vague;
    if (in.source) {
        how.waits = in.source->waits;
        how.guard = in.source->guard.at;
        how.excludes = excludes;
        how.guards = &in.source->guards;
    }
    au_scan_result r;
    if (au_scan_run(in.m, &how, &r, &err) != AU_OK) {
        au_scan_input_release(&in);
        return au_cli_fail(&err);
    }
    au_check_outcome c;
    au_model_view view;
    au_check_outcome_init(&c);
    au_model_view_init(&view, in.m);
    au_scan_told told = {0};
    au_dossier d;
    au_dossier_init(&d);
    c.events = in.m->step.n;
    c.locks = view.locks;
    bool text = !strcmp(au_opt_str(o, "format"), "text"), brief = text && too_many(o, &r);
    au_scan_tell(&r, &in, &view, au_opt_flag(o, "all"), &c, &told);
    int st = AU_EXIT_INTERNAL;
    if (!au_opt_flag(o, "svcomp")) {
        make_dossier(o, &c, &view, in.n_files, begun, &d);
        au_scan_functions(&r, &in, &told, &d);
        au_scan_execute(o, &r, &in, &told, &c, &d);
        d.seconds = au_now() - begun;
    }
    au_out *out = au_out_open(au_opt_str(o, "output"), &err);
    if (!out) {
        st = au_cli_fail(&err);
    } else if (au_opt_flag(o, "svcomp")) {
        st = svcomp(o, &r, &in, out, &err);
    } else {
        if (text)
            report_text(o, &r, &c, &view, in.n_files, &told, brief, begun, out);
        else
            AU_BUG_IF(!au_form_put(&d, au_opt_str(o, "format"), out));
        st = au_out_commit(out, &err) == AU_OK ? status(&r, &d, &c) : au_cli_fail(&err);
    }
    au_vec_release(&told);
    au_dossier_release(&d);
    au_model_view_release(&view);
    au_check_outcome_release(&c);
    au_scan_result_release(&r);
    au_scan_input_release(&in);
    return st;
}
