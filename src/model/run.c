/* model/run.c: the observed run, found or checked by plain execution. */
#include "model/run.h"

typedef struct {
    const au_model *m;
    uint64_t *value; /* by variable */
    uint32_t *node;  /* by thread */
    bool *stopped;   /* by thread */
    uint64_t *next;  /* scratch: new values of one step */
} machine;

static void machine_init(machine *x, const au_model *m) {
    x->m = m;
    x->value = au_alloc_array(m->var.n, sizeof *x->value);
    x->node = au_alloc_array(m->thread.n, sizeof *x->node);
    x->stopped = au_alloc_array(m->thread.n, sizeof *x->stopped);
    uint32_t most = 0;
    for (size_t i = 0; i < m->step.n; i++)
        most = m->step.at[i].n_updates > most ? m->step.at[i].n_updates : most;
    x->next = au_alloc_array(most, sizeof *x->next);
    for (size_t i = 0; i < m->var.n; i++)
        x->value[i] = m->var.at[i].init;
    for (size_t i = 0; i < m->thread.n; i++)
        x->node[i] = m->thread.at[i].entry;
}

static void machine_release(machine *x) {
    free(x->value);
    free(x->node);
    free(x->stopped);
    free(x->next);
}

static bool has_started(const machine *x, uint32_t thread) {
    uint32_t v = x->m->thread.at[thread].started;
    return v == AU_NONE || x->value[v] != 0;
}

static bool is_enabled(const machine *x, const au_step *s) {
    return au_term_eval(x->m->terms, s->guard, x->value) != 0;
}

/* Requires: s is enabled. */
static void take(machine *x, const au_step *s) {
    if (!au_term_eval(x->m->terms, s->cond, x->value)) {
        x->stopped[s->thread] = true;
        return;
    }
    for (uint32_t i = 0; i < s->n_updates; i++)
        x->next[i] = au_term_eval(x->m->terms, s->update[i].value, x->value);
    for (uint32_t i = 0; i < s->n_updates; i++)
        x->value[s->update[i].var] = x->next[i];
    if (s->havoc != AU_NONE)
        x->value[s->havoc] = 0;
    x->node[s->thread] = s->dst;
}

/* The thread's next step, or NULL: it waits, is stopped (noted) or at its end. */
static const au_step *next_step(machine *x, uint32_t thread) {
    const au_model *m = x->m;
    if (x->stopped[thread] || !has_started(x, thread))
        return NULL;
    const au_node *n = &m->thread.at[thread].node.at[x->node[thread]];
    bool waits = false;
    for (size_t i = 0; i < n->out.n; i++) {
        const au_step *s = &m->step.at[n->out.at[i]];
        if (!s->spurious && is_enabled(x, s))
            return s;
        waits |= s->blocking;
    }
    if (n->out.n && !waits)
        x->stopped[thread] = true;
    return NULL;
}

void au_model_observe(au_model *m) {
    au_model_observe_steps(m, AU_OBSERVE_STEPS);
}

void au_model_observe_steps(au_model *m, size_t most) {
    if (m->observed.n)
        return;
    machine x;
    machine_init(&x, m);
    uint32_t thread = 0;
    while (thread < m->thread.n && m->observed.n < most) {
        const au_step *s = next_step(&x, thread);
        if (!s) {
            thread++;
            continue;
        }
        do {
            au_vec_push(&m->observed, s->id);
            take(&x, s);
            s = next_step(&x, thread);
        } while (s && m->observed.n < most);
        thread = 0; /* what it did may have let an earlier one go on */
    }
    machine_release(&x);
}

static const char *refusal(const machine *x, const au_step *s) {
    if (x->node[s->thread] != s->src)
        return "its thread is somewhere else";
    if (x->stopped[s->thread])
        return "its thread has stopped";
    if (!has_started(x, s->thread))
        return "its thread has not been forked yet";
    if (is_enabled(x, s))
        return NULL;
    return s->blocking ? "it would have to wait there" : "its condition does not hold there";
}

au_status au_model_follow(const au_model *m, au_run_fn *fn, void *ctx, size_t *at, au_error *err) {
    machine x;
    machine_init(&x, m);
    au_status st = AU_OK;
    bool go_on = true;
    for (size_t i = 0; i < m->observed.n && st == AU_OK && go_on; i++) {
        const au_step *s = &m->step.at[m->observed.at[i]];
        const char *why = refusal(&x, s);
        if (!why) {
            go_on = !fn || fn(ctx, s, false, x.value);
            take(&x, s);
            go_on = go_on && (!fn || fn(ctx, s, true, x.value));
            continue;
        }
        if (at)
            *at = i;
        const char *label = au_step_label(m, s);
        if (*label)
            st = au_error_set(err, AU_EFORMAT, "the observed run cannot take '%s' (place %zu): %s",
                              label, i + 1, why);
        else
            st = au_error_set(err, AU_EFORMAT,
                              "the observed run cannot take step %zu, of thread '%s' (line %u): %s",
                              i + 1, m->thread.at[s->thread].name, s->line, why);
    }
    machine_release(&x);
    return st;
}

au_status au_model_check_observed(const au_model *m, size_t *at, au_error *err) {
    return au_model_follow(m, NULL, NULL, at, err);
}

size_t au_model_drop_stuck(au_model *m, au_run_fn *fn, void *ctx) {
    machine x;
    machine_init(&x, m);
    size_t kept = 0, stuck = 0;
    bool *left = au_alloc_array(m->thread.n, sizeof *left);
    for (size_t i = 0; i < m->observed.n; i++) {
        const au_step *s = &m->step.at[m->observed.at[i]];
        if (!left[s->thread] && (refusal(&x, s) || !fn(ctx, s, false, x.value))) {
            left[s->thread] = true;
            stuck++;
        }
        if (left[s->thread])
            continue;
        take(&x, s);
        m->observed.at[kept++] = s->id;
    }
    m->observed.n = kept;
    machine_release(&x);
    free(left);
    return stuck;
}
