/* graph/decide.c: is a question feasible?
 *
 * The edges of the question and what they induce close a cycle: no. Otherwise a linearisation is
 * tried. If it comes to its end, it is executed: yes. If it gets stuck, the choices on the
 * cycle it is stuck in cannot all stand (that is what is learned), so at least one has to be the
 * other way. They are tried one after the other; with the second one the first is known to
 * stand, and so on. Choices that are on no cycle are never looked at: that is the
 * slice of all choices that the question depends on (S_choice of the paper), found by need. */
#include "graph/search_priv.h"

au_cause_search *au_cause_search_new(au_cause *g, const au_cause_exec *exec, uint64_t most) {
    au_cause_search *s = AU_NEW(au_cause_search);
    size_t n = g->threads;
    s->g = g;
    s->exec = exec;
    s->most = most;
    for (int i = 0; i < 2; i++)
        s->end[i].need = au_alloc_array(n, sizeof *s->end[i].need);
    s->limit = au_alloc_array(n, sizeof *s->limit);
    s->set = au_alloc_array(n, sizeof *s->set);
    s->a = au_alloc_array(n, sizeof *s->a);
    s->b = au_alloc_array(n, sizeof *s->b);
    s->c = au_alloc_array(n, sizeof *s->c);
    s->open = au_alloc_array(n, sizeof *s->open);
    s->before_target = au_alloc_array(n, sizeof *s->before_target);
    s->after_base = au_alloc_array(n, sizeof *s->after_base);
    s->after_target = au_alloc_array(n, sizeof *s->after_target);
    s->done = au_alloc_array(n, sizeof *s->done);
    s->head = au_alloc_array(n, sizeof *s->head);
    s->blocked = au_alloc_array(n, sizeof *s->blocked);
    s->in = au_alloc_array(n, sizeof *s->in);
    s->n_in = au_alloc_array(n, sizeof *s->n_in);
    s->at_in = au_alloc_array(n, sizeof *s->at_in);
    s->lock = au_alloc_array(g->t->names.lock.n, sizeof *s->lock);
    s->var = au_alloc_array(g->t->names.var.n, sizeof *s->var);
    return s;
}

void au_cause_search_free(au_cause_search *s) {
    if (!s)
        return;
    free(s->end[0].need);
    free(s->end[1].need);
    free(s->limit);
    free(s->set);
    free(s->a);
    free(s->b);
    free(s->c);
    free(s->open);
    free(s->before_target);
    free(s->after_base);
    free(s->after_target);
    free(s->done);
    free(s->head);
    free(s->blocked);
    free(s->in);
    free(s->n_in);
    free(s->at_in);
    free(s->lock);
    free(s->var);
    au_vec_release(&s->edge);
    au_vec_release(&s->pool);
    au_vec_release(&s->used);
    au_vec_release(&s->in_pool);
    au_vec_release(&s->order);
    au_vec_release(&s->whole);
    au_vec_release(&s->mark);
    free(s);
}

const au_cause_stats *au_cause_search_stats(const au_cause_search *s) {
    return &s->stats;
}

void au_cause_search_limit(au_cause_search *s, uint64_t question, uint64_t all) {
    s->step_most = question;
    s->all_most = all;
}

const uint32_t *au_cause_order(au_cause_search *s, size_t *n) {
    au_vec_clear(&s->whole);
    for (uint32_t e = 0; e < s->start; e++)
        au_vec_push(&s->whole, e);
    au_vec_append(&s->whole, s->order.at, s->order.n);
    *n = s->whole.n;
    return s->whole.at;
}

void au_cause_search_forget(au_cause_search *s) {
    s->begun = false;
}

bool au_search_execute_to(au_cause_search *s, uint32_t event) {
    const au_cause_exec *x = s->exec;
    if (!s->begun) {
        x->begin(x->ctx);
        s->at = 0;
        au_vec_clear(&s->mark);
        au_vec_push(&s->mark, x->mark(x->ctx));
        s->begun = true;
    }
    s->at = event < s->at ? event : s->at;
    x->rewind(x->ctx, s->mark.at[s->at]);
    s->mark.n = s->at + 1;
    for (; s->at < event; s->at++) {
        if (!x->go(x->ctx, s->at, true))
            return false;
        au_vec_push(&s->mark, x->mark(x->ctx));
    }
    return true;
}

/* Does the executor agree that the order shows it? */
static bool executes(au_cause_search *s) {
    const au_cause_exec *x = s->exec;
    if (!x)
        return true;
    if (!au_search_execute_to(s, s->start))
        return false;
    for (size_t i = 0; i < s->order.n; i++) {
        bool read = s->order.at[i] == s->q.read;
        if (read && x->last(x->ctx, s->q.var) != s->q.write)
            return false;
        if (!x->go(x->ctx, s->order.at[i], !read))
            return false;
    }
    return s->q.read != AU_NONE || x->last(x->ctx, s->q.var) == s->q.write;
}

