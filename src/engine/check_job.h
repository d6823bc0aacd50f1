/* engine/check_job.h: a check that is a part of something larger, or made of parts: for check, merge
 * and what runs shards elsewhere. */
#ifndef AU_ENGINE_CHECK_JOB_H
#define AU_ENGINE_CHECK_JOB_H

#include "engine/check.h"
#include "funnel/answers.h"

typedef struct {
    double begun;        /* au_now() */
    au_answers *answers; /* NULL: it is not in shards */
    const au_dossier
        *merged; /* what shards the answers are of (scale/shards.h); NULL: one of ours */
} au_check_job;

/* Options that do not decide what is found: they are of the one who asks, not of the check. For
 * au_opts_words. */
extern const char au_check_job_aside[];

/* Can this be done in shards at all? option: who asks, for messages. */
au_status au_check_can_shard(const au_opts *o, const char *option, au_error *err);
/* What the check is about (au_shards_identify), from its command line. */
au_status au_check_identify(const au_opts *o, au_dossier *d, au_error *err);

/* How long it took; of a check that was done in shards: what all of them took. */
double au_check_job_seconds(const au_check_job *job);
/* Does the report leave out times and sizes? */
bool au_check_job_timeless(const au_opts *o, const au_check_job *job);
/* Everything that is known of each finding, for this format, into an empty dossier. */
void au_check_job_dossier(const au_opts *o, const au_engine_check *u, const au_check_job *job,
                          const char *format, au_dossier *d);

#endif
