/* witness/check_weak_axioms.c: does a memory model allow an execution?
 *
 *   all    a read-modify-write comes right after what it sees: rmw & (rb ; mo) is empty
 *   sc     sb | rf | mo | rb | line | sync is acyclic
 *   tso    Alglave, Maranget, Tautschnig (2014): (sb & loc) | rf | mo | rb is acyclic, and
 *          ppo | fences | rfe | mo | rb is, where ppo is sb without write to read
 *   rc11   Lahav, Vafeiadis, Kang, Hur, Dreyer (2017), with release sequences of C++20:
 *          irreflexive hb ; eco?, acyclic psc_base | psc_F, acyclic sb | rf */
#include "witness/check_weak_priv.h"

#include <stdlib.h>
#include <string.h>

typedef uint64_t rows;

static rows *make(const au_wexec *x) {
    return au_alloc_array((size_t)x->n * x->words + 1, sizeof(rows));
}

static void join(const au_wexec *x, rows *to, const rows *from) {
    for (size_t i = 0; i < (size_t)x->n * x->words; i++)
        to[i] |= from[i];
}

static void join_row(const au_wexec *x, rows *to, uint32_t a, const rows *from, uint32_t b) {
    for (uint32_t i = 0; i < x->words; i++)
        to[(size_t)a * x->words + i] |= from[(size_t)b * x->words + i];
}

/* to |= a ; b */
static void after(const au_wexec *x, rows *to, const rows *a, const rows *b) {
    for (uint32_t i = 0; i < x->n; i++)
        for (uint32_t k = 0; k < x->n; k++)
            if (au_wexec_has(x, a, i, k))
                join_row(x, to, i, b, k);
}

static void close(const au_wexec *x, rows *r) {
    for (uint32_t k = 0; k < x->n; k++)
        for (uint32_t i = 0; i < x->n; i++)
            if (au_wexec_has(x, r, i, k))
                join_row(x, r, i, r, k);
}

/* Closes it. */
static bool is_acyclic(const au_wexec *x, rows *r) {
    close(x, r);
    for (uint32_t i = 0; i < x->n; i++)
        if (au_wexec_has(x, r, i, i))
            return false;
    return true;
}

static bool is_rmw(const au_wexec *x, uint32_t entry) {
    return x->event[au_wev_read(entry)].there && x->event[au_wev_write(entry)].there &&
           !x->event[au_wev_read(entry)].object;
}

static bool are_next(const au_wexec *x) {
    for (uint32_t i = 0; i < x->entries; i++)
        for (uint32_t w = 0; w < x->n && is_rmw(x, i); w++)
            if (au_wexec_has(x, x->rb, au_wev_read(i), w) &&
                au_wexec_has(x, x->mo, w, au_wev_write(i)))
                return false;
    /* and it does not see what comes after itself */
    for (uint32_t i = 0; i < x->entries; i++) {
        uint32_t from = x->f->x->at.at[i].from;
        if (is_rmw(x, i) && from < AU_FROM_START && x->place[from] > x->place[i])
            return false;
    }
    return true;
}

/* ---- sc, tso ---- */

static bool sequential(const au_wexec *x) {
    rows *all = make(x);
    const rows *part[] = {x->sb, x->rf, x->mo, x->rb, x->line, x->sync};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        join(x, all, part[i]);
    bool good = is_acyclic(x, all);
    free(all);
    return good;
}

/* The processor waits there until the buffer is empty. */
static bool drains(const au_wexec *x, uint32_t e) {
    const au_wev *v = &x->event[e];
    return v->object || is_rmw(x, v->entry) || (v->order == AU_MO_SC && (v->fence || v->write));
}

