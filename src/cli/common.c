/* cli/common.c: what the commands share. */
#include "base/progress.h"
#include "cli/cli.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "file:12: …" or "file:12:3: …": editors jump there if nothing stands before it. */
static bool names_a_place(const char *s) {
    for (; *s && *s != '\'' && *s != '\n'; s++) {
        if (*s != ':' || !isdigit((unsigned char)s[1]))
            continue;
        size_t n = strspn(s + 1, "0123456789");
        if (s[n + 1] == ':')
            return true;
    }
    return false;
}

/* Bytes of the UTF-8 character at s, 0 if it is none or a control character. */
static size_t printable(const unsigned char *s, size_t n) {
    if (s[0] < 0x80)
        return (s[0] >= 0x20 && s[0] != 0x7f) || s[0] == '\n';
    size_t len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || n < len)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if (s[0] == 0xc2 && s[1] < 0xa0)
        return 0; /* C1 controls */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0; /* too long, surrogate, too large */
    return len;
}

size_t au_cli_printable(char *to, size_t cap, const char *from, size_t n, size_t *width) {
    static const char hex[] = "0123456789abcdef";
    const unsigned char *s = (const unsigned char *)from;
    size_t len = 0, shown = 0;
    for (size_t i = 0; i < n;) {
        size_t k = printable(s + i, n - i), need = k ? k : 4;
        /* The dots need room as well, unless this is the end. */
        if (len + need + (i + (k ? k : 1) < n ? 3 : 0) > cap - 1) {
            memcpy(to + len, "...", 3);
            len += 3, shown += 3;
            break;
        }
        if (k) {
            memcpy(to + len, s + i, k);
            shown++;
        } else {
            char escape[4] = {'\\', 'x', hex[s[i] >> 4], hex[s[i] & 15]};
            memcpy(to + len, escape, 4);
            shown += 4;
        }
        len += need;
        i += k ? k : 1;
    }
    to[len] = 0;
    if (width)
        *width = shown;
    return len;
}

int au_cli_fail(const au_error *err) {
    au_progress_end();
    char text[4 * sizeof err->text];
    au_cli_printable(text, sizeof text, err->text, strlen(err->text), NULL);
    bool bare = err->status == AU_EFORMAT && names_a_place(text);
    fprintf(stderr, "%s%s\n", bare ? "" : "augur: ", text);
    return err->status == AU_EINTERNAL ? AU_EXIT_INTERNAL : AU_EXIT_USAGE;
}

void au_cli_note(const au_opts *o, const char *fmt, ...) {
    if (au_opt_flag(o, "quiet"))
        return;
    au_progress_end();
    va_list ap;
    va_start(ap, fmt);
    fputs("augur: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
}

bool au_cli_color(const au_opts *o, int fd) {
    const char *when = au_opt_str(o, "color");
    if (strcmp(when, "auto"))
        return !strcmp(when, "always");
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(no && *no) && term && strcmp(term, "dumb") && isatty(fd);
}

au_status au_cli_read_options(const au_opts *o, au_read_options *r, au_error *err) {
    *r = (au_read_options){.partial = au_opt_flag(o, "partial")};
    const char *from = au_opt_str(o, "from");
    if (!from)
        return AU_OK;
    if (!strcmp(from, "ctp"))
        return au_error_set(err, AU_EUSAGE, "a trace is needed here, not a model");
    r->format = au_format_by_name(from);
    AU_BUG_IF(r->format == AU_FORMAT_AUTO); /* the table knows a name the library does not */
    return AU_OK;
}

bool au_cli_is_model(const au_opts *o, const char *path) {
    const char *from = au_opt_str(o, "from");
    if (from)
        return !strcmp(from, "ctp");
    return au_cli_names_model(path);
}

bool au_cli_names_model(const char *path) {
    size_t n = strlen(path);
    return n >= 4 && !strcmp(path + n - 4, ".ctp");
}
