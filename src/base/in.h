/* base/in.h: a stream of input bytes: a file or standard input ("-"), plain,
 * gzip or zstd (told by its first bytes, unpacked on the way). Memory is the
 * buffer, whatever the size of the input. */
#ifndef AU_BASE_IN_H
#define AU_BASE_IN_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct au_in au_in;

/* NULL on failure, *err set. A directory is an error. */
au_in *au_in_open(const char *path, au_error *err);
/* The same open file once more, from its first byte, whatever its name stands for by now; each is read for itself. NULL
 * without an error: it is no regular file. */
au_in *au_in_again(const au_in *in, au_error *err);
/* Reads the caller's bytes (tests, fuzzers), which must outlive the stream. */
au_in *au_in_memory(const void *p, size_t n, const char *name);
void au_in_close(au_in *in);

/* The next bytes, at least 'want' of them (want <= 64 MiB) unless the input
 * ends before; *have says how many there are. Borrowed until the next call.
 * NULL on failure (disk, broken compression), *err set; at the end *have is 0
 * and the pointer is not NULL. */
const char *au_in_peek(au_in *in, size_t want, size_t *have, au_error *err);
/* Would a peek of 'want' bytes have to wait for whoever writes the other end of a pipe?
 * For readers that hand on what they have instead of waiting; false for files. */
bool au_in_would_wait(const au_in *in, size_t want);
/* Waits until a peek of 'want' bytes would not wait, at most so many seconds, and not when the command is to end
 * (base/deadline.h). False: it still would. */
bool au_in_await(au_in *in, size_t want, double seconds);
/* The end that was found is none: there was more to wait for when the command was to end. */
bool au_in_stopped(const au_in *in);
/* A pipe, a terminal, a socket: the bytes come when they come, and only once. */
bool au_in_is_live(const au_in *in);
/* Steps over n of the bytes that were peeked. */
void au_in_skip(au_in *in, size_t n);

/* Makes a pipe's input rewindable: reads it to its end into a file without a name (in
 * $TMPDIR or /tmp). Before the first skip; nothing is done for files and memory. */
au_status au_in_spool(au_in *in, au_error *err);
/* To the first byte again. AU_EUNSUPPORTED if the bytes are gone (pipes). */
au_status au_in_rewind(au_in *in, au_error *err);

/* Bytes skipped so far, after unpacking. */
uint64_t au_in_offset(const au_in *in);
/* Size of the file as stored, or 0 if unknown (pipes): for progress only. */
uint64_t au_in_stored_size(const au_in *in);
bool au_in_is_packed(const au_in *in);
/* "-" shows as "<stdin>". */
const char *au_in_name(const au_in *in);

/* All of a file, terminated, for formats that are read as a whole; caller frees. AU_EFORMAT if it is
 * longer than 'most' bytes: "'path' is too long for WHAT". */
au_status au_in_whole(const char *path, size_t most, const char *what, char **text, size_t *n,
                      au_error *err);

#endif
