/* model/ctp_priv.h: what the parts of the .ctp reader and printer share.
 *
 *   ctp_lex.c    bytes -> tokens; positions and error texts
 *   ctp_expr.c   tokens -> expressions
 *   ctp_build.c  expressions -> terms: widths, and what has none of its own
 *   ctp_parse.c  tokens -> declarations and statements
 *   ctp_lower.c  statements -> steps: accesses split, loops unrolled
 *   ctp_scope.c  names resolved; ctp_bracket.c '[ ... ]' and 'step { ... }'
 *   ctp_trace.c  the 'trace' list -> the observed run
 *   ctp_print.c  a model -> text; ctp_print_step.c a single step, ctp_names.c names,
 *                ctp_text.c terms, ctp_let.c their parts, ctp_label.c labels and the trace
 *
 * The syntax tree lives in one arena for the time of one au_ctp_read. Positions
 * are byte offsets into the source; line and column are found when needed. */
#ifndef AU_MODEL_CTP_PRIV_H
#define AU_MODEL_CTP_PRIV_H

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/vec.h"
#include "model/ctp.h"
#include "model/model.h"

/* Nested parentheses, nested blocks, and the height of an expression: what keeps
 * every recursion over the tree small. */
#define AU_CTP_DEPTH 1000
#define AU_CTP_BRACKET 64 /* statements in one [ … ] */

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
    CTP_AT,
    CTP_DOLLAR, /* $1 */
    CTP_LET,    /* no token: let $1 = … in … */
    CTP_CALL,   /* no token: NAME '(' in an expression */
    CTP_LOCAL,  /* no token: a statement that begins with the name 'local' */
    CTP_REQUIRE,
    CTP_STEP,
    CTP_FENCE,
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

/* Words that mean something only where no name could stand: before a name or a '{' at the
 * beginning of a statement, and before a '('. Their intern ids follow those of the keywords. */
typedef enum {
    CTP_W_LOCAL = CTP_KEYWORDS,
    CTP_W_REQUIRE,
    CTP_W_STEP,
    CTP_W_TRY,
    CTP_W_LET,
    CTP_W_IN,
    CTP_W_FENCE,
    CTP_W_NA, /* memory orders, with the keywords 'acq' and 'rel' */
    CTP_W_RLX,
    CTP_W_ACQ_REL,
    CTP_W_SC,
    CTP_W_ZEXT, /* functions from here on */
    CTP_W_SEXT,
    CTP_W_EXTRACT,
    CTP_W_CONCAT,
    CTP_W_SHL,
    CTP_W_LSHR,
    CTP_W_ASHR,
    CTP_W_UDIV,
    CTP_W_UREM,
    CTP_W_ULT,
    CTP_W_ULE,
    CTP_W_OWNER, /* of synchronisation objects from here on */
    CTP_W_DEPTH,
    CTP_W_READERS,
    CTP_W_COUNT,
    CTP_WORDS
} au_ctp_word;

typedef struct {
    au_ctp_tok kind;
    uint32_t off, len;
    uint32_t name; /* NAME: its id in lex->names */
    bool quoted;   /* NAME: written "…" */
    uint8_t width; /* NUMBER: written 5u8; 0: without a width */
    uint64_t number;
} au_ctp_token;

