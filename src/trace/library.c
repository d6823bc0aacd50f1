/* trace/library.c: rows for the user's own libraries (library.h).
 *
 * A row is one line, as in wire/libc.def: F(…), S(…) or B(…), with comments and empty lines between. */
#include "trace/library.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "wire/libc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef AU_VEC(au_libc) rows;
static rows taken_rows, taken_families;

/* ---- words ----------------------------------------------------------------------------------- */

typedef struct {
    const char *word;
    uint8_t value;
} word;

#define LIST_(...)                                                                                 \
    __VA_ARGS__, {                                                                                 \
        NULL, 0                                                                                    \
    }
static const word does_words[] = {
    LIST_({"_", AU_DOES_UNSTATED}, {"QUIET", AU_DOES_QUIET}, {"SETJMP", AU_DOES_SETJMP},
          {"LONGJMP", AU_DOES_LONGJMP}, {"THROW", AU_DOES_THROW}, {"PURE", AU_DOES_PURE},
          {"MEMORY", AU_DOES_MEMORY}, {"ALLOC", AU_DOES_ALLOC}, {"REALLOC", AU_DOES_REALLOC},
          {"FREE", AU_DOES_FREE}, {"NORETURN", AU_DOES_NORETURN}, {"CALLBACK", AU_DOES_CALLBACK},
          {"SPECIFIC", AU_DOES_SPECIFIC}, {"NONDET", AU_DOES_NONDET}, {"FAILS", AU_DOES_FAILS},
          {"ASSUME", AU_DOES_ASSUME})};
static const word sync_words[] = {LIST_(
    {"COMPARE", AU_SYNC_COMPARE}, {"CREATE", AU_SYNC_CREATE}, {"JOIN", AU_SYNC_JOIN},
    {"EXIT", AU_SYNC_EXIT}, {"LOCK", AU_SYNC_LOCK}, {"TRYLOCK", AU_SYNC_TRYLOCK},
    {"UNLOCK", AU_SYNC_UNLOCK}, {"RDLOCK", AU_SYNC_RDLOCK}, {"TRYRDLOCK", AU_SYNC_TRYRDLOCK},
    {"WRLOCK", AU_SYNC_WRLOCK}, {"TRYWRLOCK", AU_SYNC_TRYWRLOCK}, {"RWUNLOCK", AU_SYNC_RWUNLOCK},
    {"WAIT", AU_SYNC_WAIT}, {"TIMEDWAIT", AU_SYNC_TIMEDWAIT}, {"SIGNAL", AU_SYNC_SIGNAL},
    {"BROADCAST", AU_SYNC_BROADCAST}, {"SEM_WAIT", AU_SYNC_SEM_WAIT},
    {"SEM_TRYWAIT", AU_SYNC_SEM_TRYWAIT}, {"SEM_POST", AU_SYNC_SEM_POST},
    {"SEM_INIT", AU_SYNC_SEM_INIT}, {"BARRIER_INIT", AU_SYNC_BARRIER_INIT},
    {"BARRIER_WAIT", AU_SYNC_BARRIER_WAIT}, {"ONCE", AU_SYNC_ONCE},
    {"MUTEX_INIT", AU_SYNC_MUTEX_INIT}, {"NOTHING", AU_SYNC_NOTHING}, {"SELF", AU_SYNC_SELF})};
static const word reads_words[] = {LIST_({"_", AU_READS_UNSTATED}, {"EVENTS", AU_READS_EVENTS},
                                         {"SHOWN", AU_READS_SHOWN}, {"GIVEN", AU_READS_GIVEN})};
static const word channel_words[] = {LIST_({"_", AU_CHANNEL_UNSTATED}, {"SENDS", AU_CHANNEL_SENDS},
                                           {"HEARS", AU_CHANNEL_HEARS}, {"BOTH", AU_CHANNEL_BOTH})};
static const word class_words[] = {LIST_({"_", AU_CLASS_UNSTATED}, {"HARMLESS", AU_CLASS_HARMLESS},
                                         {"DEAF", AU_CLASS_DEAF}, {"FIRST", AU_CLASS_FIRST},
                                         {"PLAIN", AU_CLASS_PLAIN}, {"OPAQUE", AU_CLASS_OPAQUE})};
