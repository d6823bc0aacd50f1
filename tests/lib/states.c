/* tests/lib/states.c: see states.h. */
#include "states.h"

typedef struct {
    const au_model *m;
    const au_states_how *how;
    au_states *e;
    size_t words; /* of a state: nodes, stopped, running, values */
    AU_VEC(uint64_t) work;
    au_map seen;
} explorer;

static uint64_t *nodes_of(uint64_t *s) {
    return s;
}
static uint64_t *running(const explorer *x, uint64_t *s) {
    return s + 2 * x->m->thread.n;
}
static uint64_t *stopped(const explorer *x, uint64_t *s) {
    return s + x->m->thread.n;
}
static uint64_t *values(const explorer *x, uint64_t *s) {
    return s + 2 * x->m->thread.n + 1;
}

static void mark(au_map *m, uint64_t key) {
    *au_map_put(m, key, NULL) = 1;
}

static bool started(const explorer *x, uint32_t t, const uint64_t *v) {
    uint32_t s = x->m->thread.at[t].started;
    return s == AU_NONE || v[s];
}

static void push(explorer *x, const uint64_t *s) {
    bool fresh;
    au_map_put(&x->seen, au_hash_bytes(s, x->words * sizeof *s), &fresh);
    if (!fresh)
        return;
    x->e->states++;
    au_vec_append(&x->work, s, x->words);
}

static void execute(explorer *x, const uint64_t *from, const au_step *s) {
    uint64_t *to = au_alloc_array(x->words, sizeof *to);
    memcpy(to, from, x->words * sizeof *to);
    uint64_t *v = values(x, to);
    const uint64_t *old = values(x, (uint64_t *)from);
    *running(x, to) = x->how->may ? s->thread : AU_NONE; /* else it does not matter */
    bool ok = au_term_eval(x->m->terms, s->guard, old);
    bool failed = ok && !au_term_eval(x->m->terms, s->cond, old);
    if (x->how->before && ok)
        x->how->before(x->how->ctx, s, old);
    if (!ok || failed) {
        stopped(x, to)[s->thread] = 1;
        if (failed)
            mark(&x->e->failed, s->id);
    } else {
        for (uint32_t i = 0; i < s->n_updates; i++) {
            uint64_t key[3] = {s->id, s->update[i].var,
                               au_term_eval(x->m->terms, s->update[i].value, old)};
            v[s->update[i].var] = key[2];
            if (x->m->var.at[s->update[i].var].kind != AU_VAR_SYNC)
                mark(&x->e->assigned, au_hash_bytes(key, sizeof key));
        }
        nodes_of(to)[s->thread] = s->dst;
        mark(&x->e->reached, (uint64_t)s->thread << 32 | s->dst);
    }
    if (x->how->seen && ok)
        x->how->seen(x->how->ctx, s, failed, v);
    /* Along switches a thread that stops ends what is looked at: others go on as if it had not
     * begun its transaction. */
    if (!x->how->may || !stopped(x, to)[s->thread])
        push(x, to);
    free(to);
}

static void expand(explorer *x, uint64_t *s) {
    const au_model *m = x->m;
    uint32_t now = (uint32_t)*running(x, s);
    const uint64_t *v = values(x, s);
    bool complete = true;
    for (uint32_t t = 0; t < m->thread.n; t++) {
        const au_thread *th = &m->thread.at[t];
        uint32_t at = (uint32_t)nodes_of(s)[t];
        complete &= !started(x, t, v) || at == th->exit;
        if (stopped(x, s)[t] || !started(x, t, v))
            continue;
        if (now != AU_NONE && now != t && x->how->may &&
            !x->how->may(x->how->ctx, now, (uint32_t)nodes_of(s)[now], t, at))
            continue;
        for (size_t i = 0; i < th->node.at[at].out.n; i++) {
            const au_step *step = &m->step.at[th->node.at[at].out.at[i]];
            bool ok = au_term_eval(m->terms, step->guard, v);
            bool other = step->kind == AU_STEP_BRANCH || step->kind == AU_STEP_SIGNAL;
            if (ok || (!step->blocking && !other))
                execute(x, s, step);
        }
    }
    if (complete)
        mark(&x->e->final, au_hash_bytes(v, m->var.n * sizeof *v));
}

void au_states_walk(const au_model *m, const au_states_how *how, au_states *e) {
    *e = (au_states){.all = true};
    au_map_init(&e->final);
    au_map_init(&e->failed);
    au_map_init(&e->reached);
    au_map_init(&e->assigned);
    explorer x = {.m = m, .how = how, .e = e, .words = 2 * m->thread.n + 1 + m->var.n};
    au_map_init(&x.seen);
    uint64_t *s = au_alloc_array(x.words, sizeof *s);
    for (uint32_t t = 0; t < m->thread.n; t++)
        nodes_of(s)[t] = m->thread.at[t].entry;
    *running(&x, s) = AU_NONE;
    for (uint32_t i = 0; i < m->var.n; i++)
        values(&x, s)[i] = m->var.at[i].init;
    push(&x, s);
    while (x.work.n && e->all) {
        x.work.n -= x.words;
        memcpy(s, x.work.at + x.work.n, x.words * sizeof *s);
        expand(&x, s);
        e->all = e->states <= how->most;
    }
    free(s);
    au_vec_release(&x.work);
    au_map_release(&x.seen);
}

void au_states_release(au_states *e) {
    au_map_release(&e->final);
    au_map_release(&e->failed);
    au_map_release(&e->reached);
    au_map_release(&e->assigned);
}

static bool inside(const au_map *a, const au_map *b) {
    for (size_t i = 0; i < a->cap; i++)
        if (a->used[i] && !au_map_find(b, a->slot[2 * i]))
            return false;
    return true;
}

const char *au_states_less(const au_states *a, const au_states *b) {
    return !inside(&a->failed, &b->failed)       ? "a failing assertion"
           : !inside(&a->final, &b->final)       ? "a final state"
           : !inside(&a->reached, &b->reached)   ? "a control state"
           : !inside(&a->assigned, &b->assigned) ? "an assigned value"
                                                 : NULL;
}
