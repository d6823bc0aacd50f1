/* tsg/complete.h: what makes a set of transactions and switches adequate. */
#ifndef AU_TSG_COMPLETE_H
#define AU_TSG_COMPLETE_H

#include "tsg/mat.h"

/* Marks more boundaries until no transaction between two of them has more than one point at
 * which others can see it (Lipton), can end or wait behind that point, or goes round. */
void au_complete_boundaries(const au_facts *f, bool *boundary);

/* Only the last: every cycle has a boundary. */
void au_complete_cycles(const au_facts *f, bool *boundary);

/* Switches between boundaries that let every behaviour run with transactions whole. */
void au_complete_switches(const au_facts *f, const bool *boundary, bool first_wins,
                          au_switch_vec *into);

/* The paper's own case: two threads of plain steps with well used locks, one at a time,
 * neither of which can stop or wait for good. There MATs are enough. */
bool au_complete_plain(const au_facts *f);

#endif
