/* solve/changes.c: see changes.h. */
#include "solve/changes.h"

#include "base/alloc.h"

typedef struct {
    const au_model *m;
    uint32_t **
        into; /* by thread and node: 1 + the only step that leads there; 0: several, AU_NONE: none */
    uint32_t *fork;       /* by thread: the same of the step that starts it */
    bool *ran, *ended;    /* by thread: something of it must come before; all of it must */
    uint32_t of;          /* the thread that is looked back from */
    uint32_t after, most; /* threads between its place and what is looked at; so many were found */
    bool twice;           /* a part of 'of' comes before one of the others */
} finder;

static void note_step(finder *f, const au_step *s) {
    uint32_t *into = &f->into[s->thread][s->dst];
    *into = *into == AU_NONE ? s->id + 1 : 0;
    if (s->kind == AU_STEP_FORK)
        f->fork[s->obj] = f->fork[s->obj] == AU_NONE ? s->id + 1 : 0;
}

/* 0: several. */
static uint32_t only(uint32_t x) {
    return x == AU_NONE || !x ? AU_NONE : x - 1;
}

/* Does it wait for the thread's last step? */
static bool waits_for_end(const au_model *m, const au_step *s) {
    uint32_t v = m->thread.at[s->obj].done;
    if (v == AU_NONE || m->var.at[v].init)
        return false;
    unsigned w = m->var.at[v].width;
    au_term done = au_term_of_var(m->terms, v, w);
    return au_term_same(s->guard, done) ||
           au_term_same(s->guard, au_term_eq(m->terms, done, au_term_const(m->terms, w, 1)));
}

static void add(finder *f, uint32_t t) {
    f->twice |= t == f->of && f->after;
    f->most += t != f->of && !f->ran[t];
    f->ran[t] = true;
}

/* What must have happened when this thread stands at this node: back along the only way there. */
static void look_back(finder *f, uint32_t t, uint32_t node) {
    const au_model *m = f->m;
    uint32_t at;
    while ((at = only(f->into[t][node])) != AU_NONE) {
        const au_step *s = &m->step.at[at];
        uint32_t u = s->obj;
        node = s->src;
        if (s->kind != AU_STEP_JOIN || f->ended[u] || u == t || !waits_for_end(m, s))
            continue;
        f->ended[u] = true;
        add(f, u);
        f->after++;
        look_back(f, u, m->thread.at[u].exit);
        f->after--;
    }
    uint32_t v = m->thread.at[t].started;
    at = only(f->fork[t]);
    if (v == AU_NONE || m->var.at[v].init || at == AU_NONE || m->step.at[at].thread == t)
        return;
    const au_step *s = &m->step.at[at];
    add(f, s->thread);
    f->after++;
    if (f->after <= m->thread.n) /* threads that fork each other never start */
        look_back(f, s->thread, s->src);
    f->after--;
}

/* A thread stands there at the end, others stand elsewhere: only that each of them has run counts. */
static void add_place(finder *f, uint32_t step) {
    const au_step *s = &f->m->step.at[step];
    f->of = AU_NONE;
    if (s->src != f->m->thread.at[s->thread].entry)
        add(f, s->thread);
    look_back(f, s->thread, s->src);
}

/* At least so many changes of thread before it has happened. */
static uint32_t least(finder *f, const au_query *q) {
    if (q->kind == AU_ASK_RACE) { /* each thread that must have run did so at a time of its own */
        add_place(f, q->step[0]);
        add_place(f, q->step[1]);
        return f->most ? f->most - 1 : 0;
    }
    const au_step *s = &f->m->step.at[q->step[0]];
    f->of = s->thread;
    look_back(f, s->thread, s->src);
    /* Of a triple: the other thread's access after that, and then this thread's second one. */
    return f->most + f->twice + (q->kind == AU_ASK_ATOMICITY ? 2 : 0);
}

bool au_changes_exceed(const au_model *m, au_semantics semantics, const au_query *q,
                       uint32_t bound) {
    if ((q->kind != AU_ASK_ASSERT && q->kind != AU_ASK_ATOMICITY && q->kind != AU_ASK_RACE) ||
        m->has_loops || semantics == AU_SEM_LOCKS)
        return false;
    size_t n = m->thread.n;
    finder f = {.m = m};
    f.into = au_alloc_array(n + 1, sizeof *f.into);
    f.fork = au_alloc_array(n + 1, sizeof *f.fork);
    f.ran = au_alloc_array(n + 1, sizeof *f.ran);
    f.ended = au_alloc_array(n + 1, sizeof *f.ended);
    for (size_t t = 0; t < n; t++) {
        f.fork[t] = AU_NONE;
        f.into[t] = au_alloc_array(m->thread.at[t].node.n + 1, sizeof **f.into);
        for (size_t i = 0; i < m->thread.at[t].node.n; i++)
            f.into[t][i] = AU_NONE;
    }
    for (size_t i = 0; i < m->step.n; i++)
        note_step(&f, &m->step.at[i]);
    uint32_t changes = least(&f, q);
    for (size_t t = 0; t < n; t++)
        free(f.into[t]);
    free(f.into);
    free(f.fork);
    free(f.ran);
    free(f.ended);
    return changes > bound;
}
