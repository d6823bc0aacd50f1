/* solve/lost.c: see lost.h. */
#include "solve/lost.h"

#include "solve/cssa_priv.h"
#include "solve/run.h"

bool au_lost_is_asked(const au_cssa *c) {
    return c->o.semantics == AU_SEM_CTP && !c->o.whole && !c->o.order_all;
}

static const au_cssa_write *write_of(const au_cssa *c, uint32_t event, uint32_t var) {
    const au_cssa_event *e = &c->event.at[event];
    for (uint32_t i = 0; i < e->n_writes; i++)
        if (c->write.at[e->first_write + i].var == var)
            return &c->write.at[e->first_write + i];
    return NULL;
}

static bool others_store(const au_cssa *c, uint32_t var, uint32_t thread) {
    for (size_t i = 0; i < c->stores[var].n; i++)
        if (c->event.at[c->stores[var].at[i]].thread != thread)
            return true;
    return false;
}

/* --- what a write depends on -------------------------------------------------------------------- */

typedef struct {
    const au_cssa *c;
    uint32_t event, var; /* the write */
    au_u32s read;        /* events of its thread that read the variable, each once */
} support;

static void look_at(void *ctx, uint32_t name) {
    support *k = ctx;
    const au_cssa *c = k->c;
    if (c->name.at[name].kind != AU_NAME_READ)
        return;
    const au_cssa_read *r = &c->read.at[c->name.at[name].a];
    if (r->var == k->var && r->event != AU_FINAL && r->event != k->event &&
        c->event.at[r->event].thread == c->event.at[k->event].thread)
        au_vec_push(&k->read, r->event);
}

static support support_in(const au_cssa *c, uint32_t event, uint32_t var, au_term x) {
    support k = {.c = c, .event = event, .var = var};
    au_term_each_var(c->terms, x, look_at, &k);
    return k;
}

static support support_of(const au_cssa *c, uint32_t event, uint32_t var) {
    const au_cssa_write *w = write_of(c, event, var);
    return w && w->value.n != UINT32_MAX ? support_in(c, event, var, w->value)
                                         : (support){.c = c, .event = event, .var = var};
}

/* --- questions ------------------------------------------------------------------------------- */

static void ask(au_cssa *c, uint32_t event, uint32_t var, au_queries *into) {
    support k = support_of(c, event, var);
    uint32_t first = AU_NONE;
    for (size_t i = 0; i < k.read.n; i++)
        if (first == AU_NONE || c->event.at[k.read.at[i]].place < c->event.at[first].place)
            first = k.read.at[i];
    au_vec_release(&k.read);
    if (first == AU_NONE)
        return;
    au_query q = au_query_about(AU_ASK_LOST, au_query_event(c->m, c->event.at[first].step));
    q.step[2] = au_query_event(c->m, c->event.at[event].step);
    q.var = var;
    for (size_t i = 0; i < into->n; i++) /* another edge of the same statement */
        if (into->at[i].step[2] == q.step[2] && into->at[i].var == var)
            return;
    au_vec_push(into, q);
}

void au_lost_questions(au_cssa *c, au_queries *into) {
    for (uint32_t e = 0; e < c->event.n && au_lost_is_asked(c) && !au_cssa_late(c, 64); e++) {
        const au_cssa_event *x = &c->event.at[e];
        for (uint32_t i = 0; i < x->n_writes; i++) {
            uint32_t var = c->write.at[x->first_write + i].var;
            if (c->m->var.at[var].kind == AU_VAR_SHARED && others_store(c, var, x->thread))
                ask(c, e, var, into);
        }
    }
}

/* --- the property ------------------------------------------------------------------------------ */

/* It writes the variable; one that also reads it, only if it changes it. */
static au_term stores(au_cssa *c, uint32_t event, uint32_t var) {
    uint32_t r = au_cssa_read_of(c, event, var);
    const au_cssa_write *w = write_of(c, event, var);
    au_term runs = c->event.at[event].passes;
    if (r == AU_NONE || !w || w->value.n == UINT32_MAX)
        return runs;
    au_term kept = au_term_eq(c->terms, w->value, au_cssa_name_term(c, c->read.at[r].name));
    return au_term_and(c->terms, runs, au_term_not(c->terms, kept));
}

/* The thread has not written the variable from this event to w. */
static au_term not_written(au_cssa *c, const au_query *q, uint32_t from, uint32_t w) {
    au_term none = au_term_bool(c->terms, true);
    for (size_t i = 0; i < c->stores[q->var].n; i++) {
        const au_cssa_event *e = &c->event.at[c->stores[q->var].at[i]];
        if (e->thread == c->event.at[w].thread && e->place >= c->event.at[from].place &&
            e->place < c->event.at[w].place)
            none = au_term_and(c->terms, none,
                               au_term_not(c->terms, stores(c, c->stores[q->var].at[i], q->var)));
    }
    return none;
}

