/* tests/random/random_symbolic.c: models of traces with knowledge against the models that the traces
 * are of.
 *
 * A small random model is run in a random order; the run becomes a trace, and what the model's terms
 * say becomes knowledge. The model made of both must give the oracle the same answers as the
 * first one: which assertions fail, which accesses race, which write each read can see. If
 * some reads are pinned, it must give no others. A slice gives the same answers about what it was
 * made for. */
#include "base/clock.h"
#include "base/rng.h"
#include "model/ctp.h"
#include "model/from_trace.h"
#include "model/run.h"
#include "model/symbolic.h"
#include "oracle/oracle.h"
#include "same_model.h"
#include "sync_trace.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- random models ------------------------------------------------------------------------- */

enum { VARS = 3, LOCALS = 3 };

typedef struct {
    au_rng rng;
    au_out *out;
} writer;

static uint32_t below(writer *w, uint32_t n) {
    return au_rng_below(&w->rng, n);
}

static void expr(writer *w) {
    switch (below(w, 5)) {
    case 0:
        au_out_printf(w->out, "%u", below(w, 3));
        break;
    case 1:
        au_out_printf(w->out, "r%u + %u", below(w, LOCALS), 1 + below(w, 2));
        break;
    case 2:
        au_out_printf(w->out, "r%u + r%u", below(w, LOCALS), below(w, LOCALS));
        break;
    case 3:
        au_out_printf(w->out, "r%u > %u ? 1 : r%u", below(w, LOCALS), below(w, 3),
                      below(w, LOCALS));
        break;
    default:
        au_out_printf(w->out, "r%u", below(w, LOCALS));
    }
}

static void cond(writer *w) {
    static const char *const op[] = {"==", "!=", "<", ">"};
    au_out_printf(w->out, "r%u %s %u", below(w, LOCALS), op[below(w, 4)], below(w, 3));
}

static void statement(writer *w) {
    uint32_t a = below(w, VARS), b = (a + 1 + below(w, VARS - 1)) % VARS;
    au_out_str(w->out, "  ");
    switch (below(w, 14)) {
    case 0:
    case 1:
    case 2:
        au_out_printf(w->out, "r%u := x%u", below(w, LOCALS), a);
        break;
    case 3:
    case 4:
        au_out_printf(w->out, "x%u := ", a);
        expr(w);
        break;
    case 5:
        au_out_printf(w->out, "[x%u := x%u + %u]", a, a, 1 + below(w, 2));
        break;
    case 6:
        au_out_printf(w->out, "[r0 := x%u; x%u := r0 == %u ? %u : x%u]", a, a, below(w, 3),
                      below(w, 3), a);
        break;
    case 7:
        au_out_printf(w->out, "[r0 := x%u; r1 := x%u]", a, b);
        break;
    case 8:
        au_out_printf(w->out, "[x%u := r0 + 1; x%u := r1]", a, b);
        break;
    case 9:
        au_out_printf(w->out, "[x%u := x%u; r2 := x%u]", a, b, b);
        break;
    case 10:
        au_out_str(w->out, "assume ");
        cond(w);
        break;
    case 11:
        au_out_str(w->out, "assert ");
        cond(w);
        break;
    case 12:
        au_out_str(w->out, "if (");
        cond(w);
        au_out_printf(w->out, ") { x%u := r1 } else { x%u := r1 }", a, b);
        break;
    default:
        au_out_str(w->out, "if (");
        cond(w);
        au_out_printf(w->out, ") { r2 := x%u } else { r2 := x%u }", a, b);
    }
    au_out_char(w->out, '\n');
}

static char *random_text(uint64_t seed) {
    writer w = {.out = au_out_memory()};
    au_rng_init(&w.rng, seed);
    uint32_t threads = 2 + below(&w, 2), locked = below(&w, 3);
    for (int v = 0; v < VARS; v++)
        au_out_printf(w.out, "shared x%d = %u\n", v, below(&w, 3));
    au_out_str(w.out, "lock l\nsem s = 1\n");
    for (uint32_t t = 0; t < threads; t++) {
        au_out_printf(w.out, "thread T%u {\n  local r0, r1, r2\n", t);
        uint32_t n = 2 + below(&w, threads == 2 ? 5 : 3), from = below(&w, n), to = below(&w, n);
        bool forks = t == 0 && threads == 2 && below(&w, 3) == 0;
        if (forks)
            au_out_str(w.out, "  fork T1\n");
        for (uint32_t i = 0; i < n; i++) {
            if (locked && i == from && from <= to)
                au_out_str(w.out, locked == 1 ? "  acq l\n" : "  acq s\n");
            statement(&w);
            if (locked && i == to && from <= to)
                au_out_str(w.out, locked == 1 ? "  rel l\n" : "  rel s\n");
        }
        if (forks && below(&w, 2)) {
            au_out_str(w.out, "  join T1\n");
            statement(&w);
            statement(&w);
        }
        au_out_str(w.out, "}\n");
    }
    size_t n;
    char *text = au_strdup(au_out_memory_data(w.out, &n));
    au_out_abandon(w.out);
    return text;
}

