/* SPDX-License-Identifier: MIT
 *
 * rt/io_other.c: calls that may block and bring no bytes: child processes, signals, file
 * locks, System V queues and semaphores, terminals. The token is given up, one event
 * follows. */
#include "rt/cause.h"
#include "rt/channel.h"
#include "rt/io.h"
#include "rt/locks.h"
#include "rt/signal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* Makes the call without the token. A replay makes it too (locks on files are real there), unless
 * it failed in the recording: a signal ended it, or it would fail again. What it answers in another schedule is
 * what counts there: a command may have been given other words. */
#define BLOCKING(who, call)                                                                        \
    RT_CALL(c);                                                                                    \
    size_t none;                                                                                   \
    c.inside = 1;                                                                                  \
    c.peer = who;                                                                                  \
    if (rt_call_feed(&c, AU_INPUT_VALUE, NULL, 0, &none)) {                                        \
        if (c.result >= 0)                                                                         \
            (void)call;                                                                            \
    } else {                                                                                       \
        rt_call_start(&c, -1, 0);                                                                  \
        rt_call_back(&c, call);                                                                    \
    }                                                                                              \
    rt_call_log(&c, AU_INPUT_VALUE, NULL, 0);                                                      \
    return (__typeof__(call))rt_call_end(&c, AU_SOP_RWRITE, NULL, 0)

/* The same for what lives inside of the process: another schedule makes it, by 'try', which fails
 * with EAGAIN where the call would wait; 'no': it was told not to. */
#define BLOCKING_INSIDE(call, try, no)                                                             \
    RT_CALL(c);                                                                                    \
    size_t none;                                                                                   \
    c.inside = 1;                                                                                  \
    c.no_wait = no;                                                                                \
    if (rt_call_feed(&c, AU_INPUT_VALUE, NULL, 0, &none)) {                                        \
        if (c.result >= 0)                                                                         \
            (void)call;                                                                            \
    } else if (rt_live_begin(&c)) {                                                                \
        do                                                                                         \
            rt_live_did(&c, -1, try);                                                              \
        while (rt_live_again(&c, -1, 0));                                                          \
    } else {                                                                                       \
        rt_call_start(&c, -1, 0);                                                                  \
        rt_call_back(&c, call);                                                                    \
    }                                                                                              \
    rt_call_log(&c, AU_INPUT_VALUE, NULL, 0);                                                      \
    return (__typeof__(call))rt_call_end(&c, AU_SOP_RWRITE, NULL, 0)

/* ---- children: their numbers and states are input ---- */

/* Another schedule, and no child has ended yet. */
static bool goes_on_waiting(struct rt_call *c, int options) {
    bool late;
    if (options & WNOHANG)
        return false;
    if (rt_live_wait(c, -1, true, NULL, &late))
        return true;
    c->result = -1;
    c->error = EINTR;
    return false;
}

/* Is a child left whom nobody has waited for? */
static bool has_more_children(void) {
    siginfo_t other = {0};
    return !rt_real.waitid(P_ALL, 0, &other, WEXITED | WNOHANG | WNOWAIT);
}

/* Another schedule: the child was made there, of other memory maybe, and ends as it ends. Which of several does so first,
 * and whether one has done so already, is the machine's doing. */
static void wait_for_own(struct rt_call *c, pid_t pid, int *own, int options,
                         struct rusage *usage) {
    rt_call_ask_cancel(c);
    rt_live_begin(c);
    do {
        c->result = rt_real.wait4(rt_child_real(pid), own, options | WNOHANG, usage);
        c->error = errno;
    } while (!c->result && goes_on_waiting(c, options));
    if ((options & WNOHANG) || (pid <= 0 && has_more_children()))
        rt_rests(AU_RESTS_TIMED);
    if (c->result > 0)
        c->result = pid > 0 ? pid : rt_child_of((pid_t)c->result);
}

