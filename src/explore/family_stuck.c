/* explore/family_stuck.c: runs that were stopped while nobody could do anything any more.
 *
 * A thread that spins never stops by itself, so a deadlock of such threads ends at the limit of events. It is one
 * if, behind the last event by which anybody could have changed anything, every thread that did not end either
 * took a round that left no trace (au_symbolic.round) and went on with the same events, or waits for a lock that another of
 * them holds, for the end of one of them, or on a condition or at a barrier that nobody came to afterwards. Then
 * each round is as the one before, for good. In doubt a run is not stuck. */
#include "explore/family_priv.h"

#include "wire/stream.h"

#include <stdio.h>

enum { RUNS, WAITS, SPINS, OVER };

typedef struct {
    const au_family_run *r;
    const au_columns *c;
    size_t threads;
    uint8_t *how;
    uint32_t *last;  /* round, from 1: the last one that is in no other; 0: none */
    size_t *event;   /* its last event + 1, 0: none */
    size_t *held_by; /* by lock: the thread + 1 … */
    int64_t *count;  /* … who has it for reading; of a semaphore how often it is free */
    size_t settled;  /* no event from here on changes anything */
} judge;

/* What the thread does behind its last round: the beginning of another one. */
static bool goes_on_alike(const judge *k, uint32_t thread) {
    const struct au_round *x = &k->r->s.round.at[k->last[thread] - 1];
    const au_columns *c = k->c;
    size_t like = x->after == AU_NONE ? 0 : x->after + 1;
    for (size_t e = (size_t)x->upto + 1; e < c->n; e++) {
        if (c->thread[e] != thread)
            continue;
        while (like <= x->upto && c->thread[like] != thread)
            like++;
        if (like > x->upto || c->op[like] != c->op[e] || c->obj[like] != c->obj[e] ||
            c->has_value[like] != c->has_value[e] || c->value[like] != c->value[e])
            return false;
        like++;
    }
    return true;
}

static void find_rounds(judge *k) {
    const au_symbolic *s = &k->r->s;
    for (size_t i = 0; i < s->round.n; i++)
        if (!k->r->parent[i + 1])
            k->last[s->round.at[i].thread] = (uint32_t)i + 1;
}

/* Does a thread wait for something that one of the others would have to do? */
static bool waits_for_others(const judge *k, const struct au_waiting *w) {
    if (w->op == AU_OP_JOIN)
        return w->obj < k->threads && k->how[w->obj] != OVER;
    if (w->op == AU_OP_DOWN)
        return k->count[w->obj] <= 0;
    if (w->op == AU_OP_WRACQ && k->count[w->obj] > 0)
        return true;
    return k->held_by[w->obj] && k->held_by[w->obj] != w->thread + 1u;
}

/* On a condition without a time, or at a barrier, that nobody came to since. */
static bool waits_untold(const judge *k, size_t event) {
    const au_columns *c = k->c;
    bool timed = c->any_value && c->has_value[event] && c->value[event];
    if (!(c->op[event] == AU_OP_WAIT && !timed) && c->op[event] != AU_OP_ARRIVE)
        return false;
    for (size_t e = event + 1; e < c->n; e++)
        if (au_op_space(c->op[e]) == AU_WIRE_SPACE_LOCK && c->obj[e] == c->obj[event])
            return false;
    return true;
}

static void find_waits(judge *k) {
    const au_columns *c = k->c;
    for (size_t e = 0; e < c->n; e++) {
        uint32_t t = c->thread[e];
        k->event[t] = e + 1;
        if (c->op[e] == AU_OP_EXIT)
            k->how[t] = OVER;
        if (c->op[e] == AU_OP_ACQ || c->op[e] == AU_OP_WRACQ)
            k->held_by[c->obj[e]] = t + 1u;
        else if (c->op[e] == AU_OP_RDACQ || c->op[e] == AU_OP_UP)
            k->count[c->obj[e]]++;
        else if (c->op[e] == AU_OP_DOWN)
            k->count[c->obj[e]]--;
        else if (c->op[e] == AU_OP_REL && k->held_by[c->obj[e]])
            k->held_by[c->obj[e]] = 0;
        else if (c->op[e] == AU_OP_REL)
            k->count[c->obj[e]]--;
        for (size_t i = 0; c->op[e] == AU_OP_WAIT && i < k->r->t->names.lock.n; i++)
            if (k->held_by[i] == t + 1u) /* its lock, and perhaps it alone */
                k->held_by[i] = 0;
    }
}