static const word gap_words[] = {
    LIST_({"AU_GAP_ENDED", AU_GAP_ENDED}, {"AU_GAP_LOOKS", AU_GAP_LOOKS},
          {"AU_GAP_SIGNAL", AU_GAP_SIGNAL}, {"AU_GAP_TIME", AU_GAP_TIME},
          {"AU_GAP_MAY_FAIL", AU_GAP_MAY_FAIL}, {"AU_GAP_CHANGES", AU_GAP_CHANGES})};
static const word truth_words[] = {LIST_({"true", 1}, {"false", 0})};

/* The letters of 'args' that a row may have, by what it does. */
static const char *letters_of(uint8_t does) {
    switch ((au_libc_does)does) {
    case AU_DOES_MEMORY:
        return "-rwbpPk*";
    case AU_DOES_ALLOC:
        return "-srz";
    case AU_DOES_REALLOC:
        return "-b";
    case AU_DOES_FREE:
        return "-f";
    case AU_DOES_CALLBACK:
        return "-rwbfkx";
    case AU_DOES_SYNC:
        return "-hdfaSlcnvxk";
    case AU_DOES_FAILS:
    case AU_DOES_ASSUME:
        return "c";
    default:
        return "";
    }
}

/* ---- a line ------------------------------------------------------------------------------------ */

enum { COLUMNS = 12, LONGEST = 300 };

typedef struct {
    const char *file;
    unsigned line;
    const char *at, *end; /* of the line, without comments */
    rows row, family;
    au_error *err;
} parser;

__attribute__((format(printf, 2, 3))) static au_status wrong(parser *p, const char *format, ...) {
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return au_error_set(p->err, AU_EFORMAT, "%s:%u: %s", p->file, p->line, text);
}

static void skip_space(parser *p) {
    while (p->at < p->end && isspace((unsigned char)*p->at))
        p->at++;
}

/* A column: a word, "text", 'c' or .name = word; ends before ',' or ')'. */
static bool take_column(parser *p, char *into) {
    size_t n = 0;
    char quote = 0;
    skip_space(p);
    for (; p->at < p->end && (quote || (*p->at != ',' && *p->at != ')')); p->at++) {
        if (*p->at == quote)
            quote = 0;
        else if (!quote && (*p->at == '"' || *p->at == '\''))
            quote = *p->at;
        if (n + 1 >= LONGEST)
            return false;
        into[n++] = *p->at;
    }
    while (n && isspace((unsigned char)into[n - 1]))
        n--;
    into[n] = 0;
    return n && !quote && p->at < p->end;
}

static au_status take_word(parser *p, const char *column, const word *of, const char *what,
                           uint8_t *into) {
    for (; of->word; of++)
        if (!strcmp(of->word, column)) {
            *into = of->value;
            return AU_OK;
        }
    return wrong(p, "'%s' is not a word of the column '%s'", column, what);
}

/* "text" without its quotes; NULL: 0. */
static au_status take_text(parser *p, const char *column, char **into) {
    size_t n = strlen(column);
    *into = NULL;
    if (!strcmp(column, "0"))
        return AU_OK;
    if (n < 2 || column[0] != '"' || column[n - 1] != '"')
        return wrong(p, "expected \"…\" instead of '%s'", column);
    *into = au_strndup(column + 1, n - 2);
    return AU_OK;
}

static au_status check_args(parser *p, const au_libc *r) {
    bool stated = r->does >= AU_DOES_PURE;
    if (stated != (r->args != NULL) || stated != (r->result != 0))
        return wrong(p, "'%s': args and result are stated, or 0, with what it does", r->name);
    if (!stated)
        return AU_OK;
    const char *many = strchr(r->args, '*');
    if (strspn(r->args, letters_of(r->does)) != strlen(r->args))
        return wrong(p, "'%s': \"%s\" has a letter that does not fit what it does", r->name,
                     r->args);
    if (many && (many == r->args || many[1]))
        return wrong(p, "'%s': '*' repeats the last letter", r->name);
    if (r->result >= '0' && r->result <= '9' && (size_t)(r->result - '0') >= strlen(r->args))
        return wrong(p, "'%s' gives an argument that it does not have", r->name);
    if (!strchr("ibotpz", r->result) && (r->result < '0' || r->result > '9'))
        return wrong(p, "'%s': no such result '%c'", r->name, r->result);
    return AU_OK;
}

