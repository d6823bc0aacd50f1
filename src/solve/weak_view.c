/* solve/weak_view.c: a solution as relations of what it executes. */
#include "solve/weak_priv.h"

#include "base/error.h"

static bool value(const au_weak_state *w, int lit) {
    return au_sat_value(&w->k->sat, lit);
}

/* ---- nodes ---- */

static au_memory_order order_of(const au_step *s) {
    if (s->order != AU_MO_NONE)
        return (au_memory_order)s->order;
    return s->n_accesses && au_step_is_atomic(s) ? AU_MO_SC : AU_MO_NONE;
}

static au_weak_node node_of(const au_weak_state *w, uint32_t event) {
    const au_step *s = au_weak_step(w, event);
    au_weak_node n = {.event = event, .var = AU_NONE, .from = AU_NONE};
    n.order = (uint8_t)order_of(s);
    if (s->n_accesses)
        n.var = s->access[0].var;
    n.sync = s->kind >= AU_STEP_ACQ;
    n.fence = !n.sync && !s->n_accesses && s->order != AU_MO_NONE;
    n.writes = au_weak_stores(w, event) && value(w, au_weak_stored(w, event));
    if (!n.writes && au_weak_read_of(w->k->c, event) == AU_NONE)
        n.var = AU_NONE; /* an assert that failed, and would have written */
    return n;
}

static void find_nodes(au_weak_state *w, const au_prefix *p) {
    const au_cssa *c = w->k->c;
    au_vec_clear(&w->node);
    memset(w->number, 0xff, c->event.n * sizeof *w->number);
    for (uint32_t e = 0; e < c->event.n; e++) {
        if (!au_bitset_has(&p->exec, e))
            continue;
        au_weak_node n = node_of(w, e);
        if (n.var == AU_NONE && !n.sync && !n.fence)
            continue;
        w->number[e] = (uint32_t)w->node.n;
        au_vec_push(&w->node, n);
    }
    for (uint32_t i = 0; i < p->order.n; i++)
        w->pos[p->order.at[i]] = i;
    for (uint32_t i = 0; i < w->node.n; i++) {
        uint32_t read = au_weak_read_of(c, w->node.at[i].event);
        if (read == AU_NONE)
            continue;
        const au_cssa_read *r = &c->read.at[read];
        const int *sees = w->k->sees.at[read];
        size_t at = 0;
        while (at < r->writer.n && !value(w, sees[at]))
            at++;
        AU_BUG_IF(at == r->writer.n);
        w->node.at[i].from =
            r->writer.at[at] == AU_INITIAL ? AU_FROM_START : w->number[r->writer.at[at]];
        AU_BUG_IF(w->node.at[i].from == AU_NONE);
    }
}

/* ---- modification order ---- */

/* Three stores one before the other in a circle: never again. */
static uint64_t cut_circles(au_weak_state *w, uint32_t var) {
    enum { MOST = 64 };
    size_t n = w->k->c->stores[var].n;
    const int *mo = w->mo[var];
    AU_VEC(int) clause = {0};
    for (size_t i = 0; i < n && clause.n < 3 * MOST; i++)
        for (size_t j = i + 1; j < n; j++)
            for (size_t k = i + 1; k < n && clause.n < 3 * MOST; k++)
                if (k != j && value(w, mo[i * n + j]) && value(w, mo[j * n + k]) &&
                    value(w, mo[k * n + i])) {
                    au_vec_push(&clause, -mo[i * n + j]);
                    au_vec_push(&clause, -mo[j * n + k]);
                    au_vec_push(&clause, -mo[k * n + i]);
                }
    for (size_t i = 0; i < clause.n; i += 3) /* after the last look at the solution */
        au_sat_add(&w->k->sat, clause.at + i, 3);
    uint64_t cuts = clause.n / 3;
    au_vec_release(&clause);
    return cuts;
}

