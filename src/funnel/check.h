/* funnel/check.h: the whole check of one input, stage by stage, for the commands that check. */
#ifndef AU_FUNNEL_CHECK_H
#define AU_FUNNEL_CHECK_H

#include "graph/nondet.h"
#include "linear/atomicity.h"
#include "linear/linear.h"
#include "model/model.h"
#include "model/semantics.h"
#include "record/stacks.h"
#include "report/of_model.h"
#include "report/outcome.h"
#include "report/report.h"
#include "trace/reader.h"

/* The exact stage: what an interleaving is, and how long to think about one question. */
typedef struct {
    int last;       /* the last stage, AU_STAGE_SOLVER if all */
    unsigned props; /* AU_PROP_* */
    au_atomic_blocks atomic;
    au_semantics semantics;
    bool whole;                 /* --no-prefix */
    uint32_t bound_from, bound; /* changes of thread, iteratively; AU_NONE: no bound */
    bool cadical, z3;           /* backends; both: they must agree */
    bool first;                 /* stop at the first finding */
    unsigned jobs;
    double seconds;             /* a question */
    uint64_t memory;            /* bytes a worker; 0: no limit */
    struct au_answers *answers; /* of a check in shards (answers.h); NULL: it is not */
    size_t window;      /* longer runs are looked at in windows of so many steps; 0: never */
    bool full_widths;   /* all bits of every value */
    bool transactions;  /* ordered as one event each */
    const char *dump;   /* directory or NULL */
    char *const *reach; /* "file:line" */
    size_t n_reach;
} au_exact_plan;

/* What to look for and how hard; from the options. */
typedef struct {
    bool race, atomicity, deadlock, locks, nondet;
    au_block_kind blocks;
    bool all;           /* every pair of events or locations, not one of each kind */
    bool stream;        /* one pass in bounded memory: no schedules */
    uint64_t budget;    /* events that schedules may run to, all together */
    au_found_fn *found; /* online: told as it goes; may be NULL */
    void *ctx;
    bool values;     /* nondeterminism: another write of the same value does not count … */
    bool pairs;      /* … observed pairs of signal and wake are kept … */
    uint64_t effort; /* … and this much work, in events; 0: no limit */
    au_exact_plan exact;
    unsigned checks, split;                   /* of the knowledge of a recording: see knowledge.h */
    const struct au_knowledge_source *source; /* while it runs: NULL: no program to ask */
} au_check_plan;

/* The whole trace in memory: findings get schedules, and the checker's word. */
au_status au_check_trace(const au_check_plan *p, const au_trace *t, au_check_outcome *c,
                         au_error *err);
/* Every question that a model raises, by the exact stage. view must be of m, and outlive c. */
au_status au_check_model(const au_exact_plan *p, const au_model *m, const au_model_view *view,
                         au_check_outcome *c, au_error *err);
/* What the linear stages left open on a trace with values: races and broken blocks that
 * are only possible get decided where they can be; of a recording, assertions, too. */
au_status au_check_open(const au_check_plan *p, const au_trace *t, au_check_outcome *c,
                        au_error *err);
/* Drops possible races and broken blocks that the causality graph refutes (check_filter.c);
 * with --all lists them as refuted. */
au_status au_check_filter(const au_check_plan *p, const au_trace *t, au_check_outcome *c,
                          au_error *err);
/* Reads that can see another write (check_graph.c). */
au_status au_check_nondet(const au_check_plan *p, const au_trace *t, au_check_outcome *c,
                          au_error *err);
/* check_run.c: a failed assertion or a deadlock of the recorded run is a finding as well. t: NULL if
 * the trace was streamed; facts: NULL if it is no recording; stacks: where the threads stood, NULL if
 * that is not known. After everything else. */
struct au_recording_facts;
void au_check_failed_run(const au_trace *t, const struct au_recording_facts *facts,
                         const au_stacks *stacks, au_check_outcome *c);
/* One pass over the reader's blocks. */
au_status au_check_stream(const au_check_plan *p, au_reader *r, au_check_outcome *c, au_error *err);

/* ---- closed.c ---- */

/* After these steps threads are at 'next', waiting for each other: can nobody else end it? */
typedef enum {
    AU_CLOSED,           /* all wait for locks that they hold, or for the end of one of them */
    AU_CLOSED_OPEN,      /* … but somebody else holds one, too */
    AU_CLOSED_NOT_LOCKS, /* some wait for what anybody could give: a semaphore, a signal */
} au_closed;
au_closed au_deadlock_closed(const au_model *m, const uint32_t *step, size_t n,
                             const uint32_t *next, size_t n_next);

#endif
