/* engine/explore.c: see explore.h. */
#include "engine/explore.h"

#include "base/deadline.h"
#include "base/vec.h"
#include "engine/check_options.h"
#include "engine/forms.h"
#include "engine/program_options.h"
#include "explore/explore.h"
#include "report/dossier.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The plan of 'augur check' with the options that both commands have. */
static au_status make_plan(const au_opts *o, au_plan *p, au_opts **given, au_error *err) {
    static const char *const lists[] = {"prop", "checks", "library"};
    const au_command *check = au_command_by_name("check");
    AU_BUG_IF(!check);
    AU_VEC(char *) argv = {0};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        size_t n;
        char *const *list = au_opt_list(o, lists[k], &n);
        for (size_t i = 0; i < n; i++)
            au_vec_push(&argv, au_sprintf("--%s=%s", lists[k], list[i]));
    }
    au_vec_push(&argv, au_sprintf("--atomic=%s", au_opt_str(o, "atomic")));
    au_vec_push(&argv, au_sprintf("--split=%" PRId64, au_opt_int(o, "split")));
    au_vec_push(&argv, au_sprintf("--timeout=%g", au_opt_number(o, "timeout")));
    au_vec_push(&argv, au_sprintf("--memory=%" PRId64, au_opt_int(o, "memory")));
    au_vec_push(&argv, au_strdup("run"));
    *given = au_opts_parse(check, (int)argv.n, argv.at, err);
    au_status st = *given ? au_check_options(*given, false, p, err) : err->status;
    for (size_t i = 0; i < argv.n; i++)
        free(argv.at[i]);
    au_vec_release(&argv);
    return st;
}

/* Where recordings stay; the caller frees it. */
static char *keep_in(const au_opts *o, const au_program *p) {
    return au_opt_given(o, "recordings") ? au_strdup(au_opt_str(o, "recordings"))
                                         : au_sprintf("%s.explored", au_program_name(p));
}

/* What would only be found out when it is too late. */
static au_status can_write(const au_opts *o, const au_program *p, au_error *err) {
    char *keep = keep_in(o, p);
    au_status st = au_form_can_write(au_opt_str(o, "output"), err);
    if (st == AU_OK)
        st = au_directory_can_be(keep, err);
    free(keep);
    return st;
}

/* requires: all that was found; fills: what stands around it, and what has one cause is one finding */
static void describe(void *ctx, au_dossier *d) {
    const au_opts *o = ctx;
    for (size_t i = 0; i < d->at.n && au_output_counts(o); i++)
        d->at.at[i].aside = false;
    au_deadline_last(1 + au_opt_number(o, "budget") / 20);
    au_dossier_find_callers(d);
    au_dossier_causes(d);
    au_keep_asked(o, d);
    au_dossier_fold(d);
}

static au_status explore(const au_opts *o, au_program *p, const au_plan *plan,
                         void (*tell)(void *, const char *), void *ctx, au_dossier *d,
                         au_error *err) {
    char *keep = keep_in(o, p);
    p->plan.policy = (uint32_t)au_policy_by_name(au_opt_str(o, "policy"));
    p->plan.seed = (uint64_t)au_opt_int(o, "seed");
    p->plan.switch_every = (uint64_t)au_opt_int(o, "switch-every");
    p->plan.pct_depth = (uint32_t)au_opt_int(o, "depth");
    au_explore_options how = {.program = p,
                              .keep = keep,
                              .keep_all = au_opt_given(o, "recordings"),
                              .records = true,
                              .budget = au_opt_number(o, "budget"),
                              .max_runs = (uint64_t)au_opt_int(o, "max-runs"),
                              .jobs = (unsigned)au_opt_int(o, "jobs"),
                              .random = !strcmp(au_opt_str(o, "continue"), "random"),
                              .seed = (uint64_t)au_opt_int(o, "seed"),
                              .spurious = au_opt_flag(o, "all-spurious"),
                              .sandbox = au_opt_flag(o, "sandbox"),
                              .first = au_opt_flag(o, "first"),
                              .max_events = (uint64_t)au_opt_int(o, "max-events"),
                              .run_seconds = au_opt_number(o, "run-timeout"),
                              .question_seconds = au_opt_number(o, "timeout"),
                              .memory = (uint64_t)au_opt_int(o, "memory") << 20,
                              .check = au_opt_flag(o, "check") ? plan : NULL,
                              .checks = plan->checks,
                              .split = plan->split,
                              .compare = au_compare_option(o),
                              .tell = tell,
                              .ctx = ctx,
                              .last = describe,
                              .last_ctx = (void *)(uintptr_t)o};
    au_explored x;
    au_status st = au_explore(&how, d, &x, err);
    free(keep);
    return st;
}

au_status au_engine_explore(const au_opts *o, void (*tell)(void *ctx, const char *line), void *ctx,
                            au_dossier *d, au_error *err) {
    au_program p;
    au_plan plan;
    au_opts *given = NULL;
    au_status st = au_program_options(o, &p, err);
    if (st == AU_OK)
        st = can_write(o, &p, err);
    if (st == AU_OK)
        st = make_plan(o, &plan, &given, err);
    if (st == AU_OK)
        au_check_executed(o, &plan);
    if (st == AU_OK)
        st = explore(o, &p, &plan, tell, ctx, d, err);
    au_opts_free(given);
    au_program_release(&p);
    return st;
}
