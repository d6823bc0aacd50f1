/* retrace/slow.c: integer operations whose operands are not all simply known, and the ways
 * that branches take. */
#include "retrace/retrace_priv.h"

/* ---- values ---------------------------------------------------------------------------------- */

static bool divide(au_code_op op, unsigned width, uint64_t a, uint64_t b, uint64_t *out) {
    int64_t sa = au_signed(a, width), sb = au_signed(b, width);
    if (!b)
        return false;
    if (sb == -1 && (op == AU_C_SDIV || op == AU_C_SREM)) {
        if (a == UINT64_C(1) << (width - 1))
            return false; /* overflow */
        *out = op == AU_C_SDIV ? -a : 0;
        return true;
    }
    *out = op == AU_C_UDIV   ? a / b
           : op == AU_C_UREM ? a % b
           : op == AU_C_SDIV ? (uint64_t)(sa / sb)
                             : (uint64_t)(sa % sb);
    return true;
}

static uint64_t saturate(au_code_op op, unsigned width, uint64_t a, uint64_t b) {
    uint64_t top = au_low_bits(UINT64_MAX, width), r;
    i128 sa = au_signed(a, width), sb = au_signed(b, width), s;
    i128 high = top >> 1, low = -high - 1;
    switch (op) {
    case AU_C_USUB_SAT:
        return a < b ? 0 : a - b;
    case AU_C_UADD_SAT:
        return __builtin_add_overflow(a, b, &r) || r > top ? top : r;
    default:
        s = op == AU_C_SADD_SAT ? sa + sb : sa - sb;
        return (uint64_t)(s > high ? high : s < low ? low : s);
    }
}

static uint64_t reverse(uint64_t a, unsigned width) {
    uint64_t r = 0;
    for (unsigned i = 0; i < width; i++)
        r |= (a >> i & 1) << (width - 1 - i);
    return r;
}

bool au_retrace_compute(au_code_op op, unsigned width, uint64_t a, uint64_t b, uint64_t *out) {
    int64_t sa = au_signed(a, width), sb = au_signed(b, width);
    uint64_t r = 0;
    switch (op) {
    case AU_C_ADD:
        r = a + b;
        break;
    case AU_C_SUB:
        r = a - b;
        break;
    case AU_C_MUL:
        r = a * b;
        break;
    case AU_C_UDIV:
    case AU_C_SDIV:
    case AU_C_UREM:
    case AU_C_SREM:
        if (!divide(op, width, a, b, &r))
            return false;
        break;
    case AU_C_SHL:
        if (b >= width)
            return false;
        r = a << b;
        break;
    case AU_C_LSHR:
        if (b >= width)
            return false;
        r = a >> b;
        break;
    case AU_C_ASHR:
        if (b >= width)
            return false;
        r = (uint64_t)(sa >> b);
        break;
    case AU_C_AND:
        r = a & b;
        break;
    case AU_C_OR:
        r = a | b;
        break;
    case AU_C_XOR:
        r = a ^ b;
        break;
    case AU_C_SMIN:
        r = sa < sb ? a : b;
        break;
    case AU_C_SMAX:
        r = sa > sb ? a : b;
        break;
    case AU_C_UMIN:
        r = a < b ? a : b;
        break;
    case AU_C_UMAX:
        r = a > b ? a : b;
        break;
    case AU_C_ABS:
        r = sa < 0 ? -a : a;
        break;
    case AU_C_CTPOP:
        r = (uint64_t)__builtin_popcountll(a);
        break;
    case AU_C_CTLZ:
        r = a ? (uint64_t)__builtin_clzll(a) - (64 - width) : width;
        break;
    case AU_C_CTTZ:
        r = a ? (uint64_t)__builtin_ctzll(a) : width;
        break;
    case AU_C_BSWAP:
        r = __builtin_bswap64(a) >> (64 - width);
        break;
    case AU_C_BITREVERSE:
        r = reverse(a, width);
        break;
    case AU_C_USUB_SAT:
    case AU_C_UADD_SAT:
    case AU_C_SSUB_SAT:
    case AU_C_SADD_SAT:
        r = saturate(op, width, a, b);
        break;
    default:
        return false;
    }
    *out = au_low_bits(r, width);
    return true;
}

static uint64_t funnel(au_code_op op, unsigned width, uint64_t a, uint64_t b, uint64_t c) {
    c %= width;
    u128 both = (u128)a << width | b;
    return au_low_bits((uint64_t)(op == AU_C_FSHL ? both << c >> width : both >> c), width);
}

/* ---- made-up addresses ---------------------------------------------------------------------------- */

/* Comparing with null, or with another of the same object. */
static bool may_compare(uint64_t a, uint64_t b) {
    enum { NEAR = 1 << 30, SMALL = 4096 };
    if (au_made_up(a) && au_made_up(b))
        return a - b < NEAR || b - a < NEAR || a == b;
    return (au_made_up(a) ? b : a) < SMALL;
}

