/* SPDX-License-Identifier: MIT
 *
 * rt/chk.c: what -D_FORTIFY_SOURCE makes of the wrapped functions. A call that would overflow
 * goes to the C library, which ends the program; the others are the plain calls. */
#include "rt/mem.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room);
void *__memmove_chk(void *to, const void *from, size_t n, size_t room);
void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room);
void *__memset_chk(void *p, int byte, size_t n, size_t room);
char *__strcpy_chk(char *to, const char *from, size_t room);
char *__stpcpy_chk(char *to, const char *from, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t n, size_t room);
char *__stpncpy_chk(char *to, const char *from, size_t n, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room);
char *__strncat_chk(char *to, const char *from, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *p, size_t n, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *p, size_t n, off_t at, size_t room);
ssize_t __recvfrom_chk(int fd, void *p, size_t n, size_t room, int flags, struct sockaddr *from,
                       socklen_t *length);
int __poll_chk(struct pollfd *f, nfds_t n, int ms, size_t room);
int __ppoll_chk(struct pollfd *f, nfds_t n, const struct timespec *span, const sigset_t *mask,
                size_t room);
_Noreturn void __chk_fail(void);

RT_EXPORT void *__memcpy_chk(void *to, const void *from, size_t n, size_t room) {
    if (n > room)
        __chk_fail();
    return memcpy(to, from, n);
}
RT_EXPORT void *__memmove_chk(void *to, const void *from, size_t n, size_t room) {
    if (n > room)
        __chk_fail();
    return memmove(to, from, n);
}
RT_EXPORT void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room) {
    if (n > room)
        __chk_fail();
    return mempcpy(to, from, n);
}
RT_EXPORT void *__memset_chk(void *p, int byte, size_t n, size_t room) {
    if (n > room)
        __chk_fail();
    return memset(p, byte, n);
}
RT_EXPORT char *__strcpy_chk(char *to, const char *from, size_t room) {
    if (rt_real.strlen(from) >= room)
        __chk_fail();
    return strcpy(to, from);
}
RT_EXPORT char *__stpcpy_chk(char *to, const char *from, size_t room) {
    if (rt_real.strlen(from) >= room)
        __chk_fail();
    return stpcpy(to, from);
}
RT_EXPORT char *__strncpy_chk(char *to, const char *from, size_t n, size_t room) {
    if (n > room)
        __chk_fail();
    return strncpy(to, from, n);
}
RT_EXPORT char *__stpncpy_chk(char *to, const char *from, size_t n, size_t room) {
    if (n > room)
        __chk_fail();
    return stpncpy(to, from, n);
}
RT_EXPORT char *__strcat_chk(char *to, const char *from, size_t room) {
    if (rt_real.strlen(to) + rt_real.strlen(from) >= room)
        __chk_fail();
    return strcat(to, from);
}
RT_EXPORT char *__strncat_chk(char *to, const char *from, size_t n, size_t room) {
    if (rt_real.strlen(to) + rt_real.strnlen(from, n) >= room)
        __chk_fail();
    return strncat(to, from, n);
}
RT_EXPORT ssize_t __pread_chk(int fd, void *p, size_t n, off_t at, size_t room) {
    if (n > room)
        __chk_fail();
    return pread(fd, p, n, at);
}
RT_EXPORT ssize_t __pread64_chk(int fd, void *p, size_t n, off_t at, size_t room) {
    return __pread_chk(fd, p, n, at, room);
}
RT_EXPORT ssize_t __recvfrom_chk(int fd, void *p, size_t n, size_t room, int flags,
                                 struct sockaddr *from, socklen_t *length) {
    if (n > room)
        __chk_fail();
    return recvfrom(fd, p, n, flags, from, length);
}
RT_EXPORT int __poll_chk(struct pollfd *f, nfds_t n, int ms, size_t room) {
    if (room / sizeof *f < n)
        __chk_fail();
    return poll(f, n, ms);
}
RT_EXPORT int __ppoll_chk(struct pollfd *f, nfds_t n, const struct timespec *span,
                          const sigset_t *mask, size_t room) {
    if (room / sizeof *f < n)
        __chk_fail();
    return ppoll(f, n, span, mask);
}
