/* tsg/facts.c: cells of steps, and which steps move past others (Lipton's movers).
 *
 * By cell, t being the step and u one of another thread that conflicts there:
 *   they never stand next to each other (au_facts_meet)    t moves both ways
 *   acq, rdacq, wracq; join        to the right: u cannot take what t has, cannot undo it
 *   rel; fork; the last step       to the left: u cannot take what t gives, before t
 *   a thread's first step          to the right: its fork cannot come after it
 *   anything else                  neither
 *   a lock that is looked at       neither: whether it is held is seen then (a try that failed)
 * Semaphores are as locks here: two acquires in a row could as well come the other way round,
 * and so could an acquire and then a release. A step moves as all its cells do. */
#include "tsg/coreach.h"

typedef AU_VEC(au_touch) touches;

static void touch(touches *t, size_t first, uint32_t cell, bool write) {
    for (size_t i = first; i < t->n; i++)
        if (t->at[i].cell == cell) {
            t->at[i].write |= write;
            return;
        }
    au_vec_push(t, ((au_touch){cell, write}));
}

typedef struct {
    const au_model *m;
    touches *t;
    size_t first;
} reader;

static void on_var(void *ctx, uint32_t var) {
    reader *r = ctx;
    if (r->m->var.at[var].kind != AU_VAR_LOCAL)
        touch(r->t, r->first, var, false);
}

static void find_touches(au_facts *f) {
    const au_model *m = f->m;
    touches t = {0};
    f->first_touch = au_alloc_array(m->step.n + 1, sizeof *f->first_touch);
    for (uint32_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        reader r = {m, &t, t.n};
        f->first_touch[i] = (uint32_t)t.n;
        au_term_each_var(m->terms, s->guard, on_var, &r);
        au_term_each_var(m->terms, s->cond, on_var, &r);
        for (uint32_t k = 0; k < s->n_updates; k++) {
            au_term_each_var(m->terms, s->update[k].value, on_var, &r);
            if (m->var.at[s->update[k].var].kind != AU_VAR_LOCAL)
                touch(&t, r.first, s->update[k].var, true);
        }
        if (s->havoc != AU_NONE && m->var.at[s->havoc].kind != AU_VAR_LOCAL)
            touch(&t, r.first, s->havoc, true);
        for (uint32_t k = 0; k < s->n_accesses; k++) /* also what is read for nothing (x * 0) */
            touch(&t, r.first, s->access[k].var, s->access[k].write);
        const au_thread *th = &m->thread.at[s->thread];
        if (s->src == th->entry && th->started != AU_NONE)
            touch(&t, r.first, th->started, false);
    }
    f->first_touch[m->step.n] = (uint32_t)t.n;
    f->touch = t.at;
}

static void find_nodes(au_facts *f) {
    const au_model *m = f->m;
    f->base = au_alloc_array(m->thread.n + 1, sizeof *f->base);
    for (uint32_t t = 0; t < m->thread.n; t++)
        f->base[t + 1] = f->base[t] + (uint32_t)m->thread.at[t].node.n;
    f->nodes = f->base[m->thread.n];
    f->owner = au_alloc_array(f->nodes + 1, sizeof *f->owner);
    for (uint32_t t = 0; t < m->thread.n; t++)
        for (uint32_t n = f->base[t]; n < f->base[t + 1]; n++)
            f->owner[n] = t;
    f->first_into = au_alloc_array(f->nodes + 2, sizeof *f->first_into);
    f->into = au_alloc_array(m->step.n + 1, sizeof *f->into);
    for (uint32_t i = 0; i < m->step.n; i++)
        f->first_into[au_facts_dst(f, i) + 2]++;
    for (uint32_t n = 2; n < f->nodes + 2; n++)
        f->first_into[n] += f->first_into[n - 1];
    for (uint32_t i = 0; i < m->step.n; i++)
        f->into[f->first_into[au_facts_dst(f, i) + 1]++] = i;
}

