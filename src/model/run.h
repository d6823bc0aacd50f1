/* model/run.h: executing a model along one order.
 *
 * Finds the observed run where none is given (the first enabled thread,
 * in the order written, runs as far as it can, and so on) and checks one that is. */
#ifndef AU_MODEL_RUN_H
#define AU_MODEL_RUN_H

#include "base/error.h"
#include "model/model.h"

/* A thread that loops without end in the observed run is left after this many
 * steps altogether. */
#define AU_OBSERVE_STEPS 1000000u

/* Fills m->observed if it is empty. Choices: the first enabled out-edge in the
 * order written, spurious wake-ups never; havoc gives 0; a thread stopped by a
 * false assume or a failed assert takes no further part. A failed assert is the
 * last step of its thread in the run, a false assume is not in it. With loops the
 * run ends after AU_OBSERVE_STEPS. */
void au_model_observe(au_model *m);
/* The same with another limit. */
void au_model_observe_steps(au_model *m, size_t most);

/* Executes m->observed from the initial state, havoc giving 0. AU_EFORMAT with the step's
 * name and the reason if some step cannot be taken where it stands; *at (may be
 * NULL) is then its place in the run. */
au_status au_model_check_observed(const au_model *m, size_t *at, au_error *err);

/* The same, calling fn before ('done' false) and after each step with the values of all
 * variables; fn says whether to go on (if not, AU_OK). */
typedef bool au_run_fn(void *ctx, const au_step *s, bool done, const uint64_t *value);
au_status au_model_follow(const au_model *m, au_run_fn *fn, void *ctx, size_t *at, au_error *err);

/* Leaves out of m->observed what cannot be taken where it stands or, asked right before
 * it, fn says no to; and what its thread does after that. How many threads stop early. */
size_t au_model_drop_stuck(au_model *m, au_run_fn *fn, void *ctx);

#endif
