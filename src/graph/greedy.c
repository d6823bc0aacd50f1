/* graph/greedy.c: one order of the events of a question, close to that of the trace.
 *
 * Of the events that can be next the earliest of the trace is taken. So it begins as the trace does, up to the first
 * event that something of the question concerns (first_change); only from there on are events looked at one by one. An event can be next if
 *   - all that comes before it by an edge is done;
 *   - it is an acquire: the lock is free, and if its release does not take part, no other
 *     section of the lock is still to come;
 *   - it is a write: every read of the variable's last write that takes part is done.
 * So a read, when its write is done, sees it. Nothing is ever violated; it may only be that
 * nothing can be next. Then every thread waits for another, and following that gives a cycle:
 * of edges, and of choices that were made (this section was begun first, this write was done
 * before that one). At least one of the choices was wrong. */
#include "graph/search_priv.h"

typedef enum { READY, BY_EDGE, BY_CHOICE } ready;

typedef struct {
    uint32_t thread; /* that has to go on first */
    au_cause_choice choice;
} blocker;

/* When it is first looked at, nothing has been done with it since the beginning. */
static au_cause_lock *lock_at(au_cause_search *s, uint32_t l) {
    au_cause_lock *k = &s->lock[l];
    if (k->run == s->run)
        return k;
    const au_cause *g = s->g;
    *k = (au_cause_lock){.run = s->run};
    for (size_t i = 0; i < g->lock[l].n && s->start; i++) {
        uint32_t v = g->lock[l].at[i].thread, n;
        const uint32_t *open = au_cause_open_after(g, v, s->done[v], &n);
        for (uint32_t j = 0; j < n; j++) {
            if (g->section.at[open[j]].lock != l)
                continue;
            if (g->section.at[open[j]].shared)
                k->readers++;
            else
                k->holder = open[j] + 1;
        }
    }
    return k;
}

/* Is this read one of those that keep their write, and still to come? */
static bool waits(const au_cause_search *s, uint32_t read) {
    uint32_t t = s->g->t->events.thread[read], i = s->g->index[read];
    return read != s->q.read && i <= s->set[t] && i > s->done[t];
}

static bool question_waits(const au_cause_search *s, uint32_t var, uint32_t write) {
    return s->q.read != AU_NONE && s->q.var == var && s->q.write == write &&
           s->done[s->reader] < s->g->index[s->q.read];
}

/* The reads of this write (event + 1, 0 initial) that are still to come. */
static uint32_t count_waiting(const au_cause_search *s, uint32_t var, uint32_t write) {
    const au_cause *g = s->g;
    uint32_t n = question_waits(s, var, write);
    for (uint32_t b = write ? g->reader[write - 1] : g->virgin[var]; b; b = g->next[b - 1])
        n += waits(s, b - 1);
    return n;
}

/* One of them, but not this event. */
static uint32_t one_waiting(const au_cause_search *s, uint32_t var, uint32_t write,
                            uint32_t not_this) {
    const au_cause *g = s->g;
    if (question_waits(s, var, write) && s->q.read != not_this)
        return s->q.read;
    for (uint32_t b = write ? g->reader[write - 1] : g->virgin[var]; b; b = g->next[b - 1])
        if (b - 1 != not_this && waits(s, b - 1))
            return b - 1;
    return AU_NONE;
}

/* Event + 1, 0: none. */
static uint32_t last_write(const au_cause_search *s, uint32_t x) {
    const au_cause *g = s->g;
    uint32_t last = 0;
    for (size_t k = 0; k < g->write[x].n && s->start; k++) {
        const au_cause_user *u = &g->write[x].at[k];
        uint32_t n = au_cause_writes_upto(&u->at, s->done[u->thread]);
        uint32_t e = n ? au_cause_event(g, u->thread, u->at.at[n - 1]) + 1 : 0;
        last = e > last ? e : last;
    }
    return last;
}

static au_cause_var *var_at(au_cause_search *s, uint32_t x) {
    au_cause_var *v = &s->var[x];
    if (v->run != s->run) {
        *v = (au_cause_var){.run = s->run, .last = last_write(s, x)};
        v->waiting = count_waiting(s, x, v->last);
    }
    return v;
}

static bool apart(const au_cause_section *a, const au_cause_section *b) {
    return !(a->shared && b->shared);
}

/* A section of another thread that takes part, has not begun and cannot come together with
 * this one. */
static uint32_t another_to_come(const au_cause_search *s, uint32_t section) {
    const au_cause *g = s->g;
    const au_cause_section *b = &g->section.at[section];
    const au_cause_users *u = &g->lock[b->lock];
    for (size_t k = 0; k < u->n; k++) {
        uint32_t v = u->at[k].thread;
        if (v == b->thread)
            continue;
        const au_cause_ids *at = &u->at[k].at;
        for (uint32_t x = au_cause_sections_upto(g, at, s->done[v]); x < at->n; x++) {
            if (g->section.at[at->at[x]].acq > s->set[v])
                break;
            if (apart(&g->section.at[at->at[x]], b))
                return at->at[x];
        }
    }
    return AU_NONE;
}

