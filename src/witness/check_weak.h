/* witness/check_weak.h: the checker of executions under a memory model (docs/memory-models.md).
 *
 * Takes the steps of an execution one after the other with the model's guards and updates, each read
 * with the value of the write that it is said to see; asks whether the memory model allows the whole;
 * then whether it shows what the finding says. It reads the axioms of the papers by themselves: here a
 * read-modify-write is two events, a read and a write. Shares no code with the oracle, nor with the solver
 * that finds executions. A finding under a memory model is 'proved' only by its word. */
#ifndef AU_WITNESS_CHECK_WEAK_H
#define AU_WITNESS_CHECK_WEAK_H

#include "base/error.h"
#include "model/execution.h"
#include "model/model.h"
#include "model/semantics.h"

typedef enum {
    AU_WEAK_FAILS, /* entry[0], an assert, is executed and its condition is false */
    AU_WEAK_RACE, /* rc11: entry[0] and entry[1] conflict, are not both atomic, and nothing orders them.
                    * sc, tso: step[0] and step[1] come next */
    AU_WEAK_SEES, /* entry[1] reads var and sees entry[0] (AU_NONE: the initial value). Its being
                    * AU_NONE: everything comes to its end, and that is what var holds then */
} au_weak_shows;

typedef struct {
    au_memory memory;
    au_weak_shows shows;
    uint32_t var;
    uint32_t entry[2], step[2];
    const au_execution *x;
} au_weak_finding;

typedef struct {
    bool shown;
    bool spurious;          /* a wake-up without a signal was needed */
    bool raced;             /* rc11: two accesses of it race */
    uint32_t at;            /* the entry at which it went wrong */
    char why[200];          /* not shown: the reason, for a person */
    AU_VEC(uint64_t) value; /* by entry: what a read saw; of a write alone, what it wrote */
} au_weak_verdict;

void au_check_weak(const au_model *m, const au_weak_finding *f, au_weak_verdict *v);
static inline void au_weak_verdict_release(au_weak_verdict *v) {
    au_vec_release(&v->value);
}

#endif
