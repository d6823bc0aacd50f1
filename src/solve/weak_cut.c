/* solve/weak_cut.c: what the memory models forbid, as clauses against what a solution does.
 *
 * The axioms, in terms of the relations of weak_priv.h. A read-modify-write is one event.
 *   sc     sb | rf | mo | rb | line has no circle
 *   tso    (sb of one variable) | rf | mo | rb has none, nor has ppo | rf between threads | mo | rb | line | sync,
 *          where ppo is sb without the pairs of a store and a later load that do not empty the buffer
 *   rc11   hb = (sb | sync | sw)+, eco = (rf | mo | rb)+: hb ; eco has no circle, nor has psc
 * That sb | rf has none, and the place of read-modify-writes, is said before (weak_reads.c). */
#include "solve/weak_priv.h"

#include "base/error.h"

enum {
    BIT_SB = 1 << AU_REL_SB,
    BIT_RF = 1 << AU_REL_RF,
    BIT_MO = 1 << AU_REL_MO,
    BIT_RB = 1 << AU_REL_RB,
    BIT_LINE = 1 << AU_REL_LINE,
    BIT_SYNC = 1 << AU_REL_SYNC,
    BIT_SW = 1 << AU_REL_SW,
    IN_HB = BIT_SB | BIT_SYNC | BIT_SW,
    IN_ECO = BIT_RF | BIT_MO | BIT_RB,
    MOST = 24 /* clauses for one solution */
};

/* Clauses of one solution: all are found before the first is added, for then it is gone. */
typedef struct {
    au_weak_state *w;
    AU_VEC(int) lit; /* each ended by a 0 */
    uint32_t n;
} cuts;

static void keep(cuts *k) {
    au_vec_append(&k->lit, k->w->lit.at, k->w->lit.n);
    au_vec_push(&k->lit, 0);
    au_vec_clear(&k->w->lit);
    k->n++;
}

static uint64_t put(cuts *k) {
    for (size_t from = 0, i = 0; i < k->lit.n; i++)
        if (!k->lit.at[i]) {
            au_sat_add(&k->w->k->sat, k->lit.at + from, i - from);
            from = i + 1;
        }
    au_vec_release(&k->lit);
    return k->n;
}

static bool same_var(const au_weak_state *w, uint32_t a, uint32_t b) {
    return w->node.at[a].var != AU_NONE && w->node.at[a].var == w->node.at[b].var;
}

static uint32_t thread_of(const au_weak_state *w, uint32_t node) {
    return w->k->c->event.at[w->node.at[node].event].thread;
}

/* Circles of 'all', which these relations make. */
static void cut_circles(cuts *k, const au_reln *all, unsigned kinds) {
    au_reln closed;
    au_rel_init(&closed, all->n);
    au_rel_copy(&closed, all);
    au_rel_close(&closed);
    bool *done = au_alloc_array(all->n + 1, sizeof *done);
    au_u32s path = {0};
    for (uint32_t a = 0; a < all->n && k->n < MOST; a++) {
        if (done[a] || !au_rel_has(&closed, a, a))
            continue;
        au_rel_path(all, a, a, &path);
        for (size_t i = 0; i < path.n; i++)
            done[path.at[i]] = true;
        au_weak_because_path(k->w, kinds, all, a, a);
        keep(k);
    }
    au_vec_release(&path);
    free(done);
    au_rel_release(&closed);
}

static void join(const au_weak_state *w, au_reln *to, unsigned kinds) {
    for (int i = 0; i < AU_RELS; i++)
        if (kinds >> i & 1)
            au_rel_join(to, &w->rel[i]);
}

/* ---- sc, tso ---- */

static void cut_sc(cuts *k) {
    const unsigned kinds = BIT_SB | IN_ECO | BIT_LINE | BIT_SYNC;
    au_reln all;
    au_rel_init(&all, (uint32_t)k->w->node.n);
    join(k->w, &all, kinds);
    cut_circles(k, &all, kinds);
    au_rel_release(&all);
}

