/* SPDX-License-Identifier: MIT
 *
 * rt/real.c: the C library's own functions. dlsym may allocate (its error texts): the
 * arena needs no initialisation, so that is harmless. */
#include "rt/real.h"

#include <dlfcn.h>

struct rt_real rt_real;

void rt_real_init(void) {
    /* The names of the fields, in their order. */
#define RT_REAL_WRAPS(name) #name,
#define RT_REAL_REAL(name) #name,
#define RT_REAL_TELLS(name) #name,
#define F(name, runtime, ...) RT_REAL_##runtime(name)
#define S(name, runtime, ...) RT_REAL_##runtime(name)
#define B(...)
    static const char *const name[] = {
#include "wire/libc.def"
    };
    void **slot = (void **)&rt_real;
    if (rt_real.__libc_start_main)
        return; /* once for main, once for the constructors before it */
    _Static_assert(sizeof name == sizeof rt_real, "a name a field");
    for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
        slot[i] = dlsym(RTLD_NEXT, name[i]);
}
