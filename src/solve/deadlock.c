/* solve/deadlock.c: the search for stuck sets as a property. */
#include "solve/deadlock.h"

#include "base/error.h"
#include "solve/deadlock_priv.h"
#include "solve/query.h"
#include "solve/stuck.h"

/* --- terms ------------------------------------------------------------------------- */

static au_term both(au_dead *d, au_term a, au_term b) {
    return au_term_and(d->c->terms, a, b);
}
static au_term either(au_dead *d, au_term a, au_term b) {
    return au_term_or(d->c->terms, a, b);
}
static au_term no(au_dead *d, au_term a) {
    return au_term_not(d->c->terms, a);
}
static au_term truth(au_dead *d, bool v) {
    return au_term_bool(d->c->terms, v);
}

/* The thread has got to this node and not further, started or not. */
static au_term is_at(au_dead *d, uint32_t t, uint32_t node) {
    au_cssa *c = d->c;
    au_term x = au_cssa_reaches(c, t, node);
    const au_node *n = &c->m->thread.at[t].node.at[node];
    for (size_t i = 0; i < n->out.n; i++)
        if (c->event_of[n->out.at[i]] != AU_NONE)
            x = both(d, x, no(d, au_cssa_exec(c, c->event_of[n->out.at[i]])));
    return x;
}

/* Some node from which the thread can still perform the act; it is there. A thread that
 * has stopped might do anything. */
static au_term can(au_dead *d, uint32_t u, uint32_t act) {
    uint64_t key = au_key2(u, act);
    bool fresh;
    uint64_t *known = au_map_put(&d->can, key, &fresh);
    if (!fresh)
        return (au_term){(uint32_t)*known};
    const au_thread *th = &d->c->m->thread.at[u];
    au_term x = d->stopped[u];
    for (uint32_t n = 0; n < th->node.n; n++)
        if (au_bitset_has(&d->acts[u][n], act))
            x = either(d, x, is_at(d, u, n));
    *au_map_find(&d->can, key) = x.n;
    return x;
}

static au_term outside_can(au_dead *d, uint32_t u, uint32_t act) {
    return both(d, d->outside[u], can(d, u, act));
}

/* Someone else outside of the set could. */
static au_term someone_can(au_dead *d, uint32_t t, uint32_t act) {
    au_term x = truth(d, false);
    for (uint32_t u = 0; u < d->threads; u++)
        if (u != t)
            x = either(d, x, outside_can(d, u, act));
    return x;
}

static au_term value(au_dead *d, uint32_t var) {
    return au_cssa_final_value(d->c, var);
}
static au_term owner_is(au_dead *d, uint32_t obj, uint32_t t) {
    uint32_t v = d->c->m->obj.at[obj].var[0];
    return au_term_eq(d->c->terms, value(d, v),
                      au_term_const(d->c->terms, d->c->m->var.at[v].width, t + 1));
}

/* u is in the way of one who wants the lock. */
static au_term has_lock(au_dead *d, uint32_t obj, uint32_t u, bool for_writing) {
    const au_sync_obj *o = &d->c->m->obj.at[obj];
    au_term x = owner_is(d, obj, u);
    if (o->kind == AU_OBJ_RWLOCK && for_writing && u < o->per.n && o->per.at[u] != AU_NONE)
        x = either(d, x, au_term_truth(d->c->terms, value(d, o->per.at[u])));
    return x;
}

/* The lock is held by one of the set, or one that has ended, or by t itself. */
static au_term lock_lost(au_dead *d, uint32_t t, uint32_t obj, bool for_writing) {
    au_term x = truth(d, false);
    bool recursive = d->c->m->obj.at[obj].kind == AU_OBJ_RLOCK;
    for (uint32_t u = 0; u < d->threads; u++) {
        if (u == t && recursive)
            continue;
        au_term for_good = u == t ? truth(d, true) : either(d, d->stuck[u], d->ended[u]);
        x = either(d, x, both(d, has_lock(d, obj, u, for_writing), for_good));
    }
    return x;
}

