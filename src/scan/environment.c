/* scan/environment.c: what threads outside the focus do, as seen from it. */
#include "scan/reach_priv.h"

static bool in_focus(const au_reach_maker *k, uint32_t thread) {
    for (uint32_t i = 0; i < k->width; i++)
        if (k->thread[i] == thread)
            return true;
    return false;
}

/* What it can assign: a constant; what ranges know (not of SYNC variables: counts are not
 * kept exactly in the middle of transactions); anything. */
static au_interval assigned(const au_reach_maker *k, const au_step *s, uint32_t update) {
    const au_model *m = k->c->f->m;
    const au_update *u = &s->update[update];
    unsigned w = m->var.at[u->var].width;
    if (au_term_is_const(m->terms, u->value))
        return au_interval_value(au_term_value(m->terms, u->value), w);
    if (k->o->ranges && m->var.at[u->var].kind == AU_VAR_SHARED)
        return k->o->ranges->assigned[k->o->ranges->first[s->id] + update];
    return au_interval_full(w);
}

void au_reach_environment_init_(au_reach_maker *k, const bool *tracked) {
    const au_facts *f = k->c->f;
    const au_model *m = f->m;
    for (uint32_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        if (in_focus(k, s->thread) || k->known->never[au_facts_src(f, i)] ||
            (s->spurious && k->o->no_spurious))
            continue;
        env_step e = {.at = au_facts_src(f, i), .guard = s->guard};
        for (uint32_t u = 0; u < s->n_updates; u++) {
            uint32_t v = s->update[u].var;
            au_interval range = assigned(k, s, u);
            if (m->var.at[v].kind == AU_VAR_LOCAL || !tracked[v] || range.low > range.high)
                continue;
            au_vec_reserve(&e.write, e.write.n + 1);
            e.write.at[e.write.n].var = v;
            e.write.at[e.write.n++].range = range;
        }
        if (s->havoc != AU_NONE && m->var.at[s->havoc].kind != AU_VAR_LOCAL && tracked[s->havoc]) {
            au_vec_reserve(&e.write, e.write.n + 1);
            e.write.at[e.write.n].var = s->havoc;
            e.write.at[e.write.n++].range = au_interval_full(m->var.at[s->havoc].width);
        }
        if (e.write.n)
            au_vec_push(&k->env, e);
        else
            au_vec_release(&e.write);
    }
}

void au_reach_environment_release_(au_reach_maker *k) {
    for (size_t i = 0; i < k->env.n; i++)
        au_vec_release(&k->env.at[i].write);
    au_vec_release(&k->env);
}

static bool meets_all(const au_reach_maker *k, const uint32_t *tuple, uint32_t at) {
    for (uint32_t i = 0; i < k->width; i++)
        if (!au_facts_meet(k->c->f, tuple[i], at) &&
            tuple[i] != au_facts_entry(k->c->f, k->thread[i]))
            return false;
    return true;
}

void au_reach_environment_(au_reach_maker *k, const uint32_t *tuple, au_abs *a) {
    if (!k->env.n || au_abs_none(a))
        return;
    bool *over = au_alloc_array(k->env.n, sizeof *over);
    for (size_t i = 0; i < k->env.n; i++)
        over[i] = !meets_all(k, tuple, k->env.at[i].at);
    for (bool more = true; more;) { /* what one writes may let another go on */
        more = false;
        for (size_t i = 0; i < k->env.n; i++) {
            const env_step *e = &k->env.at[i];
            if (over[i] || !au_abs_may(k->d, a, e->guard, true))
                continue;
            over[i] = true;
            for (size_t w = 0; w < e->write.n; w++)
                more |= au_abs_may_become(k->d, a, e->write.at[w].var, e->write.at[w].range);
        }
    }
    free(over);
}
