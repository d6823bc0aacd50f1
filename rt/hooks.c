/* SPDX-License-Identifier: MIT
 *
 * rt/hooks.c: what instrumented code calls. The fast paths touch rt_hot, the site, the
 * site before it and the shadow; everything unexpected goes out of line.
 *
 * Hooks of plain accesses do not ask which thread they run on: code with hooks is entered
 * from code without only through enter, xret and land, which do (the watchdog may have
 * taken the token meanwhile). */
#include "rt/encode.h"
#include "rt/omp.h"
#include "rt/policy.h"

#define EXPORT __attribute__((visibility("default")))
#define MISS static __attribute__((noinline))

/* Budget used up, or switched off: 0 if there is nothing to record. */
MISS int hook_point(void) {
    if (!rt_hot.on)
        return 0;
    rt_slow_point();
    rt_commit();
    return 1;
}

static inline int point(void) {
    return RT_LIKELY(rt_hot.budget > 0) || hook_point();
}

/* Plain loads and stores. Their sites log nothing else, so op and size need no comparison
 * on the fast path: before the first event the expected address is 0. */
#define LOAD(bytes, type)                                                                          \
    MISS void load_miss##bytes(const void *p, struct au_site *s) {                                 \
        if (!point())                                                                              \
            return;                                                                                \
        if (*(const type *)p != *(const type *)(uintptr_t)rt_shadow(p))                            \
            rt_patch(p, bytes);                                                                    \
        rt_encode(s, AU_OP_READ, bytes, (uint64_t)(uintptr_t)p, 0, 0, NULL);                       \
    }                                                                                              \
    EXPORT void __augur_ld##bytes(const void *p, struct au_site *s) {                              \
        if (RT_LIKELY(rt_hot.budget > 0)) {                                                        \
            if (RT_LIKELY(rt_hot.prev->succ == s->id && s->pred == (uint64_t)(uintptr_t)p) &&      \
                RT_LIKELY(*(const type *)p == *(const type *)(uintptr_t)rt_shadow(p))) {           \
                s->pred += (uint64_t)s->stride;                                                    \
                rt_hot.prev = s;                                                                   \
                rt_spend();                                                                        \
                return;                                                                            \
            }                                                                                      \
        } else if (!rt_hot.on)                                                                     \
            return;                                                                                \
        load_miss##bytes(p, s);                                                                    \
    }
/* Programs may access memory without alignment and as any type. */
typedef uint8_t any1 __attribute__((may_alias, aligned(1)));
typedef uint16_t any2 __attribute__((may_alias, aligned(1)));
typedef uint32_t any4 __attribute__((may_alias, aligned(1)));
typedef uint64_t any8 __attribute__((may_alias, aligned(1)));
LOAD(1, any1)
LOAD(2, any2)
LOAD(4, any4)
LOAD(8, any8)

#define STORE(bytes, type)                                                                         \
    MISS void store_miss##bytes(void *p, struct au_site *s, uint64_t v) {                          \
        if (!point())                                                                              \
            return;                                                                                \
        *(type *)(uintptr_t)rt_shadow(p) = (type)v;                                                \
        rt_encode(s, AU_OP_WRITE, bytes, (uint64_t)(uintptr_t)p, v, 0, NULL);                      \
    }                                                                                              \
    EXPORT void __augur_st##bytes(void *p, struct au_site *s, uint64_t v) {                        \
        if (RT_LIKELY(rt_hot.budget > 0)) {                                                        \
            if (RT_LIKELY(rt_hot.prev->succ == s->id && s->pred == (uint64_t)(uintptr_t)p) &&      \
                s->val == v) {                                                                     \
                *(type *)(uintptr_t)rt_shadow(p) = (type)v;                                        \
                s->pred += (uint64_t)s->stride;                                                    \
                s->val += (uint64_t)s->vstride;                                                    \
                rt_hot.prev = s;                                                                   \
                rt_spend();                                                                        \
                return;                                                                            \
            }                                                                                      \
        } else if (!rt_hot.on)                                                                     \
            return;                                                                                \
        store_miss##bytes(p, s, v);                                                                \
    }
