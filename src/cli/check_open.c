/* cli/check_open.c: what the linear stages left open on a trace with values.
 *
 * The trace becomes a model in which what follows a read in its thread needs the value
 * that was read (not the write): whatever happens there, the program can do. A finding that a schedule of
 * this model shows is proved, if both checkers have executed the schedule: the one of
 * models that all values are right, the one of traces that it shows the finding. One that
 * no schedule shows cannot happen as long as reads see the values they saw; with
 * other values the program may go another way, about which the trace says nothing. */
#include "cli/exact.h"

#include "model/from_trace.h"
#include "solve/cheap.h"
#include "witness/check.h"
#include "witness/check_model.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    MOST_EVENTS = 200000, /* of a trace that becomes a model */
    MOST_OPEN = 1000,     /* questions */
    MOST_ALIKE = 8        /* of them about one variable and pair of locations */
};

static const char WHY_VALUES[] = "every read on the way sees the value it saw in the run, though "
                                 "not always of the same write";

typedef struct {
    const au_exact_plan *p;
    const au_trace *t;
    au_check_outcome *c;
    bool all; /* --all */
    au_model *m;
    uint32_t *step_of;      /* event: step */
    uint32_t *thread;       /* thread of the model: of the trace */
    size_t *event_of;       /* statement: the event at which it is taken; SIZE_MAX: none */
    uint64_t *index;        /* event: within its thread, from 1 */
    au_queries query;       /* the last one may be about all deadlocks */
    AU_VEC(size_t) finding; /* question: finding */
} opener;

static bool takes_step(const opener *k, size_t e) {
    au_op op = k->t->events.op[e];
    return k->step_of[e] != AU_NONE && op != AU_OP_WAIT && op != AU_OP_WAKE && op != AU_OP_REQ;
}

static void number_events(opener *k) {
    const au_trace *t = k->t;
    size_t threads = k->m->thread.n, names = t->names.thread.n;
    uint64_t *count = au_alloc_array(names, sizeof *count);
    k->thread = au_alloc_array(threads, sizeof *k->thread);
    k->event_of = au_alloc_array(k->m->step.n + 1, sizeof *k->event_of);
    memset(k->event_of, 0xff, (k->m->step.n + 1) * sizeof *k->event_of);
    k->index = au_alloc_array(t->events.n, sizeof *k->index);
    for (uint32_t i = 0; i < threads; i++)
        for (uint32_t j = 0; j < names; j++)
            if (!strcmp(k->m->thread.at[i].name, au_intern_str(&t->names.thread, j)))
                k->thread[i] = j;
    for (size_t e = 0; e < t->events.n; e++) {
        k->index[e] = ++count[t->events.thread[e]];
        if (takes_step(k, e))
            k->event_of[au_query_event(k->m, k->step_of[e])] = e;
    }
    free(count);
}

static bool writes(au_op op) {
    return op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW;
}

static bool is_open_deadlock(const au_finding *f) {
    return f->kind == AU_KIND_DEADLOCK && f->standing == AU_IS_POSSIBLE;
}

static bool make_query(const opener *k, const au_finding *f, au_query *q) {
    bool race = f->kind == AU_KIND_RACE && f->n_events == 2;
    bool block = f->kind == AU_KIND_ATOMICITY && f->n_events == 3;
    if (f->standing != AU_IS_POSSIBLE || !(race || block))
        return false;
    *q = (au_query){.kind = race ? AU_ASK_RACE : AU_ASK_ATOMICITY,
                    .step = {AU_NONE, AU_NONE, AU_NONE},
                    .var = AU_NONE,
                    .obj = AU_NONE,
                    .writer = AU_NONE};
    for (uint32_t i = 0; i < f->n_events; i++) {
        q->step[i] = k->step_of[f->event[i].number];
        if (q->step[i] == AU_NONE || !k->m->step.at[q->step[i]].n_accesses)
            return false;
        q->write[i] = f->detail[0] && block ? f->detail[i] == 'W' : writes(f->event[i].op);
        q->var = k->m->step.at[q->step[i]].access[0].var;
    }
    return true;
}

/* --- pairs that no linear stage has named ----------------------------------------------- */

