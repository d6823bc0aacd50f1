/* model/from_trace.h: a concurrent trace program from a trace with values.
 *
 * Every event becomes one step of its thread, in the observed order. A read of x
 * that saw v becomes 'assume x == v' (nothing is known about how the value is
 * used: it is pinned), a write 'x := v', synchronisation itself. Initial values
 * are what the first read before any write saw, else 0. Values wider than 32 bits
 * are an error with the event; an access without a value: AU_EUNSUPPORTED with
 * the event. Events outside the model's vocabulary (fence, alloc …) are left out;
 * their numbers are counted. begin/end mark atomic blocks. */
#ifndef AU_MODEL_FROM_TRACE_H
#define AU_MODEL_FROM_TRACE_H

#include "base/error.h"
#include "model/model.h"
#include "trace/trace.h"

/* step_of (may be NULL) gets, for each event, its step or AU_NONE. Caller frees both. */
au_model *au_model_from_trace(const au_trace *t, uint32_t **step_of, au_error *err);

#endif
