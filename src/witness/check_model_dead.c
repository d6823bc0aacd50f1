/* witness/check_model_dead.c: do these threads wait for each other, for good?
 *
 * A thread of the set waits if no step from its node can be taken (a wake-up without
 * a signal aside) and the blocking ones are hopeless: what they need could come only
 * from threads of the set or that have ended. A thread outside could give what some
 * step still reachable in its control graph gives; a stopped one went where the
 * model does not follow and could give anything. */
#include "witness/check_model_priv.h"

typedef struct {
    au_wmodel *x;
    bool *act; /* by thread: outside the set, and may run */
} scene;

typedef struct {
    const au_step *s;
    bool writes; /* one of the variables asked for */
} writer;

static void note_var(void *ctx, uint32_t var) {
    writer *w = ctx;
    for (uint32_t i = 0; i < w->s->n_accesses; i++)
        w->writes |= w->s->access[i].write && w->s->access[i].var == var;
}

/* Does this step give what p waits for? (JOIN: it forks the thread.) */
static bool gives(const au_model *m, const au_step *s, const au_step *p) {
    switch (p->kind) {
    case AU_STEP_ACQ:
        return (s->kind == AU_STEP_REL && s->obj == p->obj) ||
               (s->kind == AU_STEP_WAIT && s->obj2 == p->obj);
    case AU_STEP_WAKE:
        return (s->kind == AU_STEP_SIGNAL || s->kind == AU_STEP_BROADCAST) && s->obj == p->obj;
    case AU_STEP_LEAVE:
        return s->kind == AU_STEP_ARRIVE && s->obj == p->obj;
    case AU_STEP_JOIN:
        return s->kind == AU_STEP_FORK && s->obj == p->obj;
    default: { /* [assume e]: a write of what e looks at */
        writer w = {s, false};
        au_term_each_var(m->terms, p->guard, note_var, &w);
        return w.writes;
    }
    }
}

static bool could_give(const scene *c, uint32_t t, const au_step *p) {
    const au_wmodel *x = c->x;
    const au_thread *th = &x->m->thread.at[t];
    if (!c->act[t])
        return false;
    if (x->s.stopped[t])
        return true;
    bool *been = au_alloc_array(th->node.n, sizeof *been), found = false;
    AU_VEC(uint32_t) todo = {0};
    au_vec_push(&todo, (uint32_t)x->s.node[t]);
    while (todo.n && !found) {
        uint32_t n = au_vec_pop(&todo);
        if (been[n])
            continue;
        been[n] = true;
        for (size_t i = 0; i < th->node.at[n].out.n && !found; i++) {
            const au_step *s = au_wmodel_step(x, th->node.at[n].out.at[i]);
            found = gives(x->m, s, p);
            au_vec_push(&todo, s->dst);
        }
    }
    au_vec_release(&todo);
    free(been);
    return found;
}

static uint64_t givers(const scene *c, const au_step *p) {
    uint64_t n = 0;
    for (uint32_t t = 0; t < c->x->m->thread.n; t++)
        n += could_give(c, t, p);
    return n;
}

/* The lock cannot be had: it is held by me, by the set or by one that has ended. */
static bool lock_is_lost(const scene *c, uint32_t me, uint32_t obj, bool shared) {
    const au_sync_obj *o = &c->x->m->obj.at[obj];
    const uint64_t *value = c->x->s.value;
    uint64_t owner = value[o->var[0]];
    if (o->kind == AU_OBJ_SEM) {
        au_step p = {.kind = AU_STEP_ACQ, .obj = obj};
        return (int32_t)owner <= 0 && !givers(c, &p);
    }
    if (owner && o->kind == AU_OBJ_RLOCK && owner == me + 1)
        return false;
    if (owner)
        return owner == me + 1 || !c->act[owner - 1];
    for (uint32_t t = 0; t < o->per.n && o->kind == AU_OBJ_RWLOCK && !shared; t++)
        if (o->per.at[t] != AU_NONE && value[o->per.at[t]] && (t == me || !c->act[t]))
            return true;
    return false;
}

static bool is_hopeless(const scene *c, const au_step *p) {
    const au_model *m = c->x->m;
    switch (p->kind) {
    case AU_STEP_ACQ:
    case AU_STEP_RDACQ:
    case AU_STEP_WRACQ:
        return lock_is_lost(c, p->thread, p->obj, p->kind == AU_STEP_RDACQ);
    case AU_STEP_WAKE: {
        enum { SIGNALLED = 2 };
        bool signalled = c->x->s.value[m->obj.at[p->obj].per.at[p->thread]] == SIGNALLED;
        return (!signalled && !givers(c, p)) || lock_is_lost(c, p->thread, p->obj2, false);
    }
    case AU_STEP_LEAVE: {
        const au_sync_obj *o = &m->obj.at[p->obj];
        return givers(c, p) < (uint64_t)o->init - c->x->s.value[o->var[0]];
    }
    case AU_STEP_JOIN:
        return !c->act[p->obj];
    default:
        return !givers(c, p);
    }
}

static bool waits_for_good(const scene *c, uint32_t t) {
    const au_node *n = au_wmodel_node(c->x, t);
    bool waits = false;
    for (size_t i = 0; i < n->out.n; i++) {
        const au_step *p = au_wmodel_step(c->x, n->out.at[i]);
        if (p->spurious)
            continue;
        if (au_wmodel_enabled(c->x, p) || (p->blocking && !is_hopeless(c, p)))
            return false;
        waits |= p->blocking;
    }
    return waits;
}

/* Threads outside the set that run, or that such a one may still fork. */
static void find_acting(scene *c) {
    const au_wmodel *x = c->x;
    bool *member = au_alloc_array(x->m->thread.n, sizeof *member);
    for (uint32_t i = 0; i < x->f->n_events; i++)
        member[au_wmodel_step(x, x->f->event[i].step)->thread] = true;
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t t = 0; t < x->m->thread.n; t++) {
            au_step forks = {.kind = AU_STEP_JOIN, .obj = t};
            if (c->act[t] || member[t] ||
                (x->s.node[t] == x->m->thread.at[t].exit && !x->s.stopped[t]) ||
                !(au_wmodel_started(x, t) || givers(c, &forks)))
                continue;
            c->act[t] = grew = true;
        }
    }
    free(member);
}

bool au_wmodel_deadlock(au_wmodel *x) {
    scene c = {x, au_alloc_array(x->m->thread.n, sizeof *c.act)};
    find_acting(&c);
    bool all = true;
    for (uint32_t i = 0; i < x->f->n_events; i++)
        all &= waits_for_good(&c, au_wmodel_step(x, x->f->event[i].step)->thread);
    free(c.act);
    return all;
}