STORE(1, any1)
STORE(2, any2)
STORE(4, any4)
STORE(8, any8)

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
        rt_put_bytes((void *)(uintptr_t)rt_shadow(to), (const char *)from + done, piece);
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
    rt_slide_bytes((void *)(uintptr_t)rt_shadow(to), (const void *)(uintptr_t)rt_shadow(from), n);
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
        rt_fill_bytes((void *)(uintptr_t)rt_shadow(to), byte, piece);
        rt_log(s, AU_SOP_RSET, 0, (uint64_t)(uintptr_t)to, (uint8_t)byte, (uint32_t)piece, NULL);
        done += piece;
    }
}

/* ---- atomics ---- */

static inline uint64_t get_small(const void *p, uint64_t size) {
    switch (size) {
    case 1:
        return *(const any1 *)p;
    case 2:
        return *(const any2 *)p;
    case 4:
        return *(const any4 *)p;
    default:
        return *(const any8 *)p;
    }
}

static inline void put_small(void *p, uint64_t size, uint64_t v) {
    switch (size) {
    case 1:
        *(any1 *)p = (uint8_t)v;
        break;
    case 2:
        *(any2 *)p = (uint16_t)v;
        break;
    case 4:
        *(any4 *)p = (uint32_t)v;
        break;
    default:
        *(any8 *)p = v;
    }
}

static inline void *shadow_of(const void *p) {
    return (void *)(uintptr_t)rt_shadow(p);
}

static inline void patch_small(const void *p, uint64_t size) {
    if (RT_UNLIKELY(size > 8 || get_small(p, size) != get_small(shadow_of(p), size)))
        rt_patch(p, size);
}

EXPORT void __augur_ald(const void *p, struct au_site *s, uint64_t size) {
    if (!point())
        return;
    patch_small(p, size);
    rt_log(s, AU_OP_AREAD, (uint8_t)size, (uint64_t)(uintptr_t)p, 0, 0, NULL);
}

EXPORT void __augur_ast(void *p, struct au_site *s, uint64_t size, uint64_t v) {
    if (!point())
        return;
    put_small(shadow_of(p), size, v);
    rt_log(s, AU_OP_AWRITE, (uint8_t)size, (uint64_t)(uintptr_t)p, v, 0, NULL);
}

/* The old value is the shadow's, so the shadow must be right before the instruction. The
 * first time the size is not known: as much as surely lies on the same page. */
EXPORT void __augur_rmw_begin(const void *p, struct au_site *s) {
    if (!point())
        return;
    if (RT_LIKELY(s->size))
        patch_small(p, s->size);
    else
        rt_patch(p, 8 - ((uintptr_t)p & 7));
}

/* After the instruction; nobody ran in between. */
EXPORT void __augur_rmw_end(const void *p, struct au_site *s, uint64_t size, int wrote) {
    if (!rt_hot.on)
        return;
    if (!wrote) {
        patch_small(p, size);
        rt_log(s, AU_OP_AREAD, (uint8_t)size, (uint64_t)(uintptr_t)p, 0, 0, NULL);
        return;
    }
    uint64_t v = get_small(p, size);
    if (RT_UNLIKELY(size > 8)) /* the event holds 8 bytes; what is there now is noted before it */
        rt_patch((const char *)p + 8, size - 8);
    put_small(shadow_of(p), size, v);
    rt_log(s, AU_OP_RMW, (uint8_t)size, (uint64_t)(uintptr_t)p, v, 0, NULL);
}

EXPORT void __augur_fence(struct au_site *s) {
    if (point())
        rt_log(s, AU_OP_FENCE, 0, 0, 0, 0, NULL);
}

/* ---- functions ---- */

/* Back in code with hooks; 0: this thread records nothing. */
MISS int here_slow(struct rt_thread *t) {
    if (!rt_on || !t || t->inside || t->state == RT_DEAD)
        return 0;
    if (t->away)
        rt_return(t);
    return 1;
}

static inline int here(struct rt_thread *t) {
    if (RT_UNLIKELY(!t || t != rt_hot.self))
        return here_slow(t);
    if (t->away)
        rt_return(t);
    return 1;
}

