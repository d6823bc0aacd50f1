/* funnel/open_prove.c: a schedule of the model's steps as one of the trace's events, and the word of
 * both checkers on it. */
#include "funnel/open.h"

#include "funnel/closed.h"
#include "funnel/lost.h"

#include "base/hash.h"
#include "solve/observed.h"
#include "witness/check_model.h"

#include <inttypes.h>
#include <stdio.h>

/* --- schedules ---------------------------------------------------------------------------- */

static void add_turn(au_schedule *s, uint64_t *upto, uint32_t thread, uint64_t to) {
    if (upto[thread] >= to)
        return;
    if (!s->n || s->turn[s->n - 1].thread != thread)
        s->turn[s->n++] = (au_turn){.thread = (uint16_t)thread};
    s->turn[s->n - 1].upto = upto[thread] = to;
}

/* The schedule in events of the trace. Events that are no steps come along with what stands
 * before them; what leads up to decisive events that come next is added. */
static au_schedule in_events(const au_opener *k, const au_solution *s, const au_finding *f) {
    const au_trace *t = k->t;
    size_t before = 1; /* turns before the model begins */
    for (size_t e = 1; e < k->from; e++)
        before += t->events.thread[e] != t->events.thread[e - 1];
    au_schedule out = {AU_ARENA_ARRAY(&k->c->findings.arena, au_turn,
                                      before + 2 * s->schedule.n + f->n_events + 1),
                       0};
    uint64_t *upto = au_alloc_array(t->names.thread.n, sizeof *upto);
    for (size_t e = 0; e < k->from; e++)
        add_turn(&out, upto, t->events.thread[e], k->index[e]);
    for (size_t i = 0; i < s->shown; i++) {
        const au_step *step = &k->m->step.at[s->schedule.at[i]];
        size_t e = k->event_of[au_query_event(k->m, step->id)];
        if (e == SIZE_MAX)
            continue; /* what a read asks of what follows; a thread without events */
        uint64_t to = k->index[e];
        uint32_t name = k->thread[step->thread];
        bool alone = step->kind == AU_STEP_WAKE && step->spurious;
        if (t->events.op[e] == AU_OP_REL)
            for (size_t n = e + 1; n < t->events.n; n++)
                if (t->events.thread[n] == name) {
                    to += t->events.op[n] == AU_OP_WAIT; /* rel and wait are one step */
                    break;
                }
        if (step->kind == AU_STEP_JOIN) /* its last events are no steps */
            add_turn(&out, upto, k->thread[step->obj], k->length[k->thread[step->obj]]);
        if (!out.n || out.turn[out.n - 1].thread != name || alone)
            out.turn[out.n++] =
                (au_turn){.thread = name, .mark = alone ? AU_MARK_SPURIOUS : AU_MARK_NONE};
        out.turn[out.n - 1].upto = upto[name] = to;
    }
    for (uint32_t i = 0; f->kind != AU_KIND_ATOMICITY && f->kind != AU_KIND_LOST && i < f->n_events;
         i++) {
        const au_event_ref *e = &f->event[i];
        add_turn(&out, upto, e->thread, e->index - (f->kind != AU_KIND_ASSERTION));
    }
    free(upto);
    return out;
}

typedef AU_VEC(au_turn) turns;

/* The first n steps of the solution, in turns of the model. */
static void in_steps(const au_opener *k, const au_solution *s, size_t n, turns *out) {
    size_t *done = au_alloc_array(k->m->thread.n, sizeof *done);
    for (size_t i = 0; i < n; i++) {
        uint32_t who = k->m->step.at[s->schedule.at[i]].thread;
        if (!out->n || au_vec_last(out).thread != who)
            au_vec_push(out, ((au_turn){.thread = (uint16_t)who}));
        au_vec_last(out).upto = ++done[who];
    }
    free(done);
}

/* --- proofs ------------------------------------------------------------------------------- */

static void execute(const au_opener *k, au_kind kind, uint32_t var, uint32_t branch,
                    const au_solution *s, size_t steps, au_check_result *r,
                    au_model_seen_vec *seen) {
    AU_VEC(au_model_event) event = {0};
    turns turn = {0};
    for (size_t i = 0; i < s->event.n; i++)
        au_vec_push(&event, ((au_model_event){s->event.at[i].step, s->event.at[i].index}));
    in_steps(k, s, steps, &turn);
    au_model_finding f = {.kind = kind,
                          .var = var,
                          .obj = branch,
                          .event = event.at,
                          .n_events = (uint32_t)event.n,
                          .schedule = {turn.at, (uint32_t)turn.n},
                          .havoc = s->havoc.at,
                          .n_havoc = (uint32_t)s->havoc.n,
                          .whole = k->p->whole};
    au_model_check_schedule(k->m, &f, r, seen);
    au_vec_release(&turn);
    au_vec_release(&event);
}

