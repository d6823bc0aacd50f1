/* model/term_build.c: building terms, simplified.
 *
 * Every rule looks at most two levels down and makes the term smaller or puts it
 * into the one form its kind has (constants right, x - c as x + -c, !(a < b) as
 * b <= a), so building stays cheap, and a simplified term built again from its
 * kids is itself. Rules hold for every width from 1 on: mind that with one bit
 * 1 is -1 and the smallest number. tests/unit/test_term.c compares each with the
 * value of the operator. */
#include "model/term_priv.h"

static const au_term_node *node(const au_terms *t, au_term x) {
    return &t->node.at[x.n];
}
static au_term_op op_of(const au_terms *t, au_term x) {
    return (au_term_op)node(t, x)->op;
}
static unsigned width_of(const au_terms *t, au_term x) {
    return node(t, x)->width;
}
static au_term kid(const au_terms *t, au_term x, unsigned i) {
    return (au_term){node(t, x)->kid[i]};
}
static bool is_const(const au_terms *t, au_term x) {
    return op_of(t, x) == AU_T_CONST;
}
static uint64_t value(const au_terms *t, au_term x) {
    return au_node_value_(node(t, x));
}
static bool is_value(const au_terms *t, au_term x, uint64_t v) {
    return is_const(t, x) && value(t, x) == (v & au_mask(width_of(t, x)));
}
static bool same(au_term a, au_term b) {
    return a.n == b.n;
}
/* x is op(y, constant): *y and *c. */
static bool is_with_const(const au_terms *t, au_term x, au_term_op op, au_term *y, uint64_t *c) {
    if (op_of(t, x) != op || !is_const(t, kid(t, x, 1)))
        return false;
    *y = kid(t, x, 0);
    *c = value(t, kid(t, x, 1));
    return true;
}
/* x is constant - y. */
static bool is_const_minus(const au_terms *t, au_term x, uint64_t *c, au_term *y) {
    if (op_of(t, x) != AU_T_SUB || !is_const(t, kid(t, x, 0)))
        return false;
    *c = value(t, kid(t, x, 0));
    *y = kid(t, x, 1);
    return true;
}
/* a is !b or b is !a. */
static bool are_opposite(const au_terms *t, au_term a, au_term b) {
    return (op_of(t, a) == AU_T_NOT && same(kid(t, a, 0), b)) ||
           (op_of(t, b) == AU_T_NOT && same(kid(t, b, 0), a));
}
/* x is op with y as one of its kids: the other one. */
static bool has_kid(const au_terms *t, au_term x, au_term_op op, au_term y, au_term *other) {
    if (op_of(t, x) != op)
        return false;
    if (same(kid(t, x, 0), y))
        *other = kid(t, x, 1);
    else if (same(kid(t, x, 1), y))
        *other = kid(t, x, 0);
    else
        return false;
    return true;
}

static au_term raw1(au_terms *t, au_term_op op, unsigned width, au_term a) {
    return au_term_intern_(t, op, width, 0, 1, (uint32_t[3]){a.n, 0, 0});
}
static au_term raw2(au_terms *t, au_term_op op, unsigned width, au_term a, au_term b) {
    return au_term_intern_(t, op, width, 0, 2, (uint32_t[3]){a.n, b.n, 0});
}
static au_term make(au_terms *t, au_term_op op, au_term a, au_term b) {
    return au_term_make(t, op, a, b);
}
static au_term number(au_terms *t, unsigned w, uint64_t v) {
    return au_term_const(t, w, v);
}

/* Whether a stands before b under a commutative operator: variables by number,
 * then composed terms by their structure, constants last. */
static bool in_order(const au_terms *t, au_term a, au_term b) {
    const au_term_node *x = node(t, a), *y = node(t, b);
    unsigned rx = x->op == AU_T_CONST ? 2 : x->op != AU_T_VAR;
    unsigned ry = y->op == AU_T_CONST ? 2 : y->op != AU_T_VAR;
    if (rx != ry)
        return rx < ry;
    if (rx == 0)
        return x->kid[0] <= y->kid[0];
    return x->hash != y->hash ? x->hash < y->hash : a.n <= b.n;
}

