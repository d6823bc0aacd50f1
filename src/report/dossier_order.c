/* report/dossier_order.c: the order in which a finding happens, and the order that was observed, as
 * events with names; of long ones, what matters.
 *
 * A schedule is a list of turns, and a turn of a thread is a run of its events: so an order is a list
 * of runs, and event number p of the order is found without writing the order down. What matters
 * are the decisive events, what is near them, and where locks were taken that are held there. */
#include "base/limits.h"
#include "report/dossier_priv.h"

#include <stdlib.h>

enum { AFTER_OBSERVED = 8 }; /* events shown behind the last decisive one */

/* Events from + 1 … to of a thread, as its own order counts them. */
typedef struct {
    uint32_t thread;
    uint64_t from, to;
    uint64_t start; /* how many events of the order come before */
} run;

typedef struct {
    au_dossier_maker *k;
    const au_finding *f;
    const au_case *c;
    AU_VEC(run) run;       /* empty: the order is the trace's own */
    uint64_t n;            /* events */
    bool observed;         /* values are the trace's */
    bool kept;             /* reads see what they saw, up to the decisive events */
    au_map seen;           /* thread and index -> place in f->seen + 1 */
    AU_VEC(uint64_t) near; /* places in the order: their surroundings matter … */
    AU_VEC(uint64_t) just; /* … only they themselves */
} order;

/* ---- threads' own orders ------------------------------------------------------------------- */

static void make_index(au_dossier_maker *k) {
    const au_columns *e = &k->t->events;
    size_t threads = k->t->names.thread.n;
    if (k->first)
        return;
    k->first = au_alloc_array(threads + 2, sizeof *k->first);
    k->event = au_alloc_array(e->n + 1, sizeof *k->event);
    for (size_t i = 0; i < e->n; i++)
        k->first[e->thread[i] + 2]++;
    for (size_t t = 2; t < threads + 2; t++)
        k->first[t] += k->first[t - 1];
    for (size_t i = 0; i < e->n; i++)
        k->event[k->first[e->thread[i] + 1]++] = (uint32_t)i;
}

static uint64_t length_of(const au_dossier_maker *k, uint32_t thread) {
    return k->first[thread + 1] - k->first[thread];
}

/* Event 'index' (from 1) of a thread, in the trace. */
static uint32_t event_at(const au_dossier_maker *k, uint32_t thread, uint64_t index) {
    return k->event[k->first[thread] + index - 1];
}

