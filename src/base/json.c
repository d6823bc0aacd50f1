#include "base/json.h"

#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void au_json_init(au_json *j, au_out *out, bool pretty) {
    *j = (au_json){.out = out, .pretty = pretty};
}

static bool on_lines(const au_json *j) {
    return j->pretty && !(j->inlined >> j->depth & 1);
}

static void new_line(au_json *j) {
    au_out_char(j->out, '\n');
    for (unsigned i = 0; i < j->depth; i++)
        au_out_str(j->out, "  ");
}

/* What goes before an element: a comma and a line break, or nothing after a key. */
static void before(au_json *j) {
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (!j->depth)
        return;
    if (j->filled >> j->depth & 1)
        au_out_str(j->out, j->pretty && !on_lines(j) ? ", " : ",");
    j->filled |= UINT64_C(1) << j->depth;
    if (on_lines(j))
        new_line(j);
}

static void open_level(au_json *j, char c, bool on_one_line) {
    before(j);
    au_out_char(j->out, c);
    bool inherited = j->inlined >> j->depth & 1;
    AU_BUG_IF(j->depth >= 62);
    j->depth++;
    uint64_t bit = UINT64_C(1) << j->depth;
    j->filled &= ~bit;
    j->inlined = on_one_line || inherited ? j->inlined | bit : j->inlined & ~bit;
}

static void close_level(au_json *j, char c) {
    AU_BUG_IF(!j->depth || j->after_key);
    bool lines = on_lines(j) && (j->filled >> j->depth & 1);
    j->depth--;
    if (lines)
        new_line(j);
    au_out_char(j->out, c);
}

void au_json_object(au_json *j) {
    open_level(j, '{', false);
}
void au_json_array(au_json *j) {
    open_level(j, '[', false);
}
void au_json_object_inline(au_json *j) {
    open_level(j, '{', true);
}
void au_json_array_inline(au_json *j) {
    open_level(j, '[', true);
}
void au_json_end_object(au_json *j) {
    close_level(j, '}');
}
void au_json_end_array(au_json *j) {
    close_level(j, ']');
}

static void quoted(au_json *j, const char *text, size_t n) {
    const unsigned char *s = (const unsigned char *)text;
    au_out_char(j->out, '"');
    for (size_t i = 0; i < n;) {
        size_t plain = i; /* nearly everything is: one write */
        while (plain < n && s[plain] >= 0x20 && s[plain] < 0x7f && s[plain] != '"' &&
               s[plain] != '\\')
            plain++;
        if (plain > i) {
            au_out_write(j->out, s + i, plain - i);
            i = plain;
            continue;
        }
        unsigned char c = s[i];
        if (c == '"' || c == '\\') {
            au_out_char(j->out, '\\');
            au_out_char(j->out, (char)c);
            i++;
        } else if (c == '\n' || c == '\t') {
            au_out_str(j->out, c == '\n' ? "\\n" : "\\t");
            i++;
        } else if (c < 0x20 || c == 0x7f) {
            au_out_printf(j->out, "\\u%04x", c);
            i++;
        } else {
            size_t len = au_utf8_length(s + i, n - i);
            if (len)
                au_out_write(j->out, s + i, len);
            else
                au_out_str(j->out, "\xef\xbf\xbd");
            i += len ? len : 1;
        }
    }
    au_out_char(j->out, '"');
}

void au_json_key(au_json *j, const char *key) {
    before(j);
    quoted(j, key, strlen(key));
    au_out_str(j->out, j->pretty ? ": " : ":");
    j->after_key = true;
}

void au_json_string_n(au_json *j, const char *s, size_t n) {
    before(j);
    quoted(j, s, n);
}

void au_json_string(au_json *j, const char *s) {
    au_json_string_n(j, s, strlen(s));
}

void au_json_i64(au_json *j, int64_t v) {
    before(j);
    au_out_i64(j->out, v);
}

void au_json_u64(au_json *j, uint64_t v) {
    before(j);
    au_out_u64(j->out, v);
}

void au_json_double(au_json *j, double v) {
    before(j);
    if (isfinite(v))
        au_out_printf(j->out, "%.6g", v);
    else
        au_out_str(j->out, "null");
}

void au_json_bool(au_json *j, bool v) {
    before(j);
    au_out_str(j->out, v ? "true" : "false");
}

void au_json_null(au_json *j) {
    before(j);
    au_out_str(j->out, "null");
}

void au_json_put_string(au_json *j, const char *key, const char *s) {
    au_json_key(j, key);
    au_json_string(j, s);
}
void au_json_put_u64(au_json *j, const char *key, uint64_t v) {
    au_json_key(j, key);
    au_json_u64(j, v);
}
void au_json_put_i64(au_json *j, const char *key, int64_t v) {
    au_json_key(j, key);
    au_json_i64(j, v);
}
void au_json_put_bool(au_json *j, const char *key, bool v) {
    au_json_key(j, key);
    au_json_bool(j, v);
}
