/* solve/sums.c: finding sums. */
#include "solve/sums.h"

#include "base/error.h"

/* The write is what a read of the variable, in the same thread, saw, plus a constant. */
static bool adds(const au_cssa *c, const au_cssa_write *w, uint32_t event, uint32_t *read,
                 uint64_t *add) {
    const au_terms *t = c->terms;
    au_term x = w->value;
    if (x.n == UINT32_MAX)
        return false;
    *add = 0;
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
        *add = op == AU_T_ADD ? au_term_value(t, b) : -au_term_value(t, b);
        x = a;
    }
    if (au_term_kind(t, x) != AU_T_VAR)
        return false;
    const au_name *n = &c->name.at[au_term_var(t, x)];
    if (n->kind != AU_NAME_READ)
        return false;
    *read = n->a;
    const au_cssa_read *r = &c->read.at[n->a];
    return r->var == w->var && r->event != AU_FINAL &&
           c->event.at[r->event].thread == c->event.at[event].thread;
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

typedef struct {
    uint32_t event, read_event;
} step;

/* Some lock covers all of them. */
static bool have_common_lock(const au_mutexes *x, const step *s, size_t n) {
    for (uint32_t obj = 0; obj < x->c->m->obj.n; obj++) {
        bool all = x->well_used[obj];
        for (size_t i = 0; i < n && all; i++)
            all = au_mutexes_cover(x, obj, s[i].read_event, s[i].event);
        if (all)
            return true;
    }
    return false;
}

static bool check_var(au_sums *s, const au_cssa *c, const au_mutexes *x, uint32_t var) {
    AU_VEC(step) steps = {0};
    bool good = c->stores[var].n > 0, apart = false;
    for (size_t i = 0; i < c->stores[var].n && good; i++) {
        uint32_t event = c->stores[var].at[i], read = AU_NONE, at = AU_NONE;
        const au_cssa_event *e = &c->event.at[event];
        for (uint32_t k = 0; k < e->n_writes; k++)
            if (c->write.at[e->first_write + k].var == var)
                at = e->first_write + k;
        good = at != AU_NONE && adds(c, &c->write.at[at], event, &read, &s->add[at]);
        if (!good)
            break;
        uint32_t from = c->read.at[read].event;
        apart |= from != event;
        good = from == event ||
               (c->event.at[from].place < e->place && is_last_read(c, var, from, event));
        au_vec_push(&steps, ((step){event, from}));
    }
    good = good && (!apart || have_common_lock(x, steps.at, steps.n));
    au_vec_release(&steps);
    return good;
}

void au_sums_make(au_sums *s, const au_cssa *c, const au_mutexes *x, bool look) {
    s->is_sum = au_alloc_array(c->m->var.n + 1, sizeof *s->is_sum);
    s->add = au_alloc_array(c->write.n + 1, sizeof *s->add);
    for (uint32_t v = 0; v < c->m->var.n; v++)
        s->is_sum[v] = look && c->m->var.at[v].kind != AU_VAR_LOCAL && check_var(s, c, x, v);
}

void au_sums_release(au_sums *s) {
    free(s->is_sum);
    free(s->add);
}
