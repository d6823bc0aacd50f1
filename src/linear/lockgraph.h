/* linear/lockgraph.h: deadlocks by lock order, from a stream of events.
 *
 * What is collected (one pass; memory by threads, locks and the sets of locks that
 * are held together, not by events) are lock dependencies: thread t asks for lock l
 * while it holds the set H. One is kept for each (t, l, H), and within it one first
 * event for each must-segment of t (linear.h).
 *
 * An edge (t, h, l) says that some dependency of t for l has h in its H. A candidate
 * is a cycle of edges (t1, h1, h2) (t2, h2, h3) … (tk, hk, h1) with different threads
 * and different locks, where asking for a lock and holding it conflict (shared and
 * shared do not). It starts with the smallest thread, so each is told once; short
 * ones come first. It stays
 *   after must-hb   if dependencies can be chosen for its edges whose events are
 *                   pairwise unordered by fork, join …: of two that are ordered, the first is
 *                   over when the second is waiting;
 *   after lockset   if moreover their held sets are pairwise free of conflicts: a
 *                   common (gate) lock lets only one of the threads in.
 * What is left is possible: data may forbid it (syncp_deadlock.h decides more).
 *
 * Re-acquiring a held lock waits for nobody and is no dependency, nor is a try, failed or not (of what
 * it got its thread is a holder like any other).
 * A request ('req') that its thread's trace ends with is one. */
#ifndef AU_LINEAR_LOCKGRAPH_H
#define AU_LINEAR_LOCKGRAPH_H

#include "base/bitset.h"
#include "linear/held.h"
#include "linear/linear.h"

/* A lock in a mode, as in the sets of held.h: lock << 1 | exclusive. */
typedef uint32_t au_lock_mode;
static inline uint32_t au_lock_of(au_lock_mode m) {
    return m >> 1;
}
static inline bool au_lock_shared(au_lock_mode m) {
    return !(m & 1);
}
static inline au_lock_mode au_lock_in_mode(uint32_t lock, bool shared) {
    return lock << 1 | !shared;
}

/* Where a held lock was acquired. A list from the newest to the oldest; what was acquired before is
 * shared by the lists of all that came later. There may be sites of locks that were released since:
 * of a held lock its newest counts. */
typedef struct au_lock_site {
    const struct au_lock_site *before;
    uint32_t lock, loc;
    uint32_t refs; /* lists and dependencies that have it */
} au_lock_site;

/* The first event of a dependency in a must-segment. */
typedef struct {
    uint32_t segment;
    au_event_ref first;
    const au_lock_site *site; /* of what it holds then */
} au_lock_dep_at;

typedef struct {
    uint16_t thread;
    au_lock_mode wants;
    uint32_t held; /* au_lockgraph_set */
    uint64_t count;
    AU_VEC(au_lock_dep_at) at; /* by segment, rising */
} au_lock_dep;

typedef struct {
    uint16_t thread;
    au_lock_mode holds, wants;
    AU_VEC(uint32_t) dep;
} au_lock_edge;

/* One candidate that is left. */
typedef struct {
    uint32_t n;
    uint32_t *edge; /* au_lockgraph_edge */
    uint32_t *dep;  /* au_lockgraph_dep: the first choice that stays */
    uint32_t *at;   /* which of dep's segments */
    bool observed;  /* the trace itself ends in it */
} au_lock_cycle;

typedef struct au_lockgraph au_lockgraph;

/* names are borrowed and may grow. must: prune by fork, join and the like. */
au_lockgraph *au_lockgraph_new(const au_names *names, bool must);
void au_lockgraph_free(au_lockgraph *g);
/* Every block, in order; may be cut anywhere. */
void au_lockgraph_block(au_lockgraph *g, const au_block *b);

/* Limits of the search; 0 in any of them: the default. */
typedef struct {
    uint32_t cycles;     /* listed (default 1000) */
    uint64_t candidates; /* counted (default 200 000) */
    uint64_t steps;      /* of the search (default 20 million) */
} au_lockgraph_limits;

/* After the last block, once. limits may be NULL. */
void au_lockgraph_finish(au_lockgraph *g, const au_lockgraph_limits *limits);

/* After finish. Counts of cycles: candidates, must-hb, lockset. */
const au_funnel *au_lockgraph_funnel(const au_lockgraph *g);
/* "" or what the limits left out, for a person. */
const char *au_lockgraph_note(const au_lockgraph *g);
size_t au_lockgraph_cycles(const au_lockgraph *g);
const au_lock_cycle *au_lockgraph_cycle(const au_lockgraph *g, size_t i);
const au_lock_dep *au_lockgraph_dep(const au_lockgraph *g, uint32_t dep);
size_t au_lockgraph_deps(const au_lockgraph *g);
const au_lock_edge *au_lockgraph_edge(const au_lockgraph *g, uint32_t edge);
/* Members in rising order. Listed when first asked for: for few sets. */
const au_lock_mode *au_lockgraph_set(const au_lockgraph *g, uint32_t set, uint32_t *n);
/* Can no two threads hold these sets at once? */
bool au_lockgraph_sets_conflict(const au_lockgraph *g, uint32_t a, uint32_t b);

/* The events of the wanted edges (those of all their dependencies), found again in a
 * second pass over the same events: event[edge] gets event numbers in rising order. */
typedef AU_VEC(uint64_t) au_event_list;
void au_lockgraph_events(const au_lockgraph *g, const au_trace *t, const au_bitset *wanted,
                         au_event_list *event);
size_t au_lockgraph_edges(const au_lockgraph *g);

/* Adds cycle i to f as a possible deadlock without a schedule. */
au_finding *au_lockgraph_tell(const au_lockgraph *g, size_t i, au_findings *f);
/* Sets the finding's text anew: event[k] is the request of the cycle's k-th edge, and
 * loc[k] where it acquired what it holds. */
void au_lockgraph_describe(const au_lockgraph *g, size_t i, au_findings *f, au_finding *x,
                           const uint32_t *loc);

#endif
