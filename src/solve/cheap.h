/* solve/cheap.h: what can be ruled out before any solver is asked.
 *
 * Two stages of the funnel over an au_cssa. Both are exact in one direction: what they
 * rule out happens in no prefix.
 *   must-hb   a thread's path leads through an event that must see a certain write (a
 *             join, a fork, a semaphore that only one event raises): what stands before
 *             that write has happened then
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
