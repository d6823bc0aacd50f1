/* graph/cause_build.c: the graph of a trace, built once.
 *
 * Clocks are computed along the trace, which obeys every edge. A thread gets a new clock only
 * where it learns of events of others that it did not know of; as sets are closed, knowing
 * an event means knowing its past, and one comparison tells. */
#include "graph/cause_priv.h"

#include "base/deadline.h"
#include "base/hash.h"
#include "linear/linear.h"

#include <stdlib.h>

enum { SLICE = 1 << 12 }; /* events between two looks at the clock */

/* --- threads, couples ---------------------------------------------------------------- */

static void sort_events(au_cause *g) {
    const au_columns *x = &g->t->events;
    for (uint32_t e = 0; e < g->n; e++)
        g->first[x->thread[e] + 1]++;
    for (uint32_t t = 0; t < g->threads; t++)
        g->first[t + 1] += g->first[t];
    uint32_t *fill = au_alloc_array(g->threads, sizeof *fill);
    for (uint32_t e = 0; e < g->n; e++) {
        uint16_t t = x->thread[e];
        g->order[g->first[t] + fill[t]] = e;
        g->index[e] = ++fill[t];
        if (x->op[e] == AU_OP_FORK && !g->fork_of[x->obj[e]])
            g->fork_of[x->obj[e]] = e + 1;
    }
    free(fill);
}

static au_cause_ids *user(au_cause_users *u, uint16_t thread) {
    for (size_t i = 0; i < u->n; i++)
        if (u->at[i].thread == thread)
            return &u->at[i].at;
    au_vec_push(u, ((au_cause_user){.thread = thread}));
    return &au_vec_last(u).at;
}

const au_cause_ids *au_cause_user_of(const au_cause_users *u, uint32_t thread) {
    for (size_t i = 0; i < u->n; i++)
        if (u->at[i].thread == thread)
            return &u->at[i].at;
    return NULL;
}

static void couple(au_cause *g) {
    const au_columns *x = &g->t->events;
    uint32_t *last = au_alloc_array(g->t->names.var.n, sizeof *last);
    uint32_t *tail = au_alloc_array(g->n, sizeof *tail); /* of the list of a write's readers */
    uint32_t *first_tail = au_alloc_array(g->t->names.var.n, sizeof *first_tail);
    for (uint32_t e = 0; e < g->n; e++) {
        uint32_t v = x->obj[e];
        g->writer[e] = AU_NONE;
        if (au_cause_reads(x->op[e])) {
            uint32_t w = g->writer[e] = last[v];
            uint32_t *end = w ? &tail[w - 1] : &first_tail[v];
            if (*end)
                g->next[*end - 1] = e + 1;
            else if (w)
                g->reader[w - 1] = e + 1;
            else
                g->virgin[v] = e + 1;
            *end = e + 1;
        }
        if (au_cause_writes(x->op[e])) {
            last[v] = e + 1;
            au_vec_push(user(&g->write[v], x->thread[e]), g->index[e]);
        }
    }
    free(last);
    free(tail);
    free(first_tail);
}

/* --- clocks ------------------------------------------------------------------------------ */

/* Where the segments of must-happens-before begin, and what comes before them. */
typedef struct {
    au_must *must;
    AU_VEC(uint32_t) * last; /* by thread and segment: index of its last event */
    bool counts;             /* semaphores or barriers are there: fork and join we know */
} segments;

static bool begins(au_op op) {
    return op == AU_OP_JOIN || op == AU_OP_DOWN || op == AU_OP_LEAVE || op == AU_OP_ACQ;
}

