/* oracle/weak_axioms.c: which executions a memory model allows.
 *
 * All models: a read-modify-write comes directly after the write that it sees (atomicity).
 *
 *   sc     program order, rf, mo, rb and the operations of objects have no cycle together.
 *
 *   tso    (x86: Owens, Sarkar, Sewell 2009, in the form of Alglave et al. 2014) for each variable
 *          alone as sc; and there is no cycle of mo, rb, rf between threads, and program order
 *          without the pairs of a store and a later load: the store may wait in its thread's buffer
 *          meanwhile. What empties the buffer keeps such pairs: a seq_cst fence, a
 *          read-modify-write, a seq_cst store (xchg), an operation of an object. Weaker fences are
 *          for the compiler only.
 *
 *   rc11   (Lahav, Vafeiadis, Kang, Hur, Dreyer 2017; release sequences of C++20)
 *            coherence   hb ; eco? has no cycle, eco = (rf | mo | rb)+
 *            sc          psc_base | psc_F has no cycle, where
 *                          scb      = sb | sb' ; hb ; sb' | hb of one variable | mo | rb,
 *                                     sb' being sb without accesses of one variable
 *                          psc_base = ([SC] | [F SC] ; hb?) ; scb ; ([SC] | hb? ; [F SC])
 *                          psc_F    = [F SC] ; (hb | hb ; eco ; hb) ; [F SC]
 *            no thin air sb | rf has no cycle: by construction, see weak.h
 *
 * Fork, join and the operations of objects are no accesses: they are in hb, and in the order that sc
 * and tso look at. */
#include "oracle/weak.h"

#include <string.h>

static void add(au_relation *to, const au_relation *from, uint32_t n) {
    for (uint32_t e = 0; e < n; e++)
        to->row[e] |= from->row[e];
}

/* to |= a ; b */
static void compose(au_relation *to, const au_relation *a, const au_relation *b, uint32_t n) {
    for (uint32_t e = 0; e < n; e++)
        for (uint32_t f = 0; f < n; f++)
            if (au_related(a, e, f))
                to->row[e] |= b->row[f];
}

static bool is(const au_weak_exec *x, uint32_t e, unsigned what) {
    return (x->event[e].does & what) == what;
}

/* Nothing stands between a read-modify-write and what it sees. */
static bool updates_follow(const au_weak_exec *x) {
    for (uint32_t v = 0; v < x->m->var.n; v++) {
        uint32_t n;
        const uint16_t *line = au_weak_line(x, v, &n);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t e = au_weak_number(x, line[i]);
            uint16_t before = i ? line[i - 1] : AU_WEAK_INITIAL;
            if (is(x, e, AU_WEAK_READS | AU_WEAK_WRITES) && x->event[e].from != before)
                return false;
        }
    }
    return true;
}

/* ---- sc ---- */

static bool sequential(const au_weak_exec *x, const au_weak_relations *r) {
    au_relation all = r->sb;
    add(&all, &r->rf, x->n);
    add(&all, &r->mo, x->n);
    add(&all, &r->rb, x->n);
    add(&all, &r->line, x->n);
    return au_relation_close(&all, x->n);
}

/* ---- tso ---- */

static bool empties_buffer(const au_weak_exec *x, const au_weak_relations *r, uint32_t e) {
    if (is(x, e, AU_WEAK_SYNC) || is(x, e, AU_WEAK_READS | AU_WEAK_WRITES))
        return true;
    return r->order[e] == AU_MO_SC && (is(x, e, AU_WEAK_FENCE) || is(x, e, AU_WEAK_WRITES));
}

static bool is_for_compilers(const au_weak_exec *x, const au_weak_relations *r, uint32_t e) {
    return is(x, e, AU_WEAK_FENCE) && r->order[e] != AU_MO_SC;
}

static bool total_store_order(const au_weak_exec *x, const au_weak_relations *r) {
    au_relation one = {0}, all = {0}; /* of one variable; of all */
    uint32_t n = x->n;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++) {
            if (r->var[a] != AU_NONE && r->var[a] == r->var[b] && au_related(&r->sb, a, b))
                au_relate(&one, a, b);
            if (au_related(&r->rf, a, b) && x->thread[a] != x->thread[b])
                au_relate(&all, a, b);
            if (!au_related(&r->sb, a, b) || is_for_compilers(x, r, a) || is_for_compilers(x, r, b))
                continue;
            bool waits = is(x, a, AU_WEAK_WRITES) && !empties_buffer(x, r, a),
                 loads = is(x, b, AU_WEAK_READS) && !empties_buffer(x, r, b);
            if (!waits || !loads)
                au_relate(&all, a, b);
        }
    add(&one, &r->rf, n);
    add(&one, &r->mo, n);
    add(&one, &r->rb, n);
    add(&all, &r->mo, n);
    add(&all, &r->rb, n);
    add(&all, &r->line, n);
    return au_relation_close(&one, n) && au_relation_close(&all, n);
}

/* ---- rc11 ---- */

