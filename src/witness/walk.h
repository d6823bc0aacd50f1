/* witness/walk.h: the checker of schedules, one event at a time and with a way back.
 *
 * For who looks for schedules and wants each of them executed as it is found: events are
 * executed by the rules of witness/check.h, and what a read would see is the checker's word.
 * Signals are followed like everything else, but whether a wake-up was spurious is not told
 * here: au_checker_run says so. A walk and au_checker_run disturb each other. */
#ifndef AU_WITNESS_WALK_H
#define AU_WITNESS_WALK_H

#include "witness/check.h"

/* Nothing is executed. False if the trace is too long for the checker. */
bool au_checker_begin(au_checker *c);
/* Executes the event if it is the next of its thread and can be; with 'keep' only if it is no
 * read that would see another write than in the trace, and no failed try that would succeed.
 * False: nothing has changed. */
bool au_checker_step(au_checker *c, uint32_t event, bool keep);
/* The last write of the variable: event + 1, 0: the initial value. */
uint32_t au_checker_last(au_checker *c, uint32_t var);
/* How far the walk is, and back to there. */
size_t au_checker_mark(const au_checker *c);
void au_checker_rewind(au_checker *c, size_t mark);

#endif
