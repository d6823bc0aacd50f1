/* SPDX-License-Identifier: MIT
 *
 * rt/io_stat.c: what the system knows about files, time used and load. Files of a
 * replay have the same content, but other times of access, and files made anew have
 * other inodes; so these answers are INPUT as clocks are. */
#include "rt/channel.h"
#include "rt/io.h"
#include "rt/times.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/times.h>

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one layout on x86_64");

/* What is fed has the inodes of the recorded run, so the file is asked for once more. */
static void about(int fd) {
    struct stat s;
    if (rt_real.fstat(fd, &s) == 0)
        rt_channel_file(&s, 1, 1);
}
static void about_path(int dir, const char *path, int flags) {
    struct stat s;
    if (rt_real.fstatat(dir, path, &s, flags) == 0)
        rt_channel_file(&s, 1, 0);
}

/* One call that fills 'size' bytes at p unless it fails; 'call' is made if nothing is fed. */
#define ANSWER(type, p, size, call)                                                                \
    do {                                                                                           \
        RT_CALL(c);                                                                                \
        size_t n_ = 0;                                                                             \
        c.inside = ASKED_LIVE;                                                                     \
        rt_point();                                                                                \
        if (!rt_call_feed(&c, AU_INPUT_BYTES, p, size, &n_))                                       \
            rt_call_back(&c, (call));                                                              \
        n_ = c.result >= 0 ? (size) : 0;                                                           \
        if (c.result >= 0 && rt_living())                                                          \
            GIVEN(p);                                                                              \
        if (c.result >= 0)                                                                         \
            ABOUT(p);                                                                              \
        rt_call_log(&c, AU_INPUT_BYTES, p, n_);                                                    \
        return (type)rt_call_end(&c, AU_SOP_RWRITE, p, n_);                                        \
    } while (0)

/* Files are asked in every other schedule than the recorded one: the process may have written them. The
 * times of those that it wrote are told by its own clock. */
#define ASKED_LIVE 1
#define ABOUT(s) about_path(dir, path, flags)
#define GIVEN(s)                                                                                   \
    do {                                                                                           \
        rt_times_shift(&(s)->st_atim);                                                             \
        rt_times_shift(&(s)->st_mtim);                                                             \
        rt_times_shift(&(s)->st_ctim);                                                             \
    } while (0)
RT_EXPORT int fstatat(int dir, const char *restrict path, struct stat *restrict s, int flags) {
    if (!rt_enter())
        return rt_real.fstatat(dir, path, s, flags);
    ANSWER(int, s, sizeof *s, rt_real.fstatat(dir, path, s, flags));
}
#undef ABOUT
#define ABOUT(s) about(fd)
RT_EXPORT int fstat(int fd, struct stat *s) {
    if (!rt_enter())
        return rt_real.fstat(fd, s);
    ANSWER(int, s, sizeof *s, rt_real.fstat(fd, s));
}
RT_EXPORT int stat(const char *restrict path, struct stat *restrict s) {
    return fstatat(AT_FDCWD, path, s, 0);
}
RT_EXPORT int lstat(const char *restrict path, struct stat *restrict s) {
    return fstatat(AT_FDCWD, path, s, AT_SYMLINK_NOFOLLOW);
}
RT_EXPORT int fstatat64(int dir, const char *restrict path, struct stat64 *restrict s, int flags) {
    return fstatat(dir, path, (struct stat *)s, flags);
}
RT_EXPORT int fstat64(int fd, struct stat64 *s) {
    return fstat(fd, (struct stat *)s);
}
RT_EXPORT int stat64(const char *restrict path, struct stat64 *restrict s) {
    return fstatat(AT_FDCWD, path, (struct stat *)s, 0);
}
RT_EXPORT int lstat64(const char *restrict path, struct stat64 *restrict s) {
    return fstatat(AT_FDCWD, path, (struct stat *)s, AT_SYMLINK_NOFOLLOW);
}
#undef GIVEN
#undef ABOUT
#define ABOUT(s) (void)(s)
static void shift_time(struct statx_timestamp *t) {
    struct timespec x = {(time_t)t->tv_sec, (long)t->tv_nsec};
    rt_times_shift(&x);
    t->tv_sec = x.tv_sec;
    t->tv_nsec = (uint32_t)x.tv_nsec;
}
#define GIVEN(s)                                                                                   \
    do {                                                                                           \
        shift_time(&(s)->stx_atime);                                                               \
        shift_time(&(s)->stx_mtime);                                                               \
        shift_time(&(s)->stx_ctime);                                                               \
        shift_time(&(s)->stx_btime);                                                               \
    } while (0)
RT_EXPORT int statx(int dir, const char *restrict path, int flags, unsigned mask,
                    struct statx *restrict s) {
    if (!rt_enter())
        return rt_real.statx(dir, path, flags, mask, s);
    ANSWER(int, s, sizeof *s, rt_real.statx(dir, path, flags, mask, s));
}

/* Time used, by all threads. In another schedule a reading is the thread's next recorded one, or what was told before,
 * whoever was told: as clocks do not go back (times.h), nothing that only grows gets less. 'later' sees to that. */
