/* tests/random/random_graph.c: the causality graph against the oracle.
 *
 * Random small traces; every write gets a value of its own, so that what a read sees is which
 * write it sees. For every read, every write and every form of a witness:
 *   - the graph's answer "r can see c" is that of the oracle under --keep-reads, both ways;
 *   - each form is what a walk over all interleavings of the trace (here, by brute force)
 *     says;
 *   - the exact solver, asked the same, agrees;
 *   - the reference encoding of certificates (src/verify) refutes every form that cannot be, and none that can;
 *   - what the graph calls feasible was executed by the checker;
 *   - the filter refutes no race and no broken block that the oracle finds;
 *   - the whole stage, where witnesses share walks, finds the same pairs, each with an order that
 *     shows it, and counts every witness once.
 * With semaphores, barriers, failed tries the answer may be "unknown", never wrong.
 *
 *     random_graph --count N --seed S [--one SEED] */
#include "base/hash.h"
#include "base/rng.h"
#include "cases.h"
#include "certified.h"
#include "graph/nondet.h"
#include "model/from_trace.h"
#include "model/run.h"
#include "oracle/oracle.h"
#include "solve/solve.h"
#include "sync_trace.h"
#include "witness/walk.h"

#include <stdio.h>

typedef struct {
    uint64_t traces, skipped, questions, feasible, unknown, forms, solved, choices, learned;
    uint64_t witnesses, shared, races, races_out, blocks_out;
    certified_counts certified;
} counts;

static bool is_read(au_op op) {
    return op == AU_OP_READ || op == AU_OP_AREAD || op == AU_OP_RMW;
}
static bool is_write(au_op op) {
    return op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW;
}

/* The value of a write is its number; a read has that of its write. */
static void number_values(au_trace *t) {
    int64_t last[8] = {0};
    for (size_t e = 0; e < t->events.n; e++) {
        uint32_t v = t->events.obj[e];
        if (is_read(t->events.op[e]))
            t->events.value[e] = last[v];
        if (is_write(t->events.op[e]))
            t->events.value[e] = last[v] = (int64_t)e + 1;
    }
}

/* --- the executor ------------------------------------------------------------------- */

static void x_begin(void *ctx) {
    au_checker_begin(ctx);
}
static bool x_go(void *ctx, uint32_t e, bool keep) {
    return au_checker_step(ctx, e, keep);
}
static uint32_t x_last(void *ctx, uint32_t var) {
    return au_checker_last(ctx, var);
}
static size_t x_mark(void *ctx) {
    return au_checker_mark(ctx);
}
static void x_rewind(void *ctx, size_t m) {
    au_checker_rewind(ctx, m);
}

/* --- brute force over the interleavings of the trace -------------------------------- */

typedef struct {
    const au_trace *t;
    au_checker *k;
    uint32_t threads;
    uint32_t at[4]; /* events done */
    uint32_t event[4][64], n[4];
    uint32_t time[256]; /* by event: when it was done, 0: not */
    uint32_t now;
    uint64_t left; /* budget */
    bool *seen;    /* [read][write + 1][form] */
    uint32_t frozen, read, c;
    uint32_t writer[256];
} brute;

static bool *place(const brute *b, uint32_t read, uint32_t write, int form) {
    return &b->seen[((size_t)read * (b->t->events.n + 1) + write) * 4 + (size_t)form];
}

