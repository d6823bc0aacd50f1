/* solve/places.h: where in a long run an assertion is decided.
 *
 * What an assertion looks at comes from reads; a read sees another value if a store of another thread comes at
 * another place. So wherever in the observed run one thread stores what another one reads (nearby, and what the
 * assertion's condition depends on), a window may show the failure, be the assertion far behind it. Of like places
 * (the same two statements of the source) the nearest and the last ones are enough. */
#ifndef AU_SOLVE_PLACES_H
#define AU_SOLVE_PLACES_H

#include "base/bitset.h"
#include "solve/query.h"

typedef struct {
    size_t low, high; /* in the observed run: the one, and the other */
} au_meeting;
typedef AU_VEC(au_meeting) au_meetings;

/* The nearest two first. Those before 'until', which is the place of the assertion in the run. */
void au_meetings_of(const au_model *m, uint32_t assertion, size_t until, au_meetings *into);

/* Variables that the assertion's condition depends on, in any order of steps. The caller's to release. */
void au_places_needed(const au_model *m, uint32_t assertion, au_bitset *needed);

#endif