static void judge_threads(judge *k) {
    const au_symbolic *s = &k->r->s;
    for (uint32_t t = 0; t < k->threads; t++) {
        if (k->how[t] == OVER)
            continue;
        if (!k->event[t]) /* made, and did nothing yet */
            continue;
        for (size_t i = 0; i < s->waiting.n; i++)
            if (s->waiting.at[i].thread == t && waits_for_others(k, &s->waiting.at[i]))
                k->how[t] = WAITS;
        if (waits_untold(k, k->event[t] - 1))
            k->how[t] = WAITS;
        else if (k->how[t] == RUNS && k->last[t] && goes_on_alike(k, t))
            k->how[t] = SPINS;
    }
}

static bool changes_nothing(au_op op) {
    return op == AU_OP_READ || op == AU_OP_AREAD || op == AU_OP_CALL || op == AU_OP_RET ||
           op == AU_OP_XRET;
}

/* Behind the last event that may have changed anything. */
static void find_settled(judge *k) {
    const au_symbolic *s = &k->r->s;
    au_round_walk *w = au_alloc_array(k->threads, sizeof *w);
    for (uint32_t t = 0; t < k->threads; t++)
        au_round_walk_init(&w[t], s, t, false);
    for (size_t e = 0; e < k->c->n; e++) {
        uint32_t t = k->c->thread[e];
        if (au_round_walk_to(&w[t], e) || changes_nothing(k->c->op[e]))
            continue;
        if (k->how[t] != SPINS || e <= s->round.at[k->last[t] - 1].upto)
            k->settled = e + 1;
    }
    for (uint32_t t = 0; t < k->threads; t++)
        au_round_walk_release(&w[t]);
    free(w);
}

/* "T1 spins at a.c:7, T2 waits at a.c:9" */
static char *tell(const judge *k) {
    char *text = au_strdup("");
    for (uint32_t t = 0; t < k->threads; t++) {
        if (k->how[t] != SPINS && k->how[t] != WAITS)
            continue;
        uint32_t at = k->c->loc[k->event[t] - 1];
        bool known = at != AU_NONE && at >= AU_LOC_NAMED;
        char *more = au_sprintf(
            "%s%s%s %s at %s", text, *text ? ", " : "", au_intern_str(&k->r->t->names.thread, t),
            k->how[t] == SPINS ? "spins" : "waits",
            known ? au_intern_str(&k->r->t->names.loc, at - AU_LOC_NAMED) : "an unknown place");
        free(text);
        text = more;
    }
    return text;
}

char *au_family_find_stuck(const au_family_run *r) {
    judge k = {.r = r, .c = &r->t->events, .threads = r->t->names.thread.n};
    bool any = false, all = r->facts.ended && r->facts.end == AU_END_LIMIT && !r->s.none &&
                            !r->facts.unknown_events && k.c->any_value;
    if (!all || !r->s.round.n)
        return NULL;
    k.how = au_alloc_array(k.threads, 1);
    k.last = au_alloc_array(k.threads, sizeof *k.last);
    k.event = au_alloc_array(k.threads, sizeof *k.event);
    k.held_by = au_alloc_array(r->t->names.lock.n + 1, sizeof *k.held_by);
    k.count = au_alloc_array(r->t->names.lock.n + 1, sizeof *k.count);
    for (uint32_t i = 0; i < r->t->names.lock.n; i++) {
        struct au_sync_info s = au_names_sync(&r->t->names, i);
        k.count[i] = s.kind == AU_WIRE_OBJ_SEM ? s.init : 0;
    }
    find_rounds(&k);
    find_waits(&k);
    judge_threads(&k);
    find_settled(&k);
    for (uint32_t t = 0; t < k.threads; t++) {
        uint32_t after = k.how[t] == SPINS ? r->s.round.at[k.last[t] - 1].after : 0;
        any |= k.how[t] == SPINS;
        all &= k.how[t] != RUNS;
        all &= k.how[t] != SPINS || (after != AU_NONE && after + 1u >= k.settled);
    }
    char *text = all && any ? tell(&k) : NULL;
    free(k.how);
    free(k.last);
    free(k.event);
    free(k.held_by);
    free(k.count);
    return text;
}