/* Is what comes of it anything? */
static bool may_compute(au_code_op op, uint64_t a, uint64_t b, uint64_t result) {
    bool ma = au_made_up(a), mb = au_made_up(b);
    switch (op) {
    case AU_C_ADD:
        return ma != mb && au_made_up(result);
    case AU_C_SUB:
        return ma && (mb || au_made_up(result));
    default:
        return false;
    }
}

/* ---- operations ------------------------------------------------------------------------------------- */

static bool any_unknown(au_val a, au_val b) {
    return a.m == AU_UNKNOWN || b.m == AU_UNKNOWN;
}

static bool any_term(au_val a, au_val b) {
    return a.m > AU_UNKNOWN || b.m > AU_UNKNOWN;
}

/* Beside a term nothing made up may stand. */
static void unmake(au_val *v) {
    if (v->m == AU_KNOWN && au_made_up(v->v))
        v->m = AU_UNKNOWN;
}

static void binary(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i) {
    au_val a = au_retrace_get(x, t, f, i->a), b = au_retrace_get(x, t, f, i->b), r = {0, 0};
    bool value = au_retrace_compute(i->op, i->width, a.v, b.v, &r.v);
    if (any_term(a, b)) {
        if (i->op != AU_C_ADD && i->op != AU_C_SUB)
            unmake(&a), unmake(&b);
        au_retrace_stand(x, t, f);
        r.m = au_sym_binary(x->sym, i->op, i->width, a, b, r.v);
        if (!value)
            r.m = AU_UNKNOWN;
    } else if (!value || any_unknown(a, b)) {
        r.m = AU_UNKNOWN;
    } else if ((au_made_up(a.v) || au_made_up(b.v)) && !may_compute(i->op, a.v, b.v, r.v)) {
        r.m = AU_UNKNOWN;
    }
    au_retrace_set(t, f, i->dst, r);
}

static void compare(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i) {
    au_val a = au_retrace_get(x, t, f, i->a), b = au_retrace_get(x, t, f, i->b), r = {0, 0};
    r.v = au_retrace_compare(i->op, i->width, a.v, b.v);
    if (any_term(a, b)) {
        unmake(&a);
        unmake(&b);
        au_retrace_stand(x, t, f);
        r.m = au_sym_compare(x->sym, i->op, i->width, a, b, r.v);
    } else if (any_unknown(a, b)) {
        r.m = AU_UNKNOWN;
    } else if ((au_made_up(a.v) || au_made_up(b.v)) && !may_compare(a.v, b.v)) {
        r.m = AU_UNKNOWN;
    }
    au_retrace_set(t, f, i->dst, r);
}

static void cast(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i) {
    au_val a = au_retrace_get(x, t, f, i->a), r = {0, a.m};
    r.v = i->op == AU_C_SEXT ? (uint64_t)au_signed(a.v, i->from) : a.v;
    r.v = au_low_bits(r.v, i->width);
    if (a.m > AU_UNKNOWN) {
        au_retrace_stand(x, t, f);
        r.m = au_sym_cast(x->sym, i->op, i->from, i->width, a, r.v);
    } else if (au_made_up(a.v) && i->width < 64) {
        r.m = AU_UNKNOWN;
    }
    au_retrace_set(t, f, i->dst, r);
}

static void scale(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i) {
    au_val a = au_retrace_get(x, t, f, i->a), b = au_retrace_get(x, t, f, i->b);
    uint64_t by = f->module->code->immediate[i->aux];
    au_val r = {a.v + (uint64_t)au_signed(b.v, i->from) * by, 0};
    if (any_term(a, b)) {
        unmake(&b);
        au_retrace_stand(x, t, f);
        r.m = au_sym_scale(x->sym, i->from, by, a, b, r.v);
    } else if (any_unknown(a, b) || (au_made_up(a.v) && !au_made_up(r.v)) || au_made_up(b.v)) {
        r.m = AU_UNKNOWN;
    }
    au_retrace_set(t, f, i->dst, r);
}

static void intrinsic(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i) {
    au_val a = au_retrace_get(x, t, f, i->a), b = {0, 0}, c = {0, 0}, r = {0, 0};
    bool one = i->op >= AU_C_ABS && i->op <= AU_C_BITREVERSE;
    if (!one)
        b = au_retrace_get(x, t, f, i->b);
    bool value = true;
    if (i->op == AU_C_FSHL || i->op == AU_C_FSHR) {
        c = au_retrace_get(x, t, f, i->c);
        r.v = funnel(i->op, i->width, a.v, b.v, c.v);
    } else {
        value = au_retrace_compute(i->op, i->width, a.v, b.v, &r.v);
    }
    if (any_term(a, b) || c.m > AU_UNKNOWN) {
        unmake(&a), unmake(&b), unmake(&c);
        au_retrace_stand(x, t, f);
        r.m = au_sym_intrinsic(x->sym, i->op, i->width, a, b, c, r.v);
    } else if (any_unknown(a, b) || c.m || !value || au_made_up(a.v) || au_made_up(b.v)) {
        r.m = AU_UNKNOWN;
    }
    au_retrace_set(t, f, i->dst, r);
}

