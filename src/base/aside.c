/* base/aside.c: see aside.h. */
#include "base/aside.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/deadline.h"
#include "base/worker_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE 0.3 /* seconds, after the command's time: it has seen that by itself */

struct au_aside {
    pid_t pid; /* 0: it is over */
    int written;
    int end; /* closed by the child's death */
    bool well;
    char *data;
    size_t size;
};

/* The parent was told to stop, and says so. */
static void on_stop(int sig) {
    if (!au_deadline_signal())
        au_deadline_hear(sig);
}

static _Noreturn void child(au_aside_fn *f, void *ctx, int fd, pid_t parent) {
    au_child_begin(&(au_pool_limits){0}, parent);
    if (au_deadline_listens())
        signal(SIGTERM, on_stop);
    au_out *out = au_out_fd(fd, "<part>");
    f(ctx, out);
    _exit(au_out_commit(out, NULL) != AU_OK);
}

au_aside *au_aside_start(au_aside_fn *f, void *ctx) {
    int written = memfd_create("augur-part", MFD_CLOEXEC), end[2];
    if (written < 0)
        return NULL;
    if (pipe2(end, O_CLOEXEC)) {
        close(written);
        return NULL;
    }
    pid_t parent = getpid(), pid = au_fork_flushed();
    if (!pid) {
        close(end[0]);
        child(f, ctx, written, parent);
    }
    close(end[1]);
    if (pid < 0) {
        close(end[0]);
        close(written);
        return NULL;
    }
    au_aside *a = AU_NEW(au_aside);
    *a = (au_aside){.pid = pid, .written = written, .end = end[0]};
    return a;
}

static void reap(au_aside *a) {
    int status = 1;
    while (waitpid(a->pid, &status, 0) < 0 && errno == EINTR)
        ;
    a->pid = 0;
    a->well = WIFEXITED(status) && !WEXITSTATUS(status);
}

static void take(au_aside *a) {
    off_t size = lseek(a->written, 0, SEEK_END);
    if (size <= 0)
        return;
    void *at = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, a->written, 0);
    if (at == MAP_FAILED)
        return;
    a->data = at;
    a->size = (size_t)size;
}

/* Waits for so many milliseconds, or its end; past the command's time, 'over' is since when. */
static void wait_some(au_aside *a, int milliseconds, double *over) {
    struct pollfd p = {.fd = a->end, .events = POLLIN};
    if (poll(&p, 1, milliseconds) > 0) {
        reap(a);
    } else if (au_deadline_over()) {
        if (*over <= 0 && au_deadline_listens())
            kill(a->pid, SIGTERM);
        *over = *over > 0 ? *over : au_now();
        if (au_now() - *over > GRACE)
            kill(a->pid, SIGKILL);
    }
}

bool au_aside_wait(au_aside *a, const char **data, size_t *size) {
    double over = 0;
    while (a->pid)
        wait_some(a, over > 0 ? 5 : 50, &over);
    if (!a->data)
        take(a);
    *data = a->data;
    *size = a->size;
    return a->well && (a->size || lseek(a->written, 0, SEEK_END) == 0);
}

bool au_aside_read(au_aside *a, size_t from, void *into, size_t n) {
    double over = 0;
    struct stat st = {0};
    while (!fstat(a->written, &st) && (size_t)st.st_size < from + n && a->pid)
        wait_some(a, 1, &over);
    for (size_t got = 0; got < n;) {
        ssize_t k = pread(a->written, (char *)into + got, n - got, (off_t)(from + got));
        if (k <= 0)
            return false;
        got += (size_t)k;
    }
    return true;
}

void au_aside_free(au_aside *a) {
    if (!a)
        return;
    if (a->pid) {
        kill(a->pid, SIGKILL);
        reap(a);
    }
    if (a->data)
        munmap(a->data, a->size);
    close(a->written);
    close(a->end);
    free(a);
}

unsigned au_aside_jobs(unsigned jobs) {
    return au_is_worker() ? 1 : jobs ? jobs : au_cores();
}
