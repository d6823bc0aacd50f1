/* cli/dossier_out.c: see dossier_out.h. */
#include "cli/dossier_out.h"

#include "store/suppress.h"

#include <string.h>
#include <unistd.h>

static void as_text(const au_opts *o, const au_dossier *d, const char *path, au_out *out) {
    au_case_look look = {.color = !strcmp(path, "-") && au_cli_color(o, STDOUT_FILENO),
                         .most = (size_t)au_opt_int(o, "most"),
                         .sources = true};
    au_dossier_text(d, &look, out);
}

bool au_cli_put_dossier(const au_dossier *d, const char *format, au_out *out) {
    static const struct {
        const char *name;
        void (*put)(const au_dossier *, au_out *);
    } form[] = {{"json", au_dossier_json},
                {"sarif", au_dossier_sarif},
                {"junit", au_dossier_junit},
                {"html", au_dossier_html}};
    for (size_t i = 0; i < sizeof form / sizeof *form; i++)
        if (!strcmp(format, form[i].name)) {
            form[i].put(d, out);
            return true;
        }
    return false;
}

const char **au_cli_inputs(const au_opts *o) {
    const char **input = au_alloc_array(au_operands(o), sizeof *input);
    for (size_t i = 0; i < au_operands(o); i++)
        input[i] = au_operand(o, i);
    return input;
}

au_status au_cli_dossier(const au_opts *o, const au_dossier *d, const char *format,
                         const char *path, au_error *err) {
    if (!strcmp(format, "perfetto") && d->at.n != 1)
        return au_error_set(err, AU_EUSAGE,
                            "'perfetto' is the witness of one finding: say which one with "
                            "'--finding'");
    au_out *out = au_out_open(path, err);
    if (!out)
        return err->status;
    if (!strcmp(format, "perfetto"))
        au_case_perfetto(&d->at.at[0], out);
    else if (!strcmp(format, "baseline"))
        au_baseline_write(d, out);
    else if (!au_cli_put_dossier(d, format, out))
        as_text(o, d, path, out);
    return au_out_commit(out, err);
}

au_status au_cli_can_write(const char *path, au_error *err) {
    au_out *out = strcmp(path, "-") ? au_out_open(path, err) : NULL;
    if (strcmp(path, "-") && !out)
        return err->status;
    if (out)
        au_out_abandon(out);
    return AU_OK;
}
