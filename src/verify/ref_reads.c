/* verify/ref_reads.c: what a read sees. */
#include "verify/ref.h"

#include "base/alloc.h"

#include <string.h>

/* --- writers ---------------------------------------------------------------------------- */

bool au_ref_precedes(const au_ref *r, uint32_t a, uint32_t b) {
    const au_ref_event *x = &r->event.at[a], *y = &r->event.at[b];
    return x->thread == y->thread ? x->place < y->place : au_ref_must(r, a, b);
}

/* Some store that is executed whenever the read is comes after w (AU_REF_INITIAL: any) and before it. */
static bool overwritten(const au_ref *r, const au_ref_read *d, uint32_t w) {
    const au_ref_list *stores = &r->stores[d->var];
    for (size_t i = 0; i < stores->n; i++) {
        uint32_t s = stores->at[i];
        if (s != w && s != d->event && au_ref_sure(r, s) && au_ref_precedes(r, s, d->event) &&
            (w == AU_REF_INITIAL || au_ref_precedes(r, w, s)))
            return true;
    }
    return false;
}

static void find_writers(const au_ref *r, au_ref_read *d) {
    bool end = d->event == AU_REF_END;
    if (end || !overwritten(r, d, AU_REF_INITIAL))
        au_vec_push(&d->writer, AU_REF_INITIAL);
    for (size_t i = 0; i < r->stores[d->var].n; i++) {
        uint32_t w = r->stores[d->var].at[i];
        if (end || (w != d->event && !au_ref_precedes(r, d->event, w) && !overwritten(r, d, w)))
            au_vec_push(&d->writer, w);
    }
}

/* --- sees --------------------------------------------------------------------------------- */

int au_ref_stored(au_ref *r, uint32_t event) {
    return au_ref_bool(r, r->event.at[event].passes);
}

/* Rule R3: a store that has happened by the read has happened by the write that is seen. */
static void none_between(au_ref *r, uint32_t read, uint32_t i) {
    au_ref_read d = r->read.at[read];
    uint32_t w = d.writer.at[i];
    d.between[i] = true;
    for (size_t k = 0; k < r->stores[d.var].n; k++) {
        uint32_t s = r->stores[d.var].at[k];
        if (s == w || s == d.event)
            continue;
        bool end = d.event == AU_REF_END;
        /* O2: before an executed event, and certain: it is executed */
        int has = !end && au_ref_sure(r, s) ? AU_CNF_TRUE : au_ref_stored(r, s);
        int by_read = end ? AU_CNF_TRUE : au_ref_before(r, s, d.event);
        int by_write = w == AU_REF_INITIAL ? AU_CNF_FALSE : au_ref_before(r, s, w);
        AU_CNF_CLAUSE(&r->cnf, -d.sees[i], -has, -by_read, by_write);
    }
}

const int *au_ref_sees(au_ref *r, uint32_t read) {
    if (r->read.at[read].sees)
        return r->read.at[read].sees;
    au_ref_read d = r->read.at[read];
    find_writers(r, &d);
    size_t n = d.writer.n;
    int exec = d.event == AU_REF_END ? AU_CNF_TRUE : r->event.at[d.event].lit;
    d.sees = au_alloc_array(n + 1, sizeof *d.sees);
    d.between = au_alloc_array(n + 1, sizeof *d.between);
    int *some = au_alloc_array(n + 1, sizeof *some);
    for (size_t i = 0; i < n; i++)
        some[i] = d.sees[i] = n == 1 ? exec : au_cnf_new(&r->cnf);
    some[n] = -exec;
    r->read.at[read] = d; /* what follows may add reads */
    if (n != 1)
        au_cnf_add(&r->cnf, some, n + 1); /* R1 */
    free(some);
    for (size_t i = 0; i < n; i++) {
        uint32_t w = d.writer.at[i];
        AU_CNF_CLAUSE(&r->cnf, -d.sees[i], exec);
        if (w != AU_REF_INITIAL) { /* R2 */
            AU_CNF_CLAUSE(&r->cnf, -d.sees[i], au_ref_stored(r, w));
            int before = d.event == AU_REF_END ? AU_CNF_TRUE : au_ref_before(r, w, d.event);
            AU_CNF_CLAUSE(&r->cnf, -d.sees[i], before);
        }
        if (r->stores[d.var].n <= AU_REF_EAGER || w == AU_REF_INITIAL || d.event == AU_REF_END)
            none_between(r, read, (uint32_t)i);
    }
    return d.sees;
}

