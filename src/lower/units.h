/* lower/units.h: which files make up the program that is scanned, and how each of them is compiled.
 *
 * An operand is a file, a directory, or a list of compile commands (JSON, as CMake, Meson and Bear write it,
 * compile_commands.json). A directory that holds such a list stands for it; another one stands for all sources below it,
 * in the order of their names, without hidden directories and links. */
#ifndef AU_LOWER_UNITS_H
#define AU_LOWER_UNITS_H

#include "base/error.h"
#include "base/vec.h"

#include <stdbool.h>

typedef struct {
    char *file;
    char *
        *option; /* its own: of a list, or because it was preprocessed elsewhere (.i); NULL: none */
    size_t n_options; /* of them */
    bool again;       /* the list names the file once more: that compilation is not here */
} au_unit;

typedef AU_VEC(au_unit) au_units;

/* Is it C or C++ (or preprocessed), by its name? */
bool au_unit_is_source(const char *path, bool *cxx);

/* Was it preprocessed for a machine of 32 bits? Then the library's types in it have other sizes than the library. */
bool au_unit_is_narrow(const char *file);

/* AU_EFORMAT or AU_EIO if a list or a directory cannot be read or has no source; files are not looked at. To be
 * released in any case. */
au_status au_units_of(const char *const *operand, size_t n, au_units *u, au_error *err);
void au_units_release(au_units *u);

#endif
