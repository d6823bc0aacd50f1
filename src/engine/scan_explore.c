/* engine/scan_explore.c: warnings that no schedule of the model showed, looked for in runs of the program.
 *
 * The program is explored (explore/explore.h), again and again with another seed: other values where any may come, another
 * first interleaving. A race that one of its runs was made to show is compared with the warnings by the places and the
 * directions of its two accesses. One that has the places of no warning contradicts the scan, and that is said. */
#include "base/deadline.h"
#include "base/limits.h"
#include "base/progress.h"
#include "engine/check_options.h"
#include "engine/scan_priv.h"
#include "explore/explore.h"
#include "report/dossier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one exploration has of the time that is left, but at least so many seconds: inputs differ in what can be found with
 * them, and most of it is found early. It loses nothing that a larger --budget does not give back. */
static const double SHARE = 0.25, LEAST_SECONDS = 3;

/* One file by two names: as the compiler was given it, and as debug information has it. */
static bool same_file(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    while (n && m && a[n - 1] == b[m - 1])
        n--, m--;
    bool whole_a = !n || a[n - 1] == '/', whole_b = !m || b[m - 1] == '/';
    return (!n && whole_b) || (!m && whole_a) ||
           (whole_a && whole_b && (!strncmp(a, "..", 2) || !strncmp(b, "..", 2)));
}

static bool same_place(const au_case_event *a, const au_case_event *b) {
    return a->line && a->line == b->line && same_file(a->file, b->file);
}

/* The same two lines: a warning is about them, whichever of them reads. */
static bool same_pair(const au_case *a, const au_case *b) {
    if (a->event.n != 2 || b->event.n != 2)
        return false;
    const au_case_event *x = a->event.at, *y = b->event.at;
    return (same_place(&x[0], &y[0]) && same_place(&x[1], &y[1])) ||
           (same_place(&x[0], &y[1]) && same_place(&x[1], &y[0]));
}

static bool is_open(const au_case *c) {
    return c->kind == AU_KIND_RACE && c->standing != AU_IS_REFUTED &&
           c->standing != AU_IS_CONFIRMED;
}

static bool any_open(const au_dossier *d) {
    for (size_t i = 0; i < d->at.n; i++)
        if (is_open(&d->at.at[i]))
            return true;
    return false;
}

/* A race that the program did; into the warnings with its places. */
static void take_race(au_scan_chase *x, const au_case *did) {
    bool known = false;
    for (size_t i = 0; i < x->s->dossier.at.n; i++) {
        const au_case *c = &x->s->dossier.at.at[i];
        if (c->kind != AU_KIND_RACE || c->standing == AU_IS_REFUTED)
            continue;
        known |= same_pair(c, did);
        if (is_open(c) && same_pair(c, did)) {
            x->settle(x->ctx, i, did);
            x->found++;
        }
    }
    x->did = true;
    const au_scan_result *r = &x->s->result;
    bool strangers = x->s->in.source && x->s->in.source->stranger.n;
    if (!known && !strangers && !r->folded && !r->hidden[0] && !r->hidden[1]) {
        au_check_inconclusive(&x->s->outcome,
                              "the program did what no warning says: %s; the model left it out",
                              did->message);
        x->against++;
    }
}

static au_status plan_of(const au_opts *o, au_plan *p, au_opts **given, au_error *err) {
    const au_command *check = au_command_by_name("check");
    AU_BUG_IF(!check);
    char *argv[] = {au_strdup("--prop=race"),
                    au_sprintf("--timeout=%g", au_opt_number(o, "timeout")), au_strdup("run")};
    int n = (int)(sizeof argv / sizeof *argv);
    *given = au_opts_parse(check, n, argv, err);
    au_status st = *given ? au_check_options(*given, false, p, err) : err->status;
    for (int i = 0; i < n; i++)
        free(argv[i]);
    return st;
}

static void progress(void *ctx, const char *line) {
    au_scan_chase *x = ctx;
    (void)line;
    au_progress("exploring, run", ++x->runs, 0);
}

/* With one seed. */
static au_status explore(au_scan_chase *x, const au_plan *plan, unsigned number, au_error *err) {
    au_program *p = x->program;
    au_feed nothing = {"", 0};
    char *dir = au_sprintf("%s/explored.%u", x->dir, number);
    p->plan.policy = number == 1 ? AU_POLICY_OS : AU_POLICY_RANDOM;
    p->plan.seed = number;
    au_explore_options how = {.program = p,
                              .feed = &nothing,
                              .feed_whole = true,
                              .keep = dir,
                              .jobs = (unsigned)au_opt_int(x->o, "jobs"),
                              .seed = number,
                              .sandbox = au_opt_flag(x->o, "sandbox"),
                              .omit = x->omit,
                              .run_seconds = au_opt_number(x->o, "run-timeout"),
                              .question_seconds = au_opt_number(x->o, "timeout"),
                              .memory = (uint64_t)au_opt_int(x->o, "memory") << 20,
                              .check = plan,
                              .tell = progress,
                              .ctx = x};
    au_dossier d;
    au_explored what;
    au_dossier_init(&d);
    double left = au_deadline_left(), part = SHARE * left;
    if (part < LEAST_SECONDS)
        part = LEAST_SECONDS;
    double before = au_deadline_narrow(part < left ? part : left);
    au_status st = au_explore(&how, &d, &what, err);
    au_deadline_widen(before);
    au_progress_end();
    if (st == AU_OK) {
        for (size_t i = 0; i < d.at.n; i++)
            if (d.at.at[i].kind == AU_KIND_RACE && d.at.at[i].standing == AU_IS_CONFIRMED)
                take_race(x, &d.at.at[i]);
        x->interrupted |= what.interrupted && au_deadline_signal();
    }
    au_dossier_release(&d);
    free(dir);
    return st;
}

void au_scan_explore(au_scan_chase *x) {
    au_plan plan;
    au_opts *given = NULL;
    au_error err = AU_ERROR_NONE;
    double before = au_deadline_narrow(au_deadline_cap(AU_LIMIT_SCAN_EXPLORED));
    au_status st = plan_of(x->o, &plan, &given, &err);
    for (unsigned k = 1; k <= AU_LIMIT_SCAN_SEEDS && st == AU_OK && any_open(&x->s->dossier) &&
                         !(x->first && x->did) && !x->interrupted && !au_deadline_over();
         k++)
        st = explore(x, &plan, k, &err);
    au_deadline_widen(before);
    if (st == AU_OK)
        au_check_note(&x->s->outcome, "explored on the program: %u runs, %zu warnings shown%s",
                      x->runs, x->found, x->interrupted ? "; interrupted" : "");
    else
        au_check_note(&x->s->outcome, "the program was not explored: %s", err.text);
    au_opts_free(given);
}
