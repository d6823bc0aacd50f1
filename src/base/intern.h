/* base/intern.h: strings as dense ids 0, 1, 2, … in the order first seen.
 * Strings may hold any bytes, NUL included. */
#ifndef AU_BASE_INTERN_H
#define AU_BASE_INTERN_H

#include "base/arena.h"
#include "base/hash.h"

typedef struct {
    au_arena bytes;
    au_idtable index;
    struct au_interned {
        const char *s;
        uint32_t len;
    } * at;
    size_t n, cap;
} au_intern;

void au_intern_init(au_intern *t);
void au_intern_release(au_intern *t);
/* The id of this string, added if it is new. At most UINT32_MAX - 1 strings. */
uint32_t au_intern_add(au_intern *t, const char *s, size_t len);
/* AU_NONE if absent. */
uint32_t au_intern_find(const au_intern *t, const char *s, size_t len);
/* Terminated. Valid as long as the table. */
static inline const char *au_intern_str(const au_intern *t, uint32_t id) {
    return t->at[id].s;
}
static inline size_t au_intern_len(const au_intern *t, uint32_t id) {
    return t->at[id].len;
}

#endif