/* ---- a run and what is known of it ----------------------------------------------------------- */

typedef struct {
    au_model *m;
    au_rng *rng;
    uint64_t *value;
    uint32_t *node;  /* by thread, AU_NONE: stopped … */
    uint32_t *stand; /* … there */
    au_trace *t;
    AU_VEC(uint32_t) run;
    AU_VEC(uint32_t) first; /* by event: the first of its step */
} runner;

static bool enabled(const runner *r, const au_step *s) {
    uint32_t started = r->m->thread.at[s->thread].started;
    return (started == AU_NONE || r->value[started]) &&
           au_term_eval(r->m->terms, s->guard, r->value);
}

static bool take(runner *r, uint32_t thread) {
    if (r->node[thread] == AU_NONE)
        return false;
    const au_node *n = &r->m->thread.at[thread].node.at[r->node[thread]];
    uint32_t started = r->m->thread.at[thread].started;
    bool waits = started != AU_NONE && !r->value[started];
    for (size_t i = 0; i < n->out.n; i++) {
        const au_step *s = &r->m->step.at[n->out.at[i]];
        waits |= s->blocking;
        if (!enabled(r, s))
            continue;
        au_vec_push(&r->run, s->id);
        if (!au_term_eval(r->m->terms, s->cond, r->value)) {
            r->stand[thread] = s->dst;
            r->node[thread] = AU_NONE;
            return true;
        }
        uint64_t next[16];
        for (uint32_t k = 0; k < s->n_updates; k++)
            next[k] = au_term_eval(r->m->terms, s->update[k].value, r->value);
        for (uint32_t k = 0; k < s->n_updates; k++)
            r->value[s->update[k].var] = next[k];
        r->stand[thread] = r->node[thread] = s->dst;
        return true;
    }
    if (n->out.n && !waits)
        r->node[thread] = AU_NONE;
    return false;
}

/* Its next step is no event: it comes along with the one before, as in a recording. And
 * nobody stops inside of an if. */
static bool is_silent(const runner *r, uint32_t thread) {
    if (r->m->step.at[au_vec_last(&r->run)].kind == AU_STEP_BRANCH)
        return true;
    const au_node *n = &r->m->thread.at[thread].node.at[r->node[thread]];
    const au_step *s = n->out.n ? &r->m->step.at[n->out.at[0]] : NULL;
    return s && !s->n_accesses &&
           (s->kind == AU_STEP_ASSIGN || s->kind == AU_STEP_ASSUME || s->kind == AU_STEP_ASSERT);
}

static void run(runner *r) {
    uint32_t threads = (uint32_t)r->m->thread.n;
    for (int idle = 0; idle < 30;) {
        uint32_t t = au_rng_below(r->rng, threads);
        int turn = 1 + (int)au_rng_below(r->rng, 4);
        bool moved = false;
        while ((turn-- > 0 || (moved && is_silent(r, t))) && take(r, t)) {
            moved = true;
            if (r->node[t] == AU_NONE)
                return; /* an assertion failed: so does the program */
        }
        idle = moved ? 0 : idle + 1;
    }
}

/* Trace and knowledge of it. */
typedef struct {
    au_model *m;
    au_rng *rng;
    bool pins; /* some reads are not symbolic */
    au_trace *t;
    au_symbolic s;
    au_term *env;       /* by variable of m: what a local holds, what the step at hand reads */
    uint32_t *event_of; /* by step of m: the event of its first access, AU_NONE */
    uint32_t *fact_of;  /* by step of m */
    uint32_t *last;     /* by thread: its last event, AU_NONE */
    struct {
        au_term when;   /* its next step is one side of an if: the other side's condition … */
        uint32_t other; /* … and step, AU_NONE */
    } * side;           /* by thread */
    uint64_t pinned;
    const uint32_t *first; /* by event: the first of its step */
} teller;

static au_term told(void *ctx, uint32_t var, unsigned width) {
    teller *k = ctx;
    (void)width;
    return k->env[var];
}

static au_term term(teller *k, au_term x) {
    au_map memo;
    au_map_init(&memo);
    au_term r = au_term_translate(k->s.terms, k->m->terms, x, told, k, &memo);
    au_map_release(&memo);
    return r;
}

static uint32_t put(au_trace *t, const au_model *m, const au_step *s, au_op op, uint32_t obj,
                    const int64_t *value) {
    uint32_t who = au_intern_add(&t->names.thread, m->thread.at[s->thread].name,
                                 strlen(m->thread.at[s->thread].name));
    au_columns_push(&t->events, op, (uint16_t)who, obj, AU_NO_LOC, value);
    return (uint32_t)t->events.n - 1;
}

static uint32_t named(au_intern *names, const char *name) {
    return au_intern_add(names, name, strlen(name));
}

