/* SPDX-License-Identifier: MIT
 *
 * rt/io_net.c: sockets. What arrives is INPUT; in a replay nothing goes out and nobody is
 * waited for: results come from the trace, and an accepted connection is a socket that
 * leads nowhere, under the recorded number. */
#include "rt/io.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- receiving ---- */

RT_EXPORT ssize_t recv(int fd, void *p, size_t n, int flags) {
    if (!rt_enter())
        return rt_real.recv(fd, p, n, flags);
    RT_CALL(c);
    size_t got = 0;
    if (!rt_call_feed(&c, AU_INPUT_BYTES, p, n, &got)) {
        rt_call_start(&c, flags & MSG_WAITALL ? -1 : fd, POLLIN);
        rt_call_back(&c, rt_real.recv(fd, p, n, flags));
        got = c.result > 0 ? (size_t)c.result : 0;
        if (got > n) /* MSG_TRUNC */
            got = n;
    }
    rt_call_log(&c, AU_INPUT_BYTES, p, got);
    return (ssize_t)rt_call_end(&c, AU_SOP_RWRITE, p, got);
}

RT_EXPORT ssize_t __recv_chk(int fd, void *p, size_t n, size_t room, int flags);
RT_EXPORT ssize_t __recv_chk(int fd, void *p, size_t n, size_t room, int flags) {
    return n > room ? rt_real.__recv_chk(fd, p, n, room, flags) : recv(fd, p, n, flags);
}

/* The address is a second INPUT and a second event. */
static size_t address_room(socklen_t before, const socklen_t *after) {
    return *after < before ? *after : before;
}

RT_EXPORT ssize_t recvfrom(int fd, void *restrict p, size_t n, int flags,
                           struct sockaddr *restrict from, socklen_t *restrict length) {
    if (!from || !length)
        return recv(fd, p, n, flags);
    if (!rt_enter())
        return rt_real.recvfrom(fd, p, n, flags, from, length);
    RT_CALL(c);
    size_t got = 0, address = 0;
    socklen_t room = *length;
    int64_t full = 0;
    if (rt_call_feed(&c, AU_INPUT_BYTES, p, n, &got)) {
        if (c.result >= 0 && rt_input_replay(AU_INPUT_BYTES, &full, from, room, &address))
            *length = (socklen_t)full;
    } else {
        rt_call_start(&c, fd, POLLIN);
        rt_call_back(&c, rt_real.recvfrom(fd, p, n, flags, from, length));
        got = c.result > 0 ? (size_t)c.result : 0;
        if (got > n)
            got = n;
        address = c.result >= 0 ? address_room(room, length) : 0;
        full = *length;
    }
    rt_call_log(&c, AU_INPUT_BYTES, p, got);
    if (c.result >= 0) {
        if (!c.fed)
            rt_input(AU_INPUT_BYTES, full, from, address);
        rt_tell(AU_SOP_RWRITE, from, address);
    }
    return (ssize_t)rt_call_end(&c, AU_SOP_RWRITE, p, got);
}

/* Control messages (descriptors passed between processes) are not fed. */
RT_EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags) {
    if (!m || !m->msg_iovlen || m->msg_iovlen > 1024 || !rt_enter())
        return rt_real.recvmsg(fd, m, flags);
    RT_CALL(c);
    struct iovec *v = m->msg_iov;
    size_t n = m->msg_iovlen, got = 0;
    bool name = m->msg_name && m->msg_namelen;
    socklen_t room = m->msg_namelen;
    if (rt_call_feed(&c, AU_INPUT_BYTES, v[0].iov_base, v[0].iov_len, &got)) {
        int64_t again;
        for (size_t i = 1; i < n; i++)
            if (!rt_input_replay(AU_INPUT_BYTES, &again, v[i].iov_base, v[i].iov_len, &got))
                break;
        if (name && c.result >= 0 &&
            rt_input_replay(AU_INPUT_BYTES, &again, m->msg_name, m->msg_namelen, &got))
            m->msg_namelen = (socklen_t)again;
        m->msg_flags = 0;
        m->msg_controllen = 0;
    } else {
        rt_call_start(&c, flags & MSG_WAITALL ? -1 : fd, POLLIN);
        rt_call_back(&c, rt_real.recvmsg(fd, m, flags));
    }
    int64_t left = c.result > 0 ? c.result : 0;
    for (size_t i = 0; i < n; i++) {
        size_t piece = (size_t)left < v[i].iov_len ? (size_t)left : v[i].iov_len;
        left -= (int64_t)piece;
        rt_call_log(&c, AU_INPUT_BYTES, v[i].iov_base, piece);
        rt_tell(AU_SOP_RWRITE, v[i].iov_base, piece);
    }
    if (name && c.result >= 0) {
        size_t k = m->msg_namelen < room ? m->msg_namelen : room;
        if (!c.fed)
            rt_input(AU_INPUT_BYTES, m->msg_namelen, m->msg_name, k);
        rt_tell(AU_SOP_RWRITE, m->msg_name, k);
    }
    return (ssize_t)rt_call_end(&c, AU_SOP_RWRITE, m, 0);
}

