/* scan/bmc.c: see bmc.h. */
#include "scan/bmc.h"

#include "base/clock.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "base/progress.h"
#include "base/worker.h"
#include "model/run.h"
#include "scan/search.h"
#include "scan/sections.h"
#include "solve/memory.h"
#include "witness/check_model.h"

#include <stdio.h>

/* So many in a row whose unrolling is too large: those of the others are, too. And so many warnings are too many to
 * give each its share of the time: the first ones get enough, and what is left when it is up is left open. */
enum { HOPELESS = 12, CROWDED = 200, ENOUGH_SECONDS = 2 };
#define SEARCH 0.5 /* of the time for one bound */

/* What came of a warning; sent from the worker. */
typedef struct {
    bool too_large;             /* the unrolling */
    uint32_t bound;             /* layers that were looked at for all open places */
    uint32_t shown;             /* place with a schedule, AU_NONE */
    char why[160];              /* no schedule, and some place not impossible */
    AU_VEC(uint8_t) impossible; /* by place */
    au_solution solution;       /* steps of the model with loops */
} verdict;

static void verdict_release(verdict *v) {
    au_vec_release(&v->impossible);
    au_solution_release(&v->solution);
}

/* --- one warning ------------------------------------------------------------------------------------- */

typedef struct {
    au_refiner *k;
    AU_VEC(uint32_t) todo; /* job: warning */
    bool *counts;          /* by variable */
    uint32_t done, layers; /* 0: searched, not unrolled */
    au_search *search;     /* NULL: too large for it */
    au_search
        *loose;    /* the same with results of library functions: no proofs. NULL: there are none */
    uint8_t *over; /* by step: from 2 on a schedule through it is no proof; NULL: none is so */
    uint32_t too_large; /* results so far that were, all of them */
    bool hopeless, late;
} pool;

/* A solution of the unrolled model in steps of the one with loops. */
static void translate(const au_model *m, const au_unrolled *u, const au_solution *from,
                      au_solution *to) {
    size_t havoc = 0;
    *to = (au_solution){.answer = AU_SAT,
                        .why = "",
                        .spurious = from->spurious,
                        .var = from->var,
                        .obj = from->obj};
    for (size_t i = 0; i < from->schedule.n; i++) {
        const au_step *s = &u->m->step.at[from->schedule.at[i]];
        uint32_t origin = u->origin.at[s->id];
        uint64_t value = 0;
        if (s->havoc != AU_NONE)
            value = havoc < from->havoc.n ? from->havoc.at[havoc++] : 0;
        if (origin == AU_NONE)
            continue;
        if (m->step.at[origin].havoc != AU_NONE)
            au_vec_push(&to->havoc, value);
        au_vec_push(&to->schedule, origin);
    }
    to->shown = to->schedule.n;
    for (size_t e = 0; e < from->event.n; e++) {
        uint32_t step = from->event.at[e].step, index = 0;
        uint32_t thread = u->m->step.at[step].thread, origin = u->origin.at[step];
        uint32_t seen = 0;
        for (size_t i = 0; i < from->schedule.n; i++) { /* the index-th of its thread, in both */
            const au_step *s = &u->m->step.at[from->schedule.at[i]];
            if (s->thread != thread)
                continue;
            if (++seen >= from->event.at[e].index)
                break;
            index += u->origin.at[s->id] != AU_NONE;
        }
        au_vec_push(&to->event, ((au_solved_event){origin, index + 1}));
    }
}

