/* store/suppress.c: see suppress.h. */
#include "store/suppress.h"

#include "base/in.h"
#include "base/parts.h"

#include <ctype.h>
#include <stdio.h>

/* Beyond these the file is refused. */
enum { MAX_BYTES = 16 << 20, MAX_LINE = 4096, MAX_REASON = 300 };

/* ---- matching ---- */

/* One piece of a pattern between '*'s: where it ends in text if it begins at text[0]. */
static bool begins(const char *piece, size_t n, const char *text) {
    return !strncmp(text, piece, n);
}

bool au_suppression_matches(const char *p, const char *text) {
    const char *at = text;
    bool anchored = *p == '^';
    if (anchored)
        p++;
    while (*p) {
        if (*p == '*') {
            anchored = false;
            p++;
            continue;
        }
        size_t n = strcspn(p, "*$");
        bool last = p[n] == '$';
        size_t left = strlen(at);
        if (last) /* what stands behind '$' can never be seen */
            return (anchored ? left == n : left >= n) && begins(p, n, at + (left - n)) && !p[n + 1];
        for (; !anchored && *at && !begins(p, n, at);)
            at++;
        if (!begins(p, n, at) || (n && !*at))
            return false;
        at += n;
        p += n;
        anchored = true;
    }
    return true;
}

/* ---- reading ---- */

/* Types that are no kind of finding. */
static const struct {
    const char *name;
    unsigned kinds;
    const char *not_for; /* ThreadSanitizer's, about what augur does not look for */
} type[] = {
    {"race_top", 1u << AU_KIND_RACE, NULL},
    {"mutex", 1u << AU_KIND_MISUSE, NULL},
    {"any", (1u << AU_KINDS) - 1, NULL},
    {"fingerprint", 0, NULL},
    {"thread", 0, "threads that are never joined"},
    {"signal", 0, "what signal handlers do"},
    {"called_from_lib", 0, "which library calls a function"},
};

/* Where the reader of a file is. */
typedef struct {
    unsigned number;         /* of the line */
    char reason[MAX_REASON]; /* the remark above it */
    bool used;               /* … belongs to a line: the next one begins anew */
} place;

static void add(au_suppressions *s, unsigned kinds, bool top, const char *pattern,
                const place *at) {
    au_suppression x = {.kinds = kinds,
                        .top = top,
                        .pattern = au_strdup(pattern),
                        .reason = au_strdup(at->reason),
                        .file = (unsigned)s->file.n - 1,
                        .line = at->number};
    au_vec_push(&s->at, x);
}

/* line: "TYPE:PATTERN"; word: its TYPE. */
static au_status read_type(au_suppressions *s, const char *line, const char *word, const place *at,
                           au_error *err) {
    const char *name = au_vec_last(&s->file), *pattern = line + strlen(word) + 1;
    au_kind k;
    if (au_kind_by_name(word, &k)) {
        add(s, 1u << k, false, pattern, at);
        return AU_OK;
    }
    for (size_t i = 0; i < sizeof type / sizeof *type; i++) {
        if (strcmp(type[i].name, word))
            continue;
        if (type[i].not_for)
            au_vec_push(&s->remark, au_sprintf("%s:%u: '%s' is ignored: augur does not look for %s",
                                               name, at->number, line, type[i].not_for));
        else
            add(s, type[i].kinds, !strcmp(word, "race_top"), pattern, at);
        return AU_OK;
    }
    return au_error_set(err, AU_EFORMAT,
                        "%s:%u: '%.60s' is no type of suppression: race, atomicity, deadlock, "
                        "assertion, nondeterminism, lock-misuse, any, fingerprint, race_top, mutex",
                        name, at->number, word);
}

static au_status read_line(au_suppressions *s, const char *line, const place *at, au_error *err) {
    const char *name = au_vec_last(&s->file), *colon = strchr(line, ':');
    if (!colon || !colon[1])
        return au_error_set(err, AU_EFORMAT,
                            "%s:%u: a suppression is TYPE:PATTERN, as in 'race:counter', not '%s'",
                            name, at->number, line);
    char *word = au_strndup(line, (size_t)(colon - line));
    au_status st = read_type(s, line, word, at, err);
    free(word);
    return st;
}

/* A line without a suppression: a remark goes on, a blank line ends it. */
static void remark(place *at, const char *line) {
    if (!*line || at->used)
        at->reason[0] = 0;
    at->used = false;
    line += strspn(line, "# \t");
    size_t n = strlen(at->reason);
    if (*line)
        snprintf(at->reason + n, sizeof at->reason - n, "%s%s", n ? " " : "", line);
}

