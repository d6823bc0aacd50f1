/* engine/scan_execute.c: schedules that a scan found, on the compiled program (confirm/guide.h).
 *
 * Sources are compiled and linked into the store's directory of this run, a program is taken as it is.
 * It is recorded once, so that there is something that `augur replay` can start from; then every
 * schedule is led and judged. */
#include "base/clock.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "base/progress.h"
#include "confirm/guide.h"
#include "engine/check_options.h"
#include "engine/forms.h"
#include "engine/keep.h"
#include "engine/program_options.h"
#include "engine/scan_priv.h"
#include "program/elf.h"
#include "record/sandbox.h"
#include "report/dossier.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FINDING_SECONDS = 60 }; /* for one finding, however long its schedule is */

typedef struct {
    const au_opts *o;
    const au_scan_result *r;
    const au_scan_input *in;
    const au_scan_told *told;
    au_check_outcome *c;
    au_dossier *d;
    au_keep keep;
    au_program program;
    bool has_program;
    char *recording;
    bool first; /* one that happens is enough */
    size_t tried, confirmed, against, runs;
    double begun;
    int interrupted;
} execution;

static const au_warning *warning_of(const execution *x, size_t finding) {
    return &x->r->warning.at[x->told->at[finding]];
}

static bool has_schedule(const execution *x, size_t finding) {
    const au_warning *w = warning_of(x, finding);
    return w->end == AU_SCAN_WITNESSED && !w->crosses && w->solution.event.n &&
           (w->kind == AU_KIND_RACE || w->kind == AU_KIND_ASSERTION || w->kind == AU_KIND_DEADLOCK);
}

/* ---- the program ---- */

static bool is_program(const char *path) {
    au_elf e;
    if (access(path, X_OK) || au_elf_open(&e, path, NULL) != AU_OK)
        return false;
    bool yes = au_elf_recordable(&e, path, NULL) == AU_OK;
    au_elf_close(&e);
    return yes;
}

/* What clang has to say was said when the sources were read; what is missing for a link is no news
 * to somebody who scans a part of a program. */
static au_status link_quietly(const execution *x, const char *program, au_error *err) {
    size_t n = x->in->n_files, all = au_operands(x->o);
    const char **file = au_alloc_array(n + 1, sizeof *file);
    char **option = au_alloc_array(all + 1, sizeof *option);
    for (size_t i = 0; i < n; i++)
        file[i] = au_operand(x->o, i);
    for (size_t i = n; i < all; i++)
        option[i - n] = (char *)au_operand(x->o, i);
    fflush(stderr);
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int kept = null < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (kept >= 0)
        dup2(null, STDERR_FILENO);
    au_status st = au_source_link(file, n, option, all - n, program, err);
    if (kept >= 0) {
        dup2(kept, STDERR_FILENO);
        close(kept);
    }
    if (null >= 0)
        close(null);
    free(file);
    free(option);
    if (st == AU_EFORMAT)
        st = au_error_set(err, AU_EFORMAT,
                          "these files do not link to a program; give the rest of it, and its "
                          "libraries after '--'");
    return st;
}

static char **arguments(const au_opts *o) {
    AU_VEC(char *) arg = {0};
    for (const char *s = au_opt_str(o, "args"); *s;) {
        size_t n = strcspn(s, " \t\n");
        if (n)
            au_vec_push(&arg, au_strndup(s, n));
        s += n + (s[n] != 0);
    }
    au_vec_push(&arg, NULL);
    return arg.at;
}

static au_status find_program(execution *x, au_error *err) {
    bool ready = x->in->n_files == 1 && is_program(au_operand(x->o, 0));
    const char *slash = strrchr(au_operand(x->o, 0), '/');
    const char *name = slash ? slash + 1 : au_operand(x->o, 0);
    char *path = ready ? au_strdup(au_operand(x->o, 0))
                       : au_sprintf("%s/%.*s", x->keep.run.dir, (int)strcspn(name, "."), name);
    char **arg = arguments(x->o);
    au_status st = ready ? AU_OK : link_quietly(x, path, err);
    char *full = st == AU_OK && !ready ? realpath(path, NULL) : NULL;
    if (full) { /* a sandbox does not hold the store */
        free(path);
        path = full;
    }
    if (st == AU_OK) {
        x->has_program = true;
        st = au_program_of_file(path, arg, &x->program, err);
    }
    au_list_free(arg);
    free(path);
    return st;
}

