/* retrace/sym.h: memory, byte by byte, against arrays of bytes: one for the run and one for
 * each of some other values of the reads. The first half of the memory is shared and falls into
 * cells, the second half is a thread's own. */
#include "sym_world.h"

enum { SHARED = 24, OWN = 24, ALL = SHARED + OWN, BASE = 0x10000 };

typedef struct {
    world *w;
    uint8_t mem[ALTS][ALL];
    unsigned start[SHARED + 1]; /* byte: where its cell begins */
    unsigned size[SHARED + 1];  /* of a cell, at its first byte */
    both value[12];
    unsigned n;
} bench;

static void divide(bench *b) {
    for (unsigned at = 0; at < SHARED;) {
        static const unsigned sizes[] = {1, 2, 2, 3, 4, 4, 4, 8, 8, 12};
        unsigned n = sizes[au_rng_below(&b->w->rng, b->w->rng.state % 8 ? 9 : 10)];
        if (n > SHARED - at)
            n = SHARED - at;
        for (unsigned i = 0; i < n; i++)
            b->start[at + i] = at;
        b->size[at] = n;
        at += n;
    }
}

static uint32_t var_of(unsigned at) {
    return 2 + at; /* odd ones are open */
}

/* A random range of bytes that divides no cell, between these sizes. */
static bool range(bench *b, unsigned least, unsigned most, unsigned *at, unsigned *n) {
    for (unsigned tries = 0; tries < 40; tries++) {
        *at = au_rng_below(&b->w->rng, ALL);
        *n = least + au_rng_below(&b->w->rng, most - least + 1);
        unsigned end = *at + *n;
        if (end > ALL || (*at < SHARED && b->start[*at] != *at) ||
            (end < SHARED && b->start[end] != end))
            continue;
        return true;
    }
    return false;
}

/* The events of an access. The bytes are those in the memory of the run. */
static size_t parts(bench *b, uint8_t op, unsigned at, unsigned n, au_part *p) {
    size_t k = 0;
    for (unsigned i = at; i < at + n && i < SHARED; i += b->size[i]) {
        uint64_t bits = 0;
        memcpy(&bits, &b->mem[0][i], b->size[i] < 8 ? b->size[i] : 8);
        uint32_t e = new_event(b->w, op, var_of(i), bits);
        if (b->size[i] > 8)
            b->w->trace.events.has_value[e] = 0;
        p[k++] = (au_part){BASE + i, b->size[i], e, var_of(i)};
    }
    return k;
}

static void passed(bench *b) {
    if (b->w->n)
        b->w->at.after = b->w->n - 1;
    check_right(b->w);
}

/* What the other runs read: the event's own value if it is symbolic. */
static void alternatives(bench *b, const au_part *p, size_t n_parts, unsigned at, unsigned n,
                         uint8_t out[ALTS][32]) {
    world *w = b->w;
    for (int k = 0; k < ALTS; k++)
        memcpy(out[k], &b->mem[k][at], n);
    for (size_t i = 0; i < n_parts; i++) {
        unsigned off = (unsigned)(p[i].at - BASE) - at;
        uint8_t op = w->trace.events.op[p[i].event] == AU_OP_READ ? AU_OP_READ : AU_OP_RMW;
        bool symbolic = au_bitset_has(&w->sy.symbolic, p[i].event);
        if (p[i].n <= 8 && p[i].var % 2 && (p[i].n == n || op != AU_OP_RMW))
            assert_true(symbolic);
        for (int k = 0; k < ALTS; k++) {
            if (symbolic) {
                memcpy(out[k] + off, &w->alt[k][p[i].event], p[i].n);
            } else {
                /* a closed cell that holds the same in every run, or one that keeps its value */
                if (p[i].n <= 8 && !(p[i].var % 2) && op == AU_OP_READ && facts_hold(w, k))
                    assert_memory_equal(out[k] + off, out[0] + off, p[i].n);
                memcpy(out[k] + off, out[0] + off, p[i].n);
            }
        }
    }
}

static void keep(bench *b, const both *x) {
    check_both(b->w, x);
    b->value[b->n < 12 ? b->n++ : au_rng_below(&b->w->rng, 12)] = *x;
}

