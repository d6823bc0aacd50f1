/* linear/misuse.h: wrong uses of synchronisation objects that a valid trace can hold.
 * One pass, memory by threads and objects.
 *
 *   detail (begins with)                          event
 *   lock destroyed while held                     destroy
 *   lock destroyed while a thread waits for it    destroy
 *   condition destroyed while a thread waits      destroy
 *   barrier destroyed while a thread waits        destroy
 *   object destroyed twice                        destroy
 *   use of a destroyed object                     the use. Only of objects that were made by an
 *                                                 init before: others may be made anew unseen
 *   lock made anew while held                     init
 *   lock held at thread exit                      exit, or the join of a thread without one
 *   recursive lock held through a condition wait  wait: its release gave up one level of several
 *   condition used with two locks at once         wait
 *   lock requested by its holder                  req, the last event of its thread: it waits for
 *                                                 itself. Not if the lock is known to be recursive
 *   join of a detached thread                     join
 *   lock acquired again by its holder             lockerr (what the recorder of a program told; the
 *   unlock of a lock not held                     operation had no effect)
 *   wait on a condition without its lock
 *   object destroyed while in use
 *   use of a destroyed object
 *   join of a thread that was joined, of a detached thread, of a thread by itself
 *   detach of a thread that was detached or joined
 *   cancellation of a thread that is gone
 *   lock operation that is an error               lockerr without a value
 * and, of kind deadlock,
 *   lock requested that an ended thread holds     req, the last event of its thread, which waits
 *                                                 for good
 *
 * Where another event has part in it (an acquire, a wait), the detail goes on with its
 * thread and place.
 *
 * As plain events, a release by a thread that does not hold the lock, a second acquire of
 * a lock that is not recursive and a wait without its lock are not here: a trace with
 * them is refused (trace/validate.h). What is told has happened in the run. Each is
 * told once for its object, thread and location. */
#ifndef AU_LINEAR_MISUSE_H
#define AU_LINEAR_MISUSE_H

#include "linear/held.h"
#include "linear/linear.h"

typedef struct au_misuse au_misuse;

/* names are borrowed and may grow; findings go to f, and to 'found' (may be NULL). */
au_misuse *au_misuse_new(const au_names *names, au_findings *f, au_found_fn *found, void *ctx);
void au_misuse_free(au_misuse *m);
void au_misuse_block(au_misuse *m, const au_block *b); /* every block, in order */
void au_misuse_finish(au_misuse *m);

/* The trace up to event[0] as the finding's schedule; none if it has more turns or if
 * the checker (witness/check.h) does not know what it shows: a lock destroyed while held
 * or held at exit and the two requests it knows. A lockerr has one, too, to be executed. */
void au_misuse_schedule(const au_trace *t, au_finding *f, au_arena *arena, uint32_t max_turns);

#endif
