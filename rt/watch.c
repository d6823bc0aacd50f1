/* SPDX-License-Identifier: MIT
 *
 * rt/watch.c: the watchdog: a thread that the C library does not know. If the holder of the
 * token sleeps in the kernel inside code without hooks while others want to run, it takes
 * the token from it (AU_TURN_STOLEN). It also reminds threads of signals that struck where
 * they could not be noticed. In a replay it takes the token only from a thread that has
 * done all of its turn, so it decides nothing: it passes on what the schedule says.
 *
 * It has a table of descriptors of its own, so that it neither takes numbers from the
 * program nor holds its pipes open, and it calls nothing that uses thread-local data. */
#include "rt/omp.h"
#include "rt/policy.h"
#include "rt/start.h"
#include "rt/stream.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define STACK (64u << 10)
#define TICK_NS 4000000
#define SPUN                                                                                       \
    1500 /* looks at a thread that spins in libomp with the rest of its turn: about three seconds */

static long call3(long n, long a, long b, long c) {
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return r;
}

/* Does the kernel say that thread tid sleeps? */
static int sleeps(int tid) {
    char path[40] = "/proc/self/task/", *p = path + 16;
    char digits[12];
    int n = 0;
    for (int x = tid; x; x /= 10)
        digits[n++] = (char)('0' + x % 10);
    while (n)
        *p++ = digits[--n];
    for (const char *s = "/stat"; *s; s++)
        *p++ = *s;
    *p = 0;
    long fd = call3(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    char text[256];
    long got = call3(SYS_read, fd, (long)text, sizeof text);
    call3(SYS_close, fd, 0, 0);
    /* "tid (name) S …": the name may hold anything, the state follows the last ')' */
    for (long i = got - 1; i > 1; i--)
        if (text[i - 2] == ')' && text[i - 1] == ' ')
            return text[i] == 'S';
    return 0;
}

static uint64_t now(void) {
    struct timespec t = {0, 0};
    call3(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void watch(void) {
    uint64_t after = rt_control->stop_after, stop = after ? now() + after : UINT64_MAX;
    struct rt_thread *last = NULL;
    uint64_t last_turn = 0;
    unsigned idle = 0, spun = 0;
    call3(SYS_close_range, 0, ~0u, 0);
    for (;;) {
        struct timespec tick = {0, rt_omp_size ? TICK_NS / 4 : TICK_NS}; /* libomp spins */
        call3(SYS_nanosleep, (long)&tick, 0, 0);
        if (!__atomic_load_n(&rt_on, __ATOMIC_ACQUIRE))
            return;
        if (stop != UINT64_MAX && now() >= stop)
            rt_sched_stop();
        rt_remind();
        struct rt_thread *t = __atomic_load_n(&rt_hot.self, __ATOMIC_ACQUIRE);
        if (t)
            idle = 0;
        else if (++idle % 256 == 0)
            rt_sched_stuck(idle * (TICK_NS / 1000000) / (rt_omp_size ? 4 : 1));
        if (!t || __atomic_load_n(&t->away, __ATOMIC_ACQUIRE) != RT_AWAY || !t->tid) {
            last = NULL;
            continue;
        }
        /* Twice in a row at the same place in the same turn, asleep both times. */
        uint64_t turn = t->until ^ (uint64_t)rt_hot.budget << 20;
        if (!sleeps(t->tid) && !t->omp) { /* libomp spins where it waits for tasks of others */
            last = NULL;
            continue;
        }
        if (last != t || last_turn != turn) {
            if (last_turn != turn)
                spun = 0;
            last = t;
            last_turn = turn;
            continue;
        }
        last = NULL;
        if (!rt_steal(t) && t->omp &&
            ++spun == SPUN) /* a replay: what it waits for does not come */
            rt_diverged_spin(t);
    }
}

void rt_watch_start(void) {
    char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED)
        rt_die("no memory for the watchdog");
    sigset_t all, was;
    sigfillset(&all);
    rt_real.pthread_sigmask(SIG_SETMASK, &all, &was);
    long r;
    register long r10 __asm__("r10") = 0;
    register long r8 __asm__("r8") = 0;
    /* The child returns from the call on an empty stack and never leaves this block. */
    __asm__ volatile(
        "syscall\n\t"
        "test %%rax, %%rax\n\t"
        "jnz 1f\n\t"
        "xor %%ebp, %%ebp\n\t"
        "call *%[run]\n\t"
        "xor %%edi, %%edi\n\t"
        "mov %[leave], %%eax\n\t"
        "syscall\n\t"
        "1:"
        : "=a"(r)
        : "a"(SYS_clone),
          "D"((long)(CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)),
          "S"(stack + STACK), "d"(0L), "r"(r10), "r"(r8), [run] "r"(watch), [leave] "i"(SYS_exit)
        : "rcx", "r11", "memory");
    rt_real.pthread_sigmask(SIG_SETMASK, &was, NULL);
    if (r < 0)
        rt_die("cannot start the watchdog");
}
