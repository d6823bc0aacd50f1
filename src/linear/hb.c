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

/* All atomic accesses, by thread. */
typedef struct {
    touch *by;
    uint32_t n;
} touches;

/* One line of the cache. */
typedef struct {
    touch write, read;
    touch *reads;            /* by thread, room for h->room; NULL: it had one reader at a time */
    uint16_t writer, reader; /* AU_NONE16 */
    uint32_t more : 29;      /* index into h->more, if it has had atomics; 0: none */
    uint32_t many : 1, atomic : 1,
        racy : 1; /* many: readers are in 'reads'; atomic: it has atomics */
} variable;
_Static_assert(sizeof(variable) == 64, "variables are one line of the cache");

/* What few variables have. */
typedef struct {
    touches awrites, areads; /* the last atomic ones of each thread */
    au_clock_vec wrote, did; /* clock of the atomic writes; of all atomics */
} extra;

typedef struct {
    au_clock_vec clock;
    uint64_t index;
    uint32_t time;  /* its own entry of 'clock' */
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
enum { NEAR = 6, FAR = 16 }; /* events ahead */

struct au_hb {
    const au_names *names;
    au_race_options o;
    au_findings *out;
    AU_VEC(hb_thread) thread;
    variable *var; /* in 'lines' … */
    size_t n_vars, var_cap;
    char *lines;   /* … at the first whole line */
    uint32_t room; /* threads that 'reads' of variables have room for */
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
        free(x->awrites.by);
        free(x->areads.by);
        au_clock_release(&x->wrote);
        au_clock_release(&x->did);
    }
    for (size_t x = 0; x < h->n_vars; x++)
        free(h->var[x].reads);
    free(h->lines);
    au_vec_release(&h->thread);
    au_vec_release(&h->obj);
    au_vec_release(&h->more);
    au_vec_release(&h->first);
    au_race_seen_release(&h->seen);
    free(h);
}

static touch *grow_touches(touch *by, uint32_t had, uint32_t n) {
    by = au_realloc_array(by, n, sizeof *by);
    memset(by + had, 0, (n - had) * sizeof *by);
    return by;
}

static void grow_threads(au_hb *h, uint16_t t) {
    while (h->thread.n <= t) {
        uint32_t id = (uint32_t)h->thread.n;
        hb_thread *x = au_vec_add(&h->thread);
        *x = (hb_thread){.time = 1};
        au_clock_reach(&x->clock, id + 1);
        x->clock.at[id] = 1;
    }
    if (h->thread.n <= h->room)
        return;
    uint32_t room = ((uint32_t)h->thread.n + h->room / 4 + 7) & ~7u;
    for (size_t x = 0; x < h->n_vars; x++)
        if (h->var[x].reads)
            h->var[x].reads = grow_touches(h->var[x].reads, h->room, room);
    h->room = room;
}

static hb_thread *thread_of(au_hb *h, uint16_t t) {
    if (unlikely(t >= h->thread.n))
        grow_threads(h, t);
    return &h->thread.at[t];
}

static __attribute__((noinline)) variable *grow_vars(au_hb *h, uint32_t x) {
    enum { LINE = sizeof(variable) };
    if (x >= h->var_cap) {
        size_t cap = h->var_cap + h->var_cap / 2 + 64;
        cap = cap > x ? cap : x + (size_t)1;
        char *lines = au_alloc_array(cap + 1, LINE);
        variable *var = (variable *)(void *)(lines + (LINE - (uintptr_t)lines % LINE) % LINE);
        if (h->n_vars)
            memcpy(var, h->var, h->n_vars * LINE);
        free(h->lines);
        h->lines = lines;
        h->var = var;
        h->var_cap = cap;
    }
    while (h->n_vars <= x)
        h->var[h->n_vars++] = (variable){.writer = AU_NONE16, .reader = AU_NONE16};
    return &h->var[x];
}

static variable *var_of(au_hb *h, uint32_t x) {
    return likely(x < h->n_vars) ? &h->var[x] : grow_vars(h, x);
}

static object *obj_of(au_hb *h, uint32_t o) {
    while (h->obj.n <= o)
        memset(au_vec_add(&h->obj), 0, sizeof(object));
    return &h->obj.at[o];
}

static extra *more_of(au_hb *h, variable *v) {
    if (!v->more) {
        AU_BUG_IF(h->more.n >> 29);
        v->more = (uint32_t)h->more.n & ((1u << 29) - 1);
        memset(au_vec_add(&h->more), 0, sizeof(extra));
    }
    return &h->more.at[v->more];
}

