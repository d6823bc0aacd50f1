/* SPDX-License-Identifier: MIT
 *
 * rt/thread.c: threads. Every thread runs on a stack of ours, in a slot whose address
 * depends only on the order of creations and ends that the scheduler saw; to the C
 * library every thread is joinable, and a detached one is joined when its slot is used
 * again. A thread ends in the last round of its key destructors: our key has the highest
 * number, so that it comes last in every round. */
#include "rt/arena.h"
#include "rt/mem.h"
#include "rt/omp.h"
#include "rt/policy.h"
#include "rt/start.h"
#include "rt/stream.h"
#include "rt/sync.h"
#include "wire/wire.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))
#define SLOT (UINT64_C(16) << 20)
#define SLOTS 65536u
#define SLOT_CLASSES 12u /* a slot of class c has SLOT << c bytes */
#define GUARD 4096u
#define ALTSTACK 32768u
#define ALL UINT32_MAX

static struct rt_thread *thread; /* by number; never used again */
static uint32_t n_threads;       /* 1 + the highest number */
static pthread_key_t last_key;
static struct rt_thread *slot_owner[SLOTS]; /* by the first 16 MB of the slot */
static uint64_t slots_top;                  /* in units of SLOT */
static struct {
    struct rt_thread *head, *tail; /* dead threads in the order their slots became free */
} slot_free[SLOT_CLASSES];

static void key_destructor(void *p);

void rt_thread_start(void) {
    /* All keys, then all but the last given back: the others keep their usual numbers. */
    pthread_key_t key[PTHREAD_KEYS_MAX];
    unsigned n = 0;
    while (n < PTHREAD_KEYS_MAX && pthread_key_create(&key[n], key_destructor) == 0)
        n++;
    if (!n)
        return;
    last_key = key[--n];
    while (n)
        pthread_key_delete(key[--n]);
}

struct rt_thread *rt_thread_of(uint32_t number) {
    return number < n_threads && thread[number].born ? &thread[number] : NULL;
}

static const struct au_birth *births(void) {
    return (const void *)((const char *)rt_control + rt_control->births_offset);
}

/* The number of the next child of the calling thread. */
static uint32_t next_number(void) {
    struct rt_thread *parent = rt_hot.self;
    uint64_t n = parent ? rt_control->n_births : 0;
    uint32_t free_number = n_threads;
    const struct au_birth *b = births();
    for (uint64_t i = n ? parent->birth_at : 0; i < n; i++)
        if (b[i].parent == parent->number) {
            parent->birth_at = i + 1;
            if (b[i].child < AU_WIRE_MAX_THREADS && !rt_thread_of(b[i].child))
                return b[i].child;
        }
    for (uint64_t i = 0; i < n; i++) /* one that the recorded run did not have */
        if (b[i].child >= free_number)
            free_number = b[i].child + 1;
    return free_number;
}

