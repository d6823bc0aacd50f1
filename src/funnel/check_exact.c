/* funnel/check_exact.c: the exact stage over a model: questions, the cheap stages before it,
 * and the checker's word on each schedule that it gives.
 *
 * requires: a model without loops whose observed run is filled in; fills: findings,
 * funnel, inconclusive, notes. */
#include "funnel/lost.h"
#include "funnel/model_work.h"
#include "funnel/stages_priv.h"
#include "solve/cheap.h"
#include "trace/place.h"
#include "witness/check_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const au_kind kind_of[AU_ASK_KINDS] = {
    [AU_ASK_ASSERT] = AU_KIND_ASSERTION,    [AU_ASK_RACE] = AU_KIND_RACE,
    [AU_ASK_ATOMICITY] = AU_KIND_ATOMICITY, [AU_ASK_DEADLOCK] = AU_KIND_DEADLOCK,
    [AU_ASK_MISUSE] = AU_KIND_MISUSE,       [AU_ASK_NONDET] = AU_KIND_NONDET,
    [AU_ASK_REACH] = AU_KIND_ASSERTION,     [AU_ASK_LOST] = AU_KIND_LOST,
    [AU_ASK_STALE] = AU_KIND_LOST};

/* --- questions as text ------------------------------------------------------------------ */

static void put_place(au_out *o, const au_model *m, uint32_t step, const char *none) {
    if (step == AU_NONE) {
        au_out_str(o, none);
        return;
    }
    const au_step *s = &m->step.at[step];
    if (*au_step_label(m, s))
        au_out_str(o, au_step_label(m, s));
    else
        au_out_printf(o, "line %u", s->line);
    au_out_printf(o, " of %s", m->thread.at[s->thread].name);
}

static const char *pattern_of(const au_query *q) {
    static const char *const name[8] = {"RRR", "RRW", "RWR", "RWW", "WRR", "WRW", "WWR", "WWW"};
    return name[q->write[0] << 2 | q->write[1] << 1 | q->write[2]];
}

char *au_exact_question(const au_model *m, const au_query *q) {
    static const char *const before[AU_ASK_KINDS] = {
        [AU_ASK_ASSERT] = "assertion ",         [AU_ASK_RACE] = "race between ",
        [AU_ASK_ATOMICITY] = "between ",        [AU_ASK_DEADLOCK] = "deadlock",
        [AU_ASK_MISUSE] = "lock misuse ",       [AU_ASK_NONDET] = "read ",
        [AU_ASK_REACH] = "reaching ",           [AU_ASK_LOST] = "lost update from ",
        [AU_ASK_STALE] = "stale decision from "};
    au_out *o = au_out_memory();
    au_out_str(o, before[q->kind]);
    if (q->kind != AU_ASK_DEADLOCK)
        put_place(o, m, q->step[0], "at the end");
    if (q->kind == AU_ASK_RACE || q->kind == AU_ASK_ATOMICITY) {
        au_out_str(o, " and ");
        put_place(o, m, q->step[q->kind == AU_ASK_RACE ? 1 : 2], "");
    }
    if (q->kind == AU_ASK_LOST || q->kind == AU_ASK_STALE) {
        au_out_str(o, " to ");
        put_place(o, m, q->step[2], "");
    }
    if (q->kind == AU_ASK_ATOMICITY) {
        au_out_printf(o, " comes (%s) ", pattern_of(q));
        put_place(o, m, q->step[1], "");
    }
    if (q->kind == AU_ASK_NONDET) {
        au_out_str(o, " sees ");
        put_place(o, m, q->writer, "the initial value");
    }
    if (q->var != AU_NONE && q->kind != AU_ASK_DEADLOCK && q->kind != AU_ASK_ASSERT)
        au_out_printf(o, " ('%s')", m->var.at[q->var].name);
    char *text = au_strdup(au_out_memory_data(o, NULL));
    au_out_abandon(o);
    return text;
}

/* --- findings ---------------------------------------------------------------------------- */

typedef struct {
    const au_plan *p;
    struct au_answers *answers;
    const au_model *m;
    const au_model_view *view;
    au_check_outcome *c;
} teller;