static bool empties_buffer(const au_weak_node *n) {
    return n->sync || (n->writes && n->from != AU_NONE) ||
           (n->order == AU_MO_SC && (n->fence || n->writes));
}

/* x86 keeps the order of the two, of which the first comes before in its thread. */
static bool keeps(const au_weak_node *a, const au_weak_node *b) {
    bool compiler = (a->fence && a->order != AU_MO_SC) || (b->fence && b->order != AU_MO_SC);
    bool waits = a->writes && !empties_buffer(a), loads = b->from != AU_NONE && !empties_buffer(b);
    return !compiler && !(waits && loads);
}

static void cut_tso(cuts *k) {
    au_weak_state *w = k->w;
    const unsigned kinds = BIT_SB | IN_ECO | BIT_LINE | BIT_SYNC;
    au_reln one, all;
    au_rel_init(&one, (uint32_t)w->node.n);
    au_rel_init(&all, (uint32_t)w->node.n);
    join(w, &one, IN_ECO);
    join(w, &all, BIT_MO | BIT_RB | BIT_LINE | BIT_SYNC);
    for (uint32_t a = 0; a < w->node.n; a++)
        for (uint32_t b = 0; b < w->node.n; b++) {
            bool sb = au_rel_has(&w->rel[AU_REL_SB], a, b);
            if (sb && same_var(w, a, b))
                au_rel_add(&one, a, b);
            if ((sb && keeps(&w->node.at[a], &w->node.at[b])) ||
                (au_rel_has(&w->rel[AU_REL_RF], a, b) && thread_of(w, a) != thread_of(w, b)))
                au_rel_add(&all, a, b);
        }
    cut_circles(k, &one, BIT_SB | IN_ECO);
    if (!k->n)
        cut_circles(k, &all, kinds);
    au_rel_release(&one);
    au_rel_release(&all);
}

/* ---- rc11 ---- */

typedef struct {
    cuts *k;
    au_weak_state *w;
    au_reln hb, eco; /* not closed */
} c11;

static void because_hb(const c11 *x, uint32_t a, uint32_t b) {
    if (a != b)
        au_weak_because_path(x->w, IN_HB, &x->hb, a, b);
}

static void because_eco(const c11 *x, uint32_t a, uint32_t b) {
    au_weak_because_path(x->w, IN_ECO, &x->eco, a, b);
}

static void cut_incoherent(c11 *x) {
    au_weak_state *w = x->w;
    for (uint32_t a = 0; a < w->node.n; a++)
        for (uint32_t b = 0; b < w->node.n && x->k->n < MOST; b++)
            if (au_rel_has(&w->hb, a, b) && au_rel_has(&w->eco, b, a)) {
                because_hb(x, a, b);
                because_eco(x, b, a);
                keep(x->k);
            }
}

/* A step of psc: begin (hb?) a scb b (hb?) end; or between two fences hb, or hb a eco b hb. */
typedef struct {
    bool far; /* the latter */
    uint32_t a, b;
} psc_step;

typedef struct {
    c11 *x;
    au_u32s sc;       /* nodes that are seq_cst */
    psc_step *step;   /* [i * n + j] */
    au_reln psc, scb; /* of sc by index; of nodes */
    au_reln other;    /* sb of different variables */
} psc;

static void fill_scb(psc *p) {
    au_weak_state *w = p->x->w;
    au_reln half;
    au_rel_init(&half, (uint32_t)w->node.n);
    for (uint32_t a = 0; a < w->node.n; a++)
        for (uint32_t b = 0; b < w->node.n; b++) {
            if (au_rel_has(&w->rel[AU_REL_SB], a, b) && !same_var(w, a, b))
                au_rel_add(&p->other, a, b);
            if (au_rel_has(&w->hb, a, b) && same_var(w, a, b))
                au_rel_add(&p->scb, a, b);
        }
    au_rel_compose(&half, &p->other, &w->hb);
    au_rel_compose(&p->scb, &half, &p->other);
    join(w, &p->scb, BIT_SB | BIT_MO | BIT_RB);
    au_rel_release(&half);
}

