/* SPDX-License-Identifier: MIT
 *
 * rt/format.c: formats of printf and scanf. Arguments are taken into an array first: with positions (%2$s) they come
 * in any order. A conversion that the C library was taught by register_printf_function ends the walk: from there
 * on nothing is told. */
#include "rt/format.h"
#include "rt/bytes.h"
#include "rt/encode.h"
#include "rt/mem.h"

#include <limits.h>
#include <stdbool.h>
#include <wchar.h>

/* A conversion: its letter, and how long its value is. */
struct directive {
    int width, precision; /* -1: none; -2: an argument, -3 and below: argument 1 and so on */
    int position;         /* of the value; 0: the next */
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

/* "12$": 12, and *s is behind it; 0 if there is none. */
static int position(const char **s) {
    const char *p = *s;
    int n = number(&p);
    if (!n || *p != '$')
        return 0;
    *s = p + 1;
    return n;
}

static int field(const char **s) {
    if (**s == '*') {
        ++*s;
        return -2 - position(s);
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
    d->position = position(s);
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

/* An argument of a printf, as the call passes it. */
enum kind { NONE, INT, LONG, DOUBLE, LONG_DOUBLE, POINTER, UNKNOWN };
union argument {
    int i;
    void *p;
};
enum { ARGUMENTS = 32 };

static enum kind kind_of(const struct directive *d) {
    switch (d->letter) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'c':
    case 'C':
        return d->size == sizeof(long) ? LONG : INT;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        return d->long_double ? LONG_DOUBLE : DOUBLE;
    case 's':
    case 'S':
    case 'p':
    case 'n':
        return POINTER;
    case 'm':
        return NONE;
    default:
        return UNKNOWN;
    }
}

static void take(union argument *to, enum kind kind, va_list ap) {
    switch (kind) {
    case LONG:
        va_arg(ap, long);
        break;
    case DOUBLE:
        va_arg(ap, double);
        break;
    case LONG_DOUBLE:
        va_arg(ap, long double);
        break;
    case POINTER:
        to->p = va_arg(ap, void *);
        break;
    default: /* also of a position that the format leaves out */
        to->i = va_arg(ap, int);
        break;
    }
}

/* The argument that a width or precision stands for, from 0; *next is that behind the last one. */
static int index_of(int stands, int *next) {
    return stands == -2 ? (*next)++ : -3 - stands;
}

/* The kinds of all arguments up to a conversion that is not known; how many. */
static int kinds_of(const char *s, enum kind *kind) {
    struct directive d;
    int next_one = 0, n = 0;
    while (next(&s, &d, false)) {
        int at[3], k = 0;
        enum kind is = kind_of(&d), of[3];
        if (d.width <= -2)
            of[k] = INT, at[k++] = index_of(d.width, &next_one);
        if (d.precision <= -2)
            of[k] = INT, at[k++] = index_of(d.precision, &next_one);
        if (is == UNKNOWN)
            return n;
        if (is != NONE)
            of[k] = is, at[k++] = d.position ? d.position - 1 : next_one++;
        while (k-- > 0) {
            if (at[k] < 0 || at[k] >= ARGUMENTS)
                return n;
            kind[at[k]] = of[k];
            n = at[k] < n ? n : at[k] + 1;
        }
    }
    return n;
}

/* Goes through the arguments of a printf; counted: tells what %n stored, else what is read. */
static void walk(const char *s, va_list ap, bool counted) {
    enum kind kind[ARGUMENTS] = {NONE};
    union argument value[ARGUMENTS] = {{0}};
    int n = kinds_of(s, kind), next_one = 0;
    for (int i = 0; i < n; i++)
        take(&value[i], kind[i], ap);
    struct directive d;
    while (next(&s, &d, false)) {
        if (d.width <= -2)
            index_of(d.width, &next_one);
        if (d.precision <= -2) {
            int at = index_of(d.precision, &next_one);
            d.precision = at >= 0 && at < n ? value[at].i : -1;
        }
        enum kind is = kind_of(&d);
        if (is == NONE)
            continue;
        int at = d.position ? d.position - 1 : next_one++;
        if (is == UNKNOWN || at < 0 || at >= n)
            return;
        void *p = value[at].p;
        if (d.letter == 'n' && counted)
            rt_tell(AU_SOP_RWRITE, p, (size_t)d.size);
        else if ((d.letter == 's' && d.wide) || d.letter == 'S')
            counted ? (void)0 : read_wide(p, d.precision);
        else if (d.letter == 's' && !counted)
            read_string(p, d.precision);
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
        if (d.position)
            return;
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
