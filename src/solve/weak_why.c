/* solve/weak_why.c: why two events are related: the literals that make them so.
 *
 * A clause says that not all of them hold. So what is told here must be enough for the relation, in
 * every solution. */
#include "solve/weak_priv.h"

#include "base/error.h"

static void add(au_weak_state *w, int lit) {
    if (lit == AU_LIT_TRUE)
        return;
    for (size_t i = 0; i < w->lit.n; i++)
        if (w->lit.at[i] == -lit)
            return;
    au_vec_push(&w->lit, -lit);
}

/* It is executed as what it is here: a write as one that writes. */
static void is_there(au_weak_state *w, uint32_t node) {
    const au_weak_node *n = &w->node.at[node];
    add(w, n->writes ? au_weak_stored(w, n->event) : w->k->exec[n->event]);
}

static void is_before(au_weak_state *w, uint32_t a, uint32_t b) {
    is_there(w, a);
    is_there(w, b);
    add(w, au_weak_before(w, w->node.at[a].event, w->node.at[b].event));
}

/* What the node sees. */
static void sees(au_weak_state *w, uint32_t node) {
    const au_cssa *c = w->k->c;
    const au_weak_node *n = &w->node.at[node];
    uint32_t read = au_weak_read_of(c, n->event),
             from = n->from == AU_FROM_START ? AU_INITIAL : w->node.at[n->from].event;
    const au_cssa_read *r = &c->read.at[read];
    is_there(w, node);
    for (size_t i = 0; i < r->writer.n; i++)
        if (r->writer.at[i] == from) {
            add(w, w->k->sees.at[read][i]);
            return;
        }
    AU_BUG_IF(true);
}

static void is_written_before(au_weak_state *w, uint32_t a, uint32_t b) {
    is_there(w, a);
    is_there(w, b);
    add(w, au_weak_mo(w, w->node.at[a].event, w->node.at[b].event));
}

static void reads_before(au_weak_state *w, uint32_t a, uint32_t b) {
    sees(w, a);
    if (w->node.at[a].from == AU_FROM_START)
        is_there(w, b);
    else
        is_written_before(w, w->node.at[a].from, b);
}

/* ---- objects ---- */

static bool is_of(const au_step *s, uint32_t obj) {
    return s->kind >= AU_STEP_ACQ && s->kind != AU_STEP_FORK && s->kind != AU_STEP_JOIN &&
           (s->obj == obj || s->obj2 == obj);
}

/* Everything that was done with the object, and in which order. */
static void all_of(au_weak_state *w, uint32_t obj) {
    const au_cssa *c = w->k->c;
    for (uint32_t e = 0; e < c->event.n; e++)
        if (is_of(au_weak_step(w, e), obj) && w->number[e] == AU_NONE)
            add(w, -w->k->exec[e]);
    for (uint32_t a = 0; a < w->node.n; a++)
        for (uint32_t b = 0; b < w->node.n && is_of(au_weak_step(w, w->node.at[a].event), obj); b++)
            if (is_of(au_weak_step(w, w->node.at[b].event), obj) &&
                au_rel_has(&w->rel[AU_REL_LINE], a, b))
                is_before(w, a, b);
}

static void was_writer(au_weak_state *w, uint32_t node, uint32_t obj) {
    const au_cssa *c = w->k->c;
    uint32_t read = au_cssa_read_of(c, w->node.at[node].event, c->m->obj.at[obj].var[0]);
    const au_cssa_read *r = &c->read.at[read];
    for (size_t i = 0; i < r->writer.n; i++)
        if (r->writer.at[i] != AU_INITIAL && w->number[r->writer.at[i]] != AU_NONE &&
            au_weak_step(w, r->writer.at[i])->kind == AU_STEP_WRACQ &&
            au_sat_value(&w->k->sat, w->k->sees.at[read][i]))
            add(w, w->k->sees.at[read][i]);
}

static uint32_t shared_object(const au_weak_state *w, const au_step *a, const au_step *b,
                              bool syncs, uint32_t x, uint32_t y) {
    const uint32_t obj[2] = {a->obj, a->obj2};
    for (int i = 0; i < 2; i++)
        if (obj[i] != AU_NONE && is_of(b, obj[i]) &&
            (!syncs || w->k->c->m->obj.at[obj[i]].kind > AU_OBJ_SEM ||
             au_weak_syncs(w, obj[i], x, y)))
            return obj[i];
    AU_BUG_IF(true);
    return AU_NONE;
}