static au_term build_not(au_terms *t, au_term a) {
    switch (op_of(t, a)) {
    case AU_T_NOT:
        return kid(t, a, 0);
    case AU_T_ULT:
        return make(t, AU_T_ULE, kid(t, a, 1), kid(t, a, 0));
    case AU_T_ULE:
        return make(t, AU_T_ULT, kid(t, a, 1), kid(t, a, 0));
    case AU_T_SLT:
        return make(t, AU_T_SLE, kid(t, a, 1), kid(t, a, 0));
    case AU_T_SLE:
        return make(t, AU_T_SLT, kid(t, a, 1), kid(t, a, 0));
    default:
        return raw1(t, AU_T_NOT, width_of(t, a), a);
    }
}

static au_term build_neg(au_terms *t, au_term a) {
    unsigned w = width_of(t, a);
    au_term y;
    uint64_t c;
    if (w == 1)
        return a;
    if (op_of(t, a) == AU_T_NEG)
        return kid(t, a, 0);
    if (op_of(t, a) == AU_T_SUB)
        return make(t, AU_T_SUB, kid(t, a, 1), kid(t, a, 0));
    if (is_with_const(t, a, AU_T_ADD, &y, &c)) /* -(y + c) = -c - y */
        return make(t, AU_T_SUB, number(t, w, 0 - c), y);
    return raw1(t, AU_T_NEG, w, a);
}

static au_term build_add(au_terms *t, unsigned w, au_term a, au_term b) {
    au_term y;
    uint64_t c;
    if (w == 1)
        return make(t, AU_T_XOR, a, b);
    if (is_value(t, b, 0))
        return a;
    if (is_const(t, b)) {
        if (is_with_const(t, a, AU_T_ADD, &y, &c))
            return make(t, AU_T_ADD, y, number(t, w, c + value(t, b)));
        if (is_const_minus(t, a, &c, &y))
            return make(t, AU_T_SUB, number(t, w, c + value(t, b)), y);
        if (op_of(t, a) == AU_T_NEG)
            return make(t, AU_T_SUB, b, kid(t, a, 0));
    }
    if (op_of(t, b) == AU_T_NEG)
        return make(t, AU_T_SUB, a, kid(t, b, 0));
    if (op_of(t, a) == AU_T_NEG)
        return make(t, AU_T_SUB, b, kid(t, a, 0));
    if (op_of(t, a) == AU_T_SUB && same(kid(t, a, 1), b))
        return kid(t, a, 0);
    if (op_of(t, b) == AU_T_SUB && same(kid(t, b, 1), a))
        return kid(t, b, 0);
    return raw2(t, AU_T_ADD, w, a, b);
}

static au_term build_sub(au_terms *t, unsigned w, au_term a, au_term b) {
    au_term y;
    uint64_t c;
    if (w == 1)
        return make(t, AU_T_XOR, a, b);
    if (same(a, b))
        return number(t, w, 0);
    if (is_const(t, b))
        return make(t, AU_T_ADD, a, number(t, w, 0 - value(t, b)));
    if (is_value(t, a, 0))
        return make(t, AU_T_NEG, b, b);
    if (op_of(t, b) == AU_T_NEG)
        return make(t, AU_T_ADD, a, kid(t, b, 0));
    if (is_const(t, a)) {
        if (is_with_const(t, b, AU_T_ADD, &y, &c))
            return make(t, AU_T_SUB, number(t, w, value(t, a) - c), y);
        if (is_const_minus(t, b, &c, &y))
            return make(t, AU_T_ADD, y, number(t, w, value(t, a) - c));
    }
    if (has_kid(t, a, AU_T_ADD, b, &y))
        return y;
    if (has_kid(t, b, AU_T_ADD, a, &y))
        return make(t, AU_T_NEG, y, y);
    if (op_of(t, b) == AU_T_SUB && same(kid(t, b, 0), a))
        return kid(t, b, 1);
    return raw2(t, AU_T_SUB, w, a, b);
}

static au_term build_mul(au_terms *t, unsigned w, au_term a, au_term b) {
    au_term y;
    uint64_t c;
    if (w == 1)
        return make(t, AU_T_AND, a, b);
    if (is_value(t, b, 0))
        return b;
    if (is_value(t, b, 1))
        return a;
    if (is_value(t, b, UINT64_MAX))
        return make(t, AU_T_NEG, a, a);
    if (is_const(t, b) && is_with_const(t, a, AU_T_MUL, &y, &c))
        return make(t, AU_T_MUL, y, number(t, w, c * value(t, b)));
    return raw2(t, AU_T_MUL, w, a, b);
}

