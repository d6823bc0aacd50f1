/* scan/bmc.h: bounded model checking of the warnings that are left: the exact stage on unrollings.
 *
 * A thread is unrolled in layers: its back edges lead to the next layer, those of the last to a
 * step that nothing passes (the cut). So k layers hold every run that goes back less than k times in
 * each thread. The two places of a warning stand once each, behind a choice in every layer, so that one
 * question asks about all rounds. What cannot lead there any more is left out, and so are values that no
 * condition depends on. If nobody can reach a cut either, the answer 'no' holds for good. */
#ifndef AU_SCAN_BMC_H
#define AU_SCAN_BMC_H

#include "scan/refine.h"

/* Looks for schedules of all warnings that are left: by search (search.h), then with 'from', 2 * from, …
 * rounds, at most 'upto', and as many seconds for each warning and bound. Places that are impossible get
 * AU_SCAN_SOLVER; warnings their witness, or why not. */
au_status au_bmc_ask(au_refiner *k, uint32_t from, uint32_t upto, double seconds, au_error *err);

typedef struct {
    uint32_t layers;      /* >= 1 */
    uint32_t target[2];   /* steps of two threads, AU_NONE: none */
    bool no_spurious;     /* nobody wakes up without a signal */
    const uint8_t *exact; /* by step: those with 2 are not taken; NULL: all are */
    const bool *relevant; /* by variable: some condition depends on it; NULL: all */
    const bool *never;    /* by base[thread] + node: never reached; NULL */
    const uint32_t *base;
} au_unroll_options;

typedef struct {
    au_model *m;             /* its observed run is not filled in */
    AU_VEC(uint32_t) origin; /* by step: of the model with loops, AU_NONE: added here */
    AU_VEC(uint32_t) cut;    /* steps at which a thread would need more layers */
    uint32_t target[2];      /* the steps that stand for the places; AU_NONE: not reached */
} au_unrolled;

/* Borrows names of m. */
void au_unroll(const au_model *m, const au_unroll_options *o, au_unrolled *u);
void au_unrolled_release(au_unrolled *u);

#endif