static void choose(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i) {
    au_val cond = au_retrace_get(x, t, f, i->a);
    unsigned width = i->width ? i->width : 64;
    for (uint32_t k = 0; k < i->aux; k++) {
        au_val a = au_retrace_part(x, t, f, i->b, k), b = au_retrace_part(x, t, f, i->c, k);
        au_val r = cond.v & 1 ? a : b;
        if (cond.m == AU_KNOWN) {
            au_retrace_set(t, f, i->dst + k, r);
            continue;
        }
        if (cond.m > AU_UNKNOWN || any_term(a, b)) {
            if (au_made_up(a.v) != au_made_up(b.v))
                unmake(&a), unmake(&b);
            au_retrace_stand(x, t, f);
            r.m = au_sym_select(x->sym, cond, width, a, b, r.v);
            if (r.m > AU_UNKNOWN && cond.m == AU_UNKNOWN)
                r.v = a.v; /* both are the same term */
        } else if (any_unknown(a, b) || a.v != b.v) {
            r.m = AU_UNKNOWN;
        }
        au_retrace_set(t, f, i->dst + k, r);
    }
}

void au_retrace_slow(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i) {
    switch (i->op) {
    case AU_C_COMPARES:
        compare(x, t, f, i);
        return;
    case AU_C_CASTS:
        cast(x, t, f, i);
        return;
    case AU_C_SCALE:
        scale(x, t, f, i);
        return;
    case AU_C_MOVE:
        for (uint32_t k = 0; k < i->aux; k++)
            au_retrace_set(t, f, i->dst + k, au_retrace_part(x, t, f, i->a, k));
        return;
    case AU_C_SELECT:
        choose(x, t, f, i);
        return;
    default:
        if (i->op <= AU_C_XOR)
            binary(x, t, f, i);
        else
            intrinsic(x, t, f, i);
        return;
    }
}

/* ---- branches ------------------------------------------------------------------------------------------ */

bool au_retrace_bit(au_retracer *x, au_rthread *t, bool *bit) {
    const au_outcomes *o = au_watch_outcomes(&x->watch, t->number);
    if (t->bit >= o->n)
        return false;
    *bit = o->byte.at[t->bit >> 3] >> (t->bit & 7) & 1;
    t->bit++;
    return true;
}

/* A number told in so many bits. */
static bool told(au_retracer *x, au_rthread *t, unsigned bits, uint64_t *out) {
    *out = 0;
    for (unsigned k = 0; k < bits; k++) {
        bool bit;
        if (!au_retrace_bit(x, t, &bit))
            return false;
        *out |= (uint64_t)bit << k;
    }
    return true;
}

uint32_t au_retrace_condbr(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i,
                           uint32_t site) {
    au_val c = au_retrace_get(x, t, f, i->a);
    uint32_t first = (uint32_t)i->b, second = (uint32_t)i->c;
    c.v &= 1;
    if (i->flags & AU_CF_TOLD) {
        uint64_t bit;
        if (!told(x, t, 1, &bit))
            return AU_NONE; /* cut short */
        if (c.m != AU_UNKNOWN && bit != c.v) {
            au_retrace_wrong(x, t, "a branch takes another outcome than recorded");
            return AU_NONE;
        }
        if (c.m == AU_UNKNOWN) {
            t->spin.doubts++;
            return bit ? first : second;
        }
    } else if (c.m == AU_UNKNOWN) {
        t->spin.doubts++;
        const au_code *code = f->module->code;
        if (site == AU_NONE)
            return AU_NONE;
        bool yes = au_retrace_may_come(f->module, code->edge[first].target, site);
        bool no = au_retrace_may_come(f->module, code->edge[second].target, site);
        return yes == no ? AU_NONE : yes ? first : second;
    }
    if (c.m > AU_UNKNOWN) {
        unsigned mine = c.v ? AU_CF_FAIL_FIRST : AU_CF_FAIL_SECOND;
        unsigned other = c.v ? AU_CF_FAIL_SECOND : AU_CF_FAIL_FIRST;
        au_retrace_stand(x, t, f);
        /* if both fail, the check is somewhere else: this is a way to it */
        au_fails fails = (i->flags & mine) && (i->flags & other) ? AU_FAILS_NOT
                         : i->flags & mine                       ? AU_FAILS_HERE
                         : i->flags & other                      ? AU_FAILS_OTHER
                                                                 : AU_FAILS_NOT;
        uint32_t failing = (c.v != 0) == (fails == AU_FAILS_HERE) ? first : second;
        uint32_t call = fails ? au_retrace_failing_call(f->module, failing) : AU_NONE;
        if (call !=
            AU_NONE) /* an assertion stands where it is reported, not at the 'if' before it */
            x->spot.insn = call;
        au_term taken = au_sym_branch(
            x->sym, c, fails, call != AU_NONE ? au_retrace_check_text(f->module, call) : NULL);
        if (fails == AU_FAILS_NOT && taken.n != UINT32_MAX)
            au_retrace_decide(t, (uint32_t)(i - f->module->code->insn), taken);
    }
    return c.v ? first : second;
}

