/* base/temporary.h: directories of our own that are to be gone when the program is, however it ends (but
 * for SIGKILL). */
#ifndef AU_BASE_TEMPORARY_H
#define AU_BASE_TEMPORARY_H

#include "base/error.h"

/* An empty directory under $TMPDIR, or in a worker under one of its parent's, 'prefix' and random letters its
 * name; caller frees the path and calls au_temporary_remove. NULL, *err set. */
char *au_temporary_directory(const char *prefix, au_error *err);
/* Removes it with all that is in it. NULL: nothing. */
void au_temporary_remove(const char *path);

/* A directory with all that is in it; nothing if it is not there. Never follows links. */
void au_remove_all(const char *path);

/* All that are left of this process (not of the one it was forked from); async-signal-safe, for the command
 * line's signal and out-of-memory handlers. */
void au_temporary_remove_left(void);

#endif
