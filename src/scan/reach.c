/* scan/reach.c: see reach.h. */
#include "scan/reach_priv.h"

#include <stdlib.h>

enum { JOINS = 2 }; /* at a head of loops, before it is widened */
enum {
    MOST_APART = 8
}; /* ways with different modes that a transaction keeps apart; more are joined: nothing is lost */

/* --- nodes ----------------------------------------------------------------------------------------- */

typedef struct {
    const au_reach_maker *k;
    uint32_t n; /* numbers to compare */
} comparer;

static bool same_key(const void *ctx, uint32_t id, const void *key) {
    const comparer *c = ctx;
    return !memcmp(c->k->place.at + (size_t)id * c->k->keys, key, c->n * sizeof(uint32_t));
}

static uint32_t find_node(const au_reach_maker *k, const uint32_t *key) {
    comparer c = {k, k->keys};
    return au_idtable_find(&k->index, au_hash_bytes(key, k->keys * sizeof *key), same_key, &c, key);
}

/* The first node with this tuple, whatever its modes. */
static uint32_t find_tuple(const au_reach_maker *k, const uint32_t *tuple) {
    comparer c = {k, k->width};
    return au_idtable_find(&k->by_tuple, au_hash_bytes(tuple, k->width * sizeof *tuple), same_key,
                           &c, tuple);
}

static uint32_t add_node(au_reach_maker *k, const uint32_t *key) {
    uint32_t id = (uint32_t)k->node.n, first = find_tuple(k, key);
    gnode n = {.sister = AU_NONE};
    au_idtable_add(&k->index, au_hash_bytes(key, k->keys * sizeof *key), id);
    au_vec_append(&k->place, key, k->keys);
    if (first == AU_NONE) {
        au_idtable_add(&k->by_tuple, au_hash_bytes(key, k->width * sizeof *key), id);
    } else {
        n.sister = k->node.at[first].sister;
        k->node.at[first].sister = id;
    }
    for (uint32_t i = 0; i < k->width; i++) {
        n.key += k->c->rank[key[i]];
        n.wide |= k->c->head[key[i]];
    }
    n.alone = au_reach_alone_(k, key);
    au_vec_push(&k->node, n);
    return id;
}

/* It waits at its entry to be started: what is known of threads that stand there is not about it. */
static bool perhaps_unstarted(const au_reach_maker *k, uint32_t i, uint32_t at) {
    return k->c->f->m->thread.at[k->thread[i]].started != AU_NONE &&
           at == au_facts_entry(k->c->f, k->thread[i]);
}

/* Two threads are never there at a time, as is known from before or from locks, fork and join. */
static bool impossible(const au_reach_maker *k, const uint32_t *tuple, uint32_t moved) {
    for (uint32_t i = 0; i < k->width; i++)
        if (i != moved && !perhaps_unstarted(k, i, tuple[i]) &&
            au_scan_known_apart(k->known, tuple[moved], tuple[i]))
            return true;
    return false;
}

/* --- the queue: least key first ---------------------------------------------------------------------- */

static bool less(const au_reach_maker *k, uint32_t a, uint32_t b) {
    return k->node.at[a].key < k->node.at[b].key ||
           (k->node.at[a].key == k->node.at[b].key && a < b);
}

static void enqueue(au_reach_maker *k, uint32_t id) {
    if (k->node.at[id].queued)
        return;
    k->node.at[id].queued = true;
    au_vec_push(&k->heap, id);
    size_t i = k->heap.n - 1;
    while (i && less(k, k->heap.at[i], k->heap.at[(i - 1) / 2])) {
        uint32_t x = k->heap.at[i];
        k->heap.at[i] = k->heap.at[(i - 1) / 2];
        i = (i - 1) / 2;
        k->heap.at[i] = x;
    }
}

