/* linear/syncp_race.c: sync-preserving races.
 *
 * For two lists of accesses of a variable, each in the order of its thread, one walk
 * with two pointers and one growing ideal finds a race if there is one: an access that
 * is in the ideal of the current pair is in that of every later pair and can be
 * passed; if neither is, the pair is a race. Before an ideal is closed (which costs),
 * the pair is passed for less if one access is in the causal past of the other or if
 * both hold a lock that keeps them apart (then the earlier one is in the ideal). */
#include "base/deadline.h"
#include "base/limits.h"
#include "linear/race.h"

#include "base/big.h"
#include "linear/eraser.h"
#include "linear/syncp_priv.h"

typedef struct {
    uint32_t event, pos; /* in the trace; in its thread */
    uint32_t clock;      /* what its thread knew before it */
    uint32_t held;
    uint32_t loc, who; /* who: thread << WHO | blank << 2 | write << 1 | atomic */
} access;

/* Accesses of one thread, kind and (unless coarse) location. */
typedef struct {
    uint32_t from, n; /* in 'order' */
    uint32_t loc;     /* of the first */
    uint16_t thread;
    bool write, atomic;
    bool blank;   /* a write without a value where others have one: a free, or foreign code's */
    bool several; /* locations */
} group;

/* From location and 'who' to the group, of the variable of this round. */
typedef struct {
    uint64_t key;
    uint32_t round, group;
} group_slot;

typedef struct {
    const au_syncp *s;
    const au_race_options *o;
    const struct au_race_part *part;
    au_race_stats *stats;
    au_held *held;
    au_ideal *ideal;
    au_syncp_late *late;
    au_race_seen seen;
    access *access;  /* by variable, then in the order of the trace */
    uint64_t *first; /* by variable; one more at the end */
    uint32_t
        *next; /* while they are collected: where the next one goes; AU_NONE: nobody suspects it */
    uint64_t n_accesses, found;
    AU_VEC(group) group;
    AU_VEC(uint32_t) order, member; /* accesses by group; group of each access */
    group_slot *group_of;           /* open addressing; slots of other rounds are free */
    uint32_t group_cap, round;
    bool coarse;
} walker;

enum { ATOMIC = 1, WRITES = 2, BLANK = 4, WHO = 3 }; /* in access.who */
enum { SLICE = 1 << 12 };                            /* events between two looks at the clock */
enum { TOGETHER = 1 << 22 }; /* accesses that are collected in one pass over the trace */
enum { SHORT = 1 << 12 };    /* events of a schedule that is written out at once */
enum { SMALL = 1 << 16 };    /* groups times accesses: each pair of groups is tried all the same */

static au_ideal *start(walker *w) {
    au_ideal_start(w->ideal);
    return w->ideal;
}

au_why au_ideal_kept(const au_ideal *i, au_finding *f, bool written, au_arena *arena) {
    if (f->schedule.n || (written && !au_ideal_size(i)))
        return AU_WHY_UNCHECKED;
    f->cut = au_ideal_cut(i, arena);
    return f->cut ? AU_WHY_UNCHECKED : AU_WHY_LONG;
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
                   bool written, uint64_t max_turns) {
    const au_ideal *i = p->ideal;
    au_ideal_start(p->ideal);
    au_ideal_include_before(p->ideal, e1);
    au_ideal_include_before(p->ideal, e2);
    if (!au_ideal_close(p->ideal) || au_ideal_contains(i, e1) || au_ideal_contains(i, e2))
        i = au_late_race(p->late, e1, e2);
    if (i && f) {
        if (written)
            f->schedule = au_ideal_schedule(i, arena, max_turns);
        au_finding_because(f, au_ideal_kept(i, f, written, arena));
    }
    return i != NULL;
}

/* --- what was found ------------------------------------------------------------------ */

void au_race_teller_init(au_race_teller *t, const au_syncp *s, const au_race_options *o,
                         au_findings *out) {
    *t = (au_race_teller){s, o, out, o->budget ? o->budget : AU_LIMIT_RACE_BUDGET};
}

