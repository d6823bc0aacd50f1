/* cli/cmd_verify.c: augur verify. The work is done by a program of its own (src/verify/main.c), in which there is nothing
 * of the stages that it judges. */
#include "base/alloc.h"
#include "base/parts.h"
#include "cli/cli.h"

#include <unistd.h>

int au_cmd_verify(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    char *path = au_part_find(AU_PART_VERIFY, &err);
    if (!path)
        return au_cli_fail(&err);
    char *jobs = au_opt_given(o, "jobs") ? au_sprintf("%lld", (long long)au_opt_int(o, "jobs"))
                                         : au_strdup("0");
    char *const args[] = {path, "--jobs", jobs, (char *)au_operand(o, 0), NULL};
    execv(path, args);
    au_error_errno(&err, "cannot execute '%s'", path);
    free(jobs);
    free(path);
    return au_cli_fail(&err);
}
