/* tsg/interval.h: intervals of terms, with C's machine arithmetic (term.h says which).
 *
 * A variable's interval is in signed numbers of its width; width 1 is 0 … 1. Inside a term
 * both readings of the bits are followed, signed and unsigned, and each helps the other. What
 * wraps around as a whole stays an interval; what wraps in part can be anything.
 *
 * au_intervals evaluates terms over a table of intervals by variable; results are kept until
 * the table is said to have changed. */
#ifndef AU_TSG_INTERVAL_H
#define AU_TSG_INTERVAL_H

#include "model/term.h"

typedef struct {
    int64_t low, high;
} au_interval;

typedef struct au_intervals au_intervals;

/* Borrows t, which may get more terms. */
au_intervals *au_intervals_new(const au_terms *t);
void au_intervals_free(au_intervals *e);
/* From here on the variables have these; borrowed. To be called after every change, too. */
void au_intervals_over(au_intervals *e, const au_interval *by_var);
au_interval au_intervals_of(au_intervals *e, au_term x);

/* For terms of width 1. */
typedef enum { AU_TRUTH_FALSE, AU_TRUTH_TRUE, AU_TRUTH_EITHER } au_truth;
au_truth au_intervals_truth(au_intervals *e, au_term x);

/* Narrows by_var to where the condition may have this value (it calls au_intervals_over).
 * False: nowhere; by_var means nothing then. */
bool au_intervals_assume(au_intervals *e, au_term cond, bool value, au_interval *by_var,
                         const uint8_t *width);

au_interval au_interval_full(unsigned width);
au_interval au_interval_value(uint64_t value, unsigned width); /* of zero-extended bits */
static inline bool au_interval_same(au_interval a, au_interval b) {
    return a.low == b.low && a.high == b.high;
}
static inline au_interval au_interval_join(au_interval a, au_interval b) {
    return (au_interval){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}
/* ceil(log2(high - low + 1)): the bits that tell its values apart. */
unsigned au_interval_bits(au_interval a);

#endif
