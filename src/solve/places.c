/* solve/places.c: reads that decide, and stores near them; waits, and what ends them. */
#include "solve/places.h"

#include "base/bitset.h"
#include "base/hash.h"

#include <stdlib.h>

/* --- what the condition depends on --------------------------------------------------------------- */

typedef struct {
    const au_model *m;
    au_bitset needed;   /* variables */
    au_u32s todo;       /* … whose stores were not looked at */
    au_u32s *stored_by; /* by variable: steps */
} cone;

static void need(void *ctx, uint32_t var) {
    cone *c = ctx;
    if (c->m->var.at[var].kind == AU_VAR_SYNC || au_bitset_has(&c->needed, var))
        return;
    au_bitset_add(&c->needed, var);
    au_vec_push(&c->todo, var);
}

/* Whatever may flow into it, in any order of steps. */
static void find_cone(cone *c, const au_model *m, uint32_t assertion) {
    *c = (cone){.m = m};
    au_bitset_init(&c->needed, m->var.n);
    c->stored_by = au_alloc_array(m->var.n + 1, sizeof *c->stored_by);
    for (size_t i = 0; i < m->step.n; i++)
        for (uint32_t k = 0; k < m->step.at[i].n_updates; k++)
            au_vec_push(&c->stored_by[m->step.at[i].update[k].var], (uint32_t)i);
    au_term_each_var(m->terms, m->step.at[assertion].cond, need, c);
    while (c->todo.n) {
        uint32_t var = au_vec_pop(&c->todo);
        for (size_t i = 0; i < c->stored_by[var].n; i++) {
            const au_step *s = &m->step.at[c->stored_by[var].at[i]];
            for (uint32_t k = 0; k < s->n_updates; k++)
                if (s->update[k].var == var)
                    au_term_each_var(m->terms, s->update[k].value, need, c);
        }
    }
}

static void cone_release(cone *c) {
    for (size_t v = 0; v < c->m->var.n; v++)
        au_vec_release(&c->stored_by[v]);
    free(c->stored_by);
    au_vec_release(&c->todo);
    au_bitset_release(&c->needed);
}

static void find_needed(const au_model *m, uint32_t assertion, au_bitset *needed) {
    cone c;
    find_cone(&c, m, assertion);
    *needed = c.needed;
    au_bitset_init(&c.needed, 1);
    cone_release(&c);
}

void au_contacts_deciding(const au_model *m, uint32_t assertion, size_t until, au_contacts *into) {
    au_bitset needed;
    find_needed(m, assertion, &needed);
    into->keys = (uint32_t)m->var.n;
    for (size_t i = 0; i < until; i++) {
        const au_step *s = &m->step.at[m->observed.at[i]];
        au_vec_push(&into->first, into->touch.n);
        for (uint32_t k = 0; k < s->n_accesses; k++)
            if (au_bitset_has(&needed, s->access[k].var))
                au_vec_push(&into->touch, ((au_contact){s->access[k].var, s->access[k].write}));
    }
    au_vec_push(&into->first, into->touch.n);
    au_bitset_release(&needed);
}

void au_contacts_release(au_contacts *t) {
    au_vec_release(&t->touch);
    au_vec_release(&t->first);
}

/* --- pairs ------------------------------------------------------------------------------------------ */

enum { ALIKE = 3 }; /* of the same statements: the nearest two, and the last two */

typedef struct {
    au_meeting at[ALIKE];
    uint32_t n;
} likes;

typedef struct {
    const au_model *m;
    au_map alike; /* of two statements: number in 'found' */
    AU_VEC(likes) found;
} finder;

/* What is the same each time the program comes there. */
static uint64_t statement(const au_model *m, uint32_t step) {
    const au_step *s = &m->step.at[step];
    return s->line ? au_hash_join(s->loc, (uint64_t)s->line << 32 | s->col) : au_hash_join(step, 0);
}

static size_t span(const au_meeting *p) {
    return p->high - p->low;
}

static void note(finder *f, size_t low, size_t high) {
    uint64_t key = au_hash_join(statement(f->m, f->m->observed.at[low]),
                                statement(f->m, f->m->observed.at[high]));
    bool fresh;
    uint64_t *at = au_map_put(&f->alike, key, &fresh);
    if (fresh) {
        *at = f->found.n;
        au_vec_push(&f->found, ((likes){0}));
    }
    likes *l = &f->found.at[*at];
    au_meeting p = {low, high};
    if (l->n < ALIKE) {
        l->at[l->n++] = p;
        return;
    }
    if (span(&p) <= span(&l->at[0]))
        l->at[0] = p;
    l->at[1] = l->at[2];
    l->at[2] = p;
}

/* The last time that something was touched: by whom, and where. */
typedef struct {
    uint32_t thread; /* + 1; 0: nobody */
    size_t place;
} last_touch;

static void scan(finder *f, const au_contacts *t) {
    last_touch *strong = au_alloc_array(t->keys + 1, sizeof *strong);
    last_touch *weak = au_alloc_array(t->keys + 1, sizeof *weak);
    for (size_t i = 0; i + 1 < t->first.n; i++) {
        uint32_t thread = f->m->step.at[f->m->observed.at[i]].thread + 1;
        for (size_t k = t->first.at[i]; k < t->first.at[i + 1]; k++) {
            au_contact x = t->touch.at[k];
            if (strong[x.key].thread && strong[x.key].thread != thread)
                note(f, strong[x.key].place, i);
            if (x.strong && weak[x.key].thread && weak[x.key].thread != thread)
                note(f, weak[x.key].place, i);
            *(x.strong ? &strong[x.key] : &weak[x.key]) = (last_touch){thread, i};
        }
    }
    free(strong);
    free(weak);
}

static int by_span(const void *a, const void *b) {
    const au_meeting *x = a, *y = b;
    if (span(x) != span(y))
        return span(x) < span(y) ? -1 : 1;
    return x->low > y->low ? -1 : x->low < y->low;
}

void au_meetings_of(const au_model *m, const au_contacts *t, au_meetings *into) {
    finder f = {.m = m};
    au_map_init(&f.alike);
    scan(&f, t);
    for (size_t i = 0; i < f.found.n; i++)
        for (uint32_t k = 0; k < f.found.at[i].n; k++)
            au_vec_push(into, f.found.at[i].at[k]);
    if (into->n)
        qsort(into->at, into->n, sizeof *into->at, by_span);
    au_map_release(&f.alike);
    au_vec_release(&f.found);
}
