/* witness/check_step.c: what an event needs, and what it does.
 *
 *   event           needs                                     does
 *   acq wracq       nobody else holds it; its holder again    held by me
 *                   only if it may be recursive
 *   rdacq           nobody else holds it for writing          one more read hold of mine
 *   rel             I hold it (for reading, if anyone does)   one hold less
 *   down, up        down: count > 0                           count down, up
 *   join            all events of the child are executed
 *   leave           the barrier was filled since I arrived
 *   once            it is the trace's first, or that was executed
 *   init            not in use, or used as in the trace       new
 *
 * Signals: which waiter a signal wakes is decided as late as possible. A waiter that
 * wakes uses the oldest unused signal since it began to wait; as those who wait longer
 * can use every signal that it can, no other choice would leave fewer without one. A
 * signal when as many unused ones are there as waiters reaches nobody. */
#include "witness/check_priv.h"

static uint64_t pair(uint32_t obj, uint32_t thread) {
    return (uint64_t)obj << 16 | thread;
}

au_wobj *au_witness_obj(au_checker *c, uint32_t obj) {
    au_wobj *o = &c->obj[obj];
    if (o->run != c->run)
        *o = (au_wobj){.run = c->run, .count = c->kind[obj].sem ? c->kind[obj].init : 0};
    return o;
}

au_wthread *au_witness_thread(au_checker *c, uint32_t thread) {
    au_wthread *t = &c->thread[thread];
    if (t->run != c->run)
        *t = (au_wthread){.run = c->run};
    return t;
}

static au_wvar *var_at(au_checker *c, uint32_t var) {
    au_wvar *v = &c->var[var];
    if (v->run != c->run)
        *v = (au_wvar){.run = c->run};
    return v;
}

uint64_t au_witness_read_holds(const au_checker *c, uint32_t obj, uint32_t thread) {
    const uint64_t *n = au_map_find(&c->reads, pair(obj, thread));
    return n ? *n & UINT32_MAX : 0;
}

/* --- needs ---------------------------------------------------------------------- */

static bool read_by(au_checker *c, uint32_t me, uint32_t obj, char *why, size_t size) {
    uint32_t who = me;
    for (uint32_t t = 0; t < c->threads && who == me; t++)
        if (au_witness_read_holds(c, obj, t))
            who = t;
    unsigned long long since =
        au_hooks_of(&c->t->hooks, (uint16_t)who, *au_map_find(&c->reads, pair(obj, who)) >> 32);
    if (who == me)
        return au_witness_no(why, size, "it holds it for reading since its event %llu", since);
    return au_witness_no(why, size, "%s holds it for reading since its event %llu",
                         AU_THREAD_(c, who), since);
}

bool au_witness_can_take(au_checker *c, uint32_t thread, uint32_t obj, bool shared, char *why,
                         size_t size) {
    const au_wobj *o = au_witness_obj(c, obj);
    if (c->kind[obj].sem)
        return o->count > 0 || au_witness_no(why, size, "its count is %lld", (long long)o->count);
    unsigned long long since =
        o->holder ? au_hooks_of(&c->t->hooks, (uint16_t)(o->holder - 1), o->since) : 0;
    if (o->holder && o->holder != thread + 1)
        return au_witness_no(why, size, "%s holds it since its event %llu",
                             AU_THREAD_(c, o->holder - 1), since);
    if (o->holder && !c->kind[obj].recursive)
        return au_witness_no(why, size, "it holds it since its event %llu, and it is not recursive",
                             since);
    if (o->readers && !shared)
        return read_by(c, thread, obj, why, size);
    return true;
}

static bool can_release(au_checker *c, uint32_t thread, uint32_t obj, char *why, size_t size) {
    const au_wobj *o = au_witness_obj(c, obj);
    if (c->kind[obj].sem)
        return true;
    if (o->holder ? o->holder == thread + 1 : au_witness_read_holds(c, obj, thread))
        return true;
    if (o->holder)
        return au_witness_no(why, size, "%s holds it", AU_THREAD_(c, o->holder - 1));
    return au_witness_no(why, size, o->readers ? "it has no read hold of it" : "nobody holds it");
}