/* .gap = …, .result_counts = true. The others are about functions that only augur's own table has. */
static au_status take_field(parser *p, const char *column, au_libc *r) {
    const char *equal = strchr(column, '=');
    char name[32] = "";
    if (*column != '.' || !equal || (size_t)(equal - column) >= sizeof name)
        return wrong(p, "expected '.field = value' instead of '%s'", column);
    sscanf(column, ".%31[a-z_]", name);
    const char *value = equal + 1 + strspn(equal + 1, " \t");
    uint8_t truth = 0;
    if (!strcmp(name, "gap"))
        return take_word(p, value, gap_words, ".gap", &r->gap);
    if (strcmp(name, "result_counts"))
        return wrong(p, "there is no field '%s' for libraries of yours", name);
    au_status st = take_word(p, value, truth_words, ".result_counts", &truth);
    r->result_counts = truth;
    return st;
}

static bool is_twice(const rows *of, const char *name) {
    for (size_t i = 0; i < of->n; i++)
        if (!strcmp(of->at[i].name, name))
            return true;
    return false;
}

static au_status take_name(parser *p, char kind, const char *column, au_libc *r) {
    char *name = NULL;
    if (kind == 'B') {
        au_status st = take_text(p, column, &name);
        if (st != AU_OK)
            return st;
        if (!name || !*name) {
            free(name);
            return wrong(p, "a family needs the beginning of its names");
        }
    } else {
        name = au_strdup(column);
    }
    r->name = name;
    for (const char *s = name; *s; s++)
        if (!isalnum((unsigned char)*s) && !strchr("_$.@", *s))
            return wrong(p, "'%s' is not a name", name);
    if (kind != 'B' && au_libc_find_own(name))
        return wrong(p, "'%s' is in augur's own table", name);
    if (is_twice(kind == 'B' ? &p->family : &p->row, name))
        return wrong(p, "'%s' has a row already", name);
    return AU_OK;
}

static au_status take_row(parser *p, char kind, char (*column)[LONGEST], size_t n, au_libc *r) {
    size_t fixed = kind == 'F' ? 8 : kind == 'S' ? 7 : 6, k = 2;
    char *args = NULL;
    au_status st;
    if (n < fixed || (kind == 'B' && n > fixed))
        return wrong(p, "%c(…) has %zu columns instead of %zu", kind, n, fixed);
    if ((st = take_name(p, kind, column[0], r)) != AU_OK)
        return st;
    if (strcmp(column[1], "_"))
        return wrong(p, "'%s': the column 'runtime' is '_': the runtime wraps no library of yours",
                     r->name);
    if (kind == 'S') {
        r->does = AU_DOES_SYNC;
        r->result = 'z';
        st = take_word(p, column[k++], sync_words, "does", &r->sync);
    } else {
        st = take_word(p, column[k++], does_words, "does", &r->does);
    }
    if (st == AU_OK && kind != 'B') {
        st = take_text(p, column[k++], &args);
        r->args = args;
    }
    if (st == AU_OK && kind == 'F') {
        const char *c = column[k++];
        if (!strcmp(c, "0"))
            r->result = 0;
        else if (strlen(c) == 3 && c[0] == '\'' && c[2] == '\'')
            r->result = c[1];
        else
            return wrong(p, "expected a letter in '…' instead of '%s'", c);
    }
    if (st == AU_OK)
        st = take_word(p, column[k++], reads_words, "reads", &r->reads);
    if (st == AU_OK)
        st = take_word(p, column[k++], channel_words, "channel", &r->channel);
    if (st == AU_OK)
        st = take_word(p, column[k++], class_words, "class", &r->class);
    while (st == AU_OK && k < n)
        st = take_field(p, column[k++], r);
    if (st == AU_OK && kind != 'B')
        st = check_args(p, r);
    if (st == AU_OK && r->class == AU_CLASS_HARMLESS && (r->channel || r->gap))
        st = wrong(p, "'%s' is harmless, and sends, hears or is a gap", r->name);
    return st;
}

