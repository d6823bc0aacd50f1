/* SPDX-License-Identifier: MIT
 *
 * rt/live.c: one call that is executed in another schedule; see live.h. */
#include "rt/live.h"
#include "rt/io.h"
#include "rt/policy.h"
#include "rt/times.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define PATIENCE                                                                                   \
    50000 /* of 100 microseconds each: what is under way in the kernel arrives sooner */

int rt_living(void) {
    return rt_control && rt_control->other && rt_control->mode == AU_MODE_REPLAY;
}

void rt_rests(uint32_t on) {
    if (rt_living())
        rt_control->rests |= on;
}

int rt_live_begin(struct rt_call *c) {
    if (!c->inside || !rt_living())
        return 0;
    rt_point();
    return 1;
}

/* Nobody else runs between the two, so nobody notices. */
void rt_live_try(struct rt_call *c, int fd) {
    c->flags = fd >= 0 ? rt_real.fcntl(fd, F_GETFL) : -1;
    if (c->flags >= 0 && !(c->flags & O_NONBLOCK))
        rt_real.fcntl(fd, F_SETFL, c->flags | O_NONBLOCK);
}

void rt_live_did(struct rt_call *c, int fd, int64_t result) {
    c->error = result < 0 ? errno : 0;
    c->result = result;
    if (c->flags >= 0 && !(c->flags & O_NONBLOCK))
        rt_real.fcntl(fd, F_SETFL, c->flags);
    /* How often a timer has fired, or that nothing has arrived yet, is the machine's doing. */
    enum rt_timed timed = rt_fd_timed(fd);
    if (timed == RT_TIMER && result >= 0)
        rt_timer_went_off(fd);
    /* Who waits for a child gets what it sends, whenever that is. */
    bool seen = c->no_wait || (c->flags >= 0 && (c->flags & O_NONBLOCK));
    if (timed == RT_KIN && c->error == EAGAIN && seen)
        rt_rests(AU_RESTS_TIMED);
    if (timed == RT_TIMER || (timed == RT_NET && c->error == EAGAIN))
        rt_rests(AU_RESTS_TIMED);
}

static void pause_a_little(void) {
    const struct timespec little = {0, 100000};
    rt_real.nanosleep(&little, NULL);
}

/* What is being sent, under the token. The kernel goes on with a long write whenever there is room, so
 * whoever would wait does that for it. */
struct sending {
    struct sending *next;
    const char *p;
    size_t left;
    int fd, flags; /* of send; -1: write */
    int begun;
};
static struct sending *sending;

static void sending_ends(struct sending *s) {
    for (struct sending **at = &sending; *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            return;
        }
}

static void send_on(struct rt_call *c, struct sending *s) {
    rt_live_try(c, s->fd);
    rt_live_did(c, s->fd,
                s->flags < 0 ? rt_real.write(s->fd, s->p, s->left)
                             : rt_real.send(s->fd, s->p, s->left, s->flags));
    if (c->result > 0) {
        s->p += c->result;
        s->left -= (size_t)c->result;
        s->begun = 1;
    }
}

static bool send_more(void) {
    bool more = false;
    for (struct sending *s = sending; s; s = s->next) {
        struct rt_call c = {.inside = 1};
        size_t before = s->left;
        if (s->begun && s->left)
            send_on(&c, s);
        more |= s->left < before;
    }
    return more;
}

/* A child may take as long as the run may. */
static bool child_lives(int fd) {
    siginfo_t other = {0};
    return (fd < 0 || rt_fd_timed(fd) == RT_KIN) &&
           !rt_real.waitid(P_ALL, 0, &other, WEXITED | WNOHANG | WNOWAIT) && !other.si_pid;
}

