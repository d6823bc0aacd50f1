/* verify/ref_dead.c: deadlocks (docs/oracle.md): at the end of the prefix some set of threads waits, each for what only
 * members of the set could give.
 *
 *   stuck(t)     t is in the set
 *   outside(u)   started, not ended and not in the set; or somebody outside could fork it
 *
 * A set that there is satisfies the clauses below with these two as they are: they only say less than the definition. */
#include "verify/ref.h"

#include "base/alloc.h"
#include "base/bitset.h"

enum { RELEASE, SIGNAL, ARRIVE, GIVES };

typedef struct {
    au_ref *r;
    uint32_t threads;
    int *stuck, *outside, *ended, *stopped;
    au_bitset **acts; /* by thread and node: what can still be done from there */
    au_map can;       /* (thread, act) to 1 << 32 + literal */
} dead;

static int both(dead *d, int a, int b) {
    return au_cnf_and(&d->r->cnf, a, b);
}
static int either(dead *d, int a, int b) {
    return au_cnf_or(&d->r->cnf, a, b);
}

/* --- acts --------------------------------------------------------------------------------- */

static uint32_t act(uint32_t obj, uint32_t give) {
    return obj * GIVES + give;
}
static uint32_t act_fork(const dead *d, uint32_t t) {
    return (uint32_t)d->r->m->obj.n * GIVES + t;
}
static uint32_t act_write(const dead *d, uint32_t var) {
    return (uint32_t)d->r->m->obj.n * GIVES + d->threads + var;
}

static void note_acts(const dead *d, au_bitset *b, const au_step *s) {
    if (s->kind == AU_STEP_REL)
        au_bitset_add(b, act(s->obj, RELEASE));
    else if (s->kind == AU_STEP_WAIT)
        au_bitset_add(b, act(s->obj2, RELEASE));
    else if (s->kind == AU_STEP_SIGNAL || s->kind == AU_STEP_BROADCAST)
        au_bitset_add(b, act(s->obj, SIGNAL));
    else if (s->kind == AU_STEP_ARRIVE)
        au_bitset_add(b, act(s->obj, ARRIVE));
    else if (s->kind == AU_STEP_FORK)
        au_bitset_add(b, act_fork(d, s->obj));
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (s->access[i].write)
            au_bitset_add(b, act_write(d, s->access[i].var));
}

static void find_acts(dead *d) {
    const au_model *m = d->r->m;
    size_t bits = m->obj.n * GIVES + m->thread.n + m->var.n;
    d->acts = au_alloc_array(d->threads + 1, sizeof *d->acts);
    for (uint32_t t = 0; t < d->threads; t++) {
        d->acts[t] = au_alloc_array(m->thread.at[t].node.n + 1, sizeof **d->acts);
        for (size_t n = 0; n < m->thread.at[t].node.n; n++)
            au_bitset_init(&d->acts[t][n], bits);
        for (uint32_t e = d->r->first_event[t + 1];
             e-- > d->r->first_event[t];) { /* the last ones first */
            const au_step *s = &m->step.at[d->r->event.at[e].step];
            note_acts(d, &d->acts[t][s->src], s);
            au_bitset_join(&d->acts[t][s->src], &d->acts[t][s->dst]);
        }
    }
}

/* It has got to the node and not further, started or not. */
static int is_at(dead *d, uint32_t t, uint32_t node) {
    au_ref *r = d->r;
    if (r->topo[t][node] == AU_NONE)
        return AU_CNF_FALSE;
    int y = au_ref_bool(r, r->reach[t][node]);
    const au_node *n = &r->m->thread.at[t].node.at[node];
    for (size_t i = 0; i < n->out.n; i++)
        y = both(d, y, -r->event.at[r->event_of[n->out.at[i]]].lit);
    return y;
}

/* A thread that has stopped might do anything. */
static int can(dead *d, uint32_t u, uint32_t what) {
    bool fresh;
    uint64_t *known = au_map_put(&d->can, au_key2(u, what), &fresh);
    if (!fresh)
        return (int)(uint32_t)*known;
    int y = d->stopped[u];
    for (uint32_t n = 0; n < d->r->m->thread.at[u].node.n; n++)
        if (au_bitset_has(&d->acts[u][n], what))
            y = either(d, y, is_at(d, u, n));
    *au_map_find(&d->can, au_key2(u, what)) = (uint32_t)y;
    return y;
}

/* Somebody else, outside of the set, could. */
static int someone_can(dead *d, uint32_t t, uint32_t what) {
    int y = AU_CNF_FALSE;
    for (uint32_t u = 0; u < d->threads; u++)
        if (u != t)
            y = either(d, y, both(d, d->outside[u], can(d, u, what)));
    return y;
}