/* How many of the thread's events stand before this one or are it. */
static uint64_t index_of(const au_dossier_maker *k, uint64_t number) {
    uint32_t thread = k->t->events.thread[number];
    uint64_t low = 0, high = length_of(k, thread);
    while (low < high) {
        uint64_t mid = (low + high) / 2;
        if (event_at(k, thread, mid + 1) <= number)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* What findings call the event: hooks, where there are hooks. */
static uint64_t told_index(const au_dossier_maker *k, uint32_t thread, uint64_t index) {
    return au_hooks_of(&k->t->hooks, (uint16_t)thread, index);
}

/* How many of the thread's events are executed when the schedule says 'upto'. */
static uint64_t executed(const au_dossier_maker *k, uint32_t thread, uint64_t upto) {
    uint64_t low = 0, high = length_of(k, thread);
    while (low < high) {
        uint64_t mid = (low + high) / 2;
        if (told_index(k, thread, mid + 1) <= upto)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* ---- orders -------------------------------------------------------------------------------- */

static void add_run(order *o, uint64_t *done, uint32_t thread, uint64_t to) {
    if (to <= done[thread])
        return;
    if (o->run.n && au_vec_last(&o->run).thread == thread)
        au_vec_last(&o->run).to = to;
    else
        au_vec_push(&o->run, ((run){thread, done[thread], to, o->n}));
    o->n += to - done[thread];
    done[thread] = to;
}

/* Is the decisive event itself an event of the order? A wait that never ends is not, nor is an
 * assertion: they come behind it. */
static bool is_executed(const au_finding *f, uint32_t i) {
    return f->kind != AU_KIND_DEADLOCK && f->kind != AU_KIND_ASSERTION &&
           f->event[i].number != AU_NONE64;
}

static void follow_schedule(order *o) {
    const au_finding *f = o->f;
    uint64_t *done = au_alloc_array(o->k->t->names.thread.n, sizeof *done);
    for (uint32_t i = 0; i < f->schedule.n; i++)
        add_run(o, done, f->schedule.turn[i].thread,
                executed(o->k, f->schedule.turn[i].thread, f->schedule.turn[i].upto));
    if (f->cut && !f->schedule.n) {
        au_cut_walk walk;
        au_turn t;
        au_cut_begin(&walk, f->cut, &o->k->t->events);
        while (au_cut_turn(&walk, &t))
            add_run(o, done, t.thread, t.upto);
        au_cut_end(&walk);
    }
    for (uint32_t i = 0; i < f->n_events; i++)
        if (is_executed(f, i))
            add_run(o, done, f->event[i].thread, index_of(o->k, f->event[i].number));
    free(done);
}

/* Event p of the order, as a number in the trace. */
static uint64_t event_of(const order *o, uint64_t p) {
    if (!o->run.n)
        return p;
    size_t low = 0, high = o->run.n - 1;
    while (low < high) {
        size_t mid = (low + high + 1) / 2;
        if (o->run.at[mid].start <= p)
            low = mid;
        else
            high = mid - 1;
    }
    const run *r = &o->run.at[low];
    return event_at(o->k, r->thread, r->from + (p - r->start) + 1);
}

/* Where an event of the trace stands in the order; false: it does not. */
static bool place_of(const order *o, uint64_t number, uint64_t *p) {
    *p = number;
    if (!o->run.n)
        return number < o->n;
    if (o->run.n > AU_LIMIT_ORDER_SEARCHED) {
        au_limit_reached(AU_AT_ORDER_SEARCHED, 1);
        return false;
    }
    uint32_t thread = o->k->t->events.thread[number];
    uint64_t index = index_of(o->k, number);
    for (size_t i = 0; i < o->run.n; i++) {
        const run *r = &o->run.at[i];
        if (r->thread == thread && r->from < index && index <= r->to) {
            *p = r->start + (index - r->from - 1);
            return true;
        }
    }
    return false;
}

/* ---- what matters -------------------------------------------------------------------------- */

static void find_places(order *o) {
    uint64_t p;
    for (uint32_t i = 0; i < o->f->n_events; i++) {
        uint64_t number = o->f->event[i].number;
        if (number == AU_NONE64)
            continue;
        if (place_of(o, number, &p))
            au_vec_push(&o->near, p);
        const struct au_held_at *h = au_dossier_held(o->k, number);
        for (uint32_t l = 0; h && l < h->n && l < 8; l++)
            if (place_of(o, h->lock[l].since, &p))
                au_vec_push(&o->just, p);
    }
    if (!o->observed && o->n)
        au_vec_push(&o->near, o->n - 1);
}

static int by_place(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

typedef AU_VEC(uint64_t) places;

/* The places around those in o->near, 'share' for each of them, three quarters before it; how many
 * they are. */
static size_t surroundings(const order *o, size_t share, uint64_t end, places *out) {
    uint64_t next = 0, before = share - share / 4;
    size_t n = 0;
    for (size_t i = 0; i < o->near.n; i++) {
        uint64_t p = o->near.at[i], from = p >= before ? p - before + 1 : 0;
        uint64_t to = from + share < end ? from + share : end;
        for (uint64_t q = from > next ? from : next; q < to; q++, n++)
            if (out)
                au_vec_push(out, q);
        next = to > next ? to : next;
    }
    return n;
}

/* At most 'most' places of the order, sorted, each once. */
static void choose(order *o, size_t most, places *out) {
    uint64_t end = o->n;
    if (o->near.n && o->observed) { /* what came after is of no interest */
        uint64_t last = 0;
        for (size_t i = 0; i < o->near.n; i++)
            last = o->near.at[i] > last ? o->near.at[i] : last;
        end = last + AFTER_OBSERVED < o->n ? last + AFTER_OBSERVED : o->n;
    }
    if (end <= most) {
        for (uint64_t p = 0; p < end; p++)
            au_vec_push(out, p);
        return;
    }
    for (size_t i = 0; i < o->just.n && out->n < most / 3; i++)
        au_vec_push(out, o->just.at[i]);
    if (o->near.n)
        qsort(o->near.at, o->near.n, sizeof *o->near.at, by_place);
    /* as much around each as there is room for: surroundings may overlap */
    size_t low = 1, high = most, room = most - out->n;
    while (low < high) {
        size_t mid = (low + high + 1) / 2;
        if (surroundings(o, mid, end, NULL) <= room)
            low = mid;
        else
            high = mid - 1;
    }
    surroundings(o, low, end, out);
    size_t kept = 0;
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, by_place);
    for (size_t i = 0; i < out->n; i++)
        if (!kept || out->at[kept - 1] != out->at[i])
            out->at[kept++] = out->at[i];
    out->n = kept;
}

/* ---- events -------------------------------------------------------------------------------- */

static uint64_t seen_key(uint32_t thread, uint64_t index) {
    return au_hash_join(thread, index);
}

static void index_seen(order *o) {
    for (uint32_t i = 0; i < o->f->n_seen; i++)
        *au_map_put(&o->seen, seen_key(o->f->seen[i].thread, o->f->seen[i].index), NULL) = i + 1;
}

/* The last thing that is seen there of this variable. */
static bool find_seen(const order *o, const au_event_ref *e, int64_t *value) {
    const uint64_t *at = au_map_find(&o->seen, seen_key(e->thread, e->index));
    for (uint64_t i = at ? *at : 0; i-- > 0;) {
        const au_access_seen *a = &o->f->seen[i];
        if (a->thread != e->thread || a->index != e->index)
            break;
        if (a->var == e->obj) {
            *value = a->value;
            return true;
        }
    }
    return false;
}

/* Which decisive event it is, from 1; 0: none. */
static uint32_t decisive(const order *o, uint64_t number) {
    for (uint32_t i = 0; i < o->f->n_events; i++)
        if (o->f->event[i].number == number && o->f->kind != AU_KIND_ASSERTION &&
            (o->observed || is_executed(o->f, i)))
            return i + 1;
    return 0;
}

/* Has the thread read another value than it did, as far as is known? */
static bool went_astray(const order *o, uint32_t thread, uint64_t number) {
    for (uint32_t i = 0; i < o->f->n_events; i++) {
        const au_event_ref *e = &o->f->event[i];
        bool reads = e->op == AU_OP_READ || e->op == AU_OP_AREAD || e->op == AU_OP_RMW;
        if (e->thread == thread && e->number <= number && reads)
            return true;
    }
    return false;
}

static au_case_event step_of(order *o, uint64_t number) {
    const au_columns *t = &o->k->t->events;
    au_event_ref e = {.number = number,
                      .index = index_of(o->k, number),
                      .obj = t->obj[number],
                      .loc = t->loc[number],
                      .thread = t->thread[number],
                      .op = t->op[number]};
    e.index = told_index(o->k, e.thread, e.index);
    au_case_event c = au_dossier_event(o->k, &e, NULL);
    c.decisive = decisive(o, number);
    if (c.decisive) {
        c.held = o->c->event.at[c.decisive - 1].held;
        c.n_held = o->c->event.at[c.decisive - 1].n_held;
    }
    if (!au_op_is_access(e.op))
        return c;
    bool there = t->any_value && (t->all_value || t->has_value[number]);
    if (!o->observed && o->f->n_seen)
        c.has_value = find_seen(o, &e, &c.value);
    else if (there && (o->observed || (o->kept && !went_astray(o, e.thread, number)))) {
        c.has_value = true;
        c.value = t->value[number];
    }
    return c;
}

static void write_down(order *o, size_t most, au_case_events *to, uint32_t *cut,
                       uint64_t *left_out) {
    places p = {0};
    uint64_t next = 0, largest = 0;
    choose(o, most, &p);
    for (size_t i = 0; i < p.n; i++) {
        au_case_event e = step_of(o, event_of(o, p.at[i]));
        e.skipped = p.at[i] - next;
        *left_out += e.skipped;
        if (e.skipped > largest) {
            largest = e.skipped;
            *cut = (uint32_t)to->n;
        }
        next = p.at[i] + 1;
        au_vec_push(to, e);
    }
    au_vec_release(&p);
}

/* A decisive read sees what was written last: if that stands before it without a gap. */
static void fill_reads(au_case_events *v) {
    for (size_t i = 0; i < v->n; i++) {
        au_case_event *e = &v->at[i];
        bool gap = e->skipped;
        if (!e->decisive || e->has_value || strcmp(e->op, "read"))
            continue;
        for (size_t k = i; k-- > 0 && !gap; gap = v->at[k].skipped) {
            const au_case_event *w = &v->at[k];
            bool writes = !strcmp(w->op, "write") || !strcmp(w->op, "atomic-write");
            if (strcmp(w->object, e->object) || (!writes && strcmp(w->op, "atomic-update")))
                continue;
            e->has_value = writes && w->has_value;
            e->value = w->value;
            break;
        }
    }
}

static void release(order *o) {
    au_vec_release(&o->run);
    au_vec_release(&o->near);
    au_vec_release(&o->just);
    au_map_release(&o->seen);
}

static void write_witness(au_dossier_maker *k, const au_finding *f, au_case *c, size_t steps) {
    order o = {.k = k, .f = f, .c = c, .kept = f->standing <= AU_IS_PROVED};
    size_t behind = 0;
    au_map_init(&o.seen);
    follow_schedule(&o);
    index_seen(&o);
    find_places(&o);
    for (uint32_t i = 0; i < f->n_events; i++)
        behind += !is_executed(f, i);
    if (o.run.n) /* without a run it would be the trace's own order */
        write_down(&o, steps > behind ? steps - behind : 1, &c->witness, &c->witness_cut,
                   &c->witness_left_out);
    if (o.kept && !f->n_seen)
        fill_reads(&c->witness);
    for (uint32_t i = 0; i < f->n_events; i++)
        if (!is_executed(f, i))
            au_vec_push(&c->witness, c->event.at[i]);
    release(&o);
}

static void write_observed(au_dossier_maker *k, const au_finding *f, au_case *c, size_t steps) {
    order o = {.k = k, .f = f, .c = c, .observed = true, .n = k->t->events.n};
    au_map_init(&o.seen);
    find_places(&o);
    if (o.near.n)
        write_down(&o, steps, &c->observed, &c->observed_cut, &c->observed_left_out);
    release(&o);
}

/* ---- the recording of a replay --------------------------------------------------------------- */

bool au_dossier_find_event(au_dossier_maker *k, uint32_t thread, uint64_t told, uint32_t obj,
                           uint64_t *number) {
    make_index(k);
    uint64_t i = executed(k, thread, told);
    bool found = false;
    for (; i && told_index(k, thread, i) == told; i--) {
        uint64_t e = event_at(k, thread, i);
        if (!found || k->t->events.obj[e] == obj)
            *number = e;
        found = true;
        if (k->t->events.obj[e] == obj)
            break;
    }
    return found;
}

void au_dossier_what_happened(au_dossier_maker *k, const au_finding *f, au_case *c, size_t steps) {
    order o = {.k = k, .f = f, .c = c, .observed = true, .n = k->t->events.n};
    size_t behind = 0;
    make_index(k);
    au_map_init(&o.seen);
    find_places(&o);
    for (uint32_t i = 0; i < f->n_events; i++)
        behind += !is_executed(f, i);
    if (!o.near.n && o.n)
        au_vec_push(&o.near, o.n - 1); /* it ended there */
    write_down(&o, steps > behind ? steps - behind : 1, &c->witness, &c->witness_cut,
               &c->witness_left_out);
    for (uint32_t i = 0; i < f->n_events; i++)
        if (!is_executed(f, i))
            au_vec_push(&c->witness, c->event.at[i]);
    release(&o);
}

void au_dossier_orders(au_dossier_maker *k, const au_finding *f, au_case *c, size_t steps) {
    if (!k->t || k->t->events.n >= UINT32_MAX)
        return;
    make_index(k);
    if (f->schedule.n || f->cut ||
        f->standing <= AU_IS_PROVED) /* it may be next without any turn */
        write_witness(k, f, c, steps);
    write_observed(k, f, c, steps);
}