static both value_of(bench *b, unsigned width) {
    world *w = b->w;
    both a = b->value[au_rng_below(&w->rng, b->n)], r = {.width = width};
    if (!au_rng_below(&w->rng, 4))
        return constant(width, some_bits(w));
    if (a.width == width)
        return a;
    for (int k = 0; k < ALTS; k++)
        r.alt[k] = cut(width, a.alt[k]);
    r.v.v = r.alt[0];
    r.v.m = au_sym_cast(w->s, a.width < width ? AU_C_ZEXT : AU_C_TRUNC, a.width, width, a.v, r.v.v);
    return r;
}

/* The events' terms are the bytes that now lie there, in every run. */
static void check_writes(bench *b, const au_part *p, size_t n_parts) {
    world *w = b->w;
    for (size_t i = 0; i < n_parts; i++) {
        if (p[i].n > 8)
            continue;
        au_term x = w->sy.write[p[i].event];
        for (int k = 0; k < ALTS; k++) {
            uint64_t want = 0, is = (uint64_t)w->trace.events.value[p[i].event];
            memcpy(&want, &b->mem[k][p[i].at - BASE], p[i].n);
            if (!facts_hold(w, k))
                continue;
            if (x.n != UINT32_MAX) {
                assert_int_equal(au_term_width(w->sy.terms, x), 8 * p[i].n);
                is = au_term_eval(w->sy.terms, x, w->alt[k]);
            }
            assert_int_equal(is, want);
        }
    }
}

static void do_read(bench *b) {
    world *w = b->w;
    au_part p[8];
    uint8_t got[ALTS][32];
    unsigned at, n;
    if (!range(b, 1, 8, &at, &n))
        return;
    unsigned width = au_rng_below(&w->rng, 4) ? 8 * n : 8 * n - au_rng_below(&w->rng, 8);
    uint64_t bits = 0;
    memcpy(&bits, &b->mem[0][at], n);
    size_t k = parts(b, AU_OP_READ, at, n, p);
    both r = {{cut(width, bits), AU_KNOWN}, width, {0}};
    if (k)
        r.v.m = au_sym_read(w->s, au_sym_known(BASE + at), n, width, bits, p, k);
    else
        r.v.m = au_sym_load(w->s, BASE + at, n, width, bits);
    passed(b);
    alternatives(b, p, k, at, n, got);
    for (int i = 0; i < ALTS; i++) {
        memcpy(&r.alt[i], got[i], n);
        r.alt[i] = cut(width, r.alt[i]);
    }
    keep(b, &r);
}

static void do_write(bench *b) {
    world *w = b->w;
    au_part p[8];
    unsigned at, n;
    if (!range(b, 1, 8, &at, &n))
        return;
    unsigned width = au_rng_below(&w->rng, 4) ? 8 * n : 8 * n - au_rng_below(&w->rng, 8);
    both v = value_of(b, width);
    for (int k = 0; k < ALTS; k++)
        memcpy(&b->mem[k][at], &v.alt[k], n);
    size_t k = parts(b, AU_OP_WRITE, at, n, p);
    if (k)
        au_sym_write(w->s, au_sym_known(BASE + at), n, width, v.v, p, k);
    else
        au_sym_store(w->s, BASE + at, n, width, v.v);
    passed(b);
    check_writes(b, p, k);
}

static void do_copy(bench *b) {
    world *w = b->w;
    au_part p[SHARED], q[SHARED];
    uint8_t got[ALTS][32];
    unsigned from, to, n, m;
    if (!range(b, 1, 24, &from, &n))
        return;
    for (unsigned tries = 0;; tries++) {
        if (tries == 40 || !range(b, n, n, &to, &m))
            return;
        if (m == n)
            break;
    }
    size_t k = parts(b, AU_OP_READ, from, n, p), j;
    if (k)
        au_sym_read_range(w->s, au_sym_known(BASE + from), n, p, k);
    passed(b);
    alternatives(b, p, k, from, n, got);
    for (int i = 0; i < ALTS; i++)
        memcpy(&b->mem[i][to], got[i], n);
    j = parts(b, AU_OP_WRITE, to, n, q);
    if (j || au_rng_below(&w->rng, 2))
        au_sym_write_copy(w->s, au_sym_known(BASE + to), BASE + from, n, q, j);
    else
        au_sym_copy(w->s, BASE + to, BASE + from, n);
    passed(b);
    check_writes(b, q, j);
}

