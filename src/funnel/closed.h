/* funnel/closed.h: threads that wait for each other and for nobody else. */
#ifndef AU_FUNNEL_CLOSED_H
#define AU_FUNNEL_CLOSED_H

#include "model/model.h"

/* After these steps threads are at 'next', waiting for each other: can nobody else end it? */
typedef enum {
    AU_CLOSED,           /* all wait for locks that they hold, or for the end of one of them */
    AU_CLOSED_OPEN,      /* … but somebody else holds one, too */
    AU_CLOSED_NOT_LOCKS, /* some wait for what anybody could give: a semaphore, a signal */
} au_closed;
au_closed au_deadlock_closed(const au_model *m, const uint32_t *step, size_t n,
                             const uint32_t *next, size_t n_next);

#endif
