/* SPDX-License-Identifier: MIT
 *
 * rt/io_net.c: sockets. What arrives is INPUT; in a replay nothing goes out and nobody is
 * waited for: results come from the trace, and an accepted connection is a socket that
 * leads nowhere, under the recorded number. */
#include "rt/cause.h"
#include "rt/channel.h"
#include "rt/io.h"
#include "rt/stream.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- receiving ---- */

/* What is there of messages from own sockets, or connections of theirs, comes first; then what came from
 * outside in the recording; else it waits. 'take' makes the call, without waiting. */
struct door {
    int64_t (*take)(struct door *d);
    int fd, flags;
    void *p;
    size_t n;
    struct sockaddr_storage from;
    socklen_t length;
};

/* 1: made; 0: fed, nothing of it is logged yet. */
static int through(struct rt_call *c, struct door *d, void *bytes, size_t cap, size_t *got) {
    uint8_t kind = AU_INPUT_BYTES;
    bool late;
    rt_call_ask_cancel(c);
    rt_point();
    for (;;) {
        d->length = sizeof d->from;
        rt_live_try(c, d->fd);
        rt_live_did(c, d->fd, d->take(d));
        bool waits = c->result < 0 && c->error == EAGAIN;
        if (!waits) {
            c->inside = 1;
            return 1;
        }
        if (rt_input_take(&kind, &c->result, bytes, cap, got)) {
            c->error = c->result < 0 ? errno : 0;
            if (c->result >= 0)
                rt_cause_fed(rt_peer(d->fd), rt_taken_cause);
            return 0;
        }
        if (c->no_wait || c->flags < 0 || (c->flags & O_NONBLOCK))
            return 1;
        if (!rt_live_wait(c, d->fd, true, NULL, &late)) {
            c->result = -1;
            c->error = EINTR;
            return 1;
        }
    }
}

static int64_t take_message(struct door *d) {
    return rt_real.recvfrom(d->fd, d->p, d->n, d->flags, (struct sockaddr *)&d->from, &d->length);
}

static size_t filled_of(const struct rt_call *c, size_t n) {
    size_t got = c->result > 0 ? (size_t)c->result : 0;
    return got < n ? got : n; /* MSG_TRUNC */
}

size_t rt_door_receive(struct rt_call *c, int fd, void *p, size_t n, int flags) {
    struct door d = {.take = take_message, .fd = fd, .flags = flags, .p = p, .n = n};
    size_t got = 0;
    return through(c, &d, p, n, &got) ? filled_of(c, n) : got;
}

/* Recording: a message on a socket without another end came from an own one? */
static void whence(struct rt_call *c, int fd, const struct door *d) {
    if (c->result >= 0 && !c->fed && !rt_living() && d->length)
        c->inside = rt_address_inside(fd, &d->from, d->length);
}

/* MSG_WAITALL, live. */
static void receive_all(struct rt_call *c, int fd, char *p, size_t n, int flags) {
    size_t have = 0;
    rt_live_begin(c);
    do {
        rt_live_try(c, fd);
        rt_live_did(c, fd, rt_real.recv(fd, p + have, n - have, flags & ~MSG_WAITALL));
        if (c->result > 0)
            have += (size_t)c->result;
        if (c->result > 0 && have < n) {
            c->result = -1;
            c->error = EAGAIN;
        }
    } while (rt_live_again(c, fd, POLLIN));
    if (have)
        c->result = (int64_t)have;
}

