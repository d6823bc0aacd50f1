/* solve/schedule.h: from a prefix that a backend found to a schedule worth showing. */
#ifndef AU_SOLVE_SCHEDULE_H
#define AU_SOLVE_SCHEDULE_H

#include "solve/backend.h"
#include "solve/query.h"

/* All executed events in order: those that are not ordered come right after what they
 * follow in their thread. */
void au_schedule_of(const au_cssa *c, const au_prefix *p, au_u32s *events);

/* Leaves out what the answer does not need: keep[i] says what it does; with it stays
 * whatever comes before in its thread or was read. */
void au_schedule_trim(const au_cssa *c, const au_prefix *p, au_u32s *events, bool *keep);

/* Reorders events that have nothing to do with each other so that the running thread
 * changes less often. Pairs (before, after; events) keep their order. */
void au_schedule_smooth(const au_cssa *c, const au_prefix *p, au_u32s *events,
                        const uint32_t (*pair)[2], size_t n_pairs);

#endif
