/* retrace/flow.c: to which frame of a thread an event belongs: the one that runs, foreign
 * code's callback, a frame below that unwinding or longjmp came back to. */
#include "retrace/retrace_priv.h"

/* ---- threads and frames -------------------------------------------------------------------- */

au_rthread *au_retrace_thread(au_retracer *x, uint32_t number) {
    while (x->thread.n <= number)
        au_vec_push(&x->thread, NULL);
    au_rthread *t = x->thread.at[number];
    if (!t) {
        t = x->thread.at[number] = AU_NEW(au_rthread);
        t->number = (uint16_t)number;
        t->after = AU_NONE;
        t->sp = AU_MADE_STACKS + number % AU_MADE_THREADS * AU_MADE_STACK;
        au_map_init(&t->tls);
    }
    return t;
}

static void drop_byval(au_rthread *t) {
    for (size_t i = 0; i < t->byval.n; i++)
        free(t->byval.at[i].bytes);
    au_vec_clear(&t->byval);
}

void au_retrace_thread_free(au_rthread *t) {
    if (!t)
        return;
    drop_byval(t);
    au_vec_release(&t->byval);
    au_vec_release(&t->frame);
    au_vec_release(&t->decided);
    au_vec_release(&t->result);
    au_vec_release(&t->copy);
    au_vec_release(&t->note);
    au_vec_release(&t->spin.visit);
    au_vec_release(&t->spin.state);
    au_map_release(&t->tls);
    free(t->v);
    free(t->m);
    free(t);
}

au_rframe *au_retrace_push(au_retracer *x, au_rthread *t, au_rmodule *m, uint32_t function,
                           au_frame_kind kind) {
    const au_code_function *fn = &m->code->function[function];
    if (t->slots + fn->slots >= t->cap) {
        size_t cap = t->cap * 2 > 256 ? t->cap * 2 : 256;
        while (cap <= t->slots + fn->slots)
            cap *= 2;
        t->v = au_realloc_array(t->v, cap, sizeof *t->v);
        t->m = au_realloc_array(t->m, cap, sizeof *t->m);
        t->cap = cap;
    }
    au_rframe *f = au_vec_add(&t->frame);
    *f = (au_rframe){.module = m,
                     .function = function,
                     .pc = fn->first,
                     .base = (uint32_t)t->slots,
                     .serial = ++x->calls,
                     .kind = (uint8_t)kind,
                     .sp = t->sp};
    if (kind != AU_FRAME_DIRECT)
        au_spin_forget(t);
    t->slots += fn->slots;
    return f;
}

void au_retrace_pop(au_rthread *t) {
    const au_rframe *f = &au_vec_last(&t->frame);
    t->slots = f->base;
    t->sp = f->sp;
    t->step = 0;
    t->done = 0;
    t->frame.n--;
}

/* ---- arguments ------------------------------------------------------------------------------ */

/* A copy of its own for a parameter passed by value: its made-up address. */
static uint64_t copy_byval(au_retracer *x, au_rthread *t, uint64_t from, uint64_t n) {
    uint64_t to = t->sp;
    t->sp += (n + 31) & ~UINT64_C(15);
    au_retrace_forget_private(x, to, n);
    for (size_t i = 0; i < t->byval.n; i++)
        if (t->byval.at[i].at == from && t->byval.at[i].n == n) {
            au_retrace_put_private(x, to, t->byval.at[i].bytes, n);
            if (x->sym) {
                au_sym_copy(x->sym, to, t->byval.at[i].real, n);
                au_shadow_fill(&x->tag, to, 2, n);
            }
            return to;
        }
    au_retrace_copy_private(x, to, from, n); /* unknown if it is nobody's */
    return to;
}

/* Arguments without a parameter come back through the callee's va_list, from memory that no store
 * is seen of: they are what they were. */
static void pin_variadic(au_retracer *x, au_rthread *t, const au_rframe *from,
                         const struct au_code_call *c, uint32_t n_params) {
    static const char why[] = "a variadic argument";
    for (uint32_t k = n_params; x->sym && k < c->n_args; k++) {
        const struct au_code_arg *a = &from->module->code->arg[c->arg + k];
        for (uint32_t j = 0; j < a->slots; j++) {
            au_val v = au_retrace_part(x, t, from, a->at, j);
            au_retrace_stand(x, t, from);
            au_sym_pin(x->sym, v, a->width ? a->width : 64, why);
            if (a->byval && v.m != AU_UNKNOWN) /* the next access pins what was read */
                au_sym_read_range(x->sym, (au_val){v.v, AU_KNOWN}, a->byval, NULL, 0);
        }
    }
}

