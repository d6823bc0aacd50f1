/* report/schedule.h: what somebody wants to see executed, from a file.
 *
 * A schedule file is plain text, a turn a line:
 *
 *     # anything after a '#' is a remark
 *     T1 14            thread T1 runs until it has executed 14 of its events
 *     T2 3 spurious    … and its wait is ended without a signal (or: timeout)
 *
 * or JSON: an array of [thread, event] pairs (a third element "spurious" or "timeout"), an
 * object with such an array as "schedule" (a finding), or the output of `augur check
 * --format json`, from which a finding is taken by its id. Threads are named as in
 * `augur show` ("T1") or by their number. */
#ifndef AU_REPORT_SCHEDULE_H
#define AU_REPORT_SCHEDULE_H

#include "report/case.h"

/* Into an empty dossier: one case with a schedule; a bare one is no finding. 'id' NULL: the
 * file must hold one schedule, or one finding. More than one d->input: it is a schedule of several runs, whose
 * threads are numbered as it makes them. The number of turns is bounded by the size of the text. */
au_status au_schedule_read(au_dossier *d, const char *path, const char *id, au_error *err);
au_status au_schedule_parse(au_dossier *d, const char *text, size_t n, const char *name,
                            const char *id, au_error *err);
/* What au_schedule_parse does with JSON (case_read.c). */
au_status au_schedule_json(au_dossier *d, const char *text, size_t n, const char *name,
                           const char *id, au_error *err);
/* That there is nothing to execute, and why: AU_EUNSUPPORTED. */
au_status au_case_has_no_schedule(const au_case *c, au_error *err);
/* The number of a thread from its name: "T7", "7", "T7 (reader)"; false: it is no such name. */
bool au_schedule_thread(const char *name, uint32_t *number);

#endif
