/* model/symbolic.c: knowledge beside a trace: made empty, and released. */
#include "model/symbolic.h"

void au_symbolic_init(au_symbolic *s, const au_trace *t) {
    *s = (au_symbolic){.trace = t, .until = AU_NONE};
    s->terms = au_terms_new();
    au_intern_init(&s->strings);
    au_map_init(&s->freed);
    au_bitset_init(&s->symbolic, t->events.n);
    au_bitset_init(&s->init_known, t->names.var.n);
    s->init = au_alloc_array(t->names.var.n, sizeof *s->init);
    s->write = au_alloc_array(t->events.n, sizeof *s->write);
    for (size_t i = 0; i < t->events.n; i++)
        s->write[i] = AU_NO_TERM;
}

void au_symbolic_release(au_symbolic *s) {
    au_terms_free(s->terms);
    au_intern_release(&s->strings);
    au_map_release(&s->freed);
    au_bitset_release(&s->symbolic);
    au_bitset_release(&s->init_known);
    free(s->init);
    free(s->write);
    au_vec_release(&s->fact);
    au_vec_release(&s->elsewhere);
    au_vec_release(&s->decided);
    au_vec_release(&s->pinned);
    au_vec_release(&s->waiting);
    au_vec_release(&s->round);
    *s = (au_symbolic){0};
}