void au_retrace_pass(au_retracer *x, au_rthread *t, const struct au_code_call *c) {
    au_rframe *to = &au_vec_last(&t->frame), *from = to - 1;
    const au_code *callee = to->module->code, *caller = from->module->code;
    const au_code_function *fn = &callee->function[to->function];
    for (uint32_t k = 0; k < fn->n_params; k++) {
        const struct au_code_arg *p = &callee->arg[fn->param + k];
        const struct au_code_arg *a = k < c->n_args ? &caller->arg[c->arg + k] : NULL;
        for (uint32_t j = 0; j < p->slots; j++) {
            au_val v = {0, AU_UNKNOWN};
            if (a && j < a->slots)
                v = au_retrace_part(x, t, from, a->at, j);
            if (a && p->byval && v.m != AU_UNKNOWN)
                v = (au_val){copy_byval(x, t, v.v, p->byval), AU_KNOWN};
            au_retrace_set(t, to, (uint32_t)p->at + j, v);
        }
    }
    pin_variadic(x, t, from, c, fn->n_params);
    drop_byval(t);
}

static void pass_unknown(au_rthread *t) {
    const au_rframe *f = &au_vec_last(&t->frame);
    const au_code *code = f->module->code;
    const au_code_function *fn = &code->function[f->function];
    for (uint32_t k = 0; k < fn->n_params; k++) {
        const struct au_code_arg *p = &code->arg[fn->param + k];
        for (uint32_t j = 0; j < p->slots; j++)
            au_retrace_set(t, f, (uint32_t)p->at + j, (au_val){0, AU_UNKNOWN});
    }
}

/* ---- callbacks ------------------------------------------------------------------------------- */

/* Is it the function that its creator started the thread with? */
static bool is_entry(au_retracer *x, const au_rthread *t, const au_rmodule *m, uint32_t function) {
    const au_code_function *fn = &m->code->function[function];
    if (t->frame.n != 1 || !t->has_entry || fn->n_params != 1 ||
        m->code->arg[fn->param].width != 64)
        return false;
    if (t->entered.m == AU_UNKNOWN || !au_made_up(t->entered.v))
        return true;
    return t->entered.v == au_retrace_function_address(x, m, fn->name);
}

/* Foreign code calls a function of ours. */
static void call_back(au_retracer *x, au_rthread *t, au_rmodule *m, uint32_t function,
                      au_frame_kind kind) {
    au_rframe *below = t->frame.n ? &au_vec_last(&t->frame) : NULL;
    const struct au_code_call *c = NULL;
    if (kind == AU_FRAME_CALLBACK && below && below->fresh &&
        au_retrace_matches(x, t, below, m, function)) {
        const au_code *code = below->module->code;
        c = &code->call[code->insn[below->pc].aux];
        below->pinned = true; /* they are seen by the callee */
        kind = AU_FRAME_MATCHED;
    } else if (below && below->in_call) {
        au_retrace_call_used(x, t, below);
    }
    if (below)
        below->fresh = false;
    const au_rframe *f = au_retrace_push(x, t, m, function, kind);
    if (c)
        au_retrace_pass(x, t, c);
    else
        pass_unknown(t);
    if (is_entry(x, t, m, function))
        au_retrace_set(t, f, (uint32_t)m->code->arg[m->code->function[function].param].at,
                       (au_val){t->entry, AU_KNOWN});
    t->has_entry = false;
}

/* ---- back to a frame below --------------------------------------------------------------------- */

static void pop_to(au_rthread *t, size_t n) {
    while (t->frame.n > n)
        au_retrace_pop(t);
}

/* An event that the frames on top cannot have made: the frame that did, frames above it
 * gone. False: there is none. */
