/* linear/syncp.c: one pass over the trace for what closures need: what each thread
 * knows of the others by C1 and C3, and the critical sections.
 *
 * What a thread knows is a row of numbers, stored only when it changes. A read changes it
 * only if the write it sees is news, so most reads cost one comparison. */
#include "linear/syncp_priv.h"

#include "base/big.h"
#include "base/deadline.h"

enum { SLICE = 1 << 12 }; /* events between two looks at the clock */

/* An event as others may depend on it. */
typedef struct {
    uint32_t pos, clock; /* pos 0: none */
    uint16_t thread;
} point;

/* Objects other than plain locks and variables, and both if they are made anew. */
typedef struct {
    uint32_t *used; /* all operations so far that count; NULL: none */
    point birth;    /* the last init or alloc */
    bool renewed;   /* has an init, destroy, alloc or free somewhere */
} past;

typedef struct {
    au_syncp *s;
    au_held *held;
    uint32_t *knows; /* by thread: a row; its own entry is its number of events */
    uint32_t *clock; /* by thread: the stored row that equals it, own entry aside */
    point *writer;   /* by variable: the last write */
    past *obj;       /* by lock */
    past *var;       /* by variable, NULL if no variable is renewed */
    uint32_t *open;  /* by lane: its open section + 1 */
    size_t open_cap;
    au_map lane_of; /* lock << 17 | thread << 1 | shared -> lane + 1 */
    bool changed;
} builder;

static uint32_t *row(builder *b, uint16_t t) {
    return b->knows + (size_t)t * b->s->n_threads;
}

static void learn_row(builder *b, uint16_t t, const uint32_t *other) {
    uint32_t *mine = row(b, t), changed = 0;
    for (uint32_t k = 0; k < b->s->n_threads; k++) {
        changed |= other[k] > mine[k];
        mine[k] = other[k] > mine[k] ? other[k] : mine[k];
    }
    b->changed |= changed;
}

static void learn(builder *b, uint16_t t, point p) {
    if (!p.pos || row(b, t)[p.thread] >= p.pos)
        return; /* whoever knows an event knows its past */
    learn_row(b, t, au_clock_row(b->s, p.clock));
    row(b, t)[p.thread] = p.pos;
    b->changed = true;
}

/* The row of t has changed from its event 'pos' on. */
static void store(builder *b, uint16_t t, uint32_t pos) {
    au_syncp *s = b->s;
    if (s->n_clocks == s->clock_cap) {
        size_t cap = s->clock_cap + s->clock_cap / 2 + 64;
        s->clock = au_big_grow(s->clock, s->clock_cap * s->n_threads, cap * s->n_threads,
                               sizeof *s->clock);
        s->clock_cap = cap;
    }
    b->clock[t] = (uint32_t)s->n_clocks++;
    memcpy(s->clock + (size_t)b->clock[t] * s->n_threads, row(b, t),
           s->n_threads * sizeof *s->clock);
    s->clock[(size_t)b->clock[t] * s->n_threads + t] = pos;
    au_vec_push(&s->thread[t].change, ((au_change){pos, b->clock[t]}));
    b->changed = false;
}

static void use(builder *b, past *p, uint16_t t) {
    if (!p->used)
        p->used = au_alloc_array(b->s->n_threads, sizeof *p->used);
    const uint32_t *mine = row(b, t);
    for (uint32_t k = 0; k < b->s->n_threads; k++)
        p->used[k] = mine[k] > p->used[k] ? mine[k] : p->used[k];
}

static void follow(builder *b, const past *p, uint16_t t) {
    if (p->used)
        learn_row(b, t, p->used);
}

/* --- critical sections ------------------------------------------------------------ */

static uint32_t lane_of(builder *b, uint32_t lock, uint16_t t, bool shared) {
    au_syncp *s = b->s;
    uint64_t *at = au_map_put(&b->lane_of, (uint64_t)lock << 17 | (uint64_t)t << 1 | shared, NULL);
    if (*at)
        return (uint32_t)*at - 1;
    uint32_t id = (uint32_t)s->lane.n;
    *at = id + 1;
    au_vec_push(
        &s->lane,
        ((au_lane){.lock = lock, .next = s->lock_lane[lock], .thread = t, .shared = shared}));
    s->lock_lane[lock] = id;
    s->lock_shared[lock] |= shared;
    au_vec_push(&s->thread[t].lane, id);
    if (id >= b->open_cap) {
        size_t cap = 2 * b->open_cap + 16;
        b->open = au_realloc_array(b->open, cap, sizeof *b->open);
        memset(b->open + b->open_cap, 0, (cap - b->open_cap) * sizeof *b->open);
        b->open_cap = cap;
    }
    return id;
}