RT_EXPORT ssize_t recv(int fd, void *p, size_t n, int flags) {
    if (!rt_enter())
        return rt_real.recv(fd, p, n, flags);
    RT_CALL(c);
    size_t got = 0;
    enum rt_side side = rt_fd_side(fd);
    c.inside = side == RT_INSIDE;
    c.peer = rt_peer(fd);
    c.no_wait = flags & MSG_DONTWAIT;
    if (flags & MSG_WAITALL)
        rt_channel_wants_all(fd, n);
    if (side == RT_DOOR && rt_living()) {
        got = rt_door_receive(&c, fd, p, n, flags);
    } else if (c.inside && rt_living() && (flags & MSG_WAITALL) && !c.no_wait) {
        rt_call_ask_cancel(&c);
        receive_all(&c, fd, p, n, flags);
        got = filled_of(&c, n);
    } else if (!rt_call_feed(&c, AU_INPUT_BYTES, p, n, &got)) {
        struct door d = {.length = sizeof d.from};
        if (side == RT_DOOR) {
            rt_call_start(&c, flags & MSG_WAITALL ? -1 : fd, POLLIN);
            rt_call_back(&c,
                         rt_real.recvfrom(fd, p, n, flags, (struct sockaddr *)&d.from, &d.length));
            whence(&c, fd, &d);
        } else {
            rt_channel_receives(&c, fd);
            RT_MAKE(&c, flags & MSG_WAITALL ? -1 : fd, POLLIN, rt_real.recv(fd, p, n, flags));
        }
        got = filled_of(&c, n);
    }
    rt_call_log(&c, AU_INPUT_BYTES, p, got);
    return (ssize_t)rt_channel_received(&c, fd, p, n, got, flags);
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
    enum rt_side side = rt_fd_side(fd);
    struct door d = {.take = take_message, .fd = fd, .flags = flags, .p = p, .n = n};
    uint8_t kind = AU_INPUT_BYTES;
    c.inside = side == RT_INSIDE;
    c.peer = rt_peer(fd);
    c.no_wait = flags & MSG_DONTWAIT;
    if (side == RT_DOOR && rt_living()) {
        if (through(&c, &d, p, n, &got)) {
            got = filled_of(&c, n);
            full = d.length;
            address = c.result >= 0 ? (d.length < room ? d.length : room) : 0;
            memcpy(from, &d.from, address);
        } else if (c.result >= 0) {
            rt_input_take(&kind, &full, from, room, &address);
        }
        if (c.result >= 0)
            *length = (socklen_t)full;
    } else if (rt_call_feed(&c, AU_INPUT_BYTES, p, n, &got)) {
        if (c.result >= 0 && rt_input_replay(AU_INPUT_BYTES, &full, from, room, &address))
            *length = (socklen_t)full;
    } else {
        rt_channel_receives(&c, fd);
        RT_MAKE(&c, fd, POLLIN, rt_real.recvfrom(fd, p, n, flags, from, length));
        got = filled_of(&c, n);
        address = c.result >= 0 ? address_room(room, length) : 0;
        full = *length;
        if (side == RT_DOOR && c.result >= 0)
            c.inside = rt_address_inside(fd, from, (uint32_t)address);
    }
    rt_call_log(&c, AU_INPUT_BYTES, p, got);
    if (c.result >= 0) {
        if (!c.fed)
            rt_input(c.inside ? AU_INPUT_BYTES | AU_INPUT_INSIDE : AU_INPUT_BYTES, full, from,
                     address);
        rt_tell(AU_SOP_RWRITE, from, address);
    }
    return (ssize_t)rt_channel_received(&c, fd, p, n, got, flags);
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
    c.inside = rt_fd_inside(fd);
    c.peer = rt_peer(fd);
    c.no_wait = flags & MSG_DONTWAIT;
    if (flags & MSG_WAITALL)
        rt_channel_wants_all(fd, SIZE_MAX / 2);
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
        rt_channel_receives(&c, fd);
        RT_MAKE(&c, flags & MSG_WAITALL && !rt_living() ? -1 : fd, POLLIN,
                rt_real.recvmsg(fd, m, flags));
    }
    rt_channel_lost(fd, 1);
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
            rt_input(c.inside ? AU_INPUT_BYTES | AU_INPUT_INSIDE : AU_INPUT_BYTES, m->msg_namelen,
                     m->msg_name, k);
        rt_tell(AU_SOP_RWRITE, m->msg_name, k);
    }
    return (ssize_t)rt_call_end(&c, AU_SOP_RWRITE, m, 0);
}

/* ---- sending ---- */

