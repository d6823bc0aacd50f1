/* solve/cores.c: the deadlocks of one state, by their definition.
 *
 * Sets of threads are bit sets of at most 64: a search over more gives up before. */
#include "base/error.h"
#include "solve/deadlock_priv.h"
#include "solve/query.h"

typedef struct {
    const au_dead *d;
    const au_cssa_run *s;
    uint64_t stuck, done, stopped, unstarted, outside;
} scene;

static uint64_t bit(uint32_t t) {
    return UINT64_C(1) << t;
}

static uint64_t who_can(const scene *x, uint64_t among, uint32_t act) {
    uint64_t who = 0;
    for (uint32_t t = 0; t < x->d->threads; t++)
        if ((among & bit(t)) &&
            ((x->stopped & bit(t)) || au_bitset_has(&x->d->acts[t][x->s->node[t]], act)))
            who |= bit(t);
    return who;
}

/* And those that they could fork, in turn. */
static uint64_t and_forked(const scene *x, uint64_t who) {
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t t = 0; t < x->d->threads; t++)
            if ((x->unstarted & bit(t)) && !(who & bit(t)) &&
                who_can(x, who, au_dead_fork(x->d, t))) {
                who |= bit(t);
                grew = true;
            }
    }
    return who;
}

static uint64_t holders(const scene *x, uint32_t obj, bool for_writing) {
    const au_sync_obj *o = &x->d->c->m->obj.at[obj];
    uint64_t owner = x->s->value[o->var[0]], h = owner ? bit((uint32_t)owner - 1) : 0;
    for (uint32_t t = 0; t < o->per.n && o->kind == AU_OBJ_RWLOCK && for_writing; t++)
        if (o->per.at[t] != AU_NONE && x->s->value[o->per.at[t]])
            h |= bit(t);
    return h;
}

static bool is_sem(const scene *x, uint32_t obj) {
    return x->d->c->m->obj.at[obj].kind == AU_OBJ_SEM;
}

static bool is_empty(const scene *x, uint32_t obj) {
    return (int32_t)x->s->value[x->d->c->m->obj.at[obj].var[0]] <= 0;
}

static bool lock_is_free(const scene *x, uint32_t t, uint32_t obj, bool for_writing) {
    uint64_t h = holders(x, obj, for_writing);
    if (x->d->c->m->obj.at[obj].kind == AU_OBJ_RLOCK)
        h &= ~bit(t);
    return !(h & (x->stuck | x->done | bit(t)));
}

static bool has_signal(const scene *x, uint32_t t, const au_step *s) {
    return au_ignores_sync(x->d->c) || x->s->value[x->d->c->m->obj.at[s->obj].per.at[t]] == 2;
}

typedef struct {
    const scene *x;
    uint64_t among, who;
} writers;

static void note_writer(void *ctx, uint32_t var) {
    writers *w = ctx;
    if (w->x->d->c->m->var.at[var].kind == AU_VAR_SHARED)
        w->who |= who_can(w->x, w->among, au_dead_write(w->x->d, var));
}

/* Those among 'among' that could act for a step that waits for no lock. */
static uint64_t givers(const scene *x, const au_step *s, uint64_t among) {
    switch (s->kind) {
    case AU_STEP_ACQ:
        return who_can(x, among, au_dead_act(x->d, s->obj, AU_GIVE_RELEASE));
    case AU_STEP_WAKE:
        return who_can(x, among, au_dead_act(x->d, s->obj, AU_GIVE_SIGNAL));
    case AU_STEP_LEAVE:
        return who_can(x, among, au_dead_act(x->d, s->obj, AU_GIVE_ARRIVE));
    case AU_STEP_JOIN:
        return among & bit(s->obj);
    case AU_STEP_ASSUME: {
        writers w = {x, among, 0};
        au_term_each_var(x->d->c->m->terms, s->guard, note_writer, &w);
        return w.who;
    }
    default:
        return 0;
    }
}

static bool for_lock(const scene *x, const au_step *s) {
    return s->kind == AU_STEP_RDACQ || s->kind == AU_STEP_WRACQ ||
           (s->kind == AU_STEP_ACQ && !is_sem(x, s->obj));
}

static bool can_be_helped(const scene *x, uint32_t t, const au_step *s) {
    if (for_lock(x, s))
        return lock_is_free(x, t, s->obj, s->kind == AU_STEP_WRACQ);
    uint64_t others = x->outside & ~bit(t), who = givers(x, s, others);
    if (s->kind == AU_STEP_WAKE) {
        bool lock = !is_sem(x, s->obj2)
                        ? lock_is_free(x, t, s->obj2, false)
                        : au_ignores_sync(x->d->c) || !is_empty(x, s->obj2) ||
                              who_can(x, others, au_dead_act(x->d, s->obj2, AU_GIVE_RELEASE));
        return (has_signal(x, t, s) || who) && lock;
    }
    uint32_t needed = 1;
    if (s->kind == AU_STEP_LEAVE) {
        const au_sync_obj *o = &x->d->c->m->obj.at[s->obj];
        needed = (uint32_t)o->init - (uint32_t)x->s->value[o->var[0]];
    }
    return (uint32_t)__builtin_popcountll(who) >= needed;
}

