/* SPDX-License-Identifier: MIT
 *
 * rt/signal.c: signals. A handler of the program for an asynchronous signal is not run
 * where the signal strikes but at the next hook, or at the end of the wrapper, of the
 * interrupted thread: there it is a point of the thread's events, is recorded as an
 * input (AU_INPUT_SIGNAL with the count of events before it) and can be replayed.
 * While a schedule is replayed the real signals are dropped and the recorded ones given.
 *
 * Faults (a bad pointer, a division by zero) go to the program's handler at once, as they
 * must; without one everything is flushed and the program dies of the signal. */
#include "rt/signal.h"
#include "rt/bytes.h"
#include "rt/live.h"
#include "rt/policy.h"
#include "rt/start.h"
#include "rt/state.h"
#include "rt/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define SIGNALS 65
#define BIT(s) (UINT64_C(1) << ((s)-1))

/* Bounds of the runtime's own code (the linker's symbols for the section). */
extern const char __start_augur_text[] __attribute__((visibility("hidden")));
extern const char __stop_augur_text[] __attribute__((visibility("hidden")));

static struct sigaction theirs[SIGNALS];
static uint64_t handled; /* signals that have a handler of the program */
static siginfo_t last_info[SIGNALS];
uint32_t rt_kick; /* somebody has a signal pending: ask at the next slow path */

