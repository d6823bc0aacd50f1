/* solve/far.c: which places far apart could meet (held.h). */
#include "solve/held.h"

#include "base/hash.h"
#include "base/limits.h"
#include "solve/observed.h"

#include <stdlib.h>
#include <string.h>

/* --- what a thread does in one way ------------------------------------------------------------------ */

enum { OF_EACH = 3, MOST = 400 /* likes; then those of a thread and variable are one */ };

typedef struct {
    uint32_t thread, var;
    bool write;
    size_t times, at[OF_EACH]; /* the first, one in the middle, the last */
} like;
typedef AU_VEC(like) likes;

enum { DEPTH = 6 }; /* of terms that are told apart */

/* Whatever its locals are called: of a recording every read has one of its own. */
static uint64_t shape(const au_model *m, au_term x, int depth) {
    const au_terms *t = m->terms;
    uint64_t h = au_key2(au_term_kind(t, x), au_term_width(t, x));
    if (au_term_is_const(t, x))
        return au_hash_join(h, au_term_value(t, x));
    if (au_term_kind(t, x) == AU_T_VAR) {
        uint32_t v = au_term_var(t, x);
        return au_hash_join(h, m->var.at[v].kind == AU_VAR_LOCAL ? AU_NONE : v);
    }
    for (unsigned i = 0; i < au_term_kids(t, x) && depth; i++)
        h = au_hash_join(h, shape(m, au_term_kid(t, x, i), depth - 1));
    return h;
}

/* What the step does, whatever its line. apart: it stores, and its thread has given up a lock since it last looked there. */
static uint64_t what(const au_model *m, const au_step *s, uint32_t var, bool apart) {
    uint64_t h = au_hash_join(au_key2(s->thread, var), au_key2(s->kind, apart));
    for (uint32_t i = 0; i < s->n_updates; i++) {
        uint32_t v = s->update[i].var;
        h = au_hash_join(h, m->var.at[v].kind == AU_VAR_LOCAL ? AU_NONE : v);
        h = au_hash_join(h, shape(m, s->update[i].value, DEPTH));
    }
    return au_hash_join(h, shape(m, s->guard, DEPTH));
}

static void note(likes *all, au_map *of, const au_model *m, size_t place, uint32_t var, bool write,
                 bool apart) {
    const au_step *s = &m->step.at[m->observed.at[place]];
    bool fresh;
    uint64_t key = what(m, s, var, apart);
    if (all->n >= MOST &&
        !au_map_find(of, key)) /* no room: one for all that is left of the thread and variable */
        key = au_hash_join(au_key2(s->thread, var), write);
    uint64_t *at = au_map_put(of, key, &fresh);
    if (fresh) {
        *at = all->n;
        au_vec_push(all, ((like){.thread = s->thread, .var = var}));
    }
    like *l = &all->at[*at];
    l->write |= write;
    if (!l->times++)
        l->at[0] = l->at[1] = l->at[2] = place;
    else if (!(l->times & (l->times - 1))) /* of 2^k times, half of them are behind it */
        l->at[1] = l->at[2];
    l->at[2] = place;
}

static bool gives_up(const au_step *s) {
    return s->kind == AU_STEP_REL || s->kind == AU_STEP_WAIT;
}

static likes find_likes(const au_model *m, const au_bitset *needed, size_t until) {
    likes all = {0};
    au_map of, looked; /* looked: by thread and variable, how many locks it had given up then */
    uint64_t *given = au_alloc_array(m->thread.n + 1, sizeof *given);
    au_map_init(&of);
    au_map_init(&looked);
    for (size_t i = 0; i < until; i++) {
        const au_step *s = &m->step.at[m->observed.at[i]];
        for (uint32_t k = 0; k < s->n_accesses; k++) {
            uint32_t var = s->access[k].var;
            if (!au_bitset_has(needed, var))
                continue;
            uint64_t *at = au_map_put(&looked, au_key2(s->thread, var), NULL);
            note(&all, &of, m, i, var, s->access[k].write,
                 s->access[k].write && *at != given[s->thread]);
            *at = given[s->thread];
        }
        given[s->thread] += gives_up(s);
    }
    au_map_release(&of);
    au_map_release(&looked);
    free(given);
    return all;
}

/* --- pairs of them ------------------------------------------------------------------------------------ */

typedef struct {
    au_meeting p;
    uint64_t often; /* how often the two are done */
} chance;

static int rare_first(const void *a, const void *b) {
    const chance *x = a, *y = b;
    if (x->often != y->often)
        return x->often < y->often ? -1 : 1;
    return x->p.low != y->p.low    ? (x->p.low < y->p.low ? -1 : 1)
           : x->p.high < y->p.high ? -1
                                   : x->p.high > y->p.high;
}

void au_far_meetings_of(const au_model *m, uint32_t assertion, size_t until, size_t near,
                        au_meetings *into) {
    au_bitset needed;
    au_places_needed(m, assertion, &needed);
    likes l = find_likes(m, &needed, until);
    AU_VEC(chance) all = {0};
    for (size_t a = 0; a < l.n; a++)
        for (size_t b = a + 1; b < l.n; b++) {
            const like *x = &l.at[a], *y = &l.at[b];
            if (x->thread == y->thread || x->var != y->var || !(x->write || y->write))
                continue;
            for (int i = 0; i < OF_EACH; i++)
                for (int j = 0; j < OF_EACH; j++) {
                    size_t p = x->at[i], q = y->at[j];
                    au_meeting at = {p < q ? p : q, p < q ? q : p};
                    bool again = (i && x->at[i] == x->at[i - 1]) || (j && y->at[j] == y->at[j - 1]);
                    if (at.high - at.low >= near && !again)
                        au_vec_push(&all, ((chance){at, (uint64_t)x->times * y->times}));
                }
        }
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, rare_first);
    for (size_t i = 0; i < all.n; i++)
        au_vec_push(into, all.at[i].p);
    au_vec_release(&all);
    au_vec_release(&l);
    au_bitset_release(&needed);
}

