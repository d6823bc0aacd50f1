/* base/parts.c: where the parts of augur lie. */
#include "base/parts.h"

#include "base/alloc.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file that this code lies in: the executable, or the library of a program that uses src/api.
 * Caller frees. */
static char *own_file(au_error *err) {
    static const char here = 0;
    char exe[PATH_MAX];
    Dl_info info;
    struct link_map *map = NULL;
    /* glibc has no name for the executable. */
    if (dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) && map && *map->l_name) {
        char *path = realpath(map->l_name, NULL);
        if (!path)
            au_error_errno(err, "cannot find '%s', from which augur was loaded", map->l_name);
        return path;
    }
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe);
    if (n > 0 && (size_t)n < sizeof exe)
        return au_strndup(exe, (size_t)n);
    au_error_errno(err, "cannot read '/proc/self/exe'");
    return NULL;
}

/* The directory of that file. Caller frees. */
static char *own_dir(au_error *err) {
    char *path = own_file(err), *slash = path ? strrchr(path, '/') : NULL;
    if (slash)
        *slash = 0;
    return path;
}

/* In the build directory (with the places where meson puts them), then installed: from bin, from lib,
 * from a lib with a directory for each architecture. */
static const char *const places[] = {"", "/../lib/augur", "/augur", "/../augur"};

char *au_part_find(const char *name, au_error *err) {
    char *dir = own_dir(err);
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
                 "a part of augur is missing: '%s' is neither in '%s' nor in the 'lib/augur' that "
                 "belongs to it; 'augur doctor' says more",
                 name, dir);
    free(dir);
    return NULL;
}

char *au_part_include(void) {
    /* The build directory lies in the source tree. */
    static const char *const dirs[] = {"/../include"};
    char *dir = own_dir(NULL);
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
