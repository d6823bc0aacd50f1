/* model/from_trace.h: a concurrent trace program from a trace with values.
 *
 *   events of a thread            become
 *   r(x) v                        assume x == v (nothing is known about how the value
 *                                 is used: it is pinned)
 *   w(x) v                        x := v
 *   ar, aw                        the same as one indivisible access
 *   rmw(x) v                      one indivisible step: x held what it held then, x := v
 *   acq rel rdacq wracq down up fork join signal broadcast
 *                                 themselves
 *   rel(m) wait(c)                one WAIT step, where the rel stands
 *   wake(c) acq(m)                one WAKE step, where the acq stands; spurious if no
 *                                 signal of the run was its
 *   arrive(b), leave(b)           ARRIVE and LEAVE
 *   once(o)                       the first sets a variable, the others wait for that
 *   tryfail(m)                    assume that m is taken (left out if it was free)
 *   req(m)                        nothing, but the last event of a thread is an ACQ
 *                                 that the observed run does not take
 *   begin, end                    mark an atomic block
 *   fence init destroy detach exit alloc free call ret xcall xret lockerr
 *                                 nothing: their step_of is AU_NONE
 *
 * What the trace does not say is judged by use: an object of unknown kind is a lock,
 * recursive if its holder takes it again, or what its operations say; a semaphore
 * starts with the least count with which the run is possible, a barrier has as many
 * places as threads arrived before the first one left. An initial
 * value is what the first read before any write saw, else 0; of a recorded program, where
 * it is not known, something that no read saw.
 * docs/model.md says what that means for what is predicted. A variable has 32 bits, 64 if
 * some value of it needs more.
 *
 * Errors name the event. AU_EUNSUPPORTED: an access without a value, an rmw before which
 * nothing tells what it replaced, a read that saw what no event wrote, a wait through a
 * read-write lock. AU_EFORMAT: no run has these events
 * in this order. */
#ifndef AU_MODEL_FROM_TRACE_H
#define AU_MODEL_FROM_TRACE_H

#include "base/error.h"
#include "model/model.h"
#include "trace/trace.h"

/* step_of (may be NULL) gets, for each event, its step or AU_NONE. Caller frees both. */
au_model *au_model_from_trace(const au_trace *t, uint32_t **step_of, au_error *err);

/* The same, but r(x) v becomes r := x, assume r == v (step_of is the first of the two): a
 * read happens whatever it sees, and only what follows in its thread needs the value. So a
 * decisive event may be a read that sees another value than in the run. */
au_model *au_model_from_trace_open(const au_trace *t, uint32_t **step_of, au_error *err);

#endif
