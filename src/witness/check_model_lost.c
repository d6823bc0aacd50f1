/* witness/check_model_lost.c: does the schedule lose an update?
 *
 * Its thread's way to the write is gone once more, from the thread's last write of the variable on: with the values of
 * other reads as they were, and for every read of the variable the value that the write overwrites. */
#include "base/bits.h"
#include "witness/check_model_priv.h"

#include <string.h>

typedef struct {
    au_wmodel *x;
    uint64_t *value; /* as executed */
    uint64_t *other; /* … and of the thread's locals, as they would be; from the read on */
    uint64_t *mixed, *next;
    bool *
        wrote; /* by place in the path: it writes the variable; one that also reads it, only if it changes it */
    uint32_t havocs;
    size_t branch; /* place in the path … */
    bool taken;    /* … would it be taken? */
} again;

static bool writes(const au_step *p, uint32_t var) {
    for (uint32_t i = 0; i < p->n_accesses; i++)
        if (p->access[i].var == var && p->access[i].write)
            return true;
    return false;
}

static bool reads(const au_step *p, uint32_t var) {
    for (uint32_t i = 0; i < p->n_accesses; i++)
        if (p->access[i].var == var && !p->access[i].write)
            return true;
    return false;
}

/* The updates of a step under 'from', into g->next. */
static void compute(again *g, const au_step *p, const uint64_t *from) {
    for (uint32_t i = 0; i < p->n_updates; i++)
        g->next[i] = au_term_eval(g->x->m->terms, p->update[i].value, from);
}

static void store(again *g, const au_step *p, uint64_t *to, bool locals) {
    for (uint32_t i = 0; i < p->n_updates; i++)
        if (!locals || g->x->m->var.at[p->update[i].var].kind == AU_VAR_LOCAL)
            to[p->update[i].var] = g->next[i];
}

static void choose(again *g, const au_step *p) {
    const au_model_finding *f = g->x->f;
    if (p->havoc == AU_NONE)
        return;
    uint64_t v = g->havocs < f->n_havoc ? f->havoc[g->havocs] : 0;
    g->value[p->havoc] = g->other[p->havoc] = au_low_bits(v, g->x->m->var.at[p->havoc].width);
    g->havocs++;
}

/* What the thread sees that is told another value: its own locals, and the variable. */
static void mix(again *g, uint32_t thread, uint64_t now) {
    const au_model *m = g->x->m;
    memcpy(g->mixed, g->value, m->var.n * sizeof *g->mixed);
    for (uint32_t v = 0; v < m->var.n; v++)
        if (m->var.at[v].kind == AU_VAR_LOCAL && m->var.at[v].thread == thread)
            g->mixed[v] = g->other[v];
    g->mixed[g->x->f->var] = now;
}

static uint64_t written(const again *g, const au_step *p) {
    for (uint32_t i = 0; i < p->n_updates; i++)
        if (p->update[i].var == g->x->f->var)
            return g->next[i];
    return 0;
}

/* Executes the path up to 'until'; from 'from' on the thread is told 'now'. */
static void go(again *g, size_t from, size_t until, uint32_t thread, uint64_t now) {
    const au_model *m = g->x->m;
    g->havocs = 0;
    for (uint32_t v = 0; v < m->var.n; v++)
        g->value[v] = g->other[v] = m->var.at[v].init;
    for (size_t i = 0; i < until; i++) {
        const au_step *p = au_wmodel_step(g->x, g->x->path.at[i].step);
        if (g->x->path.at[i].failed && !g->x->f->whole)
            continue;
        if (p->thread == thread && i >= from) {
            mix(g, thread, now);
            if (i == g->branch)
                g->taken = au_term_eval(m->terms, p->guard, g->mixed) != 0;
            compute(g, p, g->mixed);
            store(g, p, g->other, true);
        }
        uint64_t before = g->value[g->x->f->var];
        compute(g, p, g->value);
        store(g, p, g->value, false);
        g->wrote[i] = writes(p, g->x->f->var) &&
                      (!reads(p, g->x->f->var) || g->value[g->x->f->var] != before);
        if (p->thread == thread && i < from)
            store(g, p, g->other, true);
        choose(g, p);
    }
}

/* Where the branch of a stale decision is executed; SIZE_MAX: it is none, or not between the read and the write. */
static size_t branch_of(const au_wmodel *x, const size_t at[3], uint32_t thread) {
    for (size_t i = at[0]; i < at[2] && x->f->obj != AU_NONE; i++)
        if (x->path.at[i].step == x->f->obj && !x->path.at[i].failed)
            return au_wmodel_step(x, x->path.at[i].step)->thread == thread ? i : SIZE_MAX;
    return SIZE_MAX;
}

bool au_wmodel_loses(au_wmodel *x, const size_t at[3], const char **why) {
    const au_model *m = x->m;
    uint32_t var = x->f->var;
    const au_step *r = au_wmodel_step(x, x->path.at[at[0]].step);
    const au_step *w = au_wmodel_step(x, x->path.at[at[2]].step);
    *why = "its events are not a read, another thread's write and a write of one variable";
    if (var >= m->var.n || !reads(r, var) || !writes(w, var) ||
        !writes(au_wmodel_step(x, x->path.at[at[1]].step), var) || x->path.at[at[2]].failed)
        return false;
    uint32_t most = 1;
    for (size_t i = 0; i < m->step.n; i++)
        most = m->step.at[i].n_updates > most ? m->step.at[i].n_updates : most;
    again g = {.x = x,
               .value = au_alloc_array(m->var.n + 1, sizeof *g.value),
               .other = au_alloc_array(m->var.n + 1, sizeof *g.other),
               .mixed = au_alloc_array(m->var.n + 1, sizeof *g.mixed),
               .next = au_alloc_array(most, sizeof *g.next),
               .wrote = au_alloc_array(x->path.n + 1, sizeof *g.wrote),
               .branch = branch_of(x, at, r->thread),
               .taken = true};
    go(&g, SIZE_MAX, at[2], r->thread, 0);
    size_t from = 0; /* after the thread's own last write of it */
    bool between = false;
    for (size_t i = 0; i < at[2]; i++) {
        bool own = au_wmodel_step(x, x->path.at[i].step)->thread == r->thread;
        between |= g.wrote[i] && ((own && i >= at[0]) || i > at[1]);
        from = own && g.wrote[i] ? i + 1 : from;
    }
    between |= !g.wrote[at[1]];
    uint64_t now = g.value[var];
    compute(&g, w, g.value);
    x->lost.wrote = written(&g, w);
    go(&g, from, at[2], r->thread, now);
    mix(&g, r->thread, now);
    compute(&g, w, g.mixed);
    x->lost.instead = written(&g, w);
    x->lost.over = now;
    free(g.value);
    free(g.other);
    free(g.mixed);
    free(g.next);
    free(g.wrote);
    *why = "the variable is written in between";
    if (between)
        return false;
    if (x->f->obj != AU_NONE) {
        *why = "the branch would be taken all the same";
        return g.branch != SIZE_MAX && g.branch >= from && !g.taken;
    }
    *why = "it writes what it should";
    return x->lost.wrote != x->lost.instead && !(reads(w, var) && x->lost.wrote == now);
}
