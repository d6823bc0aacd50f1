/* funnel/check_judge.c: the checker's word on what predictors have listed.
 *
 * A predictor never proves anything by itself: it hands a schedule to the checker (witness/check.h), and
 * only what that has executed is called proved. What was listed and cannot be executed is told, or
 * goes. */
#include "base/deadline.h"
#include "base/limits.h"
#include "funnel/stages_priv.h"

#include "linear/misuse.h"

#include <inttypes.h>

static uint64_t schedule_events(const au_schedule *s, uint32_t threads) {
    uint64_t *upto = au_alloc_array(threads, sizeof *upto), n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        upto[s->turn[i].thread] = s->turn[i].upto;
    for (uint32_t t = 0; t < threads; t++)
        n += upto[t];
    free(upto);
    return n;
}

/* Says whether the finding's schedule shows it. 'sound': the predictor promised so,
 * and a refusal is a bug of ours that must not pass in silence. */
static void hear(au_check_run *run, au_finding *f, bool sound) {
    au_check_work *w = run->work;
    au_check_result r;
    if (!w->checker)
        w->checker = au_checker_new_in_time(run->trace);
    if (!w->checker) {
        au_finding_because(f, AU_WHY_TIME);
        return;
    }
    au_checker_run(w->checker, f, &r);
    uint64_t cost = f->cut ? au_cut_events(f->cut)
                           : schedule_events(&f->schedule, (uint32_t)run->names->thread.n);
    w->left -= cost < w->left ? cost : w->left;
    switch (r.verdict) {
    case AU_CHECK_SHOWN:
        f->standing = AU_IS_PROVED;
        au_finding_because_of(f, &run->outcome.findings.arena, AU_WHY_CHECKER, r.why, NULL);
        return;
    case AU_CHECK_UNFINISHED:
        au_finding_because(f, AU_WHY_TIME);
        return;
    case AU_CHECK_LOCKS_ONLY:
        au_finding_because(f, AU_WHY_OTHER_WRITE);
        break;
    case AU_CHECK_NOT_SHOWN:
    case AU_CHECK_STUCK:
        au_finding_because_of(f, &run->outcome.findings.arena, AU_WHY_CHECKER, r.why, NULL);
        f->schedule.n = 0;
        f->cut = NULL;
        break;
    }
    if (sound)
        au_check_inconclusive(&run->outcome,
                              "a bug of augur: the schedule predicted for a %s was refused by the "
                              "checker after %" PRIu64 " events: %s",
                              au_kind_name(f->kind), r.step, r.why);
}

/* Races and deadlocks that came with a schedule. */
au_status au_stage_judge(au_check_run *r, au_error *err) {
    (void)err;
    for (size_t i = 0; i < r->outcome.findings.finding.n; i++) {
        au_finding *f = &r->outcome.findings.finding.at[i];
        if (f->why != AU_WHY_UNCHECKED)
            continue;
        if (au_deadline_over())
            au_finding_because(f, AU_WHY_TIME);
        else if (r->work->left)
            hear(r, f, true);
        else
            au_finding_because(f, AU_WHY_BUDGET);
    }
    return AU_OK;
}

/* Broken blocks can be many: they get what deadlocks and races leave of the budget. */
au_status au_stage_judge_blocks(au_check_run *r, au_error *err) {
    (void)err;
    au_check_work *w = r->work;
    if (w->blocks > w->misuse && r->trace->events.n > au_limit_value(AU_AT_SCHEDULED_EVENTS)) {
        au_limit_reached(AU_AT_SCHEDULED_EVENTS, 1);
        return AU_OK; /* the findings keep their own reason */
    }
    for (size_t i = w->misuse; i < w->blocks; i++) {
        au_finding *f = &r->outcome.findings.finding.at[i];
        bool over = au_deadline_over();
        if (!w->left || over) {
            au_finding_because(f, over ? AU_WHY_TIME : AU_WHY_BUDGET);
            continue;
        }
        if (!w->scheduler)
            w->scheduler = au_scheduler_new(r->trace);
        if (!w->scheduler) { /* or 2^32 events: the findings keep their own reason */
            if (!au_deadline_over())
                return AU_OK;
            au_finding_because(f, AU_WHY_TIME);
            continue;
        }
        if (au_atomicity_schedule(w->scheduler, &r->outcome.findings, f) != AU_SCHEDULE_NONE)
            hear(r, f, false);
        uint64_t reach = f->event[0].number;
        for (uint32_t e = 1; e < f->n_events; e++)
            reach = f->event[e].number > reach ? f->event[e].number : reach;
        w->left -= reach < w->left ? reach : w->left;
    }
    au_scheduler_free(w->scheduler); /* nobody else needs it, and it is large */
    w->scheduler = NULL;
    return AU_OK;
}

