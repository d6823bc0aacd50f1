/* retrace/run.c: the interpreter's loop. Operands that are simply known are computed here;
 * everything else is a call. */
#include "base/limits.h"
#include "retrace/retrace_priv.h"

void au_retrace_edge(au_retracer *x, au_rthread *t, au_rframe *f, uint32_t edge) {
    const au_code *code = f->module->code;
    const struct au_code_edge *e = &code->edge[edge];
    for (uint32_t k = 0; k < e->n_copies; k++) {
        const struct au_code_copy *c = &code->copy[e->copy + k];
        for (uint32_t j = 0; j < c->n; j++)
            au_retrace_set(t, f, c->dst + j, au_retrace_part(x, t, f, c->src, j));
    }
    f->pc = e->target;
    if (__builtin_expect(t->decided.n != 0, 0))
        au_retrace_meet(t, e->target);
}

/* Does the frame on top return to foreign code? Then its result is kept for the call that
 * it is the callee of. */
static bool leave_to_foreign(au_retracer *x, au_rthread *t, const au_code_insn *i) {
    au_rframe *f = &au_vec_last(&t->frame);
    if (f->kind == AU_FRAME_DIRECT)
        return false;
    au_vec_clear(&t->result);
    t->returned = f->kind == AU_FRAME_MATCHED || f->kind == AU_FRAME_TRIAL;
    for (uint32_t k = 0; t->returned && k < i->aux; k++)
        au_vec_push(&t->result, au_retrace_part(x, t, f, i->a, k));
    au_retrace_pop(t);
    return true;
}

/* The frame on top returns to the one below. False: that is foreign code. */
static bool leave(au_retracer *x, au_rthread *t, const au_code_insn *i) {
    if (leave_to_foreign(x, t, i))
        return false;
    au_rframe *from = &au_vec_last(&t->frame), *to = from - 1;
    const au_code *code = to->module->code;
    const au_code_insn *call = &code->insn[to->pc];
    const struct au_code_call *c = &code->call[call->aux];
    if (call->dst != AU_NONE)
        for (uint32_t k = 0; k < i->aux && k < c->result_slots; k++)
            au_retrace_set(t, to, call->dst + k, au_retrace_part(x, t, from, i->a, k));
    au_retrace_pop(t);
    if (c->invoke)
        au_retrace_edge(x, t, to, c->normal);
    else
        to->pc++;
    return true;
}

/* A call that is not around foreign code. False: cannot go on. */
static bool enter(au_retracer *x, au_rthread *t, const au_code_insn *i, au_rmodule *site_of,
                  uint32_t site) {
    au_rframe *f = &au_vec_last(&t->frame);
    const struct au_code_call *c = &f->module->code->call[i->aux];
    if (c->kind == AU_CALL_DIRECT) {
        if (t->frame.n > AU_LIMIT_RETRACE_DEPTH) {
            au_limit_reached(AU_AT_RETRACE_DEPTH, 1);
            return false;
        }
        au_rmodule *m = f->module;
        uint32_t function = c->callee;
        au_retrace_callee(x, site_of, site, &m, &function);
        au_retrace_push(x, t, m, function, AU_FRAME_DIRECT);
        au_retrace_pass(x, t, c);
        return true;
    }
    /* nothing tells what it does or gives */
    au_retrace_call_used(x, t, f);
    f->pinned = false;
    if (i->dst != AU_NONE)
        for (uint32_t k = 0; k < c->result_slots; k++)
            au_retrace_set(t, f, i->dst + k, (au_val){0, AU_UNKNOWN});
    if (c->noreturn)
        return false;
    if (c->invoke)
        au_retrace_edge(x, t, f, c->normal);
    else
        f->pc++;
    return true;
}

/* The instruction has a site: is it the event at hand? */
static au_reached event(au_retracer *x, au_rthread *t, au_rframe *f, const au_code_insn *i,
                        const au_rmodule *m, uint32_t site) {
    if (site == AU_NONE)
        return AU_RUN_EVENT;
    uint32_t insn = (uint32_t)(i - f->module->code->insn);
    if (m == f->module && f->module->code->site_insn[site] == insn) {
        unsigned part = f->module->code->site_part[site];
        if (i->op != AU_C_COPY || part == t->step || i->site == AU_NONE) {
            if (au_retrace_access(x, t, f, i, part) && !x->over)
                au_vec_last(&t->frame).pc++;
            return AU_RUN_DONE;
        }
    }
    if (x->r->op == AU_OP_CALL)
        return AU_RUN_SURPRISE;
    const au_code *code = f->module->code;
    au_retrace_wrong(x, t, "expected the event of '%s' in %s:%u (site %u)",
                     au_code_text(code, code->function[f->function].name),
                     au_code_text(code, code->file[insn]), code->line[insn], i->site);
    return AU_RUN_STUCK;
}

#define OPERAND(o, value, tint)                                                                    \
    do {                                                                                           \
        if ((o) >= 0)                                                                              \
            value = v[o], tint = m[o];                                                             \
        else                                                                                       \
            value = pool[~(o)], tint = pool_tint[~(o)];                                            \
    } while (0)
