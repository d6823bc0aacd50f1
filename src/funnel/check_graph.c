/* funnel/check_graph.c: nondeterminism of a trace: reads that can see another write.
 *
 * src/graph decides, the checker (src/witness) executes everything that is called feasible,
 * the exact stage (src/solve) is asked what the graph's search leaves open. Findings are
 * grouped by where the read, the write it saw and the write it can see stand in the source. */
#include "funnel/certify.h"
#include "funnel/stages_priv.h"

#include "base/hash.h"
#include "graph/gather.h"
#include "graph/nondet.h"
#include "model/from_trace.h"
#include "model/run.h"
#include "report/common.h"
#include "witness/walk.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct {
    size_t finding; /* SIZE_MAX: none could be made */
    uint64_t pairs, open;
    uint32_t w; /* of the finding: event + 1 */
    bool initial, final;
} group;

typedef struct {
    const au_plan *p;
    struct au_answers *answers;
    const au_trace *t;
    au_check_outcome *c;
    au_checker *walker, *checker;
    au_gather *gather;
    uint64_t *index; /* by event: within its thread */
    au_map group_of;
    AU_VEC(group) group;
    uint64_t left; /* of the budget for schedules */
    /* the exact stage, when it is first asked */
    bool tried;
    au_trace alike; /* the trace, where the value of a write is its number */
    au_model *m;
    uint32_t *step_of;
    uint32_t *event_of; /* statement: event + 1 */
    uint32_t solved;
    au_certify_items ruled; /* --certify: witnesses that cannot be */
    bool waits;             /* threads wait for others than by locks and joins */
} stage;

/* --- the executor of the graph is the checker ------------------------------------------------ */

static void x_begin(void *ctx) {
    au_checker_begin(ctx);
}
static bool x_go(void *ctx, uint32_t event, bool keep) {
    return au_checker_step(ctx, event, keep);
}
static uint32_t x_last(void *ctx, uint32_t var) {
    return au_checker_last(ctx, var);
}
static size_t x_mark(void *ctx) {
    return au_checker_mark(ctx);
}
static void x_rewind(void *ctx, size_t mark) {
    au_checker_rewind(ctx, mark);
}

/* --- the exact stage --------------------------------------------------------------------------- */

/* Keeping the write and keeping the value are the same if every write has a value of its own:
 * then the model of values (model/from_trace.h) answers the question about writes. */
static void number_writes(stage *s) {
    const au_columns *x = &s->t->events;
    int64_t *last = au_alloc_array(s->t->names.var.n, sizeof *last);
    s->alike = *s->t; /* names and hooks are borrowed */
    au_columns_init(&s->alike.events);
    for (size_t e = 0; e < x->n; e++) {
        au_op op = x->op[e];
        int64_t value = x->any_value && (x->all_value || x->has_value[e]) ? x->value[e] : 0;
        bool has = x->any_value && (x->all_value || x->has_value[e]);
        if (au_op_is_access(op)) {
            bool write = op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW;
            value = write ? (int64_t)e + 1 : last[x->obj[e]];
            /* A model has no update of an unknown value. Asking less of it is right: "no" stays
             * no, and what it says yes to is executed. */
            if (op == AU_OP_RMW && !last[x->obj[e]])
                op = AU_OP_AWRITE;
            if (write)
                last[x->obj[e]] = value;
            has = true;
        }
        au_columns_push(&s->alike.events, op, x->thread[e], x->obj[e], x->loc[e],
                        has ? &value : NULL);
    }
    free(last);
}

static void make_model(stage *s) {
    au_error err = AU_ERROR_NONE;
    s->tried = true;
    number_writes(s);
    s->m = au_model_from_trace_open(&s->alike, &s->step_of, &err);
    if (!s->m)
        return;
    au_model_observe(s->m);
    s->event_of = au_alloc_array(s->m->step.n + 1, sizeof *s->event_of);
    for (uint32_t e = 0; e < s->t->events.n; e++)
        s->waits |= s->t->events.op[e] == AU_OP_WAIT || s->t->events.op[e] == AU_OP_ARRIVE ||
                    s->t->events.op[e] == AU_OP_DOWN;
    for (uint32_t e = 0; e < s->t->events.n; e++)
        if (s->step_of[e] != AU_NONE)
            s->event_of[au_query_event(s->m, s->step_of[e])] = e + 1;
}

/* The events before the read, as the solution has them. An event that is no step of the model comes
 * with the next one of its thread. */