static bool of_one_variable(const au_weak_relations *r, uint32_t a, uint32_t b) {
    return r->var[a] != AU_NONE && r->var[a] == r->var[b];
}

static bool coherent(const au_weak_exec *x, const au_weak_relations *r, const au_relation *eco) {
    for (uint32_t a = 0; a < x->n; a++)
        for (uint32_t b = 0; b < x->n; b++)
            if (au_related(&r->hb, a, b) && au_related(eco, b, a))
                return false;
    return true;
}

static void fill_scb(const au_weak_exec *x, const au_weak_relations *r, au_relation *scb) {
    au_relation other = {0}, half = {0}; /* sb'; sb' ; hb */
    for (uint32_t a = 0; a < x->n; a++)
        for (uint32_t b = 0; b < x->n; b++) {
            if (au_related(&r->sb, a, b) && !of_one_variable(r, a, b))
                au_relate(&other, a, b);
            if (au_related(&r->hb, a, b) && of_one_variable(r, a, b))
                au_relate(scb, a, b);
        }
    compose(&half, &other, &r->hb, x->n);
    compose(scb, &half, &other, x->n);
    add(scb, &r->sb, x->n);
    add(scb, &r->mo, x->n);
    add(scb, &r->rb, x->n);
}

/* begin, end: by event e, the SC events s with s = e, or s a fence and s hb e (e hb s). */
static void sides(const au_weak_exec *x, const au_weak_relations *r, uint64_t *begin,
                  uint64_t *end) {
    for (uint32_t e = 0; e < x->n; e++) {
        begin[e] = end[e] = r->order[e] == AU_MO_SC ? UINT64_C(1) << e : 0;
        for (uint32_t f = 0; f < x->n; f++) {
            if (!is(x, f, AU_WEAK_FENCE) || r->order[f] != AU_MO_SC)
                continue;
            if (au_related(&r->hb, f, e))
                begin[e] |= UINT64_C(1) << f;
            if (au_related(&r->hb, e, f))
                end[e] |= UINT64_C(1) << f;
        }
    }
}

static bool partially_sc(const au_weak_exec *x, const au_weak_relations *r,
                         const au_relation *eco) {
    au_relation scb = {0}, psc = {0}, far = {0}, between = r->hb; /* hb ; eco; hb | hb ; eco ; hb */
    uint64_t begin[AU_WEAK_MOST], end[AU_WEAK_MOST];
    bool any = false;
    for (uint32_t e = 0; e < x->n; e++)
        any |= r->order[e] == AU_MO_SC;
    if (!any)
        return true;
    fill_scb(x, r, &scb);
    sides(x, r, begin, end);
    for (uint32_t a = 0; a < x->n; a++)
        for (uint32_t b = 0; b < x->n; b++)
            for (uint32_t s = 0; s < x->n && au_related(&scb, a, b); s++)
                if (begin[a] >> s & 1)
                    psc.row[s] |= end[b];
    compose(&far, &r->hb, eco, x->n);
    compose(&between, &far, &r->hb, x->n);
    for (uint32_t f = 0; f < x->n; f++)
        for (uint32_t g = 0; g < x->n; g++)
            if (is(x, f, AU_WEAK_FENCE) && is(x, g, AU_WEAK_FENCE) && r->order[f] == AU_MO_SC &&
                r->order[g] == AU_MO_SC && au_related(&between, f, g))
                au_relate(&psc, f, g);
    return au_relation_close(&psc, x->n);
}

static bool repaired_c11(const au_weak_exec *x, au_weak_relations *r) {
    if (!au_weak_happens(x, r))
        return false;
    au_relation eco = r->rf;
    add(&eco, &r->mo, x->n);
    add(&eco, &r->rb, x->n);
    /* eco alone has no cycle either: mo is an order, and an update is where it is */
    return au_relation_close(&eco, x->n) && coherent(x, r, &eco) && partially_sc(x, r, &eco);
}

bool au_weak_race(const au_weak_exec *x, const au_weak_relations *r, uint32_t a, uint32_t b) {
    bool atomic = r->order[a] != AU_MO_NONE && r->order[b] != AU_MO_NONE;
    return of_one_variable(r, a, b) && x->thread[a] != x->thread[b] && !atomic &&
           (is(x, a, AU_WEAK_WRITES) || is(x, b, AU_WEAK_WRITES)) && !au_related(&r->hb, a, b) &&
           !au_related(&r->hb, b, a);
}

bool au_weak_consistent(au_memory memory, const au_weak_exec *x, au_weak_relations *r,
                        bool *raced) {
    *raced = false;
    if (!updates_follow(x))
        return false;
    au_weak_relations_of(x, r);
    if (memory == AU_MEMORY_SC)
        return sequential(x, r);
    if (memory == AU_MEMORY_TSO)
        return total_store_order(x, r);
    if (!repaired_c11(x, r))
        return false;
    for (uint32_t a = 0; a < x->n && !*raced; a++)
        for (uint32_t b = a + 1; b < x->n && !*raced; b++)
            *raced = au_weak_race(x, r, a, b);
    return true;
}
