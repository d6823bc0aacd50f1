/* retrace/private.c: memory that makes no events: local variables that only their function
 * sees, private thread-local ones, constants. It lies in a memory of the interpreter's own. */
#include "retrace/retrace_priv.h"

#define RANGE_MOST                                                                                 \
    (UINT64_C(1) << 32) /* copied or set at once: more is a mismatch, which is told */

#define ALL_KNOWN UINT64_C(0x0101010101010101)

void au_retrace_forget_private(au_retracer *x, uint64_t at, uint64_t n) {
    au_shadow_fill(&x->tag, at, 0, n);
    if (x->sym)
        au_sym_forget(x->sym, at, n);
}

void au_retrace_put_private(au_retracer *x, uint64_t at, const void *bytes, uint64_t n) {
    au_shadow_write(&x->memory, at, bytes, n);
    au_shadow_fill(&x->tag, at, 1, n);
    if (x->sym)
        au_sym_forget(x->sym, at, n);
}

void au_retrace_copy_private(au_retracer *x, uint64_t to, uint64_t from, uint64_t n) {
    au_shadow_copy(&x->memory, to, from, n);
    au_shadow_copy(&x->tag, to, from, n);
    if (x->sym)
        au_sym_copy(x->sym, to, from, n);
}

void au_retrace_store_private(au_retracer *x, uint64_t at, unsigned n, unsigned width, au_val v) {
    au_shadow_put(&x->memory, at, n, v.v);
    uint64_t kind = v.m == AU_KNOWN ? 1 : v.m == AU_UNKNOWN ? 0 : 2;
    if (x->sym) {
        uint64_t was = au_shadow_get(&x->tag, at, n);
        if (kind == 2)
            au_sym_store(x->sym, at, n, width, v);
        else if (was & (ALL_KNOWN << 1))
            au_sym_forget(x->sym, at, n);
    }
    au_shadow_put(&x->tag, at, n, kind * ALL_KNOWN);
}

au_val au_retrace_load_private(au_retracer *x, uint64_t at, unsigned n, unsigned width) {
    uint64_t all = n == 8 ? ALL_KNOWN : ALL_KNOWN & ((UINT64_C(1) << 8 * n) - 1);
    uint64_t tag = au_shadow_get(&x->tag, at, n);
    uint64_t bits = au_low_bits(au_shadow_get(&x->memory, at, n), width);
    if (tag == all)
        return (au_val){bits, AU_KNOWN};
    if (((tag | tag >> 1) & all) != all || !x->sym)
        return (au_val){0, AU_UNKNOWN};
    return (au_val){bits, au_sym_load(x->sym, at, n, width, bits)};
}

/* The length of a range, its term pinned. */
au_val au_retrace_length(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i) {
    au_val n = au_retrace_get(x, t, f, i->c);
    if (n.m > AU_UNKNOWN) {
        au_retrace_stand(x, t, f);
        au_sym_pin(x->sym, n, i->width, "the length of a copy");
        n.m = AU_KNOWN;
    }
    return n;
}

static void set_private(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i,
                        uint64_t at, uint64_t n) {
    au_val byte = au_retrace_get(x, t, f, i->b);
    if (byte.m > AU_UNKNOWN) {
        au_retrace_stand(x, t, f);
        au_sym_pin(x->sym, byte, 8, "set memory");
        byte.m = AU_KNOWN;
    }
    au_shadow_fill(&x->memory, at, (uint8_t)byte.v, n);
    au_shadow_fill(&x->tag, at, byte.m == AU_KNOWN, n);
    if (x->sym)
        au_sym_forget(x->sym, at, n);
}

static void range_private(au_retracer *x, au_rthread *t, const au_rframe *f,
                          const au_code_insn *i) {
    au_val to = au_retrace_get(x, t, f, i->a), n = au_retrace_length(x, t, f, i);
    if (n.m == AU_UNKNOWN) {
        /* some of its object is written */
        if (to.m != AU_UNKNOWN && au_made_up(to.v))
            au_retrace_forget_private(x, to.v, 1 << 16);
        return;
    }
    if (n.v > RANGE_MOST) {
        au_retrace_wrong(x, t, "a copy of %llu bytes of private memory", (unsigned long long)n.v);
        return;
    }
    if (to.m == AU_UNKNOWN || !n.v)
        return;
    if (i->op == AU_C_SET) {
        set_private(x, t, f, i, to.v, n.v);
        return;
    }
    au_val from = au_retrace_get(x, t, f, i->b);
    if (from.m == AU_UNKNOWN)
        au_retrace_forget_private(x, to.v, n.v);
    else
        au_retrace_copy_private(x, to.v, from.v, n.v);
}

void au_retrace_store_wide_private(au_retracer *x, au_rthread *t, const au_rframe *f,
                                   const au_code_insn *i, uint64_t at) {
    for (uint32_t k = 0; k < au_slots_of(i->aux); k++) {
        unsigned n = i->aux - 8 * k < 8 ? i->aux - 8 * k : 8;
        au_retrace_store_private(x, at + 8 * k, n, 8 * n, au_retrace_part(x, t, f, i->b, k));
    }
}