int rt_live_wait(struct rt_call *c, int fd, bool timed, const struct timespec *deadline,
                 bool *late) {
    struct rt_thread *t = rt_self;
    *late = false;
    if (send_more())
        return 1;
    struct timespec soon, ms = {0, 1000000};
    t->wait_fd = fd;
    t->interrupted = 0;
    int64_t due[2] = {t->due[0], t->due[1]};
    if (timed) {
        rt_deadline_in(&ms, &soon);
        t->due[0] = t->due[1] = 0;
        if (deadline && (deadline->tv_sec < soon.tv_sec ||
                         (deadline->tv_sec == soon.tv_sec && deadline->tv_nsec < soon.tv_nsec)))
            timed = false; /* its own time is over first */
    }
    if (!timed) {
        t->due[0] = due[0];
        t->due[1] = due[1];
    }
    enum rt_wait_result w = rt_wait(&rt_kernel, timed ? &soon : deadline, RT_WAIT_KERNEL);
    if (timed) {
        t->due[0] = due[0];
        t->due[1] = due[1];
        if (w == RT_TIMEOUT && rt_replaying_turns() && rt_hot.budget > 0) {
            if (c->tries++ > PATIENCE && !child_lives(fd))
                rt_diverged_wait(t);
            pause_a_little();
        }
    }
    rt_call_ask_cancel(c);
    *late = !timed && w == RT_TIMEOUT;
    return !(w == RT_SPURIOUS && (t->interrupted & RT_INTERRUPTED));
}

/* A socket waits no longer than it was told to, in all: what it waits for may come and be taken by others. */
static bool has_limit(struct rt_call *c, int fd, short events) {
    int which = events & POLLOUT ? SO_SNDTIMEO : SO_RCVTIMEO;
    struct timeval t = {0, 0};
    socklen_t n = sizeof t;
    if (c->limited) {
        memcpy(rt_self->due, c->due, sizeof c->due);
        return c->limited > 0;
    }
    c->limited = -1;
    if (fd < 0 || !events || rt_real.getsockopt(fd, SOL_SOCKET, which, &t, &n) ||
        (!t.tv_sec && !t.tv_usec))
        return false;
    struct timespec span = {t.tv_sec, t.tv_usec * 1000};
    rt_times_until(-1, &span);
    memcpy(c->due, rt_self->due, sizeof c->due);
    rt_deadline_in(&span, &c->until);
    c->limited = 1;
    return true;
}

int rt_live_again(struct rt_call *c, int fd, short events) {
    bool late;
    if (c->result >= 0 || (c->error != EAGAIN && c->error != EINTR))
        return 0;
    if (c->error == EAGAIN &&
        (c->no_wait || (fd >= 0 && (c->flags < 0 || (c->flags & O_NONBLOCK)))))
        return 0;
    bool limited = has_limit(c, fd, events);
    if (rt_live_wait(c, fd, rt_fd_timed(fd) != RT_NOT_TIMED, limited ? &c->until : NULL, &late)) {
        if (late) /* as it would be at the first try */
            rt_times_over(rt_self);
        return !late;
    }
    c->error = EINTR;
    return 0;
}

/* More than the other end takes at once: others read the beginning of it before it is done. While
 * recording it began as soon as the thread came to it, a turn before its event; so it does here. */
static bool is_long(int fd, size_t n) {
    if (n <= RT_NO_WAIT)
        return false;
    int room = rt_real.fcntl(fd, F_GETPIPE_SZ), flags = rt_real.fcntl(fd, F_GETFL), size = 0;
    socklen_t k = sizeof size;
    if (room < 0 && rt_real.getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, &k) == 0)
        room = size / 2;
    return room > 0 && n > (size_t)room && flags >= 0 && !(flags & O_NONBLOCK);
}

void rt_live_send(struct rt_call *c, int fd, const void *p, size_t n, int flags) {
    struct sending s __attribute__((cleanup(sending_ends))) = {
        .next = sending, .p = p, .left = n, .fd = fd, .flags = flags};
    sending = &s;
    if (is_long(fd, n) && !(flags > 0 && (flags & MSG_DONTWAIT)))
        send_on(c, &s);
    rt_live_begin(c);
    while (s.left || !n) {
        send_on(c, &s);
        bool waits =
            c->flags >= 0 && !(c->flags & O_NONBLOCK) && !(flags > 0 && (flags & MSG_DONTWAIT));
        if (!waits || (c->result >= 0 && !s.left))
            break;
        if (c->result >= 0) { /* a part; there was no room for the rest */
            c->result = -1;
            c->error = EAGAIN;
        }
        if (!rt_live_again(c, fd, POLLOUT))
            break;
    }
    if (s.left < n) {
        c->result = (int64_t)(n - s.left);
        c->error = 0;
    }
}