/* Both sides of a race, the earlier event first. */
static void put_sides(const opener *k, const au_query *q, au_event_ref *e) {
    const au_columns *t = &k->t->events;
    size_t at[2] = {k->event_of[au_query_event(k->m, q->step[0])],
                    k->event_of[au_query_event(k->m, q->step[1])]};
    if (at[0] > at[1]) {
        size_t later = at[0];
        at[0] = at[1];
        at[1] = later;
    }
    for (int i = 0; i < 2; i++)
        e[i] = (au_event_ref){.number = at[i],
                              .index = k->index[at[i]],
                              .obj = t->obj[at[i]],
                              .loc = t->loc[at[i]],
                              .thread = t->thread[at[i]],
                              .op = t->op[at[i]]};
}

static bool same_places(const au_event_ref *a, const au_event_ref *b) {
    return a[0].obj == b[0].obj && ((a[0].loc == b[0].loc && a[1].loc == b[1].loc) ||
                                    (a[0].loc == b[1].loc && a[1].loc == b[0].loc));
}

/* Is this very pair listed, or one like it proved? */
static bool is_told(const opener *k, const au_event_ref *e) {
    for (size_t i = 0; i < k->c->findings.finding.n; i++) {
        const au_finding *f = &k->c->findings.finding.at[i];
        if (f->kind != AU_KIND_RACE || f->n_events != 2)
            continue;
        if (f->event[0].number == e[0].number && f->event[1].number == e[1].number)
            return true;
        if (!k->all && f->standing == AU_IS_PROVED && same_places(f->event, e))
            return true;
    }
    return false;
}

/* Races that need critical sections in another order, or a read on another write of the
 * same value, are found by no linear stage: of a short trace every pair is asked about. */
static void add_pairs(opener *k) {
    au_error err = AU_ERROR_NONE;
    au_cssa_options o = {AU_SEM_CTP, false, false};
    au_cssa *c = au_cssa_new(k->m, &o, &err);
    if (!c)
        return; /* too large: the workers will say so */
    au_queries q = {0};
    au_cheap *h = au_cheap_new(c);
    size_t from = k->query.n;
    au_queries_of(c, AU_PROP_RACE, AU_ATOMIC_NONE, false, &q);
    for (size_t i = 0; i < q.n && k->query.n < MOST_OPEN; i++) {
        if (au_cheap_stage(h, &q.at[i]) != AU_STAGES ||
            k->event_of[au_query_event(k->m, q.at[i].step[0])] == SIZE_MAX ||
            k->event_of[au_query_event(k->m, q.at[i].step[1])] == SIZE_MAX)
            continue;
        au_event_ref e[2], other[2];
        put_sides(k, &q.at[i], e);
        size_t alike = 0;
        for (size_t j = from; j < k->query.n && !k->all; j++) {
            put_sides(k, &k->query.at[j], other);
            alike += same_places(e, other);
        }
        if (alike >= MOST_ALIKE || is_told(k, e))
            continue;
        au_vec_push(&k->query, q.at[i]);
        au_vec_push(&k->finding, SIZE_MAX);
    }
    au_vec_release(&q);
    au_cheap_free(h);
    au_cssa_free(c);
}

/* --- schedules ---------------------------------------------------------------------------- */

/* The schedule in events of the trace. Events that are no steps come along with what stands
 * before them; what leads up to decisive events that come next is added. */
static au_schedule in_events(const opener *k, const au_solution *s, const au_finding *f) {
    const au_trace *t = k->t;
    size_t threads = t->names.thread.n;
    au_schedule out = {
        AU_ARENA_ARRAY(&k->c->findings.arena, au_sched_turn, s->schedule.n + f->n_events + 1), 0};
    uint64_t *upto = au_alloc_array(threads, sizeof *upto);
    for (size_t i = 0; i < s->shown; i++) {
        uint32_t who = k->m->step.at[s->schedule.at[i]].thread;
        size_t e = k->event_of[au_query_event(k->m, s->schedule.at[i])];
        if (e == SIZE_MAX)
            continue; /* what a read asks of what follows; a thread without events */
        uint64_t to = k->index[e];
        uint32_t name = k->thread[who];
        if (t->events.op[e] == AU_OP_REL)
            for (size_t n = e + 1; n < t->events.n; n++)
                if (t->events.thread[n] == name) {
                    to += t->events.op[n] == AU_OP_WAIT; /* rel and wait are one step */
                    break;
                }
        if (!out.n || out.turn[out.n - 1].thread != name)
            out.turn[out.n++].thread = (uint16_t)name;
        out.turn[out.n - 1].upto = upto[name] = to;
    }
    for (uint32_t i = 0; f->kind != AU_KIND_ATOMICITY && i < f->n_events; i++) {
        const au_event_ref *e = &f->event[i];
        if (upto[e->thread] >= e->index - 1)
            continue;
        if (!out.n || out.turn[out.n - 1].thread != e->thread)
            out.turn[out.n++].thread = e->thread;
        out.turn[out.n - 1].upto = upto[e->thread] = e->index - 1;
    }
    free(upto);
    return out;
}

