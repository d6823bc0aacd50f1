/* trace/writer.h: a stream of blocks into a file, whole or not at all (see
 * base/out.h). */
#ifndef AU_TRACE_WRITER_H
#define AU_TRACE_WRITER_H

#include "base/out.h"
#include "trace/reader.h"

typedef struct au_writer au_writer;

typedef struct {
    au_format format;             /* BINARY, STD, RAPIDBIN, VALUES, JSONL or PERFETTO */
    bool pack;                    /* BINARY: zstd frames (the default of the command line) */
    const char *title;            /* PERFETTO: what the process is called; may be NULL */
    const struct au_hooks *hooks; /* JSONL: of a recording (recording.h), borrowed; may be NULL */
} au_write_options;

/* names are borrowed and may grow between puts. Names that end in .gz or .zst
 * are compressed. NULL on failure, *err set. */
au_writer *au_writer_open(const char *path, const au_write_options *opts, const au_names *names,
                          au_error *err);
/* Takes over 'out'. */
au_writer *au_writer_to(au_out *out, const au_write_options *opts, const au_names *names);
au_status au_writer_put(au_writer *w, const au_block *b, au_error *err);
/* BINARY only, before the first put; others ignore it. */
void au_writer_meta(au_writer *w, const char *key, const char *value);
/* Both free w. */
au_status au_writer_close(au_writer *w, au_error *err);
void au_writer_abandon(au_writer *w);
/* Like close, but 'out' stays the caller's, who has more to write or to look at. */
au_status au_writer_finish(au_writer *w, au_error *err);

#endif
