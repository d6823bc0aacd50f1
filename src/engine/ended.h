/* engine/ended.h: how a recorded program ended. */
#ifndef AU_ENGINE_ENDED_H
#define AU_ENGINE_ENDED_H

#include "record/record.h"

typedef enum {
    AU_PROGRAM_WELL,    /* exit status 0, or stopped by --max-events or --for */
    AU_PROGRAM_FAILED,  /* another status, a signal, an assertion, a deadlock */
    AU_PROGRAM_STOPPED, /* by a limit of the runtime: more threads than a trace can hold */
    AU_PROGRAM_NO_HOOKS /* the runtime was never there */
} au_program_end;

au_program_end au_program_ended(const au_launch_result *l);

#endif
