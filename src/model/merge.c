/* model/merge.c: several runs of one program as one branching model.
 *
 * Every thread of the result is first a tree of items, grown run by run, and then
 * built from it. An item is an action (action.h) at its place in the tree.
 *
 *   items of two runs          become
 *   the same                   one item, on with what follows
 *   assume c / assume !c       a BRANCH item with both sides
 *   a BRANCH and one side      the BRANCH, on along that side
 *   anything else              an error
 * The end of a run goes with anything. */
#include "model/merge.h"

#include "model/action.h"
#include "model/sync.h"

#include <stdio.h>

typedef struct {
    au_action does;        /* in the result's words; one side of a branch: an ASSUME */
    bool branches;         /* some run went the other way */
    uint32_t model, first; /* where it came from: for messages, label and place */
    uint32_t next[2];      /* AU_NONE: the end; [1]: where it branches, the other side */
    uint32_t built;        /* its (first) step in the result */
} item;

typedef struct {
    const au_model *const *in;
    au_model *out;
    au_error *err;
    AU_VEC(item) items;
    uint32_t *root; /* by thread of the result */
    /* of the run that is being added */
    uint32_t now;
    uint32_t *thread, *obj, *var, *block; /* numbers in the result */
    au_map memo;                          /* terms brought over */
    /* of the first run */
    struct {
        uint32_t item;
        bool side;
    } * of_step; /* by step */
} merger;

/* --- names ------------------------------------------------------------------------- */

static uint32_t find_thread(const au_model *m, const char *name) {
    for (uint32_t i = 0; i < m->thread.n; i++)
        if (strcmp(m->thread.at[i].name, name) == 0)
            return i;
    return AU_NONE;
}

static uint32_t find_obj(const au_model *m, const char *name) {
    for (uint32_t i = 0; i < m->obj.n; i++)
        if (strcmp(m->obj.at[i].name, name) == 0)
            return i;
    return AU_NONE;
}

/* Names of variables to their numbers, for one model. */
static char *var_key(const au_model *m, const au_var_info *v) {
    const char *owner = v->kind == AU_VAR_LOCAL ? m->thread.at[v->thread].name : "";
    return au_sprintf("%d %zu %s %s", v->kind, strlen(owner), owner, v->name);
}

static au_status map_vars(merger *g, const au_model *m, au_intern *known, uint32_t **known_var) {
    for (uint32_t i = 0; i < m->var.n; i++) {
        const au_var_info *v = &m->var.at[i];
        g->var[i] = AU_NONE;
        if (v->kind == AU_VAR_SYNC)
            continue; /* through their objects */
        char *key = var_key(m, v);
        size_t before = known->n;
        uint32_t k = au_intern_add(known, key, strlen(key));
        free(key);
        if (known->n > before) {
            uint32_t owner = v->kind == AU_VAR_LOCAL ? g->thread[v->thread] : AU_NONE;
            *known_var = au_realloc_array(*known_var, known->n, sizeof **known_var);
            (*known_var)[k] = au_model_add_var(g->out, v->name, v->kind, v->width, v->init, owner);
        }
        g->var[i] = (*known_var)[k];
        au_status st = au_same_variable(v, &g->out->var.at[g->var[i]], m->file, NULL, g->err);
        if (st != AU_OK)
            return st;
    }
    return AU_OK;
}

static au_status map_objects(merger *g, const au_model *m) {
    for (uint32_t i = 0; i < m->obj.n; i++) {
        const au_sync_obj *o = &m->obj.at[i];
        uint32_t to = find_obj(g->out, o->name);
        if (to == AU_NONE)
            to = au_model_add_sync(g->out, o->name, o->kind, o->init);
        const au_sync_obj *p = &g->out->obj.at[to];
        if (p->kind != o->kind || p->init != o->init)
            return au_other_object(o->name, m->file, g->err);
        g->obj[i] = to;
        for (unsigned k = 0; k < 2; k++)
            if (o->var[k] != AU_NONE)
                g->var[o->var[k]] = p->var[k];
    }
    return AU_OK;
}

static void map_threads(merger *g, const au_model *m) {
    for (uint32_t i = 0; i < m->thread.n; i++) {
        uint32_t to = find_thread(g->out, m->thread.at[i].name);
        if (to == AU_NONE)
            to = au_model_add_thread(g->out, m->thread.at[i].name);
        g->thread[i] = to;
    }
}