static uint32_t *in_events(const stage *s, const au_solution *r, uint32_t read, size_t *n) {
    const au_columns *x = &s->t->events;
    AU_VEC(uint32_t) order = {0};
    size_t threads = s->t->names.thread.n;
    uint64_t *upto = au_alloc_array(threads, sizeof *upto);
    AU_VEC(uint32_t) *line = au_alloc_array(threads, sizeof *line);
    for (uint32_t e = 0; e < x->n; e++)
        au_vec_push(&line[x->thread[e]], e);
    for (size_t i = 0; i <= r->schedule.n; i++) {
        uint32_t e =
            i < r->schedule.n ? s->event_of[au_query_event(s->m, r->schedule.at[i])] : read + 1;
        if (!e || (e - 1 == read && i < r->schedule.n))
            continue;
        uint16_t t = x->thread[e - 1];
        for (; upto[t] < s->index[e - 1] - (e - 1 == read); upto[t]++)
            au_vec_push(&order, line[t].at[upto[t]]);
    }
    for (size_t t = 0; t < threads; t++)
        au_vec_release(&line[t]);
    free(line);
    free(upto);
    *n = order.n;
    return order.at;
}

static bool shows(stage *s, const au_cause_question *q, const uint32_t *order, size_t n) {
    au_checker_begin(s->checker);
    for (size_t i = 0; i < n; i++)
        if (!au_checker_step(s->checker, order[i], true))
            return false;
    return au_checker_last(s->checker, q->var) == q->write &&
           au_checker_step(s->checker, q->read, false);
}

static au_cause_answer solve(void *ctx, const au_cause_question *q, uint32_t **order, size_t *n) {
    stage *s = ctx;
    if (s->p->last < AU_STAGE_SOLVER)
        return AU_CAUSE_UNKNOWN;
    if (s->solved >= au_limit_value(AU_AT_NONDET_QUESTIONS)) {
        au_limit_reached(AU_AT_NONDET_QUESTIONS, 1);
        return AU_CAUSE_UNKNOWN;
    }
    if (s->t->events.n > au_limit_value(AU_AT_NONDET_EVENTS)) {
        au_limit_reached(AU_AT_NONDET_EVENTS, 1);
        return AU_CAUSE_UNKNOWN;
    }
    if (!s->tried)
        make_model(s);
    /* A window says yes only, and rarely does. */
    if (s->m && au_exact_in_windows(s->p, s->m) &&
        s->solved >= au_limit_value(AU_AT_NONDET_WINDOWS)) {
        au_limit_reached(AU_AT_NONDET_WINDOWS, 1);
        return AU_CAUSE_UNKNOWN;
    }
    /* An update that sees another value is not in the model. */
    if (!s->m || q->read == AU_NONE || s->t->events.op[q->read] == AU_OP_RMW ||
        s->step_of[q->read] == AU_NONE)
        return AU_CAUSE_UNKNOWN;
    s->solved++;
    au_plan plan = *s->p; /* of a model in which every write has its own value */
    au_queries queries = {0};
    au_error err = AU_ERROR_NONE;
    plan.whole = false;
    plan.bound = plan.bound_from = AU_NONE;
    plan.semantics = AU_SEM_CTP;
    au_vec_push(&queries, ((au_query){.kind = AU_ASK_NONDET,
                                      .step = {s->step_of[q->read], AU_NONE, AU_NONE},
                                      .var = s->m->step.at[s->step_of[q->read]].access[0].var,
                                      .obj = AU_NONE,
                                      .writer = q->write ? s->step_of[q->write - 1] : AU_NONE}));
    au_exact e = {.plan = &plan, .answers = s->answers, .m = s->m, .query = &queries};
    au_cause_answer answer = AU_CAUSE_UNKNOWN;
    if (au_exact_ask(&e, &err) == AU_OK) {
        const au_exact_answer *a = &e.answer[0];
        if (a->end == AU_EXACT_REFUTED && !au_exact_in_windows(&plan, s->m))
            answer = AU_CAUSE_INFEASIBLE;
        if (a->end == AU_EXACT_FOUND && a->solution.n) {
            *order = in_events(s, &a->solution.at[0], q->read, n);
            if (shows(s, q, *order, *n)) {
                answer = AU_CAUSE_FEASIBLE;
            } else {
                free(*order);
                au_check_inconclusive(s->c, "a bug of augur: the solver's schedule for a read of "
                                            "another write was refused by the checker");
            }
        }
    }
    au_exact_release(&e);
    au_vec_release(&queries);
    return answer;
}

/* --- findings ------------------------------------------------------------------------------------ */

static uint32_t place_of(const stage *s, uint32_t event) {
    const au_columns *x = &s->t->events;
    return x->loc[event] != AU_NONE ? x->loc[event] : x->obj[event];
}