static au_term is_empty(au_dead *d, uint32_t obj) {
    uint32_t v = d->c->m->obj.at[obj].var[0];
    return au_term_make(d->c->terms, AU_T_SLE, value(d, v), au_term_const(d->c->terms, 32, 0));
}

static au_term wait_lock_lost(au_dead *d, uint32_t t, uint32_t obj) {
    if (d->c->m->obj.at[obj].kind != AU_OBJ_SEM)
        return lock_lost(d, t, obj, false);
    if (au_ignores_sync(d->c))
        return truth(d, false);
    return both(d, is_empty(d, obj),
                no(d, someone_can(d, t, au_dead_act(d, obj, AU_GIVE_RELEASE))));
}

static au_term signalled(au_dead *d, uint32_t t, uint32_t cond) {
    if (au_ignores_sync(d->c))
        return truth(d, true);
    uint32_t w = d->c->m->obj.at[cond].per.at[t];
    return au_term_eq(d->c->terms, value(d, w), au_term_const(d->c->terms, 2, 2));
}

/* Fewer threads outside can arrive than are missing. */
static au_term barrier_lost(au_dead *d, uint32_t t, uint32_t obj) {
    au_terms *x = d->c->terms;
    const au_sync_obj *o = &d->c->m->obj.at[obj];
    au_term count = au_term_const(x, 32, 0);
    for (uint32_t u = 0; u < d->threads; u++)
        if (u != t)
            count = au_term_make(
                x, AU_T_ADD, count,
                au_term_zext(x, outside_can(d, u, au_dead_act(d, obj, AU_GIVE_ARRIVE)), 32));
    au_term missing =
        au_term_make(x, AU_T_SUB, au_term_const(x, 32, (uint32_t)o->init), value(d, o->var[0]));
    return au_term_make(x, AU_T_ULT, count, missing);
}

typedef struct {
    au_dead *d;
    uint32_t t, u; /* u: AU_NONE */
    au_term any;
} writers;

static void note_writer(void *ctx, uint32_t var) {
    writers *w = ctx;
    au_dead *d = w->d;
    if (d->c->m->var.at[var].kind != AU_VAR_SHARED)
        return;
    w->any = either(d, w->any,
                    w->u == AU_NONE ? someone_can(d, w->t, au_dead_write(d, var))
                                    : can(d, w->u, au_dead_write(d, var)));
}

/* Nobody outside of the set could let t take this step. */
static au_term hopeless(au_dead *d, uint32_t t, const au_step *s) {
    switch (s->kind) {
    case AU_STEP_ACQ:
        if (d->c->m->obj.at[s->obj].kind == AU_OBJ_SEM)
            return no(d, someone_can(d, t, au_dead_act(d, s->obj, AU_GIVE_RELEASE)));
        return lock_lost(d, t, s->obj, false);
    case AU_STEP_RDACQ:
    case AU_STEP_WRACQ:
        return lock_lost(d, t, s->obj, s->kind == AU_STEP_WRACQ);
    case AU_STEP_WAKE: {
        au_term signal = either(d, signalled(d, t, s->obj),
                                someone_can(d, t, au_dead_act(d, s->obj, AU_GIVE_SIGNAL)));
        return either(d, no(d, signal), wait_lock_lost(d, t, s->obj2));
    }
    case AU_STEP_LEAVE:
        return barrier_lost(d, t, s->obj);
    case AU_STEP_JOIN:
        return s->obj == t ? truth(d, true) : no(d, d->outside[s->obj]);
    default: {
        writers w = {d, t, AU_NONE, truth(d, false)};
        au_term_each_var(d->c->m->terms, s->guard, note_writer, &w);
        return no(d, w.any);
    }
    }
}

/* u, or one that it could fork, could give t at this step what it waits for. (Over-approximate
 * where forks are concerned: it only keeps sets from being left out.) */
