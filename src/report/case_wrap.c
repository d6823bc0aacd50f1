/* report/case_wrap.c: text in lines of a terminal's width (au_case_put_wrapped in case_words.h). */
#include "report/case_words.h"

/* Bytes of a sequence that changes colours; 0: there is none. It has no width. */
static size_t escape(const char *s, const char *end) {
    if (s + 1 >= end || s[0] != '\033' || s[1] != '[')
        return 0;
    size_t n = 2;
    while (s + n < end && s[n] != 'm')
        n++;
    return s + n < end ? n + 1 : n;
}

/* One line: broken at its last blank before the width, what follows is indented by 'indent'. A word that is too long stays
 * whole: names and paths are copied from the screen. */
static void put_line(au_out *out, const char *s, const char *end, size_t width, size_t indent) {
    size_t at = 0;
    const char *from = s, *blank = NULL;
    bool begun = false; /* something but blanks stands in it */
    for (const char *p = s; p < end;) {
        size_t n = escape(p, end);
        if (n) {
            p += n;
            continue;
        }
        if (*p == ' ' && begun)
            blank = p;
        begun |= *p != ' ';
        at += ((unsigned char)*p & 0xc0) != 0x80; /* not a byte inside of a letter */
        p++;
        if (at <= width || !blank)
            continue;
        au_out_write(out, from, (size_t)(blank - from));
        au_out_printf(out, "\n%*s", (int)indent, "");
        while (blank < end && *blank == ' ')
            blank++;
        from = p = blank;
        blank = NULL;
        at = indent;
        begun = false;
    }
    au_out_write(out, from, (size_t)(end - from));
}

void au_case_put_wrapped(au_out *out, const char *text, size_t n, size_t width) {
    const char *end = text + n;
    while (text < end) {
        const char *line = memchr(text, '\n', (size_t)(end - text));
        line = line ? line : end;
        put_line(out, text, line, width, 8);
        if (line < end)
            au_out_char(out, '\n');
        text = line + 1;
    }
}
