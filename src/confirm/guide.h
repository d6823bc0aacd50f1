/* confirm/guide.h: a schedule of the static model (lower/source.h), led on the compiled program.
 *
 * The static half knows steps of its model; a schedule that the runtime can follow counts executed
 * hooks. Between two steps of a thread the program executes hooks that the model has no steps for
 * (memory that nobody shares, calls), and how many is not known without running it. So it is run:
 * turn by turn, the turns so far and then the next thread as far as it can. In what that thread did, the
 * instructions of its steps are looked for one after the other, and the last one says where its
 * turn ends. Instructions have the same numbers in the model and in recordings: both come from the clean
 * module. Threads are known by the call that creates them. A turn costs one execution, some
 * milliseconds.
 *
 * When all turns are known, the schedule is executed once more and judged as any finding is
 * (confirm/judge.h), and the decisive events must be those of the steps. So nothing is confirmed by
 * a mistake made on the way: at worst the way is not found. */
#ifndef AU_CONFIRM_GUIDE_H
#define AU_CONFIRM_GUIDE_H

#include "confirm/confirm.h"
#include "lower/source.h"

/* What the model's schedule shows. All borrowed. */
typedef struct {
    const au_source *source;
    au_kind kind; /* race, assertion or deadlock */
    const uint32_t *step;
    size_t n;
    const uint32_t *event; /* steps of the decisive events; of races and deadlocks they come next */
    size_t n_events;
    const uint64_t *havoc; /* what was chosen where a step chooses, in order */
    size_t n_havoc;
    const char *id, *message; /* for the judge's words */
} au_way;

typedef struct {
    au_judgement judgement;
    au_dossier d; /* its one case: the schedule and the decisive events in hook counts … */
    bool found;   /* … whole: the program was led to the schedule's end */
    bool inexact; /* the judgement says that the schedule leads through code modelled by more */
    bool
        against; /* not confirmed, and nothing excuses it: all steps are exact, no input is needed, there was time */
    unsigned runs;   /* executions */
    int interrupted; /* the tool was told to stop by this signal; 0: no */
} au_guided;

/* On the program of a recording (its inputs, its arguments). The last execution is recorded in 'output'.
 * No execution begins after 'until' (au_now(); 0: no end). AU_OK whatever came of it; the caller releases g. */
au_status au_guide(au_stage_set *set, const au_way *w, const char *output, double until,
                   au_guided *g, au_error *err);
void au_guided_release(au_guided *g);

#endif
