/* SPDX-License-Identifier: MIT
 *
 * rt/process.c: fork, vfork and exec. Of a fork only the parent goes on being recorded, or, if the environment
 * says so (AU_CHILD_VARIABLE), only the child: then there is no parent, and the process itself goes on as the
 * child would. A program that replaces itself ends its recording. */
#include "rt/arena.h"
#include "rt/cause.h"
#include "rt/live.h"
#include "rt/locks.h"
#include "rt/mem.h"
#include "rt/policy.h"
#include "rt/start.h"
#include "rt/stream.h"
#include "rt/sync.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))

void rt_in_child(void) {
    rt_on = 0;
    rt_hot.on = 0;
    rt_hot.budget = 0;
    rt_self = NULL;
    rt_control = NULL; /* the memory is the parent's alone */
}

/* ---- a child that becomes another program ---- */

static struct au_control *of_parent; /* in a child: the parent's */
static uint32_t number;              /* of the fork, from 1 */
static pid_t own_pid; /* a child of the child is nobody's: it may become what it likes */

static bool is_child(void) {
    return of_parent && number && number <= AU_BECAME && rt_real.getpid() == own_pid;
}

/* Nobody need look at what it did as a child. */
static void tell_parent(const char *path) {
    if (is_child() && path && rt_real.access(path, X_OK) == 0)
        __atomic_fetch_or(&of_parent->became[(number - 1) / 32], 1u << (number - 1) % 32,
                          __ATOMIC_SEQ_CST);
}

/* It goes on as it was: exec returned. */
static int stays(int result) {
    int error = errno;
    if (is_child())
        __atomic_fetch_and(&of_parent->became[(number - 1) / 32], ~(1u << (number - 1) % 32),
                           __ATOMIC_SEQ_CST);
    errno = error;
    return result;
}

/* ---- a child that is recorded ---- */

static const char *followed = ""; /* what is left of the variable */
static int told;                  /* somebody knows that children are not recorded */

void rt_process_start(char **envp) {
    const char *given = rt_value_of(envp, AU_CHILD_VARIABLE);
    followed = given ? given : "";
    told = rt_value_of(envp, AU_SUITE_VARIABLE) != NULL; /* that suite records them afterwards */
}

/* Is this fork the one whose child is recorded? */
static bool is_followed(void) {
    unsigned long want = 0;
    const char *s = followed;
    for (; *s >= '0' && *s <= '9' && want < UINT32_MAX; s++)
        want = 10 * want + (unsigned long)(*s - '0');
    if (++rt_control->forks != want)
        return false;
    followed = *s == '.' ? s + 1 : "";
    rt_control->forks = 0;
    return true;
}

/* The process goes on as its child: the thread that forks is the only one of it. */
static void become_child(void) {
    if (!rt_is_alone())
        rt_die(
            "the child of a fork is not recorded: other threads ran when it was made, and a child "
            "has only the one that forks");
    rt_note(AU_NOTE_TEXT, "from here on this is the child of a fork, without its parent");
}

EXPORT pid_t fork(void) {
    if (!rt_enter())
        return rt_real.fork();
    rt_point();
    if (is_followed()) {
        become_child();
        return rt_leave(0);
    }
    struct au_control *own = rt_control;
    uint32_t forks = own->forks; /* the parent may make another before the child runs */
    rt_arena_lock();
    pid_t pid = rt_real.fork();
    int error = errno;
    rt_arena_unlock();
    if (pid == 0) {
        number = forks;
        of_parent = own;
        own_pid = rt_real.getpid();
        rt_in_child(); /* if nobody did yet */
        return 0;
    }
    if (pid > 0) {
        char text[] = "the child of a fork is not recorded";
        if (told)
            rt_log_text(AU_NOTE_FORK, text, sizeof text - 1);
        else
            rt_note(AU_NOTE_FORK, text);
        told = 1;
        rt_pipes_shared();
        rt_locks_shared();
        rt_cause_forked();
        pid = rt_child_told(pid);
    }
    return rt_leave_errno(pid, error);
}

EXPORT pid_t vfork(void) {
    return fork();
}

/* ---- commands that run beside the program ---- */

/* It may have got what there is of pipes and the like. */
static void child_begins(void) {
    rt_pipes_shared();
    rt_cause_forked();
}

typedef int spawns(pid_t *, const char *, const posix_spawn_file_actions_t *,
                   const posix_spawnattr_t *, char *const *, char *const *);

