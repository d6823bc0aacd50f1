/* linear/must.c: what comes before what in every interleaving of a trace.
 *
 * Segments. An event that others may have to wait for (fork, up, arrive) ends the
 * segment it is in; an event that may have to wait (join, down, leave) begins a new
 * one. So edges go from the last event of a segment to the first of another, and
 * everything in a segment stands in one relation to everything in another.
 * A position between two events belongs to the segment of the event after it.
 *
 * Edges.
 *   fork(t), join(t)   the fork before the first event of t, its last before the join.
 *
 *   semaphore s with initial count c. Let d be a down of thread T, in any
 *   interleaving of prefixes in which it runs. When it does, these downs have run:
 *   the k downs of T up to and including d, and every down of another thread that
 *   comes before d by fork and join; let D be their number. The count is never
 *   negative, so at least D - c ups have run before d. Which can they be? The u ups
 *   of T before d; and of another thread Ti those that do not come after d by fork
 *   and join: at most a_i. If all of these but Ti's ran, at least
 *       m_i = D - c - u - (sum of a_j over all j other than i)
 *   ups of Ti are needed; a thread's ups run in its order, so if m_i >= 1 the m_i-th
 *   up of Ti has run before d. That is the edge. (One semaphore, one thread that
 *   raises it: the k-th up before the (k + c)-th down.) An observed pairing is never
 *   used: if another thread could have given the unit, m_i is smaller.
 *
 *   barrier b of n places at which exactly n threads of the trace arrive. A thread
 *   that has arrived must leave before it arrives again, so it arrives at most once a
 *   round; a round needs n arrivals; with n threads, each arrives exactly once in
 *   every round that is completed. So the k-th arrival of each is of round k, and a
 *   k-th leave comes after all of them. With more threads than places there is another
 *   partner, and no edge.
 *
 *   conditions: never, as a waiter may wake without a signal. Locks: never, they can
 *   be taken in another order.
 *
 * The trace itself obeys all edges, so there is no circle. Counts that are not
 * known (an object the trace does not describe, or that is made anew in the middle)
 * give no edge. So that memory does not grow with the trace, only the first
 * AU_LIMIT_MUST_SEGMENTS operations on semaphores and barriers of a thread have segments of
 * their own; later ones are counted but have no edges. Fewer edges are always right. */
#include "base/limits.h"
#include "linear/linear.h"

#include "base/hash.h"

#define CLOCK_BYTES (UINT64_C(256) << 20) /* of remembered clocks */

typedef struct {
    uint32_t to_segment, from_segment;
    uint16_t from;
} edge;

typedef struct {
    uint32_t segments; /* at least 1 */
    uint32_t by_count; /* how many of them semaphores and barriers made */
    AU_VEC(edge) in;   /* after finish: by to_segment */
    uint32_t **clock;  /* by segment, made on demand: how many segments of each thread are before */
} line;

typedef struct {
    uint32_t segment; /* that it begins */
    uint64_t given;   /* own gives before it */
} taking;

/* What one thread does to one object: ups or arrivals, and downs or leaves. */
typedef struct {
    uint16_t thread;
    uint64_t gives, takes; /* all of them */
    AU_VEC(uint32_t) give; /* the segment that each of the first ones ends */
    AU_VEC(taking) take;
} user;

typedef struct {
    bool seen, barrier, poisoned;
    uint32_t obj;
    AU_VEC(uint32_t) users; /* in m->user */
} object;

struct au_must {
    const au_names *names;
    AU_VEC(line) line; /* by thread */
    AU_VEC(object) object;
    AU_VEC(user) user;
    au_map object_of, user_of; /* obj; obj << 16 | thread */
    size_t count_edges;
    uint64_t clock_bytes;
    bool finished, orders;
};

au_must *au_must_new(void) {
    au_must *m = AU_NEW(au_must);
    au_map_init(&m->object_of);
    au_map_init(&m->user_of);
    return m;
}

static void forget_clocks(au_must *m) {
    for (size_t t = 0; t < m->line.n; t++) {
        line *l = &m->line.at[t];
        for (uint32_t s = 0; l->clock && s < l->segments; s++)
            free(l->clock[s]);
        free(l->clock);
        l->clock = NULL;
    }
    m->clock_bytes = 0;
}

void au_must_free(au_must *m) {
    if (!m)
        return;
    forget_clocks(m);
    for (size_t t = 0; t < m->line.n; t++)
        au_vec_release(&m->line.at[t].in);
    for (size_t i = 0; i < m->object.n; i++)
        au_vec_release(&m->object.at[i].users);
    for (size_t i = 0; i < m->user.n; i++) {
        au_vec_release(&m->user.at[i].give);
        au_vec_release(&m->user.at[i].take);
    }
    au_vec_release(&m->line);
    au_vec_release(&m->object);
    au_vec_release(&m->user);
    au_map_release(&m->object_of);
    au_map_release(&m->user_of);
    free(m);
}

