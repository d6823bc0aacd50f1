/* solve/reads.c: π-functions as clauses.
 *
 * "r sees w" implies that w is stored and before r, and that no other store of the
 * variable comes in between. Thread by thread:
 *   w's own     r comes before w's next store
 *   r's own     its last store comes before w
 *   another u   as many stores of u come before r as before w.
 * For the last one the ladder of u's stores before an event ("the i-th or a later one
 * of them is before it") is compared rung by rung while it is short, and in binary
 * (a position) when it is long. */
#include "base/error.h"
#include "solve/cadical_priv.h"
#include "solve/weak_priv.h"

enum {
    SHORT = 6, /* rungs that are compared one by one */
    EAGER = 12 /* writers of a read for which all of it is said at once; beyond, what is in
                  between is kept out where a solution has it there */
};

static bool always_stores(const au_cssa *c, uint32_t event) {
    return au_term_same(c->event.at[event].passes, c->event.at[event].exec);
}

static bool is_sure(const au_cssa *c, uint32_t event) {
    return c->event.at[event].certain && always_stores(c, event);
}

static int stored(au_cad *k, uint32_t event) {
    return au_blast_bool(&k->blast, k->c->event.at[event].passes);
}

/* --- ladders -------------------------------------------------------------------------- */

/* Thread u's stores of the variable: a part of c->stores. */
static void stores_of(const au_cssa *c, uint32_t var, uint32_t u, const uint32_t **first,
                      size_t *n) {
    size_t i = 0;
    while (i < c->stores[var].n && c->event.at[c->stores[var].at[i]].thread < u)
        i++;
    *first = i < c->stores[var].n ? &c->stores[var].at[i] : NULL;
    *n = 0;
    while (i + *n < c->stores[var].n && c->event.at[c->stores[var].at[i + *n]].thread == u)
        ++*n;
}

static unsigned code_bits(size_t n) {
    unsigned bits = 0;
    while (n >> bits)
        bits++;
    return bits;
}

/* rung[i]: store i of u or a later one is stored and before e. Requires: e is executed (in
 * what is concluded from it). */
static void make_rungs(au_cad *k, uint32_t e, const uint32_t *store, size_t n, int *rung) {
    const au_cssa *c = k->c;
    int above = AU_LIT_FALSE;
    for (size_t i = n; i-- > 0;) {
        int before = au_order_before(&k->order, store[i], e);
        if (is_sure(c, store[i]))
            rung[i] = before; /* it is executed if it is before an executed event */
        else
            rung[i] = au_sat_or(&k->sat, au_sat_and(&k->sat, stored(k, store[i]), before), above);
        above = rung[i];
    }
}

/* The rungs of (event, thread, variable) and, if they are many, their number in binary. */
static const int *rungs_of(au_cad *k, uint32_t e, uint32_t u, uint32_t var, size_t *n_rungs) {
    const uint32_t *store;
    size_t n;
    stores_of(k->c, var, u, &store, &n);
    *n_rungs = n;
    if (!n)
        return NULL;
    uint64_t key = ((uint64_t)e * k->c->m->thread.n + u) * k->c->m->var.n + var;
    bool fresh;
    uint64_t *at = au_map_put(&k->position, key, &fresh);
    if (!fresh)
        return k->code.at + *at;
    unsigned bits = n > SHORT ? code_bits(n) : 0;
    int *rung = au_alloc_array(n + bits + 1, sizeof *rung);
    make_rungs(k, e, store, n, rung);
    for (unsigned b = 0; b < bits; b++)
        rung[n + b] = au_sat_new(&k->sat);
    for (size_t i = 0; i <= n && bits; i++) /* exactly i of them */
        for (unsigned b = 0; b < bits; b++)
            au_sat_3(&k->sat, i ? -rung[i - 1] : AU_LIT_FALSE, i < n ? rung[i] : AU_LIT_FALSE,
                     i >> b & 1 ? rung[n + b] : -rung[n + b]);
    *au_map_find(&k->position, key) = k->code.n;        /* stored() may have moved the table */
    au_vec_reserve(&k->code, k->code.n + n + bits + 1); /* none is an address, too */
    au_vec_append(&k->code, rung, n + bits);
    free(rung);
    return k->code.at + k->code.n - n - bits;
}

