/* SPDX-License-Identifier: MIT
 *
 * rt/glib.c: GLib's locks, conditions and g_once_init_enter, as mutex.c, rwlock.c, cond.c and once.c do those of pthreads:
 * the real lock is taken by trying, a thread that cannot have it waits in the scheduler. GLib itself does not come
 * here (its own calls bind inside the library), so what it locks with functions of its own stays its own; its futexes wait
 * in futex.c, under the same address. A condition is never given to GLib: waiters wait in the scheduler alone.
 *
 * GLib's threads, their ends and their data are pthreads already. A program without GLib has these functions, too, and
 * nobody calls them: they are not exported (tools/exports.sh). */
#include "rt/mem.h"
#include "rt/sync.h"

/* ---- any of the three locks -------------------------------------------------------------------- */

typedef int try_fn(void *lock);

static void take(void *l, uint8_t kind, uint8_t op, try_fn *try, enum rt_wait_kind wait) {
    rt_point();
    rt_object(l, kind, 0);
    while (!try(l))
        rt_wait(l, NULL, wait);
    rt_owner(l, 1);
    rt_event(op, l, 0);
}

static int attempt(void *l, uint8_t kind, uint8_t op, try_fn *try) {
    rt_point();
    rt_object(l, kind, 0);
    int got = try(l);
    if (got)
        rt_owner(l, 1);
    rt_event(got ? op : AU_OP_TRYFAIL, l, (uint64_t)(got != 0));
    return got;
}

static void give(void *l, uint8_t kind, void (*unlock)(void *), unsigned most) {
    rt_point();
    rt_object(l, kind, 0);
    unlock(l);
    rt_owner(l, 0);
    rt_event(AU_OP_REL, l, 0);
    rt_wake(l, most);
}

static void begin(void *l, uint8_t kind, void (*init)(void *)) {
    rt_point();
    init(l);
    rt_object_init(l, kind, 0);
    rt_event(AU_OP_INIT, l, 0);
}

static void end(void *l, uint8_t kind, void (*clear)(void *)) {
    rt_point();
    rt_object(l, kind, 0);
    clear(l);
    rt_event(AU_OP_DESTROY, l, 0);
}

