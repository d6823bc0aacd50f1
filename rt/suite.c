/* SPDX-License-Identifier: MIT
 *
 * rt/suite.c: a program that 'augur test' finds among the processes of a test suite. It was started by the suite, not by
 * augur; so before anything of it has run it becomes the recorder, which starts it again, recorded, and ends as it ends.
 *
 * AU_SUITE_VARIABLE names the suite's directory; the tool is a link in it, and is gone when the suite has ended:
 * executions that follow, of recordings that hold this environment, are left alone. A process that an earlier suite had
 * just so, and that takes nothing else from outside, stays what it is (wire/suite.h).
 *
 * And one test of a program of cmocka, which has no option for that, only a function. */
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/start.h"

#include "wire/suite.h"

#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

const char *rt_value_of(char **envp, const char *name) {
    size_t n = strlen(name);
    for (; *envp; envp++)
        if (!strncmp(*envp, name, n) && (*envp)[n] == '=')
            return *envp + n + 1;
    return NULL;
}

enum { MOST = 4096 };

/* ---- is it as before? ---- */

static uint64_t mix_text(uint64_t h, const char *text) {
    return au_suite_mix(h, text, strlen(text) + 1);
}

/* Which file it is, and which of its contents; 0: there is none. */
static uint64_t mix_file(uint64_t h, int fd) {
    struct stat s;
    if (fd < 0 || rt_real.fstat(fd, &s))
        return au_suite_mix(h, "", 1);
    bool file = S_ISREG(s.st_mode), null = S_ISCHR(s.st_mode) && s.st_rdev == makedev(1, 3);
    int64_t what[] = {s.st_mode & S_IFMT, null,
                      s.st_dev,           (int64_t)s.st_ino,
                      s.st_size,          s.st_mtim.tv_sec,
                      s.st_mtim.tv_nsec,  s.st_ctim.tv_sec,
                      s.st_ctim.tv_nsec,  file ? rt_real.lseek(fd, 0, SEEK_CUR) : 0};
    return au_suite_mix(h, what, file ? sizeof what : 2 * sizeof *what);
}

static uint64_t mix_path(uint64_t h, const char *path) {
    int fd = rt_real.open(path, O_RDONLY | O_CLOEXEC);
    h = mix_file(mix_text(h, path), fd);
    if (fd >= 0)
        rt_real.close(fd);
    return h;
}

static int mix_library(struct dl_phdr_info *info, size_t size, void *h) {
    (void)size;
    if (info->dlpi_name && strchr(info->dlpi_name, '/'))
        *(uint64_t *)h = mix_path(*(uint64_t *)h, info->dlpi_name);
    return 0;
}

static bool is_of_others(int fd) {
    struct stat s;
    return !rt_real.fstat(fd, &s) && (S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode));
}

/* Nothing can be read from it: it is for writing, or /dev/null. */
static bool gives_nothing(int fd) {
    struct stat st;
    int flags = rt_real.fcntl(fd, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == O_WRONLY && !(flags & O_PATH))
        return true;
    return !rt_real.fstat(fd, &st) && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
}

