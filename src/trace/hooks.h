/* trace/hooks.h: which hook of the recorded program an event of the trace belongs to.
 *
 * Schedules of recorded programs speak of hook counts. Nearly every hook is one event; an
 * access of several cells (cells.h) is several, and this is where they are noted. An
 * index is the number of an event within its thread, from 1. Memory: by places where
 * the rhythm changes. */
#ifndef AU_TRACE_HOOKS_H
#define AU_TRACE_HOOKS_H

#include "trace/finding.h"

typedef struct au_hooks {
    AU_VEC(struct au_hook_thread {
        uint64_t events; /* noted so far */
        uint64_t extra;  /* of them, not the first of their hook */
        AU_VEC(struct au_hook_run {
            uint64_t index;  /* first extra event */
            uint64_t before; /* extra events before it */
            uint64_t gap;    /* from one hook's first extra event to the next's */
            uint32_t times;  /* so many hooks in this rhythm … */
            uint32_t n;      /* … with so many extra events each */
        })
        run;
    })
    thread;
} au_hooks;

void au_hooks_init(au_hooks *h);
void au_hooks_release(au_hooks *h);
/* The next hook of a thread has n events (n > 0). */
void au_hooks_note(au_hooks *h, uint16_t thread, uint64_t n);

/* The hook that event 'index' belongs to. */
uint64_t au_hooks_of(const au_hooks *h, uint16_t thread, uint64_t index);
/* How many hooks are over when 'index' events are. */
uint64_t au_hooks_over(const au_hooks *h, uint16_t thread, uint64_t index);

/* Makes hook counts of all indexes of a finding's events and schedule. A hook that the
 * schedule stops inside of is not begun; turns without a hook are left out. */
void au_hooks_tell(const au_hooks *h, au_finding *f);

#endif
