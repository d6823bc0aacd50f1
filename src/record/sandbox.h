/* record/sandbox.h: a program's working directory as a copy of its own, so that what one run writes
 * is not there for the next one.
 *
 * The copy stands among links to the directory's neighbours, and so does each directory above it:
 * '../data' means what it meant, a path that leaves the directory is not protected. Nor is an
 * absolute path. */
#ifndef AU_RECORD_SANDBOX_H
#define AU_RECORD_SANDBOX_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct au_sandbox au_sandbox;

/* Of the directory 'cwd' (absolute). Nothing is copied yet. Absolute paths that may be NULL: 'exe',
 * the program, which the copy has a link to (it says where it is); 'omit' is not copied: what the
 * caller itself writes there. NULL on failure, *err set. */
au_sandbox *au_sandbox_open(const char *cwd, const char *exe, const char *omit, au_error *err);
/* Throws the last copy away and makes a new one: the directory to start the program in, borrowed until
 * the next call. NULL if the directory holds too much (see AU_LIMIT_SANDBOX_BYTES) or cannot be copied. */
const char *au_sandbox_fresh(au_sandbox *s, au_error *err);
void au_sandbox_free(au_sandbox *s);

/* What is copied at most. */

#endif
