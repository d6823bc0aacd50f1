/* verify/ref_bits.c: terms as literals, bit by bit; all operations as model/term.h defines them. */
#include "verify/ref.h"

#include <string.h>

enum { W = 64 };

static int full_add(au_cnf *c, int a, int b, int *carry) {
    int x = au_cnf_xor(c, a, b);
    int y = au_cnf_xor(c, x, *carry);
    *carry = au_cnf_or(c, au_cnf_and(c, a, b), au_cnf_and(c, x, *carry));
    return y;
}

/* y = a + b + carry; the carry out. y may be a. */
static int add(au_cnf *c, const int *a, const int *b, int carry, unsigned n, int *y) {
    for (unsigned i = 0; i < n; i++)
        y[i] = full_add(c, a[i], b[i], &carry);
    return carry;
}

/* y = a - b; 1: a >= b, both without sign. */
static int subtract(au_cnf *c, const int *a, const int *b, unsigned n, int *y) {
    int carry = AU_CNF_TRUE;
    for (unsigned i = 0; i < n; i++)
        y[i] = full_add(c, a[i], -b[i], &carry);
    return carry;
}

static void choose(au_cnf *c, int i, const int *a, const int *b, unsigned n, int *y) {
    for (unsigned k = 0; k < n; k++)
        y[k] = au_cnf_ite(c, i, a[k], b[k]);
}

static void negate(au_cnf *c, const int *a, unsigned n, int *y) {
    int zero[W + 1];
    for (unsigned i = 0; i < n; i++)
        zero[i] = AU_CNF_FALSE;
    subtract(c, zero, a, n, y);
}

static void multiply(au_cnf *c, const int *a, const int *b, unsigned n, int *y) {
    int sum[W], row[W];
    for (unsigned i = 0; i < n; i++)
        sum[i] = AU_CNF_FALSE;
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j + i < n; j++)
            row[j] = au_cnf_and(c, a[j], b[i]);
        add(c, sum + i, row, AU_CNF_FALSE, n - i, sum + i);
    }
    memcpy(y, sum, n * sizeof *y);
}

static int equal(au_cnf *c, const int *a, const int *b, unsigned n) {
    int y = AU_CNF_TRUE;
    for (unsigned i = 0; i < n; i++)
        y = au_cnf_and(c, y, -au_cnf_xor(c, a[i], b[i]));
    return y;
}

static int below(au_cnf *c, const int *a, const int *b, unsigned n) {
    int y[W];
    return -subtract(c, a, b, n, y);
}

/* Without sign; q = 0 and r = a where b is 0. */
static void divide(au_cnf *c, const int *a, const int *b, unsigned n, int *q, int *r) {
    int rest[W + 1], wide[W + 1], less[W + 1], zero = AU_CNF_TRUE;
    for (unsigned i = 0; i <= n; i++) {
        rest[i] = AU_CNF_FALSE;
        wide[i] = i < n ? b[i] : AU_CNF_FALSE;
    }
    for (unsigned i = 0; i < n; i++)
        zero = au_cnf_and(c, zero, -b[i]);
    for (unsigned i = n; i-- > 0;) {
        memmove(rest + 1, rest, n * sizeof *rest);
        rest[0] = a[i];
        int fits = subtract(c, rest, wide, n + 1, less);
        q[i] = au_cnf_and(c, fits, -zero);
        choose(c, fits, less, rest, n + 1, rest);
    }
    choose(c, zero, a, rest, n, r);
}

static void divide_signed(au_cnf *c, const int *a, const int *b, unsigned n, int *q, int *r) {
    int na[W], nb[W], ua[W] = {0}, ub[W] = {0}, uq[W], ur[W], nq[W], nr[W];
    negate(c, a, n, na);
    negate(c, b, n, nb);
    choose(c, a[n - 1], na, a, n, ua);
    choose(c, b[n - 1], nb, b, n, ub);
    divide(c, ua, ub, n, uq, ur);
    negate(c, uq, n, nq);
    negate(c, ur, n, nr);
    choose(c, au_cnf_xor(c, a[n - 1], b[n - 1]), nq, uq, n, q);
    choose(c, a[n - 1], nr, ur, n, r);
}

static void shift(au_cnf *c, au_term_op op, const int *a, const int *b, unsigned n, int *y) {
    int fill = op == AU_T_ASHR ? a[n - 1] : AU_CNF_FALSE, far = AU_CNF_FALSE, at[W], next[W];
    memcpy(at, a, n * sizeof *at);
    for (unsigned k = 0; k < n; k++) {
        if (k > 5 || 1u << k >= n) {
            far = au_cnf_or(c, far, b[k]);
            continue;
        }
        unsigned by = 1u << k;
        for (unsigned i = 0; i < n; i++) {
            int from = op == AU_T_SHL ? (i < by ? AU_CNF_FALSE : at[i - by])
                                      : (i + by < n ? at[i + by] : fill);
            next[i] = au_cnf_ite(c, b[k], from, at[i]);
        }
        memcpy(at, next, n * sizeof *at);
    }
    for (unsigned i = 0; i < n; i++)
        y[i] = au_cnf_ite(c, far, fill, at[i]);
}

