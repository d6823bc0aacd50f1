/* model/ctp_expr.c: expressions: C's operators and precedence on 32-bit signed
 * integers that wrap; comparisons and logic give 0 or 1. */
#include "model/ctp_priv.h"

typedef struct {
    au_ctp_lex *x;
    au_arena *a;
    unsigned nested; /* open parentheses, unary operators, conditionals */
} parser;

/* Binding strength of a binary operator, 0 for other tokens. */
static unsigned strength(au_ctp_tok op) {
    switch (op) {
    case CTP_OROR:
        return 1;
    case CTP_ANDAND:
        return 2;
    case CTP_OR:
        return 3;
    case CTP_XOR:
        return 4;
    case CTP_AND:
        return 5;
    case CTP_EQ:
    case CTP_NE:
        return 6;
    case CTP_LT:
    case CTP_LE:
    case CTP_GT:
    case CTP_GE:
        return 7;
    case CTP_SHL:
    case CTP_SHR:
        return 8;
    case CTP_PLUS:
    case CTP_MINUS:
        return 9;
    case CTP_STAR:
    case CTP_SLASH:
    case CTP_PERCENT:
        return 10;
    default:
        return 0;
    }
}

static au_ctp_expr *node(parser *p, au_ctp_tok op, uint32_t off, au_ctp_expr *a, au_ctp_expr *b,
                         au_ctp_expr *c) {
    au_ctp_expr *e = AU_ARENA_NEW(p->a, au_ctp_expr);
    *e = (au_ctp_expr){.op = op, .off = off, .kid = {a, b, c}, .depth = 1};
    for (int i = 0; i < 3; i++)
        if (e->kid[i] && e->kid[i]->depth >= e->depth)
            e->depth = e->kid[i]->depth + 1;
    if (e->depth > AU_CTP_DEPTH) {
        au_ctp_fail(p->x, off, "expression is more than %d levels deep", AU_CTP_DEPTH);
        return NULL;
    }
    return e;
}

static bool enter(parser *p) {
    if (++p->nested <= AU_CTP_DEPTH)
        return true;
    return au_ctp_fail(p->x, p->x->tok.off, "expression is more than %d levels deep", AU_CTP_DEPTH);
}

static au_ctp_expr *conditional(parser *p);

static au_ctp_expr *unary(parser *p) {
    au_ctp_lex *x = p->x;
    au_ctp_token t = x->tok;
    switch (t.kind) {
    case CTP_NUMBER:
    case CTP_NAME: {
        au_ctp_expr *e = node(p, t.kind, t.off, NULL, NULL, NULL);
        e->value = t.kind == CTP_NUMBER ? t.number : t.name;
        au_ctp_next(x);
        return x->failed ? NULL : e;
    }
    case CTP_LPAREN: {
        if (!enter(p))
            return NULL;
        au_ctp_next(x);
        au_ctp_expr *e = conditional(p);
        p->nested--;
        return e && au_ctp_take(x, CTP_RPAREN, "')'") ? e : NULL;
    }
    case CTP_NOT:
    case CTP_TILDE:
    case CTP_MINUS:
    case CTP_PLUS: {
        if (!enter(p))
            return NULL;
        au_ctp_next(x);
        au_ctp_expr *e = unary(p);
        p->nested--;
        return e ? node(p, t.kind, t.off, e, NULL, NULL) : NULL;
    }
    default:
        if (t.kind < CTP_KEYWORDS)
            au_ctp_fail(x, t.off, "expected an expression, found the keyword '%.*s'", (int)t.len,
                        x->text + t.off);
        else
            au_ctp_expected(x, "an expression");
        return NULL;
    }
}

static au_ctp_expr *binary(parser *p, unsigned least) {
    au_ctp_expr *e = unary(p);
    while (e) {
        au_ctp_token t = p->x->tok;
        unsigned s = strength(t.kind);
        if (s < least || s == 0)
            break;
        au_ctp_next(p->x);
        au_ctp_expr *right = binary(p, s + 1);
        e = right ? node(p, t.kind, t.off, e, right, NULL) : NULL;
    }
    return e;
}