static bool same_copies(const au_code *code, const struct au_code_edge *a,
                        const struct au_code_edge *b) {
    if (a->n_copies != b->n_copies)
        return false;
    for (uint32_t i = 0; i < a->n_copies; i++) {
        const struct au_code_copy *x = &code->copy[a->copy + i], *y = &code->copy[b->copy + i];
        if (x->dst != y->dst || x->src != y->src || x->n != y->n)
            return false;
    }
    return true;
}

/* Does the thread do the same on both edges? A critical edge has a block of its own, with nothing in
 * it but the way on. */
static bool same_way(const au_code *code, uint32_t one, uint32_t two, unsigned depth) {
    const struct au_code_edge *a = &code->edge[one], *b = &code->edge[two];
    if (one == two || (a->target == b->target && same_copies(code, a, b)))
        return true;
    const au_code_insn *x = &code->insn[a->target], *y = &code->insn[b->target];
    return depth && !a->n_copies && !b->n_copies && x->op == AU_C_BR && y->op == AU_C_BR &&
           same_way(code, (uint32_t)x->a, (uint32_t)y->a, depth - 1);
}

/* The term of a switch took this edge: the values that lead the same way, or if the default does
 * too, none of those that lead another way. */
static void took(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i, au_val v,
                 uint32_t edge) {
    const au_code *code = f->module->code;
    const struct au_code_switch *s = &code->sw[i->aux];
    uint64_t *value = au_alloc_array((size_t)s->n + 1, sizeof *value);
    size_t n = 0;
    bool otherwise = same_way(code, edge, s->otherwise, 2);
    for (uint32_t k = 0; k < s->n; k++) {
        const struct au_code_case *c = &code->kase[s->first + k];
        if (same_way(code, c->edge, edge, 2) != otherwise)
            value[n++] = c->value;
    }
    au_retrace_stand(x, t, f);
    au_sym_switch(x->sym, v, s->width, value, otherwise ? 0 : n, value, n);
    free(value);
}

uint32_t au_retrace_switch(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i,
                           uint32_t site) {
    const au_code *code = f->module->code;
    const struct au_code_switch *s = &code->sw[i->aux];
    au_val v = au_retrace_get(x, t, f, i->a);
    uint32_t edge = AU_NONE;
    if (i->op == AU_C_INDIRECTBR && v.m != AU_UNKNOWN) { /* addresses of labels mean nothing here */
        if (v.m > AU_UNKNOWN) {
            au_retrace_stand(x, t, f);
            au_sym_pin(x->sym, v, 64, "a computed goto");
        }
        v.m = AU_UNKNOWN;
    }
    t->spin.doubts += v.m == AU_UNKNOWN;
    if (v.m != AU_UNKNOWN) {
        edge = s->otherwise;
        for (uint32_t k = 0; k < s->n; k++)
            if (code->kase[s->first + k].value == v.v)
                edge = code->kase[s->first + k].edge;
    }
    if (i->flags & AU_CF_TOLD) {
        uint64_t which;
        if (!told(x, t, s->bits, &which))
            return AU_NONE;
        if (which >= s->n_succ) {
            au_retrace_wrong(x, t, "outcome %llu of a switch with %u ways",
                             (unsigned long long)which, s->n_succ);
            return AU_NONE;
        }
        uint32_t to = code->index[s->succ + which];
        if (edge != AU_NONE && code->edge[to].target != code->edge[edge].target) {
            au_retrace_wrong(x, t, "a switch takes another outcome than recorded");
            return AU_NONE;
        }
        if (edge == AU_NONE)
            return to;
    } else if (v.m == AU_UNKNOWN) {
        if (site == AU_NONE)
            return AU_NONE;
        for (uint32_t k = 0; k < s->n_succ; k++) {
            uint32_t to = code->index[s->succ + k];
            if (!au_retrace_may_come(f->module, code->edge[to].target, site))
                continue;
            if (edge != AU_NONE)
                return AU_NONE;
            edge = to;
        }
        return edge;
    }
    if (v.m > AU_UNKNOWN)
        took(x, t, f, i, v, edge);
    return edge;
}
