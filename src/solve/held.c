/* solve/held.c: making the run anew. */
#include "solve/held.h"

#include "solve/observed.h"

#include <string.h>

enum {
    ROUNDS = 64
}; /* over what is left, until nothing moves: a run that is shorter loses nothing but a try */

typedef struct {
    const au_model *m;
    const au_held_options *o;
    au_observed x;
    au_other_run *h;
    au_u32s late; /* steps that wait, in the order of the run */
    bool *waits;  /* by thread */
} maker;

/* False: an assertion failed, and that is the end. */
static bool take(maker *k, uint32_t step) {
    bool holds = au_observed_holds(&k->x, step);
    au_observed_step(&k->x, step, 0, k->o->whole);
    au_vec_push(&k->h->order, step);
    if (!holds && step == k->o->asked)
        k->h->failed = k->h->order.n;
    k->h->ended |= !holds && !k->o->whole;
    return !k->h->ended;
}

/* The steps of the run before 'high'; those of the thread, and of who waits for it, are put aside. */
static bool go_to(maker *k, size_t low, size_t high) {
    for (size_t i = 0; i < high; i++) {
        uint32_t s = k->m->observed.at[i], t = k->m->step.at[s].thread;
        k->waits[t] |= i == low || !au_observed_enabled(&k->x, s);
        if (k->waits[t])
            au_vec_push(&k->late, s);
        else if (!take(k, s))
            return false;
    }
    return true;
}

/* Some steps of one thread. */
static bool lead(maker *k, uint32_t thread, size_t n) {
    size_t kept = 0;
    bool stuck = false, good = true;
    for (size_t i = 0; i < k->late.n; i++) {
        uint32_t s = k->late.at[i];
        bool mine = good && !stuck && n && k->m->step.at[s].thread == thread;
        stuck |= mine && !au_observed_enabled(&k->x, s);
        if (mine && !stuck) {
            good = take(k, s);
            n--;
        } else {
            k->late.at[kept++] = s;
        }
    }
    k->late.n = kept;
    return good;
}

static void finish(maker *k) {
    bool moved = true;
    for (int round = 0; round < ROUNDS && moved; round++) {
        size_t kept = 0;
        moved = false;
        memset(k->waits, 0, k->m->thread.n * sizeof *k->waits);
        for (size_t i = 0; i < k->late.n; i++) {
            uint32_t s = k->late.at[i], t = k->m->step.at[s].thread;
            k->waits[t] |= !au_observed_enabled(&k->x, s);
            if (k->waits[t] || k->h->ended) {
                k->late.at[kept++] = s;
                continue;
            }
            take(k, s);
            moved = true;
        }
        k->late.n = kept;
        moved &= !k->h->ended;
    }
}

/* How many locks it has more after the step. */
static int locks(const au_step *s) {
    bool takes = s->kind == AU_STEP_ACQ || s->kind == AU_STEP_RDACQ || s->kind == AU_STEP_WRACQ ||
                 s->kind == AU_STEP_WAKE;
    return takes - (s->kind == AU_STEP_REL || s->kind == AU_STEP_WAIT);
}

/* Steps of the thread of this one, up to it and to where its locks are given up. */
static size_t steps_past(const maker *k, uint32_t step) {
    uint32_t thread = k->m->step.at[step].thread;
    size_t n = 0;
    int held = 0;
    bool past = false;
    for (size_t i = 0; i < k->h->order.n; i++)
        if (k->m->step.at[k->h->order.at[i]].thread == thread)
            held += locks(&k->m->step.at[k->h->order.at[i]]);
    for (size_t i = 0; i < k->late.n && !(past && held <= 0); i++) {
        const au_step *s = &k->m->step.at[k->late.at[i]];
        if (s->thread != thread)
            continue;
        n++;
        past |= s->id == step;
        held += locks(s);
    }
    return n;
}

bool au_held_run(const au_model *m, const au_meeting *p, const au_held_options *o,
                 au_other_run *h) {
    maker k = {.m = m, .o = o, .h = h};
    uint32_t one = m->step.at[m->observed.at[p->low]].thread;
    uint32_t other = m->step.at[m->observed.at[p->high]].thread;
    *h = (au_other_run){.failed = SIZE_MAX};
    k.waits = au_alloc_array(m->thread.n + 1, sizeof *k.waits);
    au_observed_init(&k.x, m);
    bool meets = go_to(&k, p->low, p->high) && !k.waits[other];
    if (meets) {
        h->meet = h->order.n;
        size_t first = o->past == AU_NONE ? o->lead : steps_past(&k, o->past);
        au_vec_append(&k.late, m->observed.at + p->high, m->observed.n - p->high);
        if (lead(&k, one, first) && lead(&k, other, o->lead))
            finish(&k);
    }
    au_observed_release(&k.x);
    au_vec_release(&k.late);
    free(k.waits);
    if (!meets && !h->ended)
        au_vec_release(&h->order);
    return meets || h->ended;
}
