/* solve/held.h: runs in which other places of two threads meet.
 *
 * Where threads ran one after the other, what could go wrong between the beginning of the one and the end of the other lies
 * in no window of the run. So the run is made anew: one thread is held back before a step, while the others go on as
 * they did, up to a step of the other thread; then both go on. Every thread takes the steps that it took, and
 * each step is executed: it is a run of the model, and windows of it (window.h) are as good as those of the observed one. */
#ifndef AU_SOLVE_HELD_H
#define AU_SOLVE_HELD_H

#include "solve/places.h"
#include "solve/solve.h"

typedef struct {
    size_t lead; /* steps of each of the two after they have met */
    uint32_t
        past; /* the first goes on just past this step of its own and gives up its locks, before the second takes its
                       steps: they come right after it; AU_NONE: 'lead' steps */
    uint32_t asked; /* an assertion that is to fail */
    bool whole;     /* assertions that fail stop nobody; else the first one ends the run */
} au_held_options;

typedef struct {
    au_u32s order; /* steps; au_vec_release */
    size_t meet;   /* so many of them before the two go on */
    size_t
        failed; /* so many of them when the assertion that is asked about failed; SIZE_MAX: it did not */
    bool ended; /* early: an assertion failed */
} au_other_run;

/* The thread of observed[p->low] is held back there until the other one is at observed[p->high]; then both go on, and the rest, as
 * far as it goes. False: the other thread does not come there. Requires: p->low < p->high, of two threads. */
bool au_held_run(const au_model *m, const au_meeting *p, const au_held_options *o, au_other_run *h);

/* Places where two threads touch the same, at least 'near' steps apart in the observed run. Those come first whose like
 * (what the step does, whatever its line) is rare in its thread; of each like the first, one in the middle and the
 * last. */
void au_far_meetings_of(const au_model *m, const au_contacts *t, size_t near, au_meetings *into);

/* A deadlock of threads that take locks in a circle, wherever in the run; none of those known (n of them). It lasts
 * whatever else happens: each waits for the next one's lock. AU_SAT, or AU_UNKNOWN. */
void au_held_deadlock(const au_model *m, const au_solution *known, size_t n, au_solution *r);

#endif
