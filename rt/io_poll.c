/* SPDX-License-Identifier: MIT
 *
 * rt/io_poll.c: waiting for descriptors. Which are ready is INPUT, as the bytes of what
 * the call filled. The call first asks without waiting and keeps the token if there is an
 * answer (or if no waiting was wanted). */
#include "rt/io.h"

#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>

/* The token is given up only if the first look found nothing. */
static void wait_for(struct rt_call *c) {
    c->detached = 1;
    rt_detach();
}

static int polled(struct pollfd *f, nfds_t n, const struct timespec *span, const sigset_t *mask) {
    static const struct timespec now = {0, 0};
    RT_CALL(c);
    size_t bytes = n * sizeof *f, got = 0;
    if (!rt_call_feed(&c, AU_INPUT_BYTES, f, bytes, &got)) {
        rt_point();
        int64_t r = rt_real.ppoll(f, n, &now, mask);
        if (r == 0 && (!span || span->tv_sec || span->tv_nsec)) {
            wait_for(&c);
            r = rt_real.ppoll(f, n, span, mask);
        }
        rt_call_back(&c, r);
    }
    rt_call_log(&c, AU_INPUT_BYTES, f, bytes);
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
    if (rt_call_feed(&c, AU_INPUT_BYTES, keep.bytes, 3 * bytes, &got)) {
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

static int epolled(int fd, struct epoll_event *e, int most, int ms, const sigset_t *mask) {
    RT_CALL(c);
    size_t got = 0;
    if (!rt_call_feed(&c, AU_INPUT_BYTES, e, (size_t)most * sizeof *e, &got)) {
        rt_point();
        int64_t r = rt_real.epoll_pwait(fd, e, most, 0, mask);
        if (r == 0 && ms != 0) {
            wait_for(&c);
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