static bool total_store_order(const au_wexec *x) {
    rows *loc = make(x), *all = make(x);
    for (uint32_t a = 0; a < x->n; a++)
        for (uint32_t b = 0; b < x->n; b++) {
            const au_wev *p = &x->event[a], *q = &x->event[b];
            if (au_wexec_has(x, x->rf, a, b) && p->thread != q->thread)
                au_wexec_add(x, all, a, b);
            if (!au_wexec_has(x, x->sb, a, b))
                continue;
            if (p->var != AU_NONE && p->var == q->var)
                au_wexec_add(x, loc, a, b);
            bool nothing = (p->fence && p->order != AU_MO_SC) || (q->fence && q->order != AU_MO_SC);
            bool store = p->write && !drains(x, a),
                 load = !q->write && !q->fence && !q->object && !drains(x, b);
            if (!nothing && !(store && load))
                au_wexec_add(x, all, a, b);
        }
    const rows *both[] = {x->mo, x->rb};
    for (int i = 0; i < 2; i++) {
        join(x, loc, both[i]);
        join(x, all, both[i]);
    }
    join(x, loc, x->rf);
    join(x, all, x->line);
    join(x, all, x->sync);
    bool good = is_acyclic(x, loc) && is_acyclic(x, all);
    free(loc);
    free(all);
    return good;
}

/* ---- rc11: happens before ---- */

static bool is_atomic(const au_wev *e) {
    return e->there && e->var != AU_NONE && e->order != AU_MO_NONE;
}
static bool is_release(const au_wev *e) {
    return e->order == AU_MO_REL || e->order == AU_MO_ACQ_REL || e->order == AU_MO_SC;
}
static bool is_acquire(const au_wev *e) {
    return e->order == AU_MO_ACQ || e->order == AU_MO_ACQ_REL || e->order == AU_MO_SC;
}

/* rs: from an atomic write to itself and those read-modify-writes that see it, or see one of them. */
static void release_sequences(const au_wexec *x, rows *rs) {
    for (uint32_t w = 0; w < x->n; w++) {
        if (!x->event[w].write || !is_atomic(&x->event[w]))
            continue;
        au_wexec_add(x, rs, w, w);
        /* entries come in an order in which each sees what came before */
        for (uint32_t i = 0; i < x->entries; i++) {
            uint32_t from = x->f->x->at.at[i].from;
            if (is_rmw(x, i) && is_atomic(&x->event[au_wev_write(i)]) && from < AU_FROM_START &&
                au_wexec_has(x, rs, w, au_wev_write(from)))
                au_wexec_add(x, rs, w, au_wev_write(i));
        }
    }
}

/* ([release write] | [release fence] ; sb ; [atomic write]) ; rs ; rf ; … and so for acquires */
static void synchronise(const au_wexec *x, rows *sw) {
    rows *rs = make(x);
    release_sequences(x, rs);
    for (uint32_t a = 0; a < x->n; a++)
        for (uint32_t w = 0; w < x->n; w++) {
            const au_wev *p = &x->event[a];
            bool begins = p->there && is_release(p) && is_atomic(&x->event[w]) &&
                          x->event[w].write &&
                          ((p->write && a == w) || (p->fence && au_wexec_has(x, x->sb, a, w)));
            for (uint32_t r = 0; r < x->n && begins; r++) {
                bool seen = false;
                for (uint32_t u = 0; u < x->n && is_atomic(&x->event[r]); u++)
                    seen |= au_wexec_has(x, rs, w, u) && au_wexec_has(x, x->rf, u, r);
                if (!seen)
                    continue;
                if (is_acquire(&x->event[r]))
                    au_wexec_add(x, sw, a, r);
                for (uint32_t f = 0; f < x->n; f++)
                    if (x->event[f].there && x->event[f].fence && is_acquire(&x->event[f]) &&
                        au_wexec_has(x, x->sb, r, f))
                        au_wexec_add(x, sw, a, f);
            }
        }
    free(rs);
}

/* ---- rc11: the axioms ---- */

static bool is_coherent(const au_wexec *x) {
    for (uint32_t a = 0; a < x->n; a++)
        for (uint32_t b = 0; b < x->n; b++)
            if (au_wexec_has(x, x->hb, a, b) && (a == b || au_wexec_has(x, x->eco, b, a)))
                return false;
    return true;
}

static bool same_loc(const au_wexec *x, uint32_t a, uint32_t b) {
    return x->event[a].var != AU_NONE && x->event[a].var == x->event[b].var;
}

