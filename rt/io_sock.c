/* SPDX-License-Identifier: MIT
 *
 * rt/io_sock.c: questions about sockets and their settings. In a replay a connection leads
 * nowhere (io_net.c), so the answers are the recorded ones. */
#include "rt/bytes.h"
#include "rt/channel.h"
#include "rt/io.h"
#include "rt/made.h"
#include "rt/policy.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

/* What a call filled: at most 'room' bytes at p, '*length' told in full. Two INPUTs. */
static int64_t filled(struct rt_call *c, void *p, socklen_t room, socklen_t *length) {
    int64_t full = *length;
    size_t n = 0;
    if (c->fed) {
        if (c->result == 0 && rt_input_replay(AU_INPUT_BYTES, &full, p, room, &n))
            *length = (socklen_t)full;
    } else {
        rt_call_log(c, AU_INPUT_VALUE, NULL, 0);
        if (c->result == 0) {
            n = *length < room ? *length : room;
            rt_input(c->inside ? AU_INPUT_BYTES | AU_INPUT_INSIDE : AU_INPUT_BYTES, full, p, n);
        }
    }
    return rt_call_end(c, AU_SOP_RWRITE, p, n);
}

#define ASKED(call, p)                                                                             \
    RT_CALL(c);                                                                                    \
    size_t none;                                                                                   \
    socklen_t room = *length;                                                                      \
    rt_point();                                                                                    \
    c.inside = rt_fd_side(fd) != RT_OUTSIDE;                                                       \
    if (!rt_call_feed(&c, AU_INPUT_VALUE, NULL, 0, &none))                                         \
        rt_call_back(&c, call);                                                                    \
    return (int)filled(&c, p, room, length)

RT_EXPORT int getpeername(int fd, struct sockaddr *restrict to, socklen_t *restrict length) {
    if (!to || !length || !rt_enter())
        return rt_real.getpeername(fd, to, length);
    ASKED(rt_real.getpeername(fd, to, length), to);
}
RT_EXPORT int getsockname(int fd, struct sockaddr *restrict to, socklen_t *restrict length) {
    if (!to || !length || !rt_enter())
        return rt_real.getsockname(fd, to, length);
    ASKED(rt_real.getsockname(fd, to, length), to);
}
RT_EXPORT int getsockopt(int fd, int level, int name, void *restrict to,
                         socklen_t *restrict length) {
    if (!to || !length || !rt_enter())
        return rt_real.getsockopt(fd, level, name, to, length);
    ASKED(rt_real.getsockopt(fd, level, name, to, length), to);
}

RT_EXPORT int setsockopt(int fd, int level, int name, const void *from, socklen_t length) {
    if (!rt_enter())
        return rt_real.setsockopt(fd, level, name, from, length);
    if (level == SOL_SOCKET && (name == SO_SNDBUF || name == SO_RCVBUF))
        rt_channel_resized();
    RT_CALL(c);
    size_t none;
    rt_point();
    c.inside = rt_fd_side(fd) != RT_OUTSIDE;
    if (rt_call_feed(&c, AU_INPUT_VALUE, NULL, 0, &none))
        rt_real.setsockopt(fd, level, name, from, length); /* a listener is a real one */
    else
        rt_call_back(&c, rt_real.setsockopt(fd, level, name, from, length));
    rt_call_log(&c, AU_INPUT_VALUE, NULL, 0);
    return (int)rt_call_end(&c, AU_SOP_RREAD, from, from ? length : 0);
}

RT_EXPORT int shutdown(int fd, int how) {
    if (!rt_enter())
        return rt_real.shutdown(fd, how);
    RT_CALL(c);
    size_t none;
    rt_point();
    c.inside = rt_fd_side(fd) != RT_OUTSIDE;
    if (!rt_call_feed(&c, AU_INPUT_VALUE, NULL, 0, &none))
        rt_call_back(&c, rt_real.shutdown(fd, how));
    rt_call_log(&c, AU_INPUT_VALUE, NULL, 0);
    return (int)rt_call_end(&c, AU_SOP_RREAD, NULL, 0);
}

/* Other schedules open the same port again, while connections of the runs before are still being closed:
 * all of them must have allowed it. If somebody else has the address, what the program does about it is
 * not what it would do. */
RT_EXPORT int bind(int fd, const struct sockaddr *to, socklen_t length) {
    if (!to || length < sizeof to->sa_family || !rt_enter())
        return rt_real.bind(fd, to, length);
    int on = 1;
    if (to->sa_family == AF_INET || to->sa_family == AF_INET6)
        rt_real.setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    char name[sizeof(struct sockaddr_un) + 1] = ""; /* stays so: it names no file */
    if (to->sa_family == AF_UNIX && length <= sizeof(struct sockaddr_un))
        rt_copy_bytes(name, to->sa_data, length - sizeof to->sa_family);
    bool makes = *name && rt_made_none(AT_FDCWD, name);
    int r = rt_real.bind(fd, to, length), error = errno;
    if (makes)
        rt_made(AT_FDCWD, name, true);
    if (r < 0 && error == EADDRINUSE && rt_living() && !rt_address_inside(fd, to, length))
        rt_diverged("an address that the program binds to is in use");
    return rt_leave_errno(r, error);
}
