/* witness/check_model.c: executing a schedule on a model. */
#include "witness/check_model.h"

#include "base/limits.h"
#include "witness/check_model_priv.h"

#include "base/bits.h"

#include <stdio.h>

/* A place where more than one step could be taken: the state there, and which next. */
typedef struct {
    uint64_t *word;
    uint32_t turn, edge;
    size_t path, seen;
    uint32_t havocs;
    bool spurious;
} choice;

typedef struct {
    au_wmodel x;
    AU_VEC(choice) open;
    size_t words;
    uint64_t steps;
    uint64_t *next; /* scratch: new values of one step */
    uint32_t turn, edge, havocs;
    bool may_be_spurious, spurious;
} walk;

static void point(au_wstate *s, const au_model *m, uint64_t *word) {
    s->word = word;
    s->value = word;
    s->writer = s->value + m->var.n;
    s->node = s->writer + m->var.n;
    s->done = s->node + m->thread.n;
    s->stopped = s->done + m->thread.n;
}

bool au_wmodel_started(const au_wmodel *x, uint32_t thread) {
    uint32_t v = x->m->thread.at[thread].started;
    return v == AU_NONE || x->s.value[v];
}

bool au_wmodel_enabled(const au_wmodel *x, const au_step *p) {
    if (x->f->valueless && p->kind <= AU_STEP_HAVOC)
        return true;
    return au_term_eval(x->m->terms, p->guard, x->s.value);
}

const au_node *au_wmodel_node(const au_wmodel *x, uint32_t thread) {
    return &x->m->thread.at[thread].node.at[x->s.node[thread]];
}

/* --- one step ------------------------------------------------------------------------- */

static void note_access(walk *w, const au_step *p, const au_access *a) {
    au_wmodel *x = &w->x;
    uint64_t writer = x->s.writer[a->var];
    au_vec_push(&x->seen,
                ((au_model_seen){.step = p->id,
                                 .var = a->var,
                                 .index = x->s.done[p->thread] + 1,
                                 .value = x->s.value[a->var],
                                 .writer = writer && !a->write ? (uint32_t)writer - 1 : AU_NONE,
                                 .write = a->write}));
}

static bool assert_fails(const walk *w, const au_step *p) {
    const au_wmodel *x = &w->x;
    if (!x->f->valueless || au_term_is_const(x->m->terms, p->cond))
        return !au_term_eval(x->m->terms, p->cond, x->s.value);
    return x->f->kind == AU_KIND_ASSERTION && x->f->n_events == 1 && x->f->event[0].step == p->id &&
           x->f->event[0].index == x->s.done[p->thread] + 1;
}

/* Requires: p is enabled. Reads are noted before, writes after the updates. */
static void take(walk *w, const au_step *p) {
    au_wmodel *x = &w->x;
    au_wstate *s = &x->s;
    for (uint32_t i = 0; i < p->n_accesses; i++)
        if (!p->access[i].write)
            note_access(w, p, &p->access[i]);
    bool failed = p->kind == AU_STEP_ASSERT && assert_fails(w, p);
    au_vec_push(&x->path, ((struct au_wtaken){p->id, failed}));
    s->stopped[p->thread] = failed && !x->f->whole;
    for (uint32_t i = 0; i < p->n_updates; i++)
        w->next[i] = au_term_eval(x->m->terms, p->update[i].value, s->value);
    for (uint32_t i = 0; i < p->n_updates && !s->stopped[p->thread]; i++)
        s->value[p->update[i].var] = w->next[i];
    if (p->havoc != AU_NONE) {
        uint64_t v = w->havocs < x->f->n_havoc ? x->f->havoc[w->havocs] : 0;
        unsigned width = x->m->var.at[p->havoc].width;
        s->value[p->havoc] = au_low_bits(v, width);
        w->havocs++;
    }
    for (uint32_t i = 0; i < p->n_accesses && !s->stopped[p->thread]; i++)
        if (p->access[i].write) {
            note_access(w, p, &p->access[i]);
            s->writer[p->access[i].var] = p->id + 1;
        }
    s->node[p->thread] = p->dst;
    s->done[p->thread]++;
    w->spurious |= p->spurious;
}

/* --- all ways ---------------------------------------------------------------------------- */

static void remember(walk *w, uint32_t edge) {
    choice c = {au_alloc_array(w->words, sizeof *c.word),
                w->turn,
                edge,
                w->x.path.n,
                w->x.seen.n,
                w->havocs,
                w->spurious};
    memcpy(c.word, w->x.s.word, w->words * sizeof *c.word);
    au_vec_push(&w->open, c);
}

static bool go_back(walk *w) {
    if (!w->open.n)
        return false;
    choice c = au_vec_pop(&w->open);
    memcpy(w->x.s.word, c.word, w->words * sizeof *c.word);
    free(c.word);
    w->turn = c.turn;
    w->edge = c.edge;
    w->x.path.n = c.path;
    w->x.seen.n = c.seen;
    w->havocs = c.havocs;
    w->spurious = c.spurious;
    return true;
}

static const char *refusal(const walk *w, uint32_t t) {
    const au_wmodel *x = &w->x;
    if (x->s.stopped[t])
        return "its thread has stopped at a failed assert";
    if (!au_wmodel_started(x, t))
        return "its thread has not been forked";
    const au_node *n = au_wmodel_node(x, t);
    bool waits = false;
    for (size_t i = 0; i < n->out.n; i++)
        waits |= au_wmodel_step(x, n->out.at[i])->blocking;
    return waits ? "it has to wait there" : "its condition does not hold there";
}