/* The checker executes it on the model with loops. */
static bool shows(const au_refiner *k, const au_warning *w, const au_scan_place *p,
                  const au_solution *s, char *why, size_t n) {
    AU_VEC(au_turn) turn = {0};
    AU_VEC(au_model_event) event = {0};
    uint64_t *done = au_alloc_array(k->m->thread.n, sizeof *done);
    for (size_t i = 0; i < s->schedule.n; i++) {
        uint32_t who = k->m->step.at[s->schedule.at[i]].thread;
        if (!turn.n || au_vec_last(&turn).thread != who)
            au_vec_push(&turn, ((au_turn){.thread = (uint16_t)who}));
        au_vec_last(&turn).upto = ++done[who];
    }
    for (size_t i = 0; i < s->event.n; i++)
        au_vec_push(&event, ((au_model_event){s->event.at[i].step, s->event.at[i].index}));
    au_model_finding f = {.kind = w->kind,
                          .var = w->kind == AU_KIND_RACE ? p->var : AU_NONE,
                          .obj = AU_NONE,
                          .event = event.at,
                          .n_events = (uint32_t)event.n,
                          .schedule = {turn.at, (uint32_t)turn.n},
                          .havoc = s->havoc.at,
                          .n_havoc = (uint32_t)s->havoc.n};
    au_check_result r;
    au_model_check_schedule(k->m, &f, &r, NULL);
    if (r.verdict != AU_CHECK_SHOWN)
        snprintf(why, n, "a bug of augur: the checker does not follow the schedule: %.100s", r.why);
    au_vec_release(&turn);
    au_vec_release(&event);
    free(done);
    return r.verdict == AU_CHECK_SHOWN;
}

static au_query question(const au_warning *w, const au_scan_place *p, const au_unrolled *u) {
    au_query q = au_query_about(AU_ASK_ASSERT, AU_NONE);
    switch (w->kind) {
    case AU_KIND_RACE:
        q.kind = AU_ASK_RACE;
        q.step[0] = u->target[0];
        q.step[1] = u->target[1];
        q.var = p->var;
        q.write[0] = p->write[0];
        q.write[1] = p->write[1];
        break;
    case AU_KIND_ASSERTION:
        q.kind = AU_ASK_ASSERT;
        q.step[0] = u->target[0];
        break;
    default:
        q.kind = AU_ASK_DEADLOCK;
        break;
    }
    return q;
}

typedef enum { NO, NO_FOR_GOOD, YES, OPEN } answer;

