/* graph/order.c: the edges that a question adds to the graph, and what they induce.
 *
 * The clocks of the graph are never changed. A question's own edges are few; each keeps the
 * past of where it starts and what comes after where it ends, so that a path is found by going
 * over them, and undoing is forgetting the last ones.
 *
 * With a new edge x -> y everything up to the last event before x (of each thread t) comes
 * before everything from the first one after y (of each thread v). Of the locks' rules only
 * sections that are open at one of these two places can say something new:
 *   a section A of t that begins before and a section B of v that ends after, of one lock:
 *   A's release comes before B's acquire. */
#include "graph/search_priv.h"

static const uint32_t *past_of_edge(const au_cause_search *s, const au_cause_edge *e) {
    return s->pool.at + e->data;
}
static const uint32_t *after_edge(const au_cause_search *s, const au_cause_edge *e) {
    return s->pool.at + e->data + s->g->threads;
}

bool au_search_in(const au_cause_search *s, uint32_t event) {
    return s->g->index[event] <= s->set[s->g->t->events.thread[event]];
}

static void start_over(au_cause_search *s) {
    au_vec_reserve(&s->used, s->edge.n + 1);
    memset(s->used.at, 0, s->edge.n + 1);
}

static const au_cause_end *end_at(const au_cause_search *s, uint32_t event) {
    for (uint32_t i = 0; i < s->n_ends; i++)
        if (s->end[i].event == event)
            return &s->end[i];
    return NULL;
}

/* The past of an event by the graph; of an end without the write that it saw. */
static void past(const au_cause_search *s, uint32_t event, uint32_t *to) {
    const au_cause_end *end = end_at(s, event);
    if (!end) {
        au_cause_past_of(s->g, s->p, event, to);
        return;
    }
    memcpy(to, end->need, s->g->threads * sizeof *to);
    to[s->g->t->events.thread[event]] = s->g->index[event];
}

/* All that comes before this event, itself included. */
static void before(au_cause_search *s, uint32_t thread, uint32_t index, uint32_t *to) {
    const au_cause *g = s->g;
    past(s, au_cause_event(g, thread, index), to);
    start_over(s);
    for (bool grew = s->edge.n > 0; grew;) {
        grew = false;
        for (size_t i = 0; i < s->edge.n; i++) {
            const au_cause_edge *e = &s->edge.at[i];
            if (s->used.at[i] || to[e->to_thread] < e->to)
                continue;
            s->used.at[i] = 1;
            const uint32_t *by = past_of_edge(s, e);
            for (uint32_t t = 0; t < g->threads; t++)
                if (to[t] < by[t]) {
                    to[t] = by[t];
                    grew = true;
                }
        }
    }
}

/* 'to' has what comes after by the graph; adds what comes after by the edges. */
static void after(au_cause_search *s, uint32_t *to) {
    const au_cause *g = s->g;
    start_over(s);
    for (bool grew = s->edge.n > 0; grew;) {
        grew = false;
        for (size_t i = 0; i < s->edge.n; i++) {
            const au_cause_edge *e = &s->edge.at[i];
            if (s->used.at[i] || e->from < to[e->from_thread])
                continue;
            s->used.at[i] = 1;
            const uint32_t *by = after_edge(s, e);
            for (uint32_t t = 0; t < g->threads; t++)
                if (to[t] > by[t]) {
                    to[t] = by[t];
                    grew = true;
                }
        }
    }
}

/* Several edges often end at one event: what is known of it is kept for the next one. */
static void look_at(au_cause_search *s, uint32_t thread, uint32_t index) {
    const au_cause *g = s->g;
    if (s->target_thread == thread && s->target == index)
        return;
    s->target_thread = thread;
    s->target = index;
    before(s, thread, index, s->before_target);
    au_cause_after(g, s->p, thread, index, s->after_base);
    for (uint32_t i = 0; i < s->n_ends; i++) {
        const au_cause_end *e = &s->end[i];
        uint32_t t = g->t->events.thread[e->event];
        /* A read does not come after the write that it saw. */
        if (t != thread && s->after_base[t] == g->index[e->event] && e->need[thread] < index)
            s->after_base[t] = e->last ? UINT32_MAX : s->after_base[t] + 1;
        if (t == thread && g->index[e->event] == index && e->last)
            for (uint32_t v = 0; v < g->threads; v++)
                if (v != thread)
                    s->after_base[v] = UINT32_MAX; /* nothing in the set comes after it */
    }
    memcpy(s->after_target, s->after_base, g->threads * sizeof *s->after_target);
    after(s, s->after_target);
}

