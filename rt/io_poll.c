/* SPDX-License-Identifier: MIT
 *
 * rt/io_poll.c: waiting for descriptors. Which are ready is INPUT, as the bytes of what
 * the call filled. The call first asks without waiting and keeps the token if there is an
 * answer (or if no waiting was wanted). */
#include "rt/channel.h"

#include <string.h>
#include <sys/select.h>

/* The token is given up only if the first look found nothing. */
static void wait_for(struct rt_call *c) {
    c->detached = 1;
    rt_detach();
}

/* ---- another schedule: live ones are asked, of the others what was ready then is ready ---- */

void rt_waiting_begin(struct rt_waiting *w, const struct timespec *span) {
    w->until = NULL;
    w->now = span && !span->tv_sec && !span->tv_nsec;
    if (span && !w->now) {
        rt_deadline_in(span, &w->deadline);
        w->until = &w->deadline;
    }
}

int rt_waiting_again(struct rt_call *c, struct rt_waiting *w, int fd) {
    bool late = false;
    w->timed |= rt_has_children();
    if (w->timed)
        rt_rests(AU_RESTS_TIMED);
    if (w->now)
        return 0;
    if (!rt_live_wait(c, fd, w->timed, w->until, &late)) {
        c->result = -1;
        c->error = EINTR;
        return 0;
    }
    w->now = late; /* one last look */
    return 1;
}

bool rt_fd_takes_time(int fd) {
    return rt_fd_side(fd) != RT_INSIDE || rt_fd_timed(fd) != RT_NOT_TIMED;
}

static void live_poll(struct rt_call *c, struct pollfd *f, nfds_t n, const struct timespec *span,
                      const sigset_t *mask) {
    static const struct timespec now = {0, 0};
    struct pollfd then[n + 1], ask[n + 1];
    struct rt_waiting w = {0};
    size_t bytes = n * sizeof *f, got = 0;
    uint8_t kind = AU_INPUT_BYTES;
    int64_t old = 0;
    rt_call_ask_cancel(c);
    rt_point();
    bool told = !c->inside && rt_input_take(&kind, &old, then, bytes, &got) && got == bytes;
    rt_waiting_begin(&w, span);
    for (nfds_t i = 0; i < n; i++) {
        enum rt_side side = f[i].fd < 0 ? RT_INSIDE : rt_fd_side(f[i].fd);
        ask[i] = f[i];
        if (side == RT_OUTSIDE && told)
            ask[i].fd = -1; /* a stand-in */
        if (f[i].fd >= 0)
            w.timed |= rt_fd_takes_time(f[i].fd);
        if (side == RT_INSIDE || !told || old < 0 || then[i].fd != f[i].fd)
            then[i].revents = 0;
    }
    do {
        int64_t r = rt_real.ppoll(ask, n, &now, mask);
        c->error = r < 0 ? errno : 0;
        c->result = r < 0 ? r : 0;
        for (nfds_t i = 0; i < n && r >= 0; i++) {
            f[i].revents = (short)((ask[i].fd < 0 ? 0 : ask[i].revents) | then[i].revents);
            c->result += f[i].revents != 0;
        }
    } while (c->result == 0 && rt_waiting_again(c, &w, n == 1 ? f[0].fd : -1));
    if (w.timed)
        rt_timers_look();
}

static bool all_inside(const struct pollfd *f, nfds_t n) {
    for (nfds_t i = 0; i < n; i++)
        if (f[i].fd >= 0 && !rt_fd_inside(f[i].fd))
            return false;
    return true;
}

