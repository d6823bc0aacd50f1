/* model/ctp_text.c: terms as expressions with the fewest parentheses.
 *
 * What is read back must print the same. So the order of commutative operands is
 * ours and not that of the term's handles: by the first variable in them, numbers
 * last; and forms that mean the same and may turn into each other on the way are
 * printed alike (x + -1 and x - 1, !(a < b) and b <= a). */
#include "model/ctp_priv.h"

#include <stdio.h>

enum { /* C's precedences */
       P_COND = 1,
       P_OROR,
       P_ANDAND,
       P_OR,
       P_XOR,
       P_AND,
       P_EQ,
       P_REL,
       P_SHIFT,
       P_ADD,
       P_MUL,
       P_UNARY,
       P_PRIMARY
};

#define MAX_LEN 65536u
#define MAX_DEEP 3000u /* of the recursion over terms */

typedef struct {
    au_ctp_names *n;
    au_terms *t;
    unsigned deep;
} writer;

static bool unsupported(writer *w, const char *what) {
    if (!w->n->err || w->n->err->status == AU_OK)
        au_error_set(w->n->err, AU_EUNSUPPORTED, "cannot print the model as .ctp: %s", what);
    return false;
}

static bool text(writer *w, au_term x, au_ctp_text *out);

/* ---- pieces ---- */

static au_ctp_text number(writer *w, int32_t v) {
    char s[16];
    int len = snprintf(s, sizeof s, "%d", v);
    return (au_ctp_text){.s = au_arena_strndup(&w->n->arena, s, (size_t)len),
                         .len = (uint32_t)len,
                         .depth = v < 0 ? 2 : 1,
                         .prec = v < 0 ? P_UNARY : P_PRIMARY};
}

/* Puts pieces together; a piece whose precedence is below 'least' gets parentheses.
 * The pieces are separated by the strings between them. */
static bool join(writer *w, au_ctp_text *out, unsigned prec, const char *before,
                 const au_ctp_text *piece, const unsigned *least, const char *const *between,
                 unsigned pieces) {
    uint64_t len = strlen(before);
    au_ctp_text r = {.prec = (uint8_t)prec};
    for (unsigned i = 0; i < pieces; i++) {
        len += piece[i].len + (piece[i].prec < least[i] ? 2 : 0) +
               (i + 1 < pieces ? strlen(between[i]) : 0);
        r.reads = r.reads + piece[i].reads < r.reads ? UINT32_MAX : r.reads + piece[i].reads;
        if (piece[i].depth > r.depth)
            r.depth = piece[i].depth;
        if (!r.first)
            r.first = piece[i].first;
    }
    if (len > MAX_LEN)
        return unsupported(w, "a term is too long to be written out");
    if (++r.depth > AU_CTP_DEPTH)
        return unsupported(w, "a term is nested too deeply");
    char *s = au_arena_alloc(&w->n->arena, len + 1), *p = s;
    p = stpcpy(p, before);
    for (unsigned i = 0; i < pieces; i++) {
        bool paren = piece[i].prec < least[i];
        if (paren)
            *p++ = '(';
        memcpy(p, piece[i].s, piece[i].len);
        p += piece[i].len;
        if (paren)
            *p++ = ')';
        if (i + 1 < pieces)
            p = stpcpy(p, between[i]);
    }
    *p = 0;
    r.s = s;
    r.len = (uint32_t)len;
    *out = r;
    return true;
}

static bool infix(writer *w, au_ctp_text *out, unsigned prec, au_ctp_text a, const char *op,
                  au_ctp_text b) {
    return join(w, out, prec, "", (au_ctp_text[]){a, b}, (unsigned[]){prec, prec + 1},
                (const char *const[]){op}, 2);
}

static bool prefix(writer *w, au_ctp_text *out, const char *op, au_ctp_text a) {
    /* no '--' and '++' in the language, but '- -5' reads badly */
    unsigned least = a.s[0] == '-' || a.s[0] == '+' ? P_PRIMARY : P_UNARY;
    return join(w, out, P_UNARY, op, &a, &least, NULL, 1);
}

/* Whether a stands left of b. */
static bool in_order(const au_ctp_text *a, const au_ctp_text *b) {
    if (!a->first || !b->first)
        return a->first || (!b->first && strcmp(a->s, b->s) <= 0);
    int c = strverscmp(a->first, b->first);
    if (c)
        return c < 0;
    return strcmp(a->s, b->s) <= 0;
}

