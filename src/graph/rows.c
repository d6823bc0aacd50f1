/* graph/rows.c: what a read can see while its thread stands still.
 *
 * The reader's thread is brought to its read, with what that needs of others and nothing
 * more. Then each other thread that writes the variable runs on, write by write, again with what
 * it needs; after each write the read would see it. A reader that would stand inside of critical
 * sections is tried in two ways: it stands before the outermost of them and goes in after the
 * write; or it goes in as soon as the other thread has done its last section of these locks
 * before the write.
 *
 * Reads of a thread are asked in its order, so that the way to each goes on from the way to
 * the one before; everything else is rewound. All is executed by the executor; a walk that gets
 * stuck shows less, never something wrong. */
#include "graph/rows.h"

struct au_rows {
    const au_cause *g;
    const au_cause_past *p; /* the reading at hand */
    const au_cause_exec *x;
    au_row_seen *seen;
    void *ctx;
    uint32_t thread; /* of the reads */
    uint32_t limit;  /* it must not execute this event (index) */
    uint32_t *done, *want, *scratch;
    bool *stalled;
    au_cause_ids order;
    uint32_t *holder; /* by lock: section + 1 that holds it alone */
    uint64_t walked, work, most;
};

typedef struct {
    size_t exec, order;
} place;

au_rows *au_rows_new(const au_cause *g, const au_cause_exec *exec, au_row_seen *seen, void *ctx) {
    au_rows *w = AU_NEW(au_rows);
    w->g = g;
    w->p = g->two ? &g->strict : &g->relaxed;
    w->x = exec;
    w->seen = seen;
    w->ctx = ctx;
    w->most = UINT64_MAX;
    w->done = au_alloc_array(g->threads, sizeof *w->done);
    w->want = au_alloc_array(g->threads, sizeof *w->want);
    w->scratch = au_alloc_array(g->threads, sizeof *w->scratch);
    w->stalled = au_alloc_array(g->threads, sizeof *w->stalled);
    w->holder = au_alloc_array(g->t->names.lock.n, sizeof *w->holder);
    return w;
}

void au_rows_free(au_rows *w) {
    if (!w)
        return;
    free(w->done);
    free(w->want);
    free(w->scratch);
    free(w->stalled);
    free(w->holder);
    au_vec_release(&w->order);
    free(w);
}

uint64_t au_rows_walked(const au_rows *w) {
    return w->walked;
}

uint64_t au_rows_work(const au_rows *w) {
    return w->work;
}

void au_rows_limit(au_rows *w, uint64_t most) {
    w->most = most;
}

void au_rows_start(au_rows *w, uint32_t thread) {
    w->thread = thread;
    memset(w->done, 0, w->g->threads * sizeof *w->done);
    au_vec_clear(&w->order);
    memset(w->holder, 0, w->g->t->names.lock.n * sizeof *w->holder);
    w->x->begin(w->x->ctx);
}

static place here(const au_rows *w) {
    return (place){w->x->mark(w->x->ctx), w->order.n};
}

/* The event was executed, or (back) is not any more. */
static void note_lock(au_rows *w, uint32_t event, bool undone) {
    uint32_t s = w->g->section_of[event];
    if (s == AU_NONE || w->g->section.at[s].shared)
        return;
    bool takes = w->g->section.at[s].acq == w->g->index[event];
    w->holder[w->g->section.at[s].lock] = takes != undone ? s + 1 : 0;
}

static void back(au_rows *w, place k) {
    w->x->rewind(w->x->ctx, k.exec);
    while (w->order.n > k.order) {
        uint32_t e = au_vec_pop(&w->order);
        w->done[w->g->t->events.thread[e]]--;
        note_lock(w, e, true);
    }
}

/* What the walk is to execute grows by this; false if it must not. */
static bool also(au_rows *w, const uint32_t *clock) {
    if (clock[w->thread] >= w->limit)
        return false;
    for (uint32_t t = 0; t < w->g->threads; t++)
        if (w->want[t] < clock[t])
            w->want[t] = clock[t];
    return true;
}

static bool until_release(au_rows *w, uint32_t section) {
    const au_cause_section *a = &w->g->section.at[section];
    if (!a->rel)
        return false;
    au_cause_past_of(w->g, w->p, au_cause_event(w->g, a->thread, a->rel), w->scratch);
    return also(w, w->scratch);
}

