/* witness/check_weak_sync.c: what the operations of objects order, from the order in which they were
 * executed: the words of docs/oracle.md, "Synchronisation". */
#include "witness/check_weak_priv.h"

#include <stdlib.h>

static const au_step *step_of(const au_wexec *x, uint32_t entry) {
    return &x->m->step.at[x->f->x->at.at[entry].step];
}

static bool on_object(const au_step *s, uint32_t obj) {
    return s->kind >= AU_STEP_ACQ && s->kind != AU_STEP_FORK && s->kind != AU_STEP_JOIN &&
           (s->obj == obj || s->obj2 == obj);
}

static void sync(au_wexec *x, uint32_t a, uint32_t b) {
    au_wexec_add(x, x->sync, au_wev_read(a), au_wev_read(b));
}

/* Who gives it back is before who takes it later; a reader of a rwlock before its writers only. */
static void pass_on(au_wexec *x, uint32_t obj, uint32_t a, uint32_t b) {
    const au_step *s = step_of(x, a), *t = step_of(x, b);
    if (s->kind != AU_STEP_REL && s->kind != AU_STEP_WAIT)
        return;
    bool writes = t->kind == AU_STEP_ACQ || t->kind == AU_STEP_WRACQ || t->kind == AU_STEP_WAKE;
    bool reads = t->kind == AU_STEP_RDACQ;
    bool reader = x->m->obj.at[obj].kind == AU_OBJ_RWLOCK && !x->as_writer[a];
    if (writes || (reads && !reader))
        sync(x, a, b);
}

/* Signals: who is woken by which. */
static void wake_up(au_wexec *x, uint32_t cond) {
    uint32_t *by = au_alloc_array(x->m->thread.n + 1, sizeof *by); /* entry + 1; 0: not signalled */
    bool *waits = au_alloc_array(x->m->thread.n + 1, sizeof *waits);
    for (uint32_t i = 0; i < x->entries; i++) {
        const au_step *s = step_of(x, i);
        if (!on_object(s, cond))
            continue;
        if (s->kind == AU_STEP_WAIT) {
            waits[s->thread] = true;
            by[s->thread] = 0;
        } else if (s->kind == AU_STEP_WAKE) {
            if (!s->spurious && by[s->thread])
                sync(x, by[s->thread] - 1, i);
            waits[s->thread] = false;
        } else {
            for (uint32_t t = 0; t < x->m->thread.n; t++)
                if (waits[t] && !by[t] && (s->kind == AU_STEP_BROADCAST || s->choice == t))
                    by[t] = i + 1;
        }
    }
    free(by);
    free(waits);
}

/* A barrier: who arrives in a round is before who leaves it. */
static void meet(au_wexec *x, uint32_t barrier) {
    uint32_t size = (uint32_t)x->m->obj.at[barrier].init, arrived = 0;
    uint32_t *round = au_alloc_array(x->entries + 1, sizeof *round);
    uint32_t *mine = au_alloc_array(x->m->thread.n + 1, sizeof *mine);
    for (uint32_t i = 0; i < x->entries; i++) {
        const au_step *s = step_of(x, i);
        if (!on_object(s, barrier))
            continue;
        if (s->kind == AU_STEP_ARRIVE) {
            round[i] = mine[s->thread] = 1 + arrived++ / size;
            continue;
        }
        for (uint32_t j = 0; j < i; j++)
            if (round[j] && round[j] == mine[s->thread])
                sync(x, j, i);
    }
    free(round);
    free(mine);
}

static void order_threads(au_wexec *x, uint32_t i) {
    const au_step *s = step_of(x, i);
    for (uint32_t e = 0; e < x->n; e++) {
        const au_wev *q = &x->event[e];
        if (!q->there)
            continue;
        const au_step *t = step_of(x, q->entry);
        if (q->thread == s->obj && s->kind == AU_STEP_FORK)
            au_wexec_add(x, x->sync, au_wev_read(i), e);
        else if (q->thread == s->obj)
            au_wexec_add(x, x->sync, e, au_wev_read(i));
        else if (s->kind == AU_STEP_FORK && t->kind == AU_STEP_JOIN && t->obj == s->obj)
            au_wexec_add(x, x->sync, au_wev_read(i), e);
    }
}

void au_wexec_objects(au_wexec *x) {
    for (uint32_t i = 0; i < x->entries; i++) {
        const au_step *s = step_of(x, i);
        if (s->kind == AU_STEP_FORK || s->kind == AU_STEP_JOIN)
            order_threads(x, i);
    }
    for (uint32_t obj = 0; obj < x->m->obj.n; obj++) {
        au_obj_kind kind = x->m->obj.at[obj].kind;
        for (uint32_t a = 0; a < x->entries; a++)
            for (uint32_t b = a + 1; b < x->entries; b++)
                if (on_object(step_of(x, a), obj) && on_object(step_of(x, b), obj)) {
                    au_wexec_add(x, x->line, au_wev_read(a), au_wev_read(b));
                    if (kind <= AU_OBJ_SEM)
                        pass_on(x, obj, a, b);
                }
        if (kind == AU_OBJ_COND)
            wake_up(x, obj);
        else if (kind == AU_OBJ_BARRIER)
            meet(x, obj);
    }
}
