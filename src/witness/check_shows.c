/* witness/check_shows.c: is the finding there? */
#include "witness/check_priv.h"

/* --- the finding itself ------------------------------------------------------------- */

static bool is_atomic(au_op op) {
    return op != AU_OP_READ && op != AU_OP_WRITE;
}
static bool can_read(au_op op) {
    return op == AU_OP_READ || op == AU_OP_AREAD || op == AU_OP_RMW;
}
static bool can_write(au_op op) {
    return au_op_is_access(op) && op != AU_OP_READ && op != AU_OP_AREAD;
}

/* Is the access of this kind ('R', 'W', else whatever it is) a write; may it be? */
static bool as_letter(au_op op, char letter, bool *write) {
    *write = letter == 'W' || (letter != 'R' && can_write(op));
    return *write ? can_write(op) : can_read(op);
}

static bool is_pattern(const au_checker *c, const au_finding *f) {
    bool w[3], told = strlen(f->detail) == 3;
    for (int i = 0; i < 3; i++)
        if (!as_letter(c->t->events.op[f->event[i].number], told ? f->detail[i] : 0, &w[i]))
            return false;
    return w[1] || (w[0] && w[2]);
}

bool au_witness_well_formed(const au_checker *c, const au_finding *f, char *why, size_t size) {
    static const uint32_t events[AU_KINDS] = {[AU_KIND_RACE] = 2,
                                              [AU_KIND_ATOMICITY] = 3,
                                              [AU_KIND_NONDET] = 2,
                                              [AU_KIND_MISUSE] = 1,
                                              [AU_KIND_LOST] = 3};
    const au_columns *x = &c->t->events;
    if (f->kind == AU_KIND_OUTPUT)
        return au_witness_no(why, size, "a trace does not hold what was written");
    bool initial = f->kind == AU_KIND_NONDET && f->n_events && f->event[0].number == UINT64_MAX;
    if (f->kind == AU_KIND_DEADLOCK    ? !f->n_events
        : f->kind == AU_KIND_ASSERTION ? f->n_events > 1
                                       : events[f->kind] && f->n_events != events[f->kind])
        return au_witness_no(why, size, "a %s has not %u events", au_kind_name(f->kind),
                             f->n_events);
    for (uint32_t i = initial; i < f->n_events; i++) {
        const au_event_ref *v = &f->event[i];
        if (v->thread >= c->threads || v->index == 0 ||
            v->index > au_witness_length(c, v->thread) ||
            au_witness_event(c, v->thread, v->index) != v->number)
            return au_witness_no(why, size, "event %u of the finding is none of the trace", i + 1);
    }
    if (f->kind > AU_KIND_ATOMICITY && f->kind != AU_KIND_NONDET && f->kind != AU_KIND_LOST)
        return true;
    uint32_t last = f->n_events - 1, var = x->obj[f->event[last].number];
    for (uint32_t i = initial; i < f->n_events; i++)
        if (!au_op_is_access(x->op[f->event[i].number]) || x->obj[f->event[i].number] != var ||
            (f->obj != AU_NONE && f->obj != var))
            return au_witness_no(why, size, "its events are not accesses of one variable");
    au_op op0 = initial ? AU_OP_WRITE : x->op[f->event[0].number], op1 = x->op[f->event[1].number];
    if (f->kind == AU_KIND_NONDET)
        return (can_write(op0) && can_read(op1)) ||
               au_witness_no(why, size, "its events are not a write and a read");
    if (f->event[0].thread == f->event[1].thread ||
        (f->n_events == 3 && f->event[0].thread != f->event[2].thread))
        return au_witness_no(why, size, "its events are of the wrong threads");
    if (f->kind == AU_KIND_LOST)
        return (can_read(op0) && can_write(op1) && can_write(x->op[f->event[2].number])) ||
               au_witness_no(why, size, "its events are not a read and two writes");
    if (f->kind == AU_KIND_ATOMICITY)
        return is_pattern(c, f) || au_witness_no(why, size, "its accesses are serialisable");
    if (!can_write(op0) && !can_write(op1))
        return au_witness_no(why, size, "neither access is a write");
    return !(is_atomic(op0) && is_atomic(op1)) || au_witness_no(why, size, "both are atomic");
}

/* --- deadlock --------------------------------------------------------------------------
 * A thread of the set waits for good if what it waits for could only come from
 * threads of the set, or from ones that have ended. */

static au_op last_op(const au_checker *c, uint32_t t) {
    uint64_t n = au_witness_length(c, t);
    return n ? c->t->events.op[au_witness_event(c, t, n)] : AU_OP_EXIT;
}

/* What comes next in this thread is not in the trace: that was cut there, or its last
 * read saw another write. It may do anything. */
