/* model/ctp_parse.c: declarations, threads, statements and the trace list.
 *
 *   file      = { decl | thread | trace | ";" }
 *   decl      = kind name [ ":" width ] [ "=" expr ] { "," … }
 *   thread    = "thread" name block
 *   block     = "{" { statement | local | ";" } "}"
 *   local     = "local" name [ ":" width ] [ "=" expr ] { "," … }
 *   statement = [ label ":" ] [ "atomic" number ] ( simple [ place ]
 *             | "fence" order [ place ] | "[" [ order ] { simple | ";" | "," } "]" [ place ]
 *             | "step" "{" { simple | ";" | "," } "}" [ place ] | "atomic" block
 *             | "if" ( "(" expr ")" | "[" [ order ] expr "]" ) [ place ] block [ "else" ( block | if ) ]
 *             | "while" "(" expr ")" [ place ] block )
 *   order     = "rlx" | "acq" | "rel" | "acq_rel" | "sc"
 *   place     = "@" ( line | file [ ":" line ] )
 *   trace     = "trace" ( ";" | item { [ "," | ";" ] item } )
 *   item      = label [ "-" label ] [ "/" number ] | label "(" thread ")"
 *
 * No statement begins with an operator and none ends in a name that a ':' could
 * follow, so neither line breaks nor semicolons are needed. 'local', 'step', 'fence', 'require'
 * and the orders are no keywords: after a name that begins a statement stands ':' or ':='. */
#include "model/ctp_priv.h"

typedef struct {
    au_ctp_ast *p;
    au_ctp_lex *x;
    unsigned nested;
    uint32_t thread;
} parser;

static bool take_name(au_ctp_lex *x, const char *what, uint32_t *name, uint32_t *off) {
    if (x->tok.kind < CTP_KEYWORDS)
        return au_ctp_fail(x, x->tok.off, "expected %s, found the keyword '%.*s'", what,
                           (int)x->tok.len, x->text + x->tok.off);
    if (x->tok.kind != CTP_NAME)
        return au_ctp_expected(x, what);
    *name = x->tok.name;
    *off = x->tok.off;
    au_ctp_next(x);
    return !x->failed;
}

static bool block(parser *q, au_ctp_stmt **out);

/* @ bank.c:12, @ "any text", @ 12 */
static bool place(au_ctp_lex *x, au_ctp_stmt *s) {
    if (x->tok.kind != CTP_AT)
        return !x->failed;
    s->placed = true;
    au_ctp_next(x);
    if (x->tok.kind == CTP_NAME) {
        s->file = x->tok.name;
        au_ctp_next(x);
        if (x->tok.kind != CTP_COLON)
            return !x->failed;
        au_ctp_next(x);
    }
    if (x->tok.kind != CTP_NUMBER || x->tok.number > UINT32_MAX || x->tok.width)
        return au_ctp_expected(x, s->file == AU_NONE ? "a file or a line" : "a line");
    s->line = (uint32_t)x->tok.number;
    au_ctp_next(x);
    return !x->failed;
}

/* The memory order that a token names; AU_MO_COUNT: none. "na" is AU_MO_NONE. */
static au_memory_order order_of(const au_ctp_token *t) {
    if (t->kind == CTP_ACQ)
        return AU_MO_ACQ;
    if (t->kind == CTP_REL)
        return AU_MO_REL;
    if (t->kind != CTP_NAME || t->quoted)
        return AU_MO_COUNT;
    switch ((au_ctp_word)t->name) {
    case CTP_W_NA:
        return AU_MO_NONE;
    case CTP_W_RLX:
        return AU_MO_RLX;
    case CTP_W_ACQ_REL:
        return AU_MO_ACQ_REL;
    case CTP_W_SC:
        return AU_MO_SC;
    default:
        return AU_MO_COUNT;
    }
}

/* What can follow an order, and cannot follow a variable that is called like one. */
static bool follows_order(const au_ctp_token *t) {
    return t->kind == CTP_NAME || t->kind == CTP_NUMBER || t->kind == CTP_LPAREN ||
           t->kind == CTP_NOT || t->kind == CTP_TILDE || t->kind == CTP_ASSUME ||
           t->kind == CTP_ASSERT || t->kind == CTP_HAVOC || t->kind == CTP_NOP;
}

