/* cli/dossier_out.c: see dossier_out.h. */
#include "cli/dossier_out.h"

#include "store/suppress.h"

#include <string.h>
#include <unistd.h>

static void as_text(const au_opts *o, const au_dossier *d, const char *path, au_out *out) {
    au_case_look look = {.color = !strcmp(path, "-") && au_cli_color(o, STDOUT_FILENO),
                         .most = (size_t)au_opt_int(o, "most"),
                         .verbose = au_opt_flag(o, "verbose")};
    au_dossier_text(d, &look, out);
}

au_status au_cli_dossier(const au_opts *o, const au_dossier *d, const char *format,
                         const char *path, au_error *err) {
    if (!strcmp(format, "perfetto") && d->at.n != 1)
        return au_error_set(err, AU_EUSAGE,
                            "'perfetto' is the witness of one finding: choose it with '--finding'");
    au_out *out = au_out_open(path, err);
    if (!out)
        return err->status;
    if (!strcmp(format, "perfetto"))
        au_case_perfetto(&d->at.at[0], out);
    else if (!strcmp(format, "baseline"))
        au_baseline_write(d, out);
    else if (!au_form_put(d, format, out))
        as_text(o, d, path, out);
    return au_out_commit(out, err);
}
