/* SPDX-License-Identifier: MIT
 *
 * rt/mutex.c: pthread mutexes. The real mutex is always the truth: it is taken by
 * trying, and a thread that cannot have it waits in the scheduler, never in libc. Events:
 *
 *   lock, trylock, timedlock, clocklock   ACQ (value 1 for the last three) or TRYFAIL
 *   unlock                                REL
 *   init, destroy                         INIT, DESTROY
 *   any of them used wrongly              LOCKERR
 *
 * What glibc stores in a mutex (kind, owner) is part of its ABI: the static initialisers
 * of <pthread.h> write it into programs. */
#include "rt/omp.h"
#include "rt/sync.h"

#include <errno.h>
#include <limits.h>

enum { TYPE_MASK = 3, ROBUST = 16, SHARED = 128, DESTROYED = -1 };
/* The owner of a robust mutex that was unlocked without being made consistent. */
enum { LOST = INT_MAX - 1 };

/* A robust mutex that is held has 1 + its holder's thread as value in the table; when the
 * holder ends it becomes ORPHANED: the kernel hands it on soon, so libc may wait for it. */
#define ORPHANED (UINT64_C(1) << 40)
/* Of a thread that ends with more, those beyond are waited for as others: nothing is lost but that libc may hand on
 * one of them before the runtime knows. */
enum { MOST_ROBUST = 16 };
static _Thread_local struct {
    unsigned n;
    pthread_mutex_t *at[MOST_ROBUST];
} robust __attribute__((tls_model("initial-exec")));

static int kind_of(const pthread_mutex_t *m) {
    return m->__data.__kind;
}
static int type_of(const pthread_mutex_t *m) {
    return kind_of(m) & TYPE_MASK;
}

uint8_t rt_mutex_kind(const pthread_mutex_t *m) {
    return type_of(m) == PTHREAD_MUTEX_RECURSIVE_NP ? AU_WIRE_OBJ_RLOCK : AU_WIRE_OBJ_LOCK;
}

int32_t rt_mutex_robust(const pthread_mutex_t *m) {
    return (kind_of(m) & ROBUST) != 0;
}

bool rt_mutex_mine(const pthread_mutex_t *m) {
    return m->__data.__owner == rt_tid();
}

static void got(pthread_mutex_t *m) {
    rt_owner(m, 1);
    if (!(kind_of(m) & ROBUST))
        return;
    rt_table_set(m, 0);
    if (robust.n < MOST_ROBUST)
        robust.at[robust.n++] = m;
}

static void gave(pthread_mutex_t *m) {
    rt_owner(m, 0);
    if (!(kind_of(m) & ROBUST))
        return;
    for (unsigned i = robust.n; i-- > 0;)
        if (robust.at[i] == m) {
            robust.at[i] = robust.at[--robust.n];
            break;
        }
}

void rt_mutex_thread_end(void) {
    for (unsigned i = 0; i < robust.n; i++) {
        rt_table_set(robust.at[i], ORPHANED);
        rt_owner(robust.at[i], 0);
        rt_wake(robust.at[i], RT_ALL);
    }
    robust.n = 0;
}

/* Used after it was destroyed: libc refuses, but for a second destroy. */
static bool is_destroyed(const pthread_mutex_t *m) {
    if (kind_of(m) != DESTROYED)
        return false;
    rt_event(AU_OP_LOCKERR, m, AU_LOCKERR_DESTROYED);
    return true;
}

static bool is_got(int e) {
    return e == 0 || e == EOWNERDEAD;
}

/* Takes the mutex or waits for it; the token is held and the point is passed. */
static int take(pthread_mutex_t *m, const struct timespec *deadline, bool timed) {
    int e;
    bool told = false, late = false;
    /* Trying would take such a mutex and say that it did not; locking gives it back. */
    if ((kind_of(m) & ROBUST) && m->__data.__owner == LOST && !m->__data.__lock)
        return rt_real.pthread_mutex_lock(m);
    while ((e = rt_real.pthread_mutex_trylock(m)) == EBUSY) {
        if (late) { /* tried once more: a replay cannot tell the two wake-ups apart */
            rt_event(AU_OP_TRYFAIL, m, 0);
            return ETIMEDOUT;
        }
        int type = type_of(m);
        if (!told && (!timed || type == PTHREAD_MUTEX_ERRORCHECK_NP) && rt_mutex_mine(m)) {
            rt_event(AU_OP_LOCKERR, m, AU_LOCKERR_DOUBLE);
            if (type == PTHREAD_MUTEX_ERRORCHECK_NP)
                return EDEADLK;
            told = true; /* a normal mutex: waits for itself */
        }
        enum rt_wait_result r;
        if ((kind_of(m) & ROBUST) && rt_table_get(m) == ORPHANED) {
            e = rt_real.pthread_mutex_lock(m);
            break;
        }
        if (kind_of(m) & SHARED)
            rt_poll_wait(m, deadline, RT_WAIT_LOCK, &r);
        else
            r = rt_wait(m, deadline, RT_WAIT_LOCK);
        late = r == RT_TIMEOUT && timed;
    }
    if (!is_got(e)) {
        if (timed)
            rt_event(AU_OP_TRYFAIL, m, 0);
        return e;
    }
    got(m);
    rt_event(AU_OP_ACQ, m, timed);
    return e;
}