static void find_kinds(au_facts *f) {
    const au_model *m = f->m;
    f->stops = au_alloc_array(m->step.n + 1, sizeof *f->stops);
    f->waits = au_alloc_array(m->step.n + 1, sizeof *f->waits);
    f->forks = au_alloc_array(m->thread.n + 1, sizeof *f->forks);
    f->joins = au_alloc_array(m->thread.n + 1, sizeof *f->joins);
    f->cell_steps = au_alloc_array(m->var.n + 1, sizeof *f->cell_steps);
    f->looked = au_alloc_array(m->var.n + 1, sizeof *f->looked);
    for (uint32_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        /* A part of a run has only the side of a branch that the run took: where it is not taken, the part ends. */
        bool both = au_facts_node(f, au_facts_src(f, i))->out.n > 1;
        bool choice = (s->kind == AU_STEP_BRANCH && both) || s->kind == AU_STEP_SIGNAL;
        /* A try that would fail ends its thread in the model. That it waits instead reaches no less, and is
         * what the rules about locks are made for. */
        bool takes = s->kind == AU_STEP_ACQ || s->kind == AU_STEP_RDACQ || s->kind == AU_STEP_WRACQ;
        f->waits[i] = (s->blocking || takes) && !au_term_is_true(m->terms, s->guard);
        f->stops[i] = (!s->blocking && !choice && !takes && !au_term_is_true(m->terms, s->guard)) ||
                      !au_term_is_true(m->terms, s->cond);
        if (s->kind == AU_STEP_FORK)
            au_vec_push(&f->forks[s->obj], i);
        if (s->kind == AU_STEP_JOIN)
            au_vec_push(&f->joins[s->obj], i);
        for (uint32_t k = f->first_touch[i]; k < f->first_touch[i + 1]; k++) {
            au_vec_push(&f->cell_steps[f->touch[k].cell], i);
            f->looked[f->touch[k].cell] |= s->kind < AU_STEP_ACQ;
        }
    }
}

static bool is_start(const au_model *m, uint32_t cell) {
    for (uint32_t t = 0; t < m->thread.n && m->var.at[cell].kind == AU_VAR_SYNC; t++)
        if (m->thread.at[t].started == cell)
            return true;
    return false;
}

/* Who touches a cell, and where: one entry for all nodes of a class (au_facts_class). */
typedef struct {
    uint32_t class, thread;
    bool write;
} visitor;
typedef struct {
    const au_facts *f;
    AU_VEC(visitor) * of; /* by cell */
    au_map answer;        /* of disturbed: 1 no, 2 yes */
} visitors;

static uint64_t visit_key(uint32_t cell, uint32_t class, bool write) {
    return ((uint64_t)cell << 31 | class) << 1 | write;
}

static void find_visitors(visitors *v) {
    const au_facts *f = v->f;
    const au_model *m = f->m;
    au_map seen;
    au_map_init(&seen);
    v->of = au_alloc_array(m->var.n + 1, sizeof *v->of);
    for (uint32_t i = 0; i < m->step.n; i++)
        for (uint32_t k = f->first_touch[i]; k < f->first_touch[i + 1]; k++) {
            const au_touch *t = &f->touch[k];
            uint32_t class = au_facts_class(f, au_facts_src(f, i));
            bool fresh;
            au_map_put(&seen, visit_key(t->cell, class, t->write), &fresh);
            if (fresh)
                au_vec_push(&v->of[t->cell], ((visitor){class, m->step.at[i].thread, t->write}));
        }
    au_map_release(&seen);
    au_map_init(&v->answer);
}

static void release_visitors(visitors *v) {
    for (size_t i = 0; i < v->f->m->var.n; i++)
        au_vec_release(&v->of[i]);
    free(v->of);
    au_map_release(&v->answer);
}

/* Some step of another thread conflicts on this cell and can stand next to it. (A thread's
 * first step comes right after its fork, and yet it has not been started before it.) */
static bool disturbed(visitors *v, uint32_t step, const au_touch *t) {
    const au_facts *f = v->f;
    uint32_t class = au_facts_class(f, au_facts_src(f, step)), thread = f->m->step.at[step].thread;
    uint64_t *answer = au_map_put(&v->answer, visit_key(t->cell, class, t->write), NULL);
    if (*answer)
        return *answer == 2;
    bool start = is_start(f->m, t->cell), yes = false;
    for (size_t i = 0; i < v->of[t->cell].n && !yes; i++) {
        const visitor *u = &v->of[t->cell].at[i];
        yes = u->thread != thread && (t->write || u->write) &&
              (start ||
               au_facts_meet(f, au_facts_of_class(f, class), au_facts_of_class(f, u->class)));
    }
    *answer = yes ? 2 : 1;
    return yes;
}

/* A thread that can be forked by several has no clear beginning. */
static unsigned moves_at_start(const au_facts *f, const au_step *s, uint32_t cell) {
    const au_model *m = f->m;
    for (uint32_t t = 0; t < m->thread.n; t++) {
        if (m->thread.at[t].started != cell)
            continue;
        for (size_t i = 1; i < f->forks[t].n; i++)
            if (m->step.at[f->forks[t].at[i]].thread != m->step.at[f->forks[t].at[0]].thread)
                return AU_MOVES_NEITHER;
        return s->kind == AU_STEP_FORK && s->obj == t ? AU_MOVES_LEFT : AU_MOVES_RIGHT;
    }
    return AU_MOVES_NEITHER;
}

