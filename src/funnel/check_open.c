/* funnel/check_open.c: what the linear stages left open on a trace with values.
 *
 * The trace becomes a model. Of a recording whose program is at hand it knows how the values
 * came about (knowledge.h): a read may then see another value, as long as every thread still
 * goes the way it went, and assertions are asked about. Otherwise what follows a read in its
 * thread needs the value that was read (not the write). Either way whatever happens there, the
 * program can do. A finding that a schedule of this model shows is proved, if both checkers have executed
 * the schedule: the one of models that all values are right, the one of traces that it shows
 * the finding. One that no schedule shows cannot happen as long as the threads go the same
 * way; about other ways the trace says nothing. */
#include "base/deadline.h"
#include "funnel/certify.h"
#include "funnel/lost.h"
#include "funnel/stages_priv.h"

#include "model/from_trace.h"
#include "solve/cheap.h"

#include <inttypes.h>
#include <stdio.h>

/* Seconds for the question whether threads can wait for each other at all, where no lock order
 * suggests it and nobody asked for more. */
static const double SECONDS_TO_WAIT = 5;

static bool is_open_deadlock(const au_finding *f) {
    return f->kind == AU_KIND_DEADLOCK && f->standing == AU_IS_POSSIBLE;
}

static bool accesses(const au_step *s, uint32_t var) {
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (s->access[i].var == var)
            return true;
    return false;
}

/* --- questions ---------------------------------------------------------------------------- */

bool au_opener_query(const au_opener *k, const au_finding *f, au_query *q) {
    bool race = f->kind == AU_KIND_RACE && f->n_events == 2;
    bool block = f->kind == AU_KIND_ATOMICITY && f->n_events == 3;
    if (f->standing != AU_IS_POSSIBLE || !(race || block))
        return false;
    *q = au_query_about(race ? AU_ASK_RACE : AU_ASK_ATOMICITY, AU_NONE);
    q->atomic =
        AU_ATOMIC_GIVEN; /* the linear stage knows blocks that a model does not: functions */
    q->var = k->inside[k->t->events.obj[f->event[0].number]];
    for (uint32_t i = 0; i < f->n_events; i++) {
        q->step[i] = k->step_of[f->event[i].number];
        if (q->step[i] == AU_NONE || q->var == AU_NONE ||
            !accesses(&k->m->step.at[q->step[i]], q->var))
            return false;
        q->write[i] =
            f->detail[0] && block ? f->detail[i] == 'W' : au_opener_writes(f->event[i].op);
    }
    au_opener_sharpen(k, q);
    return true;
}

static void ask(au_opener *k, au_query q, size_t finding) {
    au_vec_push(&k->query, q);
    au_vec_push(&k->finding, finding);
}

/* By must-hb or lockset. */
static bool is_ruled_out(au_opener *k, const au_cheap *h, const au_query *q) {
    int stage = au_cheap_stage(h, q);
    if (stage != AU_STAGES)
        au_opener_rule_out(k, q, stage == AU_STAGE_MUST_HB ? AU_BY_MUST_HB : AU_BY_LOCKSET);
    return stage != AU_STAGES;
}

/* Races that need critical sections in another order, or a read on another write, are found by no
 * linear stage: of a short trace every pair is asked about. */
static void add_pairs(au_opener *k) {
    au_error err = AU_ERROR_NONE;
    au_cssa_options o = {AU_SEM_CTP, false, false, true};
    au_cssa *c = au_cssa_new(k->m, &o, &err);
    if (!c && au_deadline_over())
        au_check_cut(k->c, "races beyond the linear stages' were not asked about");
    if (!c)
        return; /* too large: the workers will say so */
    au_queries q = {0};
    au_cheap *h = au_cheap_new(c);
    size_t from = k->query.n;
    au_queries_of(c, AU_PROP_RACE, AU_ATOMIC_NONE, false, &q);
    for (size_t i = 0; i < q.n && k->query.n < au_limit_value(AU_AT_OPEN_QUESTIONS); i++) {
        if (au_opener_event(k, q.at[i].step[0], q.at[i].var) == SIZE_MAX ||
            au_opener_event(k, q.at[i].step[1], q.at[i].var) == SIZE_MAX ||
            is_ruled_out(k, h, &q.at[i]))
            continue;
        au_event_ref e[2], other[2];
        au_opener_sharpen(k, &q.at[i]);
        au_opener_sides(k, &q.at[i], e);
        size_t alike = 0;
        for (size_t j = from; j < k->query.n && !k->p->all; j++) {
            au_opener_sides(k, &k->query.at[j], other);
            alike += au_opener_alike(k, e, other);
        }
        if (au_opener_told(k, e))
            continue;
        if (alike < au_limit_value(AU_AT_OPEN_ALIKE))
            ask(k, q.at[i], SIZE_MAX);
        else
            au_vec_push(&k->alike, q.at[i]);
    }
    au_vec_release(&q);
    au_cheap_free(h);
    au_cssa_free(c);
}

