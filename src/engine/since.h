/* engine/since.h: which recordings of a suite execute a function that was changed since a revision of git.
 *
 * What changed says 'git diff' between the working tree and where it left that revision (merge base), and files that git does not
 * know yet. A changed line belongs to the functions that have code with hooks on both sides of it, or on it. A line that belongs to
 * none (a type, a macro, a global variable) concerns every recording of a program that has code of its file, and if it is in a
 * header that no code comes of, every recording. Empty lines and those that are a comment concern none; brackets do, unless they
 * come or go with whole blocks, as a new function does.
 *
 * Everything concerns where a line says nothing about code: files that say how programs are built, submodules, sources and
 * headers that are gone, names that git puts into quotes, libraries and objects; and a recording does, if it is not known where its
 * code stands. */
#ifndef AU_ENGINE_SINCE_H
#define AU_ENGINE_SINCE_H

#include "base/error.h"

#include <stdbool.h>

typedef struct au_since au_since;

/* In the repository of the current directory. AU_EUSAGE if there is none, or no such revision. */
au_since *au_since_open(const char *revision, au_error *err);
void au_since_free(au_since *s);
/* True also of a recording that cannot be read. */
bool au_since_concerns(const au_since *s, const char *recording);

#endif