void au_race_tell(void *teller, uint32_t e1, uint32_t e2, const au_cut *cut) {
    au_race_teller *t = teller;
    const au_columns *events = &t->s->trace->events;
    au_finding *f = au_findings_add(t->out, AU_KIND_RACE, 2);
    f->obj = events->obj[e1];
    f->event[0] = au_syncp_ref(t->s, e1);
    f->event[1] = au_syncp_ref(t->s, e2);
    f->detail = au_race_detail(f->event[0].op, f->event[1].op);
    /* it ends before the later access, or soon after; a plain trace keeps a long one as a cut */
    bool plain = !t->s->trace->hooks.thread.n;
    bool written = t->budget > e2 && (e2 < SHORT || !plain);
    if (written) {
        t->budget -= e2 + 1u;
        f->schedule = au_cut_schedule(cut, events, &t->out->arena,
                                      t->o->max_turns ? t->o->max_turns : AU_LIMIT_RACE_TURNS);
    }
    bool whole = f->schedule.n || (written && !au_cut_events(cut));
    if (!whole && plain)
        f->cut = au_cut_copy(cut, &t->out->arena);
    au_finding_because(f, whole || f->cut ? AU_WHY_UNCHECKED : AU_WHY_LONG);
    if (t->o->found)
        t->o->found(t->o->ctx, f);
}