static void back_to(au_ctp_lex *x, const au_ctp_token *t, uint32_t pos) {
    if (x->failed)
        return;
    x->tok = *t;
    x->pos = pos;
}

/* Whether the token t, which is behind us, is no order after all: a variable of that name, or the
 * lock operation 'acq m', which cannot stand there. */
static bool is_no_order(au_ctp_lex *x, const au_ctp_token *t, bool statement) {
    au_ctp_token name = x->tok;
    uint32_t pos = x->pos;
    if (t->kind == CTP_NAME)
        return !follows_order(&name);
    if (name.kind != CTP_NAME || !statement)
        return false;
    au_ctp_next(x);
    bool lone = x->tok.kind == CTP_RBRACK || x->tok.kind == CTP_SEMI;
    back_to(x, &name, pos);
    return lone;
}

/* The order after a '[', if there is one. */
static bool order(au_ctp_lex *x, au_ctp_stmt *s) {
    au_ctp_token t = x->tok;
    uint32_t pos = x->pos;
    au_memory_order o = order_of(&t);
    if (o == AU_MO_COUNT)
        return !x->failed;
    au_ctp_next(x);
    if (!x->failed && is_no_order(x, &t, s->kind == CTP_LBRACK)) {
        back_to(x, &t, pos);
        return !x->failed;
    }
    if (o == AU_MO_NONE)
        return au_ctp_fail(x, t.off,
                           "what stands between '[' and ']' is atomic: leave out 'na' and "
                           "the brackets");
    s->order = (uint8_t)o;
    s->order_off = t.off;
    return !x->failed;
}

static bool fence(au_ctp_lex *x, au_ctp_stmt *s) {
    au_memory_order o = order_of(&x->tok);
    s->order_off = x->tok.off;
    if (o == AU_MO_COUNT || o == AU_MO_NONE)
        return au_ctp_expected(x, "'acq', 'rel', 'acq_rel' or 'sc'");
    if (o == AU_MO_RLX)
        return au_ctp_fail(x, x->tok.off, "a relaxed fence does nothing: leave it out");
    s->order = (uint8_t)o;
    au_ctp_next(x);
    return place(x, s);
}

static bool condition(parser *q, au_ctp_stmt *s) {
    s->whole = s->kind == CTP_IF && q->x->tok.kind == CTP_LBRACK;
    return au_ctp_take(q->x, s->whole ? CTP_LBRACK : CTP_LPAREN, "'('") &&
           (!s->whole || order(q->x, s)) && (s->expr = au_ctp_parse_expr(q->x, &q->p->arena)) &&
           au_ctp_take(q->x, s->whole ? CTP_RBRACK : CTP_RPAREN, s->whole ? "']'" : "')'") &&
           place(q->x, s);
}

static au_ctp_stmt *new_stmt(parser *q, au_ctp_tok kind, uint32_t off) {
    au_ctp_stmt *s = AU_ARENA_NEW(&q->p->arena, au_ctp_stmt);
    *s = (au_ctp_stmt){.kind = kind,
                       .off = off,
                       .label = AU_NONE,
                       .name = AU_NONE,
                       .name2 = AU_NONE,
                       .file = AU_NONE,
                       .thread = q->thread};
    return s;
}

/* if … else if … else: every link counts as a level, as it does in the tree. */
static bool if_chain(parser *q, au_ctp_stmt *s) {
    for (;;) {
        if (!condition(q, s) || !block(q, &s->body))
            return false;
        if (q->x->tok.kind != CTP_ELSE)
            return true;
        au_ctp_next(q->x);
        if (q->x->tok.kind != CTP_IF)
            return block(q, &s->other);
        if (++q->nested > AU_CTP_DEPTH)
            return au_ctp_fail(q->x, q->x->tok.off, "blocks are more than %d levels deep",
                               AU_CTP_DEPTH);
        s->other = new_stmt(q, CTP_IF, q->x->tok.off);
        s = s->other;
        au_ctp_next(q->x);
    }
}