/* --- locks in opposite order ------------------------------------------------------------------------------ */

/* A thread takes a lock while it has another one. */
typedef struct {
    uint32_t thread, has, wants;
    size_t place; /* where it takes the second */
} nest;
typedef AU_VEC(nest) nests;

static bool is_plain_lock(const au_model *m, const au_step *s) {
    return s->kind == AU_STEP_ACQ && s->blocking && !s->timed &&
           m->obj.at[s->obj].kind <= AU_OBJ_RLOCK;
}

static void add_nest(nests *all, au_map *seen, nest n) {
    bool fresh;
    au_map_put(seen, au_hash_join(au_key2(n.has, n.wants), n.thread), &fresh);
    if (fresh)
        au_vec_push(all, n);
}

static nests find_nests(const au_model *m) {
    nests all = {0};
    au_map seen;
    au_map_init(&seen);
    au_u32s *held = au_alloc_array(m->thread.n + 1, sizeof *held);
    for (size_t i = 0; i < m->observed.n; i++) {
        const au_step *s = &m->step.at[m->observed.at[i]];
        au_u32s *has = &held[s->thread];
        if (is_plain_lock(m, s)) {
            for (size_t k = 0; k < has->n; k++)
                if (has->at[k] != s->obj)
                    add_nest(&all, &seen, (nest){s->thread, has->at[k], s->obj, i});
            au_vec_push(has, s->obj);
        }
        uint32_t gone = s->kind == AU_STEP_REL    ? s->obj
                        : s->kind == AU_STEP_WAIT ? s->obj2
                                                  : AU_NONE;
        for (size_t k = has->n; k-- > 0 && gone != AU_NONE;)
            if (has->at[k] == gone) {
                memmove(has->at + k, has->at + k + 1, (has->n - k - 1) * sizeof *has->at);
                has->n--;
                break;
            }
    }
    for (size_t t = 0; t < m->thread.n; t++)
        au_vec_release(&held[t]);
    free(held);
    au_map_release(&seen);
    return all;
}

static bool is_known(const au_u32s *known, uint32_t a, uint32_t b) {
    for (size_t i = 0; known && i + 1 < known->n; i += 2)
        if ((known->at[i] == a && known->at[i + 1] == b) ||
            (known->at[i] == b && known->at[i + 1] == a))
            return true;
    return false;
}

/* Whether the lock that the step wants belongs to the thread. */
static bool waits_for(const au_observed *x, uint32_t step, uint32_t thread) {
    const au_step *s = &x->m->step.at[step];
    return x->node[s->thread] == s->src && !x->stopped[s->thread] &&
           !au_observed_enabled(x, step) && x->value[x->m->obj.at[s->obj].var[0]] == thread + 1u;
}

/* The one stands before its second lock; the other runs until it must wait. */
static bool show(const au_model *m, const nest *a, const nest *b, au_solution *r) {
    uint32_t one = m->observed.at[a->place], other = m->observed.at[b->place];
    bool *waits = au_alloc_array(m->thread.n + 1, sizeof *waits);
    au_observed x;
    au_observed_init(&x, m);
    for (size_t i = 0; i < b->place; i++) {
        uint32_t s = m->observed.at[i], t = m->step.at[s].thread;
        waits[t] |= i == a->place || !au_observed_enabled(&x, s) || !au_observed_holds(&x, s);
        if (waits[t])
            continue;
        au_observed_step(&x, s, 0, false);
        au_vec_push(&r->schedule, s);
        if (m->step.at[s].havoc != AU_NONE)
            au_vec_push(&r->havoc, 0);
    }
    bool good = waits_for(&x, one, b->thread) && waits_for(&x, other, a->thread);
    if (good) {
        au_solved_event e[2] = {{one, x.done[a->thread] + 1}, {other, x.done[b->thread] + 1}};
        au_vec_push(&r->event, e[a->thread > b->thread]);
        au_vec_push(&r->event, e[a->thread < b->thread]);
        r->answer = AU_SAT;
        r->shown = r->schedule.n;
    } else {
        au_vec_release(&r->schedule);
        au_vec_release(&r->havoc);
    }
    au_observed_release(&x);
    free(waits);
    return good;
}

void au_held_deadlock(const au_model *m, const au_u32s *known, au_solution *r) {
    nests all = find_nests(m);
    size_t tries = 0, most = au_limit_value(AU_AT_HELD_RUNS);
    *r = (au_solution){.answer = AU_UNKNOWN, .why = "", .var = AU_NONE, .obj = AU_NONE};
    for (size_t i = 0; i < all.n; i++)
        for (size_t k = 0; k < all.n && r->answer != AU_SAT && tries < most; k++) {
            const nest *a = &all.at[i], *b = &all.at[k];
            if (a->thread == b->thread || a->has != b->wants || a->wants != b->has ||
                a->place > b->place ||
                is_known(known, m->observed.at[a->place], m->observed.at[b->place]))
                continue;
            tries++;
            show(m, a, b, r);
        }
    if (r->answer != AU_SAT)
        r->why = "no run in which two threads meet has one, and others were not looked for";
    au_vec_release(&all);
}
