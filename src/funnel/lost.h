/* funnel/lost.h: lost updates of a trace (solve/lost.h), between the files of the exact stage. */
#ifndef AU_FUNNEL_LOST_H
#define AU_FUNNEL_LOST_H

#include "funnel/open.h"

/* "20 instead of 30", in the arena. var is of m. */
const char *au_lost_words(const au_model *m, uint32_t var, const au_lost_values *v, au_arena *into);

/* A value as a person reads it. */
void au_lost_say(char *to, size_t room, int64_t v);
/* "stale: now 0": of a stale decision. */
const char *au_stale_words(const au_model *m, uint32_t var, const au_lost_values *v,
                           au_arena *into);

/* Calls 'add' in a part of the time that is left, and says 'what' was cut if that did not do. */
void au_opener_in_time(au_opener *k, void (*add)(au_opener *), const char *what);
/* Adds a question for each write that was decided on by an earlier read of the same variable (stale.c). */
void au_opener_add_stale(au_opener *k);
/* Adds a question for each read and write of one variable by one thread where the one is computed from the other, of
 * those at the same locations a few. */
void au_opener_add_lost(au_opener *k);
/* Says so if executions were left out of which none at their locations was found to lose an update. */
void au_opener_lost_left(const au_opener *k);
/* The finding of a solution, once for each two locations and variable. */
void au_opener_tell_lost(au_opener *k, const au_query *q, const au_solution *s);

#endif