/* What may stand inside [ … ]. */
static bool bracketed(au_ctp_tok kind) {
    return kind == CTP_SET || kind == CTP_ASSUME || kind == CTP_ASSERT || kind == CTP_HAVOC ||
           kind == CTP_NOP || kind == CTP_REQUIRE;
}

static bool statement(parser *q, const au_ctp_stmt *of, au_ctp_stmt **out);

/* The rest of [ … ] or step { … }. */
static bool brackets(parser *q, au_ctp_stmt *s) {
    au_ctp_lex *x = q->x;
    au_ctp_stmt **tail = &s->body, *last = NULL;
    unsigned depth = 0, statements = 0;
    bool square = s->kind == CTP_LBRACK;
    const char *form = square ? "[ ... ]" : "step { ... }";
    if (square && !order(x, s))
        return false;
    for (;;) {
        if (x->tok.kind == CTP_COMMA && last && last->kind == CTP_SET) {
            au_ctp_next(x);
            if (x->tok.kind != CTP_NAME)
                return au_ctp_expected(x, "an assignment");
            last->at_once = true;
        }
        while (x->tok.kind == CTP_SEMI && !(last && last->at_once))
            au_ctp_next(x);
        if (x->tok.kind == (square ? CTP_RBRACK : CTP_RBRACE))
            break;
        if (!statement(q, s, tail))
            return false;
        if (last && last->at_once && (*tail)->kind != CTP_SET)
            return au_ctp_fail(x, (*tail)->off, "after ',' comes an assignment");
        last = *tail;
        if (last->kind == CTP_HAVOC || s->body->kind == CTP_HAVOC) {
            if (last != s->body)
                return au_ctp_fail(x, last->off, "'havoc' stands alone between '%s' and '%s'",
                                   square ? "[" : "{", square ? "]" : "}");
        }
        if (++statements > AU_CTP_BRACKET)
            return au_ctp_fail(x, last->off, "more than %d statements in one '%s'", AU_CTP_BRACKET,
                               form);
        /* the terms of one bracket may end up inside each other */
        depth += last->expr ? last->expr->depth : 0;
        if (depth > AU_CTP_DEPTH)
            return au_ctp_fail(x, last->off, "'%s' is more than %d levels deep", form,
                               AU_CTP_DEPTH);
        tail = &last->next;
    }
    if (!s->body)
        return au_ctp_fail(x, s->off, "'%s' without a statement", square ? "[ ]" : "step { }");
    au_ctp_next(x);
    return place(x, s);
}

/* name [ ":" width ] [ "=" expr ] */
static bool typed(au_ctp_ast *p, uint8_t *width, au_ctp_expr **init) {
    au_ctp_lex *x = &p->lex;
    *width = 32;
    if (x->tok.kind == CTP_COLON) {
        au_ctp_next(x);
        if (!(*width = (uint8_t)au_ctp_parse_width(x)))
            return false;
    }
    if (x->tok.kind == CTP_SET)
        return au_ctp_fail(x, x->tok.off, "a declaration has '=', not ':='");
    if (x->tok.kind == CTP_EQUALS) {
        au_ctp_next(x);
        *init = au_ctp_parse_expr(x, &p->arena);
    }
    return !x->failed;
}

/* local a : 8 = 5, b: one statement for each. */
static bool locals(parser *q, au_ctp_stmt **out) {
    au_ctp_lex *x = q->x;
    for (;; out = &(*out)->next) {
        au_ctp_stmt *s = *out ? *out : new_stmt(q, CTP_LOCAL, x->tok.off);
        *out = s;
        s->kind = CTP_LOCAL;
        s->empty = true;
        if (!take_name(x, "a name", &s->name, &s->name_off) || !typed(q->p, &s->width, &s->expr))
            return false;
        if (x->tok.kind != CTP_COMMA)
            return true;
        au_ctp_next(x);
    }
}

