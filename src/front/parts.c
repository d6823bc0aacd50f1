/* front/parts.c: where the parts of augur lie. */
#include "front/parts.h"

#include "base/alloc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The directory of the running executable. Caller frees. */
static char *executable_dir(au_error *err) {
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0) {
        au_error_errno(err, "cannot read '/proc/self/exe'");
        return NULL;
    }
    path[n] = 0;
    char *slash = strrchr(path, '/');
    return au_strndup(path, slash ? (size_t)(slash - path) : 0);
}

/* In the build directory (with the places where meson puts them), then installed. */
static const char *const places[] = {"", "/../lib/augur"};

char *au_part_find(const char *name, au_error *err) {
    char *dir = executable_dir(err);
    if (!dir)
        return NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *path = au_sprintf("%s%s/%s", dir, places[i], name);
        if (!access(path, R_OK)) {
            /* Without the "..": it shows up in linker messages. */
            char *real = realpath(path, NULL);
            free(dir);
            if (!real)
                return path;
            free(path);
            return real;
        }
        free(path);
    }
    au_error_set(err, AU_EIO,
                 "a part of augur is missing: '%s' is neither in '%s' nor in '%s/../lib/augur'; "
                 "'augur doctor' says more",
                 name, dir, dir);
    free(dir);
    return NULL;
}

char *au_part_include(void) {
    /* The build directory lies in the source tree. */
    static const char *const dirs[] = {"/../include"};
    char *dir = executable_dir(NULL);
    for (size_t i = 0; dir && i < sizeof dirs / sizeof *dirs; i++) {
        char *header = au_sprintf("%s%s/augur.h", dir, dirs[i]);
        char *real = realpath(header, NULL);
        free(header);
        if (real) {
            free(dir);
            *strrchr(real, '/') = 0;
            return real;
        }
    }
    free(dir);
    return NULL;
}