static bool unwind(au_retracer *x, au_rthread *t, const au_rmodule *m, uint32_t insn, uint8_t part,
                   bool top_too) {
    size_t from = t->frame.n - (top_too ? 0 : 1);
    bool land = x->r->op == AU_SOP_LAND;
    if (land && au_vec_last(&t->frame).in_call) /* longjmp's value comes back from setjmp */
        au_retrace_call_used(x, t, &au_vec_last(&t->frame));
    for (size_t k = from; k-- > 0;) {
        au_rframe *f = &t->frame.at[k];
        const au_code *code = f->module->code;
        if (f->module != m || code->function_of[insn] != f->function)
            continue;
        bool is_call = code->insn[insn].op == AU_C_CALL;
        if (land && f->depth != x->r->value)
            continue;
        if (land && is_call) { /* longjmp: back in the call of setjmp */
            pop_to(t, k + 1);
            f->pc = insn;
            f->in_call = true;
            f->fresh = false;
            f->pinned = true;
            t->depth = f->depth;
            return true;
        }
        if (land) {
            const struct au_code_call *c = NULL;
            if (code->insn[f->pc].op == AU_C_CALL)
                c = &code->call[code->insn[f->pc].aux];
            if (!c || !c->invoke || c->unwind == AU_NONE)
                continue;
            if (f->in_call)
                au_retrace_call_used(x, t, f);
            pop_to(t, k + 1);
            f->in_call = false;
            t->depth = f->depth;
            au_retrace_edge(x, t, f, c->unwind);
            return true;
        }
        if (is_call && part == 2 && f->in_call && f->pc == insn && k + 1 < t->frame.n) {
            pop_to(t, k + 1); /* foreign code caught it */
            t->depth = f->depth;
            return true;
        }
    }
    return false;
}

/* ---- events --------------------------------------------------------------------------------------- */

/* Of the frame on top that is in foreign code. True: done. */
static bool in_call(au_retracer *x, au_rthread *t, const au_rmodule *m, uint32_t insn,
                    uint8_t part) {
    au_rframe *f = &au_vec_last(&t->frame);
    if (f->module != m || f->pc != insn || m->code->insn[insn].op != AU_C_CALL || !part)
        return false;
    if (part == 1) { /* setjmp came back, for the first time or again */
        au_retrace_call_used(x, t, f);
        if (x->r->value != f->depth)
            au_retrace_wrong(x, t, "expected depth %u where setjmp returns", f->depth);
        f->fresh = false;
        t->depth = f->depth;
        return true;
    }
    au_retrace_xret(x, t, f);
    return true;
}

/* Is the call event that of a signal's handler, and not what the thread does next anyway? */
static bool is_handler(au_rthread *t, au_rmodule *m, uint32_t function) {
    if (!t->signal)
        return false;
    t->signal = false;
    if (!t->frame.n)
        return true;
    au_rframe *f = &au_vec_last(&t->frame);
    return f->in_call || f->module != m ||
           !au_retrace_may_come(m, f->pc, m->code->function[function].enter_site);
}

/* Handlers of faults are not announced: they begin anywhere. */
static bool looks_like_handler(const au_code *code, uint32_t function) {
    const au_code_function *fn = &code->function[function];
    return (fn->n_params == 1 || fn->n_params == 3) && code->arg[fn->param].width == 32;
}

void au_retrace_hook(au_retracer *x, au_rthread *t, const au_rsite *s) {
    au_rmodule *m = s->module;
    const au_code *code = m->code;
    uint32_t insn = code->site_insn[s->site];
    uint8_t part = code->site_part[s->site];
    bool entered = code->insn[insn].op == AU_C_EV_ENTER;
    uint32_t function = code->function_of[insn];
    if (t->signal && (!entered || is_handler(t, m, function))) {
        if (entered)
            call_back(x, t, m, function, AU_FRAME_SIGNAL);
        t->signal = false;
    }
    bool tried = false;
    while (!x->over) {
        if (!t->frame.n || au_vec_last(&t->frame).in_call) {
            if (t->frame.n && in_call(x, t, m, insn, part))
                break;
            if (entered) {
                call_back(x, t, m, function, AU_FRAME_CALLBACK);
            } else if (tried || !t->frame.n || !unwind(x, t, m, insn, part, true)) {
                au_retrace_wrong(x, t, "not expected here: the thread is in code without hooks");
                return;
            }
            if (au_vec_last(&t->frame).in_call)
                tried = true;
            continue;
        }
        au_reached r = au_retrace_run(x, t, m, s->site);
        if (r == AU_RUN_DONE)
            break;
        if (r == AU_RUN_SURPRISE) {
            if (!entered || !looks_like_handler(code, function)) {
                au_retrace_wrong(x, t, "'%s' is not called here",
                                 au_code_text(code, code->function[function].name));
                return;
            }
            call_back(x, t, m, function, AU_FRAME_SIGNAL);
        }
        if (r == AU_RUN_UNWINDS && !unwind(x, t, m, insn, part, false)) {
            au_retrace_wrong(x, t, "the exception is not caught");
            return;
        }
    }
    t->returned = t->returned && !t->frame.n ? false : t->returned;
    x->facts->followed++;
}
