/* retrace/foreign.c: calls of code without hooks.
 *
 * Its arguments keep what they were in the run (terms are pinned), unless the function only puts
 * them out, or turns out to be one of another module that is followed as well: then the
 * callee gets them. That is not known before the next event of the thread, so the call waits
 * for it ('fresh').
 *
 * What a function reads says the column 'reads' of wire/libc.def. */
#include "retrace/retrace_priv.h"

#include "wire/libc.h"

#include <stdio.h>

static const struct au_code_call *call_of(const au_rframe *f) {
    const au_code *code = f->module->code;
    return &code->call[code->insn[f->pc].aux];
}

static const char *name_of(const au_rframe *f) {
    return au_code_text(f->module->code, call_of(f)->name);
}

/* Functions that only put out what they are given; what goes into a channel may come back. */
static bool only_puts_out(const au_rframe *f) {
    const struct au_code_call *c = call_of(f);
    return !f->channel && !f->comes_back && !c->result_used && c->kind == AU_CALL_FOREIGN &&
           au_libc_of(name_of(f)).reads == AU_READS_SHOWN;
}

static au_val argument(au_retracer *x, au_rthread *t, const au_rframe *f, uint32_t k, uint32_t j) {
    const struct au_code_call *c = call_of(f);
    return au_retrace_part(x, t, f, f->module->code->arg[c->arg + k].at, j);
}

static bool any_term(au_retracer *x, au_rthread *t, const au_rframe *f) {
    const struct au_code_call *c = call_of(f);
    for (uint32_t k = 0; k < c->n_args; k++)
        for (uint32_t j = 0; j < f->module->code->arg[c->arg + k].slots; j++)
            if (argument(x, t, f, k, j).m > AU_UNKNOWN)
                return true;
    return false;
}

void au_retrace_xcall(au_retracer *x, au_rthread *t, au_rframe *f, const au_code_insn *i) {
    const struct au_code_call *c = &f->module->code->call[i->aux];
    f->in_call = f->fresh = true;
    f->before_call = t->after;
    f->pinned = f->channel = f->comes_back = false;
    t->returned = false;
    if (c->kind != AU_CALL_INDIRECT)
        return;
    au_val to = au_retrace_get(x, t, f, c->target);
    if (to.m == AU_UNKNOWN) {
        if (c->target >= 0)
            au_retrace_set(t, f, (uint32_t)c->target, (au_val){x->r->address, AU_KNOWN});
    } else if (to.v != x->r->address && !au_made_up(to.v)) {
        au_retrace_wrong(x, t, "expected a call of 0x%llx", (unsigned long long)to.v);
    }
    if (to.m > AU_UNKNOWN) { /* also if we follow it: another one would do something else */
        au_retrace_stand(x, t, f);
        au_sym_pin(x->sym, to, 64, "which function is called");
    }
}

void au_retrace_call_used(au_retracer *x, au_rthread *t, au_rframe *f) {
    if (f->pinned)
        return;
    f->pinned = true;
    if (!x->sym)
        return;
    if (au_libc_is_state(x->r->address)) /* told before anything else of the call */
        f->comes_back = true;
    const struct au_code_call *c = call_of(f);
    const char *name = name_of(f);
    au_retrace_stand(x, t, f);
    if (c->kind == AU_CALL_SILENT && c->target) {
        au_val to = au_retrace_get(x, t, f, c->target);
        if (to.m > AU_UNKNOWN)
            au_sym_pin(x->sym, to, 64, "which function is called");
    }
    if (only_puts_out(f))
        return;
    if (c->kind == AU_CALL_FOREIGN && c->n_args == 1) {
        au_val cond = argument(x, t, f, 0, 0);
        unsigned width = f->module->code->arg[c->arg].width;
        if (!strcmp(name, "__VERIFIER_assert") && cond.m > AU_UNKNOWN) {
            au_sym_assert(x->sym, cond, width, "__VERIFIER_assert");
            return;
        }
        if (!strcmp(name, "__VERIFIER_assume") && cond.m > AU_UNKNOWN) {
            au_sym_assume(x->sym, cond, width);
            return;
        }
    }
    bool tells = f->channel || au_libc_of(name).reads == AU_READS_EVENTS;
    if (au_libc_of(name).channel & AU_CHANNEL_SENDS) /* who hears it has heard what it was given */
        x->spot.after = f->before_call;
    char why[100];
    snprintf(why, sizeof why, "argument of '%.80s'", *name ? name : "an indirect call");
    for (uint32_t k = 0; k < c->n_args; k++) {
        const struct au_code_arg *a = &f->module->code->arg[c->arg + k];
        for (uint32_t j = 0; j < a->slots; j++) {
            au_val v = argument(x, t, f, k, j);
            if (v.m > AU_UNKNOWN)
                au_sym_pin(x->sym, v, a->width ? a->width : 64, why);
            if (a->width == 64 && !tells)
                au_sym_pin_object(x->sym, v, why);
        }
    }
}

