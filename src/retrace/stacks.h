/* retrace/stacks.h: where the threads of a recording stood when it ended, with the lines of their calls. */
#ifndef AU_RETRACE_STACKS_H
#define AU_RETRACE_STACKS_H

#include "record/stacks.h"

/* As au_stacks_read, and the run is followed in the program's code: every frame has the line of its call, and
 * functions that were inlined have frames of their own. Where the code is missing or the run cannot be followed,
 * frames are as the recording tells them. The whole recording must be decoded: not for runs of more than
 * AU_LIMIT_STACK_EVENTS. */
au_status au_stacks_retrace(au_stacks *s, const char *recording, au_error *err);

#endif
