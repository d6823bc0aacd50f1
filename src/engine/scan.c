/* engine/scan.c: see scan.h. au_engine_scan_do is the list of the steps. */
#include "base/clock.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "base/progress.h"
#include "engine/check_options.h"
#include "engine/forms.h"
#include "engine/inputs.h"
#include "engine/scan_priv.h"
#include "report/dossier.h"
#include "scan/misuse.h"

#include <stdlib.h>
#include <string.h>

static const double TO_LOOK = 0.8; /* of the time that is left after reading */

static void read_options(const au_opts *o, au_scan_options *s) {
    *s = (au_scan_options)AU_SCAN_DEFAULTS;
    s->props = au_prop_option(o);
    for (au_scan_stage i = AU_SCAN_MUST_HB; i < AU_SCAN_STAGES; i++)
        if (!strcmp(au_opt_str(o, "stages"), au_scan_stage_name(i)))
            s->last = i;
    for (int i = 0; i < AU_DOMAINS; i++)
        if (!strcmp(au_opt_str(o, "domain"), au_domain_name((au_domain_kind)i)))
            s->domain = (au_domain_kind)i;
    s->no_reduce = !au_opt_flag(o, "reduce");
    s->no_spurious = !au_opt_flag(o, "spurious");
    s->pairs = au_opt_flag(o, "pairwise");
    s->rounds = (unsigned)au_opt_int(o, "rounds");
    s->most_nodes = (size_t)au_opt_int(o, "max-nodes");
    s->invariant_seconds = au_opt_number(o, "graph-timeout");
    s->unroll = (uint32_t)au_opt_int(o, "unroll");
    s->solver_seconds = au_opt_number(o, "timeout");
    /* The rest is for the program, which executes what was found. */
    double left = au_deadline_left();
    s->seconds = left >= AU_FOREVER ? 0 : left > 0.1 ? TO_LOOK * left : 0.1;
    s->show = strcmp(au_opt_str(o, "show"), "report") != 0;
    s->jobs = (unsigned)au_opt_int(o, "jobs");
    s->memory_bytes = (uint64_t)au_opt_int(o, "memory") << 20;
}

static bool excludes(const void *ctx, uint32_t guard, uint32_t other) {
    return au_guards_exclude(ctx, guard, other);
}

/* Something was ruled out by what threads read: that holds if memory is sequentially consistent. */
static bool values_decide(const au_scan_result *r) {
    for (size_t i = 0; i < r->warning.n; i++)
        if (r->warning.at[i].end == AU_SCAN_GONE && r->warning.at[i].gone > AU_SCAN_LOCKSET)
            return true;
    return false;
}

/* Two threads of each kind are enough: all that was asked is about two threads, and was ruled out by what each of them
 * does itself (locks, fork and join, owners), whatever others do. Values depend on all who write them. */
static bool two_are_enough(const au_engine_scan *s, unsigned props) {
    return s->in.source->any_two && !(props & AU_PROP_DEADLOCK) &&
           !s->result.candidates[AU_KIND_ASSERTION] && !values_decide(&s->result);
}

static void what_is_lost(au_engine_scan *s, unsigned props) {
    au_scan_input *in = &s->in;
    if (!in->source || in->lost)
        return;
    if (in->more && !two_are_enough(s, props)) {
        in->lost = "the program may have more threads than the model";
        return;
    }
    in->lost = au_scan_misuse(in->m);
    if (!in->lost && in->source->weak && values_decide(&s->result)) {
        char *text = au_sprintf("atomic accesses that are not sequentially consistent may be "
                                "reordered (%s)",
                                in->source->weak);
        in->lost = au_arena_strndup(&in->arena, text, strlen(text));
        free(text);
    }
}

/* requires: in; fills: result, what is lost */
static au_status look(const au_opts *o, au_engine_scan *s, au_error *err) {
    const au_scan_input *in = &s->in;
    au_scan_options how;
    read_options(o, &how);
    how.exact = in->exact;
    how.vague = in->vague;
    if (in->source) {
        how.same = in->same;
        how.unknown = in->source->unknown.at;
        how.waits = in->source->waits;
        how.sections = in->source->sections != AU_NONE;
        how.section_lock = in->source->sections;
        how.guard = in->source->guard.at;
        how.excludes = excludes;
        how.guards = &in->source->guards;
    }
    au_status st = au_scan_run(in->m, &how, &s->result, err);
    if (st == AU_OK)
        what_is_lost(s, how.props);
    return st;
}

/* requires: in, outcome; fills: dossier */
static void make_dossier(const au_opts *o, au_engine_scan *s) {
    const char **input = au_input_names(o);
    au_dossier_options how = {.input = input,
                              .n_inputs = s->in.n_files,
                              .seconds = au_now() - s->begun,
                              .steps = AU_LIMIT_ORDER_STEPS,
                              .sources = true};
    au_dossier_of_model(&s->dossier, &s->outcome, &s->view, &how);
    s->dossier.beyond =
        "a static model leaves out what its notes say; --svcomp gives a verdict on all of it";
    free(input);
}

