/* linear/hb.c: happens-before races with epochs.
 *
 * The time of a thread is a number that goes up when it publishes what it has done
 * (release, fork, …). An epoch is a thread and its time; an access is ordered before what
 * a thread does now if that thread's clock has reached its epoch. Most accesses repeat
 * one of the same epoch, which changes nothing. */
#include "linear/hb.h"

#include "linear/hb_clock.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

typedef struct {
    uint64_t number; /* of the event, as in au_event_ref */
    uint64_t index : 56, op : 8;
    uint32_t time; /* 0: no access */
    uint32_t loc;
} touch;

/* Reads since the last write that are not ordered with each other; all atomic accesses. */
typedef struct {
    touch *by; /* by thread */
    uint32_t n;
} touches;

typedef struct {
    touch write, read;
    uint16_t writer, reader; /* AU_NONE16 */
    bool many, atomic;       /* many: readers are in 'reads'; atomic: it has atomics */
    bool racy;
    uint32_t more; /* index into h->more, if many or atomic or renewed; 0: none */
} variable;

/* What few variables have. */
typedef struct {
    touches reads;
    touches awrites, areads; /* the last atomic ones of each thread */
    au_clock_vec wrote, did; /* clock of the atomic writes; of all atomics */
} extra;

typedef struct {
    au_clock_vec clock;
    uint64_t index;
    uint32_t round; /* of the barrier it has arrived at */
} hb_thread;

/* Any synchronisation object. */
typedef struct {
    au_clock_vec clock; /* what an acquire learns */
    au_clock_vec readers;
    uint32_t holder, depth; /* exclusively: thread + 1 */
    struct rounds *barrier;
} object;

/* Arrivals of this round, of the one before, and of all. */
struct rounds {
    au_clock_vec now, last, ever;
    uint32_t number;
    bool leaving;
};

enum { CACHE = 1024 };

struct au_hb {
    const au_names *names;
    au_race_options o;
    au_findings *out;
    AU_VEC(hb_thread) thread;
    AU_VEC(variable) var;
    AU_VEC(object) obj;
    AU_VEC(extra) more; /* [0] is unused */
    au_race_seen seen;
    struct {
        uint32_t var, loc1, loc2;
    } cache[CACHE]; /* pairs known to be in 'seen' */
    uint64_t pairs, racy;
    uint64_t first_event; /* the first event with a race */
    AU_VEC(bool) first;   /* by finding */
    bool overflow;
    bool tried; /* a try has failed: what came of it depends on an order that is no edge */
};

au_hb *au_hb_new(const au_names *names, const au_race_options *o, au_findings *out) {
    au_hb *h = AU_NEW(au_hb);
    h->names = names;
    h->o = *o;
    h->out = out;
    h->first_event = UINT64_MAX;
    au_race_seen_init(&h->seen);
    memset(h->cache, 0xff, sizeof h->cache);
    memset(au_vec_add(&h->more), 0, sizeof(extra));
    return h;
}

void au_hb_free(au_hb *h) {
    if (!h)
        return;
    for (size_t t = 0; t < h->thread.n; t++)
        au_clock_release(&h->thread.at[t].clock);
    for (size_t k = 0; k < h->obj.n; k++) {
        object *o = &h->obj.at[k];
        au_clock_release(&o->clock);
        au_clock_release(&o->readers);
        if (!o->barrier)
            continue;
        au_clock_release(&o->barrier->now);
        au_clock_release(&o->barrier->last);
        au_clock_release(&o->barrier->ever);
        free(o->barrier);
    }
    for (size_t k = 0; k < h->more.n; k++) {
        extra *x = &h->more.at[k];
        free(x->reads.by);
        free(x->awrites.by);
        free(x->areads.by);
        au_clock_release(&x->wrote);
        au_clock_release(&x->did);
    }
    au_vec_release(&h->thread);
    au_vec_release(&h->var);
    au_vec_release(&h->obj);
    au_vec_release(&h->more);
    au_vec_release(&h->first);
    au_race_seen_release(&h->seen);
    free(h);
}

static void grow_threads(au_hb *h, uint16_t t) {
    while (h->thread.n <= t) {
        uint32_t id = (uint32_t)h->thread.n;
        hb_thread *x = au_vec_add(&h->thread);
        *x = (hb_thread){0};
        au_clock_reach(&x->clock, id + 1);
        x->clock.at[id] = 1;
    }
}

