/* scan/unroll.c: a model with loops as one without: bmc.h says how. */
#include "scan/bmc.h"

typedef struct {
    const au_model *m;
    au_unrolled *u;
    const au_unroll_options *o;
    au_map memo;     /* terms */
    uint32_t thread; /* the one being copied */
    uint32_t layers;
    uint32_t target;    /* step of this thread, AU_NONE */
    bool again;         /* the target's node can come again */
    bool *back;         /* by step: a back edge */
    bool *leads;        /* by node of the thread: to the target's */
    uint32_t *copy;     /* [layer * nodes + node]: + 1, 0 not made yet */
    uint32_t stop;      /* variable: the layer in which to stop; AU_NONE */
    uint32_t there;     /* node: the target's; AU_NONE not made yet */
    uint32_t dead, cut; /* nodes; AU_NONE */
    uint32_t *which;    /* where to tell the target's copy */
    AU_VEC(uint64_t) todo;
} unroller;

/* --- terms ------------------------------------------------------------------------------------------ */

static au_term var_term(void *ctx, uint32_t var, unsigned width) {
    unroller *k = ctx;
    (void)width;
    return au_model_var_term(k->u->m, var);
}

static au_term term(unroller *k, au_term x) {
    return au_term_translate(k->u->m->terms, k->m->terms, x, var_term, k, &k->memo);
}

/* --- steps ------------------------------------------------------------------------------------------ */

static au_step *new_step(unroller *k, uint32_t src, uint32_t dst, au_step_kind kind,
                         uint32_t origin) {
    au_step *s = au_model_add_step(k->u->m, k->thread, src, dst, kind);
    au_vec_push(&k->u->origin, origin);
    return s;
}

static au_term done_value(unroller *k, uint32_t done) {
    return au_term_const(k->u->m->terms, k->m->var.at[done].width, 1);
}

/* A node that nobody leaves: a step that nothing passes, so that it has one. */
static uint32_t blocked_node(unroller *k, bool is_cut) {
    au_model *m = k->u->m;
    const au_thread *t = &k->m->thread.at[k->thread];
    uint32_t n = au_model_add_node(m, k->thread);
    au_step *s = new_step(k, n, m->thread.at[k->thread].exit, AU_STEP_ASSUME, AU_NONE);
    s->guard = au_term_const(m->terms, 1, 0);
    if (t->done != AU_NONE)
        au_step_add_update(m, s, t->done, done_value(k, t->done));
    if (is_cut)
        au_vec_push(&k->u->cut, s->id);
    return n;
}

static uint32_t dead_node(unroller *k) {
    if (k->dead == AU_NONE)
        k->dead = blocked_node(k, false);
    return k->dead;
}

static uint32_t cut_node(unroller *k) {
    if (k->cut == AU_NONE)
        k->cut = blocked_node(k, true);
    return k->cut;
}

/* All that it assigns is of no interest to any condition. */
static bool idle(const unroller *k, const au_step *s) {
    if (!k->o->relevant || (s->kind != AU_STEP_ASSIGN && s->kind != AU_STEP_HAVOC))
        return false;
    for (uint32_t i = 0; i < s->n_updates; i++)
        if (k->o->relevant[s->update[i].var])
            return false;
    return s->havoc == AU_NONE || !k->o->relevant[s->havoc];
}

/* keep: with its accesses, whatever they are good for. */
static uint32_t copy_step(unroller *k, const au_step *s, uint32_t src, uint32_t dst, bool keep) {
    au_model *m = k->u->m;
    const au_thread *t = &k->m->thread.at[k->thread];
    bool none = !keep && idle(k, s), ends = s->dst == t->exit;
    bool exits = dst == m->thread.at[k->thread].exit;
    au_step *c = new_step(k, src, dst, none ? AU_STEP_NOP : s->kind, s->id);
    uint32_t id = c->id;
    bool never =
        (s->spurious && k->o->no_spurious) || (k->o->exact && k->o->exact[s->id] > 1 && !keep);
    c->guard = never ? au_term_const(m->terms, 1, 0) : term(k, s->guard);
    c = &m->step.at[id];
    c->cond = term(k, s->cond);
    c->line = s->line;
    c->col = s->col;
    c->block = s->block;
    if (none)
        return id;
    au_step_copy_marks(c, s);
    for (uint32_t i = 0; i < s->n_updates; i++)
        if (!ends || exits || s->update[i].var != t->done)
            au_step_add_update(m, c, s->update[i].var, term(k, s->update[i].value));
    for (uint32_t i = 0; i < s->n_accesses; i++)
        au_step_add_access(m, c, s->access[i].var, s->access[i].write);
    return id;
}

