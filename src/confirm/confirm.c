/* confirm/confirm.c: see confirm.h. */
#include "confirm/confirm.h"

#include "base/clock.h"
#include "base/deadline.h"
#include "base/temporary.h"
#include "record/sandbox.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_SWITCHES = 24 }; /* of a run that goes on at random, about */

struct au_stage_set {
    char *path;
    au_confirm_options options;
    au_replay replay;
    au_sandbox *sandbox; /* NULL: it runs where it ran */
};

au_stage_set *au_confirm_open(const char *recording, const au_confirm_options *o, au_error *err) {
    au_stage_set *s = au_alloc_array(1, sizeof *s);
    s->options = *o;
    if (au_replay_load(&s->replay, recording, err) != AU_OK) {
        free(s);
        return NULL;
    }
    s->path = au_strdup(recording);
    au_status st = AU_OK;
    if (s->replay.cut && !s->replay.events)
        st = au_error_set(err, AU_EFORMAT, "'%s' was cut off before its first event", recording);
    else
        st = au_replay_same_program(&s->replay, err);
    const au_program *p = &s->replay.program;
    if (st == AU_OK && o->sandbox && !(s->sandbox = au_sandbox_open(p->cwd, p->exe, o->omit, err)))
        st = err->status;
    if (st == AU_OK)
        return s;
    au_confirm_free(s);
    return NULL;
}

void au_confirm_free(au_stage_set *s) {
    if (!s)
        return;
    au_replay_release(&s->replay);
    au_sandbox_free(s->sandbox);
    free(s->path);
    free(s);
}

const au_replay *au_confirm_replay(const au_stage_set *s) {
    return &s->replay;
}

/* ---- one execution ---- */

/* The signal that ended the recorded run from outside; 0: it ended by itself. */
static int ended_by(const au_replay *p) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPIPE};
    if (p->cut || p->end_why == UINT8_MAX)
        return SIGKILL;
    if (p->end_why != AU_END_SIGNAL || p->end_status < 1 || p->end_status >= NSIG)
        return 0;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (p->end_status == own[i])
            return 0;
    return (int)p->end_status;
}

bool au_confirm_ends(const au_stage_set *s) {
    return !ended_by(&s->replay) && s->replay.end_why != AU_END_LIMIT;
}

/* A run that was ended from outside (Ctrl-C, kill) is ended in the same way where its recording
 * ends; it would go on, and perhaps for ever. */
struct watch {
    const au_stage_run *how;
    au_control_map *m;
    au_child *child;
    int signal;   /* 0: it ends by itself */
    double until; /* 0: for ever */
    bool ended, late;
};

static void watch_tick(void *ctx) {
    struct watch *w = ctx;
    if (w->how->tick)
        w->how->tick(w->how->tick_ctx);
    if (w->signal && !w->ended && __atomic_load_n(&w->m->c->stopped, __ATOMIC_SEQ_CST)) {
        w->ended = true;
        kill(w->child->pid, w->signal);
    }
    if (!w->late && ((w->until > 0 && au_now() > w->until) || au_deadline_over())) {
        w->late = true;
        kill(w->child->pid, SIGKILL);
    }
}

/* The recorded order, to its end: what the kernel answered then is what it answers. */
static bool same_turns(const au_turns *a, const au_turns *b) {
    if (a == b)
        return true;
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->at[i].thread != b->at[i].thread || a->at[i].upto != b->at[i].upto)
            return false;
    return true;
}