/* What comes through a pipe or a socket, nobody knows before; nor what is behind other descriptors that it was given. */
static bool is_given_more(int own) {
    if (is_of_others(STDIN_FILENO))
        return true;
    int dir = rt_real.open("/proc/self/fd", O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    char block[1024];
    long n = -1;
    bool more = dir < 0;
    while (!more && (n = syscall(SYS_getdents64, dir, block, sizeof block)) > 0)
        for (long at = 0; at < n && !more;) {
            const char *entry = block + at, *name = entry + 19; /* of struct linux_dirent64 */
            unsigned short length;
            memcpy(&length, entry + 16, sizeof length);
            int fd = 0;
            for (; *name >= '0' && *name <= '9'; name++)
                fd = 10 * fd + (*name - '0');
            more = fd > STDERR_FILENO && fd != dir && fd != own && !gives_nothing(fd);
            at += length;
        }
    if (dir >= 0)
        rt_real.close(dir);
    return more || n < 0;
}

/* The program, its libraries, arguments, environment, working directory, standard input. */
static uint64_t number_of(uint64_t h, const char *self, char **argv, char **envp) {
    char cwd[MOST];
    h = mix_path(h, self);
    dl_iterate_phdr(mix_library, &h);
    for (char **a = argv + 1; *argv && *a; a++)
        h = mix_text(h, *a);
    h = mix_text(h, "");
    for (char **e = envp; *e; e++)
        if (!au_suite_is_passing(*e))
            h = mix_text(h, *e);
    ssize_t n = rt_real.readlink("/proc/self/cwd", cwd, sizeof cwd);
    h = au_suite_mix(h, cwd, n > 0 ? (size_t)n : 0);
    return mix_file(h, STDIN_FILENO);
}

static uint64_t number_at(int fd, size_t i) {
    uint64_t v = 0;
    return rt_real.pread(fd, &v, sizeof v, (off_t)(i * sizeof v)) == sizeof v ? v : 0;
}

/* 0: nothing is known of this suite. */
static uint64_t begin_of(int fd) {
    return fd < 0 ? 0 : number_at(fd, 0);
}

static bool is_known(int fd, uint64_t number) {
    struct stat s;
    if (fd < 0 || rt_real.fstat(fd, &s))
        return false;
    size_t low = 1, high = (size_t)s.st_size / sizeof number; /* in [low, high) if anywhere */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t there = number_at(fd, middle);
        if (there == number)
            return true;
        if (there < number)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* False: it cannot be told to the suite. */
static bool tell_known(const char *dir, uint64_t number, const char *self, char **argv) {
    char name[MOST], text[MOST];
    struct timespec t;
    rt_real.clock_gettime(CLOCK_MONOTONIC, &t);
    const char *slash = strrchr(self, '/');
    int n = snprintf(text, sizeof text, "%016llx\n%s", (unsigned long long)number,
                     slash ? slash + 1 : self);
    for (char **a = argv + 1; *argv && *a && n < MOST; a++)
        n += snprintf(text + n, (size_t)(MOST - n), " %s", *a);
    if (n >= MOST || snprintf(name, sizeof name, "%s/%010lld%09ld-%d.known", dir,
                              (long long)t.tv_sec, t.tv_nsec, (int)rt_real.getpid()) >= MOST)
        return false;
    int fd = rt_real.open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool told = fd >= 0 && rt_real.write(fd, text, (size_t)n) == n;
    if (fd >= 0)
        rt_real.close(fd);
    return told;
}

/* Sets its number; 0: it cannot have one. */
static bool is_as_before(const char *dir, const char *self, char **argv, char **envp,
                         uint64_t *number) {
    char path[MOST];
    snprintf(path, sizeof path, "%s/" AU_SUITE_KNOWN, dir);
    int fd = rt_real.open(path, O_RDONLY | O_CLOEXEC);
    uint64_t begin = begin_of(fd);
    *number = begin && !is_given_more(fd) ? number_of(begin, self, argv, envp) : 0;
    bool known = *number && is_known(fd, *number) && tell_known(dir, *number, self, argv);
    if (fd >= 0)
        rt_real.close(fd);
    return known;
}

/* ---- becoming the recorder ---- */

void rt_suite_start(int argc, char **argv, char **envp) {
    const char *dir = rt_value_of(envp, AU_SUITE_VARIABLE);
    static char tool[MOST], option[MOST], self[MOST], as[40];
    uint64_t number;
    if (!dir || *dir != '/' || getauxval(AT_SECURE))
        return;
    size_t n = strlen(dir);
    if (n + sizeof "/" AU_SUITE_TOOL > MOST || n + sizeof "--suite=" > MOST || argc < 1)
        return;
    memcpy(tool, dir, n);
    memcpy(tool + n, "/" AU_SUITE_TOOL, sizeof "/" AU_SUITE_TOOL);
    memcpy(option, "--suite=", 8);
    memcpy(option + 8, dir, n + 1);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0 || access(tool, X_OK) != 0)
        return;
    self[length] = 0;
    if (is_as_before(dir, self, argv, envp, &number))
        return;
    snprintf(as, sizeof as, "--suite-number=%llu", (unsigned long long)number);
    char *arg[argc + 7];
    int k = 0;
    arg[k++] = (char[]){"augur"};
    arg[k++] = (char[]){"record"};
    arg[k++] = (char[]){"--quiet"};
    arg[k++] = option;
    arg[k++] = as;
    arg[k++] = (char[]){"--"};
    arg[k++] = self;
    for (int i = 1; i < argc; i++)
        arg[k++] = argv[i];
    arg[k] = NULL;
    rt_real.execve(tool, arg, envp); /* if it cannot, the program runs as it is */
}

void rt_cmocka_start(char **envp) {
    const char *pattern = rt_value_of(envp, AU_CMOCKA_VARIABLE);
    void *f = pattern ? dlsym(RTLD_DEFAULT, "cmocka_set_test_filter") : NULL;
    void (*set)(const char *);
    memcpy(&set, &f, sizeof set);
    if (f)
        set(pattern);
}
