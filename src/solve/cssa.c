/* solve/cssa.c: events, names and axioms. */
#include "solve/cssa_priv.h"

#include "base/limits.h"

uint32_t au_cssa_add_name(au_cssa *c, au_name_kind kind, unsigned width, uint32_t a, uint32_t b) {
    au_vec_push(&c->name, ((au_name){kind, (uint8_t)width, a, b}));
    return (uint32_t)c->name.n - 1;
}

/* --- events, by thread and place --------------------------------------------- */

/* Only those nodes let a step out of them be certain over which no other step jumps. */
static void mark_certain(au_cssa *c, uint32_t t) {
    const au_model *m = c->m;
    const au_flow *f = &c->more->flow[t];
    uint32_t furthest = 0; /* topological number that steps from earlier nodes reach */
    for (uint32_t i = 0; i < f->n; i++) {
        const au_node *n = &m->thread.at[t].node.at[f->by_topo[i]];
        bool alone = furthest <= i;
        uint32_t out = 0, only = AU_NONE;
        for (size_t j = 0; j < n->out.n; j++) {
            uint32_t id = n->out.at[j];
            if (!c->more->effect[id].present)
                continue;
            out++;
            only = id;
            uint32_t to = f->topo[m->step.at[id].dst];
            furthest = to > furthest ? to : furthest;
        }
        if (alone && out == 1)
            c->event.at[c->event_of[only]].certain = true;
    }
}

static void add_events(au_cssa *c) {
    const au_model *m = c->m;
    c->event_of = AU_ARENA_ARRAY(&c->arena, uint32_t, m->step.n + 1);
    c->first_event = AU_ARENA_ARRAY(&c->arena, uint32_t, m->thread.n + 1);
    memset(c->event_of, 0xff, (m->step.n + 1) * sizeof *c->event_of);
    for (uint32_t t = 0; t < m->thread.n; t++) {
        const au_flow *f = &c->more->flow[t];
        uint32_t place = 0;
        c->first_event[t] = (uint32_t)c->event.n;
        for (uint32_t i = 0; i < f->n; i++) {
            const au_node *n = &m->thread.at[t].node.at[f->by_topo[i]];
            for (size_t j = 0; j < n->out.n; j++) {
                uint32_t id = n->out.at[j];
                if (!c->more->effect[id].present)
                    continue;
                uint32_t e = (uint32_t)c->event.n;
                c->event_of[id] = e;
                uint32_t name = au_cssa_add_name(c, AU_NAME_EXEC, 1, e, 0);
                au_vec_push(&c->event,
                            ((au_cssa_event){.step = id,
                                             .thread = t,
                                             .place = place++,
                                             .exec = au_term_of_var(c->terms, name, 1)}));
            }
        }
        mark_certain(c, t);
    }
    c->first_event[m->thread.n] = (uint32_t)c->event.n;
}

/* --- terms ---------------------------------------------------------------------- */

typedef struct {
    au_cssa *c;
    au_term *map;   /* by variable: its term at the step at hand */
    au_u32s local;  /* the thread's locals */
    au_u32s found;  /* scratch: variables of a term */
    bool *stored;   /* by variable: some event stores it */
    uint32_t event; /* at hand */
} builder;

static void read_var(builder *b, uint32_t var) {
    au_cssa *c = b->c;
    au_cssa_event *e = &c->event.at[b->event];
    for (uint32_t i = 0; i < e->n_reads; i++)
        if (c->read.at[e->first_read + i].var == var)
            return;
    unsigned width = c->m->var.at[var].width;
    bool valued = !au_ignores_values(c) || c->m->var.at[var].kind == AU_VAR_SYNC;
    uint32_t read = (uint32_t)c->read.n, name = AU_NONE;
    if (valued) {
        name = au_cssa_add_name(c, AU_NAME_READ, width, read, 0);
        b->map[var] = b->stored[var] ? au_cssa_name_term(c, name)
                                     : au_term_const(c->terms, width, c->m->var.at[var].init);
    }
    au_vec_push(&c->read, ((au_cssa_read){.event = b->event, .var = var, .name = name}));
    e->n_reads++;
}

static void note_read(void *ctx, uint32_t var) {
    builder *b = ctx;
    if (b->c->m->var.at[var].kind != AU_VAR_LOCAL)
        au_vec_push(&b->found, var);
}

/* Reading makes terms, so that all variables are collected first. */
static void read_term(builder *b, au_term x) {
    au_vec_clear(&b->found);
    au_term_each_var(b->c->terms, x, note_read, b);
    for (size_t i = 0; i < b->found.n; i++)
        read_var(b, b->found.at[i]);
}