struct rt_thread *rt_thread_new(void) {
    if (!thread) {
        thread = mmap(NULL, AU_WIRE_MAX_THREADS * sizeof *thread, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (thread == MAP_FAILED)
            rt_die("no memory for the table of threads");
        rt_real.pthread_setspecific(last_key, &thread[0]);
    }
    uint32_t number = next_number();
    if (number >= AU_WIRE_MAX_THREADS)
        rt_die("the program started more than %u threads: a trace cannot hold more",
               AU_WIRE_MAX_THREADS);
    struct rt_thread *t = &thread[number];
    t->number = number;
    t->born = 1;
    if (n_threads <= number)
        n_threads = number + 1;
    rt_control->threads = n_threads;
    return t;
}

/* ---- stacks ---- */

static unsigned slot_class(size_t size) {
    unsigned c = 0;
    while (c + 1 < SLOT_CLASSES && (SLOT << c) < size + GUARD + ALTSTACK)
        c++;
    return c;
}

static struct rt_thread **owner_of(const void *address) {
    uint64_t a = (uint64_t)(uintptr_t)address;
    if (a < RT_STACKS_BASE || a - RT_STACKS_BASE >= SLOTS * SLOT)
        return NULL;
    return &slot_owner[(a - RT_STACKS_BASE) / SLOT];
}

static struct rt_thread *slot_from; /* who had the slot that was taken last; NULL: nobody */

/* Gives t a slot; 0: no address space. */
static int slot_take(struct rt_thread *t, size_t size) {
    unsigned c = slot_class(size);
    struct rt_thread *dead = slot_free[c].head;
    uint64_t low;
    slot_from = dead;
    if (dead) {
        slot_free[c].head = dead->slot_next;
        if (!dead->joined) { /* detached: the kernel must be done with its stack */
            rt_real.pthread_join(dead->handle, NULL);
            dead->joined = 1;
            rt_arena_settle(dead);
        }
        low = dead->slot;
    } else {
        uint64_t n = UINT64_C(1) << c;
        if (slots_top + n > SLOTS)
            return 0;
        low = RT_STACKS_BASE + slots_top * SLOT;
        void *p = mmap(
            (void *)(uintptr_t)low, SLOT << c, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | MAP_FIXED_NOREPLACE, -1, 0);
        if (p == MAP_FAILED)
            return 0;
        mprotect((char *)p + ALTSTACK, GUARD, PROT_NONE);
        slots_top += n;
    }
    t->slot = low;
    t->slot_class = (uint8_t)c;
    /* alternative stack for crashes, guard page, stack */
    t->stack_size = (size + 4095) & ~(size_t)4095;
    t->stack = (void *)(uintptr_t)(low + (SLOT << c) - t->stack_size);
    for (uint64_t i = 0; i < UINT64_C(1) << c; i++)
        *owner_of((void *)(uintptr_t)(low + i * SLOT)) = t;
    return 1;
}

/* The slot that t has just taken is as it was before. */
static void slot_return(struct rt_thread *t) {
    unsigned c = t->slot_class;
    for (uint64_t i = 0; i < UINT64_C(1) << c; i++)
        *owner_of((void *)(uintptr_t)(t->slot + i * SLOT)) = slot_from;
    if (!slot_from) {
        slots_top -= UINT64_C(1) << c;
        munmap((void *)(uintptr_t)t->slot, SLOT << c);
        return;
    }
    if (!slot_free[c].head)
        slot_free[c].tail = slot_from;
    slot_from->slot_next = slot_free[c].head;
    slot_free[c].head = slot_from;
}

/* It could not be made: its number and its slot are for the next one. */
static void unborn(struct rt_thread *t) {
    uint32_t number = t->number;
    struct rt_thread *parent = rt_hot.self;
    if (t->slot)
        slot_return(t);
    *t = (struct rt_thread){0};
    if (rt_control->n_births && parent->birth_at && births()[parent->birth_at - 1].child == number)
        parent->birth_at--;
    while (n_threads && !thread[n_threads - 1].born)
        n_threads--;
    rt_control->threads = n_threads;
}

static void slot_release(struct rt_thread *t) {
    if (!t->slot)
        return; /* the program's own stack */
    t->slot_next = NULL;
    if (slot_free[t->slot_class].head)
        slot_free[t->slot_class].tail->slot_next = t;
    else
        slot_free[t->slot_class].head = t;
    slot_free[t->slot_class].tail = t;
}

struct rt_thread *rt_thread_find(pthread_t handle) {
    struct rt_thread **o = owner_of((void *)(uintptr_t)handle);
    if (o && *o && pthread_equal((*o)->handle, handle))
        return *o;
    for (uint32_t i = n_threads; i--;)
        if (thread[i].born && !thread[i].joined && pthread_equal(thread[i].handle, handle))
            return &thread[i];
    return NULL;
}

int rt_is_alone(void) {
    for (uint32_t i = 0; i < n_threads; i++)
        if (thread[i].born && thread[i].state != RT_DEAD && &thread[i] != rt_hot.self)
            return 0;
    return 1;
}

/* ---- life of a thread ---- */

static void key_destructor(void *p) {
    struct rt_thread *t = p;
    if (!rt_on || t != rt_self)
        return;
    if (++t->rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        rt_real.pthread_setspecific(last_key, t);
        return;
    }
    t->omp = 0;
    if (!rt_enter())
        return;
    rt_point();
    t->call = NULL;
    t->call_events = 0;
    rt_mutex_thread_end();
    rt_event(AU_OP_EXIT, NULL, 0);
    rt_wake(t, ALL);
    if (t->detached)
        slot_release(t);
    sigset_t all;
    sigfillset(&all);
    rt_real.pthread_sigmask(SIG_SETMASK, &all, NULL);
    rt_thread_end(t);
}

static void *trampoline(void *p) {
    struct rt_thread *t = p;
    rt_self = t;
    t->inside = 1;
    rt_real.pthread_setspecific(last_key, t);
    rt_real.pthread_sigmask(SIG_SETMASK, &t->mask, NULL);
    if (t->slot) {
        stack_t alt = {.ss_sp = (void *)(uintptr_t)t->slot, .ss_size = ALTSTACK};
        sigaltstack(&alt, NULL);
    }
    rt_thread_begin(t);
    t->quiet = 0;
    if (t->omp)
        t->stolen = 1; /* later: the turn in which libomp begins need not have an event */
    else
        rt_commit(); /* its first hook looks at rt_hot.prev, which is another thread's until then */
    t->inside = 0;
    t->away = RT_AWAY;
    return t->entry(t->argument);
}

/* The system has no room for another thread; in a replay it has none again. */
static int not_made(uint32_t number, int e) {
    char text[200];
    uint64_t now = rt_now(rt_hot.self);
    snprintf(text, sizeof text, "thread %u could not be created: %s", number, strerror(e));
    rt_note(AU_NOTE_TEXT, text);
    rt_log_input(AU_INPUT_FAILED, e, 0, &now, sizeof now);
    return e;
}

EXPORT int pthread_create(pthread_t *out, const pthread_attr_t *attr, void *(*entry)(void *),
                          void *argument) {
    uint8_t omp = rt_omp_size && rt_self && rt_omp_calls(rt_self);
    if (!rt_enter_omp())
        return rt_real.pthread_create(out, attr, entry, argument);
    rt_point();
    int failed = rt_failure_due(rt_hot.self, rt_now(rt_hot.self));
    if (failed)
        return rt_leave(not_made(n_threads, failed));
    pthread_attr_t a;
    void *own_stack = NULL;
    size_t size = 0;
    int detached = PTHREAD_CREATE_JOINABLE;
    if (attr) {
        a = *attr;
        pthread_attr_getstack(attr, &own_stack, &size);
        if ((uintptr_t)own_stack == -(uintptr_t)size) /* only a size was set */
            own_stack = NULL;
        pthread_attr_getdetachstate(attr, &detached);
    } else {
        pthread_attr_init(&a);
    }
    if (!own_stack)
        pthread_attr_getstacksize(&a, &size);
    struct rt_thread *t = rt_thread_new();
    t->entry = entry;
    t->argument = argument;
    t->omp = t->quiet = omp;
    t->detached = detached == PTHREAD_CREATE_DETACHED;
    if (own_stack) {
        t->stack = own_stack;
        t->stack_size = size;
    } else if (!slot_take(t, size)) {
        rt_die("no room for the stack of thread %u (%zu bytes): more threads alive than a "
               "recording supports",
               t->number, size);
    }
    pthread_attr_setstack(&a, t->stack, t->stack_size);
    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_JOINABLE);
    /* No signal before the thread knows who it is. */
    sigset_t all;
    sigfillset(&all);
    rt_real.pthread_sigmask(SIG_SETMASK, &all, &t->mask);
    int e = rt_real.pthread_create(&t->handle, &a, trampoline, t);
    rt_real.pthread_sigmask(SIG_SETMASK, &t->mask, NULL);
    if (e) {
        uint32_t number = t->number;
        unborn(t);
        return rt_leave(not_made(number, e));
    }
    *out = t->handle;
    rt_patch(out, sizeof *out);
    bool hooks = rt_code_has_hooks((void *)(uintptr_t)entry);
    t->foreign = !hooks && !rt_code_calls_back((void *)(uintptr_t)entry);
    rt_log_thread(t);
    rt_event(AU_OP_FORK, (void *)(uintptr_t)t->number, !hooks);
    rt_thread_ready(t);
    return rt_leave(0);
}

