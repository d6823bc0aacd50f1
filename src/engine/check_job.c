/* engine/check_job.c: see check_job.h. */
#include "engine/check_job.h"

#include "base/clock.h"
#include "engine/inputs.h"
#include "scale/shards.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char au_check_job_aside[] =
    "output|format|most|verbose|stats|jobs|dump|certify|shard|on|nodes|retries|work-dir|"
    "slurm-options|node-augur";

au_status au_check_can_shard(const au_opts *o, const char *option, au_error *err) {
    if (au_opt_flag(o, "first"))
        return au_error_set(
            err, AU_EUSAGE,
            "--first conflicts with %s: the first finding would depend on the shards", option);
    if (au_opt_number(o, "budget") > 0)
        return au_error_set(err, AU_EUSAGE,
                            "--budget conflicts with %s: the answers of a shard must not depend on "
                            "time; limit its queries with --timeout",
                            option);
    if (au_opt_given(o, "certify"))
        return au_error_set(err, AU_EUSAGE,
                            "--certify conflicts with %s: a shard refutes a part of the questions "
                            "only; certify a whole check",
                            option);
    struct stat st;
    for (size_t i = 0; i < au_operands(o); i++)
        if (!strcmp(au_operand(o, i), "-") ||
            (!stat(au_operand(o, i), &st) && !S_ISREG(st.st_mode)))
            return au_error_set(err, AU_EUSAGE,
                                "%s needs files: every shard reads all of the input", option);
    return AU_OK;
}

au_status au_check_identify(const au_opts *o, au_dossier *d, au_error *err) {
    size_t n;
    char **word = au_opts_words(o, au_check_job_aside, &n);
    const char **input = au_input_names(o);
    au_status st = au_shards_identify(d, word, n, input, au_operands(o), err);
    free(input);
    for (size_t i = 0; i < n; i++)
        free(word[i]);
    free(word);
    return st;
}

double au_check_job_seconds(const au_check_job *job) {
    const au_dossier *merged = job->merged;
    double sum = 0;
    if (!merged)
        return au_now() - job->begun;
    for (size_t i = 0; i < merged->shard.part.n; i++)
        sum += merged->shard.part.at[i].seconds;
    return sum;
}

bool au_check_job_timeless(const au_opts *o, const au_check_job *job) {
    return !au_opt_flag(o, "stats") || (job->merged && job->merged->timeless);
}

/* What the JSON says of shards: whose result it is, and what is needed to go on. */
static void put_shard(const au_opts *o, const au_check_job *job, au_dossier *d) {
    const au_dossier *merged = job->merged;
    au_error err = AU_ERROR_NONE;
    char here[PATH_MAX];
    if (!job->answers || (merged && au_answers_cover_all(job->answers)) ||
        au_check_identify(o, d, &err) != AU_OK)
        return;
    d->shard.of = job->answers->shards;
    au_answers_write(job->answers, d);
    for (size_t i = 0; merged && i < merged->shard.part.n; i++) {
        au_case_part p = merged->shard.part.at[i];
        p.directory = au_dossier_text_copy(d, p.directory);
        au_vec_push(&d->shard.part, p);
    }
    for (uint32_t i = 0; !merged && i < job->answers->shards; i++) {
        au_case_part p = {i + 1, "", d->seconds, d->peak_kib};
        if (getcwd(here, sizeof here))
            p.directory = au_dossier_text_copy(d, here);
        if (job->answers->cover[i])
            au_vec_push(&d->shard.part, p);
    }
}

void au_check_job_dossier(const au_opts *o, const au_engine_check *u, const au_check_job *job,
                          const char *format, au_dossier *d) {
    au_engine_check_dossier(u, !strcmp(format, "html"), d);
    d->seconds = au_check_job_seconds(job);
    for (size_t i = 0; job->merged && i < job->merged->shard.part.n; i++) {
        const au_case_part *part = &job->merged->shard.part.at[i];
        d->peak_kib = !i || part->peak_kib > d->peak_kib ? part->peak_kib : d->peak_kib;
    }
    d->timeless = au_check_job_timeless(o, job);
    if (!strcmp(format, "json"))
        put_shard(o, job, d);
}
