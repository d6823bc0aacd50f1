/* funnel/check_linear.c: the linear stages over a trace, and the checker's word on
 * what they predict.
 *
 * requires: a valid trace (readers see to it); fills: findings, funnel, notes.
 * A predictor never proves anything by itself: it hands a schedule to the checker
 * (witness/check.h), and only what that has executed is called proved. */
#include "base/limits.h"
#include "funnel/check.h"
#include "linear/hb.h"
#include "linear/lockgraph.h"
#include "linear/misuse.h"
#include "linear/race.h"
#include "linear/schedule.h"
#include "linear/syncp_deadlock.h"
#include "trace/recording.h"
#include "witness/check.h"

#include "base/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SLICE = 1 << 16 }; /* events a block when a trace in memory is fed to a pass */

/* --- passes: what can be fed block by block --------------------------------------- */

typedef struct {
    au_atomicity *atomicity;
    au_lockgraph *lockgraph;
    au_misuse *misuse;
    au_hb *hb; /* streaming only */
    uint64_t next_poll;
    AU_VEC(bool) is_lock;
} passes;

static void open_passes(passes *q, const au_check_plan *p, const au_names *names,
                        au_check_outcome *c) {
    *q = (passes){0};
    if (p->atomicity && p->blocks != AU_BLOCKS_NONE) {
        au_atomicity_options o = AU_ATOMICITY_DEFAULTS;
        o.blocks = p->blocks;
        o.all = p->all;
        q->atomicity = au_atomicity_new(names, &o);
    }
    if (p->deadlock)
        q->lockgraph = au_lockgraph_new(names, true);
    if (p->locks)
        q->misuse = au_misuse_new(names, &c->findings, p->found, p->ctx);
    if (p->race && p->stream) {
        au_race_options o = {.all = p->all, .found = p->found, .ctx = p->ctx};
        q->hb = au_hb_new(names, &o, &c->findings);
    }
}

static void close_passes(passes *q) {
    au_atomicity_free(q->atomicity);
    au_lockgraph_free(q->lockgraph);
    au_misuse_free(q->misuse);
    au_hb_free(q->hb);
    au_vec_release(&q->is_lock);
}

static void count_locks(passes *q, const au_block *b, const au_names *names) {
    while (q->is_lock.n < names->lock.n)
        au_vec_push(&q->is_lock, false);
    for (size_t i = 0; i < b->n; i++) {
        au_op op = b->op[i];
        if (op == AU_OP_ACQ || op == AU_OP_RDACQ || op == AU_OP_WRACQ)
            q->is_lock.at[b->obj[i]] = true;
    }
}

static au_status feed(passes *q, const au_block *b, const au_names *names, au_check_outcome *c,
                      au_error *err) {
    c->events += b->n;
    count_locks(q, b, names);
    if (q->atomicity)
        au_atomicity_block(q->atomicity, b);
    if (q->lockgraph)
        au_lockgraph_block(q->lockgraph, b);
    if (q->misuse)
        au_misuse_block(q->misuse, b);
    return q->hb ? au_hb_block(q->hb, b, err) : AU_OK;
}

static void finish_atomicity(passes *q, const au_check_plan *p, const au_names *names,
                             au_check_outcome *c) {
    au_atomicity_result r;
    bool polled = q->next_poll > 0;
    au_atomicity_finish(q->atomicity, &c->findings, &r, polled ? NULL : p->found, p->ctx);
    c->funnel[AU_KIND_ATOMICITY] = r.funnel;
    c->looked_for[AU_KIND_ATOMICITY] = true;
    for (size_t i = 0; i < r.n_not_nested; i++)
        au_check_note(
            c,
            "thread '%s' does not nest its locks (its event %" PRIu64
            "): what is said of its atomic blocks is not exact here",
            au_intern_str(&names->thread, r.not_nested[i].thread),
            c->hooks ? au_hooks_of(c->hooks, r.not_nested[i].thread, r.not_nested[i].event.index)
                     : r.not_nested[i].event.index);
    if (r.left_out)
        au_check_limit(c, AU_AT_BLOCKS_LISTED, r.left_out, 0);
    if (r.truncated)
        au_check_limit(c, AU_AT_BLOCK_LOCATIONS, r.truncated, 0);
}

