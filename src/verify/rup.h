/* verify/rup.h: checks a proof that clauses have no solution.
 *
 * A line of the proof adds a clause or takes one away (DRAT, in its binary form). An added clause counts only
 * if it follows by unit propagation (RUP): with all its literals false, the clauses that are there give a
 * contradiction. The rule that needs more than that (RAT) is not accepted; nobody needs it here. */
#ifndef AU_VERIFY_RUP_H
#define AU_VERIFY_RUP_H

#include "verify/cnf.h"

typedef struct {
    uint64_t added, deleted; /* lines that were looked at */
    uint64_t line;           /* the line that is wrong, from 1 */
    const char *why;         /* "" if it is a proof */
} au_rup_result;

/* True: the clauses have no solution. */
bool au_rup_check(const au_cnf *c, const unsigned char *proof, size_t n, au_rup_result *r);

#endif
