/* SPDX-License-Identifier: MIT
 *
 * rt/c11.c: <threads.h>. In glibc mtx_t, cnd_t, once_flag and thrd_t are the pthread
 * objects under other names, so these go through the pthread wrappers. When nothing is
 * recorded they are the C library's own. */
#include "rt/sync.h"

#include <errno.h>
#include <threads.h>

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "mtx_t is a mutex");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "cnd_t is a condition");
_Static_assert(sizeof(once_flag) == sizeof(pthread_once_t), "once_flag is a once control");

static int told(int e) {
    switch (e) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ENOMEM:
        return thrd_nomem;
    case ETIMEDOUT:
        return thrd_timedout;
    default:
        return thrd_error;
    }
}

static pthread_mutex_t *mutex(mtx_t *m) {
    return (pthread_mutex_t *)(void *)m;
}
static pthread_cond_t *cond(cnd_t *c) {
    return (pthread_cond_t *)(void *)c;
}

RT_EXPORT int mtx_init(mtx_t *m, int type) {
    if (!rt_enter())
        return rt_real.mtx_init(m, type);
    rt_point();
    int e = rt_real.mtx_init(m, type);
    if (e == thrd_success) {
        rt_object_init(m, rt_mutex_kind(mutex(m)), 0);
        rt_event(AU_OP_INIT, m, 0);
    }
    return rt_leave(e);
}

RT_EXPORT void mtx_destroy(mtx_t *m) {
    if (!rt_enter())
        rt_real.mtx_destroy(m);
    else {
        rt_leave(0);
        pthread_mutex_destroy(mutex(m));
    }
}

/* The shape of the rest: whether something is recorded, then the other wrapper. */
static bool active(void) {
    if (!rt_enter())
        return false;
    rt_leave(0);
    return true;
}

RT_EXPORT int mtx_lock(mtx_t *m) {
    return active() ? told(pthread_mutex_lock(mutex(m))) : rt_real.mtx_lock(m);
}
RT_EXPORT int mtx_trylock(mtx_t *m) {
    return active() ? told(pthread_mutex_trylock(mutex(m))) : rt_real.mtx_trylock(m);
}
RT_EXPORT int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict when) {
    return active() ? told(pthread_mutex_timedlock(mutex(m), when))
                    : rt_real.mtx_timedlock(m, when);
}
RT_EXPORT int mtx_unlock(mtx_t *m) {
    return active() ? told(pthread_mutex_unlock(mutex(m))) : rt_real.mtx_unlock(m);
}

RT_EXPORT int cnd_init(cnd_t *c) {
    return active() ? told(pthread_cond_init(cond(c), NULL)) : rt_real.cnd_init(c);
}
RT_EXPORT void cnd_destroy(cnd_t *c) {
    if (active())
        pthread_cond_destroy(cond(c));
    else
        rt_real.cnd_destroy(c);
}
RT_EXPORT int cnd_wait(cnd_t *c, mtx_t *m) {
    return active() ? told(pthread_cond_wait(cond(c), mutex(m))) : rt_real.cnd_wait(c, m);
}
RT_EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m,
                            const struct timespec *restrict when) {
    return active() ? told(pthread_cond_timedwait(cond(c), mutex(m), when))
                    : rt_real.cnd_timedwait(c, m, when);
}
RT_EXPORT int cnd_signal(cnd_t *c) {
    return active() ? told(pthread_cond_signal(cond(c))) : rt_real.cnd_signal(c);
}
RT_EXPORT int cnd_broadcast(cnd_t *c) {
    return active() ? told(pthread_cond_broadcast(cond(c))) : rt_real.cnd_broadcast(c);
}

RT_EXPORT void call_once(once_flag *flag, void (*routine)(void)) {
    if (active())
        pthread_once((pthread_once_t *)(void *)flag, routine);
    else
        rt_real.call_once(flag, routine);
}

/* A C11 thread returns int, a POSIX one a pointer: the same register, and only its lower
 * half is ever looked at again (thrd_join). */
RT_EXPORT int thrd_create(thrd_t *t, thrd_start_t start, void *argument) {
    if (!active())
        return rt_real.thrd_create(t, start, argument);
    union {
        thrd_start_t c11;
        void *(*posix)(void *);
    } entry = {start};
    int e = pthread_create(t, NULL, entry.posix, argument);
    return e == EAGAIN ? thrd_nomem : told(e); /* as libc tells it */
}
RT_EXPORT int thrd_join(thrd_t t, int *result) {
    if (!active())
        return rt_real.thrd_join(t, result);
    void *r = NULL;
    int e = pthread_join(t, &r);
    if (!e && result)
        *result = (int)(uintptr_t)r;
    return told(e);
}
RT_EXPORT int thrd_detach(thrd_t t) {
    return active() ? told(pthread_detach(t)) : rt_real.thrd_detach(t);
}
RT_EXPORT _Noreturn void thrd_exit(int result) {
    if (!active())
        rt_real.thrd_exit(result);
    pthread_exit((void *)(uintptr_t)(unsigned)result);
}
RT_EXPORT void thrd_yield(void) {
    if (active())
        sched_yield();
    else
        rt_real.thrd_yield();
}
RT_EXPORT int thrd_sleep(const struct timespec *span, struct timespec *left) {
    if (!active())
        return rt_real.thrd_sleep(span, left);
    int e = clock_nanosleep(CLOCK_REALTIME, 0, span, left);
    return e == 0 ? 0 : e == EINTR ? -1 : -2;
}