/* What can be told after the last block without the whole trace. */
static void finish_passes(passes *q, const au_check_plan *p, const au_names *names,
                          au_check_outcome *c) {
    if (q->atomicity)
        finish_atomicity(q, p, names, c);
    if (q->lockgraph) {
        au_lockgraph_finish(q->lockgraph, NULL);
        c->funnel[AU_KIND_DEADLOCK] = *au_lockgraph_funnel(q->lockgraph);
        c->looked_for[AU_KIND_DEADLOCK] = true;
        if (*au_lockgraph_note(q->lockgraph))
            au_check_inconclusive(c, "%s", au_lockgraph_note(q->lockgraph));
    }
    for (size_t i = 0; i < q->is_lock.n; i++)
        c->locks += q->is_lock.at[i];
}

/* Online: what broken blocks the trace shows so far. Asked at doubling lengths, so that
 * the cost stays linear. */
static void poll_blocks(passes *q, const au_check_plan *p, const au_check_outcome *c) {
    if (!q->atomicity || !p->found || c->events < q->next_poll)
        return;
    au_findings told; /* the end has the last word and makes its own list */
    au_findings_init(&told);
    au_atomicity_poll(q->atomicity, &told, p->found, p->ctx);
    au_findings_release(&told);
    q->next_poll = c->events * 2;
}

static void drop_split(au_check_outcome *c, const au_trace *t) {
    for (size_t i = 0; i < c->findings.finding.n; i++) {
        au_finding *f = &c->findings.finding.at[i];
        if (!f->schedule.n || au_hooks_hold(t, &f->schedule))
            continue;
        f->schedule.n = 0;
        au_finding_because(f, AU_WHY_SPLIT);
        if (f->standing == AU_IS_PROVED)
            f->standing = AU_IS_POSSIBLE;
    }
}

/* Recordings: from events to hooks, which is what a replay understands. */
static void speak_of_hooks(au_check_outcome *c, const au_hooks *h, const au_trace *t) {
    if (!h)
        return;
    if (t)
        drop_split(c, t);
    for (size_t i = 0; i < c->findings.finding.n; i++)
        au_hooks_tell(h, &c->findings.finding.at[i], &c->findings.arena);
}

/* --- one pass ---------------------------------------------------------------------- */

au_status au_check_stream(const au_check_plan *p, au_reader *r, au_check_outcome *c,
                          au_error *err) {
    passes q;
    au_block b;
    const au_names *names = au_reader_names(r);
    c->hooks = au_reader_hooks(r);
    open_passes(&q, p, names, c);
    au_status st;
    while ((st = au_reader_next(r, &b, err)) == AU_OK && b.n &&
           (st = feed(&q, &b, names, c, err)) == AU_OK) {
        poll_blocks(&q, p, c);
        au_progress("events", c->events, 0);
    }
    if (st == AU_OK) {
        if (q.misuse)
            au_misuse_finish(q.misuse);
        finish_passes(&q, p, names, c);
        if (q.hb) {
            au_funnel *f = &c->funnel[AU_KIND_RACE];
            f->left[AU_STAGE_LOCKSET] = au_hb_racy(q.hb);
            f->unit = "variables";
            c->looked_for[AU_KIND_RACE] = true;
        }
        for (size_t i = 0; q.lockgraph && i < au_lockgraph_cycles(q.lockgraph); i++) {
            const au_finding *f = au_lockgraph_tell(q.lockgraph, i, &c->findings);
            if (p->found)
                p->found(p->ctx, f);
        }
        speak_of_hooks(c, c->hooks, NULL);
    }
    au_progress_end();
    close_passes(&q);
    return st;
}

/* --- the checker's word -------------------------------------------------------------- */

