/* solve/acts.c: what threads can still do, over all steps of the model: whoever could have done it, had values been
 * others, counts. In a part of a run that is what they can do in the whole model. */
#include "solve/deadlock_priv.h"

static void note(const au_dead *d, au_bitset *b, const au_step *s) {
    switch (s->kind) {
    case AU_STEP_REL:
        au_bitset_add(b, au_dead_act(d, s->obj, AU_GIVE_RELEASE));
        break;
    case AU_STEP_WAIT:
        au_bitset_add(b, au_dead_act(d, s->obj2, AU_GIVE_RELEASE));
        break;
    case AU_STEP_SIGNAL:
    case AU_STEP_BROADCAST:
        au_bitset_add(b, au_dead_act(d, s->obj, AU_GIVE_SIGNAL));
        break;
    case AU_STEP_ARRIVE:
        au_bitset_add(b, au_dead_act(d, s->obj, AU_GIVE_ARRIVE));
        break;
    case AU_STEP_FORK:
        au_bitset_add(b, au_dead_fork(d, s->obj));
        break;
    default:
        break;
    }
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (s->access[i].write)
            au_bitset_add(b, au_dead_write(d, s->access[i].var));
}

/* Whatever the thread of the whole model can do from this node on, as far as it was not looked at ('been'). */
static void note_beyond(const au_dead *d, uint32_t t, uint32_t from, au_bitset *been,
                        au_bitset *b) {
    const au_model *of = d->part->of;
    AU_VEC(uint32_t) todo = {0};
    au_vec_push(&todo, from);
    while (todo.n) {
        uint32_t node = au_vec_pop(&todo);
        if (au_bitset_has(been, node))
            continue;
        au_bitset_add(been, node);
        const au_node *n = &of->thread.at[t].node.at[node];
        for (size_t i = 0; i < n->out.n; i++) {
            note(d, b, &of->step.at[n->out.at[i]]);
            au_vec_push(&todo, of->step.at[n->out.at[i]].dst);
        }
    }
    au_vec_release(&todo);
}

bool au_dead_is_cut(const au_dead *d, uint32_t t, uint32_t node) {
    if (!d->part)
        return false;
    uint32_t at = d->part->node[t].at[node];
    return at != AU_NONE &&
           d->part->of->thread.at[t].node.at[at].out.n != d->c->m->thread.at[t].node.at[node].out.n;
}

static void note_cut(au_dead *d, uint32_t t) {
    const au_thread *th = &d->c->m->thread.at[t];
    for (uint32_t n = 0; n < th->node.n; n++) {
        au_bitset been;
        if (d->part->stopped[t] && n == th->entry)
            memset(d->acts[t][n].word, 0xff, au_bitset_words(&d->acts[t][n]) * sizeof(uint64_t));
        if (d->part->stopped[t] || !au_dead_is_cut(d, t, n))
            continue;
        au_bitset_init(&been, d->part->of->thread.at[t].node.n);
        note_beyond(d, t, d->part->node[t].at[n], &been, &d->acts[t][n]);
        au_bitset_release(&been);
    }
}

void au_dead_find_acts(au_dead *d) {
    const au_model *m = d->c->m;
    size_t bits = m->obj.n * AU_GIVES + m->thread.n + m->var.n;
    d->acts = au_alloc_array(d->threads + 1, sizeof *d->acts);
    for (uint32_t t = 0; t < d->threads; t++) {
        d->acts[t] = au_alloc_array(m->thread.at[t].node.n + 1, sizeof **d->acts);
        for (size_t n = 0; n < m->thread.at[t].node.n; n++)
            au_bitset_init(&d->acts[t][n], bits);
        if (d->part)
            note_cut(d, t);
    }
    for (size_t i = 0; i < m->step.n; i++)
        note(d, &d->acts[m->step.at[i].thread][m->step.at[i].src], &m->step.at[i]);
    for (bool grew = true; grew;) {
        grew = false;
        for (size_t i = m->step.n; i-- > 0;) {
            const au_step *s = &m->step.at[i];
            grew |= au_bitset_join(&d->acts[s->thread][s->src], &d->acts[s->thread][s->dst]);
        }
    }
}
