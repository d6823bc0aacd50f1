/* model/ctp_text.c: terms as expressions with the fewest parentheses.
 *
 * What is read back must be the same term. Texts of terms that are neither 1 nor 32 bits wide,
 * other than numbers, carry their width: what they are made of has it, or it is written. With 32
 * bits the reader needs no help: that is what it takes where nothing is said. A truth value
 * is one bit to a cast and 0 or 1 of any width elsewhere; 'sized' asks for a text that does
 * not depend on its surroundings.
 *
 * It must also print the same. So the order of commutative operands is
 * ours and not that of the term's handles: by the first variable in them, numbers
 * last; and forms that mean the same and may turn into each other on the way are
 * printed alike (x + -1 and x - 1, !(a < b) and b <= a). */
#include "model/ctp_priv.h"

#include <inttypes.h>
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

/* Beyond these a term is given in parts with names (ctp_let.c), or the model is not written, with the reason. */
#define MAX_LEN 65536u
#define MAX_DEEP 3000u /* of the recursion over terms */

typedef struct {
    au_ctp_names *n;
    au_terms *t;
    au_map *memo;    /* term * 2 + sized -> index in n->text */
    au_map *part;    /* term -> its number from 0, of those with a name; NULL: none */
    uint8_t *width;  /* … and its width, as the reader finds it */
    uint32_t inside; /* the term whose meaning is being written: not by its name */
    unsigned deep;
    const char *too_large; /* what it is too large for, where it failed for that */
} writer;

static bool unsupported(writer *w, const char *what) {
    if (!w->n->err || w->n->err->status == AU_OK)
        au_error_set(w->n->err, AU_EUNSUPPORTED, "cannot print the model as .ctp: %s", what);
    return false;
}

static bool text(writer *w, au_term x, bool sized, au_ctp_text *out);

/* ---- pieces ---- */

static int print_number(char out[40], unsigned width, uint64_t value) {
    unsigned spare = 64 - width;
    int64_t v = width == 1 ? (int64_t)value : (int64_t)(value << spare) >> spare;
    if (width <= 32 || (v >= -65536 && v < 65536))
        return snprintf(out, 40, "%" PRId64, v);
    return snprintf(out, 40, "0x%" PRIx64, value);
}

const char *au_ctp_number_text(au_arena *a, unsigned width, uint64_t value) {
    char s[40];
    return au_arena_strndup(a, s, (size_t)print_number(s, width, value));
}

static au_ctp_text number(writer *w, unsigned width, uint64_t value, bool sized) {
    char s[48];
    int len = print_number(s, width, value);
    if (sized)
        len += snprintf(s + len, sizeof s - (size_t)len, "u%u", width);
    return (au_ctp_text){.s = au_arena_strndup(&w->n->arena, s, (size_t)len),
                         .len = (uint32_t)len,
                         .depth = *s == '-' ? 2 : 1,
                         .prec = *s == '-' ? P_UNARY : P_PRIMARY,
                         .width = sized ? (uint8_t)width : AU_CTP_FREE};
}

static bool is_own(const au_ctp_text *x) {
    return x->width != AU_CTP_FREE && x->width != AU_CTP_TRUTH;
}