static void write_var(builder *b, uint32_t var, au_term value) {
    au_cssa *c = b->c;
    au_cssa_event *e = &c->event.at[b->event];
    for (uint32_t i = 0; i < e->n_writes; i++)
        if (c->write.at[e->first_write + i].var == var)
            return;
    au_vec_push(&c->write, ((au_cssa_write){var, value}));
    e->n_writes++;
}

static au_term here(const builder *b, au_term x) {
    return au_term_substitute(b->c->terms, x, b->map, b->c->m->var.n);
}

static void build_reads(builder *b, const au_step *s, const au_effect *f) {
    au_cssa *c = b->c;
    const au_thread *th = &c->m->thread.at[s->thread];
    if (s->src == th->entry && th->started != AU_NONE && !au_ignores_sync(c))
        read_var(b, th->started);
    read_term(b, f->guard);
    read_term(b, f->cond);
    for (uint32_t i = 0; i < f->n_updates; i++)
        read_term(b, f->update[i].value);
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (!s->access[i].write)
            read_var(b, s->access[i].var);
}

static void set_local(builder *b, au_term *env, uint32_t var, au_term value) {
    for (size_t i = 0; i < b->local.n; i++)
        if (b->local.at[i] == var)
            env[i] = value;
}

/* Guards, failures and writes of one event; 'after' gets the locals after it. */
static void build_event(builder *b, uint32_t event, const au_term *before, au_term *after) {
    au_cssa *c = b->c;
    au_terms *t = c->terms;
    const au_model *m = c->m;
    const au_step *s = &m->step.at[c->event.at[event].step];
    const au_effect *f = &c->more->effect[s->id];
    b->event = event;
    c->event.at[event].first_read = (uint32_t)c->read.n;
    c->event.at[event].first_write = (uint32_t)c->write.n;
    for (size_t i = 0; i < b->local.n; i++)
        b->map[b->local.at[i]] = before[i];
    build_reads(b, s, f);
    const au_thread *th = &m->thread.at[s->thread];
    au_term guard = here(b, f->guard), fails = au_term_not(t, here(b, f->cond));
    if (s->src == th->entry && th->started != AU_NONE && !au_ignores_sync(c))
        guard = au_term_and(t, guard, b->map[th->started]);
    if (f->free_assert)
        fails = au_cssa_free_name(c);
    au_term exec = c->event.at[event].exec;
    c->event.at[event].guard = guard;
    c->event.at[event].fails = fails;
    c->event.at[event].own = here(b, f->own);
    c->event.at[event].passes = c->o.whole ? exec : au_term_and(t, exec, au_term_not(t, fails));
    if (b->local.n)
        memcpy(after, before, b->local.n * sizeof *after);
    for (uint32_t i = 0; i < f->n_updates; i++) {
        uint32_t v = f->update[i].var;
        if (m->var.at[v].kind == AU_VAR_LOCAL)
            set_local(b, after, v, here(b, f->update[i].value));
        else
            write_var(b, v, here(b, f->update[i].value));
    }
    if (s->havoc != AU_NONE && !au_ignores_values(c)) {
        unsigned w = m->var.at[s->havoc].width;
        au_term any = f->zero_havoc
                          ? au_term_const(t, w, 0)
                          : au_cssa_name_term(c, au_cssa_add_name(c, AU_NAME_HAVOC, w, event, 0));
        if (m->var.at[s->havoc].kind == AU_VAR_LOCAL)
            set_local(b, after, s->havoc, any);
        else
            write_var(b, s->havoc, any);
    }
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (s->access[i].write)
            write_var(b, s->access[i].var, (au_term){UINT32_MAX});
    for (uint32_t i = 0; i < c->event.at[event].n_reads; i++)
        b->map[c->read.at[c->event.at[event].first_read + i].var] = (au_term){UINT32_MAX};
}

/* Where paths meet, locals take the value of the one that was taken. */
static au_term *meet(builder *b, uint32_t thread, uint32_t node, au_term **after) {
    au_cssa *c = b->c;
    const au_u32s *in = &c->more->flow[thread].in[node];
    au_term *env = after[in->at[0]];
    after[in->at[0]] = NULL;
    for (size_t i = 1; i < in->n; i++) {
        au_term *other = after[in->at[i]];
        au_term taken = c->event.at[c->event_of[in->at[i]]].exec;
        for (size_t k = 0; k < b->local.n; k++)
            if (!au_term_same(env[k], other[k]))
                env[k] = au_term_ite(c->terms, taken, other[k], env[k]);
        free(other);
        after[in->at[i]] = NULL;
    }
    return env;
}

