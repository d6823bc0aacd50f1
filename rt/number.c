/* SPDX-License-Identifier: MIT
 *
 * rt/number.c: texts that are read as numbers. What was read ends one behind the number; where that is only the
 * library's own function knows, so the reading is told after it. */
#include "rt/bytes.h"
#include "rt/state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <wchar.h>

static void tell(const void *from, const void *end, size_t one, void *store) {
    if (!rt_string_enter())
        return;
    rt_tell(AU_SOP_RREAD, from, (size_t)((const char *)end - (const char *)from) + one);
    if (store)
        rt_tell(AU_SOP_RWRITE, store, sizeof(char *));
    rt_leave(0);
}

/* NAME reads with REAL, which gives where it ended. */
#define INTEGER(type, name, real, letter)                                                          \
    RT_EXPORT type name(const letter *restrict s, letter **restrict end, int base) {               \
        letter *to = (letter *)(uintptr_t)s;                                                       \
        type x = rt_real.real(s, &to, base);                                                       \
        if (end)                                                                                   \
            *end = to;                                                                             \
        tell(s, to, sizeof *s, end);                                                               \
        return x;                                                                                  \
    }
#define FLOATING(type, name, letter)                                                               \
    RT_EXPORT type name(const letter *restrict s, letter **restrict end) {                         \
        letter *to = (letter *)(uintptr_t)s;                                                       \
        type x = rt_real.name(s, &to);                                                             \
        if (end)                                                                                   \
            *end = to;                                                                             \
        tell(s, to, sizeof *s, end);                                                               \
        return x;                                                                                  \
    }
#define PLAIN(type, name, call)                                                                    \
    RT_EXPORT type name(const char *s) {                                                           \
        char *to = (char *)(uintptr_t)s;                                                           \
        type x = (type)rt_real.call;                                                               \
        tell(s, to, 1, NULL);                                                                      \
        return x;                                                                                  \
    }

INTEGER(long, strtol, strtol, char)
INTEGER(unsigned long, strtoul, strtoul, char)
INTEGER(long long, strtoll, strtoll, char)
INTEGER(unsigned long long, strtoull, strtoull, char)
INTEGER(long long, strtoq, strtoll, char)
INTEGER(unsigned long long, strtouq, strtoull, char)
INTEGER(intmax_t, strtoimax, strtol, char)
INTEGER(uintmax_t, strtoumax, strtoul, char)
INTEGER(long, wcstol, wcstol, wchar_t)
INTEGER(unsigned long, wcstoul, wcstoul, wchar_t)
INTEGER(long long, wcstoll, wcstoll, wchar_t)
INTEGER(unsigned long long, wcstoull, wcstoull, wchar_t)
FLOATING(double, strtod, char)
FLOATING(float, strtof, char)
FLOATING(long double, strtold, char)
FLOATING(double, wcstod, wchar_t)
PLAIN(int, atoi, strtol(s, &to, 10))
PLAIN(long, atol, strtol(s, &to, 10))
PLAIN(long long, atoll, strtoll(s, &to, 10))
PLAIN(double, atof, strtod(s, &to))

/* Numbers that are drawn, where the table's shape does not fit: the others are TELLS. */
RT_EXPORT double drand48(void) {
    if (rt_string_enter()) {
        rt_state(AU_STATE_RANDOM48, true);
        rt_leave(0);
    }
    return rt_real.drand48();
}
RT_EXPORT double erand48(unsigned short seed[3]) {
    double x = rt_real.erand48(seed);
    if (rt_string_enter()) {
        rt_tell(AU_SOP_RREAD, seed, 3 * sizeof *seed);
        rt_tell(AU_SOP_RWRITE, seed, 3 * sizeof *seed);
        rt_leave(0);
    }
    return x;
}
