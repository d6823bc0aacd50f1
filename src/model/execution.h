/* model/execution.h: an execution of a model under a memory model (docs/memory-models.md), as the solver
 * hands it to the checker of executions. Plain data.
 *
 * The steps stand in an order in which they can be taken one after the other: each after those of its
 * thread before it, after what it sees, and operations of objects as they follow each other. Of the
 * order of two accesses of shared variables it says nothing else. */
#ifndef AU_MODEL_EXECUTION_H
#define AU_MODEL_EXECUTION_H

#include "base/none.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define AU_FROM_START (UINT32_MAX - 1) /* what a read sees: the initial value */

typedef struct {
    uint32_t step;
    bool vain; /* it read, its guard was false, and its thread stops for good */
    uint32_t
        from; /* the entry whose write it sees, AU_FROM_START; AU_NONE: it reads no shared variable */
    uint64_t havoc; /* what it chose */
} au_executed;

typedef struct {
    AU_VEC(au_executed) at;
    AU_VEC(uint32_t)
    write; /* entries that write: by variable, those of one in modification order */
} au_execution;

static inline void au_execution_release(au_execution *x) {
    au_vec_release(&x->at);
    au_vec_release(&x->write);
}

#endif
