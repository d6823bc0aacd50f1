/* scan/reach.h: the transaction graph (Kahlon et al. 2009, section 3) and invariants on it (section 4),
 * made together: a node is a tuple of boundaries, one for each thread in the focus, with what is known of the
 * values there; an edge is a transaction of one thread.
 *
 * The paper's algorithm 1 is stated for two threads. Here the focus is all threads, or two of them
 * where tuples of all would be too many. What threads outside the focus write can happen at every node
 * (the environment), as far as locks, fork and join let them be where they write (au_facts_meet) and the
 * values let their guards hold.
 *
 * 'reduce' is the partial-order reduction: where the transaction of a thread conflicts with nothing
 * that the others can do before it (paths that do not need a lock which the thread holds; nor anything of
 * the environment), can neither stop nor wait, and does not begin at the head of a loop, only that thread
 * moves. Every cycle then has a node where all move (a thread that comes round passes a head). It keeps
 * which steps are executed, which asserts fail, and which pairs of *conflicting* steps come to stand beside each
 * other: of an execution w that shows it, either w has the transaction, which can then be moved to
 * its front, or it has not, and then w can still be executed behind it and shows the same. Pairs that
 * do not conflict and values at nodes it does not keep: for those reduce = false.
 *
 * 'modes' tells nodes apart not only by where the threads stand but also by the values of a few variables
 * with few values: whether a thread that waits for a condition has been signalled, counts of
 * semaphores, shared variables that are only ever assigned a few constants (state flags). What a
 * join would forget of them is what synchronisation by conditions and flags lives on.
 *
 * Sound by construction: all of it may be too large, never too small. */
#ifndef AU_SCAN_REACH_H
#define AU_SCAN_REACH_H

#include "scan/cuts.h"
#include "scan/domain.h"
#include "tsg/rpt.h"

/* What is known for sure, from one analysis to the next. */
typedef struct {
    au_map apart; /* low node << 32 | high node: boundaries of conflicting steps that never meet */
    bool *never;  /* by node: its thread never gets there */
} au_scan_known;

void au_scan_known_init(au_scan_known *k, const au_facts *f);
void au_scan_known_release(au_scan_known *k);
bool au_scan_known_apart(const au_scan_known *k, uint32_t a, uint32_t b);

typedef struct {
    au_domain_kind domain;
    bool sync_only; /* follow the values of locks and so on, not those of variables */
    bool reduce;
    bool no_spurious; /* nobody wakes up without a signal */
    bool modes;
    const uint32_t *focus; /* threads, ascending; NULL: all */
    uint32_t n_focus;
    size_t most_nodes;    /* no result beyond; 0: no limit */
    const au_rpt *ranges; /* what the environment assigns; NULL: anything of the type. Borrowed */
    const bool *tracked;  /* by variable: those that matter, NULL: all */
    unsigned narrowings;  /* rounds of them */
    /* At the end, for every node; may be NULL. */
    void (*visit)(void *ctx, au_domain *d, const uint32_t *node, const au_abs *a);
    void *ctx;
    /* The same, with its number, and for every transaction: from one node to another, of the thread that begins and ends at
     * these nodes of the model (scan/show.h). NULL: nobody wants them. */
    void (*node)(void *drawing, uint32_t id, au_domain *d, const uint32_t *tuple, const au_abs *a);
    void (*edge)(void *drawing, uint32_t from, uint32_t to, uint32_t begins, uint32_t ends);
    void *drawing;
} au_reach_options;

typedef struct {
    bool known;                 /* false: too large, nothing below means anything */
    size_t nodes, edges, alone; /* of the graph; nodes where only one thread moves */
    au_map pair;    /* low node << 32 | high node: boundaries of two threads that meet */
    bool *at;       /* by node: some thread stands there at a boundary, or passes */
    bool *executed; /* by step: its guard can hold */
    bool *fails;    /* by step: the assert can fail */
    bool *stuck;    /* by step: it can wait, its guard not holding */
} au_reach;

/* Requires: k is of the same facts as c. Octagons and polyhedra: in a worker process only. */
void au_reach_make(au_reach *r, const au_cuts *c, const au_scan_known *k,
                   const au_reach_options *o);
void au_reach_release(au_reach *r);

static inline uint64_t au_scan_pair(uint32_t a, uint32_t b) {
    return a < b ? au_key2(a, b) : au_key2(b, a);
}

/* Variables that some guard, condition or branch depends on, by data: the others need not be
 * tracked. into: by variable. */
void au_scan_relevant(const au_model *m, bool *into);

#endif
