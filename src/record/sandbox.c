#include "record/sandbox.h"

#include "base/limits.h"
#include "base/temporary.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

struct au_sandbox {
    char *from;       /* the directory */
    char *exe, *omit; /* or NULL */
    char *top;        /* ours, temporary */
    char *copy;       /* top + from */
    bool linked;
    uint64_t bytes, files; /* of the copy that is being made */
};

/* ---- copying ---- */

static au_status copy_bytes(int from, int to, const char *path, au_error *err) {
    if (!ioctl(to, FICLONE, from))
        return AU_OK;
    for (;;) {
        ssize_t k = sendfile(to, from, NULL, 1 << 24);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return au_error_errno(err, "cannot copy '%s'", path);
        if (!k)
            return AU_OK;
    }
}

static au_status copy_file(au_sandbox *s, const char *path, const char *to, const struct stat *st,
                           au_error *err) {
    if ((s->bytes += (uint64_t)st->st_size) > AU_LIMIT_SANDBOX_BYTES)
        return au_error_set(err, AU_EUNSUPPORTED, "%s",
                            au_limit_say_at(AU_AT_SANDBOX_BYTES, s->from,
                                            AU_LIMIT_SANDBOX_BYTES >> 20, 0,
                                            (char[AU_LIMIT_TEXT]){0}));
    int in = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (in < 0 && errno == EACCES)
        return AU_OK; /* the program cannot read it either */
    if (in < 0)
        return au_error_errno(err, "cannot copy '%s'", path);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    au_status r =
        out < 0 ? au_error_errno(err, "cannot write '%s'", to) : copy_bytes(in, out, path, err);
    if (r == AU_OK) {
        struct timespec when[2] = {st->st_atim, st->st_mtim};
        futimens(out, when);
        fchmod(out, st->st_mode & 07777);
    }
    close(in);
    if (out >= 0)
        close(out);
    return r;
}

static au_status copy_link(const char *path, const char *to, au_error *err) {
    char target[PATH_MAX];
    ssize_t n = readlink(path, target, sizeof target - 1);
    if (n < 0)
        return au_error_errno(err, "cannot copy '%s'", path);
    target[n] = 0;
    return symlink(target, to) ? au_error_errno(err, "cannot write '%s'", to) : AU_OK;
}

static au_status copy_directory(au_sandbox *s, const char *path, const char *to, au_error *err);

/* Sockets, pipes and devices are left out. */
static au_status copy_one(au_sandbox *s, const char *path, const char *to, au_error *err) {
    struct stat st;
    if (lstat(path, &st))
        return errno == ENOENT ? AU_OK : au_error_errno(err, "cannot copy '%s'", path);
    if (++s->files > AU_LIMIT_SANDBOX_FILES)
        return au_error_set(
            err, AU_EUNSUPPORTED, "%s",
            au_limit_say_at(AU_AT_SANDBOX_FILES, s->from, 0, 0, (char[AU_LIMIT_TEXT]){0}));
    if (S_ISREG(st.st_mode))
        return copy_file(s, path, to, &st, err);
    if (S_ISLNK(st.st_mode))
        return copy_link(path, to, err);
    return S_ISDIR(st.st_mode) ? copy_directory(s, path, to, err) : AU_OK;
}

static au_status copy_directory(au_sandbox *s, const char *path, const char *to, au_error *err) {
    struct stat st;
    if (mkdir(to, 0700))
        return au_error_errno(err, "cannot make the directory '%s'", to);
    DIR *d = opendir(path);
    if (!d)
        return errno == EACCES ? AU_OK : au_error_errno(err, "cannot read '%s'", path);
    au_status r = AU_OK;
    struct dirent *e;
    while (r == AU_OK && (e = readdir(d))) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        char *a = au_sprintf("%s/%s", path, e->d_name), *b = au_sprintf("%s/%s", to, e->d_name);
        if (s->exe && !strcmp(a, s->exe))
            r = symlink(a, b) ? au_error_errno(err, "cannot write '%s'", b) : AU_OK;
        else if (strcmp(a, s->top) && !(s->omit && !strcmp(a, s->omit)))
            r = copy_one(s, a, b, err);
        free(a);
        free(b);
    }
    if (!fstat(dirfd(d), &st))
        chmod(to, (st.st_mode & 07777) | 0700);
    closedir(d);
    return r;
}

/* ---- the way up ---- */

/* Links to what stands beside 'name' in 'path', in 'to'. Those that cannot be made are missed only
 * by who goes there. */
static void link_neighbours(const char *path, const char *to, const char *name, size_t n_name) {
    DIR *d = opendir(*path ? path : "/");
    struct dirent *e;
    while (d && (e = readdir(d))) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
            (strlen(e->d_name) == n_name && !memcmp(e->d_name, name, n_name)))
            continue;
        char *a = au_sprintf("%s/%s", path, e->d_name), *b = au_sprintf("%s/%s", to, e->d_name);
        if (symlink(a, b))
            errno = 0;
        free(a);
        free(b);
    }
    if (d)
        closedir(d);
}

/* top/a/b of /a/b/c, with links at each level; c itself is the copy. */
static au_status link_way(au_sandbox *s, au_error *err) {
    for (const char *at = s->from; *at;) {
        const char *name = at + 1;
        size_t n = strcspn(name, "/");
        char *above = au_strndup(s->from, (size_t)(at - s->from));
        char *to = au_sprintf("%s%s", s->top, above);
        au_status r = AU_OK;
        if (at != s->from && mkdir(to, 0700))
            r = au_error_errno(err, "cannot make the directory '%s'", to);
        else
            link_neighbours(above, to, name, n);
        free(above);
        free(to);
        if (r != AU_OK)
            return r;
        at = name + n;
    }
    return AU_OK;
}

/* ---- both ---- */

au_sandbox *au_sandbox_open(const char *cwd, const char *exe, const char *omit, au_error *err) {
    if (*cwd != '/' || !cwd[1]) {
        au_error_set(err, AU_EUNSUPPORTED,
                     "'%s' cannot be copied for each run: '--sandbox' needs "
                     "a smaller working directory",
                     cwd);
        return NULL;
    }
    char *top = au_temporary_directory("augur-", err);
    if (!top)
        return NULL;
    au_sandbox *s = AU_NEW(au_sandbox);
    s->top = top;
    s->from = au_strdup(cwd);
    s->exe = exe ? au_strdup(exe) : NULL;
    s->omit = omit ? au_strdup(omit) : NULL;
    s->copy = au_sprintf("%s%s", top, cwd);
    return s;
}

const char *au_sandbox_fresh(au_sandbox *s, au_error *err) {
    if (!s->linked && link_way(s, err) != AU_OK)
        return NULL;
    s->linked = true;
    au_remove_all(s->copy);
    s->bytes = s->files = 0;
    return copy_directory(s, s->from, s->copy, err) == AU_OK ? s->copy : NULL;
}

void au_sandbox_free(au_sandbox *s) {
    if (!s)
        return;
    au_temporary_remove(s->top);
    free(s->top);
    free(s->from);
    free(s->exe);
    free(s->omit);
    free(s->copy);
    free(s);
}