static void take(builder *b, uint32_t lock, uint16_t t, bool shared, uint32_t pos, size_t event) {
    au_thread_past *me = &b->s->thread[t];
    uint32_t lane = lane_of(b, lock, t, shared), section = (uint32_t)me->section.n;
    au_vec_push(&b->s->lane.at[lane].at, section);
    au_vec_push(&me->section, ((au_syncp_section){pos, AU_NEVER, 0, (uint32_t)event, lane}));
    b->open[lane] = section + 1;
}

static void give(builder *b, uint32_t lock, uint16_t t, bool shared, uint32_t pos) {
    uint32_t lane = lane_of(b, lock, t, shared);
    if (!b->open[lane])
        return;
    au_syncp_section *x = &b->s->thread[t].section.at[b->open[lane] - 1];
    x->rel = pos;
    x->rel_clock = b->clock[t];
    b->open[lane] = 0;
}

/* A try that failed did so because of those who hold the lock. */
static void learn_holders(builder *b, uint32_t lock, uint16_t t) {
    for (uint32_t k = b->s->lock_lane[lock]; k != AU_NONE; k = b->s->lane.at[k].next) {
        if (!b->open[k])
            continue;
        uint16_t u = b->s->lane.at[k].thread;
        uint32_t acq = b->s->thread[u].section.at[b->open[k] - 1].acq;
        learn(b, t, (point){acq, au_clock_at(b->s, u, acq), u});
    }
}

/* --- events ------------------------------------------------------------------------ */

static bool is_sem(const builder *b, uint32_t obj) {
    return au_names_sync(&b->s->trace->names, obj).kind == AU_WIRE_OBJ_SEM;
}

static void on_access(builder *b, au_op op, uint16_t t, uint32_t pos, uint32_t x) {
    if (b->var && b->var[x].renewed) {
        learn(b, t, b->var[x].birth);
        if (b->changed)
            store(b, t, pos - 1); /* there has to be a variable before it can be next */
    }
    if (op != AU_OP_WRITE && op != AU_OP_AWRITE)
        learn(b, t, b->writer[x]);
    if (b->changed)
        store(b, t, pos);
    if (op != AU_OP_READ && op != AU_OP_AREAD)
        b->writer[x] = (point){pos, b->clock[t], t};
    if (b->var && b->var[x].renewed)
        use(b, &b->var[x], t);
}

/* Everything but plain accesses. */
static void on_sync(builder *b, size_t i, au_op op, uint16_t t, uint32_t pos, uint32_t obj) {
    au_syncp *s = b->s;
    past *o = au_op_space(op) == AU_WIRE_SPACE_LOCK && obj != AU_NONE ? &b->obj[obj] : NULL;
    bool uses = o && o->renewed, follows = false;
    if (uses)
        learn(b, t, o->birth);
    if (o && (op == AU_OP_ACQ || op == AU_OP_REL) && is_sem(b, obj))
        op = op == AU_OP_ACQ ? AU_OP_DOWN : AU_OP_UP;
    switch (op) {
    case AU_OP_FORK:
        learn_row(b, (uint16_t)obj, row(b, t));
        if (b->changed)
            store(b, (uint16_t)obj, s->thread[obj].events);
        break;
    case AU_OP_JOIN:
        learn_row(b, t, row(b, (uint16_t)obj));
        break;
    case AU_OP_DOWN:
    case AU_OP_WAKE:
    case AU_OP_LEAVE:
        follows = uses = true;
        break;
    case AU_OP_UP:
    case AU_OP_WAIT:
    case AU_OP_SIGNAL:
    case AU_OP_BROADCAST:
    case AU_OP_ARRIVE:
        uses = true;
        break;
    case AU_OP_ONCE:
        follows = true;
        uses = uses || !o->used;
        break;
    case AU_OP_TRYFAIL:
        if (is_sem(b, obj))
            follows = true;
        else
            learn_holders(b, obj, t);
        break;
    case AU_OP_INIT:
    case AU_OP_DESTROY:
        follows = true;
        break;
    case AU_OP_ALLOC:
    case AU_OP_FREE:
        follow(b, &b->var[obj], t);
        break;
    default:
        break;
    }
    if (follows)
        follow(b, o, t);
    if (b->changed)
        store(b, t, pos);
    if (uses)
        use(b, o, t);
    point here = {pos, b->clock[t], t};
    if (op == AU_OP_INIT)
        o->birth = here;
    if (op == AU_OP_ALLOC)
        b->var[obj].birth = b->writer[obj] = here;
    if (op == AU_OP_ALLOC || op == AU_OP_FREE)
        use(b, &b->var[obj], t);
    switch (au_held_step(b->held, t, op, obj)) {
    case AU_HELD_TAKEN:
    case AU_HELD_TAKEN_SHARED:
        take(b, obj, t, op == AU_OP_RDACQ, pos, i);
        break;
    case AU_HELD_GIVEN:
        give(b, obj, t, false, pos);
        break;
    case AU_HELD_GIVEN_SHARED:
        give(b, obj, t, true, pos);
        break;
    case AU_HELD_SAME:
        break;
    }
}