void au_cad_free_positions(au_cad *k) {
    au_map_release(&k->position);
    au_vec_release(&k->code);
}

/* --- no store in between ---------------------------------------------------------------- */

/* Another thread's stores: none between w and e. */
static void others_apart(au_cad *k, int sees, uint32_t w, uint32_t e, uint32_t u, uint32_t var) {
    size_t n, same;
    int *mine = NULL;
    const int *r = rungs_of(k, e, u, var, &n);
    if (!n)
        return;
    unsigned bits = n > SHORT ? code_bits(n) : 0;
    mine = au_alloc_array(n + bits, sizeof *mine);
    memcpy(mine, r, (n + bits) * sizeof *mine); /* the next call may move them */
    r = rungs_of(k, w, u, var, &same);
    if (!bits) {
        for (size_t i = 0; i < n; i++)
            au_sat_3(&k->sat, -sees, -mine[i], r[i]);
    } else {
        for (unsigned b = 0; b < bits; b++) {
            au_sat_3(&k->sat, -sees, -mine[n + b], r[n + b]);
            au_sat_3(&k->sat, -sees, mine[n + b], -r[n + b]);
        }
    }
    free(mine);
}

/* Stores of w's thread after w come after e. */
static void next_after(au_cad *k, int sees, uint32_t w, uint32_t e, uint32_t var) {
    const au_cssa *c = k->c;
    const uint32_t *store;
    size_t n;
    stores_of(c, var, c->event.at[w].thread, &store, &n);
    for (size_t i = 0; i < n; i++) {
        if (c->event.at[store[i]].place <= c->event.at[w].place)
            continue;
        int after = au_order_before(&k->order, e, store[i]);
        if (is_sure(c, store[i])) {
            au_sat_2(&k->sat, -sees, after);
            return;
        }
        au_sat_3(&k->sat, -sees, -stored(k, store[i]), after);
    }
}

/* e's own stores before it come before w (AU_INITIAL: there is none). */
static void own_before(au_cad *k, int sees, uint32_t w, uint32_t e, uint32_t var) {
    const au_cssa *c = k->c;
    const uint32_t *store;
    size_t n;
    stores_of(c, var, c->event.at[e].thread, &store, &n);
    for (size_t i = n; i-- > 0;) {
        uint32_t s = store[i];
        if (c->event.at[s].place >= c->event.at[e].place || s == w)
            continue;
        int before = w == AU_INITIAL ? AU_LIT_FALSE : au_order_before(&k->order, s, w);
        au_sat_3(&k->sat, -sees, -stored(k, s), before);
        if (is_sure(c, s))
            return;
    }
}

static void sees_initial(au_cad *k, int sees, uint32_t e, uint32_t var) {
    const au_cssa *c = k->c;
    for (uint32_t u = 0; u < c->m->thread.n; u++) {
        if (u == c->event.at[e].thread) {
            own_before(k, sees, AU_INITIAL, e, var);
            continue;
        }
        const uint32_t *store;
        size_t n;
        stores_of(c, var, u, &store, &n);
        for (size_t i = 0; i < n; i++) {
            int after = au_order_before(&k->order, e, store[i]);
            if (is_sure(c, store[i])) {
                au_sat_2(&k->sat, -sees, after);
                break;
            }
            au_sat_3(&k->sat, -sees, -stored(k, store[i]), after);
        }
    }
}

static void sees_write(au_cad *k, uint32_t read, int sees, uint32_t w, uint32_t e, uint32_t var) {
    const au_cssa *c = k->c;
    uint32_t of_w = c->event.at[w].thread, of_e = c->event.at[e].thread;
    au_sat_2(&k->sat, -sees, stored(k, w));
    au_sat_2(&k->sat, -sees, au_order_before(&k->order, w, e));
    own_before(k, sees, w, e, var);
    if (of_w != of_e)
        next_after(k, sees, w, e, var);
    for (uint32_t u = 0; u < c->m->thread.n && k->c->read.at[read].writer.n <= EAGER; u++)
        if (u != of_w && u != of_e)
            others_apart(k, sees, w, e, u, var);
}