#define USED(type, p, size, call, later)                                                           \
    do {                                                                                           \
        RT_CALL(c);                                                                                \
        size_t n_ = 0;                                                                             \
        uint8_t kind_ = AU_INPUT_CLOCK;                                                            \
        rt_point();                                                                                \
        if (!rt_living()) {                                                                        \
            if (!rt_call_feed(&c, kind_, p, size, &n_))                                            \
                rt_call_back(&c, (call));                                                          \
        } else {                                                                                   \
            rt_call_ask_cancel(&c);                                                                \
            if (!rt_input_take(&kind_, &c.result, p, size, &n_) || n_ != (size))                   \
                rt_call_back(&c, (call));                                                          \
            if (c.result >= 0)                                                                     \
                later;                                                                             \
        }                                                                                          \
        n_ = c.result >= 0 ? (size) : 0;                                                           \
        rt_call_log(&c, AU_INPUT_CLOCK, p, n_);                                                    \
        return (type)rt_call_end(&c, AU_SOP_RWRITE, p, n_);                                        \
    } while (0)

static void later_number(long *now, long *last) {
    *last = *now = *now > *last ? *now : *last;
}
static void later_time(struct timeval *now, struct timeval *last) {
    if (now->tv_sec < last->tv_sec || (now->tv_sec == last->tv_sec && now->tv_usec < last->tv_usec))
        *now = *last;
    *last = *now;
}

static void later_use(__rusage_who_t who, struct rusage *u) {
    static struct rusage last[2]; /* of the process, of its children; a thread has its own order */
    if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN)
        return;
    struct rusage *l = &last[who == RUSAGE_CHILDREN];
    later_time(&u->ru_utime, &l->ru_utime);
    later_time(&u->ru_stime, &l->ru_stime);
    later_number(&u->ru_maxrss, &l->ru_maxrss);
    later_number(&u->ru_minflt, &l->ru_minflt);
    later_number(&u->ru_majflt, &l->ru_majflt);
    later_number(&u->ru_inblock, &l->ru_inblock);
    later_number(&u->ru_oublock, &l->ru_oublock);
    later_number(&u->ru_nvcsw, &l->ru_nvcsw);
    later_number(&u->ru_nivcsw, &l->ru_nivcsw);
}
RT_EXPORT int getrusage(__rusage_who_t who, struct rusage *u) {
    if (!rt_enter())
        return rt_real.getrusage(who, u);
    USED(int, u, sizeof *u, rt_real.getrusage(who, u), later_use(who, u));
}

static void later_ticks(int64_t *result, struct tms *t) {
    static long last;
    static struct tms used;
    long now = (long)*result;
    later_number(&now, &last);
    *result = now;
    if (!t)
        return;
    later_number(&t->tms_utime, &used.tms_utime);
    later_number(&t->tms_stime, &used.tms_stime);
    later_number(&t->tms_cutime, &used.tms_cutime);
    later_number(&t->tms_cstime, &used.tms_cstime);
}
RT_EXPORT clock_t times(struct tms *t) {
    if (!rt_enter())
        return rt_real.times(t);
    USED(clock_t, t, t ? sizeof *t : 0, rt_real.times(t), later_ticks(&c.result, t));
}

static void later_uptime(struct sysinfo *s) {
    static long last;
    later_number(&s->uptime, &last);
}
RT_EXPORT int sysinfo(struct sysinfo *s) {
    if (!rt_enter())
        return rt_real.sysinfo(s);
    USED(int, s, sizeof *s, rt_real.sysinfo(s), later_uptime(s));
}

/* The load is fed. */
#undef ASKED_LIVE
#undef GIVEN
#define ASKED_LIVE 0
#define GIVEN(s) (void)(s)
RT_EXPORT int getloadavg(double load[], int n) {
    if (!rt_enter())
        return rt_real.getloadavg(load, n);
    size_t most = n > 0 ? (size_t)n * sizeof *load : 0;
    ANSWER(int, load, c.result > 0 ? (size_t)c.result * sizeof *load : most,
           rt_real.getloadavg(load, n));
}

/* Bytes that wait to be read. */
static int waiting(int fd, int *n) {
    RT_CALL(c);
    size_t got = 0;
    c.inside = rt_fd_inside(fd);
    rt_point();
    if (!rt_call_feed(&c, AU_INPUT_BYTES, n, sizeof *n, &got))
        rt_call_back(&c, rt_real.ioctl(fd, FIONREAD, n));
    got = c.result >= 0 ? sizeof *n : 0;
    rt_call_log(&c, AU_INPUT_BYTES, n, got);
    rt_channel_looked(fd, 1);
    rt_channel_looked(fd, 0);
    return (int)rt_call_end(&c, AU_SOP_RWRITE, n, got);
}
RT_EXPORT int ioctl(int fd, unsigned long request, ...) {
    va_list ap;
    va_start(ap, request);
    void *p = va_arg(ap, void *);
    va_end(ap);
    return request == FIONREAD && p && rt_enter() ? waiting(fd, p) : rt_real.ioctl(fd, request, p);
}

/* Where the next read or write of a file goes. */
RT_EXPORT off_t lseek(int fd, off_t by, int from) {
    struct stat s;
    if (rt_real.fstat(fd, &s) || !S_ISREG(s.st_mode) || !rt_enter())
        return rt_real.lseek(fd, by, from);
    RT_CALL(c);
    rt_point();
    c.result = rt_real.lseek(fd, by, from);
    c.error = errno;
    rt_channel_file(&s, by == 0 && from == SEEK_CUR, 1);
    return (off_t)rt_call_end(&c, AU_SOP_RWRITE, NULL, 0);
}
RT_EXPORT off_t lseek64(int fd, off_t by, int from) {
    return lseek(fd, by, from);
}
