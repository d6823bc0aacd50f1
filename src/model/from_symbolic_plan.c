/* model/from_symbolic_plan.c: what is found out once about a trace with knowledge: which variables
 * have steps, how wide they are, where reads are used last. (Values: from_symbolic_values.c.) */
#include "model/symbolic_priv.h"

bool au_plan_goes_on(const au_symbolic_plan *p, size_t event) {
    return p->index && au_hooks_goes_on(&p->s->trace->hooks, p->s->trace->events.thread[event],
                                        p->index[event]);
}

size_t au_plan_elsewhere(const au_symbolic_plan *p, size_t event, size_t *n) {
    size_t lo = 0, hi = p->s->elsewhere.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (p->s->elsewhere.at[mid].event < event)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (*n = 0; lo + *n < p->s->elsewhere.n && p->s->elsewhere.at[lo + *n].event == event; ++*n)
        ;
    return lo;
}

/* ---- is the knowledge what it should be? ---------------------------------------------------- */

static au_status wrong(au_error *err, const char *what, size_t n) {
    return au_error_set(err, AU_EINTERNAL, "a bug of augur: knowledge of the run: %s (%zu)", what,
                        n);
}

static au_status check_knowledge(const au_symbolic *s, au_error *err) {
    const au_columns *e = &s->trace->events;
    size_t terms = au_terms_count(s->terms);
    for (size_t i = 0; i < terms; i++) {
        au_term x = {(uint32_t)i};
        if (au_term_kind(s->terms, x) != AU_T_VAR)
            continue;
        uint32_t of = au_term_var(s->terms, x);
        if (of >= e->n || !au_bitset_has(&s->symbolic, of))
            return wrong(err, "a term has a variable that is no symbolic read", of);
    }
    for (size_t i = 0; i < e->n; i++) {
        if (au_bitset_has(&s->symbolic, i) && (!au_op_is_access(e->op[i]) || !au_plan_reads(s, i)))
            return wrong(err, "a symbolic read that is no read, event", i + 1);
        if (s->write[i].n != UINT32_MAX && (s->write[i].n >= terms || !au_op_is_access(e->op[i])))
            return wrong(err, "a written term that is none, event", i + 1);
    }
    for (size_t i = 0; i < s->fact.n; i++) {
        const au_fact *f = &s->fact.at[i];
        if (f->thread >= s->trace->names.thread.n || f->cond.n >= terms ||
            au_term_width(s->terms, f->cond) != 1 ||
            (f->after != AU_NONE && (f->after >= e->n || e->thread[f->after] != f->thread)))
            return wrong(err, "a fact that stands nowhere, number", i);
    }
    for (size_t i = 0; i < s->elsewhere.n; i++) {
        const au_elsewhere *x = &s->elsewhere.at[i];
        if (x->event >= e->n || !au_op_is_access(e->op[x->event]) ||
            x->var >= s->trace->names.var.n || x->when.n >= terms ||
            au_term_width(s->terms, x->when) != 1 || (i && s->elsewhere.at[i - 1].event > x->event))
            return wrong(err, "another place of an access that is none, number", i);
    }
    return AU_OK;
}

/* ---- widths and steps ------------------------------------------------------------------------- */

static au_status set_width(au_symbolic_plan *p, uint32_t var, unsigned width, au_error *err) {
    if (p->width[var] && p->width[var] != width)
        return au_error_set(err, AU_EINTERNAL,
                            "a bug of augur: knowledge of the run: '%s' is %u and %u bits wide",
                            au_intern_str(&p->s->trace->names.var, var), p->width[var], width);
    p->width[var] = (uint8_t)width;
    return AU_OK;
}

static au_status find_widths(au_symbolic_plan *p, au_error *err) {
    const au_symbolic *s = p->s;
    const au_columns *e = &s->trace->events;
    uint8_t *of = au_alloc_array(e->n, 1); /* by event, where a term tells it */
    au_status st = AU_OK;
    for (size_t i = 0; i < au_terms_count(s->terms); i++) {
        au_term x = {(uint32_t)i};
        if (au_term_kind(s->terms, x) == AU_T_VAR)
            of[au_term_var(s->terms, x)] = (uint8_t)au_term_width(s->terms, x);
    }
    for (size_t i = 0; i < e->n && !st; i++) {
        if (s->write[i].n != UINT32_MAX)
            of[i] = (uint8_t)au_term_width(s->terms, s->write[i]);
        if (of[i])
            st = set_width(p, e->obj[i], of[i], err);
    }
    for (size_t i = 0; i < s->elsewhere.n && !st; i++)
        if (of[s->elsewhere.at[i].event])
            st = set_width(p, s->elsewhere.at[i].var, of[s->elsewhere.at[i].event], err);
    free(of);
    for (size_t v = 0; p->among && p->among->width && v < s->trace->names.var.n && !st; v++)
        if (p->among->width[v])
            st = set_width(p, (uint32_t)v, p->among->width[v], err);
    /* The others: wide enough that different values stay different. */
    for (size_t i = 0; i < e->n && !st; i++)
        if (au_op_is_access(e->op[i]) && !p->width[e->obj[i]] && e->any_value && e->has_value[i] &&
            (e->value[i] < INT32_MIN || e->value[i] > INT32_MAX))
            p->width[e->obj[i]] = 64;
    for (size_t v = 0; v < s->trace->names.var.n && !st; v++) {
        bool large = au_bitset_has(&s->init_known, v) && s->init[v] > INT32_MAX;
        p->width[v] = p->width[v] ? p->width[v] : large ? 64 : 32;
    }
    return st;
}

