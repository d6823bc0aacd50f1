/* retrace/wide.c: floating point, vectors, integers of more than 64 bits: computed with the
 * machine's own types. Terms that go in are pinned; a lane is unknown if anything that
 * it is made of is. */
#include "retrace/retrace_priv.h"

#include <math.h>

static u128 mask_of(unsigned bits) {
    return bits >= 128 ? ~(u128)0 : ((u128)1 << bits) - 1;
}

static i128 extend(u128 v, unsigned bits) {
    return (i128)(v << (128 - bits)) >> (128 - bits);
}

/* ---- operands and results ---------------------------------------------------------------------- */

typedef struct {
    u128 v;
    bool known;
} lane;

static lane get_lane(au_retracer *x, au_rthread *t, const au_rframe *f, au_operand o, unsigned bits,
                     uint64_t number) {
    uint64_t first = number * bits, last = first + bits - 1;
    lane l = {0, true};
    for (uint64_t s = first / 64; s <= last / 64; s++) {
        au_val v = au_retrace_part(x, t, f, o, (uint32_t)s);
        if (v.m > AU_UNKNOWN) {
            au_retrace_stand(x, t, f);
            au_sym_pin(x->sym, v, 64, "floating point, vectors and wide integers");
        }
        if (v.m == AU_UNKNOWN || (au_made_up(v.v) && bits != 64))
            l.known = false;
        int64_t at = (int64_t)(s * 64) - (int64_t)first; /* of its bit 0 in the lane */
        if (at < 0)
            l.v |= (u128)(v.v >> -at);
        else if (at < 128)
            l.v |= (u128)v.v << at;
    }
    l.v &= mask_of(bits);
    return l;
}

typedef AU_VEC(au_val) values;

static void begin(values *r, uint64_t bits) {
    for (uint64_t k = 0; k < (bits + 63) / 64; k++)
        au_vec_push(r, ((au_val){0, AU_KNOWN}));
}

static void put_lane(values *r, unsigned bits, uint64_t number, lane l) {
    uint64_t first = number * bits;
    l.v &= mask_of(bits);
    for (unsigned done = 0; done < bits;) {
        uint64_t at = first + done;
        unsigned n = 64 - at % 64 < bits - done ? (unsigned)(64 - at % 64) : bits - done;
        au_val *s = &r->at[at / 64];
        uint64_t part = (uint64_t)(l.v >> done);
        s->v |= (n == 64 ? part : part & ((UINT64_C(1) << n) - 1)) << at % 64;
        if (!l.known)
            s->m = AU_UNKNOWN;
        done += n;
    }
}

/* ---- floating point ------------------------------------------------------------------------------ */

static long double as_float(u128 v, uint8_t kind) {
    uint64_t low = (uint64_t)v;
    uint32_t half = (uint32_t)v;
    float fl;
    double db;
    long double ld = 0;
    switch (kind) {
    case AU_LANE_FLOAT:
        memcpy(&fl, &half, 4);
        return fl;
    case AU_LANE_DOUBLE:
        memcpy(&db, &low, 8);
        return db;
    default:
        memcpy(&ld, &v, 10);
        return ld;
    }
}

static u128 from_float(long double v, uint8_t kind) {
    u128 r = 0;
    float fl = (float)v;
    double db = (double)v;
    switch (kind) {
    case AU_LANE_FLOAT:
        memcpy(&r, &fl, 4);
        break;
    case AU_LANE_DOUBLE:
        memcpy(&r, &db, 8);
        break;
    default:
        memcpy(&r, &v, 10);
        break;
    }
    return r;
}

#define IN_TYPE(T, fmod_, a, b, op)                                                                \
    ((op) == AU_W_FADD   ? (T)(a) + (T)(b)                                                         \
     : (op) == AU_W_FSUB ? (T)(a) - (T)(b)                                                         \
     : (op) == AU_W_FMUL ? (T)(a) * (T)(b)                                                         \
     : (op) == AU_W_FDIV ? (T)(a) / (T)(b)                                                         \
                         : fmod_((T)(a), (T)(b)))

/* In the type itself: rounding twice would not be the same. */
static long double arithmetic(uint8_t op, uint8_t kind, long double a, long double b) {
    switch (kind) {
    case AU_LANE_FLOAT:
        return IN_TYPE(float, fmodf, a, b, op);
    case AU_LANE_DOUBLE:
        return IN_TYPE(double, fmod, a, b, op);
    default:
        return IN_TYPE(long double, fmodl, a, b, op);
    }
}

