/* linear/race_apart.h: the work of the race predictors on a whole trace, by one process or divided among several.
 *
 * Divided: while this process prepares the closures, another finds the suspects, and goes on with the happens-before
 * pass; then variables are shared out, in ranges with about as many accesses each (base/aside.h). Races of one
 * variable do not depend on those of another, so what is found is put together in the order of variables, and
 * is the same however many processes there were. What a process does not give, this one does itself. */
#ifndef AU_LINEAR_RACE_APART_H
#define AU_LINEAR_RACE_APART_H

#include "linear/race.h"

/* Adds the sync-preserving races (with schedules) to 'out' and those of happens-before to 'hb'. The closures are given
 * to the caller for more questions; NULL: *err says why there is none. */
au_syncp *au_races_list(const au_trace *t, const au_race_options *o, au_findings *out,
                        au_findings *hb, au_race_stats *stats, au_error *err);

#endif