static void walk(brute *b) {
    const au_columns *x = &b->t->events;
    if (!b->left)
        return;
    b->left--;
    bool whole = true;
    for (uint32_t t = 0; t < b->threads; t++)
        whole &= b->at[t] == b->n[t];
    if (whole)
        for (uint32_t v = 0; v < b->t->names.var.n; v++)
            *place(b, (uint32_t)x->n + v, au_checker_last(b->k, v), AU_FORM_ANY) = true;
    for (uint32_t t = 0; t < b->threads; t++) {
        if (b->at[t] == b->n[t] || t == b->frozen)
            continue;
        uint32_t e = b->event[t][b->at[t]];
        size_t mark = au_checker_mark(b->k);
        uint32_t w = b->writer[e];
        if (is_read(x->op[e]) && b->frozen == UINT32_MAX) {
            uint32_t c = au_checker_last(b->k, x->obj[e]);
            if (c != w && au_checker_step(b->k, e, false)) {
                *place(b, e, c, AU_FORM_ANY) = true;
                bool before = !w || b->time[w - 1];
                *place(b, e, c, before ? AU_FORM_BEFORE : AU_FORM_ABSENT) = true;
                if (!before && !*place(b, e, c, AU_FORM_LATER)) {
                    b->frozen = t;
                    b->read = e;
                    b->c = c;
                    walk(b);
                    b->frozen = UINT32_MAX;
                }
                au_checker_rewind(b->k, mark);
                continue;
            }
            au_checker_rewind(b->k, mark);
        }
        if (!au_checker_step(b->k, e, true))
            continue;
        if (b->frozen != UINT32_MAX && b->writer[b->read] == e + 1)
            *place(b, b->read, b->c, AU_FORM_LATER) = true;
        b->at[t]++;
        b->time[e] = ++b->now;
        walk(b);
        b->now--;
        b->time[e] = 0;
        b->at[t]--;
        au_checker_rewind(b->k, mark);
    }
}

static bool brute_force(brute *b, const au_trace *t, au_checker *k) {
    const au_columns *x = &t->events;
    *b = (brute){.t = t,
                 .k = k,
                 .threads = (uint32_t)t->names.thread.n,
                 .left = 300000,
                 .frozen = UINT32_MAX};
    uint32_t last[8] = {0};
    for (uint32_t e = 0; e < x->n; e++) {
        b->event[x->thread[e]][b->n[x->thread[e]]++] = e;
        if (is_read(x->op[e]))
            b->writer[e] = last[x->obj[e]];
        if (is_write(x->op[e]))
            last[x->obj[e]] = e + 1;
    }
    b->seen = au_alloc_array((x->n + t->names.var.n) * (x->n + 1) * 4, 1);
    au_checker_begin(k);
    walk(b);
    return b->left > 0;
}

/* --- one trace -------------------------------------------------------------------------- */

typedef struct {
    au_trace *t;
    au_model *m;
    uint32_t *step_of;
    au_oracle_result *r;
    au_solver *solver;
    brute b;
    au_cause_search *s;
    bool odd, plain;
    bool certify, waits; /* waits: for others than by locks, forks and joins */
} sides;

static bool oracle_sees(const sides *s, uint32_t read, uint32_t var, uint32_t write) {
    uint32_t step = read == AU_NONE ? AU_NONE : au_query_event(s->m, s->step_of[read]);
    uint32_t by = write ? au_query_event(s->m, s->step_of[write - 1]) : AU_NONE;
    uint32_t model_var = AU_NONE;
    for (uint32_t v = 0; v < s->m->var.n; v++)
        if (!strcmp(s->m->var.at[v].name, au_intern_str(&s->t->names.var, var)))
            model_var = v;
    for (size_t i = 0; i < s->r->read_from.n; i++) {
        const au_read_from *f = &s->r->read_from.at[i];
        if (f->read == step && f->writer == by && f->var == model_var)
            return true;
    }
    return false;
}

static const char *const forms[] = {"c r w", "w c r", "c r without w", "any"};
static const char *const answers[] = {"infeasible", "feasible", "unknown"};

static bool compare(sides *s, const au_cause_question *q, bool is_so, const char *who, counts *c) {
    au_cause_answer a = au_cause_ask(s->s, q);
    c->forms++;
    c->choices += au_cause_search_stats(s->s)->chose;
    c->unknown += a == AU_CAUSE_UNKNOWN;
    if (a == AU_CAUSE_UNKNOWN ? s->odd : (a == AU_CAUSE_FEASIBLE) == is_so)
        return true;
    printf("read %d of x%u sees write %d (%s): %s, but %s says %s\n", (int)q->read, q->var,
           (int)q->write - 1, forms[q->form], answers[a], who, is_so ? "yes" : "no");
    return false;
}

