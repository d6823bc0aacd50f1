/* base/bits.h: values of 1 to 64 bits, kept in the low bits of 64. The oracle has its own (oracle_priv.h): it
 * shares nothing with what it judges. */
#ifndef AU_BASE_BITS_H
#define AU_BASE_BITS_H

#include <stdint.h>

static inline uint64_t au_mask(unsigned width) {
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}
static inline uint64_t au_low_bits(uint64_t v, unsigned width) {
    return v & au_mask(width);
}
/* The low 'width' bits as a signed number. */
static inline int64_t au_signed(uint64_t v, unsigned width) {
    return (int64_t)(v << (64 - width)) >> (64 - width);
}

#endif