static bool touches(const au_step *s, uint32_t var, bool write) {
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (s->access[i].var == var && s->access[i].write == write)
            return true;
    return false;
}

/* The events of the trace first: knowledge needs their number. */
static void add_events(runner *r, const au_step *s) {
    au_trace *t = r->t;
    const au_model *m = r->m;
    uint64_t n = 0;
    uint16_t who = (uint16_t)named(&t->names.thread, m->thread.at[s->thread].name);
    for (uint32_t i = 0; i < s->n_accesses; i++) {
        uint32_t v = s->access[i].var;
        bool write = s->access[i].write, both = touches(s, v, !write) && s->n_accesses == 2;
        if (both && !write)
            continue;
        uint64_t now = r->value[v];
        for (uint32_t k = 0; k < s->n_updates && write; k++)
            if (s->update[k].var == v)
                now = au_term_eval(m->terms, s->update[k].value, r->value);
        int64_t value = (int32_t)now;
        bool atomic = s->indivisible;
        put(t, m, s,
            both     ? AU_OP_RMW
            : write  ? (atomic ? AU_OP_AWRITE : AU_OP_WRITE)
            : atomic ? AU_OP_AREAD
                     : AU_OP_READ,
            named(&t->names.var, m->var.at[v].name), &value);
        n++;
    }
    static const struct {
        au_step_kind kind;
        au_op op;
    } sync[] = {{AU_STEP_ACQ, AU_OP_ACQ},
                {AU_STEP_REL, AU_OP_REL},
                {AU_STEP_FORK, AU_OP_FORK},
                {AU_STEP_JOIN, AU_OP_JOIN}};
    for (size_t i = 0; i < sizeof sync / sizeof *sync; i++) {
        if (sync[i].kind != s->kind)
            continue;
        bool thread = s->kind == AU_STEP_FORK || s->kind == AU_STEP_JOIN;
        uint32_t obj;
        if (thread) {
            obj = named(&t->names.thread, m->thread.at[s->obj].name);
        } else {
            const au_sync_obj *o = &m->obj.at[s->obj];
            obj = named(&t->names.lock, o->name);
            au_names_set_sync(&t->names, obj,
                              o->kind == AU_OBJ_SEM ? AU_WIRE_OBJ_SEM : AU_WIRE_OBJ_LOCK, o->init);
        }
        put(t, m, s, sync[i].op, obj, NULL);
        n++;
    }
    for (uint32_t at = (uint32_t)r->first.n; r->first.n < t->events.n;)
        au_vec_push(&r->first, at);
    if (n)
        au_hooks_note(&t->hooks, who, n, false);
}

/* The first event of this step is 'at'. */
static uint32_t know_access(teller *k, const au_step *s, uint32_t at) {
    const au_model *m = k->m;
    k->event_of[s->id] = at;
    if (k->side[s->thread].other != AU_NONE)
        k->event_of[k->side[s->thread].other] = at;
    uint32_t read[16], n = 0, e = at;
    for (uint32_t i = 0; i < s->n_accesses; i++) {
        uint32_t v = s->access[i].var;
        bool write = s->access[i].write, both = touches(s, v, !write) && s->n_accesses == 2;
        if (!write) {
            bool symbolic =
                !k->pins || k->side[s->thread].other != AU_NONE || au_rng_below(k->rng, 4);
            k->pinned += !symbolic;
            int64_t value = k->t->events.value[e];
            if (symbolic)
                au_bitset_add(&k->s.symbolic, e);
            if (symbolic || both) /* of an RMW that is pinned nothing is known at all */
                k->env[v] = au_term_of_var(k->s.terms, e, 32);
            else
                k->env[v] = au_term_const(k->s.terms, 32, (uint64_t)value);
            if (both) {
                au_bitset_add(&k->s.symbolic, e);
                k->env[v] = au_term_of_var(k->s.terms, e, 32);
                continue;
            }
        }
        read[n++] = v;
        e++;
    }
    (void)read;
    for (uint32_t i = 0, w = at; i < s->n_accesses; i++) {
        uint32_t v = s->access[i].var;
        bool write = s->access[i].write, both = touches(s, v, !write) && s->n_accesses == 2;
        if (both && !write)
            continue;
        for (uint32_t u = 0; u < s->n_updates && write; u++)
            if (s->update[u].var == v)
                k->s.write[w] = term(k, s->update[u].value);
        w++;
    }
    if (k->side[s->thread].other != AU_NONE) {
        const au_step *o = &m->step.at[k->side[s->thread].other];
        au_vec_push(&k->s.elsewhere,
                    ((au_elsewhere){at, k->side[s->thread].when,
                                    named(&k->t->names.var, m->var.at[o->access[0].var].name)}));
    }
    return e;
}

