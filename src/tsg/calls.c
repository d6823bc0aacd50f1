/* tsg/calls.c: see calls.h. */
#include "tsg/calls.h"

#include "base/hash.h"

typedef AU_VEC(uint32_t) numbers;

static void add(uint64_t *set, size_t i) {
    set[i / 64] |= UINT64_C(1) << (i % 64);
}

static bool join(uint64_t *into, const uint64_t *from, size_t n) {
    bool more = false;
    for (size_t i = 0; i < n; i++) {
        more |= (from[i] & ~into[i]) != 0;
        into[i] |= from[i];
    }
    return more;
}

typedef struct {
    au_calls *c;
    const au_facts *f;
    unsigned (*touches)(const void *ctx, const au_step *s, uint32_t *number);
    const void *ctx;
    uint32_t *seen;  /* by node: function + 1 */
    numbers *callee; /* by function */
} finder;

/* All that can be executed between its entry and its returns, calls of other functions passed over. */
static void look(finder *k, uint32_t which, uint32_t entry) {
    const au_facts *f = k->f;
    au_calls *c = k->c;
    numbers todo = {0};
    au_vec_push(&todo, entry);
    while (todo.n) {
        uint32_t at = au_vec_pop(&todo);
        if (k->seen[at] == which + 1)
            continue;
        k->seen[at] = which + 1;
        const au_node *node = au_facts_node(f, at);
        for (size_t i = 0; i < node->out.n; i++) {
            const au_step *s = &f->m->step.at[node->out.at[i]];
            uint32_t number[3], to = au_facts_dst(f, s->id);
            for (unsigned n = k->touches(k->ctx, s, number); n--;)
                add(c->locks + which * c->words, number[n]);
            if (s->kind == AU_STEP_FORK)
                add(c->forks + which * c->thread_words, s->obj);
            if (c->on[s->id] != AU_NONE) {
                au_vec_push(&k->callee[which], c->entry[s->id]);
                au_vec_push(&todo, c->on[s->id]);
            } else if (c->call[to] == AU_NONE) {
                au_vec_push(&todo, to);
            }
        }
    }
    au_vec_release(&todo);
}

void au_calls_make(au_calls *c, const au_facts *f, size_t locks,
                   unsigned (*touches)(const void *ctx, const au_step *s, uint32_t *number),
                   const void *ctx) {
    const au_model *m = f->m;
    *c = (au_calls){.any = m->call.n > 0};
    if (!c->any)
        return;
    finder k = {.c = c, .f = f, .touches = touches, .ctx = ctx};
    numbers entry = {0};
    au_map of_node;
    au_map_init(&of_node);
    c->on = au_alloc_array(m->step.n + 1, sizeof *c->on);
    c->entry = au_alloc_array(m->step.n + 1, sizeof *c->entry);
    c->call = au_alloc_array(f->nodes + 1, sizeof *c->call);
    memset(c->on, 0xff, m->step.n * sizeof *c->on);
    memset(c->call, 0xff, f->nodes * sizeof *c->call);
    for (size_t i = 0; i < m->call.n; i++) {
        uint32_t s = m->call.at[i].step, to = au_facts_dst(f, s);
        c->on[s] = f->base[m->step.at[s].thread] + m->call.at[i].on;
        c->call[c->on[s]] = s;
        uint64_t *at = au_map_put(&of_node, to, NULL);
        if (!*at) {
            au_vec_push(&entry, to);
            *at = entry.n;
        }
        c->entry[s] = (uint32_t)*at - 1;
    }
    c->entries = entry.n;
    c->words = (locks + 63) / 64;
    c->thread_words = (m->thread.n + 63) / 64;
    c->locks = au_alloc_array(c->entries * c->words + 1, sizeof *c->locks);
    c->forks = au_alloc_array(c->entries * c->thread_words + 1, sizeof *c->forks);
    k.seen = au_alloc_array(f->nodes + 1, sizeof *k.seen);
    k.callee = au_alloc_array(c->entries + 1, sizeof *k.callee);
    for (uint32_t i = 0; i < c->entries; i++)
        look(&k, i, entry.at[i]);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < c->entries; i++)
            for (size_t j = 0; j < k.callee[i].n; j++) {
                uint32_t g = k.callee[i].at[j];
                more |= join(c->locks + i * c->words, c->locks + g * c->words, c->words);
                more |= join(c->forks + i * c->thread_words, c->forks + g * c->thread_words,
                             c->thread_words);
            }
    }
    for (size_t i = 0; i < c->entries; i++)
        au_vec_release(&k.callee[i]);
    free(k.callee);
    free(k.seen);
    au_vec_release(&entry);
    au_map_release(&of_node);
}

void au_calls_release(au_calls *c) {
    free(c->on);
    free(c->call);
    free(c->entry);
    free(c->locks);
    free(c->forks);
    *c = (au_calls){0};
}
