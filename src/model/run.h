/* model/run.h: executing a model along one order.
 *
 * Finds the observed run where none is given (design: the first enabled thread,
 * in the order written, runs as far as it can, and so on) and checks one that is. */
#ifndef AU_MODEL_RUN_H
#define AU_MODEL_RUN_H

#include "base/error.h"
#include "model/model.h"

/* Fills m->observed if it is empty. Choices: the first enabled out-edge in the
 * order written, spurious wake-ups never; havoc gives 0; a thread stopped by a
 * false assume or a failed assert takes no further part. */
void au_model_observe(au_model *m);

#endif