/* ---- one run of its own ---- */

struct clock {
    au_child *child;
    double until;
    bool late;
};

static void watch(void *ctx) {
    struct clock *c = ctx;
    if (!c->late && (au_now() > c->until || au_deadline_over())) {
        c->late = true;
        kill(c->child->pid, SIGKILL);
    }
}

static au_status record(execution *x, au_error *err) {
    au_control_map m;
    au_child child;
    au_run_result r;
    x->program.plan.max_events = AU_LIMIT_SCAN_RUN_EVENTS; /* programs need not end */
    struct clock c = {&child, au_now() + au_opt_number(x->o, "run-timeout"), false};
    au_sandbox *sandbox = NULL;
    const char *cwd = NULL;
    x->recording = au_sprintf("%s/1.trace", x->keep.run.dir);
    if (au_opt_flag(x->o, "sandbox")) {
        sandbox = au_sandbox_open(x->program.cwd, x->program.exe, x->keep.omit, err);
        cwd = sandbox ? au_sandbox_fresh(sandbox, err) : NULL;
        if (!cwd) {
            au_sandbox_free(sandbox);
            return err->status;
        }
    }
    au_run run = {.program = &x->program,
                  .output = x->recording,
                  .plan = {.mode = AU_MODE_RECORD},
                  .discard_output = true,
                  .again = true,
                  .cwd = cwd,
                  .tick = watch,
                  .tick_ctx = &c};
    au_status st = au_run_program(&run, &m, &child, &r, err);
    au_sandbox_free(sandbox);
    if (st != AU_OK)
        return st;
    if (!r.launch.attached)
        st = au_error_set(err, AU_EUNSUPPORTED, "the runtime in '%s' did not start",
                          x->program.path);
    else if (r.write_status != AU_OK)
        st = (*err = r.write_error).status;
    else if (r.signal)
        st = au_error_set(err, AU_EUNSUPPORTED, "interrupted");
    x->interrupted = r.signal;
    if (st == AU_OK && r.launch.last.ended == 1 + AU_END_LIMIT)
        au_check_limit(x->c, AU_AT_SCAN_RUN_EVENTS, 0, 0);
    au_run_release(&r);
    return st;
}

/* ---- one finding ---- */

/* The case speaks of threads and events of the program now: of this recording. */
static void put_schedule(execution *x, au_case *c, const au_case *led, const char *recording) {
    au_vec_clear(&c->thread);
    au_vec_clear(&c->schedule);
    for (size_t i = 0; i < led->thread.n; i++)
        au_vec_push(&c->thread, au_dossier_text_copy(x->d, led->thread.at[i]));
    au_vec_append(&c->schedule, led->schedule.at, led->schedule.n);
    au_vec_clear(&c->value); /* by other numbers; the witness has them */
    for (size_t i = 0; i < c->event.n && i < led->event.n; i++) {
        const au_case_event *e = &led->event.at[i];
        c->event.at[i].thread = au_dossier_text_copy(x->d, e->thread);
        c->event.at[i].index = e->index;
        if (e->until > e->index)
            c->event.at[i].until = e->until;
    }
    c->recording = au_dossier_text_copy(x->d, recording);
    au_keep_put_replay(x->o, x->d, c);
}

static void say_it_did(execution *x, au_case *c, au_finding *f) {
    char turns[24];
    snprintf(turns, sizeof turns, "%zu", c->schedule.n);
    c->replay = AU_REPLAY_CONFIRMED;
    au_finding_because_of(f, &x->c->findings.arena, AU_WHY_DID_IT, turns, c->replay_command);
}

