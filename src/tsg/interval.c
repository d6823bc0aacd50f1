/* tsg/interval.c: intervals of terms, forwards. */
#include "tsg/interval_priv.h"

#include "base/bits.h"

au_interval au_interval_full(unsigned w) {
    return w == 1 ? (au_interval){0, 1} : (au_interval){au_bits_min_(w), au_bits_max_(w)};
}

au_interval au_interval_value(uint64_t v, unsigned w) {
    int64_t x = w == 1 ? (int64_t)(v & 1) : au_signed(v, w);
    return (au_interval){x, x};
}

unsigned au_interval_bits(au_interval a) {
    uint64_t span = (uint64_t)a.high - (uint64_t)a.low;
    return span ? 64 - (unsigned)__builtin_clzll(span) : 0;
}

/* --- both readings --------------------------------------------------------------------------- */

au_bits au_bits_full_(unsigned w) {
    return (au_bits){au_bits_min_(w), au_bits_max_(w), 0, au_mask(w)};
}

static uint64_t bits_of(int64_t v, unsigned w) {
    return (uint64_t)v & au_mask(w);
}
/* Each reading takes over what the other knows. False: they have nothing in common. */
static bool settle(au_bits *b, unsigned w) {
    if (b->slo > b->shi || b->ulo > b->uhi)
        return false;
    for (int i = 0; i < 2; i++) {
        if (b->slo >= 0 || b->shi < 0) {
            uint64_t lo = bits_of(b->slo, w), hi = bits_of(b->shi, w);
            b->ulo = lo > b->ulo ? lo : b->ulo;
            b->uhi = hi < b->uhi ? hi : b->uhi;
        }
        if (b->ulo > b->uhi)
            return false;
        uint64_t top = (uint64_t)au_bits_max_(w);
        if (b->uhi <= top || b->ulo > top) {
            int64_t lo = au_signed(b->ulo, w), hi = au_signed(b->uhi, w);
            b->slo = lo > b->slo ? lo : b->slo;
            b->shi = hi < b->shi ? hi : b->shi;
        }
        if (b->slo > b->shi)
            return false;
    }
    return true;
}

au_bits au_bits_of_(au_interval v, unsigned w) {
    au_bits b = au_bits_full_(w);
    if (w == 1)
        b = (au_bits){-v.high, -v.low, (uint64_t)v.low, (uint64_t)v.high};
    else
        b.slo = v.low, b.shi = v.high;
    AU_BUG_IF(!settle(&b, w));
    return b;
}

au_interval au_bits_interval_(au_bits b, unsigned w) {
    return w == 1 ? (au_interval){(int64_t)b.ulo, (int64_t)b.uhi} : (au_interval){b.slo, b.shi};
}

bool au_bits_meet_(au_bits *a, au_bits b, unsigned w) {
    a->slo = b.slo > a->slo ? b.slo : a->slo;
    a->shi = b.shi < a->shi ? b.shi : a->shi;
    a->ulo = b.ulo > a->ulo ? b.ulo : a->ulo;
    a->uhi = b.uhi < a->uhi ? b.uhi : a->uhi;
    return settle(a, w);
}

static au_bits joined(au_bits a, au_bits b) {
    return (au_bits){a.slo < b.slo ? a.slo : b.slo, a.shi > b.shi ? a.shi : b.shi,
                     a.ulo < b.ulo ? a.ulo : b.ulo, a.uhi > b.uhi ? a.uhi : b.uhi};
}

static au_wide turn(au_wide v, unsigned w) { /* how often it has gone round */
    return v >> w;                           /* arithmetic: towards minus infinity */
}

au_bits au_bits_signed_(au_wide low, au_wide high, unsigned w) {
    au_wide min = au_bits_min_(w), once = (au_wide)1 << w;
    au_bits b = au_bits_full_(w);
    if (turn(low - min, w) != turn(high - min, w))
        return b;
    au_wide back = turn(low - min, w) * once;
    b.slo = (int64_t)(low - back);
    b.shi = (int64_t)(high - back);
    AU_BUG_IF(!settle(&b, w));
    return b;
}

au_bits au_bits_unsigned_(au_wide low, au_wide high, unsigned w) {
    au_bits b = au_bits_full_(w);
    if (turn(low, w) != turn(high, w))
        return b;
    au_wide back = turn(low, w) * ((au_wide)1 << w);
    b.ulo = (uint64_t)(low - back);
    b.uhi = (uint64_t)(high - back);
    AU_BUG_IF(!settle(&b, w));
    return b;
}