/* Another schedule: no call waits in the kernel, so a long one takes what there is room for, and goes on. */
static bool send_pieces(struct rt_call *c, int fd, const struct iovec *v, size_t n, int flags) {
    int type = 0, descriptor = rt_real.fcntl(fd, F_GETFL);
    socklen_t k = sizeof type;
    size_t all = 0;
    int64_t sent = 0;
    for (size_t i = 0; i < n; i++)
        all += v[i].iov_len;
    if (!rt_living() || !c->inside || c->no_wait || descriptor < 0 || (descriptor & O_NONBLOCK) ||
        all <= RT_NO_WAIT || rt_real.getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &k) ||
        type != SOCK_STREAM)
        return false;
    rt_call_ask_cancel(c);
    for (size_t i = 0; i < n; i++) {
        if (!v[i].iov_len)
            continue;
        rt_live_send(c, fd, v[i].iov_base, v[i].iov_len, flags);
        sent += c->result > 0 ? c->result : 0;
        if (c->result < (int64_t)v[i].iov_len)
            break;
    }
    if (sent > 0)
        c->result = sent;
    return true;
}

#define SEND(call, n)                                                                              \
    RT_CALL(c);                                                                                    \
    size_t none;                                                                                   \
    c.inside = SIDE == RT_INSIDE;                                                                  \
    c.no_wait = NO_WAIT;                                                                           \
    if (!(PIECES) && !rt_call_feed(&c, AU_INPUT_VALUE, NULL, 0, &none))                            \
        RT_MAKE(&c, (n) > RT_NO_WAIT && !rt_living() ? -1 : fd, POLLOUT, call);                    \
    rt_call_log(&c, AU_INPUT_VALUE, NULL, 0)

/* Where a message goes: to an own socket? */
static enum rt_side side_of(int fd, const void *to, socklen_t length) {
    enum rt_side side = rt_fd_side(fd);
    if (side != RT_DOOR || !to)
        return side;
    return rt_address_inside(-1, to, length) ? RT_INSIDE : RT_OUTSIDE;
}

RT_EXPORT ssize_t send(int fd, const void *p, size_t n, int flags) {
    if (!rt_enter())
        return rt_real.send(fd, p, n, flags);
    if (rt_living() && rt_fd_inside(fd)) {
        RT_CALL(c);
        c.inside = 1;
        rt_call_ask_cancel(&c);
        rt_live_send(&c, fd, p, n, flags);
        rt_call_log(&c, AU_INPUT_VALUE, NULL, 0);
        if (c.result > 0)
            rt_cause_sent(rt_peer(fd), p, (size_t)c.result);
        return (ssize_t)rt_channel_sent(&c, fd, p, n);
    }
#define SIDE rt_fd_side(fd)
#define PIECES false
#define NO_WAIT flags &MSG_DONTWAIT
    SEND(rt_real.send(fd, p, n, flags), n);
    if (c.fed)
        rt_children_hear_bytes(&c, fd, p, c.result);
    if (c.result > 0)
        rt_cause_sent(rt_peer(fd), p, (size_t)c.result);
    return (ssize_t)rt_channel_sent(&c, fd, p, n);
}

RT_EXPORT ssize_t sendto(int fd, const void *p, size_t n, int flags, const struct sockaddr *to,
                         socklen_t length) {
    if (!rt_enter())
        return rt_real.sendto(fd, p, n, flags, to, length);
#undef SIDE
#define SIDE side_of(fd, to, length)
#undef PIECES
#define PIECES !to &&send_pieces(&c, fd, &whole, 1, flags)
    struct iovec whole = {(void *)(uintptr_t)p, n};
    SEND(rt_real.sendto(fd, p, n, flags, to, length), n);
    if (c.fed && !to)
        rt_children_hear_bytes(&c, fd, p, c.result);
    if (c.result > 0 && (!c.inside || !to))
        rt_cause_sent(rt_peer(fd), p, (size_t)c.result);
    return (ssize_t)rt_channel_sent(&c, fd, p, n);
}

