/* witness/check_model_shows.c: is the finding there, at the end of the schedule? */
#include "witness/check_model_priv.h"

#include <stdio.h>

static bool __attribute__((format(printf, 2, 3))) no(au_wmodel *x, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(x->why, sizeof x->why, fmt, ap);
    va_end(ap);
    return false;
}

/* Edges of one statement: the sides of a branch, whom a signal wakes … */
static bool same_event(const au_step *a, const au_step *b) {
    return a->thread == b->thread && a->src == b->src && a->kind == b->kind;
}

/* The place of event i in the path, SIZE_MAX: not executed. */
static size_t place(const au_wmodel *x, uint32_t i) {
    const au_step *p = au_wmodel_step(x, x->f->event[i].step);
    uint64_t index = 0;
    for (size_t k = 0; k < x->path.n; k++) {
        const au_step *q = au_wmodel_step(x, x->path.at[k].step);
        index += q->thread == p->thread;
        if (q->thread == p->thread && index == x->f->event[i].index)
            return same_event(p, q) ? k : SIZE_MAX;
    }
    return SIZE_MAX;
}

/* The next step of its thread, and that has started. */
static bool is_next(const au_wmodel *x, uint32_t i) {
    const au_step *p = au_wmodel_step(x, x->f->event[i].step);
    return !x->s.stopped[p->thread] && au_wmodel_started(x, p->thread) &&
           x->s.node[p->thread] == p->src && x->s.done[p->thread] + 1 == x->f->event[i].index;
}

static bool accesses(const au_step *p, uint32_t var, bool write) {
    for (uint32_t i = 0; i < p->n_accesses; i++)
        if (p->access[i].var == var && p->access[i].write == write)
            return true;
    return false;
}

static bool race(au_wmodel *x) {
    const au_step *a = au_wmodel_step(x, x->f->event[0].step);
    const au_step *b = au_wmodel_step(x, x->f->event[1].step);
    uint32_t v = x->f->var;
    bool aw = accesses(a, v, true), bw = accesses(b, v, true);
    if (!(aw || accesses(a, v, false)) || !(bw || accesses(b, v, false)) || !(aw || bw))
        return no(x, "its events do not conflict");
    if (a->thread == b->thread || (au_step_is_atomic(a) && au_step_is_atomic(b)))
        return no(x, "its events cannot race");
    return true;
}

static bool atomicity(au_wmodel *x) {
    size_t at[3];
    bool r[3], w[3];
    for (uint32_t i = 0; i < 3; i++) {
        const au_step *p = au_wmodel_step(x, x->f->event[i].step);
        at[i] = place(x, i);
        if (at[i] == SIZE_MAX)
            return no(x, "event %u is not executed", i + 1);
        if (i && at[i] < at[i - 1])
            return no(x, "event %u comes before event %u", i + 1, i);
        r[i] = accesses(p, x->f->var, false);
        w[i] = accesses(p, x->f->var, true);
    }
    uint32_t t = au_wmodel_step(x, x->f->event[0].step)->thread;
    if (t != au_wmodel_step(x, x->f->event[2].step)->thread ||
        t == au_wmodel_step(x, x->f->event[1].step)->thread)
        return no(x, "its events are of the wrong threads");
    return ((r[0] || w[0]) && w[1] && (r[2] || w[2])) || (w[0] && r[1] && w[2]) ||
           no(x, "its accesses are serialisable");
}

static bool assertion(au_wmodel *x) {
    size_t at = place(x, 0);
    if (at == SIZE_MAX)
        return no(x, "the assert is not executed");
    return x->path.at[at].failed || no(x, "the assert holds");
}

static bool holds(const au_wmodel *x, uint32_t obj, uint32_t t) {
    const au_sync_obj *o = &x->m->obj.at[obj];
    if (o->kind > AU_OBJ_RWLOCK)
        return false;
    return x->s.value[o->var[0]] == t + 1 || (o->kind == AU_OBJ_RWLOCK && t < o->per.n &&
                                              o->per.at[t] != AU_NONE && x->s.value[o->per.at[t]]);
}

