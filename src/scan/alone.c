/* scan/alone.c: the partial-order reduction: may one thread move while all others wait? reach.h
 * says when, and why nothing is lost. */
#include "scan/reach_priv.h"

/* Steps of the transactions that begin at this boundary conflict with this one of another thread. */
static bool conflicts(const au_reach_maker *k, uint32_t boundary, uint32_t other) {
    const au_cuts *c = k->c;
    uint32_t b = c->number[boundary];
    for (uint32_t i = c->first[b]; i < c->first[b + 1]; i++) {
        const au_node *n = au_facts_node(c->f, c->inside.at[i]);
        for (size_t j = 0; j < n->out.n; j++)
            if (au_facts_conflict(c->f, n->out.at[j], other))
                return true;
    }
    return false;
}

/* The transactions there can neither stop nor wait, and go on. */
static bool simple(const au_reach_maker *k, uint32_t boundary) {
    const au_facts *f = k->c->f;
    uint32_t t = f->owner[boundary];
    const au_node *n = au_facts_node(f, boundary);
    if (!n->out.n || k->c->head[boundary] ||
        (boundary == au_facts_entry(f, t) && f->m->thread.at[t].started != AU_NONE))
        return false;
    for (size_t i = 0; i < n->out.n; i++)
        if (f->stops[n->out.at[i]] || f->waits[n->out.at[i]])
            return false;
    return true;
}

/* The other thread, now at 'from', can do something that conflicts while this one stands there. */
static bool future_conflicts(au_reach_maker *k, uint32_t boundary, uint32_t from) {
    const au_facts *f = k->c->f;
    uint64_t *known = au_map_put(&k->memo, au_key2(boundary, from), NULL);
    if (*known)
        return *known == 2;
    uint32_t base = f->base[f->owner[from]];
    bool *seen = au_alloc_array(f->base[f->owner[from] + 1] - base + 1, sizeof *seen);
    AU_VEC(uint32_t) work = {0};
    bool found = false;
    seen[from - base] = true;
    au_vec_push(&work, from);
    while (work.n && !found) {
        uint32_t at = au_vec_pop(&work);
        const au_node *n = au_facts_node(f, at);
        for (size_t i = 0; i < n->out.n && !found; i++) {
            uint32_t s = n->out.at[i], to = au_facts_dst(f, s);
            found = conflicts(k, boundary, s);
            if (!seen[to - base] && au_facts_passes(f, s, boundary)) {
                seen[to - base] = true;
                au_vec_push(&work, to);
            }
        }
    }
    au_vec_release(&work);
    free(seen);
    *au_map_put(&k->memo, au_key2(boundary, from), NULL) = found ? 2 : 1;
    return found;
}

static bool environment_conflicts(au_reach_maker *k, uint32_t boundary) {
    const au_model *m = k->c->f->m;
    if (k->width == m->thread.n)
        return false;
    uint64_t *known = au_map_put(&k->memo, au_key2(boundary, boundary), NULL);
    if (*known)
        return *known == 2;
    bool found = false;
    for (uint32_t s = 0; s < m->step.n && !found; s++) {
        bool mine = false;
        for (uint32_t i = 0; i < k->width; i++)
            mine |= k->thread[i] == m->step.at[s].thread;
        found = !mine && conflicts(k, boundary, s);
    }
    *au_map_put(&k->memo, au_key2(boundary, boundary), NULL) = found ? 2 : 1;
    return found;
}

uint32_t au_reach_alone_(au_reach_maker *k, const uint32_t *tuple) {
    for (uint32_t i = 0; i < k->width && k->o->reduce; i++) {
        bool alone = simple(k, tuple[i]) && !environment_conflicts(k, tuple[i]);
        for (uint32_t j = 0; j < k->width && alone; j++)
            alone = j == i || !future_conflicts(k, tuple[i], tuple[j]);
        if (alone)
            return i;
    }
    return AU_NONE;
}
