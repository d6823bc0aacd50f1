/* SPDX-License-Identifier: MIT
 *
 * rt/rt.h: inside the runtime. Files: start.c (control memory, start, end, crash),
 * stream.c (the ring, records), hooks.c (the fast paths), sched.c (token, turns,
 * waiting), thread.c (create, join, exit, stacks), arena.c (malloc), signal.c,
 * watch.c (watchdog), real.c (the C library's own functions), and the wrappers:
 * mutex.c, rwlock.c, cond.c, sem.c, barrier.c, c11.c, futex.c, sleep.c, io.c, input.c.
 *
 * The rule of the token: code of the program runs only while its thread holds the
 * token; everything in hot, the stream, the arena and the scheduler's tables belongs to
 * the holder and needs no atomics. Only a thread that comes back from a detached
 * call, the watchdog and signal handlers touch the scheduler from outside (sched.c,
 * under its lock). */
#ifndef AUGUR_RT_H
#define AUGUR_RT_H

#include "rt/hooks.h"
#include "wire/control.h"
#include "wire/wire.h"

#include <stddef.h>
#include <time.h>

/* The C library's own functions, found with dlsym(RTLD_NEXT) at start (real.c). */
#include "rt/real.h"

/* Everything of the runtime lies in one section, so that a signal handler can tell whether
 * it interrupted the runtime or the program; and nothing is reached through the GOT. */
#pragma clang section text = "augur_text"
#pragma GCC visibility push(hidden)

/* The address space (x86-64, 47 bits). shadow = address ^ RT_SHADOW_XOR is one to one
 * and apart for programs (below 2^40, PIE at 0x5555…, libraries and stacks at 0x7…). */
#define RT_SHADOW_XOR UINT64_C(0x500000000000)
#define RT_ARENA_BASE UINT64_C(0x700000000000)
#define RT_STACKS_BASE UINT64_C(0x760000000000)
#define RT_CONTROL_BASE UINT64_C(0x780000000000)

/* What the fast paths touch, one cache line. */
struct rt_hot {
    uint64_t on;            /* recording or replaying, and not inside AUGUR_IGNORE */
    int64_t budget;         /* events the holder may still execute in this turn; 0: ask */
    struct au_site *prev;   /* the last site of the thread that is in the stream */
    int64_t mark;           /* budget at the last record: mark - budget expected events since */
    uint8_t *out, *limit;   /* the begun chunk */
    uint64_t bits;          /* branch outcomes, the first one lowest, above a leading 1 */
    struct rt_thread *self; /* the holder */
};
extern struct rt_hot rt_hot;

struct rt_thread; /* sched.h */

/* Wrappers. Shape of every one:
 *
 *   int pthread_mutex_lock(pthread_mutex_t *m) {
 *       if (!rt_enter())                     // off, unknown thread, or inside the runtime
 *           return rt_real.pthread_mutex_lock(m);
 *       rt_object(m, AU_WIRE_OBJ_LOCK, 0);   // tells its kind once
 *       rt_point();                          // the token may move here
 *       while ((e = rt_real.pthread_mutex_trylock(m)) == EBUSY)
 *           rt_wait(m, NULL, RT_WAIT_LOCK);  // hands the token over
 *       rt_event(AU_OP_ACQ, m, 0);
 *       return rt_leave(e);                  // keeps errno
 *   }
 *
 * The location of the event is that of the last __augur_xcall of this thread. */
extern uint32_t rt_on; /* recording or replaying */
int rt_enter_on(void);
/* A program that is not recorded pays no more than this. */
static inline int rt_enter(void) {
    return __builtin_expect(rt_on != 0, 0) && rt_enter_on();
}
int rt_leave(int result);
/* The same with errno as the wrapper wants it. */
int rt_leave_errno(int result, int error);
/* May hand the token over; returns holding it. Before every event. */
void rt_point(void);
/* sched_yield and kin: hands the token over if anybody else wants it. */
void rt_yield(void);
/* Counts and logs one event at the thread's current call site. */
void rt_event(uint8_t op, const void *object, uint64_t value);
void rt_event_len(uint8_t op, const void *object, uint64_t value, uint64_t len);
/* Tells kind and initial count if this address was not told before; _init: always. */
void rt_object(const void *object, uint8_t kind, int32_t init);
void rt_object_init(const void *object, uint8_t kind, int32_t init);
int rt_object_known(const void *object);

