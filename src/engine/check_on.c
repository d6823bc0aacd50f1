/* engine/check_on.c: see check_on.h. */
#include "engine/check_on.h"

#include "engine/check_job.h"
#include "engine/forms.h"
#include "engine/inputs.h"
#include "scale/shards.h"
#include "scale/slurm.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* The program that runs. The caller frees it. */
static char *this_program(au_error *err) {
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    if (n <= 0 || (size_t)n >= sizeof path) {
        au_error_errno(err, "cannot find the path of augur: give --node-augur");
        return NULL;
    }
    return au_strndup(path, (size_t)n);
}

static au_status may_be(const au_opts *o, au_error *err) {
    if (au_opt_given(o, "shard"))
        return au_error_set(err, AU_EUSAGE, "--shard conflicts with --on");
    if (!au_opt_given(o, "nodes"))
        return au_error_set(err, AU_EUSAGE, "--on needs --nodes, the number of shards");
    au_status st = au_check_can_shard(o, "--on", err);
    return st == AU_OK ? au_form_can_write(au_opt_str(o, "output"), err) : st;
}

au_status au_engine_check_on(const au_opts *o, void (*tell)(void *ctx, const char *text), void *ctx,
                             au_dossier *merged, au_answers *answers, int *stopped, au_error *err) {
    const char **input = au_input_names(o), *augur = au_opt_str(o, "node-augur");
    uint32_t shards = (uint32_t)au_opt_int(o, "nodes");
    au_dossier about;
    *stopped = 0;
    au_dossier_init(&about);
    au_dossier_init(merged);
    au_answers_init(answers, shards ? shards : 1);
    au_status st = may_be(o, err);
    if (st == AU_OK)
        st = au_check_identify(o, &about, err);
    char *own = st == AU_OK && !augur ? this_program(err) : NULL;
    if (st == AU_OK && !augur && !own)
        st = err->status;
    au_slurm_plan p = {.augur = augur ? augur : own,
                       .option = (char *const *)about.shard.option.at,
                       .n_options = about.shard.option.n,
                       .input = input,
                       .n_inputs = au_operands(o),
                       .check = about.shard.check,
                       .shards = shards,
                       .retries = (uint32_t)au_opt_int(o, "retries"),
                       .cores = (uint32_t)au_opt_int(o, "jobs"),
                       .directory = au_opt_str(o, "work-dir"),
                       .extra = au_opt_str(o, "slurm-options"),
                       .tell = tell,
                       .ctx = ctx};
    if (st == AU_OK)
        st = au_slurm_run(&p, merged, answers, stopped, err);
    au_dossier_release(&about);
    free(own);
    free(input);
    return st;
}
