/* SPDX-License-Identifier: MIT
 *
 * rt/once.c: pthread_once and the guards of C++ local statics. One event a call, ONCE,
 * when the initialisation is known to be done: the first one publishes what the
 * routine wrote, the others see it. A guard's byte is also written, as an atomic, since compiled code
 * looks at it before it calls. Threads that come while it runs wait in the scheduler. The
 * routine is code of the program and runs outside of the runtime.
 *
 * There is no point before the beginning of an initialisation: it is not an event, so
 * it belongs to the event before it, and must not be parted from that by a hand-over. */
#include "rt/mem.h"
#include "rt/sched.h"
#include "rt/sync.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>

/* ---- pthread_once ---------------------------------------------------------------- */

enum { ONCE_RUNNING = 1, ONCE_DONE = 2 }; /* glibc: the two lowest bits */

static int once_state(const pthread_once_t *o) {
    return __atomic_load_n((const int *)o, __ATOMIC_ACQUIRE) & 3;
}

/* The states are glibc's, for threads that go to the C library by themselves; without its count of
 * forks, which is 0 in a recorded process. */
static void set_once(pthread_once_t *o, int state) {
    __atomic_store_n((int *)o, state, __ATOMIC_RELEASE);
    if (state != ONCE_RUNNING)
        rt_futex((uint32_t *)o, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL);
}

/* What an attempt that was given up did comes before the next one, which has an event for that. */
static const void *failed(const void *once) {
    return (const char *)once + 1;
}

/* The routine is left by an exception or cancellation: somebody else may try. */
static void give_once_up(pthread_once_t **o) {
    if (!*o)
        return;
    if (!rt_enter()) {
        set_once(*o, 0);
        return;
    }
    rt_point();
    set_once(*o, 0);
    rt_table_set(failed(*o), 1);
    rt_event(AU_SOP_BEFORE, failed(*o), 0);
    rt_wake(*o, RT_ALL);
    rt_leave(0);
}

static void run_once(pthread_once_t *o, void (*routine)(void)) {
    pthread_once_t *left __attribute__((cleanup(give_once_up))) = o;
    routine();
    left = NULL;
}

/* That it is done and the event that says so are one piece: nobody else is told to see it before. */
RT_EXPORT int pthread_once(pthread_once_t *o, void (*routine)(void)) {
    if (!rt_enter())
        return rt_real.pthread_once(o, routine);
    int state, mine = 0;
    while ((state = once_state(o)) != ONCE_DONE && !mine) {
        if (state == ONCE_RUNNING) {
            rt_wait(o, NULL, RT_WAIT_ONCE);
            continue;
        }
        if (rt_table_get(failed(o))) {
            rt_point();
            if (once_state(o))
                continue;
            rt_event(AU_SOP_AFTER, failed(o), 0);
        }
        set_once(o, ONCE_RUNNING);
        rt_leave(0);
        run_once(o, routine);
        mine = 1;
        if (!rt_enter()) {
            set_once(o, ONCE_DONE);
            return 0;
        }
    }
    rt_point();
    if (mine)
        set_once(o, ONCE_DONE);
    rt_object(o, AU_WIRE_OBJ_ONCE, 0);
    rt_event(AU_OP_ONCE, o, 0);
    if (mine)
        rt_wake(o, RT_ALL);
    return rt_leave(0);
}

/* ---- C++ guards ------------------------------------------------------------------- */

/* The Itanium ABI: the first byte of the 8 is 1 when the object is there; compilers test
 * it inline. The second byte is ours: initialisation is running. acquire returns 1 to the
 * thread that must initialise, which then calls release or (exception) abort. */
int __cxa_guard_acquire(uint64_t *g);
void __cxa_guard_release(uint64_t *g);
void __cxa_guard_abort(uint64_t *g);

static uint8_t *bytes(uint64_t *g) {
    return (uint8_t *)g;
}

/* Not recorded: the same bytes by atomics and a futex. The real ones are not used: with
 * -static-libstdc++ there are none behind ours. */
enum { GUARD_RUNNING = 0x100 };

static int plain_acquire(uint64_t *g) {
    uint32_t *word = (uint32_t *)g;
    for (;;) {
        uint32_t seen = 0;
        if (__atomic_compare_exchange_n(word, &seen, GUARD_RUNNING, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return 1;
        if (seen & 0xff)
            return 0;
        rt_real.syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    }
}

static void plain_end(uint64_t *g, uint32_t state) {
    __atomic_store_n((uint32_t *)g, state, __ATOMIC_RELEASE);
    rt_real.syscall(SYS_futex, g, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

RT_EXPORT int __cxa_guard_acquire(uint64_t *g) {
    if (!rt_enter())
        return plain_acquire(g);
    for (;;) {
        if (__atomic_load_n(&bytes(g)[0], __ATOMIC_ACQUIRE)) {
            rt_point();
            rt_object(g, AU_WIRE_OBJ_ONCE, 0);
            rt_event(AU_OP_ONCE, g, 0);
            return rt_leave(0);
        }
        if (bytes(g)[1]) {
            rt_wait(g, NULL, RT_WAIT_ONCE);
            continue;
        }
        if (!rt_table_get(failed(g)))
            break;
        rt_point();
        if (bytes(g)[0] || bytes(g)[1])
            continue;
        rt_event(AU_SOP_AFTER, failed(g), 0);
        break;
    }
    bytes(g)[1] = 1;
    return rt_leave(1);
}

RT_EXPORT void __cxa_guard_release(uint64_t *g) {
    if (!rt_enter()) {
        plain_end(g, 1);
        return;
    }
    rt_point();
    rt_object(g, AU_WIRE_OBJ_ONCE, 0);
    bytes(g)[1] = 0;
    __atomic_store_n(&bytes(g)[0], 1, __ATOMIC_RELEASE);
    rt_tell_atomic(AU_OP_AWRITE, g, 1); /* for who looks at the byte only */
    rt_event(AU_OP_ONCE, g, 0);
    rt_wake(g, RT_ALL);
    rt_leave(0);
}

RT_EXPORT void __cxa_guard_abort(uint64_t *g) {
    if (!rt_enter()) {
        plain_end(g, 0);
        return;
    }
    rt_point();
    bytes(g)[1] = 0;
    rt_table_set(failed(g), 1);
    rt_event(AU_SOP_BEFORE, failed(g), 0);
    rt_wake(g, RT_ALL);
    rt_leave(0);
}
