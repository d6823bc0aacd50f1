/* trace/trace.h: a whole trace in memory, as columns. Immutable once loaded, so
 * any thread may read it. */
#ifndef AU_TRACE_TRACE_H
#define AU_TRACE_TRACE_H

#include "trace/hooks.h"
#include "trace/reader.h"

typedef struct {
    au_columns events;
    au_names names;
    bool incomplete;
    bool cut; /* the time was over (base/deadline.h): the events before are here */
    au_repairs repairs;
    au_hooks hooks; /* of a recording; empty: an event's index is what schedules speak of */
} au_trace;

/* Caller owns the result (au_trace_free). NULL on failure, *err set. */
au_trace *au_trace_load(const char *path, const au_read_options *opts, au_error *err);
/* Reads r to its end; r stays the caller's, but its names move into the trace. */
au_trace *au_trace_load_from(au_reader *r, au_error *err);
void au_trace_free(au_trace *t);

/* Can the schedule of this finding, of events, be carried out hook by hook (hooks_split.c)? */
typedef struct au_hooks_view au_hooks_view; /* a trace, prepared for many schedules; borrows it */
au_hooks_view *au_hooks_view_new(const au_trace *t);
void au_hooks_view_free(au_hooks_view *v);
bool au_hooks_hold(au_hooks_view *v, au_finding *f);

#endif