/* Which objects and variables are made anew; most traces have none. False: its time is over. */
static bool find_renewed(builder *b) {
    const au_columns *e = &b->s->trace->events;
    for (size_t i = 0; i < e->n; i++) {
        if (i % SLICE == 0 && au_deadline_step(SLICE / 16))
            return false;
        if (e->op[i] == AU_OP_INIT || e->op[i] == AU_OP_DESTROY) {
            b->obj[e->obj[i]].renewed = true;
        } else if (e->op[i] == AU_OP_ALLOC || e->op[i] == AU_OP_FREE) {
            if (!b->var)
                b->var = au_alloc_array(b->s->trace->names.var.n, sizeof *b->var);
            b->var[e->obj[i]].renewed = true;
        }
    }
    return true;
}

static bool build(builder *b) {
    const au_columns *e = &b->s->trace->events;
    for (size_t i = 0; i < e->n; i++) {
        if (i % SLICE == 0 && au_deadline_step(SLICE))
            return false;
        au_op op = e->op[i];
        uint16_t t = e->thread[i];
        uint32_t pos = ++b->s->thread[t].events;
        if (b->s->pos)
            b->s->pos[i] = pos;
        else if (!i || e->thread[i - 1] != t)
            au_vec_push(&b->s->stretch, ((au_stretch){(uint32_t)i, pos}));
        row(b, t)[t] = pos;
        if (au_op_is_access(op))
            on_access(b, op, t, pos, e->obj[i]);
        else if (op != AU_OP_BEGIN && op != AU_OP_END && op < AU_OP_CALL)
            on_sync(b, i, op, t, pos, e->obj[i]);
    }
    return true;
}

/* Threads of a recorded run take turns of many events. Room for the stretches; false: they are many. */
static bool number_stretches(au_syncp *s) {
    enum { FEW = 8 }; /* events a stretch, at least */
    const au_columns *e = &s->trace->events;
    size_t n = e->n > 0;
    for (size_t i = 1; i < e->n; i++)
        n += e->thread[i] != e->thread[i - 1];
    if (!n || n > e->n / FEW)
        return false;
    au_vec_reserve(&s->stretch, n);
    return true;
}

au_syncp *au_syncp_new(const au_trace *t, au_error *err) {
    if (t->events.n >= UINT32_MAX - 1) {
        au_error_set(err, AU_EUNSUPPORTED, "sync-preserving prediction takes at most %u events",
                     UINT32_MAX - 2);
        return NULL;
    }
    au_syncp *s = AU_NEW(au_syncp);
    size_t threads = t->names.thread.n, locks = t->names.lock.n, vars = t->names.var.n;
    s->trace = t;
    s->n_threads = (uint32_t)threads;
    s->n_locks = (uint32_t)locks;
    if (!number_stretches(s)) {
        s->pos = au_big_grow(NULL, 0, t->events.n, sizeof *s->pos);
        au_big_touch(s->pos, t->events.n * sizeof *s->pos);
    }
    s->thread = au_alloc_array(threads, sizeof *s->thread);
    s->lock_lane = au_alloc_array(locks, sizeof *s->lock_lane);
    s->lock_shared = au_alloc_array(locks, sizeof *s->lock_shared);
    for (size_t k = 0; k < locks; k++)
        s->lock_lane[k] = AU_NONE;
    s->clock_cap = 64;
    s->clock = au_big_grow(NULL, 0, s->clock_cap * threads, sizeof *s->clock);
    if (threads)
        memset(s->clock, 0, threads * sizeof *s->clock);
    s->n_clocks = 1;

    builder b = {.s = s, .held = au_held_new(&t->names)};
    b.knows = au_alloc_array(threads, threads * sizeof *b.knows);
    b.clock = au_alloc_array(threads, sizeof *b.clock);
    b.writer = au_alloc_array(vars, sizeof *b.writer);
    b.obj = au_alloc_array(locks, sizeof *b.obj);
    au_map_init(&b.lane_of);
    bool whole = find_renewed(&b) && build(&b);

    for (size_t k = 0; k < locks; k++)
        free(b.obj[k].used);
    for (size_t k = 0; b.var && k < vars; k++)
        free(b.var[k].used);
    au_map_release(&b.lane_of);
    free(b.var);
    free(b.obj);
    free(b.open);
    free(b.writer);
    free(b.clock);
    free(b.knows);
    au_held_free(b.held);
    if (whole)
        return s;
    au_error_set(err, AU_EUNSUPPORTED, "%s", au_deadline_why());
    au_syncp_free(s);
    return NULL;
}