static bool can_join(au_checker *c, uint32_t child, char *why, size_t size) {
    const au_wthread *t = au_witness_thread(c, child);
    uint64_t n = au_witness_length(c, child);
    if (c->fork_of[child] && !t->started)
        return au_witness_no(why, size, "%s has not been forked", AU_THREAD_(c, child));
    if (t->done < n)
        return au_witness_no(why, size, "%s has executed %llu of its %llu events",
                             AU_THREAD_(c, child), (unsigned long long)t->done,
                             (unsigned long long)n);
    return true;
}

bool au_witness_can(au_checker *c, uint32_t e, char *why, size_t size) {
    const au_columns *x = &c->t->events;
    uint32_t obj = x->obj[e], me = x->thread[e];
    au_op op = x->op[e];
    if (c->fork_of[me] && !au_witness_thread(c, me)->started)
        return au_witness_no(why, size, "%s has not been forked", AU_THREAD_(c, me));
    switch (op) {
    case AU_OP_ACQ:
    case AU_OP_WRACQ:
    case AU_OP_DOWN:
    case AU_OP_RDACQ:
        return au_witness_can_take(c, me, obj, op == AU_OP_RDACQ, why, size);
    case AU_OP_REL:
    case AU_OP_UP:
        return can_release(c, me, obj, why, size);
    case AU_OP_JOIN:
        return can_join(c, obj, why, size);
    case AU_OP_LEAVE:
        if (au_witness_obj(c, obj)->times != au_witness_thread(c, me)->mark)
            return true;
        return au_witness_no(why, size, "%lld of %d threads have arrived",
                             (long long)au_witness_obj(c, obj)->count, c->kind[obj].init);
    case AU_OP_ONCE:
        if (c->kind[obj].once == e + 1 || au_witness_obj(c, obj)->count)
            return true;
        return au_witness_no(why, size, "%s, which ran it in the trace, has not come",
                             AU_WHOSE_(c, c->kind[obj].once - 1));
    case AU_OP_INIT: {
        uint32_t use = au_witness_sees(c, e);
        return !use || use == c->saw[e] || au_witness_no(why, size, "it is in use");
    }
    default:
        return true;
    }
}

/* --- effects --------------------------------------------------------------------- */

static void take(au_checker *c, uint32_t me, uint32_t obj, bool shared) {
    au_wobj *o = au_witness_obj(c, obj);
    uint64_t index = au_witness_thread(c, me)->done + 1;
    if (c->kind[obj].sem) {
        o->count--;
    } else if (o->holder) {
        o->again++;
    } else if (shared) {
        uint64_t *n = au_map_put(&c->reads, pair(obj, me), NULL);
        *n = *n & UINT32_MAX ? *n + 1 : index << 32 | 1;
        o->readers++;
    } else {
        o->holder = me + 1;
        o->since = index;
    }
}

static void give(au_checker *c, uint32_t me, uint32_t obj) {
    au_wobj *o = au_witness_obj(c, obj);
    if (c->kind[obj].sem) {
        o->count++;
    } else if (!o->holder) {
        --*au_map_put(&c->reads, pair(obj, me), NULL);
        o->readers--;
    } else if (o->again) {
        o->again--;
    } else {
        o->holder = 0;
    }
}

static void begin_wait(au_checker *c, uint32_t me, uint32_t cond) {
    au_wthread *t = au_witness_thread(c, me);
    t->waits = cond + 1;
    t->mark = c->now;
    au_witness_obj(c, cond)->count++;
}

static void wake(au_checker *c, uint32_t e, uint32_t me, uint32_t cond) {
    au_wthread *t = au_witness_thread(c, me);
    au_wobj *o = au_witness_obj(c, cond);
    if (t->waits && o->times <= t->mark) { /* no broadcast since */
        o->count--;
        size_t i = 0;
        while (i < c->signal.n && (c->signal.at[i].cond != cond || c->signal.at[i].time <= t->mark))
            i++;
        if (i < c->signal.n) {
            memmove(c->signal.at + i, c->signal.at + i + 1,
                    (--c->signal.n - i) * sizeof *c->signal.at);
            o->signals--;
        } else if (!c->spurious) {
            c->spurious = e + 1;
        }
    }
    t->waits = 0;
}

static void broadcast(au_checker *c, uint32_t cond) {
    au_wobj *o = au_witness_obj(c, cond);
    size_t kept = 0;
    for (size_t i = 0; i < c->signal.n; i++)
        if (c->signal.at[i].cond != cond)
            c->signal.at[kept++] = c->signal.at[i];
    c->signal.n = kept;
    o->signals = 0;
    o->count = 0;
    o->times = c->now;
}