static uint32_t dequeue(au_reach_maker *k) {
    uint32_t id = k->heap.at[0];
    k->heap.at[0] = au_vec_pop(&k->heap);
    for (size_t i = 0; 2 * i + 1 < k->heap.n;) {
        size_t kid = 2 * i + 1;
        if (kid + 1 < k->heap.n && less(k, k->heap.at[kid + 1], k->heap.at[kid]))
            kid++;
        if (!less(k, k->heap.at[kid], k->heap.at[i]))
            break;
        uint32_t x = k->heap.at[i];
        k->heap.at[i] = k->heap.at[kid];
        k->heap.at[kid] = x;
        i = kid;
    }
    k->node.at[id].queued = false;
    return id;
}

/* --- transactions ------------------------------------------------------------------------------------ */

/* a (owned) comes to the node in the middle of a transaction, or at its end. */
static void come_to(au_reach_maker *k, uint32_t to, au_abs *a) {
    if (!k->mid[to].n && k->c->boundary[to])
        au_vec_push(&k->ends, to);
    au_reach_modes_(k, a, k->modes[0]);
    for (size_t i = 0; i < k->mid[to].n; i++) {
        au_reach_modes_(k, k->mid[to].at[i], k->modes[1]);
        if (k->mid[to].n < MOST_APART &&
            memcmp(k->modes[0], k->modes[1], k->mode.n * sizeof **k->modes))
            continue;
        au_abs_join(k->d, k->mid[to].at[i], a);
        au_abs_free(k->d, a);
        return;
    }
    au_vec_push(&k->mid[to], a);
}

static bool is_mode(const au_reach_maker *k, uint32_t var) {
    for (size_t i = 0; i < k->mode.n; i++)
        if (k->mode.at[i].var == var)
            return true;
    return false;
}

/* A mode is given the truth of a condition: one way where it holds, one where it does not. */
static bool split(au_reach_maker *k, const au_step *s, au_abs *a) {
    const au_model *m = k->c->f->m;
    for (uint32_t i = 0; i < s->n_updates; i++) {
        au_term cond;
        if (!is_mode(k, s->update[i].var) || !au_reach_truth_(m->terms, s->update[i].value, &cond))
            continue;
        au_update *u = au_alloc_array(s->n_updates, sizeof *u);
        memcpy(u, s->update, s->n_updates * sizeof *u);
        for (int value = 0; value < 2; value++) {
            au_abs *b = au_abs_copy(k->d, a);
            au_abs_assume(k->d, b, cond, value);
            u[i].value =
                au_term_const(m->terms, m->var.at[s->update[i].var].width, (uint64_t)value);
            au_abs_assign(k->d, b, u, s->n_updates);
            if (au_abs_none(b))
                au_abs_free(k->d, b);
            else
                come_to(k, k->c->f->base[s->thread] + s->dst, b);
        }
        free(u);
        return true;
    }
    return false;
}

static void run_step(au_reach_maker *k, const au_step *s, const au_abs *from) {
    const au_model *m = k->c->f->m;
    uint32_t started = m->thread.at[s->thread].started;
    if (s->spurious && k->o->no_spurious)
        return;
    au_abs *a = au_abs_copy(k->d, from);
    if (started != AU_NONE && s->src == m->thread.at[s->thread].entry)
        au_abs_assume(k->d, a, k->is_started[s->thread], true);
    if (k->result && s->blocking && au_abs_may(k->d, a, s->guard, false))
        k->result->stuck[s->id] = true;
    au_abs_assume(k->d, a, s->guard, true);
    if (!au_abs_none(a) && k->result)
        k->result->executed[s->id] = true;
    if (!au_abs_none(a) && !au_term_is_true(m->terms, s->cond)) {
        if (k->result) {
            au_abs *bad = au_abs_copy(k->d, a);
            au_abs_assume(k->d, bad, s->cond, false);
            k->result->fails[s->id] |= !au_abs_none(bad);
            au_abs_free(k->d, bad);
        }
        au_abs_assume(k->d, a, s->cond, true);
    }
    if (au_abs_none(a)) {
        au_abs_free(k->d, a);
        return;
    }
    if (s->havoc == AU_NONE && k->mode.n && split(k, s, a)) {
        au_abs_free(k->d, a);
        return;
    }
    au_abs_assign(k->d, a, s->update, s->n_updates);
    if (s->havoc != AU_NONE)
        au_abs_havoc(k->d, a, s->havoc);
    come_to(k, k->c->f->base[s->thread] + s->dst, a);
}

