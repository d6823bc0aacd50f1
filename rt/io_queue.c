/* SPDX-License-Identifier: MIT
 *
 * rt/io_queue.c: message queues, and event counters, which are reads and writes under another
 * name. */
#include "rt/channel.h"
#include "rt/io.h"
#include "rt/mem.h"
#include "rt/policy.h"

#include <fcntl.h>
#include <mqueue.h>
#include <stdarg.h>
#include <sys/eventfd.h>

/* Executions have queues of their own (record/launch_child.c). The kernel takes those of earlier ones away in its own
 * time, and counts them until then: what it refuses for that, it would not have refused the program. */
static mqd_t open_queue(const char *name, int flags, mode_t mode, struct mq_attr *how) {
    enum { TRIES = 300 };
    mqd_t q = rt_real.mq_open(name, flags, mode, how);
    for (int i = 0; q < 0 && errno == EMFILE && i < TRIES; i++) {
        rt_real.nanosleep(&(struct timespec){0, 10000000}, NULL);
        q = rt_real.mq_open(name, flags, mode, how);
    }
    return q;
}
RT_EXPORT mqd_t mq_open(const char *name, int flags, ...) {
    mode_t mode = 0;
    struct mq_attr *how = NULL;
    if (flags & O_CREAT) {
        va_list ap;
        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        how = va_arg(ap, struct mq_attr *);
        va_end(ap);
    }
    if (!rt_enter())
        return rt_real.mq_open(name, flags, mode, how);
    rt_point();
    rt_tell(AU_SOP_RREAD, name, rt_real.strlen(name) + 1);
    rt_asked();
    mqd_t q = open_queue(name, flags, mode, how);
    int error = errno;
    if (q < 0 && error == EMFILE && rt_living())
        rt_diverged("there is no room for a message queue");
    return rt_leave_errno(q, error);
}

RT_EXPORT ssize_t mq_receive(mqd_t q, char *p, size_t n, unsigned *priority) {
    if (!rt_enter())
        return rt_real.mq_receive(q, p, n, priority);
    RT_CALL(c);
    size_t got = 0, none;
    unsigned own = 0;
    int64_t told = 0;
    c.inside = 1;
    if (rt_call_feed(&c, AU_INPUT_BYTES, p, n, &got)) {
        if (c.result >= 0 && rt_input_replay(AU_INPUT_VALUE, &told, NULL, 0, &none))
            own = (unsigned)told;
    } else {
        RT_MAKE(&c, q, POLLIN, rt_real.mq_receive(q, p, n, &own));
        got = c.result > 0 ? (size_t)c.result : 0;
        rt_call_log(&c, AU_INPUT_BYTES, p, got);
        if (c.result >= 0)
            rt_input(AU_INPUT_VALUE | AU_INPUT_INSIDE, own, NULL, 0);
    }
    if (priority && c.result >= 0)
        *priority = own;
    return (ssize_t)rt_call_end(&c, AU_SOP_RWRITE, p, got);
}
static int send_it(mqd_t q, const char *p, size_t n, unsigned priority) {
    if (!rt_enter())
        return rt_real.mq_send(q, p, n, priority);
    RT_CALL(c);
    size_t none;
    c.inside = 1;
    if (!rt_call_feed(&c, AU_INPUT_VALUE, NULL, 0, &none))
        RT_MAKE(&c, q, POLLOUT, rt_real.mq_send(q, p, n, priority));
    rt_call_log(&c, AU_INPUT_VALUE, NULL, 0);
    rt_channel_held(0);
    return (int)rt_call_end(&c, AU_SOP_RREAD, p, n);
}

/* What mq_notify brings comes after what the sender did; and a schedule in which that is so has made the call. */
RT_EXPORT int mq_send(mqd_t q, const char *p, size_t n, unsigned priority) {
    rt_notice_comes();
    int result = send_it(q, p, n, priority), error = errno;
    rt_notice_comes();
    errno = error;
    return result;
}

RT_EXPORT int eventfd_read(int fd, eventfd_t *value) {
    return read(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}
RT_EXPORT int eventfd_write(int fd, eventfd_t value) {
    return write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}
