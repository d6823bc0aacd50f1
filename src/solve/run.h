/* solve/run.h: executing a schedule under the chosen semantics, to see the state that it
 * leads to. A schedule that cannot be executed is a bug of this stage. (What is reported
 * is checked once more, by src/witness, which knows nothing of this.) */
#ifndef AU_SOLVE_RUN_H
#define AU_SOLVE_RUN_H

#include "solve/cssa.h"

typedef struct {
    au_cssa *c;
    uint64_t *value; /* by variable of the model */
    uint32_t *node;  /* by thread */
    bool *stopped;   /* by thread: an assert failed */
    uint32_t *done;  /* by thread: steps executed */
} au_cssa_run;

void au_cssa_run_init(au_cssa_run *r, au_cssa *c);
void au_cssa_run_drop(au_cssa_run *r);
/* False: it cannot be taken now. havoc: what a havoc chooses. may_fail: an assert whose
 * values do not count fails. */
bool au_cssa_run_step(au_cssa_run *r, uint32_t event, uint64_t havoc, bool may_fail);
/* The step's guard in this state, started included. */
bool au_cssa_run_enabled(const au_cssa_run *r, uint32_t event);
bool au_cssa_run_started(const au_cssa_run *r, uint32_t thread);
bool au_cssa_run_holds(const au_cssa_run *r, uint32_t obj, uint32_t thread);

#endif