/* exact: without steps that are more than the program can do. */
static answer ask(const pool *q, const au_warning *w, const au_scan_place *p, bool exact,
                  double until, verdict *v) {
    const au_refiner *k = q->k;
    au_unroll_options how = {.layers = q->layers,
                             .exact = exact ? q->over : NULL,
                             .target = {p->step[0], p->step[1]},
                             .no_spurious = k->o->no_spurious,
                             .relevant = q->counts,
                             .never = k->known.never,
                             .base = k->facts.base};
    au_error err = AU_ERROR_NONE;
    au_unrolled u;
    answer a = OPEN;
    if (w->kind != AU_KIND_RACE)
        how.target[1] = AU_NONE;
    au_unroll(k->m, &how, &u);
    bool there = w->kind == AU_KIND_DEADLOCK ||
                 (u.target[0] != AU_NONE && (w->kind != AU_KIND_RACE || u.target[1] != AU_NONE));
    if (u.m->step.n > AU_LIMIT_UNROLL_STEPS) {
        snprintf(v->why, sizeof v->why, "%s",
                 au_limit_say(AU_AT_UNROLL_STEPS, u.m->step.n, 0, (char[AU_LIMIT_TEXT]){0}));
        v->too_large = true;
        au_unrolled_release(&u);
        return OPEN;
    }
    au_model_observe(u.m);
    au_solve_options o = AU_SOLVE_DEFAULTS;
    au_solver *s = au_solver_new(u.m, &o, &err);
    if (!s)
        snprintf(v->why, sizeof v->why, "%.150s", err.text);
    au_solve_limits limits = {.seconds = until - au_now()};
    if (s && limits.seconds > 0) {
        au_query asked = question(w, p, &u);
        au_solution r = {.answer = AU_UNSAT, .why = ""};
        if (there)
            au_solver_ask(s, &asked, &limits, &r);
        /* A thread that is cut off looks as if it would never give what others wait for: of such
         * deadlocks the checker says no, and there may be another. */
        bool refused = false;
        for (int i = 0;
             i < AU_LIMIT_UNROLL_DEADLOCKS && r.answer == AU_SAT && w->kind == AU_KIND_DEADLOCK;
             i++) {
            char why[160];
            translate(k->m, &u, &r, &v->solution);
            if (shows(k, w, p, &v->solution, why, sizeof why))
                break;
            refused = true;
            au_solution_release(&v->solution);
            au_solution_release(&r);
            v->solution = (au_solution){0};
            limits.seconds = until - au_now();
            r = (au_solution){.answer = AU_UNKNOWN, .why = "time limit reached"};
            if (limits.seconds > 0)
                au_solver_ask(s, &asked, &limits, &r);
        }
        if (r.answer == AU_SAT && w->kind == AU_KIND_DEADLOCK) {
            a = v->solution.schedule.at || v->solution.event.n ? YES : OPEN;
            if (a == OPEN) /* there may be one more */
                snprintf(v->why, sizeof v->why, "%s",
                         au_limit_say(AU_AT_UNROLL_DEADLOCKS, 0, 0, (char[AU_LIMIT_TEXT]){0}));
        } else if (r.answer == AU_SAT) {
            translate(k->m, &u, &r, &v->solution);
            a = YES;
        } else if (refused && r.answer == AU_UNSAT) {
            a = NO;
        } else if (r.answer == AU_UNSAT) {
            a = NO_FOR_GOOD;
        } else {
            snprintf(v->why, sizeof v->why, "%.150s", r.why);
        }
        au_solution_release(&r);
        for (size_t i = 0; i < u.cut.n && a == NO_FOR_GOOD; i++) { /* are more rounds of use? */
            au_query reach = au_query_about(AU_ASK_REACH, u.cut.at[i]);
            limits.seconds = until - au_now();
            if (limits.seconds <= 0) {
                a = NO;
                break;
            }
            au_solver_ask(s, &reach, &limits, &r);
            if (r.answer != AU_UNSAT)
                a = NO;
            au_solution_release(&r);
        }
    } else if (s) {
        snprintf(v->why, sizeof v->why, "time limit reached");
    }
    au_solver_free(s);
    au_unrolled_release(&u);
    return a;
}

/* It is no proof: on the way something is done that the program may not be able to do, or one of the accesses may
 * not be of this variable. */
static bool inexact(const pool *q, const au_solution *s) {
    const uint8_t *exact = q->k->o->exact;
    for (size_t i = 0; i < s->schedule.n && q->over; i++)
        if (q->over[s->schedule.at[i]] > 1)
            return true;
    for (size_t i = 0; i < s->event.n && exact; i++)
        if (s->event.at[i].step != AU_NONE && exact[s->event.at[i].step] > 1)
            return true;
    return false;
}

/* A value that nothing depends on may be any. */
static uint8_t *find_over(const au_refiner *k, const bool *counts) {
    if (!k->o->exact)
        return NULL;
    uint8_t *over = au_alloc_array(k->m->step.n + 1, sizeof *over);
    for (size_t i = 0; i < k->m->step.n; i++) {
        const au_step *s = &k->m->step.at[i];
        bool idle = s->kind == AU_STEP_NOP || (s->kind == AU_STEP_HAVOC && !counts[s->havoc]);
        over[i] = idle ? 0 : k->o->exact[i];
    }
    return over;
}

/* By going there. The time is divided among the places. */
static void search_by(au_search *by, double seconds, const au_warning *w, verdict *v) {
    double until = au_now() + seconds;
    uint32_t left = 0;
    for (size_t p = 0; p < w->place.n; p++)
        left += w->out.at[p] == AU_SCAN_STAGES;
    for (uint32_t p = 0; p < w->place.n && w->kind != AU_KIND_DEADLOCK; p++) {
        if (w->out.at[p] != AU_SCAN_STAGES)
            continue;
        au_search_limits limits = {.seconds = (until - au_now()) / left--};
        if (limits.seconds <= 0)
            return;
        switch (au_search_ask(by, w->kind, &w->place.at[p], &limits, &v->solution)) {
        case AU_SEARCH_FOUND:
            v->shown = p;
            return;
        case AU_SEARCH_NONE:
            v->impossible.at[p] = 1;
            break;
        case AU_SEARCH_OPEN:
            break;
        }
    }
}