static void fill_scb(const au_wexec *x, rows *scb) {
    rows *sbn = make(x), *half = make(x);
    for (uint32_t a = 0; a < x->n; a++)
        for (uint32_t b = 0; b < x->n; b++) {
            if (au_wexec_has(x, x->sb, a, b) && !same_loc(x, a, b))
                au_wexec_add(x, sbn, a, b);
            if (au_wexec_has(x, x->hb, a, b) && same_loc(x, a, b))
                au_wexec_add(x, scb, a, b);
        }
    after(x, half, sbn, x->hb);
    after(x, scb, half, sbn);
    join(x, scb, x->sb);
    join(x, scb, x->mo);
    join(x, scb, x->rb);
    free(sbn);
    free(half);
}

static bool is_sc(const au_wexec *x, uint32_t e) {
    return x->event[e].there && x->event[e].order == AU_MO_SC;
}

static bool partial_sc(const au_wexec *x) {
    rows *scb = make(x), *begin = make(x), *end = make(x), *half = make(x), *base = make(x);
    rows *far = make(x);
    fill_scb(x, scb);
    for (uint32_t e = 0; e < x->n; e++) {
        if (!is_sc(x, e))
            continue;
        au_wexec_add(x, begin, e, e);
        au_wexec_add(x, end, e, e);
        for (uint32_t f = 0; f < x->n && x->event[e].fence; f++) {
            if (au_wexec_has(x, x->hb, e, f))
                au_wexec_add(x, begin, e, f);
            if (au_wexec_has(x, x->hb, f, e))
                au_wexec_add(x, end, f, e);
        }
    }
    after(x, half, begin, scb);
    after(x, base, half, end);
    join(x, far, x->hb);
    memset(half, 0, (size_t)x->n * x->words * sizeof *half);
    after(x, half, x->hb, x->eco);
    after(x, far, half, x->hb);
    for (uint32_t e = 0; e < x->n; e++)
        for (uint32_t f = 0; f < x->n; f++)
            if (is_sc(x, e) && x->event[e].fence && is_sc(x, f) && x->event[f].fence &&
                au_wexec_has(x, far, e, f))
                au_wexec_add(x, base, e, f);
    bool good = is_acyclic(x, base);
    free(scb);
    free(begin);
    free(end);
    free(half);
    free(base);
    free(far);
    return good;
}

static bool repaired_c11(au_wexec *x) {
    rows *air = make(x);
    join(x, air, x->sb);
    join(x, air, x->rf);
    bool good = is_acyclic(x, air);
    free(air);
    join(x, x->hb, x->sb);
    join(x, x->hb, x->sync);
    synchronise(x, x->hb);
    close(x, x->hb);
    join(x, x->eco, x->rf);
    join(x, x->eco, x->mo);
    join(x, x->eco, x->rb);
    return good && is_acyclic(x, x->eco) && is_coherent(x) && partial_sc(x);
}

bool au_wexec_race(const au_wexec *x, uint32_t a, uint32_t b) {
    const au_wev *p = &x->event[a], *q = &x->event[b];
    return p->there && q->there && same_loc(x, a, b) && p->thread != q->thread &&
           (p->write || q->write) && !(is_atomic(p) && is_atomic(q)) &&
           !au_wexec_has(x, x->hb, a, b) && !au_wexec_has(x, x->hb, b, a);
}

bool au_wexec_allowed(au_wexec *x) {
    bool good = are_next(x) && (x->f->memory == AU_MEMORY_SC    ? sequential(x)
                                : x->f->memory == AU_MEMORY_TSO ? total_store_order(x)
                                                                : repaired_c11(x));
    if (!good)
        return au_wexec_no(x, x->entries, "the memory model does not allow it");
    for (uint32_t a = 0; a < x->n && x->f->memory == AU_MEMORY_RC11; a++)
        for (uint32_t b = a + 1; b < x->n && !x->v->raced; b++)
            x->v->raced = au_wexec_race(x, a, b);
    return true;
}
