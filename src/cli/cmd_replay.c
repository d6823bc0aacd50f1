/* cli/cmd_replay.c: augur replay. */
#include "base/json.h"
#include "base/out.h"
#include "base/temporary.h"
#include "cli/replay.h"
#include "confirm/confirm.h"
#include "engine/find_again.h"
#include "report/schedule.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct session {
    const au_opts *o;
    const char *trace;
    char *stored; /* the same, if it came from the store */
    au_stage_set *stage;
    const au_replay *replay; /* the stage's */
    au_dossier d;   /* its first case is what is to be seen; none: repeat the recorded run */
    au_turns turns; /* … and how it is executed */
    char *dir;      /* for recordings that nobody keeps; NULL: not made */
    bool fixed;     /* addresses are the same in both runs */
    bool late;      /* its time was up */
    au_out *out;    /* for answers; NULL: none yet */
};

static const au_case *wanted(const struct session *s) {
    return s->d.at.n ? &s->d.at.at[0] : NULL;
}

/* What a replay is worth, in the order of badness. */
typedef enum { GOOD, SHOWN, BAD } outcome;

/* The recorded run had a bug to show only if it was asked for; see docs/replay.md. */
static int exit_status(outcome x) {
    return x == GOOD ? AU_EXIT_NOTHING : x == SHOWN ? AU_EXIT_FOUND : AU_EXIT_INTERNAL;
}

static au_status usage(const au_opts *o, au_error *err) {
    bool schedule = au_opt_given(o, "schedule"), finding = au_opt_given(o, "finding");
    if (schedule && (finding || au_opt_given(o, "findings")))
        return au_error_set(err, AU_EUSAGE, "'--schedule' conflicts with '--finding': give one");
    if (!au_operands(o) && !finding)
        return au_error_set(err, AU_EUSAGE,
                            "nothing to replay: give a TRACE, or '--finding' for a finding of the "
                            "last 'augur run'");
    if (!au_operands(o) && au_opt_given(o, "findings"))
        return au_error_set(err, AU_EUSAGE, "'--findings' needs the TRACE of the findings");
    if (au_opt_given(o, "gdb-command") && !au_opt_flag(o, "gdb"))
        return au_error_set(err, AU_EUSAGE, "'--gdb-command' needs '--gdb'");
    if (au_opt_flag(o, "gdb") && au_opt_int(o, "times") > 1)
        return au_error_set(err, AU_EUSAGE, "'--gdb' conflicts with '--times'");
    return AU_OK;
}

/* A directory for what nobody keeps. */
static au_status make_dir(struct session *s, au_error *err) {
    if (!s->dir)
        s->dir = au_temporary_directory("augur-", err);
    return s->dir ? AU_OK : err->status;
}

static char *new_name(struct session *s, int64_t number, au_error *err) {
    const char *keep = au_opt_str(s->o, "output");
    if (keep)
        return au_opt_int(s->o, "times") > 1 ? au_sprintf("%s.%" PRId64, keep, number)
                                             : au_strdup(keep);
    return make_dir(s, err) == AU_OK ? au_sprintf("%s/%" PRId64 ".trace", s->dir, number) : NULL;
}

/* A finding of the store: its recording and what is to be seen. */
static au_status find_stored(struct session *s, au_error *err) {
    const au_opts *o = s->o;
    au_store *store = au_store_open(au_opt_str(o, "store"), false, err);
    au_status st =
        store ? au_store_named(store, au_opt_str(o, "finding"), &s->d, err) : err->status;
    au_store_close(store);
    const au_case *c = st == AU_OK ? wanted(s) : NULL;
    if (c && c->schedule.n && access(c->recording, R_OK))
        st = au_error_set(err, AU_EUSAGE,
                          "the recording '%s' of finding '%s' is gone ('augur run --keep' sets how "
                          "many runs are kept)",
                          c->recording, c->id);
    au_turns turns = {0};
    if (st == AU_OK)
        st =
            au_case_turns(c, &turns, err); /* before the recording is opened: can it be executed? */
    au_vec_release(&turns);
    if (st == AU_OK)
        s->trace = s->stored = au_strdup(c->recording);
    return st;
}

static au_status find_wanted(struct session *s, au_error *err) {
    const au_opts *o = s->o;
    const char *file = au_opt_str(o, "schedule"), *id = au_opt_str(o, "finding");
    const char *findings = au_opt_str(o, "findings");
    au_status st = AU_OK;
    if (wanted(s))
        ;
    else if (file || findings)
        st = au_schedule_read(&s->d, file ? file : findings, id, err);
    else if (!id)
        return AU_OK;
    else
        st = au_find_again(o, s->trace, id, &s->d, err);
    if (st == AU_OK)
        st = au_case_whole_turns(wanted(s), &s->turns, err);
    if (st == AU_OK && au_opt_flag(o, "gdb"))
        au_turns_stop_before(&s->turns, wanted(s));
    return st;
}

