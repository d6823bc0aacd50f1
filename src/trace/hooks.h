/* trace/hooks.h: which hook of the recorded program an event of the trace belongs to, and
 * where the program can stop.
 *
 * Schedules of recorded programs speak of hook counts. Nearly every hook is one event; an
 * access of several cells (cells.h) is several. And nearly every hook is a point where
 * threads can take turns; some follow the one before without (the write of a copy its
 * read): these make one *step*. Both are noted here. An index is the number of an event
 * within its thread, from 1. Memory: by places where the rhythm changes. */
#ifndef AU_TRACE_HOOKS_H
#define AU_TRACE_HOOKS_H

#include "trace/finding.h"

/* Events that are not the first of their group. */
struct au_hook_run {
    uint64_t index;  /* the first of them */
    uint64_t before; /* how many there are before it */
    uint64_t gap;    /* from one group's first one to the next group's */
    uint32_t times;  /* so many groups in this rhythm … */
    uint32_t n;      /* … with so many each */
};
typedef struct {
    uint64_t all;
    AU_VEC(struct au_hook_run) run;
} au_hook_groups;

typedef struct au_hooks {
    AU_VEC(struct au_hook_thread {
        uint64_t events;     /* noted so far */
        au_hook_groups hook; /* groups: the events of a hook */
        au_hook_groups step; /* groups: the events of a step */
    })
    thread;
} au_hooks;

void au_hooks_init(au_hooks *h);
void au_hooks_release(au_hooks *h);
/* The next hook of a thread has n events (n > 0). glued: it belongs to the step of the hook
 * before. */
void au_hooks_note(au_hooks *h, uint16_t thread, uint64_t n, bool glued);

/* The hook that event 'index' belongs to. */
uint64_t au_hooks_of(const au_hooks *h, uint16_t thread, uint64_t index);
/* The last event up to 'index' after which the thread can stop; 0: before its first. */
uint64_t au_hooks_stop(const au_hooks *h, uint16_t thread, uint64_t index);

/* Makes hook counts of all indexes of a finding's events and schedule. A step that
 * the schedule stops inside of is not begun; turns without a hook are left out. */
void au_hooks_tell(const au_hooks *h, au_finding *f);

#endif