/* Of one group are pairs whose three events stand at the same places; with --all each is its
 * own. */
static uint64_t key_of(const stage *s, const au_nondet_pair *p) {
    uint64_t r, w = 0, c = 0;
    if (s->p->all) {
        r = p->read == AU_NONE ? UINT64_C(1) << 40 | p->var : p->read;
        return au_hash_join(r, p->c);
    }
    r = p->read == AU_NONE ? UINT64_C(1) << 40 | p->var : place_of(s, p->read);
    if (p->w)
        w = place_of(s, p->w - 1) + UINT64_C(1);
    if (p->c)
        c = place_of(s, p->c - 1) + UINT64_C(1);
    return au_hash_join(au_hash_join(r, w), c);
}

static bool found(void *ctx, const au_nondet_pair *p) {
    stage *s = ctx;
    bool fresh;
    uint64_t *at = au_map_put(&s->group_of, key_of(s, p), &fresh);
    if (fresh) {
        *at = s->group.n;
        au_vec_push(&s->group, ((group){.finding = SIZE_MAX, .w = p->w}));
    }
    group *g = &s->group.at[*at];
    bool first = p->feasible ? !g->pairs : !g->pairs && !g->open;
    *(p->feasible ? &g->pairs : &g->open) += 1;
    return first;
}

static au_event_ref ref(const stage *s, uint32_t event) {
    const au_columns *x = &s->t->events;
    return (au_event_ref){event,         s->index[event],  x->obj[event],
                          x->loc[event], x->thread[event], x->op[event]};
}

static void put_turns(stage *s, au_finding *f, const uint32_t *order, size_t n, uint32_t read) {
    const au_columns *x = &s->t->events;
    uint32_t *events = au_alloc_array(n + 1, sizeof *events);
    if (n)
        memcpy(events, order, n * sizeof *events);
    au_gather_order(s->gather, events, n);
    if (read != AU_NONE)
        events[n++] = read;
    uint32_t turns = 0;
    for (size_t i = 0; i < n; i++)
        turns += !i || x->thread[events[i]] != x->thread[events[i - 1]];
    if (turns <= AU_LIMIT_NONDET_TURNS) {
        f->schedule.turn = AU_ARENA_ARRAY(&s->c->findings.arena, au_turn, turns + 1);
        for (size_t i = 0; i < n; i++) {
            if (!i || x->thread[events[i]] != x->thread[events[i - 1]])
                f->schedule.turn[f->schedule.n++].thread = x->thread[events[i]];
            f->schedule.turn[f->schedule.n - 1].upto = s->index[events[i]];
        }
    } else {
        au_finding_because(f, AU_WHY_READ_LONG);
    }
    s->left -= n < s->left ? n : s->left;
    free(events);
}

/* The last value, or what a read sees: the checker has the last word. */
static bool is_shown(stage *s, au_finding *f, const au_nondet_pair *p, au_check_result *r) {
    if (p->read != AU_NONE) {
        au_checker_run(s->checker, f, r);
        return r->verdict == AU_CHECK_SHOWN;
    }
    uint64_t *done = au_alloc_array(s->t->names.thread.n, sizeof *done), steps = 0;
    uint32_t *first = au_alloc_array(s->t->names.thread.n + 1, sizeof *first);
    uint32_t *line = au_alloc_array(s->t->events.n + 1, sizeof *line);
    *r = (au_check_result){.verdict = AU_CHECK_STUCK, .reads_kept = true};
    for (size_t e = 0; e < s->t->events.n; e++)
        first[s->t->events.thread[e] + 1]++;
    for (size_t t = 0; t < s->t->names.thread.n; t++)
        first[t + 1] += first[t];
    for (size_t e = 0; e < s->t->events.n; e++)
        line[first[s->t->events.thread[e]] + s->index[e] - 1] = (uint32_t)e;
    bool good = true;
    au_checker_begin(s->checker);
    for (uint32_t i = 0; i < f->schedule.n && good; i++) {
        uint16_t t = f->schedule.turn[i].thread;
        for (; done[t] < f->schedule.turn[i].upto && good; steps += good)
            good = au_checker_step(s->checker, line[first[t] + done[t]++], true);
    }
    good = good && steps == s->t->events.n && au_checker_last(s->checker, p->var) == p->c;
    free(done);
    free(first);
    free(line);
    return good;
}

