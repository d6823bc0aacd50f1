/* model/ctp_lex.c: tokens of .ctp text, and errors that show the place. */
#include "base/limits.h"
#include "model/ctp_priv.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

/* In the order of au_ctp_tok. */
static const char *const keyword[CTP_KEYWORDS] = {
    "shared", "lock",   "rlock", "rwlock", "sem",   "cond",  "barrier", "thread", "trace",
    "assume", "assert", "acq",   "rel",    "rdacq", "wracq", "wait",    "signal", "broadcast",
    "arrive", "fork",   "join",  "atomic", "if",    "else",  "while",   "havoc",  "nop"};

/* In the order of au_ctp_word. */
static const char *const word[] = {
    "local",   "require", "step", "try",  "let",     "in",     "fence",   "na",   "rlx",
    "acq_rel", "sc",      "zext", "sext", "extract", "concat", "shl",     "lshr", "ashr",
    "udiv",    "urem",    "ult",  "ule",  "owner",   "depth",  "readers", "count"};
_Static_assert(sizeof word / sizeof *word == CTP_WORDS - CTP_KEYWORDS, "one for each au_ctp_word");

bool au_ctp_is_keyword(const char *s) {
    for (size_t i = 0; i < CTP_KEYWORDS; i++)
        if (strcmp(s, keyword[i]) == 0)
            return true;
    return false;
}

void au_ctp_where(const au_ctp_lex *x, uint32_t off, uint32_t *line, uint32_t *col) {
    size_t lo = 0, hi = x->line.n;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (x->line.at[mid] <= off)
            lo = mid;
        else
            hi = mid;
    }
    *line = (uint32_t)lo + 1;
    *col = off - x->line.at[lo] + 1;
}

/* The source line around the column and a caret under it. A long line is cut on
 * both sides. Tabs stay tabs above the caret so that it lines up on a terminal;
 * bytes that would disturb one become '?'. */
static void excerpt(const au_ctp_lex *x, uint32_t off, char *out, size_t room) {
    enum { WIDTH = 100, BEFORE = 60 };
    uint32_t line, col;
    au_ctp_where(x, off, &line, &col);
    size_t start = off - (col - 1), end = off;
    while (end < x->n && x->text[end] != '\n' && x->text[end] != '\r')
        end++;
    bool cut_left = end - start > WIDTH && off - start > BEFORE;
    if (cut_left)
        start = off - BEFORE;
    bool cut_right = end - start > WIDTH;
    if (cut_right)
        end = start + WIDTH;
    size_t n = 0;
    for (int row = 0; row < 2; row++) {
        size_t stop = row ? off : end;
        if (cut_left)
            n += (size_t)snprintf(out + n, room - n, "%s", row ? "   " : "...");
        for (size_t i = start; i < stop && n + 8 < room; i++) {
            unsigned char c = (unsigned char)x->text[i];
            if (row) {
                if (c == '\t')
                    out[n++] = '\t';
                else if ((c & 0xc0) != 0x80) /* not inside a UTF-8 character */
                    out[n++] = ' ';
            } else {
                out[n++] = c == '\t' || (c >= 32 && c != 127) ? (char)c : '?';
            }
        }
        n += (size_t)snprintf(out + n, room - n, "%s", row ? "^" : cut_right ? "...\n" : "\n");
    }
}

bool au_ctp_fail(au_ctp_lex *x, uint32_t off, const char *fmt, ...) {
    if (x->failed)
        return false;
    x->failed = true;
    x->tok.kind = CTP_EOF;
    char what[400], place[340];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    excerpt(x, off, place, sizeof place);
    uint32_t line, col;
    au_ctp_where(x, off, &line, &col);
    /* a very long file name must not push the place out of the error's text */
    size_t len = strlen(x->file);
    const char *file = len > 200 ? x->file + len - 200 : x->file;
    au_error_set(x->err, AU_EFORMAT, "%s%s:%u:%u: %s\n%s", len > 200 ? "..." : "", file, line, col,
                 what, place);
    return false;
}

bool au_ctp_expected(au_ctp_lex *x, const char *what) {
    const au_ctp_token *t = &x->tok;
    if (t->kind == CTP_EOF)
        return au_ctp_fail(x, t->off, "expected %s, found the end of the file", what);
    int len = t->len < 60 ? (int)t->len : 60;
    return au_ctp_fail(x, t->off, "expected %s, found '%.*s'", what, len, x->text + t->off);
}