static void synchronises(au_weak_state *w, uint32_t a, uint32_t b) {
    const au_step *s = au_weak_step(w, w->node.at[a].event),
                  *t = au_weak_step(w, w->node.at[b].event);
    bool of_thread =
        (s->kind == AU_STEP_FORK && (t->thread == s->obj || t->kind == AU_STEP_JOIN)) ||
        (t->kind == AU_STEP_JOIN && s->thread == t->obj);
    is_there(w, a);
    is_there(w, b);
    if (of_thread)
        return;
    uint32_t obj = shared_object(w, s, t, true, a, b);
    au_obj_kind kind = w->k->c->m->obj.at[obj].kind;
    if (kind > AU_OBJ_SEM) {
        all_of(w, obj);
        return;
    }
    is_before(w, a, b);
    if (kind == AU_OBJ_RWLOCK && t->kind == AU_STEP_RDACQ)
        was_writer(w, a, obj);
}

/* ---- accesses and fences ---- */

static bool is_release_of(const au_weak_state *w, uint32_t f, uint32_t write) {
    const au_weak_node *n = &w->node.at[f];
    return au_weak_releases(n) &&
           (f == write || (n->fence && au_rel_has(&w->rel[AU_REL_SB], f, write)));
}

/* The read through which a synchronises with b, and down which sequence. */
static void releases(au_weak_state *w, uint32_t a, uint32_t b) {
    for (uint32_t e = 0; e < w->node.n; e++) {
        const au_weak_node *n = &w->node.at[e];
        bool acquires = e == b || (w->node.at[b].fence && au_rel_has(&w->rel[AU_REL_SB], e, b));
        if (n->from == AU_NONE || !au_weak_is_atomic(n) || !acquires ||
            !au_weak_acquires(&w->node.at[b]))
            continue;
        uint32_t x = n->from;
        while (x != AU_FROM_START && x != AU_NONE && au_weak_is_atomic(&w->node.at[x]) &&
               !is_release_of(w, a, x))
            x = w->node.at[x].from;
        if (x == AU_FROM_START || x == AU_NONE || !au_weak_is_atomic(&w->node.at[x]))
            continue;
        is_there(w, a);
        is_there(w, b);
        for (uint32_t y = e; y != x; y = w->node.at[y].from)
            sees(w, y);
        is_there(w, x);
        return;
    }
    AU_BUG_IF(true);
}

void au_weak_because(au_weak_state *w, au_rel_kind kind, uint32_t a, uint32_t b) {
    const au_step *s = au_weak_step(w, w->node.at[a].event);
    switch (kind) {
    case AU_REL_SB:
        is_there(w, a);
        is_there(w, b);
        break;
    case AU_REL_RF:
        sees(w, b);
        is_there(w, a);
        break;
    case AU_REL_MO:
        is_written_before(w, a, b);
        break;
    case AU_REL_RB:
        reads_before(w, a, b);
        break;
    case AU_REL_LINE:
        if (s->kind >= AU_STEP_ACQ && s->kind != AU_STEP_FORK && s->kind != AU_STEP_JOIN)
            is_before(w, a, b);
        else
            synchronises(w, a, b);
        break;
    case AU_REL_SYNC:
        synchronises(w, a, b);
        break;
    default:
        releases(w, a, b);
        break;
    }
}

void au_weak_because_path(au_weak_state *w, unsigned kinds, const au_reln *all, uint32_t a,
                          uint32_t b) {
    au_u32s path = {0};
    AU_BUG_IF(!au_rel_path(all, a, b, &path));
    for (size_t i = 0; i < path.n; i++) {
        uint32_t from = i ? path.at[i - 1] : a;
        int k = 0;
        while (k < AU_RELS && !((kinds >> k & 1) && au_rel_has(&w->rel[k], from, path.at[i])))
            k++;
        AU_BUG_IF(k == AU_RELS);
        au_weak_because(w, (au_rel_kind)k, from, path.at[i]);
    }
    au_vec_release(&path);
}
