/* scan/modes.c: which variables tell nodes apart. */
#include "scan/reach_priv.h"

/* What is not told apart is joined: less precise, nothing is lost but what a later stage has to do. */
enum { MOST_WAITS = 8, MOST_SEMS = 4, MOST_FLAGS = 6, MOST_TRUTHS = 4, DEPTH = 4 };

static void add(au_reach_maker *k, uint32_t var, const int64_t *value, uint32_t n) {
    mode m = {.var = var, .n = n};
    for (uint32_t i = 0; i < n; i++)
        m.value[i] = value[i];
    au_vec_push(&k->mode, m);
}

static bool in_focus(const au_reach_maker *k, uint32_t thread) {
    for (uint32_t i = 0; i < k->width; i++)
        if (k->thread[i] == thread)
            return true;
    return false;
}

/* 0 not waiting, 1 waiting, 2 signalled; 0, 1, 2 of a semaphore. */
static void add_sync(au_reach_maker *k, const bool *tracked) {
    static const int64_t few[] = {0, 1, 2};
    const au_model *m = k->c->f->m;
    unsigned waits = 0, sems = 0;
    for (size_t i = 0; i < m->obj.n; i++) {
        const au_sync_obj *o = &m->obj.at[i];
        for (uint32_t t = 0; o->kind == AU_OBJ_COND && t < o->per.n; t++)
            if (o->per.at[t] != AU_NONE && tracked[o->per.at[t]] && in_focus(k, t) &&
                waits++ < MOST_WAITS)
                add(k, o->per.at[t], few, 3);
        if (o->kind == AU_OBJ_SEM && tracked[o->var[0]] && sems++ < MOST_SEMS)
            add(k, o->var[0], few, 3);
    }
}

static bool truth(au_terms *t, au_term value, au_term *cond, int depth) {
    *cond = value;
    if (au_term_is_const(t, value)) {
        *cond = au_term_const(t, 1, au_term_value(t, value) != 0);
        return au_term_value(t, value) <= 1;
    }
    if (au_term_width(t, value) == 1)
        return true;
    if (au_term_kind(t, value) == AU_T_ITE && depth < DEPTH) {
        au_term is = au_term_kid(t, value, 0), a, b;
        if (!truth(t, au_term_kid(t, value, 1), &a, depth + 1) ||
            !truth(t, au_term_kid(t, value, 2), &b, depth + 1))
            return false;
        *cond = au_term_or(t, au_term_and(t, is, a), au_term_and(t, au_term_not(t, is), b));
        return true;
    }
    if (au_term_kind(t, value) != AU_T_ZEXT || au_term_width(t, au_term_kid(t, value, 0)) != 1)
        return false;
    *cond = au_term_kid(t, value, 0);
    return true;
}

bool au_reach_truth_(au_terms *t, au_term value, au_term *cond) {
    return !au_term_is_const(t, value) && truth(t, value, cond, 0);
}

typedef struct {
    int64_t value[AU_MODE_VALUES];
    uint32_t n;
    bool other;
    uint32_t uses;
} values;

static void add_value(values *v, int64_t x) {
    for (uint32_t i = 0; i < v->n; i++)
        if (v->value[i] == x)
            return;
    if (v->n == AU_MODE_VALUES)
        v->other = true;
    else
        v->value[v->n++] = x;
}

typedef struct {
    values *of;
} user;
static void use(void *ctx, uint32_t var) {
    ((user *)ctx)->of[var].uses++;
}

/* Shared variables that are given constants only, the most used in conditions first. */
static void add_flags(au_reach_maker *k, const bool *tracked) {
    const au_model *m = k->c->f->m;
    values *of = au_alloc_array(m->var.n + 1, sizeof *of);
    user u = {of};
    for (uint32_t v = 0; v < m->var.n; v++) {
        of[v].other = m->var.at[v].kind != AU_VAR_SHARED || !tracked[v];
        add_value(&of[v], au_interval_value(m->var.at[v].init, m->var.at[v].width).low);
    }
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        au_term_each_var(m->terms, s->guard, use, &u);
        au_term_each_var(m->terms, s->cond, use, &u);
        if (s->havoc != AU_NONE)
            of[s->havoc].other = true;
        for (uint32_t j = 0; j < s->n_updates; j++) {
            const au_update *w = &s->update[j];
            if (au_term_is_const(m->terms, w->value))
                add_value(&of[w->var], au_interval_value(au_term_value(m->terms, w->value),
                                                         m->var.at[w->var].width)
                                           .low);
            else
                of[w->var].other = true;
            if (m->var.at[w->var].kind == AU_VAR_LOCAL) /* read to be looked at */
                au_term_each_var(m->terms, w->value, use, &u);
        }
    }
    for (int n = 0; n < MOST_FLAGS; n++) {
        uint32_t best = AU_NONE;
        for (uint32_t v = 0; v < m->var.n; v++)
            if (!of[v].other && of[v].n > 1 && of[v].uses &&
                (best == AU_NONE || of[v].uses > of[best].uses))
                best = v;
        if (best == AU_NONE)
            break;
        add(k, best, of[best].value, of[best].n);
        of[best].other = true;
    }
    free(of);
}

/* Locals that remember whether a condition held. */
static void add_truths(au_reach_maker *k, const bool *tracked) {
    static const int64_t bits[] = {0, 1};
    const au_model *m = k->c->f->m;
    values *of = au_alloc_array(m->var.n + 1, sizeof *of);
    user u = {of};
    au_term cond;
    for (uint32_t v = 0; v < m->var.n; v++)
        of[v].other = m->var.at[v].kind != AU_VAR_LOCAL || !tracked[v] || m->var.at[v].init > 1;
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        au_term_each_var(m->terms, s->guard, use, &u);
        if (s->havoc != AU_NONE)
            of[s->havoc].other = true;
        for (uint32_t j = 0; j < s->n_updates; j++) {
            const au_update *w = &s->update[j];
            if (au_reach_truth_(m->terms, w->value, &cond))
                of[w->var].n++;
            else if (!au_term_is_const(m->terms, w->value) || au_term_value(m->terms, w->value) > 1)
                of[w->var].other = true;
        }
    }
    unsigned n = 0;
    for (uint32_t v = 0; v < m->var.n && n < MOST_TRUTHS; v++)
        if (!of[v].other && of[v].n && of[v].uses) {
            add(k, v, bits, 2);
            n++;
        }
    free(of);
}

void au_reach_modes_init_(au_reach_maker *k, const bool *tracked) {
    if (k->o->modes) {
        add_sync(k, tracked);
        add_flags(k, tracked);
        add_truths(k, tracked);
    }
    k->keys = k->width + (uint32_t)k->mode.n;
}

void au_reach_modes_(const au_reach_maker *k, const au_abs *a, uint32_t *into) {
    for (size_t i = 0; i < k->mode.n; i++) {
        const mode *m = &k->mode.at[i];
        au_interval v = au_abs_range(k->d, a, m->var);
        into[i] = 0;
        for (uint32_t j = 0; j < m->n && v.low == v.high; j++)
            if (m->value[j] == v.low)
                into[i] = j + 1;
    }
}