/* What would only be found out when all is done. */
static au_status can_write(const au_opts *o, au_error *err) {
    const char *witness = au_opt_str(o, "witness"), *draw = au_opt_str(o, "draw");
    bool shown = strcmp(au_opt_str(o, "show"), "report") != 0;
    size_t n = draw ? strlen(draw) : 0;
    if (shown && (strcmp(au_opt_str(o, "format"), "text") || au_opt_flag(o, "svcomp")))
        return au_error_set(err, AU_EUSAGE, "'--show' is text: without --format and --svcomp");
    if (draw && !shown)
        return au_error_set(err, AU_EUSAGE, "'--draw' needs '--show graph' or '--show invariants'");
    if (draw && (n < 5 || (strcmp(draw + n - 4, ".svg") && strcmp(draw + n - 4, ".dot"))))
        return au_error_set(err, AU_EUSAGE, "'--draw %s' ends neither in '.svg' nor in '.dot'",
                            draw);
    au_status st = au_form_can_write(au_opt_str(o, "output"), err);
    if (st == AU_OK && witness)
        st = au_form_can_write(witness, err);
    if (st == AU_OK && au_opt_flag(o, "replay"))
        st = au_directory_can_be(au_opt_str(o, "store"), err);
    return st;
}

/* The time was over, or we were told to stop, before the program was read: there is a report about nothing. */
static au_status take_nothing(const au_opts *o, au_scan_input *in) {
    size_t n = in->n_files;
    au_scan_input_release(in);
    au_arena_init(&in->arena);
    in->m = au_model_new(au_operand(o, 0));
    in->n_files = n ? n : 1;
    in->lost = "it was not read";
    return AU_OK;
}

au_status au_engine_scan_do(au_engine_scan *s, const au_opts *o, au_error *err) {
    *s = (au_engine_scan){.begun = au_now()};
    au_deadline_set(au_opt_number(o, "budget"));
    if (can_write(o, err) != AU_OK)
        return err->status;
    au_status st = au_scan_input_open(o, &s->in, err);
    bool unread = st != AU_OK && au_deadline_over();
    if (unread)
        st = take_nothing(o, &s->in);
    if (st == AU_OK)
        st = look(o, s, err);
    if (st != AU_OK) {
        au_scan_input_release(&s->in);
        return st;
    }
    au_check_outcome_init(&s->outcome);
    au_model_view_init(&s->view, s->in.m);
    au_dossier_init(&s->dossier);
    s->outcome.events = s->in.m->step.n;
    s->outcome.locks = s->view.locks;
    au_scan_findings(s, au_opt_flag(o, "all"));
    const char *why;
    if (au_opt_flag(o, "svcomp") && au_engine_scan_svcomp(s, &why) != AU_SVCOMP_UNKNOWN)
        return AU_OK;
    make_dossier(o, s);
    au_scan_functions(s);
    au_progress_found(s->dossier.at.n);
    if (!strcmp(au_opt_str(o, "show"), "report"))
        au_scan_execute(o, s);
    if (unread || au_deadline_signal())
        au_check_cut(&s->outcome, unread ? "the program was not read" : "not all was decided");
    if (s->outcome.cut)
        au_vec_push(&s->dossier.inconclusive,
                    au_dossier_text_copy(&s->dossier, au_vec_last(&s->outcome.inconclusive)));
    s->dossier.seconds = au_now() - s->begun;
    return AU_OK;
}

void au_engine_scan_release(au_engine_scan *s) {
    au_vec_release(&s->told);
    au_dossier_release(&s->dossier);
    au_model_view_release(&s->view);
    au_check_outcome_release(&s->outcome);
    au_scan_result_release(&s->result);
    au_scan_input_release(&s->in);
}

au_svcomp au_engine_scan_svcomp(const au_engine_scan *s, const char **why) {
    const au_scan_result *r = &s->result;
    bool open = false;
    *why = "";
    if (s->did)
        return AU_SVCOMP_FALSE;
    for (size_t i = 0; i < r->warning.n; i++) {
        const au_warning *w = &r->warning.at[i];
        if (w->end == AU_SCAN_WITNESSED && !w->inexact)
            return AU_SVCOMP_FALSE;
        if (w->end != AU_SCAN_GONE) {
            open = true;
            *why = w->end == AU_SCAN_WITNESSED ? "a schedule leads through over-approximated code"
                                               : w->why;
        }
    }
    if (open)
        return AU_SVCOMP_UNKNOWN;
    if (s->in.lost) {
        *why = s->in.lost;
        return AU_SVCOMP_UNKNOWN;
    }
    return AU_SVCOMP_TRUE;
}