/* What the thread would write, or decide, if it had read the value that there is now. */
static au_term anew(au_cssa *c, const au_query *q, uint32_t w, au_term value) {
    au_term now = au_cssa_final_value(c, q->var);
    support k = support_in(c, w, q->var, value);
    size_t n = c->name.n;
    au_term *map = au_alloc_array(n + 1, sizeof *map);
    memset(map, 0xff, n * sizeof *map);
    for (size_t i = 0; i < k.read.n; i++) {
        uint32_t name = c->read.at[au_cssa_read_of(c, k.read.at[i], q->var)].name;
        map[name] = au_term_ite(c->terms, not_written(c, q, k.read.at[i], w), now,
                                au_cssa_name_term(c, name));
    }
    au_term x = au_term_substitute(c->terms, value, map, n);
    free(map);
    au_vec_release(&k.read);
    return x;
}

static au_term loses(au_cssa *c, const au_query *q, uint32_t w) {
    au_terms *x = c->terms;
    const au_cssa_write *write = write_of(c, w, q->var);
    if (!write || write->value.n == UINT32_MAX)
        return au_term_bool(x, false);
    au_term value = au_cssa_at_end(c, w, write->value);
    au_term t = au_term_not(x, au_term_eq(x, value, anew(c, q, w, value)));
    t = au_term_and(x, t, au_cssa_at_end(c, w, c->event.at[w].guard));
    t = au_term_and(x, t, au_term_not(x, au_cssa_at_end(c, w, c->event.at[w].fails)));
    if (au_cssa_read_of(c, w, q->var) != AU_NONE)
        t = au_term_and(x, t, au_term_not(x, au_term_eq(x, value, au_cssa_final_value(c, q->var))));
    const au_step *s = &c->m->step.at[c->event.at[w].step];
    return au_term_and(x, t, au_cssa_stands(c, s->thread, s->src));
}

/* The branch before w would go the other way now. */
static au_term is_stale(au_cssa *c, const au_query *q, uint32_t w) {
    au_terms *x = c->terms;
    uint32_t branch = c->event_of[q->obj];
    const au_step *s = &c->m->step.at[c->event.at[w].step];
    if (branch == AU_NONE)
        return au_term_bool(x, false);
    au_term t = au_term_not(x, anew(c, q, w, c->event.at[branch].guard));
    t = au_term_and(x, t, au_cssa_at_end(c, w, c->event.at[w].guard));
    t = au_term_and(x, t, au_term_not(x, au_cssa_at_end(c, w, c->event.at[w].fails)));
    return au_term_and(x, t, au_cssa_stands(c, s->thread, s->src));
}

au_term au_lost_term(au_cssa *c, const au_query *q) {
    au_terms *x = c->terms;
    uint32_t thread = c->m->step.at[q->step[2]].thread, w;
    au_term any = au_term_bool(x, false);
    if (!others_store(c, q->var, thread))
        return any;
    for (size_t i = 0; (w = au_query_edge(c, q->step[2], &i)) != AU_NONE;)
        any = au_term_or(x, any, q->kind == AU_ASK_STALE ? is_stale(c, q, w) : loses(c, q, w));
    return any;
}

/* --- what a prefix shows ------------------------------------------------------------------------ */

size_t au_lost_overwritten(au_cssa *c, const au_query *q, const au_prefix *p,
                           const au_u32s *events) {
    uint32_t thread = c->m->step.at[q->step[2]].thread;
    size_t last = SIZE_MAX;
    au_cssa_run run;
    au_cssa_run_init(&run, c);
    for (size_t i = 0; i < events->n; i++) {
        uint32_t e = events->at[i];
        uint64_t before = run.value[q->var];
        au_cssa_run_step(&run, e, p->havoc[e], au_bitset_has(&p->failed, e));
        bool keeps = au_cssa_read_of(c, e, q->var) != AU_NONE && run.value[q->var] == before;
        if (c->event.at[e].thread != thread && write_of(c, e, q->var) && !keeps)
            last = i;
    }
    au_cssa_run_drop(&run);
    return last;
}

size_t au_lost_read(const au_cssa *c, const au_query *q, const au_u32s *events, size_t until) {
    size_t found = SIZE_MAX;
    uint32_t w;
    for (size_t i = 0; (w = au_query_edge(c, q->step[2], &i)) != AU_NONE;) {
        uint32_t branch = q->kind == AU_ASK_STALE ? c->event_of[q->obj] : AU_NONE;
        support k = branch == AU_NONE ? support_of(c, w, q->var)
                                      : support_in(c, w, q->var, c->event.at[branch].guard);
        for (size_t at = 0; at < until; at++)
            for (size_t r = 0; r < k.read.n; r++)
                if (k.read.at[r] == events->at[at] && (found == SIZE_MAX || at > found))
                    found = at;
        au_vec_release(&k.read);
    }
    return found;
}