static au_term build_division(au_terms *t, au_term_op op, unsigned w, au_term a, au_term b) {
    bool rest = op == AU_T_SREM || op == AU_T_UREM;
    bool is_signed = op == AU_T_SDIV || op == AU_T_SREM;
    if (is_value(t, b, 0))
        return rest ? a : b;
    if (is_value(t, b, 1))
        return rest ? number(t, w, 0) : a;
    if (is_value(t, a, 0))
        return a;
    if (rest && same(a, b))
        return number(t, w, 0);
    if (is_const(t, b)) {
        uint64_t c = value(t, b);
        if (is_signed && c == au_mask(w))
            return rest ? number(t, w, 0) : make(t, AU_T_NEG, a, a);
        if (!is_signed && (c & (c - 1)) == 0)
            return rest ? make(t, AU_T_AND, a, number(t, w, c - 1))
                        : make(t, AU_T_LSHR, a, number(t, w, (uint64_t)__builtin_ctzll(c)));
    }
    return raw2(t, op, w, a, b);
}

/* AND and OR mirror each other: 'zero' absorbs, 'one' is neutral. */
static au_term build_and_or(au_terms *t, au_term_op op, unsigned w, au_term a, au_term b) {
    au_term_op dual = op == AU_T_AND ? AU_T_OR : AU_T_AND;
    uint64_t zero = op == AU_T_AND ? 0 : UINT64_MAX;
    au_term y, z;
    uint64_t c, d;
    if (is_value(t, b, zero) || same(a, b))
        return b;
    if (is_value(t, b, ~zero))
        return a;
    if (are_opposite(t, a, b))
        return number(t, w, zero);
    if (is_const(t, b) && is_with_const(t, a, op, &y, &c))
        return make(t, op, y, number(t, w, au_term_apply_(op, w, c, value(t, b))));
    if (has_kid(t, a, op, b, &y))
        return a;
    if (has_kid(t, b, op, a, &y))
        return b;
    if (has_kid(t, a, dual, b, &y))
        return b;
    if (has_kid(t, b, dual, a, &y))
        return a;
    for (int turn = 0; turn < 2; turn++, y = a, a = b, b = y) { /* x and (!x and y) */
        if (op_of(t, b) == op &&
            (are_opposite(t, a, kid(t, b, 0)) || are_opposite(t, a, kid(t, b, 1))))
            return number(t, w, zero);
    }
    /* y == c and y == d with different constants */
    if (op == AU_T_AND && is_with_const(t, a, AU_T_EQ, &y, &c) &&
        is_with_const(t, b, AU_T_EQ, &z, &d) && same(y, z) && c != d)
        return number(t, 1, 0);
    return raw2(t, op, w, a, b);
}

static au_term build_xor(au_terms *t, unsigned w, au_term a, au_term b) {
    au_term y;
    uint64_t c;
    if (is_value(t, b, 0))
        return a;
    if (is_value(t, b, UINT64_MAX))
        return make(t, AU_T_NOT, a, a);
    if (same(a, b))
        return number(t, w, 0);
    if (is_const(t, b)) {
        if (is_with_const(t, a, AU_T_XOR, &y, &c))
            return make(t, AU_T_XOR, y, number(t, w, c ^ value(t, b)));
        if (op_of(t, a) == AU_T_NOT)
            return make(t, AU_T_XOR, kid(t, a, 0), number(t, w, ~value(t, b)));
    } else if (op_of(t, a) == AU_T_NOT) {
        return make(t, AU_T_NOT, make(t, AU_T_XOR, kid(t, a, 0), b), a);
    } else if (op_of(t, b) == AU_T_NOT) {
        return make(t, AU_T_NOT, make(t, AU_T_XOR, a, kid(t, b, 0)), a);
    }
    if (has_kid(t, a, AU_T_XOR, b, &y) || has_kid(t, b, AU_T_XOR, a, &y))
        return y;
    return raw2(t, AU_T_XOR, w, a, b);
}

