/* trace/hooks.h: which hook of the recorded program an event of the trace belongs to, and
 * where the program can stop.
 *
 * Schedules of recorded programs speak of hook counts. Nearly every hook is one event; an
 * access of several cells (cells.h) is several, and what no analysis asks for may be left
 * out of the trace: a hook without an event. And nearly every hook is a point where
 * threads can take turns; some follow the one before without (the write of a copy its
 * read): these make one *step*. All that is noted here. An index is the number of an
 * event within its thread, from 1. Memory: by places where the rhythm changes. */
#ifndef AU_TRACE_HOOKS_H
#define AU_TRACE_HOOKS_H

#include "trace/finding.h"
#include "trace/replies.h"

struct au_hook_run {
    uint64_t index;  /* event where it begins */
    uint64_t before; /* how many were counted before it */
    uint64_t gap;    /* from one time to the next */
    uint32_t times;  /* so often in this rhythm … */
    uint32_t n;      /* … and so many each time */
};
typedef struct {
    uint64_t all;
    AU_VEC(struct au_hook_run) run;
} au_hook_runs;

typedef struct au_hooks {
    AU_VEC(struct au_hook_thread {
        uint64_t events;       /* noted so far */
        uint64_t glued;        /* hooks without an event since the last one, of the last step … */
        uint64_t left_out;     /* … all of them … */
        bool open;             /* … and they belong to the last event's step */
        uint64_t placed;       /* au_hooks_place: the last hook with events */
        au_hook_runs parts;    /* events that are not the first of their hook */
        au_hook_runs steps;    /* events that are not the first of their step */
        au_hook_runs skipped;  /* at an event: hooks without an event before it */
        au_hook_runs leading;  /* at an event: of these, how many belong to its step */
        au_hook_runs trailing; /* at an event: hooks without one behind it in its step */
    })
    thread;
    uint64_t events; /* of all threads */
    /* Accesses that tell nothing new and are hooks without an event (thin.h); 0: no trace of this was thinned. */
    uint64_t thinned;
    au_replies replies;
} au_hooks;

void au_hooks_init(au_hooks *h);
void au_hooks_release(au_hooks *h);
/* The next hook of a thread has n events. glued: it belongs to the step of the hook before. */
void au_hooks_note(au_hooks *h, uint16_t thread, uint64_t n, bool glued);

/* The next hook of a thread that has events is number 'hook', one of the step from hook 'first' to hook 'last'. Who tells
 * this does not call au_hooks_note. */
void au_hooks_place(au_hooks *h, uint16_t thread, uint64_t hook, uint64_t n, uint64_t first,
                    uint64_t last);

/* The thread is answered by what the model does not have (replies.h). */
void au_hooks_reply(au_hooks *h, uint16_t thread, au_libc_reply kind);

/* The hook that event 'index' belongs to. */
uint64_t au_hooks_of(const au_hooks *h, uint16_t thread, uint64_t index);
/* Does it belong to the step of the event before it in its thread? */
bool au_hooks_goes_on(const au_hooks *h, uint16_t thread, uint64_t index);
/* The last event up to 'index' after which the thread can stop; 0: before its first. */
uint64_t au_hooks_stop(const au_hooks *h, uint16_t thread, uint64_t index);
/* How many hooks are executed when the thread stops after event 'index' (which au_hooks_stop
 * gave): at once, or just before the step of its next event. */
uint64_t au_hooks_after(const au_hooks *h, uint16_t thread, uint64_t index, bool late);

/* How many hooks are executed when the step of this event is. */
uint64_t au_hooks_step_end(const au_hooks *h, uint16_t thread, uint64_t index);

/* Makes hook counts of all indexes of a finding's events and schedule. A step that
 * the schedule stops inside of is not begun; turns without a hook are left out. In its last
 * turn a thread of the finding goes on until its next event comes; in every turn, if the trace was thinned and
 * a block is broken. The arena is the
 * findings': a turn may have to be added. */
void au_hooks_tell(const au_hooks *h, au_finding *f, au_arena *arena);

#endif
