/* funnel/check_weak.c: what a model does under a memory model and in no interleaving (--memory-model).
 *
 * Findings of interleavings are there already: a stronger memory model allows nothing that a weaker one does
 * not. Here the questions that no interleaving answers with yes are asked of executions, and the checker
 * of executions has the last word.
 *
 * requires: the answers about interleavings; fills: findings, funnel, inconclusive. */
#include "funnel/check_weak.h"
#include "funnel/model_work.h"
#include "funnel/stages_priv.h"

#include "base/deadline.h"
#include "base/progress.h"
#include "base/worker.h"
#include "funnel/weak_remedy.h"
#include "solve/memory.h"
#include "solve/weak.h"
#include "witness/check_weak.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 16 }; /* questions of a worker, which share what it learns */

typedef struct {
    au_check_run *r;
    au_memory memory;
    au_queries query;
    au_weak_solver *solver, *x86; /* of a worker; the second under tso */
    char why[AU_LIMIT_TEXT];
    uint64_t found[AU_KINDS], open[AU_KINDS];
    uint32_t done;
    size_t cut;        /* questions for which no time was left */
    bool raced;        /* rc11: some execution has a race */
    size_t first_race; /* questions from here on are race_only */
    bool stopped;
} asker;

static const au_kind kind_of[AU_ASK_KINDS] = {[AU_ASK_ASSERT] = AU_KIND_ASSERTION,
                                              [AU_ASK_RACE] = AU_KIND_RACE,
                                              [AU_ASK_NONDET] = AU_KIND_NONDET};

const char *au_memory_name(au_memory memory) {
    return memory == AU_MEMORY_RC11 ? "rc11" : memory == AU_MEMORY_TSO ? "tso" : "sc";
}

/* ---- findings -------------------------------------------------------------------------------- */

/* By entry: its number within its thread. */
static uint64_t *number_entries(const au_model *m, const au_execution *x) {
    uint64_t *index = au_alloc_array(x->at.n + 1, sizeof *index);
    uint64_t *done = au_alloc_array(m->thread.n + 1, sizeof *done);
    for (size_t i = 0; i < x->at.n; i++)
        index[i] = ++done[m->step.at[x->at.at[i].step].thread];
    free(done);
    return index;
}

static void put_schedule(const au_model *m, const au_execution *x, const uint64_t *index,
                         au_arena *a, au_finding *f) {
    uint32_t *step = AU_ARENA_ARRAY(a, uint32_t, x->at.n + 1);
    f->schedule.turn = AU_ARENA_ARRAY(a, au_turn, x->at.n + 1);
    for (size_t i = 0; i < x->at.n; i++) {
        step[i] = x->at.at[i].step;
        uint32_t who = m->step.at[step[i]].thread;
        if (!f->schedule.n || f->schedule.turn[f->schedule.n - 1].thread != who)
            f->schedule.turn[f->schedule.n++].thread = (uint16_t)who;
        f->schedule.turn[f->schedule.n - 1].upto = index[i];
    }
    f->step = step;
    f->n_steps = (uint32_t)x->at.n;
}

static uint32_t var_of(const asker *k, const au_step *s) {
    return s->n_accesses ? k->r->view->var[s->access[0].var] : AU_NONE;
}

