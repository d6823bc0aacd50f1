/* solve/weak.h: the exact stage under a memory model: executions instead of interleavings.
 *
 * What an execution is and which ones are consistent: docs/memory-models.md. One formula, as for
 * interleavings (solve.h): events, guards and values are the same, and so is the order in which events
 * come about, with all operations of objects in it. A read of a shared variable, however, sees any write
 * that comes before it there, and the writes of a variable have an order of their own. What the memory
 * model forbids is added where a solution does it, as transitivity is.
 *
 * Asked of ctp models, for prefixes, without a bound: assertions, races, reads that see another
 * write. Everything else of a model is AU_UNKNOWN with a reason. */
#ifndef AU_SOLVE_WEAK_H
#define AU_SOLVE_WEAK_H

#include "model/execution.h"
#include "model/semantics.h"
#include "solve/solve.h"

typedef struct {
    uint32_t step; /* of the model, as in au_query */
    uint32_t
        entry; /* of the execution; AU_NONE: it is next, or stands for the initial value or the end */
    uint32_t index; /* within its thread, from 1 */
} au_weak_found;

typedef struct {
    au_answer answer;
    const char *why; /* AU_UNKNOWN: the reason; else "" */
    bool spurious;   /* AU_SAT: needs a wake-up without a signal */
    bool raced;      /* AU_SAT, rc11: after a race, of which C11 does not say what follows … */
    bool always;     /* … and so in every execution that shows it */
    au_execution x;
    au_weak_found event[2]; /* assertion: it; race: the two; nondeterminism: writer, reader */
    uint32_t n_events;
} au_weak_solution;

typedef struct au_weak_solver au_weak_solver;

/* AU_EUNSUPPORTED: what of the model the memory model says nothing of. */
au_status au_weak_supports(const au_model *m, au_memory memory, au_error *err);
static inline bool au_weak_asks(const au_query *q) {
    return q->kind == AU_ASK_ASSERT || q->kind == AU_ASK_RACE || q->kind == AU_ASK_NONDET;
}

/* Requires: no loops, observed run filled in. NULL and *err set: not supported, or too large. Borrows m. */
au_weak_solver *au_weak_solver_new(const au_model *m, au_memory memory, au_error *err);
void au_weak_solver_free(au_weak_solver *s);
/* Requires: au_weak_asks. */
void au_weak_solver_ask(au_weak_solver *s, const au_query *q, const au_solve_limits *limits,
                        au_weak_solution *r);
static inline void au_weak_solution_release(au_weak_solution *r) {
    au_execution_release(&r->x);
}

#endif
