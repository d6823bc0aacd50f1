/* funnel/stale.c: stale decisions of a recording (solve/lost.h).
 *
 * Where retracing shows that a write was come to only by a branch (retrace/decided.c), which was decided by an earlier
 * read of the same variable: could the variable have changed since, so that the branch would go the other way? Not if the thread
 * wrote it in between, or looked at it again: some later branch depends on a later read of it. */
#include "funnel/lost.h"

#include "base/deadline.h"
#include "base/limits.h"
#include "solve/cheap.h"

#include <inttypes.h>
#include <stdio.h>

const char *au_stale_words(const au_model *m, uint32_t var, const au_lost_values *v,
                           au_arena *into) {
    char now[32], text[96];
    au_lost_say(now, sizeof now, au_model_view_value(m, var, v->over));
    int n = snprintf(text, sizeof text, "stale: now %s", now);
    return au_arena_strndup(into, text, (size_t)n);
}

/* --- what a branch was decided by ------------------------------------------------------------- */

typedef struct {
    const au_opener *k;
    uint32_t var; /* of the trace */
    uint16_t thread;
    uint32_t last; /* the last event of the thread that reads it; AU_NONE: none does */
} looks;

static void look_at(void *ctx, uint32_t event) {
    looks *l = ctx;
    const au_columns *e = &l->k->t->events;
    if (event < e->n && e->obj[event] == l->var && e->thread[event] == l->thread &&
        (l->last == AU_NONE || event > l->last))
        l->last = event;
}

/* The last read of the variable that the term depends on. */
static uint32_t last_look(const au_opener *k, au_term cond, uint32_t var, uint16_t thread) {
    looks l = {k, var, thread, AU_NONE};
    au_term_each_var(k->s->terms, cond, look_at, &l);
    return l.last;
}

static bool writes(const au_columns *e, size_t i) {
    return au_opener_writes((au_op)e->op[i]);
}

/* Was it written by the thread between its read and this write? Then that was what it decided on. */
static bool acted_before(const au_opener *k, uint32_t read, uint32_t write) {
    const au_columns *e = &k->t->events;
    for (uint32_t i = read + 1; i < write; i++)
        if (e->thread[i] == e->thread[write] && e->obj[i] == e->obj[write] && writes(e, i))
            return true;
    return false;
}

/* Does any other branch before the write look at it again, or the write itself? */
static bool looks_again(const au_opener *k, uint32_t read, uint32_t write) {
    const au_columns *e = &k->t->events;
    for (size_t i = 0; i < k->s->fact.n; i++) {
        const au_fact *f = &k->s->fact.at[i];
        if (f->thread != e->thread[write] || f->after == AU_NONE || f->after < read ||
            f->after > write)
            continue;
        uint32_t at = last_look(k, f->cond, e->obj[write], f->thread);
        if (at != AU_NONE && at > read)
            return true;
    }
    return e->op[write] == AU_OP_RMW;
}

/* The fact that is this branch. */
static size_t fact_of(const au_opener *k, au_term cond, uint16_t thread) {
    for (size_t i = 0; i < k->s->fact.n; i++)
        if (k->s->fact.at[i].cond.n == cond.n && k->s->fact.at[i].thread == thread &&
            k->s->fact.at[i].kind == AU_FACT_ASSUME)
            return i;
    return SIZE_MAX;
}

/* --- questions -------------------------------------------------------------------------------- */

static bool make(const au_opener *k, const au_decided *d, au_query *q) {
    const au_columns *e = &k->t->events;
    uint32_t write = d->event;
    if (write >= e->n || e->obj[write] == AU_NONE || k->inside[e->obj[write]] == AU_NONE)
        return false;
    uint32_t read = last_look(k, d->cond, e->obj[write], e->thread[write]);
    if (read == AU_NONE || read >= write || acted_before(k, read, write) ||
        looks_again(k, read, write))
        return false;
    size_t fact = fact_of(k, d->cond, e->thread[write]);
    if (fact == SIZE_MAX || k->fact_step[fact] == AU_NONE || k->step_of[read] == AU_NONE ||
        k->step_of[write] == AU_NONE)
        return false;
    *q = au_query_about(AU_ASK_STALE, au_query_event(k->m, k->step_of[read]));
    q->step[2] = au_query_event(k->m, k->step_of[write]);
    q->var = k->inside[e->obj[write]];
    q->obj = k->fact_step[fact];
    return true;
}

static uint64_t place_of(const au_opener *k, const au_query *q) {
    const au_columns *e = &k->t->events;
    size_t read = au_opener_access(k, q->step[0], q->var, false);
    size_t write = au_opener_access(k, q->step[2], q->var, true);
    if (read == SIZE_MAX || write == SIZE_MAX)
        return 0;
    return au_hash_join(au_key2(e->loc[read], e->loc[write]), e->obj[write]) | 1;
}

/* Of the writes of one variable at one place so many are looked at. */
static bool is_new(const au_opener *k, au_map *tried, const au_decided *d) {
    const au_columns *e = &k->t->events;
    uint64_t *n = au_map_put(tried, au_key2(e->loc[d->event], e->obj[d->event]) | 1, NULL);
    return ++*n <= au_limit_value(AU_AT_STALE_TRIED);
}

static void add_stale(au_opener *k) {
    au_error err = AU_ERROR_NONE;
    au_cssa_options o = {AU_SEM_CTP, false, false, true};
    au_cssa *c = k->s->decided.n ? au_cssa_new(k->m, &o, &err) : NULL;
    if (!c)
        return;
    au_map times = {0}, tried = {0};
    au_cheap *h = au_cheap_new(c);
    uint64_t asked = 0, more = 0, untried = 0;
    for (size_t i = 0; i < k->s->decided.n && !au_deadline_over(); i++) {
        au_query q;
        uint64_t place;
        if (k->s->decided.at[i].event >= k->t->events.n)
            continue;
        if (!is_new(k, &tried, &k->s->decided.at[i])) {
            untried++;
            continue;
        }
        if (!make(k, &k->s->decided.at[i], &q) || !(place = place_of(k, &q)) ||
            au_cheap_stage(h, &q) != AU_STAGES)
            continue;
        uint64_t *n = au_map_put(&times, place, NULL);
        if (asked >= au_limit_value(AU_AT_OPEN_LOST)) {
            more++;
        } else if (*n < au_limit_value(AU_AT_LOST_ALIKE) || k->p->all) {
            ++*n;
            asked++;
            au_vec_push(&k->query, q);
            au_vec_push(&k->finding, SIZE_MAX);
        }
    }
    if (more)
        au_check_limit(k->c, AU_AT_OPEN_LOST, more, 0);
    if (untried)
        au_check_limit(k->c, AU_AT_STALE_TRIED, untried, 0);
    au_map_release(&times);
    au_map_release(&tried);
    au_cheap_free(h);
    au_cssa_free(c);
}

void au_opener_add_stale(au_opener *k) {
    au_opener_in_time(k, add_stale, "not all stale decisions were asked about");
}