au_status au_suppressions_parse(au_suppressions *s, const char *name, const char *text, size_t n,
                                au_error *err) {
    au_vec_push(&s->file, au_strdup(name));
    place at = {0};
    const char *end = text + n;
    au_status st = AU_OK;
    while (text < end && st == AU_OK) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop ? stop : end;
        char line[MAX_LINE];
        size_t k = (size_t)(stop - text);
        at.number++;
        if (k >= sizeof line)
            return au_error_set(err, AU_EFORMAT, "%s:%u: the line is too long", name, at.number);
        memcpy(line, text, k);
        while (k && isspace((unsigned char)line[k - 1]))
            k--;
        line[k] = 0;
        char *begin = line + strspn(line, " \t");
        text = stop < end ? stop + 1 : end;
        if (memchr(line, 0, k))
            return au_error_set(err, AU_EFORMAT, "%s:%u: the line holds a NUL", name, at.number);
        if (*begin && *begin != '#') {
            st = read_line(s, begin, &at, err);
            at.used = true;
        } else {
            remark(&at, begin);
        }
    }
    return st;
}

static au_status read_as(au_suppressions *s, const char *name, const char *path, au_error *err) {
    char *text;
    size_t n;
    au_status st = au_in_whole(path, MAX_BYTES, "suppressions", &text, &n, err);
    if (st != AU_OK)
        return st;
    st = au_suppressions_parse(s, name, text, n, err);
    free(text);
    return st;
}

au_status au_suppressions_read(au_suppressions *s, const char *path, au_error *err) {
    return read_as(s, path, path, err);
}

au_status au_suppressions_read_shipped(au_suppressions *s, au_error *err) {
    char *path = au_part_find(AU_PART_KNOWN, err);
    au_status st = path ? read_as(s, AU_PART_KNOWN, path, err) : err->status;
    free(path);
    return st;
}

void au_suppressions_release(au_suppressions *s) {
    for (size_t i = 0; i < s->at.n; i++) {
        free(s->at.at[i].pattern);
        free(s->at.at[i].reason);
    }
    for (size_t i = 0; i < s->file.n; i++)
        free(s->file.at[i]);
    for (size_t i = 0; i < s->remark.n; i++)
        free(s->remark.at[i]);
    au_vec_release(&s->at);
    au_vec_release(&s->file);
    au_vec_release(&s->remark);
}

/* ---- cases ---- */

static bool is_called_from(const au_suppression *s, const au_case_event *e) {
    for (uint32_t i = 0; i < e->n_callers && !s->top; i++)
        if (au_suppression_matches(s->pattern, e->caller[i].function) ||
            (*e->caller[i].file && au_suppression_matches(s->pattern, e->caller[i].file)))
            return true;
    return false;
}

static bool is_about(const au_suppression *s, const au_case *c) {
    if (!s->kinds)
        return *s->pattern && (!strncmp(c->fingerprint, s->pattern, strlen(s->pattern)) ||
                               !strncmp(c->earlier, s->pattern, strlen(s->pattern)));
    if (!(s->kinds & 1u << c->kind))
        return false;
    if (*c->var && au_suppression_matches(s->pattern, c->var))
        return true;
    for (size_t i = 0; i < c->event.n; i++) {
        const au_case_event *e = &c->event.at[i];
        const char *const text[] = {e->function, e->file, e->object};
        for (size_t k = 0; k < sizeof text / sizeof *text; k++)
            if (*text[k] && au_suppression_matches(s->pattern, text[k]))
                return true;
        if (is_called_from(s, e))
            return true;
    }
    return false;
}

void au_suppressions_mark(au_suppressions *s, au_dossier *d) {
    for (size_t i = 0; i < d->at.n; i++)
        for (size_t k = 0; k < s->at.n; k++) {
            au_suppression *x = &s->at.at[k];
            if (!is_about(x, &d->at.at[i]))
                continue;
            char text[600 + MAX_REASON];
            int n = snprintf(text, sizeof text, "suppressed by '%.500s:%u'%s%s",
                             s->file.at[x->file], x->line, *x->reason ? ": " : "", x->reason);
            x->used++;
            d->at.at[i].known = true;
            if (n > 0 && !*d->at.at[i].note)
                d->at.at[i].note = au_dossier_text_copy(d, text);
            break;
        }
}
