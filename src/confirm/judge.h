/* confirm/judge.h: a finding on its program: in which turns it is executed, and whether the program did it. */
#ifndef AU_CONFIRM_JUDGE_H
#define AU_CONFIRM_JUDGE_H

#include "record/replay.h"
#include "report/case.h"
#include "trace/why.h"

/* ---- turns.c ---- */

/* The case's schedule, with threads numbered as the program makes them. AU_EUNSUPPORTED if it has none or is
 * about threads that no recorded program has. The caller releases *turns; empty unless AU_OK. */
au_status au_case_turns(const au_case *c, au_turns *turns, au_error *err);
/* Lets the schedule go on until the decisive events are executed, in their order (a race's
 * schedule ends before its two accesses) and an assertion's thread has told that it failed; deadlocks happen
 * by themselves. */
void au_turns_complete(au_turns *turns, const au_case *c);
/* Both. */
au_status au_case_whole_turns(const au_case *c, au_turns *turns, au_error *err);
/* Cuts it before the last decisive event, where somebody may want to look; completed or not. */
void au_turns_stop_before(au_turns *turns, const au_case *c);

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
    char why[400]; /* for a person; "" if confirmed */
    bool
        open; /* not confirmed, nothing contradicted: the execution could not tell, 'why' says what */
    bool cut;       /* … because the time was over (base/deadline.h) */
    au_why rests;   /* what the execution rests on besides the schedule; AU_WHY_NONE: nothing */
    bool has_place; /* 'was' is what the recorded thread did at 'is' */
    au_stream_record was, is; /* diverged: tag 0 if there is none */
} au_judgement;

/* The program was led where it should have shown it, and did something else. */
static inline bool au_judgement_contradicts(const au_judgement *j) {
    return j->judged != AU_JUDGED_CONFIRMED && !j->open;
}

/* Does the recording of the replayed run ('replayed'), which was executed in these turns, show it? Of
 * a bare schedule: was it followed? 'recorded' is the original. */
au_status au_judge(const au_case *c, const au_turns *turns, const char *recorded,
                   const char *replayed, au_judgement *j, au_error *err);

#endif
