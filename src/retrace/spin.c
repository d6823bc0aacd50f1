/* retrace/spin.c: rounds of loops that left no trace.
 *
 * A thread comes to a block again, in the same call of the same function. Since then it has written nothing that it or
 * anybody else may look at: what the code from there on may use (live.c) has the same values and the same terms, and
 * what happened in between are reads, updates that wrote what they read, calls that came back, and yielding. Then it
 * stands where it stood, and the round it took may as well be left out: a waiting loop's failed round, read by read.
 *
 * It follows from terms, not from values alone: every execution in which the thread takes this way through the
 * round brings it back to where it was. What an update writes is a fact of its own there (au_sym_keeps).
 * No round: what counts (a counter is live, or is written), looks at the clock (that is a call, or decides by what is not
 * known), checks, allocates, calls anything else.
 *
 * A round that was found is forgotten, so that what is found later depends on the thread's way without it. */
#include "retrace/retrace_priv.h"

/* Blocks that a round may have. Each round of a longer one counts: that costs runs, and claims nothing. */
enum { MOST_VISITS = 128 };

static au_live_slots *live_of(const au_rframe *f) {
    au_rmodule *m = f->module;
    if (!m->live)
        m->live = (void *)au_alloc_array(m->code->n_functions, sizeof *m->live);
    if (!m->live[f->function])
        m->live[f->function] = au_live_new(m->code, f->function);
    return m->live[f->function];
}

void au_spin_release(au_rmodule *m) {
    for (uint32_t i = 0; m->live && i < m->code->n_functions; i++)
        au_live_free(m->live[i]);
    free(m->live);
}

static void forget_from(au_rspin *s, size_t n) {
    if (n < s->visit.n) {
        s->state.n = s->visit.at[n].state;
        s->visit.n = n;
    }
}

void au_spin_forget(au_rthread *t) {
    forget_from(&t->spin, 0);
}

/* ---- what happened ----------------------------------------------------------------------------------- */

static bool only_yields(const char *name) {
    return !strcmp(name, "sched_yield") || !strcmp(name, "pthread_yield") ||
           !strcmp(name, "thrd_yield");
}

static bool may_be_in_round(const au_trace *t, size_t e) {
    switch ((au_op)t->events.op[e]) {
    case AU_OP_READ:
    case AU_OP_AREAD:
    case AU_OP_RMW: /* if it wrote what it read */
    case AU_OP_FENCE:
    case AU_OP_CALL:
    case AU_OP_RET:
    case AU_OP_XRET:
        return true;
    case AU_OP_XCALL:
        return t->events.obj[e] != AU_NONE &&
               only_yields(au_intern_str(&t->names.block, t->events.obj[e]));
    default:
        return false;
    }
}

/* Events of the thread that were passed since the last time. */
static void look_at_events(const au_retracer *x, au_rthread *t) {
    const au_trace *of = x->symbolic->trace;
    if (t->after == AU_NONE)
        return;
    for (; t->spin.looked <= t->after; t->spin.looked++)
        if (of->events.thread[t->spin.looked] == t->number && !may_be_in_round(of, t->spin.looked))
            au_spin_forget(t);
}

void au_spin_wrote(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i,
                   uint64_t at) {
    if (!t->spin.visit.n)
        return;
    const au_live_slots *l = live_of(f);
    if (i->op == AU_C_STORE && i->width && i->a >= 0 && l->cell[(uint32_t)i->a])
        return; /* part of the state */
    for (size_t k = 0; k < t->spin.visit.n; k++)
        t->spin.visit.at[k].over |= at < t->spin.visit.at[k].sp;
    (void)x;
}

/* ---- the state ------------------------------------------------------------------------------------------ */

/* What a slot or a cell holds. */
static au_val content(au_retracer *x, au_rthread *t, const au_rframe *f, const au_live_slots *l,
                      uint32_t var) {
    if (var < l->slots)
        return au_retrace_get(x, t, f, (au_operand)var);
    uint32_t slot = var - l->slots;
    au_val at = au_retrace_get(x, t, f, (au_operand)slot);
    if (at.m != AU_KNOWN || !l->cell[slot])
        return (au_val){0, AU_UNKNOWN};
    return au_retrace_load_private(x, at.v, au_bytes_of(l->cell[slot]), l->cell[slot]);
}

typedef struct {
    au_retracer *x;
    au_rthread *t;
    const au_rframe *f;
    const au_live_slots *l;
    const uint64_t *live;
} state;

static void push_state(const state *s) {
    for (uint32_t v = 0; v < 2 * s->l->slots; v++)
        if (s->live[v / 64] >> v % 64 & 1)
            au_vec_push(&s->t->spin.state, content(s->x, s->t, s->f, s->l, v));
}