/* Waiting: the thread gives the token up until somebody wakes the key, the deadline
 * (CLOCK_MONOTONIC, NULL: none) passes, or a replayed schedule gives it the turn. It holds the
 * token again on return. WOKEN says only that it is worth trying again. kind is for
 * messages ("waits for mutex m held by T1") and for deadlock detection. */
enum rt_wait_kind {
    RT_WAIT_LOCK,
    RT_WAIT_RDLOCK,
    RT_WAIT_WRLOCK,
    RT_WAIT_COND,
    RT_WAIT_SEM,
    RT_WAIT_BARRIER,
    RT_WAIT_JOIN,
    RT_WAIT_ONCE,
    RT_WAIT_FUTEX,
    RT_WAIT_SLEEP,
    RT_WAIT_KERNEL
};
enum rt_wait_result { RT_WOKEN, RT_TIMEOUT, RT_SPURIOUS };
enum rt_wait_result rt_wait(const void *key, const struct timespec *deadline,
                            enum rt_wait_kind kind);
/* Replay: a signal struck this thread here while it waited. It must wait (rt_wait runs the
 * handler and returns RT_SPURIOUS), even if by now it would not have to. */
int rt_must_wait(void);
/* Makes waiters of key runnable, in the order they came; returns how many. */
unsigned rt_wake(const void *key, unsigned most);
unsigned rt_waiting(const void *key); /* how many wait */
/* Before the point of a call that may wait for key. A replay may hold a thread at that point which had come to its
 * wait in the recorded run: who asks whether others wait for key asks this, which is the same in both. */
void rt_wants(const void *key);
unsigned rt_wanted(const void *key);           /* by how many others */
void rt_owner(const void *lock, int acquired); /* who holds what, for messages */

/* An absolute time of another clock as a deadline. */
void rt_deadline(clockid_t clock, const struct timespec *when, struct timespec *deadline);
/* First thing after rt_enter in functions that are cancellation points, and after a wait
 * in them: does not return if the thread was cancelled. */
void rt_cancel_point(void);

/* Blocking calls into the kernel: between detach and attach other threads run. */
void rt_detach(void);
void rt_attach(void);

/* Inputs from outside. Recording: logs them. Replaying: input_replay fills result, errno and at most
 * cap bytes from the trace and returns 1 (then the real call is not made), or 0 where there
 * is no input left (the replay went beyond the recorded run: call the real one). */
void rt_input(uint8_t kind, int64_t result, const void *bytes, size_t n);
int rt_input_replay(uint8_t kind, int64_t *result, void *bytes, size_t cap, size_t *n);
/* The same without writing it into the stream again: for who answers something else in the end. *kind
 * gets AU_INPUT_INSIDE if the record has it. */
int rt_input_take(uint8_t *kind, int64_t *result, void *bytes, size_t cap, size_t *n);
/* Of the record that was taken last: errno of a failure, else the digest of what may have caused it
 * (cause.h). rt_input_caused logs one with it. */
extern uint32_t rt_taken_cause;
enum rt_then { RT_NOTHING, RT_LIKEWISE, RT_OTHERWISE };
/* What was answered in the recording from inside of the family, after the same cause: this, or only else. */
enum rt_then rt_input_then(uint8_t kind, int64_t result, uint32_t cause, const void *bytes,
                           size_t n);
void rt_input_caused(uint8_t kind, int64_t result, uint32_t cause, const void *bytes, size_t n);
int rt_replaying(void);

/* A note in the trace and, with AUGUR-wide prefix, on stderr. */
void rt_note(uint8_t kind, const char *text);
/* Everything out, then the end record. Safe in signal handlers. */
void rt_finish(uint8_t why, int64_t status);
_Noreturn void rt_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#pragma GCC visibility pop
#endif