/* False: there is a circle. */
static bool find_line(au_weak_state *w, uint32_t var) {
    const uint32_t *all = w->k->c->stores[var].at;
    const int *mo = w->mo[var];
    au_u32s *line = &w->line[var];
    size_t n = w->k->c->stores[var].n, written = 0;
    for (size_t i = 0; i < n; i++)
        written += w->number[all[i]] != AU_NONE && w->node.at[w->number[all[i]]].writes;
    au_vec_clear(line);
    for (size_t i = 0; i < written; i++)
        au_vec_push(line, AU_NONE);
    for (size_t i = 0; i < n; i++) {
        uint32_t me = w->number[all[i]];
        if (me == AU_NONE || !w->node.at[me].writes)
            continue;
        size_t before = 0;
        for (size_t j = 0; j < n; j++) {
            uint32_t other = w->number[all[j]];
            before +=
                j != i && other != AU_NONE && w->node.at[other].writes && value(w, mo[j * n + i]);
        }
        if (line->at[before] != AU_NONE)
            return false;
        line->at[before] = me;
    }
    return true;
}

/* ---- synchronisation ---- */

bool au_weak_releases(const au_weak_node *n) {
    return n->order == AU_MO_REL || n->order == AU_MO_ACQ_REL || n->order == AU_MO_SC;
}
bool au_weak_acquires(const au_weak_node *n) {
    return n->order == AU_MO_ACQ || n->order == AU_MO_ACQ_REL || n->order == AU_MO_SC;
}

/* Which write of the rwlock's first variable, its writer, the release sees: a writer's? */
static bool was_writer(const au_weak_state *w, uint32_t node, uint32_t obj) {
    const au_cssa *c = w->k->c;
    uint32_t e = w->node.at[node].event, read = au_cssa_read_of(c, e, c->m->obj.at[obj].var[0]);
    const au_cssa_read *r = &c->read.at[read];
    for (size_t i = 0; i < r->writer.n; i++)
        if (value(w, w->k->sees.at[read][i]))
            return r->writer.at[i] != AU_INITIAL &&
                   au_weak_step(w, r->writer.at[i])->kind == AU_STEP_WRACQ;
    return false;
}

static bool takes(const au_step *s) {
    return s->kind == AU_STEP_ACQ || s->kind == AU_STEP_WRACQ || s->kind == AU_STEP_WAKE;
}

bool au_weak_syncs(const au_weak_state *w, uint32_t obj, uint32_t a, uint32_t b) {
    const au_step *s = au_weak_step(w, w->node.at[a].event),
                  *t = au_weak_step(w, w->node.at[b].event);
    bool gives = s->kind == AU_STEP_REL || s->kind == AU_STEP_WAIT;
    if (!gives || !(takes(t) || t->kind == AU_STEP_RDACQ))
        return false;
    return takes(t) || w->k->c->m->obj.at[obj].kind != AU_OBJ_RWLOCK || was_writer(w, a, obj);
}

static void sync_condition(au_weak_state *w, const au_u32s *line) {
    for (size_t i = 0; i < line->n; i++) {
        const au_step *s = au_weak_step(w, w->node.at[line->at[i]].event);
        uint32_t by = AU_NONE;
        if (s->kind != AU_STEP_WAKE || s->spurious)
            continue;
        for (size_t j = i; j-- > 0;) { /* back to the wait: the first signal after it */
            const au_step *q = au_weak_step(w, w->node.at[line->at[j]].event);
            if (q->kind == AU_STEP_WAIT && q->thread == s->thread)
                break;
            if (q->kind == AU_STEP_BROADCAST ||
                (q->kind == AU_STEP_SIGNAL && q->choice == s->thread))
                by = line->at[j];
        }
        if (by != AU_NONE)
            au_rel_add(&w->rel[AU_REL_SYNC], by, line->at[i]);
    }
}