static au_term helps(au_dead *d, uint32_t t, const au_step *s, uint32_t u) {
    switch (s->kind) {
    case AU_STEP_ACQ:
        if (d->c->m->obj.at[s->obj].kind == AU_OBJ_SEM)
            return can(d, u, au_dead_act(d, s->obj, AU_GIVE_RELEASE));
        return has_lock(d, s->obj, u, false);
    case AU_STEP_RDACQ:
    case AU_STEP_WRACQ:
        return has_lock(d, s->obj, u, s->kind == AU_STEP_WRACQ);
    case AU_STEP_WAKE: {
        au_term signal = both(d, no(d, signalled(d, t, s->obj)),
                              can(d, u, au_dead_act(d, s->obj, AU_GIVE_SIGNAL)));
        au_term lock =
            d->c->m->obj.at[s->obj2].kind == AU_OBJ_SEM
                ? both(d, is_empty(d, s->obj2), can(d, u, au_dead_act(d, s->obj2, AU_GIVE_RELEASE)))
                : has_lock(d, s->obj2, u, false);
        return either(d, signal, lock);
    }
    case AU_STEP_LEAVE:
        return can(d, u, au_dead_act(d, s->obj, AU_GIVE_ARRIVE));
    case AU_STEP_JOIN:
        return truth(d, s->obj == u);
    default: {
        writers w = {d, t, u, truth(d, false)};
        au_term_each_var(d->c->m->terms, s->guard, note_writer, &w);
        return w.any;
    }
    }
}

/* --- waiting ---------------------------------------------------------------------------- */

bool au_dead_stops(const au_cssa *c, const au_step *s) {
    return !s->blocking && s->kind != AU_STEP_BRANCH &&
           !(c->o.semantics == AU_SEM_MCM && au_step_is_data(s));
}

bool au_dead_skips(const au_cssa *c, const au_step *s) {
    return s->spurious && !s->timed && !au_ignores_sync(c);
}

/* The node has steps that wait, and none that runs or stops in any case. */
static bool may_wait(const au_dead *d, uint32_t t, uint32_t node) {
    const au_cssa *c = d->c;
    const au_node *n = &c->m->thread.at[t].node.at[node];
    bool waits = false;
    if (au_dead_is_cut(d, t, node))
        return false;
    for (size_t i = 0; i < n->out.n; i++) {
        const au_step *s = &c->m->step.at[n->out.at[i]];
        if (c->event_of[s->id] == AU_NONE)
            continue;
        if (au_dead_stops(c, s))
            return false;
        waits |= s->blocking;
    }
    return waits;
}

static au_term stuck_at(au_dead *d, uint32_t t, uint32_t node) {
    au_cssa *c = d->c;
    const au_node *n = &c->m->thread.at[t].node.at[node];
    au_term x = au_cssa_stands(c, t, node);
    for (size_t i = 0; i < n->out.n; i++) {
        const au_step *s = &c->m->step.at[n->out.at[i]];
        uint32_t e = c->event_of[s->id];
        if (e == AU_NONE || au_dead_skips(c, s))
            continue;
        x = both(d, x, no(d, au_cssa_at_end(c, e, c->event.at[e].guard)));
        if (s->blocking)
            x = both(d, x, hopeless(d, t, s));
        /* mcm: it would go on, elsewhere */
        if (s->blocking && s->kind == AU_STEP_ASSUME && c->o.semantics == AU_SEM_MCM)
            x = both(d, x, no(d, au_cssa_at_end(c, e, c->event.at[e].own)));
    }
    return x;
}

static au_term hopes_at(au_dead *d, uint32_t t, uint32_t node, uint32_t u) {
    au_cssa *c = d->c;
    const au_node *n = &c->m->thread.at[t].node.at[node];
    au_term x = truth(d, false);
    for (size_t i = 0; i < n->out.n; i++) {
        const au_step *s = &c->m->step.at[n->out.at[i]];
        if (c->event_of[s->id] == AU_NONE || au_dead_skips(c, s) || !s->blocking)
            continue;
        x = either(d, x, helps(d, t, s, u));
        for (uint32_t v = 0; v < d->threads; v++) /* through one that was not started */
            if (v != u && c->m->thread.at[v].started != AU_NONE && !au_ignores_sync(c))
                x = either(d, x,
                           both(d, no(d, au_cssa_started(c, v)), can(d, u, au_dead_fork(d, v))));
    }
    return x;
}

