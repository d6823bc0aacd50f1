/* solve/weak.c: questions about executions, and what a solution tells (weak.h). */
#include "solve/weak_priv.h"

#include "base/clock.h"
#include "base/error.h"
#include "solve/cssa_priv.h"
#include "solve/schedule.h"

enum { TRIES = 64 }; /* executions that show it after a race, before it is told so */

struct au_weak_solver {
    const au_model *of;
    au_weak_model m;
    au_memory memory;
    au_cssa *c;
    au_backend *b;
    au_weak_state *w; /* the backend's */
    au_prefix p;
};

au_weak_solver *au_weak_solver_new(const au_model *m, au_memory memory, au_error *err) {
    if (au_weak_supports(m, memory, err) != AU_OK)
        return NULL;
    au_weak_solver *s = AU_NEW(au_weak_solver);
    *s = (au_weak_solver){.of = m, .memory = memory};
    au_weak_model_init(&s->m, m);
    s->c = au_cssa_new_weak(s->m.m, err);
    if (!s->c) {
        au_weak_solver_free(s);
        return NULL;
    }
    s->b = au_backend_cadical(
        s->c, &(au_cadical_options){
                  .proofs = true, .executions = true, .memory = memory, .bound = AU_NONE});
    s->w = ((au_cad *)s->b)->weak;
    au_bitset_init(&s->p.exec, s->c->event.n);
    au_bitset_init(&s->p.failed, s->c->event.n);
    s->p.havoc = au_alloc_array(s->c->event.n + 1, sizeof *s->p.havoc);
    return s;
}

void au_weak_solver_free(au_weak_solver *s) {
    if (!s)
        return;
    if (s->b)
        s->b->free(s->b);
    au_cssa_free(s->c);
    au_weak_model_release(&s->m);
    if (s->p.havoc) {
        au_bitset_release(&s->p.exec);
        au_bitset_release(&s->p.failed);
    }
    au_vec_release(&s->p.order);
    free(s->p.havoc);
    free(s);
}

/* ---- properties ---- */

static bool accesses(const au_step *s, uint32_t var) {
    return s->n_accesses && s->access[0].var == var;
}

/* It is executed and accesses its variable: an assert that fails does not write. */
static au_term is_access(const au_weak_solver *s, uint32_t event) {
    const au_cssa_event *e = &s->c->event.at[event];
    return au_weak_read_of(s->c, event) != AU_NONE ? e->exec : e->passes;
}

/* One writes, both are executed, and nothing orders them: the last is what w->pair says. */
static au_term race_term(au_weak_solver *s, const au_query *q) {
    au_cssa *c = s->c;
    au_terms *t = c->terms;
    au_term any = au_term_bool(t, false);
    uint32_t a, b;
    for (size_t i = 0; (a = au_query_edge(c, q->step[0], &i)) != AU_NONE;)
        for (size_t j = 0; (b = au_query_edge(c, q->step[1], &j)) != AU_NONE;) {
            if (!accesses(&s->m.m->step.at[c->event.at[a].step], q->var) ||
                !accesses(&s->m.m->step.at[c->event.at[b].step], q->var))
                continue;
            au_term writes = au_term_bool(t, false);
            if (au_weak_stores(s->w, a))
                writes = au_term_or(t, writes, c->event.at[a].passes);
            if (au_weak_stores(s->w, b))
                writes = au_term_or(t, writes, c->event.at[b].passes);
            au_term both = au_term_and(t, is_access(s, a), is_access(s, b));
            any = au_term_or(t, any, au_term_and(t, both, writes));
            au_vec_push(&s->w->pair, ((struct au_weak_pair){a, b}));
        }
    return any;
}

static au_term sees_any(au_cssa *c, uint32_t read, uint32_t writer) {
    if (writer == AU_NONE)
        return au_cssa_sees(c, read, AU_INITIAL);
    au_term any = au_term_bool(c->terms, false);
    uint32_t e;
    for (size_t i = 0; (e = au_query_edge(c, writer, &i)) != AU_NONE;)
        any = au_term_or(c->terms, any, au_cssa_sees(c, read, e));
    return any;
}

static au_term sees_term(au_weak_solver *s, const au_query *q) {
    au_cssa *c = s->c;
    if (q->step[0] == AU_NONE)
        return au_term_and(c->terms, au_cssa_complete(c),
                           sees_any(c, au_cssa_final(c, q->var), q->writer));
    au_term any = au_term_bool(c->terms, false);
    uint32_t e;
    for (size_t i = 0; (e = au_query_edge(c, q->step[0], &i)) != AU_NONE;) {
        uint32_t r = au_cssa_read_of(c, e, q->var);
        if (r != AU_NONE)
            any = au_term_or(c->terms, any,
                             au_term_and(c->terms, c->event.at[e].exec, sees_any(c, r, q->writer)));
    }
    return any;
}

