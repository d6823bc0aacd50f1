/* witness/check.h: the independent checker of schedules.
 *
 * Executes a schedule on a trace (or a model), one event after the other, under
 * the semantics of locks, read-write locks, semaphores, conditions, barriers,
 * fork and join, and says whether it can be executed and whether it shows what
 * the finding says. Shares no code with the predictors: it must be small enough
 * to be believed. A finding is 'proved' only by its word. */
#ifndef AU_WITNESS_CHECK_H
#define AU_WITNESS_CHECK_H

#include "base/error.h"
#include "trace/finding.h"
#include "trace/trace.h"

typedef enum {
    AU_CHECK_SHOWN,      /* executed, shows the finding, and every read up to the decisive
                          * events saw the write it saw in the trace: proved */
    AU_CHECK_LOCKS_ONLY, /* executed and shows it, but a read saw another write: possible */
    AU_CHECK_NOT_SHOWN,  /* executed, but at its end the finding is not there */
    AU_CHECK_STUCK       /* an event of the schedule cannot be executed when its turn comes */
} au_check_verdict;

typedef struct {
    au_check_verdict verdict;
    uint64_t step; /* how many events were executed before the trouble */
    char why[256]; /* for a person */
} au_check_result;

/* A trace prepared for checking many schedules: events by thread, the write each
 * read saw. Borrows t. */
typedef struct au_checker au_checker;
au_checker *au_checker_new(const au_trace *t);
void au_checker_free(au_checker *c);

/* What a schedule has to show (design section 2):
 *   race       after its end the next events of the two threads are event[0] and event[1]
 *   atomicity  event[0], event[1], event[2] are executed in this order
 *   deadlock   after its end every thread of event[i] has event[i] next and cannot execute it,
 *              and they wait for each other
 *   misuse     after its end event[0] is next
 *   nondet     event[0] (a write, or none) is what event[1] (a read) sees
 * A schedule with turns that run no new event is malformed: NOT_SHOWN. */
void au_checker_run(au_checker *c, const au_finding *f, au_check_result *r);

#endif