/* ---- calls of functions that are followed ----------------------------------------------------- */

static bool same_shape(const au_rframe *f, const au_code *callee, const au_code_function *fn) {
    const struct au_code_call *c = call_of(f);
    if (c->n_args < fn->n_params || (c->n_args > fn->n_params && !fn->varargs))
        return false;
    for (uint32_t k = 0; k < fn->n_params; k++) {
        const struct au_code_arg *a = &f->module->code->arg[c->arg + k];
        const struct au_code_arg *p = &callee->arg[fn->param + k];
        if (a->slots != p->slots || a->width != p->width || a->byval != p->byval)
            return false;
    }
    return c->result_slots == fn->result_slots || !c->result_slots;
}

bool au_retrace_matches(au_retracer *x, const au_rthread *t, const au_rframe *f,
                        const au_rmodule *m, uint32_t function) {
    (void)x, (void)t;
    const struct au_code_call *c = call_of(f);
    const au_code_function *fn = &m->code->function[function];
    if (!f->in_call || !f->fresh || !same_shape(f, m->code, fn))
        return false;
    if (c->kind == AU_CALL_FOREIGN)
        return !strcmp(name_of(f), au_code_text(m->code, fn->name));
    return c->kind == AU_CALL_INDIRECT;
}

/* A function of another module that makes no events: run now, it takes the arguments and
 * gives the result. False: foreign, after all. */
static bool try_callee(au_retracer *x, au_rthread *t, size_t frame) {
    au_rframe *f = &t->frame.at[frame];
    const struct au_code_call *c = call_of(f);
    au_rmodule *m;
    uint32_t function;
    if (c->kind != AU_CALL_FOREIGN)
        return false;
    const au_code_function *fn = au_retrace_function(x, name_of(f), &m, &function);
    if (!fn || fn->hooked || fn->left_out || fn->varargs || !same_shape(f, m->code, fn))
        return false;
    uint64_t bit = t->bit;
    au_retrace_push(x, t, m, function, AU_FRAME_TRIAL);
    au_retrace_pass(x, t, c);
    if (au_retrace_run(x, t, m, AU_NONE) == AU_RUN_POPPED && t->frame.n == frame + 1)
        return true;
    while (t->frame.n > frame + 1)
        au_retrace_pop(t);
    t->bit = bit;
    t->returned = false;
    return false;
}

/* ---- results -------------------------------------------------------------------------------------- */

uint32_t au_retrace_after_call(const au_rframe *f) {
    const struct au_code_call *c = call_of(f);
    return c->invoke ? c->normal : AU_NONE;
}

/* What a callee that was followed gave, if that is what was told. */
static bool take_result(au_retracer *x, au_rthread *t, au_rframe *f, const au_code_insn *i) {
    const struct au_code_call *c = call_of(f);
    if (!t->returned || t->result.n != c->result_slots || !c->result_slots)
        return false;
    au_val first = t->result.at[0];
    if (c->told_width && c->told_width <= 64 && first.m != AU_UNKNOWN && !au_made_up(first.v)) {
        uint64_t mine = au_low_bits(first.v, c->told_width);
        if (mine != au_low_bits(x->r->value, c->told_width)) {
            au_retrace_wrong(x, t, "expected the result 0x%llx, not 0x%llx",
                             (unsigned long long)mine, (unsigned long long)x->r->value);
            return true;
        }
    } else if (c->result_width && first.m == AU_UNKNOWN) {
        return false; /* the told one is better */
    }
    for (uint32_t k = 0; i->dst != AU_NONE && k < c->result_slots; k++)
        au_retrace_set(t, f, i->dst + k, t->result.at[k]);
    return true;
}

