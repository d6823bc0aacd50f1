/* SPDX-License-Identifier: MIT
 *
 * rt/scan.c: the functions of scanf: the text or stream that they read, and where their formats say that values
 * are stored. sscanf looks for the end of its text first: all of it is read. */
#include "rt/bytes.h"
#include "rt/format.h"
#include "rt/stdio.h"

static void text(const char *s) {
    if (!rt_string_enter())
        return;
    rt_tell(AU_SOP_RREAD, s, rt_real.strlen(s) + 1);
    rt_leave(0);
}

/* CALL is the library's function; AFTER is done when it has run. */
#define WITH_LIST(call, after)                                                                     \
    va_list again;                                                                                 \
    va_copy(again, ap);                                                                            \
    int result = rt_real.call;                                                                     \
    after;                                                                                         \
    rt_tell_scanned(format, again, result);                                                        \
    va_end(again);                                                                                 \
    return result
#define WITH_DOTS(call)                                                                            \
    va_list ap;                                                                                    \
    va_start(ap, format);                                                                          \
    int result = call;                                                                             \
    va_end(ap);                                                                                    \
    return result

/* Programs call the functions of C99 as __isoc99_scanf and so on; <stdio.h> turns the plain names into those. The
 * symbols with plain names are old GNU's, where %a is something else: hence the labels. */
#define SCANS(vs, s, vf, f, v, n)                                                                  \
    int rt_##vs(const char *restrict, const char *restrict, va_list) __asm__(#vs);                 \
    int rt_##s(const char *restrict, const char *restrict, ...) __asm__(#s);                       \
    int rt_##vf(FILE *restrict, const char *restrict, va_list) __asm__(#vf);                       \
    int rt_##f(FILE *restrict, const char *restrict, ...) __asm__(#f);                             \
    int rt_##v(const char *restrict, va_list) __asm__(#v);                                         \
    int rt_##n(const char *restrict, ...) __asm__(#n);                                             \
    RT_EXPORT int rt_##vs(const char *restrict from, const char *restrict format, va_list ap) {    \
        text(from);                                                                                \
        WITH_LIST(vs(from, format, ap), (void)0);                                                  \
    }                                                                                              \
    RT_EXPORT int rt_##s(const char *restrict from, const char *restrict format, ...) {            \
        WITH_DOTS(rt_##vs(from, format, ap));                                                      \
    }                                                                                              \
    RT_EXPORT int rt_##vf(FILE *restrict from, const char *restrict format, va_list ap) {          \
        WITH_LIST(vf(from, format, ap), rt_stream_moved(from, RT_STREAM_IN));                      \
    }                                                                                              \
    RT_EXPORT int rt_##f(FILE *restrict from, const char *restrict format, ...) {                  \
        WITH_DOTS(rt_##vf(from, format, ap));                                                      \
    }                                                                                              \
    RT_EXPORT int rt_##v(const char *restrict format, va_list ap) {                                \
        WITH_LIST(v(format, ap), rt_stream_moved(stdin, RT_STREAM_IN));                            \
    }                                                                                              \
    RT_EXPORT int rt_##n(const char *restrict format, ...) {                                       \
        WITH_DOTS(rt_##v(format, ap));                                                             \
    }

SCANS(__isoc99_vsscanf, __isoc99_sscanf, __isoc99_vfscanf, __isoc99_fscanf, __isoc99_vscanf,
      __isoc99_scanf)
SCANS(vsscanf, sscanf, vfscanf, fscanf, vscanf, scanf)
