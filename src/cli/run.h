/* cli/run.h: for the commands that run a program. */
#ifndef AU_CLI_RUN_H
#define AU_CLI_RUN_H

#include "cli/cli.h"
#include "record/record.h"

/* How a recorded program ended. */
typedef enum {
    AU_PROGRAM_WELL,    /* exit status 0, or stopped by --max-events */
    AU_PROGRAM_FAILED,  /* another status, a signal, an assertion, a deadlock */
    AU_PROGRAM_STOPPED, /* by a limit of the runtime: more threads than a trace can hold */
    AU_PROGRAM_NO_HOOKS /* the runtime was never there */
} au_program_end;
/* Says on stderr how the program ended (nothing if well), what the runtime has to say,
 * and what of the recording could not be kept. 'output' may be NULL. */
au_program_end au_run_tell(const au_opts *o, const au_program *p, const au_run_result *r,
                           const char *output);

#endif
