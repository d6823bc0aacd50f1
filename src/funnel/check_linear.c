/* funnel/check_linear.c: the linear stages over a trace: what they predict is listed.
 *
 * requires: a valid trace (readers see to it); fills: findings, funnel, notes.
 * A predictor never proves anything by itself: it makes a schedule, which check_judge.c has
 * executed. */
#include "base/aside.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "funnel/stages_priv.h"
#include "linear/atomicity.h"
#include "linear/hb.h"
#include "linear/lockgraph.h"
#include "linear/misuse.h"
#include "linear/race.h"
#include "linear/syncp_deadlock.h"

#include "base/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SLICE = 1 << 14 }; /* events a block when a trace in memory is fed to a pass */
#define TO_READ 0.8       /* of a stage's time: for the events; the rest for what they show */

/* --- passes: what can be fed block by block --------------------------------------- */

typedef struct au_passes {
    au_atomicity *atomicity;
    au_atomicity_beside *beside; /* the other parts of that; NULL: it is one */
    au_lockgraph *lockgraph;
    au_misuse *misuse;
    au_hb *hb; /* streaming only */
    uint64_t next_poll;
    AU_VEC(bool) is_lock;
} passes;

static passes *open_passes(au_check_run *r) {
    const au_plan *p = r->plan;
    const au_names *names = r->names;
    passes *q = r->work->passes = AU_NEW(passes);
    if (au_plan_wants(p, AU_PROP_ATOMICITY) && p->blocks != AU_BLOCKS_NONE) {
        au_atomicity_options o = AU_ATOMICITY_DEFAULTS;
        o.blocks = p->blocks;
        o.all = p->all;
        if (r->trace)
            q->beside = au_atomicity_beside_start(r->trace, &o, au_aside_jobs(p->jobs), 0);
        q->atomicity = au_atomicity_new(names, &o);
    }
    if (au_plan_wants(p, AU_PROP_DEADLOCK))
        q->lockgraph = au_lockgraph_new(names, true);
    if (au_plan_wants(p, AU_PROP_LOCKS))
        q->misuse = au_misuse_new(names, &r->outcome.findings, r->found, r->ctx);
    if (au_plan_wants(p, AU_PROP_RACE) && p->stream) {
        au_race_options o = {.all = p->all, .found = r->found, .ctx = r->ctx};
        q->hb = au_hb_new(names, &o, &r->outcome.findings);
    }
    return q;
}

