/* solve/solve.c: asking, and telling what was answered. */
#include "solve/solve.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "solve/changes.h"
#include "solve/deadlock.h"
#include "solve/lost.h"
#include "solve/run.h"
#include "solve/schedule.h"

struct au_solver {
    const au_model *m;
    au_solve_options o;
    au_cssa *c;
    au_backend *backend[4]; /* cadical: for finding, for refuting; and with whole transactions.
                               Made when first asked */
    au_backend *b;          /* the one that was asked last */
    au_dead *dead;
    size_t told;          /* cores of deadlocks that were told */
    bool to_end;          /* all of a schedule is wanted */
    au_solver *unbounded; /* the same without a context bound; NULL: not made yet */
    au_prefix p;
    double encode_seconds, solve_seconds;
};

/* Every pair of ordered events of two threads is a variable of the encoding. */
static uint64_t count_pairs(const au_cssa *c) {
    uint64_t all = 0, squares = 0;
    for (uint32_t t = 0; t < c->m->thread.n; t++) {
        uint64_t n = 0;
        for (uint32_t e = c->first_event[t]; e < c->first_event[t + 1]; e++)
            n += c->event.at[e].ordered;
        all += n;
        squares += n * n;
    }
    return (all * all - squares) / 2;
}

au_solver *au_solver_new(const au_model *m, const au_solve_options *o, au_error *err) {
    double start = au_now();
    au_cssa_options co = {o->semantics, o->whole, o->context_bound != AU_NONE, false};
    au_cssa *c = au_cssa_new(m, &co, err);
    if (!c)
        return NULL;
    if (count_pairs(c) > AU_LIMIT_SOLVE_PAIRS) {
        au_error_set(err, AU_EUNSUPPORTED, "%s",
                     au_limit_say(AU_AT_SOLVE_PAIRS, count_pairs(c), 0, (char[AU_LIMIT_TEXT]){0}));
        au_cssa_free(c);
        return NULL;
    }
    au_solver *s = AU_NEW(au_solver);
    *s = (au_solver){.m = m, .o = *o, .c = c};
    au_bitset_init(&s->p.exec, c->event.n);
    au_bitset_init(&s->p.failed, c->event.n);
    s->p.havoc = au_alloc_array(c->event.n + 1, sizeof *s->p.havoc);
    s->encode_seconds = au_now() - start;
    return s;
}

void au_solver_free(au_solver *s) {
    if (!s)
        return;
    au_dead_free(s->dead);
    au_solver_free(s->unbounded);
    for (int i = 0; i < 4; i++)
        if (s->backend[i])
            s->backend[i]->free(s->backend[i]);
    au_cssa_free(s->c);
    au_bitset_release(&s->p.exec);
    au_bitset_release(&s->p.failed);
    au_vec_release(&s->p.order);
    free(s->p.havoc);
    free(s);
}

void au_solver_queries(au_solver *s, unsigned props, au_atomic_blocks atomic, au_queries *into) {
    au_queries_of(s->c, props, atomic, false, into);
}

void au_solution_release(au_solution *r) {
    au_vec_release(&r->schedule);
    au_vec_release(&r->event);
    au_vec_release(&r->havoc);
}

/* --- telling ------------------------------------------------------------------------ */

static bool same_statement(const au_model *m, uint32_t a, uint32_t b) {
    return au_query_event(m, a) == au_query_event(m, b);
}

/* Where the statement is executed in the schedule, SIZE_MAX: not. */
static size_t find(const au_solver *s, const au_u32s *events, uint32_t step) {
    for (size_t i = 0; i < events->n; i++)
        if (same_statement(s->m, s->c->event.at[events->at[i]].step, step))
            return i;
    return SIZE_MAX;
}

static void keep_thread(const au_solver *s, const au_u32s *events, uint32_t t, bool *keep) {
    for (size_t i = 0; i < events->n; i++) {
        const au_step *p = &s->m->step.at[s->c->event.at[events->at[i]].step];
        keep[i] |= p->thread == t || (p->kind == AU_STEP_FORK && p->obj == t);
    }
}

