/* SPDX-License-Identifier: MIT
 *
 * rt/str.c: string functions as range events: what they read and write of the program's
 * memory, told before the real function runs (the token does not move between). Told only
 * for calls out of code with hooks or from libraries, see bytes.h. */
#include "rt/bytes.h"
#include "rt/mem.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#undef strchr
#undef strrchr
#undef memchr

static size_t length(const char *s) {
    return rt_real.strlen(s);
}
static size_t length_to(const char *s, size_t n) {
    return rt_real.strnlen(s, n);
}
/* Bytes of a string that a function which stops at its end or after n looks at. */
static size_t seen(const char *s, size_t n) {
    size_t k = length_to(s, n);
    return k < n ? k + 1 : k;
}

/* ---- reading one ---- */

#define READS(s, n)                                                                                \
    if (rt_string_enter()) {                                                                       \
        rt_tell(AU_SOP_RREAD, s, n);                                                               \
        rt_leave(0);                                                                               \
    }

RT_EXPORT size_t strlen(const char *s) {
    if (!rt_real.strlen) { /* before the table is filled */
        const volatile char *p = s;
        while (*p)
            p++;
        return (size_t)(p - s);
    }
    READS(s, length(s) + 1)
    return length(s);
}
RT_EXPORT size_t strnlen(const char *s, size_t n) {
    READS(s, seen(s, n))
    return rt_real.strnlen(s, n);
}
RT_EXPORT char *strchr(const char *s, int c) {
    READS(s, (size_t)(rt_real.strchrnul(s, c) - s) + 1)
    return rt_real.strchr(s, c);
}
RT_EXPORT char *strchrnul(const char *s, int c) {
    READS(s, (size_t)(rt_real.strchrnul(s, c) - s) + 1)
    return rt_real.strchrnul(s, c);
}
RT_EXPORT char *strrchr(const char *s, int c) {
    READS(s, length(s) + 1)
    return rt_real.strrchr(s, c);
}
RT_EXPORT void *memchr(const void *s, int c, size_t n) {
    if (n && rt_string_enter()) {
        const char *hit = rt_real.memchr(s, c, n);
        rt_tell(AU_SOP_RREAD, s, hit ? (size_t)(hit - (const char *)s) + 1 : n);
        rt_leave(0);
    }
    return rt_real.memchr(s, c, n);
}

/* ---- reading two ---- */

#define READS_TWO(a, k, b, n)                                                                      \
    if (rt_string_enter()) {                                                                       \
        size_t k_ = (k), n_ = (n);                                                                 \
        rt_tell(AU_SOP_RREAD, a, k_);                                                              \
        rt_tell(AU_SOP_RREAD, b, n_);                                                              \
        rt_leave(0);                                                                               \
    }

/* Bytes of both that a comparison looks at. */
static size_t compared(const char *a, const char *b, size_t n, bool strings, bool fold) {
    size_t i = 0;
    while (i < n) {
        unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];
        i++;
        if ((strings && !x) || (fold ? tolower(x) != tolower(y) : x != y))
            break;
    }
    return i;
}

