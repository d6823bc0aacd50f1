/* tests/random/paths_dead.c: deadlocked sets of threads, by trying every set. */
#include "paths.h"

/* Something a thread needs and does not have. */
typedef struct {
    enum { NEED_HOLDER, NEED_POST, NEED_SIGNAL, NEED_ARRIVAL, NEED_END, NEED_VALUE } kind;
    uint32_t obj;    /* HOLDER, POST, SIGNAL, ARRIVAL */
    uint32_t thread; /* HOLDER, END: the only one that can give it */
    uint32_t step;   /* VALUE: the [assume …] */
} need;
#define NEEDS (AU_PATHS_THREADS + 2)

static uint32_t lock_needs(const au_paths *w, const au_path_state *s, uint32_t obj, bool write,
                           uint32_t t, need *out) {
    const au_sync_obj *o = &w->m->obj.at[obj];
    uint32_t n = 0;
    if (o->kind == AU_OBJ_SEM) {
        if ((int32_t)s->value[o->var[0]] <= 0)
            out[n++] = (need){.kind = NEED_POST, .obj = obj};
        return n;
    }
    uint64_t owner = s->value[o->var[0]];
    if (owner && !(o->kind == AU_OBJ_RLOCK && owner == t + 1))
        out[n++] = (need){.kind = NEED_HOLDER, .obj = obj, .thread = (uint32_t)owner - 1};
    for (uint32_t u = 0; write && u < o->per.n; u++)
        if (o->per.at[u] != AU_NONE && s->value[o->per.at[u]] > 0)
            out[n++] = (need){.kind = NEED_HOLDER, .obj = obj, .thread = u};
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
            out[n++] = (need){.kind = NEED_SIGNAL, .obj = e->obj};
        return n + lock_needs(w, s, e->obj2, false, t, out + n);
    case AU_STEP_LEAVE:
        out[0] = (need){.kind = NEED_ARRIVAL, .obj = e->obj};
        return 1;
    case AU_STEP_JOIN:
        out[0] = (need){.kind = NEED_END, .thread = e->obj};
        return 1;
    case AU_STEP_ASSUME:
        out[0] = (need){.kind = NEED_VALUE, .step = e->id};
        return 1;
    default:
        AU_BUG_IF("no other step waits");
        return 0;
    }
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
    case NEED_VALUE: {
        const au_step *a = &w->m->step.at[x->step];
        for (uint32_t i = 0; i < e->n_accesses; i++)
            for (uint32_t k = 0; k < a->n_accesses; k++)
                if (e->access[i].write && e->access[i].var == a->access[k].var)
                    return true;
        return false;
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

static bool could_give(const au_paths *w, const au_path_state *s, uint32_t t, const need *x) {
    if ((x->kind == NEED_HOLDER || x->kind == NEED_END) && x->thread != t)
        return false;
    if (au_paths_gone(w, s, t))
        return true;
    if (au_paths_done(w, s, t))
        return false;
    if (w->semantics != AU_SEM_MCM)
        return gives_from(w, t, s->node[t], x);
    for (size_t i = s->ran[t]; i < w->line[t].n; i++)
        if (gives(w, &w->m->step.at[w->line[t].at[i]], x))
            return true;
    return false;
}

/* Some need of t that nobody outside the set could give. */
static bool stuck(const au_paths *w, const au_path_state *s, uint32_t t, uint32_t set) {
    need need_of[NEEDS + AU_PATHS_THREADS];
    uint32_t n = needs_of(w, s, t, need_of);
    for (uint32_t i = 0; i < n; i++) {
        bool given = false;
        for (uint32_t u = 0; u < w->m->thread.n; u++)
            given |= !(set >> u & 1) && could_give(w, s, u, &need_of[i]);
        if (!given)
            return true;
    }
    return false;
}

static bool deadlocked(const au_paths *w, const au_path_state *s, uint32_t set) {
    for (uint32_t t = 0; t < w->m->thread.n; t++)
        if (set >> t & 1 && !(au_paths_waiting(w, s, t) && stuck(w, s, t, set)))
            return false;
    return set != 0;
}

void au_paths_see_deadlock(au_paths *w, uint32_t depth) {
    const au_path_state *s = &w->state[depth];
    uint32_t all = 1u << w->m->thread.n;
    if (s->n_unkept)
        return;
    uint32_t waiting = 0;
    for (uint32_t t = 0; t < w->m->thread.n; t++)
        waiting |= (uint32_t)au_paths_waiting(w, s, t) << t;
    for (uint32_t set = 1; set < all; set++) {
        if ((set & waiting) != set || !deadlocked(w, s, set))
            continue;
        bool core = true;
        for (uint32_t less = (set - 1) & set; less && core; less = (less - 1) & set)
            core = !deadlocked(w, s, less);
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