/* Of each node: its terms may be large. */
static bool is_late(const au_cssa *c) {
    return c->o.in_time && au_deadline_over();
}

static void build_thread(builder *b, uint32_t t, au_term **after) {
    au_cssa *c = b->c;
    const au_model *m = c->m;
    const au_thread *th = &m->thread.at[t];
    const au_flow *f = &c->more->flow[t];
    au_vec_clear(&b->local);
    for (uint32_t v = 0; v < m->var.n; v++)
        if (m->var.at[v].kind == AU_VAR_LOCAL && m->var.at[v].thread == t)
            au_vec_push(&b->local, v);
    c->reach[t] = AU_ARENA_ARRAY(&c->arena, uint32_t, th->node.n);
    memset(c->reach[t], 0xff, th->node.n * sizeof **c->reach);
    for (uint32_t i = 0; i < f->n && !is_late(c); i++) {
        uint32_t node = f->by_topo[i];
        au_term *env, reach;
        if (node == th->entry) {
            env = au_alloc_array(b->local.n + 1, sizeof *env);
            for (size_t k = 0; k < b->local.n; k++)
                env[k] = au_term_const(c->terms, m->var.at[b->local.at[k]].width,
                                       m->var.at[b->local.at[k]].init);
            reach = au_term_bool(c->terms, true);
        } else {
            env = meet(b, t, node, after);
            reach = au_term_bool(c->terms, false);
            for (size_t k = 0; k < f->in[node].n; k++)
                reach =
                    au_term_or(c->terms, reach, c->event.at[c->event_of[f->in[node].at[k]]].passes);
        }
        c->reach[t][node] = reach.n;
        for (size_t k = 0; k < th->node.at[node].out.n; k++) {
            uint32_t id = th->node.at[node].out.at[k], e = c->event_of[id];
            if (e == AU_NONE)
                continue;
            after[id] = au_alloc_array(b->local.n + 1, sizeof **after);
            build_event(b, e, env, after[id]);
            au_term exec = c->event.at[e].exec;
            au_cssa_require(c, au_cssa_implies(c, exec, reach));
            au_cssa_require(c, au_cssa_implies(c, exec, c->event.at[e].guard));
            for (size_t l = 0; l < k; l++) {
                uint32_t o = c->event_of[th->node.at[node].out.at[l]];
                if (o != AU_NONE)
                    au_cssa_require(
                        c, au_cssa_implies(c, exec, au_term_not(c->terms, c->event.at[o].exec)));
            }
        }
        free(env);
    }
}

/* Which variables some event may change. */
static bool *find_stored(const au_cssa *c) {
    const au_model *m = c->m;
    bool *stored = au_alloc_array(m->var.n, sizeof *stored);
    for (size_t i = 0; i < m->step.n; i++) {
        const au_effect *f = &c->more->effect[i];
        const au_step *s = &m->step.at[i];
        for (uint32_t j = 0; j < f->n_updates && f->present; j++)
            stored[f->update[j].var] = true;
        for (uint32_t j = 0; j < s->n_accesses && f->present; j++)
            if (s->access[j].write)
                stored[s->access[j].var] = true;
        if (s->havoc != AU_NONE && f->present)
            stored[s->havoc] = true;
    }
    return stored;
}

static void build_terms(au_cssa *c) {
    const au_model *m = c->m;
    builder b = {.c = c, .map = au_alloc_array(m->var.n + 1, sizeof *b.map)};
    memset(b.map, 0xff, (m->var.n + 1) * sizeof *b.map);
    b.stored = find_stored(c);
    au_term **after = au_alloc_array(m->step.n + 1, sizeof *after);
    c->reach = AU_ARENA_ARRAY(&c->arena, uint32_t *, m->thread.n);
    for (uint32_t t = 0; t < m->thread.n; t++)
        build_thread(&b, t, after);
    for (size_t i = 0; i < m->step.n; i++)
        free(after[i]);
    free(after);
    free(b.map);
    free(b.stored);
    au_vec_release(&b.local);
    au_vec_release(&b.found);
}

/* --- all of it -------------------------------------------------------------------- */

static void find_stores(au_cssa *c) {
    c->stores = (void *)AU_ARENA_ARRAY(&c->arena, au_u32s, c->m->var.n);
    c->final_read = AU_ARENA_ARRAY(&c->arena, uint32_t, c->m->var.n + 1);
    memset(c->final_read, 0xff, (c->m->var.n + 1) * sizeof *c->final_read);
    for (uint32_t e = 0; e < c->event.n; e++)
        for (uint32_t i = 0; i < c->event.at[e].n_writes; i++)
            au_vec_push(&c->stores[c->write.at[c->event.at[e].first_write + i].var], e);
}

