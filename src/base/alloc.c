#include "base/alloc.h"

#include "base/error.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static au_oom_fn *on_oom;

/* std::set_new_handler. CaDiCaL and LLVM are C++, where a failed 'new' would otherwise end in abort; a
 * program without C++ in it does not have it. */
typedef void au_new_fn(void);
__attribute__((weak)) au_new_fn *_ZSt15set_new_handlerPFvvE(au_new_fn *handler);

static void no_new(void) {
    au_out_of_memory(0);
}

void au_alloc_on_oom(au_oom_fn *handler) {
    on_oom = handler;
    if (_ZSt15set_new_handlerPFvvE)
        _ZSt15set_new_handlerPFvvE(no_new);
}

_Noreturn void au_out_of_memory(size_t bytes) {
    if (on_oom)
        on_oom(bytes);
    fprintf(stderr, "augur: out of memory (%zu bytes)\n", bytes);
    abort();
}

void *au_alloc(size_t bytes) {
    void *p = malloc(bytes ? bytes : 1);
    if (!p)
        au_out_of_memory(bytes);
    return p;
}

void *au_alloc_array(size_t n, size_t size) {
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p)
        au_out_of_memory(n * size);
    return p;
}

void *au_realloc_array(void *p, size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        au_out_of_memory(SIZE_MAX);
    void *q = realloc(p, bytes ? bytes : 1);
    if (!q)
        au_out_of_memory(bytes);
    return q;
}

void au_alloc_trim(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

char *au_strndup(const char *s, size_t n) {
    char *p = au_alloc(n + 1);
    memcpy(p, s, n);
    p[n] = 0;
    return p;
}

char *au_strdup(const char *s) {
    return au_strndup(s, strlen(s));
}

char *au_sprintf(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    AU_BUG_IF(n < 0);
    char *p = au_alloc((size_t)n + 1);
    vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}
