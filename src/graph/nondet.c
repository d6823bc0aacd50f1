/* graph/nondet.c: all witnesses of a trace. */
#include "graph/nondet.h"

#include "base/progress.h"
#include "graph/rows.h"

enum { LATER = 1u << AU_FORM_LATER, BEFORE = 1u << AU_FORM_BEFORE, ABSENT = 1u << AU_FORM_ABSENT };

typedef struct {
    const au_nondet_options *o;
    au_nondet_counts *n;
    au_cause *g;
    au_cause_search *s;
    au_rows *rows;
    au_cause_ids *writes; /* by shared variable: events, in the order of the trace */
    bool *shared;
    uint8_t *forms; /* by write (event + 1, 0 initial): shown so far for this read */
    uint32_t *need; /* before the read */
    uint32_t read, w;
    bool broken;
} all;

static uint64_t spent(const all *a) {
    return a->rows ? au_rows_walked(a->rows) : 0;
}

/* Every access of it by one thread, or nobody writes it: nothing can change. */
static void find_shared(all *a) {
    const au_columns *x = &a->g->t->events;
    size_t vars = a->g->t->names.var.n;
    uint32_t *first = au_alloc_array(vars, sizeof *first);
    a->shared = au_alloc_array(vars, sizeof *a->shared);
    a->writes = au_alloc_array(vars, sizeof *a->writes);
    for (uint32_t e = 0; e < x->n; e++) {
        if (!au_op_is_access(x->op[e]))
            continue;
        uint32_t v = x->obj[e];
        if (!first[v])
            first[v] = x->thread[e] + 1u;
        a->shared[v] |= first[v] != x->thread[e] + 1u;
    }
    for (uint32_t e = 0; e < x->n; e++)
        if (au_cause_writes(x->op[e]) && a->shared[x->obj[e]])
            au_vec_push(&a->writes[x->obj[e]], e);
    for (size_t v = 0; v < vars; v++)
        a->shared[v] &= a->writes[v].n > 0;
    free(first);
}

/* --- values ------------------------------------------------------------------------------ */

static bool value_of(const all *a, uint32_t event, int64_t *v) {
    const au_columns *x = &a->g->t->events;
    if (!x->any_value || !(x->all_value || x->has_value[event]))
        return false;
    *v = x->value[event];
    return true;
}

static bool initial_value(const all *a, uint32_t var, int64_t *v) {
    uint32_t b = a->g->virgin[var];
    return b && a->g->t->events.op[b - 1] != AU_OP_RMW && value_of(a, b - 1, v);
}

/* Does c store what the read saw? */
static bool same_value(const all *a, uint32_t var, uint32_t w, uint32_t c) {
    int64_t x, y;
    bool known = (w ? value_of(a, w - 1, &x) : initial_value(a, var, &x)) &&
                 (c ? value_of(a, c - 1, &y) : initial_value(a, var, &y));
    return known && x == y;
}

/* --- what was found ------------------------------------------------------------------------ */

static void tell(all *a, uint32_t read, uint32_t var, uint32_t w, uint32_t c, bool feasible,
                 const uint32_t *order, size_t n) {
    au_nondet_pair p = {read, var, w, c, feasible};
    a->n->pairs += feasible;
    a->broken |= feasible;
    if (a->o->found && a->o->found(a->o->ctx, &p) && a->o->told)
        a->o->told(a->o->ctx, &p, order, n);
}

static void seen(void *ctx, uint32_t read, uint32_t c, unsigned form, const au_cause_ids *order) {
    all *a = ctx;
    uint8_t *f = &a->forms[c];
    if (*f & form)
        return;
    if (a->o->values && same_value(a, a->g->t->events.obj[read], a->w, c))
        return;
    unsigned fresh = form | (form == LATER ? ABSENT : 0);
    if (!*f)
        tell(a, read, a->g->t->events.obj[read], a->w, c, true, order->at, order->n);
    *f |= (uint8_t)fresh;
}

static uint64_t ones(unsigned x) {
    return (uint64_t)__builtin_popcount(x);
}

/* One question, and where its answer counts: so many witnesses. */
static au_cause_answer ask(all *a, const au_cause_question *q, uint64_t witnesses) {
    au_nondet_counts *n = a->n;
    au_cause_answer answer = au_cause_ask(a->s, q);
    const au_cause_stats *st = au_cause_search_stats(a->s);
    if (answer == AU_CAUSE_FEASIBLE)
        *(st->chose ? &n->chosen : &n->direct) += witnesses;
    else if (answer == AU_CAUSE_INFEASIBLE)
        *(st->chose ? &n->refuted : &n->cycle) += witnesses;
    return answer;
}

/* --- a couple and a challenger ---------------------------------------------------------------- */

typedef struct {
    uint32_t read, var, w, c;
    unsigned forms; /* shown */
} triplet;

static void solve(all *a, const triplet *t, unsigned open) {
    au_cause_question q = {t->read, t->var, t->c, AU_FORM_ANY};
    uint32_t *order = NULL;
    size_t n = 0;
    au_cause_answer answer = AU_CAUSE_UNKNOWN;
    if (a->o->solve && !t->forms)
        answer = a->o->solve(a->o->solve_ctx, &q, &order, &n);
    if (answer == AU_CAUSE_INFEASIBLE) {
        a->n->unsolved += ones(open);
        return;
    }
    if (answer == AU_CAUSE_FEASIBLE) {
        bool before = !t->w;
        for (size_t i = 0; i < n && t->w; i++)
            before |= order[i] == t->w - 1;
        unsigned form = before ? BEFORE : ABSENT;
        a->n->solved += (open & form) != 0;
        a->n->open += ones(open & ~form);
        tell(a, t->read, t->var, t->w, t->c, true, order, n);
        free(order);
        return;
    }
    a->n->open += ones(open);
    if (!t->forms)
        tell(a, t->read, t->var, t->w, t->c, false, NULL, 0);
}

