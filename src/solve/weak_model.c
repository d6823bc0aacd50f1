/* solve/weak_model.c: the model as memory models look at it. */
#include "solve/weak_priv.h"

#include "base/limits.h"

/* ---- what is not supported ---- */

static const char *name_of(au_memory memory) {
    return memory == AU_MEMORY_SC ? "sc" : memory == AU_MEMORY_TSO ? "tso" : "rc11";
}

static au_status refuse(const au_model *m, const au_step *s, au_memory memory, const char *what,
                        au_error *err) {
    const char *label = au_step_label(m, s);
    if (*label)
        return au_error_set(err, AU_EUNSUPPORTED, "'%.60s' %s, which %s does not say anything of",
                            label, what, name_of(memory));
    return au_error_set(err, AU_EUNSUPPORTED,
                        "the step in line %u %s, which %s does not say anything of", s->line, what,
                        name_of(memory));
}

au_status au_weak_supports(const au_model *m, au_memory memory, au_error *err) {
    if (m->has_loops)
        return au_error_set(err, AU_EUNSUPPORTED, "the model has loops: unroll them");
    if (au_model_looks_at_locks(m))
        return au_error_set(err, AU_EUNSUPPORTED,
                            "a step looks at the state of a lock or semaphore, which %s does not "
                            "say anything of",
                            name_of(memory));
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        for (uint32_t k = 1; k < s->n_accesses; k++)
            if (s->access[k].var != s->access[0].var)
                return refuse(m, s, memory, "accesses several variables at once", err);
        if (s->n_accesses > 1 && !au_step_is_atomic(s))
            return refuse(m, s, memory, "has several accesses and is not atomic", err);
    }
    if (m->step.n > AU_LIMIT_WEAK_STEPS)
        return au_error_set(err, AU_EUNSUPPORTED, "%s",
                            au_limit_say(AU_AT_WEAK_STEPS, m->step.n, 0, (char[AU_LIMIT_TEXT]){0}));
    return AU_OK;
}

/* ---- reads in vain ---- */

/* A step whose guard looks at a shared variable, and whose thread stops if it is false. */
static bool stops(const au_model *m, const au_step *s) {
    bool reads = false;
    for (uint32_t i = 0; i < s->n_accesses; i++)
        reads |= !s->access[i].write;
    return reads && !s->blocking && s->kind != AU_STEP_BRANCH && s->kind < AU_STEP_ACQ &&
           !au_term_is_true(m->terms, s->guard) &&
           m->thread.at[s->thread].node.at[s->src].out.n == 1;
}

static au_step in_vain(au_model *m, const au_step *s, uint32_t id, uint32_t end) {
    au_step v = *s;
    v.id = id;
    v.dst = end;
    v.guard = au_term_not(m->terms, s->guard);
    v.cond = au_term_bool(m->terms, true);
    v.update = NULL;
    v.n_updates = 0;
    v.havoc = AU_NONE;
    for (v.n_accesses = 0; !s->access[v.n_accesses].write;) /* reads come first */
        if (++v.n_accesses == s->n_accesses)
            break;
    return v;
}

void au_weak_model_init(au_weak_model *w, const au_model *of) {
    au_model *m = w->m = AU_NEW(au_model);
    *m = *of;
    memset(&m->step, 0, sizeof m->step);
    memset(&m->thread, 0, sizeof m->thread);
    au_vec_append(&m->step, of->step.at, of->step.n);
    for (size_t t = 0; t < of->thread.n; t++) {
        au_thread th = of->thread.at[t];
        memset(&th.node, 0, sizeof th.node);
        for (size_t i = 0; i < of->thread.at[t].node.n; i++) {
            au_node n = of->thread.at[t].node.at[i];
            memset(&n.out, 0, sizeof n.out);
            au_vec_append(&n.out, of->thread.at[t].node.at[i].out.at,
                          of->thread.at[t].node.at[i].out.n);
            au_vec_push(&th.node, n);
        }
        au_vec_push(&m->thread, th);
    }
    for (uint32_t i = 0; i < of->step.n; i++) {
        const au_step *s = &of->step.at[i];
        if (!stops(of, s))
            continue;
        au_thread *th = &m->thread.at[s->thread];
        uint32_t end = (uint32_t)th->node.n, id = (uint32_t)m->step.n;
        au_vec_push(&th->node, ((au_node){.kind = AU_NODE_PLAIN, .merge = AU_NONE}));
        au_vec_push(&m->step, in_vain(m, s, id, end));
        /* First, so that the end has a place right behind it and what follows is as certain as it was. */
        au_vec_push(&th->node.at[s->src].out, i);
        th->node.at[s->src].out.at[0] = id;
    }
    w->origin = au_alloc_array(m->step.n + 1, sizeof *w->origin);
    w->vain = au_alloc_array(m->step.n + 1, sizeof *w->vain);
    for (uint32_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        w->origin[i] = i < of->step.n ? i : of->thread.at[s->thread].node.at[s->src].out.at[0];
        w->vain[i] = i >= of->step.n;
    }
}

void au_weak_model_release(au_weak_model *w) {
    for (size_t t = 0; t < w->m->thread.n; t++) {
        for (size_t i = 0; i < w->m->thread.at[t].node.n; i++)
            au_vec_release(&w->m->thread.at[t].node.at[i].out);
        au_vec_release(&w->m->thread.at[t].node);
    }
    au_vec_release(&w->m->thread);
    au_vec_release(&w->m->step);
    free(w->m);
    free(w->origin);
    free(w->vain);
}
