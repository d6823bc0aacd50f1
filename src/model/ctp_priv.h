/* model/ctp_priv.h: what the parts of the .ctp reader and printer share.
 *
 *   ctp_lex.c    bytes -> tokens; positions and error texts
 *   ctp_expr.c   tokens -> expressions -> terms
 *   ctp_parse.c  tokens -> declarations and statements
 *   ctp_lower.c  statements -> steps: names resolved, accesses split, loops unrolled
 *   ctp_trace.c  the 'trace' list -> the observed run
 *   ctp_print.c  a model -> text; ctp_names.c its names, ctp_text.c its terms,
 *                ctp_label.c its labels and its trace
 *
 * The syntax tree lives in one arena for the time of one au_ctp_read. Positions
 * are byte offsets into the source; line and column are found when needed. */
#ifndef AU_MODEL_CTP_PRIV_H
#define AU_MODEL_CTP_PRIV_H

#include "base/arena.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/vec.h"
#include "model/ctp.h"
#include "model/model.h"

/* Nested parentheses, nested blocks, and the height of an expression: what keeps
 * every recursion over the tree small. */
#define AU_CTP_DEPTH 1000
#define AU_CTP_BRACKET 64 /* statements in one [ … ] */
#define AU_CTP_MAX_BYTES (16u << 20)
#define AU_CTP_MAX_STEPS (4u << 20)

/* ---- tokens ---- */

/* Keywords come first and in the order of the table in ctp_lex.c: the intern id
 * of a keyword is its token. */
typedef enum {
    CTP_SHARED,
    CTP_LOCK,
    CTP_RLOCK,
    CTP_RWLOCK,
    CTP_SEM,
    CTP_COND,
    CTP_BARRIER,
    CTP_THREAD,
    CTP_TRACE,
    CTP_ASSUME,
    CTP_ASSERT,
    CTP_ACQ,
    CTP_REL,
    CTP_RDACQ,
    CTP_WRACQ,
    CTP_WAIT,
    CTP_SIGNAL,
    CTP_BROADCAST,
    CTP_ARRIVE,
    CTP_FORK,
    CTP_JOIN,
    CTP_ATOMIC,
    CTP_IF,
    CTP_ELSE,
    CTP_WHILE,
    CTP_HAVOC,
    CTP_NOP,
    CTP_KEYWORDS, /* their number */
    CTP_EOF = CTP_KEYWORDS,
    CTP_NAME,
    CTP_NUMBER,
    CTP_SET, /* := */
    CTP_EQUALS,
    CTP_COLON,
    CTP_COMMA,
    CTP_SEMI,
    CTP_QUESTION,
    CTP_LPAREN,
    CTP_RPAREN,
    CTP_LBRACE,
    CTP_RBRACE,
    CTP_LBRACK,
    CTP_RBRACK,
    CTP_OROR, /* binary operators from here on, see ctp_expr.c */
    CTP_ANDAND,
    CTP_OR,
    CTP_XOR,
    CTP_AND,
    CTP_EQ,
    CTP_NE,
    CTP_LT,
    CTP_LE,
    CTP_GT,
    CTP_GE,
    CTP_SHL,
    CTP_SHR,
    CTP_PLUS,
    CTP_MINUS,
    CTP_STAR,
    CTP_SLASH,
    CTP_PERCENT,
    CTP_NOT, /* ! */
    CTP_TILDE
} au_ctp_tok;

typedef struct {
    au_ctp_tok kind;
    uint32_t off, len;
    uint32_t name;   /* NAME: its id in lex->names */
    uint32_t number; /* NUMBER: its bits */
} au_ctp_token;

typedef struct {
    const char *text, *file;
    size_t n;
    uint32_t pos; /* after 'tok' */
    au_ctp_token tok;
    AU_VEC(uint32_t) line; /* offsets at which lines start */
    au_intern names;       /* keywords, then every name of the source */
    bool failed;           /* *err is set: 'tok' is EOF from now on */
    au_error *err;
} au_ctp_lex;

