/* funnel/model_work.h: what the stages on a model hand to each other; between check_exact.c and check_weak.c. */
#ifndef AU_FUNNEL_MODEL_WORK_H
#define AU_FUNNEL_MODEL_WORK_H

#include "funnel/certify.h"
#include "funnel/exact.h"
#include "solve/unreached.h"

typedef struct au_model_work {
    au_queries all, asked;
    au_queries shown;     /* of those asked: an interleaving shows it */
    size_t open;          /* … and so many have no answer */
    AU_VEC(bool) ordered; /* of those asked: fork and join rule it out (--model locks) */
    au_cssa *c;
    au_unreached *u;              /* the stage 'interval'; NULL: it is left out */
    uint64_t by_ranges[AU_KINDS]; /* what it ruled out, with any number of switches */
    au_certify_items refuted;     /* --certify: by whichever stage */
} au_model_work;

#endif