/* What has to stay of a prefix; false: all of it. */
static bool needed(const au_solver *s, const au_query *q, const au_u32s *events, bool *keep) {
    const au_model *m = s->m;
    size_t at;
    switch (q->kind) {
    case AU_ASK_ASSERT:
        keep[find(s, events, q->step[0])] = true;
        return true;
    case AU_ASK_RACE:
        keep_thread(s, events, m->step.at[q->step[0]].thread, keep);
        keep_thread(s, events, m->step.at[q->step[1]].thread, keep);
        return true;
    case AU_ASK_ATOMICITY:
        for (int i = 0; i < 3; i++)
            keep[find(s, events, q->step[i])] = true;
        return true;
    case AU_ASK_MISUSE:
    case AU_ASK_REACH:
        keep_thread(s, events, m->step.at[q->step[0]].thread, keep);
        return true;
    case AU_ASK_NONDET:
        if (q->step[0] == AU_NONE)
            return false;
        if (q->writer != AU_NONE && (at = find(s, events, q->writer)) != SIZE_MAX)
            keep[at] = true;
        if ((at = find(s, events, q->step[0])) != SIZE_MAX)
            keep[at] = true;
        else
            keep_thread(s, events, m->step.at[q->step[0]].thread, keep);
        return true;
    case AU_ASK_LOST:
    case AU_ASK_STALE:
        if (s->c->event.at[s->c->event_of[q->step[2]]].n_reads)
            return false; /* whether it can run depends on what there is */
        keep_thread(s, events, m->step.at[q->step[2]].thread, keep);
        keep[au_lost_overwritten(s->c, q, &s->p, events)] = true;
        return true;
    default:
        return false;
    }
}

/* A race in a whole run: what led the one to its access comes before the other's. */
static size_t race_pairs(const au_solver *s, const au_query *q, const au_u32s *events,
                         uint32_t (*pair)[2]) {
    uint32_t in[2], out[2];
    for (int k = 0; k < 2; k++) {
        const au_step *p = &s->m->step.at[q->step[k]];
        in[k] = out[k] = AU_NONE;
        for (size_t i = 0; i < events->n; i++) {
            const au_step *x = &s->m->step.at[s->c->event.at[events->at[i]].step];
            if (x->thread == p->thread && x->dst == p->src)
                in[k] = events->at[i];
            else if (x->kind == AU_STEP_FORK && x->obj == p->thread && in[k] == AU_NONE)
                in[k] = events->at[i];
            if (x->thread == p->thread && x->src == p->src)
                out[k] = events->at[i];
        }
    }
    size_t n = 0;
    for (int k = 0; k < 2; k++)
        if (in[k] != AU_NONE && out[1 - k] != AU_NONE) {
            pair[n][0] = in[k];
            pair[n++][1] = out[1 - k];
        }
    return n;
}

static bool both_stand(const au_solver *s, const au_query *q, const au_cssa_run *run) {
    for (int k = 0; k < 2; k++) {
        const au_step *p = &s->m->step.at[q->step[k]];
        if (run->node[p->thread] != p->src || !au_cssa_run_started(run, p->thread))
            return false;
    }
    return true;
}

/* Executes it. A schedule that does not work is our mistake. */
static void execute(const au_solver *s, const au_query *q, const au_u32s *events, au_cssa_run *run,
                    size_t *shown) {
    bool race = q && q->kind == AU_ASK_RACE && s->o.whole, seen = race && both_stand(s, q, run);
    *shown = seen ? 0 : events->n;
    for (size_t i = 0; i < events->n; i++) {
        uint32_t e = events->at[i];
        AU_BUG_IF(!au_cssa_run_step(run, e, s->p.havoc[e], au_bitset_has(&s->p.failed, e)));
        if (race && !seen && both_stand(s, q, run)) {
            seen = true;
            *shown = i + 1;
        }
    }
    AU_BUG_IF(race && !seen);
}

