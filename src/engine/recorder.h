/* engine/recorder.h: runs of one program, one after the other, each with the same standard input; for
 * 'augur record' and 'augur run'. */
#ifndef AU_ENGINE_RECORDER_H
#define AU_ENGINE_RECORDER_H

#include "engine/options.h"
#include "record/record.h"

typedef struct {
    au_program program; /* the caller's to fill in */
    au_feed feed;       /* standard input as the first run had it */
    bool feed_whole, have_feed;
    uint64_t stop_after; /* nanoseconds; 0: it ends by itself */
} au_recorder;

typedef struct {
    const char *output;
    bool more;       /* there will be further runs, or other uses of the feed */
    bool discard;    /* the program's output */
    bool again;      /* the program was recorded before (record/world.h) */
    bool aside;      /* its standard output goes to standard error */
    bool gives;      /* descriptors above 2 are the program's alone */
    bool live;       /* the recording is read while the program runs */
    const char *cwd; /* start it there instead, its recording says nothing of it; NULL: no */
    au_tick_fn *tick;
    void *tick_ctx;
    /* It takes long: told once, while the program runs; may be NULL. */
    void (*is_long)(void *ctx);
    void *ctx;
} au_recorder_run;

/* --switch-every, --max-events, --depth, --for. */
void au_recorder_plan(au_recorder *r, const au_opts *o);
/* Into 'output', with the policy and the seed of the program's plan. */
au_status au_recorder_record(au_recorder *r, const au_recorder_run *how, au_run_result *x,
                             au_error *err);
void au_recorder_release(au_recorder *r);

#endif