static uint32_t shared_holder(const au_cause_search *s, uint32_t lock, uint32_t not_thread) {
    const au_cause *g = s->g;
    for (size_t k = 0; k < g->lock[lock].n; k++) {
        uint32_t v = g->lock[lock].at[k].thread, n;
        const uint32_t *open = au_cause_open_after(g, v, s->done[v], &n);
        for (uint32_t j = 0; j < n && v != not_thread; j++)
            if (g->section.at[open[j]].lock == lock)
                return open[j];
    }
    return AU_NONE;
}

static ready can_begin(au_cause_search *s, uint32_t section, blocker *b) {
    const au_cause *g = s->g;
    const au_cause_section *x = &g->section.at[section];
    const au_cause_lock *l = lock_at(s, x->lock);
    uint32_t holder = l->holder                  ? l->holder - 1
                      : l->readers && !x->shared ? shared_holder(s, x->lock, x->thread)
                                                 : AU_NONE;
    if (holder != AU_NONE) {
        *b = (blocker){g->section.at[holder].thread, {true, holder, section}};
        return BY_CHOICE;
    }
    if (x->rel && x->rel <= s->set[x->thread])
        return READY;
    uint32_t other = another_to_come(s, section);
    if (other == AU_NONE)
        return READY;
    *b = (blocker){g->section.at[other].thread, {true, other, section}};
    return BY_CHOICE;
}

static ready can_go(au_cause_search *s, uint32_t t, blocker *b) {
    const au_cause *g = s->g;
    const au_columns *x = &g->t->events;
    uint32_t i = s->done[t] + 1, e = au_cause_event(g, t, i), v = x->obj[e];
    au_op op = x->op[e];
    bool question = e == s->q.read;
    const uint32_t *past = question ? s->need : au_cause_clock(g, s->p, e);
    bool fresh =
        question || i == 1 || s->p->clock_of[e] != s->p->clock_of[au_cause_event(g, t, i - 1)];
    for (uint32_t u = 0; u < g->threads && fresh; u++)
        if (u != t && past[u] > s->done[u]) {
            b->thread = u;
            return BY_EDGE;
        }
    for (uint32_t k = s->at_in[t]; k < s->n_in[t]; k++) {
        const au_cause_edge *in = &s->edge.at[s->in[t][k]];
        if (in->to > i)
            break;
        if (s->done[in->from_thread] < in->from) {
            b->thread = in->from_thread;
            return BY_EDGE;
        }
    }
    if (g->section_of[e] != AU_NONE && g->section.at[g->section_of[e]].acq == i)
        return can_begin(s, g->section_of[e], b);
    if (!au_cause_writes(op))
        return READY;
    const au_cause_var *y = var_at(s, v);
    uint32_t mine = au_cause_reads(op); /* sees the last write itself */
    if (y->waiting <= mine)
        return READY;
    uint32_t reader = one_waiting(s, v, y->last, e);
    *b = (blocker){x->thread[reader], {false, y->last ? y->last - 1 : AU_NONE, e}};
    return BY_CHOICE;
}

static void go(au_cause_search *s, uint32_t t) {
    const au_cause *g = s->g;
    const au_columns *x = &g->t->events;
    uint32_t i = s->done[t] + 1, e = au_cause_event(g, t, i), v = x->obj[e];
    au_op op = x->op[e];
    if (g->section_of[e] != AU_NONE) {
        const au_cause_section *c = &g->section.at[g->section_of[e]];
        au_cause_lock *l = lock_at(s, c->lock);
        if (c->shared)
            l->readers += c->acq == i ? 1 : UINT32_MAX;
        else
            l->holder = c->acq == i ? g->section_of[e] + 1 : 0;
    }
    if (au_cause_reads(op))
        var_at(s, v)->waiting--;
    if (au_cause_writes(op))
        (void)var_at(s, v);
    s->done[t] = i;
    if (au_cause_writes(op)) {
        s->var[v].last = e + 1;
        s->var[v].waiting = count_waiting(s, v, e + 1);
    }
    while (s->at_in[t] < s->n_in[t] && s->edge.at[s->in[t][s->at_in[t]]].to <= i)
        s->at_in[t]++;
    au_vec_push(&s->order, e);
    s->stats.steps++;
}

static void sort_edges(au_cause_search *s) {
    const au_cause *g = s->g;
    au_vec_reserve(&s->in_pool, s->edge.n + 1);
    memset(s->n_in, 0, g->threads * sizeof *s->n_in);
    memset(s->at_in, 0, g->threads * sizeof *s->at_in);
    for (size_t k = 0; k < s->edge.n; k++)
        s->n_in[s->edge.at[k].to_thread]++;
    uint32_t *next = s->in_pool.at;
    for (uint32_t t = 0; t < g->threads; t++) {
        s->in[t] = next;
        next += s->n_in[t];
        s->n_in[t] = 0;
    }
    for (size_t k = 0; k < s->edge.n; k++) {
        uint32_t t = s->edge.at[k].to_thread, j = s->n_in[t]++;
        for (; j > 0 && s->edge.at[s->in[t][j - 1]].to > s->edge.at[k].to; j--)
            s->in[t][j] = s->in[t][j - 1];
        s->in[t][j] = (uint32_t)k;
    }
}