static void find_segments(const au_cause *g, segments *s) {
    const au_columns *x = &g->t->events;
    for (uint32_t e = 0; e < g->n && !s->counts; e++) {
        au_op op = x->op[e];
        s->counts =
            op == AU_OP_DOWN || op == AU_OP_LEAVE ||
            (op == AU_OP_ACQ && au_names_sync(&g->t->names, x->obj[e]).kind == AU_WIRE_OBJ_SEM);
    }
    if (!s->counts)
        return;
    s->must = au_must_new();
    au_must_use_names(s->must, &g->t->names);
    s->last = au_alloc_array(g->threads, sizeof *s->last);
    for (uint32_t e = 0; e < g->n; e++) {
        uint16_t t = x->thread[e];
        uint32_t before = au_must_segment(s->must, t);
        if (!au_op_is_access(x->op[e]))
            au_must_event(s->must, x->op[e], t, x->obj[e]);
        uint32_t mine = begins(x->op[e]) ? au_must_segment(s->must, t) : before;
        while (s->last[t].n <= mine)
            au_vec_push(&s->last[t], 0);
        s->last[t].at[mine] = g->index[e];
    }
    au_must_finish(s->must);
}

static void release_segments(const au_cause *g, segments *s) {
    for (uint32_t t = 0; s->last && t < g->threads; t++)
        au_vec_release(&s->last[t]);
    free(s->last);
    au_must_free(s->must);
}

typedef struct {
    au_cause *g;
    au_cause_past *p;
    segments *s;
    uint32_t *segment; /* by thread: of its last event */
} builder;

/* The event needs this one. */
static void learn(builder *b, uint32_t e, uint32_t from) {
    au_cause *g = b->g;
    au_cause_past *p = b->p;
    uint16_t t = g->t->events.thread[e], u = g->t->events.thread[from];
    const uint32_t *mine = au_cause_clock(g, p, e);
    if (t == u || mine[u] >= g->index[from])
        return;
    bool own = au_vec_last(&p->line[t]).index == g->index[e]; /* made for this event */
    if (!own) {
        uint32_t fresh = (uint32_t)(p->clock.n / g->threads);
        au_vec_reserve(&p->clock, p->clock.n + g->threads);
        memcpy(p->clock.at + p->clock.n, au_cause_clock(g, p, e), g->threads * sizeof(uint32_t));
        p->clock.n += g->threads;
        p->clock_of[e] = fresh;
        au_vec_push(&p->line[t], ((au_cause_change){g->index[e], fresh}));
    }
    uint32_t *to = p->clock.at + (size_t)p->clock_of[e] * g->threads;
    const uint32_t *by = au_cause_clock(g, p, from);
    for (uint32_t i = 0; i < g->threads; i++)
        if (i != t && to[i] < by[i])
            to[i] = by[i];
    if (to[u] < g->index[from])
        to[u] = g->index[from];
}

/* What counting says: the last event of each thread's last segment that must come before. */
static void learn_counts(builder *b, uint32_t e) {
    au_cause *g = b->g;
    segments *s = b->s;
    uint16_t t = g->t->events.thread[e];
    uint32_t i = g->index[e];
    while (b->segment[t] + 1 < s->last[t].n && s->last[t].at[b->segment[t]] < i)
        b->segment[t]++;
    bool starts = b->segment[t] ? s->last[t].at[b->segment[t] - 1] + 1 == i : i == 1;
    for (uint32_t u = 0; starts && u < g->threads; u++) {
        if (u == t)
            continue;
        size_t lo = 0, hi = s->last[u].n; /* so many segments come before */
        while (lo < hi) {
            size_t mid = (lo + hi) / 2;
            if (au_must_before(s->must, (uint16_t)u, (uint32_t)mid, t, b->segment[t]))
                lo = mid + 1;
            else
                hi = mid;
        }
        while (lo > 0 && !s->last[u].at[lo - 1])
            lo--; /* a segment without events */
        if (lo > 0)
            learn(b, e, au_cause_event(g, u, s->last[u].at[lo - 1]));
    }
}

/* Who woke whom in the run: the first broadcast since it began to wait, or else the oldest
 * signal since then that nobody has used. */