/* Work, in events put in order; false: that is enough for this question, and what follows from
 * here on is left out, so that no answer but "unknown" can come of it. */
static bool works(au_cause_search *s) {
    s->stats.steps += 1 + s->g->threads / 32;
    s->tired |= s->stats.steps >= s->step_end;
    return !s->tired;
}

bool au_search_need(au_cause_search *s, const uint32_t *clock) {
    const au_cause *g = s->g;
    for (uint32_t t = 0; t < g->threads; t++) {
        if (clock[t] > s->limit[t])
            return false; /* comes after the last event of its thread */
        if (clock[t] <= s->set[t])
            continue;
        if (s->q.form == AU_FORM_ABSENT && s->w && t == g->t->events.thread[s->w - 1] &&
            clock[t] >= g->index[s->w - 1])
            return false;
        s->set[t] = clock[t];
        s->grew = true;
    }
    return true;
}

bool au_search_edge(au_cause_search *s, uint32_t from_thread, uint32_t from, uint32_t to_thread,
                    uint32_t to) {
    const au_cause *g = s->g;
    if (from_thread == to_thread)
        return from < to;
    if (s->set[from_thread] < from) {
        au_cause_past_of(g, s->p, au_cause_event(g, from_thread, from), s->a);
        if (!au_search_need(s, s->a))
            return false;
    }
    look_at(s, to_thread, to);
    if (s->before_target[from_thread] >= from || !works(s))
        return true;
    if (s->after_target[from_thread] <= from)
        return false;
    au_cause_edge e = {from, to, (uint16_t)from_thread, (uint16_t)to_thread, s->pool.n};
    au_vec_reserve(&s->pool, s->pool.n + 2 * g->threads);
    uint32_t *data = s->pool.at + s->pool.n;
    s->pool.n += 2 * g->threads;
    past(s, au_cause_event(g, from_thread, from), data);
    memcpy(data + g->threads, s->after_base, g->threads * sizeof *data);
    for (uint32_t t = 0; t < g->threads; t++)
        if (s->before_target[t] < data[t])
            s->before_target[t] = data[t];
    au_vec_push(&s->edge, e);
    return true;
}

/* --- what is induced ---------------------------------------------------------------------- */

static bool ends_before(const au_cause_section *x, uint32_t index) {
    return x->rel && x->rel < index;
}

static bool section_first(au_cause_search *s, const au_cause_section *a,
                          const au_cause_section *b) {
    return a->rel && au_search_edge(s, a->thread, a->rel, b->thread, b->acq);
}

/* Events of t up to i come before those of v from j on. */
static bool corner(au_cause_search *s, uint32_t t, uint32_t i, uint32_t v, uint32_t j) {
    const au_cause *g = s->g;
    uint32_t n;
    const uint32_t *open = au_cause_open_after(g, t, i, &n);
    for (uint32_t k = 0; k < n; k++) {
        const au_cause_section *a = &g->section.at[open[k]];
        const au_cause_ids *at = au_cause_user_of(&g->lock[a->lock], v);
        uint32_t x = at ? au_cause_sections_upto(g, at, j) : 0;
        while (x > 0 && !ends_before(&g->section.at[at->at[x - 1]], j))
            x--;
        for (; at && x < at->n; x++) {
            const au_cause_section *b = &g->section.at[at->at[x]];
            if (b->acq > s->set[v])
                break;
            if (a->shared && b->shared)
                continue;
            if (!section_first(s, a, b))
                return false;
            break;
        }
    }
    open = au_cause_open_after(g, v, j - 1, &n);
    for (uint32_t k = 0; k < n; k++) {
        const au_cause_section *b = &g->section.at[open[k]];
        const au_cause_ids *at = au_cause_user_of(&g->lock[b->lock], t);
        uint32_t x = at ? au_cause_sections_upto(g, at, i) : 0;
        while (x > 0 && b->shared && g->section.at[at->at[x - 1]].shared)
            x--;
        if (x > 0 && !section_first(s, &g->section.at[at->at[x - 1]], b))
            return false;
    }
    return true;
}