static void find_steps(au_symbolic_plan *p) {
    const au_symbolic *s = p->s;
    const au_columns *e = &s->trace->events;
    au_bitset own = {0};
    const au_bitset *open = p->among ? p->among->open : NULL;
    if (!open)
        au_open_variables(s->trace, &own);
    for (size_t v = 0; v < s->trace->names.var.n; v++)
        if (au_bitset_has(open ? open : &own, v))
            p->flag[v] |= AU_VAR_OPEN | AU_VAR_STEPS;
    au_bitset_release(&own);
    for (size_t i = 0; i < e->n; i++) {
        if (au_bitset_has(&s->symbolic, i))
            p->flag[e->obj[i]] |= AU_VAR_STEPS;
        if (s->write[i].n != UINT32_MAX && !au_term_is_const(s->terms, s->write[i]))
            p->flag[e->obj[i]] |= AU_VAR_TERMS;
    }
    for (size_t i = 0; i < s->elsewhere.n; i++) {
        p->flag[s->elsewhere.at[i].var] |= AU_VAR_STEPS;
        p->flag[e->obj[s->elsewhere.at[i].event]] |= AU_VAR_STEPS;
    }
    /* What holds a term in some other run must be looked at by who keeps what he saw. */
    for (size_t i = 0; i < e->n; i++)
        if (au_op_is_access(e->op[i]) && p->flag[e->obj[i]] & AU_VAR_TERMS && au_plan_reads(s, i))
            p->flag[e->obj[i]] |= AU_VAR_STEPS;
}

/* ---- where a read is used last ------------------------------------------------------------------ */

static void use(uint32_t *at, au_term x, uint32_t place) {
    if (x.n != UINT32_MAX && place > at[x.n])
        at[x.n] = place;
}

/* Kids have smaller numbers than their parents. */
static void find_uses(au_symbolic_plan *p) {
    const au_symbolic *s = p->s;
    size_t terms = au_terms_count(s->terms);
    uint32_t *at = au_alloc_array(terms, sizeof *at);
    p->until = au_alloc_array(s->trace->events.n, sizeof *p->until);
    for (size_t i = 0; i < s->trace->events.n; i++)
        use(at, s->write[i], (uint32_t)(2 * i));
    for (size_t i = 0; i < s->fact.n; i++)
        if (s->fact.at[i].after != AU_NONE)
            use(at, s->fact.at[i].cond, 2 * s->fact.at[i].after + 1);
    for (size_t i = 0; i < s->elsewhere.n; i++)
        use(at, s->elsewhere.at[i].when, 2 * s->elsewhere.at[i].event);
    for (size_t i = terms; i-- > 0;) {
        au_term x = {(uint32_t)i};
        if (!at[i])
            continue;
        if (au_term_kind(s->terms, x) == AU_T_VAR)
            p->until[au_term_var(s->terms, x)] = at[i];
        for (unsigned k = 0; k < au_term_kids(s->terms, x); k++)
            use(at, au_term_kid(s->terms, x, k), at[i]);
    }
    free(at);
}

/* ---- facts by thread ---------------------------------------------------------------------------- */

static void sort_facts(au_symbolic_plan *p) {
    const au_symbolic *s = p->s;
    size_t threads = s->trace->names.thread.n;
    p->first_fact = au_alloc_array(threads + 2, sizeof *p->first_fact);
    p->of_fact = au_alloc_array(s->fact.n, sizeof *p->of_fact);
    for (size_t i = 0; i < s->fact.n; i++)
        p->first_fact[s->fact.at[i].thread + 2]++;
    for (size_t i = 2; i < threads + 2; i++)
        p->first_fact[i] += p->first_fact[i - 1];
    for (size_t i = 0; i < s->fact.n; i++)
        p->of_fact[p->first_fact[s->fact.at[i].thread + 1]++] = (uint32_t)i;
}