static u128 sign_bit(uint8_t kind) {
    return (u128)1 << (kind == AU_LANE_FLOAT ? 31 : kind == AU_LANE_DOUBLE ? 63 : 79);
}

/* Which of the predicate's bits (equal 1, greater 2, less 4, unordered 8) holds. */
static bool compare_floats(uint8_t predicate, long double a, long double b) {
    unsigned is = isnan(a) || isnan(b) ? 8 : a == b ? 1 : a > b ? 2 : 4;
    return (predicate & is) != 0;
}

/* The functions that are exact, whoever computes them. */
static bool math(const char *name, uint8_t kind, const lane *in, unsigned n, u128 *out) {
    static const char *const one[] = {"floor",     "ceil",  "trunc", "rint",
                                      "nearbyint", "round", "sqrt",  "roundeven"};
    long double a = as_float(in[0].v, kind), b = n > 1 ? as_float(in[1].v, kind) : 0, r;
    u128 sign = sign_bit(kind);
    if (!strncmp(name, "llvm.", 5))
        name += 5;
    size_t length = strcspn(name, ".");
#define IS(text) (length == strlen(text) && !strncmp(name, text, length))
    if (IS("fabs")) {
        *out = in[0].v & ~sign;
        return true;
    }
    if (IS("copysign") && n > 1) {
        *out = (in[0].v & ~sign) | (in[1].v & sign);
        return true;
    }
    if (IS("fma") && n > 2) {
        long double c = as_float(in[2].v, kind);
        r = kind == AU_LANE_FLOAT    ? fmaf((float)a, (float)b, (float)c)
            : kind == AU_LANE_DOUBLE ? fma((double)a, (double)b, (double)c)
                                     : fmal(a, b, c);
        *out = from_float(r, kind);
        return true;
    }
    unsigned k = 0;
    while (k < sizeof one / sizeof *one && !IS(one[k]))
        k++;
    switch (k) {
    case 0:
        r = floorl(a);
        break;
    case 1:
        r = ceill(a);
        break;
    case 2:
        r = truncl(a);
        break;
    case 3:
    case 4:
        r = kind == AU_LANE_FLOAT    ? rintf((float)a)
            : kind == AU_LANE_DOUBLE ? rint((double)a)
                                     : rintl(a);
        break;
    case 5:
        r = kind == AU_LANE_FLOAT    ? roundf((float)a)
            : kind == AU_LANE_DOUBLE ? round((double)a)
                                     : roundl(a);
        break;
    case 6:
        r = kind == AU_LANE_FLOAT    ? sqrtf((float)a)
            : kind == AU_LANE_DOUBLE ? sqrt((double)a)
                                     : sqrtl(a);
        break;
    default:
        return false;
    }
#undef IS
    if (isnan(r))
        return false; /* which one is the machine's choice */
    *out = from_float(r, kind);
    return true;
}

/* ---- integers --------------------------------------------------------------------------------------- */

static bool integer(au_code_op op, unsigned bits, const lane *in, u128 *out) {
    u128 a = in[0].v, b = in[1].v, c = in[2].v;
    if (bits <= 64) {
        uint64_t r;
        if (op == AU_C_FSHL || op == AU_C_FSHR) {
            u128 both = (a << bits | b);
            uint64_t by = (uint64_t)c % bits;
            *out = (op == AU_C_FSHL ? both << by >> bits : both >> by) & mask_of(bits);
            return true;
        }
        if (!au_retrace_compute(op, bits, (uint64_t)a, (uint64_t)b, &r))
            return false;
        *out = r;
        return true;
    }
    i128 sa = extend(a, bits), sb = extend(b, bits);
    switch (op) {
    case AU_C_ADD:
        *out = a + b;
        return true;
    case AU_C_SUB:
        *out = a - b;
        return true;
    case AU_C_MUL:
        *out = a * b;
        return true;
    case AU_C_UDIV:
    case AU_C_UREM:
        if (!b)
            return false;
        *out = op == AU_C_UDIV ? a / b : a % b;
        return true;
    case AU_C_SDIV:
    case AU_C_SREM:
        if (!b || (sb == -1 && a == (u128)1 << (bits - 1)))
            return false;
        *out = (u128)(op == AU_C_SDIV ? sa / sb : sa % sb);
        return true;
    case AU_C_SHL:
    case AU_C_LSHR:
    case AU_C_ASHR:
        if (b >= bits)
            return false;
        *out = op == AU_C_SHL    ? a << (unsigned)b
               : op == AU_C_LSHR ? a >> (unsigned)b
                                 : (u128)(sa >> (unsigned)b);
        return true;
    case AU_C_AND:
        *out = a & b;
        return true;
    case AU_C_OR:
        *out = a | b;
        return true;
    case AU_C_XOR:
        *out = a ^ b;
        return true;
    case AU_C_SMIN:
        *out = sa < sb ? a : b;
        return true;
    case AU_C_SMAX:
        *out = sa > sb ? a : b;
        return true;
    case AU_C_UMIN:
        *out = a < b ? a : b;
        return true;
    case AU_C_UMAX:
        *out = a > b ? a : b;
        return true;
    case AU_C_ABS:
        *out = sa < 0 ? -a : a;
        return true;
    default:
        return false;
    }
}