static bool set_since(const state *s, size_t visit, uint32_t var) {
    const au_rspin *p = &s->t->spin;
    for (size_t k = visit; k < p->visit.n; k++)
        if (p->visit.at[k].call == s->f->serial &&
            au_live_may_set(s->l, s->f->module->code, p->visit.at[k].block, var))
            return true;
    return false;
}

static bool same_state(const state *s, size_t visit) {
    const au_rspin *p = &s->t->spin;
    size_t k = p->visit.at[visit].state;
    for (uint32_t v = 0; v < 2 * s->l->slots; v++) {
        if (!(s->live[v / 64] >> v % 64 & 1))
            continue;
        au_val was = p->state.at[k++], is = content(s->x, s->t, s->f, s->l, v);
        if (was.m != is.m)
            return false;
        if (was.m == AU_UNKNOWN ? set_since(s, visit, v) : was.v != is.v)
            return false;
    }
    return true;
}

/* ---- rounds ----------------------------------------------------------------------------------------------- */

struct mentions {
    uint32_t after;
    bool own; /* a read of the round */
};

static void mention(void *ctx, uint32_t event) {
    struct mentions *m = ctx;
    m->own |= m->after == AU_NONE || event > m->after;
}

/* What the round asked for: only of what it read itself, for that is forgotten with it; it checks nothing. */
static bool facts_fit(const au_retracer *x, const au_rthread *t, const au_rvisit *v) {
    const au_symbolic *s = x->symbolic;
    for (size_t i = v->fact; i < s->fact.n; i++) {
        const au_fact *f = &s->fact.at[i];
        if (f->thread != t->number)
            continue;
        struct mentions m = {v->after, false};
        au_term_each_var(s->terms, f->cond, mention, &m);
        if (f->kind == AU_FACT_ASSERT || !m.own)
            return false;
    }
    return true;
}

static bool events_fit(au_retracer *x, const au_rthread *t, const au_rvisit *v) {
    const au_columns *c = &x->symbolic->trace->events;
    bool reads = false;
    if (t->after == AU_NONE || t->after == v->after)
        return false;
    for (uint32_t e = v->after == AU_NONE ? 0 : v->after + 1; e <= t->after; e++) {
        if (c->thread[e] != t->number)
            continue;
        reads |= au_op_is_access(c->op[e]);
        if (au_op_is_access(c->op[e]) && !au_sym_keeps(x->sym, e))
            return false;
    }
    return reads;
}

/* A round from the visit to here. */
static void found(au_retracer *x, au_rthread *t, size_t visit) {
    au_rvisit *v = &t->spin.visit.at[visit];
    au_symbolic *s = x->symbolic;
    au_vec_push(&s->round, ((struct au_round){.thread = t->number,
                                              .after = v->after,
                                              .upto = t->after,
                                              .fact = (uint32_t)v->fact,
                                              .fact_end = (uint32_t)s->fact.n,
                                              .hooks = x->r->index - v->index}));
    v->after = t->after;
    v->fact = s->fact.n;
    v->index = x->r->index;
    forget_from(&t->spin, visit + 1);
}

/* Visits of calls that are over. */
static void drop_old(au_rthread *t) {
    au_rspin *s = &t->spin;
    size_t n = s->visit.n;
    for (; n; n--) {
        const au_rvisit *v = &s->visit.at[n - 1];
        if (v->frame < t->frame.n && t->frame.at[v->frame].serial == v->call)
            break;
    }
    forget_from(s, n);
}

void au_spin_block(au_retracer *x, au_rthread *t, const au_rframe *f) {
    const au_live_slots *l = live_of(f);
    au_rspin *p = &t->spin;
    look_at_events(x, t);
    drop_old(t);
    if (!l->loops)
        return;
    au_retrace_stand(x, t, f); /* values are looked at: as this thread, not as who came last */
    state s = {x, t, f, l, au_live_at(l, f->pc)};
    for (size_t k = p->visit.n; k-- > 0;) {
        const au_rvisit *v = &p->visit.at[k];
        if (v->call != f->serial || v->block != f->pc)
            continue;
        if (v->over || v->doubts != p->doubts || !same_state(&s, k) || !facts_fit(x, t, v) ||
            !events_fit(x, t, v))
            break;
        found(x, t, k);
        return;
    }
    if (p->visit.n >= MOST_VISITS)
        au_spin_forget(t);
    au_rvisit *v = au_vec_add(&p->visit);
    *v = (au_rvisit){.frame = (uint32_t)t->frame.n - 1,
                     .call = f->serial,
                     .block = f->pc,
                     .after = t->after,
                     .fact = x->symbolic->fact.n,
                     .index = x->r->index,
                     .sp = t->sp,
                     .doubts = p->doubts,
                     .state = p->state.n};
    push_state(&s);
}