au_status au_confirm_execute(au_stage_set *s, const au_stage_run *how, au_control_map *m,
                             au_child *child, au_run_result *r, bool *late, au_error *err) {
    const au_replay *p = &s->replay;
    const au_turns *turns = how->turns ? how->turns : &p->turns;
    au_feed feed = {p->input.at ? p->input.at : "", p->input.n};
    struct watch w = {.how = how,
                      .m = m,
                      .child = child,
                      .signal = how->turns ? 0 : ended_by(p),
                      .until = s->options.seconds > 0 ? au_now() + s->options.seconds : 0};
    bool stop = how->stop || w.signal;
    bool end =
        how->end || (!how->turns && !stop && p->end_why == AU_END_LIMIT); /* as it did then */
    const char *cwd = NULL;
    if (s->sandbox && !(cwd = au_sandbox_fresh(s->sandbox, err)))
        return err->status;
    au_program program = p->program;
    if (how->after == AU_AFTER_RANDOM) {
        program.plan.seed = how->seed;
        program.plan.switch_every = 1 + p->events / RANDOM_SWITCHES;
    }
    au_run run = {.program = &program,
                  .cwd = cwd,
                  .output = how->output,
                  .plan = {.mode = AU_MODE_REPLAY,
                           .after = end    ? AU_AFTER_END
                                    : stop ? AU_AFTER_STOP
                                           : how->after,
                           .other = how->alive || !same_turns(turns, &p->turns)},
                  .script = {.turn = turns->at,
                             .n_turns = turns->n,
                             .birth = p->births.at,
                             .n_births = how->by_order ? 0 : p->births.n,
                             .inputs = how->machine ? NULL : p->inputs.at,
                             .inputs_size = how->machine ? 0 : p->inputs.n},
                  .feed = p->input_whole ? &feed : NULL,
                  .whole_input = true,
                  .discard_output = s->options.discard_output || how->keep_output,
                  .keep_output = how->keep_output,
                  .again = true,
                  .keeps = !how->turns,
                  .exact = true,
                  .traceable = how->traceable,
                  .tick = watch_tick,
                  .tick_ctx = &w};
    au_status st = au_run_program(&run, m, child, r, err);
    if (late)
        *late = w.late;
    if (st != AU_OK)
        return st;
    if (!r->launch.attached)
        st = au_error_set(err, AU_EINTERNAL, "the runtime in '%s' did not start", p->program.path);
    else if (r->write_status != AU_OK)
        st = (*err = r->write_error).status;
    if (st != AU_OK)
        au_run_release(r);
    return st;
}

au_status au_confirm_outcome(au_stage_set *s, const au_stage_run *how, bool memory, au_outcome *o,
                             int *interrupted, au_error *err) {
    char *dir = how->output ? NULL : au_temporary_directory("augur-", err), *passing = NULL;
    if (!how->output && !dir)
        return err->status;
    if (dir)
        passing = au_sprintf("%s/run.trace", dir);
    au_stage_run run = *how;
    run.output = dir ? passing : how->output;
    run.alive = run.keep_output = true;
    au_control_map m;
    au_child child;
    au_run_result r;
    bool late;
    au_status st = au_confirm_execute(s, &run, &m, &child, &r, &late, err);
    if (st == AU_OK) {
        if (interrupted && r.signal)
            *interrupted = r.signal;
        st = au_outcome_take(o, &r, late, memory ? run.output : NULL, err);
        if (st != AU_OK) {
            au_outcome_release(o);
            *o = (au_outcome){0};
        }
        au_run_release(&r);
    }
    au_temporary_remove(dir);
    free(passing);
    free(dir);
    return st;
}

au_why au_confirm_rests(const au_stage_set *s, const struct au_control *last) {
    const au_program *p = &s->replay.program;
    if (!last->other)
        return AU_WHY_NONE;
    if (last->rests & AU_RESTS_OUTSIDE)
        return AU_WHY_RESTS_OUTSIDE;
    if (p->terminal[0] && s->replay.input.n)
        return AU_WHY_RESTS_TERMINAL;
    return last->rests & AU_RESTS_TIMED ? AU_WHY_RESTS_TIMED : AU_WHY_NONE;
}

au_standing au_confirm_standing(au_standing before, au_why rests) {
    if (rests == AU_WHY_NONE)
        return AU_IS_CONFIRMED;
    return rests == AU_WHY_RESTS_OUTSIDE && before != AU_IS_PROVED ? AU_IS_POSSIBLE : AU_IS_PROVED;
}

/* ---- execution and judgement ---- */

/* The runtime's own words, in one line. */
static void add_message(au_judgement *j, const char *message) {
    size_t n = strlen(j->why);
    if (!*message || n + 3 >= sizeof j->why)
        return;
    snprintf(j->why + n, sizeof j->why - n, ": %.*s", (int)(sizeof j->why - n - 3), message);
    for (char *c = j->why; *c; c++)
        if (*c == '\n')
            *c = ';';
}

/* The program tells the world something else on these turns than on the recorded ones, twice: what differs from one execution of
 * a schedule to the next does not depend on the schedule. */