void au_must_use_names(au_must *m, const au_names *names) {
    m->names = names;
}

static line *line_of(au_must *m, uint32_t thread) {
    while (m->line.n <= thread)
        au_vec_push(&m->line, ((line){.segments = 1}));
    return &m->line.at[thread];
}

uint32_t au_must_segment(const au_must *m, uint16_t thread) {
    return thread < m->line.n ? m->line.at[thread].segments - 1 : 0;
}

static void add_edge(au_must *m, uint16_t from, uint32_t from_segment, uint32_t to,
                     uint32_t to_segment) {
    au_vec_push(&line_of(m, to)->in, ((edge){to_segment, from_segment, from}));
}

/* --- semaphores and barriers as they come ------------------------------------------- */

static object *object_of(au_must *m, uint32_t obj) {
    bool fresh;
    uint64_t *at = au_map_put(&m->object_of, obj, &fresh);
    if (fresh) {
        *at = m->object.n;
        au_vec_push(&m->object, ((object){.obj = obj}));
    }
    return &m->object.at[*at];
}

static user *user_of(au_must *m, uint32_t obj, uint16_t thread) {
    bool fresh;
    uint64_t *at = au_map_put(&m->user_of, (uint64_t)obj << 16 | thread, &fresh);
    if (fresh) {
        *at = m->user.n;
        au_vec_push(&m->user, ((user){.thread = thread}));
        object *o = object_of(m, obj);
        o->seen = true;
        au_vec_push(&o->users, (uint32_t)*at);
    }
    return &m->user.at[*at];
}

static bool gives(au_must *m, uint16_t thread, uint32_t obj) {
    user *u = user_of(m, obj, thread);
    line *l = line_of(m, thread);
    u->gives++;
    if (u->give.n + 1 < u->gives || l->by_count >= au_limit_value(AU_AT_MUST_SEGMENTS)) {
        au_limit_reached(AU_AT_MUST_SEGMENTS, 1);
        return false;
    }
    au_vec_push(&u->give, l->segments - 1);
    l->by_count++;
    l->segments++;
    return true;
}

static bool takes(au_must *m, uint16_t thread, uint32_t obj) {
    user *u = user_of(m, obj, thread);
    line *l = line_of(m, thread);
    u->takes++;
    if (u->take.n + 1 < u->takes || l->by_count >= au_limit_value(AU_AT_MUST_SEGMENTS)) {
        au_limit_reached(AU_AT_MUST_SEGMENTS, 1);
        return false;
    }
    l->by_count++;
    au_vec_push(&u->take, ((taking){l->segments++, u->gives}));
    return true;
}

static bool is_semaphore(const au_must *m, uint32_t obj) {
    return m->names && au_names_sync(m->names, obj).kind == AU_WIRE_OBJ_SEM;
}

bool au_must_event(au_must *m, au_op op, uint16_t thread, uint32_t obj) {
    switch (op) {
    case AU_OP_FORK: {
        line *l = line_of(m, thread);
        add_edge(m, thread, l->segments++ - 1, obj, 0);
        return true;
    }
    case AU_OP_JOIN: {
        uint32_t last = line_of(m, obj)->segments - 1;
        line *l = line_of(m, thread);
        add_edge(m, (uint16_t)obj, last, thread, l->segments++);
        return true;
    }
    case AU_OP_UP:
        return gives(m, thread, obj);
    case AU_OP_DOWN:
        return takes(m, thread, obj);
    case AU_OP_ARRIVE:
    case AU_OP_LEAVE:
        object_of(m, obj)->barrier = true;
        return op == AU_OP_ARRIVE ? gives(m, thread, obj) : takes(m, thread, obj);
    case AU_OP_REL:
        return is_semaphore(m, obj) && gives(m, thread, obj);
    case AU_OP_ACQ:
        return is_semaphore(m, obj) && takes(m, thread, obj);
    case AU_OP_INIT: {
        object *o = object_of(m, obj);
        o->poisoned |= o->seen;
        o->seen = true;
        return false;
    }
    default:
        return false;
    }
}

void au_must_block(au_must *m, const au_block *b) {
    for (size_t i = 0; i < b->n; i++)
        if (!au_op_is_access(b->op[i]))
            au_must_event(m, b->op[i], b->thread[i], b->obj[i]);
}

/* --- clocks ------------------------------------------------------------------------------ */

static int by_segment(const void *a, const void *b) {
    const edge *x = a, *y = b;
    return x->to_segment < y->to_segment ? -1 : x->to_segment > y->to_segment;
}