/* What each read sees, the order of a variable's writes if it has several, and the values. */
static void put_execution(const asker *k, const au_execution *x, const uint64_t *index,
                          const au_weak_verdict *v, au_arena *a, au_finding *f) {
    const au_model *m = k->r->model;
    f->sees = AU_ARENA_ARRAY(a, au_sees, x->at.n + 1);
    f->wrote = AU_ARENA_ARRAY(a, au_wrote, x->write.n + 1);
    f->seen = AU_ARENA_ARRAY(a, au_access_seen, x->at.n + 1);
    for (size_t i = 0; i < x->at.n; i++) {
        const au_executed *e = &x->at.at[i];
        const au_step *s = &m->step.at[e->step];
        if (!s->n_accesses)
            continue;
        f->seen[f->n_seen++] =
            (au_access_seen){.index = index[i],
                             .value = au_model_view_value(m, s->access[0].var, v->value.at[i]),
                             .var = var_of(k, s),
                             .thread = (uint16_t)s->thread,
                             .write = e->from == AU_NONE};
        if (e->from == AU_NONE)
            continue;
        au_sees *to = &f->sees[f->n_sees++];
        *to = (au_sees){.var = var_of(k, s), .thread = (uint16_t)s->thread, .index = index[i]};
        if (e->from != AU_FROM_START) {
            to->by = (uint16_t)m->step.at[x->at.at[e->from].step].thread;
            to->by_index = index[e->from];
        }
    }
    for (size_t i = 0; i < x->write.n; i++) {
        const au_step *s = &m->step.at[x->at.at[x->write.at[i]].step];
        f->wrote[f->n_wrote++] =
            (au_wrote){var_of(k, s), (uint16_t)s->thread, index[x->write.at[i]]};
    }
}

static void put_events(const asker *k, const au_query *q, const au_weak_solution *s, au_arena *a,
                       au_finding *f) {
    uint32_t *at_step = AU_ARENA_ARRAY(a, uint32_t, s->n_events + 1);
    f->text = AU_ARENA_ARRAY(a, au_event_text, s->n_events + 1);
    f->n_events = 0;
    for (uint32_t i = 0; i < s->n_events; i++) {
        if (s->event[i].step == AU_NONE)
            continue; /* the initial value, the end */
        au_model_view_event(k->r->view, s->event[i].step, s->event[i].index, q->var,
                            &f->event[f->n_events], &f->text[f->n_events]);
        at_step[f->n_events++] = s->event[i].step;
    }
    f->at_step = at_step;
    if (q->kind != AU_ASK_ASSERT)
        f->obj = k->r->view->var[q->var];
}

static au_weak_finding to_check(const asker *k, const au_query *q, const au_weak_solution *s) {
    au_weak_finding f = {.memory = k->memory, .var = q->var, .x = &s->x};
    f.shows = q->kind == AU_ASK_ASSERT ? AU_WEAK_FAILS
              : q->kind == AU_ASK_RACE ? AU_WEAK_RACE
                                       : AU_WEAK_SEES;
    for (uint32_t i = 0; i < 2; i++) {
        f.entry[i] = i < s->n_events ? s->event[i].entry : AU_NONE;
        f.step[i] = i < s->n_events ? s->event[i].step : AU_NONE;
    }
    return f;
}

static void put_finding(const asker *k, const au_query *q, const au_weak_solution *s,
                        const au_weak_verdict *v) {
    au_findings *all = &k->r->outcome.findings;
    au_finding *f = au_findings_add(all, kind_of[q->kind], s->n_events);
    uint64_t *index = number_entries(k->r->model, &s->x);
    /* After a race C11 allows anything, this, too. */
    bool raced = q->kind != AU_ASK_RACE && v->raced;
    f->standing = raced ? AU_IS_POSSIBLE : AU_IS_PROVED;
    if (raced)
        au_finding_because(f, s->always ? AU_WHY_AFTER_RACE : AU_WHY_AFTER_RACES);
    else if (v->spurious)
        au_finding_because(f, AU_WHY_SPURIOUS);
    f->memory = au_memory_name(k->memory);
    f->spurious = s->spurious;
    f->detail = q->kind != AU_ASK_NONDET ? ""
                : q->step[0] == AU_NONE  ? "the last write can be another one"
                : q->writer == AU_NONE   ? "it can see the initial value"
                                         : "";
    const au_weak_finding shown = to_check(k, q, s);
    f->remedy = au_weak_remedy(k->r->model, &shown, &all->arena);
    put_schedule(k->r->model, &s->x, index, &all->arena, f);
    put_execution(k, &s->x, index, v, &all->arena, f);
    put_events(k, q, s, &all->arena, f);
    free(index);
}