static pid_t waited(pid_t pid, int *status, int options, struct rusage *usage) {
    RT_CALL(c);
    int own = 0;
    size_t got = 0;
    c.inside = 1;
    if (rt_living())
        wait_for_own(&c, pid, &own, options, usage);
    else if (rt_call_feed(&c, AU_INPUT_BYTES, &own, sizeof own, &got)) {
        /* what the child does must be done here too */
        if (c.result > 0 && !WIFSTOPPED(own) && !WIFCONTINUED(own))
            rt_real.wait4(rt_child_real((pid_t)c.result), NULL, 0, NULL);
    } else {
        if (options & WNOHANG)
            rt_point();
        else
            rt_call_start(&c, -1, 0);
        rt_call_back(&c, rt_real.wait4(rt_child_real(pid), &own, options, usage));
    }
    if (c.result > 0)
        c.peer = RT_OTHERS;
    if (status && c.result > 0)
        *status = own;
    rt_call_log(&c, AU_INPUT_BYTES, &own, sizeof own);
    return (pid_t)rt_call_end(&c, AU_SOP_RWRITE, status,
                              status && c.result > 0 ? sizeof *status : 0);
}

RT_EXPORT pid_t waitpid(pid_t pid, int *status, int options) {
    return rt_enter() ? waited(pid, status, options, NULL) : rt_real.waitpid(pid, status, options);
}
RT_EXPORT pid_t wait(int *status) {
    return rt_enter() ? waited(-1, status, 0, NULL) : rt_real.wait(status);
}
RT_EXPORT pid_t wait3(int *status, int options, struct rusage *usage) {
    return rt_enter() ? waited(-1, status, options, usage) : rt_real.wait3(status, options, usage);
}
RT_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage) {
    return rt_enter() ? waited(pid, status, options, usage)
                      : rt_real.wait4(pid, status, options, usage);
}
static void wait_for_state(struct rt_call *c, idtype_t type, id_t id, siginfo_t *info,
                           int options) {
    siginfo_t own = {0};
    id_t real = type == P_PID ? (id_t)rt_child_real((pid_t)id) : id;
    rt_call_ask_cancel(c);
    rt_live_begin(c);
    do {
        c->result = rt_real.waitid(type, real, &own, options | WNOHANG);
        c->error = errno;
    } while (!c->result && !own.si_pid && goes_on_waiting(c, options));
    if ((options & WNOHANG) || (type != P_PID && has_more_children()))
        rt_rests(AU_RESTS_TIMED);
    if (own.si_pid)
        own.si_pid = rt_child_of(own.si_pid);
    if (info && !c->result)
        *info = own;
}

RT_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options) {
    if (!rt_enter())
        return rt_real.waitid(type, id, info, options);
    RT_CALL(c);
    size_t got = 0, n = info ? sizeof *info : 0;
    c.inside = 1;
    if (rt_living())
        wait_for_state(&c, type, id, info, options);
    else if (!rt_call_feed(&c, AU_INPUT_BYTES, info, n, &got)) {
        rt_call_start(&c, -1, 0);
        rt_call_back(&c, rt_real.waitid(type, id, info, options));
    }
    if (c.result == 0 && info && info->si_pid) {
        c.peer = RT_OTHERS;
        c.alike = (size_t)((char *)&info->si_utime - (char *)info); /* not how long it ran */
    }
    rt_call_log(&c, AU_INPUT_BYTES, info, c.result == 0 ? n : 0);
    return (int)rt_call_end(&c, AU_SOP_RWRITE, info, c.result == 0 ? n : 0);
}

/* Commands: libc forks by itself. The token is given up until they have ended. */
RT_EXPORT int system(const char *command) {
    if (!rt_enter())
        return rt_real.system(command);
    if (command)
        rt_cause_sent(RT_OTHERS, command, rt_real.strlen(command) + 1);
    BLOCKING(RT_OTHERS, rt_real.system(command));
}
RT_EXPORT int pclose(FILE *f) {
    if (!rt_enter())
        return rt_real.pclose(f);
    BLOCKING(RT_OTHERS, rt_real.pclose(f));
}

/* ---- signals ---- */

