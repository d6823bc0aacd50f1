/* cli/cmd_explore.c: augur explore. */
#include "base/deadline.h"
#include "cli/cli.h"
#include "engine/explore.h"

#include <string.h>
#include <unistd.h>

static void tell(void *ctx, const char *line) {
    au_cli_note(ctx, "%s", line);
}

static int report(const au_opts *o, const au_dossier *d, au_error *err) {
    au_out *out = au_out_open(au_opt_str(o, "output"), err);
    if (!out)
        return au_cli_fail(err);
    au_case_look look = {.color = !strcmp(au_opt_str(o, "output"), "-") &&
                                  au_cli_color(o, STDOUT_FILENO),
                         .most = (size_t)au_opt_int(o, "most"),
                         .verbose = au_opt_flag(o, "verbose")};
    if (!strcmp(au_opt_str(o, "format"), "json"))
        au_dossier_json(d, out);
    else
        au_dossier_text(d, &look, out);
    if (au_out_commit(out, err) != AU_OK)
        return au_cli_fail(err);
    for (size_t i = 0; i < d->at.n; i++)
        if (!d->at.at[i].aside && !au_case_is_contradicted(&d->at.at[i]))
            return AU_EXIT_FOUND;
    bool open = au_opt_flag(o, "exhaustive") && !au_dossier_is_exhaustive(d);
    return d->inconclusive.n || au_dossier_is_contradicted(d) || open || au_deadline_signal()
               ? AU_EXIT_INTERNAL
               : AU_EXIT_NOTHING;
}

int au_cmd_explore(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    au_dossier d;
    au_dossier_init(&d);
    au_status st = au_engine_explore(o, au_opt_flag(o, "verbose") ? tell : NULL,
                                     (void *)(uintptr_t)o, &d, &err);
    int status = st == AU_OK ? report(o, &d, &err) : au_cli_fail(&err);
    au_dossier_release(&d);
    return status;
}
