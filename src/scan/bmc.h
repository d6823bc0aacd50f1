/* scan/bmc.h: bounded model checking of the warnings that are left: the exact stage on unrollings.
 *
 * A thread is unrolled in layers: its back edges lead to the next layer, those of the last to a
 * step that nothing passes (the cut). So k layers hold every run that goes back less than k times in
 * each thread. The two places of a warning stand once each, behind a choice in every layer, so that one
 * question asks about all rounds. What cannot lead there any more is left out.
 * If nobody can reach a cut either, the answer 'no' holds for good. */
#ifndef AU_SCAN_BMC_H
#define AU_SCAN_BMC_H

#include "scan/refine.h"

au_status au_bmc_stage(au_refiner *k, au_error *err);

typedef struct {
    au_model *m;
    AU_VEC(uint32_t) origin; /* by step: of the model with loops, AU_NONE: added here */
    AU_VEC(uint32_t) cut;    /* steps at which a thread would need more layers */
    uint32_t target[2];      /* steps that stand for the two places; AU_NONE */
} au_unrolled;

/* layers >= 1. target: steps, AU_NONE none. drop: by step, never executed, may be NULL. */
void au_unroll(const au_model *m, uint32_t layers, const uint32_t target[2], const bool *never,
               au_unrolled *u);
void au_unrolled_release(au_unrolled *u);

#endif