#define LOCK_(name, kind, op, wait)                                                                \
    RT_EXPORT void name##_lock(void *l) {                                                          \
        if (!rt_enter()) {                                                                         \
            rt_real.name##_lock(l);                                                                \
            return;                                                                                \
        }                                                                                          \
        take(l, kind, op, rt_real.name##_trylock, wait);                                           \
        rt_leave(0);                                                                               \
    }                                                                                              \
    RT_EXPORT int name##_trylock(void *l) {                                                        \
        if (!rt_enter())                                                                           \
            return rt_real.name##_trylock(l);                                                      \
        return rt_leave(attempt(l, kind, op, rt_real.name##_trylock));                             \
    }                                                                                              \
    RT_EXPORT void name##_unlock(void *l) {                                                        \
        if (!rt_enter()) {                                                                         \
            rt_real.name##_unlock(l);                                                              \
            return;                                                                                \
        }                                                                                          \
        give(l, kind, rt_real.name##_unlock, (kind) == AU_WIRE_OBJ_RWLOCK ? RT_ALL : 1);           \
        rt_leave(0);                                                                               \
    }
#define LIFE_(name, kind)                                                                          \
    RT_EXPORT void name##_init(void *l) {                                                          \
        if (!rt_enter()) {                                                                         \
            rt_real.name##_init(l);                                                                \
            return;                                                                                \
        }                                                                                          \
        begin(l, kind, rt_real.name##_init);                                                       \
        rt_leave(0);                                                                               \
    }                                                                                              \
    RT_EXPORT void name##_clear(void *l) {                                                         \
        if (!rt_enter()) {                                                                         \
            rt_real.name##_clear(l);                                                               \
            return;                                                                                \
        }                                                                                          \
        end(l, kind, rt_real.name##_clear);                                                        \
        rt_leave(0);                                                                               \
    }

LOCK_(g_mutex, AU_WIRE_OBJ_LOCK, AU_OP_ACQ, RT_WAIT_LOCK)
LIFE_(g_mutex, AU_WIRE_OBJ_LOCK)
LOCK_(g_rec_mutex, AU_WIRE_OBJ_RLOCK, AU_OP_ACQ, RT_WAIT_LOCK)
LIFE_(g_rec_mutex, AU_WIRE_OBJ_RLOCK)
LOCK_(g_rw_lock_writer, AU_WIRE_OBJ_RWLOCK, AU_OP_WRACQ, RT_WAIT_WRLOCK)
LOCK_(g_rw_lock_reader, AU_WIRE_OBJ_RWLOCK, AU_OP_RDACQ, RT_WAIT_RDLOCK)
LIFE_(g_rw_lock, AU_WIRE_OBJ_RWLOCK)

/* ---- conditions ---------------------------------------------------------------------------------- */

/* False: its time was over. */
static int wait_on(void *c, void *m, const struct timespec *deadline) {
    rt_point();
    rt_object(c, AU_WIRE_OBJ_COND, 0);
    rt_object(m, AU_WIRE_OBJ_LOCK, 0);
    rt_real.g_mutex_unlock(m);
    rt_owner(m, 0);
    rt_event(AU_OP_REL, m, 0);
    rt_event(AU_OP_WAIT, c, deadline != NULL);
    rt_wake(m, 1);
    enum rt_wait_result r = rt_wait(c, deadline, RT_WAIT_COND);
    rt_event(AU_OP_WAKE, c, r == RT_TIMEOUT);
    take(m, AU_WIRE_OBJ_LOCK, AU_OP_ACQ, rt_real.g_mutex_trylock, RT_WAIT_LOCK);
    return r != RT_TIMEOUT;
}

RT_EXPORT void g_cond_wait(void *c, void *m) {
    if (!rt_enter()) {
        rt_real.g_cond_wait(c, m);
        return;
    }
    wait_on(c, m, NULL);
    rt_leave(0);
}

/* The time is in microseconds of the monotonic clock. */
RT_EXPORT int g_cond_wait_until(void *c, void *m, int64_t when) {
    if (!rt_enter())
        return rt_real.g_cond_wait_until(c, m, when);
    if (when < 0)
        when = 0;
    struct timespec deadline = {when / 1000000, when % 1000000 * 1000};
    return rt_leave(wait_on(c, m, &deadline));
}

RT_EXPORT void g_cond_signal(void *c) {
    if (!rt_enter()) {
        rt_real.g_cond_signal(c);
        return;
    }
    rt_point();
    rt_object(c, AU_WIRE_OBJ_COND, 0);
    rt_event(AU_OP_SIGNAL, c, 0);
    rt_wake(c, 1);
    rt_leave(0);
}

RT_EXPORT void g_cond_broadcast(void *c) {
    if (!rt_enter()) {
        rt_real.g_cond_broadcast(c);
        return;
    }
    rt_point();
    rt_object(c, AU_WIRE_OBJ_COND, 0);
    rt_event(AU_OP_BROADCAST, c, 0);
    rt_wake(c, RT_ALL);
    rt_leave(0);
}

LIFE_(g_cond, AU_WIRE_OBJ_COND)

/* ---- g_once_init_enter ------------------------------------------------------------------------------ */

/* The macro reads the word by an atomic instruction before it calls this; leave writes it likewise. That somebody is
 * at it is in the table. */
RT_EXPORT int g_once_init_enter(volatile void *where) {
    if (!rt_enter())
        return rt_real.g_once_init_enter(where);
    void *w = (void *)(uintptr_t)where;
    for (;;) {
        if (__atomic_load_n((uint64_t *)w, __ATOMIC_ACQUIRE)) {
            rt_point();
            rt_tell_atomic(AU_OP_AREAD, w, 8);
            return rt_leave(0);
        }
        if (!rt_table_get(w))
            break;
        rt_wait(w, NULL, RT_WAIT_ONCE);
    }
    rt_table_set(w, 1);
    return rt_leave(1);
}

RT_EXPORT void g_once_init_leave(volatile void *where, size_t result) {
    if (!rt_enter()) {
        rt_real.g_once_init_leave(where, result);
        return;
    }
    void *w = (void *)(uintptr_t)where;
    if (!rt_table_get(w)) { /* begun before anything was recorded */
        rt_real.g_once_init_leave(where, result);
        rt_leave(0);
        return;
    }
    rt_point();
    rt_table_set(w, 0);
    __atomic_store_n((uint64_t *)w, (uint64_t)result, __ATOMIC_RELEASE);
    rt_tell_atomic(AU_OP_AWRITE, w, 8);
    rt_wake(w, RT_ALL);
    rt_leave(0);
}
