/* oracle/deadlock.c: threads that can never move again because they wait for
 * each other.
 *
 * In a state, let S be the waiting threads (a waiter on a condition without a
 * signal waits, although it might wake for no reason). A thread leaves S if
 * someone outside could give it what it waits for:
 *
 *   a lock          its holder, unless that one is in S, or done, or the thread itself; a
 *                   writer needs every holder of a read-write lock to be such
 *   a signal        a thread that can still reach a signal or broadcast of the
 *                   condition; its lock must be to be had as well
 *   a semaphore     a thread that can still reach a release of it (a wait through a
 *                   lock or semaphore releases it, too)
 *   a barrier       as many threads that can still reach it as are missing
 *   a join          the thread, unless it is in S
 *   [assume e]      a thread that can still write a variable of e
 *
 * "Can still reach" is along the control graph, values ignored, and under mcm the
 * sides of branches that the run did not take are not forgotten: in doubt it is not
 * a deadlock yet. A thread that was not started counts if someone outside can still
 * fork it. A stopped thread went where the model does not follow and
 * could do anything. What remains of S after no one leaves is deadlocked. It is
 * told as its cores: with a thread belong all those in S that could have helped
 * it, by themselves or by forking one that could; a core is such a set with no smaller one inside. */
#include "oracle/oracle_priv.h"

#include <stdlib.h>

enum { GIVE_RELEASE, GIVE_SIGNAL, GIVE_ARRIVE, GIVES };

struct au_givers {
    uint32_t n_threads, n_objs, n_bits;
    uint32_t *n_nodes; /* of each thread */
    au_bitset **can;   /* can[thread][node] */
};

static uint32_t obj_bit(uint32_t obj, int what) {
    return obj * GIVES + (uint32_t)what;
}
static uint32_t fork_bit(const au_givers *w, uint32_t thread) {
    return w->n_objs * GIVES + thread;
}
static uint32_t write_bit(const au_givers *w, uint32_t var) {
    return w->n_objs * GIVES + w->n_threads + var;
}

static void add_acts(const au_givers *w, au_bitset *b, const au_step *p) {
    switch (p->kind) {
    case AU_STEP_REL:
        au_bitset_add(b, obj_bit(p->obj, GIVE_RELEASE));
        break;
    case AU_STEP_WAIT:
        au_bitset_add(b, obj_bit(p->obj2, GIVE_RELEASE));
        break;
    case AU_STEP_SIGNAL:
    case AU_STEP_BROADCAST:
        au_bitset_add(b, obj_bit(p->obj, GIVE_SIGNAL));
        break;
    case AU_STEP_ARRIVE:
        au_bitset_add(b, obj_bit(p->obj, GIVE_ARRIVE));
        break;
    case AU_STEP_FORK:
        au_bitset_add(b, fork_bit(w, p->obj));
        break;
    default:
        break;
    }
    for (uint32_t i = 0; i < p->n_accesses; i++)
        if (p->access[i].write)
            au_bitset_add(b, write_bit(w, p->access[i].var));
}

au_givers *au_givers_new(const au_machine *k) {
    const au_model *m = k->m;
    au_givers *w = AU_NEW(au_givers);
    w->n_threads = (uint32_t)m->thread.n;
    w->n_objs = (uint32_t)m->obj.n;
    w->n_bits = w->n_objs * GIVES + w->n_threads + (uint32_t)m->var.n;
    w->can = au_alloc_array(w->n_threads, sizeof *w->can);
    w->n_nodes = au_alloc_array(w->n_threads, sizeof *w->n_nodes);
    for (uint32_t t = 0; t < w->n_threads; t++) {
        size_t n = m->thread.at[t].node.n;
        w->n_nodes[t] = (uint32_t)n;
        w->can[t] = au_alloc_array(n, sizeof **w->can);
        for (size_t i = 0; i < n; i++)
            au_bitset_init(&w->can[t][i], w->n_bits);
    }
    for (size_t i = 0; i < m->step.n; i++)
        add_acts(w, &w->can[m->step.at[i].thread][m->step.at[i].src], &m->step.at[i]);
    for (bool grew = true; grew;) {
        grew = false;
        for (size_t i = m->step.n; i-- > 0;) {
            const au_step *p = &m->step.at[i];
            grew |= au_bitset_join(&w->can[p->thread][p->src], &w->can[p->thread][p->dst]);
        }
    }
    return w;
}

