/* SPDX-License-Identifier: MIT
 *
 * rt/print.c: the functions of printf: what they read of the program's memory, as their formats say, and the text
 * that they write there. What they put out through a stream is not told: it does not come back. */
#include "rt/bytes.h"
#include "rt/format.h"
#include "rt/mem.h"
#include "rt/stdio.h"

#include <stdio.h>

int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, ...);
int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...);
int __printf_chk(int flag, const char *format, ...);
int __fprintf_chk(FILE *f, int flag, const char *format, ...);
int __dprintf_chk(int fd, int flag, const char *format, ...);
int __asprintf_chk(char **to, int flag, const char *format, ...);

/* What was printed into memory of n bytes. */
static int printed(char *to, size_t n, int result) {
    if (result >= 0 && n && rt_string_enter()) {
        rt_tell(AU_SOP_RWRITE, to, (size_t)result < n ? (size_t)result + 1 : n);
        rt_leave(0);
    }
    return result;
}
/* The text is in fresh memory, which malloc has told. */
static int made(char **to, int result) {
    if (result >= 0 && rt_string_enter()) {
        rt_tell(AU_SOP_RWRITE, *to, (size_t)result + 1);
        rt_tell(AU_SOP_RWRITE, to, sizeof *to);
        rt_leave(0);
    }
    return result;
}

/* CALL is the library's function with the arguments 'ap'; AFTER tells what it wrote. */
#define WITH_LIST(call, after)                                                                     \
    rt_tell_printed(format, ap);                                                                   \
    va_list again;                                                                                 \
    va_copy(again, ap);                                                                            \
    int result = rt_real.call;                                                                     \
    rt_tell_counted(format, again);                                                                \
    va_end(again);                                                                                 \
    return after
#define WITH_DOTS(call)                                                                            \
    va_list ap;                                                                                    \
    va_start(ap, format);                                                                          \
    int result = call;                                                                             \
    va_end(ap);                                                                                    \
    return result

/* ---- into memory ---- */

RT_EXPORT int vsnprintf(char *restrict to, size_t n, const char *restrict format, va_list ap) {
    WITH_LIST(vsnprintf(to, n, format, ap), printed(to, n, result));
}
RT_EXPORT int snprintf(char *restrict to, size_t n, const char *restrict format, ...) {
    WITH_DOTS(vsnprintf(to, n, format, ap));
}
RT_EXPORT int vsprintf(char *restrict to, const char *restrict format, va_list ap) {
    WITH_LIST(vsprintf(to, format, ap), printed(to, SIZE_MAX, result));
}
RT_EXPORT int sprintf(char *restrict to, const char *restrict format, ...) {
    WITH_DOTS(vsprintf(to, format, ap));
}
RT_EXPORT int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format,
                              va_list ap) {
    WITH_LIST(__vsnprintf_chk(to, n, flag, room, format, ap), printed(to, n, result));
}
RT_EXPORT int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, ...) {
    WITH_DOTS(__vsnprintf_chk(to, n, flag, room, format, ap));
}
RT_EXPORT int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list ap) {
    WITH_LIST(__vsprintf_chk(to, flag, room, format, ap), printed(to, SIZE_MAX, result));
}
RT_EXPORT int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...) {
    WITH_DOTS(__vsprintf_chk(to, flag, room, format, ap));
}
RT_EXPORT int vasprintf(char **restrict to, const char *restrict format, va_list ap) {
    WITH_LIST(vasprintf(to, format, ap), made(to, result));
}
RT_EXPORT int asprintf(char **restrict to, const char *restrict format, ...) {
    WITH_DOTS(vasprintf(to, format, ap));
}
RT_EXPORT int __vasprintf_chk(char **to, int flag, const char *format, va_list ap) {
    WITH_LIST(__vasprintf_chk(to, flag, format, ap), made(to, result));
}
RT_EXPORT int __asprintf_chk(char **to, int flag, const char *format, ...) {
    WITH_DOTS(__vasprintf_chk(to, flag, format, ap));
}

/* ---- into streams and descriptors ---- */

RT_EXPORT int vprintf(const char *restrict format, va_list ap) {
    WITH_LIST(vprintf(format, ap), result);
}
RT_EXPORT int printf(const char *restrict format, ...) {
    WITH_DOTS(vprintf(format, ap));
}
RT_EXPORT int vfprintf(FILE *restrict f, const char *restrict format, va_list ap) {
    rt_stream_moved(f, RT_STREAM_OUT);
    WITH_LIST(vfprintf(f, format, ap), result);
}
RT_EXPORT int fprintf(FILE *restrict f, const char *restrict format, ...) {
    WITH_DOTS(vfprintf(f, format, ap));
}
RT_EXPORT int vdprintf(int fd, const char *restrict format, va_list ap) {
    rt_descriptor_moved(fd);
    WITH_LIST(vdprintf(fd, format, ap), result);
}
RT_EXPORT int dprintf(int fd, const char *restrict format, ...) {
    WITH_DOTS(vdprintf(fd, format, ap));
}
RT_EXPORT int __vprintf_chk(int flag, const char *format, va_list ap) {
    WITH_LIST(__vprintf_chk(flag, format, ap), result);
}
RT_EXPORT int __printf_chk(int flag, const char *format, ...) {
    WITH_DOTS(__vprintf_chk(flag, format, ap));
}
RT_EXPORT int __vfprintf_chk(FILE *f, int flag, const char *format, va_list ap) {
    rt_stream_moved(f, RT_STREAM_OUT);
    WITH_LIST(__vfprintf_chk(f, flag, format, ap), result);
}
RT_EXPORT int __fprintf_chk(FILE *f, int flag, const char *format, ...) {
    WITH_DOTS(__vfprintf_chk(f, flag, format, ap));
}
RT_EXPORT int __vdprintf_chk(int fd, int flag, const char *format, va_list ap) {
    rt_descriptor_moved(fd);
    WITH_LIST(__vdprintf_chk(fd, flag, format, ap), result);
}
RT_EXPORT int __dprintf_chk(int fd, int flag, const char *format, ...) {
    WITH_DOTS(__vdprintf_chk(fd, flag, format, ap));
}
