/* SPDX-License-Identifier: MIT
 *
 * rt/stdio.c: functions of <stdio.h> that read or write buffers of the program, as range
 * events. The streams themselves belong to the C library; where a stream stands is told as a state
 * (state.h) by whoever takes something from it. What is put out changes it too, but only for a stream that
 * can also be read, whose buffer is the program's, or that leads into a pipe of the process: nobody sees it otherwise. What comes in is not INPUT (standard input is given to a
 * replay again as a whole), except what fread takes from a device. A
 * stream's lock may be held by a thread that does not have the token, so the calls run
 * outside of the runtime, where the watchdog sees a holder that sleeps. */
#include "rt/stdio.h"
#include "rt/bytes.h"
#include "rt/channel.h"
#include "rt/io.h"
#include "rt/locks.h"
#include "rt/mem.h"

#include <stdio.h>
#include <unistd.h>

/* The owner as glibc's locks of streams have it: a number, a depth, the thread. */
static bool is_mine(FILE *f) {
    struct {
        int taken, depth;
        void *owner;
    } lock;
    if (!f->_lock)
        return false;
    rt_copy_bytes(&lock, f->_lock, sizeof lock);
    return lock.taken && lock.owner == (void *)pthread_self();
}

bool rt_put_inside;

/* Output that the library writes by itself, into a pipe or a socket of the process: nobody sees how much, and when. */
static void tell_put_out(int fd) {
    if (fd <= STDERR_FILENO || rt_fd_kind(fd) == RT_FD_FILE || !rt_fd_inside(fd))
        return;
    rt_put_inside = true;
    rt_channel_held(1);
}
void rt_descriptor_moved(int fd) {
    if (fd <= STDERR_FILENO || !rt_string_enter())
        return;
    tell_put_out(fd);
    rt_leave(0);
}

enum { USER_BUF = 1, NO_READS = 4 }; /* of glibc's _flags */

/* What is put out can be read in memory of the program (setvbuf). */
static bool is_seen(const FILE *f) {
    return f->_flags & USER_BUF && f->_IO_buf_base != f->_shortbuf;
}

void rt_stream_state(FILE *f, enum rt_stream_way way) {
    /* A stream without a descriptor is memory of the program, or goes to functions of it. */
    if (way == RT_STREAM_OUT && f->_flags & NO_READS && f->_fileno >= 0 && !is_seen(f) &&
        (f->_fileno <= STDERR_FILENO || !rt_fd_inside(f->_fileno)))
        return;
    if (way == RT_STREAM_OUT || way == RT_STREAM_BARE)
        tell_put_out(f->_fileno);
    if (way == RT_STREAM_BARE && !is_mine(f))
        rt_state_bare_of(f);
    else
        rt_state_of(f, way != RT_STREAM_LOOK);
}

void rt_stream_moved(FILE *f, enum rt_stream_way way) {
    if (!rt_string_enter())
        return;
    rt_stream_state(f, way);
    rt_leave(0);
}

/* One event for a range that was just written or is about to be read. */
static void told(uint8_t op, const void *p, size_t n) {
    if (!n || !rt_string_enter())
        return;
    rt_tell(op, p, n);
    rt_leave(0);
}

/* ---- reading and writing streams ---- */

static char *got_line(char *to) {
    if (to)
        told(AU_SOP_RWRITE, to, rt_real.strlen(to) + 1);
    return to;
}
RT_EXPORT char *fgets(char *restrict to, int n, FILE *restrict f) {
    char *line = rt_real.fgets(to, n, f);
    rt_stream_moved(f, RT_STREAM_IN);
    return got_line(line);
}
RT_EXPORT char *__fgets_chk(char *to, size_t room, int n, FILE *f) {
    char *line = rt_real.__fgets_chk(to, room, n, f);
    rt_stream_moved(f, RT_STREAM_IN);
    return got_line(line);
}
RT_EXPORT char *fgets_unlocked(char *restrict to, int n, FILE *restrict f) {
    rt_stream_moved(f, RT_STREAM_BARE);
    return got_line(rt_real.fgets_unlocked(to, n, f));
}
RT_EXPORT ssize_t getdelim(char **restrict line, size_t *restrict room, int end, FILE *restrict f) {
    ssize_t n = rt_real.getdelim(line, room, end, f);
    rt_stream_moved(f, RT_STREAM_IN);
    if (rt_string_enter()) {
        if (n >= 0)
            rt_tell(AU_SOP_RWRITE, *line, (size_t)n + 1);
        rt_tell(AU_SOP_RWRITE, line, sizeof *line);
        rt_tell(AU_SOP_RWRITE, room, sizeof *room);
        rt_leave(0);
    }
    return n;
}
RT_EXPORT ssize_t getline(char **restrict line, size_t *restrict room, FILE *restrict f) {
    return getdelim(line, room, '\n', f);
}
/* Some inline functions of <stdio.h> call it. */
RT_EXPORT ssize_t __getdelim(char **restrict line, size_t *restrict room, int end,
                             FILE *restrict f) {
    return getdelim(line, room, end, f);
}
RT_EXPORT int getchar(void) {
    int c = rt_real.getchar();
    rt_stream_moved(stdin, RT_STREAM_IN);
    return c;
}
RT_EXPORT int getchar_unlocked(void) {
    rt_stream_moved(stdin, RT_STREAM_BARE);
    int c = rt_real.getchar_unlocked();
    return c;
}
/* A device that never lets anybody wait: /dev/urandom and its like, read this way by many
 * programs to seed their generators. Terminals are not of these. */
