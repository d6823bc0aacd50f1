/* explore/explore_priv.h: what the files of an exploration share. */
#ifndef AU_EXPLORE_EXPLORE_PRIV_H
#define AU_EXPLORE_EXPLORE_PRIV_H

#include "base/hash.h"
#include "base/temporary.h"
#include "explore/explore.h"
#include "explore/family.h"
#include "record/sandbox.h"

/* One executed run. */
typedef struct {
    char *path;      /* of its recording */
    uint32_t number; /* from 1 */
    uint8_t end;     /* AU_END_* … */
    int64_t status;  /* … and its status */
    int wait_status;
    uint64_t events;
    double seconds;
    bool late;         /* killed: its time was up */
    au_why rests;      /* what it rests on besides its schedule; AU_WHY_NONE: nothing */
    char *stuck;       /* stopped, but it is a deadlock: what its threads do for good; NULL */
    bool broken;       /* no whole recording: 'message' says why */
    bool is_new;       /* it brought something new to its family … */
    bool fresh;        /* … even a side of a branch that no run had taken anywhere */
    char *kept;        /* where it stays; NULL: it does not */
    bool to_check;     /* the funnel is to see it */
    uint32_t family;   /* AU_NONE: none took it */
    char message[400]; /* the runtime's, or why it is in no family; "" */
    uint32_t threads;
    au_outcome
        told; /* what it told the world; of the first run for good, of others until it is compared */
    AU_VEC(uint8_t) inputs; /* as wire/control.h wants them; loaded when they are first needed */
    bool loaded;
} au_ran;

/* A run that told the world something else than the first one. */
typedef struct {
    char *where, *text; /* see au_outcome_told_otherwise */
    au_outcome told;
    au_turns turns; /* all of it, threads in the order of creation */
    bool
        apart; /* threads other than main make threads: its numbers may be other threads in the first run */
} au_other;

/* What became of a goal. */
typedef enum {
    AU_AIM_OPEN,    /* not asked about, or not since the model grew */
    AU_AIM_NEVER,   /* no interleaving of model number 'version' reaches it */
    AU_AIM_UNKNOWN, /* no answer, about that model */
    AU_AIM_MISSED,  /* a schedule that should reach it did not, or could not be executed */
    AU_AIM_DONE     /* executed */
} au_aim_state;

/* A goal, by its key; outlives changes of the family. */
typedef struct {
    uint64_t key, site;
    au_goal_kind kind;
    au_aim_state state;
    uint32_t run;     /* of its family, on whose ways it lies; AU_NONE */
    uint64_t version; /* of the model that the answer is about */
    bool seen, waits; /* its side was taken elsewhere; it is one of the goals now */
    bool lazy;        /* only a wake-up that nobody gave leads there, as far as is known */
    bool tried;       /* asked about in the model of its run alone … */
    bool asked;       /* … and in that of all runs */
    uint32_t round;   /* the last one it was queued in */
    char *text;       /* "x > 3" */
    char *where;      /* "bank.c:12: x > 3 is false" */
} au_aim;

/* A family and its goals. */
typedef struct {
    au_family *f;
    uint64_t version;            /* how often it changed */
    uint64_t deadlock_version;   /* the deadlock question was answered about this one; 0: never */
    bool deadlock_open;          /* … but not exactly */
    AU_VEC(uint32_t) member;     /* by run of the family: number in s->ran */
    AU_VEC(bool) deadlock_tried; /* … the deadlock question was asked about it alone */
    AU_VEC(au_aim) aim;
    au_map by_key; /* number in aim */
} au_circle;

typedef struct {
    const au_explore_options *o;
    au_explored *x;
    au_dossier *d;
    double begun;
    double until; /* of the search; the rest of the time is for checks of its runs. 0: no limit */
    /* execute.c */
    char *dir; /* recordings that are not (yet) kept */
    au_sandbox *sandbox;
    au_feed feed;
    char *feed_bytes;
    bool feed_whole, has_feed;
    AU_VEC(au_ran) ran;
    /* search.c */
    AU_VEC(au_circle) circle;
    au_map sites;  /* place and side: how often it was aimed at and reached */
    au_map walked; /* schedules that were executed, by their hash */
    au_map failed; /* sites of assertions that failed in an executed run */
    AU_VEC(double) run_time, ask_time;
    uint32_t round;
    double hunt_from; /* of au_now: when half of the time has passed; 0: no limit */
    uint64_t hunted;  /* runs on random schedules that showed nothing and are forgotten */
    bool hunt_is_over;
    double alone_seconds, whole_seconds; /* that rounds about one run, and about all, took */
    char unanswered[160];                /* why the first question without an answer has none */
    bool stop;                           /* a finding, with --first; or a signal */
    bool ended;                          /* the first run, by a signal: no other ends like it */
    const char *why_stopped;             /* NULL: nothing is left */
    const char *what_to_try;             /* against that */
    /* told.c */
    AU_VEC(au_other) other;
    /* found.c */
    uint64_t failures;
    char *overlooked; /* a failure that the funnel found and no explored run showed; NULL */
} au_exploration;