static void add_event(const au_solver *s, const au_u32s *events, uint32_t step, au_solution *r) {
    if (step == AU_NONE) {
        au_vec_push(&r->event, ((au_solved_event){AU_NONE, 0}));
        return;
    }
    uint32_t thread = s->m->step.at[step].thread, index = 0;
    for (size_t i = 0; i < events->n; i++) {
        const au_step *p = &s->m->step.at[s->c->event.at[events->at[i]].step];
        if (p->thread != thread)
            continue;
        index++;
        if (same_statement(s->m, p->id, step)) {
            au_vec_push(&r->event, ((au_solved_event){p->id, index}));
            return;
        }
    }
    au_vec_push(&r->event, ((au_solved_event){step, index + 1}));
}

static void tell_events(const au_solver *s, const au_query *q, const au_u32s *events,
                        au_solution *r) {
    static const int steps[AU_ASK_KINDS] = {1, 2, 3, 0, 1, 1, 1, 0, 0};
    if (q->kind == AU_ASK_NONDET)
        add_event(s, events, q->writer, r);
    if (q->kind == AU_ASK_DEADLOCK) {
        const au_u32s *core = au_dead_core(s->dead, s->told);
        for (size_t i = 0; i < core->n; i++)
            add_event(s, events, core->at[i], r);
    }
    for (int i = 0; i < steps[q->kind]; i++)
        add_event(s, events, q->step[i], r);
    if (q->kind == AU_ASK_LOST || q->kind == AU_ASK_STALE) {
        size_t x = au_lost_overwritten(s->c, q, &s->p, events);
        AU_BUG_IF(x == SIZE_MAX);
        size_t read = au_lost_read(s->c, q, events, x);
        AU_BUG_IF(read == SIZE_MAX);
        add_event(s, events, s->c->event.at[events->at[read]].step, r);
        add_event(s, events, s->c->event.at[events->at[x]].step, r);
        add_event(s, events, q->step[2], r);
    }
}

/* The prefix ends right before the write: it comes, too. */
static void add_write(const au_solver *s, const au_query *q, au_u32s *events) {
    const au_step *w = &s->m->step.at[q->step[2]];
    const au_node *n = &s->m->thread.at[w->thread].node.at[w->src];
    au_cssa_run run;
    au_cssa_run_init(&run, s->c);
    for (size_t i = 0; i < events->n; i++)
        au_cssa_run_step(&run, events->at[i], s->p.havoc[events->at[i]], false);
    bool ran = false;
    for (size_t i = 0; i < n->out.n && !ran; i++) {
        uint32_t e = s->c->event_of[n->out.at[i]];
        ran = e != AU_NONE && same_statement(s->m, n->out.at[i], w->id) &&
              au_cssa_run_step(&run, e, s->p.havoc[e], false);
        if (ran)
            au_vec_push(events, e);
    }
    AU_BUG_IF(!ran);
    au_cssa_run_drop(&run);
}

static void tell(au_solver *s, const au_query *q, au_solution *r) {
    const au_cssa *c = s->c;
    au_u32s events = {0};
    au_schedule_of(c, &s->p, &events);
    if (!s->o.whole && !s->to_end) {
        bool *keep = au_alloc_array(events.n + 1, sizeof *keep);
        if (needed(s, q, &events, keep))
            au_schedule_trim(c, &s->p, &events, keep);
        free(keep);
    }
    uint32_t pair[2][2];
    size_t pairs = q && q->kind == AU_ASK_RACE && s->o.whole ? race_pairs(s, q, &events, pair) : 0;
    au_schedule_smooth(c, &s->p, &events, (const uint32_t(*)[2])pair, pairs);
    if (q && (q->kind == AU_ASK_LOST || q->kind == AU_ASK_STALE))
        add_write(s, q, &events);
    au_cssa_run run;
    au_cssa_run_init(&run, s->c);
    execute(s, q, &events, &run, &r->shown);
    au_cssa_run_drop(&run);
    if (q)
        tell_events(s, q, &events, r);
    for (size_t i = 0; i < events.n; i++) {
        const au_step *p = &s->m->step.at[c->event.at[events.at[i]].step];
        au_vec_push(&r->schedule, p->id);
        if (p->havoc != AU_NONE)
            au_vec_push(&r->havoc, s->p.havoc[events.at[i]]);
    }
    au_vec_release(&events);
}

