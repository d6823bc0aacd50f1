/* confirm/harm.h: what a race does.
 *
 * Both orders of its accesses are executed to the program's end, each with several continuations: as an idle machine would go
 * on, and on random schedules. Executions that differ in nothing but the order are compared:
 *
 *   fails      one of them fails, the other does not
 *   output     they tell the world something else (outcome.h), in two executions of each
 *   state      they leave shared memory with other values, in two executions of each
 *   none-seen  neither; or they did not end, which is said
 *
 * Output and memory are compared for the first continuation alone: on random ones more may differ than this order. It
 * never makes less of a race. */
#ifndef AU_CONFIRM_HARM_H
#define AU_CONFIRM_HARM_H

#include "confirm/cases.h"

/* Of every confirmed race of which nobody has said it, and of every confirmed lost update: that has one order only, which is compared
 * with the recorded run. The worse order becomes the one that is told and replayed, with that execution as
 * its witness. When the time is over, or
 * the recorded run did not end by itself: none-seen, and that. first: the recording of the first run. */
void au_confirm_harm(au_dossier *d, const char *first, const au_confirm_plan *p, au_compare how,
                     au_confirm_counts *n);

#endif
