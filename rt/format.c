/* SPDX-License-Identifier: MIT
 *
 * rt/format.c: formats of printf and scanf. Positions (%2$s) and conversions that the C library was taught by
 * register_printf_function end the walk: from there on nothing is told. */
#include "rt/format.h"
#include "rt/bytes.h"
#include "rt/encode.h"
#include "rt/mem.h"

#include <limits.h>
#include <stdbool.h>
#include <wchar.h>

/* A conversion: its letter, and how long its value is. */
struct directive {
    int width, precision; /* -1: none; -2: an argument */
    int size;             /* bytes of an integer */
    bool plain;           /* scanf: '*', nothing is stored */
    bool makes;           /* scanf: 'm', memory is made */
    bool long_double, wide;
    char letter;
};

static int number(const char **s) {
    int n = 0;
    while (**s >= '0' && **s <= '9') {
        if (n < INT_MAX / 10 - 1)
            n = 10 * n + (**s - '0');
        ++*s;
    }
    return n;
}

static int field(const char **s) {
    if (**s == '*') {
        ++*s;
        return -2;
    }
    return **s >= '0' && **s <= '9' ? number(s) : -1;
}

static void size_of(const char **s, struct directive *d) {
    d->size = sizeof(int);
    for (;; ++*s)
        switch (**s) {
        case 'h':
            d->size = d->size == sizeof(short) ? 1 : sizeof(short);
            break;
        case 'l':
            d->size = sizeof(long);
            d->wide = true;
            break;
        case 'q':
        case 'j':
        case 'z':
        case 'Z':
        case 't':
            d->size = sizeof(long);
            break;
        case 'L':
            d->size = sizeof(long);
            d->long_double = true;
            break;
        default:
            return;
        }
}

static const char *in_flags(char c) {
    for (const char *f = "-+ #0'I"; *f; f++)
        if (*f == c)
            return f;
    return NULL;
}

/* The next conversion behind *s; false at the end. */
static bool next(const char **s, struct directive *d, bool scan) {
    for (;; ++*s) {
        if (!**s)
            return false;
        if (**s != '%')
            continue;
        ++*s;
        if (**s == '%')
            continue;
        break;
    }
    *d = (struct directive){.width = -1, .precision = -1};
    if (scan) {
        for (;; ++*s) {
            if (**s == '*')
                d->plain = true;
            else if (**s != '\'' && **s != 'I')
                break;
        }
        d->width = field(s);
        if (**s == 'm') {
            d->makes = true;
            ++*s;
        }
    } else {
        while (in_flags(**s))
            ++*s;
        d->width = field(s);
        if (**s == '.') {
            ++*s;
            d->precision = field(s);
            if (d->precision == -1)
                d->precision = 0;
        }
    }
    size_of(s, d);
    d->letter = **s;
    if (!d->letter)
        return false;
    ++*s;
    return true;
}

/* The executable's constants, where most formats are: nobody writes there. */
extern const char __executable_start[] __attribute__((weak, visibility("hidden")));
extern const char __data_start[] __attribute__((weak, visibility("hidden")));
static bool is_constant(const void *p) {
    uintptr_t from = (uintptr_t)__executable_start, to = (uintptr_t)__data_start;
    return from && (uintptr_t)p - from < to - from;
}

static void read_format(const char *s) {
    if (!is_constant(s))
        rt_tell(AU_SOP_RREAD, s, rt_real.strlen(s) + 1);
}

static void read_string(const char *s, int precision) {
    if (!s || is_constant(s))
        return;
    size_t most = precision < 0 ? SIZE_MAX : (size_t)precision;
    size_t n = most == SIZE_MAX ? rt_real.strlen(s) : rt_real.strnlen(s, most);
    if (n < most)
        n++;
    if (n)
        rt_tell(AU_SOP_RREAD, s, n);
}

static void read_wide(const wchar_t *s, int precision) {
    /* The precision is in bytes of the result: at least one for each letter. */
    size_t most = precision < 0 ? SIZE_MAX : (size_t)precision, n = 0;
    while (s && n < most && s[n++]) {
    }
    if (n)
        rt_tell(AU_SOP_RREAD, s, n * sizeof *s);
}