void au_syncp_free(au_syncp *s) {
    if (!s)
        return;
    for (size_t t = 0; t < s->n_threads; t++) {
        au_vec_release(&s->thread[t].section);
        au_vec_release(&s->thread[t].change);
        au_vec_release(&s->thread[t].lane);
    }
    for (size_t k = 0; k < s->lane.n; k++)
        au_vec_release(&s->lane.at[k].at);
    au_vec_release(&s->lane);
    if (s->pos)
        au_big_free(s->pos, s->trace->events.n, sizeof *s->pos);
    au_vec_release(&s->stretch);
    au_big_free(s->clock, s->clock_cap * s->n_threads, sizeof *s->clock);
    free(s->thread);
    free(s->lock_lane);
    free(s->lock_shared);
    free(s);
}

uint32_t au_syncp_find(const au_syncp *s, size_t event) {
    size_t low = 0, high = s->stretch.n; /* the one it is in is at low or behind */
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (s->stretch.at[mid].first <= event)
            low = mid;
        else
            high = mid;
    }
    return s->stretch.at[low].pos + (uint32_t)(event - s->stretch.at[low].first);
}

uint32_t au_clock_at(const au_syncp *s, uint16_t thread, uint32_t pos) {
    const au_thread_past *p = &s->thread[thread];
    size_t low = 0, high = p->change.n; /* changes below 'low' are at or before pos */
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (p->change.at[mid].from <= pos)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? p->change.at[low - 1].clock : 0;
}

uint32_t au_syncp_threads(const au_syncp *s) {
    return s->n_threads;
}

uint32_t au_syncp_index(const au_syncp *s, size_t event) {
    return au_syncp_pos(s, event);
}

au_event_ref au_syncp_ref(const au_syncp *s, size_t event) {
    const au_columns *e = &s->trace->events;
    return (au_event_ref){.number = event,
                          .index = au_syncp_pos(s, event),
                          .obj = e->obj[event],
                          .loc = e->loc[event],
                          .thread = e->thread[event],
                          .op = e->op[event]};
}

size_t au_syncp_memory(const au_syncp *s) {
    size_t bytes = (s->pos ? s->trace->events.n * sizeof *s->pos : 0) +
                   s->stretch.n * sizeof(au_stretch) +
                   s->n_clocks * s->n_threads * sizeof *s->clock + s->lane.n * sizeof(au_lane);
    for (size_t t = 0; t < s->n_threads; t++)
        bytes += s->thread[t].section.n * (sizeof(au_syncp_section) + sizeof(uint32_t)) +
                 s->thread[t].change.n * sizeof(au_change);
    return bytes;
}

static bool knows(const au_syncp *s, uint16_t thread, uint32_t pos, size_t a) {
    const au_columns *e = &s->trace->events;
    if (e->thread[a] == thread)
        return au_syncp_pos(s, a) <= pos;
    return au_clock_row(s, au_clock_at(s, thread, pos))[e->thread[a]] >= au_syncp_pos(s, a);
}

bool au_syncp_before(const au_syncp *s, size_t a, size_t b) {
    return a != b && knows(s, s->trace->events.thread[b], au_syncp_pos(s, b), a);
}

bool au_syncp_before_next(const au_syncp *s, size_t a, size_t b) {
    return knows(s, s->trace->events.thread[b], au_syncp_pos(s, b) - 1, a);
}
