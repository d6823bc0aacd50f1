/* SPDX-License-Identifier: MIT
 *
 * rt/sched.c: the token. See sched.h for how a turn is handed over.
 *
 * What a lock protects: 'lock' guards states, the ready list, the buckets of waiters and
 * rt_hot.self. The holder takes it to hand over; threads that come back from the kernel,
 * timed waiters and the watchdog take it from outside.
 *
 * A timed waiter whose time is over stays in its bucket until it is given the token:
 * who is woken by a signal then depends on the order of turns alone, and a replay that
 * knows only the turns does the same. */
#include "rt/sched.h"
#include "rt/live.h"
#include "rt/omp.h"
#include "rt/policy.h"
#include "rt/signal.h"
#include "rt/stream.h"
#include "rt/times.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

__thread struct rt_thread *rt_self;
uint32_t rt_on;
struct au_control *rt_control;
struct rt_hot rt_hot;

static uint32_t lock_word;
static int process;
static uint32_t rt_cancels; /* somebody is to be cancelled in a blocking call */
uint32_t rt_no_membarrier;
static struct rt_thread *ready_head, *ready_tail;
static unsigned n_ready, n_detached, n_timed, n_waiting;
static struct rt_thread *wanted; /* replay: the turn is its own once it is back */

#define BUCKETS 1024u
static struct { struct rt_thread *head, *tail; } bucket[BUCKETS];

static unsigned bucket_of(const void *key) {
    uint64_t k = (uint64_t)(uintptr_t)key;
    return (unsigned)((k * UINT64_C(0x9e3779b97f4a7c15)) >> 54);
}

