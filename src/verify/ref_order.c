/* verify/ref_order.c: who must come before whom, literals of the order, sections of locks. */
#include "verify/ref.h"

#include "base/alloc.h"
#include "base/limits.h"

#include <string.h>

/* --- what is contended ------------------------------------------------------------------ */

static void find_stores(au_ref *r) {
    const au_model *m = r->m;
    r->stores = AU_ARENA_ARRAY(&r->arena, au_ref_list, m->var.n + 1);
    for (uint32_t e = 0; e < r->event.n; e++)
        for (uint32_t i = 0; i < r->event.at[e].n_writes; i++)
            au_vec_push(&r->stores[r->write.at[r->event.at[e].first_write + i].var], e);
}

static uint32_t touched(const au_ref *r, const au_ref_event *e, uint32_t i) {
    return i < e->n_reads ? r->read.at[e->first_read + i].var
                          : r->write.at[e->first_write + i - e->n_reads].var;
}

static void choose_ordered(au_ref *r) {
    size_t vars = r->m->var.n + 1;
    uint32_t *who = au_alloc_array(vars, sizeof *who); /* thread + 1; UINT32_MAX: several */
    for (uint32_t e = 0; e < r->event.n; e++) {
        const au_ref_event *x = &r->event.at[e];
        for (uint32_t i = 0; i < x->n_reads + x->n_writes; i++) {
            uint32_t *w = &who[touched(r, x, i)];
            *w = !*w || *w == x->thread + 1 ? x->thread + 1 : UINT32_MAX;
        }
    }
    for (uint32_t e = 0; e < r->event.n; e++) {
        au_ref_event *x = &r->event.at[e];
        for (uint32_t i = 0; i < x->n_reads + x->n_writes; i++) {
            uint32_t v = touched(r, x, i);
            x->ordered |= who[v] == UINT32_MAX && r->stores[v].n;
        }
        x->ordered |= r->whole; /* races in whole runs look at the order of any two */
    }
    free(who);
}

/* --- must --------------------------------------------------------------------------------- */

bool au_ref_must(const au_ref *r, uint32_t a, uint32_t b) {
    const au_ref_event *x = &r->event.at[a];
    return r->must[(size_t)b * r->m->thread.n + x->thread] > x->place;
}

bool au_ref_sure(const au_ref *r, uint32_t event) {
    const au_ref_event *e = &r->event.at[event];
    return e->certain && au_term_same(e->passes, e->exec);
}

/* The only event that can start the thread, AU_NONE: none or several. */
uint32_t au_ref_fork(const au_ref *r, uint32_t t) {
    uint32_t v = r->m->thread.at[t].started;
    if (v == AU_NONE || r->m->var.at[v].init || r->stores[v].n != 1)
        return AU_NONE;
    return r->stores[v].at[0];
}

/* The event waits until the thread's last one, which every path passes, is executed. */
bool au_ref_joins(const au_ref *r, uint32_t event, uint32_t *thread) {
    const au_ref_event *e = &r->event.at[event];
    const au_step *s = &r->m->step.at[e->step];
    if (s->kind != AU_STEP_JOIN || !e->certain)
        return false;
    uint32_t t = *thread = s->obj, v = r->m->thread.at[t].done;
    uint32_t n = r->first_event[t + 1] - r->first_event[t];
    if (v == AU_NONE || r->m->var.at[v].init || r->stores[v].n != 1 || !n || t == e->thread)
        return false;
    uint32_t last = r->first_event[t + 1] - 1;
    au_terms *mt = r->m->terms;
    au_term done = au_term_of_var(mt, v, r->m->var.at[v].width);
    au_term one = au_term_const(mt, r->m->var.at[v].width, 1);
    bool waits = au_term_same(s->guard, au_term_eq(mt, done, one)) || au_term_same(s->guard, done);
    return waits && r->stores[v].at[0] == last && r->event.at[last].certain;
}

static bool raise(uint32_t *to, uint32_t v) {
    bool grew = *to < v;
    *to = grew ? v : *to;
    return grew;
}

