/* solve/stuck.h: at which nodes a thread may wait for good, as far as locks and joins tell without a search.
 *
 * Who waits for a lock in a deadlock waits for one of its members that holds it where it waits itself, or for a thread that
 * has ended with it; who waits for a thread to end waits for a member, or for a thread that was never started. Nodes
 * without any such partner are taken out until none is left to take out. A program whose sections wait for nothing has no
 * node left then, and no deadlock. Other waits (conditions, semaphores, barriers, blocking guards) stay. */
#ifndef AU_SOLVE_STUCK_H
#define AU_SOLVE_STUCK_H

#include "solve/deadlock_priv.h"

/* By thread and node. may_wait: the nodes to begin with. */
bool **au_stuck_nodes(const au_dead *d,
                      bool (*may_wait)(const au_dead *d, uint32_t thread, uint32_t node));
void au_stuck_free(bool **nodes, size_t threads);

#endif