bool au_ctp_take(au_ctp_lex *x, au_ctp_tok kind, const char *what) {
    if (x->tok.kind != kind)
        return au_ctp_expected(x, what);
    au_ctp_next(x);
    return !x->failed;
}

bool au_ctp_lex_init(au_ctp_lex *x, const char *text, size_t n, const char *file, au_error *err) {
    *x = (au_ctp_lex){.text = text, .n = n, .file = file, .err = err};
    au_intern_init(&x->names);
    if (n > AU_LIMIT_CTP_BYTES) {
        x->failed = true;
        au_error_set(err, AU_EFORMAT, "%s",
                     au_limit_say_at(AU_AT_CTP_BYTES, file, 0, 0, (char[AU_LIMIT_TEXT]){0}));
        return false;
    }
    for (size_t i = 0; i < CTP_KEYWORDS; i++)
        au_intern_add(&x->names, keyword[i], strlen(keyword[i]));
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        au_intern_add(&x->names, word[i], strlen(word[i]));
    au_vec_push(&x->line, 0);
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\n')
            au_vec_push(&x->line, (uint32_t)i + 1);
    au_ctp_next(x);
    return !x->failed;
}

void au_ctp_lex_release(au_ctp_lex *x) {
    au_vec_release(&x->line);
    au_vec_release(&x->name);
    au_intern_release(&x->names);
}

static bool name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool digit(char c) {
    return c >= '0' && c <= '9';
}
static bool name_part(char c) {
    return name_start(c) || digit(c) || c == '$' || c == '.';
}

size_t au_ctp_word_len(const au_ctp_lex *x, uint32_t off) {
    size_t end = off;
    while (end < x->n && name_part(x->text[end]))
        end++;
    return end - off;
}

/* 12, 0x1f, and with the number of bits 12u8, 0x1fu64 */
static void number(au_ctp_lex *x) {
    au_ctp_token *t = &x->tok;
    size_t i = t->off, end = i + au_ctp_word_len(x, t->off), stop = end;
    t->len = (uint32_t)(end - i);
    int len = end - i < 60 ? (int)(end - i) : 60;
    const char *s = x->text + i;
    const char *u = memchr(s, 'u', end - i);
    unsigned width = 0;
    if (u && u > s) {
        end = i + (size_t)(u - s);
        for (u++; u < x->text + stop && digit(*u) && width <= 64; u++)
            width = width * 10 + (unsigned)(*u - '0');
        if (u < x->text + stop || s[end - i + 1] == '0' || width < 1 || width > 64) {
            au_ctp_fail(x, t->off, "'%.*s' is not a number of 1 to 64 bits", len, s);
            return;
        }
    }
    bool hex = end - i > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    if (!hex && end - i > 1 && s[0] == '0' && digit(s[1])) {
        au_ctp_fail(x, t->off, "'%.*s': a number does not start with 0 (there is no octal here)",
                    len, s);
        return;
    }
    uint64_t v = 0;
    for (i += hex ? 2 : 0; i < end; i++) {
        char c = x->text[i];
        unsigned d = digit(c)                            ? (unsigned)(c - '0')
                     : hex && isxdigit((unsigned char)c) ? (unsigned)((c | 32) - 'a' + 10)
                                                         : 99;
        if (d == 99) {
            au_ctp_fail(x, t->off, "'%.*s' is not a number", len, s);
            return;
        }
        unsigned base = hex ? 16 : 10, most = width ? width : 64;
        bool over = v > (UINT64_MAX - d) / base;
        v = v * base + d;
        if (over || (most < 64 && v >> most)) {
            au_ctp_fail(x, t->off, "'%.*s' does not fit in %u bits", len, s, most);
            return;
        }
    }
    t->kind = CTP_NUMBER;
    t->number = v;
    t->width = (uint8_t)width;
}