/* Corners where a section is open on one side; the others say nothing. */
static bool corners(au_cause_search *s) {
    const au_cause *g = s->g;
    uint32_t n, m = 0;
    for (uint32_t t = 0; t < g->threads; t++)
        if (s->b[t] && (au_cause_open_after(g, t, s->b[t], &n), n))
            s->open[m++] = t;
    for (uint32_t v = 0; v < g->threads; v++) {
        if (s->c[v] > s->set[v])
            continue;
        (void)au_cause_open_after(g, v, s->c[v] - 1, &n);
        for (uint32_t k = 0; k < (n ? g->threads : m); k++) {
            uint32_t t = n ? k : s->open[k];
            if (t != v && s->b[t] && !corner(s, t, s->b[t], v, s->c[v]))
                return false;
        }
    }
    return true;
}

/* What a thread holds at its end nobody gets afterwards: its sections are the last ones. */
static bool last_sections(au_cause_search *s) {
    const au_cause *g = s->g;
    for (uint32_t i = 0; i < s->n_ends; i++) {
        uint32_t t = g->t->events.thread[s->end[i].event], n;
        const uint32_t *open = au_cause_open_after(g, t, g->index[s->end[i].event] - 1, &n);
        for (uint32_t k = 0; k < n && s->end[i].last; k++) {
            const au_cause_section *a = &g->section.at[open[k]];
            const au_cause_users *u = &g->lock[a->lock];
            for (size_t j = 0; j < u->n; j++) {
                uint32_t v = u->at[j].thread;
                uint32_t x = au_cause_sections_upto(g, &u->at[j].at, s->set[v]);
                while (x > 0 && a->shared && g->section.at[u->at[j].at.at[x - 1]].shared)
                    x--;
                if (v != t && x > 0 && !section_first(s, &g->section.at[u->at[j].at.at[x - 1]], a))
                    return false;
            }
        }
    }
    return true;
}

bool au_search_follow(au_cause_search *s) {
    while ((s->todo < s->edge.n || s->grew) && works(s)) {
        if (s->grew) { /* sections may have come into the set */
            s->grew = false;
            s->todo = 0;
            if (!last_sections(s))
                return false;
            continue;
        }
        const au_cause_edge *e = &s->edge.at[s->todo++];
        memcpy(s->c, after_edge(s, e), s->g->threads * sizeof *s->c);
        before(s, e->from_thread, e->from, s->b);
        after(s, s->c);
        if (!corners(s))
            return false;
    }
    return true;
}

/* --- the edges of a question ------------------------------------------------------------------ */

/* Every read of this write that takes part comes before the event. */
static bool readers_first(au_cause_search *s, uint32_t write, uint32_t thread, uint32_t index) {
    const au_cause *g = s->g;
    const au_columns *x = &g->t->events;
    for (uint32_t b = g->reader[write]; b; b = g->next[b - 1]) {
        bool itself = x->thread[b - 1] == thread && g->index[b - 1] == index;
        if (b - 1 != s->q.read && au_search_in(s, b - 1) && !itself &&
            !au_search_edge(s, x->thread[b - 1], g->index[b - 1], thread, index))
            return false;
    }
    if (s->q.write != write + 1 || s->q.read == AU_NONE)
        return true;
    uint32_t r = g->index[s->q.read];
    return (thread == s->reader && index == r) || au_search_edge(s, s->reader, r, thread, index);
}

/* A write of the variable that comes before the read comes before c as well. */
static bool others_first(au_cause_search *s, const uint32_t *upto) {
    const au_cause *g = s->g;
    const au_columns *x = &g->t->events;
    const au_cause_users *u = &g->write[s->q.var];
    uint32_t c = s->q.write;
    for (size_t k = 0; k < u->n; k++) {
        uint32_t v = u->at[k].thread, n = au_cause_writes_upto(&u->at[k].at, upto[v]);
        if (!n)
            continue;
        uint32_t d = au_cause_event(g, v, u->at[k].at.at[n - 1]);
        if (!c)
            return false;
        if (d + 1 != c && (!au_search_edge(s, v, g->index[d], x->thread[c - 1], g->index[c - 1]) ||
                           !readers_first(s, d, x->thread[c - 1], g->index[c - 1])))
            return false;
    }
    return true;
}

/* The initial value is read: no write may come before. */
static bool writes_later(au_cause_search *s) {
    const au_cause_users *u = &s->g->write[s->q.var];
    for (size_t k = 0; k < u->n; k++) {
        uint32_t v = u->at[k].thread, d = u->at[k].at.at[0];
        if (d <= s->set[v] && v != s->reader &&
            !au_search_edge(s, s->reader, s->g->index[s->q.read], v, d))
            return false;
    }
    return true;
}

