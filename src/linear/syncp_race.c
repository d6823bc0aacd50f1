/* linear/syncp_race.c: sync-preserving races.
 *
 * For two lists of accesses of a variable, each in the order of its thread, one walk
 * with two pointers and one growing ideal finds a race if there is one: an access that
 * is in the ideal of the current pair is in that of every later pair and can be
 * passed; if neither is, the pair is a race. Before an ideal is closed (which costs),
 * the pair is passed for less if one access is in the causal past of the other or if
 * both hold a lock that keeps them apart (then the earlier one is in the ideal). */
#include "base/limits.h"
#include "linear/race.h"

#include "base/big.h"
#include "linear/eraser.h"
#include "linear/syncp_priv.h"

typedef struct {
    uint32_t event, pos; /* in the trace; in its thread */
    uint32_t clock;      /* what its thread knew before it */
    uint32_t held;
} access;

/* Accesses of one thread, kind and (unless coarse) location. */
typedef struct {
    uint32_t from, n; /* in 'order' */
    uint32_t loc;
    uint16_t thread;
    bool write, atomic;
} group;

typedef struct {
    const au_syncp *s;
    const au_race_options *o;
    au_findings *out;
    au_race_stats *stats;
    au_held *held;
    au_ideal *ideal;
    au_syncp_late *late;
    au_race_seen seen;
    access *access;  /* by variable, then in the order of the trace */
    uint64_t *first; /* by variable; one more at the end */
    uint64_t n_accesses, budget;
    AU_VEC(group) group;
    AU_VEC(uint32_t) order, member; /* accesses by group; group of each access */
    au_map group_of;
    bool coarse;
} walker;

enum { SMALL = 1 << 16 }; /* groups times accesses: each pair of groups is tried all the same */

static au_ideal *start(walker *w) {
    au_ideal_start(w->ideal);
    return w->ideal;
}

struct au_race_prober {
    au_ideal *ideal;
    au_syncp_late *late;
};

au_race_prober *au_race_prober_new(const au_syncp *s) {
    au_race_prober *p = AU_NEW(au_race_prober);
    p->ideal = au_ideal_new(s);
    p->late = au_late_new(s);
    return p;
}

void au_race_prober_free(au_race_prober *p) {
    if (!p)
        return;
    au_ideal_free(p->ideal);
    au_late_free(p->late);
    free(p);
}

bool au_race_probe(au_race_prober *p, size_t e1, size_t e2, au_finding *f, au_arena *arena,
                   uint64_t max_turns) {
    const au_ideal *i = p->ideal;
    au_ideal_start(p->ideal);
    au_ideal_include_before(p->ideal, e1);
    au_ideal_include_before(p->ideal, e2);
    if (!au_ideal_close(p->ideal) || au_ideal_contains(i, e1) || au_ideal_contains(i, e2))
        i = au_late_race(p->late, e1, e2);
    if (i && f) {
        if (arena)
            f->schedule = au_ideal_schedule(i, arena, max_turns);
        bool kept = arena && (f->schedule.n || !au_ideal_size(i));
        au_finding_because(f, kept ? AU_WHY_UNCHECKED : AU_WHY_LONG);
    }
    return i != NULL;
}

/* The pair is a race, and this is its ideal. */
static void report(walker *w, const access *a, const access *b, const au_ideal *ideal) {
    const au_columns *e = &w->s->trace->events;
    if (a->event > b->event) {
        const access *swap = a;
        a = b;
        b = swap;
    }
    uint32_t var = e->obj[a->event];
    if (!au_race_seen_add(&w->seen, var, e->loc[a->event], e->loc[b->event]) && !w->o->all)
        return;
    au_finding *f = au_findings_add(w->out, AU_KIND_RACE, 2);
    f->obj = var;
    f->event[0] = au_syncp_ref(w->s, a->event);
    f->event[1] = au_syncp_ref(w->s, b->event);
    f->detail = au_race_detail(f->event[0].op, f->event[1].op);
    au_finding_because(f, AU_WHY_LONG);
    if (w->budget > b->event) { /* the ideal ends before the later access, or soon after */
        w->budget -= b->event + 1u;
        f->schedule = au_ideal_schedule(ideal, &w->out->arena,
                                        w->o->max_turns ? w->o->max_turns : AU_LIMIT_RACE_TURNS);
        if (f->schedule.n || !au_ideal_size(ideal))
            au_finding_because(f, AU_WHY_UNCHECKED);
    }
    if (w->o->found)
        w->o->found(w->o->ctx, f);
}

