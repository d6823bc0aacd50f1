/* witness/check.h: the independent checker of schedules.
 *
 * Executes a schedule on a trace (check_model.h: on a model), one event after the
 * other, under the semantics of locks, read-write locks, semaphores, conditions,
 * barriers, fork and join, and says whether it can be executed and whether it shows
 * what the finding says. Shares no code with the predictors: it must be small enough
 * to be believed. A finding is 'proved' only by its word.
 *
 * What a trace means:
 *   - a thread's events happen in program order, after its fork if the trace has it;
 *     a join needs the child's whole trace;
 *   - rel(m) wait(c) are one step: with the release the thread waits. A wake needs no
 *     signal, but it is noted if there was none for it;
 *   - a semaphore starts with the count and a barrier has the size that the trace
 *     says, or else the least count with which the trace is possible and as many
 *     places as threads arrived before the first one left;
 *   - only the first 'once' of the trace runs what it guards; the others need it;
 *   - 'init' makes an object new, and needs that nobody uses it (or the same use as in
 *     the trace); 'tryfail' is a read of the lock's state; req, begin, end, fence,
 *     detach, exit, alloc, free, destroy, calls, returns and lockerr do nothing. */
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
    AU_CHECK_STUCK,      /* an event of the schedule cannot be executed when its turn comes */
    AU_CHECK_UNFINISHED  /* the command's time was over before its end (base/deadline.h) */
} au_check_verdict;

/* What a lost update makes of its variable. */
typedef struct {
    uint64_t over;    /* what was there, written by another thread since the read */
    uint64_t wrote;   /* what is written over it … */
    uint64_t instead; /* … where the same computation on 'over' gives this */
} au_lost_values;

typedef struct {
    au_check_verdict verdict;
    bool reads_kept;     /* every read that something of its thread (or a decisive event) came
                      * after saw the write it saw in the trace, as far as it was executed */
    bool spurious;       /* a wake-up without a signal was needed */
    uint64_t step;       /* how many events were executed before the trouble */
    char why[256];       /* for a person; SHOWN: "" or that a spurious wake-up was needed */
    au_lost_values lost; /* models: of a lost update that is shown */
} au_check_result;

/* A trace prepared for checking many schedules: events by thread, the write each
 * read saw. Borrows t. Not for use by two threads at a time. */
typedef struct au_checker au_checker;
au_checker *au_checker_new(const au_trace *t);
/* NULL: the command's time was over before it was ready. */
au_checker *au_checker_new_in_time(const au_trace *t);
void au_checker_free(au_checker *c);

/* What a schedule has to show, and with it the order of a finding's decisive events:
 *   race       after its end the next events of the two threads are event[0] and event[1],
 *              accesses of one variable, one a write, not both atomic
 *   atomicity  event[0], event[1], event[2] are executed in this order and are one of the
 *              five patterns (that event[0] and event[2] are in one block is taken on trust)
 *   deadlock   after its end every thread of event[i] has event[i] next and cannot execute it
 *              (or it is the request of a lock that cannot be had), and only threads of
 *              the set could let it go on
 *   misuse     after its end event[0] is next and misuses its object: a lock released that
 *              is not held, taken twice or destroyed in use, a wait without a release; or it
 *              is the last of its thread, which then still holds a lock
 *   assertion  event[0], the last of its thread before the assertion, is executed (whether it
 *              fails is a question of values, which the checker of models answers)
 *   nondet     event[0] (a write; number UINT64_MAX: the initial value) is what event[1]
 *              (a read) sees, and in the trace it saw another
 *   lost       event[0], a read, event[1], another thread's write, and event[2], a write, are
 *              executed in this order (what is written is a question of values: as above)
 * Events are named by thread, index and number, which must agree. A schedule with an
 * unknown thread, a turn past its thread's end or one that runs no new event is
 * malformed: NOT_SHOWN. */
void au_checker_run(au_checker *c, const au_finding *f, au_check_result *r);

#endif
