/* tests/soak/no_malloc.c: preloaded into the tool, fails its n-th allocation.
 *
 * SOAK_MALLOC=NAME:N fails the N-th one of programs with this name, N+ all from there on. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *malloc(size_t n);
void *calloc(size_t n, size_t size);
void *realloc(void *p, size_t n);

static uint64_t counted, at;
static int onwards, ready;

__attribute__((constructor)) static void prepare(void) {
    const char *how = getenv("SOAK_MALLOC"), *colon = how ? strrchr(how, ':') : NULL;
    size_t n = colon ? (size_t)(colon - how) : 0;
    if (colon && strlen(program_invocation_short_name) == n &&
        !memcmp(program_invocation_short_name, how, n)) {
        char *end;
        at = strtoull(colon + 1, &end, 10);
        onwards = *end == '+';
    }
    ready = 1;
}

static int fails(void) {
    if (!ready || !at)
        return 0;
    uint64_t now = __atomic_add_fetch(&counted, 1, __ATOMIC_RELAXED);
    if (now != at && !(onwards && now > at))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t n) {
    return fails() ? NULL : __libc_malloc(n);
}
void *calloc(size_t n, size_t size) {
    return fails() ? NULL : __libc_calloc(n, size);
}
void *realloc(void *p, size_t n) {
    return fails() ? NULL : __libc_realloc(p, n);
}
