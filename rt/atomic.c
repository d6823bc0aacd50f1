/* SPDX-License-Identifier: MIT
 *
 * rt/atomic.c: atomic operations that compilers call out of line (libatomic's names): of
 * odd sizes, of 16 bytes, or where alignment is not known. All of them are here, so
 * that the locks behind the large ones are one set. Orders are all taken as sequentially
 * consistent. Events: AREAD, AWRITE, RMW (up to 8 bytes), else ranges. */
#include "rt/bytes.h"
#include "rt/hooks.h"
#include "rt/mem.h"
#include "rt/stream.h"

#include <stdbool.h>
#include <string.h>

/* ---- the operations themselves ---- */

typedef unsigned __int128 u128;

static bool swap16(volatile u128 *p, u128 *expected, u128 desired) {
    uint64_t lo = (uint64_t)*expected, hi = (uint64_t)(*expected >> 64);
    bool done;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(done), "+m"(*p), "+a"(lo), "+d"(hi)
                     : "b"((uint64_t)desired), "c"((uint64_t)(desired >> 64))
                     : "memory");
    *expected = (u128)hi << 64 | lo;
    return done;
}

enum { LOCKS = 64 };
static struct {
    char held;
    char pad[63];
} lock[LOCKS];

static unsigned lock_of(const void *p) {
    return (unsigned)((uintptr_t)p >> 4) % LOCKS;
}
/* Only for sizes without an instruction; never held across a point. */
static void lock_take(unsigned i) {
    while (__atomic_test_and_set(&lock[i].held, __ATOMIC_ACQUIRE))
        __builtin_ia32_pause();
}
static void lock_give(unsigned i) {
    __atomic_clear(&lock[i].held, __ATOMIC_RELEASE);
}

static bool fits(const volatile void *p, size_t n) {
    return (n == 1 || n == 2 || n == 4 || n == 8) && ((uintptr_t)p & (n - 1)) == 0;
}

static void do_load(size_t n, const volatile void *p, void *to) {
    const void *q = (const void *)(uintptr_t)p;
    if (fits(p, n)) {
        uint64_t v = n == 1   ? __atomic_load_n((const uint8_t *)q, __ATOMIC_SEQ_CST)
                     : n == 2 ? __atomic_load_n((const uint16_t *)q, __ATOMIC_SEQ_CST)
                     : n == 4 ? __atomic_load_n((const uint32_t *)q, __ATOMIC_SEQ_CST)
                              : __atomic_load_n((const uint64_t *)q, __ATOMIC_SEQ_CST);
        rt_copy_bytes(to, &v, n);
        return;
    }
    unsigned i = lock_of(q);
    lock_take(i);
    rt_copy_bytes(to, q, n);
    lock_give(i);
}

static void do_exchange(size_t n, volatile void *p, const void *from, void *old) {
    void *q = (void *)(uintptr_t)p;
    if (fits(p, n)) {
        uint64_t v = 0, was;
        rt_copy_bytes(&v, from, n);
        was = n == 1   ? __atomic_exchange_n((uint8_t *)q, (uint8_t)v, __ATOMIC_SEQ_CST)
              : n == 2 ? __atomic_exchange_n((uint16_t *)q, (uint16_t)v, __ATOMIC_SEQ_CST)
              : n == 4 ? __atomic_exchange_n((uint32_t *)q, (uint32_t)v, __ATOMIC_SEQ_CST)
                       : __atomic_exchange_n((uint64_t *)q, v, __ATOMIC_SEQ_CST);
        if (old)
            rt_copy_bytes(old, &was, n);
        return;
    }
    unsigned i = lock_of(q);
    lock_take(i);
    char *o = old, *t = q;
    const char *f = from;
    for (size_t k = 0; k < n; k++) { /* old and from may be one object */
        char was = t[k];
        t[k] = f[k];
        if (o)
            o[k] = was;
    }
    lock_give(i);
}

