/* graph/nondet.h: reads that can see another write (Sinha et al., docs/papers.md).
 *
 * A read-couple (w, r) is a read and the write it saw; every other write c of the variable
 * challenges it. A witness is one of three forms:
 *   c r w           r sees c, and w comes later
 *   w c r           w has happened, then c, and r sees c
 *   c r without w   r sees c, and w does not happen (before r; nothing need come after it)
 * in an interleaving in which every read before these events keeps its write. Every shared
 * variable (of two threads and a writer) has an implicit first write and an implicit read at the
 * end, for which the whole trace has to be executed.
 *
 * Witnesses of one read-couple are decided together: the graph's executor walks, once for
 * a read and a thread that writes the variable, through everything that the thread can do
 * while the reader stands at its read, and sees on the way what the read would see. What that
 * does not show is a question of its own (cause.h). */
#ifndef AU_GRAPH_NONDET_H
#define AU_GRAPH_NONDET_H

#include "graph/cause.h"

/* A pair that was found. w and c are event + 1, 0: initial. */
typedef struct {
    uint32_t read; /* event; AU_NONE: the end */
    uint32_t var, w, c;
    bool feasible; /* else nothing has decided it */
} au_nondet_pair;

typedef struct {
    bool pairs;      /* fix the observed pairs of signal and wake */
    bool values;     /* leave out challengers that store the value that was read */
    bool alone;      /* every witness for itself, nothing shared (to measure) */
    uint32_t ahead;  /* walks of ahead.c where so many challengers are left; 0: as many as pay */
    uint64_t most;   /* combinations of choices for one question */
    uint64_t budget; /* of work, in about the time that it takes to execute an event; 0: no limit.
                      * Where there are many witnesses, the first reads of each location come
                      * first, so that what is left out is more of the same. */
    /* Two executors on the trace: one walks, one answers questions. */
    const au_cause_exec *walker, *checker;
    /* For what the search leaves open; NULL: nobody. On FEASIBLE *order (as in told) is the
     * caller's to free. */
    au_cause_answer (*solve)(void *ctx, const au_cause_question *q, uint32_t **order, size_t *n);
    void *solve_ctx;
    /* Told of every pair that is feasible or undecided. True: the order is wanted, too: what is
     * executed before the read (at the end: everything). Borrowed during the call. */
    bool (*found)(void *ctx, const au_nondet_pair *p);
    void (*told)(void *ctx, const au_nondet_pair *p, const uint32_t *order, size_t n);
    /* Told of every witness that cannot be, if there are at most 'ruled_most' witnesses of the trace; NULL: nobody. by_solve:
     * 'solve' said so. */
    void (*ruled)(void *ctx, const au_nondet_pair *p, au_form form, bool by_solve);
    uint64_t ruled_most;
    void *ctx;
} au_nondet_options;

/* In witnesses, three a triplet (w, r, c), unless it says otherwise. */
typedef struct {
    uint64_t all;              /* looked at */
    uint64_t same_value;       /* left out, as asked for */
    uint64_t left;             /* left out: the budget was used up */
    uint64_t cycle;            /* infeasible: a cycle without any choice */
    uint64_t shared;           /* feasible: seen on a walk */
    uint64_t direct;           /* feasible: no choice was needed */
    uint64_t chosen, refuted;  /* with choices: feasible, infeasible */
    uint64_t solved, unsolved; /* left to 'solve': feasible, infeasible */
    uint64_t open;             /* undecided */
    uint64_t graphs;           /* linearisations tried */
    uint64_t learned;          /* cycles of choices */
    uint64_t walked;           /* events executed on walks */
    uint64_t pairs, couples;   /* (r, c) that can be; read-couples that can break */
    size_t memory;             /* bytes of the graph */
} au_nondet_counts;

au_status au_nondet(const au_trace *t, const au_nondet_options *o, au_nondet_counts *n,
                    au_error *err);

#endif
