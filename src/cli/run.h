/* cli/run.h: for the commands that run a program. */
#ifndef AU_CLI_RUN_H
#define AU_CLI_RUN_H

#include "cli/cli.h"
#include "record/record.h"

/* Says on stderr how the program ended (nothing if well), what the runtime has to say,
 * and what of the recording could not be kept. 'output' may be NULL. */
void au_run_tell(const au_opts *o, const au_program *p, const au_run_result *r, const char *output);

/* record_suite.c: --suite. */
int au_cli_record_suite(const au_opts *o, const char *dir);

#endif