static hb_thread *thread_of(au_hb *h, uint16_t t) {
    if (unlikely(t >= h->thread.n))
        grow_threads(h, t);
    return &h->thread.at[t];
}

static variable *grow_vars(au_hb *h, uint32_t x) {
    while (h->var.n <= x)
        *au_vec_add(&h->var) = (variable){.writer = AU_NONE16, .reader = AU_NONE16};
    return &h->var.at[x];
}

static object *obj_of(au_hb *h, uint32_t o) {
    while (h->obj.n <= o)
        memset(au_vec_add(&h->obj), 0, sizeof(object));
    return &h->obj.at[o];
}

static extra *more_of(au_hb *h, variable *v) {
    if (!v->more) {
        v->more = (uint32_t)h->more.n;
        memset(au_vec_add(&h->more), 0, sizeof(extra));
    }
    return &h->more.at[v->more];
}

/* What t has done is published: what it does from now on is not. */
static void tick(au_hb *h, hb_thread *me, uint16_t t) {
    if (unlikely(me->clock.at[t] == UINT32_MAX - 1))
        h->overflow = true;
    else
        me->clock.at[t]++;
}

/* --- races --------------------------------------------------------------------------- */

/* The access in hand. */
typedef struct {
    const hb_thread *me;
    uint64_t number;
    uint32_t var, loc;
    uint16_t thread;
    au_op op;
} now;

static __attribute__((noinline)) void race(au_hb *h, const now *a, const touch *old, uint16_t who) {
    h->pairs++;
    variable *v = &h->var.at[a->var];
    uint32_t loc1 = old->loc < a->loc ? old->loc : a->loc;
    uint32_t loc2 = old->loc < a->loc ? a->loc : old->loc;
    uint32_t slot = (a->var * 0x9e3779b1u ^ loc1 * 0x85ebca6bu ^ loc2 * 0xc2b2ae35u) >> 22;
    if (!h->o.all) {
        if (h->cache[slot].var == a->var && h->cache[slot].loc1 == loc1 &&
            h->cache[slot].loc2 == loc2)
            return;
        h->cache[slot].var = a->var;
        h->cache[slot].loc1 = loc1;
        h->cache[slot].loc2 = loc2;
        if (!au_race_seen_add(&h->seen, a->var, loc1, loc2))
            return;
    }
    if (h->first_event == UINT64_MAX)
        h->first_event = a->number;
    au_finding *f = au_findings_add(h->out, AU_KIND_RACE, 2);
    f->obj = a->var;
    f->event[0] = (au_event_ref){old->number, old->index, a->var, old->loc, who, old->op};
    f->event[1] = (au_event_ref){a->number, a->me->index, a->var, a->loc, a->thread, a->op};
    f->detail = au_race_detail(old->op, a->op);
    au_finding_because(f, a->number == h->first_event && !h->tried ? AU_WHY_HB_FIRST : AU_WHY_HB);
    au_vec_push(&h->first, !v->racy);
    h->racy += !v->racy;
    v->racy = true;
    if (h->o.found)
        h->o.found(h->o.ctx, f);
}

static inline bool unordered(const now *a, const touch *old, uint16_t who) {
    return old->time > au_clock_of(&a->me->clock, who);
}

static void against(au_hb *h, const now *a, const touches *old) {
    for (uint32_t t = 0; t < old->n; t++)
        if (t != a->thread && unordered(a, &old->by[t], (uint16_t)t))
            race(h, a, &old->by[t], (uint16_t)t);
}

static touch *touch_by(touches *x, uint16_t t) {
    if (x->n <= t) {
        x->by = au_realloc_array(x->by, t + 1u, sizeof *x->by);
        memset(x->by + x->n, 0, (t + 1u - x->n) * sizeof *x->by);
        x->n = t + 1u;
    }
    return &x->by[t];
}

static void forget(touches *x) {
    for (uint32_t t = 0; t < x->n; t++)
        x->by[t].time = 0;
}

static inline touch touch_now(const now *a) {
    return (touch){.number = a->number,
                   .index = a->me->index,
                   .op = a->op,
                   .time = a->me->clock.at[a->thread],
                   .loc = a->loc};
}

