/* cli/check_job.h: a check that is a part of something larger, or made of parts: between check,
 * merge and what runs shards elsewhere. */
#ifndef AU_CLI_CHECK_JOB_H
#define AU_CLI_CHECK_JOB_H

#include "cli/cli.h"
#include "funnel/answers.h"

typedef struct {
    double begun;        /* au_now() */
    au_answers *answers; /* NULL: it is not in shards */
    const au_dossier
        *merged; /* what shards the answers are of (scale/shards.h); NULL: one of ours */
} au_check_job;

/* ---- cmd_check.c ---- */
int au_cli_check(const au_opts *o, const au_check_job *job);

/* ---- cmd_merge.c ---- */

/* What the check is about (au_shards_identify), from its command line. */
au_status au_cli_identify(const au_opts *o, au_dossier *d, au_error *err);
/* Can this be done in shards at all? option: who asks, for messages. */
au_status au_cli_can_shard(const au_opts *o, const char *option, au_error *err);
/* The check of these shards, told as 'o' says (check or merge: format, output, most, stats). */
int au_cli_check_merged(const au_opts *o, const au_dossier *merged, au_answers *answers);

/* ---- check_on.c ---- */
int au_cli_check_on(const au_opts *o); /* --on */

#endif