void au_givers_free(au_givers *w) {
    if (!w)
        return;
    for (uint32_t t = 0; t < w->n_threads; t++) {
        for (uint32_t i = 0; i < w->n_nodes[t]; i++)
            au_bitset_release(&w->can[t][i]);
        free(w->can[t]);
    }
    free(w->can);
    free(w->n_nodes);
    free(w);
}

/* What is known of the state while S shrinks. Masks of threads. */
typedef struct {
    au_graph *g;
    const au_givers *w;
    const au_state *s;
    uint64_t stuck; /* S */
    uint64_t done, stopped, unstarted;
    uint64_t outside; /* may still act: not in S, not done; unstarted ones that may be forked */
} scene;

static uint64_t bit(uint32_t t) {
    return UINT64_C(1) << t;
}

static bool can(const scene *c, uint32_t t, uint32_t act) {
    if (c->stopped & bit(t))
        return true;
    return au_bitset_has(&c->w->can[t][c->s->node[t]], act);
}

/* Threads of 'among' that could perform the act. */
static uint64_t who_can(const scene *c, uint64_t among, uint32_t act) {
    uint64_t who = 0;
    for (uint32_t t = 0; t < c->g->n_threads; t++)
        if ((among & bit(t)) && can(c, t, act))
            who |= bit(t);
    return who;
}

/* These and the unstarted threads that they can fork, in turn. */
static uint64_t and_forked(const scene *c, uint64_t who) {
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t t = 0; t < c->g->n_threads; t++) {
            if (!(c->unstarted & bit(t)) || (who & bit(t)))
                continue;
            if (who_can(c, who, fork_bit(c->w, t))) {
                who |= bit(t);
                grew = true;
            }
        }
    }
    return who;
}

static void find_outside(scene *c) {
    uint64_t all = c->g->n_threads == 64 ? UINT64_MAX : bit(c->g->n_threads) - 1;
    c->outside = and_forked(c, all & ~(c->stuck | c->done | c->unstarted));
}

static bool is_sem(const scene *c, uint32_t obj) {
    return c->g->k->m->obj.at[obj].kind == AU_OBJ_SEM;
}

/* The threads that hold a lock now, as seen by a thread that wants it. */
static uint64_t holders(const scene *c, uint32_t obj, bool for_writing) {
    const au_sync_obj *o = &c->g->k->m->obj.at[obj];
    uint64_t h = 0, owner = c->s->value[o->var[0]];
    if (owner)
        h |= bit((uint32_t)owner - 1);
    if (o->kind == AU_OBJ_RWLOCK && for_writing)
        for (size_t t = 0; t < o->per.n; t++)
            if (o->per.at[t] != AU_NONE && c->s->value[o->per.at[t]])
                h |= bit((uint32_t)t);
    return h;
}

static bool lock_to_be_had(const scene *c, uint32_t me, uint32_t obj, bool for_writing) {
    uint64_t h = holders(c, obj, for_writing);
    if (c->g->k->m->obj.at[obj].kind == AU_OBJ_RLOCK)
        h &= ~bit(me); /* its own deeper levels are in nobody's way */
    return !(h & (c->stuck | c->done | bit(me)));
}

static bool semaphore_is_empty(const scene *c, uint32_t obj) {
    return (int32_t)c->s->value[c->g->k->m->obj.at[obj].var[0]] <= 0;
}

