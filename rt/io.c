/* SPDX-License-Identifier: MIT
 *
 * rt/io.c: reading and writing descriptors. The rules are in io.h. */
#include "rt/io.h"
#include "rt/cause.h"
#include "rt/channel.h"
#include "rt/stdio.h"
#include "rt/stream.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

void rt_call_cleanup(struct rt_call *c) {
    if (!c->live)
        return;
    c->live = 0;
    if (c->detached)
        rt_attach();
    rt_channel_has_received(c);
    rt_leave(0);
}

int rt_fd_is_fed(enum rt_fd kind) {
    return kind == RT_FD_SOCKET || kind == RT_FD_OWN_PIPE;
}

/* No point and no event: descriptors are numbered in the order of the turns. */
RT_EXPORT int pipe2(int *ends, int flags) {
    int e = rt_real.pipe2(ends, flags);
    if (!e && rt_enter()) {
        rt_fd_set_side(ends[0], RT_INSIDE);
        rt_channel_pipe(ends);
        rt_patch(ends, 2 * sizeof *ends);
        rt_leave(0);
    }
    return e;
}
RT_EXPORT int pipe(int *ends) {
    return pipe2(ends, 0);
}

int rt_fd_is_input(int fd) {
    return fd == STDIN_FILENO || rt_fd_kind(fd) != RT_FD_FILE;
}

void rt_call_ask_cancel(struct rt_call *c) {
    c->live = 0;
    rt_cancel_point();
    c->live = 1;
}

void rt_call_start(struct rt_call *c, int fd, short events) {
    rt_call_ask_cancel(c);
    rt_point();
    if (fd >= 0) {
        struct pollfd p = {fd, events, 0};
        if (!rt_channel_is_shared(c) && rt_real.poll(&p, 1, 0) != 0)
            return;
    }
    c->detached = 1;
    rt_detach();
}

void rt_call_back(struct rt_call *c, int64_t result) {
    c->error = result < 0 ? errno : 0;
    c->result = result;
    if (c->detached) {
        c->detached = 0;
        rt_attach();
    }
}

int rt_call_feed(struct rt_call *c, uint8_t kind, void *bytes, size_t cap, size_t *n) {
    rt_call_ask_cancel(c);
    if (!rt_replaying() || (c->inside && rt_living()))
        return 0;
    rt_point();
    *n = 0;
    if (!rt_input_replay(kind, &c->result, bytes, cap, n))
        return 0;
    c->error = errno;
    c->fed = 1;
    if (c->result >= 0 && rt_living())
        rt_cause_fed(c->peer, rt_taken_cause);
    return 1;
}

void rt_call_log(struct rt_call *c, uint8_t kind, const void *bytes, size_t n) {
    if (c->fed)
        return; /* the feed has written it again */
    rt_cause_answered(c, kind, bytes, n);
    errno = c->error;
    rt_input_caused(c->inside ? kind | AU_INPUT_INSIDE : kind, c->result, rt_cause(c->peer), bytes,
                    n);
}

int64_t rt_call_end(struct rt_call *c, uint8_t op, const void *p, size_t n) {
    rt_tell(op, p, n);
    if (c->result < 0 && c->error == EINTR) {
        c->live = 0;
        rt_cancel_point();
    }
    c->live = 0;
    rt_channel_has_received(c);
    rt_leave(0);
    if (c->result < 0)
        errno = c->error;
    return c->result;
}

/* A fed read leaves what somebody (a child, the program into its event counter) wrote where it
 * is; it would fill up. So as much is taken out as was fed, if it is there. */
static void drain(int fd, int64_t n) {
    char scrap[4096];
    if (n <= 0)
        return;
    enum rt_fd kind = rt_fd_kind(fd);
    if ((kind == RT_FD_OWN_PIPE || kind == RT_FD_SOCKET) && !rt_put_inside)
        return;               /* nothing was written there in this replay */
    if (kind == RT_FD_FILE) { /* standard input from a file: move on */
        rt_real.lseek(fd, n, SEEK_CUR);
        return;
    }
    while (n > 0) {
        struct pollfd p = {fd, POLLIN, 0};
        if (rt_real.poll(&p, 1, 0) <= 0 || !(p.revents & POLLIN))
            return;
        ssize_t r = rt_real.read(fd, scrap, n < (int64_t)sizeof scrap ? (size_t)n : sizeof scrap);
        if (r <= 0)
            return;
        n -= r;
    }
}

/* Files: no input, no blocking. */
static ssize_t from_file(struct rt_call *c, int fd, ssize_t r, const void *p) {
    c->error = errno;
    c->result = r;
    rt_channel_lost(fd, 1);
    return (ssize_t)rt_call_end(c, AU_SOP_RWRITE, p, r > 0 ? (size_t)r : 0);
}

