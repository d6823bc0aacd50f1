#include "solve/cheap.h"

/* Locks held on every way to a node: alone, or at least with other readers. */
typedef struct {
    au_bitset alone, held;
    bool reached;
} locks;

struct au_cheap {
    const au_cssa *c;
    locks **at;       /* by thread and node */
    uint32_t *passed; /* [event * threads + thread] */
};

/* --- locks --------------------------------------------------------------------------- */

static bool is_lock(const au_model *m, uint32_t obj) {
    return obj != AU_NONE && m->obj.at[obj].kind <= AU_OBJ_RWLOCK;
}

/* The lock that a step takes or gives up; AU_NONE: none. */
static uint32_t lock_of(const au_model *m, const au_step *s) {
    uint32_t obj = AU_NONE;
    if (s->kind == AU_STEP_WAIT || s->kind == AU_STEP_WAKE)
        obj = s->obj2;
    else if (s->kind >= AU_STEP_ACQ && s->kind <= AU_STEP_WRACQ)
        obj = s->obj;
    return is_lock(m, obj) ? obj : AU_NONE;
}

static bool gives_up(const au_step *s) {
    return s->kind == AU_STEP_REL || s->kind == AU_STEP_WAIT;
}

/* A recursive lock that is given up once counts as given up: that is the safe side. */
static void apply(const au_model *m, const au_step *s, locks *l) {
    uint32_t obj = lock_of(m, s);
    if (obj == AU_NONE)
        return;
    if (gives_up(s)) {
        au_bitset_remove(&l->alone, obj);
        au_bitset_remove(&l->held, obj);
    } else {
        au_bitset_add(&l->held, obj);
        if (s->kind != AU_STEP_RDACQ)
            au_bitset_add(&l->alone, obj);
    }
}

static bool keep_common(au_bitset *into, const au_bitset *from) {
    bool shrank = false;
    for (size_t i = 0; i < au_bitset_words(into); i++) {
        shrank |= (into->word[i] & ~from->word[i]) != 0;
        into->word[i] &= from->word[i];
    }
    return shrank;
}

static void copy(au_bitset *into, const au_bitset *from) {
    memcpy(into->word, from->word, au_bitset_words(from) * sizeof *from->word);
}

static bool meet(locks *into, const locks *from) {
    if (into->reached) {
        bool shrank = keep_common(&into->alone, &from->alone);
        return keep_common(&into->held, &from->held) || shrank;
    }
    copy(&into->alone, &from->alone);
    copy(&into->held, &from->held);
    into->reached = true;
    return true;
}

/* Every step is looked at, also those that do not exist under the semantics: more ways to
 * a node mean fewer locks. */
static void find_locks(au_cheap *h, uint32_t t) {
    const au_model *m = h->c->m;
    const au_thread *th = &m->thread.at[t];
    locks after = {0};
    au_bitset_init(&after.alone, m->obj.n);
    au_bitset_init(&after.held, m->obj.n);
    AU_VEC(uint32_t) todo = {0};
    h->at[t][th->entry].reached = true;
    au_vec_push(&todo, th->entry);
    while (todo.n) {
        uint32_t node = au_vec_pop(&todo);
        for (size_t i = 0; i < th->node.at[node].out.n; i++) {
            const au_step *s = &m->step.at[th->node.at[node].out.at[i]];
            copy(&after.alone, &h->at[t][node].alone);
            copy(&after.held, &h->at[t][node].held);
            apply(m, s, &after);
            if (meet(&h->at[t][s->dst], &after))
                au_vec_push(&todo, s->dst);
        }
    }
    au_vec_release(&todo);
    au_bitset_release(&after.alone);
    au_bitset_release(&after.held);
}

static const locks *before(const au_cheap *h, uint32_t step) {
    const au_step *s = &h->c->m->step.at[step];
    return &h->at[s->thread][s->src];
}

static bool excluded(const locks *a, const locks *b) {
    return au_bitset_meets(&a->alone, &b->held) || au_bitset_meets(&a->held, &b->alone);
}

