/* SPDX-License-Identifier: MIT
 *
 * rt/side.c: does a descriptor lead to something that lives inside of the process? Pipes and
 * connections are remembered by inode, under a key that is no address of an object (odd), with the
 * generation: after a fork the child has them, too, and nothing made before is the process's
 * alone. Children are executed as their parent is, so what it made is inside of the family: it is live in
 * another schedule, only it takes its time. */
#include "rt/channel.h"
#include "rt/io.h"
#include "rt/live.h"

#include <arpa/inet.h>
#include <limits.h>
#include <linux/magic.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

static uint64_t generation = 1;
static const void *key_of(const struct stat *st) {
    return (const void *)(uintptr_t)(st->st_ino << 1 | 1);
}

void rt_pipes_shared(void) {
    generation++;
    rt_channels_shared();
}

bool rt_has_children(void) {
    return generation > 1;
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

static enum rt_fd kind_of(int fd, struct stat *st) {
    if (rt_real.fstat(fd, st)) {
        st->st_mode = S_IFREG;
        return RT_FD_FILE; /* the call will fail */
    }
    if (is_kernel_file(fd, st))
        return RT_FD_DEVICE;
    if (S_ISREG(st->st_mode) || S_ISDIR(st->st_mode) || S_ISBLK(st->st_mode))
        return RT_FD_FILE;
    if (S_ISSOCK(st->st_mode))
        return RT_FD_SOCKET;
    if (!S_ISFIFO(st->st_mode))
        return RT_FD_DEVICE; /* eventfd and kin too */
    return rt_table_get(key_of(st)) == generation ? RT_FD_OWN_PIPE : RT_FD_PIPE;
}

enum rt_fd rt_fd_kind(int fd) {
    struct stat st;
    return kind_of(fd, &st);
}

#define SHARED UINT64_MAX /* no generation: outside for ever */

/* Made by this process, for its children or not. */
static bool is_of_family(const struct stat *st) {
    uint64_t is = rt_table_get(key_of(st));
    return is && is != SHARED;
}

void rt_fd_set_side(int fd, enum rt_side side) {
    struct stat st;
    if (rt_real.fstat(fd, &st) == 0)
        rt_table_set(key_of(&st), side == RT_INSIDE ? generation : side == RT_OUTSIDE ? SHARED : 0);
}

/* A pair of sockets, or a connection in this machine, that both ends of are this process's. */
static bool own_pair(int fd) {
    struct ucred peer;
    socklen_t n = sizeof peer;
    struct sockaddr_storage name;
    socklen_t k = sizeof name;
    return rt_real.getpeername(fd, (struct sockaddr *)&name, &k) == 0 &&
           name.ss_family == AF_UNIX &&
           rt_real.getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 &&
           peer.pid == rt_real.getpid();
}

static enum rt_side socket_side(int fd, const struct stat *st) {
    uint64_t is = rt_table_get(key_of(st));
    if (is)
        return is == SHARED ? RT_OUTSIDE : RT_INSIDE;
    struct sockaddr_storage name;
    socklen_t n = sizeof name;
    if (rt_real.getpeername(fd, (struct sockaddr *)&name, &n))
        return RT_DOOR;
    if (generation > 1 || !own_pair(fd))
        return RT_OUTSIDE;
    rt_table_set(key_of(st), generation);
    return RT_INSIDE;
}

enum rt_side rt_fd_side(int fd) {
    struct stat st;
    switch (kind_of(fd, &st)) {
    case RT_FD_FILE:
        return fd == STDIN_FILENO ? RT_OUTSIDE : RT_INSIDE;
    case RT_FD_OWN_PIPE:
        return RT_INSIDE;
    case RT_FD_SOCKET:
        return socket_side(fd, &st);
    case RT_FD_DEVICE: /* event counters, timers, sets of epoll, signals: no file of any type */
        return st.st_mode & S_IFMT ? RT_OUTSIDE : RT_INSIDE;
    case RT_FD_PIPE:
        return is_of_family(&st) ? RT_INSIDE : RT_OUTSIDE;
    }
    return RT_OUTSIDE;
}

/* ---- the process's own sockets ---- */

static bool same_address(const struct sockaddr_storage *a, const void *address) {
    const struct sockaddr *b = address;
    if (a->ss_family != b->sa_family)
        return false;
    if (b->sa_family == AF_INET)
        return ((const struct sockaddr_in *)a)->sin_port ==
               ((const struct sockaddr_in *)address)->sin_port;
    if (b->sa_family == AF_INET6)
        return ((const struct sockaddr_in6 *)a)->sin6_port ==
               ((const struct sockaddr_in6 *)address)->sin6_port;
    return false;
}

/* A path ends with its null, whatever the length says; an abstract name is as long as it is. */
static bool same_path(const struct sockaddr_storage *own, size_t n, const void *address, size_t m) {
    const struct sockaddr_un *a = (const struct sockaddr_un *)own, *b = address;
    size_t head = offsetof(struct sockaddr_un, sun_path);
    if (n <= head || m <= head || n > sizeof *a || m > sizeof *b)
        return false;
    if (!a->sun_path[0] || !b->sun_path[0])
        return n == m && !memcmp(a->sun_path, b->sun_path, n - head);
    size_t i = strnlen(a->sun_path, n - head), k = strnlen(b->sun_path, m - head);
    return i == k && !memcmp(a->sun_path, b->sun_path, i);
}

static bool is_loopback(const void *address) {
    const struct sockaddr *a = address;
    if (a->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127 ||
               !((const struct sockaddr_in *)address)->sin_addr.s_addr;
    if (a->sa_family == AF_INET6) {
        const struct in6_addr *x = &((const struct sockaddr_in6 *)address)->sin6_addr;
        return IN6_IS_ADDR_LOOPBACK(x) || IN6_IS_ADDR_UNSPECIFIED(x);
    }
    return a->sa_family == AF_UNIX;
}

static int highest_fd(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > 1024 ? 1024 : (int)limit.rlim_cur;
}

bool rt_address_inside(int fd, const void *address, uint32_t length) {
    if (length < sizeof(sa_family_t) || !is_loopback(address))
        return false;
    const struct sockaddr *a = address;
    if ((a->sa_family == AF_INET && length < sizeof(struct sockaddr_in)) ||
        (a->sa_family == AF_INET6 && length < sizeof(struct sockaddr_in6)))
        return false;
    for (int i = 0; i < highest_fd(); i++) {
        struct sockaddr_storage own;
        socklen_t n = sizeof own;
        if (i == fd || rt_real.getsockname(i, (struct sockaddr *)&own, &n))
            continue;
        if (a->sa_family == AF_UNIX) {
            if (own.ss_family == AF_UNIX && same_path(&own, n, address, length))
                return true;
        } else if (same_address(&own, address)) {
            return true;
        }
    }
    return false;
}

enum rt_side rt_socket_connected(int fd) {
    struct sockaddr_storage peer;
    socklen_t n = sizeof peer;
    if (rt_real.getpeername(fd, (struct sockaddr *)&peer, &n))
        return RT_OUTSIDE;
    bool own = peer.ss_family == AF_UNIX ? own_pair(fd) : rt_address_inside(fd, &peer, n);
    return own && generation == 1 ? RT_INSIDE : RT_OUTSIDE;
}

/* There is no room: they have not read what was sent before. They may wait for somebody else first, or until their
 * answers, which a replay feeds, are taken out. */
static void wait_for_room(struct rt_call *c, int fd) {
    char scrap[4096];
    struct pollfd p = {fd, POLLOUT | POLLIN, 0};
    int64_t result = c->result;
    int error = c->error;
    c->detached = 1;
    rt_detach();
    while (rt_real.poll(&p, 1, -1) > 0 && !(p.revents & ~POLLIN))
        if (rt_real.recv(fd, scrap, sizeof scrap, MSG_DONTWAIT) <= 0)
            p.events = POLLOUT;
    rt_call_back(c, result);
    c->error = error;
}

void rt_children_hear(struct rt_call *c, int fd, const struct msghdr *m, int64_t n) {
    struct stat st;
    struct iovec v[m->msg_iovlen + 1];
    struct msghdr rest = *m;
    if (n <= 0 || kind_of(fd, &st) != RT_FD_SOCKET || !is_of_family(&st) ||
        rt_table_get(key_of(&st)) == generation)
        return;
    memcpy(v, m->msg_iov, m->msg_iovlen * sizeof *v);
    int64_t left = n;
    for (size_t i = 0; i < rest.msg_iovlen; i++) {
        v[i].iov_len = (int64_t)v[i].iov_len < left ? v[i].iov_len : (size_t)left;
        left -= (int64_t)v[i].iov_len;
    }
    rest.msg_iov = v;
    while (n > 0) {
        ssize_t k = rt_real.sendmsg(fd, &rest, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (k < 0 && (errno == EAGAIN || errno == EINTR)) {
            wait_for_room(c, fd);
            continue;
        }
        if (k <= 0) /* nobody is there any more */
            return;
        n -= k;
        rest.msg_control = NULL;
        rest.msg_controllen = 0;
        for (; rest.msg_iovlen && (size_t)k >= rest.msg_iov->iov_len; rest.msg_iovlen--)
            k -= (ssize_t)rest.msg_iov++->iov_len;
        if (rest.msg_iovlen) {
            rest.msg_iov->iov_base = (char *)rest.msg_iov->iov_base + k;
            rest.msg_iov->iov_len -= (size_t)k;
        }
    }
}

void rt_children_hear_bytes(struct rt_call *c, int fd, const void *p, int64_t n) {
    struct iovec v = {(void *)(uintptr_t)p, n > 0 ? (size_t)n : 0};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
    rt_children_hear(c, fd, &m, n);
}

enum rt_timed rt_fd_timed(int fd) {
    struct stat st;
    char path[40], to[64];
    switch (fd < 0 ? RT_FD_FILE : kind_of(fd, &st)) {
    case RT_FD_PIPE:
        return is_of_family(&st) ? RT_KIN : RT_NOT_TIMED;
    case RT_FD_SOCKET: {
        int domain = 0;
        if (is_of_family(&st) && rt_table_get(key_of(&st)) != generation)
            return RT_KIN;
        socklen_t n = sizeof domain;
        if (rt_real.getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &n) || domain == AF_UNIX)
            return RT_NOT_TIMED;
        return RT_NET;
    }
    case RT_FD_DEVICE: {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        ssize_t k = rt_real.readlink(path, to, sizeof to - 1);
        to[k > 0 ? k : 0] = 0;
        if (!strcmp(to, "anon_inode:[timerfd]"))
            return RT_TIMER;
        return generation > 1 && !(st.st_mode & S_IFMT) ? RT_KIN : RT_NOT_TIMED;
    }
    default:
        return RT_NOT_TIMED;
    }
}
