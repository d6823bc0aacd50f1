/* confirm/cases.h: cases executed on their programs; for `augur run` and `replay`. */
#ifndef AU_CONFIRM_CASES_H
#define AU_CONFIRM_CASES_H

#include "confirm/confirm.h"

typedef struct {
    au_confirm_options run;
    double until;    /* by au_now(): later than this no execution begins; 0: no end */
    const char *dir; /* for the recordings, which do not stay */
    size_t steps;    /* of a witness, at most */
} au_confirm_plan;

typedef struct {
    size_t tried, confirmed, not_shown, diverged;
    int interrupted; /* the tool was told to stop by this signal; 0: no */
} au_confirm_counts;

/* Every case that was not tried before and has a schedule, on the program of its recording. The most
 * promising ones first: proved before possible; failures and deadlocks before races, then what
 * few turns lead to. Cases get standing, outcome and the witness that was really executed; counts
 * are added to *n. AU_OK whatever came of the executions; a case that could not be tried says why. */
void au_confirm_cases(au_dossier *d, const au_confirm_plan *p, au_confirm_counts *n);

#endif