static bool solver_agrees(sides *s, const au_cause_question *q, bool is_so, counts *c) {
    if (q->read == AU_NONE || s->t->events.op[q->read] == AU_OP_RMW)
        return true; /* the model pins what an update replaces */
    au_query ask = {.kind = AU_ASK_NONDET,
                    .step = {s->step_of[q->read], AU_NONE, AU_NONE},
                    .var = s->m->step.at[s->step_of[q->read]].access[0].var,
                    .obj = AU_NONE,
                    .writer = q->write ? s->step_of[q->write - 1] : AU_NONE};
    au_solve_limits limits = {0};
    au_solution r;
    au_solver_ask(s->solver, &ask, &limits, &r);
    bool good = r.answer == (is_so ? AU_SAT : AU_UNSAT);
    c->solved++;
    if (!good)
        printf("read %u sees write %d: the solver says %d\n", q->read, (int)q->write - 1,
               (int)r.answer);
    au_solution_release(&r);
    return good;
}

/* A form that cannot be has a proof, one that can has none. The model pins what an update replaces. */
static bool is_certified(sides *s, const au_cause_question *q, uint32_t w, bool is_so, counts *c) {
    if (!s->certify || (q->read == AU_NONE ? s->waits : s->t->events.op[q->read] == AU_OP_RMW))
        return true;
    uint32_t any = q->write ? q->write - 1 : w ? w - 1 : q->read;
    if (any == AU_NONE)
        return true;
    au_ref_question ask = {.kind = AU_REF_NONDET,
                           .step = {q->read == AU_NONE ? AU_NONE : s->step_of[q->read],
                                    w ? s->step_of[w - 1] : AU_NONE, AU_NONE},
                           .var = s->m->step.at[s->step_of[any]].access[0].var,
                           .obj = AU_NONE,
                           .writer = q->write ? s->step_of[q->write - 1] : AU_NONE,
                           .write =
                               q->form == AU_FORM_ANY ? AU_REF_FORM_ANY : (uint32_t)q->form + 1};
    au_out *out = au_out_memory();
    bool good =
        au_certified_question(s->m, false, &ask, is_so ? AU_SAT : AU_UNSAT, &c->certified, out);
    size_t n;
    const char *text = au_out_memory_data(out, &n);
    if (!good)
        printf("read %d sees write %d (%s): %.*s", (int)q->read, (int)q->write - 1, forms[q->form],
               (int)n, text);
    au_out_abandon(out);
    return good;
}

static bool ask_all(sides *s, uint32_t read, uint32_t var, counts *c) {
    const au_columns *x = &s->t->events;
    bool good = true;
    uint32_t w = read == AU_NONE ? UINT32_MAX : s->b.writer[read];
    for (uint32_t d = 0; d <= x->n && good; d++) {
        if ((d && (!is_write(x->op[d - 1]) || x->obj[d - 1] != var)) || d == w || d == read + 1)
            continue;
        au_cause_question q = {read, var, d, AU_FORM_ANY};
        uint32_t row = read == AU_NONE ? (uint32_t)x->n + var : read;
        bool is_so = *place(&s->b, row, d, AU_FORM_ANY);
        c->questions++;
        c->feasible += is_so;
        good = compare(s, &q, is_so, "brute force", c);
        /* The model pins what an update replaces, and its ends are not those of a trace that
         * stops in a wait. */
        bool apart = read == AU_NONE ? !s->plain : x->op[read] == AU_OP_RMW;
        if (good && s->r && !apart && oracle_sees(s, read, var, d) != is_so) {
            printf("read %d sees write %d: the oracle and brute force disagree\n", (int)read,
                   (int)d - 1);
            good = false;
        }
        if (good && s->solver)
            good = solver_agrees(s, &q, is_so, c);
        good = good && is_certified(s, &q, read == AU_NONE ? 0 : w, is_so, c);
        for (int f = 0; f < AU_FORM_ANY && good && read != AU_NONE; f++) {
            q.form = (au_form)f;
            bool form = *place(&s->b, read, d, f);
            if (f == AU_FORM_ABSENT)
                form |= *place(&s->b, read, d, AU_FORM_LATER);
            good = compare(s, &q, form, "brute force", c) && is_certified(s, &q, w, form, c);
        }
    }
    return good;
}

/* --- the whole stage, with what witnesses share ------------------------------------------- */

typedef struct {
    sides *s;
    uint64_t told;
    bool good;
    uint32_t event[256], n; /* the order of the last one */
} listener;