static au_status confirm_output(au_stage_set *s, const au_case *c, const au_turns *turns,
                                au_judgement *j, int *interrupted, au_error *err) {
    au_outcome was[2] = {0}, now[2] = {0};
    au_status st = AU_OK;
    *j = (au_judgement){.judged = AU_JUDGED_NOT_SHOWN, .open = true};
    au_stage_run recorded = {.after = AU_AFTER_GIVE_WAY},
                 other = {.turns = turns, .after = AU_AFTER_GIVE_WAY};
    for (int i = 0; i < 2 && st == AU_OK; i++) {
        recorded.machine = other.machine = i > 0;
        st = au_confirm_outcome(s, &recorded, false, &was[i], interrupted, err);
        if (st == AU_OK)
            st = au_confirm_outcome(s, &other, false, &now[i], interrupted, err);
    }
    char *where = NULL, *text = NULL, *same[2] = {NULL, NULL};
    if (st == AU_OK) {
        text = au_outcome_told_otherwise(&was[0], &now[0], AU_COMPARE_ORDER, &where);
        same[0] = au_outcome_told_otherwise(&was[0], &was[1], AU_COMPARE_ORDER, NULL);
        same[1] = au_outcome_told_otherwise(&now[0], &now[1], AU_COMPARE_ORDER, NULL);
    }
    if (st == AU_OK && now[0].diverged)
        j->judged = AU_JUDGED_DIVERGED,
        snprintf(j->why, sizeof j->why, "the schedule could not be followed");
    else if (st == AU_OK && !text)
        snprintf(j->why, sizeof j->why, "'%s' is the same on both schedules", c->var);
    else if (st == AU_OK && (same[0] || same[1]))
        snprintf(j->why, sizeof j->why, "it differs from one execution of a schedule to the next");
    else if (st == AU_OK)
        j->judged = AU_JUDGED_CONFIRMED;
    for (int i = 0; i < 2; i++) {
        au_outcome_release(&was[i]);
        au_outcome_release(&now[i]);
        free(same[i]);
    }
    free(where);
    free(text);
    return st;
}

au_status au_confirm(au_stage_set *s, const au_case *c, const au_turns *turns, const char *output,
                     au_judgement *j, int *interrupted, au_error *err) {
    if (interrupted)
        *interrupted = 0;
    if (c->kind == AU_KIND_OUTPUT)
        return confirm_output(s, c, turns, j, interrupted, err);
    char *dir = output ? NULL : au_temporary_directory("augur-", err), *passing = NULL;
    if (!output && !dir)
        return err->status;
    if (dir)
        passing = au_sprintf("%s/run.trace", dir);
    /* A program that would go on for ever has shown what it has to when the schedule ends. */
    bool done = c->kind == AU_KIND_RACE || c->kind == AU_KIND_ATOMICITY || c->kind == AU_KIND_LOST;
    au_stage_run how = {.turns = turns,
                        .output = output ? output : passing,
                        .end = done && (ended_by(&s->replay) || s->replay.end_why == AU_END_LIMIT)};
    au_control_map m;
    au_child child;
    au_run_result r;
    bool late;
    au_status st = au_confirm_execute(s, &how, &m, &child, &r, &late, err);
    if (st == AU_OK) {
        st = au_judge(c, turns, s->path, how.output, j, err);
        j->rests = au_confirm_rests(s, &r.launch.last);
        /* With another answer from outside it might have gone the way that was predicted. */
        j->open |= j->judged != AU_JUDGED_CONFIRMED && j->rests != AU_WHY_NONE;
        if (interrupted)
            *interrupted = r.signal;
        if (st == AU_OK && j->judged != AU_JUDGED_CONFIRMED && late) {
            j->judged = AU_JUDGED_DIVERGED;
            j->open = true;
            j->cut = au_deadline_over();
            if (j->cut)
                snprintf(j->why, sizeof j->why, "%s", au_deadline_why());
            else
                snprintf(j->why, sizeof j->why, "the program did not end within %g s",
                         s->options.seconds);
        } else if (st == AU_OK && j->judged != AU_JUDGED_CONFIRMED) {
            add_message(j, r.launch.last.message);
        }
        au_run_release(&r);
    }
    au_temporary_remove(dir);
    free(passing);
    free(dir);
    return st;
}
