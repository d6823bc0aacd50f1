/* report/root.c: see root.h. */
#include "report/root.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t without_slash(const char *s) {
    size_t n = strlen(s);
    while (n > 1 && s[n - 1] == '/')
        n--;
    return n;
}

char *au_root_of(const au_dossier *d) {
    size_t n = without_slash(d->cwd);
    if (*d->cwd != '/')
        return au_strdup("");
    for (size_t at = n; at > 1;) {
        char *mark = au_sprintf("%.*s/.git", (int)at, d->cwd);
        bool found = !access(mark, F_OK);
        free(mark);
        if (found)
            return au_strndup(d->cwd, at);
        while (at > 1 && d->cwd[at - 1] != '/')
            at--;
        at--;
    }
    return au_strndup(d->cwd, n);
}

/* Takes '.' and '..' away, in place. The name is absolute. */
static void normalise(char *name) {
    char *to = name;
    for (const char *s = name; *s;) {
        while (*s == '/')
            s++;
        size_t n = strcspn(s, "/");
        if (n == 2 && !strncmp(s, "..", 2)) {
            while (to > name && *--to != '/')
                ;
        } else if (n && !(n == 1 && *s == '.')) {
            *to++ = '/';
            memmove(to, s, n);
            to += n;
        }
        s += n;
    }
    if (to == name)
        *to++ = '/';
    *to = '\0';
}

char *au_root_name(const au_dossier *d, const char *root, const char *file) {
    char *whole = *file == '/' ? au_strdup(file) : au_sprintf("%s/%s", d->cwd, file);
    size_t n = strlen(root);
    while (!strncmp(file, "./", 2))
        file += 2;
    if (*whole == '/' && n > 1 && (*file == '/' || !access(whole, F_OK))) {
        normalise(whole);
        if (!strncmp(whole, root, n) && whole[n] == '/')
            file = whole + n + 1;
    }
    char *name = au_strdup(file);
    free(whole);
    return name;
}