typedef struct {
    uint32_t *signal; /* by wake: event + 1 of its signal */
    uint32_t *waiter; /* by signal: event + 1 of a wait that it ended; others follow in 'next' */
    uint32_t *next;   /* by wait */
    bool any;
} wakings;

static void find_wakings(const au_cause *g, wakings *w) {
    const au_columns *x = &g->t->events;
    for (uint32_t e = 0; e < g->n && !w->any; e++)
        w->any = x->op[e] == AU_OP_WAKE;
    if (!w->any)
        return;
    size_t objects = g->t->names.lock.n;
    au_cause_ids *unused = au_alloc_array(objects, sizeof *unused);
    uint32_t *wait = au_alloc_array(g->threads, sizeof *wait);   /* event + 1 */
    uint32_t *first = au_alloc_array(g->threads, sizeof *first); /* broadcast since, event + 1 */
    w->signal = au_alloc_array(g->n, sizeof *w->signal);
    w->waiter = au_alloc_array(g->n, sizeof *w->waiter);
    w->next = au_alloc_array(g->n, sizeof *w->next);
    for (uint32_t e = 0; e < g->n; e++) {
        uint32_t t = x->thread[e], o = x->obj[e];
        switch (x->op[e]) {
        case AU_OP_WAIT:
            wait[t] = e + 1;
            first[t] = 0;
            break;
        case AU_OP_SIGNAL:
            au_vec_push(&unused[o], e);
            break;
        case AU_OP_BROADCAST:
            for (uint32_t u = 0; u < g->threads; u++)
                if (wait[u] && !first[u] && x->obj[wait[u] - 1] == o)
                    first[u] = e + 1;
            break;
        case AU_OP_WAKE: {
            size_t k = 0;
            while (k < unused[o].n && unused[o].at[k] + 1 < wait[t])
                k++;
            uint32_t by = !wait[t]          ? 0
                          : first[t]        ? first[t]
                          : k < unused[o].n ? unused[o].at[k] + 1
                                            : 0;
            if (by && !first[t]) {
                memmove(unused[o].at + k, unused[o].at + k + 1,
                        (unused[o].n - k - 1) * sizeof *unused[o].at);
                unused[o].n--;
            }
            if (by) {
                w->signal[e] = by;
                w->next[wait[t] - 1] = w->waiter[by - 1];
                w->waiter[by - 1] = wait[t];
            }
            wait[t] = 0;
            break;
        }
        default:
            break;
        }
    }
    for (size_t o = 0; o < objects; o++)
        au_vec_release(&unused[o]);
    free(unused);
    free(wait);
    free(first);
}

static void release_wakings(wakings *w) {
    free(w->signal);
    free(w->waiter);
    free(w->next);
}

static bool is_chained(const au_cause *g, au_op op, uint32_t obj) {
    return au_op_space(op) == AU_WIRE_SPACE_LOCK && g->odd[obj] && op != AU_OP_REQ &&
           op != AU_OP_LOCKERR && op != AU_OP_DESTROY;
}

/* By read: is its write the only one of the variable that stored what it saw? The initial value
 * counts as well: what a first read saw and, as nobody knows better, 0. A variable with an
 * access that has no value, and an update (which says what it stored, not what it saw), tell
 * nothing. */
static bool *find_certain(const au_cause *g) {
    const au_columns *x = &g->t->events;
    bool *certain = au_alloc_array(g->n, sizeof *certain);
    bool *blank = au_alloc_array(g->t->names.var.n, sizeof *blank);
    au_map times; /* variable and value: how often it was stored */
    au_map_init(&times);
    for (uint32_t e = 0; e < g->n; e++) {
        if (!au_op_is_access(x->op[e]))
            continue;
        bool has = x->any_value && (x->all_value || x->has_value[e]);
        bool initial = au_cause_reads(x->op[e]) && !g->writer[e];
        blank[x->obj[e]] |= !has || (initial && x->op[e] == AU_OP_RMW);
        if (has && (initial || au_cause_writes(x->op[e])))
            ++*au_map_put(&times, au_hash_join(au_hash_u64(x->obj[e]), (uint64_t)x->value[e]),
                          NULL);
    }
    for (uint32_t e = 0; e < g->n; e++) {
        if ((x->op[e] != AU_OP_READ && x->op[e] != AU_OP_AREAD) || !g->writer[e] ||
            blank[x->obj[e]] || !x->value[e] || x->value[g->writer[e] - 1] != x->value[e])
            continue;
        const uint64_t *n =
            au_map_find(&times, au_hash_join(au_hash_u64(x->obj[e]), (uint64_t)x->value[e]));
        certain[e] = n && *n == 1;
    }
    au_map_release(&times);
    free(blank);
    return certain;
}

