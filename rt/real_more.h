/* SPDX-License-Identifier: MIT
 *
 * rt/real_more.h: the part of real.h's list that belongs to the wrappers beyond locks. */
#ifndef AUGUR_RT_REAL_MORE_H
#define AUGUR_RT_REAL_MORE_H

#include <fcntl.h>
#include <mqueue.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <termios.h>

/* Names without a public declaration. */
ssize_t __read_chk(int fd, void *p, size_t n, size_t room);
ssize_t __recv_chk(int fd, void *p, size_t n, size_t room, int flags);
int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, va_list ap);
int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list ap);
char *__fgets_chk(char *to, size_t room, int n, FILE *f);
size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *f);

/* clang-format off */
#define RT_REALS_MORE(X) \
    X(pthread_rwlock_clockrdlock) X(pthread_rwlock_clockwrlock) \
    X(gettimeofday) X(timespec_get) X(clock) X(gettid) X(kill) \
    X(getentropy) X(arc4random) X(arc4random_uniform) X(arc4random_buf) \
    X(pread) X(pwrite) X(__read_chk) X(__recv_chk) X(ppoll) X(pselect) X(epoll_pwait) \
    X(wait3) X(wait4) X(waitid) X(sigwait) X(sigwaitinfo) X(sigtimedwait) X(sigsuspend) \
    X(pause) X(flock) X(lockf) X(fcntl) X(msgrcv) X(msgsnd) X(semop) X(semtimedop) X(tcdrain) X(system) X(pclose) \
    X(getpeername) X(getsockname) X(getsockopt) X(setsockopt) X(shutdown) \
    X(mq_receive) X(mq_send) X(pipe2) \
    X(memcpy) X(memmove) X(memset) X(memcmp) X(memchr) X(strlen) X(strnlen) X(strchr) \
    X(strchrnul) X(strrchr) X(strcmp) X(strncmp) X(strcasecmp) X(strncasecmp) X(strstr) \
    X(strspn) X(strcspn) X(strpbrk) X(strcpy) X(stpcpy) X(strncpy) X(stpncpy) X(strcat) \
    X(strncat) X(vsnprintf) X(vsprintf) X(__vsnprintf_chk) X(__vsprintf_chk) X(fgets) \
    X(__fgets_chk) X(fread) X(__fread_chk) X(fwrite) X(fputs) X(puts) \
    X(fstatat) X(fstat) X(statx) X(getrusage) X(times) X(sysinfo) X(getloadavg)
/* clang-format on */

#endif