/* --- what a solution breaks ------------------------------------------------------------- */

/* A store of u that comes between w and e in the solution. */
static bool comes_between(au_cad *k, uint32_t w, uint32_t e, uint32_t u, uint32_t var) {
    const au_cssa *c = k->c;
    const uint32_t *store;
    size_t n;
    stores_of(c, var, u, &store, &n);
    for (size_t i = n; i-- > 0;) /* the last one before e decides */
        if (au_sat_value(&k->sat, k->exec[store[i]]) &&
            au_sat_value(&k->sat, au_order_before(&k->order, store[i], e))) {
            if (au_sat_value(&k->sat, au_order_before(&k->order, w, store[i])))
                return true;
            if (is_sure(c, store[i]))
                return false;
        }
    return false;
}

/* What it sees is not the last store in the order of events. */
static bool is_weak(const au_cad *k, uint32_t var) {
    return k->weak && au_weak_is_shared(k->c, var);
}

void au_cad_look(au_cad *k, au_betweens *late) {
    const au_cssa *c = k->c;
    for (uint32_t read = 0; read < k->sees.n; read++) {
        const au_cssa_read *r = &c->read.at[read];
        if (!k->sees.at[read] || r->event == AU_FINAL || r->writer.n <= EAGER ||
            is_weak(k, r->var) || !au_sat_value(&k->sat, k->exec[r->event]))
            continue;
        for (uint32_t i = 0; i < r->writer.n; i++) {
            uint32_t w = r->writer.at[i];
            if (w == AU_INITIAL || !au_sat_value(&k->sat, k->sees.at[read][i]))
                continue;
            for (uint32_t u = 0; u < c->m->thread.n; u++)
                if (u != c->event.at[w].thread && u != c->event.at[r->event].thread &&
                    comes_between(k, w, r->event, u, r->var))
                    au_vec_push(late, ((au_between){read, i, u}));
        }
    }
}

void au_cad_part(au_cad *k, const au_betweens *late) {
    for (size_t j = 0; j < late->n; j++) {
        const au_cssa_read *r = &k->c->read.at[late->at[j].read];
        uint32_t w = r->writer.at[late->at[j].writer];
        int sees = k->sees.at[late->at[j].read][late->at[j].writer];
        bool fresh;
        /* Where one thread was in between another would be next: all at once. */
        au_map_put(&k->parted, au_key2(late->at[j].read, w), &fresh);
        for (uint32_t u = 0; u < k->c->m->thread.n && fresh; u++)
            if (u != k->c->event.at[w].thread && u != k->c->event.at[r->event].thread)
                others_apart(k, sees, w, r->event, u, r->var);
    }
}

/* --- folds ------------------------------------------------------------------------------ */

/* Sums modulo 2^n: y += the constant where the literal holds. */
static void add_if(au_cad *k, int *y, uint64_t constant, int lit, unsigned n) {
    int carry = AU_LIT_FALSE;
    for (unsigned i = 0; i < n; i++) {
        int b = constant >> i & 1 ? lit : AU_LIT_FALSE;
        int x = au_sat_xor(&k->sat, y[i], b);
        int next = au_sat_or(&k->sat, au_sat_and(&k->sat, y[i], b), au_sat_and(&k->sat, x, carry));
        y[i] = au_sat_xor(&k->sat, x, carry);
        carry = next;
    }
}

static const au_fold *done_by(const au_cad *k, uint32_t event, uint32_t var) {
    const au_cssa_event *e = &k->c->event.at[event];
    for (uint32_t i = 0; i < e->n_writes; i++)
        if (k->c->write.at[e->first_write + i].var == var)
            return &k->folds.by[e->first_write + i];
    AU_BUG_IF(true);
    return NULL;
}

/* The store has happened by the time of the read. */
static int has_happened(au_cad *k, uint32_t store, uint32_t e) {
    if (e == AU_FINAL)
        return stored(k, store);
    if (store == e)
        return AU_LIT_FALSE; /* it reads before it writes */
    int before = au_order_before(&k->order, store, e);
    return is_sure(k->c, store) ? before : au_sat_and(&k->sat, stored(k, store), before);
}