/* --- asking ------------------------------------------------------------------------------ */

static au_answer decide(au_solver *s, au_term property, const au_ask *ask, bool *bound_used) {
    if (au_term_is_false(s->c->terms, property)) {
        *bound_used = false;
        return AU_UNSAT;
    }
    au_vec_clear(&s->p.order);
    au_bitset_clear(&s->p.exec);
    au_bitset_clear(&s->p.failed);
    if (ask->dump && s->o.backend != AU_BACKEND_Z3)
        au_z3_dump(s->c, property, ask);
    return s->b->decide(s->b, property, ask, &s->p, bound_used);
}

/* Without spurious wake-ups if that can be. */
static au_answer decide_well(au_solver *s, au_term property, const au_ask *ask, au_solution *r) {
    au_term calm = au_cssa_no_spurious(s->c);
    bool bound_used = false;
    au_answer a = AU_UNSAT;
    if (!au_term_is_true(s->c->terms, calm)) {
        a = decide(s, au_term_and(s->c->terms, property, calm), ask, &bound_used);
        if (a == AU_SAT)
            return a;
    }
    a = decide(s, property, ask, &bound_used);
    r->spurious = a == AU_SAT && !au_term_is_true(s->c->terms, calm);
    if (a == AU_UNSAT && ask->context_bound != AU_NONE && s->o.backend != AU_BACKEND_CADICAL) {
        au_ask free_ask = *ask;
        free_ask.context_bound = AU_NONE;
        free_ask.dump = NULL;
        bool unused;
        r->any_bound = !bound_used;
        /* The core may name the bound without need: ask once more. */
        if (bound_used) {
            r->any_bound = decide(s, property, &free_ask, &unused) == AU_UNSAT;
        }
    }
    return a;
}

/* The deadlocks of the state that was found; how many are new. */
static size_t take_state(au_solver *s) {
    au_u32s events = {0};
    au_schedule_of(s->c, &s->p, &events);
    au_cssa_run run;
    au_cssa_run_init(&run, s->c);
    for (size_t i = 0; i < events.n; i++) {
        uint32_t e = events.at[i];
        AU_BUG_IF(!au_cssa_run_step(&run, e, s->p.havoc[e], au_bitset_has(&s->p.failed, e)));
    }
    size_t fresh = au_dead_take(s->dead, &run);
    au_cssa_run_drop(&run);
    au_vec_release(&events);
    return fresh;
}

static au_answer ask_deadlock(au_solver *s, const au_ask *ask, au_solution *r) {
    if (s->c->m->thread.n > AU_LIMIT_SOLVE_THREADS) {
        r->why = au_limit_of(AU_AT_SOLVE_THREADS)->words;
        return AU_UNKNOWN;
    }
    if (!s->dead)
        s->dead = au_dead_new(s->c, s->o.part);
    for (int i = 0; i < AU_LIMIT_SOLVE_STATES; i++) {
        au_answer a = decide_well(s, au_dead_term(s->dead), ask, r);
        if (a != AU_SAT)
            return a;
        if (take_state(s))
            return AU_SAT;
        au_dead_exclude(s->dead, &s->p);
    }
    r->why = au_limit_of(AU_AT_SOLVE_STATES)->words;
    return AU_UNKNOWN;
}

/* What is asked is the same in all interleavings that have the same conflicts in the same order,
 * so that those with whole transactions are enough (tsg/complete.c). */