/* Variables that one thread stores and another one touches. */
static bool *find_contended(const au_cssa *c) {
    bool *contended = au_alloc_array(c->m->var.n + 1, sizeof *contended);
    uint32_t *owner = au_alloc_array(c->m->var.n + 1, sizeof *owner); /* thread + 1 */
    for (uint32_t i = 0; i < c->event.n; i++) {
        const au_cssa_event *e = &c->event.at[i];
        for (uint32_t k = 0; k < e->n_reads + e->n_writes; k++) {
            uint32_t v = k < e->n_reads ? c->read.at[e->first_read + k].var
                                        : c->write.at[e->first_write + k - e->n_reads].var;
            if (!owner[v])
                owner[v] = e->thread + 1;
            contended[v] |= owner[v] != e->thread + 1;
        }
    }
    for (size_t v = 0; v < c->m->var.n; v++)
        contended[v] &= c->stores[v].n > 0;
    free(owner);
    return contended;
}

static void choose_ordered(au_cssa *c) {
    bool *contended = find_contended(c);
    uint32_t last = AU_NONE;
    for (uint32_t i = 0; i < c->event.n; i++) {
        au_cssa_event *e = &c->event.at[i];
        if (!e->place)
            last = AU_NONE;
        const au_step *s = &c->m->step.at[e->step];
        /* Under a memory model operations of objects order others, whatever they find. */
        e->ordered = c->o.order_all || (c->weak && s->kind >= AU_STEP_ACQ);
        for (uint32_t k = 0; k < e->n_reads; k++)
            e->ordered |= contended[c->read.at[e->first_read + k].var];
        for (uint32_t k = 0; k < e->n_writes; k++)
            e->ordered |= contended[c->write.at[e->first_write + k].var];
        e->anchor = last;
        if (e->ordered)
            last = i;
    }
    free(contended);
}

static au_cssa *make(const au_model *m, const au_cssa_options *o, bool weak, au_error *err) {
    if (m->step.n > AU_LIMIT_SOLVE_STEPS) {
        au_error_set(err, AU_EUNSUPPORTED, "%s",
                     au_limit_say(AU_AT_SOLVE_STEPS, m->step.n, 0, (char[AU_LIMIT_TEXT]){0}));
        return NULL;
    }
    au_cssa *c = AU_NEW(au_cssa);
    c->m = m;
    c->o = *o;
    c->weak = weak;
    au_arena_init(&c->arena);
    au_map_init(&c->pair);
    au_map_init(&c->sees);
    c->terms = au_terms_new();
    c->more = AU_ARENA_NEW(&c->arena, struct au_cssa_more);
    c->more->started = AU_ARENA_ARRAY(&c->arena, au_term, m->thread.n);
    memset(c->more->started, 0xff, m->thread.n * sizeof *c->more->started);
    for (uint32_t v = 0; v < m->var.n; v++)
        au_cssa_add_name(c, AU_NAME_MODEL, m->var.at[v].width, v, 0);
    au_effects_make(c);
    if (!au_flows_make(c)) {
        au_error_set(err, AU_EUNSUPPORTED, "the model has loops: unroll them");
        au_cssa_free(c);
        return NULL;
    }
    add_events(c);
    build_terms(c);
    if (!is_late(c)) {
        find_stores(c);
        choose_ordered(c);
        au_cssa_find_writers(c);
    }
    if (is_late(c)) {
        au_error_set(err, AU_EUNSUPPORTED, "%s", au_deadline_why());
        au_cssa_free(c);
        return NULL;
    }
    return c;
}

au_cssa *au_cssa_new(const au_model *m, const au_cssa_options *o, au_error *err) {
    return make(m, o, false, err);
}

au_cssa *au_cssa_new_weak(const au_model *m, au_error *err) {
    return make(m, &(au_cssa_options){.semantics = AU_SEM_CTP}, true, err);
}

void au_cssa_free(au_cssa *c) {
    if (!c)
        return;
    au_flows_release(c);
    for (size_t i = 0; i < c->read.n; i++) {
        au_vec_release(&c->read.at[i].writer);
        au_vec_release(&c->read.at[i].other);
    }
    for (size_t v = 0; c->stores && v < c->m->var.n; v++)
        au_vec_release(&c->stores[v]);
    au_vec_release(&c->name);
    au_vec_release(&c->event);
    au_vec_release(&c->read);
    au_vec_release(&c->write);
    au_vec_release(&c->axiom);
    free(c->last_must);
    au_map_release(&c->pair);
    au_map_release(&c->sees);
    au_terms_free(c->terms);
    au_arena_release(&c->arena);
    free(c);
}