/* From all that is taken away to all that is added; everything if that may overflow. */
static au_span span_of_sum(const au_cad *k, uint32_t var, bool init, unsigned width) {
    const au_cssa *c = k->c;
    if (width == 1)
        return (au_span){0, 1};
    unsigned up = 64 - width;
    int64_t low = init ? (int64_t)(c->m->var.at[var].init << up) >> up : 0, high = low;
    bool fits = true;
    for (size_t i = 0; i < c->stores[var].n && fits; i++) {
        const au_fold *f = done_by(k, c->stores[var].at[i], var);
        int64_t add = (int64_t)(f->add << up) >> up; /* 0 of a base */
        int64_t *end = add < 0 ? &low : &high;
        fits = !__builtin_add_overflow(*end, add, end);
    }
    int64_t most = (int64_t)(UINT64_MAX >> (up + 1));
    return fits && high <= most && low >= -most - 1 ? (au_span){low, high}
                                                    : (au_span){-most - 1, most};
}

static void add_bits(au_cad *k, const int *a, const int *b, bool minus, unsigned n, int *into) {
    int carry = minus ? AU_LIT_TRUE : AU_LIT_FALSE;
    for (unsigned i = 0; i < n; i++) {
        int y = minus ? -b[i] : b[i], x = au_sat_xor(&k->sat, a[i], y), c = carry;
        carry = au_sat_or(&k->sat, au_sat_and(&k->sat, a[i], y), au_sat_and(&k->sat, x, c));
        into[i] = au_sat_xor(&k->sat, x, c);
    }
}

/* What the adding stores of one thread have added: they happen one after the other, so that their number says it. Bits are
 * looked up by that number, and nothing is to be added. Stores first … first + n - 1 of the variable; False: they may be left out one by one. */
static bool ladder_sum(au_cad *k, uint32_t var, uint32_t e, size_t first, size_t n, unsigned width,
                       int *into) {
    const au_cssa *c = k->c;
    int *rung = au_alloc_array(n + 2, sizeof *rung);
    uint64_t *total = au_alloc_array(n + 1, sizeof *total);
    size_t rungs = 0;
    bool sure = true;
    for (size_t i = first; i < first + n && sure; i++) {
        uint32_t s = c->stores[var].at[i];
        const au_fold *f = done_by(k, s, var);
        if (f->base || s == e)
            continue;
        sure = is_sure(c, s);
        rung[++rungs] = has_happened(k, s, e);
        total[rungs] = total[rungs - 1] + f->add;
    }
    size_t low = 0, high = rungs;
    while (low < high && rung[low + 1] == AU_LIT_TRUE)
        low++;
    while (high > low && rung[high] == AU_LIT_FALSE)
        high--;
    for (unsigned b = 0; b < width && sure; b++) {
        uint64_t ones = 0;
        for (size_t i = low; i <= high; i++)
            ones += total[i] >> b & 1;
        into[b] = !ones ? AU_LIT_FALSE : ones == high - low + 1 ? AU_LIT_TRUE : au_sat_new(&k->sat);
        for (size_t i = low; i <= high && ones && ones != high - low + 1; i++)
            au_sat_3(&k->sat, i > low ? -rung[i] : AU_LIT_FALSE,
                     i < high ? rung[i + 1] : AU_LIT_FALSE, total[i] >> b & 1 ? into[b] : -into[b]);
    }
    free(rung);
    free(total);
    return sure;
}

