/* linear/linear.h: prediction in time linear in the trace.
 *
 * Every analysis here is a pass: it takes blocks of events as they come and gives
 * its findings at the end (or as it goes), in memory that depends on threads,
 * locks and variables and not on the length of the trace. The two that need the
 * whole trace (sync-preserving races and deadlocks) say so. */
#ifndef AU_LINEAR_LINEAR_H
#define AU_LINEAR_LINEAR_H

#include "base/error.h"
#include "trace/finding.h"
#include "trace/trace.h"

typedef enum {
    AU_BLOCKS_AUTO, /* what begin and end mark; if nothing is marked, critical sections */
    AU_BLOCKS_MARKED,
    AU_BLOCKS_CRITICAL, /* outermost critical sections without a condition wait */
    AU_BLOCKS_FUNCTION, /* outermost calls (call, ret) from a thread's first function */
    AU_BLOCKS_NONE
} au_block_kind;

/* Called for each finding as it is made (online use), before it is stored. May be NULL. */
typedef void au_found_fn(void *ctx, const au_finding *f);

/* --- must-happen-before: holds in every interleaving ---------------------------- */

/* Fork and join always; a semaphore or barrier only where counting leaves no other
 * partner; a condition never (a waiter may wake without a signal). Positions are
 * (thread, segment): a thread's events between two of its own fork, join, … events
 * are one segment, and all of a segment's events stand in the same relation to
 * those of other threads' segments. */
typedef struct au_must au_must;
au_must *au_must_new(void);
void au_must_free(au_must *m);
/* Where semaphores and barriers have their counts from: without names, and for objects that they
 * do not describe, there are no edges but those of fork and join. Borrowed; may grow. */
void au_must_use_names(au_must *m, const au_names *names);
void au_must_block(au_must *m, const au_block *b); /* feed every block, in order */
/* The same for one event, for who has to know the segment of each; only fork, join, up, down,
 * arrive, leave, init, and acq and rel of semaphores have an effect. True if the segment of
 * the thread's next event is a new one. */
bool au_must_event(au_must *m, au_op op, uint16_t thread, uint32_t obj);
/* The segment that the next event of this thread falls into. */
uint32_t au_must_segment(const au_must *m, uint16_t thread);
/* After the last block. Does everything of a's segment come before everything of b's? */
void au_must_finish(au_must *m);
bool au_must_before(const au_must *m, uint16_t a, uint32_t a_segment, uint16_t b,
                    uint32_t b_segment);
/* The same before au_must_finish, as far as the forks and joins so far tell. Slower. */
bool au_must_before_now(const au_must *m, uint16_t a, uint32_t a_segment, uint16_t b,
                        uint32_t b_segment);
/* After au_must_finish: is there any order between events of different threads? */
bool au_must_orders(const au_must *m);

#endif