static bool unknown(au_checker *c, uint32_t t) {
    const au_wthread *u = au_witness_thread(c, t);
    return (u->odd && !c->locks_only) ||
           (u->done >= c->acts[t] && c->t->incomplete && last_op(c, t) != AU_OP_EXIT);
}

/* Nothing that it does or needs is left; it was not in the middle of something either. */
static bool ended(au_checker *c, uint32_t t) {
    au_op last = last_op(c, t);
    return au_witness_thread(c, t)->done >= c->acts[t] &&
           (!c->fork_of[t] || c->thread[t].started) && !unknown(c, t) && last != AU_OP_WAIT &&
           last != AU_OP_WAKE && last != AU_OP_ARRIVE && last != AU_OP_REQ;
}

/* Outside the set, and will run or may be made to. */
static bool may_act(au_checker *c, uint32_t t) {
    for (uint32_t i = 0; i <= c->threads; i++) {
        if (au_witness_thread(c, t)->member || ended(c, t))
            return false;
        if (!c->fork_of[t] || c->thread[t].started)
            return true;
        t = c->t->events.thread[c->fork_of[t] - 1];
    }
    return false; /* threads that fork each other */
}

/* How many threads outside could still signal, arrive at, or release the object. */
static uint32_t givers(au_checker *c, uint32_t obj) {
    uint32_t n = 0;
    for (uint32_t t = 0; t < c->threads; t++) {
        const uint64_t *last = au_map_find(&c->gives, (uint64_t)obj << 16 | t);
        n += (unknown(c, t) || (last && *last > au_witness_thread(c, t)->done)) && may_act(c, t);
    }
    return n;
}

/* A lock that the thread cannot take now and never will. */
static bool lock_is_lost(au_checker *c, uint32_t me, uint32_t obj, bool shared, char *why,
                         size_t size) {
    const au_wobj *o = au_witness_obj(c, obj);
    if (au_witness_can_take(c, me, obj, shared, why, size))
        return au_witness_no(why, size, "it can be executed");
    if (c->kind[obj].sem)
        return !givers(c, obj) || au_witness_no(why, size, "others could still give it");
    if (o->holder == me + 1 || (o->holder && !may_act(c, o->holder - 1)))
        return true;
    for (uint32_t t = 0; t < c->threads && !o->holder; t++)
        if (au_witness_read_holds(c, obj, t) && (t == me || !may_act(c, t)))
            return true;
    size_t n = strlen(why); /* "T3 holds it …" */
    return au_witness_no(why + n, size - n, " and is not in the set");
}

/* All signals that nobody used may have been for waiters outside the set: then a
 * member has none. Who waits longer can have had every signal that a later one can. */
static bool unsignalled(au_checker *c, uint32_t me, uint32_t cond) {
    uint64_t mark = au_witness_thread(c, me)->mark, n = 0;
    if (au_witness_obj(c, cond)->times > mark)
        return false;
    for (size_t i = 0; i < c->signal.n; i++) {
        uint64_t others = 0;
        if (c->signal.at[i].cond != cond)
            continue;
        n++;
        for (uint32_t t = 0; t < c->threads; t++) {
            const au_wthread *u = au_witness_thread(c, t);
            others += u->waits == cond + 1 && !u->member && u->mark < c->signal.at[i].time &&
                      u->mark > au_witness_obj(c, cond)->times;
        }
        if (others < n)
            return false;
    }
    return true;
}

static bool waits_for_good(au_checker *c, uint32_t e, char *why, size_t size) {
    const au_columns *x = &c->t->events;
    uint32_t me = x->thread[e], obj = x->obj[e];
    const au_wthread *t = au_witness_thread(c, me);
    switch (x->op[e]) {
    case AU_OP_REQ: {
        bool more = t->done + 2 <= au_witness_length(c, me);
        uint32_t next = more ? au_witness_event(c, me, t->done + 2) : e;
        bool shared = x->op[next] == AU_OP_RDACQ && x->obj[next] == obj;
        if (x->obj[next] == obj && au_columns_tried(x, next))
            return au_witness_no(why, size, "it is only tried");
        return lock_is_lost(c, me, obj, shared, why, size);
    }
    case AU_OP_ACQ:
    case AU_OP_WRACQ:
    case AU_OP_DOWN:
    case AU_OP_RDACQ:
        if (au_columns_tried(x, e))
            return au_witness_no(why, size, "it is only tried");
        return lock_is_lost(c, me, obj, x->op[e] == AU_OP_RDACQ, why, size);
    case AU_OP_WAKE:
        if (unsignalled(c, me, obj) && !givers(c, obj))
            return true;
        if (t->done >= 2 &&
            lock_is_lost(c, me, x->obj[au_witness_event(c, me, t->done - 1)], false, why, size))
            return true;
        return au_witness_no(why, size, "it has or could get a signal");
    default:
        break;
    }
    if (au_witness_can(c, e, why, size))
        return au_witness_no(why, size, "it can be executed");
    if (x->op[e] == AU_OP_JOIN) /* one that has ended only has to be brought to its last event */
        return (!may_act(c, obj) && !ended(c, obj)) ||
               au_witness_no(why, size, "%s is not in the set", AU_THREAD_(c, obj));
    if (x->op[e] == AU_OP_LEAVE)
        return givers(c, obj) < c->kind[obj].init - au_witness_obj(c, obj)->count ||
               au_witness_no(why, size, "others could still arrive");
    if (x->op[e] == AU_OP_ONCE && c->kind[obj].init == AU_WIRE_ONCE_ASSUMED)
        return au_witness_no(why, size, "that it comes later is only assumed");
    if (x->op[e] == AU_OP_ONCE)
        return !may_act(c, x->thread[c->kind[obj].once - 1]) ||
               au_witness_no(why, size, "its first could still come");
    return false;
}

