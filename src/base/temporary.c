/* base/temporary.c: see temporary.h. Removing uses nothing but system calls: it may have to be done in a
 * signal handler, or without memory. */
#include "base/temporary.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 16 };

/* What a directory made by mkdtemp is called is known only afterwards: a signal between the two leaves it. */
static char left[MOST][PATH_MAX];
static volatile pid_t owner[MOST];

/* As the kernel gives them. */
struct entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

static void remove_in(int dir, const char *name);

static void empty(int fd) {
    char buffer[4096] __attribute__((aligned(8)));
    long n;
    /* From the start again as long as something was there: offsets do not survive removals everywhere. */
    for (int round = 0; round < 8; round++) {
        bool any = false;
        if (round && lseek(fd, 0, SEEK_SET) < 0)
            return;
        while ((n = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
            for (long at = 0; at < n;) {
                const struct entry *e = (const void *)(buffer + at);
                at += e->length;
                if (!strcmp(e->name, ".") || !strcmp(e->name, ".."))
                    continue;
                any = true;
                remove_in(fd, e->name);
            }
        if (!any)
            return;
    }
}

static void remove_in(int dir, const char *name) {
    int how = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fd = openat(dir, name, how);
    if (fd < 0 && errno == EACCES && !fchmodat(dir, name, 0700, 0))
        fd = openat(dir, name, how);
    if (fd < 0) {
        unlinkat(dir, name, 0);
        return;
    }
    fchmod(fd, 0700);
    empty(fd);
    close(fd);
    unlinkat(dir, name, AT_REMOVEDIR);
}

void au_remove_all(const char *path) {
    remove_in(AT_FDCWD, path);
}

static int claim(const char *path) {
    for (int i = 0; i < MOST && strlen(path) < PATH_MAX; i++) {
        if (owner[i])
            continue;
        strcpy(left[i], path);
        owner[i] = getpid();
        return i;
    }
    return -1;
}

/* In a process that was forked from one with a directory of its own: there, so that it goes with it, even if this
 * process is killed. */
static char *inside(const char *prefix) {
    for (int i = 0; i < MOST; i++) {
        if (!owner[i] || owner[i] == getpid())
            continue;
        char *dir = au_sprintf("%s/%sXXXXXX", left[i], prefix);
        if (mkdtemp(dir))
            return dir;
        free(dir); /* gone meanwhile */
    }
    return NULL;
}

char *au_temporary_directory(const char *prefix, au_error *err) {
    const char *tmp = getenv("TMPDIR");
    char *dir = inside(prefix);
    if (dir) {
        claim(dir);
        return dir;
    }
    dir = au_sprintf("%s/%sXXXXXX", tmp && *tmp ? tmp : "/tmp", prefix);
    if (mkdtemp(dir)) {
        claim(dir);
        return dir;
    }
    au_error_errno(err, "cannot make a directory '%s'", dir);
    free(dir);
    return NULL;
}

void au_temporary_remove(const char *path) {
    if (!path)
        return;
    au_remove_all(path);
    for (int i = 0; i < MOST; i++)
        if (owner[i] == getpid() && !strcmp(left[i], path))
            owner[i] = 0;
}

void au_temporary_remove_left(void) {
    for (int i = 0; i < MOST; i++)
        if (owner[i] == getpid())
            au_remove_all(left[i]);
}