/* The pair is a race, and this is its ideal. */
static void report(walker *w, const access *a, const access *b, const au_ideal *ideal) {
    const au_columns *e = &w->s->trace->events;
    if (a->event > b->event) {
        const access *swap = a;
        a = b;
        b = swap;
    }
    unsigned blank = !!(a->who & BLANK) + !!(b->who & BLANK);
    if (!au_race_seen_add(&w->seen, e->obj[a->event], a->loc, b->loc, blank) && !w->o->all)
        return;
    au_cut cut = au_ideal_as_cut(ideal);
    w->part->sink(w->part->ctx, a->event, b->event, &cut);
    w->found++;
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

/* Does every access of h come after all of g in every ideal? Then no pair of them is a race. */
static bool all_before(const walker *w, const group *g, const group *h) {
    const access *last = access_of(w, g, g->n - 1), *first = access_of(w, h, 0);
    return last->event < first->event && au_clock_row(w->s, first->clock)[g->thread] >= last->pos;
}

/* One race between the groups, if there is one. */
static void walk(walker *w, const group *g, const group *h) {
    if (all_before(w, g, h) || all_before(w, h, g))
        return;
    au_ideal *ideal = start(w);
    uint32_t late = (uint32_t)au_limit_value(AU_AT_RACE_LATE);
    bool given_up = false; /* a late order was not tried */
    const uint32_t *in = au_ideal_clock(ideal);
    for (uint32_t i = 0, k = 0; i < g->n && k < h->n && !au_deadline_step(1);) {
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
    for (uint32_t i = 0; i < g->n && !au_deadline_step(1); i++) {
        const access *a = access_of(w, g, i);
        au_ideal *ideal = start(w);
        const uint32_t *in = au_ideal_clock(ideal);
        au_ideal_join(ideal, g->thread, a->pos - 1, a->clock);
        for (uint32_t k = 0; k < h->n && !au_deadline_step(1); k++) {
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

static group_slot *slot_of(const walker *w, uint64_t key) {
    uint32_t mask = w->group_cap - 1, k = (uint32_t)au_hash_u64(key) & mask;
    while (w->group_of[k].round == w->round && w->group_of[k].key != key)
        k = (k + 1) & mask;
    return &w->group_of[k];
}

static void grow_slots(walker *w) {
    uint32_t old_cap = w->group_cap;
    group_slot *old = w->group_of;
    w->group_cap = old_cap ? 2 * old_cap : 256;
    w->group_of = au_alloc_array(w->group_cap, sizeof *w->group_of);
    for (uint32_t k = 0; k < old_cap; k++)
        if (old[k].round == w->round)
            *slot_of(w, old[k].key) = old[k];
    free(old);
}

static uint32_t group_of(walker *w, const access *a, bool coarse) {
    uint64_t key = au_key2(coarse ? AU_NONE : a->loc, a->who);
    group_slot *at = slot_of(w, key);
    if (at->round == w->round)
        return at->group;
    *at = (group_slot){key, w->round, (uint32_t)w->group.n};
    au_vec_push(&w->group, ((group){.loc = a->loc,
                                    .thread = (uint16_t)(a->who >> WHO),
                                    .write = a->who & WRITES,
                                    .atomic = a->who & ATOMIC,
                                    .blank = a->who & BLANK}));
    if (2 * w->group.n > w->group_cap)
        grow_slots(w);
    return (uint32_t)w->group.n - 1;
}

static void group_accesses(walker *w, const access *a, uint32_t n, bool coarse) {
    au_vec_clear(&w->group);
    au_vec_reserve(&w->member, n);
    w->member.n = n;
    if (!w->group_cap)
        grow_slots(w);
    if (++w->round == 0) { /* wrapped: no slot is of round 0 but free ones */
        memset(w->group_of, 0, w->group_cap * sizeof *w->group_of);
        w->round = 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = group_of(w, &a[i], coarse);
        group *g = &w->group.at[id];
        g->n++;
        g->several |= g->loc != a[i].loc;
        w->member.at[i] = id;
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

/* Any race of the two would be one that is known. */
static bool seen(const walker *w, uint32_t var, const group *g, const group *h) {
    return !g->several && !h->several &&
           au_race_seen_has(&w->seen, var, g->loc, h->loc, (unsigned)g->blank + h->blank);
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
    uint64_t found = w->found;
    for (size_t i = 0; i < w->group.n; i++)
        for (size_t k = i + 1; k < w->group.n; k++) {
            const group *g = &w->group.at[i], *h = &w->group.at[k];
            if (au_deadline_step(1))
                return;
            if (g->thread == h->thread || (!g->write && !h->write) || (g->atomic && h->atomic))
                continue;
            if (w->o->all)
                walk_all(w, g, h);
            else if (!seen(w, var, g, h))
                walk(w, g, h);
        }
    w->stats->racy += w->found > found;
}

/* --- accesses ------------------------------------------------------------------------ */

/* A destructor and the free behind it stand in one line: the free, which has no value, is told apart, since what comes of
 * it is another bug. */
static uint32_t who(const au_columns *e, size_t i) {
    au_op op = e->op[i];
    bool write = op != AU_OP_READ && op != AU_OP_AREAD;
    bool atomic = op != AU_OP_READ && op != AU_OP_WRITE;
    return (uint32_t)e->thread[i] << WHO | (au_columns_blank(e, i) ? BLANK : 0) |
           (write ? WRITES : 0) | (atomic ? ATOMIC : 0);
}

/* Where the accesses of each variable of this part go; of the others, nowhere. */
static void make_room(walker *w, const au_suspects *suspects, uint32_t from, uint32_t to) {
    w->first = au_alloc_array((size_t)suspects->vars + 1, sizeof *w->first);
    w->next = au_alloc_array((size_t)suspects->vars + 1, sizeof *w->next);
    for (uint32_t x = 0; x < suspects->vars; x++) {
        bool mine = x >= from && x < to;
        uint32_t n = mine ? suspects->accesses[x] : 0;
        w->next[x] = n ? (uint32_t)w->first[x] : AU_NONE;
        w->first[x + 1] = w->first[x] + n;
    }
    w->n_accesses = w->first[suspects->vars];
    w->access = au_big_grow(NULL, 0, w->n_accesses, sizeof *w->access);
    au_big_touch(w->access, w->n_accesses * sizeof *w->access);
}

/* The accesses of suspect variables, with what is needed of them. False: the time is over. */
static bool collect(walker *w, const au_suspects *suspects, uint32_t from, uint32_t to) {
    const au_columns *e = &w->s->trace->events;
    make_room(w, suspects, from, to);
    /* by thread: its next change, and the clock until then */
    uint32_t *change = au_alloc_array(w->s->n_threads, sizeof *change);
    uint32_t *clock = au_alloc_array(w->s->n_threads, sizeof *clock);
    bool whole = true;
    size_t stretch = 0;
    for (size_t i = 0; i < e->n && whole; i++) {
        uint16_t t = e->thread[i];
        au_op op = e->op[i];
        whole = i % SLICE || !au_deadline_step(SLICE);
        if (!au_op_is_access(op)) {
            au_held_step(w->held, t, op, e->obj[i]);
            continue;
        }
        uint32_t at = w->next[e->obj[i]];
        if (at == AU_NONE)
            continue;
        const au_thread_past *p = &w->s->thread[t];
        uint32_t pos = au_syncp_next_pos(w->s, i, &stretch);
        while (change[t] < p->change.n && p->change.at[change[t]].from < pos)
            clock[t] = p->change.at[change[t]++].clock;
        w->next[e->obj[i]] = at + 1;
        w->access[at] =
            (access){(uint32_t)i, pos, clock[t], au_held_set(w->held, t), e->loc[i], who(e, i)};
    }
    free(clock);
    free(change);
    free(w->next);
    return whole;
}

void au_suspects_find(au_suspects *x, const au_trace *t) {
    au_eraser *e = au_eraser_new(&t->names);
    bool whole = true;
    for (size_t i = 0; i < t->events.n && whole; i += SLICE) {
        size_t to = t->events.n - i < SLICE ? t->events.n : i + SLICE;
        au_block b = au_columns_block(&t->events, i, to);
        au_eraser_block(e, &b);
        whole = to == t->events.n || !au_deadline_step(SLICE);
    }
    au_eraser_counts c = au_eraser_count(e);
    *x = (au_suspects){.vars = (uint32_t)t->names.var.n,
                       .candidates = c.candidates,
                       .must_hb = c.must_hb,
                       .lockset = c.lockset};
    x->accesses = au_alloc_array(x->vars, sizeof *x->accesses);
    for (uint32_t v = 0; v < x->vars; v++)
        x->accesses[v] = whole && au_eraser_suspect(e, v) ? au_eraser_accesses(e, v) : 0;
    au_eraser_free(e);
}

void au_suspects_release(au_suspects *x) {
    free(x->accesses);
    *x = (au_suspects){0};
}

/* The variables from … are few enough for their accesses to be held together; one at least. */
static uint32_t some(const au_suspects *suspects, uint32_t from, uint32_t to) {
    uint64_t n = suspects->accesses[from];
    uint32_t x = from + 1;
    while (x < to && n + suspects->accesses[x] <= TOGETHER)
        n += suspects->accesses[x++];
    return x;
}

/* False: the time is over. */
static bool walk_some(walker *w, const au_suspects *suspects, uint32_t from, uint32_t to) {
    w->held = au_held_new(&w->s->trace->names);
    bool whole = collect(w, suspects, from, to);
    for (uint32_t x = from; x < to && whole; x++) {
        on_variable(w, x);
        whole = !au_deadline_step(1);
    }
    au_held_free(w->held);
    au_big_free(w->access, w->n_accesses, sizeof *w->access);
    free(w->first);
    return whole;
}

void au_syncp_walk(const au_syncp *s, const au_race_options *o, const au_suspects *suspects,
                   const struct au_race_part *part, au_race_stats *stats) {
    walker w = {.s = s, .o = o, .part = part, .stats = stats};
    if (part->from >= part->to || au_deadline_over())
        return;
    w.ideal = au_ideal_new(s);
    w.late = au_late_new(s);
    au_race_seen_init(&w.seen);
    bool whole = true;
    for (uint32_t x = part->from; x < part->to && whole;) {
        uint32_t to = some(suspects, x, part->to);
        whole = walk_some(&w, suspects, x, to);
        x = to;
    }
    au_race_seen_release(&w.seen);
    au_ideal_free(w.ideal);
    au_late_free(w.late);
    free(w.group_of);
    au_vec_release(&w.group);
    au_vec_release(&w.order);
    au_vec_release(&w.member);
}

void au_syncp_races(const au_syncp *s, const au_race_options *o, au_findings *out,
                    au_race_stats *stats) {
    au_suspects x;
    au_race_teller teller;
    au_suspects_find(&x, s->trace);
    au_race_teller_init(&teller, s, o, out);
    struct au_race_part all = {0, x.vars, au_race_tell, &teller};
    au_race_stats own = {.candidates = x.candidates, .must_hb = x.must_hb, .lockset = x.lockset};
    au_syncp_walk(s, o, &x, &all, &own);
    if (stats)
        *stats = own;
    au_suspects_release(&x);
}
