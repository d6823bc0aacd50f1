/* base/out.h: buffered output that is whole or not there.
 *
 * A file is written beside its name and renamed into place by commit; until
 * then, and after any error, an older file of that name is untouched and
 * nothing half-written stays. Errors are sticky: writes after one are dropped
 * and commit reports the first. */
#ifndef AU_BASE_OUT_H
#define AU_BASE_OUT_H

#include "base/error.h"
#include "base/pack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct au_out au_out;

/* "-" is standard output; a name that is not a regular file (a pipe, /dev/null)
 * is written directly. NULL on failure, *err set. */
au_out *au_out_open(const char *path, au_error *err);
/* Writes to a descriptor that stays the caller's. */
au_out *au_out_fd(int fd, const char *name);
/* Collects in memory: see au_out_memory_data. */
au_out *au_out_memory(void);

/* Compresses everything written, from the first byte on: call it before the
 * first write. Not for au_out_memory. */
void au_out_pack(au_out *o, au_pack how);

void au_out_write(au_out *o, const void *p, size_t n);
void au_out_str(au_out *o, const char *s);
/* As a word of a shell: quoted where it has to be. */
void au_out_shell(au_out *o, const char *s);
void au_out_char(au_out *o, char c);
void au_out_u64(au_out *o, uint64_t v);
void au_out_i64(au_out *o, int64_t v);
void au_out_printf(au_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Room for n bytes (n <= 64 KiB) in the buffer, for writers that format in
 * place; au_out_used says how many were used. */
char *au_out_room(au_out *o, size_t n);
void au_out_used(au_out *o, size_t n);

bool au_out_failed(const au_out *o);
uint64_t au_out_bytes(const au_out *o); /* before compression */
/* Borrowed, terminated; only for au_out_memory. */
const char *au_out_memory_data(au_out *o, size_t *n);

/* Flushes what is buffered (for output that someone watches). */
au_status au_out_flush(au_out *o, au_error *err);
/* Both free o. commit: everything reached the file, which now has its name. */
au_status au_out_commit(au_out *o, au_error *err);
void au_out_abandon(au_out *o);

/* For who writes such a file by himself: its name before it is made, and when it is gone or has its own. */
void au_out_unfinished(const char *path);
void au_out_finished(const char *path);
/* Removes the unfinished files of this process; async-signal-safe, for the
 * command line's signal and out-of-memory handlers. */
void au_out_remove_unfinished(void);

#endif