/* ---- sending ---- */

#define SEND(call, n)                                                                              \
    RT_CALL(c);                                                                                    \
    size_t none;                                                                                   \
    if (!rt_call_feed(&c, AU_INPUT_VALUE, NULL, 0, &none)) {                                       \
        rt_call_start(&c, (n) > RT_NO_WAIT ? -1 : fd, POLLOUT);                                    \
        rt_call_back(&c, call);                                                                    \
    }                                                                                              \
    rt_call_log(&c, AU_INPUT_VALUE, NULL, 0)

RT_EXPORT ssize_t send(int fd, const void *p, size_t n, int flags) {
    if (!rt_enter())
        return rt_real.send(fd, p, n, flags);
    SEND(rt_real.send(fd, p, n, flags), n);
    return (ssize_t)rt_call_end(&c, AU_SOP_RREAD, p, c.result > 0 ? (size_t)c.result : 0);
}

RT_EXPORT ssize_t sendto(int fd, const void *p, size_t n, int flags, const struct sockaddr *to,
                         socklen_t length) {
    if (!rt_enter())
        return rt_real.sendto(fd, p, n, flags, to, length);
    SEND(rt_real.sendto(fd, p, n, flags, to, length), n);
    return (ssize_t)rt_call_end(&c, AU_SOP_RREAD, p, c.result > 0 ? (size_t)c.result : 0);
}

RT_EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags) {
    if (!m || m->msg_iovlen > 1024 || !rt_enter())
        return rt_real.sendmsg(fd, m, flags);
    SEND(rt_real.sendmsg(fd, m, flags), SIZE_MAX);
    int64_t left = c.result > 0 ? c.result : 0;
    for (size_t i = 0; i < m->msg_iovlen; i++) {
        size_t piece = m->msg_iov[i].iov_len;
        if ((int64_t)piece > left)
            piece = (size_t)left;
        left -= (int64_t)piece;
        rt_tell(AU_SOP_RREAD, m->msg_iov[i].iov_base, piece);
    }
    return (ssize_t)rt_call_end(&c, AU_SOP_RREAD, m, 0);
}

/* ---- connecting ---- */

RT_EXPORT int connect(int fd, const struct sockaddr *to, socklen_t length) {
    if (!rt_enter())
        return rt_real.connect(fd, to, length);
    SEND(rt_real.connect(fd, to, length), SIZE_MAX);
    return (int)rt_call_end(&c, AU_SOP_RREAD, to, c.result == 0 ? length : 0);
}

/* A socket with this number, for what the program does with it besides talking. */
static void stand_in(int number, int flags) {
    int s = socket(AF_UNIX, SOCK_STREAM | (flags & SOCK_NONBLOCK) | (flags & SOCK_CLOEXEC), 0);
    if (s < 0 || s == number)
        return;
    dup3(s, number, flags & SOCK_CLOEXEC ? O_CLOEXEC : 0);
    close(s);
}

static int accepted(int fd, struct sockaddr *from, socklen_t *length, int flags, bool four) {
    RT_CALL(c);
    size_t address = 0;
    socklen_t room = from && length ? *length : 0;
    int64_t full = 0;
    if (rt_call_feed(&c, AU_INPUT_BYTES, from, room, &address)) {
        if (c.result >= 0) {
            stand_in((int)c.result, flags);
            if (room && rt_input_replay(AU_INPUT_VALUE, &full, NULL, 0, &(size_t){0}))
                *length = (socklen_t)full;
        }
    } else {
        rt_call_start(&c, fd, POLLIN);
        rt_call_back(&c, four ? rt_real.accept4(fd, from, length, flags)
                              : rt_real.accept(fd, from, length));
        if (c.result >= 0 && room) {
            address = address_room(room, length);
            full = *length;
        }
    }
    rt_call_log(&c, AU_INPUT_BYTES, from, address);
    if (c.result >= 0 && room && !c.fed)
        rt_input(AU_INPUT_VALUE, full, NULL, 0);
    return (int)rt_call_end(&c, AU_SOP_RWRITE, from, address);
}

RT_EXPORT int accept(int fd, struct sockaddr *restrict from, socklen_t *restrict length) {
    return rt_enter() ? accepted(fd, from, length, 0, false) : rt_real.accept(fd, from, length);
}
RT_EXPORT int accept4(int fd, struct sockaddr *restrict from, socklen_t *restrict length,
                      int flags) {
    return rt_enter() ? accepted(fd, from, length, flags, true)
                      : rt_real.accept4(fd, from, length, flags);
}
