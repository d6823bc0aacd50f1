/* solve/grow.h: windows that grow. A short part of a run is decided in no time, and most of what can go wrong needs
 * few steps in another order; so a question about a long run is asked in small windows first: around its events, and
 * for assertions around the reads that decide (places.h). Only a yes is an answer. */
#ifndef AU_SOLVE_GROW_H
#define AU_SOLVE_GROW_H

#include "solve/window.h"

enum { AU_GROW_FIRST = 100 }; /* steps of the first windows; each round doubles them */

/* In windows of at most 'largest' steps. thorough: windows in which the search was given up get another chance. limits->conflicts
 * limits each search, limits->seconds all of them.
 * AU_SAT with a schedule of m, or AU_UNKNOWN with the reason. */
void au_solve_growing(const au_model *m, const au_solve_options *o, const au_query *q,
                      const au_solve_limits *limits, size_t largest, bool thorough, au_solution *r);

/* The same of deadlocks: one that is not among those known (n of them), in windows around what threads wait for, and in
 * runs in which threads meet that take locks in a circle, or whatever one waits for and another gives. */
void au_deadlocks_growing(const au_model *m, const au_solve_options *o, const au_solution *known,
                          size_t n, const au_solve_limits *limits, size_t largest, au_solution *r);

#endif
