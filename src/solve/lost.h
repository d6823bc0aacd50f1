/* solve/lost.h: lost updates, as questions and as a property.
 *
 * A thread writes v (w): a term W over what it read of v since it last wrote v itself. The update that another thread made
 * in between is lost if W is not what the same computation gives on the value that w overwrites:
 *
 *     the prefix ends right before w, which can run;
 *     W != W with that value for all that the thread read of v since its own last write of it.
 *
 * So one of these reads saw another value than there is now, and another thread has written v since. A write that only
 * succeeds on the value that was read (compare-and-exchange) never differs, nor does a constant. A step that also reads v
 * itself counts as a write only if it changes it: a compare-and-exchange that fails writes nothing.
 *
 * A stale decision: the thread comes to w only by a branch with the condition C, over what it read of v; the prefix ends right
 * before w, and C does not hold with the value that there is now. What it wrote itself since is its own business.
 *
 * For prefixes with values and any number of changes of thread (ctp); of others nothing is asked. */
#ifndef AU_SOLVE_LOST_H
#define AU_SOLVE_LOST_H

#include "solve/backend.h"
#include "solve/query.h"

/* Can such questions be asked of these interleavings? */
bool au_lost_is_asked(const au_cssa *c);
/* One for each w (step[2]), and the first read that it depends on (step[0]); step[1] is AU_NONE: any other thread's
 * write. With repetitions. */
void au_lost_questions(au_cssa *c, au_queries *into);
/* The property: see above. */
au_term au_lost_term(au_cssa *c, const au_query *q);
/* Of a prefix that has it, as these events: the place of the last write of the variable by another thread, and that of the
 * last read before it that w depends on. */
size_t au_lost_overwritten(au_cssa *c, const au_query *q, const au_prefix *p,
                           const au_u32s *events);
size_t au_lost_read(const au_cssa *c, const au_query *q, const au_u32s *events, size_t until);

#endif
