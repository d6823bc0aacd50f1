/* tests/lib/shrink_model.c: the shrinker of gen_model.h.
 *
 * Works on lines: a line that ends in '{' opens a block, one that begins with '}'
 * closes one ("} else {" does both). Each pass makes texts that have something less
 * and keeps the first for which the predicate still holds; passes run from coarse
 * to fine until none of them gets anywhere. */
#include "gen_model.h"

#include "base/out.h"
#include "base/vec.h"

#include <ctype.h>

typedef AU_VEC(char *) lines;

typedef struct {
    bool (*still_fails)(const char *text, void *ctx);
    void *ctx;
    lines l;
} shrinker;

static void free_lines(lines *l) {
    for (size_t i = 0; i < l->n; i++)
        free(l->at[i]);
    au_vec_release(l);
}

static char *join(const lines *l, const bool *drop) {
    au_out *o = au_out_memory();
    for (size_t i = 0; i < l->n; i++)
        if (!drop || !drop[i]) {
            au_out_str(o, l->at[i]);
            au_out_char(o, '\n');
        }
    size_t n;
    const char *s = au_out_memory_data(o, &n);
    char *copy = au_strndup(s, n);
    au_out_abandon(o);
    return copy;
}

/* Leaves out the lines in 'drop' if the rest still fails. */
static bool try_drop(shrinker *s, const bool *drop) {
    char *text = join(&s->l, drop);
    bool ok = s->still_fails(text, s->ctx);
    free(text);
    if (!ok)
        return false;
    size_t to = 0;
    for (size_t i = 0; i < s->l.n; i++) {
        if (drop[i])
            free(s->l.at[i]);
        else
            s->l.at[to++] = s->l.at[i];
    }
    s->l.n = to;
    return true;
}

/* Puts 'with' in place of line i if that still fails. Takes over 'with'. */
static bool try_line(shrinker *s, size_t i, char *with) {
    char *old = s->l.at[i];
    s->l.at[i] = with;
    char *text = join(&s->l, NULL);
    bool ok = s->still_fails(text, s->ctx);
    free(text);
    s->l.at[i] = ok ? with : old;
    free(ok ? old : with);
    return ok;
}

static const char *skip_space(const char *p) {
    while (isspace((unsigned char)*p))
        p++;
    return p;
}
static bool closes(const char *line) {
    return *skip_space(line) == '}';
}
static bool opens(const char *line) {
    size_t n = strlen(line);
    while (n && isspace((unsigned char)line[n - 1]))
        n--;
    return n && line[n - 1] == '{';
}
/* The line that closes (or continues, as "} else {") what line i opens; n if none. */
static size_t partner(const lines *l, size_t i) {
    unsigned depth = 1;
    for (size_t k = i + 1; k < l->n; k++) {
        if (closes(l->at[k]) && --depth == 0)
            return k;
        if (opens(l->at[k]))
            depth++;
    }
    return l->n;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}
static bool mentions(const char *line, const char *name, size_t n) {
    for (const char *p = line; (p = strstr(p, name)); p++)
        if ((p == line || !is_word(p[-1])) && !is_word(p[n]))
            return true;
    return false;
}

/* A thread with its forks and joins; a declared name with all that mentions it. */
static bool drop_names(shrinker *s) {
    static const char *const kinds[] = {"thread", "shared", "lock", "rlock",
                                        "rwlock", "sem",    "cond", "barrier"};
    bool any = false;
    for (size_t i = 0; i < s->l.n; i++) {
        const char *p = skip_space(s->l.at[i]);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            size_t n = strlen(kinds[k]);
            if (strncmp(p, kinds[k], n) != 0 || is_word(p[n]))
                continue;
            const char *from = skip_space(p + n);
            size_t len = 0;
            while (is_word(from[len]))
                len++;
            char *name = au_strndup(from, len);
            bool *drop = au_alloc_array(s->l.n, sizeof *drop);
            for (size_t j = 0; j < s->l.n; j++)
                drop[j] = len && mentions(s->l.at[j], name, len) && (k == 0 || !opens(s->l.at[j]));
            if (k == 0) {
                size_t end = partner(&s->l, i);
                for (size_t j = i; j < s->l.n && j <= end; j++)
                    drop[j] = true;
            }
            if (len && try_drop(s, drop)) {
                any = true;
                i--;
            }
            free(drop);
            free(name);
            break;
        }
    }
    return any;
}

/* Whole blocks, then only their braces, then one side of an if. */
static bool drop_blocks(shrinker *s) {
    bool any = false;
    for (size_t i = 0; i < s->l.n; i++) {
        if (!opens(s->l.at[i]) || closes(s->l.at[i]))
            continue;
        for (int way = 0; way < 4; way++) {
            size_t middle = partner(&s->l, i), end = middle;
            if (middle < s->l.n && opens(s->l.at[middle]))
                end = partner(&s->l, middle);
            if (end >= s->l.n)
                break;
            bool has_else = end != middle;
            bool *drop = au_alloc_array(s->l.n, sizeof *drop);
            for (size_t j = i; j <= end; j++) {
                bool brace = j == i || j == middle || j == end;
                drop[j] = way == 0   ? true
                          : way == 1 ? brace || j > middle     /* keep the first side */
                          : way == 2 ? brace || j < middle     /* keep the second */
                                     : j >= middle && j < end; /* drop the else part */
            }
            bool sensible = way < 2 || has_else;
            if (sensible && try_drop(s, drop)) {
                any = true;
                free(drop);
                i--;
                break;
            }
            free(drop);
        }
    }
    return any;
}

