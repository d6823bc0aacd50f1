/* program/trust.c: what of a recording is not done because it says so. */
#include "base/alloc.h"
#include "base/vec.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Given by the user of this process; lives as long as it. */
static AU_VEC(const char *) given;

/* They make the dynamic linker or the C library load code, or write files, that the recording names. */
static bool is_loaders(const char *item, size_t n) {
    static const char *const name[] = {"GCONV_PATH",   "GETCONF_DIR",     "GLIBC_TUNABLES",
                                       "HOSTALIASES",  "LOCALDOMAIN",     "LOCPATH",
                                       "MALLOC_TRACE", "NIS_PATH",        "NLSPATH",
                                       "RES_OPTIONS",  "RESOLV_HOST_CONF"};
    if (n >= 3 && !strncmp(item, "LD_", 3))
        return true;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (strlen(name[i]) == n && !strncmp(item, name[i], n))
            return true;
    return false;
}

void au_program_trust(const char *item) {
    if (is_loaders(item, strcspn(item, "=")))
        au_vec_push(&given, au_strdup(item));
}

/* The user has the same in the environment, or gave it. */
static bool is_trusted(const char *item, size_t n) {
    char *name = au_strndup(item, n);
    const char *mine = getenv(name);
    bool same = mine && item[n] == '=' && !strcmp(mine, item + n + 1);
    free(name);
    for (size_t i = 0; i < given.n && !same; i++)
        same = !strcmp(given.at[i], item);
    return same;
}

void au_program_distrust(au_program *p, char *names, size_t size) {
    size_t used = 0;
    *names = 0;
    for (char **e = p->envp; *e; e++) {
        size_t n = strcspn(*e, "=");
        if (!is_loaders(*e, n) || is_trusted(*e, n))
            continue;
        if (used + n + 3 < size)
            used +=
                (size_t)snprintf(names + used, size - used, "%s%.*s", used ? ", " : "", (int)n, *e);
        (*e)[0] = '_'; /* as long as before: the environment's size moves the stack */
    }
}
