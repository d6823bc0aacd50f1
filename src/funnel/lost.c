/* funnel/lost.c: see lost.h. */
#include "funnel/lost.h"

#include "base/deadline.h"
#include "base/limits.h"
#include "solve/cheap.h"

#include <inttypes.h>
#include <stdio.h>

void au_lost_say(char *to, size_t room, int64_t v) {
    if (v > INT64_C(1) << 40 || v < -(INT64_C(1) << 40)) /* an address, most likely */
        snprintf(to, room, "0x%" PRIx64, (uint64_t)v);
    else
        snprintf(to, room, "%" PRId64, v);
}

const char *au_lost_words(const au_model *m, uint32_t var, const au_lost_values *v,
                          au_arena *into) {
    char wrote[32], instead[32], text[96];
    au_lost_say(wrote, sizeof wrote, au_model_view_value(m, var, v->wrote));
    au_lost_say(instead, sizeof instead, au_model_view_value(m, var, v->instead));
    int n = snprintf(text, sizeof text, "%s instead of %s", wrote, instead);
    return au_arena_strndup(into, text, (size_t)n);
}

/* --- questions -------------------------------------------------------------------------------- */

static bool events_of(const au_opener *k, const au_query *q, size_t *read, size_t *write) {
    *read = au_opener_access(k, q->step[0], q->var, false);
    *write = au_opener_access(k, q->step[2], q->var, true);
    return *read != SIZE_MAX && *write != SIZE_MAX;
}

static uint64_t place_of(const au_opener *k, size_t read, size_t write) {
    const au_columns *e = &k->t->events;
    return au_hash_join(au_key2(e->loc[read], e->loc[write]), e->obj[write]);
}

#define TO_ASK 0.3 /* of the time, at most, to find out what could be asked */

static void add_lost(au_opener *k) {
    au_error err = AU_ERROR_NONE;
    au_cssa_options o = {AU_SEM_CTP, false, false, true};
    au_cssa *c = au_cssa_new(k->m, &o, &err);
    if (!c)
        return; /* too large: the workers will say so */
    au_queries q = {0};
    au_map times = {0};
    au_cheap *h = au_cheap_new(c);
    au_funnel *f = &k->c->funnel[AU_KIND_LOST];
    uint64_t left[AU_STAGES] = {0}, asked = 0, more = 0;
    au_queries_of(c, AU_PROP_LOST, AU_ATOMIC_NONE, false, &q);
    for (size_t i = 0; i < q.n && !au_deadline_over(); i++) {
        size_t read, write;
        int stage = au_cheap_stage(h, &q.at[i]);
        for (int s = AU_STAGE_CANDIDATES; s < stage && s <= AU_STAGE_LOCKSET; s++)
            left[s]++;
        if (stage != AU_STAGES || !events_of(k, &q.at[i], &read, &write))
            continue;
        uint64_t *n = au_map_put(&times, place_of(k, read, write), NULL);
        bool full = asked >= au_limit_value(AU_AT_OPEN_LOST);
        if (full || (*n >= au_limit_value(AU_AT_LOST_ALIKE) && !k->p->all)) {
            more += full;
            if (!full)
                au_vec_push(&k->lost_alike, q.at[i]);
            continue;
        }
        ++*n;
        asked++;
        au_vec_push(&k->query, q.at[i]);
        au_vec_push(&k->finding, SIZE_MAX);
    }
    k->c->looked_for[AU_KIND_LOST] = true;
    f->unit = "reads and writes";
    for (int s = AU_STAGE_CANDIDATES; s <= AU_STAGE_LOCKSET; s++)
        f->left[s] = left[s];
    if (more)
        au_check_limit(k->c, AU_AT_OPEN_LOST, more, 0);
    au_map_release(&times);
    au_vec_release(&q);
    au_cheap_free(h);
    au_cssa_free(c);
}

void au_opener_in_time(au_opener *k, void (*add)(au_opener *), const char *what) {
    double until = au_deadline_narrow(TO_ASK * au_deadline_left());
    add(k);
    bool cut = au_deadline_over();
    au_deadline_widen(until);
    if (cut)
        au_check_cut(k->c, "%s", what);
}

void au_opener_add_lost(au_opener *k) {
    au_opener_in_time(k, add_lost, "not all lost updates were asked about");
}

static bool is_stale(const au_finding *f) {
    return !strncmp(f->detail, "stale: ", 7);
}

static bool is_told(const au_opener *k, const au_event_ref *e, bool stale) {
    for (size_t i = 0; i < k->c->findings.finding.n && !k->p->all; i++) {
        const au_finding *f = &k->c->findings.finding.at[i];
        if (f->kind == AU_KIND_LOST && is_stale(f) == stale && f->obj == e[2].obj &&
            f->event[0].loc == e[0].loc && f->event[2].loc == e[2].loc)
            return true;
    }
    return false;
}

/* Executions that were left out matter where none at their locations loses an update. */
void au_opener_lost_left(const au_opener *k) {
    uint64_t n = 0;
    for (size_t i = 0; i < k->lost_alike.n; i++) {
        size_t read, write;
        if (!events_of(k, &k->lost_alike.at[i], &read, &write))
            continue;
        au_event_ref e[3] = {au_opener_ref(k, read), {0}, au_opener_ref(k, write)};
        n += !is_told(k, e, false);
    }
    if (n)
        au_check_limit(k->c, AU_AT_LOST_ALIKE, n, 0);
}

/* --- findings ----------------------------------------------------------------------------------- */

void au_opener_tell_lost(au_opener *k, const au_query *q, const au_solution *s) {
    au_event_ref e[3];
    for (size_t i = 0; i < 3; i++) {
        size_t at = au_opener_access(k, s->event.at[i].step, q->var, i > 0);
        if (at ==
            SIZE_MAX) /* a compare-and-exchange that failed in the run, or its pointer pointed elsewhere */
            at = au_opener_event(k, s->event.at[i].step, q->var);
        if (at == SIZE_MAX)
            return;
        e[i] = au_opener_ref(k, at);
        e[i].obj = k->var[q->var] == AU_NONE ? e[i].obj : k->var[q->var];
    }
    if (is_told(k, e, q->kind == AU_ASK_STALE))
        return;
    au_finding *f = au_findings_add(&k->c->findings, AU_KIND_LOST, 3);
    memcpy(f->event, e, sizeof e);
    f->obj = e[2].obj;
    au_opener_stand(k, q, f);
    if (!au_opener_proves(k, q, s, f))
        k->c->findings.finding.n--;
}