static void on_read(au_hb *h, const now *a, variable *v) {
    uint32_t time = a->me->clock.at[a->thread];
    if (likely(v->reader == a->thread && v->read.time == time))
        return;
    if (v->many) {
        touch *mine = touch_by(&h->more.at[v->more].reads, a->thread);
        if (mine->time == time)
            return;
        *mine = touch_now(a);
    }
    if (v->writer != AU_NONE16 && unordered(a, &v->write, v->writer))
        race(h, a, &v->write, v->writer);
    if (unlikely(v->atomic))
        against(h, a, &h->more.at[v->more].awrites);
    if (v->many)
        return;
    if (v->reader == AU_NONE16 || v->reader == a->thread || !unordered(a, &v->read, v->reader)) {
        v->reader = a->thread;
        v->read = touch_now(a);
        return;
    }
    extra *x = more_of(h, v);
    *touch_by(&x->reads, v->reader) = v->read;
    *touch_by(&x->reads, a->thread) = touch_now(a);
    v->many = true;
    v->reader = AU_NONE16;
}

static void on_write(au_hb *h, const now *a, variable *v) {
    uint32_t time = a->me->clock.at[a->thread];
    if (v->writer == a->thread && v->write.time == time && v->reader == AU_NONE16 && !v->many)
        return;
    if (v->writer != AU_NONE16 && unordered(a, &v->write, v->writer))
        race(h, a, &v->write, v->writer);
    if (v->many) {
        extra *x = &h->more.at[v->more];
        against(h, a, &x->reads);
        forget(&x->reads);
        v->many = false;
    } else if (v->reader != AU_NONE16 && unordered(a, &v->read, v->reader)) {
        race(h, a, &v->read, v->reader);
    }
    v->reader = AU_NONE16;
    if (unlikely(v->atomic)) {
        extra *x = &h->more.at[v->more];
        against(h, a, &x->awrites);
        against(h, a, &x->areads);
    }
    v->writer = a->thread;
    v->write = touch_now(a);
}

/* An atomic access: ordered with the other atomics first, then compared with plain ones. */
static void on_atomic(au_hb *h, const now *a, variable *v, hb_thread *me) {
    bool write = a->op != AU_OP_AREAD;
    extra *x = more_of(h, v);
    v->atomic = true;
    au_clock_join(&me->clock, write ? &x->did : &x->wrote);
    if (v->writer != AU_NONE16 && unordered(a, &v->write, v->writer))
        race(h, a, &v->write, v->writer);
    if (write && v->many)
        against(h, a, &x->reads);
    else if (write && v->reader != AU_NONE16 && unordered(a, &v->read, v->reader))
        race(h, a, &v->read, v->reader);
    *touch_by(write ? &x->awrites : &x->areads, a->thread) = touch_now(a);
    au_clock_join(&x->did, &me->clock);
    if (write)
        au_clock_copy(&x->wrote, &x->did);
    tick(h, me, a->thread);
}

/* --- synchronisation ----------------------------------------------------------------- */

/* A new life of the variable: nothing before it races with what comes. */
static void renew(au_hb *h, uint32_t x) {
    variable *v = x < h->var.n ? &h->var.at[x] : grow_vars(h, x);
    if (v->more) {
        extra *m = &h->more.at[v->more];
        forget(&m->reads);
        forget(&m->awrites);
        forget(&m->areads);
        m->wrote.n = m->did.n = 0;
    }
    v->writer = v->reader = AU_NONE16;
    v->many = v->atomic = false;
}

static void arrive(object *o, hb_thread *me) {
    if (!o->barrier)
        o->barrier = AU_NEW(struct rounds);
    struct rounds *b = o->barrier;
    if (b->leaving) {
        au_clock_copy(&b->last, &b->now);
        b->now.n = 0;
        b->leaving = false;
        b->number++;
    }
    me->round = b->number;
    au_clock_join(&b->now, &me->clock);
    au_clock_join(&b->ever, &me->clock);
}

static void leave(object *o, hb_thread *me) {
    struct rounds *b = o->barrier;
    if (!b)
        return;
    b->leaving |= me->round == b->number;
    au_clock_join(&me->clock, me->round == b->number       ? &b->now
                              : me->round + 1 == b->number ? &b->last
                                                           : &b->ever);
}

static void on_release(object *o, hb_thread *me, uint16_t t) {
    if (o->holder == t + 1u) {
        au_clock_copy(&o->clock, &me->clock);
        o->readers.n = 0; /* their releases are in this clock */
        if (--o->depth == 0)
            o->holder = 0;
    } else {
        au_clock_join(&o->readers, &me->clock);
    }
}