/* A run of an exploration did it. */
static void settle_explored(void *ctx, size_t i, const au_case *did) {
    execution *x = ctx;
    au_case *c = &x->d->at.at[i];
    au_finding *f = &x->c->findings.finding.at[i];
    put_schedule(x, c, did, did->recording);
    c->standing = f->standing = AU_IS_CONFIRMED;
    c->why = c->replay_text = "";
    say_it_did(x, c, f);
}

static void settle(execution *x, size_t i, const au_guided *g, const char *output) {
    au_case *c = &x->d->at.at[i];
    au_finding *f = &x->c->findings.finding.at[i];
    au_error ignored = AU_ERROR_NONE; /* the predicted order is as good a witness */
    au_dossier_options how = {.steps = AU_LIMIT_ORDER_STEPS, .sources = true};
    /* What is said again is said once. */
    const char *why = g->inexact ? "" : au_finding_why(f), *word = g->judgement.why;
    char *before = au_sprintf("%s%s", why, *why ? "; " : "");
    au_arena *arena = &x->c->findings.arena;
    if (g->found)
        put_schedule(x, c, &g->d.at.at[0], x->recording);
    c->replay_text = au_dossier_text_copy(x->d, word);
    switch (g->judgement.judged) {
    case AU_JUDGED_CONFIRMED:
        x->confirmed++;
        c->standing = f->standing = au_confirm_standing(f->standing, g->judgement.rests);
        c->why = au_why_text(g->judgement.rests);
        say_it_did(x, c, f);
        if (au_dossier_of_replay(x->d, c, output, &how, &ignored) != AU_OK)
            au_check_note(x->c, "%s: %s", c->id, ignored.text);
        break;
    case AU_JUDGED_NOT_SHOWN:
        c->replay = AU_REPLAY_NOT_SHOWN;
        au_finding_because_of(f, arena, AU_WHY_NOT_SHOWN, before, word);
        break;
    case AU_JUDGED_DIVERGED:
        c->replay = AU_REPLAY_DIVERGED;
        au_finding_because_of(f, arena, AU_WHY_DIVERGED, before, word);
        break;
    }
    if (g->against && f->standing == AU_IS_PROVED) { /* the program has the last word */
        x->against++;
        c->standing = f->standing = AU_IS_POSSIBLE;
    }
    free(before);
}

static au_status try_one(execution *x, au_stage_set *set, size_t i, au_error *err) {
    const au_warning *w = warning_of(x, i);
    AU_VEC(uint32_t) event = {0};
    for (size_t e = 0; e < w->solution.event.n; e++)
        au_vec_push(&event, w->solution.event.at[e].step);
    au_way way = {.source = x->in->source,
                  .kind = w->kind,
                  .step = w->solution.schedule.at,
                  .n = w->solution.schedule.n,
                  .event = event.at,
                  .n_events = event.n,
                  .havoc = w->solution.havoc.at,
                  .n_havoc = w->solution.havoc.n,
                  .id = x->d->at.at[i].id,
                  .message = x->d->at.at[i].message};
    au_guided g;
    char *output = au_sprintf("%s/replay.trace", x->keep.run.dir);
    au_status st =
        au_guide(set, &way, output, au_now() + au_deadline_cap(FINDING_SECONDS), &g, err);
    x->interrupted = g.interrupted;
    x->runs += g.runs;
    if (st == AU_OK && !g.interrupted) {
        x->tried++;
        settle(x, i, &g, output);
    }
    au_guided_release(&g);
    au_vec_release(&event);
    unlink(output);
    free(output);
    return st;
}

static au_status try_all(execution *x, au_error *err) {
    au_confirm_options how = {.discard_output = true,
                              .sandbox = au_opt_flag(x->o, "sandbox"),
                              .omit = x->keep.omit,
                              .seconds = au_opt_number(x->o, "run-timeout")};
    au_stage_set *set = au_confirm_open(x->recording, &how, err);
    if (!set)
        return err->status;
    size_t n = x->d->at.n, done = 0;
    for (size_t i = 0; i < n && !x->interrupted && !(x->first && x->confirmed); i++) {
        au_error why = AU_ERROR_NONE;
        if (!has_schedule(x, i))
            continue;
        au_progress("executing findings", done++, n);
        if (au_deadline_over())
            x->d->at.at[i].replay_text = au_deadline_why();
        else if (try_one(x, set, i, &why) != AU_OK)
            x->d->at.at[i].replay_text = au_dossier_text_copy(x->d, why.text);
    }
    au_progress_end();
    au_confirm_free(set);
    return AU_OK;
}