/* The first access from k on that is not in the ideal. */
static uint32_t pass(const walker *w, const group *g, uint32_t k) {
    uint32_t in = au_ideal_clock(w->ideal)[g->thread];
    const uint32_t *order = w->order.at + g->from;
    uint32_t low = k, step = 1;
    while (low + step <= g->n && w->access[order[low + step - 1]].pos <= in) {
        low += step;
        step *= 2;
    }
    uint32_t high = low + step <= g->n ? low + step - 1 : g->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (w->access[order[mid]].pos <= in)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static const access *access_of(const walker *w, const group *g, uint32_t k) {
    return &w->access[w->order.at[g->from + k]];
}

/* The closure keeps the two apart: is it a race if a section comes late? */
static bool report_late(walker *w, const access *a, const access *b) {
    if ((a->held == AU_HELD_NONE && b->held == AU_HELD_NONE) ||
        au_held_exclude(w->held, a->held, b->held))
        return false;
    const au_ideal *ideal = au_late_race(w->late, a->event, b->event);
    if (!ideal)
        return false;
    w->stats->late++;
    report(w, a, b, ideal);
    return true;
}

/* One race between the groups, if there is one. */
static void walk(walker *w, const group *g, const group *h) {
    au_ideal *ideal = start(w);
    uint32_t late = (uint32_t)au_limit_value(AU_AT_RACE_LATE);
    bool given_up = false; /* a late order was not tried */
    const uint32_t *in = au_ideal_clock(ideal);
    for (uint32_t i = 0, k = 0; i < g->n && k < h->n;) {
        const access *a = access_of(w, g, i), *b = access_of(w, h, k);
        if (a->pos <= in[g->thread]) {
            i = pass(w, g, i);
            continue;
        }
        if (b->pos <= in[h->thread]) {
            k = pass(w, h, k);
            continue;
        }
        if (au_held_exclude(w->held, a->held, b->held)) {
            *(a->event < b->event ? &i : &k) += 1;
            continue;
        }
        au_ideal_join(ideal, g->thread, a->pos - 1, a->clock);
        au_ideal_join(ideal, h->thread, b->pos - 1, b->clock);
        if (a->pos <= in[g->thread] || b->pos <= in[h->thread])
            continue;
        w->stats->closures++;
        au_ideal_close(ideal);
        if (a->pos <= in[g->thread] || b->pos <= in[h->thread]) {
            if (late && report_late(w, a, b))
                return;
            given_up |= !late;
            late -= late > 0;
            continue;
        }
        report(w, a, b, ideal);
        return;
    }
    if (given_up)
        au_limit_reached(AU_AT_RACE_LATE, 1);
}

/* Every pair: for each access of g, one walk over those of h. */
static void walk_all(walker *w, const group *g, const group *h) {
    for (uint32_t i = 0; i < g->n; i++) {
        const access *a = access_of(w, g, i);
        au_ideal *ideal = start(w);
        const uint32_t *in = au_ideal_clock(ideal);
        au_ideal_join(ideal, g->thread, a->pos - 1, a->clock);
        for (uint32_t k = 0; k < h->n; k++) {
            const access *b = access_of(w, h, k);
            au_ideal_join(ideal, h->thread, b->pos - 1, b->clock);
            w->stats->closures++;
            au_ideal_close(ideal);
            if (a->pos > in[g->thread] && b->pos > in[h->thread])
                report(w, a, b, ideal);
            else if (au_clock_row(w->s, a->clock)[h->thread] < b->pos &&
                     au_clock_row(w->s, b->clock)[g->thread] < a->pos)
                report_late(w, a, b);
        }
    }
}

/* --- groups -------------------------------------------------------------------------- */

static void group_accesses(walker *w, const access *a, uint32_t n, bool coarse) {
    const au_columns *e = &w->s->trace->events;
    au_vec_clear(&w->group);
    au_vec_clear(&w->member);
    au_map_clear(&w->group_of);
    for (uint32_t i = 0; i < n; i++) {
        au_op op = e->op[a[i].event];
        bool write = op != AU_OP_READ && op != AU_OP_AREAD;
        bool atomic = op != AU_OP_READ && op != AU_OP_WRITE;
        uint32_t loc = coarse ? AU_NONE : e->loc[a[i].event];
        uint16_t t = e->thread[a[i].event];
        uint64_t key =
            (uint64_t)loc << 32 | (uint64_t)t << 2 | (uint64_t)write << 1 | (uint64_t)atomic;
        uint64_t *id = au_map_put(&w->group_of, key, NULL);
        if (!*id) {
            au_vec_push(&w->group, ((group){0, 0, loc, t, write, atomic}));
            *id = w->group.n;
        }
        w->group.at[*id - 1].n++;
        au_vec_push(&w->member, (uint32_t)*id - 1);
    }
}

static void sort_by_group(walker *w, uint64_t first, uint32_t n) {
    uint32_t from = 0;
    for (size_t k = 0; k < w->group.n; k++) {
        w->group.at[k].from = from;
        from += w->group.at[k].n;
        w->group.at[k].n = 0;
    }
    au_vec_reserve(&w->order, n);
    w->order.n = n;
    for (uint32_t i = 0; i < n; i++) {
        group *g = &w->group.at[w->member.at[i]];
        w->order.at[g->from + g->n++] = (uint32_t)first + i;
    }
}

static void on_variable(walker *w, uint32_t var) {
    uint64_t first = w->first[var];
    uint32_t n = (uint32_t)(w->first[var + 1] - first);
    if (!n)
        return;
    group_accesses(w, w->access + first, n, false);
    w->coarse = !w->o->all && w->group.n > AU_LIMIT_RACE_GROUPS && (uint64_t)w->group.n * n > SMALL;
    if (w->coarse) {
        w->stats->coarse++;
        au_limit_reached(AU_AT_RACE_GROUPS, 1);
        group_accesses(w, w->access + first, n, true);
    }
    sort_by_group(w, first, n);
    size_t found = w->out->finding.n;
    for (size_t i = 0; i < w->group.n; i++)
        for (size_t k = i + 1; k < w->group.n; k++) {
            const group *g = &w->group.at[i], *h = &w->group.at[k];
            if (g->thread == h->thread || (!g->write && !h->write) || (g->atomic && h->atomic))
                continue;
            if (w->o->all)
                walk_all(w, g, h);
            else if (w->coarse || !au_race_seen_has(&w->seen, var, g->loc, h->loc))
                walk(w, g, h);
        }
    w->stats->racy += w->out->finding.n > found;
}

/* --- accesses ------------------------------------------------------------------------ */

/* The accesses of suspect variables, with what is needed of them. */
static void collect(walker *w, const au_eraser *suspects) {
    const au_columns *e = &w->s->trace->events;
    size_t vars = w->s->trace->names.var.n;
    w->first = au_alloc_array(vars + 2, sizeof *w->first);
    uint8_t *suspect = au_alloc_array(vars, 1);
    for (size_t x = 0; x < vars; x++)
        suspect[x] = au_eraser_suspect(suspects, (uint32_t)x);
    for (size_t i = 0; i < e->n; i++)
        if (au_op_is_access(e->op[i]) && suspect[e->obj[i]])
            w->first[e->obj[i] + 2]++;
    for (size_t x = 0; x < vars; x++)
        w->first[x + 2] += w->first[x + 1];
    w->n_accesses = w->first[vars + 1];
    w->access = au_big_grow(NULL, 0, w->n_accesses, sizeof *w->access);
    /* first[x + 1] is where the next access of x goes: afterwards, where x + 1 begins */
    uint32_t *change = au_alloc_array(w->s->n_threads, sizeof *change);
    for (size_t i = 0; i < e->n; i++) {
        uint16_t t = e->thread[i];
        if (!au_op_is_access(e->op[i])) {
            au_held_step(w->held, t, e->op[i], e->obj[i]);
            continue;
        }
        if (!suspect[e->obj[i]])
            continue;
        const au_thread_past *p = &w->s->thread[t];
        uint32_t before = w->s->pos[i] - 1;
        while (change[t] < p->change.n && p->change.at[change[t]].from <= before)
            change[t]++;
        w->access[w->first[e->obj[i] + 1]++] =
            (access){(uint32_t)i, before + 1, change[t] ? p->change.at[change[t] - 1].clock : 0,
                     au_held_set(w->held, t)};
    }
    free(change);
    free(suspect);
}

void au_syncp_races(const au_syncp *s, const au_race_options *o, au_findings *out,
                    au_race_stats *stats) {
    au_race_stats own = {0};
    walker w = {.s = s, .o = o, .out = out, .stats = &own};
    w.budget = o->budget ? o->budget : AU_LIMIT_RACE_BUDGET;
    au_eraser *eraser = au_eraser_new(&s->trace->names);
    au_block whole = au_columns_block(&s->trace->events, 0, s->trace->events.n);
    au_eraser_block(eraser, &whole);
    au_eraser_counts c = au_eraser_count(eraser);
    own.candidates = c.candidates;
    own.must_hb = c.must_hb;
    own.lockset = c.lockset;
    w.held = au_held_new(&s->trace->names);
    w.ideal = au_ideal_new(s);
    w.late = au_late_new(s);
    au_race_seen_init(&w.seen);
    au_map_init(&w.group_of);
    collect(&w, eraser);
    for (size_t x = 0; x < s->trace->names.var.n; x++)
        on_variable(&w, (uint32_t)x);
    if (stats)
        *stats = own;
    au_map_release(&w.group_of);
    au_race_seen_release(&w.seen);
    au_ideal_free(w.ideal);
    au_late_free(w.late);
    au_held_free(w.held);
    au_eraser_free(eraser);
    au_vec_release(&w.group);
    au_vec_release(&w.order);
    au_vec_release(&w.member);
    au_big_free(w.access, w.n_accesses, sizeof *w.access);
    free(w.first);
}