static au_ctp_expr *conditional(parser *p) {
    au_ctp_expr *c = binary(p, 1);
    if (!c || p->x->tok.kind != CTP_QUESTION)
        return c;
    uint32_t off = p->x->tok.off;
    if (!enter(p))
        return NULL;
    au_ctp_next(p->x);
    au_ctp_expr *a = conditional(p);
    if (!a || !au_ctp_take(p->x, CTP_COLON, "':'"))
        return NULL;
    au_ctp_expr *b = conditional(p);
    p->nested--;
    return b ? node(p, CTP_QUESTION, off, c, a, b) : NULL;
}

au_ctp_expr *au_ctp_parse_expr(au_ctp_lex *x, au_arena *a) {
    parser p = {x, a, 0};
    au_ctp_expr *e = conditional(&p);
    return x->failed ? NULL : e;
}

bool au_ctp_each_name(const au_ctp_expr *e, au_ctp_visit_fn *fn, void *ctx) {
    if (e->op == CTP_NAME)
        return fn(ctx, e);
    for (int i = 0; i < 3 && e->kid[i]; i++)
        if (!au_ctp_each_name(e->kid[i], fn, ctx))
            return false;
    return true;
}

/* ---- terms ---- */

typedef struct {
    au_terms *t;
    au_ctp_name_fn *name;
    void *ctx;
    bool failed;
} builder;

static au_term build(builder *b, const au_ctp_expr *e, bool truth);

/* A truth value of operands that are integers. */
static au_term compare(builder *b, const au_ctp_expr *e) {
    au_term l = build(b, e->kid[0], false), r = build(b, e->kid[1], false);
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
    default:
        return au_term_make(b->t, AU_T_SLE, r, l);
    }
}

static au_term arithmetic(builder *b, const au_ctp_expr *e) {
    au_terms *t = b->t;
    au_term l = build(b, e->kid[0], false);
    if (!e->kid[1])
        return e->op == CTP_PLUS    ? l
               : e->op == CTP_MINUS ? au_term_make(t, AU_T_NEG, l, l)
                                    : au_term_not(t, l);
    au_term r = build(b, e->kid[1], false);
    switch (e->op) {
    case CTP_OR:
        return au_term_or(t, l, r);
    case CTP_XOR:
        return au_term_make(t, AU_T_XOR, l, r);
    case CTP_AND:
        return au_term_and(t, l, r);
    case CTP_SHL:
    case CTP_SHR:
        r = au_term_and(t, r, au_term_const(t, 32, 31));
        return au_term_make(t, e->op == CTP_SHL ? AU_T_SHL : AU_T_ASHR, l, r);
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

static au_term build(builder *b, const au_ctp_expr *e, bool truth) {
    au_terms *t = b->t;
    au_term r;
    bool is_truth = true;
    switch (e->op) {
    case CTP_NUMBER:
        r = au_term_const(t, 32, e->value);
        is_truth = false;
        break;
    case CTP_NAME:
        r = b->failed ? (au_term){UINT32_MAX} : b->name(b->ctx, e);
        if (r.n == UINT32_MAX) {
            b->failed = true;
            r = au_term_const(t, 32, 0);
        }
        is_truth = false;
        break;
    case CTP_QUESTION: {
        au_term c = build(b, e->kid[0], true);
        au_term yes = build(b, e->kid[1], truth), no = build(b, e->kid[2], truth);
        return au_term_ite(t, c, yes, no);
    }
    case CTP_OROR:
    case CTP_ANDAND: {
        au_term l = build(b, e->kid[0], true), k = build(b, e->kid[1], true);
        r = e->op == CTP_OROR ? au_term_or(t, l, k) : au_term_and(t, l, k);
        break;
    }
    case CTP_NOT:
        r = au_term_not(t, build(b, e->kid[0], true));
        break;
    case CTP_EQ:
    case CTP_NE:
    case CTP_LT:
    case CTP_LE:
    case CTP_GT:
    case CTP_GE:
        r = compare(b, e);
        break;
    default:
        r = arithmetic(b, e);
        is_truth = false;
    }
    if (truth == is_truth)
        return r;
    return truth ? au_term_truth(t, r) : au_term_zext(t, r, 32);
}

bool au_ctp_build(au_terms *t, const au_ctp_expr *e, bool truth, au_ctp_name_fn *name, void *ctx,
                  au_term *out) {
    builder b = {t, name, ctx, false};
    *out = build(&b, e, truth);
    return !b.failed;
}
