/* solve/solve.h: the exact stage. One context for a model and a semantics, one question
 * after the other over one shared encoding.
 *
 *     au_solve_options o = AU_SOLVE_DEFAULTS;
 *     au_solver *s = au_solver_new(m, &o, &err);
 *     au_queries q = {0};
 *     au_solver_queries(s, AU_PROP_ALL, AU_ATOMIC_AUTO, &q);
 *     for (each) { au_solution r; au_solver_ask(s, &q.at[i], &limits, &r); … au_solution_release(&r); }
 *
 * The encoding is made with the first question. Not for threads; run it in a worker process (base/worker.h) where time and memory
 * count: the solvers are libraries that abort when memory ends. */
#ifndef AU_SOLVE_SOLVE_H
#define AU_SOLVE_SOLVE_H

#include "solve/backend.h"
#include "solve/query.h"
#include "tsg/rpt.h"

typedef enum { AU_BACKEND_CADICAL, AU_BACKEND_Z3 } au_backend_kind;

typedef struct {
    au_semantics semantics;
    bool whole;
    uint32_t context_bound; /* AU_NONE: none */
    au_backend_kind backend;
    bool
        no_lemmas; /* cadical: locks by π-functions only, no sums: to measure what they are worth */
    bool proofs;   /* cadical: search for values, too, as is better for orders and proofs */
    bool full_widths;     /* cadical: as many bits as a variable has, whatever its values */
    const au_rpt *ranges; /* cadical: what is known of values, of this model (AU_SEM_CTP), and with
                             'atomic' its transactions; borrowed, NULL: nothing */
    bool atomic;          /* cadical: transactions are ordered as one event, except for races,
                             deadlocks, misused locks and under a context bound */
    bool
        apart; /* atomic, but only for what has an encoding of its own anyway: assertions, places */
    bool keep; /* cadical: the clauses, for au_solve_limits.dump */
    const struct au_dead_part *part; /* deadlocks: the model is a part of another (deadlock.h) */
} au_solve_options;
#define AU_SOLVE_DEFAULTS                                                                          \
    {                                                                                              \
        AU_SEM_CTP, false, AU_NONE, AU_BACKEND_CADICAL, false, false, false, NULL, false, false,   \
            false, NULL                                                                            \
    }

typedef struct {
    double seconds;     /* for one question, 0: none */
    const char *dump;   /* as au_ask's */
    uint32_t conflicts; /* as au_ask's */
} au_solve_limits;

typedef struct {
    uint32_t step;  /* as executed, or next */
    uint32_t index; /* within its thread along the schedule, from 1 */
} au_solved_event;

typedef struct {
    au_answer answer;
    const char *why; /* AU_UNKNOWN: the reason; else "" */
    bool gave_up;    /* AU_UNKNOWN: the search came to a limit */
    bool any_bound;  /* AU_UNSAT under a context bound: holds for any number of switches */
    bool spurious;   /* AU_SAT: needs a wake-up without a signal */
    /* AU_SAT: */
    au_u32s schedule; /* steps in order, few changes of thread */
    size_t shown;     /* after so many of them it is there to be seen: all of them,
                                        but for a race in a whole run */
    AU_VEC(au_solved_event)
    event;                  /* the decisive ones, in the order of the question's steps;
                                        nondeterminism: writer (step AU_NONE: initial value), then
                                        reader (step AU_NONE: the end); deadlock: by thread */
    AU_VEC(uint64_t) havoc; /* what each executed havoc chose, in order */
    uint32_t var, obj;
} au_solution;

typedef struct au_solver au_solver;

/* Requires: no loops, observed run filled in (au_model_observe). NULL and *err set if the
 * model is too large or the backend is not there. Borrows m. */
au_solver *au_solver_new(const au_model *m, const au_solve_options *o, au_error *err);
void au_solver_free(au_solver *s);

void au_solver_queries(au_solver *s, unsigned props, au_atomic_blocks atomic, au_queries *into);
/* Builds what these questions have in common now, not when the first of them is asked. */
void au_solver_prepare(au_solver *s, const au_queries *all);
/* A deadlock question may be asked again and again: each AU_SAT tells another set (of
 * statements), AU_UNSAT ends it. */
void au_solver_ask(au_solver *s, const au_query *q, const au_solve_limits *limits, au_solution *r);
/* A deadlock that was found elsewhere is not told: a step that each of its threads waits at, by thread. */
void au_solver_know(au_solver *s, const au_u32s *core);
/* The same of runs in which every thread that was started comes to its end and 'then' holds there: a term of m's over
 * shared variables, with what they hold at the end. q NULL: nothing else is asked. */
void au_solver_ask_end(au_solver *s, const au_query *q, au_term then, const au_solve_limits *limits,
                       au_solution *r);
void au_solution_release(au_solution *r);

/* Sizes, for --verbose and the benchmark. */
typedef struct {
    uint64_t events, ordered, reads, pairs, variables, clauses, rounds;
    double encode_seconds, solve_seconds;
} au_solve_stats;
void au_solver_stats(const au_solver *s, au_solve_stats *st);

#endif
