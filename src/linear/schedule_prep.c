/* linear/schedule_prep.c: a trace prepared for scheduling.
 *
 * Besides locks, an event may have to wait for events of other threads. Which ones
 * is taken from the trace, where several could do:
 *   first event of a thread    its fork
 *   join                       the last event of the thread
 *   down                       an initial unit or the up that is first not yet used
 *   leave of a barrier         all arrivals of its round: those not yet used when the
 *                              first thread of the round leaves
 *   arrive at a barrier        all arrivals of the round before, and those leaves of it
 *                              that had happened: else it would be part of that round
 *   wake                       the signal that found it waiting (and that in turn waits
 *                              for the wait); none if it woke by itself
 *   once                       the first once of the object
 * Any order that respects these is possible as far as these objects go. */
#include "base/deadline.h"
#include "linear/schedule_priv.h"

#include <stdlib.h>
#include <string.h>

/* For every event of a pass over the trace; false: the time is over, and there will be no scheduler. */
static inline bool in_time(size_t i) {
    enum { SLICE = 1 << 12 };
    return i % SLICE || !au_deadline_step(SLICE);
}

static void add_need(au_scheduler *s, uint32_t event, uint32_t on, bool wake) {
    bool fresh;
    uint64_t *at = au_map_put(&s->need_of, event, &fresh);
    uint32_t next = fresh ? UINT32_MAX : (uint32_t)*at;
    *at = s->need.n;
    au_vec_push(&s->need, ((au_need){on, next, wake}));
}

/* Who waits on a condition, and whether a signal was its. */
typedef struct {
    uint16_t thread;
    uint32_t wait, signal; /* events; signal UINT32_MAX: none yet */
} waiter;

typedef struct {
    uint64_t balance, deficit; /* semaphore, first pass */
    uint64_t initial;          /* units not yet taken */
    AU_VEC(uint32_t) given;    /* ups; arrivals not yet in a round */
    size_t used;
    AU_VEC(waiter) waits;
    AU_VEC(uint32_t) before; /* arrivals and leaves of a barrier's last round */
    uint32_t places;         /* of a barrier, 0 if not known */
    uint32_t first_once;
} object;

typedef struct {
    uint32_t *round;           /* by thread: index in 'rounds' + 1 of the barrier round it is in */
    AU_VEC(uint32_t) arrivals; /* of all rounds */
    AU_VEC(struct span {
        uint32_t from;
        uint32_t to;
    })
    rounds;
} barriers;

static bool is_sem(const au_trace *t, uint32_t obj) {
    return au_names_sync(&t->names, obj).kind == AU_WIRE_OBJ_SEM;
}
static bool is_down(const au_trace *t, au_op op, uint32_t obj) {
    return op == AU_OP_DOWN || (op == AU_OP_ACQ && is_sem(t, obj));
}
static bool is_up(const au_trace *t, au_op op, uint32_t obj) {
    return op == AU_OP_UP || (op == AU_OP_REL && is_sem(t, obj));
}

static void see_leave(au_scheduler *s, object *o, barriers *b, uint16_t thread, uint32_t i) {
    if (!b->round[thread]) { /* the first of its round to leave */
        uint32_t from = (uint32_t)b->arrivals.n;
        size_t n = o->places && o->places < o->given.n ? o->places : o->given.n;
        for (size_t k = 0; k < n; k++) {
            au_vec_push(&b->arrivals, o->given.at[k]);
            b->round[s->t->events.thread[o->given.at[k]]] = (uint32_t)b->rounds.n + 1;
        }
        au_vec_clear(&o->before);
        au_vec_append(&o->before, o->given.at, n);
        memmove(o->given.at, o->given.at + n, (o->given.n - n) * sizeof *o->given.at);
        o->given.n -= n;
        for (size_t j = 0; j < o->given.n; j++) /* came early for the next round */
            for (size_t k = 0; k < o->before.n; k++)
                add_need(s, o->given.at[j], o->before.at[k], false);
        struct span *x = au_vec_add(&b->rounds);
        x->from = from;
        x->to = (uint32_t)b->arrivals.n;
    }
    if (!b->round[thread])
        return;
    struct span x = b->rounds.at[b->round[thread] - 1];
    for (uint32_t k = x.from; k < x.to; k++)
        if (s->t->events.thread[b->arrivals.at[k]] != thread)
            add_need(s, i, b->arrivals.at[k], false);
    b->round[thread] = 0;
    au_vec_push(&o->before, i);
}