static void do_fill(bench *b) {
    world *w = b->w;
    au_part p[SHARED];
    unsigned at, n;
    if (!range(b, 1, 24, &at, &n))
        return;
    both v = value_of(b, 8);
    bool outside = !au_rng_below(&w->rng, 4);
    for (int k = 0; k < ALTS; k++)
        for (unsigned i = 0; i < n; i++)
            b->mem[k][at + i] = outside ? (uint8_t)(i + at) : (uint8_t)v.alt[k];
    size_t k = parts(b, AU_OP_WRITE, at, n, p);
    if (!outside)
        au_sym_set_range(w->s, au_sym_known(BASE + at), v.v, n, p, k);
    else if (k)
        au_sym_write_range(w->s, au_sym_known(BASE + at), n, p, k);
    else
        au_sym_forget(w->s, BASE + at, n);
    passed(b);
    check_writes(b, p, k);
}

static void do_wide(bench *b) {
    world *w = b->w;
    au_part p[SHARED];
    uint8_t got[ALTS][32];
    unsigned at, n;
    au_val slot[3];
    if (!range(b, 9, 24, &at, &n))
        return;
    memset(slot, 0, sizeof slot);
    memcpy(&slot[0].v, &b->mem[0][at], 8);
    memcpy(&slot[1].v, &b->mem[0][at + 8], n < 16 ? n - 8 : 8);
    if (n > 16)
        memcpy(&slot[2].v, &b->mem[0][at + 16], n - 16);
    size_t k = parts(b, AU_OP_READ, at, n, p);
    au_sym_read_wide(w->s, au_sym_known(BASE + at), n, slot, p, k);
    passed(b);
    alternatives(b, p, k, at, n, got);
    for (unsigned i = 0; 8 * i < n; i++) {
        unsigned len = n - 8 * i < 8 ? n - 8 * i : 8;
        both r = {slot[i], 8 * len, {0}};
        for (int j = 0; j < ALTS; j++)
            memcpy(&r.alt[j], got[j] + 8 * i, len);
        check_both(w, &r);
    }
    /* … and somewhere else again */
    unsigned to, m;
    if (!range(b, n, n, &to, &m))
        return;
    for (int j = 0; j < ALTS; j++)
        memcpy(&b->mem[j][to], got[j], n);
    k = parts(b, AU_OP_WRITE, to, n, p);
    au_sym_write_wide(w->s, au_sym_known(BASE + to), n, slot, p, k);
    passed(b);
    check_writes(b, p, k);
}

static uint64_t rmw_number(unsigned rmw, unsigned w, uint64_t old, uint64_t v) {
    switch (rmw) {
    case AU_RMW_XCHG:
        return v;
    case AU_RMW_ADD:
        return cut(w, old + v);
    case AU_RMW_SUB:
        return cut(w, old - v);
    case AU_RMW_AND:
        return old & v;
    case AU_RMW_NAND:
        return cut(w, ~(old & v));
    case AU_RMW_OR:
        return old | v;
    case AU_RMW_XOR:
        return old ^ v;
    case AU_RMW_MAX:
        return sgn(w, old) > sgn(w, v) ? old : v;
    case AU_RMW_MIN:
        return sgn(w, old) < sgn(w, v) ? old : v;
    case AU_RMW_UMAX:
        return old > v ? old : v;
    default:
        return old < v ? old : v;
    }
}

