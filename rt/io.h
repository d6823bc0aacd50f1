/* SPDX-License-Identifier: MIT
 *
 * rt/io.h: the shape of calls into the kernel, for io.c, io_net.c, io_poll.c, io_other.c.
 *
 * Rules, so that a replay is the recording again:
 *  - every call here is ONE event after the call, whatever its result, also of length 0:
 *    RWRITE of what it filled (the bytes are told) or RREAD of what it took. The number of
 *    events must not depend on whether the call happened to block.
 *  - the token is kept if the call will not block (poll says so), else given up around it.
 *  - what comes from outside (pipes, sockets, terminals, devices; not files) is logged as
 *    INPUT just before that event. In a replay the call is not made and the
 *    result is the logged one.
 *  - a thread may be cancelled inside the call: rt_call's clean-up comes back for it. */
#ifndef AUGUR_RT_IO_H
#define AUGUR_RT_IO_H

#include "rt/mem.h"
#include "rt/sync.h"

#include <errno.h>
#include <poll.h>

struct rt_call {
    int detached; /* the token is given up */
    int fed;      /* replay: the result came from the trace */
    int live;     /* clean-up must still leave */
    int error;
    int64_t result;
};
void rt_call_cleanup(struct rt_call *c);
#define RT_CALL(name)                                                                              \
    struct rt_call name __attribute__((cleanup(rt_call_cleanup))) = {0, 0, 1, 0, 0}

/* What a descriptor is. */
enum rt_fd {
    RT_FD_FILE,
    RT_FD_PIPE,
    RT_FD_OWN_PIPE, /* made by this process and shared with nobody: both ends are recorded */
    RT_FD_SOCKET,
    RT_FD_DEVICE
};
enum rt_fd rt_fd_kind(int fd);
/* In a replay nothing is written there: what is read from it is fed. */
int rt_fd_is_fed(enum rt_fd kind);
/* Does reading it bring something from outside? Standard input always does: what it is
 * differs between recording and replay. */
int rt_fd_is_input(int fd);

/* Before the call. Passes a point. With a descriptor: gives the token up only if it is not
 * ready for 'events' (POLLIN, POLLOUT) within this instant; -1: always gives it up. Inside a
 * wrapper the watchdog does not help: a call that may block although it is ready (more than
 * RT_NO_WAIT bytes to write) gives it up. */
#define RT_NO_WAIT 4096u
void rt_call_start(struct rt_call *c, int fd, short events);
/* Just after the call: its result, the token again. */
void rt_call_back(struct rt_call *c, int64_t result);
/* Replay: takes the result (and up to cap bytes) from the trace instead of the call. Passes a
 * point. 0: nothing there, make the call. */
int rt_call_feed(struct rt_call *c, uint8_t kind, void *bytes, size_t cap, size_t *n);
/* Logs the result and bytes as INPUT, unless they were fed. */
void rt_call_log(struct rt_call *c, uint8_t kind, const void *bytes, size_t n);
/* The event, errno and the result. */
int64_t rt_call_end(struct rt_call *c, uint8_t op, const void *p, size_t n);

#endif