static uint64_t schedule_events(const au_schedule *s, uint32_t threads) {
    uint64_t *upto = au_alloc_array(threads, sizeof *upto), n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        upto[s->turn[i].thread] = s->turn[i].upto;
    for (uint32_t t = 0; t < threads; t++)
        n += upto[t];
    free(upto);
    return n;
}

typedef struct {
    const au_check_plan *p;
    const au_trace *t;
    au_check_outcome *c;
    au_checker *checker; /* both made when first needed */
    au_scheduler *scheduler;
    uint64_t left; /* of the budget */
} judge;

/* Says whether the finding's schedule shows it. 'sound': the predictor promised so,
 * and a refusal is a bug of ours that must not pass in silence. */
static void hear(judge *j, au_finding *f, bool sound) {
    au_check_result r;
    if (!j->checker)
        j->checker = au_checker_new(j->t);
    au_checker_run(j->checker, f, &r);
    uint64_t cost = schedule_events(&f->schedule, (uint32_t)j->t->names.thread.n);
    j->left -= cost < j->left ? cost : j->left;
    switch (r.verdict) {
    case AU_CHECK_SHOWN:
        f->standing = AU_IS_PROVED;
        au_finding_because_of(f, &j->c->findings.arena, AU_WHY_CHECKER, r.why, NULL);
        return;
    case AU_CHECK_LOCKS_ONLY:
        au_finding_because(f, AU_WHY_OTHER_WRITE);
        break;
    case AU_CHECK_NOT_SHOWN:
    case AU_CHECK_STUCK:
        au_finding_because_of(f, &j->c->findings.arena, AU_WHY_CHECKER, r.why, NULL);
        f->schedule.n = 0;
        break;
    }
    if (sound)
        au_check_inconclusive(j->c,
                              "a bug of augur: the schedule predicted for a %s was refused by the "
                              "checker after %" PRIu64 " events: %s",
                              au_kind_name(f->kind), r.step, r.why);
}

/* Races and deadlocks that came with a schedule. */
static void judge_sound(judge *j, size_t from) {
    for (size_t i = from; i < j->c->findings.finding.n; i++) {
        au_finding *f = &j->c->findings.finding.at[i];
        if (f->why != AU_WHY_UNCHECKED)
            continue;
        if (j->left)
            hear(j, f, true);
        else
            au_finding_because(f, AU_WHY_BUDGET);
    }
}

static void judge_atomicity(judge *j, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        au_finding *f = &j->c->findings.finding.at[i];
        if (!j->left) {
            au_finding_because(f, AU_WHY_BUDGET);
            continue;
        }
        if (!j->scheduler)
            j->scheduler = au_scheduler_new(j->t);
        if (!j->scheduler)
            return; /* 2^32 events: the findings keep their own reason */
        if (au_atomicity_schedule(j->scheduler, &j->c->findings, f) != AU_SCHEDULE_NONE)
            hear(j, f, false);
        uint64_t reach = f->event[0].number;
        for (uint32_t e = 1; e < f->n_events; e++)
            reach = f->event[e].number > reach ? f->event[e].number : reach;
        j->left -= reach < j->left ? reach : j->left;
    }
}

/* These have happened: the schedule is the run up to there, where the checker knows
 * what to look for. */
static void judge_misuse(judge *j, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        au_finding *f = &j->c->findings.finding.at[i];
        au_misuse_schedule(j->t, f, &j->c->findings.arena, AU_LIMIT_MISUSE_TURNS);
        if (f->schedule.n && j->left)
            hear(j, f, true);
        else
            au_finding_because(f, AU_WHY_SEEN);
    }
}

/* Pairs that the run happened to leave unordered, but that cannot come together as long
 * as reads see what they saw, and of which the exact stage knows no more: nothing to look
 * into, so they are only counted. */