/* ---- what is kept ---- */

static void put_head(execution *x) {
    au_dossier *d = x->d;
    time_t now = time(NULL);
    /* What was scanned, not what was made of it for this run: findings are compared over runs. */
    char *full = realpath(au_operand(x->o, 0), NULL);
    d->program = au_dossier_text_copy(d, full ? full : x->program.exe);
    free(full);
    d->cwd = au_dossier_text_copy(d, x->program.cwd);
    for (char **a = x->program.argv + 1; *a; a++)
        au_vec_push(&d->arg, au_dossier_text_copy(d, *a));
    const au_case_number number[] = {{"executed_findings", (double)x->tried},
                                     {"confirmed_findings", (double)x->confirmed},
                                     {"executions", (double)x->runs},
                                     {"execution_seconds", au_now() - x->begun}};
    au_vec_append(&d->number, number, sizeof number / sizeof *number);
    au_keep_put_when(d, now);
}

/* --explore; by default where nothing but a verdict is asked for. */
static bool explores(const au_opts *o) {
    return (au_opt_given(o, "explore") || !au_opt_flag(o, "svcomp") ? au_opt_flag(o, "explore")
                                                                    : true) &&
           au_prop_option(o) & AU_PROP_RACE;
}

static void explore(execution *x, au_engine_scan *s) {
    au_scan_chase chase = {.o = x->o,
                           .s = s,
                           .program = &x->program,
                           .dir = x->keep.run.dir,
                           .omit = x->keep.omit,
                           .first = x->first,
                           .settle = settle_explored,
                           .ctx = x};
    au_scan_explore(&chase);
    x->confirmed += chase.found;
    x->against += chase.against;
    x->interrupted |= chase.interrupted;
    s->did |= chase.did;
}

void au_scan_execute(const au_opts *o, au_engine_scan *s) {
    execution x = {.first = au_opt_flag(o, "svcomp"),
                   .o = o,
                   .r = &s->result,
                   .in = &s->in,
                   .told = &s->told,
                   .c = &s->outcome,
                   .d = &s->dossier,
                   .keep = AU_KEEP_NONE,
                   .begun = au_now()};
    au_error err = AU_ERROR_NONE;
    bool any = false;
    for (size_t i = 0; i < s->told.n; i++)
        any |= has_schedule(&x, i) || explores(o);
    if (!any || !x.in->source || au_opt_given(o, "entry") || !au_opt_flag(o, "replay"))
        return;
    au_status st = au_deadline_over() ? au_error_set(&err, AU_EUNSUPPORTED, "%s", au_deadline_why())
                                      : au_keep_claim(&x.keep, o, &err);
    if (st == AU_OK)
        st = find_program(&x, &err);
    if (st == AU_OK)
        st = record(&x, &err);
    if (st == AU_OK)
        st = try_all(&x, &err);
    for (size_t i = 0; i < x.d->at.n; i++)
        s->did |= x.d->at.at[i].standing == AU_IS_CONFIRMED;
    if (st == AU_OK && explores(o) && !x.interrupted && !(x.first && s->did))
        explore(&x, s);
    if (st == AU_OK) {
        au_check_note(x.c, "executed on the program: %zu of %zu confirmed%s", x.confirmed, x.tried,
                      x.interrupted ? "; interrupted" : "");
        if (x.against)
            au_check_note(x.c, "model and program disagree: %zu", x.against);
        put_head(&x);
        au_dossier_find_sources(x.d);
        st = au_keep_mark(o, x.d, false, &err);
        if (st == AU_OK)
            st = au_keep_store(&x.keep, o, x.d, &err);
    }
    if (st != AU_OK)
        au_check_note(x.c, "schedules were not executed on the program: %s", err.text);
    au_keep_release(&x.keep);
    if (x.has_program)
        au_program_release(&x.program);
    free(x.recording);
}