/* A statement that is a keyword and its operands. */
static bool simple(parser *q, au_ctp_stmt *s) {
    au_ctp_lex *x = q->x;
    switch (s->kind) {
    case CTP_ASSUME:
    case CTP_ASSERT:
        au_ctp_next(x);
        return (s->expr = au_ctp_parse_expr(x, &q->p->arena));
    case CTP_ACQ:
    case CTP_REL:
    case CTP_RDACQ:
    case CTP_WRACQ:
        au_ctp_next(x);
        return take_name(x, "the name of a lock", &s->name, &s->name_off);
    case CTP_WAIT:
        au_ctp_next(x);
        return take_name(x, "the name of a condition", &s->name, &s->name_off) &&
               take_name(x, "the name of the lock to wait with", &s->name2, &s->name2_off);
    case CTP_SIGNAL:
    case CTP_BROADCAST:
        au_ctp_next(x);
        return take_name(x, "the name of a condition", &s->name, &s->name_off);
    case CTP_ARRIVE:
        au_ctp_next(x);
        return take_name(x, "the name of a barrier", &s->name, &s->name_off);
    case CTP_FORK:
    case CTP_JOIN:
        au_ctp_next(x);
        return take_name(x, "the name of a thread", &s->name, &s->name_off);
    case CTP_HAVOC:
        au_ctp_next(x);
        return take_name(x, "the name of a variable", &s->name, &s->name_off);
    default: /* NOP */
        au_ctp_next(x);
        return !x->failed;
    }
}

static bool atomic(parser *q, au_ctp_stmt *s) {
    if (!block(q, &s->body))
        return false;
    s->empty = true;
    for (const au_ctp_stmt *k = s->body; k && s->empty; k = k->next)
        s->empty = k->empty;
    q->p->marked |= s->empty;
    return true;
}

/* What a statement is that begins with this name, which is behind us. */
static au_ctp_tok kind_by_word(const au_ctp_lex *x, const au_ctp_token *t) {
    au_ctp_tok next = x->tok.kind;
    if (t->quoted)
        return CTP_SET;
    if (t->name == CTP_W_LOCAL && next == CTP_NAME)
        return CTP_LOCAL;
    if (t->name == CTP_W_STEP && next == CTP_LBRACE)
        return CTP_STEP;
    if (t->name == CTP_W_FENCE && (next == CTP_NAME || next == CTP_ACQ || next == CTP_REL))
        return CTP_FENCE;
    if (t->name == CTP_W_TRY && (next == CTP_ACQ || next == CTP_RDACQ || next == CTP_WRACQ))
        return next;
    if (t->name == CTP_W_REQUIRE && next != CTP_COLON && next != CTP_SET && next != CTP_EQUALS)
        return CTP_REQUIRE;
    return CTP_SET;
}

