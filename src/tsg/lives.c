/* tsg/lives.c: see lives.h. */
#include "tsg/lives.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* Beyond these a thread is alive anywhere: less is ruled out, nothing is lost. */
enum { MOST_LOCALS = 12, MOST_STATES = 400000, ALL_STATES = 20000000, BACK = 4, MOST_VALUES = 16 };

enum { UNSTARTED, ALIVE, ENDED };

typedef struct {
    uint8_t status;
    uint16_t known; /* locals whose values are */
    uint64_t value[MOST_LOCALS];
} state;

typedef struct {
    const au_facts *f;
    uint32_t thread, by; /* followed; who forks it */
    uint32_t n, local[MOST_LOCALS];
    uint64_t taken[MOST_LOCALS][MOST_VALUES]; /* by local: values it was seen to take … */
    uint32_t n_taken[MOST_LOCALS]; /* … so many; with more of them it counts: not known */
    uint32_t *place;               /* by variable: in 'local' + 1 */
    uint64_t *now;                 /* by variable */
    AU_VEC(state) state;
    au_idtable index;
    AU_VEC(uint64_t) todo; /* node, state */
    au_map seen;
    const state *at; /* of an evaluation */
    bool sure;
} follower;

/* --- which locals decide --------------------------------------------------------------------------- */

static void add_local(void *ctx, uint32_t v) {
    follower *x = ctx;
    if (x->f->m->var.at[v].kind != AU_VAR_LOCAL || x->place[v] || x->n == MOST_LOCALS)
        return;
    x->local[x->n++] = v;
    x->place[v] = x->n;
}

/* Branches right before it. */
static void look_back(follower *x, uint32_t step) {
    const au_facts *f = x->f;
    uint32_t node = au_facts_src(f, step);
    for (int i = 0; i < BACK; i++) {
        if (f->first_into[node + 1] - f->first_into[node] != 1)
            return;
        const au_step *s = &f->m->step.at[f->into[f->first_into[node]]];
        if (s->kind == AU_STEP_BRANCH)
            au_term_each_var(f->m->terms, s->guard, add_local, x);
        node = au_facts_src(f, s->id);
    }
}

static void find_locals(follower *x) {
    const au_facts *f = x->f;
    const au_model *m = f->m;
    for (size_t i = 0; i < f->forks[x->thread].n; i++)
        look_back(x, f->forks[x->thread].at[i]);
    for (size_t i = 0; i < f->joins[x->thread].n; i++)
        if (m->step.at[f->joins[x->thread].at[i]].thread == x->by)
            look_back(x, f->joins[x->thread].at[i]);
    for (uint32_t k = 0; k < x->n; k++) /* what is copied there */
        for (size_t i = 0; i < m->step.n && x->n < MOST_LOCALS; i++)
            for (uint32_t u = 0; u < m->step.at[i].n_updates; u++)
                if (m->step.at[i].update[u].var == x->local[k] &&
                    au_term_kind(m->terms, m->step.at[i].update[u].value) == AU_T_VAR)
                    add_local(x, au_term_var(m->terms, m->step.at[i].update[u].value));
}

/* --- states ------------------------------------------------------------------------------------------ */

static bool same_state(const void *ctx, uint32_t id, const void *key) {
    const follower *x = ctx;
    return !memcmp(&x->state.at[id], key, sizeof(state));
}

static void visit(follower *x, uint32_t node, const state *s) {
    uint64_t h = au_hash_bytes(s, sizeof *s);
    uint32_t id = au_idtable_find(&x->index, h, same_state, x, s);
    if (id == AU_NONE) {
        id = (uint32_t)x->state.n;
        au_vec_push(&x->state, *s);
        au_idtable_add(&x->index, h, id);
    }
    bool fresh;
    au_map_put(&x->seen, au_key2(node, id), &fresh);
    if (fresh)
        au_vec_push(&x->todo, au_key2(node, id));
}

static void look_up(void *ctx, uint32_t v) {
    follower *x = ctx;
    uint32_t p = x->place[v];
    if (!p || !(x->at->known >> (p - 1) & 1)) {
        x->sure = false;
        return;
    }
    x->now[v] = x->at->value[p - 1];
}

static bool eval(follower *x, const state *s, au_term term, uint64_t *out) {
    x->at = s;
    x->sure = true;
    au_term_each_var(x->f->m->terms, term, look_up, x);
    if (x->sure)
        *out = au_term_eval(x->f->m->terms, term, x->now);
    return x->sure;
}

static void set(state *s, uint32_t place, bool known, uint64_t value) {
    s->known = (uint16_t)(known ? s->known | 1u << (place - 1) : s->known & ~(1u << (place - 1)));
    s->value[place - 1] = known ? value : 0;
}

/* A local that takes so many values decides nothing here: a counter. */
static bool is_followed(follower *x, uint32_t place, uint64_t value) {
    uint32_t k = place - 1;
    for (uint32_t i = 0; i < x->n_taken[k]; i++)
        if (x->taken[k][i] == value)
            return true;
    if (x->n_taken[k] == MOST_VALUES)
        return false;
    x->taken[k][x->n_taken[k]++] = value;
    return true;
}

/* What holds of a local where the guard does. */
static void refine(follower *x, state *s, au_term guard) {
    const au_terms *t = x->f->m->terms;
    bool not_ = au_term_kind(t, guard) == AU_T_NOT;
    au_term g = not_ ? au_term_kid(t, guard, 0) : guard;
    if (au_term_kind(t, g) == AU_T_VAR && x->place[au_term_var(t, g)])
        set(s, x->place[au_term_var(t, g)], true, !not_);
    for (unsigned k = 0; k < 2 && !not_ && au_term_kind(t, g) == AU_T_EQ; k++) {
        au_term v = au_term_kid(t, g, k), c = au_term_kid(t, g, 1 - k);
        if (au_term_kind(t, v) == AU_T_VAR && au_term_is_const(t, c) && x->place[au_term_var(t, v)])
            set(s, x->place[au_term_var(t, v)], true, au_term_value(t, c));
    }
}