static au_term build_shift(au_terms *t, au_term_op op, unsigned w, au_term a, au_term b) {
    au_term y;
    uint64_t c;
    if (is_value(t, b, 0) || is_value(t, a, 0) || (op == AU_T_ASHR && is_value(t, a, UINT64_MAX)))
        return a;
    if (is_const(t, b)) {
        uint64_t by = value(t, b);
        if (by >= w) {
            if (op != AU_T_ASHR)
                return number(t, w, 0);
            if (w == 1)
                return a; /* one bit is its own sign */
            return make(t, op, a, number(t, w, w - 1));
        }
        if (is_with_const(t, a, op, &y, &c)) { /* c < w by now */
            uint64_t sum = c + by;
            if (sum >= w && op != AU_T_ASHR)
                return number(t, w, 0);
            return make(t, op, y, number(t, w, sum >= w ? w - 1 : sum));
        }
    }
    return raw2(t, op, w, a, b);
}

/* Bounds of x seen from its top operator, as unsigned or as signed numbers. */
typedef struct {
    uint64_t low, high;
} urange;
typedef struct {
    int64_t low, high;
} srange;

static urange unsigned_range(const au_terms *t, au_term x) {
    unsigned w = width_of(t, x);
    uint64_t max = au_mask(w);
    urange r = {0, max};
    au_term y;
    uint64_t c;
    if (is_const(t, x))
        return (urange){value(t, x), value(t, x)};
    if (op_of(t, x) == AU_T_ZEXT)
        r.high = au_mask(width_of(t, kid(t, x, 0)));
    else if (is_with_const(t, x, AU_T_AND, &y, &c))
        r.high = c;
    else if (is_with_const(t, x, AU_T_OR, &y, &c))
        r.low = c;
    else if (is_with_const(t, x, AU_T_LSHR, &y, &c))
        r.high = max >> c; /* c < w in a simplified term */
    else if (is_with_const(t, x, AU_T_UREM, &y, &c))
        r.high = c - 1; /* c is not 0 */
    else if (is_with_const(t, x, AU_T_UDIV, &y, &c))
        r.high = max / c;
    else if (op_of(t, x) == AU_T_ITE && is_const(t, kid(t, x, 1)) && is_const(t, kid(t, x, 2))) {
        uint64_t p = value(t, kid(t, x, 1)), q = value(t, kid(t, x, 2));
        r = p < q ? (urange){p, q} : (urange){q, p};
    }
    return r;
}

/* y * d == c, where y * d cannot wrap round, or d is odd: *b of y == *b, or *out. */
static bool peel_product(au_terms *t, unsigned w, au_term y, uint64_t d, uint64_t c, au_term *b,
                         au_term *out) {
    au_term_op op = op_of(t, y);
    if (d & 1) {
        uint64_t inverse = d; /* 3 bits are right; each round doubles them */
        for (int i = 0; i < 5; i++)
            inverse *= 2 - d * inverse;
        *b = number(t, w, c * inverse);
        return true;
    }
    if (op != AU_T_ZEXT && op != AU_T_SEXT)
        return false;
    unsigned wy = width_of(t, kid(t, y, 0));
    if (op == AU_T_ZEXT) {
        if (!d || au_mask(wy) > au_mask(w) / d)
            return false;
        if (c % d)
            *out = au_term_bool(t, false);
        else
            *b = number(t, w, c / d);
        return true;
    }
    if (!d || d > UINT64_C(1) << (w - wy)) /* w > wy: it fits */
        return false;
    int64_t k = (int64_t)d, v = au_signed(c, w);
    if (k < 0)
        return false;
    if (v % k)
        *out = au_term_bool(t, false);
    else
        *b = number(t, w, (uint64_t)(v / k));
    return true;
}

/* Takes the top operator off both sides of *a == *b; false if it cannot. *out is
 * set when that already is the answer. */