/* These have happened: the schedule is the run up to there, where the checker knows
 * what to look for. */
au_status au_stage_judge_misuse(au_check_run *r, au_error *err) {
    (void)err;
    for (size_t i = 0; i < r->work->misuse; i++) {
        au_finding *f = &r->outcome.findings.finding.at[i];
        bool over = au_deadline_over();
        if (!over)
            au_misuse_schedule(r->trace, f, &r->outcome.findings.arena, AU_LIMIT_MISUSE_TURNS);
        if (f->schedule.n && r->work->left && !over && f->event[0].op != AU_OP_LOCKERR)
            hear(r, f, true);
        else
            au_finding_because(f, AU_WHY_SEEN);
    }
    return AU_OK;
}

/* --- what goes ----------------------------------------------------------------------- */

/* Schedules that no replay could follow; the exact stage may know another one. */
static void drop_split(au_check_run *r) {
    au_hooks_view *v = au_hooks_view_new(r->trace);
    for (size_t i = 0; i < r->outcome.findings.finding.n; i++) {
        au_finding *f = &r->outcome.findings.finding.at[i];
        if (!f->schedule.n || au_hooks_hold(v, f))
            continue;
        f->schedule.n = 0;
        au_finding_because(f, AU_WHY_SPLIT);
        if (f->standing == AU_IS_PROVED)
            f->standing = AU_IS_POSSIBLE;
    }
    au_hooks_view_free(v);
}

au_status au_stage_split(au_check_run *r, au_error *err) {
    (void)err;
    drop_split(r);
    return AU_OK;
}

/* A schedule in the order of the run is one of the whole run (trace/thin.h). Those of broken blocks let another thread in
 * where it was not: between the decisive events there may be accesses that the trace does not have. */
au_status au_stage_thinned(au_check_run *r, au_error *err) {
    (void)err;
    for (size_t i = 0; i < r->outcome.findings.finding.n; i++) {
        au_finding *f = &r->outcome.findings.finding.at[i];
        if (f->kind != AU_KIND_ATOMICITY || f->standing != AU_IS_PROVED)
            continue;
        f->standing = AU_IS_POSSIBLE;
        au_finding_because(f, AU_WHY_THINNED);
    }
    if (r->trace && r->plan->last >= AU_STAGE_SOLVER)
        au_check_limit(&r->outcome, AU_AT_THINNED, r->hooks->thinned, 0);
    return AU_OK;
}

/* Pairs that the run happened to leave unordered, but that cannot come together as long
 * as reads see what they saw, and of which the exact stage knows no more: nothing to look
 * into, so they are only counted. */
au_status au_stage_ruled_out(au_check_run *r, au_error *err) {
    (void)err;
    au_check_outcome *c = &r->outcome;
    size_t kept = 0;
    for (size_t i = 0; i < c->findings.finding.n; i++)
        if (c->findings.finding.at[i].why != AU_WHY_READS || r->plan->all)
            c->findings.finding.at[kept++] = c->findings.finding.at[i];
    if (kept < c->findings.finding.n)
        au_check_note(
            c,
            "%zu pairs of accesses were not ordered in the run, but cannot race as long as "
            "reads see the writes they saw (--all lists them)",
            c->findings.finding.n - kept);
    c->findings.finding.n = kept;
    return AU_OK;
}

/* What a schedule shows with answers that the program would not get there is not proved; who executes it knows more. */
static void doubt_replies(au_check_run *r) {
    au_replies_view *v = au_replies_view_new(
        &r->hooks->replies, r->trace ? &r->trace->events : NULL, r->names->thread.n);
    for (size_t i = 0; i < r->outcome.findings.finding.n; i++) {
        au_finding *f = &r->outcome.findings.finding.at[i];
        au_libc_reply other = f->standing == AU_IS_PROVED
                                  ? au_replies_broken(v, &f->schedule, f->event, f->n_events)
                                  : AU_REPLY_UNSTATED;
        if (!other)
            continue;
        f->standing = AU_IS_POSSIBLE;
        au_finding_because(f, other >= AU_REPLY_STATE ? AU_WHY_FOREIGN : AU_WHY_ANSWERS);
    }
    au_replies_view_free(v);
}

/* Recordings: from events to hooks, which is what a replay understands. */
au_status au_stage_hooks(au_check_run *r, au_error *err) {
    (void)err;
    if (!r->hooks)
        return AU_OK;
    if (r->trace)
        drop_split(r);
    doubt_replies(r);
    for (size_t i = 0; i < r->outcome.findings.finding.n; i++)
        au_hooks_tell(r->hooks, &r->outcome.findings.finding.at[i], &r->outcome.findings.arena);
    return AU_OK;
}