void au_retrace_xret(au_retracer *x, au_rthread *t, au_rframe *f) {
    const au_code_insn *i = &f->module->code->insn[f->pc];
    const struct au_code_call *c = call_of(f);
    size_t frame = (size_t)(f - t->frame.at);
    if (f->fresh && !f->pinned && x->sym && any_term(x, t, f) && try_callee(x, t, frame)) {
        f = &t->frame.at[frame];
        f->pinned = true;
    }
    f = &t->frame.at[frame];
    au_retrace_call_used(x, t, f);
    if (x->sym) { /* its result comes from what it read, and may be checked at once */
        au_retrace_stand(x, t, f);
        au_sym_end_range(x->sym);
    }
    if (!take_result(x, t, f, i) && i->dst != AU_NONE) {
        for (uint32_t k = 0; k < c->result_slots; k++)
            au_retrace_set(t, f, i->dst + k, (au_val){0, AU_UNKNOWN});
        if (c->result_slots && c->told_width) {
            bool all = c->result_width && c->result_width <= c->told_width;
            if (all || c->told_width >= 64)
                au_retrace_set(t, f, i->dst,
                               (au_val){au_low_bits(x->r->value, c->told_width), AU_KNOWN});
        }
    }
    t->returned = false;
    f->in_call = f->fresh = false;
    uint32_t edge = au_retrace_after_call(f);
    if (edge == AU_NONE)
        f->pc++;
    else
        au_retrace_edge(x, t, f, edge);
}

/* ---- annotations ------------------------------------------------------------------------------------- */

/* A string literal. */
static const char *text_of(const au_code *code, au_operand o) {
    if (o >= 0 || code->pool[~o].kind != AU_CONST_GLOBAL)
        return NULL;
    const struct au_code_global *g = &code->global[code->pool[~o].index];
    uint64_t at = code->pool[~o].value;
    if (!g->defined || !g->constant || g->zero || g->n_relocs || at >= g->size)
        return NULL;
    const char *s = (const char *)code->bytes + g->data + at;
    return memchr(s, 0, g->size - at) ? s : NULL;
}

static void pass_note(au_rthread *t) {
    if (!t->note.n)
        return;
    t->after = t->note.at[0];
    t->note.n--;
    memmove(t->note.at, t->note.at + 1, t->note.n * sizeof *t->note.at);
}

void au_retrace_annotate(au_retracer *x, au_rthread *t, au_rframe *f, const au_code_insn *i) {
    const au_code *code = f->module->code;
    const struct au_code_call *c = &code->call[i->aux];
    const char *name = au_code_text(code, c->name);
    if (!strcmp(name, "__augur_ignore_begin")) {
        au_retrace_cut(x, "a region that is ignored begins");
        return;
    }
    if (!strcmp(name, "__augur_assert") && c->n_args) {
        au_val cond = au_retrace_get(x, t, f, code->arg[c->arg].at);
        if (x->sym && cond.m > AU_UNKNOWN) {
            const char *what = c->n_args > 1 ? text_of(code, code->arg[c->arg + 1].at) : NULL;
            au_retrace_stand(x, t, f);
            au_sym_assert(x->sym, cond, code->arg[c->arg].width, what ? what : "assertion");
        }
        if (cond.m == AU_KNOWN && !cond.v)
            pass_note(t);
        return;
    }
    if (!strcmp(name, "__augur_atomic_begin") || !strcmp(name, "__augur_atomic_end") ||
        !strcmp(name, "__augur_reach_error"))
        pass_note(t);
}

bool au_retrace_puts_out(const au_rthread *t) {
    const au_rframe *f = t->frame.n ? &au_vec_last(&t->frame) : NULL;
    return f && f->in_call && only_puts_out(f);
}

uint32_t au_retrace_failing_call(const au_rmodule *m, uint32_t edge) {
    enum { FAR = 64 };
    const au_code *code = m->code;
    uint32_t at = code->edge[edge].target;
    for (unsigned k = 0; k < FAR && at < code->n_insns; k++, at++) {
        const au_code_insn *i = &code->insn[at];
        if (i->op == AU_C_BR) {
            at = code->edge[i->a].target - 1;
            continue;
        }
        if (i->op == AU_C_CALL && code->call[i->aux].fails)
            return at;
        if (i->op == AU_C_CONDBR || i->op == AU_C_SWITCH || i->op == AU_C_RET)
            return AU_NONE;
    }
    return AU_NONE;
}

const char *au_retrace_check_text(const au_rmodule *m, uint32_t call) {
    const au_code *code = m->code;
    const struct au_code_call *c = &code->call[code->insn[call].aux];
    bool assert = !strncmp(au_code_text(code, c->name), "__assert", 8);
    return assert && c->n_args ? text_of(code, code->arg[c->arg].at) : NULL;
}
