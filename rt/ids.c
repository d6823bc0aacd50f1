/* SPDX-License-Identifier: MIT
 *
 * rt/ids.c: calls that name a process or a thread by its number. A replay tells the program the
 * recorded numbers; the kernel must hear the real ones. No points, no events: what they answer does
 * not depend on the order of threads, but for the threads' own doing. Copies of the program's own memory are
 * accesses of it. */
#include "rt/mem.h"
#include "rt/sched.h"
#include "rt/sync.h"

#include <errno.h>

#include <sched.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

RT_EXPORT int sched_getaffinity(pid_t pid, size_t n, cpu_set_t *set) {
    return rt_real.sched_getaffinity(rt_child_real(pid), n, set);
}
RT_EXPORT int sched_setaffinity(pid_t pid, size_t n, const cpu_set_t *set) {
    return rt_real.sched_setaffinity(rt_child_real(pid), n, set);
}
RT_EXPORT int sched_getscheduler(pid_t pid) {
    return rt_real.sched_getscheduler(rt_child_real(pid));
}
RT_EXPORT int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param) {
    return rt_real.sched_setscheduler(rt_child_real(pid), policy, param);
}
RT_EXPORT int sched_getparam(pid_t pid, struct sched_param *param) {
    return rt_real.sched_getparam(rt_child_real(pid), param);
}
RT_EXPORT int sched_setparam(pid_t pid, const struct sched_param *param) {
    return rt_real.sched_setparam(rt_child_real(pid), param);
}
RT_EXPORT int sched_rr_get_interval(pid_t pid, struct timespec *t) {
    return rt_real.sched_rr_get_interval(rt_child_real(pid), t);
}
RT_EXPORT int prlimit(pid_t pid, __rlimit_resource_t what, const struct rlimit *to,
                      struct rlimit *was) {
    return rt_real.prlimit(rt_child_real(pid), what, to, was);
}
RT_EXPORT pid_t getpgid(pid_t pid) {
    return rt_real.getpgid(rt_child_real(pid));
}
RT_EXPORT int setpgid(pid_t pid, pid_t group) {
    return rt_real.setpgid(rt_child_real(pid), rt_child_real(group));
}
RT_EXPORT pid_t getsid(pid_t pid) {
    return rt_real.getsid(rt_child_real(pid));
}
static id_t who_is(__priority_which_t which, id_t who) {
    return which == PRIO_PROCESS ? (id_t)rt_child_real((pid_t)who) : who;
}
RT_EXPORT int getpriority(__priority_which_t which, id_t who) {
    return rt_real.getpriority(which, who_is(which, who));
}
RT_EXPORT int setpriority(__priority_which_t which, id_t who, int nice) {
    return rt_real.setpriority(which, who_is(which, who), nice);
}
RT_EXPORT int sigqueue(pid_t pid, int sig, const union sigval value) {
    return rt_real.sigqueue(rt_child_real(pid), sig, value);
}
RT_EXPORT int tgkill(pid_t process, pid_t thread, int sig) {
    return rt_real.tgkill(rt_child_real(process), rt_child_real(thread), sig);
}
RT_EXPORT int pidfd_open(pid_t pid, unsigned flags) {
    return rt_real.pidfd_open(rt_child_real(pid), flags);
}

typedef ssize_t copies(pid_t, const struct iovec *, unsigned long, const struct iovec *,
                       unsigned long, unsigned long);

/* The first n bytes of these parts are read or written. */
static void tell(uint8_t op, const struct iovec *v, unsigned long parts, size_t n) {
    for (unsigned long i = 0; i < parts && n; i++) {
        size_t k = v[i].iov_len < n ? v[i].iov_len : n;
        if (k)
            rt_tell(op, v[i].iov_base, k);
        n -= k;
    }
}

static ssize_t copy(copies *real, pid_t pid, const struct iovec *ours, unsigned long n_ours,
                    const struct iovec *theirs, unsigned long n_theirs, unsigned long flags,
                    bool writes) {
    pid = rt_child_real(pid);
    if (!rt_enter())
        return real(pid, ours, n_ours, theirs, n_theirs, flags);
    bool own = pid == rt_process();
    rt_point();
    ssize_t done = real(pid, ours, n_ours, theirs, n_theirs, flags);
    int error = errno;
    size_t n = done > 0 ? (size_t)done : 0;
    if (writes)
        tell(AU_SOP_RREAD, ours, n_ours, n);
    if (own)
        tell(writes ? AU_SOP_RWRITE : AU_SOP_RREAD, theirs, n_theirs, n);
    if (!writes)
        tell(AU_SOP_RWRITE, ours, n_ours, n);
    rt_leave_errno(0, error);
    return done;
}

RT_EXPORT ssize_t process_vm_readv(pid_t pid, const struct iovec *ours, unsigned long n_ours,
                                   const struct iovec *theirs, unsigned long n_theirs,
                                   unsigned long flags) {
    return copy(rt_real.process_vm_readv, pid, ours, n_ours, theirs, n_theirs, flags, false);
}
RT_EXPORT ssize_t process_vm_writev(pid_t pid, const struct iovec *ours, unsigned long n_ours,
                                    const struct iovec *theirs, unsigned long n_theirs,
                                    unsigned long flags) {
    return copy(rt_real.process_vm_writev, pid, ours, n_ours, theirs, n_theirs, flags, true);
}