/* Follows who waits for whom; the choices on the cycle. */
static void explain(au_cause_search *s, au_cause_choices *why) {
    const au_cause *g = s->g;
    blocker *b = au_alloc_array(g->threads, sizeof *b);
    ready *how = au_alloc_array(g->threads, sizeof *how);
    uint32_t t = 0;
    for (uint32_t u = 0; u < g->threads; u++) {
        if (s->done[u] == s->set[u])
            continue;
        how[u] = can_go(s, u, &b[u]);
        /* (a write may wait for a later read of its own thread) */
        AU_BUG_IF(how[u] == READY || s->done[b[u].thread] == s->set[b[u].thread]);
        t = u;
    }
    for (uint32_t k = 0; k < g->threads; k++)
        t = b[t].thread; /* on the cycle now */
    uint32_t first = t;
    do {
        if (how[t] == BY_CHOICE)
            au_vec_push(why, b[t].choice);
        t = b[t].thread;
    } while (t != first);
    free(b);
    free(how);
}

static bool is_over(const au_cause_search *s) {
    return s->reader != AU_NONE && s->q.form != AU_FORM_LATER &&
           s->done[s->reader] == s->g->index[s->q.read];
}

/* The next event of the thread, UINT32_MAX: none takes part. */
static uint32_t head_of(const au_cause_search *s, uint32_t t) {
    return s->done[t] < s->set[t] ? au_cause_event(s->g, t, s->done[t] + 1) : UINT32_MAX;
}

static void at_most(uint32_t *first, uint32_t event) {
    *first = event < *first ? event : *first;
}

/* The first event of the trace that does not take part, or that the question, its edges or a section without its
 * release may keep back. Those before can all run as they did. */
static uint32_t first_change(const au_cause_search *s) {
    const au_cause *g = s->g;
    uint32_t first = g->n, n;
    if (s->q.read != AU_NONE)
        at_most(&first, s->q.read);
    if (s->q.write)
        at_most(&first, s->q.write - 1);
    for (size_t k = 0; k < g->write[s->q.var].n && !s->q.write; k++) {
        const au_cause_user *u = &g->write[s->q.var].at[k];
        at_most(&first, au_cause_event(g, u->thread, u->at.at[0]));
    }
    for (uint32_t t = 0; t < g->threads; t++) {
        if (s->set[t] < au_cause_length(g, t))
            at_most(&first, au_cause_event(g, t, s->set[t] + 1));
        const uint32_t *open = au_cause_open_after(g, t, s->set[t], &n);
        for (uint32_t j = 0; j < n; j++)
            at_most(&first, au_cause_event(g, t, g->section.at[open[j]].acq));
    }
    for (size_t k = 0; k < s->edge.n; k++) {
        const au_cause_edge *e = &s->edge.at[k];
        uint32_t to = au_cause_event(g, e->to_thread, e->to);
        if (au_cause_event(g, e->from_thread, e->from) > to)
            at_most(&first, to);
    }
    return first;
}

bool au_search_linearise(au_cause_search *s, au_cause_choices *why) {
    const au_cause *g = s->g;
    bool any_blocked = false;
    s->run++;
    s->stats.graphs++;
    s->start = first_change(s);
    for (uint32_t t = 0; t < g->threads; t++)
        s->done[t] = au_cause_done_before(g, t, s->start);
    memset(s->blocked, 0, g->threads * sizeof *s->blocked);
    au_vec_clear(&s->order);
    sort_edges(s);
    for (uint32_t t = 0; t < g->threads; t++) {
        s->head[t] = head_of(s, t);
        while (s->at_in[t] < s->n_in[t] && s->edge.at[s->in[t][s->at_in[t]]].to <= s->done[t])
            s->at_in[t]++;
    }
    while (!is_over(s)) {
        uint32_t best = 0, at = UINT32_MAX;
        for (uint32_t t = 0; t < g->threads; t++)
            if (s->head[t] < at && !(any_blocked && s->blocked[t])) {
                best = t;
                at = s->head[t];
            }
        if (at == UINT32_MAX) {
            if (any_blocked)
                explain(s, why);
            return !any_blocked;
        }
        if (s->stats.steps >= s->step_end) {
            s->tired = true;
            return false;
        }
        blocker b;
        if (can_go(s, best, &b) != READY) {
            s->blocked[best] = any_blocked = true;
            continue;
        }
        go(s, best);
        s->head[best] = head_of(s, best);
        if (any_blocked)
            memset(s->blocked, 0, g->threads * sizeof *s->blocked);
        any_blocked = false;
    }
    return true;
}