static bool commutative(writer *w, au_ctp_text *out, unsigned prec, au_ctp_text a, const char *op,
                        au_ctp_text b) {
    return in_order(&a, &b) ? infix(w, out, prec, a, op, b) : infix(w, out, prec, b, op, a);
}

/* a < b, or b > a if b stands left. */
static bool less(writer *w, au_ctp_text *out, au_ctp_text a, au_ctp_text b, bool or_equal) {
    return in_order(&a, &b) ? infix(w, out, P_REL, a, or_equal ? " <= " : " < ", b)
                            : infix(w, out, P_REL, b, or_equal ? " >= " : " > ", a);
}

/* A text without a variable is a plain number: a term without one is folded. What
 * is added around it must be folded here too, for it will be when read back. */
static bool is_number(const au_ctp_text *x, uint32_t *v) {
    if (x->first)
        return false;
    *v = (uint32_t)strtol(x->s, NULL, 10);
    return true;
}

/* x & (2^width - 1) */
static bool masked(writer *w, au_ctp_text *x, unsigned width) {
    if (width >= 32)
        return true;
    uint32_t mask = (UINT32_C(1) << width) - 1, v;
    if (is_number(x, &v)) {
        *x = number(w, (int32_t)(v & mask));
        return true;
    }
    return infix(w, x, P_AND, *x, " & ", number(w, (int32_t)mask));
}

static bool shifted_left(writer *w, au_ctp_text *x, unsigned by) {
    uint32_t v;
    if (is_number(x, &v)) {
        *x = number(w, (int32_t)(v << by));
        return true;
    }
    return by == 0 || infix(w, x, P_SHIFT, *x, " << ", number(w, (int32_t)by));
}

static bool shifted_right(writer *w, au_ctp_text *x, unsigned by) {
    return by == 0 || infix(w, x, P_SHIFT, *x, " >> ", number(w, (int32_t)by));
}

/* x ^ INT32_MIN: the order of unsigned numbers becomes that of signed ones. */
static bool flipped(writer *w, au_ctp_text *x) {
    uint32_t v;
    if (is_number(x, &v)) {
        *x = number(w, (int32_t)(v ^ UINT32_C(0x80000000)));
        return true;
    }
    return infix(w, x, P_XOR, *x, " ^ ", number(w, INT32_MIN));
}

/* ---- operators ---- */

static au_term kid(writer *w, au_term x, unsigned i) {
    return au_term_kid(w->t, x, i);
}

/* Operators of truth values that are neither comparisons of numbers nor casts. */
static bool truth(writer *w, au_term x, au_ctp_text *out) {
    au_ctp_text a, b, c;
    au_term_op op = au_term_kind(w->t, x);
    if (op == AU_T_NOT) {
        au_term y = kid(w, x, 0);
        au_term_op of = au_term_kind(w->t, y);
        if (of == AU_T_EQ)
            return text(w, kid(w, y, 0), &a) && text(w, kid(w, y, 1), &b) &&
                   commutative(w, out, P_EQ, a, " != ", b);
        return text(w, y, &a) && prefix(w, out, "!", a);
    }
    if (op == AU_T_ITE) {
        static const unsigned least[] = {P_OROR, P_COND, P_COND};
        static const char *const between[] = {" ? ", " : "};
        return text(w, kid(w, x, 0), &a) && text(w, kid(w, x, 1), &b) &&
               text(w, kid(w, x, 2), &c) &&
               join(w, out, P_COND, "", (au_ctp_text[]){a, b, c}, least, between, 3);
    }
    if (!text(w, kid(w, x, 0), &a) || !text(w, kid(w, x, 1), &b))
        return false;
    switch (op) {
    case AU_T_AND:
        return commutative(w, out, P_ANDAND, a, " && ", b);
    case AU_T_OR:
        return commutative(w, out, P_OROR, a, " || ", b);
    case AU_T_XOR:
        return commutative(w, out, P_EQ, a, " != ", b);
    default:
        return unsupported(w, "an operator on truth values has no form in the language");
    }
}

