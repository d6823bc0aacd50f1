/* base/vec.h: growing arrays of any type.
 *
 *     AU_VEC(uint32_t) v = {0};        an empty vector is all zeroes
 *     au_vec_push(&v, 7);
 *     for (size_t i = 0; i < v.n; i++) use(v.at[i]);
 *     au_vec_release(&v);
 *
 * Give the vector a name (typedef AU_VEC(au_step) au_step_vec;) when it is to
 * be passed to a function. A push may move the array: keep indices, not
 * pointers, across pushes. */
#ifndef AU_BASE_VEC_H
#define AU_BASE_VEC_H

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define AU_VEC(T)                                                                                  \
    struct {                                                                                       \
        T *at;                                                                                     \
        size_t n, cap;                                                                             \
    }

#define au_vec_reserve(v, want)                                                                    \
    ((v)->at = au_vec_grow_((v)->at, &(v)->cap, (want), sizeof *(v)->at))
#define au_vec_push(v, x) (au_vec_reserve((v), (v)->n + 1), (void)((v)->at[(v)->n++] = (x)))
/* The new last element, not yet written. */
#define au_vec_add(v) (au_vec_reserve((v), (v)->n + 1), &(v)->at[(v)->n++])
#define au_vec_append(v, src, count)                                                               \
    (au_vec_reserve((v), (v)->n + (count)),                                                        \
     (count) ? memcpy((v)->at + (v)->n, (src), (count) * sizeof *(v)->at) : NULL,                  \
     (void)((v)->n += (count)))
#define au_vec_last(v) ((v)->at[(v)->n - 1])
#define au_vec_pop(v) ((v)->at[--(v)->n])
#define au_vec_clear(v) ((void)((v)->n = 0))
#define au_vec_release(v) (free((v)->at), (v)->at = NULL, (void)((v)->n = (v)->cap = 0))

static inline void *au_vec_grow_(void *at, size_t *cap, size_t want, size_t size) {
    if (want <= *cap)
        return at;
    size_t next = *cap + *cap / 2;
    if (next < want)
        next = want;
    if (next < 8)
        next = 8;
    *cap = next;
    return au_realloc_array(at, next, size);
}

#endif
