/* solve/blast.c: the bit-blaster. Circuits are the plain ones (ripple carry, shift and
 * add, restoring division); constants fold in the gates. */
#include "solve/blast.h"

#include "base/error.h"

enum { W = 64 };

void au_blast_init(au_blast *b, const au_terms *t, au_sat *s,
                   void (*variable)(void *, uint32_t, unsigned, int *), void *ctx) {
    *b = (au_blast){.terms = t, .sat = s, .variable = variable, .ctx = ctx};
}

void au_blast_release(au_blast *b) {
    au_vec_release(&b->first);
    au_vec_release(&b->pool);
}

/* --- circuits ------------------------------------------------------------------ */

static int majority(au_sat *s, int a, int b, int c) {
    if (a == b)
        return a;
    if (a == -b)
        return c;
    if (a == c || b == c)
        return c;
    if (a == -c)
        return b;
    if (b == -c)
        return a;
    if (c == AU_LIT_FALSE)
        return au_sat_and(s, a, b);
    if (c == AU_LIT_TRUE)
        return au_sat_or(s, a, b);
    return au_sat_or(s, au_sat_and(s, a, b), au_sat_and(s, c, au_sat_or(s, a, b)));
}

/* y = a + b + carry; returns the carry out. */
static int add(au_sat *s, const int *a, const int *b, int carry, unsigned n, int *y) {
    for (unsigned i = 0; i < n; i++) {
        int x = au_sat_xor(s, a[i], b[i]);
        int c = majority(s, a[i], b[i], carry);
        y[i] = au_sat_xor(s, x, carry);
        carry = c;
    }
    return carry;
}

static void negated(const int *a, unsigned n, int *y) {
    for (unsigned i = 0; i < n; i++)
        y[i] = -a[i];
}

static int subtract(au_sat *s, const int *a, const int *b, unsigned n, int *y) {
    int nb[W];
    negated(b, n, nb);
    return add(s, a, nb, AU_LIT_TRUE, n, y); /* 1: no borrow, a >= b */
}

static void negate(au_sat *s, const int *a, unsigned n, int *y) {
    int zero[W], na[W];
    for (unsigned i = 0; i < n; i++)
        zero[i] = AU_LIT_FALSE;
    negated(a, n, na);
    add(s, zero, na, AU_LIT_TRUE, n, y);
}

static void choose(au_sat *s, int c, const int *a, const int *b, unsigned n, int *y) {
    for (unsigned i = 0; i < n; i++)
        y[i] = au_sat_ite(s, c, a[i], b[i]);
}

static void multiply(au_sat *s, const int *a, const int *b, unsigned n, int *y) {
    int sum[W], row[W];
    for (unsigned i = 0; i < n; i++)
        sum[i] = AU_LIT_FALSE;
    for (unsigned i = 0; i < n; i++) {
        if (b[i] == AU_LIT_FALSE)
            continue;
        for (unsigned j = 0; j < n - i; j++)
            row[j] = au_sat_and(s, a[j], b[i]);
        add(s, sum + i, row, AU_LIT_FALSE, n - i, sum + i);
    }
    memcpy(y, sum, n * sizeof *y);
}

static int less(au_sat *s, const int *a, const int *b, unsigned n, bool or_equal) {
    /* a < b: going up, the highest bit that differs decides. */
    int l = or_equal ? AU_LIT_TRUE : AU_LIT_FALSE;
    for (unsigned i = 0; i < n; i++)
        l = au_sat_ite(s, au_sat_xor(s, a[i], b[i]), b[i], l);
    return l;
}

static int equal(au_sat *s, const int *a, const int *b, unsigned n) {
    int same[W];
    for (unsigned i = 0; i < n; i++)
        same[i] = -au_sat_xor(s, a[i], b[i]);
    return au_sat_many(s, same, n, true);
}

/* --- as few bits as the operands have ------------------------------------------------ */

/* The bits below those that are zero for certain; at least one. */
static unsigned bits_of(const int *a, unsigned n) {
    while (n > 1 && a[n - 1] == AU_LIT_FALSE)
        n--;
    return n;
}

/* The same where the rest are copies of the sign, which is counted. */
static unsigned signed_bits_of(const int *a, unsigned n) {
    while (n > 1 && a[n - 1] == a[n - 2])
        n--;
    return n;
}

static bool is_positive(const int *a, unsigned n) {
    return a[n - 1] == AU_LIT_FALSE;
}

static unsigned larger(unsigned a, unsigned b) {
    return a > b ? a : b;
}

static void fill(int *y, unsigned from, unsigned n, int with) {
    for (unsigned i = from; i < n; i++)
        y[i] = with;
}

/* A sum of m bits with their sign has m + 1. */
static void add_few(au_sat *s, const int *a, const int *b, unsigned n, int *y) {
    bool positive = is_positive(a, n) && is_positive(b, n);
    unsigned m = positive ? larger(bits_of(a, n), bits_of(b, n)) + 1
                          : larger(signed_bits_of(a, n), signed_bits_of(b, n)) + 1;
    m = m < n ? m : n;
    add(s, a, b, AU_LIT_FALSE, m, y);
    fill(y, m, n, positive ? AU_LIT_FALSE : y[m - 1]);
}