/* False: the command's time is over (base/deadline.h). */
static bool build_past(au_cause *g, au_cause_past *p, segments *s, const wakings *w, bool strict,
                       const bool *certain, bool in_time) {
    const au_columns *x = &g->t->events;
    builder b = {g, p, s, au_alloc_array(g->threads, sizeof(uint32_t))};
    uint32_t *last = au_alloc_array(g->threads, sizeof *last);     /* event + 1 */
    uint32_t *of = au_alloc_array(g->t->names.lock.n, sizeof *of); /* once, chains: event + 1 */
    p->clock_of = au_alloc_array(g->n, sizeof *p->clock_of);
    p->line = au_alloc_array(g->threads, sizeof *p->line);
    for (uint32_t i = 0; i < g->threads; i++)
        au_vec_push(&p->clock, 0); /* clock 0: nothing */
    bool whole = true;
    for (uint32_t e = 0; e < g->n && whole; e++) {
        uint16_t t = x->thread[e];
        uint32_t obj = x->obj[e];
        au_op op = x->op[e];
        whole = !in_time || e % SLICE || !au_deadline_step(SLICE);
        p->clock_of[e] = last[t] ? p->clock_of[last[t] - 1] : 0;
        if (!last[t])
            au_vec_push(&p->line[t], ((au_cause_change){0, 0}));
        if (!last[t] && g->fork_of[t] && g->fork_of[t] - 1 < e)
            learn(&b, e, g->fork_of[t] - 1);
        last[t] = e + 1;
        if (au_cause_reads(op) && g->writer[e] && (!certain || certain[e]))
            learn(&b, e, g->writer[e] - 1);
        if (op == AU_OP_JOIN && (last[obj] || g->fork_of[obj]))
            learn(&b, e, (last[obj] ? last[obj] : g->fork_of[obj]) - 1);
        if (op == AU_OP_ONCE || (strict && is_chained(g, op, obj))) {
            if (of[obj])
                learn(&b, e, of[obj] - 1);
            if (op != AU_OP_ONCE || !of[obj])
                of[obj] = e + 1;
        }
        if (w && w->signal[e])
            learn(&b, e, w->signal[e] - 1);
        for (uint32_t k = w ? w->waiter[e] : 0; k; k = w->next[k - 1])
            learn(&b, e, k - 1);
        if (s->counts)
            learn_counts(&b, e);
    }
    free(b.segment);
    free(last);
    free(of);
    return whole;
}

void au_cause_past_of(const au_cause *g, const au_cause_past *p, uint32_t event, uint32_t *to) {
    memcpy(to, au_cause_clock(g, p, event), g->threads * sizeof *to);
    to[g->t->events.thread[event]] = g->index[event];
}

void au_cause_past_before(const au_cause *g, const au_cause_past *p, uint32_t event, uint32_t *to) {
    uint16_t t = g->t->events.thread[event];
    if (g->index[event] > 1) {
        au_cause_past_of(g, p, au_cause_event(g, t, g->index[event] - 1), to);
    } else if (g->fork_of[t]) {
        au_cause_past_of(g, p, g->fork_of[t] - 1, to);
    } else {
        memset(to, 0, g->threads * sizeof *to);
    }
}

