/* solve/grow.c: which windows, in which order. */
#include "solve/grow.h"

#include "base/clock.h"
#include "base/limits.h"
#include "solve/held.h"
#include "solve/places.h"
#include "solve/tail.h"

typedef struct {
    size_t first, last;
} range;

enum {
    LONGER = 20, /* times as many conflicts, when windows that were given up get another chance … */
    HARD = 8,    /* … so many of them, the smallest first */
    NEAR = 800   /* steps of the largest windows around reads that decide */
};

typedef struct {
    const au_model *m;
    const au_solve_options *o;
    const au_query *q;
    au_solve_limits limits;
    double until;         /* of au_now; 0: no limit */
    AU_VEC(size_t) tried; /* of this size: where windows begin */
    AU_VEC(range) hard;   /* in which the search was given up */
    uint16_t *held; /* by place in the run: locks that are held there, by all threads together */
    const au_solution *known; /* deadlocks that are not to be found again … */
    size_t n_known;           /* … so many */
    au_solution *r;
} grower;

/* --- where a window is cut ---------------------------------------------------------------------- */

static uint16_t *count_held(const au_model *m) {
    uint16_t *held = au_alloc_array(m->observed.n + 1, sizeof *held), now = 0;
    for (size_t i = 0; i < m->observed.n; i++) {
        const au_step *s = &m->step.at[m->observed.at[i]];
        bool takes = s->kind == AU_STEP_ACQ || s->kind == AU_STEP_RDACQ ||
                     s->kind == AU_STEP_WRACQ || s->kind == AU_STEP_WAKE;
        bool gives = s->kind == AU_STEP_REL || s->kind == AU_STEP_WAIT;
        held[i] = now;
        now = (uint16_t)(now + takes - (gives && now));
    }
    held[m->observed.n] = now;
    return held;
}

/* A section that is cut in two is no section: what is known of whole ones (that they exclude each other, that what they
 * do commutes) is not known of it. So a window begins and ends where few locks are held. */
static size_t quiet_place(const grower *g, size_t from, size_t to, bool latest) {
    size_t best = latest ? to : from;
    for (size_t i = from; i <= to; i++) {
        size_t at = latest ? to - (i - from) : i;
        if (g->held[at] < g->held[best])
            best = at;
    }
    return best;
}

static void align(const grower *g, size_t *first, size_t *last) {
    size_t n = g->m->observed.n, slack = (*last - *first) / 4;
    *first = quiet_place(g, *first > slack ? *first - slack : 0, *first, true);
    *last = quiet_place(g, *last, *last + slack < n ? *last + slack : n, false);
}

/* --- asking --------------------------------------------------------------------------------------- */

/* True: that is the answer, or there is no time for another. */
static bool ask(grower *g, size_t first, size_t last) {
    if (g->until > 0) {
        double left = g->until - au_now();
        if (left <= 0)
            return true;
        g->limits.seconds = left;
    }
    au_solution_release(g->r);
    if (g->q->kind == AU_ASK_DEADLOCK)
        au_solve_dead_in(g->m, g->o, g->known, g->n_known, &g->limits, first, last, g->r);
    else
        au_solve_in(g->m, g->o, g->q, &g->limits, first, last, g->r);
    if (g->r->gave_up && g->limits.conflicts && g->hard.n < HARD)
        au_vec_push(&g->hard, ((range){first, last}));
    return g->r->answer == AU_SAT;
}

static bool ask_aligned(grower *g, size_t first, size_t last) {
    align(g, &first, &last);
    return ask(g, first, last);
}

static bool ask_again(grower *g) {
    g->limits.conflicts *= LONGER;
    for (size_t i = 0, n = g->hard.n; i < n; i++)
        if (ask(g, g->hard.at[i].first, g->hard.at[i].last))
            return true;
    return false;
}

/* A window much like this one was asked about already. */
static bool is_tried(const grower *g, size_t first, size_t size) {
    for (size_t i = 0; i < g->tried.n; i++)
        if (first + size / 4 > g->tried.at[i] && g->tried.at[i] + size / 4 > first)
            return true;
    return false;
}

static bool ask_places(grower *g, const au_meetings *p, size_t size) {
    size_t n = g->m->observed.n, most = au_limit_value(AU_AT_GROW_PLACES);
    au_vec_clear(&g->tried);
    for (size_t i = 0; i < p->n && g->tried.n < most; i++) {
        size_t low = p->at[i].low, high = p->at[i].high + 1;
        if (high - low > size)
            continue;
        size_t spare = (size - (high - low)) / 2, first = low > spare ? low - spare : 0;
        if (is_tried(g, first, size))
            continue;
        au_vec_push(&g->tried, first);
        if (ask_aligned(g, first, first + size < n ? first + size : n))
            return true;
    }
    return false;
}