typedef struct {
    size_t edges, pool;
    uint32_t *set;
} saved;

static saved save(const au_cause_search *s) {
    saved k = {s->edge.n, s->pool.n, au_alloc_array(s->g->threads, sizeof *k.set)};
    memcpy(k.set, s->set, s->g->threads * sizeof *k.set);
    return k;
}

static void restore(au_cause_search *s, const saved *k) {
    s->edge.n = k->edges;
    s->pool.n = k->pool;
    s->todo = k->edges;
    s->grew = false;
    s->target_thread = AU_NONE;
    memcpy(s->set, k->set, s->g->threads * sizeof *s->set);
}

/* requires: the edges are followed. */
static au_cause_answer decide(au_cause_search *s) {
    au_cause_choices why = {0};
    if (s->tired || ++s->nodes > s->most)
        return AU_CAUSE_UNKNOWN;
    s->stats.nodes++;
    if (au_search_linearise(s, &why)) {
        au_vec_release(&why);
        if (executes(s))
            return AU_CAUSE_FEASIBLE;
        s->refused = true;
        return AU_CAUSE_UNKNOWN;
    }
    if (s->tired) {
        au_vec_release(&why);
        return AU_CAUSE_UNKNOWN;
    }
    s->stats.learned++;
    s->stats.chose |= why.n > 0;
    au_cause_answer answer = AU_CAUSE_INFEASIBLE;
    for (size_t i = 0; i < why.n && answer == AU_CAUSE_INFEASIBLE; i++) {
        saved k = save(s);
        if (au_search_choose(s, &why.at[i], true) && au_search_follow(s))
            answer = decide(s);
        if (answer == AU_CAUSE_INFEASIBLE) {
            restore(s, &k);
            if (!au_search_choose(s, &why.at[i], false) || !au_search_follow(s))
                i = why.n; /* neither way */
        }
        free(k.set);
    }
    au_vec_release(&why);
    return answer;
}

static void reset(au_cause_search *s, const au_cause_past *p) {
    s->p = p;
    s->nodes = 0;
    s->refused = s->tired = false;
    s->stats.chose = false;
    s->step_end = s->step_most ? s->stats.steps + s->step_most : UINT64_MAX;
    if (s->all_most && s->all_most < s->step_end)
        s->step_end = s->all_most;
}

/* False: a cycle. */
static bool begin(au_cause_search *s, const au_cause_past *p, const au_cause_question *q) {
    reset(s, p);
    return au_search_start(s, q) && au_search_follow(s);
}

static au_cause_answer ask(au_cause_search *s, const au_cause_past *p, const au_cause_question *q) {
    return begin(s, p, q) ? decide(s) : AU_CAUSE_INFEASIBLE;
}

static au_cause_question complete(const au_cause_search *s, const au_cause_question *q) {
    au_cause_question full = *q;
    if (q->read != AU_NONE)
        full.var = s->g->t->events.obj[q->read];
    return full;
}

bool au_cause_maybe(au_cause_search *s, const au_cause_question *q) {
    au_cause_question full = complete(s, q);
    return begin(s, &s->g->relaxed, &full);
}

au_cause_answer au_cause_ask(au_cause_search *s, const au_cause_question *q) {
    au_cause_question full = complete(s, q);
    if (s->g->two && ask(s, &s->g->strict, &full) == AU_CAUSE_FEASIBLE)
        return AU_CAUSE_FEASIBLE;
    return ask(s, &s->g->relaxed, &full);
}

/* --- filters ------------------------------------------------------------------------------------ */

static void begin_filter(au_cause_search *s) {
    reset(s, &s->g->relaxed);
    s->q = (au_cause_question){.read = AU_NONE, .form = AU_FORM_ANY};
    au_search_clear(s);
}

bool au_cause_can_race(au_cause_search *s, uint32_t a, uint32_t b) {
    begin_filter(s);
    if (!au_search_end(s, a, true, false) || !au_search_end(s, b, true, false))
        return false;
    s->grew = true; /* nothing may have come into the set, but locks can be held all the same */
    return au_search_follow(s);
}

/* f need not be the last of its thread: what it locked may have to be released. If it is a read
 * that sees another write, it is; then nothing after it is needed, as that needs its write. */
bool au_cause_can_break(au_cause_search *s, uint32_t e1, uint32_t f, uint32_t e2) {
    const au_cause *g = s->g;
    const au_columns *x = &g->t->events;
    begin_filter(s);
    if (!au_search_end(s, e2, true, true) || !au_search_end(s, f, false, true))
        return false;
    return au_search_edge(s, x->thread[e1], g->index[e1], x->thread[f], g->index[f]) &&
           au_search_edge(s, x->thread[f], g->index[f], x->thread[e2], g->index[e2]) &&
           au_search_follow(s);
}