/* As libc says it: what is left of a thread that was joined, or was detached and has ended, is free. */
static int is_gone(const struct rt_thread *t) {
    return !t || t->joined || (t->detached && t->state == RT_DEAD);
}

/* What is wrong with joining t, and what libc says to it; 0: nothing. */
static int wrong_join(const struct rt_thread *t, uint64_t *why) {
    if (is_gone(t)) {
        *why = t && t->detached ? AU_LOCKERR_JOIN_DETACHED : AU_LOCKERR_JOINED;
        return ESRCH;
    }
    if (t->detached) {
        *why = AU_LOCKERR_JOIN_DETACHED;
        return EINVAL;
    }
    if (t == rt_hot.self) {
        *why = AU_LOCKERR_JOIN_ITSELF;
        return EDEADLK;
    }
    *why = AU_LOCKERR_JOINED;
    return t->joiner && t->joiner != rt_hot.self ? EINVAL : 0;
}

static void tell_misuse(const struct rt_thread *t, uint64_t why) {
    rt_event(AU_OP_LOCKERR, (void *)(uintptr_t)(t ? t->number + 1 : 0), why);
}

static int join_it(struct rt_thread *t, void **result, const struct timespec *deadline, int try) {
    while ((!try && rt_must_wait()) || t->state != RT_DEAD) {
        if (try)
            return EBUSY;
        if (rt_wait(t, deadline, RT_WAIT_JOIN) == RT_TIMEOUT && t->state != RT_DEAD)
            return ETIMEDOUT;
        t->joiner = NULL;
        rt_cancel_point();
        t->joiner = rt_hot.self;
    }
    int e = rt_real.pthread_join(t->handle, result);
    t->joined = 1;
    rt_arena_settle(t);
    slot_release(t);
    if (result)
        rt_patch(result, sizeof *result);
    rt_event(AU_OP_JOIN, (void *)(uintptr_t)t->number, 0);
    return e;
}

