/* trace/validate.h: is this sequence of events a possible run?
 *
 * One pass, memory by threads and objects only. The rules:
 *   - a lock is acquired only while no other thread holds it; its holder may
 *     acquire it again (recursion) unless the trace says that it is not
 *     recursive; it is released by its holder; read-write locks by mode (many
 *     readers or one writer; a reader does not become a writer); 'init' makes
 *     the object new and free;
 *   - a thread has no event before its fork, none after its join or exit, is
 *     forked and joined at most once, not by itself; a joined thread has had an
 *     event or a fork;
 *   - begin and end are balanced in each thread (open blocks at the end are fine:
 *     the run may have been cut); they are counted, their names are not compared;
 *   - wait comes right after a rel of its thread (they are one step of the
 *     program); a thread that waits has no event but the wake from that condition,
 *     and is not joined;
 *   - the same for arrive and leave of a barrier.
 * Locks held when the trace ends are fine. */
#ifndef AU_TRACE_VALIDATE_H
#define AU_TRACE_VALIDATE_H

#include "trace/event.h"

typedef struct au_validator au_validator;

/* names are borrowed and may grow between calls. */
au_validator *au_validator_new(const au_names *names);
void au_validator_free(au_validator *v);

/* Operations, threads and operands are in range (the decoders see to it).
 * Checks events from … b->n-1 and stops at the first bad one: returns its index
 * in the block (with the reason in 'why', which is not changed otherwise) or
 * b->n. A bad event has no effect: go on with the event after it to lint. */
size_t au_validator_block(au_validator *v, const au_block *b, size_t from, char *why,
                          size_t why_size);
/* Of the bad event at which the last call stopped: it forks a thread that was forked already, and nothing
 * else is wrong with it. */
bool au_validator_forks_again(const au_validator *v);

#endif
