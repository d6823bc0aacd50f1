/* scan/search.h: looking for a schedule by going there: the model with its loops is executed, with values,
 * transaction by transaction (cuts.h), the most promising state first.
 *
 * The solver's unrollings grow with every round of every loop; here a round costs a few states. So this finds what
 * lies many rounds away and needs few changes of thread, and the solver what depends on a value that one
 * would not guess. Nothing is concluded from not finding it, unless every state was looked at.
 *
 * Which state is next: one that brings something new (a value of a variable, a place of a thread; then
 * a pair of these) among those as near to the goal as it is; then the nearest, in steps of the control graph.
 * (The measure of novelty is that of width-based search in planning.) Havocs try few values: constants that what
 * they lead to is compared with, their neighbours, small numbers and a large one. */
#ifndef AU_SCAN_SEARCH_H
#define AU_SCAN_SEARCH_H

#include "scan/cuts.h"
#include "scan/scan.h"

typedef struct au_search au_search;

typedef struct {
    const au_cuts *cuts;
    const bool *relevant; /* by variable: some condition depends on it */
    const bool *never;    /* by node: never reached; NULL */
    const uint8_t *exact; /* by step: those with more than 'most' are not taken; NULL: all are */
    uint8_t most;
    bool no_spurious;
} au_search_options;

/* Borrows everything. NULL: the model is too large for this. Read only once made, so that worker processes share
 * it. */
au_search *au_search_new(const au_model *m, const au_search_options *o);
void au_search_free(au_search *s);

typedef enum {
    AU_SEARCH_FOUND,
    AU_SEARCH_NONE, /* every state was looked at: it cannot happen */
    AU_SEARCH_OPEN  /* time or memory are up, or not everything was tried */
} au_search_end;

typedef struct {
    double seconds;
    size_t bytes; /* for states; 0: 256 MiB */
} au_search_limits;

/* kind: race (two steps) or assertion (one). FOUND: *into gets the schedule and is the caller's. */
au_search_end au_search_ask(const au_search *s, au_kind kind, const au_scan_place *p,
                            const au_search_limits *limits, au_solution *into);

#endif
