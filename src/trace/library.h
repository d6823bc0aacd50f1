/* trace/library.h: rows of wire/libc.def's form for the user's own libraries, read when a command starts. What the columns
 * mean says the head of that file; docs/libraries.md says which of them a user needs. */
#ifndef AU_TRACE_LIBRARY_H
#define AU_TRACE_LIBRARY_H

#include "base/error.h"

#include <stddef.h>

/* Takes the rows of these files, in place of those of an earlier call (n 0: none). They stand beside augur's own until
 * the process ends. A bad row is AU_EFORMAT with "file:line: what is wrong", and no row is taken. */
au_status au_library_read(const char *const *path, size_t n, au_error *err);

/* The same from memory; name: for messages. For tests. */
au_status au_library_parse(const char *name, const char *text, size_t length, au_error *err);

#endif
