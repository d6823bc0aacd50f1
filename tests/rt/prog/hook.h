/* Programs of tests/rt call the hooks themselves, as the instrumentation would. */
#ifndef AU_TESTS_RT_HOOK_H
#define AU_TESTS_RT_HOOK_H

#include "rt/hooks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct au_site site[64];
static const struct __augur_module this_module = {
    .version = AU_HOOKS_VERSION, .n_sites = 64, .id = 0x1234567812345678, .site = site};
__attribute__((constructor(101))) static void told(void) {
    __augur_module(&this_module);
}

/* k: the number of the site */
#define LD(k, x)                                                                                   \
    (sizeof(x) == 1   ? __augur_ld1(&(x), &site[k])                                                \
     : sizeof(x) == 2 ? __augur_ld2(&(x), &site[k])                                                \
     : sizeof(x) == 4 ? __augur_ld4(&(x), &site[k])                                                \
                      : __augur_ld8(&(x), &site[k]),                                               \
     (x))
#define ST(k, x, v)                                                                                \
    (sizeof(x) == 1   ? __augur_st1(&(x), &site[k], (uint8_t)(v))                                  \
     : sizeof(x) == 2 ? __augur_st2(&(x), &site[k], (uint16_t)(v))                                 \
     : sizeof(x) == 4 ? __augur_st4(&(x), &site[k], (uint32_t)(v))                                 \
                      : __augur_st8(&(x), &site[k], (uint64_t)(v)),                                \
     (x) = (v))
#define CALL(k, f, ...)                                                                            \
    ({                                                                                             \
        __augur_xcall(&site[k], (const void *)(f));                                                \
        __auto_type result_ = (f)(__VA_ARGS__);                                                    \
        __augur_xret(&site[(k) + 1], (uint64_t)result_);                                           \
        result_;                                                                                   \
    })
#define CALLV(k, f, ...)                                                                           \
    do {                                                                                           \
        __augur_xcall(&site[k], (const void *)(f));                                                \
        (f)(__VA_ARGS__);                                                                          \
        __augur_xret(&site[(k) + 1], 0);                                                           \
    } while (0)

#endif