static int join(pthread_t handle, void **result, const struct timespec *deadline, int try) {
    struct rt_thread *t = rt_thread_find(handle);
    uint64_t why;
    bool mine = !wrong_join(t, &why);
    if (mine) /* before the point, so that it is the same in a replay (rt_wants) */
        t->joiner = rt_hot.self;
    rt_point();
    int e = wrong_join(t, &why);
    if (e) {
        tell_misuse(t, why);
    } else {
        if (mine)
            t->joiner = NULL;
        rt_cancel_point();
        t->joiner = rt_hot.self;
        e = join_it(t, result, deadline, try);
    }
    if (t && t->joiner == rt_hot.self)
        t->joiner = NULL;
    return e && try && e != EBUSY ? EBUSY : e;
}

EXPORT int pthread_join(pthread_t handle, void **result) {
    if (!rt_enter())
        return rt_omp_size ? rt_omp_join(handle, result) : rt_real.pthread_join(handle, result);
    return rt_leave(join(handle, result, NULL, 0));
}

EXPORT int pthread_tryjoin_np(pthread_t handle, void **result) {
    if (!rt_enter())
        return rt_real.pthread_tryjoin_np(handle, result);
    return rt_leave(join(handle, result, NULL, 1));
}

EXPORT int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock,
                                const struct timespec *when) {
    if (!rt_enter())
        return rt_real.pthread_clockjoin_np(handle, result, clock, when);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return rt_leave(EINVAL);
    struct timespec deadline;
    if (when)
        rt_deadline(clock, when, &deadline);
    return rt_leave(join(handle, result, when ? &deadline : NULL, 0));
}

EXPORT int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *when) {
    if (!rt_enter())
        return rt_real.pthread_timedjoin_np(handle, result, when);
    struct timespec deadline;
    if (when)
        rt_deadline(CLOCK_REALTIME, when, &deadline);
    return rt_leave(join(handle, result, when ? &deadline : NULL, 0));
}

