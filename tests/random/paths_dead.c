/* tests/random/paths_dead.c: deadlocked sets of threads, by trying every set. */
#include "paths.h"

/* Something a thread needs and does not have. */
typedef struct {
    enum {
        NEED_HOLDER,
        NEED_POST,
        NEED_SIGNAL,
        NEED_ARRIVAL,
        NEED_END,
        NEED_VALUE,
        NEED_FORK
    } kind;
    uint32_t obj;    /* HOLDER, POST, SIGNAL, ARRIVAL */
    uint32_t thread; /* HOLDER, END, FORK: the only one that can give it */
    uint32_t step;   /* VALUE: the [assume …] */
    uint32_t count;  /* threads that must give it: 1, ARRIVAL: those missing */
} need;
#define NEEDS (AU_PATHS_THREADS + 3)

static uint32_t lock_needs(const au_paths *w, const au_path_state *s, uint32_t obj, bool write,
                           uint32_t t, need *out) {
    const au_sync_obj *o = &w->m->obj.at[obj];
    uint32_t n = 0;
    if (o->kind == AU_OBJ_SEM) {
        if ((int32_t)s->value[o->var[0]] <= 0)
            out[n++] = (need){.kind = NEED_POST, .count = 1, .obj = obj};
        return n;
    }
    uint64_t owner = s->value[o->var[0]];
    if (owner && !(o->kind == AU_OBJ_RLOCK && owner == t + 1))
        out[n++] =
            (need){.kind = NEED_HOLDER, .count = 1, .obj = obj, .thread = (uint32_t)owner - 1};
    for (uint32_t u = 0; write && u < o->per.n; u++)
        if (o->per.at[u] != AU_NONE && s->value[o->per.at[u]] > 0)
            out[n++] = (need){.kind = NEED_HOLDER, .count = 1, .obj = obj, .thread = u};
    return n;
}

/* Requires: t is waiting. */
static uint32_t needs_of(const au_paths *w, const au_path_state *s, uint32_t t, need *out) {
    const au_step *e = &w->m->step.at[au_paths_next(w, s, t)];
    const au_sync_obj *o;
    uint32_t n = 0;
    switch (e->kind) {
    case AU_STEP_ACQ:
    case AU_STEP_RDACQ:
        return lock_needs(w, s, e->obj, false, t, out);
    case AU_STEP_WRACQ:
        return lock_needs(w, s, e->obj, true, t, out);
    case AU_STEP_WAKE:
        if (w->semantics == AU_SEM_LOCKS)
            return w->m->obj.at[e->obj2].kind == AU_OBJ_SEM
                       ? 0
                       : lock_needs(w, s, e->obj2, false, t, out);
        o = &w->m->obj.at[e->obj];
        if (s->value[o->per.at[t]] == 1)
            out[n++] = (need){.kind = NEED_SIGNAL, .count = 1, .obj = e->obj};
        return n + lock_needs(w, s, e->obj2, false, t, out + n);
    case AU_STEP_LEAVE:
        o = &w->m->obj.at[e->obj];
        out[0] = (need){.kind = NEED_ARRIVAL,
                        .obj = e->obj,
                        .count = (uint32_t)o->init - (uint32_t)s->value[o->var[0]]};
        return 1;
    case AU_STEP_JOIN:
        out[0] = (need){.kind = NEED_END, .thread = e->obj, .count = 1};
        return 1;
    case AU_STEP_ASSUME:
        out[0] = (need){.kind = NEED_VALUE, .count = 1, .step = e->id};
        return 1;
    default:
        AU_BUG_IF("no other step waits");
        return 0;
    }
}

typedef struct {
    const au_step *e;
    bool found; /* e writes one of the variables */
} asks;

static void asks_for(void *ctx, uint32_t var) {
    asks *x = ctx;
    for (uint32_t i = 0; i < x->e->n_accesses; i++)
        x->found |= x->e->access[i].write && x->e->access[i].var == var;
}

static bool gives(const au_paths *w, const au_step *e, const need *x) {
    switch (x->kind) {
    case NEED_HOLDER:
    case NEED_POST:
        return (e->kind == AU_STEP_REL && e->obj == x->obj) ||
               (e->kind == AU_STEP_WAIT && e->obj2 == x->obj);
    case NEED_SIGNAL:
        return (e->kind == AU_STEP_SIGNAL || e->kind == AU_STEP_BROADCAST) && e->obj == x->obj;
    case NEED_ARRIVAL:
        return e->kind == AU_STEP_ARRIVE && e->obj == x->obj;
    case NEED_END:
        return true; /* every thread's graph leads to its exit */
    case NEED_FORK:
        return e->kind == AU_STEP_FORK && e->obj == x->thread;
    case NEED_VALUE: {
        asks ask = {.e = e};
        au_term_each_var(w->m->terms, w->m->step.at[x->step].guard, asks_for, &ask);
        return ask.found;
    }
    }
    return false;
}

static bool gives_from(const au_paths *w, uint32_t t, uint32_t node, const need *x) {
    const au_node *n = &w->m->thread.at[t].node.at[node];
    for (size_t i = 0; i < n->out.n; i++) {
        const au_step *e = &w->m->step.at[n->out.at[i]];
        if (gives(w, e, x) || gives_from(w, t, e->dst, x))
            return true;
    }
    return false;
}

