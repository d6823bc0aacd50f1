/* lower/fold.c: the finished graphs made smaller: locals that are constants where they are used, branches
 * that cannot be taken, steps that do nothing.
 *
 * A shared variable to which every step that is left assigns what it began with has that value always: a switch that
 * this program never turns. That may show further branches not to be taken, and so on. Accesses of it stay. A thread
 * that only steps create which nothing leads to does nothing.
 *
 * requires: all steps built, au_sync_finish not yet called. Steps that synchronise stay even where nothing leads
 * to them: threads and objects know of them. */
#include "lower/source_priv.h"

#include <string.h>

#define MOST_CELLS                                                                                 \
    6000000 /* nodes times locals of a thread: beyond, constants are not folded, nothing is lost */

typedef struct {
    au_model *m;
    uint32_t thread;
    uint32_t n_locals;
    uint32_t *place;  /* by variable: among the thread's locals, AU_NONE */
    uint64_t *value;  /* by node, local */
    uint8_t *state;   /* … 0 not seen, 1 a constant, 2 not */
    uint8_t *reached; /* by node */
    uint64_t *now;    /* by variable: for evaluation */
    au_term *map;     /* by variable: for substitution */
    const uint8_t *env;
    const uint64_t *env_value;
    bool known;
} fold;

static void look_up(void *ctx, uint32_t v) {
    fold *f = ctx;
    uint32_t p = f->place[v];
    if (p == AU_NONE || f->env[p] != 1) {
        f->known = false;
        return;
    }
    f->now[v] = f->env_value[p];
}

static bool eval(fold *f, au_term x, uint64_t *out) {
    if (au_term_is_const(f->m->terms, x)) {
        *out = au_term_value(f->m->terms, x);
        return true;
    }
    f->known = true;
    au_term_each_var(f->m->terms, x, look_up, f);
    if (f->known)
        *out = au_term_eval(f->m->terms, x, f->now);
    return f->known;
}

/* What a guard says of a local: x == c. */
static void refine(fold *f, au_term guard, uint8_t *state, uint64_t *value) {
    const au_terms *t = f->m->terms;
    bool negated = au_term_kind(t, guard) == AU_T_NOT;
    au_term g = negated ? au_term_kid(t, guard, 0) : guard;
    if (au_term_kind(t, g) == AU_T_VAR) {
        uint32_t p = f->place[au_term_var(t, g)];
        if (p != AU_NONE) {
            state[p] = 1;
            value[p] = !negated;
        }
    }
    if (negated || au_term_kind(t, g) != AU_T_EQ)
        return;
    for (unsigned k = 0; k < 2; k++) {
        au_term x = au_term_kid(t, g, k), c = au_term_kid(t, g, 1 - k);
        if (au_term_kind(t, x) != AU_T_VAR || !au_term_is_const(t, c))
            continue;
        uint32_t p = f->place[au_term_var(t, x)];
        if (p != AU_NONE) {
            state[p] = 1;
            value[p] = au_term_value(t, c);
        }
    }
}

static bool meet(fold *f, uint32_t node, const uint8_t *state, const uint64_t *value) {
    size_t base = (size_t)node * f->n_locals;
    bool changed = !f->reached[node];
    for (uint32_t i = 0; i < f->n_locals; i++) {
        uint8_t *s = &f->state[base + i];
        if (!f->reached[node]) {
            *s = state[i];
            f->value[base + i] = value[i];
        } else if (*s == 1 && (state[i] != 1 || value[i] != f->value[base + i])) {
            *s = 2;
            changed = true;
        }
    }
    f->reached[node] = 1;
    return changed;
}

