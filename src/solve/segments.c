/* solve/segments.c: an order of few segments, for context bounds.
 *
 * With at most n changes of thread a schedule has segments 0 … n, each of one thread. Then no pair needs a literal of
 * its own: a comes before b of another thread if a lies in an earlier segment, and that is an order by itself. Literals
 * say "in segment i or later", monotone along threads; segment n + 1 is for what is not executed (of what lies on every
 * path of its thread just that), so that what is executed comes before it. */
#include "base/error.h"
#include "solve/order_priv.h"

/* In segment i or later; 0 is always true. */
static int from(const au_order *o, uint32_t e, uint32_t i) {
    return i ? o->from[(size_t)e * (o->bound + 1) + i - 1] : AU_LIT_TRUE;
}

static uint32_t not_executed(const au_order *o) {
    return o->bound + 1;
}

static void make_literals(au_order *o, const int *exec) {
    const au_cssa *c = o->c;
    uint32_t last = not_executed(o);
    o->from = au_alloc_array(c->event.n * last + 1, sizeof *o->from);
    for (uint32_t e = 0; e < c->event.n; e++)
        for (uint32_t i = 1; i <= last; i++) {
            int *lit = &o->from[(size_t)e * last + i - 1];
            *lit = i == last && c->event.at[e].certain ? -exec[e] : au_sat_new(o->sat);
            if (i == last && !c->event.at[e].certain)
                au_sat_2(o->sat, -*lit, -exec[e]);
        }
    for (uint32_t e = 0; e < c->event.n; e++)
        for (uint32_t i = 1; i <= last; i++) {
            if (i < last)
                au_sat_2(o->sat, -from(o, e, i + 1), from(o, e, i));
            if (c->event.at[e].place)
                au_sat_2(o->sat, -from(o, e - 1, i), from(o, e, i));
        }
}

/* A segment is of one thread. */
static void keep_owners(au_order *o, const int *exec) {
    const au_cssa *c = o->c;
    int *owner = au_alloc_array(o->threads + 1, sizeof *owner);
    for (uint32_t i = 0; i <= o->bound; i++) {
        for (uint32_t t = 0; t < o->threads; t++)
            owner[t] = au_sat_new(o->sat);
        for (uint32_t e = 0; e < c->event.n; e++)
            au_sat_4(o->sat, -exec[e], -from(o, e, i), from(o, e, i + 1),
                     owner[c->event.at[e].thread]);
        for (uint32_t t = 0; t < o->threads; t++)
            for (uint32_t u = t + 1; u < o->threads; u++)
                au_sat_2(o->sat, -owner[t], -owner[u]);
    }
    free(owner);
}

/* What must come before an event lies in no later segment. */
static void keep_must(au_order *o) {
    const au_cssa *c = o->c;
    for (uint32_t e = 0; e < c->event.n; e++)
        for (uint32_t u = 0; u < o->threads; u++) {
            uint32_t n = c->last_must[(size_t)e * o->threads + u];
            bool known =
                c->event.at[e].place && n == c->last_must[(size_t)(e - 1) * o->threads + u];
            for (uint32_t i = 1; n && !known && u != c->event.at[e].thread && i <= o->bound + 1;
                 i++)
                au_sat_2(o->sat, -from(o, c->first_event[u] + n - 1, i), from(o, e, i));
        }
}

/* A lock that is held where a segment begins is not taken by another thread in that segment. */
static void keep_locks(au_order *o, const au_mutexes *x, const int *exec) {
    uint32_t objects = (uint32_t)o->c->m->obj.n;
    int *held = au_alloc_array((size_t)objects * o->threads + 1, sizeof *held);
    for (uint32_t i = 1; i <= o->bound; i++) {
        for (size_t k = 0; k < (size_t)objects * o->threads; k++)
            held[k] = 0;
        for (size_t k = 0; k < x->section.n; k++) {
            const au_section *s = &x->section.at[k];
            int *h = &held[s->obj * o->threads + s->thread];
            *h = *h ? *h : au_sat_new(o->sat);
            int given = s->rel == AU_NONE ? AU_LIT_FALSE : -from(o, s->rel, i);
            au_sat_4(o->sat, -exec[s->acq], from(o, s->acq, i), given, *h);
        }
        for (size_t k = 0; k < x->section.n; k++) {
            const au_section *s = &x->section.at[k];
            for (uint32_t t = 0; t < o->threads; t++)
                if (t != s->thread && held[s->obj * o->threads + t])
                    au_sat_4(o->sat, -exec[s->acq], -from(o, s->acq, i), from(o, s->acq, i + 1),
                             -held[s->obj * o->threads + t]);
        }
    }
    free(held);
}

void au_segments_init(au_order *o, const int *exec, const au_mutexes *x) {
    AU_BUG_IF(!o->c->o.order_all);
    make_literals(o, exec);
    keep_owners(o, exec);
    keep_must(o);
    keep_locks(o, x, exec);
    o->made = AU_NEW(au_map);
    au_map_init(o->made);
}

void au_segments_release(au_order *o) {
    if (o->made)
        au_map_release(o->made);
    free(o->made);
    free(o->from);
}

/* Some segment begins after a and not after b. */
int au_segments_before(const au_order *o, uint32_t a, uint32_t b) {
    if (o->c->event.at[a].thread > o->c->event.at[b].thread)
        return -au_segments_before(o, b, a);
    if (au_cssa_must(o->c, a, b))
        return AU_LIT_TRUE;
    if (au_cssa_must(o->c, b, a))
        return AU_LIT_FALSE;
    bool fresh;
    uint64_t *made = au_map_put(o->made, au_key2(a, b), &fresh);
    if (!fresh)
        return (int)(int64_t)*made;
    int lit = AU_LIT_FALSE;
    for (uint32_t i = 1; i <= o->bound + 1; i++)
        lit = au_sat_or(o->sat, lit, au_sat_and(o->sat, -from(o, a, i), from(o, b, i)));
    *made = (uint64_t)(int64_t)lit;
    return lit;
}

static uint32_t segment_of(const au_order *o, uint32_t e) {
    uint32_t i = 0;
    while (i < o->bound && au_sat_value(o->sat, from(o, e, i + 1)))
        i++;
    return i;
}

void au_segments_look(const au_order *o, const au_bitset *executed, au_u32s *into) {
    au_vec_clear(into);
    for (uint32_t i = 0; i <= o->bound; i++)
        for (uint32_t e = 0; e < o->c->event.n; e++)
            if (au_bitset_has(executed, e) && segment_of(o, e) == i)
                au_vec_push(into, e);
}