static void told(void *ctx, const au_nondet_pair *p, const uint32_t *order, size_t n) {
    stage *s = ctx;
    group *g = &s->group.at[*au_map_find(&s->group_of, key_of(s, p))];
    bool fresh = g->finding == SIZE_MAX;
    au_finding *f = fresh ? au_findings_add(&s->c->findings, AU_KIND_NONDET, 2)
                          : &s->c->findings.finding.at[g->finding];
    if (fresh)
        g->finding = s->c->findings.finding.n - 1;
    g->w = p->w;
    g->initial = !p->c;
    g->final = p->read == AU_NONE;
    f->obj = p->var;
    f->n_events = 2;
    f->event[0] = p->c ? ref(s, p->c - 1) : (au_event_ref){.number = UINT64_MAX, .obj = p->var};
    if (p->read != AU_NONE)
        f->event[1] = ref(s, p->read);
    au_finding_because(f, AU_WHY_GRAPH_OPEN);
    if (p->feasible) {
        au_finding_because(f, AU_WHY_GRAPH_BUDGET);
        if (s->left)
            put_turns(s, f, order, n, p->read);
    }
    if (f->schedule.n) {
        au_check_result r;
        if (is_shown(s, f, p, &r)) {
            f->standing = AU_IS_PROVED;
            f->spurious = r.spurious;
            au_finding_because_of(f, &s->c->findings.arena, AU_WHY_CHECKER, r.why, NULL);
        } else {
            f->schedule.n = 0;
            au_finding_because(f, AU_WHY_GRAPH_REFUSED);
            au_check_inconclusive(s->c,
                                  "a bug of augur: the schedule predicted for a read of another "
                                  "write was refused by the checker after %" PRIu64 " events: %s",
                                  r.step, r.why);
        }
    }
    /* Who stands for the initial value or for the end is not an event of the trace. */
    if (p->read == AU_NONE) {
        f->n_events = 1;
    } else if (!p->c) {
        f->event[0] = f->event[1];
        f->n_events = 1;
    }
}

/* What is not an event of the finding. */
static void describe(stage *s) {
    char place[160];
    for (size_t i = 0; i < s->group.n; i++) {
        const group *g = &s->group.at[i];
        if (g->finding == SIZE_MAX)
            continue;
        au_out *out = au_out_memory();
        size_t n;
        au_out_str(out, g->final     ? "it can be the last write; "
                        : g->initial ? "it can see the initial value; "
                                     : "");
        if (g->w) {
            au_out_str(out, "in the run ");
            au_report_put_name(out, &s->t->names, AU_WIRE_SPACE_THREAD,
                               s->t->events.thread[g->w - 1]);
            au_out_str(out, "'s write");
            au_report_loc(&s->t->names, s->t->events.loc[g->w - 1], place, sizeof place);
            au_out_printf(out, *place ? " at %s" : "%s", place);
        } else {
            au_out_str(out, "in the run the initial value");
        }
        if (g->pairs + g->open > 1)
            au_out_printf(out, "; %" PRIu64 " such pairs", g->pairs + g->open);
        const char *text = au_out_memory_data(out, &n);
        s->c->findings.finding.at[g->finding].detail =
            au_arena_strndup(&s->c->findings.arena, text, n);
        au_out_abandon(out);
    }
}

/* --- certificates ---------------------------------------------------------------------------------- */

static uint32_t step_at(const stage *s, uint32_t event) { /* event + 1 */
    return event ? s->step_of[event - 1] : AU_NONE;
}

static uint32_t var_at(const stage *s, uint32_t step) {
    return step == AU_NONE || !s->m->step.at[step].n_accesses ? AU_NONE
                                                              : s->m->step.at[step].access[0].var;
}

/* "" if the model of the trace can be asked about it. */
static const char *not_asked(const stage *s, const au_nondet_pair *p, const au_query *q) {
    bool missing = (p->w && q->step[1] == AU_NONE) || (p->c && q->writer == AU_NONE);
    if (p->read == AU_NONE && s->waits)
        return "the end of a run with waits is not that of its model";
    if (p->read == AU_NONE)
        return missing || q->var == AU_NONE ? "its accesses are no steps of the model" : "";
    if (s->t->events.op[p->read] == AU_OP_RMW)
        return "an update that sees another value is not in the model";
    return missing || q->step[0] == AU_NONE || q->var == AU_NONE
               ? "its accesses are no steps of the model"
               : "";
}

