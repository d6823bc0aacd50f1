/* lower/library.c: functions whose code is not there: what the table of library functions says of them. */
#include "lower/source_priv.h"

#include <string.h>

const au_libc *au_src_library_find(const char *name) {
    const au_libc *l = au_libc_find(name);
    return l && l->does >= AU_DOES_PURE ? l : NULL;
}

bool au_src_library_quiet(const char *name) {
    return au_libc_of(name).does == AU_DOES_QUIET;
}

uint64_t au_src_bytes_of(const au_libc *l, uint32_t arg) {
    return l->args[arg] == 'v' && !strncmp(l->name, "thrd_", 5) ? 4 : 8;
}
