/* funnel/plan.h: what a check was asked for: what to look for, and how hard. Filled once from the options
 * (cli/check_options.h), const from then on: what happens while a check runs is in its au_check_run
 * (funnel/check_run.h). */
#ifndef AU_FUNNEL_PLAN_H
#define AU_FUNNEL_PLAN_H

#include "linear/linear.h"
#include "model/semantics.h"

typedef enum { AU_GRAPH_TSG_PRIME, AU_GRAPH_TSG, AU_GRAPH_CCFG } au_plan_graph;

typedef struct {
    /* What is looked for. */
    unsigned props;       /* AU_PROP_* */
    au_block_kind blocks; /* what is taken as an atomic block */
    bool stale;           /* decisions that are not true any more (solve/lost.h), of recordings */
    unsigned checks;      /* AU_CHECK_* of recordings: what may go wrong without an assertion */
    char *const *reach;   /* of models: "file:line" … */
    size_t n_reach;
    bool all;   /* every pair of events or locations, not one of each kind; what was refuted, too */
    bool first; /* stop at the first finding */

    /* Which stages, and what an interleaving is. */
    int last;    /* the last stage, AU_STAGE_SOLVER if all */
    bool stream; /* one pass in bounded memory: no schedules */
    au_semantics semantics;
    au_memory executions;       /* of models: what reads may see … */
    bool memory_asked;          /* … because somebody chose it */
    bool whole;                 /* whole runs only (--no-prefix) */
    uint32_t bound_from, bound; /* changes of thread, iteratively; AU_NONE: no bound */
    bool values;    /* nondeterminism: another write of the same value does not count … */
    bool pairs;     /* … and observed pairs of signal and wake are kept */
    unsigned split; /* as au_retrace_options has it */

    /* How hard. */
    uint64_t budget;     /* events that schedules may run to, all together */
    uint64_t effort;     /* nondeterminism: this much work, in events; 0: no limit */
    double seconds;      /* a question to the exact stage */
    uint64_t memory;     /* bytes a worker; 0: no limit */
    unsigned jobs;       /* workers; 0: as many as there are cores */
    size_t window;       /* longer runs are looked at in windows of so many steps; 0: never */
    bool cadical, z3;    /* backends; both: they must agree */
    bool full_widths;    /* all bits of every value */
    bool transactions;   /* ordered as one event each … */
    bool events;         /* … never; neither of the two: where it wins (exact.c) */
    au_plan_graph graph; /* whose transactions and ranges */
    const char *dump;    /* directory for the questions, or NULL */
    const char *certify; /* directory for certificates of what is refuted, or NULL */
} au_plan;

static inline bool au_plan_wants(const au_plan *p, unsigned prop) {
    return p->props & prop;
}

/* p->blocks as models know them: calls of functions are not in them. */
static inline au_atomic_blocks au_plan_atomic(const au_plan *p) {
    return p->blocks == AU_BLOCKS_MARKED     ? AU_ATOMIC_MARKED
           : p->blocks == AU_BLOCKS_CRITICAL ? AU_ATOMIC_CRITICAL
           : p->blocks == AU_BLOCKS_NONE     ? AU_ATOMIC_NONE
                                             : AU_ATOMIC_AUTO;
}

#endif
