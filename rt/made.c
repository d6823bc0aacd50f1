/* SPDX-License-Identifier: MIT
 *
 * rt/made.c: see made.h. */
#include "rt/made.h"
#include "rt/bytes.h"
#include "rt/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_there(int dir, const char *path) {
    struct stat s;
    int error = errno;
    bool there = rt_real.fstatat(dir, path, &s, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
    errno = error;
    return there;
}

bool rt_made_none(int dir, const char *path) {
    return rt_on && rt_control && path && !is_there(dir, path);
}

/* The directory's name and a '/'; 0: not known. */
static size_t put_directory(int dir, char *to, size_t room) {
    long n;
    if (dir == AT_FDCWD) {
        n = syscall(SYS_getcwd, to, room) - 1; /* with its end */
    } else {
        char link[32];
        snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
        n = syscall(SYS_readlink, link, to, room);
    }
    if (n <= 0 || (size_t)n + 1 >= room || *to != '/')
        return 0;
    to[n] = '/';
    return (size_t)n + 1;
}

void rt_made(int dir, const char *path, bool may_log) {
    char name[2 * PATH_MAX];
    int error = errno;
    size_t n = 0, more = rt_real.strlen(path);
    if (!is_there(dir, path))
        return;
    if (*path != '/')
        n = put_directory(dir, name, sizeof name);
    errno = error;
    if ((*path != '/' && !n) || n + more >= sizeof name)
        return;
    rt_copy_bytes(name + n, path, more + 1);
    n += more;
    struct au_control *c = rt_control;
    uint64_t at = __atomic_fetch_add(&c->made, n + 1, __ATOMIC_SEQ_CST);
    if (at + n + 1 <= c->made_size)
        rt_copy_bytes((char *)c + c->made_offset + at, name, n + 1);
    if (may_log)
        rt_log_text(AU_NOTE_MADE, name, n);
}

bool rt_made_shared(char to[RT_MADE_SHARED], const char *before, const char *name) {
    return (size_t)snprintf(to, RT_MADE_SHARED, "/dev/shm/%s%s", before, name + (*name == '/')) <
           RT_MADE_SHARED;
}