static int is_device(FILE *f) {
    int fd = fileno(f), error = errno;
    int device = fd > STDERR_FILENO && rt_fd_kind(fd) == RT_FD_DEVICE && !isatty(fd);
    errno = error;
    return device;
}
RT_EXPORT size_t fread(void *restrict to, size_t size, size_t n, FILE *restrict f) {
    if (size && n && rt_enter()) {
        if (is_device(f)) {
            RT_CALL(c);
            size_t got = 0;
            rt_point();
            /* Also in a replay: the stream must get its buffer from malloc. */
            int64_t result = (int64_t)rt_real.fread(to, size, n, f);
            if (!rt_call_feed(&c, AU_INPUT_BYTES, to, size * n, &got)) {
                rt_call_back(&c, result);
                got = (size_t)c.result * size;
            }
            rt_call_log(&c, AU_INPUT_BYTES, to, got);
            return (size_t)rt_call_end(&c, AU_SOP_RWRITE, to, got);
        }
        rt_leave(0);
    }
    size_t r = rt_real.fread(to, size, n, f);
    rt_stream_moved(f, RT_STREAM_IN);
    told(AU_SOP_RWRITE, to, r * size);
    return r;
}
RT_EXPORT size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *f) {
    size_t r = rt_real.__fread_chk(to, room, size, n, f);
    rt_stream_moved(f, RT_STREAM_IN);
    told(AU_SOP_RWRITE, to, r * size);
    return r;
}
RT_EXPORT size_t fread_unlocked(void *restrict to, size_t size, size_t n, FILE *restrict f) {
    rt_stream_moved(f, RT_STREAM_BARE);
    size_t r = rt_real.fread_unlocked(to, size, n, f);
    told(AU_SOP_RWRITE, to, r * size);
    return r;
}
RT_EXPORT size_t fwrite(const void *restrict from, size_t size, size_t n, FILE *restrict f) {
    rt_stream_moved(f, RT_STREAM_OUT);
    told(AU_SOP_RREAD, from, size * n);
    return rt_real.fwrite(from, size, n, f);
}
RT_EXPORT size_t fwrite_unlocked(const void *restrict from, size_t size, size_t n,
                                 FILE *restrict f) {
    rt_stream_moved(f, RT_STREAM_BARE);
    told(AU_SOP_RREAD, from, size * n);
    return rt_real.fwrite_unlocked(from, size, n, f);
}
RT_EXPORT int fputs(const char *restrict s, FILE *restrict f) {
    rt_stream_moved(f, RT_STREAM_OUT);
    told(AU_SOP_RREAD, s, rt_real.strlen(s) + 1);
    return rt_real.fputs(s, f);
}
RT_EXPORT int fputs_unlocked(const char *restrict s, FILE *restrict f) {
    rt_stream_moved(f, RT_STREAM_BARE);
    told(AU_SOP_RREAD, s, rt_real.strlen(s) + 1);
    return rt_real.fputs_unlocked(s, f);
}
RT_EXPORT int puts(const char *s) {
    told(AU_SOP_RREAD, s, rt_real.strlen(s) + 1);
    return rt_real.puts(s);
}

/* What was put out goes on its way here. */
RT_EXPORT int fflush(FILE *f) {
    if (f)
        rt_descriptor_moved(f->_fileno);
    else if (rt_put_inside && rt_string_enter()) {
        rt_channel_held(1);
        rt_leave(0);
    }
    int e = rt_real.fflush(f);
    rt_memstream_written(f, false);
    return e;
}
RT_EXPORT int fclose(FILE *f) {
    int fd = f->_fileno;
    rt_descriptor_moved(fd);
    bool locked = rt_locks_held(fd) && rt_enter();
    if (locked)
        rt_point();
    int e = rt_real.fclose(f);
    if (locked)
        rt_locks_closed(fd, 0);
    rt_memstream_written(f, true);
    return e;
}

/* ---- the lock of a stream ---- */

RT_EXPORT void flockfile(FILE *f) {
    if (!rt_enter()) {
        rt_real.flockfile(f);
        return;
    }
    rt_point();
    rt_object(f, AU_WIRE_OBJ_RLOCK, 0);
    /* A thread in a call of the library holds it too, and wakes nobody here. */
    enum rt_wait_result ignored;
    while (rt_real.ftrylockfile(f) != 0)
        rt_poll_wait(f, NULL, RT_WAIT_LOCK, &ignored);
    rt_owner(f, 1);
    rt_event(AU_OP_ACQ, f, 0);
    rt_leave(0);
}
RT_EXPORT int ftrylockfile(FILE *f) {
    if (!rt_enter())
        return rt_real.ftrylockfile(f);
    rt_point();
    rt_object(f, AU_WIRE_OBJ_RLOCK, 0);
    int e = rt_real.ftrylockfile(f);
    if (!e)
        rt_owner(f, 1);
    rt_event(e ? AU_OP_TRYFAIL : AU_OP_ACQ, f, !e);
    return rt_leave(e);
}
RT_EXPORT void funlockfile(FILE *f) {
    if (!rt_enter()) {
        rt_real.funlockfile(f);
        return;
    }
    rt_point();
    rt_real.funlockfile(f);
    rt_owner(f, 0);
    rt_event(AU_OP_REL, f, 0);
    rt_wake(f, RT_ALL);
    rt_leave(0);
}
