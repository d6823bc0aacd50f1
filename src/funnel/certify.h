/* funnel/certify.h: certificates of what a check of a model has refuted (docs/certificates.md). */
#ifndef AU_FUNNEL_CERTIFY_H
#define AU_FUNNEL_CERTIFY_H

#include "funnel/exact.h"
#include "report/outcome.h"
#include "solve/query.h"
#include "verify/file.h"

typedef struct {
    au_query q;
    au_by_stage stage;
    const char *why; /* "", or why there is no certificate of it */
    uint32_t form;   /* AU_ASK_NONDET: AU_REF_FORM_…; step[1] is then what it saw in the run */
} au_certify_item;
typedef AU_VEC(au_certify_item) au_certify_items;

/* An empty list of refuted questions: what an earlier check left there does not count. It is unfinished, which augur verify
 * does not accept … */
au_status au_certify_begin(const char *dir, au_error *err);
/* … until the check has come to its end. */
au_status au_certify_finish(const char *dir, au_error *err);
/* Certificates of these questions of this model, added to plan->certify. What has none is listed with the reason,
 * and a note says how many have one. Proofs are made in workers, within the limits of the plan. */
au_status au_certify_add(const au_plan *plan, const au_model *m, const au_certify_items *items,
                         au_check_outcome *c, au_error *err);

/* The same for what the exact stage has just refuted, and what other stages have ruled out before it (may be NULL). */
au_status au_certify_answers(const au_exact *e, const au_certify_items *before, au_check_outcome *c,
                             au_error *err);
/* So many were refuted by the stage and are not listed: they have no certificate, for this reason. */
au_status au_certify_count(const au_plan *plan, au_by_stage stage, uint64_t n, const char *why,
                           au_error *err);
/* Why what is refuted under this plan has no certificate; "" if it may have one. */
const char *au_certify_not(const au_plan *p, const au_query *q, bool any_bound);

#endif
