/* explore/explore.h: one run of the user's becomes, within a budget, all runs of that input.
 *
 * The first run is recorded and becomes a family (family.h), whose goals are the sides of branches that
 * no run took, the values that no run saw where they had to be pinned, and the program's assertions.
 * Whether an interleaving reaches a goal is asked of the exact stage (predict.c); if one does, the
 * program is executed on its schedule and recorded (execute.c), and the new run joins the
 * family, which then has other goals (search.c). What is found on the way becomes a dossier
 * (found.c), and at the end it is said what was covered (tell.c). See docs/exploration.md. */
#ifndef AU_EXPLORE_EXPLORE_H
#define AU_EXPLORE_EXPLORE_H

#include "confirm/outcome.h"
#include "funnel/plan.h"
#include "record/record.h"
#include "report/case.h"

typedef struct {
    const au_program *program; /* ready to be started; its plan is that of the first run */
    const au_feed *feed;       /* standard input of every run; NULL: the tool's own */
    bool feed_whole;           /* that is all there was */
    const char *keep;          /* directory for recordings, made when the first is written … */
    bool keep_all;             /* … of all runs, else only of those that findings belong to */
    /* The first run is the user's recording: it may be ended by SIGINT, and from its end on there is so much
     * time (seconds; 0: no limit). Otherwise the time that there is (base/deadline.h) counts already. */
    bool records;
    double budget;
    uint64_t max_runs;   /* 0: no limit */
    unsigned jobs;       /* questions asked at once; 0: as many as there are cores */
    bool random;         /* after its schedule a run goes on at random, else non-preemptively */
    uint64_t seed;       /* for that */
    bool spurious;       /* wake-ups that nobody gave count as much as anything else; else only
                                * where they lead to places and failures that nothing else leads to */
    bool sandbox;        /* each run in its own copy of the working directory … */
    const char *omit;    /* … but for this in it (absolute); NULL: but for 'keep' */
    bool first;          /* stop at the first finding */
    uint64_t max_events; /* of a run; 0: ten times those of the first, but at least 20000 */
    double run_seconds;  /* that a run may take; 0: no limit */
    uint64_t
        stop_after; /* nanoseconds after which the first run is whole, others after twice as many; 0: at its end */
    double question_seconds; /* that a question may take */
    uint64_t memory;         /* bytes a worker; 0: no limit */
    const au_plan *check;    /* for every run that brought something new; NULL: none is checked */
    unsigned checks, split;  /* as au_retrace_options has them */
    au_compare compare;      /* how what runs tell the world is compared */
    /* Told as it goes: a line about each run, without new line. May be NULL. */
    void (*tell)(void *ctx, const char *line);
    void *ctx;
    /* Called with all that was found, before it is written beside the recordings; NULL: nothing more is done with it. */
    void (*last)(void *ctx, au_dossier *d);
    void *last_ctx;
} au_explore_options;

typedef struct {
    uint64_t runs;     /* executed, the first one among them */
    uint64_t ways;     /* distinct behaviours: runs that brought something new */
    uint64_t repeated; /* runs that did not */
    uint64_t diverged; /* runs that did not follow their schedule */
    uint64_t missed;   /* runs that followed it but did not reach their goal */
    uint64_t stopped;  /* by the limit of events or seconds */
    uint64_t apart;    /* could not be merged with the others */
    uint64_t asked, reachable, unreachable, unanswered; /* questions */
    uint64_t lazy;   /* goals that only such wake-ups reach, and that were left out */
    uint64_t goals;  /* sides and values that are left */
    uint64_t proved; /* of them, those that no interleaving of this input reaches */
    uint64_t sides_seen, open_branches, sides_taken; /* as au_family_counts has them */
    uint64_t never;             /* sides of open branches, by place, that no interleaving reaches */
    uint64_t checked, to_check; /* runs that went through the funnel, and that should have */
    double seconds, run_seconds, ask_seconds, add_seconds, check_seconds; /* in all */
    double run_median, ask_median; /* seconds of one run, of one question that was answered */
    bool every;                    /* every interleaving of this input was covered */
    bool calm;                     /* every one without wake-ups that nobody gave */
    bool interrupted;              /* by a signal */
    int first_status;              /* waitpid's, of the first run */
} au_explored;

/* d is initialised and gets the cases, notes, what is inconclusive, and 'explored'. AU_OK if the first run was
 * executed, whatever came of the rest. Fills x. */
au_status au_explore(const au_explore_options *o, au_dossier *d, au_explored *x, au_error *err);

#endif