bool au_ref_add(au_ref *r, const au_ref_lemma *l) {
    if (l->rule == AU_REF_BETWEEN) {
        if (l->a >= r->read.n || !r->read.at[l->a].sees || l->b >= r->read.at[l->a].writer.n ||
            r->read.at[l->a].between[l->b])
            return false;
        none_between(r, l->a, l->b);
        au_ref_link(r);
        return true;
    }
    const uint32_t e[3] = {l->a, l->b, l->c};
    for (int i = 0; i < 3; i++)
        if (e[i] >= r->event.n || !r->event.at[e[i]].ordered)
            return false;
    if (e[0] == e[1] || e[1] == e[2] || e[0] == e[2])
        return false;
    int ab = au_ref_before(r, l->a, l->b), bc = au_ref_before(r, l->b, l->c);
    int ac = au_ref_before(r, l->a, l->c);
    AU_CNF_CLAUSE(&r->cnf, -ab, -bc, ac);
    return true;
}

uint32_t au_ref_end(au_ref *r, uint32_t var) {
    if (r->end_read[var] == AU_NONE) {
        uint32_t name =
            au_ref_add_name(r, AU_REF_READ, r->m->var.at[var].width, (uint32_t)r->read.n);
        r->end_read[var] = (uint32_t)r->read.n;
        au_vec_push(&r->read, ((au_ref_read){.event = AU_REF_END, .var = var, .name = name}));
    }
    return r->end_read[var];
}

/* --- values -------------------------------------------------------------------------------- */

au_term au_ref_written(const au_ref *r, uint32_t event, uint32_t var, uint32_t *at) {
    const au_ref_event *e = &r->event.at[event];
    for (uint32_t i = 0; i < e->n_writes; i++)
        if (r->write.at[e->first_write + i].var == var) {
            *at = e->first_write + i;
            return r->write.at[*at].value;
        }
    AU_BUG_IF(true);
    return (au_term){UINT32_MAX};
}

/* Rule R4: the value of a read is that of the write it sees. */
static void link_value(au_ref *r, uint32_t read) {
    const int *sees = au_ref_sees(r, read);
    au_ref_read d = r->read.at[read];
    unsigned width = r->m->var.at[d.var].width;
    int mine[64], theirs[64];
    au_ref_bits(r, au_term_of_var(r->terms, d.name, width), mine);
    for (size_t i = 0; i < d.writer.n; i++) {
        uint32_t at;
        au_term v = {UINT32_MAX};
        if (d.writer.at[i] != AU_REF_INITIAL) {
            v = au_ref_written(r, d.writer.at[i], d.var, &at);
            if (v.n == UINT32_MAX)
                continue;
            au_ref_bits(r, v, theirs);
        }
        for (unsigned k = 0; k < width; k++) {
            if (v.n == UINT32_MAX)
                theirs[k] = r->m->var.at[d.var].init >> k & 1 ? AU_CNF_TRUE : AU_CNF_FALSE;
            AU_CNF_CLAUSE(&r->cnf, -sees[i], -mine[k], theirs[k]);
            AU_CNF_CLAUSE(&r->cnf, -sees[i], mine[k], -theirs[k]);
        }
    }
}

void au_ref_link(au_ref *r) {
    while (r->todo.n)
        link_value(r, au_vec_pop(&r->todo));
}

/* --- names ------------------------------------------------------------------------------------ */

/* Before an executed event: its guard says what the lock is. */
static bool lock_value(const au_ref *r, const au_ref_read *d, uint64_t *value) {
    if (d->event == AU_REF_END || !r->lock_var[d->var])
        return false;
    const au_step *s = &r->m->step.at[r->event.at[d->event].step];
    for (uint32_t i = 0; i < s->n_updates; i++)
        if (s->update[i].var == d->var)
            *value = au_term_value(r->m->terms, s->update[i].value) ? 0 : s->thread + 1;
    return true;
}

void au_ref_variable(au_ref *r, uint32_t name, unsigned width, int *into) {
    au_ref_name n = r->name.at[name];
    uint64_t value = 0;
    switch (n.kind) {
    case AU_REF_EXEC:
        into[0] = r->event.at[n.of].lit;
        return;
    case AU_REF_READ:
        if (lock_value(r, &r->read.at[n.of], &value)) {
            for (unsigned i = 0; i < width; i++)
                into[i] = value >> i & 1 ? AU_CNF_TRUE : AU_CNF_FALSE;
            return;
        }
        if (au_ref_is_folded(r, n.of)) {
            au_ref_fold(r, n.of, width, into);
            return;
        }
        au_vec_push(&r->todo, n.of);
        break;
    case AU_REF_HAVOC:
        break;
    default:
        AU_BUG_IF(true);
    }
    for (unsigned i = 0; i < width; i++)
        into[i] = au_cnf_new(&r->cnf);
}
