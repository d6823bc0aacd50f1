/* tsg/lives.h: when the threads that a thread forks are alive, seen from the forking thread.
 *
 * Followed are the ways of the forking thread, for one forked thread at a time, with what that depends on: whether it has been
 * forked, has been joined, and the values of the locals that decide (handles, flags). So
 *     while (…) { fork T; h := T; …; if (h == T) join T; }
 * leaves T alive only between its fork and its join, which no fact that holds on every path can say. A thread that
 * only this one forks is idle at a node if it is alive on no way there. Two threads that one thread forks, each only
 * where the other is idle, are never alive at a time. */
#ifndef AU_TSG_LIVES_H
#define AU_TSG_LIVES_H

#include "tsg/facts.h"

typedef struct {
    size_t words;
    uint64_t *idle;  /* by node of the forking thread: threads that are not alive there */
    uint64_t *apart; /* by thread: threads that are never alive while it is */
} au_lives;

/* Requires: nodes, forks and joins of f. */
void au_lives_make(au_lives *l, const au_facts *f);
void au_lives_release(au_lives *l);

#endif