/* A lock that the first thread has from e1 to e2 and that f needs. */
static bool section_excludes(const au_cheap *h, uint32_t e1, uint32_t f, uint32_t e2) {
    const au_cssa *c = h->c;
    const au_model *m = c->m;
    const locks *a = before(h, e1), *b = before(h, e2), *o = before(h, f);
    uint32_t t = m->step.at[e1].thread;
    for (uint32_t obj = 0; obj < m->obj.n; obj++) {
        bool alone = au_bitset_has(&a->alone, obj) && au_bitset_has(&b->alone, obj);
        bool held = au_bitset_has(&a->held, obj) && au_bitset_has(&b->held, obj);
        if (!(alone && au_bitset_has(&o->held, obj)) && !(held && au_bitset_has(&o->alone, obj)))
            continue;
        bool kept = true;
        uint32_t from = c->event_of[e1], to = c->event_of[e2];
        for (uint32_t e = from + 1; e < to && kept; e++) {
            const au_step *s = &m->step.at[c->event.at[e].step];
            kept = lock_of(m, s) != obj || !gives_up(s);
        }
        if (kept && from < to && c->event.at[from].thread == t)
            return true;
    }
    return false;
}

/* --- fork and join ---------------------------------------------------------------------- */

/* How far each thread has got for certain when an event is next: 1 + the place of the last
 * event it has passed. Where a thread has several forks, none of them is certain. */
static bool raise(uint32_t *to, uint32_t v) {
    bool grew = v > *to;
    *to = grew ? v : *to;
    return grew;
}

static bool raise_all(au_cheap *h, uint32_t *to, const uint32_t *from) {
    bool grew = false;
    for (size_t u = 0; u < h->c->m->thread.n; u++)
        grew |= raise(&to[u], from[u]);
    return grew;
}

/* What is certain after the event, if it has been executed. */
static bool pass_on(au_cheap *h, uint32_t event, uint32_t *to) {
    const au_cssa *c = h->c;
    size_t threads = c->m->thread.n;
    const au_cssa_event *e = &c->event.at[event];
    const au_step *s = &c->m->step.at[e->step];
    bool grew = raise_all(h, to, h->passed + event * threads);
    if (s->kind != AU_STEP_JOIN || !e->certain)
        return grew;
    uint32_t n = c->first_event[s->obj + 1] - c->first_event[s->obj];
    grew |= raise(&to[s->obj], n);
    if (n && s->obj != e->thread) /* and what its last event had behind it */
        grew |= raise_all(h, to, h->passed + (c->first_event[s->obj] + n - 1) * threads);
    return grew;
}

static void find_passed(au_cheap *h) {
    const au_cssa *c = h->c;
    const au_model *m = c->m;
    size_t threads = m->thread.n;
    uint32_t *fork = au_alloc_array(threads, sizeof *fork);
    for (uint32_t t = 0; t < threads; t++)
        fork[t] = AU_NONE;
    for (uint32_t e = 0; e < c->event.n; e++) {
        const au_step *s = &m->step.at[c->event.at[e].step];
        if (s->kind == AU_STEP_FORK)
            fork[s->obj] = fork[s->obj] == AU_NONE ? e : AU_NONE - 1;
    }
    h->passed = au_alloc_array(c->event.n * threads + 1, sizeof *h->passed);
    /* A cycle (a thread that joins what forks it) could raise for ever: one that does
     * is never reached, and every round raises within n places. */
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t e = 0; e < c->event.n; e++) {
            const au_cssa_event *x = &c->event.at[e];
            uint32_t *to = h->passed + e * threads;
            if (x->place) {
                grew |= pass_on(h, e - 1, to);
            } else if (fork[x->thread] < AU_NONE - 1) {
                uint32_t f = fork[x->thread];
                grew |= pass_on(h, f, to);
                grew |= raise(&to[c->event.at[f].thread], c->event.at[f].place + 1);
            }
        }
    }
    free(fork);
}

