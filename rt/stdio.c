/* SPDX-License-Identifier: MIT
 *
 * rt/stdio.c: functions of <stdio.h> that read or write buffers of the program, as range
 * events. The streams themselves belong to the C library and are not told; what comes in
 * through them is not INPUT (standard input is given to a replay again as a whole), except what
 * fread takes from a device. A
 * stream's lock may be held by a thread that does not have the token, so the calls run
 * outside of the runtime, where the watchdog sees a holder that sleeps. */
#include "rt/bytes.h"
#include "rt/io.h"
#include "rt/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, ...);
int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...);
int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, va_list ap);
int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list ap);
char *__fgets_chk(char *to, size_t room, int n, FILE *f);
size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *f);

/* One event for a range that was just written or is about to be read. */
static void told(uint8_t op, const void *p, size_t n) {
    if (!n || !rt_string_enter())
        return;
    rt_tell(op, p, n);
    rt_leave(0);
}

/* ---- printing into memory ---- */

static int printed(char *to, size_t n, int result) {
    if (result >= 0 && n)
        told(AU_SOP_RWRITE, to, (size_t)result < n ? (size_t)result + 1 : n);
    return result;
}

RT_EXPORT int vsnprintf(char *restrict to, size_t n, const char *restrict format, va_list ap) {
    return printed(to, n, rt_real.vsnprintf(to, n, format, ap));
}
RT_EXPORT int snprintf(char *restrict to, size_t n, const char *restrict format, ...) {
    va_list ap;
    va_start(ap, format);
    int r = rt_real.vsnprintf(to, n, format, ap);
    va_end(ap);
    return printed(to, n, r);
}
RT_EXPORT int vsprintf(char *restrict to, const char *restrict format, va_list ap) {
    return printed(to, SIZE_MAX, rt_real.vsprintf(to, format, ap));
}
RT_EXPORT int sprintf(char *restrict to, const char *restrict format, ...) {
    va_list ap;
    va_start(ap, format);
    int r = rt_real.vsprintf(to, format, ap);
    va_end(ap);
    return printed(to, SIZE_MAX, r);
}
RT_EXPORT int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format,
                              va_list ap) {
    return printed(to, n, rt_real.__vsnprintf_chk(to, n, flag, room, format, ap));
}
RT_EXPORT int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    int r = rt_real.__vsnprintf_chk(to, n, flag, room, format, ap);
    va_end(ap);
    return printed(to, n, r);
}
RT_EXPORT int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list ap) {
    return printed(to, SIZE_MAX, rt_real.__vsprintf_chk(to, flag, room, format, ap));
}
RT_EXPORT int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    int r = rt_real.__vsprintf_chk(to, flag, room, format, ap);
    va_end(ap);
    return printed(to, SIZE_MAX, r);
}

/* ---- reading and writing streams ---- */

static char *got_line(char *to) {
    if (to)
        told(AU_SOP_RWRITE, to, rt_real.strlen(to) + 1);
    return to;
}
RT_EXPORT char *fgets(char *restrict to, int n, FILE *restrict f) {
    return got_line(rt_real.fgets(to, n, f));
}
RT_EXPORT char *__fgets_chk(char *to, size_t room, int n, FILE *f) {
    return got_line(rt_real.__fgets_chk(to, room, n, f));
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
    told(AU_SOP_RWRITE, to, r * size);
    return r;
}
RT_EXPORT size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *f) {
    size_t r = rt_real.__fread_chk(to, room, size, n, f);
    told(AU_SOP_RWRITE, to, r * size);
    return r;
}
RT_EXPORT size_t fwrite(const void *restrict from, size_t size, size_t n, FILE *restrict f) {
    told(AU_SOP_RREAD, from, size * n);
    return rt_real.fwrite(from, size, n, f);
}
RT_EXPORT int fputs(const char *restrict s, FILE *restrict f) {
    told(AU_SOP_RREAD, s, rt_real.strlen(s) + 1);
    return rt_real.fputs(s, f);
}
RT_EXPORT int puts(const char *s) {
    told(AU_SOP_RREAD, s, rt_real.strlen(s) + 1);
    return rt_real.puts(s);
}
