/* solve/tail.c: the steps after a window as one condition. */
#include "solve/tail.h"

#include "base/error.h"
#include "solve/observed.h"

#include <stdio.h>

typedef struct {
    au_window *w;
    au_observed x; /* the run as it was */
    au_term *now;  /* by variable: what it holds, over what variables hold at the end of the window;
                      AS_OBSERVED: what it held in the run */
    au_term then;
    au_map memo;
    bool whole;
} tail;

static const au_term AS_OBSERVED = {UINT32_MAX};

static bool is_open(const tail *k, uint32_t var) {
    return k->now[var].n != UINT32_MAX;
}

static void find_open(void *ctx, uint32_t var) {
    tail **k = ctx;
    if (*k && is_open(*k, var))
        *k = NULL;
}

/* Does its value depend on the window? */
static bool depends(tail *k, au_term x) {
    tail *at = k;
    au_term_each_var(k->w->of->terms, x, find_open, &at);
    return !at;
}

static au_term value_of(void *ctx, uint32_t var, unsigned width) {
    tail *k = ctx;
    return is_open(k, var) ? k->now[var] : au_term_const(k->w->m->terms, width, k->x.value[var]);
}

static au_term put_in(tail *k, au_term x) {
    au_map_clear(&k->memo);
    return au_term_translate(k->w->m->terms, k->w->of->terms, x, value_of, k, &k->memo);
}

/* The window may leave another value there than the run had. Synchronisation: see tail.h. */
static void open_variables(tail *k) {
    const au_model *m = k->w->m;
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        for (uint32_t j = 0; j < s->n_updates; j++)
            if (m->var.at[s->update[j].var].kind != AU_VAR_SYNC)
                k->now[s->update[j].var] = au_model_var_term(k->w->m, s->update[j].var);
        if (s->havoc != AU_NONE)
            k->now[s->havoc] = au_model_var_term(k->w->m, s->havoc);
    }
}

static void require(tail *k, au_term x, bool value) {
    if (!depends(k, x))
        return; /* as it was in the run */
    x = put_in(k, x);
    k->then = au_term_and(k->w->m->terms, k->then, value ? x : au_term_not(k->w->m->terms, x));
}

/* The condition of the step has this value. */
static void decide(tail *k, const au_step *s, bool value) {
    if (depends(k, s->cond))
        require(k, s->cond, value);
    else if (au_observed_holds(&k->x, s->id) != value)
        k->then = au_term_bool(k->w->m->terms, false);
}

static void pass(tail *k, const au_step *s, bool fails) {
    AU_VEC(au_term) next = {0};
    require(k, s->guard, true);
    if (!k->whole || fails)
        decide(k, s, !fails);
    for (uint32_t i = 0; i < s->n_updates; i++) {
        bool sync = k->w->of->var.at[s->update[i].var].kind == AU_VAR_SYNC;
        bool open = !sync && depends(k, s->update[i].value);
        au_vec_push(&next, open ? put_in(k, s->update[i].value) : AS_OBSERVED);
    }
    for (uint32_t i = 0; i < s->n_updates; i++)
        k->now[s->update[i].var] = next.at[i];
    if (s->havoc != AU_NONE)
        k->now[s->havoc] = AS_OBSERVED;
    au_vec_release(&next);
    au_observed_step(&k->x, s->id, 0, k->whole);
}

/* --- locals ------------------------------------------------------------------------------------ */

typedef struct {
    const au_model *m;
    au_u32s local;
} locals;

static void note_local(void *ctx, uint32_t var) {
    locals *l = ctx;
    if (l->m->var.at[var].kind == AU_VAR_LOCAL)
        au_vec_push(&l->local, var);
}

/* A local of a thread is told to all by a last step of the thread. */
static au_term tell_locals(au_window *w, au_term then) {
    au_model *m = w->m;
    locals l = {.m = m};
    au_term_each_var(m->terms, then, note_local, &l);
    size_t before = m->var.n;
    au_term *map = au_alloc_array(before + 1, sizeof *map);
    memset(map, 0xff, (before + 1) * sizeof *map);
    for (size_t i = 0; i < l.local.n; i++) {
        uint32_t v = l.local.at[i], t = m->var.at[v].thread;
        char name[40];
        snprintf(name, sizeof name, "$end%zu", i);
        uint32_t told = au_model_add_var(m, name, AU_VAR_SHARED, m->var.at[v].width,
                                         m->var.at[v].init, AU_NONE);
        uint32_t next = au_model_add_node(m, t);
        au_step *s = au_model_add_step(m, t, w->end[t], next, AU_STEP_ASSIGN);
        uint32_t id = s->id;
        au_step_add_update(m, s, told, au_model_var_term(m, v));
        au_step_add_access(m, s, told, true);
        w->step = au_realloc_array(w->step, (size_t)id + 1, sizeof *w->step);
        w->step[id] = AU_NONE;
        w->end[t] = next;
        au_vec_push(&m->observed, id);
        map[v] = au_model_var_term(m, told);
    }
    then = au_term_substitute(m->terms, then, map, before);
    free(map);
    au_vec_release(&l.local);
    return then;
}

au_term au_tail_condition(au_window *w, size_t until, size_t fails, bool whole) {
    const au_model *of = w->of;
    tail k = {.w = w, .whole = whole, .then = au_term_bool(w->m->terms, true)};
    au_observed_init(&k.x, of);
    au_map_init(&k.memo);
    k.now = au_alloc_array(of->var.n + 1, sizeof *k.now);
    memset(k.now, 0xff, (of->var.n + 1) * sizeof *k.now);
    for (size_t i = 0; i < w->last; i++)
        au_observed_step(&k.x, of->observed.at[i], 0, whole);
    open_variables(&k);
    for (size_t i = w->last; i < until && !au_term_is_false(w->m->terms, k.then); i++)
        pass(&k, &of->step.at[of->observed.at[i]], i == fails);
    au_term then = tell_locals(w, k.then);
    for (uint32_t t = 0; t < of->thread.n; t++)
        w->m->thread.at[t].exit = w->end[t];
    au_observed_release(&k.x);
    au_map_release(&k.memo);
    free(k.now);
    return then;
}

bool au_tail_runs(const au_model *m, const au_solution *r, uint32_t fails, bool whole) {
    au_observed x;
    au_observed_init(&x, m);
    size_t havoc = 0;
    bool good = true, failed = fails == AU_NONE;
    for (size_t i = 0; i < r->schedule.n && good; i++) {
        const au_step *s = &m->step.at[r->schedule.at[i]];
        good = au_observed_enabled(&x, s->id);
        failed |= good && s->id == fails && !au_observed_holds(&x, s->id);
        uint64_t chosen = s->havoc != AU_NONE && havoc < r->havoc.n ? r->havoc.at[havoc++] : 0;
        au_observed_step(&x, s->id, chosen, whole);
    }
    for (uint32_t t = 0; t < m->thread.n && good && whole; t++) {
        uint32_t started = m->thread.at[t].started;
        good = x.node[t] == m->thread.at[t].exit || (started != AU_NONE && !x.value[started]);
    }
    au_observed_release(&x);
    return good && failed;
}
