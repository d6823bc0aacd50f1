/* verify/ref_folds.c: variables whose stores commute.
 *
 * Each store changes what was there in a way that does not depend on it: it adds a constant (rule S), or it sets, clears or turns
 * bits, every bit by stores of one of these kinds only (rule B). What is read and what is written are one step, or
 * all stores of the variable are so under one lock that is held from the read to the write. Then no store is ever
 * lost, and a read is what all stores before it have made of the initial value, in any order.
 *
 * A variable may be set up first: one store of a constant, which every path passes, that the commuting stores and what they
 * read come after in any case. Then it is the initial value of every read after it, and what was stored before it counts
 * no more. Reads that may come before it are read as of any other variable. */
#include "verify/ref.h"

#include "base/alloc.h"
#include "base/bits.h"

/* The acquire of a lock that the thread has before this event; AU_NONE. */
static uint32_t held_by(const au_ref *r, uint32_t obj, uint32_t event) {
    const au_step *s = &r->m->step.at[r->event.at[event].step];
    uint32_t h = r->holder[obj][s->thread][s->src];
    return h >= 2 ? h - 2 : AU_NONE;
}

/* One lock is held from the read to the write, by all of them. */
static bool have_lock(const au_ref *r, const uint32_t (*part)[2], size_t n) {
    for (uint32_t obj = 0; obj < r->m->obj.n; obj++) {
        bool all = r->lock[obj];
        for (size_t i = 0; i < n && all; i++) {
            uint32_t a = held_by(r, obj, part[i][0]);
            all = a != AU_NONE && a == held_by(r, obj, part[i][1]);
        }
        if (all)
            return true;
    }
    return false;
}

/* The value is what this thread read, plus a constant. */
static bool adds(const au_ref *r, au_term x, uint32_t var, uint32_t event, uint32_t *from,
                 uint64_t *by) {
    const au_terms *t = r->terms;
    *by = 0;
    if (x.n == UINT32_MAX)
        return false;
    au_term_op op = au_term_kind(t, x);
    if (op == AU_T_ADD || op == AU_T_SUB) {
        au_term a = au_term_kid(t, x, 0), b = au_term_kid(t, x, 1);
        if (op == AU_T_ADD && au_term_is_const(t, a)) {
            au_term swap = a;
            a = b;
            b = swap;
        }
        if (!au_term_is_const(t, b))
            return false;
        *by = op == AU_T_ADD ? au_term_value(t, b) : -au_term_value(t, b);
        x = a;
    }
    if (au_term_kind(t, x) != AU_T_VAR || r->name.at[au_term_var(t, x)].kind != AU_REF_READ)
        return false;
    const au_ref_read *d = &r->read.at[r->name.at[au_term_var(t, x)].of];
    *from = d->event;
    return d->var == var && d->event != AU_REF_END &&
           r->event.at[d->event].thread == r->event.at[event].thread;
}

enum { DEEPEST = 16 };

/* A term of operations on single bits over one read and constants: what it is where the read's bits are 0, and
 * where they are 1. */
static bool bitwise(const au_ref *r, au_term x, uint32_t var, uint32_t event, uint32_t *from,
                    uint64_t of[2], int depth) {
    const au_terms *t = r->terms;
    au_term_op op = au_term_kind(t, x);
    uint64_t a[2], b[2];
    if (op == AU_T_CONST) {
        of[0] = of[1] = au_term_value(t, x);
        return true;
    }
    if (op == AU_T_VAR) {
        uint32_t mine;
        uint64_t none;
        of[0] = 0;
        of[1] = UINT64_MAX;
        if (!adds(r, x, var, event, &mine, &none) || (*from != AU_NONE && *from != mine))
            return false;
        *from = mine;
        return true;
    }
    if (!depth || (op != AU_T_NOT && op != AU_T_AND && op != AU_T_OR && op != AU_T_XOR) ||
        !bitwise(r, au_term_kid(t, x, 0), var, event, from, a, depth - 1) ||
        (op != AU_T_NOT && !bitwise(r, au_term_kid(t, x, 1), var, event, from, b, depth - 1)))
        return false;
    for (int i = 0; i < 2; i++)
        of[i] = op == AU_T_NOT   ? ~a[i]
                : op == AU_T_AND ? a[i] & b[i]
                : op == AU_T_OR  ? a[i] | b[i]
                                 : a[i] ^ b[i];
    return true;
}