/* What a wait gave up and takes again. */
static bool lock_of_wait_to_be_had(const scene *c, uint32_t me, uint32_t obj) {
    if (!is_sem(c, obj))
        return lock_to_be_had(c, me, obj, false);
    return c->g->k->ignores_sync || !semaphore_is_empty(c, obj) ||
           who_can(c, c->outside & ~bit(me), obj_bit(obj, GIVE_RELEASE));
}

static void note_var(void *ctx, uint32_t var) {
    au_u32_vec *v = ctx;
    au_vec_push(v, var);
}

/* The threads that could let the waiting step p go on: *needed of 'givers' must
 * act. Lock holders are left to the caller. */
static uint64_t givers_of(const scene *c, const au_step *p, uint64_t among, uint32_t *needed) {
    const au_model *m = c->g->k->m;
    *needed = 1;
    switch (p->kind) {
    case AU_STEP_ACQ: /* a semaphore */
        return who_can(c, among, obj_bit(p->obj, GIVE_RELEASE));
    case AU_STEP_WAKE:
        return who_can(c, among, obj_bit(p->obj, GIVE_SIGNAL));
    case AU_STEP_LEAVE: {
        const au_sync_obj *o = &m->obj.at[p->obj];
        *needed = (uint32_t)o->init - (uint32_t)c->s->value[o->var[0]];
        return who_can(c, among, obj_bit(p->obj, GIVE_ARRIVE));
    }
    case AU_STEP_JOIN:
        return among & bit(p->obj);
    case AU_STEP_ASSUME: {
        au_u32_vec vars = {0};
        au_term_each_var(m->terms, p->guard, note_var, &vars);
        uint64_t who = 0;
        for (size_t i = 0; i < vars.n; i++)
            if (m->var.at[vars.at[i]].kind == AU_VAR_SHARED)
                who |= who_can(c, among, write_bit(c->w, vars.at[i]));
        au_vec_release(&vars);
        return who;
    }
    default:
        return 0;
    }
}

static bool is_lock_wait(const scene *c, const au_step *p) {
    return p->kind == AU_STEP_RDACQ || p->kind == AU_STEP_WRACQ ||
           (p->kind == AU_STEP_ACQ && c->g->k->m->obj.at[p->obj].kind != AU_OBJ_SEM);
}

static bool signalled(const scene *c, uint32_t t, const au_step *p) {
    return c->s->value[c->g->k->m->obj.at[p->obj].per.at[t]] == 2;
}

static bool can_be_helped(const scene *c, uint32_t t, const au_step *p) {
    if (is_lock_wait(c, p))
        return lock_to_be_had(c, t, p->obj, p->kind == AU_STEP_WRACQ);
    uint32_t needed;
    uint64_t who = givers_of(c, p, c->outside & ~bit(t), &needed);
    if (p->kind == AU_STEP_WAKE) {
        bool has_signal = c->g->k->ignores_sync || signalled(c, t, p);
        return (has_signal || who) && lock_of_wait_to_be_had(c, t, p->obj2);
    }
    return (uint32_t)__builtin_popcountll(who) >= needed;
}

/* Those among 'among' that could give t what it waits for, or a part of it. */
static uint64_t could_help(const scene *c, uint32_t t, const au_step *p, uint64_t among) {
    uint32_t needed;
    if (is_lock_wait(c, p))
        return holders(c, p->obj, p->kind == AU_STEP_WRACQ) & among & ~c->done;
    if (p->kind != AU_STEP_WAKE)
        return givers_of(c, p, among, &needed);
    bool has_signal = c->g->k->ignores_sync || signalled(c, t, p);
    uint64_t who = has_signal ? 0 : givers_of(c, p, among, &needed);
    if (is_sem(c, p->obj2))
        return who |
               (semaphore_is_empty(c, p->obj2) ? who_can(c, among, obj_bit(p->obj2, GIVE_RELEASE))
                                               : 0);
    return who | (holders(c, p->obj2, false) & among & ~c->done);
}

