/* SPDX-License-Identifier: MIT
 *
 * rt/futex.c: syscall(2). Programs that bring their own locks wait with raw futex calls
 * (and so does libstdc++'s atomic wait): waiting and waking go through the scheduler, which
 * decides who goes on. Calls that have a wrapper under a name of their own go there; everything
 * else is passed on, and noted: the kernel was asked for what no event tells.
 *
 * One event: what a wait of code with hooks compares is an atomic read, so that a schedule says on which
 * side of a change the comparison comes. Words of libraries (GLib's) stay theirs: without the library's own accesses
 * the reads would be all that is known of them. Everything else is no event, and so no point either: what is done here
 * belongs to the event before it. */
#include "rt/mem.h"
#include "rt/policy.h"
#include "rt/stream.h"
#include "rt/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static long fails(int e) {
    errno = e;
    return -1;
}

/* Did code with hooks call this? */
static bool is_programs(void) {
    return rt_hot.self->called == (const void *)(uintptr_t)&syscall;
}

static int wait_for(uint32_t *word, uint32_t value, clockid_t clock, bool absolute,
                    const struct timespec *when) {
    struct timespec store;
    const struct timespec *deadline = NULL;
    if (when && absolute) {
        if (rt_deadline_of(clock, when, &store, &deadline))
            return EINVAL;
    } else if (when) {
        if (when->tv_sec < 0 || when->tv_nsec < 0 || when->tv_nsec >= 1000000000)
            return EINVAL;
        rt_deadline_in(when, &store);
        deadline = &store;
    }
    if (is_programs()) {
        rt_point();
        rt_tell_atomic(AU_OP_AREAD, word, sizeof *word);
    }
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value)
        return EAGAIN;
    switch (rt_wait(word, deadline, RT_WAIT_FUTEX)) {
    case RT_TIMEOUT:
        return ETIMEDOUT;
    case RT_SPURIOUS: /* callers must expect that */
    case RT_WOKEN:
        break;
    }
    return 0;
}

static long wake(uint32_t *word, int op, unsigned most) {
    unsigned n = rt_wake(word, most);
    if (n < most) /* those who came past the runtime, and other processes */
        n += (unsigned)rt_real.syscall(SYS_futex, word, op, most - n, NULL, NULL,
                                       FUTEX_BITSET_MATCH_ANY);
    return n;
}

/* FUTEX_WAKE_OP: what the kernel would do to the second word; its old value. */
static uint32_t apply(uint32_t *word, uint32_t code) {
    uint32_t arg = (code >> 12) & 0xfff, old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    unsigned op = (code >> 28) & 7;
    if (code >> 28 & FUTEX_OP_OPARG_SHIFT)
        arg = 1u << (arg & 31);
    uint32_t now = op == FUTEX_OP_SET    ? arg
                   : op == FUTEX_OP_ADD  ? old + arg
                   : op == FUTEX_OP_OR   ? old | arg
                   : op == FUTEX_OP_ANDN ? old & ~arg
                                         : old ^ arg;
    __atomic_store_n(word, now, __ATOMIC_SEQ_CST);
    return old;
}

static bool holds(int32_t old, uint32_t code) {
    int32_t arg = (int32_t)(code << 20) >> 20;
    switch ((code >> 24) & 15) {
    case FUTEX_OP_CMP_EQ:
        return old == arg;
    case FUTEX_OP_CMP_NE:
        return old != arg;
    case FUTEX_OP_CMP_LT:
        return old < arg;
    case FUTEX_OP_CMP_LE:
        return old <= arg;
    case FUTEX_OP_CMP_GT:
        return old > arg;
    default:
        return old >= arg;
    }
}

static long futex(long a[6]) {
    uint32_t *word = (uint32_t *)a[0], *word2 = (uint32_t *)a[4];
    int op = (int)a[1], what = op & FUTEX_CMD_MASK;
    uint32_t value = (uint32_t)a[2];
    const struct timespec *when = (const struct timespec *)a[3];
    clockid_t clock = op & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    int e = 0;
    long r = 0;
    switch (what) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        e = wait_for(word, value, clock, what == FUTEX_WAIT_BITSET, when);
        break;
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: /* too many may wake; they look again */
        r = wake(word, op, value > INT_MAX ? INT_MAX : value);
        break;
    case FUTEX_CMP_REQUEUE:
    case FUTEX_REQUEUE: /* moving waiters over only saves wake-ups: all are woken */
        if (what == FUTEX_CMP_REQUEUE && __atomic_load_n(word, __ATOMIC_SEQ_CST) != (uint32_t)a[5])
            e = EAGAIN;
        else
            r = wake(word, FUTEX_WAKE | (op & FUTEX_PRIVATE_FLAG), INT_MAX);
        break;
    case FUTEX_WAKE_OP: {
        uint32_t old = apply(word2, (uint32_t)a[5]);
        int plain = FUTEX_WAKE | (op & FUTEX_PRIVATE_FLAG);
        r = wake(word, plain, value);
        if (holds((int32_t)old, (uint32_t)a[5]))
            r += wake(word2, plain, (uint32_t)a[3]);
        break;
    }
    default: /* priority inheritance: the kernel decides, by its own numbers of threads in the word */
        if (rt_replaying())
            rt_diverged("a raw futex with priority inheritance is not executed again");
        rt_detach();
        r = rt_real.syscall(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
        e = r < 0 ? errno : 0;
        rt_attach();
        break;
    }
    rt_leave(0);
    return e ? fails(e) : r;
}