static void add_fact(teller *k, const au_step *s, au_fact_kind kind, au_term x) {
    uint16_t who = (uint16_t)named(&k->t->names.thread, k->m->thread.at[s->thread].name);
    uint32_t nothing = au_intern_add(&k->s.strings, "", 0);
    k->fact_of[s->id] = (uint32_t)k->s.fact.n;
    au_fact f = {k->last[s->thread], who, (uint8_t)kind, x, nothing, 0, nothing};
    au_vec_push(&k->s.fact, f);
}

static void know(teller *k, const au_step *s, uint32_t *next) {
    const au_model *m = k->m;
    uint32_t at = *next;
    if (s->kind == AU_STEP_BRANCH) {
        const au_node *n = &m->thread.at[s->thread].node.at[s->src];
        uint32_t side = n->out.at[0] == s->id ? n->out.at[1] : n->out.at[0];
        const au_step *b = &m->step.at[side];
        k->side[s->thread].when = term(k, b->guard);
        k->side[s->thread].other = m->thread.at[s->thread].node.at[b->dst].out.at[0];
        return;
    }
    if (s->n_accesses) {
        *next = know_access(k, s, at);
        k->last[s->thread] = *next - 1;
    } else if (s->kind == AU_STEP_ACQ || s->kind == AU_STEP_REL || s->kind == AU_STEP_FORK ||
               s->kind == AU_STEP_JOIN) {
        k->last[s->thread] = (*next)++;
    }
    if (s->kind == AU_STEP_ASSUME)
        add_fact(k, s, AU_FACT_ASSUME, term(k, s->guard));
    if (s->kind == AU_STEP_ASSERT)
        add_fact(k, s, AU_FACT_ASSERT, term(k, s->cond));
    au_term now[16];
    for (uint32_t u = 0; u < s->n_updates; u++)
        if (m->var.at[s->update[u].var].kind == AU_VAR_LOCAL)
            now[u] = term(k, s->update[u].value);
    for (uint32_t u = 0; u < s->n_updates; u++)
        if (m->var.at[s->update[u].var].kind == AU_VAR_LOCAL)
            k->env[s->update[u].var] = now[u];
    k->side[s->thread].other = AU_NONE;
}

static void tell(teller *k, const runner *r) {
    const au_model *m = k->m;
    au_symbolic_init(&k->s, k->t);
    k->env = au_alloc_array(m->var.n, sizeof *k->env);
    k->event_of = au_alloc_array(m->step.n, sizeof *k->event_of);
    k->fact_of = au_alloc_array(m->step.n, sizeof *k->fact_of);
    k->last = au_alloc_array(m->thread.n, sizeof *k->last);
    memset(k->event_of, 0xff, m->step.n * sizeof *k->event_of);
    memset(k->fact_of, 0xff, m->step.n * sizeof *k->fact_of);
    memset(k->last, 0xff, m->thread.n * sizeof *k->last);
    k->side = au_alloc_array(m->thread.n, sizeof *k->side);
    for (size_t i = 0; i < m->thread.n; i++)
        k->side[i].other = AU_NONE;
    for (size_t v = 0; v < m->var.n; v++) {
        k->env[v] = au_term_const(k->s.terms, m->var.at[v].width, m->var.at[v].init);
        if (m->var.at[v].kind == AU_VAR_SHARED) {
            uint32_t x = named(&k->t->names.var, m->var.at[v].name);
            au_bitset_add(&k->s.init_known, x);
            k->s.init[x] = m->var.at[v].init;
        }
    }
    uint32_t next = 0;
    for (size_t i = 0; i < r->run.n; i++)
        know(k, &m->step.at[r->run.at[i]], &next);
}

static void forget(teller *k) {
    au_symbolic_release(&k->s);
    free(k->env);
    free(k->event_of);
    free(k->fact_of);
    free(k->last);
    free(k->side);
}

/* ---- answers --------------------------------------------------------------------------------------- */

typedef AU_VEC(char *) answers;

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void release(answers *a) {
    for (size_t i = 0; i < a->n; i++)
        free(a->at[i]);
    au_vec_release(a);
}

/* Step of the model: event and fact it is of, AU_NONE. */
typedef struct {
    const uint32_t *event, *fact;
} naming;

