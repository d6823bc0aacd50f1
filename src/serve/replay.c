/* serve/replay.c: a finding executed on the program, by 'augur replay' in a process of its own: the server goes on meanwhile. */
#include "serve/serve_priv.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SECONDS = 120, MOST_OUTPUT = 1 << 20 };

bool au_serve_replay_start(au_serve_replay *r, const char *store, const char *fingerprint,
                           au_error *err) {
    int end[2];
    if (r->from >= 0 && !au_serve_replay_over(r)) {
        au_error_set(err, AU_EUSAGE, "another replay is going on");
        return false;
    }
    au_serve_replay_end(r);
    if (pipe2(end, O_CLOEXEC)) {
        au_error_errno(err, "no pipe");
        return false;
    }
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    char *const argv[] = {"augur",     "replay",
                          "--store",   (char *)(uintptr_t)store,
                          "--finding", (char *)(uintptr_t)fingerprint,
                          NULL};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, end[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, end[1], STDERR_FILENO);
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
    int e = posix_spawn(&r->pid, "/proc/self/exe", &files, &how, argv, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    close(end[1]);
    if (e) {
        close(end[0]);
        r->pid = 0;
        errno = e;
        au_error_errno(err, "cannot start 'augur replay'");
        return false;
    }
    fcntl(end[0], F_SETFL, O_NONBLOCK);
    r->from = end[0];
    r->begun = au_now();
    r->killed = false;
    r->text = au_out_memory();
    snprintf(r->fingerprint, sizeof r->fingerprint, "%s", fingerprint);
    return true;
}

bool au_serve_replay_over(au_serve_replay *r) {
    char block[4096];
    ssize_t n = -1;
    if (r->from < 0)
        return true;
    while ((n = read(r->from, block, sizeof block)) > 0) {
        size_t had;
        au_out_memory_data(r->text, &had);
        if (had < MOST_OUTPUT)
            au_out_write(r->text, block, (size_t)n);
    }
    if (!r->killed && au_now() - r->begun > MOST_SECONDS) {
        kill(-r->pid, SIGKILL);
        r->killed = true;
    }
    if (n < 0 && !r->killed)
        return false;
    close(r->from);
    r->from = -1;
    waitpid(r->pid, &r->status, 0);
    return true;
}

void au_serve_replay_end(au_serve_replay *r) {
    if (r->from >= 0) {
        kill(-r->pid, SIGTERM);
        close(r->from);
        waitpid(r->pid, &r->status, 0);
    }
    au_out_abandon(r->text);
    *r = (au_serve_replay){.from = -1};
}