RT_EXPORT ssize_t read(int fd, void *p, size_t n) {
    if (!rt_enter())
        return rt_real.read(fd, p, n);
    RT_CALL(c);
    if (!rt_fd_is_input(fd)) {
        rt_point();
        return from_file(&c, fd, rt_real.read(fd, p, n), p);
    }
    size_t got = 0;
    c.inside = rt_fd_inside(fd);
    c.peer = rt_peer(fd);
    if (!c.inside && rt_living() && rt_fd_side(fd) == RT_DOOR) {
        got = rt_door_receive(&c, fd, p, n, 0);
    } else if (rt_call_feed(&c, AU_INPUT_BYTES, p, n, &got)) {
        drain(fd, c.result);
    } else {
        rt_channel_receives(&c, fd);
        RT_MAKE(&c, fd, POLLIN, rt_real.read(fd, p, n));
        got = c.result > 0 ? (size_t)c.result : 0;
    }
    rt_call_log(&c, AU_INPUT_BYTES, p, got);
    return (ssize_t)rt_channel_received(&c, fd, p, n, got, 0);
}

RT_EXPORT ssize_t __read_chk(int fd, void *p, size_t n, size_t room);
RT_EXPORT ssize_t __read_chk(int fd, void *p, size_t n, size_t room) {
    return n > room ? rt_real.__read_chk(fd, p, n, room) : read(fd, p, n);
}

/* Positioned reads have a file under them; devices that allow them are fed too. */
static ssize_t positioned(int fd, void *p, size_t n, off_t at) {
    RT_CALL(c);
    if (!rt_fd_is_input(fd)) {
        rt_point();
        return from_file(&c, fd, rt_real.pread(fd, p, n, at), p);
    }
    size_t got = 0;
    c.peer = rt_peer(fd);
    if (!rt_call_feed(&c, AU_INPUT_BYTES, p, n, &got)) {
        rt_call_start(&c, fd, POLLIN);
        rt_call_back(&c, rt_real.pread(fd, p, n, at));
        got = c.result > 0 ? (size_t)c.result : 0;
    }
    rt_call_log(&c, AU_INPUT_BYTES, p, got);
    return (ssize_t)rt_call_end(&c, AU_SOP_RWRITE, p, got);
}

RT_EXPORT ssize_t pread(int fd, void *p, size_t n, off_t at) {
    return rt_enter() ? positioned(fd, p, n, at) : rt_real.pread(fd, p, n, at);
}
RT_EXPORT ssize_t pread64(int fd, void *p, size_t n, off_t at) {
    return rt_enter() ? positioned(fd, p, n, at) : rt_real.pread(fd, p, n, at);
}

/* Output goes out in a replay too, except into sockets and pipes of its own: nobody reads the
 * other end. */
static ssize_t write_to(int fd, const void *p, size_t n) {
    RT_CALL(c);
    enum rt_fd kind = rt_fd_kind(fd);
    size_t none;
    c.inside = kind != RT_FD_FILE && rt_fd_inside(fd);
    if (kind == RT_FD_FILE) {
        rt_point();
        c.result = rt_real.write(fd, p, n);
        c.error = errno;
    } else if (c.inside && rt_living()) {
        rt_call_ask_cancel(&c);
        rt_live_send(&c, fd, p, n, -1);
    } else if (!rt_fd_is_fed(kind) || !rt_call_feed(&c, AU_INPUT_VALUE, NULL, 0, &none)) {
        rt_call_start(&c, n > RT_NO_WAIT ? -1 : fd, POLLOUT);
        rt_call_back(&c, rt_real.write(fd, p, n));
    }
    if (rt_fd_is_fed(kind))
        rt_call_log(&c, AU_INPUT_VALUE, NULL, 0);
    if (c.result > 0)
        rt_cause_sent(rt_peer(fd), p, (size_t)c.result);
    if (c.fed)
        rt_children_hear_bytes(&c, fd, p, c.result);
    return (ssize_t)rt_channel_sent(&c, fd, p, n);
}

RT_EXPORT ssize_t write(int fd, const void *p, size_t n) {
    return rt_enter() ? write_to(fd, p, n) : rt_real.write(fd, p, n);
}

static ssize_t write_at(int fd, const void *p, size_t n, off_t at) {
    RT_CALL(c);
    rt_point();
    c.result = rt_real.pwrite(fd, p, n, at);
    c.error = errno;
    rt_channel_lost(fd, 0);
    return (ssize_t)rt_call_end(&c, AU_SOP_RREAD, p, c.result > 0 ? (size_t)c.result : 0);
}
RT_EXPORT ssize_t pwrite(int fd, const void *p, size_t n, off_t at) {
    return rt_enter() ? write_at(fd, p, n, at) : rt_real.pwrite(fd, p, n, at);
}
RT_EXPORT ssize_t pwrite64(int fd, const void *p, size_t n, off_t at) {
    return rt_enter() ? write_at(fd, p, n, at) : rt_real.pwrite(fd, p, n, at);
}