bool au_ctp_lex_init(au_ctp_lex *x, const char *text, size_t n, const char *file, au_error *err);
void au_ctp_lex_release(au_ctp_lex *x);
void au_ctp_next(au_ctp_lex *x);
/* Sets the error unless there is one already; always returns false. */
bool au_ctp_fail(au_ctp_lex *x, uint32_t off, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected …, found …" at the current token. */
bool au_ctp_expected(au_ctp_lex *x, const char *what);
/* Steps over a token of this kind or fails. */
bool au_ctp_take(au_ctp_lex *x, au_ctp_tok kind, const char *what);
void au_ctp_where(const au_ctp_lex *x, uint32_t off, uint32_t *line, uint32_t *col);
bool au_ctp_is_keyword(const char *s);

/* A name in an error message, cut where it is too long to be read. */
#define AU_CTP_NAME(x, id) (int)au_ctp_name_len(x, id), au_intern_str(&(x)->names, (id))
static inline size_t au_ctp_name_len(const au_ctp_lex *x, uint32_t id) {
    size_t n = au_intern_len(&x->names, id);
    return n < 60 ? n : 60;
}

/* ---- expressions ---- */

typedef struct au_ctp_expr au_ctp_expr;
struct au_ctp_expr {
    /* NUMBER, NAME, QUESTION (three kids), a binary operator, or NOT, TILDE,
     * MINUS, PLUS with one kid */
    au_ctp_tok op;
    uint16_t depth;
    uint32_t off;
    uint32_t value; /* NUMBER: bits, NAME: id */
    au_ctp_expr *kid[3];
};

/* NULL: failed. */
au_ctp_expr *au_ctp_parse_expr(au_ctp_lex *x, au_arena *a);

/* What a name stands for, for one occurrence after the other from left to right;
 * .n == UINT32_MAX: failed, the error is set. */
typedef au_term au_ctp_name_fn(void *ctx, const au_ctp_expr *e);
/* The term of an expression: of width 1 if 'truth', else of width 32. Operands are
 * visited from left to right. False if a name failed. */
bool au_ctp_build(au_terms *t, const au_ctp_expr *e, bool truth, au_ctp_name_fn *name, void *ctx,
                  au_term *out);
/* Calls fn for each name, left to right; stops and returns false when it does. */
typedef bool au_ctp_visit_fn(void *ctx, const au_ctp_expr *e);
bool au_ctp_each_name(const au_ctp_expr *e, au_ctp_visit_fn *fn, void *ctx);

/* ---- statements ---- */

typedef struct au_ctp_stmt au_ctp_stmt;
struct au_ctp_stmt {
    au_ctp_tok kind; /* a keyword, SET, or LBRACK for [ … ] */
    uint32_t off;
    uint32_t label, label_off; /* AU_NONE: no label */
    uint32_t name, name_off;   /* SET, HAVOC: the variable; else the object or thread */
    uint32_t name2, name2_off; /* WAIT: the lock */
    au_ctp_expr *expr;
    au_ctp_stmt *body, *other; /* ATOMIC, IF, WHILE, LBRACK; 'other' is the else */
    au_ctp_stmt *next;
    bool empty;      /* ATOMIC without a statement that does anything: makes no step */
    uint32_t thread; /* the thread it stands in */
};

typedef struct {
    uint32_t name, off;
    au_ctp_stmt *body;
} au_ctp_thread;

typedef struct {
    au_ctp_tok kind;
    uint32_t name, off;
    au_ctp_expr *init; /* may be NULL */
} au_ctp_decl;

/* One item of the 'trace' list: from[-to][/cut] or from(wakes). */
typedef struct {
    uint32_t from, from_off;
    uint32_t to, to_off;       /* the same as from where there is no range */
    uint32_t cut;              /* run only this many steps of 'to'; 0: all of it */
    uint32_t wakes, wakes_off; /* SIGNAL: the thread it wakes, AU_NONE */
} au_ctp_item;

typedef struct {
    au_ctp_lex lex;
    au_arena arena;
    AU_VEC(au_ctp_decl) decl;
    AU_VEC(au_ctp_thread) thread;
    AU_VEC(au_ctp_item) item;
    bool has_trace;
    uint32_t trace_off;
} au_ctp_ast;

bool au_ctp_parse(au_ctp_ast *p);

/* ---- lowering ---- */

/* Which statement the steps out of a node belong to. */
typedef struct {
    const au_ctp_stmt *stmt;
    uint32_t instance; /* every copy of an unrolled statement has its own */
    uint32_t atomic;   /* index of the enclosing copy of an atomic, AU_NONE */
} au_ctp_origin;
typedef AU_VEC(au_ctp_origin) au_ctp_origins;

/* A copy of an atomic block and the one around it. */
typedef struct {
    const au_ctp_stmt *stmt;
    uint32_t up;
} au_ctp_atomic;

typedef AU_VEC(uint32_t) au_ctp_ids;

/* What a declared name stands for. */
typedef enum { AU_CTP_UNKNOWN, AU_CTP_VARIABLE, AU_CTP_OBJECT } au_ctp_symbol_kind;
typedef struct {
    au_ctp_symbol_kind kind;
    uint32_t index;  /* in model->var or model->obj */
    uint32_t off;    /* where it is declared */
    uint32_t thread; /* the thread of this name or AU_NONE: a name space of its own */
    uint32_t local;  /* the variable in thread 'local_of' with this name */
    uint32_t local_of;
    const au_ctp_stmt *label; /* the statement with this label: again its own name space */
} au_ctp_symbol;

typedef struct {
    au_ctp_ast *ast;
    au_model *m;
    uint32_t unroll, max_steps;
    AU_VEC(au_ctp_symbol) symbol; /* by name id */
    uint32_t thread;              /* the one being lowered */
    au_ctp_ids temp;              /* its temporaries: the i-th read of any statement */
    au_ctp_ids asserted;          /* … of any assert */
    au_ctp_ids own;               /* those of the loop condition being lowered */
    uint32_t next_temp;           /* number that the next temporary's name is tried with */
    AU_VEC(uint32_t) reads;       /* shared variables of the statement, left to right */
    uint32_t block;               /* the outermost atomic block around, AU_NONE */
    uint32_t atomic;              /* index of the innermost copy of an atomic, AU_NONE */
    uint32_t instances;
    AU_VEC(au_ctp_atomic) atomics;
    AU_VEC(au_ctp_origins) origin; /* by thread, then by node */
} au_ctp_lower;

bool au_ctp_lower_all(au_ctp_lower *w);
void au_ctp_lower_release(au_ctp_lower *w);
/* Fills m->observed from the items. Requires: lowered and au_sync_finish done. */
bool au_ctp_observe(au_ctp_lower *w);

/* ---- printing ---- */

/* An expression of .ctp that stands for a term: its value, zero-extended to 32 bits
 * where the term is narrower; of width 1, an expression that is 0 or 1. */
typedef struct {
    const char *s;
    uint32_t len;
    uint32_t depth;    /* as the reader counts it */
    uint32_t reads;    /* occurrences of shared variables */
    uint8_t prec;      /* of the outermost operator: 1 ?: … 12 unary, 13 a name or number */
    const char *first; /* the first variable in it, NULL if there is none */
} au_ctp_text;

/* Names that can be read again, and terms as text. */
typedef struct {
    const au_model *m;
    au_arena arena;
    const char **var, **obj, **thread; /* by their numbers */
    au_term *map; /* by variable: the constant of a local that nothing assigns, else UINT32_MAX */
    au_map memo;  /* term -> index in text */
    AU_VEC(au_ctp_text) text;
    au_error *err;
} au_ctp_names;

void au_ctp_names_init(au_ctp_names *n, const au_model *m, au_error *err);
void au_ctp_names_release(au_ctp_names *n);
/* Fills *out. False: the term has no 32-bit form (AU_EUNSUPPORTED set). */
bool au_ctp_term_text(au_ctp_names *n, au_term x, au_ctp_text *out);
/* Whether s is a name and not a keyword. */
bool au_ctp_is_name(const char *s);
/* Appends "and reads v as well" without changing the value: 't + 0 * v', 't || 0 * v'. */
bool au_ctp_text_read(au_ctp_names *n, au_ctp_text *x, uint32_t var, bool truth);

/* ctp_label.c: a label for every statement: its own if no other statement has it,
 * else made up. */
typedef struct {
    au_ctp_names *names;
    au_intern used;
    AU_VEC(uint32_t) count;   /* statements that have this label, by string id */
    AU_VEC(const char **) at; /* by thread, then by node where a statement begins */
    AU_VEC(uint32_t *) begin; /* by thread, then by node: where its statement begins */
    AU_VEC(uint32_t) serial;  /* last number tried with this base, by string id in 'base' */
    au_intern base;
} au_ctp_labels;

void au_ctp_labels_init(au_ctp_labels *l, au_ctp_names *names);
void au_ctp_labels_release(au_ctp_labels *l);
/* The label of the statement that the steps out of this node belong to. */
const char *au_ctp_label(const au_ctp_labels *l, uint32_t thread, uint32_t node);
/* Prints the observed run as a 'trace' list. */
void au_ctp_print_trace(au_ctp_labels *l, au_out *out);

#endif