/* Goes through the arguments of a printf; counted: tells what %n stored, else what is read. */
static void walk(const char *s, va_list ap, bool counted) {
    struct directive d;
    while (next(&s, &d, false)) {
        if (d.width == -2)
            va_arg(ap, int);
        if (d.precision == -2)
            d.precision = va_arg(ap, int);
        switch (d.letter) {
        case 'd':
        case 'i':
        case 'o':
        case 'u':
        case 'x':
        case 'X':
        case 'c':
        case 'C':
            if (d.size == sizeof(long))
                va_arg(ap, long);
            else
                va_arg(ap, int);
            break;
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
        case 'a':
        case 'A':
            if (d.long_double)
                va_arg(ap, long double);
            else
                va_arg(ap, double);
            break;
        case 's':
        case 'S': {
            const void *p = va_arg(ap, const void *);
            if (counted)
                break;
            if (d.wide || d.letter == 'S')
                read_wide(p, d.precision);
            else
                read_string(p, d.precision);
            break;
        }
        case 'p':
            va_arg(ap, void *);
            break;
        case 'n': {
            void *p = va_arg(ap, void *);
            if (counted)
                rt_tell(AU_SOP_RWRITE, p, (size_t)d.size);
            break;
        }
        case 'm':
            break;
        default:
            return;
        }
    }
}

void rt_tell_printed(const char *format, va_list ap) {
    if (!rt_string_enter())
        return;
    read_format(format);
    va_list copy;
    va_copy(copy, ap);
    walk(format, copy, false);
    va_end(copy);
    rt_leave(0);
}

void rt_tell_counted(const char *format, va_list ap) {
    bool any = false;
    for (const char *s = format; *s && !any; s++)
        any = *s == 'n';
    if (!any || !rt_string_enter())
        return;
    va_list copy;
    va_copy(copy, ap);
    walk(format, copy, true);
    va_end(copy);
    rt_leave(0);
}

/* ---- scanf ---- */

/* Behind the set of a %[. */
static const char *behind_set(const char *s) {
    if (*s == '^')
        s++;
    if (*s == ']')
        s++;
    while (*s && *s != ']')
        s++;
    return *s ? s + 1 : s;
}

static void stored_text(const struct directive *d, void *p) {
    size_t one = d->wide || d->letter == 'S' || d->letter == 'C' ? sizeof(wchar_t) : 1, n = 0;
    if (d->makes) {
        rt_tell(AU_SOP_RWRITE, p, sizeof(void *));
        p = *(void **)p;
        if (!p)
            return;
    }
    if (d->letter == 'c' || d->letter == 'C') {
        n = d->width > 0 ? (size_t)d->width : 1;
    } else if (one == 1) {
        n = rt_real.strlen(p) + 1;
    } else {
        while (((const wchar_t *)p)[n++]) {
        }
    }
    rt_tell(AU_SOP_RWRITE, p, n * one);
}

static void stored_values(const char *s, va_list ap, int left) {
    struct directive d;
    while (next(&s, &d, true)) {
        if (d.letter == '[')
            s = behind_set(s);
        if (d.plain)
            continue;
        if (d.letter == 'n') {
            void *p = va_arg(ap, void *);
            /* Reached or not: it was, if something is there that nobody told. */
            if (!rt_same_bytes(p, (const uint8_t *)(uintptr_t)rt_shadow(p), (size_t)d.size))
                rt_tell(AU_SOP_RWRITE, p, (size_t)d.size);
            continue;
        }
        if (left-- <= 0)
            return;
        void *p = va_arg(ap, void *);
        switch (d.letter) {
        case 's':
        case 'S':
        case 'c':
        case 'C':
        case '[':
            stored_text(&d, p);
            break;
        case 'd':
        case 'i':
        case 'o':
        case 'u':
        case 'x':
        case 'X':
            rt_tell(AU_SOP_RWRITE, p, (size_t)d.size);
            break;
        case 'p':
            rt_tell(AU_SOP_RWRITE, p, sizeof(void *));
            break;
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
        case 'a':
        case 'A':
            rt_tell(AU_SOP_RWRITE, p,
                    d.long_double ? sizeof(long double)
                    : d.wide      ? sizeof(double)
                                  : sizeof(float));
            break;
        default:
            return;
        }
    }
}

void rt_tell_scanned(const char *format, va_list ap, int stored) {
    if (!rt_string_enter())
        return;
    read_format(format);
    va_list copy;
    va_copy(copy, ap);
    stored_values(format, copy, stored);
    va_end(copy);
    rt_leave(0);
}
