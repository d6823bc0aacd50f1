/* confirm/confirm.h: findings of a recording executed on the program; for `augur replay`, `run` and
 * `explore`. */
#ifndef AU_CONFIRM_CONFIRM_H
#define AU_CONFIRM_CONFIRM_H

#include "confirm/judge.h"
#include "confirm/outcome.h"
#include "record/record.h"
#include "record/replay.h"

/* A recording's program, ready to be run again and again. */
typedef struct au_stage_set au_stage_set;
typedef struct {
    bool discard_output; /* the program's own output is thrown away */
    bool sandbox;        /* each run in its own copy of the working directory (record/sandbox.h) */
    const char *omit;    /* … but for this in it (absolute); NULL: all of it */
    double seconds;      /* the program may take; 0: no limit */
} au_confirm_options;

/* AU_EUNSUPPORTED if the program is not the recorded one any more, AU_EFORMAT if the recording was
 * cut off before its first event. */
au_stage_set *au_confirm_open(const char *recording, const au_confirm_options *o, au_error *err);
void au_confirm_free(au_stage_set *s);
/* The recorded run; borrowed. */
const au_replay *au_confirm_replay(const au_stage_set *s);

/* Executes these turns (au_case_whole_turns) into the recording 'output' (NULL: into one that nobody keeps) and judges.
 * AU_OK whatever the judgement. A program that does not end in time is killed: DIVERGED and open, with that
 * reason, unless it had shown before what it was to show. *interrupted (may be NULL): the tool was
 * told to stop by this signal while it ran; 0: it was not. */
au_status au_confirm(au_stage_set *s, const au_case *c, const au_turns *turns, const char *output,
                     au_judgement *j, int *interrupted, au_error *err);

/* ---- one execution, for who wants to see more of it than the judgement ---- */
typedef struct {
    const au_turns *turns; /* NULL: the recorded ones; it is ended where and as the recorded run was
                            * ended from outside, if it was */
    const char *output;
    bool
        by_order; /* turns: threads are numbered in the order of creation, whatever the recorded ones were */
    bool
        alive; /* the recorded turns, too, are executed as another schedule is: the kernel answers anew */
    bool
        machine; /* clocks, random numbers and the like are the machine's own, not those of the recorded run */
    bool keep_output; /* r has what it wrote; nothing of it goes anywhere */
    uint32_t after;   /* AU_AFTER_*: how it goes on then … */
    uint64_t seed;    /* … at random, with this */
    bool stop;        /* at the schedule's end, instead of going on by itself … */
    bool traceable;   /* … where a debugger looks at it … */
    bool end;         /* … or where it is ended, at once */
    au_tick_fn *tick;
    void *tick_ctx;
} au_stage_run;
/* m and child are what 'tick' may look at. AU_OK: it ran, under the runtime, and its recording is
 * whole; the caller releases r. *late (may be NULL): it was killed because its time was up. */
au_status au_confirm_execute(au_stage_set *s, const au_stage_run *how, au_control_map *m,
                             au_child *child, au_run_result *r, bool *late, au_error *err);

/* The recorded run ended by itself: an execution of it does, too, as far as anybody knows. */
bool au_confirm_ends(const au_stage_set *s);
/* One execution as how says (output: where it is recorded; NULL: nowhere; alive and keep_output are set), and what it told the world;
 * memory: that it left is read, too, from the recording. The caller releases *o if AU_OK. */
au_status au_confirm_outcome(au_stage_set *s, const au_stage_run *how, bool memory, au_outcome *o,
                             int *interrupted, au_error *err);

/* What a finding is that an execution showed which rests on this: input that was fed may be none that it would have got, so
 * that says no more than was known before. */
au_standing au_confirm_standing(au_standing before, au_why rests);
/* What an execution of these turns rests on besides them, by the control memory that it left. */
au_why au_confirm_rests(const au_stage_set *s, const struct au_control *last);

#endif
