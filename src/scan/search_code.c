/* scan/search_code.c: steps as lists of terms, and which locals matter where. */
#include "base/bitset.h"
#include "scan/search_priv.h"

enum {
    MOST_WORDS = 1 << 24
}; /* of liveness; beyond, all locals count: states are more, none is lost */

/* --- terms in the order of evaluation --------------------------------------------------------------- */

typedef struct {
    const au_terms *t;
    uint32_t *stamp; /* by term */
    uint32_t now;
    AU_VEC(uint32_t) stack;
} lister;

/* Appends what is not in the list yet. */
static void list(au_search *s, lister *l, au_term x) {
    if (l->stamp[x.n] == l->now)
        return;
    au_vec_push(&l->stack, x.n);
    while (l->stack.n) {
        au_term top = {au_vec_last(&l->stack)};
        bool ready = true;
        for (unsigned i = 0; i < au_term_kids(l->t, top); i++) {
            au_term kid = au_term_kid(l->t, top, i);
            if (l->stamp[kid.n] != l->now) {
                au_vec_push(&l->stack, kid.n);
                ready = false;
            }
        }
        if (!ready)
            continue;
        l->stack.n--;
        if (l->stamp[top.n] == l->now)
            continue;
        l->stamp[top.n] = l->now;
        au_vec_push(&s->code, top.n);
    }
}

void au_search_code_(au_search *s) {
    const au_model *m = s->m;
    lister l = {.t = m->terms};
    l.stamp = au_alloc_array(au_terms_count(m->terms) + 1, sizeof *l.stamp);
    s->first = au_alloc_array(m->step.n + 1, sizeof *s->first);
    s->middle = au_alloc_array(m->step.n + 1, sizeof *s->middle);
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *p = &m->step.at[i];
        l.now = (uint32_t)i + 1;
        s->first[i] = (uint32_t)s->code.n;
        list(s, &l, p->guard);
        list(s, &l, p->cond);
        s->middle[i] = (uint32_t)s->code.n;
        for (uint32_t u = 0; u < p->n_updates; u++)
            if (s->o.relevant[p->update[u].var])
                list(s, &l, p->update[u].value);
    }
    s->first[m->step.n] = (uint32_t)s->code.n;
    au_vec_release(&l.stack);
    free(l.stamp);
}

/* --- liveness ------------------------------------------------------------------------------------------ */

typedef struct {
    const au_search *s;
    const uint32_t *number; /* by variable: of its thread's, AU_NONE */
    uint64_t *row;
    uint32_t thread;
} user;

static void use(void *ctx, uint32_t var) {
    user *u = ctx;
    if (u->number[var] != AU_NONE && u->s->m->var.at[var].thread == u->thread)
        u->row[u->number[var] / 64] |= UINT64_C(1) << u->number[var] % 64;
}

/* What is needed before the step, from what is needed after it. */
static void before(user *u, const au_step *p, const uint64_t *after, size_t words) {
    const au_search *s = u->s;
    memcpy(u->row, after, words * sizeof *u->row);
    for (uint32_t i = 0; i < p->n_updates; i++)
        if (u->number[p->update[i].var] != AU_NONE) {
            uint32_t n = u->number[p->update[i].var];
            u->row[n / 64] &= ~(UINT64_C(1) << n % 64);
        }
    if (p->havoc != AU_NONE && u->number[p->havoc] != AU_NONE)
        u->row[u->number[p->havoc] / 64] &= ~(UINT64_C(1) << u->number[p->havoc] % 64);
    for (uint32_t i = 0; i < p->n_updates; i++) {
        uint32_t v = p->update[i].var, n = u->number[v];
        if (!s->o.relevant[v] || (n != AU_NONE && !(after[n / 64] >> n % 64 & 1)))
            continue;
        au_term_each_var(s->m->terms, p->update[i].value, use, u);
    }
    au_term_each_var(s->m->terms, p->guard, use, u);
    au_term_each_var(s->m->terms, p->cond, use, u);
}

static bool live_in_thread(au_search *s, uint32_t t, uint32_t *number, const uint32_t *mine,
                           size_t n) {
    const au_facts *f = s->o.cuts->f;
    const au_model *m = s->m;
    uint32_t base = f->base[t], nodes = f->base[t + 1] - base;
    size_t words = (n + 63) / 64;
    if ((uint64_t)words * nodes > MOST_WORDS)
        return false;
    for (size_t i = 0; i < n; i++)
        number[mine[i]] = (uint32_t)i;
    uint64_t *live = au_alloc_array((size_t)nodes * words + 1, sizeof *live);
    user u = {s, number, au_alloc_array(words + 1, sizeof *u.row), t};
    AU_VEC(uint32_t) todo = {0};
    bool *queued = au_alloc_array(nodes + 1, sizeof *queued);
    for (uint32_t i = 0; i < nodes && words; i++) {
        au_vec_push(&todo, i);
        queued[i] = true;
    }
    while (todo.n) {
        uint32_t node = au_vec_pop(&todo);
        queued[node] = false;
        const au_node *at = au_facts_node(f, base + node);
        uint64_t *row = live + (size_t)node * words;
        bool grew = false;
        for (size_t i = 0; i < at->out.n; i++) {
            const au_step *p = &m->step.at[at->out.at[i]];
            before(&u, p, live + (size_t)p->dst * words, words);
            for (size_t w = 0; w < words; w++) {
                grew |= (u.row[w] & ~row[w]) != 0;
                row[w] |= u.row[w];
            }
        }
        for (uint32_t i = f->first_into[base + node]; i < f->first_into[base + node + 1] && grew;
             i++) {
            uint32_t from = m->step.at[f->into[i]].src;
            if (!queued[from])
                au_vec_push(&todo, from);
            queued[from] = true;
        }
    }
    for (uint32_t i = 0; i < nodes; i++) {
        s->first_live[base + i] = (uint32_t)s->live.n;
        for (size_t v = 0; v < n; v++)
            if (live[(size_t)i * words + v / 64] >> v % 64 & 1)
                au_vec_push(&s->live, mine[v]);
    }
    for (size_t i = 0; i < n; i++)
        number[mine[i]] = AU_NONE;
    free(live);
    free(u.row);
    free(queued);
    au_vec_release(&todo);
    return s->live.n < UINT32_MAX / 2;
}

bool au_search_live_(au_search *s) {
    const au_facts *f = s->o.cuts->f;
    const au_model *m = s->m;
    uint32_t *number = au_alloc_array(m->var.n + 1, sizeof *number);
    AU_VEC(uint32_t) *mine = au_alloc_array(m->thread.n + 1, sizeof *mine);
    memset(number, 0xff, (m->var.n + 1) * sizeof *number);
    s->first_live = au_alloc_array(f->nodes + 1, sizeof *s->first_live);
    for (uint32_t v = 0; v < m->var.n; v++) {
        if (!s->o.relevant[v])
            continue;
        if (m->var.at[v].kind == AU_VAR_LOCAL)
            au_vec_push(&mine[m->var.at[v].thread], v);
        else
            au_vec_push(&s->global, v);
    }
    bool fits = true;
    for (uint32_t t = 0; t < m->thread.n && fits; t++)
        fits = live_in_thread(s, t, number, mine[t].at, mine[t].n);
    s->first_live[f->nodes] = (uint32_t)s->live.n;
    for (uint32_t t = 0; t < m->thread.n; t++)
        au_vec_release(&mine[t]);
    free(mine);
    free(number);
    return fits;
}
