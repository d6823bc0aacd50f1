/* model/sync.h: synchronisation as guarded assignments. 'me' is thread + 1.
 *
 *   step               guard               updates
 *
 *   lock m             state m: owner or 0
 *     acq              m == 0              m := me
 *     rel              m == me             m := 0
 *   rlock m            state m: owner or 0, d: depth
 *     acq              m == 0 || m == me   m := me, d := d + 1
 *     rel              m == me             d := d - 1, m := d == 1 ? 0 : me
 *   rwlock m           state m: writer or 0, r: readers, h: my read holds
 *     rdacq            m == 0              r := r + 1, h := h + 1
 *     wracq            m == 0 && r == 0    m := me
 *     rel              m == me || h > 0    m == me: m := 0; else r := r - 1, h := h - 1
 *   sem s              state s: count
 *     acq              s > 0 (signed)      s := s - 1
 *     rel              true                s := s + 1
 *   cond c             state w: mine, 0 not waiting, 1 waiting, 2 signalled
 *     wait (1)         as rel m            as rel m, w := 1
 *     wait (2)         w == 2 && as acq m  w := 0, as acq m
 *     spurious         w == 1 && as acq m  w := 0, as acq m
 *     signal           w[t] == 1           w[t] := 2 (an edge for each t)
 *                      no w == 1           nothing (one more edge)
 *     broadcast        true                w[t] := w[t] == 1 ? 2 : w[t], all t
 *   barrier b = n      state a: arrived, g: generation, p: the one I wait for the end of
 *     arrive (1)       true                p := g, a := a + 1 == n ? 0 : a + 1,
 *                                          g := a + 1 == n ? g + 1 : g
 *     arrive (2)       g != p              nothing
 *   thread T           state started, done
 *     fork             started == 0        started := 1
 *     into the exit    (the step's own)    done := 1, and the step's own
 *     join             done == 1           nothing
 *
 * acq, rdacq, wracq, wait (2), arrive (2) and join block. 'try acq' and the like do not (au_sync_try): it is
 * the try that succeeded; where it would fail, the thread goes a way that is not in the model, and stops. A thread with a 'started'
 * variable takes no step while that is 0, and no guard repeats it: were it part of
 * the first step's guard, a first 'assume' that is false for good could not be told
 * from one that is not reached yet.
 *
 * A rel (or wait) whose guard does not hold is an unlock by a non-owner: the thread
 * stops for good, and it is a finding. So is an acq of a lock that its thread holds;
 * that one waits for itself, a deadlock of one. A fork of a started thread stops.
 * 'rel' of an rlock or a wait through one gives up one level only, as glibc does. A
 * wait goes through a lock, an rlock or a semaphore. A thread that signals cannot be
 * waiting, so its own w is left out of its signals and broadcasts.
 *
 * A cond's and barrier's waiting threads are those that have a wait or an arrive
 * on it anywhere: complete the sync steps with au_sync_finish once all threads
 * are built. */
#ifndef AU_MODEL_SYNC_H
#define AU_MODEL_SYNC_H

#include "model/model.h"

uint32_t au_model_add_sync(au_model *m, const char *name, au_obj_kind kind, int32_t init);

/* One call a primitive; wait and arrive need a node in the middle, which they
 * make. They return the id of the (first) step; the ids of one call follow each
 * other (wait: WAIT, WAKE, spurious WAKE; arrive: ARRIVE, LEAVE), so that the caller
 * can set label, line and block of all of them. */
uint32_t au_sync_acq(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t obj);
uint32_t au_sync_rel(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t obj);
uint32_t au_sync_rdacq(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t obj);
uint32_t au_sync_wracq(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t obj);
/* Of an acq, rdacq or wracq: it does not wait. */
void au_sync_try(au_model *m, uint32_t step);
uint32_t au_sync_wait(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t cond,
                      uint32_t lock);
/* Step 'wait' is the first of a wait: does it have a time? */
void au_sync_timed(au_model *m, uint32_t wait, bool timed);
uint32_t au_sync_signal(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t cond,
                        bool all);
uint32_t au_sync_arrive(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t barrier);
uint32_t au_sync_fork(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t child);
uint32_t au_sync_join(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t child);

/* Once, after the last step: signal edges for every waiter, broadcast updates,
 * done updates. Requires: every thread has its exit node (which is not its
 * entry and has no steps out of it). A signal is added as its "nobody waits" edge; here it gets
 * the others (same label, line, block) and its guard. */
void au_sync_finish(au_model *m);

#endif