/* Runs of lines without braces, long ones first. */
static bool drop_lines(shrinker *s) {
    bool any = false;
    for (size_t len = s->l.n / 2 ? s->l.n / 2 : 1; len; len /= 2)
        for (size_t i = 0; i + len <= s->l.n;) {
            bool *drop = au_alloc_array(s->l.n, sizeof *drop);
            bool plain = true;
            for (size_t j = i; j < i + len; j++) {
                drop[j] = true;
                plain &= !opens(s->l.at[j]) && !closes(s->l.at[j]);
            }
            if (plain && try_drop(s, drop))
                any = true;
            else
                i++;
            free(drop);
        }
    return any;
}

/* Two lines that only go together: acq and rel, wait and signal. */
static bool drop_pairs(shrinker *s) {
    bool any = false;
    if (s->l.n > 80)
        return false;
    for (size_t i = 0; i < s->l.n; i++)
        for (size_t k = i + 1; k < s->l.n; k++) {
            if (opens(s->l.at[i]) || closes(s->l.at[i]) || opens(s->l.at[k]) || closes(s->l.at[k]))
                continue;
            bool *drop = au_alloc_array(s->l.n, sizeof *drop);
            drop[i] = drop[k] = true;
            if (try_drop(s, drop))
                any = true;
            free(drop);
        }
    return any;
}

static char *splice(const char *line, size_t from, size_t to, const char *with, size_t n) {
    return au_sprintf("%.*s%.*s%s", (int)from, line, (int)n, with, line + to);
}

/* ( … ) becomes 0, 1 or what stands on either side of an operator inside. */
static bool shrink_group(shrinker *s, size_t i, size_t from) {
    const char *line = s->l.at[i];
    size_t to = from;
    unsigned depth = 0;
    do {
        depth += line[to] == '(';
        depth -= line[to] == ')';
        to++;
    } while (depth && line[to]);
    if (depth)
        return false;
    if (to - from > 3 && (try_line(s, i, splice(line, from, to, "0", 1)) ||
                          try_line(s, i, splice(line, from, to, "(1)", 3))))
        return true;
    line = s->l.at[i];
    depth = 0;
    for (size_t p = from; p < to; p++) {
        depth += line[p] == '(';
        depth -= line[p] == ')';
        if (depth != 1 || !strchr("+-*/%&|^<>=!?:~", line[p]))
            continue;
        /* "(a" … ")" and "(" … "b)": bad cuts are refused by the predicate */
        char *left = au_sprintf("%.*s)%s", (int)p, line, line + to);
        if (try_line(s, i, left))
            return true;
        line = s->l.at[i];
        char *right = au_sprintf("%.*s(%s", (int)from, line, line + p + 1);
        if (try_line(s, i, right))
            return true;
        line = s->l.at[i];
    }
    return false;
}

/* A name or number becomes 0, a number 1. */
static bool shrink_word(shrinker *s, size_t i, size_t from, size_t to) {
    const char *line = s->l.at[i];
    if (to - from == 1 && line[from] == '0')
        return false;
    if (try_line(s, i, splice(line, from, to, "0", 1)))
        return true;
    line = s->l.at[i];
    bool number = isdigit((unsigned char)line[from]);
    return number && !(to - from == 1 && line[from] == '1') &&
           try_line(s, i, splice(line, from, to, "1", 1));
}

static bool shrink_expressions(shrinker *s) {
    bool any = false;
    for (size_t i = 0; i < s->l.n; i++) {
        for (size_t p = 0; s->l.at[i][p]; p++)
            while (s->l.at[i][p] == '(' && shrink_group(s, i, p))
                any = true;
        /* only what stands behind := or in parentheses is an expression */
        const char *start = strstr(s->l.at[i], ":=");
        if (!start)
            start = strchr(s->l.at[i], '(');
        if (!start)
            continue;
        for (size_t p = (size_t)(start - s->l.at[i]); s->l.at[i][p]; p++) {
            if (!is_word(s->l.at[i][p]))
                continue;
            size_t to = p;
            while (is_word(s->l.at[i][to]))
                to++;
            if (shrink_word(s, i, p, to))
                any = true;
            while (is_word(s->l.at[i][p + 1]))
                p++;
        }
    }
    return any;
}

char *au_shrink_ctp(const char *text, bool (*still_fails)(const char *text, void *ctx), void *ctx) {
    shrinker s = {still_fails, ctx, {0}};
    while (*text) {
        size_t n = strcspn(text, "\n");
        au_vec_push(&s.l, au_strndup(text, n));
        text += n + (text[n] == '\n');
    }
    bool again = true;
    while (again) {
        again = drop_names(&s);
        again |= drop_blocks(&s);
        again |= drop_lines(&s);
        again |= drop_pairs(&s);
        again |= shrink_expressions(&s);
    }
    char *result = join(&s.l, NULL);
    free_lines(&s.l);
    return result;
}