static void because_scb(const psc *p, uint32_t a, uint32_t b) {
    au_weak_state *w = p->x->w;
    static const au_rel_kind one[] = {AU_REL_SB, AU_REL_MO, AU_REL_RB};
    for (int i = 0; i < 3; i++)
        if (au_rel_has(&w->rel[one[i]], a, b)) {
            au_weak_because(w, one[i], a, b);
            return;
        }
    if (same_var(w, a, b) && au_rel_has(&w->hb, a, b)) {
        because_hb(p->x, a, b);
        return;
    }
    for (uint32_t c = 0; c < w->node.n; c++)
        for (uint32_t d = 0; d < w->node.n && au_rel_has(&p->other, a, c); d++)
            if (au_rel_has(&w->hb, c, d) && au_rel_has(&p->other, d, b)) {
                au_weak_because(w, AU_REL_SB, a, c);
                because_hb(p->x, c, d);
                au_weak_because(w, AU_REL_SB, d, b);
                return;
            }
    AU_BUG_IF(true);
}

static void add_step(psc *p, uint32_t i, uint32_t j, bool far, uint32_t a, uint32_t b) {
    if (au_rel_has(&p->psc, i, j))
        return;
    au_rel_add(&p->psc, i, j);
    p->step[(size_t)i * p->sc.n + j] = (psc_step){far, a, b};
}

/* s, or for a fence what happens after it (before it), that e is. */
static bool is_side(const psc *p, uint32_t s, uint32_t e, bool begin) {
    const au_weak_state *w = p->x->w;
    return s == e || (w->node.at[s].fence && au_rel_has(&w->hb, begin ? s : e, begin ? e : s));
}

static void fill_base(psc *p, uint32_t i, uint32_t j) {
    const au_weak_state *w = p->x->w;
    uint32_t s = p->sc.at[i], t = p->sc.at[j];
    for (uint32_t a = 0; a < w->node.n && !au_rel_has(&p->psc, i, j); a++)
        for (uint32_t b = 0; b < w->node.n && is_side(p, s, a, true); b++)
            if (au_rel_has(&p->scb, a, b) && is_side(p, t, b, false)) {
                add_step(p, i, j, false, a, b);
                break;
            }
}

static void fill_fences(psc *p, uint32_t i, uint32_t j) {
    const au_weak_state *w = p->x->w;
    uint32_t s = p->sc.at[i], t = p->sc.at[j];
    if (!w->node.at[s].fence || !w->node.at[t].fence)
        return;
    if (au_rel_has(&w->hb, s, t))
        add_step(p, i, j, true, s, s);
    for (uint32_t a = 0; a < w->node.n && !au_rel_has(&p->psc, i, j); a++)
        for (uint32_t b = 0; b < w->node.n && au_rel_has(&w->hb, s, a); b++)
            if (au_rel_has(&w->eco, a, b) && au_rel_has(&w->hb, b, t)) {
                add_step(p, i, j, true, a, b);
                break;
            }
}

static void because_step(const psc *p, uint32_t i, uint32_t j) {
    const psc_step *q = &p->step[(size_t)i * p->sc.n + j];
    uint32_t s = p->sc.at[i], t = p->sc.at[j];
    because_hb(p->x, s, q->a);
    if (!q->far)
        because_scb(p, q->a, q->b);
    else if (q->a != s)
        because_eco(p->x, q->a, q->b);
    because_hb(p->x, q->b, t);
}

