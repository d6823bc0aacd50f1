/* scan/domain_packs.c: which variables are related with which.
 *
 * Variables that stand together in a condition or an assignment of a thread's steps belong together:
 * shared ones and this thread's locals. Groups are made greedily, the most frequent pairs first, up to a
 * size; what is left alone has its interval. A group of shared variables of one thread that another
 * thread has, too, is one pack that belongs to nobody. */
#include "base/hash.h"
#include "scan/domain_priv.h"

#include <stdlib.h>

/* Variables beyond these have their interval and no relation: less precise, nothing is lost. */
enum { MOST_PACKS = 40, MOST_TOGETHER = 6 };

typedef struct {
    uint32_t a, b, count;
} pair;

typedef struct {
    const au_model *m;
    const bool *tracked;
    AU_VEC(uint32_t) vars; /* of one condition or assignment */
    au_map count;          /* a << 32 | b: how often together */
} gatherer;

static void on_var(void *ctx, uint32_t var) {
    gatherer *g = ctx;
    if (!g->tracked[var] || g->m->var.at[var].kind == AU_VAR_SYNC)
        return;
    for (size_t i = 0; i < g->vars.n; i++)
        if (g->vars.at[i] == var)
            return;
    au_vec_push(&g->vars, var);
}

static void together(gatherer *g, uint64_t weight) {
    for (size_t i = 0; i < g->vars.n && g->vars.n <= MOST_TOGETHER; i++)
        for (size_t k = 0; k < g->vars.n; k++)
            if (g->vars.at[i] < g->vars.at[k])
                *au_map_put(&g->count, au_key2(g->vars.at[i], g->vars.at[k]), NULL) += weight;
    au_vec_clear(&g->vars);
}

static void gather(gatherer *g, uint32_t thread) {
    const au_model *m = g->m;
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        if (s->thread != thread)
            continue;
        au_term_each_var(m->terms, s->guard, on_var, g);
        together(g, 2);
        au_term_each_var(m->terms, s->cond, on_var, g);
        together(g, 2);
        for (uint32_t k = 0; k < s->n_updates; k++) {
            on_var(g, s->update[k].var);
            au_term_each_var(m->terms, s->update[k].value, on_var, g);
            together(g, 1);
        }
    }
}

static int by_count(const void *x, const void *y) {
    const pair *a = x, *b = y;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

static int by_number(const void *x, const void *y) {
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return a < b ? -1 : a > b;
}

/* Groups of at most 'most': union-find that refuses to grow too large. */
static void make_groups(gatherer *g, uint32_t thread, uint32_t most, au_packs *into) {
    AU_VEC(pair) pairs = {0};
    uint32_t n = (uint32_t)g->m->var.n;
    uint32_t *group = au_alloc_array(n + 1, sizeof *group),
             *size = au_alloc_array(n + 1, sizeof *size);
    for (uint32_t v = 0; v < n; v++) {
        group[v] = v;
        size[v] = 1;
    }
    for (size_t i = 0; i < g->count.cap; i++)
        if (g->count.used[i])
            au_vec_push(&pairs, ((pair){(uint32_t)(g->count.slot[2 * i] >> 32),
                                        (uint32_t)g->count.slot[2 * i],
                                        (uint32_t)g->count.slot[2 * i + 1]}));
    if (pairs.n)
        qsort(pairs.at, pairs.n, sizeof *pairs.at, by_count);
    for (size_t i = 0; i < pairs.n; i++) {
        uint32_t a = group[pairs.at[i].a], b = group[pairs.at[i].b];
        if (a == b || size[a] + size[b] > most)
            continue;
        for (uint32_t v = 0; v < n; v++)
            if (group[v] == b)
                group[v] = a;
        size[a] += size[b];
    }
    for (uint32_t r = 0; r < n && into->n < MOST_PACKS; r++) {
        if (group[r] != r || size[r] < 2)
            continue;
        au_var_pack p = {AU_NONE, au_alloc_array(size[r], sizeof *p.var), 0};
        for (uint32_t v = 0; v < n; v++)
            if (group[v] == r) {
                p.var[p.n++] = v;
                if (g->m->var.at[v].kind == AU_VAR_LOCAL)
                    p.owner = thread;
            }
        qsort(p.var, p.n, sizeof *p.var, by_number);
        bool known = false;
        for (size_t i = 0; i < into->n && !known; i++)
            known = into->at[i].owner == p.owner && into->at[i].n == p.n &&
                    !memcmp(into->at[i].var, p.var, p.n * sizeof *p.var);
        if (known)
            free(p.var);
        else
            au_vec_push(into, p);
    }
    free(group);
    free(size);
    au_vec_release(&pairs);
}

void au_packs_make_(const au_model *m, const bool *tracked, uint32_t most, au_packs *into) {
    gatherer g = {.m = m, .tracked = tracked};
    for (uint32_t t = 0; t < m->thread.n; t++) {
        au_map_init(&g.count);
        gather(&g, t);
        make_groups(&g, t, most, into);
        au_map_release(&g.count);
    }
    au_vec_release(&g.vars);
}

void au_packs_release_(au_packs *p) {
    for (size_t i = 0; i < p->n; i++)
        free(p->at[i].var);
    au_vec_release(p);
}

au_pack_numbers *au_packs_of_(const au_packs *p, size_t vars) {
    au_pack_numbers *of = (void *)au_alloc_array(vars + 1, sizeof *of);
    for (uint32_t k = 0; k < p->n; k++)
        for (uint32_t i = 0; i < p->at[k].n; i++)
            au_vec_push(&of[p->at[k].var[i]], k);
    return of;
}

void au_packs_of_free_(au_pack_numbers *of, size_t vars) {
    for (size_t v = 0; v < vars; v++)
        au_vec_release(&of[v]);
    free(of);
}

uint32_t au_pack_dim_(const au_var_pack *p, uint32_t var) {
    for (uint32_t i = 0; i < p->n; i++)
        if (p->var[i] == var)
            return i;
    return AU_NONE;
}

typedef struct {
    const au_update *u;
    uint32_t n;
    bool found;
} finder;
static void find_var(void *ctx, uint32_t var) {
    finder *f = ctx;
    for (uint32_t i = 0; i < f->n; i++)
        f->found |= f->u[i].var == var;
}

bool au_reads_updated_(const au_terms *t, au_term x, const au_update *u, uint32_t n) {
    finder f = {u, n, false};
    au_term_each_var(t, x, find_var, &f);
    return f.found;
}