static void free_rows(rows *r) {
    for (size_t i = 0; i < r->n; i++) {
        free((char *)(uintptr_t)r->at[i].name);
        free((char *)(uintptr_t)r->at[i].args);
    }
    au_vec_release(r);
}

static au_status take_line(parser *p) {
    static char column[COLUMNS][LONGEST];
    size_t n = 0;
    skip_space(p);
    if (p->at == p->end)
        return AU_OK;
    char kind = *p->at++;
    skip_space(p);
    if (!strchr("FSB", kind) || p->at == p->end || *p->at != '(')
        return wrong(p, "expected a row: F(…), S(…) or B(…)");
    do {
        p->at++;
        if (n == COLUMNS || !take_column(p, column[n++]))
            return wrong(p, "column %zu is empty, too long, or one too many; a row is one line", n);
    } while (*p->at == ',');
    p->at++;
    skip_space(p);
    if (p->at != p->end)
        return wrong(p, "something follows the row");
    au_libc r = {.users = true};
    au_status st = take_row(p, kind, column, n, &r);
    rows *into = kind == 'B' ? &p->family : &p->row;
    au_vec_push(into, r); /* also a bad one: it is freed with the others */
    return st;
}

/* ---- a file -------------------------------------------------------------------------------------- */

/* Comments become spaces, whole files of them included. */
static void blank_comments(char *text) {
    for (char *s = text; *s; s++) {
        if (s[0] == '/' && s[1] == '/') {
            for (; *s && *s != '\n'; s++)
                *s = ' ';
        } else if (s[0] == '/' && s[1] == '*') {
            char *end = strstr(s + 2, "*/");
            char *stop = end ? end + 2 : s + strlen(s);
            for (; s < stop; s++)
                if (*s != '\n')
                    *s = ' ';
        }
        if (!*s)
            return;
    }
}

static au_status parse(parser *p, const char *name, const char *from, size_t length) {
    char *text = au_strndup(from, length);
    au_status st = AU_OK;
    p->file = name;
    p->line = 0;
    blank_comments(text);
    for (char *s = text; st == AU_OK && *s;) {
        char *end = s + strcspn(s, "\n");
        p->line++;
        p->at = s;
        p->end = end;
        st = take_line(p);
        s = *end ? end + 1 : end;
    }
    free(text);
    return st;
}

static void take(parser *p, au_status st) {
    if (st != AU_OK) {
        free_rows(&p->row);
        free_rows(&p->family);
        return;
    }
    au_libc_add(p->row.at, p->row.n, p->family.at, p->family.n);
    free_rows(&taken_rows);
    free_rows(&taken_families);
    taken_rows = p->row;
    taken_families = p->family;
}

au_status au_library_parse(const char *name, const char *text, size_t length, au_error *err) {
    parser p = {.err = err};
    au_status st = parse(&p, name, text, length);
    take(&p, st);
    return st;
}

au_status au_library_read(const char *const *path, size_t n, au_error *err) {
    parser p = {.err = err};
    au_status st = AU_OK;
    for (size_t i = 0; i < n && st == AU_OK; i++) {
        FILE *f = fopen(path[i], "r");
        if (!f) {
            st = au_error_errno(err, "cannot open '%s'", path[i]);
            break;
        }
        AU_VEC(char) text = {0};
        for (int c; (c = getc(f)) != EOF;)
            au_vec_push(&text, (char)c);
        if (ferror(f))
            st = au_error_errno(err, "cannot read '%s'", path[i]);
        fclose(f);
        if (st == AU_OK)
            st = parse(&p, path[i], text.at ? text.at : "", text.n);
        au_vec_release(&text);
    }
    take(&p, st);
    return st;
}
