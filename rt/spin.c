/* SPDX-License-Identifier: MIT
 *
 * rt/spin.c: spin locks. They do not spin here (the holder could not go on meanwhile)
 * but wait like mutexes. libc stores no owner: the table does. */
#include "rt/sync.h"

#include <errno.h>

/* The type is a volatile int; as a key it is just an address. */
static const void *key(pthread_spinlock_t *l) {
    return (const void *)(uintptr_t)l;
}

static void got(pthread_spinlock_t *l, int how) {
    rt_table_set(key(l), (uint64_t)rt_tid());
    rt_owner(key(l), 1);
    rt_event(AU_OP_ACQ, key(l), (uint64_t)how);
}

RT_EXPORT int pthread_spin_lock(pthread_spinlock_t *l) {
    if (!rt_enter())
        return rt_real.pthread_spin_lock(l);
    bool told = false;
    rt_wants(key(l));
    rt_point();
    rt_object(key(l), AU_WIRE_OBJ_SPIN, 0);
    while (rt_real.pthread_spin_trylock(l)) {
        uint64_t owner = rt_table_get(key(l));
        if (owner == (uint64_t)rt_tid() && !told) {
            rt_event(AU_OP_LOCKERR, key(l), AU_LOCKERR_DOUBLE);
            told = true;
        }
        enum rt_wait_result r;
        if (owner)
            rt_wait(key(l), NULL, RT_WAIT_LOCK);
        else /* somebody else's: another process */
            rt_poll_wait(key(l), NULL, RT_WAIT_LOCK, &r);
    }
    got(l, 0);
    return rt_leave(0);
}

RT_EXPORT int pthread_spin_trylock(pthread_spinlock_t *l) {
    if (!rt_enter())
        return rt_real.pthread_spin_trylock(l);
    rt_point();
    rt_object(key(l), AU_WIRE_OBJ_SPIN, 0);
    int e = rt_real.pthread_spin_trylock(l);
    if (e)
        rt_event(AU_OP_TRYFAIL, key(l), 0);
    else
        got(l, 1);
    return rt_leave(e);
}

RT_EXPORT int pthread_spin_unlock(pthread_spinlock_t *l) {
    if (!rt_enter())
        return rt_real.pthread_spin_unlock(l);
    rt_point();
    rt_object(key(l), AU_WIRE_OBJ_SPIN, 0);
    bool mine = rt_table_get(key(l)) == (uint64_t)rt_tid();
    int e = rt_real.pthread_spin_unlock(l);
    if (mine) {
        rt_owner(key(l), 0);
        rt_event(AU_OP_REL, key(l), 0);
    } else {
        rt_event(AU_OP_LOCKERR, key(l), AU_LOCKERR_NOT_OWNER);
    }
    rt_table_set(key(l), 0);
    rt_wake(key(l), 1);
    return rt_leave(e);
}

RT_EXPORT int pthread_spin_init(pthread_spinlock_t *l, int shared) {
    if (!rt_enter())
        return rt_real.pthread_spin_init(l, shared);
    rt_point();
    int e = rt_real.pthread_spin_init(l, shared);
    rt_table_set(key(l), 0);
    rt_object_init(key(l), AU_WIRE_OBJ_SPIN, 0);
    rt_event(AU_OP_INIT, key(l), 0);
    return rt_leave(e);
}

RT_EXPORT int pthread_spin_destroy(pthread_spinlock_t *l) {
    if (!rt_enter())
        return rt_real.pthread_spin_destroy(l);
    rt_point();
    rt_object(key(l), AU_WIRE_OBJ_SPIN, 0);
    if (rt_table_get(key(l)) || rt_wanted(key(l)))
        rt_event(AU_OP_LOCKERR, key(l), AU_LOCKERR_DESTROY);
    else
        rt_event(AU_OP_DESTROY, key(l), 0);
    rt_table_set(key(l), 0);
    return rt_leave(rt_real.pthread_spin_destroy(l));
}