/* ---- execute.c ---- */
au_status au_execute_begin(au_exploration *s, au_error *err);
void au_execute_end(au_exploration *s);
/* Executes the program: turns NULL: the first run; of length 0: a random schedule. parent: the run whose inputs it gets; AU_NONE.
 * The run is the last of s->ran; an error only if the program cannot be started. */
au_status au_execute(au_exploration *s, const au_turns *turns, uint32_t parent, au_error *err);
/* Forgets the last run. */
void au_execute_drop(au_exploration *s);
/* The recording of this run stays, under this name; "" if it cannot be kept. */
const char *au_execute_keep(au_exploration *s, au_ran *r);
/* An assertion, a crash, a deadlock; or a status other than 0 if the first run had 0. */
bool au_ran_failed(const au_exploration *s, const au_ran *r);

typedef AU_VEC(uint64_t) au_vec_keys;

/* ---- predict.c ---- */
typedef struct {
    uint64_t key; /* 0: the deadlock question */
    uint64_t version;
    au_answer answer;
    const char *why;     /* AU_UNKNOWN */
    const au_turns *way; /* AU_SAT: a schedule; of the deadlock question several */
    size_t n_ways;
    bool spurious; /* it needs a wake-up that nobody gave */
    double seconds;
} au_predicted;
/* false: nothing more is wanted. */
typedef bool au_predicted_fn(void *ctx, const au_predicted *p);
/* The questions of these goals about the family as it is now, in about this order, in worker
 * processes. alone: only the ways of this run of the family, AU_NONE: of all. Goals that are no goals
 * (any more) when they come are answered AU_UNSAT with version 0. */
au_status au_predict(const au_exploration *s, au_circle *c, uint32_t alone, const uint64_t *key,
                     size_t n, au_predicted_fn *fn, void *ctx, au_error *err);

/* ---- queue.c ---- */
/* Takes over the family's goals; those that are none any more were reached. */
void au_queue_refresh(au_circle *c);
void au_queue_release(au_circle *c);
au_aim *au_queue_aim(const au_circle *c, uint64_t key);
/* The smaller the more promising. */
unsigned au_queue_class(const au_exploration *s, const au_aim *a);
/* Nothing more is to be learnt: an assertion that was seen to fail ends its run wherever it fails. */
bool au_queue_told(const au_exploration *s, const au_aim *a);
/* The next round of this family: the goals it asks about (key 0: the deadlock question); *alone: of one
 * run. None: nothing is left. */
void au_queue_choose(au_exploration *s, au_circle *c, uint32_t *alone, au_vec_keys *key);
/* Left out: only a wake-up that nobody gave leads there, and it leads nowhere new. */
bool au_queue_left_out(const au_exploration *s, const au_aim *a);
/* Are there goals, not of this round, that promise more than this class? */
bool au_queue_better(const au_exploration *s, const au_circle *c, unsigned class);

/* ---- search.c ---- */
au_status au_search_run(au_exploration *s, au_error *err);
/* The run that was executed last joins; what it did wrong is told. aim: the assertion that should have failed. */
au_ran *au_search_went(au_exploration *s, const char *aim, uint32_t family);
void au_search_release(au_exploration *s);
bool au_search_over(au_exploration *s); /* budget, runs, signal, --first */

/* ---- found.c ---- */
/* What an executed run did wrong by itself. True if it did. aim: the text of the assertion that was
 * to fail, or NULL. */
bool au_found_failure(au_exploration *s, au_ran *r, const char *aim);
/* The funnel over the runs that brought something new. */
void au_found_by_funnel(au_exploration *s);

/* ---- told.c ---- */
/* A run has ended: did it tell the world what the first one told? */
void au_told_note(au_exploration *s, au_ran *r);
/* Some more runs on random schedules, for this alone. */
au_status au_told_more(au_exploration *s, au_error *err);
/* What was told otherwise is executed again, and what stays is a finding. */
au_status au_told_end(au_exploration *s, au_error *err);
void au_told_release(au_exploration *s);

/* ---- tell.c ---- */
void au_tell_line(const au_exploration *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void au_tell_end(au_exploration *s);
void au_tell_numbers(au_exploration *s); /* for the JSON */

#endif