static const char *misuse_of(const au_model *m, const au_query *q) {
    if (q->at_end)
        return "held when its thread ends";
    switch (m->step.at[q->step[0]].kind) {
    case AU_STEP_REL:
        return "unlock of a lock not held";
    case AU_STEP_WAIT:
        return "wait without the lock";
    default:
        return "lock taken twice";
    }
}

static const char *detail_of(const au_model *m, const au_query *q) {
    switch (q->kind) {
    case AU_ASK_ATOMICITY:
        return pattern_of(q);
    case AU_ASK_MISUSE:
        return misuse_of(m, q);
    case AU_ASK_REACH:
        return "reached";
    case AU_ASK_NONDET:
        return q->step[0] == AU_NONE  ? "the last write can be another one"
               : q->writer == AU_NONE ? "it can see the initial value"
                                      : "";
    default:
        return "";
    }
}

static au_schedule turns(const teller *t, const au_solution *s, size_t steps) {
    au_schedule out = {AU_ARENA_ARRAY(&t->c->findings.arena, au_turn, steps + 1), 0};
    uint64_t *done = au_alloc_array(t->m->thread.n, sizeof *done);
    for (size_t i = 0; i < steps; i++) {
        uint32_t who = t->m->step.at[s->schedule.at[i]].thread;
        if (!out.n || out.turn[out.n - 1].thread != who)
            out.turn[out.n++].thread = (uint16_t)who;
        out.turn[out.n - 1].upto = ++done[who];
    }
    free(done);
    return out;
}

static void keep_seen(const teller *t, const au_model_seen_vec *seen, au_finding *f) {
    f->seen = AU_ARENA_ARRAY(&t->c->findings.arena, au_access_seen, seen->n + 1);
    for (size_t i = 0; i < seen->n; i++) {
        const au_model_seen *s = &seen->at[i];
        if (t->view->var[s->var] == AU_NONE)
            continue;
        f->seen[f->n_seen++] =
            (au_access_seen){.index = s->index,
                             .value = au_model_view_value(t->m, s->var, s->value),
                             .var = t->view->var[s->var],
                             .thread = (uint16_t)t->m->step.at[s->step].thread,
                             .write = s->write};
    }
}

/* The last write of the variable on the schedule. */
static uint32_t last_writer(const au_model_seen_vec *seen, uint32_t var) {
    for (size_t i = seen->n; i-- > 0;)
        if (seen->at[i].write && seen->at[i].var == var)
            return seen->at[i].step;
    return AU_NONE;
}

/* The checker executes the schedule. For two questions it has no rule: whether a place is
 * reached and what the last write is can be read off what it executed. */
static au_check_verdict execute(const teller *t, const au_query *q, const au_solution *s,
                                const au_schedule *schedule, au_check_result *r,
                                au_model_seen_vec *seen) {
    bool end = q->kind == AU_ASK_NONDET && q->step[0] == AU_NONE;
    bool plain = end || q->kind == AU_ASK_REACH;
    AU_VEC(au_model_event) event = {0};
    for (size_t i = 0; i < s->event.n && !plain; i++)
        au_vec_push(&event, ((au_model_event){s->event.at[i].step, s->event.at[i].index}));
    au_model_finding f = {.kind = plain ? AU_KIND_ASSERTION : kind_of[q->kind],
                          .var = s->var,
                          .obj = s->obj,
                          .event = event.at,
                          .n_events = (uint32_t)event.n,
                          .schedule = *schedule,
                          .havoc = s->havoc.at,
                          .n_havoc = (uint32_t)s->havoc.n,
                          .whole = t->p->whole,
                          .valueless = t->p->semantics >= AU_SEM_CAM};
    au_model_check_schedule(t->m, &f, r, seen);
    au_vec_release(&event);
    if (!plain)
        return r->verdict;
    bool ran = r->verdict != AU_CHECK_STUCK && r->step == s->schedule.n;
    uint32_t reached = 0;
    for (size_t i = 0; i < s->schedule.n && q->kind == AU_ASK_REACH; i++)
        reached += t->m->step.at[s->schedule.at[i]].thread == t->m->step.at[q->step[0]].thread;
    if (ran && end)
        ran = last_writer(seen, q->var) == q->writer;
    else if (ran)
        ran = s->event.n && reached + 1 >= s->event.at[0].index;
    return !ran ? AU_CHECK_NOT_SHOWN : f.valueless ? AU_CHECK_LOCKS_ONLY : AU_CHECK_SHOWN;
}