EXPORT int pthread_detach(pthread_t handle) {
    if (!rt_enter())
        return rt_real.pthread_detach(handle);
    struct rt_thread *t = rt_thread_find(handle);
    rt_point();
    if (is_gone(t) || t->detached) {
        tell_misuse(t, AU_LOCKERR_DETACHED);
        return rt_leave(is_gone(t) ? ESRCH : EINVAL);
    }
    if (t->joiner) { /* libc: nothing happens, who joins it goes on to do so */
        tell_misuse(t, AU_LOCKERR_DETACHED);
        return rt_leave(0);
    }
    t->detached = 1;
    if (t->state == RT_DEAD)
        slot_release(t);
    rt_event(AU_OP_DETACH, (void *)(uintptr_t)t->number, 0);
    return rt_leave(0);
}

static void log_name(const struct rt_thread *t, const char *name, size_t n) {
    char text[sizeof t->number + 16];
    rt_commit();
    memcpy(text, &t->number, sizeof t->number);
    memcpy(text + sizeof t->number, name, n); /* at most 15 */
    rt_log_text(AU_NOTE_NAMED, text, sizeof t->number + n);
}

/* Of what it does, the name of the calling thread is told; the kernel cuts it. */
EXPORT int prctl(int option, ...) {
    unsigned long a[4];
    va_list ap;
    va_start(ap, option);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(ap, unsigned long);
    va_end(ap);
    if (option != PR_SET_NAME || !rt_enter())
        return rt_real.prctl(option, a[0], a[1], a[2], a[3]);
    const char *name = (const char *)a[0];
    int e = rt_real.prctl(option, a[0], a[1], a[2], a[3]);
    if (!e) {
        size_t n = 0;
        while (n < 15 && name[n])
            n++;
        log_name(rt_self, name, n);
    }
    return rt_leave(e);
}

/* A name that the kernel takes; of another thread, too. */
EXPORT int pthread_setname_np(pthread_t handle, const char *name) {
    if (!rt_enter())
        return rt_real.pthread_setname_np(handle, name);
    const struct rt_thread *t = rt_thread_find(handle);
    size_t n = 0;
    while (name[n])
        n++;
    int e = is_gone(t) ? ESRCH : rt_real.pthread_setname_np(handle, name);
    if (!e) /* longer ones are refused */
        log_name(t, name, n);
    rt_tell(AU_SOP_RREAD, name, n + 1);
    return rt_leave(e);
}

/* ---- cancellation: at our points, by our own flag ---- */

void rt_cancel_point(void) {
    struct rt_thread *t = rt_hot.self;
    if (!t->cancelled || t->cancel_off)
        return;
    t->cancel_off = 1;
    rt_leave(0);
    rt_real.pthread_exit(PTHREAD_CANCELED);
}

EXPORT int pthread_cancel(pthread_t handle) {
    if (!rt_enter())
        return rt_real.pthread_cancel(handle);
    struct rt_thread *t = rt_thread_find(handle);
    if (is_gone(t)) {
        rt_point();
        tell_misuse(t, AU_LOCKERR_CANCELLED);
        return rt_leave(t ? 0 : ESRCH); /* libc: of what is left of a thread nobody asks */
    }
    t->cancelled = 1;
    if (t == rt_hot.self && t->cancel_async)
        rt_cancel_point();
    rt_interrupt(t);
    return rt_leave(0);
}

EXPORT int pthread_setcancelstate(int state, int *old) {
    if (!rt_enter())
        return rt_real.pthread_setcancelstate(state, old);
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
        return rt_leave(EINVAL);
    struct rt_thread *t = rt_hot.self;
    if (old)
        *old = t->cancel_off ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    t->cancel_off = state == PTHREAD_CANCEL_DISABLE;
    return rt_leave(0);
}

EXPORT int pthread_setcanceltype(int type, int *old) {
    if (!rt_enter())
        return rt_real.pthread_setcanceltype(type, old);
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
        return rt_leave(EINVAL);
    struct rt_thread *t = rt_hot.self;
    if (old)
        *old = t->cancel_async ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
    t->cancel_async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
    return rt_leave(0);
}

EXPORT void pthread_testcancel(void) {
    if (!rt_enter()) {
        rt_real.pthread_testcancel();
        return;
    }
    rt_point();
    rt_cancel_point();
    rt_leave(0);
}