/* What adding stores have added by the time of e (AU_FINAL: the end), and with 'init' what was there at first. */
static void sum(au_cad *k, uint32_t var, uint32_t e, bool init, unsigned width, int *into) {
    const au_cssa *c = k->c;
    bool sign;
    unsigned n = au_cad_bits(span_of_sum(k, var, init, width), &sign);
    n = n + sign < width ? n + sign : width;
    uint64_t begin = init ? c->m->var.at[var].init : 0;
    for (unsigned i = 0; i < n; i++)
        into[i] = begin >> i & 1 ? AU_LIT_TRUE : AU_LIT_FALSE;
    for (size_t i = 0, next; i < c->stores[var].n && n; i = next) {
        uint32_t u = c->event.at[c->stores[var].at[i]].thread;
        int theirs[64];
        for (next = i; next < c->stores[var].n && c->event.at[c->stores[var].at[next]].thread == u;)
            next++;
        if (ladder_sum(k, var, e, i, next - i, n, theirs)) {
            add_bits(k, into, theirs, false, n, into);
            continue;
        }
        for (size_t j = i; j < next; j++) {
            uint32_t s = c->stores[var].at[j];
            if (!done_by(k, s, var)->base)
                add_if(k, into, done_by(k, s, var)->add, has_happened(k, s, e), n);
        }
    }
    for (unsigned i = n; i < width; i++)
        into[i] = sign ? into[n - 1] : AU_LIT_FALSE;
}

static bool has_bases(const au_cad *k, uint32_t var) {
    for (size_t i = 0; i < k->c->stores[var].n; i++)
        if (done_by(k, k->c->stores[var].at[i], var)->base)
            return true;
    return false;
}

/* With bases: something that follows from the last base before the read (made by au_cad_base, once what bases store
 * can be said), and what was added by then. */
static void based_sum(au_cad *k, uint32_t read, unsigned width, int *into) {
    au_cssa_read r = k->c->read.at[read];
    int more[64];
    au_based b = {.read = read, .first = (uint32_t)k->base_bit.n};
    for (unsigned i = 0; i < width; i++)
        au_vec_push(&k->base_bit, au_sat_new(&k->sat));
    au_vec_push(&k->based, b);
    sum(k, r.var, r.event, false, width, more);
    add_bits(k, k->base_bit.at + b.first, more, false, width, into);
}

/* Base w (AU_INITIAL) is the last one before e. */
static void is_last_base(au_cad *k, int last, uint32_t w, uint32_t e, uint32_t var) {
    const au_cssa *c = k->c;
    if (w != AU_INITIAL) {
        au_sat_2(&k->sat, -last, stored(k, w));
        if (e != AU_FINAL)
            au_sat_2(&k->sat, -last, au_order_before(&k->order, w, e));
    }
    for (size_t i = 0; i < c->stores[var].n; i++) {
        uint32_t s = c->stores[var].at[i];
        if (s == w || s == e || !done_by(k, s, var)->base)
            continue;
        int lit[] = {-last, -stored(k, s),
                     w == AU_INITIAL ? AU_LIT_FALSE : au_order_before(&k->order, s, w),
                     e == AU_FINAL ? AU_LIT_FALSE : au_order_before(&k->order, e, s)};
        au_sat_add(&k->sat, lit, 4);
    }
}

void au_cad_base(au_cad *k, const au_based *b) {
    const au_cssa *c = k->c;
    au_cssa_read r = c->read.at[b->read];
    unsigned width = c->m->var.at[r.var].width;
    int exec = r.event == AU_FINAL ? AU_LIT_TRUE : k->exec[r.event];
    AU_VEC(int) some = {0};
    au_vec_push(&some, -exec);
    for (size_t i = 0; i <= c->stores[r.var].n; i++) {
        uint32_t w = i < c->stores[r.var].n ? c->stores[r.var].at[i] : AU_INITIAL;
        int theirs[64], added[64], is[64];
        if (w != AU_INITIAL && (w == r.event || !done_by(k, w, r.var)->base))
            continue;
        if (w != AU_INITIAL && r.event != AU_FINAL &&
            au_order_before(&k->order, w, r.event) == AU_LIT_FALSE)
            continue;
        int last = au_sat_new(&k->sat);
        au_vec_push(&some, last);
        is_last_base(k, last, w, r.event, r.var);
        au_term v = w == AU_INITIAL ? au_term_const(c->terms, width, c->m->var.at[r.var].init)
                                    : au_cad_written(c, w, r.var);
        if (v.n == UINT32_MAX)
            continue; /* anything */
        au_blast_term(&k->blast, v, theirs);
        if (w == AU_INITIAL) {
            memcpy(is, theirs, width * sizeof *is);
        } else {
            sum(k, r.var, w, false, width, added);
            add_bits(k, theirs, added, true, width, is);
        }
        const int *mine = k->base_bit.at + b->first;
        for (unsigned j = 0; j < width; j++) {
            au_sat_3(&k->sat, -last, -mine[j], is[j]);
            au_sat_3(&k->sat, -last, mine[j], -is[j]);
        }
    }
    au_sat_add(&k->sat, some.at, some.n);
    au_vec_release(&some);
}

