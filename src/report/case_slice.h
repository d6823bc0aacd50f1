/* report/case_slice.h: which events of a finding's order matter: those that it is made of, and what they rest on. */
#ifndef AU_REPORT_CASE_SLICE_H
#define AU_REPORT_CASE_SLICE_H

#include "report/case.h"

enum {
    AU_WORTH_DECISIVE = 100, /* what the finding is made of */
    AU_WORTH_SHOWN = 10      /* below: only where there is room */
};

/* One number an event of the witness, the larger the more it matters; 0: not at all. The caller frees them. */
int *au_case_slice(const au_dossier *d, const au_case *c);

static inline bool au_case_is_access(const au_case_event *e) {
    return !strncmp(e->op, "read", 4) || !strncmp(e->op, "write", 5) ||
           !strncmp(e->op, "atomic-", 7);
}

#endif