int rt_mutex_retake(pthread_mutex_t *m) {
    return take(m, NULL, false);
}

int rt_mutex_give(pthread_mutex_t *m) {
    bool mine = rt_mutex_mine(m);
    int e = rt_real.pthread_mutex_unlock(m);
    if (!mine || e == EPERM) {
        rt_event(AU_OP_LOCKERR, m, AU_LOCKERR_NOT_OWNER);
        return e;
    }
    if (e)
        return e;
    gave(m);
    rt_event(AU_OP_REL, m, 0);
    return 0;
}

RT_EXPORT int pthread_mutex_lock(pthread_mutex_t *m) {
    if (!rt_enter())
        return rt_omp_size ? rt_omp_mutex_lock(m) : rt_real.pthread_mutex_lock(m);
    rt_wants(m);
    rt_point();
    if (is_destroyed(m))
        return rt_leave(rt_real.pthread_mutex_lock(m));
    rt_object(m, rt_mutex_kind(m), rt_mutex_robust(m));
    return rt_leave(take(m, NULL, false));
}

RT_EXPORT int pthread_mutex_trylock(pthread_mutex_t *m) {
    if (!rt_enter())
        return rt_real.pthread_mutex_trylock(m);
    rt_point();
    if (is_destroyed(m))
        return rt_leave(rt_real.pthread_mutex_trylock(m));
    rt_object(m, rt_mutex_kind(m), rt_mutex_robust(m));
    int e = rt_real.pthread_mutex_trylock(m);
    if (e == EBUSY && (kind_of(m) & ROBUST) && rt_table_get(m) == ORPHANED)
        e = rt_real.pthread_mutex_lock(m);
    if (is_got(e)) {
        got(m);
        rt_event(AU_OP_ACQ, m, 1);
    } else {
        rt_event(AU_OP_TRYFAIL, m, 0);
    }
    return rt_leave(e);
}

static int timed(pthread_mutex_t *m, clockid_t clock, const struct timespec *when) {
    struct timespec store;
    const struct timespec *deadline;
    rt_wants(m);
    rt_point();
    if (is_destroyed(m))
        return rt_real.pthread_mutex_trylock(m);
    rt_object(m, rt_mutex_kind(m), rt_mutex_robust(m));
    if (rt_deadline_of(clock, when, &store, &deadline)) {
        /* libc looks at the time only if it has to wait, at the clock always */
        int e = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC
                    ? rt_real.pthread_mutex_trylock(m)
                    : EINVAL;
        if (is_got(e)) {
            got(m);
            rt_event(AU_OP_ACQ, m, 1);
            return e;
        }
        rt_event(AU_OP_TRYFAIL, m, 0);
        return e == EBUSY ? EINVAL : e;
    }
    return take(m, deadline, true);
}

RT_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *when) {
    if (!rt_enter())
        return rt_real.pthread_mutex_timedlock(m, when);
    return rt_leave(timed(m, CLOCK_REALTIME, when));
}

RT_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
                                      const struct timespec *when) {
    if (!rt_enter())
        return rt_real.pthread_mutex_clocklock(m, clock, when);
    return rt_leave(timed(m, clock, when));
}

RT_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m) {
    if (!rt_enter())
        return rt_real.pthread_mutex_unlock(m);
    rt_point();
    if (is_destroyed(m))
        return rt_leave(rt_real.pthread_mutex_unlock(m));
    rt_object(m, rt_mutex_kind(m), rt_mutex_robust(m));
    int e = rt_mutex_give(m);
    if (!e)
        rt_wake(m, 1);
    return rt_leave(e);
}

RT_EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a) {
    if (!rt_enter())
        return rt_real.pthread_mutex_init(m, a);
    rt_point();
    int e = rt_real.pthread_mutex_init(m, a);
    if (!e) {
        rt_table_set(m, 0);
        rt_object_init(m, rt_mutex_kind(m), rt_mutex_robust(m));
        rt_event(AU_OP_INIT, m, 0);
    }
    return rt_leave(e);
}

RT_EXPORT int pthread_mutex_destroy(pthread_mutex_t *m) {
    if (!rt_enter())
        return rt_real.pthread_mutex_destroy(m);
    rt_point();
    if (is_destroyed(m))
        return rt_leave(rt_real.pthread_mutex_destroy(m));
    rt_object(m, rt_mutex_kind(m), rt_mutex_robust(m));
    int waiting = rt_wanted(m) != 0;
    int e = rt_real.pthread_mutex_destroy(m);
    if (e == EBUSY || waiting)
        rt_event(AU_OP_LOCKERR, m, AU_LOCKERR_DESTROY);
    else if (!e)
        rt_event(AU_OP_DESTROY, m, 0);
    return rt_leave(e);
}