static void analyse(fold *f) {
    au_model *m = f->m;
    const au_thread *th = &m->thread.at[f->thread];
    uint8_t *state = au_alloc_array(f->n_locals + 1u, 1);
    uint64_t *value = au_alloc_array(f->n_locals + 1u, sizeof *value);
    uint8_t *queued = au_alloc_array(th->node.n + 1, 1);
    AU_VEC(uint32_t) todo = {0};
    for (uint32_t v = 0; v < m->var.n; v++)
        if (f->place[v] != AU_NONE) {
            state[f->place[v]] = 1;
            value[f->place[v]] = m->var.at[v].init;
        }
    meet(f, th->entry, state, value);
    au_vec_push(&todo, th->entry);
    while (todo.n) {
        uint32_t node = au_vec_pop(&todo);
        queued[node] = 0;
        size_t base = (size_t)node * f->n_locals;
        for (size_t k = 0; k < th->node.at[node].out.n; k++) {
            const au_step *p = &m->step.at[th->node.at[node].out.at[k]];
            f->env = f->state + base;
            f->env_value = f->value + base;
            uint64_t v;
            if (eval(f, p->guard, &v) && !v)
                continue;
            memcpy(state, f->env, f->n_locals);
            memcpy(value, f->env_value, f->n_locals * sizeof *value);
            if (p->kind == AU_STEP_BRANCH || p->kind == AU_STEP_ASSUME)
                refine(f, p->guard, state, value);
            for (uint32_t u = 0; u < p->n_updates; u++) {
                uint32_t at = f->place[p->update[u].var];
                if (at == AU_NONE)
                    continue;
                state[at] = eval(f, p->update[u].value, &v) ? 1 : 2;
                value[at] = state[at] == 1 ? v : 0;
            }
            if (p->havoc != AU_NONE && f->place[p->havoc] != AU_NONE)
                state[f->place[p->havoc]] = 2;
            if (meet(f, p->dst, state, value) && !queued[p->dst]) {
                queued[p->dst] = 1;
                au_vec_push(&todo, p->dst);
            }
        }
    }
    free(state);
    free(value);
    free(queued);
    au_vec_release(&todo);
}

static void fill_map(void *ctx, uint32_t v) {
    fold *f = ctx;
    uint32_t p = f->place[v];
    if (p != AU_NONE && f->env[p] == 1)
        f->map[v] = au_term_const(f->m->terms, f->m->var.at[v].width, f->env_value[p]);
}

static void clear_map(void *ctx, uint32_t v) {
    fold *f = ctx;
    f->map[v] = (au_term){UINT32_MAX};
}

static au_term simpler(fold *f, au_term x) {
    if (au_term_is_const(f->m->terms, x))
        return x;
    au_term_each_var(f->m->terms, x, fill_map, f);
    au_term y = au_term_substitute(f->m->terms, x, f->map, f->m->var.n);
    au_term_each_var(f->m->terms, x, clear_map, f);
    return y;
}

enum { DEAD_FORK = 2 }; /* in 'gone' until the end: it stays */

static bool may_go(const au_step *p) {
    switch (p->kind) {
    case AU_STEP_ASSIGN:
    case AU_STEP_ASSUME:
    case AU_STEP_ASSERT:
    case AU_STEP_BRANCH:
    case AU_STEP_NOP:
    case AU_STEP_HAVOC:
        return true;
    default:
        return false;
    }
}

/* Rewrites the thread's steps; gone[id]: not needed any more, or a fork that nothing leads to. */
static void rewrite(fold *f, uint8_t *gone) {
    au_model *m = f->m;
    for (size_t i = 0; i < m->step.n; i++) {
        au_step *p = &m->step.at[i];
        if (p->thread == f->thread && p->kind == AU_STEP_FORK && !f->reached[p->src])
            gone[i] = DEAD_FORK;
        if (p->thread != f->thread || !may_go(p))
            continue;
        if (!f->reached[p->src]) {
            gone[i] = 1;
            continue;
        }
        f->env = f->state + (size_t)p->src * f->n_locals;
        f->env_value = f->value + (size_t)p->src * f->n_locals;
        /* An atomic access names what it reads: its terms stay. */
        p->guard = simpler(f, p->guard);
        if (p->kind == AU_STEP_BRANCH) {
            if (au_term_is_false(m->terms, p->guard))
                gone[i] = 1;
            else if (au_term_is_true(m->terms, p->guard))
                p->kind = p->n_updates ? AU_STEP_ASSIGN : AU_STEP_NOP;
        }
        if (p->kind == AU_STEP_ASSERT) {
            p->cond = simpler(f, p->cond);
            if (au_term_is_true(m->terms, p->cond) && !p->n_updates)
                p->kind = AU_STEP_NOP;
        }
        for (uint32_t u = 0; u < p->n_updates; u++)
            p->update[u].value = simpler(f, p->update[u].value);
    }
}

