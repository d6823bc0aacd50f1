#include "trace/text_priv.h"

#include <ctype.h>
#include <stdio.h>

au_text_quoted au_text_quote(const char *s, size_t n) {
    au_text_quoted q;
    size_t k = 0;
    enum { KEEP = 48 }; /* leaves room for one escape, the dots and the end */
    size_t i = 0;
    for (; i < n && k < KEEP; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c >= ' ' && c < 0x7f)
            q.s[k++] = (char)c;
        else
            k += (size_t)snprintf(q.s + k, sizeof q.s - k, "\\x%02x", c);
    }
    snprintf(q.s + k, sizeof q.s - k, "%s", i < n ? "..." : "");
    return q;
}

static int digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 16;
}

bool au_text_int64(const char *s, size_t n, int64_t *v, char *why) {
    size_t i = 0;
    bool negative = n && s[0] == '-';
    i += negative;
    int base = 10;
    if (n - i > 2 && s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X')) {
        base = 16;
        i += 2;
    }
    bool good = i < n, over = false;
    uint64_t x = 0;
    for (; good && i < n; i++) {
        int d = digit(s[i]);
        good = d < base;
        over |= __builtin_mul_overflow(x, (uint64_t)base, &x);
        over |= __builtin_add_overflow(x, (uint64_t)d, &x);
    }
    bool fits = !over && x <= (uint64_t)INT64_MAX + negative;
    if (!good)
        snprintf(why, AU_TEXT_WHY, "the value '%s' is not an integer", au_text_quote(s, n).s);
    else if (!fits)
        snprintf(why, AU_TEXT_WHY, "the value '%s' does not fit in 64 bits", au_text_quote(s, n).s);
    else
        *v = negative ? (int64_t)(0 - x) : (int64_t)x;
    return good && fits;
}

bool au_text_thread(au_names *names, const char *s, size_t n, uint32_t *id, char *why) {
    *id = names->thread.n < AU_MAX_THREADS ? au_intern_add(&names->thread, s, n)
                                           : au_intern_find(&names->thread, s, n);
    if (*id == AU_NONE)
        snprintf(why, AU_TEXT_WHY, "thread '%s' is one too many, at most %u are possible",
                 au_text_quote(s, n).s, AU_MAX_THREADS);
    return *id != AU_NONE;
}

static bool plain_number(const char *s, size_t n, uint32_t *v) {
    if (n > 10 || (n > 1 && s[0] == '0'))
        return false;
    uint64_t x = 0;
    for (size_t i = 0; i < n; i++) {
        if (s[i] < '0' || s[i] > '9')
            return false;
        x = x * 10 + (uint64_t)(s[i] - '0');
    }
    *v = (uint32_t)x;
    return x < AU_LOC_NAMED;
}

bool au_text_loc(au_names *names, const char *s, size_t n, uint32_t *loc, char *why) {
    *loc = AU_NONE;
    if (!n || plain_number(s, n, loc))
        return true;
    bool room = names->loc.n < AU_NONE - AU_LOC_NAMED;
    uint32_t id = room ? au_intern_add(&names->loc, s, n) : au_intern_find(&names->loc, s, n);
    *loc = AU_LOC_NAMED + id;
    if (id == AU_NONE)
        snprintf(why, AU_TEXT_WHY, "too many different locations");
    return id != AU_NONE;
}

static bool blank(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isspace((unsigned char)s[i]))
            return false;
    return true;
}

static bool parse_line(au_text *t, au_columns *c, au_names *n, const char *s, size_t len,
                       char *why) {
    if (len && s[len - 1] == '\r')
        len--;
    if (blank(s, len)) {
        snprintf(why, AU_TEXT_WHY, "blank line");
        return false;
    }
    return t->parse(t, c, n, s, len, why);
}

