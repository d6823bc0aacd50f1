/* graph/nondet.c: all witnesses of a trace. */
#include "graph/nondet.h"

#include "base/deadline.h"
#include "base/hash.h"
#include "base/progress.h"
#include "graph/rows.h"
#include "graph/search_priv.h"

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
    uint32_t *next; /* by thread: its first event after the read, UINT32_MAX */
    uint64_t few;   /* witnesses that were counted and not looked at */
    uint8_t *rank;  /* by read: in which pass it is looked at; NULL: there is one pass */
    unsigned passes;
    uint32_t read, w;
    bool broken, over;
    bool
        each; /* every challenger is looked at: who wants to know what is ruled out hears of each */
} all;

enum { MANY_LEFT = 6 }; /* challengers that rows.c has not shown: one more walk is worth it */
enum { MANY = 3000000, A_TRIPLET = 20 /* events, about */, A_QUESTION = 100000 };

/* Whoever picks the next thread looks at all of them; an edge concerns pairs of them. */
static uint64_t unit(const all *a) {
    return 1 + a->g->threads / 16;
}

static uint64_t spent(const all *a) {
    uint64_t u = unit(a), steps = au_cause_search_stats(a->s)->steps;
    return ((a->rows ? au_rows_work(a->rows) : 0) + steps) * u +
           (a->n->all - a->few) / 3 * A_TRIPLET * u * u;
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
    if (a->o->found && a->o->found(a->o->ctx, &p) && a->o->told) {
        a->o->told(a->o->ctx, &p, order, n);
        au_cause_search_forget(a->s);
    }
}

