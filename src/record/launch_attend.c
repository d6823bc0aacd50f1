/* record/launch_attend.c: the thread that waits for the program and carries its standard
 * streams. All signals are blocked in it: they are the main thread's. */
#include "base/alloc.h"
#include "base/error.h"
#include "record/launch_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 64 * 1024 };

struct au_attendant {
    pthread_t thread;
    pid_t pid;
    int pidfd; /* -1: this kernel has none, so look every few milliseconds */
    au_carry carry;
    uint32_t *wake;
    int status;
    uint32_t ended;
    size_t fed;
    char in[BUFFER]; /* read from in_from and not yet written */
    size_t in_at, in_n;
    bool in_eof;
};

static void shut(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void keep(au_tee *t, const char *p, size_t n) {
    if (!t)
        return;
    t->seen += n;
    size_t room = t->limit - t->n;
    n = n < room ? n : room;
    if (t->n + n > t->cap) {
        t->cap = (t->n + n) * 2;
        t->at = au_realloc_array(t->at, t->cap, 1);
    }
    if (n)
        memcpy(t->at + t->n, p, n);
    t->n += n;
}

/* Everything that can be written without waiting; closes the pipe at the end of the input
 * or when nobody reads it any more. */
static void feed_pipe(au_attendant *a) {
    au_carry *c = &a->carry;
    const char *p = c->feed ? c->feed + a->fed : a->in + a->in_at;
    size_t n = c->feed ? c->feed_size - a->fed : a->in_n - a->in_at;
    if (n) {
        ssize_t k = write(c->in_to, p, n);
        if (k < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (k < 0) {
            shut(&c->in_to);
            return;
        }
        if (c->feed)
            a->fed += (size_t)k;
        else
            a->in_at += (size_t)k;
        n -= (size_t)k;
    }
    if (!n && (c->feed || a->in_eof))
        shut(&c->in_to);
}

static void fill_in(au_attendant *a) {
    ssize_t k = read(a->carry.in_from, a->in, sizeof a->in);
    if (k < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    a->in_at = 0;
    a->in_n = k > 0 ? (size_t)k : 0;
    a->in_eof = k <= 0;
    if (k > 0)
        keep(a->carry.tee, a->in, (size_t)k);
}

static bool write_out(int fd, const char *p, size_t n) {
    while (n) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0 && errno == EAGAIN) {
            struct pollfd w = {.fd = fd, .events = POLLOUT};
            poll(&w, 1, -1);
            continue;
        }
        if (k < 0)
            return false;
        p += k;
        n -= (size_t)k;
    }
    return true;
}

/* One buffer of output i; false if there is nothing now. A reader of ours that has gone
 * is passed on: the program gets the broken pipe itself. */
static bool carry_out(au_attendant *a, int i) {
    char buf[BUFFER];
    int *from = &a->carry.out_from[i];
    ssize_t k = read(*from, buf, sizeof buf);
    if (k < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    int to = a->carry.out_to[i];
    if (k > 0)
        keep(a->carry.said[i], buf, (size_t)k);
    if (k <= 0 || (to >= 0 && !write_out(to, buf, (size_t)k))) {
        shut(from); /* a terminal that is closed gives EIO */
        return false;
    }
    return true;
}

static bool reap(au_attendant *a, int flags) {
    pid_t got;
    do
        got = waitpid(a->pid, &a->status, flags);
    while (got < 0 && errno == EINTR);
    return got == a->pid || got < 0;
}

/* Waits for whatever comes next; true if the program may have ended. */
static bool wait_next(au_attendant *a) {
    au_carry *c = &a->carry;
    bool pending = a->in_at < a->in_n;
    struct pollfd p[5] = {{.fd = a->pidfd, .events = POLLIN},
                          {.fd = c->in_to, .events = 0},
                          {.fd = -1, .events = POLLIN},
                          {.fd = c->out_from[1], .events = POLLIN},
                          {.fd = c->out_from[2], .events = POLLIN}};
    if (c->in_to >= 0) {
        if (c->feed || pending || a->in_eof)
            p[1].events = POLLOUT;
        else
            p[2].fd = c->in_from;
    }
    if (poll(p, 5, a->pidfd < 0 ? 5 : -1) < 0) {
        if (errno == EINTR)
            return false;
        /* No memory, perhaps: everything is tried, nothing waits (au_attendant_start). */
        nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
        for (int i = 0; i < 5; i++)
            p[i].revents = p[i].fd < 0 ? 0 : p[i].events;
        p[2].revents = 0; /* but our own input, which may: only a second poll tells */
        if (p[2].fd >= 0 && poll(&p[2], 1, 0) > 0)
            p[2].revents = POLLIN;
    }
    if (p[2].revents)
        fill_in(a);
    if (c->in_to >= 0 && (p[1].revents & POLLERR))
        shut(&c->in_to); /* nobody reads it */
    else if (c->in_to >= 0 && ((p[1].revents & POLLOUT) || a->in_eof))
        feed_pipe(a);
    for (int i = 1; i <= 2; i++)
        if (p[2 + i].revents)
            carry_out(a, i);
    return a->pidfd < 0 || p[0].revents;
}

static bool carries(const au_carry *c) {
    return c->in_to >= 0 || c->out_from[1] >= 0 || c->out_from[2] >= 0;
}

static void *attend(void *arg) {
    au_attendant *a = arg;
    bool ended = false;
    while (!ended) {
        if (!carries(&a->carry))
            ended = reap(a, 0);
        else if (wait_next(a))
            ended = reap(a, WNOHANG);
    }
    for (int i = 1; i <= 2; i++)
        while (a->carry.out_from[i] >= 0 && carry_out(a, i))
            continue;
    __atomic_store_n(&a->ended, 1, __ATOMIC_SEQ_CST);
    if (a->wake)
        syscall(SYS_futex, a->wake, FUTEX_WAKE, 1, NULL, NULL, 0);
    return NULL;
}

static void no_blocking(int fd) {
    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

au_attendant *au_attendant_start(pid_t pid, const au_carry *c, uint32_t *wake) {
    au_attendant *a = AU_NEW(au_attendant);
    a->pid = pid;
    a->carry = *c;
    a->wake = wake;
    a->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    no_blocking(c->in_to);
    no_blocking(c->out_from[1]);
    no_blocking(c->out_from[2]);
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int e = pthread_create(&a->thread, NULL, attend, a);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!e)
        return a;
    shut(&a->pidfd);
    free(a);
    errno = e;
    return NULL;
}

bool au_attendant_ended(const au_attendant *a) {
    return __atomic_load_n(&a->ended, __ATOMIC_SEQ_CST);
}

int au_attendant_join(au_attendant *a) {
    pthread_join(a->thread, NULL);
    int status = a->status;
    shut(&a->pidfd);
    shut(&a->carry.in_to);
    shut(&a->carry.out_from[1]);
    shut(&a->carry.out_from[2]);
    free(a);
    return status;
}