/* Do both checkers agree? */
static bool proves(const opener *k, au_checker *checker, const au_query *q, const au_solution *s,
                   au_finding *f) {
    au_check_result r;
    AU_VEC(au_model_event) event = {0};
    AU_VEC(au_sched_turn) turn = {0};
    size_t *done = au_alloc_array(k->m->thread.n, sizeof *done);
    for (size_t i = 0; i < s->event.n; i++)
        au_vec_push(&event, ((au_model_event){s->event.at[i].step, s->event.at[i].index}));
    for (size_t i = 0; i < s->shown; i++) {
        uint32_t who = k->m->step.at[s->schedule.at[i]].thread;
        if (!turn.n || au_vec_last(&turn).thread != who)
            au_vec_push(&turn, ((au_sched_turn){0, (uint16_t)who}));
        au_vec_last(&turn).upto = ++done[who];
    }
    au_model_finding mf = {.kind = f->kind,
                           .var = q->var,
                           .obj = AU_NONE,
                           .event = event.at,
                           .n_events = (uint32_t)event.n,
                           .schedule = {turn.at, (uint32_t)turn.n},
                           .whole = k->p->whole};
    au_model_check_schedule(k->m, &mf, &r, NULL);
    bool good = r.verdict == AU_CHECK_SHOWN;
    if (good) {
        au_finding copy = *f;
        copy.schedule = in_events(k, s, f);
        au_checker_run(checker, &copy, &r);
        good = r.verdict == AU_CHECK_SHOWN || r.verdict == AU_CHECK_LOCKS_ONLY;
        if (good)
            *f = copy;
    }
    if (!good)
        au_check_inconclusive(k->c,
                              "a bug of augur: the solver's schedule for a %s was refused by a "
                              "checker after %" PRIu64 " steps: %s",
                              au_kind_name(f->kind), r.step, r.why);
    au_vec_release(&turn);
    au_vec_release(&event);
    free(done);
    return good;
}

/* The same statements, in any order. */
static bool same_set(const opener *k, const au_finding *f, const au_solution *s) {
    if (f->n_events != s->event.n)
        return false;
    for (uint32_t i = 0; i < f->n_events; i++) {
        uint32_t step = k->step_of[f->event[i].number];
        bool found = false;
        for (size_t j = 0; j < s->event.n && step != AU_NONE; j++)
            found |= au_query_event(k->m, s->event.at[j].step) == au_query_event(k->m, step);
        if (!found)
            return false;
    }
    return true;
}

/* The solutions are all deadlocks that there are, unless the answer says otherwise. */
static void take_deadlocks(opener *k, au_checker *checker, const au_query *q,
                           const au_exact_answer *a, bool *drop) {
    bool all = a->end == AU_EXACT_REFUTED || (a->end == AU_EXACT_FOUND && !*a->why);
    if (a->end == AU_EXACT_SKIPPED)
        return;
    if (!all)
        au_check_inconclusive(k->c, "deadlocks: %s", a->why);
    for (size_t i = 0; i < k->c->findings.finding.n; i++) {
        au_finding *f = &k->c->findings.finding.at[i];
        if (!is_open_deadlock(f))
            continue;
        const au_solution *s = NULL;
        for (size_t j = 0; j < a->solution.n && !s; j++)
            if (same_set(k, f, &a->solution.at[j]))
                s = &a->solution.at[j];
        if (s && proves(k, checker, q, s, f)) {
            f->standing = AU_IS_PROVED;
            f->why = WHY_VALUES;
        }
        drop[i] = !s && all && !k->p->first;
    }
}