static int spawned(spawns *real, pid_t *pid, const char *path,
                   const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                   char *const *argv, char *const *envp) {
    if (!rt_enter())
        return real(pid, path, actions, attributes, argv, envp);
    rt_point();
    pid_t own = 0;
    int e = real(&own, path, actions, attributes, argv, envp);
    if (e == 0) {
        child_begins();
        own = rt_child_told(own);
        if (pid) {
            *pid = own;
            rt_tell(AU_SOP_RWRITE, pid, sizeof *pid);
        }
    }
    return rt_leave(e);
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const *argv, char *const *envp) {
    return spawned(rt_real.posix_spawn, pid, path, actions, attributes, argv, envp);
}
EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const *argv, char *const *envp) {
    return spawned(rt_real.posix_spawnp, pid, file, actions, attributes, argv, envp);
}

EXPORT FILE *popen(const char *command, const char *mode) {
    if (!rt_enter())
        return rt_real.popen(command, mode);
    rt_point();
    FILE *f = rt_real.popen(command, mode);
    int error = errno;
    if (f) {
        rt_fd_set_side(fileno(f), RT_INSIDE);
        child_begins();
    }
    rt_tell(AU_SOP_RREAD, command, rt_real.strlen(command) + 1);
    rt_leave(0);
    errno = error;
    return f;
}

/* About to become another program. */
static void leaving(const char *path) {
    tell_parent(path);
    if (rt_on && path && access(path, X_OK) != 0)
        return; /* it will fail */
    if (!rt_enter())
        return;
    char text[600];
    snprintf(text, sizeof text, "the program became '%.500s', which is not recorded", path);
    rt_note(AU_NOTE_EXEC, text);
    rt_finish(AU_END_EXEC, 0);
    rt_self->inside = 0;
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[]) {
    leaving(path);
    return stays(rt_real.execve(path, argv, envp));
}

EXPORT int execv(const char *path, char *const argv[]) {
    leaving(path);
    return stays(rt_real.execve(path, argv, environ));
}

/* The program that execvp would find along PATH. */
static bool find_along_path(const char *file, char *path, size_t room) {
    const char *dir = rt_real.getenv("PATH"), *end;
    for (dir = dir ? dir : "/bin:/usr/bin"; *file; dir = end + 1) {
        end = rt_real.strchrnul(dir, ':');
        int n =
            snprintf(path, room, "%.*s%s%s", (int)(end - dir), dir, end == dir ? "" : "/", file);
        if (n > 0 && (size_t)n < room && access(path, X_OK) == 0)
            return true;
        if (!*end)
            break;
    }
    return false;
}

static void leaving_along_path(const char *file) {
    char path[4096 + 256];
    if (of_parent && file &&
        (rt_real.strchr(file, '/') || find_along_path(file, path, sizeof path)))
        tell_parent(rt_real.strchr(file, '/') ? file : path);
    if (!rt_on || !file)
        return;
    if (rt_real.strchr(file, '/')) {
        leaving(file);
        return;
    }
    if (!rt_enter())
        return;
    bool found = find_along_path(file, path, sizeof path);
    rt_leave(0);
    if (found)
        leaving(path);
}

EXPORT int execvp(const char *file, char *const argv[]) {
    leaving_along_path(file);
    return stays(rt_real.execvp(file, argv));
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[]) {
    leaving_along_path(file);
    return stays(rt_real.execvpe(file, argv, envp));
}

#define MAX_ARGUMENTS 4096
#define COLLECT(last)                                                                              \
    char *argv[MAX_ARGUMENTS];                                                                     \
    unsigned n = 0;                                                                                \
    va_list list;                                                                                  \
    argv[n++] = (char *)(uintptr_t)last;                                                           \
    va_start(list, last);                                                                          \
    while (argv[n - 1] && n < MAX_ARGUMENTS - 1)                                                   \
        argv[n++] = va_arg(list, char *);                                                          \
    argv[MAX_ARGUMENTS - 1] = NULL

EXPORT int execl(const char *path, const char *first, ...) {
    COLLECT(first);
    va_end(list);
    return execv(path, argv);
}

EXPORT int execlp(const char *file, const char *first, ...) {
    COLLECT(first);
    va_end(list);
    return execvp(file, argv);
}

EXPORT int execle(const char *path, const char *first, ...) {
    COLLECT(first);
    char *const *envp = va_arg(list, char *const *);
    va_end(list);
    return execve(path, argv, envp);
}