static bool peel_const(au_terms *t, unsigned w, au_term *a, au_term *b, au_term *out) {
    au_term x = *a, y = {0};
    uint64_t c = value(t, *b), d = 0;
    au_term_op op = op_of(t, x);
    if (w == 1) {
        *out = c ? x : au_term_not(t, x);
    } else if (is_with_const(t, x, AU_T_ADD, &y, &d)) {
        *a = y, *b = number(t, w, c - d);
    } else if (is_const_minus(t, x, &d, &y)) {
        *a = y, *b = number(t, w, d - c);
    } else if (is_with_const(t, x, AU_T_XOR, &y, &d)) {
        *a = y, *b = number(t, w, c ^ d);
    } else if (op == AU_T_NEG) {
        *a = kid(t, x, 0), *b = number(t, w, 0 - c);
    } else if (op == AU_T_NOT) {
        *a = kid(t, x, 0), *b = number(t, w, ~c);
    } else if (op == AU_T_SUB && c == 0) {
        *a = kid(t, x, 0), *b = kid(t, x, 1);
    } else if (is_with_const(t, x, AU_T_MUL, &y, &d) && peel_product(t, w, y, d, c, b, out)) {
        *a = y;
    } else if (is_with_const(t, x, AU_T_SHL, &y, &d) && d < w &&
               peel_product(t, w, y, UINT64_C(1) << d, c, b, out)) {
        *a = y;
    } else if (op == AU_T_ZEXT || op == AU_T_SEXT) {
        y = kid(t, x, 0);
        unsigned wy = width_of(t, y);
        uint64_t back = op == AU_T_ZEXT ? c & au_mask(wy) : (uint64_t)au_signed(c, wy) & au_mask(w);
        if (back == c)
            *a = y, *b = number(t, wy, c);
        else
            *out = au_term_bool(t, false);
    } else if (op == AU_T_ITE && is_const(t, kid(t, x, 1)) && is_const(t, kid(t, x, 2))) {
        bool yes = value(t, kid(t, x, 1)) == c, no = value(t, kid(t, x, 2)) == c;
        au_term if_ = kid(t, x, 0);
        *out = yes == no ? au_term_bool(t, yes) : yes ? if_ : au_term_not(t, if_);
    } else {
        urange r = unsigned_range(t, x);
        if (c >= r.low && c <= r.high)
            return false;
        *out = au_term_bool(t, false);
    }
    return true;
}

static bool peel(au_terms *t, unsigned w, au_term *a, au_term *b, au_term *out) {
    au_term y;
    if (is_const(t, *b))
        return peel_const(t, w, a, b, out);
    au_term_op oa = op_of(t, *a), ob = op_of(t, *b);
    if (oa == ob && (oa == AU_T_NOT || oa == AU_T_NEG ||
                     ((oa == AU_T_ZEXT || oa == AU_T_SEXT) &&
                      width_of(t, kid(t, *a, 0)) == width_of(t, kid(t, *b, 0))))) {
        *a = kid(t, *a, 0), *b = kid(t, *b, 0);
    } else if (w == 1 && oa == AU_T_NOT) {
        *out = au_term_not(t, au_term_eq(t, kid(t, *a, 0), *b));
    } else if (w == 1 && ob == AU_T_NOT) {
        *out = au_term_not(t, au_term_eq(t, *a, kid(t, *b, 0)));
    } else if (has_kid(t, *a, AU_T_ADD, *b, &y) || has_kid(t, *b, AU_T_ADD, *a, &y)) {
        *a = y, *b = number(t, w, 0); /* b + y == b */
    } else {
        return false;
    }
    return true;
}

/* A loop and not a recursion: chains of x + 1, ~x, … may be as long as a trace. */
static au_term build_eq(au_terms *t, au_term a, au_term b) {
    for (;;) {
        unsigned w = width_of(t, a);
        if (!in_order(t, a, b)) {
            au_term swap = a;
            a = b;
            b = swap;
        }
        if (same(a, b))
            return au_term_bool(t, true);
        if ((is_const(t, a) && is_const(t, b)) || are_opposite(t, a, b))
            return au_term_bool(t, false);
        au_term out = {UINT32_MAX};
        if (!peel(t, w, &a, &b, &out))
            return raw2(t, AU_T_EQ, 1, a, b);
        if (out.n != UINT32_MAX)
            return out;
    }
}

