/* base/rng.h: a small deterministic random source (splitmix64). The same seed
 * gives the same numbers on every machine and in every release: generated
 * traces and random tests are named by their seed. */
#ifndef AU_BASE_RNG_H
#define AU_BASE_RNG_H

#include <stdint.h>

typedef struct {
    uint64_t state;
} au_rng;

static inline void au_rng_init(au_rng *r, uint64_t seed) {
    r->state = seed;
}
static inline uint64_t au_rng_next(au_rng *r) {
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
/* Uniform in 0 … n-1 (n > 0) up to a bias of n / 2^32, which no test here can see. */
static inline uint32_t au_rng_below(au_rng *r, uint32_t n) {
    return (uint32_t)((au_rng_next(r) >> 32) * n >> 32);
}

#endif