static bool by_order(const au_weak_solver *s, const au_query *q) {
    return q->kind == AU_ASK_RACE && s->memory == AU_MEMORY_RC11;
}

static au_term property(au_weak_solver *s, const au_query *q) {
    au_vec_clear(&s->w->pair);
    if (by_order(s, q))
        return race_term(s, q);
    return q->kind == AU_ASK_NONDET ? sees_term(s, q) : au_query_term(s->c, q);
}

/* ---- what leads to it ---- */

static bool is_same(const au_weak_solver *s, uint32_t event, uint32_t step) {
    const au_model *m = s->m.m;
    return step != AU_NONE &&
           au_query_event(m, s->c->event.at[event].step) == au_query_event(m, step);
}

/* The decisive events; all of both threads for a race of what comes next, all at the end of a run. */
static void mark(const au_weak_solver *s, const au_query *q, const au_u32s *events, bool *keep) {
    const au_model *m = s->m.m;
    bool next = q->kind == AU_ASK_RACE && !by_order(s, q),
         all = q->kind == AU_ASK_NONDET && q->step[0] == AU_NONE;
    for (size_t i = 0; i < events->n; i++) {
        const au_step *p = &m->step.at[s->c->event.at[events->at[i]].step];
        keep[i] = all;
        for (int k = 0; k < 2; k++) {
            if (q->step[k] == AU_NONE)
                continue;
            uint32_t t = m->step.at[q->step[k]].thread;
            keep[i] |= is_same(s, events->at[i], q->step[k]);
            keep[i] |= next && (p->thread == t || (p->kind == AU_STEP_FORK && p->obj == t));
        }
    }
}

/* With an event stays what its thread did before, what it sees, and what it needs of objects. */
static void trim(const au_weak_solver *s, au_u32s *events, bool *keep) {
    const au_cssa *c = s->c;
    size_t n = events->n, kept = 0;
    uint32_t *at = au_alloc_array(c->event.n + 1, sizeof *at);
    uint32_t *last = au_alloc_array(c->m->var.n + 1, sizeof *last);
    uint32_t *own = au_alloc_array(c->m->thread.n + 1, sizeof *own);
    au_u32s *source = au_alloc_array(n + 1, sizeof *source);
    for (uint32_t i = 0; i < n; i++) {
        const au_cssa_event *e = &c->event.at[events->at[i]];
        at[events->at[i]] = i;
        if (own[e->thread])
            au_vec_push(&source[i], own[e->thread] - 1);
        own[e->thread] = i + 1;
        uint32_t node = s->w->number[events->at[i]];
        if (node != AU_NONE && s->w->node.at[node].from < AU_FROM_START)
            au_vec_push(&source[i], at[s->w->node.at[s->w->node.at[node].from].event]);
        for (uint32_t k = 0; k < e->n_reads; k++) {
            uint32_t var = c->read.at[e->first_read + k].var;
            if (!au_weak_is_shared(c, var) && last[var])
                au_vec_push(&source[i], last[var] - 1);
        }
        for (uint32_t k = 0; k < e->n_writes; k++)
            last[c->write.at[e->first_write + k].var] = i + 1;
    }
    for (size_t i = n; i-- > 0;)
        for (size_t k = 0; k < source[i].n && keep[i]; k++)
            keep[source[i].at[k]] = true;
    for (size_t i = 0; i < n; i++) {
        if (keep[i])
            events->at[kept++] = events->at[i];
        au_vec_release(&source[i]);
    }
    events->n = kept;
    free(source);
    free(at);
    free(last);
    free(own);
}

static void leading(const au_weak_solver *s, const au_query *q, au_u32s *events) {
    au_schedule_of(s->c, &s->p, events);
    bool *keep = au_alloc_array(events->n + 1, sizeof *keep);
    mark(s, q, events, keep);
    trim(s, events, keep);
    free(keep);
}

/* ---- after a race ---- */

/* Two of these race: *a, *b. */
static bool find_race(const au_weak_solver *s, const au_u32s *events, uint32_t *a, uint32_t *b) {
    for (size_t i = 0; i < events->n; i++)
        for (size_t j = i + 1; j < events->n; j++) {
            uint32_t x = s->w->number[events->at[i]], y = s->w->number[events->at[j]];
            if (x != AU_NONE && y != AU_NONE && au_weak_races(s->w, x, y)) {
                *a = (uint32_t)i;
                *b = (uint32_t)j;
                return true;
            }
        }
    return false;
}

