#include "base/arena.h"

#include "base/alloc.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK = 16 * 1024 };

struct au_arena_chunk {
    au_arena_chunk *prev;
    size_t size;
    alignas(max_align_t) unsigned char bytes[];
};

void au_arena_init(au_arena *a) {
    *a = (au_arena){0};
}

static void drop_last(au_arena *a) {
    au_arena_chunk *prev = a->last->prev;
    a->total -= a->last->size;
    free(a->last);
    a->last = prev;
}

void au_arena_release(au_arena *a) {
    while (a->last)
        drop_last(a);
    *a = (au_arena){0};
}

void *au_arena_alloc(au_arena *a, size_t bytes) {
    const size_t align = alignof(max_align_t);
    bytes = (bytes + align - 1) / align * align;
    if (!a->last || a->last->size - a->used < bytes) {
        /* Doubling keeps the number of chunks, and so the cost of a rewind, logarithmic. */
        size_t size = a->last ? a->last->size * 2 : FIRST_CHUNK;
        if (size < bytes)
            size = bytes;
        au_arena_chunk *c = au_alloc(sizeof *c + size);
        c->prev = a->last;
        c->size = size;
        a->last = c;
        a->used = 0;
        a->total += size;
    }
    void *p = a->last->bytes + a->used;
    a->used += bytes;
    return memset(p, 0, bytes);
}

char *au_arena_strndup(au_arena *a, const char *s, size_t n) {
    char *p = au_arena_alloc(a, n + 1);
    memcpy(p, s, n);
    return p;
}

au_mark au_arena_mark(const au_arena *a) {
    return (au_mark){a->last, a->used};
}

void au_arena_rewind(au_arena *a, au_mark k) {
    while (a->last != k.chunk)
        drop_last(a);
    a->used = k.used;
}
