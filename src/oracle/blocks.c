/* oracle/blocks.c: which steps lie in one atomic block.
 *
 * Marked blocks are in the model. Critical sections are found on the control
 * graph: a section is named by the outermost acquire that opens it, and a step
 * may lie in several (on different paths; watch.c asks which one it is on the path at
 * hand). A section with a condition wait on any path is none: whoever waits in it
 * gives the lock away. */
#include "oracle/oracle_priv.h"

#include <stdlib.h>

static bool opens(const au_model *m, const au_step *s) {
    return s->kind == AU_STEP_RDACQ || s->kind == AU_STEP_WRACQ ||
           (s->kind == AU_STEP_ACQ && m->obj.at[s->obj].kind != AU_OBJ_SEM);
}

static bool closes(const au_model *m, const au_step *s) {
    return s->kind == AU_STEP_REL && m->obj.at[s->obj].kind != AU_OBJ_SEM;
}

typedef struct {
    uint32_t node, outer, depth; /* outer: the step that opened the section, or AU_NONE */
} place;

/* Every (node, section, depth) that a path can have. */
static void walk_thread(const au_machine *k, uint32_t t, au_bitset *of, bool *waits) {
    const au_model *m = k->m;
    au_records seen;
    au_records_init(&seen, sizeof(place));
    au_records_put(&seen, &(place){m->thread.at[t].entry, AU_NONE, 0}, NULL);
    for (uint32_t i = 0; i < seen.n; i++) {
        place p = *(const place *)au_records_at(&seen, i);
        const au_node *n = &m->thread.at[t].node.at[p.node];
        for (size_t j = 0; j < n->out.n; j++) {
            const au_step *s = &m->step.at[n->out.at[j]];
            place q = {s->dst, p.outer, p.depth};
            if (opens(m, s)) {
                if (!q.depth++)
                    q.outer = s->id;
            } else if (closes(m, s) && q.depth) {
                if (!--q.depth)
                    q.outer = AU_NONE;
            }
            if (p.outer != AU_NONE) {
                au_bitset_add(&of[s->id], p.outer);
                if (s->kind == AU_STEP_WAIT)
                    waits[p.outer] = true;
            }
            if (q.depth < 64) /* unbalanced acquires around a loop: enough is enough */
                au_records_put(&seen, &q, NULL);
        }
    }
    au_records_release(&seen);
}

void au_blocks_init(au_blocks *b, const au_machine *k) {
    const au_model *m = k->m;
    au_atomic_blocks how = k->o->atomic;
    if (how == AU_ATOMIC_AUTO)
        how = m->n_blocks ? AU_ATOMIC_MARKED : AU_ATOMIC_CRITICAL;
    b->n = how == AU_ATOMIC_MARKED ? m->n_blocks : (uint32_t)m->step.n;
    b->of = au_alloc_array(m->step.n, sizeof *b->of);
    for (size_t i = 0; i < m->step.n; i++)
        au_bitset_init(&b->of[i], b->n);
    if (how == AU_ATOMIC_MARKED) {
        for (size_t i = 0; i < m->step.n; i++)
            if (m->step.at[i].block != AU_NONE)
                au_bitset_add(&b->of[i], m->step.at[i].block);
    } else if (how == AU_ATOMIC_CRITICAL) {
        bool *waits = au_alloc_array(m->step.n, sizeof *waits);
        b->opens = au_alloc_array(m->step.n, sizeof *b->opens);
        for (uint32_t t = 0; t < m->thread.n; t++)
            walk_thread(k, t, b->of, waits);
        for (size_t i = 0; i < m->step.n; i++)
            for (uint32_t s = 0; s < b->n; s++)
                if (waits[s])
                    au_bitset_remove(&b->of[i], s);
        for (size_t i = 0; i < m->step.n; i++)
            b->opens[i] = opens(m, &m->step.at[i]) && !waits[i];
        free(waits);
    }
}

void au_blocks_release(au_blocks *b, const au_machine *k) {
    for (size_t i = 0; i < k->m->step.n; i++)
        au_bitset_release(&b->of[i]);
    free(b->of);
    free(b->opens);
}