static void cut_psc(c11 *x) {
    au_weak_state *w = x->w;
    psc p = {.x = x};
    for (uint32_t e = 0; e < w->node.n; e++)
        if (w->node.at[e].order == AU_MO_SC)
            au_vec_push(&p.sc, e);
    uint32_t n = (uint32_t)p.sc.n;
    if (n < 2) {
        au_vec_release(&p.sc);
        return;
    }
    p.step = au_alloc_array((size_t)n * n, sizeof *p.step);
    au_rel_init(&p.psc, n);
    au_rel_init(&p.scb, (uint32_t)w->node.n);
    au_rel_init(&p.other, (uint32_t)w->node.n);
    fill_scb(&p);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            fill_base(&p, i, j);
            fill_fences(&p, i, j);
        }
    au_reln closed;
    au_rel_init(&closed, n);
    au_rel_copy(&closed, &p.psc);
    au_rel_close(&closed);
    au_u32s path = {0};
    for (uint32_t i = 0; i < n && x->k->n < MOST; i++) {
        if (!au_rel_has(&closed, i, i))
            continue;
        au_rel_path(&p.psc, i, i, &path);
        for (size_t j = 0; j < path.n; j++)
            because_step(&p, j ? path.at[j - 1] : i, path.at[j]);
        keep(x->k);
    }
    au_vec_release(&path);
    au_vec_release(&p.sc);
    au_rel_release(&closed);
    au_rel_release(&p.psc);
    au_rel_release(&p.scb);
    au_rel_release(&p.other);
    free(p.step);
}

/* ---- races ---- */

bool au_weak_races(const au_weak_state *w, uint32_t a, uint32_t b) {
    const au_weak_node *x = &w->node.at[a], *y = &w->node.at[b];
    bool atomic = au_weak_is_atomic(x) && au_weak_is_atomic(y);
    return same_var(w, a, b) && thread_of(w, a) != thread_of(w, b) && !atomic &&
           (x->writes || y->writes) && !au_rel_has(&w->hb, a, b) && !au_rel_has(&w->hb, b, a);
}

/* If none of the pairs that are asked about races here: because they are ordered. */
static void cut_ordered(c11 *x) {
    au_weak_state *w = x->w;
    for (size_t i = 0; i < w->pair.n; i++) {
        uint32_t a = w->number[w->pair.at[i].a], b = w->number[w->pair.at[i].b];
        if (a == AU_NONE || b == AU_NONE || au_weak_races(w, a, b))
            continue;
        bool ab = au_rel_has(&w->hb, a, b);
        if (!ab && !au_rel_has(&w->hb, b, a))
            continue; /* neither writes here: the property says that some pair does */
        au_vec_push(&w->lit, -w->goal);
        because_hb(x, ab ? a : b, ab ? b : a);
        keep(x->k);
    }
}

static void cut_rc11(cuts *k) {
    au_weak_state *w = k->w;
    c11 x = {.k = k, .w = w};
    au_rel_init(&x.hb, (uint32_t)w->node.n);
    au_rel_init(&x.eco, (uint32_t)w->node.n);
    join(w, &x.hb, IN_HB);
    join(w, &x.eco, IN_ECO);
    au_rel_copy(&w->hb, &x.hb);
    au_rel_close(&w->hb);
    au_rel_copy(&w->eco, &x.eco);
    au_rel_close(&w->eco);
    cut_incoherent(&x);
    if (!k->n)
        cut_psc(&x);
    if (!k->n && w->goal)
        cut_ordered(&x);
    au_rel_release(&x.hb);
    au_rel_release(&x.eco);
}

uint64_t au_weak_cut(au_weak_state *w, const au_prefix *p) {
    uint64_t n = au_weak_look(w, p);
    if (n)
        return n;
    cuts k = {.w = w};
    if (w->memory == AU_MEMORY_SC)
        cut_sc(&k);
    else if (w->memory == AU_MEMORY_TSO)
        cut_tso(&k);
    else
        cut_rc11(&k);
    n = put(&k);
    w->cuts += n;
    return n;
}