static bool found(void *ctx, const au_nondet_pair *p) {
    listener *l = ctx;
    const au_columns *x = &l->s->t->events;
    uint32_t row = p->read == AU_NONE ? (uint32_t)x->n + p->var : p->read;
    if (p->feasible && !*place(&l->s->b, row, p->c, AU_FORM_ANY)) {
        printf("the stage says that read %d sees write %d\n", (int)p->read, (int)p->c - 1);
        l->good = false;
    }
    l->told += p->feasible;
    return p->feasible;
}

/* The order shows it, says the checker of schedules. */
static void told(void *ctx, const au_nondet_pair *p, const uint32_t *order, size_t n) {
    listener *l = ctx;
    const au_columns *x = &l->s->t->events;
    if (p->read == AU_NONE)
        return;
    au_turn turn[256];
    au_event_ref event[2] = {{.number = UINT64_MAX}, {0}};
    au_finding f = {
        .kind = AU_KIND_NONDET, .obj = p->var, .detail = "", .event = event, .n_events = 2};
    uint64_t done[4] = {0};
    f.schedule = (au_schedule){turn, 0};
    for (size_t i = 0; i <= n; i++) {
        uint32_t e = i < n ? order[i] : p->read;
        turn[f.schedule.n].thread = x->thread[e];
        turn[f.schedule.n++].upto = ++done[x->thread[e]];
    }
    for (int i = 0; i < 2; i++) {
        uint32_t e = i ? p->read : p->c - 1;
        if (!i && !p->c)
            continue;
        event[i] = (au_event_ref){.number = e, .thread = x->thread[e], .op = x->op[e]};
        for (uint32_t k = 0; k <= e; k++)
            event[i].index += x->thread[k] == x->thread[e];
    }
    au_checker *k = au_checker_new(l->s->t);
    au_check_result r;
    au_checker_run(k, &f, &r);
    if (r.verdict != AU_CHECK_SHOWN) {
        printf("the checker refuses the order for read %u, write %d: %s\n", p->read, (int)p->c - 1,
               r.why);
        l->good = false;
    }
    au_checker_free(k);
}

static bool run_stage(sides *s, au_cause_exec *walker, au_cause_exec *checker, counts *c) {
    const au_columns *x = &s->t->events;
    listener l = {.s = s, .good = true};
    au_nondet_options o = {.walker = walker,
                           .checker = checker,
                           .most = 1000,
                           .ahead = s->t->events.n % 2, /* 1: every read */
                           .found = found,
                           .told = told,
                           .ctx = &l};
    au_nondet_counts n, alone;
    au_error err = AU_ERROR_NONE;
    if (au_nondet(s->t, &o, &n, &err) != AU_OK)
        return false;
    uint64_t shared = l.told;
    o.alone = true;
    l.told = 0;
    if (au_nondet(s->t, &o, &alone, &err) != AU_OK)
        return false;
    uint64_t want = 0; /* pairs of shared variables */
    for (uint32_t v = 0; v < s->t->names.var.n; v++) {
        bool two = false, write = false;
        uint32_t last = 0, first = UINT32_MAX;
        for (uint32_t e = 0; e < x->n; e++)
            if (au_op_is_access(x->op[e]) && x->obj[e] == v) {
                first = first == UINT32_MAX ? x->thread[e] : first;
                two |= x->thread[e] != first;
                write |= is_write(x->op[e]);
                last = is_write(x->op[e]) ? e + 1 : last;
            }
        for (uint32_t e = 0; e <= x->n && two && write; e++)
            for (uint32_t d = 0; d <= x->n; d++)
                want += e < x->n ? is_read(x->op[e]) && x->obj[e] == v &&
                                       *place(&s->b, e, d, AU_FORM_ANY)
                                 : d != last && *place(&s->b, (uint32_t)x->n + v, d, AU_FORM_ANY);
    }
    uint64_t sum = n.cycle + n.shared + n.direct + n.chosen + n.refuted + n.open;
    uint64_t sum2 = alone.cycle + alone.direct + alone.chosen + alone.refuted + alone.open;
    bool good = l.good && sum == n.all && sum2 == alone.all && n.all == alone.all &&
                (n.open || alone.open ||
                 (shared == want && l.told == want &&
                  n.shared + n.direct + n.chosen == alone.direct + alone.chosen));
    if (!good)
        printf(
            "the stage: %llu witnesses, %llu accounted for, %llu alone; %llu and %llu pairs, not "
            "%llu\n",
            (unsigned long long)n.all, (unsigned long long)sum, (unsigned long long)sum2,
            (unsigned long long)shared, (unsigned long long)l.told, (unsigned long long)want);
    c->witnesses += n.all;
    c->shared += n.shared;
    return good;
}