long rt_futex(uint32_t *word, int op, uint32_t value, const struct timespec *deadline) {
    long r;
    register long r10 __asm__("r10") = (long)deadline;
    register long r8 __asm__("r8") = 0;
    register long r9 __asm__("r9") = FUTEX_BITSET_MATCH_ANY;
    __asm__ volatile("syscall"
                     : "=a"(r)
                     : "a"(SYS_futex), "D"(word), "S"((long)op), "d"((long)value), "r"(r10),
                       "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return r;
}

static long rt_membarrier(int command) {
    long r;
    __asm__ volatile("syscall"
                     : "=a"(r)
                     : "a"(SYS_membarrier), "D"((long)command), "S"(0L), "d"(0L)
                     : "rcx", "r11", "memory");
    return r;
}

static void rt_tgkill(int tid, int sig) {
    long r;
    __asm__ volatile("syscall"
                     : "=a"(r)
                     : "a"(SYS_tgkill), "D"((long)process), "S"((long)tid), "d"((long)sig)
                     : "rcx", "r11", "memory");
}

static void lock(void) {
    rt_word_lock(&lock_word);
}

static void unlock(void) {
    rt_word_unlock(&lock_word);
}

/* ---- lists, under the lock ---- */

static void ready_add(struct rt_thread *t) {
    if (t->is_ready)
        return;
    t->is_ready = 1;
    t->ready_next = NULL;
    t->ready_prev = ready_tail;
    if (ready_tail)
        ready_tail->ready_next = t;
    else
        ready_head = t;
    ready_tail = t;
    n_ready++;
}

static void ready_remove(struct rt_thread *t) {
    if (!t->is_ready)
        return;
    t->is_ready = 0;
    if (t->ready_prev)
        t->ready_prev->ready_next = t->ready_next;
    else
        ready_head = t->ready_next;
    if (t->ready_next)
        t->ready_next->ready_prev = t->ready_prev;
    else
        ready_tail = t->ready_prev;
    n_ready--;
}

static void wait_add(struct rt_thread *t) {
    unsigned b = bucket_of(t->key);
    t->wait_next = NULL;
    t->wait_prev = bucket[b].tail;
    if (bucket[b].tail)
        bucket[b].tail->wait_next = t;
    else
        bucket[b].head = t;
    bucket[b].tail = t;
    n_waiting++;
    if (t->has_deadline)
        n_timed++;
}

static void wait_remove(struct rt_thread *t) {
    unsigned b = bucket_of(t->key);
    if (t->wait_prev)
        t->wait_prev->wait_next = t->wait_next;
    else
        bucket[b].head = t->wait_next;
    if (t->wait_next)
        t->wait_next->wait_prev = t->wait_prev;
    else
        bucket[b].tail = t->wait_prev;
    n_waiting--;
    if (t->has_deadline)
        n_timed--;
}

struct rt_thread *rt_ready_first(void) {
    return ready_head;
}

unsigned rt_ready_count(void) {
    return n_ready;
}

unsigned rt_detached_count(void) {
    return n_detached;
}

int rt_turn_spent(const struct rt_thread *from) {
    return from->state == RT_READY && rt_turn_why == AU_TURN_BUDGET;
}

/* ---- giving and taking ---- */

/* What must not run on to the end of the budget without asking. */
static void cut(void) {
    struct rt_thread *t = rt_hot.self;
    if (t->ignore || (t->pending_signals & ~t->blocked_signals)) { /* held ones, too */
        rt_cut_budget(0);
    } else if (rt_replaying_turns()) {
        uint64_t at = rt_signal_next(t), now = rt_now(t);
        if (at != UINT64_MAX)
            rt_cut_budget(at > now ? (int64_t)(at - now) : 0);
    }
}

static void uncut(void) {
    struct rt_thread *t = rt_hot.self;
    rt_hot.budget += (int64_t)t->cut;
    rt_hot.mark += (int64_t)t->cut;
    t->until += t->cut;
    t->cut = 0;
}

void rt_cover(void) {
    uncut();
    rt_hot.on = rt_hot.self->ignore == 0;
    cut();
}

/* t gets the token: its turn begins. Under the lock. */
static void take(struct rt_thread *t) {
    ready_remove(t);
    if (t->state == RT_WAITING) { /* its time is over, or a replayed schedule says so */
        wait_remove(t);
        t->wait_result = rt_policy_wait_result(t);
    }
    t->state = RT_RUNNING;
    rt_hot.self = t;
    rt_stream_budget(rt_policy_budget(t));
    t->until = t->events + (uint64_t)rt_hot.budget;
    rt_hot.on = t->ignore == 0;
    cut();
}

static int nobody_can_run(void) {
    return n_waiting && !n_ready && !n_detached && !n_timed;
}

/* Waiters for the kernel are asked again whenever somebody else did something: it may have been what
 * they wait for. Under the lock. */
const char rt_kernel;
static void ask_again(void) {
    for (struct rt_thread *t = bucket[bucket_of(&rt_kernel)].head, *next; t; t = next) {
        next = t->wait_next;
        if (t->key != &rt_kernel || t->asked == rt_control->events)
            continue;
        wait_remove(t);
        t->wait_result = RT_WOKEN;
        t->state = RT_READY;
        ready_add(t);
    }
}

/* --for: the time is over. */
static uint32_t stopping;

static _Noreturn void stop_here(void) {
    rt_finish(AU_END_LIMIT, 0);
    rt_quit(0);
}

/* The holder t stops running; t->state is what it becomes. Gives the token to the next
 * thread if there is one. Under the lock; returns whom to wake. */
static struct rt_thread *give(struct rt_thread *t, uint8_t why) {
    uint64_t now = t->until - (uint64_t)rt_hot.budget;
    if (__builtin_expect(rt_control->live, 0))
        rt_stream_tell();
    rt_control->events += now - t->events;
    t->events = t->until = now;
    t->cut = 0;
    rt_turn_why = why;
    rt_hot.self = NULL;
    rt_stream_budget(0);
    rt_hot.on = 0;
    ask_again();
    if (t->state == RT_READY)
        ready_add(t);
    else if (t->state == RT_WAITING)
        wait_add(t), t->asked = rt_control->events;
    else if (t->state == RT_DETACHED)
        n_detached++;
    if (__builtin_expect(__atomic_load_n(&stopping, __ATOMIC_RELAXED), 0))
        stop_here();
    struct rt_thread *next = rt_policy_pick(t);
    if (next && next->state == RT_DETACHED) {
        wanted = next;
        next = NULL;
    } else if (next) {
        take(next);
    } else if (nobody_can_run() && !rt_signal_possible()) {
        unlock();
        rt_deadlock();
    }
    return next;
}

static void wake(struct rt_thread *t) {
    __atomic_store_n(&t->go, 1, __ATOMIC_RELEASE);
    rt_futex(&t->go, FUTEX_WAKE_PRIVATE, 1, NULL);
}

/* Sleeps until the token is given to t. */
static void sleep_until_given(struct rt_thread *t) {
    int timed = t->has_deadline && t->state == RT_WAITING;
    struct timespec deadline = t->deadline;
    while (!__atomic_load_n(&t->go, __ATOMIC_ACQUIRE)) {
        long e = rt_futex(&t->go, FUTEX_WAIT_BITSET_PRIVATE, 0, timed ? &deadline : NULL);
        if (e == -EINTR && (t->pending_signals & ~t->blocked_signals) && !rt_replaying_turns()) {
            lock();
            if (t->state == RT_WAITING) { /* it wants to run a handler */
                wait_remove(t);
                t->wait_result = RT_SPURIOUS;
                t->state = RT_READY;
                ready_add(t);
                if (!rt_hot.self) {
                    take(t);
                    unlock();
                    break;
                }
            }
            unlock();
        }
        if (e == -ETIMEDOUT && timed) {
            lock();
            if (t->state != RT_WAITING) {
                timed = 0;
            } else if (rt_replaying_turns()) { /* not before the schedule has ended */
                rt_real.clock_gettime(CLOCK_MONOTONIC, &deadline);
                deadline.tv_sec += (deadline.tv_nsec += 10000000) >= 1000000000;
                deadline.tv_nsec %= 1000000000;
            } else {
                timed = 0;
                t->timed_out = 1;
                ready_add(t);
                if (!rt_hot.self) {
                    take(t);
                    unlock();
                    break;
                }
            }
            unlock();
        }
    }
    __atomic_store_n(&t->go, 0, __ATOMIC_RELAXED);
}

/* Hands over and comes back with the token. t->state is set. */
static void hand_over(struct rt_thread *t, uint8_t why) {
    lock();
    struct rt_thread *next = give(t, why);
    unlock();
    if (next == t)
        return;
    if (next)
        wake(next);
    sleep_until_given(t);
}

/* ---- what the rest of the runtime calls ---- */

/* Replay: did this thread get a signal after the event it is at? */
static int signal_due(struct rt_thread *t) {
    return rt_replaying_turns() && rt_signal_next(t) == rt_now(t);
}

/* Handlers of signals, in the middle of a wrapper. */
static void handle(struct rt_thread *t) {
    uint32_t away = t->was_away;
    int error = t->saved_errno;
    uncut();
    t->inside = 0;
    rt_deliver();
    t->inside = 1;
    t->was_away = away;
    t->saved_errno = error;
    cut();
}

void rt_slow_point(void) {
    struct rt_thread *t = rt_hot.self;
    uncut();
    if (__builtin_expect(__atomic_load_n(&stopping, __ATOMIC_RELAXED), 0))
        stop_here();
    if (!t->inside) /* may run handlers, and they may hand the token over */
        rt_deliver();
    int coin = rt_policy_point();
    int64_t more = rt_hot.budget <= 0 && !coin ? rt_policy_more() : 0;
    if (more) {
        rt_stream_budget(rt_hot.budget + more);
        t->until += (uint64_t)more;
    }
    if (rt_hot.budget <= 0 || coin) {
        t->state = RT_READY;
        hand_over(t, AU_TURN_BUDGET);
        if (!t->inside && rt_replaying_turns())
            rt_deliver();
    }
    cut();
}

int rt_must_wait(void) {
    return signal_due(rt_hot.self);
}

void rt_yield(void) {
    struct rt_thread *t = rt_hot.self;
    if (rt_replaying_turns()) {
        rt_point();
        return;
    }
    t->state = RT_READY;
    rt_policy_yield(t);
    hand_over(t, AU_TURN_YIELD);
}

void rt_point(void) {
    if (rt_hot.budget <= 0 || rt_policy_coin())
        rt_slow_point();
}

enum rt_wait_result rt_wait(const void *key, const struct timespec *deadline,
                            enum rt_wait_kind kind) {
    struct rt_thread *t = rt_hot.self;
    uncut();
    t->key = key;
    t->wait_kind = (uint8_t)kind;
    t->has_deadline = deadline != NULL;
    t->timed_out = 0;
    if (deadline)
        t->deadline = *deadline;
    t->wait_result = RT_WOKEN;
    if (rt_replaying_turns() && rt_hot.budget > 0 && !t->quiet) {
        if (signal_due(t) || (rt_living() && rt_signal_ready(t))) {
            handle(t);
            return RT_SPURIOUS;
        }
        /* Nobody else runs before its next event: nobody can wake it. */
        if (!deadline)
            rt_diverged_wait(t);
        rt_times_over(t);
        cut();
        return RT_TIMEOUT;
    }
    uint64_t now = rt_now(t);
    if (kind <= RT_WAIT_WRLOCK && t->waited_for == key && t->waited_at == now)
        rt_policy_in_vain();
    t->waited_for = key;
    t->waited_at = now;
    t->state = RT_WAITING;
    hand_over(t, AU_TURN_BLOCKED);
    t->key = NULL;
    if (t->state == RT_DEAD)
        return RT_SPURIOUS;
    /* A signal? Its handler runs here. */
    if (t->wait_result == RT_SPURIOUS || (rt_replaying_turns() && rt_signal_next(t) == rt_now(t))) {
        handle(t);
        return RT_SPURIOUS;
    }
    if (t->wait_result == RT_TIMEOUT)
        rt_times_over(t);
    return (enum rt_wait_result)t->wait_result;
}

void rt_wait_quietly(const void *key) {
    struct rt_thread *t = rt_hot.self;
    t->quiet = 1;
    rt_wait(key, NULL, RT_WAIT_COND);
    t->quiet = 0;
}

void rt_quiet_ends(void) {
    for (uint32_t i = 0; i < rt_control->threads; i++) {
        struct rt_thread *t = rt_thread_of(i);
        if (!t || !t->quiet)
            continue;
        lock();
        ready_remove(t);
        if (t->state == RT_WAITING)
            wait_remove(t);
        t->state = RT_DEAD;
        unlock();
        wake(t);
    }
}

void rt_yield_quietly(void) {
    struct rt_thread *t = rt_hot.self;
    uncut();
    t->quiet = 1;
    t->state = RT_READY;
    if (!rt_replaying_turns())
        rt_policy_yield(t);
    hand_over(t, AU_TURN_YIELD);
    t->quiet = 0;
    if (t->state == RT_RUNNING)
        cut();
}

unsigned rt_wake(const void *key, unsigned most) {
    unsigned b = bucket_of(key), n = 0;
    if (!bucket[b].head)
        return 0;
    lock();
    for (struct rt_thread *t = bucket[b].head, *next; t && n < most; t = next) {
        next = t->wait_next;
        if (t->key != key)
            continue;
        wait_remove(t);
        t->wait_result = RT_WOKEN;
        t->state = RT_READY;
        ready_add(t);
        n++;
    }
    unlock();
    return n;
}

unsigned rt_waiting(const void *key) {
    unsigned n = 0;
    for (struct rt_thread *t = bucket[bucket_of(key)].head; t; t = t->wait_next)
        n += t->key == key;
    return n;
}

void rt_wants(const void *key) {
    rt_self->wants = key;
}

unsigned rt_wanted(const void *key) {
    unsigned n = 0;
    for (uint32_t i = 0; i < rt_control->threads; i++) {
        const struct rt_thread *t = rt_thread_of(i);
        n += t && t != rt_hot.self && t->wants == key && t->state != RT_DEAD;
    }
    return n;
}

/* The holder goes on without the token. */
static void let_go(struct rt_thread *t, uint32_t state, uint8_t why) {
    t->state = state;
    lock();
    struct rt_thread *next = give(t, why);
    unlock();
    if (next)
        wake(next);
}

void rt_detach(void) {
    struct rt_thread *t = rt_hot.self;
    if (rt_replaying_turns() && rt_hot.budget > 0)
        return; /* nobody else ran meanwhile in the run that is replayed */
    let_go(t, RT_DETACHED, AU_TURN_CALL);
}

void rt_attach(void) {
    struct rt_thread *t = rt_self;
    lock();
    t->stolen = 0;
    if (t->state != RT_DETACHED) { /* it kept the token */
        unlock();
        return;
    }
    n_detached--;
    t->state = RT_READY;
    if (!rt_on) { /* the recording ended meanwhile: the program is about to exit */
        unlock();
        for (;;)
            rt_futex(&t->go, FUTEX_WAIT_PRIVATE, t->go, NULL);
    }
    if (!rt_hot.self && (!wanted || wanted == t)) {
        wanted = NULL;
        take(t);
        unlock();
        return;
    }
    ready_add(t);
    unlock();
    sleep_until_given(t);
}

void rt_come_back(struct rt_thread *t) {
    (void)t;
    rt_attach(); /* waits for the watchdog, too, if it is at it */
    rt_commit(); /* the hook that follows looks at rt_hot.prev */
}

static void barrier_of_all_threads(void) {
    if (rt_no_membarrier)
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    else
        rt_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

int rt_steal(struct rt_thread *t) {
    struct rt_thread *next = NULL;
    int stolen = 0;
    lock();
    if (rt_hot.self == t && (n_ready || n_timed)) {
        uint32_t was = t->stolen; /* a quiet wait sets it, too */
        __atomic_store_n(&t->stolen, 1, __ATOMIC_SEQ_CST);
        barrier_of_all_threads();
        /* In a replay the schedule may want more of it in this turn. */
        if (__atomic_load_n(&t->away, __ATOMIC_ACQUIRE) == RT_AWAY &&
            !(rt_replaying_turns() && rt_hot.budget > 0)) {
            t->state = RT_DETACHED;
            next = give(t, AU_TURN_STOLEN);
            stolen = 1;
        } else {
            t->stolen = was;
        }
    }
    unlock();
    if (next)
        wake(next);
    return stolen;
}

void rt_sched_stop(void) {
    __atomic_store_n(&stopping, 1, __ATOMIC_SEQ_CST);
    lock();
    struct rt_thread *t = rt_hot.self;
    if (!t)
        stop_here();
    uint32_t was = t->stolen;
    __atomic_store_n(&t->stolen, 1, __ATOMIC_SEQ_CST);
    barrier_of_all_threads();
    if (__atomic_load_n(&t->away, __ATOMIC_ACQUIRE) == RT_AWAY)
        stop_here();
    t->stolen = was;
    unlock();
}

/* The watchdog: has nobody run for so long that nobody will? */
void rt_sched_stuck(unsigned ms) {
    lock();
    struct rt_thread *lost = rt_hot.self ? NULL : wanted;
    int dead = !rt_hot.self && nobody_can_run();
    unlock();
    if (dead && ms >= 5000) /* a handler could have changed it; none came */
        rt_deadlock();
    if (lost && ms >= 20000)
        rt_diverged_away(lost);
}

void rt_interrupt(struct rt_thread *t) {
    if (t->state == RT_DETACHED) {
        rt_cancels = 1; /* the watchdog goes on reminding it */
        rt_tgkill(t->tid, RT_REMINDER);
        return;
    }
    lock();
    if (t->state == RT_WAITING) {
        wait_remove(t);
        t->wait_result = RT_SPURIOUS;
        t->state = RT_READY;
        ready_add(t);
    }
    unlock();
}

void rt_deadline(clockid_t clock, const struct timespec *when, struct timespec *deadline) {
    struct timespec now, mono;
    if (clock == CLOCK_MONOTONIC && !rt_living()) {
        *deadline = *when;
        return;
    }
    int64_t clock_now = rt_living() ? rt_times_now(clock) : 0;
    if (clock_now)
        now = (struct timespec){clock_now / RT_SECOND, clock_now % RT_SECOND};
    else
        rt_real.clock_gettime(clock, &now);
    rt_real.clock_gettime(CLOCK_MONOTONIC, &mono);
    int64_t left = ((int64_t)when->tv_sec - now.tv_sec) * 1000000000 + when->tv_nsec - now.tv_nsec;
    if (left > INT64_C(1000000000) * 1000000000 || when->tv_sec > now.tv_sec + 1000000000)
        left = INT64_C(1000000000) * 1000000000;
    int64_t at = (int64_t)mono.tv_sec * 1000000000 + mono.tv_nsec + (left > 0 ? left : 0);
    deadline->tv_sec = at / 1000000000;
    deadline->tv_nsec = at % 1000000000;
}

void rt_remind(void) {
    if (!rt_kick && !rt_cancels)
        return;
    uint32_t more = 0;
    for (uint32_t i = 0; i < rt_control->threads; i++) {
        struct rt_thread *t = rt_thread_of(i);
        if (!t || !t->tid || t->state == RT_DEAD)
            continue;
        int cancelled = t->cancelled && !t->cancel_off && t->state == RT_DETACHED;
        more |= (uint32_t)cancelled;
        if (t->pending_signals || cancelled)
            rt_tgkill(t->tid, RT_REMINDER);
    }
    rt_cancels = more;
}

int rt_process(void) {
    return process;
}

void rt_sched_start(struct rt_thread *t) {
    t->state = RT_RUNNING;
    rt_no_membarrier = rt_membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) != 0;
    process = rt_real.getpid();
    lock();
    take(t);
    unlock();
}

void rt_thread_ready(struct rt_thread *t) {
    lock();
    t->state = RT_READY;
    ready_add(t);
    unlock();
}

void rt_thread_begin(struct rt_thread *t) {
    rt_self = t;
    t->tid = (int32_t)rt_real.syscall(SYS_gettid);
    sleep_until_given(t);
}

void rt_thread_end(struct rt_thread *t) {
    let_go(t, RT_DEAD, AU_TURN_EXIT);
}

/* ---- wrappers ---- */

static int enter(struct rt_thread *t) {
    t->inside = 1;
    t->saved_errno = errno;
    t->was_away = t->away != RT_HERE;
    if (t->was_away)
        rt_return(t);
    return 1;
}

int rt_enter_on(void) {
    struct rt_thread *t = rt_self;
    if (!t || t->inside || t->state == RT_DEAD)
        return 0;
    if (__builtin_expect(rt_omp_size != 0, 0) && rt_omp_calls(t))
        return 0;
    return enter(t);
}

int rt_enter_omp(void) {
    struct rt_thread *t = rt_self;
    return rt_on && t && !t->inside && t->state != RT_DEAD && enter(t);
}

int rt_leave_errno(int result, int error) {
    struct rt_thread *t = rt_hot.self;
    rt_commit();
    t->inside = 0;
    t->wants = NULL;
    if (rt_kick || (t->cut && rt_hot.budget <= 0) || signal_due(t)) {
        uint32_t away = t->was_away;
        uncut();
        rt_deliver();
        t = rt_hot.self;
        cut();
        t->was_away = away;
    }
    if (t->was_away)
        rt_go_away(t);
    errno = error;
    return result;
}

int rt_leave(int result) {
    return rt_leave_errno(result, rt_hot.self->saved_errno);
}

void rt_event(uint8_t op, const void *object, uint64_t value) {
    rt_event_len(op, object, value, 0);
}

void rt_event_len(uint8_t op, const void *object, uint64_t value, uint64_t len) {
    struct rt_thread *t = rt_hot.self;
    if (signal_due(t)) /* it waited then, and need not now */
        handle(t);
    rt_log(rt_call_site(t), op, 0, (uint64_t)(uintptr_t)object, value,
           len < UINT32_MAX ? (uint32_t)len : UINT32_MAX, NULL);
}
