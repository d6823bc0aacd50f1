/* SPDX-License-Identifier: MIT
 *
 * rt/sem.c: semaphores, unnamed and named. Events: DOWN (value 1: by a try or timed
 * wait), TRYFAIL, UP, INIT, DESTROY. A named one is told (OBJ) with the value it has
 * when it is opened. */
#include "rt/made.h"
#include "rt/sched.h"
#include "rt/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>

/* glibc, 64 bits: value and waiters in 8 bytes, then an int that says whether other
 * processes may use it. */
static bool is_shared(const sem_t *s) {
    return ((const int *)(const void *)s)[2] != 0;
}

static void tell(sem_t *s) {
    int now = 0;
    rt_real.sem_getvalue(s, &now);
    rt_object(s, AU_WIRE_OBJ_SEM, now);
}

static int fail(int e) {
    rt_leave(0);
    errno = e;
    return -1;
}

static int down(sem_t *s, const struct timespec *deadline, bool timed) {
    rt_self->interrupted = 0;
    rt_wants(s);
    rt_point();
    rt_cancel_point();
    if (rt_self->interrupted & RT_INTERRUPTED)
        return EINTR;
    tell(s);
    bool late = false;
    while (rt_must_wait() || rt_real.sem_trywait(s)) {
        if (late) { /* tried once more: a replay cannot tell the two wake-ups apart */
            rt_event(AU_OP_TRYFAIL, s, 0);
            return ETIMEDOUT;
        }
        enum rt_wait_result r;
        if (is_shared(s))
            rt_poll_wait(s, deadline, RT_WAIT_SEM, &r);
        else
            r = rt_wait(s, deadline, RT_WAIT_SEM);
        rt_cancel_point();
        if (rt_self->interrupted & RT_INTERRUPTED)
            return EINTR;
        late = r == RT_TIMEOUT && timed;
    }
    rt_event(AU_OP_DOWN, s, timed);
    return 0;
}

RT_EXPORT int sem_wait(sem_t *s) {
    if (!rt_enter())
        return rt_real.sem_wait(s);
    int e = down(s, NULL, false);
    return e ? fail(e) : rt_leave(0);
}

RT_EXPORT int sem_trywait(sem_t *s) {
    if (!rt_enter())
        return rt_real.sem_trywait(s);
    rt_point();
    tell(s);
    if (rt_real.sem_trywait(s)) {
        int e = errno;
        rt_event(AU_OP_TRYFAIL, s, 0);
        return fail(e);
    }
    rt_event(AU_OP_DOWN, s, 1);
    return rt_leave(0);
}

static int timed(sem_t *s, clockid_t clock, const struct timespec *when) {
    struct timespec store;
    const struct timespec *deadline;
    if (rt_deadline_of(clock, when, &store, &deadline))
        return fail(EINVAL);
    int e = down(s, deadline, true);
    if (e)
        return fail(e);
    return rt_leave(0);
}

RT_EXPORT int sem_timedwait(sem_t *s, const struct timespec *when) {
    if (!rt_enter())
        return rt_real.sem_timedwait(s, when);
    return timed(s, CLOCK_REALTIME, when);
}

RT_EXPORT int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *when) {
    if (!rt_enter())
        return rt_real.sem_clockwait(s, clock, when);
    return timed(s, clock, when);
}

/* Async-signal-safe in libc, and so here: rt_enter is false inside the runtime. */
RT_EXPORT int sem_post(sem_t *s) {
    if (!rt_enter())
        return rt_real.sem_post(s);
    rt_point();
    tell(s);
    if (rt_real.sem_post(s))
        return fail(errno);
    rt_event(AU_OP_UP, s, 0);
    rt_wake(s, 1);
    return rt_leave(0);
}

RT_EXPORT int sem_init(sem_t *s, int shared, unsigned value) {
    if (!rt_enter())
        return rt_real.sem_init(s, shared, value);
    rt_point();
    if (rt_real.sem_init(s, shared, value))
        return fail(errno);
    rt_object_init(s, AU_WIRE_OBJ_SEM, (int32_t)value);
    rt_event(AU_OP_INIT, s, value);
    return rt_leave(0);
}

RT_EXPORT int sem_destroy(sem_t *s) {
    if (!rt_enter())
        return rt_real.sem_destroy(s);
    rt_point();
    tell(s);
    if (rt_wanted(s))
        rt_event(AU_OP_LOCKERR, s, AU_LOCKERR_DESTROY);
    else
        rt_event(AU_OP_DESTROY, s, 0);
    return rt_leave(rt_real.sem_destroy(s));
}

RT_EXPORT sem_t *sem_open(const char *name, int flags, ...) {
    mode_t mode = 0;
    unsigned value = 0;
    if (flags & O_CREAT) {
        va_list ap;
        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        value = va_arg(ap, unsigned);
        va_end(ap);
    }
    if (!rt_enter())
        return rt_real.sem_open(name, flags, mode, value);
    rt_point();
    char file[RT_MADE_SHARED];
    rt_asked();
    bool makes = rt_made_shared(file, "sem.", name) && rt_made_none(AT_FDCWD, file);
    sem_t *s = rt_real.sem_open(name, flags, mode, value);
    if (makes)
        rt_made(AT_FDCWD, file, true);
    if (s == SEM_FAILED) {
        fail(errno);
        return s;
    }
    if (!rt_table_get(s)) { /* opening it again gives the same address */
        int now = 0;
        rt_real.sem_getvalue(s, &now);
        rt_table_set(s, 1);
        rt_object_init(s, AU_WIRE_OBJ_SEM, now);
        rt_event(AU_OP_INIT, s, (uint64_t)now);
    } else {
        rt_table_set(s, rt_table_get(s) + 1);
    }
    rt_leave(0);
    return s;
}

RT_EXPORT int sem_close(sem_t *s) {
    if (!rt_enter())
        return rt_real.sem_close(s);
    rt_point();
    uint64_t opened = rt_table_get(s);
    if (opened)
        rt_table_set(s, opened - 1);
    if (opened == 1)
        rt_event(AU_OP_DESTROY, s, 0);
    if (rt_real.sem_close(s))
        return fail(errno);
    return rt_leave(0);
}
