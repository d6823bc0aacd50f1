/* trace/replies.h: what a run was told by what it did not compute: the time, the numbers of descriptors, how many units
 * a semaphore has, what the kernel keeps, what a library without hooks made of the memory that it was given. In another
 * order the answers are others; the model does not have them. So a schedule shows what it is to show only if the run
 * was asked in the same order there (au_replies_broken); the program itself, executed, may say more.
 *
 * Kept beside the events, in the order of the run: answers of one kind to one thread, with none of that kind to another
 * between them, are one entry. STATE and MEMORY are one kind here, but a MEMORY also asks what other threads have
 * written so far, and a PATCHED where they stand. An index is the number of an event within its thread, from 1. */
#ifndef AU_TRACE_REPLIES_H
#define AU_TRACE_REPLIES_H

#include "trace/event.h"
#include "trace/finding.h"
#include "trace/turn.h"
#include "wire/libc.h"

struct au_replied {
    uint64_t first, last; /* as many events of the thread lie before them */
    uint64_t all;         /* events of all threads before the last */
    uint64_t n;
    uint32_t before; /* the entry of its kind before it, + 1 */
    uint16_t thread;
    uint8_t kind;
};
typedef struct {
    AU_VEC(struct au_replied) at;
    uint32_t latest[AU_REPLIES]; /* of this kind, + 1 */
} au_replies;

void au_replies_release(au_replies *a);
/* The thread, after 'index' of its own events and 'all' of everybody's, is answered. */
void au_replies_note(au_replies *a, au_libc_reply kind, uint16_t thread, uint64_t index,
                     uint64_t all);

/* What schedules are compared with, for any number of them. 'c' has all events; NULL: they are not kept, and nothing that
 * looks at locks or memory holds. Borrows both. */
typedef struct au_replies_view au_replies_view;
au_replies_view *au_replies_view_new(const au_replies *a, const au_columns *c, size_t threads);
void au_replies_view_free(au_replies_view *v);
/* The first answer that may be another one on this schedule, or before these events, to which it leads;
 * AU_REPLY_UNSTATED: the run is asked as it was. */
au_libc_reply au_replies_broken(au_replies_view *v, const au_schedule *s, const au_event_ref *to,
                                uint32_t n);

#endif
