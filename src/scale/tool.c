/* scale/tool.c: see tool.h. */
#include "scale/tool.h"

#include "base/alloc.h"
#include "base/vec.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool au_tool_exists(const char *name) {
    const char *path = getenv("PATH");
    bool found = false;
    while (path && *path && !found) {
        size_t n = strcspn(path, ":");
        char *file = au_sprintf("%.*s/%s", n ? (int)n : 1, n ? path : ".", name);
        found = !access(file, X_OK);
        free(file);
        path += n;
        path += *path == ':';
    }
    return found;
}

static char *all_of(int fd) {
    AU_VEC(char) text = {0};
    char buf[4096];
    ssize_t k;
    if (lseek(fd, 0, SEEK_SET) == 0)
        while ((k = read(fd, buf, sizeof buf)) > 0 || (k < 0 && errno == EINTR))
            if (k > 0)
                au_vec_append(&text, buf, (size_t)k);
    while (text.n && isspace((unsigned char)au_vec_last(&text)))
        text.n--;
    au_vec_push(&text, 0);
    return text.at;
}

static int start(char *const *argv, int out, int err, pid_t *pid) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t usual;
    sigemptyset(&usual);
    for (int s = 1; s < 32; s++)
        if (s == SIGINT || s == SIGTERM || s == SIGHUP || s == SIGPIPE || s == SIGXFSZ)
            sigaddset(&usual, s);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigdefault(&attr, &usual);
    posix_spawnattr_setpgroup(&attr, 0);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    int failure = posix_spawnp(pid, argv[0], &files, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    return failure;
}

au_status au_tool_run(char *const *argv, au_tool_said *said, au_error *err) {
    int out = memfd_create("out", MFD_CLOEXEC), complaints = memfd_create("err", MFD_CLOEXEC);
    int status = 0, failure = out < 0 || complaints < 0 ? errno : 0;
    pid_t pid;
    *said = (au_tool_said){0};
    if (!failure)
        failure = start(argv, out, complaints, &pid);
    if (!failure) {
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        said->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        said->out = all_of(out);
        said->err = all_of(complaints);
    }
    if (out >= 0)
        close(out);
    if (complaints >= 0)
        close(complaints);
    errno = failure;
    return failure ? au_error_errno(err, "cannot run '%s'", argv[0]) : AU_OK;
}

void au_tool_said_release(au_tool_said *said) {
    free(said->out);
    free(said->err);
}
