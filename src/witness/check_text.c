/* witness/check_text.c: reasons for a person. Long names are cut. */
#include "witness/check_priv.h"

#include <stdio.h>

bool au_witness_no(char *why, size_t size, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, size, fmt, ap);
    va_end(ap);
    return false;
}

static au_wtext name(const au_intern *names, uint32_t id) {
    enum { LONGEST = 24 };
    au_wtext x = {{0}};
    size_t n = au_intern_len(names, id);
    for (size_t i = 0; i < n && i < LONGEST; i++) {
        unsigned char b = (unsigned char)au_intern_str(names, id)[i];
        x.s[i] = b < ' ' || b == 127 ? '?' : (char)b;
    }
    if (n > LONGEST)
        memcpy(x.s + LONGEST - 3, "...", 3);
    return x;
}

au_wtext au_witness_thread_name(const au_checker *c, uint32_t thread) {
    return name(&c->t->names.thread, thread);
}

au_wtext au_witness_event_text(const au_checker *c, uint32_t e) {
    const au_columns *x = &c->t->events;
    const au_intern *space = au_names_space_const(&c->t->names, au_op_space(x->op[e]));
    uint64_t low = c->first[x->thread[e]], high = c->first[x->thread[e] + 1];
    while (high - low > 1) {
        uint64_t mid = low + (high - low) / 2;
        *(c->order[mid] <= e ? &low : &high) = mid;
    }
    au_wtext what = {{0}};
    if (space && x->obj[e] < space->n)
        what = name(space, x->obj[e]);
    au_wtext r;
    snprintf(r.s, sizeof r.s, "event %llu %s(%s)",
             (unsigned long long)au_hooks_of(&c->t->hooks, x->thread[e],
                                             low - c->first[x->thread[e]] + 1),
             au_op_name(x->op[e]), what.s);
    return r;
}

au_wtext au_witness_whose_event(const au_checker *c, uint32_t e) {
    au_wtext r;
    snprintf(r.s, sizeof r.s, "%.24s's %.66s", AU_THREAD_(c, c->t->events.thread[e]),
             AU_EVENT_(c, e));
    return r;
}
