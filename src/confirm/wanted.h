/* confirm/wanted.h: a schedule that somebody wants to see executed, and what is to be seen.
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
#ifndef AU_CONFIRM_WANTED_H
#define AU_CONFIRM_WANTED_H

#include "base/error.h"
#include "record/replay.h"
#include "trace/finding.h"

typedef struct {
    uint32_t thread;
    uint64_t index;
    uint64_t until; /* the program cannot stop between it and this later event; or index */
    char *op;       /* "write", …, as in the JSON; "" if not told */
    char *place;    /* "bank.c:12"; "" if not told */
    char *object;   /* "" if not told */
} au_wanted_event;

typedef struct {
    char *id; /* of the finding; NULL: a bare schedule */
    au_kind kind;
    char *what; /* "RWR", "assertion 'null pointer' fails …"; "" if not told */
    char *message;
    AU_VEC(au_wanted_event) event;
    au_turns turns;
    bool
        by_order; /* of several runs: threads are numbered as the schedule makes them, not as in one run */
    uint32_t given; /* turns of the schedule; what follows are the decisive events */
} au_wanted;

/* 'id' NULL: the file must hold one schedule, or one finding. The number of turns is
 * bounded by the size of the text. */
au_status au_wanted_read(au_wanted *w, const char *path, const char *id, au_error *err);
au_status au_wanted_parse(au_wanted *w, const char *text, size_t n, const char *name,
                          const char *id, au_error *err);
void au_wanted_release(au_wanted *w);
/* The number of a thread from its name: "T7", "7", "T7 (reader)"; false: it is no such name. */
bool au_wanted_thread(const char *name, uint32_t *number);

/* Lets the schedule go on until the decisive events are executed, in their order (a race's
 * schedule ends before its two accesses) and an assertion's thread has told that it failed; deadlocks happen
 * by themselves. */
void au_wanted_complete(au_wanted *w);
/* Cuts it before the last decisive event, where somebody may want to look; completed or not. */
void au_wanted_stop_before(au_wanted *w);

/* ---- judge.c ---- */

/* What 'what' begins with if a recorded run ended by a signal of its own making. */
#define AU_CRASH_TEXT "the program is ended by signal "

typedef enum {
    AU_JUDGED_CONFIRMED,
    AU_JUDGED_NOT_SHOWN, /* the schedule was executed, but this did not come of it */
    AU_JUDGED_DIVERGED   /* the program did not follow the schedule */
} au_judged;

typedef struct {
    au_judged judged;
    char why[400];            /* for a person; "" if confirmed */
    bool has_place;           /* 'was' is what the recorded thread did at 'is' */
    au_stream_record was, is; /* diverged: tag 0 if there is none */
} au_judgement;

/* Does the recording of the replayed run ('replayed') show it? 'recorded' is the original,
 * 'addresses' as for au_replay_compare. */
au_status au_judge(const au_wanted *w, const char *recorded, const char *replayed, au_judgement *j,
                   au_error *err);

#endif