bool au_retrace_compare(au_code_op op, unsigned bits, u128 a, u128 b) {
    i128 sa = extend(a, bits), sb = extend(b, bits);
    switch (op) {
    case AU_C_EQ:
        return a == b;
    case AU_C_NE:
        return a != b;
    case AU_C_ULT:
        return a < b;
    case AU_C_ULE:
        return a <= b;
    case AU_C_SLT:
        return sa < sb;
    default:
        return sa <= sb;
    }
}

/* ---- one lane ------------------------------------------------------------------------------------------ */

static bool float_to_integer(const struct au_code_wide *w, long double a, u128 *out) {
    long double top = ldexpl(1, w->op == AU_W_FPTOSI ? w->bits - 1 : w->bits);
    long double low = w->op == AU_W_FPTOSI ? -top : 0;
    if (!(a > low - 1 && a < top))
        return false;
    *out = w->op == AU_W_FPTOSI ? (u128)(i128)a : (u128)a;
    return true;
}

/* Rounded once, to the type itself. */
static u128 integer_to_float(const struct au_code_wide *w, u128 a) {
    bool is_signed = w->op == AU_W_SITOFP;
    i128 s = extend(a, w->from_bits);
    u128 r = 0;
    if (w->lane == AU_LANE_FLOAT) {
        float fl = is_signed ? (float)s : (float)a;
        memcpy(&r, &fl, 4);
    } else if (w->lane == AU_LANE_DOUBLE) {
        double db = is_signed ? (double)s : (double)a;
        memcpy(&r, &db, 8);
    } else {
        long double ld = is_signed ? (long double)s : (long double)a;
        memcpy(&r, &ld, 10);
    }
    return r;
}

static bool one_lane(const au_code *code, const struct au_code_wide *w, const lane *in, u128 *out) {
    u128 a = in[0].v;
    switch (w->op) {
    case AU_W_FADD:
    case AU_W_FSUB:
    case AU_W_FMUL:
    case AU_W_FDIV:
    case AU_W_FREM: {
        long double r =
            arithmetic(w->op, w->lane, as_float(a, w->lane), as_float(in[1].v, w->lane));
        *out = from_float(r, w->lane);
        return !isnan(r);
    }
    case AU_W_FNEG:
        *out = a ^ sign_bit(w->lane);
        return true;
    case AU_W_FCMP:
        *out = compare_floats(w->pred, as_float(a, w->from_lane), as_float(in[1].v, w->from_lane));
        return true;
    case AU_W_FPTRUNC:
    case AU_W_FPEXT: {
        long double v = as_float(a, w->from_lane);
        *out = from_float(v, w->lane);
        return !isnan(v);
    }
    case AU_W_FPTOSI:
    case AU_W_FPTOUI:
        return float_to_integer(w, as_float(a, w->from_lane), out);
    case AU_W_SITOFP:
    case AU_W_UITOFP:
        *out = integer_to_float(w, a);
        return true;
    case AU_W_FMATH:
        return math(au_code_text(code, w->name), w->lane, in, w->n_operands, out);
    case AU_W_INT:
        return integer(w->pred, w->bits, in, out);
    case AU_W_ICMP:
        *out = au_retrace_compare(w->pred, w->from_bits, a, in[1].v);
        return true;
    case AU_W_CAST:
        *out = w->pred == AU_C_SEXT ? (u128)extend(a, w->from_bits) : a;
        return true;
    default:
        return false;
    }
}

