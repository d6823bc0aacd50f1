/* SPDX-License-Identifier: MIT
 *
 * rt/sched.h: threads and the token. One program thread runs at a time: rt_hot.self.
 * The turn is handed over in three steps: the holder picks the next thread under the
 * scheduler's lock, fills rt_hot for it, and wakes it on its private futex. The stream is
 * not touched by that: whoever tells something first in the new turn writes the TURN
 * record (rt_commit), so that a turn in which nothing happened leaves no trace and a
 * replay writes the same stream as the recording. */
#ifndef AUGUR_RT_SCHED_H
#define AUGUR_RT_SCHED_H

#include "rt/rt.h"

#include <linux/futex.h>

#pragma GCC visibility push(hidden)

enum rt_state {
    RT_NONE,
    RT_READY,    /* wants the token */
    RT_RUNNING,  /* has it */
    RT_WAITING,  /* in rt_wait */
    RT_DETACHED, /* in the kernel, or taken by the watchdog */
    RT_DEAD
};

/* A thread in code without hooks is away, and the watchdog may take the token from it. Going
 * away and coming back are plain stores: the thread clears 'away' and then looks at
 * 'stolen'; the watchdog sets 'stolen', makes every thread of the process pass a
 * barrier (membarrier), and then looks at 'away'. So at least one of them sees the other. */
enum { RT_HERE = 0, RT_AWAY = 1 };

/* A handler ran; one without SA_RESTART. While recording it ran in a wait, in a replay perhaps at
 * the point before it: wrappers clear it before the point and ask after both. */
enum { RT_HANDLED = 1, RT_INTERRUPTED = 2 };

struct rt_thread {
    uint32_t number;
    uint32_t state;
    uint32_t go;     /* the private futex: 1 when the token is given to it */
    uint32_t away;   /* RT_AWAY between xcall and xret */
    uint32_t stolen; /* the watchdog wants, or took, the token */
    uint32_t inside; /* in a wrapper: nested calls go to the C library */
    uint32_t was_away;
    int32_t tid;
    uint64_t events; /* executed before this turn */
    uint64_t until;  /* events when the budget of this turn is used up */

    /* location */
    struct au_site *prev; /* while another thread is in the stream */
    struct au_site *call; /* site of the last xcall */
    const void *called;   /* what it called; NULL behind its xret */
    uint32_t call_events; /* wrapper events since then */
    uint32_t depth;       /* instrumented frames */
    uint64_t outer;       /* bit d: the frame of depth d was called by code without hooks */
    struct au_site *outer_call[64]; /* and where that code had been called */
    int32_t ignore;                 /* AUGUR_IGNORE depth */

    /* omp.c, ompt.c */
    uint8_t omp;        /* away, and in libomp */
    uint8_t quiet;      /* stands in a quiet wait, or has not begun: it needs no event to go on */
    uint64_t outer_omp; /* bit d: the frame of depth d was called by libomp */
    struct rt_omp_task *implicit_task;
    uint8_t reducing;
    int32_t saved_errno;

    /* waiting */
    const void *key;
    uint8_t wait_kind, wait_result, has_deadline, timed_out;
    struct timespec deadline;
    const void *wants;      /* rt_wants */
    const void *waited_for; /* what it waited for last … */
    uint64_t waited_at;     /* … behind so many events */
    int64_t due[2];  /* times.c: what the clocks say at least when its time is over; 0: nothing */
    uint64_t asked;  /* events of the whole run when it began to wait for the kernel (live.h) … */
    int32_t wait_fd; /* … and for which descriptor */
    struct rt_thread *wait_next, *wait_prev; /* same bucket, in order of arrival */
    struct rt_thread *ready_next, *ready_prev;
    uint8_t is_ready; /* in the ready list */
    uint32_t priority;

    /* thread.c */
    pthread_t handle;
    void *(*entry)(void *);
    void *argument, *result;
    struct rt_thread *joiner; /* who is in a join of it */
    sigset_t mask;            /* signals blocked when it was created */
    uint8_t detached, joined, cancelled, cancel_off, cancel_async;
    uint8_t rounds;  /* of key destructors */
    uint8_t foreign; /* begins in code of a library that need not call the program */
    uint8_t slot_class;
    uint64_t slot; /* address; 0: the program brought its own stack */
    struct rt_thread *slot_next;
    void *stack;
    size_t stack_size;
    void *deferred; /* blocks freed while it did not hold the token */

    uint8_t born;
    uint64_t birth_at; /* replay: behind its last child among the births */
    uint64_t input_at; /* replay: behind its last input */