static void ruled(void *ctx, const au_nondet_pair *p, au_form form, bool by_solve) {
    stage *s = ctx;
    if (!s->tried)
        make_model(s);
    au_query q = au_query_about(AU_ASK_NONDET, AU_NONE);
    const char *why = "the exact stage has no model of the trace";
    if (s->m) {
        q.step[0] = p->read == AU_NONE ? AU_NONE : s->step_of[p->read];
        q.step[1] = step_at(s, p->w);
        q.var = var_at(s, q.step[0] != AU_NONE  ? q.step[0]
                          : q.writer != AU_NONE ? q.writer
                                                : q.step[1]);
        q.writer = step_at(s, p->c);
        why = not_asked(s, p, &q);
    }
    if (*why)
        q = au_query_about(AU_ASK_NONDET, AU_NONE); /* of which nothing is said */
    au_vec_push(&s->ruled, ((au_certify_item){q, by_solve ? AU_BY_SOLVER : AU_BY_GRAPH, why,
                                              (uint32_t)form + 1}));
}

static au_status certify(stage *s, const au_nondet_counts *n, au_error *err) {
    uint64_t all = n->cycle + n->refuted + n->unsolved;
    au_plan plan = *s->p; /* of the model in which every write has its own value */
    plan.whole = false;
    if (!plan.certify)
        return AU_OK;
    au_status st = s->m && s->ruled.n ? au_certify_add(&plan, s->m, &s->ruled, s->c, err) : AU_OK;
    if (st == AU_OK && !s->m)
        st = au_certify_count(&plan, AU_BY_GRAPH, s->ruled.n,
                              "the exact stage has no model of the trace", err);
    if (st == AU_OK && all > s->ruled.n)
        st = au_certify_count(&plan, AU_BY_GRAPH, all - s->ruled.n,
                              "there are more than a list of certificates holds", err);
    return st;
}

/* --- counts -------------------------------------------------------------------------------------- */

static void count(const stage *s, const au_nondet_counts *n) {
    au_check_outcome *c = s->c;
    au_funnel *f = &c->funnel[AU_KIND_NONDET];
    c->looked_for[AU_KIND_NONDET] = true;
    c->nondet = *n;
    c->has_nondet = true;
    f->unit = "witnesses";
    f->left[AU_STAGE_CANDIDATES] = n->all;
    f->left[AU_STAGE_GRAPH] = n->all - n->cycle - n->refuted;
    if (s->solved)
        f->left[AU_STAGE_SOLVER] = f->left[AU_STAGE_GRAPH] - n->unsolved;
    if (n->left)
        au_check_inconclusive(c,
                              "%" PRIu64 " of %" PRIu64
                              " witnesses of nondeterminism not checked: budget used up "
                              "(--effort); others of the same locations were",
                              n->left, n->all + n->left);
    if (n->open)
        au_check_limit(c, AU_AT_NONDET_CHOICES, n->open, 0);
}

au_status au_stage_nondet(au_check_run *r, au_error *err) {
    const au_plan *p = r->plan;
    const au_trace *t = r->trace;
    stage s = {.p = p, .answers = r->answers, .t = t, .c = &r->outcome, .left = p->budget};
    s.walker = au_checker_new(t);
    s.checker = au_checker_new(t);
    s.gather = au_gather_new(t);
    s.index = au_alloc_array(t->events.n + 1, sizeof *s.index);
    au_map_init(&s.group_of);
    uint64_t *done = au_alloc_array(t->names.thread.n, sizeof *done);
    for (size_t e = 0; e < t->events.n; e++)
        s.index[e] = ++done[t->events.thread[e]];
    free(done);
    au_cause_exec walker = {s.walker, x_begin, x_go, x_last, x_mark, x_rewind};
    au_cause_exec checker = {s.checker, x_begin, x_go, x_last, x_mark, x_rewind};
    au_nondet_options o = {.pairs = p->pairs,
                           .values = p->values,
                           .most = AU_LIMIT_NONDET_CHOICES,
                           .budget = p->effort,
                           .walker = &walker,
                           .checker = &checker,
                           .solve = solve,
                           .solve_ctx = &s,
                           .found = found,
                           .told = told,
                           .ruled = p->certify ? ruled : NULL,
                           .ruled_most = AU_LIMIT_CERTIFY_LISTED,
                           .ctx = &s};
    au_nondet_counts n;
    au_status st = au_nondet(t, &o, &n, err);
    if (st == AU_OK) {
        describe(&s);
        count(&s, &n);
        st = certify(&s, &n, err);
    }
    au_vec_release(&s.ruled);
    au_columns_release(&s.alike.events);
    au_model_free(s.m);
    free(s.step_of);
    free(s.event_of);
    au_vec_release(&s.group);
    au_map_release(&s.group_of);
    free(s.index);
    au_gather_free(s.gather);
    au_checker_free(s.walker);
    au_checker_free(s.checker);
    return st;
}
