/* SPDX-License-Identifier: MIT
 *
 * rt/bytes.h: the memory functions that the runtime itself may use in its wrappers of them:
 * the C library's, or plain instructions before it is there (real.c). */
#ifndef AUGUR_RT_BYTES_H
#define AUGUR_RT_BYTES_H

#include "rt/sched.h"

static inline void *rt_copy_bytes(void *to, const void *from, size_t n) {
    if (__builtin_expect(rt_real.memcpy != NULL, 1))
        return rt_real.memcpy(to, from, n);
    void *result = to;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
    return result;
}

static inline void *rt_set_bytes(void *p, int byte, size_t n) {
    if (__builtin_expect(rt_real.memset != NULL, 1))
        return rt_real.memset(p, byte, n);
    void *result = p;
    __asm__ volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(byte) : "memory");
    return result;
}

static inline void *rt_move_bytes(void *to, const void *from, size_t n) {
    if (__builtin_expect(rt_real.memmove != NULL, 1))
        return rt_real.memmove(to, from, n);
    if ((uintptr_t)to - (uintptr_t)from >= n)
        return rt_copy_bytes(to, from, n);
    volatile char *t = to; /* volatile: or the compiler makes it a memmove again */
    const volatile char *f = from;
    while (n--)
        t[n] = f[n];
    return to;
}

/* rt_enter, but only for a thread that is in a call into code without hooks. What follows
 * passes no point: libraries copy with locks of the C library held (the unwinder inside
 * dl_iterate_phdr), and the hooks around the program's own calls are points. */
static inline int rt_string_enter(void) {
    return __builtin_expect(rt_on != 0, 0) && rt_self && rt_self->away && rt_enter();
}

#endif
