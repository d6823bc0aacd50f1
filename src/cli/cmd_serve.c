/* cli/cmd_serve.c: augur serve. */
#include "base/deadline.h"
#include "cli/cli.h"
#include "serve/serve.h"

#include <stdio.h>
#include <unistd.h>

static void at_once(int sig) {
    _exit(128 + sig);
}

int au_cmd_serve(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    if (!au_deadline_listens())
        au_deadline_listen(at_once);
    au_serve *s = au_serve_open(au_opt_str(o, "store"), (unsigned)au_opt_int(o, "port"), &err);
    if (!s)
        return au_cli_fail(&err);
    printf("%s\n", au_serve_address(s));
    fflush(stdout);
    au_cli_note(o, "open this address in a browser of this machine; Ctrl-C ends it");
    au_status st = au_serve_go(s, &err);
    au_serve_free(s);
    return st == AU_OK ? AU_EXIT_NOTHING : au_cli_fail(&err);
}
