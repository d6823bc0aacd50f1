/* model/ctp_build.c: expressions become terms.
 *
 * Every name has a width, and an operator wants operands of one width. Numbers have none
 * of their own, nor have truth values, and what is computed from these alone: they take the
 * width that the other operand, the assigned variable or a cast asks for, 32 bits if nobody
 * does; a truth value is 0 or 1 then. Where a cast asks how wide its operand is, a truth value
 * has one bit. So text without a declared width means what it means in 32 bits, everywhere.
 *
 * First every expression gets its width from the leaves up (type), then terms are built
 * from the root down, so that each knows which width is wanted. */
#include "model/ctp_priv.h"

typedef struct {
    au_ctp_lex *x;
    au_terms *t;
    const au_ctp_view *v;
    au_ctp_expr *const *bind; /* what $1 … stand for */
    au_term *let;             /* … as terms */
} builder;

static bool is_own(unsigned width) {
    return width != AU_CTP_FREE && width != AU_CTP_TRUTH;
}

/* The width that the operands of a comparison share. */
static unsigned of_both(const au_ctp_expr *e) {
    unsigned l = e->kid[0]->width, r = e->kid[1]->width;
    return is_own(l) ? l : is_own(r) ? r : 32;
}

/* The width that a cast finds. */
static unsigned alone(const au_ctp_expr *e) {
    return e->width == AU_CTP_TRUTH ? 1 : e->width == AU_CTP_FREE ? 32 : e->width;
}

/* What an operator is called in a message. */
static int op_len(const builder *b, const au_ctp_expr *e) {
    if (e->op == CTP_CALL)
        return (int)au_ctp_word_len(b->x, e->off);
    const char *s = b->x->text + e->off;
    static const char two[][3] = {"||", "&&", "==", "!=", "<=", ">=", "<<", ">>"};
    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
        if (e->off + 1 < b->x->n && memcmp(s, two[i], 2) == 0)
            return 2;
    return 1;
}

/* Two operands side by side. */
static bool joined(builder *b, const au_ctp_expr *e, const au_ctp_expr *l, const au_ctp_expr *r,
                   uint8_t *out) {
    if (is_own(l->width) && is_own(r->width) && l->width != r->width)
        return au_ctp_fail(
            b->x, e->off, "'%.*s' between %u bits and %u bits: cast one with zext, sext or extract",
            op_len(b, e), b->x->text + e->off, l->width, r->width);
    *out = is_own(l->width) ? l->width : is_own(r->width) ? r->width : AU_CTP_FREE;
    return true;
}

static bool type_cast(builder *b, au_ctp_expr *e) {
    unsigned from = alone(e->kid[0]);
    e->width = e->wide;
    if (e->call == CTP_W_EXTRACT) {
        if (e->low + (unsigned)e->wide > from)
            return au_ctp_fail(b->x, e->off, "extract of bits %u to %u from %u bits", e->low,
                               e->low + e->wide - 1u, from);
    } else if (e->wide < from) {
        return au_ctp_fail(b->x, e->off, "'%.*s' of %u bits to %u: take some with extract",
                           op_len(b, e), b->x->text + e->off, from, e->wide);
    }
    return true;
}

static bool type_call(builder *b, au_ctp_expr *e) {
    switch ((au_ctp_word)e->call) {
    case CTP_W_ZEXT:
    case CTP_W_SEXT:
    case CTP_W_EXTRACT:
        return type_cast(b, e);
    case CTP_W_CONCAT: {
        unsigned sum = alone(e->kid[0]) + alone(e->kid[1]);
        if (sum > 64)
            return au_ctp_fail(b->x, e->off, "concat makes %u bits, more than 64", sum);
        e->width = (uint8_t)sum;
        return true;
    }
    case CTP_W_ULT:
    case CTP_W_ULE:
        if (!joined(b, e, e->kid[0], e->kid[1], &e->width))
            return false;
        e->width = AU_CTP_TRUTH;
        return true;
    default:
        return joined(b, e, e->kid[0], e->kid[1], &e->width);
    }
}

