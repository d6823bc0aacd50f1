/* funnel/checked.h: one trace or recording, from the file to its findings; for the commands that
 * check. */
#ifndef AU_FUNNEL_CHECKED_H
#define AU_FUNNEL_CHECKED_H

#include "funnel/check.h"
#include "report/dossier.h"
#include "trace/recording.h"

typedef struct {
    char *path;
    au_read_options read; /* as the trace was read */
    au_reader *reader;
    au_trace *trace;                 /* NULL: not yet, or streamed */
    const au_names *names;           /* of what has been read */
    const au_recording_facts *facts; /* NULL: no recording, or not yet run */
    au_check_outcome outcome;
} au_checked;

/* Opens the file; nothing is read yet. On an error there is nothing to release. */
au_status au_checked_open(au_checked *c, const char *path, const au_check_plan *p,
                          const au_read_options *read, au_error *err);
/* Everything the plan wants; findings in the order of au_checked_order. Once. Sets p->source
 * while it runs. */
au_status au_checked_run(au_checked *c, au_check_plan *p, au_error *err);
/* Into an empty dossier; after au_checked_run. */
void au_checked_dossier(const au_checked *c, au_dossier *d, const au_dossier_options *o);
void au_checked_release(au_checked *c);

/* By kind; of a kind the most certain ones first, then in the order of the trace: ids are given in
 * this order. first: only the most certain one of all is kept. */
void au_checked_order(au_findings *f, bool first);

#endif
