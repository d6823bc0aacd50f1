#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

au_status au_error_set(au_error *err, au_status status, const char *fmt, ...) {
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(err->text, sizeof err->text, fmt, ap);
        va_end(ap);
        err->status = status;
    }
    return status;
}

au_status au_error_note(au_error *err, const char *fmt, ...) {
    if (!err)
        return AU_EINTERNAL;
    char old[sizeof err->text];
    memcpy(old, err->text, sizeof old);
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(err->text, sizeof err->text, fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof err->text)
        snprintf(err->text + n, sizeof err->text - (size_t)n, ": %s", old);
    return err->status;
}

au_status au_error_errno(au_error *err, const char *fmt, ...) {
    int saved = errno;
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        int n = vsnprintf(err->text, sizeof err->text, fmt, ap);
        va_end(ap);
        if (n >= 0 && (size_t)n < sizeof err->text)
            snprintf(err->text + n, sizeof err->text - (size_t)n, ": %s", strerror(saved));
        err->status = AU_EIO;
    }
    return AU_EIO;
}

static void (*on_bug)(void);

void au_on_bug(void (*handler)(void)) {
    on_bug = handler;
}

void au_bug(const char *file, int line, const char *what) {
    fprintf(stderr, "augur: internal error at %s:%d: %s\n", file, line, what);
    if (on_bug)
        on_bug();
    abort();
}
