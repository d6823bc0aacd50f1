/* retrace/sym_keep.c: updates that write what they read. */
#include "retrace/sym_priv.h"

/* What the thread's facts have decided is decided. */
static au_term decided(const au_sym *s, au_term x) {
    while (au_term_kind(s->t, x) == AU_T_ITE) {
        au_term cond = au_term_kid(s->t, x, 0);
        if (!(s->term.at[cond.n].flags & (AU_SYM_FIXED | AU_SYM_HOLDS)))
            break;
        x = au_term_kid(s->t, x, s->value.at[cond.n] ? 1 : 2);
    }
    return x;
}

/* What the event read, AU_NO_TERM: it was no term. */
static au_term read_by(const au_sym *s, uint32_t event, unsigned *width) {
    const au_names *names = &s->into->trace->names;
    uint32_t var = s->into->trace->events.obj[event];
    *width = var < names->extent.n && names->extent.at[var].n <= 8
                 ? 8 * (unsigned)names->extent.at[var].n
                 : 0;
    if (!*width || !au_bitset_has(&s->into->symbolic, event))
        return AU_NO_TERM;
    au_term x = au_term_of_var(s->t, event, *width);
    return x.n < s->value.n ? x : AU_NO_TERM;
}

/* x and a number added, which is not 0. */
static bool is_more(const au_sym *s, au_term write, au_term x) {
    au_term_op op = au_term_kind(s->t, write);
    if (op != AU_T_ADD && op != AU_T_SUB && op != AU_T_XOR)
        return false;
    au_term a = au_term_kid(s->t, write, 0), b = au_term_kid(s->t, write, 1);
    if (op != AU_T_SUB && au_term_is_const(s->t, a)) {
        au_term c = a;
        a = b;
        b = c;
    }
    return au_term_same(a, x) && au_term_is_const(s->t, b) && au_term_value(s->t, b);
}

/* No pin: the update is made whatever it read. And no branch of the program. */
static void add_fact(au_sym *s, au_term cond, const char *text) {
    if (!au_term_is_true(s->t, cond) && au_sym_fact(s, AU_FACT_ASSUME, cond, text))
        au_vec_last(&s->into->fact).site = 0;
}

bool au_sym_keeps(au_sym *s, uint32_t event) {
    const au_columns *e = &s->into->trace->events;
    au_term write = s->into->write[event];
    bool reads = e->op[event] == AU_OP_READ || e->op[event] == AU_OP_AREAD;
    if (reads && write.n == UINT32_MAX)
        return true;
    unsigned width;
    au_sym_settle(s);
    au_term read = reads || e->op[event] == AU_OP_RMW ? read_by(s, event, &width) : AU_NO_TERM;
    if (read.n == UINT32_MAX || !e->any_value || !e->has_value[event])
        return false;
    if (write.n == UINT32_MAX)
        write = au_term_const(s->t, width, (uint64_t)e->value[event]);
    au_sym_settle(s);
    if (au_term_width(s->t, write) != width)
        return false;
    au_term now = decided(s, write), same = au_term_eq(s->t, now, read);
    bool keeps = s->value.at[write.n] == s->value.at[read.n];
    /* The thread that goes on with something changed is at another place than one that is where it was. */
    if (keeps)
        add_fact(s, same, "an update that changes nothing");
    else if (!is_more(s, now, read))
        add_fact(s, au_term_not(s->t, same), "an update that changes something");
    return keeps;
}
