/* solve/sections.c: atomic blocks of accesses.
 *
 * For critical sections two numbers are carried along each thread as if they were
 * locals: how many locks (levels) it holds, and the step that opened the section it is
 * in. On a straight line both are constants. */
#include "solve/sections.h"

#include "base/limits.h"
#include "solve/cssa_priv.h"

au_atomic_blocks au_sections_kind(const au_model *m, au_atomic_blocks atomic) {
    if (atomic == AU_ATOMIC_AUTO)
        return m->n_blocks ? AU_ATOMIC_MARKED : AU_ATOMIC_CRITICAL;
    return atomic;
}

static bool is_lock(const au_model *m, uint32_t obj) {
    return m->obj.at[obj].kind <= AU_OBJ_RWLOCK;
}

static bool opens(const au_model *m, const au_step *s) {
    return s->kind == AU_STEP_RDACQ || s->kind == AU_STEP_WRACQ ||
           (s->kind == AU_STEP_ACQ && is_lock(m, s->obj));
}

static bool closes(const au_model *m, const au_step *s) {
    return s->kind == AU_STEP_REL && is_lock(m, s->obj);
}

/* Sections, by the step that opens them, in which some path waits on a condition. */
static void find_waits(const au_model *m, uint32_t t, bool *waits) {
    const au_thread *th = &m->thread.at[t];
    typedef struct {
        uint32_t node, outer, depth;
    } at;
    AU_VEC(at) todo = {0};
    au_map seen;
    au_map_init(&seen);
    au_vec_push(&todo, ((at){th->entry, AU_NONE, 0}));
    while (todo.n) {
        at p = au_vec_pop(&todo);
        for (size_t i = 0; i < th->node.at[p.node].out.n; i++) {
            const au_step *s = &m->step.at[th->node.at[p.node].out.at[i]];
            at q = {s->dst, p.outer, p.depth};
            if (opens(m, s)) {
                if (!q.depth++)
                    q.outer = s->id;
            } else if (closes(m, s) && q.depth && !--q.depth) {
                q.outer = AU_NONE;
            }
            if (p.outer != AU_NONE && s->kind == AU_STEP_WAIT)
                waits[p.outer] = true;
            uint64_t key =
                ((uint64_t)q.node * (m->step.n + 1) + (q.outer == AU_NONE ? m->step.n : q.outer)) *
                    AU_LIMIT_SOLVE_SECTIONS +
                q.depth;
            bool fresh = false;
            if (q.depth < AU_LIMIT_SOLVE_SECTIONS)
                au_map_put(&seen, key, &fresh);
            else
                au_limit_reached(AU_AT_SOLVE_SECTIONS, 1);
            if (fresh)
                au_vec_push(&todo, q);
        }
    }
    au_vec_release(&todo);
    au_map_release(&seen);
}

typedef struct {
    au_term held, section;
} holding;

static holding after_step(au_cssa *c, const au_step *s, holding h, const bool *waits) {
    const au_model *m = c->m;
    au_terms *x = c->terms;
    au_term zero = au_term_const(x, 32, 0), one = au_term_const(x, 32, 1);
    au_term free_hands = au_term_eq(x, h.held, zero);
    bool of_wait = (s->kind == AU_STEP_WAIT || s->kind == AU_STEP_WAKE) && is_lock(m, s->obj2);
    if (opens(m, s))
        h.section = au_term_ite(x, free_hands, au_term_const(x, 32, waits[s->id] ? 0 : s->id + 1),
                                h.section);
    if (opens(m, s) || (of_wait && s->kind == AU_STEP_WAKE))
        h.held = au_term_make(x, AU_T_ADD, h.held, one);
    if (closes(m, s) || (of_wait && s->kind == AU_STEP_WAIT)) {
        h.held = au_term_make(x, AU_T_SUB, h.held, one);
        h.section = au_term_ite(x, au_term_eq(x, h.held, zero), zero, h.section);
    }
    return h;
}

static void find_sections(au_cssa *c) {
    const au_model *m = c->m;
    au_terms *x = c->terms;
    bool *waits = au_alloc_array(m->step.n + 1, sizeof *waits);
    holding *after = au_alloc_array(m->step.n + 1, sizeof *after);
    c->more->section = AU_ARENA_ARRAY(&c->arena, au_term, c->event.n + 1);
    for (uint32_t t = 0; t < m->thread.n; t++) {
        const au_flow *f = &c->more->flow[t];
        find_waits(m, t, waits);
        for (uint32_t i = 0; i < f->n; i++) {
            uint32_t node = f->by_topo[i];
            holding h = {au_term_const(x, 32, 0), au_term_const(x, 32, 0)};
            for (size_t k = 0; k < f->in[node].n; k++) {
                uint32_t id = f->in[node].at[k];
                au_term taken = c->event.at[c->event_of[id]].exec;
                h.held = k ? au_term_ite(x, taken, after[id].held, h.held) : after[id].held;
                h.section =
                    k ? au_term_ite(x, taken, after[id].section, h.section) : after[id].section;
            }
            const au_node *n = &m->thread.at[t].node.at[node];
            for (size_t k = 0; k < n->out.n; k++) {
                uint32_t id = n->out.at[k];
                if (c->event_of[id] == AU_NONE)
                    continue;
                c->more->section[c->event_of[id]] = h.section;
                after[id] = after_step(c, &m->step.at[id], h, waits);
            }
        }
    }
    free(waits);
    free(after);
}

au_term au_sections_same(au_cssa *c, au_atomic_blocks atomic, uint32_t a, uint32_t b) {
    const au_model *m = c->m;
    au_terms *x = c->terms;
    switch (au_sections_kind(m, atomic)) {
    case AU_ATOMIC_MARKED: {
        uint32_t block = m->step.at[c->event.at[a].step].block;
        return au_term_bool(x, block != AU_NONE && block == m->step.at[c->event.at[b].step].block);
    }
    case AU_ATOMIC_CRITICAL: {
        if (!c->more->section)
            find_sections(c);
        au_term sa = c->more->section[a], sb = c->more->section[b];
        return au_term_and(x, au_term_truth(x, sa), au_term_eq(x, sa, sb));
    }
    default:
        return au_term_bool(x, atomic == AU_ATOMIC_GIVEN);
    }
}

bool au_sections_may(au_cssa *c, au_atomic_blocks atomic, uint32_t a, uint32_t b) {
    return !au_term_is_false(c->terms, au_sections_same(c, atomic, a, b));
}
