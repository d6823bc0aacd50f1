/* SPDX-License-Identifier: MIT
 *
 * rt/io.c: reading and writing descriptors. The rules are in io.h. */
#include "rt/io.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

void rt_call_cleanup(struct rt_call *c) {
    if (!c->live)
        return;
    c->live = 0;
    if (c->detached)
        rt_attach();
    rt_leave(0);
}

/* Pipes that this process made since the last fork have the present generation in the table, under
 * a key that is no address of an object: odd, by inode. */
static uint64_t generation = 1;
static const void *pipe_key(const struct stat *st) {
    return (const void *)(uintptr_t)(st->st_ino << 1 | 1);
}

void rt_pipes_shared(void) {
    generation++;
}

/* Files of the kernel's own making, which say something else each time; they all have
 * length 0. */
static int is_kernel_file(int fd, const struct stat *st) {
    struct statfs fs;
    if (!S_ISREG(st->st_mode) || st->st_size || fstatfs(fd, &fs))
        return 0;
    return fs.f_type == PROC_SUPER_MAGIC || fs.f_type == CGROUP2_SUPER_MAGIC ||
           fs.f_type == CGROUP_SUPER_MAGIC;
}

enum rt_fd rt_fd_kind(int fd) {
    struct stat st;
    if (rt_real.fstat(fd, &st))
        return RT_FD_FILE; /* the call will fail */
    if (is_kernel_file(fd, &st))
        return RT_FD_DEVICE;
    if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode))
        return RT_FD_FILE;
    if (S_ISSOCK(st.st_mode))
        return RT_FD_SOCKET;
    if (!S_ISFIFO(st.st_mode))
        return RT_FD_DEVICE; /* eventfd and kin too */
    return rt_table_get(pipe_key(&st)) == generation ? RT_FD_OWN_PIPE : RT_FD_PIPE;
}

int rt_fd_is_fed(enum rt_fd kind) {
    return kind == RT_FD_SOCKET || kind == RT_FD_OWN_PIPE;
}

static void remember_pipe(const int *ends) {
    struct stat st;
    if (rt_real.fstat(ends[0], &st) == 0)
        rt_table_set(pipe_key(&st), generation);
}

