/* solve/mutex.c: finding well used locks and their sections. */
#include "solve/mutex.h"

/* Of the lock, an acquire or a release and nothing else. */
static bool is_use(const au_cssa *c, uint32_t event, uint32_t obj) {
    const au_step *s = &c->m->step.at[c->event.at[event].step];
    return (s->kind == AU_STEP_ACQ || s->kind == AU_STEP_REL) && s->obj == obj;
}

static bool touches(const au_cssa *c, uint32_t event, uint32_t var) {
    const au_cssa_event *e = &c->event.at[event];
    for (uint32_t i = 0; i < e->n_reads; i++)
        if (c->read.at[e->first_read + i].var == var)
            return true;
    for (uint32_t i = 0; i < e->n_writes; i++)
        if (c->write.at[e->first_write + i].var == var)
            return true;
    return false;
}

/* Nothing inside waits, and nothing inside must come after another thread's event. */
static bool is_leaf(const au_cssa *c, const au_section *s) {
    size_t threads = c->m->thread.n;
    uint32_t acq = s->acq;
    for (uint32_t e = acq + 1; e < c->first_event[s->thread + 1]; e++) {
        if (c->event.at[e].place > s->last)
            return true;
        const au_step *p = &c->m->step.at[c->event.at[e].step];
        if (p->blocking || p->kind == AU_STEP_ACQ || p->kind == AU_STEP_RDACQ ||
            p->kind == AU_STEP_WRACQ)
            return false;
        for (uint32_t t = 0; t < threads; t++)
            if (t != s->thread && c->last_must[e * threads + t] != c->last_must[acq * threads + t])
                return false;
    }
    return true;
}

/* False: the lock is not well used. Sections that were added then are taken back. */
static bool take_thread(au_mutexes *x, uint32_t obj, uint32_t t) {
    const au_cssa *c = x->c;
    uint32_t var = c->m->obj.at[obj].var[0];
    bool held = false;
    for (uint32_t e = c->first_event[t]; e < c->first_event[t + 1]; e++) {
        if (!touches(c, e, var))
            continue;
        bool acquires = c->m->step.at[c->event.at[e].step].kind == AU_STEP_ACQ;
        if (!is_use(c, e, obj) || !c->event.at[e].certain || acquires == held)
            return false;
        if (acquires) {
            au_vec_push(&x->section, ((au_section){obj, t, e, AU_NONE, c->event.at[e].place,
                                                   UINT32_MAX, false}));
        } else {
            au_vec_last(&x->section).rel = e;
            au_vec_last(&x->section).last = c->event.at[e].place;
        }
        held = acquires;
    }
    return true;
}

void au_mutexes_make(au_mutexes *x, const au_cssa *c, bool look) {
    *x = (au_mutexes){.c = c};
    x->well_used = au_alloc_array(c->m->obj.n + 1, sizeof *x->well_used);
    for (uint32_t obj = 0; obj < c->m->obj.n; obj++) {
        const au_sync_obj *o = &c->m->obj.at[obj];
        size_t before = x->section.n;
        bool good = look && o->kind == AU_OBJ_LOCK && !c->m->var.at[o->var[0]].init;
        for (uint32_t t = 0; t < c->m->thread.n && good; t++)
            good = take_thread(x, obj, t);
        if (!good)
            x->section.n = before;
        x->well_used[obj] = good;
    }
    for (size_t i = 0; i < x->section.n; i++)
        x->section.at[i].leaf = is_leaf(c, &x->section.at[i]);
}

void au_mutexes_release(au_mutexes *x) {
    free(x->well_used);
    au_vec_release(&x->section);
}

bool au_mutexes_reads(const au_mutexes *x, const au_cssa_read *r, uint64_t *value) {
    if (r->event == AU_FINAL)
        return false;
    const au_step *s = &x->c->m->step.at[x->c->event.at[r->event].step];
    if ((s->kind != AU_STEP_ACQ && s->kind != AU_STEP_REL) || !x->well_used[s->obj] ||
        x->c->m->obj.at[s->obj].var[0] != r->var)
        return false;
    *value = s->kind == AU_STEP_ACQ ? 0 : s->thread + 1;
    return true;
}

bool au_mutexes_releases(const au_mutexes *x, uint32_t event, uint32_t var) {
    const au_step *s = &x->c->m->step.at[x->c->event.at[event].step];
    return s->kind == AU_STEP_REL && x->well_used[s->obj] && x->c->m->obj.at[s->obj].var[0] == var;
}

bool au_mutexes_cover(const au_mutexes *x, uint32_t obj, uint32_t a, uint32_t b) {
    const au_cssa_event *p = &x->c->event.at[a], *q = &x->c->event.at[b];
    for (size_t i = 0; i < x->section.n; i++) {
        const au_section *s = &x->section.at[i];
        if (s->obj == obj && s->thread == p->thread && s->first <= p->place &&
            p->place <= s->last && s->first <= q->place && q->place <= s->last)
            return true;
    }
    return false;
}
