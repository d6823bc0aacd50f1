/* SPDX-License-Identifier: MIT
 *
 * rt/hooks.c: what instrumented code calls. The fast paths touch rt_hot, the site, the
 * site before it and the shadow; everything unexpected goes out of line.
 *
 * Hooks of plain accesses do not ask which thread they run on: code with hooks is entered
 * from code without only through enter, xret and land, which do (the watchdog may have
 * taken the token meanwhile). */
#include "rt/stream.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define COLD __attribute__((noinline, cold))

/* Budget used up, or switched off: 0 if there is nothing to record. */
static COLD int rt_hook_point(void) {
    if (!rt_hot.on)
        return 0;
    rt_slow_point();
    rt_commit();
    return 1;
}

static inline int point(void) {
    return LIKELY(rt_hot.budget > 0) || rt_hook_point();
}

static inline void spend(void) {
    /* One instruction, so that a signal handler that ends the turn is not overwritten. */
    __asm__ volatile("decq %0" : "+m"(rt_hot.budget));
}

static COLD void load_slow(const void *p, struct au_site *s, uint8_t size) {
    if (!point())
        return;
    rt_patch(p, size);
    rt_log(s, AU_OP_READ, size, (uint64_t)(uintptr_t)p, 0, 0, NULL);
}

static COLD void store_slow(void *p, struct au_site *s, uint64_t v, uint8_t size) {
    if (!point())
        return;
    memcpy((void *)(uintptr_t)rt_shadow(p), &v, size);
    rt_log(s, AU_OP_WRITE, size, (uint64_t)(uintptr_t)p, v, 0, NULL);
}

#define LOAD(bytes, type)                                                                          \
    EXPORT void __augur_ld##bytes(const void *p, struct au_site *s) {                              \
        struct au_site *prev = rt_hot.prev;                                                        \
        if (LIKELY(rt_hot.budget > 0)) {                                                           \
            type now, was;                                                                         \
            memcpy(&now, p, bytes);                                                                \
            memcpy(&was, (const void *)(uintptr_t)rt_shadow(p), bytes);                            \
            if (LIKELY(prev && prev->succ == s->id && s->pred == (uint64_t)(uintptr_t)p &&         \
                       now == was)) {                                                              \
                s->pred += (uint64_t)s->stride;                                                    \
                rt_hot.prev = s;                                                                   \
                spend();                                                                           \
                return;                                                                            \
            }                                                                                      \
        }                                                                                          \
        load_slow(p, s, bytes);                                                                    \
    }
LOAD(1, uint8_t)
LOAD(2, uint16_t)
LOAD(4, uint32_t)
LOAD(8, uint64_t)

#define STORE(bytes, type)                                                                         \
    EXPORT void __augur_st##bytes(void *p, struct au_site *s, uint64_t v) {                        \
        struct au_site *prev = rt_hot.prev;                                                        \
        if (LIKELY(rt_hot.budget > 0 && prev && prev->succ == s->id &&                             \
                   s->pred == (uint64_t)(uintptr_t)p && s->val == v)) {                            \
            type x = (type)v;                                                                      \
            memcpy((void *)(uintptr_t)rt_shadow(p), &x, bytes);                                    \
            s->pred += (uint64_t)s->stride;                                                        \
            s->val += (uint64_t)s->vstride;                                                        \
            rt_hot.prev = s;                                                                       \
            spend();                                                                               \
            return;                                                                                \
        }                                                                                          \
        store_slow(p, s, v, bytes);                                                                \
    }
STORE(1, uint8_t)
STORE(2, uint16_t)
STORE(4, uint32_t)
STORE(8, uint64_t)

/* Pieces of at most this many bytes, one event each; the token does not move between. */
#define PIECE (1u << 30)

static void read_range(const void *p, struct au_site *s, uint64_t n) {
    const char *from = p;
    for (uint64_t done = 0; done < n;) {
        uint64_t piece = n - done < PIECE ? n - done : PIECE;
        rt_patch(from + done, piece);
        rt_log(s, AU_SOP_RREAD, 0, (uint64_t)(uintptr_t)from + done, 0, (uint32_t)piece, NULL);
        done += piece;
    }
}

EXPORT void __augur_ldn(const void *p, struct au_site *s, uint64_t n) {
    if (n && point())
        read_range(p, s, n);
}

EXPORT void __augur_stn(void *p, struct au_site *s, const void *from, uint64_t n) {
    if (!n || !point())
        return;
    for (uint64_t done = 0; done < n;) {
        uint64_t piece = n - done < RT_DATA_MAX ? n - done : RT_DATA_MAX;
        char *to = (char *)p + done;
        memcpy((void *)(uintptr_t)rt_shadow(to), (const char *)from + done, piece);
        rt_log(s, AU_SOP_RWRITE, 0, (uint64_t)(uintptr_t)to, 0, (uint32_t)piece,
               (const char *)from + done);
        done += piece;
    }
}

EXPORT void __augur_copy(void *to, const void *from, uint64_t n, struct au_site *r,
                         struct au_site *w) {
    if (!n || !point())
        return;
    read_range(from, r, n); /* the token does not move between the two events */
    memmove((void *)(uintptr_t)rt_shadow(to), (const void *)(uintptr_t)rt_shadow(from), n);
    for (uint64_t done = 0; done < n;) {
        uint64_t piece = n - done < PIECE ? n - done : PIECE;
        rt_log(w, AU_SOP_RCOPY, 0, (uint64_t)(uintptr_t)to + done, (uint64_t)(uintptr_t)from + done,
               (uint32_t)piece, NULL);
        done += piece;
    }
}

