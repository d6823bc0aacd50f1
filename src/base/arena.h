/* base/arena.h: memory whose lifetime is a phase.
 *
 * Everything taken since a mark dies at the rewind; nothing is freed singly.
 * Not for sharing between threads. */
#ifndef AU_BASE_ARENA_H
#define AU_BASE_ARENA_H

#include <stddef.h>

typedef struct au_arena_chunk au_arena_chunk;
typedef struct {
    au_arena_chunk *last;
    size_t used;  /* bytes handed out in 'last' */
    size_t total; /* bytes of all chunks, for statistics */
} au_arena;
typedef struct {
    au_arena_chunk *chunk;
    size_t used;
} au_mark;

void au_arena_init(au_arena *a);
void au_arena_release(au_arena *a);

/* Zeroed, aligned for any type. */
void *au_arena_alloc(au_arena *a, size_t bytes);
char *au_arena_strndup(au_arena *a, const char *s, size_t n);

au_mark au_arena_mark(const au_arena *a);
void au_arena_rewind(au_arena *a, au_mark k);

#define AU_ARENA_NEW(a, T) ((T *)au_arena_alloc((a), sizeof(T)))
#define AU_ARENA_ARRAY(a, T, n) ((T *)au_arena_alloc((a), (n) * sizeof(T)))

#endif
