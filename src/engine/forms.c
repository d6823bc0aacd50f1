/* engine/forms.c: see forms.h. */
#include "engine/forms.h"

#include <string.h>

bool au_form_put(const au_dossier *d, const char *format, au_out *out) {
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

au_status au_form_can_write(const char *path, au_error *err) {
    au_out *out = strcmp(path, "-") ? au_out_open(path, err) : NULL;
    if (strcmp(path, "-") && !out)
        return err->status;
    if (out)
        au_out_abandon(out);
    return AU_OK;
}
