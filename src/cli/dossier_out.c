/* cli/dossier_out.c: see dossier_out.h. */
#include "cli/dossier_out.h"

#include "store/suppress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NARROWEST = 60 }; /* a narrower terminal breaks the lines itself */

/* Columns of the terminal that the text goes to; 0: it goes elsewhere. */
static size_t width_of(const char *path) {
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (strcmp(path, "-") || (!isatty(STDOUT_FILENO) && !columns))
        return 0;
    size_t n = columns ? strtoul(columns, NULL, 10) : 0;
    if (!n && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
        n = size.ws_col;
    return !n ? 0 : n < NARROWEST ? NARROWEST : n;
}

static void as_text(const au_opts *o, const au_dossier *d, const char *path, au_out *out) {
    au_case_look look = {.color = !strcmp(path, "-") && au_cli_color(o, STDOUT_FILENO),
                         .most = (size_t)au_opt_int(o, "most"),
                         .verbose = au_opt_flag(o, "verbose"),
                         .width = width_of(path)};
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

au_standing au_cli_least(const au_opts *o) {
    const char *name = au_opt_str(o, "fail-on");
    return !strcmp(name, "confirmed") ? AU_IS_CONFIRMED
           : !strcmp(name, "proved")  ? AU_IS_PROVED
                                      : AU_IS_POSSIBLE;
}

bool au_cli_counts(const au_opts *o, const au_dossier *d) {
    for (size_t i = 0; i < d->at.n; i++) {
        const au_case *c = &d->at.at[i];
        if (!c->known && !c->aside && !au_case_is_contradicted(c) && c->standing <= au_cli_least(o))
            return true;
    }
    return false;
}
