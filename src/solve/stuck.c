/* solve/stuck.c: nodes without a partner go. */
#include "solve/stuck.h"

/* What may be held, and who was started on every way, when a thread is at a node. */
typedef struct {
    au_bitset held, started;
    bool reached;
} state;

typedef struct {
    const au_dead *d;
    const au_model *m;
    state **at;       /* by thread and node */
    bool **keeps;     /* what is looked for */
    uint32_t *owners; /* by lock: threads that may wait, or have ended, with it … */
    uint32_t *owner;  /* … one of them */
    bool *waits;      /* by thread: some node of it is kept */
} finder;

static bool is_lock(const au_model *m, uint32_t obj) {
    return obj != AU_NONE && m->obj.at[obj].kind <= AU_OBJ_RWLOCK;
}

/* A plain lock that is given up is not held any more; others may have been taken several times. */
static void apply(const au_model *m, const au_step *s, state *x) {
    bool cond = s->kind == AU_STEP_WAIT || s->kind == AU_STEP_WAKE;
    uint32_t obj = cond ? s->obj2 : s->obj;
    switch (s->kind) {
    case AU_STEP_REL:
    case AU_STEP_WAIT:
        if (is_lock(m, obj) && m->obj.at[obj].kind == AU_OBJ_LOCK)
            au_bitset_remove(&x->held, obj);
        break;
    case AU_STEP_ACQ:
    case AU_STEP_RDACQ:
    case AU_STEP_WRACQ:
    case AU_STEP_WAKE:
        if (is_lock(m, obj))
            au_bitset_add(&x->held, obj);
        break;
    case AU_STEP_FORK:
        au_bitset_add(&x->started, s->obj);
        break;
    default:
        break;
    }
}

static void copy(au_bitset *into, const au_bitset *from) {
    memcpy(into->word, from->word, au_bitset_words(from) * sizeof *from->word);
}

static bool join(state *into, const state *from) {
    if (!into->reached) {
        copy(&into->held, &from->held);
        copy(&into->started, &from->started);
        return into->reached = true;
    }
    bool changed = au_bitset_join(&into->held, &from->held);
    for (size_t i = 0; i < au_bitset_words(&into->started); i++) {
        uint64_t both = into->started.word[i] & from->started.word[i];
        changed |= both != into->started.word[i];
        into->started.word[i] = both;
    }
    return changed;
}

/* Locks that are held when the model begins are the threads' that hold them. */
static void begin(const finder *f, uint32_t t, state *x) {
    for (uint32_t obj = 0; obj < f->m->obj.n; obj++) {
        const au_sync_obj *o = &f->m->obj.at[obj];
        if (is_lock(f->m, obj) &&
            (f->m->var.at[o->var[0]].init == t + 1 ||
             (t < o->per.n && o->per.at[t] != AU_NONE && f->m->var.at[o->per.at[t]].init)))
            au_bitset_add(&x->held, obj);
    }
    x->reached = true;
}

static void follow(finder *f, uint32_t t) {
    const au_thread *th = &f->m->thread.at[t];
    state after = {.reached = true};
    au_bitset_init(&after.held, f->m->obj.n);
    au_bitset_init(&after.started, f->m->thread.n);
    AU_VEC(uint32_t) todo = {0};
    begin(f, t, &f->at[t][th->entry]);
    au_vec_push(&todo, th->entry);
    while (todo.n) {
        uint32_t node = au_vec_pop(&todo);
        for (size_t i = 0; i < th->node.at[node].out.n; i++) {
            const au_step *s = &f->m->step.at[th->node.at[node].out.at[i]];
            copy(&after.held, &f->at[t][node].held);
            copy(&after.started, &f->at[t][node].started);
            apply(f->m, s, &after);
            if (join(&f->at[t][s->dst], &after))
                au_vec_push(&todo, s->dst);
        }
    }
    au_vec_release(&todo);
    au_bitset_release(&after.held);
    au_bitset_release(&after.started);
}

/* --- partners ------------------------------------------------------------------------------------ */

/* Thread t is one of those that may have the lock for good. */
static void note_owner(finder *f, uint32_t t, uint32_t obj) {
    if (f->owners[obj] && f->owner[obj] == t)
        return;
    f->owners[obj]++;
    f->owner[obj] = t;
}

