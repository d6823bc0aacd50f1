/* trace/recording_write.h: a recording (wire.h, AU_WIRE_FEATURE_STREAM) onto the disk, frame
 * by frame, while the program runs.
 *
 * Other writers make a file whole or not at all (base/out.h). A recording is different: the
 * run cannot be repeated at will, so what could be written is kept. It is written
 * beside its name ("NAME.part-PID") and gets the name when it is closed, complete or not;
 * after a failed write (a full disk) it is cut back to its last whole frame, and what comes
 * later is dropped. Used by one thread at a time. */
#ifndef AU_TRACE_RECORDING_WRITE_H
#define AU_TRACE_RECORDING_WRITE_H

#include "base/error.h"
#include "wire/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct au_recording_out au_recording_out;

/* NULL on failure, *err set. A name that is not a regular file is written directly, and so is "-", standard output,
 * which must not be a terminal. */
au_recording_out *au_recording_create(const char *path, au_error *err);
/* One META entry. Before the first put; values of any bytes except NUL. */
void au_recording_meta(au_recording_out *w, const char *key, const char *value);
/* One frame, n <= AU_WIRE_MAX_RAW. After a failure every put fails with the same text. */
au_status au_recording_put(au_recording_out *w, uint8_t kind, uint32_t count, const void *raw,
                           size_t n, au_error *err);
/* The file as it is called until it is closed; what was put so far can be read there. NULL: it is written
 * directly, and cannot. */
const char *au_recording_path(const au_recording_out *w);
uint64_t au_recording_bytes(const au_recording_out *w); /* of the file so far */
/* Frees w. With 'end' (and no failure before) the file gets its END frame; without, it is
 * a trace that was cut off. Whatever is there gets its name; a file without one whole frame
 * is removed. The result is the first failure. */
au_status au_recording_close(au_recording_out *w, const struct au_wire_end *end, au_error *err);
/* Frees w and removes the file. */
void au_recording_abandon(au_recording_out *w);

#endif
