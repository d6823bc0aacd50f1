#include "symbolic_made.h"

#include "base/out.h"
#include "model/ctp.h"
#include "model/from_trace.h"
#include "sync_trace.h"

#include <stdio.h>
#include <string.h>

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

char *au_made_text(uint64_t seed) {
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

static bool enabled(const au_made_run *r, const au_step *s) {
    uint32_t started = r->m->thread.at[s->thread].started;
    return (started == AU_NONE || r->value[started]) &&
           au_term_eval(r->m->terms, s->guard, r->value);
}

static bool take(au_made_run *r, uint32_t thread) {
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
static bool is_silent(const au_made_run *r, uint32_t thread) {
    if (r->m->step.at[au_vec_last(&r->run)].kind == AU_STEP_BRANCH)
        return true;
    const au_node *n = &r->m->thread.at[thread].node.at[r->node[thread]];
    const au_step *s = n->out.n ? &r->m->step.at[n->out.at[0]] : NULL;
    return s && !s->n_accesses &&
           (s->kind == AU_STEP_ASSIGN || s->kind == AU_STEP_ASSUME || s->kind == AU_STEP_ASSERT);
}

static void run(au_made_run *r) {
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

static au_term told(void *ctx, uint32_t var, unsigned width) {
    au_made *k = ctx;
    (void)width;
    return k->env[var];
}

static au_term term(au_made *k, au_term x) {
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
    au_columns_push(&t->events, op, (uint16_t)who, obj, AU_NONE, value);
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
static void add_events(au_made_run *r, const au_step *s) {
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

void au_made_run_init(au_made_run *r, au_model *m, au_rng *rng) {
    au_trace *t = AU_NEW(au_trace);
    *r = (au_made_run){.m = m, .rng = rng, .t = t};
    au_names_init(&t->names);
    au_columns_init(&t->events);
    r->value = au_alloc_array(m->var.n, sizeof *r->value);
    r->node = au_alloc_array(m->thread.n, sizeof *r->node);
    r->stand = au_alloc_array(m->thread.n, sizeof *r->stand);
    for (size_t v = 0; v < m->var.n; v++) {
        r->value[v] = m->var.at[v].init;
        if (m->var.at[v].kind == AU_VAR_SHARED)
            named(&t->names.var, m->var.at[v].name);
    }
    for (size_t i = 0; i < m->thread.n; i++) {
        r->stand[i] = r->node[i] = m->thread.at[i].entry;
        named(&t->names.thread, m->thread.at[i].name);
    }
    run(r);
    for (size_t i = 0; i < m->thread.n; i++)
        m->thread.at[i].node.at[r->stand[i]].out.n = 0;
    /* the events are made on the way through once more, from the start */
    for (size_t v = 0; v < m->var.n; v++)
        r->value[v] = m->var.at[v].init;
    for (size_t i = 0; i < r->run.n; i++) {
        const au_step *s = &m->step.at[r->run.at[i]];
        add_events(r, s);
        uint64_t next[16];
        for (uint32_t u = 0; u < s->n_updates; u++)
            next[u] = au_term_eval(m->terms, s->update[u].value, r->value);
        for (uint32_t u = 0; u < s->n_updates; u++)
            r->value[s->update[u].var] = next[u];
    }
    au_vec_clear(&m->observed);
    au_vec_append(&m->observed, r->run.at, r->run.n);
}

void au_made_run_release(au_made_run *r) {
    free(r->value);
    free(r->node);
    free(r->stand);
    au_vec_release(&r->run);
    au_vec_release(&r->first);
    au_trace_free(r->t);
}

/* The first event of this step is 'at'. */
static uint32_t know_access(au_made *k, const au_step *s, uint32_t at) {
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

static void add_fact(au_made *k, const au_step *s, au_fact_kind kind, au_term x) {
    uint16_t who = (uint16_t)named(&k->t->names.thread, k->m->thread.at[s->thread].name);
    uint32_t nothing = au_intern_add(&k->s.strings, "", 0);
    k->fact_of[s->id] = (uint32_t)k->s.fact.n;
    au_fact f = {k->last[s->thread], who, (uint8_t)kind, x, nothing, 0, nothing, 0, 0};
    au_vec_push(&k->s.fact, f);
}

static void know(au_made *k, const au_step *s, uint32_t *next) {
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

void au_made_know(au_made *k, const au_made_run *r) {
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

void au_made_forget(au_made *k) {
    au_symbolic_release(&k->s);
    free(k->env);
    free(k->event_of);
    free(k->fact_of);
    free(k->last);
    free(k->side);
}

/* ---- every kind of synchronisation ---------------------------------------------------------- */

void au_made_sync_init(au_made_sync *y, uint64_t seed, au_rng *rng) {
    *y = (au_made_sync){.k = {.rng = rng}};
    au_made *k = &y->k;
    au_rng_init(rng, seed ^ 0x51c);
    k->t = au_sync_trace(rng, 2 + au_rng_below(rng, 2), 8 + au_rng_below(rng, 12), 2,
                         seed % 3 ? 1u << (seed % 9) : ST_ALL);
    const au_columns *e = &k->t->events;
    au_symbolic_init(&k->s, k->t);
    bool *told = au_alloc_array(k->t->names.var.n, sizeof *told);
    for (uint32_t i = 0; i < e->n; i++) {
        au_vec_push(&y->first, i);
        if (!au_op_is_access(e->op[i]))
            continue;
        uint32_t v = e->obj[i];
        bool reads = e->op[i] == AU_OP_READ || e->op[i] == AU_OP_AREAD;
        if (!told[v]) { /* as au_model_from_trace takes it to be */
            au_bitset_add(&k->s.init_known, v);
            k->s.init[v] = reads ? (uint32_t)e->value[i] : 0;
        }
        told[v] = true;
        if (!reads || !au_rng_below(rng, 3))
            continue;
        au_bitset_add(&k->s.symbolic, i);
        uint32_t what = au_rng_below(rng, 4);
        au_term x = au_term_of_var(k->s.terms, i, 32);
        au_term same =
            au_term_eq(k->s.terms, x, au_term_const(k->s.terms, 32, (uint64_t)e->value[i]));
        au_fact f = {i, e->thread[i], what ? AU_FACT_ASSERT : AU_FACT_ASSUME, same, 0, 0, 0, 0, 0};
        if (what < 2)
            au_vec_push(&k->s.fact, f);
    }
    k->first = y->first.at;
    free(told);
}

void au_made_sync_release(au_made_sync *y) {
    au_symbolic_release(&y->k.s);
    au_vec_release(&y->first);
    au_trace_free(y->k.t);
}

/* ---- recorded models ------------------------------------------------------------------------------ */

static au_model *slice_of(const au_made *k) {
    au_error err = AU_ERROR_NONE;
    au_bitset facts, events;
    au_bitset_init(&facts, k->s.fact.n + 1);
    au_bitset_init(&events, k->t->events.n + 1);
    for (size_t i = 0; i < k->s.fact.n; i++)
        if (au_rng_below(k->rng, 2))
            au_bitset_add(&facts, i);
    for (size_t i = 0; i < k->t->events.n; i++)
        if (!au_rng_below(k->rng, 6))
            au_bitset_add(&events, i);
    au_model *m = au_model_slice(&k->s, &facts, &events, NULL, &err);
    au_bitset_release(&facts);
    au_bitset_release(&events);
    return m;
}

static au_model *part_of(const au_made *k, char *what) {
    au_error err = AU_ERROR_NONE;
    uint32_t n = (uint32_t)k->t->events.n, first = au_rng_below(k->rng, n + 1);
    uint32_t last = first + au_rng_below(k->rng, n - first + 1);
    au_symbolic_plan *p = au_symbolic_plan_new(&k->s, &err);
    au_model *m = p ? au_model_from_range(p, first, last, NULL, NULL, &err) : NULL;
    snprintf(what + strlen(what), 100, ", events %u to %u", first, last);
    au_symbolic_plan_free(p);
    return m;
}

static au_model *one_of(const au_made *k, char *what) {
    au_error err = AU_ERROR_NONE;
    switch (au_rng_below(k->rng, 3)) {
    case 0:
        strcat(what, ", a slice");
        return slice_of(k);
    case 1:
        return part_of(k, what);
    default:
        return au_model_from_symbolic(&k->s, NULL, &err);
    }
}

au_model *au_made_recorded(uint64_t seed, char *what) {
    au_error err = AU_ERROR_NONE;
    au_rng rng;
    strcpy(what, seed & 1 ? "a recorded model" : "a trace with all synchronisation");
    if (!(seed & 1)) {
        au_made_sync y;
        uint32_t *step_of = NULL;
        au_made_sync_init(&y, seed / 2, &rng);
        au_model *pinned = au_model_from_trace_open(y.k.t, &step_of, &err);
        au_model *m = pinned ? one_of(&y.k, what) : NULL;
        au_model_free(pinned);
        free(step_of);
        au_made_sync_release(&y);
        return m;
    }
    char *text = au_made_text(seed / 2);
    au_model *of = au_ctp_read(text, strlen(text), "random", NULL, &err), *m = NULL;
    free(text);
    if (!of)
        return NULL;
    au_rng_init(&rng, seed ^ 0x5eed);
    au_made_run r;
    au_made_run_init(&r, of, &rng);
    au_made k = {
        .m = of, .rng = &rng, .pins = au_rng_below(&rng, 2), .t = r.t, .first = r.first.at};
    au_made_know(&k, &r);
    m = one_of(&k, what);
    au_made_forget(&k);
    au_made_run_release(&r);
    au_model_free(of);
    return m;
}