/* An update that comes last in its thread may replace any value; the model pins it. */
static bool rests_on_rmw(const au_finding *f) {
    return f->kind == AU_KIND_ATOMICITY &&
           (f->event[1].op == AU_OP_RMW || f->event[2].op == AU_OP_RMW);
}

/* A pair that was not listed. */
static void tell_pair(opener *k, au_checker *checker, const au_query *q, const au_solution *s) {
    static const char *const detail[4] = {"RR", "RW", "WR", "WW"};
    au_event_ref e[2];
    put_sides(k, q, e);
    if (is_told(k, e))
        return;
    au_finding *f = au_findings_add(&k->c->findings, AU_KIND_RACE, 2);
    memcpy(f->event, e, sizeof e);
    f->obj = e[0].obj;
    f->detail = detail[writes(e[0].op) << 1 | writes(e[1].op)];
    f->standing = AU_IS_PROVED;
    f->why = WHY_VALUES;
    if (!proves(k, checker, q, s, f))
        k->c->findings.finding.n--;
}

static void take_answers(opener *k, const au_exact *e, bool *drop) {
    au_checker *checker = au_checker_new(k->t);
    bool windows = au_exact_in_windows(k->p, k->m);
    size_t narrow = 0;
    for (size_t i = 0; i < k->query.n; i++) {
        const au_exact_answer *a = &e->answer[i];
        if (k->query.at[i].kind == AU_ASK_DEADLOCK) {
            take_deadlocks(k, checker, &k->query.at[i], a, drop);
            continue;
        }
        if (k->finding.at[i] == SIZE_MAX && a->end != AU_EXACT_OPEN &&
            a->end != AU_EXACT_DISAGREE) {
            if (a->end == AU_EXACT_FOUND && a->solution.n)
                tell_pair(k, checker, &k->query.at[i], &a->solution.at[0]);
            continue;
        }
        au_finding *f =
            k->finding.at[i] == SIZE_MAX ? NULL : &k->c->findings.finding.at[k->finding.at[i]];
        if (a->end == AU_EXACT_FOUND && a->solution.n) {
            if (proves(k, checker, &k->query.at[i], &a->solution.at[0], f)) {
                f->standing = AU_IS_PROVED;
                f->why = WHY_VALUES;
            }
        } else if (a->end == AU_EXACT_REFUTED && !rests_on_rmw(f)) {
            drop[k->finding.at[i]] = true;
        } else if (a->end == AU_EXACT_OPEN && windows) {
            narrow++;
        } else if (a->end == AU_EXACT_OPEN || a->end == AU_EXACT_DISAGREE) {
            char *what = au_exact_question(k->m, &k->query.at[i]);
            k->c->disagreed |= a->end == AU_EXACT_DISAGREE;
            au_check_inconclusive(k->c, "%s: %s", what, a->why);
            free(what);
        }
    }
    if (windows)
        au_check_note(k->c,
                      "the trace is long: the exact stage looked at %zu findings in windows of %zu "
                      "steps (--window); %zu of them stay possible",
                      k->query.n, k->p->window, narrow);
    au_checker_free(checker);
}

static void keep_rest(opener *k, const bool *drop, bool all) {
    au_check_outcome *c = k->c;
    size_t kept = 0, dropped = 0;
    for (size_t i = 0; i < c->findings.finding.n; i++) {
        dropped += drop[i];
        if (drop[i])
            c->findings.finding.at[i].why =
                "no interleaving in which every read sees the value it saw shows it";
        if (!drop[i] || all)
            c->findings.finding.at[kept++] = c->findings.finding.at[i];
    }
    c->findings.finding.n = kept;
    if (dropped && !all)
        au_check_note(c,
                      "%zu possible findings cannot happen as long as reads see the values they "
                      "saw (--all lists them)",
                      dropped);
}