static bool answers_of(const au_model *m, const naming *n, answers *into) {
    au_error err = AU_ERROR_NONE;
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    o.props = AU_PROP_ASSERT | AU_PROP_RACE | AU_PROP_NONDET;
    o.max_states = 300000;
    au_oracle_result *r = au_oracle_run(m, &o, &err);
    if (!r) {
        fprintf(stderr, "oracle: %s\n", err.text);
        return false;
    }
    bool all = r->exhaustive;
    for (size_t i = 0; i < r->finding.n; i++) {
        const au_oracle_finding *f = &r->finding.at[i];
        if (f->kind == AU_FOUND_ASSERT) {
            uint32_t fact = n->fact[f->event[0].step];
            if (fact != AU_NONE)
                au_vec_push(into, au_sprintf("fact %u fails", fact));
        } else if (f->kind == AU_FOUND_RACE) {
            uint32_t a = n->event[f->event[0].step], b = n->event[f->event[1].step];
            if (a != AU_NONE && b != AU_NONE)
                au_vec_push(into, au_sprintf("events %u and %u race on %s", a < b ? a : b,
                                             a < b ? b : a, m->var.at[f->var].name));
        }
    }
    for (size_t i = 0; i < r->read_from.n; i++) {
        const au_read_from *f = &r->read_from.at[i];
        uint32_t a = f->read == AU_NONE ? AU_NONE : n->event[f->read];
        uint32_t b = f->writer == AU_NONE ? AU_NONE : n->event[f->writer];
        if (a != AU_NONE && (f->writer == AU_NONE || b != AU_NONE))
            au_vec_push(into,
                        au_sprintf("event %u sees %s of %d", a, m->var.at[f->var].name, (int)b));
    }
    au_oracle_free(r);
    if (into->n)
        qsort(into->at, into->n, sizeof *into->at, by_text);
    size_t kept = 0;
    for (size_t i = 0; i < into->n; i++) {
        if (kept && !strcmp(into->at[kept - 1], into->at[i]))
            free(into->at[i]);
        else
            into->at[kept++] = into->at[i];
    }
    into->n = kept;
    return all;
}

static bool has(const answers *a, const char *s) {
    for (size_t i = 0; i < a->n; i++)
        if (!strcmp(a->at[i], s))
            return true;
    return false;
}

/* Everything in a is in b. */
static size_t missing(const answers *a, const answers *b, const char *what) {
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++)
        if (!has(b, a->at[i])) {
            n++;
            printf("%s: %s\n", what, a->at[i]);
        }
    return n;
}

/* Events and facts of the steps of a model made of a trace. The other places of an access stand
 * before it. */
static void name_steps(const au_model *m, const au_symbolic *s, const au_symbolic_map *map,
                       const uint32_t *first, uint32_t **event, uint32_t **fact) {
    *event = au_alloc_array(m->step.n, sizeof **event);
    *fact = au_alloc_array(m->step.n, sizeof **fact);
    memset(*event, 0xff, m->step.n * sizeof **event);
    memset(*fact, 0xff, m->step.n * sizeof **fact);
    for (size_t e = map->last; e-- > map->first;)
        if (map->step_of[e - map->first] != AU_NONE && au_op_is_access(s->trace->events.op[e]))
            (*event)[map->step_of[e - map->first]] = first[e];
    for (size_t f = 0; f < s->fact.n; f++)
        if (au_symbolic_fact(map, f) != AU_NONE)
            (*fact)[au_symbolic_fact(map, f)] = (uint32_t)f;
    uint32_t after = AU_NONE;
    for (size_t i = m->step.n; i-- > 0;) {
        if ((*event)[i] != AU_NONE)
            after = (*event)[i];
        else if (m->step.at[i].kind == AU_STEP_ASSIGN && m->step.at[i].n_accesses)
            (*event)[i] = after;
    }
}

typedef struct {
    uint64_t models, skipped, answers, elsewhere, pinned, slices, sliced, sync, parts, in_parts;
} counts;

/* ---- slices ------------------------------------------------------------------------------ */

/* Some facts and events; an answer is about them if it names nothing else. */
typedef struct {
    au_bitset facts, events;
} targets;

static bool is_target(const teller *k, const targets *g, uint32_t group, const char *var) {
    for (uint32_t e = group; e < k->t->events.n && k->first[e] == group; e++) {
        bool here = !strcmp(au_intern_str(&k->t->names.var, k->t->events.obj[e]), var);
        for (size_t i = 0; i < k->s.elsewhere.n; i++)
            here |= k->s.elsewhere.at[i].event == e &&
                    !strcmp(au_intern_str(&k->t->names.var, k->s.elsewhere.at[i].var), var);
        if (here && au_op_is_access(k->t->events.op[e]) && !au_bitset_has(&g->events, e))
            return false;
    }
    return true;
}

static bool is_about(const teller *k, const targets *g, const char *answer) {
    uint32_t a, b;
    char var[32];
    if (sscanf(answer, "fact %u fails", &a) == 1)
        return au_bitset_has(&g->facts, a);
    if (sscanf(answer, "events %u and %u race on %31s", &a, &b, var) == 3)
        return is_target(k, g, a, var) && is_target(k, g, b, var);
    if (sscanf(answer, "event %u sees %31s of", &a, var) == 2)
        return is_target(k, g, a, var);
    return false;
}

static void only_about(const teller *k, const targets *g, const answers *all, answers *into) {
    for (size_t i = 0; i < all->n; i++)
        if (is_about(k, g, all->at[i]))
            au_vec_push(into, au_strdup(all->at[i]));
}

