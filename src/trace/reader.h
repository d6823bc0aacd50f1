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

/* Recordings: what happens when the time of the command is over (base/deadline.h) while one is read. */
typedef enum {
    AU_LATE_WAIT, /* it is read to its end all the same */
    AU_LATE_CUT, /* what comes later is left out (au_reader_cut): what is there is the beginning of the run */
    AU_LATE_FAIL /* AU_EUNSUPPORTED */
} au_late;

typedef struct {
    au_format format; /* AU_FORMAT_AUTO: by the first bytes, then by the name */
    bool partial;     /* a binary trace without its end is fine, read what is there */
    bool lenient;     /* STD: a line that forks a thread again is left out (au_reader_repairs) */
    bool fold;        /* recordings: without accesses of memory that no two threads share, blocks
                       * that come and go, and calls (hooks.h keeps the count) */
    uint64_t limit;   /* recordings: refuse more hooks than this; 0: none (a few bytes can stand
                       * for any number of expected events) */
    uint64_t longest; /* recordings: refuse longer ranges and blocks, in bytes; 0: none */
    bool thin;   /* recordings, with fold: of more than AU_LIMIT_THINNED shared accesses, those that
                       * tell something (thin.h); not with 'words' or 'watch' */
    bool singly; /* … each record by itself, as if none repeated others (tests) */
    uint64_t waiting; /* … so many events may wait for earlier ones (tests); 0: a good number */
    au_late late;
    bool
        online; /* recordings, with fold: one that comes through a pipe is read in one pass, while it comes; it may
                   * be cut short (recording_online.c) */
    size_t ahead;           /* … not 0: any recording, looking so many bytes ahead (tests) */
    bool calls;             /* with fold: calls and returns of functions are wanted */
    struct au_words *words; /* recordings: variables as in other runs (words.h), may be NULL */
    struct au_watch *watch; /* recordings: looks on (watch.h), may be NULL */
    au_lint_fn *lint;       /* if set: problems go here, bad lines are left out, reading goes on */
    void *lint_ctx;
} au_read_options;

/* What 'lenient' left out so far. */
typedef struct {
    uint64_t lines, first; /* how many; the number of the first */
} au_repairs;

typedef struct au_reader au_reader;

/* NULL on failure, *err set. opts may be NULL. */
au_reader *au_reader_open(const char *path, const au_read_options *opts, au_error *err);
/* Takes over 'in'. */
au_reader *au_reader_from(au_in *in, const au_read_options *opts, au_error *err);
/* Another reader of the file that r has open, which is not opened again unless it must be. */
au_reader *au_reader_again(const au_reader *r, const au_read_options *opts, au_error *err);
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
/* So far: was something left out because the time was over? */
bool au_reader_cut(const au_reader *r);
/* After the end: the command was to end while a pipe had nothing yet. */
bool au_reader_stopped(const au_reader *r);
/* It reads a recording in one pass: what the run does later is not known, so private memory may look shared, values
 * and schedules are not to be had. */
bool au_reader_is_online(const au_reader *r);
/* … how often an access divided what had been one variable: what races with the whole before is not compared with a part
 * of it later. */
uint64_t au_reader_divided(const au_reader *r);
au_repairs au_reader_repairs(const au_reader *r);
/* The warning about them, the caller's to free; NULL if there are none. */
char *au_repairs_text(au_repairs x, const char *path);

/* "std", "bin", …: as in --from and --to. AU_FORMAT_AUTO if unknown. */
au_format au_format_by_name(const char *name);
/* By the ending of a file's name (.std .trace .jsonl .json .rapidbin …, with
 * .gz and .zst taken off); AU_FORMAT_AUTO if it says nothing. */
au_format au_format_by_path(const char *path);

#endif
