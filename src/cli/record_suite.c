/* cli/record_suite.c: 'augur record --suite', which a process of a test suite has become (rt/suite.c): records the
 * program and ends as it ends, so that nobody in the suite notices. A program that cannot be recorded is run as it is. */
#include "base/clock.h"
#include "base/out.h"
#include "cli/run.h"
#include "engine/ended.h"
#include "engine/program_options.h"
#include "engine/recorder.h"
#include "engine/suite.h"
#include "wire/stream.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int run_plain(const au_opts *o, const au_error *why) {
    unsetenv(AU_SUITE_VARIABLE);
    au_cli_note(o, "'%s' is not recorded: %s", au_operand(o, 0), why->text);
    execv(au_operand(o, 0), au_operand_rest(o, 0));
    au_error err = AU_ERROR_NONE;
    au_error_errno(&err, "cannot run '%s'", au_operand(o, 0));
    return au_cli_fail(&err);
}

static int end_as(int status) {
    if (WIFSIGNALED(status)) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none); /* of augur nobody wants one */
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}

static void put(const au_opts *o, const char *path, const au_recorder *r, const au_run_result *x) {
    const struct au_control *last = &x->launch.last;
    const char *number = au_opt_str(o, "suite-number");
    bool alone = last->asked == AU_ASKED_NOTHING && !x->loads && last->ended == 1 + AU_END_EXIT &&
                 !last->forks;
    uint64_t known = alone && number ? strtoull(number, NULL, 10) : 0;
    au_suite_put(path, &r->program, x->launch.status, x->launch.seconds, last, known);
}

int au_cli_record_suite(const au_opts *o, const char *dir) {
    au_error err = AU_ERROR_NONE;
    au_recorder r = {0};
    au_run_result x;
    au_status st = au_program_options(o, &r.program, &err);
    r.program.plan.policy = (uint32_t)au_policy_by_name(au_opt_str(o, "policy"));
    r.program.plan.seed = (uint64_t)au_opt_int(o, "seed");
    au_recorder_plan(&r, o);
    if (st != AU_OK) {
        au_recorder_release(&r);
        return run_plain(o, &err);
    }
    char *path = au_suite_claim(dir, &r.program);
    au_recorder_run how = {.output = path, .gives = true};
    st = au_recorder_record(&r, &how, &x, &err);
    if (st == AU_OK && au_program_ended(&x.launch) == AU_PROGRAM_NO_HOOKS &&
        *x.launch.last.message) {
        st = au_error_set(&err, AU_EUNSUPPORTED, "%s", x.launch.last.message);
        au_run_release(&x);
    }
    if (st != AU_OK) {
        au_suite_refuse(path, &r.program, err.text);
        free(path);
        au_recorder_release(&r);
        return run_plain(o, &err);
    }
    int status = x.launch.status;
    if (x.write_status != AU_OK)
        au_cli_note(o, "'%s' is not recorded: %s", au_operand(o, 0), x.write_error.text);
    else
        put(o, path, &r, &x);
    free(path);
    au_run_release(&x);
    au_recorder_release(&r);
    return end_as(status);
}
