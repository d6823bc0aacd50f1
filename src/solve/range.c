/* solve/range.c: intervals of terms, and rounds over reads. */
#include "solve/range.h"

enum { MAX_ROUNDS = 4096 };

__extension__ typedef __int128 wide; /* sums and products of 64-bit values */

static au_span full(unsigned w) {
    if (w == 1)
        return (au_span){0, 1};
    int64_t high = (int64_t)(UINT64_MAX >> (65 - w));
    return (au_span){-high - 1, high};
}

/* What does not fit the width can be anything. */
static au_span fit(wide low, wide high, unsigned w) {
    au_span f = full(w);
    return low < f.low || high > f.high ? f : (au_span){(int64_t)low, (int64_t)high};
}

static au_span join(au_span a, au_span b) {
    return (au_span){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static int64_t ones_over(int64_t v) { /* the smallest 2^k - 1 that is not less */
    uint64_t m = (uint64_t)v;
    for (unsigned s = 1; s < 64; s *= 2)
        m |= m >> s;
    return (int64_t)m;
}

enum { FEW = 8 }; /* writers that are looked at one by one */

typedef struct {
    const au_cssa *c;
    au_ranges *g;
    au_span *stored;      /* by variable: whatever is stored in it, in this round */
    AU_VEC(au_span) term; /* by term, in this round */
    AU_VEC(uint32_t) round;
    uint32_t now;
} ranger;

static au_span of_value(uint64_t v, unsigned w) {
    if (w == 1)
        return (au_span){(int64_t)v, (int64_t)v};
    int64_t x = (int64_t)(v << (64 - w)) >> (64 - w);
    return (au_span){x, x};
}

static au_span of_name(const ranger *r, uint32_t name, unsigned w) {
    const au_name *n = &r->c->name.at[name];
    return n->kind == AU_NAME_READ && n->a < r->g->read.n ? r->g->read.at[n->a] : full(w);
}

static au_span multiply(au_span a, au_span b, unsigned w) {
    wide p[4] = {(wide)a.low * b.low, (wide)a.low * b.high, (wide)a.high * b.low,
                 (wide)a.high * b.high};
    wide low = p[0], high = p[0];
    for (int i = 1; i < 4; i++) {
        low = p[i] < low ? p[i] : low;
        high = p[i] > high ? p[i] : high;
    }
    return fit(low, high, w);
}

/* Requires: the kids are known. */
static au_span of_node(const ranger *r, au_term x) {
    const au_terms *t = r->c->terms;
    unsigned w = au_term_width(t, x), kids = au_term_kids(t, x);
    au_span a = {0, 0}, b = {0, 0}, c = {0, 0};
    if (kids > 0)
        a = r->term.at[au_term_kid(t, x, 0).n];
    if (kids > 1)
        b = r->term.at[au_term_kid(t, x, 1).n];
    if (kids > 2)
        c = r->term.at[au_term_kid(t, x, 2).n];
    bool natural = a.low >= 0 && b.low >= 0;
    if (w == 1 && au_term_kind(t, x) != AU_T_CONST && au_term_kind(t, x) != AU_T_VAR)
        return full(1);
    switch (au_term_kind(t, x)) {
    case AU_T_CONST:
        return of_value(au_term_value(t, x), w);
    case AU_T_VAR:
        return of_name(r, au_term_var(t, x), w);
    case AU_T_NOT:
        return fit(-(wide)a.high - 1, -(wide)a.low - 1, w);
    case AU_T_NEG:
        return fit(-(wide)a.high, -(wide)a.low, w);
    case AU_T_ADD:
        return fit((wide)a.low + b.low, (wide)a.high + b.high, w);
    case AU_T_SUB:
        return fit((wide)a.low - b.high, (wide)a.high - b.low, w);
    case AU_T_MUL:
        return multiply(a, b, w);
    case AU_T_SDIV: {
        wide most = -(wide)a.low > a.high ? -(wide)a.low : a.high;
        return natural ? (au_span){0, a.high} : fit(-most, most, w);
    }
    case AU_T_SREM:
        return (au_span){a.low < 0 ? a.low : 0, a.high > 0 ? a.high : 0};
    case AU_T_UDIV:
    case AU_T_UREM:
        return natural ? (au_span){0, a.high} : full(w);
    case AU_T_AND:
        return natural ? (au_span){0, a.high < b.high ? a.high : b.high} : full(w);
    case AU_T_OR:
    case AU_T_XOR:
        return natural ? (au_span){0, ones_over(a.high > b.high ? a.high : b.high)} : full(w);
    case AU_T_LSHR:
        return a.low >= 0 ? (au_span){0, a.high} : full(w);
    case AU_T_ASHR:
        return (au_span){a.low < 0 ? a.low : 0, a.high > 0 ? a.high : 0};
    case AU_T_ITE:
        return join(b, c);
    case AU_T_ZEXT: {
        unsigned from = au_term_width(t, au_term_kid(t, x, 0));
        if (a.low >= 0)
            return a;
        return fit(0, ((wide)1 << from) - 1, w);
    }
    case AU_T_SEXT:
        return au_term_width(t, au_term_kid(t, x, 0)) == 1 ? (au_span){-a.high, -a.low} : a;
    case AU_T_EXTRACT: {
        au_span f = full(w);
        bool same = !au_term_low(t, x) && a.low >= f.low && a.high <= f.high;
        return same ? a : f;
    }
    default:
        return full(w);
    }
}

static au_span span_of(ranger *r, au_term x) {
    const au_terms *t = r->c->terms;
    AU_VEC(au_term) stack = {0};
    if (r->round.at[x.n] != r->now)
        au_vec_push(&stack, x);
    while (stack.n) {
        au_term at = au_vec_last(&stack);
        bool ready = true;
        for (unsigned i = 0; i < au_term_kids(t, at); i++) {
            au_term kid = au_term_kid(t, at, i);
            if (r->round.at[kid.n] != r->now) {
                au_vec_push(&stack, kid);
                ready = false;
            }
        }
        if (!ready)
            continue;
        stack.n--;
        r->term.at[at.n] = of_node(r, at);
        r->round.at[at.n] = r->now;
    }
    au_vec_release(&stack);
    return r->term.at[x.n];
}

static void ranger_init(ranger *r, const au_cssa *c, au_ranges *g) {
    *r = (ranger){.c = c, .g = g};
    r->stored = au_alloc_array(c->m->var.n + 1, sizeof *r->stored);
    size_t n = au_terms_count(c->terms);
    au_vec_reserve(&r->term, n + 1);
    au_vec_reserve(&r->round, n + 1);
    r->term.n = r->round.n = n;
    memset(r->round.at, 0, (n + 1) * sizeof *r->round.at);
}

static void ranger_release(ranger *r) {
    au_vec_release(&r->term);
    au_vec_release(&r->round);
    free(r->stored);
}

static unsigned width_of(const au_cssa *c, const au_cssa_read *r) {
    return c->m->var.at[r->var].width;
}

static au_span of_initial(const au_cssa *c, const au_cssa_read *r) {
    return of_value(c->m->var.at[r->var].init, width_of(c, r));
}

static au_span written_by(ranger *k, uint32_t write) {
    const au_cssa_write *w = &k->c->write.at[write];
    return w->value.n == UINT32_MAX ? full(k->c->m->var.at[w->var].width) : span_of(k, w->value);
}

/* All stores of a variable together, for reads with many writers. */
static void find_stored(ranger *k) {
    const au_cssa *c = k->c;
    for (uint32_t v = 0; v < c->m->var.n; v++)
        k->stored[v] = of_value(c->m->var.at[v].init, c->m->var.at[v].width);
    for (uint32_t i = 0; i < c->write.n; i++) {
        au_span *s = &k->stored[c->write.at[i].var];
        *s = join(*s, written_by(k, i));
    }
}

/* What the read can see when its writers are as they are now. */
static au_span seen_by(ranger *k, const au_cssa_read *r) {
    const au_cssa *c = k->c;
    if (r->writer.n > FEW)
        return k->stored[r->var];
    bool any = false;
    au_span s = {0, 0};
    for (size_t i = 0; i < r->writer.n; i++) {
        au_span w = of_initial(c, r);
        if (r->writer.at[i] != AU_INITIAL) {
            const au_cssa_event *e = &c->event.at[r->writer.at[i]];
            for (uint32_t j = e->first_write; j < e->first_write + e->n_writes; j++)
                if (c->write.at[j].var == r->var)
                    w = written_by(k, j);
        }
        s = any ? join(s, w) : w;
        any = true;
    }
    return s;
}

void au_ranges_make(au_ranges *g, const au_cssa *c) {
    *g = (au_ranges){0};
    ranger k;
    ranger_init(&k, c, g);
    size_t stores = 0; /* a constant starts a chain and is never in the middle of one */
    for (size_t i = 0; i < c->write.n; i++)
        stores += c->write.at[i].value.n != UINT32_MAX &&
                  !au_term_is_const(c->terms, c->write.at[i].value);
    for (size_t i = 0; i < c->read.n; i++)
        au_vec_push(&g->read, of_initial(c, &c->read.at[i]));
    /* In round 0 every read sees initial values only, whether it can or not: that is
     * more than nothing has been written. */
    bool grew = true;
    for (uint32_t round = 0; grew && round < stores + 2; round++) {
        k.now++;
        grew = false;
        find_stored(&k);
        for (size_t i = 0; i < c->read.n; i++) {
            const au_cssa_read *r = &c->read.at[i];
            if (r->name == AU_NONE)
                continue;
            au_span s = join(g->read.at[i], seen_by(&k, r));
            if (round >= MAX_ROUNDS)
                s = full(width_of(c, r)); /* still growing: give up on this one */
            if (s.low != g->read.at[i].low || s.high != g->read.at[i].high) {
                g->read.at[i] = s;
                grew = true;
            }
        }
        if (round > MAX_ROUNDS + 64 && grew) {
            for (size_t i = 0; i < c->read.n; i++)
                g->read.at[i] = full(width_of(c, &c->read.at[i]));
            break;
        }
    }
    ranger_release(&k);
}

void au_ranges_more(au_ranges *g, const au_cssa *c) {
    if (g->read.n == c->read.n)
        return;
    ranger k;
    ranger_init(&k, c, g);
    k.now = 1;
    find_stored(&k);
    for (size_t i = g->read.n; i < c->read.n; i++) {
        au_span s = c->read.at[i].name == AU_NONE ? full(width_of(c, &c->read.at[i]))
                                                  : seen_by(&k, &c->read.at[i]);
        au_vec_push(&g->read, s);
    }
    ranger_release(&k);
}

void au_ranges_release(au_ranges *g) {
    au_vec_release(&g->read);
}