static size_t answer_model(const teller *k, const au_model *m, const au_symbolic_map *map,
                           answers *got, bool *all) {
    au_error err = AU_ERROR_NONE;
    const char *check = au_model_check(m);
    if (check) {
        printf("bad model: %s\n", check);
        return 1;
    }
    if (au_symbolic_check(&k->s, m, map, &err)) {
        printf("%s\n", err.text);
        return 1;
    }
    /* .ctp has a thread, and begins at the start */
    char *differs = m->thread.n && !map->first ? au_round_trip(m, 0, NULL) : NULL;
    if (differs) {
        printf("%s\n", differs);
        free(differs);
        return 1;
    }
    uint32_t *event, *fact;
    name_steps(m, &k->s, map, k->first, &event, &fact);
    naming n = {event, fact};
    *all = answers_of(m, &n, got);
    free(event);
    free(fact);
    return 0;
}

static void print_model(const au_model *m) {
    au_error err = AU_ERROR_NONE;
    au_out *out = au_out_memory();
    size_t n;
    if (au_ctp_print(m, out, &err) == AU_OK)
        printf("%s", au_out_memory_data(out, &n));
    au_out_abandon(out);
}

static size_t check_slice(const teller *k, const answers *whole, counts *c) {
    au_error err = AU_ERROR_NONE;
    targets g;
    au_bitset_init(&g.facts, k->s.fact.n);
    au_bitset_init(&g.events, k->t->events.n);
    bool few = au_rng_below(k->rng, 2);
    for (size_t i = 0; i < k->s.fact.n; i++)
        if (!au_rng_below(k->rng, 2))
            au_bitset_add(&g.facts, i);
    for (size_t i = 0; i < k->t->events.n; i++)
        if (!au_rng_below(k->rng, few ? 8 : 3))
            au_bitset_add(&g.events, i);
    au_symbolic_map map;
    au_model *m = au_model_slice(&k->s, &g.facts, &g.events, &map, &err);
    size_t wrong = 0;
    bool all;
    answers got = {0}, about = {0}, expected = {0};
    if (!m) {
        printf("no slice: %s\n", err.text);
        wrong++;
    } else {
        wrong = answer_model(k, m, &map, &got, &all);
        for (size_t i = 0; i < k->t->events.n && i < map.last; i++)
            c->sliced += map.step_of[i] == AU_NONE;
        c->slices++;
        only_about(k, &g, &got, &about);
        only_about(k, &g, whole, &expected);
        if (!wrong && all) {
            wrong += missing(&about, &expected, "too much in the slice");
            wrong += missing(&expected, &about, "missing in the slice");
            wrong += missing(&got, whole, "only in the slice");
        }
        if (wrong) {
            print_model(m);
            for (size_t i = 0; i < k->t->events.n; i++)
                if (au_bitset_has(&g.events, i))
                    printf("asked: event %zu\n", i);
            for (size_t i = 0; i < k->s.fact.n; i++)
                if (au_bitset_has(&g.facts, i))
                    printf("asked: fact %zu\n", i);
        }
        au_symbolic_map_release(&map);
    }
    release(&got);
    release(&about);
    release(&expected);
    au_model_free(m);
    au_bitset_release(&g.facts);
    au_bitset_release(&g.events);
    return wrong;
}

/* ---- parts of the run ------------------------------------------------------------------------ */

/* What can happen in a part can happen in the whole (whose initial values it has not). */
static size_t check_ranges(const teller *k, const answers *whole, counts *c) {
    au_error err = AU_ERROR_NONE;
    au_symbolic_plan *p = au_symbolic_plan_new(&k->s, &err);
    size_t wrong = 0, n = k->t->events.n;
    for (int i = 0; i < 3 && !wrong && p; i++) {
        size_t first = au_rng_below(k->rng, (uint32_t)n + 1);
        size_t last = first + au_rng_below(k->rng, (uint32_t)(n - first) + 1);
        au_symbolic_map map;
        au_model *m = au_model_from_range(p, first, last, NULL, &map, &err);
        if (!m) {
            printf("no model of [%zu, %zu): %s\n", first, last, err.text);
            wrong++;
            break;
        }
        answers got = {0};
        bool all = false;
        wrong += answer_model(k, m, &map, &got, &all);
        size_t kept = 0;
        for (size_t a = 0; a < got.n; a++)
            if (first && strstr(got.at[a], "of -1"))
                free(got.at[a]);
            else
                got.at[kept++] = got.at[a];
        got.n = kept;
        c->parts++;
        c->in_parts += got.n;
        if (!wrong)
            wrong += missing(&got, whole, "too much in a part");
        if (wrong) {
            printf("part [%zu, %zu)\n", map.first, map.last);
            for (size_t t = 0; t < m->thread.n; t++)
                printf("%s: entry %u\n", m->thread.at[t].name, m->thread.at[t].entry);
            for (size_t v = 0; v < m->var.n; v++)
                printf("%s = %d\n", m->var.at[v].name, (int)m->var.at[v].init);
        }
        release(&got);
        au_symbolic_map_release(&map);
        au_model_free(m);
    }
    if (!p) {
        printf("no plan: %s\n", err.text);
        wrong++;
    }
    au_symbolic_plan_free(p);
    return wrong;
}

