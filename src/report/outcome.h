/* report/outcome.h: what a check found of one input, in numbers of its trace or model: findings, how many
 * candidates each stage left, what was not decided. The stages of src/funnel fill it; dossiers and
 * texts are made of it. */
#ifndef AU_REPORT_OUTCOME_H
#define AU_REPORT_OUTCOME_H

#include "base/arena.h"
#include "base/limits.h"
#include "base/vec.h"
#include "graph/nondet.h"
#include "trace/finding.h"

/* Everything is its own. */
typedef struct {
    au_findings findings;
    au_funnel funnel[AU_KINDS];
    bool looked_for[AU_KINDS];
    uint64_t events;
    uint64_t locks; /* objects used as locks */
    au_nondet_counts nondet;
    bool has_nondet;
    au_arena arena; /* of the texts */
    bool cut;       /* its time was over (base/deadline.h) before everything was done */
    bool disagreed; /* the backends do: a bug, whatever else was found */
    AU_VEC(const char *) inconclusive;
    AU_VEC(const char *) note;
} au_check_outcome;

void au_check_outcome_init(au_check_outcome *c);
void au_check_outcome_release(au_check_outcome *c);
void au_check_note(au_check_outcome *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void au_check_inconclusive(au_check_outcome *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The time was over before this was done. Inconclusive, with the reason. */
void au_check_cut(au_check_outcome *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A limit was reached: its words, with these numbers, as a note or as inconclusive. */
void au_check_limit(au_check_outcome *c, au_limit l, uint64_t n, uint64_t of);
/* … all those that were counted deep inside of the stages (au_limit_reached). */
void au_check_limits(au_check_outcome *c);

#endif
