/* linear/schedule.h: concrete schedules for predicted atomicity violations.
 *
 * The meta-analysis says that a thread can stand at a position e between e1 and e2
 * while another stands right after f. Here the way there is laid down, and on to
 * e2: first what both need of other threads (whoever forks them, whom they join, who
 * gives the semaphore), with the acquisitions of locks that stay held ordered by the
 * histories (Kahlon et al. 2005), then f, then the rest. Needs the whole trace.
 *
 * A schedule that leaves every read its writer is preferred, as that is what the
 * checker (src/witness) calls proved. What comes out here is a proposal: the checker
 * has the last word. */
#ifndef AU_LINEAR_SCHEDULE_H
#define AU_LINEAR_SCHEDULE_H

#include "linear/linear.h"

/* A trace prepared for many schedules: events by thread, who waits for whom, the write
 * that each read saw. Borrows t. NULL if the trace has 2^32 events or more, or the command's time
 * is over (base/deadline.h). */
typedef struct au_scheduler au_scheduler;
au_scheduler *au_scheduler_new(const au_trace *t);
void au_scheduler_free(au_scheduler *s);

typedef enum {
    AU_SCHEDULE_NONE,       /* could not get to e2: au_finding_why says what was in the way */
    AU_SCHEDULE_LOCKS,      /* there is one, in which some read sees another write */
    AU_SCHEDULE_KEEPS_READS /* every read before the decisive events keeps its writer */
} au_schedule_outcome;

/* Fills f->schedule (memory from home). f is an ATOMICITY finding of this trace with e1, f,
 * e2. A schedule without
 * spurious wake-ups is preferred; one that needs them says so (AU_WHY_SPURIOUS). Time: the length of the prefixes it has to execute, a few times. */
au_schedule_outcome au_atomicity_schedule(au_scheduler *s, au_findings *home, au_finding *f);

#endif