/* No point and no event: descriptors are numbered in the order of the turns. */
RT_EXPORT int pipe2(int *ends, int flags) {
    int e = rt_real.pipe2(ends, flags);
    if (!e && rt_enter()) {
        remember_pipe(ends);
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

/* Cancellation is asked before the point and after the call, never between: a replay stands at
 * the point while the recording was in the call already. */
static void ask_cancel(struct rt_call *c) {
    c->live = 0;
    rt_cancel_point();
    c->live = 1;
}

void rt_call_start(struct rt_call *c, int fd, short events) {
    ask_cancel(c);
    rt_point();
    if (fd >= 0) {
        struct pollfd p = {fd, events, 0};
        if (rt_real.poll(&p, 1, 0) != 0)
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
    ask_cancel(c);
    if (!rt_replaying())
        return 0;
    rt_point();
    *n = 0;
    if (!rt_input_replay(kind, &c->result, bytes, cap, n))
        return 0;
    c->error = errno;
    c->fed = 1;
    return 1;
}

void rt_call_log(struct rt_call *c, uint8_t kind, const void *bytes, size_t n) {
    if (c->fed)
        return; /* the feed has written it again */
    errno = c->error;
    rt_input(kind, c->result, bytes, n);
}

int64_t rt_call_end(struct rt_call *c, uint8_t op, const void *p, size_t n) {
    rt_tell(op, p, n);
    if (c->result < 0 && c->error == EINTR) {
        c->live = 0;
        rt_cancel_point();
    }
    c->live = 0;
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
    if (kind == RT_FD_OWN_PIPE || kind == RT_FD_SOCKET)
        return;
    if (kind == RT_FD_FILE) { /* standard input from a file: move on */
        lseek(fd, n, SEEK_CUR);
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
static ssize_t from_file(struct rt_call *c, ssize_t r, const void *p) {
    c->error = errno;
    c->result = r;
    return (ssize_t)rt_call_end(c, AU_SOP_RWRITE, p, r > 0 ? (size_t)r : 0);
}

RT_EXPORT ssize_t read(int fd, void *p, size_t n) {
    if (!rt_enter())
        return rt_real.read(fd, p, n);
    RT_CALL(c);
    if (!rt_fd_is_input(fd)) {
        rt_point();
        return from_file(&c, rt_real.read(fd, p, n), p);
    }
    size_t got = 0;
    if (rt_call_feed(&c, AU_INPUT_BYTES, p, n, &got)) {
        drain(fd, c.result);
    } else {
        rt_call_start(&c, fd, POLLIN);
        rt_call_back(&c, rt_real.read(fd, p, n));
        got = c.result > 0 ? (size_t)c.result : 0;
    }
    rt_call_log(&c, AU_INPUT_BYTES, p, got);
    return (ssize_t)rt_call_end(&c, AU_SOP_RWRITE, p, got);
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
        return from_file(&c, rt_real.pread(fd, p, n, at), p);
    }
    size_t got = 0;
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
    if (kind == RT_FD_FILE) {
        rt_point();
        c.result = rt_real.write(fd, p, n);
        c.error = errno;
    } else if (!rt_fd_is_fed(kind) || !rt_call_feed(&c, AU_INPUT_VALUE, NULL, 0, &none)) {
        rt_call_start(&c, n > RT_NO_WAIT ? -1 : fd, POLLOUT);
        rt_call_back(&c, rt_real.write(fd, p, n));
    }
    if (rt_fd_is_fed(kind))
        rt_call_log(&c, AU_INPUT_VALUE, NULL, 0);
    return (ssize_t)rt_call_end(&c, AU_SOP_RREAD, p, c.result > 0 ? (size_t)c.result : 0);
}

RT_EXPORT ssize_t write(int fd, const void *p, size_t n) {
    return rt_enter() ? write_to(fd, p, n) : rt_real.write(fd, p, n);
}

static ssize_t write_at(int fd, const void *p, size_t n, off_t at) {
    RT_CALL(c);
    rt_point();
    c.result = rt_real.pwrite(fd, p, n, at);
    c.error = errno;
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
        return (ssize_t)end_pieces(&c, AU_SOP_RWRITE, v, n);
    }
    size_t got;
    if (rt_call_feed(&c, AU_INPUT_BYTES, v[0].iov_base, v[0].iov_len, &got)) {
        struct rt_call more = c;
        for (int i = 1; i < n && more.fed; i++)
            more.fed =
                rt_input_replay(AU_INPUT_BYTES, &more.result, v[i].iov_base, v[i].iov_len, &got);
        drain(fd, c.result);
    } else {
        rt_call_start(&c, fd, POLLIN);
        rt_call_back(&c, rt_real.readv(fd, v, n));
    }
    int64_t left = c.result;
    for (int i = 0; i < n; i++)
        rt_call_log(&c, AU_INPUT_BYTES, v[i].iov_base, piece(&v[i], &left));
    return (ssize_t)end_pieces(&c, AU_SOP_RWRITE, v, n);
}

RT_EXPORT ssize_t writev(int fd, const struct iovec *v, int n) {
    if (!sane(v, n) || !rt_enter())
        return rt_real.writev(fd, v, n);
    RT_CALL(c);
    enum rt_fd kind = rt_fd_kind(fd);
    size_t none;
    if (kind == RT_FD_FILE) {
        rt_point();
        c.result = rt_real.writev(fd, v, n);
        c.error = errno;
    } else if (!rt_fd_is_fed(kind) || !rt_call_feed(&c, AU_INPUT_VALUE, NULL, 0, &none)) {
        size_t all = 0;
        for (int i = 0; i < n; i++)
            all = all > RT_NO_WAIT ? all : all + v[i].iov_len;
        rt_call_start(&c, all > RT_NO_WAIT ? -1 : fd, POLLOUT);
        rt_call_back(&c, rt_real.writev(fd, v, n));
    }
    if (rt_fd_is_fed(kind))
        rt_call_log(&c, AU_INPUT_VALUE, NULL, 0);
    return (ssize_t)end_pieces(&c, AU_SOP_RREAD, v, n);
}
