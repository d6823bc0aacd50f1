/* SPDX-License-Identifier: MIT
 *
 * rt/real.h: the C library's own versions of what the runtime wraps, found with
 * dlsym(RTLD_NEXT) before any constructor runs (real.c). A wrapper file adds its functions
 * to the list; a function that the C library lacks is NULL. */
#ifndef AUGUR_RT_REAL_H
#define AUGUR_RT_REAL_H

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* Lines of wrapper files: keep one line a group, so that merges stay easy. */
#include "rt/real_more.h"

/* clang-format off */
#define RT_REALS_CORE(X) \
    X(pthread_create) X(pthread_join) X(pthread_detach) X(pthread_exit) X(pthread_cancel) \
    X(pthread_timedjoin_np) X(pthread_tryjoin_np) X(pthread_clockjoin_np) \
    X(pthread_setcancelstate) X(pthread_setcanceltype) X(pthread_testcancel) X(pthread_sigmask) \
    X(sigaction) X(signal) X(raise) X(abort) X(exit) X(_exit) X(quick_exit) X(fork) X(execve) \
    X(execvp) X(execv) X(execvpe) X(pthread_kill) X(dlclose)
#define RT_REALS_MUTEX(X) \
    X(pthread_mutex_init) X(pthread_mutex_destroy) X(pthread_mutex_lock) \
    X(pthread_mutex_trylock) X(pthread_mutex_timedlock) X(pthread_mutex_clocklock) \
    X(pthread_mutex_unlock)
#define RT_REALS_RWLOCK(X) \
    X(pthread_rwlock_init) X(pthread_rwlock_destroy) X(pthread_rwlock_rdlock) \
    X(pthread_rwlock_wrlock) X(pthread_rwlock_tryrdlock) X(pthread_rwlock_trywrlock) \
    X(pthread_rwlock_timedrdlock) X(pthread_rwlock_timedwrlock) X(pthread_rwlock_unlock)
#define RT_REALS_SPIN(X) \
    X(pthread_spin_init) X(pthread_spin_destroy) X(pthread_spin_lock) X(pthread_spin_trylock) \
    X(pthread_spin_unlock)
#define RT_REALS_COND(X) \
    X(pthread_cond_init) X(pthread_cond_destroy) X(pthread_cond_wait) X(pthread_cond_timedwait) \
    X(pthread_cond_clockwait) X(pthread_cond_signal) X(pthread_cond_broadcast)
#define RT_REALS_BARRIER(X) \
    X(pthread_barrier_init) X(pthread_barrier_destroy) X(pthread_barrier_wait)
#define RT_REALS_ONCE(X) \
    X(pthread_once)
#define RT_REALS_SEM(X) \
    X(sem_init) X(sem_destroy) X(sem_open) X(sem_close) X(sem_wait) X(sem_trywait) \
    X(sem_timedwait) X(sem_clockwait) X(sem_post) X(sem_getvalue)
#define RT_REALS_C11(X) \
    X(mtx_init) X(mtx_destroy) X(mtx_lock) X(mtx_trylock) X(mtx_timedlock) X(mtx_unlock) \
    X(cnd_init) X(cnd_destroy) X(cnd_wait) X(cnd_timedwait) X(cnd_signal) X(cnd_broadcast) \
    X(call_once) X(thrd_create) X(thrd_join) X(thrd_detach) X(thrd_exit) X(thrd_sleep) \
    X(thrd_yield)
#define RT_REALS_SLEEP(X) \
    X(sched_yield) X(sleep) X(usleep) X(nanosleep) X(clock_nanosleep)
#define RT_REALS_FUTEX(X) \
    X(syscall)
#define RT_REALS_INPUT(X) \
    X(clock_gettime) X(time) X(getpid) X(getppid) X(getrandom)
#define RT_REALS_IO(X) \
    X(read) X(write) X(poll) X(select) X(epoll_wait) X(accept) X(accept4) X(connect) X(recv) \
    X(recvfrom) X(recvmsg) X(send) X(sendto) X(sendmsg) X(readv) X(writev) X(waitpid) X(wait)
/* clang-format on */
#define RT_REALS(X)                                                                                \
    RT_REALS_CORE(X)                                                                               \
    RT_REALS_MUTEX(X)                                                                              \
    RT_REALS_RWLOCK(X)                                                                             \
    RT_REALS_SPIN(X)                                                                               \
    RT_REALS_COND(X)                                                                               \
    RT_REALS_BARRIER(X)                                                                            \
    RT_REALS_ONCE(X)                                                                               \
    RT_REALS_SEM(X)                                                                                \
    RT_REALS_C11(X)                                                                                \
    RT_REALS_SLEEP(X)                                                                              \
    RT_REALS_FUTEX(X)                                                                              \
    RT_REALS_INPUT(X)                                                                              \
    RT_REALS_IO(X)                                                                                 \
    RT_REALS_MORE(X)

#define RT_REAL_FIELD(name) __typeof__(name) *name;
struct rt_real {
    RT_REALS(RT_REAL_FIELD)
};
extern struct rt_real rt_real __attribute__((visibility("hidden")));

/* Fills the table; called once, before anything else of the program runs. */
void rt_real_init(void);

#endif
