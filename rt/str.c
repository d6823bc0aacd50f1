/* SPDX-License-Identifier: MIT
 *
 * rt/str.c: string functions as range events: what they read and write of the program's
 * memory, told before the real function runs (the token does not move between). Told only
 * for calls out of code with hooks or from libraries, see bytes.h. */
#include "rt/bytes.h"
#include "rt/state.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#undef strchr
#undef strrchr
#undef memchr
#undef memrchr
#undef rawmemchr
#undef strcasestr
#undef index
#undef rindex

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
RT_EXPORT char *index(const char *s, int c) {
    READS(s, (size_t)(rt_real.strchrnul(s, c) - s) + 1)
    return rt_real.strchr(s, c);
}
RT_EXPORT char *rindex(const char *s, int c) {
    READS(s, length(s) + 1)
    return rt_real.strrchr(s, c);
}
RT_EXPORT void *rawmemchr(const void *s, int c) {
    const char *hit = rt_real.rawmemchr(s, c);
    READS(s, (size_t)(hit - (const char *)s) + 1)
    return (void *)(uintptr_t)hit;
}
/* From the end. */
RT_EXPORT void *memrchr(const void *s, int c, size_t n) {
    const char *hit = rt_real.memrchr(s, c, n), *from = hit ? hit : s;
    READS(from, n - (size_t)(from - (const char *)s))
    return (void *)(uintptr_t)hit;
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
/* A text is looked through up to the end of what is found in it. */
static size_t looked_through(const char *s, const char *hit, size_t n) {
    return hit ? (size_t)(hit - s) + n : length(s) + 1;
}
RT_EXPORT char *strstr(const char *s, const char *find) {
    char *hit = rt_real.strstr(s, find);
    READS_TWO(s, looked_through(s, hit, length(find)), find, length(find) + 1)
    return hit;
}
RT_EXPORT char *strcasestr(const char *s, const char *find) {
    char *hit = rt_real.strcasestr(s, find);
    READS_TWO(s, looked_through(s, hit, length(find)), find, length(find) + 1)
    return hit;
}
RT_EXPORT void *memmem(const void *s, size_t n, const void *find, size_t k) {
    const char *hit = rt_real.memmem(s, n, find, k);
    READS_TWO(s, hit ? (size_t)(hit - (const char *)s) + k : n, find, k)
    return (void *)(uintptr_t)hit;
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

RT_EXPORT void *memccpy(void *restrict to, const void *restrict from, int c, size_t n) {
    const char *end = rt_real.memchr(from, c, n);
    COPIES(to, from, end ? (size_t)(end - (const char *)from) + 1 : n)
    return rt_real.memccpy(to, from, c, n);
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

/* ---- pieces ---- */

/* The next piece of 's': where it ends (a zero is put there, unless one is), or NULL if there is none. */
static char *piece_end(char *s, const char *set, char **begin) {
    *begin = s + rt_real.strspn(s, set);
    return **begin ? *begin + rt_real.strcspn(*begin, set) : NULL;
}
static void tell_piece(char *s, const char *set) {
    char *begin, *end = piece_end(s, set, &begin);
    rt_tell(AU_SOP_RREAD, s, (size_t)((end ? end : begin) - s) + 1);
    rt_tell(AU_SOP_RREAD, set, length(set) + 1);
    if (end && *end)
        rt_tell_set(end, 0, 1);
}
RT_EXPORT char *strtok_r(char *restrict s, const char *restrict set, char **restrict rest) {
    if (rt_string_enter()) {
        if (!s)
            rt_tell(AU_SOP_RREAD, rest, sizeof *rest);
        if (s || *rest)
            tell_piece(s ? s : *rest, set);
        rt_leave(0);
    }
    char *piece = rt_real.strtok_r(s, set, rest);
    if (rt_string_enter()) {
        rt_tell(AU_SOP_RWRITE, rest, sizeof *rest);
        rt_leave(0);
    }
    return piece;
}
RT_EXPORT char *__strtok_r(char *restrict s, const char *restrict set, char **restrict rest) {
    return strtok_r(s, set, rest);
}
/* The rest is a variable of the library that takes no lock. */
RT_EXPORT char *strtok(char *restrict s, const char *restrict set) {
    static char *rest;
    if (rt_string_enter()) {
        rt_state_bare(AU_STATE_STRTOK);
        if (s || rest)
            tell_piece(s ? s : rest, set);
        rt_leave(0);
    }
    return rt_real.strtok_r(s, set, &rest);
}
RT_EXPORT char *strsep(char **restrict s, const char *restrict set) {
    if (rt_string_enter()) {
        rt_tell(AU_SOP_RREAD, s, sizeof *s);
        if (*s) {
            char *end = *s + rt_real.strcspn(*s, set);
            rt_tell(AU_SOP_RREAD, *s, (size_t)(end - *s) + 1);
            rt_tell(AU_SOP_RREAD, set, length(set) + 1);
            if (*end)
                rt_tell_set(end, 0, 1);
        }
        rt_leave(0);
    }
    char *piece = rt_real.strsep(s, set);
    if (rt_string_enter()) {
        rt_tell(AU_SOP_RWRITE, s, sizeof *s);
        rt_leave(0);
    }
    return piece;
}

/* Through the program's malloc, which tells the block. */
RT_EXPORT char *strdup(const char *s) {
    size_t n = length(s) + 1;
    char *p = malloc(n);
    return p ? memcpy(p, s, n) : NULL;
}
char *__strdup(const char *s);
RT_EXPORT char *__strdup(const char *s) {
    return strdup(s);
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