static unsigned moves_of(const au_facts *f, const au_step *s, const au_touch *t) {
    const au_model *m = f->m;
    const au_var_info *v = &m->var.at[t->cell];
    if (v->kind == AU_VAR_SHARED)
        return AU_MOVES_NEITHER;
    for (uint32_t u = 0; u < m->thread.n; u++)
        if (m->thread.at[u].done == t->cell)
            return t->write ? AU_MOVES_LEFT : AU_MOVES_RIGHT;
    unsigned start = moves_at_start(f, s, t->cell);
    if (start)
        return start;
    if (f->looked[t->cell])
        return AU_MOVES_NEITHER;
    switch (s->kind) {
    case AU_STEP_ACQ:
    case AU_STEP_RDACQ:
    case AU_STEP_WRACQ:
        return AU_MOVES_RIGHT;
    case AU_STEP_REL:
        return AU_MOVES_LEFT;
    default:
        return AU_MOVES_NEITHER;
    }
}

void au_facts_make(au_facts *f, const au_model *m) {
    *f = (au_facts){.m = m};
    find_touches(f);
    find_nodes(f);
    find_kinds(f);
    f->co = au_coreach_new(f);
    for (uint32_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        if (s->kind == AU_STEP_REL && au_facts_holds(f, au_facts_src(f, i), s->obj, false))
            f->stops[i] = false; /* its own */
        if (s->kind == AU_STEP_FORK && f->forks[s->obj].n == 1 && !m->has_loops)
            f->stops[i] = false; /* nobody else starts it */
    }
    visitors v = {.f = f};
    find_visitors(&v);
    f->moves = au_alloc_array(m->step.n + 1, sizeof *f->moves);
    for (uint32_t i = 0; i < m->step.n; i++) {
        f->moves[i] = AU_MOVES_BOTH;
        for (uint32_t k = f->first_touch[i]; k < f->first_touch[i + 1]; k++)
            if (disturbed(&v, i, &f->touch[k]))
                f->moves[i] &= (uint8_t)moves_of(f, &m->step.at[i], &f->touch[k]);
    }
    release_visitors(&v);
}

void au_facts_release(au_facts *f) {
    for (size_t i = 0; i < f->m->thread.n; i++) {
        au_vec_release(&f->forks[i]);
        au_vec_release(&f->joins[i]);
    }
    for (size_t i = 0; i < f->m->var.n; i++)
        au_vec_release(&f->cell_steps[i]);
    free(f->forks);
    free(f->joins);
    free(f->cell_steps);
    free(f->looked);
    free(f->base);
    free(f->owner);
    free(f->touch);
    free(f->first_touch);
    free(f->into);
    free(f->first_into);
    free(f->moves);
    free(f->stops);
    free(f->waits);
    au_coreach_free(f->co);
    *f = (au_facts){0};
}

bool au_facts_conflict(const au_facts *f, uint32_t step, uint32_t other) {
    for (uint32_t i = f->first_touch[step]; i < f->first_touch[step + 1]; i++)
        for (uint32_t k = f->first_touch[other]; k < f->first_touch[other + 1]; k++)
            if (f->touch[i].cell == f->touch[k].cell && (f->touch[i].write || f->touch[k].write))
                return true;
    return false;
}

bool au_facts_passes(const au_facts *f, uint32_t step, uint32_t node) {
    const au_step *s = &f->m->step.at[step];
    uint32_t obj = s->kind == AU_STEP_WAKE ? s->obj2 : s->obj, t = f->owner[node];
    switch (s->kind) {
    case AU_STEP_ACQ:
    case AU_STEP_RDACQ:
    case AU_STEP_WRACQ:
    case AU_STEP_WAKE:
        return !au_facts_is_lock(f, obj) || !au_facts_holds(f, node, obj, s->kind == AU_STEP_RDACQ);
    case AU_STEP_JOIN:
        return obj != t || node == au_facts_exit(f, t);
    default:
        return true;
    }
}

bool au_facts_switch(const au_facts *f, uint32_t from, uint32_t to) {
    const au_node *node = au_facts_node(f, to);
    if (!au_facts_meet(f, from, to))
        return false;
    for (size_t i = 0; i < node->out.n; i++)
        if (au_facts_passes(f, node->out.at[i], from))
            return true;
    return false;
}
