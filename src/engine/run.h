/* engine/run.h: what 'augur run' does: record, check, confirm, explore, store; without telling
 * anybody. */
#ifndef AU_ENGINE_RUN_H
#define AU_ENGINE_RUN_H

#include "confirm/cases.h"
#include "engine/keep.h"
#include "engine/recorder.h"
#include "funnel/check_run.h"
#include "record/sandbox.h"
#include "store/suppress.h"

/* What the caller hears on the way; all are called. */
typedef struct {
    void (*remark)(void *ctx, const char *text); /* of the files of suppressions */
    /* A recorded run of the program has ended. */
    void (*ended)(void *ctx, const au_program *p, const au_run_result *r, const char *recording);
    void (*recording)(void *ctx); /* the first recording takes long */
    void (*not_explored)(void *ctx, const au_error *why);
    void *ctx;
} au_engine_run_watch;

/* The caller looks at what stands under "what came of it". */
typedef struct {
    const au_opts *o;
    const au_engine_run_watch *watch;
    time_t when;
    double begun;
    au_recorder recorder;
    au_plan plan;
    uint32_t shard, shards; /* of the questions of each check; shards 0: all of them */
    au_suppressions suppressions;
    au_keep keep;
    au_sandbox *sandbox;
    au_confirm_counts replays;
    double recorded;   /* seconds of the first recording */
    unsigned explored; /* runs of the exploration */

    /* ---- what came of it ---- */
    au_dossier dossier;
    unsigned runs;       /* that were recorded */
    bool stopped;        /* the first run was ended from outside */
    bool unrecorded;     /* … before there was anything to record */
    bool program_failed; /* it exited with a status that is not 0: no finding says so */
    bool only_once;      /* --recorded: executed again it goes another way */
    bool disagreed;      /* the backends of the exact stage */
} au_engine_run;

/* Options and watch are borrowed until it is released, which is the caller's also after an error:
 * with runs recorded there may be findings that could not be kept. */
au_status au_engine_run_do(au_engine_run *s, const au_opts *o, const au_engine_run_watch *watch,
                           au_error *err);
void au_engine_run_release(au_engine_run *s);

#endif
