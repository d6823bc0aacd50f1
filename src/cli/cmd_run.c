/* cli/cmd_run.c: augur run: record, check, execute what was found, keep it, tell it. */
#include "base/clock.h"
#include "base/progress.h"
#include "cli/dossier_out.h"
#include "cli/program_options.h"
#include "cli/recorder.h"
#include "confirm/cases.h"
#include "engine/check_options.h"
#include "explore/explore.h"
#include "funnel/answers.h"
#include "funnel/checked.h"
#include "funnel/graphs.h"
#include "record/sandbox.h"
#include "report/dossier.h"
#include "store/store.h"
#include "store/suppress.h"
#include "wire/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct session {
    const au_opts *o;
    au_recorder recorder;
    au_check_plan plan;
    uint32_t shard, shards; /* of the questions of each check; shards 0: all of them */
    au_suppressions suppressions;
    au_store_run run; /* its place in the store */
    char *omit;       /* the store, which sandboxes do not copy */
    au_sandbox *sandbox;
    au_dossier dossier;
    au_confirm_counts replays;
    double begun, until; /* until: nothing more is executed then; 0: no end */
    double recorded;     /* seconds of the first recording */
    unsigned runs;       /* that were recorded */
    unsigned explored;   /* runs of the exploration */
    bool stopped;        /* the first run was ended from outside */
    bool program_failed; /* it exited with a status that is not 0: no finding says so */
    bool disagreed;
    bool stored;
};

/* ---- before anything runs ---- */

static bool is_stored(const char *baseline) {
    return baseline && !strcmp(baseline, "stored");
}

/* What would only be found out after a long run. */
static au_status read_files(struct session *s, au_error *err) {
    const char *baseline = au_opt_str(s->o, "baseline"), *html = au_opt_str(s->o, "html");
    size_t n, known;
    char *const *file = au_opt_list(s->o, "suppressions", &n);
    au_status st = AU_OK;
    for (size_t i = 0; i < n && st == AU_OK; i++)
        st = au_suppressions_read(&s->suppressions, file[i], err);
    for (size_t i = 0; i < s->suppressions.remark.n; i++)
        au_cli_note(s->o, "%s", s->suppressions.remark.at[i]);
    if (st == AU_OK && baseline && !is_stored(baseline))
        st = au_baseline_mark(baseline, &s->dossier, &known, err);
    if (st == AU_OK)
        st = au_form_can_write(au_opt_str(s->o, "output"), err);
    if (st == AU_OK && html)
        st = au_form_can_write(html, err);
    return st;
}

static au_status prepare(struct session *s, au_error *err) {
    au_status st = au_check_options(s->o, false, &s->plan, err);
    if (st == AU_OK && au_opt_given(s->o, "shard"))
        st = au_shard_option(au_opt_str(s->o, "shard"), &s->shard, &s->shards, err);
    if (st == AU_OK)
        st = au_program_options(s->o, &s->recorder.program, err);
    if (st == AU_OK)
        st = read_files(s, err);
    if (st != AU_OK)
        return st;
    au_recorder_plan(&s->recorder, s->o);
    /* Closed while the program runs and workers are forked. */
    au_store *store = au_store_open(au_opt_str(s->o, "store"), true, err);
    st = store ? au_store_claim(store, &s->run, err) : err->status;
    au_store_close(store);
    s->omit = realpath(au_opt_str(s->o, "store"), NULL);
    const au_program *p = &s->recorder.program;
    if (st == AU_OK && au_opt_flag(s->o, "sandbox") &&
        !(s->sandbox = au_sandbox_open(p->cwd, p->exe, s->omit, err)))
        st = err->status;
    return st;
}

/* ---- one recording ---- */

/* Others' standard output stays whole: a report that goes there sends the program's aside. */
static bool goes_aside(const au_opts *o) {
    return strcmp(au_opt_str(o, "format"), "text") && !strcmp(au_opt_str(o, "output"), "-");
}

