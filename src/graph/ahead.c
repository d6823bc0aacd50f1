/* graph/ahead.c: the run goes on without one thread.
 *
 * A thread stands before a read (before the outermost of the sections that the read is in). All events before that
 * were executed as in the trace; now those of the other threads go on, as in the trace, too, as long as they
 * need nothing of the thread that stands. So every read keeps its write, and behind each write of the variable the
 * one that stands would see it. A thread that needs what is not there stops for good, before a section that
 * it could not leave.
 *
 * One walk shows what would take a linearisation from the start for each of its writes. */
#include "graph/search_priv.h"

typedef struct {
    au_cause_search *s;
    uint32_t read, stop, reader;
    uint32_t active; /* threads that may still write the variable */
    bool pending;    /* it was written, and nobody has looked */
    uint32_t quiet;  /* events since it was written */
    au_ahead_seen *seen;
    void *ctx;
} walker;

/* Nothing is lost: what is further away is asked one by one. */
enum { QUIET = 20000 };

static uint32_t outermost(const au_cause *g, uint32_t read) {
    uint32_t t = g->t->events.thread[read], stop = read, n;
    const uint32_t *open = au_cause_open_after(g, t, g->index[read] - 1, &n);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t acq = au_cause_event(g, t, g->section.at[open[k]].acq);
        stop = acq < stop ? acq : stop;
    }
    return stop;
}

static bool has_all(const au_cause_search *s, uint32_t thread, const uint32_t *past) {
    for (uint32_t u = 0; u < s->g->threads; u++)
        if (u != thread && past[u] > s->done[u])
            return false;
    return true;
}

/* Will it need something that is never there? */
static bool comes_out(const au_cause_search *s, const au_cause_section *a) {
    if (!a->rel)
        return false;
    const uint32_t *past = au_cause_clock(s->g, s->p, au_cause_event(s->g, a->thread, a->rel));
    for (uint32_t u = 0; u < s->g->threads; u++)
        if (u != a->thread && s->blocked[u] && past[u] > s->done[u])
            return false;
    return true;
}

static bool can_go(const au_cause_search *s, uint32_t t, uint32_t e) {
    const au_cause *g = s->g;
    uint32_t i = s->done[t] + 1, c = g->section_of[e];
    bool fresh = i == 1 || s->p->clock_of[e] != s->p->clock_of[au_cause_event(g, t, i - 1)];
    return (!fresh || has_all(s, t, au_cause_clock(g, s->p, e))) &&
           (c == AU_NONE || g->section.at[c].acq != i || comes_out(s, &g->section.at[c]));
}

static void stop_thread(walker *w, uint32_t t) {
    au_cause_search *s = w->s;
    s->blocked[t] = true;
    w->active -= au_cause_user_of(&s->g->write[s->q.var], t) != NULL;
}

/* Whoever was told has used the executor for something else. */
static bool again(au_cause_search *s) {
    if (s->begun)
        return true;
    bool good = au_search_execute_to(s, s->start);
    for (size_t i = 0; i < s->order.n && good; i++)
        good = s->exec->go(s->exec->ctx, s->order.at[i], true);
    return good;
}

/* The reader goes to its read, and back. False: the walk cannot go on. */
static bool look(walker *w) {
    au_cause_search *s = w->s;
    const au_cause_exec *x = s->exec;
    const au_cause *g = s->g;
    size_t mark = x->mark(x->ctx), n = s->order.n;
    bool good = true;
    for (uint32_t i = g->index[w->stop]; i < g->index[w->read] && good; i++) {
        uint32_t e = au_cause_event(g, w->reader, i);
        good = x->go(x->ctx, e, true);
        if (good)
            au_vec_push(&s->order, e);
        s->stats.steps++;
    }
    uint32_t c = good ? x->last(x->ctx, s->q.var) : s->w;
    if (good)
        w->pending = false;
    if (c != s->w) {
        s->q.write = c;
        w->seen(w->ctx, c, !s->w || s->done[g->t->events.thread[s->w - 1]] >= g->index[s->w - 1]);
    }
    s->order.n = n;
    if (!s->begun)
        return again(s);
    x->rewind(x->ctx, mark);
    return true;
}

static bool releases(const au_cause *g, uint32_t event) {
    uint32_t c = g->section_of[event];
    return c != AU_NONE && g->section.at[c].rel == g->index[event];
}

static bool one_event(walker *w, uint32_t e) {
    au_cause_search *s = w->s;
    const au_columns *x = &s->g->t->events;
    uint32_t t = x->thread[e];
    if (t == w->reader || s->blocked[t])
        return true;
    s->stats.steps++;
    w->quiet++;
    if (!can_go(s, t, e) || !s->exec->go(s->exec->ctx, e, true)) {
        stop_thread(w, t);
        return true;
    }
    s->done[t]++;
    au_vec_push(&s->order, e);
    bool write = au_cause_writes(x->op[e]) && x->obj[e] == s->q.var;
    if (write) {
        w->pending = true;
        w->quiet = 0;
    }
    return !w->pending || !(write || releases(s->g, e)) || look(w);
}

void au_search_ahead(au_cause_search *s, uint32_t read, au_ahead_seen *seen, void *ctx) {
    const au_cause *g = s->g;
    if (!s->exec)
        return;
    walker w = {.s = s, .read = read, .stop = outermost(g, read), .seen = seen, .ctx = ctx};
    s->q = (au_cause_question){read, g->t->events.obj[read], 0, AU_FORM_ANY};
    s->p = &g->relaxed;
    s->w = g->writer[read];
    s->start = w.stop;
    w.reader = g->t->events.thread[read];
    au_vec_clear(&s->order);
    if (!au_search_execute_to(s, w.stop))
        return;
    memset(s->blocked, 0, g->threads * sizeof *s->blocked);
    for (uint32_t t = 0; t < g->threads; t++)
        s->done[t] = au_cause_done_before(g, t, w.stop);
    const au_cause_users *u = &g->write[s->q.var];
    for (size_t k = 0; k < u->n; k++)
        w.active += u->at[k].thread != w.reader;
    s->blocked[w.reader] = true;
    for (uint32_t e = w.stop; e < g->n && w.active && w.quiet < QUIET; e++)
        if (!one_event(&w, e) || (s->all_most && s->stats.steps >= s->all_most))
            return;
}