static bool misuse(au_wmodel *x) {
    const au_step *p = au_wmodel_step(x, x->f->event[0].step);
    uint32_t t = p->thread;
    if (place(x, 0) != SIZE_MAX)
        return (x->f->event[0].index == x->s.done[t] && x->s.node[t] == x->m->thread.at[t].exit &&
                x->f->obj < x->m->obj.n && holds(x, x->f->obj, t)) ||
               no(x, "its thread ends without the lock");
    if (!is_next(x, 0))
        return no(x, "the event is not next");
    bool takes = p->kind == AU_STEP_ACQ || p->kind == AU_STEP_RDACQ || p->kind == AU_STEP_WRACQ;
    if (p->kind == AU_STEP_REL || p->kind == AU_STEP_WAIT || takes)
        if (!au_wmodel_enabled(x, p) && (!takes || (p->blocking && holds(x, p->obj, t))))
            return true;
    return no(x, "the event misuses nothing there");
}

static bool nondet(au_wmodel *x) {
    const au_model_event *e = x->f->event;
    const au_step *p = au_wmodel_step(x, e[1].step);
    uint64_t writer = x->s.writer[x->f->var]; /* of the next step */
    if (place(x, 1) != SIZE_MAX) {
        for (size_t i = 0; i < x->seen.n; i++)
            if (au_wmodel_step(x, x->seen.at[i].step)->thread == p->thread &&
                x->seen.at[i].index == e[1].index && x->seen.at[i].var == x->f->var &&
                !x->seen.at[i].write)
                writer = x->seen.at[i].writer == AU_NONE ? 0 : x->seen.at[i].writer + 1;
    } else if (!is_next(x, 1)) {
        return no(x, "the read is neither executed nor next");
    }
    if (!accesses(p, x->f->var, false))
        return no(x, "event 2 does not read the variable");
    if (e[0].step == AU_NONE ? !writer
                             : writer && same_event(au_wmodel_step(x, (uint32_t)writer - 1),
                                                    au_wmodel_step(x, e[0].step)))
        return true;
    return no(x, "the read sees another write");
}

static bool lost(au_wmodel *x) {
    size_t at[3];
    const char *why = "";
    for (uint32_t i = 0; i < 3; i++) {
        at[i] = place(x, i);
        if (at[i] == SIZE_MAX)
            return no(x, "event %u is not executed", i + 1);
        if (i && at[i] < at[i - 1])
            return no(x, "event %u comes before event %u", i + 1, i);
    }
    uint32_t t = au_wmodel_step(x, x->f->event[0].step)->thread;
    if (t != au_wmodel_step(x, x->f->event[2].step)->thread ||
        t == au_wmodel_step(x, x->f->event[1].step)->thread)
        return no(x, "its events are of the wrong threads");
    return au_wmodel_loses(x, at, &why) || no(x, "%s", why);
}

bool au_wmodel_shows(au_wmodel *x) {
    static const uint32_t events[AU_KINDS] = {2, 3, 0, 1, 2, 1, 3, 0};
    const au_model_finding *f = x->f;
    if (f->kind == AU_KIND_OUTPUT)
        return no(x, "a model writes nothing");
    if (f->kind == AU_KIND_DEADLOCK ? !f->n_events : f->n_events != events[f->kind])
        return no(x, "a %s has not %u events", au_kind_name(f->kind), f->n_events);
    for (uint32_t i = 0; i < f->n_events; i++) {
        if (i == 0 && f->kind == AU_KIND_NONDET && f->event[0].step == AU_NONE)
            continue;
        if (f->event[i].step >= x->m->step.n)
            return no(x, "event %u is no step of the model", i + 1);
        if ((f->kind == AU_KIND_RACE || f->kind == AU_KIND_DEADLOCK) && !is_next(x, i))
            return no(x, "event %u is not next", i + 1);
    }
    switch (f->kind) {
    case AU_KIND_RACE:
        return race(x);
    case AU_KIND_ATOMICITY:
        return atomicity(x);
    case AU_KIND_DEADLOCK:
        return au_wmodel_deadlock(x) || no(x, "not all of them wait for each other");
    case AU_KIND_ASSERTION:
        return assertion(x);
    case AU_KIND_NONDET:
        return nondet(x);
    case AU_KIND_LOST:
        return lost(x);
    default:
        return misuse(x);
    }
}