/* Calls that have a wrapper; false: it is none of them. */
static bool has_wrapper(long number, const long *a, long *result) {
    void *p = (void *)a[1];
    size_t n = (size_t)a[2];
    switch (number) {
    case SYS_gettid:
        return *result = gettid(), true;
    case SYS_getpid:
        return *result = getpid(), true;
    case SYS_getrandom:
        return *result = getrandom((void *)a[0], (size_t)a[1], (unsigned)a[2]), true;
    case SYS_sched_yield:
        return *result = sched_yield(), true;
    case SYS_read:
        return *result = read((int)a[0], p, n), true;
    case SYS_write:
        return *result = write((int)a[0], p, n), true;
    case SYS_pread64:
        return *result = pread((int)a[0], p, n, a[3]), true;
    case SYS_pwrite64:
        return *result = pwrite((int)a[0], p, n, a[3]), true;
    case SYS_readv:
        return *result = readv((int)a[0], p, (int)a[2]), true;
    case SYS_writev:
        return *result = writev((int)a[0], p, (int)a[2]), true;
    case SYS_recvfrom:
        return *result =
                   recvfrom((int)a[0], p, n, (int)a[3], (struct sockaddr *)a[4], (socklen_t *)a[5]),
               true;
    case SYS_sendto:
        return *result = sendto((int)a[0], p, n, (int)a[3], (const struct sockaddr *)a[4],
                                (socklen_t)a[5]),
               true;
    case SYS_poll:
        return *result = poll((struct pollfd *)a[0], (nfds_t)a[1], (int)a[2]), true;
    case SYS_clock_gettime:
        return *result = clock_gettime((clockid_t)a[0], p), true;
    case SYS_nanosleep:
        return *result = nanosleep((const struct timespec *)a[0], p), true;
    case SYS_kill:
        return *result = kill((pid_t)a[0], (int)a[1]), true;
    case SYS_tgkill:
        return *result = tgkill((pid_t)a[0], (pid_t)a[1], (int)a[2]), true;
    case SYS_pidfd_open:
        return *result = pidfd_open((pid_t)a[0], (unsigned)a[1]), true;
    case SYS_process_vm_readv:
        return *result =
                   process_vm_readv((pid_t)a[0], p, (unsigned long)a[2], (const struct iovec *)a[3],
                                    (unsigned long)a[4], (unsigned long)a[5]),
               true;
    case SYS_process_vm_writev:
        return *result = process_vm_writev((pid_t)a[0], p, (unsigned long)a[2],
                                           (const struct iovec *)a[3], (unsigned long)a[4],
                                           (unsigned long)a[5]),
               true;
    case SYS_open:
        return *result = open((const char *)a[0], (int)a[1], (mode_t)a[2]), true;
    case SYS_openat:
        return *result = openat((int)a[0], p, (int)a[2], (mode_t)a[3]), true;
    case SYS_creat:
        return *result = creat((const char *)a[0], (mode_t)a[1]), true;
    case SYS_mkdir:
        return *result = mkdir((const char *)a[0], (mode_t)a[1]), true;
    case SYS_mkdirat:
        return *result = mkdirat((int)a[0], p, (mode_t)a[2]), true;
    case SYS_link:
        return *result = link((const char *)a[0], p), true;
    case SYS_symlink:
        return *result = symlink((const char *)a[0], p), true;
    case SYS_rename:
        return *result = rename((const char *)a[0], p), true;
    case SYS_renameat:
        return *result = renameat((int)a[0], p, (int)a[2], (const char *)a[3]), true;
    case SYS_unlink:
        return *result = unlink((const char *)a[0]), true;
    default:
        return false;
    }
}

/* Of any other call nobody knows what it depends on, or changes. */
static void note_asked(void) {
    if (!rt_enter())
        return;
    char text[sizeof rt_hot.self->number];
    rt_commit();
    memcpy(text, &rt_hot.self->number, sizeof text);
    rt_log_text(AU_NOTE_ASKED, text, sizeof text);
    rt_leave(0);
}

RT_EXPORT long syscall(long number, ...) {
    long a[6];
    va_list ap;
    va_start(ap, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    long result;
    if (number == SYS_futex && rt_enter())
        return futex(a);
    if (number == SYS_futex || !rt_on)
        return rt_real.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (has_wrapper(number, a, &result))
        return result;
    note_asked();
    result = rt_real.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    int e = errno;
    note_asked();
    errno = e;
    return result;
}
