/* funnel/exact.h: the exact stage in worker processes; between the files of 'augur check'. */
#ifndef AU_FUNNEL_EXACT_H
#define AU_FUNNEL_EXACT_H

#include "funnel/plan.h"
#include "model/model.h"
#include "solve/solve.h"
#include "tsg/tsg.h"

/* What came of one question; a deadlock question may have several solutions. */
typedef enum {
    AU_EXACT_FOUND,
    AU_EXACT_REFUTED,
    AU_EXACT_OPEN,     /* no answer: see why */
    AU_EXACT_DISAGREE, /* the backends do: a bug of one of them or of ours */
    AU_EXACT_SKIPPED   /* not asked: another shard, or --first was content */
} au_exact_end;

typedef struct {
    au_exact_end end;
    bool any_bound;  /* REFUTED under a bound: for any number of changes of thread */
    const char *why; /* OPEN, DISAGREE: the reason; FOUND: why there may be more deadlocks, or "" */
    AU_VEC(au_solution) solution;
} au_exact_answer;

typedef struct {
    const au_plan *plan;
    struct au_answers *answers; /* of a check in shards, or NULL */
    const au_model *m;
    const au_queries *query;
    const au_rpt *ranges;    /* of m, or NULL */
    au_exact_answer *answer; /* one a question */
    size_t cut;              /* SKIPPED because the time was over (base/deadline.h) */
    au_arena arena;
} au_exact;

/* Is this run too long to be asked about at once? Bounds, and whole runs without values, need it at once. */
bool au_exact_in_windows(const au_plan *p, const au_model *m);

/* Asks them all, in forked workers. Requires: e is zeroed but for the first five. */
au_status au_exact_ask(au_exact *e, au_error *err);
void au_exact_release(au_exact *e);

/* "assertion t12 of T2": a question in a line of text, which the caller frees. */
char *au_exact_question(const au_model *m, const au_query *q);

/* The graph that the plan asks for. */
static inline au_tsg_kind au_exact_graph(const au_plan *p) {
    return p->graph == AU_GRAPH_CCFG  ? AU_TSG_CCFG
           : p->graph == AU_GRAPH_TSG ? AU_TSG_MAT
                                      : AU_TSG_MAT_PRIME;
}

#endif