/* Where the thread stops without an end: a failed assert; past the observed run, or at a
 * value that was not seen there (mcm). */
static au_term stopped(au_dead *d, uint32_t t) {
    au_cssa *c = d->c;
    const au_thread *th = &c->m->thread.at[t];
    au_term x = truth(d, false);
    for (uint32_t e = c->first_event[t]; e < c->first_event[t + 1] && !c->o.whole; e++)
        if (!au_term_is_false(c->terms, c->event.at[e].fails))
            x = either(d, x, both(d, c->event.at[e].exec, c->event.at[e].fails));
    if (c->o.semantics != AU_SEM_MCM)
        return x;
    for (uint32_t node = 0; node < th->node.n; node++) {
        if (node == th->exit)
            continue;
        au_term here = au_cssa_stands(c, t, node);
        bool waits = false;
        for (size_t i = 0; i < th->node.at[node].out.n; i++) {
            const au_step *s = &c->m->step.at[th->node.at[node].out.at[i]];
            uint32_t e = c->event_of[s->id];
            if (e == AU_NONE)
                continue;
            waits |= s->blocking && s->kind != AU_STEP_ASSUME;
            if (au_dead_stops(c, s))
                waits = true; /* it can move */
            here = both(d, here, no(d, au_cssa_at_end(c, e, c->event.at[e].guard)));
            if (s->blocking && s->kind == AU_STEP_ASSUME)
                here = both(d, here, au_cssa_at_end(c, e, c->event.at[e].own));
        }
        if (!waits)
            x = either(d, x, here);
    }
    return x;
}

static void make_terms(au_dead *d) {
    au_cssa *c = d->c;
    const au_model *m = c->m;
    for (uint32_t t = 0; t < d->threads; t++) {
        for (uint32_t n = 0; n < m->thread.at[t].node.n; n++)
            d->waits[t] |= d->lasting[t][n];
        d->stuck[t] = d->waits[t] ? au_cssa_free_name(c) : truth(d, false);
        d->outside[t] = au_cssa_free_name(c);
        d->ended[t] = both(d, au_cssa_reaches(c, t, m->thread.at[t].exit), au_cssa_started(c, t));
        d->stopped[t] = stopped(d, t);
    }
    for (uint32_t t = 0; t < d->threads; t++) {
        au_term out = both(d, au_cssa_started(c, t), no(d, either(d, d->stuck[t], d->ended[t])));
        au_cssa_require(c, au_cssa_implies(c, out, d->outside[t]));
        for (uint32_t u = 0; u < d->threads && m->thread.at[t].started != AU_NONE; u++)
            if (u != t)
                au_cssa_require(c, au_cssa_implies(c,
                                                   both(d, no(d, au_cssa_started(c, t)),
                                                        outside_can(d, u, au_dead_fork(d, t))),
                                                   d->outside[t]));
        au_term somewhere = truth(d, false);
        for (uint32_t n = 0; n < m->thread.at[t].node.n; n++)
            if (d->lasting[t][n])
                somewhere = either(d, somewhere, stuck_at(d, t, n));
        au_cssa_require(c,
                        au_cssa_implies(c, d->stuck[t], both(d, somewhere, no(d, d->stopped[t]))));
    }
}

/* t (wherever it waits) hopes for u. */
static au_term hopes(au_dead *d, uint32_t t, uint32_t u) {
    au_term *x = &d->hope[t * d->threads + u];
    if (x->n != UINT32_MAX)
        return *x;
    au_term any = truth(d, false);
    for (uint32_t n = 0; n < d->c->m->thread.at[t].node.n; n++)
        if (d->lasting[t][n])
            any = either(d, any, both(d, is_at(d, t, n), hopes_at(d, t, n, u)));
    return *x = any;
}

