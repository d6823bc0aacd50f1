/* base/gcd.h: the greatest common divisor. */
#ifndef AU_BASE_GCD_H
#define AU_BASE_GCD_H

#include <stdint.h>

/* Of 0 and n: n. */
static inline uint64_t au_gcd(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

#endif
