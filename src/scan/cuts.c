/* scan/cuts.c: see cuts.h. */
#include "scan/cuts.h"

/* --- loops --------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t node;
    size_t next;
} frame;

/* Depth first: heads of back edges, and reverse postorder. */
static void walk(au_cuts *c, uint32_t thread, uint8_t *color) {
    const au_facts *f = c->f;
    AU_VEC(frame) stack = {0};
    uint32_t entry = au_facts_entry(f, thread);
    uint32_t left = f->base[thread + 1] - f->base[thread];
    color[entry] = 1;
    au_vec_push(&stack, ((frame){entry, 0}));
    while (stack.n) {
        frame *top = &au_vec_last(&stack);
        const au_node *n = au_facts_node(f, top->node);
        if (top->next == n->out.n) {
            color[top->node] = 2;
            c->rank[top->node] = --left;
            stack.n--;
            continue;
        }
        uint32_t to = au_facts_dst(f, n->out.at[top->next++]);
        if (color[to] == 1)
            c->head[to] = true;
        if (!color[to]) {
            color[to] = 1;
            au_vec_push(&stack, ((frame){to, 0}));
        }
    }
    au_vec_release(&stack);
}

/* --- movers ---------------------------------------------------------------------------------------- */

typedef struct {
    const bool *dead;
    au_cuts_meet *meet;
    const void *ctx;
} knowledge;

/* Another thread can write (or, if this writes, touch) what it touches while it stands there: as
 * far as is known by now. Only where facts.c says so, too. */
static bool disturbed(const au_facts *f, uint32_t step, const knowledge *k) {
    const au_model *m = f->m;
    uint32_t at = au_facts_src(f, step);
    for (uint32_t i = f->first_touch[step]; i < f->first_touch[step + 1]; i++) {
        const au_touch *t = &f->touch[i];
        bool sync = m->var.at[t->cell].kind == AU_VAR_SYNC;
        for (size_t j = 0; j < f->cell_steps[t->cell].n; j++) {
            uint32_t u = f->cell_steps[t->cell].at[j];
            if (m->step.at[u].thread == m->step.at[step].thread || (k->dead && k->dead[u]))
                continue;
            bool write = t->write;
            for (uint32_t l = f->first_touch[u]; l < f->first_touch[u + 1] && !write; l++)
                write = f->touch[l].cell == t->cell && f->touch[l].write;
            if (!write)
                continue;
            if (sync) /* whether a thread has been started is seen before it stands anywhere */
                return true;
            uint32_t other = au_facts_src(f, u);
            if (au_facts_meet(f, at, other) && (!k->meet || k->meet(k->ctx, at, other)))
                return true;
        }
    }
    return false;
}

static void find_left(au_cuts *c, const knowledge *k) {
    const au_facts *f = c->f;
    bool looks = au_model_looks_at_locks(f->m);
    for (uint32_t s = 0; s < f->m->step.n; s++) {
        bool moves = f->moves[s] & AU_MOVES_LEFT;
        if (!moves && (k->meet || k->dead))
            moves = !disturbed(f, s, k);
        if (looks)
            for (uint32_t i = f->first_touch[s]; i < f->first_touch[s + 1]; i++)
                moves &= f->m->var.at[f->touch[i].cell].kind != AU_VAR_SYNC;
        c->left[s] = moves && !f->stops[s] && !f->waits[s];
    }
}

/* --- insides ----------------------------------------------------------------------------------------- */

/* From one boundary: what is reached without another, in an order that follows the steps. */
static void find_inside(au_cuts *c, uint32_t boundary, uint8_t *color) {
    const au_facts *f = c->f;
    AU_VEC(frame) stack = {0};
    size_t from = c->inside.n;
    color[boundary] = 1;
    au_vec_push(&stack, ((frame){boundary, 0}));
    while (stack.n) {
        frame *top = &au_vec_last(&stack);
        const au_node *n = au_facts_node(f, top->node);
        if (top->next == n->out.n) {
            au_vec_push(&c->inside, top->node);
            stack.n--;
            continue;
        }
        uint32_t to = au_facts_dst(f, n->out.at[top->next++]);
        if (color[to] || c->boundary[to])
            continue;
        color[to] = 1;
        au_vec_push(&stack, ((frame){to, 0}));
    }
    for (size_t i = from, j = c->inside.n; i + 1 < j; i++) { /* postorder, turned round */
        uint32_t x = c->inside.at[i];
        c->inside.at[i] = c->inside.at[--j];
        c->inside.at[j] = x;
    }
    for (size_t i = from; i < c->inside.n; i++)
        color[c->inside.at[i]] = 0;
    au_vec_release(&stack);
}

void au_cuts_make(au_cuts *c, const au_facts *f, const bool *dead, au_cuts_meet *meet,
                  const void *ctx) {
    const au_model *m = f->m;
    knowledge k = {dead, meet, ctx};
    *c = (au_cuts){.f = f};
    c->boundary = au_alloc_array(f->nodes + 1, sizeof *c->boundary);
    c->head = au_alloc_array(f->nodes + 1, sizeof *c->head);
    c->rank = au_alloc_array(f->nodes + 1, sizeof *c->rank);
    c->number = au_alloc_array(f->nodes + 1, sizeof *c->number);
    c->left = au_alloc_array(m->step.n + 1, sizeof *c->left);
    uint8_t *color = au_alloc_array(f->nodes + 1, 1);
    for (uint32_t t = 0; t < m->thread.n; t++)
        walk(c, t, color);
    find_left(c, &k);
    for (uint32_t n = 0; n < f->nodes; n++) {
        uint32_t t = f->owner[n];
        const au_node *node = au_facts_node(f, n);
        bool cut =
            n == au_facts_entry(f, t) || n == au_facts_exit(f, t) || c->head[n] || !node->out.n;
        for (size_t i = 0; i < node->out.n; i++)
            cut |= !c->left[node->out.at[i]];
        c->boundary[n] = cut && color[n];
        c->number[n] = c->boundary[n] ? (uint32_t)c->at.n : AU_NONE;
        if (c->boundary[n])
            au_vec_push(&c->at, n);
    }
    memset(color, 0, f->nodes);
    c->first = au_alloc_array(c->at.n + 1, sizeof *c->first);
    for (uint32_t i = 0; i < c->at.n; i++) {
        c->first[i] = (uint32_t)c->inside.n;
        find_inside(c, c->at.at[i], color);
    }
    c->first[c->at.n] = (uint32_t)c->inside.n;
    free(color);
}

void au_cuts_release(au_cuts *c) {
    free(c->boundary);
    free(c->head);
    free(c->rank);
    free(c->left);
    free(c->number);
    free(c->first);
    au_vec_release(&c->at);
    au_vec_release(&c->inside);
    *c = (au_cuts){0};
}
