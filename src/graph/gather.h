/* graph/gather.h: the same schedule with fewer turns.
 *
 * An order of events that was found event by event changes the thread all the time. Here a
 * thread goes on as long as it can without any read, lock or other object noticing: all
 * operations on a synchronisation object keep their order, and so do reads and writes of a
 * variable (reads between two writes may change places). */
#ifndef AU_GRAPH_GATHER_H
#define AU_GRAPH_GATHER_H

#include "trace/trace.h"

typedef struct au_gather au_gather;
au_gather *au_gather_new(const au_trace *t); /* borrows it */
void au_gather_free(au_gather *g);
/* In place. requires: a prefix of each thread's events, in an order that can be executed. */
void au_gather_order(au_gather *g, uint32_t *order, size_t n);

#endif