static bool do_compare(size_t n, volatile void *p, void *expected, const void *desired) {
    void *q = (void *)(uintptr_t)p;
    bool done;
#define COMPARE(type)                                                                              \
    {                                                                                              \
        type e, d;                                                                                 \
        rt_copy_bytes(&e, expected, n);                                                            \
        rt_copy_bytes(&d, desired, n);                                                             \
        done = __atomic_compare_exchange_n((type *)q, &e, d, false, __ATOMIC_SEQ_CST,              \
                                           __ATOMIC_SEQ_CST);                                      \
        if (!done)                                                                                 \
            rt_copy_bytes(expected, &e, n);                                                        \
        return done;                                                                               \
    }
    if (fits(p, n)) {
        if (n == 1)
            COMPARE(uint8_t)
        if (n == 2)
            COMPARE(uint16_t)
        if (n == 4)
            COMPARE(uint32_t)
        COMPARE(uint64_t)
    }
    unsigned i = lock_of(q);
    lock_take(i);
    done = rt_real.memcmp(q, expected, n) == 0;
    if (done)
        rt_copy_bytes(q, desired, n);
    else
        rt_copy_bytes(expected, q, n);
    lock_give(i);
    return done;
}

/* 16 bytes, aligned: the instruction, as libatomic does it on this machine. */
static bool is16(size_t n, const volatile void *p) {
    return n == 16 && ((uintptr_t)p & 15) == 0;
}

static void load(size_t n, const volatile void *p, void *to) {
    if (!is16(n, p)) {
        do_load(n, p, to);
        return;
    }
    u128 v = 0;
    swap16((volatile u128 *)(uintptr_t)p, &v, v); /* writes back what is there */
    rt_copy_bytes(to, &v, 16);
}
static void exchange(size_t n, volatile void *p, const void *from, void *old) {
    if (!is16(n, p)) {
        do_exchange(n, p, from, old);
        return;
    }
    u128 v, was = 0;
    rt_copy_bytes(&v, from, 16);
    while (!swap16((volatile u128 *)(uintptr_t)p, &was, v))
        ;
    if (old)
        rt_copy_bytes(old, &was, 16);
}
static bool compare(size_t n, volatile void *p, void *expected, const void *desired) {
    if (!is16(n, p))
        return do_compare(n, p, expected, desired);
    u128 e, d;
    rt_copy_bytes(&e, expected, 16);
    rt_copy_bytes(&d, desired, 16);
    bool done = swap16((volatile u128 *)(uintptr_t)p, &e, d);
    if (!done)
        rt_copy_bytes(expected, &e, 16);
    return done;
}

/* ---- with their events ---- */

static void told_load(size_t n, const volatile void *p, void *to) {
    if (!rt_enter()) {
        load(n, p, to);
        return;
    }
    rt_point();
    rt_tell_atomic(AU_OP_AREAD, (const void *)(uintptr_t)p, n);
    load(n, p, to);
    rt_leave(0);
}
static void told_store(size_t n, volatile void *p, const void *from) {
    if (!rt_enter()) {
        exchange(n, p, from, NULL);
        return;
    }
    rt_point();
    exchange(n, p, from, NULL);
    rt_tell_atomic(AU_OP_AWRITE, (const void *)(uintptr_t)p, n);
    rt_leave(0);
}
static void told_exchange(size_t n, volatile void *p, const void *from, void *old) {
    if (!rt_enter()) {
        exchange(n, p, from, old);
        return;
    }
    rt_point();
    rt_patch((const void *)(uintptr_t)p, n);
    exchange(n, p, from, old);
    rt_tell_atomic(AU_OP_RMW, (const void *)(uintptr_t)p, n);
    rt_leave(0);
}
static bool told_compare(size_t n, volatile void *p, void *expected, const void *desired) {
    if (!rt_enter())
        return compare(n, p, expected, desired);
    rt_point();
    rt_patch((const void *)(uintptr_t)p, n);
    bool done = compare(n, p, expected, desired);
    rt_tell_atomic(done ? AU_OP_RMW : AU_OP_AREAD, (const void *)(uintptr_t)p, n);
    return rt_leave(done);
}

/* ---- of inline assembler ---- */

/* No point between the two but of other operands: what is there now is what the assembler finds. */
RT_EXPORT void __augur_asm_begin(const void *p, uint64_t size, int reads) {
    if (!size || !rt_enter())
        return;
    rt_point();
    rt_patch(p, size);
    if (reads)
        rt_tell_atomic(AU_OP_AREAD, p, size);
    rt_leave(0);
}
RT_EXPORT void __augur_asm_end(const void *p, uint64_t size, int reads) {
    if (!size || !rt_enter())
        return;
    /* A comparison that failed, or a pointer that is only read through: told already. */
    if (!reads || rt_real.memcmp(p, (const void *)(uintptr_t)rt_shadow(p), size))
        rt_tell_atomic(AU_OP_RMW, p, size);
    rt_leave(0);
}

/* ---- under their names, some of which are the compiler's own ---- */

