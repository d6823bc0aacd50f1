/* solve/circles.c: threads that take locks in a circle, wherever in a run. */
#include "base/hash.h"
#include "base/limits.h"
#include "solve/held.h"
#include "solve/observed.h"

#include <string.h>

/* A thread takes a lock while it has another one. */
typedef struct {
    uint32_t thread, has, wants;
    size_t place; /* where it takes the second */
} nest;
typedef AU_VEC(nest) nests;

static bool is_plain_lock(const au_model *m, const au_step *s) {
    return s->kind == AU_STEP_ACQ && s->blocking && !s->timed &&
           m->obj.at[s->obj].kind <= AU_OBJ_RLOCK;
}

static void add_nest(nests *all, au_map *seen, nest n) {
    bool fresh;
    au_map_put(seen, au_hash_join(au_key2(n.has, n.wants), n.thread), &fresh);
    if (fresh)
        au_vec_push(all, n);
}

static nests find_nests(const au_model *m) {
    nests all = {0};
    au_map seen;
    au_map_init(&seen);
    au_u32s *held = au_alloc_array(m->thread.n + 1, sizeof *held);
    for (size_t i = 0; i < m->observed.n; i++) {
        const au_step *s = &m->step.at[m->observed.at[i]];
        au_u32s *has = &held[s->thread];
        if (is_plain_lock(m, s)) {
            for (size_t k = 0; k < has->n; k++)
                if (has->at[k] != s->obj)
                    add_nest(&all, &seen, (nest){s->thread, has->at[k], s->obj, i});
            au_vec_push(has, s->obj);
        }
        uint32_t gone = s->kind == AU_STEP_REL    ? s->obj
                        : s->kind == AU_STEP_WAIT ? s->obj2
                                                  : AU_NONE;
        for (size_t k = has->n; k-- > 0 && gone != AU_NONE;)
            if (has->at[k] == gone) {
                memmove(has->at + k, has->at + k + 1, (has->n - k - 1) * sizeof *has->at);
                has->n--;
                break;
            }
    }
    for (size_t t = 0; t < m->thread.n; t++)
        au_vec_release(&held[t]);
    free(held);
    au_map_release(&seen);
    return all;
}

/* Threads that take locks in a circle: each has what the next one wants. */
enum {
    CIRCLE = 6,             /* threads, at most */
    WORK = 10 * 1000 * 1000 /* nests that are looked at: no longer than that */
};

typedef struct {
    const nest *of[CIRCLE];
    size_t n;
} circle;

static bool is_known(const au_model *m, const au_solution *known, size_t n, const circle *c) {
    for (size_t i = 0; i < n; i++) {
        size_t same = 0;
        for (size_t k = 0; k < known[i].event.n && known[i].event.n == c->n; k++)
            for (size_t j = 0; j < c->n; j++)
                same += known[i].event.at[k].step == m->observed.at[c->of[j]->place];
        if (same == c->n)
            return true;
    }
    return false;
}

/* Whether the lock that the step wants belongs to the thread. */
static bool waits_for(const au_observed *x, uint32_t step, uint32_t thread) {
    const au_step *s = &x->m->step.at[step];
    return x->node[s->thread] == s->src && !x->stopped[s->thread] &&
           !au_observed_enabled(x, step) && x->value[x->m->obj.at[s->obj].var[0]] == thread + 1u;
}

static void tell_events(const au_observed *x, const circle *c, au_solution *r) {
    for (uint32_t t = 0; t < x->m->thread.n; t++) /* by thread */
        for (size_t i = 0; i < c->n; i++)
            if (c->of[i]->thread == t)
                au_vec_push(&r->event, ((au_solved_event){x->m->observed.at[c->of[i]->place],
                                                          x->done[t] + 1}));
}

/* Each of them runs until it stands before its second lock or must wait. */
static void show(const au_model *m, const circle *c, au_solution *r) {
    bool *waits = au_alloc_array(m->thread.n + 1, sizeof *waits), good = true;
    au_observed x;
    au_observed_init(&x, m);
    size_t last = 0;
    for (size_t k = 0; k < c->n; k++)
        last = c->of[k]->place > last ? c->of[k]->place : last;
    for (size_t i = 0; i < last; i++) {
        uint32_t s = m->observed.at[i], t = m->step.at[s].thread;
        for (size_t k = 0; k < c->n; k++)
            waits[t] |= i == c->of[k]->place;
        waits[t] |= !au_observed_enabled(&x, s) || !au_observed_holds(&x, s);
        if (waits[t])
            continue;
        au_observed_step(&x, s, 0, false);
        au_vec_push(&r->schedule, s);
        if (m->step.at[s].havoc != AU_NONE)
            au_vec_push(&r->havoc, 0);
    }
    for (size_t k = 0; k < c->n; k++) /* the one's second lock is the next one's first */
        good &= waits_for(&x, m->observed.at[c->of[k]->place], c->of[(k + 1) % c->n]->thread);
    if (good) {
        tell_events(&x, c, r);
        r->answer = AU_SAT;
        r->shown = r->schedule.n;
    } else {
        au_vec_release(&r->schedule);
        au_vec_release(&r->havoc);
    }
    au_observed_release(&x);
    free(waits);
}

typedef struct {
    const au_model *m;
    const nests *all;
    const au_solution *known;
    size_t n_known, tries, work;
    circle c;
    au_solution *r;
} closer;

/* May the nest go on behind the last of the circle? */
static bool may_follow(const circle *c, const nest *next) {
    if (next->has != c->of[c->n - 1]->wants || next < c->of[0])
        return false; /* a circle is looked at once, from its first nest */
    for (size_t i = 0; i < c->n; i++)
        if (c->of[i]->thread == next->thread || c->of[i]->has == next->has)
            return false;
    return true;
}

static void close_circles(closer *k, size_t most) {
    for (size_t i = 0; i < k->all->n && k->r->answer != AU_SAT && k->tries && k->work; i++) {
        k->work--;
        if (!may_follow(&k->c, &k->all->at[i]))
            continue;
        k->c.of[k->c.n++] = &k->all->at[i];
        bool closed = k->all->at[i].wants == k->c.of[0]->has;
        if (closed && k->c.n == most && !is_known(k->m, k->known, k->n_known, &k->c)) {
            k->tries--;
            show(k->m, &k->c, k->r);
        } else if (!closed && k->c.n < most) {
            close_circles(k, most);
        }
        k->c.n--;
    }
}

void au_held_deadlock(const au_model *m, const au_solution *known, size_t n, au_solution *r) {
    nests all = find_nests(m);
    closer k = {.m = m, .all = &all, .known = known, .n_known = n, .r = r};
    k.work = WORK;
    k.tries = au_limit_value(AU_AT_HELD_RUNS);
    *r = (au_solution){.answer = AU_UNKNOWN, .why = "", .var = AU_NONE, .obj = AU_NONE};
    for (size_t most = 2; most <= CIRCLE; most++)
        for (size_t i = 0; i < all.n && r->answer != AU_SAT && k.tries; i++) {
            k.c = (circle){{&all.at[i]}, 1};
            close_circles(&k, most);
        }
    if (r->answer != AU_SAT)
        r->why = "no run in which threads meet has one, and others were not looked for";
    au_vec_release(&all);
}