static void search(const pool *q, const au_warning *w, verdict *v) {
    double seconds = SEARCH * q->k->o->solver_seconds;
    search_by(q->search, q->loose ? seconds / 2 : seconds, w, v);
    if (v->shown == AU_NONE && q->loose)
        search_by(q->loose, seconds / 2, w, v);
}

/* One bound. */
static void decide(const pool *q, const au_warning *w, verdict *v) {
    const au_refiner *k = q->k;
    uint32_t layers = q->layers;
    double until = au_now() + k->o->solver_seconds;
    *v = (verdict){.shown = AU_NONE};
    for (size_t p = 0; p < w->place.n; p++)
        au_vec_push(&v->impossible, 0);
    if (!layers) {
        search(q, w, v);
        return;
    }
    for (uint32_t p = 0; p < w->place.n; p++) {
        if (w->out.at[p] != AU_SCAN_STAGES)
            continue;
        switch (ask(q, w, &w->place.at[p], false, until, v)) {
        case YES:
            v->shown = p;
            v->bound = layers;
            if (inexact(q, &v->solution)) { /* is there one that is a proof? */
                verdict better = {0};
                if (ask(q, w, &w->place.at[p], true, until, &better) == YES) {
                    au_solution old = v->solution;
                    v->solution = better.solution;
                    better.solution = old;
                }
                verdict_release(&better);
            }
            return;
        case NO_FOR_GOOD:
            v->impossible.at[p] = 1;
            break;
        case NO:
            break;
        case OPEN:
            return;
        }
    }
    v->bound = layers;
}

/* --- workers -------------------------------------------------------------------------------------------- */

static void send(const verdict *v, au_out *out) {
    const au_solution *s = &v->solution;
    uint32_t head[9] = {v->bound,
                        v->shown,
                        (uint32_t)v->impossible.n,
                        s->spurious,
                        s->var,
                        (uint32_t)s->schedule.n,
                        (uint32_t)s->event.n,
                        (uint32_t)s->havoc.n,
                        v->too_large};
    au_out_write(out, head, sizeof head);
    au_out_write(out, v->why, sizeof v->why);
    au_out_write(out, v->impossible.at, v->impossible.n);
    au_out_write(out, s->schedule.at, s->schedule.n * sizeof *s->schedule.at);
    au_out_write(out, s->event.at, s->event.n * sizeof *s->event.at);
    au_out_write(out, s->havoc.at, s->havoc.n * sizeof *s->havoc.at);
}

#define TAKE(vec, count)                                                                           \
    do {                                                                                           \
        size_t n_ = (count);                                                                       \
        au_vec_append((vec), (const void *)at, n_);                                                \
        at += n_ * sizeof *(vec)->at;                                                              \
    } while (0)

/* False: it did not arrive whole. */
static bool receive(const char *at, size_t size, verdict *v) {
    uint32_t head[9];
    *v = (verdict){.shown = AU_NONE};
    if (size < sizeof head + sizeof v->why)
        return false;
    memcpy(head, at, sizeof head);
    uint64_t need = sizeof head + sizeof v->why + head[2] +
                    head[5] * (uint64_t)sizeof *v->solution.schedule.at +
                    head[6] * (uint64_t)sizeof *v->solution.event.at +
                    head[7] * (uint64_t)sizeof *v->solution.havoc.at;
    if (size != need)
        return false;
    at += sizeof head;
    v->bound = head[0];
    v->shown = head[1];
    v->too_large = head[8];
    memcpy(v->why, at, sizeof v->why);
    at += sizeof v->why;
    v->solution = (au_solution){.answer = AU_SAT,
                                .why = "",
                                .spurious = head[3],
                                .var = head[4],
                                .obj = AU_NONE,
                                .shown = head[5]};
    TAKE(&v->impossible, head[2]);
    TAKE(&v->solution.schedule, head[5]);
    TAKE(&v->solution.event, head[6]);
    TAKE(&v->solution.havoc, head[7]);
    return true;
}

