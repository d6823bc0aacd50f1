/* solve/window.h: a part of a long run as a model of its own.
 *
 * The steps observed[first … last - 1], from the state that the run had reached; each
 * thread goes on along its observed steps only (and other edges of their statements).
 * What can happen in the window can happen in the model, after the steps before it, so a
 * schedule found there is one of the model. What cannot may still happen outside: an
 * AU_UNSAT here is no answer about the model.
 *
 * A window may lie before what is asked about, and whole runs are asked about, too (ctp): then all
 * its steps are executed, and those after it follow in the observed order (tail.h).
 *
 * Under ctp and cam: where a window ends no thread has. A deadlock counts only if nothing that a thread can do beyond
 * the window, or on another way than the observed one, could end it (deadlock.h). Locks held at the end are not asked of a
 * window. (What mcm leaves open depends on the whole model; a model made from a trace is pinned under ctp
 * as well.) */
#ifndef AU_SOLVE_WINDOW_H
#define AU_SOLVE_WINDOW_H

#include "solve/solve.h"

typedef struct {
    const au_model *of; /* borrowed */
    au_model *m;
    size_t first, last; /* in of->observed */
    uint32_t *step;     /* by step of m: that of 'of' */
    uint32_t *inside;   /* by step of 'of': that of m, AU_NONE */
    uint32_t *end;      /* by thread: the node of m to which its steps lead */
    au_u32s *node;      /* by thread: by node of m, that of 'of'; AU_NONE */
    bool *stopped;      /* by thread: an assertion has failed before */
} au_window;

/* Requires: the observed run can be executed. */
void au_window_init(au_window *w, const au_model *m, size_t first, size_t last);
void au_window_release(au_window *w);

/* A range of at most 'size' observed steps around those that the question names, from where
 * the block of an atomicity question begins. False: they are too far apart, or not all in
 * the run, or the question is none for a window. */
bool au_window_around(const au_model *m, const au_query *q, size_t size, size_t *first,
                      size_t *last);

/* Where the statement is executed in the observed run, SIZE_MAX: nowhere. */
size_t au_window_place(const au_model *m, uint32_t step);

/* Asks in the window [first, last). The answer is about m: AU_SAT with a schedule of m, or
 * AU_UNKNOWN with the reason. */
void au_solve_in(const au_model *m, const au_solve_options *o, const au_query *q,
                 const au_solve_limits *limits, size_t first, size_t last, au_solution *r);

/* Of deadlocks: one that is not among those known (n of them). */
void au_solve_dead_in(const au_model *m, const au_solve_options *o, const au_solution *known,
                      size_t n, const au_solve_limits *limits, size_t first, size_t last,
                      au_solution *r);

/* Asks in a window around it. The answer is about m: AU_SAT with a schedule of m, or
 * AU_UNKNOWN with the reason. */
void au_solve_in_window(const au_model *m, const au_solve_options *o, const au_query *q,
                        const au_solve_limits *limits, size_t size, au_solution *r);

#endif
