/* record/launch_child.c: from a plan to a running program.
 *
 * Everything that decides where things lie in its memory is set here: no randomisation, the
 * stack limit (the mappings start below it), the path, arguments and environment as they
 * are (they lie on the main stack), the numbers of open descriptors. */
#include "base/vec.h"
#include "program/program.h"
#include "record/launch_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* Above what a program is likely to have open, below the control memory. */
enum { HIGH_FD = 900 };
_Static_assert(HIGH_FD < AU_CONTROL_FD, "the order of descriptors");

static int by_number(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

/* ---- in the child ---- */

struct failure {
    int number;
    char what[60];
};

static _Noreturn void give_up(int report, const char *what) {
    struct failure f = {.number = errno};
    snprintf(f.what, sizeof f.what, "%s", what);
    ssize_t k = write(report, &f, sizeof f);
    (void)k;
    _exit(127);
}

/* Descriptor 1000 may lie above the soft limit; once it is there the limit does not matter. */
static void place_control(int fd, int report) {
    struct rlimit old, more;
    if (getrlimit(RLIMIT_NOFILE, &old))
        give_up(report, "cannot read the limit of open files");
    more = old;
    if (old.rlim_cur <= AU_CONTROL_FD) {
        more.rlim_cur = AU_CONTROL_FD + 1;
        if (more.rlim_max < more.rlim_cur)
            more.rlim_max = more.rlim_cur;
        if (setrlimit(RLIMIT_NOFILE, &more))
            give_up(report, "'ulimit -n' must allow 1001 open files");
    }
    if (dup2(fd, AU_CONTROL_FD) < 0)
        give_up(report, "cannot pass the control memory on");
    if (more.rlim_cur != old.rlim_cur)
        setrlimit(RLIMIT_NOFILE, &old);
}

static bool among(const int *v, size_t n, int fd) {
    return n && bsearch(&fd, v, n, sizeof *v, by_number);
}

static void match_fds(const au_launch *l, const int *now, size_t n_now, int report) {
    for (size_t i = 0; i < n_now; i++)
        if (now[i] > 2 && !among(l->fds, l->n_fds, now[i]))
            close(now[i]);
    for (size_t i = 0; i < l->n_fds; i++) {
        int fd = l->fds[i];
        if (fd <= 2 || fd >= HIGH_FD || among(now, n_now, fd))
            continue;
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (null < 0)
            give_up(report, "cannot open /dev/null");
        if (null == fd)
            fcntl(fd, F_SETFD, 0);
        else if (dup2(null, fd) < 0)
            give_up(report, "cannot open as many descriptors as when it was recorded");
        else
            close(null);
    }
}

static void set_stack_limit(uint64_t bytes) {
    struct rlimit r;
    if (!bytes || getrlimit(RLIMIT_STACK, &r))
        return;
    r.rlim_cur = bytes;
    setrlimit(RLIMIT_STACK, &r); /* if it is refused the addresses will tell */
}

/* The shadow memory needs addresses, not memory; 'ulimit -v' counts addresses. It is lifted as far as may be; what the
 * program needs besides is not bounded by it any more (docs/limits.md). */
static void lift_address_limit(void) {
    struct rlimit now, none = {RLIM_INFINITY, RLIM_INFINITY};
    if (getrlimit(RLIMIT_AS, &now) || now.rlim_cur == RLIM_INFINITY || !setrlimit(RLIMIT_AS, &none))
        return;
    now.rlim_cur = now.rlim_max;
    setrlimit(RLIMIT_AS, &now); /* if that is not enough, the runtime says so */
}

static _Noreturn void become(const au_launch *l, au_control_map *m, const int stream[3],
                             const int *now, size_t n_now, int report) {
    int high = fcntl(report, F_DUPFD_CLOEXEC, HIGH_FD);
    if (high >= 0)
        report = high;
    /* A recorder that is killed must not leave a program that waits for it. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (l->traceable)
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    signal(SIGXFSZ, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    if (l->cwd && chdir(l->cwd))
        give_up(report, "cannot change to its directory");
    int persona = personality(0xffffffff);
    bool same = persona != -1 && personality((unsigned long)persona | ADDR_NO_RANDOMIZE) != -1 &&
                personality(0xffffffff) & ADDR_NO_RANDOMIZE;
    if (m)
        m->c->no_randomize = same;
    set_stack_limit(l->stack_limit);
    if (l->control_fd >= 0)
        lift_address_limit();
    /* What an earlier run left in a queue with a name would be there, and was not when it was recorded. */
    if (l->own_ipc)
        (void)unshare(CLONE_NEWIPC);
    if (l->control_fd >= 0)
        place_control(l->control_fd, report);
    for (int i = 0; i < 3; i++)
        if (stream[i] != i && dup2(stream[i], i) < 0)
            give_up(report, "cannot set up its standard streams");
    if (l->exact_fds)
        match_fds(l, now, n_now, report);
    execve(l->path, l->argv, l->envp);
    give_up(report, "cannot start it");
}

/* ---- in the tool ---- */

/* A terminal that changes nothing on the way. */
static bool open_pty(int *master, int *slave) {
    char name[128];
    *slave = -1;
    *master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*master < 0 || grantpt(*master) || unlockpt(*master) ||
        ptsname_r(*master, name, sizeof name) ||
        (*slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0) {
        if (*master >= 0)
            close(*master);
        return false;
    }
    struct termios t;
    if (!tcgetattr(*slave, &t)) {
        cfmakeraw(&t);
        tcsetattr(*slave, TCSANOW, &t);
    }
    struct winsize w = {.ws_row = 24, .ws_col = 80};
    ioctl(*slave, TIOCSWINSZ, &w);
    return true;
}

/* The child's descriptors, and what the attendant has of them. */
static au_status open_streams(const au_launch *l, int stream[3], au_carry *c, au_error *err) {
    *c = (au_carry){.in_from = -1,
                    .in_to = -1,
                    .out_from = {-1, -1, -1},
                    .out_to = {-1, 1, 2},
                    .feed = l->feed,
                    .feed_size = l->feed_size,
                    .tee = l->tee,
                    .said = {NULL, l->said[1], l->said[2]}};
    for (int i = 0; i < 3; i++) {
        int p[2];
        stream[i] = i;
        switch (l->stream[i].kind) {
        case AU_STREAM_FD:
            stream[i] = l->stream[i].fd;
            break;
        case AU_STREAM_NULL:
            stream[i] = open("/dev/null", (i ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
            if (stream[i] < 0)
                return au_error_errno(err, "cannot open '/dev/null'");
            break;
        case AU_STREAM_PTY_NULL:
            c->out_to[i] = -1; /* fall through */
        case AU_STREAM_PTY:
            if (!open_pty(&c->out_from[i], &stream[i]))
                return au_error_errno(err, "cannot make a terminal for the program");
            break;
        case AU_STREAM_PIPE_NULL:
            c->out_to[i] = -1; /* fall through */
        case AU_STREAM_PIPE:
            if (pipe2(p, O_CLOEXEC))
                return au_error_errno(err, "cannot make a pipe for the program");
            stream[i] = p[i ? 1 : 0];
            if (i) {
                c->out_from[i] = p[0];
            } else {
                c->in_to = p[1];
                c->in_from = STDIN_FILENO;
            }
            break;
        }
    }
    return AU_OK;
}

static void close_childs(const au_launch *l, const int stream[3]) {
    for (int i = 0; i < 3; i++)
        if (stream[i] > 2 && l->stream[i].kind != AU_STREAM_FD)
            close(stream[i]);
}

static void close_carried(au_carry *c) {
    if (c->in_to >= 0)
        close(c->in_to);
    for (int i = 1; i <= 2; i++)
        if (c->out_from[i] >= 0)
            close(c->out_from[i]);
}

au_status au_launch_start(const au_launch *l, au_control_map *m, au_child *child, au_error *err) {
    int stream[3] = {0, 1, 2}, report[2];
    au_carry carry;
    au_status st = open_streams(l, stream, &carry, err);
    if (st == AU_OK && pipe2(report, O_CLOEXEC))
        st = au_error_errno(err, "cannot make a pipe");
    if (st != AU_OK) {
        close_childs(l, stream);
        close_carried(&carry);
        return st;
    }
    size_t n_now = 0;
    int *now = l->exact_fds ? au_open_fds(&n_now) : NULL;
    fflush(NULL);
    pid_t pid = fork();
    if (!pid)
        become(l, m, stream, now, n_now, report[1]);
    int number = errno;
    free(now);
    close(report[1]);
    close_childs(l, stream);
    if (pid < 0) {
        close(report[0]);
        close_carried(&carry);
        errno = number;
        return au_error_errno(err, "cannot start a process");
    }
    for (size_t i = 0; i < l->n_fds && l->gives_fds; i++)
        if (l->fds[i] > 2)
            close(l->fds[i]);
    au_signals_forward(pid);
    *child = (au_child){.pid = pid};
    child->attendant = au_attendant_start(pid, &carry, m ? &m->c->filled : NULL);
    if (!child->attendant) {
        number = errno;
        au_signals_restore();
        kill(pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        close(report[0]);
        close_carried(&carry);
        errno = number;
        return au_error_errno(err, "cannot start a thread to attend to the program");
    }
    struct failure f;
    ssize_t k;
    do
        k = read(report[0], &f, sizeof f);
    while (k < 0 && errno == EINTR);
    close(report[0]);
    if (k == sizeof f) {
        au_launch_wait(child);
        errno = f.number;
        return au_error_errno(err, "cannot run '%s': %.*s", l->path, (int)sizeof f.what, f.what);
    }
    child->no_randomize = m && m->c->no_randomize;
    return AU_OK;
}

bool au_launch_ended(const au_child *child) {
    return au_attendant_ended(child->attendant);
}

int au_launch_wait(au_child *child) {
    int status = au_attendant_join(child->attendant);
    child->attendant = NULL;
    au_signals_restore();
    return status;
}