#define NAMED(name) __asm__("__atomic_" #name)

void rt_atomic_load(size_t n, const volatile void *p, void *to, int order) NAMED(load);
void rt_atomic_store(size_t n, volatile void *p, void *from, int order) NAMED(store);
void rt_atomic_exchange(size_t n, volatile void *p, void *from, void *old, int order)
    NAMED(exchange);
bool rt_atomic_compare(size_t n, volatile void *p, void *expected, void *desired, int yes, int no)
    NAMED(compare_exchange);

RT_EXPORT void rt_atomic_load(size_t n, const volatile void *p, void *to, int order) {
    (void)order;
    told_load(n, p, to);
}
RT_EXPORT void rt_atomic_store(size_t n, volatile void *p, void *from, int order) {
    (void)order;
    told_store(n, p, from);
}
RT_EXPORT void rt_atomic_exchange(size_t n, volatile void *p, void *from, void *old, int order) {
    (void)order;
    told_exchange(n, p, from, old);
}
RT_EXPORT bool rt_atomic_compare(size_t n, volatile void *p, void *expected, void *desired, int yes,
                                 int no) {
    (void)yes;
    (void)no;
    return told_compare(n, p, expected, desired);
}

/* Loops until nobody came between: cannot happen under the token. */
#define FETCH(type, bytes, word, expression)                                                       \
    type rt_fetch_##word##_##bytes(volatile void *p, type v, int order)                            \
        NAMED(fetch_##word##_##bytes);                                                             \
    RT_EXPORT type rt_fetch_##word##_##bytes(volatile void *p, type v, int order) {                \
        (void)order;                                                                               \
        type old, now;                                                                             \
        int on = rt_enter();                                                                       \
        if (on) {                                                                                  \
            rt_point();                                                                            \
            rt_patch((const void *)(uintptr_t)p, bytes);                                           \
        }                                                                                          \
        load(bytes, p, &old);                                                                      \
        do                                                                                         \
            now = (type)(expression);                                                              \
        while (!compare(bytes, p, &old, &now));                                                    \
        if (on) {                                                                                  \
            rt_tell_atomic(AU_OP_RMW, (const void *)(uintptr_t)p, bytes);                          \
            rt_leave(0);                                                                           \
        }                                                                                          \
        return old;                                                                                \
    }

#define SIZED(type, bytes)                                                                         \
    type rt_load_##bytes(const volatile void *p, int order) NAMED(load_##bytes);                   \
    RT_EXPORT type rt_load_##bytes(const volatile void *p, int order) {                            \
        type v;                                                                                    \
        (void)order;                                                                               \
        told_load(bytes, p, &v);                                                                   \
        return v;                                                                                  \
    }                                                                                              \
    void rt_store_##bytes(volatile void *p, type v, int order) NAMED(store_##bytes);               \
    RT_EXPORT void rt_store_##bytes(volatile void *p, type v, int order) {                         \
        (void)order;                                                                               \
        told_store(bytes, p, &v);                                                                  \
    }                                                                                              \
    type rt_exchange_##bytes(volatile void *p, type v, int order) NAMED(exchange_##bytes);         \
    RT_EXPORT type rt_exchange_##bytes(volatile void *p, type v, int order) {                      \
        type old;                                                                                  \
        (void)order;                                                                               \
        told_exchange(bytes, p, &v, &old);                                                         \
        return old;                                                                                \
    }                                                                                              \
    bool rt_compare_##bytes(volatile void *p, void *expected, type desired, int yes, int no)       \
        NAMED(compare_exchange_##bytes);                                                           \
    RT_EXPORT bool rt_compare_##bytes(volatile void *p, void *expected, type desired, int yes,     \
                                      int no) {                                                    \
        (void)yes;                                                                                 \
        (void)no;                                                                                  \
        return told_compare(bytes, p, expected, &desired);                                         \
    }                                                                                              \
    FETCH(type, bytes, add, old + v)                                                               \
    FETCH(type, bytes, sub, old - v)                                                               \
    FETCH(type, bytes, and, old &v)                                                                \
    FETCH(type, bytes, or, old | v)                                                                \
    FETCH(type, bytes, xor, old ^ v)                                                               \
    FETCH(type, bytes, nand, ~(old & v))

SIZED(uint8_t, 1)
SIZED(uint16_t, 2)
SIZED(uint32_t, 4)
SIZED(uint64_t, 8)
SIZED(u128, 16)
