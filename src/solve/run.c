/* solve/run.c: plain execution of effects. */
#include "solve/run.h"

#include "solve/cssa_priv.h"

void au_cssa_run_init(au_cssa_run *r, au_cssa *c) {
    const au_model *m = c->m;
    *r = (au_cssa_run){.c = c};
    r->value = au_alloc_array(m->var.n + 1, sizeof *r->value);
    r->node = au_alloc_array(m->thread.n + 1, sizeof *r->node);
    r->stopped = au_alloc_array(m->thread.n + 1, sizeof *r->stopped);
    r->done = au_alloc_array(m->thread.n + 1, sizeof *r->done);
    for (size_t v = 0; v < m->var.n; v++)
        r->value[v] = m->var.at[v].init;
    for (size_t t = 0; t < m->thread.n; t++)
        r->node[t] = m->thread.at[t].entry;
}

void au_cssa_run_drop(au_cssa_run *r) {
    free(r->value);
    free(r->node);
    free(r->stopped);
    free(r->done);
}

bool au_cssa_run_started(const au_cssa_run *r, uint32_t thread) {
    uint32_t v = r->c->m->thread.at[thread].started;
    return v == AU_NONE || au_ignores_sync(r->c) || r->value[v];
}

bool au_cssa_run_enabled(const au_cssa_run *r, uint32_t event) {
    const au_cssa_event *e = &r->c->event.at[event];
    return au_cssa_run_started(r, e->thread) &&
           au_term_eval(r->c->terms, r->c->more->effect[e->step].guard, r->value);
}

bool au_cssa_run_holds(const au_cssa_run *r, uint32_t obj, uint32_t t) {
    const au_sync_obj *o = &r->c->m->obj.at[obj];
    if (o->kind > AU_OBJ_RWLOCK)
        return false;
    return r->value[o->var[0]] == t + 1 || (o->kind == AU_OBJ_RWLOCK && t < o->per.n &&
                                            o->per.at[t] != AU_NONE && r->value[o->per.at[t]]);
}

bool au_cssa_run_step(au_cssa_run *r, uint32_t event, uint64_t havoc, bool may_fail) {
    au_cssa *c = r->c;
    const au_cssa_event *e = &c->event.at[event];
    const au_step *s = &c->m->step.at[e->step];
    const au_effect *f = &c->more->effect[s->id];
    if (r->stopped[e->thread] || r->node[e->thread] != s->src || !au_cssa_run_enabled(r, event))
        return false;
    bool fails = f->free_assert ? may_fail : !au_term_eval(c->terms, f->cond, r->value);
    r->done[e->thread]++;
    if (fails && !c->o.whole) {
        r->stopped[e->thread] = true;
        return true;
    }
    uint64_t *next = au_alloc_array(f->n_updates + 1, sizeof *next);
    for (uint32_t i = 0; i < f->n_updates; i++)
        next[i] = au_term_eval(c->terms, f->update[i].value, r->value);
    for (uint32_t i = 0; i < f->n_updates; i++)
        r->value[f->update[i].var] = next[i];
    free(next);
    if (s->havoc != AU_NONE && !au_ignores_values(c))
        r->value[s->havoc] = f->zero_havoc ? 0 : havoc;
    r->node[e->thread] = s->dst;
    return true;
}
