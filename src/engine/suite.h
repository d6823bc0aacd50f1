/* engine/suite.h: the directory that the processes of a test suite are recorded into. 'augur test' opens it; each process
 * becomes 'augur record --suite' (rt/suite.c) and puts one recording there, beside it what it was:
 *
 *     STORE/suite/augur         a link to the tool, as long as the suite runs
 *     STORE/suite/TIME-PID.trace, TIME-PID.case
 *
 * A recording without its .case is of a process that was killed; it is passed over. One suite at a time uses the
 * directory: its name is in the environment of all recordings, which are to be the same bytes for the same run. */
#ifndef AU_ENGINE_SUITE_H
#define AU_ENGINE_SUITE_H

#include "base/vec.h"
#include "program/program.h"

typedef struct {
    char *trace;
    char *name; /* "queue_test --gtest_filter=Queue.Full" */
    char *exe;
    int status; /* of wait */
    double seconds;
    uint64_t hash; /* of the recording */
} au_suite_case;
typedef AU_VEC(au_suite_case) au_suite_cases;

typedef struct {
    char *dir;
    int lock;
} au_suite;

/* Empty, with the link. AU_EUSAGE if another suite runs in this store. */
au_status au_suite_open(au_suite *s, const char *store, au_error *err);
/* Nothing is recorded into it any more. */
void au_suite_end(au_suite *s);
/* Removes what is in it; also after a failure of au_suite_open. */
void au_suite_close(au_suite *s);

/* In the process that records: a name for its recording, the caller's; and when it is whole. */
char *au_suite_claim(const char *dir);
void au_suite_put(const char *trace, const au_program *p, int status, double seconds);

/* In the order in which they began. */
void au_suite_list(const au_suite *s, au_suite_cases *into);
void au_suite_cases_release(au_suite_cases *c);

#endif
