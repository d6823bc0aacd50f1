/* solve/changes.h: how often the running thread must change at least before something happens, without a
 * search. */
#ifndef AU_SOLVE_CHANGES_H
#define AU_SOLVE_CHANGES_H

#include "solve/query.h"

/* More than 'bound' times, as forks and joins alone tell? Each thread of which something must come before an assertion
 * runs for a while; its own, twice if one of those comes after it. A triple in an atomic block needs two changes more; before a race
 * each thread that must have run did. Costs as much as looking at all steps. Of other questions: no. */
bool au_changes_exceed(const au_model *m, au_semantics semantics, const au_query *q,
                       uint32_t bound);

#endif
