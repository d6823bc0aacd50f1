/* tsg/calls.h: functions of which a thread has one copy for several calls (model.h: au_call).
 *
 * A path that enters such a copy from one call and leaves it to where another call goes on is none of the
 * program. What holds on every path is therefore carried past a call for all locks and threads that the
 * function, and what it calls, does not touch, and only the rest comes back from it. */
#ifndef AU_TSG_CALLS_H
#define AU_TSG_CALLS_H

#include "tsg/facts.h"

typedef struct {
    bool any;     /* there are such calls; else nothing below is filled in */
    uint32_t *on; /* by step: node where this call goes on, AU_NONE: no call */
    uint32_t
        *call; /* by node: the call that goes on here, AU_NONE. All other steps to it are returns */
    uint32_t *entry; /* by step: which function a call enters */
    size_t entries, words, thread_words;
    uint64_t *locks; /* by function: numbers of locks that it may take or give */
    uint64_t *forks; /* by function: threads that it may fork */
} au_calls;

/* touches(step): the numbers of the locks that it takes or gives, at most two; how many. */
void au_calls_make(au_calls *c, const au_facts *f, size_t locks,
                   unsigned (*touches)(const void *ctx, const au_step *s, uint32_t *number),
                   const void *ctx);
void au_calls_release(au_calls *c);

#endif