static void work(void *ctx, uint32_t job, au_out *out) {
    pool *p = ctx;
    verdict v;
    au_solve_on_no_memory(au_job_no_memory);
    decide(p, &p->k->r->warning.at[p->todo.at[job]], &v);
    send(&v, out);
    verdict_release(&v);
}

static const char *keep(au_refiner *k, const char *text) {
    return au_arena_strndup(&k->r->arena, text, strlen(text));
}

static void leave_open(au_refiner *k, au_warning *w, const char *why) {
    char text[240];
    w->open = true;
    if (w->bound)
        snprintf(text, sizeof text, "undecided up to %u rounds%s%s", w->bound, *why ? ": " : "",
                 why);
    else
        snprintf(text, sizeof text, "undecided: %s", why);
    w->why = keep(k, text);
}

typedef struct {
    const au_refiner *k;
    const au_warning *w;
    const au_scan_place *p;
} about;

static bool still(const void *ctx, const au_solution *s) {
    const about *a = ctx;
    char why[200];
    return shows(a->k, a->w, a->p, s, why, sizeof why);
}

static void take(const pool *q, au_warning *w, verdict *v, double seconds) {
    au_refiner *k = q->k;
    w->seconds += seconds;
    if (v->bound)
        w->bound = v->bound;
    bool left = false;
    for (size_t p = 0; p < v->impossible.n && p < w->out.n; p++) {
        if (v->impossible.at[p] && w->out.at[p] == AU_SCAN_STAGES)
            w->out.at[p] = AU_SCAN_SOLVER;
        left |= w->out.at[p] == AU_SCAN_STAGES;
    }
    if (v->shown == AU_NONE && !q->layers)
        return;
    if (v->shown == AU_NONE) {
        if (left)
            leave_open(k, w, v->why);
        w->open &= !v->bound; /* more rounds may help */
        return;
    }
    const au_scan_place *at = &w->place.at[v->shown];
    if (!shows(k, w, at, &v->solution, v->why, sizeof v->why)) {
        leave_open(k, w, v->why);
        return;
    }
    w->end = AU_SCAN_WITNESSED;
    w->why = "";
    w->shown = v->shown;
    w->var = at->var;
    memcpy(w->write, at->write, sizeof w->write);
    w->solution = v->solution;
    v->solution = (au_solution){0};
    w->inexact = inexact(q, &w->solution);
    about a = {k, w, at};
    if (k->o->sections && !au_sections_close(k->m, k->o->section_lock, &w->solution, still, &a))
        w->inexact = w->crosses = true;
}

static bool is_late(const au_refiner *k) {
    return (k->until > 0 && au_now() > k->until) || au_deadline_over();
}

static const char *late_text(void) {
    return au_deadline_signal() ? "interrupted" : "time limit reached";
}

/* False: asking for the others would bring nothing. */
static bool go_on(pool *p) {
    p->late = is_late(p->k);
    p->hopeless = p->too_large == p->done && p->done >= HOPELESS;
    return !p->late && !p->hopeless;
}

static bool done(void *ctx, const au_job_result *r) {
    pool *p = ctx;
    au_warning *w = &p->k->r->warning.at[p->todo.at[r->index]];
    verdict v;
    if (r->end == AU_JOB_CANCELLED) {
        leave_open(p->k, w, p->hopeless ? "the program is too large to unroll" : late_text());
        return true;
    }
    au_progress("warnings", ++p->done, p->todo.n);
    if (r->end == AU_JOB_DONE && receive(r->data, r->size, &v)) {
        p->too_large += v.too_large;
        take(p, w, &v, r->seconds);
        verdict_release(&v);
    } else if (p->layers) {
        w->seconds += r->seconds;
        leave_open(p->k, w, r->end == AU_JOB_DONE ? "its result is incomplete" : r->detail);
    }
    return go_on(p);
}