/* ---- one case ------------------------------------------------------------------------------------------ */

static size_t check_model(const teller *k, const answers *expected, bool exact, counts *c) {
    au_error err = AU_ERROR_NONE;
    au_symbolic_map map;
    au_model *m = au_model_from_symbolic(&k->s, &map, &err);
    if (!m) {
        printf("no model: %s\n", err.text);
        return 1;
    }
    answers got = {0};
    bool all;
    size_t wrong = answer_model(k, m, &map, &got, &all);
    if (!wrong && all) {
        wrong += missing(&got, expected, "too much");
        if (exact)
            wrong += missing(expected, &got, "missing");
        c->answers += got.n;
        for (int i = 0; i < 2 && !wrong; i++)
            wrong += check_slice(k, &got, c);
        if (!wrong)
            wrong += check_ranges(k, &got, c);
    }
    release(&got);
    au_symbolic_map_release(&map);
    au_model_free(m);
    return wrong;
}

static size_t check_case(uint64_t seed, bool show, counts *c) {
    au_error err = AU_ERROR_NONE;
    char *text = random_text(seed);
    au_model *m = au_ctp_read(text, strlen(text), "random", NULL, &err);
    if (!m) {
        printf("%s%s\n", text, err.text);
        free(text);
        return 1;
    }
    au_rng rng;
    au_rng_init(&rng, seed ^ 0x5eed);
    au_trace *t = AU_NEW(au_trace);
    au_names_init(&t->names);
    au_columns_init(&t->events);
    for (size_t v = 0; v < m->var.n; v++)
        if (m->var.at[v].kind == AU_VAR_SHARED)
            named(&t->names.var, m->var.at[v].name);
    for (size_t i = 0; i < m->thread.n; i++)
        named(&t->names.thread, m->thread.at[i].name);
    runner r = {.m = m, .rng = &rng, .t = t};
    r.value = au_alloc_array(m->var.n, sizeof *r.value);
    r.node = au_alloc_array(m->thread.n, sizeof *r.node);
    for (size_t v = 0; v < m->var.n; v++)
        r.value[v] = m->var.at[v].init;
    for (size_t i = 0; i < m->thread.n; i++)
        r.node[i] = m->thread.at[i].entry;
    r.stand = au_alloc_array(m->thread.n, sizeof *r.stand);
    memcpy(r.stand, r.node, m->thread.n * sizeof *r.stand);
    run(&r);
    /* what no thread came to is not in the trace */
    for (size_t i = 0; i < m->thread.n; i++)
        m->thread.at[i].node.at[r.stand[i]].out.n = 0;
    /* the events are made on the way through once more, from the start */
    for (size_t v = 0; v < m->var.n; v++)
        r.value[v] = m->var.at[v].init;
    for (size_t i = 0; i < r.run.n; i++) {
        const au_step *s = &m->step.at[r.run.at[i]];
        add_events(&r, s);
        uint64_t next[16];
        for (uint32_t u = 0; u < s->n_updates; u++)
            next[u] = au_term_eval(m->terms, s->update[u].value, r.value);
        for (uint32_t u = 0; u < s->n_updates; u++)
            r.value[s->update[u].var] = next[u];
    }
    au_vec_clear(&m->observed);
    au_vec_append(&m->observed, r.run.at, r.run.n);
    size_t wrong = 0;
    for (int pins = 0; pins < 2; pins++) {
        teller k = {.m = m, .rng = &rng, .pins = pins, .t = t, .first = r.first.at};
        answers expected = {0};
        tell(&k, &r);
        naming n = {k.event_of, k.fact_of};
        if (answers_of(m, &n, &expected)) {
            wrong += check_model(&k, &expected, !pins, c);
            c->models++;
            c->elsewhere += k.s.elsewhere.n;
            c->pinned += k.pinned;
        } else {
            c->skipped++;
        }
        if (show || wrong) {
            printf("%s", text);
            au_sync_trace_print(t);
            for (size_t i = 0; i < k.s.fact.n; i++)
                printf("fact %zu after %d\n", i, (int)k.s.fact.at[i].after);
            au_model *made = au_model_from_symbolic(&k.s, NULL, &err);
            au_out *out = au_out_memory();
            if (made && au_ctp_print(made, out, &err) == AU_OK) {
                size_t len;
                printf("%s", au_out_memory_data(out, &len));
            }
            au_out_abandon(out);
            au_model_free(made);
        }
        release(&expected);
        forget(&k);
        if (wrong)
            break;
    }
    free(r.value);
    free(r.node);
    free(r.stand);
    au_vec_release(&r.run);
    au_vec_release(&r.first);
    au_trace_free(t);
    au_model_free(m);
    free(text);
    return wrong;
}

/* ---- every kind of synchronisation ---------------------------------------------------------- */

