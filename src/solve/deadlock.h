/* solve/deadlock.h: sets of threads that wait for each other for good.
 *
 * Every set in which each waits for something that only members could give is a subset of
 * the one that the oracle reports cores of (docs/oracle.md). So the solver looks for
 * such a set; the state that it finds is executed, its cores are computed from their
 * definition, and known ones are left out of the next search:
 *
 *   stuck(t)     t stands at a step that waits, and nobody outside of the set could help
 *   outside(u)   started, not ended, not in the set; or someone outside could fork it
 *   hopes(t, u)  u could give t what it waits for, or a part of it
 *
 * A core is connected by hopes, so each member is hoped for by another one; and a known
 * core is left out by "not these, standing there, none of them hoping for another member". */
#ifndef AU_SOLVE_DEADLOCK_H
#define AU_SOLVE_DEADLOCK_H

#include "solve/backend.h"
#include "solve/run.h"

typedef struct au_dead au_dead;

/* The model is a part of another: where its threads stand there. What they do beyond it can end a wait. */
typedef struct au_dead_part {
    const au_model *of;
    const au_u32s
        *node; /* by thread: by node of the part, that of 'of'; AU_NONE: none leads there */
    const bool *stopped; /* by thread: an assertion has failed before the part */
} au_dead_part;

/* part NULL: the model is all there is. Borrowed. */
au_dead *au_dead_new(au_cssa *c, const au_dead_part *part);
void au_dead_free(au_dead *d);

/* Some set that is not a known core. */
au_term au_dead_term(au_dead *d);
/* The cores of a state, each a list of events' steps by thread, added to those known; how
 * many are new. */
size_t au_dead_take(au_dead *d, const au_cssa_run *state);
/* A core that was found elsewhere is known from now on: a step that each of its threads waits at, by thread. */
void au_dead_know(au_dead *d, const au_u32s *core);
/* The i-th known core: the step (of its statement) each thread waits at, by thread. */
const au_u32s *au_dead_core(const au_dead *d, size_t i);
size_t au_dead_cores(const au_dead *d);
/* A state without a new core: not this one again. */
void au_dead_exclude(au_dead *d, const au_prefix *p);

#endif