/* The checker has the last word. */
static void tell(asker *k, const au_query *q, const au_weak_solution *s, au_on_x86 x86,
                 bool only_race) {
    au_weak_finding f = to_check(k, q, s);
    au_weak_verdict v;
    au_check_weak(k->r->model, &f, &v);
    if (v.shown) {
        k->raced |= q->kind == AU_ASK_RACE;
        if (!only_race) {
            k->found[kind_of[q->kind]]++;
            put_finding(k, q, s, &v);
            au_vec_last(&k->r->outcome.findings.finding).x86 = x86;
        }
    } else {
        char *what = au_exact_question(k->r->model, q);
        k->open[kind_of[q->kind]]++;
        au_check_inconclusive(&k->r->outcome,
                              "a bug of augur: the solver's execution was refused by the checker "
                              "after %" PRIu32 " steps (%s): %s",
                              v.at, what, v.why);
        free(what);
    }
    au_weak_verdict_release(&v);
}

/* ---- workers --------------------------------------------------------------------------------- */

static void put(au_out *o, const void *p, size_t n) {
    au_out_write(o, p, n);
}

static bool is_shown(const asker *k, const au_query *q, const au_weak_solution *s,
                     au_memory memory) {
    au_weak_finding f = to_check(k, q, s);
    au_weak_verdict v;
    f.memory = memory;
    au_check_weak(k->r->model, &f, &v);
    bool shown = v.shown;
    au_weak_verdict_release(&v);
    return shown;
}

/* What C11 allows: does x86 do it? A race is C11's, whatever the processor does. */
static au_on_x86 ask_x86(asker *k, const au_query *q, const au_weak_solution *s) {
    au_error err = AU_ERROR_NONE;
    if (k->memory != AU_MEMORY_RC11 || s->answer != AU_SAT || q->kind == AU_ASK_RACE)
        return AU_ON_X86_UNKNOWN;
    if (!k->x86)
        k->x86 = au_weak_solver_new(k->r->model, AU_MEMORY_TSO, &err);
    if (!k->x86)
        return AU_ON_X86_UNKNOWN;
    au_weak_solution x;
    au_weak_solver_ask(k->x86, q, &(au_solve_limits){.seconds = k->r->plan->seconds}, &x);
    au_on_x86 does = x.answer == AU_UNSAT                                      ? AU_ON_X86_NO
                     : x.answer == AU_SAT && is_shown(k, q, &x, AU_MEMORY_TSO) ? AU_ON_X86_YES
                                                                               : AU_ON_X86_UNKNOWN;
    au_weak_solution_release(&x);
    return does;
}

static void work(void *ctx, uint32_t index, au_out *out) {
    asker *k = ctx;
    au_weak_solution s = {.answer = AU_UNKNOWN, .why = k->why};
    au_error err = AU_ERROR_NONE;
    au_solve_on_no_memory(au_job_no_memory);
    if (!k->solver && !*k->why) {
        k->solver = au_weak_solver_new(k->r->model, k->memory, &err);
        snprintf(k->why, sizeof k->why, "%.400s", err.text);
    }
    if (k->solver)
        au_weak_solver_ask(k->solver, &k->query.at[index],
                           &(au_solve_limits){.seconds = k->r->plan->seconds}, &s);
    const uint32_t head[] = {s.answer,
                             s.spurious,
                             s.raced,
                             s.always,
                             s.n_events,
                             (uint32_t)s.x.at.n,
                             (uint32_t)s.x.write.n,
                             (uint32_t)strlen(s.why),
                             ask_x86(k, &k->query.at[index], &s)};
    put(out, head, sizeof head);
    put(out, s.event, sizeof s.event);
    put(out, s.x.at.at, s.x.at.n * sizeof *s.x.at.at);
    put(out, s.x.write.at, s.x.write.n * sizeof *s.x.write.at);
    put(out, s.why, strlen(s.why));
    au_weak_solution_release(&s);
}