static void do_rmw(bench *b) {
    world *w = b->w;
    au_part p[8];
    uint8_t got[ALTS][32];
    unsigned at, n = 1u << au_rng_below(&w->rng, 4), m;
    if (!range(b, n, n, &at, &m))
        return;
    bool exchange = au_rng_below(&w->rng, 2), one = at >= SHARED || b->size[at] == n;
    unsigned op = au_rng_below(&w->rng, AU_RMW_UMIN + 1), width = 8 * n;
    both v = value_of(b, width), expected = value_of(b, width);
    both old = {.width = width}, ok = {.width = 1};
    uint64_t bits = 0, next;
    uint8_t before[ALTS][32];
    for (int k = 0; k < ALTS; k++)
        memcpy(before[k], &b->mem[k][at], n);
    memcpy(&bits, before[0], n);
    if (au_rng_below(&w->rng, 2))
        expected = constant(width, bits);
    bool success = expected.v.v == bits;
    next = !exchange ? rmw_number(op, width, bits, v.v.v) : success ? v.v.v : bits;
    memcpy(&b->mem[0][at], &next, n);
    size_t k = parts(b, exchange && !success ? AU_OP_AREAD : AU_OP_RMW, at, n, p);
    for (size_t i = 0; i < k; i++) /* the run sees what was there before */
        memcpy(&w->alt[0][p[i].event], before[0] + (p[i].at - BASE - at), p[i].n < 8 ? p[i].n : 8);
    old.v.v = bits;
    ok.v.v = success;
    if (exchange)
        au_sym_cmpxchg(w->s, au_sym_known(BASE + at), n, expected.v, v.v, bits, p, k, &old.v.m,
                       &ok.v.m);
    else
        au_sym_rmw(w->s, au_sym_known(BASE + at), n, op, v.v, bits, p, k, &old.v.m);
    passed(b);
    for (int i = 0; i < ALTS; i++)
        memcpy(&b->mem[i][at], before[i], n);
    alternatives(b, p, k, at, n, got);
    for (int i = 0; i < ALTS; i++) {
        memcpy(&old.alt[i], got[i], n);
        ok.alt[i] = old.alt[i] == expected.alt[i];
        uint64_t now = !exchange   ? rmw_number(op, width, old.alt[i], v.alt[i])
                       : ok.alt[i] ? v.alt[i]
                                   : old.alt[i];
        memcpy(&b->mem[i][at], one ? &now : &next, n);
    }
    keep(b, &old);
    if (exchange && one)
        keep(b, &ok);
    check_writes(b, p, k);
}

static void test_memory(void **state) {
    (void)state;
    uint64_t symbolic = 0, written = 0, alive = 0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        bench *b = calloc(1, sizeof *b);
        b->w = world_new(seed, 0, 0);
        divide(b);
        for (unsigned i = 0; i < ALL; i++) {
            uint8_t byte = (uint8_t)au_rng_next(&b->w->rng);
            for (int k = 0; k < ALTS; k++)
                b->mem[k][i] = byte;
        }
        for (unsigned i = 0; i < 3; i++)
            b->value[b->n++] = new_read(b->w, 1u << au_rng_below(&b->w->rng, 4));
        for (unsigned i = 0; i < 80; i++) {
            static void (*const what[])(bench *) = {do_read, do_read, do_write, do_write,
                                                    do_copy, do_fill, do_wide,  do_rmw};
            what[au_rng_below(&b->w->rng, 8)](b);
        }
        symbolic += au_bitset_count(&b->w->sy.symbolic);
        for (uint32_t i = 0; i < b->w->n; i++)
            written += b->w->sy.write[i].n != UINT32_MAX;
        for (int k = 1; k < ALTS; k++)
            alive += facts_hold(b->w, k);
        world_free(b->w);
        free(b);
    }
    /* enough of it means something */
    if (symbolic < 500 * 10 || written < 500 * 4 || alive < 500)
        fail_msg("%llu %llu %llu", (unsigned long long)symbolic, (unsigned long long)written,
                 (unsigned long long)alive);
}

