/* SPDX-License-Identifier: MIT
 *
 * rt/rwlock.c: read-write locks, taken by trying like mutexes. Events: RDACQ, WRACQ
 * (value 1: by a try or timed operation), TRYFAIL (value 1: for reading), REL, INIT, DESTROY, LOCKERR.
 *
 * libc does not know who reads. To tell an unlock by a thread that does not hold the lock,
 * every thread remembers what it holds for reading; a thread that holds very many
 * is believed. */
#include "rt/sync.h"

#include <errno.h>

enum { MOST_READS = 32, READER_SHIFT = 3 };
static _Thread_local struct {
    unsigned n;
    bool overflow;
    const pthread_rwlock_t *at[MOST_READS];
} reads __attribute__((tls_model("initial-exec")));

static void read_more(const pthread_rwlock_t *l) {
    if (reads.n < MOST_READS)
        reads.at[reads.n++] = l;
    else
        reads.overflow = true;
}

static bool read_less(const pthread_rwlock_t *l) {
    for (unsigned i = reads.n; i-- > 0;)
        if (reads.at[i] == l) {
            reads.at[i] = reads.at[--reads.n];
            return true;
        }
    return reads.overflow;
}

static bool is_writer(const pthread_rwlock_t *l) {
    return l->__data.__cur_writer == rt_tid();
}
static bool is_shared(const pthread_rwlock_t *l) {
    return l->__data.__shared != 0;
}

/* 0: readers go first. What it means: src/wire/stream.h. */
static int32_t preference(const pthread_rwlock_t *l) {
    return (int32_t)l->__data.__flags;
}

static int take(pthread_rwlock_t *l, bool write, const struct timespec *deadline, bool timed) {
    int e;
    bool late = false;
    for (;;) {
        e = write ? rt_real.pthread_rwlock_trywrlock(l) : rt_real.pthread_rwlock_tryrdlock(l);
        if (e != EBUSY)
            break;
        if (late) { /* tried once more: a replay cannot tell the two wake-ups apart */
            e = ETIMEDOUT;
            break;
        }
        if (is_writer(l)) { /* libc sees that too */
            rt_event(AU_OP_LOCKERR, l, AU_LOCKERR_DOUBLE);
            return EDEADLK;
        }
        enum rt_wait_kind kind = write ? RT_WAIT_WRLOCK : RT_WAIT_RDLOCK;
        enum rt_wait_result r;
        if (is_shared(l))
            rt_poll_wait(l, deadline, kind, &r);
        else
            r = rt_wait(l, deadline, kind);
        late = r == RT_TIMEOUT && timed;
    }
    if (e) {
        if (timed)
            rt_event(AU_OP_TRYFAIL, l, !write);
        return e;
    }
    rt_owner(l, 1);
    if (!write)
        read_more(l);
    rt_event(write ? AU_OP_WRACQ : AU_OP_RDACQ, l, timed);
    return 0;
}

static int start(pthread_rwlock_t *l, bool write) {
    rt_wants(l);
    rt_point();
    rt_object(l, AU_WIRE_OBJ_RWLOCK, preference(l));
    return take(l, write, NULL, false);
}

static int try_once(pthread_rwlock_t *l, bool write) {
    rt_point();
    rt_object(l, AU_WIRE_OBJ_RWLOCK, preference(l));
    int e = write ? rt_real.pthread_rwlock_trywrlock(l) : rt_real.pthread_rwlock_tryrdlock(l);
    if (e) {
        rt_event(AU_OP_TRYFAIL, l, !write);
        return e;
    }
    rt_owner(l, 1);
    if (!write)
        read_more(l);
    rt_event(write ? AU_OP_WRACQ : AU_OP_RDACQ, l, 1);
    return 0;
}

static int timed(pthread_rwlock_t *l, bool write, clockid_t clock, const struct timespec *when) {
    struct timespec store;
    const struct timespec *deadline;
    if (rt_deadline_of(clock, when, &store, &deadline))
        return EINVAL; /* libc looks before anything else */
    rt_wants(l);
    rt_point();
    rt_object(l, AU_WIRE_OBJ_RWLOCK, preference(l));
    return take(l, write, deadline, true);
}

RT_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l) {
    if (!rt_enter())
        return rt_real.pthread_rwlock_rdlock(l);
    return rt_leave(start(l, false));
}

RT_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l) {
    if (!rt_enter())
        return rt_real.pthread_rwlock_wrlock(l);
    return rt_leave(start(l, true));
}

RT_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *l) {
    if (!rt_enter())
        return rt_real.pthread_rwlock_tryrdlock(l);
    return rt_leave(try_once(l, false));
}

RT_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *l) {
    if (!rt_enter())
        return rt_real.pthread_rwlock_trywrlock(l);
    return rt_leave(try_once(l, true));
}

RT_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *when) {
    if (!rt_enter())
        return rt_real.pthread_rwlock_timedrdlock(l, when);
    return rt_leave(timed(l, false, CLOCK_REALTIME, when));
}

RT_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *when) {
    if (!rt_enter())
        return rt_real.pthread_rwlock_timedwrlock(l, when);
    return rt_leave(timed(l, true, CLOCK_REALTIME, when));
}

RT_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock,
                                         const struct timespec *when) {
    if (!rt_enter())
        return rt_real.pthread_rwlock_clockrdlock(l, clock, when);
    return rt_leave(timed(l, false, clock, when));
}

RT_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock,
                                         const struct timespec *when) {
    if (!rt_enter())
        return rt_real.pthread_rwlock_clockwrlock(l, clock, when);
    return rt_leave(timed(l, true, clock, when));
}

RT_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l) {
    if (!rt_enter())
        return rt_real.pthread_rwlock_unlock(l);
    rt_point();
    rt_object(l, AU_WIRE_OBJ_RWLOCK, preference(l));
    if (!is_writer(l) && !read_less(l)) {
        rt_event(AU_OP_LOCKERR, l, AU_LOCKERR_NOT_OWNER);
        if (l->__data.__cur_writer || l->__data.__readers >> READER_SHIFT == 0)
            return rt_leave(EPERM); /* libc would leave the lock broken */
        return rt_leave(rt_real.pthread_rwlock_unlock(l));
    }
    int e = rt_real.pthread_rwlock_unlock(l);
    rt_owner(l, 0);
    rt_event(AU_OP_REL, l, 0);
    rt_wake(l, RT_ALL); /* readers go on together */
    return rt_leave(e);
}

RT_EXPORT int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *a) {
    if (!rt_enter())
        return rt_real.pthread_rwlock_init(l, a);
    rt_point();
    int e = rt_real.pthread_rwlock_init(l, a);
    if (!e) {
        rt_object_init(l, AU_WIRE_OBJ_RWLOCK, preference(l));
        rt_event(AU_OP_INIT, l, 0);
    }
    return rt_leave(e);
}

RT_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *l) {
    if (!rt_enter())
        return rt_real.pthread_rwlock_destroy(l);
    rt_point();
    rt_object(l, AU_WIRE_OBJ_RWLOCK, preference(l));
    if (l->__data.__cur_writer || l->__data.__readers >> READER_SHIFT || rt_wanted(l)) {
        rt_event(AU_OP_LOCKERR, l, AU_LOCKERR_DESTROY);
        return rt_leave(rt_real.pthread_rwlock_destroy(l));
    }
    int e = rt_real.pthread_rwlock_destroy(l);
    if (!e)
        rt_event(AU_OP_DESTROY, l, 0);
    return rt_leave(e);
}