static const char *take(void *to, const char *from, size_t n) {
    if (n)
        memcpy(to, from, n);
    return from + n;
}

/* why: the caller's, of AU_LIMIT_TEXT bytes. */
static void read_solution(const au_job_result *r, au_weak_solution *s, au_on_x86 *x86, char *why) {
    uint32_t head[9];
    *s = (au_weak_solution){.answer = AU_UNKNOWN, .why = why};
    snprintf(why, AU_LIMIT_TEXT, "%s", r->detail ? r->detail : "");
    if (r->end != AU_JOB_DONE)
        return;
    const char *p = take(head, r->data, sizeof head);
    s->answer = (au_answer)head[0];
    s->spurious = head[1];
    s->raced = head[2];
    s->always = head[3];
    s->n_events = head[4];
    *x86 = (au_on_x86)head[8];
    p = take(s->event, p, sizeof s->event);
    au_vec_reserve(&s->x.at, head[5] + 1);
    au_vec_reserve(&s->x.write, head[6] + 1);
    s->x.at.n = head[5];
    s->x.write.n = head[6];
    p = take(s->x.at.at, p, head[5] * sizeof *s->x.at.at);
    p = take(s->x.write.at, p, head[6] * sizeof *s->x.write.at);
    size_t n = head[7] < AU_LIMIT_TEXT ? head[7] : AU_LIMIT_TEXT - 1;
    take(why, p, n);
    why[n] = 0;
}

static bool take_result(void *ctx, const au_job_result *r) {
    asker *k = ctx;
    const au_query *q = &k->query.at[r->index];
    bool only_race = r->index >= k->first_race;
    char why[AU_LIMIT_TEXT];
    au_weak_solution s;
    au_progress("executions", ++k->done, k->query.n);
    if (r->end == AU_JOB_CANCELLED) {
        k->cut += !k->stopped;
        k->open[kind_of[q->kind]] += !k->stopped && !only_race;
        return true;
    }
    au_on_x86 x86 = AU_ON_X86_UNKNOWN;
    read_solution(r, &s, &x86, why);
    if (s.answer == AU_SAT) {
        tell(k, q, &s, x86, only_race);
    } else if (s.answer == AU_UNKNOWN) {
        char *what = au_exact_question(k->r->model, q);
        k->open[kind_of[q->kind]] += !only_race;
        au_check_inconclusive(&k->r->outcome, "%s under %s: %s", what, au_memory_name(k->memory),
                              why);
        free(what);
    }
    au_weak_solution_release(&s);
    k->stopped |= k->r->plan->first && k->r->outcome.findings.finding.n;
    return !k->stopped;
}

/* ---- which questions ------------------------------------------------------------------------- */

static bool is_same(const au_query *a, const au_query *b) {
    return a->kind == b->kind && !memcmp(a->step, b->step, sizeof a->step) && a->var == b->var &&
           a->obj == b->obj && a->writer == b->writer && a->at_end == b->at_end;
}

static bool is_in(const au_queries *all, const au_query *q) {
    for (size_t i = 0; i < all->n; i++)
        if (is_same(&all->at[i], q))
            return true;
    return false;
}

/* Kinds of which only interleavings are known, by what they are called. */
static void tell_interleavings(asker *k) {
    static const struct {
        au_ask_kind ask;
        const char *name;
    } kind[] = {{AU_ASK_ATOMICITY, "broken atomic blocks"},
                {AU_ASK_DEADLOCK, "deadlocks"},
                {AU_ASK_MISUSE, "wrong uses of locks"},
                {AU_ASK_LOST, "lost updates"},
                {AU_ASK_REACH, "places that are reached"}};
    const au_queries *all = &k->r->work->questions->all;
    char text[200] = "";
    size_t n = 0;
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
        bool any = false;
        for (size_t j = 0; j < all->n; j++)
            any |= all->at[j].kind == kind[i].ask;
        if (any)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? ", " : "", kind[i].name);
    }
    if (n)
        au_check_inconclusive(&k->r->outcome,
                              "%s: only interleavings were looked at, and %s allows more (see "
                              "docs/memory-models.md)",
                              text, au_memory_name(k->memory));
}