static bool raise_all(uint32_t *to, const uint32_t *from, size_t n) {
    bool grew = false;
    for (size_t i = 0; i < n; i++)
        grew |= raise(&to[i], from[i]);
    return grew;
}

/* Rule O3 and its closure. A cycle (a thread that joins who forks it): nothing is assumed. */
static void find_must(au_ref *r) {
    size_t n = r->m->thread.n;
    r->must = au_alloc_array(r->event.n * n + 1, sizeof *r->must);
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t e = 0; e < r->event.n; e++) {
            const au_ref_event *x = &r->event.at[e];
            uint32_t *to = r->must + e * n, t;
            uint32_t fork = x->place ? AU_NONE : au_ref_fork(r, x->thread);
            if (x->place)
                grew |= raise_all(to, to - n, n);
            if (fork != AU_NONE && r->event.at[fork].thread != x->thread) {
                grew |= raise_all(to, r->must + fork * n, n);
                grew |= raise(&to[r->event.at[fork].thread], r->event.at[fork].place + 1);
            }
            if (au_ref_joins(r, e, &t)) {
                uint32_t last = r->first_event[t + 1] - 1;
                grew |= raise_all(to, r->must + last * n, n);
                grew |= raise(&to[t], r->event.at[last].place + 1);
            }
            if (to[x->thread] > x->place) {
                memset(r->must, 0, r->event.n * n * sizeof *r->must);
                return;
            }
        }
    }
}

/* --- literals -------------------------------------------------------------------------------- */

static bool is_variable(int lit) {
    return lit && lit != AU_CNF_TRUE && lit != AU_CNF_FALSE;
}

/* Rule O1, the part that thread order has in it: what comes before an event comes before those that follow it in its thread, and
 * the other way round. p says whether the i-th event of the one thread comes before the k-th of the other: it
 * follows from pairs further along the one and not so far along the other (down and to the left in the table), and others follow
 * from it. Of those pairs that have a literal the nearest ones are enough, because those beyond follow from them. */
static void link_pair(au_ref *r, const int *p, uint32_t i, uint32_t k, uint32_t rows,
                      uint32_t width) {
    const int lit = p[(size_t)i * width + k];
    int64_t best = -1;
    for (uint32_t row = i; row < rows && best < (int64_t)k; row++)
        for (int64_t at = row == i ? (int64_t)k - 1 : (int64_t)k; at > best; at--)
            if (is_variable(p[(size_t)row * width + (size_t)at])) {
                AU_CNF_CLAUSE(&r->cnf, -p[(size_t)row * width + (size_t)at], lit);
                best = at;
            }
    best = width;
    for (int64_t row = i; row >= 0 && best > (int64_t)k; row--)
        for (int64_t at = row == (int64_t)i ? (int64_t)k + 1 : (int64_t)k; at < best; at++)
            if (is_variable(p[(size_t)row * width + (size_t)at])) {
                AU_CNF_CLAUSE(&r->cnf, -lit, p[(size_t)row * width + (size_t)at]);
                best = at;
            }
}

int au_ref_known_before(const au_ref *r, uint32_t a, uint32_t b) {
    const au_ref_event *x = &r->event.at[a], *y = &r->event.at[b];
    if (x->thread == y->thread)
        return x->place < y->place ? AU_CNF_TRUE : AU_CNF_FALSE;
    if (x->thread > y->thread)
        return -au_ref_known_before(r, b, a);
    return r->pair[x->thread * r->m->thread.n + y->thread]
                  [(size_t)r->rank[a] * r->line[y->thread].n + r->rank[b]];
}

int au_ref_before(au_ref *r, uint32_t a, uint32_t b) {
    const au_ref_event *x = &r->event.at[a], *y = &r->event.at[b];
    int known = au_ref_known_before(r, a, b);
    if (known)
        return known;
    if (x->thread > y->thread)
        return -au_ref_before(r, b, a);
    uint32_t width = (uint32_t)r->line[y->thread].n;
    int *p = r->pair[x->thread * r->m->thread.n + y->thread];
    int *at = &p[(size_t)r->rank[a] * width + r->rank[b]];
    *at = au_cnf_new(&r->cnf);
    link_pair(r, p, r->rank[a], r->rank[b], (uint32_t)r->line[x->thread].n, width);
    return *at;
}

