/* trace/reader.h: any trace as a stream of blocks.
 *
 * Binary traces, STD text, RapidBin and value text, from a file or standard
 * input, plain, gzip or zstd. Memory does not grow with the number of events
 * (only with the number of different names). Every event is checked as it
 * passes (see validate.h): what comes out of a reader is a valid trace, or the
 * reader fails with "file:line: what is wrong". */
#ifndef AU_TRACE_READER_H
#define AU_TRACE_READER_H

#include "base/in.h"
#include "trace/event.h"

typedef enum {
    AU_FORMAT_AUTO,
    AU_FORMAT_BINARY,
    AU_FORMAT_STD,
    AU_FORMAT_RAPIDBIN,
    AU_FORMAT_VALUES,  /* Read|Write|Acq|… tid obj value */
    AU_FORMAT_JSONL,   /* written only */
    AU_FORMAT_PERFETTO /* written only */
} au_format;

/* One complaint of the checks. Return false to stop reading. */
typedef bool au_lint_fn(void *ctx, uint64_t line_or_event, const char *text);

typedef struct {
    au_format format; /* AU_FORMAT_AUTO: by the first bytes, then by the name */
    bool partial;     /* a binary trace without its end is fine, read what is there */
    bool fold;        /* recordings: without accesses of memory that no two threads share, blocks
                       * that come and go, and calls (hooks.h keeps the count) */
    uint64_t limit;   /* recordings: refuse more hooks than this; 0: none (a few bytes can stand
                       * for any number of expected events) */
    uint64_t longest; /* recordings: refuse longer ranges and blocks, in bytes; 0: none */
    bool calls;       /* with fold: calls and returns of functions are wanted */
    struct au_words *words; /* recordings: variables as in other runs (words.h), may be NULL */
    struct au_watch *watch; /* recordings: looks on (watch.h), may be NULL */
    au_lint_fn *lint;       /* if set: problems go here, bad lines are left out, reading goes on */
    void *lint_ctx;
} au_read_options;

typedef struct au_reader au_reader;

/* NULL on failure, *err set. opts may be NULL. */
au_reader *au_reader_open(const char *path, const au_read_options *opts, au_error *err);
/* Takes over 'in'. */
au_reader *au_reader_from(au_in *in, const au_read_options *opts, au_error *err);
void au_reader_free(au_reader *r);

/* The next events, AU_OK with b->n == 0 at the end. Borrowed until the next call. */
au_status au_reader_next(au_reader *r, au_block *b, au_error *err);

/* Borrowed; grows with each call of au_reader_next. */
const au_names *au_reader_names(const au_reader *r);
au_format au_reader_format(const au_reader *r);
/* For binary traces: the value of a META key, or NULL. Known after the first
 * au_reader_next. */
const char *au_reader_meta(const au_reader *r, const char *key);
/* After the end: true if a binary trace had no END frame (needs 'partial'). */
bool au_reader_incomplete(const au_reader *r);

/* "std", "bin", …: as in --from and --to. AU_FORMAT_AUTO if unknown. */
au_format au_format_by_name(const char *name);
/* By the ending of a file's name (.std .trace .jsonl .json .rapidbin …, with
 * .gz and .zst taken off); AU_FORMAT_AUTO if it says nothing. */
au_format au_format_by_path(const char *path);

#endif