/* --- items ----------------------------------------------------------------------------- */

static au_status place_error(merger *g, const au_step *s, const char *what) {
    const au_model *m = g->in[g->now];
    const char *label = au_step_label(m, s);
    return au_error_set(g->err, AU_EUNSUPPORTED, "%s:%u: thread '%s'%s%s: %s", m->file, s->line,
                        m->thread.at[s->thread].name, *label ? ", " : "", label, what);
}

typedef struct {
    const merger *g;
    const au_step *s;
    bool bad;
} var_check;

static void check_var(void *ctx, uint32_t v) {
    var_check *c = ctx;
    const merger *g = c->g;
    bool sync = g->in[g->now]->var.at[v].kind == AU_VAR_SYNC;
    c->bad |= g->var[v] == AU_NONE || (sync && g->thread[c->s->thread] != c->s->thread);
}

/* True if every variable of the guard has a counterpart in the result. A guard over
 * the owner of a lock (a pinned try-lock) may name its own thread by number, so that
 * must be the same. */
static bool can_import(const merger *g, const au_step *s) {
    var_check c = {g, s, false};
    au_term_each_var(g->in[g->now]->terms, s->guard, check_var, &c);
    return !c.bad;
}

static uint32_t map_block(merger *g, uint32_t block) {
    if (block == AU_NONE)
        return AU_NONE;
    if (g->block[block] == AU_NONE)
        g->block[block] = g->out->n_blocks++;
    return g->block[block];
}

/* The item of step s. Not linked. */
static au_status read_item(merger *g, const au_step *s, item *it) {
    const au_model *m = g->in[g->now];
    if (s->kind < AU_STEP_ACQ && !can_import(g, s))
        return place_error(g, s, "its condition looks at the state of a thread");
    au_renaming r = {m->terms, g->out->terms, g->var, g->obj, g->thread, &g->out->arena, &g->memo};
    *it = (item){.does = au_action_read(&r, m, s),
                 .model = g->now,
                 .first = s->id,
                 .next = {AU_NONE, AU_NONE},
                 .built = AU_NONE};
    if (s->kind == AU_STEP_BRANCH)
        it->does.kind = AU_STEP_ASSUME;
    return AU_OK;
}

/* --- growing the tree ----------------------------------------------------------------- */

typedef struct {
    uint32_t node;         /* of the run's thread */
    uint32_t parent, side; /* the item before it in the tree; AU_NONE: the thread's root */
} place;
typedef AU_VEC(place) place_vec;

static uint32_t *link_of(merger *g, uint32_t thread, const place *p) {
    return p->parent == AU_NONE ? &g->root[thread] : &g->items.at[p->parent].next[p->side];
}

static void note_first_run(merger *g, uint32_t step, uint32_t it, bool side) {
    if (g->now == 0) {
        g->of_step[step].item = it;
        g->of_step[step].side = side;
    }
}

static const char *cannot_merge(merger *g, const item *a, char *text, size_t n) {
    const au_model *m = g->in[a->model];
    const au_step *s = &m->step.at[a->first];
    const char *label = au_step_label(m, s);
    snprintf(text, n, "it differs from %s:%u%s%s and no branch tells the two apart", m->file,
             s->line, *label ? ", " : "", label);
    return text;
}

/* Puts the step s of the run at *p; *side says which way it went. */
static au_status add_item(merger *g, uint32_t thread, const place *p, const au_step *s,
                          uint32_t *at, uint32_t *side) {
    item it;
    au_status st = read_item(g, s, &it);
    if (st)
        return st;
    *side = 0;
    *at = *link_of(g, thread, p);
    if (*at == AU_NONE) { /* a new leaf */
        it.does.block = map_block(g, it.does.block);
        *at = (uint32_t)g->items.n;
        au_vec_push(&g->items, it);
        *link_of(g, thread, p) = *at;
        return AU_OK;
    }
    item *old = &g->items.at[*at];
    const au_action *a = &old->does, *b = &it.does;
    bool may_part = b->kind == AU_STEP_ASSUME && !b->blocking;
    bool alike = au_action_alike(a, b);
    bool same = alike && au_term_same(a->guard, b->guard);
    bool opposite =
        alike && may_part && au_term_same(a->guard, au_term_not(g->out->terms, b->guard));
    if (!same && !opposite) {
        char text[300];
        return place_error(g, s, cannot_merge(g, old, text, sizeof text));
    }
    if (b->block != AU_NONE) {
        if (g->block[b->block] != AU_NONE && g->block[b->block] != a->block)
            return place_error(g, s, "it is in another atomic block than in an earlier run");
        g->block[b->block] = a->block;
    }
    if (opposite) {
        old->branches = true;
        *side = 1;
    }
    return AU_OK;
}