static bool keeps_order(const au_solver *s, const au_query *q) {
    bool same = q->kind == AU_ASK_ASSERT || q->kind == AU_ASK_ATOMICITY ||
                q->kind == AU_ASK_REACH || (q->kind == AU_ASK_NONDET && q->step[0] != AU_NONE);
    bool own = q->kind == AU_ASK_ASSERT || q->kind == AU_ASK_REACH;
    return s->o.atomic && s->o.ranges && same && (own || !s->o.apart) &&
           s->o.context_bound == AU_NONE;
}

/* Values that make an assertion fail are found faster one way, orders and proofs the other
 * (measured: 12 threads of 12 increments in 0.5 s or not in 20; bank-av-8 in 3.4 or 1.8 s). */
static void choose_backend(au_solver *s, const au_query *q) {
    bool proofs = s->o.proofs || (q->kind != AU_ASK_ASSERT && q->kind != AU_ASK_REACH);
    bool z3 = s->o.backend == AU_BACKEND_Z3, atomic = !z3 && keeps_order(s, q);
    int i = (proofs && !z3) + 2 * atomic;
    if (!s->backend[i])
        s->backend[i] =
            z3 ? au_backend_z3(s->c)
               : au_backend_cadical(s->c, &(au_cadical_options){.no_lemmas = s->o.no_lemmas,
                                                                .proofs = proofs,
                                                                .full_widths = s->o.full_widths,
                                                                .atomic = atomic,
                                                                .keep = s->o.keep,
                                                                .ranges = s->o.ranges,
                                                                .bound = s->o.context_bound});
    s->b = s->backend[i];
}

void au_solver_prepare(au_solver *s, const au_queries *all) {
    for (size_t i = 0; i < all->n && s->o.context_bound == AU_NONE; i++)
        choose_backend(s, &all->at[i]);
}

static void ask(au_solver *s, const au_query *q, const au_term *then, const au_solve_limits *limits,
                au_solution *r);

enum {
    LIFT = 500,  /* conflicts to find out whether a bound was needed … */
    LIFTED = 800 /* … in a model of no more events */
};

/* --- terms over what variables hold at the end ------------------------------------------------ */

static au_term final_value(void *ctx, uint32_t var, unsigned width) {
    (void)width;
    return au_cssa_final_value(ctx, var);
}

static au_term at_end(au_solver *s, au_term then) {
    au_map memo;
    au_map_init(&memo);
    au_term x = au_term_translate(s->c->terms, s->m->terms, then, final_value, s->c, &memo);
    au_map_release(&memo);
    return au_term_and(s->c->terms, x, au_cssa_complete(s->c));
}

/* Is it refuted with any number of changes of thread, too? Not at any price: where that is hard to tell, the bound
 * counts as needed. A deadlock beside those that were told is not looked for. */
static bool holds_unbounded(au_solver *s, const au_query *q, const au_solve_limits *limits) {
    au_error err = AU_ERROR_NONE;
    au_solve_options o = s->o;
    au_solve_limits brief = {.seconds = limits ? limits->seconds : 0, .conflicts = LIFT};
    o.context_bound = AU_NONE;
    if ((s->dead && au_dead_cores(s->dead)) || s->c->event.n > LIFTED)
        return false;
    if (!s->unbounded)
        s->unbounded = au_solver_new(s->m, &o, &err);
    if (!s->unbounded)
        return false;
    au_solution r;
    ask(s->unbounded, q, NULL, &brief, &r);
    bool holds = r.answer == AU_UNSAT;
    au_solution_release(&r);
    return holds;
}