EXPORT void __augur_set(void *p, int byte, uint64_t n, struct au_site *s) {
    if (!n || !point())
        return;
    for (uint64_t done = 0; done < n;) {
        uint64_t piece = n - done < PIECE ? n - done : PIECE;
        char *to = (char *)p + done;
        memset((void *)(uintptr_t)rt_shadow(to), byte, piece);
        rt_log(s, AU_SOP_RSET, 0, (uint64_t)(uintptr_t)to, (uint8_t)byte, (uint32_t)piece, NULL);
        done += piece;
    }
}

/* ---- atomics ---- */

EXPORT void __augur_ald(const void *p, struct au_site *s, uint64_t size) {
    if (!point())
        return;
    rt_patch(p, size);
    rt_log(s, AU_OP_AREAD, (uint8_t)size, (uint64_t)(uintptr_t)p, 0, 0, NULL);
}

EXPORT void __augur_ast(void *p, struct au_site *s, uint64_t size, uint64_t v) {
    if (!point())
        return;
    memcpy((void *)(uintptr_t)rt_shadow(p), &v, size > 8 ? 8 : size);
    rt_log(s, AU_OP_AWRITE, (uint8_t)size, (uint64_t)(uintptr_t)p, v, 0, NULL);
}

EXPORT void __augur_rmw_begin(const void *p, struct au_site *s) {
    (void)s;
    if (!point())
        return;
    rt_patch(p, 8);
}

EXPORT void __augur_rmw_end(const void *p, struct au_site *s, uint64_t size, int wrote) {
    if (!rt_hot.on)
        return;
    uint64_t v = 0;
    if (!wrote) {
        rt_patch(p, size);
        rt_log(s, AU_OP_AREAD, (uint8_t)size, (uint64_t)(uintptr_t)p, 0, 0, NULL);
        return;
    }
    memcpy(&v, p, size > 8 ? 8 : size);
    memcpy((void *)(uintptr_t)rt_shadow(p), &v, size > 8 ? 8 : size);
    rt_log(s, AU_OP_RMW, (uint8_t)size, (uint64_t)(uintptr_t)p, v, 0, NULL);
}

EXPORT void __augur_fence(struct au_site *s) {
    if (point())
        rt_log(s, AU_OP_FENCE, 0, 0, 0, 0, NULL);
}

/* ---- functions ---- */

/* Back in code with hooks; 0: this thread records nothing. */
static inline int here(struct rt_thread *t) {
    if (!rt_on || !t || t->inside || t->state == RT_DEAD)
        return 0;
    if (t->away && __atomic_exchange_n(&t->away, RT_HERE, __ATOMIC_SEQ_CST) == RT_STOLEN)
        rt_come_back(t);
    return 1;
}

EXPORT uint64_t __augur_enter(struct au_site *s) {
    struct rt_thread *t = rt_self;
    if (!here(t))
        return 0;
    t->depth++;
    if (point())
        rt_log(s, AU_OP_CALL, 0, 0, t->depth, 0, NULL);
    return t->depth;
}

EXPORT void __augur_leave(struct au_site *s) {
    if (!rt_on)
        return;
    if (point())
        rt_log(s, AU_OP_RET, 0, 0, 0, 0, NULL);
    struct rt_thread *t = rt_hot.self;
    if (t && t->depth)
        t->depth--;
}

EXPORT void __augur_land(struct au_site *s, uint64_t depth) {
    struct rt_thread *t = rt_self;
    if (!here(t))
        return;
    t->depth = (uint32_t)depth;
    if (point())
        rt_log(s, AU_SOP_LAND, 0, 0, depth, 0, NULL);
}

EXPORT void __augur_frame(void *p, uint64_t size, struct au_site *s) {
    if (point())
        rt_log(s, AU_SOP_FRAME, 0, (uint64_t)(uintptr_t)p, 0, (uint32_t)size, NULL);
}

EXPORT void __augur_xcall(struct au_site *s, const void *fn) {
    if (point())
        rt_log(s, AU_OP_XCALL, 0, (uint64_t)(uintptr_t)fn, 0, 0, NULL);
    struct rt_thread *t = rt_hot.self;
    if (!rt_on || !t)
        return;
    t->call = s;
    t->call_events = 0;
    __atomic_store_n(&t->away, RT_AWAY, __ATOMIC_RELEASE);
}

EXPORT void __augur_xret(struct au_site *s, uint64_t result) {
    struct rt_thread *t = rt_self;
    if (!here(t))
        return;
    t->call = s;
    t->call_events = 0;
    if (point())
        rt_log(s, AU_OP_XRET, 0, 0, result, 0, NULL);
}

/* ---- not events ---- */

EXPORT void __augur_branch(int taken) {
    if (!rt_hot.on)
        return;
    rt_hot.bits = rt_hot.bits >> 1 | (uint64_t)(taken & 1) << 63;
    if (UNLIKELY(rt_hot.bits & 1))
        rt_log_bits();
}

EXPORT void __augur_switch(uint64_t which, uint64_t bits) {
    for (; bits; bits--, which >>= 1)
        __augur_branch((int)(which & 1));
}

/* A loop without hooks sees nothing of other threads, but they should not starve. */
EXPORT void __augur_loop(void) {
    static uint32_t rounds;
    if (!rt_hot.on)
        return;
    if (rt_hot.budget <= 0)
        rt_hook_point();
    else if (UNLIKELY(++rounds == 1u << 22)) {
        rounds = 0;
        rt_yield();
        rt_commit();
    }
}