/* A random trace; some reads are symbolic, some of them are checked or decide something. */
static size_t check_sync(uint64_t seed, bool show, counts *c) {
    au_rng rng;
    au_rng_init(&rng, seed ^ 0x51c);
    au_trace *t = au_sync_trace(&rng, 2 + au_rng_below(&rng, 2), 8 + au_rng_below(&rng, 12), 2,
                                seed % 3 ? 1u << (seed % 9) : ST_ALL);
    const au_columns *e = &t->events;
    AU_VEC(uint32_t) first = {0};
    teller k = {.rng = &rng, .t = t};
    au_symbolic_init(&k.s, t);
    bool *told = au_alloc_array(t->names.var.n, sizeof *told);
    for (uint32_t i = 0; i < e->n; i++) {
        au_vec_push(&first, i);
        if (!au_op_is_access(e->op[i]))
            continue;
        uint32_t v = e->obj[i];
        bool reads = e->op[i] == AU_OP_READ || e->op[i] == AU_OP_AREAD;
        if (!told[v]) { /* as au_model_from_trace takes it to be */
            au_bitset_add(&k.s.init_known, v);
            k.s.init[v] = reads ? (uint32_t)e->value[i] : 0;
        }
        told[v] = true;
        if (!reads || !au_rng_below(&rng, 3))
            continue;
        au_bitset_add(&k.s.symbolic, i);
        uint32_t what = au_rng_below(&rng, 4);
        au_term x = au_term_of_var(k.s.terms, i, 32);
        au_term same =
            au_term_eq(k.s.terms, x, au_term_const(k.s.terms, 32, (uint64_t)e->value[i]));
        au_fact f = {i, e->thread[i], what ? AU_FACT_ASSERT : AU_FACT_ASSUME, same, 0, 0, 0};
        if (what < 2)
            au_vec_push(&k.s.fact, f);
    }
    k.first = first.at;
    au_error err = AU_ERROR_NONE;
    size_t wrong = 0;
    uint32_t *step_of = NULL;
    au_model *pinned = au_model_from_trace_open(t, &step_of, &err);
    answers least = {0}, got = {0}, both = {0};
    if (pinned) { /* else: a trace that from_trace does not take either */
        au_symbolic_map map = {.last = e->n, .step_of = step_of};
        uint32_t *event, *fact;
        bool all = false;
        name_steps(pinned, &k.s, &map, k.first, &event, &fact);
        naming n = {event, fact};
        bool complete = answers_of(pinned, &n, &least);
        free(event);
        free(fact);
        au_model *m = au_model_from_symbolic(&k.s, &map, &err);
        if (!m) {
            printf("no model: %s\n", err.text);
            wrong++;
        } else {
            wrong += answer_model(&k, m, &map, &got, &all);
            /* variables that are not open have no steps */
            for (size_t i = 0; i < least.n; i++) {
                uint32_t a;
                bool seen = sscanf(least.at[i], "event %u sees", &a) == 1;
                if (!seen || map.step_of[a] != AU_NONE)
                    au_vec_push(&both, au_strdup(least.at[i]));
            }
            if (!wrong && all && complete)
                wrong += missing(&both, &got, "missing beside the pinned model");
            for (int i = 0; i < 3 && !wrong && all; i++)
                wrong += check_slice(&k, &got, c);
            if (!wrong && all)
                wrong += check_ranges(&k, &got, c);
            if (wrong || show)
                print_model(m);
            au_symbolic_map_release(&map);
            au_model_free(m);
        }
        c->sync += all;
    }
    if (wrong || show)
        au_sync_trace_print(t);
    release(&least);
    release(&got);
    release(&both);
    free(step_of);
    free(told);
    au_model_free(pinned);
    au_symbolic_release(&k.s);
    au_vec_release(&first);
    au_trace_free(t);
    return wrong;
}

int main(int argc, char **argv) {
    uint64_t count = 200, seed = 1;
    bool show = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--count") && i + 1 < argc)
            count = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            seed = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--show"))
            show = true;
        else
            return fprintf(stderr, "usage: random_symbolic [--count N] [--seed S] [--show]\n"), 2;
    }
    counts c = {0};
    double begun = au_now();
    for (uint64_t i = 0; i < count; i++)
        if (check_case(seed + i, show, &c) || check_sync(seed + i, show, &c)) {
            printf("failing case: --seed %llu --count 1\n", (unsigned long long)(seed + i));
            return 1;
        }
    printf("%llu models (%llu skipped), %llu answers, %llu other places, %llu pinned reads; %llu "
           "traces; %llu slices left out %llu steps; %llu answers in %llu parts; %.1f s\n",
           (unsigned long long)c.models, (unsigned long long)c.skipped,
           (unsigned long long)c.answers, (unsigned long long)c.elsewhere,
           (unsigned long long)c.pinned, (unsigned long long)c.sync, (unsigned long long)c.slices,
           (unsigned long long)c.sliced, (unsigned long long)c.in_parts,
           (unsigned long long)c.parts, au_now() - begun);
    return 0;
}