static uint64_t could_help(const scene *x, uint32_t t, const au_step *s, uint64_t among) {
    if (for_lock(x, s))
        return holders(x, s->obj, s->kind == AU_STEP_WRACQ) & among & ~x->done;
    if (s->kind != AU_STEP_WAKE)
        return givers(x, s, among);
    uint64_t who = has_signal(x, t, s) ? 0 : givers(x, s, among);
    if (!is_sem(x, s->obj2))
        return who | (holders(x, s->obj2, false) & among & ~x->done);
    if (is_empty(x, s->obj2))
        who |= who_can(x, among, au_dead_act(x->d, s->obj2, AU_GIVE_RELEASE));
    return who;
}

/* The next step of t that waits, from *i on. */
static const au_step *waiting(const scene *x, uint32_t t, size_t *i) {
    const au_cssa *c = x->d->c;
    const au_node *n = &c->m->thread.at[t].node.at[x->s->node[t]];
    while (*i < n->out.n) {
        const au_step *s = &c->m->step.at[n->out.at[(*i)++]];
        if (c->event_of[s->id] != AU_NONE && s->blocking && !au_dead_skips(c, s))
            return s;
    }
    return NULL;
}

static void place_thread(scene *x, uint32_t t) {
    const au_cssa *c = x->d->c;
    const au_thread *th = &c->m->thread.at[t];
    if (x->s->stopped[t]) {
        x->stopped |= bit(t);
        return;
    }
    if (!au_cssa_run_started(x->s, t)) {
        x->unstarted |= bit(t);
        return;
    }
    if (x->s->node[t] == th->exit) {
        x->done |= bit(t);
        return;
    }
    if (au_dead_is_cut(x->d, t, x->s->node[t]))
        return; /* it can move */
    const au_node *n = &th->node.at[x->s->node[t]];
    bool waits = false, elsewhere = false;
    for (size_t i = 0; i < n->out.n; i++) {
        const au_step *s = &c->m->step.at[n->out.at[i]];
        uint32_t e = c->event_of[s->id];
        if (e == AU_NONE)
            continue;
        waits |= s->blocking;
        if (au_dead_skips(c, s))
            continue;
        if (au_cssa_run_enabled(x->s, e) || au_dead_stops(c, s))
            return; /* it can move */
        elsewhere |= c->o.semantics == AU_SEM_MCM && s->blocking && s->kind == AU_STEP_ASSUME &&
                     au_term_eval(c->terms, c->more->effect[s->id].own, x->s->value);
    }
    *(waits && !elsewhere ? &x->stuck : &x->stopped) |= bit(t);
}

static void shrink(scene *x) {
    uint64_t all = x->d->threads == 64 ? UINT64_MAX : bit(x->d->threads) - 1;
    for (bool left = true; left;) {
        left = false;
        x->outside = and_forked(x, all & ~(x->stuck | x->done | x->unstarted));
        for (uint32_t t = 0; t < x->d->threads; t++) {
            const au_step *s;
            for (size_t i = 0; (x->stuck & bit(t)) && (s = waiting(x, t, &i));)
                if (can_be_helped(x, t, s)) {
                    x->stuck &= ~bit(t);
                    left = true;
                }
        }
    }
}

/* By thread: itself and all that it hopes for, closed. */
static void close_hopes(const scene *x, uint64_t *with) {
    uint32_t n = x->d->threads;
    for (uint32_t t = 0; t < n; t++) {
        with[t] = x->stuck & bit(t);
        const au_step *s;
        for (size_t i = 0; with[t] && (s = waiting(x, t, &i));)
            for (uint32_t u = 0; u < n; u++)
                if ((x->stuck & bit(u)) && could_help(x, t, s, and_forked(x, bit(u))))
                    with[t] |= bit(u);
    }
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t t = 0; t < n; t++)
            for (uint32_t u = 0; u < n; u++)
                if ((with[t] & bit(u)) && (with[u] & ~with[t])) {
                    with[t] |= with[u];
                    grew = true;
                }
    }
}

static bool is_known(const au_dead *d, const au_u32s *core) {
    for (size_t i = 0; i < d->core.n; i++)
        if (d->core.at[i].n == core->n &&
            !memcmp(d->core.at[i].at, core->at, core->n * sizeof *core->at))
            return true;
    return false;
}

void au_dead_know(au_dead *d, const au_u32s *core) {
    if (is_known(d, core))
        return;
    au_u32s own = {0};
    au_vec_append(&own, core->at, core->n);
    au_vec_push(&d->core, own);
    au_dead_leave_out(d, &own);
}

size_t au_dead_take(au_dead *d, const au_cssa_run *state) {
    scene x = {.d = d, .s = state};
    AU_BUG_IF(d->threads > 64);
    for (uint32_t t = 0; t < d->threads; t++)
        place_thread(&x, t);
    shrink(&x);
    uint64_t with[64] = {0};
    close_hopes(&x, with);
    size_t fresh = 0;
    for (uint32_t t = 0; t < d->threads; t++) {
        bool core = with[t] && !(with[t] & (bit(t) - 1)); /* told once, by its first member */
        for (uint32_t u = 0; u < d->threads && core; u++)
            core = !(with[t] & bit(u)) || with[u] == with[t];
        if (!core)
            continue;
        au_u32s steps = {0};
        for (uint32_t u = 0; u < d->threads; u++)
            if (with[t] & bit(u)) {
                const au_node *n = &d->c->m->thread.at[u].node.at[state->node[u]];
                au_vec_push(&steps, au_query_event(d->c->m, n->out.at[0]));
            }
        fresh += !is_known(d, &steps);
        au_dead_know(d, &steps);
        au_vec_release(&steps);
    }
    return fresh;
}
