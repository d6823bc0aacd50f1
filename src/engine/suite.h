/* engine/suite.h: the directory that the processes of a test suite are recorded into. 'augur test' opens it; each process
 * becomes 'augur record --suite' (rt/suite.c) and puts one recording there, beside it what it was:
 *
 *     STORE/suite/augur         a link to the tool, as long as the suite runs
 *     STORE/suite/TIME-PID.begun               what it is, before it runs
 *     STORE/suite/TIME-PID.trace, TIME-PID.case    when it has ended
 *     STORE/suite/TIME-PID.refused             or why it could not be recorded
 *     STORE/suite/known                        what need not be recorded again (wire/suite.h) …
 *     STORE/suite/TIME-PID.known               … and was not
 *
 * A process without its .case was killed together with its recorder; only its name is known. One suite at a time uses
 * the directory: its name is in the environment of all recordings, which are to be the same bytes for the same run. */
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
    unsigned forks; /* whose children are no recordings yet … */
    uint32_t became[AU_BECAME /
                    32]; /* … but for these, which became other programs: bit n - 1 for fork n */
    uint64_t
        hash; /* of the recording's bytes; 0: it is not known again, being too long or for want of time */
    uint64_t
        likeness; /* of its program, input and hooks; not of values, times and numbers of processes */
    uint64_t
        number; /* of wire/suite.h; 0: it takes something from outside besides, or what is not seen */
} au_suite_case;
typedef AU_VEC(au_suite_case) au_suite_cases;
typedef AU_VEC(char *) au_suite_names;

typedef struct {
    char *dir;
    int lock;
} au_suite;

/* Empty, with the link. AU_EUSAGE if another suite runs in this store. */
au_status au_suite_open(au_suite *s, const char *store, au_error *err);
/* Processes that have one of these numbers, ascending, need not be recorded. */
typedef AU_VEC(uint64_t) au_suite_numbers;
au_status au_suite_put_known(const au_suite *s, uint64_t begin, const au_suite_numbers *known,
                             au_error *err);
/* Nothing is recorded into it any more. */
void au_suite_end(au_suite *s);
/* Removes what is in it; also after a failure of au_suite_open. */
void au_suite_close(au_suite *s);

/* In the process that records: a name for its recording, the caller's; and when it is whole. last: its forks, and what became of them; NULL:
 * none. */
char *au_suite_claim(const char *dir, const au_program *p);
void au_suite_put(const char *trace, const au_program *p, int status, double seconds,
                  const struct au_control *last, uint64_t number);
/* It cannot be recorded, and runs as it is. */
void au_suite_refuse(const char *trace, const au_program *p, const char *why);
/* Nothing is recorded of it after all. */
void au_suite_withdraw(const char *trace);

/* In the order in which they began; those that were not recorded, with number and name only; the names of those that were
 * killed; what to say of those that could not be recorded. */
void au_suite_list(const au_suite *s, au_suite_cases *into, au_suite_cases *known,
                   au_suite_names *killed, au_suite_names *refused);
/* What is in the directory of this recording; false: it is not whole. */
bool au_suite_read(const char *trace, au_suite_case *c);
void au_suite_cases_release(au_suite_cases *c);
void au_suite_names_release(au_suite_names *n);

#endif