/* How a store changes the variable; false: not so. *from: the event that reads it, or that of the store. */
static bool changes(const au_ref *r, au_ref_folding kind, uint32_t var, uint32_t event,
                    uint32_t *from, au_ref_change *by) {
    uint32_t at;
    uint64_t of[2], mask = au_mask(r->m->var.at[var].width);
    au_term value = au_ref_written(r, event, var, &at);
    *by = (au_ref_change){0};
    if (kind == AU_REF_SUM)
        return adds(r, value, var, event, from, &by->add);
    *from = AU_NONE;
    if (value.n == UINT32_MAX || !bitwise(r, value, var, event, from, of, DEEPEST))
        return false;
    if (*from == AU_NONE)
        *from = event; /* it does not read */
    by->set = of[0] & of[1] & mask;
    by->clear = ~of[0] & ~of[1] & mask;
    by->turn = of[0] & ~of[1] & mask;
    return true;
}

/* The last store that adds nothing to what was there, if it is a constant that is stored in any case; AU_NONE. */
static uint32_t find_base(const au_ref *r, uint32_t var) {
    const au_ref_list *stores = &r->stores[var];
    uint32_t base = AU_NONE, from, at;
    au_ref_change by;
    for (size_t i = 0; i < stores->n; i++)
        if (!changes(r, AU_REF_SUM, var, stores->at[i], &from, &by) &&
            (base == AU_NONE || au_ref_precedes(r, base, stores->at[i])))
            base = stores->at[i];
    if (base == AU_NONE || !au_ref_sure(r, base))
        return AU_NONE;
    au_term value = au_ref_written(r, base, var, &at);
    return value.n != UINT32_MAX && au_term_is_const(r->terms, value) ? base : AU_NONE;
}

/* Does this store count after the base? */
static bool counts(const au_ref *r, uint32_t var, uint32_t store) {
    uint32_t base = r->base[var];
    return base == AU_NONE || (store != base && !au_ref_precedes(r, store, base));
}

static bool is_fold(au_ref *r, au_ref_folding kind, uint32_t var, uint32_t base) {
    const au_ref_list *stores = &r->stores[var];
    uint32_t(*part)[2] = au_alloc_array(stores->n + 1, sizeof *part);
    size_t parts = 0;
    bool good = stores->n > 0, apart = false;
    uint64_t set = 0, clear = 0, turn = 0;
    r->base[var] = base;
    for (size_t i = 0; i < stores->n && good; i++) {
        uint32_t e = stores->at[i], from = e, at;
        au_ref_change by;
        if (!counts(r, var, e))
            continue;
        au_ref_written(r, e, var, &at);
        good = au_term_same(r->event.at[e].passes, r->event.at[e].exec) &&
               changes(r, kind, var, e, &from, &by) && from <= e &&
               (base == AU_NONE || au_ref_precedes(r, base, from));
        for (size_t k = 0; k < stores->n && good; k++) /* events of a thread stand by place */
            good = stores->at[k] < from || stores->at[k] >= e;
        if (!good)
            break;
        r->change[at] = by;
        set |= by.set;
        clear |= by.clear;
        turn |= by.turn;
        apart |= from != e;
        part[parts][0] = from;
        part[parts++][1] = e;
    }
    good = good && !(set & clear) && !(set & turn) && !(clear & turn) &&
           (!apart || have_lock(r, (const uint32_t(*)[2])part, parts));
    free(part);
    return good;
}

static au_ref_folding folding(au_ref *r, uint32_t var) {
    static const au_ref_folding kinds[] = {AU_REF_SUM, AU_REF_FLAGS};
    uint32_t base = find_base(r, var);
    for (int with = 0; with < 1 + (base != AU_NONE); with++)
        for (int i = 0; i < 2; i++)
            if (is_fold(r, kinds[i], var, with ? base : AU_NONE))
                return kinds[i];
    return AU_REF_NO_FOLD;
}

void au_ref_find_folds(au_ref *r) {
    r->fold = AU_ARENA_ARRAY(&r->arena, au_ref_folding, r->m->var.n + 1);
    r->base = AU_ARENA_ARRAY(&r->arena, uint32_t, r->m->var.n + 1);
    r->change = AU_ARENA_ARRAY(&r->arena, au_ref_change, r->write.n + 1);
    for (uint32_t v = 0; v < r->m->var.n; v++)
        if (r->m->var.at[v].kind != AU_VAR_LOCAL && !r->lock_var[v])
            r->fold[v] = folding(r, v);
}

bool au_ref_is_folded(const au_ref *r, uint32_t read) {
    const au_ref_read *d = &r->read.at[read];
    return r->fold[d->var] &&
           (r->base[d->var] == AU_NONE ||
            (d->event != AU_REF_END && au_ref_precedes(r, r->base[d->var], d->event)));
}