/* Scattered buffers: told piece by piece, one event each. Input is fed piece by piece as
 * well: the first INPUT holds the result, the others only bytes. */
static size_t piece(const struct iovec *v, int64_t *left) {
    size_t n = *left > 0 ? (size_t)*left : 0;
    if (n > v->iov_len)
        n = v->iov_len;
    *left -= (int64_t)n;
    return n;
}

static int64_t end_pieces(struct rt_call *c, uint8_t op, const struct iovec *v, int n) {
    int64_t left = c->result;
    for (int i = 0; i + 1 < n; i++)
        rt_tell(op, v[i].iov_base, piece(&v[i], &left));
    if (n < 1)
        return rt_call_end(c, op, NULL, 0);
    return rt_call_end(c, op, v[n - 1].iov_base, piece(&v[n - 1], &left));
}

static bool sane(const struct iovec *v, int n) {
    return v && n > 0 && n <= IOV_MAX;
}

RT_EXPORT ssize_t readv(int fd, const struct iovec *v, int n) {
    if (!sane(v, n) || !rt_enter())
        return rt_real.readv(fd, v, n);
    RT_CALL(c);
    if (!rt_fd_is_input(fd)) {
        rt_point();
        c.result = rt_real.readv(fd, v, n);
        c.error = errno;
        rt_channel_lost(fd, 1);
        return (ssize_t)end_pieces(&c, AU_SOP_RWRITE, v, n);
    }
    size_t got;
    c.inside = rt_fd_inside(fd);
    c.peer = rt_peer(fd);
    if (rt_call_feed(&c, AU_INPUT_BYTES, v[0].iov_base, v[0].iov_len, &got)) {
        struct rt_call more = c;
        for (int i = 1; i < n && more.fed; i++)
            more.fed =
                rt_input_replay(AU_INPUT_BYTES, &more.result, v[i].iov_base, v[i].iov_len, &got);
        drain(fd, c.result);
    } else {
        rt_channel_receives(&c, fd);
        RT_MAKE(&c, fd, POLLIN, rt_real.readv(fd, v, n));
    }
    rt_channel_lost(fd, 1);
    int64_t left = c.result;
    for (int i = 0; i < n; i++)
        rt_call_log(&c, AU_INPUT_BYTES, v[i].iov_base, piece(&v[i], &left));
    return (ssize_t)end_pieces(&c, AU_SOP_RWRITE, v, n);
}

/* In one piece if the kernel takes it in one, else piece by piece. */
static void live_pieces(struct rt_call *c, int fd, const struct iovec *v, int n) {
    size_t all = 0;
    for (int i = 0; i < n; i++)
        all = all > PIPE_BUF ? all : all + v[i].iov_len;
    if (all <= PIPE_BUF) {
        RT_MAKE(c, fd, POLLOUT, rt_real.writev(fd, v, n));
        return;
    }
    int64_t sent = 0;
    for (int i = 0; i < n; i++) {
        if (!v[i].iov_len)
            continue;
        rt_live_send(c, fd, v[i].iov_base, v[i].iov_len, -1);
        sent += c->result > 0 ? c->result : 0;
        if (c->result < (int64_t)v[i].iov_len)
            break;
    }
    if (sent > 0)
        c->result = sent;
}

RT_EXPORT ssize_t writev(int fd, const struct iovec *v, int n) {
    if (!sane(v, n) || !rt_enter())
        return rt_real.writev(fd, v, n);
    RT_CALL(c);
    enum rt_fd kind = rt_fd_kind(fd);
    size_t none, all = 0;
    for (int i = 0; i < n; i++)
        all += v[i].iov_len;
    c.inside = kind != RT_FD_FILE && rt_fd_inside(fd);
    if (kind == RT_FD_FILE) {
        rt_point();
        c.result = rt_real.writev(fd, v, n);
        c.error = errno;
    } else if (c.inside && rt_living()) {
        rt_call_ask_cancel(&c);
        live_pieces(&c, fd, v, n);
    } else if (!rt_fd_is_fed(kind) || !rt_call_feed(&c, AU_INPUT_VALUE, NULL, 0, &none)) {
        rt_call_start(&c, all > RT_NO_WAIT ? -1 : fd, POLLOUT);
        rt_call_back(&c, rt_real.writev(fd, v, n));
    }
    if (rt_fd_is_fed(kind))
        rt_call_log(&c, AU_INPUT_VALUE, NULL, 0);
    rt_cause_pieces(rt_peer(fd), v, (size_t)n, c.result);
    if (c.fed) {
        struct msghdr m = {.msg_iov = (struct iovec *)(uintptr_t)v, .msg_iovlen = (size_t)n};
        rt_children_hear(&c, fd, &m, c.result);
    }
    rt_channel_lost_sent(&c, fd, all);
    return (ssize_t)end_pieces(&c, AU_SOP_RREAD, v, n);
}
