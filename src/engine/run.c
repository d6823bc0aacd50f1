/* engine/run.c: see run.h. au_engine_run_do, at the end, is the list of the steps; the sections above it
 * are these steps in their order. */
#include "engine/run.h"

#include "base/clock.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "base/progress.h"
#include "confirm/harm.h"
#include "engine/check_options.h"
#include "engine/ended.h"
#include "engine/forms.h"
#include "engine/program_options.h"
#include "explore/explore.h"
#include "funnel/answers.h"
#include "funnel/check_run.h"
#include "funnel/graphs.h"
#include "record/replay.h"
#include "report/dossier.h"
#include "wire/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- before anything runs: all that can fail ---- */

static bool is_stored(const char *baseline) {
    return baseline && !strcmp(baseline, "stored");
}

/* What would only be found out after a long run. */
static au_status read_files(au_engine_run *s, au_error *err) {
    const char *baseline = au_opt_str(s->o, "baseline"), *html = au_opt_str(s->o, "html");
    size_t n, known;
    char *const *file = au_opt_list(s->o, "suppressions", &n);
    au_status st = au_suppressions_read_shipped(&s->suppressions, err);
    for (size_t i = 0; i < n && st == AU_OK; i++)
        st = au_suppressions_read(&s->suppressions, file[i], err);
    for (size_t i = 0; i < s->suppressions.remark.n; i++)
        s->watch->remark(s->watch->ctx, s->suppressions.remark.at[i]);
    if (st == AU_OK && baseline && !is_stored(baseline))
        st = au_baseline_mark(baseline, &s->dossier, &known, err);
    if (st == AU_OK)
        st = au_form_can_write(au_opt_str(s->o, "output"), err);
    if (st == AU_OK && html)
        st = au_form_can_write(html, err);
    if (st == AU_OK && au_opt_given(s->o, "recordings"))
        st = au_directory_can_be(au_opt_str(s->o, "recordings"), err);
    return st;
}

/* --recorded: program and input as the recording says. */
static au_status load_recorded(au_engine_run *s, au_error *err) {
    au_replay r;
    au_recorder *to = &s->recorder;
    au_status st = au_replay_load(&r, au_opt_str(s->o, "recorded"), err);
    if (st != AU_OK)
        return st;
    st = au_replay_same_program(&r, err);
    to->program = r.program;
    r.program = (au_program){0};
    to->feed = (au_feed){r.input.at, r.input.n};
    r.input.at = NULL;
    r.input.n = 0;
    to->feed_whole = r.input_whole;
    to->have_feed = true;
    s->program_failed = r.end_why == AU_END_EXIT && r.end_status != 0;
    au_replay_release(&r);
    return st;
}

/* requires: nothing; fills: plan, shard, recorder.program, suppressions, keep, sandbox */
static au_status prepare(au_engine_run *s, au_error *err) {
    au_status st = au_check_options(s->o, false, &s->plan, err);
    /* Of a program nobody guesses what is meant to be atomic: a lost update says what it costs. */
    if (st == AU_OK && !au_opt_given(s->o, "atomic"))
        s->plan.blocks = AU_BLOCKS_MARKED;
    if (st == AU_OK)
        au_check_executed(s->o, &s->plan);
    if (st == AU_OK && au_opt_given(s->o, "shard"))
        st = au_shard_option(au_opt_str(s->o, "shard"), &s->shard, &s->shards, err);
    if (st == AU_OK)
        st = au_opt_given(s->o, "recorded") ? load_recorded(s, err)
                                            : au_program_options(s->o, &s->recorder.program, err);
    if (st == AU_OK)
        st = read_files(s, err);
    if (st != AU_OK)
        return st;
    au_recorder_plan(&s->recorder, s->o);
    st = au_keep_claim(&s->keep, s->o, err);
    const au_program *p = &s->recorder.program;
    if (st == AU_OK && au_opt_flag(s->o, "sandbox") &&
        !(s->sandbox = au_sandbox_open(p->cwd, p->exe, s->keep.omit, err)))
        st = err->status;
    return st;
}

/* ---- one recording ---- */

