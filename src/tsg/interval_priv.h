/* tsg/interval_priv.h: both readings of bits; for interval*.c only. */
#ifndef AU_TSG_INTERVAL_PRIV_H
#define AU_TSG_INTERVAL_PRIV_H

#include "base/bits.h"
#include "base/error.h"
#include "base/vec.h"
#include "tsg/interval.h"

__extension__ typedef __int128 au_wide;
__extension__ typedef unsigned __int128 au_uwide;

/* Never empty. Both hold. */
typedef struct {
    int64_t slo, shi;
    uint64_t ulo, uhi;
} au_bits;

struct au_intervals {
    const au_terms *t;
    const au_interval *by_var;
    AU_VEC(au_bits) bits; /* by term */
    AU_VEC(uint32_t) at;  /* by term: when it was found */
    AU_VEC(au_term) stack;
    uint32_t now;
};

static inline int64_t au_bits_max_(unsigned w) {
    return (int64_t)(au_mask(w) >> 1);
}
static inline int64_t au_bits_min_(unsigned w) {
    return -au_bits_max_(w) - 1;
}
au_bits au_bits_full_(unsigned w);
au_bits au_bits_of_(au_interval v, unsigned w);
au_interval au_bits_interval_(au_bits b, unsigned w);
/* false: nothing is left; *a means nothing then. */
bool au_bits_meet_(au_bits *a, au_bits b, unsigned w);
au_bits au_bits_signed_(au_wide low, au_wide high, unsigned w);   /* wraps */
au_bits au_bits_unsigned_(au_wide low, au_wide high, unsigned w); /* wraps */
au_bits au_intervals_bits_(au_intervals *e, au_term x);

#endif
