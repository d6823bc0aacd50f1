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

static likes find_likes(const au_model *m, const au_contacts *t) {
    likes all = {0};
    au_map of, looked; /* looked: by thread and key, how many locks it had given up then */
    uint64_t *given = au_alloc_array(m->thread.n + 1, sizeof *given);
    au_map_init(&of);
    au_map_init(&looked);
    for (size_t i = 0; i + 1 < t->first.n; i++) {
        const au_step *s = &m->step.at[m->observed.at[i]];
        for (size_t k = t->first.at[i]; k < t->first.at[i + 1]; k++) {
            au_contact x = t->touch.at[k];
            uint64_t *at = au_map_put(&looked, au_key2(s->thread, x.key), NULL);
            bool apart = t->waits || *at != given[s->thread];
            note(&all, &of, m, i, x.key, x.strong, x.strong && apart);
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

void au_far_meetings_of(const au_model *m, const au_contacts *t, size_t near, au_meetings *into) {
    likes l = find_likes(m, t);
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
}