static void see_wake(au_scheduler *s, object *o, uint16_t thread, uint32_t i) {
    for (size_t k = 0; k < o->waits.n; k++)
        if (o->waits.at[k].thread == thread) {
            waiter w = o->waits.at[k];
            if (w.signal != UINT32_MAX) {
                s->wakes = true;
                add_need(s, i, w.signal, true);
                add_need(s, w.signal, w.wait, true);
            }
            memmove(o->waits.at + k, o->waits.at + k + 1,
                    (o->waits.n - k - 1) * sizeof *o->waits.at);
            o->waits.n--;
            return;
        }
}

static void see_object(au_scheduler *s, object *o, barriers *b, uint32_t i) {
    const au_columns *e = &s->t->events;
    uint16_t thread = e->thread[i];
    if (is_up(s->t, e->op[i], e->obj[i])) {
        au_vec_push(&o->given, i);
    } else if (is_down(s->t, e->op[i], e->obj[i])) {
        if (o->initial)
            o->initial--;
        else if (o->used < o->given.n)
            add_need(s, i, o->given.at[o->used++], false);
    } else if (e->op[i] == AU_OP_ARRIVE) {
        au_vec_push(&o->given, i);
        for (size_t k = 0; k < o->before.n; k++)
            add_need(s, i, o->before.at[k], false);
    } else if (e->op[i] == AU_OP_LEAVE) {
        see_leave(s, o, b, thread, i);
    } else if (e->op[i] == AU_OP_WAIT) {
        au_vec_push(&o->waits, ((waiter){thread, i, UINT32_MAX}));
    } else if (e->op[i] == AU_OP_SIGNAL || e->op[i] == AU_OP_BROADCAST) {
        for (size_t k = 0; k < o->waits.n; k++)
            if (o->waits.at[k].signal == UINT32_MAX) {
                o->waits.at[k].signal = i;
                if (e->op[i] == AU_OP_SIGNAL)
                    break;
            }
    } else if (e->op[i] == AU_OP_WAKE) {
        see_wake(s, o, thread, i);
    } else if (e->op[i] == AU_OP_ONCE) {
        if (o->first_once == UINT32_MAX)
            o->first_once = i;
        else
            add_need(s, i, o->first_once, false);
    }
}

static void prepare_objects(au_scheduler *s) {
    const au_columns *e = &s->t->events;
    object *obj = au_alloc_array(s->locks + 1, sizeof *obj);
    barriers b = {.round = au_alloc_array(s->threads + 1, sizeof *b.round)};
    for (size_t i = 0; i < e->n && in_time(i); i++) {
        if (au_op_space(e->op[i]) != AU_WIRE_SPACE_LOCK || e->obj[i] >= s->locks)
            continue;
        object *o = &obj[e->obj[i]];
        if (is_up(s->t, e->op[i], e->obj[i])) {
            o->balance++;
        } else if (is_down(s->t, e->op[i], e->obj[i])) {
            if (o->balance)
                o->balance--;
            else
                o->deficit++;
        }
    }
    for (uint32_t l = 0; l < s->locks; l++) {
        struct au_sync_info about = au_names_sync(&s->t->names, l);
        bool told = about.kind == AU_WIRE_OBJ_SEM && about.init >= 0;
        obj[l].initial = told ? (uint64_t)about.init : obj[l].deficit;
        obj[l].first_once = UINT32_MAX;
        obj[l].places =
            about.kind == AU_WIRE_OBJ_BARRIER && about.init > 0 ? (uint32_t)about.init : 0;
    }
    for (size_t i = 0; i < e->n && in_time(i); i++)
        if (au_op_space(e->op[i]) == AU_WIRE_SPACE_LOCK && e->obj[i] < s->locks)
            see_object(s, &obj[e->obj[i]], &b, (uint32_t)i);
    for (uint32_t l = 0; l < s->locks; l++) {
        au_vec_release(&obj[l].given);
        au_vec_release(&obj[l].waits);
        au_vec_release(&obj[l].before);
    }
    free(obj);
    free(b.round);
    au_vec_release(&b.arrivals);
    au_vec_release(&b.rounds);
}

