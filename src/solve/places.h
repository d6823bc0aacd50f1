/* solve/places.h: where in a long run an assertion is decided.
 *
 * What an assertion looks at comes from reads; a read sees another value if a store of another thread comes at
 * another place. So wherever in the observed run one thread stores what another one reads (nearby, and what the
 * assertion's condition depends on), a window may show the failure, be the assertion far behind it. Of like places
 * (the same two statements of the source) the nearest and the last ones are enough. */
#ifndef AU_SOLVE_PLACES_H
#define AU_SOLVE_PLACES_H

#include "solve/query.h"

typedef struct {
    size_t low, high; /* in the observed run: the one, and the other */
} au_meeting;
typedef AU_VEC(au_meeting) au_meetings;

/* What each step of the run touches. Two threads meet where they touch the same, one of them strongly: stores it, or
 * waits for it. */
typedef struct {
    uint32_t key;
    bool strong;
} au_contact;
typedef struct {
    AU_VEC(au_contact) touch;
    AU_VEC(size_t)
    first; /* by place in the run, and one behind the last: where its touches begin */
    uint32_t keys;
    bool waits; /* strong: waits for it; else: stores it */
} au_contacts;

/* Of steps before 'until', which is the place of the assertion: variables that its condition depends on. */
void au_contacts_deciding(const au_model *m, uint32_t assertion, size_t until, au_contacts *into);
/* What deadlocks are made of (waits.c): semaphores, conditions, barriers, awaited variables, threads that are joined, locks
 * that are wanted, strongly those of a thread that holds or wants another. */
void au_contacts_waiting(const au_model *m, au_contacts *into);
void au_contacts_release(au_contacts *t);

/* The nearest two first. */
void au_meetings_of(const au_model *m, const au_contacts *t, au_meetings *into);

#endif
