/* tests/random/certified.h: the reference encoding (src/verify) against an answer. */
#ifndef CERTIFIED_H
#define CERTIFIED_H

#include "base/out.h"
#include "solve/solve.h"
#include "verify/ref.h"

typedef struct {
    uint64_t proofs, reasons, lines, weak; /* weak: refuted, and no certificate */
} certified_counts;

/* What refutes is certified, and a proof is accepted by the checker; what can happen is not, and has no reason against it.
 * false: what is wrong is in 'out'. */
bool au_certified_question(const au_model *m, bool whole, const au_ref_question *q,
                           au_answer answer, certified_counts *c, au_out *out);
bool au_certified(const au_model *m, bool whole, const au_query *q, au_answer answer,
                  certified_counts *c, au_out *out);

#endif
