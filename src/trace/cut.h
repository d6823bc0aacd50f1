/* trace/cut.h: a schedule that keeps the order of the trace, as how far each thread gets in it.
 *
 * A long schedule of a predictor is a part of the trace in the trace's own order: the first events of each
 * thread, and perhaps at the end some of one thread that come late. That is a number a thread, however many
 * turns it has; the turns are walked where they are needed, in memory by threads. */
#ifndef AU_TRACE_CUT_H
#define AU_TRACE_CUT_H

#include "base/arena.h"
#include "trace/event.h"
#include "trace/turn.h"

typedef struct au_cut {
    const uint32_t *upto; /* by thread: how many of its events */
    uint32_t threads;
    uint32_t
        late; /* AU_NONE, or a thread that has only 'kept' of them in place, and the rest at the end */
    uint32_t kept;
} au_cut;

/* How many events it has. */
uint64_t au_cut_events(const au_cut *c);

/* A walk over its turns. */
typedef struct {
    const au_cut *cut;
    const au_columns *events; /* of its trace */
    uint32_t *done;           /* by thread */
    size_t at;                /* event of the trace */
    uint64_t left;            /* events in place that are still to come */
    bool ended;               /* … and the late ones have been told */
} au_cut_walk;

/* Borrows both. */
void au_cut_begin(au_cut_walk *w, const au_cut *c, const au_columns *events);
/* The next turn; false: there is none. */
bool au_cut_turn(au_cut_walk *w, au_turn *turn);
void au_cut_end(au_cut_walk *w);

/* All of them written out. With more than max_turns turns (0: no limit) the result is empty, though the cut may be
 * empty as well (au_cut_events). */
au_schedule au_cut_schedule(const au_cut *c, const au_columns *events, au_arena *arena,
                            uint64_t max_turns);
/* A copy in the arena. */
const au_cut *au_cut_copy(const au_cut *c, au_arena *arena);

#endif
