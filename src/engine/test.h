/* engine/test.h: what 'augur test' does: runs a suite, records its processes (suite.h), analyses each recording as
 * 'augur run' does, and puts what was found together. */
#ifndef AU_ENGINE_TEST_H
#define AU_ENGINE_TEST_H

#include "engine/options.h"
#include "engine/since.h"
#include "engine/suite.h"
#include "engine/test_children.h"
#include "report/case.h"
#include "store/store.h"
#include "store/suppress.h"

#include <time.h>

/* What the caller hears on the way; all are called. */
typedef struct {
    void (*failed)(void *ctx, const char *command, int status); /* it is run once more, plainly … */
    void (*only_recorded)(void *ctx, const char *command, int status); /* … and passed */
    void (*ended)(void *ctx, const char *command, int status); /* a command of the suite failed */
    void (*killed)(void *ctx, const char *name); /* a process that has no recording therefore */
    void (*refused)(void *ctx,
                    const char *trouble); /* a process that cannot be recorded, and why */
    void (*no_child)(void *ctx, const char *trouble); /* a child of fork that has none */
    void (*recorded)(void *ctx, const au_suite_cases *c, size_t known); /* the suite has ended */
    void (*analysed)(void *ctx, const au_suite_case *c, const char *trouble); /* trouble: or NULL */
    void *ctx;
} au_engine_test_watch;

typedef struct {
    const au_opts *o;
    const au_engine_test_watch *watch;
    time_t when;
    au_suite suite;
    au_suppressions suppressions;
    uint64_t options; /* stands for those that an analysis depends on */
    double share;     /* seconds of a recording, if all are analysed */
    au_since *since;  /* NULL: all recordings are looked at */
    au_store *open;   /* while nothing is started; NULL: each opens it by itself */
    /* ---- what came of it ---- */
    au_suite_cases cases;
    au_suite_cases known; /* processes that were not recorded: an earlier suite had them */
    au_suite_names killed, refused;
    au_test_children *children; /* of the processes that forked and are not as before … */
    size_t n_families;
    size_t n_children; /* … and of all */
    au_dossier dossier;
    size_t failed;        /* commands of the suite that did not end with status 0 */
    size_t only_recorded; /* … that did when they were run plainly */
    size_t elsewhere;     /* recordings that execute nothing of what was changed */
    size_t same;          /* cases that an earlier suite had */
    size_t undecided;     /* that could not be analysed, or not in time */
} au_engine_test;

/* Released by the caller, also after an error. AU_EUNSUPPORTED: nothing was recorded. */
au_status au_engine_test_do(au_engine_test *t, const au_opts *o, const au_engine_test_watch *watch,
                            au_error *err);
void au_engine_test_release(au_engine_test *t);

#endif