/* The width of an operator's result, from its operands; see ctp_build.c. */
static uint8_t joined(const au_ctp_text *a, const au_ctp_text *b) {
    return is_own(a) ? a->width : is_own(b) ? b->width : AU_CTP_FREE;
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
    if (len > MAX_LEN || r.depth >= AU_CTP_DEPTH) {
        w->too_large =
            len > MAX_LEN ? "a term is too long to be written out" : "a term is nested too deeply";
        return false;
    }
    r.depth++;
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

/* a op b. The caller says if that is a truth value. */
static bool infix(writer *w, au_ctp_text *out, unsigned prec, au_ctp_text a, const char *op,
                  au_ctp_text b) {
    if (!join(w, out, prec, "", (au_ctp_text[]){a, b}, (unsigned[]){prec, prec + 1},
              (const char *const[]){op}, 2))
        return false;
    out->width = joined(&a, &b);
    return true;
}

static bool prefix(writer *w, au_ctp_text *out, const char *op, au_ctp_text a) {
    /* no '--' and '++' in the language, but '- -5' reads badly */
    unsigned least = a.s[0] == '-' || a.s[0] == '+' ? P_PRIMARY : P_UNARY;
    if (!join(w, out, P_UNARY, op, &a, &least, NULL, 1))
        return false;
    out->width = is_own(&a) ? a.width : AU_CTP_FREE;
    return true;
}

/* f(a, b), f(a, 8), f(a, 0, 8): the reader counts one level for it. */
static bool function(writer *w, au_ctp_text *out, const char *name, const au_ctp_text *args,
                     unsigned n, const char *rest) {
    static const unsigned least[] = {0, 0};
    static const char *const between[] = {", "};
    char before[16];
    snprintf(before, sizeof before, "%s(", name);
    if (!join(w, out, P_PRIMARY, before, args, least, between, n))
        return false;
    size_t more = strlen(rest);
    char *s = au_arena_alloc(&w->n->arena, out->len + more + 1);
    memcpy(s, out->s, out->len);
    memcpy(s + out->len, rest, more + 1);
    out->s = s;
    out->len += (uint32_t)more;
    return true;
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

/* ---- operators ---- */

static au_term kid(writer *w, au_term x, unsigned i) {
    return au_term_kid(w->t, x, i);
}

static unsigned width_of(writer *w, au_term x) {
    return au_term_width(w->t, x);
}

/* One of the operands with its width: that which stands left, whatever their order in x. */
static bool size_one(writer *w, au_term x, au_ctp_text t[2]) {
    int i = in_order(&t[0], &t[1]) ? 0 : 1;
    return text(w, kid(w, x, (unsigned)i), true, &t[i]);
}

/* Both operands of x, one of which has the width of its own if it is not 32. */
static bool operands(writer *w, au_term x, au_ctp_text t[2]) {
    if (!text(w, kid(w, x, 0), false, &t[0]) || !text(w, kid(w, x, 1), false, &t[1]))
        return false;
    return is_own(&t[0]) || is_own(&t[1]) || width_of(w, kid(w, x, 0)) == 32 || size_one(w, x, t);
}

/* An operand as wide as a cast will find it. */
static bool argument(writer *w, au_term x, au_ctp_text *out) {
    unsigned width = width_of(w, x);
    if (!text(w, x, false, out))
        return false;
    unsigned alone = out->width == AU_CTP_TRUTH ? 1 : is_own(out) ? out->width : 32;
    return alone == width || text(w, x, true, out);
}

static bool conditional(writer *w, au_term x, bool sized, au_ctp_text *out) {
    static const unsigned least[] = {P_OROR, P_COND, P_COND};
    static const char *const between[] = {" ? ", " : "};
    au_ctp_text t[3];
    unsigned width = width_of(w, x);
    if (!text(w, kid(w, x, 0), false, &t[0]) || !text(w, kid(w, x, 1), false, &t[1]) ||
        !text(w, kid(w, x, 2), false, &t[2]))
        return false;
    if ((sized || (width != 1 && width != 32)) && !is_own(&t[1]) && !is_own(&t[2]) &&
        !text(w, kid(w, x, 1), true, &t[1]))
        return false;
    if (!join(w, out, P_COND, "", t, least, between, 3))
        return false;
    bool truths = t[1].width == AU_CTP_TRUTH && t[2].width == AU_CTP_TRUTH;
    out->width = truths ? AU_CTP_TRUTH : joined(&t[1], &t[2]);
    return true;
}

/* Both operands of a comparison. Two truth values may stay what they are: they are compared as
 * numbers, which simplifies to the same; but not so 'c ? p : q'. *truths: that is the case. */
static bool compared(writer *w, au_term x, au_ctp_text t[2], bool *truths) {
    *truths = false;
    if (!text(w, kid(w, x, 0), false, &t[0]) || !text(w, kid(w, x, 1), false, &t[1]))
        return false;
    if (width_of(w, kid(w, x, 0)) != 1 || is_own(&t[0]) || is_own(&t[1]))
        return true;
    *truths = au_term_kind(w->t, kid(w, x, 0)) != AU_T_ITE &&
              au_term_kind(w->t, kid(w, x, 1)) != AU_T_ITE;
    return *truths || size_one(w, x, t);
}

/* a == b or a != b */
static bool equal(writer *w, au_term x, const char *op, au_ctp_text *out) {
    au_ctp_text t[2];
    bool truths;
    if (!compared(w, x, t, &truths) || !commutative(w, out, P_EQ, t[0], op, t[1]))
        return false;
    out->width = AU_CTP_TRUTH;
    return true;
}

/* Comparisons: their operands have one width, not their own. */
static bool compare(writer *w, au_term x, au_ctp_text *out) {
    au_term_op op = au_term_kind(w->t, x);
    au_ctp_text t[2];
    if (op == AU_T_EQ)
        return equal(w, x, " == ", out);
    bool truths;
    if (!compared(w, x, t, &truths))
        return false;
    bool is_signed = op == AU_T_SLT || op == AU_T_SLE, or_equal = op == AU_T_ULE || op == AU_T_SLE;
    bool ok;
    if (!is_signed && !truths) /* numbers 0 and 1 compare as truth values do without a sign */
        ok = function(w, out, or_equal ? "ule" : "ult", t, 2, ")");
    else
        ok = (!is_signed || !truths || size_one(w, x, t)) && less(w, out, t[0], t[1], or_equal);
    out->width = AU_CTP_TRUTH;
    return ok;
}

/* '<<' and '>>' take their count modulo the width: they do where the term does so, too. */
static bool shift(writer *w, au_term x, au_ctp_text *out) {
    au_term_op op = au_term_kind(w->t, x);
    unsigned width = width_of(w, x);
    au_term by = kid(w, x, 1);
    au_ctp_text t[2];
    if (!operands(w, x, t))
        return false;
    bool plain = op != AU_T_LSHR;
    if (plain && !(au_term_is_const(w->t, by) && au_term_value(w->t, by) < width)) {
        plain = (width & (width - 1)) == 0 && au_term_kind(w->t, by) == AU_T_AND &&
                au_term_is_const(w->t, kid(w, by, 1)) && au_term_value(w->t, kid(w, by, 1)) < width;
        if (plain && au_term_value(w->t, kid(w, by, 1)) == width - 1 &&
            !text(w, kid(w, by, 0), false, &t[1]))
            return false;
    }
    if (plain)
        return infix(w, out, P_SHIFT, t[0], op == AU_T_SHL ? " << " : " >> ", t[1]);
    const char *name = op == AU_T_SHL ? "shl" : op == AU_T_LSHR ? "lshr" : "ashr";
    if (!function(w, out, name, t, 2, ")"))
        return false;
    out->width = joined(&t[0], &t[1]);
    return true;
}

static bool unary(writer *w, au_term x, au_ctp_text *out) {
    au_term y = kid(w, x, 0);
    au_ctp_text a;
    bool truth = width_of(w, x) == 1, not = au_term_kind(w->t, x) == AU_T_NOT;
    if (truth && au_term_kind(w->t, y) == AU_T_EQ)
        return equal(w, y, " != ", out);
    if (!text(w, y, false, &a) || !prefix(w, out, !not ? "-" : truth ? "!" : "~", a))
        return false;
    if (truth)
        out->width = AU_CTP_TRUTH;
    return true;
}

static bool arithmetic(writer *w, au_term x, au_ctp_text *out) {
    au_term_op op = au_term_kind(w->t, x);
    unsigned width = width_of(w, x);
    au_term y = kid(w, x, 1);
    au_ctp_text t[2];
    if (op == AU_T_ADD && au_term_is_const(w->t, y)) {
        uint64_t c = au_term_value(w->t, y), low = UINT64_C(1) << (width - 1);
        if (c > low) /* below 0 */
            return text(w, kid(w, x, 0), false, &t[0]) &&
                   infix(w, out, P_ADD, t[0], " - ", number(w, width, 2 * low - c, false));
    }
    bool logic = width == 1 && (op == AU_T_AND || op == AU_T_OR);
    if (logic ? !text(w, kid(w, x, 0), false, &t[0]) || !text(w, y, false, &t[1])
              : !operands(w, x, t))
        return false;
    switch (op) {
    case AU_T_ADD:
        return commutative(w, out, P_ADD, t[0], " + ", t[1]);
    case AU_T_SUB:
        return infix(w, out, P_ADD, t[0], " - ", t[1]);
    case AU_T_MUL:
        return commutative(w, out, P_MUL, t[0], " * ", t[1]);
    case AU_T_AND:
    case AU_T_OR: {
        bool and = op == AU_T_AND;
        if (!logic)
            return commutative(w, out, and? P_AND : P_OR, t[0], and? " & " : " | ", t[1]);
        if (!commutative(w, out, and? P_ANDAND : P_OROR, t[0], and? " && " : " || ", t[1]))
            return false;
        out->width = AU_CTP_TRUTH;
        return true;
    }
    case AU_T_XOR:
        return commutative(w, out, P_XOR, t[0], " ^ ", t[1]);
    case AU_T_SDIV:
    case AU_T_SREM:
        return infix(w, out, P_MUL, t[0], op == AU_T_SDIV ? " / " : " % ", t[1]);
    default: /* UDIV, UREM */
        if (!function(w, out, op == AU_T_UDIV ? "udiv" : "urem", t, 2, ")"))
            return false;
        out->width = joined(&t[0], &t[1]);
        return true;
    }
}

static bool concat(writer *w, au_term x, au_ctp_text *out) {
    au_ctp_text t[2];
    if (!argument(w, kid(w, x, 0), &t[0]) || !argument(w, kid(w, x, 1), &t[1]) ||
        !function(w, out, "concat", t, 2, ")"))
        return false;
    out->width = (uint8_t)width_of(w, x);
    return true;
}

static bool cast(writer *w, au_term x, bool sized, au_ctp_text *out) {
    au_term_op op = au_term_kind(w->t, x);
    au_term y = kid(w, x, 0);
    unsigned width = width_of(w, x);
    au_ctp_text a;
    char rest[24];
    if (op == AU_T_ZEXT && width == 32 && width_of(w, y) == 1 && !sized &&
        au_term_kind(w->t, y) != AU_T_ITE) { /* 'c ? p : q' of numbers is another term */
        if (!text(w, y, false, out))
            return false;
        if (out->width == AU_CTP_TRUTH)
            return true;
    }
    if (op == AU_T_EXTRACT)
        snprintf(rest, sizeof rest, ", %u, %u)", au_term_low(w->t, x), width);
    else
        snprintf(rest, sizeof rest, ", %u)", width);
    if (!argument(w, y, &a) || !function(w, out,
                                         op == AU_T_ZEXT   ? "zext"
                                         : op == AU_T_SEXT ? "sext"
                                                           : "extract",
                                         &a, 1, rest))
        return false;
    out->width = (uint8_t)width;
    return true;
}

static au_ctp_text part_name(writer *w, uint32_t part) {
    char s[16];
    int len = snprintf(s, sizeof s, "$%u", part + 1);
    const char *name = au_arena_strndup(&w->n->arena, s, (size_t)len);
    return (au_ctp_text){.s = name,
                         .len = (uint32_t)len,
                         .depth = 1,
                         .prec = P_PRIMARY,
                         .width = w->width[part],
                         .first = name};
}

static bool variable(writer *w, au_term x, au_ctp_text *out) {
    uint32_t v = au_term_var(w->t, x);
    const au_var_info *info = &w->n->m->var.at[v];
    const char *s = info->kind == AU_VAR_SYNC ? w->n->state[v] : w->n->var[v];
    if (!s)
        return unsupported(w, "a term reads the state of a synchronisation object");
    *out = (au_ctp_text){.s = s,
                         .len = (uint32_t)strlen(s),
                         .depth = 1,
                         .reads = info->kind == AU_VAR_SHARED,
                         .prec = P_PRIMARY,
                         .width = info->width,
                         .first = s};
    return true;
}

static bool make(writer *w, au_term x, bool sized, au_ctp_text *out) {
    unsigned width = width_of(w, x);
    switch (au_term_kind(w->t, x)) {
    case AU_T_CONST:
        *out = number(w, width, au_term_value(w->t, x), sized);
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
        return cast(w, x, sized, out);
    case AU_T_CONCAT:
        return concat(w, x, out);
    case AU_T_ITE:
        return conditional(w, x, sized, out);
    case AU_T_SHL:
    case AU_T_LSHR:
    case AU_T_ASHR:
        return shift(w, x, out);
    case AU_T_NOT:
    case AU_T_NEG:
        return unary(w, x, out);
    default:
        return arithmetic(w, x, out);
    }
}

static bool text(writer *w, au_term x, bool sized, au_ctp_text *out) {
    uint64_t key = (uint64_t)x.n * 2 + sized;
    uint64_t *known = au_map_find(w->memo, key);
    if (known) {
        *out = w->n->text.at[*known];
        return true;
    }
    if (w->deep == MAX_DEEP) {
        w->too_large = "a term is nested too deeply";
        return false;
    }
    uint64_t *part = w->part && x.n != w->inside ? au_map_find(w->part, x.n) : NULL;
    bool ok = true;
    if (part) {
        *out = part_name(w, (uint32_t)*part);
    } else {
        w->deep++;
        ok = make(w, x, sized, out);
        w->deep--;
    }
    if (ok && sized && out->width == AU_CTP_TRUTH) {
        au_ctp_text bit = *out;
        ok = function(w, out, "zext", &bit, 1, ", 1)");
        out->width = 1;
    }
    if (ok && !(w->part && x.n == w->inside)) { /* that has a name from now on */
        *au_map_put(w->memo, key, NULL) = w->n->text.n;
        au_vec_push(&w->n->text, *out);
    }
    return ok;
}

/* x with names for parts of it: 'let $1 = …, $2 = … in'. */
static bool with_parts(writer *w, au_term x, au_ctp_text *out) {
    au_ctp_parts parts = {0};
    au_ctp_find_parts(w->n, x, &parts);
    au_map memo, part;
    au_map_init(&memo);
    au_map_init(&part);
    for (size_t i = 0; i < parts.n; i++)
        *au_map_put(&part, parts.at[i].n, NULL) = i;
    writer inner = {.n = w->n, .t = w->t, .memo = &memo, .part = &part};
    inner.width = au_alloc_array(parts.n, 1);
    au_out *lets = au_out_memory();
    bool ok = true;
    uint32_t reads = 0;
    for (size_t i = 0; i < parts.n && ok; i++) {
        au_ctp_text t;
        inner.inside = parts.at[i].n;
        ok = argument(&inner, parts.at[i], &t);
        if (!ok)
            break;
        unsigned width = width_of(&inner, parts.at[i]);
        inner.width[i] = width == 1 ? t.width : (uint8_t)width;
        reads += t.reads;
        au_out_printf(lets, "%s$%zu = ", i ? ", " : "let ", i + 1);
        au_out_write(lets, t.s, t.len);
    }
    inner.inside = x.n;
    ok = ok && text(&inner, x, false, out);
    if (ok && parts.n) {
        size_t n;
        au_out_str(lets, " in ");
        const char *s = au_out_memory_data(lets, &n);
        out->lets = au_arena_strndup(&w->n->arena, s, n);
        out->reads += reads;
    }
    w->too_large = inner.too_large;
    au_out_abandon(lets);
    free(inner.width);
    au_map_release(&memo);
    au_map_release(&part);
    au_vec_release(&parts);
    return ok;
}

bool au_ctp_term_text(au_ctp_names *n, au_term x, au_ctp_text *out) {
    writer w = {.n = n, .t = n->m->terms, .memo = &n->memo};
    if (text(&w, x, false, out) || (w.too_large && with_parts(&w, x, out)))
        return true;
    return w.too_large ? unsupported(&w, w.too_large) : false;
}

void au_ctp_put_text(au_out *out, const au_ctp_text *x) {
    if (x->lets)
        au_out_str(out, x->lets);
    au_out_str(out, x->s);
}

bool au_ctp_text_read(au_ctp_names *n, au_ctp_text *x, uint32_t var, unsigned width) {
    writer w = {.n = n, .t = n->m->terms, .memo = &n->memo};
    const char *lets = x->lets;
    au_ctp_text v, zero = number(&w, 32, 0, false);
    unsigned bits = n->m->var.at[var].width;
    bool other = width && width != bits; /* a truth value has any width */
    return variable(&w, au_term_of_var(w.t, var, bits), &v) &&
           infix(&w, &v, other ? P_ANDAND : P_MUL, zero, other ? " && " : " * ", v) &&
           ((v.width = other ? AU_CTP_TRUTH : v.width), true) &&
           infix(&w, x, width ? P_ADD : P_OROR, *x, width ? " + " : " || ", v) &&
           (x->lets = lets, true);
}
