/* solve/mutex.h: locks that are used as locks should be.
 *
 * A lock is well used if in every thread its events alternate acquire, release, acquire, …,
 * each on every path, and nothing else looks at it (no wait, no try). Then
 *   - an executed acquire finds it free and an executed release finds it owned if sections
 *     of different threads do not overlap: a clause for each two sections says so, and no
 *     π-function is needed;
 *   - a section without a step that waits in it (a leaf) is as one event for those of the same
 *     lock: one literal orders all of the one before all of the other. (Not so sections
 *     with another acquire inside: in a deadlock both come before the other.) */
#ifndef AU_SOLVE_MUTEX_H
#define AU_SOLVE_MUTEX_H

#include "solve/cssa.h"

typedef struct {
    uint32_t obj, thread;
    uint32_t acq, rel;    /* events; rel AU_NONE: held to the end */
    uint32_t first, last; /* places of its thread */
    bool leaf;
} au_section;

typedef struct {
    const au_cssa *c;
    bool *well_used;            /* by object */
    AU_VEC(au_section) section; /* of well used locks, by object, thread and place */
} au_mutexes;

/* look false: none is found. */
void au_mutexes_make(au_mutexes *x, const au_cssa *c, bool look);
void au_mutexes_release(au_mutexes *x);
/* The value that this read sees of a well used lock when it is executed; false: it is no
 * such read. */
bool au_mutexes_reads(const au_mutexes *x, const au_cssa_read *r, uint64_t *value);
/* The event releases the well used lock that has this variable: what has happened to the
 * lock by then is known without looking at the order. */
bool au_mutexes_releases(const au_mutexes *x, uint32_t event, uint32_t var);
/* Both events (of one thread) are in one section of this object; AU_NONE: of none. */
bool au_mutexes_cover(const au_mutexes *x, uint32_t obj, uint32_t a, uint32_t b);

#endif