/* What a program does after a race C11 does not say: are there any, whether or not somebody asked for them? */
static void add_races(asker *k) {
    const au_model_work *w = k->r->work->questions;
    au_queries races = {0};
    k->first_race = k->query.n;
    if (k->memory != AU_MEMORY_RC11 || au_plan_wants(k->r->plan, AU_PROP_RACE))
        return;
    au_queries_of(w->c, AU_PROP_RACE, AU_ATOMIC_NONE, false, &races);
    for (size_t i = 0; i < races.n; i++)
        au_vec_push(&k->query, races.at[i]);
    au_vec_release(&races);
}

/* Without weak orders and without a race C11 allows what interleavings do, and nothing else. */
static bool is_sequential(const asker *k) {
    const au_model_work *w = k->r->work->questions;
    bool races = false;
    for (size_t i = 0; i < w->shown.n; i++)
        races |= w->shown.at[i].kind == AU_ASK_RACE;
    return k->memory == AU_MEMORY_RC11 && !au_model_is_weak(k->r->model) &&
           !au_model_looks_at_locks(k->r->model) && !races && !w->open &&
           au_plan_wants(k->r->plan, AU_PROP_RACE) && !k->r->plan->first;
}

static void choose(asker *k) {
    const au_model_work *w = k->r->work->questions;
    for (size_t i = 0; i < w->all.n; i++)
        if (au_weak_asks(&w->all.at[i]) && !is_in(&w->shown, &w->all.at[i]))
            au_vec_push(&k->query, w->all.at[i]);
    add_races(k);
}

static void count(asker *k) {
    for (int i = 0; i < AU_KINDS; i++)
        if (k->r->outcome.looked_for[i])
            k->r->outcome.funnel[i].left[AU_STAGE_SOLVER] += k->found[i] + k->open[i];
    if (k->cut)
        au_check_cut(&k->r->outcome, "%zu of %zu questions about executions not answered", k->cut,
                     k->query.n);
    if (k->raced && !au_plan_wants(k->r->plan, AU_PROP_RACE))
        au_check_inconclusive(&k->r->outcome,
                              "there is a race, and C11 does not say what the program does after "
                              "it: look for races, too (--prop)");
}

au_status au_stage_weak(au_check_run *r, au_error *err) {
    asker k = {.r = r, .memory = r->plan->executions};
    au_error why = AU_ERROR_NONE;
    if (r->plan->first && r->outcome.findings.finding.n)
        return AU_OK;
    if (is_sequential(&k))
        return AU_OK;
    if (au_weak_supports(r->model, k.memory, &why) != AU_OK) {
        au_check_inconclusive(&r->outcome,
                              "only interleavings were looked at, not the executions of %s: %s",
                              au_memory_name(k.memory), why.text);
        return AU_OK;
    }
    tell_interleavings(&k);
    choose(&k);
    double seconds = r->plan->seconds;
    au_pool_limits limits = {.jobs = r->plan->jobs ? r->plan->jobs : au_cores(),
                             /* several searches, each of which is told to end in time */
                             .seconds = seconds > 0 ? seconds * 8 + 1 : 0,
                             .memory_bytes = r->plan->memory,
                             .batch = BATCH};
    au_status st =
        k.query.n ? au_pool_run((uint32_t)k.query.n, &limits, work, take_result, &k, err) : AU_OK;
    au_progress_end();
    if (st == AU_OK)
        count(&k);
    au_vec_release(&k.query);
    return st;
}