RT_EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags) {
    if (!m || m->msg_iovlen > 1024 || !rt_enter())
        return rt_real.sendmsg(fd, m, flags);
#undef SIDE
#define SIDE side_of(fd, m->msg_name, m->msg_namelen)
#undef PIECES
#define PIECES                                                                                     \
    !m->msg_name && !m->msg_controllen && send_pieces(&c, fd, m->msg_iov, m->msg_iovlen, flags)
    SEND(rt_real.sendmsg(fd, m, flags), SIZE_MAX);
    if (c.fed && !m->msg_name)
        rt_children_hear(&c, fd, m, c.result);
    if (!c.inside || !m->msg_name)
        rt_cause_pieces(rt_peer(fd), m->msg_iov, m->msg_iovlen, c.result);
    size_t all = 0;
    for (size_t i = 0; i < m->msg_iovlen; i++)
        all += m->msg_iov[i].iov_len;
    rt_channel_lost_sent(&c, fd, all);
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

/* By TCP: the handshake is under way. */
static void finish_connect(struct rt_call *c, int fd) {
    bool late;
    while (c->result < 0 && c->error == EINPROGRESS && !(c->flags & O_NONBLOCK)) {
        struct pollfd p = {fd, POLLOUT, 0};
        if (rt_real.poll(&p, 1, 0) > 0) {
            socklen_t n = sizeof c->error;
            rt_real.getsockopt(fd, SOL_SOCKET, SO_ERROR, &c->error, &n);
            c->result = c->error ? -1 : 0;
            return;
        }
        if (!rt_live_wait(c, fd, true, NULL, &late))
            c->error = EINTR;
    }
}

/* No point and no event, as for pipes. */
RT_EXPORT int socketpair(int domain, int type, int protocol, int *ends) {
    int e = rt_real.socketpair(domain, type, protocol, ends);
    if (!e && rt_enter()) {
        rt_fd_set_side(ends[0], RT_INSIDE);
        rt_fd_set_side(ends[1], RT_INSIDE);
        rt_channel_pair(ends, type);
        rt_patch(ends, 2 * sizeof *ends);
        rt_leave(0);
    }
    return e;
}

RT_EXPORT int connect(int fd, const struct sockaddr *to, socklen_t length) {
    if (!rt_enter())
        return rt_real.connect(fd, to, length);
    RT_CALL(c);
    size_t none;
    c.inside = to && rt_address_inside(fd, to, length);
    if (c.inside &&
        rt_living()) { /* who accepts it may do so before its event; as while recording */
        rt_call_ask_cancel(&c);
        rt_live_try(&c, fd);
        rt_live_did(&c, fd, rt_real.connect(fd, to, length));
        rt_live_begin(&c);
        while (c.result < 0 && c.error == EAGAIN && rt_live_again(&c, fd, POLLOUT)) {
            rt_live_try(&c, fd);
            rt_live_did(&c, fd, rt_real.connect(fd, to, length));
        }
        finish_connect(&c, fd);
    } else if (!rt_call_feed(&c, AU_INPUT_VALUE, NULL, 0, &none)) {
        rt_call_start(&c, -1, POLLOUT);
        rt_call_back(&c, rt_real.connect(fd, to, length));
    }
    if (c.result == 0 || c.error == EINPROGRESS)
        rt_fd_set_side(fd, c.inside ? RT_INSIDE : RT_OUTSIDE);
    rt_call_log(&c, AU_INPUT_VALUE, NULL, 0);
    return (int)rt_call_end(&c, AU_SOP_RREAD, to, c.result == 0 ? length : 0);
}

/* A socket that leads nowhere, for what the program does with it besides talking. In the recorded order
 * it has the recorded number, in another one that which the kernel gives. */
static int stand_in(int number, int flags) {
    int s = socket(AF_UNIX, SOCK_STREAM | (flags & SOCK_NONBLOCK) | (flags & SOCK_CLOEXEC), 0);
    if (s < 0 || s == number || rt_living()) {
        rt_fd_set_side(s, RT_OUTSIDE);
        return s;
    }
    dup3(s, number, flags & SOCK_CLOEXEC ? O_CLOEXEC : 0);
    close(s);
    return number;
}

static int64_t take_connection(struct door *d) {
    return rt_real.accept4(d->fd, (struct sockaddr *)&d->from, &d->length, d->flags);
}

/* Another schedule: a connection of an own thread, or one that came from outside then. */
static size_t accept_there(struct rt_call *c, int fd, struct sockaddr *from, socklen_t room,
                           int64_t *full, int flags) {
    struct door d = {.take = take_connection, .fd = fd, .flags = flags};
    uint8_t kind = AU_INPUT_VALUE;
    size_t address = 0;
    if (through(c, &d, from, room, &address)) {
        if (c->result < 0)
            return 0;
        rt_fd_set_side((int)c->result, RT_INSIDE);
        *full = d.length;
        address = d.length < room ? d.length : room;
        if (address)
            memcpy(from, &d.from, address);
    } else if (c->result >= 0) {
        c->result = stand_in(-1, flags);
        c->error = c->result < 0 ? errno : 0;
        if (room)
            rt_input_take(&kind, full, NULL, 0, &(size_t){0});
    }
    return address;
}

/* The kernel takes the number of the new descriptor before it waits, and nobody could say when. So the
 * waiting is done by poll: the number is taken in the thread's turn. */
static void wait_for_connection(struct rt_call *c, int fd) {
    struct pollfd p = {fd, POLLIN, 0};
    int flags = rt_real.fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_NONBLOCK)) {
        rt_call_ask_cancel(c);
        rt_point();
        return;
    }
    rt_call_start(c, fd, POLLIN);
    if (c->detached) {
        int r = rt_real.poll(&p, 1, -1);
        rt_call_back(c, r < 0 ? -1 : 0);
    }
}