/* A store and the same load: the very same term, and no other is made. */
static void test_same_term(void **state) {
    (void)state;
    world *w = world_new(1, 0, 0);
    for (unsigned n = 1; n <= 8; n *= 2)
        for (unsigned off = 0; off < 9; off++) {
            both v = new_read(w, n);
            au_sym_store(w->s, 0x7000 + off, n, 8 * n, v.v);
            size_t terms = au_terms_count(w->sy.terms);
            assert_int_equal(au_sym_load(w->s, 0x7000 + off, n, 8 * n, v.v.v), v.v.m);
            assert_int_equal(au_terms_count(w->sy.terms), terms);
            /* … also through a copy, and put together from its halves */
            au_sym_copy(w->s, 0x7103, 0x7000 + off, n);
            assert_int_equal(au_sym_load(w->s, 0x7103, n, 8 * n, v.v.v), v.v.m);
            if (n == 1)
                continue;
            au_val low = {cut(4 * n, v.v.v), 0}, high = {v.v.v >> 4 * n, 0};
            low.m = au_sym_load(w->s, 0x7103, n / 2, 4 * n, low.v);
            high.m = au_sym_load(w->s, 0x7103 + n / 2, n / 2, 4 * n, high.v);
            au_sym_store(w->s, 0x7200, n / 2, 4 * n, low);
            au_sym_store(w->s, 0x7200 + n / 2, n / 2, 4 * n, high);
            assert_int_equal(au_sym_load(w->s, 0x7200, n, 8 * n, v.v.v), v.v.m);
        }
    check_right(w);
    world_free(w);
}

static void test_unknown(void **state) {
    (void)state;
    world *w = world_new(1, 0, 0);
    au_sym_unknown(w->s, 0x5003, 4);
    assert_int_equal(au_sym_load(w->s, 0x5000, 4, 32, 0), AU_UNKNOWN);
    assert_int_equal(au_sym_load(w->s, 0x5000, 2, 16, 9), AU_KNOWN);
    au_sym_store(w->s, 0x5000, 8, 64, au_sym_known(1));
    assert_int_equal(au_sym_load(w->s, 0x5000, 4, 32, 1), AU_KNOWN);
    /* a term beside something unknown keeps its value */
    both v = new_read(w, 4);
    au_sym_unknown(w->s, 0x6000, 8);
    au_sym_store(w->s, 0x6000, 4, 32, v.v);
    assert_int_equal(w->sy.fact.n, 0);
    assert_int_equal(au_sym_load(w->s, 0x6000, 8, 64, 0), AU_UNKNOWN);
    assert_int_equal(w->sy.fact.n, 1);
    assert_int_equal(w->sy.fact.at[0].kind, AU_FACT_PIN);
    check_right(w);
    world_free(w);
}

/* Memory that comes to another thread without an event: pinned in the thread that owns the term. */
static void test_foreign(void **state) {
    (void)state;
    world *w = world_new(1, 0, 0);
    both v = new_read(w, 4);
    au_sym_store(w->s, 0x6000, 4, 32, v.v);
    w->at.thread = 1;
    w->at.after = AU_NONE;
    both u = new_read(w, 4);
    assert_true(u.v.m > AU_UNKNOWN);
    assert_int_equal(au_sym_load(w->s, 0x6000, 4, 32, v.v.v), AU_KNOWN);
    assert_int_equal(w->sy.fact.n, 1);
    assert_int_equal(w->sy.fact.at[0].thread, 0);
    assert_int_equal(w->sy.fact.at[0].after, 0);
    check_right(w);
    world_free(w);
}

/* What a library function read and nothing came of is pinned; what only went out is not. */
static void test_read_only(void **state) {
    (void)state;
    world *w = world_new(1, 0, 0);
    au_part p = {0x1000, 4, new_event(w, AU_OP_READ, 1, 17), 1};
    au_sym_read_range(w->s, au_sym_known(0x1000), 4, &p, 1);
    w->at.after = p.event;
    assert_true(au_bitset_has(&w->sy.symbolic, p.event));
    assert_int_equal(w->sy.fact.n, 0);
    (void)new_read(w, 4);
    assert_int_equal(w->sy.fact.n, 1);
    assert_int_equal(w->sy.fact.at[0].after, p.event);
    assert_int_equal(w->sy.pinned.n, 1);
    p.event = new_event(w, AU_OP_READ, 1, 18);
    au_sym_read_range(w->s, au_sym_known(0x1000), 4, &p, 1);
    w->at.after = p.event;
    au_sym_ignore_range(w->s);
    (void)new_read(w, 4);
    assert_int_equal(w->sy.fact.n, 1);
    check_right(w);
    world_free(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),    cmocka_unit_test(test_same_term),
        cmocka_unit_test(test_unknown),   cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_read_only),
    };
    return cmocka_run_group_tests_name("sym_memory", tests, NULL, NULL);
}