static const char *pattern_of(const au_query *q) {
    static const char *const name[8] = {"RRR", "RRW", "RWR", "RWW", "WRR", "WRW", "WWR", "WWW"};
    return name[q->write[0] << 2 | q->write[1] << 1 | q->write[2]];
}

/* The finding that is this triple; SIZE_MAX: none. */
static size_t listed_triple(const au_opener *k, const au_query *q, const size_t *event) {
    for (size_t i = 0; i < k->c->findings.finding.n; i++) {
        const au_finding *f = &k->c->findings.finding.at[i];
        if (f->kind == AU_KIND_ATOMICITY && f->n_events == 3 && f->event[0].number == event[0] &&
            f->event[1].number == event[1] && f->event[2].number == event[2] &&
            !strcmp(f->detail, pattern_of(q)))
            return i;
    }
    return SIZE_MAX;
}

static void ask_triples(au_opener *k, const au_queries *open) {
    for (size_t i = 0; i < open->n; i++) {
        au_query q = open->at[i];
        size_t event[3];
        bool known = true;
        for (int j = 0; j < 3; j++) {
            event[j] = au_opener_access(k, q.step[j], q.var, q.write[j]);
            if (event[j] == SIZE_MAX)
                event[j] = au_opener_event(k, q.step[j], q.var);
            known &= event[j] != SIZE_MAX;
        }
        au_opener_sharpen(k, &q);
        if (known)
            ask(k, q, listed_triple(k, &q, event));
    }
}

/* Every triple of accesses that could break an atomic block, as the papers count them; the
 * linear stages tell one of each kind. Nothing, if they are too many. */
static void add_triples(au_opener *k) {
    au_error err = AU_ERROR_NONE;
    au_cssa_options o = {AU_SEM_CTP, false, false, true};
    au_cssa *c = au_cssa_new(k->m, &o, &err);
    if (!c && au_deadline_over())
        au_check_cut(k->c, "broken blocks beyond the linear stages' were not asked about");
    if (!c)
        return;
    au_cheap *h = au_cheap_new(c);
    uint64_t left[AU_STAGES] = {0};
    au_queries q = {0}, open = {0};
    au_queries_of(c, AU_PROP_ATOMICITY, au_plan_atomic(k->p), false, &q);
    for (size_t i = 0; i < q.n && q.n <= au_limit_value(AU_AT_OPEN_TRIPLES); i++) {
        int stage = au_cheap_stage(h, &q.at[i]);
        for (int s = AU_STAGE_CANDIDATES; s < stage && s <= AU_STAGE_LOCKSET; s++)
            left[s]++;
        if (stage == AU_STAGES)
            au_vec_push(&open, q.at[i]);
    }
    if (q.n <= au_limit_value(AU_AT_OPEN_TRIPLES) &&
        k->query.n + open.n <= au_limit_value(AU_AT_OPEN_QUESTIONS)) {
        for (size_t i = 0; i < q.n; i++)
            is_ruled_out(k, h, &q.at[i]);
        au_funnel *f = &k->c->funnel[AU_KIND_ATOMICITY];
        f->unit = "triples";
        for (int s = AU_STAGE_CANDIDATES; s <= AU_STAGE_LOCKSET; s++)
            f->left[s] = left[s];
        f->left[AU_STAGE_GRAPH] = f->left[AU_STAGE_INTERVAL] =
            AU_STAGE_UNKNOWN; /* counted in representatives */
        k->triples = true;
        ask_triples(k, &open);
    }
    if (!k->triples)
        au_check_limit(k->c, AU_AT_OPEN_TRIPLES, q.n, 0);
    au_vec_release(&open);
    au_vec_release(&q);
    au_cheap_free(h);
    au_cssa_free(c);
}

