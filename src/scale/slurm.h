/* scale/slurm.h: the shards of a check as an array of Slurm jobs.
 *
 * One directory on a file system that all nodes see holds the job's script and a result for each
 * shard, which appears there whole or not at all. A shard whose job is gone and that has left no
 * result is lost, for whatever reason, and is submitted again. */
#ifndef AU_SCALE_SLURM_H
#define AU_SCALE_SLURM_H

#include "funnel/answers.h"
#include "report/case.h"

typedef struct {
    const char *augur;   /* the program on the nodes */
    char *const *option; /* of the check */
    size_t n_options;
    const char *const *input;
    size_t n_inputs;
    const char *check;     /* what all results are to be of */
    uint32_t shards;       /* at least 1 */
    uint32_t retries;      /* how often a lost shard is submitted again */
    uint32_t cores;        /* of a shard; 0: as Slurm gives them */
    const char *directory; /* in which one of our own is made */
    const char *extra;     /* more options of sbatch, parted by blanks, quotes as in a shell; "" */
    void (*tell)(void *ctx, const char *text); /* a remark */
    void *ctx;
} au_slurm_plan;

/* Fills 'whole' (initialised, see au_shards_join) and 'answers' (of so many shards) with all of them.
 * Whatever happens, no job and no file is left, except after SIGKILL. If a signal asked it to stop, *stopped is
 * that signal and the status is not AU_OK. AU_EUSAGE: Slurm or a shard refused what it was given;
 * AU_EINTERNAL: shards were lost too often. */
au_status au_slurm_run(const au_slurm_plan *p, au_dossier *whole, au_answers *answers, int *stopped,
                       au_error *err);

#endif