/* All arrivals of a round are before all that leave it. */
static void sync_barrier(au_weak_state *w, uint32_t size, const au_u32s *line) {
    const au_model *m = w->k->c->m;
    uint32_t *round_of = au_alloc_array(m->thread.n + 1, sizeof *round_of);
    uint32_t *round = au_alloc_array(line->n + 1, sizeof *round), arrived = 0;
    for (size_t i = 0; i < line->n; i++) {
        const au_step *s = au_weak_step(w, w->node.at[line->at[i]].event);
        bool arrives = s->kind == AU_STEP_ARRIVE;
        if (arrives)
            round_of[s->thread] = arrived++ / size;
        round[i] = round_of[s->thread];
        for (size_t j = 0; j < i && !arrives; j++)
            if (round[j] == round[i] &&
                au_weak_step(w, w->node.at[line->at[j]].event)->kind == AU_STEP_ARRIVE)
                au_rel_add(&w->rel[AU_REL_SYNC], line->at[j], line->at[i]);
    }
    free(round_of);
    free(round);
}

static void relate_object(au_weak_state *w, uint32_t obj, const au_u32s *line) {
    const au_sync_obj *o = &w->k->c->m->obj.at[obj];
    for (size_t i = 0; i < line->n; i++)
        for (size_t j = i + 1; j < line->n; j++) {
            au_rel_add(&w->rel[AU_REL_LINE], line->at[i], line->at[j]);
            if (o->kind <= AU_OBJ_SEM && au_weak_syncs(w, obj, line->at[i], line->at[j]))
                au_rel_add(&w->rel[AU_REL_SYNC], line->at[i], line->at[j]);
        }
    if (o->kind == AU_OBJ_COND)
        sync_condition(w, line);
    else if (o->kind == AU_OBJ_BARRIER)
        sync_barrier(w, (uint32_t)o->init, line);
}

static bool uses(const au_step *s, uint32_t obj) {
    return s->kind >= AU_STEP_ACQ && s->kind != AU_STEP_FORK && s->kind != AU_STEP_JOIN &&
           (s->obj == obj || s->obj2 == obj);
}

static bool is_earlier(const au_weak_state *w, uint32_t a, uint32_t b) {
    uint32_t e = w->node.at[a].event, f = w->node.at[b].event;
    const au_cssa_event *x = &w->k->c->event.at[e], *y = &w->k->c->event.at[f];
    return x->thread == y->thread ? x->place < y->place : w->pos[e] < w->pos[f];
}

static void relate_objects(au_weak_state *w) {
    const au_model *m = w->k->c->m;
    au_u32s line = {0};
    for (uint32_t obj = 0; obj < m->obj.n; obj++) {
        au_vec_clear(&line);
        for (uint32_t i = 0; i < w->node.n; i++) {
            /* What is not ordered no other thread takes notice of. */
            if (!uses(au_weak_step(w, w->node.at[i].event), obj) ||
                !w->k->c->event.at[w->node.at[i].event].ordered)
                continue;
            au_vec_push(&line, i);
            for (size_t j = line.n - 1; j > 0 && is_earlier(w, line.at[j], line.at[j - 1]); j--) {
                uint32_t x = line.at[j];
                line.at[j] = line.at[j - 1];
                line.at[j - 1] = x;
            }
        }
        relate_object(w, obj, &line);
    }
    au_vec_release(&line);
}

static void relate_threads(au_weak_state *w) {
    for (uint32_t i = 0; i < w->node.n; i++) {
        const au_step *s = au_weak_step(w, w->node.at[i].event);
        if (s->kind != AU_STEP_FORK && s->kind != AU_STEP_JOIN)
            continue;
        for (uint32_t j = 0; j < w->node.n; j++) {
            const au_step *q = au_weak_step(w, w->node.at[j].event);
            if (q->thread == s->obj) {
                au_rel_add(&w->rel[AU_REL_SYNC], s->kind == AU_STEP_FORK ? i : j,
                           s->kind == AU_STEP_FORK ? j : i);
            } else if (s->kind == AU_STEP_FORK && q->kind == AU_STEP_JOIN && q->obj == s->obj) {
                au_rel_add(&w->rel[AU_REL_SYNC], i, j); /* of a thread without an event, too */
            }
        }
    }
}

