/* solve/waits.c: what deadlocks are made of, in a run. */
#include "base/bitset.h"
#include "solve/places.h"

typedef struct {
    const au_model *m;
    au_contacts *into;
    au_bitset awaited; /* variables */
    au_u32s *held;     /* by thread: locks, as often as they were taken */
} finder;

static void touch(finder *f, uint32_t key, bool strong) {
    au_vec_push(&f->into->touch, ((au_contact){key, strong}));
}

static bool is_sem(const finder *f, uint32_t obj) {
    return f->m->obj.at[obj].kind == AU_OBJ_SEM;
}

static uint32_t key_of_thread(const finder *f, uint32_t thread) {
    return (uint32_t)f->m->obj.n + thread;
}

static uint32_t key_of_var(const finder *f, uint32_t var) {
    return (uint32_t)(f->m->obj.n + f->m->thread.n) + var;
}

static void note_awaited(void *ctx, uint32_t var) {
    finder *f = ctx;
    if (f->m->var.at[var].kind == AU_VAR_SHARED)
        au_bitset_add(&f->awaited, var);
}

static void touch_awaited(void *ctx, uint32_t var) {
    finder *f = ctx;
    if (f->m->var.at[var].kind == AU_VAR_SHARED)
        touch(f, key_of_var(f, var), true);
}

/* Who waits there has those locks meanwhile. */
static void touch_held(finder *f, uint32_t thread) {
    for (size_t i = 0; i < f->held[thread].n; i++)
        touch(f, f->held[thread].at[i], true);
}

static void take_lock(finder *f, const au_step *s, uint32_t lock, bool wants) {
    if (wants && s->blocking) {
        touch(f, lock, f->held[s->thread].n);
        touch_held(f, s->thread);
    }
    au_vec_push(&f->held[s->thread], lock);
}

static void give_lock(finder *f, uint32_t thread, uint32_t lock) {
    au_u32s *h = &f->held[thread];
    for (size_t i = h->n; i-- > 0;)
        if (h->at[i] == lock) {
            memmove(h->at + i, h->at + i + 1, (h->n - i - 1) * sizeof *h->at);
            h->n--;
            return;
        }
}

static void note_step(finder *f, const au_step *s) {
    switch (s->kind) {
    case AU_STEP_ACQ:
    case AU_STEP_RDACQ:
    case AU_STEP_WRACQ:
        if (!is_sem(f, s->obj)) {
            take_lock(f, s, s->obj, true);
            return;
        }
        touch(f, s->obj, s->blocking);
        break;
    case AU_STEP_REL:
        if (is_sem(f, s->obj))
            touch(f, s->obj, false);
        else
            give_lock(f, s->thread, s->obj);
        return;
    case AU_STEP_WAIT:
        if (!is_sem(f, s->obj2))
            give_lock(f, s->thread, s->obj2);
        touch(f, s->obj, true);
        break;
    case AU_STEP_WAKE:
        touch(f, s->obj, true);
        if (!is_sem(f, s->obj2))
            take_lock(f, s, s->obj2, false);
        return;
    case AU_STEP_SIGNAL:
    case AU_STEP_BROADCAST:
    case AU_STEP_ARRIVE:
        touch(f, s->obj, false);
        return;
    case AU_STEP_LEAVE:
        touch(f, s->obj, true);
        break;
    case AU_STEP_JOIN:
        touch(f, key_of_thread(f, s->obj), true);
        break;
    default:
        if (s->blocking)
            au_term_each_var(f->m->terms, s->guard, touch_awaited, f);
        for (uint32_t k = 0; k < s->n_accesses && !s->blocking; k++)
            if (s->access[k].write && au_bitset_has(&f->awaited, s->access[k].var))
                touch(f, key_of_var(f, s->access[k].var), false);
        break;
    }
    if (s->blocking)
        touch_held(f, s->thread);
}

void au_contacts_waiting(const au_model *m, au_contacts *into) {
    finder f = {.m = m, .into = into};
    into->keys = (uint32_t)(m->obj.n + m->thread.n + m->var.n);
    into->waits = true;
    au_bitset_init(&f.awaited, m->var.n);
    f.held = au_alloc_array(m->thread.n + 1, sizeof *f.held);
    for (size_t i = 0; i < m->step.n; i++)
        if (m->step.at[i].kind == AU_STEP_ASSUME && m->step.at[i].blocking)
            au_term_each_var(m->terms, m->step.at[i].guard, note_awaited, &f);
    for (size_t i = 0; i < m->observed.n; i++) {
        au_vec_push(&into->first, into->touch.n);
        note_step(&f, &m->step.at[m->observed.at[i]]);
    }
    au_vec_push(&into->first, into->touch.n);
    for (size_t t = 0; t < m->thread.n; t++)
        au_vec_release(&f.held[t]);
    free(f.held);
    au_bitset_release(&f.awaited);
}