/* Before the last event of main, or the call that ends the program. */
MISS void last_turns(void) {
    if (!rt_hot.on)
        return;
    rt_last_turns();
    if (rt_hot.budget <= 0)
        rt_slow_point();
    rt_commit();
}

EXPORT uint64_t __augur_enter(struct au_site *s) {
    struct rt_thread *t = rt_self;
    uint32_t away = t ? t->away : 0;
    if (!here(t))
        return 0;
    uint64_t depth = ++t->depth;
    if (RT_UNLIKELY(away) && depth < 64) { /* a callback: leave goes back there */
        t->outer |= UINT64_C(1) << depth;
        t->outer_call[depth] = t->call;
        t->outer_omp |= (uint64_t)t->omp << depth;
    }
    t->omp = 0;
    if (!rt_hit(s, AU_OP_CALL, 0, 0) && point())
        rt_log(s, AU_OP_CALL, 0, 0, 0, 0, NULL);
    return depth;
}

EXPORT void __augur_leave(struct au_site *s) {
    if (!rt_on)
        return;
    if (RT_UNLIKELY(rt_hot.self && rt_hot.self->depth == 1 && !rt_hot.self->number))
        last_turns();
    if (!rt_hit(s, AU_OP_RET, 0, 0) && point())
        rt_log(s, AU_OP_RET, 0, 0, 0, 0, NULL);
    struct rt_thread *t = rt_hot.self;
    if (!t || !t->depth)
        return;
    uint32_t depth = t->depth--;
    if (RT_UNLIKELY(depth < 64 && t->outer >> depth & 1)) {
        t->outer &= ~(UINT64_C(1) << depth);
        t->omp = t->outer_omp >> depth & 1;
        t->outer_omp &= ~(UINT64_C(1) << depth);
        t->call = t->outer_call[depth];
        rt_go_away(t);
    }
}

EXPORT void __augur_land(struct au_site *s, uint64_t depth) {
    struct rt_thread *t = rt_self;
    if (!here(t))
        return;
    t->depth = (uint32_t)depth;
    t->omp = 0;
    t->blocked_signals = 0; /* a handler may have jumped here */
    if (depth < 63)
        t->outer &= (UINT64_C(2) << depth) - 1, t->outer_omp &= t->outer;
    if (point())
        rt_log(s, AU_SOP_LAND, 0, 0, depth, 0, NULL);
}

EXPORT void __augur_frame(void *p, uint64_t size, struct au_site *s) {
    if (point())
        rt_log(s, AU_SOP_FRAME, 0, (uint64_t)(uintptr_t)p, 0, (uint32_t)size, NULL);
}

EXPORT void __augur_xcall(struct au_site *s, const void *fn) {
    /* With a stride an address that was never told may be as expected. */
    if ((s->stride || !rt_hit(s, AU_OP_XCALL, (uint64_t)(uintptr_t)fn, 0)) && point()) {
        rt_code(fn);
        if (rt_ends_program(fn))
            last_turns();
        rt_log(s, AU_OP_XCALL, 0, (uint64_t)(uintptr_t)fn, 0, 0, NULL);
    }
    struct rt_thread *t = rt_hot.self;
    if (!rt_on || !t)
        return;
    t->call = s;
    t->called = fn;
    t->call_events = 0;
    t->omp = rt_omp_has(fn);
    rt_go_away(t);
}

EXPORT void __augur_xret(struct au_site *s, uint64_t result) {
    struct rt_thread *t = rt_self;
    if (!here(t))
        return;
    t->call = s;
    t->called = NULL;
    t->call_events = 0;
    t->omp = 0;
    if (!rt_hit(s, AU_OP_XRET, 0, result) && point())
        rt_log(s, AU_OP_XRET, 0, 0, result, 0, NULL);
}

/* ---- not events ---- */

EXPORT void __augur_branch(int taken) {
    if (!rt_hot.on)
        return;
    rt_hot.bits = rt_hot.bits >> 1 | (uint64_t)(taken & 1) << 63;
    if (RT_UNLIKELY(rt_hot.bits & 1))
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
        hook_point();
    else if (RT_UNLIKELY(++rounds == 1u << 22)) {
        rounds = 0;
        rt_yield();
        rt_commit();
    }
}