/* Two descriptions of one value. */
static au_bits both(au_bits a, au_bits b, unsigned w) {
    AU_BUG_IF(!au_bits_meet_(&a, b, w));
    return a;
}

static bool single(au_bits a) {
    return a.ulo == a.uhi;
}

/* --- operations ----------------------------------------------------------------------------------- */

static au_bits sum(au_bits a, au_bits b, unsigned w) {
    return both(au_bits_signed_((au_wide)a.slo + b.slo, (au_wide)a.shi + b.shi, w),
                au_bits_unsigned_((au_wide)a.ulo + b.ulo, (au_wide)a.uhi + b.uhi, w), w);
}

static au_bits difference(au_bits a, au_bits b, unsigned w) {
    return both(au_bits_signed_((au_wide)a.slo - b.shi, (au_wide)a.shi - b.slo, w),
                au_bits_unsigned_((au_wide)a.ulo - b.uhi, (au_wide)a.uhi - b.ulo, w), w);
}

static au_bits product(au_bits a, au_bits b, unsigned w) {
    au_wide p[4] = {(au_wide)a.slo * b.slo, (au_wide)a.slo * b.shi, (au_wide)a.shi * b.slo,
                    (au_wide)a.shi * b.shi};
    au_wide low = p[0], high = p[0];
    for (int i = 1; i < 4; i++) {
        low = p[i] < low ? p[i] : low;
        high = p[i] > high ? p[i] : high;
    }
    au_bits s = au_bits_signed_(low, high, w);
    au_uwide most = (au_uwide)a.uhi * b.uhi;
    if (most >> 126)
        return s;
    return both(s, au_bits_unsigned_((au_wide)a.ulo * b.ulo, (au_wide)most, w), w);
}

static void take(au_wide *low, au_wide *high, bool *any, au_wide v) {
    *low = !*any || v < *low ? v : *low;
    *high = !*any || v > *high ? v : *high;
    *any = true;
}

/* Over a part of the divisors that does not cross 0 it rises or falls. */
static void quotients(au_bits a, int64_t from, int64_t to, au_wide *low, au_wide *high, bool *any) {
    if (from > to)
        return;
    int64_t x[2] = {a.slo, a.shi}, y[2] = {from, to};
    for (int i = 0; i < 4; i++)
        take(low, high, any, (au_wide)x[i & 1] / y[i >> 1]);
}

static au_bits quotient(au_bits a, au_bits b, unsigned w) {
    au_wide low = 0, high = 0;
    bool any = false;
    quotients(a, b.slo > 1 ? b.slo : 1, b.shi, &low, &high, &any);
    quotients(a, b.slo, b.shi < -1 ? b.shi : -1, &low, &high, &any);
    if (b.slo <= 0 && b.shi >= 0)
        take(&low, &high, &any, 0);
    return au_bits_signed_(low, high, w); /* the least by -1 is the least again: it wraps */
}

static au_bits remainder_of(au_bits a, au_bits b, unsigned w) {
    au_wide lo = b.slo < 0 ? -(au_wide)b.slo : b.slo, hi = b.shi < 0 ? -(au_wide)b.shi : b.shi;
    au_wide most = lo > hi ? lo : hi, least = b.slo <= 0 && b.shi >= 0 ? 1 : lo < hi ? lo : hi;
    bool zero = b.slo <= 0 && b.shi >= 0; /* then it is the dividend */
    if (a.slo > -least && a.shi < least)
        return a;
    au_wide low = a.slo < 0 ? a.slo : 0, high = a.shi > 0 ? a.shi : 0;
    if (!zero) {
        low = low < 1 - most ? 1 - most : low;
        high = high > most - 1 ? most - 1 : high;
    }
    return au_bits_signed_(low, high, w);
}

static au_bits unsigned_quotient(au_bits a, au_bits b, unsigned w) {
    if (!b.uhi)
        return au_bits_unsigned_(0, 0, w);
    return au_bits_unsigned_(b.ulo ? a.ulo / b.uhi : 0, a.uhi / (b.ulo ? b.ulo : 1), w);
}

static au_bits unsigned_remainder(au_bits a, au_bits b, unsigned w) {
    if (a.uhi < b.ulo || !b.uhi)
        return a;
    uint64_t most = b.ulo && b.uhi - 1 < a.uhi ? b.uhi - 1 : a.uhi;
    return au_bits_unsigned_(0, most, w);
}