static void subtract_few(au_sat *s, const int *a, const int *b, unsigned n, int *y) {
    unsigned m = larger(signed_bits_of(a, n), signed_bits_of(b, n)) + 1;
    m = m < n ? m : n;
    subtract(s, a, b, m, y);
    fill(y, m, n, y[m - 1]);
}

/* A product has as many bits as both have together. */
static void multiply_few(au_sat *s, const int *a, const int *b, unsigned n, int *y) {
    bool positive = is_positive(a, n) && is_positive(b, n);
    unsigned m =
        positive ? bits_of(a, n) + bits_of(b, n) : signed_bits_of(a, n) + signed_bits_of(b, n);
    m = m < n ? m : n;
    multiply(s, a, b, m, y);
    fill(y, m, n, positive ? AU_LIT_FALSE : y[m - 1]);
}

/* Unsigned: q = a / b, r = a % b; b = 0 gives q = 0, r = a as terms say. What is left on the way is less than b, so
 * that one bit more than b has is enough; where b is 0 it is not looked at. */
static void divide(au_sat *s, const int *a, const int *b, unsigned n, int *q, int *r) {
    int rest[W + 1], wide[W + 1], diff[W + 1], nb[W + 1];
    unsigned m = bits_of(b, n);
    fill(rest, 0, n + 1, AU_LIT_FALSE);
    memcpy(wide, b, m * sizeof *wide);
    wide[m] = AU_LIT_FALSE;
    negated(wide, m + 1, nb);
    int zero = -au_sat_many(s, b, n, false);
    fill(q, bits_of(a, n), n, AU_LIT_FALSE);
    for (unsigned i = bits_of(a, n); i-- > 0;) {
        memmove(rest + 1, rest, m * sizeof *rest);
        rest[0] = a[i];
        int fits = add(s, rest, nb, AU_LIT_TRUE, m + 1, diff);
        q[i] = au_sat_and(s, fits, -zero);
        choose(s, fits, diff, rest, m + 1, rest);
        rest[m] = AU_LIT_FALSE; /* less than b; or b is 0 */
    }
    choose(s, zero, a, rest, n, r);
}

static void divide_signed(au_sat *s, const int *a, const int *b, unsigned n, int *q, int *r) {
    int na[W], nb[W], ua[W] = {0}, ub[W] = {0}, uq[W], ur[W], nq[W], nr[W];
    if (is_positive(a, n) && is_positive(b, n)) {
        divide(s, a, b, n, q, r);
        return;
    }
    /* One bit more: the least number divided by -1 fits then, too, unless it is that of all bits. */
    unsigned m = larger(signed_bits_of(a, n), signed_bits_of(b, n)) + 1;
    m = m < n ? m : n;
    negate(s, a, m, na);
    negate(s, b, m, nb);
    choose(s, a[n - 1], na, a, m, ua);
    choose(s, b[n - 1], nb, b, m, ub);
    divide(s, ua, ub, m, uq, ur);
    negate(s, uq, m, nq);
    negate(s, ur, m, nr);
    choose(s, au_sat_xor(s, a[n - 1], b[n - 1]), nq, uq, m, q);
    choose(s, a[n - 1], nr, ur, m, r);
    fill(q, m, n, q[m - 1]);
    fill(r, m, n, r[m - 1]);
}

static void shift(au_sat *s, au_term_op op, const int *a, const int *b, unsigned n, int *y) {
    int fill = op == AU_T_ASHR ? a[n - 1] : AU_LIT_FALSE, cur[W], nxt[W];
    memcpy(cur, a, n * sizeof *cur);
    int too_far = AU_LIT_FALSE;
    for (unsigned k = 0; k < n; k++) {
        if (k >= 6 || (1u << k) >= n) {
            too_far = au_sat_or(s, too_far, b[k]);
            continue;
        }
        unsigned by = 1u << k;
        for (unsigned i = 0; i < n; i++) {
            int from = op == AU_T_SHL ? (i >= by ? cur[i - by] : AU_LIT_FALSE)
                                      : (i + by < n ? cur[i + by] : fill);
            nxt[i] = au_sat_ite(s, b[k], from, cur[i]);
        }
        memcpy(cur, nxt, n * sizeof *cur);
    }
    for (unsigned i = 0; i < n; i++)
        y[i] = au_sat_ite(s, too_far, fill, cur[i]);
}

/* --- terms ----------------------------------------------------------------------- */

