/* verify/reason.c: see reason.h. */
#include "verify/reason.h"

#include "base/alloc.h"

#include <string.h>

static const au_step *step(const au_ref *r, uint32_t s) {
    return &r->m->step.at[s];
}

static uint32_t height(const au_ref *r, uint32_t s) {
    return r->topo[step(r, s)->thread][step(r, s)->src];
}

/* --- paths ---------------------------------------------------------------------------------- */

static bool is_only_fork(const au_ref *r, uint32_t s, uint32_t thread) {
    uint32_t e = au_ref_fork(r, thread);
    return e != AU_NONE && r->event.at[e].step == s;
}

/* The thread has executed a join of the other one when it is at this height. */
static bool has_joined(const au_ref *r, uint32_t thread, uint32_t at, uint32_t other) {
    uint32_t t;
    for (uint32_t e = r->first_event[thread]; e < r->first_event[thread + 1]; e++)
        if (au_ref_joins(r, e, &t) && t == other && height(r, r->event.at[e].step) < at)
            return true;
    return false;
}

/* last: the thread of b stands there; else it has gone past it. */
static bool is_link(const au_ref *r, uint32_t a, uint32_t b, bool last) {
    uint32_t t = step(r, a)->thread, u = step(r, b)->thread, upto = height(r, b) + !last;
    if (t == u)
        return height(r, a) < upto;
    return is_only_fork(r, a, u) || has_joined(r, u, upto, t);
}

static bool is_path(const au_ref *r, const au_ref_list *p, uint32_t from, uint32_t to) {
    if (p->n < 2 || p->at[0] != from || p->at[p->n - 1] != to)
        return false;
    for (size_t i = 0; i < p->n; i++)
        if (p->at[i] >= r->m->step.n || r->event_of[p->at[i]] == AU_NONE)
            return false;
    for (size_t i = 0; i + 1 < p->n; i++)
        if (!is_link(r, p->at[i], p->at[i + 1], i + 2 == p->n))
            return false;
    return true;
}

/* From 'to' back: for each thread the furthest that it has gone past, by which step, and what follows that. */
static bool find_path(const au_ref *r, uint32_t from, uint32_t to, au_ref_list *p) {
    size_t n = r->m->thread.n;
    uint32_t *upto = au_alloc_array(n, sizeof *upto), *by = au_alloc_array(n, sizeof *by);
    uint32_t *next = au_alloc_array(n, sizeof *next); /* thread */
    for (size_t t = 0; t < n; t++)
        by[t] = next[t] = AU_NONE;
    uint32_t start = step(r, to)->thread, goal = step(r, from)->thread;
    by[start] = to;
    upto[start] = height(r, to);
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t t = 0; t < n; t++) {
            if (by[t] == AU_NONE)
                continue;
            uint32_t f = au_ref_fork(r, t), u;
            for (uint32_t e = r->first_event[t]; e < r->first_event[t + 1]; e++)
                if (au_ref_joins(r, e, &u) && height(r, r->event.at[e].step) < upto[t] &&
                    by[u] == AU_NONE) {
                    by[u] = r->event.at[r->first_event[u + 1] - 1].step;
                    upto[u] = UINT32_MAX;
                    next[u] = t;
                    grew = true;
                }
            if (f != AU_NONE && by[r->event.at[f].thread] == AU_NONE) {
                u = r->event.at[f].thread;
                by[u] = r->event.at[f].step;
                upto[u] = height(r, by[u]) + 1;
                next[u] = t;
                grew = true;
            }
        }
    }
    bool found = by[goal] != AU_NONE && height(r, from) < upto[goal];
    if (found) {
        au_vec_clear(p);
        if (by[goal] != from)
            au_vec_push(p, from);
        for (uint32_t t = goal; t != AU_NONE; t = next[t])
            au_vec_push(p, by[t]);
    }
    free(upto);
    free(by);
    free(next);
    return found && is_path(r, p, from, to);
}

/* --- locks ------------------------------------------------------------------------------------ */

enum { NOT, SHARED, ALONE, UNSEEN };

static uint32_t lock_of(const au_step *s) {
    if (s->kind == AU_STEP_WAIT || s->kind == AU_STEP_WAKE)
        return s->obj2;
    return s->kind >= AU_STEP_ACQ && s->kind <= AU_STEP_WRACQ ? s->obj : AU_NONE;
}

static bool gives_up(const au_step *s) {
    return s->kind == AU_STEP_REL || s->kind == AU_STEP_WAIT;
}

