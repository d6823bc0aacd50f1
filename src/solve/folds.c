/* solve/folds.c: finding them. */
#include "solve/folds.h"

#include "base/bits.h"
#include "base/error.h"

/* The term is a read of the variable that is written, by the same thread. */
static bool is_own_read(const au_cssa *c, au_term x, uint32_t var, uint32_t event, uint32_t *read) {
    if (au_term_kind(c->terms, x) != AU_T_VAR)
        return false;
    const au_name *n = &c->name.at[au_term_var(c->terms, x)];
    if (n->kind != AU_NAME_READ)
        return false;
    const au_cssa_read *r = &c->read.at[n->a];
    *read = n->a;
    return r->var == var && r->event != AU_FINAL &&
           c->event.at[r->event].thread == c->event.at[event].thread;
}

/* The write is what was read plus a constant. */
static bool adds(const au_cssa *c, const au_cssa_write *w, uint32_t event, uint32_t *read,
                 au_fold *by) {
    const au_terms *t = c->terms;
    au_term x = w->value;
    if (x.n == UINT32_MAX)
        return false;
    by->add = 0;
    au_term_op op = au_term_kind(t, x);
    if (op == AU_T_ADD || op == AU_T_SUB) {
        au_term a = au_term_kid(t, x, 0), b = au_term_kid(t, x, 1);
        if (op == AU_T_ADD && au_term_is_const(t, a)) {
            au_term swap = a;
            a = b;
            b = swap;
        }
        if (!au_term_is_const(t, b))
            return false;
        by->add = op == AU_T_ADD ? au_term_value(t, b) : -au_term_value(t, b);
        x = a;
    }
    return is_own_read(c, x, w->var, event, read);
}

enum { DEEPEST = 16 };

/* A term of operations on single bits, over one read and constants: what it is where the read's
 * bits are 0 and where they are 1. false: it is something else. */
static bool bitwise(const au_cssa *c, au_term x, uint32_t var, uint32_t event, uint32_t *read,
                    uint64_t of[2], int depth) {
    const au_terms *t = c->terms;
    uint64_t a[2], b[2];
    uint32_t mine;
    switch (au_term_kind(t, x)) {
    case AU_T_CONST:
        of[0] = of[1] = au_term_value(t, x);
        return true;
    case AU_T_VAR:
        of[0] = 0;
        of[1] = UINT64_MAX;
        if (!is_own_read(c, x, var, event, &mine) || (*read != AU_NONE && *read != mine))
            return false;
        *read = mine;
        return true;
    case AU_T_NOT:
        if (!depth || !bitwise(c, au_term_kid(t, x, 0), var, event, read, a, depth - 1))
            return false;
        of[0] = ~a[0];
        of[1] = ~a[1];
        return true;
    case AU_T_AND:
    case AU_T_OR:
    case AU_T_XOR:
        if (!depth || !bitwise(c, au_term_kid(t, x, 0), var, event, read, a, depth - 1) ||
            !bitwise(c, au_term_kid(t, x, 1), var, event, read, b, depth - 1))
            return false;
        for (int i = 0; i < 2; i++)
            of[i] = au_term_kind(t, x) == AU_T_AND  ? a[i] & b[i]
                    : au_term_kind(t, x) == AU_T_OR ? a[i] | b[i]
                                                    : a[i] ^ b[i];
        return true;
    default:
        return false;
    }
}

/* The write sets, clears and turns bits of what was read, and keeps the others; a constant does
 * so without reading. */
static bool changes_bits(const au_cssa *c, const au_cssa_write *w, uint32_t event, uint32_t *read,
                         au_fold *by) {
    uint64_t of[2], mask = au_mask(c->m->var.at[w->var].width);
    *read = AU_NONE;
    if (w->value.n == UINT32_MAX || !bitwise(c, w->value, w->var, event, read, of, DEEPEST))
        return false;
    by->set = of[0] & of[1] & mask;
    by->clear = ~of[0] & ~of[1] & mask;
    by->turn = of[0] & ~of[1] & mask;
    return true;
}

/* No store of the same thread between the read and the write. */
static bool is_last_read(const au_cssa *c, uint32_t var, uint32_t read_event, uint32_t event) {
    for (size_t i = 0; i < c->stores[var].n; i++) {
        uint32_t e = c->stores[var].at[i];
        if (e >= read_event && e < event) /* events of a thread stand by place */
            return false;
    }
    return true;
}

enum { BASES = 8 }; /* more than so many are no exceptions */

typedef struct {
    uint32_t event, read_event;
    bool base;
} step;

/* It is over before any of the others begins, or begins when all are over. */
static bool is_beyond(const au_cssa *c, const step *b, const step *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool same = c->event.at[s[i].event].thread == c->event.at[b->event].thread;
        if (s[i].base || s[i].event == s[i].read_event)
            continue;
        if (same ? c->event.at[b->event].place > c->event.at[s[i].read_event].place &&
                       c->event.at[b->event].place < c->event.at[s[i].event].place
                 : !au_cssa_must(c, b->event, s[i].read_event) &&
                       !au_cssa_must(c, s[i].event, b->event))
            return false;
    }
    return true;
}

