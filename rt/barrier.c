/* SPDX-License-Identifier: MIT
 *
 * rt/barrier.c: barriers. Events: ARRIVE … LEAVE, INIT, DESTROY. The one that arrives
 * last wakes the others and is the serial thread. Counting is done in libc's own
 * object (its first words: arrived, rounds, size, shared) in a way that leaves it as libc
 * wants it between rounds. */
#include "rt/sync.h"

#include <errno.h>

struct words {
    unsigned arrived, round, size;
    int shared;
};
_Static_assert(sizeof(struct words) <= sizeof(pthread_barrier_t), "a barrier holds its words");

RT_EXPORT int pthread_barrier_wait(pthread_barrier_t *b) {
    if (!rt_enter())
        return rt_real.pthread_barrier_wait(b);
    struct words *w = (struct words *)(void *)b;
    rt_point();
    rt_object(b, AU_WIRE_OBJ_BARRIER, (int32_t)w->size);
    rt_event(AU_OP_ARRIVE, b, 0);
    int e = 0;
    if (w->shared) {
        rt_detach();
        e = rt_real.pthread_barrier_wait(b);
        rt_attach();
    } else if (++w->arrived == w->size) {
        w->arrived = 0;
        w->round++;
        rt_wake(b, RT_ALL);
        e = PTHREAD_BARRIER_SERIAL_THREAD;
        rt_point();
    } else {
        unsigned round = w->round;
        do
            rt_wait(b, NULL, RT_WAIT_BARRIER);
        while (w->round == round);
    }
    rt_event(AU_OP_LEAVE, b, 0);
    return rt_leave(e);
}

RT_EXPORT int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *a,
                                   unsigned count) {
    if (!rt_enter())
        return rt_real.pthread_barrier_init(b, a, count);
    rt_point();
    int e = rt_real.pthread_barrier_init(b, a, count);
    if (!e) {
        rt_object_init(b, AU_WIRE_OBJ_BARRIER, (int32_t)count);
        rt_event(AU_OP_INIT, b, count);
    }
    return rt_leave(e);
}

RT_EXPORT int pthread_barrier_destroy(pthread_barrier_t *b) {
    if (!rt_enter())
        return rt_real.pthread_barrier_destroy(b);
    struct words *w = (struct words *)(void *)b;
    rt_point();
    rt_object(b, AU_WIRE_OBJ_BARRIER, (int32_t)w->size);
    if (!w->shared && w->arrived) { /* libc would wait for them, with the token */
        rt_event(AU_OP_LOCKERR, b, AU_LOCKERR_DESTROY);
        return rt_leave(EBUSY);
    }
    rt_event(AU_OP_DESTROY, b, 0);
    return rt_leave(rt_real.pthread_barrier_destroy(b));
}
