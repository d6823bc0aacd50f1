/* SPDX-License-Identifier: MIT
 *
 * rt/io.h: the shape of calls into the kernel, for io.c, io_net.c, io_poll.c, io_other.c.
 *
 * Rules, so that a replay is the recording again:
 *  - every call here is ONE event after the call, whatever its result, also of length 0:
 *    RWRITE of what it filled (the bytes are told) or RREAD of what it took; on channels some more
 *    (channel.h). The number of events must not depend on whether the call happened to block.
 *  - the token is kept if the call will not block (poll says so), else given up around it.
 *  - what comes from outside (pipes, sockets, terminals, devices; not files) is logged as
 *    INPUT just before that event. In a replay of the recorded order the call is not made and
 *    the result is the logged one; in another order only if it leads outside (live.h).
 *  - a thread may be cancelled inside the call: rt_call's clean-up comes back for it. */
#ifndef AUGUR_RT_IO_H
#define AUGUR_RT_IO_H

#include "rt/live.h"
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
    int inside;     /* it is about something that lives inside of the process (live.h) */
    int flags;      /* of its descriptor, while a live call is tried */
    unsigned tries; /* of a live call */
    int limited;    /* 1: no longer than 'until'; 0: not asked yet */
    struct timespec until;
    int64_t due[2];    /* the same by the told clocks (times.h) */
    int no_wait;       /* asked so by its flags */
    size_t alike;      /* so many bytes of an answer are the same if it is (cause.h); 0: all */
    uint32_t receives; /* from this channel (channel.h); 0: from none */
    uint64_t
        peer; /* who may have caused what it hears, or hears what it sends (cause.h); 0: nobody */
};
void rt_call_cleanup(struct rt_call *c);
#define RT_CALL(name) struct rt_call name __attribute__((cleanup(rt_call_cleanup))) = {.live = 1}

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
/* Cancellation is asked before the point and after the call, never between: a replay stands at
 * the point while the recording was in the call already. */
void rt_call_ask_cancel(struct rt_call *c);
/* The call: without the token if it has to wait (rt_call_start); live in another schedule. */
#define RT_MAKE(c, fd, events, call)                                                               \
    do {                                                                                           \
        if (!rt_live_begin(c)) {                                                                   \
            rt_call_start(c, fd, events);                                                          \
            rt_call_back(c, call);                                                                 \
            break;                                                                                 \
        }                                                                                          \
        do {                                                                                       \
            rt_live_try(c, fd);                                                                    \
            rt_live_did(c, fd, call);                                                              \
        } while (rt_live_again(c, fd, events));                                                    \
    } while (0)
/* Just after the call: its result, the token again. */
void rt_call_back(struct rt_call *c, int64_t result);
/* Replay: takes the result (and up to cap bytes) from the trace instead of the call. Passes a
 * point. 0: nothing there, make the call. */
int rt_call_feed(struct rt_call *c, uint8_t kind, void *bytes, size_t cap, size_t *n);
/* Logs the result and bytes as INPUT, unless they were fed. */
void rt_call_log(struct rt_call *c, uint8_t kind, const void *bytes, size_t n);
/* Another schedule: receives from a socket without another end; live if something is there, else what
 * came from outside then. The number of bytes. */
size_t rt_door_receive(struct rt_call *c, int fd, void *p, size_t n, int flags);
/* The event, errno and the result. */
int64_t rt_call_end(struct rt_call *c, uint8_t op, const void *p, size_t n);

/* ---- waiting for one of several descriptors in another schedule (io_poll.c, io_epoll.c) ---- */

struct rt_waiting {
    struct timespec deadline;
    const struct timespec *until; /* NULL: for ever */
    bool now;                     /* it is not to wait at all, or not any more */
    bool timed;                   /* something of it takes its own time, or comes from outside */
};

void rt_waiting_begin(struct rt_waiting *w, const struct timespec *span);
/* Nothing is ready: is it to be asked again? If not, c has the result. */
int rt_waiting_again(struct rt_call *c, struct rt_waiting *w, int fd);
bool rt_fd_takes_time(int fd);

#endif