/* --- what is waited for ---------------------------------------------------------------------- */

static au_term value(dead *d, uint32_t var) {
    au_ref *r = d->r;
    unsigned w = r->m->var.at[var].width;
    if (!r->stores[var].n)
        return au_term_const(r->terms, w, r->m->var.at[var].init);
    uint32_t read = au_ref_end(r, var);
    return au_term_of_var(r->terms, r->read.at[read].name, w);
}

static int has_lock(dead *d, uint32_t obj, uint32_t u, bool for_writing) {
    const au_sync_obj *o = &d->r->m->obj.at[obj];
    int y = au_ref_owner(d->r, obj, u);
    if (o->kind == AU_OBJ_RWLOCK && for_writing && u < o->per.n && o->per.at[u] != AU_NONE)
        y = either(d, y, au_ref_bool(d->r, au_term_truth(d->r->terms, value(d, o->per.at[u]))));
    return y;
}

/* One of the set has it, or one that has ended, or t itself. */
static int lock_lost(dead *d, uint32_t t, uint32_t obj, bool for_writing) {
    int y = AU_CNF_FALSE;
    for (uint32_t u = 0; u < d->threads; u++) {
        if (u == t && d->r->m->obj.at[obj].kind == AU_OBJ_RLOCK)
            continue;
        int for_good = u == t ? AU_CNF_TRUE : either(d, d->stuck[u], d->ended[u]);
        y = either(d, y, both(d, has_lock(d, obj, u, for_writing), for_good));
    }
    return y;
}

static int wake_lost(dead *d, uint32_t t, const au_step *s) {
    au_terms *x = d->r->terms;
    uint32_t mine = d->r->m->obj.at[s->obj].per.at[t];
    int signalled = au_ref_bool(d->r, au_term_eq(x, value(d, mine), au_term_const(x, 2, 2)));
    int signal = either(d, signalled, someone_can(d, t, act(s->obj, SIGNAL))), lost;
    if (d->r->m->obj.at[s->obj2].kind == AU_OBJ_SEM) {
        uint32_t v = d->r->m->obj.at[s->obj2].var[0];
        int empty = au_ref_bool(d->r, au_term_make(x, AU_T_SLE, value(d, v),
                                                   au_term_const(x, d->r->m->var.at[v].width, 0)));
        lost = both(d, empty, -someone_can(d, t, act(s->obj2, RELEASE)));
    } else {
        lost = lock_lost(d, t, s->obj2, false);
    }
    return either(d, -signal, lost);
}

/* Fewer threads outside can arrive than are missing. */
static int barrier_lost(dead *d, uint32_t t, uint32_t obj) {
    au_ref *r = d->r;
    const au_sync_obj *o = &r->m->obj.at[obj];
    unsigned w = r->m->var.at[o->var[0]].width;
    int count[64], missing[64];
    for (unsigned i = 0; i < w; i++)
        count[i] = AU_CNF_FALSE;
    for (uint32_t u = 0; u < d->threads; u++) {
        int carry = u == t ? AU_CNF_FALSE : both(d, d->outside[u], can(d, u, act(obj, ARRIVE)));
        for (unsigned i = 0; i < w; i++) {
            int next = both(d, count[i], carry);
            count[i] = au_cnf_xor(&r->cnf, count[i], carry);
            carry = next;
        }
    }
    au_ref_bits(r,
                au_term_make(r->terms, AU_T_SUB, au_term_const(r->terms, w, (uint32_t)o->init),
                             value(d, o->var[0])),
                missing);
    int less = AU_CNF_FALSE; /* the highest bit that differs decides */
    for (unsigned i = 0; i < w; i++)
        less = au_cnf_ite(&r->cnf, au_cnf_xor(&r->cnf, count[i], missing[i]), missing[i], less);
    return less;
}

typedef struct {
    dead *d;
    uint32_t t;
    int any;
} writers;

static void note_writer(void *ctx, uint32_t var) {
    writers *w = ctx;
    if (w->d->r->m->var.at[var].kind == AU_VAR_SHARED)
        w->any = either(w->d, w->any, someone_can(w->d, w->t, act_write(w->d, var)));
}