/* ---- synchronises with ---- */

static void add_fences(const au_weak_state *w, uint32_t of, bool before, au_u32s *into) {
    for (uint32_t f = 0; f < w->node.n; f++) {
        const au_weak_node *n = &w->node.at[f];
        if (n->fence && au_rel_has(&w->rel[AU_REL_SB], before ? f : of, before ? of : f) &&
            (before ? au_weak_releases(n) : au_weak_acquires(n)))
            au_vec_push(into, f);
    }
}

/* Back along the release sequence (C++20): a write, and the read-modify-writes that see one another. */
static void synchronise(au_weak_state *w, uint32_t e, au_u32s *from, au_u32s *to) {
    const au_weak_node *n = &w->node.at[e];
    au_vec_clear(from);
    au_vec_clear(to);
    if (au_weak_acquires(n))
        au_vec_push(to, e);
    add_fences(w, e, false, to);
    for (uint32_t x = n->from; x != AU_FROM_START && x != AU_NONE; x = w->node.at[x].from) {
        if (!au_weak_is_atomic(&w->node.at[x]))
            break;
        if (au_weak_releases(&w->node.at[x]))
            au_vec_push(from, x);
        add_fences(w, x, true, from);
    }
    for (size_t i = 0; i < from->n; i++)
        for (size_t j = 0; j < to->n; j++)
            au_rel_add(&w->rel[AU_REL_SW], from->at[i], to->at[j]);
}

/* ---- all ---- */

static void relate_accesses(au_weak_state *w) {
    const au_cssa *c = w->k->c;
    for (uint32_t v = 0; v < c->m->var.n; v++)
        for (size_t i = 0; i < w->line[v].n; i++)
            for (size_t j = i + 1; j < w->line[v].n; j++)
                au_rel_add(&w->rel[AU_REL_MO], w->line[v].at[i], w->line[v].at[j]);
    for (uint32_t e = 0; e < w->node.n; e++) {
        const au_weak_node *n = &w->node.at[e];
        for (uint32_t f = e + 1; f < w->node.n; f++)
            if (c->event.at[w->node.at[f].event].thread == c->event.at[n->event].thread)
                au_rel_add(&w->rel[AU_REL_SB], e, f);
        if (n->from == AU_NONE)
            continue;
        if (n->from != AU_FROM_START)
            au_rel_add(&w->rel[AU_REL_RF], n->from, e);
        bool after = n->from == AU_FROM_START;
        const au_u32s *line = &w->line[n->var];
        for (size_t i = 0; i < line->n; i++) {
            if (after && line->at[i] != e)
                au_rel_add(&w->rel[AU_REL_RB], e, line->at[i]);
            after |= line->at[i] == n->from;
        }
    }
}

static void make_room(au_weak_state *w) {
    uint32_t n = (uint32_t)w->node.n;
    for (int i = 0; i < AU_RELS; i++) {
        au_rel_release(&w->rel[i]);
        au_rel_init(&w->rel[i], n);
    }
    au_rel_release(&w->hb);
    au_rel_release(&w->eco);
    au_rel_init(&w->hb, n);
    au_rel_init(&w->eco, n);
}

uint64_t au_weak_look(au_weak_state *w, const au_prefix *p) {
    find_nodes(w, p);
    for (uint32_t v = 0; v < w->k->c->m->var.n; v++) {
        if (!w->mo[v] || find_line(w, v))
            continue;
        uint64_t cuts = cut_circles(w, v);
        AU_BUG_IF(!cuts);
        return cuts; /* the solution is gone */
    }
    make_room(w);
    relate_accesses(w);
    relate_objects(w);
    relate_threads(w);
    au_u32s from = {0}, to = {0};
    for (uint32_t e = 0; e < w->node.n; e++)
        if (au_weak_is_atomic(&w->node.at[e]) && w->node.at[e].from != AU_NONE)
            synchronise(w, e, &from, &to);
    au_vec_release(&from);
    au_vec_release(&to);
    return 0;
}