/* The lock covers all of them, but for bases where nobody else is. What it does not cover becomes a base, if bases are
 * allowed; how many there are then, SIZE_MAX: it is no such lock. */
static size_t covered_by(const au_mutexes *x, uint32_t obj, bool may_be_base, step *s, size_t n) {
    size_t bases = 0;
    for (size_t i = 0; i < n; i++) {
        bool atomic = s[i].event == s[i].read_event;
        if (!s[i].base && !atomic && !au_mutexes_cover(x, obj, s[i].read_event, s[i].event)) {
            if (!may_be_base)
                return SIZE_MAX;
            s[i].base = true;
            s[i].read_event = s[i].event;
        }
        bases += s[i].base;
    }
    for (size_t i = 0; i < n; i++)
        if (!au_mutexes_cover(x, obj, s[i].event, s[i].event) &&
            !(s[i].base && is_beyond(x->c, &s[i], s, n)))
            return SIZE_MAX;
    return bases;
}

/* Some lock covers all of them. */
static bool have_common_lock(const au_mutexes *x, bool may_be_base, step *s, size_t n) {
    step *try = au_alloc_array(n + 1, sizeof *try);
    bool found = false;
    for (uint32_t obj = 0; obj < x->c->m->obj.n && !found; obj++) {
        if (!x->well_used[obj])
            continue;
        memcpy(try, s, n * sizeof *try);
        size_t bases = covered_by(x, obj, may_be_base, try, n);
        found = bases != SIZE_MAX && bases <= BASES && 2 * bases <= n;
    }
    if (found)
        memcpy(s, try, n * sizeof *try);
    free(try);
    return found;
}

typedef bool fold_fn(const au_cssa *c, const au_cssa_write *w, uint32_t event, uint32_t *read,
                     au_fold *by);

/* The write of this variable by this event. */
static uint32_t write_of(const au_cssa *c, uint32_t event, uint32_t var) {
    const au_cssa_event *e = &c->event.at[event];
    for (uint32_t k = 0; k < e->n_writes; k++)
        if (c->write.at[e->first_write + k].var == var)
            return e->first_write + k;
    return AU_NONE;
}

/* Every store of the variable is of this form (or, of a sum, one of few that are not), and none is ever
 * lost. */
static bool is_fold(au_folds *s, const au_cssa *c, const au_mutexes *x, uint32_t var,
                    fold_fn *form) {
    AU_VEC(step) steps = {0};
    bool good = c->stores[var].n > 0, apart = false;
    uint64_t set = 0, clear = 0, turn = 0;
    size_t bases = 0;
    for (size_t i = 0; i < c->stores[var].n && good; i++) {
        uint32_t event = c->stores[var].at[i], read = AU_NONE, at = write_of(c, event, var);
        const au_cssa_event *e = &c->event.at[event];
        /* An assert that stores only if it holds: what was stored would depend on what is read, and
         * what is read on what was stored. */
        good = at != AU_NONE && au_term_same(e->passes, e->exec);
        if (!good)
            break;
        s->by[at] = (au_fold){0};
        bool fits = form(c, &c->write.at[at], event, &read, &s->by[at]);
        uint32_t from = read == AU_NONE ? event : c->read.at[read].event;
        fits = fits && (from == event ||
                        (c->event.at[from].place < e->place && is_last_read(c, var, from, event)));
        if (!fits) {
            s->by[at] = (au_fold){.base = true};
            from = event;
            good = form == adds && ++bases <= BASES;
        }
        set |= s->by[at].set;
        clear |= s->by[at].clear;
        turn |= s->by[at].turn;
        apart |= from != event;
        au_vec_push(&steps, ((step){event, from, !fits}));
    }
    good = good && !(set & clear) && !(set & turn) && !(clear & turn) && 2 * bases <= steps.n &&
           (!apart || have_common_lock(x, form == adds, steps.at, steps.n));
    for (size_t i = 0; i < steps.n && good; i++)
        if (steps.at[i].base)
            s->by[write_of(c, steps.at[i].event, var)] = (au_fold){.base = true};
    au_vec_release(&steps);
    return good;
}

void au_folds_make(au_folds *s, const au_cssa *c, const au_mutexes *x, bool look) {
    s->kind = au_alloc_array(c->m->var.n + 1, sizeof *s->kind);
    s->by = au_alloc_array(c->write.n + 1, sizeof *s->by);
    for (uint32_t v = 0; v < c->m->var.n && look; v++)
        s->kind[v] = c->m->var.at[v].kind == AU_VAR_LOCAL ? AU_FOLD_NONE
                     : is_fold(s, c, x, v, adds)          ? AU_FOLD_SUM
                     : is_fold(s, c, x, v, changes_bits)  ? AU_FOLD_BITS
                                                          : AU_FOLD_NONE;
}

void au_folds_release(au_folds *s) {
    free(s->kind);
    free(s->by);
}
