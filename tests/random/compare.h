/* tests/random/compare.h: the oracle's answers beside those of paths.h. */
#ifndef AU_TESTS_COMPARE_H
#define AU_TESTS_COMPARE_H

#include "base/out.h"
#include "paths.h"

/* Both write what is wrong to out, a line each, nothing if all is well, and return how
 * many things they compared. Requires: w was walked within its budget, as o says. */
size_t au_compare_sets(const au_paths *w, const au_oracle_options *o, const au_oracle_result *r,
                       au_out *out);
/* Executes every schedule of the result. */
size_t au_compare_schedules(au_paths *w, const au_oracle_options *o, const au_oracle_result *r,
                            au_out *out);

#endif
