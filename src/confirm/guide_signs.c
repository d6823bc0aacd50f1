/* confirm/guide_signs.c: see guide_priv.h. */
#include "confirm/guide_priv.h"

#include <stdlib.h>

static bool kind_of(const au_step *s, au_sign_kind *kind) {
    switch (s->kind) {
    case AU_STEP_ACQ:
    case AU_STEP_RDACQ:
    case AU_STEP_WRACQ:
        *kind = AU_SIGN_ACQ;
        return true;
    case AU_STEP_REL:
        *kind = AU_SIGN_REL;
        return true;
    case AU_STEP_WAIT:
        *kind = AU_SIGN_WAIT;
        return true;
    case AU_STEP_WAKE:
        *kind = AU_SIGN_WAKE;
        return true;
    case AU_STEP_SIGNAL:
    case AU_STEP_BROADCAST:
        *kind = AU_SIGN_SIGNAL;
        return true;
    case AU_STEP_ARRIVE:
        *kind = AU_SIGN_ARRIVE;
        return true;
    case AU_STEP_LEAVE:
        *kind = AU_SIGN_LEAVE;
        return true;
    case AU_STEP_FORK:
        *kind = AU_SIGN_FORK;
        return true;
    case AU_STEP_JOIN:
        *kind = AU_SIGN_JOIN;
        return true;
    default: /* a thread's end is added where a whole schedule is looked at */
        *kind = AU_SIGN_ACCESS;
        return s->n_accesses > 0;
    }
}

uint64_t au_sign_place(const au_source *s, uint32_t step) {
    return s->number.at[step] ? (s->at.at[step] & ~(uint64_t)UINT32_MAX) | s->number.at[step]
                              : UINT64_MAX;
}

bool au_sign_of(const au_source *s, uint32_t step, size_t at, au_sign *m) {
    const au_step *p = &s->model->step.at[step];
    *m = (au_sign){.thread = p->thread,
                   .step = step,
                   .place = au_sign_place(s, step),
                   .at = at,
                   .var = AU_NONE,
                   .child = AU_NONE};
    if (m->place == UINT64_MAX || !kind_of(p, &m->kind))
        return false;
    for (uint32_t i = 0; i < p->n_accesses; i++) {
        *(p->access[i].write ? &m->write : &m->read) = true;
        m->var = p->access[i].var;
    }
    if (m->kind == AU_SIGN_FORK)
        m->child = p->obj;
    return true;
}

/* ---- threads that the model does not follow ---- */

/* Where a thread is in a call that creates threads. The model may pass it without creating one of
 * its own: then the program creates one that is nobody's. */
typedef struct {
    uint64_t place; /* UINT64_MAX: nowhere */
    size_t last;    /* step of the schedule */
    bool forked;
    AU_VEC(uint32_t) step; /* passed since it came there */
} visit;

static void leave(visit *v, uint32_t thread, au_signs *signs) {
    if (v->place != UINT64_MAX && !v->forked)
        au_vec_push(signs, ((au_sign){.kind = AU_SIGN_FORK,
                                      .thread = thread,
                                      .step = v->step.at[0],
                                      .place = v->place,
                                      .at = v->last,
                                      .var = AU_NONE,
                                      .child = AU_NONE}));
    v->place = UINT64_MAX;
    v->forked = false;
    au_vec_clear(&v->step);
}

static void pass(visit *v, const au_step *p, uint64_t place, bool creates, size_t at,
                 au_signs *signs) {
    bool again = false;
    for (size_t i = 0; i < v->step.n; i++)
        again |= v->step.at[i] == p->id;
    if (v->place != place || again)
        leave(v, p->thread, signs);
    if (!creates)
        return;
    v->place = place;
    v->last = at;
    v->forked |= p->kind == AU_STEP_FORK;
    au_vec_push(&v->step, p->id);
}

static int by_place(const void *a, const void *b) {
    const au_sign *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->kind < y->kind ? -1 : x->kind > y->kind; /* the end comes last */
}

void au_signs_of(const au_way *w, au_signs *signs) {
    const au_source *s = w->source;
    const au_model *m = s->model;
    au_map create, sync; /* places */
    au_map_init(&create);
    au_map_init(&sync);
    for (uint32_t i = 0; i < m->step.n; i++) {
        au_sign k;
        if (au_sign_of(s, i, 0, &k) && k.kind != AU_SIGN_ACCESS)
            au_map_put(k.kind == AU_SIGN_FORK ? &create : &sync, k.place, NULL);
    }
    visit *at = au_alloc_array(m->thread.n + 1, sizeof *at);
    for (size_t i = 0; i < m->thread.n; i++)
        at[i].place = UINT64_MAX;
    for (size_t i = 0; i < w->n; i++) {
        const au_step *p = &m->step.at[w->step[i]];
        uint64_t place = au_sign_place(s, w->step[i]);
        bool creates = place != UINT64_MAX && au_map_find(&create, place);
        au_sign k;
        pass(&at[p->thread], p, place, creates, i, signs);
        /* What such a call does beside it (the handle of the new thread) is not seen. */
        if (au_sign_of(s, w->step[i], i, &k) &&
            (k.kind != AU_SIGN_ACCESS || (!creates && !au_map_find(&sync, place))))
            au_vec_push(signs, k);
        /* Whoever waits for its end waits for all of it. */
        bool fails = w->kind == AU_KIND_ASSERTION && w->step[i] == w->event[0];
        if (!fails && m->thread.at[p->thread].forked && p->dst == m->thread.at[p->thread].exit)
            au_vec_push(signs, ((au_sign){.kind = AU_SIGN_EXIT,
                                          .thread = p->thread,
                                          .step = w->step[i],
                                          .place = place,
                                          .at = i,
                                          .var = AU_NONE,
                                          .child = AU_NONE}));
    }
    if (signs->n)
        qsort(signs->at, signs->n, sizeof *signs->at, by_place);
    for (size_t i = 0; i < m->thread.n; i++)
        au_vec_release(&at[i].step);
    free(at);
    au_map_release(&create);
    au_map_release(&sync);
}
