/* base/parts.h: the parts of augur that are files of their own: the LLVM module, the program that checks certificates, the
 * runtime and what the linker needs with it, suppressions for the C++ library, the header for programs. They lie beside the
 * executable in a build directory and in PREFIX/lib/augur when installed. */
#ifndef AU_BASE_PARTS_H
#define AU_BASE_PARTS_H

#include "base/error.h"

#define AU_PART_LLVM "augur-llvm.so"
#define AU_PART_VERIFY "augur-verify"
#define AU_PART_RUNTIME "libaugur_rt.a"
#define AU_PART_KNOWN "libstdcxx.supp"  /* what is known of the C++ library: suppressions */
#define AU_PART_EXPORTS "augur_rt.list" /* the symbols of the runtime that libraries must see */

/* The path of a part, or NULL with *err set. Caller frees. */
char *au_part_find(const char *name, au_error *err);
/* The directory of augur.h, or NULL if it is not there. Caller frees. */
char *au_part_include(void);

#endif
