/* solve/observed.h: executing steps of a model one after the other, with the model's own values: the observed run
 * up to some place, or a schedule that is to be one of the model's. */
#ifndef AU_SOLVE_OBSERVED_H
#define AU_SOLVE_OBSERVED_H

#include "model/model.h"

typedef struct {
    const au_model *m;
    uint64_t *value;       /* by variable */
    uint32_t *node, *done; /* by thread: where it stands, how many steps it has taken */
    bool *stopped;         /* by thread: an assert failed */
    uint64_t *next;        /* room for updates */
} au_observed;

/* In the initial state. Borrows m. */
void au_observed_init(au_observed *x, const au_model *m);
void au_observed_release(au_observed *x);
/* Takes the step, whatever its guard says. A failed assert stops its thread; after it nothing is
 * changed, unless 'whole'. A havoc gives this value. */
void au_observed_step(au_observed *x, uint32_t step, uint64_t havoc, bool whole);
/* Could it be taken now? */
bool au_observed_enabled(const au_observed *x, uint32_t step);
/* Does its assertion hold now? */
bool au_observed_holds(const au_observed *x, uint32_t step);

#endif