typedef struct {
    const char *text, *file;
    size_t n;
    uint32_t pos; /* after 'tok' */
    au_ctp_token tok;
    AU_VEC(uint32_t) line; /* offsets at which lines start */
    AU_VEC(char) name;     /* scratch: a quoted name without its quotes */
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
/* Bytes of the name or number at 'off'. */
size_t au_ctp_word_len(const au_ctp_lex *x, uint32_t off);

/* A name in an error message, cut where it is too long to be read. */
#define AU_CTP_NAME(x, id) (int)au_ctp_name_len(x, id), au_intern_str(&(x)->names, (id))
static inline size_t au_ctp_name_len(const au_ctp_lex *x, uint32_t id) {
    size_t n = au_intern_len(&x->names, id);
    return n < 60 ? n : 60;
}

/* ---- expressions ---- */

/* Numbers, truth values and what is computed from them alone have no width of their own:
 * they take the one that is asked for. */
enum { AU_CTP_FREE = 0, AU_CTP_TRUTH = 255 };

typedef struct au_ctp_expr au_ctp_expr;
struct au_ctp_expr {
    /* NUMBER, NAME, DOLLAR, CALL, LET, QUESTION (three kids), a binary operator, or NOT, TILDE,
     * MINUS, PLUS with one kid */
    au_ctp_tok op;
    uint16_t depth;
    uint8_t width; /* 1 … 64, FREE or TRUTH: filled in by au_ctp_build */
    uint8_t call;  /* CALL: au_ctp_word; of objects: 'value' is the object's name */
    uint8_t low;   /* CALL of extract */
    uint8_t wide;  /* CALL of zext, sext, extract: the width asked for; NUMBER: 5u8 */
    uint32_t off;
    uint64_t value; /* NUMBER: bits, NAME: id, DOLLAR: index of its binding */
    au_ctp_expr *kid[3];
    au_ctp_expr **bind; /* LET, only at the root: what $1, $2 … stand for; kid 0 is the body */
    uint32_t n_bind;
};

/* NULL: failed. */
au_ctp_expr *au_ctp_parse_expr(au_ctp_lex *x, au_arena *a);
/* A width, 1 to 64, at the current token; 0: failed. */
unsigned au_ctp_parse_width(au_ctp_lex *x);

/* What names stand for. Both return as is said and set the error on failure. */
typedef struct {
    /* of a NAME or a CALL of an object; 0: failed */
    unsigned (*width)(void *ctx, const au_ctp_expr *e);
    /* The same, for one occurrence after the other from left to right; .n == UINT32_MAX: failed. */
    au_term (*term)(void *ctx, const au_ctp_expr *e);
    void *ctx;
} au_ctp_view;

/* The term of an expression, of this width; 0: a truth value. 'what' and 'off' (for the error
 * if the expression has another width) say what asks for it. Operands are visited from
 * left to right. False: the error is set. */
bool au_ctp_build(au_ctp_lex *x, au_terms *t, au_ctp_expr *e, unsigned width, const char *what,
                  const au_ctp_view *view, au_term *out);
/* Calls fn for each NAME, left to right; stops and returns false when it does. */
typedef bool au_ctp_visit_fn(void *ctx, const au_ctp_expr *e);
bool au_ctp_each_name(const au_ctp_expr *e, au_ctp_visit_fn *fn, void *ctx);

/* ---- statements ---- */

typedef struct au_ctp_stmt au_ctp_stmt;
struct au_ctp_stmt {
    au_ctp_tok
        kind; /* a keyword, SET, REQUIRE, LOCAL, FENCE, LBRACK for [ … ], STEP for step { … } */
    uint32_t off;
    uint32_t label, label_off; /* AU_NONE: no label */
    uint32_t name, name_off;   /* SET, HAVOC: the variable; else the object or thread */
    uint32_t name2, name2_off; /* WAIT: the lock */
    au_ctp_expr *expr;
    au_ctp_stmt *body, *other; /* ATOMIC, IF, WHILE, LBRACK; 'other' is the else */
    au_ctp_stmt *next;
    bool empty;   /* LOCAL, and ATOMIC without a statement that does anything: no step */
    bool at_once; /* SET in [ … ]: ',' follows, the next one sees the same state */
    bool tries;   /* ACQ, RDACQ, WRACQ: written with 'try' */
    bool whole;   /* IF: written if [ … ], one indivisible step */
    bool placed;  /* written with '@': file (a name, AU_NONE) and line */
    uint32_t file, line;
    uint32_t part; /* atomic n …: n + 1; 0: no such */
    uint8_t width; /* LOCAL */
    uint8_t order; /* FENCE, LBRACK, IF with 'whole': au_memory_order as written, NONE if not */
    uint32_t order_off;
    uint32_t thread; /* the thread it stands in */
};

typedef struct {
    uint32_t name, off;
    au_ctp_stmt *body;
} au_ctp_thread;

typedef struct {
    au_ctp_tok kind;
    uint32_t name, off;
    bool quoted;
    uint8_t width;     /* SHARED */
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
    bool marked; /* an atomic block without a step: something is marked all the same */
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

/* What a name stands for: variables, objects, threads and labels are name spaces of their own,
 * but a name that is not quoted may not be both a variable and an object. */
typedef struct {
    uint32_t shared; /* in model->var, AU_NONE */
    uint32_t obj;    /* in model->obj, AU_NONE */
    uint32_t off;    /* where it is declared (first) */
    uint32_t thread; /* the thread of this name or AU_NONE */
    uint32_t local;  /* the variable in thread 'local_of' with this name */
    uint32_t local_of;
    const au_ctp_stmt *label; /* the statement with this label */
} au_ctp_symbol;

typedef struct {
    au_ctp_ast *ast;
    au_model *m;
    uint32_t unroll, max_steps;
    AU_VEC(au_ctp_symbol) symbol; /* by name id */
    uint32_t thread;              /* the one being lowered */
    au_ctp_ids temp;              /* its temporaries: the i-th read of a width of any statement */
    au_ctp_ids asserted;          /* … of any assert */
    au_ctp_ids own;               /* those of the loop condition being lowered */
    au_ctp_ids chosen;            /* temporaries of the reads of the statement at hand */
    uint32_t next_temp;           /* number that the next temporary's name is tried with */
    AU_VEC(uint32_t) reads;       /* shared variables of the statement, left to right */
    uint32_t block;               /* the outermost atomic block around, AU_NONE */
    uint32_t atomic;              /* index of the innermost copy of an atomic, AU_NONE */
    au_map parts;                 /* of the thread: number of an 'atomic n' -> block */
    uint32_t instances;
    AU_VEC(au_ctp_atomic) atomics;
    AU_VEC(au_ctp_origins) origin; /* by thread, then by node */
} au_ctp_lower;

/* ctp_scope.c: names. Each returns AU_NONE (false) with the error set if there is none. */
uint32_t au_ctp_variable(au_ctp_lower *w, uint32_t name, uint32_t off, const char *use);
/* One of the kinds in 'allowed' (bits 1 << au_obj_kind). */
uint32_t au_ctp_object(au_ctp_lower *w, uint32_t name, uint32_t off, unsigned allowed,
                       const char *want, const char *statement);
/* A NAME, or a CALL that asks for the state of an object: its variable. */
uint32_t au_ctp_resolve(au_ctp_lower *w, const au_ctp_expr *e);
bool au_ctp_declare(au_ctp_lower *w, const au_ctp_decl *d);
/* Makes a local of every name that the thread assigns or declares, and notes labels. */
bool au_ctp_scan(au_ctp_lower *w, const au_ctp_stmt *s);
/* The value of s as assigned to 'target'; as a truth value if that is AU_NONE. */
bool au_ctp_value(au_ctp_lower *w, const au_ctp_stmt *s, uint32_t target, const au_ctp_view *view,
                  au_term *out);
static inline bool au_ctp_is_shared(const au_ctp_lower *w, uint32_t var) {
    return w->m->var.at[var].kind == AU_VAR_SHARED;
}

/* ctp_bracket.c: [ … ], step { … } and the sides of if [ … ] as steps src -> dst, unmarked. */
bool au_ctp_bracket(au_ctp_lower *w, const au_ctp_stmt *s, uint32_t src, uint32_t dst);
bool au_ctp_whole_branch(au_ctp_lower *w, const au_ctp_stmt *s, uint32_t src, uint32_t yes,
                         uint32_t no);

bool au_ctp_lower_all(au_ctp_lower *w);
void au_ctp_lower_release(au_ctp_lower *w);
/* Fills m->observed from the items. Requires: lowered and au_sync_finish done. */
bool au_ctp_observe(au_ctp_lower *w);

/* ---- printing ---- */

/* An expression of .ctp that stands for a term: what is built from it where the term's width,
 * or for width 1 a truth value, is asked for. */
typedef struct {
    const char *lets; /* "let $1 = … in ", NULL for none: stands before s, at the beginning only */
    const char *s;
    uint32_t len;
    uint32_t depth;    /* as the reader counts it */
    uint32_t reads;    /* occurrences of shared variables */
    uint8_t prec;      /* of the outermost operator: 1 ?: … 12 unary, 13 a name or number */
    uint8_t width;     /* its own, as the reader finds it; FREE, TRUTH */
    const char *first; /* the first variable in it, NULL if there is none */
} au_ctp_text;

/* Names that can be read again, and terms as text. */
typedef struct {
    const au_model *m;
    au_arena arena;
    const char **var, **obj, **thread; /* by their numbers; with quotes where they need them */
    const char **state;                /* by variable: SYNC as text (owner(m)), else NULL */
    au_map memo;                       /* term * 2 + sized -> index in text */
    AU_VEC(au_ctp_text) text;
    au_error *err;
} au_ctp_names;

void au_ctp_names_init(au_ctp_names *n, const au_model *m, au_error *err);
void au_ctp_names_release(au_ctp_names *n);
/* Fills *out. False: too long, too deep or over state that has no name (AU_EUNSUPPORTED set). */
bool au_ctp_term_text(au_ctp_names *n, au_term x, au_ctp_text *out);
/* A number of some width, as an initial value is written. In the arena. */
const char *au_ctp_number_text(au_arena *a, unsigned width, uint64_t value);
/* Whether s is a name and not a keyword. */
bool au_ctp_is_name(const char *s);
/* s if it is a name, else s in quotes. In the arena. */
const char *au_ctp_quoted(au_arena *a, const char *s, bool always);
/* Appends "and reads v as well" to the text of a term of this width (0: a truth value) without
 * changing the value: 't + 0 * v', 't || 0 * v'. */
bool au_ctp_text_read(au_ctp_names *n, au_ctp_text *x, uint32_t var, unsigned width);

void au_ctp_put_text(au_out *out, const au_ctp_text *x);

/* ctp_let.c: which parts of a large term get a name, and which. Kids come before parents, and the
 * order depends on the names of variables, not on their numbers. */
typedef AU_VEC(au_term) au_ctp_parts;
void au_ctp_find_parts(const au_ctp_names *n, au_term root, au_ctp_parts *out);

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

typedef struct {
    const au_model *m;
    au_out *out; /* of the whole, or of the body of a thread */
    au_error *err;
    au_ctp_names names;
    au_ctp_labels labels;
    uint32_t thread;
    const au_thread *th;
    uint8_t *seen; /* nodes printed */
    size_t width;  /* of the label column */
    unsigned deep;
    uint32_t *part; /* by block: its number in the thread, 0: not yet seen */
    uint32_t parts;
    bool numbered;  /* blocks as 'atomic n' before each statement: braces do not do */
    bool divided;   /* … which is what was found out */
    bool *assigned; /* by variable: some step assigns it */
    uint32_t
        *rank; /* by variable: locals in the order in which the reader will number them, from 1;
                       0: not yet */
    uint32_t ranks;
} au_ctp_printer;

/* AU_EUNSUPPORTED: about the step, or the thread if s is NULL. Returns false. */
bool au_ctp_cannot_print(au_ctp_printer *p, const au_step *s, const char *what);
/* ctp_print_step.c: a plain step, with its end of line. */
bool au_ctp_print_plain(au_ctp_printer *p, const au_step *s);
/* The condition of a branch: '(' … ')' or '[' … ']'. */
bool au_ctp_print_condition(au_ctp_printer *p, const au_step *s);
/* The text of a term of a step that has at most one access, the read of it included.
 * False without an error, and *again: it would be read twice. */
bool au_ctp_text_with_read(au_ctp_printer *p, const au_step *s, au_term x, unsigned width,
                           bool *again, au_ctp_text *out);
/* " @ bank.c:12" where the step has a place that is not that of its text. */
void au_ctp_print_place(au_ctp_printer *p, const au_step *s);
bool au_ctp_mentions(const au_model *m, au_term x, uint32_t var);

#endif