/* Requires: the kids are done. */
static void blast_node(au_blast *b, au_term x, int *y) {
    const au_terms *t = b->terms;
    au_sat *s = b->sat;
    unsigned n = au_term_width(t, x), kids = au_term_kids(t, x), w = n;
    int k[3][W], other[W];
    for (unsigned i = 0; i < kids; i++)
        au_blast_term(b, au_term_kid(t, x, i), k[i]);
    if (kids)
        w = au_term_width(t, au_term_kid(t, x, 0));
    switch (au_term_kind(t, x)) {
    case AU_T_CONST:
        for (unsigned i = 0; i < n; i++)
            y[i] = au_term_value(t, x) >> i & 1 ? AU_LIT_TRUE : AU_LIT_FALSE;
        break;
    case AU_T_VAR:
        b->variable(b->ctx, au_term_var(t, x), n, y);
        break;
    case AU_T_NOT:
        negated(k[0], n, y);
        break;
    case AU_T_NEG:
        negate(s, k[0], n, y);
        break;
    case AU_T_ADD:
        add_few(s, k[0], k[1], n, y);
        break;
    case AU_T_SUB:
        subtract_few(s, k[0], k[1], n, y);
        break;
    case AU_T_MUL:
        multiply_few(s, k[0], k[1], n, y);
        break;
    case AU_T_SDIV:
        divide_signed(s, k[0], k[1], n, y, other);
        break;
    case AU_T_SREM:
        divide_signed(s, k[0], k[1], n, other, y);
        break;
    case AU_T_UDIV:
        divide(s, k[0], k[1], n, y, other);
        break;
    case AU_T_UREM:
        divide(s, k[0], k[1], n, other, y);
        break;
    case AU_T_AND:
        for (unsigned i = 0; i < n; i++)
            y[i] = au_sat_and(s, k[0][i], k[1][i]);
        break;
    case AU_T_OR:
        for (unsigned i = 0; i < n; i++)
            y[i] = au_sat_or(s, k[0][i], k[1][i]);
        break;
    case AU_T_XOR:
        for (unsigned i = 0; i < n; i++)
            y[i] = au_sat_xor(s, k[0][i], k[1][i]);
        break;
    case AU_T_SHL:
    case AU_T_LSHR:
    case AU_T_ASHR:
        shift(s, au_term_kind(t, x), k[0], k[1], n, y);
        break;
    case AU_T_EQ:
        w = larger(signed_bits_of(k[0], w), signed_bits_of(k[1], w));
        y[0] = equal(s, k[0], k[1], w);
        break;
    case AU_T_ULT:
    case AU_T_ULE: /* copies of the sign do not change an order */
        w = larger(signed_bits_of(k[0], w), signed_bits_of(k[1], w));
        y[0] = less(s, k[0], k[1], w, au_term_kind(t, x) == AU_T_ULE);
        break;
    case AU_T_SLT:
    case AU_T_SLE:
        w = larger(signed_bits_of(k[0], w), signed_bits_of(k[1], w));
        k[0][w - 1] = -k[0][w - 1]; /* signed is unsigned with the signs turned */
        k[1][w - 1] = -k[1][w - 1];
        y[0] = less(s, k[0], k[1], w, au_term_kind(t, x) == AU_T_SLE);
        break;
    case AU_T_ITE:
        choose(s, k[0][0], k[1], k[2], n, y);
        break;
    case AU_T_ZEXT:
    case AU_T_SEXT:
        for (unsigned i = 0; i < n; i++)
            y[i] = i < w ? k[0][i] : au_term_kind(t, x) == AU_T_SEXT ? k[0][w - 1] : AU_LIT_FALSE;
        break;
    case AU_T_EXTRACT:
        memcpy(y, k[0] + au_term_low(t, x), n * sizeof *y);
        break;
    case AU_T_CONCAT: {
        unsigned low = n - w;
        memcpy(y, k[1], low * sizeof *y);
        memcpy(y + low, k[0], w * sizeof *y);
        break;
    }
    default:
        AU_BUG_IF(true);
    }
}

static bool is_done(const au_blast *b, au_term x) {
    return x.n < b->first.n && b->first.at[x.n] != UINT32_MAX;
}

void au_blast_term(au_blast *b, au_term x, int *into) {
    AU_VEC(au_term) stack = {0};
    if (!is_done(b, x))
        au_vec_push(&stack, x);
    while (stack.n) { /* kids first; terms can be deep */
        au_term at = au_vec_last(&stack);
        bool ready = true;
        for (unsigned i = 0; i < au_term_kids(b->terms, at); i++) {
            au_term kid = au_term_kid(b->terms, at, i);
            if (!is_done(b, kid)) {
                au_vec_push(&stack, kid);
                ready = false;
            }
        }
        if (!ready)
            continue;
        stack.n--;
        if (is_done(b, at))
            continue;
        int y[W + 1];
        unsigned n = au_term_width(b->terms, at);
        blast_node(b, at, y);
        while (b->first.n <= at.n)
            au_vec_push(&b->first, UINT32_MAX);
        b->first.at[at.n] = (uint32_t)b->pool.n;
        au_vec_append(&b->pool, y, n);
    }
    au_vec_release(&stack);
    memcpy(into, b->pool.at + b->first.at[x.n], au_term_width(b->terms, x) * sizeof *into);
}

bool au_blast_known(const au_blast *b, au_term x, int *into) {
    if (!is_done(b, x))
        return false;
    memcpy(into, b->pool.at + b->first.at[x.n], au_term_width(b->terms, x) * sizeof *into);
    return true;
}

int au_blast_bool(au_blast *b, au_term x) {
    int y[W];
    AU_BUG_IF(au_term_width(b->terms, x) != 1);
    au_blast_term(b, x, y);
    return y[0];
}