static au_check_verdict __attribute__((format(printf, 3, 4)))
say(walk *w, au_check_verdict v, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(w->x.why, sizeof w->x.why, fmt, ap);
    va_end(ap);
    return v;
}

/* One step of thread t, the first that can be taken from edge w->edge on. */
static bool step(walk *w, uint32_t t) {
    const au_wmodel *x = &w->x;
    if (x->s.stopped[t] || !au_wmodel_started(x, t))
        return false;
    const au_node *n = au_wmodel_node(x, t);
    const au_step *first = NULL;
    for (uint32_t i = w->edge; i < n->out.n; i++) {
        const au_step *p = au_wmodel_step(x, n->out.at[i]);
        if ((p->spurious && !w->may_be_spurious) || !au_wmodel_enabled(x, p))
            continue;
        if (first) {
            remember(w, i);
            break;
        }
        first = p;
    }
    w->edge = 0;
    if (first)
        take(w, first);
    return first;
}

/* From here to the end of the schedule, or to where it cannot go on. */
static au_check_verdict run_on(walk *w) {
    au_wmodel *x = &w->x;
    const au_schedule *s = &x->f->schedule;
    for (; w->turn < s->n; w->turn++) {
        uint32_t t = s->turn[w->turn].thread;
        uint64_t upto = s->turn[w->turn].upto;
        if (t >= x->m->thread.n)
            return say(w, AU_CHECK_NOT_SHOWN, "turn %u: the model has no thread %u", w->turn + 1,
                       t);
        const char *name = x->m->thread.at[t].name;
        if (upto <= x->s.done[t])
            return say(w, AU_CHECK_NOT_SHOWN, "turn %u: %.40s has executed %llu steps already",
                       w->turn + 1, name, (unsigned long long)x->s.done[t]);
        while (x->s.done[t] < upto) {
            if (x->s.node[t] == x->m->thread.at[t].exit)
                return say(w, AU_CHECK_NOT_SHOWN, "turn %u: %.40s has %llu steps, not %llu",
                           w->turn + 1, name, (unsigned long long)x->s.done[t],
                           (unsigned long long)upto);
            if (w->steps++ == AU_LIMIT_WITNESS_STEPS)
                return say(w, AU_CHECK_STUCK, "%s",
                           au_limit_say(AU_AT_WITNESS_STEPS, 0, 0, (char[AU_LIMIT_TEXT]){0}));
            if (step(w, t))
                continue;
            uint32_t id = au_wmodel_node(x, t)->out.at[0];
            return say(w, AU_CHECK_STUCK, "%.40s cannot execute step %llu%s%.40s: %s", name,
                       (unsigned long long)x->s.done[t] + 1,
                       *au_step_label(x->m, au_wmodel_step(x, id)) ? " " : "",
                       au_step_label(x->m, au_wmodel_step(x, id)), refusal(w, t));
        }
    }
    if (!au_wmodel_shows(x))
        return AU_CHECK_NOT_SHOWN;
    return x->f->valueless ? AU_CHECK_LOCKS_ONLY : AU_CHECK_SHOWN;
}

/* Tries all ways. The failure told is that of the way that came furthest. */
static void run_all(walk *w, au_check_result *r, au_model_seen_vec *seen) {
    const au_model *m = w->x.m;
    memset(w->x.s.word, 0, w->words * sizeof *w->x.s.word);
    for (size_t v = 0; v < m->var.n; v++)
        w->x.s.value[v] = m->var.at[v].init;
    for (size_t t = 0; t < m->thread.n; t++)
        w->x.s.node[t] = m->thread.at[t].entry;
    w->turn = w->edge = w->havocs = 0;
    w->spurious = false;
    w->x.path.n = w->x.seen.n = 0;
    bool any = false;
    do {
        au_check_verdict v = run_on(w);
        bool shown = v == AU_CHECK_SHOWN || v == AU_CHECK_LOCKS_ONLY;
        if (!any || shown || w->x.path.n > r->step) {
            *r = (au_check_result){v, true, w->spurious, w->x.path.n, {0}, w->x.lost};
            if (!shown)
                memcpy(r->why, w->x.why, sizeof r->why);
            else if (w->spurious)
                snprintf(r->why, sizeof r->why, "needs a wake-up without a signal");
            if (seen) {
                au_vec_clear(seen);
                au_vec_append(seen, w->x.seen.at, w->x.seen.n);
            }
        }
        any = true;
        if (shown || w->steps > AU_LIMIT_WITNESS_STEPS)
            break;
    } while (go_back(w));
    while (w->open.n)
        free(au_vec_pop(&w->open).word);
}

void au_model_check_schedule(const au_model *m, const au_model_finding *f, au_check_result *r,
                             au_model_seen_vec *seen) {
    walk w = {.x = {.m = m, .f = f}, .words = 2 * m->var.n + 3 * m->thread.n};
    point(&w.x.s, m, au_alloc_array(w.words + 1, sizeof *w.x.s.word));
    uint32_t most = 0;
    for (size_t i = 0; i < m->step.n; i++)
        most = m->step.at[i].n_updates > most ? m->step.at[i].n_updates : most;
    w.next = au_alloc_array(most, sizeof *w.next);
    run_all(&w, r, seen);
    if (r->verdict > AU_CHECK_LOCKS_ONLY && w.steps <= AU_LIMIT_WITNESS_STEPS) {
        w.may_be_spurious = true;
        run_all(&w, r, seen);
    }
    free(w.x.s.word);
    free(w.next);
    au_vec_release(&w.open);
    au_vec_release(&w.x.path);
    au_vec_release(&w.x.seen);
}