static void sort_edges(au_must *m) {
    for (size_t t = 0; t < m->line.n; t++)
        if (m->line.at[t].in.n)
            qsort(m->line.at[t].in.at, m->line.at[t].in.n, sizeof(edge), by_segment);
}

static void lift(uint32_t *clock, size_t threads, const uint32_t *by) {
    for (size_t i = 0; i < threads; i++)
        if (clock[i] < by[i])
            clock[i] = by[i];
}

typedef struct {
    uint32_t segment;
    uint16_t thread;
    bool ready; /* what it needs was asked for */
} visit;
typedef AU_VEC(visit) visits;

/* The edges into a segment: from …, how many. */
static const edge *edges_into(const line *l, uint32_t segment, size_t *n) {
    size_t lo = 0, hi = l->in.n;
    *n = 0;
    if (!hi)
        return NULL;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (l->in.at[mid].to_segment < segment)
            lo = mid + 1;
        else
            hi = mid;
    }
    while (lo + *n < l->in.n && l->in.at[lo + *n].to_segment == segment)
        ++*n;
    return l->in.n ? l->in.at + lo : NULL;
}

static uint32_t **clock_at(line *l, uint32_t segment) {
    if (!l->clock)
        l->clock = au_alloc_array(l->segments, sizeof *l->clock);
    return &l->clock[segment];
}

/* Makes the clock of a segment, and of all that come before it. */
static const uint32_t *clock_of(au_must *m, uint16_t thread, uint32_t segment) {
    uint32_t **want = clock_at(&m->line.at[thread], segment);
    if (*want)
        return *want;
    size_t threads = m->line.n;
    visits todo = {0};
    au_vec_push(&todo, ((visit){segment, thread, false}));
    while (todo.n) {
        visit *v = &au_vec_last(&todo);
        line *l = &m->line.at[v->thread];
        uint32_t **mine = clock_at(l, v->segment);
        size_t n;
        const edge *in = edges_into(l, v->segment, &n);
        visit here = *v;
        if (*mine) {
            (void)au_vec_pop(&todo);
        } else if (!v->ready) {
            v->ready = true;
            if (here.segment && !*clock_at(l, here.segment - 1))
                au_vec_push(&todo, ((visit){here.segment - 1, here.thread, false}));
            for (size_t i = 0; i < n; i++)
                if (!*clock_at(&m->line.at[in[i].from], in[i].from_segment))
                    au_vec_push(&todo, ((visit){in[i].from_segment, in[i].from, false}));
        } else {
            uint32_t *c = au_alloc_array(threads, sizeof *c);
            if (here.segment)
                lift(c, threads, *clock_at(l, here.segment - 1));
            for (size_t i = 0; i < n; i++) {
                lift(c, threads, *clock_at(&m->line.at[in[i].from], in[i].from_segment));
                if (c[in[i].from] < in[i].from_segment + 1)
                    c[in[i].from] = in[i].from_segment + 1;
            }
            c[here.thread] = here.segment;
            *mine = c;
            m->clock_bytes += threads * sizeof *c;
            (void)au_vec_pop(&todo);
        }
    }
    au_vec_release(&todo);
    return *want;
}

/* The same question by a search backwards: where clocks would take too much memory. */
static bool search(const au_must *m, uint16_t a, uint32_t a_segment, uint16_t b,
                   uint32_t b_segment) {
    uint32_t *seen = au_alloc_array(m->line.n, sizeof *seen); /* segments below were visited */
    visits todo = {0};
    bool found = false;
    au_vec_push(&todo, ((visit){b_segment, b, false}));
    while (todo.n && !found) {
        visit v = au_vec_pop(&todo);
        const line *l = &m->line.at[v.thread];
        for (size_t i = 0; i < l->in.n && l->in.at[i].to_segment <= v.segment; i++) {
            const edge *e = &l->in.at[i];
            if (e->to_segment < seen[v.thread])
                continue;
            found |= e->from == a && e->from_segment >= a_segment;
            au_vec_push(&todo, ((visit){e->from_segment, e->from, false}));
        }
        if (seen[v.thread] < v.segment + 1)
            seen[v.thread] = v.segment + 1;
    }
    au_vec_release(&todo);
    free(seen);
    return found;
}

bool au_must_before(const au_must *m, uint16_t a, uint32_t a_segment, uint16_t b,
                    uint32_t b_segment) {
    AU_BUG_IF(!m->finished);
    if (a == b)
        return a_segment < b_segment;
    if (a >= m->line.n || b >= m->line.n || !m->orders)
        return false;
    const line *l = &m->line.at[b];
    if (!l->clock || !l->clock[b_segment]) {
        uint64_t segments = 0;
        for (size_t t = 0; t < m->line.n; t++)
            segments += m->line.at[t].segments;
        if (segments * m->line.n * sizeof(uint32_t) > CLOCK_BYTES)
            return search(m, a, a_segment, b, b_segment);
    }
    /* remembered answers are not part of the value */
    return clock_of((au_must *)(uintptr_t)m, b, b_segment)[a] > a_segment;
}