static bool type(builder *b, au_ctp_expr *e) {
    for (int i = 0; i < 3 && e->kid[i]; i++)
        if (!type(b, e->kid[i]))
            return false;
    switch (e->op) {
    case CTP_NUMBER:
        e->width = e->wide;
        return true;
    case CTP_DOLLAR: { /* what has no width has been made 32 bits wide */
        unsigned w = b->bind[e->value]->width;
        e->width = w == AU_CTP_FREE ? 32 : (uint8_t)w;
        return true;
    }
    case CTP_NAME:
        return (e->width = (uint8_t)b->v->width(b->v->ctx, e)) != 0;
    case CTP_CALL:
        if (e->call >= CTP_W_OWNER)
            return (e->width = (uint8_t)b->v->width(b->v->ctx, e)) != 0;
        return type_call(b, e);
    case CTP_QUESTION:
        if (e->kid[1]->width == AU_CTP_TRUTH && e->kid[2]->width == AU_CTP_TRUTH) {
            e->width = AU_CTP_TRUTH;
            return true;
        }
        return joined(b, e, e->kid[1], e->kid[2], &e->width);
    case CTP_OROR:
    case CTP_ANDAND:
    case CTP_NOT:
        e->width = AU_CTP_TRUTH;
        return true;
    case CTP_EQ:
    case CTP_NE:
    case CTP_LT:
    case CTP_LE:
    case CTP_GT:
    case CTP_GE:
        if (!joined(b, e, e->kid[0], e->kid[1], &e->width))
            return false;
        e->width = AU_CTP_TRUTH;
        return true;
    default:
        if (e->kid[1])
            return joined(b, e, e->kid[0], e->kid[1], &e->width);
        e->width = is_own(e->kid[0]->width) ? e->kid[0]->width : AU_CTP_FREE;
        return true;
    }
}

/* ---- terms ---- */

static au_term value(builder *b, const au_ctp_expr *e, unsigned w);
static au_term truth(builder *b, const au_ctp_expr *e);

static au_term compare(builder *b, const au_ctp_expr *e) {
    unsigned w = of_both(e);
    au_term l = value(b, e->kid[0], w), r = value(b, e->kid[1], w);
    switch (e->op) {
    case CTP_EQ:
        return au_term_eq(b->t, l, r);
    case CTP_NE:
        return au_term_not(b->t, au_term_eq(b->t, l, r));
    case CTP_LT:
        return au_term_make(b->t, AU_T_SLT, l, r);
    case CTP_LE:
        return au_term_make(b->t, AU_T_SLE, l, r);
    case CTP_GT:
        return au_term_make(b->t, AU_T_SLT, r, l);
    case CTP_GE:
        return au_term_make(b->t, AU_T_SLE, r, l);
    default:
        return au_term_make(b->t, e->call == CTP_W_ULT ? AU_T_ULT : AU_T_ULE, l, r);
    }
}

/* The count of '<<' and '>>' is taken modulo the width. */
static au_term count(builder *b, au_term r, unsigned w) {
    if (w & (w - 1))
        return au_term_make(b->t, AU_T_UREM, r, au_term_const(b->t, w, w));
    return au_term_and(b->t, r, au_term_const(b->t, w, w - 1));
}

static au_term arithmetic(builder *b, const au_ctp_expr *e, unsigned w) {
    au_terms *t = b->t;
    au_term l = value(b, e->kid[0], w);
    if (!e->kid[1])
        return e->op == CTP_PLUS    ? l
               : e->op == CTP_MINUS ? au_term_make(t, AU_T_NEG, l, l)
                                    : au_term_not(t, l);
    au_term r = value(b, e->kid[1], w);
    switch (e->op) {
    case CTP_OR:
        return au_term_or(t, l, r);
    case CTP_XOR:
        return au_term_make(t, AU_T_XOR, l, r);
    case CTP_AND:
        return au_term_and(t, l, r);
    case CTP_SHL:
    case CTP_SHR:
        return au_term_make(t, e->op == CTP_SHL ? AU_T_SHL : AU_T_ASHR, l, count(b, r, w));
    case CTP_PLUS:
        return au_term_make(t, AU_T_ADD, l, r);
    case CTP_MINUS:
        return au_term_make(t, AU_T_SUB, l, r);
    case CTP_STAR:
        return au_term_make(t, AU_T_MUL, l, r);
    case CTP_SLASH:
        return au_term_make(t, AU_T_SDIV, l, r);
    default:
        return au_term_make(t, AU_T_SREM, l, r);
    }
}

static au_term call(builder *b, const au_ctp_expr *e, unsigned w) {
    static const au_term_op op[CTP_WORDS] = {
        [CTP_W_SHL] = AU_T_SHL,   [CTP_W_LSHR] = AU_T_LSHR, [CTP_W_ASHR] = AU_T_ASHR,
        [CTP_W_UDIV] = AU_T_UDIV, [CTP_W_UREM] = AU_T_UREM, [CTP_W_CONCAT] = AU_T_CONCAT};
    bool alike = e->call >= CTP_W_SHL;
    au_term l = value(b, e->kid[0], alike ? w : alone(e->kid[0]));
    switch ((au_ctp_word)e->call) {
    case CTP_W_ZEXT:
        return au_term_zext(b->t, l, e->wide);
    case CTP_W_SEXT:
        return au_term_sext(b->t, l, e->wide);
    case CTP_W_EXTRACT:
        return au_term_extract(b->t, l, e->low, e->wide);
    default:
        return au_term_make(b->t, op[e->call], l,
                            value(b, e->kid[1], alike ? w : alone(e->kid[1])));
    }
}