/* Nobody outside of the set could let t take the step. */
static int hopeless(dead *d, uint32_t t, const au_step *s) {
    switch (s->kind) {
    case AU_STEP_ACQ:
        if (d->r->m->obj.at[s->obj].kind == AU_OBJ_SEM)
            return -someone_can(d, t, act(s->obj, RELEASE));
        return lock_lost(d, t, s->obj, false);
    case AU_STEP_RDACQ:
    case AU_STEP_WRACQ:
        return lock_lost(d, t, s->obj, s->kind == AU_STEP_WRACQ);
    case AU_STEP_WAKE:
        return wake_lost(d, t, s);
    case AU_STEP_LEAVE:
        return barrier_lost(d, t, s->obj);
    case AU_STEP_JOIN:
        return s->obj == t ? AU_CNF_TRUE : -d->outside[s->obj];
    default: {
        writers w = {d, t, AU_CNF_FALSE};
        au_term_each_var(d->r->m->terms, s->guard, note_writer, &w);
        return -w.any;
    }
    }
}

/* It stands there, no step out of the node can be taken, and nobody outside could change that. */
static int stuck_at(dead *d, uint32_t t, uint32_t node) {
    const au_model *m = d->r->m;
    const au_node *n = &m->thread.at[t].node.at[node];
    bool waits = false;
    for (size_t i = 0; i < n->out.n; i++) {
        const au_step *s = &m->step.at[n->out.at[i]];
        if (!s->blocking && s->kind != AU_STEP_BRANCH)
            return AU_CNF_FALSE; /* it runs or stops */
        waits |= s->blocking;
    }
    int y = waits ? au_ref_stands(d->r, t, node) : AU_CNF_FALSE;
    for (size_t i = 0; i < n->out.n && y != AU_CNF_FALSE; i++) {
        const au_step *s = &m->step.at[n->out.at[i]];
        uint32_t e = d->r->event_of[s->id];
        if (s->spurious && !s->timed)
            continue;
        y = both(d, y, -au_ref_value_at_end(d->r, e, d->r->event.at[e].guard));
        if (s->blocking)
            y = both(d, y, hopeless(d, t, s));
    }
    return y;
}

static void imply(dead *d, int a, int b) {
    AU_CNF_CLAUSE(&d->r->cnf, -a, b);
}

static void say_thread(dead *d, uint32_t t) {
    au_ref *r = d->r;
    const au_thread *th = &r->m->thread.at[t];
    int started = au_ref_started(r, t);
    imply(d, both(d, started, both(d, -d->stuck[t], -d->ended[t])), d->outside[t]);
    for (uint32_t u = 0; u < d->threads && th->started != AU_NONE; u++)
        if (u != t)
            imply(d, both(d, -started, both(d, d->outside[u], can(d, u, act_fork(d, t)))),
                  d->outside[t]);
    int somewhere = AU_CNF_FALSE;
    for (uint32_t n = 0; n < th->node.n; n++)
        if (r->topo[t][n] != AU_NONE)
            somewhere = either(d, somewhere, stuck_at(d, t, n));
    imply(d, d->stuck[t], both(d, somewhere, -d->stopped[t]));
}

/* A failed assert. */
static int has_stopped(dead *d, uint32_t t) {
    au_ref *r = d->r;
    int y = AU_CNF_FALSE;
    for (uint32_t e = r->first_event[t]; e < r->first_event[t + 1] && !r->whole; e++)
        if (!au_term_is_false(r->terms, r->event.at[e].fails))
            y = either(d, y, both(d, r->event.at[e].lit, au_ref_bool(r, r->event.at[e].fails)));
    return y;
}

int au_ref_deadlock(au_ref *r) {
    uint32_t n = (uint32_t)r->m->thread.n;
    dead d = {.r = r, .threads = n};
    int *all = au_alloc_array((size_t)n * 4 + 1, sizeof *all), some = AU_CNF_FALSE;
    d.stuck = all;
    d.outside = all + n;
    d.ended = all + 2 * n;
    d.stopped = all + 3 * n;
    au_map_init(&d.can);
    find_acts(&d);
    for (uint32_t t = 0; t < n; t++) {
        uint32_t exit = r->m->thread.at[t].exit;
        d.stuck[t] = au_cnf_new(&r->cnf);
        d.outside[t] = au_cnf_new(&r->cnf);
        d.ended[t] = r->topo[t][exit] == AU_NONE ? AU_CNF_FALSE : au_ref_bool(r, r->reach[t][exit]);
        d.ended[t] = both(&d, d.ended[t], au_ref_started(r, t));
        d.stopped[t] = has_stopped(&d, t);
        some = either(&d, some, d.stuck[t]);
    }
    for (uint32_t t = 0; t < n; t++)
        say_thread(&d, t);
    for (uint32_t t = 0; t < n; t++) {
        for (size_t k = 0; k < r->m->thread.at[t].node.n; k++)
            au_bitset_release(&d.acts[t][k]);
        free(d.acts[t]);
    }
    free(d.acts);
    free(all);
    au_map_release(&d.can);
    return some;
}