/* --- locals that nobody looks at ---------------------------------------------------- */

typedef struct {
    au_model *m;
    uint8_t *live; /* by variable */
    AU_VEC(uint32_t) todo;
} liveness;

typedef struct {
    uint32_t step, update, next;
} update_at;

static void is_used(void *ctx, uint32_t v) {
    liveness *l = ctx;
    if (l->live[v])
        return;
    l->live[v] = 1;
    au_vec_push(&l->todo, v);
}

static void drop_unused(au_model *m, const uint8_t *gone) {
    liveness l = {.m = m, .live = au_alloc_array(m->var.n + 1, 1)};
    /* updates by variable: first[v], then next[] */
    AU_VEC(update_at) of = {0};
    uint32_t *first = au_alloc_array(m->var.n + 1, sizeof *first);
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *p = &m->step.at[i];
        if (gone[i])
            continue;
        au_term_each_var(m->terms, p->guard, is_used, &l);
        au_term_each_var(m->terms, p->cond, is_used, &l);
        for (uint32_t u = 0; u < p->n_updates; u++) {
            uint32_t v = p->update[u].var;
            if (m->var.at[v].kind != AU_VAR_LOCAL) {
                au_term_each_var(m->terms, p->update[u].value, is_used, &l);
                continue;
            }
            update_at row = {.step = (uint32_t)i, .update = u, .next = first[v]};
            au_vec_push(&of, row);
            first[v] = (uint32_t)of.n;
        }
    }
    while (l.todo.n) {
        uint32_t v = au_vec_pop(&l.todo);
        for (uint32_t k = first[v]; k; k = of.at[k - 1].next)
            au_term_each_var(m->terms,
                             m->step.at[of.at[k - 1].step].update[of.at[k - 1].update].value,
                             is_used, &l);
    }
    for (size_t i = 0; i < m->step.n; i++) {
        au_step *p = &m->step.at[i];
        uint32_t keep = 0;
        for (uint32_t u = 0; u < p->n_updates; u++)
            if (m->var.at[p->update[u].var].kind != AU_VAR_LOCAL || l.live[p->update[u].var])
                p->update[keep++] = p->update[u];
        p->n_updates = keep;
        if (p->kind == AU_STEP_HAVOC && m->var.at[p->havoc].kind == AU_VAR_LOCAL &&
            !l.live[p->havoc]) {
            p->havoc = AU_NONE;
            p->kind = keep ? AU_STEP_ASSIGN : AU_STEP_NOP;
        } else if (p->kind == AU_STEP_ASSIGN && !keep) {
            p->kind = AU_STEP_NOP;
        }
    }
    free(first);
    free(l.live);
    au_vec_release(&l.todo);
    au_vec_release(&of);
}

/* --- steps that do nothing --------------------------------------------------------- */

static bool does_nothing(const au_model *m, const au_step *p) {
    return p->kind == AU_STEP_NOP && !p->n_updates && !p->n_accesses && p->havoc == AU_NONE &&
           au_term_is_true(m->terms, p->guard) && p->src != p->dst;
}

static uint32_t end_of(uint32_t *to, uint32_t node) {
    uint32_t at = node;
    while (to[at] != AU_NONE)
        at = to[at];
    while (to[node] != AU_NONE) {
        uint32_t next = to[node];
        to[node] = at;
        node = next;
    }
    return at;
}

/* Calls, and where they go on, stay apart. */
static void mark_calls(const au_model *m, uint32_t thread, uint8_t *on) {
    for (size_t i = 0; i < m->call.n; i++) {
        const au_step *s = &m->step.at[m->call.at[i].step];
        if (s->thread == thread)
            on[m->call.at[i].on] = on[s->src] = 1;
    }
}