/* What t has done is published: what it does from now on is not. */
static void tick(au_hb *h, hb_thread *me, uint16_t t) {
    if (unlikely(me->time == UINT32_MAX - 1))
        h->overflow = true;
    else
        me->clock.at[t] = ++me->time;
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
    variable *v = &h->var[a->var];
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
        if (!au_race_seen_add(&h->seen, a->var, loc1, loc2, 0))
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

static inline bool unordered(const now *a, uint32_t time, uint16_t who) {
    return time > au_clock_of(&a->me->clock, who);
}

static inline bool after_write(const now *a, const variable *v) {
    return v->writer == AU_NONE16 || !unordered(a, v->write.time, v->writer);
}

static inline bool after_read(const now *a, const variable *v) {
    return v->reader == AU_NONE16 || !unordered(a, v->read.time, v->reader);
}

static void against(au_hb *h, const now *a, const touch *by, uint32_t n) {
    for (uint32_t t = 0; t < n; t++)
        if (t != a->thread && unordered(a, by[t].time, (uint16_t)t))
            race(h, a, &by[t], (uint16_t)t);
}

static inline touch touch_now(const now *a) {
    return (touch){.number = a->number,
                   .index = a->me->index,
                   .op = a->op,
                   .time = a->me->time,
                   .loc = a->loc};
}

static void put_touch(touches *x, uint16_t t, touch what) {
    if (unlikely(x->n <= t)) {
        uint32_t n = (t + 1u + 7) & ~7u;
        x->by = grow_touches(x->by, x->n, n);
        x->n = n;
    }
    x->by[t] = what;
}

static void forget(touch *by, uint32_t n) {
    for (uint32_t t = 0; t < n; t++)
        by[t].time = 0;
}

/* Does it repeat an access of the same epoch? One branch instead of many: which it is cannot be foretold. */
static inline bool again(const variable *v, au_op op, uint16_t t, uint32_t time) {
    unsigned read = (v->reader == t) & (v->read.time == time);
    unsigned wrote =
        (v->writer == t) & (v->write.time == time) & (v->reader == AU_NONE16) & !v->many;
    if (((op == AU_OP_READ) & read) | ((op == AU_OP_WRITE) & wrote))
        return true;
    return v->many && op == AU_OP_READ && v->reads[t].time == time;
}

/* A read that is no repetition. */
static inline void on_read(au_hb *h, const now *a, variable *v) {
    if (v->many)
        v->reads[a->thread] = touch_now(a);
    if (!after_write(a, v))
        race(h, a, &v->write, v->writer);
    if (unlikely(v->atomic))
        against(h, a, h->more.at[v->more].awrites.by, h->more.at[v->more].awrites.n);
    if (v->many)
        return;
    if (v->reader == a->thread || after_read(a, v)) {
        v->reader = a->thread;
        v->read = touch_now(a);
        return;
    }
    if (!v->reads)
        v->reads = grow_touches(NULL, 0, h->room);
    v->reads[v->reader] = v->read;
    v->reads[a->thread] = touch_now(a);
    v->many = true;
    v->reader = AU_NONE16;
}

static inline void on_write(au_hb *h, const now *a, variable *v) {
    if (!after_write(a, v))
        race(h, a, &v->write, v->writer);
    if (v->many) {
        against(h, a, v->reads, h->room);
        forget(v->reads, h->room);
        v->many = false;
    } else if (!after_read(a, v)) {
        race(h, a, &v->read, v->reader);
    }
    v->reader = AU_NONE16;
    if (unlikely(v->atomic)) {
        const extra *x = &h->more.at[v->more];
        against(h, a, x->awrites.by, x->awrites.n);
        against(h, a, x->areads.by, x->areads.n);
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
    if (!after_write(a, v))
        race(h, a, &v->write, v->writer);
    if (write && v->many)
        against(h, a, v->reads, h->room);
    else if (write && !after_read(a, v))
        race(h, a, &v->read, v->reader);
    put_touch(write ? &x->awrites : &x->areads, a->thread, touch_now(a));
    au_clock_join(&x->did, &me->clock);
    if (write)
        au_clock_copy(&x->wrote, &x->did);
    tick(h, me, a->thread);
}

/* --- synchronisation ----------------------------------------------------------------- */

/* A new life of the variable: nothing before it races with what comes. */
static void renew(au_hb *h, uint32_t x) {
    variable *v = var_of(h, x);
    if (v->reads)
        forget(v->reads, h->room);
    if (v->more) {
        extra *m = &h->more.at[v->more];
        forget(m->awrites.by, m->awrites.n);
        forget(m->areads.by, m->areads.n);
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

/* What the events to come will look at is brought nearer: in two steps, for the second is found in the first. */
__attribute__((always_inline)) static inline void look_ahead(const au_hb *h, const au_block *b,
                                                             size_t i) {
    if (i + FAR >= b->n)
        return;
    uint32_t far = b->obj[i + FAR], near = b->obj[i + NEAR];
    if (far < h->n_vars)
        __builtin_prefetch(&h->var[far], 1);
    if (near < h->n_vars && h->var[near].many)
        __builtin_prefetch(&h->var[near].reads[b->thread[i + NEAR]].time, 1);
}

au_status au_hb_block(au_hb *h, const au_block *b, au_error *err) {
    for (size_t i = 0; i < b->n; i++) {
        look_ahead(h, b, i);
        au_op op = b->op[i];
        uint16_t t = b->thread[i];
        hb_thread *me = thread_of(h, t);
        me->index++;
        if (unlikely(!au_op_is_access(op))) {
            on_sync(h, op, t, b->obj[i]);
            continue;
        }
        variable *v = var_of(h, b->obj[i]);
        if (again(v, op, t, me->time))
            continue;
        now a = {me, b->first + i, b->obj[i], b->loc[i], t, op};
        if (op == AU_OP_READ)
            on_read(h, &a, v);
        else if (op == AU_OP_WRITE)
            on_write(h, &a, v);
        else
            on_atomic(h, &a, v, me);
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