/* Alone, or hoped for by another member. */
static void require_connected(au_dead *d) {
    au_cssa *c = d->c;
    for (uint32_t t = 0; t < d->threads; t++) {
        au_term alone = truth(d, true), hoped_for = truth(d, false);
        for (uint32_t u = 0; u < d->threads; u++) {
            if (u == t || !d->waits[u] || !d->waits[t])
                continue;
            alone = both(d, alone, no(d, d->stuck[u]));
            hoped_for = either(d, hoped_for, both(d, d->stuck[u], hopes(d, u, t)));
        }
        au_cssa_require(c, au_cssa_implies(c, d->stuck[t], either(d, alone, hoped_for)));
    }
}

au_dead *au_dead_new(au_cssa *c, const au_dead_part *part) {
    au_dead *d = AU_NEW(au_dead);
    d->c = c;
    d->part = part;
    d->threads = (uint32_t)c->m->thread.n;
    au_map_init(&d->can);
    d->stuck = au_alloc_array(d->threads + 1, sizeof *d->stuck);
    d->outside = au_alloc_array(d->threads + 1, sizeof *d->outside);
    d->ended = au_alloc_array(d->threads + 1, sizeof *d->ended);
    d->stopped = au_alloc_array(d->threads + 1, sizeof *d->stopped);
    d->waits = au_alloc_array(d->threads + 1, sizeof *d->waits);
    d->hope = au_alloc_array((size_t)d->threads * d->threads + 1, sizeof *d->hope);
    memset(d->hope, 0xff, (size_t)d->threads * d->threads * sizeof *d->hope);
    au_dead_find_acts(d);
    d->lasting = au_stuck_nodes(d, may_wait);
    make_terms(d);
    require_connected(d);
    d->rest = truth(d, false);
    for (uint32_t t = 0; t < d->threads; t++)
        d->rest = either(d, d->rest, d->stuck[t]);
    return d;
}

void au_dead_free(au_dead *d) {
    if (!d)
        return;
    for (uint32_t t = 0; t < d->threads; t++) {
        for (size_t n = 0; n < d->c->m->thread.at[t].node.n; n++)
            au_bitset_release(&d->acts[t][n]);
        free(d->acts[t]);
    }
    for (size_t i = 0; i < d->core.n; i++)
        au_vec_release(&d->core.at[i]);
    au_vec_release(&d->core);
    au_map_release(&d->can);
    free(d->acts);
    free(d->stuck);
    free(d->outside);
    free(d->ended);
    free(d->stopped);
    free(d->waits);
    au_stuck_free(d->lasting, d->threads);
    free(d->hope);
    free(d);
}

au_term au_dead_term(au_dead *d) {
    return d->rest;
}

/* The set is not this core with none of its members hoping for another member. */
void au_dead_leave_out(au_dead *d, const au_u32s *core) {
    const au_model *m = d->c->m;
    au_term x = truth(d, true);
    bool *member = au_alloc_array(d->threads + 1, sizeof *member);
    for (size_t i = 0; i < core->n; i++) {
        const au_step *s = &m->step.at[core->at[i]];
        member[s->thread] = true;
        x = both(d, x, both(d, d->stuck[s->thread], is_at(d, s->thread, s->src)));
    }
    for (size_t i = 0; i < core->n; i++) {
        const au_step *s = &m->step.at[core->at[i]];
        for (uint32_t u = 0; u < d->threads; u++)
            if (!member[u] && d->waits[u])
                x = both(d, x, no(d, both(d, d->stuck[u], hopes_at(d, s->thread, s->src, u))));
    }
    free(member);
    d->rest = both(d, d->rest, no(d, x));
}

void au_dead_exclude(au_dead *d, const au_prefix *p) {
    au_term x = truth(d, true);
    for (uint32_t e = 0; e < d->c->event.n; e++)
        x = both(d, x,
                 au_bitset_has(&p->exec, e) ? au_cssa_exec(d->c, e) : no(d, au_cssa_exec(d->c, e)));
    d->rest = both(d, d->rest, no(d, x));
}

const au_u32s *au_dead_core(const au_dead *d, size_t i) {
    return &d->core.at[i];
}

size_t au_dead_cores(const au_dead *d) {
    return d->core.n;
}