/* Not this race as it came about: the same events with the same reads and operations of objects. */
static void avoid(au_weak_solver *s, int calm, const au_u32s *events, uint32_t a, uint32_t b) {
    const au_cssa *c = s->c;
    au_weak_state *w = s->w;
    au_u32s to = {0};
    AU_VEC(int) lit = {0};
    bool *keep = au_alloc_array(events->n + 1, sizeof *keep);
    au_vec_append(&to, events->at, events->n);
    keep[a] = keep[b] = true;
    trim(s, &to, keep);
    au_vec_push(&lit, -calm);
    for (size_t i = 0; i < to.n; i++) {
        uint32_t e = to.at[i], node = w->number[e];
        au_vec_push(&lit, -w->k->exec[e]);
        if (node == AU_NONE)
            continue;
        uint32_t read = au_weak_read_of(c, e);
        for (size_t k = 0; read != AU_NONE && k < c->read.at[read].writer.n; k++)
            if (au_sat_value(&w->k->sat, w->k->sees.at[read][k]))
                au_vec_push(&lit, -w->k->sees.at[read][k]);
        for (uint32_t f = 0; f < c->event.n && w->node.at[node].sync; f++) {
            if (au_weak_step(w, f)->kind < AU_STEP_ACQ || !c->event.at[f].ordered ||
                !c->event.at[e].ordered || c->event.at[f].thread == c->event.at[e].thread)
                continue;
            if (w->number[f] == AU_NONE)
                au_vec_push(&lit, w->k->exec[f]);
            int before = au_weak_before(w, f, e);
            au_vec_push(&lit, au_sat_value(&w->k->sat, before) ? -before : before);
        }
    }
    au_sat_add(&w->k->sat, lit.at, lit.n);
    au_vec_release(&lit);
    au_vec_release(&to);
    free(keep);
}

/* ---- asking ---- */

static au_answer decide(au_weak_solver *s, au_term property, const au_ask *ask) {
    bool unused;
    if (au_term_is_false(s->c->terms, property))
        return AU_UNSAT;
    au_vec_clear(&s->p.order);
    au_bitset_clear(&s->p.exec);
    au_bitset_clear(&s->p.failed);
    return s->b->decide(s->b, property, ask, &s->p, &unused);
}

/* Without spurious wake-ups if that can be. */
static au_answer decide_well(au_weak_solver *s, au_term property, const au_ask *ask,
                             bool *spurious) {
    au_terms *t = s->c->terms;
    au_term none = au_cssa_no_spurious(s->c);
    *spurious = false;
    if (!au_term_is_true(t, none)) {
        au_answer a = decide(s, au_term_and(t, property, none), ask);
        if (a == AU_SAT)
            return a;
    }
    au_answer a = decide(s, property, ask);
    *spurious = a == AU_SAT && !au_term_is_true(t, none);
    return a;
}

static void tell(au_weak_solver *s, const au_query *q, const au_u32s *led, au_weak_solution *r);

/* One that needs no race, if there is one. The last solution is told in any case. */
static void look_for_calm(au_weak_solver *s, const au_query *q, au_term x, const au_ask *ask,
                          au_u32s *led, au_weak_solution *r) {
    uint32_t a, b;
    au_term calm = {UINT32_MAX};
    double until = ask->seconds > 0 ? au_now() + ask->seconds : 0;
    bool spurious = r->spurious;
    for (int i = 0; i < TRIES; i++) {
        if (!find_race(s, led, &a, &b)) {
            if (i) {
                au_execution_release(&r->x);
                tell(s, q, led, r);
                r->spurious = spurious;
            }
            r->raced = false;
            return;
        }
        if (until > 0 && au_now() > until)
            return;
        r->raced = true;
        if (calm.n == UINT32_MAX)
            calm = au_cssa_free_name(s->c);
        /* The literal was there before: looking at the solution needs it untouched. */
        int lit = au_blast_bool(&s->w->k->blast, calm);
        avoid(s, lit, led, a, b);
        au_vec_clear(led);
        au_answer answer = decide_well(s, au_term_and(s->c->terms, x, calm), ask, &spurious);
        r->always = answer == AU_UNSAT;
        if (answer != AU_SAT)
            return;
        leading(s, q, led);
    }
}

