/* base/aside.h: a part of the caller's own work, done beside it by a forked child.
 *
 * Unlike a pool's (base/worker.h) the caller goes on with another part meanwhile. What the child writes goes into memory
 * that both have, so that it never waits for its parent; what it has flushed is there even if it is ended. Whoever cannot
 * start one, or gets nothing from it, does that part himself. Not for solvers: nothing limits its memory or time but the command's
 * deadline. */
#ifndef AU_BASE_ASIDE_H
#define AU_BASE_ASIDE_H

#include "base/out.h"

typedef struct au_aside au_aside;

/* Runs in the child. */
typedef void au_aside_fn(void *ctx, au_out *out);

/* NULL: there is no child. Limits that bite in it (base/limits.h) are its own: it has to tell. */
au_aside *au_aside_start(au_aside_fn *f, void *ctx);
/* Waits for its end; when the command's time is over, not for long. True: it did everything. What it has written, whole or not, is
 * at *data until the child is freed. */
bool au_aside_wait(au_aside *a, const char **data, size_t *size);
/* While it goes on: waits until it has written (and flushed) so much, and copies n bytes of that from 'from' on. False: it
 * ended before, or the command's time did. */
bool au_aside_read(au_aside *a, size_t from, void *into, size_t n);
/* Ends it if it is not over. NULL is fine. */
void au_aside_free(au_aside *a);

/* Processes that a part of the work may have: 'jobs' (0: one a core), but one in a worker: its pool has the others. */
unsigned au_aside_jobs(unsigned jobs);

#endif
