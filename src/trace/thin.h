/* trace/thin.h: of a long recording, the accesses that tell something.
 *
 * A loop that reads a variable a million times says no more than its first and its last read, as long as nothing
 * comes between them that another thread could notice. So of a recording with many accesses of shared memory
 * (AU_LIMIT_THINNED) those of one operation, by one thread, of one cell, from one place (and with it alone or with others beside it), in one
 * *epoch* are kept as
 * first and last. An epoch of a thread ends
 *   - with every event that is no plain access: locks, conditions, fork and join, atomic blocks, calls; and when the
 *     run is told something (replies.h);
 *   - behind a read that sees another thread's write, unless that write is in the thread's past already, and
 *     behind a write that such a read sees;
 *   - of atomics, behind each one that another thread's follows, and behind that one.
 * So inside of an epoch a thread neither learns of others nor is noticed by them: what is ordered before (after) one
 * access of it is ordered before (after) all of them, but for its end. And a cell's accesses are begun anew when another
 * thread conflicts with them: between a first and a last no other thread writes the cell, or touches it if these
 * are writes. An access that is left out can therefore be moved to the kept one before it or after it without
 * anybody seeing another value: every schedule of the kept events is one of the run.
 *
 * Which hooks end an epoch is known only when the whole run has been seen: the survey
 * finds them on its way (thin_epochs.c). The events then come out in the order of the run (thin.c), later than they were
 * read: as soon as it is clear that they are the last of their kind. When too many wait, for
 * a thread that does not run or a long epoch, all epochs are ended: more is kept then than need be, never less.
 *
 * The accesses of a thinned trace have no values: a read may have seen a write of its thread that was left out. Hooks keep
 * their numbers (hooks.h).
 *
 * Memory: by kept events; 24 bytes a touched word for the survey, 64 for each group of the present epochs. */
#ifndef AU_TRACE_THIN_H
#define AU_TRACE_THIN_H

#include "trace/cells.h"
#include "trace/event.h"
#include "trace/hooks.h"
#include "trace/stream.h"

/* ---- which hooks end an epoch: thin_epochs.c ---- */

typedef AU_VEC(uint64_t) au_epoch_ends; /* numbers of hooks, ascending, of one thread */
typedef struct {
    AU_VEC(au_epoch_ends) thread;
    bool on;           /* somebody wants to know */
    uint64_t accesses; /* of shared words whose lifetime has ended; in the end, of all */
    au_pages words;
    au_map known; /* thread << 16 | other thread -> so many hooks of it lie in its past */
} au_epochs;

void au_epochs_init(au_epochs *e);
void au_epochs_release(au_epochs *e);
/* The next event of the run, in its order. */
void au_epochs_access(au_epochs *e, const au_stream_record *r);
/* After an access of [address, …) in one word: so often the same by the same thread, the last time as its event 'hook', and
 * nobody else did anything in between. */
void au_epochs_again(au_epochs *e, uint64_t address, bool write, uint16_t thread, uint64_t hook,
                     uint32_t times);
/* A thread frees [at, at + n): a write of what was touched there. */
void au_epochs_free_range(au_epochs *e, const au_stream_record *r, uint64_t at, uint64_t n);
/* A new object is about to lie here; the survey says of which words the lifetime ends, and which were shared. */
void au_epochs_begin(au_epochs *e, const au_survey *s, uint64_t at, uint64_t n);
void au_epochs_forked(au_epochs *e, const au_stream_record *r); /* FORK, JOIN */
/* After the last one; memory but for the answer is given back. */
void au_epochs_done(au_epochs *e, const au_survey *s);

/* ---- the events that are kept: thin.c ---- */

typedef struct au_thin au_thin;

/* ends: borrowed, complete. most: so many events may wait, about; 0: as many as is good. */
au_thin *au_thin_new(const au_epochs *ends, uint64_t most);
void au_thin_free(au_thin *t);
/* The next hook of the run: number 'hook' of its thread, with the events of c. glued: as of au_hooks_note. */
void au_thin_hook(au_thin *t, uint16_t thread, uint64_t hook, const au_columns *c, bool glued);
/* The same of a hook that is not glued: one plain access of one cell; no event. */
void au_thin_access(au_thin *t, uint16_t thread, uint64_t hook, uint8_t op, uint32_t var,
                    uint32_t loc);
void au_thin_nothing(au_thin *t, uint16_t thread, uint64_t hook);
/* As au_hooks_reply. */
void au_thin_reply(au_thin *t, uint16_t thread, au_libc_reply kind);
/* Thread 'to' runs now. at_point: where 'from' stopped, a step has ended. */
void au_thin_turn(au_thin *t, uint16_t from, uint16_t to, bool at_point);
/* There are no more. */
void au_thin_end(au_thin *t);
/* Events that are certain by now, at most 'most' but whole hooks: into c, and noted in h. Gives how many. */
size_t au_thin_take(au_thin *t, au_columns *c, au_hooks *h, size_t most);
/* Events that may be certain: it is worth asking. */
bool au_thin_has(const au_thin *t);
uint64_t au_thin_left_out(const au_thin *t); /* accesses, so far */

#endif
