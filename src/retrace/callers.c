/* retrace/callers.c: the calls that a thread is in at events that somebody asks for. The
 * recording tells when functions begin and end, not which line called them: the interpreter knows. */
#include "retrace/retrace_priv.h"

void au_retrace_callers_begin(au_retracer *x, au_callers *callers, size_t n) {
    x->callers = callers;
    x->callers_left = n;
    for (size_t i = 0; i < n; i++) {
        while (x->wanted.n <= callers[i].thread)
            au_vec_push(&x->wanted, ((struct au_wanted){i, i}));
        x->wanted.at[callers[i].thread].end = i + 1;
    }
}

static void add(au_callers *to, const au_rframe *f, uint32_t inlined, uint32_t file,
                uint32_t line) {
    au_vec_push(&to->caller,
                ((struct au_caller){f->module->code, f->function, inlined, file, line, f->depth}));
}

/* The calls around an instruction that were inlined, and the function of the frame at last. 'own': the
 * line of the instruction counts, too. */
static void take_frame(au_callers *to, const au_rframe *f, uint32_t insn, bool own) {
    const au_code *c = f->module->code;
    uint32_t k = c->around ? c->around[insn] : 0;
    if (own)
        add(to, f, k ? c->inlined[k].callee : 0, c->file[insn], c->line[insn]);
    for (; k; k = c->inlined[k].around) {
        uint32_t next = c->inlined[k].around;
        add(to, f, next ? c->inlined[next].callee : 0, c->inlined[k].file, c->inlined[k].line);
    }
}

/* Of the first n frames. insn: where the last of them stands, AU_NONE: not known; own: its line counts. */
static void take(au_callers *to, const au_rthread *t, size_t n, uint32_t insn, bool own) {
    for (size_t i = n; i-- > 0;) {
        const au_rframe *f = &t->frame.at[i];
        bool top = i + 1 == n;
        uint32_t at = top ? insn : f->pc;
        if (f->module->code && at < f->module->code->n_insns)
            take_frame(to, f, at, !top || own);
    }
}

/* The instruction of the record at hand, if it is of the frame on top. */
static uint32_t insn_of_event(const au_retracer *x, const au_rthread *t) {
    const au_rsite *s = x->r->site < x->site.n ? &x->site.at[x->r->site] : NULL;
    const au_rframe *f = t->frame.n ? &au_vec_last(&t->frame) : NULL;
    if (!f || !f->module->code)
        return AU_NONE;
    if (f->in_call)
        return f->pc;
    const au_code *c = f->module->code;
    if (!s || s->module != f->module || s->site >= c->n_sites)
        return AU_NONE;
    uint32_t insn = c->site_insn[s->site];
    return insn < c->n_insns && c->function_of[insn] == f->function ? insn : AU_NONE;
}

void au_retrace_callers_note(au_retracer *x, au_rthread *t) {
    t->at = insn_of_event(x, t);
    struct au_wanted *w = t->number < x->wanted.n ? &x->wanted.at[t->number] : NULL;
    /* Several findings may speak of one event; several records may have one index. */
    while (w && !x->over && w->next < w->end && x->callers[w->next].index <= x->r->index) {
        if (x->callers[w->next].index == x->r->index && x->r->op != AU_OP_RET)
            take(&x->callers[w->next], t, t->frame.n, t->at, x->callers[w->next].own);
        w->next++;
        x->callers_left--;
    }
    if (!x->callers_left || (x->most_events && x->facts->events >= x->most_events))
        x->over = true;
}

/* Where the thread stands after its last event. A function whose end was told has its frame until the next
 * event comes: its caller stands behind the call then. */
static void take_end(au_callers *to, const au_rthread *t) {
    size_t n = t->frame.n;
    while (n && (!t->frame.at[n - 1].depth || t->frame.at[n - 1].depth > t->depth))
        n--;
    if (!n)
        return;
    const au_rframe *top = &t->frame.at[n - 1];
    uint32_t insn = top->in_call || n < t->frame.n ? top->pc : t->at;
    take(to, t, n, insn, to->index == AU_NONE64);
}

/* A thread that waits for ever has no event for it. */
void au_retrace_callers_end(au_retracer *x) {
    for (size_t i = 0; i < x->wanted.n && !x->over; i++) {
        struct au_wanted *w = &x->wanted.at[i];
        while (i < x->thread.n && x->thread.at[i] && w->next < w->end)
            take_end(&x->callers[w->next++], x->thread.at[i]);
    }
}
