/* cli/main.c: from argv to a command and to an exit status. */
#include "base/alloc.h"
#include "base/deadline.h"
#include "base/out.h"
#include "base/progress.h"
#include "base/temporary.h"
#include "cli/cli.h"
#include "cli/help.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Async-signal-safe. */
static void remove_unfinished(void) {
    au_out_remove_unfinished();
    au_temporary_remove_left();
}

/* Whoever read our output has gone (| head): there is nobody left to tell and
 * nothing went wrong. */
static void on_pipe(int sig) {
    (void)sig;
    remove_unfinished();
    _exit(AU_EXIT_NOTHING);
}

/* Dies of the same signal, so that a shell loop around us stops as well. */
static void on_stop(int sig) {
    remove_unfinished();
    signal(sig, SIG_DFL);
    raise(sig);
}

static void on_oom(size_t bytes) {
    (void)bytes;
    static const char text[] = "augur: out of memory\n";
    remove_unfinished();
    ssize_t k = write(STDERR_FILENO, text, sizeof text - 1);
    (void)k;
    _exit(AU_EXIT_INTERNAL);
}

static void on_signal(int sig, void (*handler)(int)) {
    struct sigaction old, now = {.sa_handler = handler};
    /* A signal that our parent had ignored (nohup) stays ignored. */
    if (sig != SIGPIPE && !sigaction(sig, NULL, &old) && old.sa_handler == SIG_IGN)
        return;
    sigemptyset(&now.sa_mask);
    now.sa_flags = SA_RESETHAND | SA_NODEFER;
    sigaction(sig, &now, NULL);
}

/* With a standard descriptor closed, the next file opened would become it and
 * our output would go there. Opened the wrong way round, using it fails as it
 * should. */
static void fill_standard_descriptors(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0) {
            int got = open("/dev/null", fd ? O_RDONLY : O_WRONLY);
            (void)got;
        }
}

static int usage_error(const au_command *c, const au_error *err) {
    int status = au_cli_fail(err);
    fprintf(stderr, "try 'augur%s%s --help'\n", *c->name ? " " : "", c->name);
    return status;
}

static int unknown_command(const char *name) {
    au_error err = AU_ERROR_NONE;
    const char *near = au_command_nearest(name);
    if (near)
        au_error_set(&err, AU_EUSAGE, "unknown command '%s'; did you mean '%s'?", name, near);
    else
        au_error_set(&err, AU_EUSAGE, "unknown command '%s'", name);
    return usage_error(&au_command_root, &err);
}

static int run_command(const au_command *c, int argc, char *const *argv, const au_opts *before) {
    au_error err = AU_ERROR_NONE;
    au_opts *o = au_opts_parse(c, argc, argv, &err);
    if (!o)
        return usage_error(c, &err);
    au_opts_inherit(o, before);
    const char *progress = au_opt_str(o, "progress");
    au_progress_enable(!au_opt_flag(o, "quiet"));
    au_progress_as(!strcmp(progress, "plain")  ? AU_PROGRESS_PLAIN
                   : !strcmp(progress, "none") ? AU_PROGRESS_NONE
                                               : AU_PROGRESS_AUTO);
    /* Those that report what they have when they are told to stop. A part of a shard would be taken for all of
     * it: a shard that is told to stop leaves nothing, and is done again. */
    bool shard = au_opt_known(o, "on") && (au_opt_given(o, "on") || au_opt_given(o, "shard"));
    if (au_opt_known(o, "budget") && !shard) {
        au_deadline_listen(on_stop);
    } else {
        on_signal(SIGINT, on_stop);
        on_signal(SIGTERM, on_stop);
    }
    int status = au_opt_flag(o, "help") ? au_help_print(au_help_text, c, o) : au_cli_function(c)(o);
    au_progress_end();
    au_opts_free(o);
    return status;
}

static int print_version(void) {
    au_error err = AU_ERROR_NONE;
    au_out *out = au_out_fd(STDOUT_FILENO, "<stdout>");
    au_out_str(out, "augur " AU_VERSION "\n");
    return au_out_commit(out, &err) == AU_OK ? AU_EXIT_NOTHING : au_cli_fail(&err);
}

int main(int argc, char **argv) {
    fill_standard_descriptors();
    on_signal(SIGPIPE, on_pipe);
    on_signal(SIGHUP, on_stop);
    signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error like a full disk */
    au_alloc_on_oom(on_oom);
    cJSON_InitHooks(&(cJSON_Hooks){au_alloc, free}); /* no memory is not bad JSON */

    au_error err = AU_ERROR_NONE;
    au_opts *o = au_opts_parse(&au_command_root, argc > 0 ? argc - 1 : 0, argv + 1, &err);
    if (!o)
        return usage_error(&au_command_root, &err);
    int status;
    const au_command *c;
    if (au_opt_flag(o, "help")) {
        status = au_help_print(au_help_text, &au_command_root, o);
    } else if (au_opt_flag(o, "version")) {
        status = print_version();
    } else if (!au_operands(o)) {
        au_error_set(&err, AU_EUSAGE, "no command given");
        status = usage_error(&au_command_root, &err);
    } else if (!(c = au_command_by_name(au_operand(o, 0)))) {
        status = unknown_command(au_operand(o, 0));
    } else {
        status = run_command(c, (int)au_operands(o) - 1, au_operand_rest(o, 1), o);
    }
    au_opts_free(o);
    return status;
}