void au_weak_solver_ask(au_weak_solver *s, const au_query *q, const au_solve_limits *limits,
                        au_weak_solution *r) {
    *r = (au_weak_solution){.why = ""};
    au_ask ask = {.context_bound = AU_NONE,
                  .seconds = limits ? limits->seconds : 0,
                  .conflicts = limits ? limits->conflicts : 0};
    AU_BUG_IF(!au_weak_asks(q));
    au_term goal = au_cssa_free_name(s->c);
    au_term x = au_term_and(s->c->terms, property(s, q), goal);
    s->w->goal = by_order(s, q) ? au_blast_bool(&s->w->k->blast, goal) : 0;
    r->answer = decide_well(s, x, &ask, &r->spurious);
    if (r->answer == AU_UNKNOWN)
        r->why = "query time limit reached";
    if (r->answer == AU_SAT) {
        au_u32s led = {0};
        leading(s, q, &led);
        tell(s, q, &led, r);
        if (s->memory == AU_MEMORY_RC11 && q->kind != AU_ASK_RACE)
            look_for_calm(s, q, x, &ask, &led, r);
        au_vec_release(&led);
    }
    s->w->goal = 0;
}

/* ---- telling ---- */

static au_weak_found found_at(const au_weak_solver *s, const au_execution *x, uint32_t step) {
    au_weak_found f = {step, AU_NONE, 0};
    if (step == AU_NONE)
        return f;
    uint32_t thread = s->of->step.at[step].thread;
    for (uint32_t i = 0; i < x->at.n; i++) {
        const au_step *p = &s->of->step.at[x->at.at[i].step];
        if (p->thread != thread)
            continue;
        f.index++;
        if (au_query_event(s->of, p->id) == au_query_event(s->of, step)) {
            f.step = p->id;
            f.entry = i;
            return f;
        }
    }
    f.index++;
    return f;
}

static void tell_writes(const au_weak_solver *s, const uint32_t *entry, au_execution *x) {
    for (uint32_t v = 0; v < s->c->m->var.n; v++)
        for (size_t i = 0; i < s->w->line[v].n; i++) {
            uint32_t e = s->w->node.at[s->w->line[v].at[i]].event;
            if (entry[e])
                au_vec_push(&x->write, entry[e] - 1);
        }
}

/* Fewer changes of thread; operations of one object stay in their order, whatever they share. */
static void smooth(const au_weak_solver *s, au_u32s *events) {
    AU_VEC(uint32_t) pair = {0};
    for (size_t i = 0; i < events->n; i++)
        for (size_t j = i + 1; j < events->n; j++) {
            uint32_t a = s->w->number[events->at[i]], b = s->w->number[events->at[j]];
            if (a == AU_NONE || b == AU_NONE || !au_rel_has(&s->w->rel[AU_REL_LINE], a, b))
                continue;
            au_vec_push(&pair, events->at[i]);
            au_vec_push(&pair, events->at[j]);
        }
    au_schedule_smooth(s->c, &s->p, events, (const uint32_t(*)[2])pair.at, pair.n / 2);
    au_vec_release(&pair);
}

static void tell(au_weak_solver *s, const au_query *q, const au_u32s *led, au_weak_solution *r) {
    au_u32s events = {0};
    uint32_t *entry = au_alloc_array(s->c->event.n + 1, sizeof *entry);
    r->x = (au_execution){0};
    r->n_events = 0;
    au_vec_append(&events, led->at, led->n);
    smooth(s, &events);
    for (uint32_t i = 0; i < events.n; i++)
        entry[events.at[i]] = i + 1;
    for (uint32_t i = 0; i < events.n; i++) {
        uint32_t e = events.at[i], node = s->w->number[e], step = s->c->event.at[e].step;
        au_executed x = {s->m.origin[step], s->m.vain[step], AU_NONE, s->p.havoc[e]};
        if (node != AU_NONE && s->w->node.at[node].from != AU_NONE) {
            uint32_t from = s->w->node.at[node].from;
            x.from = from == AU_FROM_START ? from : entry[s->w->node.at[from].event] - 1;
        }
        au_vec_push(&r->x.at, x);
    }
    tell_writes(s, entry, &r->x);
    if (q->kind == AU_ASK_NONDET)
        r->event[r->n_events++] = found_at(s, &r->x, q->writer);
    r->event[r->n_events++] = found_at(s, &r->x, q->step[0]);
    if (q->kind == AU_ASK_RACE)
        r->event[r->n_events++] = found_at(s, &r->x, q->step[1]);
    au_vec_release(&events);
    free(entry);
}
