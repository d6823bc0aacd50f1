/* report/dossier_model.c: the order in which a finding of a model happens, and the model's own run.
 * Models are small: of a long order the end is kept. */
#include "report/dossier_priv.h"

#include "report/case_words.h"

#include <stdlib.h>

typedef struct {
    au_dossier_maker *k;
    const au_finding *f;
    const au_case *c;
    bool observed;
    au_map seen; /* thread and index -> place in f->seen + 1 */
} teller;

static uint64_t key(uint32_t thread, uint64_t index) {
    return au_hash_join(thread, index);
}

/* The variable of a step that the finding is about, if the step has it. */
static uint32_t var_of(const teller *t, const au_step *s) {
    const au_model_view *v = t->k->view;
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (!au_case_is_about_lock(t->c) && v->var[s->access[i].var] == t->f->obj)
            return s->access[i].var;
    return AU_NONE;
}

static uint32_t decisive(const teller *t, uint32_t thread, uint64_t index, uint64_t number) {
    for (uint32_t i = 0; i < t->f->n_events; i++) {
        const au_event_ref *e = &t->f->event[i];
        if (e->thread == thread && (t->observed ? e->number == number : e->index == index))
            return i + 1;
    }
    return 0;
}

static void put_value(const teller *t, const au_event_ref *e, au_case_event *c) {
    const uint64_t *at = au_map_find(&t->seen, key(e->thread, e->index));
    for (uint64_t i = at ? *at : 0; i-- > 0 && !c->has_value;) {
        const au_access_seen *a = &t->f->seen[i];
        if (a->thread != e->thread || a->index != e->index)
            break;
        c->has_value = a->var == e->obj && au_op_is_access(e->op);
        c->value = a->value;
    }
    if (!c->has_value)
        c->value = 0;
}

static void write_down(const teller *t, const uint32_t *step, size_t n, size_t most,
                       au_case_events *to) {
    const au_model *m = t->k->view->m;
    uint64_t *done = au_alloc_array(m->thread.n, sizeof *done);
    size_t from = n > most ? n - most : 0;
    for (size_t i = 0; i < n; i++) {
        const au_step *s = &m->step.at[step[i]];
        uint64_t index = ++done[s->thread];
        if (i < from)
            continue;
        au_event_ref e;
        au_event_text text;
        au_model_view_event(t->k->view, step[i], index, var_of(t, s), &e, &text);
        au_case_event c = au_dossier_event(t->k, &e, &text);
        c.decisive = decisive(t, s->thread, index, i);
        c.skipped = i == from ? from : 0;
        if (!t->observed)
            put_value(t, &e, &c);
        au_vec_push(to, c);
    }
    free(done);
}

static bool is_in(const au_case_events *v, uint32_t which) {
    for (size_t i = 0; i < v->n; i++)
        if (v->at[i].decisive == which)
            return true;
    return false;
}

void au_dossier_model_orders(au_dossier_maker *k, const au_finding *f, au_case *c, size_t steps) {
    const au_model *m = k->view->m;
    teller t = {.k = k, .f = f, .c = c};
    au_map_init(&t.seen);
    for (uint32_t i = 0; i < f->n_seen; i++)
        *au_map_put(&t.seen, key(f->seen[i].thread, f->seen[i].index), NULL) = i + 1;
    if (f->n_steps) {
        write_down(&t, f->step, f->n_steps, steps, &c->witness);
        c->witness_left_out = f->n_steps > steps ? f->n_steps - steps : 0;
        for (uint32_t i = 0; i < f->n_events; i++) /* they come next */
            if (!is_in(&c->witness, i + 1))
                au_vec_push(&c->witness, c->event.at[i]);
    }
    t.observed = true;
    write_down(&t, m->observed.at, m->observed.n, steps, &c->observed);
    c->observed_left_out = m->observed.n > steps ? m->observed.n - steps : 0;
    au_map_release(&t.seen);
}