/* --- a thread ----------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t node;
    size_t next;
} frame;

static void find_back_edges(unroller *k) {
    const au_thread *t = &k->m->thread.at[k->thread];
    uint8_t *color = au_alloc_array(t->node.n, 1);
    AU_VEC(frame) stack = {0};
    color[t->entry] = 1;
    au_vec_push(&stack, ((frame){t->entry, 0}));
    while (stack.n) {
        frame *top = &au_vec_last(&stack);
        const au_node *n = &t->node.at[top->node];
        if (top->next == n->out.n) {
            color[top->node] = 2;
            stack.n--;
            continue;
        }
        const au_step *s = &k->m->step.at[n->out.at[top->next++]];
        if (color[s->dst] == 1)
            k->back[s->id] = true;
        if (!color[s->dst]) {
            color[s->dst] = 1;
            au_vec_push(&stack, ((frame){s->dst, 0}));
        }
    }
    au_vec_release(&stack);
    free(color);
}

/* Nodes from which the target's can be reached; and whether it can from itself. */
static void find_leads(unroller *k) {
    const au_thread *t = &k->m->thread.at[k->thread];
    uint32_t goal = k->m->step.at[k->target].src;
    bool more = true;
    memset(k->leads, 0, t->node.n * sizeof *k->leads);
    k->leads[goal] = true;
    k->again = false;
    while (more) {
        more = false;
        for (uint32_t n = 0; n < t->node.n; n++)
            for (size_t i = 0; i < t->node.at[n].out.n; i++) {
                uint32_t to = k->m->step.at[t->node.at[n].out.at[i]].dst;
                if (k->leads[to] && !k->leads[n])
                    k->leads[n] = more = true;
            }
    }
    for (size_t i = 0; i < t->node.at[goal].out.n; i++)
        k->again |= k->leads[k->m->step.at[t->node.at[goal].out.at[i]].dst];
}

static uint32_t target_node(unroller *k) {
    const au_thread *t = &k->m->thread.at[k->thread];
    if (k->there != AU_NONE)
        return k->there;
    k->there = au_model_add_node(k->u->m, k->thread);
    const au_node *n = &t->node.at[k->m->step.at[k->target].src];
    uint32_t dead = dead_node(k);
    for (size_t i = 0; i < n->out.n; i++) {
        uint32_t c = copy_step(k, &k->m->step.at[n->out.at[i]], k->there, dead, true);
        if (n->out.at[i] == k->target)
            *k->which = c;
    }
    return k->there;
}

/* The node at which a thread arrives that comes to this one in this layer. */
static uint32_t place(unroller *k, uint32_t layer, uint32_t node) {
    au_model *m = k->u->m;
    const au_thread *t = &k->m->thread.at[k->thread];
    if (layer >= k->layers)
        return cut_node(k);
    if ((k->target != AU_NONE && !k->leads[node]) ||
        (k->o->never && k->o->never[k->o->base[k->thread] + node]))
        return dead_node(k);
    if (node == t->exit)
        return m->thread.at[k->thread].exit;
    uint32_t *at = &k->copy[(size_t)layer * t->node.n + node];
    if (*at)
        return *at - 1;
    bool goal = k->target != AU_NONE && node == k->m->step.at[k->target].src;
    if (goal && !k->again)
        return target_node(k);
    uint32_t n = au_model_add_node(m, k->thread);
    *at = n + 1;
    au_vec_push(&k->todo, au_key2(layer, node));
    return n;
}