static void choose_schedule(struct session *s, unsigned number) {
    struct au_control *plan = &s->recorder.program.plan;
    bool given = au_opt_given(s->o, "schedule");
    plan->policy = number == 1 || given ? (uint32_t)au_policy_by_name(au_opt_str(s->o, "schedule"))
                                        : AU_POLICY_RANDOM;
    plan->seed = (uint64_t)au_opt_int(s->o, "seed") + number - 1;
}

/* *again: there may be further recordings. */
static au_status record(struct session *s, unsigned number, const char *output, bool *again,
                        au_error *err) {
    au_run_result r;
    bool first = number == 1;
    au_recorder_run how = {
        .output = output, .more = true, .discard = !first, .aside = first && goes_aside(s->o)};
    au_program *p = &s->recorder.program;
    if (s->sandbox && !(how.cwd = au_sandbox_fresh(s->sandbox, err)))
        return err->status;
    choose_schedule(s, number);
    if (how.aside)
        p->terminal[1] = isatty(STDERR_FILENO);
    else if (how.discard)
        p->terminal[1] = p->terminal[2] = false;
    if (!first)
        au_progress("recording run", number, (uint64_t)au_opt_int(s->o, "runs"));
    au_status st = au_recorder_record(&s->recorder, &how, &r, err);
    if (st != AU_OK)
        return st;
    au_program_end end = au_run_tell(s->o, p, &r, output);
    if (end == AU_PROGRAM_NO_HOOKS)
        st = au_error_set(err, AU_EUNSUPPORTED,
                          "nothing of '%s' was recorded: the runtime in it did not start; build it "
                          "with 'augur cc' or 'augur c++'",
                          p->path);
    else if (end == AU_PROGRAM_STOPPED)
        st = au_error_set(err, AU_EUNSUPPORTED, "'%s' cannot be recorded any further", p->path);
    else if (r.write_status != AU_OK)
        st = (*err = r.write_error).status;
    if (end == AU_PROGRAM_FAILED && !r.signal && WIFEXITED(r.launch.status) &&
        r.launch.last.ended == 1 + AU_END_EXIT)
        s->program_failed = true;
    if (first)
        s->recorded = r.launch.seconds;
    *again = !r.signal;
    s->stopped |= r.signal != 0;
    s->runs++;
    au_run_release(&r);
    return st;
}

static au_confirm_plan replay_plan(const struct session *s) {
    double limit = au_opt_number(s->o, "limit");
    return (au_confirm_plan){.run = {.discard_output = true,
                                     .sandbox = s->sandbox != NULL,
                                     .omit = s->omit,
                                     .seconds = limit > 0 ? limit : 10 + 4 * s->recorded},
                             .until = s->until,
                             .dir = s->run.dir,
                             .steps = AU_ORDER_STEPS};
}

/* What one recording shows, into d. */
static au_status check(struct session *s, const char *path, au_dossier *d, au_error *err) {
    au_checked c;
    double begun = au_now();
    au_read_options how = {.partial = true};
    au_status st = au_checked_open(&c, path, &s->plan, &how, err);
    if (st != AU_OK)
        return st;
    au_answers some;
    if (s->shards) {
        au_answers_init(&some, s->shards);
        au_answers_cover(&some, s->shard - 1);
        s->plan.exact.answers = &some;
        au_check_note(&c.outcome, "only questions of shard %u of %u were asked", s->shard,
                      s->shards);
    }
    st = au_checked_run(&c, &s->plan, err);
    if (s->shards)
        au_answers_release(&some);
    s->plan.exact.answers = NULL;
    if (st == AU_OK) {
        au_dossier_options of = {.input = &path,
                                 .n_inputs = 1,
                                 .seconds = au_now() - begun,
                                 .steps = AU_ORDER_STEPS,
                                 .sources = true};
        au_checked_dossier(&c, d, &of);
        if (au_opt_str(s->o, "html") || !strcmp(au_opt_str(s->o, "format"), "html"))
            au_dossier_graphs(d, &c, AU_MOST_GRAPHS);
        s->disagreed |= c.outcome.disagreed;
        au_progress_end();
    }
    au_checked_release(&c);
    return st;
}

