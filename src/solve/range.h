/* solve/range.h: least and greatest values of reads, to encode fewer bits.
 *
 * Values come along chains of writes and reads, and a chain cannot use a write twice. So
 * as many rounds as there are stores of something that was read, each letting every read
 * see every one of its writers, enclose all values of all interleavings. */
#ifndef AU_SOLVE_RANGE_H
#define AU_SOLVE_RANGE_H

#include "solve/cssa.h"
#include "tsg/rpt.h"

typedef au_interval au_span;

typedef struct {
    AU_VEC(au_span) read; /* by read; those added later are taken in by au_ranges_more */
    bool full;
    const au_rpt *known; /* borrowed; may be NULL */
} au_ranges;

/* full: no reads are narrower than their variables. known: what is known otherwise, or NULL. */
void au_ranges_make(au_ranges *g, const au_cssa *c, bool full, const au_rpt *known);
void au_ranges_more(au_ranges *g, const au_cssa *c);
void au_ranges_release(au_ranges *g);

#endif
