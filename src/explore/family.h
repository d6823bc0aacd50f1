/* explore/family.h: the runs of one program on one input, as one branching model.
 *
 * Every thread of the model is the tree of the ways that the thread took in some run. Where a run
 * decided (a branch on a term, a value that had to be pinned, a try that took or did not take its
 * lock, a wait that timed out), the other side is in the model, too: if some run took it, with
 * what followed there; else it leads to a *goal*, an ASSERT that always fails. So a goal can be
 * reached in an interleaving of the runs exactly if its assertion can fail (solve/solve.h), and
 * what no goal's question finds, no interleaving of this input does: an execution that leaves
 * the model leaves it at a goal.
 *
 * Threads are named by who made them ("T0", "T0.1", "T0.1.2": the second thread made by the first one
 * that main made), variables as in the trace but for heap objects, which are named by thread, place and
 * how many that thread had made there: names must not depend on the order of threads. */
#ifndef AU_EXPLORE_FAMILY_H
#define AU_EXPLORE_FAMILY_H

#include "record/replay.h"
#include "retrace/retrace.h"
#include "solve/solve.h"
#include "trace/finding.h"

typedef enum {
    AU_GOAL_BRANCH,   /* the side of a branch that no run took here */
    AU_GOAL_VALUE,    /* a value that no run had here, where the value was pinned */
    AU_GOAL_TRY,      /* a try that succeeds instead of failing, or fails */
    AU_GOAL_FIRST,    /* a thread is the first at a pthread_once where it was not */
    AU_GOAL_TIMEOUT,  /* a timed wait that ends by its time */
    AU_GOAL_SPURIOUS, /* a wait that nobody ended */
    AU_GOAL_END,      /* a thread goes on where every run that came there ended before it did */
    AU_GOAL_ASSERT    /* the program's own assertion fails (not a made step) */
} au_goal_kind;

typedef struct {
    au_goal_kind kind;
    uint32_t step; /* of the model: the ASSERT that fails if the goal is reached */
    uint64_t
        key; /* hash of the thread's way to it and the side: the same however the model grows */
    uint64_t site; /* hash of the place in the program and the side, whatever the way: coverage */
    uint32_t run;  /* on whose ways it lies (as added, from 0); AU_NONE: not known */
    bool seen;     /* a branch: some run took this side at this place, on another way */
    const char *file; /* "" if not known */
    uint32_t line;
    const char *text; /* "x > 3 is false": for a person; as long as the family's next change */
} au_goal;

typedef struct {
    unsigned checks, split; /* as au_retrace_options has them */
    uint64_t most_events;   /* longer runs are refused: AU_EUNSUPPORTED */
} au_family_options;

typedef struct au_family au_family;
au_family *au_family_new(const au_family_options *o);
void au_family_free(au_family *f);

/* Adds a recorded run. AU_EUNSUPPORTED: it cannot stand beside the others, and where in both (*err);
 * or it is too long, or there is no bitcode: then the family is as it was. *added (may be NULL): it
 * brought something new; false: every thread went a way that is already in the model. */
au_status au_family_add(au_family *f, const char *recording, bool *added, au_error *err);

/* The run that was added last was stopped while every thread waited or spun for good: "T1 spins at a.c:7, T2 …". NULL:
 * it was not. As long as the next run. */
const char *au_family_stuck(const au_family *f);

/* As long as the next change. The model has its observed run (the first recording's). */
const au_model *au_family_model(const au_family *f);
size_t au_family_goals(const au_family *f, const au_goal **goal);

/* Until the next change the model holds the ways of this run alone (as it was added, from 0), with those
 * goals of the whole that lie on them: a goal that is reached there is reached, and a small model is
 * asked much faster. */
void au_family_focus(au_family *f, uint32_t run);
/* Until the next change it is the whole model, with this run as the observed one. */
void au_family_observe(au_family *f, uint32_t run);

/* Until the next change it is the whole model without goals: where nobody went, threads stop. For
 * questions about what the runs do, not about what lies beyond. */
void au_family_plain(au_family *f);
/* Findings of that model (funnel/check_run.h), in events of the program: their schedules, events and values
 * count hooks, and threads have the numbers that they get on the finding's schedule. Then the
 * names of threads are T0, T1, …: names gets as many as there are. A deadlock that a thread could still
 * end by going another way becomes possible. */
void au_family_tell(const au_family *f, au_findings *findings, au_names *names);

/* A solution's schedule in the turns that the replay engine wants: (number of the thread in that
 * execution, hook count). Numbers follow the order in which the schedule makes threads. 'beyond': it leads to a
 * goal, so that a thread which was cut off at its end goes on from there; otherwise (a deadlock) it stays. */
au_status au_family_turns(const au_family *f, const au_solution *s, bool beyond, au_turns *turns,
                          au_error *err);

/* Coverage of conditional branches, by place in the program: sides seen in some run; of branches
 * that depend on what threads share, how many there are, and how many of their sides were seen. */
typedef struct {
    uint64_t runs, threads;
    uint64_t sides_seen;                 /* of any conditional branch */
    uint64_t open_branches, sides_taken; /* open: on a term in some run */
} au_family_counts;
void au_family_count(const au_family *f, au_family_counts *c);

/* Two accesses that may race and that no run had together, in words; NULL: there are none. The caller frees it.
 * told: a race on this variable is known already. The model is the plain one then. */
char *au_family_unseen_pair(au_family *f, bool (*told)(void *ctx, const char *var), void *ctx);

/* An update that may be lost between threads on ways that no run had together, in words; NULL: there is none. As above. */
char *au_family_unseen_lost(au_family *f, bool (*told)(void *ctx, const char *var), void *ctx);

/* Why "every interleaving was covered" must not be said although no goal is left, or NULL: knowledge
 * ended early in some run, code without bitcode ran, a run could not be added, …. */
const char *au_family_gap(const au_family *f);
/* Some run is one of OpenMP: another schedule would be another decision of libomp's, which nobody predicts. */
bool au_family_is_openmp(const au_family *f);

#endif
