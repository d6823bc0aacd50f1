/* SPDX-License-Identifier: MIT
 *
 * rt/real_more.h: the part of real.h's list that belongs to the wrappers beyond locks. */
#ifndef AUGUR_RT_REAL_MORE_H
#define AUGUR_RT_REAL_MORE_H

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <termios.h>

/* Names without a public declaration. */
int __cxa_guard_acquire(uint64_t *g);
void __cxa_guard_release(uint64_t *g);
void __cxa_guard_abort(uint64_t *g);
ssize_t __read_chk(int fd, void *p, size_t n, size_t room);
ssize_t __recv_chk(int fd, void *p, size_t n, size_t room, int flags);

/* clang-format off */
#define RT_REALS_MORE(X) \
    X(pthread_rwlock_clockrdlock) X(pthread_rwlock_clockwrlock) \
    X(__cxa_guard_acquire) X(__cxa_guard_release) X(__cxa_guard_abort) \
    X(gettimeofday) X(timespec_get) X(clock) X(gettid) X(kill) \
    X(getentropy) X(arc4random) X(arc4random_uniform) X(arc4random_buf) \
    X(pread) X(pwrite) X(__read_chk) X(__recv_chk) X(ppoll) X(pselect) X(epoll_pwait) \
    X(wait3) X(wait4) X(waitid) X(sigwait) X(sigwaitinfo) X(sigtimedwait) X(sigsuspend) \
    X(pause) X(flock) X(lockf) X(fcntl) X(msgrcv) X(msgsnd) X(semop) X(semtimedop) X(tcdrain) \
    X(memcpy) X(memmove) X(memset) X(memcmp) X(memchr) X(strlen) X(strnlen) X(strchr) \
    X(strchrnul) X(strrchr) X(strcmp) X(strncmp) X(strcasecmp) X(strncasecmp) X(strstr) \
    X(strspn) X(strcspn) X(strpbrk) X(strcpy) X(stpcpy) X(strncpy) X(stpncpy) X(strcat) \
    X(strncat)
/* clang-format on */

#endif