static uint64_t ones_over(uint64_t m) { /* the smallest 2^k - 1 that is not less */
    for (unsigned s = 1; s < 64; s *= 2)
        m |= m >> s;
    return m;
}

static au_bits bitwise(au_term_op op, au_bits a, au_bits b, unsigned w) {
    if (single(a) && single(b)) {
        uint64_t v = op == AU_T_AND ? a.ulo & b.ulo : op == AU_T_OR ? a.ulo | b.ulo : a.ulo ^ b.ulo;
        return au_bits_unsigned_(v, v, w);
    }
    if (op == AU_T_AND)
        return au_bits_unsigned_(0, a.uhi < b.uhi ? a.uhi : b.uhi, w);
    uint64_t least = op == AU_T_XOR ? 0 : a.ulo > b.ulo ? a.ulo : b.ulo;
    return au_bits_unsigned_(least, ones_over(a.uhi | b.uhi), w);
}

static au_bits shifted_left(au_bits a, au_bits b, unsigned w) {
    if (b.ulo >= w)
        return au_bits_unsigned_(0, 0, w);
    if (b.uhi >= w)
        return au_bits_full_(w);
    if (single(b)) {
        au_wide by = (au_wide)1 << b.ulo;
        return both(au_bits_signed_(a.slo * by, a.shi * by, w),
                    au_bits_unsigned_(a.ulo * by, a.uhi * by, w), w);
    }
    if (b.uhi > 62 || a.uhi > au_mask(w) >> b.uhi)
        return au_bits_full_(w);
    return au_bits_unsigned_((au_wide)a.ulo << b.ulo, (au_wide)a.uhi << b.uhi, w);
}

static uint64_t right(uint64_t v, uint64_t by, unsigned w) {
    return by >= w ? 0 : v >> by;
}

static au_bits shifted_right(au_bits a, au_bits b, unsigned w) {
    return au_bits_unsigned_(right(a.ulo, b.uhi, w), right(a.uhi, b.ulo, w), w);
}

static au_bits shifted_signed(au_bits a, au_bits b, unsigned w) {
    unsigned least = b.ulo < w ? (unsigned)b.ulo : w - 1;
    unsigned most = b.uhi < w ? (unsigned)b.uhi : w - 1;
    return au_bits_signed_(a.slo >> (a.slo < 0 ? least : most), a.shi >> (a.shi < 0 ? most : least),
                           w);
}

static au_bits truth(bool may_fail, bool may_hold) {
    return au_bits_of_((au_interval){!may_fail, may_hold}, 1);
}

static au_bits compared(au_term_op op, au_bits a, au_bits b) {
    switch (op) {
    case AU_T_EQ:
        return truth(!single(a) || !single(b) || a.ulo != b.ulo,
                     a.slo <= b.shi && b.slo <= a.shi && a.ulo <= b.uhi && b.ulo <= a.uhi);
    case AU_T_ULT:
        return truth(a.uhi >= b.ulo, a.ulo < b.uhi);
    case AU_T_ULE:
        return truth(a.uhi > b.ulo, a.ulo <= b.uhi);
    case AU_T_SLT:
        return truth(a.shi >= b.slo, a.slo < b.shi);
    default:
        return truth(a.shi > b.slo, a.slo <= b.shi);
    }
}

/* Bits low … low + w - 1. */
static au_bits extracted(au_bits a, unsigned low, unsigned w) {
    return both(au_bits_unsigned_(a.ulo >> low, a.uhi >> low, w),
                au_bits_signed_(a.slo >> low, a.shi >> low, w), w);
}