static const int crash[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

static int is_fault(int sig, const siginfo_t *info) {
    for (unsigned i = 0; i < sizeof crash / sizeof *crash; i++)
        if (sig == crash[i])
            return info->si_code > 0;
    return 0;
}

/* An access whose shadow is not mapped yet (a program that maps memory at odd places). */
static int map_shadow_of(const siginfo_t *info) {
    uint64_t a = (uint64_t)(uintptr_t)info->si_addr, piece = UINT64_C(1) << 30;
    uint64_t program = a ^ RT_SHADOW_XOR;
    if (a >> 47 || rt_is_shadow(program))
        return 0; /* an address of the program: its shadow is there */
    unsigned char resident;
    if (mincore((void *)(uintptr_t)(program & ~UINT64_C(4095)), 4096, &resident) != 0)
        return 0; /* the program's own address is bad */
    void *p = mmap((void *)(uintptr_t)(a & ~(piece - 1)), piece, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    return p != MAP_FAILED;
}

static void call_theirs(int sig, siginfo_t *info, void *context) {
    struct sigaction *a = &theirs[sig];
    if (a->sa_flags & SA_SIGINFO)
        a->sa_sigaction(sig, info, context);
    else
        a->sa_handler(sig);
}

static int has_handler(int sig) {
    return (handled & BIT(sig)) != 0;
}

int rt_signal_possible(void) {
    uint64_t faults = 0;
    for (unsigned i = 0; i < sizeof crash / sizeof *crash; i++)
        faults |= BIT(crash[i]);
    return (handled & ~faults) != 0;
}

static void die_of(int sig) {
    struct rt_thread *t = rt_self;
    /* Only the holder can close the stream; a thread in a blocking call gets the token. */
    if (rt_on && t && t->state == RT_DETACHED)
        rt_attach();
    if (rt_on && t && t == rt_hot.self)
        rt_finish(AU_END_SIGNAL, sig);
    struct sigaction dfl = {.sa_handler = SIG_DFL};
    rt_real.sigaction(sig, &dfl, NULL);
}

static int is_own(const siginfo_t *info) {
    return info->si_code <= 0 && info->si_pid == rt_process();
}

static void on_signal(int sig, siginfo_t *info, void *context) {
    int error = errno;
    struct rt_thread *t = rt_self;
    if (is_fault(sig, info)) {
        if (sig == SIGSEGV && rt_on && map_shadow_of(info))
            return;
        if (has_handler(sig))
            call_theirs(sig, info, context);
        else
            die_of(sig); /* and the instruction faults again */
        errno = error;
        return;
    }
    if (!has_handler(sig)) { /* a crash signal that was sent */
        die_of(sig);
        raise(sig);
        errno = error;
        return;
    }
    if (!rt_on || !t || t->state == RT_DEAD) {
        call_theirs(sig, info, context);
        errno = error;
        return;
    }
    if (rt_replaying_turns() && !(rt_living() && is_own(info)))
        return;
    last_info[sig] = *info;
    if (t == rt_hot.self) /* it is in the call that sent it, or the kernel chose it at random */
        __atomic_or_fetch(&t->prompt_signals, BIT(sig), __ATOMIC_SEQ_CST);
    __atomic_or_fetch(&t->pending_signals, BIT(sig), __ATOMIC_SEQ_CST);
    __atomic_store_n(&rt_kick, 1, __ATOMIC_SEQ_CST);
    const ucontext_t *u = context;
    uintptr_t at = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
    /* In the program's own code nothing of rt_hot is in flight: end the budget here, so
     * that the next hook asks. Else the next slow path or the watchdog sees to it. */
    if (t == rt_hot.self && !t->inside &&
        (at < (uintptr_t)__start_augur_text || at >= (uintptr_t)__stop_augur_text))
        rt_cut_budget(0);
    errno = error;
}

/* The watchdog's reminder: the thread may be somewhere better now. */
static void on_reminder(int sig, siginfo_t *info, void *context) {
    (void)sig;
    (void)info;
    struct rt_thread *t = rt_self;
    const ucontext_t *u = context;
    uintptr_t at = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
    if (rt_on && t && t->pending_signals && t == rt_hot.self && !t->inside &&
        (at < (uintptr_t)__start_augur_text || at >= (uintptr_t)__stop_augur_text))
        rt_cut_budget(0);
}

void rt_cut_budget(int64_t keep) {
    int64_t rest = rt_hot.budget - keep;
    if (rest <= 0)
        return;
    rt_hot.self->cut += (uint64_t)rest;
    rt_hot.self->until -= (uint64_t)rest;
    rt_hot.mark -= rest;
    rt_hot.budget -= rest;
}

/* Runs the handler of one signal, as an ordinary call of the thread. */
static void run_handler(struct rt_thread *t, int sig, uint8_t flags) {
    uint64_t at = rt_now(t);
    rt_log_input(AU_INPUT_SIGNAL | flags, sig, 0, &at, sizeof at);
    t->own_signals += flags != 0;
    struct sigaction a = theirs[sig];
    if (a.sa_flags & SA_RESETHAND)
        handled &= ~BIT(sig);
    siginfo_t info = last_info[sig];
    info.si_signo = sig;
    ucontext_t context;
    memset(&context, 0, sizeof context);
    sigset_t block = a.sa_mask, was;
    if (!(a.sa_flags & SA_NODEFER))
        sigaddset(&block, sig);
    rt_real.pthread_sigmask(SIG_BLOCK, &block, &was);
    uint64_t blocks, blocked = t->blocked_signals;
    memcpy(&blocks, &block, sizeof blocks); /* bit n - 1 is signal n, as in the kernel */
    t->blocked_signals |= blocks;
    struct au_site *call = t->call;
    uint32_t call_events = t->call_events;
    int error = errno;
    if (a.sa_flags & SA_SIGINFO)
        a.sa_sigaction(sig, &info, &context);
    else
        a.sa_handler(sig);
    errno = error;
    t = rt_self;
    t->call = call;
    t->call_events = call_events;
    t->blocked_signals = blocked;
    t->interrupted |= a.sa_flags & SA_RESTART ? RT_HANDLED : RT_HANDLED | RT_INTERRUPTED;
    rt_real.pthread_sigmask(SIG_SETMASK, &was, NULL);
}

void rt_deliver(void) {
    struct rt_thread *t = rt_hot.self;
    if (rt_replaying_turns()) {
        int sig;
        uint8_t flags;
        while ((sig = rt_signal_due(t, rt_now(t), &flags)) != 0) {
            rt_cover(); /* the next one may be due inside this handler */
            rt_signal_drop(sig);
            if (!flags)
                rt_rests(AU_RESTS_OUTSIDE); /* a timer, a child, somebody else: who knows when */
            if (has_handler(sig))
                run_handler(t, sig, flags);
        }
        if (!rt_living())
            return;
    }
    rt_kick = 0;
    uint64_t due;
    while ((due = rt_signal_ready(t)) != 0) {
        int sig = __builtin_ctzll(due) + 1;
        uint8_t own = is_own(&last_info[sig]) ? AU_INPUT_INSIDE : 0;
        __atomic_and_fetch(&t->pending_signals, ~BIT(sig), __ATOMIC_SEQ_CST);
        __atomic_and_fetch(&t->prompt_signals, ~BIT(sig), __ATOMIC_SEQ_CST);
        if (has_handler(sig))
            run_handler(t, sig, own);
    }
    if (t->pending_signals && rt_living())
        rt_kick = 1; /* held: it is asked again */
}

uint64_t rt_signal_ready(const struct rt_thread *t) {
    uint64_t due = t->pending_signals & ~t->blocked_signals, held = due & ~t->prompt_signals;
    if (!held || !rt_living() || !rt_replaying_turns())
        return due;
    for (int sig = 1; sig < SIGNALS; sig++)
        if ((held & BIT(sig)) && is_own(&last_info[sig])) {
            uint64_t then = rt_signal_then(t, sig);
            uint64_t now = t == rt_hot.self ? rt_now(t) : t->events;
            if (then != UINT64_MAX && then > now)
                due &= ~BIT(sig);
        }
    return due;
}

int rt_signal_own(const struct rt_thread *t) {
    uint64_t due = t->pending_signals & ~t->blocked_signals;
    return due && is_own(&last_info[__builtin_ctzll(due) + 1]);
}

void rt_signal_drop(int sig) {
    sigset_t set;
    const struct timespec now = {0, 0};
    sigemptyset(&set);
    sigaddset(&set, sig);
    rt_real.sigtimedwait(&set, NULL, &now);
}

/* Does the kernel say that this thread blocks it? */
static int blocks(const struct rt_thread *t, int sig) {
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/self/task/%d/status", t->tid);
    int fd = rt_real.open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 1;
    ssize_t n = rt_real.read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *p = strstr(text, "\nSigBlk:");
    if (!p)
        return 1;
    uint64_t mask = 0;
    for (p += 8; *p == '\t' || *p == ' '; p++)
        ;
    for (; (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'f'); p++)
        mask = mask << 4 | (uint64_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
    return (mask & BIT(sig)) != 0;
}

int rt_signal_send(struct rt_thread *to, int sig) {
    struct rt_thread *self = rt_self;
    if (!rt_living() || !rt_on || !self || sig < 1 || sig >= SIGNALS || !has_handler(sig))
        return 0;
    if (to && (to->state == RT_DEAD || blocks(to, sig)))
        return 0;
    for (uint32_t i = 0; !to && i < rt_control->threads; i++) {
        struct rt_thread *t = rt_thread_of(i);
        if (t && t->tid && t->state != RT_DEAD && t->state != RT_NONE && !blocks(t, sig))
            to = t;
    }
    if (!to)
        return 0;
    last_info[sig] = (siginfo_t){.si_signo = sig, .si_code = SI_USER};
    last_info[sig].si_pid = rt_process();
    last_info[sig].si_uid = getuid();
    __atomic_or_fetch(&to->pending_signals, BIT(sig), __ATOMIC_SEQ_CST);
    __atomic_store_n(&rt_kick, 1, __ATOMIC_SEQ_CST);
    if (to == self) {
        __atomic_or_fetch(&to->prompt_signals, BIT(sig), __ATOMIC_SEQ_CST);
        if (to == rt_hot.self && !to->inside)
            rt_cut_budget(0);
    } else if (rt_signal_ready(to) & BIT(sig)) {
        rt_interrupt(to);
    }
    return 1;
}

static int is_crash(int sig) {
    for (unsigned i = 0; i < sizeof crash / sizeof *crash; i++)
        if (crash[i] == sig)
            return 1;
    return 0;
}

/* What the kernel is told for a signal of the program. */
static void install(int sig) {
    struct sigaction ours = theirs[sig];
    if (has_handler(sig) || is_crash(sig)) {
        ours.sa_sigaction = on_signal;
        ours.sa_flags = (theirs[sig].sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO;
        if (is_crash(sig))
            ours.sa_flags |= SA_ONSTACK;
    }
    rt_real.sigaction(sig, &ours, NULL);
}

void rt_signal_start(void) {
    void *alt = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (alt != MAP_FAILED) {
        stack_t s = {.ss_sp = alt, .ss_size = 65536};
        sigaltstack(&s, NULL);
    }
    struct sigaction reminder = {.sa_sigaction = on_reminder, .sa_flags = SA_SIGINFO};
    rt_real.sigaction(RT_REMINDER, &reminder, NULL);
    for (unsigned i = 0; i < sizeof crash / sizeof *crash; i++) {
        rt_real.sigaction(crash[i], NULL, &theirs[crash[i]]);
        if (theirs[crash[i]].sa_handler == SIG_DFL)
            install(crash[i]);
    }
}

static int set_action(int sig, const struct sigaction *act, struct sigaction *old) {
    if (!rt_on || sig < 1 || sig >= SIGNALS || sig == SIGKILL || sig == SIGSTOP)
        return rt_real.sigaction(sig, act, old);
    struct sigaction was = theirs[sig];
    if (!has_handler(sig) && !is_crash(sig) && rt_real.sigaction(sig, NULL, &was) != 0)
        return -1;
    if (act) {
        theirs[sig] = *act;
        if ((act->sa_flags & SA_SIGINFO) ||
            (act->sa_handler != SIG_DFL && act->sa_handler != SIG_IGN))
            handled |= BIT(sig);
        else
            handled &= ~BIT(sig);
        if (is_crash(sig) && act->sa_handler == SIG_IGN)
            rt_real.sigaction(sig, act, NULL);
        else
            install(sig);
    }
    if (old)
        *old = was;
    return 0;
}

/* The program's memory is told; what is set for a signal is a state of the C library, which
 * nobody but these functions sees. */
EXPORT int sigaction(int sig, const struct sigaction *act, struct sigaction *old) {
    int tells = rt_string_enter();
    if (tells && act)
        rt_tell(AU_SOP_RREAD, act, sizeof *act);
    int result = set_action(sig, act, old), error = errno;
    if (!tells)
        return result;
    if (result == 0)
        rt_state(AU_STATE_SIGNALS, act != NULL);
    if (result == 0 && old)
        rt_tell(AU_SOP_RWRITE, old, sizeof *old);
    return rt_leave_errno(result, error);
}

EXPORT sighandler_t signal(int sig, sighandler_t handler) {
    struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    int tells = rt_string_enter();
    int result = set_action(sig, &act, &old), error = errno;
    if (tells) {
        if (result == 0)
            rt_state(AU_STATE_SIGNALS, true);
        rt_leave_errno(result, error);
    }
    return result == 0 ? old.sa_handler : SIG_ERR;
}
