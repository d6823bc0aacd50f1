/* SPDX-License-Identifier: MIT
 *
 * rt/notice.c: notifications that come as a thread (SIGEV_THREAD): of timers, message queues and asynchronous input and
 * output. The C library starts that thread by itself, without a call that the runtime sees. So it gets a function of ours
 * instead, which only counts; a thread that is recorded (made where the notification is asked for) waits for the count and
 * calls the program's function. Notifications with one function and one value come one after the other.
 *
 * Who waits looks every millisecond: what arrives does so in its own time, and a program that waits for it does not stand
 * still. Arming comes before what it leads to (BEFORE, AFTER of one object for all). */
#include "rt/live.h"
#include "rt/policy.h"
#include "rt/sched.h"
#include "rt/stream.h"
#include "rt/sync.h"

#include <aio.h>
#include <errno.h>
#include <signal.h>
#include <time.h>

enum { MOST = 256 };

static struct notice {
    void (*call)(union sigval);
    union sigval value;
    uint32_t due; /* arrived, and not yet called */
} notice[MOST];
static uint32_t n_notices; /* only under the token */

/* On a thread of the C library's own, at any time. */
static void arrived(union sigval v) {
    struct notice *n = v.sival_ptr;
    __atomic_add_fetch(&n->due, 1, __ATOMIC_RELEASE);
}

/* In a replay of the recorded order calls are not made, and nothing arrives: the order says when it did. */
static int take_one(struct notice *n) {
    uint32_t due = __atomic_load_n(&n->due, __ATOMIC_ACQUIRE);
    if (due)
        __atomic_sub_fetch(&n->due, 1, __ATOMIC_RELAXED);
    return due || (rt_replaying_turns() && !rt_living());
}

static void *deliver(void *p) {
    struct notice *n = p;
    while (rt_enter()) {
        enum rt_wait_result how;
        rt_point();
        while (rt_must_wait() || !take_one(n))
            rt_poll_wait(n, NULL, RT_WAIT_SLEEP, &how);
        rt_event(AU_SOP_AFTER, &notice, 0);
        rt_leave(0);
        n->call(n->value);
    }
    return NULL;
}

/* Makes 'e' one of ours if it asks for a thread. Outside of the runtime: it may create a thread, which is a wrapper's work. */
static void take_over(struct sigevent *e) {
    if (e->sigev_notify != SIGEV_THREAD || !e->sigev_notify_function ||
        e->sigev_notify_function == arrived || !rt_self || !rt_on)
        return;
    struct notice *n = notice;
    while (n < notice + n_notices &&
           (n->call != e->sigev_notify_function || n->value.sival_ptr != e->sigev_value.sival_ptr))
        n++;
    if (n == notice + n_notices) {
        pthread_t id;
        if (n_notices == MOST)
            rt_die("more than %d different notifications by thread (SIGEV_THREAD)", MOST);
        n->call = e->sigev_notify_function;
        n->value = e->sigev_value;
        n_notices++;
        if (pthread_create(&id, e->sigev_notify_attributes, deliver, n))
            return; /* as if it had been the C library that could not */
    }
    e->sigev_notify_function = arrived;
    e->sigev_value.sival_ptr = n;
}

void rt_notice_comes(void) {
    if (!n_notices || !rt_enter())
        return;
    rt_point();
    rt_event(AU_SOP_BEFORE, &notice, 0);
    rt_leave(0);
}

/* The event stands right behind the call: nobody hears of it before. 'call' does not wait. */
#define ARM(call)                                                                                  \
    do {                                                                                           \
        if (!n_notices || !rt_enter())                                                             \
            return call;                                                                           \
        rt_point();                                                                                \
        int result = call;                                                                         \
        int error = errno;                                                                         \
        rt_event(AU_SOP_BEFORE, &notice, 0);                                                       \
        return rt_leave_errno(result, error);                                                      \
    } while (0)

RT_EXPORT int timer_create(clockid_t clock, struct sigevent *e, timer_t *id) {
    struct sigevent own;
    if (e) {
        own = *e;
        take_over(&own);
        e = &own;
    }
    return rt_real.timer_create(clock, e, id);
}

RT_EXPORT int timer_settime(timer_t id, int flags, const struct itimerspec *to,
                            struct itimerspec *was) {
    ARM(rt_real.timer_settime(id, flags, to, was));
}

RT_EXPORT int mq_notify(mqd_t q, const struct sigevent *e) {
    struct sigevent own;
    if (e) {
        own = *e;
        take_over(&own);
        e = &own;
    }
    ARM(rt_real.mq_notify(q, e));
}

/* The C library looks at a request's own event when it is done. */
RT_EXPORT int aio_read(struct aiocb *c) {
    take_over(&c->aio_sigevent);
    ARM(rt_real.aio_read(c));
}

RT_EXPORT int aio_write(struct aiocb *c) {
    take_over(&c->aio_sigevent);
    ARM(rt_real.aio_write(c));
}

RT_EXPORT int aio_fsync(int how, struct aiocb *c) {
    take_over(&c->aio_sigevent);
    ARM(rt_real.aio_fsync(how, c));
}

RT_EXPORT int lio_listio(int mode, struct aiocb *const list[], int n, struct sigevent *e) {
    struct sigevent own;
    for (int i = 0; i < n; i++)
        if (list[i])
            take_over(&list[i]->aio_sigevent);
    if (e) {
        own = *e;
        take_over(&own);
        e = &own;
    }
    if (mode == LIO_WAIT)
        return rt_real.lio_listio(mode, list, n, e);
    ARM(rt_real.lio_listio(mode, list, n, e));
}

/* The same on x86-64, whatever the size of offsets in the program. */
RT_EXPORT int aio_read64(struct aiocb64 *c) {
    return aio_read((struct aiocb *)(void *)c);
}
RT_EXPORT int aio_write64(struct aiocb64 *c) {
    return aio_write((struct aiocb *)(void *)c);
}
RT_EXPORT int aio_fsync64(int how, struct aiocb64 *c) {
    return aio_fsync(how, (struct aiocb *)(void *)c);
}
RT_EXPORT int lio_listio64(int mode, struct aiocb64 *const list[], int n, struct sigevent *e) {
    return lio_listio(mode, (struct aiocb *const *)(const void *)list, n, e);
}