/* By node of the thread: how it holds the lock when it stands there, at least. Made once for each thread and lock. */
static const uint8_t *holding(au_ref *r, uint32_t obj, uint32_t t) {
    const au_thread *th = &r->m->thread.at[t];
    if (!r->held)
        r->held = AU_ARENA_ARRAY(&r->arena, uint8_t *, r->m->obj.n * r->m->thread.n + 1);
    uint8_t **made = &r->held[obj * r->m->thread.n + t];
    if (*made)
        return *made;
    uint8_t *at = *made = AU_ARENA_ARRAY(&r->arena, uint8_t, th->node.n + 1);
    memset(at, UNSEEN, th->node.n);
    at[th->entry] = NOT;
    for (uint32_t e = r->first_event[t]; e < r->first_event[t + 1];
         e++) { /* in topological order */
        const au_step *x = step(r, r->event.at[e].step);
        uint8_t after = at[x->src];
        if (lock_of(x) == obj)
            after = gives_up(x) ? NOT : x->kind == AU_STEP_RDACQ && after != ALONE ? SHARED : ALONE;
        if (after < at[x->dst])
            at[x->dst] = after;
    }
    return at;
}

static int held_at(au_ref *r, uint32_t obj, uint32_t s) {
    int how = holding(r, obj, step(r, s)->thread)[step(r, s)->src];
    return how == UNSEEN ? NOT : how;
}

/* The thread of a keeps it on every way from a to b. */
static bool keeps(const au_ref *r, uint32_t obj, uint32_t a, uint32_t b) {
    uint32_t t = step(r, a)->thread;
    const au_thread *th = &r->m->thread.at[t];
    bool *from = au_alloc_array(th->node.n + 1, sizeof *from), *to = NULL;
    to = au_alloc_array(th->node.n + 1, sizeof *to);
    from[step(r, a)->src] = to[step(r, b)->src] = true;
    for (uint32_t e = r->first_event[t]; e < r->first_event[t + 1]; e++)
        from[step(r, r->event.at[e].step)->dst] |= from[step(r, r->event.at[e].step)->src];
    for (uint32_t e = r->first_event[t + 1]; e-- > r->first_event[t];)
        to[step(r, r->event.at[e].step)->src] |= to[step(r, r->event.at[e].step)->dst];
    bool kept = true;
    for (uint32_t e = r->first_event[t]; e < r->first_event[t + 1]; e++) {
        const au_step *x = step(r, r->event.at[e].step);
        kept &= !(from[x->src] && to[x->dst] && lock_of(x) == obj && gives_up(x));
    }
    free(from);
    free(to);
    return kept;
}

static bool lock_excludes(au_ref *r, const au_ref_question *q, uint32_t obj) {
    if (obj >= r->m->obj.n || r->m->obj.at[obj].kind > AU_OBJ_RWLOCK)
        return false;
    int a = held_at(r, obj, q->step[0]), b = held_at(r, obj, q->step[1]);
    bool apart = a != NOT && b != NOT && (a == ALONE || b == ALONE);
    return apart && (q->kind == AU_REF_RACE || keeps(r, obj, q->step[0], q->step[2]));
}

/* --- both ---------------------------------------------------------------------------------------- */

static bool is_about(const au_ref *r, const au_ref_question *q) {
    if (q->kind != AU_REF_RACE && q->kind != AU_REF_ATOMICITY)
        return false;
    for (int i = 0; i < (q->kind == AU_REF_RACE ? 2 : 3); i++)
        if (q->step[i] >= r->m->step.n || r->event_of[q->step[i]] == AU_NONE)
            return false;
    const au_ref_question x = *q;
    uint32_t t = step(r, x.step[0])->thread;
    return t != step(r, x.step[1])->thread &&
           (x.kind == AU_REF_RACE || t == step(r, x.step[2])->thread);
}

/* What must be behind what. */
static void ends(const au_ref_question *q, int i, uint32_t *from, uint32_t *to) {
    bool race = q->kind == AU_REF_RACE;
    *from = race ? q->step[i] : q->step[i + 1];
    *to = race ? q->step[1 - i] : q->step[i];
}

bool au_reason_holds(au_ref *r, const au_refuted *x) {
    if (!is_about(r, &x->q))
        return false;
    if (x->how == AU_HOW_LOCK)
        return lock_excludes(r, &x->q, x->number);
    uint32_t from, to;
    for (int i = 0; i < 2 && x->how == AU_HOW_PATH; i++) {
        ends(&x->q, i, &from, &to);
        if (is_path(r, &x->path, from, to))
            return true;
    }
    return false;
}

bool au_reason_find(au_ref *r, au_refuted *x) {
    if (!is_about(r, &x->q))
        return false;
    uint32_t from, to;
    x->how = AU_HOW_PATH;
    for (int i = 0; i < 2; i++) {
        ends(&x->q, i, &from, &to);
        if (find_path(r, from, to, &x->path))
            return true;
    }
    x->how = AU_HOW_LOCK;
    for (x->number = 0; x->number < r->m->obj.n; x->number++)
        if (lock_excludes(r, &x->q, x->number))
            return true;
    x->how = AU_HOW_NONE;
    return false;
}
