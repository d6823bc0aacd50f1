/* cli/check.h: the report of a check, for the commands that end in one. */
#ifndef AU_CLI_CHECK_H
#define AU_CLI_CHECK_H

#include "cli/cli.h"
#include "engine/check_job.h"

/* The check and its report (cmd_check.c). */
int au_cli_check(const au_opts *o, const au_check_job *job);
/* The check of these shards, told as 'o' says (cmd_merge.c). */
int au_cli_check_merged(const au_opts *o, const au_dossier *merged, au_answers *answers);

#endif