    /* signal.c */
    uint64_t pending_signals;
    uint64_t prompt_signals;  /* of these, those that it sent itself */
    uint32_t own_signals;     /* of the process to itself, that were delivered to it */
    uint64_t blocked_signals; /* by the handlers that it is in */
    uint8_t interrupted;      /* a handler without SA_RESTART ran; wrappers clear and ask it */
    uint64_t signal_at;       /* replay: behind its last signal among the inputs */
    uint64_t signal_next;     /* and the events before its next one, plus 1; 0: not looked up */
    uint64_t cut;             /* rest of the budget, taken away so that the next hook asks */
    const char *block;        /* AUGUR_ATOMIC_BEGIN */
};

extern __thread struct rt_thread *rt_self;
extern struct au_control *rt_control;

/* A thread of the program asks the kernel for what no event and no INPUT tells. */
static inline void rt_asked(void) {
    if (rt_control && rt_self)
        rt_control->asked = AU_ASKED;
}

/* Events the holder has executed. */
static inline uint64_t rt_now(const struct rt_thread *t) {
    return t->until - (uint64_t)rt_hot.budget;
}

int rt_process(void); /* its number in the kernel */
void rt_sched_start(struct rt_thread *main_thread);
/* New threads are ready; numbered in the order of creation, or as control.h's births say. */
struct rt_thread *rt_thread_new(void);
/* Replay: the error with which t could not make a thread after 'events' events; 0: it could (feed.c). */
int rt_failure_due(struct rt_thread *t, uint64_t events);
struct rt_thread *rt_thread_find(pthread_t handle);
void rt_thread_ready(struct rt_thread *t);
/* A waiting thread goes on (RT_SPURIOUS), a blocking call returns EINTR: there is a
 * cancellation or a signal for it. */
void rt_interrupt(struct rt_thread *t);
struct rt_thread *rt_thread_of(uint32_t number);
/* Is the calling thread the only one that lives? */
int rt_is_alone(void);
/* The calling thread waits for its first turn. */
void rt_thread_begin(struct rt_thread *t);
/* The calling thread is dead from here on and goes on without the token. */
void rt_thread_end(struct rt_thread *t);
/* Waits and gives way of libomp: the token moves, nothing is told (omp.h). */
void rt_wait_quietly(const void *key);
void rt_yield_quietly(void);
/* The program ends, and libomp with it: from here on its threads run without the token and record nothing. */
void rt_quiet_ends(void);

extern uint32_t rt_no_membarrier; /* the kernel has none: fences on both sides */
static inline void rt_go_away(struct rt_thread *t) {
    __atomic_store_n(&t->away, RT_AWAY, __ATOMIC_RELEASE);
}
/* Comes back from code during which the watchdog may have taken the token. */
void rt_come_back(struct rt_thread *t);
static inline void rt_return(struct rt_thread *t) {
    __atomic_store_n(&t->away, RT_HERE, __ATOMIC_RELAXED);
    if (__builtin_expect(rt_no_membarrier, 0))
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __asm__ volatile("" ::: "memory");
    if (__builtin_expect(__atomic_load_n(&t->stolen, __ATOMIC_RELAXED), 0))
        rt_come_back(t);
}
/* Watchdog: takes the token from the holder if it is still away. */
int rt_steal(struct rt_thread *t);
/* Watchdog: the time of the recording is over. It ends at once if nobody runs code with hooks, else where the holder
 * asks next. */
void rt_sched_stop(void);
/* Watchdog: nobody has the token since so many milliseconds. */
void rt_sched_stuck(unsigned ms);
/* Watchdog: threads with a signal that they have not noticed. */
void rt_remind(void);
/* The budget is used up or was cut: gives the rest back, delivers signals, hands over. */
void rt_slow_point(void);
/* After a change of what cuts the budget (signals, AUGUR_IGNORE). */
void rt_cover(void);
/* Writes the TURN record of the holder if another thread spoke last. */
extern struct rt_thread *rt_told;
void rt_commit_slow(void);
static inline void rt_commit(void) {
    if (__builtin_expect(rt_hot.self != rt_told, 0))
        rt_commit_slow();
}
/* Text of what a thread waits for. */
void rt_tell_wait(const struct rt_thread *t, char *text, size_t size);

/* Ends the process now, whatever is wrapped. */
_Noreturn void rt_quit(int status);

long rt_futex(uint32_t *word, int op, uint32_t value, const struct timespec *deadline);

/* A lock of one word for what is touched without the token: 0 free, 1 held, 2 held and
 * perhaps waited for. */
static inline void rt_word_lock(uint32_t *word) {
    uint32_t was = 0;
    if (__atomic_compare_exchange_n(word, &was, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    while (__atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE) != 0)
        rt_futex(word, FUTEX_WAIT_PRIVATE, 2, NULL);
}
static inline void rt_word_unlock(uint32_t *word) {
    if (__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) == 2)
        rt_futex(word, FUTEX_WAKE_PRIVATE, 1, NULL);
}

#pragma GCC visibility pop
#endif
