/* SPDX-License-Identifier: MIT
 *
 * rt/real.c: the C library's own functions. dlsym may allocate (its error texts): the
 * arena needs no initialisation, so that is harmless. */
#include "rt/real.h"

#include <dlfcn.h>

struct rt_real rt_real;

void rt_real_init(void) {
    static const char *const name[] = {
#define RT_REAL_NAME(f) #f,
        RT_REALS(RT_REAL_NAME)};
    void **slot = (void **)&rt_real;
    for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
        slot[i] = dlsym(RTLD_NEXT, name[i]);
}