/* It stopped, or goes on as in no observed run: it might do anything. */
static bool follows_no_model(const au_paths *w, const au_path_state *s, uint32_t u) {
    return au_paths_gone(w, s, u) || au_paths_elsewhere(w, s, u);
}

/* Could u give it, by the statements still before it? Whether u moves at all is not
 * asked here. */
static bool could_give(const au_paths *w, const au_path_state *s, uint32_t u, const need *x) {
    if ((x->kind == NEED_HOLDER || x->kind == NEED_END) && x->thread != u)
        return false;
    if (follows_no_model(w, s, u))
        return true;
    return !au_paths_done(w, s, u) && gives_from(w, u, s->node[u], x);
}

static bool could_fork(const au_paths *w, const au_path_state *s, uint32_t u, uint32_t child) {
    need x = {.kind = NEED_FORK, .thread = child};
    return au_paths_gone(w, s, u) || (!au_paths_done(w, s, u) && gives_from(w, u, s->node[u], &x));
}

/* The threads of 'among' and the unstarted ones that they could start, in turn. */
static uint32_t with_children(const au_paths *w, const au_path_state *s, uint32_t among) {
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t u = 0; u < w->m->thread.n; u++)
            for (uint32_t c = 0; c < w->m->thread.n; c++)
                if (among >> u & 1 && !(among >> c & 1) && !au_paths_started(w, s, c) &&
                    could_fork(w, s, u, c)) {
                    among |= 1u << c;
                    grew = true;
                }
    }
    return among;
}

static uint32_t unstarted(const au_paths *w, const au_path_state *s) {
    uint32_t set = 0;
    for (uint32_t t = 0; t < w->m->thread.n; t++)
        set |= (uint32_t)!au_paths_started(w, s, t) << t;
    return set;
}

/* Can these threads give what is needed? */
static bool enough(const au_paths *w, const au_path_state *s, uint32_t among, const need *x) {
    uint32_t givers = 0;
    for (uint32_t u = 0; u < w->m->thread.n; u++)
        givers += among >> u & 1 && could_give(w, s, u, x);
    return givers >= x->count;
}

/* Some need of t that those outside the set, and whom they could start, cannot give. */
static bool stuck(const au_paths *w, const au_path_state *s, uint32_t t, uint32_t set) {
    need x[NEEDS];
    uint32_t n = needs_of(w, s, t, x), all = (1u << w->m->thread.n) - 1;
    uint32_t outside = with_children(w, s, all & ~set & ~unstarted(w, s));
    for (uint32_t i = 0; i < n; i++)
        if (!enough(w, s, outside, &x[i]))
            return true;
    return false;
}

static bool deadlocked(const au_paths *w, const au_path_state *s, uint32_t set) {
    for (uint32_t t = 0; t < w->m->thread.n; t++)
        if (set >> t & 1 && !(au_paths_waiting(w, s, t) && stuck(w, s, t, set)))
            return false;
    return set != 0;
}

/* Could u, by itself or through one it starts, give t something that t needs? */
static bool could_help(const au_paths *w, const au_path_state *s, uint32_t u, uint32_t t) {
    need x[NEEDS];
    uint32_t n = needs_of(w, s, t, x), with = with_children(w, s, 1u << u);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t v = 0; v < w->m->thread.n; v++)
            if (with >> v & 1 && could_give(w, s, v, &x[i]))
                return true;
    return false;
}

/* Every member's possible helpers among the deadlocked threads are members. */
static bool closed(const au_paths *w, const au_path_state *s, uint32_t set, uint32_t all) {
    for (uint32_t t = 0; t < w->m->thread.n; t++)
        for (uint32_t u = 0; u < w->m->thread.n; u++)
            if (set >> t & 1 && all >> u & 1 && !(set >> u & 1) && could_help(w, s, u, t))
                return false;
    return true;
}

void au_paths_see_deadlock(au_paths *w, uint32_t depth) {
    const au_path_state *s = &w->state[depth];
    if (s->n_unkept)
        return;
    uint32_t waiting = 0, all = 0;
    for (uint32_t t = 0; t < w->m->thread.n; t++)
        waiting |= (uint32_t)au_paths_waiting(w, s, t) << t;
    for (uint32_t set = waiting; set; set = (set - 1) & waiting)
        if (deadlocked(w, s, set))
            all |= set;
    for (uint32_t set = all; set; set = (set - 1) & all) {
        bool core = closed(w, s, set, all);
        for (uint32_t less = (set - 1) & set; less && core; less = (less - 1) & set)
            core = !closed(w, s, less, all);
        if (!core)
            continue;
        uint32_t word[1 + AU_PATHS_THREADS], n = 0;
        word[n++] = AU_KEY_DEADLOCK;
        for (uint32_t t = 0; t < w->m->thread.n; t++)
            if (set >> t & 1)
                word[n++] = au_paths_next(w, s, t);
        au_paths_emit(w, word, n, depth);
    }
}