/* The first event that a statement can be; AU_NONE: none. */
static uint32_t event_of(const au_cssa *c, uint32_t step) {
    const au_step *s = &c->m->step.at[step];
    const au_node *n = &c->m->thread.at[s->thread].node.at[s->src];
    uint32_t first = AU_NONE;
    for (size_t i = 0; i < n->out.n; i++) {
        uint32_t e = c->event_of[n->out.at[i]];
        if (e < first && au_query_event(c->m, n->out.at[i]) == au_query_event(c->m, step))
            first = e;
    }
    return first;
}

/* Is a behind b's thread when b is next? Then it is neither next itself nor still to come. */
static bool behind(const au_cheap *h, uint32_t a, uint32_t b) {
    const au_cssa_event *x = &h->c->event.at[a];
    return h->passed[b * h->c->m->thread.n + x->thread] > x->place;
}

/* Every write of the others comes before the read or after the write, or is kept out by a lock. */
static int lost_stage(const au_cheap *h, const au_query *q) {
    const au_cssa *c = h->c;
    uint32_t r = event_of(c, q->step[0]), w = event_of(c, q->step[2]);
    int stage = AU_STAGE_MUST_HB;
    if (r == AU_NONE || w == AU_NONE)
        return stage;
    for (size_t i = 0; i < c->stores[q->var].n; i++) {
        uint32_t x = c->stores[q->var].at[i];
        if (c->event.at[x].thread == c->event.at[w].thread || behind(h, x, r) || behind(h, w, x))
            continue;
        if (!section_excludes(h, c->event.at[r].step, c->event.at[x].step, c->event.at[w].step))
            return AU_STAGES;
        stage = AU_STAGE_LOCKSET;
    }
    return stage;
}

int au_cheap_stage(const au_cheap *h, const au_query *q) {
    const au_cssa *c = h->c;
    if (q->kind == AU_ASK_LOST || q->kind == AU_ASK_STALE)
        return lost_stage(h, q);
    if (q->kind != AU_ASK_RACE && q->kind != AU_ASK_ATOMICITY)
        return AU_STAGES;
    uint32_t e[3] = {0};
    for (int i = 0; i < (q->kind == AU_ASK_RACE ? 2 : 3); i++)
        if ((e[i] = event_of(c, q->step[i])) == AU_NONE)
            return AU_STAGE_MUST_HB;
    if (q->kind == AU_ASK_RACE) {
        if (behind(h, e[0], e[1]) || behind(h, e[1], e[0]))
            return AU_STAGE_MUST_HB;
        return excluded(before(h, q->step[0]), before(h, q->step[1])) ? AU_STAGE_LOCKSET
                                                                      : AU_STAGES;
    }
    if (behind(h, e[1], e[0]) || behind(h, e[2], e[1]))
        return AU_STAGE_MUST_HB;
    return section_excludes(h, c->event.at[e[0]].step, q->step[1], c->event.at[e[2]].step)
               ? AU_STAGE_LOCKSET
               : AU_STAGES;
}

/* --- all of it ------------------------------------------------------------------------- */

au_cheap *au_cheap_new(const au_cssa *c) {
    const au_model *m = c->m;
    au_cheap *h = AU_NEW(au_cheap);
    h->c = c;
    h->at = au_alloc_array(m->thread.n, sizeof *h->at);
    for (uint32_t t = 0; t < m->thread.n; t++) {
        size_t nodes = m->thread.at[t].node.n;
        h->at[t] = au_alloc_array(nodes, sizeof **h->at);
        for (size_t i = 0; i < nodes; i++) {
            au_bitset_init(&h->at[t][i].alone, m->obj.n);
            au_bitset_init(&h->at[t][i].held, m->obj.n);
        }
        find_locks(h, t);
    }
    find_passed(h);
    return h;
}

void au_cheap_free(au_cheap *h) {
    if (!h)
        return;
    for (uint32_t t = 0; t < h->c->m->thread.n; t++) {
        for (size_t i = 0; i < h->c->m->thread.at[t].node.n; i++) {
            au_bitset_release(&h->at[t][i].alone);
            au_bitset_release(&h->at[t][i].held);
        }
        free(h->at[t]);
    }
    free(h->at);
    free(h->passed);
    free(h);
}