static srange signed_range(const au_terms *t, au_term x) {
    unsigned w = width_of(t, x);
    int64_t max = (int64_t)(au_mask(w) >> 1);
    srange r = {-max - 1, max};
    if (is_const(t, x)) {
        r.low = r.high = au_signed(value(t, x), w);
    } else if (op_of(t, x) == AU_T_SEXT) {
        r.high = (int64_t)(au_mask(width_of(t, kid(t, x, 0))) >> 1);
        r.low = -r.high - 1;
    } else if (op_of(t, x) == AU_T_ITE && is_const(t, kid(t, x, 1)) && is_const(t, kid(t, x, 2))) {
        int64_t p = au_signed(value(t, kid(t, x, 1)), w), q = au_signed(value(t, kid(t, x, 2)), w);
        r = p < q ? (srange){p, q} : (srange){q, p};
    } else { /* what is small as an unsigned number is the same signed */
        urange u = unsigned_range(t, x);
        if (u.high <= (uint64_t)max)
            r = (srange){(int64_t)u.low, (int64_t)u.high};
    }
    return r;
}

/* a < b or, if 'or_equal', a <= b, as far as the ranges of the two decide it: a
 * constant, or where one value is left open an equation. */
static bool less_by_range(au_terms *t, bool is_signed, bool or_equal, au_term a, au_term b,
                          au_term *out) {
    /* signed numbers with the top bit turned round are in the order of unsigned ones */
    uint64_t bias = is_signed ? UINT64_C(1) << 63 : 0;
    urange x = unsigned_range(t, a), y = unsigned_range(t, b);
    if (is_signed) {
        srange p = signed_range(t, a), q = signed_range(t, b);
        x = (urange){(uint64_t)p.low ^ bias, (uint64_t)p.high ^ bias};
        y = (urange){(uint64_t)q.low ^ bias, (uint64_t)q.high ^ bias};
    }
    unsigned w = width_of(t, a);
    if (or_equal ? x.high <= y.low : x.high < y.low)
        *out = au_term_bool(t, true);
    else if (or_equal ? x.low > y.high : x.low >= y.high)
        *out = au_term_bool(t, false);
    else if (or_equal && x.low == y.high)
        *out = au_term_eq(t, a, b);
    else if (!or_equal && x.high == y.low)
        *out = au_term_not(t, au_term_eq(t, a, b));
    else if (is_const(t, b) && !or_equal && x.low == y.low - 1)
        *out = au_term_eq(t, a, number(t, w, x.low ^ bias));
    else if (is_const(t, b) && or_equal && x.high == y.low + 1)
        *out = au_term_not(t, au_term_eq(t, a, number(t, w, x.high ^ bias)));
    else if (is_const(t, a) && !or_equal && y.high == x.low + 1)
        *out = au_term_eq(t, b, number(t, w, y.high ^ bias));
    else if (is_const(t, a) && or_equal && y.low == x.low - 1)
        *out = au_term_not(t, au_term_eq(t, b, number(t, w, y.low ^ bias)));
    else
        return false;
    return true;
}

static au_term build_less(au_terms *t, bool is_signed, bool or_equal, au_term a, au_term b) {
    unsigned w = width_of(t, a);
    au_term_op op = is_signed ? (or_equal ? AU_T_SLE : AU_T_SLT) : (or_equal ? AU_T_ULE : AU_T_ULT);
    au_term out;
    if (same(a, b))
        return au_term_bool(t, or_equal);
    if (less_by_range(t, is_signed, or_equal, a, b, &out))
        return out;
    /* both casts, or a cast and a constant inside its range: compare the narrow ones */
    au_term_op cast = op_of(t, a) == AU_T_ZEXT || op_of(t, a) == AU_T_SEXT   ? op_of(t, a)
                      : op_of(t, b) == AU_T_ZEXT || op_of(t, b) == AU_T_SEXT ? op_of(t, b)
                                                                             : AU_T_OPS;
    if (cast != AU_T_OPS) {
        au_term from = op_of(t, a) == cast ? kid(t, a, 0) : kid(t, b, 0);
        unsigned wf = width_of(t, from);
        au_term part[2] = {a, b};
        bool ok = true;
        for (int i = 0; i < 2; i++) {
            if (op_of(t, part[i]) == cast && width_of(t, kid(t, part[i], 0)) == wf) {
                part[i] = kid(t, part[i], 0);
            } else if (is_const(t, part[i])) {
                uint64_t c = value(t, part[i]);
                uint64_t back =
                    cast == AU_T_ZEXT ? c & au_mask(wf) : (uint64_t)au_signed(c, wf) & au_mask(w);
                ok &= back == c;
                part[i] = number(t, wf, c);
            } else {
                ok = false;
            }
        }
        if (ok) /* zero-extended numbers compare the same either way in the wider type */
            return build_less(t, is_signed && cast == AU_T_SEXT, or_equal, part[0], part[1]);
    }
    return raw2(t, op, 1, a, b);
}