/* A statement, inside 'of' if that is [ … ] or step { … }, else NULL. */
static bool statement(parser *q, const au_ctp_stmt *of, au_ctp_stmt **out) {
    au_ctp_lex *x = q->x;
    au_ctp_token t = x->tok;
    au_ctp_stmt *s = new_stmt(q, t.kind, t.off);
    bool in_brackets = of != NULL;
    *out = s;
    if (t.kind == CTP_NAME) {
        au_ctp_next(x);
        if (x->tok.kind == CTP_COLON) {
            if (in_brackets)
                return au_ctp_fail(x, t.off, "a label stands before '%s', not inside",
                                   of->kind == CTP_LBRACK ? "[" : "step");
            s->label = t.name;
            s->label_off = t.off;
            au_ctp_next(x);
            t = x->tok;
            s->kind = t.kind;
            s->off = t.off;
            if (t.kind == CTP_NAME)
                au_ctp_next(x);
        }
    }
    if (t.kind == CTP_ATOMIC && !in_brackets) {
        au_ctp_next(x);
        if (x->tok.kind != CTP_NUMBER)
            return atomic(q, s);
        if (x->tok.number >= AU_NONE - 1 || x->tok.width)
            return au_ctp_expected(x, "the number of an atomic block");
        s->part = (uint32_t)x->tok.number + 1;
        au_ctp_next(x);
        t = x->tok;
        s->kind = t.kind;
        s->off = t.off;
        if (t.kind == CTP_ATOMIC)
            return au_ctp_expected(x, "a statement");
        if (t.kind == CTP_NAME)
            au_ctp_next(x);
    }
    if (t.kind == CTP_NAME)
        s->kind = kind_by_word(x, &t);
    s->tries = t.kind == CTP_NAME && s->kind < CTP_KEYWORDS;
    if (s->kind == CTP_FENCE) {
        if (in_brackets)
            return au_ctp_fail(x, t.off, "'fence' stands alone, not inside '%s'",
                               of->kind == CTP_LBRACK ? "[" : "step");
        return fence(x, s);
    }
    if (t.kind == CTP_NAME && s->kind == CTP_SET) {
        if (order_of(&t) != AU_MO_COUNT && follows_order(&x->tok))
            return au_ctp_fail(x, t.off,
                               "a memory order stands behind the '[' of an atomic access: "
                               "[%.*s ...]",
                               (int)t.len, x->text + t.off);
        if (x->tok.kind == CTP_EQUALS)
            return au_ctp_fail(x, x->tok.off, "assignment is ':='");
        if (x->tok.kind == CTP_COLON)
            return au_ctp_fail(x, t.off, "a statement has one label");
        s->name = t.name;
        s->name_off = t.off;
        return au_ctp_take(x, CTP_SET, s->label == AU_NONE ? "':=' or ':'" : "':='") &&
               (s->expr = au_ctp_parse_expr(x, &q->p->arena)) && (in_brackets || place(x, s));
    }
    if (s->kind == CTP_LOCAL) {
        if (s->label != AU_NONE || s->part || in_brackets)
            return au_ctp_fail(x, t.off, "a declaration of locals stands alone");
        return locals(q, out);
    }
    if (s->kind == CTP_REQUIRE) {
        if (!in_brackets)
            return au_ctp_fail(x, t.off, "'require' stands in '[ ... ]' or 'step { ... }'");
        return (s->expr = au_ctp_parse_expr(x, &q->p->arena));
    }
    if (s->kind == CTP_STEP) {
        if (in_brackets)
            return au_ctp_fail(x, t.off, "'step' inside '%s'",
                               of->kind == CTP_LBRACK ? "[" : "step");
        au_ctp_next(x);
        return brackets(q, s);
    }
    if (in_brackets && !bracketed(s->kind) && s->kind < CTP_KEYWORDS)
        return au_ctp_fail(x, t.off, "'%.*s' cannot stand between '%s' and '%s'", (int)t.len,
                           x->text + t.off, of->kind == CTP_LBRACK ? "[" : "{",
                           of->kind == CTP_LBRACK ? "]" : "}");
    if (s->kind <= CTP_NOP && s->kind != CTP_IF && s->kind != CTP_WHILE && s->kind != CTP_ELSE &&
        s->kind > CTP_TRACE)
        return simple(q, s) && (in_brackets || place(x, s));
    switch (s->kind) {
    case CTP_IF: {
        au_ctp_next(x);
        unsigned nested = q->nested;
        bool ok = if_chain(q, s);
        q->nested = nested;
        return ok;
    }
    case CTP_WHILE:
        au_ctp_next(x);
        return condition(q, s) && block(q, &s->body);
    case CTP_LBRACK:
        if (in_brackets)
            return au_ctp_fail(x, t.off, "'[' inside '%s'", of->kind == CTP_LBRACK ? "[" : "step");
        au_ctp_next(x);
        return brackets(q, s);
    case CTP_ELSE:
        return au_ctp_fail(x, t.off, "'else' without an 'if' before it");
    default:
        return au_ctp_expected(x, !in_brackets             ? "a statement or '}'"
                                  : of->kind == CTP_LBRACK ? "a statement or ']'"
                                                           : "a statement or '}'");
    }
}

static bool block(parser *q, au_ctp_stmt **out) {
    au_ctp_lex *x = q->x;
    uint32_t open = x->tok.off;
    if (q->nested + 1 > AU_CTP_DEPTH)
        return au_ctp_fail(x, open, "blocks are more than %d levels deep", AU_CTP_DEPTH);
    if (!au_ctp_take(x, CTP_LBRACE, "'{'"))
        return false;
    q->nested++;
    for (;;) {
        while (x->tok.kind == CTP_SEMI)
            au_ctp_next(x);
        if (x->tok.kind == CTP_RBRACE)
            break;
        if (x->tok.kind == CTP_EOF && !x->failed) {
            uint32_t line, col;
            au_ctp_where(x, open, &line, &col);
            return au_ctp_fail(x, x->tok.off, "the '{' at %u:%u has no '}'", line, col);
        }
        if (!statement(q, NULL, out))
            return false;
        while (*out) /* several for a list of locals */
            out = &(*out)->next;
    }
    q->nested--;
    au_ctp_next(x);
    return !x->failed;
}

