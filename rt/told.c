/* SPDX-License-Identifier: MIT
 *
 * rt/told.c: functions of libc that wire/libc.def calls TELLS: their rows say what memory of the program they
 * touch ('.touches') and which state of the library they depend on ('.state'); the wrappers are made of that.
 *
 * One shape fits all: up to six arguments that are integers or pointers, and a result that is one. That they are
 * passed in registers, each alone, is x86-64's convention for calls; the C names differ from the symbols, whose
 * declarations are the library's. */
#include "rt/bytes.h"
#include "rt/made.h"
#include "rt/stdio.h"

#include "wire/suite.h"

#include <fcntl.h>
#include <wchar.h>

enum { ARGS = 6 };

struct call {
    uint64_t arg[ARGS];
    uint64_t result;
};

static unsigned digit(const char **s) {
    unsigned n = 0;
    while (**s >= '0' && **s <= '9')
        n = 10 * n + (unsigned)(*(*s)++ - '0');
    return n;
}

static size_t wide_length(const wchar_t *s, size_t most) {
    size_t n = 0;
    while (n < most && s[n])
        n++;
    return n < most ? n + 1 : n;
}

/* The bytes of p that the letters at *s say; *s is behind them then. */
static size_t bytes_of(const char **s, const struct call *c, const void *p) {
    char how = *(*s)++;
    bool more = **s >= '0' && **s <= '9';
    switch (how) {
    case 's':
    case 'S': {
        size_t most = more ? (size_t)c->arg[digit(s)] : SIZE_MAX;
        if (how == 'S')
            return wide_length(p, most) * sizeof(wchar_t);
        if (most == SIZE_MAX)
            return rt_real.strlen(p) + 1;
        size_t n = rt_real.strnlen(p, most);
        return n < most ? n + 1 : n;
    }
    case 'n':
    case 'N': {
        size_t n = (size_t)c->arg[digit(s)];
        if (**s == 'x') {
            ++*s;
            n *= (size_t)c->arg[digit(s)];
        }
        return how == 'N' ? n * sizeof(wchar_t) : n;
    }
    case 'k':
    case 'K': { /* what was written, a zero behind it, and there is room for so much */
        size_t room = (size_t)c->arg[digit(s)], n = c->result == SIZE_MAX ? 0 : c->result + 1;
        n = n < room ? n : room;
        return how == 'K' ? n * sizeof(wchar_t) : n;
    }
    case '#':
        return digit(s);
    default:
        return 0;
    }
}

/* Tells the accesses before the call, or those after it. */
static void tell(const char *s, const struct call *c, bool after) {
    while (*s) {
        if (*s == ' ') {
            s++;
            continue;
        }
        char op = *s++;
        uint64_t at = *s == 'R' ? c->result : c->arg[*s - '0'];
        const void *p = (const void *)(uintptr_t)at;
        s++;
        if (op == 'f' || op == 'g' || op == 'o' || op == 'u') {
            static const uint8_t way[] = {['f'] = RT_STREAM_IN,
                                          ['g'] = RT_STREAM_LOOK,
                                          ['o'] = RT_STREAM_OUT,
                                          ['u'] = RT_STREAM_BARE};
            if (p && (op == 'u' || op == 'o') != after)
                rt_stream_state((FILE *)(uintptr_t)at, (enum rt_stream_way)way[(unsigned char)op]);
            continue;
        }
        if (op == 'd') {
            if (p && after)
                rt_state_of(p, true);
            continue;
        }
        bool reads = op == 'r';
        bool does = p && reads != after;
        if (op == 'W')
            does = does && c->result;
        else if (op == 'Z')
            does = does && (int)c->result == 0;
        else if (op == 'E')
            does = does && c->result == at;
        if (!does) {
            while (*s && *s != ' ')
                s++;
            continue;
        }
        size_t n = bytes_of(&s, c, p);
        if (n)
            rt_tell(reads ? AU_SOP_RREAD : AU_SOP_RWRITE, p, n);
    }
}

/* For a variable of the environment that the number of a known process leaves out? */
static bool asks_passing(const au_libc *row, const struct call *c) {
    const char *name = (const char *)(uintptr_t)c->arg[0];
    return row->state == AU_STATE_ENVIRONMENT && row->touches && row->touches[0] == 'r' && name &&
           au_suite_is_passing(name);
}

typedef uint64_t function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

static uint64_t run(const au_libc *row, function *real, struct call *c) {
    const char *touches = row->touches ? row->touches : "";
    if (rt_string_enter()) {
        tell(touches, c, false);
        if (row->state)
            rt_state((au_libc_state)row->state, row->changes);
        rt_leave(0);
    }
    if (row->kernel || row->channel & AU_CHANNEL_HEARS || asks_passing(row, c))
        rt_asked();
    bool makes = false;
    const char *name = NULL;
    char shared[RT_MADE_SHARED];
    int dir = AT_FDCWD;
    if (row->makes) {
        name = (const char *)(uintptr_t)c->arg[row->makes - 1];
        if (row->shared && name)
            name = rt_made_shared(shared, "", name) ? shared : NULL;
        dir = row->at ? (int)c->arg[row->makes - 2] : AT_FDCWD;
        makes = rt_made_none(dir, name);
    }
    c->result = real(c->arg[0], c->arg[1], c->arg[2], c->arg[3], c->arg[4], c->arg[5]);
    bool entered = *touches && rt_string_enter();
    if (entered)
        tell(touches, c, true);
    if (makes)
        rt_made(dir, name, entered);
    if (entered)
        rt_leave(0);
    return c->result;
}

#define RT_TOLD__(...)
#define RT_TOLD_STANDS(...)
#define RT_TOLD_WRAPS(...)
#define RT_TOLD_REAL(...)
#define RT_TOLD_TELLS(f, hears, ...)                                                               \
    uint64_t rt_told_##f(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t) __asm__(#f);  \
    RT_EXPORT uint64_t rt_told_##f(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,     \
                                   uint64_t g) {                                                   \
        static const au_libc row = {.channel = AU_CHANNEL_##hears,                                 \
                                    .class = AU_CLASS_##__VA_ARGS__};                              \
        return run(&row, (function *)(uintptr_t)rt_real.f, &(struct call){{a, b, c, d, e, g}, 0}); \
    }
#define AU_CLASS__ AU_CLASS_UNSTATED
#define AU_CHANNEL__ AU_CHANNEL_UNSTATED
#define F(name, runtime, does, args, result, reads, channel, ...)                                  \
    RT_TOLD_##runtime(name, channel, __VA_ARGS__)
#define S(name, runtime, sync, args, reads, channel, ...)                                          \
    RT_TOLD_##runtime(name, channel, __VA_ARGS__)
#define B(...)
#include "wire/libc.def"
