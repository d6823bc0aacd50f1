/* SPDX-License-Identifier: MIT
 *
 * rt/wide.c: functions of <wchar.h> that stop where they have seen enough; the others are TELLS. What was read
 * is told after the call: its result says how much that was. */
#include "rt/bytes.h"
#include "rt/mem.h"

#include <wchar.h>
#include <wctype.h>

#undef wcschr
#undef wcspbrk
#undef wcsstr
#undef wmemchr

static size_t length(const wchar_t *s) {
    return rt_real.wcslen(s);
}

static void tell(const wchar_t *a, size_t n, const wchar_t *b, size_t k) {
    if (!rt_string_enter())
        return;
    if (n)
        rt_tell(AU_SOP_RREAD, a, n * sizeof *a);
    if (k)
        rt_tell(AU_SOP_RREAD, b, k * sizeof *b);
    rt_leave(0);
}

/* Letters of both that a comparison looks at. */
static size_t compared(const wchar_t *a, const wchar_t *b, size_t n, bool strings, bool fold) {
    size_t i = 0;
    while (i < n) {
        wchar_t x = a[i], y = b[i];
        i++;
        if ((strings && !x) || (fold ? towlower((wint_t)x) != towlower((wint_t)y) : x != y))
            break;
    }
    return i;
}

#define COMPARES(name, strings, fold)                                                              \
    RT_EXPORT int name(const wchar_t *a, const wchar_t *b, size_t n) {                             \
        size_t k = compared(a, b, n, strings, fold);                                               \
        tell(a, k, b, k);                                                                          \
        return rt_real.name(a, b, n);                                                              \
    }
COMPARES(wmemcmp, false, false)
COMPARES(wcsncmp, true, false)
COMPARES(wcsncasecmp, true, true)
RT_EXPORT int wcscmp(const wchar_t *a, const wchar_t *b) {
    size_t k = compared(a, b, SIZE_MAX, true, false);
    tell(a, k, b, k);
    return rt_real.wcscmp(a, b);
}
RT_EXPORT int wcscasecmp(const wchar_t *a, const wchar_t *b) {
    size_t k = compared(a, b, SIZE_MAX, true, true);
    tell(a, k, b, k);
    return rt_real.wcscasecmp(a, b);
}

/* Up to what was found. */
static size_t to(const wchar_t *s, const wchar_t *hit) {
    return hit ? (size_t)(hit - s) + 1 : length(s) + 1;
}
RT_EXPORT wchar_t *wcschr(const wchar_t *s, wchar_t c) {
    wchar_t *hit = rt_real.wcschr(s, c);
    tell(s, to(s, hit), NULL, 0);
    return hit;
}
RT_EXPORT wchar_t *wmemchr(const wchar_t *s, wchar_t c, size_t n) {
    wchar_t *hit = rt_real.wmemchr(s, c, n);
    tell(s, hit ? (size_t)(hit - s) + 1 : n, NULL, 0);
    return hit;
}
RT_EXPORT wchar_t *wcspbrk(const wchar_t *s, const wchar_t *set) {
    wchar_t *hit = rt_real.wcspbrk(s, set);
    tell(s, to(s, hit), set, length(set) + 1);
    return hit;
}
RT_EXPORT wchar_t *wcsstr(const wchar_t *s, const wchar_t *find) {
    wchar_t *hit = rt_real.wcsstr(s, find);
    tell(s, hit ? (size_t)(hit - s) + length(find) : length(s) + 1, find, length(find) + 1);
    return hit;
}
RT_EXPORT size_t wcsspn(const wchar_t *s, const wchar_t *set) {
    size_t n = rt_real.wcsspn(s, set);
    tell(s, n + 1, set, length(set) + 1);
    return n;
}
RT_EXPORT size_t wcscspn(const wchar_t *s, const wchar_t *set) {
    size_t n = rt_real.wcscspn(s, set);
    tell(s, n + 1, set, length(set) + 1);
    return n;
}