bool au_must_before_now(const au_must *m, uint16_t a, uint32_t a_segment, uint16_t b,
                        uint32_t b_segment) {
    if (a == b)
        return a_segment < b_segment;
    /* edges come in the order of the segments they lead to: sorted already */
    return a < m->line.n && b < m->line.n && search(m, a, a_segment, b, b_segment);
}

bool au_must_orders(const au_must *m) {
    return m->orders;
}

/* --- counting: see the head of this file -------------------------------------------- */

typedef struct {
    edge e;
    uint16_t to;
} late_edge;
typedef AU_VEC(late_edge) late_edges;

static void count_edge(au_must *m, late_edges *out, uint16_t from, uint32_t from_segment,
                       uint16_t to, uint32_t to_segment) {
    if (m->count_edges == AU_LIMIT_MUST_EDGES) {
        au_limit_reached(AU_AT_MUST_EDGES, 1);
        return;
    }
    m->count_edges++;
    au_vec_push(out, ((late_edge){{to_segment, from_segment, from}, to}));
}

/* How many takes of u come before that segment: they are in order, so a first few do. */
static uint64_t takes_before(const au_must *m, const user *u, uint16_t t, uint32_t segment) {
    size_t lo = 0, hi = u->take.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (au_must_before(m, u->thread, u->take.at[mid].segment, t, segment))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* How many gives of u do not come after that segment: the first so many. */
static uint64_t gives_not_after(const au_must *m, const user *u, uint16_t t, uint32_t segment) {
    size_t lo = 0, hi = u->give.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (au_must_before(m, t, segment, u->thread, u->give.at[mid]))
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo < u->give.n ? lo : u->gives;
}

static void count_semaphore(au_must *m, const object *o, int64_t initial, late_edges *out) {
    size_t n = o->users.n;
    int64_t *available = au_alloc_array(n, sizeof *available);
    for (size_t i = 0; i < n; i++) {
        const user *me = &m->user.at[o->users.at[i]];
        for (size_t k = 0; k < me->take.n; k++) {
            uint32_t segment = me->take.at[k].segment;
            int64_t needed = (int64_t)k + 1 - initial - (int64_t)me->take.at[k].given;
            int64_t sum = 0;
            for (size_t j = 0; j < n; j++) {
                const user *u = &m->user.at[o->users.at[j]];
                available[j] = 0;
                if (j == i)
                    continue;
                needed += (int64_t)takes_before(m, u, me->thread, segment);
                available[j] = (int64_t)gives_not_after(m, u, me->thread, segment);
                sum += available[j];
            }
            for (size_t j = 0; j < n; j++) {
                const user *u = &m->user.at[o->users.at[j]];
                int64_t least = needed - (sum - available[j]);
                if (j != i && least >= 1 && (uint64_t)least <= u->give.n)
                    count_edge(m, out, u->thread, u->give.at[least - 1], me->thread, segment);
            }
        }
    }
    free(available);
}

static void count_barrier(au_must *m, const object *o, int64_t places, late_edges *out) {
    size_t n = o->users.n;
    if ((int64_t)n != places)
        return;
    for (size_t i = 0; i < n; i++) {
        const user *me = &m->user.at[o->users.at[i]];
        for (size_t k = 0; k < me->take.n; k++)
            for (size_t j = 0; j < n; j++) {
                const user *u = &m->user.at[o->users.at[j]];
                if (j != i && k < u->give.n)
                    count_edge(m, out, u->thread, u->give.at[k], me->thread,
                               me->take.at[k].segment);
            }
    }
}

void au_must_finish(au_must *m) {
    sort_edges(m);
    m->finished = true;
    for (size_t t = 0; t < m->line.n; t++)
        m->orders |= m->line.at[t].in.n > 0;
    late_edges late = {0};
    for (size_t i = 0; i < m->object.n && m->names; i++) {
        const object *o = &m->object.at[i];
        struct au_sync_info about = au_names_sync(m->names, o->obj);
        if (o->poisoned || about.init < 0)
            continue;
        if (about.kind == AU_WIRE_OBJ_SEM && !o->barrier)
            count_semaphore(m, o, about.init, &late);
        else if (about.kind == AU_WIRE_OBJ_BARRIER)
            count_barrier(m, o, about.init, &late);
    }
    if (late.n) {
        forget_clocks(m);
        for (size_t i = 0; i < late.n; i++)
            au_vec_push(&m->line.at[late.at[i].to].in, late.at[i].e);
        sort_edges(m);
        m->orders = true;
    }
    au_vec_release(&late);
}
