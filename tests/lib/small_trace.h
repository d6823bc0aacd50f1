/* tests/lib/small_trace.h: traces written in a test. */
#ifndef AU_TESTS_SMALL_TRACE_H
#define AU_TESTS_SMALL_TRACE_H

#include "trace/trace.h"

/* "T1 w x 5; T2 r x 5; T1 end": thread, operation, operand, value or nothing. An unknown
 * operation aborts. The caller frees it (au_trace_free). */
au_trace *au_small_trace(const char *text);
/* The same, its events at locations first, first + 1, … */
au_trace *au_small_trace_at(const char *text, uint32_t first);
void au_small_trace_kind(au_trace *t, const char *lock, uint8_t kind, int32_t init);

#endif