/* --- the filter for races and broken blocks ------------------------------------------------- */

static bool oracle_races(const au_oracle_result *r, uint32_t a, uint32_t b) {
    for (size_t i = 0; i < r->finding.n; i++) {
        const au_oracle_finding *f = &r->finding.at[i];
        if (f->kind == AU_FOUND_RACE && ((f->event[0].step == a && f->event[1].step == b) ||
                                         (f->event[0].step == b && f->event[1].step == a)))
            return true;
    }
    return false;
}

static bool oracle_breaks(const au_oracle_result *r, uint32_t e1, uint32_t f, uint32_t e2) {
    for (size_t i = 0; i < r->finding.n; i++) {
        const au_oracle_finding *g = &r->finding.at[i];
        if (g->kind == AU_FOUND_ATOMICITY && g->event[0].step == e1 && g->event[1].step == f &&
            g->event[2].step == e2)
            return true;
    }
    return false;
}

/* What the filter refutes the oracle does not find, in the model in which what follows a read
 * needs the value it saw. */
static bool filters(const sides *s, counts *c) {
    const au_columns *x = &s->t->events;
    au_error err = AU_ERROR_NONE;
    au_oracle_options oo = AU_ORACLE_DEFAULTS;
    oo.max_states = 50000;
    oo.props = AU_PROP_RACE | AU_PROP_ATOMICITY;
    oo.atomic = AU_ATOMIC_CRITICAL;
    au_oracle_result *r = au_oracle_run(s->m, &oo, &err);
    au_cause_options o = {.by_value = true};
    au_cause *g = au_cause_new(s->t, &o, &err);
    au_cause_search *k = au_cause_search_new(g, NULL, 1);
    bool good = true;
    for (uint32_t a = 0; r && r->exhaustive && a < x->n && good; a++)
        for (uint32_t b = 0; b < x->n && good; b++) {
            if (!au_op_is_access(x->op[a]) || !au_op_is_access(x->op[b]) ||
                x->obj[a] != x->obj[b] || x->thread[a] == x->thread[b])
                continue;
            uint32_t sa = au_query_event(s->m, s->step_of[a]);
            uint32_t sb = au_query_event(s->m, s->step_of[b]);
            bool plain = x->op[a] <= AU_OP_WRITE || x->op[b] <= AU_OP_WRITE;
            if (a < b && plain && (is_write(x->op[a]) || is_write(x->op[b]))) {
                bool can = au_cause_can_race(k, a, b), does = oracle_races(r, sa, sb);
                c->races += !does;
                c->races_out += !can;
                good = can || !does;
            }
            for (uint32_t e = a + 1; e < x->n && good; e++) {
                if (!au_op_is_access(x->op[e]) || x->obj[e] != x->obj[a] ||
                    x->thread[e] != x->thread[a])
                    continue;
                uint32_t se = au_query_event(s->m, s->step_of[e]);
                bool can = au_cause_can_break(k, a, b, e), does = oracle_breaks(r, sa, sb, se);
                c->blocks_out += !can;
                good = can || !does;
            }
            if (!good)
                printf("the filter refutes what the oracle finds: %u %u\n", a, b);
        }
    au_cause_search_free(k);
    au_cause_free(g);
    au_oracle_free(r);
    return good;
}