/* Requires: its kids have bits. */
static void make(au_ref *r, au_term x, int *y) {
    const au_terms *t = r->terms;
    au_cnf *c = &r->cnf;
    unsigned n = au_term_width(t, x), kids = au_term_kids(t, x), w = n;
    au_term_op op = au_term_kind(t, x);
    int k[3][W], other[W];
    for (unsigned i = 0; i < kids; i++)
        memcpy(k[i], r->bit.at + r->first_bit.at[au_term_kid(t, x, i).n],
               au_term_width(t, au_term_kid(t, x, i)) * sizeof **k);
    if (kids)
        w = au_term_width(t, au_term_kid(t, x, 0));
    switch (op) {
    case AU_T_CONST:
        for (unsigned i = 0; i < n; i++)
            y[i] = au_term_value(t, x) >> i & 1 ? AU_CNF_TRUE : AU_CNF_FALSE;
        return;
    case AU_T_VAR:
        au_ref_variable(r, au_term_var(t, x), n, y);
        return;
    case AU_T_NOT:
        for (unsigned i = 0; i < n; i++)
            y[i] = -k[0][i];
        return;
    case AU_T_NEG:
        negate(c, k[0], n, y);
        return;
    case AU_T_ADD:
        add(c, k[0], k[1], AU_CNF_FALSE, n, y);
        return;
    case AU_T_SUB:
        subtract(c, k[0], k[1], n, y);
        return;
    case AU_T_MUL:
        multiply(c, k[0], k[1], n, y);
        return;
    case AU_T_SDIV:
        divide_signed(c, k[0], k[1], n, y, other);
        return;
    case AU_T_SREM:
        divide_signed(c, k[0], k[1], n, other, y);
        return;
    case AU_T_UDIV:
        divide(c, k[0], k[1], n, y, other);
        return;
    case AU_T_UREM:
        divide(c, k[0], k[1], n, other, y);
        return;
    case AU_T_AND:
    case AU_T_OR:
    case AU_T_XOR:
        for (unsigned i = 0; i < n; i++)
            y[i] = op == AU_T_AND  ? au_cnf_and(c, k[0][i], k[1][i])
                   : op == AU_T_OR ? au_cnf_or(c, k[0][i], k[1][i])
                                   : au_cnf_xor(c, k[0][i], k[1][i]);
        return;
    case AU_T_SHL:
    case AU_T_LSHR:
    case AU_T_ASHR:
        shift(c, op, k[0], k[1], n, y);
        return;
    case AU_T_EQ:
        y[0] = equal(c, k[0], k[1], w);
        return;
    case AU_T_SLT:
    case AU_T_SLE: /* as without sign, with the signs turned */
        k[0][w - 1] = -k[0][w - 1];
        k[1][w - 1] = -k[1][w - 1];
        y[0] = op == AU_T_SLT ? below(c, k[0], k[1], w) : -below(c, k[1], k[0], w);
        return;
    case AU_T_ULT:
        y[0] = below(c, k[0], k[1], w);
        return;
    case AU_T_ULE:
        y[0] = -below(c, k[1], k[0], w);
        return;
    case AU_T_ITE:
        choose(c, k[0][0], k[1], k[2], n, y);
        return;
    case AU_T_ZEXT:
    case AU_T_SEXT:
        for (unsigned i = 0; i < n; i++)
            y[i] = i < w ? k[0][i] : op == AU_T_SEXT ? k[0][w - 1] : AU_CNF_FALSE;
        return;
    case AU_T_EXTRACT:
        memcpy(y, k[0] + au_term_low(t, x), n * sizeof *y);
        return;
    case AU_T_CONCAT:
        memcpy(y, k[1], (n - w) * sizeof *y);
        memcpy(y + n - w, k[0], w * sizeof *y);
        return;
    default:
        AU_BUG_IF(true);
    }
}

static bool is_made(const au_ref *r, au_term x) {
    return x.n < r->first_bit.n && r->first_bit.at[x.n] != UINT32_MAX;
}

void au_ref_bits(au_ref *r, au_term x, int *into) {
    AU_VEC(au_term) stack = {0};
    if (!is_made(r, x))
        au_vec_push(&stack, x);
    while (stack.n) { /* kids first; terms can be deep */
        au_term at = au_vec_last(&stack);
        size_t before = stack.n;
        for (unsigned i = 0; i < au_term_kids(r->terms, at); i++)
            if (!is_made(r, au_term_kid(r->terms, at, i)))
                au_vec_push(&stack, au_term_kid(r->terms, at, i));
        if (stack.n > before)
            continue;
        stack.n--;
        if (is_made(r, at))
            continue;
        int y[W + 1];
        make(r, at, y);
        while (r->first_bit.n <= at.n)
            au_vec_push(&r->first_bit, UINT32_MAX);
        r->first_bit.at[at.n] = (uint32_t)r->bit.n;
        au_vec_append(&r->bit, y, au_term_width(r->terms, at));
    }
    au_vec_release(&stack);
    memcpy(into, r->bit.at + r->first_bit.at[x.n], au_term_width(r->terms, x) * sizeof *into);
}

int au_ref_bool(au_ref *r, au_term x) {
    int y[W];
    AU_BUG_IF(au_term_width(r->terms, x) != 1);
    au_ref_bits(r, x, y);
    return y[0];
}
