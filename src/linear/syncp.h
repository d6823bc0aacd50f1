/* linear/syncp.h: the sync-preserving closure (Mathur et al., docs/papers.md), for races
 * and deadlocks. Needs the whole trace.
 *
 * A reordering of (a part of) the trace is correct if it keeps each thread's order, and
 * every read sees the write it saw; it is sync-preserving if critical sections of one
 * lock that are in it come in the order of the trace. The *ideal* of some events is the
 * smallest set with their causal past that is closed under
 *
 *   C1  thread order, fork before the child's first event, the child's last event
 *       before its join, a read's write before the read;
 *   C2  of two critical sections of one lock, not both shared, whose acquires are in
 *       the set, the earlier one's release is in the set;
 *   C3  synchronisation other than locks keeps its observed order: with a down, wake
 *       or leave all earlier operations on its object are in the set, with a later
 *       'once' the first, with a failed try the acquires of the holders, with an init
 *       all earlier operations on the object, with any later one the init.
 *
 * The events of an ideal in the order of the trace are a correct, sync-preserving
 * reordering; that is the schedule of everything found with it.
 *
 * An ideal is a number of events for each thread. au_syncp keeps
 *   4 bytes an event (its number in its thread),
 *   24 bytes a critical section,
 *   4 threads + 8 bytes whenever a thread learns of events of another thread that it
 *   did not know of (C1, C3), which is far less often than it reads. */
#ifndef AU_LINEAR_SYNCP_H
#define AU_LINEAR_SYNCP_H

#include "base/error.h"
#include "linear/held.h"
#include "trace/finding.h"
#include "trace/trace.h"

/* A trace prepared for closures. Immutable: several closures may use it at once. */
typedef struct au_syncp au_syncp;

/* Borrows the trace. NULL on failure (more than 2^32 - 2 events, or the time is over: base/deadline.h), *err set. */
au_syncp *au_syncp_new(const au_trace *t, au_error *err);
void au_syncp_free(au_syncp *s);

uint32_t au_syncp_threads(const au_syncp *s);
/* The event's number within its thread, from 1. */
uint32_t au_syncp_index(const au_syncp *s, size_t event);
au_event_ref au_syncp_ref(const au_syncp *s, size_t event);
/* Bytes it keeps, the trace itself not counted. */
size_t au_syncp_memory(const au_syncp *s);

/* Is a in the causal past of b (C1 and C3; not a itself)? Cheap, and implies
 * that a is in every ideal of b. */
bool au_syncp_before(const au_syncp *s, size_t a, size_t b);
/* Must a come before b can be next in its thread? As above without the write that a
 * read b itself saw. */
bool au_syncp_before_next(const au_syncp *s, size_t a, size_t b);

/* An ideal that grows. It may be reused: start empties it in time that does not depend on the
 * trace, and includes after a close go on from there, so a chain of growing ideals
 * costs about as much as the last of them. */
typedef struct au_ideal au_ideal;
au_ideal *au_ideal_new(const au_syncp *s);
void au_ideal_free(au_ideal *i);

void au_ideal_start(au_ideal *i); /* the empty set */
/* The event and its causal past. Not closed under C2 before au_ideal_close. */
void au_ideal_include(au_ideal *i, size_t event);
/* What must come before the event can be next in its thread: its causal past without
 * itself (and, of a read, without its write). */
void au_ideal_include_before(au_ideal *i, size_t event);
/* False: a lock that has to be released never is, no such reordering; the ideal then
 * contains everything. */
bool au_ideal_close(au_ideal *i);
/* Meant for after a close; before, 'true' is already final. */
bool au_ideal_contains(const au_ideal *i, size_t event);
/* How many events of each thread are in it. */
const uint32_t *au_ideal_clock(const au_ideal *i);
uint64_t au_ideal_size(const au_ideal *i);

/* The events of a closed ideal in the order of the trace. Time: up to the last event of
 * the ideal. With more than max_turns turns (0: no limit) the result is empty, though
 * the ideal may be empty as well (au_ideal_size). */
au_schedule au_ideal_schedule(const au_ideal *i, au_arena *arena, uint64_t max_turns);
/* The same as a cut, which borrows from the ideal until that changes. */
au_cut au_ideal_as_cut(const au_ideal *i);
/* … as one that is kept, whatever its length; NULL for recordings, whose schedules are told in hooks. */
const au_cut *au_ideal_cut(const au_ideal *i, au_arena *arena);

#endif