/* For certificates only: the triples that the linear stages did not list, because of forks, joins or locks. */
static void rule_out_triples(au_opener *k) {
    au_error err = AU_ERROR_NONE;
    au_cssa_options o = {AU_SEM_CTP, false, false, true};
    au_cssa *c = au_cssa_new(k->m, &o, &err);
    if (!c)
        return;
    au_cheap *h = au_cheap_new(c);
    au_queries q = {0};
    au_queries_of(c, AU_PROP_ATOMICITY, au_plan_atomic(k->p), false, &q);
    for (size_t i = 0; i < q.n; i++)
        is_ruled_out(k, h, &q.at[i]);
    au_vec_release(&q);
    au_cheap_free(h);
    au_cssa_free(c);
}

/* Every assertion that the program executed and whose outcome is not certain. */
static void add_assertions(au_opener *k) {
    au_map times = {0};
    uint64_t all = 0, asked = 0;
    for (uint32_t i = 0; i < k->s->fact.n; i++) {
        const au_fact *f = &k->s->fact.at[i];
        if (f->kind != AU_FACT_ASSERT || k->fact_step[i] == AU_NONE || f->after == AU_NONE)
            continue;
        all++;
        uint64_t *n = au_map_put(&times, au_key2(f->file, f->line), NULL);
        if ((*n)++ < AU_LIMIT_OPEN_ASSERTED || k->p->all) {
            au_query q = au_query_about(AU_ASK_ASSERT, AU_NONE);
            q.step[0] = au_query_event(k->m, k->fact_step[i]);
            ask(k, q, SIZE_MAX);
            asked++;
        }
    }
    au_map_release(&times);
    au_funnel *f = &k->c->funnel[AU_KIND_ASSERTION];
    k->c->looked_for[AU_KIND_ASSERTION] = true;
    f->unit = "executions";
    f->left[AU_STAGE_CANDIDATES] = all;
    if (asked < all)
        au_check_limit(k->c, AU_AT_OPEN_ASSERTED, asked, all);
}

/* --- answers ------------------------------------------------------------------------------- */