#define RESULT(value)                                                                              \
    do {                                                                                           \
        v[i->dst] = (value);                                                                       \
        m[i->dst] = AU_KNOWN;                                                                      \
        i++;                                                                                       \
        goto next;                                                                                 \
    } while (0)
/* Both operands simply known, else the slow way. */
#define TWO                                                                                        \
    OPERAND(i->a, a, ta);                                                                          \
    OPERAND(i->b, b, tb);                                                                          \
    if (__builtin_expect((ta | tb) || au_made_up(a) || au_made_up(b), 0))                          \
    goto slow
#define ONE                                                                                        \
    OPERAND(i->a, a, ta);                                                                          \
    if (__builtin_expect(ta || au_made_up(a), 0))                                                  \
    goto slow
#define ARITHMETIC(OP, expression)                                                                 \
    case AU_C_##OP: {                                                                              \
        TWO;                                                                                       \
        uint64_t r = (expression);                                                                 \
        RESULT(au_low_bits(r, i->width));                                                          \
    }
#define COMPARE(OP, expression)                                                                    \
    case AU_C_##OP: {                                                                              \
        TWO;                                                                                       \
        RESULT((expression) ? 1 : 0);                                                              \
    }

au_reached au_retrace_run(au_retracer *x, au_rthread *t, au_rmodule *site_of, uint32_t site) {
    au_rframe *f;
    const au_code *code;
    const au_code_insn *i;
    const uint64_t *pool;
    const au_tint *pool_tint;
    uint64_t *v, a, b, count = 0;
    au_tint *m, ta, tb;
    au_reached result;

reload: /* another frame, or slots that moved */
    f = &au_vec_last(&t->frame);
    code = f->module->code;
    pool = f->module->pool;
    pool_tint = f->module->pool_tint;
    v = t->v + f->base;
    m = t->m + f->base;
    i = code->insn + f->pc;

next:
    count++;
    switch ((au_code_op)i->op) {
        ARITHMETIC(ADD, a + b)
        ARITHMETIC(SUB, a - b)
        ARITHMETIC(MUL, a * b)
        ARITHMETIC(AND, a & b)
        ARITHMETIC(OR, a | b)
        ARITHMETIC(XOR, a ^ b)
    case AU_C_SHL:
        TWO;
        if (b >= i->width)
            goto slow;
        RESULT(au_low_bits(a << b, i->width));
    case AU_C_LSHR:
        TWO;
        if (b >= i->width)
            goto slow;
        RESULT(a >> b);
    case AU_C_ASHR:
        TWO;
        if (b >= i->width)
            goto slow;
        RESULT(au_low_bits((uint64_t)(au_signed(a, i->width) >> b), i->width));
        COMPARE(EQ, a == b)
        COMPARE(NE, a != b)
        COMPARE(ULT, a < b)
        COMPARE(ULE, a <= b)
        COMPARE(SLT, au_signed(a, i->width) < au_signed(b, i->width))
        COMPARE(SLE, au_signed(a, i->width) <= au_signed(b, i->width))
    case AU_C_TRUNC:
        ONE;
        RESULT(au_low_bits(a, i->width));
    case AU_C_ZEXT:
        ONE;
        RESULT(a);
    case AU_C_SEXT:
        ONE;
        RESULT(au_low_bits((uint64_t)au_signed(a, i->from), i->width));
    case AU_C_SCALE:
        OPERAND(i->a, a, ta);
        OPERAND(i->b, b, tb);
        if (__builtin_expect(ta | tb, 0))
            goto slow;
        b = (uint64_t)au_signed(b, i->from) * code->immediate[i->aux];
        if (__builtin_expect(au_made_up(a) != au_made_up(a + b), 0))
            goto slow;
        RESULT(a + b);
    case AU_C_MOVE:
        OPERAND(i->a, a, ta);
        if (__builtin_expect(i->aux != 1 || ta == AU_TINT_TLS, 0))
            goto slow;
        v[i->dst] = a;
        m[i->dst] = ta;
        i++;
        goto next;
    case AU_C_UDIV:
    case AU_C_SDIV:
    case AU_C_UREM:
    case AU_C_SREM:
    case AU_C_SELECT:
    case AU_C_SMIN:
    case AU_C_SMAX:
    case AU_C_UMIN:
    case AU_C_UMAX:
    case AU_C_ABS:
    case AU_C_INTRINSICS:
    slow:
        f->pc = (uint32_t)(i - code->insn);
        au_retrace_slow(x, t, f, i);
        i++;
        goto next;
    case AU_C_BYTES_GET:
        f->pc = (uint32_t)(i - code->insn);
        au_retrace_bytes_get(x, t, f, i);
        i++;
        goto next;
    case AU_C_BYTES_PUT:
        f->pc = (uint32_t)(i - code->insn);
        au_retrace_bytes_put(x, t, f, i);
        i++;
        goto next;
    case AU_C_OVERFLOW:
        f->pc = (uint32_t)(i - code->insn);
        au_retrace_overflow(x, t, f, i);
        i++;
        goto next;
    case AU_C_WIDE:
        f->pc = (uint32_t)(i - code->insn);
        au_retrace_wide(x, t, f, i);
        i++;
        goto next;
    case AU_C_UNMODELLED:
        f->pc = (uint32_t)(i - code->insn);
        au_retrace_unmodelled(x, t, f, i);
        i++;
        goto next;

    case AU_C_ALLOCA:
        f->pc = (uint32_t)(i - code->insn);
        au_retrace_alloca(x, t, f, i);
        if (x->over)
            goto stuck;
        i++;
        goto next;
    case AU_C_LOAD:
    case AU_C_STORE:
    case AU_C_RMW:
    case AU_C_CMPXCHG:
    case AU_C_FORGET:
        f->pc = (uint32_t)(i - code->insn);
        if (i->site != AU_NONE)
            goto event;
        au_retrace_private(x, t, f, i);
        i++;
        goto next;
    case AU_C_COPY:
    case AU_C_SET:
        f->pc = (uint32_t)(i - code->insn);
        if (i->site != AU_NONE || (i->op == AU_C_COPY && i->aux != AU_NONE)) {
            if (!t->done && !t->step && au_retrace_is_empty(x, t, f, i, site)) {
                i++;
                goto next;
            }
            goto event;
        }
        au_retrace_private(x, t, f, i);
        if (x->over)
            goto stuck;
        i++;
        goto next;
    case AU_C_FENCE:
    case AU_C_HOOKS:
        f->pc = (uint32_t)(i - code->insn);
        if (i->site != AU_NONE)
            goto event;
        i++;
        goto next;
    case AU_C_LANDINGPAD:
        for (uint32_t k = 0; k < i->aux; k++)
            m[i->dst + k] = AU_UNKNOWN;
        i++;
        goto next;

    case AU_C_BR:
        f->pc = (uint32_t)(i - code->insn);
        au_retrace_edge(x, t, f, (uint32_t)i->a);
        goto jumped;
    case AU_C_CONDBR:
        f->pc = (uint32_t)(i - code->insn);
        OPERAND(i->a, a, ta);
        if (__builtin_expect(!ta && !(i->flags & AU_CF_TOLD), 1)) {
            au_retrace_edge(x, t, f, (uint32_t)(a & 1 ? i->b : i->c));
        } else {
            uint32_t edge =
                au_retrace_condbr(x, t, f, i, au_retrace_own_site(f->module, site_of, site));
            if (edge == AU_NONE)
                goto stuck;
            au_retrace_edge(x, t, f, edge);
        }
        goto jumped;
    case AU_C_SWITCH:
    case AU_C_INDIRECTBR: {
        f->pc = (uint32_t)(i - code->insn);
        uint32_t edge =
            au_retrace_switch(x, t, f, i, au_retrace_own_site(f->module, site_of, site));
        if (edge == AU_NONE)
            goto stuck;
        au_retrace_edge(x, t, f, edge);
        goto jumped;
    }
    case AU_C_CALL:
        f->pc = (uint32_t)(i - code->insn);
        if (i->site != AU_NONE)
            goto event;
        if (!enter(x, t, i, site_of, site))
            goto stuck;
        goto reload;
    case AU_C_ANNOTATE:
        f->pc = (uint32_t)(i - code->insn);
        au_retrace_annotate(x, t, f, i);
        if (x->over)
            goto stuck;
        if (code->call[i->aux].invoke) {
            au_retrace_edge(x, t, f, code->call[i->aux].normal);
            goto jumped;
        }
        i++;
        goto next;
    case AU_C_RET:
        f->pc = (uint32_t)(i - code->insn);
        if (leave(x, t, i))
            goto reload;
        result = AU_RUN_POPPED;
        goto out;
    case AU_C_RESUME:
        f->pc = (uint32_t)(i - code->insn);
        if (site == AU_NONE)
            goto stuck;
        result = AU_RUN_UNWINDS;
        goto out;
    case AU_C_UNREACHABLE:
    case AU_C_OPS:
        f->pc = (uint32_t)(i - code->insn);
        goto stuck;
    }
jumped:
    i = code->insn + f->pc;
    if (x->rounds && site != AU_NONE)
        au_spin_block(x, t, f);
    if (__builtin_expect(site == AU_NONE && count > AU_LIMIT_RETRACE_WITHOUT, 0)) {
        au_limit_reached(AU_AT_RETRACE_WITHOUT, 1);
        goto stuck;
    }
    goto next;

event:
    result = event(x, t, f, i, site_of, site);
out:
    x->facts->instructions += count;
    return result;
stuck:
    x->facts->instructions += count;
    if (site != AU_NONE && !x->over)
        au_retrace_wrong(x, t, "cannot go on from %s:%u in '%s'",
                         au_code_text(code, code->file[f->pc]), code->line[f->pc],
                         au_code_text(code, code->function[f->function].name));
    return AU_RUN_STUCK;
}