/* Members of S that could help t, were they not stuck themselves. */
static uint64_t hoped_for(const scene *c, uint32_t t, const au_step *p) {
    uint64_t who = 0;
    for (uint32_t u = 0; u < c->g->n_threads; u++)
        if ((c->stuck & bit(u)) && could_help(c, t, p, and_forked(c, bit(u))))
            who |= bit(u);
    return who & ~bit(t);
}

/* The steps a waiting thread could take next, spurious wake-ups left out. */
static const au_step *waiting_step(const scene *c, uint32_t t, size_t *i) {
    const au_machine *k = c->g->k;
    const au_node *n = &k->m->thread.at[t].node.at[c->s->node[t]];
    for (; *i < n->out.n; ++*i) {
        const au_step *p = &k->m->step.at[n->out.at[*i]];
        if (k->step[p->id].present && p->blocking && (!p->spurious || k->ignores_sync))
            return p;
    }
    return NULL;
}

/* mcm: an [assume …] that holds, if with another value than in the run, waits only
 * because the prediction goes no further: as good as stopped. */
static bool goes_elsewhere(const scene *c, uint32_t t) {
    const au_step *p;
    if (c->g->k->o->semantics != AU_SEM_MCM)
        return false;
    for (size_t i = 0; (p = waiting_step(c, t, &i)); i++)
        if (p->kind == AU_STEP_ASSUME &&
            au_machine_holds(c->g->k, c->g->k->step[p->id].own, c->s->value))
            return true;
    return false;
}

static void take_in(scene *c) {
    for (uint32_t t = 0; t < c->g->n_threads; t++) {
        switch (au_graph_status(c->g, c->s, t, true)) {
        case AU_WAITS:
            *(goes_elsewhere(c, t) ? &c->stopped : &c->stuck) |= bit(t);
            break;
        case AU_HAS_STOPPED:
            c->stopped |= bit(t);
            break;
        case AU_IS_DONE:
            c->done |= bit(t);
            break;
        case AU_NOT_STARTED:
            c->unstarted |= bit(t);
            break;
        case AU_CAN_MOVE:
            break;
        }
    }
}

static void shrink(scene *c) {
    for (bool left = true; left;) {
        left = false;
        find_outside(c);
        for (uint32_t t = 0; t < c->g->n_threads; t++) {
            if (!(c->stuck & bit(t)))
                continue;
            const au_step *p;
            for (size_t i = 0; (p = waiting_step(c, t, &i)); i++) {
                if (!can_be_helped(c, t, p))
                    continue;
                c->stuck &= ~bit(t);
                left = true;
                break;
            }
        }
    }
}

uint32_t au_deadlocks(au_graph *g, au_givers *w, const au_state *s, uint64_t *set) {
    scene c = {.g = g, .w = w, .s = s};
    take_in(&c);
    if (c.stuck)
        shrink(&c);
    if (!c.stuck)
        return 0;
    uint64_t with[64] = {0}; /* t and all it hopes for, closed */
    for (uint32_t t = 0; t < g->n_threads; t++) {
        if (!(c.stuck & bit(t)))
            continue;
        with[t] = bit(t);
        const au_step *p;
        for (size_t i = 0; (p = waiting_step(&c, t, &i)); i++)
            with[t] |= hoped_for(&c, t, p);
    }
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t t = 0; t < g->n_threads; t++)
            for (uint32_t u = 0; u < g->n_threads; u++)
                if ((with[t] & bit(u)) && (with[u] & ~with[t])) {
                    with[t] |= with[u];
                    grew = true;
                }
    }
    uint32_t n = 0;
    for (uint32_t t = 0; t < g->n_threads; t++) {
        bool core = with[t] != 0;
        for (uint32_t u = 0; u < g->n_threads && core; u++)
            if (with[t] & bit(u))
                core = with[u] == with[t];
        for (uint32_t i = 0; i < n && core; i++)
            core = set[i] != with[t];
        if (core)
            set[n++] = with[t];
    }
    return n;
}
