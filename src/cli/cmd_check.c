/* cli/cmd_check.c: augur check. */
#include "base/clock.h"
#include "cli/checkup.h"
#include "cli/dossier_out.h"

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

static void report_text(const au_opts *o, const au_checkup *u, au_out *out) {
    const au_check_outcome *c = au_checkup_outcome(u);
    const au_names *names = au_checkup_names(u);
    const au_recording_facts *facts = u->of_model ? NULL : u->trace.facts;
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
                   .seconds = au_now() - u->begun,
                   .most = (size_t)au_opt_int(o, "most"),
                   .color =
                       !strcmp(au_opt_str(o, "output"), "-") && au_cli_color(o, STDOUT_FILENO)};
    for (int k = 0; k < AU_KINDS; k++)
        r.funnel[k] = c->looked_for[k] ? &c->funnel[k] : NULL;
    au_report_text(&r, out);
    free(input);
}

/* For programs: everything that is known of each finding. */
static void report_dossier(const au_checkup *u, const char *format, au_out *out) {
    au_dossier d;
    au_dossier_init(&d);
    au_checkup_dossier(u, !strcmp(format, "html"), &d);
    AU_BUG_IF(!au_cli_put_dossier(&d, format, out));
    au_dossier_release(&d);
}

static int report(const au_opts *o, const au_checkup *u, au_out *out, au_error *err) {
    const au_check_outcome *c = au_checkup_outcome(u);
    const char *format = au_opt_str(o, "format");
    if (!strcmp(format, "text"))
        report_text(o, u, out);
    else
        report_dossier(u, format, out);
    if (au_out_commit(out, err) != AU_OK)
        return au_cli_fail(err);
    if (c->disagreed)
        return AU_EXIT_INTERNAL;
    if (c->findings.finding.n)
        return AU_EXIT_FOUND;
    return c->inconclusive.n ? AU_EXIT_INTERNAL : AU_EXIT_NOTHING;
}

static int check(const au_opts *o, au_checkup *u) {
    au_error err = AU_ERROR_NONE;
    au_out *out = au_out_open(au_opt_str(o, "output"), &err);
    if (!out)
        return au_cli_fail(&err);
    teller online = {au_checkup_names(u), out};
    if (u->plan.stream && !u->of_model && !strcmp(au_opt_str(o, "format"), "text")) {
        u->plan.found = tell;
        u->plan.ctx = &online;
    }
    if (au_checkup_run(u, &err) == AU_OK)
        return report(o, u, out, &err);
    au_out_abandon(out);
    return au_cli_fail(&err);
}

int au_cmd_check(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    au_checkup u;
    if (au_checkup_open(&u, o, &err) != AU_OK)
        return au_cli_fail(&err);
    int status = check(o, &u);
    au_checkup_release(&u);
    return status;
}