static void run_node(au_reach_maker *k, uint32_t n, const au_abs *a) {
    const au_node *node = au_facts_node(k->c->f, n);
    if (k->result)
        k->result->at[n] = true;
    for (size_t j = 0; j < node->out.n; j++)
        run_step(k, &k->c->f->m->step.at[node->out.at[j]], a);
}

/* All ways of one transaction from this boundary: what they lead to is in k->ends and k->mid. (The
 * boundary may also be an end: what came round is not what begins.) */
static void run_transaction(au_reach_maker *k, uint32_t boundary, const au_abs *from) {
    const au_cuts *c = k->c;
    uint32_t b = c->number[boundary];
    run_node(k, boundary, from);
    for (uint32_t i = c->first[b] + 1; i < c->first[b + 1]; i++) {
        uint32_t n = c->inside.at[i];
        for (size_t j = 0; j < k->mid[n].n; j++) {
            run_node(k, n, k->mid[n].at[j]);
            au_abs_free(k->d, k->mid[n].at[j]);
        }
        au_vec_clear(&k->mid[n]);
    }
}

typedef void arrive_fn(au_reach_maker *k, const uint32_t *tuple, uint32_t moved, au_abs *a);

/* Everything that can happen next at a node. */
static void expand(au_reach_maker *k, uint32_t id, arrive_fn *arrive) {
    uint32_t *tuple = au_alloc_array(k->keys, sizeof *tuple);
    memcpy(tuple, k->place.at + (size_t)id * k->keys, k->keys * sizeof *tuple);
    uint32_t only = k->node.at[id].alone;
    au_abs *from = au_abs_copy(k->d, k->node.at[id].state);
    for (uint32_t i = 0; i < k->width && k->fits; i++) {
        if (only != AU_NONE && only != i)
            continue;
        uint32_t at = tuple[i];
        run_transaction(k, at, from);
        for (size_t e = 0; e < k->ends.n; e++) {
            uint32_t to = k->ends.at[e];
            tuple[i] = to;
            bool never = impossible(k, tuple, i);
            for (size_t j = 0; j < k->mid[to].n; j++) {
                au_abs *a = k->mid[to].at[j];
                if (!k->fits || never) {
                    au_abs_free(k->d, a);
                    continue;
                }
                au_reach_environment_(k, tuple, a);
                au_reach_modes_(k, a, tuple + k->width);
                arrive(k, tuple, i, a);
            }
            au_vec_clear(&k->mid[to]);
        }
        au_vec_clear(&k->ends);
        tuple[i] = at;
    }
    au_abs_free(k->d, from);
    free(tuple);
}

/* --- up: until nothing grows --------------------------------------------------------------------------- */

static void arrive_up(au_reach_maker *k, const uint32_t *tuple, uint32_t moved, au_abs *a) {
    (void)moved;
    uint32_t id = find_node(k, tuple);
    if (id == AU_NONE) {
        if (k->o->most_nodes && k->node.n >= k->o->most_nodes) {
            k->fits = false;
            au_abs_free(k->d, a);
            return;
        }
        id = add_node(k, tuple);
        k->node.at[id].state = a;
        enqueue(k, id);
        return;
    }
    gnode *n = &k->node.at[id];
    bool more;
    if (n->wide && n->grown >= JOINS)
        more = au_abs_widen(k->d, n->state, a, n->grown);
    else
        more = au_abs_join(k->d, n->state, a);
    if (more) {
        n->grown++;
        enqueue(k, id);
    }
    au_abs_free(k->d, a);
}

static void go_up(au_reach_maker *k) {
    uint32_t *tuple = au_alloc_array(k->keys, sizeof *tuple);
    for (uint32_t i = 0; i < k->width; i++)
        tuple[i] = au_facts_entry(k->c->f, k->thread[i]);
    au_abs *a = au_abs_initial(k->d);
    au_reach_environment_(k, tuple, a);
    au_reach_modes_(k, a, tuple + k->width);
    uint32_t id = add_node(k, tuple);
    k->node.at[id].state = a;
    enqueue(k, id);
    while (k->heap.n && k->fits)
        expand(k, dequeue(k), arrive_up);
    free(tuple);
}

