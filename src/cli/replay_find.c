/* cli/replay_find.c: a finding by its id: checks the recording as 'augur check' does, and takes
 * the answer as anybody would, from its JSON. */
#include "cli/replay.h"

#include <string.h>
#include <unistd.h>

au_status au_find_again(const char *trace, const char *id, const char *file, au_wanted *w,
                        au_error *err) {
    const au_command *check = au_command_by_name("check");
    AU_BUG_IF(!check);
    char *output = au_sprintf("--output=%s", file);
    bool nondet = *id == 'N'; /* only looked for where it is asked for */
    char *const argv[] = {(char *)(uintptr_t) "--quiet",
                          (char *)(uintptr_t) "--format=json",
                          (char *)(uintptr_t) "--partial",
                          output,
                          (char *)(uintptr_t)trace,
                          nondet ? (char *)(uintptr_t) "--prop=nondet" : NULL,
                          NULL};
    au_opts *o = au_opts_parse(check, 5 + nondet, argv, err);
    au_status st = o ? AU_OK : err->status;
    int status = o ? check->run(o) : AU_EXIT_INTERNAL;
    if (st == AU_OK && (status == AU_EXIT_USAGE || access(file, R_OK)))
        st = au_error_set(err, AU_EFORMAT, "'%s' could not be checked for finding '%s'", trace, id);
    if (st == AU_OK)
        st = au_wanted_read(w, file, id, err);
    if (st == AU_EUSAGE)
        st = au_error_set(err, AU_EUSAGE, "'augur check %s%s' has no finding '%s'",
                          nondet ? "--prop nondet " : "", trace, id);
    unlink(file);
    au_opts_free(o);
    free(output);
    return st;
}
