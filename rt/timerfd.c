/* SPDX-License-Identifier: MIT
 *
 * rt/timerfd.c: timers that are descriptors, in another schedule. They run by the real clock, the program by the one
 * that it is told (times.h): once a timer has gone off, the told clock is no earlier than it was when the timer was
 * set, and as much time has passed since as really has. */
#include "rt/io.h"
#include "rt/times.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { TIMERS = 64 };
static struct timer {
    int fd; /* + 1 */
    clockid_t clock;
    int64_t told, real; /* when it was set */
} timer[TIMERS];

static int64_t real_now(clockid_t clock) {
    struct timespec t = {0, 0};
    rt_real.clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * RT_SECOND + t.tv_nsec;
}

static clockid_t clock_of(int fd) {
    char path[40], text[512], *at;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    int f = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = f < 0 ? 0 : rt_real.read(f, text, sizeof text - 1);
    if (f >= 0)
        close(f);
    text[n > 0 ? n : 0] = 0;
    at = strstr(text, "clockid:");
    at = at ? strpbrk(at, "0123456789") : NULL;
    return at && *at == '0' ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

/* The program's own time of day is not the kernel's: what is said by it is said as a span. */
static void make_span(const struct timer *t, int *flags, struct itimerspec *to) {
    int64_t at = (int64_t)to->it_value.tv_sec * RT_SECOND + to->it_value.tv_nsec - t->told;
    if (!(*flags & TFD_TIMER_ABSTIME) || (!to->it_value.tv_sec && !to->it_value.tv_nsec))
        return;
    *flags &= ~TFD_TIMER_ABSTIME;
    at = at > 0 ? at : 1;
    to->it_value = (struct timespec){at / RT_SECOND, at % RT_SECOND};
}

/* Its own, else a free one, or one of a descriptor that was closed meanwhile; NULL: all are in use. */
static struct timer *find(int fd) {
    for (int i = 0; i < TIMERS; i++)
        if (timer[i].fd == fd + 1)
            return &timer[i];
    for (int i = 0; i < TIMERS; i++)
        if (!timer[i].fd || rt_fd_timed(timer[i].fd - 1) != RT_TIMER)
            return &timer[i];
    return NULL;
}

static void arm(int fd, int *flags, struct itimerspec *to) {
    struct timer *t = find(fd);
    if (!t) { /* when it goes off, the told clock does not follow */
        rt_rests(AU_RESTS_OUTSIDE);
        return;
    }
    clockid_t clock = clock_of(fd);
    *t = (struct timer){fd + 1, clock, rt_times_now(clock), real_now(clock)};
    make_span(t, flags, to);
}

void rt_timer_went_off(int fd) {
    for (int i = 0; i < TIMERS; i++)
        if (timer[i].fd == fd + 1 && rt_fd_timed(fd) == RT_TIMER)
            rt_times_reach(timer[i].clock,
                           timer[i].told + real_now(timer[i].clock) - timer[i].real);
}

void rt_timers_look(void) {
    for (int i = 0; i < TIMERS; i++) {
        struct pollfd p = {timer[i].fd - 1, POLLIN, 0};
        if (timer[i].fd && rt_real.poll(&p, 1, 0) > 0 && p.revents & POLLIN)
            rt_timer_went_off(p.fd);
    }
}

RT_EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *to,
                              struct itimerspec *was) {
    if (!to || !rt_enter())
        return rt_real.timerfd_settime(fd, flags, to, was);
    rt_point();
    struct itimerspec own = *to;
    if (rt_living())
        arm(fd, &flags, &own);
    int e = rt_real.timerfd_settime(fd, flags, &own, was), error = errno;
    rt_tell(AU_SOP_RREAD, to, sizeof *to);
    if (!e && was)
        rt_tell(AU_SOP_RWRITE, was, sizeof *was);
    return rt_leave_errno(e, error);
}