/* What must decides has its value; other pairs get a literal when somebody asks for them. */
static void make_pairs(au_ref *r, uint32_t t, uint32_t u) {
    const au_ref_list *a = &r->line[t], *b = &r->line[u];
    int *p = au_alloc_array(a->n * b->n + 1, sizeof *p);
    r->pair[t * r->m->thread.n + u] = p;
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < b->n; k++)
            p[i * b->n + k] = au_ref_must(r, a->at[i], b->at[k])   ? AU_CNF_TRUE
                              : au_ref_must(r, b->at[k], a->at[i]) ? AU_CNF_FALSE
                                                                   : 0;
}

/* --- locks ------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t var;
    bool found;
} mention;
static void note(void *ctx, uint32_t var) {
    mention *k = ctx;
    k->found |= k->var == var;
}
static bool mentions(const au_model *m, au_term x, uint32_t var) {
    mention k = {var, false};
    au_term_each_var(m->terms, x, note, &k);
    return k.found;
}

/* +1: takes the lock as model/sync.h has it, -1: gives it up, 0: has nothing to do with it, 2: something else. */
static int use_of(const au_model *m, const au_step *s, uint32_t var) {
    au_terms *t = m->terms;
    unsigned w = m->var.at[var].width;
    bool looks = mentions(m, s->guard, var) || mentions(m, s->cond, var) || s->havoc == var;
    au_term sets = {UINT32_MAX};
    for (uint32_t i = 0; i < s->n_updates; i++) {
        if (s->update[i].var == var)
            sets = s->update[i].value;
        if (mentions(m, s->update[i].value, var))
            return 2;
    }
    if (sets.n == UINT32_MAX)
        return looks ? 2 : 0;
    au_term x = au_term_of_var(t, var, w), me = au_term_const(t, w, s->thread + 1);
    au_term zero = au_term_const(t, w, 0), yes = au_term_bool(t, true);
    if (!au_term_same(s->cond, yes) || s->havoc == var)
        return 2;
    if (au_term_same(sets, me) && au_term_same(s->guard, au_term_eq(t, x, zero)))
        return 1;
    if (au_term_same(sets, zero) && au_term_same(s->guard, au_term_eq(t, x, me)))
        return -1;
    return 2;
}

enum { FREE = 1, UNKNOWN = 0 }; /* holder: 2 + event of the acquire */

/* Along every path: free, taken, given up. false: it is not used so. holder[node]. */
static bool follow(au_ref *r, uint32_t t, uint32_t obj, uint32_t *holder) {
    const au_model *m = r->m;
    uint32_t var = m->obj.at[obj].var[0];
    holder[m->thread.at[t].entry] = FREE;
    for (uint32_t e = r->first_event[t]; e < r->first_event[t + 1]; e++) {
        const au_step *s = &m->step.at[r->event.at[e].step];
        uint32_t now = holder[s->src], next = now;
        int use = use_of(m, s, var);
        if (use == 2 || (use == 1 && now != FREE) || (use == -1 && now == FREE))
            return false;
        if (use)
            next = use == 1 ? e + 2 : FREE;
        if (use == 1)
            au_vec_push(&r->section, ((au_ref_section){.acq = e, .obj = obj}));
        for (size_t i = 0; i < r->section.n && use == -1; i++)
            if (r->section.at[i].acq + 2 == now && r->section.at[i].obj == obj)
                au_vec_push(&r->section.at[i].rel, e);
        if (holder[s->dst] != UNKNOWN && holder[s->dst] != next)
            return false;
        holder[s->dst] = next;
    }
    return true;
}

static void drop_sections(au_ref *r, size_t to) {
    while (r->section.n > to) {
        au_vec_release(&au_vec_last(&r->section).rel);
        r->section.n--;
    }
}