static au_term name(builder *b, const au_ctp_expr *e) {
    au_term r = b->x->failed ? (au_term){UINT32_MAX} : b->v->term(b->v->ctx, e);
    return r.n == UINT32_MAX ? au_term_const(b->t, e->width, 0) : r;
}

static au_term number(builder *b, const au_ctp_expr *e, unsigned w) {
    if (w < 64 && e->value >> w) {
        size_t len = au_ctp_word_len(b->x, e->off);
        au_ctp_fail(b->x, e->off, "'%.*s' does not fit in %u bits", len < 60 ? (int)len : 60,
                    b->x->text + e->off, w);
    }
    return au_term_const(b->t, w, e->value);
}

/* Requires: e has width w or none of its own. */
static au_term value(builder *b, const au_ctp_expr *e, unsigned w) {
    switch (e->op) {
    case CTP_NUMBER:
        return number(b, e, w);
    case CTP_NAME:
        return name(b, e);
    case CTP_DOLLAR: /* a truth value: one bit made wider */
        return e->width == AU_CTP_TRUTH ? au_term_zext(b->t, b->let[e->value], w)
                                        : b->let[e->value];
    case CTP_CALL:
        if (e->call >= CTP_W_OWNER)
            return name(b, e);
        if (e->width != AU_CTP_TRUTH)
            return call(b, e, w);
        break;
    case CTP_QUESTION: {
        au_term c = truth(b, e->kid[0]);
        au_term yes = value(b, e->kid[1], w), no = value(b, e->kid[2], w);
        return au_term_ite(b->t, c, yes, no);
    }
    default:
        if (e->width != AU_CTP_TRUTH)
            return arithmetic(b, e, w);
    }
    return au_term_zext(b->t, truth(b, e), w);
}

static au_term truth(builder *b, const au_ctp_expr *e) {
    switch (e->op) {
    case CTP_QUESTION: {
        au_term c = truth(b, e->kid[0]);
        au_term yes = truth(b, e->kid[1]), no = truth(b, e->kid[2]);
        return au_term_ite(b->t, c, yes, no);
    }
    case CTP_OROR:
    case CTP_ANDAND: {
        au_term l = truth(b, e->kid[0]), r = truth(b, e->kid[1]);
        return e->op == CTP_OROR ? au_term_or(b->t, l, r) : au_term_and(b->t, l, r);
    }
    case CTP_NOT:
        return au_term_not(b->t, truth(b, e->kid[0]));
    case CTP_DOLLAR:
        return au_term_truth(b->t, b->let[e->value]);
    default:
        if (e->width == AU_CTP_TRUTH)
            return compare(b, e);
        return au_term_truth(b->t, value(b, e, e->width == AU_CTP_FREE ? 32 : e->width));
    }
}

bool au_ctp_build(au_ctp_lex *x, au_terms *t, au_ctp_expr *e, unsigned width, const char *what,
                  const au_ctp_view *view, au_term *out) {
    builder b = {x, t, view, NULL, NULL};
    if (e->op == CTP_LET) {
        b.bind = e->bind;
        b.let = au_alloc_array(e->n_bind, sizeof *b.let);
        bool ok = true;
        for (uint32_t i = 0; i < e->n_bind && ok; i++) {
            ok = type(&b, e->bind[i]);
            unsigned w = e->bind[i]->width;
            if (ok)
                b.let[i] = w == AU_CTP_TRUTH ? truth(&b, e->bind[i])
                                             : value(&b, e->bind[i], w == AU_CTP_FREE ? 32 : w);
        }
        if (!ok) {
            free(b.let);
            return false;
        }
        e = e->kid[0];
    }
    bool ok = type(&b, e);
    if (ok && width && is_own(e->width) && e->width != width)
        ok = au_ctp_fail(x, e->off, "%s has %u bits, this has %u: cast it with %s", what, width,
                         e->width, width < e->width ? "extract" : "zext or sext");
    if (ok)
        *out = width ? value(&b, e, width) : truth(&b, e);
    free(b.let);
    return ok && !x->failed;
}