static uint64_t count_vars(const au_check_outcome *c, const bool *drop) {
    uint64_t n = 0;
    for (size_t i = 0; i < c->findings.finding.n; i++) {
        const au_finding *f = &c->findings.finding.at[i];
        bool fresh = f->kind == AU_KIND_RACE && !drop[i] && f->standing != AU_IS_REFUTED;
        for (size_t j = 0; j < i && fresh; j++)
            fresh = c->findings.finding.at[j].kind != AU_KIND_RACE || drop[j] ||
                    c->findings.finding.at[j].obj != f->obj;
        n += fresh;
    }
    return n;
}

/* In the units of the stages before: races are counted by variable. */
static void count_left(au_check_outcome *c, const bool *drop) {
    uint64_t dropped[AU_KINDS] = {0};
    for (size_t i = 0; i < c->findings.finding.n; i++)
        dropped[c->findings.finding.at[i].kind] += drop[i];
    for (int k = AU_KIND_RACE; k <= AU_KIND_DEADLOCK; k++) {
        const uint64_t *left = c->funnel[k].left;
        uint64_t before = left[AU_STAGE_GRAPH] != AU_STAGE_UNKNOWN ? left[AU_STAGE_GRAPH]
                                                                   : left[AU_STAGE_LOCKSET];
        if (c->looked_for[k] && before != AU_STAGE_UNKNOWN)
            c->funnel[k].left[AU_STAGE_SOLVER] =
                k == AU_KIND_RACE ? count_vars(c, drop)
                                  : before - (dropped[k] < before ? dropped[k] : before);
    }
}

static void release(opener *k) {
    free(k->event_of);
    free(k->thread);
    free(k->index);
    free(k->step_of);
    au_vec_release(&k->query);
    au_vec_release(&k->finding);
    au_model_free(k->m);
}

static bool worth_it(const au_trace *t, const au_check_outcome *c) {
    bool open = false;
    for (size_t i = 0; i < c->findings.finding.n; i++)
        open |= c->findings.finding.at[i].standing == AU_IS_POSSIBLE;
    return (open || c->looked_for[AU_KIND_RACE]) && t->events.any_value &&
           t->names.thread.n <= AU_MAX_THREADS;
}

au_status au_check_open(const au_exact_plan *p, const au_trace *t, bool all, au_check_outcome *c,
                        au_error *err) {
    if (p->last < AU_STAGE_SOLVER || !worth_it(t, c))
        return AU_OK;
    if (t->events.n > MOST_EVENTS) {
        au_check_note(c, "the exact stage was not asked: it takes traces of up to %d events",
                      MOST_EVENTS);
        return AU_OK;
    }
    opener k = {.p = p, .t = t, .c = c, .all = all};
    au_error why = AU_ERROR_NONE;
    k.m = au_model_from_trace_open(t, &k.step_of, &why);
    if (!k.m) {
        au_check_note(c, "the exact stage was not asked: %s", why.text);
        return AU_OK;
    }
    number_events(&k);
    for (size_t i = 0; i < c->findings.finding.n && k.query.n < MOST_OPEN; i++) {
        au_query q;
        if (make_query(&k, &c->findings.finding.at[i], &q)) {
            au_vec_push(&k.query, q);
            au_vec_push(&k.finding, i);
        }
    }
    if (c->looked_for[AU_KIND_RACE] && !au_exact_in_windows(p, k.m))
        add_pairs(&k);
    if (k.query.n == MOST_OPEN)
        au_check_note(c, "the exact stage was asked %d questions only", MOST_OPEN);
    bool deadlock = false;
    for (size_t i = 0; i < c->findings.finding.n && !au_exact_in_windows(p, k.m); i++)
        deadlock |= is_open_deadlock(&c->findings.finding.at[i]);
    if (deadlock)
        au_vec_push(&k.query, ((au_query){.kind = AU_ASK_DEADLOCK,
                                          .step = {AU_NONE, AU_NONE, AU_NONE},
                                          .var = AU_NONE,
                                          .obj = AU_NONE,
                                          .writer = AU_NONE}));
    au_exact e = {p, k.m, &k.query, NULL, {0}};
    au_status st = au_exact_ask(&e, err);
    bool *drop = au_alloc_array(c->findings.finding.n + k.query.n + 1, sizeof *drop);
    take_answers(&k, &e, drop);
    count_left(c, drop);
    keep_rest(&k, drop, all);
    free(drop);
    au_exact_release(&e);
    release(&k);
    return st;
}