static bool deadlock(au_checker *c, const au_finding *f, char *why, size_t size) {
    for (uint32_t i = 0; i < f->n_events; i++)
        au_witness_thread(c, f->event[i].thread)->member = false;
    for (uint32_t i = 0; i < f->n_events; i++) {
        au_wthread *t = au_witness_thread(c, f->event[i].thread);
        if (t->member)
            return au_witness_no(why, size, "%s is in the set twice",
                                 AU_THREAD_(c, f->event[i].thread));
        t->member = true;
    }
    for (uint32_t i = 0; i < f->n_events; i++) {
        char inner[160];
        uint32_t e = (uint32_t)f->event[i].number;
        if (!waits_for_good(c, e, inner, sizeof inner))
            return au_witness_no(why, size, "%s does not wait for the others: %.150s",
                                 AU_WHOSE_(c, e), inner);
    }
    return true;
}

/* --- misuse ------------------------------------------------------------------------------ */

static bool holds_any(au_checker *c, uint32_t t, uint32_t which) {
    for (uint32_t l = 0; l < c->t->names.lock.n; l++)
        if (which == AU_NONE || which == l) {
            const au_wobj *o = au_witness_obj(c, l);
            if (o->holder == t + 1 || (o->readers && au_witness_read_holds(c, l, t)))
                return true;
        }
    return false;
}

static bool misuse(au_checker *c, const au_finding *f, char *why, size_t size) {
    const au_columns *x = &c->t->events;
    uint32_t e = (uint32_t)f->event[0].number, me = x->thread[e], obj = x->obj[e];
    bool can = au_witness_can(c, e, why, size);
    switch (x->op[e]) {
    case AU_OP_REL:
        if (!can)
            return true;
        break;
    case AU_OP_ACQ:
    case AU_OP_WRACQ:
    case AU_OP_RDACQ:
        if (!can && holds_any(c, me, obj))
            return true;
        break;
    case AU_OP_DESTROY:
        if (au_witness_obj(c, obj)->holder || au_witness_obj(c, obj)->readers)
            return true;
        break;
    case AU_OP_WAIT:
        if (!c->thread[me].waits)
            return true;
        break;
    default:
        break;
    }
    if (can && f->event[0].index == au_witness_length(c, me)) {
        au_witness_do(c, e);
        if (holds_any(c, me, f->obj))
            return true;
    }
    return au_witness_no(why, size, "%s misuses nothing there", AU_WHOSE_(c, e));
}

bool au_witness_shows_at_end(au_checker *c, const au_finding *f, char *why, size_t size) {
    if (f->kind == AU_KIND_ASSERTION)
        return au_witness_no(why, size, "a trace has no assertions");
    for (uint32_t i = 0; i < f->n_events; i++) {
        uint32_t t = f->event[i].thread;
        uint64_t next = au_witness_thread(c, t)->done + 1;
        if (next != f->event[i].index)
            return au_witness_no(why, size, "%s is not next: %s has executed %llu events",
                                 AU_WHOSE_(c, (uint32_t)f->event[i].number), AU_THREAD_(c, t),
                                 (unsigned long long)next - 1);
        if (c->fork_of[t] && !c->thread[t].started)
            return au_witness_no(why, size, "%s is not next: %s has not been forked",
                                 AU_WHOSE_(c, (uint32_t)f->event[i].number), AU_THREAD_(c, t));
    }
    if (f->kind == AU_KIND_DEADLOCK)
        return deadlock(c, f, why, size);
    return f->kind != AU_KIND_MISUSE || misuse(c, f, why, size);
}