void au_cause_after(const au_cause *g, const au_cause_past *p, uint32_t thread, uint32_t index,
                    uint32_t *to) {
    for (uint32_t v = 0; v < g->threads; v++) {
        size_t lo = 0, hi = p->line[v].n;
        const au_cause_change *at = p->line[v].at;
        if (v == thread) {
            to[v] = index;
            continue;
        }
        while (lo < hi) {
            size_t mid = (lo + hi) / 2;
            if (p->clock.at[(size_t)at[mid].clock * g->threads + thread] >= index)
                hi = mid;
            else
                lo = mid + 1;
        }
        to[v] = lo < p->line[v].n ? at[lo].index : UINT32_MAX;
    }
}

uint32_t au_cause_done_before(const au_cause *g, uint32_t thread, uint32_t event) {
    uint32_t low = 0, high = au_cause_length(g, thread);
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (au_cause_event(g, thread, mid + 1) < event)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

bool au_cause_before(const au_cause *g, uint32_t a, uint32_t b) {
    uint16_t t = g->t->events.thread[a];
    if (t == g->t->events.thread[b])
        return a <= b;
    return au_cause_clock(g, &g->relaxed, b)[t] >= g->index[a];
}

/* --- objects, sections ------------------------------------------------------------------- */

enum { HAS_LOCKS = 1, HAS_COUNT = 2, HAS_TRY = 4, HAS_INIT = 8 };

/* Sections are made of what is used as a lock and never made anew while it may be in use. */
static bool *find_odd(au_cause *g) {
    const au_columns *x = &g->t->events;
    size_t objects = g->t->names.lock.n;
    uint8_t *has = au_alloc_array(objects, sizeof *has);
    uint32_t *init = au_alloc_array(objects, sizeof *init);
    bool *sections = au_alloc_array(objects, sizeof *sections);
    for (size_t l = 0; l < objects; l++)
        if (au_names_sync(&g->t->names, (uint32_t)l).kind == AU_WIRE_OBJ_SEM)
            has[l] |= HAS_COUNT;
    for (uint32_t e = 0; e < g->n; e++) {
        if (au_op_space(x->op[e]) != AU_WIRE_SPACE_LOCK)
            continue;
        uint32_t l = x->obj[e];
        bool first = !has[l] && !init[l];
        switch (x->op[e]) {
        case AU_OP_ACQ:
        case AU_OP_RDACQ:
        case AU_OP_WRACQ:
        case AU_OP_REL:
            has[l] |= HAS_LOCKS;
            break;
        case AU_OP_DOWN:
        case AU_OP_UP:
        case AU_OP_ARRIVE:
        case AU_OP_LEAVE:
            has[l] |= HAS_COUNT;
            break;
        case AU_OP_TRYFAIL:
            has[l] |= HAS_TRY;
            break;
        case AU_OP_INIT:
            if (!first)
                has[l] |= HAS_INIT;
            else
                init[l] = e + 1;
            continue;
        default:
            continue;
        }
        if (init[l] && !au_cause_before(g, init[l] - 1, e))
            has[l] |= HAS_INIT;
    }
    for (size_t l = 0; l < objects; l++) {
        sections[l] = (has[l] & HAS_LOCKS) && !(has[l] & (HAS_COUNT | HAS_INIT));
        g->odd[l] = has[l] & (HAS_COUNT | HAS_TRY | HAS_INIT);
        g->any_odd |= g->odd[l];
    }
    free(has);
    free(init);
    return sections;
}

typedef struct {
    uint32_t section, depth;
} holding;

static void find_sections(au_cause *g, const bool *has_sections) {
    const au_columns *x = &g->t->events;
    au_vec_reserve(&g->open_pool, 1); /* so that there is a place to point at */
    for (uint32_t t = 0; t < g->threads; t++) {
        AU_VEC(holding) hold = {0};
        au_vec_push(&g->open[t], ((au_cause_open){0, 0, 0}));
        for (uint32_t i = 1; i <= au_cause_length(g, t); i++) {
            uint32_t e = au_cause_event(g, t, i), l = x->obj[e];
            au_op op = x->op[e];
            bool takes = op == AU_OP_ACQ || op == AU_OP_RDACQ || op == AU_OP_WRACQ;
            if (!(takes || op == AU_OP_REL) || !has_sections[l])
                continue;
            size_t k = 0;
            while (k < hold.n && g->section.at[hold.at[k].section].lock != l)
                k++;
            if (takes && k < hold.n) {
                hold.at[k].depth++;
                continue;
            }
            if (!takes && (k == hold.n || --hold.at[k].depth))
                continue;
            if (takes) {
                uint32_t id = (uint32_t)g->section.n;
                au_vec_push(&g->section,
                            ((au_cause_section){l, i, 0, (uint16_t)t, op == AU_OP_RDACQ}));
                au_vec_push(user(&g->lock[l], (uint16_t)t), id);
                au_vec_push(&hold, ((holding){id, 1}));
                g->section_of[e] = id;
            } else {
                g->section.at[hold.at[k].section].rel = i;
                g->section_of[e] = hold.at[k].section;
                memmove(hold.at + k, hold.at + k + 1, (hold.n - k - 1) * sizeof *hold.at);
                hold.n--;
            }
            au_vec_push(&g->open[t],
                        ((au_cause_open){i, (uint32_t)g->open_pool.n, (uint32_t)hold.n}));
            for (size_t j = 0; j < hold.n; j++)
                au_vec_push(&g->open_pool, hold.at[j].section);
        }
        au_vec_release(&hold);
    }
}

const uint32_t *au_cause_open_after(const au_cause *g, uint32_t thread, uint32_t index,
                                    uint32_t *n) {
    const au_cause_open *at = g->open[thread].at;
    size_t lo = 0, hi = g->open[thread].n; /* at[lo] begins no later */
    while (hi - lo > 1) {
        size_t mid = (lo + hi) / 2;
        if (at[mid].index <= index)
            lo = mid;
        else
            hi = mid;
    }
    *n = at[lo].n;
    return at[lo].n ? g->open_pool.at + at[lo].first : NULL;
}

uint32_t au_cause_writes_upto(const au_cause_ids *at, uint32_t index) {
    size_t lo = 0, hi = at ? at->n : 0;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (at->at[mid] <= index)
            lo = mid + 1;
        else
            hi = mid;
    }
    return (uint32_t)lo;
}