/* Read-modify-writes of private memory. */
static void rmw_private(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i,
                        uint64_t at) {
    /* nobody writes programs that need more: the result is unknown */
    au_val b = au_retrace_get(x, t, f, i->b), c = {0, AU_KNOWN};
    uint32_t n = au_bytes_of(i->width);
    if (i->op == AU_C_CMPXCHG)
        c = au_retrace_get(x, t, f, i->c);
    if (x->sym) {
        au_retrace_stand(x, t, f);
        if (n && n <= 8)
            au_sym_pin(x->sym, au_retrace_load_private(x, at, n, i->width), i->width,
                       "atomic, private");
        au_sym_pin(x->sym, b, i->width, "atomic, private");
        au_sym_pin(x->sym, c, i->width, "atomic, private");
    }
    au_retrace_forget_private(x, at, n ? n : i->aux);
    uint32_t slots = au_slots_of((n ? n : i->aux) + (i->op == AU_C_CMPXCHG ? 1 : 0));
    if (i->dst != AU_NONE)
        for (uint32_t k = 0; k < slots; k++)
            au_retrace_set(t, f, i->dst + k, (au_val){0, AU_UNKNOWN});
}

void au_retrace_private(au_retracer *x, au_rthread *t, au_rframe *f, const au_code_insn *i) {
    if (x->sym)
        au_retrace_stand(x, t, f); /* what is loaded must be this thread's */
    if (x->rounds && i->op != AU_C_LOAD) {
        au_val to = au_retrace_get(x, t, f, i->a);
        au_spin_wrote(x, t, f, i, to.m == AU_UNKNOWN ? 0 : to.v);
    }
    if (i->op == AU_C_COPY || i->op == AU_C_SET) {
        range_private(x, t, f, i);
        return;
    }
    au_val a = au_retrace_get(x, t, f, i->a);
    unsigned n = au_bytes_of(i->width);
    if (x->sym && a.m > AU_UNKNOWN) { /* which element: not modelled */
        au_retrace_stand(x, t, f);
        au_sym_pin(x->sym, a, 64, "address of private memory");
        a.m = AU_KNOWN;
    }
    switch (i->op) {
    case AU_C_LOAD:
        if (a.m == AU_UNKNOWN) {
            for (uint32_t k = 0; k < (n ? 1 : au_slots_of(i->aux)); k++)
                au_retrace_set(t, f, i->dst + k, (au_val){0, AU_UNKNOWN});
        } else if (n) {
            au_retrace_set(t, f, i->dst, au_retrace_load_private(x, a.v, n, i->width));
        } else {
            for (uint32_t k = 0; k < au_slots_of(i->aux); k++) {
                unsigned part = i->aux - 8 * k < 8 ? i->aux - 8 * k : 8;
                au_retrace_set(t, f, i->dst + k,
                               au_retrace_load_private(x, a.v + 8 * k, part, 8 * part));
            }
        }
        return;
    case AU_C_STORE:
        if (a.m == AU_UNKNOWN) /* segment-relative and the like */
            return;
        if (n)
            au_retrace_store_private(x, a.v, n, i->width, au_retrace_get(x, t, f, i->b));
        else
            au_retrace_store_wide_private(x, t, f, i, a.v);
        return;
    case AU_C_FORGET:
        if (a.m != AU_UNKNOWN && au_made_up(a.v))
            au_retrace_forget_private(x, a.v, i->aux);
        return;
    default:
        rmw_private(x, t, f, i, a.v);
        return;
    }
}

void au_retrace_alloca(au_retracer *x, au_rthread *t, au_rframe *f, const au_code_insn *i) {
    au_val count = au_retrace_get(x, t, f, i->b);
    uint64_t one = f->module->code->immediate[i->aux], n;
    if (count.m > AU_UNKNOWN) {
        au_retrace_stand(x, t, f);
        au_sym_pin(x->sym, count, 64, "the size of a variable");
    }
    if (count.m == AU_UNKNOWN)
        n = 1 << 16;
    else if (__builtin_mul_overflow(one, count.v, &n))
        n = UINT64_MAX;
    uint64_t low = AU_MADE_STACKS + t->number % AU_MADE_THREADS * AU_MADE_STACK;
    if (n > AU_MADE_STACK || t->sp + n + 64 > low + AU_MADE_STACK) {
        au_retrace_cut(x, "local variables larger than any stack");
        return;
    }
    uint64_t at = (t->sp + 15) & ~UINT64_C(15);
    t->sp = at + n + 16; /* one past its end is nobody else's */
    if (n)
        au_retrace_forget_private(x, at, n);
    au_retrace_set(t, f, i->dst, (au_val){at, AU_KNOWN});
}
