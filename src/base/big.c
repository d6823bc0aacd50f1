#include "base/big.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAPPED_FROM = 1 << 20 };

static size_t bytes_of(size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX)
        bytes = PTRDIFF_MAX;
    return bytes;
}

/* The handler for the lack of memory is malloc's. */
static void *checked(void *p, size_t bytes) {
    if (p != MAP_FAILED)
        return p;
    free(au_alloc(bytes));
    AU_BUG_IF("a mapping failed where malloc did not");
    return NULL;
}

void *au_big_grow(void *p, size_t old, size_t n, size_t size) {
    size_t had = bytes_of(old, size), want = bytes_of(n, size);
    if (want < MAPPED_FROM) {
        p = au_realloc_array(p, n, size);
        if (want > had)
            memset((char *)p + had, 0, want - had);
        return p;
    }
    if (had >= MAPPED_FROM)
        return checked(mremap(p, had, want, MREMAP_MAYMOVE), want);
    void *q =
        checked(mmap(NULL, want, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), want);
    if (had)
        memcpy(q, p, had);
    free(p);
    return q;
}

void au_big_free(void *p, size_t n, size_t size) {
    size_t bytes = bytes_of(n, size);
    if (bytes >= MAPPED_FROM)
        munmap(p, bytes);
    else
        free(p);
}

void au_big_touch(void *p, size_t bytes) {
#ifdef MADV_POPULATE_WRITE
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)p + page - 1) / page * page;
    uintptr_t to = ((uintptr_t)p + bytes) / page * page;
    if (from < to)
        (void)madvise((void *)from, to - from, MADV_POPULATE_WRITE);
#else
    (void)p;
    (void)bytes;
#endif
}
