/* verify/ref_flow.c: the threads' graphs, their events, and each event's terms over what it reads. */
#include "verify/ref.h"

#include "base/alloc.h"

#include <string.h>

uint32_t au_ref_add_name(au_ref *r, au_ref_kind kind, unsigned width, uint32_t of) {
    au_vec_push(&r->name, ((au_ref_name){kind, (uint8_t)width, of}));
    return (uint32_t)r->name.n - 1;
}

static au_term term_of(au_ref *r, uint32_t name) {
    return au_term_of_var(r->terms, name, r->name.at[name].width);
}

/* --- graphs ------------------------------------------------------------------------- */

/* Nodes in a topological order; false: there is a loop. */
static bool sort_nodes(const au_model *m, uint32_t t, uint32_t *topo, au_ref_list *order) {
    const au_thread *th = &m->thread.at[t];
    uint32_t *missing = au_alloc_array(th->node.n + 1, sizeof *missing);
    bool *seen = au_alloc_array(th->node.n + 1, sizeof *seen);
    au_ref_list todo = {0};
    size_t reached = 1;
    seen[th->entry] = true;
    au_vec_push(&todo, th->entry);
    while (todo.n) {
        const au_node *n = &th->node.at[au_vec_pop(&todo)];
        for (size_t i = 0; i < n->out.n; i++) {
            uint32_t to = m->step.at[n->out.at[i]].dst;
            missing[to]++;
            if (!seen[to]) {
                reached++;
                au_vec_push(&todo, to);
            }
            seen[to] = true;
        }
    }
    if (!missing[th->entry])
        au_vec_push(&todo, th->entry);
    while (todo.n) {
        uint32_t at = au_vec_pop(&todo);
        const au_node *n = &th->node.at[at];
        topo[at] = (uint32_t)order->n;
        au_vec_push(order, at);
        for (size_t i = n->out.n; i-- > 0;)
            if (!--missing[m->step.at[n->out.at[i]].dst])
                au_vec_push(&todo, m->step.at[n->out.at[i]].dst);
    }
    au_vec_release(&todo);
    free(missing);
    free(seen);
    return order->n == reached;
}

/* A node over which no edge jumps, and with one way out of it: every path that gets further takes it. */
static void mark_certain(au_ref *r, uint32_t t, const au_ref_list *order) {
    uint32_t furthest = 0;
    for (uint32_t i = 0; i < order->n; i++) {
        const au_node *n = &r->m->thread.at[t].node.at[order->at[i]];
        if (furthest <= i && n->out.n == 1)
            r->event.at[r->event_of[n->out.at[0]]].certain = true;
        for (size_t k = 0; k < n->out.n; k++) {
            uint32_t to = r->topo[t][r->m->step.at[n->out.at[k]].dst];
            furthest = to > furthest ? to : furthest;
        }
    }
}

static bool add_thread(au_ref *r, uint32_t t) {
    const au_model *m = r->m;
    size_t nodes = m->thread.at[t].node.n;
    au_ref_list order = {0};
    r->topo[t] = AU_ARENA_ARRAY(&r->arena, uint32_t, nodes);
    r->in[t] = AU_ARENA_ARRAY(&r->arena, au_ref_list, nodes);
    r->reach[t] = AU_ARENA_ARRAY(&r->arena, au_term, nodes);
    memset(r->topo[t], 0xff, nodes * sizeof **r->topo);
    bool good = sort_nodes(m, t, r->topo[t], &order);
    uint32_t place = 0;
    for (size_t i = 0; i < order.n && good; i++) {
        const au_node *n = &m->thread.at[t].node.at[order.at[i]];
        for (size_t k = 0; k < n->out.n; k++) {
            uint32_t e = (uint32_t)r->event.n;
            au_ref_event x = {.step = n->out.at[k], .thread = t, .place = place++};
            x.exec = term_of(r, au_ref_add_name(r, AU_REF_EXEC, 1, e));
            x.lit = au_cnf_new(&r->cnf);
            r->event_of[x.step] = e;
            au_vec_push(&r->in[t][m->step.at[x.step].dst], e);
            au_vec_push(&r->event, x);
        }
    }
    if (good)
        mark_certain(r, t, &order);
    au_vec_release(&order);
    return good;
}