/* Comparisons: their operands have one width, not their own. */
static bool compare(writer *w, au_term x, au_ctp_text *out) {
    au_term_op op = au_term_kind(w->t, x);
    unsigned width = au_term_width(w->t, kid(w, x, 0));
    au_ctp_text a, b;
    if (!text(w, kid(w, x, 0), &a) || !text(w, kid(w, x, 1), &b))
        return false;
    if (op == AU_T_EQ)
        return commutative(w, out, P_EQ, a, " == ", b);
    bool is_signed = op == AU_T_SLT || op == AU_T_SLE, or_equal = op == AU_T_ULE || op == AU_T_SLE;
    if (is_signed && width < 32) { /* the sign bit to the top */
        if (!shifted_left(w, &a, 32 - width) || !shifted_left(w, &b, 32 - width))
            return false;
    } else if (!is_signed && width == 32) {
        if (!flipped(w, &a) || !flipped(w, &b))
            return false;
    }
    return less(w, out, a, b, or_equal);
}

/* Shifts by a variable are exact only where the count is cut to 31 already. */
static bool shift(writer *w, au_term x, au_ctp_text *out) {
    au_term_op op = au_term_kind(w->t, x);
    unsigned width = au_term_width(w->t, x);
    au_term by = kid(w, x, 1);
    au_ctp_text a, b;
    if (!text(w, kid(w, x, 0), &a))
        return false;
    if (au_term_is_const(w->t, by)) { /* below the width in a simplified term */
        uint64_t c = au_term_value(w->t, by);
        if (c >= width)
            return unsupported(w, "a shift by more than its width");
        if (op == AU_T_ASHR && width < 32) {
            return shifted_left(w, &a, 32 - width) &&
                   shifted_right(w, &a, 32 - width + (unsigned)c) && masked(w, &a, width) &&
                   (*out = a, true);
        }
        if (!infix(w, &a, P_SHIFT, a, op == AU_T_SHL ? " << " : " >> ", number(w, (int32_t)c)))
            return false;
        *out = a;
        if (op == AU_T_SHL)
            return masked(w, out, width);
        return op == AU_T_ASHR || width < 32 || masked(w, out, 32 - (unsigned)c);
    }
    if (width != 32 || op == AU_T_LSHR || au_term_kind(w->t, by) != AU_T_AND ||
        !au_term_is_const(w->t, kid(w, by, 1)) || au_term_value(w->t, kid(w, by, 1)) > 31)
        return unsupported(w, "a shift by an unbounded count");
    if (au_term_value(w->t, kid(w, by, 1)) == 31)
        by = kid(w, by, 0); /* the language does that itself */
    return text(w, by, &b) && infix(w, out, P_SHIFT, a, op == AU_T_SHL ? " << " : " >> ", b);
}

static bool arithmetic(writer *w, au_term x, au_ctp_text *out) {
    au_term_op op = au_term_kind(w->t, x);
    unsigned width = au_term_width(w->t, x);
    au_ctp_text a, b;
    if (!text(w, kid(w, x, 0), &a))
        return false;
    if (op == AU_T_NOT || op == AU_T_NEG)
        return prefix(w, out, op == AU_T_NOT ? "~" : "-", a) && masked(w, out, width);
    au_term y = kid(w, x, 1);
    if (op == AU_T_ADD && width == 32 && au_term_is_const(w->t, y)) {
        int32_t c = (int32_t)au_term_value(w->t, y);
        if (c < 0 && c != INT32_MIN)
            return infix(w, out, P_ADD, a, " - ", number(w, -c));
    }
    if (!text(w, y, &b))
        return false;
    switch (op) {
    case AU_T_ADD:
        return commutative(w, out, P_ADD, a, " + ", b) && masked(w, out, width);
    case AU_T_SUB:
        return infix(w, out, P_ADD, a, " - ", b) && masked(w, out, width);
    case AU_T_MUL:
        return commutative(w, out, P_MUL, a, " * ", b) && masked(w, out, width);
    case AU_T_AND:
        return commutative(w, out, P_AND, a, " & ", b);
    case AU_T_OR:
        return commutative(w, out, P_OR, a, " | ", b);
    case AU_T_XOR:
        return commutative(w, out, P_XOR, a, " ^ ", b);
    case AU_T_SDIV:
    case AU_T_SREM:
        if (width < 32)
            return unsupported(w, "a signed division of narrow numbers");
        return infix(w, out, P_MUL, a, op == AU_T_SDIV ? " / " : " % ", b);
    case AU_T_UDIV:
    case AU_T_UREM:
        if (width == 32)
            return unsupported(w, "an unsigned 32-bit division");
        return infix(w, out, P_MUL, a, op == AU_T_UDIV ? " / " : " % ", b);
    default: { /* CONCAT */
        unsigned low = au_term_width(w->t, y);
        return shifted_left(w, &a, low) && commutative(w, out, P_OR, a, " | ", b);
    }
    }
}