uint32_t au_cause_sections_upto(const au_cause *g, const au_cause_ids *at, uint32_t index) {
    size_t lo = 0, hi = at ? at->n : 0;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (g->section.at[at->at[mid]].acq <= index)
            lo = mid + 1;
        else
            hi = mid;
    }
    return (uint32_t)lo;
}

/* --- all of it ------------------------------------------------------------------------------ */

au_cause *au_cause_new(const au_trace *t, const au_cause_options *o, au_error *err) {
    if (t->events.n > UINT32_MAX - 2) {
        au_error_set(err, AU_EUNSUPPORTED, "a trace of more than 2^32 - 2 events");
        return NULL;
    }
    au_cause *g = AU_NEW(au_cause);
    size_t vars = t->names.var.n, objects = t->names.lock.n;
    g->t = t;
    g->n = (uint32_t)t->events.n;
    g->threads = (uint32_t)t->names.thread.n;
    g->first = au_alloc_array(g->threads + (size_t)1, sizeof *g->first);
    g->order = au_alloc_array(g->n, sizeof *g->order);
    g->index = au_alloc_array(g->n, sizeof *g->index);
    g->writer = au_alloc_array(g->n, sizeof *g->writer);
    g->reader = au_alloc_array(g->n, sizeof *g->reader);
    g->next = au_alloc_array(g->n, sizeof *g->next);
    g->section_of = au_alloc_array(g->n, sizeof *g->section_of);
    memset(g->section_of, 0xff, g->n * sizeof *g->section_of);
    g->virgin = au_alloc_array(vars, sizeof *g->virgin);
    g->fork_of = au_alloc_array(g->threads, sizeof *g->fork_of);
    g->open = au_alloc_array(g->threads, sizeof *g->open);
    g->lock = au_alloc_array(objects, sizeof *g->lock);
    g->write = au_alloc_array(vars, sizeof *g->write);
    g->odd = au_alloc_array(objects, sizeof *g->odd);
    segments s = {0};
    sort_events(g);
    couple(g);
    find_segments(g, &s);
    wakings w = {0};
    find_wakings(g, &w);
    bool *certain = o->no_reads   ? au_alloc_array(g->n, sizeof *certain)
                    : o->by_value ? find_certain(g)
                                  : NULL;
    au_deadline_step(g->n); /* counted only: short passes */
    bool whole =
        build_past(g, &g->relaxed, &s, o->pairs && w.any ? &w : NULL, false, certain, o->in_time);
    bool *has_sections = find_odd(g);
    find_sections(g, has_sections);
    g->two = !certain && (g->any_odd || (w.any && !o->pairs));
    if (g->two && whole)
        whole = build_past(g, &g->strict, &s, w.any ? &w : NULL, true, NULL, o->in_time);
    release_wakings(&w);
    free(has_sections);
    free(certain);
    release_segments(g, &s);
    if (whole)
        return g;
    au_error_set(err, AU_EUNSUPPORTED, "%s", au_deadline_why());
    au_cause_free(g);
    return NULL;
}

