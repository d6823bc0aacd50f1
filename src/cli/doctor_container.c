/* cli/doctor_container.c: see doctor.h. */
#include "cli/doctor.h"

#include "base/alloc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- addresses ---- */

/* As much as the largest part of the shadow memory of a recorded program (rt/start.c). */
static const size_t SHADOW = (size_t)1 << 44;

/* What a recorded program does, in a child: the limit lifted as far as may be, then the addresses. */
static bool can_reserve(void) {
    pid_t pid = fork();
    if (!pid) {
        struct rlimit now, none = {RLIM_INFINITY, RLIM_INFINITY};
        if (!getrlimit(RLIMIT_AS, &now) && setrlimit(RLIMIT_AS, &none)) {
            now.rlim_cur = now.rlim_max;
            setrlimit(RLIMIT_AS, &now);
        }
        _exit(mmap(NULL, SHADOW, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED);
    }
    int status = -1;
    if (pid > 0)
        waitpid(pid, &status, 0);
    return pid > 0 && !status;
}

static void check_addresses(au_doctor_findings *f) {
    struct rlimit now;
    bool limited = !getrlimit(RLIMIT_AS, &now) && now.rlim_cur != RLIM_INFINITY;
    bool good = can_reserve();
    char *detail =
        limited ? au_sprintf("'ulimit -v' is %" PRIu64 " MiB%s", (uint64_t)now.rlim_cur >> 20,
                             good ? ", and can be lifted for recorded programs" : "")
                : au_strdup(good ? "recorded programs get the addresses that they need"
                                 : "16 TiB of addresses cannot be reserved");
    au_doctor_add(
        f, "addresses", good ? AU_DOCTOR_GOOD : AU_DOCTOR_MISSING, false, detail,
        limited ? "nothing can be recorded: programs need 19 TiB of addresses (not of memory); "
                  "run augur without 'ulimit -v', and limit memory by a control group"
                : "nothing can be recorded: programs need 19 TiB of addresses (not of memory); "
                  "set vm.overcommit_memory to 0 or 1");
}

/* ---- control groups ---- */

static bool first_line(const char *path, char *line, size_t size) {
    FILE *file = fopen(path, "r");
    bool got = file && fgets(line, (int)size, file);
    if (file)
        fclose(file);
    if (got)
        line[strcspn(line, "\n")] = 0;
    return got;
}

/* The group of this process, below /sys/fs/cgroup; "": at its top, as in a container. */
static char *own_group(void) {
    FILE *file = fopen("/proc/self/cgroup", "r");
    char line[4096], *own = NULL;
    while (file && !own && fgets(line, sizeof line, file))
        if (!strncmp(line, "0::/", 4)) {
            line[strcspn(line, "\n")] = 0;
            own = au_strdup(line + 3);
        }
    if (file)
        fclose(file);
    return own ? own : au_strdup("/");
}

/* The least number that this group or one above it has in the file; UINT64_MAX: no limit. */
static uint64_t group_limit(const char *group, const char *name, double *part) {
    uint64_t least = UINT64_MAX;
    char *at = au_strdup(group), line[128];
    for (;;) {
        char *path = au_sprintf("/sys/fs/cgroup%s/%s", strcmp(at, "/") ? at : "", name);
        uint64_t limit, period;
        if (first_line(path, line, sizeof line) && *line >= '0' && *line <= '9') {
            int n = sscanf(line, "%" SCNu64 " %" SCNu64, &limit, &period);
            if (n >= 1 && limit < least) {
                least = limit;
                *part = n == 2 && period ? (double)limit / (double)period : 0;
            }
        }
        free(path);
        char *slash = strrchr(at, '/');
        if (!slash || !at[1])
            break;
        slash[slash == at] = 0;
    }
    free(at);
    return least;
}

static void check_group(au_doctor_findings *f) {
    double cores = 0, none;
    char *own = own_group();
    uint64_t memory = group_limit(own, "memory.max", &none);
    uint64_t processes = group_limit(own, "pids.max", &none);
    bool slow = group_limit(own, "cpu.max", &cores) != UINT64_MAX;
    free(own);
    if (access("/sys/fs/cgroup/cgroup.controllers", R_OK)) {
        au_doctor_add(f, "cgroup", AU_DOCTOR_GOOD, false,
                      au_strdup("no limits of control groups can be seen (version 2)"), "");
        return;
    }
    char text[3][60] = {"", "", ""};
    if (memory != UINT64_MAX)
        snprintf(text[0], sizeof text[0], ", %" PRIu64 " MiB of memory", memory >> 20);
    if (processes != UINT64_MAX)
        snprintf(text[1], sizeof text[1], ", %" PRIu64 " processes", processes);
    if (slow)
        snprintf(text[2], sizeof text[2], ", %.1f processors", cores);
    bool little = memory >> 20 < 1024 || processes < 64;
    bool any = memory != UINT64_MAX || processes != UINT64_MAX || slow;
    char *detail =
        any ? au_sprintf("this control group has%s%s%s", text[0] + (*text[0] != 0),
                         text[1] + (!*text[0] && *text[1]), text[2] + (!*text[0] && !*text[1]))
            : au_strdup("this control group has no limits");
    au_doctor_add(
        f, "cgroup", little ? AU_DOCTOR_WARN : AU_DOCTOR_GOOD, false, detail,
        "long recordings and solvers need a GiB and some 60 processes: what they do not get "
        "is told as undecided, and a program that is killed for memory has no recording");
}

/* ---- places to write, and what may be asked ---- */

static void check_temporary(au_doctor_findings *f) {
    const char *dir = getenv("TMPDIR");
    dir = dir && *dir ? dir : "/tmp";
    char *name = au_sprintf("%s/augur-doctor-XXXXXX", dir);
    int fd = mkstemp(name), number = errno;
    if (fd >= 0) {
        close(fd);
        unlink(name);
    }
    free(name);
    au_doctor_add(
        f, "temporary", fd >= 0 ? AU_DOCTOR_GOOD : AU_DOCTOR_WARN, false,
        fd >= 0 ? au_sprintf("'%s' is writable", dir)
                : au_sprintf("cannot write in '%s': %s", dir, strerror(number)),
        "'augur cc' and executions with --sandbox need a place: mount one (docker: --tmpfs /tmp), "
        "or name one in TMPDIR");
}

static void check_shared(au_doctor_findings *f) {
    int fd = (int)syscall(SYS_memfd_create, "augur-doctor", 0), number = errno;
    if (fd >= 0)
        close(fd);
    au_doctor_add(f, "memfd", fd >= 0 ? AU_DOCTOR_GOOD : AU_DOCTOR_MISSING, false,
                  fd >= 0 ? au_strdup("memory can be shared with recorded programs")
                          : au_sprintf("memfd_create is refused: %s", strerror(number)),
                  "nothing can be recorded: allow memfd_create(2)");
}

static void check_seccomp(au_doctor_findings *f) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    int mode = -1;
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "Seccomp:", 8))
            mode = atoi(line + 8);
    if (file)
        fclose(file);
    static const char *const text[] = {
        "no system calls are filtered", "only few system calls are allowed",
        "system calls are filtered; the lines above say what that takes"};
    au_doctor_add(f, "seccomp", AU_DOCTOR_GOOD, false,
                  au_strdup(mode >= 0 && mode <= 2 ? text[mode] : "unknown"), "");
}

void au_doctor_container(au_doctor_findings *f) {
    check_addresses(f);
    check_shared(f);
    check_group(f);
    check_temporary(f);
    check_seccomp(f);
}