static int polled(struct pollfd *f, nfds_t n, const struct timespec *span, const sigset_t *mask) {
    static const struct timespec now = {0, 0};
    RT_CALL(c);
    size_t bytes = n * sizeof *f, got = 0;
    c.inside = all_inside(f, n);
    if (rt_living()) {
        live_poll(&c, f, n, span, mask);
    } else if (!rt_call_feed(&c, AU_INPUT_BYTES, f, bytes, &got)) {
        rt_point();
        int64_t r = rt_real.ppoll(f, n, &now, mask);
        if (r == 0 && (!span || span->tv_sec || span->tv_nsec)) {
            wait_for(&c);
            r = rt_real.ppoll(f, n, span, mask);
        }
        rt_call_back(&c, r);
    }
    rt_call_log(&c, AU_INPUT_BYTES, f, bytes);
    for (nfds_t i = 0; i < n && c.result >= 0; i++) {
        if (f[i].events & POLLIN && !(f[i].revents & POLLIN))
            rt_channel_looked(f[i].fd, 1);
        if (f[i].events & POLLOUT && !(f[i].revents & POLLOUT))
            rt_channel_looked(f[i].fd, 0);
    }
    /* Asked for is read, answers are written; a long array as a whole. */
    if (n > 64)
        return (int)rt_call_end(&c, AU_SOP_RWRITE, f, bytes);
    for (nfds_t i = 0; i < n; i++)
        rt_tell(AU_SOP_RWRITE, &f[i].revents, sizeof f[i].revents);
    return (int)rt_call_end(&c, AU_SOP_RREAD, f, bytes);
}

RT_EXPORT int poll(struct pollfd *f, nfds_t n, int ms) {
    if (n > 65536 || !rt_enter())
        return rt_real.poll(f, n, ms);
    struct timespec span = {ms / 1000, (long)(ms % 1000) * 1000000};
    return polled(f, n, ms < 0 ? NULL : &span, NULL);
}

RT_EXPORT int ppoll(struct pollfd *f, nfds_t n, const struct timespec *span, const sigset_t *mask) {
    return n <= 65536 && rt_enter() ? polled(f, n, span, mask) : rt_real.ppoll(f, n, span, mask);
}

/* A set as bytes: only the words that libc looks at. Programs may use sets larger
 * than FD_SETSIZE, so the size follows from n. */
static size_t set_bytes(int n) {
    return n <= 0 ? 0 : ((size_t)n + 63) / 64 * 8;
}

static bool in_set(const unsigned char *set, int fd) {
    return set[fd / 8] >> (fd % 8) & 1;
}
static void put_in(unsigned char *set, int fd) {
    set[fd / 8] |= (unsigned char)(1 << (fd % 8));
}

static bool sets_inside(const unsigned char *keep, size_t bytes, int n) {
    for (int fd = 0; fd < n; fd++)
        for (size_t i = 0; i < 3; i++)
            if (in_set(keep + i * bytes, fd) && !rt_fd_inside(fd))
                return false;
    return true;
}

/* keep: what was asked, and then what is told. */
static void live_select(struct rt_call *c, int n, unsigned char *keep, size_t bytes,
                        const struct timespec *span, const sigset_t *mask) {
    static const struct timespec now = {0, 0};
    uint64_t then_room[3 * bytes / 8 + 1], ask_room[3 * bytes / 8 + 1],
        live_room[3 * bytes / 8 + 1];
    unsigned char *then = (unsigned char *)then_room, *ask = (unsigned char *)ask_room,
                  *live = (unsigned char *)live_room;
    struct rt_waiting w = {0};
    size_t got = 0;
    uint8_t kind = AU_INPUT_BYTES;
    int64_t old = 0;
    rt_call_ask_cancel(c);
    rt_point();
    bool told = !c->inside && rt_input_take(&kind, &old, then, 3 * bytes, &got) && got == 3 * bytes;
    if (!told || old < 0)
        memset(then, 0, 3 * bytes);
    memset(ask, 0, 3 * bytes);
    rt_waiting_begin(&w, span);
    for (int fd = 0; fd < n; fd++) {
        bool asked = false;
        for (size_t i = 0; i < 3; i++)
            asked |= in_set(keep + i * bytes, fd);
        if (!asked)
            continue;
        enum rt_side side = rt_fd_side(fd);
        w.timed |= rt_fd_takes_time(fd);
        for (size_t i = 0; i < 3; i++) {
            bool wanted = in_set(keep + i * bytes, fd);
            if (wanted && !(side == RT_OUTSIDE && told))
                put_in(ask + i * bytes, fd);
            if (!wanted || side == RT_INSIDE)
                then[i * bytes + (size_t)fd / 8] &= (unsigned char)~(1 << (fd % 8));
        }
    }
    do {
        memcpy(live, ask, 3 * bytes);
        int64_t r = rt_real.pselect(n, (fd_set *)live, (fd_set *)(live + bytes),
                                    (fd_set *)(live + 2 * bytes), &now, mask);
        c->error = r < 0 ? errno : 0;
        c->result = r < 0 ? r : 0;
        for (size_t i = 0; i < 3 * bytes && r >= 0; i++) {
            keep[i] = live[i] | then[i];
            c->result += __builtin_popcount(keep[i]);
        }
    } while (c->result == 0 && rt_waiting_again(c, &w, -1));
    if (w.timed)
        rt_timers_look();
}