static au_status record_all(struct session *s, au_error *err) {
    au_status st = AU_OK;
    bool again = true;
    unsigned runs = (unsigned)au_opt_int(s->o, "runs");
    for (unsigned i = 1; i <= runs && st == AU_OK && again; i++) {
        char *path = au_sprintf("%s/%u.trace", s->run.dir, i);
        au_dossier one;
        au_dossier_init(&one);
        st = record(s, i, path, &again, err);
        if (st == AU_OK)
            st = check(s, path, i == 1 ? &s->dossier : &one, err);
        if (st == AU_OK && i > 1)
            au_dossier_join(&s->dossier, &one);
        au_dossier_release(&one);
        free(path);
    }
    return st;
}

/* ---- on the program ---- */

/* Executes what was found and not yet tried. */
static void confirm(struct session *s) {
    if (!au_opt_flag(s->o, "replay"))
        return;
    au_confirm_plan p = replay_plan(s);
    /* What the exploration found at the last moment is worth some more. */
    if (p.until > 0 && p.until < au_now() + au_opt_number(s->o, "budget") / 4)
        p.until = au_now() + au_opt_number(s->o, "budget") / 4;
    au_confirm_cases(&s->dossier, &p, &s->replays);
}

static void progress(void *ctx, const char *line) {
    struct session *s = ctx;
    (void)line;
    au_progress("exploring, run", ++s->explored, 0);
}

/* What lies behind branches that no run took; in the time that is left. */
static au_status explore(struct session *s, au_error *err) {
    /* Half of it: the checks of new runs and their findings are to be paid, too. */
    double left = s->until > 0 ? (s->until - au_now()) / 2 : 0;
    if (!au_opt_flag(s->o, "explore") || s->replays.interrupted || s->stopped ||
        (s->until > 0 && left < 0.1))
        return AU_OK;
    char *dir = au_sprintf("%s/explored", s->run.dir);
    au_confirm_plan p = replay_plan(s);
    choose_schedule(s, 1);
    au_explore_options how = {.program = &s->recorder.program,
                              .feed = &s->recorder.feed,
                              .feed_whole = s->recorder.feed_whole,
                              .keep = dir,
                              .budget = left,
                              .jobs = s->plan.exact.jobs,
                              .seed = (uint64_t)au_opt_int(s->o, "seed"),
                              .sandbox = p.run.sandbox,
                              .omit = s->omit,
                              .max_events = s->recorder.program.plan.max_events,
                              .run_seconds = p.run.seconds,
                              .question_seconds = s->plan.exact.seconds,
                              .memory = s->plan.exact.memory,
                              .check = &s->plan,
                              .checks = s->plan.checks,
                              .split = s->plan.split,
                              .tell = progress,
                              .ctx = s};
    au_dossier d;
    au_explored x;
    au_dossier_init(&d);
    au_status st = au_explore(&how, &d, &x, err);
    au_progress_end();
    if (st == AU_OK) {
        /* That time was up is no news: what was covered is said. And what is counted is the
         * recorded runs, not those that the exploration made of them. */
        d.inconclusive.n = d.input.n = d.funnel.n = 0;
        d.events = 0;
        au_dossier_join(&s->dossier, &d);
        s->replays.interrupted |= x.interrupted;
    }
    au_dossier_release(&d);
    free(dir);
    return st;
}

/* ---- afterwards ---- */

static void set_commands(struct session *s) {
    const char *store = au_opt_str(s->o, "store");
    bool here = !strcmp(store, AU_STORE_DIR);
    for (size_t i = 0; i < s->dossier.at.n; i++) {
        au_case *c = &s->dossier.at.at[i];
        if (!c->schedule.n)
            continue;
        char *text = au_sprintf("augur replay %s%s%s--finding %.8s", here ? "" : "--store ",
                                here ? "" : store, here ? "" : " ", c->fingerprint);
        c->replay_command = au_dossier_text_copy(&s->dossier, text);
        free(text);
    }
}

static void set_when(struct session *s, time_t when) {
    char text[32];
    struct tm tm;
    gmtime_r(&when, &tm);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    s->dossier.when = au_dossier_text_copy(&s->dossier, text);
}

