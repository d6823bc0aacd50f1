/* model/ctp_expr.c: expressions: C's operators and precedence, and functions for what C has
 * no operator for. What they mean is in ctp_build.c. */
#include "model/ctp_priv.h"

#include <stdio.h>

typedef struct {
    au_ctp_lex *x;
    au_arena *a;
    uint32_t lets;   /* $1 … that have been defined */
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

unsigned au_ctp_parse_width(au_ctp_lex *x) {
    if (x->tok.kind != CTP_NUMBER || x->tok.number < 1 || x->tok.number > 64 || x->tok.width) {
        au_ctp_expected(x, "a width, 1 to 64 bits");
        return 0;
    }
    unsigned width = (unsigned)x->tok.number;
    au_ctp_next(x);
    return x->failed ? 0 : width;
}

/* The number after a comma: a bit, for 'extract'. */
static bool low_bit(au_ctp_lex *x, uint8_t *low) {
    if (x->tok.kind != CTP_NUMBER || x->tok.number > 63 || x->tok.width)
        return au_ctp_expected(x, "the number of the lowest bit, 0 to 63");
    *low = (uint8_t)x->tok.number;
    au_ctp_next(x);
    return !x->failed;
}

/* name '(' …: the name and the parenthesis are behind us. */
static au_ctp_expr *call(parser *p, au_ctp_token name) {
    au_ctp_lex *x = p->x;
    au_ctp_expr e = {.op = CTP_CALL, .call = (uint8_t)name.name};
    if (name.quoted || name.name < CTP_W_ZEXT || name.name >= CTP_WORDS) {
        au_ctp_fail(x, name.off, "unknown function '%.*s'", AU_CTP_NAME(x, name.name));
        return NULL;
    }
    if (!enter(p))
        return NULL;
    if (name.name >= CTP_W_OWNER) {
        if (x->tok.kind != CTP_NAME) {
            au_ctp_expected(x, "the name of an object");
            return NULL;
        }
        e.value = x->tok.name;
        e.off = x->tok.off;
        au_ctp_next(x);
    } else {
        bool cast = name.name <= CTP_W_EXTRACT;
        if (!(e.kid[0] = conditional(p)) || !au_ctp_take(x, CTP_COMMA, "','"))
            return NULL;
        if (!cast && !(e.kid[1] = conditional(p)))
            return NULL;
        if (name.name == CTP_W_EXTRACT &&
            (!low_bit(x, &e.low) || !au_ctp_take(x, CTP_COMMA, "','")))
            return NULL;
        if (cast && !(e.wide = (uint8_t)au_ctp_parse_width(x)))
            return NULL;
    }
    p->nested--;
    if (!au_ctp_take(x, CTP_RPAREN, "')'"))
        return NULL;
    au_ctp_expr *r = node(p, CTP_CALL, name.off, e.kid[0], e.kid[1], NULL);
    if (!r)
        return NULL;
    r->call = e.call;
    r->low = e.low;
    r->wide = e.wide;
    r->value = e.value;
    if (name.name >= CTP_W_OWNER)
        r->off = e.off; /* errors are about the object */
    return r;
}

static au_ctp_expr *unary(parser *p) {
    au_ctp_lex *x = p->x;
    au_ctp_token t = x->tok;
    switch (t.kind) {
    case CTP_NUMBER:
    case CTP_NAME: {
        au_ctp_next(x);
        if (t.kind == CTP_NAME && x->tok.kind == CTP_LPAREN) {
            au_ctp_next(x);
            return call(p, t);
        }
        au_ctp_expr *e = node(p, t.kind, t.off, NULL, NULL, NULL);
        e->value = t.kind == CTP_NUMBER ? t.number : t.name;
        e->wide = t.width;
        return x->failed ? NULL : e;
    }
    case CTP_DOLLAR: {
        if (t.number == 0 || t.number > p->lets) {
            au_ctp_fail(x, t.off, "'%.*s' is not defined before this", (int)t.len, x->text + t.off);
            return NULL;
        }
        au_ctp_expr *e = node(p, t.kind, t.off, NULL, NULL, NULL);
        e->value = t.number - 1;
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

/* $1 = e, $2 = e in e: 'let' is behind us. */
static au_ctp_expr *lets(parser *p, uint32_t off) {
    au_ctp_lex *x = p->x;
    AU_VEC(au_ctp_expr *) bind = {0};
    au_ctp_expr *body = NULL, *e = NULL;
    uint32_t depth = 0;
    do {
        if (p->lets) /* the comma */
            au_ctp_next(x);
        if (x->tok.kind != CTP_DOLLAR || x->tok.number != p->lets + 1) {
            char what[24];
            snprintf(what, sizeof what, "'$%u'", p->lets + 1);
            au_ctp_expected(x, what);
            break;
        }
        au_ctp_next(x);
        if (!au_ctp_take(x, CTP_EQUALS, "'='") || !(e = conditional(p)))
            break;
        au_vec_push(&bind, e);
        depth = e->depth > depth ? e->depth : depth;
        p->lets++;
    } while (x->tok.kind == CTP_COMMA);
    if (!x->failed && (x->tok.kind != CTP_NAME || x->tok.quoted || x->tok.name != CTP_W_IN))
        au_ctp_expected(x, "',' or 'in'");
    au_ctp_next(x);
    if (!x->failed && (body = conditional(p)) && (e = node(p, CTP_LET, off, body, NULL, NULL))) {
        e->bind = AU_ARENA_ARRAY(p->a, au_ctp_expr *, bind.n);
        memcpy(e->bind, bind.at, bind.n * sizeof *bind.at);
        e->n_bind = (uint32_t)bind.n;
        e->depth = (uint16_t)(depth > e->depth ? depth : e->depth);
    }
    au_vec_release(&bind);
    return e;
}

au_ctp_expr *au_ctp_parse_expr(au_ctp_lex *x, au_arena *a) {
    parser p = {x, a, 0, 0};
    au_ctp_token first = x->tok;
    uint32_t pos = x->pos;
    au_ctp_expr *e;
    if (first.kind == CTP_NAME && !first.quoted && first.name == CTP_W_LET) {
        au_ctp_next(x);
        if (x->tok.kind == CTP_DOLLAR) {
            e = lets(&p, first.off);
            return x->failed ? NULL : e;
        }
        if (x->failed)
            return NULL;
        x->tok = first; /* a variable of that name */
        x->pos = pos;
    }
    e = conditional(&p);
    return x->failed ? NULL : e;
}

bool au_ctp_each_name(const au_ctp_expr *e, au_ctp_visit_fn *fn, void *ctx) {
    for (uint32_t i = 0; i < e->n_bind; i++)
        if (!au_ctp_each_name(e->bind[i], fn, ctx))
            return false;
    if (e->op == CTP_NAME)
        return fn(ctx, e);
    for (int i = 0; i < 3 && e->kid[i]; i++)
        if (!au_ctp_each_name(e->kid[i], fn, ctx))
            return false;
    return true;
}
