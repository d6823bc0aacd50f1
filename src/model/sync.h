/* model/sync.h: synchronisation as guarded assignments. 'me' is thread + 1.
 *
 *   object          state                      step        guard               updates
 *   lock m          m: owner or 0              acq         m == 0              m := me
 *                                              rel         m == me             m := 0
 *   rlock m         m: owner, d: depth         acq         m == 0 || m == me   m := me, d := d + 1
 *                                              rel         m == me             d := d - 1, m := d
 * == 1 ? 0 : me rwlock m        m: writer, r: readers,     rdacq       m == 0              r := r +
 * 1, h := h + 1 h: my read holds           wracq       m == 0 && r == 0    m := me rel         m ==
 * me || h > 0    m == me ? m := 0 : r, h minus 1 sem s           s: count                   acq s >
 * 0 (signed)      s := s - 1 rel         true                s := s + 1 cond c          w: my
 * state: 0 no,         wait (1)    as rel m            as rel m, w := 1 1 waiting, 2 signalled wait
 * (2)    w == 2 && as acq m  w := 0, as acq m spurious    w == 1 && as acq m  w := 0, as acq m
 *                                              signal      w[t] == 1           w[t] := 2       (an
 * edge for each t) no w == 1           nothing         (one more edge) broadcast   true w[t] :=
 * w[t] == 1 ? 2 : w[t], all t barrier b = n   a: arrived, g: generation, arrive (1)  true p := g, a
 * := a + 1 == n ? 0 : a + 1, p: my generation                                           g := g + (a
 * + 1 == n) arrive (2)  g != p              nothing thread T        started, done              fork
 * started == 0        started := 1 first step  started == 1 (every step out of the entry) last step
 * every step into the exit also sets done := 1 join        done == 1           nothing
 *
 * acq, rdacq, wracq, wait (2), arrive (2) and join block; so does a step out of
 * the entry of a forked thread. A rel (or wait) whose guard does not hold is an
 * unlock by a non-owner: the thread stops for good, and it is a finding. So is an
 * acq of a lock that its thread holds; that one waits for itself, a deadlock of
 * one. A fork of a started thread stops. 'rel' of an rlock or a wait through one
 * gives up one level only, as glibc does.
 *
 * A cond's and barrier's waiting threads are those that have a wait or an arrive
 * on it anywhere: complete the sync steps with au_sync_finish once all threads
 * are built. */
#ifndef AU_MODEL_SYNC_H
#define AU_MODEL_SYNC_H

#include "model/model.h"

uint32_t au_model_add_sync(au_model *m, const char *name, au_obj_kind kind, int32_t init);

/* One call a primitive; wait and arrive need a node in the middle, which they
 * make. They return the id of the (first) step. */
uint32_t au_sync_acq(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t obj);
uint32_t au_sync_rel(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t obj);
uint32_t au_sync_rdacq(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t obj);
uint32_t au_sync_wracq(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t obj);
uint32_t au_sync_wait(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t cond,
                      uint32_t lock);
uint32_t au_sync_signal(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t cond,
                        bool all);
uint32_t au_sync_arrive(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t barrier);
uint32_t au_sync_fork(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t child);
uint32_t au_sync_join(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, uint32_t child);

/* Once, after the last step: signal edges for every waiter, broadcast updates,
 * started guards and done updates. Requires: every thread has its exit node, and
 * at least one step. A signal is added as its "nobody waits" edge; here it gets
 * the others (same label, line, block) and its guard. */
void au_sync_finish(au_model *m);

#endif