/* Of each lock, and of all threads: who holds it at a node. */
void au_ref_find_locks(au_ref *r) {
    const au_model *m = r->m;
    r->lock = AU_ARENA_ARRAY(&r->arena, bool, m->obj.n + 1);
    r->lock_var = AU_ARENA_ARRAY(&r->arena, bool, m->var.n + 1);
    r->holder = AU_ARENA_ARRAY(&r->arena, uint32_t **, m->obj.n + 1);
    for (uint32_t obj = 0; obj < m->obj.n; obj++) {
        const au_sync_obj *o = &m->obj.at[obj];
        if (o->kind != AU_OBJ_LOCK || m->var.at[o->var[0]].init)
            continue;
        size_t before = r->section.n;
        bool good = true;
        r->holder[obj] = AU_ARENA_ARRAY(&r->arena, uint32_t *, m->thread.n);
        for (uint32_t t = 0; t < m->thread.n && good; t++) {
            r->holder[obj][t] = AU_ARENA_ARRAY(&r->arena, uint32_t, m->thread.at[t].node.n);
            good = follow(r, t, obj, r->holder[obj][t]);
        }
        if (!good)
            drop_sections(r, before);
        r->lock[obj] = r->lock_var[o->var[0]] = good;
    }
}

void au_ref_certain(au_ref *r, uint32_t certain, uint32_t before) {
    int first = au_ref_before(r, certain, before);
    AU_CNF_CLAUSE(&r->cnf, -r->event.at[before].lit, -first, r->event.at[certain].lit);
}

/* Rule L: when another thread's acquire is executed after this one, a release of this one came in between. */
static void keep_apart(au_ref *r, const au_ref_section *s, uint32_t other) {
    const au_ref_event *a = &r->event.at[s->acq], *b = &r->event.at[other];
    int ended = AU_CNF_FALSE;
    for (size_t i = 0; i < s->rel.n; i++) {
        const au_ref_event *e = &r->event.at[s->rel.at[i]];
        int before = au_ref_before(r, s->rel.at[i], other);
        if (e->certain)
            au_ref_certain(r, s->rel.at[i], other);
        ended = au_cnf_or(&r->cnf, ended,
                          e->certain ? before : au_cnf_and(&r->cnf, e->lit, before)); /* O2 */
    }
    int first = au_ref_before(r, s->acq, other);
    AU_CNF_CLAUSE(&r->cnf, a->certain ? AU_CNF_FALSE : -a->lit, -b->lit, -first, ended);
}

bool au_ref_order(au_ref *r, au_error *err) {
    uint32_t threads = (uint32_t)r->m->thread.n;
    find_stores(r);
    choose_ordered(r);
    find_must(r);
    r->rank = au_alloc_array(r->event.n + 1, sizeof *r->rank);
    r->line = AU_ARENA_ARRAY(&r->arena, au_ref_list, threads + 1);
    r->pair = AU_ARENA_ARRAY(&r->arena, int *, (size_t)threads *threads + 1);
    uint64_t pairs = 0;
    for (uint32_t e = 0; e < r->event.n; e++) {
        au_ref_list *line = &r->line[r->event.at[e].thread];
        r->rank[e] = r->event.at[e].ordered ? (uint32_t)line->n : AU_NONE;
        if (r->event.at[e].ordered)
            au_vec_push(line, e);
    }
    for (uint32_t t = 0; t < threads; t++)
        for (uint32_t u = t + 1; u < threads; u++)
            pairs += (uint64_t)r->line[t].n * r->line[u].n;
    if (pairs > AU_LIMIT_SOLVE_PAIRS) {
        au_error_set(err, AU_EUNSUPPORTED, "%s",
                     au_limit_say(AU_AT_SOLVE_PAIRS, pairs, 0, (char[AU_LIMIT_TEXT]){0}));
        return false;
    }
    for (uint32_t t = 0; t < threads; t++)
        for (uint32_t u = t + 1; u < threads; u++)
            make_pairs(r, t, u);
    for (size_t i = 0; i < r->section.n; i++)
        for (size_t k = 0; k < r->section.n; k++)
            if (r->section.at[i].obj == r->section.at[k].obj &&
                r->event.at[r->section.at[i].acq].thread !=
                    r->event.at[r->section.at[k].acq].thread)
                keep_apart(r, &r->section.at[i], r->section.at[k].acq);
    return true;
}
