/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * augur/augur.h: the C interface of augur: what `augur check` finds, for programs.
 *
 *     au_api_check *c = au_api_check_new();
 *     au_api_check_add(c, "run.std");
 *     au_api_check_set(c, "prop", "race,deadlock");
 *     au_api_result *r = au_api_check_run(c);
 *     if (!r)
 *         fprintf(stderr, "%s\n", au_api_check_error(c));
 *     const au_api_finding *f;
 *     for (size_t i = 0; r && (f = au_api_result_finding(r, i)); i++)
 *         printf("%s %s\n", f->id, f->message);
 *     au_api_result_free(r);
 *     au_api_check_free(c);
 *
 * Compile and link with `pkg-config --cflags --libs libaugur`. (The header <augur.h> is another one:
 * annotations for the programs that augur looks at.)
 *
 * Owners. A check and a result are the caller's, who frees them; a result does not need its check any
 * longer. Everything that is reached from a result (structs, strings) belongs to the result and lives
 * as long as it does. Strings that are given to the library are copied. Strings of the library are
 * never NULL, "" if there is nothing to say; they are UTF-8 where the input was.
 *
 * What it does to the process. The work is done in a child process that au_api_check_run() forks and
 * waits for; the solvers run in children of that one. So whatever goes wrong there (a crash, memory, a
 * limit) is an error of the call, not the end of the caller. The library never exits, prints nothing,
 * installs no signal handlers and changes no global state of the caller. It follows that
 *   - handlers of pthread_atfork() run, and pages of the caller are shared with the child
 *     (copy on write) while a check runs;
 *   - the children hold none of the caller's descriptors, and do nothing on its standard ones;
 *   - SIGCHLD comes when the child ends. A caller that reaps any child (wait(), waitpid(-1))
 *     takes it away from the library: nothing is lost then but the reason of a child's death;
 *   - the children die with the thread that called au_api_check_run().
 * Only where the calling process itself cannot get the few bytes that the interface needs, abort() is
 * called.
 *
 * Threads. Different checks and different results may be used by different threads at once. One check
 * is for one thread at a time. A result does not change: any number of threads may read it.
 *
 * Versions. Functions and members of structs are added, never changed or taken away, as long as the
 * library is libaugur.so.0. Structs are made by the library only and grow at their end: do not
 * copy them by value, do not step through arrays of them. Enumerations may get new values. */
#ifndef AUGUR_AUGUR_H
#define AUGUR_AUGUR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#define AU_API __attribute__((visibility("default")))
#else
#define AU_API
#endif

/* The version of this header; au_api_version() is that of the library in use. */
#define AU_API_MAJOR 0
#define AU_API_MINOR 1

/* "0.1.0" */
AU_API const char *au_api_version(void);

typedef enum au_api_status {
    AU_API_OK = 0,
    AU_API_EIO = 1,          /* the operating system refused: no such file, disk full */
    AU_API_EFORMAT = 2,      /* the input is not what it claims to be */
    AU_API_EUSAGE = 3,       /* an unknown option, options that do not go together */
    AU_API_EUNSUPPORTED = 4, /* well-formed, but outside what augur can do */
    AU_API_EINTERNAL = 5,    /* a child died, solvers disagree, a bug */
    AU_API_ETIMEOUT = 6      /* au_api_check_limit() */
} au_api_status;

/* ---- a check ---------------------------------------------------------------------------- */

typedef struct au_api_check au_api_check;

/* Without inputs, every option at its default. */
AU_API au_api_check *au_api_check_new(void);
AU_API void au_api_check_free(au_api_check *c); /* NULL will do */

/* An input: anything that `augur check` takes, a trace, a recording of `augur record`, a model (.ctp).
 * Several are merged. It must be there and readable; what it holds is looked at by the run. */
AU_API au_api_status au_api_check_add(au_api_check *c, const char *path);

/* An option of `augur check` (docs/commands.md, augur-check(1)) by its long name without the dashes,
 * its value as it would be typed: ("prop", "race,deadlock"), ("model", "mcm"), ("context-bound", "0..4"),
 * ("timeout", "10"), ("jobs", "2"), ("backend", "both"), ("unroll", "3"). Flags and switches take "yes"
 * or "no": ("prefix", "no"). A later value replaces an earlier one; NULL is the default again. Not
 * here: what is about printing (output, format, most, stats, color, quiet) and shards (shard, on, ...). */
AU_API au_api_status au_api_check_set(au_api_check *c, const char *option, const char *value);

/* For a whole run, in seconds; 0, the default: none. (The option "timeout" is for one question.) */
AU_API au_api_status au_api_check_limit(au_api_check *c, double seconds);

/* Runs it. NULL: au_api_check_status() and au_api_check_error() say why. A check may be run again. */
typedef struct au_api_result au_api_result;
AU_API au_api_result *au_api_check_run(au_api_check *c);

/* Of the last call with this check; the text is one line for a person, valid until the next call. */
AU_API au_api_status au_api_check_status(const au_api_check *c);
AU_API const char *au_api_check_error(const au_api_check *c);

/* ---- what came of it -------------------------------------------------------------------- */

AU_API void au_api_result_free(au_api_result *r); /* NULL will do */