static int hex_digit(char c) {
    return digit(c) ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* "any text", with \" \\ and \xNN for what cannot stand there. */
static void quoted(au_ctp_lex *x) {
    au_ctp_token *t = &x->tok;
    size_t i = t->off + 1;
    au_vec_clear(&x->name);
    for (;; i++) {
        if (i >= x->n || x->text[i] == '\n' || x->text[i] == '\r') {
            au_ctp_fail(x, t->off, "a quoted name has no end on its line");
            return;
        }
        char c = x->text[i];
        if (c == '"')
            break;
        unsigned char u = (unsigned char)c;
        if (u < 32 || u == 127) {
            au_ctp_fail(x, (uint32_t)i, "byte 0x%02x is not text: write \\x%02x", u, u);
            return;
        }
        if (c == '\\') {
            int hi = i + 3 < x->n && x->text[i + 1] == 'x' ? hex_digit(x->text[i + 2]) : -1;
            int lo = hi >= 0 ? hex_digit(x->text[i + 3]) : -1;
            if (lo >= 0 && (hi || lo)) {
                c = (char)(hi * 16 + lo);
                i += 3;
            } else if (i + 1 < x->n && (x->text[i + 1] == '"' || x->text[i + 1] == '\\')) {
                c = x->text[++i];
            } else {
                au_ctp_fail(x, (uint32_t)i, "after '\\' comes '\\', '\"' or xNN, not 00");
                return;
            }
        }
        au_vec_push(&x->name, c);
    }
    t->len = (uint32_t)(i + 1 - t->off);
    t->kind = CTP_NAME;
    t->quoted = true;
    t->name = au_intern_add(&x->names, x->name.n ? x->name.at : "", x->name.n);
}

static const struct {
    char s[3];
    au_ctp_tok kind;
} punct[] = {/* longer ones first */
             {":=", CTP_SET},   {"||", CTP_OROR},    {"&&", CTP_ANDAND}, {"==", CTP_EQ},
             {"!=", CTP_NE},    {"<=", CTP_LE},      {">=", CTP_GE},     {"<<", CTP_SHL},
             {">>", CTP_SHR},   {"=", CTP_EQUALS},   {":", CTP_COLON},   {",", CTP_COMMA},
             {";", CTP_SEMI},   {"?", CTP_QUESTION}, {"(", CTP_LPAREN},  {")", CTP_RPAREN},
             {"{", CTP_LBRACE}, {"}", CTP_RBRACE},   {"[", CTP_LBRACK},  {"]", CTP_RBRACK},
             {"|", CTP_OR},     {"^", CTP_XOR},      {"&", CTP_AND},     {"<", CTP_LT},
             {">", CTP_GT},     {"+", CTP_PLUS},     {"-", CTP_MINUS},   {"*", CTP_STAR},
             {"/", CTP_SLASH},  {"%", CTP_PERCENT},  {"!", CTP_NOT},     {"~", CTP_TILDE},
             {"@", CTP_AT}};

void au_ctp_next(au_ctp_lex *x) {
    if (x->failed)
        return;
    size_t i = x->pos;
    for (; i < x->n; i++) {
        char c = x->text[i];
        if (c == '#' || (c == '/' && i + 1 < x->n && x->text[i + 1] == '/')) {
            while (i < x->n && x->text[i] != '\n')
                i++;
            if (i == x->n)
                break;
        } else if (c != ' ' && !(c >= '\t' && c <= '\r')) {
            break;
        }
    }
    au_ctp_token *t = &x->tok;
    *t = (au_ctp_token){.kind = CTP_EOF, .off = (uint32_t)i};
    x->pos = (uint32_t)i;
    if (i == x->n)
        return;
    char c = x->text[i];
    if (name_start(c)) {
        size_t end = i;
        while (end < x->n && name_part(x->text[end]))
            end++;
        t->len = (uint32_t)(end - i);
        t->name = au_intern_add(&x->names, x->text + i, t->len);
        t->kind = t->name < CTP_KEYWORDS ? (au_ctp_tok)t->name : CTP_NAME;
    } else if (digit(c)) {
        number(x);
    } else if (c == '"') {
        quoted(x);
    } else if (c == '$' && i + 1 < x->n && digit(x->text[i + 1])) {
        t->kind = CTP_DOLLAR;
        for (i++; i < x->n && digit(x->text[i]) && t->number < UINT32_MAX; i++)
            t->number = t->number * 10 + (unsigned)(x->text[i] - '0');
        t->len = (uint32_t)(i - t->off);
    } else {
        for (size_t k = 0; k < sizeof punct / sizeof *punct; k++) {
            size_t len = strlen(punct[k].s);
            if (i + len <= x->n && memcmp(x->text + i, punct[k].s, len) == 0) {
                t->kind = punct[k].kind;
                t->len = (uint32_t)len;
                break;
            }
        }
        if (t->kind == CTP_EOF) {
            unsigned char u = (unsigned char)c;
            if (u >= 128)
                au_ctp_fail(x, t->off,
                            "byte 0x%02x: only comments and quoted names may have other than ASCII",
                            u);
            else if (u < 32 || u == 127)
                au_ctp_fail(x, t->off, "byte 0x%02x is not text", u);
            else
                au_ctp_fail(x, t->off, "unexpected character '%c'", c);
        }
    }
    x->pos = t->off + t->len;
}
