/* solve/cssa_terms.c: the vocabulary of properties. */
#include "solve/cssa_priv.h"

au_term au_cssa_free_name(au_cssa *c) {
    return au_cssa_name_term(c, au_cssa_add_name(c, AU_NAME_FREE, 1, 0, 0));
}

au_term au_cssa_before(au_cssa *c, uint32_t a, uint32_t b) {
    const au_cssa_event *x = &c->event.at[a], *y = &c->event.at[b];
    if (x->thread == y->thread)
        return au_term_bool(c->terms, x->place < y->place);
    if (!x->ordered) {
        if (x->anchor == AU_NONE)
            return au_term_bool(c->terms, true);
        a = x->anchor;
    }
    if (!y->ordered) {
        if (y->anchor == AU_NONE)
            return au_term_bool(c->terms, false);
        b = y->anchor;
    }
    if (au_cssa_must(c, a, b))
        return au_term_bool(c->terms, true);
    if (au_cssa_must(c, b, a))
        return au_term_bool(c->terms, false);
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    bool fresh;
    uint64_t *name = au_map_put(&c->pair, au_key2(low, high), &fresh);
    if (fresh)
        *name = au_cssa_add_name(c, AU_NAME_BEFORE, 1, low, high);
    au_term t = au_cssa_name_term(c, (uint32_t)*name);
    return a < b ? t : au_term_not(c->terms, t);
}

au_term au_cssa_sees(au_cssa *c, uint32_t read, uint32_t writer) {
    const au_cssa_read *r = &c->read.at[read];
    for (uint32_t i = 0; i < r->writer.n; i++)
        if (r->writer.at[i] == writer) {
            bool fresh;
            uint64_t *name = au_map_put(&c->sees, au_key2(read, i), &fresh);
            if (fresh)
                *name = au_cssa_add_name(c, AU_NAME_SEES, 1, read, i);
            return au_cssa_name_term(c, (uint32_t)*name);
        }
    return au_term_bool(c->terms, false);
}

uint32_t au_cssa_read_of(const au_cssa *c, uint32_t event, uint32_t var) {
    const au_cssa_event *e = &c->event.at[event];
    for (uint32_t i = 0; i < e->n_reads; i++)
        if (c->read.at[e->first_read + i].var == var)
            return e->first_read + i;
    return AU_NONE;
}

uint32_t au_cssa_final(au_cssa *c, uint32_t var) {
    if (c->final_read[var] == AU_NONE) {
        bool valued = !au_ignores_values(c) || c->m->var.at[var].kind == AU_VAR_SYNC;
        uint32_t read = (uint32_t)c->read.n;
        au_cssa_read r = {.event = AU_FINAL, .var = var, .name = AU_NONE};
        if (valued)
            r.name = au_cssa_add_name(c, AU_NAME_READ, c->m->var.at[var].width, read, 0);
        au_cssa_find_final_writers(c, &r);
        au_vec_push(&c->read, r);
        c->final_read[var] = read;
    }
    return c->final_read[var];
}

au_term au_cssa_final_value(au_cssa *c, uint32_t var) {
    if (!c->stores[var].n)
        return au_term_const(c->terms, c->m->var.at[var].width, c->m->var.at[var].init);
    uint32_t read = au_cssa_final(c, var), name = c->read.at[read].name;
    AU_BUG_IF(name == AU_NONE);
    return au_cssa_name_term(c, name);
}

au_term au_cssa_reaches(au_cssa *c, uint32_t thread, uint32_t node) {
    uint32_t n = c->reach[thread][node];
    return n == UINT32_MAX ? au_term_bool(c->terms, false) : (au_term){n};
}

au_term au_cssa_started(au_cssa *c, uint32_t thread) {
    uint32_t var = c->m->thread.at[thread].started;
    if (var == AU_NONE || au_ignores_sync(c) || c->m->var.at[var].init) /* a window: long since */
        return au_term_bool(c->terms, true);
    au_term *t = &c->more->started[thread];
    if (t->n == UINT32_MAX) {
        *t = au_term_bool(c->terms, false);
        for (size_t i = 0; i < c->stores[var].n; i++)
            *t = au_term_or(c->terms, *t, au_cssa_stored(c, c->stores[var].at[i]));
    }
    return *t;
}

au_term au_cssa_stands(au_cssa *c, uint32_t thread, uint32_t node) {
    const au_thread *th = &c->m->thread.at[thread];
    au_term t = au_cssa_reaches(c, thread, node);
    if (node == th->entry)
        t = au_term_and(c->terms, t, au_cssa_started(c, thread));
    for (size_t i = 0; i < th->node.at[node].out.n; i++) {
        uint32_t e = c->event_of[th->node.at[node].out.at[i]];
        if (e != AU_NONE)
            t = au_term_and(c->terms, t, au_term_not(c->terms, c->event.at[e].exec));
    }
    return t;
}

au_term au_cssa_complete(au_cssa *c) {
    au_terms *t = c->terms;
    au_term all = au_term_bool(t, true);
    for (uint32_t i = 0; i < c->m->thread.n; i++)
        all = au_term_and(t, all,
                          au_cssa_implies(c, au_cssa_started(c, i),
                                          au_cssa_reaches(c, i, c->m->thread.at[i].exit)));
    return all;
}

au_term au_cssa_no_spurious(au_cssa *c) {
    au_term none = au_term_bool(c->terms, true);
    for (uint32_t e = 0; e < c->event.n && !au_ignores_sync(c); e++) {
        const au_step *s = &c->m->step.at[c->event.at[e].step];
        if (s->spurious && !s->timed)
            none = au_term_and(c->terms, none, au_term_not(c->terms, c->event.at[e].exec));
    }
    return none;
}

au_term au_cssa_at_end(au_cssa *c, uint32_t event, au_term guard) {
    const au_cssa_event *e = &c->event.at[event];
    size_t n = c->name.n;
    au_term *map = au_alloc_array(n + 1, sizeof *map);
    memset(map, 0xff, n * sizeof *map);
    for (uint32_t i = 0; i < e->n_reads; i++) {
        au_cssa_read r = c->read.at[e->first_read + i];
        if (r.name != AU_NONE)
            map[r.name] = au_cssa_final_value(c, r.var);
    }
    au_term x = au_term_substitute(c->terms, guard, map, n);
    free(map);
    return x;
}
