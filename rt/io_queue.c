/* SPDX-License-Identifier: MIT
 *
 * rt/io_queue.c: message queues, and event counters, which are reads and writes under another
 * name. */
#include "rt/channel.h"
#include "rt/io.h"

#include <mqueue.h>
#include <sys/eventfd.h>

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
RT_EXPORT int mq_send(mqd_t q, const char *p, size_t n, unsigned priority) {
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

RT_EXPORT int eventfd_read(int fd, eventfd_t *value) {
    return read(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}
RT_EXPORT int eventfd_write(int fd, eventfd_t value) {
    return write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}