/* What goes out of a copied node. */
static void copy_node(unroller *k, uint32_t layer, uint32_t node) {
    au_model *m = k->u->m;
    const au_thread *t = &k->m->thread.at[k->thread];
    uint32_t src = k->copy[(size_t)layer * t->node.n + node] - 1;
    if (k->target != AU_NONE && node == k->m->step.at[k->target].src) { /* to stop, or to go on */
        au_term here =
            au_term_eq(m->terms, au_model_var_term(m, k->stop), au_term_const(m->terms, 32, layer));
        uint32_t there = target_node(k), on = au_model_add_node(m, k->thread);
        new_step(k, src, there, AU_STEP_BRANCH, AU_NONE)->guard = here;
        new_step(k, src, on, AU_STEP_BRANCH, AU_NONE)->guard = au_term_not(m->terms, here);
        src = on;
    }
    for (size_t i = 0; i < t->node.at[node].out.n; i++) {
        const au_step *s = &k->m->step.at[t->node.at[node].out.at[i]];
        uint32_t dst = place(k, layer + k->back[s->id], s->dst);
        copy_step(k, s, src, dst, false);
    }
}

static void copy_thread(unroller *k) {
    au_model *m = k->u->m;
    const au_thread *t = &k->m->thread.at[k->thread];
    k->leads = au_alloc_array(t->node.n + 1, sizeof *k->leads);
    k->copy = au_alloc_array(t->node.n * k->layers + 1, sizeof *k->copy);
    k->there = k->dead = k->cut = k->stop = AU_NONE;
    find_back_edges(k);
    if (k->target != AU_NONE)
        find_leads(k);
    m->thread.at[k->thread].exit = au_model_add_node(m, k->thread);
    if (k->target != AU_NONE && k->again) {
        char *name = au_sprintf("$stop%u", k->thread);
        uint32_t from = m->thread.at[k->thread].entry;
        k->stop = au_model_add_var(m, au_arena_strndup(&m->arena, name, strlen(name)), AU_VAR_LOCAL,
                                   32, 0, k->thread);
        free(name);
        uint32_t to = place(k, 0, t->entry);
        new_step(k, from, to, AU_STEP_HAVOC, AU_NONE)->havoc = k->stop;
    } else {
        uint32_t to = place(k, 0, t->entry);
        m->thread.at[k->thread].entry = to;
    }
    while (k->todo.n) {
        uint64_t at = au_vec_pop(&k->todo);
        copy_node(k, (uint32_t)(at >> 32), (uint32_t)at);
    }
    free(k->leads);
    free(k->copy);
}

static void copy_names(const au_model *m, au_model *u) {
    for (size_t i = 0; i < m->var.n; i++)
        au_model_add_var(u, m->var.at[i].name, m->var.at[i].kind, m->var.at[i].width,
                         m->var.at[i].init, m->var.at[i].thread);
    for (size_t i = 0; i < m->obj.n; i++) {
        au_sync_obj o = m->obj.at[i];
        memset(&o.per, 0, sizeof o.per);
        au_vec_append(&o.per, m->obj.at[i].per.at, m->obj.at[i].per.n);
        au_vec_push(&u->obj, o);
    }
    for (size_t i = 0; i < m->thread.n; i++) {
        uint32_t t = au_model_add_thread(u, m->thread.at[i].name);
        u->thread.at[t].forked = m->thread.at[i].forked;
        u->thread.at[t].started = m->thread.at[i].started;
        u->thread.at[t].done = m->thread.at[i].done;
    }
    u->n_blocks = m->n_blocks;
}

void au_unroll(const au_model *m, const au_unroll_options *o, au_unrolled *u) {
    *u = (au_unrolled){.m = au_model_new(m->file), .target = {AU_NONE, AU_NONE}};
    unroller k = {.m = m, .u = u, .o = o, .layers = o->layers};
    au_map_init(&k.memo);
    k.back = au_alloc_array(m->step.n + 1, sizeof *k.back);
    copy_names(m, u->m);
    for (uint32_t t = 0; t < m->thread.n; t++) {
        k.thread = t;
        k.target = AU_NONE;
        for (int i = 0; i < 2; i++)
            if (o->target[i] != AU_NONE && m->step.at[o->target[i]].thread == t) {
                k.target = o->target[i];
                k.which = &u->target[i];
            }
        copy_thread(&k);
    }
    au_vec_release(&k.todo);
    au_map_release(&k.memo);
    free(k.back);
}

void au_unrolled_release(au_unrolled *u) {
    au_model_free(u->m);
    au_vec_release(&u->origin);
    au_vec_release(&u->cut);
}