/* --- places far apart ---------------------------------------------------------------------------------- */

enum { FAR_WORK = 20 * 1000 * 1000 }; /* steps executed for it altogether: no more runs than that */

/* Where each of the two begins its section. */
static au_meeting begin_sections(const grower *g, const au_meeting *p, size_t size) {
    const au_model *m = g->m;
    size_t spare = size / 8, at[2] = {p->low, p->high}, to[2] = {p->low, p->high};
    for (int i = 0; i < 2; i++) {
        at[i] = quiet_place(g, to[i] > spare ? to[i] - spare : 0, to[i], true);
        while (at[i] < to[i] &&
               m->step.at[m->observed.at[at[i]]].thread != m->step.at[m->observed.at[to[i]]].thread)
            at[i]++;
    }
    return (au_meeting){at[0], at[1]};
}

/* Makes another run of the model the one at hand; the grower is as before after 'leave'. */
typedef struct {
    au_model m;
    const au_model *before;
    uint16_t *held;
} other_run;

static void enter(grower *g, const au_other_run *h, other_run *x) {
    *x = (other_run){*g->m, g->m, g->held};
    memset(&x->m.observed, 0, sizeof x->m.observed);
    au_vec_append(&x->m.observed, h->order.at, h->order.n);
    g->m = &x->m;
    g->held = count_held(g->m);
}

static void leave(grower *g, other_run *x) {
    free(g->held);
    au_vec_release(&x->m.observed);
    g->m = x->before;
    g->held = x->held;
}

/* The run itself broke the assertion? */
static bool shows(grower *g, const au_other_run *h, uint32_t asked) {
    bool all = h->order.n == g->m->observed.n;
    if (h->failed == SIZE_MAX || (g->o->whole && !all))
        return false;
    au_solution *r = g->r;
    size_t n = g->o->whole ? h->order.n : h->failed;
    uint32_t index = 0;
    au_solution_release(r);
    *r = (au_solution){.answer = AU_SAT, .why = "", .var = g->q->var, .obj = g->q->obj};
    for (size_t i = 0; i < n; i++) {
        const au_step *s = &g->m->step.at[h->order.at[i]];
        index += i < h->failed && s->thread == g->m->step.at[asked].thread;
        r->spurious |= s->spurious;
        if (s->havoc != AU_NONE)
            au_vec_push(&r->havoc, 0);
    }
    au_vec_push(&r->event, ((au_solved_event){asked, index}));
    au_vec_append(&r->schedule, h->order.at, n);
    r->shown = n;
    if (!au_tail_runs(g->m, r, asked, g->o->whole)) {
        au_solution_release(r);
        *r = (au_solution){.answer = AU_UNKNOWN, .why = "", .var = g->q->var, .obj = g->q->obj};
    }
    return r->answer == AU_SAT;
}

/* In a run in which the two places meet. */
static bool ask_held(grower *g, const au_meeting *p, size_t size, uint32_t asked) {
    au_other_run h;
    au_meeting at = begin_sections(g, p, size);
    au_held_options o = {size / 2, AU_NONE, asked, g->o->whole};
    if (at.high <= at.low || !au_held_run(g->m, &at, &o, &h))
        return false;
    bool done = shows(g, &h, asked);
    if (!done && !h.ended) {
        other_run x;
        enter(g, &h, &x);
        done = ask_aligned(g, h.meet, h.meet + size < h.order.n ? h.meet + size : h.order.n);
        leave(g, &x);
    }
    au_vec_release(&h.order);
    return done;
}

static bool has_time(const grower *g) {
    return !(g->until > 0 && au_now() >= g->until);
}

static bool ask_each(grower *g, const au_meetings *places, size_t most, size_t largest,
                     uint32_t asked) {
    for (size_t size = AU_GROW_FIRST; size <= largest; size *= 2)
        for (size_t i = 0; i < places->n && i < most && has_time(g); i++)
            if (ask_held(g, &places->at[i], size, asked))
                return true;
    return false;
}

/* Those that decide the assertion at this place of the run, or SIZE_MAX: what deadlocks are made of. */
static void far_places(const grower *g, size_t at, au_meetings *places) {
    au_contacts t = {0};
    if (at == SIZE_MAX)
        au_contacts_waiting(g->m, &t);
    else
        au_contacts_deciding(g->m, g->m->observed.at[at], at, &t);
    au_far_meetings_of(g->m, &t, AU_GROW_FIRST / 2, places);
    au_contacts_release(&t);
}