/* Another schedule: a signal that is pending, or one that came from outside then. 1: made; 0: fed, not
 * logged yet. 'late': the time is over. */
static int live_signal(struct rt_call *c, const sigset_t *set, siginfo_t *info,
                       const struct timespec *span, size_t size, size_t *got) {
    static const struct timespec now = {0, 0};
    struct rt_waiting w = {.timed = true};
    uint8_t kind = AU_INPUT_BYTES;
    rt_call_ask_cancel(c);
    rt_point();
    rt_waiting_begin(&w, span);
    do {
        rt_live_did(c, -1, rt_real.sigtimedwait(set, info, &now));
        if (c->result >= 0 || c->error != EAGAIN) {
            c->inside = 1;
            return 1;
        }
        if (rt_input_take(&kind, &c->result, info, size, got) && *got == size) {
            c->error = c->result < 0 ? errno : 0;
            if (!c->error)
                rt_rests(AU_RESTS_OUTSIDE);
            return 0;
        }
        c->result = -1;
        c->error = EAGAIN;
    } while (rt_waiting_again(c, &w, -1));
    return 1;
}

static int sent_by_us(const siginfo_t *info) {
    return info->si_code <= 0 && info->si_pid == rt_process();
}

RT_EXPORT int sigwait(const sigset_t *restrict set, int *restrict sig) {
    if (!rt_enter())
        return rt_real.sigwait(set, sig);
    RT_CALL(c);
    size_t got = 0;
    if (rt_living()) {
        siginfo_t info = {0};
        if (live_signal(&c, set, &info, NULL, sizeof *sig, &got)) {
            *sig = c.result > 0 ? (int)c.result : 0;
            c.result = c.result > 0 ? 0 : c.error;
        } else {
            memcpy(sig, &info, sizeof *sig);
        }
    } else if (rt_call_feed(&c, AU_INPUT_BYTES, sig, sizeof *sig, &got)) {
        rt_signal_drop(*sig);
    } else {
        siginfo_t info = {0};
        rt_call_start(&c, -1, 0);
        int r;
        do
            r = rt_real.sigwaitinfo(set, &info);
        while (r < 0 && errno == EINTR && !rt_self->cancelled);
        if (r > 0)
            *sig = r;
        rt_call_back(&c, r > 0 ? 0 : errno);
        if (r < 0)
            rt_call_ask_cancel(&c);
        c.inside = r > 0 && sent_by_us(&info);
    }
    rt_call_log(&c, AU_INPUT_BYTES, sig, sizeof *sig);
    return (int)rt_call_end(&c, AU_SOP_RWRITE, sig, sizeof *sig);
}

static int sig_timed(const sigset_t *set, siginfo_t *info, const struct timespec *span) {
    RT_CALL(c);
    siginfo_t own = {0};
    size_t got = 0;
    if (rt_living()) {
        live_signal(&c, set, &own, span, sizeof own, &got);
    } else if (rt_call_feed(&c, AU_INPUT_BYTES, &own, sizeof own, &got)) {
        if (c.result > 0)
            rt_signal_drop((int)c.result);
    } else {
        rt_call_start(&c, -1, 0);
        rt_call_back(&c, rt_real.sigtimedwait(set, &own, span));
        c.inside = c.result > 0 && sent_by_us(&own);
    }
    if (info && c.result >= 0)
        *info = own;
    rt_call_log(&c, AU_INPUT_BYTES, &own, sizeof own);
    return (int)rt_call_end(&c, AU_SOP_RWRITE, info, info && c.result >= 0 ? sizeof *info : 0);
}
RT_EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info) {
    return rt_enter() ? sig_timed(set, info, NULL) : rt_real.sigwaitinfo(set, info);
}
RT_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                           const struct timespec *restrict span) {
    return rt_enter() ? sig_timed(set, info, span) : rt_real.sigtimedwait(set, info, span);
}