static bool cast(writer *w, au_term x, au_ctp_text *out) {
    au_term_op op = au_term_kind(w->t, x);
    unsigned width = au_term_width(w->t, x), from = au_term_width(w->t, kid(w, x, 0));
    if (!text(w, kid(w, x, 0), out))
        return false;
    if (op == AU_T_ZEXT)
        return true;
    if (op == AU_T_SEXT) {
        if (from == 1)
            return prefix(w, out, "-", *out) && masked(w, out, width);
        return shifted_left(w, out, 32 - from) && shifted_right(w, out, 32 - from) &&
               masked(w, out, width);
    }
    if (!shifted_right(w, out, au_term_low(w->t, x)) || !masked(w, out, width))
        return false;
    return width > 1 || infix(w, out, P_EQ, *out, " != ", number(w, 0));
}

static bool variable(writer *w, au_term x, au_ctp_text *out) {
    uint32_t v = au_term_var(w->t, x);
    const au_var_info *info = &w->n->m->var.at[v];
    if (info->kind == AU_VAR_SYNC)
        return unsupported(w, "a term reads the state of a synchronisation object");
    const char *s = w->n->var[v];
    *out = (au_ctp_text){.s = s,
                         .len = (uint32_t)strlen(s),
                         .depth = 1,
                         .reads = info->kind == AU_VAR_SHARED,
                         .prec = P_PRIMARY,
                         .first = s};
    return true;
}

static bool make(writer *w, au_term x, au_ctp_text *out) {
    unsigned width = au_term_width(w->t, x);
    au_term_op op = au_term_kind(w->t, x);
    if (width > 32)
        return unsupported(w, "a term is wider than 32 bits");
    switch (op) {
    case AU_T_CONST:
        *out = number(w, (int32_t)au_term_value(w->t, x));
        return true;
    case AU_T_VAR:
        return variable(w, x, out);
    case AU_T_EQ:
    case AU_T_ULT:
    case AU_T_ULE:
    case AU_T_SLT:
    case AU_T_SLE:
        return compare(w, x, out);
    case AU_T_ZEXT:
    case AU_T_SEXT:
    case AU_T_EXTRACT:
        return cast(w, x, out);
    case AU_T_ITE:
        return truth(w, x, out);
    case AU_T_SHL:
    case AU_T_LSHR:
    case AU_T_ASHR:
        return shift(w, x, out);
    default:
        return width == 1 ? truth(w, x, out) : arithmetic(w, x, out);
    }
}

static bool text(writer *w, au_term x, au_ctp_text *out) {
    uint64_t *known = au_map_find(&w->n->memo, x.n);
    if (known) {
        *out = w->n->text.at[*known];
        return true;
    }
    if (w->deep == MAX_DEEP)
        return unsupported(w, "a term is nested too deeply");
    w->deep++;
    bool ok = make(w, x, out);
    w->deep--;
    if (ok) {
        *au_map_put(&w->n->memo, x.n, NULL) = w->n->text.n;
        au_vec_push(&w->n->text, *out);
    }
    return ok;
}

bool au_ctp_term_text(au_ctp_names *n, au_term x, au_ctp_text *out) {
    writer w = {n, n->m->terms, 0};
    return text(&w, au_term_substitute(w.t, x, n->map, n->m->var.n), out);
}

bool au_ctp_text_read(au_ctp_names *n, au_ctp_text *x, uint32_t var, bool truth_value) {
    writer w = {n, n->m->terms, 0};
    au_ctp_text v;
    return variable(&w, au_term_of_var(w.t, var, 32), &v) &&
           infix(&w, &v, P_MUL, number(&w, 0), " * ", v) &&
           infix(&w, x, truth_value ? P_OROR : P_ADD, *x, truth_value ? " || " : " + ", v);
}
