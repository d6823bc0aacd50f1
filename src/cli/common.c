/* cli/common.c: what the commands share. */
#include "base/printable.h"
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

int au_cli_fail(const au_error *err) {
    au_progress_end();
    char text[4 * sizeof err->text];
    au_printable(text, sizeof text, err->text, strlen(err->text), NULL);
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

void au_cli_repairs(const au_opts *o, au_repairs x, const char *path) {
    char *text = au_repairs_text(x, path);
    if (text)
        au_cli_note(o, "%s", text);
    free(text);
}

bool au_cli_color(const au_opts *o, int fd) {
    const char *when = au_opt_str(o, "color");
    if (strcmp(when, "auto"))
        return !strcmp(when, "always");
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(no && *no) && term && strcmp(term, "dumb") && isatty(fd);
}