/* Who held it holds nothing now; who waits still waits. */
static void make_new(au_checker *c, uint32_t obj) {
    au_wobj *o = au_witness_obj(c, obj);
    for (uint32_t t = 0; t < c->threads && o->readers; t++)
        if (au_witness_read_holds(c, obj, t))
            *au_map_put(&c->reads, pair(obj, t), NULL) = 0;
    o->holder = o->again = o->readers = 0;
    if (c->kind[obj].sem)
        o->count = c->kind[obj].init;
}

static void access_var(au_checker *c, uint32_t e, au_op op) {
    au_wvar *v = var_at(c, c->t->events.obj[e]);
    au_wthread *t = au_witness_thread(c, c->t->events.thread[e]);
    bool odd = false;
    if (op != AU_OP_WRITE && op != AU_OP_AWRITE) {
        odd = v->tainted || v->last != c->saw[e];
        t->odd = odd ? e + 1 : 0;
        t->seen = v->last;
        t->tainted = v->tainted;
    }
    if (op != AU_OP_READ && op != AU_OP_AREAD)
        *v = (au_wvar){.run = c->run, .last = e + 1, .tainted = odd};
}

uint32_t au_witness_sees(au_checker *c, uint32_t e) {
    const au_columns *x = &c->t->events;
    char why[128];
    switch (x->op[e]) {
    case AU_OP_READ:
    case AU_OP_AREAD:
    case AU_OP_RMW:
        return var_at(c, x->obj[e])->last;
    case AU_OP_TRYFAIL:
        return !au_witness_can_take(c, x->thread[e], x->obj[e],
                                    x->any_value && x->has_value[e] && x->value[e] == 1, why,
                                    sizeof why);
    case AU_OP_INIT: {
        const au_wobj *o = au_witness_obj(c, x->obj[e]);
        if (o->holder)
            return 2 + au_witness_event(c, o->holder - 1, o->since);
        return o->readers ||
               (c->kind[x->obj[e]].sem ? o->count != c->kind[x->obj[e]].init : o->count != 0);
    }
    default:
        return 0;
    }
}

void au_witness_do(au_checker *c, uint32_t e) {
    const au_columns *x = &c->t->events;
    uint32_t obj = x->obj[e], me = x->thread[e];
    au_op op = x->op[e];
    au_wthread *t = au_witness_thread(c, me);
    c->now++;
    t->odd = 0;
    switch (op) {
    case AU_OP_READ:
    case AU_OP_WRITE:
    case AU_OP_AREAD:
    case AU_OP_AWRITE:
    case AU_OP_RMW:
        access_var(c, e, op);
        break;
    case AU_OP_ACQ:
    case AU_OP_WRACQ:
    case AU_OP_DOWN:
    case AU_OP_RDACQ:
        take(c, me, obj, op == AU_OP_RDACQ);
        break;
    case AU_OP_REL:
    case AU_OP_UP: {
        give(c, me, obj);
        bool last = t->done + 1 == au_witness_length(c, me);
        uint32_t next = last ? e : au_witness_event(c, me, t->done + 2);
        if (x->op[next] == AU_OP_WAIT)
            begin_wait(c, me, x->obj[next]);
        break;
    }
    case AU_OP_WAIT:
        if (!t->waits)
            begin_wait(c, me, obj);
        break;
    case AU_OP_WAKE:
        wake(c, e, me, obj);
        break;
    case AU_OP_SIGNAL: {
        au_wobj *o = au_witness_obj(c, obj);
        if (o->signals < o->count) {
            au_vec_push(&c->signal, ((struct au_wsignal){obj, c->now}));
            o->signals++;
        }
        break;
    }
    case AU_OP_BROADCAST:
        broadcast(c, obj);
        break;
    case AU_OP_ARRIVE: {
        au_wobj *o = au_witness_obj(c, obj);
        t->mark = o->times;
        if (++o->count == c->kind[obj].init) {
            o->count = 0;
            o->times++;
        }
        break;
    }
    case AU_OP_FORK:
        au_witness_thread(c, obj)->started = true;
        break;
    case AU_OP_ONCE:
        au_witness_obj(c, obj)->count = 1;
        break;
    case AU_OP_TRYFAIL:
        t->odd = c->saw[e] && !au_witness_sees(c, e) ? e + 1 : 0;
        break;
    case AU_OP_INIT:
        make_new(c, obj);
        break;
    default:
        break;
    }
    t->done++;
}
