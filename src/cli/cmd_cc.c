/* cli/cmd_cc.c: augur cc, augur c++: clang with hooks. All arguments are clang's, but for
 * those that begin with --augur- and a lone --help. */
#include "base/alloc.h"
#include "cc/driver.h"
#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What every compiler returns; 2 and 3 would mean something to nobody here. */
enum { CC_FAILED = 1 };

static int failed(const au_error *err) {
    au_cli_fail(err);
    return CC_FAILED;
}

static int become(char **argv) {
    /* A plain program, as a shell would have started it. */
    signal(SIGXFSZ, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    fflush(NULL);
    execv(argv[0], argv);
    fprintf(stderr, "augur: cannot run '%s': %s\n", argv[0], strerror(errno));
    for (char **s = argv; *s; s++)
        free(*s);
    free(argv);
    return CC_FAILED;
}

static int compile(const au_opts *o, bool cxx) {
    au_error err = AU_ERROR_NONE;
    size_t n = au_operands(o);
    char **arg = au_alloc_array(n + 1, sizeof *arg);
    au_driver_options d = {.cxx = cxx, .arg = arg};
    for (size_t i = 0; i < n; i++) {
        const char *s = au_operand(o, i);
        if (!strcmp(s, "--augur-verbose")) {
            d.verbose = true;
        } else if (!strncmp(s, "--augur-", 8)) {
            au_error_set(&err, AU_EUSAGE, "unknown option '%s'", s);
            free(arg);
            return failed(&err);
        } else {
            arg[d.n++] = (char *)s;
        }
    }
    au_driver_result r = au_driver_run(&d, &err);
    free(arg);
    switch (r.end) {
    case AU_DRIVER_DONE:
        return r.status;
    case AU_DRIVER_EXEC:
        return become(r.exec);
    case AU_DRIVER_SIGNAL:
        signal(r.status, SIG_DFL);
        raise(r.status);
        return 128 + r.status;
    case AU_DRIVER_FAILED:
        break;
    }
    return failed(&err);
}

int au_cmd_cc(const au_opts *o) {
    return compile(o, false);
}

int au_cmd_cxx(const au_opts *o) {
    return compile(o, true);
}
