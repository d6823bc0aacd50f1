/* solve/effect.c: what each step does under ctp, mcm, cam or locks (docs/oracle.md). */
#include "solve/cssa_priv.h"
#include "solve/query.h"

typedef struct {
    au_cssa *c;
    const au_model *m;
    uint32_t *same; /* variable v is variable v */
} maker;

static au_term import(const maker *k, au_term x) {
    return au_term_import(k->c->terms, k->m->terms, x, k->same);
}

static bool on_lock(const au_model *m, const au_step *s) {
    if (s->kind == AU_STEP_FORK || s->kind == AU_STEP_JOIN || s->obj == AU_NONE)
        return false;
    return m->obj.at[s->obj].kind <= AU_OBJ_RWLOCK;
}

static void take_updates(const maker *k, const au_step *s, au_effect *e, bool sync_only) {
    e->update = AU_ARENA_ARRAY(&k->c->arena, au_cssa_write, s->n_updates);
    for (uint32_t i = 0; i < s->n_updates; i++)
        if (!sync_only || k->m->var.at[s->update[i].var].kind == AU_VAR_SYNC)
            e->update[e->n_updates++] =
                (au_cssa_write){s->update[i].var, import(k, s->update[i].value)};
}

static void with_values(const maker *k, const au_step *s, au_effect *e) {
    e->guard = e->own = import(k, s->guard);
    e->cond = import(k, s->cond);
    take_updates(k, s, e, false);
}

static void without_values(const maker *k, const au_step *s, au_effect *e) {
    const au_model *m = k->m;
    bool locks_only = au_ignores_sync(k->c);
    if (s->kind == AU_STEP_ASSERT) {
        e->free_assert = !au_term_is_const(m->terms, s->cond);
        if (!e->free_assert)
            e->cond = import(k, s->cond);
    }
    bool of_lock = on_lock(m, s) || s->kind == AU_STEP_WAIT || s->kind == AU_STEP_WAKE;
    /* Without signals a waiter just takes its lock again. */
    if (locks_only && s->kind == AU_STEP_WAKE)
        e->present = s->spurious;
    if (locks_only && s->kind == AU_STEP_SIGNAL)
        e->present = s->choice == AU_NONE;
    if (!au_step_is_data(s) && (!locks_only || of_lock)) {
        e->guard = import(k, s->guard);
        take_updates(k, s, e, true);
    } else if (au_step_is_data(s) && !locks_only) {
        take_updates(k, s, e, true); /* it may be the one that ends its thread */
    }
    e->own = e->guard;
}

/* --- mcm ---------------------------------------------------------------------- */

static void note_var(void *ctx, uint32_t var) {
    ((bool *)ctx)[var] = true;
}

/* Locals that only asserts look at. */
static bool *find_asserted(const au_model *m) {
    bool *looked_at = au_alloc_array(m->var.n, sizeof *looked_at);
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        au_term_each_var(m->terms, s->guard, note_var, looked_at);
        for (uint32_t j = 0; j < s->n_updates; j++)
            au_term_each_var(m->terms, s->update[j].value, note_var, looked_at);
    }
    for (size_t v = 0; v < m->var.n; v++)
        looked_at[v] = m->var.at[v].kind == AU_VAR_LOCAL && !looked_at[v];
    return looked_at;
}

static bool serves_asserts(const au_model *m, const au_step *s, const bool *asserted) {
    for (uint32_t i = 0; i < s->n_updates; i++) {
        uint32_t v = s->update[i].var;
        if (m->var.at[v].kind != AU_VAR_SYNC && !asserted[v])
            return false;
    }
    return s->kind == AU_STEP_ASSERT || s->kind == AU_STEP_ASSIGN;
}

static void pin(const maker *k, const au_step *s, au_effect *e, const uint64_t *before,
                const uint64_t *after) {
    au_terms *t = k->c->terms;
    for (uint32_t i = 0; i < s->n_accesses; i++) {
        uint32_t v = s->access[i].var;
        unsigned w = k->m->var.at[v].width;
        if (!s->access[i].write)
            e->guard =
                au_term_and(t, e->guard,
                            au_term_eq(t, au_term_of_var(t, v, w), au_term_const(t, w, before[v])));
    }
    for (uint32_t i = 0; i < e->n_updates; i++) {
        uint32_t v = e->update[i].var;
        e->update[i].value = au_term_const(t, k->m->var.at[v].width, after[v]);
    }
    e->zero_havoc = true;
}

/* Only the steps of the observed run are left, those of data pinned to what they read
 * and wrote there. Whom a signal wakes and what wakes a waiter stay open. */
static void follow_observed(const maker *k) {
    const au_model *m = k->m;
    au_effect *effect = k->c->more->effect;
    bool *asserted = find_asserted(m), *seen = au_alloc_array(m->step.n, sizeof *seen);
    uint64_t *from = au_alloc_array(m->var.n, sizeof *from);
    uint64_t *to = au_alloc_array(m->var.n, sizeof *to);
    for (size_t v = 0; v < m->var.n; v++)
        from[v] = m->var.at[v].init;
    for (size_t i = 0; i < m->observed.n; i++) {
        const au_step *s = &m->step.at[m->observed.at[i]];
        seen[s->id] = true;
        if (!au_step_is_data(s))
            seen[au_query_event(m, s->id)] = true;
        memcpy(to, from, m->var.n * sizeof *to);
        for (uint32_t j = 0; j < s->n_updates; j++)
            to[s->update[j].var] = au_term_eval(m->terms, s->update[j].value, from);
        if (s->havoc != AU_NONE)
            to[s->havoc] = 0;
        if (au_step_is_data(s) && !serves_asserts(m, s, asserted))
            pin(k, s, &effect[s->id], from, to);
        if (au_term_eval(m->terms, s->cond, from)) /* a failed assert assigns nothing */
            memcpy(from, to, m->var.n * sizeof *from);
    }
    for (uint32_t i = 0; i < m->step.n; i++)
        effect[i].present &= seen[au_step_is_data(&m->step.at[i]) ? i : au_query_event(m, i)];
    free(asserted);
    free(seen);
    free(from);
    free(to);
}

void au_effects_make(au_cssa *c) {
    const au_model *m = c->m;
    maker k = {c, m, au_alloc_array(m->var.n, sizeof *k.same)};
    for (uint32_t v = 0; v < m->var.n; v++)
        k.same[v] = v;
    c->more->effect = AU_ARENA_ARRAY(&c->arena, au_effect, m->step.n);
    for (size_t i = 0; i < m->step.n; i++) {
        au_effect *e = &c->more->effect[i];
        *e = (au_effect){.present = true};
        e->guard = e->cond = e->own = au_term_bool(c->terms, true);
        if (c->o.in_time && au_deadline_over())
            continue; /* nobody gets what is made */
        if (au_ignores_values(c))
            without_values(&k, &m->step.at[i], e);
        else
            with_values(&k, &m->step.at[i], e);
    }
    if (c->o.semantics == AU_SEM_MCM)
        follow_observed(&k);
    free(k.same);
}
