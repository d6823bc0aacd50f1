/* solve/cheap.h: what can be ruled out before any solver is asked.
 *
 * Two stages of the funnel. What they rule out happens in no prefix of the model as it
 * stands; under --model locks, which knows no fork and no join, it still may:
 *   must-hb   fork and join order the events, whatever else the threads do
 *   lockset   two threads cannot be inside sections of one lock at a time */
#ifndef AU_SOLVE_CHEAP_H
#define AU_SOLVE_CHEAP_H

#include "solve/query.h"
#include "trace/finding.h"

typedef struct au_cheap au_cheap;

/* Borrows c. */
au_cheap *au_cheap_new(const au_cssa *c);
void au_cheap_free(au_cheap *h);

/* The stage that rules it out: AU_STAGE_MUST_HB, AU_STAGE_LOCKSET; AU_STAGES: none does. */
int au_cheap_stage(const au_cheap *h, const au_query *q);

#endif
