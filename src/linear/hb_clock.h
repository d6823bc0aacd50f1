/* linear/hb_clock.h: vector clocks that grow with the threads they know. */
#ifndef AU_LINEAR_HB_CLOCK_H
#define AU_LINEAR_HB_CLOCK_H

#include "base/vec.h"

#include <stdint.h>

/* Entries past n are 0. There is room for cap. */
typedef struct {
    uint32_t *at;
    uint32_t n, cap;
} au_clock_vec;

static inline uint32_t au_clock_of(const au_clock_vec *c, uint32_t t) {
    return t < c->n ? c->at[t] : 0;
}

static inline void au_clock_reach(au_clock_vec *c, uint32_t n) {
    if (n <= c->n)
        return;
    if (n > c->cap) {
        uint32_t cap = (n + n / 2 + 7) & ~7u;
        c->at = au_realloc_array(c->at, cap, sizeof *c->at);
        c->cap = cap;
    }
    memset(c->at + c->n, 0, (n - c->n) * sizeof *c->at);
    c->n = n;
}

static inline void au_clock_join(au_clock_vec *c, const au_clock_vec *other) {
    au_clock_reach(c, other->n);
    for (uint32_t k = 0; k < other->n; k++)
        c->at[k] = other->at[k] > c->at[k] ? other->at[k] : c->at[k];
}

static inline void au_clock_copy(au_clock_vec *c, const au_clock_vec *other) {
    c->n = 0;
    au_clock_reach(c, other->n);
    if (other->n)
        memcpy(c->at, other->at, other->n * sizeof *c->at);
}

static inline void au_clock_release(au_clock_vec *c) {
    free(c->at);
    *c = (au_clock_vec){0};
}

#endif
