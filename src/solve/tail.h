/* solve/tail.h: what comes after a window, in the observed order.
 *
 * All steps of a window are executed, in any order that they have there; the steps after it follow in the order
 * of the run, up to the end of the run or to an assertion that is to fail. Then one condition on what the
 * variables hold at the end of the window says whether that can be: the guards on the way, with what
 * was stored meanwhile put in. What the window cannot change is a number in it.
 *
 * Synchronisation counts as it did in the run: its state after all steps of a window is the same in nearly every
 * order of them. Where it is not, the schedule cannot be executed: who uses it looks (au_tail_runs). */
#ifndef AU_SOLVE_TAIL_H
#define AU_SOLVE_TAIL_H

#include "solve/window.h"

/* The steps from w->last up to 'until' of the observed run; that with this number (SIZE_MAX: none) is an
 * assertion and fails. The term is over shared variables of w->m, which gets steps at the ends of its threads that
 * tell their locals, and whose threads end where the window does. whole: failed assertions stop nobody. */
au_term au_tail_condition(au_window *w, size_t until, size_t fails, bool whole);

/* Can this be executed step by step from the start, does the assertion of this step (AU_NONE: of none) fail
 * on the way, and (whole) has every thread that was started come to its end? */
bool au_tail_runs(const au_model *m, const au_solution *r, uint32_t fails, bool whole);

#endif