static void note_owners(finder *f) {
    memset(f->owners, 0, f->m->obj.n * sizeof *f->owners);
    for (uint32_t t = 0; t < f->m->thread.n; t++) {
        f->waits[t] = false;
        for (uint32_t n = 0; n < f->m->thread.at[t].node.n; n++) {
            bool waits = f->keeps[t][n];
            f->waits[t] |= waits;
            if (!waits && n != f->m->thread.at[t].exit)
                continue;
            for (uint32_t obj = 0; obj < f->m->obj.n; obj++)
                if (au_bitset_has(&f->at[t][n].held, obj))
                    note_owner(f, t, obj);
        }
    }
}

/* Somebody may have the lock for good: another thread, or this one itself, here. */
static bool is_lost(const finder *f, uint32_t t, uint32_t node, uint32_t obj) {
    bool others = f->owners[obj] > 1 || (f->owners[obj] == 1 && f->owner[obj] != t);
    return others ||
           (f->m->obj.at[obj].kind != AU_OBJ_RLOCK && au_bitset_has(&f->at[t][node].held, obj));
}

static bool may_last(const finder *f, uint32_t t, uint32_t node, const au_step *s) {
    switch (s->kind) {
    case AU_STEP_ACQ:
    case AU_STEP_RDACQ:
    case AU_STEP_WRACQ:
        return !is_lock(f->m, s->obj) || is_lost(f, t, node, s->obj);
    case AU_STEP_JOIN:
        return s->obj == t || f->waits[s->obj] ||
               (f->m->thread.at[s->obj].started != AU_NONE &&
                !au_bitset_has(&f->at[t][node].started, s->obj));
    default:
        return true;
    }
}

/* It waits for good only if every step that it could go on with does. */
static bool stays(const finder *f, uint32_t t, uint32_t node) {
    const au_cssa *c = f->d->c;
    const au_node *n = &f->m->thread.at[t].node.at[node];
    for (size_t i = 0; i < n->out.n; i++) {
        const au_step *s = &f->m->step.at[n->out.at[i]];
        if (c->event_of[s->id] != AU_NONE && s->blocking && !au_dead_skips(c, s) &&
            !may_last(f, t, node, s))
            return false;
    }
    return true;
}

bool **au_stuck_nodes(const au_dead *d,
                      bool (*may_wait)(const au_dead *d, uint32_t thread, uint32_t node)) {
    const au_model *m = d->c->m;
    finder f = {.d = d, .m = m};
    f.at = au_alloc_array(m->thread.n + 1, sizeof *f.at);
    f.keeps = au_alloc_array(m->thread.n + 1, sizeof *f.keeps);
    f.owners = au_alloc_array(m->obj.n + 1, sizeof *f.owners);
    f.owner = au_alloc_array(m->obj.n + 1, sizeof *f.owner);
    f.waits = au_alloc_array(m->thread.n + 1, sizeof *f.waits);
    for (uint32_t t = 0; t < m->thread.n; t++) {
        size_t nodes = m->thread.at[t].node.n;
        f.at[t] = au_alloc_array(nodes + 1, sizeof *f.at[t]);
        f.keeps[t] = au_alloc_array(nodes + 1, sizeof *f.keeps[t]);
        for (uint32_t n = 0; n < nodes; n++) {
            au_bitset_init(&f.at[t][n].held, m->obj.n);
            au_bitset_init(&f.at[t][n].started, m->thread.n);
            f.keeps[t][n] = may_wait(d, t, n);
        }
        follow(&f, t);
    }
    for (bool changed = true; changed;) {
        changed = false;
        note_owners(&f);
        for (uint32_t t = 0; t < m->thread.n; t++)
            for (uint32_t n = 0; n < m->thread.at[t].node.n; n++)
                if (f.keeps[t][n] && !stays(&f, t, n)) {
                    f.keeps[t][n] = false;
                    changed = true;
                }
    }
    for (uint32_t t = 0; t < m->thread.n; t++) {
        for (uint32_t n = 0; n < m->thread.at[t].node.n; n++) {
            au_bitset_release(&f.at[t][n].held);
            au_bitset_release(&f.at[t][n].started);
        }
        free(f.at[t]);
    }
    free(f.at);
    free(f.owners);
    free(f.owner);
    free(f.waits);
    return f.keeps;
}

void au_stuck_free(bool **nodes, size_t threads) {
    for (size_t t = 0; t < threads; t++)
        free(nodes[t]);
    free(nodes);
}
