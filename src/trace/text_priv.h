/* trace/text_priv.h: what the decoders of line formats share. Only for src/trace.
 *
 * A block of a text decoder is a run of consecutive lines, one event each. A bad
 * line therefore ends a block before it: the events above it go out first and are
 * checked first, so that complaints come in the order of the lines. */
#ifndef AU_TRACE_TEXT_PRIV_H
#define AU_TRACE_TEXT_PRIV_H

#include "trace/reader_priv.h"

enum { AU_TEXT_WHY = 256 };

typedef struct au_text au_text;
struct au_text {
    au_decoder d;
    uint64_t line;  /* lines done */
    uint64_t first; /* the line of event 0 of the last block */
    bool stopped;   /* lint wants no more */

    /* One line without its line end, not blank: appends its event to c, or says
     * in why[AU_TEXT_WHY] what is wrong and adds nothing. */
    bool (*parse)(au_text *t, au_columns *c, au_names *n, const char *s, size_t len, char *why);
    /* May be NULL. Appends the events of the first lines in p[0 … have-1], as far
     * as they are simple and c->n stays within AU_DECODE_EVENTS (room for which is
     * there); returns the bytes of these whole lines. */
    size_t (*fast)(au_text *t, au_columns *c, au_names *n, const char *p, size_t have);
};

/* Fills in t->d except free; the caller has set parse and fast. */
void au_text_start(au_text *t, au_in *in, const au_read_options *opts);

/* What was found, for a message: cut, and only printable characters. */
typedef struct {
    char s[64];
} au_text_quoted;
au_text_quoted au_text_quote(const char *s, size_t n);

/* Decimal, or hexadecimal after 0x, with an optional '-'. Says in why what is wrong. */
bool au_text_int64(const char *s, size_t n, int64_t *v, char *why);
/* The id of a thread; false if there is no room for one more. */
bool au_text_thread(au_names *names, const char *s, size_t n, uint32_t *id, char *why);
/* The entry of a location in the column: canonical decimals below 2^31 stand for
 * themselves, other texts get a name, an empty text is no location. */
bool au_text_loc(au_names *names, const char *s, size_t n, uint32_t *loc, char *why);

#endif
