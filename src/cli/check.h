/* cli/check.h: between the files of 'augur check' only. */
#ifndef AU_CLI_CHECK_H
#define AU_CLI_CHECK_H

#include "cli/cli.h"
#include "linear/atomicity.h"
#include "linear/linear.h"
#include "report/report.h"

/* What to look for and how hard; from the options. */
typedef struct {
    bool race, atomicity, deadlock, locks;
    au_block_kind blocks;
    bool all;           /* every pair of events or locations, not one of each kind */
    bool stream;        /* one pass in bounded memory: no schedules */
    uint64_t budget;    /* events that schedules may run to, all together */
    au_found_fn *found; /* online: told as it goes; may be NULL */
    void *ctx;
} au_check_plan;

/* What came of it. */
typedef struct {
    au_findings findings;
    au_funnel funnel[AU_KINDS];
    bool looked_for[AU_KINDS];
    uint64_t events;
    uint64_t locks;        /* objects used as locks */
    const au_hooks *hooks; /* while it runs: of a recording, or NULL */
    au_arena arena;        /* of the texts */
    AU_VEC(const char *) inconclusive;
    AU_VEC(const char *) note;
} au_check_outcome;

void au_check_outcome_init(au_check_outcome *c);
void au_check_outcome_release(au_check_outcome *c);
void au_check_note(au_check_outcome *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void au_check_inconclusive(au_check_outcome *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The whole trace in memory: findings get schedules, and the checker's word. */
au_status au_check_trace(const au_check_plan *p, const au_trace *t, au_check_outcome *c,
                         au_error *err);
/* One pass over the reader's blocks. */
au_status au_check_stream(const au_check_plan *p, au_reader *r, au_check_outcome *c, au_error *err);

#endif