/* The lock that this event needs is to be released first. */
static bool wait_for_release(au_rows *w, uint32_t e) {
    const au_cause *g = w->g;
    if (g->section_of[e] == AU_NONE)
        return false;
    const au_cause_section *b = &g->section.at[g->section_of[e]];
    const au_cause_users *u = &g->lock[b->lock];
    if (b->acq != g->index[e])
        return false;
    w->stalled[b->thread] = true;
    if (w->holder[b->lock])
        return until_release(w, w->holder[b->lock] - 1);
    for (size_t k = 0; k < u->n; k++) {
        uint32_t v = u->at[k].thread, n;
        if (v == b->thread)
            continue;
        w->work++;
        const uint32_t *open = au_cause_open_after(g, v, w->done[v], &n);
        for (uint32_t j = 0; j < n; j++)
            if (g->section.at[open[j]].lock == b->lock && !until_release(w, open[j]))
                return false;
    }
    return true;
}

static bool is_held(const au_rows *w, uint32_t event) {
    uint32_t s = w->g->section_of[event];
    return s != AU_NONE && w->g->section.at[s].acq == w->g->index[event] &&
           w->holder[w->g->section.at[s].lock];
}

/* A wait does, too. */
static bool releases(const au_cause *g, uint32_t event) {
    uint32_t s = g->section_of[event];
    return g->t->events.op[event] == AU_OP_REL ||
           (s != AU_NONE && g->section.at[s].rel == g->index[event]);
}

/* Executes what is wanted, in the order of the trace as far as that goes. */
static bool run(au_rows *w) {
    const au_cause *g = w->g;
    memset(w->stalled, 0, g->threads * sizeof *w->stalled);
    for (;;) {
        uint32_t best = UINT32_MAX;
        bool left = false;
        for (uint32_t t = 0; t < g->threads; t++) {
            if (w->done[t] >= w->want[t])
                continue;
            left = true;
            uint32_t e = au_cause_event(g, t, w->done[t] + 1);
            if (!w->stalled[t] && e < best)
                best = e;
        }
        if (best == UINT32_MAX || w->work >= w->most)
            return !left;
        w->work++;
        if (!is_held(w, best) && w->x->go(w->x->ctx, best, true)) {
            w->walked++;
            note_lock(w, best, false);
            w->done[g->t->events.thread[best]]++;
            au_vec_push(&w->order, best);
            if (releases(g, best))
                memset(w->stalled, 0, g->threads * sizeof *w->stalled);
        } else if (!wait_for_release(w, best)) {
            return false;
        }
    }
}

static bool reach(au_rows *w, const au_cause_past *p, uint32_t event, bool itself) {
    memcpy(w->want, w->done, w->g->threads * sizeof *w->want);
    w->work++;
    w->p = p;
    if (itself)
        au_cause_past_of(w->g, p, event, w->scratch);
    else
        au_cause_past_before(w->g, p, event, w->scratch);
    return also(w, w->scratch) && run(w);
}

/* As the run was synchronised, where the graph is not exact; if that does not go, as it must be. */
static bool go_to(au_rows *w, uint32_t event, bool itself) {
    const au_cause *g = w->g;
    place k = here(w);
    if (g->two && reach(w, &g->strict, event, itself))
        return true;
    if (g->two)
        back(w, k);
    return reach(w, &g->relaxed, event, itself);
}

/* To all that comes before this event, itself included. */
static bool run_to(au_rows *w, uint32_t event) {
    return go_to(w, event, true);
}

/* To where its thread can have it next. */
static bool run_before(au_rows *w, uint32_t event) {
    return go_to(w, event, false);
}

typedef struct {
    uint32_t read, var, w;
    uint32_t stop; /* where its thread stands: the read or an acquire before it */
} row;

static bool is_done(const au_rows *w, uint32_t event) {
    return w->done[w->g->t->events.thread[event]] >= w->g->index[event];
}

/* What would the read see now? Leaves everything as it was. */
static void look(au_rows *w, const row *r) {
    const au_cause *g = w->g;
    if (w->x->last(w->x->ctx, r->var) == r->w)
        return;
    place k = here(w);
    uint32_t limit = w->limit;
    w->limit = g->index[r->read];
    if (r->stop == r->read || run_before(w, r->read)) {
        uint32_t c = w->x->last(w->x->ctx, r->var);
        bool before = !r->w || is_done(w, r->w - 1);
        if (c != r->w) {
            w->seen(w->ctx, r->read, c, 1u << (before ? AU_FORM_BEFORE : AU_FORM_ABSENT),
                    &w->order);
            size_t upto = w->order.n;
            if (!before && w->x->go(w->x->ctx, r->read, false)) {
                w->done[w->thread]++;
                au_vec_push(&w->order, r->read);
                if (run_to(w, r->w - 1)) {
                    au_cause_ids order = {w->order.at, upto, 0};
                    w->seen(w->ctx, r->read, c, 1u << AU_FORM_LATER, &order);
                }
            }
        }
    }
    back(w, k);
    w->limit = limit;
}