/* Others' standard output stays whole: a report that goes there sends the program's aside. */
static bool goes_aside(const au_opts *o) {
    return strcmp(au_opt_str(o, "format"), "text") && !strcmp(au_opt_str(o, "output"), "-");
}

static void choose_schedule(au_engine_run *s, unsigned number) {
    struct au_control *plan = &s->recorder.program.plan;
    bool given = au_opt_given(s->o, "policy");
    plan->policy = number == 1 || given ? (uint32_t)au_policy_by_name(au_opt_str(s->o, "policy"))
                                        : AU_POLICY_RANDOM;
    plan->seed = (uint64_t)au_opt_int(s->o, "seed") + number - 1;
}

/* *again: there may be further recordings. */
static au_status record(au_engine_run *s, unsigned number, const char *output, bool *again,
                        au_error *err) {
    au_run_result r;
    bool first = number == 1;
    au_recorder_run how = {.output = output,
                           .more = true,
                           .discard = !first,
                           .again = !first,
                           .aside = first && goes_aside(s->o)};
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
    how.is_long = first ? s->watch->recording : NULL;
    how.ctx = s->watch->ctx;
    au_status st = au_recorder_record(&s->recorder, &how, &r, err);
    if (st != AU_OK)
        return st;
    s->watch->ended(s->watch->ctx, p, &r, output);
    au_program_end end = au_program_ended(&r.launch);
    if (end == AU_PROGRAM_NO_HOOKS && au_deadline_ends_recording(NULL))
        s->unrecorded = true; /* we were told to stop before it began */
    else if (end == AU_PROGRAM_NO_HOOKS && *r.launch.last.message)
        st = au_error_set(err, AU_EUNSUPPORTED, "nothing of '%s' was recorded: its runtime gave up",
                          p->path); /* and said why */
    else if (end == AU_PROGRAM_NO_HOOKS)
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

/* The recording is the store's from now on. */
static au_status take_recorded(au_engine_run *s, const char *path, au_error *err) {
    const char *from = au_opt_str(s->o, "recorded");
    if (rename(from, path))
        return au_error_errno(err, "cannot move '%s' into the store", from);
    s->runs++;
    return AU_OK;
}

/* A member of a suite may need what its parent gave it: a segment of memory, a pipe, files. Then executions go other
 * ways, and nothing that they do is held against the program. So the recorded schedule is executed first. */
static void try_recorded(au_engine_run *s, const char *path) {
    if (!au_opt_flag(s->o, "replay") && !au_opt_flag(s->o, "explore"))
        return;
    au_error err = AU_ERROR_NONE;
    au_confirm_options how = {.discard_output = true,
                              .sandbox = s->sandbox != NULL,
                              .omit = s->keep.omit,
                              .seconds = au_opt_number(s->o, "run-timeout")};
    au_control_map m;
    au_child child;
    au_run_result r;
    au_comparison c = {.what = AU_OTHER_END};
    bool late = false, same = false;
    char *output = au_sprintf("%s.again", path);
    au_stage_set *set = au_confirm_open(path, &how, &err);
    au_stage_run run = {.output = output};
    if (set && au_confirm_execute(set, &run, &m, &child, &r, &late, &err) == AU_OK) {
        bool fixed =
            au_confirm_replay(set)->program.plan.no_randomize && r.launch.last.no_randomize;
        same = au_replay_compare(path, output, fixed, &c, &err) == AU_OK && !late &&
               (c.what == AU_SAME || (c.what == AU_LONGER && au_confirm_replay(set)->cut));
        au_run_release(&r);
    }
    unlink(output);
    free(output);
    au_confirm_free(set);
    s->only_once = !same;
    if (same)
        return;
    const au_program *p = &s->recorder.program;
    char *text =
        au_sprintf("'%s' goes another way when it is executed again%s%s (it depends on what its "
                   "parent or other processes give it): its findings are not confirmed",
                   au_program_name(p), *err.text ? ": " : "", err.text);
    au_vec_push(&s->dossier.note, au_dossier_text_copy(&s->dossier, text));
    free(text);
}

static au_confirm_plan replay_plan(const au_engine_run *s) {
    double limit = au_opt_number(s->o, "run-timeout");
    return (au_confirm_plan){.run = {.discard_output = true,
                                     .sandbox = s->sandbox != NULL,
                                     .omit = s->keep.omit,
                                     .seconds = limit > 0 ? limit : 10 + 4 * s->recorded},
                             .dir = s->keep.run.dir,
                             .steps = AU_LIMIT_ORDER_STEPS};
}

/* Parts of the time that is left, so that each stage has some of it; what a stage does not use is the next one's. */
static const double TO_EXECUTE = 0.5, /* what the linear stages found */
    TO_ASK = 0.6,                     /* the exact stage; the rest: its findings, and to explore */
    TO_EXPLORE = 0.85;                /* the rest: what it found is executed */

static void narrow(double part) {
    double left = au_deadline_left();
    if (left < AU_FOREVER)
        au_deadline_narrow(part * left);
}

/* The findings of the linear stages are executed before anything is asked that may take long. */
struct early {
    au_engine_run *s;
    const char *path;
    au_dossier tried;
};

static void try_early(void *ctx, void *run) {
    struct early *e = ctx;
    au_dossier_options of = {
        .input = &e->path, .n_inputs = 1, .steps = AU_LIMIT_ORDER_STEPS, .sources = true};
    if (au_opt_flag(e->s->o, "replay") && !e->s->only_once && !au_deadline_over()) {
        au_confirm_plan p = replay_plan(e->s);
        au_check_run_so_far(run, &e->tried, &of);
        double before = au_deadline_narrow(TO_EXECUTE * au_deadline_left());
        au_confirm_cases(&e->tried, &p, &e->s->replays);
        au_deadline_widen(before);
    }
    narrow(TO_ASK);
}

/* What one recording shows, into d. */
static au_status check(au_engine_run *s, const char *path, au_dossier *d, au_error *err) {
    au_check_run c;
    double begun = au_now();
    struct early e = {.s = s, .path = path};
    au_read_options how = {.partial = true};
    au_status st = au_check_run_open(&c, &s->plan, path, &how, err);
    if (st != AU_OK)
        return st;
    au_answers some;
    if (s->shards) {
        au_answers_init(&some, s->shards);
        au_answers_cover(&some, s->shard - 1);
        c.answers = &some;
        au_check_note(&c.outcome, "only shard %u of %u was checked", s->shard, s->shards);
    }
    au_dossier_init(&e.tried);
    c.early = try_early;
    c.early_ctx = &e;
    double until = au_deadline_narrow(AU_FOREVER);
    st = au_check_run_go(&c, err);
    au_deadline_widen(until);
    if (s->shards)
        au_answers_release(&some);
    if (st == AU_OK) {
        au_dossier_options of = {.input = &path,
                                 .n_inputs = 1,
                                 .seconds = au_now() - begun,
                                 .steps = AU_LIMIT_ORDER_STEPS,
                                 .sources = true};
        au_check_run_dossier(&c, d, &of);
        if (au_opt_str(s->o, "html") || !strcmp(au_opt_str(s->o, "format"), "html"))
            au_dossier_graphs(d, &c, AU_LIMIT_GRAPHS);
        au_confirm_carry(d, &e.tried);
        s->disagreed |= c.outcome.disagreed;
        au_progress_end();
    }
    au_dossier_release(&e.tried);
    au_check_run_release(&c);
    return st;
}

/* requires: prepare; fills: dossier, runs, recorded, stopped, program_failed, disagreed */
static au_status record_and_check(au_engine_run *s, au_error *err) {
    au_status st = AU_OK;
    bool again = true;
    unsigned runs = (unsigned)au_opt_int(s->o, "runs");
    double left = au_opt_number(s->o, "budget");
    for (unsigned i = 1; i <= runs && st == AU_OK && again; i++) {
        char *path = au_sprintf("%s/%u.trace", s->keep.run.dir, i);
        au_dossier one;
        au_dossier_init(&one);
        st = i == 1 && au_opt_given(s->o, "recorded") ? take_recorded(s, path, err)
                                                      : record(s, i, path, &again, err);
        au_deadline_set(left); /* it stood still while the program was recorded */
        double until = au_deadline_narrow(AU_FOREVER);
        if (st == AU_OK && au_opt_given(s->o, "recorded"))
            try_recorded(s, path);
        if (again)
            narrow(1.0 / (runs - i + 1));
        if (st == AU_OK && s->unrecorded)
            au_vec_push(&s->dossier.inconclusive, "interrupted: nothing was recorded");
        else if (st == AU_OK)
            st = check(s, path, i == 1 ? &s->dossier : &one, err);
        if (st == AU_OK && i > 1)
            au_dossier_join(&s->dossier, &one);
        au_deadline_widen(until);
        left = au_deadline_left() < AU_FOREVER ? au_deadline_left() : 0;
        again &= !au_deadline_over();
        au_progress_found(s->dossier.at.n);
        au_dossier_release(&one);
        free(path);
    }
    return st;
}

/* ---- on the program ---- */

/* Executes what was found and not yet tried.
 * requires: dossier; fills: how each case was replayed, replays */
static void confirm(au_engine_run *s) {
    if (!au_opt_flag(s->o, "replay") || s->only_once)
        return;
    au_confirm_plan p = replay_plan(s);
    au_confirm_cases(&s->dossier, &p, &s->replays);
}

static void progress(void *ctx, const char *line) {
    au_engine_run *s = ctx;
    (void)line;
    au_progress("exploring, run", ++s->explored, 0);
}

static au_status explore_rest(au_engine_run *s, au_error *err) {
    bool keeps = au_opt_given(s->o, "recordings");
    char *dir = keeps ? au_strdup(au_opt_str(s->o, "recordings"))
                      : au_sprintf("%s/explored", s->keep.run.dir);
    au_confirm_plan p = replay_plan(s);
    choose_schedule(s, 1);
    au_explore_options how = {.program = &s->recorder.program,
                              .feed = &s->recorder.feed,
                              .feed_whole = s->recorder.feed_whole,
                              .keep = dir,
                              .keep_all = keeps,
                              .max_runs = (uint64_t)au_opt_int(s->o, "max-runs"),
                              .random = !strcmp(au_opt_str(s->o, "continue"), "random"),
                              .spurious = au_opt_flag(s->o, "all-spurious"),
                              .first = au_opt_flag(s->o, "first"),
                              .jobs = s->plan.jobs,
                              .seed = (uint64_t)au_opt_int(s->o, "seed"),
                              .sandbox = p.run.sandbox,
                              .omit = s->keep.omit,
                              .max_events = s->recorder.program.plan.max_events,
                              .run_seconds = p.run.seconds,
                              .stop_after = s->recorder.stop_after,
                              .question_seconds = s->plan.seconds,
                              .memory = s->plan.memory,
                              .check = &s->plan,
                              .checks = s->plan.checks,
                              .split = s->plan.split,
                              .compare = au_compare_option(s->o),
                              .tell = progress,
                              .ctx = s};
    au_dossier d;
    au_explored x;
    au_dossier_init(&d);
    au_status st = au_explore(&how, &d, &x, err);
    au_progress_end();
    if (st == AU_OK && s->shards)
        au_dossier_not_covered(&d, "only a shard of each run was checked", "it without --shard");
    if (st == AU_OK) {
        /* What is counted is the recorded runs, not those that the exploration made of them. */
        d.input.n = d.funnel.n = 0;
        d.events = 0;
        au_dossier_join(&s->dossier, &d);
        s->replays.interrupted |= x.interrupted;
    }
    au_dossier_release(&d);
    free(dir);
    return st;
}

/* What lies behind branches that no run took; in the time that is left.
 * requires: dossier, the recorder's feed; fills: more of the dossier */
static void explore(au_engine_run *s) {
    au_error why = AU_ERROR_NONE;
    double until = au_deadline_narrow(AU_FOREVER);
    narrow(TO_EXPLORE);
    if (!au_opt_flag(s->o, "explore")) {
        au_dossier_not_covered(&s->dossier, "not explored (--no-explore)", "--explore");
    } else if (s->replays.interrupted || au_deadline_signal()) {
        au_dossier_not_covered(&s->dossier, "interrupted", "it again");
    } else if (s->only_once) {
        au_dossier_not_covered(&s->dossier, "it goes another way when it is executed again", "");
    } else if (s->stopped) {
        au_dossier_not_covered(&s->dossier, "the run was ended by a signal",
                               "an input with which it ends by itself");
    } else if (au_deadline_left() < 0.1) {
        au_dossier_not_covered(&s->dossier, "no time was left to explore (--budget)",
                               "a larger --budget");
    } else if (explore_rest(s, &why) != AU_OK) {
        s->watch->not_explored(s->watch->ctx, &why);
        au_dossier_not_covered(&s->dossier, why.text, "");
    }
    au_deadline_widen(until);
}

/* What the races do that happened.
 * requires: dossier, how its cases were replayed; fills: their harm */
static void weigh(au_engine_run *s) {
    au_compare how = !strcmp(au_opt_str(s->o, "compare-output"), "order") ? AU_COMPARE_ORDER
                                                                          : AU_COMPARE_CONTENT;
    au_confirm_plan p = replay_plan(s);
    char *first = au_sprintf("%s/1.trace", s->keep.run.dir);
    if (au_opt_flag(s->o, "replay") && !s->replays.interrupted)
        au_confirm_harm(&s->dossier, first, &p, how, &s->replays);
    free(first);
}

/* ---- afterwards ---- */

/* requires: dossier; fills: what stands around its cases */
static void describe(au_engine_run *s) {
    au_dossier *d = &s->dossier;
    for (size_t i = 0; i < d->at.n && au_output_counts(s->o); i++)
        d->at.at[i].aside = false;
    au_deadline_last(1 + au_opt_number(s->o, "budget") / 20);
    au_dossier_find_callers(d);
    au_dossier_causes(d);
    au_keep_asked(s->o, d);
    for (size_t i = 0; i < d->at.n; i++)
        if (d->at.at[i].schedule.n)
            au_keep_put_replay(s->o, d, &d->at.at[i]);
    au_keep_put_when(d, s->when);
    d->seconds = au_now() - s->begun;
    d->peak_kib = au_peak_kib();
}

/* Marks what is known, puts together what has one cause, and stores everything.
 * requires: all of the above; fills: which cases are known, variants, keep.stored */
static au_status store(au_engine_run *s, au_error *err) {
    const char *baseline = au_opt_str(s->o, "baseline");
    size_t known;
    au_suppressions_mark(&s->suppressions, &s->dossier);
    au_status st = AU_OK;
    if (baseline && !is_stored(baseline))
        st = au_baseline_mark(baseline, &s->dossier, &known, err);
    if (st == AU_OK)
        st = au_keep_mark(s->o, &s->dossier, is_stored(baseline), err);
    au_dossier_fold(&s->dossier);
    if (st == AU_OK &&
        !au_opt_given(s->o, "recorded")) /* a member of a suite, which asks that itself */
        st = au_keep_compare(s->o, &s->dossier, err);
    return st == AU_OK ? au_keep_store(&s->keep, s->o, &s->dossier, err) : st;
}

/* ---- all of it ---- */

au_status au_engine_run_do(au_engine_run *s, const au_opts *o, const au_engine_run_watch *watch,
                           au_error *err) {
    *s = (au_engine_run){
        .o = o, .watch = watch, .when = time(NULL), .begun = au_now(), .keep = AU_KEEP_NONE};
    au_dossier_init(&s->dossier);
    au_status st = prepare(s, err);
    if (st == AU_OK)
        st = record_and_check(s, err);
    if (st != AU_OK)
        return st;
    confirm(s);
    explore(s);
    confirm(s); /* what the exploration found */
    weigh(s);
    describe(s);
    return store(s, err);
}

void au_engine_run_release(au_engine_run *s) {
    au_keep_release(&s->keep);
    au_sandbox_free(s->sandbox);
    au_suppressions_release(&s->suppressions);
    au_dossier_release(&s->dossier);
    au_recorder_release(&s->recorder);
}
