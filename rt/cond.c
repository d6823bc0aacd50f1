/* SPDX-License-Identifier: MIT
 *
 * rt/cond.c: condition variables. Waiters wait in the scheduler under the condition's
 * address; libc's object keeps only its attributes. A wait is four events, REL(m) WAIT(c) …
 * WAKE(c) ACQ(m); the first two are one step, no other thread runs between them. WAKE has
 * the value 1 if it timed out. Who wakes is the scheduler's outcome: signals wake in the
 * order of waiting; a time-out counts from the moment the waiter is given the token without a
 * signal, so that a replay needs no clock. */
#include "rt/omp.h"
#include "rt/sync.h"

#include <errno.h>

enum { COND_SHARED = 1, COND_MONOTONIC = 2, COND_DESTROYED = 4 }; /* bits of __wrefs, libc's ABI */

static clockid_t clock_of(const pthread_cond_t *c) {
    return c->__data.__wrefs & COND_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

/* Used after it was destroyed: it is told, and works as before. */
static bool is_destroyed(const pthread_cond_t *c) {
    if (!(c->__data.__wrefs & COND_DESTROYED))
        return false;
    rt_event(AU_OP_LOCKERR, c, AU_LOCKERR_DESTROYED);
    return true;
}

/* Between processes: libc's wait, without the token. */
static int wait_shared(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                       const struct timespec *when) {
    rt_event(AU_OP_REL, m, 0);
    rt_event(AU_OP_WAIT, c, when != NULL);
    rt_owner(m, 0);
    rt_wake(m, 1);
    rt_detach();
    int e =
        when ? rt_real.pthread_cond_clockwait(c, m, clock, when) : rt_real.pthread_cond_wait(c, m);
    rt_attach();
    rt_event(AU_OP_WAKE, c, e == ETIMEDOUT);
    rt_owner(m, 1);
    rt_event(AU_OP_ACQ, m, 0);
    return e;
}

static int wait_on(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                   const struct timespec *when) {
    struct timespec store;
    const struct timespec *deadline;
    if (rt_deadline_of(clock, when, &store, &deadline))
        return EINVAL;
    rt_point();
    rt_cancel_point();
    rt_object(c, AU_WIRE_OBJ_COND, 0);
    rt_object(m, rt_mutex_kind(m), rt_mutex_robust(m));
    is_destroyed(c);
    bool mine = rt_mutex_mine(m);
    if (!mine) {
        rt_event(AU_OP_LOCKERR, m, AU_LOCKERR_WAIT);
        int e = rt_real.pthread_mutex_unlock(m);
        if (e)
            return e;
    } else if (c->__data.__wrefs & COND_SHARED) {
        return wait_shared(c, m, clock, when);
    } else {
        int e = rt_mutex_give(m);
        if (e)
            return e;
        rt_event(AU_OP_WAIT, c, when != NULL);
    }
    rt_wake(m, 1);
    enum rt_wait_result r = rt_wait(c, deadline, RT_WAIT_COND);
    if (mine)
        rt_event(AU_OP_WAKE, c, r == RT_TIMEOUT);
    rt_wants(m);
    rt_point();
    int e = rt_mutex_retake(m);
    return e ? e : r == RT_TIMEOUT ? ETIMEDOUT : 0;
}

RT_EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
    if (!rt_enter())
        return rt_omp_size ? rt_omp_cond_wait(c, m) : rt_real.pthread_cond_wait(c, m);
    int e = wait_on(c, m, CLOCK_REALTIME, NULL);
    rt_cancel_point();
    return rt_leave(e);
}

RT_EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                     const struct timespec *when) {
    if (!rt_enter())
        return rt_real.pthread_cond_timedwait(c, m, when);
    int e = wait_on(c, m, clock_of(c), when);
    rt_cancel_point();
    return rt_leave(e);
}

RT_EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                     const struct timespec *when) {
    if (!rt_enter())
        return rt_real.pthread_cond_clockwait(c, m, clock, when);
    int e = wait_on(c, m, clock, when);
    rt_cancel_point();
    return rt_leave(e);
}

RT_EXPORT int pthread_cond_signal(pthread_cond_t *c) {
    if (!rt_enter())
        return rt_omp_size ? rt_omp_cond_wake(c, 1) : rt_real.pthread_cond_signal(c);
    rt_point();
    rt_object(c, AU_WIRE_OBJ_COND, 0);
    is_destroyed(c);
    rt_event(AU_OP_SIGNAL, c, 0);
    int e = 0;
    if (!rt_wake(c, 1))
        e = rt_real.pthread_cond_signal(c); /* waiters in other processes */
    return rt_leave(e);
}

RT_EXPORT int pthread_cond_broadcast(pthread_cond_t *c) {
    if (!rt_enter())
        return rt_omp_size ? rt_omp_cond_wake(c, RT_ALL) : rt_real.pthread_cond_broadcast(c);
    rt_point();
    rt_object(c, AU_WIRE_OBJ_COND, 0);
    is_destroyed(c);
    rt_event(AU_OP_BROADCAST, c, 0);
    rt_wake(c, RT_ALL);
    return rt_leave(rt_real.pthread_cond_broadcast(c));
}

RT_EXPORT int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *a) {
    if (!rt_enter())
        return rt_real.pthread_cond_init(c, a);
    rt_point();
    int e = rt_real.pthread_cond_init(c, a);
    if (!e) {
        rt_object_init(c, AU_WIRE_OBJ_COND, 0);
        rt_event(AU_OP_INIT, c, 0);
    }
    return rt_leave(e);
}

RT_EXPORT int pthread_cond_destroy(pthread_cond_t *c) {
    if (!rt_enter())
        return rt_real.pthread_cond_destroy(c);
    rt_point();
    rt_object(c, AU_WIRE_OBJ_COND, 0);
    if (is_destroyed(c))
        return rt_leave(0);
    if (rt_waiting(c)) {
        /* libc would wait for the waiters for ever, and with the token */
        rt_event(AU_OP_LOCKERR, c, AU_LOCKERR_DESTROY);
        return rt_leave(0);
    }
    int e = rt_real.pthread_cond_destroy(c);
    rt_event(AU_OP_DESTROY, c, 0);
    return rt_leave(e);
}