/* The same of the question that was answered last: its order is long, and mostly nobody wants it. */
static void tell_asked(all *a, uint32_t read, uint32_t var, uint32_t w, uint32_t c) {
    au_nondet_pair p = {read, var, w, c, true};
    a->n->pairs++;
    a->broken = true;
    if (!a->o->found || !a->o->found(a->o->ctx, &p) || !a->o->told)
        return;
    size_t n, upto = 0;
    const uint32_t *events = au_cause_order(a->s, &n);
    while (upto < n && events[upto] != read)
        upto++; /* what comes after the read is there to bring w */
    a->o->told(a->o->ctx, &p, events, upto);
    au_cause_search_forget(a->s);
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

static void seen_ahead(void *ctx, uint32_t c, bool before) {
    all *a = ctx;
    unsigned form = before ? BEFORE : ABSENT;
    if (a->forms[c] & form)
        return;
    if (!a->forms[c])
        tell_asked(a, a->read, a->g->t->events.obj[a->read], a->w, c);
    a->forms[c] |= (uint8_t)form;
}

typedef struct {
    uint32_t read, var, w, c;
    unsigned forms; /* shown */
} triplet;

static void rule_out(const all *a, const triplet *t, unsigned forms, bool by_solve) {
    au_nondet_pair p = {t->read, t->var, t->w, t->c, false};
    for (int f = 0; f < AU_FORM_ANY && a->each; f++)
        if (forms & 1u << f)
            a->o->ruled(a->o->ctx, &p, (au_form)f, by_solve);
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

static bool is_over(all *a) {
    a->over |= (a->o->budget && spent(a) > a->o->budget) || au_deadline_over();
    return a->over;
}

/* --- a couple and a challenger ---------------------------------------------------------------- */

static void solve(all *a, const triplet *t, unsigned open) {
    au_cause_question q = {t->read, t->var, t->c, AU_FORM_ANY};
    uint32_t *order = NULL;
    size_t n = 0;
    au_cause_answer answer = AU_CAUSE_UNKNOWN;
    if (a->o->solve && !t->forms)
        answer = a->o->solve(a->o->solve_ctx, &q, &order, &n);
    au_cause_search_forget(a->s);
    if (answer == AU_CAUSE_INFEASIBLE) {
        a->n->unsolved += ones(open);
        rule_out(a, t, open, true);
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
    bool final = t->read == AU_NONE;
    if (final || !t->w || a->need[g->t->events.thread[t->w - 1]] >= g->index[t->w - 1])
        can = BEFORE; /* w always comes before the read */
    if (!t->c)
        can &= ~BEFORE;
    n->shared += ones(t->forms);
    n->cycle += ones(7 & ~can & ~t->forms);
    rule_out(a, t, 7 & ~can & ~t->forms, false);
    can &= ~t->forms;
    au_cause_question q = {t->read, t->var, t->c, AU_FORM_ANY};
    if (!can)
        return;
    if (!t->forms && !a->o->alone && !au_cause_maybe(a->s, &q)) {
        n->cycle += ones(can);
        rule_out(a, t, can, false);
        return;
    }
    static const au_form order[] = {AU_FORM_ABSENT, AU_FORM_BEFORE, AU_FORM_LATER};
    for (int i = 0; i < 3; i++) {
        unsigned form = 1u << order[i];
        if (!(can & form))
            continue;
        if (order[i] == AU_FORM_LATER && !((t->forms | open) & ABSENT) && !a->o->alone) {
            n->cycle++; /* without w it is not possible either */
            rule_out(a, t, form, false);
            continue;
        }
        q.form = order[i];
        au_cause_answer answer = ask(a, &q, 1);
        if (answer == AU_CAUSE_FEASIBLE) {
            if (!t->forms)
                tell_asked(a, t->read, t->var, t->w, t->c);
            t->forms |= form | (form == LATER ? open & ABSENT : 0);
            if (form == LATER && (open & ABSENT)) {
                open &= ~ABSENT; /* up to the read it is that */
                n->direct++;
            }
        } else if (answer == AU_CAUSE_UNKNOWN) {
            open |= form;
        } else {
            rule_out(a, t, form, false);
        }
    }
    if (open)
        solve(a, t, open);
}

static uint64_t challengers(const all *a, uint32_t var) {
    return a->writes[var].n; /* and the initial value, but not w */
}

/* Of a thread's writes of the variable only these (by number: first … last - 1) can be seen: the others come after the
 * read in every interleaving, or are overwritten by a write of their own thread before it. */
static void window(const all *a, uint32_t read, const au_cause_user *u, uint32_t *first,
                   uint32_t *last) {
    *last = (uint32_t)u->at.n;
    if (read == AU_NONE) {
        *first = *last - 1; /* at the end every write has been done */
        return;
    }
    uint32_t before = au_cause_writes_upto(&u->at, a->need[u->thread]);
    *first = before ? before - 1 : 0;
    if (a->next[u->thread] != UINT32_MAX)
        *last = au_cause_writes_upto(&u->at, a->next[u->thread] - 1);
}

static void one_challenger(all *a, uint32_t read, uint32_t var, uint32_t w, uint32_t c) {
    triplet t = {read, var, w, c, read == AU_NONE ? 0 : a->forms[c]};
    a->n->all += 3;
    if (read != AU_NONE)
        a->forms[c] = 0;
    decide(a, &t);
    a->broken |= t.forms != 0;
}

/* Those outside of the windows are counted, and not looked at. */
static void challenge_few(all *a, uint32_t read, uint32_t var, uint32_t w) {
    const au_cause *g = a->g;
    const au_cause_users *u = &g->write[var];
    uint64_t asked = 0, all_of_them = challengers(a, var) -
                                      (read != AU_NONE && g->t->events.op[read] == AU_OP_RMW);
    if (read != AU_NONE) {
        au_cause_after(g, &g->relaxed, g->t->events.thread[read], g->index[read], a->next);
        uint64_t left = 0, many = a->o->ahead ? a->o->ahead : MANY_LEFT;
        for (size_t k = 0; k < u->n && left < many; k++) {
            uint32_t first, last;
            window(a, read, &u->at[k], &first, &last);
            for (uint32_t i = first; i < last && left < many; i++)
                left += !a->forms[au_cause_event(g, u->at[k].thread, u->at[k].at.at[i]) + 1];
        }
        if (left >= many)
            au_search_ahead(a->s, read, seen_ahead, a);
    }
    for (size_t k = 0; k < u->n; k++) {
        uint32_t first, last;
        window(a, read, &u->at[k], &first, &last);
        for (uint32_t i = first; i < last && !is_over(a); i++) {
            uint32_t c = au_cause_event(g, u->at[k].thread, u->at[k].at.at[i]) + 1;
            if (c == w || (read != AU_NONE && c == read + 1))
                continue;
            one_challenger(a, read, var, w, c);
            asked++;
        }
    }
    if (w && !is_over(a)) {
        one_challenger(a, read, var, w, 0);
        asked++;
    }
    if (!a->over) {
        a->n->all += 3 * (all_of_them - asked);
        a->n->cycle += 3 * (all_of_them - asked);
        a->few += 3 * (all_of_them - asked);
    }
}

static void challenge(all *a, uint32_t read, uint32_t var, uint32_t w) {
    const au_cause_ids *writes = &a->writes[var];
    a->broken = false;
    bool every = a->o->values || a->o->alone || a->each;
    if (!every)
        challenge_few(a, read, var, w);
    for (size_t i = 0; i <= writes->n && every && !is_over(a); i++) {
        uint32_t c = i < writes->n ? writes->at[i] + 1 : 0;
        if (c == w || (read != AU_NONE && c == read + 1))
            continue;
        if (a->o->values && same_value(a, var, w, c)) {
            a->n->same_value += 3;
            continue;
        }
        one_challenger(a, read, var, w, c);
    }
    a->n->couples += a->broken;
}

/* --- all of them ------------------------------------------------------------------------------- */

static uint64_t count_all(const all *a) {
    const au_columns *x = &a->g->t->events;
    uint64_t n = 0;
    for (uint32_t e = 0; e < x->n; e++)
        if (au_cause_reads(x->op[e]) && a->shared[x->obj[e]])
            n += challengers(a, x->obj[e]) - (x->op[e] == AU_OP_RMW);
    for (uint32_t v = 0; v < a->g->t->names.var.n; v++)
        if (a->shared[v])
            n += challengers(a, v);
    return 3 * n;
}

/* The first read of a location in a thread, the second and third, the next four, … */
static void rank_reads(all *a) {
    const au_columns *x = &a->g->t->events;
    au_map seen_before;
    au_map_init(&seen_before);
    a->rank = au_alloc_array(x->n, 1);
    for (uint32_t e = 0; e < x->n; e++) {
        if (!au_cause_reads(x->op[e]) || !a->shared[x->obj[e]])
            continue;
        uint32_t place = x->loc[e] == AU_NONE ? x->obj[e] : x->loc[e];
        uint64_t *times = au_map_put(&seen_before, (uint64_t)place << 16 | x->thread[e], NULL);
        a->rank[e] = (uint8_t)(63 - __builtin_clzll(++*times));
        a->passes = a->rank[e] + 1u > a->passes ? a->rank[e] + 1u : a->passes;
    }
    au_map_release(&seen_before);
}

static void reads_of(all *a, uint32_t thread, unsigned pass) {
    const au_cause *g = a->g;
    const au_columns *x = &g->t->events;
    if (a->rows)
        au_rows_start(a->rows, thread);
    for (uint32_t i = 1; i <= au_cause_length(g, thread) && !is_over(a); i++) {
        uint32_t e = au_cause_event(g, thread, i);
        if (!au_cause_reads(x->op[e]) || !a->shared[x->obj[e]] || (a->rank && a->rank[e] != pass))
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
    au_cause_options how = {.pairs = o->pairs};
    all a = {.o = o, .n = n};
    *n = (au_nondet_counts){0};
    a.g = au_cause_new(t, &how, err);
    if (!a.g)
        return err->status;
    n->memory = au_cause_memory(a.g);
    a.s = au_cause_search_new(a.g, o->checker, o->most);
    a.need = au_alloc_array(a.g->threads, sizeof *a.need);
    a.next = au_alloc_array(a.g->threads, sizeof *a.next);
    a.forms = au_alloc_array(t->events.n + 1, sizeof *a.forms);
    find_shared(&a);
    if (o->walker && !o->alone)
        a.rows = au_rows_new(a.g, o->walker, seen, &a);
    uint64_t total = count_all(&a);
    a.each = o->ruled && total <= o->ruled_most;
    au_cause_search_limit(a.s, A_QUESTION + 8 * (uint64_t)t->events.n, o->budget / unit(&a));
    if (a.rows && o->budget)
        au_rows_limit(a.rows, o->budget / unit(&a));
    a.passes = 1;
    if (total > MANY)
        rank_reads(&a);
    for (unsigned pass = 0; pass < a.passes; pass++)
        for (uint32_t i = 0; i < a.g->threads; i++) {
            au_progress("witnesses", n->all + n->same_value, total);
            reads_of(&a, i, pass);
        }
    for (uint32_t v = 0; v < t->names.var.n && !is_over(&a); v++)
        if (a.shared[v])
            challenge(&a, AU_NONE, v, au_vec_last(&a.writes[v]) + 1);
    n->left = total - n->all - n->same_value;
    const au_cause_stats *st = au_cause_search_stats(a.s);
    n->graphs = st->graphs;
    n->learned = st->learned;
    n->walked = a.rows ? au_rows_walked(a.rows) : 0;
    for (size_t v = 0; v < t->names.var.n; v++)
        au_vec_release(&a.writes[v]);
    free(a.writes);
    free(a.shared);
    free(a.forms);
    free(a.rank);
    free(a.need);
    free(a.next);
    au_rows_free(a.rows);
    au_cause_search_free(a.s);
    au_cause_free(a.g);
    return AU_OK;
}