/* Two pairs of places: a run in which the first two meet, and then as before. */
static bool ask_twice(grower *g, const au_meetings *places, size_t most, uint32_t asked) {
    bool done = false;
    for (size_t i = 0; i < places->n && i < most && !done && has_time(g); i++) {
        au_other_run h;
        au_meeting p = begin_sections(g, &places->at[i], AU_GROW_FIRST);
        au_held_options o = {AU_GROW_FIRST / 2, g->m->observed.at[places->at[i].low], asked,
                             g->o->whole};
        if (p.high <= p.low || !au_held_run(g->m, &p, &o, &h))
            continue;
        done = shows(g, &h, asked);
        if (!done && !h.ended) {
            other_run x;
            au_meetings again = {0};
            enter(g, &h, &x);
            size_t at = au_window_place(g->m, asked);
            if (at != SIZE_MAX)
                far_places(g, at, &again);
            done = ask_each(g, &again, most, AU_GROW_FIRST, asked);
            leave(g, &x);
            au_vec_release(&again);
        }
        au_vec_release(&h.order);
    }
    return done;
}

static bool ask_far(grower *g, size_t at) {
    size_t most = au_limit_value(AU_AT_HELD_RUNS), fit = FAR_WORK / (g->m->observed.n + 1);
    uint32_t asked = at == SIZE_MAX ? AU_NONE : g->m->observed.at[at];
    au_meetings places = {0};
    far_places(g, at, &places);
    bool done = ask_each(g, &places, most < fit ? most : fit, NEAR / 2, asked) ||
                (fit >= most && asked != AU_NONE && ask_twice(g, &places, most / 4, asked));
    au_vec_release(&places);
    return done;
}

void au_solve_growing(const au_model *m, const au_solve_options *o, const au_query *q,
                      const au_solve_limits *limits, size_t largest, bool thorough,
                      au_solution *r) {
    grower g = {.m = m, .o = o, .q = q, .limits = *limits, .r = r};
    g.until = limits->seconds > 0 ? au_now() + limits->seconds : 0;
    *r = (au_solution){.answer = AU_UNKNOWN, .why = "", .var = q->var, .obj = q->obj};
    g.held = count_held(m);
    au_meetings places = {0};
    au_contacts t = {0};
    size_t at = q->kind == AU_ASK_ASSERT && o->semantics == AU_SEM_CTP
                    ? au_window_place(m, q->step[0])
                    : SIZE_MAX;
    if (at != SIZE_MAX) {
        au_contacts_deciding(m, m->observed.at[at], at, &t);
        au_meetings_of(m, &t, &places);
        au_contacts_release(&t);
    }
    bool done = false, near = false;
    for (size_t size = AU_GROW_FIRST; !done;) {
        size = size < largest ? size : largest;
        size_t first, last;
        bool around = au_window_around(m, q, size, &first, &last);
        near |= around;
        done = (around && ask_aligned(&g, first, last)) ||
               (size <= NEAR && ask_places(&g, &places, size)) || size == largest;
        size *= 2;
    }
    if (r->answer != AU_SAT && at != SIZE_MAX && thorough && has_time(&g))
        ask_far(&g, at);
    if (r->answer != AU_SAT && thorough && has_time(&g))
        ask_again(&g);
    if (r->answer != AU_SAT && !near && !places.n)
        r->why = "its events are too far apart for one window of the run";
    au_vec_release(&places);
    au_vec_release(&g.tried);
    au_vec_release(&g.hard);
    free(g.held);
}

void au_deadlocks_growing(const au_model *m, const au_solve_options *o, const au_solution *known,
                          size_t n, const au_solve_limits *limits, size_t largest, au_solution *r) {
    const au_query q = au_query_about(AU_ASK_DEADLOCK, AU_NONE);
    grower g = {.m = m, .o = o, .q = &q, .limits = *limits, .known = known, .n_known = n, .r = r};
    g.until = limits->seconds > 0 ? au_now() + limits->seconds : 0;
    au_held_deadlock(m, known, n, r);
    if (r->answer == AU_SAT)
        return;
    au_meetings places = {0};
    au_contacts t = {0};
    g.held = count_held(m);
    au_contacts_waiting(m, &t);
    au_meetings_of(m, &t, &places);
    au_contacts_release(&t);
    largest = largest < NEAR ? largest : NEAR;
    bool done = false;
    for (size_t size = AU_GROW_FIRST; !done && has_time(&g); size *= 2) {
        size = size < largest ? size : largest;
        done = ask_places(&g, &places, size) || size == largest;
    }
    if (r->answer != AU_SAT && has_time(&g))
        ask_far(&g, SIZE_MAX);
    if (r->answer != AU_SAT && !*r->why)
        r->why = "not within a window of the run";
    au_vec_release(&places);
    au_vec_release(&g.tried);
    au_vec_release(&g.hard);
    free(g.held);
}