static void on_acquire(object *o, hb_thread *me, uint16_t t) {
    au_clock_join(&me->clock, &o->clock);
    if (o->readers.n)
        au_clock_join(&me->clock, &o->readers);
    o->depth = o->holder == t + 1u ? o->depth + 1 : 1;
    o->holder = t + 1u;
}

static void on_sync(au_hb *h, au_op op, uint16_t t, uint32_t obj) {
    if (op == AU_OP_BEGIN || op == AU_OP_END || op >= AU_OP_CALL)
        return;
    hb_thread *me = &h->thread.at[t];
    object *o = NULL;
    if (au_op_space(op) == AU_WIRE_SPACE_LOCK) {
        o = obj_of(h, obj);
        if ((op == AU_OP_ACQ || op == AU_OP_REL) && h->names &&
            au_names_sync(h->names, obj).kind == AU_WIRE_OBJ_SEM)
            op = op == AU_OP_ACQ ? AU_OP_DOWN : AU_OP_UP;
    }
    switch (op) {
    case AU_OP_ACQ:
    case AU_OP_WRACQ:
        on_acquire(o, me, t);
        break;
    case AU_OP_RDACQ:
        au_clock_join(&me->clock, &o->clock);
        break;
    case AU_OP_REL:
        on_release(o, me, t);
        tick(h, me, t);
        break;
    case AU_OP_FORK: {
        hb_thread *child = thread_of(h, (uint16_t)obj);
        me = &h->thread.at[t]; /* may have moved */
        au_clock_join(&child->clock, &me->clock);
        tick(h, me, t);
        break;
    }
    case AU_OP_JOIN: {
        const hb_thread *child = thread_of(h, (uint16_t)obj);
        me = &h->thread.at[t];
        au_clock_join(&me->clock, &child->clock);
        break;
    }
    case AU_OP_DOWN:
    case AU_OP_WAKE:
        au_clock_join(&me->clock, &o->clock);
        break;
    case AU_OP_UP:
    case AU_OP_SIGNAL:
    case AU_OP_BROADCAST:
        au_clock_join(&o->clock, &me->clock);
        tick(h, me, t);
        break;
    case AU_OP_ONCE:
        if (o->clock.n) {
            au_clock_join(&me->clock, &o->clock);
        } else {
            au_clock_copy(&o->clock, &me->clock);
            tick(h, me, t);
        }
        break;
    case AU_OP_ARRIVE:
        arrive(o, me);
        tick(h, me, t);
        break;
    case AU_OP_LEAVE:
        leave(o, me);
        break;
    case AU_OP_INIT:
    case AU_OP_DESTROY:
        au_clock_join(&me->clock, &o->clock);
        au_clock_join(&me->clock, &o->readers);
        au_clock_copy(&o->clock, &me->clock);
        o->holder = o->depth = 0;
        tick(h, me, t);
        break;
    case AU_OP_TRYFAIL:
        h->tried = true;
        break;
    case AU_OP_ALLOC:
        renew(h, obj);
        break;
    default:
        break;
    }
}

static void on_event(au_hb *h, const now *a) {
    variable *v = likely(a->var < h->var.n) ? &h->var.at[a->var] : grow_vars(h, a->var);
    if (a->op == AU_OP_READ)
        on_read(h, a, v);
    else if (a->op == AU_OP_WRITE)
        on_write(h, a, v);
    else
        on_atomic(h, a, v, &h->thread.at[a->thread]);
}

au_status au_hb_block(au_hb *h, const au_block *b, au_error *err) {
    for (size_t i = 0; i < b->n; i++) {
        au_op op = b->op[i];
        uint16_t t = b->thread[i];
        hb_thread *me = thread_of(h, t);
        me->index++;
        if (likely(au_op_is_access(op))) {
            now a = {me, b->first + i, b->obj[i], b->loc[i], t, op};
            on_event(h, &a);
        } else {
            on_sync(h, op, t, b->obj[i]);
        }
    }
    if (h->overflow)
        return au_error_set(err, AU_EUNSUPPORTED,
                            "a thread synchronises more often than happens-before can count");
    return AU_OK;
}

uint64_t au_hb_pairs(const au_hb *h) {
    return h->pairs;
}

uint64_t au_hb_racy(const au_hb *h) {
    return h->racy;
}

bool au_hb_first_of_variable(const au_hb *h, size_t finding) {
    return finding < h->first.n && h->first.at[finding];
}
