/* scan/sections.h: between __VERIFIER_atomic_begin and its end nobody else moves. In the model that is a lock, which
 * only keeps out those that take it, too; so a schedule in which others move there is no run of the program. */
#ifndef AU_SCAN_SECTIONS_H
#define AU_SCAN_SECTIONS_H

#include "model/model.h"
#include "solve/solve.h"

/* Whether the schedule still shows what it is for. */
typedef bool au_sections_try(const void *ctx, const au_solution *s);

/* Moves steps of others out of the sections of this lock, as long as the schedule stays good. False: not all of them
 * can be; the schedule is as it was up to there. */
bool au_sections_close(const au_model *m, uint32_t lock, au_solution *s, au_sections_try *good,
                       const void *ctx);

#endif