/* What walks have not shown of this triplet. */
static void decide(all *a, triplet *t) {
    const au_cause *g = a->g;
    au_nondet_counts *n = a->n;
    unsigned can = LATER | BEFORE | ABSENT, open = 0;
    bool final = t->read == AU_CAUSE_NONE;
    if (final || !t->w || a->need[g->t->events.thread[t->w - 1]] >= g->index[t->w - 1])
        can = BEFORE; /* w always comes before the read */
    if (!t->c)
        can &= ~BEFORE;
    n->shared += ones(t->forms);
    n->cycle += ones(7 & ~can & ~t->forms);
    can &= ~t->forms;
    au_cause_question q = {t->read, t->var, t->c, AU_FORM_ANY};
    if (!can)
        return;
    if (!t->forms && !a->o->alone && !au_cause_maybe(a->s, &q)) {
        n->cycle += ones(can);
        return;
    }
    static const au_form order[] = {AU_FORM_ABSENT, AU_FORM_BEFORE, AU_FORM_LATER};
    for (int i = 0; i < 3; i++) {
        unsigned form = 1u << order[i];
        if (!(can & form))
            continue;
        if (order[i] == AU_FORM_LATER && !((t->forms | open) & ABSENT) && !a->o->alone) {
            n->cycle++; /* without w it is not possible either */
            continue;
        }
        q.form = order[i];
        au_cause_answer answer = ask(a, &q, 1);
        if (answer == AU_CAUSE_FEASIBLE) {
            size_t len;
            const uint32_t *events = au_cause_order(a->s, &len);
            if (!t->forms)
                tell(a, t->read, t->var, t->w, t->c, true, events, len - !final);
            t->forms |= form;
        } else if (answer == AU_CAUSE_UNKNOWN) {
            open |= form;
        }
    }
    if (open)
        solve(a, t, open);
}

static void challenge(all *a, uint32_t read, uint32_t var, uint32_t w) {
    const au_cause_ids *writes = &a->writes[var];
    a->broken = false;
    for (size_t i = 0; i <= writes->n; i++) {
        uint32_t c = i < writes->n ? writes->at[i] + 1 : 0;
        if (c == w || (read != AU_CAUSE_NONE && c == read + 1))
            continue;
        if (a->o->values && same_value(a, var, w, c)) {
            a->n->same_value += 3;
            continue;
        }
        triplet t = {read, var, w, c, read == AU_CAUSE_NONE ? 0 : a->forms[c]};
        a->n->all += 3;
        if (read != AU_CAUSE_NONE)
            a->forms[c] = 0;
        decide(a, &t);
        a->broken |= t.forms != 0;
    }
    a->n->couples += a->broken;
}

static bool is_over(all *a) {
    if (a->o->budget && spent(a) > a->o->budget)
        a->n->over = true;
    return a->n->over;
}

static void reads_of(all *a, uint32_t thread) {
    const au_cause *g = a->g;
    const au_columns *x = &g->t->events;
    if (a->rows)
        au_rows_start(a->rows, thread);
    for (uint32_t i = 1; i <= au_cause_length(g, thread); i++) {
        uint32_t e = au_cause_event(g, thread, i);
        if (!au_cause_reads(x->op[e]) || !a->shared[x->obj[e]] || is_over(a))
            continue;
        a->read = e;
        a->w = g->writer[e];
        au_cause_past_before(g, &g->relaxed, e, a->need);
        if (a->rows)
            au_rows_read(a->rows, e);
        challenge(a, e, x->obj[e], a->w);
    }
}

au_status au_nondet(const au_trace *t, const au_nondet_options *o, au_nondet_counts *n,
                    au_error *err) {
    au_cause_options how = {o->pairs};
    all a = {.o = o, .n = n};
    *n = (au_nondet_counts){0};
    a.g = au_cause_new(t, &how, err);
    if (!a.g)
        return err->status;
    n->memory = au_cause_memory(a.g);
    a.s = au_cause_search_new(a.g, o->checker, o->most);
    a.need = au_alloc_array(a.g->threads, sizeof *a.need);
    a.forms = au_alloc_array(t->events.n + 1, sizeof *a.forms);
    find_shared(&a);
    if (o->walker && !o->alone)
        a.rows = au_rows_new(a.g, o->walker, seen, &a);
    for (uint32_t i = 0; i < a.g->threads; i++) {
        au_progress("reads of threads", i, a.g->threads);
        reads_of(&a, i);
    }
    for (uint32_t v = 0; v < t->names.var.n && !is_over(&a); v++)
        if (a.shared[v])
            challenge(&a, AU_CAUSE_NONE, v, au_vec_last(&a.writes[v]) + 1);
    const au_cause_stats *st = au_cause_search_stats(a.s);
    n->graphs = st->graphs;
    n->learned = st->learned;
    n->walked = spent(&a);
    for (size_t v = 0; v < t->names.var.n; v++)
        au_vec_release(&a.writes[v]);
    free(a.writes);
    free(a.shared);
    free(a.forms);
    free(a.need);
    au_rows_free(a.rows);
    au_cause_search_free(a.s);
    au_cause_free(a.g);
    return AU_OK;
}