static int selected(int n, fd_set *set[3], const struct timespec *span, const sigset_t *mask) {
    static const struct timespec now = {0, 0};
    enum { MOST = 8192 };
    RT_CALL(c);
    size_t bytes = set_bytes(n), got = 0;
    union {
        unsigned char bytes[3 * MOST];
        uint64_t align;
    } keep; /* what was asked, and what is told */
    for (int i = 0; i < 3; i++)
        if (set[i])
            memcpy(keep.bytes + (size_t)i * bytes, set[i], bytes);
        else
            memset(keep.bytes + (size_t)i * bytes, 0, bytes);
    c.inside = sets_inside(keep.bytes, bytes, n);
    if (rt_living()) {
        live_select(&c, n, keep.bytes, bytes, span, mask);
        for (int i = 0; i < 3; i++)
            if (set[i] && c.result >= 0)
                memcpy(set[i], keep.bytes + (size_t)i * bytes, bytes);
    } else if (rt_call_feed(&c, AU_INPUT_BYTES, keep.bytes, 3 * bytes, &got)) {
        for (int i = 0; i < 3; i++)
            if (set[i] && c.result >= 0)
                memcpy(set[i], keep.bytes + (size_t)i * bytes, bytes);
    } else {
        rt_point();
        int64_t r = rt_real.pselect(n, set[0], set[1], set[2], &now, mask);
        if (r == 0 && (!span || span->tv_sec || span->tv_nsec)) {
            for (int i = 0; i < 3; i++)
                if (set[i])
                    memcpy(set[i], keep.bytes + (size_t)i * bytes, bytes);
            wait_for(&c);
            r = rt_real.pselect(n, set[0], set[1], set[2], span, mask);
        }
        rt_call_back(&c, r);
        for (int i = 0; i < 3; i++)
            if (set[i])
                memcpy(keep.bytes + (size_t)i * bytes, set[i], bytes);
    }
    rt_call_log(&c, AU_INPUT_BYTES, keep.bytes, 3 * bytes);
    for (int i = 0; i < 3; i++)
        if (set[i])
            rt_tell(AU_SOP_RWRITE, set[i], bytes);
    return (int)rt_call_end(&c, AU_SOP_RWRITE, NULL, 0);
}

RT_EXPORT int select(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict x,
                     struct timeval *restrict span) {
    if (n < 0 || n > 65536 || (span && (span->tv_sec < 0 || span->tv_usec < 0)) || !rt_enter())
        return rt_real.select(n, r, w, x, span);
    struct timespec ts = {0, 0};
    if (span) {
        ts.tv_sec = span->tv_sec + span->tv_usec / 1000000;
        ts.tv_nsec = (long)(span->tv_usec % 1000000) * 1000;
    }
    fd_set *set[3] = {r, w, x};
    return selected(n, set, span ? &ts : NULL, NULL);
}

RT_EXPORT int pselect(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict x,
                      const struct timespec *restrict span, const sigset_t *restrict mask) {
    if (n < 0 || n > 65536 || !rt_enter())
        return rt_real.pselect(n, r, w, x, span, mask);
    fd_set *set[3] = {r, w, x};
    return selected(n, set, span, mask);
}