/* What the stores that count begin with. */
static uint64_t first_value(const au_ref *r, uint32_t var) {
    uint32_t at;
    return r->base[var] == AU_NONE
               ? r->m->var.at[var].init
               : au_term_value(r->terms, au_ref_written(r, r->base[var], var, &at));
}

/* The store has happened by the time of the read. */
static int happened(au_ref *r, uint32_t s, uint32_t e) {
    if (e == AU_REF_END)
        return au_ref_stored(r, s);
    if (s == e)
        return AU_CNF_FALSE;
    int before = au_ref_before(r, s, e);
    if (au_ref_sure(r, s))
        au_ref_certain(r, s, e);
    return au_ref_sure(r, s) ? before : au_cnf_and(&r->cnf, au_ref_stored(r, s), before);
}

/* How many bits, a sign included, hold every partial sum; 'width' if it may overflow. */
static unsigned sum_bits(const au_ref *r, uint32_t var, unsigned width, bool *sign) {
    unsigned up = 64 - width;
    int64_t low = (int64_t)(first_value(r, var) << up) >> up, high = low;
    for (size_t i = 0; i < r->stores[var].n; i++) {
        uint32_t at;
        if (!counts(r, var, r->stores[var].at[i]))
            continue;
        au_ref_written(r, r->stores[var].at[i], var, &at);
        int64_t by = (int64_t)(r->change[at].add << up) >> up, *end = by < 0 ? &low : &high;
        if (__builtin_add_overflow(*end, by, end))
            return width;
    }
    *sign = low < 0;
    unsigned n = 1;
    while (n < width && (low < -((int64_t)1 << (n - 1)) || high >= (int64_t)1 << (n - 1)))
        n++;
    return n;
}

static void make_sum(au_ref *r, uint32_t read, unsigned width, int *into) {
    au_ref_read d = r->read.at[read];
    bool sign = true;
    unsigned n = sum_bits(r, d.var, width, &sign);
    uint64_t first = first_value(r, d.var);
    for (unsigned i = 0; i < n; i++)
        into[i] = first >> i & 1 ? AU_CNF_TRUE : AU_CNF_FALSE;
    for (size_t i = 0; i < r->stores[d.var].n; i++) {
        uint32_t s = r->stores[d.var].at[i], at;
        if (!counts(r, d.var, s))
            continue;
        au_ref_written(r, s, d.var, &at);
        int has = happened(r, s, d.event), carry = AU_CNF_FALSE;
        for (unsigned k = 0; k < n; k++) {
            int b = r->change[at].add >> k & 1 ? has : AU_CNF_FALSE,
                x = au_cnf_xor(&r->cnf, into[k], b);
            int next =
                au_cnf_or(&r->cnf, au_cnf_and(&r->cnf, into[k], b), au_cnf_and(&r->cnf, x, carry));
            into[k] = au_cnf_xor(&r->cnf, x, carry);
            carry = next;
        }
    }
    if (!sign && n < width) /* never negative: the top one of them is 0 */
        into[n - 1] = AU_CNF_FALSE;
    for (unsigned k = n; k < width; k++)
        into[k] = into[n - 1];
}

static void make_flags(au_ref *r, uint32_t read, unsigned width, int *into) {
    au_ref_read d = r->read.at[read];
    uint64_t first = first_value(r, d.var);
    for (unsigned i = 0; i < width; i++)
        into[i] = first >> i & 1 ? AU_CNF_TRUE : AU_CNF_FALSE;
    for (size_t k = 0; k < r->stores[d.var].n; k++) {
        uint32_t s = r->stores[d.var].at[k], at;
        if (!counts(r, d.var, s))
            continue;
        au_ref_written(r, s, d.var, &at);
        int has = happened(r, s, d.event);
        for (unsigned i = 0; i < width; i++) {
            if (r->change[at].set >> i & 1)
                into[i] = au_cnf_or(&r->cnf, into[i], has);
            else if (r->change[at].clear >> i & 1)
                into[i] = au_cnf_and(&r->cnf, into[i], -has);
            else if (r->change[at].turn >> i & 1)
                into[i] = au_cnf_xor(&r->cnf, into[i], has);
        }
    }
}

void au_ref_fold(au_ref *r, uint32_t read, unsigned width, int *into) {
    if (r->fold[r->read.at[read].var] == AU_REF_SUM)
        make_sum(r, read, width, into);
    else
        make_flags(r, read, width, into);
}
