/* report/dossier.h: what a check found as a dossier (report/case.h). */
#ifndef AU_REPORT_DOSSIER_H
#define AU_REPORT_DOSSIER_H

#include "report/case.h"
#include "report/of_model.h"
#include "report/outcome.h"
#include "trace/reader.h"
#include "trace/recording.h"

typedef struct {
    const char *const *input; /* what the check was asked about; borrowed during the call */
    size_t n_inputs;
    double seconds; /* that it took */
    size_t steps; /* of an order of events, at most; 0: no orders. With many cases they get fewer */
    bool sources; /* lines of source files */
    size_t
        most; /* only the first so many cases of a kind are shown: the others have no schedule and no locks; 0: all */
} au_dossier_options;

/* A trace or recording that was checked, and what came of it. All borrowed. */
typedef struct {
    const char *path;
    au_reader *reader;               /* NULL: the trace was not read */
    const au_trace *trace;           /* NULL: it was streamed */
    const au_names *names;           /* of what has been read */
    const au_recording_facts *facts; /* NULL: no recording */
    const au_check_outcome *outcome;
} au_dossier_subject;

/* Into an empty dossier. Case i is finding i of the outcome, with the id that 'augur check' gives
 * it. */
void au_dossier_of_check(au_dossier *d, const au_dossier_subject *c, const au_dossier_options *o);
/* The same for a model; c and the view belong together. */
void au_dossier_of_model(au_dossier *d, const au_check_outcome *c, const au_model_view *view,
                         const au_dossier_options *o);

/* A case was executed on the program, and this is the recording of it: the witness becomes what
 * really happened, values and all. The case stays as it is if that is not to be had (*err says
 * why). */
au_status au_dossier_of_replay(au_dossier *d, au_case *c, const char *recording,
                               const au_dossier_options *o, au_error *err);

/* A run failed without an event that says so, and c is about that: its order beside that of a run that did not ("" if there
 * is none), where it ended, and the first read of that thread that saw something else. Its fingerprint stays.
 * (dossier_ended.c) */
void au_dossier_of_ended(au_dossier *d, au_case *c, const char *failing, const char *passing,
                         const au_dossier_options *o);

/* Through which calls threads came to the events of cases of recordings, for all that have none yet:
 * every recording is followed once more, up to the last of these events. What is not to be had (no
 * bitcode, a very long run) stays empty. (dossier_callers.c) */
void au_dossier_find_callers(au_dossier *d);

/* Lines of source for all that the cases say now (au_dossier_sources): once more after replays. A
 * recorded program may name any file; a trace from elsewhere only files beside it and below here. */
void au_dossier_find_sources(au_dossier *d);

#endif