/* A bad line is next: an error, or with lint a complaint and true to go on. */
static au_status complain(au_text *t, const char *why, au_error *err) {
    const au_read_options *o = t->d.opts;
    t->line++;
    t->first = t->line + 1;
    if (!o || !o->lint)
        return au_error_set(err, AU_EFORMAT, "%s:%llu: %s", au_in_name(t->d.in),
                            (unsigned long long)t->line, why);
    if (!o->lint(o->lint_ctx, t->line, why))
        t->stopped = true;
    return AU_OK;
}

/* Steps over the rest of a line that is too long to be looked at. */
static au_status skip_line(au_in *in, au_error *err) {
    for (;;) {
        size_t have;
        const char *p = au_in_peek(in, 1, &have, err);
        if (!p)
            return err && err->status ? err->status : AU_EIO;
        const char *nl = have ? memchr(p, '\n', have) : NULL;
        au_in_skip(in, nl ? (size_t)(nl - p) + 1 : have);
        if (nl || !have)
            return AU_OK;
    }
}

/* What a pass over the bytes at hand ended with. */
typedef enum { USED_UP, CUT_LINE, BAD_LINE, LONG_LINE } outcome;

/* Parses lines of p[0 … have-1], the last bytes of the input if 'last'. *at is
 * then the start of the line that was not taken; *len is that line's length with
 * its end, if there is one. */
static outcome take_lines(au_text *t, au_columns *c, au_names *n, const char *p, size_t have,
                          bool last, size_t *at, size_t *len, char *why) {
    while (*at < have && c->n < AU_DECODE_EVENTS) {
        if (t->fast) {
            size_t before = c->n;
            *at += t->fast(t, c, n, p + *at, have - *at);
            t->line += c->n - before;
            if (*at == have || c->n >= AU_DECODE_EVENTS)
                break;
        }
        const char *s = p + *at;
        size_t left = have - *at;
        const char *nl = memchr(s, '\n', left <= AU_TEXT_LINE_MAX ? left : AU_TEXT_LINE_MAX + 1);
        if (!nl && left > AU_TEXT_LINE_MAX)
            return LONG_LINE;
        if (!nl && !last)
            return CUT_LINE;
        *len = nl ? (size_t)(nl - s) + 1 : left;
        if (!parse_line(t, c, n, s, nl ? (size_t)(nl - s) : left, why))
            return BAD_LINE;
        *at += *len;
        t->line++;
    }
    return USED_UP;
}

static au_status next(au_decoder *d, au_columns *c, au_names *n, au_error *err) {
    au_text *t = (au_text *)d;
    char why[AU_TEXT_WHY];
    size_t want = 1;
    t->first = t->line + 1;
    au_columns_reserve(c, AU_DECODE_EVENTS);
    while (!t->stopped && c->n < AU_DECODE_EVENTS) {
        size_t have, at = 0, len = 0;
        if (c->n && au_in_would_wait(d->in, want))
            break; /* whoever watches a growing trace wants to know now */
        const char *p = au_in_peek(d->in, want, &have, err);
        if (!p)
            return err && err->status ? err->status : AU_EIO;
        if (!have)
            break;
        outcome o =
            take_lines(t, c, n, p, have, have < want && !au_in_stopped(d->in), &at, &len, why);
        au_in_skip(d->in, at);
        if (o == CUT_LINE && have < want)
            break; /* the rest of it is not waited for */
        want = o == CUT_LINE ? have - at + 1 : 1;
        if (o == USED_UP || o == CUT_LINE)
            continue;
        if (c->n)
            break; /* the good lines above first; this one is met again by the next call */
        if (o == LONG_LINE) {
            snprintf(why, sizeof why, "line longer than 1 MiB");
            au_status st = skip_line(d->in, err);
            if (st)
                return st;
        } else {
            au_in_skip(d->in, len);
        }
        au_status st = complain(t, why, err);
        if (st)
            return st;
    }
    return AU_OK;
}

static uint64_t where(const au_decoder *d, size_t i) {
    return ((const au_text *)d)->first + i;
}

void au_text_start(au_text *t, au_in *in, const au_read_options *opts) {
    t->d.next = next;
    t->d.where = where;
    t->d.is_text = true;
    t->d.in = in;
    t->d.opts = opts;
}