typedef enum au_api_answer {
    AU_API_NOTHING = 0,  /* nothing was found, and everything that was asked for was decided */
    AU_API_FOUND = 1,    /* there are findings */
    AU_API_UNDECIDED = 2 /* no findings, but au_api_result_inconclusive() says what is missing */
} au_api_answer;

typedef struct au_api_summary {
    au_api_answer answer;
    size_t findings, funnels, inconclusive, notes; /* how many of each there are */
    uint64_t threads, events, locks, vars;         /* of the input */
    double seconds;                                /* that the check took */
    uint64_t peak_kib;                             /* memory of the checking process */
} au_api_summary;
AU_API const au_api_summary *au_api_result_summary(const au_api_result *r);

typedef enum au_api_kind {
    AU_API_RACE = 0,
    AU_API_ATOMICITY = 1,
    AU_API_DEADLOCK = 2,
    AU_API_ASSERTION = 3,
    AU_API_NONDETERMINISM = 4,
    AU_API_LOCK_MISUSE = 5,
    AU_API_LOST_UPDATE = 6,
    AU_API_OUTPUT = 7
} au_api_kind;

/* How certain it is; docs/check.md. */
typedef enum au_api_standing {
    AU_API_CONFIRMED = 0, /* the program did it: in the recorded run itself */
    AU_API_PROVED = 1,    /* there is a schedule, and an independent checker has executed it */
    AU_API_POSSIBLE = 2,  /* not ruled out, not decided: why says why */
    AU_API_REFUTED = 3    /* ruled out; listed only with the option all */
} au_api_standing;

AU_API const char *au_api_kind_name(au_api_kind k);         /* "race", as in the JSON */
AU_API const char *au_api_standing_name(au_api_standing s); /* "proved" */

typedef struct au_api_finding {
    const char *id; /* "R1", within this result */
    au_api_kind kind;
    au_api_standing standing;
    const char *object;      /* variable or lock that it is about */
    const char *what;        /* "RWR", "assertion 'x == 2' fails with …" */
    const char *why;         /* of POSSIBLE: why not more */
    const char *message;     /* one line for a person */
    const char *fingerprint; /* 16 hex digits: the same finding in another run, in moved lines */
    size_t events;           /* decisive ones: au_api_finding_event() */
    size_t turns;            /* of the schedule, 0: it has none; au_api_finding_turn() */
    size_t steps;            /* of the order in which it happens; au_api_finding_step() */
    int spurious;            /* the schedule needs a wake-up that nobody gave */
} au_api_finding;

/* An event of a thread. */
typedef struct au_api_event {
    const char *thread;   /* "T1" */
    uint64_t index;       /* within its thread, from 1 */
    const char *op;       /* "read", "write", "acquire", … */
    const char *object;   /* variable, lock, thread */
    const char *label;    /* of a model's statement */
    const char *location; /* as the input has it: "bank.c:12", "17" */
    const char *file, *function;
    uint32_t line; /* 0: not known */
    int has_value; /* value is what was read or written */
    int64_t value;
    uint64_t skipped; /* of an order: so many events before this one are left out */
    size_t decisive;  /* of an order: which of the finding's events this is, from 1; 0: none */
} au_api_event;

/* The thread runs until it has executed 'upto' of its events. */
typedef struct au_api_turn {
    const char *thread;
    uint64_t upto;
    const char *mark; /* "spurious": it begins with a wake-up that nobody gave; "timeout"; "" */
} au_api_turn;

/* Number i from 0; NULL: there is none. Findings are sorted by kind, and the most certain first. */
AU_API const au_api_finding *au_api_result_finding(const au_api_result *r, size_t i);
AU_API const au_api_event *au_api_finding_event(const au_api_finding *f, size_t i);
AU_API const au_api_turn *au_api_finding_turn(const au_api_finding *f, size_t i);
/* The predicted order around the decisive events, ended by them; long ones are shortened. */
AU_API const au_api_event *au_api_finding_step(const au_api_finding *f, size_t i);

/* What was left of one kind's candidates after each stage. */
#define AU_API_NOT_RUN UINT64_MAX
typedef struct au_api_funnel {
    const char *kind; /* as the option prop calls it: "race", "assert", … */
    const char *unit; /* what is counted: "pairs", "triples", … */
    size_t stages;
    const uint64_t *left; /* AU_API_NOT_RUN: the stage did not run */
} au_api_funnel;
AU_API const au_api_funnel *au_api_result_funnel(const au_api_result *r, size_t i);
AU_API const char *au_api_stage_name(size_t stage); /* "candidates", …; NULL: there is none */

/* Questions without an answer, and why; remarks on limits and premises. NULL: there is none. */
AU_API const char *au_api_result_inconclusive(const au_api_result *r, size_t i);
AU_API const char *au_api_result_note(const au_api_result *r, size_t i);

/* ---- reports ---------------------------------------------------------------------------- */

/* format: "text", "json", "sarif", "junit", "html". error (may be NULL) gets a line for a person if the
 * result is not AU_API_OK. The file is written whole or not at all. */
AU_API au_api_status au_api_result_write(const au_api_result *r, const char *format,
                                         const char *path, char *error, size_t size);
/* The same in memory, ended by a 0 that *n (may be NULL) does not count; to be freed with au_api_free().
 * NULL: there is no such format. */
AU_API char *au_api_result_report(const au_api_result *r, const char *format, size_t *n);
AU_API void au_api_free(void *p);

#ifdef __cplusplus
}
#endif

#endif