/* As often as who sits at gdb wants to see another turn. */
static au_status execute_turns(struct session *s, au_gdb *g, au_stage_run *how, au_run_result *r,
                               bool *late, au_error *err) {
    au_turns turns = s->turns;
    for (;;) {
        if (how->turns && g->turn) {
            turns.n = g->turn;
            how->turns = &turns;
        }
        au_status st = au_confirm_execute(s->stage, how, g->m, g->child, r, late, err);
        au_gdb_wait(g);
        if (!au_gdb_asks(g))
            return st;
        if (st == AU_OK)
            au_run_release(r);
        *err = (au_error)AU_ERROR_NONE;
    }
}

/* One execution into 'output'. */
static au_status execute(struct session *s, const char *output, au_run_result *r, au_error *err) {
    bool gdb = au_opt_flag(s->o, "gdb"), late;
    au_control_map m;
    au_child child;
    size_t turns = wanted(s) ? s->turns.n : 0;
    au_gdb g = {.o = s->o, .m = &m, .child = &child, .turn = turns, .turns = turns};
    au_stage_run how = {.turns = wanted(s) ? &s->turns : NULL,
                        .by_order = s->d.input.n > 1,
                        .output = output,
                        .stop = gdb,
                        .traceable = gdb,
                        .tick = gdb ? au_gdb_tick : NULL,
                        .tick_ctx = &g};
    if (!s->replay->input_whole)
        au_cli_note(
            s->o, "the recording holds only part of the standard input: the program reads augur's");
    au_status st = execute_turns(s, &g, &how, r, &late, err);
    if (st != AU_OK)
        return st;
    s->fixed = s->replay->program.plan.no_randomize && r->launch.last.no_randomize;
    s->late = late;
    if (gdb && !g.reached)
        st = au_error_set(err, AU_EINTERNAL,
                          "the program ended before the schedule did, nothing to debug: %s",
                          *r->launch.last.message ? r->launch.last.message
                                                  : "see 'augur replay' "
                                                    "without '--gdb'");
    else if (gdb && g.failed)
        st = au_error_set(err, AU_EINTERNAL, "gdb failed");
    if (st != AU_OK)
        au_run_release(r);
    return st;
}

/* ---- answers ---- */

/* The answer of a plain replay goes to standard error: standard output is the program's, and
 * is to be the same as in the recorded run. */