/* Somebody may have been faster. */
static void take_it(struct rt_call *c, int fd, struct sockaddr *from, socklen_t *length, int flags,
                    bool four) {
    for (;;) {
        socklen_t room = length ? *length : 0;
        rt_live_try(c, fd);
        rt_live_did(c, fd,
                    four ? rt_real.accept4(fd, from, length, flags)
                         : rt_real.accept(fd, from, length));
        if (c->result >= 0 || c->error != EAGAIN || c->flags < 0 || (c->flags & O_NONBLOCK))
            return;
        if (length)
            *length = room;
        struct pollfd p = {fd, POLLIN, 0};
        c->detached = 1;
        rt_detach();
        int r = rt_real.poll(&p, 1, -1);
        rt_call_back(c, r < 0 ? -1 : 0);
        if (r < 0)
            return;
    }
}

static int accepted(int fd, struct sockaddr *from, socklen_t *length, int flags, bool four) {
    RT_CALL(c);
    size_t address = 0;
    socklen_t room = from && length ? *length : 0;
    int64_t full = 0;
    if (rt_living()) {
        address = accept_there(&c, fd, from, room, &full, flags);
        if (c.result >= 0 && room)
            *length = (socklen_t)full;
    } else if (rt_call_feed(&c, AU_INPUT_BYTES, from, room, &address)) {
        if (c.result >= 0) {
            stand_in((int)c.result, flags);
            if (room && rt_input_replay(AU_INPUT_VALUE, &full, NULL, 0, &(size_t){0}))
                *length = (socklen_t)full;
        }
    } else {
        wait_for_connection(&c, fd);
        if (!c.error)
            take_it(&c, fd, from, length, flags, four);
        if (c.result >= 0 && room) {
            address = address_room(room, length);
            full = *length;
        }
        if (c.result >= 0) {
            enum rt_side side = rt_socket_connected((int)c.result);
            rt_fd_set_side((int)c.result, side);
            c.inside = side == RT_INSIDE;
        }
    }
    rt_call_log(&c, AU_INPUT_BYTES, from, address);
    if (c.result >= 0 && room && !c.fed)
        rt_input(c.inside ? AU_INPUT_VALUE | AU_INPUT_INSIDE : AU_INPUT_VALUE, full, NULL, 0);
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
