/* SPDX-License-Identifier: MIT
 *
 * rt/live.h: executing another schedule than the recorded one with a living kernel.
 *
 * In the recorded order the kernel's recorded answers are its answers, and they are fed (io.h). In
 * another order it might answer something else. So there what lives inside of the process (its pipes,
 * socket pairs, event counters, timers, queues, connections between its own threads, what is known
 * of files) is executed, and only what came from outside is fed: INPUT records have
 * AU_INPUT_INSIDE or not, and the feed passes over those that have it.
 *
 * A live call is made with the token held and must not sleep in the kernel: it is tried
 * without waiting, and if it would have to wait the thread waits in the scheduler
 * (RT_WAIT_KERNEL) and tries again when others have done something. So the schedule decides who
 * goes on, and a deadlock through a pipe is one. What takes its own time in the kernel (timers,
 * TCP) is asked again every millisecond, and the run then rests on that (AU_RESTS_TIMED). */
#ifndef AUGUR_RT_LIVE_H
#define AUGUR_RT_LIVE_H

#include "rt/sched.h"

#include <stdbool.h>
#include <sys/socket.h>

#pragma GCC visibility push(hidden)

struct rt_call;

/* Another schedule than the recorded one is executed. */
int rt_living(void);

/* ---- side.c: where a descriptor leads ---- */

enum rt_side {
    RT_INSIDE,  /* both ends are this process's alone; of files all but standard input */
    RT_OUTSIDE, /* somebody else has the other end */
    RT_DOOR     /* a socket without another end: it listens, takes messages, or does nothing yet */
};
enum rt_side rt_fd_side(int fd);
static inline bool rt_fd_inside(int fd) {
    return rt_fd_side(fd) == RT_INSIDE;
}
/* Remembers a pipe or socket as one of these. */
void rt_fd_set_side(int fd, enum rt_side side);
/* The other end of this socket that was just connected or accepted. */
enum rt_side rt_socket_connected(int fd);
/* Is this the address of an own socket other than fd? */
bool rt_address_inside(int fd, const void *address, uint32_t length);
/* It takes its own time: a timer, a connection by TCP, what children have, too. */
enum rt_timed { RT_NOT_TIMED, RT_TIMER, RT_NET, RT_KIN };
enum rt_timed rt_fd_timed(int fd);
/* This was sent as it was recorded, into a socket that children have, too: they wait for it. 'n' of all the pieces
 * were sent. */
void rt_children_hear(struct rt_call *c, int fd, const struct msghdr *m, int64_t n);
void rt_children_hear_bytes(struct rt_call *c, int fd, const void *p, int64_t n);
/* There were other processes of the family. */
bool rt_has_children(void);
/* timerfd.c: another schedule sees that this timer has gone off. */
void rt_timer_went_off(int fd);
/* … or some of them, if they have. */
void rt_timers_look(void);

/* ---- live.c: one live call ---- */

extern const char rt_kernel; /* the key of those that wait for the kernel (sched.c) */

/* Passes a point if the call is to be made live (rt_call.inside), else returns 0. */
int rt_live_begin(struct rt_call *c);
/* Around the call itself: it does not wait in there. */
void rt_live_try(struct rt_call *c, int fd);
void rt_live_did(struct rt_call *c, int fd, int64_t result);
/* It would have had to wait for these (POLLIN, POLLOUT; 0: something else): waits in the scheduler. 0: the result
 * stands. */
int rt_live_again(struct rt_call *c, int fd, short events);
/* A whole write, or send with these flags (-1: write), however often it has to wait. */
void rt_live_send(struct rt_call *c, int fd, const void *p, size_t n, int flags);
/* Waits until others have done something; with a deadline or not. 0: a signal ended the call. */
int rt_live_wait(struct rt_call *c, int fd, bool timed, const struct timespec *deadline,
                 bool *late);
void rt_rests(uint32_t on);

#pragma GCC visibility pop
#endif