/* --- down: what is really brought to a node ---------------------------------------------------------------- */

/* Could an assertion with these modes be part of one that came to this node on the way up? There it
 * had at most more left open. */
static bool admits(const au_reach_maker *k, uint32_t id, const uint32_t *modes) {
    const uint32_t *at = k->place.at + (size_t)id * k->keys + k->width;
    for (size_t i = 0; i < k->mode.n; i++)
        if (at[i] && at[i] != modes[i])
            return false;
    return true;
}

static void arrive_down(au_reach_maker *k, const uint32_t *tuple, uint32_t moved, au_abs *a) {
    (void)moved;
    uint32_t first = find_tuple(k, tuple); /* if none: more states did not lead there */
    for (uint32_t id = first == AU_NONE ? AU_NONE : first; id != AU_NONE;
         id = k->node.at[id].sister) {
        gnode *n = &k->node.at[id];
        if (!admits(k, id, tuple + k->width))
            continue;
        if (n->next)
            au_abs_join(k->d, n->next, a);
        else
            n->next = au_abs_copy(k->d, a);
    }
    au_abs_free(k->d, a);
}

static void go_down(au_reach_maker *k) {
    uint32_t *tuple = k->place.at; /* the first node's */
    au_abs *a = au_abs_initial(k->d);
    au_reach_environment_(k, tuple, a);
    k->node.at[0].next = a;
    for (uint32_t id = 0; id < k->node.n; id++)
        if (!au_abs_none(k->node.at[id].state))
            expand(k, id, arrive_down);
    for (uint32_t id = 0; id < k->node.n; id++) {
        gnode *n = &k->node.at[id];
        if (!n->next) { /* nothing comes here */
            au_abs_assume(k->d, n->state, k->never, true);
            continue;
        }
        au_abs_meet(k->d, n->state, n->next);
        au_abs_free(k->d, n->next);
        n->next = NULL;
    }
}

/* --- the end ------------------------------------------------------------------------------------------------ */

static void arrive_last(au_reach_maker *k, const uint32_t *tuple, uint32_t moved, au_abs *a) {
    k->result->edges++;
    if (k->o->edge) {
        uint32_t to = find_node(k, tuple);
        if (to == AU_NONE)
            to = find_tuple(k, tuple);
        if (to != AU_NONE)
            k->o->edge(k->o->drawing, k->told, to, k->place.at[(size_t)k->told * k->keys + moved],
                       tuple[moved]);
    }
    au_abs_free(k->d, a);
}

static bool may_be_started(const au_reach_maker *k, uint32_t i, uint32_t at, const au_abs *a) {
    const au_thread *t = &k->c->f->m->thread.at[k->thread[i]];
    if (t->started == AU_NONE || at != au_facts_entry(k->c->f, k->thread[i]))
        return true;
    return au_abs_may(k->d, a, k->is_started[k->thread[i]], true);
}

static void tell(au_reach_maker *k) {
    au_reach *r = k->result;
    for (uint32_t id = 0; id < k->node.n; id++) {
        gnode *n = &k->node.at[id];
        if (au_abs_none(n->state))
            continue;
        const uint32_t *tuple = k->place.at + (size_t)id * k->keys;
        r->nodes++;
        r->alone += n->alone != AU_NONE;
        for (uint32_t i = 0; i < k->width; i++) {
            if (!may_be_started(k, i, tuple[i], n->state))
                continue;
            r->at[tuple[i]] = true;
            for (uint32_t j = i + 1; j < k->width; j++)
                if (may_be_started(k, j, tuple[j], n->state))
                    *au_map_put(&r->pair, au_scan_pair(tuple[i], tuple[j]), NULL) = 1;
        }
        if (k->o->visit)
            k->o->visit(k->o->ctx, k->d, tuple, n->state);
        k->told = id;
        if (k->o->node)
            k->o->node(k->o->drawing, id, k->d, tuple, n->state);
        expand(k, id, arrive_last);
    }
}

