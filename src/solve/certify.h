/* solve/certify.h: a proof that a reference encoding (verify/ref.h) has no solution.
 *
 * What the exact stage has refuted is refuted once more, over clauses that 'augur verify' makes by itself. Transitivity and
 * "no store in between" are added where a solution breaks them, as lemmas that the certificate lists. */
#ifndef AU_SOLVE_CERTIFY_H
#define AU_SOLVE_CERTIFY_H

#include "verify/ref.h"

typedef enum {
    AU_CERTIFY_PROVED, /* the proof is written */
    AU_CERTIFY_WEAK, /* the encoding has a solution: some rule that the exact stage has is not in it */
    AU_CERTIFY_OPEN,  /* out of time */
    AU_CERTIFY_FAILED /* the file cannot be written */
} au_certify_end;

/* Adds clauses to r, and lists why. true_of (AU_CERTIFY_WEAK): by question of au_ref_any, whether the solution
 * answers it with yes. until: of au_now, 0: no limit. Run it in a worker (base/worker.h). */
au_certify_end au_certify(au_ref *r, const char *proof, double until, au_ref_lemmas *lemmas,
                          bool *true_of);

#endif
