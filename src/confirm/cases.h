/* confirm/cases.h: cases executed on their programs; for `augur run` and `replay`. */
#ifndef AU_CONFIRM_CASES_H
#define AU_CONFIRM_CASES_H

#include "confirm/confirm.h"

typedef struct {
    au_confirm_options run;
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
 * are added to *n. When the time is over (base/deadline.h) nothing more is executed. AU_OK whatever came of the executions; a case that could not be tried says why. */
void au_confirm_cases(au_dossier *d, const au_confirm_plan *p, au_confirm_counts *n);

/* What came of executing earlier cases of the same run, into the cases that all stages left: a case that
 * happened has happened, one that did not is not tried again on the same schedule. */
void au_confirm_carry(au_dossier *d, const au_dossier *tried);

#endif
