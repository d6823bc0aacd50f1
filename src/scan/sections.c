/* scan/sections.c: see sections.h. */
#include "scan/sections.h"

#include <stdlib.h>

typedef struct {
    uint32_t step;
    uint64_t value; /* of a havoc */
} row;
typedef AU_VEC(row) rows;

static bool matters(const au_model *m, uint32_t step) {
    const au_step *s = &m->step.at[step];
    bool shared = s->n_accesses || s->obj != AU_NONE;
    for (uint32_t i = 0; i < s->n_updates && !shared; i++)
        shared = m->var.at[s->update[i].var].kind != AU_VAR_LOCAL;
    return shared;
}

/* The section that begins at row i: where it ends, and how many steps of others are in it. */
static size_t section(const au_model *m, uint32_t lock, const rows *r, size_t i, size_t *others,
                      bool *broken) {
    uint32_t who = m->step.at[r->at[i].step].thread;
    size_t k = i + 1;
    *others = 0;
    *broken = false;
    for (; k < r->n; k++) {
        const au_step *s = &m->step.at[r->at[k].step];
        if (s->thread == who && s->kind == AU_STEP_REL && s->obj == lock)
            break;
        *others += s->thread != who;
        *broken |= s->thread != who && matters(m, s->id);
    }
    return k;
}

static bool begins(const au_model *m, uint32_t lock, uint32_t step) {
    const au_step *s = &m->step.at[step];
    return s->kind == AU_STEP_ACQ && s->obj == lock;
}

/* The first 'before' steps of others go before the section, the rest behind it. */
static void part(const au_model *m, const rows *r, size_t i, size_t end, size_t before, rows *out) {
    uint32_t who = m->step.at[r->at[i].step].thread;
    size_t last = end < r->n ? end + 1 : r->n, seen = 0;
    au_vec_clear(out);
    au_vec_append(out, r->at, i);
    for (size_t k = i; k < last; k++)
        if (m->step.at[r->at[k].step].thread != who && seen++ < before)
            au_vec_push(out, r->at[k]);
    for (size_t k = i; k < last; k++)
        if (m->step.at[r->at[k].step].thread == who)
            au_vec_push(out, r->at[k]);
    seen = 0;
    for (size_t k = i; k < last; k++)
        if (m->step.at[r->at[k].step].thread != who && seen++ >= before)
            au_vec_push(out, r->at[k]);
    au_vec_append(out, r->at + last, r->n - last);
}

static void put(const au_model *m, const rows *r, au_solution *s) {
    au_vec_clear(&s->schedule);
    au_vec_clear(&s->havoc);
    for (size_t i = 0; i < r->n; i++) {
        au_vec_push(&s->schedule, r->at[i].step);
        if (m->step.at[r->at[i].step].havoc != AU_NONE)
            au_vec_push(&s->havoc, r->at[i].value);
    }
}

bool au_sections_close(const au_model *m, uint32_t lock, au_solution *s, au_sections_try *good,
                       const void *ctx) {
    rows r = {0}, other = {0};
    size_t havoc = 0;
    for (size_t i = 0; i < s->schedule.n; i++) {
        row x = {.step = s->schedule.at[i]};
        if (m->step.at[x.step].havoc != AU_NONE && havoc < s->havoc.n)
            x.value = s->havoc.at[havoc++];
        au_vec_push(&r, x);
    }
    bool closed = true;
    for (size_t i = 0; i < r.n && closed; i++) {
        size_t others;
        bool broken;
        if (!begins(m, lock, r.at[i].step))
            continue;
        size_t end = section(m, lock, &r, i, &others, &broken);
        if (!broken)
            continue;
        closed = false;
        /* Of one that is not over, all go before it. */
        for (size_t before = end < r.n ? 0 : others; before <= others && !closed; before++) {
            part(m, &r, i, end, before, &other);
            put(m, &other, s);
            closed = good(ctx, s);
        }
        if (closed) {
            au_vec_clear(&r);
            au_vec_append(&r, other.at, other.n);
            i--; /* what stands here now may be of another */
        } else {
            put(m, &r, s);
        }
    }
    au_vec_release(&r);
    au_vec_release(&other);
    return closed;
}