/* ---- instructions ---------------------------------------------------------------------------------------- */

static void by_lane(au_retracer *x, au_rthread *t, const au_rframe *f, const struct au_code_wide *w,
                    values *r) {
    unsigned from = w->op == AU_W_INT ? w->bits : w->from_bits;
    for (uint32_t k = 0; k < w->lanes; k++) {
        lane in[4] = {{0, true}, {0, true}, {0, true}, {0, true}}, out = {0, true};
        for (uint32_t j = 0; j < w->n_operands && j < 4; j++) {
            /* ABS, CTLZ: a flag that is no vector */
            bool flag = w->op == AU_W_INT && j == 1 &&
                        (w->pred == AU_C_ABS || w->pred == AU_C_CTLZ || w->pred == AU_C_CTTZ);
            in[j] = flag ? (lane){0, true} : get_lane(x, t, f, w->operand[j], from, k);
            out.known = out.known && in[j].known;
        }
        if (out.known)
            out.known = one_lane(f->module->code, w, in, &out.v);
        put_lane(r, w->bits, k, out);
    }
}

static void choose(au_retracer *x, au_rthread *t, const au_rframe *f, const struct au_code_wide *w,
                   values *r) {
    /* from_*: of the condition, one bit a lane */
    for (uint32_t k = 0; k < w->lanes; k++) {
        lane c = get_lane(x, t, f, w->operand[0], 1, w->from_lanes > 1 ? k : 0);
        lane a = get_lane(x, t, f, w->operand[1], w->bits, k);
        lane b = get_lane(x, t, f, w->operand[2], w->bits, k);
        lane l = c.v ? a : b;
        l.known = l.known && (c.known || (a.known && b.known && a.v == b.v));
        put_lane(r, w->bits, k, l);
    }
}

static void shuffle(au_retracer *x, au_rthread *t, const au_rframe *f, const struct au_code_wide *w,
                    values *r) {
    for (uint32_t k = 0; k < w->n_mask && k < w->lanes; k++) {
        uint32_t from = f->module->code->index[w->mask + k];
        lane l = {0, false};
        if (from < w->from_lanes)
            l = get_lane(x, t, f, w->operand[0], w->from_bits, from);
        else if (from != AU_NONE)
            l = get_lane(x, t, f, w->operand[1], w->from_bits, from - w->from_lanes);
        put_lane(r, w->bits, k, l);
    }
}

/* The lane an operand says; false: none. */
static bool which(au_retracer *x, au_rthread *t, const au_rframe *f, au_operand o, uint32_t lanes,
                  uint64_t *n) {
    au_val v = au_retrace_get(x, t, f, o);
    if (v.m > AU_UNKNOWN) {
        au_retrace_stand(x, t, f);
        au_sym_pin(x->sym, v, 64, "which lane of a vector");
    }
    *n = v.v;
    return v.m != AU_UNKNOWN && v.v < lanes;
}

static void element(au_retracer *x, au_rthread *t, const au_rframe *f, const struct au_code_wide *w,
                    values *r) {
    uint64_t n;
    if (w->op == AU_W_EXTRACT) {
        lane l = {0, false};
        if (which(x, t, f, w->operand[1], w->from_lanes, &n))
            l = get_lane(x, t, f, w->operand[0], w->from_bits, n);
        put_lane(r, w->bits, 0, l);
        return;
    }
    bool sure = which(x, t, f, w->operand[2], w->lanes, &n);
    for (uint32_t k = 0; k < w->lanes; k++) {
        lane l = get_lane(x, t, f, w->operand[0], w->bits, k);
        if (sure && k == n)
            l = get_lane(x, t, f, w->operand[1], w->bits, 0);
        l.known = l.known && sure;
        put_lane(r, w->bits, k, l);
    }
}

static void reduce(au_retracer *x, au_rthread *t, const au_rframe *f, const struct au_code_wide *w,
                   values *r) {
    lane all = get_lane(x, t, f, w->operand[0], w->from_bits, 0);
    for (uint32_t k = 1; k < w->from_lanes; k++) {
        lane in[3] = {all, get_lane(x, t, f, w->operand[0], w->from_bits, k), {0, true}};
        all.known = in[0].known && in[1].known && integer(w->pred, w->from_bits, in, &all.v);
        all.v &= mask_of(w->from_bits);
    }
    put_lane(r, w->bits, 0, all);
}