static bool decided(const au_warning *w) {
    for (size_t p = 0; p < w->out.n && w->end != AU_SCAN_WITNESSED; p++)
        if (w->out.at[p] == AU_SCAN_STAGES)
            return w->open;
    return true;
}

static void ask_here(pool *p) {
    for (size_t i = 0; i < p->todo.n; i++) {
        au_warning *w = &p->k->r->warning.at[p->todo.at[i]];
        verdict v;
        double begun = au_now();
        decide(p, w, &v);
        p->done++;
        p->too_large += v.too_large;
        take(p, w, &v, au_now() - begun);
        verdict_release(&v);
        if (!go_on(p))
            for (size_t j = i + 1; j < p->todo.n; j++)
                leave_open(p->k, &p->k->r->warning.at[p->todo.at[j]],
                           p->hopeless ? "the program is too large to unroll" : late_text());
        if (p->late || p->hopeless)
            return;
    }
}

static au_status ask_workers(pool *p, au_error *err) {
    au_refiner *k = p->k;
    const au_scan_options *o = k->o;
    au_scan_options mine = *o;
    if (k->until > 0) { /* fairly divided */
        unsigned jobs = o->jobs ? o->jobs : au_cores();
        double share = (k->until - au_now()) * jobs / (double)p->todo.n;
        double least = p->todo.n > CROWDED ? ENOUGH_SECONDS : 0.5;
        if (share < mine.solver_seconds)
            mine.solver_seconds = share > least ? share : least;
    }
    k->o = &mine;
    au_pool_limits limits = {.jobs = o->jobs,
                             .seconds = mine.solver_seconds * 1.25 + 1,
                             .memory_bytes = o->memory_bytes};
    au_status st = au_pool_run((uint32_t)p->todo.n, &limits, work, done, p, err);
    au_progress_end();
    k->o = o;
    return st;
}

/* All warnings with few rounds first, then those that are left with more. */
au_status au_bmc_ask(au_refiner *k, uint32_t from, uint32_t upto, double seconds, au_error *err) {
    const au_scan_options *o = k->o;
    au_scan_options mine = *o;
    pool p = {.k = k};
    au_status st = AU_OK;
    mine.solver_seconds = seconds;
    k->o = &mine;
    p.counts = au_alloc_array(k->m->var.n + 1, sizeof *p.counts);
    au_scan_relevant(k->m, p.counts);
    p.over = find_over(k, p.counts);
    au_cuts cuts;
    au_cuts_make(&cuts, &k->facts, NULL, NULL, NULL);
    au_search_options how = {.cuts = &cuts,
                             .relevant = p.counts,
                             .never = k->known.never,
                             .exact = p.over,
                             .most = 1,
                             .no_spurious = o->no_spurious};
    p.search = au_search_new(k->m, &how);
    how.most = 2;
    if (p.search && p.over && memchr(p.over, 2, k->m->step.n))
        p.loose = au_search_new(k->m, &how);
    for (p.layers = p.search ? 0 : from; p.layers <= upto && st == AU_OK;
         p.layers = p.layers ? 2 * p.layers : from) {
        p.done = p.too_large = 0;
        au_vec_clear(&p.todo);
        for (uint32_t i = 0; i < k->r->warning.n; i++)
            if (k->r->warning.at[i].end != AU_SCAN_GONE && !decided(&k->r->warning.at[i]))
                au_vec_push(&p.todo, i);
        if (!p.todo.n)
            break;
        if (p.late || is_late(k)) {
            for (size_t i = 0; i < p.todo.n; i++)
                leave_open(k, &k->r->warning.at[p.todo.at[i]], late_text());
            break;
        }
        if (k->o->in_process)
            ask_here(&p);
        else
            st = ask_workers(&p, err);
    }
    k->o = o;
    au_search_free(p.search);
    au_search_free(p.loose);
    au_cuts_release(&cuts);
    au_vec_release(&p.todo);
    free(p.counts);
    free(p.over);
    return st;
}