/* Until a handler is to run; with this mask (NULL: the thread's own). The handler runs at the end. */
static int suspended(const sigset_t *mask) {
    RT_CALL(c);
    size_t none;
    uint8_t kind = AU_INPUT_VALUE;
    bool late;
    if (rt_living()) {
        sigset_t was;
        rt_call_ask_cancel(&c);
        rt_point();
        if (mask)
            rt_real.pthread_sigmask(SIG_SETMASK, mask, &was);
        c.inside = 1;
        while (!rt_signal_ready(rt_self)) {
            if (rt_input_take(&kind, &c.result, NULL, 0, &none)) {
                c.inside = 0;
                rt_rests(AU_RESTS_OUTSIDE);
                break;
            }
            if (!rt_live_wait(&c, -1, true, NULL, &late))
                break;
        }
        if (mask)
            rt_real.pthread_sigmask(SIG_SETMASK, &was, NULL);
        c.result = -1;
        c.error = EINTR;
    } else if (!rt_call_feed(&c, AU_INPUT_VALUE, NULL, 0, &none)) {
        rt_call_start(&c, -1, 0);
        rt_call_back(&c, mask ? rt_real.sigsuspend(mask) : rt_real.pause());
        c.inside = rt_signal_own(rt_self);
    }
    rt_call_log(&c, AU_INPUT_VALUE, NULL, 0);
    return (int)rt_call_end(&c, AU_SOP_RWRITE, NULL, 0);
}

RT_EXPORT int pause(void) {
    return rt_enter() ? suspended(NULL) : rt_real.pause();
}
RT_EXPORT int sigsuspend(const sigset_t *mask) {
    return rt_enter() ? suspended(mask) : rt_real.sigsuspend(mask);
}

/* ---- locks on files that are the process's ---- */

/* Locks on files say in two ways that somebody has them. */
static int again(int result) {
    if (result < 0 && errno == EACCES)
        errno = EAGAIN;
    return result;
}

RT_EXPORT int lockf(int fd, int op, off_t n) {
    if (op != F_LOCK || !rt_enter())
        return rt_real.lockf(fd, op, n);
    BLOCKING_INSIDE(rt_real.lockf(fd, op, n), again(rt_real.lockf(fd, F_TLOCK, n)), 0);
}
RT_EXPORT int lockf64(int fd, int op, off_t n) {
    return lockf(fd, op, n);
}

/* Less than a pipe has by itself. */
enum { PIPE_ROOM = 65536 };

static int controlled(int fd, int op, void *argument) {
    if (op == F_SETPIPE_SZ && (uintptr_t)argument < PIPE_ROOM)
        rt_channel_resized();
    if (op == F_OFD_SETLK || op == F_OFD_SETLKW)
        return rt_locks_range(fd, op, argument);
    if (op != F_SETLKW || !rt_enter())
        return rt_real.fcntl(fd, op, argument);
    BLOCKING_INSIDE(rt_real.fcntl(fd, op, argument), again(rt_real.fcntl(fd, F_SETLK, argument)),
                    0);
}
RT_EXPORT int fcntl(int fd, int op, ...) {
    va_list ap;
    va_start(ap, op);
    void *argument = va_arg(ap, void *);
    va_end(ap);
    return controlled(fd, op, argument);
}
RT_EXPORT int fcntl64(int fd, int op, ...) {
    va_list ap;
    va_start(ap, op);
    void *argument = va_arg(ap, void *);
    va_end(ap);
    return controlled(fd, op, argument);
}

/* ---- System V, terminals ---- */

static ssize_t try_receive(int q, void *p, size_t n, long type, int flags) {
    ssize_t r = rt_real.msgrcv(q, p, n, type, flags | IPC_NOWAIT);
    if (r < 0 && errno == ENOMSG && !(flags & IPC_NOWAIT))
        errno = EAGAIN;
    return r;
}

/* A message that was fed lies in the queue, too: it would fill up. */
static void take_message(int q, int64_t result, size_t n, long type, int flags) {
    struct {
        long type;
        char text[8192];
    } scrap;
    if (result >= 0 && n <= sizeof scrap.text)
        try_receive(q, &scrap, n, type, flags | IPC_NOWAIT);
}