static au_term build_concat(au_terms *t, au_term a, au_term b) {
    unsigned wa = width_of(t, a), wb = width_of(t, b), w = wa + wb;
    AU_BUG_IF(w > 64);
    if (is_const(t, a) && is_const(t, b))
        return number(t, w, value(t, a) << wb | value(t, b));
    if (is_value(t, a, 0))
        return au_term_zext(t, b, w);
    if (op_of(t, a) == AU_T_EXTRACT && op_of(t, b) == AU_T_EXTRACT &&
        same(kid(t, a, 0), kid(t, b, 0)) && node(t, a)->low == node(t, b)->low + wb)
        return au_term_extract(t, kid(t, a, 0), node(t, b)->low, w);
    return raw2(t, AU_T_CONCAT, w, a, b);
}

static bool is_commutative(au_term_op op) {
    return op == AU_T_ADD || op == AU_T_MUL || op == AU_T_AND || op == AU_T_OR || op == AU_T_XOR ||
           op == AU_T_EQ;
}

au_term au_term_make(au_terms *t, au_term_op op, au_term a, au_term b) {
    unsigned w = au_term_width(t, a);
    if (op == AU_T_NOT || op == AU_T_NEG) {
        if (is_const(t, a))
            return number(t, w, au_term_apply_(op, w, value(t, a), 0));
        return op == AU_T_NOT ? build_not(t, a) : build_neg(t, a);
    }
    unsigned wb = au_term_width(t, b);
    if (op == AU_T_CONCAT)
        return build_concat(t, a, b);
    AU_BUG_IF(w != wb);
    if (is_const(t, a) && is_const(t, b))
        return number(t, op >= AU_T_EQ ? 1 : w, au_term_apply_(op, w, value(t, a), value(t, b)));
    if (is_commutative(op) && !in_order(t, a, b)) {
        au_term swap = a;
        a = b;
        b = swap;
    }
    switch (op) {
    case AU_T_ADD:
        return build_add(t, w, a, b);
    case AU_T_SUB:
        return build_sub(t, w, a, b);
    case AU_T_MUL:
        return build_mul(t, w, a, b);
    case AU_T_SDIV:
    case AU_T_SREM:
    case AU_T_UDIV:
    case AU_T_UREM:
        return build_division(t, op, w, a, b);
    case AU_T_AND:
    case AU_T_OR:
        return build_and_or(t, op, w, a, b);
    case AU_T_XOR:
        return build_xor(t, w, a, b);
    case AU_T_SHL:
    case AU_T_LSHR:
    case AU_T_ASHR:
        return build_shift(t, op, w, a, b);
    case AU_T_EQ:
        return build_eq(t, a, b);
    case AU_T_ULT:
    case AU_T_ULE:
    case AU_T_SLT:
    case AU_T_SLE:
        return build_less(t, op == AU_T_SLT || op == AU_T_SLE, op == AU_T_ULE || op == AU_T_SLE, a,
                          b);
    default:
        AU_BUG_IF(true);
    }
}

au_term au_term_not(au_terms *t, au_term a) {
    return au_term_make(t, AU_T_NOT, a, a);
}
au_term au_term_and(au_terms *t, au_term a, au_term b) {
    return au_term_make(t, AU_T_AND, a, b);
}
au_term au_term_or(au_terms *t, au_term a, au_term b) {
    return au_term_make(t, AU_T_OR, a, b);
}
au_term au_term_eq(au_terms *t, au_term a, au_term b) {
    return au_term_make(t, AU_T_EQ, a, b);
}

/* ite with truth values is and, or, not. */
static au_term ite_bool(au_terms *t, au_term c, au_term a, au_term b) {
    if (au_term_is_true(t, a) || same(a, c))
        return au_term_or(t, c, b);
    if (au_term_is_false(t, a) || are_opposite(t, a, c))
        return au_term_and(t, au_term_not(t, c), b);
    if (au_term_is_false(t, b) || same(b, c))
        return au_term_and(t, c, a);
    if (au_term_is_true(t, b) || are_opposite(t, b, c))
        return au_term_or(t, au_term_not(t, c), a);
    if (are_opposite(t, a, b))
        return au_term_eq(t, c, a);
    return (au_term){UINT32_MAX};
}