bool au_ref_flow(au_ref *r, au_error *err) {
    const au_model *m = r->m;
    for (uint32_t v = 0; v < m->var.n; v++)
        au_ref_add_name(r, AU_REF_MODEL, m->var.at[v].width, v);
    r->event_of = AU_ARENA_ARRAY(&r->arena, uint32_t, m->step.n + 1);
    memset(r->event_of, 0xff, (m->step.n + 1) * sizeof *r->event_of);
    r->first_event = AU_ARENA_ARRAY(&r->arena, uint32_t, m->thread.n + 1);
    r->topo = AU_ARENA_ARRAY(&r->arena, uint32_t *, m->thread.n + 1);
    r->in = AU_ARENA_ARRAY(&r->arena, au_ref_list *, m->thread.n + 1);
    r->reach = AU_ARENA_ARRAY(&r->arena, au_term *, m->thread.n + 1);
    bool good = true;
    for (uint32_t t = 0; t < m->thread.n && good; t++) {
        r->first_event[t] = (uint32_t)r->event.n;
        good = add_thread(r, t);
    }
    r->first_event[m->thread.n] = (uint32_t)r->event.n;
    if (!good)
        au_error_set(err, AU_EUNSUPPORTED, "the model has loops");
    return good;
}

/* --- terms ------------------------------------------------------------------------------ */

typedef struct {
    au_ref *r;
    au_term *map; /* by variable of the model: its term at the event at hand */
    uint32_t *number;
    au_ref_list local, found;
    bool *stored;
    uint32_t event;
} builder;

static void read_var(builder *b, uint32_t var) {
    au_ref *r = b->r;
    au_ref_event *e = &r->event.at[b->event];
    for (uint32_t i = 0; i < e->n_reads; i++)
        if (r->read.at[e->first_read + i].var == var)
            return;
    unsigned width = r->m->var.at[var].width;
    uint32_t name = au_ref_add_name(r, AU_REF_READ, width, (uint32_t)r->read.n);
    b->map[var] =
        b->stored[var] ? term_of(r, name) : au_term_const(r->terms, width, r->m->var.at[var].init);
    au_vec_push(&r->read, ((au_ref_read){.event = b->event, .var = var, .name = name}));
    e->n_reads++;
}

static void note_var(void *ctx, uint32_t var) {
    builder *b = ctx;
    if (b->r->m->var.at[var].kind != AU_VAR_LOCAL)
        au_vec_push(&b->found, var);
}

static void read_term(builder *b, au_term x) {
    au_vec_clear(&b->found);
    au_term_each_var(b->r->m->terms, x, note_var, b);
    for (size_t i = 0; i < b->found.n; i++) /* in the order of their numbers: the same every time */
        for (size_t k = i + 1; k < b->found.n; k++)
            if (b->found.at[k] < b->found.at[i]) {
                uint32_t v = b->found.at[k];
                b->found.at[k] = b->found.at[i];
                b->found.at[i] = v;
            }
    for (size_t i = 0; i < b->found.n; i++)
        read_var(b, b->found.at[i]);
}

/* A term of the model, over what the event reads and the locals before it. */
static au_term here(builder *b, au_term x) {
    au_term mine = au_term_import(b->r->terms, b->r->m->terms, x, b->number);
    return au_term_substitute(b->r->terms, mine, b->map, b->r->m->var.n);
}

static void write_var(builder *b, uint32_t var, au_term value) {
    au_ref_event *e = &b->r->event.at[b->event];
    for (uint32_t i = 0; i < e->n_writes; i++)
        if (b->r->write.at[e->first_write + i].var == var)
            return;
    au_vec_push(&b->r->write, ((au_ref_write){var, value}));
    e->n_writes++;
}

static void set(builder *b, au_term *after, uint32_t var, au_term value) {
    if (b->r->m->var.at[var].kind != AU_VAR_LOCAL) {
        write_var(b, var, value);
        return;
    }
    for (size_t i = 0; i < b->local.n; i++)
        if (b->local.at[i] == var)
            after[i] = value;
}

static void build_event(builder *b, uint32_t event, const au_term *before, au_term *after) {
    au_ref *r = b->r;
    const au_step *s = &r->m->step.at[r->event.at[event].step];
    const au_thread *th = &r->m->thread.at[s->thread];
    bool first = s->src == th->entry && th->started != AU_NONE;
    b->event = event;
    r->event.at[event].first_read = (uint32_t)r->read.n;
    r->event.at[event].first_write = (uint32_t)r->write.n;
    for (size_t i = 0; i < b->local.n; i++)
        b->map[b->local.at[i]] = before[i];
    if (first)
        read_var(b, th->started);
    read_term(b, s->guard);
    read_term(b, s->cond);
    for (uint32_t i = 0; i < s->n_updates; i++)
        read_term(b, s->update[i].value);
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (!s->access[i].write)
            read_var(b, s->access[i].var);
    au_term guard = here(b, s->guard), fails = au_term_not(r->terms, here(b, s->cond));
    au_term exec = r->event.at[event].exec;
    if (first)
        guard = au_term_and(r->terms, guard, au_term_truth(r->terms, b->map[th->started]));
    r->event.at[event].guard = guard;
    r->event.at[event].fails = fails;
    r->event.at[event].passes =
        r->whole ? exec : au_term_and(r->terms, exec, au_term_not(r->terms, fails));
    if (b->local.n)
        memcpy(after, before, b->local.n * sizeof *after);
    for (uint32_t i = 0; i < s->n_updates; i++)
        set(b, after, s->update[i].var, here(b, s->update[i].value));
    if (s->havoc != AU_NONE) {
        uint32_t name = au_ref_add_name(r, AU_REF_HAVOC, r->m->var.at[s->havoc].width, event);
        set(b, after, s->havoc, term_of(r, name));
    }
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (s->access[i].write)
            write_var(b, s->access[i].var, (au_term){UINT32_MAX});
    for (uint32_t i = 0; i < r->event.at[event].n_reads; i++)
        b->map[r->read.at[r->event.at[event].first_read + i].var] = (au_term){UINT32_MAX};
}

