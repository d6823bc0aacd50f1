/* solve/flow.c: the control graphs of what is present: topological orders. */
#include "solve/cssa_priv.h"

static bool make_flow(au_cssa *c, uint32_t t) {
    const au_model *m = c->m;
    const au_thread *th = &m->thread.at[t];
    au_flow *f = &c->more->flow[t];
    au_effect *effect = c->more->effect;
    size_t n = th->node.n;
    f->topo = AU_ARENA_ARRAY(&c->arena, uint32_t, n);
    f->by_topo = AU_ARENA_ARRAY(&c->arena, uint32_t, n);
    f->in = AU_ARENA_ARRAY(&c->arena, au_u32s, n);
    f->straight = true;
    bool *reachable = au_alloc_array(n, sizeof *reachable);
    uint32_t *missing = au_alloc_array(n, sizeof *missing); /* steps in, not yet looked at */
    au_u32s todo = {0};
    reachable[th->entry] = true;
    au_vec_push(&todo, th->entry);
    while (todo.n) {
        const au_node *at = &th->node.at[au_vec_pop(&todo)];
        uint32_t out = 0;
        for (size_t i = 0; i < at->out.n; i++) {
            const au_step *s = &m->step.at[at->out.at[i]];
            if (!effect[s->id].present)
                continue;
            f->straight &= !out++;
            missing[s->dst]++;
            au_vec_push(&f->in[s->dst], s->id);
            if (!reachable[s->dst])
                au_vec_push(&todo, s->dst);
            reachable[s->dst] = true;
        }
    }
    for (size_t i = 0; i < n; i++)
        f->topo[i] = AU_NONE;
    uint32_t reached = 0;
    for (size_t i = 0; i < n; i++)
        reached += reachable[i];
    bool loops = missing[th->entry];
    if (!loops)
        au_vec_push(&todo, th->entry);
    while (todo.n) {
        uint32_t at = au_vec_pop(&todo);
        f->topo[at] = f->n;
        f->by_topo[f->n++] = at;
        const au_node *node = &th->node.at[at];
        for (size_t i = node->out.n; i-- > 0;) { /* so that they are taken as written */
            const au_step *s = &m->step.at[node->out.at[i]];
            if (effect[s->id].present && !--missing[s->dst])
                au_vec_push(&todo, s->dst);
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < th->node.at[i].out.n && !reachable[i]; j++)
            effect[th->node.at[i].out.at[j]].present = false;
    au_vec_release(&todo);
    free(reachable);
    free(missing);
    return !loops && f->n == reached;
}

bool au_flows_make(au_cssa *c) {
    c->more->flow = AU_ARENA_ARRAY(&c->arena, au_flow, c->m->thread.n);
    for (uint32_t t = 0; t < c->m->thread.n; t++)
        if (!make_flow(c, t))
            return false;
    return true;
}

void au_flows_release(au_cssa *c) {
    for (uint32_t t = 0; t < c->m->thread.n; t++)
        for (size_t i = 0; c->more->flow && c->more->flow[t].in && i < c->m->thread.at[t].node.n;
             i++)
            au_vec_release(&c->more->flow[t].in[i]);
}