static void keep_seen(const au_opener *k, const au_model_seen_vec *seen, au_finding *f) {
    size_t from = seen->n > AU_LIMIT_SEEN ? seen->n - AU_LIMIT_SEEN : 0;
    f->n_seen = 0;
    f->seen = AU_ARENA_ARRAY(&k->c->findings.arena, au_access_seen, seen->n - from + 1);
    for (size_t i = from; i < seen->n; i++) {
        const au_model_seen *s = &seen->at[i];
        size_t e = au_opener_event(k, s->step, s->var);
        if (e == SIZE_MAX || k->var[s->var] == AU_NONE)
            continue;
        f->seen[f->n_seen++] =
            (au_access_seen){.index = k->index[e],
                             .value = au_model_view_value(k->m, s->var, s->value),
                             .var = k->var[s->var],
                             .thread = k->t->events.thread[e],
                             .write = s->write};
    }
}

/* The checker of traces knows pointers only as they pointed in the run, and what failed there: of an access that goes
 * elsewhere, or succeeds, it can say that the schedule can be executed. */
static bool goes_elsewhere(const au_opener *k, const au_query *q, const au_finding *f) {
    if (au_opener_succeeds(k, q))
        return true;
    if (f->kind != AU_KIND_RACE && f->kind != AU_KIND_ATOMICITY && f->kind != AU_KIND_LOST)
        return false;
    for (uint32_t i = 0; i < f->n_events; i++)
        if (k->t->events.obj[f->event[i].number] != k->var[q->var])
            return true;
    return false;
}

static void ask_trace_checker(au_opener *k, const au_query *q, au_finding *f, au_check_result *r) {
    if (!k->checker)
        k->checker = au_checker_new(k->t);
    if (!goes_elsewhere(k, q, f) || !f->schedule.n) {
        au_checker_run(k->checker, f, r);
        return;
    }
    const au_turn *last = &f->schedule.turn[f->schedule.n - 1];
    au_finding run = *f;
    au_event_ref end = {.thread = last->thread, .index = last->upto};
    for (size_t e = 0; e < k->t->events.n; e++)
        if (k->t->events.thread[e] == last->thread && k->index[e] == last->upto)
            end.number = e;
    run.kind = AU_KIND_ASSERTION;
    run.event = &end;
    run.n_events = 1;
    au_checker_run(k->checker, &run, r);
}

bool au_opener_proves(au_opener *k, const au_query *q, const au_solution *s, au_finding *f) {
    /* Schedules that ignore values or synchronisation are for no checker: it stays possible. */
    if (k->p->semantics >= AU_SEM_CAM)
        return false;
    au_check_result r;
    au_model_seen_vec seen = {0};
    execute(k, f->kind, f->kind == AU_KIND_ASSERTION ? AU_NONE : q->var,
            q->kind == AU_ASK_STALE ? q->obj : AU_NONE, s, s->shown, &r, &seen);
    bool good = r.verdict == AU_CHECK_SHOWN;
    if (good) {
        au_finding copy = *f;
        copy.schedule = in_events(k, s, f);
        copy.spurious = s->spurious;
        if (q->kind == AU_ASK_STALE)
            copy.detail = au_stale_words(k->m, q->var, &r.lost, &k->c->findings.arena);
        else if (f->kind == AU_KIND_LOST)
            copy.detail = au_lost_words(k->m, q->var, &r.lost, &k->c->findings.arena);
        ask_trace_checker(k, q, &copy, &r);
        good = r.verdict == AU_CHECK_SHOWN || r.verdict == AU_CHECK_LOCKS_ONLY;
        if (good &&
            (f->kind == AU_KIND_ASSERTION || f->kind == AU_KIND_LOST || (k->s && !r.reads_kept)))
            keep_seen(k, &seen, &copy);
        if (good)
            *f = copy;
    }
    if (!good && k->sliced)
        au_check_inconclusive(k->c, "a %s needs more of the run than its slice: %s",
                              au_kind_name(f->kind), r.why);
    else if (!good)
        au_check_inconclusive(k->c,
                              "a bug of augur: the solver's schedule for a %s was refused by a "
                              "checker after %" PRIu64 " steps: %s",
                              au_kind_name(f->kind), r.step, r.why);
    au_vec_release(&seen);
    return good;
}

/* --- does a deadlock last? ------------------------------------------------------------------ */

static bool is_member(const au_opener *k, const au_solution *s, uint32_t thread) {
    for (size_t i = 0; i < s->event.n; i++)
        if (k->m->step.at[s->event.at[i].step].thread == thread)
            return true;
    return false;
}

static bool can_wait(const au_step *p) {
    return p->blocking || p->kind == AU_STEP_ACQ || p->kind == AU_STEP_RDACQ ||
           p->kind == AU_STEP_WRACQ || p->kind == AU_STEP_JOIN || p->kind == AU_STEP_WAKE ||
           p->kind == AU_STEP_LEAVE;
}

