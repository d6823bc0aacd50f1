/* linear/syncp_deadlock.h: sync-preserving deadlocks (Tunç et al., docs/papers.md). Needs
 * the whole trace.
 *
 * An instance of a cycle (lockgraph.h) has one event of each of its edges: a request
 * for one lock with the other in hand. It is a deadlock that keeps every read's write
 * and the order of critical sections if and only if none of its events is in the closed
 * ideal (syncp.h) of what comes before them: then the ideal, in the order of the trace,
 * leads there. If one of them is in it, it is in the ideal of every instance with later
 * events of the others, too; so instances are walked forwards only, and the ideal only
 * grows: time linear in the trace for a cycle. Guards need no care: of two sections of a
 * gate lock that are both open, the ideal closes the earlier. (The paper walks once for
 * each choice of held sets; once for all of them finds the same.) */
#ifndef AU_LINEAR_SYNCP_DEADLOCK_H
#define AU_LINEAR_SYNCP_DEADLOCK_H

#include "linear/lockgraph.h"
#include "linear/syncp.h"

/* Limits; 0 in any of them: the default. */
typedef struct {
    uint64_t steps;     /* ideals closed and events passed, all cycles together (default
                           50 million) */
    uint64_t turns;     /* of one schedule (default 1 million) */
    uint64_t all_turns; /* of all schedules (default 8 million) */
} au_syncp_deadlock_limits;

typedef struct {
    uint64_t cycles;    /* looked at */
    uint64_t found;     /* sync-preserving deadlocks */
    uint64_t undecided; /* cycles at which a limit ended the search */
} au_syncp_deadlock_counts;

/* One finding for each cycle of g, in their order; 'found' (may be NULL) is called for
 * each. Those that are sync-preserving deadlocks have a schedule, after which every
 * event of the finding is next in its thread and waits, and 'why' is AU_WHY_UNCHECKED
 * (race.h), or AU_WHY_LONG if the schedule is beyond the limits and not kept; the others
 * say why not. All have standing POSSIBLE: the checker makes them PROVED. s was made from t, g has seen
 * t and is finished. limits may be NULL. */
void au_syncp_deadlocks(const au_trace *t, const au_syncp *s, const au_lockgraph *g,
                        const au_syncp_deadlock_limits *limits, au_findings *f, au_found_fn *found,
                        void *ctx, au_syncp_deadlock_counts *counts);

#endif
