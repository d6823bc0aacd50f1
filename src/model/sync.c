/* model/sync.c: the table of sync.h as guards and updates. */
#include "model/sync.h"

#include "base/error.h"

#include <ctype.h>
#include <stdio.h>

/* --- state variables ------------------------------------------------------- */

static bool is_plain(const char *name) {
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

/* "$m", "$m.depth", "$c.w.T1": no name in a .ctp has a dollar sign. Names from a
 * trace can be any text; then the number makes the whole unique. */
static uint32_t state_var(au_model *m, const char *of, const char *what, uint32_t thread,
                          bool name_thread, unsigned width, uint64_t init) {
    const char *who = name_thread ? m->thread.at[thread].name : "";
    bool plain = is_plain(of) && is_plain(who);
    char number[16] = "";
    if (!plain)
        snprintf(number, sizeof number, "#%zu", m->var.n);
    char *name = au_sprintf("$%s%s%s%s%s", of, what, *who ? "." : "", who, number);
    uint32_t v = au_model_add_var(m, name, AU_VAR_SYNC, width, init, thread);
    free(name);
    return v;
}

uint32_t au_model_add_sync(au_model *m, const char *name, au_obj_kind kind, int32_t init) {
    au_sync_obj o = {.name = au_arena_strndup(&m->arena, name, strlen(name)),
                     .kind = kind,
                     .init = init,
                     .var = {AU_NONE, AU_NONE}};
    switch (kind) {
    case AU_OBJ_LOCK:
        o.var[0] = state_var(m, name, "", AU_NONE, false, 32, 0);
        break;
    case AU_OBJ_RLOCK:
        o.var[0] = state_var(m, name, "", AU_NONE, false, 32, 0);
        o.var[1] = state_var(m, name, ".depth", AU_NONE, false, 32, 0);
        break;
    case AU_OBJ_RWLOCK:
        o.var[0] = state_var(m, name, "", AU_NONE, false, 32, 0);
        o.var[1] = state_var(m, name, ".readers", AU_NONE, false, 32, 0);
        break;
    case AU_OBJ_SEM:
        o.var[0] = state_var(m, name, "", AU_NONE, false, 32, (uint32_t)init);
        break;
    case AU_OBJ_COND:
        break;
    case AU_OBJ_BARRIER:
        o.var[0] = state_var(m, name, ".arrived", AU_NONE, false, 32, 0);
        o.var[1] = state_var(m, name, ".gen", AU_NONE, false, 32, 0);
        break;
    }
    au_vec_push(&m->obj, o);
    return (uint32_t)m->obj.n - 1;
}

/* The thread's own state variable of the object, made on first use. */
static uint32_t per_thread(au_model *m, uint32_t obj, uint32_t thread) {
    au_sync_obj *o = &m->obj.at[obj];
    while (o->per.n <= thread)
        au_vec_push(&o->per, AU_NONE);
    if (o->per.at[thread] == AU_NONE) {
        const char *what = o->kind == AU_OBJ_RWLOCK ? ".reads"
                           : o->kind == AU_OBJ_COND ? ".w"
                                                    : ".my";
        unsigned width = o->kind == AU_OBJ_COND ? 2 : 32;
        o->per.at[thread] = state_var(m, o->name, what, thread, true, width, 0);
    }
    return o->per.at[thread];
}

/* --- terms ------------------------------------------------------------------ */

static au_term var(au_model *m, uint32_t v) {
    return au_model_var_term(m, v);
}
static au_term number(au_model *m, uint32_t v, uint64_t value) {
    return au_term_const(m->terms, m->var.at[v].width, value);
}
static au_term is(au_model *m, uint32_t v, uint64_t value) {
    return au_term_eq(m->terms, var(m, v), number(m, v, value));
}
static au_term plus(au_model *m, uint32_t v, uint64_t c) {
    return au_term_make(m->terms, AU_T_ADD, var(m, v), number(m, v, c));
}
static au_term positive(au_model *m, uint32_t v) {
    return au_term_make(m->terms, AU_T_SLT, number(m, v, 0), var(m, v));
}
static void set(au_model *m, au_step *s, uint32_t v, au_term value) {
    au_step_add_update(m, s, v, value);
}
static void require(au_model *m, au_step *s, au_term guard) {
    s->guard = au_term_and(m->terms, s->guard, guard);
}

static au_sync_obj *object(au_model *m, uint32_t obj) {
    AU_BUG_IF(obj >= m->obj.n);
    return &m->obj.at[obj];
}

/* --- locks and semaphores ---------------------------------------------------- */

/* Adds "as acq" to a step. */
static void take(au_model *m, au_step *s, uint32_t obj) {
    au_sync_obj *o = object(m, obj);
    uint32_t v = o->var[0], me = s->thread + 1;
    switch (o->kind) {
    case AU_OBJ_LOCK:
        require(m, s, is(m, v, 0));
        set(m, s, v, number(m, v, me));
        break;
    case AU_OBJ_RLOCK:
        require(m, s, au_term_or(m->terms, is(m, v, 0), is(m, v, me)));
        set(m, s, v, number(m, v, me));
        set(m, s, o->var[1], plus(m, o->var[1], 1));
        break;
    case AU_OBJ_SEM:
        require(m, s, positive(m, v));
        set(m, s, v, plus(m, v, UINT64_MAX));
        break;
    default:
        AU_BUG_IF(true);
    }
}

static void give_rwlock(au_model *m, au_step *s, uint32_t obj) {
    uint32_t h = per_thread(m, obj, s->thread);
    uint32_t v = m->obj.at[obj].var[0], r = m->obj.at[obj].var[1];
    au_term mine = is(m, v, s->thread + 1);
    require(m, s, au_term_or(m->terms, mine, positive(m, h)));
    set(m, s, v, au_term_ite(m->terms, mine, number(m, v, 0), var(m, v)));
    set(m, s, r, au_term_ite(m->terms, mine, var(m, r), plus(m, r, UINT64_MAX)));
    set(m, s, h, au_term_ite(m->terms, mine, var(m, h), plus(m, h, UINT64_MAX)));
}

/* Adds "as rel" to a step. */
static void give(au_model *m, au_step *s, uint32_t obj) {
    au_sync_obj *o = object(m, obj);
    uint32_t v = o->var[0], me = s->thread + 1;
    switch (o->kind) {
    case AU_OBJ_LOCK:
        require(m, s, is(m, v, me));
        set(m, s, v, number(m, v, 0));
        break;
    case AU_OBJ_RLOCK:
        require(m, s, is(m, v, me));
        set(m, s, o->var[1], plus(m, o->var[1], UINT64_MAX));
        set(m, s, v, au_term_ite(m->terms, is(m, o->var[1], 1), number(m, v, 0), number(m, v, me)));
        break;
    case AU_OBJ_RWLOCK:
        give_rwlock(m, s, obj);
        break;
    case AU_OBJ_SEM:
        set(m, s, v, plus(m, v, 1));
        break;
    default:
        AU_BUG_IF(true);
    }
}

static au_step *sync_step(au_model *m, uint32_t thread, uint32_t src, uint32_t dst,
                          au_step_kind kind, uint32_t obj) {
    au_step *s = au_model_add_step(m, thread, src, dst, kind);
    s->obj = obj;
    return s;
}

uint32_t au_sync_acq(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t obj) {
    au_step *s = sync_step(m, thread, src, dst, AU_STEP_ACQ, obj);
    s->blocking = true;
    take(m, s, obj);
    return s->id;
}

uint32_t au_sync_rel(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t obj) {
    au_step *s = sync_step(m, thread, src, dst, AU_STEP_REL, obj);
    give(m, s, obj);
    return s->id;
}

uint32_t au_sync_rdacq(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t obj) {
    AU_BUG_IF(object(m, obj)->kind != AU_OBJ_RWLOCK);
    uint32_t h = per_thread(m, obj, thread);
    uint32_t v = m->obj.at[obj].var[0], r = m->obj.at[obj].var[1];
    au_step *s = sync_step(m, thread, src, dst, AU_STEP_RDACQ, obj);
    s->blocking = true;
    require(m, s, is(m, v, 0));
    set(m, s, r, plus(m, r, 1));
    set(m, s, h, plus(m, h, 1));
    return s->id;
}

uint32_t au_sync_wracq(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t obj) {
    AU_BUG_IF(object(m, obj)->kind != AU_OBJ_RWLOCK);
    uint32_t v = m->obj.at[obj].var[0], r = m->obj.at[obj].var[1];
    au_step *s = sync_step(m, thread, src, dst, AU_STEP_WRACQ, obj);
    s->blocking = true;
    require(m, s, au_term_and(m->terms, is(m, v, 0), is(m, r, 0)));
    set(m, s, v, number(m, v, thread + 1));
    return s->id;
}

void au_sync_try(au_model *m, uint32_t step) {
    au_step *s = &m->step.at[step];
    AU_BUG_IF(s->kind != AU_STEP_ACQ && s->kind != AU_STEP_RDACQ && s->kind != AU_STEP_WRACQ);
    s->blocking = false;
}

/* --- conditions and barriers -------------------------------------------------- */

enum { NOT_WAITING, WAITING, SIGNALLED };

uint32_t au_sync_wait(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t cond,
                      uint32_t lock) {
    AU_BUG_IF(object(m, cond)->kind != AU_OBJ_COND);
    au_obj_kind k = object(m, lock)->kind;
    AU_BUG_IF(k != AU_OBJ_LOCK && k != AU_OBJ_RLOCK && k != AU_OBJ_SEM);
    uint32_t w = per_thread(m, cond, thread);
    uint32_t middle = au_model_add_node(m, thread);
    au_step *s = sync_step(m, thread, src, middle, AU_STEP_WAIT, cond);
    uint32_t first = s->id;
    s->obj2 = lock;
    give(m, s, lock);
    set(m, s, w, number(m, w, WAITING));
    for (int spurious = 0; spurious < 2; spurious++) {
        s = sync_step(m, thread, middle, dst, AU_STEP_WAKE, cond);
        s->obj2 = lock;
        s->blocking = true;
        s->spurious = spurious;
        require(m, s, is(m, w, spurious ? WAITING : SIGNALLED));
        set(m, s, w, number(m, w, NOT_WAITING));
        take(m, s, lock);
    }
    return first;
}

void au_sync_timed(au_model *m, uint32_t wait, bool timed) {
    m->step.at[wait].timed = m->step.at[wait + 2].timed = timed;
}

uint32_t au_sync_signal(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t cond,
                        bool all) {
    AU_BUG_IF(object(m, cond)->kind != AU_OBJ_COND);
    return sync_step(m, thread, src, dst, all ? AU_STEP_BROADCAST : AU_STEP_SIGNAL, cond)->id;
}

uint32_t au_sync_arrive(au_model *m, uint32_t thread, uint32_t src, uint32_t dst,
                        uint32_t barrier) {
    AU_BUG_IF(object(m, barrier)->kind != AU_OBJ_BARRIER);
    uint32_t p = per_thread(m, barrier, thread);
    uint32_t middle = au_model_add_node(m, thread);
    au_sync_obj *o = &m->obj.at[barrier];
    uint32_t a = o->var[0], g = o->var[1];
    au_step *s = sync_step(m, thread, src, middle, AU_STEP_ARRIVE, barrier);
    uint32_t first = s->id;
    au_term full = au_term_eq(m->terms, plus(m, a, 1), number(m, a, (uint32_t)o->init));
    set(m, s, p, var(m, g));
    set(m, s, a, au_term_ite(m->terms, full, number(m, a, 0), plus(m, a, 1)));
    set(m, s, g, au_term_ite(m->terms, full, plus(m, g, 1), var(m, g)));
    s = sync_step(m, thread, middle, dst, AU_STEP_LEAVE, barrier);
    s->blocking = true;
    require(m, s, au_term_not(m->terms, au_term_eq(m->terms, var(m, g), var(m, p))));
    return first;
}

/* --- threads ------------------------------------------------------------------ */

uint32_t au_sync_fork(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t child) {
    AU_BUG_IF(child >= m->thread.n);
    au_thread *c = &m->thread.at[child];
    c->forked = true;
    if (c->started == AU_NONE)
        c->started = state_var(m, c->name, ".started", child, false, 1, 0);
    au_step *s = sync_step(m, thread, src, dst, AU_STEP_FORK, child);
    require(m, s, is(m, c->started, 0));
    set(m, s, c->started, number(m, c->started, 1));
    return s->id;
}

uint32_t au_sync_join(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t child) {
    AU_BUG_IF(child >= m->thread.n);
    au_thread *c = &m->thread.at[child];
    if (c->done == AU_NONE)
        c->done = state_var(m, c->name, ".done", child, false, 1, 0);
    au_step *s = sync_step(m, thread, src, dst, AU_STEP_JOIN, child);
    s->blocking = true;
    require(m, s, is(m, c->done, 1));
    return s->id;
}

/* --- what needs all threads ----------------------------------------------------- */

/* The nobody edge gets its guard, every other thread that waits anywhere an edge. */
static void finish_signal(au_model *m, uint32_t id) {
    uint32_t cond = m->step.at[id].obj;
    for (uint32_t t = 0; t < m->obj.at[cond].per.n; t++) {
        uint32_t w = m->obj.at[cond].per.at[t];
        if (w == AU_NONE || t == m->step.at[id].thread)
            continue; /* a thread that signals is not waiting */
        au_step *nobody = &m->step.at[id];
        require(m, nobody, au_term_not(m->terms, is(m, w, WAITING)));
        au_step like = *nobody;
        au_step *s = sync_step(m, like.thread, like.src, like.dst, AU_STEP_SIGNAL, cond);
        s->indivisible = like.indivisible;
        s->block = like.block;
        s->label = like.label;
        s->line = like.line;
        s->col = like.col;
        s->loc = like.loc;
        s->choice = t;
        require(m, s, is(m, w, WAITING));
        set(m, s, w, number(m, w, SIGNALLED));
    }
}

static void finish_broadcast(au_model *m, uint32_t id) {
    au_step *s = &m->step.at[id];
    au_sync_obj *o = &m->obj.at[s->obj];
    for (uint32_t t = 0; t < o->per.n; t++) {
        uint32_t w = o->per.at[t];
        if (w != AU_NONE && t != s->thread)
            set(m, s, w,
                au_term_ite(m->terms, is(m, w, WAITING), number(m, w, SIGNALLED), var(m, w)));
    }
}

void au_sync_finish(au_model *m) {
    size_t n = m->step.n; /* those added on the way are complete */
    for (uint32_t i = 0; i < n; i++) {
        if (m->step.at[i].kind == AU_STEP_SIGNAL)
            finish_signal(m, i);
        else if (m->step.at[i].kind == AU_STEP_BROADCAST)
            finish_broadcast(m, i);
    }
    for (uint32_t i = 0; i < m->step.n; i++) {
        au_step *s = &m->step.at[i];
        const au_thread *t = &m->thread.at[s->thread];
        AU_BUG_IF(t->exit == AU_NONE);
        if (t->done != AU_NONE && s->dst == t->exit)
            set(m, s, t->done, number(m, t->done, 1));
    }
}