/* Marks what is known, stores everything at once, and cleans up. */
static au_status keep(struct session *s, au_error *err) {
    const char *baseline = au_opt_str(s->o, "baseline");
    size_t known;
    au_suppressions_mark(&s->suppressions, &s->dossier);
    au_status st = AU_OK;
    if (baseline && !is_stored(baseline))
        st = au_baseline_mark(baseline, &s->dossier, &known, err);
    au_store *store = st == AU_OK ? au_store_open(au_opt_str(s->o, "store"), true, err) : NULL;
    if (!store)
        return err->status;
    st = au_store_mark(store, &s->dossier, is_stored(baseline), err);
    if (st == AU_OK)
        st = au_store_keep(store, &s->run, &s->dossier, err);
    s->stored = st == AU_OK;
    if (st == AU_OK)
        st = au_store_prune(store, (uint64_t)au_opt_int(s->o, "keep"), err);
    au_store_close(store);
    return st;
}

static au_status tell(struct session *s, au_error *err) {
    const char *html = au_opt_str(s->o, "html");
    au_status st = au_cli_dossier(s->o, &s->dossier, au_opt_str(s->o, "format"),
                                  au_opt_str(s->o, "output"), err);
    if (st == AU_OK && html)
        st = au_cli_dossier(s->o, &s->dossier, "html", html, err);
    return st;
}

/* The most uncertain standing that still counts. */
static au_standing least(const au_opts *o) {
    const char *name = au_opt_str(o, "fail-on");
    return !strcmp(name, "confirmed") ? AU_IS_CONFIRMED
           : !strcmp(name, "proved")  ? AU_IS_PROVED
                                      : AU_IS_POSSIBLE;
}

static int exit_status(const struct session *s) {
    if (s->disagreed)
        return AU_EXIT_INTERNAL;
    if (s->program_failed)
        return AU_EXIT_FOUND;
    for (size_t i = 0; i < s->dossier.at.n; i++) {
        const au_case *c = &s->dossier.at.at[i];
        if (!c->known && c->standing <= least(s->o))
            return AU_EXIT_FOUND;
    }
    /* That we were told to stop it is no question that stays open. */
    bool undecided = !s->dossier.at.n && s->dossier.inconclusive.n > s->stopped;
    return undecided && least(s->o) == AU_IS_POSSIBLE ? AU_EXIT_INTERNAL : AU_EXIT_NOTHING;
}

int au_cmd_run(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    struct session s = {.o = o, .begun = au_now(), .run = {.lock = -1}};
    time_t when = time(NULL);
    int status;
    au_dossier_init(&s.dossier);
    au_status st = prepare(&s, &err);
    if (st == AU_OK)
        st = record_all(&s, &err);
    if (st == AU_OK) {
        double budget = au_opt_number(o, "budget");
        s.until = budget > 0 ? au_now() + budget : 0;
        confirm(&s);
        au_error why = AU_ERROR_NONE;
        if (explore(&s, &why) != AU_OK)
            au_cli_note(o, "not explored: %s", why.text);
        confirm(&s);
        au_dossier_find_callers(&s.dossier);
        set_commands(&s);
        set_when(&s, when);
        s.dossier.seconds = au_now() - s.begun;
        s.dossier.peak_kib = au_peak_kib();
        st = keep(&s, &err);
    }
    /* What was found is told even if it cannot be kept. */
    if (st == AU_OK || s.runs) {
        if (st != AU_OK)
            au_cli_fail(&err);
        au_error second = AU_ERROR_NONE;
        au_status told = s.dossier.at.n || st == AU_OK ? tell(&s, &second) : AU_OK;
        status = told != AU_OK ? au_cli_fail(&second)
                 : st != AU_OK ? AU_EXIT_USAGE
                               : exit_status(&s);
    } else {
        status = au_cli_fail(&err);
    }
    au_store_leave(&s.run, s.stored);
    au_sandbox_free(s.sandbox);
    free(s.omit);
    au_suppressions_release(&s.suppressions);
    au_dossier_release(&s.dossier);
    au_recorder_release(&s.recorder);
    return status;
}
