/* engine/forms.c: see forms.h. */
#include "engine/forms.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool au_form_put(const au_dossier *d, const char *format, au_out *out) {
    static const struct {
        const char *name;
        void (*put)(const au_dossier *, au_out *);
    } form[] = {{"json", au_dossier_json},         {"sarif", au_dossier_sarif},
                {"junit", au_dossier_junit},       {"github", au_dossier_github},
                {"markdown", au_dossier_markdown}, {"html", au_dossier_html}};
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

au_status au_directory_can_be(const char *path, au_error *err) {
    struct stat st;
    if (!stat(path, &st)) {
        errno = S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
        if (errno || access(path, W_OK | X_OK))
            return au_error_errno(err, "cannot write into '%s'", path);
        return AU_OK;
    }
    if (errno != ENOENT)
        return au_error_errno(err, "cannot write into '%s'", path);
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    while (n && path[n - 1] != '/')
        n--;
    char *in = n ? au_strndup(path, n) : au_strdup(".");
    bool bad = access(in, W_OK | X_OK);
    if (bad)
        au_error_errno(err, "cannot make the directory '%s'", path);
    free(in);
    return bad ? err->status : AU_OK;
}