static au_why why_possible(const au_plan *p) {
    return p->semantics == AU_SEM_CAM     ? AU_WHY_NO_VALUES
           : p->semantics == AU_SEM_LOCKS ? AU_WHY_LOCKS_ONLY
                                          : AU_WHY_NONE;
}

static void fill_events(const teller *t, const au_query *q, const au_solution *s, au_finding *f) {
    f->text = AU_ARENA_ARRAY(&t->c->findings.arena, au_event_text, f->n_events + 1);
    uint32_t *at_step = AU_ARENA_ARRAY(&t->c->findings.arena, uint32_t, f->n_events + 1);
    f->at_step = at_step;
    f->n_events = 0;
    for (size_t i = 0; i < s->event.n; i++) {
        if (s->event.at[i].step == AU_NONE)
            continue; /* the initial value, the end */
        au_model_view_event(t->view, s->event.at[i].step, s->event.at[i].index,
                            q->kind == AU_ASK_DEADLOCK ? AU_NONE : q->var, &f->event[f->n_events],
                            &f->text[f->n_events]);
        at_step[f->n_events] = s->event.at[i].step;
        f->n_events++;
    }
    if (q->kind == AU_ASK_MISUSE)
        f->obj = q->obj;
    else if (q->var != AU_NONE && q->kind != AU_ASK_ASSERT && q->kind != AU_ASK_DEADLOCK)
        f->obj = t->view->var[q->var];
}

/* A solution becomes a finding if the checker agrees. */
static bool tell(teller *t, const au_query *q, const au_solution *s) {
    au_check_result r;
    au_model_seen_vec seen = {0};
    au_schedule schedule = turns(t, s, s->schedule.n);
    /* With whole runs a race is in the middle of one. */
    au_schedule shown = turns(t, s, s->shown);
    au_check_verdict v = execute(t, q, s, &shown, &r, &seen);
    bool over = t->p->semantics >= AU_SEM_CAM;
    bool good = v == (over ? AU_CHECK_LOCKS_ONLY : AU_CHECK_SHOWN) ||
                t->p->semantics == AU_SEM_LOCKS; /* the checker knows all synchronisation */
    if (good) {
        au_finding *f = au_findings_add(&t->c->findings, kind_of[q->kind], (uint32_t)s->event.n);
        f->standing = over ? AU_IS_POSSIBLE : AU_IS_PROVED;
        if (over)
            au_finding_because(f, why_possible(t->p));
        else if (r.spurious)
            au_finding_because_of(f, &t->c->findings.arena, AU_WHY_CHECKER, r.why, NULL);
        f->detail = q->kind == AU_ASK_LOST
                        ? au_lost_words(t->m, s->var, &r.lost, &t->c->findings.arena)
                        : detail_of(t->m, q);
        f->schedule = schedule;
        f->n_steps = (uint32_t)s->schedule.n;
        uint32_t *step = AU_ARENA_ARRAY(&t->c->findings.arena, uint32_t, f->n_steps + 1);
        memcpy(step, s->schedule.at, f->n_steps * sizeof *step);
        f->step = step;
        f->spurious = s->spurious;
        fill_events(t, q, s, f);
        if (!over)
            keep_seen(t, &seen, f);
    } else {
        char *what = au_exact_question(t->m, q);
        au_check_inconclusive(t->c,
                              "a bug of augur: the solver's schedule was refused by the checker "
                              "after %" PRIu64 " steps (%s): %s",
                              r.step, what, r.why);
        free(what);
    }
    au_vec_release(&seen);
    return good;
}

/* --- the funnel ---------------------------------------------------------------------------- */

typedef au_model_work questions;

static bool names_line(const au_model *m, const au_step *s, const char *place) {
    const char *file = s->loc == AU_NONE ? m->file : au_intern_str(&m->strings, s->loc);
    return au_at_place(file, strlen(file), s->line, place);
}

