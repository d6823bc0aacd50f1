/* model/ctp_parse.c: declarations, threads, statements and the trace list.
 *
 *   file      = { decl | thread | trace | ";" }
 *   decl      = kind name [ "=" expr ] { "," name [ "=" expr ] }
 *   thread    = "thread" name block
 *   block     = "{" { statement | ";" } "}"
 *   statement = [ label ":" ] ( simple | "[" { simple | ";" } "]" | "atomic" block
 *             | "if" "(" expr ")" block [ "else" ( block | if ) ]
 *             | "while" "(" expr ")" block )
 *   trace     = "trace" item { [ "," | ";" ] item }
 *   item      = label [ "-" label ] [ "/" number ] | label "(" thread ")"
 *
 * No statement begins with an operator and none ends in a name that a ':' could
 * follow, so neither line breaks nor semicolons are needed. */
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

static bool condition(parser *q, au_ctp_stmt *s) {
    return au_ctp_take(q->x, CTP_LPAREN, "'('") &&
           (s->expr = au_ctp_parse_expr(q->x, &q->p->arena)) &&
           au_ctp_take(q->x, CTP_RPAREN, "')'");
}

static au_ctp_stmt *new_stmt(parser *q, au_ctp_tok kind, uint32_t off) {
    au_ctp_stmt *s = AU_ARENA_NEW(&q->p->arena, au_ctp_stmt);
    *s = (au_ctp_stmt){.kind = kind,
                       .off = off,
                       .label = AU_NONE,
                       .name = AU_NONE,
                       .name2 = AU_NONE,
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
           kind == CTP_NOP;
}

static bool statement(parser *q, bool in_brackets, au_ctp_stmt **out);

static bool brackets(parser *q, au_ctp_stmt *s) {
    au_ctp_lex *x = q->x;
    au_ctp_stmt **tail = &s->body;
    unsigned depth = 0, statements = 0;
    for (;;) {
        while (x->tok.kind == CTP_SEMI)
            au_ctp_next(x);
        if (x->tok.kind == CTP_RBRACK)
            break;
        if (!statement(q, true, tail))
            return false;
        if ((*tail)->kind == CTP_HAVOC || s->body->kind == CTP_HAVOC) {
            if (*tail != s->body)
                return au_ctp_fail(x, (*tail)->off, "'havoc' stands alone between '[' and ']'");
        }
        if (++statements > AU_CTP_BRACKET)
            return au_ctp_fail(x, (*tail)->off, "more than %d statements in one '[ ... ]'",
                               AU_CTP_BRACKET);
        /* the terms of one bracket may end up inside each other */
        depth += (*tail)->expr ? (*tail)->expr->depth : 0;
        if (depth > AU_CTP_DEPTH)
            return au_ctp_fail(x, (*tail)->off, "'[ ... ]' is more than %d levels deep",
                               AU_CTP_DEPTH);
        tail = &(*tail)->next;
    }
    if (!s->body)
        return au_ctp_fail(x, s->off, "'[ ]' without a statement");
    au_ctp_next(x);
    return !x->failed;
}

static bool statement(parser *q, bool in_brackets, au_ctp_stmt **out) {
    au_ctp_lex *x = q->x;
    au_ctp_token t = x->tok;
    au_ctp_stmt *s = new_stmt(q, t.kind, t.off);
    *out = s;
    if (t.kind == CTP_NAME) {
        au_ctp_next(x);
        if (x->tok.kind == CTP_COLON) {
            if (in_brackets)
                return au_ctp_fail(x, t.off, "a label stands before '[', not inside");
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
    if (t.kind == CTP_NAME) {
        if (x->tok.kind == CTP_EQUALS)
            return au_ctp_fail(x, x->tok.off, "assignment is ':='");
        if (x->tok.kind == CTP_COLON)
            return au_ctp_fail(x, t.off, "a statement has one label");
        s->kind = CTP_SET;
        s->name = t.name;
        s->name_off = t.off;
        return au_ctp_take(x, CTP_SET, s->label == AU_NONE ? "':=' or ':'" : "':='") &&
               (s->expr = au_ctp_parse_expr(x, &q->p->arena));
    }
    if (in_brackets && !bracketed(s->kind) && s->kind < CTP_KEYWORDS)
        return au_ctp_fail(x, t.off, "'%.*s' cannot stand between '[' and ']'", (int)t.len,
                           x->text + t.off);
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
    case CTP_NOP:
        au_ctp_next(x);
        return !x->failed;
    case CTP_ATOMIC:
        au_ctp_next(x);
        if (!block(q, &s->body))
            return false;
        s->empty = true;
        for (const au_ctp_stmt *k = s->body; k && s->empty; k = k->next)
            s->empty = k->empty;
        return true;
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
            return au_ctp_fail(x, t.off, "'[' inside '['");
        au_ctp_next(x);
        return brackets(q, s);
    case CTP_ELSE:
        return au_ctp_fail(x, t.off, "'else' without an 'if' before it");
    default:
        return au_ctp_expected(x, in_brackets ? "a statement or ']'" : "a statement or '}'");
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
        if (!statement(q, false, out))
            return false;
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
        au_ctp_decl d = {.kind = kind};
        if (!take_name(x, "a name", &d.name, &d.off))
            return false;
        if (x->tok.kind == CTP_SET)
            return au_ctp_fail(x, x->tok.off, "a declaration has '=', not ':='");
        if (x->tok.kind == CTP_EQUALS) {
            if (kind != CTP_SHARED && kind != CTP_SEM && kind != CTP_BARRIER)
                return au_ctp_fail(x, x->tok.off, "'%.*s' has no initial value",
                                   AU_CTP_NAME(x, d.name));
            au_ctp_next(x);
            if (!(d.init = au_ctp_parse_expr(x, &p->arena)))
                return false;
        } else if (kind == CTP_BARRIER) {
            return au_ctp_fail(x, d.off, "barrier '%.*s' needs '= n', the number of threads",
                               AU_CTP_NAME(x, d.name));
        }
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
                if (x->tok.kind != CTP_NUMBER || x->tok.number == 0)
                    return au_ctp_expected(x, "the number of steps to run");
                it.cut = x->tok.number;
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