/* Write by write, as far as it goes. */
static void run_on(au_rows *w, const row *r, uint32_t thread, const au_cause_ids *at, uint32_t j) {
    for (; j < at->n && run_to(w, au_cause_event(w->g, thread, at->at[j])); j++)
        look(w, r);
}

/* Of the locks that the reader holds at its read: where the last section of the other thread
 * that begins before this index ends; 0: there is none, UINT32_MAX: not before it. */
static uint32_t last_section(const au_rows *w, const row *r, uint32_t thread, uint32_t index) {
    const au_cause *g = w->g;
    uint32_t n, end = 0;
    const uint32_t *open = au_cause_open_after(g, w->thread, g->index[r->read] - 1, &n);
    for (uint32_t k = 0; k < n; k++) {
        const au_cause_section *a = &g->section.at[open[k]];
        const au_cause_ids *at = au_cause_user_of(&g->lock[a->lock], thread);
        uint32_t x = au_cause_sections_upto(g, at, index);
        while (x > 0 && a->shared && g->section.at[at->at[x - 1]].shared)
            x--;
        if (!x)
            continue;
        uint32_t rel = g->section.at[at->at[x - 1]].rel;
        if (!rel || rel > index)
            return UINT32_MAX;
        end = rel > end ? rel : end;
    }
    return end;
}

/* The reader goes into its sections between two of the other thread. */
static void run_between(au_rows *w, const row *r, uint32_t thread, const au_cause_ids *at,
                        uint32_t j) {
    const au_cause *g = w->g;
    row inside = *r;
    uint32_t limit = w->limit;
    inside.stop = r->read;
    while (j < at->n) {
        uint32_t end = last_section(w, r, thread, at->at[j]), from = j;
        if (end == UINT32_MAX) {
            j++;
            continue;
        }
        if (end > w->done[thread] && !run_to(w, au_cause_event(g, thread, end)))
            return;
        place k = here(w);
        w->limit = g->index[r->read];
        if (run_before(w, r->read)) {
            for (; j < at->n && last_section(w, r, thread, at->at[j]) == end &&
                   run_to(w, au_cause_event(g, thread, at->at[j]));
                 j++)
                look(w, &inside);
        }
        back(w, k);
        w->limit = limit;
        j += j == from;
    }
}

/* From here on every other thread that writes the variable, each for itself. */
static void others(au_rows *w, const row *r) {
    const au_cause *g = w->g;
    const au_cause_users *u = &g->write[r->var];
    place k = here(w);
    for (size_t i = 0; i < u->n && w->work < w->most; i++) {
        uint32_t t = u->at[i].thread;
        const au_cause_ids *at = &u->at[i].at;
        uint32_t j = au_cause_writes_upto(at, w->done[t]);
        bool only_w = j + 1 == at->n && r->w && au_cause_event(g, t, at->at[j]) == r->w - 1;
        if (t == w->thread || only_w || j == at->n)
            continue;
        bool hides = r->w && g->t->events.thread[r->w - 1] == w->thread && r->w - 1 > r->stop;
        if (!hides) { /* else the reader would do w itself on its way to the read */
            run_on(w, r, t, at, j);
            back(w, k);
        }
        if (r->stop != r->read) {
            run_between(w, r, t, at, j);
            back(w, k);
        }
    }
}

void au_rows_read(au_rows *w, uint32_t read) {
    const au_cause *g = w->g;
    row r = {read, g->t->events.obj[read], g->writer[read], read};
    uint32_t n;
    const uint32_t *open = au_cause_open_after(g, w->thread, g->index[read] - 1, &n);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t acq = au_cause_event(g, w->thread, g->section.at[open[k]].acq);
        if (acq < r.stop)
            r.stop = acq;
    }
    w->limit = g->index[r.stop];
    if (w->done[w->thread] >= w->limit)
        return; /* sections that are not nested */
    place k = here(w);
    if (!run_before(w, r.stop)) {
        back(w, k);
        return;
    }
    look(w, &r);
    others(w, &r);
    if (!r.w || is_done(w, r.w - 1))
        return;
    k = here(w);
    if (run_to(w, r.w - 1)) { /* … and with w before */
        look(w, &r);
        others(w, &r);
    }
    back(w, k);
}