/* --reach: a question for each statement that begins in that line. */
static au_status add_places(const au_plan *p, const au_model *m, au_queries *q, au_error *err) {
    for (size_t i = 0; i < p->n_reach; i++) {
        if (!au_is_place(p->reach[i]))
            return au_error_set(err, AU_EUSAGE, "--reach '%s' is not FILE:LINE", p->reach[i]);
        size_t before = q->n;
        for (uint32_t s = 0; s < m->step.n; s++)
            if (names_line(m, &m->step.at[s], p->reach[i]) && au_query_event(m, s) == s)
                au_vec_push(q, au_query_about(AU_ASK_REACH, s));
        if (q->n == before)
            return au_error_set(err, AU_EUSAGE, "no statement at '%s'", p->reach[i]);
    }
    return AU_OK;
}

static au_status collect(const au_plan *p, const au_model *m, questions *q, au_error *err) {
    au_cssa_options o = {p->semantics, p->whole, p->bound != AU_NONE, false};
    q->c = au_cssa_new(m, &o, err);
    if (!q->c)
        return err->status;
    if (p->props)
        au_queries_of(q->c, p->props, au_plan_atomic(p), false, &q->all);
    return add_places(p, m, &q->all, err);
}

/* intervals: that stage is there. */
static void note_props(const au_plan *p, bool intervals, au_check_outcome *c) {
    static const struct {
        unsigned prop;
        au_kind kind;
        const char *unit;
    } row[] = {{AU_PROP_RACE, AU_KIND_RACE, "pairs"},
               {AU_PROP_ATOMICITY, AU_KIND_ATOMICITY, "triples"},
               {AU_PROP_DEADLOCK, AU_KIND_DEADLOCK, "sets"},
               {AU_PROP_ASSERT, AU_KIND_ASSERTION, "statements"},
               {AU_PROP_NONDET, AU_KIND_NONDET, "reads and writes"},
               {AU_PROP_LOCKS, AU_KIND_MISUSE, "uses"},
               {AU_PROP_LOST, AU_KIND_LOST, "reads and writes"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        bool asked =
            au_plan_wants(p, row[i].prop) || (row[i].kind == AU_KIND_ASSERTION && p->n_reach);
        if (row[i].kind == AU_KIND_LOST) /* solve/lost.h */
            asked &= p->semantics == AU_SEM_CTP && !p->whole && p->bound == AU_NONE;
        if (!asked)
            continue;
        c->looked_for[row[i].kind] = true;
        c->funnel[row[i].kind].unit = row[i].unit;
        for (int s = AU_STAGE_CANDIDATES; s <= p->last; s++)
            if (s != AU_STAGE_GRAPH && (s != AU_STAGE_INTERVAL || intervals))
                c->funnel[row[i].kind].left[s] = 0;
    }
}

static void note_refuted(const au_plan *p, questions *q, const au_query *ask, int stage,
                         bool any_bound) {
    au_by_stage by = stage == AU_STAGE_MUST_HB    ? AU_BY_MUST_HB
                     : stage == AU_STAGE_LOCKSET  ? AU_BY_LOCKSET
                     : stage == AU_STAGE_INTERVAL ? AU_BY_INTERVAL
                                                  : AU_BY_SOLVER;
    if (p->certify)
        au_vec_push(&q->refuted,
                    ((au_certify_item){*ask, by, au_certify_not(p, ask, any_bound), 0}));
}

/* Counts, and keeps what the cheap stages leave. A deadlock question stands for sets that
 * nobody has counted. --model locks knows no fork and no join: there the stage is counted,
 * and the question is asked all the same. */
static void filter(const au_plan *p, questions *q, au_check_outcome *c) {
    au_cheap *h = au_cheap_new(q->c);
    for (size_t i = 0; i < q->all.n; i++) {
        uint64_t *left = c->funnel[kind_of[q->all.at[i].kind]].left;
        int stage = au_cheap_stage(h, &q->all.at[i]);
        if (stage == AU_STAGES && q->u && au_unreached_rules_out(q->u, &q->all.at[i])) {
            stage = AU_STAGE_INTERVAL;
            q->by_ranges[kind_of[q->all.at[i].kind]]++;
        }
        if (q->all.at[i].kind == AU_ASK_DEADLOCK)
            left[AU_STAGE_CANDIDATES] = left[AU_STAGE_MUST_HB] = left[AU_STAGE_LOCKSET] =
                left[AU_STAGE_INTERVAL] = AU_STAGE_UNKNOWN;
        for (int s = AU_STAGE_CANDIDATES; s < stage && s <= AU_STAGE_INTERVAL; s++)
            if (left[s] != AU_STAGE_UNKNOWN)
                left[s]++;
        bool ordered = stage == AU_STAGE_MUST_HB && p->semantics == AU_SEM_LOCKS;
        if (stage > p->last || stage == AU_STAGES || ordered) {
            au_vec_push(&q->asked, q->all.at[i]);
            au_vec_push(&q->ordered, ordered);
        } else {
            note_refuted(p, q, &q->all.at[i], stage, true);
        }
    }
    au_cheap_free(h);
}

/* --stages: what is left when it ends there is possible. */
static void tell_rest(teller *t, const questions *q) {
    for (size_t i = 0; i < q->asked.n; i++) {
        const au_query *a = &q->asked.at[i];
        au_solution s = {.answer = AU_UNKNOWN};
        if (a->kind == AU_ASK_DEADLOCK || q->ordered.at[i])
            continue;
        for (int k = 0; k < 3; k++)
            if (a->step[k] != AU_NONE)
                au_vec_push(&s.event, ((au_solved_event){a->step[k], 0}));
        au_finding *f = au_findings_add(&t->c->findings, kind_of[a->kind], (uint32_t)s.event.n);
        au_finding_because(f, AU_WHY_NOT_ASKED);
        f->detail = detail_of(t->m, a);
        fill_events(t, a, &s, f);
        au_solution_release(&s);
    }
}

typedef struct {
    uint64_t asked, found, refuted, lifted, open;
} tally;

static void note_bounds(const au_plan *p, const tally *n, au_check_outcome *c) {
    for (int k = 0; k < AU_KINDS && p->bound != AU_NONE; k++) {
        const char *kind = au_kind_name((au_kind)k);
        if (!n[k].refuted)
            continue;
        if (n[k].lifted == n[k].asked)
            au_check_note(c, "%s: holds for any number of switches", kind);
        else if (n[k].lifted)
            au_check_note(c,
                          "%s: %" PRIu64 " of %" PRIu64
                          " questions refuted for any number of switches, %" PRIu64
                          " only up to %" PRIu32,
                          kind, n[k].lifted, n[k].asked, n[k].refuted - n[k].lifted, p->bound);
        else
            au_check_note(c, "%s: refuted up to %" PRIu32 " switches only", kind, p->bound);
    }
}

static void take_answers(teller *t, questions *q, const au_exact *e) {
    tally n[AU_KINDS] = {0};
    au_check_outcome *c = t->c;
    uint64_t skipped = 0;
    for (size_t i = 0; i < q->asked.n; i++) {
        const au_exact_answer *a = &e->answer[i];
        const au_query *ask = &q->asked.at[i];
        au_kind kind = kind_of[ask->kind];
        tally *k = &n[kind];
        k->asked++;
        for (size_t j = 0; j < a->solution.n; j++)
            if (tell(t, ask, &a->solution.at[j])) {
                if (!j)
                    au_vec_push(&q->shown, *ask);
                k->found += !q->ordered.at[i];
                if (q->ordered.at[i])
                    au_finding_because(&au_vec_last(&c->findings.finding), AU_WHY_LOCKS_ORDERED);
            }
        if (a->end == AU_EXACT_FOUND && *a->why)
            au_check_inconclusive(c, "there may be more deadlocks: %s", a->why);
        k->refuted += a->end == AU_EXACT_REFUTED;
        k->lifted += a->end == AU_EXACT_REFUTED && a->any_bound;
        skipped += a->end == AU_EXACT_SKIPPED;
        if (a->end == AU_EXACT_SKIPPED && e->cut)
            k->open += !q->ordered.at[i];
        if (a->end != AU_EXACT_OPEN && a->end != AU_EXACT_DISAGREE)
            continue;
        k->open += !q->ordered.at[i];
        c->disagreed |= a->end == AU_EXACT_DISAGREE;
        char *what = au_exact_question(t->m, ask);
        au_check_inconclusive(
            c, a->end == AU_EXACT_OPEN ? "%s: %s" : "%s: the backends disagree: %s", what, a->why);
        free(what);
    }
    for (int k = 0; k < AU_KINDS; k++) {
        if (c->looked_for[k])
            c->funnel[k].left[AU_STAGE_SOLVER] = n[k].found + n[k].open;
        q->open += n[k].open;
        n[k].asked += q->by_ranges[k];
        n[k].refuted += q->by_ranges[k];
        n[k].lifted += q->by_ranges[k];
    }
    if (e->cut)
        au_check_cut(c, "%zu of %zu questions not answered", e->cut, q->asked.n);
    else if (skipped && !t->answers)
        au_check_note(c, "%" PRIu64 " questions not asked (--first)", skipped);
    note_bounds(t->p, n, c);
}

static teller teller_of(au_check_run *r) {
    return (teller){r->plan, r->answers, r->model, r->view, &r->outcome};
}

au_status au_stage_questions(au_check_run *r, au_error *err) {
    const au_plan *p = r->plan;
    au_check_outcome *c = &r->outcome;
    questions *q = r->work->questions = AU_NEW(questions);
    if (au_model_is_weak(r->model)) {
        if (p->certify)
            return au_error_set(err, AU_EUNSUPPORTED,
                                "'--certify' proves what no interleaving does, and '%s' has memory "
                                "orders weaker than seq_cst: leave '--certify' out",
                                r->model->file);
        if ((p->executions == AU_MEMORY_SC || r->answers) && !p->memory_asked)
            au_check_inconclusive(c, "%s", AU_MODEL_WEAK);
    }
    c->events = r->model->observed.n;
    c->locks = r->view->locks;
    if (au_exact_in_windows(p, r->model))
        au_check_note(c, "long run: the exact stage works in windows of up to %zu steps (--window)",
                      p->window);
    if (p->semantics == AU_SEM_CTP && p->last >= AU_STAGE_INTERVAL)
        q->u = au_unreached_of(r->model, au_exact_graph(p), p->whole, false);
    note_props(p, q->u, c);
    return collect(p, r->model, q, err);
}

au_status au_stage_cheap(au_check_run *r, au_error *err) {
    (void)err;
    filter(r->plan, r->work->questions, &r->outcome);
    return AU_OK;
}

static au_status certify(au_check_run *r, au_error *err) {
    if (!r->plan->certify)
        return AU_OK;
    return au_certify_add(r->plan, r->model, &r->work->questions->refuted, &r->outcome, err);
}

au_status au_stage_rest(au_check_run *r, au_error *err) {
    teller t = teller_of(r);
    tell_rest(&t, r->work->questions);
    return certify(r, err);
}

au_status au_stage_exact(au_check_run *r, au_error *err) {
    questions *q = r->work->questions;
    teller t = teller_of(r);
    au_exact e = {.plan = r->plan,
                  .answers = r->answers,
                  .m = r->model,
                  .query = &q->asked,
                  .ranges = q->u ? au_unreached_ranges(q->u) : NULL};
    au_status st = au_exact_ask(&e, err);
    if (st == AU_OK)
        take_answers(&t, q, &e);
    for (size_t i = 0; i < q->asked.n && st == AU_OK; i++)
        if (e.answer[i].end == AU_EXACT_REFUTED)
            note_refuted(r->plan, q, &q->asked.at[i], AU_STAGE_SOLVER, e.answer[i].any_bound);
    au_exact_release(&e);
    return st == AU_OK ? certify(r, err) : st;
}

void au_model_work_free(questions *q) {
    if (!q)
        return;
    au_unreached_free(q->u);
    au_cssa_free(q->c);
    au_vec_release(&q->all);
    au_vec_release(&q->asked);
    au_vec_release(&q->shown);
    au_vec_release(&q->ordered);
    au_vec_release(&q->refuted);
    free(q);
}
