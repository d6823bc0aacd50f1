/* cli/cmd_scan.c: augur scan: what came of it, and its exit status. What it does: engine/scan.c. */
#include "base/clock.h"
#include "base/deadline.h"
#include "base/temporary.h"
#include "cli/dossier_out.h"
#include "cli/scan.h"
#include "engine/inputs.h"
#include "report/dossier.h"
#include "report/scan_graph.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More undecided races than anybody would read four lines of each. */
static bool too_many(const au_opts *o, const au_scan_result *r) {
    size_t n = 0, most = (size_t)au_opt_int(o, "brief");
    for (size_t i = 0; i < r->warning.n; i++)
        n += r->warning.at[i].kind == AU_KIND_RACE && r->warning.at[i].end == AU_SCAN_UNDECIDED;
    return most && n > most;
}

static void report_text(const au_opts *o, const au_engine_scan *s, au_out *out) {
    const au_scan_result *r = &s->result;
    const au_check_outcome *c = &s->outcome;
    const au_model_view *view = &s->view;
    const bool brief = too_many(o, r);
    au_check_outcome shown = *c; /* borrows all of it but the list of findings */
    memset(&shown.findings.finding, 0, sizeof shown.findings.finding);
    for (size_t i = 0; i < c->findings.finding.n; i++) {
        const au_warning *w = i < s->told.n ? &r->warning.at[s->told.at[i]] : NULL;
        if (!brief || !w || w->kind != AU_KIND_RACE || w->end != AU_SCAN_UNDECIDED)
            au_vec_push(&shown.findings.finding, c->findings.finding.at[i]);
    }
    au_case_look look = {.color = !strcmp(au_opt_str(o, "output"), "-") &&
                                  au_cli_color(o, STDOUT_FILENO),
                         .most = (size_t)au_opt_int(o, "most"),
                         .brief = true};
    const char **input = au_input_names(o);
    au_dossier_options how = {
        .input = input, .n_inputs = s->in.n_files, .seconds = au_now() - s->begun};
    au_dossier d;
    au_dossier_init(&d);
    au_dossier_of_model(&d, &shown, view, &how);
    d.threads = view->m->thread.n;
    d.events = view->m->step.n;
    d.locks = view->locks;
    d.vars = view->vars;
    au_scan_table(r, out);
    if (brief)
        au_scan_list(r, view->m, (size_t)au_opt_int(o, "top"), out);
    au_dossier_text(&d, &look, out);
    au_dossier_release(&d);
    au_vec_release(&shown.findings.finding);
    free(input);
}

static int svcomp(const au_opts *o, const au_engine_scan *s, au_out *out, au_error *err) {
    static const char *const word[] = {"TRUE", "FALSE", "UNKNOWN"};
    const char *why, *file = au_opt_str(o, "witness");
    au_svcomp v = au_engine_scan_svcomp(s, &why);
    au_out_printf(out, "%s\n", word[v]);
    if (*why)
        au_cli_note(o, "%s", why);
    if (au_out_commit(out, err) != AU_OK)
        return au_cli_fail(err);
    if (v == AU_SVCOMP_FALSE && file && !au_scan_svcomp_shown(s)) {
        au_cli_note(o, "no witness was written: only an exploration of the program shows the race");
    } else if (v == AU_SVCOMP_FALSE && file) {
        au_out *w = au_out_open(file, err);
        if (!w)
            return au_cli_fail(err);
        au_scan_svcomp_witness(s, au_operand(o, 0), w);
        if (au_out_commit(w, err) != AU_OK)
            return au_cli_fail(err);
    }
    return v == AU_SVCOMP_TRUE    ? AU_EXIT_NOTHING
           : v == AU_SVCOMP_FALSE ? AU_EXIT_FOUND
                                  : AU_EXIT_INTERNAL;
}

/* What somebody has settled ('augur triage') does not count. */
static int exit_status(const au_engine_scan *s) {
    const au_scan_result *r = &s->result;
    const au_dossier *d = &s->dossier;
    size_t left = 0;
    for (size_t i = 0; i < r->warning.n; i++)
        left += r->warning.at[i].end != AU_SCAN_GONE;
    for (size_t i = 0; i < d->at.n; i++)
        left -= d->at.at[i].standing != AU_IS_REFUTED && d->at.at[i].known;
    bool open = s->outcome.inconclusive.n || au_deadline_signal();
    return left ? AU_EXIT_FOUND : open ? AU_EXIT_INTERNAL : AU_EXIT_NOTHING;
}

static int show(const au_opts *o, const au_engine_scan *s, au_out *out, au_error *err) {
    if (au_model_is_weak(s->in.m))
        au_cli_note(o, "what is shown holds for interleavings: %s", AU_MODEL_WEAK);
    const char *draw = au_opt_str(o, "draw");
    bool invariants = !strcmp(au_opt_str(o, "show"), "invariants");
    au_scan_graph_text(&s->result, s->in.m, invariants, out);
    if (au_out_commit(out, err) != AU_OK)
        return au_cli_fail(err);
    if (draw && !s->result.graph.n)
        au_cli_note(o, "nothing was drawn: no stage made a graph, or all were too large");
    else if (draw && au_scan_graph_draw(&s->result, s->in.m, invariants, draw,
                                        !strcmp(draw + strlen(draw) - 4, ".svg"), err) != AU_OK)
        return au_cli_fail(err);
    return exit_status(s);
}

static int report(const au_opts *o, const au_engine_scan *s, au_error *err) {
    au_out *out = au_out_open(au_opt_str(o, "output"), err);
    if (!out)
        return au_cli_fail(err);
    if (au_opt_flag(o, "svcomp"))
        return svcomp(o, s, out, err);
    if (strcmp(au_opt_str(o, "show"), "report"))
        return show(o, s, out, err);
    if (!strcmp(au_opt_str(o, "format"), "text"))
        report_text(o, s, out);
    else
        AU_BUG_IF(!au_form_put(&s->dossier, au_opt_str(o, "format"), out));
    return au_out_commit(out, err) == AU_OK ? exit_status(s) : au_cli_fail(err);
}

static pid_t me;

/* A program that is too much for the lowering is no reason to die: nothing is known of it. Workers die, and what
 * they were asked is undecided. */
static void on_bug(void) {
    if (getpid() != me)
        return;
    static const char text[] =
        "augur: this program cannot be scanned: a bug of augur, please report "
        "it with the program\n";
    ssize_t k = write(STDERR_FILENO, text, sizeof text - 1);
    (void)k;
    au_out_remove_unfinished();
    au_temporary_remove_left();
    _exit(AU_EXIT_INTERNAL);
}

int au_cmd_scan(const au_opts *o) {
    me = getpid();
    au_on_bug(on_bug);
    au_error err = AU_ERROR_NONE;
    au_engine_scan s;
    if (au_engine_scan_do(&s, o, &err) != AU_OK)
        return au_cli_fail(&err);
    int status = report(o, &s, &err);
    au_engine_scan_release(&s);
    return status;
}