static bool *tracked_vars(const au_reach_maker *k) {
    const au_model *m = k->c->f->m;
    bool *t = au_alloc_array(m->var.n + 1, sizeof *t);
    for (uint32_t v = 0; v < m->var.n; v++) {
        const au_var_info *i = &m->var.at[v];
        t[v] = !k->o->tracked || k->o->tracked[v] || i->kind == AU_VAR_SYNC;
        if (i->kind != AU_VAR_SYNC && k->o->sync_only)
            t[v] = false;
        if (i->kind == AU_VAR_LOCAL) {
            bool mine = false;
            for (uint32_t j = 0; j < k->width; j++)
                mine |= k->thread[j] == i->thread;
            t[v] &= mine;
        }
    }
    return t;
}

void au_reach_make(au_reach *r, const au_cuts *c, const au_scan_known *known,
                   const au_reach_options *o) {
    const au_model *m = c->f->m;
    au_reach_maker k = {.c = c, .known = known, .o = o, .fits = true};
    *r = (au_reach){0};
    k.width = o->focus ? o->n_focus : (uint32_t)m->thread.n;
    k.thread = au_alloc_array(k.width, sizeof *k.thread);
    for (uint32_t i = 0; i < k.width; i++)
        k.thread[i] = o->focus ? o->focus[i] : i;
    k.mid = au_alloc_array(c->f->nodes + 1, sizeof *k.mid);
    k.is_started = au_alloc_array(m->thread.n + 1, sizeof *k.is_started);
    for (uint32_t t = 0; t < m->thread.n; t++)
        if (m->thread.at[t].started != AU_NONE)
            k.is_started[t] =
                au_term_truth(m->terms, au_model_var_term((au_model *)m, m->thread.at[t].started));
    k.never = au_term_const(m->terms, 1, 0);
    bool *tracked = tracked_vars(&k);
    k.d = au_domain_new(m, o->domain, tracked);
    au_idtable_init(&k.index);
    au_idtable_init(&k.by_tuple);
    au_map_init(&k.memo);
    au_map_init(&r->pair);
    au_reach_environment_init_(&k, tracked);
    au_reach_modes_init_(&k, tracked);
    for (int i = 0; i < 2; i++)
        k.modes[i] = au_alloc_array(k.mode.n + 1, sizeof *k.modes[i]);
    free(tracked);
    go_up(&k);
    for (unsigned i = 0; i < o->narrowings && k.fits; i++)
        go_down(&k);
    r->known = k.fits;
    r->at = au_alloc_array(c->f->nodes + 1, sizeof *r->at);
    r->executed = au_alloc_array(m->step.n + 1, sizeof *r->executed);
    r->fails = au_alloc_array(m->step.n + 1, sizeof *r->fails);
    r->stuck = au_alloc_array(m->step.n + 1, sizeof *r->stuck);
    k.result = r;
    if (k.fits)
        tell(&k);
    for (size_t i = 0; i < k.node.n; i++)
        au_abs_free(k.d, k.node.at[i].state);
    au_reach_environment_release_(&k);
    au_domain_free(k.d);
    au_idtable_release(&k.index);
    au_idtable_release(&k.by_tuple);
    au_vec_release(&k.mode);
    au_map_release(&k.memo);
    au_vec_release(&k.node);
    au_vec_release(&k.place);
    au_vec_release(&k.heap);
    au_vec_release(&k.ends);
    for (uint32_t n = 0; n < c->f->nodes; n++)
        au_vec_release(&k.mid[n]);
    free(k.mid);
    free(k.modes[0]);
    free(k.modes[1]);
    free(k.thread);
    free(k.is_started);
}

void au_reach_release(au_reach *r) {
    au_map_release(&r->pair);
    free(r->at);
    free(r->executed);
    free(r->fails);
    free(r->stuck);
    *r = (au_reach){0};
}