/* then NULL: nothing is said of the end. */
static void ask(au_solver *s, const au_query *q, const au_term *then, const au_solve_limits *limits,
                au_solution *r) {
    static const au_query nothing = {.kind = AU_ASK_REACH,
                                     .step = {AU_NONE, AU_NONE, AU_NONE},
                                     .var = AU_NONE,
                                     .obj = AU_NONE,
                                     .writer = AU_NONE};
    double start = au_now();
    bool any = !q;
    q = any ? &nothing : q;
    bool far = !any && s->o.context_bound != AU_NONE && s->o.backend == AU_BACKEND_CADICAL &&
               !(limits && limits->dump) &&
               au_changes_exceed(s->m, s->o.semantics, q, s->o.context_bound);
    bool waits = q->kind == AU_ASK_DEADLOCK && s->c->m->thread.n <= AU_LIMIT_SOLVE_THREADS;
    if (waits && !s->dead)
        s->dead = au_dead_new(s->c, s->o.part);
    if (waits && s->told == au_dead_cores(s->dead) &&
        au_term_is_false(s->c->terms, au_dead_term(s->dead)))
        far = !(limits && limits->dump); /* nobody can wait for good: nothing to encode */
    if (!far)
        choose_backend(s, q);
    *r = (au_solution){.why = "", .var = q->var, .obj = q->obj};
    au_ask a = {.context_bound = s->o.context_bound,
                .seconds = limits ? limits->seconds : 0,
                .conflicts = limits ? limits->conflicts : 0,
                .dump = limits ? limits->dump : NULL};
    s->to_end = then;
    if (far) {
        r->answer = AU_UNSAT;
    } else if (q->kind == AU_ASK_DEADLOCK) {
        /* One state may show several: the others are told before the next search. The
         * state is still the last one found. */
        if (s->dead && s->told < au_dead_cores(s->dead))
            r->answer = AU_SAT;
        else
            r->answer = ask_deadlock(s, &a, r);
    } else {
        au_term x = any ? au_term_bool(s->c->terms, true) : au_query_term(s->c, q);
        if (then)
            x = au_term_and(s->c->terms, x, at_end(s, *then));
        r->answer = decide_well(s, x, &a, r);
    }
    r->gave_up = r->answer == AU_UNKNOWN;
    if (r->answer == AU_UNKNOWN && !*r->why)
        r->why = "query time limit reached";
    if (r->answer == AU_UNSAT && s->o.context_bound != AU_NONE && !then &&
        s->o.backend == AU_BACKEND_CADICAL)
        r->any_bound = holds_unbounded(s, q, limits);
    if (r->answer == AU_SAT) {
        tell(s, any ? NULL : q, r);
        s->told += q->kind == AU_ASK_DEADLOCK;
    }
    s->solve_seconds += au_now() - start;
}

void au_solver_ask(au_solver *s, const au_query *q, const au_solve_limits *limits, au_solution *r) {
    ask(s, q, NULL, limits, r);
}

void au_solver_know(au_solver *s, const au_u32s *core) {
    if (s->c->m->thread.n > AU_LIMIT_SOLVE_THREADS)
        return;
    if (!s->dead)
        s->dead = au_dead_new(s->c, s->o.part);
    AU_BUG_IF(s->told < au_dead_cores(s->dead));
    au_u32s own = {0};
    for (size_t i = 0; i < core->n; i++) { /* the same as in au_dead_take */
        const au_step *p = &s->m->step.at[core->at[i]];
        const au_node *n = &s->m->thread.at[p->thread].node.at[p->src];
        au_vec_push(&own, au_query_event(s->m, n->out.at[0]));
    }
    au_dead_know(s->dead, &own);
    s->told = au_dead_cores(s->dead);
    au_vec_release(&own);
}

void au_solver_ask_end(au_solver *s, const au_query *q, au_term then, const au_solve_limits *limits,
                       au_solution *r) {
    AU_BUG_IF(q && q->kind == AU_ASK_DEADLOCK);
    ask(s, q, &then, limits, r);
}

void au_solver_stats(const au_solver *s, au_solve_stats *st) {
    *st = (au_solve_stats){.events = s->c->event.n,
                           .reads = s->c->read.n,
                           .encode_seconds = s->encode_seconds,
                           .solve_seconds = s->solve_seconds};
    for (size_t i = 0; i < s->c->event.n; i++)
        st->ordered += s->c->event.at[i].ordered;
    if (s->b && s->b->sizes)
        s->b->sizes(s->b, &st->pairs, &st->variables, &st->clauses, &st->rounds);
}
