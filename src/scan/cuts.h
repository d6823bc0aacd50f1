/* scan/cuts.h: where a thread can be interrupted: the boundaries of its transactions.
 *
 * A transaction is a step followed by steps that move to the left past everything that others may do
 * meanwhile (tsg/facts.h) and can neither stop nor wait. Boundaries are all other nodes: the entry, the
 * exit, heads of loops, and where a step goes out that does not move left, may stop or may wait.
 *
 * Why nothing is lost: from any state, let every thread that stands between boundaries run on to
 * the next one. It gets there, since no cycle avoids boundaries and nothing on the way stops or
 * waits; threads that stood at a boundary still stand there; and all these steps can be moved left, each to right
 * behind the step that began its transaction. So each reachable state of which two threads stand
 * at boundaries has one that runs along whole transactions and has these two there, too; and
 * if all stand at boundaries, it is that state. Two accesses that conflict and can meet do
 * not move left: both stand at boundaries. */
#ifndef AU_SCAN_CUTS_H
#define AU_SCAN_CUTS_H

#include "base/vec.h"
#include "tsg/facts.h"

/* Knows more than au_facts_meet: false if threads are never at these two nodes at a time. Only asked
 * for nodes with steps out of them that conflict. */
typedef bool au_cuts_meet(const void *ctx, uint32_t a, uint32_t b);

typedef struct {
    const au_facts *f;
    bool *boundary, *head; /* by node: head of a loop */
    uint32_t *rank;        /* by node: reverse postorder in its thread */
    bool *left;            /* by step: it moves left, never stops, never waits */
    uint32_t *number;      /* by node: which boundary, AU_NONE */
    AU_VEC(uint32_t) at;   /* the boundaries */
    /* The inside of transactions: nodes from at[i] on, that one first, each after all that lead to it:
     * inside[first[i]] … inside[first[i + 1] - 1]. */
    uint32_t *first;
    AU_VEC(uint32_t) inside;
} au_cuts;

/* meet may be NULL. dead: by step, never executed; may be NULL. */
void au_cuts_make(au_cuts *c, const au_facts *f, const bool *dead, au_cuts_meet *meet,
                  const void *ctx);
void au_cuts_release(au_cuts *c);

#endif
