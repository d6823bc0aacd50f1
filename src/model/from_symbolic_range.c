/* model/from_symbolic_range.c: a part of a long run as a model of its own, from the state that the run
 * had reached. */
#include "model/from_symbolic_priv.h"

/* The owner of a lock as sync.h has it. */
static uint32_t owner(const au_from *b, uint32_t holder) {
    return holder ? b->thread[holder - 1].id + 1 : 0;
}

static void made(au_from *f, uint32_t l) {
    const au_fs *b = (const au_fs *)f;
    const struct au_state_lock *x = &b->before->lock[l];
    au_model *m = f->m;
    if (b->p->j.obj[l].kind == AU_WIRE_OBJ_ONCE) {
        m->var.at[f->obj[l]].init = b->p->j.once[l] < f->first;
        return;
    }
    const au_sync_obj *o = &m->obj.at[f->obj[l]];
    switch (o->kind) {
    case AU_OBJ_LOCK:
        m->var.at[o->var[0]].init = owner(f, x->holder);
        break;
    case AU_OBJ_RLOCK:
    case AU_OBJ_RWLOCK:
        m->var.at[o->var[0]].init = owner(f, x->holder);
        m->var.at[o->var[1]].init = x->level;
        break;
    case AU_OBJ_SEM:
        m->var.at[o->var[0]].init = x->level;
        break;
    case AU_OBJ_BARRIER:
        m->var.at[o->var[0]].init = x->level;
        m->var.at[o->var[1]].init = x->generation;
        break;
    case AU_OBJ_COND:
        break;
    }
}

/* What objects know of single threads: made with the steps that use it. */
static void set_own_state(au_fs *b) {
    const au_from *f = &b->b;
    au_model *m = f->m;
    enum { WAITING = 1, SIGNALLED = 2 };
    for (uint32_t l = 0; l < f->t->names.lock.n; l++) {
        if (f->obj[l] == AU_NONE || b->p->j.obj[l].kind == AU_WIRE_OBJ_ONCE)
            continue;
        const au_sync_obj *o = &m->obj.at[f->obj[l]];
        for (uint32_t t = 0; t < f->t->names.thread.n; t++) {
            uint32_t id = f->thread[t].id, inside = b->before->thread[t].inside;
            if (id == AU_NONE || id >= o->per.n || o->per.at[id] == AU_NONE)
                continue;
            uint64_t *start = &m->var.at[o->per.at[id]].init;
            const au_judged_wait *w =
                inside == AU_NONE ? NULL : au_judged_wait_at(&b->p->j, inside);
            if (o->kind == AU_OBJ_RWLOCK)
                *start = au_state_readers(b->before, l, t);
            else if (o->kind == AU_OBJ_BARRIER)
                *start = b->before->thread[t].generation;
            else if (o->kind == AU_OBJ_COND && w && f->t->events.obj[w->wait] == l)
                *start = w->signalled < f->first ? SIGNALLED : WAITING;
        }
    }
}

/* No step of the program is divided. */
static void widen(const au_symbolic_plan *p, size_t *first, size_t *last) {
    const au_columns *e = &p->s->trace->events;
    *last = *last < p->end ? *last : p->end;
    *first = *first < *last ? *first : *last;
    while (*first && *first < *last && (au_plan_goes_on(p, *first) || e->op[*first] == AU_OP_WAIT))
        --*first;
    while (*last < p->end && (au_plan_goes_on(p, *last) || e->op[*last] == AU_OP_WAIT))
        ++*last;
}

/* Threads that have begun and go on, and those that begin. */
static void find_threads(const au_symbolic_plan *p, size_t first, size_t last, au_bitset *into) {
    const au_columns *e = &p->s->trace->events;
    for (size_t t = 0; t < p->s->trace->names.thread.n; t++)
        if ((p->state.thread[t].begun || p->state.thread[t].forked) && p->last[t] >= first &&
            p->last[t] != AU_NONE)
            au_bitset_add(into, t);
    for (size_t i = first; i < last; i++) {
        au_bitset_add(into, e->thread[i]);
        if (e->op[i] == AU_OP_FORK || e->op[i] == AU_OP_JOIN)
            au_bitset_add(into, e->obj[i]);
    }
    for (size_t l = 0; l < p->s->trace->names.lock.n; l++)
        if (p->state.lock[l].holder)
            au_bitset_add(into, p->state.lock[l].holder - 1);
}

/* Facts that stand in the part; facts of one thread are in order, those of all nearly so. */
static void find_facts(au_fs *b) {
    const au_symbolic *s = b->p->s;
    size_t low = SIZE_MAX, high = 0;
    for (size_t t = 0; t < b->b.t->names.thread.n; t++) {
        size_t lo = b->p->first_fact[t], end = b->p->first_fact[t + 1], hi = end;
        while (lo < hi) {
            size_t mid = lo + (hi - lo) / 2;
            uint32_t after = s->fact.at[b->p->of_fact[mid]].after;
            if (after == AU_NONE ? b->before->thread[t].begun : after < b->b.first)
                lo = mid + 1;
            else
                hi = mid;
        }
        b->thread[t].next_fact = lo;
        for (; lo < end; lo++) {
            const au_fact *f = &s->fact.at[b->p->of_fact[lo]];
            if (f->after != AU_NONE && f->after >= b->b.last)
                break;
            low = b->p->of_fact[lo] < low ? b->p->of_fact[lo] : low;
            high = b->p->of_fact[lo] + 1 > high ? b->p->of_fact[lo] + 1 : high;
        }
    }
    au_fs_make_facts(b, low < high ? low : 0, low < high ? high - low : 0);
}

au_model *au_model_from_range(au_symbolic_plan *p, size_t first, size_t last, const au_slice *slice,
                              au_symbolic_map *map, au_error *err) {
    const au_trace *t = p->s->trace;
    widen(p, &first, &last);
    if (!p->state.p)
        au_state_init(&p->state, p);
    au_state_move(&p->state, first);
    au_bitset threads;
    au_bitset_init(&threads, t->names.thread.n);
    find_threads(p, first, last, &threads);
    au_fs b;
    au_fs_init(&b, p, first, last, &threads, slice, err);
    b.before = &p->state;
    b.b.made = made;
    find_facts(&b);
    au_status st = AU_OK;
    for (uint32_t i = 0; i < t->names.thread.n && !st; i++) {
        const struct au_state_thread *x = &p->state.thread[i];
        struct au_from_thread *who = &b.b.thread[i];
        who->depth = x->depth;
        who->block = AU_NONE;
        who->begun = x->begun;
        if (who->id != AU_NONE && x->inside != AU_NONE)
            st = au_from_inside(&b.b, x->inside);
    }
    if (!st)
        st = au_fs_build(&b);
    for (uint32_t i = 0; i < t->names.thread.n; i++)
        b.b.thread[i].ended |= p->last[i] != AU_NONE && p->last[i] >= last;
    set_own_state(&b);
    if (!st)
        st = au_fs_finish(&b);
    au_bitset_release(&threads);
    return au_fs_result(&b, st, map);
}