static void bits(au_cad *k, uint32_t read, unsigned width, int *into) {
    const au_cssa *c = k->c;
    au_cssa_read r = c->read.at[read];
    for (unsigned i = 0; i < width; i++)
        into[i] = c->m->var.at[r.var].init >> i & 1 ? AU_LIT_TRUE : AU_LIT_FALSE;
    for (size_t j = 0; j < c->stores[r.var].n; j++) {
        uint32_t s = c->stores[r.var].at[j];
        const au_fold *f = done_by(k, s, r.var);
        int done = has_happened(k, s, r.event);
        for (unsigned i = 0; i < width; i++) {
            if (f->set >> i & 1)
                into[i] = au_sat_or(&k->sat, into[i], done);
            else if (f->clear >> i & 1)
                into[i] = au_sat_and(&k->sat, into[i], -done);
            else if (f->turn >> i & 1)
                into[i] = au_sat_xor(&k->sat, into[i], done);
        }
    }
}

void au_cad_fold(au_cad *k, uint32_t read, unsigned width, int *into) {
    au_cssa_read r = k->c->read.at[read];
    if (k->folds.kind[r.var] == AU_FOLD_SUM && has_bases(k, r.var))
        based_sum(k, read, width, into);
    else if (k->folds.kind[r.var] == AU_FOLD_SUM)
        sum(k, r.var, r.event, true, width, into);
    else
        bits(k, read, width, into);
}

/* --- final values --------------------------------------------------------------------------- */

/* Every other store that happened came before w; AU_INITIAL: none happened. */
static void final_sees(au_cad *k, int sees, uint32_t w, uint32_t var) {
    const au_cssa *c = k->c;
    if (w != AU_INITIAL)
        au_sat_2(&k->sat, -sees, stored(k, w));
    for (size_t i = 0; i < c->stores[var].n; i++) {
        uint32_t s = c->stores[var].at[i];
        if (s != w)
            au_sat_3(&k->sat, -sees, -stored(k, s),
                     w == AU_INITIAL ? AU_LIT_FALSE : au_order_before(&k->order, s, w));
    }
}

const int *au_cad_sees(au_cad *k, uint32_t read) {
    while (k->sees.n <= read)
        au_vec_push(&k->sees, NULL);
    if (k->sees.at[read])
        return k->sees.at[read];
    const au_cssa_read *r = &k->c->read.at[read];
    size_t n = r->writer.n;
    int *sees = k->sees.at[read] = au_alloc_array(n, sizeof *sees);
    int exec = r->event == AU_FINAL ? AU_LIT_TRUE : k->exec[r->event];
    AU_VEC(int) some = {0};
    au_vec_push(&some, -exec);
    for (size_t i = 0; i < n; i++) {
        /* A single writer is seen whenever the event is executed. */
        sees[i] = n == 1 ? exec
                         : au_sat_wish(&k->sat, read < k->wish.reads &&
                                                    k->wish.writer[read] == r->writer.at[i]);
        au_vec_push(&some, sees[i]);
    }
    if (n > 1) {
        au_sat_add(&k->sat, some.at, some.n);
        for (size_t i = 0; i < n; i++)
            au_sat_2(&k->sat, -sees[i], exec);
    }
    au_vec_release(&some);
    if (is_weak(k, r->var)) {
        au_weak_sees(k->weak, read, sees);
        return sees;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t w = r->writer.at[i];
        if (r->event == AU_FINAL)
            final_sees(k, sees[i], w, r->var);
        else if (w == AU_INITIAL)
            sees_initial(k, sees[i], r->event, r->var);
        else
            sees_write(k, read, sees[i], w, r->event, r->var);
    }
    return sees;
}