static bool declaration(au_ctp_ast *p) {
    au_ctp_lex *x = &p->lex;
    au_ctp_tok kind = x->tok.kind;
    do {
        au_ctp_next(x); /* the keyword or the comma */
        au_ctp_decl d = {.kind = kind, .quoted = x->tok.quoted};
        if (!take_name(x, "a name", &d.name, &d.off))
            return false;
        bool valued = kind == CTP_SHARED || kind == CTP_SEM || kind == CTP_BARRIER;
        if (x->tok.kind == CTP_COLON && kind != CTP_SHARED)
            return au_ctp_fail(x, x->tok.off, "only shared variables and locals have a width");
        if (x->tok.kind == CTP_EQUALS && !valued)
            return au_ctp_fail(x, x->tok.off, "'%.*s' has no initial value",
                               AU_CTP_NAME(x, d.name));
        if (!typed(p, &d.width, &d.init))
            return false;
        if (kind == CTP_BARRIER && !d.init)
            return au_ctp_fail(x, d.off, "barrier '%.*s' needs '= n', the number of threads",
                               AU_CTP_NAME(x, d.name));
        au_vec_push(&p->decl, d);
    } while (x->tok.kind == CTP_COMMA);
    return !x->failed;
}

static bool trace(au_ctp_ast *p) {
    au_ctp_lex *x = &p->lex;
    if (p->has_trace)
        return au_ctp_fail(x, x->tok.off, "there is a 'trace' already");
    p->has_trace = true;
    p->trace_off = x->tok.off;
    au_ctp_next(x);
    if (x->tok.kind == CTP_SEMI) /* the run in which nothing happens */
        return true;
    do {
        au_ctp_item it = {.wakes = AU_NONE};
        if (!take_name(x, "a label", &it.from, &it.from_off))
            return false;
        it.to = it.from;
        it.to_off = it.from_off;
        if (x->tok.kind == CTP_LPAREN) {
            au_ctp_next(x);
            if (!take_name(x, "the name of the thread that is woken", &it.wakes, &it.wakes_off) ||
                !au_ctp_take(x, CTP_RPAREN, "')'"))
                return false;
        } else {
            if (x->tok.kind == CTP_MINUS) {
                au_ctp_next(x);
                if (!take_name(x, "a label", &it.to, &it.to_off))
                    return false;
            }
            if (x->tok.kind == CTP_SLASH) {
                au_ctp_next(x);
                if (x->tok.kind != CTP_NUMBER || x->tok.number == 0 || x->tok.number > UINT32_MAX)
                    return au_ctp_expected(x, "the number of steps to run");
                it.cut = (uint32_t)x->tok.number;
                au_ctp_next(x);
            }
        }
        au_vec_push(&p->item, it);
        while (x->tok.kind == CTP_COMMA || x->tok.kind == CTP_SEMI)
            au_ctp_next(x);
    } while (x->tok.kind == CTP_NAME);
    return !x->failed;
}

bool au_ctp_parse(au_ctp_ast *p) {
    au_ctp_lex *x = &p->lex;
    while (!x->failed && x->tok.kind != CTP_EOF) {
        if (x->tok.kind <= CTP_BARRIER) {
            declaration(p);
        } else if (x->tok.kind == CTP_THREAD) {
            au_ctp_next(x);
            au_ctp_thread t = {0};
            parser q = {p, x, 0, (uint32_t)p->thread.n};
            if (take_name(x, "the thread's name", &t.name, &t.off) && block(&q, &t.body))
                au_vec_push(&p->thread, t);
        } else if (x->tok.kind == CTP_TRACE) {
            trace(p);
        } else if (x->tok.kind == CTP_SEMI) {
            au_ctp_next(x);
        } else {
            au_ctp_expected(x, "a declaration, 'thread' or 'trace'");
        }
    }
    if (!x->failed && p->thread.n == 0)
        au_ctp_fail(x, x->tok.off, "there is no thread in this model");
    return !x->failed;
}
