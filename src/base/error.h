/* base/error.h: error values with context.
 *
 * Three kinds of trouble are never mixed:
 *   - our own bug:      AU_BUG_IF(...) prints where and aborts (stays on in release);
 *   - the user's trouble (bad file, full disk, wrong option): an au_status plus
 *     an au_error that carries one line of text for a person;
 *   - an answer ("unknown", "timed out"): an enum of its own in the module that
 *     answers, never an au_status.
 *
 * Wording: lower case, no full stop, what failed first, the subject in 'quotes'. */
#ifndef AU_BASE_ERROR_H
#define AU_BASE_ERROR_H

#include <stdarg.h>

typedef enum {
    AU_OK = 0,
    AU_EIO,          /* the operating system refused: open, read, write, disk full */
    AU_EFORMAT,      /* the input is not what it claims to be */
    AU_EUSAGE,       /* options that do not go together, an unknown name */
    AU_EUNSUPPORTED, /* well-formed, but outside what this part can do */
    AU_EINTERNAL     /* a worker died, a library failed: exit status 3 */
} au_status;

/* Untouched on success. The text is always terminated. */
typedef struct {
    au_status status;
    char text[1024];
} au_error;

#define AU_ERROR_NONE                                                                              \
    {                                                                                              \
        AU_OK, {                                                                                   \
            0                                                                                      \
        }                                                                                          \
    }

/* Sets *err (which may be NULL) and returns status, so that
 * 'return au_error_set(err, AU_EIO, "cannot open '%s'", path);' is one line. */
au_status au_error_set(au_error *err, au_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "context: " before the text already there; returns err->status. */
au_status au_error_note(au_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Appends ": strerror(errno)"; call it right after the failing call. */
au_status au_error_errno(au_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

_Noreturn void au_bug(const char *file, int line, const char *what);
/* Called by au_bug after its message, instead of abort(); NULL: abort() again. */
void au_on_bug(void (*handler)(void));
#define AU_BUG_IF(cond)                                                                            \
    do {                                                                                           \
        if (__builtin_expect(!!(cond), 0))                                                         \
            au_bug(__FILE__, __LINE__, #cond);                                                     \
    } while (0)

#endif