/* Nothing takes part yet. */
void au_search_clear(au_cause_search *s) {
    const au_cause *g = s->g;
    au_vec_clear(&s->edge);
    au_vec_clear(&s->pool);
    s->todo = 0;
    s->grew = false;
    s->target_thread = AU_NONE;
    memset(s->set, 0, g->threads * sizeof *s->set);
    memset(s->limit, 0xff, g->threads * sizeof *s->limit);
    s->reader = AU_NONE;
    s->w = 0;
    s->n_ends = 0;
}

bool au_search_end(au_cause_search *s, uint32_t event, bool last, bool executed) {
    const au_cause *g = s->g;
    au_cause_end *e = &s->end[s->n_ends++];
    uint32_t t = g->t->events.thread[event], i = g->index[event];
    e->event = event;
    e->last = last;
    au_cause_past_before(g, s->p, event, e->need);
    if (last)
        s->limit[t] = i - 1;
    if (!au_search_need(s, e->need) || (last && s->set[t] >= i))
        return false;
    if (executed && s->set[t] < i)
        s->set[t] = i; /* beyond the limit: nothing else may bring it there */
    return true;
}

static bool start_final(au_cause_search *s) {
    const au_cause *g = s->g;
    for (uint32_t t = 0; t < g->threads; t++)
        s->set[t] = au_cause_length(g, t);
    return s->q.form != AU_FORM_ABSENT && s->q.form != AU_FORM_LATER && s->q.write &&
           others_first(s, s->set);
}

bool au_search_start(au_cause_search *s, const au_cause_question *q) {
    const au_cause *g = s->g;
    const au_columns *x = &g->t->events;
    s->q = *q;
    au_search_clear(s);
    if (q->read == AU_NONE)
        return start_final(s);
    uint32_t r = g->index[q->read], c = q->write;
    s->reader = x->thread[q->read];
    s->w = g->writer[q->read];
    if (!s->w && (q->form == AU_FORM_LATER || q->form == AU_FORM_ABSENT))
        return false;
    if (!c && q->form == AU_FORM_BEFORE)
        return false;
    if (!au_search_end(s, q->read, true, true))
        return false;
    s->need = s->end[0].need;
    if (c) {
        au_cause_past_of(g, s->p, c - 1, s->a);
        if (!au_search_need(s, s->a))
            return false;
    }
    if (s->w && (q->form == AU_FORM_BEFORE || q->form == AU_FORM_LATER)) {
        au_cause_past_of(g, s->p, s->w - 1, s->a);
        if (!au_search_need(s, s->a))
            return false;
    }
    if (c && !au_search_edge(s, x->thread[c - 1], g->index[c - 1], s->reader, r))
        return false;
    if (!others_first(s, s->need) || (!c && !writes_later(s)))
        return false;
    if (s->w && q->form == AU_FORM_BEFORE &&
        (!au_search_edge(s, x->thread[s->w - 1], g->index[s->w - 1], x->thread[c - 1],
                         g->index[c - 1]) ||
         !readers_first(s, s->w - 1, x->thread[c - 1], g->index[c - 1])))
        return false;
    return q->form != AU_FORM_LATER ||
           au_search_edge(s, s->reader, r, x->thread[s->w - 1], g->index[s->w - 1]);
}

/* --- choices -------------------------------------------------------------------------------- */

bool au_search_choose(au_cause_search *s, const au_cause_choice *k, bool other) {
    const au_cause *g = s->g;
    const au_columns *x = &g->t->events;
    uint32_t first = other ? k->second : k->first, second = other ? k->first : k->second;
    if (k->section)
        return section_first(s, &g->section.at[first], &g->section.at[second]);
    if (second == AU_NONE)
        return false; /* nothing comes before the initial value */
    uint32_t v = x->thread[second], i = g->index[second];
    if (first == AU_NONE) {
        for (uint32_t b = g->virgin[x->obj[second]]; b; b = g->next[b - 1])
            if (b - 1 != s->q.read && b - 1 != second && au_search_in(s, b - 1) &&
                !au_search_edge(s, x->thread[b - 1], g->index[b - 1], v, i))
                return false;
        return s->q.write || s->q.read == AU_NONE || x->obj[second] != s->q.var ||
               second == s->q.read || au_search_edge(s, s->reader, g->index[s->q.read], v, i);
    }
    return au_search_edge(s, x->thread[first], g->index[first], v, i) &&
           readers_first(s, first, v, i);
}