static au_bits of_node(au_intervals *e, au_term x) {
    const au_terms *t = e->t;
    unsigned w = au_term_width(t, x), kids = au_term_kids(t, x);
    au_bits k[3] = {{0}};
    for (unsigned i = 0; i < kids; i++)
        k[i] = e->bits.at[au_term_kid(t, x, i).n];
    au_term_op op = au_term_kind(t, x);
    switch (op) {
    case AU_T_CONST:
        return au_bits_of_(au_interval_value(au_term_value(t, x), w), w);
    case AU_T_VAR:
        return au_bits_of_(e->by_var[au_term_var(t, x)], w);
    case AU_T_NOT:
        return both(au_bits_signed_(-(au_wide)k[0].shi - 1, -(au_wide)k[0].slo - 1, w),
                    au_bits_unsigned_(au_mask(w) - k[0].uhi, au_mask(w) - k[0].ulo, w), w);
    case AU_T_NEG:
        return difference((au_bits){0, 0, 0, 0}, k[0], w);
    case AU_T_ADD:
        return sum(k[0], k[1], w);
    case AU_T_SUB:
        return difference(k[0], k[1], w);
    case AU_T_MUL:
        return product(k[0], k[1], w);
    case AU_T_SDIV:
        return quotient(k[0], k[1], w);
    case AU_T_SREM:
        return remainder_of(k[0], k[1], w);
    case AU_T_UDIV:
        return unsigned_quotient(k[0], k[1], w);
    case AU_T_UREM:
        return unsigned_remainder(k[0], k[1], w);
    case AU_T_AND:
    case AU_T_OR:
    case AU_T_XOR:
        return bitwise(op, k[0], k[1], w);
    case AU_T_SHL:
        return shifted_left(k[0], k[1], w);
    case AU_T_LSHR:
        return shifted_right(k[0], k[1], w);
    case AU_T_ASHR:
        return shifted_signed(k[0], k[1], w);
    case AU_T_EQ:
    case AU_T_ULT:
    case AU_T_ULE:
    case AU_T_SLT:
    case AU_T_SLE:
        return compared(op, k[0], k[1]);
    case AU_T_ITE:
        return single(k[0]) ? k[k[0].ulo ? 1 : 2] : joined(k[1], k[2]);
    case AU_T_ZEXT:
        return au_bits_unsigned_(k[0].ulo, k[0].uhi, w);
    case AU_T_SEXT:
        return au_bits_signed_(k[0].slo, k[0].shi, w);
    case AU_T_EXTRACT:
        return extracted(k[0], au_term_low(t, x), w);
    case AU_T_CONCAT: {
        unsigned low = au_term_width(t, au_term_kid(t, x, 1));
        return au_bits_unsigned_((au_wide)k[0].ulo << low | k[1].ulo,
                                 (au_wide)k[0].uhi << low | k[1].uhi, w);
    }
    default:
        return au_bits_full_(w);
    }
}

/* --- terms ------------------------------------------------------------------------------------------ */

au_intervals *au_intervals_new(const au_terms *t) {
    au_intervals *e = AU_NEW(au_intervals);
    e->t = t;
    return e;
}

void au_intervals_free(au_intervals *e) {
    if (!e)
        return;
    au_vec_release(&e->bits);
    au_vec_release(&e->at);
    au_vec_release(&e->stack);
    free(e);
}

void au_intervals_over(au_intervals *e, const au_interval *by_var) {
    size_t n = au_terms_count(e->t), old = e->at.n;
    e->by_var = by_var;
    if (n > old) {
        au_vec_reserve(&e->bits, n);
        au_vec_reserve(&e->at, n);
        memset(e->at.at + old, 0, (n - old) * sizeof *e->at.at);
        e->bits.n = e->at.n = n;
    }
    if (!++e->now) {
        memset(e->at.at, 0, e->at.n * sizeof *e->at.at);
        e->now = 1;
    }
}

au_bits au_intervals_bits_(au_intervals *e, au_term x) {
    if (e->at.at[x.n] == e->now)
        return e->bits.at[x.n];
    au_vec_push(&e->stack, x);
    while (e->stack.n) {
        au_term at = au_vec_last(&e->stack);
        bool ready = true;
        for (unsigned i = 0; i < au_term_kids(e->t, at); i++) {
            au_term kid = au_term_kid(e->t, at, i);
            if (e->at.at[kid.n] != e->now) {
                au_vec_push(&e->stack, kid);
                ready = false;
            }
        }
        if (!ready)
            continue;
        e->stack.n--;
        e->bits.at[at.n] = of_node(e, at);
        e->at.at[at.n] = e->now;
    }
    return e->bits.at[x.n];
}

au_interval au_intervals_of(au_intervals *e, au_term x) {
    return au_bits_interval_(au_intervals_bits_(e, x), au_term_width(e->t, x));
}

au_truth au_intervals_truth(au_intervals *e, au_term x) {
    au_bits b = au_intervals_bits_(e, x);
    return b.ulo ? AU_TRUTH_TRUE : b.uhi ? AU_TRUTH_EITHER : AU_TRUTH_FALSE;
}
