/* engine/test.h: what 'augur test' does: runs a suite, records its processes (suite.h), analyses each recording as
 * 'augur run' does, and puts what was found together. */
#ifndef AU_ENGINE_TEST_H
#define AU_ENGINE_TEST_H

#include "engine/options.h"
#include "engine/suite.h"
#include "report/case.h"

/* What the caller hears on the way; all are called. */
typedef struct {
    void (*ended)(void *ctx, const char *command, int status); /* a command of the suite failed */
    void (*recorded)(void *ctx, const au_suite_cases *c);      /* the suite has ended */
    void (*analysed)(void *ctx, const au_suite_case *c, const char *trouble); /* trouble: or NULL */
    void *ctx;
} au_engine_test_watch;

typedef struct {
    const au_opts *o;
    const au_engine_test_watch *watch;
    au_suite suite;
    /* ---- what came of it ---- */
    au_suite_cases cases;
    au_dossier dossier;
    size_t failed;    /* commands of the suite that did not end with status 0 */
    size_t same;      /* cases that an earlier suite had */
    size_t undecided; /* that could not be analysed, or not in time */
} au_engine_test;

/* Released by the caller, also after an error. AU_EUNSUPPORTED: nothing was recorded. */
au_status au_engine_test_do(au_engine_test *t, const au_opts *o, const au_engine_test_watch *watch,
                            au_error *err);
void au_engine_test_release(au_engine_test *t);

#endif