/* Who forks it may be a thread that waits. */
static bool has_started(const au_opener *k, const bool *done, uint32_t thread) {
    if (!k->m->thread.at[thread].forked)
        return true;
    for (size_t i = 0; i < k->m->step.n; i++) {
        const au_step *p = &k->m->step.at[i];
        if (p->kind == AU_STEP_FORK && p->obj == thread && done[au_query_event(k->m, p->id)])
            return true;
    }
    return false;
}

/* Threads that have executed all that the run has of them: has each really ended? One that was cut
 * off with the whole program, or is not followed to its end in the model, might have gone on; and where
 * main ends, so does the program. */
static bool others_ended(const au_opener *k, const au_solution *s, const bool *done) {
    const au_trace *t = k->t;
    for (uint32_t u = 0; u < k->m->thread.n; u++) {
        bool all = !is_member(k, s, u) && has_started(k, done, u);
        uint32_t node = k->m->thread.at[u].entry;
        for (size_t i = 0; i < k->m->observed.n && all; i++) {
            const au_step *p = &k->m->step.at[k->m->observed.at[i]];
            all = p->thread != u || done[au_query_event(k->m, p->id)];
            node = p->thread == u ? p->dst : node;
        }
        if (!all)
            continue;
        if (node != k->m->thread.at[u].exit)
            return false;
        au_op last = AU_OPS;
        for (size_t e = t->events.n; e-- > 0 && last == AU_OPS;)
            if (t->events.thread[e] == k->thread[u])
                last = t->events.op[e];
        if (last != AU_OP_EXIT || !k->m->thread.at[u].forked)
            return false;
    }
    return true;
}

/* An edge of the statement that can be taken now (which waiter a signal wakes), AU_NONE. */
static uint32_t enabled_edge(const au_observed *x, uint32_t step) {
    const au_step *p = &x->m->step.at[step];
    const au_node *n = &x->m->thread.at[p->thread].node.at[p->src];
    if (au_observed_enabled(x, step))
        return step;
    for (size_t i = 0; i < n->out.n; i++) {
        const au_step *e = &x->m->step.at[n->out.at[i]];
        if (au_query_event(x->m, e->id) == au_query_event(x->m, step) && !e->spurious &&
            au_observed_enabled(x, e->id))
            return e->id;
    }
    return AU_NONE;
}

/* The thread goes on along its steps of the run, from the at-th step of the run, as far as it can; where it is then. */
static size_t run_on(const au_opener *k, uint32_t thread, size_t at, au_observed *x, bool *done,
                     au_solution *s) {
    for (; at < k->m->observed.n; at++) {
        const au_step *p = &k->m->step.at[k->m->observed.at[at]];
        if (p->thread != thread || done[au_query_event(k->m, p->id)])
            continue;
        uint32_t e = enabled_edge(x, p->id);
        if (e == AU_NONE)
            break;
        au_observed_step(x, e, 0, false);
        au_vec_push(&s->schedule, e);
        if (k->m->step.at[e].havoc != AU_NONE)
            au_vec_push(&s->havoc, 0);
        done[au_query_event(k->m, e)] = true;
    }
    return at;
}

/* Lets the other threads run on along the run's steps until they end or wait. False: one
 * would go another way. */
static bool run_others(const au_opener *k, au_solution *s) {
    const au_model *m = k->m;
    size_t *at = au_alloc_array(m->thread.n + 1, sizeof *at), havoc = 0;
    bool *done = au_alloc_array(m->step.n + 1, sizeof *done), good = true;
    au_observed x;
    au_observed_init(&x, m);
    for (size_t i = 0; i < s->schedule.n; i++) {
        const au_step *p = &m->step.at[s->schedule.at[i]];
        bool chooses = p->havoc != AU_NONE && havoc < s->havoc.n;
        au_observed_step(&x, p->id, chooses ? s->havoc.at[havoc++] : 0, false);
        done[au_query_event(m, p->id)] = true;
    }
    for (size_t before = SIZE_MAX; before != s->schedule.n;) {
        before = s->schedule.n;
        for (uint32_t u = 0; u < m->thread.n; u++)
            if (!is_member(k, s, u) && has_started(k, done, u))
                at[u] = run_on(k, u, at[u], &x, done, s);
    }
    for (uint32_t u = 0; u < m->thread.n; u++)
        if (!is_member(k, s, u) && has_started(k, done, u) && at[u] < m->observed.n)
            good &= can_wait(&m->step.at[m->observed.at[at[u]]]);
    good = good && others_ended(k, s, done);
    au_observed_release(&x);
    free(done);
    free(at);
    s->shown = s->schedule.n;
    return good;
}

bool au_opener_lasts(const au_opener *k, au_solution *s) {
    AU_VEC(uint32_t) next = {0};
    for (size_t i = 0; i < s->event.n; i++)
        au_vec_push(&next, s->event.at[i].step);
    au_closed how = au_deadlock_closed(k->m, s->schedule.at, s->schedule.n, next.at, next.n);
    au_vec_release(&next);
    return how == AU_CLOSED_NOT_LOCKS ? run_others(k, s) : how == AU_CLOSED;
}