/* Steps that leave a node as one item. */
static bool is_group(const au_model *m, const au_node *n) {
    au_step_kind k = m->step.at[n->out.at[0]].kind;
    return k == AU_STEP_SIGNAL || k == AU_STEP_WAKE;
}

static au_status add_thread(merger *g, uint32_t from) {
    const au_model *m = g->in[g->now];
    const au_thread *t = &m->thread.at[from];
    uint32_t thread = g->thread[from];
    bool *seen = au_alloc_array(t->node.n, sizeof *seen);
    place_vec todo = {0};
    au_status st = AU_OK;
    au_vec_push(&todo, ((place){t->entry, AU_NONE, 0}));
    while (todo.n && st == AU_OK) {
        place p = au_vec_pop(&todo);
        const au_node *n = &t->node.at[p.node];
        if (p.node == t->exit || !n->out.n)
            continue;
        const au_step *s = &m->step.at[n->out.at[0]];
        if (seen[p.node]) {
            st = place_error(g, s, "its thread is not a tree: branches meet again before it");
            break;
        }
        seen[p.node] = true;
        size_t ways = is_group(m, n) ? 1 : n->out.n;
        for (size_t k = 0; k < ways && st == AU_OK; k++) {
            uint32_t at, side;
            s = &m->step.at[n->out.at[k]];
            st = add_item(g, thread, &p, s, &at, &side);
            if (st)
                break;
            note_first_run(g, s->id, at, side);
            uint32_t dst = s->dst;
            if (s->kind == AU_STEP_WAIT || s->kind == AU_STEP_ARRIVE) {
                /* the second half belongs to the item */
                const au_node *middle = &t->node.at[dst];
                for (size_t i = 0; i < middle->out.n; i++)
                    note_first_run(g, middle->out.at[i], at, side);
                dst = m->step.at[middle->out.at[0]].dst;
            }
            for (size_t i = ways; i < n->out.n; i++) /* a signal's other edges */
                note_first_run(g, n->out.at[i], at, side);
            au_vec_push(&todo, ((place){dst, at, side}));
        }
    }
    au_vec_release(&todo);
    free(seen);
    return st;
}

/* --- building the result ----------------------------------------------------------------- */

static void dress(merger *g, const item *it, uint32_t first) {
    const au_model *m = g->in[it->model];
    const au_step *from = &m->step.at[it->first];
    for (size_t k = first; k < g->out->step.n; k++) {
        au_step *s = &g->out->step.at[k];
        s->block = it->does.block;
        s->line = from->line;
        s->col = from->col;
        if (from->label != AU_NONE)
            s->label = au_intern_add(&g->out->strings, au_intern_str(&m->strings, from->label),
                                     au_intern_len(&m->strings, from->label));
        if (from->loc != AU_NONE)
            s->loc = au_intern_add(&g->out->strings, au_intern_str(&m->strings, from->loc),
                                   au_intern_len(&m->strings, from->loc));
    }
}

/* Where what follows an item goes on: a node of its own or the exit. */
static uint32_t target(merger *g, uint32_t thread, uint32_t next) {
    return next == AU_NONE ? g->out->thread.at[thread].exit : au_model_add_node(g->out, thread);
}

typedef struct {
    uint32_t item, src;
} work;

