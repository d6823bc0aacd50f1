/* SPDX-License-Identifier: MIT
 *
 * rt/io_epoll.c: sets of descriptors. Which are in a set is remembered, because an answer has the
 * program's own words for them (data) and not their numbers: in another schedule those that lead
 * outside are not in the kernel's set, and of them what was ready in the recording is. */
#include "rt/io.h"

#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>

#define MOST 8192u
struct member {
    int set, fd;
    uint64_t data;
    enum rt_side side;
    bool timed;
};
static struct member *member; /* under the token */
static size_t n_members;

static struct member *find(int set, int fd) {
    for (size_t i = 0; i < n_members; i++)
        if (member[i].set == set && member[i].fd == fd)
            return &member[i];
    return NULL;
}

static void forget(struct member *m) {
    *m = member[--n_members];
}

/* The number is a new set's: whatever had it is closed. */
static void forget_set(int set) {
    for (size_t i = 0; i < n_members;)
        if (member[i].set == set || member[i].fd == set)
            forget(&member[i]);
        else
            i++;
}

static void remember(int set, int fd, const struct epoll_event *e) {
    struct member *m = find(set, fd);
    if (!member) {
        void *p = mmap(NULL, MOST * sizeof *member, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED)
            return;
        member = p;
    }
    if (!m && n_members < MOST)
        m = &member[n_members++];
    if (m)
        *m = (struct member){set, fd, e->data.u64, rt_fd_side(fd), rt_fd_takes_time(fd)};
}

RT_EXPORT int epoll_create1(int flags) {
    int set = rt_real.epoll_create1(flags);
    if (set >= 0 && rt_enter()) {
        forget_set(set);
        rt_leave(0);
    }
    return set;
}
RT_EXPORT int epoll_create(int size) {
    if (size <= 0)
        return rt_real.epoll_create(size);
    return epoll_create1(0);
}

/* Another schedule: a stand-in would always be ready, so the kernel does not get it. */
static int of_outside(int set, int op, int fd) {
    bool there = find(set, fd) != NULL;
    if (op == EPOLL_CTL_ADD && there) {
        errno = EEXIST;
        return -1;
    }
    if (op != EPOLL_CTL_ADD && !there) {
        errno = ENOENT;
        return -1;
    }
    return 0;
}

/* No point and no event: what it does is noticed by who waits. */
RT_EXPORT int epoll_ctl(int set, int op, int fd, struct epoll_event *e) {
    if (!rt_enter())
        return rt_real.epoll_ctl(set, op, fd, e);
    int r = rt_living() && rt_fd_side(fd) == RT_OUTSIDE ? of_outside(set, op, fd)
                                                        : rt_real.epoll_ctl(set, op, fd, e);
    int error = errno;
    if (r == 0 && op == EPOLL_CTL_DEL && find(set, fd))
        forget(find(set, fd));
    else if (r == 0 && op != EPOLL_CTL_DEL)
        remember(set, fd, e);
    return rt_leave_errno(r, error);
}

static bool set_inside(int set) {
    for (size_t i = 0; i < n_members; i++)
        if (member[i].set == set && member[i].side != RT_INSIDE)
            return false;
    return true;
}

/* Of the recorded answer, what is about descriptors that lead outside. */
static size_t keep_outside(int set, struct epoll_event *e, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        bool outside = false;
        for (size_t k = 0; k < n_members; k++)
            outside |= member[k].set == set && member[k].side != RT_INSIDE &&
                       member[k].data == e[i].data.u64;
        if (outside)
            e[kept++] = e[i];
    }
    return kept;
}

static void live_wait(struct rt_call *c, int set, struct epoll_event *e, int most, int ms,
                      const sigset_t *mask) {
    struct rt_waiting w = {0};
    struct timespec span = {ms / 1000, (long)(ms % 1000) * 1000000};
    uint8_t kind = AU_INPUT_BYTES;
    int64_t old = 0;
    size_t got = 0, kept = 0;
    rt_call_ask_cancel(c);
    rt_point();
    if (!c->inside && rt_input_take(&kind, &old, e, (size_t)most * sizeof *e, &got) && old > 0)
        kept = keep_outside(set, e, got / sizeof *e);
    rt_waiting_begin(&w, ms < 0 ? NULL : &span);
    for (size_t i = 0; i < n_members; i++)
        if (member[i].set == set)
            w.timed |= member[i].timed;
    do {
        int64_t r =
            kept < (size_t)most ? rt_real.epoll_pwait(set, e + kept, most - (int)kept, 0, mask) : 0;
        c->error = r < 0 ? errno : 0;
        c->result = r < 0 ? r : r + (int64_t)kept;
    } while (c->result == 0 && rt_waiting_again(c, &w, set));
    if (w.timed)
        rt_timers_look();
}

static int epolled(int fd, struct epoll_event *e, int most, int ms, const sigset_t *mask) {
    RT_CALL(c);
    size_t got = 0;
    c.inside = set_inside(fd);
    if (rt_living()) {
        live_wait(&c, fd, e, most, ms, mask);
        got = c.result > 0 ? (size_t)c.result * sizeof *e : 0;
    } else if (!rt_call_feed(&c, AU_INPUT_BYTES, e, (size_t)most * sizeof *e, &got)) {
        rt_point();
        int64_t r = rt_real.epoll_pwait(fd, e, most, 0, mask);
        if (r == 0 && ms != 0) { /* the token is given up only if the first look found nothing */
            c.detached = 1;
            rt_detach();
            r = rt_real.epoll_pwait(fd, e, most, ms, mask);
        }
        rt_call_back(&c, r);
        got = c.result > 0 ? (size_t)c.result * sizeof *e : 0;
    }
    rt_call_log(&c, AU_INPUT_BYTES, e, got);
    return (int)rt_call_end(&c, AU_SOP_RWRITE, e, got);
}

RT_EXPORT int epoll_wait(int fd, struct epoll_event *e, int most, int ms) {
    return most > 0 && rt_enter() ? epolled(fd, e, most, ms, NULL)
                                  : rt_real.epoll_wait(fd, e, most, ms);
}
RT_EXPORT int epoll_pwait(int fd, struct epoll_event *e, int most, int ms, const sigset_t *mask) {
    return most > 0 && rt_enter() ? epolled(fd, e, most, ms, mask)
                                  : rt_real.epoll_pwait(fd, e, most, ms, mask);
}