/* The same statements, in any order. */
static bool same_set(const au_opener *k, const au_finding *f, const au_solution *s) {
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

static bool is_listed(const au_opener *k, const au_solution *s) {
    for (size_t i = 0; i < k->c->findings.finding.n; i++)
        if (k->c->findings.finding.at[i].kind == AU_KIND_DEADLOCK &&
            same_set(k, &k->c->findings.finding.at[i], s))
            return true;
    return false;
}

/* The solutions are all deadlocks that there are, unless the answer says otherwise. windows: they never are, which has been said. */
static void take_deadlocks(au_opener *k, const au_query *q, au_exact_answer *a, bool windows,
                           bool *drop) {
    bool all = !windows && (a->end == AU_EXACT_REFUTED || (a->end == AU_EXACT_FOUND && !*a->why));
    if (a->end == AU_EXACT_SKIPPED)
        return;
    if (!all && !windows)
        au_check_inconclusive(k->c, "deadlocks: %s", a->why);
    for (size_t i = 0; i < k->c->findings.finding.n; i++) {
        au_finding *f = &k->c->findings.finding.at[i];
        if (!is_open_deadlock(f))
            continue;
        au_solution *s = NULL;
        for (size_t j = 0; j < a->solution.n && !s; j++)
            if (same_set(k, f, &a->solution.at[j]))
                s = &a->solution.at[j];
        if (s && au_opener_lasts(k, s) && au_opener_proves(k, q, s, f)) {
            au_opener_stand(k, q, f);
        }
        drop[i] = !s && all && !k->p->first;
    }
    for (size_t j = 0; j < a->solution.n && k->s; j++)
        if (!is_listed(k, &a->solution.at[j]) && au_opener_lasts(k, &a->solution.at[j]))
            au_opener_tell_deadlock(k, q, &a->solution.at[j]);
}

/* Where nothing is known of an update, the model pins it; one that comes last in its thread
 * may replace any value. */
bool au_opener_rests_on_rmw(const au_opener *k, const au_finding *f) {
    for (uint32_t i = 1; i < 3 && f->kind == AU_KIND_ATOMICITY; i++)
        if (f->event[i].op == AU_OP_RMW &&
            !(k->s && au_bitset_has(&k->s->symbolic, f->event[i].number)))
            return true;
    return false;
}

/* What was found without having been listed. */
static void tell(au_opener *k, const au_query *q, const au_solution *s) {
    if (q->kind == AU_ASK_RACE)
        au_opener_tell_race(k, q, s);
    else if (q->kind == AU_ASK_ATOMICITY)
        au_opener_tell_block(k, q, s, pattern_of(q));
    else if (q->kind == AU_ASK_LOST || q->kind == AU_ASK_STALE)
        au_opener_tell_lost(k, q, s);
    else
        au_opener_tell_assertion(k, q, s);
}

static void take_answers(au_opener *k, au_exact *e, bool *drop) {
    bool windows = au_exact_in_windows(k->p, k->m);
    size_t narrow = 0, unsaid = 0; /* open in every window; … with no finding that says so */
    uint64_t asserts = 0, triples = 0, lost = 0;
    for (size_t i = 0; i < k->query.n; i++) {
        au_exact_answer *a = &e->answer[i];
        const au_query *q = &k->query.at[i];
        asserts += q->kind == AU_ASK_ASSERT && a->end != AU_EXACT_REFUTED;
        triples += q->kind == AU_ASK_ATOMICITY && a->end != AU_EXACT_REFUTED;
        lost += q->kind == AU_ASK_LOST && a->end != AU_EXACT_REFUTED;
        au_finding *f =
            k->finding.at[i] == SIZE_MAX ? NULL : &k->c->findings.finding.at[k->finding.at[i]];
        if (a->end == AU_EXACT_FOUND && a->solution.n) {
            if (!f) {
                tell(k, q, &a->solution.at[0]);
            } else if (au_opener_proves(k, q, &a->solution.at[0], f)) {
                au_opener_stand(k, q, f);
            }
        } else if (a->end == AU_EXACT_REFUTED) {
            if (f && !au_opener_rests_on_rmw(k, f))
                drop[k->finding.at[i]] = true;
        } else if (a->end == AU_EXACT_SKIPPED && k->answers && f) {
            au_finding_because(f, AU_WHY_OTHER_SHARD);
        } else if (a->end == AU_EXACT_OPEN && windows) {
            narrow++;
            unsaid += !f;
        } else if (a->end == AU_EXACT_OPEN || a->end == AU_EXACT_DISAGREE) {
            char *what = au_exact_question(k->m, q);
            k->c->disagreed |= a->end == AU_EXACT_DISAGREE;
            au_check_inconclusive(k->c, "%s: %s", what, a->why);
            free(what);
        }
    }
    if (e->cut)
        au_check_cut(k->c, "%zu of %zu questions not answered", e->cut, k->query.n);
    if (k->c->looked_for[AU_KIND_ASSERTION])
        k->c->funnel[AU_KIND_ASSERTION].left[AU_STAGE_SOLVER] = asserts;
    if (k->c->looked_for[AU_KIND_LOST])
        k->c->funnel[AU_KIND_LOST].left[AU_STAGE_SOLVER] = lost;
    k->left_triples = triples;
    if (windows)
        au_check_note(k->c,
                      "long trace: the exact stage asked %zu questions in windows of up to %zu "
                      "steps (--window); %zu undecided",
                      k->query.n, k->p->window, narrow);
    if (unsaid)
        au_opener_tell_unsaid(k->c, unsaid, k->query.n);
}

/* Pairs that were left out matter where none of their locations was proved to race. */
static void tell_alike(const au_opener *k) {
    uint64_t n = 0;
    for (size_t i = 0; i < k->alike.n; i++) {
        au_event_ref e[2];
        au_opener_sides(k, &k->alike.at[i], e);
        n += !au_opener_told(k, e);
    }
    if (n)
        au_check_limit(k->c, AU_AT_OPEN_ALIKE, n, 0);
}

static void keep_rest(au_opener *k, const bool *drop) {
    au_check_outcome *c = k->c;
    size_t kept = 0, dropped = 0;
    for (size_t i = 0; i < c->findings.finding.n; i++) {
        dropped += drop[i];
        if (drop[i])
            au_finding_because(&c->findings.finding.at[i],
                               k->s ? AU_WHY_NOT_SAME_WAY : AU_WHY_NOT_SAME_VALUES);
        if (!drop[i] || k->p->all)
            c->findings.finding.at[kept++] = c->findings.finding.at[i];
    }
    c->findings.finding.n = kept;
    if (dropped && !k->p->all)
        au_check_note(c, "%zu possible findings unreachable while %s (--all lists them)", dropped,
                      k->s ? "every thread takes its recorded path"
                           : "reads see their recorded values");
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
static void count_left(const au_opener *o, const bool *drop, size_t listed) {
    au_check_outcome *c = o->c;
    uint64_t dropped[AU_KINDS] = {0}, added = 0;
    for (size_t i = 0; i < c->findings.finding.n; i++) {
        dropped[c->findings.finding.at[i].kind] += drop[i];
        added += i >= listed && c->findings.finding.at[i].kind == AU_KIND_DEADLOCK;
    }
    for (int k = AU_KIND_RACE; k <= AU_KIND_DEADLOCK; k++) {
        const uint64_t *left = c->funnel[k].left;
        uint64_t before = left[AU_STAGE_GRAPH] != AU_STAGE_UNKNOWN ? left[AU_STAGE_GRAPH]
                                                                   : left[AU_STAGE_LOCKSET];
        if (c->looked_for[k] && before != AU_STAGE_UNKNOWN)
            c->funnel[k].left[AU_STAGE_SOLVER] =
                k == AU_KIND_RACE ? count_vars(c, drop)
                                  : before - (dropped[k] < before ? dropped[k] : before) +
                                        (k == AU_KIND_DEADLOCK ? added : 0);
    }
    if (o->triples)
        c->funnel[AU_KIND_ATOMICITY].left[AU_STAGE_SOLVER] = o->left_triples;
}

/* --- the stage ------------------------------------------------------------------------------- */

bool au_open_is_worth(const au_check_run *r) {
    const au_check_outcome *c = &r->outcome;
    bool open = r->work->has_source;
    for (size_t i = 0; i < c->findings.finding.n; i++)
        open |= c->findings.finding.at[i].standing == AU_IS_POSSIBLE;
    return (open || c->looked_for[AU_KIND_RACE]) && r->trace->events.any_value &&
           r->trace->names.thread.n <= AU_MAX_THREADS;
}

static void tell_bug(const au_opener *k, const au_knowledge *known) {
    au_check_inconclusive(k->c,
                          "a bug of augur: retracing the run did not give what was recorded: %s; "
                          "reads keep their recorded values from there on",
                          known->bug);
}

/* The model with all that the program's code tells, or with reads pinned. program: there is one. */
static bool make_model(au_opener *k, bool program, au_knowledge *known) {
    au_symbolic_map map = {0};
    au_error why = AU_ERROR_NONE;
    if (known->there)
        k->m = !k->sliced ? au_knowledge_model(known, &map, &why)
               : au_plan_wants(k->p, AU_PROP_ASSERT)
                   ? au_knowledge_assertions(known, AU_LIMIT_OPEN_STEPS, &map, &why)
                   : NULL;
    if (known->bug)
        tell_bug(k, known);
    if (known->failed)
        au_check_inconclusive(k->c, "the program's code could not be followed: %s",
                              known->note ? known->note : "the system failed");
    if (k->m && known->note)
        au_check_note(k->c, "values fixed to the recording: %s", known->note);
    if (k->m) {
        k->s = &known->s;
        k->step_of = au_alloc_array(k->t->events.n + 1, sizeof *k->step_of);
        for (size_t e = 0; e < k->t->events.n; e++)
            k->step_of[e] = au_symbolic_step(&map, e); /* it may be of a part of the run */
        k->fact_step = map.fact_step;
        map.fact_step = NULL;
        au_symbolic_map_release(&map);
        return true;
    }
    if (au_deadline_over()) {
        au_check_cut(k->c, "not done: the exact stage");
        return false;
    }
    if (k->sliced && known->there && !known->bug)
        return false; /* asked about in parts */
    if (program)
        au_check_note(k->c, "values fixed to the recording, assertions not checked: %s",
                      known->bug            ? "see below"
                      : why.status != AU_OK ? why.text
                      : known->note         ? known->note
                                            : "nothing depends on what threads read of each other");
    if (k->sliced)
        return false;
    why = (au_error)AU_ERROR_NONE;
    k->m = au_model_from_trace_open(k->t, &k->step_of, &why);
    if (!k->m)
        au_check_note(k->c, "exact stage skipped: %s", why.text);
    return k->m != NULL;
}

static bool is_asked(const au_opener *k, size_t finding) {
    for (size_t i = 0; i < k->finding.n; i++)
        if (k->finding.at[i] == finding)
            return true;
    return false;
}

static void collect(au_opener *k, bool blocks) {
    au_check_outcome *c = k->c;
    bool windows = au_exact_in_windows(k->p, k->m);
    if (k->s && au_plan_wants(k->p, AU_PROP_ASSERT))
        add_assertions(k);
    if (k->s && !k->sliced && c->looked_for[AU_KIND_ATOMICITY] && blocks && !windows)
        add_triples(k);
    if (k->sliced)
        return;
    if (k->p->certify && !k->triples && c->looked_for[AU_KIND_ATOMICITY] && blocks && !windows)
        rule_out_triples(k);
    for (size_t i = 0;
         i < c->findings.finding.n && k->query.n < au_limit_value(AU_AT_OPEN_QUESTIONS); i++) {
        au_query q;
        if (!is_asked(k, i) && au_opener_query(k, &c->findings.finding.at[i], &q))
            ask(k, q, i);
    }
    if (c->looked_for[AU_KIND_RACE] && !windows)
        add_pairs(k);
    if (k->query.n >= au_limit_value(AU_AT_OPEN_QUESTIONS))
        au_check_limit(c, AU_AT_OPEN_QUESTIONS, k->query.n, 0);
    if (k->s && au_plan_wants(k->p, AU_PROP_LOST) && k->p->semantics == AU_SEM_CTP &&
        !k->p->whole && k->p->bound == AU_NONE)
        au_opener_add_lost(k);
    if (k->s && k->p->stale && k->p->semantics == AU_SEM_CTP && !k->p->whole &&
        k->p->bound == AU_NONE)
        au_opener_add_stale(k);
}

/* Asks about deadlocks of any kind; a lock order that suggests one, or who asks for nothing
 * else, gives it all the time there is. */
static au_status ask_deadlocks(au_opener *k, bool only, bool *drop, au_error *err) {
    bool open = false;
    for (size_t i = 0; i < k->c->findings.finding.n; i++)
        open |= is_open_deadlock(&k->c->findings.finding.at[i]);
    if (!open && !(k->s && k->c->looked_for[AU_KIND_DEADLOCK]))
        return AU_OK;
    bool windows = au_exact_in_windows(k->p, k->m);
    if (windows)
        au_check_note(k->c,
                      k->s ? "deadlock check incomplete: the run is too long for one search, other "
                             "waits than for locks were looked at in windows of it (--window)"
                           : "deadlock check incomplete: only locks were decided, the run is too "
                             "long for the rest (--window)");
    if (windows && !open && !k->s)
        return AU_OK;
    au_queries q = {0};
    bool brief = !open && !only && (k->p->seconds <= 0 || k->p->seconds > SECONDS_TO_WAIT);
    au_plan shorter = *k->p;
    shorter.seconds = SECONDS_TO_WAIT;
    au_vec_push(&q, au_query_about(AU_ASK_DEADLOCK, AU_NONE));
    au_exact e = {.plan = brief ? &shorter : k->p,
                  .answers = k->answers,
                  .m = k->m,
                  .query = &q,
                  .ranges = au_opener_ranges(k)};
    au_status st = au_exact_ask(&e, err);
    if (brief && !windows && e.answer[0].end == AU_EXACT_OPEN)
        au_check_note(k->c,
                      "deadlock check incomplete: only locks were decided, the rest takes more "
                      "than %g s (--prop deadlock allows more)",
                      SECONDS_TO_WAIT);
    else
        take_deadlocks(k, &q.at[0], &e.answer[0], windows, drop);
    if (e.cut)
        au_check_cut(k->c, "deadlocks of other kinds than lock orders");
    if (st == AU_OK)
        st = au_certify_answers(&e, NULL, k->c, err);
    au_exact_release(&e);
    au_vec_release(&q);
    return st;
}

static bool only_deadlocks(const au_plan *p) {
    return (p->props & (AU_PROP_DEADLOCK | AU_PROP_RACE | AU_PROP_ATOMICITY)) == AU_PROP_DEADLOCK;
}

bool au_open_is_long(const au_check_run *r) {
    return r->trace->events.n > AU_LIMIT_OPEN_EVENTS;
}

au_status au_stage_open(au_check_run *r, au_error *err) {
    (void)err;
    au_open_work *o = r->work->open = AU_NEW(au_open_work);
    o->k = (au_opener){.p = r->plan,
                       .answers = r->answers,
                       .t = r->trace,
                       .c = &r->outcome,
                       .sliced = au_open_is_long(r)};
    return AU_OK;
}

au_status au_stage_knowledge(au_check_run *r, au_error *err) {
    (void)err; /* it never fails: what cannot be had is said with the model */
    au_knowledge_make(&r->work->open->known, &r->work->source, r->trace);
    return AU_OK;
}

au_status au_stage_model(au_check_run *r, au_error *err) {
    (void)err;
    au_open_work *o = r->work->open;
    o->made = make_model(&o->k, r->work->has_source, &o->known);
    return AU_OK;
}

au_status au_stage_ask(au_check_run *r, au_error *err) {
    au_open_work *o = r->work->open;
    au_opener_number(&o->k);
    collect(&o->k, r->plan->blocks != AU_BLOCKS_FUNCTION);
    o->listed = r->outcome.findings.finding.n;
    au_opener_rule_out_findings(&o->k, r->work->cycles.at, r->work->cycles.n);
    r->work->cycles.n = 0;
    o->drop =
        au_alloc_array(o->listed + o->k.query.n + AU_LIMIT_SOLVE_DEADLOCKS + 1, sizeof *o->drop);
    au_opener_narrow(&o->k, o->drop);
    if (r->plan->last < AU_STAGE_SOLVER)
        return au_opener_certify(&o->k, NULL, err);
    o->exact = (au_exact){.plan = r->plan,
                          .answers = r->answers,
                          .m = o->k.m,
                          .query = &o->k.query,
                          .ranges = au_opener_ranges(&o->k)};
    au_status st = au_exact_ask(&o->exact, err);
    return st == AU_OK ? au_opener_certify(&o->k, &o->exact, err) : st;
}

au_status au_stage_answers(au_check_run *r, au_error *err) {
    (void)err;
    if (r->plan->last < AU_STAGE_SOLVER)
        return AU_OK;
    take_answers(&r->work->open->k, &r->work->open->exact, r->work->open->drop);
    tell_alike(&r->work->open->k);
    au_opener_lost_left(&r->work->open->k);
    return AU_OK;
}

au_status au_stage_waits(au_check_run *r, au_error *err) {
    au_open_work *o = r->work->open;
    return o->k.sliced || r->plan->last < AU_STAGE_SOLVER
               ? AU_OK
               : ask_deadlocks(&o->k, only_deadlocks(r->plan), o->drop, err);
}

/* And gives the memory back: what follows may need it. */
au_status au_stage_keep(au_check_run *r, au_error *err) {
    (void)err;
    au_open_work *o = r->work->open;
    if (o->drop && !o->k.sliced && r->plan->last >= AU_STAGE_SOLVER)
        count_left(&o->k, o->drop, o->listed);
    if (o->drop)
        keep_rest(&o->k, o->drop);
    au_open_free(o);
    r->work->open = NULL;
    return AU_OK;
}

void au_open_free(au_open_work *o) {
    if (!o)
        return;
    if (o->exact.plan)
        au_exact_release(&o->exact);
    if (o->made)
        au_opener_release(&o->k);
    au_knowledge_release(&o->known);
    free(o->drop);
    free(o);
}