/* The first assertion that failed ends the run. */
static void find_end(au_symbolic_plan *p) {
    const au_symbolic *s = p->s;
    p->end = s->trace->events.n;
    p->failed = SIZE_MAX;
    bool any = false;
    for (size_t i = 0; i < s->fact.n; i++)
        any |= s->fact.at[i].kind == AU_FACT_ASSERT;
    if (!any)
        return;
    uint64_t *value = au_alloc_array(s->trace->events.n, sizeof *value);
    for (size_t e = 0; e < s->trace->events.n; e++)
        if (au_bitset_has(&s->symbolic, e))
            value[e] = au_plan_seen(p, e);
    for (size_t i = 0; i < s->fact.n; i++) {
        const au_fact *f = &s->fact.at[i];
        if (f->kind != AU_FACT_ASSERT || (f->after != AU_NONE && f->after >= p->end) ||
            au_term_eval(s->terms, f->cond, value))
            continue;
        if (p->among) { /* what others did before the program really ended is theirs */
            if (!p->fails.word)
                au_bitset_init(&p->fails, s->fact.n);
            au_bitset_add(&p->fails, i);
            continue;
        }
        if (f->after != AU_NONE)
            p->end = (size_t)f->after + 1;
        p->failed = i;
    }
    free(value);
}

/* ---- all of it -------------------------------------------------------------------------------------- */

au_symbolic_plan *au_symbolic_plan_new(const au_symbolic *s, au_error *err) {
    return au_symbolic_plan_among(s, NULL, err);
}

au_plan_var au_symbolic_plan_var(const au_symbolic_plan *p, uint32_t v) {
    return (au_plan_var){.steps = p->flag[v] & AU_VAR_STEPS,
                         .terms = p->flag[v] & AU_VAR_TERMS,
                         .doubted = p->flag[v] & AU_VAR_DOUBTED || p->doubts[v],
                         .init_seen = p->flag[v] & AU_VAR_INIT,
                         .init = p->init[v],
                         .clash = p->flag[v] & AU_VAR_CLASH};
}

bool au_symbolic_plan_cut(const au_symbolic_plan *p) {
    return p->cut.n > 0;
}

au_symbolic_plan *au_symbolic_plan_among(const au_symbolic *s, const au_plan_among *among,
                                         au_error *err) {
    const au_trace *t = s->trace;
    au_trace_sync j;
    if (check_knowledge(s, err) || au_judge_sync(t, &j, err))
        return NULL;
    au_symbolic_plan *p = AU_NEW(au_symbolic_plan);
    p->s = s;
    p->j = j;
    for (size_t i = 0; i < s->fact.n; i++)
        j.used[s->fact.at[i].thread] = true;
    p->among = among;
    p->flag = au_alloc_array(t->names.var.n, 1);
    p->width = au_alloc_array(t->names.var.n, 1);
    p->last = au_alloc_array(t->names.thread.n, sizeof *p->last);
    memset(p->last, 0xff, t->names.thread.n * sizeof *p->last);
    for (size_t i = 0; i < t->events.n; i++)
        p->last[t->events.thread[i]] = (uint32_t)i;
    if (t->hooks.thread.n) {
        uint32_t *count = au_alloc_array(t->names.thread.n, sizeof *count);
        p->index = au_alloc_array(t->events.n, sizeof *p->index);
        for (size_t i = 0; i < t->events.n; i++)
            p->index[i] = ++count[t->events.thread[i]];
        free(count);
    }
    if (find_widths(p, err)) {
        au_symbolic_plan_free(p);
        return NULL;
    }
    find_steps(p);
    for (size_t v = 0; among && among->steps && v < t->names.var.n; v++)
        if (au_bitset_has(among->steps, v))
            p->flag[v] |= AU_VAR_STEPS;
    p->fresh = among && among->fresh;
    au_plan_values(p);
    find_uses(p);
    sort_facts(p);
    find_end(p);
    p->among = NULL;
    return p;
}

void au_symbolic_plan_free(au_symbolic_plan *p) {
    if (!p)
        return;
    au_judged_release(&p->j);
    free(p->flag);
    free(p->width);
    free(p->init);
    free(p->doubt);
    free(p->doubts);
    au_map_release(&p->value);
    au_map_release(&p->before);
    au_map_release(&p->cut);
    if (p->state.p)
        au_state_release(&p->state);
    free(p->last);
    free(p->until);
    free(p->index);
    free(p->of_fact);
    free(p->first_fact);
    au_bitset_release(&p->fails);
    free(p);
}
