/* solve/observed.c: plain execution of steps. */
#include "solve/observed.h"

void au_observed_init(au_observed *x, const au_model *m) {
    *x = (au_observed){.m = m};
    x->value = au_alloc_array(m->var.n + 1, sizeof *x->value);
    x->next = au_alloc_array(m->var.n + 1, sizeof *x->next);
    x->node = au_alloc_array(m->thread.n + 1, sizeof *x->node);
    x->done = au_alloc_array(m->thread.n + 1, sizeof *x->done);
    x->stopped = au_alloc_array(m->thread.n + 1, sizeof *x->stopped);
    for (size_t v = 0; v < m->var.n; v++)
        x->value[v] = m->var.at[v].init;
    for (size_t t = 0; t < m->thread.n; t++)
        x->node[t] = m->thread.at[t].entry;
}

void au_observed_release(au_observed *x) {
    free(x->value);
    free(x->next);
    free(x->node);
    free(x->done);
    free(x->stopped);
}

bool au_observed_holds(const au_observed *x, uint32_t step) {
    return au_term_eval(x->m->terms, x->m->step.at[step].cond, x->value);
}

bool au_observed_enabled(const au_observed *x, uint32_t step) {
    const au_step *s = &x->m->step.at[step];
    uint32_t started = x->m->thread.at[s->thread].started;
    return !x->stopped[s->thread] && x->node[s->thread] == s->src &&
           (started == AU_NONE || x->value[started]) &&
           au_term_eval(x->m->terms, s->guard, x->value);
}

void au_observed_step(au_observed *x, uint32_t step, uint64_t havoc, bool whole) {
    const au_step *s = &x->m->step.at[step];
    x->done[s->thread]++;
    if (!whole && !au_observed_holds(x, step)) {
        x->stopped[s->thread] = true;
        return;
    }
    for (uint32_t k = 0; k < s->n_updates; k++)
        x->next[k] = au_term_eval(x->m->terms, s->update[k].value, x->value);
    for (uint32_t k = 0; k < s->n_updates; k++)
        x->value[s->update[k].var] = x->next[k];
    if (s->havoc != AU_NONE)
        x->value[s->havoc] = havoc;
    x->node[s->thread] = s->dst;
}