static void drop_ruled_out(judge *j) {
    au_check_outcome *c = j->c;
    size_t kept = 0;
    for (size_t i = 0; i < c->findings.finding.n; i++)
        if (c->findings.finding.at[i].why != AU_WHY_READS || j->p->all)
            c->findings.finding.at[kept++] = c->findings.finding.at[i];
    if (kept < c->findings.finding.n)
        au_check_note(
            c,
            "%zu pairs of accesses were not ordered in the run, but cannot race as long as "
            "reads see the writes they saw (--all lists them)",
            c->findings.finding.n - kept);
    c->findings.finding.n = kept;
}

/* --- a trace in memory --------------------------------------------------------------- */

static au_status find_races(judge *j, au_error *err) {
    const au_check_plan *p = j->p;
    au_check_outcome *c = j->c;
    au_race_options o = {.all = p->all, .found = p->found, .ctx = p->ctx};
    size_t from = c->findings.finding.n;
    c->looked_for[AU_KIND_RACE] = true;
    au_progress("races", 0, 0);
    au_status st = au_races(j->t, &o, &c->findings, &c->funnel[AU_KIND_RACE], NULL, err);
    if (st == AU_OK)
        judge_sound(j, from);
    return st;
}

static au_status find_deadlocks(judge *j, const au_lockgraph *g, au_error *err) {
    au_syncp *s = au_lockgraph_cycles(g) ? au_syncp_new(j->t, err) : NULL;
    if (!s)
        return au_lockgraph_cycles(g) ? err->status : AU_OK;
    au_syncp_deadlock_counts n;
    size_t from = j->c->findings.finding.n;
    au_progress("deadlocks", 0, au_lockgraph_cycles(g));
    au_syncp_deadlocks(j->t, s, g, NULL, &j->c->findings, j->p->found, j->p->ctx, &n);
    au_syncp_free(s);
    if (n.undecided)
        au_check_limit(j->c, AU_AT_DEADLOCK_STEPS, n.undecided, 0);
    judge_sound(j, from);
    return AU_OK;
}

au_status au_check_trace(const au_check_plan *p, const au_trace *t, au_check_outcome *c,
                         au_error *err) {
    passes q;
    judge j = {p, t, c, NULL, NULL, p->budget};
    au_status st = AU_OK;
    c->hooks = &t->hooks;
    open_passes(&q, p, &t->names, c);
    for (size_t i = 0; i < t->events.n && st == AU_OK; i += SLICE) {
        size_t end = i + SLICE < t->events.n ? i + SLICE : t->events.n;
        au_block b = au_columns_block(&t->events, i, end);
        st = feed(&q, &b, &t->names, c, err);
        au_progress("events", i, t->events.n);
    }
    if (q.misuse)
        au_misuse_finish(q.misuse);
    size_t blocks_from = c->findings.finding.n; /* so far: misuse */
    finish_passes(&q, p, &t->names, c);
    size_t blocks_to = c->findings.finding.n;
    judge_misuse(&j, 0, blocks_from);
    /* Broken blocks can be many: they get what deadlocks and races leave of the budget. */
    if (q.lockgraph && st == AU_OK)
        st = find_deadlocks(&j, q.lockgraph, err);
    if (p->race && st == AU_OK)
        st = find_races(&j, err);
    if (st == AU_OK)
        judge_atomicity(&j, blocks_from, blocks_to);
    if (st == AU_OK && p->exact.last >= AU_STAGE_GRAPH && p->exact.semantics != AU_SEM_LOCKS)
        st = au_check_filter(p, t, c, err);
    if (p->source)
        drop_split(c, t); /* the exact stage may know a schedule that does not stop there */
    if (st == AU_OK)
        st = au_check_open(p, t, c, err);
    if (st == AU_OK)
        drop_ruled_out(&j);
    if (p->nondet && st == AU_OK)
        st = au_check_nondet(p, t, c, err);
    speak_of_hooks(c, &t->hooks, t);
    au_progress_end();
    au_checker_free(j.checker);
    au_scheduler_free(j.scheduler);
    close_passes(&q);
    return st;
}