static void free_users(au_cause_users *u, size_t n) {
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < u[i].n; j++)
            au_vec_release(&u[i].at[j].at);
        au_vec_release(&u[i]);
    }
    free(u);
}

static void free_past(const au_cause *g, au_cause_past *p) {
    for (uint32_t t = 0; p->line && t < g->threads; t++)
        au_vec_release(&p->line[t]);
    free(p->line);
    free(p->clock_of);
    au_vec_release(&p->clock);
}

void au_cause_free(au_cause *g) {
    if (!g)
        return;
    for (uint32_t t = 0; t < g->threads; t++)
        au_vec_release(&g->open[t]);
    free_users(g->lock, g->t->names.lock.n);
    free_users(g->write, g->t->names.var.n);
    free_past(g, &g->relaxed);
    free_past(g, &g->strict);
    au_vec_release(&g->section);
    au_vec_release(&g->open_pool);
    free(g->first);
    free(g->order);
    free(g->index);
    free(g->writer);
    free(g->reader);
    free(g->next);
    free(g->section_of);
    free(g->virgin);
    free(g->fork_of);
    free(g->open);
    free(g->odd);
    free(g);
}

static size_t past_bytes(const au_cause *g, const au_cause_past *p) {
    size_t n = p->clock.cap * sizeof *p->clock.at;
    if (p->clock_of)
        n += g->n * sizeof *p->clock_of;
    for (uint32_t t = 0; p->line && t < g->threads; t++)
        n += p->line[t].cap * sizeof *p->line[t].at;
    return n;
}

size_t au_cause_memory(const au_cause *g) {
    size_t n = g->n * sizeof(uint32_t) * 6 + g->section.cap * sizeof *g->section.at +
               g->open_pool.cap * sizeof *g->open_pool.at;
    for (uint32_t t = 0; t < g->threads; t++)
        n += g->open[t].cap * sizeof *g->open[t].at;
    for (size_t v = 0; v < g->t->names.var.n; v++)
        for (size_t j = 0; j < g->write[v].n; j++)
            n += g->write[v].at[j].at.cap * sizeof(uint32_t);
    return n + past_bytes(g, &g->relaxed) + past_bytes(g, &g->strict);
}

bool au_cause_is_odd(const au_cause *g) {
    return g->any_odd;
}