void au_retrace_wide(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i) {
    const struct au_code_wide *w = &f->module->code->wide[i->aux];
    values r = {0};
    begin(&r, (uint64_t)w->bits * w->lanes);
    switch (w->op) {
    case AU_W_SELECT:
        choose(x, t, f, w, &r);
        break;
    case AU_W_SHUFFLE:
        shuffle(x, t, f, w, &r);
        break;
    case AU_W_EXTRACT:
    case AU_W_INSERT:
        element(x, t, f, w, &r);
        break;
    case AU_W_REDUCE:
        reduce(x, t, f, w, &r);
        break;
    default:
        by_lane(x, t, f, w, &r);
        break;
    }
    for (size_t k = 0; i->dst != AU_NONE && k < r.n; k++)
        au_retrace_set(t, f, i->dst + (uint32_t)k, r.at[k]);
    au_vec_release(&r);
}

void au_retrace_unmodelled(au_retracer *x, au_rthread *t, const au_rframe *f,
                           const au_code_insn *i) {
    const au_code *code = f->module->code;
    if (x->sym) {
        au_retrace_stand(x, t, f);
        for (int32_t k = 0; k < i->b; k++) {
            au_val v = au_retrace_get(x, t, f, code->operand[i->a + k]);
            if (v.m > AU_UNKNOWN)
                au_sym_pin(x->sym, v, 64, au_code_text(code, i->aux));
        }
    }
    for (int32_t k = 0; i->dst != AU_NONE && k < i->c; k++)
        au_retrace_set(t, f, i->dst + (uint32_t)k, (au_val){0, AU_UNKNOWN});
}

/* ---- bytes ------------------------------------------------------------------------------------------------ */

void au_retrace_bytes_get(au_retracer *x, au_rthread *t, const au_rframe *f,
                          const au_code_insn *i) {
    unsigned offset = i->aux & 0xffff, bytes = i->width ? (i->width + 7u) / 8 : i->aux >> 16;
    for (unsigned done = 0; done < bytes; done += 8) {
        unsigned n = bytes - done < 8 ? bytes - done : 8, at = offset + done;
        unsigned width = i->width ? i->width : 8 * n;
        au_val s[2] = {au_retrace_part(x, t, f, i->a, at / 8), {0, AU_KNOWN}};
        bool two = at % 8 + n > 8;
        if (two)
            s[1] = au_retrace_part(x, t, f, i->a, at / 8 + 1);
        uint64_t v = s[0].v >> 8 * (at % 8);
        if (two)
            v |= s[1].v << (64 - 8 * (at % 8));
        au_val r = {au_low_bits(v, width), AU_KNOWN};
        if (s[0].m > AU_UNKNOWN || s[1].m > AU_UNKNOWN) {
            au_retrace_stand(x, t, f);
            r.m = au_sym_bytes_get(x->sym, s, at % 8, width, r.v);
        } else if (s[0].m || s[1].m) {
            r.m = AU_UNKNOWN;
        }
        au_retrace_set(t, f, i->dst + done / 8, r);
    }
}

/* n bytes of v at an offset of the row. */
static void put_bytes(au_retracer *x, au_rthread *t, const au_rframe *f, values *row,
                      unsigned offset, unsigned n, unsigned width, au_val v) {
    au_val *s = &row->at[offset / 8];
    unsigned shift = offset % 8;
    bool two = shift + n > 8;
    bool plain = s->m <= AU_UNKNOWN && (!two || s[1].m <= AU_UNKNOWN) && v.m <= AU_UNKNOWN;
    uint64_t mask = n == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * n) - 1;
    s->v = (s->v & ~(mask << 8 * shift)) | (v.v & mask) << 8 * shift;
    if (two)
        s[1].v = (s[1].v & ~(mask >> (64 - 8 * shift))) | (v.v & mask) >> (64 - 8 * shift);
    if (!plain) {
        au_retrace_stand(x, t, f);
        au_sym_bytes_put(x->sym, s, shift, width, v);
        return;
    }
    /* a slot that is written wholly is as known as what is written */
    bool whole = n == 8 && !shift;
    s->m = whole ? v.m : s->m | v.m;
    if (two)
        s[1].m |= v.m;
}