/* Where paths meet, a local has the value of the one that was taken. */
static void meet(builder *b, const au_ref_list *in, au_term **after, au_term *env) {
    for (size_t k = 0; k < b->local.n; k++) {
        env[k] = after[in->at[0]][k];
        for (size_t i = 1; i < in->n; i++)
            env[k] = au_term_ite(b->r->terms, b->r->event.at[in->at[i]].exec, after[in->at[i]][k],
                                 env[k]);
    }
}

static void build_node(builder *b, uint32_t t, uint32_t node, au_term **after) {
    au_ref *r = b->r;
    const au_thread *th = &r->m->thread.at[t];
    const au_ref_list *in = &r->in[t][node];
    au_term *env = au_alloc_array(b->local.n + 1, sizeof *env);
    au_term reach = au_term_bool(r->terms, node == th->entry);
    for (size_t k = 0; k < b->local.n && node == th->entry; k++)
        env[k] = au_term_const(r->terms, r->m->var.at[b->local.at[k]].width,
                               r->m->var.at[b->local.at[k]].init);
    if (node != th->entry)
        meet(b, in, after, env);
    for (size_t k = 0; k < in->n; k++) { /* nobody else comes from there */
        free(after[in->at[k]]);
        after[in->at[k]] = NULL;
    }
    for (size_t k = 0; k < in->n; k++)
        reach = au_term_or(r->terms, reach, r->event.at[in->at[k]].passes);
    r->reach[t][node] = reach;
    for (size_t k = 0; k < th->node.at[node].out.n; k++) {
        uint32_t e = r->event_of[th->node.at[node].out.at[k]];
        after[e] = au_alloc_array(b->local.n + 1, sizeof **after);
        build_event(b, e, env, after[e]);
    }
    free(env);
}

static void find_stored(const au_model *m, bool *stored) {
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        for (uint32_t k = 0; k < s->n_updates; k++)
            stored[s->update[k].var] = true;
        for (uint32_t k = 0; k < s->n_accesses; k++)
            if (s->access[k].write)
                stored[s->access[k].var] = true;
        if (s->havoc != AU_NONE)
            stored[s->havoc] = true;
    }
}

void au_ref_terms(au_ref *r) {
    const au_model *m = r->m;
    builder b = {.r = r};
    b.map = au_alloc_array(m->var.n + 1, sizeof *b.map);
    b.number = au_alloc_array(m->var.n + 1, sizeof *b.number);
    b.stored = au_alloc_array(m->var.n + 1, sizeof *b.stored);
    memset(b.map, 0xff, (m->var.n + 1) * sizeof *b.map);
    for (uint32_t v = 0; v < m->var.n; v++)
        b.number[v] = v;
    find_stored(m, b.stored);
    au_term **after = au_alloc_array(r->event.n + 1, sizeof *after);
    for (uint32_t t = 0; t < m->thread.n; t++) {
        au_vec_clear(&b.local);
        for (uint32_t v = 0; v < m->var.n; v++)
            if (m->var.at[v].kind == AU_VAR_LOCAL && m->var.at[v].thread == t)
                au_vec_push(&b.local, v);
        size_t nodes = m->thread.at[t].node.n;
        uint32_t *order = au_alloc_array(nodes + 1, sizeof *order);
        memset(order, 0xff, (nodes + 1) * sizeof *order);
        for (uint32_t n = 0; n < nodes; n++)
            if (r->topo[t][n] != AU_NONE)
                order[r->topo[t][n]] = n;
        for (uint32_t i = 0; i < nodes && order[i] != AU_NONE; i++)
            build_node(&b, t, order[i], after);
        for (uint32_t e = r->first_event[t]; e < r->first_event[t + 1]; e++) {
            free(after[e]);
            after[e] = NULL;
        }
        free(order);
    }
    free(after);
    free(b.map);
    free(b.number);
    free(b.stored);
    au_vec_release(&b.local);
    au_vec_release(&b.found);
}