static void prepare_threads(au_scheduler *s) {
    const au_columns *e = &s->t->events;
    s->line = au_alloc_array(s->threads + 1, sizeof *s->line);
    s->index = au_alloc_array(e->n + 1, sizeof *s->index);
    s->writer = au_alloc_array(e->n + 1, sizeof *s->writer);
    uint32_t *last = au_alloc_array((size_t)s->vars + 1, sizeof *last);
    for (size_t i = 0; i < e->n && in_time(i); i++)
        s->line[e->thread[i]].n++;
    s->events = au_alloc_array(e->n + 1, sizeof *s->events);
    uint32_t *at = s->events;
    for (uint32_t t = 0; t < s->threads; t++) {
        s->line[t].at = at;
        at += s->line[t].n;
        s->line[t].n = 0;
    }
    for (size_t i = 0; i < e->n && in_time(i); i++) {
        au_sched_line *l = &s->line[e->thread[i]];
        s->index[i] = l->n;
        l->at[l->n++] = (uint32_t)i;
        if (!au_op_is_access(e->op[i]))
            continue;
        s->writer[i] = last[e->obj[i]];
        if (au_sched_writes(e->op[i]))
            last[e->obj[i]] = (uint32_t)i + 1;
    }
    free(last);
    for (size_t i = 0; i < e->n && in_time(i); i++) {
        if ((e->op[i] != AU_OP_FORK && e->op[i] != AU_OP_JOIN) || e->obj[i] >= s->threads)
            continue;
        const au_sched_line *l = &s->line[e->obj[i]];
        if (!l->n)
            continue;
        if (e->op[i] == AU_OP_FORK)
            add_need(s, l->at[0], (uint32_t)i, false);
        else
            add_need(s, (uint32_t)i, l->at[l->n - 1], false);
    }
}

/* One past the largest operand in a name space. */
static uint32_t used(const au_trace *t, uint8_t space, size_t named) {
    uint32_t n = (uint32_t)named;
    for (size_t i = 0; i < t->events.n; i++)
        if (au_op_space(t->events.op[i]) == space && t->events.obj[i] != AU_NONE &&
            t->events.obj[i] >= n)
            n = t->events.obj[i] + 1;
    return n;
}

au_scheduler *au_scheduler_new(const au_trace *t) {
    if (t->events.n >= UINT32_MAX)
        return NULL;
    au_scheduler *s = AU_NEW(au_scheduler);
    s->t = t;
    s->threads = used(t, AU_WIRE_SPACE_THREAD, t->names.thread.n);
    for (size_t i = 0; i < t->events.n; i++)
        if (t->events.thread[i] >= s->threads)
            s->threads = t->events.thread[i] + 1u;
    s->locks = used(t, AU_WIRE_SPACE_LOCK, t->names.lock.n);
    s->vars = used(t, AU_WIRE_SPACE_VAR, t->names.var.n);
    au_map_init(&s->need_of);
    s->ctx = au_lockctx_new();
    s->state = au_alloc_array(s->threads + 1, sizeof *s->state);
    s->lock = au_alloc_array((size_t)s->locks + 1, sizeof *s->lock);
    s->last = au_alloc_array((size_t)s->vars + 1, sizeof *s->last);
    prepare_threads(s);
    prepare_objects(s);
    if (!au_deadline_over())
        return s;
    au_scheduler_free(s);
    return NULL;
}

void au_scheduler_free(au_scheduler *s) {
    if (!s)
        return;
    for (uint32_t t = 0; t < s->threads; t++) {
        au_vec_release(&s->state[t].held);
        au_vec_release(&s->state[t].open);
    }
    free(s->state);
    free(s->lock);
    free(s->last);
    free(s->line);
    free(s->events);
    free(s->index);
    free(s->writer);
    au_vec_release(&s->need);
    au_vec_release(&s->turn);
    au_vec_release(&s->todo);
    au_vec_release(&s->touched);
    au_map_release(&s->need_of);
    au_lockctx_free(s->ctx);
    free(s);
}