void au_passes_free(passes *q) {
    if (!q)
        return;
    au_atomicity_free(q->atomicity);
    au_atomicity_beside_free(q->beside);
    au_lockgraph_free(q->lockgraph);
    au_misuse_free(q->misuse);
    au_hb_free(q->hb);
    au_vec_release(&q->is_lock);
    free(q);
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

static au_status feed(passes *q, const au_block *b, au_check_run *r, au_error *err) {
    r->outcome.events += b->n;
    count_locks(q, b, r->names);
    if (q->atomicity)
        au_atomicity_block(q->atomicity, b);
    if (q->lockgraph)
        au_lockgraph_block(q->lockgraph, b);
    if (q->misuse)
        au_misuse_block(q->misuse, b);
    return q->hb ? au_hb_block(q->hb, b, err) : AU_OK;
}

static void finish_atomicity(passes *q, au_check_run *run) {
    au_check_outcome *c = &run->outcome;
    au_atomicity_result r;
    bool polled = q->next_poll > 0;
    uint64_t read = c->events;
    if (q->beside)
        read = au_atomicity_finish_both(q->atomicity, q->beside, &c->findings, &r, run->found,
                                        run->ctx);
    else
        au_atomicity_finish(q->atomicity, &c->findings, &r, polled ? NULL : run->found, run->ctx);
    if (read < c->events)
        au_check_cut(c, "broken blocks after event %" PRIu64, read);
    c->funnel[AU_KIND_ATOMICITY] = r.funnel;
    c->looked_for[AU_KIND_ATOMICITY] = true;
    for (size_t i = 0; i < r.n_not_nested; i++)
        au_check_note(c,
                      "thread '%s' does not nest its locks (its event %" PRIu64
                      "): its atomic blocks are approximated",
                      au_intern_str(&run->names->thread, r.not_nested[i].thread),
                      run->hooks ? au_hooks_of(run->hooks, r.not_nested[i].thread,
                                               r.not_nested[i].event.index)
                                 : r.not_nested[i].event.index);
    if (r.left_out)
        au_check_limit(c, AU_AT_BLOCKS_LISTED, r.left_out, 0);
    if (r.truncated)
        au_check_limit(c, AU_AT_BLOCK_LOCATIONS, r.truncated, 0);
    au_atomicity_free(q->atomicity); /* nobody else needs it, and it is large */
    au_atomicity_beside_free(q->beside);
    q->atomicity = NULL;
    q->beside = NULL;
}

/* What can be told after the last block without the whole trace. */
static void finish_passes(passes *q, au_check_run *r) {
    au_check_outcome *c = &r->outcome;
    if (q->atomicity)
        finish_atomicity(q, r);
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
static void poll_blocks(passes *q, const au_check_run *r) {
    if (!q->atomicity || !r->found || r->outcome.events < q->next_poll)
        return;
    au_findings told; /* the end has the last word and makes its own list */
    au_findings_init(&told);
    au_atomicity_poll(q->atomicity, &told, r->found, r->ctx);
    au_findings_release(&told);
    q->next_poll = r->outcome.events * 2;
}

/* --- one pass ---------------------------------------------------------------------- */

au_status au_stage_stream(au_check_run *r, au_error *err) {
    au_check_outcome *c = &r->outcome;
    if (au_plan_wants(r->plan, AU_PROP_NONDET))
        return au_error_set(
            err, AU_EUSAGE,
            "nondeterminism needs the whole trace: it conflicts with --stream and '-'");
    au_block b;
    au_status st;
    r->hooks = au_reader_hooks(r->reader);
    passes *q = open_passes(r);
    double until = au_deadline_narrow(TO_READ * au_deadline_left());
    while ((st = au_reader_next(r->reader, &b, err)) == AU_OK && b.n &&
           (st = feed(q, &b, r, err)) == AU_OK && !au_deadline_over()) {
        poll_blocks(q, r);
        au_progress_found(c->findings.finding.n);
        au_progress("events", c->events, 0);
    }
    au_deadline_widen(until);
    if (st != AU_OK)
        return st;
    r->hooks = au_reader_hooks(r->reader); /* of a long stream there are none any more */
    if (b.n || au_reader_cut(r->reader) || au_reader_stopped(r->reader))
        au_check_cut(c, "events after number %" PRIu64 " were not read", c->events);
    else if (au_reader_is_online(r->reader) && au_reader_incomplete(r->reader))
        au_check_inconclusive(
            c,
            "the stream was cut: its writer was killed; what came before, %" PRIu64
            " events, was checked",
            c->events);
    if (au_reader_divided(r->reader))
        au_check_note(c,
                      "%" PRIu64
                      " times memory that had been used as one was used in parts: races of "
                      "a part with what used all of it before may be missing",
                      au_reader_divided(r->reader));
    if (au_reader_is_online(r->reader))
        au_check_note(c, "read from a pipe, in one pass: without schedules nothing is proved or "
                         "executed. Record into a file, and check that");
    if (q->misuse)
        au_misuse_finish(q->misuse);
    finish_passes(q, r);
    if (q->hb) {
        au_funnel *f = &c->funnel[AU_KIND_RACE];
        f->left[AU_STAGE_LOCKSET] = au_hb_racy(q->hb);
        f->unit = "variables";
        c->looked_for[AU_KIND_RACE] = true;
    }
    for (size_t i = 0; q->lockgraph && i < au_lockgraph_cycles(q->lockgraph); i++) {
        const au_finding *f = au_lockgraph_tell(q->lockgraph, i, &c->findings);
        if (r->found)
            r->found(r->ctx, f);
    }
    return AU_OK;
}

/* --- a trace in memory --------------------------------------------------------------- */

au_status au_stage_passes(au_check_run *r, au_error *err) {
    const au_columns *events = &r->trace->events;
    au_status st = AU_OK;
    r->hooks = &r->trace->hooks;
    passes *q = open_passes(r);
    double until = au_deadline_narrow(TO_READ * au_deadline_left());
    bool whole = true;
    for (size_t i = 0; i < events->n && st == AU_OK && whole; i += SLICE) {
        size_t end = i + SLICE < events->n ? i + SLICE : events->n;
        au_block b = au_columns_block(events, i, end);
        st = feed(q, &b, r, err);
        au_progress("events", i, events->n);
        whole = end == events->n || !au_deadline_step(SLICE);
        if (!whole)
            au_check_cut(&r->outcome, "broken blocks and lock orders after event %zu", end);
    }
    au_deadline_widen(until);
    if (st != AU_OK)
        return st;
    if (q->misuse)
        au_misuse_finish(q->misuse);
    r->work->misuse = r->outcome.findings.finding.n;
    finish_passes(q, r);
    if (whole && au_deadline_over())
        au_check_cut(&r->outcome, "there may be more broken blocks and lock orders");
    r->work->blocks = r->outcome.findings.finding.n;
    return AU_OK;
}

au_status au_stage_races(au_check_run *r, au_error *err) {
    au_check_outcome *c = &r->outcome;
    au_race_options o = {.all = r->plan->all,
                         .found = r->found,
                         .ctx = r->ctx,
                         .jobs = au_aside_jobs(r->plan->jobs)};
    c->looked_for[AU_KIND_RACE] = true;
    au_progress("races", 0, 0);
    au_status st = au_races(r->trace, &o, &c->findings, &c->funnel[AU_KIND_RACE], NULL, err);
    if (st == AU_OK && au_deadline_over())
        au_check_cut(c, "there may be more races");
    return st;
}

au_status au_stage_deadlocks(au_check_run *r, au_error *err) {
    const au_lockgraph *g = r->work->passes->lockgraph;
    au_syncp *s = au_lockgraph_cycles(g) ? au_syncp_new(r->trace, err) : NULL;
    if (!s)
        return au_lockgraph_cycles(g) && !au_deadline_over() ? err->status : AU_OK;
    au_syncp_deadlock_counts n;
    au_progress("deadlocks", 0, au_lockgraph_cycles(g));
    au_syncp_deadlocks(r->trace, s, g, NULL, &r->outcome.findings, r->found, r->ctx, &n);
    au_syncp_free(s);
    if (au_deadline_over())
        au_check_cut(&r->outcome, "some cycles of lock requests have no schedule yet");
    else if (n.undecided)
        au_check_limit(&r->outcome, AU_AT_DEADLOCK_STEPS, n.undecided, 0);
    return AU_OK;
}
