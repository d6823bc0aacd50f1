/* linear/race.h: what the race predictors share, and all of them on a whole trace.
 *
 * A race is two accesses of one variable by two threads, at least one writing, not
 * both atomic. event[0] is the earlier one in the trace. detail is "WW", "RW" or "WR".
 *
 * A predictor does not call anything proved: findings come as POSSIBLE, with a schedule
 * where there is one; the checker's word makes them more. A schedule without turns is a
 * schedule all the same if 'why' is AU_WHY_UNCHECKED: both events are the first ones of
 * threads that run from the start. */
#ifndef AU_LINEAR_RACE_H
#define AU_LINEAR_RACE_H

#include "linear/linear.h"
#include "linear/syncp.h"

/* Reasons (trace/why.h): UNCHECKED, it has a schedule that nobody has executed yet. LONG, it has one,
 * which is longer than was asked for. HB, the order of events seen leaves it open (one pass); HB_FIRST,
 * … and it is the first race of the run. READS, happens-before does not order them, but what reads
 * before them saw does: no race in any reordering that keeps what reads saw. ORDERED, … but the
 * closure keeps them apart. */

typedef struct au_race_options {
    bool all;           /* every pair of events instead of one a pair of locations */
    uint64_t max_turns; /* of one schedule; 0: AU_LIMIT_RACE_TURNS */
    uint64_t budget;    /* of all schedules together: events walked; 0: AU_LIMIT_RACE_BUDGET */
    au_found_fn *found; /* may be NULL */
    void *ctx;
    unsigned jobs;       /* au_races: processes that share the work of a long trace; 0: one */
    uint64_t apart_from; /* … of so many events; 0: what is worth it. Answers are the same */
} au_race_options;

/* Variable and pair of locations, each once. */
typedef struct {
    au_map pair; /* location << 32 | location -> number + 1 */
    au_map seen; /* variable << 32 | 3 * number of the pair + how many of both are blank */
} au_race_seen;
void au_race_seen_init(au_race_seen *s);
void au_race_seen_release(au_race_seen *s);
/* blank: how many of both write no value where others do (a free): such a pair is another one. 0 if nobody looks. */
bool au_race_seen_has(const au_race_seen *s, uint32_t var, uint32_t loc1, uint32_t loc2,
                      unsigned blank);
/* False if it was there. The order of the locations does not matter. */
bool au_race_seen_add(au_race_seen *s, uint32_t var, uint32_t loc1, uint32_t loc2, unsigned blank);

const char *au_race_detail(au_op first, au_op second);

/* --- sync-preserving races (syncp_race.c) ------------------------------------------ */

typedef struct au_race_stats {
    uint64_t candidates, must_hb, lockset; /* variables left after each filter */
    uint64_t racy;                         /* variables with a race */
    uint64_t late;     /* races found that are not sync-preserving (syncp_late.c) */
    uint64_t closures; /* ideals computed */
    uint64_t coarse;   /* variables with too many locations to try each pair of them */
} au_race_stats;

/* Every sync-preserving race, one for each variable and pair of locations, and some that
 * are not: those in which one critical section around one of the accesses comes last,
 * against the order of the trace (sound as well, but not all of them). Locations are
 * told apart as long as a variable is accessed from few of them (up to 64 in each
 * combination of thread and kind); beyond, one race is found for each pair of threads and
 * kinds of access if there is one, which is the class as the paper defines it. Time is
 * linear in the trace, with a factor by threads and locations. With 'all', each pair of
 * events is tried (quadratic in the accesses of a variable). */
void au_syncp_races(const au_syncp *s, const au_race_options *o, au_findings *out,
                    au_race_stats *stats);

/* For single pairs. */
typedef struct au_race_prober au_race_prober;
au_race_prober *au_race_prober_new(const au_syncp *s);
void au_race_prober_free(au_race_prober *p);
/* Is this pair of events a sync-preserving or late race? If so and f is not NULL, f gets its
 * schedule (as a cut if it has more turns, or is not to be written out) and 'why'. */
bool au_race_probe(au_race_prober *p, size_t e1, size_t e2, au_finding *f, au_arena *arena,
                   bool written, uint64_t max_turns);

/* --- all on a whole trace (race.c) --------------------------------------------------- */

/* Sync-preserving races, then the happens-before races that are not among them (no
 * schedule, AU_WHY_READS or AU_WHY_ORDERED). The funnel counts variables. NULL err, stats: not asked for. */
au_status au_races(const au_trace *t, const au_race_options *o, au_findings *out, au_funnel *funnel,
                   au_race_stats *stats, au_error *err);

#endif