au_term au_term_ite(au_terms *t, au_term c, au_term a, au_term b) {
    unsigned w = au_term_width(t, a);
    AU_BUG_IF(au_term_width(t, c) != 1 || au_term_width(t, b) != w);
    if (is_const(t, c))
        return value(t, c) ? a : b;
    if (op_of(t, c) == AU_T_NOT)
        return au_term_ite(t, kid(t, c, 0), b, a);
    if (op_of(t, a) == AU_T_ITE && same(kid(t, a, 0), c))
        a = kid(t, a, 1);
    if (op_of(t, b) == AU_T_ITE && same(kid(t, b, 0), c))
        b = kid(t, b, 2);
    if (same(a, b))
        return a;
    if (w == 1) {
        au_term r = ite_bool(t, c, a, b);
        if (r.n != UINT32_MAX)
            return r;
    }
    /* x == y ? x : y is y, whichever way round */
    if (op_of(t, c) == AU_T_EQ && ((same(kid(t, c, 0), a) && same(kid(t, c, 1), b)) ||
                                   (same(kid(t, c, 0), b) && same(kid(t, c, 1), a))))
        return b;
    return au_term_intern_(t, AU_T_ITE, w, 0, 3, (uint32_t[3]){c.n, a.n, b.n});
}

au_term au_term_zext(au_terms *t, au_term a, unsigned width) {
    unsigned w = au_term_width(t, a);
    AU_BUG_IF(width < w || width > 64);
    if (width == w)
        return a;
    if (is_const(t, a))
        return number(t, width, value(t, a));
    if (op_of(t, a) == AU_T_ZEXT)
        return raw1(t, AU_T_ZEXT, width, kid(t, a, 0));
    return raw1(t, AU_T_ZEXT, width, a);
}

au_term au_term_sext(au_terms *t, au_term a, unsigned width) {
    unsigned w = au_term_width(t, a);
    AU_BUG_IF(width < w || width > 64);
    if (width == w)
        return a;
    if (is_const(t, a))
        return number(t, width, (uint64_t)au_signed(value(t, a), w));
    if (op_of(t, a) == AU_T_ZEXT) /* its sign bit is 0 */
        return raw1(t, AU_T_ZEXT, width, kid(t, a, 0));
    if (op_of(t, a) == AU_T_SEXT)
        return raw1(t, AU_T_SEXT, width, kid(t, a, 0));
    return raw1(t, AU_T_SEXT, width, a);
}

au_term au_term_extract(au_terms *t, au_term a, unsigned low, unsigned width) {
    unsigned w = au_term_width(t, a);
    AU_BUG_IF(width < 1 || low >= w || width > w - low);
    if (width == w)
        return a;
    if (is_const(t, a))
        return number(t, width, value(t, a) >> low);
    au_term_op op = op_of(t, a);
    if (op == AU_T_EXTRACT)
        return au_term_extract(t, kid(t, a, 0), low + node(t, a)->low, width);
    if (op == AU_T_ZEXT || op == AU_T_SEXT) {
        au_term y = kid(t, a, 0);
        unsigned wy = width_of(t, y);
        if (low + width <= wy)
            return au_term_extract(t, y, low, width);
        if (op == AU_T_ZEXT && low >= wy)
            return number(t, width, 0);
        if (low < wy) { /* some of y and some of what was put before it */
            au_term part = au_term_extract(t, y, low, wy - low);
            return op == AU_T_ZEXT ? au_term_zext(t, part, width) : au_term_sext(t, part, width);
        }
    }
    if (op == AU_T_CONCAT) {
        unsigned wl = width_of(t, kid(t, a, 1));
        if (low >= wl)
            return au_term_extract(t, kid(t, a, 0), low - wl, width);
        if (low + width <= wl)
            return au_term_extract(t, kid(t, a, 1), low, width);
    }
    return au_term_intern_(t, AU_T_EXTRACT, width, low, 1, (uint32_t[3]){a.n, 0, 0});
}

au_term au_term_truth(au_terms *t, au_term a) {
    unsigned w = au_term_width(t, a);
    return w == 1 ? a : au_term_not(t, au_term_eq(t, a, number(t, w, 0)));
}