static void take_step(follower *x, const state *from, const au_step *p) {
    uint64_t value;
    if (eval(x, from, p->guard, &value) && !value)
        return;
    state s = *from;
    refine(x, &s, p->guard);
    for (uint32_t u = 0; u < p->n_updates; u++) {
        uint32_t place = x->place[p->update[u].var];
        if (place) {
            bool known = eval(x, from, p->update[u].value, &value) && is_followed(x, place, value);
            set(&s, place, known, known ? value : 0);
        }
    }
    if (p->havoc != AU_NONE && x->place[p->havoc])
        set(&s, x->place[p->havoc], false, 0);
    if (p->kind == AU_STEP_FORK && p->obj == x->thread)
        s.status = ALIVE;
    else if (p->kind == AU_STEP_JOIN && p->obj == x->thread)
        s.status = ENDED;
    visit(x, au_facts_dst(x->f, p->id), &s);
}

/* Sets the nodes where it is not alive; returns how much work it was. */
static size_t follow(follower *x, au_lives *l) {
    const au_facts *f = x->f;
    const au_model *m = f->m;
    find_locals(x);
    memset(x->n_taken, 0, sizeof x->n_taken);
    state first;
    memset(&first, 0, sizeof first); /* states are compared by their bytes */
    for (uint32_t k = 0; k < x->n; k++)
        set(&first, k + 1, true, m->var.at[x->local[k]].init);
    visit(x, au_facts_entry(f, x->by), &first);
    while (x->todo.n && x->seen.n <= MOST_STATES) {
        uint64_t key = au_vec_pop(&x->todo);
        state s = x->state.at[(uint32_t)key];
        const au_node *node = au_facts_node(f, (uint32_t)(key >> 32));
        for (size_t i = 0; i < node->out.n; i++)
            take_step(x, &s, &m->step.at[node->out.at[i]]);
    }
    if (x->todo.n)
        return x->seen.n;
    uint64_t bit = UINT64_C(1) << (x->thread % 64);
    for (uint32_t n = f->base[x->by]; n < f->base[x->by + 1]; n++)
        l->idle[n * l->words + x->thread / 64] |= bit;
    for (size_t i = 0; i < x->seen.cap; i++) {
        uint64_t key = x->seen.slot[2 * i];
        if (x->seen.used[i] && x->state.at[(uint32_t)key].status == ALIVE)
            l->idle[(key >> 32) * l->words + x->thread / 64] &= ~bit;
    }
    return x->seen.n;
}

/* The only thread that forks it; AU_NONE: several, nobody, or it runs from the start. */
static uint32_t forker(const au_facts *f, uint32_t t) {
    if (!f->m->thread.at[t].forked || !f->forks[t].n)
        return AU_NONE;
    uint32_t by = f->m->step.at[f->forks[t].at[0]].thread;
    for (size_t i = 1; i < f->forks[t].n; i++)
        if (f->m->step.at[f->forks[t].at[i]].thread != by)
            return AU_NONE;
    return by == t ? AU_NONE : by;
}

/* Wherever t is forked, u is idle. */
static bool forked_without(const au_facts *f, const au_lives *l, uint32_t t, uint32_t u) {
    for (size_t i = 0; i < f->forks[t].n; i++) {
        uint32_t at = au_facts_src(f, f->forks[t].at[i]);
        if (!(l->idle[at * l->words + u / 64] >> (u % 64) & 1))
            return false;
    }
    return true;
}

void au_lives_make(au_lives *l, const au_facts *f) {
    const au_model *m = f->m;
    size_t work = 0;
    *l = (au_lives){.words = (m->thread.n + 63) / 64};
    l->idle = au_alloc_array(f->nodes * l->words + 1, sizeof *l->idle);
    l->apart = au_alloc_array(m->thread.n * l->words + 1, sizeof *l->apart);
    follower x = {.f = f};
    x.place = au_alloc_array(m->var.n + 1, sizeof *x.place);
    x.now = au_alloc_array(m->var.n + 1, sizeof *x.now);
    for (uint32_t t = 0; t < m->thread.n && work < ALL_STATES; t++) {
        x.thread = t;
        x.by = forker(f, t);
        if (x.by == AU_NONE)
            continue;
        au_idtable_init(&x.index);
        au_map_init(&x.seen);
        work += follow(&x, l);
        au_idtable_release(&x.index);
        au_map_release(&x.seen);
        au_vec_clear(&x.state);
        au_vec_clear(&x.todo);
        for (uint32_t k = 0; k < x.n; k++)
            x.place[x.local[k]] = 0;
        x.n = 0;
    }
    for (uint32_t t = 0; t < m->thread.n; t++)
        for (uint32_t u = 0; u < m->thread.n; u++)
            if (t != u && forker(f, t) != AU_NONE && forker(f, t) == forker(f, u) &&
                forked_without(f, l, t, u) && forked_without(f, l, u, t))
                l->apart[t * l->words + u / 64] |= UINT64_C(1) << (u % 64);
    au_vec_release(&x.state);
    au_vec_release(&x.todo);
    free(x.place);
    free(x.now);
}

void au_lives_release(au_lives *l) {
    free(l->idle);
    free(l->apart);
    *l = (au_lives){0};
}
