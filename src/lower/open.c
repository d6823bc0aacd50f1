/* lower/open.c: sources and programs to decoded modules. */
#include "base/alloc.h"
#include "base/temporary.h"
#include "cc/driver.h"
#include "lower/source.h"
#include "retrace/retrace.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_source(const char *path, bool *cxx) {
    static const char *const c[] = {".c", ".i", NULL};
    static const char *const cc[] = {".cc", ".cpp", ".cxx", ".C", ".c++", ".ii", NULL};
    const char *dot = strrchr(path, '.');
    *cxx = false;
    if (!dot || strchr(dot, '/'))
        return false;
    for (size_t i = 0; c[i]; i++)
        if (!strcmp(dot, c[i]))
            return true;
    for (size_t i = 0; cc[i]; i++)
        if (!strcmp(dot, cc[i]))
            return *cxx = true;
    return false;
}

/* link: files, the options behind them (libraries may be among them); else one file, to an object. */
static au_status compile(const char *const *file, size_t n_files, bool cxx, bool link,
                         const char *to, char *const *option, size_t n_options, au_error *err) {
    char **arg = au_alloc_array(n_options + n_files + 8, sizeof *arg);
    const char *path = link ? to : file[0];
    size_t n = 0;
    if (!link)
        arg[n++] = (char *)"-c";
    arg[n++] = (char *)"-g";
    for (size_t i = 0; i < n_files && link; i++)
        arg[n++] = (char *)file[i];
    for (size_t i = 0; i < n_options; i++)
        arg[n++] = option[i];
    for (size_t i = 0; i < n_files && !link; i++)
        arg[n++] = (char *)file[i];
    arg[n++] = (char *)"-o";
    arg[n++] = (char *)to;
    au_driver_options d = {.cxx = cxx, .arg = arg, .n = n};
    au_driver_result r = au_driver_run(&d, err);
    free(arg);
    au_status st = AU_OK;
    switch (r.end) {
    case AU_DRIVER_DONE:
        if (r.status)
            st = au_error_set(err, AU_EFORMAT, "'%s' cannot be %s", path,
                              link ? "linked" : "compiled");
        break;
    case AU_DRIVER_EXEC:
        for (char **s = r.exec; *s; s++)
            free(*s);
        free(r.exec);
        st = au_error_set(err, AU_EUSAGE, "clang does not compile '%s' with these options", path);
        break;
    case AU_DRIVER_SIGNAL:
        st = au_error_set(err, AU_EIO, "stopped while compiling '%s'", path);
        break;
    case AU_DRIVER_FAILED:
        st = err ? err->status : AU_EIO;
        break;
    }
    return st;
}

au_source *au_source_read(const char *const *file, size_t n, char *const *option, size_t n_options,
                          const au_source_options *o, au_error *err) {
    char *dir = NULL; /* for objects, when the first is made */
    char **path = au_alloc_array(n + 1, sizeof *path);
    au_status st = AU_OK;
    for (size_t i = 0; i < n && st == AU_OK; i++) {
        bool cxx;
        struct stat there;
        if (stat(file[i], &there)) {
            st = au_error_errno(err, "cannot read '%s'", file[i]);
        } else if (is_source(file[i], &cxx)) {
            if (!dir && !(dir = au_temporary_directory("augur-scan-", err))) {
                st = AU_EIO;
                break;
            }
            path[i] = au_sprintf("%s/%zu.o", dir, i);
            st = compile(&file[i], 1, cxx, false, path[i], option, n_options, err);
        }
    }
    au_source *s = NULL;
    if (st == AU_OK) {
        const char **from = au_alloc_array(n + 1, sizeof *from);
        for (size_t i = 0; i < n; i++)
            from[i] = path[i] ? path[i] : file[i];
        char *note;
        au_codes *codes = au_codes_of_files(from, n, &note, err);
        if (codes) {
            size_t count = au_codes_count(codes);
            const struct au_code **code = au_alloc_array(count + 1, sizeof *code);
            for (size_t i = 0; i < count; i++)
                code[i] = au_codes_at(codes, i);
            s = au_source_of_codes(code, count, o, err);
            if (s && note) {
                au_source_over row = {.what = au_arena_strndup(&s->arena, note, strlen(note)),
                                      .file = "",
                                      .count = 1};
                au_vec_push(&s->over, row);
            }
            free(code);
            free(note);
            au_codes_free(codes);
        }
        free(from);
    }
    for (size_t i = 0; i < n; i++)
        free(path[i]);
    au_temporary_remove(dir);
    free(path);
    free(dir);
    return s;
}

au_status au_source_link(const char *const *file, size_t n, char *const *option, size_t n_options,
                         const char *program, au_error *err) {
    bool any = false, cxx;
    for (size_t i = 0; i < n; i++)
        any |= is_source(file[i], &cxx) && cxx;
    return compile(file, n, any, true, program, option, n_options, err);
}