void au_retrace_bytes_put(au_retracer *x, au_rthread *t, const au_rframe *f,
                          const au_code_insn *i) {
    values row = {0};
    unsigned offset = i->aux & 0xffff, bytes = i->width ? (i->width + 7u) / 8 : i->aux >> 16;
    for (int32_t k = 0; k < i->c; k++)
        au_vec_push(&row, au_retrace_part(x, t, f, i->a, (uint32_t)k));
    au_vec_push(&row, ((au_val){0, AU_KNOWN})); /* so that a pair is always there */
    for (unsigned done = 0; done < bytes; done += 8) {
        unsigned n = bytes - done < 8 ? bytes - done : 8;
        if ((offset + done + n - 1) / 8 >= (unsigned)i->c)
            break;
        put_bytes(x, t, f, &row, offset + done, n, i->width ? i->width : 8 * n,
                  au_retrace_part(x, t, f, i->b, done / 8));
    }
    for (int32_t k = 0; k < i->c; k++)
        au_retrace_set(t, f, i->dst + (uint32_t)k, row.at[k]);
    au_vec_release(&row);
}

/* ---- overflow ------------------------------------------------------------------------------------------------ */

static bool overflows(au_code_op op, bool is_signed, unsigned bits, u128 a, u128 b, u128 *r) {
    i128 s;
    bool over;
    if (is_signed) {
        i128 x = extend(a, bits), y = extend(b, bits);
        over = op == AU_C_ADD   ? __builtin_add_overflow(x, y, &s)
               : op == AU_C_SUB ? __builtin_sub_overflow(x, y, &s)
                                : __builtin_mul_overflow(x, y, &s);
        *r = (u128)s & mask_of(bits);
        return over || extend(*r, bits) != s;
    }
    u128 u;
    over = op == AU_C_ADD   ? __builtin_add_overflow(a, b, &u)
           : op == AU_C_SUB ? __builtin_sub_overflow(a, b, &u)
                            : __builtin_mul_overflow(a, b, &u);
    *r = u & mask_of(bits);
    return over || *r != u;
}

void au_retrace_overflow(au_retracer *x, au_rthread *t, const au_rframe *f, const au_code_insn *i) {
    bool is_signed = i->flags & AU_CF_SIGNED;
    unsigned bits = i->width, bit = i->aux;
    uint32_t slots = bit / 8 + 1;
    u128 r;
    values row = {0};
    begin(&row, 64 * (uint64_t)slots);
    if (bits > 64) {
        lane a = get_lane(x, t, f, i->a, bits, 0), b = get_lane(x, t, f, i->b, bits, 0);
        bool over = overflows(i->from, is_signed, bits, a.v, b.v, &r);
        put_lane(&row, bits, 0, (lane){r, a.known && b.known});
        row.at[bit / 8].v |= (uint64_t)over << 8 * (bit % 8);
        if (!a.known || !b.known)
            row.at[bit / 8].m = AU_UNKNOWN;
    } else {
        au_val a = au_retrace_get(x, t, f, i->a), b = au_retrace_get(x, t, f, i->b);
        bool over = overflows(i->from, is_signed, bits, a.v, b.v, &r);
        au_val sum = {(uint64_t)r, AU_KNOWN}, flag = {over, AU_KNOWN};
        if (a.m > AU_UNKNOWN || b.m > AU_UNKNOWN) {
            au_retrace_stand(x, t, f);
            sum.m = au_sym_binary(x->sym, i->from, bits, a, b, sum.v);
            flag.m = au_sym_overflow(x->sym, i->from, is_signed, bits, a, b, over);
        } else if (a.m || b.m || au_made_up(a.v) || au_made_up(b.v)) {
            sum.m = flag.m = AU_UNKNOWN;
        }
        au_vec_push(&row, ((au_val){0, AU_KNOWN}));
        put_bytes(x, t, f, &row, 0, (bits + 7) / 8, bits, sum);
        put_bytes(x, t, f, &row, bit, 1, 1, flag);
    }
    for (uint32_t k = 0; k < slots; k++)
        au_retrace_set(t, f, i->dst + k, row.at[k]);
    au_vec_release(&row);
}