RT_EXPORT ssize_t msgrcv(int q, void *p, size_t n, long type, int flags) {
    if (!rt_enter())
        return rt_real.msgrcv(q, p, n, type, flags);
    RT_CALL(c);
    size_t got = 0;
    c.inside = 1;
    c.no_wait = flags & IPC_NOWAIT;
    if (rt_call_feed(&c, AU_INPUT_BYTES, p, n + sizeof(long), &got)) {
        take_message(q, c.result, n, type, flags);
    } else {
        if (rt_live_begin(&c)) {
            do
                rt_live_did(&c, -1, try_receive(q, p, n, type, flags));
            while (rt_live_again(&c, -1, 0));
        } else {
            rt_call_start(&c, -1, 0);
            rt_call_back(&c, rt_real.msgrcv(q, p, n, type, flags));
        }
        got = c.result >= 0 ? (size_t)c.result + sizeof(long) : 0;
    }
    rt_call_log(&c, AU_INPUT_BYTES, p, got);
    return (ssize_t)rt_call_end(&c, AU_SOP_RWRITE, p, got);
}
RT_EXPORT int msgsnd(int q, const void *p, size_t n, int flags) {
    if (!rt_enter())
        return rt_real.msgsnd(q, p, n, flags);
    RT_CALL(c);
    c.inside = 1;
    c.no_wait = flags & IPC_NOWAIT;
    if (rt_live_begin(&c)) {
        do
            rt_live_did(&c, -1, rt_real.msgsnd(q, p, n, flags | IPC_NOWAIT));
        while (rt_live_again(&c, -1, 0));
    } else {
        rt_call_start(&c, -1, 0);
        rt_call_back(&c, rt_real.msgsnd(q, p, n, flags));
    }
    rt_channel_held(0);
    return (int)rt_call_end(&c, AU_SOP_RREAD, p, c.result == 0 ? n + sizeof(long) : 0);
}
RT_EXPORT int tcdrain(int fd) {
    if (!rt_enter())
        return rt_real.tcdrain(fd);
    BLOCKING(0, rt_real.tcdrain(fd));
}

/* ---- bytes that go from one descriptor to another and are not seen ---- */

/* The descriptor that has to be ready; -1: the other one is not, so it waits in any case. */
static int passes_from(int in, int out) {
    struct pollfd p = {out, POLLOUT, 0};
    return rt_living() || rt_real.poll(&p, 1, 0) != 0 ? in : -1;
}

#define PASS(in, out, stay, call)                                                                  \
    do {                                                                                           \
        RT_CALL(c);                                                                                \
        size_t none;                                                                               \
        c.inside = rt_fd_inside(in);                                                               \
        rt_call_ask_cancel(&c);                                                                    \
        if (!rt_fd_is_fed(rt_fd_kind(in)) || !rt_call_feed(&c, AU_INPUT_VALUE, NULL, 0, &none))    \
            RT_MAKE(&c, passes_from(in, out), POLLIN, call);                                       \
        if (rt_fd_is_fed(rt_fd_kind(in)))                                                          \
            rt_call_log(&c, AU_INPUT_VALUE, NULL, 0);                                              \
        rt_channel_passed(in, c.result > 0 ? (size_t)c.result : 0, stay);                          \
        rt_channel_lost_sent(&c, out, 0);                                                          \
        return (ssize_t)rt_call_end(&c, AU_SOP_RWRITE, NULL, 0);                                   \
    } while (0)
RT_EXPORT ssize_t splice(int in, off64_t *at_in, int out, off64_t *at_out, size_t n,
                         unsigned flags) {
    if (!rt_enter())
        return rt_real.splice(in, at_in, out, at_out, n, flags);
    PASS(in, out, 0, rt_real.splice(in, at_in, out, at_out, n, flags));
}
RT_EXPORT ssize_t tee(int in, int out, size_t n, unsigned flags) {
    if (!rt_enter())
        return rt_real.tee(in, out, n, flags);
    PASS(in, out, 1, rt_real.tee(in, out, n, flags));
}