static void skip_nothing(au_model *m, uint32_t thread, uint8_t *gone) {
    au_thread *th = &m->thread.at[thread];
    uint8_t *on = au_alloc_array(th->node.n + 1, 1);
    mark_calls(m, thread, on);
    uint32_t *to = au_alloc_array(th->node.n + 1, sizeof *to);
    uint32_t *outs = au_alloc_array(th->node.n + 1, sizeof *outs);
    memset(to, 0xff, (th->node.n + 1) * sizeof *to);
    for (size_t i = 0; i < m->step.n; i++)
        if (m->step.at[i].thread == thread && !gone[i])
            outs[m->step.at[i].src]++;
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *p = &m->step.at[i];
        if (p->thread != thread || gone[i] || !does_nothing(m, p) || outs[p->src] != 1 ||
            p->src == th->entry || on[p->src])
            continue;
        if (end_of(to, p->dst) == p->src) /* a loop of nothing: one step of it stays */
            continue;
        to[p->src] = p->dst;
        gone[i] = 1;
    }
    for (size_t i = 0; i < m->step.n; i++)
        if (m->step.at[i].thread == thread && !gone[i])
            m->step.at[i].dst = end_of(to, m->step.at[i].dst);
    free(to);
    free(outs);
    free(on);
}

static void remove_steps(src *s, const uint8_t *gone) {
    au_model *m = s->out->model;
    au_source *o = s->out;
    for (size_t t = 0; t < m->thread.n; t++)
        for (size_t n = 0; n < m->thread.at[t].node.n; n++)
            au_vec_clear(&m->thread.at[t].node.at[n].out);
    size_t keep = 0, calls = 0, at = 0;
    for (size_t i = 0; i < m->step.n; i++) {
        while (at < m->call.n && m->call.at[at].step < i)
            at++;
        bool call = at < m->call.n && m->call.at[at].step == i;
        if (gone[i])
            continue;
        if (call)
            m->call.at[calls++] = (au_call){(uint32_t)keep, m->call.at[at++].on};
        m->step.at[keep] = m->step.at[i];
        m->step.at[keep].id = (uint32_t)keep;
        o->exact.at[keep] = o->exact.at[i];
        o->function.at[keep] = o->function.at[i];
        o->at.at[keep] = o->at.at[i];
        o->number.at[keep] = o->number.at[i];
        o->guard.at[keep] = o->guard.at[i];
        o->unknown.at[keep] = o->unknown.at[i];
        const au_step *p = &m->step.at[keep];
        au_vec_push(&m->thread.at[p->thread].node.at[p->src].out, (uint32_t)keep);
        keep++;
    }
    m->step.n = o->exact.n = o->function.n = o->at.n = o->number.n = o->guard.n = o->unknown.n =
        keep;
    m->call.n = calls;
}

/* Nodes that nothing leads to and that lead nowhere are taken out, others get new numbers. */
static void remove_nodes(au_model *m, uint32_t thread) {
    au_thread *th = &m->thread.at[thread];
    uint32_t *number = au_alloc_array(th->node.n + 1, sizeof *number);
    uint8_t *used = au_alloc_array(th->node.n + 1, 1);
    used[th->entry] = used[th->exit] = 1;
    for (size_t i = 0; i < m->call.n; i++)
        if (m->step.at[m->call.at[i].step].thread == thread)
            used[m->call.at[i].on] = 1;
    for (size_t i = 0; i < m->step.n; i++)
        if (m->step.at[i].thread == thread)
            used[m->step.at[i].src] = used[m->step.at[i].dst] = 1;
    uint32_t n = 0;
    for (uint32_t i = 0; i < th->node.n; i++) {
        if (!used[i]) {
            au_vec_release(&th->node.at[i].out);
            continue;
        }
        number[i] = n;
        th->node.at[n++] = th->node.at[i];
    }
    th->node.n = n;
    th->entry = number[th->entry];
    th->exit = number[th->exit];
    for (size_t i = 0; i < m->step.n; i++)
        if (m->step.at[i].thread == thread) {
            m->step.at[i].src = number[m->step.at[i].src];
            m->step.at[i].dst = number[m->step.at[i].dst];
        }
    for (size_t i = 0; i < m->call.n; i++)
        if (m->step.at[m->call.at[i].step].thread == thread)
            m->call.at[i].on = number[m->call.at[i].on];
    free(number);
    free(used);
}

/* --- all of it ------------------------------------------------------------------------ */