static void answer(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void answer(struct session *s, const char *fmt, ...) {
    char text[4096];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (wanted(s)) {
        if (!s->out)
            s->out = au_out_fd(STDOUT_FILENO, "<stdout>");
        au_out_printf(s->out, "%s\n", text);
        au_out_flush(s->out, NULL);
    } else {
        fprintf(stderr, "augur: %s\n", text);
    }
}

/* An answer that did not get through is none. */
static int answered(struct session *s, int status, au_error *err) {
    if (s->out && au_out_commit(s->out, err) != AU_OK)
        status = au_cli_fail(err);
    s->out = NULL;
    return status;
}

static void tell_runtime(const au_run_result *r, char *text, size_t size) {
    snprintf(text, size, "%s", r->launch.last.message);
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = ';';
}

static au_status judge_same(struct session *s, const char *output, const au_run_result *r,
                            outcome *x, au_error *err) {
    au_comparison c;
    char text[1024], more[1024];
    au_status st = au_replay_compare(s->trace, output, s->fixed, &c, err);
    if (st != AU_OK)
        return st;
    if (s->late) {
        answer(s, "diverged: the program did not end within %g s",
               au_opt_number(s->o, "run-timeout"));
        *x = BAD;
        return AU_OK;
    }
    /* A recording that was cut has no end to compare. */
    if (c.what == AU_LONGER && s->replay->cut)
        c.what = AU_SAME;
    if (c.what == AU_SAME) {
        answer(s, "identical: %" PRIu64 " events of %zu threads%s%s", s->replay->events,
               s->replay->length.n, s->fixed ? "" : " (in their order; addresses differ)",
               s->replay->cut ? ", up to where the recording was cut off" : "");
        *x = GOOD;
        return AU_OK;
    }
    au_tell_comparison(s->trace, output, &c, text, sizeof text);
    answer(s, "diverged after %" PRIu64 " of %" PRIu64 " events: %s", c.events, s->replay->events,
           text);
    tell_runtime(r, more, sizeof more);
    if (*more)
        answer(s, "the runtime says: %s", more);
    au_replay_differences(s->replay, more, sizeof more);
    if (*more)
        answer(s, "differs from the recording: %s", more);
    *x = BAD;
    return AU_OK;
}

static au_status judge_wanted(struct session *s, const char *output, const au_run_result *r,
                              outcome *x, au_error *err) {
    const au_case *c = wanted(s);
    au_judgement j;
    bool told = c->kind == AU_KIND_OUTPUT; /* executed several times, and compared */
    au_status st = told ? au_confirm(s->stage, c, &s->turns, NULL, &j, NULL, err)
                        : au_judge(c, &s->turns, s->trace, output, &j, err);
    if (st != AU_OK)
        return st;
    *x = BAD;
    j.rests = au_confirm_rests(s->stage, &r->launch.last);
    if (j.judged == AU_JUDGED_CONFIRMED) {
        if (au_case_is_finding(c) && j.rests != AU_WHY_NONE)
            answer(s, "%s: %s: %s: %s", au_standing_name(au_confirm_standing(c->standing, j.rests)),
                   c->id, *c->message ? c->message : au_kind_name(c->kind), au_why_text(j.rests));
        else if (au_case_is_finding(c))
            answer(s, "confirmed: %s: %s", c->id, *c->message ? c->message : au_kind_name(c->kind));
        else
            answer(s, "confirmed: the schedule of %zu turns was executed", s->turns.n);
        *x = au_case_is_finding(c) ? SHOWN : GOOD;
        return AU_OK;
    }
    char more[1024];
    au_told_event was = {0}, is;
    tell_runtime(r, more, sizeof more);
    if (s->late) {
        answer(s, "diverged: the program did not end within %g s",
               au_opt_number(s->o, "run-timeout"));
        return AU_OK;
    }
    answer(s, "%s: %s%s%s", j.judged == AU_JUDGED_DIVERGED ? "diverged" : "not confirmed", j.why,
           *more ? ": " : "", more);
    if (j.has_place) {
        au_tell_event(output, &j.is, &is);
        if (j.was.tag)
            au_tell_event(s->trace, &j.was, &was);
        answer(s, "%s diverged at event %" PRIu64 ": %s%s%s", is.who, j.is.index, is.did,
               *was.did ? "; recorded: " : "", was.did);
    }
    return AU_OK;
}

/* ---- the runs ---- */

static au_status run_once(struct session *s, const char *output, const char *first, outcome *x,
                          au_error *err) {
    au_run_result r;
    au_status st = execute(s, output, &r, err);
    if (st != AU_OK)
        return st;
    au_run_tell(s->o, &s->replay->program, &r, output);
    if (au_opt_flag(s->o, "gdb"))
        *x = GOOD;
    else if (!wanted(s))
        st = judge_same(s, output, &r, x, err);
    else
        st = judge_wanted(s, output, &r, x, err);
    if (st == AU_OK && first && wanted(s)) {
        au_comparison c;
        char text[1024];
        st = au_replay_compare(first, output, s->fixed, &c, err);
        if (st == AU_OK && c.what != AU_SAME) {
            au_tell_comparison(first, output, &c, text, sizeof text);
            answer(s, "not deterministic: after %" PRIu64 " events %s", c.events, text);
            *x = BAD;
        }
    }
    au_run_release(&r);
    return st;
}

static int run_all(struct session *s, au_error *err) {
    int64_t times = au_opt_int(s->o, "times");
    bool keep = au_opt_given(s->o, "output");
    char *first = NULL;
    outcome worst = GOOD;
    au_status st = AU_OK;
    for (int64_t i = 1; i <= times && st == AU_OK && worst != BAD; i++) {
        outcome x = BAD;
        char *output = new_name(s, i, err);
        st = output ? run_once(s, output, first, &x, err) : err->status;
        if (st == AU_OK && x > worst)
            worst = x;
        if (!first) {
            first = output;
            continue;
        }
        if (output && !keep)
            unlink(output);
        free(output);
    }
    if (first && !keep)
        unlink(first);
    free(first);
    if (st != AU_OK)
        return au_cli_fail(err);
    if (times > 1 && worst != BAD)
        answer(s, "the same %" PRId64 " times", times);
    return exit_status(worst);
}

int au_cmd_replay(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    struct session s = {.o = o, .trace = au_operands(o) ? au_operand(o, 0) : NULL};
    au_confirm_options how = {.seconds = au_opt_number(o, "run-timeout")};
    if (usage(o, &err) != AU_OK)
        return au_cli_fail(&err);
    au_dossier_init(&s.d);
    au_status st = s.trace ? AU_OK : find_stored(&s, &err);
    if (st == AU_OK && !(s.stage = au_confirm_open(s.trace, &how, &err)))
        st = err.status;
    if (st == AU_OK) {
        s.replay = au_confirm_replay(s.stage);
        st = find_wanted(&s, &err);
    }
    int status = st == AU_OK ? run_all(&s, &err) : au_cli_fail(&err);
    status = answered(&s, status, &err);
    au_temporary_remove(s.dir);
    free(s.dir);
    free(s.stored);
    au_vec_release(&s.turns);
    au_dossier_release(&s.d);
    au_confirm_free(s.stage);
    return status;
}
