/* report/report.h: what a check found, for people at a terminal; for programs and for keeping see
 * case.h. */
#ifndef AU_REPORT_REPORT_H
#define AU_REPORT_REPORT_H

#include "base/out.h"
#include "graph/nondet.h"
#include "trace/finding.h"

/* All borrowed. */
typedef struct {
    const char *const *input;
    size_t n_inputs;
    const au_names *names;
    uint64_t threads, events, locks, vars;
    const au_findings *findings;
    const au_funnel *funnel[AU_KINDS]; /* NULL: this kind was not looked for */
    const char *const *inconclusive;   /* why an answer is missing or partial */
    size_t n_inconclusive;
    const char *const *note; /* what the reader should know: limits, windows, broken premises */
    size_t n_notes;
    const au_nondet_counts *nondet; /* NULL: none */
    double seconds;
    bool timeless; /* seconds are not told */
    bool color;    /* text only */
    size_t most;   /* text only: so many findings of a kind, 0: all */
} au_report;

/* The funnel, then each finding with both sides and its schedule. */
void au_report_text(const au_report *r, au_out *out);

/* "R1", "V3", …: a letter for the kind; numbers run from 1 in the order of the list. */
void au_finding_id(au_kind kind, size_t number, char *id, size_t size);
/* One line: "race on 'balance': T1 writes at bank.c:12, T2 reads at bank.c:20". */
void au_finding_message(const au_names *n, const au_finding *f, au_out *out);

#endif