static bool one_trace(uint64_t seed, counts *c) {
    au_rng rng;
    au_error err = AU_ERROR_NONE;
    au_rng_init(&rng, au_hash_join(seed, 97));
    unsigned what = au_rng_below(&rng, 3) == 0 ? ST_ALL
                    : au_rng_below(&rng, 2)
                        ? ST_RECURSION | ST_RWLOCK | ST_COND | ST_FORK | ST_ATOMIC | ST_ONCE
                        : 0;
    sides s = {.t = au_sync_trace(&rng, 2 + au_rng_below(&rng, 3), 8 + au_rng_below(&rng, 10),
                                  2 + au_rng_below(&rng, 2), what)};
    s.plain = !what;
    number_values(s.t);
    au_checker *walker = au_checker_new(s.t), *checker = au_checker_new(s.t);
    au_cause_options o = {.pairs = false};
    au_cause *g = au_cause_new(s.t, &o, &err);
    au_cause_exec exec = {checker, x_begin, x_go, x_last, x_mark, x_rewind};
    s.s = au_cause_search_new(g, &exec, 1000);
    s.odd = au_cause_is_odd(g);
    bool good = true;
    c->traces++;
    if (brute_force(&s.b, s.t, walker)) {
        s.m = au_model_from_trace_open(s.t, &s.step_of, &err);
        if (s.m) {
            au_model_observe(s.m);
            au_oracle_options oo = AU_ORACLE_DEFAULTS;
            oo.max_states = 50000;
            oo.keep_reads = true;
            oo.props = AU_PROP_NONDET;
            s.r = au_oracle_run(s.m, &oo, &err);
            if (s.r && !s.r->exhaustive) {
                au_oracle_free(s.r);
                s.r = NULL;
            }
            au_solve_options so = AU_SOLVE_DEFAULTS;
            if (!what && seed % 8 == 0)
                s.solver = au_solver_new(s.m, &so, &err);
            s.certify = seed % 8 == 1;
            for (size_t e = 0; e < s.t->events.n; e++)
                s.waits |= s.t->events.op[e] == AU_OP_WAIT || s.t->events.op[e] == AU_OP_ARRIVE ||
                           s.t->events.op[e] == AU_OP_DOWN;
        }
        for (uint32_t e = 0; e < s.t->events.n && good; e++)
            if (is_read(s.t->events.op[e]))
                good = ask_all(&s, e, s.t->events.obj[e], c);
        for (uint32_t v = 0; v < s.t->names.var.n && good; v++)
            good = ask_all(&s, AU_NONE, v, c);
        good = good && (!s.m || filters(&s, c));
        au_cause_exec other = exec;
        other.ctx = walker;
        good = good && run_stage(&s, &other, &exec, c);
        c->learned += au_cause_search_stats(s.s)->learned;
    } else {
        c->skipped++;
    }
    if (!good) {
        printf("seed %llu\n", (unsigned long long)seed);
        fflush(stdout);
        au_sync_trace_print(s.t);
    }
    free(s.b.seen);
    au_solver_free(s.solver);
    au_oracle_free(s.r);
    au_model_free(s.m);
    free(s.step_of);
    au_cause_search_free(s.s);
    au_cause_free(g);
    au_checker_free(walker);
    au_checker_free(checker);
    au_trace_free(s.t);
    return good;
}

int main(int argc, char **argv) {
    cases all = {.count = 100, .seed = 1, .most = 1};
    uint64_t bad = 0;
    au_cases_options(&all, argc, argv, NULL);
    counts c = {0};
    for (uint64_t i = 0; i < all.count && bad < all.most; i++)
        bad += !one_trace(au_cases_seed(&all, i), &c);
    printf("%llu traces (%llu skipped), %llu reads and writes: %llu feasible; %llu questions with "
           "forms (%llu unknown, %llu with choices, %llu cycles learned), %llu asked of the "
           "solver; %llu witnesses, %llu of them shown on shared walks; "
           "filter: %llu of %llu pairs that do not race, %llu triples; %llu certified; %llu "
           "disagreements\n",
           (unsigned long long)c.traces, (unsigned long long)c.skipped,
           (unsigned long long)c.questions, (unsigned long long)c.feasible,
           (unsigned long long)c.forms, (unsigned long long)c.unknown,
           (unsigned long long)c.choices, (unsigned long long)c.learned,
           (unsigned long long)c.solved, (unsigned long long)c.witnesses,
           (unsigned long long)c.shared, (unsigned long long)c.races_out,
           (unsigned long long)c.races, (unsigned long long)c.blocks_out,
           (unsigned long long)c.certified.proofs, (unsigned long long)bad);
    return bad != 0;
}