static void build_thread(merger *g, uint32_t thread) {
    au_model *m = g->out;
    AU_VEC(work) todo = {0};
    m->thread.at[thread].exit = au_model_add_node(m, thread);
    uint32_t exit = m->thread.at[thread].exit;
    if (g->root[thread] == AU_NONE) /* no run had a step of it */
        au_model_add_step(m, thread, m->thread.at[thread].entry, exit, AU_STEP_NOP);
    else
        au_vec_push(&todo, ((work){g->root[thread], m->thread.at[thread].entry}));
    while (todo.n) {
        work w = au_vec_pop(&todo);
        uint32_t id = w.item, src = w.src;
        item it = g->items.at[id];
        uint32_t first = (uint32_t)m->step.n, dst[2] = {0, 0};
        if (it.branches)
            it.does.kind = AU_STEP_BRANCH;
        for (int side = 0; side <= it.branches; side++) {
            dst[side] = target(g, thread, it.next[side]);
            if (side)
                it.does.guard = au_term_not(m->terms, it.does.guard);
            au_action_build(m, thread, src, dst[side], &it.does);
        }
        g->items.at[id].built = first;
        dress(g, &it, first);
        if (it.branches) {
            m->thread.at[thread].node.at[src].kind = AU_NODE_IF;
            m->thread.at[thread].node.at[src].merge = exit;
        }
        for (int side = it.branches; side >= 0; side--) /* the first side is built first */
            if (it.next[side] != AU_NONE)
                au_vec_push(&todo, ((work){it.next[side], dst[side]}));
    }
    au_vec_release(&todo);
}

/* The step of the result that step s of the first run became. */
static uint32_t counterpart(const merger *g, uint32_t s) {
    const au_model *from = g->in[0], *m = g->out;
    const au_step *old = &from->step.at[s];
    const item *it = &g->items.at[g->of_step[s].item];
    uint32_t first = it->built;
    if (it->branches)
        return first + g->of_step[s].side;
    if (old->kind == AU_STEP_WAKE)
        return first + 1 + old->spurious;
    if (old->kind == AU_STEP_LEAVE)
        return first + 1;
    if (old->kind != AU_STEP_SIGNAL || old->choice == AU_NONE)
        return first;
    const au_step *nobody = &m->step.at[first];
    uint32_t t = find_thread(m, from->thread.at[old->choice].name);
    const au_node *n = &m->thread.at[nobody->thread].node.at[nobody->src];
    for (size_t k = 0; k < n->out.n; k++)
        if (m->step.at[n->out.at[k]].choice == t)
            return n->out.at[k];
    AU_BUG_IF(true);
}

static au_status add_run(merger *g, uint32_t i, au_intern *known, uint32_t **known_var) {
    const au_model *m = g->in[i];
    if (m->has_loops)
        return au_error_set(g->err, AU_EUNSUPPORTED, "'%s' has loops and cannot be merged",
                            m->file);
    g->now = i;
    g->thread = au_alloc_array(m->thread.n, sizeof *g->thread);
    g->obj = au_alloc_array(m->obj.n, sizeof *g->obj);
    g->var = au_alloc_array(m->var.n, sizeof *g->var);
    g->block = au_alloc_array(m->n_blocks, sizeof *g->block);
    memset(g->block, 0xff, m->n_blocks * sizeof *g->block);
    au_map_init(&g->memo);
    size_t before = g->out->thread.n;
    map_threads(g, m);
    g->root = au_realloc_array(g->root, g->out->thread.n, sizeof *g->root);
    for (size_t k = before; k < g->out->thread.n; k++)
        g->root[k] = AU_NONE;
    au_status st = map_vars(g, m, known, known_var);
    if (!st)
        st = map_objects(g, m);
    for (uint32_t k = 0; k < m->thread.n && !st; k++)
        st = add_thread(g, k);
    free(g->thread);
    free(g->obj);
    free(g->var);
    free(g->block);
    au_map_release(&g->memo);
    return st;
}

au_model *au_model_merge(const au_model *const *models, size_t n, au_error *err) {
    AU_BUG_IF(n == 0);
    merger g = {.in = models, .err = err};
    g.out = au_model_new(models[0]->file);
    g.of_step = au_alloc_array(models[0]->step.n, sizeof *g.of_step);
    au_intern known;
    uint32_t *known_var = NULL;
    au_intern_init(&known);
    au_status st = AU_OK;
    for (uint32_t i = 0; i < n && !st; i++)
        st = add_run(&g, i, &known, &known_var);
    if (!st) {
        for (uint32_t t = 0; t < g.out->thread.n; t++)
            build_thread(&g, t);
        au_sync_finish(g.out);
        for (size_t i = 0; i < models[0]->observed.n; i++)
            au_vec_push(&g.out->observed, counterpart(&g, models[0]->observed.at[i]));
    }
    au_intern_release(&known);
    free(known_var);
    free(g.of_step);
    free(g.root);
    au_vec_release(&g.items);
    if (st) {
        au_model_free(g.out);
        return NULL;
    }
    return g.out;
}