RT_EXPORT int memcmp(const void *a, const void *b, size_t n) {
    size_t k = 0;
    READS_TWO(a, k = compared(a, b, n, false, false), b, k)
    return rt_real.memcmp(a, b, n);
}
RT_EXPORT int bcmp(const void *a, const void *b, size_t n) {
    return memcmp(a, b, n);
}
RT_EXPORT int strcmp(const char *a, const char *b) {
    size_t k = 0;
    READS_TWO(a, k = compared(a, b, SIZE_MAX, true, false), b, k)
    return rt_real.strcmp(a, b);
}
RT_EXPORT int strncmp(const char *a, const char *b, size_t n) {
    size_t k = 0;
    READS_TWO(a, k = compared(a, b, n, true, false), b, k)
    return rt_real.strncmp(a, b, n);
}
RT_EXPORT int strcasecmp(const char *a, const char *b) {
    size_t k = 0;
    READS_TWO(a, k = compared(a, b, SIZE_MAX, true, true), b, k)
    return rt_real.strcasecmp(a, b);
}
RT_EXPORT int strncasecmp(const char *a, const char *b, size_t n) {
    size_t k = 0;
    READS_TWO(a, k = compared(a, b, n, true, true), b, k)
    return rt_real.strncasecmp(a, b, n);
}
RT_EXPORT char *strstr(const char *s, const char *find) {
    READS_TWO(s, length(s) + 1, find, length(find) + 1)
    return rt_real.strstr(s, find);
}
RT_EXPORT size_t strspn(const char *s, const char *set) {
    READS_TWO(s, rt_real.strspn(s, set) + 1, set, length(set) + 1)
    return rt_real.strspn(s, set);
}
RT_EXPORT size_t strcspn(const char *s, const char *set) {
    READS_TWO(s, rt_real.strcspn(s, set) + 1, set, length(set) + 1)
    return rt_real.strcspn(s, set);
}
RT_EXPORT char *strpbrk(const char *s, const char *set) {
    READS_TWO(s, rt_real.strcspn(s, set) + 1, set, length(set) + 1)
    return rt_real.strpbrk(s, set);
}

/* ---- copying ---- */

#define COPIES(to, from, n)                                                                        \
    if (rt_string_enter()) {                                                                       \
        size_t n_ = (n);                                                                           \
        if (n_) {                                                                                  \
            rt_tell(AU_SOP_RREAD, from, n_);                                                       \
            rt_tell_copy(to, from, n_);                                                            \
        }                                                                                          \
        rt_leave(0);                                                                               \
    }

RT_EXPORT char *strcpy(char *restrict to, const char *restrict from) {
    COPIES(to, from, length(from) + 1)
    return rt_real.strcpy(to, from);
}
RT_EXPORT char *stpcpy(char *restrict to, const char *restrict from) {
    COPIES(to, from, length(from) + 1)
    return rt_real.stpcpy(to, from);
}

/* Copies at most n, fills the rest with zeros: one event more. */
static void copies_filled(char *to, const char *from, size_t n) {
    size_t k = seen(from, n);
    if (k) {
        rt_tell(AU_SOP_RREAD, from, k);
        rt_tell_copy(to, from, k);
    }
    if (k < n)
        rt_tell_set(to + k, 0, n - k);
    rt_leave(0);
}
RT_EXPORT char *strncpy(char *restrict to, const char *restrict from, size_t n) {
    if (rt_string_enter())
        copies_filled(to, from, n);
    return rt_real.strncpy(to, from, n);
}
RT_EXPORT char *stpncpy(char *restrict to, const char *restrict from, size_t n) {
    if (rt_string_enter())
        copies_filled(to, from, n);
    return rt_real.stpncpy(to, from, n);
}
RT_EXPORT char *strcat(char *restrict to, const char *restrict from) {
    if (rt_string_enter()) {
        size_t at = length(to), n = length(from) + 1;
        rt_tell(AU_SOP_RREAD, to, at + 1);
        rt_tell(AU_SOP_RREAD, from, n);
        rt_tell_copy(to + at, from, n);
        rt_leave(0);
    }
    return rt_real.strcat(to, from);
}
RT_EXPORT char *strncat(char *restrict to, const char *restrict from, size_t n) {
    if (rt_string_enter()) {
        size_t at = length(to), k = length_to(from, n);
        rt_tell(AU_SOP_RREAD, to, at + 1);
        if (k) {
            rt_tell(AU_SOP_RREAD, from, k < n ? k + 1 : k);
            rt_tell_copy(to + at, from, k);
        }
        rt_tell_set(to + at + k, 0, 1);
        rt_leave(0);
    }
    return rt_real.strncat(to, from, n);
}

/* Through the program's malloc, which tells the block. */
RT_EXPORT char *strdup(const char *s) {
    size_t n = length(s) + 1;
    char *p = malloc(n);
    return p ? memcpy(p, s, n) : NULL;
}
RT_EXPORT char *strndup(const char *s, size_t n) {
    size_t k = length_to(s, n);
    char *p = malloc(k + 1);
    if (!p)
        return NULL;
    memcpy(p, s, k);
    p[k] = 0;
    return p;
}