static void one_thread(fold *f, uint32_t t, const uint8_t *frozen, uint8_t *gone) {
    au_model *m = f->m;
    f->thread = t;
    f->n_locals = 0;
    memset(f->place, 0xff, (m->var.n + 1) * sizeof *f->place);
    for (uint32_t v = 0; v < m->var.n; v++)
        if (frozen[v] || (m->var.at[v].kind == AU_VAR_LOCAL && m->var.at[v].thread == t))
            f->place[v] = f->n_locals++;
    size_t nodes = m->thread.at[t].node.n;
    if ((uint64_t)nodes * f->n_locals > MOST_CELLS)
        return;
    f->value = au_alloc_array(nodes * f->n_locals + 1, sizeof *f->value);
    f->state = au_alloc_array(nodes * f->n_locals + 1, 1);
    f->reached = au_alloc_array(nodes + 1, 1);
    analyse(f);
    rewrite(f, gone);
    free(f->value);
    free(f->state);
    free(f->reached);
}

/* Threads that nobody creates: their steps go. True: there are new ones. */
static bool drop_threads(const au_model *m, uint8_t *gone, uint8_t *dead) {
    uint8_t *forked = au_alloc_array(m->thread.n + 1, 1); /* 1: a fork that is left, 2: any */
    for (size_t i = 0; i < m->step.n; i++)
        if (m->step.at[i].kind == AU_STEP_FORK)
            forked[m->step.at[i].obj] |= gone[i] == DEAD_FORK || dead[m->step.at[i].thread] ? 2 : 3;
    bool more = false;
    for (uint32_t t = 0; t < m->thread.n; t++)
        if (!dead[t] && forked[t] == 2)
            dead[t] = more = true;
    for (size_t i = 0; i < m->step.n && more; i++)
        if (dead[m->step.at[i].thread] && may_go(&m->step.at[i]))
            gone[i] = 1;
    free(forked);
    return more;
}

/* True: there are new ones. */
static bool find_frozen(const au_model *m, const uint8_t *gone, uint8_t *frozen) {
    uint8_t *set = au_alloc_array(m->var.n + 1, 1);
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *p = &m->step.at[i];
        if (gone[i] == 1)
            continue;
        for (uint32_t u = 0; u < p->n_updates; u++)
            if (!au_term_is_const(m->terms, p->update[u].value) ||
                au_term_value(m->terms, p->update[u].value) != m->var.at[p->update[u].var].init)
                set[p->update[u].var] = 1;
        if (p->havoc != AU_NONE)
            set[p->havoc] = 1;
    }
    bool more = false;
    for (uint32_t v = 0; v < m->var.n; v++)
        if (m->var.at[v].kind == AU_VAR_SHARED && !set[v] && !frozen[v])
            frozen[v] = more = true;
    free(set);
    return more;
}

void au_src_fold(src *s) {
    enum { ROUNDS = 6 };
    au_model *m = s->out->model;
    uint8_t *gone = au_alloc_array(m->step.n + 1, 1);
    uint8_t *frozen = au_alloc_array(m->var.n + 1, 1), *dead = au_alloc_array(m->thread.n + 1, 1);
    fold f = {.m = m};
    f.place = au_alloc_array(m->var.n + 1, sizeof *f.place);
    f.now = au_alloc_array(m->var.n + 1, sizeof *f.now);
    f.map = au_alloc_array(m->var.n + 1, sizeof *f.map);
    memset(f.map, 0xff, (m->var.n + 1) * sizeof *f.map);
    bool more = true;
    for (int round = 0; round < ROUNDS && more; round++) {
        for (uint32_t t = 0; t < m->thread.n; t++)
            if (!dead[t])
                one_thread(&f, t, frozen, gone);
        while (drop_threads(m, gone, dead)) {
        }
        more = find_frozen(m, gone, frozen);
    }
    for (size_t i = 0; i < m->step.n; i++)
        if (gone[i] == DEAD_FORK)
            gone[i] = 0;
    drop_unused(m, gone);
    for (uint32_t t = 0; t < m->thread.n; t++)
        skip_nothing(m, t, gone);
    remove_steps(s, gone);
    for (uint32_t t = 0; t < m->thread.n; t++)
        remove_nodes(m, t);
    free(f.place);
    free(f.now);
    free(f.map);
    free(gone);
    free(frozen);
    free(dead);
}
